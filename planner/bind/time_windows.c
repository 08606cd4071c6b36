#include "planner/bind/binder.h"

#include "base/ascii.h"

// window(..), session_window(..) and window_time(..): they become a column of the SELECT's input, named after the
// function, before anything else is computed; so GROUP BY window(t, '5 minutes') lets the select list say window.start.

static leat_status duration_of(const lt_bound *bound, int64_t *out, leat_error *err) {
    const lt_expression *value = bound->expression;
    return lt_window_length(value->kind == LT_EXPRESSION_LITERAL ? value->value : NULL, false, &value->place, out, err);
}

// The time of a window is its last moment, so that windows of windows nest.
leat_status lt_window_time_of(lt_binder *binder, const lt_bound *bound, const char *name, const lt_expression **out,
                              leat_error *err) {
    const lt_type *type = bound->expression->type;
    *out                = bound->expression;
    if (type->kind == LT_STRUCT && type->field_count == 2 && lt_ascii_compare(type->fields[0].name, "start") == 0) {
        lt_bound time;
        LT_TRY(lt_call_bind(binder, "window_time", bound, 1, NULL, &bound->expression->place, &time, err));
        *out = time.expression;
        return LEAT_OK;
    }
    if (type->kind == LT_TIMESTAMP || type->kind == LT_TIMESTAMP_NTZ) return LEAT_OK;
    if (type->kind != LT_DATE && type->kind != LT_STRING && type->kind != LT_VOID)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &bound->expression->place,
                        "`%s` takes a TIMESTAMP, not %s", name, lt_type_text(binder->arena, type));
    return lt_cast_to(binder, bound->expression, lt_type_of(LT_TIMESTAMP), out, err);
}

static leat_status window_type(lt_binder *binder, const lt_type *time, const lt_type **out, leat_error *err) {
    const lt_field fields[2] = {{.name = "start", .type = time}, {.name = "end", .type = time}};
    *out                     = lt_type_struct(binder->arena, fields, 2);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// The relation gets `plan`, whose last column is new; it is found by name but is no part of *.
static leat_status column_added(lt_binder *binder, lt_relation *relation, const lt_plan *plan, const char *name,
                                leat_error *err) {
    const uint32_t        at     = plan->column_count - 1;
    const lt_scope_column column = {.name = name, .type = plan->columns[at].type, .column = at, .is_hidden = true};
    relation->plan               = plan;
    LT_LIST_ADD(binder->arena, &relation->columns, column, err);
    return LEAT_OK;
}

static leat_status column_bound(lt_binder *binder, const lt_plan *plan, uint32_t column, const char *text,
                                const lt_place *place, lt_bound *out, leat_error *err) {
    *out            = (lt_bound){.text = text, .name = text, .size = 1, .depth = 1};
    out->expression = lt_expression_column(binder->arena, column, plan->columns[column].type, place);
    return out->expression == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static bool is_same(const lt_time_window *a, const lt_time_window *b) {
    return lt_expression_equal(a->time, b->time) && (a->gap == NULL) == (b->gap == NULL) &&
           (a->gap == NULL || lt_expression_equal(a->gap, b->gap)) &&
           memcmp(a->lengths, b->lengths, sizeof a->lengths) == 0;
}

// The equal window of the same SELECT, or NULL. Two different ones would pair each with each.
static leat_status earlier(const lt_scope *scope, const lt_time_window *wanted, const lt_place *place,
                           const lt_time_window **out, leat_error *err) {
    *out = NULL;
    for (uint32_t i = 0; scope->time_windows != NULL && i < scope->time_windows->count; i++) {
        const lt_time_window *window  = &scope->time_windows->items[i];
        const bool            is_time = window->gap == NULL && window->lengths[0] == 0;
        if (is_same(window, wanted)) {
            *out = window;
            return LEAT_OK;
        }
        if (!is_time && (wanted->gap != NULL || wanted->lengths[0] != 0))
            return lt_raise(err, LT_LEGACY_ERROR_TEMP_1039, place, "a SELECT takes one time window");
    }
    return LEAT_OK;
}

// ---- window
// -----------------------------------------------------------------------------------------------------------------

leat_status lt_window_assign(lt_binder *binder, const lt_plan *below, const lt_expression *time,
                             const lt_window_spec *spec, const lt_place *place, const lt_plan **out, leat_error *err) {
    const uint32_t  at = below->column_count;
    lt_plan        *assign;
    lt_plan_column *columns;
    const lt_type  *type;
    LT_TRY(lt_window_spec_check(spec, place, err));
    LT_TRY(window_type(binder, time->type, &type, err));
    LT_TRY(lt_plan_new(binder, LT_PLAN_ASSIGN_WINDOW, &below, 1, at + 1, place, &assign, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, at + 1, err);
    memcpy(columns, below->columns, at * sizeof *columns);
    columns[at]                          = lt_plan_column_of(below, time, "window");
    columns[at].type                     = type;
    columns[at].is_hidden                = false;
    assign->columns                      = columns;
    assign->as.assign_window.time        = time;
    assign->as.assign_window.duration_us = spec->duration_us;
    assign->as.assign_window.slide_us    = spec->slide_us;
    assign->as.assign_window.offset_us   = spec->offset_us;
    assign->as.assign_window.step_us     = spec->step_us;
    *out                                 = assign;
    return LEAT_OK;
}

static leat_status window_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast,
                               const lt_bounds *arguments, lt_bound *out, leat_error *err) {
    lt_relation          *relation = scope->relation;
    const lt_expression  *time;
    const lt_time_window *found;
    lt_time_window        window  = {0};
    int64_t              *lengths = window.lengths;
    if (arguments->count < 2 || arguments->count > 4)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &ast->place, "window takes 2 to 4 arguments");
    for (uint32_t i = 1; i < arguments->count; i++) LT_TRY(duration_of(&arguments->items[i], &lengths[i - 1], err));
    LT_TRY(lt_window_time_of(binder, &arguments->items[0], "window", &time, err));
    if (arguments->count == 2) lengths[1] = lengths[0];
    const lt_window_spec spec = {.duration_us = lengths[0], .slide_us = lengths[1], .offset_us = lengths[2]};
    LT_TRY(lt_window_spec_check(&spec, &ast->place, err));
    window.time   = time;
    window.column = relation->plan->column_count;
    LT_TRY(earlier(scope, &window, &ast->place, &found, err));
    if (found != NULL) return column_bound(binder, relation->plan, found->column, "window", &ast->place, out, err);
    if (scope->time_windows != NULL) LT_LIST_ADD(binder->arena, scope->time_windows, window, err);
    const lt_plan *assign;
    LT_TRY(lt_window_assign(binder, relation->plan, time, &spec, &ast->place, &assign, err));
    LT_TRY(column_added(binder, relation, assign, "window", err));
    return column_bound(binder, assign, window.column, "window", &ast->place, out, err);
}

// ---- columns by projection
// --------------------------------------------------------------------------------------------------

static leat_status project_added(lt_binder *binder, const lt_plan *below, const lt_expression *value, const char *name,
                                 const lt_plan **out, leat_error *err) {
    const uint32_t        count = below->column_count;
    const lt_expression **columns;
    const char          **names;
    LT_TRY_NEW_ARRAY(columns, binder->arena, count + 1, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, count + 1, err);
    for (uint32_t i = 0; i < count; i++) LT_TRY(lt_column_new(binder, i, below->columns[i].type, &columns[i], err));
    columns[count] = value;
    names[count]   = name;
    return lt_plan_project(binder, below, columns, names, count + 1, out, err);
}

// A gap may have months, which lengths of window() may not; a text that is no interval is a NULL.
static bool is_length(const lt_vector *text) {
    lt_calendar_interval interval;
    if (lt_vector_is_null(text, 0)) return false;
    const lt_string *value = &LT_VALUE(text, lt_string, 0);
    return lt_calendar_interval_parse(lt_string_data(value), value->bytes, &interval) && interval.months == 0;
}

leat_status lt_session_gap_of(lt_binder *binder, const lt_bound *bound, const lt_expression **out, leat_error *err) {
    const lt_expression *gap = bound->expression;
    *out                     = gap;
    if (gap->type->kind == LT_STRING && gap->kind == LT_EXPRESSION_LITERAL && is_length(gap->value)) {
        int64_t          us;
        const lt_vector *value;
        LT_TRY(duration_of(bound, &us, err));
        LT_TRY(lt_constant_int64(binder->arena, LT_INTERVAL_DAY_TIME, us, &value, err));
        *out = lt_expression_literal(binder->arena, value, &gap->place);
        return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
    }
    if (gap->type->kind == LT_STRING) return lt_cast_to(binder, gap, lt_type_of(LT_INTERVAL_CALENDAR), out, err);
    if (lt_kind_is_interval(gap->type->kind)) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &gap->place,
                    "the gap of a session is a text or an interval, not %s", lt_type_text(binder->arena, gap->type));
}

static leat_status part(lt_binder *binder, const char *text, lt_bound *out, leat_error *err) {
    const lt_vector *value;
    LT_TRY(lt_constant_text(binder->arena, LT_STRING, text, strlen(text), &value, err));
    *out            = (lt_bound){.text = text, .size = 1, .depth = 1};
    out->expression = lt_expression_literal(binder->arena, value, NULL);
    return out->expression == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_session_assign(lt_binder *binder, const lt_plan *below, const lt_expression *time,
                              const lt_expression *gap, const lt_place *place, const lt_plan **out, leat_error *err) {
    lt_bound       parts[4];
    lt_bound       window;
    lt_bound       is_open;
    const lt_bound sum[2] = {{.expression = time, .text = "", .size = 1, .depth = 1},
                             {.expression = gap, .text = "", .size = 1, .depth = 1}};
    const lt_plan *plan;
    LT_TRY(part(binder, "start", &parts[0], err));
    LT_TRY(part(binder, "end", &parts[2], err));
    parts[1] = sum[0];
    LT_TRY(lt_call_bind(binder, "+", sum, 2, NULL, place, &parts[3], err));
    LT_TRY(lt_cast_to(binder, parts[3].expression, time->type, &parts[3].expression, err));
    LT_TRY(lt_call_bind(binder, "named_struct", parts, 4, NULL, place, &window, err));
    LT_TRY(lt_compare_bind(binder, ">", &parts[3], &parts[1], place, &is_open, err));
    LT_TRY(lt_plan_filter(binder, below, is_open.expression, &below, err));
    const uint32_t at = below->column_count;
    LT_TRY(project_added(binder, below, window.expression, "session_window", &plan, err));
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, plan->column_count, err);
    memcpy(columns, plan->columns, plan->column_count * sizeof *columns);
    columns[at]            = lt_plan_column_of(below, time, "session_window");
    columns[at].type       = window.expression->type;
    columns[at].is_hidden  = false;
    columns[at].is_session = true;
    lt_plan *named;
    LT_TRY_NEW(named, binder->arena, err);
    *named         = *plan;
    named->columns = columns;
    *out           = named;
    return LEAT_OK;
}

static leat_status session_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast,
                                const lt_bounds *arguments, lt_bound *out, leat_error *err) {
    lt_relation          *relation = scope->relation;
    lt_time_window        session  = {0};
    const lt_time_window *found;
    const lt_plan        *plan;
    if (arguments->count != 2)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &ast->place, "session_window takes 2 arguments");
    LT_TRY(lt_window_time_of(binder, &arguments->items[0], "session_window", &session.time, err));
    LT_TRY(lt_session_gap_of(binder, &arguments->items[1], &session.gap, err));
    LT_TRY(earlier(scope, &session, &ast->place, &found, err));
    if (found != NULL)
        return column_bound(binder, relation->plan, found->column, "session_window", &ast->place, out, err);
    LT_TRY(lt_session_assign(binder, relation->plan, session.time, session.gap, &ast->place, &plan, err));
    session.column = plan->column_count - 1;
    if (scope->time_windows != NULL) LT_LIST_ADD(binder->arena, scope->time_windows, session, err);
    LT_TRY(column_added(binder, relation, plan, "session_window", err));
    return column_bound(binder, plan, session.column, "session_window", &ast->place, out, err);
}

// window_time(window): a column of the input too, so that it can be grouped by.
static leat_status window_time_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast,
                                    const lt_bounds *arguments, lt_bound *out, leat_error *err) {
    lt_relation *relation = scope->relation;
    LT_TRY(lt_call_bind(binder, "window_time", arguments->items, arguments->count, NULL, &ast->place, out, err));
    if (out->expression->kind == LT_EXPRESSION_LITERAL || relation == NULL || relation->plan == NULL) return LEAT_OK;
    const char           *text = out->text;
    const uint32_t        at   = relation->plan->column_count;
    const lt_time_window *found;
    const lt_time_window  time = {.column = at, .time = out->expression};
    LT_TRY(earlier(scope, &time, &ast->place, &found, err));
    if (found != NULL) return column_bound(binder, relation->plan, found->column, text, &ast->place, out, err);
    if (scope->time_windows == NULL) return LEAT_OK;
    LT_LIST_ADD(binder->arena, scope->time_windows, time, err);
    LT_TRY(project_added(binder, relation->plan, out->expression, text, &relation->plan, err));
    return column_bound(binder, relation->plan, at, text, &ast->place, out, err);
}

// A window multiplies the rows of the relation; not every clause reads its plan afterwards.
static bool may_add_rows(const lt_scope *scope) {
    if (scope->relation == NULL || scope->relation->plan == NULL) return false;
    return scope->time_windows != NULL || scope->clause == LT_CLAUSE_WHERE || scope->clause == LT_CLAUSE_ORDER_BY ||
           scope->clause == LT_CLAUSE_PIPE || scope->clause == LT_CLAUSE_SELECT;
}

leat_status lt_time_window_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                lt_bound *out, leat_error *err) {
    lt_bounds  arguments = {0};
    lt_scope   inner     = *scope;
    const bool is_window = strcmp(name, "window") == 0;
    inner.aggregation    = NULL;
    inner.overs          = NULL;
    if ((is_window || strcmp(name, "session_window") == 0) && !may_add_rows(scope))
        return lt_raise(err,
                        scope->clause == LT_CLAUSE_VALUES
                            ? LT_INVALID_INLINE_TABLE__CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE
                            : LT_UNSUPPORTED_EXPR_FOR_OPERATOR,
                        &ast->place, "`%s` cannot stand here; put it in the select list or in GROUP BY", name);
    LT_TRY(lt_bind_list(binder, &inner, &ast->arguments, &arguments, err));
    if (is_window) return window_bind(binder, &inner, ast, &arguments, out, err);
    if (strcmp(name, "session_window") == 0) return session_bind(binder, &inner, ast, &arguments, out, err);
    return window_time_bind(binder, &inner, ast, &arguments, out, err);
}

// ---- before the select list
// -------------------------------------------------------------------------------------------------

static bool is_time_window(const lt_ast_expression *ast) {
    if (ast->kind != LT_AST_CALL || ast->call->over != NULL) return false;
    const char *name = lt_ast_names_last(&ast->call->name);
    return lt_ascii_compare(name, "window") == 0 || lt_ascii_compare(name, "session_window") == 0;
}

static leat_status prepare(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, leat_error *err) {
    for (uint32_t i = 0; i < ast->arguments.count; i++) LT_TRY(prepare(binder, scope, ast->arguments.items[i], err));
    lt_bound ignored;
    if (!is_time_window(ast)) return LEAT_OK;
    if (ast->arguments.count < 2 || ast->arguments.count > 4)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &ast->place, "window takes 2 to 4 arguments");
    // A length that is none comes first; any other fault is told where it stands, behind the errors of the select list.
    leat_error        cause  = {0};
    const leat_status status = lt_bind_expression(binder, scope, ast, &ignored, &cause);
    if (status == LEAT_NO_MEMORY) return lt_raise_no_memory(err);
    if (status == LEAT_OK || cause.condition != LT_CANNOT_PARSE_INTERVAL) return LEAT_OK;
    if (err != NULL) *err = cause;
    return status;
}

static leat_status items_prepare(lt_binder *binder, lt_scope *scope, const lt_ast_group_items *items, leat_error *err) {
    for (uint32_t i = 0; i < items->count; i++) {
        const lt_ast_group_item *item = &items->items[i];
        if (item->kind == LT_AST_GROUP_EXPRESSION) LT_TRY(prepare(binder, scope, item->item.expression, err));
        for (uint32_t s = 0; s < item->sets.count; s++)
            for (uint32_t k = 0; k < item->sets.items[s].count; k++)
                LT_TRY(prepare(binder, scope, item->sets.items[s].items[k], err));
        LT_TRY(items_prepare(binder, scope, &item->items, err));
    }
    return LEAT_OK;
}

leat_status lt_time_windows_prepare(lt_binder *binder, lt_scope *scope, const lt_ast_group_by *group_by,
                                    leat_error *err) {
    return items_prepare(binder, scope, &group_by->items, err);
}
