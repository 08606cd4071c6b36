// parallel: the files of a batch read by several threads, with the rows in the order of one.
//
//     files      | morsel 0 | morsel 1 | morsel 2 | morsel 3 | ...
//     helpers    bytes -> chunks -> stateless operators above the scan, each helper with nodes of its own; chunks kept
//     driver     takes 0, 1, 2, ... in order and sends their chunks to the first stateful operator; reads a morsel
//                itself, straight on its way, while none is there to be taken
//
// Where that operator is an aggregation whose parts can be merged to the last bit, and rows come down to few groups, a
// helper folds the rows of a morsel into groups of their own, and the driver merges these, in order too: so groups come
// in the order of their first rows. Sums of doubles are never folded apart: they add in the order of rows.
//
// Rows, places, bad rows, late rows, counts and watermarks are those of one thread: helpers only keep, and everything
// that has an effect happens on the driver, in order. A morsel that cannot be kept (compressed files, rows that grow
// beyond measure, memory that ends) is read by the driver when its turn comes.
//
// Not for a plan with ordered calls (rand(), functions of the host) and not below a LIMIT that may end the read.
//
// Ownership  the source's; closed with it.    Threads  the driver's: whoever holds the session's lock.
// Limits     2 morsels and 1 for each thread are kept at once, each with its bytes, its rows and at most
//            LT_PARALLEL_KEPT_BYTES_MAX of what operators made of them.
// Errors     the first in the order of morsels; rows before it have gone their way.
#ifndef LT_EXEC_PARALLEL_H
#define LT_EXEC_PARALLEL_H

#include "exec/session.h"

enum { LT_PARALLEL_KEPT_BYTES_MAX = 32 * 1024 * 1024, LT_PARALLEL_MORSELS_MIN = 4 };

// Reads source->range for the scan `node`. *out_has_read false: nothing was done, the caller reads by itself.
leat_status lt_parallel_read(lt_source *source, lt_node *node, lt_batch *batch, bool *out_has_read, leat_error *err);
void        lt_parallel_close(lt_source *source);

#endif
