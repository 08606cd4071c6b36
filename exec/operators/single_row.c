// single_row: exactly one row, for scalar sub-queries: NULLs when there is none, an error when there are two. In a
// standing query it keeps the rows that are there, and a batch that leaves another one takes the old row back.
#include "exec/operator.h"
#include "exec/state/row_set.h"

typedef struct single_row {
    const lt_type **types;
    lt_row_set      rows;  // that are there
    lt_buffer       given; // the row that the parent has
    lt_buffer       scratch, changes;
    int64_t         next_place;
    bool            is_given, is_changed;
} single_row;

static leat_status single_row_open(lt_node *node, leat_error *err) {
    single_row *self    = node->state;
    lt_account *account = node->pipeline->account;
    lt_row_set_init(&self->rows, account, true);
    lt_buffer_init(&self->given, account, 0);
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->changes, account, 0);
    LT_TRY_NEW_ARRAY(self->types, &node->pipeline->arena, node->plan->column_count + 1u, err);
    for (uint32_t c = 0; c < node->plan->column_count; c++) self->types[c] = node->plan->columns[c].type;
    return LEAT_OK;
}

static leat_status too_many(const lt_node *node, leat_error *err) {
    return lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &node->plan->place,
                    "a scalar sub-query gave more than one row");
}

// One batch alone ends at the second row; in a standing query rows may come before others go.
static leat_status single_row_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                   leat_error *err) {
    (void)input, (void)batch;
    single_row *self = node->state;
    self->is_changed = true;
    LT_TRY(lt_row_set_add_chunk(&self->rows, delta, &self->next_place, &self->scratch, err));
    return !node->pipeline->is_standing && self->rows.total_weight > 1 ? too_many(node, err) : LEAT_OK;
}

static leat_status row_emit(lt_node *node, const char *bytes, size_t count, int64_t weight, lt_batch *batch,
                            leat_error *err) {
    single_row *self = node->state;
    lt_chunk    out;
    LT_TRY(lt_chunk_init(&out, self->types, node->plan->column_count, 1, batch->scratch, err));
    LT_TRY(lt_row_decode(bytes, count, out.columns, out.column_count, batch->scratch, err));
    out.count   = 1;
    out.weights = weight == 1 ? NULL : &weight;
    return lt_emit_origin(node, &out, batch, err);
}

// The row that is there, or NULLs.
static leat_status row_encode(lt_node *node, lt_arena *arena, lt_buffer *out, leat_error *err) {
    single_row *self = node->state;
    lt_buffer_reset(out);
    for (uint32_t number = 0; number < self->rows.row_count; number++) {
        const lt_row_set_row row = lt_row_set_at(&self->rows, number);
        if (row.weight > 0) return lt_buffer_append(out, row.bytes, row.count, err);
    }
    lt_vector *nulls;
    LT_TRY_NEW_ARRAY(nulls, arena, node->plan->column_count + 1u, err);
    for (uint32_t c = 0; c < node->plan->column_count; c++)
        LT_TRY(lt_vector_init_constant_null(&nulls[c], self->types[c], arena, err));
    return lt_row_encode(nulls, node->plan->column_count, 0, false, out, err);
}

static bool is_given_row(const single_row *self) {
    return self->given.bytes == self->scratch.bytes &&
           (self->given.bytes == 0 || memcmp(self->given.data, self->scratch.data, self->given.bytes) == 0);
}

static leat_status row_save(const single_row *self, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, self->rows.total_weight > 0, err));
    return lt_buffer_append_bytes(out, self->given.data, self->given.bytes, err);
}

static leat_status single_row_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    single_row *self = node->state;
    if (self->rows.total_weight > 1) return too_many(node, err);
    if (self->is_given && !self->is_changed) return LEAT_OK;
    self->is_changed = false;
    LT_TRY(row_encode(node, batch->scratch, &self->scratch, err));
    lt_arena_reset(batch->scratch);
    if (!self->is_given || !is_given_row(self)) {
        if (self->is_given) LT_TRY(row_emit(node, self->given.data, self->given.bytes, -1, batch, err));
        LT_TRY(row_emit(node, self->scratch.data, self->scratch.bytes, 1, batch, err));
        lt_buffer_reset(&self->given);
        LT_TRY(lt_buffer_append(&self->given, self->scratch.data, self->scratch.bytes, err));
        self->is_given = true;
    }
    lt_buffer_reset(&self->changes);
    return node->pipeline->with_state ? row_save(self, &self->changes, err) : LEAT_OK;
}

// Whole, it is one row.
static leat_status single_row_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    single_row *self = node->state;
    if (is_full && self->is_given) LT_TRY(row_save(self, out, err));
    if (!is_full) LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

static leat_status single_row_load(lt_node *node, lt_reader *in, leat_error *err) {
    single_row *self = node->state;
    uint8_t     has_row;
    const char *bytes;
    size_t      count;
    LT_TRY(lt_reader_u8(in, &has_row, err));
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    self->is_given = true;
    lt_buffer_reset(&self->given);
    LT_TRY(lt_buffer_append(&self->given, bytes, count, err));
    lt_row_set_reset(&self->rows);
    return has_row ? lt_row_set_add(&self->rows, bytes, count, 1, 0, NULL, err) : LEAT_OK;
}

static lt_state_size single_row_size(const lt_node *node) {
    const single_row *self = node->state;
    return (lt_state_size){.rows = self->rows.live_rows, .bytes = self->rows.live_bytes + self->given.bytes};
}

static void single_row_close(lt_node *node) {
    single_row *self = node->state;
    lt_row_set_deinit(&self->rows);
    lt_buffer_deinit(&self->given);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
}

const lt_operator_kind lt_operators_single_row = {
    .name           = "SingleRow",
    .plan_kind      = LT_PLAN_SINGLE_ROW,
    .state_bytes    = sizeof(single_row),
    .is_incremental = true,
    .open           = single_row_open,
    .push           = single_row_push,
    .end_batch      = single_row_end_batch,
    .save           = single_row_save,
    .load           = single_row_load,
    .size           = single_row_size,
    .state_name     = "singleRow",
    .close          = single_row_close,
};
