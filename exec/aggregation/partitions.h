// partitions: an aggregation over more groups than the cache holds. Rows are held back, each with those of its
// part of the hash, and folded a partition at a time, when its groups are all at hand.
//
//     rows    k7 k2 k9 k2 ..  ->  | partition 0: k2 k2 | partition 1: k7 k9 | ..   add: keys, values and place of a row
//     full                    ->  each partition folds its rows into groups of its own
//     end                     ->  groups in the order of their first rows
//
// Rows of one group stay in their order, so that sums of doubles too are those of the plain way. Only for one batch from
// an empty state whose groups never leave, and for calls that can wait (lt_call_can_wait).
//
// An epoch is the time between two folds. Of the first row of a group its number in the epoch is kept, and groups of an
// epoch follow each other in their partition: 4 bytes a group tell the order of all of them.
//
// Ownership  owns rows and groups.  Threads  one at a time.
// Errors     LEAT_NO_MEMORY, what calls raise; then it can only be closed.
// Limits     2^31 groups; LT_HELD_BYTES_MAX of rows at once, where memory has four times the room.
// Cost       a row: its hash, a copy of its lanes, and what the fold of a group in the cache costs.
#ifndef LT_EXEC_AGGREGATION_PARTITIONS_H
#define LT_EXEC_AGGREGATION_PARTITIONS_H

#include "exec/aggregation/groups.h"

enum {
    LT_PARTITIONS_MAX      = 256,
    LT_HELD_BYTES_MAX      = 128 * 1024 * 1024,
    LT_HELD_GROUPS_MIN     = 256 * 1024, // from so many groups on it is worth it
    LT_HELD_ROWS_PER_GROUP = 4,          // and when a group is new at least every so many rows
};

typedef struct lt_aggregate_partitions lt_aggregate_partitions;

// Whether the calls and keys (of at most 8 bytes, no texts) allow it; whether memory does by now.
bool lt_aggregate_partitions_can(const lt_aggregate_groups *groups, const lt_type *const *types);
bool lt_aggregate_partitions_have_room(const lt_aggregate_groups *groups);
// Takes over the groups there are, which lose their keys and accumulators. `types`: of keys, then results. Everything
// that is made is the caller's to close, also after an error.
leat_status lt_aggregate_partitions_open(lt_aggregate_groups *groups, lt_node *node, const lt_type *const *types,
                                         lt_aggregate_partitions **out, leat_error *err);
// Holds the rows of a chunk back; `keys` are its keys.
leat_status lt_aggregate_partitions_add(lt_aggregate_partitions *self, const lt_vector *keys, const lt_chunk *chunk,
                                        lt_batch *batch, leat_error *err);
// Groups that were folded apart, in the order of their first rows, which are behind all rows so far.
leat_status lt_aggregate_partitions_merge(lt_aggregate_partitions *self, lt_aggregate_groups *from, lt_batch *batch,
                                          leat_error *err);
// Sends the rows of all groups from `node`.
leat_status   lt_aggregate_partitions_emit(lt_aggregate_partitions *self, lt_batch *batch, leat_error *err);
lt_state_size lt_aggregate_partitions_size(const lt_aggregate_partitions *self);
void          lt_aggregate_partitions_close(lt_aggregate_partitions **self);

#endif
