#include "planner/expression.h"

// Variables that are bound by the lambdas around the node that is looked at.
typedef struct bound_variables {
    const struct bound_variables *outer;
    uint32_t                      first, count;
} bound_variables;

static bool is_foldable_within(const lt_expression *expression, const bound_variables *variables) {
    switch (expression->kind) {
    case LT_EXPRESSION_COLUMN:
    case LT_EXPRESSION_SUBQUERY:
        return false;
    case LT_EXPRESSION_VARIABLE:
        for (; variables != NULL; variables = variables->outer)
            if (expression->variable >= variables->first && expression->variable < variables->first + variables->count)
                return true;
        return false;
    case LT_EXPRESSION_CALL:
        if (expression->function->is_nondeterministic || expression->function->is_batch_constant) return false;
        break;
    default:
        break;
    }
    const bound_variables inner = {variables, expression->variable, expression->variable_count};
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (!is_foldable_within(expression->arguments[i],
                                expression->kind == LT_EXPRESSION_LAMBDA ? &inner : variables))
            return false;
    return true;
}

bool lt_expression_is_foldable(const lt_expression *expression) { return is_foldable_within(expression, NULL); }

static uint32_t whole_digits(const lt_type *type) {
    switch (type->kind) {
    case LT_TINYINT:
        return 3;
    case LT_SMALLINT:
        return 5;
    case LT_INT:
        return 10;
    case LT_BIGINT:
        return 19;
    case LT_DECIMAL:
        return (uint32_t)type->precision - type->scale;
    default:
        return UINT32_MAX;
    }
}

// Whether a DECIMAL takes every value of the type; one more digit where rounding may carry.
static bool decimal_holds(const lt_type *into, const lt_type *from) {
    const uint32_t scale = from->kind == LT_DECIMAL ? from->scale : 0, digits = whole_digits(from);
    return into->kind == LT_DECIMAL && digits != UINT32_MAX &&
           whole_digits(into) >= digits + (into->scale < scale ? 1 : 0);
}

static bool cast_can_fail(const lt_expression *expression) {
    const lt_type *from = expression->arguments[0]->type;
    if (expression->is_try || lt_type_same_shape(from, expression->type)) return false;
    if (lt_kind_is_nested(from->kind)) return true;
    if (decimal_holds(expression->type, from)) return false;
    const lt_cast *cast = lt_cast_find(from, expression->type);
    return cast != NULL && cast->can_fail;
}

static bool are_constants(const lt_expression *call, uint32_t first) {
    for (uint32_t i = first; i < call->argument_count; i++)
        if (call->arguments[i]->kind != LT_EXPRESSION_LITERAL) return false;
    return true;
}

bool lt_expression_can_fail(const lt_expression *expression) {
    if (expression->kind == LT_EXPRESSION_CALL &&
        !(expression->function->fails_by_constants && are_constants(expression, 1)) &&
        (expression->function->can_fail || expression->function->fails_with != LT_CONDITION_NONE))
        return true;
    if (expression->kind == LT_EXPRESSION_CAST && cast_can_fail(expression)) return true;
    if (expression->kind == LT_EXPRESSION_SUBQUERY) return true;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (lt_expression_can_fail(expression->arguments[i])) return true;
    return false;
}

static bool note_nondeterministic(void *user, const lt_expression *node) {
    bool *is_found = user;
    *is_found |= node->kind == LT_EXPRESSION_CALL && node->function->is_nondeterministic;
    return !*is_found;
}

bool lt_expression_is_deterministic(const lt_expression *expression) {
    bool is_found = false;
    lt_expression_walk(expression, note_nondeterministic, &is_found);
    return !is_found;
}

static bool node_equal(const lt_expression *a, const lt_expression *b) {
    switch (a->kind) {
    case LT_EXPRESSION_LITERAL:
        return lt_vector_compare(a->value, 0, b->value, 0) == 0;
    case LT_EXPRESSION_COLUMN:
        return a->column == b->column;
    case LT_EXPRESSION_FIELD:
        return a->field == b->field;
    case LT_EXPRESSION_CALL:
        return a->function == b->function && !a->function->is_nondeterministic;
    case LT_EXPRESSION_CAST:
        return a->is_try == b->is_try;
    case LT_EXPRESSION_LAMBDA:
        return a->variable_count == b->variable_count;
    case LT_EXPRESSION_SUBQUERY:
        return a->subquery == b->subquery;
    default:
        return true;
    }
}

// Lambdas that differ only in the numbers of their variables are equal: the numbers are compared relative to them.
typedef struct variable_pairs {
    const struct variable_pairs *outer;
    uint32_t                     a_first, b_first, count;
} variable_pairs;

static bool variables_equal(const lt_expression *a, const lt_expression *b, const variable_pairs *pairs) {
    for (; pairs != NULL; pairs = pairs->outer) {
        const bool in_a = a->variable >= pairs->a_first && a->variable < pairs->a_first + pairs->count;
        const bool in_b = b->variable >= pairs->b_first && b->variable < pairs->b_first + pairs->count;
        if (in_a || in_b) return in_a && in_b && a->variable - pairs->a_first == b->variable - pairs->b_first;
    }
    return a->variable == b->variable;
}

static bool equal_within(const lt_expression *a, const lt_expression *b, const variable_pairs *pairs) {
    if (a == b && a->kind != LT_EXPRESSION_CALL && a->argument_count == 0) return true;
    if (a->kind != b->kind || a->argument_count != b->argument_count || !lt_type_equal(a->type, b->type)) return false;
    if (a->kind == LT_EXPRESSION_VARIABLE) return variables_equal(a, b, pairs);
    if (!node_equal(a, b)) return false;
    const variable_pairs inner = {pairs, a->variable, b->variable, a->variable_count};
    for (uint32_t i = 0; i < a->argument_count; i++)
        if (!equal_within(a->arguments[i], b->arguments[i], a->kind == LT_EXPRESSION_LAMBDA ? &inner : pairs))
            return false;
    return true;
}

bool lt_expression_equal(const lt_expression *a, const lt_expression *b) { return equal_within(a, b, NULL); }

void lt_expression_walk(const lt_expression *expression, bool (*visit)(void *user, const lt_expression *node),
                        void                *user) {
    if (!visit(user, expression)) return;
    for (uint32_t i = 0; i < expression->argument_count; i++) lt_expression_walk(expression->arguments[i], visit, user);
}

// A copy of the node with changed arguments; the node itself when all are as before.
static const lt_expression *
with_arguments(lt_arena *arena, const lt_expression                                                        *expression,
               const lt_expression *(*change)(lt_arena *, const lt_expression *, const void *), const void *user) {
    if (expression->argument_count == 0) return expression;
    const lt_expression **arguments = LT_NEW_ARRAY(arena, const lt_expression *, expression->argument_count);
    if (arguments == NULL) return NULL;
    bool is_changed = false;
    for (uint32_t i = 0; i < expression->argument_count; i++) {
        arguments[i] = change(arena, expression->arguments[i], user);
        if (arguments[i] == NULL) return NULL;
        is_changed |= arguments[i] != expression->arguments[i];
    }
    if (!is_changed) return expression;
    lt_expression *copy = LT_NEW(arena, lt_expression);
    if (copy == NULL) return NULL;
    *copy           = *expression;
    copy->arguments = arguments;
    return copy;
}

typedef struct column_map {
    const lt_expression *const *map;
    uint32_t                    count;
} column_map;

static const lt_expression *substitute(lt_arena *arena, const lt_expression *expression, const void *user) {
    const column_map *map = user;
    if (expression->kind == LT_EXPRESSION_COLUMN) {
        const uint32_t column = expression->column;
        return column < map->count && map->map[column] != NULL ? map->map[column] : expression;
    }
    return with_arguments(arena, expression, substitute, user);
}

const lt_expression *lt_expression_substitute(lt_arena *arena, const lt_expression *expression,
                                              const lt_expression *const *map, uint32_t map_count) {
    const column_map whole = {map, map_count};
    return substitute(arena, expression, &whole);
}

static const lt_expression *shift_columns(lt_arena *arena, const lt_expression *expression, const void *user) {
    if (expression->kind != LT_EXPRESSION_COLUMN) return with_arguments(arena, expression, shift_columns, user);
    const int32_t *shift = user;
    return lt_expression_column(arena, (uint32_t)((int64_t)expression->column + *shift), expression->type,
                                &expression->place);
}

const lt_expression *lt_expression_shift(lt_arena *arena, const lt_expression *expression, int32_t shift) {
    return shift == 0 ? expression : shift_columns(arena, expression, &shift);
}

const lt_expression *lt_expression_column(lt_arena *arena, uint32_t column, const lt_type *type,
                                          const lt_place *place) {
    lt_expression *expression = LT_NEW(arena, lt_expression);
    if (expression == NULL) return NULL;
    expression->kind   = LT_EXPRESSION_COLUMN;
    expression->type   = type;
    expression->column = column;
    if (place != NULL) expression->place = *place;
    return expression;
}

const lt_expression *lt_expression_literal(lt_arena *arena, const lt_vector *value, const lt_place *place) {
    lt_expression *expression = LT_NEW(arena, lt_expression);
    if (expression == NULL) return NULL;
    expression->kind  = LT_EXPRESSION_LITERAL;
    expression->type  = value->type;
    expression->value = value;
    if (place != NULL) expression->place = *place;
    return expression;
}

const lt_expression *lt_expression_conjunction(lt_arena *arena, const lt_expression *whole,
                                               const lt_expression *const *terms, uint32_t count) {
    if (count == 1) return terms[0];
    lt_expression *copy = LT_NEW(arena, lt_expression);
    if (copy == NULL) return NULL;
    *copy                = *whole;
    copy->arguments      = terms;
    copy->argument_count = count;
    return copy;
}
