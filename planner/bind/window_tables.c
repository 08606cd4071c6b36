#include "planner/bind/binder.h"

#include "base/ascii.h"

// Flink's spelling of time windows:
//
//     TUMBLE(TABLE t, DESCRIPTOR(time), size [, offset])      HOP(TABLE t, DESCRIPTOR(time), slide, size [, offset])
//     CUMULATE(TABLE t, DESCRIPTOR(time), step, size [, offset])
//     SESSION(TABLE t [PARTITION BY k], DESCRIPTOR(time), gap)                           see session_tables.c
//
// give the rows of t once per window with window_start, window_end and window_time behind them; arguments may be named
// DATA, TIMECOL, SIZE, SLIDE, STEP, OFFSET and GAP. Cumulating windows start every SIZE and grow by STEP up to it. Where t
// has a watermark, window_end and window_time carry it, so that GROUP BY
// window_start, window_end closes as GROUP BY window(..) does.

typedef enum part { PART_DATA, PART_TIME, PART_SLIDE, PART_STEP, PART_SIZE, PART_OFFSET, PART_GAP, PART_COUNT } part;

static const char *const part_names[PART_COUNT] = {"DATA", "TIMECOL", "SLIDE", "STEP", "SIZE", "OFFSET", "GAP"};

typedef struct window_function {
    const char *name;
    bool        takes[PART_COUNT], needs[PART_COUNT];
} window_function;

#define COMMON [PART_DATA] = true, [PART_TIME] = true, [PART_SIZE] = true
static const window_function window_functions[] = {
    {.name = "tumble", .takes = {COMMON, [PART_OFFSET] = true}, .needs = {COMMON}},
    {.name  = "hop",
     .takes = {COMMON, [PART_SLIDE] = true, [PART_OFFSET] = true},
     .needs = {COMMON, [PART_SLIDE] = true}},
    {.name  = "cumulate",
     .takes = {COMMON, [PART_STEP] = true, [PART_OFFSET] = true},
     .needs = {COMMON, [PART_STEP] = true}},
    {.name  = "session",
     .takes = {[PART_DATA] = true, [PART_TIME] = true, [PART_GAP] = true},
     .needs = {[PART_DATA] = true, [PART_TIME] = true, [PART_GAP] = true}},
};

typedef struct window_table {
    const char              *name;
    const window_function   *function;
    const lt_ast_expression *parts[PART_COUNT];
    lt_relation             *data;
    lt_scope                 scope;
    const lt_expression     *time;
    lt_window_spec           spec;
} window_table;

// ---- arguments
// ----------------------------------------------------------------------------------------------------------------

static leat_status part_of(const lt_ast_expression *argument, part *out, leat_error *err) {
    for (int i = 0; i < PART_COUNT; i++)
        if (lt_ascii_compare(part_names[i], argument->name.text) == 0) {
            *out = (part)i;
            return LEAT_OK;
        }
    return lt_raise(err, LT_UNRECOGNIZED_PARAMETER_NAME, &argument->place,
                    "windows have no argument `%s`; they have DATA, TIMECOL, SIZE, SLIDE, STEP, OFFSET and GAP",
                    argument->name.text);
}

static leat_status parts_take(window_table *self, const lt_ast_expression *call, leat_error *err) {
    const bool *takes = self->function->takes;
    part        next  = PART_DATA;
    for (uint32_t i = 0; i < call->arguments.count; i++) {
        const lt_ast_expression *argument = call->arguments.items[i];
        while (next < PART_COUNT && !takes[next]) next = (part)(next + 1);
        part at = next;
        if (argument->kind == LT_AST_NAMED_ARGUMENT) {
            LT_TRY(part_of(argument, &at, err));
            argument = argument->arguments.items[0];
        } else {
            next = (part)(next + 1);
        }
        if (at == PART_COUNT || !takes[at])
            return lt_raise(err, LT_WRONG_NUM_ARGS__WITHOUT_SUGGESTION, &argument->place,
                            "`%s` has an argument too many", self->name);
        if (self->parts[at] != NULL)
            return lt_raise(err, LT_DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT__DOUBLE_NAMED_ARGUMENT_REFERENCE,
                            &argument->place, "argument %s of `%s` is given twice", part_names[at], self->name);
        self->parts[at] = argument;
    }
    for (int i = 0; i < PART_COUNT; i++)
        if (self->parts[i] == NULL && self->function->needs[i])
            return lt_raise(err, LT_REQUIRED_PARAMETER_NOT_FOUND, &call->place, "`%s` needs its argument %s",
                            self->name, part_names[i]);
    return LEAT_OK;
}

static leat_status data_bind(lt_binder *binder, window_table *self, lt_frame *frame, leat_error *err) {
    const lt_ast_expression *data = self->parts[PART_DATA];
    if (data->kind != LT_AST_TABLE_ARGUMENT)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &data->place,
                        "`%s` takes its rows from TABLE name or TABLE (query)", self->name);
    LT_TRY_NEW(self->data, binder->arena, err);
    if (data->table->query != NULL)
        LT_TRY(lt_query_bind(binder, data->table->query, frame, self->data, err));
    else
        LT_TRY(lt_table_bind(binder, &data->table->table, &data->place, self->data, err));
    self->scope = (lt_scope){.clause = LT_CLAUSE_OTHER, .relation = self->data, .frame = frame};
    return LEAT_OK;
}

// DESCRIPTOR(column)
static leat_status time_bind(lt_binder *binder, window_table *self, leat_error *err) {
    const lt_ast_expression *ast = self->parts[PART_TIME];
    lt_bound                 time;
    if (ast->kind != LT_AST_CALL || ast->arguments.count != 1 || ast->arguments.items[0]->kind != LT_AST_COLUMN ||
        lt_ascii_compare(ast->call->name.items[0].text, "descriptor") != 0)
        return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &ast->place,
                        "`%s` names its time as DESCRIPTOR(column)", self->name);
    LT_TRY(lt_bind_expression(binder, &self->scope, ast->arguments.items[0], &time, err));
    return lt_window_time_of(binder, &time, self->name, &self->time, err);
}

static leat_status length_bind(lt_binder *binder, const lt_ast_expression *ast, int64_t *out, leat_error *err) {
    lt_relation none  = {0};
    lt_scope    scope = {.clause = LT_CLAUSE_OTHER, .relation = &none};
    lt_bound    length;
    if (ast == NULL) return LEAT_OK;
    LT_TRY(lt_bind_expression(binder, &scope, ast, &length, err));
    const lt_expression *value = length.expression;
    return lt_window_length(value->kind == LT_EXPRESSION_LITERAL ? value->value : NULL, true, &ast->place, out, err);
}

// ---- the columns
// --------------------------------------------------------------------------------------------------------------

static leat_status bound_new(lt_binder *binder, const lt_expression *window, uint32_t field, const lt_expression **out,
                             leat_error *err) {
    lt_expression *expression;
    LT_TRY(lt_expression_new(binder, LT_EXPRESSION_FIELD, window->type->fields[field].type, &window, 1, NULL,
                             &expression, err));
    expression->field = field;
    *out              = expression;
    return LEAT_OK;
}

// The column `window` becomes window_start, window_end and window_time.
static leat_status bounds_project(lt_binder *binder, const lt_plan *assign, const lt_plan **out, leat_error *err) {
    const uint32_t        at = assign->column_count - 1;
    const lt_expression **columns;
    const char          **names;
    LT_TRY_NEW_ARRAY(columns, binder->arena, at + 3, err);
    LT_TRY_NEW_ARRAY(names, binder->arena, at + 3, err);
    for (uint32_t i = 0; i <= at; i++) LT_TRY(lt_column_new(binder, i, assign->columns[i].type, &columns[i], err));
    const lt_expression *window = columns[at];
    const lt_bound       whole  = {.expression = window, .text = "window", .size = 1, .depth = 1};
    lt_bound             time;
    LT_TRY(lt_call_bind(binder, "window_time", &whole, 1, NULL, &assign->place, &time, err));
    LT_TRY(bound_new(binder, window, 0, &columns[at], err));
    LT_TRY(bound_new(binder, window, 1, &columns[at + 1], err));
    columns[at + 2] = time.expression;
    names[at]       = "window_start";
    names[at + 1]   = "window_end";
    names[at + 2]   = "window_time";
    LT_TRY(lt_plan_project(binder, assign, columns, names, at + 3, out, err));
    lt_plan        *marked;
    lt_plan_column *marks;
    LT_TRY_NEW(marked, binder->arena, err);
    LT_TRY_NEW_ARRAY(marks, binder->arena, at + 3, err);
    *marked = **out;
    memcpy(marks, (*out)->columns, (at + 3) * sizeof *marks);
    marks[at + 1]      = lt_plan_column_of(assign, window, "window_end");
    marks[at + 1].type = columns[at + 1]->type;
    marked->columns    = marks;
    *out               = marked;
    return LEAT_OK;
}

leat_status lt_window_table_bind(lt_binder *binder, const lt_ast_relation *ast, const char *name, lt_frame *frame,
                                 bool *out_found, lt_relation *out, leat_error *err) {
    const lt_ast_expression *call = ast->call;
    window_table             self = {.name = name};
    const lt_plan           *assign;
    const lt_plan           *plan;
    for (size_t i = 0; i < sizeof window_functions / sizeof *window_functions; i++)
        if (strcmp(name, window_functions[i].name) == 0) self.function = &window_functions[i];
    *out_found = self.function != NULL;
    if (!*out_found) return LEAT_OK;
    LT_TRY(parts_take(&self, call, err));
    LT_TRY(data_bind(binder, &self, frame, err));
    LT_TRY(time_bind(binder, &self, err));
    const lt_ast_table_argument *data = self.parts[PART_DATA]->table;
    if (data->order_by.count > 0 || (data->partition_by.count > 0 && self.parts[PART_GAP] == NULL))
        return lt_raise(err, LT_NOT_SUPPORTED, &call->place,
                        "the rows of `%s` have no order, and partitions for SESSION only", name);
    if (self.parts[PART_GAP] != NULL) {
        LT_TRY(lt_session_table_bind(binder, self.data, frame, self.time, self.parts[PART_GAP], &data->partition_by,
                                     &call->place, err));
        *out = *self.data;
        return LEAT_OK;
    }
    LT_TRY(length_bind(binder, self.parts[PART_SIZE], &self.spec.duration_us, err));
    self.spec.slide_us = self.spec.duration_us;
    LT_TRY(length_bind(binder, self.parts[PART_SLIDE], &self.spec.slide_us, err));
    LT_TRY(length_bind(binder, self.parts[PART_STEP], &self.spec.step_us, err));
    LT_TRY(length_bind(binder, self.parts[PART_OFFSET], &self.spec.offset_us, err));
    if (self.parts[PART_STEP] != NULL && self.spec.step_us == 0) self.spec.step_us = -1;
    const uint32_t first = self.data->plan->column_count;
    LT_TRY(lt_window_assign(binder, self.data->plan, self.time, &self.spec, &call->place, &assign, err));
    LT_TRY(bounds_project(binder, assign, &plan, err));
    *out      = *self.data;
    out->plan = plan;
    for (uint32_t i = first; i < plan->column_count; i++) {
        const lt_scope_column column = {.name = plan->columns[i].name, .type = plan->columns[i].type, .column = i};
        LT_LIST_ADD(binder->arena, &out->columns, column, err);
    }
    return LEAT_OK;
}
