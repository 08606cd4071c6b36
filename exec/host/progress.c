#include "exec/session.h"

#include "base/date.h"
#include "base/json_writer.h"

#include <stdio.h>

// progress: what each batch did, under the names of Spark's StreamingQueryProgress. Kept as numbers; text is made when
// asked for.

const lt_progress *lt_progress_last(const lt_standing *query) {
    return query->progress_count == 0 ? NULL : &query->progress[(query->progress_count - 1) % LT_PROGRESS_KEPT];
}

const char *lt_query_state_name(leat_query_state state) {
    static const char *const names[] = {"READY", "RUNNING", "STOPPED", "ENDED", "FAILED"};
    return names[state];
}

static double rate(uint64_t rows, int64_t duration_us) {
    int64_t ms = duration_us / 1000 < 1 ? 1 : duration_us / 1000;
    return (double)rows * 1000.0 / (double)ms;
}

// One decimal, half up, without a locale.
static leat_status append_rate(lt_buffer *out, double value, leat_error *err) {
    uint64_t tenths = value < 0 ? 0 : (uint64_t)(value * 10 + 0.5);
    return lt_buffer_format(out, err, "%llu.%llu", (unsigned long long)(tenths / 10),
                            (unsigned long long)(tenths % 10));
}

const lt_progress *lt_progress_last_batch(const lt_standing *query) {
    const lt_progress *last = lt_progress_last(query);
    if (last == NULL || !last->is_idle || query->progress_count < 2) return last;
    return &query->progress[(query->progress_count - 2) % LT_PROGRESS_KEPT];
}

static const lt_progress_parts *parts_of(const lt_standing *query, const lt_progress *progress) {
    return &query->progress_parts[progress - query->progress];
}

static leat_status sources_print(const lt_standing *query, const lt_progress *progress, lt_buffer *out,
                                 leat_error *err) {
    const lt_buffer *kept = &parts_of(query, progress)->sources;
    lt_reader        in   = {.next = kept->data, .end = kept->data + kept->bytes};
    const char      *name = query->source_names.data;
    LT_TRY(lt_buffer_append_text(out, "[", err));
    for (bool is_first = true; in.next < in.end; is_first = false, name += strlen(name) + 1) {
        uint64_t    rows;
        const char *offsets[2];
        size_t      bytes[2];
        LT_TRY(lt_reader_u64(&in, &rows, err));
        for (int i = 0; i < 2; i++) LT_TRY(lt_reader_bytes(&in, &offsets[i], &bytes[i], err));
        LT_TRY(lt_buffer_append_text(out, is_first ? "{\"description\":" : ",{\"description\":", err));
        LT_TRY(lt_json_write_string(name, strlen(name), out, err));
        for (int i = 0; i < 2; i++) {
            LT_TRY(lt_buffer_append_text(out, i == 0 ? ",\"startOffset\":" : ",\"endOffset\":", err));
            LT_TRY(bytes[i] == 0 ? lt_buffer_append_text(out, "null", err)
                                 : lt_buffer_append(out, offsets[i], bytes[i], err));
        }
        LT_TRY(lt_buffer_format(out, err, ",\"latestOffset\":null,\"numInputRows\":%llu,\"inputRowsPerSecond\":",
                                (unsigned long long)rows));
        LT_TRY(append_rate(out, progress->since_last_us > 0 ? rate(rows, progress->since_last_us) : 0, err));
        LT_TRY(lt_buffer_append_text(out, ",\"processedRowsPerSecond\":", err));
        LT_TRY(append_rate(out, progress->is_idle ? 0 : rate(rows, progress->duration_us), err));
        LT_TRY(lt_buffer_append_text(out, "}", err));
    }
    return lt_buffer_append_text(out, "]", err);
}

static leat_status offset_keep(const char *offset, lt_buffer *out, leat_error *err) {
    return lt_buffer_append_bytes(out, offset == NULL ? "" : offset, offset == NULL ? 0 : strlen(offset), err);
}

leat_status lt_progress_note(lt_standing *query, const lt_progress *progress, leat_error *err) {
    const uint32_t place = query->progress_count % LT_PROGRESS_KEPT;
    lt_buffer     *kept  = &query->progress_parts[place].sources;
    if (kept->account == NULL) lt_buffer_init(kept, &query->account, 0);
    lt_buffer_reset(kept);
    for (uint32_t i = 0; query->sources != NULL && i < query->plan.source_count; i++) {
        const lt_source *source = &query->sources[i];
        LT_TRY(lt_buffer_append_u64(kept, progress->is_idle ? 0 : source->batch_rows, err));
        LT_TRY(offset_keep(source->range.start, kept, err));
        LT_TRY(offset_keep(source->range.end, kept, err));
    }
    query->progress[place] = *progress;
    query->progress_count++;
    return LEAT_OK;
}

enum { IDLE_TOLD_US = 10 * 1000000 }; // Spark's noDataProgressEventInterval

leat_status lt_progress_note_nothing(lt_standing *query, leat_error *err) {
    lt_progress idle = {.batch_id     = query->batch_id,
                        .timestamp_us = lt_clock_now_us(query->session->clock_used),
                        .is_idle      = true,
                        .output_rows  = UINT64_MAX};
    return lt_progress_note(query, &idle, err);
}

leat_status lt_progress_note_idle(lt_standing *query, leat_error *err) {
    const lt_progress *last   = lt_progress_last(query);
    const int64_t      now_us = lt_clock_now_us(query->session->clock_used);
    if (last == NULL) return lt_progress_note_nothing(query, err); // since the start: at once
    if (now_us - last->timestamp_us < IDLE_TOLD_US) return LEAT_OK;
    const uint32_t from = (query->progress_count - 1) % LT_PROGRESS_KEPT;
    lt_progress    idle = {.batch_id      = query->batch_id,
                           .timestamp_us  = now_us,
                           .is_idle       = true,
                           .output_rows   = UINT64_MAX,
                           .has_state     = last->has_state,
                           .state_rows    = last->state_rows,
                           .state_bytes   = last->state_bytes,
                           .has_watermark = last->has_watermark,
                           .watermark_us  = last->watermark_us};
    if (last->is_idle) query->progress_count--;
    const uint32_t        place     = query->progress_count % LT_PROGRESS_KEPT;
    lt_operator_progress *operators = query->progress_parts[place].operators;
    for (uint32_t i = 0; i < query->progress_operators; i++) {
        operators[i]        = query->progress_parts[from].operators[i];
        operators[i].counts = (lt_node_counts){0};
    }
    return lt_progress_note(query, &idle, err);
}

// ----------------------------------------------------------------------------------------------------------- operators

static void watermarks_name(const lt_plan *node, lt_watermark_report *reports) {
    for (uint32_t i = 0; i < node->input_count; i++) watermarks_name(node->inputs[i], reports);
    if (node->kind != LT_PLAN_WATERMARK) return;
    const lt_plan       *scan   = node->inputs[0];
    lt_watermark_report *report = &reports[node->as.watermark.watermark];
    while (scan->input_count > 0) scan = scan->inputs[0];
    report->column = node->columns[node->as.watermark.column].name;
    report->stream =
        (scan->kind == LT_PLAN_STREAM_SCAN || scan->kind == LT_PLAN_TABLE_SCAN) && scan->as.scan.relation != NULL
            ? scan->as.scan.relation->name
            : "?";
}

static const char *state_name_of(const lt_node *node) {
    return node->plan->kind == LT_PLAN_DEDUPLICATE && node->plan->as.deduplicate.is_within_watermark
               ? "dedupeWithinWatermark"
               : node->kind->state_name;
}

static leat_status describe(const lt_standing *query, lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < query->plan.source_count; i++) {
        const lt_source    *source    = &query->sources[i];
        const lt_connector *connector = source->stream->connector;
        LT_TRY(connector->source->describe != NULL ? connector->source->describe(source->state, out, err)
                                                   : lt_buffer_append_text(out, connector->name, err));
        LT_TRY(lt_buffer_append_byte(out, '\0', err));
    }
    if (query->sink_connector == NULL) return lt_buffer_append_text(out, "MemorySink", err);
    return query->sink_connector->sink->describe != NULL
               ? query->sink_connector->sink->describe(query->sink_state, out, err)
               : lt_buffer_append_text(out, query->sink_connector->name, err);
}

leat_status lt_progress_open(lt_standing *query, leat_error *err) {
    const lt_query_plan *plan = &query->plan;
    lt_buffer_reset(&query->source_names);
    leat_status status = describe(query, &query->source_names, err);
    if (status != LEAT_OK) query->progress_count = 0; // they have lost the names of their sources
    LT_TRY(status);
    if (query->reports == NULL) {
        LT_TRY_NEW_ARRAY(query->watermark_reports, &query->arena, plan->watermark_count + 1u, err);
        watermarks_name(plan->root, query->watermark_reports);
        LT_TRY_NEW_ARRAY(query->reports, &query->arena, plan->node_count + 1u, err);
    }
    for (uint32_t w = 0; w < plan->watermark_count; w++)
        query->watermark_reports[w].close_us = query->watermark_reports[w].moved_us = INT64_MIN;
    query->progress_operators = 0;
    for (uint32_t id = 0; id < plan->node_count; id++) {
        const lt_node *node = query->pipeline.nodes[id];
        query->reports[id] =
            (lt_operator_report){.watermark_us = INT64_MIN, .state_name = node == NULL ? NULL : state_name_of(node)};
        query->progress_operators += node != NULL && node->kind->state_name != NULL && node->kind->size != NULL;
    }
    for (uint32_t i = 0; i < LT_PROGRESS_KEPT; i++)
        if (query->progress_parts[i].operators == NULL)
            LT_TRY_NEW_ARRAY(query->progress_parts[i].operators, &query->arena, query->progress_operators + 1u, err);
    return LEAT_OK;
}

void lt_progress_deinit(lt_standing *query) {
    for (uint32_t i = 0; i < LT_PROGRESS_KEPT; i++)
        if (query->progress_parts[i].sources.account != NULL) lt_buffer_deinit(&query->progress_parts[i].sources);
    lt_buffer_deinit(&query->source_names);
}

static lt_node_counts counts_since(const lt_node_counts *now, const lt_node_counts *before) {
    return (lt_node_counts){.rows_in      = now->rows_in - before->rows_in,
                            .rows_out     = now->rows_out - before->rows_out,
                            .rows_updated = now->rows_updated - before->rows_updated,
                            .rows_removed = now->rows_removed - before->rows_removed,
                            .rows_dropped = now->rows_dropped - before->rows_dropped,
                            .spent_us     = now->spent_us - before->spent_us,
                            .save_us      = now->save_us - before->save_us};
}

// Where the definitions below a node stand together, whether or not late rows matter to the query.
static void watermark_find(const lt_standing *query, const lt_node *node, const lt_batch *batch,
                           lt_operator_report *report) {
    report->watermark_us = INT64_MIN;
    for (uint32_t w = 0; w < query->plan.watermark_count && w < 64; w++) {
        const int64_t close_us = query->watermarks[w].close_us;
        if (((node->watermark_mask >> w) & 1) == 0) continue;
        // An idle one follows the others and holds nothing.
        const bool is_busier = close_us == report->watermark_us && query->watermarks[report->holder].is_idle;
        if (report->watermark_us != INT64_MIN && !is_busier &&
            !(batch->is_max_policy ? close_us > report->watermark_us : close_us < report->watermark_us))
            continue;
        report->watermark_us = close_us;
        report->holder       = w;
    }
}

static void report_fill(lt_standing *query, const lt_node *node, const lt_batch *batch, lt_operator_report *report) {
    *report = (lt_operator_report){.has_run    = true,
                                   .total      = node->counts,
                                   .last       = counts_since(&node->counts, &node->counts_before),
                                   .state_name = state_name_of(node)};
    if (node->kind->size != NULL) report->size = node->kind->size(node);
    watermark_find(query, node, batch, report);
}

void lt_progress_operators(lt_standing *query, const lt_batch *batch, lt_progress *progress) {
    lt_operator_progress *next = query->progress_parts[query->progress_count % LT_PROGRESS_KEPT].operators;
    for (uint32_t w = 0; w < query->plan.watermark_count; w++) {
        lt_watermark_report *mark = &query->watermark_reports[w];
        if (mark->moved_us == INT64_MIN || mark->close_us != query->watermarks[w].close_us)
            mark->moved_us = progress->timestamp_us;
        mark->close_us = query->watermarks[w].close_us;
    }
    for (uint32_t id = 0; id < query->plan.node_count; id++) {
        const lt_node      *node   = query->pipeline.nodes[id];
        lt_operator_report *report = &query->reports[id];
        if (node == NULL) continue;
        report_fill(query, node, batch, report);
        if (report->state_name == NULL || node->kind->size == NULL) continue;
        *next++             = (lt_operator_progress){.id = id, .counts = report->last, .size = report->size};
        progress->has_state = true;
        progress->state_rows += report->size.rows;
        progress->state_bytes += report->size.bytes;
    }
}

leat_status lt_progress_instant_append(lt_buffer *out, int64_t us, leat_error *err) {
    int64_t       days = lt_floor_div(us, LT_US_PER_DAY), rest = us - days * LT_US_PER_DAY;
    lt_civil_date date = lt_civil_from_days(days);
    int64_t       ms   = rest / 1000;
    return lt_buffer_format(out, err, "%04lld-%02d-%02dT%02d:%02d:%02d.%03dZ", (long long)date.year, (int)date.month,
                            (int)date.day, (int)(ms / 3600000), (int)(ms / 60000 % 60), (int)(ms / 1000 % 60),
                            (int)(ms % 1000));
}

static leat_status append_text_field(lt_buffer *out, const char *name, const char *value, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "\"%s\":", name));
    LT_TRY(value == NULL ? lt_buffer_append_text(out, "null", err)
                         : lt_json_write_string(value, strlen(value), out, err));
    return lt_buffer_append_text(out, ",", err);
}

static leat_status append_event_time(const lt_progress *progress, lt_buffer *out, leat_error *err) {
    if (!progress->has_watermark) return LEAT_OK;
    LT_TRY(lt_buffer_append_text(out, "\"eventTime\":{", err));
    if (progress->has_event_times) {
        LT_TRY(lt_buffer_append_text(out, "\"avg\":\"", err));
        LT_TRY(lt_progress_instant_append(out, progress->event_avg_us, err));
        LT_TRY(lt_buffer_append_text(out, "\",\"max\":\"", err));
        LT_TRY(lt_progress_instant_append(out, progress->event_max_us, err));
        LT_TRY(lt_buffer_append_text(out, "\",\"min\":\"", err));
        LT_TRY(lt_progress_instant_append(out, progress->event_min_us, err));
        LT_TRY(lt_buffer_append_text(out, "\",", err));
    }
    LT_TRY(lt_buffer_append_text(out, "\"watermark\":\"", err));
    LT_TRY(lt_progress_instant_append(out, progress->watermark_us, err));
    return lt_buffer_append_text(out, "\"},", err);
}

// customMetrics and the like are left out: they tell of Spark's own store.
static leat_status append_state(const lt_standing *query, const lt_progress *progress, lt_buffer *out,
                                leat_error *err) {
    const lt_operator_progress *operators = parts_of(query, progress)->operators;
    LT_TRY(lt_buffer_append_text(out, "\"stateOperators\":[", err));
    for (uint32_t i = 0; progress->has_state && i < query->progress_operators; i++) {
        const lt_operator_progress *row = &operators[i];
        LT_TRY(lt_buffer_format(
            out, err,
            "%s{\"operatorName\":\"%s\",\"numRowsTotal\":%llu,\"numRowsUpdated\":%llu,\"allUpdatesTimeMs\":%lld,"
            "\"numRowsRemoved\":%llu,\"allRemovalsTimeMs\":0,\"commitTimeMs\":%lld,\"memoryUsedBytes\":%llu,"
            "\"numRowsDroppedByWatermark\":%llu,\"numShufflePartitions\":1,\"numStateStoreInstances\":1}",
            i > 0 ? "," : "", query->reports[row->id].state_name, (unsigned long long)row->size.rows,
            (unsigned long long)row->counts.rows_updated, (long long)(row->counts.spent_us / 1000),
            (unsigned long long)row->counts.rows_removed, (long long)(row->counts.save_us / 1000),
            (unsigned long long)row->size.bytes, (unsigned long long)row->counts.rows_dropped));
    }
    return lt_buffer_append_text(out, "],", err);
}

leat_status lt_progress_print(const lt_standing *query, const lt_progress *progress, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_text(out, "{", err));
    LT_TRY(append_text_field(out, "id", query->query_id, err));
    LT_TRY(append_text_field(out, "runId", query->run_id, err));
    LT_TRY(append_text_field(out, "name", query->entry->name, err));
    LT_TRY(lt_buffer_append_text(out, "\"timestamp\":\"", err));
    LT_TRY(lt_progress_instant_append(out, progress->timestamp_us, err));
    LT_TRY(lt_buffer_format(out, err,
                            "\",\"batchId\":%lld,\"batchDuration\":%lld,\"numInputRows\":%llu,\"inputRowsPerSecond\":",
                            (long long)progress->batch_id, (long long)(progress->duration_us / 1000),
                            (unsigned long long)progress->input_rows));
    LT_TRY(
        append_rate(out, progress->since_last_us > 0 ? rate(progress->input_rows, progress->since_last_us) : 0, err));
    LT_TRY(lt_buffer_append_text(out, ",\"processedRowsPerSecond\":", err));
    LT_TRY(append_rate(out, progress->is_idle ? 0 : rate(progress->input_rows, progress->duration_us), err));
    long long latest_ms = (progress->plan_us - progress->log_us) / 1000, whole_ms = progress->duration_us / 1000;
    LT_TRY(progress->is_idle
               ? lt_buffer_format(out, err, ",\"durationMs\":{\"latestOffset\":%lld,\"triggerExecution\":%lld},",
                                  latest_ms, whole_ms)
               : lt_buffer_format(out, err,
                                  ",\"durationMs\":{\"addBatch\":%lld,\"commitOffsets\":%lld,\"getBatch\":0,"
                                  "\"latestOffset\":%lld,\"queryPlanning\":0,\"triggerExecution\":%lld,"
                                  "\"walCommit\":%lld},",
                                  (long long)(progress->run_us / 1000), (long long)(progress->commit_us / 1000),
                                  latest_ms, whole_ms, (long long)(progress->log_us / 1000)));
    LT_TRY(append_event_time(progress, out, err));
    LT_TRY(append_state(query, progress, out, err));
    LT_TRY(lt_buffer_append_text(out, "\"sources\":", err));
    LT_TRY(sources_print(query, progress, out, err));
    const char *sink = query->source_names.data;
    for (uint32_t i = 0; i < query->plan.source_count; i++) sink += strlen(sink) + 1;
    LT_TRY(lt_buffer_append_text(out, ",\"sink\":{\"description\":", err));
    LT_TRY(lt_json_write_string(sink, strlen(sink), out, err));
    LT_TRY(lt_buffer_append_text(out, ",\"numOutputRows\":", err));
    if (progress->output_rows == UINT64_MAX) return lt_buffer_append_text(out, "-1}}", err);
    return lt_buffer_format(out, err, "%llu}}", (unsigned long long)progress->output_rows);
}
