// join: hash join. The right input is kept as rows with an index over their keys, which is made when the first left rows
// come; these probe it and leave in their order.
//
// All join types for one batch. In a standing query the operator is incremental in its left input when the right one is
// static: the table is built once and again when the relation's version changes (spark-semantics 8.1: rows already
// delivered are never corrected). Two changing inputs are delta_join's, or go through recompute and compare. NULL keys
// match nothing unless the key is null-safe. Memory: the right rows. Cost: O(left rows + matches) a batch.
#include "exec/join/keys.h"
#include "exec/state/row_index.h"
#include "exec/state/row_store.h"

typedef struct join {
    const lt_plan *plan;
    lt_evaluator   left, right, residual;
    lt_row_store   rows;                   // right columns, then right keys; see kept_width
    lt_row_index   index, correlations;    // full keys; null-aware: the correlated keys alone
    lt_arena       arena;                  // what follows
    uint8_t       *matched, *has_null_key; // by right row; NULL where no join type asks
    uint32_t       row_capacity;
    uint16_t      *left_rows;          // of pairs
    uint32_t      *right_rows, *heads; // heads: of a chunk of left rows
    bool          *residual_reads;     // by column of a pair
    uint32_t       left_width, right_width;
    bool           is_static; // right side, in a standing query
    bool           is_built;
    uint64_t       version;
} join;

// Candidate pairs of one chunk of left rows, and what came of them.
typedef struct pairs {
    lt_node        *node;
    const lt_chunk *left;
    lt_batch       *batch;
    uint32_t        count; // of state->left_rows and right_rows
    uint8_t        *left_matched;
    uint32_t        pad_next; // left rows below were padded if they had to be
} pairs;

static bool is_padding_left(lt_join_type type) {
    return type == LT_JOIN_LEFT || type == LT_JOIN_FULL || type == LT_JOIN_SINGLE;
}
static bool is_padding_right(lt_join_type type) { return type == LT_JOIN_RIGHT || type == LT_JOIN_FULL; }
static bool gives_pairs(lt_join_type type) { return type <= LT_JOIN_FULL || type == LT_JOIN_SINGLE; }
// Whether it counts only that a key is there.
static bool is_of_keys(const lt_plan *plan) {
    return !gives_pairs(plan->as.join.type) && plan->as.join.residual == NULL;
}

// Columns of the right rows that are kept: none where only their being there counts; the keys, which are otherwise
// compared in the table alone, where NULLs among them need a closer look.
static uint32_t kept_width(const lt_plan *plan) {
    if (plan->as.join.is_null_aware) return plan->inputs[1]->column_count + plan->as.join.key_count;
    return is_of_keys(plan) ? 0 : plan->inputs[1]->column_count;
}

static leat_status right_init(lt_node *node, leat_error *err) {
    join           *self = node->state;
    const lt_plan  *plan = node->plan, *right = plan->inputs[1];
    const lt_type **types;
    lt_account     *account = node->pipeline->account;
    lt_arena_init(&self->arena, account);
    LT_TRY_NEW_ARRAY(types, &self->arena, right->column_count + plan->as.join.key_count + 1u, err);
    for (uint32_t c = 0; c < right->column_count; c++) types[c] = right->columns[c].type;
    for (uint32_t k = 0; k < plan->as.join.key_count; k++)
        types[right->column_count + k] = plan->as.join.right_keys[k]->type;
    const lt_type *const *keys   = types + right->column_count;
    const uint64_t        secret = node->pipeline->evaluation->random_seed;
    lt_row_index_init(&self->index, account, keys, plan->as.join.key_count, is_of_keys(plan), secret);
    lt_row_index_init(&self->correlations, account, keys, plan->as.join.correlated_key_count, false, secret);
    LT_TRY_NEW_ARRAY(self->left_rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->right_rows, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->heads, &self->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY(lt_join_residual_reads(plan, &self->arena, &self->residual_reads, err));
    return lt_row_store_init(&self->rows, types, kept_width(plan), account, err);
}

static void right_deinit(join *self) {
    lt_row_store_deinit(&self->rows);
    if (self->arena.account == NULL) return;
    lt_row_index_deinit(&self->index);
    lt_row_index_deinit(&self->correlations);
    lt_arena_deinit(&self->arena);
    self->matched = self->has_null_key = NULL;
    self->row_capacity                 = 0;
}

static leat_status join_open(lt_node *node, leat_error *err) {
    join          *self    = node->state;
    const lt_plan *plan    = node->plan;
    lt_account    *account = node->pipeline->account;
    self->plan             = plan;
    self->left_width       = plan->inputs[0]->column_count;
    self->right_width      = plan->inputs[1]->column_count;
    self->is_static        = node->pipeline->is_standing && !plan->inputs[1]->properties.is_streaming;
    lt_assert(!plan->as.join.is_null_aware || plan->as.join.residual == NULL);
    LT_TRY(right_init(node, err));
    LT_TRY(lt_evaluator_open(&self->left, plan->as.join.left_keys, plan->as.join.key_count, node->pipeline->evaluation,
                             account, err));
    LT_TRY(lt_evaluator_open(&self->right, plan->as.join.right_keys, plan->as.join.key_count,
                             node->pipeline->evaluation, account, err));
    return lt_evaluator_open(&self->residual, &plan->as.join.residual, 1, node->pipeline->evaluation, account, err);
}

// A static right side runs only when its relations have changed; then it starts from nothing.
static leat_status join_prepare(lt_node *node, leat_error *err) {
    join              *self = node->state;
    const lt_join_type type = self->plan->as.join.type;
    const bool         is_by_right =
        type == LT_JOIN_INNER || type == LT_JOIN_RIGHT || type == LT_JOIN_SEMI; // no right rows: none
    node->skip_mask = !node->pipeline->is_standing && is_by_right ? 1 : 0;      // until there is a right row
    if (!self->is_static) return LEAT_OK;
    uint64_t version = lt_node_relations_version(node->inputs[1]);
    if (self->is_built && version == self->version) {
        node->skip_mask = 2;
        return LEAT_OK;
    }
    if (self->is_built) {
        right_deinit(self);
        LT_TRY(right_init(node, err));
        LT_TRY(lt_node_reopen_tree(node->inputs[1], err));
    }
    self->is_built = true;
    self->version  = version;
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- build

static leat_status rows_reserve(join *self, uint32_t count, leat_error *err) {
    if (count <= self->row_capacity) return LEAT_OK;
    uint32_t capacity = self->row_capacity == 0 ? 256 : self->row_capacity;
    while (capacity < count) capacity *= 2;
    if (self->plan->as.join.is_null_aware)
        LT_TRY_LARGER_ARRAY(self->has_null_key, &self->arena, self->row_capacity, capacity, err);
    if (is_padding_right(self->plan->as.join.type))
        LT_TRY_LARGER_ARRAY(self->matched, &self->arena, self->row_capacity, capacity, err);
    self->row_capacity = capacity;
    return LEAT_OK;
}

static leat_status build(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    join          *self      = node->state;
    const lt_plan *plan      = node->plan;
    uint32_t       key_count = plan->as.join.key_count, first = self->rows.count, count;
    lt_vector     *keys;
    uint16_t      *rows;
    node->skip_mask &= ~UINT32_C(1);
    LT_TRY(
        lt_join_keys(plan, &self->right, plan->as.join.right_keys, delta, batch->scratch, &keys, &rows, &count, err));
    LT_TRY(lt_row_index_add(&self->index, keys, key_count, delta->count, rows, count, err));
    if (is_of_keys(plan) && !plan->as.join.is_null_aware) return LEAT_OK;
    lt_chunk wide     = *delta;
    wide.column_count = self->right_width + key_count;
    LT_TRY_NEW_ARRAY(wide.columns, batch->scratch, wide.column_count + 1u, err); // of which the store takes its width
    memcpy(wide.columns, delta->columns, sizeof *wide.columns * self->right_width);
    memcpy(wide.columns + self->right_width, keys, sizeof *keys * key_count);
    LT_TRY(lt_row_store_append(&self->rows, &wide, err));
    LT_TRY(rows_reserve(self, self->rows.count, err));
    if (!plan->as.join.is_null_aware) return LEAT_OK;
    uint32_t correlated = plan->as.join.correlated_key_count;
    LT_TRY(lt_join_rows_that_match(plan, keys, correlated, delta->count, batch->scratch, &rows, &count, err));
    for (uint32_t row = 0; row < delta->count; row++)
        for (uint32_t k = correlated; k < key_count; k++)
            self->has_null_key[first + row] |= lt_vector_is_null(&keys[k], row);
    return lt_row_index_add(&self->correlations, keys, correlated, delta->count, rows, count, err);
}

// All right rows are there.
static leat_status make(join *self, leat_error *err) {
    if (self->index.is_made) return LEAT_OK;
    LT_TRY(lt_row_index_make(&self->index, err));
    return self->plan->as.join.is_null_aware ? lt_row_index_make(&self->correlations, err) : LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- probe

static bool is_each_row(const uint16_t *rows, uint32_t count) {
    bool is_each = true;
    for (uint32_t i = 0; i < count; i++) is_each &= rows[i] == i;
    return is_each;
}

// The pairs as rows; reads NULL: all columns, else those that it names, the others are NULL.
static leat_status pairs_chunk(const pairs *self, const uint16_t *left_rows, const uint32_t *right_rows, uint32_t count,
                               const bool *reads, lt_chunk *out, leat_error *err) {
    join          *state = self->node->state;
    lt_arena      *arena = self->batch->scratch;
    const lt_plan *plan  = self->node->plan;
    const uint32_t left  = state->left_width;
    lt_chunk       from  = *self->left, kept;
    *out                 = (lt_chunk){.column_count = left + state->right_width, .count = count};
    out->columns         = lt_arena_alloc(arena, sizeof *out->columns * (out->column_count + 1u));
    if (out->columns == NULL) return lt_raise_no_memory(err);
    for (uint32_t c = 0; reads != NULL && c < out->column_count; c++)
        if (!reads[c]) {
            const lt_type *type = c < left ? plan->inputs[0]->columns[c].type : plan->inputs[1]->columns[c - left].type;
            LT_TRY(lt_vector_init_constant_null(&out->columns[c], type, arena, err));
        }
    const bool is_whole = count == from.count && is_each_row(left_rows, count);
    for (uint32_t c = 0; c < left; c++) {
        if (reads != NULL && !reads[c]) continue;
        if (is_whole)
            out->columns[c] = from.columns[c];
        else
            LT_TRY(lt_vector_gather(&from.columns[c], left_rows, count, arena, &out->columns[c], err));
    }
    from.column_count = 0; // its weights and places
    if (!is_whole) LT_TRY(lt_chunk_gather(&from, left_rows, count, arena, &kept, err));
    out->weights = is_whole ? from.weights : kept.weights;
    out->places  = is_whole ? from.places : kept.places;
    for (uint32_t c = 0; c < state->right_width; c++)
        if (reads == NULL || reads[left + c])
            LT_TRY(lt_row_store_gather_column(&state->rows.columns[c], right_rows, count, arena,
                                              &out->columns[left + c], err));
    return LEAT_OK;
}

// Judges the pairs by the residual and sends what remains, with padding for left rows below `row_end` that found
// nothing.
static leat_status pairs_flush(pairs *self, uint32_t row_end, leat_error *err) {
    join          *state        = self->node->state;
    const lt_plan *plan         = self->node->plan;
    lt_arena      *arena        = self->batch->scratch;
    lt_join_type   type         = plan->as.join.type;
    uint16_t      *passed       = NULL;
    uint32_t       passed_count = self->count;
    lt_chunk       candidates   = {0};
    if (plan->as.join.residual != NULL && self->count > 0) {
        LT_TRY(pairs_chunk(self, state->left_rows, state->right_rows, self->count,
                           type == LT_JOIN_INNER ? NULL : state->residual_reads, &candidates, err));
        LT_TRY_NEW_ARRAY(passed, arena, self->count, err);
        for (uint32_t i = 0; i < self->count; i++) passed[i] = (uint16_t)i;
        LT_TRY(lt_evaluator_select(&state->residual, plan->as.join.residual, &candidates, arena, passed, &passed_count,
                                   err));
    }
    if (type == LT_JOIN_INNER) {
        const uint32_t count = self->count;
        lt_chunk       out   = candidates;
        self->count          = 0;
        if (passed_count == 0) return LEAT_OK;
        if (passed == NULL)
            LT_TRY(pairs_chunk(self, state->left_rows, state->right_rows, count, NULL, &out, err));
        else if (passed_count < count)
            LT_TRY(lt_chunk_gather(&candidates, passed, passed_count, arena, &out, err));
        return lt_emit(self->node, &out, self->batch, err);
    }
    uint32_t  room = passed_count + (row_end - self->pad_next), count = 0;
    uint16_t *left_rows;
    uint32_t *right_rows;
    LT_TRY_NEW_ARRAY(left_rows, arena, room + 1u, err);
    LT_TRY_NEW_ARRAY(right_rows, arena, room + 1u, err);
    for (uint32_t i = 0; i <= passed_count; i++) {
        const uint32_t pair = i < passed_count && passed != NULL ? passed[i] : i;
        const uint32_t left = i < passed_count ? state->left_rows[pair] : row_end;
        for (; is_padding_left(type) && self->pad_next < left; self->pad_next++) {
            if (self->left_matched[self->pad_next]) continue;
            left_rows[count]    = (uint16_t)self->pad_next;
            right_rows[count++] = LT_NO_ROW;
        }
        if (i == passed_count) break;
        const uint32_t right = state->right_rows[pair];
        if (type == LT_JOIN_SINGLE && self->left_matched[left])
            return lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &plan->place,
                            "a scalar sub-query gave more than one row");
        self->left_matched[left] = 1;
        if (state->matched != NULL) state->matched[right] = 1;
        left_rows[count]    = (uint16_t)left;
        right_rows[count++] = right;
    }
    self->count = 0;
    for (uint32_t first = 0; gives_pairs(type) && first < count; first += LT_CHUNK_ROWS_MAX) {
        lt_chunk out;
        uint32_t part = count - first < LT_CHUNK_ROWS_MAX ? count - first : LT_CHUNK_ROWS_MAX;
        LT_TRY(pairs_chunk(self, left_rows + first, right_rows + first, part, NULL, &out, err));
        LT_TRY(lt_emit(self->node, &out, self->batch, err));
    }
    return LEAT_OK;
}

typedef enum truth { FALSE_ROW, TRUE_ROW, NULL_ROW } truth;

// x IN (rows of the correlation group): no full match was found; is it FALSE or NULL? A candidate is NULL when no pair
// of values differs and some value is NULL.
static truth null_aware_rest(const join *self, const lt_vector *keys, uint32_t left, uint32_t head) {
    uint32_t correlated = self->plan->as.join.correlated_key_count, key_count = self->plan->as.join.key_count;
    bool     left_has_null = false;
    for (uint32_t k = correlated; k < key_count; k++) left_has_null |= lt_vector_is_null(&keys[k], left);
    for (uint32_t row = head; row != 0; row = self->correlations.next[row - 1]) {
        if (!left_has_null && !self->has_null_key[row - 1]) continue;
        bool differs = false;
        for (uint32_t k = correlated; k < key_count && !differs; k++) {
            const lt_vector *right = &self->rows.columns[self->right_width + k];
            if (lt_vector_is_null(&keys[k], left) || lt_vector_is_null(right, row - 1)) continue;
            differs = lt_vector_compare(&keys[k], left, right, row - 1) != 0;
        }
        if (!differs) return NULL_ROW;
    }
    return FALSE_ROW;
}

// Left rows of SEMI, ANTI and MARK, once all their candidates are judged.
static leat_status emit_left(pairs *self, const lt_vector *keys, const uint32_t *correlations, leat_error *err) {
    join          *state = self->node->state;
    const lt_plan *plan  = self->node->plan;
    lt_arena      *arena = self->batch->scratch;
    lt_vector      mark;
    uint16_t      *rows;
    uint32_t       count = 0;
    LT_TRY_NEW_ARRAY(rows, arena, self->left->count + 1u, err);
    LT_TRY(lt_vector_init(&mark, lt_type_of(LT_BOOLEAN), self->left->count, arena, err));
    for (uint32_t row = 0; row < self->left->count; row++) {
        truth value = self->left_matched[row] ? TRUE_ROW : FALSE_ROW;
        if (value == FALSE_ROW && plan->as.join.is_null_aware)
            value = null_aware_rest(state, keys, row, correlations[row]);
        LT_LANES(&mark, uint8_t)[row] = value == TRUE_ROW;
        if (value == NULL_ROW) LT_TRY(lt_vector_set_null(&mark, row, arena, err));
        bool is_kept = plan->as.join.type == LT_JOIN_MARK ||
                       (plan->as.join.type == LT_JOIN_SEMI ? value == TRUE_ROW : value == FALSE_ROW);
        if (is_kept) rows[count++] = (uint16_t)row;
    }
    if (plan->as.join.type != LT_JOIN_MARK) {
        lt_chunk out;
        LT_TRY(lt_chunk_gather(self->left, rows, count, arena, &out, err));
        return lt_emit(self->node, &out, self->batch, err);
    }
    mark.lanes   = self->left->count;
    lt_chunk out = *self->left;
    out.column_count++;
    LT_TRY_NEW_ARRAY(out.columns, arena, out.column_count, err);
    memcpy(out.columns, self->left->columns, sizeof mark * state->left_width);
    out.columns[state->left_width] = mark;
    return lt_emit(self->node, &out, self->batch, err);
}

// Pairs of left rows with the right rows that their heads lead to.
static leat_status pairs_find(pairs *found, const uint16_t *rows, uint32_t count, leat_error *err) {
    join           *self       = found->node->state;
    const uint32_t *heads      = self->heads;
    uint16_t       *left_rows  = self->left_rows;
    uint32_t       *right_rows = self->right_rows;
    if (!self->index.has_repeats) { // a pair a row at most: they fit
        uint32_t pair_count = 0;
        for (uint32_t i = 0; i < count; i++) {
            left_rows[pair_count]  = rows == NULL ? (uint16_t)i : rows[i];
            right_rows[pair_count] = heads[i] - 1;
            pair_count += heads[i] != 0;
        }
        found->count = pair_count;
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t left = rows == NULL ? (uint16_t)i : rows[i];
        for (uint32_t right = heads[i]; right != 0; right = self->index.next[right - 1]) {
            if (found->count == LT_CHUNK_ROWS_MAX) LT_TRY(pairs_flush(found, left, err));
            left_rows[found->count]    = left;
            right_rows[found->count++] = right - 1;
        }
    }
    return LEAT_OK;
}

static leat_status probe(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    join          *self  = node->state;
    const lt_plan *plan  = node->plan;
    lt_arena      *arena = batch->scratch;
    pairs          found = {.node = node, .left = delta, .batch = batch};
    lt_vector     *keys;
    uint16_t      *rows;
    uint32_t      *correlations = NULL, count;
    LT_TRY(make(self, err));
    LT_TRY(lt_join_keys(plan, &self->left, plan->as.join.left_keys, delta, arena, &keys, &rows, &count, err));
    LT_TRY_NEW_ARRAY(found.left_matched, arena, delta->count + 1u, err);
    LT_TRY(lt_row_index_find(&self->index, keys, plan->as.join.key_count, rows, count, self->heads, err));
    if (is_of_keys(plan)) {
        for (uint32_t i = 0; i < count; i++) found.left_matched[rows == NULL ? i : rows[i]] = self->heads[i] != 0;
    } else {
        LT_TRY(pairs_find(&found, rows, count, err));
        LT_TRY(pairs_flush(&found, delta->count, err));
    }
    if (gives_pairs(plan->as.join.type)) return LEAT_OK;
    if (plan->as.join.is_null_aware) {
        uint32_t correlated = plan->as.join.correlated_key_count;
        LT_TRY_NEW_ARRAY(correlations, arena, delta->count + 1u, err);
        LT_TRY(lt_join_rows_that_match(plan, keys, correlated, delta->count, arena, &rows, &count, err));
        LT_TRY(lt_row_index_find(&self->correlations, keys, correlated, rows, count, self->heads, err));
        for (uint32_t i = 0; i < count; i++) correlations[rows == NULL ? i : rows[i]] = self->heads[i];
    }
    return emit_left(&found, keys, correlations, err);
}

static leat_status join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    return input == 1 ? build(node, delta, batch, err) : probe(node, delta, batch, err);
}

// Right rows that no left row met.
static leat_status join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    join          *self = node->state;
    const lt_plan *plan = node->plan;
    if (!is_padding_right(plan->as.join.type)) return LEAT_OK;
    uint32_t *rows, count = 0;
    LT_TRY_NEW_ARRAY(rows, batch->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t row = 0; row <= self->rows.count; row++) {
        if (count == LT_CHUNK_ROWS_MAX || (row == self->rows.count && count > 0)) {
            lt_chunk out = {.column_count = self->left_width + self->right_width, .count = count};
            LT_TRY_NEW_ARRAY(out.columns, batch->arena, out.column_count + 1u, err);
            for (uint32_t c = 0; c < self->left_width; c++)
                LT_TRY(lt_vector_init_constant_null(&out.columns[c], plan->columns[c].type, batch->arena, err));
            for (uint32_t c = 0; c < self->right_width; c++)
                LT_TRY(lt_row_store_gather_column(&self->rows.columns[c], rows, count, batch->arena,
                                                  &out.columns[self->left_width + c], err));
            LT_TRY(lt_emit_origin(node, &out, batch, err));
            count = 0;
        }
        if (row < self->rows.count && !self->matched[row]) rows[count++] = row;
    }
    return LEAT_OK;
}

static void join_close(lt_node *node) {
    join *self = node->state;
    right_deinit(self);
    lt_evaluator_close(&self->left);
    lt_evaluator_close(&self->right);
    lt_evaluator_close(&self->residual);
    *self = (join){0};
}

const lt_operator_kind lt_operators_join = {
    .name           = "Join",
    .plan_kind      = LT_PLAN_JOIN,
    .state_bytes    = sizeof(join),
    .is_incremental = true,
    .open           = join_open,
    .prepare        = join_prepare,
    .push           = join_push,
    .end_batch      = join_end_batch,
    .close          = join_close,
};
