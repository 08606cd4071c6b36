#include "exec/standing/standing.h"

#include "base/ascii.h"
#include "base/interval.h"
#include "base/json_writer.h"
#include "planner/modes.h"

#include <stdio.h>

// event_time: how the watermarks of a standing query move between its batches, and what late rows do.
//
//     rows             each definition: the largest event time of the batch less its delay, in milliseconds; never back
//     idleTimeout      a definition that is silent for that long follows those that are not
//     flushTimeout     nothing came for that long: as far as closes all that is open
//     finalWindows     the same at the end of the input
//
// Moves by the clock happen before a batch is planned, so that its offsets record holds their outcome and a batch that
// runs again after a restart finds the same watermarks. Late follows close by one batch.

// ------------------------------------------------------------------------------------------------------------- options

leat_status lt_option_interval(const lt_option_values *options, const char *name, int64_t *out_us, leat_error *err) {
    const lt_option_value *value = NULL;
    *out_us                      = 0;
    for (uint32_t i = 0; i < options->count; i++)
        if (lt_ascii_compare(options->values[i].name, name) == 0) value = &options->values[i];
    if (value == NULL || value->value == NULL) return LEAT_OK;
    if (!lt_option_duration_parse(value->value, out_us))
        LT_TRY(lt_duration_parse(value->value, strlen(value->value), &value->place, out_us, err));
    if (*out_us > 0) return LEAT_OK;
    return lt_raise(err, LT_INVALID_OPTION_VALUE, &value->place, "option `%s` is `%s`; it takes a time above zero",
                    name, value->value);
}

// Where rows are given once, a late one cannot be counted any more.
static const lt_plan *given_once(const lt_plan *node) {
    if (node->kind == LT_PLAN_AGGREGATE && node->emission == LT_EMIT_CLOSED) return node;
    if (node->kind == LT_PLAN_JOIN && node->as.join.is_of_streams && node->as.join.type != LT_JOIN_INNER &&
        node->as.join.type != LT_JOIN_SEMI)
        return node;
    if (node->kind == LT_PLAN_ASOF_JOIN && node->as.asof_join.is_of_streams) return node;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const lt_plan *found = given_once(node->inputs[i]);
        if (found != NULL) return found;
    }
    return NULL;
}

leat_status lt_standing_event_time_options(lt_standing *query, leat_error *err) {
    static const char *const  words[]  = {"drop", "keep", "fail"};
    static const lt_late_rows values[] = {LT_LATE_DROP, LT_LATE_KEEP, LT_LATE_FAIL};
    const char               *late     = lt_option_given(&query->options, "lateRows");
    const char               *final    = lt_option_given(&query->options, "finalWindows");
    const lt_output_mode      mode     = query->use.mode;
    const bool                is_net   = mode != LT_MODE_APPEND && mode != LT_MODE_UPDATE;
    bool                      is_known = late == NULL;
    LT_TRY(lt_option_interval(&query->options, "flushTimeout", &query->flush_us, err));
    query->is_final  = final != NULL && lt_ascii_compare(final, "true") == 0;
    query->late_rows = !is_net ? LT_LATE_DROP : mode == LT_MODE_COMPLETE ? LT_LATE_KEEP_NET : LT_LATE_KEEP;
    for (size_t i = 0; late != NULL && i < sizeof words / sizeof *words; i++) {
        if (lt_ascii_compare(late, words[i]) != 0) continue;
        query->late_rows = values[i];
        is_known         = true;
    }
    query->use.freezes = is_net && (query->late_rows == LT_LATE_DROP || query->late_rows == LT_LATE_FAIL);
    return is_known ? LEAT_OK
                    : lt_raise(err, LT_INVALID_OPTION_VALUE, NULL,
                               "option `lateRows` is `%s`; it takes drop, keep or fail", late);
}

leat_status lt_standing_event_time_check(const lt_standing *query, leat_error *err) {
    const lt_plan *once = given_once(query->plan.root);
    if (query->late_rows != LT_LATE_KEEP || once == NULL) return LEAT_OK;
    return lt_raise(err, LT_STREAMING_OUTPUT_MODE__UNSUPPORTED_OPERATION, &once->place,
                    "lateRows keep is not possible where output mode %s gives a row once; use changelog or no mode",
                    lt_output_mode_name(query->use.mode));
}

// --------------------------------------------------------------------------------------------------------- definitions

static void definitions_open(lt_standing *query, const lt_plan *node) {
    if (node->kind == LT_PLAN_WATERMARK) {
        lt_watermark *mark = &query->watermarks[node->as.watermark.watermark];
        mark->delay_us     = node->as.watermark.delay_us;
        mark->options      = &node->as.watermark.options;
        mark->ahead_us     = INT64_MIN;
        mark->is_final     = query->is_final || mark->options->is_final;
    }
    for (uint32_t i = 0; i < node->input_count; i++) definitions_open(query, node->inputs[i]);
}

leat_status lt_standing_event_time_open(lt_standing *query, leat_error *err) {
    LT_TRY_NEW_ARRAY(query->late_columns, &query->run_arena, query->plan.node_count * 2 + 2u, err);
    if (query->plan.watermark_count > 0) definitions_open(query, query->plan.root);
    query->pipeline.keeps_late    = query->late_rows == LT_LATE_KEEP;
    query->pipeline.is_late_below = lt_ascii_compare(lt_setting_text(query->session, "lateRowTest"), "below") == 0;
    return LEAT_OK;
}

static lt_batch watermarks_of(lt_standing *query) {
    return (lt_batch){.watermarks      = query->watermarks,
                      .watermark_count = query->plan.watermark_count,
                      .is_max_policy =
                          lt_ascii_compare(lt_setting_text(query->session, "multipleWatermarkPolicy"), "max") == 0};
}

// ---------------------------------------------------------------------------------------------------------- idle inputs

// What an operator's watermark is without its idle inputs. INT64_MIN: all are idle, or there are none.
static int64_t busy_watermark(const lt_standing *query, uint64_t mask) {
    int64_t found = INT64_MIN;
    for (uint32_t w = 0; w < query->plan.watermark_count && w < 64; w++) {
        const lt_watermark *mark = &query->watermarks[w];
        if (((mask >> w) & 1) == 0 || mark->is_idle) continue;
        if (found == INT64_MIN || mark->close_us < found) found = mark->close_us;
    }
    return found;
}

// An idle definition is lifted to the watermarks of the operators above it, so it holds none of them back, and when its
// rows come again none of them goes back.
static bool idle_lift(lt_standing *query) {
    bool has_moved = false;
    for (uint32_t w = 0; w < query->plan.watermark_count && w < 64; w++) {
        lt_watermark *mark = &query->watermarks[w];
        for (uint32_t id = 0; mark->is_idle && id < query->plan.node_count; id++) {
            const lt_node *node = query->pipeline.nodes[id];
            if (node == NULL || ((node->watermark_mask >> w) & 1) == 0) continue;
            const int64_t busy_us = busy_watermark(query, node->watermark_mask);
            if (busy_us <= mark->close_us) continue;
            mark->close_us = busy_us;
            has_moved      = true;
        }
    }
    return has_moved;
}

static bool has_input(const lt_standing *query, const lt_plan *node, uint32_t watermark, bool is_below) {
    is_below |= node->kind == LT_PLAN_WATERMARK && node->as.watermark.watermark == watermark;
    if (is_below && node->kind == LT_PLAN_STREAM_SCAN) return query->sources[node->as.scan.source].range.has_input;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (has_input(query, node->inputs[i], watermark, is_below)) return true;
    return false;
}

static bool idle_find(lt_standing *query, int64_t now_us) {
    for (uint32_t w = 0; w < query->plan.watermark_count; w++) {
        lt_watermark *mark = &query->watermarks[w];
        if (mark->active_us == 0) mark->active_us = now_us;
        if (mark->options == NULL || mark->options->idle_us == 0 || mark->is_idle) continue;
        mark->is_idle =
            now_us - mark->active_us >= mark->options->idle_us && !has_input(query, query->plan.root, w, false);
    }
    return idle_lift(query);
}

// ------------------------------------------------------------------------------------------------------------- closing

bool lt_standing_windows_close(lt_standing *query, bool takes_all) {
    const lt_batch now       = watermarks_of(query);
    bool           has_moved = false;
    if (query->pipeline.keeps_late) return false;
    for (uint32_t id = 0; id < query->plan.node_count; id++) {
        const lt_node *node = query->pipeline.nodes[id];
        if (node == NULL || node->kind->last_due_us == NULL || node->watermark_mask == 0) continue;
        const int64_t before_us = lt_node_close_us(node, &now), due_us = node->kind->last_due_us(node);
        if (due_us == INT64_MIN || due_us <= before_us) continue;
        // The first whole millisecond that is not below.
        const int64_t rest_us = due_us % 1000, up_us = rest_us > 0 ? 1000 - rest_us : -rest_us;
        int64_t       close_us;
        if (__builtin_add_overflow(due_us, up_us, &close_us)) continue;
        for (uint32_t w = 0; w < query->plan.watermark_count && w < 64; w++) {
            lt_watermark *mark = &query->watermarks[w];
            if (((node->watermark_mask >> w) & 1) == 0 || !(takes_all || mark->is_final)) continue;
            if (mark->close_us < close_us) mark->close_us = close_us;
        }
        has_moved |= lt_node_close_us(node, &now) >= due_us;
    }
    return has_moved;
}

static bool is_flush_due(const lt_standing *query, int64_t now_us) {
    int64_t active_us = INT64_MIN;
    if (query->flush_us == 0 || query->plan.watermark_count == 0) return false;
    for (uint32_t w = 0; w < query->plan.watermark_count; w++)
        if (query->watermarks[w].active_us > active_us) active_us = query->watermarks[w].active_us;
    return now_us - active_us >= query->flush_us;
}

bool lt_standing_watermarks_wait(lt_standing *query, int64_t now_us, bool is_input_due) {
    if (query->plan.watermark_count == 0) return false;
    const bool has_lifted = idle_find(query, now_us);
    if (is_input_due || !is_flush_due(query, now_us)) return has_lifted;
    const bool is_closing = lt_standing_windows_close(query, true);
    query->is_flushed     = !is_closing;
    return has_lifted || is_closing;
}

int64_t lt_standing_clock_next_us(const lt_standing *query) {
    int64_t next_us = INT64_MAX, active_us = INT64_MIN;
    for (uint32_t w = 0; query->watermarks != NULL && w < query->plan.watermark_count; w++) {
        const lt_watermark *mark = &query->watermarks[w];
        if (mark->active_us > active_us) active_us = mark->active_us;
        if (mark->options == NULL || mark->options->idle_us == 0 || mark->is_idle || mark->active_us == 0) continue;
        if (mark->active_us + mark->options->idle_us < next_us) next_us = mark->active_us + mark->options->idle_us;
    }
    if (query->flush_us > 0 && active_us > 0 && !query->is_flushed && active_us + query->flush_us < next_us)
        next_us = active_us + query->flush_us;
    return next_us;
}

void lt_standing_watermarks_advance(lt_standing *query, int64_t batch_time_us) {
    for (uint32_t w = 0; w < query->plan.watermark_count; w++) {
        lt_watermark *mark = &query->watermarks[w];
        mark->late_us      = mark->close_us;
        if (mark->rows == 0) continue;
        int64_t max_ms = mark->max_us >= 0 ? mark->max_us / 1000 : -((-mark->max_us + 999) / 1000);
        int64_t next   = max_ms * 1000 - mark->delay_us / 1000 * 1000;
        if (next > mark->close_us) mark->close_us = next;
        mark->rows        = 0;
        mark->is_idle     = false;
        mark->active_us   = batch_time_us;
        query->is_flushed = false;
    }
    (void)idle_lift(query);
}

// ----------------------------------------------------------------------------------------------------------- late rows

static bool is_far_ahead(const lt_node *node) { return node->plan->kind == LT_PLAN_WATERMARK; }

// Which columns of a node's rows are read above; as deep as the plan, which the parser bounds.
static leat_status columns_read(const lt_node *node, lt_arena *arena, bool **out, leat_error *err) {
    const lt_node *parent = node->parent;
    bool          *needed;
    if (parent == NULL || parent->plan->inputs[parent->input_count > 1 ? node->parent_input : 0] != node->plan) {
        LT_TRY_NEW_ARRAY(*out, arena, node->plan->column_count + 1u, err);
        memset(*out, true, node->plan->column_count);
        return LEAT_OK;
    }
    LT_TRY(columns_read(parent, arena, &needed, err));
    return lt_plan_input_needs(arena, parent->plan, needed, node->parent_input, out, err);
}

static bool passes_columns(const lt_plan *node) {
    return node->kind == LT_PLAN_WATERMARK || node->kind == LT_PLAN_FILTER || node->kind == LT_PLAN_ASSIGN_WINDOW ||
           node->kind == LT_PLAN_DEDUPLICATE;
}

// Columns of the rows that an operator takes, by name, without those that nobody reads, here or further down where they
// come from: they have no values.
static leat_status columns_find(lt_standing *query, const lt_node *node, uint32_t input, lt_late_columns **out,
                                leat_error *err) {
    lt_arena      *arena = &query->run_arena;
    const lt_plan *below = node->plan->inputs[input];
    bool          *needed, *read, *further;
    LT_TRY(columns_read(node, arena, &needed, err));
    LT_TRY(lt_plan_input_needs(arena, node->plan, needed, input, &read, err));
    needed = read;
    for (const lt_plan *from = below; passes_columns(from); from = from->inputs[0], needed = further) {
        LT_TRY(lt_plan_input_needs(arena, from, needed, 0, &further, err));
        for (uint32_t c = 0; c < from->inputs[0]->column_count; c++) read[c] |= further[c];
    }
    LT_TRY_NEW(*out, arena, err);
    LT_TRY_NEW_ARRAY((*out)->names, arena, below->column_count + 1u, err);
    LT_TRY_NEW_ARRAY((*out)->columns, arena, below->column_count + 1u, err);
    for (uint32_t c = 0; c < below->column_count; c++) {
        if (!read[c]) continue;
        (*out)->names[(*out)->count]     = below->columns[c].name;
        (*out)->columns[(*out)->count++] = c;
    }
    return LEAT_OK;
}

// An object of the row's columns.
static leat_status row_print(lt_standing *query, const lt_node *node, uint32_t input, const lt_chunk *chunk,
                             uint32_t row, lt_buffer *out) {
    lt_late_columns **shown = &query->late_columns[node->plan->id * 2 + input];
    lt_json_writer    writer;
    lt_vector        *values;
    if (*shown == NULL) LT_TRY(columns_find(query, node, input, shown, NULL));
    LT_TRY(lt_json_writer_init(&writer, &query->evaluation, NULL));
    writer.has_milliseconds = false;
    LT_TRY_NEW_ARRAY(values, &query->batch_arena, (*shown)->count + 1u, NULL);
    for (uint32_t c = 0; c < (*shown)->count; c++) values[c] = chunk->columns[(*shown)->columns[c]];
    return lt_json_write_object(&writer, (*shown)->names, values, (*shown)->count, row, out, NULL);
}

leat_status lt_standing_give_late(void *user, const lt_node *node, uint32_t input, const lt_chunk *chunk, uint32_t row,
                                  int64_t watermark_us, leat_error *err) {
    lt_standing  *query   = user;
    leat_session *session = query->session;
    lt_buffer     text;
    lt_buffer_init(&text, &session->account, 4096);
    (void)row_print(query, node, input, chunk, row, &text);
    const char *shown = text.data == NULL ? "" : text.data;
    if (query->late_rows == LT_LATE_FAIL) {
        leat_status status =
            lt_raise(err, LT_LATE_ROW, NULL, "lateRows is fail, and %s leaves out a row %s: %.100s", node->kind->name,
                     is_far_ahead(node) ? "farther ahead than maxWatermarkJump" : "behind the watermark", shown);
        lt_buffer_deinit(&text);
        return status;
    }
    lt_late_row_entry *entry = lt_account_reallocate(&session->account, NULL, 0, sizeof *entry);
    if (entry != NULL) {
        *entry              = (lt_late_row_entry){.watermark_us = watermark_us,
                                                  .batch_id     = query->batch_id,
                                                  .reason       = is_far_ahead(node) ? "future" : "late"};
        char      **slots[] = {&entry->query, &entry->operator_name, &entry->row};
        const char *texts[] = {query->entry->name, node->kind->name, shown};
        for (int i = 0; i < 3; i++) {
            size_t bytes = strlen(texts[i]);
            *slots[i]    = lt_account_reallocate(&session->account, NULL, 0, bytes + 1);
            if (*slots[i] != NULL) memcpy(*slots[i], texts[i], bytes + 1);
        }
        lt_report_rows_add(session, &session->late_rows, entry);
    }
    lt_buffer_deinit(&text);
    return LEAT_OK;
}
