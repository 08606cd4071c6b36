// compare_bits: comparisons of lanes with results as bits, and bits as row numbers: what filters are made of.
//
//     x       [ 7 ][ 3 ][ 9 ] ..       x < 8   ->   bits 0b..011   ->   rows [ 0 ][ 1 ] ..
//
// The order of floating numbers is SQL's: NaN equals NaN and is the largest, -0.0 equals 0.0. So x > y is exactly what
// x <= y is not, and three loops a type do for six comparisons.
//
// Ownership  borrows its arguments.   Threads  any.   Errors  none.
// Cost       0.05 to 0.5 ns a lane, whatever the values; bits behind the last lane of the last word are 0.
#ifndef LT_EXEC_KERNELS_COMPARE_BITS_H
#define LT_EXEC_KERNELS_COMPARE_BITS_H

#include "base/vector.h"

enum { LT_ROW_WORDS_MAX = LT_CHUNK_ROWS_MAX / 64 };

typedef enum lt_compare_lane {
    LT_COMPARE_U8,
    LT_COMPARE_I8,
    LT_COMPARE_I16,
    LT_COMPARE_I32,
    LT_COMPARE_I64,
    LT_COMPARE_FLOAT,
    LT_COMPARE_DOUBLE,
    LT_COMPARE_I128,
    LT_COMPARE_LANE_COUNT
} lt_compare_lane;

typedef enum lt_compare_order {
    LT_COMPARE_EQUAL,
    LT_COMPARE_LESS,
    LT_COMPARE_LESS_OR_EQUAL,
    LT_COMPARE_ORDER_COUNT
} lt_compare_order;

// bits[i]: whether lane i of x compares with lane i of y, or with its only lane.
typedef void (*lt_compare_loop)(const void *x, const void *y, bool is_y_constant, uint32_t count, uint64_t *bits);

// One per instruction set.
typedef struct lt_compare_kernel {
    const char *name;
    bool (*is_supported)(void); // by this CPU
    lt_compare_loop loops[LT_COMPARE_LANE_COUNT][LT_COMPARE_ORDER_COUNT];
    // bits[i]: whether both words of lane i, under the masks, are `words`.
    void (*masked_equal)(const uint64_t (*lanes)[2], const uint64_t masks[2], const uint64_t words[2], uint32_t count,
                         uint64_t *bits);
    // bits[i]: whether byte i, 0 or 1, is 1. Another byte, of a lane that is NULL or dead, gives anything there alone.
    void (*of_truths)(const uint8_t *truths, uint32_t count, uint64_t *bits);
    // The numbers of the bits that are set, ascending; gives how many. `rows` has room for `count`.
    uint32_t (*rows_of)(const uint64_t *bits, uint32_t count, uint16_t *rows);
} lt_compare_kernel;

// The best first; the last runs everywhere. Ended by a name that is NULL.
extern const lt_compare_kernel *const lt_compare_kernels[];

// The best one that this CPU has.
const lt_compare_kernel *lt_compare_kernel_best(void);

// Equality with a text that lies in its lane whole is equality of two words, under masks that hide what stands behind its
// bytes: for .masked_equal over text lanes. False: the text is longer.
bool lt_compare_text_words(const lt_string *text, uint64_t masks[2], uint64_t words[2]);

#endif
