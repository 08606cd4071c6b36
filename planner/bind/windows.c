#include "planner/bind/binder.h"

#include "base/ascii.h"

// OVER: window calls, their frames, and one WINDOW node for all calls of equal partition and order.

// ---- definitions
// ------------------------------------------------------------------------------------------------------------

static leat_status definition_of(const lt_scope *scope, const lt_ast_window *written, const lt_ast_window **out,
                                 leat_error *err) {
    *out = written;
    for (uint32_t hops = 0; (*out)->name.text != NULL && (*out)->partition_by.count == 0 && (*out)->order_by.count == 0;
         hops++) {
        const lt_ast_window *found = NULL;
        for (uint32_t i = 0; scope->windows != NULL && i < scope->windows->count; i++)
            if (lt_ascii_compare(scope->windows->items[i].name.text, (*out)->name.text) == 0)
                found = scope->windows->items[i].window;
        if (found == NULL || hops > 100)
            return lt_raise(err, LT_MISSING_WINDOW_SPECIFICATION, &written->place, "no window `%s` is defined",
                            (*out)->name.text);
        *out = found;
    }
    return LEAT_OK;
}

// ---- frames
// -----------------------------------------------------------------------------------------------------------------

typedef struct frame_bound {
    lt_frame_bound       kind;
    const lt_expression *offset;
    const char          *text;
} frame_bound;

static leat_status offset_bind(lt_binder *binder, lt_scope *scope, const lt_ast_bound *ast, bool is_rows,
                               const lt_sort_key *order, uint32_t order_count, frame_bound *out, leat_error *err) {
    lt_bound value;
    LT_TRY(lt_bind_expression(binder, scope, ast->value, &value, err));
    if (!lt_expression_is_foldable(value.expression))
        return lt_raise(err, LT_INVALID_SQL_SYNTAX__INVALID_WINDOW_FRAME_BOUND, &ast->place,
                        "the bound of a window frame is a constant");
    const lt_type *type = value.expression->type;
    if (is_rows) {
        if (!lt_kind_is_integral(type->kind))
            return lt_raise(err, LT_DATATYPE_MISMATCH__SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE, &ast->place,
                            "ROWS counts rows with an INT, not %s", lt_type_text(binder->arena, type));
        LT_TRY(lt_cast_to(binder, value.expression, lt_type_of(LT_BIGINT), &out->offset, err));
    } else {
        if (order_count == 0)
            return lt_raise(err, LT_DATATYPE_MISMATCH__RANGE_FRAME_WITHOUT_ORDER, &ast->place,
                            "RANGE with an offset needs ORDER BY");
        if (order_count > 1)
            return lt_raise(err, LT_DATATYPE_MISMATCH__RANGE_FRAME_MULTI_ORDER, &ast->place,
                            "RANGE with an offset takes one ORDER BY expression");
        const lt_kind key  = order[0].expression->type->kind;
        const bool    fits = (lt_kind_is_numeric(key) && lt_kind_is_numeric(type->kind)) ||
                          (key == LT_DATE && (lt_kind_is_integral(type->kind) || lt_kind_is_interval(type->kind))) ||
                          ((key == LT_TIMESTAMP || key == LT_TIMESTAMP_NTZ) && lt_kind_is_interval(type->kind));
        if (!fits)
            return lt_raise(err, LT_DATATYPE_MISMATCH__RANGE_FRAME_INVALID_TYPE, &ast->place,
                            "RANGE over %s cannot go by %s", lt_type_text(binder->arena, order[0].expression->type),
                            lt_type_text(binder->arena, type));
        out->offset = value.expression;
        if (lt_kind_is_numeric(key))
            LT_TRY(lt_cast_to(binder, value.expression, order[0].expression->type, &out->offset, err));
    }
    out->text =
        lt_arena_format(binder->arena, "%s %s", value.text, ast->kind == LT_AST_PRECEDING ? "PRECEDING" : "FOLLOWING");
    return out->text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status bound_bind(lt_binder *binder, lt_scope *scope, const lt_ast_bound *ast, bool is_rows,
                              const lt_sort_key *order, uint32_t order_count, frame_bound *out, leat_error *err) {
    static const lt_frame_bound kinds[] = {LT_BOUND_UNBOUNDED_PRECEDING, LT_BOUND_PRECEDING, LT_BOUND_CURRENT_ROW,
                                           LT_BOUND_FOLLOWING, LT_BOUND_UNBOUNDED_FOLLOWING};
    static const char *const    texts[] = {"UNBOUNDED PRECEDING", NULL, "CURRENT ROW", NULL, "UNBOUNDED FOLLOWING"};
    *out                                = (frame_bound){.kind = kinds[ast->kind], .text = texts[ast->kind]};
    if (ast->value == NULL) return LEAT_OK;
    return offset_bind(binder, scope, ast, is_rows, order, order_count, out, err);
}

static bool offset_value(const frame_bound *bound, int64_t *out) {
    *out = 0;
    if (bound->kind == LT_BOUND_CURRENT_ROW) return true;
    if (bound->offset == NULL || bound->offset->kind != LT_EXPRESSION_LITERAL ||
        bound->offset->type->kind != LT_BIGINT || lt_vector_is_null(bound->offset->value, 0))
        return false;
    const int64_t value = LT_VALUE(bound->offset->value, int64_t, 0);
    *out                = bound->kind == LT_BOUND_PRECEDING ? -value : value;
    return true;
}

static leat_status frame_check(const frame_bound *first, const frame_bound *last, const lt_place *place,
                               leat_error *err) {
    if (first->kind == LT_BOUND_UNBOUNDED_FOLLOWING || last->kind == LT_BOUND_UNBOUNDED_PRECEDING)
        return lt_raise(err, LT_DATATYPE_MISMATCH__SPECIFIED_WINDOW_FRAME_INVALID_BOUND, place,
                        "the frame ends before it begins");
    int64_t    from;
    int64_t    to;
    const bool is_backward = offset_value(first, &from) && offset_value(last, &to)
                                 ? from > to
                                 : first->kind > last->kind && last->kind != LT_BOUND_UNBOUNDED_FOLLOWING;
    if (is_backward)
        return lt_raise(err, LT_DATATYPE_MISMATCH__SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON, place,
                        "the frame ends before it begins");
    return LEAT_OK;
}

// lag and lead look at one row; ranks see all rows up to theirs. Their frame is not the user's to choose.
static bool is_offset_function(const char *name) { return strcmp(name, "lag") == 0 || strcmp(name, "lead") == 0; }

static const char *own_frame_text(lt_binder *binder, const lt_aggregate_call *call, const char *name) {
    if (strcmp(name, "cume_dist") == 0) return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
    if (!is_offset_function(name)) return "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
    int64_t offset = 1;
    if (call->argument_count > 1 && call->constants != NULL && call->constants[1] != NULL &&
        !lt_vector_is_null(call->constants[1], 0) && call->constants[1]->type->kind == LT_INT)
        offset = LT_VALUE(call->constants[1], int32_t, 0);
    if (name[1] == 'a') offset = -offset;
    return lt_arena_format(binder->arena, "ROWS BETWEEN %lld FOLLOWING AND %lld FOLLOWING", (long long)offset,
                           (long long)offset);
}

static leat_status frame_bind(lt_binder *binder, lt_scope *scope, const lt_ast_window *ast, lt_over *over,
                              const char **out_text, leat_error *err) {
    lt_window_call *call = &over->call;
    if (ast->frame == LT_AST_FRAME_NONE) {
        call->unit  = over->order_count > 0 ? LT_FRAME_RANGE : LT_FRAME_ROWS;
        call->first = LT_BOUND_UNBOUNDED_PRECEDING;
        call->last  = over->order_count > 0 ? LT_BOUND_CURRENT_ROW : LT_BOUND_UNBOUNDED_FOLLOWING;
        *out_text   = over->order_count > 0 ? "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
                                            : "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
        return LEAT_OK;
    }
    const bool  is_rows = ast->frame == LT_AST_FRAME_ROWS;
    frame_bound first;
    frame_bound last = {.kind = LT_BOUND_CURRENT_ROW, .text = "CURRENT ROW"};
    LT_TRY(bound_bind(binder, scope, &ast->start, is_rows, over->order, over->order_count, &first, err));
    if (ast->has_end) LT_TRY(bound_bind(binder, scope, &ast->end, is_rows, over->order, over->order_count, &last, err));
    LT_TRY(frame_check(&first, &last, &ast->place, err));
    call->unit         = is_rows ? LT_FRAME_ROWS : LT_FRAME_RANGE;
    call->first        = first.kind;
    call->last         = last.kind;
    call->first_offset = first.offset;
    call->last_offset  = last.offset;
    *out_text =
        lt_arena_format(binder->arena, "%s BETWEEN %s AND %s", is_rows ? "ROWS" : "RANGE", first.text, last.text);
    return *out_text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ---- calls
// --------------------------------------------------------------------------------------------------------------------

static leat_status partition_bind(lt_binder *binder, lt_scope *scope, const lt_ast_window *ast, lt_over *over,
                                  const char **out_text, leat_error *err) {
    lt_bounds             parts = {0};
    const lt_expression **keys;
    const char           *order_text;
    LT_TRY(lt_bind_list(binder, scope, &ast->partition_by, &parts, err));
    LT_TRY_NEW_ARRAY(keys, binder->arena, parts.count, err);
    for (uint32_t i = 0; i < parts.count; i++) keys[i] = parts.items[i].expression;
    over->partition       = keys;
    over->partition_count = parts.count;
    LT_TRY(lt_sort_keys_bind(binder, scope, &ast->order_by, &over->order, &order_text, err));
    over->order_count     = ast->order_by.count;
    const char *partition = lt_display_join(binder->arena, ", ", parts.items, parts.count);
    if (partition == NULL) return lt_raise_no_memory(err);
    *out_text = lt_arena_format(binder->arena, "%s%s%s%s%s%s", parts.count > 0 ? "PARTITION BY " : "", partition,
                                parts.count > 0 ? " " : "", over->order_count > 0 ? "ORDER BY " : "", order_text,
                                over->order_count > 0 ? " " : "");
    return *out_text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status call_check(lt_binder *binder, const lt_scope *scope, const lt_ast_expression *ast, const char *name,
                              leat_error *err) {
    if (!lt_is_aggregate_name(binder, name) && !lt_is_window_only_name(binder, name)) {
        if (!lt_is_function_name(binder, name)) return lt_unknown_function(binder, name, &ast->place, err);
        return lt_raise(err, LT_UNSUPPORTED_EXPR_FOR_WINDOW, &ast->place, "`%s` is no window function", name);
    }
    if (scope->overs == NULL)
        return scope->clause == LT_CLAUSE_WHERE
                   ? lt_raise(err, LT_INVALID_WHERE_CONDITION, &ast->place,
                              "WHERE cannot hold a window function; filter in a query around this one")
                   : lt_raise(err, LT_UNSUPPORTED_EXPR_FOR_OPERATOR, &ast->place,
                              "the window function `%s` cannot stand here", name);
    return LEAT_OK;
}

static bool over_equal(const lt_over *a, const lt_over *b);

// Functions that order the rows by themselves.
static bool takes_whole_partitions(const lt_ast_expression *ast, const char *name) {
    static const char *const ordering[]  = {"percentile_cont", "percentile_disc", "listagg", "string_agg"};
    bool                     is_ordering = false;
    for (size_t i = 0; i < sizeof ordering / sizeof *ordering; i++) is_ordering |= strcmp(name, ordering[i]) == 0;
    return strcmp(name, "median") == 0 || (is_ordering && ast->call->within_group.count > 0);
}

static bool is_of_whole_partition(const lt_window_call *call) {
    return call->first == LT_BOUND_UNBOUNDED_PRECEDING && call->last == LT_BOUND_UNBOUNDED_FOLLOWING;
}

leat_status lt_over_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                         lt_bound *out, leat_error *err) {
    const lt_ast_window *window;
    lt_over              over  = {0};
    lt_scope             inner = *scope;
    const char          *call_text;
    const char          *window_text;
    const char          *frame_text;
    LT_TRY(call_check(binder, scope, ast, name, err));
    LT_TRY(definition_of(scope, ast->call->over, &window, err));
    inner.is_in_over = true;
    LT_TRY(lt_aggregate_bind(binder, &inner, ast, name, &over.call.call, &call_text, err));
    if (over.call.call.is_distinct)
        return lt_raise(err, LT_DISTINCT_WINDOW_FUNCTION_UNSUPPORTED, &ast->place,
                        "a window function takes no DISTINCT: `%s`", name);
    LT_TRY(partition_bind(binder, &inner, window, &over, &window_text, err));
    if (over.call.call.aggregate->is_window_only && over.order_count == 0)
        return lt_raise(err, LT_WINDOW_FUNCTION_FRAME_NOT_ORDERED, &ast->place, "`%s` needs ORDER BY in its window",
                        name);
    LT_TRY(frame_bind(binder, &inner, window, &over, &frame_text, err));
    if (over.call.call.aggregate->is_window_only && window->frame == LT_AST_FRAME_NONE &&
        strcmp(name, "nth_value") != 0) {
        over.call.unit = LT_FRAME_ROWS;
        frame_text     = own_frame_text(binder, &over.call.call, name);
        if (frame_text == NULL) return lt_raise_no_memory(err);
    }
    if (takes_whole_partitions(ast, name) &&
        (over.order_count > 0 || (window->frame != LT_AST_FRAME_NONE && !is_of_whole_partition(&over.call))))
        return lt_raise(err, LT_INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC, &ast->place,
                        "`%s` takes all rows of a partition: no ORDER BY and no frame in its window", name);
    const bool is_running = over.call.unit == LT_FRAME_ROWS && over.call.first == LT_BOUND_UNBOUNDED_PRECEDING &&
                            over.call.last == LT_BOUND_CURRENT_ROW;
    if (over.call.call.aggregate->is_window_only && strcmp(name, "nth_value") != 0 && !is_running)
        return lt_raise(err, LT_WINDOW_FUNCTION_AND_FRAME_MISMATCH, &ast->place, "`%s` takes no frame of its own",
                        name);
    uint32_t index = 0;
    while (index < scope->overs->count && !over_equal(&scope->overs->items[index], &over)) index++;
    if (index == scope->overs->count) LT_LIST_ADD(binder->arena, scope->overs, over, err);
    *out            = (lt_bound){.size = 1, .depth = 1};
    out->text       = lt_arena_format(binder->arena, "%s OVER (%s%s)", call_text, window_text, frame_text);
    out->expression = lt_expression_column(binder->arena, LT_SLOT_WINDOW + index, over.call.call.type, &ast->place);
    return out->text == NULL || out->expression == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

// ---- nodes
// --------------------------------------------------------------------------------------------------------------------

static bool keys_equal(const lt_sort_key *a, const lt_sort_key *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!lt_expression_equal(a[i].expression, b[i].expression) || a[i].is_descending != b[i].is_descending ||
            a[i].is_nulls_first != b[i].is_nulls_first)
            return false;
    return true;
}

static bool window_equal(const lt_over *a, const lt_over *b) {
    if (a->partition_count != b->partition_count || a->order_count != b->order_count) return false;
    for (uint32_t i = 0; i < a->partition_count; i++)
        if (!lt_expression_equal(a->partition[i], b->partition[i])) return false;
    return keys_equal(a->order, b->order, a->order_count);
}

static bool over_equal(const lt_over *a, const lt_over *b) {
    const lt_window_call *x = &a->call;
    const lt_window_call *y = &b->call;
    if (x->call.aggregate != y->call.aggregate || x->call.argument_count != y->call.argument_count ||
        x->call.filter != y->call.filter || x->call.order_count != y->call.order_count ||
        x->call.is_ignoring_nulls != y->call.is_ignoring_nulls || x->unit != y->unit || x->first != y->first ||
        x->last != y->last || (x->first_offset == NULL) != (y->first_offset == NULL) ||
        (x->last_offset == NULL) != (y->last_offset == NULL) || !window_equal(a, b))
        return false;
    if (x->first_offset != NULL && !lt_expression_equal(x->first_offset, y->first_offset)) return false;
    if (x->last_offset != NULL && !lt_expression_equal(x->last_offset, y->last_offset)) return false;
    for (uint32_t i = 0; i < x->call.argument_count; i++)
        if (!lt_expression_equal(x->call.arguments[i], y->call.arguments[i])) return false;
    return keys_equal(x->call.order, y->call.order, x->call.order_count);
}

static bool list_has_window(const lt_expression *const *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] != NULL && lt_expression_has_slot(list[i], LT_SLOT_WINDOW)) return true;
    return false;
}

static bool waits(const lt_over *over) {
    for (uint32_t i = 0; i < over->order_count; i++)
        if (lt_expression_has_slot(over->order[i].expression, LT_SLOT_WINDOW)) return true;
    return list_has_window(over->partition, over->partition_count) ||
           list_has_window(over->call.call.arguments, over->call.call.argument_count) ||
           list_has_window(&over->call.call.filter, 1);
}

static leat_status node_new(lt_binder *binder, const lt_plan *input, const lt_overs *overs, uint32_t first,
                            uint32_t *columns, const lt_plan **out, leat_error *err) {
    const lt_over  *head  = &overs->items[first];
    uint32_t        count = 0;
    lt_window_call *calls;
    LT_TRY_NEW_ARRAY(calls, binder->arena, overs->count - first, err);
    for (uint32_t i = first; i < overs->count; i++)
        if (columns[i] == UINT32_MAX && (i == first || !waits(&overs->items[i])) &&
            window_equal(head, &overs->items[i])) {
            columns[i]     = input->column_count + count;
            calls[count++] = overs->items[i].call;
        }
    lt_plan        *window;
    lt_plan_column *out_columns;
    LT_TRY(lt_plan_new(binder, LT_PLAN_WINDOW, &input, 1, input->column_count + count, NULL, &window, err));
    LT_TRY_NEW_ARRAY(out_columns, binder->arena, window->column_count, err);
    memcpy(out_columns, input->columns, input->column_count * sizeof *out_columns);
    for (uint32_t i = 0; i < count; i++)
        out_columns[input->column_count + i] =
            (lt_plan_column){.name = calls[i].call.aggregate->name, .type = calls[i].call.type};
    window->columns                   = out_columns;
    window->as.window.partition       = head->partition;
    window->as.window.partition_count = head->partition_count;
    window->as.window.order           = head->order;
    window->as.window.order_count     = head->order_count;
    window->as.window.calls           = calls;
    window->as.window.call_count      = count;
    *out                              = window;
    return LEAT_OK;
}

static leat_status list_replace(lt_binder *binder, const lt_expression *const **list, uint32_t count,
                                const lt_expression *const *map, uint32_t map_count, leat_error *err) {
    const lt_expression **copy;
    LT_TRY_NEW_ARRAY(copy, binder->arena, count, err);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = (*list)[i];
        if (copy[i] != NULL) LT_TRY(lt_slots_replace(binder, copy[i], LT_SLOT_WINDOW, map, map_count, &copy[i], err));
    }
    *list = copy;
    return LEAT_OK;
}

// A call within another's OVER has a lower number: its column is known by now.
static leat_status inner_calls_replace(lt_binder *binder, lt_overs *overs, uint32_t at, const uint32_t *columns,
                                       leat_error *err) {
    lt_over              *over = &overs->items[at];
    const lt_expression **map;
    lt_sort_key          *order;
    if (!waits(over)) return LEAT_OK;
    LT_TRY_NEW_ARRAY(map, binder->arena, at, err);
    for (uint32_t i = 0; i < at; i++)
        LT_TRY(lt_column_new(binder, columns[i], overs->items[i].call.call.type, &map[i], err));
    LT_TRY(list_replace(binder, &over->partition, over->partition_count, map, at, err));
    LT_TRY(list_replace(binder, &over->call.call.arguments, over->call.call.argument_count, map, at, err));
    if (over->call.call.filter != NULL)
        LT_TRY(lt_slots_replace(binder, over->call.call.filter, LT_SLOT_WINDOW, map, at, &over->call.call.filter, err));
    LT_TRY_NEW_ARRAY(order, binder->arena, over->order_count, err);
    for (uint32_t i = 0; i < over->order_count; i++) {
        order[i] = over->order[i];
        LT_TRY(lt_slots_replace(binder, order[i].expression, LT_SLOT_WINDOW, map, at, &order[i].expression, err));
    }
    over->order = order;
    return LEAT_OK;
}

leat_status lt_windows_plan(lt_binder *binder, const lt_plan *input, const lt_overs *overs, const lt_plan **out,
                            uint32_t **out_columns, leat_error *err) {
    lt_overs own = *overs;
    LT_TRY_NEW_ARRAY(own.items, binder->arena, overs->count, err);
    if (overs->count > 0) memcpy(own.items, overs->items, overs->count * sizeof *own.items);
    LT_TRY_NEW_ARRAY(*out_columns, binder->arena, overs->count, err);
    for (uint32_t i = 0; i < overs->count; i++) (*out_columns)[i] = UINT32_MAX;
    *out = input;
    for (uint32_t i = 0; i < overs->count; i++) {
        if ((*out_columns)[i] != UINT32_MAX) continue;
        LT_TRY(inner_calls_replace(binder, &own, i, *out_columns, err));
        LT_TRY(node_new(binder, *out, &own, i, *out_columns, out, err));
    }
    return LEAT_OK;
}

leat_status lt_row_number_over(lt_binder *binder, lt_window_call *out, leat_error *err) {
    for (const lt_aggregate *const *array = binder->context->aggregates; array != NULL && *array != NULL; array++)
        for (const lt_aggregate *row = *array; row->name != NULL; row++)
            if (row->is_window_only && strcmp(row->name, "row_number") == 0) {
                *out = (lt_window_call){.call  = {.aggregate = row, .type = lt_type_of(LT_INT)},
                                        .unit  = LT_FRAME_ROWS,
                                        .first = LT_BOUND_UNBOUNDED_PRECEDING,
                                        .last  = LT_BOUND_CURRENT_ROW};
                return LEAT_OK;
            }
    return lt_raise(err, LT_INTERNAL_ERROR, NULL, "the window function row_number is missing");
}
