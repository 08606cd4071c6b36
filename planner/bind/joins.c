#include "planner/bind/joins.h"

#include "base/ascii.h"

// Joins: the two sides, USING and NATURAL, and a condition cut into equality keys and a residual.

// ---- conditions
// -----------------------------------------------------------------------------------------------------------

int lt_join_sides_read(const lt_expression *expression, uint32_t left_count) {
    if (expression->kind == LT_EXPRESSION_COLUMN)
        return expression->column >= LT_SLOT_AGGREGATE ? LT_SIDE_OTHER
               : expression->column < left_count       ? LT_SIDE_LEFT
                                                       : LT_SIDE_RIGHT;
    if (expression->kind == LT_EXPRESSION_SUBQUERY) return LT_SIDE_OTHER;
    int sides = LT_SIDE_NONE;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        sides |= lt_join_sides_read(expression->arguments[i], left_count);
    return sides;
}

// Comparison may take two types that keys, which meet by their bytes, may not. Decimals get the type that holds both
// without rounding; *out_fits false: none does.
leat_status lt_join_keys_unify(lt_binder *binder, const lt_expression **left, const lt_expression **right,
                               bool *out_fits, leat_error *err) {
    const lt_type *a = (*left)->type, *b = (*right)->type;
    *out_fits = true;
    if (lt_type_same_shape(a, b)) return LEAT_OK;
    const lt_type *common = lt_common_type(binder->arena, a, b);
    if (a->kind == LT_DECIMAL && b->kind == LT_DECIMAL) {
        const uint32_t scale       = a->scale > b->scale ? a->scale : b->scale;
        const uint32_t left_whole  = (uint32_t)a->precision - a->scale;
        const uint32_t right_whole = (uint32_t)b->precision - b->scale;
        const uint32_t whole       = left_whole > right_whole ? left_whole : right_whole;
        *out_fits                  = whole + scale <= LT_DECIMAL_PRECISION_MAX;
        if (!*out_fits) return LEAT_OK;
        common = lt_type_decimal(binder->arena, whole + scale, scale);
        if (common == NULL) return lt_raise_no_memory(err);
    }
    if (common == NULL) return LEAT_OK;
    LT_TRY(lt_cast_to(binder, *left, common, left, err));
    return lt_cast_to(binder, *right, common, right, err);
}

leat_status lt_join_condition(lt_binder *binder, lt_plan *join, const lt_expression *condition, leat_error *err) {
    if (condition == NULL) return LEAT_OK;
    const uint32_t     left_count = join->inputs[0]->column_count;
    lt_expression_list terms      = {0};
    lt_expression_list residual   = {0};
    lt_expression_list left       = {0};
    lt_expression_list right      = {0};
    bool              *null_safe;
    LT_TRY(lt_conjuncts(binder, condition, &terms, err));
    LT_TRY_NEW_ARRAY(null_safe, binder->arena, terms.count + join->as.join.key_count, err);
    for (uint32_t i = 0; i < join->as.join.key_count; i++) {
        LT_LIST_ADD(binder->arena, &left, join->as.join.left_keys[i], err);
        LT_LIST_ADD(binder->arena, &right, join->as.join.right_keys[i], err);
        null_safe[i] = join->as.join.is_null_safe[i];
    }
    for (uint32_t i = 0; i < terms.count; i++) {
        const lt_expression *term  = terms.items[i];
        const char          *name  = term->kind == LT_EXPRESSION_CALL ? term->function->name : "";
        const bool           equal = strcmp(name, "=") == 0;
        if (equal || strcmp(name, "<=>") == 0) {
            const int a = lt_join_sides_read(term->arguments[0], left_count);
            const int b = lt_join_sides_read(term->arguments[1], left_count);
            if ((a == LT_SIDE_LEFT && b == LT_SIDE_RIGHT) || (a == LT_SIDE_RIGHT && b == LT_SIDE_LEFT)) {
                const lt_expression *from_left  = term->arguments[a == LT_SIDE_LEFT ? 0 : 1];
                const lt_expression *from_right = term->arguments[a == LT_SIDE_LEFT ? 1 : 0];
                from_right                      = lt_expression_shift(binder->arena, from_right, -(int32_t)left_count);
                if (from_right == NULL) return lt_raise_no_memory(err);
                bool fits;
                LT_TRY(lt_join_keys_unify(binder, &from_left, &from_right, &fits, err));
                if (fits) {
                    null_safe[left.count] = !equal;
                    LT_LIST_ADD(binder->arena, &left, from_left, err);
                    LT_LIST_ADD(binder->arena, &right, from_right, err);
                    continue;
                }
            }
        }
        LT_LIST_ADD(binder->arena, &residual, term, err);
    }
    join->as.join.left_keys    = left.items;
    join->as.join.right_keys   = right.items;
    join->as.join.key_count    = left.count;
    join->as.join.is_null_safe = null_safe;
    return lt_and(binder, residual.items, residual.count, &join->as.join.residual, err);
}

// ---- USING and NATURAL
// ------------------------------------------------------------------------------------------------------

static leat_status using_column(const lt_join_binding *self, const lt_relation *side, const lt_ast_name *name,
                                const lt_scope_column **out, leat_error *err) {
    *out = NULL;
    for (uint32_t i = 0; i < side->columns.count; i++) {
        const lt_scope_column *column = &side->columns.items[i];
        if (column->is_qualified_only || lt_ascii_compare(column->name, name->text) != 0) continue;
        if (*out != NULL)
            return lt_raise(err, LT_AMBIGUOUS_REFERENCE, &name->place,
                            "`%s` is the name of several columns of one side", name->text);
        *out = column;
    }
    if (*out != NULL) return LEAT_OK;
    return lt_raise(err, LT_UNRESOLVED_USING_COLUMN_FOR_JOIN, &self->ast->place,
                    "no column `%s` on the %s side of USING", name->text, side == self->left ? "left" : "right");
}

static leat_status natural_columns(lt_join_binding *self, lt_ast_names *out, leat_error *err) {
    LT_TRY_NEW_ARRAY(out->items, self->binder->arena, self->left->columns.count, err);
    for (uint32_t i = 0; i < self->left->columns.count; i++)
        for (uint32_t k = 0; k < self->right->columns.count; k++) {
            const lt_scope_column *a = &self->left->columns.items[i];
            const lt_scope_column *b = &self->right->columns.items[k];
            if (a->is_qualified_only || b->is_qualified_only || a->is_hidden || lt_ascii_compare(a->name, b->name) != 0)
                continue;
            out->items[out->count++] =
                (lt_ast_name){.text = a->name, .bytes = (uint32_t)strlen(a->name), .place = self->ast->place};
            break;
        }
    return LEAT_OK;
}

static leat_status column_bound(lt_binder *binder, const lt_scope_column *column, uint32_t shift, lt_bound *out,
                                leat_error *err) {
    *out = (lt_bound){.text = column->name, .name = column->name, .size = 1, .depth = 1};
    return lt_column_new(binder, column->column + shift, column->type, &out->expression, err);
}

static bool is_named(const lt_ast_names *names, const char *name) {
    for (uint32_t i = 0; i < names->count; i++)
        if (lt_ascii_compare(names->items[i].text, name) == 0) return true;
    return false;
}

// What is left of a side: merged columns stay reachable as t.name.
static leat_status side_columns(lt_join_binding *self, const lt_relation *side, const lt_ast_names *names,
                                uint32_t shift, lt_scope_columns *out, leat_error *err) {
    for (uint32_t i = 0; i < side->columns.count; i++) {
        lt_scope_column column = side->columns.items[i];
        column.column += shift;
        if (!column.is_qualified_only && is_named(names, column.name)) column.is_qualified_only = true;
        LT_LIST_ADD(self->binder->arena, out, column, err);
    }
    return LEAT_OK;
}

leat_status lt_join_using_bind(lt_join_binding *self, const lt_ast_names *names, lt_plan *join, lt_relation *out,
                               leat_error *err) {
    lt_binder         *binder = self->binder;
    lt_scope_columns   merged = {0};
    const uint32_t     count  = join->column_count;
    lt_expression_list terms  = {0};
    lt_expression_list added  = {0};
    for (uint32_t i = 0; i < names->count; i++) {
        const lt_scope_column *a;
        const lt_scope_column *b;
        lt_bound               sides[2];
        lt_bound               equal;
        LT_TRY(using_column(self, self->left, &names->items[i], &a, err));
        LT_TRY(using_column(self, self->right, &names->items[i], &b, err));
        LT_TRY(column_bound(binder, a, 0, &sides[0], err));
        LT_TRY(column_bound(binder, b, self->left_count, &sides[1], err));
        LT_TRY(lt_compare_bind(binder, "=", &sides[0], &sides[1], &self->ast->place, &equal, err));
        LT_LIST_ADD(binder->arena, &terms, equal.expression, err);
        lt_scope_column column = self->type == LT_JOIN_RIGHT ? *b : *a;
        column.is_hidden       = false;
        if (self->type == LT_JOIN_RIGHT) column.column += self->left_count;
        if (self->type == LT_JOIN_FULL) {
            // coalesce(left, right) as a column of its own behind the others
            const lt_type       *type = lt_common_type(binder->arena, a->type, b->type);
            lt_expression       *whole;
            const lt_expression *parts[2];
            if (type == NULL) type = a->type;
            LT_TRY(lt_cast_to(binder, sides[0].expression, type, &parts[0], err));
            LT_TRY(lt_cast_to(binder, sides[1].expression, type, &parts[1], err));
            LT_TRY(lt_expression_new(binder, LT_EXPRESSION_COALESCE, type, parts, 2, &self->ast->place, &whole, err));
            column.column   = count + added.count;
            column.type     = type;
            column.relation = NULL;
            LT_LIST_ADD(binder->arena, &added, whole, err);
        }
        LT_LIST_ADD(binder->arena, &merged, column, err);
    }
    const lt_expression *condition;
    LT_TRY(lt_and(binder, terms.items, terms.count, &condition, err));
    LT_TRY(lt_join_condition(binder, join, condition, err));
    *out = (lt_relation){.plan = join, .columns = merged};
    LT_TRY(side_columns(self, self->left, names, 0, &out->columns, err));
    if (self->type != LT_JOIN_SEMI && self->type != LT_JOIN_ANTI)
        LT_TRY(side_columns(self, self->right, names, self->left_count, &out->columns, err));
    if (added.count == 0) return LEAT_OK;
    const lt_expression **expressions;
    const char          **column_names;
    LT_TRY_NEW_ARRAY(expressions, binder->arena, count + added.count, err);
    LT_TRY_NEW_ARRAY(column_names, binder->arena, count + added.count, err);
    for (uint32_t i = 0; i < count; i++) {
        column_names[i] = join->columns[i].name;
        LT_TRY(lt_column_new(binder, i, join->columns[i].type, &expressions[i], err));
    }
    for (uint32_t i = 0; i < added.count; i++) {
        column_names[count + i] = merged.items[i].name;
        expressions[count + i]  = added.items[i];
    }
    return lt_plan_project(binder, join, expressions, column_names, count + added.count, &out->plan, err);
}

// ---- the join
// -----------------------------------------------------------------------------------------------------------------

static lt_join_type type_of(lt_ast_join_kind kind) {
    switch (kind) {
    case LT_AST_JOIN_LEFT:
    case LT_AST_JOIN_LEFT_ASOF:
        return LT_JOIN_LEFT;
    case LT_AST_JOIN_RIGHT:
        return LT_JOIN_RIGHT;
    case LT_AST_JOIN_FULL:
        return LT_JOIN_FULL;
    case LT_AST_JOIN_SEMI:
        return LT_JOIN_SEMI;
    case LT_AST_JOIN_ANTI:
        return LT_JOIN_ANTI;
    default:
        return LT_JOIN_INNER;
    }
}

static bool has_recursion(const lt_plan *plan) {
    if (plan->kind == LT_PLAN_RECURSION_SCAN) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (has_recursion(plan->inputs[i])) return true;
    return false;
}

leat_status lt_join_recursion_check(const lt_join_binding *self, leat_error *err) {
    const bool left_padded  = self->type == LT_JOIN_RIGHT || self->type == LT_JOIN_FULL;
    const bool right_padded = self->type != LT_JOIN_INNER && self->type != LT_JOIN_RIGHT;
    if ((left_padded && has_recursion(self->left->plan)) || (right_padded && has_recursion(self->right->plan)))
        return lt_raise(err, LT_INVALID_RECURSIVE_REFERENCE__PLACE, &self->ast->place,
                        "a recursive query cannot be on this side of an outer, semi or anti join");
    return LEAT_OK;
}

static leat_status both_sides(lt_join_binding *self, leat_error *err) {
    const lt_ast_names none = {0};
    self->both              = (lt_relation){0};
    LT_TRY(side_columns(self, self->left, &none, 0, &self->both.columns, err));
    return side_columns(self, self->right, &none, self->left_count, &self->both.columns, err);
}

leat_status lt_join_condition_bind(lt_join_binding *self, lt_frame *frame, const lt_expression **out, leat_error *err) {
    const lt_ast_expression *on = self->ast->join->on;
    *out                        = NULL;
    if (on == NULL) return LEAT_OK;
    lt_scope scope = {.clause = LT_CLAUSE_ON, .relation = &self->both, .frame = frame};
    lt_bound bound;
    LT_TRY(lt_bind_boolean(self->binder, &scope, on, LT_JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE, &bound, err));
    *out = bound.expression;
    return LEAT_OK;
}

// Whether an expression, sub-queries in it included, is over one side alone.
static bool is_of_side(const lt_expression *expression, uint32_t left_count, bool is_right) {
    if (expression->kind == LT_EXPRESSION_COLUMN)
        return expression->column < LT_SLOT_AGGREGATE && (expression->column >= left_count) == is_right;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (!is_of_side(expression->arguments[i], left_count, is_right)) return false;
    return true;
}

// Terms with sub-queries that concern the side whose rows may go missing are filters of that side.
static leat_status padded_side_filter(lt_join_binding *self, const lt_expression **condition, lt_plan **join,
                                      leat_error *err) {
    lt_binder         *binder   = self->binder;
    const bool         is_right = self->type != LT_JOIN_RIGHT;
    lt_expression_list terms    = {0};
    lt_expression_list kept     = {0};
    bool               is_moved = false;
    if (self->type == LT_JOIN_FULL || !lt_expression_has_subquery(*condition)) return LEAT_OK;
    LT_TRY(lt_conjuncts(binder, *condition, &terms, err));
    for (uint32_t i = 0; i < terms.count; i++) {
        const lt_expression *term = terms.items[i];
        if (!lt_expression_has_subquery(term) || !is_of_side(term, self->left_count, is_right)) {
            LT_LIST_ADD(binder->arena, &kept, term, err);
            continue;
        }
        if (is_right) term = lt_expression_shift(binder->arena, term, -(int32_t)self->left_count);
        if (term == NULL) return lt_raise_no_memory(err);
        lt_relation *side = is_right ? self->right : self->left;
        LT_TRY(lt_subqueries_filter(binder, &side->plan, term, err));
        is_moved = true;
    }
    if (!is_moved) return LEAT_OK;
    LT_TRY(lt_plan_join(binder, self->type, self->left->plan, self->right->plan, join, err));
    (*join)->place = self->ast->place;
    return lt_and(binder, kept.items, kept.count, condition, err);
}

// Sub-queries in the condition of an outer, semi or anti join give their value to the rows of one side, as columns that
// this side hands to the join. Until the widths are known these columns are numbered from LEFT_ADDED and RIGHT_ADDED.
enum { LEFT_ADDED = 1 << 24, RIGHT_ADDED = 2 << 24 };

static bool is_negated_subquery(const lt_expression *expression) {
    return expression->kind == LT_EXPRESSION_CALL && strcmp(expression->function->name, "not") == 0 &&
           expression->arguments[0]->kind == LT_EXPRESSION_SUBQUERY;
}

static leat_status subquery_to_side(lt_join_binding *self, const lt_expression **expression, leat_error *err) {
    lt_binder           *binder   = self->binder;
    const bool           is_right = !is_of_side(*expression, self->left_count, false);
    lt_relation         *side     = is_right ? self->right : self->left;
    const uint32_t       count    = is_right ? self->right_count : self->left_count;
    const lt_expression *value    = *expression;
    if (is_right && !is_of_side(value, self->left_count, true))
        return lt_raise(
            err, LT_UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY__UNSUPPORTED_CORRELATED_EXPRESSION_IN_JOIN_CONDITION,
            &value->place, "a sub-query in the condition of this join can use one side only");
    if (is_right) value = lt_expression_shift(binder->arena, value, -(int32_t)self->left_count);
    if (value == NULL) return lt_raise_no_memory(err);
    LT_TRY(lt_subqueries_lift(binder, &side->plan, &value, err));
    const lt_expression **map;
    LT_TRY_NEW_ARRAY(map, binder->arena, side->plan->column_count, err);
    for (uint32_t c = 0; c < side->plan->column_count; c++) {
        const uint32_t to = c >= count ? (is_right ? RIGHT_ADDED : LEFT_ADDED) + c
                            : is_right ? c + self->left_count
                                       : c;
        LT_TRY(lt_column_new(binder, to, side->plan->columns[c].type, &map[c], err));
    }
    *expression = lt_expression_substitute(binder->arena, value, map, side->plan->column_count);
    return *expression == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status subqueries_to_sides(lt_join_binding *self, const lt_expression **expression, leat_error *err) {
    const lt_expression  *old = *expression;
    const lt_expression **arguments;
    lt_expression        *copy;
    if (!lt_expression_has_subquery(old)) return LEAT_OK;
    if (old->kind == LT_EXPRESSION_SUBQUERY || is_negated_subquery(old)) return subquery_to_side(self, expression, err);
    LT_TRY_NEW_ARRAY(arguments, self->binder->arena, old->argument_count, err);
    for (uint32_t i = 0; i < old->argument_count; i++) {
        arguments[i] = old->arguments[i];
        LT_TRY(subqueries_to_sides(self, &arguments[i], err));
    }
    LT_TRY_NEW(copy, self->binder->arena, err);
    *copy           = *old;
    copy->arguments = arguments;
    *expression     = copy;
    return LEAT_OK;
}

// Columns of the condition, numbered over the sides as they were, become those of the sides as they are now.
static leat_status widened_condition(const lt_join_binding *self, const lt_expression **condition, leat_error *err) {
    const lt_expression  *old = *condition;
    const lt_expression **arguments;
    lt_expression        *copy;
    LT_TRY_NEW_ARRAY(arguments, self->binder->arena, old->argument_count, err);
    for (uint32_t i = 0; i < old->argument_count; i++) {
        arguments[i] = old->arguments[i];
        LT_TRY(widened_condition(self, &arguments[i], err));
    }
    LT_TRY_NEW(copy, self->binder->arena, err);
    *copy           = *old;
    copy->arguments = arguments;
    *condition      = copy;
    if (old->kind != LT_EXPRESSION_COLUMN || old->column >= LT_SLOT_AGGREGATE) return LEAT_OK;
    const uint32_t left = self->left->plan->column_count;
    if (old->column >= RIGHT_ADDED)
        copy->column = old->column - RIGHT_ADDED + left;
    else if (old->column >= LEFT_ADDED)
        copy->column = old->column - LEFT_ADDED;
    else if (old->column >= self->left_count)
        copy->column = old->column - self->left_count + left;
    return LEAT_OK;
}

static leat_status join_with_subqueries(lt_join_binding *self, const lt_expression *condition, const lt_plan **out,
                                        leat_error *err) {
    lt_binder     *binder = self->binder;
    lt_plan       *join;
    const bool     keeps_left = self->type == LT_JOIN_SEMI || self->type == LT_JOIN_ANTI;
    const uint32_t count      = self->left_count + (keeps_left ? 0 : self->right_count);
    LT_TRY(subqueries_to_sides(self, &condition, err));
    LT_TRY(widened_condition(self, &condition, err));
    LT_TRY(lt_plan_join(binder, self->type, self->left->plan, self->right->plan, &join, err));
    join->place = self->ast->place;
    LT_TRY(lt_join_condition(binder, join, condition, err));
    const lt_expression **columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = i < self->left_count ? i : i - self->left_count + self->left->plan->column_count;
        LT_TRY(lt_column_new(binder, from, join->columns[from].type, &columns[i], err));
    }
    return lt_plan_project(binder, join, columns, NULL, count, out, err);
}

leat_status lt_join_plain_bind(lt_join_binding *self, lt_frame *frame, lt_relation *out, leat_error *err) {
    lt_binder           *binder = self->binder;
    lt_plan             *join;
    const lt_expression *condition;
    lt_ast_names         names = self->ast->join->using_columns;
    LT_TRY(lt_join_recursion_check(self, err));
    LT_TRY(lt_plan_join(binder, self->type, self->left->plan, self->right->plan, &join, err));
    join->place = self->ast->place;
    if (self->ast->join->natural && self->ast->join->kind == LT_AST_JOIN_CROSS)
        return lt_raise(err, LT_INCOMPATIBLE_JOIN_TYPES, &self->ast->place, "NATURAL and CROSS do not go together");
    if (self->ast->join->natural) LT_TRY(natural_columns(self, &names, err));
    if (names.count > 0) return lt_join_using_bind(self, &names, join, out, err);
    LT_TRY(lt_join_condition_bind(self, frame, &condition, err));
    *out      = self->both;
    out->plan = join;
    if (self->type == LT_JOIN_SEMI || self->type == LT_JOIN_ANTI) {
        const lt_ast_names none = {0};
        out->columns            = (lt_scope_columns){0};
        LT_TRY(side_columns(self, self->left, &none, 0, &out->columns, err));
    }
    if (condition != NULL && self->type != LT_JOIN_INNER) LT_TRY(padded_side_filter(self, &condition, &join, err));
    out->plan = join;
    if (condition != NULL && lt_expression_has_subquery(condition)) {
        if (self->type != LT_JOIN_INNER) return join_with_subqueries(self, condition, &out->plan, err);
        return lt_subqueries_filter(binder, &out->plan, condition, err);
    }
    return lt_join_condition(binder, join, condition, err);
}

leat_status lt_join_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                         lt_relation *out, leat_error *err) {
    const lt_ast_join *written = ast->join;
    lt_relation       *right;
    LT_TRY_NEW(right, binder->arena, err);
    lt_join_binding self       = {.binder     = binder,
                                  .ast        = ast,
                                  .type       = type_of(written->kind),
                                  .left       = left,
                                  .right      = right,
                                  .left_count = left->plan->column_count};
    const bool      is_lateral = written->lateral || ast->right->lateral;
    if (!is_lateral) {
        const lt_ast_expression *time    = ast->right->as_of;
        lt_ast_relation          without = *ast->right;
        without.as_of                    = NULL;
        LT_TRY(lt_from_bind(binder, &without, frame, right, err));
        LT_TRY(lt_session_refuse(right, err));
        if (time != NULL) LT_TRY(lt_join_versions_bind(binder, ast->right, right, err));
        self.left_count  = left->plan->column_count;
        self.right_count = right->plan->column_count;
        LT_TRY(both_sides(&self, err));
        if (time != NULL) return lt_join_temporal_bind(&self, time, frame, out, err);
        return written->match_condition != NULL ? lt_join_asof_bind(&self, frame, out, err)
                                                : lt_join_plain_bind(&self, frame, out, err);
    }
    if (written->lateral && ast->right->kind == LT_AST_RELATION_TABLE)
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__LATERAL_WITHOUT_SUBQUERY_OR_TABLE_VALUED_FUNC, &ast->right->place,
                        "LATERAL goes with a sub-query or a function that gives rows, not with a table");
    if (self.type != LT_JOIN_INNER && self.type != LT_JOIN_LEFT)
        return lt_raise(err, LT_INVALID_LATERAL_JOIN_TYPE, &ast->place,
                        "LATERAL goes with INNER, CROSS and LEFT joins");
    lt_scope scope   = {.clause = LT_CLAUSE_OTHER, .relation = left, .frame = frame};
    lt_frame lateral = {.outer = &scope, .is_lateral = true};
    LT_TRY(lt_from_bind(binder, ast->right, &lateral, right, err));
    LT_TRY(lt_session_refuse(right, err));
    self.right_count = right->plan->column_count;
    LT_TRY(both_sides(&self, err));
    if (lateral.arguments.count == 0) return lt_join_plain_bind(&self, frame, out, err);
    const lt_expression *condition;
    LT_TRY(lt_join_condition_bind(&self, frame, &condition, err));
    *out = self.both;
    return lt_lateral_join(binder, self.type, left->plan, right->plan, &lateral.arguments, condition, &out->plan, err);
}
