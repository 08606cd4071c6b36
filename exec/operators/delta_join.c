// delta_join: join of two sides that both change, in a standing query without Spark's modes. Both sides are kept, chained
// per key; push folds, the end of the batch lets out what the batch changed, each pair once and net:
//
//     changed left rows x all right rows,  other left rows x changed right rows       weight: now * now - before * before
//
// What a row shows beside its pairs depends on the number of its partners: NULLs instead of a partner (LEFT, RIGHT, FULL,
// SINGLE), itself (SEMI, ANTI), a mark (MARK). Where the join has only keys, that number is the weight of the other side's
// chain, and the right side of SEMI, ANTI, MARK keeps no rows; with a residual each row counts its own partners. IN and
// NOT IN (null-aware) also know, per group of correlated keys, how many rows and how many NULLs the right side has.
//
// A row whose key matches nothing passes in push: it never finds a partner. A side that does not stream is taken once and
// then is state as any other. Rows leave with the place of their left row, those without one behind all others.
// After a start the counts are made again from the saved rows. Memory: the kept rows. Cost: O(changed rows + pairs with
// equal keys) a batch, and all left rows of a correlation whose right side turns from empty or gets its first NULL.
// Source: DBSP (Budiu et al., 2023); incremental.md 5.6 to 5.9.
#include "exec/join/expiry.h"
#include "exec/join/shapes.h"
#include "exec/state/correlations.h"

enum { LEFT = LT_SIDE_LEFT, RIGHT = LT_SIDE_RIGHT };

typedef struct touched_group {
    uint32_t group;
    int64_t  weights_before[2];
} touched_group;

typedef struct delta_join {
    const lt_plan  *plan;
    lt_account     *account;
    lt_join_side    sides[2];
    lt_group_table  groups;
    touched_group  *touched;
    uint32_t        touched_count, touched_capacity;
    uint32_t       *touched_at; // by group: + 1
    uint32_t        group_capacity;
    lt_correlations correlations; // null-aware
    lt_join_expiry  expiry;
    lt_evaluator    residual;
    bool            gives_pairs, is_null_aware, has_changed;
    lt_buffer       changes;
    lt_arena        arena;
} delta_join;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status side_open(lt_node *node, uint32_t number, leat_error *err) {
    delta_join          *self         = node->state;
    const lt_plan       *plan         = node->plan;
    const bool           has_residual = plan->as.join.residual != NULL;
    const bool           has_shape    = lt_join_has_shapes(plan->as.join.type, number);
    const lt_chained_use use          = {.keeps_rows = self->gives_pairs || has_residual || number == LEFT,
                                         .is_growing = !self->expiry.is_on,
                                         .has_counts = has_residual && has_shape};
    return lt_join_side_open(&self->sides[number], node, number,
                             number == LEFT ? plan->as.join.left_keys : plan->as.join.right_keys,
                             plan->as.join.key_count, &use, &self->arena, err);
}

static leat_status delta_join_open(lt_node *node, leat_error *err) {
    delta_join     *self       = node->state;
    const lt_plan  *plan       = node->plan;
    lt_evaluation  *evaluation = node->pipeline->evaluation;
    const lt_type **key_types;
    *self               = (delta_join){.plan = plan, .account = node->pipeline->account};
    self->gives_pairs   = lt_join_gives_pairs(plan->as.join.type);
    self->is_null_aware = plan->as.join.is_null_aware;
    lt_arena_init(&self->arena, self->account);
    lt_buffer_init(&self->changes, self->account, 0);
    LT_TRY(lt_expression_types(plan->as.join.left_keys, plan->as.join.key_count, &self->arena, &key_types, err));
    lt_group_table_init(&self->groups, self->account, key_types, plan->as.join.key_count, evaluation->random_seed);
    lt_correlations_init(&self->correlations, key_types, plan->as.join.correlated_key_count, evaluation->random_seed,
                         self->account);
    lt_join_expiry_init(&self->expiry, plan, self->account);
    LT_TRY(side_open(node, LEFT, err));
    LT_TRY(side_open(node, RIGHT, err));
    return lt_evaluator_open(&self->residual, &plan->as.join.residual, 1, evaluation, self->account, err);
}

static leat_status delta_join_prepare(lt_node *node, leat_error *err) {
    (void)err;
    const delta_join *self = node->state;
    node->skip_mask        = lt_join_sides_skip_mask(self->sides);
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- groups

static leat_status groups_reserve(delta_join *self, leat_error *err) {
    const uint32_t have = self->group_capacity, want = self->groups.group_capacity;
    for (uint32_t s = 0; s < 2; s++) LT_TRY(lt_chained_rows_reserve_groups(&self->sides[s].rows, want, err));
    if (self->is_null_aware) LT_TRY(lt_correlations_reserve_links(&self->correlations, want, err));
    if (have >= want) return LEAT_OK;
    lt_account_array array = {self->touched_at, sizeof *self->touched_at};
    LT_TRY(lt_account_grow(self->account, &array, 1, have, want, err));
    self->touched_at     = array.memory;
    self->group_capacity = want;
    return LEAT_OK;
}

static int64_t group_weight(const delta_join *self, uint32_t side, uint32_t group) {
    return self->sides[side].rows.chains[group].weight;
}

static leat_status group_touch(delta_join *self, uint32_t group, leat_error *err) {
    if (self->touched_at[group] != 0) return LEAT_OK;
    LT_TRY_GROW(self->touched, self->account, self->touched_count, self->touched_capacity, 64, err);
    self->touched[self->touched_count++] = (touched_group){
        .group = group, .weights_before = {group_weight(self, LEFT, group), group_weight(self, RIGHT, group)}};
    self->touched_at[group] = self->touched_count;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- push

// Whether the value that a row of a null-aware join compares is NULL.
static bool compares_null(const delta_join *self, const lt_join_rows *rows, uint32_t row) {
    const lt_plan *plan = self->plan;
    return lt_join_has_null(plan->as.join.is_null_safe, rows->keys, plan->as.join.correlated_key_count,
                            plan->as.join.key_count, row);
}

// Right rows of a null-aware join count for their correlation; those with a value also for their group: the others are no
// longer among `rows`.
static leat_status correlate(delta_join *self, uint32_t number, const lt_chunk *delta, lt_join_rows *rows,
                             lt_arena *arena, uint32_t **out_numbers, leat_error *err) {
    const uint32_t count = rows->meeting_count;
    uint32_t      *numbers, kept = 0;
    LT_TRY_NEW_ARRAY(numbers, arena, count + 1u, err);
    LT_TRY(lt_correlations_find(&self->correlations, rows->keys, rows->meeting, count, numbers, err));
    *out_numbers = numbers;
    for (uint32_t i = 0; number == RIGHT && i < count; i++) {
        const uint32_t row     = rows->meeting[i];
        const bool     is_null = compares_null(self, rows, row);
        LT_TRY(lt_correlations_count(&self->correlations, numbers[i], lt_chunk_weight(delta, row), is_null, err));
        if (is_null) continue;
        numbers[kept]         = numbers[i];
        rows->meeting[kept++] = (uint16_t)row;
    }
    if (number == RIGHT) rows->meeting_count = kept;
    return LEAT_OK;
}

static leat_status fold(lt_node *node, uint32_t number, const lt_chunk *delta, lt_join_rows *rows, lt_arena *arena,
                        leat_error *err) {
    delta_join *self    = node->state;
    uint32_t   *numbers = NULL, *slots = NULL, *groups;
    if (self->is_null_aware) LT_TRY(correlate(self, number, delta, rows, arena, &numbers, err));
    LT_TRY_NEW_ARRAY(groups, arena, rows->meeting_count + 1u, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, rows->keys, self->plan->as.join.key_count, rows->meeting,
                                      rows->meeting_count, groups, err));
    LT_TRY(groups_reserve(self, err));
    for (uint32_t i = 0; i < rows->meeting_count; i++) {
        LT_TRY(group_touch(self, groups[i], err));
        if (self->is_null_aware)
            lt_correlations_link(&self->correlations, groups[i], numbers[i],
                                 compares_null(self, rows, rows->meeting[i]));
    }
    self->has_changed = true;
    if (self->expiry.is_on) LT_TRY_NEW_ARRAY(slots, arena, rows->meeting_count + 1u, err);
    LT_TRY(lt_chained_rows_add(&self->sides[number].rows, delta, rows->meeting, groups, rows->meeting_count, arena,
                               slots, err));
    return lt_join_expiry_note(&self->expiry, node, number, delta, rows->keys, rows->meeting, slots,
                               rows->meeting_count, err);
}

// Of a null-aware join only the correlated keys decide which rows can meet any.
static leat_status rows_sort(delta_join *self, uint32_t number, const lt_chunk *delta, lt_arena *arena,
                             lt_join_rows *out, leat_error *err) {
    const lt_plan *plan = self->plan;
    return lt_join_rows_sort(&self->sides[number], delta, plan->as.join.is_null_safe,
                             self->is_null_aware ? plan->as.join.correlated_key_count : plan->as.join.key_count, arena,
                             out, err);
}

static leat_status delta_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                   leat_error *err) {
    delta_join  *self = node->state;
    lt_join_rows rows;
    LT_TRY(lt_join_expiry_drop_late(&self->expiry, node, input, delta, batch, &delta, err));
    LT_TRY(rows_sort(self, input, delta, batch->scratch, &rows, err));
    LT_TRY(fold(node, input, delta, &rows, batch->scratch, err));
    return lt_join_shapes_give_lonely(node, self->sides, input, delta, &rows, batch, err);
}

// --------------------------------------------------------------------------------------------------------------- pairs

// Pairs of slots, judged a chunk at a time.
typedef struct pairs {
    lt_join_pairs slots;
    uint32_t     *groups;
    bool          gives; // else they only count: rows that were saved
} pairs;

static leat_status pair_weight(const delta_join *join, uint32_t left, uint32_t right, int64_t *out, leat_error *err) {
    const lt_chained_rows *l = &join->sides[LEFT].rows, *r = &join->sides[RIGHT].rows;
    int64_t                now, before;
    *out = 1;
    if (l->use.is_growing && r->use.is_growing) return LEAT_OK; // one of them is new
    if (__builtin_mul_overflow(lt_chained_rows_weight(l, left), lt_chained_rows_weight(r, right), &now) ||
        __builtin_mul_overflow(lt_chained_rows_weight_before(l, left), lt_chained_rows_weight_before(r, right),
                               &before))
        return lt_raise(err, LT_LIMIT_EXCEEDED, &join->plan->place, "more equal rows than 64 bits can count");
    *out = now - before;
    return LEAT_OK;
}

// How the count of a row of side `s` changes by a partner; what a row had before it left or came does not matter.
static int64_t count_change(const delta_join *join, uint32_t s, uint32_t slot, uint32_t partner) {
    const lt_chained_rows *own = &join->sides[s].rows, *other = &join->sides[1 - s].rows;
    if (lt_chained_rows_weight(own, slot) == 0) return 0;
    const int64_t before =
        lt_chained_rows_weight_before(own, slot) > 0 ? lt_chained_rows_weight_before(other, partner) : 0;
    return lt_chained_rows_weight(other, partner) - before;
}

static leat_status pairs_count(const pairs *self, const uint16_t *passed, uint32_t passed_count, leat_error *err) {
    delta_join *join = self->slots.node->state;
    for (uint32_t s = 0; s < 2; s++) {
        lt_chained_rows *rows = &join->sides[s].rows;
        if (!rows->use.has_counts) continue;
        for (uint32_t i = 0; i < passed_count; i++) {
            const uint32_t pair = passed == NULL ? i : passed[i], slot = self->slots.slots[s][pair];
            const int64_t  more = count_change(join, s, slot, self->slots.slots[1 - s][pair]);
            if (more != 0) LT_TRY(lt_chained_rows_count(rows, slot, self->groups[pair], more, err));
        }
    }
    return LEAT_OK;
}

static leat_status pairs_flush(pairs *self, leat_error *err) {
    delta_join          *join         = self->slots.node->state;
    lt_arena            *arena        = self->slots.batch->scratch;
    const lt_expression *residual     = join->plan->as.join.residual;
    uint16_t            *passed       = NULL;
    uint32_t             passed_count = self->slots.count;
    lt_chunk             both;
    if (self->slots.count == 0) return LEAT_OK;
    LT_TRY(lt_join_pairs_gather(&self->slots, &both, err));
    if (residual != NULL) {
        LT_TRY_NEW_ARRAY(passed, arena, self->slots.count + 1u, err);
        LT_TRY(lt_evaluator_select(&join->residual, residual, &both, arena, passed, &passed_count, err));
    }
    LT_TRY(pairs_count(self, passed, passed_count, err));
    if (join->gives_pairs && self->gives) LT_TRY(lt_join_pairs_give(&self->slots, &both, passed, passed_count, err));
    self->slots.count = 0;
    lt_arena_reset(arena);
    return LEAT_OK;
}

static bool pair_counts(const delta_join *join, uint32_t left, uint32_t right) {
    return (join->sides[LEFT].rows.use.has_counts && count_change(join, LEFT, left, right) != 0) ||
           (join->sides[RIGHT].rows.use.has_counts && count_change(join, RIGHT, right, left) != 0);
}

static leat_status pair_add(pairs *self, uint32_t left, uint32_t right, uint32_t group, leat_error *err) {
    lt_join_pairs *slots = &self->slots;
    delta_join    *join  = slots->node->state;
    int64_t        weight;
    LT_TRY(pair_weight(join, left, right, &weight, err));
    if (weight == 0 && !pair_counts(join, left, right)) return LEAT_OK;
    if (slots->count == LT_CHUNK_ROWS_MAX) LT_TRY(pairs_flush(self, err));
    slots->slots[LEFT][slots->count]  = left;
    slots->slots[RIGHT][slots->count] = right;
    self->groups[slots->count]        = group;
    slots->weights[slots->count++]    = weight;
    return LEAT_OK;
}

// Every pair of which a side has changed, once. Counting adds touches behind the changed rows.
static leat_status pairs_run(lt_node *node, bool gives, lt_batch *batch, leat_error *err) {
    delta_join            *self = node->state;
    const lt_chained_rows *left = &self->sides[LEFT].rows, *right = &self->sides[RIGHT].rows;
    const bool             has_counts = left->use.has_counts || right->use.has_counts;
    pairs                  out        = {.gives = gives};
    if (!has_counts && !(self->gives_pairs && gives)) return LEAT_OK;
    if (left->changed_count == 0 && right->changed_count == 0) return LEAT_OK;
    LT_TRY(lt_join_pairs_open(&out.slots, node, self->sides, batch, err));
    LT_TRY_NEW_ARRAY(out.groups, batch->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t i = 0; i < left->changed_count; i++) {
        const uint32_t slot = left->touches[i].slot, group = left->touches[i].group;
        for (uint32_t at = right->chains[group].head; at != 0; at = right->next[at - 1])
            LT_TRY(pair_add(&out, slot, at - 1, group, err));
    }
    for (uint32_t i = 0; i < right->changed_count; i++) {
        const uint32_t slot = right->touches[i].slot, group = right->touches[i].group;
        for (uint32_t at = left->chains[group].head; at != 0; at = left->next[at - 1])
            if (!lt_chained_rows_is_changed(left, at - 1)) LT_TRY(pair_add(&out, at - 1, slot, group, err));
    }
    return pairs_flush(&out, err);
}

// -------------------------------------------------------------------------------------------------------------- shapes

// What a row with so many partners shows. is_null: without a partner the comparison of IN is NULL.
static lt_join_shape shape_of(const delta_join *self, int64_t partners, bool is_null) {
    switch (self->plan->as.join.type) {
    case LT_JOIN_SEMI:
        return partners > 0 ? LT_SHAPE_SHOWN : LT_SHAPE_HIDDEN;
    case LT_JOIN_MARK:
        return partners > 0 ? LT_SHAPE_TRUE : is_null ? LT_SHAPE_NULL : LT_SHAPE_FALSE;
    default:
        return partners > 0 || is_null ? LT_SHAPE_HIDDEN : LT_SHAPE_SHOWN;
    }
}

static lt_join_shape group_shape(const delta_join *self, uint32_t side, const touched_group *touched, bool is_before) {
    const int64_t partners =
        is_before ? touched->weights_before[1 - side] : group_weight(self, 1 - side, touched->group);
    return shape_of(self, partners,
                    self->is_null_aware && lt_correlations_is_null(&self->correlations, touched->group, is_before));
}

static leat_status single_check(const delta_join *self, int64_t weight, int64_t partners, leat_error *err) {
    if (self->plan->as.join.type != LT_JOIN_SINGLE || weight == 0 || partners <= 1) return LEAT_OK;
    return lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &self->plan->place,
                    "a scalar sub-query gave more than one row");
}

// Rows that count their partners: those whose weight or count changed.
static leat_status counted_give(lt_join_shapes *out, leat_error *err) {
    delta_join            *self = out->node->state;
    const lt_chained_rows *rows = &self->sides[out->number].rows;
    for (uint32_t i = 0; i < rows->touch_count; i++) {
        const lt_row_touch *entry  = &rows->touches[i];
        const int64_t       weight = lt_chained_rows_weight(rows, entry->slot), partners = rows->counts[entry->slot];
        LT_TRY(single_check(self, weight, partners, err));
        LT_TRY(lt_join_shapes_change(out, entry->slot, shape_of(self, entry->count_before, false), entry->weight_before,
                                     shape_of(self, partners, false), weight, err));
    }
    return LEAT_OK;
}

// Rows whose key says it all: changed ones, and the others of groups that now show something else.
static leat_status grouped_give(lt_join_shapes *out, leat_error *err) {
    delta_join            *self = out->node->state;
    const lt_chained_rows *rows = &self->sides[out->number].rows;
    for (uint32_t i = 0; i < rows->changed_count; i++) {
        const lt_row_touch  *entry   = &rows->touches[i];
        const touched_group *touched = &self->touched[self->touched_at[entry->group] - 1];
        LT_TRY(lt_join_shapes_change(out, entry->slot, group_shape(self, out->number, touched, true),
                                     entry->weight_before, group_shape(self, out->number, touched, false),
                                     lt_chained_rows_weight(rows, entry->slot), err));
    }
    for (uint32_t i = 0; i < self->touched_count; i++) {
        const touched_group *touched = &self->touched[i];
        const lt_join_shape  before  = group_shape(self, out->number, touched, true);
        const lt_join_shape  now     = group_shape(self, out->number, touched, false);
        const lt_row_chain  *chain   = &rows->chains[touched->group];
        if (chain->weight > 0)
            LT_TRY(single_check(self, chain->weight, group_weight(self, 1 - out->number, touched->group), err));
        if (before == now) continue;
        for (uint32_t at = chain->head; at != 0; at = rows->next[at - 1]) {
            if (lt_chained_rows_is_changed(rows, at - 1)) continue;
            const int64_t weight = lt_chained_rows_weight(rows, at - 1);
            LT_TRY(lt_join_shapes_change(out, at - 1, before, weight, now, weight, err));
        }
    }
    return LEAT_OK;
}

static leat_status shapes_run(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_join *self = node->state;
    for (uint32_t s = 0; s < 2; s++) {
        lt_join_shapes out;
        if (!lt_join_has_shapes(self->plan->as.join.type, s)) continue;
        LT_TRY(lt_join_shapes_open(&out, node, self->sides, s, batch, err));
        LT_TRY(self->sides[s].rows.use.has_counts ? counted_give(&out, err) : grouped_give(&out, err));
        LT_TRY(lt_join_shapes_flush(&out, err));
    }
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

// Correlations that have turned touch all their groups.
static leat_status correlations_spread(delta_join *self, leat_error *err) {
    const lt_correlations *all = &self->correlations;
    for (uint32_t i = 0; i < all->touched_count; i++) {
        const lt_correlation *item = &all->items[all->touched[i]];
        if (!lt_correlation_has_turned(item)) continue;
        for (uint32_t group = item->first; group != 0; group = all->links[group - 1].next)
            LT_TRY(group_touch(self, group - 1, err));
    }
    return LEAT_OK;
}

static bool group_is_empty(const delta_join *self, uint32_t group) {
    for (uint32_t s = 0; s < 2; s++) {
        const lt_row_chain *chain = &self->sides[s].rows.chains[group];
        if (chain->head != 0 || chain->weight != 0) return false;
    }
    return true;
}

static leat_status settle(delta_join *self, leat_error *err) {
    for (uint32_t s = 0; s < 2; s++) LT_TRY(lt_chained_rows_settle(&self->sides[s].rows, err));
    for (uint32_t i = 0; i < self->touched_count; i++) {
        const uint32_t group    = self->touched[i].group;
        self->touched_at[group] = 0;
        if (!group_is_empty(self, group)) continue;
        if (self->is_null_aware) lt_correlations_unlink(&self->correlations, group);
        lt_group_table_remove(&self->groups, group);
    }
    lt_correlations_settle(&self->correlations);
    self->touched_count = 0;
    self->has_changed   = false;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- save

// Each part tells the present state of what it names: a slot where rows only come, a row, a group's weight on the right.
enum { SAVE_GROUP = 2, SAVE_CORRELATION = 3, SAVE_COUNTERS = 4, DEAD_BYTES = 8 };

static leat_status group_save(const delta_join *self, uint32_t group, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_GROUP, err));
    LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
    return lt_buffer_append_u64(out, (uint64_t)group_weight(self, RIGHT, group), err);
}

static leat_status correlation_save(const delta_join *self, uint32_t number, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_CORRELATION, err));
    return lt_correlations_save(&self->correlations, number, out, err);
}

// Before rows of weight 0 are gone.
static leat_status changes_note(lt_node *node, leat_error *err) {
    delta_join *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < self->sides[s].rows.changed_count; i++)
            LT_TRY(lt_join_row_save(self->sides, s, self->sides[s].rows.touches[i].slot, &self->changes, err));
    for (uint32_t i = 0; i < self->touched_count && !self->sides[RIGHT].rows.use.keeps_rows; i++)
        if (self->touched[i].weights_before[RIGHT] != group_weight(self, RIGHT, self->touched[i].group))
            LT_TRY(group_save(self, self->touched[i].group, &self->changes, err));
    for (uint32_t i = 0; i < self->correlations.touched_count; i++)
        LT_TRY(correlation_save(self, self->correlations.touched[i], &self->changes, err));
    return lt_join_counters_save(self->sides, SAVE_COUNTERS, &self->changes, err);
}

static leat_status rows_forget(delta_join *self, uint32_t number, const lt_expired_rows *rows, lt_arena *arena,
                               leat_error *err) {
    uint32_t *groups;
    LT_TRY_NEW_ARRAY(groups, arena, rows->count, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, rows->keys, self->plan->as.join.key_count, NULL, rows->count,
                                      groups, err));
    for (uint32_t i = 0; i < rows->count; i++) {
        LT_TRY(group_touch(self, groups[i], err));
        LT_TRY(lt_chained_rows_forget(&self->sides[number].rows, rows->slots[i], groups[i], err));
    }
    return LEAT_OK;
}

// What the rows gave stays.
static leat_status rows_expire(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_join   *self     = node->state;
    const int64_t close_us = lt_node_close_us(node, batch);
    bool          has_any  = false;
    if (!self->expiry.is_on || close_us == INT64_MIN) return LEAT_OK;
    for (uint32_t s = 0; s < 2; s++)
        for (;;) {
            lt_expired_rows rows;
            LT_TRY(lt_join_expiry_take(&self->expiry, node, &self->sides[s], s, close_us, batch->scratch, &rows, err));
            if (rows.count == 0) break;
            LT_TRY(rows_forget(self, s, &rows, batch->scratch, err));
            lt_arena_reset(batch->scratch);
            has_any = true;
        }
    if (!has_any) return LEAT_OK;
    for (uint32_t s = 0; s < 2; s++) batch->rows_removed += lt_chained_rows_removed(&self->sides[s].rows);
    LT_TRY(changes_note(node, err));
    return settle(self, err);
}

static leat_status changes_give(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_join *self = node->state;
    LT_TRY(correlations_spread(self, err));
    LT_TRY(pairs_run(node, true, batch, err));
    LT_TRY(shapes_run(node, batch, err));
    lt_join_sides_count(self->sides, batch);
    LT_TRY(changes_note(node, err));
    return settle(self, err);
}

static leat_status delta_join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_join *self = node->state;
    if (!lt_join_sides_take(self->sides) || self->has_changed) LT_TRY(changes_give(node, batch, err));
    return rows_expire(node, batch, err);
}

static bool delta_join_is_due(const lt_node *node, const lt_batch *batch) {
    const delta_join *self = node->state;
    return self->expiry.is_on && node->watermark_mask != 0 &&
           lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

enum { PART_ROWS, PART_RIGHT, PART_CORRELATIONS, PART_COUNTERS };

// Groups of one part from *at on, until `out` has `end` bytes.
static leat_status groups_save(delta_join *self, uint32_t part, uint32_t *at, size_t end, size_t *passed_bytes,
                               bool *out_is_done, lt_buffer *out, leat_error *err) {
    const lt_group_table *groups = part == PART_RIGHT ? &self->groups : &self->correlations.keys;
    *out_is_done                 = false;
    for (; *at < groups->group_count; (*at)++, *passed_bytes += DEAD_BYTES) {
        if (out->bytes + *passed_bytes >= end) return LEAT_OK;
        if (!lt_group_table_is_live(groups, *at)) continue;
        if (part == PART_CORRELATIONS)
            LT_TRY(correlation_save(self, *at, out, err));
        else if (group_weight(self, RIGHT, *at) != 0)
            LT_TRY(group_save(self, *at, out, err));
    }
    *out_is_done = true;
    return LEAT_OK;
}

// Cursor: the part in its high half, the next slot or group in its low one.
static leat_status delta_join_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                        leat_error *err) {
    delta_join  *self         = node->state;
    const size_t end          = bytes_max > SIZE_MAX - out->bytes ? SIZE_MAX : out->bytes + bytes_max;
    size_t       passed_bytes = 0;
    uint32_t     part = (uint32_t)(*cursor >> 32), at = (uint32_t)*cursor;
    for (; part < PART_COUNTERS; part++, at = 0) {
        bool is_done;
        if (part == PART_ROWS || (part == PART_RIGHT && self->sides[RIGHT].rows.use.keeps_rows))
            LT_TRY(lt_join_rows_save(self->sides, part == PART_ROWS ? LEFT : RIGHT, &at, end, &passed_bytes, &is_done,
                                     out, err));
        else
            LT_TRY(groups_save(self, part, &at, end, &passed_bytes, &is_done, out, err));
        if (is_done) continue;
        *cursor = (uint64_t)part << 32 | at;
        return LEAT_OK;
    }
    *cursor = UINT64_MAX;
    return lt_join_counters_save(self->sides, SAVE_COUNTERS, out, err);
}

static leat_status delta_join_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    delta_join *self   = node->state;
    uint64_t    cursor = 0;
    if (is_full) {
        LT_TRY(delta_join_save_part(node, &cursor, SIZE_MAX, out, err));
    } else {
        LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    }
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- load

static leat_status load_rows(lt_node *node, lt_reader *in, lt_batch *batch, leat_error *err) {
    delta_join  *self = node->state;
    lt_chunk     chunk;
    lt_join_rows rows;
    uint32_t     number;
    LT_TRY(lt_join_rows_load(self->sides, in, batch->arena, &number, &chunk, err));
    if (chunk.count == 0) return LEAT_OK;
    LT_TRY(rows_sort(self, number, &chunk, batch->arena, &rows, err));
    LT_TRY(fold(node, number, &chunk, &rows, batch->arena, err));
    LT_TRY(pairs_run(node, false, batch, err));
    return settle(self, err);
}

// The weight of a group on a right side that keeps no rows.
static leat_status load_group(delta_join *self, lt_reader *in, lt_arena *arena, leat_error *err) {
    const lt_plan *plan = self->plan;
    const char    *key;
    size_t         count;
    uint64_t       weight;
    uint32_t       group, number;
    LT_TRY(lt_reader_bytes(in, &key, &count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, count, &group, err));
    LT_TRY(groups_reserve(self, err));
    if (self->is_null_aware) {
        lt_vector     *keys;
        const uint16_t first = 0;
        LT_TRY_NEW_ARRAY(keys, arena, plan->as.join.key_count + 1u, err);
        for (uint32_t k = 0; k < plan->as.join.key_count; k++)
            LT_TRY(lt_vector_init(&keys[k], plan->as.join.left_keys[k]->type, 1, arena, err));
        LT_TRY(lt_group_table_keys(&self->groups, &group, 1, keys, plan->as.join.key_count, arena, err));
        LT_TRY(lt_correlations_find(&self->correlations, keys, &first, 1, &number, err));
        lt_correlations_link(&self->correlations, group, number, false);
    }
    LT_TRY(group_touch(self, group, err));
    self->sides[RIGHT].rows.chains[group].weight = (int64_t)weight;
    return settle(self, err);
}

static leat_status load_correlation(delta_join *self, lt_reader *in, leat_error *err) {
    if (!self->is_null_aware)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has parts of another kind");
    LT_TRY(lt_correlations_load(&self->correlations, in, err));
    return settle(self, err);
}

static leat_status load_part(lt_node *node, lt_reader *in, lt_arena *arena, lt_arena *scratch, leat_error *err) {
    delta_join *self  = node->state;
    lt_batch    batch = {.arena = arena, .scratch = scratch, .evaluation = node->pipeline->evaluation};
    uint8_t     kind;
    LT_TRY(lt_reader_u8(in, &kind, err));
    switch (kind) {
    case LT_JOIN_SAVE_ROW:
        return load_rows(node, in, &batch, err);
    case SAVE_GROUP:
        return load_group(self, in, arena, err);
    case SAVE_CORRELATION:
        return load_correlation(self, in, err);
    case SAVE_COUNTERS:
        return lt_join_counters_load(self->sides, in, err);
    default:
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has a part of kind %u", kind);
    }
}

static leat_status delta_join_load(lt_node *node, lt_reader *in, leat_error *err) {
    lt_arena arena, scratch;
    lt_arena_init(&arena, node->pipeline->account);
    lt_arena_init(&scratch, node->pipeline->account);
    leat_status status = load_part(node, in, &arena, &scratch, err);
    lt_arena_deinit(&arena);
    lt_arena_deinit(&scratch);
    return status;
}

static lt_state_size delta_join_size(const lt_node *node) {
    const delta_join *self = node->state;
    lt_state_size     size = {.bytes = lt_group_table_bytes(&self->groups) +
                                       self->groups.live_count * (2 * sizeof(lt_row_chain) + sizeof *self->touched_at)};
    for (uint32_t s = 0; s < 2; s++) {
        size.rows += lt_chained_rows_live(&self->sides[s].rows);
        size.bytes += lt_chained_rows_bytes(&self->sides[s].rows);
    }
    if (!self->sides[RIGHT].rows.use.keeps_rows) size.rows += self->groups.live_count;
    return size;
}

static void delta_join_close(lt_node *node) {
    delta_join *self    = node->state;
    lt_account *account = self->account;
    if (account == NULL) return;
    for (uint32_t s = 0; s < 2; s++) lt_join_side_close(&self->sides[s]);
    lt_evaluator_close(&self->residual);
    lt_join_expiry_deinit(&self->expiry);
    lt_account_reallocate(account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    lt_account_reallocate(account, self->touched_at, sizeof *self->touched_at * self->group_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_correlations_deinit(&self->correlations);
    lt_buffer_deinit(&self->changes);
    lt_arena_deinit(&self->arena);
    *self = (delta_join){0};
}

static bool delta_join_serves(const lt_plan *plan) { return plan->as.join.is_of_changes; }

const lt_operator_kind lt_operators_delta_join = {
    .name           = "DeltaJoin",
    .plan_kind      = LT_PLAN_JOIN,
    .serves         = delta_join_serves,
    .state_bytes    = sizeof(delta_join),
    .is_incremental = true,
    .open           = delta_join_open,
    .prepare        = delta_join_prepare,
    .push           = delta_join_push,
    .end_batch      = delta_join_end_batch,
    .save           = delta_join_save,
    .load           = delta_join_load,
    .save_part      = delta_join_save_part,
    .is_due         = delta_join_is_due,
    .size           = delta_join_size,
    .state_name     = "symmetricHashJoin",
    .close          = delta_join_close,
};
