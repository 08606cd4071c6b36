// semi_join: SEMI and ANTI joins of a batch whose left input is the smaller one. Its rows are kept, an index is made over
// their keys, and right rows only mark what they meet; at the end the marked rows, or the others, leave in their order.
//
//     left row -> rows, index          right row -> index -> matched[left row]          end: rows by matched
//
// join.c keeps the right rows instead; the answer is the same. Memory: the left rows. Cost: O(left rows + right rows +
// pairs that the residual judges). A pair whose left row is marked is not judged again.
#include "exec/join/keys.h"
#include "exec/state/row_index.h"
#include "exec/state/row_store.h"

typedef struct semi_join {
    const lt_plan *plan;
    lt_evaluator   left, right, residual;
    lt_row_store   rows;
    lt_row_index   index;
    lt_arena       arena;          // what follows
    uint8_t       *matched;        // by left row, once the index is made
    uint32_t      *heads;          // of a chunk of right rows
    uint32_t      *left_rows;      // of pairs
    uint16_t      *right_rows;     // likewise
    bool          *residual_reads; // by column of a pair
} semi_join;

static bool semi_join_serves(const lt_plan *plan) { return plan->as.join.keeps_left; }

static leat_status semi_join_open(lt_node *node, leat_error *err) {
    semi_join      *self = node->state;
    const lt_plan  *plan = node->plan, *left = plan->inputs[0];
    lt_account     *account = node->pipeline->account;
    const lt_type **types;
    self->plan = plan;
    lt_assert(!node->pipeline->is_standing && !plan->as.join.is_null_aware);
    lt_arena_init(&self->arena, account);
    LT_TRY_NEW_ARRAY(types, &self->arena, left->column_count + plan->as.join.key_count + 1u, err);
    for (uint32_t c = 0; c < left->column_count; c++) types[c] = left->columns[c].type;
    LT_TRY(lt_row_store_init(&self->rows, types, left->column_count, account, err));
    for (uint32_t k = 0; k < plan->as.join.key_count; k++) types[k] = plan->as.join.left_keys[k]->type;
    lt_row_index_init(&self->index, account, types, plan->as.join.key_count, false,
                      node->pipeline->evaluation->random_seed);
    LT_TRY_NEW_ARRAY(self->heads, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->left_rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->right_rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY(lt_join_residual_reads(plan, &self->arena, &self->residual_reads, err));
    LT_TRY(lt_evaluator_open(&self->left, plan->as.join.left_keys, plan->as.join.key_count, node->pipeline->evaluation,
                             account, err));
    LT_TRY(lt_evaluator_open(&self->right, plan->as.join.right_keys, plan->as.join.key_count,
                             node->pipeline->evaluation, account, err));
    return lt_evaluator_open(&self->residual, &plan->as.join.residual, 1, node->pipeline->evaluation, account, err);
}

// Without left rows nobody asks for right ones.
static leat_status semi_join_prepare(lt_node *node, leat_error *err) {
    (void)err;
    node->skip_mask = 2;
    return LEAT_OK;
}

static leat_status keep(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    semi_join     *self = node->state;
    const lt_plan *plan = self->plan;
    lt_vector     *keys;
    uint16_t      *rows;
    uint32_t       count;
    lt_assert(delta->weights == NULL);
    node->skip_mask = 0;
    LT_TRY(lt_join_keys(plan, &self->left, plan->as.join.left_keys, delta, batch->scratch, &keys, &rows, &count, err));
    LT_TRY(lt_row_index_add(&self->index, keys, plan->as.join.key_count, delta->count, rows, count, err));
    return lt_row_store_append(&self->rows, delta, err);
}

static leat_status make(semi_join *self, leat_error *err) {
    if (self->index.is_made) return LEAT_OK;
    LT_TRY_NEW_ARRAY(self->matched, &self->arena, self->rows.count + 1u, err);
    return lt_row_index_make(&self->index, err);
}

// Marks the left rows of those of the first `count` pairs for which the residual holds.
static leat_status pairs_judge(semi_join *self, const lt_chunk *right, uint32_t count, lt_arena *arena,
                               leat_error *err) {
    const lt_plan *plan  = self->plan;
    const uint32_t left  = plan->inputs[0]->column_count;
    lt_chunk       pairs = {.column_count = left + plan->inputs[1]->column_count, .count = count};
    uint16_t      *passed;
    if (count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(pairs.columns, arena, pairs.column_count + 1u, err);
    LT_TRY_NEW_ARRAY(passed, arena, count, err);
    for (uint32_t c = 0; c < pairs.column_count; c++) {
        const lt_type *type = c < left ? plan->inputs[0]->columns[c].type : plan->inputs[1]->columns[c - left].type;
        if (!self->residual_reads[c])
            LT_TRY(lt_vector_init_constant_null(&pairs.columns[c], type, arena, err));
        else if (c < left)
            LT_TRY(lt_row_store_gather_column(&self->rows.columns[c], self->left_rows, count, arena, &pairs.columns[c],
                                              err));
        else
            LT_TRY(lt_vector_gather(&right->columns[c - left], self->right_rows, count, arena, &pairs.columns[c], err));
    }
    for (uint32_t i = 0; i < count; i++) passed[i] = (uint16_t)i;
    LT_TRY(lt_evaluator_select(&self->residual, plan->as.join.residual, &pairs, arena, passed, &count, err));
    for (uint32_t i = 0; i < count; i++) self->matched[self->left_rows[passed[i]]] = 1;
    return LEAT_OK;
}

static leat_status mark(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    semi_join     *self = node->state;
    const lt_plan *plan = self->plan;
    lt_vector     *keys;
    uint16_t      *rows;
    uint32_t       count, pair_count = 0;
    LT_TRY(make(self, err));
    LT_TRY(
        lt_join_keys(plan, &self->right, plan->as.join.right_keys, delta, batch->scratch, &keys, &rows, &count, err));
    LT_TRY(lt_row_index_find(&self->index, keys, plan->as.join.key_count, rows, count, self->heads, err));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t left = self->heads[i]; left != 0; left = self->index.next[left - 1]) {
            if (plan->as.join.residual == NULL) {
                if (self->matched[left - 1]) break; // so are those behind it
                self->matched[left - 1] = 1;
            } else if (!self->matched[left - 1]) {
                self->left_rows[pair_count]    = left - 1;
                self->right_rows[pair_count++] = rows == NULL ? (uint16_t)i : rows[i];
                if (pair_count < LT_CHUNK_ROWS_MAX) continue;
                LT_TRY(pairs_judge(self, delta, pair_count, batch->scratch, err));
                pair_count = 0;
            }
        }
    }
    return pairs_judge(self, delta, pair_count, batch->scratch, err);
}

static leat_status semi_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    return input == 0 ? keep(node, delta, batch, err) : mark(node, delta, batch, err);
}

static leat_status semi_join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    semi_join    *self   = node->state;
    const uint8_t wanted = self->plan->as.join.type == LT_JOIN_SEMI;
    LT_TRY(make(self, err));
    for (uint32_t row = 0, count = 0; row < self->rows.count; row++) {
        self->heads[count] = row;
        count += self->matched[row] == wanted;
        if (count == 0 || (count < LT_CHUNK_ROWS_MAX && row + 1 < self->rows.count)) continue;
        lt_chunk out;
        LT_TRY(lt_row_store_gather(&self->rows, self->heads, count, batch->scratch, &out, err));
        if (self->rows.places == NULL) out.places = NULL; // nobody asked
        LT_TRY(lt_emit_origin(node, &out, batch, err));
        count = 0;
    }
    return LEAT_OK;
}

static void semi_join_close(lt_node *node) {
    semi_join *self = node->state;
    lt_row_store_deinit(&self->rows);
    lt_row_index_deinit(&self->index);
    if (self->arena.account != NULL) lt_arena_deinit(&self->arena);
    lt_evaluator_close(&self->left);
    lt_evaluator_close(&self->right);
    lt_evaluator_close(&self->residual);
    *self = (semi_join){0};
}

const lt_operator_kind lt_operators_semi_join = {
    .name        = "Join",
    .plan_kind   = LT_PLAN_JOIN,
    .serves      = semi_join_serves,
    .state_bytes = sizeof(semi_join),
    .open        = semi_join_open,
    .prepare     = semi_join_prepare,
    .push        = semi_join_push,
    .end_batch   = semi_join_end_batch,
    .close       = semi_join_close,
};
