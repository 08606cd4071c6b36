// recompute: runs an operator that handles one batch inside a standing query. It keeps the operator's inputs as rows
// with weights, runs the operator over all of them whenever a batch changed one, and lets out the difference to what it
// gave before. So every query is right first; each operator that learns deltas leaves this path. Cost O(inputs) per
// changed batch.
//
// A LIMIT over an ORDER BY (with projections and filters between) is one fragment: the rows are kept below the sort and
// the whole fragment runs over them, since a set of rows with weights does not tell in which order its rows stand. A
// recursion is a plan of its own over its inputs (planner/recursion_cut.h).
#include "exec/recompute.h"

typedef struct recompute {
    const lt_plan   *bottom; // lowest node of the fragment; the node's own plan if it stands alone
    lt_row_set      *inputs;
    int64_t         *next_places;
    lt_row_set       given, present;
    lt_buffer        scratch, changes;
    bool             is_changed;
    int64_t          next_place; // of the present output
    const lt_type ***types;      // by input
    const lt_type  **output_types;
} recompute;

const lt_plan *lt_recompute_bottom(const lt_plan *plan) {
    if (plan->kind != LT_PLAN_LIMIT) return plan;
    for (const lt_plan *node = plan->inputs[0];; node = node->inputs[0]) {
        if (node->kind == LT_PLAN_SORT) return node;
        if (node->kind != LT_PLAN_PROJECT && node->kind != LT_PLAN_FILTER && node->kind != LT_PLAN_LIMIT) return plan;
    }
}

static leat_status types_of(const lt_plan *plan, lt_arena *arena, const lt_type ***out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) (*out)[c] = plan->columns[c].type;
    return LEAT_OK;
}

static leat_status recompute_open(lt_node *node, leat_error *err) {
    recompute  *self    = node->state;
    lt_account *account = node->pipeline->account;
    lt_arena   *arena   = &node->pipeline->arena;
    self->bottom        = lt_recompute_bottom(node->plan);
    LT_TRY_NEW_ARRAY(self->inputs, arena, self->bottom->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->next_places, arena, self->bottom->input_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->types, arena, self->bottom->input_count + 1u, err);
    for (uint32_t i = 0; i < self->bottom->input_count; i++) {
        lt_row_set_init(&self->inputs[i], account, true);
        LT_TRY(types_of(self->bottom->inputs[i], arena, &self->types[i], err));
    }
    LT_TRY(types_of(node->plan, arena, &self->output_types, err));
    lt_row_set_init(&self->given, account, true);
    lt_row_set_init(&self->present, account, true);
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->changes, account, 0);
    self->is_changed = true;
    return LEAT_OK;
}

// A change of input or output: number of the set (inputs first, then the output), row, weight, place.
static leat_status change_write(lt_buffer *out, uint32_t set, const char *bytes, size_t count, int64_t weight,
                                int64_t place, leat_error *err) {
    LT_TRY(lt_buffer_append_u32(out, set, err));
    LT_TRY(lt_buffer_append_bytes(out, bytes, count, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)weight, err));
    return lt_buffer_append_u64(out, (uint64_t)place, err);
}

static leat_status recompute_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)batch;
    recompute *self  = node->state;
    self->is_changed = true;
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t place = delta->places != NULL ? delta->places[row] : self->next_places[input]++;
        lt_buffer_reset(&self->scratch);
        LT_TRY(lt_row_encode(delta->columns, delta->column_count, row, false, &self->scratch, err));
        LT_TRY(lt_row_set_add(&self->inputs[input], self->scratch.data, self->scratch.bytes,
                              lt_chunk_weight(delta, row), place, NULL, err));
        if (node->pipeline->with_state)
            LT_TRY(change_write(&self->changes, input, self->scratch.data, self->scratch.bytes,
                                lt_chunk_weight(delta, row), place, err));
    }
    return LEAT_OK;
}

static leat_status output_keep(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    (void)batch;
    recompute *self = user;
    lt_chunk   rows = *delta;
    rows.places     = NULL; // the order of the output is its place
    return lt_row_set_add_chunk(&self->present, &rows, &self->next_place, &self->scratch, err);
}

static leat_status input_give(lt_node *inner, uint32_t input, recompute *self, lt_batch *batch, leat_error *err) {
    lt_row_set_cursor cursor;
    LT_TRY(lt_row_set_open_cursor(&self->inputs[input], &cursor, err));
    for (;;) {
        lt_chunk chunk;
        LT_TRY(lt_row_set_next(&self->inputs[input], &cursor, self->types[input],
                               inner->plan->inputs[input]->column_count, true, batch->scratch, &chunk, err));
        if (chunk.count == 0) return LEAT_OK;
        LT_TRY(inner->kind->push(inner, input, &chunk, batch, err));
        lt_arena_reset(batch->scratch);
    }
}

// Opens the fragment from the top to its bottom, a chain of nodes.
static leat_status fragment_open(const lt_node *node, lt_pipeline *pipeline, const lt_plan *bottom, lt_node **out_top,
                                 lt_node **out_bottom, leat_error *err) {
    *out_top = *out_bottom = NULL;
    for (const lt_plan *plan = node->plan;; plan = plan->inputs[0]) {
        const lt_operator_kind *kind = lt_operator_of(plan);
        lt_node                *inner;
        LT_TRY_NEW(inner, &pipeline->arena, err);
        *inner       = (lt_node){.kind           = kind,
                                 .plan           = plan,
                                 .pipeline       = pipeline,
                                 .parent         = *out_bottom,
                                 .watermark_mask = node->watermark_mask,
                                 .is_fresh       = true};
        inner->state = lt_arena_zero(&pipeline->arena, kind->state_bytes + 1);
        if (inner->state == NULL) return lt_raise_no_memory(err);
        if (*out_top == NULL) *out_top = inner;
        *out_bottom    = inner;
        inner->is_open = true;
        if (kind->open != NULL) LT_TRY(kind->open(inner, err));
        if (plan == bottom) return LEAT_OK;
    }
}

// The rows of an input for a scan of the plan that a recursion became.
static leat_status scan_give(void *user, lt_node *scan, lt_batch *batch, leat_error *err) {
    recompute        *self  = user;
    const uint32_t    input = scan->plan->as.scan.source;
    lt_row_set_cursor cursor;
    LT_TRY(lt_row_set_open_cursor(&self->inputs[input], &cursor, err));
    for (;;) {
        lt_chunk chunk;
        LT_TRY(lt_row_set_next(&self->inputs[input], &cursor, self->types[input], scan->plan->column_count, true,
                               batch->scratch, &chunk, err));
        if (chunk.count == 0) return LEAT_OK;
        LT_TRY(lt_table_scan_give(scan, &chunk, batch, err));
    }
}

static leat_status whole_run(lt_node *node, const lt_query_plan *plan, lt_batch *batch, leat_error *err) {
    lt_pipeline pipeline = {.account    = node->pipeline->account,
                            .evaluation = node->pipeline->evaluation,
                            .give       = output_keep,
                            .read_table = scan_give,
                            .user       = node->state};
    leat_status status   = lt_pipeline_open(&pipeline, plan, err);
    if (status == LEAT_OK) status = lt_pipeline_run(&pipeline, batch, err);
    lt_pipeline_close(&pipeline);
    return status;
}

static leat_status inner_run(lt_node *node, lt_batch *batch, leat_error *err) {
    if (node->plan->kind == LT_PLAN_RECURSION) return whole_run(node, node->plan->as.recursion.whole, batch, err);
    recompute  *self     = node->state;
    lt_pipeline pipeline = {.account    = node->pipeline->account,
                            .evaluation = node->pipeline->evaluation,
                            .give       = output_keep,
                            .user       = self};
    lt_node    *top, *bottom;
    lt_arena_init(&pipeline.arena, pipeline.account);
    leat_status status = fragment_open(node, &pipeline, self->bottom, &top, &bottom, err);
    uint32_t    count  = self->bottom->input_count;
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++)
        status = input_give(bottom, lt_plan_kind_joins(self->bottom->kind) ? count - 1 - i : i, self, batch, err);
    for (lt_node *inner = bottom; status == LEAT_OK && inner != NULL; inner = inner->parent)
        if (inner->kind->end_batch != NULL) status = inner->kind->end_batch(inner, batch, err);
    for (lt_node *inner = bottom; inner != NULL; inner = inner->parent)
        if (inner->is_open && inner->kind->close != NULL) inner->kind->close(inner);
    lt_arena_deinit(&pipeline.arena);
    return status;
}

typedef struct difference {
    lt_node              *node;
    lt_batch             *batch;
    const lt_type *const *types;
    lt_chunk              chunk;
    int64_t              *weights, *places;
} difference;

enum { DIFFERENCE_ROWS = 512 };

static leat_status difference_begin(difference *self, leat_error *err) {
    LT_TRY(lt_chunk_init(&self->chunk, self->types, self->node->plan->column_count, DIFFERENCE_ROWS,
                         self->batch->scratch, err));
    LT_TRY_NEW_ARRAY(self->weights, self->batch->scratch, DIFFERENCE_ROWS, err);
    LT_TRY_NEW_ARRAY(self->places, self->batch->scratch, DIFFERENCE_ROWS, err);
    self->chunk.weights = self->weights;
    self->chunk.places  = self->places;
    return LEAT_OK;
}

static leat_status difference_send(difference *self, leat_error *err) {
    bool has_minus = false;
    for (uint32_t i = 0; i < self->chunk.count; i++) has_minus |= self->weights[i] != 1;
    if (!has_minus) self->chunk.weights = NULL;
    LT_TRY(lt_emit_origin(self->node, &self->chunk, self->batch, err));
    return difference_begin(self, err);
}

leat_status
lt_emit_difference(lt_node *node, lt_row_set *given, lt_row_set *present, const lt_type *const *types, lt_batch *batch,
                   leat_status (*note)(lt_node *node, const lt_row_set_row *row, int64_t weight, leat_error *err),
                   leat_error *err) {
    difference self = {.node = node, .batch = batch, .types = types};
    LT_TRY(difference_begin(&self, err));
    for (int pass = 0; pass < 2; pass++) { // what goes, then what comes
        lt_row_set     *from = pass == 0 ? given : present, *against = pass == 0 ? present : given;
        const uint32_t *order;
        uint32_t        count;
        LT_TRY(lt_row_set_order(from, &order, &count, err));
        for (uint32_t i = 0; i < count; i++) {
            const lt_row_set_row row  = lt_row_set_at(from, lt_row_set_number(order, i));
            int64_t              more = 0;
            if (row.weight > 0) more = row.weight - lt_row_set_weight(against, row.bytes, row.count);
            if (more <= 0) continue;
            if (note != NULL) LT_TRY(note(node, &row, pass == 0 ? -more : more, err));
            LT_TRY(
                lt_row_decode(row.bytes, row.count, self.chunk.columns, self.chunk.column_count, batch->scratch, err));
            self.weights[self.chunk.count]  = pass == 0 ? -more : more;
            self.places[self.chunk.count++] = row.place;
            if (self.chunk.count == DIFFERENCE_ROWS) LT_TRY(difference_send(&self, err));
        }
    }
    LT_TRY(lt_emit_origin(node, &self.chunk, batch, err));
    lt_row_set old = *given;
    *given         = *present;
    *present       = old;
    lt_row_set_reset(present);
    return LEAT_OK;
}

static leat_status output_note(lt_node *node, const lt_row_set_row *row, int64_t weight, leat_error *err) {
    recompute *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    return change_write(&self->changes, self->bottom->input_count, row->bytes, row->count, weight, row->place, err);
}

static leat_status recompute_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    recompute *self = node->state;
    if (!self->is_changed) return LEAT_OK;
    self->next_place = 0;
    LT_TRY(inner_run(node, batch, err));
    self->is_changed = false;
    return lt_emit_difference(node, &self->given, &self->present, self->output_types, batch, output_note, err);
}

static leat_status set_write(const lt_row_set *set, uint32_t number, lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < set->row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(set, i);
        if (row.weight != 0) LT_TRY(change_write(out, number, row.bytes, row.count, row.weight, row.place, err));
    }
    return LEAT_OK;
}

static leat_status recompute_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    recompute *self = node->state;
    if (!is_full) {
        LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
        lt_buffer_reset(&self->changes);
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < self->bottom->input_count; i++) LT_TRY(set_write(&self->inputs[i], i, out, err));
    return set_write(&self->given, self->bottom->input_count, out, err);
}

static leat_status recompute_load(lt_node *node, lt_reader *in, leat_error *err) {
    recompute  *self = node->state;
    uint32_t    number;
    const char *bytes;
    size_t      count;
    uint64_t    weight, place;
    LT_TRY(lt_reader_u32(in, &number, err));
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    if (number > self->bottom->input_count)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved row names input %u", number);
    self->is_changed = false;
    if (number == self->bottom->input_count)
        return lt_row_set_add(&self->given, bytes, count, (int64_t)weight, (int64_t)place, NULL, err);
    if ((int64_t)place >= self->next_places[number]) self->next_places[number] = (int64_t)place + 1;
    return lt_row_set_add(&self->inputs[number], bytes, count, (int64_t)weight, (int64_t)place, NULL, err);
}

static lt_state_size recompute_size(const lt_node *node) {
    const recompute *self = node->state;
    lt_state_size    size = {.rows = self->given.live_rows, .bytes = self->given.live_bytes};
    for (uint32_t i = 0; i < self->bottom->input_count; i++) {
        size.rows += self->inputs[i].live_rows;
        size.bytes += self->inputs[i].live_bytes;
    }
    return size;
}

static void recompute_close(lt_node *node) {
    recompute *self = node->state;
    for (uint32_t i = 0; self->inputs != NULL && i < self->bottom->input_count; i++)
        if (self->inputs[i].account != NULL) lt_row_set_deinit(&self->inputs[i]);
    if (self->given.account == NULL) return;
    lt_row_set_deinit(&self->given);
    lt_row_set_deinit(&self->present);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
}

const lt_operator_kind lt_operator_recompute = {
    .name           = "Recompute",
    .plan_kind      = LT_PLAN_KIND_COUNT,
    .state_bytes    = sizeof(recompute),
    .is_incremental = true,
    .open           = recompute_open,
    .push           = recompute_push,
    .end_batch      = recompute_end_batch,
    .save           = recompute_save,
    .load           = recompute_load,
    .size           = recompute_size,
    .state_name     = "recompute",
    .close          = recompute_close,
};
