#include "planner/bind/binder.h"

// Building blocks: expressions and plan nodes with their columns.

void *lt_list_room(lt_arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t item_bytes) {
    if (count < *capacity) return items;
    const uint32_t more = *capacity == 0 ? 8 : *capacity * 2;
    void          *room = lt_arena_zero(arena, more * item_bytes);
    if (room == NULL) return NULL;
    if (count > 0) memcpy(room, items, count * item_bytes);
    *capacity = more;
    return room;
}

leat_status lt_expression_new(lt_binder *binder, lt_expression_kind kind, const lt_type *type,
                              const lt_expression *const *arguments, uint32_t argument_count, const lt_place *place,
                              lt_expression **out, leat_error *err) {
    lt_expression *expression;
    LT_TRY_NEW(expression, binder->arena, err);
    const lt_expression **copy = NULL;
    if (argument_count > 0) {
        LT_TRY_NEW_ARRAY(copy, binder->arena, argument_count, err);
        memcpy(copy, arguments, argument_count * sizeof *copy);
    }
    *expression    = (lt_expression){.kind = kind, .type = type, .arguments = copy, .argument_count = argument_count};
    expression->id = binder->expression_next++;
    if (place != NULL) expression->place = *place;
    *out = expression;
    return LEAT_OK;
}

leat_status lt_bind_fold(lt_binder *binder, const lt_expression *expression, const lt_expression **out,
                         leat_error *err) {
    *out = expression;
    if (expression->kind == LT_EXPRESSION_LITERAL || expression->kind == LT_EXPRESSION_LAMBDA ||
        binder->context->fold == NULL || !lt_expression_is_foldable(expression))
        return LEAT_OK;
    const lt_vector  *value  = NULL;
    const leat_status status = binder->context->fold(binder->context->user, expression, binder->arena, &value, NULL);
    if (status == LEAT_NO_MEMORY) return lt_raise_no_memory(err);
    if (status != LEAT_OK) return LEAT_OK; // raised when it is evaluated, if it ever is
    if (value->type != expression->type) {
        lt_vector *typed;
        LT_TRY_NEW(typed, binder->arena, err);
        *typed      = *value;
        typed->type = expression->type;
        value       = typed;
    }
    *out = lt_expression_literal(binder->arena, value, &expression->place);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_cast_to(lt_binder *binder, const lt_expression *expression, const lt_type *type,
                       const lt_expression **out, leat_error *err) {
    *out = expression;
    if (lt_type_equal(expression->type, type)) return LEAT_OK;
    if (type->kind == LT_TIME && expression->type->kind != LT_VOID &&
        !binder->context->evaluation->is_time_type_enabled)
        return lt_raise(err, LT_UNSUPPORTED_TIME_TYPE, &expression->place,
                        "casts to TIME are off; SET spark.sql.timeType.enabled = true allows them");
    lt_expression *cast;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_CAST, type, &expression, 1, &expression->place, &cast, err));
    return lt_bind_fold(binder, cast, out, err);
}

leat_status lt_column_new(lt_binder *binder, uint32_t column, const lt_type *type, const lt_expression **out,
                          leat_error *err) {
    *out = lt_expression_column(binder->arena, column, type, NULL);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_and(lt_binder *binder, const lt_expression *const *terms, uint32_t count, const lt_expression **out,
                   leat_error *err) {
    *out = NULL;
    if (count == 0) return LEAT_OK;
    *out = terms[0];
    if (count == 1) return LEAT_OK;
    lt_expression *both;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_AND, lt_type_of(LT_BOOLEAN), terms, count, &terms[0]->place, &both,
                             err));
    *out = both;
    return LEAT_OK;
}

leat_status lt_conjuncts(lt_binder *binder, const lt_expression *expression, lt_expression_list *out, leat_error *err) {
    if (expression->kind != LT_EXPRESSION_AND) {
        LT_LIST_ADD(binder->arena, out, expression, err);
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < expression->argument_count; i++)
        LT_TRY(lt_conjuncts(binder, expression->arguments[i], out, err));
    return LEAT_OK;
}

leat_status lt_not(lt_binder *binder, const lt_expression *expression, const lt_expression **out, leat_error *err) {
    lt_bound       result;
    const lt_bound argument = {.expression = expression, .text = "", .size = 1, .depth = 1};
    LT_TRY(lt_call_bind(binder, "not", &argument, 1, NULL, &expression->place, &result, err));
    *out = result.expression;
    return LEAT_OK;
}

// ---- plan nodes
// -------------------------------------------------------------------------------------------------------

leat_status lt_plan_new(lt_binder *binder, lt_plan_kind kind, const lt_plan *const *inputs, uint32_t input_count,
                        uint32_t column_count, const lt_place *place, lt_plan **out, leat_error *err) {
    lt_plan *plan;
    LT_TRY_NEW(plan, binder->arena, err);
    plan->kind = kind;
    if (place != NULL) plan->place = *place;
    if (input_count > 0) {
        const lt_plan **copy;
        LT_TRY_NEW_ARRAY(copy, binder->arena, input_count, err);
        memcpy(copy, inputs, input_count * sizeof *copy);
        plan->inputs      = copy;
        plan->input_count = input_count;
        if (place == NULL) plan->place = inputs[0]->place;
    }
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, column_count, err);
    plan->columns      = columns;
    plan->column_count = column_count;
    *out               = plan;
    return LEAT_OK;
}

leat_status lt_plan_over(lt_binder *binder, lt_plan_kind kind, const lt_plan *input, lt_plan **out, leat_error *err) {
    LT_TRY(lt_plan_new(binder, kind, &input, 1, 0, NULL, out, err));
    (*out)->columns      = input->columns;
    (*out)->column_count = input->column_count;
    return LEAT_OK;
}

leat_status lt_plan_filter(lt_binder *binder, const lt_plan *input, const lt_expression *predicate, const lt_plan **out,
                           leat_error *err) {
    *out = input;
    if (predicate == NULL) return LEAT_OK;
    lt_plan *filter;
    LT_TRY(lt_plan_over(binder, LT_PLAN_FILTER, input, &filter, err));
    filter->as.filter.predicate = predicate;
    *out                        = filter;
    return LEAT_OK;
}

// Event time stays with a column that is handed on as it is, and with the window it lies in.
lt_plan_column lt_plan_column_of(const lt_plan *input, const lt_expression *expression, const char *name) {
    lt_plan_column column = {.name = name, .type = expression->type};
    if (expression->kind == LT_EXPRESSION_COLUMN && input != NULL && expression->column < input->column_count) {
        const lt_plan_column *from = &input->columns[expression->column];
        column.has_event_time      = from->has_event_time;
        column.delay_us            = from->delay_us;
        column.watermark           = from->watermark;
        column.is_session          = from->is_session;
        if (name == NULL) column.name = from->name;
        column.is_hidden = from->is_hidden;
    }
    if (expression->kind == LT_EXPRESSION_CALL && input != NULL && expression->argument_count == 1 &&
        strcmp(expression->function->name, "window_time") == 0) {
        const lt_plan_column from = lt_plan_column_of(input, expression->arguments[0], name);
        column.has_event_time     = from.has_event_time;
        column.delay_us           = from.delay_us;
        column.watermark          = from.watermark;
    }
    if (column.name == NULL) column.name = "";
    return column;
}

leat_status lt_plan_project(lt_binder *binder, const lt_plan *input, const lt_expression *const *expressions,
                            const char *const *names, uint32_t count, const lt_plan **out, leat_error *err) {
    lt_plan *project;
    LT_TRY(lt_plan_new(binder, LT_PLAN_PROJECT, &input, 1, count, NULL, &project, err));
    const lt_expression **copy;
    LT_TRY_NEW_ARRAY(copy, binder->arena, count, err);
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        copy[i]    = expressions[i];
        columns[i] = lt_plan_column_of(input, expressions[i], names == NULL ? NULL : names[i]);
    }
    project->columns                = columns;
    project->as.project.expressions = copy;
    *out                            = project;
    return LEAT_OK;
}

leat_status lt_plan_keep(lt_binder *binder, const lt_plan *input, uint32_t count, const lt_plan **out,
                         leat_error *err) {
    *out = input;
    if (count == input->column_count) return LEAT_OK;
    const lt_expression **columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) LT_TRY(lt_column_new(binder, i, input->columns[i].type, &columns[i], err));
    return lt_plan_project(binder, input, columns, NULL, count, out, err);
}

leat_status lt_plan_empty_row(lt_binder *binder, const lt_plan **out, leat_error *err) {
    lt_plan *values;
    LT_TRY(lt_plan_new(binder, LT_PLAN_VALUES, NULL, 0, 0, NULL, &values, err));
    values->as.values.row_count = 1;
    *out                        = values;
    return LEAT_OK;
}

leat_status lt_plan_join(lt_binder *binder, lt_join_type type, const lt_plan *left, const lt_plan *right, lt_plan **out,
                         leat_error *err) {
    const lt_plan *inputs[2] = {left, right};
    const bool     has_right = type != LT_JOIN_SEMI && type != LT_JOIN_ANTI && type != LT_JOIN_MARK;
    const uint32_t more      = has_right ? right->column_count : type == LT_JOIN_MARK ? 1 : 0;
    lt_plan       *join;
    LT_TRY(lt_plan_new(binder, LT_PLAN_JOIN, inputs, 2, left->column_count + more, NULL, &join, err));
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, join->column_count, err);
    memcpy(columns, left->columns, left->column_count * sizeof *columns);
    if (has_right)
        memcpy(columns + left->column_count, right->columns, right->column_count * sizeof *columns);
    else if (type == LT_JOIN_MARK)
        columns[left->column_count] = (lt_plan_column){.name = "exists", .type = lt_type_of(LT_BOOLEAN)};
    join->columns      = columns;
    join->as.join.type = type;
    *out               = join;
    return LEAT_OK;
}

leat_status lt_slots_replace(lt_binder *binder, const lt_expression *expression, uint32_t base,
                             const lt_expression *const *map, uint32_t count, const lt_expression **out,
                             leat_error *err) {
    *out = expression;
    if (expression->kind == LT_EXPRESSION_COLUMN) {
        if (lt_is_slot(expression->column, base) && expression->column - base < count)
            *out = map[expression->column - base];
        return LEAT_OK;
    }
    if (expression->argument_count == 0 || !lt_expression_has_slot(expression, base)) return LEAT_OK;
    const lt_expression **arguments;
    lt_expression        *copy;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, expression->argument_count, err);
    for (uint32_t i = 0; i < expression->argument_count; i++)
        LT_TRY(lt_slots_replace(binder, expression->arguments[i], base, map, count, &arguments[i], err));
    LT_TRY_NEW(copy, binder->arena, err);
    *copy           = *expression;
    copy->arguments = arguments;
    *out            = copy;
    return LEAT_OK;
}

// ---- questions ------------------------------------------------------------------------------------------------------

bool lt_expression_has_slot(const lt_expression *expression, uint32_t base) {
    if (expression->kind == LT_EXPRESSION_COLUMN) return lt_is_slot(expression->column, base);
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (lt_expression_has_slot(expression->arguments[i], base)) return true;
    return false;
}

bool lt_expression_has_subquery(const lt_expression *expression) {
    if (expression->kind == LT_EXPRESSION_SUBQUERY) return true;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (lt_expression_has_subquery(expression->arguments[i])) return true;
    return false;
}

bool lt_plan_is_streaming(const lt_plan *plan) {
    if (plan->kind == LT_PLAN_STREAM_SCAN) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (lt_plan_is_streaming(plan->inputs[i])) return true;
    return false;
}

bool lt_expression_uses_column(const lt_expression *expression, uint32_t column) {
    if (expression->kind == LT_EXPRESSION_COLUMN) return expression->column == column;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (lt_expression_uses_column(expression->arguments[i], column)) return true;
    return false;
}

const lt_expression *lt_expression_shift_below(lt_arena *arena, const lt_expression *expression, uint32_t shift) {
    if (expression->kind == LT_EXPRESSION_COLUMN)
        return expression->column >= LT_SLOT_AGGREGATE
                   ? expression
                   : lt_expression_column(arena, expression->column + shift, expression->type, &expression->place);
    if (expression->argument_count == 0) return expression;
    lt_expression        *copy      = LT_NEW(arena, lt_expression);
    const lt_expression **arguments = LT_NEW_ARRAY(arena, const lt_expression *, expression->argument_count);
    if (copy == NULL || arguments == NULL) return NULL;
    for (uint32_t i = 0; i < expression->argument_count; i++) {
        arguments[i] = lt_expression_shift_below(arena, expression->arguments[i], shift);
        if (arguments[i] == NULL) return NULL;
    }
    *copy           = *expression;
    copy->arguments = arguments;
    return copy;
}
