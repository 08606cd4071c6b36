// stream_join: what bounds the state of a join of two streams: until when a row of one side may find a partner.
//
//     key     a watermarked column (or window) among the equality keys: until the watermark reaches the row's key
//     range   left.t >= right.t - 20 seconds, right.t watermarked: until the watermark is beyond left.t + 20 seconds
//
// Each direction of a range bounds one side. A side without bound is kept for ever.
// Source: spark-semantics 8.1 (recorded).
#ifndef LT_PLANNER_STREAM_JOIN_H
#define LT_PLANNER_STREAM_JOIN_H

#include "planner/plan.h"

typedef enum lt_stream_bound_kind {
    LT_STREAM_BOUND_NONE,
    LT_STREAM_BOUND_KEY,
    LT_STREAM_BOUND_RANGE
} lt_stream_bound_kind;

typedef struct lt_stream_bound {
    lt_stream_bound_kind kind;
    uint32_t             key;        // KEY: number of the equality key
    uint32_t             column;     // RANGE: of the side
    int64_t              ahead_us;   // RANGE: the row goes when its time + ahead_us <= watermark
    int32_t              event_time; // column of the side that carries the watermark mark, or -1
} lt_stream_bound;

// out[0]: left, out[1]: right.
void lt_stream_bounds(const lt_plan *join, lt_stream_bound out[2]);
// Whether a join that follows both of its sides may forget rows when late rows go though the mode keeps what was given
// (lt_plan.freezes): both sides are bounded and, if they change, what takes a row away is late when the row is forgotten.
bool lt_join_expires(const lt_plan *join, lt_stream_bound out[2]);
// Whether output mode append can say when rows without a partner are due; inner joins always can.
bool lt_stream_join_is_bounded(const lt_plan *join);
// Which sides an expression over left ++ right columns reads: bit 0 left, bit 1 right.
uint32_t lt_join_sides(const lt_plan *join, const lt_expression *expression);
// The terms of the residual, whatever the nesting of its ANDs. Calls visit once per term.
void lt_join_terms(const lt_plan *join, void (*visit)(void *user, const lt_expression *term), void *user);

#endif
