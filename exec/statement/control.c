#include "exec/session.h"

#include "planner/nearest.h"

#include <strings.h>

// control: standing queries: CREATE MATERIALIZED VIEW and SINK, EMIT CHANGES, PROCESS, AWAIT, START, STOP.

leat_status lt_run_create_standing(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    const char             *name    = lt_ast_names_last(&tree->name);
    lt_catalog_entry       *entry   = lt_catalog_find(&session->catalog, name);
    if (entry != NULL) {
        if (tree->if_not_exists) return LEAT_OK;
        if (!tree->or_replace || (entry->kind != LT_RELATION_QUERY && entry->kind != LT_RELATION_SINK))
            return lt_raise(err, LT_TABLE_OR_VIEW_ALREADY_EXISTS, &tree->name.items[0].place,
                            "`%s` is there already; DROP it, or CREATE OR REPLACE", name);
        LT_TRY(lt_standing_refuse_drop(session, entry, &tree->place, err));
        lt_standing_drop(session, entry->object);
    }
    lt_standing *query  = NULL;
    leat_status  status = lt_standing_create(session, statement, tree, &query, err);
    // A checkpoint that cannot be used is refused now, not at the first batch. Queries that end by themselves start
    // when they are run.
    if (status == LEAT_OK && (query->trigger == LT_TRIGGER_DEFAULT || query->trigger == LT_TRIGGER_INTERVAL))
        status = lt_standing_start(query, err);
    // A query that its checkpoint refuses is there, as failed: whatever runs it meets the refusal, and DROP removes it
    // (recorded).
    bool is_refused = status == LEAT_CHANGED;
    if (status != LEAT_OK && !is_refused) {
        if (query != NULL) lt_standing_destroy(&query);
        return status;
    }
    lt_error_reset(is_refused ? err : NULL);
    lt_standing **end = &session->standing;
    while (*end != NULL) end = &(*end)->next;
    *end = query;
    if (is_refused) return lt_statement_message_set(statement, err, "%s: refused: %s", name, query->error.message);
    if (query->state == LEAT_QUERY_RUNNING && query->batch_id > 0)
        return lt_statement_message_set(statement, err, "%s: resumed after batch %lld", name,
                                        (long long)query->batch_id - 1);
    return lt_statement_message_set(statement, err, query->is_sink ? "%s runs" : "%s runs; SELECT from it, or .live %s",
                                    name, name);
}

// SELECT ... EMIT CHANGES: a standing query of the statement's own, whose changes become the statement's rows.
leat_status lt_standing_changes(leat_statement *statement, leat_error *err) {
    leat_session *session   = statement->session;
    lt_standing  *query     = NULL;
    lt_ast_query *tree      = statement->tree->query;
    statement->changes_left = -1;
    if (tree->organization.limit != NULL) { // ends the stream of changes after so many rows
        lt_bind_context  context;
        const lt_vector *limit;
        lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
        LT_TRY(lt_bind_constant(&context, tree->organization.limit, lt_type_of(LT_BIGINT), &limit, err));
        statement->changes_left  = lt_vector_is_null(limit, 0) ? -1 : LT_LANES(limit, const int64_t)[0];
        tree->organization.limit = NULL;
    }
    leat_status status = lt_standing_create(session, statement, statement->tree, &query, err);
    if (status == LEAT_OK) status = lt_standing_start(query, err);
    if (status != LEAT_OK) {
        if (query != NULL) lt_standing_destroy(&query);
        return status;
    }
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, &statement->result_arena, query->entry->column_count + 1u, err);
    for (uint32_t c = 0; c < query->entry->column_count; c++)
        columns[c] = (lt_plan_column){.name = query->entry->columns[c].name, .type = query->entry->columns[c].type};
    query->changes     = statement;
    statement->changes = query;
    query->has_table   = false;
    query->next        = session->standing;
    session->standing  = query;
    return lt_statement_columns(statement, columns, query->entry->column_count, err);
}

static leat_status deadline_of(leat_statement *statement, int64_t *out, leat_error *err) {
    *out = INT64_MAX;
    if (statement->tree->delay == NULL) return LEAT_OK;
    lt_bind_context  context;
    const lt_vector *value;
    lt_bind_context_init(statement->session, statement, &statement->result_arena, &statement->evaluation, &context);
    LT_TRY(lt_bind_constant(&context, statement->tree->delay, NULL, &value, err));
    if (value->type->kind != LT_INTERVAL_DAY_TIME)
        return lt_raise(err, LT_CANNOT_PARSE_INTERVAL, &statement->tree->delay->place,
                        "TIMEOUT takes an INTERVAL of days to seconds");
    *out = lt_clock_steady_us(statement->session->clock_used) + LT_LANES(value, const int64_t)[0];
    return LEAT_OK;
}

static leat_status control_one(leat_statement *statement, lt_standing *query, int64_t deadline, leat_error *err) {
    switch (statement->tree->kind) {
    case LT_AST_STATEMENT_PROCESS_ALL:
        return lt_standing_process(query, deadline, err);
    case LT_AST_STATEMENT_AWAIT_TERMINATION:
        return lt_standing_await(query, deadline, err);
    case LT_AST_STATEMENT_START_QUERY:
        return lt_standing_start(query, err);
    case LT_AST_STATEMENT_STOP_QUERY:
        lt_standing_stop(query);
        return LEAT_OK;
    default:
        return LEAT_OK;
    }
}

// PROCESS ALL AVAILABLE over all queries goes on until none has work: one may feed another.
static leat_status process_all(leat_statement *statement, int64_t deadline, leat_error *err) {
    for (bool any = true; any;) {
        any = false;
        for (lt_standing *query = statement->session->standing; query != NULL; query = query->next) {
            uint64_t before = query->progress_count;
            if (query->state == LEAT_QUERY_FAILED && query->is_failure_told) continue;
            if (query->trigger == LT_TRIGGER_ONCE || query->trigger == LT_TRIGGER_AVAILABLE_NOW) {
                if (query->state != LEAT_QUERY_RUNNING && query->state != LEAT_QUERY_FAILED) continue;
            }
            LT_TRY(lt_standing_process(query, deadline, err));
            any |= query->progress_count != before && query->state == LEAT_QUERY_RUNNING;
        }
    }
    return LEAT_OK;
}

leat_status lt_query_missing(const leat_session *session, const char *name, const lt_place *place, leat_error *err) {
    lt_nearest nearest = {.wanted = name};
    for (const lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->changes == NULL) lt_nearest_offer(&nearest, query->entry->name);
    if (nearest.best == NULL || nearest.best_distance > strlen(name) / 2 + 1)
        return lt_raise(err, LT_QUERY_NOT_FOUND, place, "no standing query `%s`; SHOW QUERIES lists them", name);
    return lt_raise(err, LT_QUERY_NOT_FOUND, place, "no standing query `%s`; did you mean `%s`?", name, nearest.best);
}

leat_status lt_run_control(leat_statement *statement, leat_error *err) {
    leat_session *session = statement->session;
    const char   *name    = lt_ast_names_last(&statement->tree->name);
    int64_t       deadline;
    LT_TRY(deadline_of(statement, &deadline, err));
    if (name != NULL) {
        lt_standing *query = lt_standing_find(session, name);
        if (query == NULL) return lt_query_missing(session, name, &statement->tree->name.items[0].place, err);
        return control_one(statement, query, deadline, err);
    }
    if (statement->tree->kind == LT_AST_STATEMENT_PROCESS_ALL) return process_all(statement, deadline, err);
    for (lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->state != LEAT_QUERY_FAILED) LT_TRY(control_one(statement, query, deadline, err));
    return LEAT_OK;
}
