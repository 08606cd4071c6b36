#include "exec/join/sides.h"

enum { PASSED_BYTES = 8 }; // a slot without a row

// --------------------------------------------------------------------------------------------------------------- sides

leat_status lt_join_side_open(lt_join_side *side, lt_node *node, uint32_t number, const lt_expression *const *keys,
                              uint32_t key_count, const lt_chained_use *use, lt_arena *arena, leat_error *err) {
    const lt_plan *input   = node->plan->inputs[number];
    lt_account    *account = node->pipeline->account;
    lt_chained_use whole   = *use;
    *side = (lt_join_side){.keys = keys, .key_count = key_count, .is_static = !input->properties.is_streaming};
    LT_TRY_NEW_ARRAY(side->types, arena, input->column_count + 1u, err);
    for (uint32_t c = 0; c < input->column_count; c++) side->types[c] = input->columns[c].type;
    whole.types      = side->types;
    whole.width      = input->column_count;
    whole.is_growing = use->is_growing && input->properties.is_append_only;
    LT_TRY(lt_chained_rows_init(&side->rows, &whole, account, err));
    return lt_evaluator_open(&side->evaluator, keys, key_count, node->pipeline->evaluation, account, err);
}

void lt_join_side_close(lt_join_side *side) {
    lt_chained_rows_deinit(&side->rows);
    lt_evaluator_close(&side->evaluator);
}

uint32_t lt_join_sides_skip_mask(const lt_join_side sides[2]) {
    uint32_t mask = 0;
    for (uint32_t s = 0; s < 2; s++)
        if (sides[s].is_static && sides[s].is_taken) mask |= 1u << s;
    return mask;
}

bool lt_join_sides_take(lt_join_side sides[2]) {
    const bool are_taken = sides[LT_SIDE_LEFT].is_taken && sides[LT_SIDE_RIGHT].is_taken;
    for (uint32_t s = 0; s < 2; s++) sides[s].is_taken = true;
    return are_taken;
}

void lt_join_sides_count(const lt_join_side sides[2], lt_batch *batch) {
    for (uint32_t s = 0; s < 2; s++) {
        batch->rows_updated += sides[s].rows.changed_count;
        batch->rows_removed += lt_chained_rows_removed(&sides[s].rows);
    }
}

// ---------------------------------------------------------------------------------------------------------------- rows

bool lt_join_has_null(const bool *is_null_safe, const lt_vector *keys, uint32_t first, uint32_t end, uint32_t row) {
    for (uint32_t k = first; k < end; k++)
        if (!is_null_safe[k] && lt_vector_is_null(&keys[k], row)) return true;
    return false;
}

leat_status lt_join_side_keys(lt_join_side *side, const lt_chunk *chunk, lt_arena *arena, lt_vector **out,
                              leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, arena, side->key_count + 1u, err);
    for (uint32_t k = 0; k < side->key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&side->evaluator, side->keys[k], chunk, NULL, arena, &key, err));
        (*out)[k] = *key;
    }
    return LEAT_OK;
}

leat_status lt_join_rows_sort(lt_join_side *side, const lt_chunk *delta, const bool *is_null_safe,
                              uint32_t deciding_count, lt_arena *arena, lt_join_rows *out, leat_error *err) {
    bool has_nulls = false;
    *out           = (lt_join_rows){0};
    LT_TRY(lt_join_side_keys(side, delta, arena, &out->keys, err));
    LT_TRY_NEW_ARRAY(out->meeting, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->lonely, arena, delta->count + 1u, err);
    for (uint32_t k = 0; k < side->key_count; k++)
        has_nulls |= lt_vector_lanes(&out->keys[k])->validity != NULL || out->keys[k].type->kind == LT_VOID;
    for (uint32_t row = 0; row < delta->count; row++) {
        if (has_nulls && lt_join_has_null(is_null_safe, out->keys, 0, deciding_count, row))
            out->lonely[out->lonely_count++] = (uint16_t)row;
        else
            out->meeting[out->meeting_count++] = (uint16_t)row;
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- pairs

leat_status lt_join_pairs_open(lt_join_pairs *self, lt_node *node, lt_join_side *sides, lt_batch *batch,
                               leat_error *err) {
    *self = (lt_join_pairs){.node = node, .batch = batch, .sides = sides};
    for (uint32_t s = 0; s < 2; s++) LT_TRY_NEW_ARRAY(self->slots[s], batch->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->weights, batch->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, batch->arena, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

leat_status lt_join_pairs_gather(const lt_join_pairs *self, lt_chunk *out, leat_error *err) {
    const lt_chained_rows *left = &self->sides[LT_SIDE_LEFT].rows, *right = &self->sides[LT_SIDE_RIGHT].rows;
    lt_arena              *arena = self->batch->scratch;
    *out                         = (lt_chunk){.column_count = left->use.width + right->use.width, .count = self->count};
    LT_TRY_NEW_ARRAY(out->columns, arena, out->column_count + 1u, err);
    LT_TRY(lt_chained_rows_gather(left, self->slots[LT_SIDE_LEFT], self->count, arena, out->columns, err));
    return lt_chained_rows_gather(right, self->slots[LT_SIDE_RIGHT], self->count, arena, out->columns + left->use.width,
                                  err);
}

leat_status lt_join_pairs_give(lt_join_pairs *self, lt_chunk *both, const uint16_t *passed, uint32_t passed_count,
                               leat_error *err) {
    bool      is_growth = true;
    uint16_t *given;
    uint32_t  given_count = 0;
    lt_chunk  out;
    LT_TRY_NEW_ARRAY(given, self->batch->scratch, passed_count + 1u, err);
    for (uint32_t i = 0; i < passed_count; i++) {
        const uint32_t pair = passed == NULL ? i : passed[i];
        if (self->weights[pair] == 0) continue;
        is_growth &= self->weights[pair] == 1;
        self->places[pair]   = lt_chained_rows_place(&self->sides[LT_SIDE_LEFT].rows, self->slots[LT_SIDE_LEFT][pair]);
        given[given_count++] = (uint16_t)pair;
    }
    both->weights = is_growth ? NULL : self->weights;
    both->places  = self->places;
    if (given_count == both->count) return lt_emit_origin(self->node, both, self->batch, err);
    LT_TRY(lt_chunk_gather(both, given, given_count, self->batch->scratch, &out, err));
    return lt_emit_origin(self->node, &out, self->batch, err);
}

// ---------------------------------------------------------------------------------------------------------- save, load

leat_status lt_join_row_save(lt_join_side sides[2], uint32_t number, uint32_t slot, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, LT_JOIN_SAVE_ROW, err));
    LT_TRY(lt_buffer_append_u8(out, (uint8_t)number, err));
    return lt_chained_rows_save(&sides[number].rows, slot, out, err);
}

leat_status lt_join_rows_save(lt_join_side sides[2], uint32_t number, uint32_t *slot, size_t end, size_t *passed_bytes,
                              bool *out_is_done, lt_buffer *out, leat_error *err) {
    const lt_chained_rows *rows = &sides[number].rows;
    *out_is_done                = false;
    for (; *slot < lt_chained_rows_slots(rows); (*slot)++, *passed_bytes += PASSED_BYTES) {
        if (out->bytes + *passed_bytes >= end) return LEAT_OK;
        if (rows->use.is_growing || lt_row_set_at(&rows->set, *slot).weight != 0)
            LT_TRY(lt_join_row_save(sides, number, *slot, out, err));
    }
    *out_is_done = true;
    return LEAT_OK;
}

leat_status lt_join_rows_load(lt_join_side sides[2], lt_reader *in, lt_arena *arena, uint32_t *out_number,
                              lt_chunk *out, leat_error *err) {
    int64_t *weights, *places;
    uint8_t  number;
    LT_TRY(lt_reader_u8(in, &number, err));
    if (number > LT_SIDE_RIGHT || !sides[number].rows.use.keeps_rows)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has rows of another kind");
    const lt_join_side *side = &sides[number];
    LT_TRY(lt_chunk_init(out, side->types, side->rows.use.width, LT_CHUNK_ROWS_MAX, arena, err));
    LT_TRY_NEW_ARRAY(weights, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(places, arena, LT_CHUNK_ROWS_MAX, err);
    out->weights = weights;
    out->places  = places;
    *out_number  = number;
    for (;;) {
        LT_TRY(lt_chained_rows_load(&side->rows, in, out, weights, places, arena, err));
        if (out->count == LT_CHUNK_ROWS_MAX || in->end - in->next < 2 || (uint8_t)in->next[0] != LT_JOIN_SAVE_ROW ||
            (uint8_t)in->next[1] != number)
            return LEAT_OK;
        in->next += 2;
    }
}

leat_status lt_join_counters_save(const lt_join_side sides[2], uint8_t kind, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, kind, err));
    for (uint32_t s = 0; s < 2; s++) {
        LT_TRY(lt_buffer_append_u8(out, sides[s].is_taken, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)sides[s].rows.next_place, err));
    }
    return LEAT_OK;
}

leat_status lt_join_counters_load(lt_join_side sides[2], lt_reader *in, leat_error *err) {
    for (uint32_t s = 0; s < 2; s++) {
        uint8_t  is_taken;
        uint64_t next_place;
        LT_TRY(lt_reader_u8(in, &is_taken, err));
        LT_TRY(lt_reader_u64(in, &next_place, err));
        sides[s].is_taken |= is_taken != 0;
        if ((int64_t)next_place > sides[s].rows.next_place) sides[s].rows.next_place = (int64_t)next_place;
    }
    return LEAT_OK;
}
