#include "exec/session.h"

#include "base/ascii.h"
#include "parser/parser.h"
#include "parser/print.h"

// set: SET and RESET of settings, SET TIME ZONE; DECLARE, SET and DROP of session variables.

leat_status lt_run_set(leat_statement *statement, leat_error *err) {
    static const char *const columns[] = {"key", "value"};
    leat_session            *session   = statement->session;
    const lt_ast_statement  *tree      = statement->tree;
    if (tree->kind == LT_AST_STATEMENT_SET_TIME_ZONE) {
        const char *zone = tree->value.text == NULL ? "UTC" : tree->value.text;
        if (tree->delay != NULL) {
            lt_bind_context  context;
            const lt_vector *value;
            lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
            LT_TRY(lt_bind_constant(&context, tree->delay, NULL, &value, err));
            if (value->type->kind != LT_INTERVAL_DAY_TIME)
                return lt_raise(err, LT_INVALID_TIMEZONE, &tree->place,
                                "a zone is a name, an offset or an INTERVAL of hours");
            int64_t seconds = LT_LANES(value, const int64_t)[0] / 1000000, size = seconds < 0 ? -seconds : seconds;
            zone = lt_arena_format(&statement->result_arena, "%c%02lld:%02lld", seconds < 0 ? '-' : '+',
                                   (long long)(size / 3600), (long long)(size / 60 % 60));
            if (zone == NULL) return lt_raise_no_memory(err);
        }
        return lt_setting_set(session, "timeZone", zone, &tree->place, err);
    }
    if (tree->kind == LT_AST_STATEMENT_RESET) {
        for (const lt_setting *row = lt_settings; row->name != NULL; row++) {
            bool is_meant = tree->key.text == NULL || lt_ascii_compare(tree->key.text, row->name) == 0 ||
                            (row->spark != NULL && lt_ascii_compare(tree->key.text, row->spark) == 0);
            if (is_meant) LT_TRY(lt_setting_set(session, row->name, row->initial, &tree->place, err));
        }
        return LEAT_OK;
    }
    if (tree->key.text == NULL) return lt_show_settings(statement, err);
    if (tree->value.text != NULL) return lt_setting_set(session, tree->key.text, tree->value.text, &tree->place, err);
    const char *value = lt_setting_text(session, tree->key.text);
    const char *row[] = {tree->key.text, value == NULL ? "<undefined>" : value};
    LT_TRY(lt_statement_text_columns(statement, columns, 2, err));
    return lt_statement_text_row(statement, row, err);
}

// `default_sql` NULL: that of the variable stays.
static leat_status variable_store(leat_session *session, const char *name, const lt_type *type, const lt_vector *value,
                                  const char *default_sql, leat_error *err) {
    lt_arena arena;
    lt_arena_init(&arena, &session->account);
    lt_catalog_variable *variable = lt_catalog_variable_find(&session->catalog, name);
    if (default_sql == NULL && variable != NULL) default_sql = variable->default_sql;
    lt_vector     *copy     = LT_NEW(&arena, lt_vector);
    const lt_type *own_type = lt_type_copy(&arena, type);
    leat_status    status =
        copy == NULL || own_type == NULL ? lt_raise_no_memory(err) : lt_vector_init(copy, own_type, 1, &arena, err);
    if (status == LEAT_OK) status = lt_vector_append_row(copy, value, 0, &arena, err);
    const char *own_sql = default_sql == NULL ? NULL : lt_arena_text(&arena, default_sql, strlen(default_sql));
    if (status == LEAT_OK && default_sql != NULL && own_sql == NULL) status = lt_raise_no_memory(err);
    if (status != LEAT_OK) {
        lt_arena_deinit(&arena);
        return status;
    }
    copy->form = LT_CONSTANT;
    if (variable == NULL) {
        variable       = LT_NEW(&session->arena, lt_catalog_variable);
        char *own_name = lt_arena_text(&session->arena, name, strlen(name));
        if (variable == NULL || own_name == NULL) {
            lt_arena_deinit(&arena);
            return lt_raise_no_memory(err);
        }
        variable->name             = own_name;
        variable->next             = session->catalog.variables;
        session->catalog.variables = variable;
    } else {
        lt_arena_deinit(&variable->arena);
    }
    variable->arena       = arena;
    variable->value       = copy;
    variable->default_sql = own_sql;
    session->catalog.version++;
    return LEAT_OK;
}

static leat_status null_constant(lt_arena *arena, const lt_type *type, const lt_vector **out, leat_error *err) {
    lt_vector *value;
    LT_TRY_NEW(value, arena, err);
    *out = value;
    return lt_vector_init_constant_null(value, type, arena, err);
}

static leat_status set_from_query(leat_statement *statement, const lt_ast_query *query, const lt_ast_names *targets,
                                  leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    lt_query_plan           plan;
    lt_finish_use           once = {0};
    LT_TRY(lt_query_plan_bind(statement->session, statement, query, false, &statement->result_arena, &plan, err));
    LT_TRY(lt_plan_finish(&statement->result_arena, &once, &plan, NULL, err));
    if (plan.root->column_count != targets->count)
        return lt_raise(err, LT_ASSIGNMENT_ARITY_MISMATCH, &tree->place, "%u variables, but the query gives %u columns",
                        targets->count, plan.root->column_count);
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &statement->result_arena, plan.root->column_count + 1u, err);
    for (uint32_t c = 0; c < plan.root->column_count; c++) types[c] = plan.root->columns[c].type;
    leat_statement collector = {.session = statement->session};
    lt_segments_init(&collector.rows, types, plan.root->column_count, &statement->session->account);
    leat_status status =
        lt_query_run_now(statement->session, &plan, &statement->evaluation, lt_statement_give, &collector, err);
    if (status == LEAT_OK && collector.rows.row_count > 1)
        status =
            lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &tree->place,
                     "the query gives %llu rows; variables take one", (unsigned long long)collector.rows.row_count);
    for (uint32_t c = 0; status == LEAT_OK && c < targets->count; c++) {
        const char          *name     = targets->items[c].text;
        lt_catalog_variable *variable = lt_catalog_variable_find(&statement->session->catalog, name);
        const lt_vector     *value = NULL, *cast = NULL;
        if (variable == NULL) {
            status = lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, &targets->items[c].place,
                              "no variable `%s`; DECLARE VARIABLE makes one", name);
            break;
        }
        const lt_type *type = variable->value->type;
        if (collector.rows.row_count > 0) value = cast = &collector.rows.items[0]->columns[c];
        if (value == NULL)
            status = null_constant(&statement->result_arena, type, &cast, err);
        else if (!lt_type_equal(type, value->type))
            status = lt_cast_run(value, type, (uint16_t[]){0}, 1, 1, false, &statement->result_arena,
                                 &statement->evaluation, &tree->place, &cast, err);
        if (status == LEAT_OK) status = variable_store(statement->session, name, type, cast, NULL, err);
    }
    lt_segments_deinit(&collector.rows);
    return status;
}

// SET VAR v = DEFAULT: the expression that v was declared with, or NULL, evaluated now.
static leat_status assigned_value(leat_statement *statement, const lt_ast_assignment *assignment,
                                  lt_ast_expression **out, leat_error *err) {
    const lt_ast_expression *value = assignment->value;
    *out                           = assignment->value;
    if (value->kind != LT_AST_COLUMN || value->names.count != 1 || value->names.items[0].quoted ||
        lt_ascii_compare(value->names.items[0].text, "DEFAULT") != 0)
        return LEAT_OK;
    const lt_catalog_variable *variable =
        lt_catalog_variable_find(&statement->session->catalog, lt_ast_names_last(&assignment->target));
    const char *sql = variable == NULL || variable->default_sql == NULL ? "NULL" : variable->default_sql;
    return lt_parse_expression(sql, strlen(sql), &statement->result_arena, out, err);
}

// SET VAR a = x, b = y is (a, b) = (SELECT x, y): values may hold sub-queries, and none sees what another one sets.
static leat_status set_from_values(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree   = statement->tree;
    lt_arena               *arena  = &statement->result_arena;
    lt_ast_select          *select = LT_NEW(arena, lt_ast_select);
    lt_ast_query           *query  = LT_NEW(arena, lt_ast_query);
    lt_ast_names            names  = {.count = tree->assignments.count};
    if (select == NULL || query == NULL) return lt_raise_no_memory(err);
    LT_TRY_NEW_ARRAY(names.items, arena, names.count, err);
    LT_TRY_NEW_ARRAY(select->items.items, arena, names.count, err);
    for (uint32_t i = 0; i < names.count; i++) {
        const lt_ast_names *target = &tree->assignments.items[i].target;
        names.items[i]             = target->items[target->count - 1];
        LT_TRY(assigned_value(statement, &tree->assignments.items[i], &select->items.items[i].expression, err));
    }
    select->items.count = names.count;
    select->place       = tree->place;
    query->kind         = LT_AST_QUERY_SELECT;
    query->select       = select;
    query->place        = tree->place;
    return set_from_query(statement, query, &names, err);
}

leat_status lt_run_variable(leat_statement *statement, leat_error *err) {
    leat_session           *session = statement->session;
    const lt_ast_statement *tree    = statement->tree;
    lt_bind_context         context;
    lt_bind_context_init(session, statement, &statement->result_arena, &statement->evaluation, &context);
    if (tree->kind == LT_AST_STATEMENT_DROP_VARIABLE) {
        const char *name = lt_ast_names_last(&tree->name);
        for (lt_catalog_variable **link = &session->catalog.variables; *link != NULL; link = &(*link)->next)
            if (lt_ascii_compare((*link)->name, name) == 0) {
                lt_arena arena = (*link)->arena;
                *link          = (*link)->next;
                lt_arena_deinit(&arena);
                return LEAT_OK;
            }
        return tree->if_exists
                   ? LEAT_OK
                   : lt_raise(err, LT_UNRESOLVED_COLUMN__WITHOUT_SUGGESTION, &tree->place, "no variable `%s`", name);
    }
    if (tree->kind == LT_AST_STATEMENT_SET_VARIABLE) {
        if (tree->query != NULL) return set_from_query(statement, tree->query, &tree->target_columns, err);
        return set_from_values(statement, err);
    }
    const lt_type   *type  = NULL;
    const lt_vector *value = NULL;
    if (tree->type != NULL) LT_TRY(lt_bind_type(&context, tree->type, &type, err));
    if (tree->body != NULL) LT_TRY(lt_bind_constant(&context, tree->body, type, &value, err));
    if (type == NULL) type = value != NULL ? value->type : lt_type_of(LT_STRING);
    if (value == NULL) LT_TRY(null_constant(&statement->result_arena, type, &value, err));
    const char *sql = "NULL";
    if (tree->body != NULL) {
        lt_buffer text;
        lt_buffer_init(&text, &session->account, 0);
        leat_status status = lt_print_expression(&text, tree->body, err);
        sql                = status == LEAT_OK ? lt_arena_text(&statement->result_arena, text.data, text.bytes) : NULL;
        lt_buffer_deinit(&text);
        LT_TRY(status);
        if (sql == NULL) return lt_raise_no_memory(err);
    }
    for (uint32_t i = 0; i < tree->target_columns.count; i++)
        LT_TRY(variable_store(session, tree->target_columns.items[i].text, type, value, sql, err));
    return LEAT_OK;
}
