#include "planner/bind/binder.h"

// SESSION(TABLE t [PARTITION BY k], DESCRIPTOR(time), gap): Flink's spelling of session_window(time, gap).
//
// Which session a row lies in is known only with its neighbours. So the rows of SESSION carry their own session as a
// hidden column, and GROUP BY window_start, window_end, k becomes a grouping by that column and k, as session_window is,
// with a projection behind it that gives the bounds of the merged sessions where the keys stood. Everything else that
// reads the bounds, or the rows without grouping them, is refused: it would see sessions of single rows.

leat_status lt_session_refuse(const lt_relation *relation, leat_error *err) {
    if (relation->session == NULL) return LEAT_OK;
    return lt_raise(
        err, LT_NOT_SUPPORTED, &relation->session->place,
        "rows of SESSION have their window in groups only: SELECT .. FROM SESSION(..) GROUP BY window_start, "
        "window_end; filter and join inside of TABLE (SELECT ..)");
}

static leat_status bound_of(lt_binder *binder, const lt_expression *window, uint32_t part, const lt_place *place,
                            const lt_expression **out, leat_error *err) {
    if (part == 2) {
        const lt_bound whole = {.expression = window, .text = "window", .size = 1, .depth = 1};
        lt_bound       time;
        LT_TRY(lt_call_bind(binder, "window_time", &whole, 1, NULL, place, &time, err));
        *out = time.expression;
        return LEAT_OK;
    }
    lt_expression *field;
    LT_TRY(
        lt_expression_new(binder, LT_EXPRESSION_FIELD, window->type->fields[part].type, &window, 1, NULL, &field, err));
    field->field = part;
    *out         = field;
    return LEAT_OK;
}

static const char *const bound_names[] = {"window_start", "window_end", "window_time"};

// The column of a plan gets the mark that the column `from` of `below` carries.
static leat_status end_mark(lt_binder *binder, const lt_plan *below, const lt_expression *from, uint32_t column,
                            const lt_plan **plan, leat_error *err) {
    lt_plan        *marked;
    lt_plan_column *columns;
    LT_TRY_NEW(marked, binder->arena, err);
    LT_TRY_NEW_ARRAY(columns, binder->arena, (*plan)->column_count, err);
    *marked = **plan;
    memcpy(columns, (*plan)->columns, (*plan)->column_count * sizeof *columns);
    const lt_type *type        = columns[column].type;
    columns[column]            = lt_plan_column_of(below, from, columns[column].name);
    columns[column].type       = type;
    columns[column].is_session = false;
    marked->columns            = columns;
    *plan                      = marked;
    return LEAT_OK;
}

leat_status lt_session_table_bind(lt_binder *binder, lt_relation *data, lt_frame *frame, const lt_expression *time,
                                  const lt_ast_expression *gap, const lt_ast_expressions *partition,
                                  const lt_place *place, leat_error *err) {
    lt_session_table     *self;
    lt_scope              scope = {.clause = LT_CLAUSE_OTHER, .relation = data, .frame = frame};
    lt_bound              gap_bound;
    const lt_plan        *assign;
    const lt_expression **keys, **columns;
    const char          **names;
    LT_TRY_NEW(self, binder->arena, err);
    LT_TRY(lt_bind_expression(binder, &scope, gap, &gap_bound, err));
    *self = (lt_session_table){.place = *place, .of.time = time, .partition_count = partition->count};
    LT_TRY(lt_session_gap_of(binder, &gap_bound, &self->of.gap, err));
    LT_TRY_NEW_ARRAY(keys, binder->arena, partition->count + 1u, err);
    for (uint32_t i = 0; i < partition->count; i++) {
        lt_bound key;
        LT_TRY(lt_bind_expression(binder, &scope, partition->items[i], &key, err));
        if (key.expression->kind != LT_EXPRESSION_COLUMN)
            return lt_raise(err, LT_NOT_SUPPORTED, &partition->items[i]->place,
                            "SESSION is partitioned by columns; compute them inside of TABLE (SELECT ..)");
        keys[i] = key.expression;
    }
    self->partition = keys;
    LT_TRY(lt_session_assign(binder, data->plan, time, self->of.gap, place, &assign, err));
    const uint32_t at = assign->column_count - 1;
    LT_TRY_NEW_ARRAY(columns, binder->arena, at + 4, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, at + 4, err);
    for (uint32_t i = 0; i <= at; i++) LT_TRY(lt_column_new(binder, i, assign->columns[i].type, &columns[i], err));
    for (uint32_t part = 0; part < 3; part++) {
        LT_TRY(bound_of(binder, columns[at], part, place, &columns[at + 1 + part], err));
        names[at + 1 + part] = bound_names[part];
    }
    LT_TRY(lt_plan_project(binder, assign, columns, names, at + 4, &data->plan, err));
    self->window = self->of.column = at;
    self->start                    = at + 1;
    self->end                      = at + 2;
    self->last                     = at + 3;
    for (uint32_t part = 0; part < 3; part++) {
        const lt_scope_column column = {
            .name = bound_names[part], .type = columns[at + 1 + part]->type, .column = at + 1 + part};
        LT_LIST_ADD(binder->arena, &data->columns, column, err);
    }
    data->session = self;
    return LEAT_OK;
}

typedef struct bounds_use {
    const lt_session_table *session;
    bool                    is_found;
} bounds_use;

static bool bounds_look(void *user, const lt_expression *expression) {
    bounds_use *self = user;
    self->is_found |= expression->kind == LT_EXPRESSION_COLUMN && expression->column >= self->session->window &&
                      expression->column <= self->session->last;
    return true;
}

static bool reads_bounds(const lt_session_table *session, const lt_aggregate_call *call) {
    bounds_use use = {.session = session};
    if (call->filter != NULL) lt_expression_walk(call->filter, bounds_look, &use);
    for (uint32_t i = 0; i < call->argument_count; i++) lt_expression_walk(call->arguments[i], bounds_look, &use);
    for (uint32_t i = 0; i < call->order_count; i++) lt_expression_walk(call->order[i].expression, bounds_look, &use);
    return use.is_found;
}

// Which key of the sessions a key of GROUP BY is: 0 the session itself, then the columns of PARTITION BY; -1: none.
static int32_t key_number(const lt_session_table *self, const lt_expression *key) {
    if (key->kind != LT_EXPRESSION_COLUMN) return -1;
    if (key->column > self->window && key->column <= self->last) return 0;
    for (uint32_t k = 0; k < self->partition_count; k++)
        if (self->partition[k]->column == key->column) return (int32_t)k + 1;
    return -1;
}

static leat_status keys_check(const lt_session_table *self, const lt_grouping *grouping, const lt_place *place,
                              leat_error *err) {
    bool     has_start = false, has_end = false;
    uint64_t partition = 0;
    for (uint32_t i = 0; i < grouping->keys.count; i++) {
        const lt_expression *key    = grouping->keys.items[i].expression;
        const int32_t        number = key_number(self, key);
        if (number < 0)
            return lt_raise(
                err, LT_NOT_SUPPORTED, place,
                "SESSION is grouped by window_start, window_end and what stands in its PARTITION BY, not `%s`",
                grouping->keys.items[i].text);
        has_start |= key->column == self->start;
        has_end |= key->column == self->end;
        if (number > 0) partition |= UINT64_C(1) << number;
    }
    if (has_start && has_end && !grouping->has_sets &&
        (uint32_t)__builtin_popcountll(partition) == self->partition_count)
        return LEAT_OK;
    return lt_raise(err, LT_NOT_SUPPORTED, place,
                    "SESSION is grouped by window_start, window_end and all that stands in its PARTITION BY");
}

leat_status lt_session_groups_plan(lt_binder *binder, const lt_plan *input, const lt_session_table *session,
                                   const lt_grouping *grouping, const lt_aggregation *aggregation,
                                   const lt_place *place, const lt_plan **out, leat_error *err) {
    const uint32_t        key_count = grouping->keys.count, call_count = aggregation->calls.count;
    lt_grouping           own     = {.is_present = true};
    lt_time_windows       windows = {0};
    lt_bound              key     = {.text = "session_window", .name = "session_window", .size = 1, .depth = 1};
    const lt_plan        *groups;
    const lt_expression **columns;
    const char          **names;
    LT_TRY(keys_check(session, grouping, place, err));
    for (uint32_t i = 0; i < call_count; i++)
        if (reads_bounds(session, &aggregation->calls.items[i]))
            return lt_raise(err, LT_NOT_SUPPORTED, place, "an aggregate over SESSION reads no bounds of its windows");
    LT_TRY(lt_column_new(binder, session->window, input->columns[session->window].type, &key.expression, err));
    LT_LIST_ADD(binder->arena, &own.keys, key, err);
    for (uint32_t k = 0; k < session->partition_count; k++) {
        const lt_expression *column = session->partition[k];
        key      = (lt_bound){.expression = column, .text = input->columns[column->column].name, .size = 1, .depth = 1};
        key.name = key.text;
        LT_LIST_ADD(binder->arena, &own.keys, key, err);
    }
    LT_LIST_ADD(binder->arena, &windows, session->of, err);
    LT_TRY(lt_aggregate_plan(binder, input, &own, aggregation, &windows, place, &groups, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, key_count + call_count + 1u, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, key_count + call_count + 1u, err);
    const lt_expression *window;
    LT_TRY(lt_column_new(binder, 0, groups->columns[0].type, &window, err));
    for (uint32_t i = 0; i < key_count; i++) {
        const uint32_t column = grouping->keys.items[i].expression->column;
        const int32_t  number = key_number(session, grouping->keys.items[i].expression);
        names[i]              = input->columns[column].name;
        LT_TRY(number == 0 ? bound_of(binder, window, column - session->start, place, &columns[i], err)
                           : lt_column_new(binder, (uint32_t)number, groups->columns[number].type, &columns[i], err));
    }
    for (uint32_t i = 0; i < call_count; i++) {
        const uint32_t from  = own.keys.count + i;
        names[key_count + i] = groups->columns[from].name;
        LT_TRY(lt_column_new(binder, from, groups->columns[from].type, &columns[key_count + i], err));
    }
    LT_TRY(lt_plan_project(binder, groups, columns, names, key_count + call_count, out, err));
    for (uint32_t i = 0; i < key_count; i++)
        if (grouping->keys.items[i].expression->column == session->end)
            LT_TRY(end_mark(binder, groups, window, i, out, err));
    return LEAT_OK;
}
