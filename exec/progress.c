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

static leat_status offset_text(const char *offset, lt_buffer *out, leat_error *err) {
    return offset == NULL ? lt_buffer_append_text(out, "null", err) : lt_buffer_append_text(out, offset, err);
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

static leat_status sources_print(lt_standing *query, const lt_progress *progress, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_text(out, "[", err));
    for (uint32_t i = 0; query->sources != NULL && i < query->plan.source_count; i++) {
        lt_source *source = &query->sources[i];
        lt_buffer  description;
        lt_buffer_init(&description, &query->account, 0);
        leat_status status = source->stream->connector->source->describe != NULL
                                 ? source->stream->connector->source->describe(source->state, &description, err)
                                 : lt_buffer_append_text(&description, source->stream->connector->name, err);
        if (status == LEAT_OK)
            status = lt_buffer_append_text(out, i > 0 ? ",{\"description\":" : "{\"description\":", err);
        if (status == LEAT_OK) status = lt_json_write_string(description.data, description.bytes, out, err);
        lt_buffer_deinit(&description);
        LT_TRY(status);
        LT_TRY(lt_buffer_append_text(out, ",\"startOffset\":", err));
        LT_TRY(offset_text(source->range.start, out, err));
        LT_TRY(lt_buffer_append_text(out, ",\"endOffset\":", err));
        LT_TRY(offset_text(source->range.end, out, err));
        LT_TRY(lt_buffer_format(out, err, ",\"latestOffset\":null,\"numInputRows\":%llu,\"inputRowsPerSecond\":",
                                (unsigned long long)(progress->is_idle ? 0 : source->batch_rows)));
        LT_TRY(
            append_rate(out, progress->since_last_us > 0 ? rate(source->batch_rows, progress->since_last_us) : 0, err));
        LT_TRY(lt_buffer_append_text(out, ",\"processedRowsPerSecond\":", err));
        LT_TRY(append_rate(out, progress->is_idle ? 0 : rate(source->batch_rows, progress->duration_us), err));
        LT_TRY(lt_buffer_append_text(out, "}", err));
    }
    return lt_buffer_append_text(out, "]", err);
}

leat_status lt_progress_note(lt_standing *query, const lt_progress *progress, leat_error *err) {
    lt_progress *slot = &query->progress[query->progress_count % LT_PROGRESS_KEPT];
    lt_buffer    text;
    lt_buffer_init(&text, &query->account, 0);
    leat_status status = sources_print(query, progress, &text, err);
    char *copy = status == LEAT_OK ? lt_account_reallocate(&query->account, NULL, 0, strlen(text.data) + 1) : NULL;
    if (copy != NULL) memcpy(copy, text.data, strlen(text.data) + 1);
    lt_buffer_deinit(&text);
    LT_TRY(status);
    if (slot->sources_json != NULL)
        lt_account_reallocate(&query->account, slot->sources_json, strlen(slot->sources_json) + 1, 0);
    *slot              = *progress;
    slot->sources_json = copy;
    query->progress_count++;
    return LEAT_OK;
}

// yyyy-MM-dd'T'HH:mm:ss.SSS'Z'
static leat_status append_instant(lt_buffer *out, int64_t us, leat_error *err) {
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
        LT_TRY(append_instant(out, progress->event_avg_us, err));
        LT_TRY(lt_buffer_append_text(out, "\",\"max\":\"", err));
        LT_TRY(append_instant(out, progress->event_max_us, err));
        LT_TRY(lt_buffer_append_text(out, "\",\"min\":\"", err));
        LT_TRY(append_instant(out, progress->event_min_us, err));
        LT_TRY(lt_buffer_append_text(out, "\",", err));
    }
    LT_TRY(lt_buffer_append_text(out, "\"watermark\":\"", err));
    LT_TRY(append_instant(out, progress->watermark_us, err));
    return lt_buffer_append_text(out, "\"},", err);
}

static leat_status append_state(const lt_standing *query, const lt_progress *progress, lt_buffer *out,
                                leat_error *err) {
    LT_TRY(lt_buffer_append_text(out, "\"stateOperators\":[", err));
    if (progress->has_state) {
        const char *name = "stateStoreSave";
        for (uint32_t id = 0; query->is_open && id < query->plan.node_count; id++) {
            const lt_node *node = query->pipeline.nodes[id];
            if (node != NULL && node->kind->state_name != NULL && node->kind->size != NULL)
                name = node->kind->state_name;
        }
        LT_TRY(lt_buffer_format(
            out, err,
            "{\"operatorName\":\"%s\",\"numRowsTotal\":%llu,\"numRowsUpdated\":%llu,\"allUpdatesTimeMs\":%lld,"
            "\"numRowsRemoved\":%llu,"
            "\"allRemovalsTimeMs\":0,\"commitTimeMs\":%lld,\"memoryUsedBytes\":%llu,\"numRowsDroppedByWatermark\":%llu,"
            "\"numShufflePartitions\":1,\"numStateStoreInstances\":1}",
            name, (unsigned long long)progress->state_rows, (unsigned long long)progress->rows_updated,
            (long long)(progress->run_us / 1000), (unsigned long long)progress->rows_removed,
            (long long)(progress->commit_us / 1000), (unsigned long long)progress->state_bytes,
            (unsigned long long)progress->rows_dropped));
    }
    return lt_buffer_append_text(out, "],", err);
}

leat_status lt_progress_print(const lt_standing *query, const lt_progress *progress, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_text(out, "{", err));
    LT_TRY(append_text_field(out, "id", query->query_id, err));
    LT_TRY(append_text_field(out, "runId", query->run_id, err));
    LT_TRY(append_text_field(out, "name", query->entry->name, err));
    LT_TRY(lt_buffer_append_text(out, "\"timestamp\":\"", err));
    LT_TRY(append_instant(out, progress->timestamp_us, err));
    LT_TRY(lt_buffer_format(out, err,
                            "\",\"batchId\":%lld,\"batchDuration\":%lld,\"numInputRows\":%llu,\"inputRowsPerSecond\":",
                            (long long)progress->batch_id, (long long)(progress->duration_us / 1000),
                            (unsigned long long)progress->input_rows));
    LT_TRY(
        append_rate(out, progress->since_last_us > 0 ? rate(progress->input_rows, progress->since_last_us) : 0, err));
    LT_TRY(lt_buffer_append_text(out, ",\"processedRowsPerSecond\":", err));
    LT_TRY(append_rate(out, progress->is_idle ? 0 : rate(progress->input_rows, progress->duration_us), err));
    LT_TRY(lt_buffer_format(
        out, err,
        ",\"durationMs\":{\"addBatch\":%lld,\"commitOffsets\":%lld,\"latestOffset\":%lld,\"triggerExecution\":%lld},",
        (long long)(progress->run_us / 1000), (long long)(progress->commit_us / 1000),
        (long long)(progress->plan_us / 1000), (long long)(progress->duration_us / 1000)));
    LT_TRY(append_event_time(progress, out, err));
    LT_TRY(append_state(query, progress, out, err));
    LT_TRY(lt_buffer_format(out, err, "\"sources\":%s,\"sink\":{\"description\":\"%s\",\"numOutputRows\":",
                            progress->sources_json == NULL ? "[]" : progress->sources_json,
                            query->sink_connector == NULL ? "MemorySink" : query->sink_connector->name));
    if (progress->output_rows == UINT64_MAX) return lt_buffer_append_text(out, "-1}}", err);
    return lt_buffer_format(out, err, "%llu}}", (unsigned long long)progress->output_rows);
}
