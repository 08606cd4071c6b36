#include "exec/session.h"

#include "base/interval.h"
#include "base/json_writer.h"
#include "parser/parse.h"
#include "parser/print.h"

#include <cJSON.h>
#include <stdio.h>
#include <strings.h>

// standing: the batch driver. A batch takes a fixed range of each source, runs the plan, and commits as one step:
//
//     plan ranges -> offsets record (durable) -> run -> sink stages, publishes -> commit record with state (durable) ->
//     show
//
// Killed before the offsets record: the next start chooses anew. Between offsets and commit: the same ranges, time,
// watermarks and seed run again. Nothing of a batch is seen before its commit: deliveries are kept aside until then.

enum { SECTION_TABLE = 0xfffffff0, SECTION_PLACES = 0xfffffff1 };

lt_standing *lt_standing_find(const leat_session *session, const char *name) {
    for (lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->entry != NULL && strcasecmp(query->entry->name, name) == 0) return query;
    return NULL;
}

static bool plan_reads(const lt_plan *node, const lt_catalog_entry *entry) {
    bool is_scan = node->kind == LT_PLAN_TABLE_SCAN || node->kind == LT_PLAN_STREAM_SCAN;
    if (is_scan && node->as.scan.relation == entry) return true;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (plan_reads(node->inputs[i], entry)) return true;
    return false;
}

leat_status lt_standing_refuse_drop(const leat_session *session, const lt_catalog_entry *entry, const lt_place *place,
                                    leat_error *err) {
    for (const lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->entry != entry && query->plan.root != NULL && plan_reads(query->plan.root, entry))
            return lt_raise(err, LT_MISUSE, place, "query `%s` reads `%s`; drop it first", query->entry->name,
                            entry->name);
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------
// create

static const lt_option standing_options[] = {
    {.name = "outputMode", .words = "append update complete changelog", .summary = "what leaves: see incremental.md 7"},
    {.name = "trigger", .summary = "default, an interval such as '5 seconds', 'once' or 'availableNow'"},
    {.name = "checkpointLocation", .summary = "folder that remembers the query across restarts"},
    {.name = "connector", .summary = "where the output goes: console, files, callback, noop"},
    {.name = "format", .summary = "how rows become bytes: json, csv, text"},
    {.name = "lateRows", .words = "drop keep fail", .initial = "drop", .summary = "what happens to late rows"},
    {0},
};

static leat_status mode_of(lt_standing *query, bool is_sink, leat_error *err) {
    const char *text = lt_option_given(&query->options, "outputMode");
    query->use       = (lt_finish_use){.is_standing = true, .mode = is_sink ? LT_MODE_APPEND : LT_MODE_NONE};
    if (text == NULL) return LEAT_OK;
    for (lt_output_mode mode = LT_MODE_APPEND; mode <= LT_MODE_CHANGELOG; mode++)
        if (strcasecmp(text, lt_output_mode_name(mode)) == 0) {
            query->use.mode = mode;
            return LEAT_OK;
        }
    return lt_raise(err, LT_STREAMING_OUTPUT_MODE__INVALID, NULL,
                    "output mode `%s` does not exist; there are append, update, complete and changelog", text);
}

static leat_status trigger_of(lt_standing *query, leat_error *err) {
    const char *text = lt_option_given(&query->options, "trigger");
    if (text == NULL || strcasecmp(text, "default") == 0) return LEAT_OK;
    if (strcasecmp(text, "once") == 0) {
        query->trigger = LT_TRIGGER_ONCE;
    } else if (strcasecmp(text, "availableNow") == 0 || strcasecmp(text, "available now") == 0) {
        query->trigger = LT_TRIGGER_AVAILABLE_NOW;
    } else {
        query->trigger = LT_TRIGGER_INTERVAL;
        LT_TRY(lt_duration_parse(text, strlen(text), NULL, &query->interval_us, err));
        if (query->interval_us <= 0) query->trigger = LT_TRIGGER_DEFAULT;
    }
    return LEAT_OK;
}

static leat_status number_sources(const lt_plan *node, const lt_plan **scans, uint32_t count, leat_error *err) {
    if (node->kind == LT_PLAN_STREAM_SCAN) {
        if (node->as.scan.source >= count)
            return lt_raise(err, LT_INTERNAL_ERROR, &node->place, "a stream scan has source %u of %u",
                            node->as.scan.source, count);
        scans[node->as.scan.source] = node;
    }
    for (uint32_t i = 0; i < node->input_count; i++) LT_TRY(number_sources(node->inputs[i], scans, count, err));
    return LEAT_OK;
}

static leat_status sink_of(lt_standing *query, leat_error *err) {
    const char *connector = lt_option_given(&query->options, "connector"),
               *format    = lt_option_given(&query->options, "format");
    if (connector == NULL && format != NULL && lt_format_find(format) == NULL) { // Spark's .format("console")
        connector = format;
        format    = NULL;
    }
    if (connector == NULL) connector = lt_option_given(&query->options, "path") != NULL ? "files" : "console";
    query->sink_connector = lt_connector_find(connector);
    if (query->sink_connector == NULL || query->sink_connector->sink == NULL)
        return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, NULL, "no connector `%s` to write to", connector);
    if (format == NULL && query->sink_connector->sink->needs_format) format = "json";
    query->sink_format             = format == NULL ? NULL : lt_format_find(format);
    const lt_option *const lists[] = {standing_options, query->sink_connector->options,
                                      query->sink_format != NULL ? query->sink_format->options : NULL, NULL};
    LT_TRY(lt_options_check(&query->options, lists, err));
    uint32_t mode = query->use.mode == LT_MODE_APPEND     ? LT_SINK_APPEND
                    : query->use.mode == LT_MODE_UPDATE   ? LT_SINK_UPDATE
                    : query->use.mode == LT_MODE_COMPLETE ? LT_SINK_COMPLETE
                                                          : LT_SINK_CHANGELOG;
    if ((query->sink_connector->sink->modes & mode) == 0)
        return lt_raise(err, LT_STREAMING_OUTPUT_MODE__UNSUPPORTED_DATASOURCE, NULL,
                        "connector `%s` does not take output mode %s", connector, lt_output_mode_name(query->use.mode));
    if (query->sink_connector->sink->needs_checkpoint && query->checkpoint_path == NULL)
        return lt_raise(err, LT_LEGACY_ERROR_TEMP_1298, NULL, "connector `%s` needs a checkpointLocation", connector);
    return LEAT_OK;
}

// Columns that readers and sinks see: those of the presented plan, with `op` in front in changelog mode.
static leat_status entry_columns(lt_standing *query, lt_catalog_entry *entry, leat_error *err) {
    const lt_plan     *top   = query->present.root != NULL ? query->present.root : query->plan.root;
    uint32_t           shift = query->use.mode == LT_MODE_CHANGELOG ? 1 : 0;
    lt_catalog_column *columns;
    LT_TRY_NEW_ARRAY(columns, &entry->arena, top->column_count + shift + 1u, err);
    for (uint32_t c = 0; c < top->column_count; c++) {
        query->was_op_named |= strcasecmp(top->columns[c].name, "op") == 0;
        columns[shift + c].name = lt_arena_text(&entry->arena, top->columns[c].name, strlen(top->columns[c].name));
        columns[shift + c].type = lt_type_copy(&entry->arena, top->columns[c].type);
        if (columns[shift + c].name == NULL || columns[shift + c].type == NULL) return lt_raise_no_memory(err);
    }
    if (shift == 1)
        columns[0] = (lt_catalog_column){.name = query->was_op_named ? "_op" : "op", .type = lt_type_of(LT_STRING)};
    entry->columns      = columns;
    entry->column_count = top->column_count + shift;
    return LEAT_OK;
}

static leat_status standing_fill(lt_standing *query, leat_statement *statement, const lt_ast_query *tree,
                                 leat_error *err) {
    leat_session *session = query->session;
    lt_buffer     sql;
    LT_TRY(lt_query_plan_bind(session, statement, tree, true, &query->arena, &query->plan, err));
    LT_TRY(lt_plan_finish(&query->arena, &query->use, &query->plan, &query->present, err));
    lt_buffer_init(&sql, &session->account, 0);
    leat_status status = lt_print_query(&sql, tree, err);
    if (status == LEAT_OK) query->plan.canonical_sql = lt_arena_text(&query->arena, sql.data, sql.bytes);
    lt_buffer_deinit(&sql);
    LT_TRY(status);
    if (query->is_sink) LT_TRY(sink_of(query, err));
    LT_TRY(entry_columns(query, query->entry, err));
    const lt_plan  *root       = query->plan.root;
    bool            is_merging = query->use.mode == LT_MODE_NONE || query->use.mode == LT_MODE_COMPLETE;
    const lt_type **types;
    uint32_t        shift = query->use.mode == LT_MODE_CHANGELOG ? 1 : 0;
    LT_TRY_NEW_ARRAY(types, &query->arena, root->column_count + 2u, err);
    types[0] = lt_type_of(LT_STRING);
    for (uint32_t c = 0; c < root->column_count; c++) types[shift + c] = root->columns[c].type;
    query->has_table = !query->is_sink || query->use.mode == LT_MODE_COMPLETE;
    return lt_table_init(&query->table, types, root->column_count + shift, is_merging, &query->arena, &query->account,
                         err);
}

static void uuid_text(leat_session *session, char out[40]) {
    uint64_t high = session->random_seed * 0x2545f4914f6cdd1dULL + ++session->random_next * 0x9e3779b97f4a7c15ULL,
             low  = high;
    for (int i = 0; i < 3; i++) {
        high ^= high >> 29, high *= 0xbf58476d1ce4e5b9ULL, high ^= high >> 32;
        low = (low + 0x9e3779b97f4a7c15ULL) * 0x94d049bb133111ebULL ^ high;
    }
    snprintf(out, 40, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16) & 0xffff,
             (unsigned)high & 0xfff, (unsigned)(0x8000 | ((low >> 48) & 0x3fff)),
             (unsigned long long)(low & 0xffffffffffffULL));
}

leat_status lt_standing_create(leat_session *session, leat_statement *statement, const lt_ast_statement *tree,
                               lt_standing **out, leat_error *err) {
    lt_standing *query = lt_account_reallocate(&session->account, NULL, 0, sizeof *query);
    if (query == NULL) return lt_raise_no_memory(err);
    *query = (lt_standing){.session = session};
    lt_account_init(&query->account, &session->account.allocator, &session->account, 0);
    lt_arena_init(&query->arena, &query->account);
    lt_arena_init(&query->run_arena, &query->account);
    lt_arena_init(&query->batch_arena, &query->account);
    lt_arena_init(&query->scratch_arena, &query->account);
    lt_buffer_init(&query->scratch, &query->account, 0);
    lt_buffer_init(&query->table_changes, &query->account, 0);
    lt_buffer_init(&query->progress_text, &query->account, 0);
    lt_row_set_init(&query->delivered, &query->account, false);
    uuid_text(session, query->query_id);
    bool is_emit   = tree->kind == LT_AST_STATEMENT_QUERY;
    query->is_sink = tree->kind == LT_AST_STATEMENT_CREATE_SINK || is_emit;
    *out           = query;
    // The plan borrows names from the tree it is bound from, and lives longer than the statement.
    lt_ast_statement *own;
    LT_TRY(lt_parse_statement(statement->sql, statement->sql_bytes, &query->arena, &own, NULL, err));
    tree                      = own;
    lt_ast_options_use use    = {.options = &tree->options};
    leat_status        status = lt_options_bind(session, &use, &query->arena, &query->options, err);
    if (status == LEAT_OK) status = mode_of(query, query->is_sink, err);
    if (status == LEAT_OK) status = trigger_of(query, err);
    if (status != LEAT_OK) return status;
    query->checkpoint_path = lt_option_given(&query->options, "checkpointLocation");
    if (!query->is_sink) {
        const lt_option *const lists[] = {standing_options, NULL};
        LT_TRY(lt_options_check(&query->options, lists, err));
    }
    if (is_emit) { // SELECT ... EMIT CHANGES: a query of the statement's own, every change with its op
        query->is_sink  = false;
        query->use.mode = LT_MODE_CHANGELOG;
        query->trigger  = LT_TRIGGER_DEFAULT;
        query->entry    = LT_NEW(&query->arena, lt_catalog_entry);
        if (query->entry == NULL) return lt_raise_no_memory(err);
        lt_arena_init(&query->entry->arena, &query->account);
        query->entry->name = "(changes)";
        return standing_fill(query, statement, tree->query, err);
    }
    const char *name = lt_ast_names_last(&tree->name);
    query->entry     = lt_catalog_add(&session->catalog, query->is_sink ? LT_RELATION_SINK : LT_RELATION_QUERY, name);
    if (query->entry == NULL) return lt_raise_no_memory(err);
    query->entry->object            = query;
    query->entry->event_time_column = -1;
    status                          = standing_fill(query, statement, tree->query, err);
    return status;
}

void lt_standing_destroy(lt_standing **query) {
    if (query == NULL || *query == NULL) return;
    lt_standing *self = *query;
    lt_standing_stop(self);
    for (struct lt_held_table *held = self->held; held != NULL; held = held->next) lt_source_close(&held->source);
    lt_table_deinit(&self->table);
    lt_row_set_deinit(&self->delivered);
    for (uint32_t i = 0; i < LT_PROGRESS_KEPT; i++)
        if (self->progress[i].sources_json != NULL)
            lt_account_reallocate(&self->account, self->progress[i].sources_json,
                                  strlen(self->progress[i].sources_json) + 1, 0);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->table_changes);
    lt_buffer_deinit(&self->progress_text);
    lt_arena_deinit(&self->batch_arena);
    lt_arena_deinit(&self->scratch_arena);
    lt_arena_deinit(&self->run_arena);
    if (self->entry != NULL && self->entry->object == self)
        lt_catalog_remove(&self->session->catalog, self->entry);
    else if (self->entry != NULL)
        lt_arena_deinit(&self->entry->arena);
    lt_arena_deinit(&self->arena);
    lt_account_reallocate(&self->session->account, self, sizeof *self, 0);
    *query = NULL;
}

void lt_standing_drop(leat_session *session, lt_standing *query) {
    for (lt_standing **link = &session->standing; *link != NULL; link = &(*link)->next)
        if (*link == query) {
            *link = query->next;
            break;
        }
    lt_standing_destroy(&query);
}

// ----------------------------------------------------------------------------------------------------------------
// output

// Rows of the root: kept until the commit.
static leat_status root_give(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)batch;
    lt_standing *query = user;
    int64_t      none  = 0;
    for (uint32_t row = 0; row < delta->count; row++) {
        lt_buffer_reset(&query->scratch);
        LT_TRY(lt_row_encode(delta->columns, delta->column_count, row, false, &query->scratch, err));
        int64_t weight = lt_chunk_weight(delta, row), place = delta->places != NULL ? delta->places[row] : INT64_MIN;
        // A set that does not merge keeps every row; a removal is a row whose weight is below zero, so it is stored as
        // its size.
        LT_TRY(lt_row_set_add(&query->delivered, query->scratch.data, query->scratch.bytes,
                              weight < 0 ? -weight : weight, place, &none, err));
        query->delivered.rows[query->delivered.row_count - 1].weight = weight;
    }
    return LEAT_OK;
}

static leat_status change_log(lt_standing *query, const char *bytes, size_t count, int64_t weight, int64_t place,
                              leat_error *err) {
    if (query->checkpoint == NULL) return LEAT_OK;
    LT_TRY(lt_buffer_append_bytes(&query->table_changes, bytes, count, err));
    LT_TRY(lt_buffer_append_u64(&query->table_changes, (uint64_t)weight, err));
    return lt_buffer_append_u64(&query->table_changes, (uint64_t)place, err);
}

// A row of the changelog: its op, then the row.
static leat_status op_row(lt_standing *query, const char *op, const lt_row_set_row *row, leat_error *err) {
    char     head[5] = {(char)LT_STRING};
    uint32_t bytes   = 2;
    memcpy(head + 1, &bytes, sizeof bytes);
    lt_buffer_reset(&query->scratch);
    LT_TRY(lt_buffer_append(&query->scratch, head, sizeof head, err));
    LT_TRY(lt_buffer_append(&query->scratch, op, 2, err));
    return lt_buffer_append(&query->scratch, row->bytes, row->count, err);
}

static leat_status table_add(lt_standing *query, const char *bytes, size_t count, int64_t weight, int64_t place,
                             leat_error *err) {
    LT_TRY(lt_row_set_add(&query->table.rows, bytes, count, weight, place, NULL, err));
    return change_log(query, bytes, count, weight, place, err);
}

// What the batch delivered becomes visible: the table first, then whoever listens. In changelog mode the deliveries are
// rewritten with their op.
static leat_status apply_changelog(lt_standing *query, leat_error *err) {
    lt_row_set ops;
    lt_row_set_init(&ops, &query->account, false);
    leat_status status   = LEAT_OK;
    bool        is_keyed = query->plan.root->properties.has_key;
    uint32_t    count    = query->delivered.row_count;
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++) {
        const lt_row_set_row *row  = &query->delivered.rows[i];
        const lt_row_set_row *next = i + 1 < count ? &query->delivered.rows[i + 1] : NULL,
                             *last = i > 0 ? &query->delivered.rows[i - 1] : NULL;
        bool pairs_on = is_keyed && row->weight < 0 && next != NULL && next->weight > 0 && next->place == row->place &&
                        row->place != INT64_MIN;
        bool pairs_back = is_keyed && row->weight > 0 && last != NULL && last->weight < 0 &&
                          last->place == row->place && row->place != INT64_MIN;
        const char *op = row->weight < 0 ? (pairs_on ? "-U" : "-D") : (pairs_back ? "+U" : "+I");
        for (int64_t copy = row->weight < 0 ? -row->weight : row->weight; status == LEAT_OK && copy > 0; copy--) {
            status = op_row(query, op, row, err);
            if (status == LEAT_OK)
                status = lt_row_set_add(&ops, query->scratch.data, query->scratch.bytes, 1, query->table.next_place,
                                        NULL, err);
            if (status == LEAT_OK && query->has_table)
                status = table_add(query, query->scratch.data, query->scratch.bytes, 1, query->table.next_place, err);
            query->table.next_place++;
        }
    }
    lt_row_set old   = query->delivered;
    query->delivered = ops;
    lt_row_set_deinit(&old);
    return status;
}

static leat_status apply_to_table(lt_standing *query, leat_error *err) {
    if (query->use.mode == LT_MODE_CHANGELOG) return apply_changelog(query, err);
    if (!query->has_table) return LEAT_OK;
    for (uint32_t i = 0; i < query->delivered.row_count; i++) {
        const lt_row_set_row *row    = &query->delivered.rows[i];
        bool                  merges = query->table.rows.is_merging;
        int64_t               place  = merges && row->place != INT64_MIN ? row->place : query->table.next_place++;
        // Deletes and inserts of one batch may cross in order; adding first keeps every weight above zero on the way.
        if (row->weight > 0) LT_TRY(table_add(query, row->bytes, row->count, row->weight, place, err));
    }
    for (uint32_t i = 0; i < query->delivered.row_count; i++) {
        const lt_row_set_row *row = &query->delivered.rows[i];
        if (row->weight < 0) LT_TRY(table_add(query, row->bytes, row->count, row->weight, 0, err));
    }
    return LEAT_OK;
}

// Rows that sinks and listeners get of this batch: what was delivered, in complete mode the whole table, presented.
typedef leat_status (*rows_taker)(void *user, const lt_chunk *chunk, leat_error *err);

typedef struct taking {
    rows_taker take;
    void      *user;
} taking;

static leat_status take_presented(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)batch;
    const taking *self = user;
    return self->take(self->user, chunk, err);
}

static leat_status give_rows(lt_standing *query, bool is_complete, rows_taker take, void *user, leat_error *err) {
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

static leat_status statement_take(void *user, const lt_chunk *chunk, leat_error *err) {
    leat_statement *statement = user;
    return lt_row_store_append(&statement->rows, chunk, err);
}

static leat_status listener_call(lt_standing *query, int64_t batch_id, leat_error *err) {
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
    if (status == LEAT_OK) status = give_rows(query, is_whole, statement_take, &rows, err);
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
    if (rows.has_rows) lt_row_store_deinit(&rows.rows);
    lt_value_texts_deinit(&texts);
    lt_arena_deinit(&rows.result_arena);
    lt_arena_deinit(&rows.arena);
    return status;
}

// -----------------------------------------------------------------------------------------------------------------
// start

static leat_status pipeline_read_stream(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    lt_standing *query = user;
    return lt_source_read(&query->sources[node->plan->as.scan.source], node, batch, err);
}

// A file table keeps the files that it had when the query first read it, until the query goes (recorded).
static leat_status held_table(lt_standing *query, const lt_catalog_entry *relation, lt_source **out, leat_error *err) {
    for (struct lt_held_table *held = query->held; held != NULL; held = held->next)
        if (held->relation == relation) {
            *out = &held->source;
            return LEAT_OK;
        }
    struct lt_held_table *held;
    LT_TRY_NEW(held, &query->arena, err);
    held->relation = relation;
    held->next     = query->held;
    query->held    = held;
    LT_TRY(lt_source_open(&held->source, query->session, relation, true, NULL, true, NULL, &query->evaluation,
                          &query->account, err));
    *out = &held->source;
    return held->source.stream->connector->source->plan(held->source.state, 0, NULL, &held->source.range, err);
}

static leat_status pipeline_read_table(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    lt_standing            *query    = user;
    const lt_catalog_entry *relation = node->plan->as.scan.relation;
    if (relation != NULL && relation->kind == LT_RELATION_FILE_TABLE) {
        lt_source *source;
        LT_TRY(held_table(query, relation, &source, err));
        return lt_source_read(source, node, batch, err);
    }
    return lt_relation_read(query->session, node, batch, err);
}

// State in a commit: table changes, arrival numbers, then the pipeline's sections.
static leat_status state_save(lt_standing *query, bool is_full, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u32(out, SECTION_PLACES, err));
    LT_TRY(lt_buffer_append_u64(out, 8 * ((uint64_t)query->plan.source_count + 1), err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)query->table.next_place, err));
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)query->sources[i].next_place, err));
    LT_TRY(lt_buffer_append_u32(out, SECTION_TABLE, err));
    if (is_full) {
        LT_TRY(lt_buffer_append_u64(out, 0, err));
        size_t start = out->bytes;
        for (uint32_t i = 0; i < query->table.rows.row_count; i++) {
            const lt_row_set_row *row = &query->table.rows.rows[i];
            if (row->weight == 0) continue;
            LT_TRY(lt_buffer_append_bytes(out, row->bytes, row->count, err));
            LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->weight, err));
            LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->place, err));
        }
        uint64_t bytes = out->bytes - start;
        memcpy(out->data + start - sizeof bytes, &bytes, sizeof bytes);
    } else {
        LT_TRY(lt_buffer_append_bytes(out, query->table_changes.data, query->table_changes.bytes, err));
    }
    return lt_pipeline_save(&query->pipeline, is_full, out, err);
}

static leat_status table_load(lt_standing *query, lt_reader *in, leat_error *err) {
    while (in->next < in->end) {
        const char *bytes;
        size_t      count;
        uint64_t    weight, place;
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_reader_u64(in, &weight, err));
        LT_TRY(lt_reader_u64(in, &place, err));
        LT_TRY(lt_row_set_add(&query->table.rows, bytes, count, (int64_t)weight, (int64_t)place, NULL, err));
    }
    query->table.version++;
    return LEAT_OK;
}

static leat_status state_load(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
                              leat_error *err) {
    (void)batch_id, (void)is_snapshot;
    lt_standing *query = user;
    lt_reader    in    = {.next = bytes, .end = (const char *)bytes + count};
    for (int section = 0; section < 2; section++) {
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
            LT_TRY(table_load(query, &inside, err));
        } else {
            return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved state starts with section %u", id);
        }
    }
    return lt_pipeline_load(&query->pipeline, &in, err);
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
static leat_status checkpoint_open(lt_standing *query, leat_error *err) {
    leat_session         *session = query->session;
    lt_buffer             fingerprint;
    lt_checkpoint_options options = {.fs          = &session->fs,
                                     .clock       = session->clock_used,
                                     .account     = &query->account,
                                     .path        = query->checkpoint_path,
                                     .random_seed = session->random_seed};
    const char           *sync    = lt_setting_text(session, "checkpointSync");
    options.sync                  = strcasecmp(sync, "off") == 0 ? LT_CHECKPOINT_SYNC_OFF : LT_CHECKPOINT_SYNC_FULL;
    lt_buffer_init(&fingerprint, &query->account, 0);
    leat_status status   = lt_plan_fingerprint(&query->plan, &query->use, &fingerprint, err);
    char       *settings = lt_arena_format(
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
static leat_status watermarks_from_json(lt_standing *query, const char *json, size_t bytes, bool is_commit,
                                        int64_t *out_time_us, int64_t *out_seed, leat_error *err) {
    cJSON *root = cJSON_ParseWithLength(json, bytes);
    if (root == NULL) return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a record of the checkpoint is no JSON");
    const cJSON *marks = cJSON_GetObjectItemCaseSensitive(root, "watermarks");
    uint32_t     w     = 0;
    for (const cJSON *mark = marks == NULL ? NULL : marks->child; mark != NULL && w < query->plan.watermark_count;
         mark              = mark->next, w++) {
        const cJSON *late             = cJSON_GetObjectItemCaseSensitive(mark, "lateMs"),
                    *close            = cJSON_GetObjectItemCaseSensitive(mark, "closeMs");
        query->watermarks[w].late_us  = late != NULL && cJSON_IsNumber(late) ? (int64_t)late->valuedouble * 1000 : 0;
        query->watermarks[w].close_us = close != NULL && cJSON_IsNumber(close) ? (int64_t)close->valuedouble * 1000 : 0;
    }
    (void)is_commit;
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
static leat_status offset_from_json(lt_standing *query, const char *json, size_t bytes, uint32_t index,
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

static leat_status sources_open(lt_standing *query, leat_error *err) {
    const lt_plan **scans;
    uint32_t        count = query->plan.source_count;
    LT_TRY_NEW_ARRAY(scans, &query->run_arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(query->sources, &query->run_arena, count + 1u, err);
    LT_TRY(number_sources(query->plan.root, scans, count, err));
    for (uint32_t i = 0; i < count; i++) {
        lt_seen_files *seen = NULL;
        if (scans[i] == NULL) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "source %u of the plan has no scan", i);
        if (query->checkpoint != NULL) LT_TRY(lt_checkpoint_seen_files(query->checkpoint, i, &seen, err));
        LT_TRY(lt_source_open(&query->sources[i], query->session, scans[i]->as.scan.relation, false, seen,
                              query->trigger == LT_TRIGGER_ONCE, scans[i], &query->evaluation, &query->account, err));
        if (query->checkpoint == NULL) continue;
        const lt_checkpoint_start *now = lt_checkpoint_now(query->checkpoint);
        if (now->last_batch_id < 0 || query->sources[i].stream->connector->source->resume == NULL) continue;
        const char *end = NULL;
        if (now->last_offsets != NULL)
            LT_TRY(offset_from_json(query, now->last_offsets, now->last_offsets_bytes, i, &end, err));
        LT_TRY(
            query->sources[i].stream->connector->source->resume(query->sources[i].state, now->last_batch_id, end, err));
    }
    return LEAT_OK;
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
    return listener_call(query, query->batch_id, err);
}

static leat_status sink_open(lt_standing *query, leat_error *err) {
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

static leat_status standing_open(lt_standing *query, leat_error *err) {
    leat_session *session     = query->session;
    query->is_open            = true;
    query->evaluation         = lt_session_evaluation(session);
    query->evaluation.account = &query->account;
    LT_TRY_NEW_ARRAY(query->watermarks, &query->run_arena, query->plan.watermark_count + 1u, err);
    if (query->checkpoint_path != NULL) LT_TRY(checkpoint_open(query, err));
    LT_TRY(sources_open(query, err));
    query->pipeline = (lt_pipeline){.account       = &query->account,
                                    .evaluation    = &query->evaluation,
                                    .is_standing   = true,
                                    .with_state    = query->checkpoint != NULL,
                                    .give          = root_give,
                                    .user          = query,
                                    .read_stream   = pipeline_read_stream,
                                    .read_table    = pipeline_read_table,
                                    .table_version = lt_relation_version};
    LT_TRY(lt_pipeline_open(&query->pipeline, &query->plan, err));
    lt_row_set_reset(&query->table.rows);
    query->table.next_place = 0;
    query->table.version++;
    query->batch_id = 0;
    if (query->checkpoint != NULL) {
        const lt_checkpoint_start *now = lt_checkpoint_now(query->checkpoint);
        LT_TRY(lt_checkpoint_load_state(query->checkpoint, state_load, query, err));
        query->batch_id = now->last_batch_id + 1;
        if (now->last_commit != NULL)
            LT_TRY(watermarks_from_json(query, now->last_commit, now->last_commit_bytes, true, NULL, NULL, err));
    }
    LT_TRY(sink_open(query, err));
    if (query->trigger == LT_TRIGGER_AVAILABLE_NOW)
        for (uint32_t i = 0; i < query->plan.source_count; i++)
            if (query->sources[i].stream->connector->source->hold != NULL)
                LT_TRY(query->sources[i].stream->connector->source->hold(query->sources[i].state, err));
    return LEAT_OK;
}

static leat_status standing_fail(lt_standing *query, leat_status status, leat_error *err) {
    query->error        = err != NULL ? *err : (leat_error){.status = status};
    query->error.status = status;
    snprintf(query->error.query, sizeof query->error.query, "%s", query->entry->name);
    if (err != NULL) memcpy(err->query, query->error.query, sizeof err->query);
    lt_standing_stop(query);
    query->state = LEAT_QUERY_FAILED;
    return status;
}

leat_status lt_standing_start(lt_standing *query, leat_error *err) {
    if (query->is_open) return LEAT_OK;
    leat_error own = {0};
    lt_error_reset(&query->error);
    uuid_text(query->session, query->run_id);
    query->must_check_no_data = false;
    query->next_trigger_us    = INT64_MIN;
    leat_status status        = standing_open(query, &own);
    if (status != LEAT_OK) {
        status = standing_fail(query, status, &own);
        if (err != NULL) *err = own;
        return status;
    }
    query->state = LEAT_QUERY_RUNNING;
    return LEAT_OK;
}

void lt_standing_stop(lt_standing *query) {
    if (!query->is_open) {
        if (query->state == LEAT_QUERY_READY || query->state == LEAT_QUERY_RUNNING) query->state = LEAT_QUERY_STOPPED;
        return;
    }
    if (query->pipeline.root != NULL || query->pipeline.arena.account != NULL) lt_pipeline_close(&query->pipeline);
    for (uint32_t i = 0; query->sources != NULL && i < query->plan.source_count; i++)
        lt_source_close(&query->sources[i]);
    if (query->sink_state != NULL) query->sink_connector->sink->close(query->sink_state);
    if (query->checkpoint != NULL) (void)lt_checkpoint_close(&query->checkpoint, NULL);
    query->sink_state = NULL;
    query->sources    = NULL;
    query->watermarks = NULL;
    lt_row_set_reset(&query->delivered);
    lt_buffer_reset(&query->table_changes);
    lt_arena_deinit(&query->run_arena);
    query->is_open = false;
    if (query->state == LEAT_QUERY_RUNNING || query->state == LEAT_QUERY_READY) query->state = LEAT_QUERY_STOPPED;
}

// -----------------------------------------------------------------------------------------------------------------
// batch

static leat_status offsets_print(lt_standing *query, int64_t time_us, uint64_t seed, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "{\"batchTimeMs\":%lld,\"seed\":\"%llu\",\"watermarks\":[",
                            (long long)(time_us / 1000), (unsigned long long)seed));
    for (uint32_t w = 0; w < query->plan.watermark_count; w++)
        LT_TRY(lt_buffer_format(out, err, "%s{\"lateMs\":%lld,\"closeMs\":%lld}", w > 0 ? "," : "",
                                (long long)(query->watermarks[w].late_us / 1000),
                                (long long)(query->watermarks[w].close_us / 1000)));
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

// After a batch: each definition's watermark is the largest event time of the batch minus its delay, in milliseconds,
// and never goes back. late follows close by one batch.
static void watermarks_advance(lt_standing *query) {
    for (uint32_t w = 0; w < query->plan.watermark_count; w++) {
        lt_watermark *mark = &query->watermarks[w];
        mark->late_us      = mark->close_us;
        if (mark->rows > 0) {
            int64_t max_ms = mark->max_us >= 0 ? mark->max_us / 1000 : -((-mark->max_us + 999) / 1000);
            int64_t next   = max_ms * 1000 - mark->delay_us / 1000 * 1000;
            if (next > mark->close_us) mark->close_us = next;
        }
        mark->rows = 0;
    }
}

static void delays_find(const lt_plan *node, lt_watermark *watermarks) {
    if (node->kind == LT_PLAN_WATERMARK)
        watermarks[node->as.watermark.watermark].delay_us = node->as.watermark.delay_us;
    for (uint32_t i = 0; i < node->input_count; i++) delays_find(node->inputs[i], watermarks);
}

static leat_status give_late(void *user, const lt_node *node, const lt_chunk *chunk, uint32_t row, int64_t watermark_us,
                             leat_error *err);

static leat_status commit_print(lt_standing *query, uint64_t input_rows, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "{\"rows\":%llu,\"watermarks\":[", (unsigned long long)input_rows));
    for (uint32_t w = 0; w < query->plan.watermark_count; w++)
        LT_TRY(lt_buffer_format(out, err, "%s{\"lateMs\":%lld,\"closeMs\":%lld}", w > 0 ? "," : "",
                                (long long)(query->watermarks[w].late_us / 1000),
                                (long long)(query->watermarks[w].close_us / 1000)));
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

static leat_status sink_run(lt_standing *query, bool is_replay, leat_error *err) {
    if (query->sink_connector == NULL) return LEAT_OK;
    const lt_sink_kind *sink = query->sink_connector->sink;
    LT_TRY(sink->begin(query->sink_state, query->batch_id, is_replay, err));
    LT_TRY(give_rows(query, query->use.mode == LT_MODE_COMPLETE, sink_take, query, err));
    if (sink->stage != NULL) LT_TRY(sink->stage(query->sink_state, err));
    return sink->publish(query->sink_state, err);
}

typedef struct batch_facts {
    int64_t started_us, planned_us, ran_us, time_us;
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
    lt_buffer state, commit;
    lt_buffer_init(&state, &query->account, 0);
    lt_buffer_init(&commit, &query->account, 0);
    lt_buffer_reset(&query->table_changes);
    leat_status status = apply_to_table(query, err);
    uint64_t    out_rows =
        query->use.mode == LT_MODE_COMPLETE ? query->table.rows.live_rows : (uint64_t)query->delivered.row_count;
    if (status == LEAT_OK) status = sink_run(query, facts->is_replay, err);
    watermarks_advance(query);
    if (status == LEAT_OK && query->checkpoint != NULL) {
        status = state_save(query, false, &state, err);
        if (status == LEAT_OK) status = commit_print(query, input_rows, &commit, err);
        if (status == LEAT_OK)
            status = lt_checkpoint_commit(query->checkpoint, query->batch_id, state.data, state.bytes, commit.data,
                                          commit.bytes, err);
        if (status == LEAT_OK && lt_checkpoint_wants_snapshot(query->checkpoint)) {
            lt_buffer_reset(&state);
            if (state_save(query, true, &state, NULL) == LEAT_OK)
                (void)lt_checkpoint_snapshot(query->checkpoint, query->batch_id, state.data, state.bytes, NULL);
        }
    }
    lt_buffer_deinit(&state);
    lt_buffer_deinit(&commit);
    LT_TRY(status);
    query->table.version++;
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        if (query->sources[i].stream->connector->source->commit != NULL)
            query->sources[i].stream->connector->source->commit(query->sources[i].state, query->batch_id);
    if (query->sink_connector == NULL) LT_TRY(listener_call(query, query->batch_id, err));
    if (query->changes != NULL) LT_TRY(give_rows(query, false, statement_take, query->changes, err));
    progress.output_rows = out_rows;
    for (uint32_t id = 0; id < query->plan.node_count; id++) {
        const lt_node *node = query->pipeline.nodes[id];
        if (node == NULL || node->kind->state_name == NULL || node->kind->size == NULL) continue;
        lt_state_size size = node->kind->size(node);
        progress.has_state = true;
        progress.state_rows += size.rows;
        progress.state_bytes += size.bytes;
    }
    int64_t end            = lt_clock_steady_us(query->session->clock_used);
    progress.duration_us   = end - facts->started_us;
    progress.plan_us       = facts->planned_us - facts->started_us;
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
                          strcasecmp(lt_setting_text(query->session, "multipleWatermarkPolicy"), "max") == 0,
                      .give_late = give_late,
                      .user      = query};
    lt_row_set_reset(&query->delivered);
    for (uint32_t i = 0; i < query->plan.source_count; i++)
        query->sources[i].batch_rows = query->sources[i].bad_rows = 0;
    leat_status status = lt_pipeline_run(&query->pipeline, &batch, err);
    facts->ran_us      = lt_clock_steady_us(query->session->clock_used);
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
        LT_TRY(watermarks_from_json(query, now->pending_offsets, now->pending_offsets_bytes, false, &facts->time_us,
                                    &seed, err));
    for (uint32_t i = 0; i < query->plan.source_count; i++) {
        lt_source  *source = &query->sources[i];
        const char *fixed  = NULL;
        if (facts->is_replay)
            LT_TRY(offset_from_json(query, now->pending_offsets, now->pending_offsets_bytes, i, &fixed, err));
        if (facts->is_replay && fixed == NULL) {
            source->range = (lt_source_range){.batch_id = query->batch_id};
            continue;
        }
        LT_TRY(source->stream->connector->source->plan(source->state, query->batch_id, fixed, &source->range, err));
        is_due |= source->range.has_input;
    }
    if (!is_due && !facts->is_replay) {
        lt_batch next = {.watermarks      = query->watermarks,
                         .watermark_count = query->plan.watermark_count,
                         .is_max_policy = strcasecmp(lt_setting_text(session, "multipleWatermarkPolicy"), "max") == 0};
        is_due        = tables_changed(query);
        // A query that reads no stream at all has one batch, its first; so has a table without a mode, which holds the
        // answer over no rows from the start.
        is_due |= query->batch_id == 0 && (query->plan.source_count == 0 || query->use.mode == LT_MODE_NONE);
        is_due |= query->must_check_no_data && query->trigger != LT_TRIGGER_ONCE &&
                  strcasecmp(lt_setting_text(session, "noDataBatches"), "true") == 0 &&
                  lt_pipeline_is_due(&query->pipeline, &next);
    }
    *out_is_due = is_due || facts->is_replay;
    if (!*out_is_due) return LEAT_OK;
    query->evaluation.now_us      = facts->time_us;
    query->evaluation.random_seed = (uint64_t)seed;
    if (query->checkpoint == NULL || facts->is_replay) return LEAT_OK;
    lt_buffer offsets;
    lt_buffer_init(&offsets, &query->account, 0);
    leat_status status = offsets_print(query, facts->time_us, (uint64_t)seed, &offsets, err);
    if (status == LEAT_OK)
        status = lt_checkpoint_plan(query->checkpoint, query->batch_id, offsets.data, offsets.bytes, err);
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

static leat_status idle_note(lt_standing *query, leat_error *err) {
    const lt_progress *last = lt_progress_last(query);
    if (last != NULL && query->batches_run > 0) return LEAT_OK;
    lt_progress idle = {.batch_id     = query->batch_id,
                        .timestamp_us = lt_clock_now_us(query->session->clock_used),
                        .is_idle      = true,
                        .output_rows  = UINT64_MAX};
    return lt_progress_note(query, &idle, err);
}

leat_status lt_standing_step(lt_standing *query, bool *out_ran, leat_error *err) {
    leat_error own = {0};
    *out_ran       = false;
    if (query->state == LEAT_QUERY_READY) LT_TRY(lt_standing_start(query, err));
    if (query->state != LEAT_QUERY_RUNNING) return LEAT_OK;
    batch_facts facts  = {.started_us = lt_clock_steady_us(query->session->clock_used)};
    bool        is_due = false;
    if (query->plan.watermark_count > 0) delays_find(query->plan.root, query->watermarks);
    leat_status status = batch_plan(query, &is_due, &facts, &own);
    facts.planned_us   = lt_clock_steady_us(query->session->clock_used);
    if (status == LEAT_OK && is_due) status = batch_run(query, &facts, &own);
    if (status != LEAT_OK) {
        if (status == LEAT_INTERRUPTED) { // not a failure of the query: the batch runs again at the next start
            lt_standing_stop(query);
            return status;
        }
        status                 = standing_fail(query, status, &own);
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
    bool is_over = (query->trigger == LT_TRIGGER_ONCE) || (!is_due && query->trigger == LT_TRIGGER_AVAILABLE_NOW) ||
                   (!is_due && sources_have_ended(query));
    if (!is_over) return LEAT_OK;
    if (!is_due) LT_TRY(idle_note(query, err));
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
        if (query->state == LEAT_QUERY_FAILED) return failure(query, err);
        if (query->state != LEAT_QUERY_READY && query->state != LEAT_QUERY_RUNNING) return LEAT_OK;
        LT_TRY(lt_standing_step(query, &ran, err));
        if (!ran) return LEAT_OK;
        LT_TRY(time_left(query, deadline_steady_us, err));
    }
}

leat_status lt_standing_await(lt_standing *query, int64_t deadline_steady_us, leat_error *err) {
    leat_session *session = query->session;
    for (;;) {
        bool ran = false;
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
            if (!ran) lt_session_sleep(session, 5000);
        }
    }
}

static leat_status give_late(void *user, const lt_node *node, const lt_chunk *chunk, uint32_t row, int64_t watermark_us,
                             leat_error *err) {
    lt_standing       *query   = user;
    leat_session      *session = query->session;
    lt_late_row_entry *entry   = lt_account_reallocate(&session->account, NULL, 0, sizeof *entry);
    const char        *policy  = lt_option_given(&query->options, "lateRows");
    if (policy != NULL && strcasecmp(policy, "fail") == 0)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a row is late and lateRows is fail");
    if (entry == NULL) return LEAT_OK;
    lt_buffer      text;
    lt_json_writer writer;
    lt_buffer_init(&text, &session->account, 4096);
    leat_status status = lt_json_writer_init(&writer, &query->evaluation, NULL);
    (void)lt_buffer_append_byte(&text, '[', NULL);
    for (uint32_t c = 0; status == LEAT_OK && c < chunk->column_count; c++) {
        if (c > 0) status = lt_buffer_append_byte(&text, ',', NULL);
        if (status == LEAT_OK) status = lt_json_write_value(&writer, &chunk->columns[c], row, &text, NULL);
    }
    (void)lt_buffer_append_byte(&text, ']', NULL);
    const char *name = node->kind->name, *query_name = query->entry->name;
    *entry              = (lt_late_row_entry){.watermark_us = watermark_us, .batch_id = query->batch_id};
    char      **slots[] = {&entry->query, &entry->operator_name, &entry->row};
    const char *texts[] = {query_name, name, text.data};
    for (int i = 0; i < 3; i++) {
        size_t bytes = strlen(texts[i]);
        *slots[i]    = lt_account_reallocate(&session->account, NULL, 0, bytes + 1);
        if (*slots[i] != NULL) memcpy(*slots[i], texts[i], bytes + 1);
    }
    lt_buffer_deinit(&text);
    lt_report_rows_add(session, &session->late_rows, entry);
    return LEAT_OK;
}
