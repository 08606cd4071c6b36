#include "exec/join/shapes.h"

#include "base/lanes.h"

static const int64_t PLACE_WITHOUT_LEFT = INT64_C(1) << 62;

bool lt_join_gives_pairs(lt_join_type type) { return type <= LT_JOIN_FULL || type == LT_JOIN_SINGLE; }

bool lt_join_has_shapes(lt_join_type type, uint32_t number) {
    if (type == LT_JOIN_FULL) return true;
    if (number == LT_SIDE_RIGHT) return type == LT_JOIN_RIGHT;
    return type == LT_JOIN_LEFT || type == LT_JOIN_SINGLE || !lt_join_gives_pairs(type);
}

static int64_t place_without_left(int64_t place) {
    return place >= PLACE_WITHOUT_LEFT || place < 0 ? place : PLACE_WITHOUT_LEFT + place;
}

static leat_status other_nulls(const lt_join_side *other, lt_arena *arena, lt_vector *columns, leat_error *err) {
    for (uint32_t c = 0; c < other->rows.use.width; c++)
        LT_TRY(lt_vector_init_constant_null(&columns[c], other->types[c], arena, err));
    return LEAT_OK;
}

// `own`: columns of rows of side `number` with their shapes, none of them hidden; count, weights and places of `out` are
// set.
static leat_status columns_make(const lt_plan *plan, const lt_join_side *sides, uint32_t number, const lt_vector *own,
                                const uint8_t *shapes, lt_arena *arena, lt_chunk *out, leat_error *err) {
    const bool         is_left = number == LT_SIDE_LEFT;
    const uint32_t     width = sides[number].rows.use.width, left_width = sides[LT_SIDE_LEFT].rows.use.width;
    const lt_join_type type = plan->as.join.type;
    out->column_count       = plan->column_count;
    LT_TRY_NEW_ARRAY(out->columns, arena, out->column_count + 1u, err);
    memcpy(out->columns + (is_left ? 0 : left_width), own, sizeof *own * width);
    if (lt_join_gives_pairs(type))
        return other_nulls(&sides[1 - number], arena, out->columns + (is_left ? width : 0), err);
    if (type != LT_JOIN_MARK) return LEAT_OK;
    lt_vector *mark = &out->columns[width];
    LT_TRY(lt_vector_init(mark, lt_type_of(LT_BOOLEAN), out->count, arena, err));
    mark->lanes = out->count;
    for (uint32_t row = 0; row < out->count; row++) {
        LT_LANES(mark, uint8_t)[row] = shapes[row] == LT_SHAPE_TRUE;
        if (shapes[row] == LT_SHAPE_NULL) LT_TRY(lt_vector_set_null(mark, row, arena, err));
    }
    return LEAT_OK;
}

leat_status lt_join_shapes_give_lonely(lt_node *node, lt_join_side *sides, uint32_t number, const lt_chunk *delta,
                                       const lt_join_rows *rows, lt_batch *batch, leat_error *err) {
    lt_arena          *arena = batch->scratch;
    const lt_join_type type  = node->plan->as.join.type;
    lt_chunk           own, out;
    uint8_t           *shapes;
    int64_t           *places;
    if (rows->lonely_count == 0 || !lt_join_has_shapes(type, number) || type == LT_JOIN_SEMI) return LEAT_OK;
    LT_TRY(lt_chunk_gather(delta, rows->lonely, rows->lonely_count, arena, &own, err));
    LT_TRY_NEW_ARRAY(shapes, arena, own.count + 1u, err);
    memset(shapes, LT_SHAPE_FALSE, own.count);
    LT_TRY_NEW_ARRAY(places, arena, own.count + 1u, err);
    for (uint32_t row = 0; row < own.count; row++) {
        places[row] = own.places != NULL ? own.places[row] : sides[number].rows.next_place++;
        if (number == LT_SIDE_RIGHT) places[row] = place_without_left(places[row]);
    }
    out        = own;
    out.places = places;
    LT_TRY(columns_make(node->plan, sides, number, own.columns, shapes, arena, &out, err));
    return lt_emit(node, &out, batch, err);
}

leat_status lt_join_shapes_open(lt_join_shapes *self, lt_node *node, lt_join_side *sides, uint32_t number,
                                lt_batch *batch, leat_error *err) {
    lt_arena *arena = batch->arena;
    *self           = (lt_join_shapes){.node = node, .batch = batch, .sides = sides, .number = number};
    LT_TRY_NEW_ARRAY(self->slots, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->shapes, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->weights, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, arena, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

leat_status lt_join_shapes_flush(lt_join_shapes *self, leat_error *err) {
    const lt_chained_rows *rows      = &self->sides[self->number].rows;
    lt_arena              *arena     = self->batch->scratch;
    lt_chunk               out       = {.count = self->count, .places = self->places};
    bool                   is_growth = true;
    lt_vector             *own;
    if (self->count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < self->count; i++) {
        is_growth &= self->weights[i] == 1;
        self->places[i] = lt_chained_rows_place(rows, self->slots[i]);
        if (self->number == LT_SIDE_RIGHT) self->places[i] = place_without_left(self->places[i]);
    }
    out.weights = is_growth ? NULL : self->weights;
    LT_TRY_NEW_ARRAY(own, arena, rows->use.width + 1u, err);
    LT_TRY(lt_chained_rows_gather(rows, self->slots, self->count, arena, own, err));
    LT_TRY(columns_make(self->node->plan, self->sides, self->number, own, self->shapes, arena, &out, err));
    self->count = 0;
    return lt_emit_origin(self->node, &out, self->batch, err);
}

static leat_status shape_add(lt_join_shapes *self, uint32_t slot, lt_join_shape seen, int64_t weight, leat_error *err) {
    if (seen == LT_SHAPE_HIDDEN || weight == 0) return LEAT_OK;
    if (self->count == LT_CHUNK_ROWS_MAX) LT_TRY(lt_join_shapes_flush(self, err));
    self->slots[self->count]     = slot;
    self->shapes[self->count]    = (uint8_t)seen;
    self->weights[self->count++] = weight;
    return LEAT_OK;
}

leat_status lt_join_shapes_change(lt_join_shapes *self, uint32_t slot, lt_join_shape before, int64_t weight_before,
                                  lt_join_shape now, int64_t weight, leat_error *err) {
    if (before == now) return shape_add(self, slot, now, weight - weight_before, err);
    LT_TRY(shape_add(self, slot, before, -weight_before, err));
    return shape_add(self, slot, now, weight, err);
}
