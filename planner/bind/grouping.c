#include "planner/bind/binder.h"

// GROUP BY: keys, grouping sets, the AGGREGATE node, and expressions above it in terms of its output.
//
// Grouping sets: EXPAND gives each row once per set, with the keys that are not in the set as NULL, the number of the
// set's pattern (grouping_id), and a flag per grouping(..) call; all of them are keys of the AGGREGATE.

enum { KEYS_MAX = 63, SETS_MAX = 4096, GROUPING_SLOT = LT_SLOT_AGGREGATE + (1 << 26) };

LT_LIST(set_list, uint64_t);

// ---- keys
// -----------------------------------------------------------------------------------------------------------------

// The position that an expression names, or 0.
static uint32_t position_of(const lt_ast_expression *ast) {
    if (ast->kind != LT_AST_LITERAL || ast->literal.kind != LT_AST_LITERAL_NUMBER) return 0;
    uint32_t position = 0;
    for (uint32_t i = 0; i < ast->literal.text.bytes; i++) {
        const char c = ast->literal.text.text[i];
        if (c < '0' || c > '9' || position > 100000) return UINT32_MAX;
        position = position * 10 + (uint32_t)(c - '0');
    }
    return position == 0 ? UINT32_MAX : position;
}

static bool is_position(const lt_ast_expression *ast) {
    if (ast->kind != LT_AST_LITERAL || ast->literal.kind != LT_AST_LITERAL_NUMBER) return false;
    if (ast->literal.suffix != NULL && ast->literal.suffix[0] != 0) return false;
    for (uint32_t i = 0; i < ast->literal.text.bytes; i++)
        if ((ast->literal.text.text[i] < '0' || ast->literal.text.text[i] > '9') && ast->literal.text.text[i] != '-')
            return false;
    return true;
}

static leat_status key_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const lt_outputs *outputs,
                            lt_bound *out, leat_error *err) {
    if (is_position(ast) && outputs != NULL) {
        const uint32_t position = position_of(ast);
        if (position > outputs->count)
            return lt_raise(err, LT_GROUP_BY_POS_OUT_OF_RANGE, &ast->place,
                            "GROUP BY %u: the select list has %u item%s", position, outputs->count,
                            outputs->count == 1 ? "" : "s");
        const lt_output *output = &outputs->items[position - 1];
        *out                    = (lt_bound){.expression = output->expression,
                                             .text       = output->text,
                                             .name       = output->name,
                                             .size       = output->size,
                                             .depth      = output->depth};
    } else {
        LT_TRY(lt_bind_expression(binder, scope, ast, out, err));
    }
    if (lt_expression_has_slot(out->expression, LT_SLOT_AGGREGATE))
        return lt_raise(err, LT_GROUP_BY_AGGREGATE, &ast->place, "GROUP BY cannot hold an aggregate: `%s`", out->text);
    if (lt_expression_has_slot(out->expression, LT_SLOT_WINDOW))
        return lt_raise(err, LT_MISSING_AGGREGATION, &ast->place, "GROUP BY cannot hold a window function");
    return LEAT_OK;
}

static leat_status key_add(lt_binder *binder, lt_grouping *grouping, const lt_bound *key, const lt_place *place,
                           uint64_t *out_bit, leat_error *err) {
    uint32_t index = 0;
    while (index < grouping->keys.count &&
           !lt_expression_equal(grouping->keys.items[index].expression, key->expression))
        index++;
    if (index == grouping->keys.count) LT_LIST_ADD(binder->arena, &grouping->keys, *key, err);
    if (index >= KEYS_MAX) {
        if (grouping->has_sets)
            return lt_raise(err, LT_LIMIT_EXCEEDED, place, "more than %d keys in grouping sets", KEYS_MAX);
        *out_bit = 0;
        return LEAT_OK;
    }
    *out_bit = (uint64_t)1 << index;
    return LEAT_OK;
}

// ---- sets
// -----------------------------------------------------------------------------------------------------------------

typedef struct group_binder {
    lt_binder        *binder;
    lt_scope         *scope;
    const lt_outputs *outputs;
    lt_grouping      *grouping;
} group_binder;

static leat_status set_of(group_binder *self, const lt_ast_expressions *asts, uint64_t *out, leat_error *err) {
    *out = 0;
    for (uint32_t i = 0; i < asts->count; i++) {
        lt_bound key;
        uint64_t bit;
        LT_TRY(key_bind(self->binder, self->scope, asts->items[i], self->outputs, &key, err));
        LT_TRY(key_add(self->binder, self->grouping, &key, &asts->items[i]->place, &bit, err));
        *out |= bit;
    }
    return LEAT_OK;
}

static leat_status set_add(group_binder *self, set_list *sets, uint64_t set, const lt_place *place, leat_error *err) {
    if (sets->count >= SETS_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, place, "more than %d grouping sets", SETS_MAX);
    LT_LIST_ADD(self->binder->arena, sets, set, err);
    return LEAT_OK;
}

static leat_status rollup(group_binder *self, const uint64_t *groups, uint32_t count, set_list *out,
                          const lt_place *place, leat_error *err) {
    for (uint32_t taken = count + 1; taken-- > 0;) {
        uint64_t set = 0;
        for (uint32_t i = 0; i < taken; i++) set |= groups[i];
        LT_TRY(set_add(self, out, set, place, err));
    }
    return LEAT_OK;
}

static leat_status cube(group_binder *self, const uint64_t *groups, uint32_t count, set_list *out,
                        const lt_place *place, leat_error *err) {
    if (count > 12) return lt_raise(err, LT_LIMIT_EXCEEDED, place, "CUBE takes at most 12 groups");
    for (uint32_t choice = 1U << count; choice-- > 0;) {
        uint64_t set = 0;
        for (uint32_t i = 0; i < count; i++)
            if ((choice >> (count - 1 - i) & 1) != 0) set |= groups[i];
        LT_TRY(set_add(self, out, set, place, err));
    }
    return LEAT_OK;
}

static leat_status item_sets(group_binder *self, const lt_ast_group_item *item, set_list *out, leat_error *err) {
    uint64_t *groups;
    uint64_t  set;
    if (item->kind != LT_AST_GROUP_EXPRESSION) self->grouping->has_sets = true;
    switch (item->kind) {
    case LT_AST_GROUP_EXPRESSION: {
        lt_bound key;
        LT_TRY(key_bind(self->binder, self->scope, item->item.expression, self->outputs, &key, err));
        if (item->item.alias.text != NULL) key.name = item->item.alias.text;
        LT_TRY(key_add(self->binder, self->grouping, &key, &item->place, &set, err));
        return set_add(self, out, set, &item->place, err);
    }
    case LT_AST_GROUP_SET:
        LT_TRY(set_of(self, &item->sets.items[0], &set, err));
        return set_add(self, out, set, &item->place, err);
    case LT_AST_GROUP_GROUPING_SETS:
        for (uint32_t i = 0; i < item->items.count; i++) LT_TRY(item_sets(self, &item->items.items[i], out, err));
        return LEAT_OK;
    default:
        LT_TRY_NEW_ARRAY(groups, self->binder->arena, item->sets.count, err);
        for (uint32_t i = 0; i < item->sets.count; i++) LT_TRY(set_of(self, &item->sets.items[i], &groups[i], err));
        return item->kind == LT_AST_GROUP_ROLLUP ? rollup(self, groups, item->sets.count, out, &item->place, err)
                                                 : cube(self, groups, item->sets.count, out, &item->place, err);
    }
}

static leat_status cross(group_binder *self, set_list *sets, const set_list *more, const lt_place *place,
                         leat_error *err) {
    set_list product = {0};
    for (uint32_t i = 0; i < sets->count; i++)
        for (uint32_t k = 0; k < more->count; k++)
            LT_TRY(set_add(self, &product, sets->items[i] | more->items[k], place, err));
    *sets = product;
    return LEAT_OK;
}

static leat_status group_by_all(lt_binder *binder, const lt_outputs *outputs, lt_grouping *out, leat_error *err) {
    for (uint32_t i = 0; i < outputs->count; i++) {
        const lt_output *output = &outputs->items[i];
        uint64_t         bit;
        if (lt_expression_has_slot(output->expression, LT_SLOT_AGGREGATE) ||
            lt_expression_has_slot(output->expression, LT_SLOT_WINDOW))
            continue;
        const lt_bound key = {.expression = output->expression,
                              .text       = output->text,
                              .name       = output->name,
                              .size       = output->size,
                              .depth      = output->depth};
        LT_TRY(key_add(binder, out, &key, &output->expression->place, &bit, err));
    }
    return LEAT_OK;
}

leat_status lt_group_by_bind(lt_binder *binder, lt_scope *scope, const lt_ast_group_by *ast, const lt_outputs *outputs,
                             lt_grouping *out, leat_error *err) {
    *out = (lt_grouping){.is_present = ast->present};
    if (!ast->present) return LEAT_OK;
    if (ast->all) {
        bool     is_found;
        lt_bound column;
        LT_TRY(lt_scope_find(binder, scope, &ast->items.items[0].item.expression->names, &is_found, &column, err));
        if (!is_found) return group_by_all(binder, outputs, out, err);
    }
    group_binder self = {.binder = binder, .scope = scope, .outputs = outputs, .grouping = out};
    set_list     sets = {0};
    LT_TRY(set_add(&self, &sets, 0, NULL, err));
    if (ast->with_rollup || ast->with_cube) {
        uint64_t *groups;
        set_list  chosen = {0};
        out->has_sets    = true;
        LT_TRY_NEW_ARRAY(groups, binder->arena, ast->items.count, err);
        for (uint32_t i = 0; i < ast->items.count; i++) {
            set_list one = {0};
            LT_TRY(item_sets(&self, &ast->items.items[i], &one, err));
            groups[i] = one.items[0];
        }
        const lt_place *place = &ast->items.items[0].place;
        LT_TRY(ast->with_rollup ? rollup(&self, groups, ast->items.count, &chosen, place, err)
                                : cube(&self, groups, ast->items.count, &chosen, place, err));
        sets = chosen;
    } else {
        for (uint32_t i = 0; i < ast->items.count; i++) {
            set_list more = {0};
            LT_TRY(item_sets(&self, &ast->items.items[i], &more, err));
            LT_TRY(cross(&self, &sets, &more, &ast->items.items[i].place, err));
        }
        if (ast->with_sets.count > 0) {
            set_list more = {0};
            for (uint32_t i = 0; i < ast->with_sets.count; i++)
                LT_TRY(item_sets(&self, &ast->with_sets.items[i], &more, err));
            sets = more;
        }
    }
    out->sets      = sets.items;
    out->set_count = sets.count;
    return LEAT_OK;
}

// ---- grouping(..)
// -----------------------------------------------------------------------------------------------------------

leat_status lt_grouping_call_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                  lt_bound *out, leat_error *err) {
    lt_bounds arguments = {0};
    LT_TRY(lt_bind_list(binder, scope, &ast->arguments, &arguments, err));
    const bool is_id = strcmp(name, "grouping_id") == 0;
    if (scope->aggregation == NULL)
        return lt_raise(err, LT_UNSUPPORTED_GROUPING_EXPRESSION, &ast->place,
                        "`%s` needs GROUPING SETS, ROLLUP or CUBE", name);
    if (!is_id && arguments.count != 1)
        return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &ast->place, "grouping takes one argument");
    lt_bound call = {.text    = lt_display_call(binder->arena, NULL, name, "", arguments.items, arguments.count),
                     .size    = arguments.count,
                     .is_name = is_id,
                     .depth   = 1};
    if (call.text == NULL) return lt_raise_no_memory(err);
    const lt_expression **parts;
    lt_expression        *whole;
    LT_TRY_NEW_ARRAY(parts, binder->arena, arguments.count, err);
    for (uint32_t i = 0; i < arguments.count; i++) parts[i] = arguments.items[i].expression;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_COALESCE, lt_type_of(is_id ? LT_BIGINT : LT_TINYINT), parts,
                             arguments.count, &ast->place, &whole, err));
    call.expression = whole;
    *out            = call;
    out->size       = 1;
    out->is_name    = false;
    out->expression = lt_expression_column(binder->arena, GROUPING_SLOT + scope->aggregation->grouping.count,
                                           whole->type, &ast->place);
    if (out->expression == NULL) return lt_raise_no_memory(err);
    LT_LIST_ADD(binder->arena, &scope->aggregation->grouping, call, err);
    return LEAT_OK;
}

static leat_status grouping_calls_check(const lt_grouping *grouping, const lt_aggregation *aggregation,
                                        leat_error *err) {
    for (uint32_t i = 0; i < aggregation->grouping.count; i++) {
        const lt_bound      *call  = &aggregation->grouping.items[i];
        const lt_expression *whole = call->expression;
        const bool           is_id = call->is_name;
        if (!grouping->has_sets)
            return lt_raise(err, LT_UNSUPPORTED_GROUPING_EXPRESSION, &whole->place,
                            "`%s` needs GROUPING SETS, ROLLUP or CUBE", call->text);
        bool fits = is_id ? whole->argument_count == 0 || whole->argument_count == grouping->keys.count : false;
        for (uint32_t k = 0; k < grouping->keys.count; k++) {
            const lt_expression *key = grouping->keys.items[k].expression;
            if (!is_id)
                fits |= lt_expression_equal(key, whole->arguments[0]);
            else if (whole->argument_count > 0)
                fits = fits && lt_expression_equal(key, whole->arguments[k]);
        }
        if (!fits)
            return lt_raise(err, is_id ? LT_GROUPING_ID_COLUMN_MISMATCH : LT_GROUPING_COLUMN_MISMATCH, &whole->place,
                            "`%s` does not name the columns of GROUP BY", call->text);
    }
    return LEAT_OK;
}

// ---- the node
// -----------------------------------------------------------------------------------------------------------------

static bool has_equal_sets(const lt_grouping *grouping) {
    for (uint32_t i = 0; i < grouping->set_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (grouping->sets[i] == grouping->sets[k]) return true;
    return false;
}

// Keys behind the written ones: grouping_id, number of the set if two are equal, and the flags of grouping(..).
static uint32_t extra_key_count(const lt_grouping *grouping, const lt_aggregation *aggregation) {
    if (!grouping->has_sets) return 0;
    return 1U + (has_equal_sets(grouping) ? 1U : 0U) + aggregation->grouping.count;
}

static leat_status expand_row(lt_binder *binder, const lt_plan *input, const lt_grouping *grouping,
                              const lt_aggregation *aggregation, uint32_t set_index, const lt_expression **out,
                              leat_error *err) {
    const uint64_t set   = grouping->sets[set_index];
    const uint32_t keys  = grouping->keys.count;
    uint32_t       count = 0;
    int64_t        id    = 0;
    for (uint32_t i = 0; i < input->column_count; i++)
        LT_TRY(lt_column_new(binder, i, input->columns[i].type, &out[count++], err));
    for (uint32_t k = 0; k < keys; k++) {
        const lt_expression *key   = grouping->keys.items[k].expression;
        const bool           is_in = (set >> k & 1) != 0;
        id                         = id * 2 + (is_in ? 0 : 1);
        out[count]                 = key;
        if (!is_in) LT_TRY(lt_literal_null(binder, key->type, &out[count], err));
        count++;
    }
    LT_TRY(lt_literal_int64(binder, LT_BIGINT, id, &out[count++], err));
    if (has_equal_sets(grouping)) LT_TRY(lt_literal_int64(binder, LT_INT, set_index, &out[count++], err));
    for (uint32_t i = 0; i < aggregation->grouping.count; i++) {
        const lt_bound *call  = &aggregation->grouping.items[i];
        int64_t         value = id;
        for (uint32_t k = 0; !call->is_name && k < keys; k++)
            if (lt_expression_equal(grouping->keys.items[k].expression, call->expression->arguments[0]))
                value = (set >> k & 1) != 0 ? 0 : 1;
        LT_TRY(lt_literal_int64(binder, call->is_name ? LT_BIGINT : LT_TINYINT, value, &out[count++], err));
    }
    return LEAT_OK;
}

static leat_status expand_plan(lt_binder *binder, const lt_plan *input, const lt_grouping *grouping,
                               const lt_aggregation *aggregation, const lt_plan **out, leat_error *err) {
    const uint32_t columns = input->column_count + grouping->keys.count + extra_key_count(grouping, aggregation);
    lt_plan       *expand;
    LT_TRY(lt_plan_new(binder, LT_PLAN_EXPAND, &input, 1, columns, NULL, &expand, err));
    const lt_expression **projections;
    LT_TRY_NEW_ARRAY(projections, binder->arena, (size_t)columns * grouping->set_count, err);
    for (uint32_t s = 0; s < grouping->set_count; s++)
        LT_TRY(expand_row(binder, input, grouping, aggregation, s, projections + (size_t)s * columns, err));
    lt_plan_column *out_columns;
    LT_TRY_NEW_ARRAY(out_columns, binder->arena, columns, err);
    for (uint32_t i = 0; i < columns; i++) {
        out_columns[i]            = lt_plan_column_of(input, projections[i], NULL);
        out_columns[i].is_session = false; // of the sets without it there are no sessions
    }
    expand->columns                    = out_columns;
    expand->as.expand.projections      = projections;
    expand->as.expand.projection_count = grouping->set_count;
    *out                               = expand;
    return LEAT_OK;
}

// A session_window that a sub-query hands on is merged where it is grouped by, as Spark does: its rows have the bounds
// that they were given there.
static leat_status handed_session_set(lt_binder *binder, lt_plan *aggregate, const lt_expression *session,
                                      leat_error *err) {
    lt_bound bounds[2], gap; // end, start
    for (uint32_t part = 0; part < 2; part++) {
        lt_expression *field;
        LT_TRY(lt_expression_new(binder, LT_EXPRESSION_FIELD, session->type->fields[1 - part].type, &session, 1,
                                 &session->place, &field, err));
        field->field = 1 - part;
        bounds[part] = (lt_bound){.expression = field, .text = "", .size = 1, .depth = 1};
    }
    LT_TRY(lt_call_bind(binder, "-", bounds, 2, NULL, &session->place, &gap, err));
    aggregate->as.aggregate.session_time = bounds[1].expression;
    aggregate->as.aggregate.session_gap  = gap.expression;
    return LEAT_OK;
}

static leat_status event_time_key_set(lt_binder *binder, lt_plan *aggregate, const lt_plan *input,
                                      const lt_expression *const *keys, uint32_t key_count,
                                      const struct lt_time_windows *time_windows, leat_error *err) {
    aggregate->as.aggregate.event_time_key = -1;
    aggregate->as.aggregate.session_key    = -1;
    for (uint32_t i = 0; i < key_count; i++) {
        const lt_plan_column  column = lt_plan_column_of(input, keys[i], "");
        const lt_time_window *own    = NULL;
        if (column.has_event_time && aggregate->as.aggregate.event_time_key < 0)
            aggregate->as.aggregate.event_time_key = (int32_t)i;
        if (!column.is_session) continue;
        for (uint32_t s = 0; time_windows != NULL && s < time_windows->count; s++)
            if (time_windows->items[s].gap != NULL && keys[i]->column == time_windows->items[s].column)
                own = &time_windows->items[s];
        if (own == NULL && aggregate->as.aggregate.session_key >= 0) continue;
        aggregate->as.aggregate.session_key = (int32_t)i;
        if (own == NULL) {
            LT_TRY(handed_session_set(binder, aggregate, keys[i], err));
            continue;
        }
        aggregate->as.aggregate.session_time = own->time;
        aggregate->as.aggregate.session_gap  = own->gap;
    }
    return LEAT_OK;
}

leat_status lt_aggregate_plan(lt_binder *binder, const lt_plan *input, const lt_grouping *grouping,
                              const lt_aggregation *aggregation, const struct lt_time_windows *time_windows,
                              const lt_place *place, const lt_plan **out, leat_error *err) {
    LT_TRY(grouping_calls_check(grouping, aggregation, err));
    const uint32_t        extra     = extra_key_count(grouping, aggregation);
    const uint32_t        key_count = grouping->keys.count + extra;
    const lt_expression **keys;
    LT_TRY_NEW_ARRAY(keys, binder->arena, key_count, err);
    for (uint32_t i = 0; i < grouping->keys.count; i++) keys[i] = grouping->keys.items[i].expression;
    if (grouping->has_sets) {
        const uint32_t first = input->column_count;
        LT_TRY(expand_plan(binder, input, grouping, aggregation, &input, err));
        for (uint32_t i = 0; i < key_count; i++)
            LT_TRY(lt_column_new(binder, first + i, input->columns[first + i].type, &keys[i], err));
    }
    lt_plan *aggregate;
    LT_TRY(lt_plan_new(binder, LT_PLAN_AGGREGATE, &input, 1, key_count + aggregation->calls.count, place, &aggregate,
                       err));
    lt_plan_column *columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, aggregate->column_count, err);
    for (uint32_t i = 0; i < key_count; i++) {
        columns[i]      = lt_plan_column_of(input, keys[i], NULL);
        columns[i].name = i < grouping->keys.count && grouping->keys.items[i].name != NULL
                              ? grouping->keys.items[i].name
                              : columns[i].name;
    }
    for (uint32_t i = 0; i < aggregation->calls.count; i++)
        columns[key_count + i] = (lt_plan_column){.name = aggregation->calls.items[i].aggregate->name,
                                                  .type = aggregation->calls.items[i].type};
    aggregate->columns                 = columns;
    aggregate->as.aggregate.keys       = keys;
    aggregate->as.aggregate.key_count  = key_count;
    aggregate->as.aggregate.calls      = aggregation->calls.items;
    aggregate->as.aggregate.call_count = aggregation->calls.count;
    LT_TRY(event_time_key_set(binder, aggregate, input, keys, key_count, time_windows, err));
    *out = aggregate;
    return LEAT_OK;
}

// ---- expressions above it
// -----------------------------------------------------------------------------------------------------

static leat_status slot_rewrite(lt_binder *binder, const lt_expression *expression, const lt_grouping *grouping,
                                const lt_aggregation *aggregation, const lt_expression **out, leat_error *err) {
    const uint32_t keys = grouping->keys.count;
    const uint32_t slot = expression->column;
    if (lt_is_slot(slot, LT_SLOT_AGGREGATE)) {
        const uint32_t flags  = keys + 1 + (grouping->has_sets && has_equal_sets(grouping) ? 1 : 0);
        const uint32_t column = slot >= GROUPING_SLOT
                                    ? flags + (slot - GROUPING_SLOT)
                                    : keys + extra_key_count(grouping, aggregation) + (slot - LT_SLOT_AGGREGATE);
        return lt_column_new(binder, column, expression->type, out, err);
    }
    if (slot >= LT_SLOT_AGGREGATE) {
        *out = expression;
        return LEAT_OK;
    }
    return lt_raise(err, grouping->is_present ? LT_MISSING_AGGREGATION : LT_MISSING_GROUP_BY, &expression->place,
                    "a column that is neither in GROUP BY nor in an aggregate; add it to GROUP BY or use any_value()");
}

leat_status lt_aggregate_rewrite(lt_binder *binder, const lt_expression *expression, const lt_grouping *grouping,
                                 const lt_aggregation *aggregation, const lt_expression **out, leat_error *err) {
    for (uint32_t i = 0; i < grouping->keys.count; i++)
        if (lt_expression_equal(grouping->keys.items[i].expression, expression))
            return lt_column_new(binder, i, expression->type, out, err);
    if (expression->kind == LT_EXPRESSION_COLUMN)
        return slot_rewrite(binder, expression, grouping, aggregation, out, err);
    *out = expression;
    if (expression->argument_count == 0) return LEAT_OK;
    const lt_expression **arguments;
    lt_expression        *copy;
    LT_TRY_NEW_ARRAY(arguments, binder->arena, expression->argument_count, err);
    for (uint32_t i = 0; i < expression->argument_count; i++)
        LT_TRY(lt_aggregate_rewrite(binder, expression->arguments[i], grouping, aggregation, &arguments[i], err));
    LT_TRY_NEW(copy, binder->arena, err);
    *copy           = *expression;
    copy->arguments = arguments;
    *out            = copy;
    return LEAT_OK;
}
