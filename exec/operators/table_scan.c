// table_scan: the rows of a relation as of the start of the batch. In a plan that follows changes of the relation
// (properties.is_streaming) it keeps the rows it gave and gives the difference: of a relation that only grew, or that
// knows its newest changes, without reading the old rows again. Else it gives them once.
#include "exec/recompute.h"

typedef struct table_scan {
    lt_row_set given;   // what the parent has
    lt_row_set present; // what is read now
    lt_buffer  scratch, changes;
    lt_row_set touched, before;    // rows of changes that are read now, and those that were there before
    uint64_t   version, row_count; // of the relation when it was last read
    uint64_t   position;           // of its newest change then; 0: never read
    bool       is_given, is_reading, is_appending, is_following;
    int64_t    next_place;
} table_scan;

static leat_status table_scan_open(lt_node *node, leat_error *err) {
    (void)err;
    table_scan *self = node->state;
    lt_row_set_init(&self->given, node->pipeline->account, true);
    lt_row_set_init(&self->present, node->pipeline->account, true);
    lt_row_set_init(&self->touched, node->pipeline->account, true);
    lt_row_set_init(&self->before, node->pipeline->account, true);
    lt_buffer_init(&self->scratch, node->pipeline->account, 0);
    lt_buffer_init(&self->changes, node->pipeline->account, 0);
    return LEAT_OK;
}

static bool is_followed(const lt_node *node) {
    return node->pipeline->is_standing && node->plan->properties.is_streaming;
}

static leat_status change_note(lt_node *node, const lt_row_set_row *row, int64_t weight, leat_error *err) {
    table_scan *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    LT_TRY(lt_buffer_append_bytes(&self->changes, row->bytes, row->count, err));
    LT_TRY(lt_buffer_append_u64(&self->changes, (uint64_t)weight, err));
    return lt_buffer_append_u64(&self->changes, (uint64_t)row->place, err);
}

static leat_status types_of(const lt_node *node, lt_arena *arena, const lt_type ***out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, arena, node->plan->column_count + 1u, err);
    for (uint32_t c = 0; c < node->plan->column_count; c++) (*out)[c] = node->plan->columns[c].type;
    return LEAT_OK;
}

// Changes on their way into the rows that were given; each touched row is noted once, as it was before.
static leat_status follow_chunk(table_scan *self, const lt_chunk *changes, leat_error *err) {
    for (uint32_t row = 0; row < changes->count; row++) {
        lt_row_set_row there;
        lt_buffer_reset(&self->scratch);
        LT_TRY(lt_row_encode(changes->columns, changes->column_count, row, false, &self->scratch, err));
        const char  *bytes = self->scratch.data;
        const size_t count = self->scratch.bytes;
        if (lt_row_set_weight(&self->touched, bytes, count) == 0) {
            LT_TRY(lt_row_set_add(&self->touched, bytes, count, 1, row, NULL, err));
            if (lt_row_set_find(&self->given, bytes, count, &there))
                LT_TRY(lt_row_set_add(&self->before, bytes, count, there.weight, there.place, NULL, err));
        }
        LT_TRY(lt_row_set_add(&self->given, bytes, count, changes->weights[row], changes->places[row], NULL, err));
    }
    return LEAT_OK;
}

// The difference that the relation's newest changes make, if it knows them.
static leat_status follow(lt_node *node, lt_batch *batch, bool *out_is_known, leat_error *err) {
    table_scan     *self     = node->state;
    lt_pipeline    *pipeline = node->pipeline;
    const lt_type **types;
    *out_is_known = false;
    if (pipeline->read_changes == NULL) return LEAT_OK;
    if (!self->is_given) self->position = 0;
    self->is_following = true;
    leat_status status = pipeline->read_changes(pipeline->user, node, &self->position, out_is_known, batch, err);
    self->is_following = false;
    if (status != LEAT_OK || !*out_is_known) return status;
    for (uint32_t number = 0; number < self->touched.row_count; number++) {
        const lt_row_set_row row = lt_row_set_at(&self->touched, number);
        lt_row_set_row       there;
        if (row.weight > 0 && lt_row_set_find(&self->given, row.bytes, row.count, &there))
            LT_TRY(lt_row_set_add(&self->present, row.bytes, row.count, there.weight, there.place, NULL, err));
    }
    LT_TRY(types_of(node, batch->arena, &types, err));
    LT_TRY(lt_emit_difference(node, &self->before, &self->present, types, batch, change_note, err));
    lt_row_set_reset(&self->touched);
    lt_row_set_reset(&self->before);
    return LEAT_OK;
}

static leat_status table_scan_produce(lt_node *node, lt_batch *batch, leat_error *err) {
    table_scan  *self     = node->state;
    lt_pipeline *pipeline = node->pipeline;
    if (!is_followed(node)) {
        if (self->is_given && pipeline->is_standing) return LEAT_OK;
        self->is_given = true;
        return pipeline->read_table(pipeline->user, node, batch, err);
    }
    const struct lt_catalog_entry *relation = node->plan->as.scan.relation;
    uint64_t                       version = pipeline->table_version(pipeline->user, relation), row_count = 0;
    bool                           is_known;
    if (self->is_given && version == self->version) return LEAT_OK;
    LT_TRY(follow(node, batch, &is_known, err));
    if (is_known) {
        self->version = version;
        return LEAT_OK;
    }
    bool has_count =
        pipeline->table_has_grown != NULL &&
        pipeline->table_has_grown(pipeline->user, relation, self->is_given ? self->version : version, &row_count);
    self->is_appending        = has_count && self->is_given && self->row_count > 0;
    self->is_reading          = !self->is_appending;
    leat_status status        = pipeline->read_table(pipeline->user, node, batch, err);
    bool        is_difference = self->is_reading;
    self->is_reading = self->is_appending = false;
    LT_TRY(status);
    self->is_given  = true;
    self->version   = version;
    self->row_count = has_count ? row_count : 0;
    if (!is_difference) return LEAT_OK;
    const lt_type **types;
    LT_TRY(types_of(node, batch->arena, &types, err));
    return lt_emit_difference(node, &self->given, &self->present, types, batch, change_note, err);
}

bool lt_table_scan_is_followed(const lt_node *node) {
    return node->plan->kind == LT_PLAN_TABLE_SCAN && is_followed(node);
}

uint64_t lt_table_scan_first_row(const lt_node *node) {
    const table_scan *self = node->plan->kind == LT_PLAN_TABLE_SCAN ? node->state : NULL;
    return self != NULL && self->is_appending ? self->row_count : 0;
}

bool lt_table_scan_is_stale(const lt_node *node) {
    const table_scan  *self     = node->state;
    const lt_pipeline *pipeline = node->pipeline;
    return !self->is_given || pipeline->table_version(pipeline->user, node->plan->as.scan.relation) != self->version;
}

// Rows behind those that were given go on their way at once. A row that is equal to an earlier one has its place, as in
// the difference between two readings: so the parent sees the same whatever the appends are cut into.
static leat_status give_appended(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    table_scan *self = node->state;
    lt_chunk    out  = *chunk;
    int64_t    *places;
    LT_TRY_NEW_ARRAY(places, batch->scratch, chunk->count + 1u, err);
    for (uint32_t row = 0; row < chunk->count; row++) {
        int64_t weight = 0;
        lt_buffer_reset(&self->scratch);
        LT_TRY(lt_row_encode(chunk->columns, chunk->column_count, row, false, &self->scratch, err));
        places[row] = chunk->places != NULL ? chunk->places[row] : self->next_place++;
        LT_TRY(lt_row_set_add(&self->given, self->scratch.data, self->scratch.bytes, 1, places[row], &weight, err));
        lt_row_set_row equal;
        if (weight > 1 && lt_row_set_find(&self->given, self->scratch.data, self->scratch.bytes, &equal))
            places[row] = equal.place;
        lt_row_set_row added = {
            .bytes = self->scratch.data, .count = (uint32_t)self->scratch.bytes, .place = places[row]};
        LT_TRY(change_note(node, &added, 1, err));
    }
    out.places = places;
    return lt_emit_origin(node, &out, batch, err);
}

// Rows that read_table gives: kept for the comparison, or on their way.
leat_status lt_table_scan_give(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    table_scan *self = node->state;
    if (self->is_following) return follow_chunk(self, chunk, err);
    if (self->is_appending) return give_appended(node, chunk, batch, err);
    if (!self->is_reading) return lt_emit_origin(node, chunk, batch, err);
    return lt_row_set_add_chunk(&self->present, chunk, &self->next_place, &self->scratch, err);
}

static leat_status table_scan_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    table_scan *self = node->state;
    if (!is_followed(node)) return self->is_given ? lt_buffer_append_u8(out, 1, err) : LEAT_OK;
    if (!is_full) {
        LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
        lt_buffer_reset(&self->changes);
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < self->given.row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(&self->given, i);
        if (row.weight == 0) continue;
        LT_TRY(lt_buffer_append_bytes(out, row.bytes, row.count, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)row.weight, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)row.place, err));
    }
    return LEAT_OK;
}

static leat_status table_scan_load(lt_node *node, lt_reader *in, leat_error *err) {
    table_scan *self = node->state;
    const char *bytes;
    size_t      count;
    uint64_t    weight, place;
    uint8_t     is_given;
    if (!is_followed(node)) {
        LT_TRY(lt_reader_u8(in, &is_given, err));
        self->is_given = is_given != 0;
        return LEAT_OK;
    }
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    return lt_row_set_add(&self->given, bytes, count, (int64_t)weight, (int64_t)place, NULL, err);
}

static void table_scan_close(lt_node *node) {
    table_scan *self = node->state;
    lt_row_set_deinit(&self->given);
    lt_row_set_deinit(&self->present);
    lt_row_set_deinit(&self->touched);
    lt_row_set_deinit(&self->before);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
}

const lt_operator_kind lt_operators_table_scan = {
    .name           = "TableScan",
    .plan_kind      = LT_PLAN_TABLE_SCAN,
    .state_bytes    = sizeof(table_scan),
    .is_incremental = true,
    .open           = table_scan_open,
    .produce        = table_scan_produce,
    .save           = table_scan_save,
    .load           = table_scan_load,
    .close          = table_scan_close,
};
