// shapes: rows of one side of a join that show something beside their pairs, on their way out: with NULLs instead of a
// partner (outer joins), as they are (SEMI, ANTI), with a mark (MARK).
//
// Rows on the right, which have no left row to stand at, come behind all others.
//
// Ownership  lives in the arenas of the batch.    Threads  one at a time.    Errors  LEAT_NO_MEMORY.    Cost  O(1) a row.
#ifndef LT_EXEC_JOIN_SHAPES_H
#define LT_EXEC_JOIN_SHAPES_H

#include "exec/join/sides.h"

typedef enum lt_join_shape {
    LT_SHAPE_HIDDEN,
    LT_SHAPE_SHOWN,
    LT_SHAPE_FALSE, // marks
    LT_SHAPE_TRUE,
    LT_SHAPE_NULL
} lt_join_shape;

typedef struct lt_join_shapes {
    lt_node      *node; // of a join
    lt_batch     *batch;
    lt_join_side *sides;
    uint32_t      number; // side
    uint32_t     *slots;
    uint8_t      *shapes;
    int64_t      *weights, *places;
    uint32_t      count;
} lt_join_shapes;

// Whether a join gives pairs; else left rows alone.
bool lt_join_gives_pairs(lt_join_type type);
// Whether rows of side `number` show something beside their pairs.
bool        lt_join_has_shapes(lt_join_type type, uint32_t number);
leat_status lt_join_shapes_open(lt_join_shapes *self, lt_node *node, lt_join_side *sides, uint32_t number,
                                lt_batch *batch, leat_error *err);
// A row that showed `before` with a weight, and now shows something else with another.
leat_status lt_join_shapes_change(lt_join_shapes *self, uint32_t slot, lt_join_shape before, int64_t weight_before,
                                  lt_join_shape now, int64_t weight, leat_error *err);
// Emits what is still held.
leat_status lt_join_shapes_flush(lt_join_shapes *self, leat_error *err);
// From push: rows of a delta that never find a partner.
leat_status lt_join_shapes_give_lonely(lt_node *node, lt_join_side *sides, uint32_t number, const lt_chunk *delta,
                                       const lt_join_rows *rows, lt_batch *batch, leat_error *err);

#endif
