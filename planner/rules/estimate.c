#include "planner/rules/estimate.h"

// estimate: rules of thumb of the first optimizers (Selinger et al., 1979) over numbers of rows of now and a look at some
// rows for numbers of values.

static double selectivity_of(const lt_binder *binder, const lt_plan *input, const lt_expression *predicate);

static bool note_host(void *user, const lt_expression *node) {
    bool *is_found = user;
    *is_found |= node->kind == LT_EXPRESSION_CALL && (node->function->is_nondeterministic || node->function->is_host);
    return !*is_found;
}

// The part of the rows for which a condition holds: over a table by some of its rows, else by thumb.
static double part_of(const lt_binder *binder, const lt_plan *input, const lt_expression *predicate) {
    const lt_bind_context *context = binder->context;
    bool                   is_host = false;
    lt_expression_walk(predicate, note_host, &is_host);
    if (!is_host && context->matching_part != NULL && input->kind == LT_PLAN_TABLE_SCAN &&
        input->as.scan.relation != NULL) {
        const double part = context->matching_part(context->user, input->as.scan.relation,
                                                   input->as.scan.relation_columns, input->column_count, predicate);
        if (part >= 0) return part;
    }
    return selectivity_of(binder, input, predicate);
}

// l * r / d, where d is the larger number of different values that the two sides have of a key; < 0: not known.
static double pair_count_of(const lt_binder *binder, const lt_plan *join, double left, double right) {
    const double more = left > right ? left : right;
    double       most = 0;
    if (left < 0 || right < 0) return -1;
    for (uint32_t k = 0; k < join->as.join.key_count; k++) {
        const double of_left  = lt_estimate_distinct(binder, join->inputs[0], join->as.join.left_keys[k]),
                     of_right = lt_estimate_distinct(binder, join->inputs[1], join->as.join.right_keys[k]),
                     of_key   = of_left > of_right ? of_left : of_right;
        most                  = of_key > most ? of_key : most;
    }
    return most < 1 ? more : left * right / most;
}

double lt_estimate_rows(const lt_binder *binder, const lt_plan *plan) {
    double size = plan->input_count > 0 ? lt_estimate_rows(binder, plan->inputs[0]) : -1;
    switch (plan->kind) {
    case LT_PLAN_TABLE_SCAN:
        return binder->context->row_count == NULL || plan->as.scan.relation == NULL
                   ? -1
                   : (double)binder->context->row_count(binder->context->user, plan->as.scan.relation);
    case LT_PLAN_VALUES:
        return plan->as.values.row_count;
    case LT_PLAN_FILTER:
        return size < 0 ? size : size * part_of(binder, plan->inputs[0], plan->as.filter.predicate);
    case LT_PLAN_AGGREGATE:
        return plan->as.aggregate.key_count == 0 ? 1 : size < 0 ? size : size / 4;
    case LT_PLAN_LIMIT:
        return plan->as.limit.limit >= 0 && (size < 0 || (double)plan->as.limit.limit < size)
                   ? (double)plan->as.limit.limit
                   : size;
    case LT_PLAN_SINGLE_ROW:
        return 1;
    case LT_PLAN_UNION_ALL:
        for (uint32_t i = 1; i < plan->input_count; i++) {
            const double more = lt_estimate_rows(binder, plan->inputs[i]);
            size              = size < 0 || more < 0 ? -1 : size + more;
        }
        return size;
    case LT_PLAN_JOIN:
        if (plan->as.join.type == LT_JOIN_INNER || plan->as.join.type == LT_JOIN_RIGHT ||
            plan->as.join.type == LT_JOIN_FULL)
            return pair_count_of(binder, plan, size, lt_estimate_rows(binder, plan->inputs[1]));
        return plan->as.join.type == LT_JOIN_SEMI && size >= 0 ? size * lt_estimate_semi(binder, plan) : size;
    case LT_PLAN_PROJECT:
    case LT_PLAN_DISTINCT:
    case LT_PLAN_SORT:
    case LT_PLAN_WINDOW:
        return size;
    default:
        return -1;
    }
}

double lt_estimate_distinct(const lt_binder *binder, const lt_plan *plan, const lt_expression *column) {
    lt_expression below;
    while (column->kind == LT_EXPRESSION_CAST) column = column->arguments[0];
    if (column->kind != LT_EXPRESSION_COLUMN || column->column >= plan->column_count) return -1;
    switch (plan->kind) {
    case LT_PLAN_TABLE_SCAN:
        return binder->context->distinct_count == NULL || plan->as.scan.relation == NULL
                   ? -1
                   : (double)binder->context->distinct_count(binder->context->user, plan->as.scan.relation,
                                                             plan->as.scan.relation_columns[column->column]);
    case LT_PLAN_FILTER:
    case LT_PLAN_SORT:
    case LT_PLAN_LIMIT:
    case LT_PLAN_DISTINCT:
        return lt_estimate_distinct(binder, plan->inputs[0], column);
    case LT_PLAN_PROJECT:
        return lt_estimate_distinct(binder, plan->inputs[0], plan->as.project.expressions[column->column]);
    case LT_PLAN_JOIN:
        below = *column;
        if (column->column < plan->inputs[0]->column_count)
            return lt_estimate_distinct(binder, plan->inputs[0], &below);
        if (plan->as.join.type == LT_JOIN_MARK) return -1;
        below.column -= plan->inputs[0]->column_count;
        return lt_estimate_distinct(binder, plan->inputs[1], &below);
    default:
        return -1;
    }
}

bool lt_is_equality(const lt_expression *condition) {
    return condition->kind == LT_EXPRESSION_CALL && condition->argument_count == 2 &&
           (strcmp(condition->function->name, "=") == 0 || strcmp(condition->function->name, "<=>") == 0);
}

// The part of the rows for which a condition holds, by the rules of thumb of the first optimizers.
static double selectivity_of(const lt_binder *binder, const lt_plan *input, const lt_expression *predicate) {
    double part = 1.0 / 4, values = -1;
    switch (predicate->kind) {
    case LT_EXPRESSION_AND:
        part = 1;
        for (uint32_t i = 0; i < predicate->argument_count; i++)
            part *= selectivity_of(binder, input, predicate->arguments[i]);
        break;
    case LT_EXPRESSION_OR:
        part = 0;
        for (uint32_t i = 0; i < predicate->argument_count; i++)
            part += selectivity_of(binder, input, predicate->arguments[i]);
        break;
    case LT_EXPRESSION_IN:
        values = lt_estimate_distinct(binder, input, predicate->arguments[0]);
        part   = values < 1 ? part : (predicate->argument_count - 1) / values;
        break;
    case LT_EXPRESSION_CALL:
        if (!lt_is_equality(predicate)) break;
        for (uint32_t side = 0; side < 2; side++) {
            const double of_side = lt_estimate_distinct(binder, input, predicate->arguments[side]);
            values               = of_side > values ? of_side : values;
        }
        part = values < 1 ? 1.0 / 10 : 1 / values;
        break;
    default:
        break;
    }
    return part > 1 ? 1 : part;
}

double lt_estimate_semi(const lt_binder *binder, const lt_plan *join) {
    if (join->as.join.key_count == 0) return 1;
    const double rows   = lt_estimate_rows(binder, join->inputs[1]);
    const double values = lt_estimate_distinct(binder, join->inputs[0], join->as.join.left_keys[0]);
    return rows < 0 || values < 1 || rows > values ? 1 : rows / values;
}
