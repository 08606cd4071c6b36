#include "exec/evaluate.h"

#include "exec/in_list.h"
#include "exec/select.h"

// A run walks the tree; every node gives a vector with lanes for all rows of the chunk. Choices (constant or flat,
// NULLs or none) fall once per chunk and node; kernels and evaluate functions hold the loops. Depth is the parser's
// (200 levels).

typedef struct run {
    lt_evaluator           *evaluator;
    const lt_chunk         *chunk;
    lt_arena               *arena;
    const lt_vector *const *variables; // lambda variables by number, or NULL
    uint32_t                variable_count;
} run;

static const uint16_t *all_rows(void) {
    static const uint16_t identity[LT_CHUNK_ROWS_MAX] = {
#define R1(n) n
#define R2(n) R1(n), R1(n + 1)
#define R4(n) R2(n), R2(n + 2)
#define R8(n) R4(n), R4(n + 4)
#define R16(n) R8(n), R8(n + 8)
#define R32(n) R16(n), R16(n + 16)
#define R64(n) R32(n), R32(n + 32)
#define R128(n) R64(n), R64(n + 64)
#define R256(n) R128(n), R128(n + 128)
#define R512(n) R256(n), R256(n + 256)
#define R1024(n) R512(n), R512(n + 512)
        R1024(0), R1024(1024)};
    return identity;
}

static leat_status evaluate(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                            leat_error *err);

// ------------------------------------------------------------------------------------------------------------- states

typedef struct id_range {
    uint32_t first, last;
    bool     is_empty;
} id_range;

static bool note_id(void *user, const lt_expression *node) {
    id_range *range = user;
    if (node->kind != LT_EXPRESSION_CALL) return true;
    if (range->is_empty || node->id > range->last) range->last = node->id;
    if (range->is_empty || node->id < range->first) range->first = node->id;
    range->is_empty = false;
    return true;
}

typedef struct opening {
    lt_evaluator *evaluator;
    leat_status   status;
    leat_error   *err;
} opening;

static bool open_state(void *user, const lt_expression *node) {
    opening *self = user;
    if (self->status != LEAT_OK) return false;
    if (node->kind != LT_EXPRESSION_CALL || node->function->state_bytes == 0) return true;
    lt_evaluator *evaluator = self->evaluator;
    if (evaluator->states[node->id] != NULL) return true; // shared by two parents
    void *state = lt_arena_zero(&evaluator->arena, node->function->state_bytes);
    if (state == NULL) {
        self->status = lt_raise_no_memory(self->err);
        return false;
    }
    evaluator->states[node->id]    = state;
    evaluator->functions[node->id] = node->function;
    if (node->function->open != NULL)
        self->status = node->function->open(state, node->constants, node->argument_count, &evaluator->arena, self->err);
    if (self->status != LEAT_OK) lt_error_place(self->err, &node->place);
    return self->status == LEAT_OK;
}

static bool open_list(void *user, const lt_expression *node) {
    opening *self = user;
    if (self->status != LEAT_OK) return false;
    if (!lt_in_list_fits(node)) return true;
    lt_evaluator *evaluator = self->evaluator;
    lt_in_list   *lists =
        lt_arena_larger(&evaluator->arena, evaluator->in_lists, sizeof *lists * evaluator->in_list_count,
                        sizeof *lists * (evaluator->in_list_count + 1u));
    if (lists == NULL) {
        self->status = lt_raise_no_memory(self->err);
        return false;
    }
    evaluator->in_lists = lists;
    self->status        = lt_in_list_open(&lists[evaluator->in_list_count++], node, &evaluator->arena, self->err);
    return self->status == LEAT_OK;
}

static bool open_conjunction(void *user, const lt_expression *node) {
    opening *self = user;
    if (self->status != LEAT_OK) return false;
    if (node->kind != LT_EXPRESSION_AND) return true;
    lt_evaluator   *evaluator = self->evaluator;
    const uint32_t  count     = evaluator->conjunction_count;
    lt_conjunction *all =
        lt_arena_larger(&evaluator->arena, evaluator->conjunctions, sizeof *all * count, sizeof *all * (count + 1u));
    if (all == NULL) {
        self->status = lt_raise_no_memory(self->err);
        return false;
    }
    evaluator->conjunctions = all;
    lt_conjunction_init(&all[evaluator->conjunction_count++], node);
    return true;
}

leat_status lt_evaluator_open(lt_evaluator *evaluator, const lt_expression *const *expressions,
                              uint32_t expression_count, lt_evaluation *evaluation, lt_account *account,
                              leat_error *err) {
    *evaluator = (lt_evaluator){.evaluation = evaluation};
    lt_arena_init(&evaluator->arena, account);
    id_range range = {.is_empty = true};
    opening  self  = {.evaluator = evaluator, .err = err};
    for (uint32_t i = 0; i < expression_count; i++) {
        if (expressions[i] == NULL) continue;
        lt_expression_walk(expressions[i], note_id, &range);
        lt_expression_walk(expressions[i], open_list, &self);
        lt_expression_walk(expressions[i], open_conjunction, &self);
    }
    if (self.status != LEAT_OK || range.is_empty) return self.status;
    evaluator->state_count = range.last + 1;
    LT_TRY_NEW_ARRAY(evaluator->states, &evaluator->arena, evaluator->state_count, err);
    LT_TRY_NEW_ARRAY(evaluator->functions, &evaluator->arena, evaluator->state_count, err);
    for (uint32_t i = 0; i < expression_count; i++)
        if (expressions[i] != NULL) lt_expression_walk(expressions[i], open_state, &self);
    LT_TRY(self.status);
    return lt_shared_calls_open(&evaluator->shared, expressions, expression_count, evaluator->state_count,
                                &evaluator->arena, err);
}

void lt_evaluator_close(lt_evaluator *evaluator) {
    for (uint32_t i = 0; evaluator->functions != NULL && i < evaluator->state_count; i++)
        if (evaluator->functions[i] != NULL && evaluator->functions[i]->close != NULL)
            evaluator->functions[i]->close(evaluator->states[i]);
    evaluator->functions   = NULL;
    evaluator->state_count = 0;
    lt_arena_deinit(&evaluator->arena);
}

// ------------------------------------------------------------------------------------------------------------- helpers

static leat_status new_vector(run *self, const lt_type *type, lt_vector **out, leat_error *err) {
    LT_TRY_NEW(*out, self->arena, err);
    LT_TRY(lt_vector_init(*out, type, self->chunk->count == 0 ? 1 : self->chunk->count, self->arena, err));
    (*out)->lanes = self->chunk->count;
    return LEAT_OK;
}

static leat_status constant_null(run *self, const lt_type *type, const lt_vector **out, leat_error *err) {
    lt_vector *vector;
    LT_TRY_NEW(vector, self->arena, err);
    LT_TRY(lt_vector_init_constant_null(vector, type, self->arena, err));
    *out = vector;
    return LEAT_OK;
}

static size_t validity_words(const lt_vector *vector) { return ((size_t)vector->capacity + 63) / 64; }

// The validity of a flat vector, made if it has none.
static leat_status own_validity(run *self, lt_vector *vector, uint64_t **out, leat_error *err) {
    if (vector->validity == NULL) {
        vector->validity = lt_arena_alloc(self->arena, sizeof(uint64_t) * validity_words(vector));
        if (vector->validity == NULL) return lt_raise_no_memory(err);
        memset(vector->validity, 0xff, sizeof(uint64_t) * validity_words(vector));
    }
    *out = vector->validity;
    return LEAT_OK;
}

static inline void put_bit(uint64_t *bits, uint32_t at, bool value) {
    bits[at >> 6] = (bits[at >> 6] & ~((uint64_t)1 << (at & 63))) | (uint64_t)value << (at & 63);
}

// Splits rows by a BOOLEAN vector into those for which it is TRUE and the others; either list may be `rows` itself.
static void split_rows(const lt_vector *condition, lt_rows rows, uint16_t *is_true, uint32_t *out_true,
                       uint16_t *others, uint32_t *out_others) {
    const uint8_t  *lanes    = condition->values;
    const uint64_t *validity = condition->validity;
    uint32_t        keep = condition->form == LT_CONSTANT ? 0 : UINT32_MAX, yes = 0, no = 0;
    if (validity == NULL && condition->type->kind != LT_VOID) {
        for (uint32_t i = 0; i < rows.count; i++) {
            uint16_t row = rows.rows[i];
            bool     is  = lanes[row & keep] != 0;
            is_true[yes] = row;
            others[no]   = row;
            yes += is;
            no += !is;
        }
    } else {
        for (uint32_t i = 0; i < rows.count; i++) {
            uint16_t row = rows.rows[i];
            bool     is  = !lt_lane_is_null(condition, row & keep) && lanes[row & keep] != 0;
            is_true[yes] = row;
            others[no]   = row;
            yes += is;
            no += !is;
        }
    }
    *out_true   = yes;
    *out_others = no;
}

static leat_status scatter_lists(run *self, lt_vector *into, const lt_vector *from, lt_rows rows, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(from);
    lt_vector       *child = &into->children[0];
    for (uint32_t i = 0; i < rows.count; i++) {
        uint32_t row = rows.rows[i], lane = lt_vector_lane(from, row);
        if (lt_lane_is_null(lanes, lane)) continue;
        lt_list  list   = LT_LANES(lanes, const lt_list)[lane];
        uint32_t offset = child->lanes;
        for (uint32_t k = 0; k < list.count; k++)
            LT_TRY(lt_vector_append_row(child, &lanes->children[0], list.offset + k, self->arena, err));
        LT_LANES(into, lt_list)[row] = (lt_list){.offset = offset, .count = list.count};
    }
    return LEAT_OK;
}

// A lane of 16 bytes that need not be aligned to 16.
typedef struct lane16 {
    uint64_t words[2];
} lane16;

static void scatter_values(lt_vector *into, const lt_vector *from, lt_rows rows) {
    uint32_t keep   = from->form == LT_CONSTANT ? 0 : UINT32_MAX;
    size_t   stride = lt_kind_lane_bytes(into->type->kind);
    if (stride == 0) return; // of a struct the children have the lanes
    if (from->form == LT_FLAT && rows.count > 0 && (uint32_t)rows.rows[rows.count - 1] + 1 == rows.count) {
        memcpy(into->values, from->values, stride * rows.count);
        return;
    }
#define SCATTER(lane_type)                                                                                             \
    for (uint32_t i = 0; i < rows.count; i++)                                                                          \
        LT_LANES(into, lane_type)[rows.rows[i]] = LT_LANES(from, const lane_type)[rows.rows[i] & keep];                \
    break
    switch (stride) {
    case 1:
        SCATTER(uint8_t);
    case 2:
        SCATTER(uint16_t);
    case 4:
        SCATTER(uint32_t);
    case 8:
        SCATTER(uint64_t);
    case 16:
        SCATTER(lane16);
    default:
        break;
    }
#undef SCATTER
}

// Copies the lanes `rows` of `from` into the same lanes of the flat vector `into`; bytes and list elements are shared
// or copied by append, so `into` may be filled from several vectors.
static leat_status scatter(run *self, lt_vector *into, const lt_vector *from, lt_rows rows, leat_error *err) {
    lt_assert(from->form != LT_DICTIONARY);
    bool is_void = from->type->kind == LT_VOID;
    if (into->type->kind == LT_ARRAY || into->type->kind == LT_MAP) {
        if (!is_void) LT_TRY(scatter_lists(self, into, from, rows, err));
    } else if (!is_void) {
        scatter_values(into, from, rows);
    }
    if (is_void || from->validity != NULL || into->validity != NULL) {
        uint64_t *validity;
        LT_TRY(own_validity(self, into, &validity, err));
        uint32_t keep = from->form == LT_CONSTANT ? 0 : UINT32_MAX;
        if (from->form == LT_FLAT && from->validity != NULL && rows.count == self->chunk->count)
            memcpy(validity, from->validity, sizeof *validity * (((size_t)rows.count + 63) / 64));
        else
            for (uint32_t i = 0; i < rows.count; i++)
                put_bit(validity, rows.rows[i], !lt_lane_is_null(from, rows.rows[i] & keep));
    }
    if (into->type->kind != LT_STRUCT || is_void) return LEAT_OK;
    for (uint32_t c = 0; c < into->child_count; c++) {
        lt_vector child = from->children[c];
        if (from->form == LT_CONSTANT) child.form = LT_CONSTANT;
        LT_TRY(scatter(self, &into->children[c], &child, rows, err));
    }
    return LEAT_OK;
}

static leat_status new_rows(run *self, uint16_t **out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, self->arena, self->chunk->count + 1u, err);
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- calls

// The validity of a strict call's result: NULL where an argument is, by words. *out_has_nulls: some may be.
static leat_status strict_validity(run *self, lt_call *call, bool *out_has_nulls, leat_error *err) {
    uint64_t *validity = NULL;
    size_t    words    = ((size_t)call->count + 63) / 64;
    for (uint32_t a = 0; a < call->argument_count; a++) {
        const lt_vector *argument = call->arguments[a];
        if (argument == NULL || (argument->validity == NULL && argument->type->kind != LT_VOID)) continue;
        bool is_constant = argument->form == LT_CONSTANT || argument->type->kind == LT_VOID;
        if (is_constant && !lt_lane_is_null(argument, 0)) continue;
        LT_TRY(own_validity(self, call->result, &validity, err));
        for (size_t w = 0; w < words; w++) validity[w] &= is_constant ? 0 : argument->validity[w];
    }
    *out_has_nulls = validity != NULL;
    return LEAT_OK;
}

// The rows that are not NULL in a result.
static leat_status valid_rows(run *self, const lt_vector *result, lt_rows rows, lt_rows *out, leat_error *err) {
    uint16_t *live  = lt_arena_alloc(self->arena, sizeof *live * (rows.count + 1u));
    uint32_t  count = 0;
    if (live == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < rows.count; i++) {
        uint16_t row = rows.rows[i];
        live[count]  = row;
        count += (uint32_t)((result->validity[row >> 6] >> (row & 63)) & 1);
    }
    *out = (lt_rows){.rows = live, .count = count};
    return LEAT_OK;
}

static bool any_failed(const uint8_t *failed, uint32_t count) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < count; i++) any |= failed[i];
    return any != 0;
}

// Lanes are looked at one by one only when some lane failed, dead ones included.
static leat_status run_kernel(run *self, const lt_expression *expression, lt_call *call, leat_error *err) {
    const lt_type *types[LT_TAKES_MAX];
    lt_lanes       lanes = {
              .results = call->result->values, .count = call->count, .types = types, .result_type = expression->type};
    for (uint32_t a = 0; a < call->argument_count; a++) {
        lanes.values[a] = call->arguments[a]->values;
        lanes.steps[a]  = call->arguments[a]->form == LT_CONSTANT ? 0 : 1;
        types[a]        = call->arguments[a]->type;
    }
    LT_TRY_NEW_ARRAY(lanes.failed, self->arena, call->count + 1u, err);
    call->function->kernel(&lanes);
    if (call->function->fails_with == LT_CONDITION_NONE || !any_failed(lanes.failed, call->count)) return LEAT_OK;
    for (uint32_t i = 0; i < call->row_count; i++)
        if (lanes.failed[call->rows[i]] && lt_validity_is_set(call->result->validity, call->rows[i]))
            return lt_call_raise(call, err, call->function->fails_with, "%s",
                                 call->function->fail_message != NULL ? call->function->fail_message
                                                                      : "the result does not fit its type");
    return LEAT_OK;
}

static leat_status run_lambda(const lt_call *call, uint32_t argument_index, const lt_vector *inputs,
                              uint32_t input_count, const uint32_t *outer_rows, uint32_t count, const lt_vector **out,
                              leat_error *err);

typedef struct lambda_frame {
    run                 *outer;
    const lt_expression *expression;
} lambda_frame;

static bool may_be_null(const lt_vector *argument) {
    return argument != NULL && (argument->validity != NULL || argument->type->kind == LT_VOID);
}

// The rows in which an argument is not NULL; only they reach the arguments behind it, if these can fail.
static leat_status rows_narrow(run *self, const lt_vector *argument, lt_rows *rows, leat_error *err) {
    if (argument->form == LT_FLAT && argument->type->kind != LT_VOID)
        return valid_rows(self, argument, *rows, rows, err);
    if (argument->type->kind == LT_VOID || lt_lane_is_null(argument, 0)) rows->count = 0;
    return LEAT_OK;
}

// A call whose arguments are all constant is computed for one row and stays constant.
static leat_status evaluate_call(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                                 leat_error *err) {
    const lt_function *function = expression->function;
    const lt_vector  **arguments, **shared = lt_shared_calls_find(&self->evaluator->shared, expression, self->chunk);
    const bool         is_whole = rows.count == self->chunk->count;
    if (shared != NULL && *shared != NULL) {
        *out = *shared;
        return LEAT_OK;
    }
    LT_TRY_NEW_ARRAY(arguments, self->arena, expression->argument_count + 1u, err);
    bool    is_constant = !function->is_nondeterministic && rows.count > 0;
    lt_rows reached     = rows;
    for (uint32_t a = 0; a < expression->argument_count; a++) {
        const lt_expression *argument = expression->arguments[a];
        if (argument->kind == LT_EXPRESSION_LAMBDA) {
            is_constant = false;
            continue;
        }
        if (a > 0 && may_be_null(arguments[a - 1]) && !function->is_null_aware && lt_expression_can_fail(argument) &&
            !lt_function_is_variadic(function))
            LT_TRY(rows_narrow(self, arguments[a - 1], &reached, err));
        LT_TRY(evaluate(self, argument, reached, &arguments[a], err));
        is_constant &= arguments[a]->form == LT_CONSTANT;
    }
    run                   one     = *self;
    lt_chunk              one_row = {.count = 1};
    static const uint16_t zero    = 0;
    if (is_constant) {
        one.chunk = &one_row;
        rows      = (lt_rows){.rows = &zero, .count = 1};
    }
    lt_vector *result;
    LT_TRY(new_vector(&one, expression->type, &result, err));
    lambda_frame frame     = {.outer = self, .expression = expression};
    lt_call      call      = {.function       = function,
                              .arguments      = arguments,
                              .argument_count = expression->argument_count,
                              .count          = one.chunk->count,
                              .rows           = rows.rows,
                              .row_count      = rows.count,
                              .result         = result,
                              .arena          = self->arena,
                              .state          = function->state_bytes > 0 ? self->evaluator->states[expression->id] : NULL,
                              .evaluation     = self->evaluator->evaluation,
                              .run_lambda     = run_lambda,
                              .lambda_user    = &frame,
                              .place          = expression->place};
    bool         has_nulls = false;
    if (!function->is_null_aware) LT_TRY(strict_validity(&one, &call, &has_nulls, err));
    if (has_nulls && function->kernel == NULL) {
        lt_rows live;
        LT_TRY(valid_rows(&one, result, rows, &live, err));
        call.rows      = live.rows;
        call.row_count = live.count;
    }
    if (call.row_count > 0 || function->is_null_aware) {
        if (function->kernel != NULL)
            LT_TRY(run_kernel(self, expression, &call, err));
        else
            LT_TRY(function->evaluate(&call, err));
    }
    if (is_constant) {
        result->form  = LT_CONSTANT;
        result->lanes = 1;
    }
    if (shared != NULL && is_whole) *shared = result;
    *out = result;
    return LEAT_OK;
}

// Lanes of a lambda run in chunks of their own: inputs as variables, columns of the enclosing chunk spread by
// outer_rows.
static leat_status run_lambda(const lt_call *call, uint32_t argument_index, const lt_vector *inputs,
                              uint32_t input_count, const uint32_t *outer_rows, uint32_t count, const lt_vector **out,
                              leat_error *err) {
    const lambda_frame  *frame  = call->lambda_user;
    run                 *outer  = frame->outer;
    const lt_expression *lambda = frame->expression->arguments[argument_index];
    lt_assert(lambda->kind == LT_EXPRESSION_LAMBDA && input_count >= lambda->variable_count);
    lt_vector *result;
    LT_TRY_NEW(result, outer->arena, err);
    LT_TRY(lt_vector_init(result, lambda->arguments[0]->type, count == 0 ? 1 : count, outer->arena, err));
    uint32_t          variable_count = lambda->variable + lambda->variable_count;
    const lt_vector **variables;
    if (variable_count < outer->variable_count) variable_count = outer->variable_count;
    LT_TRY_NEW_ARRAY(variables, outer->arena, variable_count + 1u, err);
    for (uint32_t start = 0; start < count; start += LT_CHUNK_ROWS_MAX) {
        uint32_t  part  = count - start < LT_CHUNK_ROWS_MAX ? count - start : LT_CHUNK_ROWS_MAX;
        lt_chunk  chunk = {.column_count = outer->chunk->column_count, .count = part};
        uint32_t *indices;
        LT_TRY_NEW_ARRAY(indices, outer->arena, part, err);
        for (uint32_t i = 0; i < part; i++) indices[i] = outer_rows == NULL ? 0 : outer_rows[start + i];
        LT_TRY_NEW_ARRAY(chunk.columns, outer->arena, chunk.column_count + 1u, err);
        for (uint32_t c = 0; c < chunk.column_count; c++) {
            const lt_vector *column = &outer->chunk->columns[c];
            if (column->form == LT_DICTIONARY)
                LT_TRY(lt_vector_unpack(column, outer->chunk->count, outer->arena, &column, err));
            chunk.columns[c] = *column;
            if (column->form == LT_CONSTANT) continue;
            chunk.columns[c] = (lt_vector){.type        = column->type,
                                           .form        = LT_DICTIONARY,
                                           .lanes       = part,
                                           .indices     = indices,
                                           .child_count = column->child_count};
            LT_TRY_NEW(chunk.columns[c].dictionary, outer->arena, err);
            *chunk.columns[c].dictionary = *column;
        }
        for (uint32_t v = 0; v < outer->variable_count; v++) {
            const lt_vector *variable = outer->variables[v];
            if (variable == NULL || variable->form == LT_CONSTANT) {
                variables[v] = variable;
                continue;
            }
            lt_vector *spread;
            LT_TRY_NEW(spread, outer->arena, err);
            *spread = (lt_vector){.type = variable->type, .form = LT_DICTIONARY, .lanes = part, .indices = indices};
            LT_TRY_NEW(spread->dictionary, outer->arena, err);
            *spread->dictionary = *variable;
            LT_TRY(lt_vector_unpack(spread, part, outer->arena, &variables[v], err));
        }
        for (uint32_t v = 0; v < lambda->variable_count; v++) {
            lt_vector *input;
            LT_TRY_NEW(input, outer->arena, err);
            *input = inputs[v].form == LT_CONSTANT ? inputs[v] : lt_vector_slice(&inputs[v], start, part, outer->arena);
            variables[lambda->variable + v] = input;
        }
        run              inner = {.evaluator      = outer->evaluator,
                                  .chunk          = &chunk,
                                  .arena          = outer->arena,
                                  .variables      = variables,
                                  .variable_count = variable_count};
        const lt_vector *lanes;
        LT_TRY(evaluate(&inner, lambda->arguments[0], (lt_rows){.rows = all_rows(), .count = part}, &lanes, err));
        for (uint32_t i = 0; i < part; i++) LT_TRY(lt_vector_append_row(result, lanes, i, outer->arena, err));
    }
    *out = result;
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------- special forms

// AND and OR: `stop` decides a row. A row whose value is known is not evaluated again; NULL stays open.
static leat_status evaluate_connective(run *self, const lt_expression *expression, bool is_or, lt_rows rows,
                                       const lt_vector **out, leat_error *err) {
    lt_vector *result;
    LT_TRY(new_vector(self, expression->type, &result, err));
    uint8_t *values = result->values;
    for (uint32_t i = 0; i < rows.count; i++) values[rows.rows[i]] = !is_or;
    uint16_t *open;
    LT_TRY(new_rows(self, &open, err));
    lt_rows now = rows;
    for (uint32_t a = 0; a < expression->argument_count && now.count > 0; a++) {
        const lt_vector *argument;
        LT_TRY(evaluate(self, expression->arguments[a], now, &argument, err));
        const uint8_t *lanes = argument->values;
        uint32_t       keep = argument->form == LT_CONSTANT ? 0 : UINT32_MAX, count = 0;
        bool           has_nulls = argument->validity != NULL || argument->type->kind == LT_VOID;
        if (!has_nulls && result->validity == NULL) {
            for (uint32_t i = 0; i < now.count; i++) {
                uint16_t row   = now.rows[i];
                bool     value = lanes[row & keep] != 0;
                values[row]    = value;
                open[count]    = row;
                count += value != is_or;
            }
            now = (lt_rows){.rows = open, .count = count};
            continue;
        }
        uint64_t *validity;
        LT_TRY(own_validity(self, result, &validity, err));
        for (uint32_t i = 0; i < now.count; i++) {
            uint16_t row     = now.rows[i];
            bool     is_null = lt_lane_is_null(argument, row & keep);
            bool     value   = is_null ? !is_or : lanes[row & keep] != 0;
            bool     is_done = value == is_or;
            bool     was     = (validity[row >> 6] >> (row & 63)) & 1;
            values[row]      = value;
            put_bit(validity, row, is_done | (was & !is_null));
            open[count] = row;
            count += !is_done;
        }
        now = (lt_rows){.rows = open, .count = count};
    }
    *out = result;
    return LEAT_OK;
}

static leat_status evaluate_case(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                                 leat_error *err) {
    lt_vector *result;
    LT_TRY(new_vector(self, expression->type, &result, err));
    uint16_t *open, *taken;
    LT_TRY(new_rows(self, &open, err));
    lt_rows  now = rows;
    uint32_t a   = 0;
    for (; a + 1 < expression->argument_count && now.count > 0; a += 2) {
        const lt_vector *when, *then;
        LT_TRY(new_rows(self, &taken, err));
        LT_TRY(evaluate(self, expression->arguments[a], now, &when, err));
        uint32_t open_count, taken_count;
        split_rows(when, now, taken, &taken_count, open, &open_count);
        now = (lt_rows){.rows = open, .count = open_count};
        if (taken_count == 0) continue;
        lt_rows chosen = {.rows = taken, .count = taken_count};
        LT_TRY(evaluate(self, expression->arguments[a + 1], chosen, &then, err));
        LT_TRY(scatter(self, result, then, chosen, err));
    }
    if (now.count > 0) {
        if (expression->argument_count % 2 == 1) {
            const lt_vector *otherwise;
            LT_TRY(evaluate(self, expression->arguments[expression->argument_count - 1], now, &otherwise, err));
            LT_TRY(scatter(self, result, otherwise, now, err));
        } else {
            uint64_t *validity;
            LT_TRY(own_validity(self, result, &validity, err));
            for (uint32_t i = 0; i < now.count; i++) put_bit(validity, now.rows[i], false);
        }
    }
    *out = result;
    return LEAT_OK;
}

static leat_status evaluate_coalesce(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                                     leat_error *err) {
    lt_vector *result;
    LT_TRY(new_vector(self, expression->type, &result, err));
    uint16_t *open;
    LT_TRY(new_rows(self, &open, err));
    lt_rows now = rows;
    for (uint32_t a = 0; a < expression->argument_count && now.count > 0; a++) {
        const lt_vector *argument;
        LT_TRY(evaluate(self, expression->arguments[a], now, &argument, err));
        bool has_nulls = argument->validity != NULL || argument->type->kind == LT_VOID;
        if (a == 0 && !has_nulls) {
            *out = argument;
            return LEAT_OK;
        }
        LT_TRY(scatter(self, result, argument, now, err));
        uint32_t count = 0, keep = argument->form == LT_CONSTANT ? 0 : UINT32_MAX;
        for (uint32_t i = 0; has_nulls && i < now.count; i++) {
            uint16_t row = now.rows[i];
            open[count]  = row;
            count += lt_lane_is_null(argument, row & keep);
        }
        now = (lt_rows){.rows = open, .count = count};
    }
    *out = result;
    return LEAT_OK;
}

static leat_status evaluate_in_list(run *self, const lt_expression *expression, const lt_in_list *list, lt_rows rows,
                                    const lt_vector **out, leat_error *err) {
    lt_vector       *result;
    const lt_vector *needle;
    LT_TRY(new_vector(self, expression->type, &result, err));
    LT_TRY(evaluate(self, expression->arguments[0], rows, &needle, err));
    *out             = result;
    uint8_t *found   = result->values;
    bool     is_void = needle->type->kind == LT_VOID;
    if (!is_void) lt_in_list_find(list, needle, rows.rows, rows.count, found);
    if (!list->has_null && needle->validity == NULL && !is_void) return LEAT_OK;
    uint64_t *validity;
    uint32_t  keep = needle->form == LT_CONSTANT ? 0 : UINT32_MAX;
    LT_TRY(own_validity(self, result, &validity, err));
    for (uint32_t i = 0; i < rows.count; i++) {
        uint16_t row = rows.rows[i];
        put_bit(validity, row, (found[row] != 0 || !list->has_null) & !lt_lane_is_null(needle, row & keep));
    }
    return LEAT_OK;
}

// x IN (a, b, NULL): TRUE when found, else NULL when x or an element is NULL, else FALSE.
static leat_status evaluate_in(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                               leat_error *err) {
    lt_vector       *result;
    const lt_vector *needle;
    uint16_t        *open;
    for (uint32_t i = 0; i < self->evaluator->in_list_count; i++)
        if (self->evaluator->in_lists[i].expression == expression)
            return evaluate_in_list(self, expression, &self->evaluator->in_lists[i], rows, out, err);
    LT_TRY(new_vector(self, expression->type, &result, err));
    LT_TRY(new_rows(self, &open, err));
    LT_TRY(evaluate(self, expression->arguments[0], rows, &needle, err));
    uint8_t *values = result->values;
    uint32_t count  = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
        uint16_t row = rows.rows[i];
        values[row]  = 0;
        if (lt_vector_is_null(needle, row))
            LT_TRY(lt_vector_set_null(result, row, self->arena, err));
        else
            open[count++] = row;
    }
    for (uint32_t a = 1; a < expression->argument_count && count > 0; a++) {
        const lt_vector *element;
        LT_TRY(evaluate(self, expression->arguments[a], (lt_rows){.rows = open, .count = count}, &element, err));
        uint32_t left = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint16_t row = open[i];
            if (lt_vector_is_null(element, row)) {
                LT_TRY(lt_vector_set_null(result, row, self->arena, err));
                open[left++] = row;
            } else if (lt_vector_compare(needle, row, element, row) == 0) {
                values[row] = 1;
                lt_vector_set_valid(result, row);
            } else {
                open[left++] = row;
            }
        }
        count = left;
    }
    *out = result;
    return LEAT_OK;
}

// A struct field keeps its lanes; where the struct is NULL the field is NULL too.
static leat_status struct_field(run *self, const lt_vector *from, uint32_t lanes, uint32_t field, lt_vector *out,
                                leat_error *err) {
    *out       = from->children[field];
    out->form  = from->form;
    out->lanes = lanes;
    if (from->validity == NULL) return LEAT_OK;
    uint32_t  count = from->form == LT_CONSTANT ? 1 : lanes;
    uint64_t *validity;
    LT_TRY_NEW_ARRAY(validity, self->arena, (out->capacity < count ? count : out->capacity) / 64 + 1, err);
    for (uint32_t i = 0; i < count; i++) {
        bool is_valid = lt_validity_is_set(from->validity, i) && lt_validity_is_set(from->children[field].validity, i);
        validity[i >> 6] |= (uint64_t)is_valid << (i & 63);
    }
    out->validity = validity;
    return LEAT_OK;
}

static leat_status evaluate_field(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                                  leat_error *err) {
    const lt_vector *base;
    LT_TRY(evaluate(self, expression->arguments[0], rows, &base, err));
    lt_vector *result;
    LT_TRY_NEW(result, self->arena, err);
    *out = result;
    if (base->type->kind == LT_STRUCT) {
        if (base->child_count == 0)
            return lt_raise(err, LT_INTERNAL_ERROR, &expression->place, "a struct without lanes");
        return struct_field(self, base, self->chunk->count, expression->field, result, err);
    }
    // ARRAY<STRUCT>: the same lists over the child's field.
    *result      = *base;
    result->type = expression->type;
    LT_TRY_NEW(result->children, self->arena, err);
    return struct_field(self, &base->children[0], base->children[0].lanes, expression->field, &result->children[0],
                        err);
}

static leat_status evaluate_cast(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                                 leat_error *err) {
    const lt_vector *from;
    LT_TRY(evaluate(self, expression->arguments[0], rows, &from, err));
    if (from->type->kind == LT_VOID) return constant_null(self, expression->type, out, err);
    if (from->form != LT_CONSTANT)
        return lt_cast_run(from, expression->type, rows.rows, rows.count, self->chunk->count, expression->is_try,
                           self->arena, self->evaluator->evaluation, &expression->place, out, err);
    if (rows.count == 0) return constant_null(self, expression->type, out, err);
    const lt_vector      *one;
    static const uint16_t zero = 0;
    LT_TRY(lt_cast_run(from, expression->type, &zero, 1, 1, expression->is_try, self->arena,
                       self->evaluator->evaluation, &expression->place, &one, err));
    lt_vector *result;
    LT_TRY_NEW(result, self->arena, err);
    *result       = *one;
    result->form  = LT_CONSTANT;
    result->lanes = 1;
    *out          = result;
    return LEAT_OK;
}

// Dispatch over the kinds of nodes, one row each: a state machine without state.
static leat_status evaluate(run *self, const lt_expression *expression, lt_rows rows, const lt_vector **out,
                            leat_error *err) {
    switch (expression->kind) {
    case LT_EXPRESSION_LITERAL:
        *out = expression->value;
        return LEAT_OK;
    case LT_EXPRESSION_COLUMN:
        lt_assert(expression->column < self->chunk->column_count);
        return lt_vector_unpack(&self->chunk->columns[expression->column], self->chunk->count, self->arena, out, err);
    case LT_EXPRESSION_CALL:
        return evaluate_call(self, expression, rows, out, err);
    case LT_EXPRESSION_CAST:
        return evaluate_cast(self, expression, rows, out, err);
    case LT_EXPRESSION_AND:
        return evaluate_connective(self, expression, false, rows, out, err);
    case LT_EXPRESSION_OR:
        return evaluate_connective(self, expression, true, rows, out, err);
    case LT_EXPRESSION_CASE:
        return evaluate_case(self, expression, rows, out, err);
    case LT_EXPRESSION_COALESCE:
        return evaluate_coalesce(self, expression, rows, out, err);
    case LT_EXPRESSION_IN:
        return evaluate_in(self, expression, rows, out, err);
    case LT_EXPRESSION_FIELD:
        return evaluate_field(self, expression, rows, out, err);
    case LT_EXPRESSION_VARIABLE:
        lt_assert(expression->variable < self->variable_count);
        *out = self->variables[expression->variable];
        return LEAT_OK;
    default:
        return lt_raise(err, LT_INTERNAL_ERROR, &expression->place, "an expression of kind %d cannot run",
                        (int)expression->kind);
    }
}

leat_status lt_evaluator_run(lt_evaluator *evaluator, const lt_expression *expression, const lt_chunk *chunk,
                             const lt_rows *rows, lt_arena *arena, const lt_vector **out, leat_error *err) {
    lt_assert(chunk->count <= LT_CHUNK_ROWS_MAX);
    run         self   = {.evaluator = evaluator, .chunk = chunk, .arena = arena};
    lt_rows     all    = {.rows = all_rows(), .count = chunk->count};
    const bool  begins = lt_shared_calls_begin(&evaluator->shared, chunk);
    leat_status status = evaluate(&self, expression, rows != NULL ? *rows : all, out, err);
    if (begins) lt_shared_calls_end(&evaluator->shared);
    if (status != LEAT_OK) lt_error_place(err, &expression->place);
    return status;
}

leat_status lt_evaluator_run_all(lt_evaluator *evaluator, const lt_expression *const *expressions, uint32_t count,
                                 const lt_chunk *chunk, lt_arena *arena, lt_vector *out_columns, leat_error *err) {
    const bool  begins = lt_shared_calls_begin(&evaluator->shared, chunk);
    leat_status status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++) {
        const lt_vector *column;
        status = lt_evaluator_run(evaluator, expressions[i], chunk, NULL, arena, &column, err);
        if (status == LEAT_OK) out_columns[i] = *column;
    }
    if (begins) lt_shared_calls_end(&evaluator->shared);
    return status;
}

leat_status lt_expression_types(const lt_expression *const *expressions, uint32_t count, lt_arena *arena,
                                const lt_type ***out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, arena, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) (*out)[i] = expressions[i]->type;
    return LEAT_OK;
}

leat_status lt_fold(const lt_expression *expression, lt_evaluation *evaluation, lt_arena *arena, const lt_vector **out,
                    leat_error *err) {
    lt_evaluator     evaluator;
    leat_status      status = lt_evaluator_open(&evaluator, &expression, 1, evaluation, arena->account, err);
    lt_chunk         one    = {.count = 1};
    const lt_vector *value  = NULL;
    if (status == LEAT_OK) status = lt_evaluator_run(&evaluator, expression, &one, NULL, arena, &value, err);
    if (status == LEAT_OK && value->form != LT_CONSTANT) {
        lt_vector *constant = LT_NEW(arena, lt_vector);
        if (constant == NULL) {
            status = lt_raise_no_memory(err);
        } else {
            status = lt_vector_init(constant, value->type, 1, arena, err);
            if (status == LEAT_OK) status = lt_vector_append_row(constant, value, 0, arena, err);
            constant->form = LT_CONSTANT;
            value          = constant;
        }
    }
    *out = value;
    lt_evaluator_close(&evaluator);
    return status;
}
