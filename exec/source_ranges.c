#include "exec/source_ranges.h"

#include "base/lane_numbers.h"
#include "planner/expression.h"

enum { RANGES_MAX = 8 };

typedef struct ranges {
    const lt_plan  *scan;
    uint32_t        column_count; // of the decoder
    lt_decode_range list[RANGES_MAX];
    uint32_t        count;
} ranges;

static void narrow(ranges *self, uint32_t column, int64_t min, int64_t max) {
    uint32_t r = 0;
    while (r < self->count && self->list[r].column != column) r++;
    if (r == RANGES_MAX) return;
    if (r == self->count) self->list[self->count++] = (lt_decode_range){column, INT64_MIN, INT64_MAX};
    if (min > self->list[r].min) self->list[r].min = min;
    if (max < self->list[r].max) self->list[r].max = max;
}

// The column of the relation that the expression is, if it is one that the decoder makes, of whole numbers.
static bool is_ranged_column(const ranges *self, const lt_expression *expression, uint32_t *out) {
    if (expression->kind != LT_EXPRESSION_COLUMN || expression->column >= self->scan->column_count ||
        !lt_kind_is_whole(expression->type->kind))
        return false;
    *out = self->scan->as.scan.relation_columns[expression->column];
    return *out < self->column_count;
}

static bool is_number(const lt_expression *expression, const lt_type *type, int64_t *out) {
    if (expression->kind != LT_EXPRESSION_LITERAL || expression->type->kind != type->kind ||
        lt_vector_is_null(expression->value, 0))
        return false;
    *out = lt_value_integer(expression->value, 0);
    return true;
}

// `column symbol number`, or with is_swapped `number symbol column`.
static void narrow_by(ranges *self, uint32_t column, const char *symbol, int64_t number, bool is_swapped) {
    const bool is_less = (symbol[0] == '<') != is_swapped, has_equal = symbol[1] == '=';
    if (symbol[0] == '=')
        narrow(self, column, number, number);
    else if (!has_equal && number == (is_less ? INT64_MIN : INT64_MAX))
        narrow(self, column, INT64_MAX, INT64_MIN); // nothing is beyond it
    else if (is_less)
        narrow(self, column, INT64_MIN, number - !has_equal);
    else
        narrow(self, column, number + !has_equal, INT64_MAX);
}

static bool is_comparison(const char *name) {
    return strcmp(name, "=") == 0 || strcmp(name, "<") == 0 || strcmp(name, "<=") == 0 || strcmp(name, ">") == 0 ||
           strcmp(name, ">=") == 0;
}

static void take_term(ranges *self, const lt_expression *term) {
    uint32_t column;
    int64_t  number, min = INT64_MAX, max = INT64_MIN;
    if (term->kind == LT_EXPRESSION_CALL && term->argument_count == 2 && is_comparison(term->function->name)) {
        const lt_expression *left = term->arguments[0], *right = term->arguments[1];
        if (is_ranged_column(self, left, &column) && is_number(right, left->type, &number))
            narrow_by(self, column, term->function->name, number, false);
        else if (is_ranged_column(self, right, &column) && is_number(left, right->type, &number))
            narrow_by(self, column, term->function->name, number, true);
    } else if (term->kind == LT_EXPRESSION_IN && is_ranged_column(self, term->arguments[0], &column)) {
        for (uint32_t i = 1; i < term->argument_count; i++) {
            if (!is_number(term->arguments[i], term->arguments[0]->type, &number)) return;
            if (number < min) min = number;
            if (number > max) max = number;
        }
        narrow(self, column, min, max);
    }
}

leat_status lt_source_ranges_set(const lt_plan *scan, const lt_plan *above, lt_arena *arena, lt_decode_target *target,
                                 leat_error *err) {
    ranges           self = {.scan = scan, .column_count = target->column_count};
    lt_decode_range *list;
    if (above == NULL || above->kind != LT_PLAN_FILTER || target->is_wanted == NULL) return LEAT_OK;
    const lt_expression *predicate = above->as.filter.predicate;
    // Terms see rows beyond the ranges, too; values that were not made must not make them fail.
    if (lt_expression_can_fail(predicate)) return LEAT_OK;
    if (predicate->kind != LT_EXPRESSION_AND) take_term(&self, predicate);
    for (uint32_t i = 0; predicate->kind == LT_EXPRESSION_AND && i < predicate->argument_count; i++)
        take_term(&self, predicate->arguments[i]);
    for (uint32_t r = 0; r < self.count; r++)
        if (!target->is_wanted[self.list[r].column]) return LEAT_OK;
    LT_TRY_NEW_ARRAY(list, arena, self.count + 1u, err);
    memcpy(list, self.list, self.count * sizeof *list);
    target->ranges      = list;
    target->range_count = self.count;
    return LEAT_OK;
}
