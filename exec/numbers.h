// numbers: what the functions over numbers share: the types that operands are computed in, and running kernels by hand.
//
//     INT + BIGINT -> both BIGINT      INT + DECIMAL(4,1) -> DECIMAL(10,0), DECIMAL(4,1)      '1' + 2 -> both BIGINT
//     FLOAT + INT -> both DOUBLE       7 + DECIMAL(4,1)   -> DECIMAL(1,0), DECIMAL(4,1)       NULL + x -> both x
//
// Ownership  as in base/function.h.   Threads  as the call.   Source  Spark SQL 4, ANSI mode; spark-semantics 1.3, 1.5.
#ifndef LT_EXEC_NUMBERS_H
#define LT_EXEC_NUMBERS_H

#include "base/decimal.h"
#include "base/function.h"

// kind: what is computed in, TINYINT .. DECIMAL; DECIMAL operands keep their own shapes.
typedef struct lt_operands {
    lt_kind        kind;
    const lt_type *left, *right;
} lt_operands;

// False: these two are no operands of arithmetic. *out kinds NULL without memory.
bool lt_operands_find(const lt_resolution *resolution, lt_operands *out);
// For rows that serve one kind, their .returns: sets types and result of an operator whose result is that kind.
// LEAT_DONE: not this row. DECIMAL results get `shape`.
typedef lt_decimal_shape (*lt_shape_rule)(lt_decimal_shape left, lt_decimal_shape right);
leat_status lt_resolve_operands(lt_resolution *resolution, lt_kind wanted, const lt_type *result, lt_shape_rule shape,
                                leat_error *err);

// The lanes of a call, for running a kernel from .evaluate; failed has a zeroed byte a lane.
leat_status lt_call_lanes(const lt_call *call, lt_lanes *out, leat_error *err);
// Runs a kernel of two arguments; lanes that fail become NULL. A STRING argument is cast to `operand` first, and is
// NULL where it is none: try_add('x', 1) is NULL.
leat_status lt_call_try_kernel(lt_call *call, lt_kernel kernel, lt_kind operand, leat_error *err);

#endif
