#include "exec/standing/standing.h"

// output: deliveries of a batch are kept aside until its commit, then the table takes them, then sinks and
// listeners.

static leat_status growth_note(lt_standing *query, const lt_chunk *delta, leat_error *err) {
    for (uint32_t row = 0; query->table.is_placed && row < delta->count; row++)
        for (int64_t copy = lt_chunk_weight(delta, row); copy > 0; copy--)
            LT_TRY(lt_place_order_append(&query->grown_places, delta->places != NULL ? delta->places[row] : INT64_MIN,
                                         err));
    return lt_segments_append(&query->grown, delta, err);
}

// Rows of the root: kept until the commit.
leat_status lt_standing_root_give(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)batch;
    lt_standing *query = user;
    if (query->is_growing) return growth_note(query, delta, err);
    for (uint32_t row = 0; row < delta->count; row++) {
        lt_buffer_reset(&query->scratch);
        LT_TRY(lt_row_encode(delta->columns, delta->column_count, row, false, &query->scratch, err));
        int64_t weight = lt_chunk_weight(delta, row), place = delta->places != NULL ? delta->places[row] : INT64_MIN;
        LT_TRY(lt_row_set_add(&query->delivered, query->scratch.data, query->scratch.bytes, weight, place, NULL, err));
    }
    return LEAT_OK;
}

static leat_status change_log(lt_standing *query, const char *bytes, size_t count, int64_t weight, int64_t place,
                              leat_error *err) {
    LT_TRY(lt_table_log(&query->table, bytes, count, weight, place, err));
    if (query->checkpoint == NULL) return LEAT_OK;
    LT_TRY(lt_buffer_append_bytes(&query->table_changes, bytes, count, err));
    LT_TRY(lt_buffer_append_u64(&query->table_changes, (uint64_t)weight, err));
    return lt_buffer_append_u64(&query->table_changes, (uint64_t)place, err);
}

leat_status lt_standing_table_add(lt_standing *query, const char *bytes, size_t count, int64_t weight, int64_t place,
                                  leat_error *err) {
    LT_TRY(lt_table_add(&query->table, bytes, count, weight, place, err));
    return change_log(query, bytes, count, weight, place, err);
}

// Whether delivery `i` and the next one are the two halves of an update: a row goes, another comes at its place.
static bool is_update(const lt_row_set *delivered, uint32_t i) {
    if (i + 1 >= delivered->row_count) return false;
    const lt_row_set_row from = lt_row_set_at(delivered, i), to = lt_row_set_at(delivered, i + 1);
    return from.weight < 0 && to.weight > 0 && from.place == to.place && from.place != INT64_MIN;
}

// Before delivery `i` meets the table: every LT_ROW_SET_AHEAD deliveries the memory for the next ones is asked for.
static void prefetch_ahead(const lt_standing *query, uint32_t i) {
    const lt_row_set *delivered = &query->delivered;
    if (i % LT_ROW_SET_AHEAD != 0 || !query->table.rows.is_merging) return;
    lt_row_bytes rows[LT_ROW_SET_AHEAD];
    uint32_t     count = delivered->row_count - i < LT_ROW_SET_AHEAD ? delivered->row_count - i : LT_ROW_SET_AHEAD;
    for (uint32_t r = 0; r < count; r++) {
        const lt_row_set_row row = lt_row_set_at(delivered, i + r);
        rows[r]                  = (lt_row_bytes){row.bytes, row.count};
    }
    lt_row_set_prefetch(&query->table.rows, rows, count);
}

// Rows of a keyed query are not equal to each other, so that each update can be made where its row stands.
static leat_status apply_updates(lt_standing *query, leat_error *err) {
    const lt_row_set *delivered = &query->delivered;
    for (uint32_t i = 0; i < delivered->row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(delivered, i);
        prefetch_ahead(query, i);
        if (!is_update(delivered, i)) {
            int64_t place = row.place != INT64_MIN || row.weight < 0 ? row.place : query->table.next_place++;
            LT_TRY(lt_standing_table_add(query, row.bytes, row.count, row.weight, place, err));
            continue;
        }
        const lt_row_set_row to = lt_row_set_at(delivered, ++i);
        prefetch_ahead(query, i);
        if (row.weight != -1 || to.weight != 1) {
            LT_TRY(lt_standing_table_add(query, row.bytes, row.count, row.weight, row.place, err));
            LT_TRY(lt_standing_table_add(query, to.bytes, to.count, to.weight, to.place, err));
            continue;
        }
        LT_TRY(lt_row_set_update(&query->table.rows, row.bytes, row.count, to.bytes, to.count, to.place, err));
        LT_TRY(change_log(query, row.bytes, row.count, -1, row.place, err));
        LT_TRY(change_log(query, to.bytes, to.count, 1, to.place, err));
    }
    return LEAT_OK;
}

// The checkpoint's changes of such a table are its new rows.
static leat_status apply_growth(lt_standing *query, leat_error *err) {
    lt_table *table    = &query->table;
    uint64_t  cursor   = table->segments.row_count;
    query->grown_first = cursor;
    if (query->grown.row_count == 0) return LEAT_OK;
    LT_TRY(lt_table_take(table, &query->grown, query->grown_places.places, err));
    lt_place_order_reset(&query->grown_places);
    if (query->checkpoint == NULL) return LEAT_OK;
    return lt_table_write_part(table, table->segments.row_count, &cursor, SIZE_MAX / 2, &query->table_changes, err);
}

uint64_t lt_standing_delivered_count(const lt_standing *query) {
    return query->is_growing ? query->table.segments.row_count - query->grown_first : query->delivered.row_count;
}

// The table first, then whoever listens. In changelog mode the deliveries are rewritten with their op.
leat_status lt_standing_apply_to_table(lt_standing *query, leat_error *err) {
    if (query->is_growing) return apply_growth(query, err);
    if (query->use.mode == LT_MODE_CHANGELOG) return lt_standing_apply_changelog(query, err);
    if (!query->has_table) return LEAT_OK;
    bool is_merging = query->table.rows.is_merging;
    if (is_merging && query->plan.root->properties.has_key) return apply_updates(query, err);
    for (uint32_t i = 0; i < query->delivered.row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(&query->delivered, i);
        prefetch_ahead(query, i);
        int64_t place = is_merging && row.place != INT64_MIN ? row.place : query->table.next_place++;
        // Deletes and inserts of one batch may cross in order; adding first keeps every weight above zero on the way.
        if (row.weight > 0) LT_TRY(lt_standing_table_add(query, row.bytes, row.count, row.weight, place, err));
    }
    for (uint32_t i = 0; i < query->delivered.row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(&query->delivered, i);
        prefetch_ahead(query, i);
        if (row.weight < 0) LT_TRY(lt_standing_table_add(query, row.bytes, row.count, row.weight, 0, err));
    }
    return LEAT_OK;
}

typedef struct taking {
    lt_rows_taker take;
    void         *user;
} taking;

static leat_status take_presented(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)batch;
    const taking *self = user;
    return self->take(self->user, chunk, err);
}

// The rows of the table from number `row` on.
static leat_status give_grown(lt_standing *query, uint64_t row, lt_rows_taker take, void *user, leat_error *err) {
    lt_table_cursor cursor;
    lt_arena        arena;
    LT_TRY(lt_table_open_cursor(&query->table, row, &cursor, err));
    lt_arena_init(&arena, &query->account);
    leat_status status = LEAT_OK;
    while (status == LEAT_OK) {
        lt_chunk chunk;
        status = lt_table_next(&query->table, &cursor, NULL, query->table.column_count, &arena, &chunk, err);
        if (status != LEAT_OK || chunk.count == 0) break;
        status = take(user, &chunk, err);
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    return status;
}

leat_status lt_standing_give_rows(lt_standing *query, bool is_complete, lt_rows_taker take, void *user,
                                  leat_error *err) {
    const lt_type *const *types = query->table.types;
    uint32_t              width = query->table.column_count;
    lt_row_set           *rows  = is_complete ? &query->table.rows : &query->delivered;
    if (is_complete && query->present.root != NULL) {
        taking      self     = {.take = take, .user = user};
        lt_plan     scan     = *query->present.root;
        lt_pipeline pipeline = {
            .account = &query->account, .evaluation = &query->evaluation, .give = take_presented, .user = &self};
        lt_node  node = {.kind = &lt_operator_recompute, .plan = &scan, .pipeline = &pipeline};
        lt_arena arena, scratch;
        lt_batch batch                = {.arena = &arena, .scratch = &scratch, .evaluation = &query->evaluation};
        scan.kind                     = LT_PLAN_TABLE_SCAN;
        scan.as.scan.relation_columns = NULL;
        node.kind                     = lt_operator_find(LT_PLAN_TABLE_SCAN);
        lt_arena_init(&arena, &query->account);
        lt_arena_init(&scratch, &query->account);
        node.state         = lt_arena_zero(&arena, node.kind->state_bytes);
        leat_status status = node.state == NULL ? lt_raise_no_memory(err) : node.kind->open(&node, err);
        if (status == LEAT_OK) status = lt_standing_read(query, &node, &batch, err);
        if (node.state != NULL) node.kind->close(&node);
        lt_arena_deinit(&arena);
        lt_arena_deinit(&scratch);
        return status;
    }
    lt_row_set_cursor cursor;
    lt_arena          arena;
    if (query->is_growing) return give_grown(query, is_complete ? 0 : query->grown_first, take, user, err);
    LT_TRY(lt_row_set_open_cursor(rows, &cursor, err));
    lt_arena_init(&arena, &query->account);
    leat_status status = LEAT_OK;
    while (status == LEAT_OK) {
        lt_chunk chunk;
        status = lt_row_set_next(rows, &cursor, types, width, true, &arena, &chunk, err);
        if (status != LEAT_OK || chunk.count == 0) break;
        status = take(user, &chunk, err);
        lt_arena_reset(&arena);
    }
    lt_arena_deinit(&arena);
    return status;
}

static leat_status sink_take(void *user, const lt_chunk *chunk, leat_error *err) {
    lt_standing *query = user;
    return query->sink_connector->sink->write(query->sink_state, chunk, err);
}

leat_status lt_standing_statement_take(void *user, const lt_chunk *chunk, leat_error *err) {
    leat_statement *statement = user;
    return lt_segments_append(&statement->rows, chunk, err);
}

leat_status lt_standing_listener_call(lt_standing *query, int64_t batch_id, leat_error *err) {
    leat_session   *session = query->session;
    lt_plan_column *columns;
    lt_value_texts  texts;
    leat_statement  rows = {
         .session = session, .texts = &texts, .is_run = true, .is_delivered = true, .evaluation = query->evaluation};
    if (query->listener.rows == NULL && query->listener.arrow == NULL) return LEAT_OK;
    lt_arena_init(&rows.result_arena, &query->account);
    lt_arena_init(&rows.arena, &query->account);
    lt_value_texts_init(&texts, &query->account);
    columns            = LT_NEW_ARRAY(&rows.result_arena, lt_plan_column, query->entry->column_count + 1u);
    leat_status status = columns == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    for (uint32_t c = 0; status == LEAT_OK && c < query->entry->column_count; c++)
        columns[c] = (lt_plan_column){.name = query->entry->columns[c].name, .type = query->entry->columns[c].type};
    if (status == LEAT_OK) status = lt_statement_columns(&rows, columns, query->entry->column_count, err);
    bool is_whole = query->use.mode == LT_MODE_COMPLETE || query->use.mode == LT_MODE_NONE;
    if (status == LEAT_OK) status = lt_standing_give_rows(query, is_whole, lt_standing_statement_take, &rows, err);
    if (status == LEAT_OK) {
        session->is_in_callback = true;
        if (query->listener.rows != NULL) status = query->listener.rows(query->listener.user, batch_id, &rows, err);
        if (query->listener.arrow != NULL && status == LEAT_OK) {
            struct ArrowArrayStream stream = {0};
            status                         = lt_arrow_stream(&rows, &stream, err);
            if (status == LEAT_OK) status = query->listener.arrow(query->listener.user, batch_id, &stream, err);
            if (stream.release != NULL) stream.release(&stream);
        }
        session->is_in_callback = false;
    }
    if (rows.has_rows) lt_segments_deinit(&rows.rows);
    lt_value_texts_deinit(&texts);
    lt_arena_deinit(&rows.result_arena);
    lt_arena_deinit(&rows.arena);
    return status;
}

static leat_status callback_begin(void *user, int64_t batch_id, bool is_replay, leat_error *err) {
    (void)user, (void)batch_id, (void)is_replay, (void)err;
    return LEAT_OK;
}
static leat_status callback_write(void *user, const lt_chunk *chunk, leat_error *err) {
    (void)user, (void)chunk, (void)err;
    return LEAT_OK;
}
// The sink's callback is the query's listener; it runs when the batch publishes, and its answer decides the commit.
static leat_status callback_end(void *user, leat_error *err) {
    lt_standing *query = user;
    return lt_standing_listener_call(query, query->batch_id, err);
}

leat_status lt_standing_sink_open(lt_standing *query, leat_error *err) {
    if (query->sink_connector == NULL) return LEAT_OK;
    const lt_sink_kind *sink = query->sink_connector->sink;
    const char        **names;
    const lt_type     **types;
    LT_TRY_NEW_ARRAY(names, &query->run_arena, query->entry->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(types, &query->run_arena, query->entry->column_count + 1u, err);
    for (uint32_t c = 0; c < query->entry->column_count; c++) {
        names[c] = query->entry->columns[c].name;
        types[c] = query->entry->columns[c].type;
    }
    query->sink_setup = (lt_sink_setup){.options       = &query->options,
                                        .format        = query->sink_format,
                                        .types         = types,
                                        .names         = names,
                                        .column_count  = query->entry->column_count,
                                        .mode          = query->use.mode == LT_MODE_APPEND     ? LT_SINK_APPEND
                                                         : query->use.mode == LT_MODE_UPDATE   ? LT_SINK_UPDATE
                                                         : query->use.mode == LT_MODE_COMPLETE ? LT_SINK_COMPLETE
                                                                                               : LT_SINK_CHANGELOG,
                                        .fs            = &query->session->fs,
                                        .clock         = query->session->clock_used,
                                        .account       = &query->account,
                                        .evaluation    = &query->evaluation,
                                        .query_name    = query->entry->name,
                                        .query_id      = query->query_id,
                                        .output        = query->session->options.output,
                                        .output_user   = query->session->options.user,
                                        .batch_begin   = callback_begin,
                                        .batch_write   = callback_write,
                                        .batch_end     = callback_end,
                                        .callback_user = query};
    query->sink_state = lt_arena_zero(&query->run_arena, sink->state_bytes + 1);
    if (query->sink_state == NULL) return lt_raise_no_memory(err);
    LT_TRY(sink->open(query->sink_state, &query->sink_setup, err));
    if (sink->recover == NULL || query->checkpoint == NULL) return LEAT_OK;
    const lt_checkpoint_start *now     = lt_checkpoint_now(query->checkpoint);
    int64_t                    planned = now->last_batch_id + (now->pending_offsets != NULL ? 1 : 0);
    return sink->recover(query->sink_state, now->last_batch_id, planned, err);
}

leat_status lt_standing_sink_run(lt_standing *query, bool is_replay, leat_error *err) {
    if (query->sink_connector == NULL) return LEAT_OK;
    const lt_sink_kind *sink = query->sink_connector->sink;
    LT_TRY(sink->begin(query->sink_state, query->batch_id, is_replay, err));
    LT_TRY(lt_standing_give_rows(query, query->use.mode == LT_MODE_COMPLETE, sink_take, query, err));
    if (sink->stage != NULL) LT_TRY(sink->stage(query->sink_state, err));
    return sink->publish(query->sink_state, err);
}
