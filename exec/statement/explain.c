#include "exec/session.h"

#include "base/ascii.h"

// explain: EXPLAIN prints the plan of a statement or of a standing query; with ANALYZE also what its nodes
// did: a SELECT runs for that and its rows are dropped, a standing query is looked at as of its last commit.

static leat_status plan_explain(leat_statement *statement, const lt_query_plan *plan, const lt_query_plan *present,
                                const lt_finish_use *use, const lt_plan_notes *notes, leat_error *err) {
    lt_buffer text;
    lt_buffer_init(&text, &statement->session->account, 0);
    leat_status status = lt_plan_explain(plan, present, use, notes, &text, err);
    for (char *line = text.data; status == LEAT_OK && line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end = '\0';
        const char *row[] = {line};
        status            = lt_statement_text_row(statement, row, err);
        line              = end == NULL ? NULL : end + 1;
    }
    lt_buffer_deinit(&text);
    return status;
}

// ------------------------------------------------------------------------------------------------------------- ANALYZE

typedef struct analysis {
    leat_statement            *statement;
    const lt_operator_report  *reports;    // by plan id
    const lt_watermark_report *watermarks; // by definition; NULL: of a SELECT, which has none
} analysis;

static leat_status milliseconds_append(int64_t us, lt_buffer *out, leat_error *err) {
    return lt_buffer_format(out, err, "%lld.%03d ms", (long long)(us / 1000), (int)(us % 1000));
}

static leat_status rows_note(const analysis *self, const lt_operator_report *report, bool is_leaf, lt_buffer *out,
                             leat_error *err) {
    const lt_node_counts *total = &report->total, *last = &report->last;
    LT_TRY(lt_buffer_append_text(out, "rows: ", err));
    if (!is_leaf) LT_TRY(lt_buffer_format(out, err, "%llu in, ", (unsigned long long)total->rows_in));
    LT_TRY(lt_buffer_format(out, err, "%llu out, ", (unsigned long long)total->rows_out));
    LT_TRY(milliseconds_append(total->spent_us, out, err));
    if (self->watermarks != NULL) {
        LT_TRY(lt_buffer_append_text(out, "; last batch: ", err));
        if (!is_leaf) LT_TRY(lt_buffer_format(out, err, "%llu in, ", (unsigned long long)last->rows_in));
        LT_TRY(lt_buffer_format(out, err, "%llu out, ", (unsigned long long)last->rows_out));
        LT_TRY(milliseconds_append(last->spent_us, out, err));
    }
    return lt_buffer_append_byte(out, '\n', err);
}

static leat_status state_note(const lt_operator_report *report, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_format(out, err, "state: %llu rows, %llu bytes; last batch: %llu updated, %llu removed",
                            (unsigned long long)report->size.rows, (unsigned long long)report->size.bytes,
                            (unsigned long long)report->last.rows_updated,
                            (unsigned long long)report->last.rows_removed));
    if (report->total.rows_dropped > 0)
        LT_TRY(lt_buffer_format(out, err, "; late rows: %llu, of them in the last batch: %llu",
                                (unsigned long long)report->total.rows_dropped,
                                (unsigned long long)report->last.rows_dropped));
    return lt_buffer_append_byte(out, '\n', err);
}

static leat_status watermark_note(const analysis *self, const lt_operator_report *report, lt_buffer *out,
                                  leat_error *err) {
    const lt_watermark_report *holder = &self->watermarks[report->holder];
    LT_TRY(lt_buffer_append_text(out, "watermark: ", err));
    LT_TRY(lt_progress_instant_append(out, report->watermark_us, err));
    LT_TRY(lt_buffer_format(out, err, ", held by %s.%s since ", holder->stream, holder->column));
    LT_TRY(lt_progress_instant_append(out, holder->moved_us, err));
    return lt_buffer_append_byte(out, '\n', err);
}

static leat_status node_note(void *user, const lt_plan *node, uint32_t depth, lt_buffer *out, leat_error *err) {
    const analysis           *self   = user;
    const lt_operator_report *report = self->reports == NULL ? NULL : &self->reports[node->id];
    if (report == NULL) return LEAT_OK;
    LT_TRY(lt_plan_note_begin(depth, out, err));
    if (!report->has_run) return lt_buffer_append_text(out, "runs inside the node above\n", err);
    LT_TRY(rows_note(self, report, node->input_count == 0, out, err));
    if (report->state_name != NULL && self->watermarks != NULL) {
        LT_TRY(lt_plan_note_begin(depth, out, err));
        LT_TRY(state_note(report, out, err));
    }
    if (self->watermarks == NULL || report->watermark_us == INT64_MIN ||
        (report->state_name == NULL && node->kind != LT_PLAN_WATERMARK))
        return LEAT_OK;
    LT_TRY(lt_plan_note_begin(depth, out, err));
    return watermark_note(self, report, out, err);
}

static leat_status row_drop(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    (void)user, (void)chunk, (void)batch, (void)err;
    return LEAT_OK;
}

static leat_status nodes_look(void *user, const lt_pipeline *pipeline, leat_error *err) {
    analysis           *self = user;
    lt_operator_report *reports;
    LT_TRY_NEW_ARRAY(reports, &self->statement->result_arena, pipeline->plan->node_count + 1u, err);
    for (uint32_t id = 0; id < pipeline->plan->node_count; id++)
        if (pipeline->nodes[id] != NULL)
            reports[id] =
                (lt_operator_report){.has_run = true, .total = pipeline->nodes[id]->counts, .watermark_us = INT64_MIN};
    self->reports = reports;
    return LEAT_OK;
}

static leat_status run_and_explain(leat_statement *statement, const lt_query_plan *plan, const lt_finish_use *use,
                                   leat_error *err) {
    analysis      self  = {.statement = statement};
    lt_plan_notes notes = {.print = node_note, .user = &self};
    LT_TRY(lt_query_run_measured(statement->session, plan, &statement->evaluation, row_drop, statement, nodes_look,
                                 &self, err));
    return plan_explain(statement, plan, NULL, use, &notes, err);
}

// EXPLAIN [ANALYZE] QUERY name.
static leat_status query_explain(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"plan"};
    const lt_ast_statement  *tree      = statement->tree;
    const char              *name      = lt_ast_names_last(&tree->name);
    const lt_standing       *query     = lt_standing_find(statement->session, name);
    if (query == NULL) return lt_query_missing(statement->session, name, &tree->name.items[0].place, err);
    analysis           self  = {.statement = statement, .watermarks = query->watermark_reports};
    lt_plan_notes      notes = {.print = node_note, .user = &self};
    const lt_progress *last  = lt_progress_last_batch(query);
    if (last != NULL && query->reports != NULL && query->reports[query->plan.root->id].has_run)
        self.reports = query->reports;
    bool is_analyzed = tree->explain == LT_AST_EXPLAIN_ANALYZE;
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    if (is_analyzed) {
        const char *head =
            last == NULL
                ? lt_arena_format(&statement->result_arena, "Query %s: %s, no batch yet", query->entry->name,
                                  lt_query_state_name(query->state))
                : lt_arena_format(&statement->result_arena, "Query %s: %s, last batch %lld: %llu rows in, %lld.%03d ms",
                                  query->entry->name, lt_query_state_name(query->state), (long long)last->batch_id,
                                  (unsigned long long)last->input_rows, (long long)(last->duration_us / 1000),
                                  (int)(last->duration_us % 1000));
        if (head == NULL) return lt_raise_no_memory(err);
        LT_TRY(lt_statement_text_row(statement, &head, err));
    }
    return plan_explain(statement, &query->plan, &query->present, &query->use, is_analyzed ? &notes : NULL, err);
}

// ------------------------------------------------------------------------------------------------------------- EXPLAIN

// INSERT is bound with its table, so that EXPLAIN refuses what INSERT would.
static leat_status explained_bind(leat_statement *statement, lt_ast_statement *inner, const lt_ast_query *query,
                                  bool is_standing, lt_query_plan *out, leat_error *err) {
    lt_ast_statement *written = statement->tree, *named;
    lt_catalog_entry *entry;
    if (inner->kind != LT_AST_STATEMENT_INSERT)
        return lt_query_plan_bind(statement->session, statement, query, is_standing, &statement->result_arena, out,
                                  err);
    statement->tree    = inner;
    leat_status status = lt_statement_names_resolve(statement, &named, err);
    statement->tree    = written;
    LT_TRY(status);
    return lt_insert_bind(statement, named, out, &entry, err);
}

static bool is_control(lt_ast_statement_kind kind) {
    return kind == LT_AST_STATEMENT_PROCESS_ALL || kind == LT_AST_STATEMENT_AWAIT_TERMINATION ||
           kind == LT_AST_STATEMENT_START_QUERY || kind == LT_AST_STATEMENT_STOP_QUERY;
}

// What steers queries has no plan, but a query that must be there.
static leat_status control_explain(leat_statement *statement, const lt_ast_statement *inner, leat_error *err) {
    static const char *const columns[] = {"plan"};
    const char              *name = lt_ast_names_last(&inner->name), *row[] = {"every query"};
    if (name != NULL) {
        const lt_standing *query = lt_standing_find(statement->session, name);
        if (query == NULL) return lt_query_missing(statement->session, name, &inner->name.items[0].place, err);
        row[0] = lt_arena_format(&statement->result_arena, "Query %s: %s", query->entry->name,
                                 lt_query_state_name(query->state));
        if (row[0] == NULL) return lt_raise_no_memory(err);
    }
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    return lt_statement_text_row(statement, row, err);
}

leat_status lt_run_explain(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"plan"};
    lt_ast_statement        *inner     = statement->tree->statement;
    lt_query_plan            plan, present = {0};
    lt_finish_use            use      = {0};
    lt_ast_query             of_table = {.kind = LT_AST_QUERY_TABLE};
    if (inner == NULL && statement->tree->name.count > 0) return query_explain(statement, err);
    if (inner != NULL && is_control(inner->kind)) return control_explain(statement, inner, err);
    if (inner != NULL && (inner->kind == LT_AST_STATEMENT_DELETE || inner->kind == LT_AST_STATEMENT_UPDATE ||
                          inner->kind == LT_AST_STATEMENT_MERGE))
        return lt_rows_change_refuse(inner, err);
    if (inner != NULL && inner->kind == LT_AST_STATEMENT_COPY && inner->query == NULL) {
        of_table.name  = inner->name;
        of_table.place = inner->place;
    }
    const lt_ast_query *query = inner == NULL ? NULL : inner->query != NULL ? inner->query : &of_table;
    if (query == NULL || (query == &of_table && of_table.name.count == 0))
        return lt_raise(err, LT_NOT_SUPPORTED, &statement->tree->place, "EXPLAIN takes a statement with a query");
    bool is_standing = inner->kind == LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW ||
                       inner->kind == LT_AST_STATEMENT_CREATE_SINK || query->emit == LT_AST_EMIT_CHANGES;
    if (is_standing) {
        use.is_standing    = true;
        use.recomputes_all = lt_session_recomputes_all(statement->session);
        use.mode           = inner->kind == LT_AST_STATEMENT_CREATE_SINK ? LT_MODE_APPEND
                             : query->emit == LT_AST_EMIT_CHANGES        ? LT_MODE_CHANGELOG
                                                                         : LT_MODE_NONE;
        for (uint32_t i = 0; i < inner->options.count; i++) {
            const lt_ast_option *option = &inner->options.items[i];
            if (option->value == NULL || option->value->kind != LT_AST_LITERAL) continue;
            const char *text = option->value->literal.text.text;
            if (lt_ascii_compare(option->key.text, "lateRows") == 0)
                use.freezes = lt_ascii_compare(text, "drop") == 0 || lt_ascii_compare(text, "fail") == 0;
            if (lt_ascii_compare(option->key.text, "outputMode") != 0) continue;
            for (lt_output_mode mode = LT_MODE_APPEND; mode <= LT_MODE_CHANGELOG; mode++)
                if (lt_ascii_compare(text, lt_output_mode_name(mode)) == 0) use.mode = mode;
        }
        use.freezes &= use.mode != LT_MODE_APPEND && use.mode != LT_MODE_UPDATE;
    }
    bool is_analyzed = statement->tree->explain == LT_AST_EXPLAIN_ANALYZE;
    if (is_analyzed && inner->kind != LT_AST_STATEMENT_QUERY)
        return lt_raise(err, LT_NOT_SUPPORTED, &inner->place,
                        "EXPLAIN ANALYZE runs a SELECT; for a standing query: EXPLAIN ANALYZE QUERY name");
    if (is_analyzed && is_standing)
        return lt_raise(err, LT_NOT_SUPPORTED, &inner->place,
                        "EXPLAIN ANALYZE of a query that never ends; leave EMIT CHANGES out, or create it and EXPLAIN "
                        "ANALYZE QUERY name");
    LT_TRY(explained_bind(statement, inner, query, is_standing, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &use, &plan, &present, err));
    LT_TRY(lt_statement_text_columns(statement, columns, 1, err));
    return is_analyzed ? run_and_explain(statement, &plan, &use, err)
                       : plan_explain(statement, &plan, &present, &use, NULL, err);
}
