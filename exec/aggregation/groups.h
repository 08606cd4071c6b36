// groups: the groups of an aggregation: their keys, what is known of each, and the accumulators of all calls.
//
//     find_or_add(chunk) -> new groups are ready -> note places, timers -> fold -> emit -> remove
//
// Only what the plan can ask for is kept. Where rows never leave, a group that is there is alive: no weights. Where
// groups are made in the order of places and never removed, the index of a group is its place: no places (until saved
// ones are loaded that say otherwise). Timers only where the watermark closes groups.
//
// Ownership  owns keys and facts; `calls` are the operator's.  Threads  one at a time.
// Cost       besides keys and accumulators nothing a group, or 8 bytes each for weight, place and timer.
#ifndef LT_EXEC_AGGREGATION_GROUPS_H
#define LT_EXEC_AGGREGATION_GROUPS_H

#include "exec/aggregation/call.h"
#include "exec/state/timer_heap.h"

typedef struct lt_aggregate_groups {
    lt_account    *account;
    const lt_plan *plan;
    const lt_node *node; // the operator's
    lt_group_table table;
    lt_call_state *calls;
    uint32_t       call_count;
    bool           is_global; // no keys: group 0 lives from the start
    bool           keeps_weights, keeps_places, has_event_time;
    lt_group_array weights, places, due_us; // int64_t by group
    lt_group_array known;       // words of bits by group: made in an earlier call. Only where groups may be removed
    uint32_t       group_count; // groups that are ready
    int64_t        next_place;  // of rows that bring none
    lt_timer_heap  timers;
} lt_aggregate_groups;

leat_status lt_aggregate_groups_open(lt_aggregate_groups *self, lt_node *node, const lt_type *const *types,
                                     lt_arena *arena, leat_error *err);
// Makes the groups ready that the table has more.
leat_status        lt_aggregate_groups_ready(lt_aggregate_groups *self, leat_error *err);
static inline bool lt_aggregate_groups_may_go(const lt_aggregate_groups *self) {
    return self->keeps_weights || self->has_event_time;
}
static inline bool lt_aggregate_groups_is_known(const lt_aggregate_groups *self, uint32_t group) {
    return ((LT_GROUP_ITEM(&self->known, uint64_t, group / 64) >> (group % 64)) & 1) != 0;
}
static inline bool lt_aggregate_groups_is_alive(const lt_aggregate_groups *self, uint32_t group) {
    return self->is_global || (lt_group_table_is_live(&self->table, group) &&
                               (!self->keeps_weights || LT_GROUP_ITEM(&self->weights, int64_t, group) > 0));
}
static inline int64_t lt_aggregate_groups_place(const lt_aggregate_groups *self, uint32_t group) {
    return self->keeps_places ? LT_GROUP_ITEM(&self->places, int64_t, group) : group;
}
// The first row of a group: its place, and from its event time (column of keys, NULL: none) its timer.
leat_status lt_aggregate_groups_begin(lt_aggregate_groups *self, uint32_t group, int64_t place,
                                      const lt_vector *event_times, uint32_t row, leat_error *err);
// A group that the watermark closes, or LT_NO_GROUP.
uint32_t lt_aggregate_groups_pop_due(lt_aggregate_groups *self, int64_t close_us);
// The largest timer of a living group; INT64_MIN: none.
int64_t lt_aggregate_groups_last_due_us(const lt_aggregate_groups *self);
void    lt_aggregate_groups_remove(lt_aggregate_groups *self, uint32_t group);
// is_full: everything; else the changed groups, and the DISTINCT values that changed.
leat_status lt_aggregate_groups_save(lt_aggregate_groups *self, const uint32_t *changed, uint32_t changed_count,
                                     bool is_full, lt_buffer *out, leat_error *err);
// A part of everything, as lt_operator_kind.save_part.
leat_status lt_aggregate_groups_save_part(lt_aggregate_groups *self, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                          leat_error *err);
leat_status lt_aggregate_groups_load(lt_aggregate_groups *self, const lt_type *const *types, lt_reader *in,
                                     leat_error *err);
// Gives back keys and accumulators, which somebody else has taken over: from then on there is nothing to do but close.
void     lt_aggregate_groups_forget(lt_aggregate_groups *self);
uint64_t lt_aggregate_groups_bytes(const lt_aggregate_groups *self);
void     lt_aggregate_groups_close(lt_aggregate_groups *self);

#endif
