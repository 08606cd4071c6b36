// recursion: WITH RECURSIVE, semi-naive, for one batch: the anchor's rows are round 0; in each further round the step
// runs over the rows of the last one until it gives none. UNION lets every row in once. The rounds are limited (Spark:
// 100).
#include "exec/operator.h"
#include "exec/state/row_set.h"

enum { ROUNDS_MAX = 100 };

typedef struct recursion {
    lt_row_set seen;       // UNION
    lt_row_set last, next; // rows of the last and of the coming round, in order
    lt_buffer  scratch;
    lt_arena   arena;
    int64_t    place;
} recursion;

static leat_status recursion_open(lt_node *node, leat_error *err) {
    (void)err;
    recursion *self = node->state;
    lt_row_set_init(&self->seen, node->pipeline->account, true);
    lt_row_set_init(&self->last, node->pipeline->account, false);
    lt_row_set_init(&self->next, node->pipeline->account, false);
    lt_buffer_init(&self->scratch, node->pipeline->account, 0);
    lt_arena_init(&self->arena, node->pipeline->account);
    return LEAT_OK;
}

static leat_status recursion_prepare(lt_node *node, leat_error *err) {
    (void)err;
    node->skip_mask = 2; // the step runs once per round, see end_batch
    return LEAT_OK;
}

static leat_status recursion_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)input, (void)batch;
    recursion *self = node->state;
    for (uint32_t row = 0; row < delta->count; row++) {
        lt_buffer_reset(&self->scratch);
        LT_TRY(lt_row_encode(delta->columns, delta->column_count, row, !node->plan->as.recursion.is_all, &self->scratch,
                             err));
        if (!node->plan->as.recursion.is_all) {
            if (lt_row_set_weight(&self->seen, self->scratch.data, self->scratch.bytes) > 0) continue;
            LT_TRY(lt_row_set_add(&self->seen, self->scratch.data, self->scratch.bytes, 1, 0, NULL, err));
        }
        LT_TRY(lt_row_set_add(&self->next, self->scratch.data, self->scratch.bytes, 1, self->place++, NULL, err));
    }
    return LEAT_OK;
}

static leat_status rows_give(lt_node *from, lt_row_set *rows, const lt_plan *plan, lt_batch *batch, leat_error *err) {
    lt_row_set_cursor cursor;
    const lt_type   **types;
    LT_TRY_NEW_ARRAY(types, batch->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) types[c] = plan->columns[c].type;
    LT_TRY(lt_row_set_open_cursor(rows, &cursor, err));
    for (;;) {
        lt_chunk out;
        LT_TRY(lt_row_set_next(rows, &cursor, types, plan->column_count, true, batch->scratch, &out, err));
        if (out.count == 0) return LEAT_OK;
        out.places = NULL;
        LT_TRY(lt_emit_origin(from, &out, batch, err));
    }
}

static leat_status recursion_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    recursion    *self       = node->state;
    const int64_t wanted     = node->plan->as.recursion.level_max;
    const int64_t rounds_max = wanted >= 0 ? wanted : ROUNDS_MAX;
    for (uint32_t round = 0; self->next.live_rows > 0 && !lt_node_is_satisfied(node); round++) {
        if (round >= rounds_max) // the anchor is no round
            return lt_raise(err, LT_RECURSION_LEVEL_LIMIT_EXCEEDED, &node->plan->place,
                            "the recursion goes deeper than %lld levels", (long long)rounds_max);
        lt_row_set swap = self->last;
        self->last      = self->next;
        self->next      = swap;
        lt_row_set_reset(&self->next);
        LT_TRY(rows_give(node, &self->last, node->plan, batch, err));
        LT_TRY(lt_node_reopen_tree(node->inputs[1], err));
        LT_TRY(lt_node_run(node->inputs[1], batch, err));
    }
    return LEAT_OK;
}

leat_status lt_recursion_give(lt_node *scan, lt_batch *batch, leat_error *err) {
    lt_node *node = scan->parent;
    while (node != NULL && !(node->plan->kind == LT_PLAN_RECURSION &&
                             node->plan->as.recursion.recursion == scan->plan->as.recursion.recursion))
        node = node->parent;
    if (node == NULL)
        return lt_raise(err, LT_INTERNAL_ERROR, &scan->plan->place, "a recursive reference outside of its recursion");
    recursion *self = node->state;
    return rows_give(scan, &self->last, scan->plan, batch, err);
}

static void recursion_close(lt_node *node) {
    recursion *self = node->state;
    lt_row_set_deinit(&self->seen);
    lt_row_set_deinit(&self->last);
    lt_row_set_deinit(&self->next);
    lt_buffer_deinit(&self->scratch);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_recursion = {
    .name        = "Recursion",
    .plan_kind   = LT_PLAN_RECURSION,
    .state_bytes = sizeof(recursion),
    .open        = recursion_open,
    .prepare     = recursion_prepare,
    .push        = recursion_push,
    .end_batch   = recursion_end_batch,
    .close       = recursion_close,
};
