// asof_join: a left row meets the one right row of its key that is nearest in the order of the match keys: the last at
// or before it (>=, >) or the first at or after it (<=, <).
//
//     right rows sorted by (keys, match key, arrival):  [a 1][a 5][a 5'][b 2]     a, t >= 5 -> [a 5']    a, t <= 4 -> [a 5]
//
// Of right rows with equal match keys the one that came last counts looking back, the one that came first looking
// ahead. A NULL match key, or a NULL key that is not null-safe, meets nothing; with .is_outer such left rows come with
// NULLs. Left rows leave in their order. In a standing query incremental in the left input over a static right one,
// which is sorted once per version of its relations; two changing ones are delta_asof_join's. Memory: the right rows. Cost:
// O(right log right) once, O(left log right) a batch.
#include "exec/operator.h"
#include "exec/state/row_store.h"
#include "exec/state/sort_order.h"

typedef struct asof_join {
    lt_evaluator          left, right;
    const lt_expression **left_keys, **right_keys; // keys, then the match key
    uint32_t              key_count;               // with the match key
    uint32_t              left_width, right_width;
    lt_row_store          rows; // right columns, then keys: rows that can meet one
    uint32_t             *order;
    lt_arena              arena; // of the rows' order
    lt_arena              frame; // lists of keys
    uint64_t              version;
    bool                  is_static, is_built, is_sorted;
} asof_join;

static leat_status rows_init(lt_node *node, leat_error *err) {
    asof_join      *self  = node->state;
    const lt_plan  *right = node->plan->inputs[1];
    const lt_type **types;
    lt_arena_init(&self->arena, node->pipeline->account);
    LT_TRY_NEW_ARRAY(types, &self->arena, self->right_width + self->key_count + 1u, err);
    for (uint32_t c = 0; c < self->right_width; c++) types[c] = right->columns[c].type;
    for (uint32_t k = 0; k < self->key_count; k++) types[self->right_width + k] = self->right_keys[k]->type;
    self->is_sorted = false;
    return lt_row_store_init(&self->rows, types, self->right_width + self->key_count, node->pipeline->account, err);
}

static leat_status asof_join_open(lt_node *node, leat_error *err) {
    asof_join     *self       = node->state;
    const lt_plan *plan       = node->plan;
    lt_account    *account    = node->pipeline->account;
    lt_evaluation *evaluation = node->pipeline->evaluation;
    const uint32_t keys       = plan->as.asof_join.key_count;
    self->key_count           = keys + 1;
    self->left_width          = plan->inputs[0]->column_count;
    self->right_width         = plan->inputs[1]->column_count;
    self->is_static           = node->pipeline->is_standing && !plan->inputs[1]->properties.is_streaming;
    lt_arena_init(&self->frame, account);
    LT_TRY_NEW_ARRAY(self->left_keys, &self->frame, self->key_count, err);
    LT_TRY_NEW_ARRAY(self->right_keys, &self->frame, self->key_count, err);
    for (uint32_t k = 0; k < keys; k++) {
        self->left_keys[k]  = plan->as.asof_join.left_keys[k];
        self->right_keys[k] = plan->as.asof_join.right_keys[k];
    }
    self->left_keys[keys]  = plan->as.asof_join.left_match;
    self->right_keys[keys] = plan->as.asof_join.right_match;
    LT_TRY(rows_init(node, err));
    LT_TRY(lt_evaluator_open(&self->left, self->left_keys, self->key_count, evaluation, account, err));
    return lt_evaluator_open(&self->right, self->right_keys, self->key_count, evaluation, account, err);
}

static leat_status asof_join_prepare(lt_node *node, leat_error *err) {
    asof_join *self = node->state;
    node->skip_mask = 0;
    if (!self->is_static) return LEAT_OK;
    const uint64_t version = lt_node_relations_version(node->inputs[1]);
    if (self->is_built && version == self->version) {
        node->skip_mask = 2;
        return LEAT_OK;
    }
    if (self->is_built) {
        lt_row_store_deinit(&self->rows);
        lt_arena_deinit(&self->arena);
        LT_TRY(rows_init(node, err));
        LT_TRY(lt_node_reopen_tree(node->inputs[1], err));
    }
    self->is_built = true;
    self->version  = version;
    return LEAT_OK;
}

// Keys of a chunk, and the rows that can meet another.
static leat_status keys_of(const asof_join *self, const lt_plan *plan, lt_evaluator *evaluator,
                           const lt_expression *const *expressions, const lt_chunk *chunk, lt_arena *arena,
                           lt_vector **out_keys, uint16_t **out_rows, uint32_t *out_count, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out_keys, arena, self->key_count, err);
    LT_TRY_NEW_ARRAY(*out_rows, arena, chunk->count + 1u, err);
    for (uint32_t k = 0; k < self->key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(evaluator, expressions[k], chunk, NULL, arena, &key, err));
        (*out_keys)[k] = *key;
    }
    *out_count = 0;
    for (uint32_t row = 0; row < chunk->count; row++) {
        bool meets_nothing = lt_vector_is_null(&(*out_keys)[self->key_count - 1], row);
        for (uint32_t k = 0; k + 1 < self->key_count; k++)
            meets_nothing |= !plan->as.asof_join.is_null_safe[k] && lt_vector_is_null(&(*out_keys)[k], row);
        if (!meets_nothing) (*out_rows)[(*out_count)++] = (uint16_t)row;
    }
    return LEAT_OK;
}

static leat_status keep_right(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    asof_join *self = node->state;
    lt_vector *keys;
    uint16_t  *rows;
    uint32_t   count;
    lt_chunk   wide = *delta, kept;
    LT_TRY(keys_of(self, node->plan, &self->right, self->right_keys, delta, batch->scratch, &keys, &rows, &count, err));
    wide.column_count = self->right_width + self->key_count;
    LT_TRY_NEW_ARRAY(wide.columns, batch->scratch, wide.column_count, err);
    memcpy(wide.columns, delta->columns, sizeof *wide.columns * self->right_width);
    memcpy(wide.columns + self->right_width, keys, sizeof *keys * self->key_count);
    LT_TRY(lt_chunk_gather(&wide, rows, count, batch->scratch, &kept, err));
    return lt_row_store_append(&self->rows, &kept, err);
}

static leat_status rows_sort(asof_join *self, leat_error *err) {
    const lt_vector **columns;
    lt_sort_key      *ascending;
    if (self->is_sorted) return LEAT_OK;
    LT_TRY_NEW_ARRAY(self->order, &self->arena, self->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, &self->arena, self->key_count, err);
    LT_TRY_NEW_ARRAY(ascending, &self->arena, self->key_count, err);
    for (uint32_t k = 0; k < self->key_count; k++) {
        columns[k]   = &self->rows.columns[self->right_width + k];
        ascending[k] = (lt_sort_key){.expression = self->right_keys[k], .is_nulls_first = true};
    }
    for (uint32_t row = 0; row < self->rows.count; row++) self->order[row] = row;
    self->is_sorted = true;
    return lt_sort_rows(columns, ascending, self->key_count, self->order, self->rows.count, &self->arena, err);
}

// The order of a left row among the right ones, by the first `key_count` keys.
static int compare(const asof_join *self, const lt_vector *keys, uint32_t left, uint32_t right, uint32_t key_count) {
    for (uint32_t k = 0; k < key_count; k++) {
        const lt_vector *there        = &self->rows.columns[self->right_width + k];
        const bool       is_left_null = lt_vector_is_null(&keys[k], left), is_null = lt_vector_is_null(there, right);
        if (is_left_null && is_null) continue;
        if (is_left_null || is_null) return is_left_null ? -1 : 1;
        const int order = lt_vector_compare(&keys[k], left, there, right);
        if (order != 0) return order;
    }
    return 0;
}

// How many of the sorted right rows lie before the left row; `with_equal`: those with equal keys too.
static uint32_t rows_before(const asof_join *self, const lt_vector *keys, uint32_t left, bool with_equal) {
    uint32_t first = 0, end = self->rows.count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const int      order  = compare(self, keys, left, self->order[middle], self->key_count);
        if (order > 0 || (order == 0 && with_equal))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static uint32_t partner(const asof_join *self, const lt_plan *plan, const lt_vector *keys, uint32_t left) {
    const bool     is_forward = plan->as.asof_join.is_forward;
    const uint32_t before     = rows_before(self, keys, left, plan->as.asof_join.takes_equal != is_forward);
    if (is_forward ? before == self->rows.count : before == 0) return LT_NO_ROW;
    const uint32_t right = self->order[is_forward ? before : before - 1];
    return compare(self, keys, left, right, self->key_count - 1) == 0 ? right : LT_NO_ROW;
}

static leat_status probe(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    asof_join     *self  = node->state;
    const lt_plan *plan  = node->plan;
    lt_arena      *arena = batch->scratch;
    lt_vector     *keys;
    uint16_t      *rows, *kept;
    uint32_t      *partners, count, kept_count = 0;
    LT_TRY(rows_sort(self, err));
    LT_TRY(keys_of(self, plan, &self->left, self->left_keys, delta, arena, &keys, &rows, &count, err));
    LT_TRY_NEW_ARRAY(kept, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(partners, arena, delta->count + 1u, err);
    for (uint32_t row = 0, at = 0; row < delta->count; row++) {
        uint32_t right = LT_NO_ROW;
        if (at < count && rows[at] == row) {
            right = partner(self, plan, keys, row);
            at++;
        }
        if (right == LT_NO_ROW && !plan->as.asof_join.is_outer) continue;
        kept[kept_count]       = (uint16_t)row;
        partners[kept_count++] = right;
    }
    lt_chunk left, out;
    LT_TRY(lt_chunk_gather(delta, kept, kept_count, arena, &left, err));
    out              = left;
    out.column_count = self->left_width + self->right_width;
    LT_TRY_NEW_ARRAY(out.columns, arena, out.column_count + 1u, err);
    memcpy(out.columns, left.columns, sizeof *out.columns * self->left_width);
    for (uint32_t c = 0; c < self->right_width; c++)
        LT_TRY(lt_row_store_gather_column(&self->rows.columns[c], partners, kept_count, arena,
                                          &out.columns[self->left_width + c], err));
    return lt_emit(node, &out, batch, err);
}

static leat_status asof_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    return input == 1 ? keep_right(node, delta, batch, err) : probe(node, delta, batch, err);
}

static void asof_join_close(lt_node *node) {
    asof_join *self = node->state;
    lt_row_store_deinit(&self->rows);
    if (self->arena.account != NULL) lt_arena_deinit(&self->arena);
    if (self->frame.account != NULL) lt_arena_deinit(&self->frame);
    lt_evaluator_close(&self->left);
    lt_evaluator_close(&self->right);
    *self = (asof_join){0};
}

const lt_operator_kind lt_operators_asof_join = {
    .name           = "AsofJoin",
    .plan_kind      = LT_PLAN_ASOF_JOIN,
    .state_bytes    = sizeof(asof_join),
    .is_incremental = true,
    .open           = asof_join_open,
    .prepare        = asof_join_prepare,
    .push           = asof_join_push,
    .close          = asof_join_close,
};
