#include "exec/session.h"

#include "base/ascii.h"
#include "parser/scan.h"

// system_tables: what a session knows about itself, as relations: one row in the table below per relation, rows made
// when read.

// Collects rows of a system table and sends them to the scan.
typedef struct writer {
    lt_node        *node;
    lt_batch       *batch;
    lt_arena        arena;
    lt_chunk        chunk; // all columns of the relation
    const lt_type **types;
    uint32_t        width, column;
} writer;

static leat_status writer_begin(writer *self, lt_node *node, lt_batch *batch, leat_error *err) {
    const lt_catalog_entry *relation = node->plan->as.scan.relation;
    *self                            = (writer){.node = node, .batch = batch, .width = relation->column_count};
    lt_arena_init(&self->arena, node->pipeline->account);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, self->width + 1u, err);
    for (uint32_t c = 0; c < self->width; c++) self->types[c] = relation->columns[c].type;
    return lt_chunk_init(&self->chunk, self->types, self->width, 0, &self->arena, err);
}

static leat_status put_text(writer *self, const char *text, leat_error *err) {
    lt_vector *column = &self->chunk.columns[self->column++];
    if (text == NULL) return lt_vector_append_null(column, &self->arena, err);
    LT_TRY(lt_vector_reserve(column, column->lanes + 1, &self->arena, err));
    return lt_string_copy(&self->arena, text, strlen(text), &LT_LANES(column, lt_string)[column->lanes++], err);
}

static leat_status put_int64(writer *self, int64_t value, leat_error *err) {
    lt_vector *column = &self->chunk.columns[self->column++];
    LT_TRY(lt_vector_reserve(column, column->lanes + 1, &self->arena, err));
    LT_LANES(column, int64_t)[column->lanes++] = value;
    return LEAT_OK;
}

static leat_status put_boolean(writer *self, bool value, leat_error *err) {
    lt_vector *column = &self->chunk.columns[self->column++];
    LT_TRY(lt_vector_reserve(column, column->lanes + 1, &self->arena, err));
    LT_LANES(column, uint8_t)[column->lanes++] = value;
    return LEAT_OK;
}

static leat_status put_null(writer *self, leat_error *err) {
    return lt_vector_append_null(&self->chunk.columns[self->column++], &self->arena, err);
}

static void row_end(writer *self) {
    self->column = 0;
    self->chunk.count++;
}

static leat_status writer_end(writer *self, leat_status status, leat_error *err) {
    const lt_plan *plan = self->node->plan;
    for (uint32_t first = 0; status == LEAT_OK && first < self->chunk.count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t left = self->chunk.count - first, part = left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX;
        lt_chunk out = {.column_count = plan->column_count,
                        .count        = part,
                        .columns      = LT_NEW_ARRAY(&self->arena, lt_vector, plan->column_count + 1u)};
        if (out.columns == NULL) {
            status = lt_raise_no_memory(err);
            break;
        }
        for (uint32_t c = 0; c < plan->column_count; c++)
            out.columns[c] =
                lt_vector_slice(&self->chunk.columns[plan->as.scan.relation_columns[c]], first, part, &self->arena);
        status = lt_table_scan_give(self->node, &out, self->batch, err);
    }
    lt_arena_deinit(&self->arena);
    return status;
}

static const char *trigger_name(lt_trigger_kind trigger) {
    static const char *const names[] = {"default", "interval", "once", "availableNow"};
    return names[trigger];
}

// The first node from the top that lets its rows out when a watermark passes them, and has some.
static const lt_operator_report *waiting_node(const lt_standing *query, const lt_plan *node) {
    const lt_operator_report *report = &query->reports[node->id];
    const bool                waits  = node->kind == LT_PLAN_AGGREGATE ? node->emission == LT_EMIT_CLOSED
                                                                       : node->kind == LT_PLAN_JOIN && node->as.join.is_of_streams;
    if (waits && report->has_run && report->size.rows > 0 && report->watermark_us != INT64_MIN) return report;
    for (uint32_t i = 0; i < node->input_count; i++) {
        report = waiting_node(query, node->inputs[i]);
        if (report != NULL) return report;
    }
    return NULL;
}

// How many rows a filter has left out in the last batch, when none passed it; 0: each filter let some through.
static uint64_t rows_filtered_out(const lt_standing *query, const lt_plan *node) {
    const lt_node_counts *last = &query->reports[node->id].last;
    if (node->kind == LT_PLAN_FILTER && last->rows_in > 0 && last->rows_out == 0) return last->rows_in;
    uint64_t count = 0;
    for (uint32_t i = 0; count == 0 && i < node->input_count; i++) count = rows_filtered_out(query, node->inputs[i]);
    return count;
}

static const char *instant_text(lt_arena *arena, int64_t us) {
    lt_buffer   text;
    const char *copy = NULL;
    lt_buffer_init(&text, arena->account, 0);
    if (lt_progress_instant_append(&text, us, NULL) == LEAT_OK) copy = lt_arena_text(arena, text.data, text.bytes);
    lt_buffer_deinit(&text);
    return copy;
}

static const char *reason_of_running(const lt_standing *query, const lt_progress *last, uint64_t filtered,
                                     lt_arena *arena) {
    const bool is_empty = last->output_rows == 0;
    if (is_empty && last->bad_rows > 0)
        return lt_arena_format(arena, "%llu rows unreadable; leat_bad_rows says why",
                               (unsigned long long)last->bad_rows);
    if (is_empty && last->rows_dropped > 0)
        return lt_arena_format(arena, "%llu rows were late; leat_late_rows has them",
                               (unsigned long long)last->rows_dropped);
    if (is_empty && filtered > 0)
        return lt_arena_format(arena, "all %llu rows filtered out", (unsigned long long)filtered);
    const lt_operator_report *waiting = query->reports == NULL ? NULL : waiting_node(query, query->plan.root);
    if (waiting != NULL) {
        const lt_watermark_report *holder = &query->watermark_reports[waiting->holder];
        const char *mark = instant_text(arena, waiting->watermark_us), *moved = instant_text(arena, holder->moved_us);
        return lt_arena_format(arena, "waiting for the watermark, which is %s, held by %s.%s since %s", mark,
                               holder->stream, holder->column, moved);
    }
    const int64_t now_us = lt_clock_now_us(query->session->clock_used);
    if (query->trigger == LT_TRIGGER_INTERVAL && query->next_trigger_us > now_us &&
        query->next_trigger_us - now_us >= 1000000)
        return lt_arena_format(arena, "trigger due in %lld s",
                               (long long)((query->next_trigger_us - now_us) / 1000000));
    return "waiting for new input";
}

// Why a query shows nothing new, as the first true line. NULL: no memory.
static const char *reason_of(const lt_standing *query, lt_arena *arena) {
    if (query->state == LEAT_QUERY_FAILED) return "failed; see error";
    if (query->state == LEAT_QUERY_STOPPED) return "stopped; START QUERY goes on";
    if (query->state == LEAT_QUERY_ENDED) return "ended: everything available was read";
    if (query->state == LEAT_QUERY_READY) return "waiting for its first run";
    const lt_progress *last = lt_progress_last_batch(query);
    // A batch without data behind one with rows does not hide what became of them.
    for (uint32_t back = 1; last != NULL && last->input_rows == 0 && last->rows_dropped == 0 && last->bad_rows == 0 &&
                            last->output_rows == 0 && back < query->progress_count && back < LT_PROGRESS_KEPT;
         back++)
        last = &query->progress[(query->progress_count - 1 - back) % LT_PROGRESS_KEPT];
    // Rows that a filter at the reader rejects are no input rows.
    const uint64_t filtered = query->reports == NULL ? 0 : rows_filtered_out(query, query->plan.root);
    bool           has_rows =
        filtered > 0 || (last != NULL && (last->input_rows > 0 || last->bad_rows > 0 || last->output_rows > 0));
    has_rows &= last != NULL && query->batches_run > 0;
    if (has_rows) return reason_of_running(query, last, filtered, arena);
    return query->plan.source_count > 0 && query->source_names.bytes > 0
               ? lt_arena_format(arena, "no input yet from %s", query->source_names.data)
               : "no input yet";
}

static leat_status queries_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_standing *query = session->standing; status == LEAT_OK && query != NULL; query = query->next) {
        if (query->changes != NULL) continue;
        status = put_text(&out, query->entry->name, err);
        if (status == LEAT_OK) status = put_text(&out, query->query_id, err);
        if (status == LEAT_OK) status = put_text(&out, query->run_id[0] == '\0' ? NULL : query->run_id, err);
        if (status == LEAT_OK) status = put_text(&out, lt_query_state_name(query->state), err);
        if (status == LEAT_OK) status = put_text(&out, lt_output_mode_name(query->use.mode), err);
        if (status == LEAT_OK) status = put_int64(&out, query->batch_id - 1, err);
        if (status == LEAT_OK)
            status = put_text(&out, query->state == LEAT_QUERY_FAILED ? query->error.message : NULL, err);
        if (status == LEAT_OK)
            status = put_text(
                &out, query->state == LEAT_QUERY_FAILED ? lt_condition_name(query->error.condition) : NULL, err);
        if (status == LEAT_OK) status = put_text(&out, reason_of(query, &out.arena), err);
        if (status == LEAT_OK) status = put_text(&out, query->plan.canonical_sql, err);
        if (status == LEAT_OK) status = put_text(&out, query->is_sink ? "SINK" : "MATERIALIZED VIEW", err);
        if (status == LEAT_OK) status = put_text(&out, trigger_name(query->trigger), err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

// Whether the statement reads the last column of the relation.
static bool is_last_read(const writer *out) {
    const lt_plan *plan = out->node->plan;
    for (uint32_t c = 0; c < plan->column_count; c++)
        if (plan->as.scan.relation_columns[c] + 1 == out->width) return true;
    return false;
}

static leat_status progress_row(writer *out, const lt_standing *query, const lt_progress *progress, leat_error *err) {
    lt_buffer json;
    LT_TRY(put_text(out, query->entry->name, err));
    LT_TRY(put_text(out, query->query_id, err));
    LT_TRY(put_int64(out, progress->timestamp_us, err));
    LT_TRY(put_int64(out, progress->batch_id, err));
    LT_TRY(put_int64(out, progress->duration_us / 1000, err));
    LT_TRY(put_int64(out, (int64_t)progress->input_rows, err));
    LT_TRY(progress->output_rows == UINT64_MAX ? put_int64(out, -1, err)
                                               : put_int64(out, (int64_t)progress->output_rows, err));
    LT_TRY(progress->has_watermark ? put_int64(out, progress->watermark_us, err) : put_null(out, err));
    LT_TRY(progress->has_event_times ? put_int64(out, progress->event_min_us, err) : put_null(out, err));
    LT_TRY(progress->has_event_times ? put_int64(out, progress->event_max_us, err) : put_null(out, err));
    LT_TRY(progress->has_event_times ? put_int64(out, progress->event_avg_us, err) : put_null(out, err));
    LT_TRY(put_int64(out, (int64_t)progress->state_rows, err));
    LT_TRY(put_int64(out, (int64_t)progress->rows_updated, err));
    LT_TRY(put_int64(out, (int64_t)progress->rows_removed, err));
    LT_TRY(put_int64(out, (int64_t)progress->rows_dropped, err));
    LT_TRY(put_int64(out, (int64_t)progress->bad_rows, err));
    lt_buffer_init(&json, out->arena.account, 0);
    const bool  wants_json = is_last_read(out);
    leat_status status     = wants_json ? lt_progress_print(query, progress, &json, err) : LEAT_OK;
    if (status == LEAT_OK) status = put_text(out, wants_json ? json.data : NULL, err);
    lt_buffer_deinit(&json);
    row_end(out);
    return status;
}

static leat_status progress_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_standing *query = session->standing; status == LEAT_OK && query != NULL; query = query->next) {
        uint32_t kept = query->progress_count < LT_PROGRESS_KEPT ? query->progress_count : LT_PROGRESS_KEPT;
        for (uint32_t i = query->progress_count - kept; status == LEAT_OK && i < query->progress_count; i++)
            status = progress_row(&out, query, &query->progress[i % LT_PROGRESS_KEPT], err);
    }
    return writer_end(&out, status, err);
}

static leat_status operator_row(writer *out, const lt_standing *query, const lt_plan *node, uint32_t depth,
                                leat_error *err) {
    const lt_operator_report  *report = &query->reports[node->id];
    const lt_node_counts      *total = &report->total, *last = &report->last;
    const bool                 has_watermark = report->has_run && report->watermark_us != INT64_MIN;
    const lt_watermark_report *holder        = has_watermark ? &query->watermark_reports[report->holder] : NULL;
    const char *held_by = holder == NULL ? NULL : lt_arena_format(&out->arena, "%s.%s", holder->stream, holder->column);
    const uint64_t numbers[]  = {total->rows_in, total->rows_out,           last->rows_in,
                                 last->rows_out, (uint64_t)total->spent_us, (uint64_t)last->spent_us};
    const uint64_t of_state[] = {report->size.rows,  report->size.bytes,  last->rows_updated,
                                 last->rows_removed, total->rows_dropped, last->rows_dropped};
    lt_buffer      detail;
    lt_buffer_init(&detail, out->arena.account, 0);
    leat_status status = lt_plan_node_print(node, &out->arena, &detail, err);
    if (status == LEAT_OK) status = put_text(out, query->entry->name, err);
    if (status == LEAT_OK) status = put_int64(out, node->id, err);
    if (status == LEAT_OK) status = put_int64(out, depth, err);
    if (status == LEAT_OK) status = put_text(out, lt_plan_kind_name(node->kind), err);
    if (status == LEAT_OK) status = put_text(out, detail.data, err);
    lt_buffer_deinit(&detail);
    for (size_t i = 0; status == LEAT_OK && i < sizeof numbers / sizeof numbers[0]; i++)
        status = report->has_run ? put_int64(out, (int64_t)numbers[i], err) : put_null(out, err);
    if (status == LEAT_OK) status = put_text(out, report->state_name, err);
    for (size_t i = 0; status == LEAT_OK && i < sizeof of_state / sizeof of_state[0]; i++)
        status = report->state_name != NULL ? put_int64(out, (int64_t)of_state[i], err) : put_null(out, err);
    if (status == LEAT_OK) status = has_watermark ? put_int64(out, report->watermark_us, err) : put_null(out, err);
    if (status == LEAT_OK) status = put_text(out, held_by, err);
    if (status == LEAT_OK) status = has_watermark ? put_int64(out, holder->moved_us, err) : put_null(out, err);
    row_end(out);
    for (uint32_t i = 0; status == LEAT_OK && i < node->input_count; i++)
        status = operator_row(out, query, node->inputs[i], depth + 1, err);
    return status;
}

static leat_status operators_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_standing *query = session->standing; status == LEAT_OK && query != NULL; query = query->next)
        if (query->changes == NULL && query->reports != NULL)
            status = operator_row(&out, query, query->plan.root, 0, err);
    return writer_end(&out, status, err);
}

static leat_status streams_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_catalog_entry *entry = session->catalog.entries; status == LEAT_OK && entry != NULL;
         entry                         = entry->next) {
        if (entry->kind != LT_RELATION_STREAM) continue;
        const lt_stream *stream = entry->object;
        status                  = put_text(&out, entry->name, err);
        if (status == LEAT_OK) status = put_text(&out, stream->connector->name, err);
        if (status == LEAT_OK) status = put_text(&out, stream->format == NULL ? NULL : stream->format->name, err);
        if (status == LEAT_OK) status = put_text(&out, lt_option_given(&stream->options, "path"), err);
        if (status == LEAT_OK) status = put_int64(&out, entry->column_count, err);
        const lt_catalog_column *rows =
            entry->changes.kind == LT_CHANGES_NONE ? entry->columns : entry->changes.columns;
        if (status == LEAT_OK)
            status = put_text(&out, entry->event_time_column < 0 ? NULL : rows[entry->event_time_column].name, err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

static leat_status bad_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (uint32_t i = 0; status == LEAT_OK && i < session->bad_rows.count; i++) {
        const lt_bad_row_entry *row = session->bad_rows.rows[(session->bad_rows.first + i) % LT_KEPT_ROWS_MAX];
        status                      = put_text(&out, row->stream, err);
        if (status == LEAT_OK) status = put_int64(&out, row->batch_id, err);
        if (status == LEAT_OK) status = put_text(&out, row->path, err);
        if (status == LEAT_OK) status = put_int64(&out, (int64_t)row->line, err);
        if (status == LEAT_OK) status = put_text(&out, row->column, err);
        if (status == LEAT_OK) status = put_text(&out, row->reason, err);
        if (status == LEAT_OK) status = put_text(&out, row->record, err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

static leat_status late_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (uint32_t i = 0; status == LEAT_OK && i < session->late_rows.count; i++) {
        const lt_late_row_entry *row = session->late_rows.rows[(session->late_rows.first + i) % LT_KEPT_ROWS_MAX];
        status                       = put_text(&out, row->query, err);
        if (status == LEAT_OK) status = put_int64(&out, row->batch_id, err);
        if (status == LEAT_OK) status = put_text(&out, row->operator_name, err);
        if (status == LEAT_OK) status = put_int64(&out, row->watermark_us, err);
        if (status == LEAT_OK) status = put_text(&out, row->row, err);
        if (status == LEAT_OK) status = put_text(&out, row->reason, err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

static leat_status options_of(writer *out, const char *owner, const lt_option *row, leat_error *err) {
    for (; row != NULL && row->name != NULL; row++) {
        LT_TRY(put_text(out, owner, err));
        LT_TRY(put_text(out, row->name, err));
        LT_TRY(put_text(out, row->words, err));
        LT_TRY(put_text(out, row->initial, err));
        LT_TRY(put_text(out, row->summary, err));
        row_end(out);
    }
    return LEAT_OK;
}

static leat_status options_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    (void)session;
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_connector *const *row = lt_connector_registry; status == LEAT_OK && *row != NULL; row++)
        status = options_of(&out, (*row)->name, (*row)->options, err);
    for (const lt_format *const *row = lt_format_registry; status == LEAT_OK && *row != NULL; row++)
        status = options_of(&out, (*row)->name, (*row)->options, err);
    if (status == LEAT_OK) status = options_of(&out, "query", lt_standing_options, err);
    return writer_end(&out, status, err);
}

static const char *relation_kind(const lt_catalog_entry *entry) {
    static const char *const names[] = {[LT_RELATION_STREAM] = "STREAM",           [LT_RELATION_FILE_TABLE] = "TABLE",
                                        [LT_RELATION_MEMORY_TABLE] = "TABLE",      [LT_RELATION_VIEW] = "VIEW",
                                        [LT_RELATION_QUERY] = "MATERIALIZED VIEW", [LT_RELATION_SINK] = "SINK",
                                        [LT_RELATION_SYSTEM] = "SYSTEM TABLE"};
    return names[entry->kind];
}

static leat_status relations_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_catalog_entry *entry = session->catalog.entries; status == LEAT_OK && entry != NULL;
         entry                         = entry->next) {
        const lt_system_table *system = entry->kind == LT_RELATION_SYSTEM ? entry->system : NULL;
        status                        = put_text(&out, entry->name, err);
        if (status == LEAT_OK) status = put_text(&out, relation_kind(entry), err);
        if (status == LEAT_OK) status = put_int64(&out, entry->column_count, err);
        if (status == LEAT_OK) status = put_text(&out, system == NULL ? NULL : system->summary, err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

static leat_status connectors_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    (void)session;
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (const lt_connector *const *row = lt_connector_registry; status == LEAT_OK && *row != NULL; row++) {
        status = put_text(&out, (*row)->name, err);
        if (status == LEAT_OK) status = put_text(&out, (*row)->source != NULL ? "yes" : "no", err);
        if (status == LEAT_OK) status = put_text(&out, (*row)->sink != NULL ? "yes" : "no", err);
        if (status == LEAT_OK) status = put_text(&out, (*row)->summary, err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

static leat_status conditions_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    (void)session;
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (uint32_t c = LT_CONDITION_NONE + 1; status == LEAT_OK && c < LT_CONDITION_COUNT; c++) {
        status = put_text(&out, lt_condition_name((lt_condition)c), err);
        if (status == LEAT_OK) status = put_text(&out, lt_condition_sqlstate((lt_condition)c), err);
        if (status == LEAT_OK) status = put_text(&out, lt_condition_meaning((lt_condition)c), err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

static const lt_system_table system_tables[] = {
    {"leat_queries",
     "name STRING, id STRING, runId STRING, state STRING, outputMode STRING, batchId BIGINT, error STRING, condition "
     "STRING, reason STRING, sql STRING, kind STRING, trigger STRING",
     queries_rows, "standing queries and what they wait for"},
    {"leat_progress",
     "name STRING, id STRING, timestamp TIMESTAMP, batchId BIGINT, batchDuration BIGINT, numInputRows BIGINT, "
     "numOutputRows BIGINT, watermark TIMESTAMP, "
     "eventTimeMin TIMESTAMP, eventTimeMax TIMESTAMP, eventTimeAvg TIMESTAMP, numRowsTotal BIGINT, numRowsUpdated "
     "BIGINT, numRowsRemoved BIGINT, "
     "numRowsDroppedByWatermark BIGINT, numBadRows BIGINT, json STRING",
     progress_rows, "the last batches of every standing query, under Spark's names"},
    {"leat_operators",
     "name STRING, id BIGINT, depth BIGINT, operator STRING, detail STRING, rowsIn BIGINT, rowsOut BIGINT, lastRowsIn "
     "BIGINT, lastRowsOut BIGINT, timeUs BIGINT, lastTimeUs BIGINT, operatorName STRING, numRowsTotal BIGINT, "
     "memoryUsedBytes BIGINT, numRowsUpdated BIGINT, numRowsRemoved BIGINT, numRowsLate BIGINT, "
     "numRowsDroppedByWatermark BIGINT, watermark TIMESTAMP, heldBy STRING, heldSince TIMESTAMP",
     operators_rows, "what each operator of the standing queries did since the start and in its last batch"},
    {"leat_streams", "name STRING, connector STRING, format STRING, path STRING, columns BIGINT, eventTime STRING",
     streams_rows, "declared streams"},
    {"leat_bad_rows",
     "stream STRING, batchId BIGINT, file STRING, line BIGINT, column STRING, reason STRING, record STRING", bad_rows,
     "records that could not be read, the newest 10,000"},
    {"leat_late_rows", "query STRING, batchId BIGINT, operator STRING, watermark TIMESTAMP, row STRING, reason STRING",
     late_rows, "rows left out because of their time, late or from the far future, the newest 10,000"},
    {"leat_options", "owner STRING, name STRING, words STRING, initial STRING, summary STRING", options_rows,
     "options of connectors, formats and standing queries"},
    {"leat_relations", "name STRING, kind STRING, columns BIGINT, summary STRING", relations_rows,
     "streams, tables, views, queries and these tables"},
    {"leat_conditions", "name STRING, sqlstate STRING, meaning STRING", conditions_rows,
     "what an error can be, under Spark's names where Spark has one"},
    {"leat_connectors", "name STRING, source STRING, sink STRING, summary STRING", connectors_rows, "connectors"},
};

// Names and types of "name STRING, batchId BIGINT".
static leat_status columns_of(const lt_system_table *table, lt_arena *arena, lt_catalog_entry *entry, leat_error *err) {
    lt_catalog_column *columns;
    uint32_t           count = 1;
    for (const char *c = table->columns; *c != '\0'; c++) count += *c == ',';
    LT_TRY_NEW_ARRAY(columns, arena, count, err);
    const char *at = table->columns;
    for (uint32_t c = 0; c < count; c++) {
        size_t      name_bytes = strcspn(at, " "), type_bytes = strcspn(at + name_bytes + 1, ",");
        const char *type = at + name_bytes + 1;
        lt_kind     kind = strncmp(type, "BIGINT", 6) == 0      ? LT_BIGINT
                           : strncmp(type, "TIMESTAMP", 9) == 0 ? LT_TIMESTAMP
                           : strncmp(type, "BOOLEAN", 7) == 0   ? LT_BOOLEAN
                                                                : LT_STRING;
        columns[c]       = (lt_catalog_column){.name = lt_arena_text(arena, at, name_bytes), .type = lt_type_of(kind)};
        if (columns[c].name == NULL) return lt_raise_no_memory(err);
        at = type + type_bytes + (type[type_bytes] == ',' ? 2 : 0);
    }
    entry->columns           = columns;
    entry->column_count      = count;
    entry->event_time_column = -1;
    entry->system            = table;
    return LEAT_OK;
}

leat_status lt_system_tables_register(leat_session *session, leat_error *err) {
    for (size_t i = 0; i < sizeof system_tables / sizeof system_tables[0]; i++) {
        lt_catalog_entry *entry = lt_catalog_add(&session->catalog, LT_RELATION_SYSTEM, system_tables[i].name);
        if (entry == NULL) return lt_raise_no_memory(err);
        LT_TRY(columns_of(&system_tables[i], &entry->arena, entry, err));
    }
    return LEAT_OK;
}

static leat_status checkpoint_row(void *user, const lt_checkpoint_row *row, leat_error *err) {
    writer *out  = user;
    char   *text = lt_arena_text(&out->arena, row->text == NULL ? "" : row->text, row->text_bytes);
    if (text == NULL) return lt_raise_no_memory(err);
    LT_TRY(put_text(out, row->kind, err));
    LT_TRY(put_int64(out, (int64_t)row->sequence, err));
    LT_TRY(row->batch_id < 0 ? put_null(out, err) : put_int64(out, row->batch_id, err));
    LT_TRY(put_text(out, text, err));
    row_end(out);
    return LEAT_OK;
}

static leat_status checkpoint_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    if (status == LEAT_OK)
        status = lt_checkpoint_describe(&session->fs, node->plan->as.scan.relation->sql, &session->account,
                                        checkpoint_row, &out, err);
    return writer_end(&out, status, err);
}

static leat_status keywords_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    (void)session;
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (size_t i = 0; status == LEAT_OK && i < lt_keyword_count(); i++) {
        status = put_text(&out, lt_keyword_at(i)->text, err);
        if (status == LEAT_OK) status = put_boolean(&out, false, err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

// Spark lists those of ICU too; here texts compare by their bytes.
static const char *const collations[][9] = {
    {"SYSTEM", "BUILTIN", "UTF8_BINARY", NULL, NULL, "ACCENT_SENSITIVE", "CASE_SENSITIVE", "NO_PAD", NULL},
};

static leat_status collations_rows(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err) {
    (void)session;
    writer      out;
    leat_status status = writer_begin(&out, node, batch, err);
    for (size_t i = 0; status == LEAT_OK && i < sizeof collations / sizeof collations[0]; i++) {
        for (size_t c = 0; status == LEAT_OK && c < 9; c++) status = put_text(&out, collations[i][c], err);
        row_end(&out);
    }
    return writer_end(&out, status, err);
}

leat_status lt_show_collations(leat_statement *statement, bool (*is_wanted)(const leat_statement *, const char *),
                               leat_error     *err) {
    static const char *const columns[] = {"COLLATION_CATALOG", "COLLATION_SCHEMA", "COLLATION_NAME",
                                          "LANGUAGE",          "COUNTRY",          "ACCENT_SENSITIVITY",
                                          "CASE_SENSITIVITY",  "PAD_ATTRIBUTE",    "ICU_VERSION"};
    LT_TRY(lt_statement_text_columns(statement, columns, 9, err));
    for (size_t i = 0; i < sizeof collations / sizeof collations[0]; i++)
        if (is_wanted(statement, collations[i][2])) LT_TRY(lt_statement_text_row(statement, collations[i], err));
    return LEAT_OK;
}

typedef struct system_function {
    lt_system_table table;
    bool            takes_text;
} system_function;

static const system_function system_functions[] = {
    {{"leat_checkpoint", "kind STRING, sequence BIGINT, batchId BIGINT, text STRING", checkpoint_rows,
      "the records of a checkpoint folder, in order"},
     true},
    {{"sql_keywords", "keyword STRING, reserved BOOLEAN", keywords_rows, "the words of the grammar; none is reserved"},
     false},
    {{"collations",
      "CATALOG STRING, SCHEMA STRING, NAME STRING, LANGUAGE STRING, COUNTRY STRING, ACCENT_SENSITIVITY STRING, "
      "CASE_SENSITIVITY STRING, PAD_ATTRIBUTE STRING, ICU_VERSION STRING",
      collations_rows, "how texts compare"},
     false},
};

leat_status lt_system_function_open(const char *name, const char *argument, lt_arena *arena,
                                    const lt_catalog_entry **out, leat_error *err) {
    *out = NULL;
    for (size_t i = 0; i < sizeof system_functions / sizeof system_functions[0]; i++) {
        lt_catalog_entry      *entry;
        const lt_system_table *table = &system_functions[i].table;
        if (lt_ascii_compare(table->name, name) != 0 || system_functions[i].takes_text != (argument != NULL)) continue;
        LT_TRY_NEW(entry, arena, err);
        *entry = (lt_catalog_entry){.kind = LT_RELATION_SYSTEM, .name = table->name, .sql = argument};
        LT_TRY(columns_of(table, arena, entry, err));
        *out = entry;
    }
    return LEAT_OK;
}
