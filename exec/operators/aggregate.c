// aggregate: groups rows by key and keeps one accumulator per group and aggregate. push folds weights and values;
// end_batch lets out the net change (LT_EMIT_NET), the present row of each touched group (LT_EMIT_TOUCHED) or the groups
// that the watermark closes (LT_EMIT_CLOSED).
//
// In a standing query push notes the touched groups, with the results that those had which were there before; in one
// batch from an empty state every group is new, and nothing is noted. A group lives while the weight of its rows is above
// zero; without keys there is one group that lives from the start. Results are made a chunk at a time in batch->scratch,
// so that emission takes no memory by the number of groups.
//
// Memory: the pipeline's account; results from before in batch->arena. Cost: O(rows + touched groups) a batch. Source:
// DBSP (Budiu et al., 2023) for the deltas, recorded Spark for modes and lateness.
#include "exec/aggregation/panes.h"
#include "exec/aggregation/partitions.h"

enum { NO_BEFORE = 0xffffffff };

// What has become of the last rows: new groups, hits on groups that were there, those far from the hit before.
typedef struct growth {
    uint64_t rows, groups, hits, far_hits;
    uint32_t last_hit;
} growth;

typedef struct aggregate {
    const lt_plan           *plan;
    lt_evaluator             keys;
    const lt_type          **types; // of the output: keys, then results
    lt_aggregate_groups      groups;
    bool                     is_standing;
    bool                     may_hold; // rows of many groups
    growth                   growth;
    lt_aggregate_partitions *partitions;           // have the groups; NULL: `groups` has
    lt_group_array           is_touched;           // words of bits by group, in this batch
    uint32_t                *touched, *before_row; // groups of this batch in order; before_row[i]: row of `before`
    uint32_t                 touched_count, touched_capacity; // capacity of both
    lt_chunk                 before;                          // results, without keys
    uint32_t                *changed;                         // groups since the last save
    uint32_t                 changed_count, changed_capacity;
    bool                     is_first;   // the global group was never let out
    bool                     is_settled; // DISTINCT values that the last batch left without weight are gone
    lt_arena                 arena;
} aggregate;

static leat_status aggregate_open(lt_node *node, leat_error *err) {
    aggregate     *self = node->state;
    const lt_plan *plan = node->plan;
    *self               = (aggregate){.plan = plan, .is_first = true, .is_standing = node->pipeline->is_standing};
    lt_arena_init(&self->arena, node->pipeline->account);
    self->groups.account = self->groups.table.account = node->pipeline->account;
    LT_TRY_NEW_ARRAY(self->types, &self->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) self->types[c] = plan->columns[c].type;
    LT_TRY(lt_aggregate_groups_open(&self->groups, node, self->types, &self->arena, err));
    self->may_hold = !self->is_standing && node->pipeline->nodes != NULL && node->pipeline->nodes[plan->id] == node &&
                     lt_aggregate_partitions_can(&self->groups, self->types);
    return lt_evaluator_open(&self->keys, plan->as.aggregate.keys, plan->as.aggregate.key_count,
                             node->pipeline->evaluation, node->pipeline->account, err);
}

// Not in the batch that leaves them, since its save tells of them.
static void values_settle(aggregate *self) {
    for (uint32_t i = 0; i < self->groups.call_count && !self->is_settled; i++)
        if (self->groups.calls[i].is_distinct && self->groups.calls[i].set == 0)
            lt_distinct_settle(self->groups.calls[i].values);
    self->is_settled = true;
}

static bool is_global(const aggregate *self) { return self->groups.is_global; }

// Results of groups into chunks of their own: the calls alone.
static leat_status finish_results(aggregate *self, const uint32_t *groups, uint32_t count, lt_batch *batch,
                                  lt_arena *arena, lt_vector *columns, leat_error *err) {
    for (uint32_t i = 0; i < self->groups.call_count; i++)
        LT_TRY(lt_call_finish(&self->groups.calls[i], groups, count, &columns[i], batch->evaluation, arena, err));
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- push

static leat_status late_rows(lt_node *node, const lt_chunk *delta, const lt_vector *keys, lt_batch *batch,
                             const uint16_t **out_rows, uint32_t *out_count, leat_error *err) {
    aggregate *self = node->state;
    int64_t    late = lt_node_late_us(node, batch);
    *out_rows       = NULL;
    *out_count      = delta->count;
    if (!self->groups.has_event_time || late == INT64_MIN) return LEAT_OK;
    uint16_t *rows;
    uint32_t  count = 0;
    LT_TRY_NEW_ARRAY(rows, batch->scratch, delta->count + 1u, err);
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t due_us;
        if (!lt_event_due(node, &keys[self->plan->as.aggregate.event_time_key], row, &due_us) || due_us > late) {
            rows[count++] = (uint16_t)row;
            continue;
        }
        batch->rows_dropped++;
        if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, 0, delta, row, late, err));
    }
    if (count == delta->count) return LEAT_OK;
    *out_rows  = rows;
    *out_count = count;
    return LEAT_OK;
}

static int64_t place_of(const aggregate *self, const lt_chunk *delta, uint32_t row) {
    return delta->places != NULL ? delta->places[row] : self->groups.next_place + row;
}

static leat_status touched_reserve(aggregate *self, uint32_t more, leat_error *err) {
    lt_account *account = self->groups.account;
    if (self->touched_capacity - self->touched_count < more) {
        uint32_t         want     = self->touched_capacity == 0 ? 64 : self->touched_capacity * 2;
        lt_account_array arrays[] = {{self->touched, sizeof *self->touched},
                                     {self->before_row, sizeof *self->before_row}};
        while (want - self->touched_count < more) want *= 2;
        LT_TRY(lt_account_grow(account, arrays, 2, self->touched_capacity, want, err));
        self->touched          = arrays[0].memory;
        self->before_row       = arrays[1].memory;
        self->touched_capacity = want;
    }
    uint32_t had = self->is_touched.capacity, words = (self->groups.table.group_capacity + 63) / 64;
    if (words <= had) return LEAT_OK;
    LT_TRY(lt_group_array_reserve(&self->is_touched, sizeof(uint64_t), words, account, err));
    memset((uint64_t *)self->is_touched.items + had, 0, sizeof(uint64_t) * (words - had));
    return LEAT_OK;
}

// Marks the groups of these rows; begins those that are new (from `new_from` on, where groups never go); finishes those
// that were there before the batch and are wanted for a retraction.
static leat_status touch(aggregate *self, const uint32_t *groups, const uint16_t *rows, uint32_t count,
                         uint32_t new_from, const lt_chunk *delta, const lt_vector *event_times, lt_batch *batch,
                         leat_error *err) {
    const bool is_net = self->plan->emission == LT_EMIT_NET, may_go = lt_aggregate_groups_may_go(&self->groups);
    uint32_t  *wanted = NULL, wanted_count = 0;
    LT_TRY(touched_reserve(self, count, err));
    if (is_net) LT_TRY_NEW_ARRAY(wanted, batch->scratch, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t  group = groups[i];
        uint64_t *word = &LT_GROUP_ITEM(&self->is_touched, uint64_t, group / 64), bit = UINT64_C(1) << (group % 64);
        if ((*word & bit) != 0) continue;
        *word |= bit;
        bool     was_there = may_go ? lt_aggregate_groups_is_known(&self->groups, group) : group < new_from;
        uint32_t before    = NO_BEFORE;
        if (!was_there) {
            uint32_t row = rows == NULL ? i : rows[i];
            LT_TRY(lt_aggregate_groups_begin(&self->groups, group, place_of(self, delta, row), event_times, row, err));
        } else if (is_net && !(is_global(self) && self->is_first)) {
            before                 = self->before.count + wanted_count;
            wanted[wanted_count++] = group;
        }
        self->before_row[self->touched_count] = before;
        self->touched[self->touched_count++]  = group;
    }
    if (wanted_count == 0) return LEAT_OK;
    lt_chunk              rows_before;
    const uint32_t        call_count = self->groups.call_count;
    const lt_type *const *types      = self->types + self->plan->as.aggregate.key_count;
    LT_TRY(lt_chunk_init(&rows_before, types, call_count, wanted_count, batch->arena, err));
    LT_TRY(finish_results(self, wanted, wanted_count, batch, batch->arena, rows_before.columns, err));
    if (self->before.columns == NULL)
        LT_TRY(lt_chunk_init(&self->before, types, call_count, wanted_count, batch->arena, err));
    for (uint32_t c = 0; c < call_count; c++)
        LT_TRY(lt_vector_append_rows(&self->before.columns[c], &rows_before.columns[c], NULL, wanted_count, false,
                                     batch->arena, err));
    self->before.count += wanted_count;
    return LEAT_OK;
}

// Groups from `first` on are new and were made in the order of the rows.
static leat_status begin_new(aggregate *self, const uint32_t *groups, const uint16_t *rows, uint32_t count,
                             uint32_t first, const lt_chunk *delta, leat_error *err) {
    if (!lt_aggregate_groups_may_go(&self->groups) && !self->groups.keeps_places) return LEAT_OK;
    for (uint32_t i = 0; i < count && first < self->groups.group_count; i++) {
        if (groups[i] != first) continue;
        uint32_t row = rows == NULL ? i : rows[i];
        LT_TRY(lt_aggregate_groups_begin(&self->groups, first++, place_of(self, delta, row), NULL, row, err));
    }
    return LEAT_OK;
}

static leat_status weights_add(aggregate *self, const uint32_t *groups, const uint16_t *rows, uint32_t count,
                               const lt_chunk *delta, leat_error *err) {
    int64_t *weights = self->groups.weights.items;
    if (self->groups.keeps_weights) {
        for (uint32_t i = 0; i < count; i++) weights[groups[i]] += lt_chunk_weight(delta, rows == NULL ? i : rows[i]);
        return LEAT_OK;
    }
    bool leaves = false;
    for (uint32_t row = 0; delta->weights != NULL && row < delta->count; row++) leaves |= delta->weights[row] < 0;
    return leaves ? lt_raise(err, LT_INTERNAL_ERROR, &self->plan->place, "a row leaves an input that only grows")
                  : LEAT_OK;
}

static bool is_one_group(const uint32_t *groups, uint32_t count) {
    uint32_t differences = 0;
    if (count == 0 || groups[0] != groups[count - 1]) return false;
    for (uint32_t i = 0; i < count; i++) differences |= groups[i] ^ groups[0];
    return differences == 0;
}

// Whether there are many groups, many of them new, and the rows of those that are not go here and there: then the next
// rows will hardly find their groups in the cache. Where so far all are new, they may come again in their order, which is
// faster without; the slots of very many are out of reach all the same. `had`: groups before these rows.
static bool wants_partitions(aggregate *self, const uint32_t *found, uint32_t count, uint32_t had) {
    enum { NEAR_GROUPS = 32, ROWS_PER_FAR_HIT = 128, FAR_ADDED = 8 };
    const uint32_t wanted = self->groups.node->pipeline->held_groups_min;
    const uint32_t least  = wanted != 0 ? wanted : (uint32_t)LT_HELD_GROUPS_MIN;
    growth        *since  = &self->growth;
    if (!self->may_hold || self->groups.group_count < least / 2) return false;
    for (uint32_t i = 0; i < count; i++) {
        const bool     is_hit   = found[i] < had;
        const uint32_t distance = found[i] - since->last_hit + NEAR_GROUPS;
        since->far_hits += is_hit && distance > 2 * NEAR_GROUPS;
        since->hits += is_hit;
        since->last_hit = is_hit ? found[i] : since->last_hit;
    }
    since->rows += count;
    since->groups += self->groups.group_count - had;
    if (since->rows < least / 4 || self->groups.group_count < least) return false;
    const bool finds_far = since->far_hits * 2 > since->hits && since->far_hits * ROWS_PER_FAR_HIT >= since->rows;
    const bool only_adds = since->hits == 0 && self->groups.group_count / FAR_ADDED >= least;
    const bool wants     = since->groups * LT_HELD_ROWS_PER_GROUP >= since->rows && (finds_far || only_adds);
    *since               = (growth){.last_hit = since->last_hit};
    return wants && lt_aggregate_partitions_have_room(&self->groups);
}

static leat_status aggregate_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                  leat_error *err) {
    (void)input;
    aggregate           *self      = node->state;
    lt_aggregate_groups *groups    = &self->groups;
    uint32_t             key_count = self->plan->as.aggregate.key_count, had = groups->group_count;
    lt_vector           *keys;
    values_settle(self);
    LT_TRY_NEW_ARRAY(keys, batch->scratch, key_count + 1u, err);
    for (uint32_t k = 0; k < key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&self->keys, self->plan->as.aggregate.keys[k], delta, NULL, batch->scratch, &key, err));
        keys[k] = *key;
    }
    if (self->partitions != NULL) return lt_aggregate_partitions_add(self->partitions, keys, delta, batch, err);
    lt_call_rows rows = {.chunk = delta, .next_place = groups->next_place};
    LT_TRY(late_rows(node, delta, keys, batch, &rows.rows, &rows.count, err));
    uint32_t *found = lt_arena_alloc(batch->scratch, sizeof *found * (rows.count + 1u));
    if (found == NULL) return lt_raise_no_memory(err);
    rows.groups = found;
    if (key_count > 0)
        LT_TRY(lt_group_table_find_or_add(&groups->table, keys, key_count, rows.rows, rows.count, found, err));
    else
        memset(found, 0, sizeof *found * rows.count);
    rows.is_one_group = is_one_group(found, rows.count);
    LT_TRY(lt_aggregate_groups_ready(groups, err));
    const lt_vector *event_times = groups->has_event_time ? &keys[self->plan->as.aggregate.event_time_key] : NULL;
    LT_TRY(self->is_standing ? touch(self, found, rows.rows, rows.count, had, delta, event_times, batch, err)
                             : begin_new(self, found, rows.rows, rows.count, had, delta, err));
    LT_TRY(weights_add(self, found, rows.rows, rows.count, delta, err));
    for (uint32_t i = 0; i < groups->call_count; i++)
        LT_TRY(lt_call_update(&groups->calls[i], &rows, batch, groups->account, err));
    groups->next_place += delta->count;
    if (!wants_partitions(self, found, rows.count, had)) return LEAT_OK;
    return lt_aggregate_partitions_open(groups, node, self->types, &self->partitions, err);
}

// --------------------------------------------------------------------------------------------------------------- merge

// Groups that have no more than their keys and accumulators.
static bool aggregate_can_merge(const lt_node *node) {
    const aggregate           *self   = node->state;
    const lt_aggregate_groups *groups = &self->groups;
    bool                       can    = !groups->keeps_weights && !groups->keeps_places && !groups->has_event_time;
    for (uint32_t i = 0; can && i < groups->call_count; i++) can = lt_call_can_merge(&groups->calls[i]);
    return can;
}

static leat_status aggregate_merge(lt_node *node, lt_node *from, lt_batch *batch, leat_error *err) {
    aggregate           *self = node->state, *part = from->state;
    lt_aggregate_groups *groups    = &self->groups;
    const uint32_t       key_count = self->plan->as.aggregate.key_count, all = part->groups.group_count;
    if (self->partitions != NULL) return lt_aggregate_partitions_merge(self->partitions, &part->groups, batch, err);
    for (uint32_t first = 0, count; part->groups.next_place > 0 && first < all; first += count) {
        const uint32_t had = groups->group_count;
        uint32_t      *theirs, *ours;
        lt_chunk       keys;
        count = all - first < LT_CHUNK_ROWS_MAX ? all - first : LT_CHUNK_ROWS_MAX;
        LT_TRY_NEW_ARRAY(theirs, batch->scratch, count, err);
        LT_TRY_NEW_ARRAY(ours, batch->scratch, count, err);
        LT_TRY(lt_chunk_init(&keys, self->types, key_count, count, batch->scratch, err));
        keys.count = count;
        for (uint32_t i = 0; i < count; i++) theirs[i] = first + i;
        if (key_count > 0) {
            LT_TRY(
                lt_group_table_keys(&part->groups.table, theirs, count, keys.columns, key_count, batch->scratch, err));
            LT_TRY(lt_group_table_find_or_add(&groups->table, keys.columns, key_count, NULL, count, ours, err));
        }
        LT_TRY(lt_aggregate_groups_ready(groups, err));
        if (self->is_standing) LT_TRY(touch(self, ours, NULL, count, had, &keys, NULL, batch, err));
        for (uint32_t i = 0; i < groups->call_count; i++)
            LT_TRY(lt_call_merge(&groups->calls[i], &part->groups.calls[i], first, ours, count, groups->account, err));
        lt_arena_reset(batch->scratch);
    }
    groups->next_place += part->groups.next_place;
    return LEAT_OK;
}

// Groups of panes, each with one of the windows that hold it.
typedef struct pane_pairs {
    uint32_t *groups; // of the panes
    int64_t  *starts; // of the windows
    uint32_t  count;
} pane_pairs;

static leat_status pairs_take(lt_node *node, aggregate *part, const lt_panes *panes, const pane_pairs *pairs,
                              lt_batch *batch, leat_error *err) {
    aggregate           *self      = node->state;
    lt_aggregate_groups *groups    = &self->groups;
    const uint32_t       key_count = self->plan->as.aggregate.key_count, had = groups->group_count;
    uint32_t            *ours;
    int64_t             *places;
    lt_chunk             keys;
    LT_TRY_NEW_ARRAY(ours, batch->scratch, pairs->count + 1u, err);
    LT_TRY_NEW_ARRAY(places, batch->scratch, pairs->count + 1u, err);
    LT_TRY(lt_chunk_init(&keys, self->types, key_count, pairs->count, batch->scratch, err));
    LT_TRY(lt_group_table_keys(&part->groups.table, pairs->groups, pairs->count, keys.columns, key_count,
                               batch->scratch, err));
    lt_vector *window = &keys.columns[panes->key];
    for (uint32_t i = 0; i < pairs->count; i++) {
        LT_LANES(&window->children[0], int64_t)[i] = pairs->starts[i];
        LT_LANES(&window->children[1], int64_t)[i] = pairs->starts[i] + panes->duration_us;
        places[i]                                  = lt_aggregate_groups_place(&part->groups, pairs->groups[i]);
    }
    keys.count  = pairs->count;
    keys.places = places;
    LT_TRY(lt_group_table_find_or_add(&groups->table, keys.columns, key_count, NULL, pairs->count, ours, err));
    LT_TRY(lt_aggregate_groups_ready(groups, err));
    const lt_vector *event_times =
        groups->has_event_time ? &keys.columns[self->plan->as.aggregate.event_time_key] : NULL;
    LT_TRY(self->is_standing ? touch(self, ours, NULL, pairs->count, had, &keys, event_times, batch, err)
                             : begin_new(self, ours, NULL, pairs->count, had, &keys, err));
    // One pair after the other: a window may come several times, and its panes in the order of their rows.
    for (uint32_t c = 0; c < groups->call_count; c++)
        for (uint32_t i = 0; i < pairs->count; i++)
            LT_TRY(lt_call_merge(&groups->calls[c], &part->groups.calls[c], pairs->groups[i], &ours[i], 1,
                                 groups->account, err));
    return LEAT_OK;
}

leat_status lt_aggregate_take_panes(lt_node *node, lt_node *from, const lt_panes *panes, lt_batch *batch,
                                    uint64_t *out_pairs, leat_error *err) {
    aggregate *self = node->state, *part = from->state;
    pane_pairs pairs = {0};
    values_settle(self);
    LT_TRY_NEW_ARRAY(pairs.groups, batch->arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(pairs.starts, batch->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t first = 0, count; first < part->groups.group_count; first += count) {
        lt_chunk  keys;
        uint32_t *theirs;
        int64_t  *starts;
        count = part->groups.group_count - first;
        count = count < LT_CHUNK_ROWS_MAX ? count : LT_CHUNK_ROWS_MAX;
        LT_TRY_NEW_ARRAY(theirs, batch->scratch, count, err);
        LT_TRY_NEW_ARRAY(starts, batch->arena, count, err);
        LT_TRY(lt_chunk_init(&keys, self->types, self->plan->as.aggregate.key_count, count, batch->scratch, err));
        for (uint32_t i = 0; i < count; i++) theirs[i] = first + i;
        LT_TRY(lt_group_table_keys(&part->groups.table, theirs, count, keys.columns, self->plan->as.aggregate.key_count,
                                   batch->scratch, err));
        memcpy(starts, keys.columns[panes->key].children[0].values, count * sizeof *starts);
        lt_arena_reset(batch->scratch);
        for (uint32_t i = 0; i < count; i++) {
            int64_t start = lt_pane_start(starts[i], panes->offset_us, panes->slide_us);
            for (; start > starts[i] - panes->duration_us; start -= panes->slide_us) {
                pairs.groups[pairs.count]   = first + i;
                pairs.starts[pairs.count++] = start;
                if (pairs.count < LT_CHUNK_ROWS_MAX) continue;
                LT_TRY(pairs_take(node, part, panes, &pairs, batch, err));
                lt_arena_reset(batch->scratch);
                *out_pairs += pairs.count;
                pairs.count = 0;
            }
        }
    }
    LT_TRY(pairs_take(node, part, panes, &pairs, batch, err));
    lt_arena_reset(batch->scratch);
    *out_pairs += pairs.count;
    return LEAT_OK;
}

uint32_t lt_aggregate_group_count(const lt_node *node) { return ((const aggregate *)node->state)->groups.group_count; }

// ----------------------------------------------------------------------------------------------------------- end_batch

// Sends the present rows of groups, at most a chunk of them.
static leat_status emit_rows(lt_node *node, const uint32_t *groups, uint32_t count, lt_batch *batch, leat_error *err) {
    aggregate *self      = node->state;
    lt_arena  *arena     = batch->scratch;
    uint32_t   key_count = self->plan->as.aggregate.key_count;
    lt_chunk   out;
    int64_t   *places;
    if (count == 0) return LEAT_OK;
    LT_TRY(lt_chunk_init(&out, self->types, self->plan->column_count, count, arena, err));
    if (key_count > 0)
        LT_TRY(lt_group_table_keys(&self->groups.table, groups, count, out.columns, key_count, arena, err));
    LT_TRY(finish_results(self, groups, count, batch, arena, out.columns + key_count, err));
    LT_TRY_NEW_ARRAY(places, arena, count, err);
    for (uint32_t i = 0; i < count; i++) places[i] = lt_aggregate_groups_place(&self->groups, groups[i]);
    out.places = places;
    out.count  = count;
    return lt_emit_origin(node, &out, batch, err);
}

static leat_status emit_groups(lt_node *node, const uint32_t *groups, uint32_t count, lt_batch *batch,
                               leat_error *err) {
    for (uint32_t first = 0; first < count; first += LT_CHUNK_ROWS_MAX)
        LT_TRY(emit_rows(node, groups + first, count - first < LT_CHUNK_ROWS_MAX ? count - first : LT_CHUNK_ROWS_MAX,
                         batch, err));
    return LEAT_OK;
}

// All groups of one batch from an empty state, in the order of their first rows.
static leat_status emit_all(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate *self = node->state;
    if (self->partitions != NULL) return lt_aggregate_partitions_emit(self->partitions, batch, err);
    for (uint32_t group = 0; group < self->groups.group_count;) {
        uint32_t *alive, count = 0;
        LT_TRY_NEW_ARRAY(alive, batch->scratch, LT_CHUNK_ROWS_MAX, err);
        for (; group < self->groups.group_count && count < LT_CHUNK_ROWS_MAX; group++)
            if (lt_aggregate_groups_is_alive(&self->groups, group)) alive[count++] = group;
        LT_TRY(emit_rows(node, alive, count, batch, err));
    }
    return LEAT_OK;
}

// Whether two results are not the same bytes.
static leat_status result_differs(const lt_vector *a, uint32_t row_a, const lt_vector *b, uint32_t row_b,
                                  lt_buffer *scratch, bool *out, leat_error *err) {
    const lt_kind kind    = a->type->kind;
    const size_t  stride  = lt_kind_lane_bytes(kind);
    const bool    is_null = lt_lane_is_null(a, row_a);
    *out                  = is_null != lt_lane_is_null(b, row_b);
    if (*out || is_null) return LEAT_OK;
    if (lt_kind_is_bytes(kind)) {
        *out = !lt_string_equal(&LT_LANES(a, const lt_string)[row_a], &LT_LANES(b, const lt_string)[row_b]);
        return LEAT_OK;
    }
    if (!lt_kind_is_nested(kind)) {
        *out = memcmp((const char *)a->values + stride * row_a, (const char *)b->values + stride * row_b, stride) != 0;
        return LEAT_OK;
    }
    lt_buffer_reset(scratch);
    LT_TRY(lt_row_encode(a, 1, row_a, false, scratch, err));
    size_t middle = scratch->bytes;
    LT_TRY(lt_row_encode(b, 1, row_b, false, scratch, err));
    *out = scratch->bytes != 2 * middle || memcmp(scratch->data, scratch->data + middle, middle) != 0;
    return LEAT_OK;
}

// Copies a result behind the last lane of `into`, which has room; bytes of texts are shared.
static leat_status result_append(lt_vector *into, const lt_vector *from, uint32_t row, lt_arena *arena,
                                 leat_error *err) {
    const size_t stride = lt_kind_lane_bytes(into->type->kind);
    if (lt_kind_is_nested(into->type->kind)) return lt_vector_append_row(into, from, row, arena, err);
    if (lt_lane_is_null(from, row)) return lt_vector_append_null(into, arena, err);
    lt_vector_set_valid(into, into->lanes);
    memcpy((char *)into->values + stride * into->lanes++, (const char *)from->values + stride * row, stride);
    return LEAT_OK;
}

typedef struct net_rows {
    lt_chunk  out;
    uint32_t *groups;
    int64_t  *weights, *places;
} net_rows;

static leat_status net_append(const aggregate *self, net_rows *net, const lt_chunk *results, uint32_t row,
                              uint32_t group, int64_t weight, lt_arena *arena, leat_error *err) {
    lt_vector *columns = net->out.columns + self->plan->as.aggregate.key_count;
    for (uint32_t c = 0; c < results->column_count; c++)
        LT_TRY(result_append(&columns[c], &results->columns[c], row, arena, err));
    net->groups[net->out.count]    = group;
    net->places[net->out.count]    = lt_aggregate_groups_place(&self->groups, group);
    net->weights[net->out.count++] = weight;
    return LEAT_OK;
}

// -before, +after of the touched groups [first, first + count) whose results changed; keys do not.
static leat_status emit_differences(lt_node *node, uint32_t first, uint32_t count, lt_batch *batch, leat_error *err) {
    aggregate *self  = node->state;
    lt_arena  *arena = batch->scratch;
    uint32_t  *alive, alive_count = 0, key_count = self->plan->as.aggregate.key_count;
    lt_chunk   after;
    net_rows   net;
    LT_TRY_NEW_ARRAY(alive, arena, count, err);
    for (uint32_t i = 0; i < count; i++)
        if (lt_aggregate_groups_is_alive(&self->groups, self->touched[first + i]))
            alive[alive_count++] = self->touched[first + i];
    LT_TRY(lt_chunk_init(&after, self->types + key_count, self->groups.call_count, alive_count + 1, arena, err));
    LT_TRY(finish_results(self, alive, alive_count, batch, arena, after.columns, err));
    LT_TRY(lt_chunk_init(&net.out, self->types, self->plan->column_count, count * 2, arena, err));
    LT_TRY_NEW_ARRAY(net.groups, arena, count * 2, err);
    LT_TRY_NEW_ARRAY(net.weights, arena, count * 2, err);
    LT_TRY_NEW_ARRAY(net.places, arena, count * 2, err);
    for (uint32_t i = 0, row = 0; i < count; i++) {
        uint32_t group = self->touched[first + i], before = self->before_row[first + i];
        bool     lives = lt_aggregate_groups_is_alive(&self->groups, group), differs = before == NO_BEFORE || !lives;
        for (uint32_t c = 0; c < after.column_count && !differs; c++)
            LT_TRY(result_differs(&self->before.columns[c], before, &after.columns[c], row, &self->groups.table.scratch,
                                  &differs, err));
        if (differs && before != NO_BEFORE)
            LT_TRY(net_append(self, &net, &self->before, before, group, -1, arena, err));
        if (differs && lives) LT_TRY(net_append(self, &net, &after, row, group, 1, arena, err));
        row += lives;
    }
    if (key_count > 0)
        LT_TRY(lt_group_table_keys(&self->groups.table, net.groups, net.out.count, net.out.columns, key_count, arena,
                                   err));
    net.out.places  = net.places;
    net.out.weights = net.weights;
    return lt_emit_origin(node, &net.out, batch, err);
}

// What touched groups have become; half a chunk of groups at once. Groups that are all new have no row to take back.
static leat_status emit_net(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate *self = node->state;
    for (uint32_t first = 0, count; first < self->touched_count; first += count) {
        bool all_new = true;
        count        = self->touched_count - first;
        if (count > LT_CHUNK_ROWS_MAX / 2) count = LT_CHUNK_ROWS_MAX / 2;
        for (uint32_t i = 0; i < count; i++)
            all_new &= self->before_row[first + i] == NO_BEFORE &&
                       lt_aggregate_groups_is_alive(&self->groups, self->touched[first + i]);
        LT_TRY(all_new ? emit_rows(node, self->touched + first, count, batch, err)
                       : emit_differences(node, first, count, batch, err));
    }
    return LEAT_OK;
}

static leat_status changed_append(aggregate *self, const uint32_t *groups, uint32_t count, leat_error *err) {
    if (self->changed_capacity - self->changed_count < count) {
        uint32_t want = self->changed_capacity == 0 ? 64 : self->changed_capacity * 2;
        while (want - self->changed_count < count) want *= 2;
        lt_account_array array = {self->changed, sizeof *self->changed};
        LT_TRY(lt_account_grow(self->groups.account, &array, 1, self->changed_capacity, want, err));
        self->changed          = array.memory;
        self->changed_capacity = want;
    }
    if (count > 0) memcpy(self->changed + self->changed_count, groups, sizeof *groups * count);
    self->changed_count += count;
    return LEAT_OK;
}

// Groups at or below the watermark: given in append mode, else silent; removed.
static leat_status close_groups(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate *self     = node->state;
    int64_t    close_us = lt_node_close_us(node, batch);
    if (!self->groups.has_event_time || close_us == INT64_MIN) return LEAT_OK;
    uint32_t   *due = NULL, count = 0, capacity = 0, group;
    leat_status status = LEAT_OK;
    while (status == LEAT_OK && (group = lt_aggregate_groups_pop_due(&self->groups, close_us)) != LT_NO_GROUP) {
        if (count == capacity) {
            lt_account_array array = {due, sizeof *due};
            status = lt_account_grow(self->groups.account, &array, 1, capacity, capacity == 0 ? 64 : capacity * 2, err);
            due    = array.memory;
            capacity = status != LEAT_OK ? capacity : capacity == 0 ? 64 : capacity * 2;
        }
        if (status == LEAT_OK) due[count++] = group;
    }
    if (status == LEAT_OK && self->plan->emission == LT_EMIT_CLOSED) status = emit_groups(node, due, count, batch, err);
    for (uint32_t i = 0; status == LEAT_OK && i < count; i++) {
        bool is_noted = ((LT_GROUP_ITEM(&self->is_touched, uint64_t, due[i] / 64) >> (due[i] % 64)) & 1) != 0;
        if (node->pipeline->with_state && !is_noted) status = changed_append(self, &due[i], 1, err);
        lt_aggregate_groups_remove(&self->groups, due[i]);
    }
    batch->rows_removed += count;
    lt_account_reallocate(self->groups.account, due, sizeof *due * capacity, 0);
    return status;
}

static leat_status aggregate_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    aggregate           *self   = node->state;
    lt_aggregate_groups *groups = &self->groups;
    if (!self->is_standing) return emit_all(node, batch, err);
    self->changed_count = 0;
    values_settle(self);
    if (is_global(self) && (self->is_first || self->plan->emission != LT_EMIT_NET) && self->touched_count == 0) {
        uint32_t zero = 0;
        LT_TRY(touch(self, &zero, NULL, 1, 1, &(lt_chunk){0}, NULL, batch, err));
    }
    batch->rows_updated += self->touched_count;
    if (self->plan->emission == LT_EMIT_NET) LT_TRY(emit_net(node, batch, err));
    if (self->plan->emission == LT_EMIT_TOUCHED)
        LT_TRY(emit_groups(node, self->touched, self->touched_count, batch, err));
    self->is_first = false;
    LT_TRY(touched_reserve(self, 0, err)); // a group that closes may have been loaded only
    LT_TRY(close_groups(node, batch, err));
    if (node->pipeline->with_state) LT_TRY(changed_append(self, self->touched, self->touched_count, err));
    for (uint32_t i = 0; i < self->touched_count; i++) {
        uint32_t group = self->touched[i];
        LT_GROUP_ITEM(&self->is_touched, uint64_t, group / 64) &= ~(UINT64_C(1) << (group % 64));
        if (groups->keeps_weights && lt_group_table_is_live(&groups->table, group) &&
            !lt_aggregate_groups_is_alive(groups, group))
            lt_aggregate_groups_remove(groups, group);
    }
    self->touched_count = 0;
    self->before        = (lt_chunk){0};
    self->is_settled    = false;
    return LEAT_OK;
}

// Spark runs another batch when the watermark has moved, whether or not a group falls due (recorded).
static bool aggregate_is_due(const lt_node *node, const lt_batch *batch) {
    const aggregate *self = node->state;
    if (self->plan->emission == LT_EMIT_NET && !self->groups.has_event_time) return false;
    return node->watermark_mask != 0 && lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

static int64_t aggregate_last_due_us(const lt_node *node) {
    return lt_aggregate_groups_last_due_us(&((const aggregate *)node->state)->groups);
}

static leat_status aggregate_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    aggregate *self = node->state;
    return lt_aggregate_groups_save(&self->groups, self->changed, self->changed_count, is_full, out, err);
}

static leat_status aggregate_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                       leat_error *err) {
    aggregate *self = node->state;
    return lt_aggregate_groups_save_part(&self->groups, cursor, bytes_max, out, err);
}

static leat_status aggregate_load(lt_node *node, lt_reader *in, leat_error *err) {
    aggregate *self = node->state;
    self->is_first  = false;
    return lt_aggregate_groups_load(&self->groups, self->types, in, err);
}

static lt_state_size aggregate_size(const lt_node *node) {
    const aggregate *self = node->state;
    if (self->partitions != NULL) return lt_aggregate_partitions_size(self->partitions);
    return (lt_state_size){.rows = self->groups.table.live_count, .bytes = lt_aggregate_groups_bytes(&self->groups)};
}

static void aggregate_close(lt_node *node) {
    aggregate  *self    = node->state;
    lt_account *account = node->pipeline->account;
    lt_group_array_deinit(&self->is_touched, sizeof(uint64_t), account);
    lt_account_reallocate(account, self->touched, sizeof(uint32_t) * self->touched_capacity, 0);
    lt_account_reallocate(account, self->before_row, sizeof(uint32_t) * self->touched_capacity, 0);
    lt_account_reallocate(account, self->changed, sizeof(uint32_t) * self->changed_capacity, 0);
    lt_aggregate_partitions_close(&self->partitions);
    lt_aggregate_groups_close(&self->groups);
    lt_evaluator_close(&self->keys);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_aggregate = {
    .name           = "Aggregate",
    .plan_kind      = LT_PLAN_AGGREGATE,
    .state_bytes    = sizeof(aggregate),
    .is_incremental = true,
    .open           = aggregate_open,
    .push           = aggregate_push,
    .end_batch      = aggregate_end_batch,
    .can_merge      = aggregate_can_merge,
    .merge          = aggregate_merge,
    .save           = aggregate_save,
    .save_part      = aggregate_save_part,
    .load           = aggregate_load,
    .is_due         = aggregate_is_due,
    .last_due_us    = aggregate_last_due_us,
    .size           = aggregate_size,
    .state_name     = "stateStoreSave",
    .close          = aggregate_close,
};
