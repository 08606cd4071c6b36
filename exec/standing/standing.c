#include "exec/standing/standing.h"

#include "base/ascii.h"
#include "base/interval.h"
#include "parser/parser.h"
#include "parser/print.h"

#include <stdio.h>

// standing: a standing query from CREATE to DROP: options, plan and columns; opening and closing of all it runs with.

lt_standing *lt_standing_find(const leat_session *session, const char *name) {
    for (lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->entry != NULL && lt_ascii_compare(query->entry->name, name) == 0) return query;
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

const lt_option lt_standing_options[] = {
    {.name    = "outputMode",
     .words   = "append update complete changelog",
     .summary = "what leaves: new rows, changed rows, the whole result, every change"},
    {.name = "trigger", .summary = "default, an interval such as '5 seconds', 'once' or 'availableNow'"},
    {.name = "checkpointLocation", .summary = "folder that remembers the query across restarts"},
    {.name = "connector", .summary = "where the output goes: console, files, callback, noop"},
    {.name = "format", .summary = "how rows become bytes: json, csv, text"},
    {.name  = "lateRows",
     .words = "drop keep fail",
     .summary =
         "what late rows do: drop (append, update), keep (other modes: they count and no state is forgotten), fail"},
    {.name    = "finalWindows",
     .words   = "BOOL",
     .initial = "false",
     .summary = "the end of an availableNow run, or of all input, closes what is open"},
    {.name = "flushTimeout", .summary = "closes what is open when no row came for so long: '10 minutes'"},
    {0},
};

static leat_status mode_of(lt_standing *query, bool is_sink, leat_error *err) {
    const char *text = lt_option_given(&query->options, "outputMode");
    query->use       = (lt_finish_use){.is_standing    = true,
                                       .mode           = is_sink ? LT_MODE_APPEND : LT_MODE_NONE,
                                       .recomputes_all = lt_session_recomputes_all(query->session)};
    if (text == NULL) return LEAT_OK;
    for (lt_output_mode mode = LT_MODE_APPEND; mode <= LT_MODE_CHANGELOG; mode++)
        if (lt_ascii_compare(text, lt_output_mode_name(mode)) == 0) {
            query->use.mode = mode;
            return LEAT_OK;
        }
    return lt_raise(err, LT_STREAMING_OUTPUT_MODE__INVALID, NULL,
                    "output mode `%s` does not exist; there are append, update, complete and changelog", text);
}

static leat_status trigger_of(lt_standing *query, leat_error *err) {
    const char *text = lt_option_given(&query->options, "trigger");
    if (text == NULL || lt_ascii_compare(text, "default") == 0) return LEAT_OK;
    if (lt_ascii_compare(text, "once") == 0) {
        query->trigger = LT_TRIGGER_ONCE;
    } else if (lt_ascii_compare(text, "availableNow") == 0 || lt_ascii_compare(text, "available now") == 0) {
        query->trigger = LT_TRIGGER_AVAILABLE_NOW;
    } else {
        query->trigger = LT_TRIGGER_INTERVAL;
        LT_TRY(lt_duration_parse(text, strlen(text), NULL, &query->interval_us, err));
        if (query->interval_us <= 0) query->trigger = LT_TRIGGER_DEFAULT;
    }
    return LEAT_OK;
}

// above[i]: the plan over scan i, if there is one alone.
static leat_status number_sources(const lt_plan *node, const lt_plan *parent, const lt_plan **scans,
                                  const lt_plan **above, uint32_t count, leat_error *err) {
    if (node->kind == LT_PLAN_STREAM_SCAN) {
        if (node->as.scan.source >= count)
            return lt_raise(err, LT_INTERNAL_ERROR, &node->place, "a stream scan has source %u of %u",
                            node->as.scan.source, count);
        above[node->as.scan.source] = scans[node->as.scan.source] == NULL ? parent : NULL;
        scans[node->as.scan.source] = node;
    }
    for (uint32_t i = 0; i < node->input_count; i++)
        LT_TRY(number_sources(node->inputs[i], node, scans, above, count, err));
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
        return lt_raise(err, LT_DATA_SOURCE_NOT_FOUND, NULL,
                        "no connector `%s` to write to; leat_connectors lists them", connector);
    if (format == NULL && query->sink_connector->sink->needs_format) format = "json";
    query->sink_format             = format == NULL ? NULL : lt_format_find(format);
    const lt_option *const lists[] = {lt_standing_options, query->sink_connector->options,
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
        query->was_op_named |= lt_ascii_compare(top->columns[c].name, "op") == 0;
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
    LT_TRY(lt_standing_event_time_options(query, err));
    LT_TRY(lt_plan_finish(&query->arena, &query->use, &query->plan, &query->present, err));
    lt_buffer_init(&sql, &session->account, 0);
    leat_status status = lt_print_query(&sql, tree, err);
    if (status == LEAT_OK) query->plan.canonical_sql = lt_arena_text(&query->arena, sql.data, sql.bytes);
    lt_buffer_deinit(&sql);
    LT_TRY(status);
    if (query->is_sink) LT_TRY(sink_of(query, err));
    LT_TRY(lt_standing_event_time_check(query, err));
    LT_TRY(entry_columns(query, query->entry, err));
    const lt_plan  *root       = query->plan.root;
    bool            is_merging = query->use.mode == LT_MODE_NONE || query->use.mode == LT_MODE_COMPLETE;
    const lt_type **types;
    uint32_t        shift = query->use.mode == LT_MODE_CHANGELOG ? 1 : 0;
    LT_TRY_NEW_ARRAY(types, &query->arena, root->column_count + 2u, err);
    types[0] = lt_type_of(LT_STRING);
    for (uint32_t c = 0; c < root->column_count; c++) types[shift + c] = root->columns[c].type;
    query->has_table  = !query->is_sink || query->use.mode == LT_MODE_COMPLETE;
    query->is_growing = query->has_table && root->properties.is_append_only &&
                        (query->use.mode == LT_MODE_NONE || query->use.mode == LT_MODE_APPEND);
    LT_TRY(lt_table_init(&query->table, types, root->column_count + shift, is_merging && !query->is_growing,
                         &query->arena, &query->account, err));
    query->table.is_placed = query->is_growing && query->use.mode == LT_MODE_NONE && !root->properties.is_ordered;
    lt_segments_init(&query->grown, query->table.types, query->table.column_count, &query->account);
    lt_place_order_init(&query->grown_places, &query->account);
    return LEAT_OK;
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

enum { SNAPSHOT_PART_BYTES = 64 * 1024 };

leat_status lt_standing_create(leat_session *session, leat_statement *statement, const lt_ast_statement *tree,
                               lt_standing **out, leat_error *err) {
    lt_standing *query = lt_account_reallocate(&session->account, NULL, 0, sizeof *query);
    if (query == NULL) return lt_raise_no_memory(err);
    *query = (lt_standing){.session = session, .snapshot_part_bytes = SNAPSHOT_PART_BYTES};
    lt_account_init(&query->account, &session->account.allocator, &session->account, 0);
    lt_arena_init(&query->arena, &query->account);
    lt_arena_init(&query->run_arena, &query->account);
    lt_arena_init(&query->batch_arena, &query->account);
    lt_arena_init(&query->scratch_arena, &query->account);
    lt_buffer_init(&query->scratch, &query->account, 0);
    lt_buffer_init(&query->table_changes, &query->account, 0);
    lt_buffer_init(&query->state_text, &query->account, 0);
    lt_buffer_init(&query->commit_text, &query->account, 0);
    lt_buffer_init(&query->source_names, &query->account, 0);
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
        const lt_option *const lists[] = {lt_standing_options, NULL};
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
    lt_segments_deinit(&self->grown);
    lt_place_order_deinit(&self->grown_places);
    lt_progress_deinit(self);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->table_changes);
    lt_buffer_deinit(&self->state_text);
    lt_buffer_deinit(&self->commit_text);
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

static leat_status pipeline_read_stream(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    lt_standing *query = user;
    return lt_source_read(&query->sources[node->plan->as.scan.source], node, batch, err);
}

static leat_status pipeline_read_table(void *user, lt_node *node, lt_batch *batch, leat_error *err) {
    lt_standing            *query    = user;
    const lt_catalog_entry *relation = node->plan->as.scan.relation;
    if (relation != NULL && relation->kind == LT_RELATION_FILE_TABLE)
        return lt_held_table_read(query, node, batch, err);
    return lt_relation_read(query->session, node, batch, err);
}

static uint64_t pipeline_table_version(void *user, const lt_catalog_entry *relation) {
    if (relation != NULL && relation->kind == LT_RELATION_FILE_TABLE) return lt_held_table_version(user, relation);
    return lt_relation_version(user, relation);
}

static leat_status pipeline_give_bad(void *user, const lt_node *scan, const lt_chunk *messages, uint32_t row,
                                     const char *reason, leat_error *err) {
    lt_standing *query = user;
    query->sources[scan->plan->as.scan.source].bad_rows++;
    return lt_change_refuse(query->session, &query->evaluation, scan, messages, row, reason, query->batch_id, err);
}

static leat_status sources_open(lt_standing *query, leat_error *err) {
    const lt_plan **scans, **above;
    uint32_t        count = query->plan.source_count;
    LT_TRY_NEW_ARRAY(scans, &query->run_arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(above, &query->run_arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(query->sources, &query->run_arena, count + 1u, err);
    LT_TRY(number_sources(query->plan.root, NULL, scans, above, count, err));
    for (uint32_t i = 0; i < count; i++) {
        lt_seen_files *seen = NULL;
        if (scans[i] == NULL) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "source %u of the plan has no scan", i);
        if (query->checkpoint != NULL) LT_TRY(lt_checkpoint_seen_files(query->checkpoint, i, &seen, err));
        LT_TRY(lt_source_open(&query->sources[i], query->session, scans[i]->as.scan.relation, false, seen,
                              query->trigger == LT_TRIGGER_ONCE, scans[i], above[i], &query->evaluation,
                              &query->account, err));
        if (query->checkpoint == NULL) continue;
        const lt_checkpoint_start *now = lt_checkpoint_now(query->checkpoint);
        if (now->last_batch_id < 0 || query->sources[i].stream->connector->source->resume == NULL) continue;
        const char *end = NULL;
        if (now->last_offsets != NULL)
            LT_TRY(lt_standing_offset_from_json(query, now->last_offsets, now->last_offsets_bytes, i, &end, err));
        LT_TRY(
            query->sources[i].stream->connector->source->resume(query->sources[i].state, now->last_batch_id, end, err));
    }
    return LEAT_OK;
}

static leat_status standing_open(lt_standing *query, leat_error *err) {
    leat_session *session     = query->session;
    query->is_open            = true;
    query->evaluation         = lt_session_evaluation(session);
    query->evaluation.account = &query->account;
    LT_TRY_NEW_ARRAY(query->watermarks, &query->run_arena, query->plan.watermark_count + 1u, err);
    if (query->checkpoint_path != NULL) LT_TRY(lt_standing_checkpoint_open(query, err));
    LT_TRY(sources_open(query, err));
    query->pipeline = (lt_pipeline){.account         = &query->account,
                                    .evaluation      = &query->evaluation,
                                    .is_standing     = true,
                                    .is_measured     = true,
                                    .clock           = query->session->clock_used,
                                    .with_state      = query->checkpoint != NULL,
                                    .give            = lt_standing_root_give,
                                    .user            = query,
                                    .give_bad        = pipeline_give_bad,
                                    .read_stream     = pipeline_read_stream,
                                    .read_table      = pipeline_read_table,
                                    .table_version   = pipeline_table_version,
                                    .table_has_grown = lt_relation_has_grown,
                                    .read_changes    = lt_relation_read_changes};
    LT_TRY(lt_standing_event_time_open(query, err));
    LT_TRY(lt_pipeline_open(&query->pipeline, &query->plan, err));
    lt_table_reset(&query->table);
    query->table.next_place = 0;
    query->batch_id         = 0;
    if (query->checkpoint != NULL) {
        const lt_checkpoint_start *now = lt_checkpoint_now(query->checkpoint);
        LT_TRY(lt_checkpoint_load_state(query->checkpoint, lt_standing_state_load, query, err));
        query->batch_id = now->last_batch_id + 1;
        if (now->last_commit != NULL)
            LT_TRY(lt_standing_watermarks_from_json(query, now->last_commit, now->last_commit_bytes, NULL, NULL, err));
    }
    LT_TRY(lt_standing_sink_open(query, err));
    LT_TRY(lt_progress_open(query, err));
    if (query->trigger == LT_TRIGGER_AVAILABLE_NOW)
        for (uint32_t i = 0; i < query->plan.source_count; i++)
            if (query->sources[i].stream->connector->source->hold != NULL)
                LT_TRY(query->sources[i].stream->connector->source->hold(query->sources[i].state, err));
    return LEAT_OK;
}

leat_status lt_standing_fail(lt_standing *query, leat_status status, leat_error *err) {
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
        status = lt_standing_fail(query, status, &own);
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
    lt_segments_reset(&query->grown);
    lt_place_order_reset(&query->grown_places);
    lt_buffer_reset(&query->table_changes);
    lt_arena_deinit(&query->run_arena);
    query->is_open = false;
    if (query->state == LEAT_QUERY_RUNNING || query->state == LEAT_QUERY_READY) query->state = LEAT_QUERY_STOPPED;
}
