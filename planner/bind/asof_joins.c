#include "planner/bind/joins.h"

#include "planner/catalog.h"

// ASOF JOIN and FOR SYSTEM_TIME AS OF: a left row with the right row of its key that is nearest in time. The latter says
// so without naming the time of the right side, which is its event time; where it has none, its rows are what is there
// now, and the join a plain one.

// ---- the node
// -----------------------------------------------------------------------------------------------------------------

// The equalities of ON or USING as an AsofJoin without match; *out_residual: the other terms, or NULL. The time of a pair
// is that of its left row: the right one is older by any length, and bounds nothing above.
static leat_status equal_join(lt_join_binding *self, lt_frame *frame, lt_relation *out, lt_plan **out_join,
                              const lt_expression **out_residual, leat_error *err) {
    lt_binder           *binder    = self->binder;
    const lt_ast_names  *names     = &self->ast->join->using_columns;
    const lt_expression *condition = NULL;
    lt_plan             *join;
    lt_plan_column      *columns;
    LT_TRY(lt_join_recursion_check(self, err));
    LT_TRY(lt_plan_join(binder, self->type, self->left->plan, self->right->plan, &join, err));
    join->place = self->ast->place;
    LT_TRY_NEW_ARRAY(columns, binder->arena, join->column_count + 1u, err);
    memcpy(columns, join->columns, sizeof *columns * join->column_count);
    for (uint32_t c = self->left_count; c < join->column_count; c++) columns[c].has_event_time = false;
    join->columns = columns;
    if (names->count > 0) {
        LT_TRY(lt_join_using_bind(self, names, join, out, err));
    } else {
        LT_TRY(lt_join_condition_bind(self, frame, &condition, err));
        if (condition != NULL && lt_expression_has_subquery(condition))
            return lt_raise(err, LT_NOT_SUPPORTED, &condition->place, "a sub-query cannot stand in this join");
        LT_TRY(lt_join_condition(binder, join, condition, err));
        *out      = self->both;
        out->plan = join;
    }
    const lt_plan equal = *join;
    join->kind          = LT_PLAN_ASOF_JOIN;
    memset(&join->as, 0, sizeof join->as);
    join->as.asof_join.left_keys    = equal.as.join.left_keys;
    join->as.asof_join.right_keys   = equal.as.join.right_keys;
    join->as.asof_join.is_null_safe = equal.as.join.is_null_safe;
    join->as.asof_join.key_count    = equal.as.join.key_count;
    join->as.asof_join.is_outer     = self->type == LT_JOIN_LEFT;
    *out_residual                   = equal.as.join.residual;
    *out_join                       = join;
    return LEAT_OK;
}

// ---- ASOF JOIN
// ----------------------------------------------------------------------------------------------------------------

static leat_status match_refuse(const lt_expression *match, leat_error *err) {
    return lt_raise(err, LT_UNSUPPORTED_MATCH_CONDITION, &match->place,
                    "MATCH_CONDITION compares one side with the other by >=, >, <= or <");
}

// left >= right: the right row before; left <= right: the next one. Written the other way round it means the same.
static leat_status match_bind(lt_join_binding *self, lt_frame *frame, lt_plan *join, leat_error *err) {
    static const char *const names[] = {">=", ">", "<=", "<"};
    lt_scope                 scope   = {.clause = LT_CLAUSE_ON, .relation = &self->both, .frame = frame};
    lt_bound                 bound;
    uint32_t                 order = 0;
    LT_TRY(lt_bind_boolean(self->binder, &scope, self->ast->join->match_condition,
                           LT_JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE, &bound, err));
    const lt_expression *match = bound.expression;
    if (match->kind != LT_EXPRESSION_CALL || match->argument_count != 2) return match_refuse(match, err);
    while (order < 4 && strcmp(match->function->name, names[order]) != 0) order++;
    const int first = lt_join_sides_read(match->arguments[0], self->left_count);
    const int last  = lt_join_sides_read(match->arguments[1], self->left_count);
    if (order == 4 ||
        !((first == LT_SIDE_LEFT && last == LT_SIDE_RIGHT) || (first == LT_SIDE_RIGHT && last == LT_SIDE_LEFT)))
        return match_refuse(match, err);
    const bool           is_turned = first == LT_SIDE_RIGHT;
    const lt_expression *left = match->arguments[is_turned ? 1 : 0], *right = match->arguments[is_turned ? 0 : 1];
    bool                 fits;
    right = lt_expression_shift(self->binder->arena, right, -(int32_t)self->left_count);
    if (right == NULL) return lt_raise_no_memory(err);
    LT_TRY(lt_join_keys_unify(self->binder, &left, &right, &fits, err));
    if (!fits) return match_refuse(match, err);
    join->as.asof_join.left_match  = left;
    join->as.asof_join.right_match = right;
    join->as.asof_join.takes_equal = order == 0 || order == 2;
    join->as.asof_join.is_forward  = (order >= 2) != is_turned;
    return LEAT_OK;
}

leat_status lt_join_asof_bind(lt_join_binding *self, lt_frame *frame, lt_relation *out, leat_error *err) {
    lt_plan             *join;
    const lt_expression *residual;
    LT_TRY(equal_join(self, frame, out, &join, &residual, err));
    if (residual != NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &residual->place,
                        "ON of an ASOF JOIN takes equalities of the two sides; filter a side before the join");
    return match_bind(self, frame, join, err);
}

// ---- FOR SYSTEM_TIME AS OF
// ----------------------------------------------------------------------------------------------------

static bool is_versioned(const lt_plan *right) {
    return right->kind == LT_PLAN_WATERMARK && right->inputs[0]->kind == LT_PLAN_CHANGES &&
           right->inputs[0]->as.changes.is_versioned;
}

leat_status lt_join_versions_bind(lt_binder *binder, const lt_ast_relation *ast, lt_relation *right, leat_error *err) {
    const lt_plan *mark = right->plan, *changes = mark->kind == LT_PLAN_WATERMARK ? mark->inputs[0] : mark;
    if (mark == changes || changes->kind != LT_PLAN_CHANGES) return LEAT_OK;
    const lt_change_kind kind = changes->as.changes.spec->kind;
    if (kind != LT_CHANGES_UPSERT && kind != LT_CHANGES_OP)
        return lt_raise(err, LT_NOT_SUPPORTED, &ast->place,
                        "messages of this kind do not say since when a row is as it is; changes 'upsert' and 'op' do");
    lt_plan        *versions, *top;
    lt_plan_column *columns;
    const uint32_t  count = changes->column_count;
    LT_TRY(lt_plan_new(binder, LT_PLAN_CHANGES, changes->inputs, 1, count + 1, &changes->place, &versions, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, count + 1, err);
    memcpy(columns, changes->columns, sizeof *columns * count);
    columns[count]    = (lt_plan_column){.name = "is_gone", .type = lt_type_of(LT_BOOLEAN), .is_hidden = true};
    versions->columns = columns;
    versions->as      = changes->as;
    versions->as.changes.is_versioned = true;
    LT_TRY(lt_plan_over(binder, LT_PLAN_WATERMARK, versions, &top, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, count + 1, err);
    memcpy(columns, mark->columns, sizeof *columns * count);
    columns[count] = versions->columns[count];
    top->columns   = columns;
    top->as        = mark->as;
    right->plan    = top;
    return LEAT_OK;
}

// The event time of the right side, over its plan; *out NULL: it has none.
static leat_status version_time(const lt_join_binding *self, const lt_expression **out, leat_error *err) {
    const lt_plan *right = self->right->plan;
    *out                 = NULL;
    for (uint32_t c = 0; c < right->column_count; c++) {
        if (!right->columns[c].has_event_time || right->columns[c].type->kind == LT_STRUCT) continue;
        if (*out != NULL)
            return lt_raise(err, LT_NOT_SUPPORTED, &self->ast->right->place,
                            "the right side has two event times, `%s` and `%s`; select one of them in a view",
                            right->columns[(*out)->column].name, right->columns[c].name);
        LT_TRY(lt_column_new(self->binder, c, right->columns[c].type, out, err));
    }
    return LEAT_OK;
}

static bool reads_stream(const lt_plan *plan) {
    if (plan->kind == LT_PLAN_STREAM_SCAN) return true;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (reads_stream(plan->inputs[i])) return true;
    return false;
}

// A version that says that its row is gone, or that does not fit the other terms of ON, is no partner.
static leat_status partner_filter(const lt_join_binding *self, lt_plan *join, const lt_expression *residual,
                                  lt_relation *out, leat_error *err) {
    lt_binder           *binder     = self->binder;
    const uint32_t       count      = join->column_count;
    const lt_expression *terms[2]   = {residual};
    uint32_t             term_count = residual != NULL;
    if (is_versioned(self->right->plan)) {
        const lt_expression *is_gone;
        LT_TRY(lt_column_new(binder, count - 1, lt_type_of(LT_BOOLEAN), &is_gone, err));
        LT_TRY(lt_not(binder, is_gone, &terms[term_count++], err));
    }
    const lt_expression  *fits;
    const lt_expression **columns;
    LT_TRY(lt_and(binder, terms, term_count, &fits, err));
    if (fits == NULL) return LEAT_OK;
    if (self->type == LT_JOIN_INNER) return lt_plan_filter(binder, out->plan, fits, &out->plan, err);
    LT_TRY_NEW_ARRAY(columns, binder->arena, count, err);
    for (uint32_t c = 0; c < count; c++) {
        const lt_expression *parts[2] = {fits};
        lt_expression       *value;
        LT_TRY(lt_column_new(binder, c, join->columns[c].type, &parts[1], err));
        columns[c] = parts[1];
        if (c < self->left_count) continue;
        LT_TRY(
            lt_expression_new(binder, LT_EXPRESSION_CASE, join->columns[c].type, parts, 2, &join->place, &value, err));
        columns[c] = value;
    }
    return lt_plan_project(binder, out->plan, columns, NULL, count, &out->plan, err);
}

leat_status lt_join_temporal_bind(lt_join_binding *self, const lt_ast_expression *time, lt_frame *frame,
                                  lt_relation *out, leat_error *err) {
    lt_scope             scope = {.clause = LT_CLAUSE_ON, .relation = &self->both, .frame = frame};
    lt_bound             bound;
    const lt_expression *version, *left, *residual;
    lt_plan             *join;
    bool                 fits;
    if ((self->type != LT_JOIN_INNER && self->type != LT_JOIN_LEFT) || self->ast->join->match_condition != NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &self->ast->place, "FOR SYSTEM_TIME AS OF goes with JOIN and LEFT JOIN");
    LT_TRY(lt_bind_expression(self->binder, &scope, time, &bound, err));
    left = bound.expression;
    if ((left->type->kind != LT_TIMESTAMP && left->type->kind != LT_TIMESTAMP_NTZ) ||
        (lt_join_sides_read(left, self->left_count) & (LT_SIDE_RIGHT | LT_SIDE_OTHER)) != 0)
        return lt_raise(err, LT_NOT_SUPPORTED, &time->place,
                        "FOR SYSTEM_TIME AS OF takes a TIMESTAMP of the left side");
    LT_TRY(version_time(self, &version, err));
    if (version == NULL && !reads_stream(self->right->plan)) return lt_join_plain_bind(self, frame, out, err);
    if (version == NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &self->ast->right->place,
                        "rows of a stream are versions since their event time; give it one with WATERMARK FOR");
    LT_TRY(equal_join(self, frame, out, &join, &residual, err));
    if (join->as.asof_join.key_count == 0)
        return lt_raise(err, LT_NOT_SUPPORTED, &self->ast->place,
                        "ON of a join with versions says which row they are of: left.key = right.key");
    LT_TRY(lt_join_keys_unify(self->binder, &left, &version, &fits, err));
    join->as.asof_join.left_match  = left;
    join->as.asof_join.right_match = version;
    join->as.asof_join.takes_equal = true;
    return partner_filter(self, join, residual, out, err);
}
