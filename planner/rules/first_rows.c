#include "planner/rules/rules.h"

// A condition that only lets the first ranks of OVER through (row_number() <= 3, rank() = 1, 2 > dense_rank()) tells the
// Window that rows behind them are not wanted: it need not keep them in order, and of an input that only grows not at
// all. The condition stays where it is. Other calls beside it are ranks too: what they say about the first rows depends
// on no later one.

static bool rank_of(const lt_window_call *call, lt_top_rank *out) {
    static const char *const names[] = {"row_number", "rank", "dense_rank"};
    for (lt_top_rank rank = LT_TOP_ROW_NUMBER; rank <= LT_TOP_DENSE_RANK; rank++) {
        *out = rank;
        if (strcmp(call->call.aggregate->name, names[rank]) == 0) return true;
    }
    return false;
}

static bool integer_of(const lt_expression *expression, int64_t *out) {
    if (expression->kind != LT_EXPRESSION_LITERAL || lt_vector_is_null(expression->value, 0)) return false;
    if (expression->type->kind == LT_INT) *out = LT_VALUE(expression->value, int32_t, 0);
    if (expression->type->kind == LT_BIGINT) *out = LT_VALUE(expression->value, int64_t, 0);
    return expression->type->kind == LT_INT || expression->type->kind == LT_BIGINT;
}

// The column, through a cast that keeps every value.
static bool is_column(const lt_expression *expression, uint32_t *out) {
    if (expression->kind == LT_EXPRESSION_CAST && expression->type->kind == LT_BIGINT)
        expression = expression->arguments[0];
    *out = expression->column;
    return expression->kind == LT_EXPRESSION_COLUMN;
}

// Whether the term is TRUE of the first *out_count ranks of a column at most.
static bool bound_of(const lt_expression *term, uint32_t *out_column, int64_t *out_count) {
    static const struct {
        const char *symbol, *turned;
        int64_t     less;
    } comparisons[] = {{"<=", ">=", 0}, {"<", ">", 1}, {"=", "=", 0}, {"<=>", "<=>", 0}};
    if (term->kind != LT_EXPRESSION_CALL || term->argument_count != 2) return false;
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        const lt_expression *const *sides       = term->arguments;
        const bool                  is_straight = strcmp(term->function->name, comparisons[i].symbol) == 0;
        const bool                  is_turned   = strcmp(term->function->name, comparisons[i].turned) == 0;
        if ((is_straight && is_column(sides[0], out_column) && integer_of(sides[1], out_count)) ||
            (is_turned && is_column(sides[1], out_column) && integer_of(sides[0], out_count))) {
            *out_count -= *out_count > INT64_MIN ? comparisons[i].less : 0;
            return true;
        }
    }
    return false;
}

static lt_top top_of(const lt_plan *filter) {
    const lt_expression        *predicate = filter->as.filter.predicate;
    const lt_plan              *window    = filter->inputs[0];
    const bool                  is_and    = predicate->kind == LT_EXPRESSION_AND;
    const lt_expression *const *terms     = is_and ? predicate->arguments : &filter->as.filter.predicate;
    const uint32_t              first     = window->column_count - window->as.window.call_count;
    lt_top                      top       = {0};
    for (uint32_t i = 0; i < (is_and ? predicate->argument_count : 1); i++) {
        uint32_t    column;
        int64_t     count;
        lt_top_rank rank;
        if (!bound_of(terms[i], &column, &count) || column < first || count < 1) continue;
        if (!rank_of(&window->as.window.calls[column - first], &rank)) continue;
        if (top.count == 0 || count < top.count) top = (lt_top){.count = count, .rank = rank};
    }
    return top;
}

leat_status lt_rule_first_rows(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, lt_rule_first_rows, plan, out, err));
    const lt_plan *filter = *out;
    if (filter->kind != LT_PLAN_FILTER || filter->inputs[0]->kind != LT_PLAN_WINDOW) return LEAT_OK;
    lt_plan       *window;
    lt_top_rank    rank;
    const lt_plan *input = filter->inputs[0];
    for (uint32_t i = 0; i < input->as.window.call_count; i++)
        if (!rank_of(&input->as.window.calls[i], &rank)) return LEAT_OK;
    const lt_top top = top_of(filter);
    if (top.count == 0) return LEAT_OK;
    LT_TRY_NEW(window, binder->arena, err);
    *window               = *input;
    window->as.window.top = top;
    input                 = window;
    return lt_plan_with_inputs(binder, filter, &input, out, err);
}
