#include "planner/bind/binder.h"

// PIVOT: one aggregate with a FILTER per value. UNPIVOT: each row once per set of columns.

// ---- PIVOT
// ------------------------------------------------------------------------------------------------------------------

typedef struct pivot_state {
    lt_binder          *binder;
    const lt_ast_pivot *ast;
    lt_frame           *frame;
    lt_relation        *left;
    lt_bounds           columns; // FOR c
    lt_grouping         grouping;
    lt_aggregation      aggregation;
    lt_outputs          outputs; // of each value and aggregate
    lt_expression_list  present; // counts the rows of each value, where nothing would not be NULL
} pivot_state;

// The text that a value is named by, as CAST AS STRING gives it.
static leat_status value_name(lt_binder *binder, const lt_expression *value, const lt_place *place, const char **out,
                              leat_error *err) {
    const lt_expression *text;
    const lt_vector     *constant;
    if (!lt_expression_is_foldable(value))
        return lt_raise(err, LT_NON_LITERAL_PIVOT_VALUES, place, "the values of PIVOT are constants");
    LT_TRY(lt_cast_to(binder, value, lt_type_of(LT_STRING), &text, err));
    constant = text->value;
    if (text->kind != LT_EXPRESSION_LITERAL)
        LT_TRY(binder->context->fold(binder->context->user, text, binder->arena, &constant, err));
    if (lt_vector_is_null(constant, 0)) {
        *out = "null";
        return LEAT_OK;
    }
    const lt_string *string = &LT_VALUE(constant, lt_string, 0);
    *out                    = lt_arena_text(binder->arena, lt_string_data(string), string->bytes);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// Part `index` of a value for several columns; the value itself for one.
static leat_status value_part(pivot_state *self, const lt_expression *value, uint32_t index, const lt_place *place,
                              lt_bound *out, leat_error *err) {
    const lt_type *type      = self->columns.items[index].expression->type;
    lt_condition   condition = LT_PIVOT_VALUE_DATA_TYPE_MISMATCH;
    *out                     = (lt_bound){.text = "", .size = 1, .depth = 1, .expression = value};
    if (self->columns.count > 1) {
        lt_expression *part;
        LT_TRY(lt_expression_new(self->binder, LT_EXPRESSION_FIELD, value->type->fields[index].type, &value, 1, place,
                                 &part, err));
        part->field = index;
        LT_TRY(lt_bind_fold(self->binder, part, &out->expression, err));
    }
    if (!lt_cast_is_allowed(out->expression->type, type, &condition))
        return lt_raise(err, LT_PIVOT_VALUE_DATA_TYPE_MISMATCH, place, "a value of PIVOT is %s, its column %s",
                        lt_type_text(self->binder->arena, out->expression->type),
                        lt_type_text(self->binder->arena, type));
    return lt_cast_to(self->binder, out->expression, type, &out->expression, err);
}

static leat_status value_condition(pivot_state *self, const lt_ast_item *item, const lt_expression **out,
                                   const char **out_name, leat_error *err) {
    lt_binder         *binder = self->binder;
    const lt_place    *place  = &item->expression->place;
    const uint32_t     count  = self->columns.count;
    lt_scope           scope  = {.clause = LT_CLAUSE_OTHER, .relation = self->left, .frame = self->frame};
    lt_expression_list terms  = {0};
    lt_bound           value;
    LT_TRY(lt_bind_expression(binder, &scope, item->expression, &value, err));
    const lt_type *type = value.expression->type;
    LT_TRY(value_name(binder, value.expression, place, out_name, err));
    if (item->alias.text != NULL) *out_name = item->alias.text;
    if (count > 1 && (type->kind != LT_STRUCT || type->field_count != count))
        return lt_raise(err, LT_PIVOT_VALUE_DATA_TYPE_MISMATCH, place, "a value of PIVOT is %s, for %u columns",
                        lt_type_text(binder->arena, type), count);
    for (uint32_t i = 0; i < count; i++) {
        lt_bound part;
        lt_bound equal;
        LT_TRY(value_part(self, value.expression, i, place, &part, err));
        LT_TRY(lt_compare_bind(binder, "<=>", &self->columns.items[i], &part, place, &equal, err));
        LT_LIST_ADD(binder->arena, &terms, equal.expression, err);
    }
    return lt_and(binder, terms.items, terms.count, out, err);
}

static leat_status call_filtered(pivot_state *self, lt_aggregate_call *call, const lt_expression *condition,
                                 leat_error *err) {
    const lt_expression *both[2] = {condition, call->filter};
    return lt_and(self->binder, both, call->filter == NULL ? 1 : 2, &call->filter, err);
}

// The aggregate item for one value: its calls join the others, with the value as their filter. A value without rows
// gives NULL, so calls that are something over nothing are guarded by a count.
static leat_status item_for_value(pivot_state *self, const lt_ast_item *item, const lt_expression *condition,
                                  const char *value_name, leat_error *err) {
    lt_binder     *binder = self->binder;
    lt_aggregation own    = {0};
    lt_bound       bound;
    lt_scope scope = {.clause = LT_CLAUSE_SELECT, .relation = self->left, .frame = self->frame, .aggregation = &own};
    const lt_expression **map;
    bool                  needs_guard = false;
    LT_TRY(lt_bind_expression(binder, &scope, item->expression, &bound, err));
    LT_TRY_NEW_ARRAY(map, binder->arena, own.calls.count, err);
    for (uint32_t i = 0; i < own.calls.count; i++) {
        const lt_expression *nothing;
        LT_TRY(call_filtered(self, &own.calls.items[i], condition, err));
        LT_TRY(lt_aggregate_over_nothing(binder, &own.calls.items[i], &nothing, err));
        needs_guard |= nothing != NULL;
        LT_TRY(lt_column_new(binder, LT_SLOT_AGGREGATE + self->aggregation.calls.count, own.calls.items[i].type,
                             &map[i], err));
        LT_LIST_ADD(binder->arena, &self->aggregation.calls, own.calls.items[i], err);
    }
    lt_output output = {.size = 1, .depth = 1, .text = bound.text};
    LT_TRY(
        lt_slots_replace(binder, bound.expression, LT_SLOT_AGGREGATE, map, own.calls.count, &output.expression, err));
    if (needs_guard) {
        lt_ast_expression  star         = {.kind = LT_AST_STAR, .place = item->expression->place};
        lt_ast_expression *stars[1]     = {&star};
        char               count_name[] = "count";
        lt_ast_name        name         = {.text = count_name, .bytes = 5};
        lt_ast_call        call         = {.name = {.items = &name, .count = 1}};
        lt_ast_expression  count        = {.kind      = LT_AST_CALL,
                                           .place     = item->expression->place,
                                           .call      = &call,
                                           .arguments = {.items = stars, .count = 1}};
        lt_aggregate_call  counted;
        const char        *text;
        LT_TRY(lt_aggregate_bind(binder, &scope, &count, "count", &counted, &text, err));
        counted.filter    = condition;
        lt_bound parts[3] = {{.text = "", .size = 1, .depth = 1}, {.text = "", .size = 1, .depth = 1}};
        lt_bound zero     = {.text = "", .size = 1, .depth = 1};
        LT_TRY(lt_column_new(binder, LT_SLOT_AGGREGATE + self->aggregation.calls.count, counted.type,
                             &parts[0].expression, err));
        LT_LIST_ADD(binder->arena, &self->aggregation.calls, counted, err);
        LT_TRY(lt_literal_int64(binder, LT_BIGINT, 0, &zero.expression, err));
        const lt_bound number = parts[0];
        LT_TRY(lt_compare_bind(binder, ">", &number, &zero, &item->expression->place, &parts[0], err));
        parts[1].expression = output.expression;
        LT_TRY(lt_case_bind(binder, parts, 2, false, "", &item->expression->place, &bound, err));
        output.expression = bound.expression;
    }
    const char *item_name = item->alias.text != NULL ? item->alias.text : output.text;
    output.name =
        self->ast->aggregates.count == 1 ? value_name : lt_arena_format(binder->arena, "%s_%s", value_name, item_name);
    if (output.name == NULL) return lt_raise_no_memory(err);
    LT_LIST_ADD(binder->arena, &self->outputs, output, err);
    return LEAT_OK;
}

static leat_status subqueries_lift(pivot_state *self, const lt_plan **plan, leat_error *err) {
    lt_binder *binder = self->binder;
    for (uint32_t i = 0; i < self->aggregation.calls.count; i++) {
        lt_aggregate_call    *call = &self->aggregation.calls.items[i];
        const lt_expression **arguments;
        lt_sort_key          *order;
        LT_TRY_NEW_ARRAY(arguments, binder->arena, call->argument_count, err);
        LT_TRY_NEW_ARRAY(order, binder->arena, call->order_count, err);
        for (uint32_t k = 0; k < call->argument_count; k++) {
            arguments[k] = call->arguments[k];
            LT_TRY(lt_subqueries_lift(binder, plan, &arguments[k], err));
        }
        for (uint32_t k = 0; k < call->order_count; k++) {
            order[k] = call->order[k];
            LT_TRY(lt_subqueries_lift(binder, plan, &order[k].expression, err));
        }
        if (call->filter != NULL) LT_TRY(lt_subqueries_lift(binder, plan, &call->filter, err));
        call->arguments = arguments;
        call->order     = order;
    }
    return LEAT_OK;
}

static bool is_used(const pivot_state *self, uint32_t column) {
    for (uint32_t i = 0; i < self->columns.count; i++)
        if (lt_expression_uses_column(self->columns.items[i].expression, column)) return true;
    for (uint32_t i = 0; i < self->aggregation.calls.count; i++) {
        const lt_aggregate_call *call = &self->aggregation.calls.items[i];
        for (uint32_t k = 0; k < call->argument_count; k++)
            if (lt_expression_uses_column(call->arguments[k], column)) return true;
        if (call->filter != NULL && lt_expression_uses_column(call->filter, column)) return true;
    }
    return false;
}

static leat_status grouping_keys(pivot_state *self, leat_error *err) {
    self->grouping.is_present = true;
    for (uint32_t i = 0; i < self->left->columns.count; i++) {
        const lt_scope_column *column = &self->left->columns.items[i];
        if (column->is_hidden || column->is_qualified_only || is_used(self, column->column)) continue;
        lt_bound key = {.text = column->name, .name = column->name, .size = 1, .depth = 1};
        LT_TRY(lt_column_new(self->binder, column->column, column->type, &key.expression, err));
        LT_LIST_ADD(self->binder->arena, &self->grouping.keys, key, err);
    }
    return LEAT_OK;
}

leat_status lt_pivot_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                          lt_relation *out, leat_error *err) {
    pivot_state *self;
    LT_TRY_NEW(self, binder->arena, err);
    *self          = (pivot_state){.binder = binder, .ast = ast->pivot, .frame = frame, .left = left};
    lt_scope scope = {.clause = LT_CLAUSE_OTHER, .relation = left, .frame = frame};
    for (uint32_t i = 0; i < ast->pivot->columns.count; i++) {
        const lt_ast_names name = {.items = &ast->pivot->columns.items[i], .count = 1};
        bool               is_found;
        lt_bound           column;
        LT_TRY(lt_scope_find(binder, &scope, &name, &is_found, &column, err));
        if (!is_found) return lt_raise_unresolved(binder, &scope, &name, &name.items[0].place, err);
        LT_LIST_ADD(binder->arena, &self->columns, column, err);
    }
    for (uint32_t v = 0; v < ast->pivot->values.count; v++) {
        const lt_expression *condition;
        const char          *name;
        LT_TRY(value_condition(self, &ast->pivot->values.items[v], &condition, &name, err));
        for (uint32_t a = 0; a < ast->pivot->aggregates.count; a++)
            LT_TRY(item_for_value(self, &ast->pivot->aggregates.items[a], condition, name, err));
    }
    LT_TRY(grouping_keys(self, err));
    const lt_plan        *plan;
    const uint32_t        keys = self->grouping.keys.count;
    const lt_expression **columns;
    const char          **names;
    const lt_plan        *below = left->plan;
    LT_TRY(subqueries_lift(self, &below, err));
    LT_TRY(lt_aggregate_plan(binder, below, &self->grouping, &self->aggregation, NULL, &ast->place, &plan, err));
    lt_plan *pivot;
    LT_TRY_NEW(pivot, binder->arena, err);
    *pivot                       = *plan;
    pivot->as.aggregate.is_pivot = true;
    plan                         = pivot;
    LT_TRY_NEW_ARRAY(columns, binder->arena, keys + self->outputs.count, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, keys + self->outputs.count, err);
    for (uint32_t i = 0; i < keys; i++) {
        names[i] = self->grouping.keys.items[i].name;
        LT_TRY(lt_column_new(binder, i, plan->columns[i].type, &columns[i], err));
    }
    for (uint32_t i = 0; i < self->outputs.count; i++) {
        const lt_expression *value = self->outputs.items[i].expression;
        if (!lt_expression_has_slot(value, LT_SLOT_AGGREGATE))
            return lt_raise(err, LT_MISSING_AGGREGATION, &value->place, "an item of PIVOT needs an aggregate");
        LT_TRY(lt_aggregate_rewrite(binder, value, &self->grouping, &self->aggregation, &columns[keys + i], err));
        LT_TRY(lt_subqueries_lift(binder, &plan, &columns[keys + i], err));
        names[keys + i] = self->outputs.items[i].name;
    }
    LT_TRY(lt_plan_project(binder, plan, columns, names, keys + self->outputs.count, &plan, err));
    return lt_relation_of_plan(binder, plan, NULL, out, err);
}

// ---- UNPIVOT
// --------------------------------------------------------------------------------------------------------------------

typedef struct unpivot_state {
    lt_binder            *binder;
    const lt_ast_unpivot *ast;
    lt_relation          *left;
    lt_bound             *values; // values[set * value count + v]
    const char          **labels; // by set
    const lt_type       **types;  // by value column
    uint32_t              set_count, value_count;
} unpivot_state;

static leat_status sets_bind(unpivot_state *self, lt_frame *frame, leat_error *err) {
    lt_binder *binder = self->binder;
    lt_scope   scope  = {.clause = LT_CLAUSE_OTHER, .relation = self->left, .frame = frame};
    for (uint32_t s = 0; s < self->set_count; s++) {
        const lt_ast_unpivot_set *set   = &self->ast->sets.items[s];
        const char               *label = "";
        if (set->columns.count != self->value_count)
            return lt_raise(err, LT_UNPIVOT_VALUE_SIZE_MISMATCH, &self->ast->name_column.place,
                            "UNPIVOT has %u value columns and a set of %u", self->value_count, set->columns.count);
        for (uint32_t v = 0; v < self->value_count; v++) {
            const lt_ast_names *name = &set->columns.items[v];
            lt_bound           *to   = &self->values[s * self->value_count + v];
            bool                is_found;
            LT_TRY(lt_scope_find(binder, &scope, name, &is_found, to, err));
            if (!is_found) return lt_raise_unresolved(binder, &scope, name, &name->items[0].place, err);
            label = lt_arena_format(binder->arena, "%s%s%s", label, v == 0 ? "" : "_", to->name);
            if (label == NULL) return lt_raise_no_memory(err);
            const lt_type *type = to->expression->type;
            const lt_type *old  = self->types[v];
            // Texts and other types do not mix here, unlike elsewhere.
            const bool mixes = old != NULL && (old->kind == LT_STRING) != (type->kind == LT_STRING);
            self->types[v]   = old == NULL ? type : mixes ? NULL : lt_common_type(binder->arena, old, type);
            if (self->types[v] == NULL)
                return lt_raise(err, LT_UNPIVOT_VALUE_DATA_TYPE_MISMATCH, &name->items[0].place,
                                "the columns of one value of UNPIVOT have no common type");
        }
        self->labels[s] = set->alias.text != NULL ? set->alias.text : label;
    }
    return LEAT_OK;
}

static bool is_unpivoted(const unpivot_state *self, uint32_t column) {
    for (uint32_t i = 0; i < self->set_count * self->value_count; i++)
        if (lt_expression_uses_column(self->values[i].expression, column)) return true;
    return false;
}

static leat_status rows_build(unpivot_state *self, const lt_scope_columns *kept, lt_plan *expand, leat_error *err) {
    lt_binder            *binder = self->binder;
    const uint32_t        width  = expand->column_count;
    const lt_expression **projections;
    LT_TRY_NEW_ARRAY(projections, binder->arena, (size_t)width * self->set_count, err);
    for (uint32_t s = 0; s < self->set_count; s++) {
        const lt_expression **row = projections + (size_t)s * width;
        const lt_vector      *label;
        for (uint32_t i = 0; i < kept->count; i++)
            LT_TRY(lt_column_new(binder, kept->items[i].column, kept->items[i].type, &row[i], err));
        LT_TRY(lt_constant_text(binder->arena, LT_STRING, self->labels[s], strlen(self->labels[s]), &label, err));
        row[kept->count] = lt_expression_literal(binder->arena, label, NULL);
        if (row[kept->count] == NULL) return lt_raise_no_memory(err);
        for (uint32_t v = 0; v < self->value_count; v++)
            LT_TRY(lt_cast_to(binder, self->values[s * self->value_count + v].expression, self->types[v],
                              &row[kept->count + 1 + v], err));
    }
    expand->as.expand.projections      = projections;
    expand->as.expand.projection_count = self->set_count;
    return LEAT_OK;
}

static leat_status keep_build(unpivot_state *self, uint32_t first, lt_plan *expand, leat_error *err) {
    const lt_expression **terms;
    if (self->ast->include_nulls) return LEAT_OK;
    LT_TRY_NEW_ARRAY(terms, self->binder->arena, self->value_count, err);
    for (uint32_t v = 0; v < self->value_count; v++) {
        lt_bound value = {.text = "", .size = 1, .depth = 1};
        lt_bound known;
        LT_TRY(lt_column_new(self->binder, first + v, self->types[v], &value.expression, err));
        LT_TRY(lt_call_bind(self->binder, "isnotnull", &value, 1, NULL, &expand->place, &known, err));
        terms[v] = known.expression;
    }
    expand->as.expand.keep = terms[0];
    if (self->value_count == 1) return LEAT_OK;
    lt_expression *any;
    LT_TRY(lt_expression_new(self->binder, LT_EXPRESSION_OR, lt_type_of(LT_BOOLEAN), terms, self->value_count,
                             &expand->place, &any, err));
    expand->as.expand.keep = any;
    return LEAT_OK;
}

leat_status lt_unpivot_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                            lt_relation *out, leat_error *err) {
    const lt_ast_unpivot *written = ast->unpivot;
    unpivot_state         self    = {.binder      = binder,
                                     .ast         = written,
                                     .left        = left,
                                     .set_count   = written->sets.count,
                                     .value_count = written->value_columns.count};
    lt_scope_columns      kept    = {0};
    LT_TRY_NEW_ARRAY(self.values, binder->arena, (size_t)self.set_count * self.value_count, err);
    LT_TRY_NEW_ARRAY(self.labels, binder->arena, self.set_count, err);
    LT_TRY_NEW_ARRAY(self.types, binder->arena, self.value_count, err);
    LT_TRY(sets_bind(&self, frame, err));
    for (uint32_t i = 0; i < left->columns.count; i++) {
        const lt_scope_column *column = &left->columns.items[i];
        if (!column->is_hidden && !column->is_qualified_only && !is_unpivoted(&self, column->column))
            LT_LIST_ADD(binder->arena, &kept, *column, err);
    }
    lt_plan        *expand;
    lt_plan_column *columns;
    const uint32_t  width = kept.count + 1 + self.value_count;
    LT_TRY(lt_plan_new(binder, LT_PLAN_EXPAND, &left->plan, 1, width, &ast->place, &expand, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, width, err);
    for (uint32_t i = 0; i < kept.count; i++) {
        columns[i]      = left->plan->columns[kept.items[i].column];
        columns[i].name = kept.items[i].name;
    }
    columns[kept.count] = (lt_plan_column){.name = written->name_column.text, .type = lt_type_of(LT_STRING)};
    for (uint32_t v = 0; v < self.value_count; v++)
        columns[kept.count + 1 + v] =
            (lt_plan_column){.name = written->value_columns.items[v].text, .type = self.types[v]};
    expand->columns = columns;
    LT_TRY(rows_build(&self, &kept, expand, err));
    LT_TRY(keep_build(&self, kept.count + 1, expand, err));
    LT_TRY(lt_relation_of_plan(binder, expand, NULL, out, err));
    for (uint32_t i = 0; i < kept.count; i++) out->columns.items[i].relation = kept.items[i].relation;
    return LEAT_OK;
}
