// lanes: placing single values into flat vectors, whatever their type: the small change of nested functions.
//
// Every call takes `into` flat. "put" writes a lane below the capacity and leaves .lanes alone; "append" writes lane
// number .lanes, growing the vector. Values are shared, not copied: bytes of text stay where they are, so the source
// must live as long as the target. Elements of lists are copied (as views) into the target's own child.
//
// Ownership  children and validity in `arena`.    Threads  one at a time.    Errors  LEAT_NO_MEMORY, LEAT_LIMIT.
#ifndef LT_BASE_LANES_H
#define LT_BASE_LANES_H

#include "base/vector.h"

// Makes lane `lane` NULL, children of a struct too.
leat_status lt_lane_put_null(lt_vector *into, uint32_t lane, lt_arena *arena, leat_error *err);
// Row `row` of `from` (any form, same shape).
leat_status lt_lane_put(lt_vector *into, uint32_t lane, const lt_vector *from, uint32_t row, lt_arena *arena,
                        leat_error *err);
leat_status lt_lane_append(lt_vector *into, const lt_vector *from, uint32_t row, lt_arena *arena, leat_error *err);
leat_status lt_lane_append_null(lt_vector *into, lt_arena *arena, leat_error *err);
// Lanes [offset, offset + count) of the flat vector `from`.
leat_status lt_lanes_append(lt_vector *into, const lt_vector *from, uint32_t offset, uint32_t count, lt_arena *arena,
                            leat_error *err);
// Room for one more lane; *out_lane is its number. A struct's children get the lane too. Not NULL; bytes are zero or
// old.
leat_status lt_lane_add(lt_vector *into, uint32_t *out_lane, lt_arena *arena, leat_error *err);

#endif
