#include "exec/standing/standing.h"

#include "base/ascii.h"
#include "base/json_writer.h"

#include <cJSON.h>
#include <stdio.h>

// checkpoint: what a standing query writes into its checkpoint and reads back at a start.

// Sections beside those of nodes. TABLE: rows that come to the table or go. TABLE_ROWS: rows of a merging table with
// their weights as of now.
enum { SECTION_TABLE = 0xfffffff0, SECTION_PLACES = 0xfffffff1, SECTION_TABLE_ROWS = 0xfffffff2 };

static leat_status section_begin(uint32_t id, lt_buffer *out, size_t *out_body, leat_error *err) {
    LT_TRY(lt_buffer_append_u32(out, id, err));
    LT_TRY(lt_buffer_append_u64(out, 0, err));
    *out_body = out->bytes;
    return LEAT_OK;
}

static void section_end(lt_buffer *out, size_t body) {
    uint64_t bytes = out->bytes - body;
    memcpy(out->data + body - sizeof bytes, &bytes, sizeof bytes);
}

static leat_status places_save(const lt_standing *query, lt_buffer *out, leat_error *err) {
    size_t body;
    LT_TRY(section_begin(SECTION_PLACES, out, &body, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)query->table.next_place, err));
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)query->sources[i].next_place, err));
    section_end(out, body);
    return LEAT_OK;
}

leat_status lt_standing_state_save(lt_standing *query, lt_buffer *out, leat_error *err) {
    bool   is_merging = query->table.rows.is_merging;
    size_t body;
    LT_TRY(places_save(query, out, err));
    LT_TRY(section_begin(is_merging ? SECTION_TABLE_ROWS : SECTION_TABLE, out, &body, err));
    LT_TRY(is_merging ? lt_table_write_present(&query->table, &query->table_changes, out, err)
                      : lt_buffer_append(out, query->table_changes.data, query->table_changes.bytes, err));
    section_end(out, body);
    return lt_pipeline_save(&query->pipeline, false, out, err);
}

leat_status lt_standing_state_load(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
                                   leat_error *err) {
    (void)batch_id, (void)is_snapshot;
    lt_standing *query = user;
    lt_reader    in    = {.next = bytes, .end = (const char *)bytes + count};
    while (in.next < in.end) {
        uint32_t    id;
        const char *part;
        size_t      part_count;
        LT_TRY(lt_reader_u32(&in, &id, err));
        LT_TRY(lt_reader_bytes(&in, &part, &part_count, err));
        lt_reader inside = {.next = part, .end = part + part_count};
        if (id == SECTION_PLACES) {
            uint64_t place;
            LT_TRY(lt_reader_u64(&inside, &place, err));
            query->table.next_place = (int64_t)place;
            for (uint32_t i = 0; i < query->plan.source_count && inside.next < inside.end; i++) {
                LT_TRY(lt_reader_u64(&inside, &place, err));
                query->sources[i].next_place = (int64_t)place;
            }
        } else if (id == SECTION_TABLE) {
            LT_TRY(lt_table_read(&query->table, &inside, err));
        } else if (id == SECTION_TABLE_ROWS) {
            if (!query->table.rows.is_merging)
                return lt_raise(err, LT_CHECKPOINT_CHANGED, NULL,
                                "the checkpoint has rows that may go, which those of this query never do; use another "
                                "checkpointLocation");
            LT_TRY(lt_table_read_present(&query->table, &inside, err));
        } else {
            LT_TRY(lt_pipeline_load_section(&query->pipeline, id, part, part_count, err));
        }
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------ snapshot

// A batch pays for a part of the snapshot: a multiple of what it changed, so that the snapshot is ready before the
// deltas behind it have outgrown it, and at least a block.
enum { PART_FACTOR = 2, LARGE_CHANGE_BYTES = 32 * 1024, KEPT_BYTES_MAX = 1024 * 1024 };

static bool has_parts(const lt_node *node) { return node != NULL && node->kind->save_part != NULL && !node->is_static; }

// The start of a snapshot: all that is not written in parts, as of now.
static leat_status snapshot_begin(lt_standing *query, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_checkpoint_snapshot_begin(query->checkpoint, err));
    LT_TRY(places_save(query, out, err));
    for (uint32_t id = 0; id < query->plan.node_count; id++) {
        lt_node *node = query->pipeline.nodes[id];
        if (node == NULL || node->kind->save == NULL || node->is_static || has_parts(node)) continue;
        LT_TRY(lt_pipeline_save_node(node, true, NULL, 0, out, err));
    }
    query->snapshot_node   = 0;
    query->snapshot_cursor = 0;
    query->snapshot_rows   = query->table.segments.row_count;
    return LEAT_OK;
}

static leat_status table_part(lt_standing *query, size_t bytes_max, lt_buffer *out, leat_error *err) {
    size_t body;
    LT_TRY(section_begin(query->table.rows.is_merging ? SECTION_TABLE_ROWS : SECTION_TABLE, out, &body, err));
    LT_TRY(lt_table_write_part(&query->table, query->snapshot_rows, &query->snapshot_cursor, bytes_max, out, err));
    section_end(out, body);
    return LEAT_OK;
}

// Parts of one node after the other, then of the table.
static leat_status snapshot_parts(lt_standing *query, size_t bytes_max, lt_buffer *out, leat_error *err) {
    while (query->snapshot_node <= query->plan.node_count && out->bytes < bytes_max) {
        size_t left = bytes_max - out->bytes;
        if (query->snapshot_node == query->plan.node_count) {
            LT_TRY(table_part(query, left, out, err));
        } else {
            lt_node *node = query->pipeline.nodes[query->snapshot_node];
            if (has_parts(node))
                LT_TRY(lt_pipeline_save_node(node, true, &query->snapshot_cursor, left, out, err));
            else
                query->snapshot_cursor = UINT64_MAX;
        }
        if (query->snapshot_cursor != UINT64_MAX) break;
        query->snapshot_node++;
        query->snapshot_cursor = 0;
    }
    return LEAT_OK;
}

void lt_standing_snapshot_step(lt_standing *query, size_t changed_bytes) {
    lt_buffer  *out       = &query->state_text;
    size_t      bytes_max = query->snapshot_part_bytes;
    leat_status status    = LEAT_OK;
    lt_buffer_reset(out);
    if (changed_bytes > LARGE_CHANGE_BYTES) bytes_max += changed_bytes * PART_FACTOR;
    if (!lt_checkpoint_has_snapshot_begun(query->checkpoint)) {
        if (!lt_checkpoint_wants_snapshot(query->checkpoint)) goto done;
        status = snapshot_begin(query, out, NULL);
    }
    if (status == LEAT_OK) status = snapshot_parts(query, out->bytes + bytes_max, out, NULL);
    if (status == LEAT_OK) status = lt_checkpoint_snapshot_append(query->checkpoint, out->data, out->bytes, NULL);
    if (status == LEAT_OK && query->snapshot_node > query->plan.node_count)
        status = lt_checkpoint_snapshot_end(query->checkpoint, NULL);
    if (status != LEAT_OK) lt_checkpoint_snapshot_abandon(query->checkpoint);
done:
    if (out->capacity > KEPT_BYTES_MAX) lt_buffer_deinit(out);
}

// Every difference is refused; Spark's name for it depends on what differs.
static lt_plan_verdict judge_change(void *user, const char *stored, const char *offered) {
    lt_condition *condition  = user;
    const char   *old_states = strstr(stored, "Aggregate"), *new_states = strstr(offered, "Aggregate");
    if (old_states == NULL && new_states != NULL) *condition = LT_STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY;
    if (old_states != NULL && new_states != NULL) *condition = LT_STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE;
    return LT_PLAN_REFUSED;
}

// Filters and projections above the last stateful operator, and watermark delays, may change; the lines of the
// fingerprint hold neither, so two that differ are different queries.
leat_status lt_standing_checkpoint_open(lt_standing *query, leat_error *err) {
    leat_session         *session = query->session;
    lt_buffer             fingerprint;
    lt_checkpoint_options options = {.fs          = &session->fs,
                                     .clock       = session->clock_used,
                                     .account     = &query->account,
                                     .path        = query->checkpoint_path,
                                     .random_seed = session->random_seed};
    const char           *sync    = lt_setting_text(session, "checkpointSync");
    options.sync = lt_ascii_compare(sync, "off") == 0 ? LT_CHECKPOINT_SYNC_OFF : LT_CHECKPOINT_SYNC_FULL;
    lt_buffer_init(&fingerprint, &query->account, 0);
    leat_status status = lt_plan_fingerprint(&query->plan, &query->use, &fingerprint, err);
    // What the state has forgotten cannot be kept later, and the other way round; what each mode does by itself is not
    // written.
    const bool is_net = query->use.mode != LT_MODE_APPEND && query->use.mode != LT_MODE_UPDATE;
    if (status == LEAT_OK && query->use.freezes) status = lt_buffer_append_text(&fingerprint, "late rows leave\n", err);
    if (status == LEAT_OK && !is_net && query->late_rows == LT_LATE_KEEP)
        status = lt_buffer_append_text(&fingerprint, "late rows stay\n", err);
    char *settings = lt_arena_format(
        &query->run_arena, "timeZone = %s\nmultipleWatermarkPolicy = %s\nlateRowTest = %s\n", session->time_zone,
        lt_setting_text(session, "multipleWatermarkPolicy"), lt_setting_text(session, "lateRowTest"));
    if (settings == NULL) status = lt_raise_no_memory(err);
    lt_checkpoint_identity identity = {.query_name  = query->entry->name,
                                       .fingerprint = fingerprint.data,
                                       .settings    = settings,
                                       .plan        = query->plan.canonical_sql};
    lt_condition           changed  = LT_CHECKPOINT_CHANGED;
    options.judge                   = judge_change;
    options.judge_user              = &changed;
    if (status == LEAT_OK) status = lt_checkpoint_open(&options, &identity, &query->checkpoint, err);
    if (status == LEAT_CHANGED && err != NULL) err->condition = changed;
    lt_buffer_deinit(&fingerprint);
    if (status == LEAT_OK) {
        const char *id = lt_checkpoint_now(query->checkpoint)->query_id;
        snprintf(query->query_id, sizeof query->query_id, "%s", id);
    }
    return status;
}

// The watermarks of the next batch from a commit record: {"watermarks":[{"late":..,"close":..}, ...]}.
leat_status lt_standing_watermarks_from_json(lt_standing *query, const char *json, size_t bytes, int64_t *out_time_us,
                                             int64_t *out_seed, leat_error *err) {
    cJSON *root = cJSON_ParseWithLength(json, bytes);
    if (root == NULL) return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a record of the checkpoint is no JSON");
    const cJSON *marks = cJSON_GetObjectItemCaseSensitive(root, "watermarks");
    uint32_t     w     = 0;
    for (const cJSON *mark = marks == NULL ? NULL : marks->child; mark != NULL && w < query->plan.watermark_count;
         mark              = mark->next, w++) {
        const cJSON *late            = cJSON_GetObjectItemCaseSensitive(mark, "lateMs"),
                    *close           = cJSON_GetObjectItemCaseSensitive(mark, "closeMs");
        query->watermarks[w].late_us = late != NULL && cJSON_IsNumber(late) ? (int64_t)late->valuedouble * 1000 : 0;
        const cJSON *ahead           = cJSON_GetObjectItemCaseSensitive(mark, "aheadUs");
        if (ahead != NULL && cJSON_IsNumber(ahead)) query->watermarks[w].ahead_us = (int64_t)ahead->valuedouble;
        query->watermarks[w].is_idle  = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(mark, "isIdle"));
        query->watermarks[w].close_us = close != NULL && cJSON_IsNumber(close) ? (int64_t)close->valuedouble * 1000 : 0;
    }
    const cJSON *time = cJSON_GetObjectItemCaseSensitive(root, "batchTimeMs"),
                *seed = cJSON_GetObjectItemCaseSensitive(root, "seed");
    if (out_time_us != NULL && time != NULL) *out_time_us = (int64_t)time->valuedouble * 1000;
    if (out_seed != NULL && seed != NULL && cJSON_IsString(seed)) {
        uint64_t value = 0;
        for (const char *c = seed->valuestring; *c >= '0' && *c <= '9'; c++) value = value * 10 + (uint64_t)(*c - '0');
        *out_seed = (int64_t)value;
    }
    cJSON_Delete(root);
    return LEAT_OK;
}

// The end offset of source `index` in an offsets record, copied into the run arena; NULL: the source took nothing yet.
leat_status lt_standing_offset_from_json(lt_standing *query, const char *json, size_t bytes, uint32_t index,
                                         const char **out, leat_error *err) {
    *out        = NULL;
    cJSON *root = cJSON_ParseWithLength(json, bytes);
    if (root == NULL)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "an offsets record of the checkpoint is no JSON");
    const cJSON *source = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(root, "sources"), (int)index);
    const cJSON *end    = source == NULL ? NULL : cJSON_GetObjectItemCaseSensitive(source, "end");
    leat_status  status = LEAT_OK;
    if (end != NULL && cJSON_IsString(end)) {
        *out = lt_arena_text(&query->run_arena, end->valuestring, strlen(end->valuestring));
        if (*out == NULL) status = lt_raise_no_memory(err);
    }
    cJSON_Delete(root);
    return status;
}

static leat_status watermarks_print(const lt_standing *query, lt_buffer *out, leat_error *err) {
    for (uint32_t w = 0; w < query->plan.watermark_count; w++) {
        const lt_watermark *mark = &query->watermarks[w];
        LT_TRY(lt_buffer_format(out, err, "%s{\"lateMs\":%lld,\"closeMs\":%lld", w > 0 ? "," : "",
                                (long long)(mark->late_us / 1000), (long long)(mark->close_us / 1000)));
        if (mark->ahead_us != INT64_MIN)
            LT_TRY(lt_buffer_format(out, err, ",\"aheadUs\":%lld", (long long)mark->ahead_us));
        LT_TRY(lt_buffer_append_text(out, mark->is_idle ? ",\"isIdle\":true}" : "}", err));
    }
    return LEAT_OK;
}

leat_status lt_standing_offsets_print(lt_standing *query, int64_t time_us, uint64_t seed, lt_buffer *out,
                                      leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "{\"batchTimeMs\":%lld,\"seed\":\"%llu\",\"watermarks\":[",
                            (long long)(time_us / 1000), (unsigned long long)seed));
    LT_TRY(watermarks_print(query, out, err));
    LT_TRY(lt_buffer_append_text(out, "],\"sources\":[", err));
    for (uint32_t i = 0; i < query->plan.source_count; i++) {
        const lt_source_range *range = &query->sources[i].range;
        LT_TRY(lt_buffer_append_text(out, i > 0 ? ",{\"end\":" : "{\"end\":", err));
        if (range->end == NULL)
            LT_TRY(lt_buffer_append_text(out, "null", err));
        else
            LT_TRY(lt_json_write_string(range->end, strlen(range->end), out, err));
        LT_TRY(lt_buffer_append_text(out, "}", err));
    }
    return lt_buffer_append_text(out, "]}", err);
}

leat_status lt_standing_commit_print(lt_standing *query, uint64_t input_rows, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "{\"rows\":%llu,\"watermarks\":[", (unsigned long long)input_rows));
    LT_TRY(watermarks_print(query, out, err));
    LT_TRY(lt_buffer_append_text(out, "]", err));
    if (query->sink_connector != NULL && query->sink_connector->sink->receipt != NULL) {
        size_t before = out->bytes;
        LT_TRY(lt_buffer_append_text(out, ",\"sink\":", err));
        size_t start = out->bytes;
        LT_TRY(query->sink_connector->sink->receipt(query->sink_state, out, err));
        if (out->bytes == start) out->bytes = before;
    }
    return lt_buffer_append_text(out, "}", err);
}
