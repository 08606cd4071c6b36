// sort: keeps the rows of the batch and gives them in order at its end; equal keys keep their order of arrival. For one
// batch: a standing query's ORDER BY is applied when its table is read, other sorts recompute.
//
// Below a LIMIT it keeps the first rows only: every so often the kept rows are sorted and those behind the limit
// forgotten; from then on rows whose first key lies behind that of the last kept one are not taken at all.
// Memory: all rows, or a multiple of the limit. Cost: that of lt_sort_rows.
#include "exec/operator.h"
#include "exec/state/row_store.h"
#include "exec/state/sort_order.h"

enum { FIRST_ROWS_MAX = 1 << 18, CUT_ROWS_MIN = 4 * LT_CHUNK_ROWS_MAX };

typedef struct sort {
    lt_evaluator          evaluator;
    lt_row_store          rows; // input columns, then the keys that are no columns
    const lt_expression **keys;
    uint32_t             *key_columns; // of the store
    const lt_type       **types;       // of the store
    uint32_t              width;
    lt_arena              arena, sorting; // sorting: empty between sorts
    bool                  is_first_rows;  // only the first `first_rows` are wanted
    uint32_t              first_rows;
    // The last of the first rows, once there are so many.
    bool     has_bound, is_bound_null, is_bound_exact;
    uint64_t bound;
} sort;

// How many rows a LIMIT above wants; projections between change nothing about that. -1: all.
static int64_t wanted_rows(const lt_node *node) {
    for (node = node->parent; node != NULL && node->plan->kind == LT_PLAN_PROJECT;) node = node->parent;
    if (node == NULL || node->plan->kind != LT_PLAN_LIMIT) return -1;
    int64_t limit = node->plan->as.limit.limit, offset = node->plan->as.limit.offset;
    return limit < 0 || limit > FIRST_ROWS_MAX || offset > FIRST_ROWS_MAX - limit ? -1 : limit + offset;
}

static leat_status sort_open(lt_node *node, leat_error *err) {
    sort          *self   = node->state;
    const lt_plan *plan   = node->plan;
    int64_t        wanted = node->pipeline->is_standing ? -1 : wanted_rows(node);
    lt_arena_init(&self->arena, node->pipeline->account);
    lt_arena_init(&self->sorting, node->pipeline->account);
    self->is_first_rows = wanted >= 0;
    self->first_rows    = wanted < 0 ? 0 : (uint32_t)wanted;
    LT_TRY_NEW_ARRAY(self->keys, &self->arena, plan->as.sort.key_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->key_columns, &self->arena, plan->as.sort.key_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, plan->column_count + plan->as.sort.key_count + 1u, err);
    self->width = plan->column_count;
    for (uint32_t c = 0; c < plan->column_count; c++) self->types[c] = plan->columns[c].type;
    for (uint32_t k = 0; k < plan->as.sort.key_count; k++) {
        self->keys[k]        = plan->as.sort.keys[k].expression;
        self->key_columns[k] = self->keys[k]->kind == LT_EXPRESSION_COLUMN ? self->keys[k]->column : self->width;
        if (self->key_columns[k] == self->width) self->types[self->width++] = self->keys[k]->type;
    }
    LT_TRY(lt_row_store_init(&self->rows, self->types, self->width, node->pipeline->account, err));
    return lt_evaluator_open(&self->evaluator, self->keys, plan->as.sort.key_count, node->pipeline->evaluation,
                             node->pipeline->account, err);
}

static leat_status sorted_rows(lt_node *node, lt_arena *arena, uint32_t **out_order, leat_error *err) {
    sort             *self = node->state;
    const lt_plan    *plan = node->plan;
    const lt_vector **columns;
    LT_TRY_NEW_ARRAY(*out_order, arena, self->rows.count + 1u, err);
    LT_TRY_NEW_ARRAY(columns, arena, plan->as.sort.key_count + 1u, err);
    for (uint32_t row = 0; row < self->rows.count; row++) (*out_order)[row] = row;
    for (uint32_t k = 0; k < plan->as.sort.key_count; k++) columns[k] = &self->rows.columns[self->key_columns[k]];
    return lt_sort_rows(columns, plan->as.sort.keys, plan->as.sort.key_count, *out_order, self->rows.count,
                        &self->sorting, err);
}

// Keeps the first rows alone, in order: of equal keys the earlier row then still comes first.
static leat_status cut_rows(lt_node *node, lt_arena *scratch, leat_error *err) {
    sort        *self = node->state;
    lt_row_store kept;
    uint32_t    *order;
    uint32_t     count  = self->rows.count < self->first_rows ? self->rows.count : self->first_rows;
    leat_status  status = lt_row_store_init(&kept, self->types, self->width, node->pipeline->account, err);
    if (status == LEAT_OK) status = sorted_rows(node, &self->sorting, &order, err);
    for (uint32_t first = 0; status == LEAT_OK && first < count; first += LT_CHUNK_ROWS_MAX) {
        lt_chunk part;
        status = lt_row_store_gather(&self->rows, order + first,
                                     count - first < LT_CHUNK_ROWS_MAX ? count - first : LT_CHUNK_ROWS_MAX, scratch,
                                     &part, err);
        if (status == LEAT_OK) status = lt_row_store_append(&kept, &part, err);
    }
    lt_arena_deinit(&self->sorting);
    if (status != LEAT_OK) {
        lt_row_store_deinit(&kept);
        return status;
    }
    lt_row_store_deinit(&self->rows);
    self->rows               = kept;
    const lt_sort_key *key   = &node->plan->as.sort.keys[0];
    const lt_vector   *first = &self->rows.columns[self->key_columns[0]];
    uint32_t           last  = count - 1;
    self->has_bound          = count == self->first_rows && lt_sort_has_prefix(first->type->kind);
    if (!self->has_bound) return LEAT_OK;
    self->is_bound_null = lt_vector_is_null(first, last);
    if (!self->is_bound_null) lt_sort_prefixes(first, key->is_descending, &last, 1, 0, &self->bound, 1);
    self->is_bound_exact = self->is_bound_null || lt_sort_is_exact(first->type->kind, key->is_descending, self->bound);
    return LEAT_OK;
}

// Rows whose first key may come before that of the last kept row. A row that equals it in all keys came later.
static leat_status rows_before_bound(const lt_node *node, const lt_vector *key, uint32_t count, lt_arena *arena,
                                     uint16_t *out_rows, uint32_t *out_count, leat_error *err) {
    const sort        *self           = node->state;
    const lt_sort_key *direction      = &node->plan->as.sort.keys[0];
    bool               is_equal_taken = node->plan->as.sort.key_count > 1 || !self->is_bound_exact;
    // Beside a NULL bound a value comes either before it or behind it; so does a NULL beside another bound.
    bool      takes_nulls = self->is_bound_null ? is_equal_taken : direction->is_nulls_first;
    uint64_t  limit       = self->bound;
    bool      takes_limit = is_equal_taken, takes_values = !self->is_bound_null || !direction->is_nulls_first;
    uint32_t  kept     = 0;
    uint64_t *prefixes = lt_arena_alloc(arena, sizeof *prefixes * (count + 1u));
    if (prefixes == NULL) return lt_raise_no_memory(err);
    lt_sort_prefixes(key, direction->is_descending, NULL, count, 0, prefixes, 1);
    if (self->is_bound_null) {
        limit       = UINT64_MAX;
        takes_limit = true;
    }
    if (key->validity == NULL) {
        for (uint32_t row = 0; takes_values && row < count; row++) {
            out_rows[kept] = (uint16_t)row;
            kept += (prefixes[row] < limit) | (takes_limit & (prefixes[row] == limit));
        }
    } else {
        for (uint32_t row = 0; row < count; row++) {
            bool is_before = (prefixes[row] < limit) | (takes_limit & (prefixes[row] == limit));
            out_rows[kept] = (uint16_t)row;
            kept += lt_vector_is_null(key, row) ? takes_nulls : takes_values & is_before;
        }
    }
    *out_count = kept;
    return LEAT_OK;
}

static leat_status sort_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)input;
    sort          *self = node->state;
    const lt_plan *plan = node->plan;
    lt_chunk       wide = *delta;
    wide.column_count   = self->width;
    LT_TRY_NEW_ARRAY(wide.columns, batch->scratch, wide.column_count + 1u, err);
    memcpy(wide.columns, delta->columns, sizeof *wide.columns * plan->column_count);
    for (uint32_t k = 0; k < plan->as.sort.key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&self->evaluator, self->keys[k], delta, NULL, batch->scratch, &key, err));
        wide.columns[self->key_columns[k]] = *key;
    }
    if (self->is_first_rows && self->first_rows == 0) return LEAT_OK;
    if (self->has_bound) {
        uint16_t *rows;
        uint32_t  count;
        lt_chunk  kept;
        LT_TRY_NEW_ARRAY(rows, batch->scratch, delta->count + 1u, err);
        LT_TRY(rows_before_bound(node, &wide.columns[self->key_columns[0]], delta->count, batch->scratch, rows, &count,
                                 err));
        if (count == 0) return LEAT_OK;
        LT_TRY(lt_chunk_gather(&wide, rows, count, batch->scratch, &kept, err));
        LT_TRY(lt_row_store_append(&self->rows, &kept, err));
    } else {
        LT_TRY(lt_row_store_append(&self->rows, &wide, err));
    }
    if (self->is_first_rows && self->rows.count / 4 >= self->first_rows && self->rows.count >= CUT_ROWS_MIN)
        return cut_rows(node, batch->scratch, err);
    return LEAT_OK;
}

static leat_status sort_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    sort          *self = node->state;
    const lt_plan *plan = node->plan;
    uint32_t      *order;
    LT_TRY(sorted_rows(node, &self->arena, &order, err));
    lt_arena_deinit(&self->sorting);
    for (uint32_t first = 0; first < self->rows.count && !lt_node_is_satisfied(node); first += LT_CHUNK_ROWS_MAX) {
        uint32_t left = self->rows.count - first;
        lt_chunk out;
        LT_TRY(lt_row_store_gather(&self->rows, order + first, left < LT_CHUNK_ROWS_MAX ? left : LT_CHUNK_ROWS_MAX,
                                   batch->scratch, &out, err));
        out.column_count = plan->column_count;
        out.places       = NULL; // the order of rows is the order now
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static void sort_close(lt_node *node) {
    sort *self = node->state;
    lt_row_store_deinit(&self->rows);
    lt_evaluator_close(&self->evaluator);
    lt_arena_deinit(&self->sorting);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_sort = {
    .name        = "Sort",
    .plan_kind   = LT_PLAN_SORT,
    .state_bytes = sizeof(sort),
    .open        = sort_open,
    .push        = sort_push,
    .end_batch   = sort_end_batch,
    .close       = sort_close,
};
