// generate: each input row followed by the rows its generator gives (explode, inline, stack, ...; LATERAL VIEW). OUTER
// keeps an input row with NULLs where there is none. Linear, no state. Cost O(rows given).
#include "base/generator.h"
#include "exec/operator.h"

typedef struct generate {
    lt_evaluator evaluator;
} generate;

static leat_status generate_open(lt_node *node, leat_error *err) {
    generate      *self = node->state;
    const lt_plan *plan = node->plan;
    return lt_evaluator_open(&self->evaluator, plan->as.generate.arguments, plan->as.generate.argument_count,
                             node->pipeline->evaluation, node->pipeline->account, err);
}

// Input row numbers and generated columns that are waiting to be sent.
typedef struct waiting {
    uint16_t  *rows;
    lt_vector *columns;
    uint32_t   count, row_capacity;
} waiting;

static leat_status waiting_reset(const lt_plan *plan, uint32_t input_width, waiting *self, lt_arena *arena,
                                 leat_error *err) {
    uint32_t width = plan->column_count - input_width;
    LT_TRY_NEW_ARRAY(self->columns, arena, width + 1u, err);
    for (uint32_t c = 0; c < width; c++)
        LT_TRY(lt_vector_init(&self->columns[c], plan->columns[input_width + c].type, 0, arena, err));
    self->count = 0;
    return LEAT_OK;
}

static leat_status waiting_send(lt_node *node, const lt_chunk *delta, waiting *self, lt_batch *batch, leat_error *err) {
    const lt_plan *plan  = node->plan;
    uint32_t       width = plan->column_count - delta->column_count;
    for (uint32_t first = 0; first < self->count; first += LT_CHUNK_ROWS_MAX) {
        uint32_t part = self->count - first < LT_CHUNK_ROWS_MAX ? self->count - first : LT_CHUNK_ROWS_MAX;
        lt_chunk kept, out;
        LT_TRY(lt_chunk_gather(delta, self->rows + first, part, batch->scratch, &kept, err));
        out              = kept;
        out.column_count = plan->column_count;
        LT_TRY_NEW_ARRAY(out.columns, batch->scratch, out.column_count + 1u, err);
        memcpy(out.columns, kept.columns, sizeof *out.columns * kept.column_count);
        for (uint32_t c = 0; c < width; c++)
            out.columns[kept.column_count + c] = lt_vector_slice(&self->columns[c], first, part, batch->scratch);
        LT_TRY(lt_emit(node, &out, batch, err));
    }
    return waiting_reset(plan, delta->column_count, self, batch->scratch, err);
}

static leat_status rows_note(waiting *self, uint32_t row, uint32_t count, lt_arena *arena, leat_error *err) {
    if (self->count + count > self->row_capacity) {
        uint32_t capacity = self->row_capacity == 0 ? LT_CHUNK_ROWS_MAX : self->row_capacity;
        while (capacity < self->count + count) capacity *= 2;
        LT_TRY_LARGER_ARRAY(self->rows, arena, self->count, capacity, err);
        self->row_capacity = capacity;
    }
    for (uint32_t i = 0; i < count; i++) self->rows[self->count++] = (uint16_t)row;
    return LEAT_OK;
}

static leat_status generate_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                 leat_error *err) {
    (void)input;
    generate         *self = node->state;
    const lt_plan    *plan = node->plan;
    const lt_vector **arguments;
    waiting           out      = {0};
    bool              is_outer = plan->as.generate.is_outer || plan->as.generate.generator->is_outer;
    LT_TRY_NEW_ARRAY(arguments, batch->scratch, plan->as.generate.argument_count + 1u, err);
    for (uint32_t a = 0; a < plan->as.generate.argument_count; a++)
        LT_TRY(lt_evaluator_run(&self->evaluator, plan->as.generate.arguments[a], delta, NULL, batch->scratch,
                                &arguments[a], err));
    LT_TRY(waiting_reset(plan, delta->column_count, &out, batch->scratch, err));
    for (uint32_t row = 0; row < delta->count; row++) {
        uint32_t          count = 0;
        lt_generator_call call  = {.generator      = plan->as.generate.generator,
                                   .arguments      = arguments,
                                   .argument_count = plan->as.generate.argument_count,
                                   .constants      = plan->as.generate.constants,
                                   .row            = row,
                                   .columns        = out.columns,
                                   .column_count   = plan->column_count - delta->column_count,
                                   .arena          = batch->scratch,
                                   .evaluation     = batch->evaluation,
                                   .place          = plan->place};
        LT_TRY(call.generator->generate(&call, &count, err));
        if (count == 0 && is_outer) {
            for (uint32_t c = 0; c < call.column_count; c++)
                LT_TRY(lt_vector_append_null(&out.columns[c], batch->scratch, err));
            count = 1;
        }
        LT_TRY(rows_note(&out, row, count, batch->scratch, err));
        if (out.count >= LT_CHUNK_ROWS_MAX) LT_TRY(waiting_send(node, delta, &out, batch, err));
    }
    return waiting_send(node, delta, &out, batch, err);
}

static void generate_close(lt_node *node) { lt_evaluator_close(&((generate *)node->state)->evaluator); }

const lt_operator_kind lt_operators_generate = {
    .name           = "Generate",
    .plan_kind      = LT_PLAN_GENERATE,
    .state_bytes    = sizeof(generate),
    .is_incremental = true,
    .is_stateless   = true,
    .open           = generate_open,
    .push           = generate_push,
    .close          = generate_close,
};
