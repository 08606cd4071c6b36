// correlations: what IN and NOT IN know of a right side beside equal keys. Per group of correlated keys: how many rows it
// has, and how many of them compare a NULL; and which groups of all keys are of it.
//
//     correlation -> {rows, nulls, first} -> group <-> group <-> group        group -> its correlation, is its value NULL
//
// Ownership  owns its memory.       Threads  one at a time.       Limits  those of group_table.
// Errors     LEAT_NO_MEMORY; LT_INTERNAL_ERROR when a row goes that is not there.       Cost  O(1) a call.
#ifndef LT_EXEC_STATE_CORRELATIONS_H
#define LT_EXEC_STATE_CORRELATIONS_H

#include "exec/state/group_table.h"

typedef struct lt_correlation {
    int64_t  rows, nulls, rows_before, nulls_before; // before: this batch; of a touched one
    uint32_t first;                                  // of its groups, + 1
    uint32_t touched_at;                             // + 1
} lt_correlation;

typedef struct lt_correlation_link {
    uint32_t correlation;    // + 1; 0: the group is new
    uint32_t next, previous; // groups of the correlation, + 1
    bool     is_null;        // the compared value is NULL
} lt_correlation_link;

typedef struct lt_correlations {
    lt_account          *account;
    lt_group_table       keys;
    uint32_t             key_count;
    lt_correlation      *items; // by group of keys
    uint32_t             capacity;
    uint32_t            *touched, touched_count, touched_capacity;
    lt_correlation_link *links; // by group of all keys
    uint32_t             link_capacity;
} lt_correlations;

// types: borrowed until return.
void        lt_correlations_init(lt_correlations *self, const lt_type *const *types, uint32_t key_count, uint64_t seed,
                                 lt_account *account);
leat_status lt_correlations_reserve_links(lt_correlations *self, uint32_t capacity, leat_error *err);
// The correlations of these rows, all of them touched.
leat_status lt_correlations_find(lt_correlations *self, const lt_vector *keys, const uint16_t *rows, uint32_t count,
                                 uint32_t *out_numbers, leat_error *err);
// Right rows come or go.
leat_status lt_correlations_count(lt_correlations *self, uint32_t number, int64_t weight, bool is_null,
                                  leat_error *err);
void        lt_correlations_link(lt_correlations *self, uint32_t group, uint32_t number, bool is_null);
void        lt_correlations_unlink(lt_correlations *self, uint32_t group);
// Whether its groups show something else than before the batch: its first row or NULL came, or the last one went.
bool lt_correlation_has_turned(const lt_correlation *self);
// Whether IN is NULL for a group that has no partner.
bool lt_correlations_is_null(const lt_correlations *self, uint32_t group, bool is_before);
// Ends the batch: those without rows and groups leave.
void lt_correlations_settle(lt_correlations *self);
// What a correlation is now; loading puts it in its place.
leat_status lt_correlations_save(const lt_correlations *self, uint32_t number, lt_buffer *out, leat_error *err);
leat_status lt_correlations_load(lt_correlations *self, lt_reader *in, leat_error *err);
void        lt_correlations_deinit(lt_correlations *self);

#endif
