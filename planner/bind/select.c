#include "planner/bind/binder.h"

#include "base/ascii.h"

// SELECT, from its FROM to its LIMIT. Everything is bound over the columns of FROM first; aggregates, windows and
// generators become slots. Then the plan is built from below, and each expression is rewritten to the columns of the
// node that it is computed over.

// explode(..) as an item: its columns are slots from `first`.
typedef struct generator_item_state {
    lt_generated generated;
    uint32_t     first; // slot
} generator_item_state;
LT_LIST(lt_generators, generator_item_state);

typedef struct select_state {
    lt_binder             *binder;
    const lt_select_parts *parts;
    lt_relation           *from;
    lt_scope               scope;
    lt_aggregation         aggregation;
    lt_overs               overs;
    lt_time_windows        time_windows;
    lt_outputs             outputs;
    lt_grouping            grouping;
    const lt_expression   *having, *qualify;
    lt_sort_key           *order;
    uint32_t               order_count;
    lt_generators          generators; // of the select list
    uint32_t               generated_count;
    const lt_plan         *plan;
} select_state;

// ---- items
// ----------------------------------------------------------------------------------------------------------------

static const char *relation_of(const lt_relation *from, const lt_expression *expression) {
    if (expression->kind != LT_EXPRESSION_COLUMN) return NULL;
    for (uint32_t i = 0; i < from->columns.count; i++)
        if (from->columns.items[i].column == expression->column) return from->columns.items[i].relation;
    return NULL;
}

// explode(..) as a whole item: its columns become items; the GENERATE node comes below the projection.
static leat_status generator_item(select_state *self, const lt_ast_item *item, leat_error *err) {
    lt_binder           *binder = self->binder;
    generator_item_state state  = {.first = self->generated_count};
    LT_TRY(lt_generator_bind(binder, &self->scope, item->expression, &state.generated, err));
    const uint32_t  count  = state.generated.field_count;
    const lt_field *fields = state.generated.fields;
    const uint32_t  named  = item->aliases.count > 0 ? item->aliases.count : item->alias.text != NULL ? 1 : 0;
    if (named > 0 && named != count)
        return lt_raise(err, LT_UDTF_ALIAS_NUMBER_MISMATCH, &item->expression->place,
                        "the function gives %u columns, and there are %u aliases", count, named);
    for (uint32_t i = 0; i < count; i++) {
        lt_output output = {.name      = fields[i].name,
                            .text      = fields[i].name,
                            .size      = 1,
                            .depth     = 1,
                            .has_alias = named > 0,
                            .ast       = item->expression};
        if (named > 0) output.name = item->aliases.count > 0 ? item->aliases.items[i].text : item->alias.text;
        output.expression = lt_expression_column(binder->arena, LT_SLOT_GENERATOR + self->generated_count + i,
                                                 fields[i].type, &item->expression->place);
        if (output.expression == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(binder->arena, &self->outputs, output, err);
    }
    LT_LIST_ADD(binder->arena, &self->generators, state, err);
    self->generated_count += count;
    return LEAT_OK;
}

static bool is_generator_call(const lt_binder *binder, const lt_ast_expression *ast) {
    if (ast->kind != LT_AST_CALL || ast->call->over != NULL) return false;
    const lt_ast_names *name  = &ast->call->name;
    const char         *lower = lt_lower(binder->arena, lt_ast_names_last(name));
    return lower != NULL && lt_is_generator_name(binder, lower);
}

static leat_status item_bind(select_state *self, const lt_ast_item *item, leat_error *err) {
    lt_bound bound;
    if (item->expression->kind == LT_AST_STAR)
        return lt_star_bind(self->binder, &self->scope, item->expression, &self->outputs, err);
    if (is_generator_call(self->binder, item->expression)) return generator_item(self, item, err);
    if (item->aliases.count > 0)
        return lt_raise(err, LT_MULTI_ALIAS_WITHOUT_GENERATOR, &item->expression->place,
                        "aliases in parentheses are for functions that give rows");
    LT_TRY(lt_bind_expression(self->binder, &self->scope, item->expression, &bound, err));
    lt_output output = {.expression = bound.expression,
                        .text       = bound.text,
                        .size       = bound.size,
                        .depth      = bound.depth,
                        .has_alias  = item->alias.text != NULL,
                        .ast        = item->expression};
    output.name      = item->alias.text != NULL ? item->alias.text : bound.name != NULL ? bound.name : bound.text;
    output.relation  = item->alias.text != NULL ? NULL : relation_of(self->from, bound.expression);
    LT_LIST_ADD(self->binder->arena, &self->outputs, output, err);
    return LEAT_OK;
}

static leat_status items_bind(select_state *self, leat_error *err) {
    self->scope.alias_use = LT_ALIASES_LAST;
    self->scope.aliases   = &self->outputs;
    if (self->parts->keeps_input) {
        const lt_ast_expression star = {.kind = LT_AST_STAR, .place = self->parts->place};
        LT_TRY(lt_star_bind(self->binder, &self->scope, &star, &self->outputs, err));
    }
    for (uint32_t i = 0; i < self->parts->items->count; i++)
        LT_TRY(item_bind(self, &self->parts->items->items[i], err));
    return LEAT_OK;
}

// ---- ORDER BY
// -----------------------------------------------------------------------------------------------------------------

static leat_status order_position(const lt_outputs *outputs, const lt_ast_expression *ast, const lt_output **out,
                                  leat_error *err) {
    *out = NULL;
    if (ast->kind != LT_AST_LITERAL || ast->literal.kind != LT_AST_LITERAL_NUMBER ||
        (ast->literal.suffix != NULL && ast->literal.suffix[0] != 0))
        return LEAT_OK;
    int64_t position = 0;
    for (uint32_t i = 0; i < ast->literal.text.bytes; i++) {
        const char c = ast->literal.text.text[i];
        if (c == '-' && i == 0) continue;
        if (c < '0' || c > '9') return LEAT_OK;
        position = position > 1000000 ? position : position * 10 + (c - '0');
    }
    if (ast->literal.text.text[0] == '-' || position < 1 || position > outputs->count)
        return lt_raise(err, LT_ORDER_BY_POS_OUT_OF_RANGE, &ast->place, "ORDER BY %.*s: the select list has %u item%s",
                        (int)ast->literal.text.bytes, ast->literal.text.text, outputs->count,
                        outputs->count == 1 ? "" : "s");
    *out = &outputs->items[position - 1];
    return LEAT_OK;
}

static bool nulls_first(const lt_ast_order_item *item) {
    return item->nulls == LT_AST_NULLS_DEFAULT ? !item->descending : item->nulls == LT_AST_NULLS_FIRST;
}

static leat_status order_key_check(lt_binder *binder, const lt_sort_key *key, leat_error *err) {
    if (lt_type_is_orderable(key->expression->type)) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__INVALID_ORDERING_TYPE, &key->expression->place,
                    "values of %s cannot be ordered", lt_type_text(binder->arena, key->expression->type));
}

// Keys over `scope`, whose aliases are the outputs.
static leat_status order_bind(lt_binder *binder, lt_scope *scope, const lt_ast_organization *organization,
                              const lt_outputs *outputs, lt_sort_key **out, uint32_t *out_count, leat_error *err) {
    const lt_ast_order_items *items =
        organization->order_by.count > 0 ? &organization->order_by : &organization->sort_by;
    const bool all = organization->order_by_all && outputs->count > 0;
    *out_count     = all ? outputs->count : items->count + organization->cluster_by.count;
    LT_TRY_NEW_ARRAY(*out, binder->arena, *out_count, err);
    for (uint32_t i = 0; i < *out_count; i++) {
        const bool               is_cluster = !all && i >= items->count;
        const lt_ast_order_item  plain      = {0};
        const lt_ast_order_item *item       = all ? &items->items[0] : is_cluster ? &plain : &items->items[i];
        lt_sort_key             *key        = &(*out)[i];
        const lt_output         *output     = all ? &outputs->items[i] : NULL;
        const lt_ast_expression *ast        = all          ? NULL
                                              : is_cluster ? organization->cluster_by.items[i - items->count]
                                                           : item->expression;
        *key = (lt_sort_key){.is_descending = item->descending, .is_nulls_first = nulls_first(item)};
        if (!all && !is_cluster) LT_TRY(order_position(outputs, ast, &output, err));
        if (output != NULL) {
            key->expression = output->expression;
        } else {
            lt_bound bound;
            LT_TRY(lt_bind_expression(binder, scope, ast, &bound, err));
            key->expression = bound.expression;
        }
        LT_TRY(order_key_check(binder, key, err));
    }
    return LEAT_OK;
}

static leat_status relation_outputs(lt_binder *binder, const lt_relation *relation, lt_outputs *out, leat_error *err) {
    for (uint32_t i = 0; i < relation->columns.count; i++) {
        const lt_scope_column *column = &relation->columns.items[i];
        if (column->is_hidden || column->is_qualified_only) continue;
        lt_output output  = {.name      = column->name,
                             .text      = column->name,
                             .relation  = column->relation,
                             .size      = 1,
                             .depth     = 1,
                             .has_alias = true};
        output.expression = lt_expression_column(binder->arena, column->column, column->type, NULL);
        if (output.expression == NULL) return lt_raise_no_memory(err);
        LT_LIST_ADD(binder->arena, out, output, err);
    }
    return LEAT_OK;
}

static leat_status sort_plan(lt_binder *binder, const lt_plan *input, const lt_sort_key *keys, uint32_t count,
                             const lt_plan **out, leat_error *err) {
    lt_plan *sort;
    *out = input;
    if (count == 0) return LEAT_OK;
    LT_TRY(lt_plan_over(binder, LT_PLAN_SORT, input, &sort, err));
    sort->as.sort.keys      = keys;
    sort->as.sort.key_count = count;
    *out                    = sort;
    return LEAT_OK;
}

// ORDER BY over finished columns: behind DISTINCT, set operations and the like.
leat_status lt_organization_bind(lt_binder *binder, const lt_ast_organization *organization, lt_frame *frame,
                                 lt_relation *relation, leat_error *err) {
    lt_outputs   outputs = {0};
    lt_sort_key *keys;
    uint32_t     count;
    LT_TRY(relation_outputs(binder, relation, &outputs, err));
    lt_scope scope = {.clause    = LT_CLAUSE_ORDER_BY,
                      .relation  = relation,
                      .frame     = frame,
                      .aliases   = &outputs,
                      .alias_use = LT_ALIASES_NONE};
    LT_TRY(order_bind(binder, &scope, organization, &outputs, &keys, &count, err));
    const uint32_t before = relation->plan->column_count;
    for (uint32_t i = 0; i < count; i++) LT_TRY(lt_subqueries_lift(binder, &relation->plan, &keys[i].expression, err));
    LT_TRY(sort_plan(binder, relation->plan, keys, count, &relation->plan, err));
    LT_TRY(lt_plan_keep(binder, relation->plan, before, &relation->plan, err));
    return lt_limit_bind(binder, organization, relation, err);
}

leat_status lt_organization_check(const lt_ast_organization *organization, const lt_place *place, leat_error *err) {
    const int kinds = (organization->order_by.count > 0) + (organization->sort_by.count > 0) +
                      (organization->cluster_by.count > 0) + (organization->distribute_by.count > 0);
    if (kinds > 1 && !(kinds == 2 && organization->sort_by.count > 0 && organization->distribute_by.count > 0))
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__COMBINATION_QUERY_RESULT_CLAUSES, place,
                        "ORDER BY, SORT BY, CLUSTER BY and DISTRIBUTE BY do not go together");
    return LEAT_OK;
}

// ---- LIMIT
// ------------------------------------------------------------------------------------------------------------------

static leat_status limit_value(lt_binder *binder, const lt_ast_expression *ast, const char *name, int64_t *out,
                               leat_error *err) {
    lt_scope scope = {.clause = LT_CLAUSE_OTHER};
    lt_bound bound;
    *out = name[0] == 'L' ? -1 : 0;
    if (ast == NULL) return LEAT_OK;
    lt_relation empty = {0};
    scope.relation    = &empty;
    bool is_variable  = ast->kind != LT_AST_COLUMN;
    if (!is_variable) LT_TRY(lt_scope_find(binder, &scope, &ast->names, &is_variable, &bound, err));
    if (!is_variable)
        return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__IS_UNFOLDABLE, &ast->place, "%s takes a constant", name);
    LT_TRY(lt_bind_expression(binder, &scope, ast, &bound, err));
    const lt_expression *value = bound.expression;
    if (!lt_expression_is_foldable(value))
        return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__IS_UNFOLDABLE, &ast->place, "%s takes a constant", name);
    // A parameter given as text, as the shell's --param gives them all, takes digits.
    const bool is_text_parameter = ast->kind == LT_AST_PARAMETER && value->type->kind == LT_STRING;
    if (value->type->kind != LT_INT && !is_text_parameter)
        return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__DATA_TYPE, &ast->place, "%s takes an INT, not %s", name,
                        lt_type_text(binder->arena, value->type));
    LT_TRY(lt_cast_to(binder, value, lt_type_of(LT_BIGINT), &value, err));
    if (value->kind != LT_EXPRESSION_LITERAL && binder->context->fold != NULL) {
        const lt_vector *vector;
        return binder->context->fold(binder->context->user, value, binder->arena, &vector, err);
    }
    if (value->kind != LT_EXPRESSION_LITERAL || lt_vector_is_null(value->value, 0))
        return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__IS_NULL, &ast->place, "%s cannot be NULL", name);
    *out = LT_VALUE(value->value, int64_t, 0);
    if (*out < 0)
        return lt_raise(err, LT_INVALID_LIMIT_LIKE_EXPRESSION__IS_NEGATIVE, &ast->place, "%s cannot be negative", name);
    return LEAT_OK;
}

leat_status lt_limit_bind(lt_binder *binder, const lt_ast_organization *organization, lt_relation *relation,
                          leat_error *err) {
    int64_t limit;
    int64_t offset;
    LT_TRY(limit_value(binder, organization->limit, "LIMIT", &limit, err));
    LT_TRY(limit_value(binder, organization->offset, "OFFSET", &offset, err));
    if (limit < 0 && offset == 0) return LEAT_OK;
    lt_plan *plan;
    LT_TRY(lt_plan_over(binder, LT_PLAN_LIMIT, relation->plan, &plan, err));
    plan->as.limit.limit  = limit;
    plan->as.limit.offset = offset;
    relation->plan        = plan;
    return LEAT_OK;
}

// ---- building the plan
// --------------------------------------------------------------------------------------------------------

// Every expression of the SELECT that stands above aggregation, in turn: visit(self, &expression).
static leat_status each_expression(select_state *self,
                                   leat_status (*visit)(select_state *, const lt_expression **, leat_error *),
                                   leat_error *err) {
    for (uint32_t i = 0; i < self->outputs.count; i++) LT_TRY(visit(self, &self->outputs.items[i].expression, err));
    if (self->having != NULL) LT_TRY(visit(self, &self->having, err));
    if (self->qualify != NULL) LT_TRY(visit(self, &self->qualify, err));
    for (uint32_t i = 0; i < self->order_count; i++) LT_TRY(visit(self, &self->order[i].expression, err));
    return LEAT_OK;
}

static leat_status list_visit(select_state *self, const lt_expression *const **list, uint32_t count,
                              leat_status (*visit)(select_state *, const lt_expression **, leat_error *),
                              leat_error *err) {
    const lt_expression **copy;
    if (count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(copy, self->binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = (*list)[i];
        LT_TRY(visit(self, &copy[i], err));
    }
    *list = copy;
    return LEAT_OK;
}

static leat_status keys_visit(select_state *self, const lt_sort_key **keys, uint32_t count,
                              leat_status (*visit)(select_state *, const lt_expression **, leat_error *),
                              leat_error *err) {
    lt_sort_key *copy;
    if (count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(copy, self->binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = (*keys)[i];
        LT_TRY(visit(self, &copy[i].expression, err));
    }
    *keys = copy;
    return LEAT_OK;
}

static leat_status each_over(select_state *self,
                             leat_status (*visit)(select_state *, const lt_expression **, leat_error *),
                             leat_error *err) {
    for (uint32_t i = 0; i < self->overs.count; i++) {
        lt_over *over = &self->overs.items[i];
        LT_TRY(list_visit(self, &over->call.call.arguments, over->call.call.argument_count, visit, err));
        LT_TRY(list_visit(self, &over->partition, over->partition_count, visit, err));
        LT_TRY(keys_visit(self, &over->order, over->order_count, visit, err));
        if (over->call.call.filter != NULL) LT_TRY(visit(self, &over->call.call.filter, err));
    }
    return LEAT_OK;
}

static leat_status rewrite_visit(select_state *self, const lt_expression **expression, leat_error *err) {
    return lt_aggregate_rewrite(self->binder, *expression, &self->grouping, &self->aggregation, expression, err);
}

static leat_status lift_visit(select_state *self, const lt_expression **expression, leat_error *err) {
    return lt_subqueries_lift(self->binder, &self->plan, expression, err);
}

// A correlated sub-query that is no part of a key.
static bool has_ungrouped_subquery(const lt_grouping *grouping, const lt_expression *expression) {
    for (uint32_t k = 0; k < grouping->keys.count; k++)
        if (lt_expression_equal(grouping->keys.items[k].expression, expression)) return false;
    if (expression->kind == LT_EXPRESSION_SUBQUERY && expression->argument_count > 0) return true;
    for (uint32_t i = 0; i < expression->argument_count; i++)
        if (has_ungrouped_subquery(grouping, expression->arguments[i])) return true;
    return false;
}

// Behind an aggregation ORDER BY finds its keys and results only; any other column is unknown there. What is wrong with
// an output, which ORDER BY may name, is told of the output.
static leat_status order_rewrite(select_state *self, leat_error *err) {
    for (uint32_t i = 0; i < self->outputs.count; i++) {
        const lt_expression *ignored;
        LT_TRY(lt_aggregate_rewrite(self->binder, self->outputs.items[i].expression, &self->grouping,
                                    &self->aggregation, &ignored, err));
    }
    for (uint32_t i = 0; i < self->order_count; i++) {
        const lt_expression *key = self->order[i].expression;
        const lt_expression *ignored;
        const leat_status    status =
            lt_aggregate_rewrite(self->binder, key, &self->grouping, &self->aggregation, &ignored, NULL);
        if (status == LEAT_NO_MEMORY) return lt_raise_no_memory(err);
        if (status != LEAT_OK)
            return lt_raise(err, LT_UNRESOLVED_COLUMN__WITH_SUGGESTION, &key->place,
                            "ORDER BY names a column that is neither in GROUP BY nor in an aggregate");
    }
    return LEAT_OK;
}

static leat_status aggregate_build(select_state *self, leat_error *err) {
    for (uint32_t i = 0; i < self->outputs.count; i++)
        if (has_ungrouped_subquery(&self->grouping, self->outputs.items[i].expression))
            return lt_raise(err, LT_SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION,
                            &self->outputs.items[i].expression->place,
                            "a correlated sub-query in a grouped SELECT has to stand in GROUP BY too");
    const lt_expression **written; // keys as they are found above, with their sub-queries
    LT_TRY_NEW_ARRAY(written, self->binder->arena, self->grouping.keys.count, err);
    for (uint32_t i = 0; i < self->grouping.keys.count; i++) {
        written[i] = self->grouping.keys.items[i].expression;
        LT_TRY(lift_visit(self, &self->grouping.keys.items[i].expression, err));
    }
    for (uint32_t i = 0; i < self->aggregation.calls.count; i++) {
        lt_aggregate_call *call = &self->aggregation.calls.items[i];
        LT_TRY(list_visit(self, &call->arguments, call->argument_count, lift_visit, err));
        LT_TRY(keys_visit(self, &call->order, call->order_count, lift_visit, err));
        if (call->filter != NULL) LT_TRY(lift_visit(self, &call->filter, err));
    }
    LT_TRY(self->from->session != NULL
               ? lt_session_groups_plan(self->binder, self->plan, self->from->session, &self->grouping,
                                        &self->aggregation, &self->parts->place, &self->plan, err)
               : lt_aggregate_plan(self->binder, self->plan, &self->grouping, &self->aggregation, &self->time_windows,
                                   &self->parts->place, &self->plan, err));
    for (uint32_t i = 0; i < self->grouping.keys.count; i++) self->grouping.keys.items[i].expression = written[i];
    LT_TRY(order_rewrite(self, err));
    LT_TRY(each_expression(self, rewrite_visit, err));
    return each_over(self, rewrite_visit, err);
}

static leat_status windows_build(select_state *self, leat_error *err) {
    if (self->overs.count == 0) return LEAT_OK;
    lt_binder *binder = self->binder;
    LT_TRY(each_over(self, lift_visit, err));
    uint32_t             *columns;
    const lt_expression **map;
    LT_TRY(lt_windows_plan(binder, self->plan, &self->overs, &self->plan, &columns, err));
    LT_TRY_NEW_ARRAY(map, binder->arena, self->overs.count, err);
    for (uint32_t i = 0; i < self->overs.count; i++)
        LT_TRY(lt_column_new(binder, columns[i], self->overs.items[i].call.call.type, &map[i], err));
    for (uint32_t i = 0; i < self->outputs.count; i++)
        LT_TRY(lt_slots_replace(binder, self->outputs.items[i].expression, LT_SLOT_WINDOW, map, self->overs.count,
                                &self->outputs.items[i].expression, err));
    if (self->qualify != NULL)
        LT_TRY(lt_slots_replace(binder, self->qualify, LT_SLOT_WINDOW, map, self->overs.count, &self->qualify, err));
    for (uint32_t i = 0; i < self->order_count; i++)
        LT_TRY(lt_slots_replace(binder, self->order[i].expression, LT_SLOT_WINDOW, map, self->overs.count,
                                &self->order[i].expression, err));
    return LEAT_OK;
}

// The arguments are brought to the plan's columns; they may refer to the columns of generators in front of them.
static leat_status one_generator_build(select_state *self, generator_item_state *item, bool is_aggregate,
                                       const lt_expression **map, leat_error *err) {
    lt_binder            *binder    = self->binder;
    lt_generated         *generated = &item->generated;
    const lt_expression **arguments;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, generated->argument_count, err);
    for (uint32_t i = 0; i < generated->argument_count; i++) {
        arguments[i] = generated->arguments[i];
        if (is_aggregate) LT_TRY(rewrite_visit(self, &arguments[i], err));
        LT_TRY(lt_slots_replace(binder, arguments[i], LT_SLOT_GENERATOR, map, item->first, &arguments[i], err));
    }
    generated->arguments = arguments;
    LT_TRY(lt_generate_plan(binder, generated, false, &self->plan, err));
    const uint32_t first = self->plan->column_count - generated->field_count;
    for (uint32_t i = 0; i < generated->field_count; i++)
        LT_TRY(lt_column_new(binder, first + i, generated->fields[i].type, &map[item->first + i], err));
    return LEAT_OK;
}

static leat_status generators_build(select_state *self, bool is_aggregate, leat_error *err) {
    lt_binder            *binder = self->binder;
    const lt_expression **map;
    if (self->generators.count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(map, binder->arena, self->generated_count, err);
    for (uint32_t i = 0; i < self->generators.count; i++)
        LT_TRY(one_generator_build(self, &self->generators.items[i], is_aggregate, map, err));
    for (uint32_t i = 0; i < self->outputs.count; i++)
        LT_TRY(lt_slots_replace(binder, self->outputs.items[i].expression, LT_SLOT_GENERATOR, map,
                                self->generated_count, &self->outputs.items[i].expression, err));
    for (uint32_t i = 0; i < self->order_count; i++)
        LT_TRY(lt_slots_replace(binder, self->order[i].expression, LT_SLOT_GENERATOR, map, self->generated_count,
                                &self->order[i].expression, err));
    return LEAT_OK;
}

// Items, then what only ORDER BY needs; keys become columns of it.
static leat_status project_build(select_state *self, leat_error *err) {
    lt_binder            *binder  = self->binder;
    const uint32_t        visible = self->outputs.count;
    uint32_t              count   = visible;
    const lt_expression **expressions;
    const char          **names;
    LT_TRY_NEW_ARRAY(expressions, binder->arena, visible + self->order_count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, visible + self->order_count, err);
    for (uint32_t i = 0; i < visible; i++) {
        expressions[i] = self->outputs.items[i].expression;
        names[i]       = self->outputs.items[i].name;
    }
    for (uint32_t i = 0; i < self->order_count; i++) {
        const lt_expression *key = self->order[i].expression;
        uint32_t             at  = 0;
        while (at < count && !lt_expression_equal(expressions[at], key)) at++;
        if (at == count) {
            expressions[count] = key;
            names[count++]     = "";
        }
        LT_TRY(lt_column_new(binder, at, key->type, &self->order[i].expression, err));
    }
    return lt_plan_project(binder, self->plan, expressions, names, count, &self->plan, err);
}

static leat_status plan_build(select_state *self, leat_error *err) {
    const bool is_aggregate = self->grouping.is_present || self->aggregation.calls.count > 0 ||
                              self->aggregation.grouping.count > 0 || self->having != NULL || self->parts->groups_first;
    self->plan = self->from->plan;
    if (!self->grouping.is_present || self->parts->where != NULL) LT_TRY(lt_session_refuse(self->from, err));
    if (is_aggregate) LT_TRY(aggregate_build(self, err));
    if (self->having != NULL) LT_TRY(lt_subqueries_filter(self->binder, &self->plan, self->having, err));
    self->having = NULL;
    LT_TRY(generators_build(self, is_aggregate, err)); // windows are over the rows that they give
    LT_TRY(windows_build(self, err));
    if (self->qualify != NULL) LT_TRY(lt_subqueries_filter(self->binder, &self->plan, self->qualify, err));
    self->qualify = NULL;
    LT_TRY(each_expression(self, lift_visit, err));
    return project_build(self, err);
}

// ---- the whole
// ------------------------------------------------------------------------------------------------------------------

static bool has_aggregate_items(const select_state *self) {
    return self->aggregation.calls.count > 0 || self->aggregation.grouping.count > 0;
}

// QUALIFY stands behind the aggregation: it sees results by their names and aggregates nothing itself.
static leat_status qualify_check(const lt_aggregation *own, const lt_place *place, leat_error *err) {
    if (own->calls.count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < own->calls.count; i++)
        for (uint32_t k = 0; k < own->calls.items[i].argument_count; k++)
            if (lt_has_own_column(own->calls.items[i].arguments[k]))
                return lt_raise(err, LT_UNRESOLVED_COLUMN__WITH_SUGGESTION, place,
                                "QUALIFY sees the columns of the select list; give the aggregate a name there");
    return lt_raise(err, LT_MISSING_GROUP_BY, place,
                    "QUALIFY aggregates nothing; give the aggregate a name in the select list");
}

static leat_status conditions_bind(select_state *self, leat_error *err) {
    const lt_select_parts *parts = self->parts;
    lt_bound               bound;
    if (parts->having != NULL) {
        self->scope.clause    = LT_CLAUSE_HAVING;
        self->scope.alias_use = LT_ALIASES_FIRST;
        self->scope.overs     = NULL;
        self->scope.grouping  = &self->grouping;
        LT_TRY(lt_bind_expression(self->binder, &self->scope, parts->having, &bound, err));
        self->scope.grouping = NULL;
        if (!parts->group_by->present && !has_aggregate_items(self) && bound.expression->kind == LT_EXPRESSION_COLUMN)
            return lt_raise(err, LT_MISSING_GROUP_BY, &parts->having->place, "HAVING needs GROUP BY or an aggregate");
        if (bound.expression->type->kind != LT_BOOLEAN)
            return lt_raise(err, LT_DATATYPE_MISMATCH__FILTER_NOT_BOOLEAN, &parts->having->place,
                            "a condition is BOOLEAN, not %s",
                            lt_type_text(self->binder->arena, bound.expression->type));
        self->having = bound.expression;
    }
    if (parts->qualify != NULL) {
        const uint32_t before   = self->overs.count;
        self->scope.clause      = LT_CLAUSE_QUALIFY;
        self->scope.alias_use   = LT_ALIASES_LAST;
        self->scope.overs       = &self->overs;
        lt_aggregation own      = {0};
        self->scope.aggregation = &own;
        LT_TRY(lt_bind_boolean(self->binder, &self->scope, parts->qualify, LT_DATATYPE_MISMATCH__FILTER_NOT_BOOLEAN,
                               &bound, err));
        self->scope.aggregation = &self->aggregation;
        LT_TRY(qualify_check(&own, &parts->qualify->place, err));
        if (before == 0 && self->overs.count == 0)
            return lt_raise(err, LT_QUALIFY_REQUIRES_WINDOW_FUNCTION, &parts->qualify->place,
                            "QUALIFY needs a window function in it or in the select list");
        self->qualify = bound.expression;
    }
    return LEAT_OK;
}

static leat_status groups_in_front(select_state *self, leat_error *err) {
    lt_outputs items = self->outputs;
    self->outputs    = (lt_outputs){0};
    for (uint32_t i = 0; i < self->grouping.keys.count; i++) {
        const lt_bound *key    = &self->grouping.keys.items[i];
        const lt_output output = {.name       = key->name != NULL ? key->name : key->text,
                                  .expression = key->expression,
                                  .text       = key->text,
                                  .relation   = relation_of(self->from, key->expression),
                                  .size       = key->size,
                                  .depth      = key->depth};
        LT_LIST_ADD(self->binder->arena, &self->outputs, output, err);
    }
    for (uint32_t i = 0; i < items.count; i++) {
        if (!lt_expression_has_slot(items.items[i].expression, LT_SLOT_AGGREGATE))
            return lt_raise(err, LT_PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION,
                            &items.items[i].expression->place, "an item of |> AGGREGATE needs an aggregate: `%s`",
                            items.items[i].text);
        LT_LIST_ADD(self->binder->arena, &self->outputs, items.items[i], err);
    }
    return LEAT_OK;
}

static leat_status output_relation(select_state *self, uint32_t count, lt_relation *out, leat_error *err) {
    *out = (lt_relation){.plan = self->plan};
    for (uint32_t i = 0; i < count; i++) {
        const lt_scope_column column = {.name     = self->outputs.items[i].name,
                                        .relation = self->outputs.items[i].relation,
                                        .type     = self->outputs.items[i].expression->type,
                                        .column   = i};
        LT_LIST_ADD(self->binder->arena, &out->columns, column, err);
    }
    return LEAT_OK;
}

static leat_status names_check(const lt_ast_named_windows *windows, leat_error *err) {
    for (uint32_t i = 0; windows != NULL && i < windows->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (lt_ascii_compare(windows->items[i].name.text, windows->items[k].name.text) == 0)
                return lt_raise(err, LT_INVALID_SQL_SYNTAX__REPETITIVE_WINDOW_DEFINITION, &windows->items[i].name.place,
                                "the window `%s` is defined twice", windows->items[i].name.text);
    return LEAT_OK;
}

leat_status lt_select_over(lt_binder *binder, const lt_select_parts *parts, lt_relation *from, lt_frame *frame,
                           lt_relation *out, leat_error *err) {
    static const lt_ast_group_by     no_groups       = {0};
    static const lt_ast_organization no_organization = {0};
    lt_select_parts                  whole           = *parts;
    if (whole.group_by == NULL) whole.group_by = &no_groups;
    if (whole.organization == NULL) whole.organization = &no_organization;
    select_state *self;
    LT_TRY_NEW(self, binder->arena, err);
    self->binder = binder;
    self->parts  = &whole;
    self->from   = from;
    self->scope  = (lt_scope){.clause       = parts->no_aggregates ? LT_CLAUSE_PIPE : LT_CLAUSE_SELECT,
                              .relation     = from,
                              .frame        = frame,
                              .aggregation  = parts->no_aggregates ? NULL : &self->aggregation,
                              .overs        = &self->overs,
                              .windows      = parts->windows,
                              .time_windows = &self->time_windows};
    LT_TRY(names_check(parts->windows, err));
    uint32_t named = lt_frame_name_count(frame);
    if (parts->where != NULL) LT_TRY(lt_where_bind(binder, parts->where, LT_CLAUSE_WHERE, frame, from, err));
    LT_TRY(lt_frame_names_turn(binder, frame, parts->names_before, named, err));
    LT_TRY(lt_time_windows_prepare(binder, &self->scope, whole.group_by, err));
    named = lt_frame_name_count(frame);
    LT_TRY(items_bind(self, err));
    const uint32_t named_with_items = lt_frame_name_count(frame);
    lt_scope       group_scope      = self->scope;
    group_scope.clause              = LT_CLAUSE_GROUP_BY;
    group_scope.aggregation         = NULL;
    group_scope.overs               = &self->overs;
    LT_TRY(lt_group_by_bind(binder, &group_scope, whole.group_by, &self->outputs, &self->grouping, err));
    LT_TRY(lt_frame_names_turn(binder, frame, named, named_with_items, err));
    LT_TRY(lt_frame_names_turn(binder, frame, parts->names_before, named, err));
    if (parts->groups_first) LT_TRY(groups_in_front(self, err));
    named = lt_frame_name_count(frame);
    LT_TRY(conditions_bind(self, err));
    LT_TRY(lt_frame_names_turn(binder, frame, parts->names_before, named, err));
    const bool sorts_output = parts->is_distinct; // behind DISTINCT only its columns can be ordered by
    if (!sorts_output) {
        lt_scope order_scope  = self->scope;
        order_scope.clause    = LT_CLAUSE_ORDER_BY;
        order_scope.alias_use = LT_ALIASES_FIRST;
        order_scope.overs     = NULL;
        named                 = lt_frame_name_count(frame);
        LT_TRY(order_bind(binder, &order_scope, whole.organization, &self->outputs, &self->order, &self->order_count,
                          err));
        LT_TRY(lt_frame_names_turn(binder, frame, parts->names_before, named, err));
    }
    self->scope.clause     = parts->no_aggregates ? LT_CLAUSE_PIPE : LT_CLAUSE_SELECT;
    const uint32_t visible = self->outputs.count;
    LT_TRY(plan_build(self, err));
    LT_TRY(output_relation(self, visible, out, err));
    if (sorts_output) {
        LT_TRY(lt_distinct_apply(binder, out, &parts->place, err));
        return lt_organization_bind(binder, whole.organization, frame, out, err);
    }
    LT_TRY(sort_plan(binder, out->plan, self->order, self->order_count, &out->plan, err));
    LT_TRY(lt_plan_keep(binder, out->plan, visible, &out->plan, err));
    return lt_limit_bind(binder, whole.organization, out, err);
}

leat_status lt_where_bind(lt_binder *binder, const lt_ast_expression *where, lt_clause clause, lt_frame *frame,
                          lt_relation *relation, leat_error *err) {
    lt_scope scope = {.clause = clause, .relation = relation, .frame = frame};
    lt_bound bound;
    LT_TRY(lt_bind_boolean(binder, &scope, where, LT_DATATYPE_MISMATCH__FILTER_NOT_BOOLEAN, &bound, err));
    return lt_subqueries_filter(binder, &relation->plan, bound.expression, err);
}

leat_status lt_select_bind(lt_binder *binder, const lt_ast_select *ast, const lt_ast_organization *organization,
                           lt_frame *frame, lt_relation *out, leat_error *err) {
    lt_relation   *from;
    const uint32_t names_before = lt_frame_name_count(frame);
    LT_TRY_NEW(from, binder->arena, err);
    if (ast->from != NULL)
        LT_TRY(lt_from_bind(binder, ast->from, frame, from, err));
    else
        LT_TRY(lt_plan_empty_row(binder, &from->plan, err));
    const lt_select_parts parts = {.items        = &ast->items,
                                   .where        = ast->where,
                                   .having       = ast->having,
                                   .qualify      = ast->qualify,
                                   .group_by     = &ast->group_by,
                                   .organization = organization,
                                   .windows      = &ast->windows,
                                   .is_distinct  = ast->distinct,
                                   .place        = ast->place,
                                   .names_before = names_before};
    return lt_select_over(binder, &parts, from, frame, out, err);
}
