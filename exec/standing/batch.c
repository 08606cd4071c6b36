#include "exec/standing/standing.h"

#include "base/ascii.h"

// batch: a batch takes a fixed range of each source, runs the plan, and commits as one step:
//
//     plan ranges -> offsets record (durable) -> run -> sink stages, publishes -> commit record with state (durable) ->
//     show
//
// Killed before the offsets record: the next start chooses anew. Between offsets and commit: the same ranges, time,
// watermarks and seed run again. Nothing of a batch is seen before its commit: deliveries are kept aside until then.

typedef struct batch_facts {
    int64_t started_us, planned_us, ran_us, time_us, log_us;
    bool    is_replay;
} batch_facts;

static leat_status batch_commit(lt_standing *query, lt_batch *batch, batch_facts *facts, leat_error *err) {
    uint64_t    input_rows = 0;
    lt_progress progress   = {.batch_id      = query->batch_id,
                              .timestamp_us  = facts->time_us,
                              .rows_updated  = batch->rows_updated,
                              .rows_removed  = batch->rows_removed,
                              .rows_dropped  = batch->rows_dropped,
                              .has_watermark = query->plan.watermark_count > 0};
    for (uint32_t i = 0; i < query->plan.source_count; i++) {
        input_rows += query->sources[i].batch_rows;
        progress.bad_rows += query->sources[i].bad_rows;
    }
    progress.input_rows = input_rows;
    if (progress.has_watermark) {
        int64_t used = INT64_MAX, rows = 0, sum = 0;
        for (uint32_t w = 0; w < query->plan.watermark_count; w++) {
            const lt_watermark *mark = &query->watermarks[w];
            if (batch->is_max_policy ? used == INT64_MAX || mark->close_us > used : mark->close_us < used)
                used = mark->close_us;
            if (mark->rows == 0) continue;
            if (rows == 0 || mark->min_us < progress.event_min_us) progress.event_min_us = mark->min_us;
            if (rows == 0 || mark->max_us > progress.event_max_us) progress.event_max_us = mark->max_us;
            rows += (int64_t)mark->rows;
            sum += mark->sum_us; // milliseconds
        }
        progress.watermark_us    = used;
        progress.has_event_times = rows > 0;
        progress.event_avg_us    = rows > 0 ? sum / rows * 1000 : 0;
    }
    size_t changed_bytes = 0;
    lt_buffer_reset(&query->table_changes);
    leat_status status = lt_standing_apply_to_table(query, err);
    uint64_t    out_rows =
        query->use.mode == LT_MODE_COMPLETE ? lt_table_row_count(&query->table) : lt_standing_delivered_count(query);
    if (status == LEAT_OK) status = lt_standing_sink_run(query, facts->is_replay, err);
    lt_standing_watermarks_advance(query, facts->time_us);
    if (status == LEAT_OK && query->checkpoint != NULL) {
        lt_buffer *state = &query->state_text, *commit = &query->commit_text;
        lt_buffer_reset(state);
        lt_buffer_reset(commit);
        status = lt_standing_state_save(query, state, err);
        if (status == LEAT_OK) status = lt_standing_commit_print(query, input_rows, commit, err);
        if (status == LEAT_OK)
            status = lt_checkpoint_commit(query->checkpoint, query->batch_id, state->data, state->bytes, commit->data,
                                          commit->bytes, err);
        changed_bytes = state->bytes;
    }
    LT_TRY(status);
    query->table.version++;
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        if (query->sources[i].stream->connector->source->commit != NULL)
            query->sources[i].stream->connector->source->commit(query->sources[i].state, query->batch_id);
    if (query->sink_connector == NULL) LT_TRY(lt_standing_listener_call(query, query->batch_id, err));
    if (query->changes != NULL)
        LT_TRY(lt_standing_give_rows(query, false, lt_standing_statement_take, query->changes, err));
    if (query->checkpoint != NULL) lt_standing_snapshot_step(query, changed_bytes);
    progress.output_rows = out_rows;
    lt_progress_operators(query, batch, &progress);
    int64_t end            = lt_clock_steady_us(query->session->clock_used);
    progress.duration_us   = end - facts->started_us;
    progress.plan_us       = facts->planned_us - facts->started_us;
    progress.log_us        = facts->log_us;
    progress.run_us        = facts->ran_us - facts->planned_us;
    progress.commit_us     = end - facts->ran_us;
    progress.since_last_us = query->last_trigger_us == 0 ? 0 : facts->started_us - query->last_trigger_us;
    query->last_trigger_us = facts->started_us;
    return lt_progress_note(query, &progress, err);
}

static leat_status batch_run(lt_standing *query, batch_facts *facts, leat_error *err) {
    lt_batch batch = {.id              = query->batch_id,
                      .arena           = &query->batch_arena,
                      .scratch         = &query->scratch_arena,
                      .evaluation      = &query->evaluation,
                      .watermarks      = query->watermarks,
                      .watermark_count = query->plan.watermark_count,
                      .is_max_policy =
                          lt_ascii_compare(lt_setting_text(query->session, "multipleWatermarkPolicy"), "max") == 0,
                      .give_late = lt_standing_give_late,
                      .user      = query};
    LT_TRY_NEW_ARRAY(batch.rejected_rows, &query->batch_arena, query->plan.source_count + 1u, err);
    lt_row_set_reset(&query->delivered);
    lt_segments_reset(&query->grown);
    lt_place_order_reset(&query->grown_places);
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        query->sources[i].batch_rows = query->sources[i].bad_rows = 0;
    leat_status status = lt_pipeline_run(&query->pipeline, &batch, err);
    facts->ran_us      = lt_clock_steady_us(query->session->clock_used);
    for (uint32_t i = 0; i < query->plan.source_count; i++) query->sources[i].batch_rows -= batch.rejected_rows[i];
    if (status == LEAT_OK) status = batch_commit(query, &batch, facts, err);
    lt_arena_reset(&query->batch_arena);
    lt_arena_reset(&query->scratch_arena);
    return status;
}

static bool tables_changed(const lt_standing *query) {
    for (uint32_t id = 0; id < query->plan.node_count; id++) {
        const lt_node *node = query->pipeline.nodes[id];
        if (node == NULL || node->plan->kind != LT_PLAN_TABLE_SCAN || !node->plan->properties.is_streaming) continue;
        if (lt_table_scan_is_stale(node)) return true;
    }
    return false;
}

// Whether a batch is due and what it takes. A batch that was planned before a restart runs exactly as it was.
static leat_status batch_plan(lt_standing *query, bool *out_is_due, batch_facts *facts, leat_error *err) {
    leat_session              *session = query->session;
    const lt_checkpoint_start *now     = query->checkpoint != NULL ? lt_checkpoint_now(query->checkpoint) : NULL;
    bool                       is_due  = false;
    facts->is_replay                   = now != NULL && now->pending_offsets != NULL;
    facts->time_us                     = lt_clock_now_us(session->clock_used) / 1000 * 1000;
    int64_t seed = (int64_t)(session->random_seed + ++session->random_next * 0x9e3779b97f4a7c15ULL);
    if (facts->is_replay)
        LT_TRY(lt_standing_watermarks_from_json(query, now->pending_offsets, now->pending_offsets_bytes,
                                                &facts->time_us, &seed, err));
    for (uint32_t i = 0; i < query->plan.source_count; i++) {
        lt_source  *source = &query->sources[i];
        const char *fixed  = NULL;
        if (facts->is_replay)
            LT_TRY(
                lt_standing_offset_from_json(query, now->pending_offsets, now->pending_offsets_bytes, i, &fixed, err));
        if (facts->is_replay && fixed == NULL) {
            source->range = (lt_source_range){.batch_id = query->batch_id};
            continue;
        }
        LT_TRY(source->stream->connector->source->plan(source->state, query->batch_id, fixed, &source->range, err));
        is_due |= source->range.has_input;
    }
    LT_TRY(lt_held_tables_refresh(query, err));
    bool has_moved = !facts->is_replay && lt_standing_watermarks_wait(query, facts->time_us, is_due);
    if (!is_due && !facts->is_replay) {
        lt_batch next = {.watermarks      = query->watermarks,
                         .watermark_count = query->plan.watermark_count,
                         .is_max_policy =
                             lt_ascii_compare(lt_setting_text(session, "multipleWatermarkPolicy"), "max") == 0};
        is_due        = tables_changed(query);
        // A query that reads no stream at all has one batch, its first; so has a table without a mode, which holds the
        // answer over no rows from the start.
        is_due |= query->batch_id == 0 && (query->plan.source_count == 0 || query->use.mode == LT_MODE_NONE);
        is_due |= (query->must_check_no_data || has_moved) && query->trigger != LT_TRIGGER_ONCE &&
                  lt_ascii_compare(lt_setting_text(session, "noDataBatches"), "true") == 0 &&
                  lt_pipeline_is_due(&query->pipeline, &next);
    }
    *out_is_due = is_due || facts->is_replay;
    if (!*out_is_due) return LEAT_OK;
    query->evaluation.now_us      = facts->time_us;
    query->evaluation.random_seed = (uint64_t)seed;
    if (query->checkpoint == NULL || facts->is_replay) return LEAT_OK;
    lt_buffer offsets;
    lt_buffer_init(&offsets, &query->account, 0);
    int64_t     begin_us = lt_clock_steady_us(session->clock_used);
    leat_status status   = lt_standing_offsets_print(query, facts->time_us, (uint64_t)seed, &offsets, err);
    if (status == LEAT_OK)
        status = lt_checkpoint_plan(query->checkpoint, query->batch_id, offsets.data, offsets.bytes, err);
    facts->log_us = lt_clock_steady_us(session->clock_used) - begin_us;
    lt_buffer_deinit(&offsets);
    return status;
}

static bool sources_have_ended(const lt_standing *query) {
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        if (!query->sources[i].stream->connector->source->outlook(query->sources[i].state).has_ended) return false;
    for (uint32_t id = 0; id < query->plan.node_count; id++) {
        const lt_node *node = query->pipeline.nodes[id];
        if (node != NULL && node->plan->kind == LT_PLAN_TABLE_SCAN && node->plan->properties.is_streaming) return false;
    }
    return true;
}

// Nothing more will be read in this run.
static bool is_at_end(const lt_standing *query) {
    return query->trigger == LT_TRIGGER_AVAILABLE_NOW ||
           (query->trigger != LT_TRIGGER_ONCE && sources_have_ended(query));
}

leat_status lt_standing_step(lt_standing *query, bool *out_ran, leat_error *err) {
    leat_error own = {0};
    *out_ran       = false;
    if (query->state == LEAT_QUERY_READY) LT_TRY(lt_standing_start(query, err));
    if (query->state != LEAT_QUERY_RUNNING) return LEAT_OK;
    batch_facts facts  = {.started_us = lt_clock_steady_us(query->session->clock_used)};
    bool        is_due = false;
    leat_status status = batch_plan(query, &is_due, &facts, &own);
    if (status == LEAT_OK && !is_due && is_at_end(query) && lt_standing_windows_close(query, false)) {
        query->must_check_no_data = true;
        status                    = batch_plan(query, &is_due, &facts, &own);
    }
    facts.planned_us = lt_clock_steady_us(query->session->clock_used);
    if (status == LEAT_OK && is_due) status = batch_run(query, &facts, &own);
    if (status != LEAT_OK) {
        if (status == LEAT_INTERRUPTED) { // not a failure of the query: the batch runs again at the next start
            lt_standing_stop(query);
            return status;
        }
        status                 = lt_standing_fail(query, status, &own);
        query->is_failure_told = err != NULL;
        if (err != NULL) *err = own;
        return status;
    }
    if (is_due) {
        query->batch_id++;
        query->batches_run++;
        query->must_check_no_data = true;
        *out_ran                  = true;
    }
    if (query->trigger == LT_TRIGGER_INTERVAL) {
        int64_t now            = lt_clock_now_us(query->session->clock_used);
        query->next_trigger_us = now / query->interval_us * query->interval_us + query->interval_us;
    }
    bool is_over = query->trigger == LT_TRIGGER_ONCE || (!is_due && is_at_end(query));
    if (!is_over) return is_due ? LEAT_OK : lt_progress_note_idle(query, err);
    if (!is_due && query->batches_run == 0) LT_TRY(lt_progress_note_nothing(query, err));
    query->batches_run = 0;
    lt_standing_stop(query);
    query->state = LEAT_QUERY_ENDED;
    return LEAT_OK;
}

static leat_status time_left(lt_standing *query, int64_t deadline_steady_us, leat_error *err) {
    if (lt_session_is_interrupted(query->session)) return lt_raise(err, LT_INTERRUPTED, NULL, "interrupted");
    if (lt_clock_steady_us(query->session->clock_used) < deadline_steady_us) return LEAT_OK;
    return lt_raise(err, LT_TIMEOUT, NULL, "query `%s` was not done in time", query->entry->name);
}

static leat_status failure(lt_standing *query, leat_error *err) {
    query->is_failure_told = true;
    if (err != NULL) *err = query->error;
    return query->error.status;
}

leat_status lt_standing_process(lt_standing *query, int64_t deadline_steady_us, leat_error *err) {
    for (;;) {
        bool ran = false;
        lt_folder_watch_read(&query->session->folder_watch);
        lt_folder_watch_hurry(&query->session->folder_watch);
        if (query->state == LEAT_QUERY_FAILED) return failure(query, err);
        if (query->state != LEAT_QUERY_READY && query->state != LEAT_QUERY_RUNNING) return LEAT_OK;
        LT_TRY(lt_standing_step(query, &ran, err));
        if (!ran) return LEAT_OK;
        LT_TRY(time_left(query, deadline_steady_us, err));
    }
}

enum { AWAIT_US = 5000 };

leat_status lt_standing_await(lt_standing *query, int64_t deadline_steady_us, leat_error *err) {
    leat_session *session = query->session;
    for (;;) {
        bool ran = false;
        lt_folder_watch_read(&session->folder_watch);
        if (query->state == LEAT_QUERY_FAILED) return failure(query, err);
        if (query->state != LEAT_QUERY_READY && query->state != LEAT_QUERY_RUNNING) return LEAT_OK;
        bool is_time =
            query->trigger != LT_TRIGGER_INTERVAL || lt_clock_now_us(session->clock_used) >= query->next_trigger_us;
        if (is_time) LT_TRY(lt_standing_step(query, &ran, err));
        if (ran) continue;
        if (query->state == LEAT_QUERY_RUNNING) {
            LT_TRY(time_left(query, deadline_steady_us, err));
            // Others go on while this one waits.
            for (lt_standing *other = session->standing; other != NULL; other = other->next)
                if (other != query && other->state == LEAT_QUERY_RUNNING) (void)lt_standing_step(other, &ran, NULL);
            if (!ran) lt_session_sleep(session, lt_session_pause_us(session, AWAIT_US));
        }
    }
}
