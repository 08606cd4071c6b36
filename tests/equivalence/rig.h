// rig: one query as a standing query without a mode, against its SELECT over all rows so far, after every batch.
//
// Memory streams a and b and a memory table `still` get random rows, the same rows go to the tables a_rows and b_rows.
// `$a` and `$b` in a query are the streams in CREATE MATERIALIZED VIEW and the tables in the SELECT that is the oracle;
// `$g` is a view of groups over `$a`: k, s, c (their count), hi (their largest n).
// Batches are of random size, some empty; in half of the rounds the query stops and starts from its checkpoint in
// between. Values come from small domains with NULL, zero of both signs, NaN, infinities, extremes, empty text and ties.
// Doubles that are summed (column e) are multiples of 1/8, so every order of addition gives the same sum.
//
// Columns: id INT, k INT, n INT, s STRING, d DOUBLE, e DOUBLE, f FLOAT, l BIGINT, m DECIMAL(9,2), t TIMESTAMP, list
// ARRAY<INT>. Threads: one.
#ifndef TESTS_EQUIVALENCE_RIG_H
#define TESTS_EQUIVALENCE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rig_outcome {
    RIG_EQUAL,
    RIG_FAILS,   // both raise
    RIG_REFUSED, // the SELECT does not bind
    RIG_DIFFERS  // printed, with the query
} rig_outcome;

// Equal seeds and queries give equal runs.
// take_deletes: the streams tell of changes; a third of the messages take rows back, the last round all that are left.
rig_outcome rig_query_run(const char *name, const char *query, uint64_t seed, uint32_t rounds, bool take_deletes,
                          bool is_verbose);

void     rig_random_seed(uint64_t seed);
uint32_t rig_random_below(uint32_t bound);

enum { RIG_TEXT_BYTES = 64 * 1024 };
typedef struct rig_text {
    char   bytes[RIG_TEXT_BYTES];
    size_t count;
} rig_text;
void rig_text_add(rig_text *out, const char *format, ...) __attribute__((format(printf, 2, 3))); // full: ends the test

#endif
