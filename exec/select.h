// select: the terms of filters, as bits over the rows of a chunk.
//
//     a > 1 AND (b = 2 OR c LIKE 'x%')      rows 1111 1111  ->  0110 1011  ->  0100 0001
//
// Only TRUE matters to a filter, so terms narrow a set of rows one after the other: a comparison by loops over all lanes
// that give bits, whatever else by evaluation of the rows that are left. Terms of an AND that can not fail change their
// places: the ones that leave the fewest rows for their cost come first, measured again and again.
//
// Ownership  of the evaluator.  Threads  one at a time.  Errors  of the terms, for the same rows as in the order written.
#ifndef LT_EXEC_SELECT_H
#define LT_EXEC_SELECT_H

#include "exec/evaluate.h"

enum { LT_TERMS_ORDERED_MAX = 16 };

// What is known of an AND: .is_plain: some term may fail or is not deterministic, so it runs as it is written.
typedef struct lt_conjunction {
    const lt_expression *expression;
    bool                 is_plain;
    uint32_t             chunks;                      // since the order was set
    uint8_t              order[LT_TERMS_ORDERED_MAX]; // of its arguments
    struct {
        uint64_t rows_in, rows_out; // fading
        uint32_t cost;              // of a row, in comparisons
    } terms[LT_TERMS_ORDERED_MAX];
} lt_conjunction;

void lt_conjunction_init(lt_conjunction *conjunction, const lt_expression *expression);

#endif
