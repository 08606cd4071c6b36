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
#include "exec/operator.h"
#include "exec/state/chained_rows.h"
#include "exec/state/group_table.h"

enum { LEFT = 0, RIGHT = 1 };

static const int64_t PLACE_WITHOUT_LEFT = INT64_C(1) << 62;

typedef struct join_side {
    const lt_type             **types;
    const lt_expression *const *keys;
    lt_evaluator                evaluator;
    lt_chained_rows             rows;
    bool                        has_shape; // its rows show something beside their pairs
    bool                        is_static, is_taken;
} join_side;

typedef struct touched_group {
    uint32_t group;
    int64_t  weights_before[2];
} touched_group;

// Right rows of one group of correlated keys of a null-aware join.
typedef struct correlation {
    int64_t  rows, nulls, rows_before, nulls_before;
    uint32_t first;      // of its groups, + 1
    uint32_t touched_at; // + 1
} correlation;

typedef struct group_link {
    uint32_t correlation;    // + 1; 0: the group is new
    uint32_t next, previous; // groups of the correlation, + 1
    bool     is_null;        // the compared value is NULL
} group_link;

typedef struct delta_join {
    const lt_plan *plan;
    lt_account    *account;
    join_side      sides[2];
    lt_group_table groups;
    touched_group *touched;
    uint32_t       touched_count, touched_capacity;
    uint32_t      *touched_at; // by group: + 1
    group_link    *links;      // by group; null-aware
    uint32_t       group_capacity;
    lt_group_table correlation_groups;
    correlation   *correlations;
    uint32_t       correlation_capacity;
    uint32_t      *touched_correlations, touched_correlation_count, touched_correlation_capacity;
    lt_evaluator   residual;
    bool           gives_pairs, is_null_aware, has_changed;
    lt_buffer      changes, scratch;
    lt_arena       arena;
} delta_join;

// What a row shows by itself.
typedef enum shape { HIDDEN, SHOWN, MARKED_FALSE, MARKED_TRUE, MARKED_NULL } shape;

static bool pads(lt_join_type type, uint32_t side) {
    if (type == LT_JOIN_FULL) return true;
    return side == LEFT ? type == LT_JOIN_LEFT || type == LT_JOIN_SINGLE : type == LT_JOIN_RIGHT;
}

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status side_open(lt_node *node, uint32_t number, leat_error *err) {
    delta_join        *self = node->state;
    join_side         *side = &self->sides[number];
    const lt_plan     *plan = node->plan, *input = plan->inputs[number];
    const lt_join_type type  = plan->as.join.type;
    const bool         shows = !self->gives_pairs && number == LEFT;
    side->keys               = number == LEFT ? plan->as.join.left_keys : plan->as.join.right_keys;
    side->has_shape          = shows || pads(type, number);
    side->is_static          = !input->properties.is_streaming;
    LT_TRY_NEW_ARRAY(side->types, &self->arena, input->column_count + 1u, err);
    for (uint32_t c = 0; c < input->column_count; c++) side->types[c] = input->columns[c].type;
    const bool           has_residual = plan->as.join.residual != NULL;
    const lt_chained_use use          = {.types      = side->types,
                                         .width      = input->column_count,
                                         .keeps_rows = self->gives_pairs || has_residual || number == LEFT,
                                         .is_growing = input->properties.is_append_only,
                                         .has_counts = has_residual && side->has_shape};
    LT_TRY(lt_chained_rows_init(&side->rows, &use, self->account, err));
    return lt_evaluator_open(&side->evaluator, side->keys, plan->as.join.key_count, node->pipeline->evaluation,
                             self->account, err);
}

static leat_status delta_join_open(lt_node *node, leat_error *err) {
    delta_join     *self       = node->state;
    const lt_plan  *plan       = node->plan;
    lt_evaluation  *evaluation = node->pipeline->evaluation;
    const lt_type **key_types;
    *self               = (delta_join){.plan = plan, .account = node->pipeline->account};
    self->gives_pairs   = plan->as.join.type <= LT_JOIN_FULL || plan->as.join.type == LT_JOIN_SINGLE;
    self->is_null_aware = plan->as.join.is_null_aware;
    lt_arena_init(&self->arena, self->account);
    lt_buffer_init(&self->changes, self->account, 0);
    LT_TRY(lt_expression_types(plan->as.join.left_keys, plan->as.join.key_count, &self->arena, &key_types, err));
    lt_group_table_init(&self->groups, self->account, key_types, plan->as.join.key_count, evaluation->random_seed);
    lt_group_table_init(&self->correlation_groups, self->account, key_types, plan->as.join.correlated_key_count,
                        evaluation->random_seed);
    LT_TRY(side_open(node, LEFT, err));
    LT_TRY(side_open(node, RIGHT, err));
    return lt_evaluator_open(&self->residual, &plan->as.join.residual, 1, evaluation, self->account, err);
}

static leat_status delta_join_prepare(lt_node *node, leat_error *err) {
    (void)err;
    const delta_join *self = node->state;
    node->skip_mask        = 0;
    for (uint32_t s = 0; s < 2; s++)
        if (self->sides[s].is_static && self->sides[s].is_taken) node->skip_mask |= 1u << s;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- groups

static leat_status groups_reserve(delta_join *self, leat_error *err) {
    const uint32_t have = self->group_capacity, want = self->groups.group_capacity;
    for (uint32_t s = 0; s < 2; s++) LT_TRY(lt_chained_rows_reserve_groups(&self->sides[s].rows, want, err));
    if (have >= want) return LEAT_OK;
    lt_account_array arrays[] = {{self->touched_at, sizeof *self->touched_at}, {self->links, sizeof *self->links}};
    LT_TRY(lt_account_grow(self->account, arrays, self->is_null_aware ? 2 : 1, have, want, err));
    self->touched_at = arrays[0].memory;
    if (self->is_null_aware) self->links = arrays[1].memory;
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

static leat_status correlations_reserve(delta_join *self, leat_error *err) {
    const uint32_t   want  = self->correlation_groups.group_capacity;
    lt_account_array array = {self->correlations, sizeof *self->correlations};
    if (self->correlation_capacity >= want) return LEAT_OK;
    LT_TRY(lt_account_grow(self->account, &array, 1, self->correlation_capacity, want, err));
    self->correlations         = array.memory;
    self->correlation_capacity = want;
    return LEAT_OK;
}

static leat_status correlation_touch(delta_join *self, uint32_t number, leat_error *err) {
    correlation *touched = &self->correlations[number];
    if (touched->touched_at != 0) return LEAT_OK;
    LT_TRY_GROW(self->touched_correlations, self->account, self->touched_correlation_count,
                self->touched_correlation_capacity, 16, err);
    self->touched_correlations[self->touched_correlation_count++] = number;
    touched->touched_at                                           = self->touched_correlation_count;
    touched->rows_before                                          = touched->rows;
    touched->nulls_before                                         = touched->nulls;
    return LEAT_OK;
}

static void group_link_in(delta_join *self, uint32_t group, uint32_t number, bool is_null) {
    group_link  *link = &self->links[group];
    correlation *of   = &self->correlations[number];
    if (link->correlation != 0) return;
    *link = (group_link){.correlation = number + 1, .next = of->first, .is_null = is_null};
    if (of->first != 0) self->links[of->first - 1].previous = group + 1;
    of->first = group + 1;
}

static void group_link_out(delta_join *self, uint32_t group) {
    const group_link link = self->links[group];
    if (link.correlation == 0) return;
    if (link.previous != 0)
        self->links[link.previous - 1].next = link.next;
    else
        self->correlations[link.correlation - 1].first = link.next;
    if (link.next != 0) self->links[link.next - 1].previous = link.previous;
    self->links[group] = (group_link){0};
}

// ---------------------------------------------------------------------------------------------------------------- push

// Rows of a chunk by what their keys can match.
typedef struct sorted_rows {
    lt_vector *keys;
    uint16_t  *joinable, *keyless;
    uint32_t   joinable_count, keyless_count;
} sorted_rows;

// Whether the row has a NULL among its keys [first, end) that are not null-safe.
static bool has_null(const lt_plan *plan, const lt_vector *keys, uint32_t first, uint32_t end, uint32_t row) {
    for (uint32_t k = first; k < end; k++)
        if (!plan->as.join.is_null_safe[k] && lt_vector_is_null(&keys[k], row)) return true;
    return false;
}

// Of a null-aware join only the correlated keys decide.
static leat_status rows_sort(delta_join *self, uint32_t number, const lt_chunk *delta, lt_arena *arena,
                             sorted_rows *out, leat_error *err) {
    const lt_plan *plan      = self->plan;
    join_side     *side      = &self->sides[number];
    const uint32_t key_count = plan->as.join.key_count;
    *out                     = (sorted_rows){0};
    LT_TRY_NEW_ARRAY(out->keys, arena, key_count + 1u, err);
    LT_TRY_NEW_ARRAY(out->joinable, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->keyless, arena, delta->count + 1u, err);
    bool has_nulls = false;
    for (uint32_t k = 0; k < key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&side->evaluator, side->keys[k], delta, NULL, arena, &key, err));
        out->keys[k] = *key;
        has_nulls |= lt_vector_lanes(key)->validity != NULL || key->type->kind == LT_VOID;
    }
    const uint32_t deciding = self->is_null_aware ? plan->as.join.correlated_key_count : key_count;
    for (uint32_t row = 0; row < delta->count; row++) {
        if (has_nulls && has_null(plan, out->keys, 0, deciding, row))
            out->keyless[out->keyless_count++] = (uint16_t)row;
        else
            out->joinable[out->joinable_count++] = (uint16_t)row;
    }
    return LEAT_OK;
}

// NULLs of the other side's columns.
static leat_status other_nulls(const delta_join *self, uint32_t number, lt_arena *arena, lt_vector *columns,
                               leat_error *err) {
    const join_side *other = &self->sides[1 - number];
    for (uint32_t c = 0; c < other->rows.use.width; c++)
        LT_TRY(lt_vector_init_constant_null(&columns[c], other->types[c], arena, err));
    return LEAT_OK;
}

static int64_t place_without_left(int64_t place) {
    return place >= PLACE_WITHOUT_LEFT || place < 0 ? place : PLACE_WITHOUT_LEFT + place;
}

// `own`: columns of rows of side `number` with their shapes, none of them hidden; weights and places are those of `out`.
static leat_status shape_columns(const delta_join *self, uint32_t number, const lt_vector *own, const uint8_t *shapes,
                                 lt_arena *arena, lt_chunk *out, leat_error *err) {
    const uint32_t     width = self->sides[number].rows.use.width, left_width = self->sides[LEFT].rows.use.width;
    const lt_join_type type = self->plan->as.join.type;
    out->column_count       = self->plan->column_count;
    LT_TRY_NEW_ARRAY(out->columns, arena, out->column_count + 1u, err);
    memcpy(out->columns + (number == LEFT ? 0 : left_width), own, sizeof *own * width);
    if (self->gives_pairs) return other_nulls(self, number, arena, out->columns + (number == LEFT ? width : 0), err);
    if (type != LT_JOIN_MARK) return LEAT_OK;
    lt_vector *mark = &out->columns[width];
    LT_TRY(lt_vector_init(mark, lt_type_of(LT_BOOLEAN), out->count, arena, err));
    mark->lanes = out->count;
    for (uint32_t row = 0; row < out->count; row++) {
        LT_LANES(mark, uint8_t)[row] = shapes[row] == MARKED_TRUE;
        if (shapes[row] == MARKED_NULL) LT_TRY(lt_vector_set_null(mark, row, arena, err));
    }
    return LEAT_OK;
}

// Rows that never find a partner.
static leat_status keyless_give(lt_node *node, uint32_t number, const lt_chunk *delta, const sorted_rows *rows,
                                lt_batch *batch, leat_error *err) {
    delta_join        *self  = node->state;
    lt_arena          *arena = batch->scratch;
    const lt_join_type type  = node->plan->as.join.type;
    lt_chunk           own, out;
    uint8_t           *shapes;
    int64_t           *places;
    if (rows->keyless_count == 0 || !self->sides[number].has_shape || type == LT_JOIN_SEMI) return LEAT_OK;
    LT_TRY(lt_chunk_gather(delta, rows->keyless, rows->keyless_count, arena, &own, err));
    LT_TRY_NEW_ARRAY(shapes, arena, own.count + 1u, err);
    memset(shapes, MARKED_FALSE, own.count);
    LT_TRY_NEW_ARRAY(places, arena, own.count + 1u, err);
    for (uint32_t row = 0; row < own.count; row++) {
        places[row] = own.places != NULL ? own.places[row] : self->sides[number].rows.next_place++;
        if (number == RIGHT) places[row] = place_without_left(places[row]);
    }
    out        = own;
    out.places = places;
    LT_TRY(shape_columns(self, number, own.columns, shapes, arena, &out, err));
    return lt_emit(node, &out, batch, err);
}

// Right rows of a null-aware join count for their correlation; those with a value also for their group.
static leat_status correlations_count(delta_join *self, uint32_t number, const lt_chunk *delta, sorted_rows *rows,
                                      const uint32_t *numbers, leat_error *err) {
    const lt_plan *plan  = self->plan;
    uint32_t       count = 0;
    if (number == LEFT) return LEAT_OK;
    for (uint32_t i = 0; i < rows->joinable_count; i++) {
        const uint32_t row    = rows->joinable[i];
        const int64_t  weight = lt_chunk_weight(delta, row);
        const bool     is_null =
            has_null(plan, rows->keys, plan->as.join.correlated_key_count, plan->as.join.key_count, row);
        LT_TRY(correlation_touch(self, numbers[i], err));
        correlation *of = &self->correlations[numbers[i]];
        if (__builtin_add_overflow(of->rows, weight, &of->rows) || of->rows < 0 ||
            (is_null && (of->nulls += weight) < 0))
            return lt_raise(err, LT_INTERNAL_ERROR, &plan->place, "a row was taken away from a join that is not there");
        if (!is_null) rows->joinable[count++] = (uint16_t)row;
    }
    rows->joinable_count = count;
    return LEAT_OK;
}

static leat_status correlate(delta_join *self, uint32_t number, const lt_chunk *delta, sorted_rows *rows,
                             lt_arena *arena, uint32_t **out_numbers, leat_error *err) {
    const lt_plan *plan       = self->plan;
    const uint32_t correlated = plan->as.join.correlated_key_count, count = rows->joinable_count;
    uint32_t      *numbers, at                                            = 0;
    uint16_t      *all;
    LT_TRY_NEW_ARRAY(numbers, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(all, arena, count + 1u, err);
    memcpy(all, rows->joinable, sizeof *all * count);
    LT_TRY(lt_group_table_find_or_add(&self->correlation_groups, rows->keys, correlated, all, count, numbers, err));
    LT_TRY(correlations_reserve(self, err));
    for (uint32_t i = 0; i < count; i++) LT_TRY(correlation_touch(self, numbers[i], err));
    LT_TRY(correlations_count(self, number, delta, rows, numbers, err));
    for (uint32_t i = 0; i < count && at < rows->joinable_count; i++)
        if (all[i] == rows->joinable[at]) numbers[at++] = numbers[i];
    *out_numbers = numbers;
    return LEAT_OK;
}

static leat_status fold(delta_join *self, uint32_t number, const lt_chunk *delta, sorted_rows *rows, lt_arena *arena,
                        leat_error *err) {
    const lt_plan *plan    = self->plan;
    uint32_t      *numbers = NULL, *groups;
    if (self->is_null_aware) LT_TRY(correlate(self, number, delta, rows, arena, &numbers, err));
    LT_TRY_NEW_ARRAY(groups, arena, rows->joinable_count + 1u, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, rows->keys, plan->as.join.key_count, rows->joinable,
                                      rows->joinable_count, groups, err));
    LT_TRY(groups_reserve(self, err));
    for (uint32_t i = 0; i < rows->joinable_count; i++) {
        LT_TRY(group_touch(self, groups[i], err));
        if (self->is_null_aware)
            group_link_in(self, groups[i], numbers[i],
                          has_null(plan, rows->keys, plan->as.join.correlated_key_count, plan->as.join.key_count,
                                   rows->joinable[i]));
    }
    self->has_changed = true;
    return lt_chained_rows_add(&self->sides[number].rows, delta, rows->joinable, groups, rows->joinable_count, arena,
                               NULL, err);
}

static leat_status delta_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                   leat_error *err) {
    delta_join *self = node->state;
    sorted_rows rows;
    LT_TRY(rows_sort(self, input, delta, batch->scratch, &rows, err));
    LT_TRY(fold(self, input, delta, &rows, batch->scratch, err));
    return keyless_give(node, input, delta, &rows, batch, err);
}

// --------------------------------------------------------------------------------------------------------------- pairs

// Pairs of slots, judged a chunk at a time.
typedef struct pairs {
    lt_node  *node;
    lt_batch *batch;
    bool      gives; // else they only count: rows that were saved
    uint32_t *slots[2], *groups;
    int64_t  *weights, *places;
    uint32_t  count;
} pairs;

static leat_status pairs_open(pairs *self, leat_error *err) {
    lt_arena *arena = self->batch->arena;
    for (uint32_t s = 0; s < 2; s++) LT_TRY_NEW_ARRAY(self->slots[s], arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->groups, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->weights, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, arena, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

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
    delta_join *join = self->node->state;
    for (uint32_t s = 0; s < 2; s++) {
        lt_chained_rows *rows = &join->sides[s].rows;
        if (!rows->use.has_counts) continue;
        for (uint32_t i = 0; i < passed_count; i++) {
            const uint32_t pair = passed == NULL ? i : passed[i], slot = self->slots[s][pair];
            const int64_t  more = count_change(join, s, slot, self->slots[1 - s][pair]);
            if (more != 0) LT_TRY(lt_chained_rows_count(rows, slot, self->groups[pair], more, err));
        }
    }
    return LEAT_OK;
}

static leat_status pairs_give(pairs *self, lt_chunk *both, const uint16_t *passed, uint32_t passed_count,
                              leat_error *err) {
    delta_join *join      = self->node->state;
    lt_arena   *arena     = self->batch->scratch;
    bool        is_growth = true;
    uint16_t   *given;
    uint32_t    given_count = 0;
    LT_TRY_NEW_ARRAY(given, arena, passed_count + 1u, err);
    for (uint32_t i = 0; i < passed_count; i++) {
        const uint32_t pair = passed == NULL ? i : passed[i];
        if (self->weights[pair] == 0) continue;
        is_growth &= self->weights[pair] == 1;
        self->places[pair]   = lt_chained_rows_place(&join->sides[LEFT].rows, self->slots[LEFT][pair]);
        given[given_count++] = (uint16_t)pair;
    }
    both->weights = is_growth ? NULL : self->weights;
    both->places  = self->places;
    if (given_count == both->count) return lt_emit_origin(self->node, both, self->batch, err);
    lt_chunk out;
    LT_TRY(lt_chunk_gather(both, given, given_count, arena, &out, err));
    return lt_emit_origin(self->node, &out, self->batch, err);
}

static leat_status pairs_flush(pairs *self, leat_error *err) {
    delta_join          *join       = self->node->state;
    lt_arena            *arena      = self->batch->scratch;
    const lt_expression *residual   = join->plan->as.join.residual;
    const uint32_t       left_width = join->sides[LEFT].rows.use.width, right_width = join->sides[RIGHT].rows.use.width;
    uint16_t            *passed       = NULL;
    uint32_t             passed_count = self->count;
    lt_chunk             both         = {.column_count = left_width + right_width, .count = self->count};
    if (self->count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(both.columns, arena, both.column_count + 1u, err);
    LT_TRY(lt_chained_rows_gather(&join->sides[LEFT].rows, self->slots[LEFT], self->count, arena, both.columns, err));
    LT_TRY(lt_chained_rows_gather(&join->sides[RIGHT].rows, self->slots[RIGHT], self->count, arena,
                                  both.columns + left_width, err));
    if (residual != NULL) {
        LT_TRY_NEW_ARRAY(passed, arena, self->count + 1u, err);
        LT_TRY(lt_evaluator_select(&join->residual, residual, &both, arena, passed, &passed_count, err));
    }
    LT_TRY(pairs_count(self, passed, passed_count, err));
    if (join->gives_pairs && self->gives) LT_TRY(pairs_give(self, &both, passed, passed_count, err));
    self->count = 0;
    lt_arena_reset(arena);
    return LEAT_OK;
}

static bool pair_counts(const delta_join *join, uint32_t left, uint32_t right) {
    return (join->sides[LEFT].rows.use.has_counts && count_change(join, LEFT, left, right) != 0) ||
           (join->sides[RIGHT].rows.use.has_counts && count_change(join, RIGHT, right, left) != 0);
}

static leat_status pair_add(pairs *self, uint32_t left, uint32_t right, uint32_t group, leat_error *err) {
    delta_join *join = self->node->state;
    int64_t     weight;
    LT_TRY(pair_weight(join, left, right, &weight, err));
    if (weight == 0 && !pair_counts(join, left, right)) return LEAT_OK;
    if (self->count == LT_CHUNK_ROWS_MAX) LT_TRY(pairs_flush(self, err));
    self->slots[LEFT][self->count]  = left;
    self->slots[RIGHT][self->count] = right;
    self->groups[self->count]       = group;
    self->weights[self->count++]    = weight;
    return LEAT_OK;
}

// Every pair of which a side has changed, once. Counting adds touches behind the changed rows.
static leat_status pairs_run(lt_node *node, bool gives, lt_batch *batch, leat_error *err) {
    delta_join            *self = node->state;
    const lt_chained_rows *left = &self->sides[LEFT].rows, *right = &self->sides[RIGHT].rows;
    const bool             has_counts = left->use.has_counts || right->use.has_counts;
    pairs                  out        = {.node = node, .batch = batch, .gives = gives};
    if (!has_counts && !(self->gives_pairs && gives)) return LEAT_OK;
    if (left->changed_count == 0 && right->changed_count == 0) return LEAT_OK;
    LT_TRY(pairs_open(&out, err));
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

typedef struct shapes {
    lt_node  *node;
    lt_batch *batch;
    uint32_t  number; // side
    uint32_t *slots;
    uint8_t  *shapes;
    int64_t  *weights, *places;
    uint32_t  count;
} shapes;

static leat_status shapes_open(shapes *self, leat_error *err) {
    lt_arena *arena = self->batch->arena;
    LT_TRY_NEW_ARRAY(self->slots, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->shapes, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->weights, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, arena, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

static leat_status shapes_flush(shapes *self, leat_error *err) {
    delta_join            *join      = self->node->state;
    const lt_chained_rows *rows      = &join->sides[self->number].rows;
    lt_arena              *arena     = self->batch->scratch;
    lt_chunk               out       = {.count = self->count, .places = self->places};
    bool                   is_growth = true;
    lt_vector             *own;
    if (self->count == 0) return LEAT_OK;
    for (uint32_t i = 0; i < self->count; i++) {
        is_growth &= self->weights[i] == 1;
        self->places[i] = lt_chained_rows_place(rows, self->slots[i]);
        if (self->number == RIGHT) self->places[i] = place_without_left(self->places[i]);
    }
    out.weights = is_growth ? NULL : self->weights;
    LT_TRY_NEW_ARRAY(own, arena, rows->use.width + 1u, err);
    LT_TRY(lt_chained_rows_gather(rows, self->slots, self->count, arena, own, err));
    LT_TRY(shape_columns(join, self->number, own, self->shapes, arena, &out, err));
    self->count = 0;
    return lt_emit_origin(self->node, &out, self->batch, err);
}

static leat_status shape_add(shapes *self, uint32_t slot, shape seen, int64_t weight, leat_error *err) {
    if (seen == HIDDEN || weight == 0) return LEAT_OK;
    if (self->count == LT_CHUNK_ROWS_MAX) LT_TRY(shapes_flush(self, err));
    self->slots[self->count]     = slot;
    self->shapes[self->count]    = (uint8_t)seen;
    self->weights[self->count++] = weight;
    return LEAT_OK;
}

static leat_status shape_change(shapes *self, uint32_t slot, shape before, int64_t weight_before, shape now,
                                int64_t weight, leat_error *err) {
    if (before == now) return shape_add(self, slot, now, weight - weight_before, err);
    LT_TRY(shape_add(self, slot, before, -weight_before, err));
    return shape_add(self, slot, now, weight, err);
}

// What a row with so many partners shows. is_null: without a partner the comparison of IN is NULL.
static shape shape_of(const delta_join *self, int64_t partners, bool is_null) {
    switch (self->plan->as.join.type) {
    case LT_JOIN_SEMI:
        return partners > 0 ? SHOWN : HIDDEN;
    case LT_JOIN_MARK:
        return partners > 0 ? MARKED_TRUE : is_null ? MARKED_NULL : MARKED_FALSE;
    default:
        return partners > 0 || is_null ? HIDDEN : SHOWN;
    }
}

static bool in_is_null(const delta_join *self, uint32_t group, bool is_before) {
    if (!self->is_null_aware || self->links[group].correlation == 0) return false;
    const group_link  *link       = &self->links[group];
    const correlation *of         = &self->correlations[link->correlation - 1];
    const bool         has_before = is_before && of->touched_at != 0;
    const int64_t rows = has_before ? of->rows_before : of->rows, nulls = has_before ? of->nulls_before : of->nulls;
    return nulls > 0 || (link->is_null && rows > 0);
}

static shape group_shape(const delta_join *self, uint32_t side, const touched_group *touched, bool is_before) {
    const int64_t partners =
        is_before ? touched->weights_before[1 - side] : group_weight(self, 1 - side, touched->group);
    return shape_of(self, partners, in_is_null(self, touched->group, is_before));
}

static leat_status single_check(const delta_join *self, int64_t weight, int64_t partners, leat_error *err) {
    if (self->plan->as.join.type != LT_JOIN_SINGLE || weight == 0 || partners <= 1) return LEAT_OK;
    return lt_raise(err, LT_SCALAR_SUBQUERY_TOO_MANY_ROWS, &self->plan->place,
                    "a scalar sub-query gave more than one row");
}

// Rows that count their partners: those whose weight or count changed.
static leat_status counted_give(shapes *out, leat_error *err) {
    delta_join            *self = out->node->state;
    const lt_chained_rows *rows = &self->sides[out->number].rows;
    for (uint32_t i = 0; i < rows->touch_count; i++) {
        const lt_row_touch *entry  = &rows->touches[i];
        const int64_t       weight = lt_chained_rows_weight(rows, entry->slot), partners = rows->counts[entry->slot];
        LT_TRY(single_check(self, weight, partners, err));
        LT_TRY(shape_change(out, entry->slot, shape_of(self, entry->count_before, false), entry->weight_before,
                            shape_of(self, partners, false), weight, err));
    }
    return LEAT_OK;
}

// Rows whose key says it all: changed ones, and the others of groups that now show something else.
static leat_status grouped_give(shapes *out, leat_error *err) {
    delta_join            *self = out->node->state;
    const lt_chained_rows *rows = &self->sides[out->number].rows;
    for (uint32_t i = 0; i < rows->changed_count; i++) {
        const lt_row_touch  *entry   = &rows->touches[i];
        const touched_group *touched = &self->touched[self->touched_at[entry->group] - 1];
        LT_TRY(shape_change(out, entry->slot, group_shape(self, out->number, touched, true), entry->weight_before,
                            group_shape(self, out->number, touched, false), lt_chained_rows_weight(rows, entry->slot),
                            err));
    }
    for (uint32_t i = 0; i < self->touched_count; i++) {
        const touched_group *touched = &self->touched[i];
        const shape          before  = group_shape(self, out->number, touched, true);
        const shape          now     = group_shape(self, out->number, touched, false);
        const lt_row_chain  *chain   = &rows->chains[touched->group];
        if (chain->weight > 0)
            LT_TRY(single_check(self, chain->weight, group_weight(self, 1 - out->number, touched->group), err));
        if (before == now) continue;
        for (uint32_t at = chain->head; at != 0; at = rows->next[at - 1]) {
            if (lt_chained_rows_is_changed(rows, at - 1)) continue;
            const int64_t weight = lt_chained_rows_weight(rows, at - 1);
            LT_TRY(shape_change(out, at - 1, before, weight, now, weight, err));
        }
    }
    return LEAT_OK;
}

static leat_status shapes_run(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_join *self = node->state;
    for (uint32_t s = 0; s < 2; s++) {
        shapes out = {.node = node, .batch = batch, .number = s};
        if (!self->sides[s].has_shape) continue;
        LT_TRY(shapes_open(&out, err));
        LT_TRY(self->sides[s].rows.use.has_counts ? counted_give(&out, err) : grouped_give(&out, err));
        LT_TRY(shapes_flush(&out, err));
    }
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

// All groups of a correlation show something else when its right side gets its first row or NULL, or loses the last.
static leat_status correlations_spread(delta_join *self, leat_error *err) {
    for (uint32_t i = 0; i < self->touched_correlation_count; i++) {
        const correlation *of = &self->correlations[self->touched_correlations[i]];
        if ((of->rows > 0) == (of->rows_before > 0) && (of->nulls > 0) == (of->nulls_before > 0)) continue;
        for (uint32_t group = of->first; group != 0; group = self->links[group - 1].next)
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
        if (self->is_null_aware) group_link_out(self, group);
        lt_group_table_remove(&self->groups, group);
    }
    for (uint32_t i = 0; i < self->touched_correlation_count; i++) {
        correlation *of = &self->correlations[self->touched_correlations[i]];
        of->touched_at  = 0;
        if (of->first != 0 || of->rows != 0) continue;
        *of = (correlation){0};
        lt_group_table_remove(&self->correlation_groups, self->touched_correlations[i]);
    }
    self->touched_count = self->touched_correlation_count = 0;
    self->has_changed                                     = false;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- save

// Each part tells the present state of what it names: a slot where rows only come, a row, a group's weight on the right.
enum { SAVE_ROW = 1, SAVE_GROUP = 2, SAVE_CORRELATION = 3, SAVE_COUNTERS = 4, DEAD_BYTES = 8 };

static leat_status row_save(delta_join *self, uint32_t number, uint32_t slot, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_ROW, err));
    LT_TRY(lt_buffer_append_u8(out, (uint8_t)number, err));
    return lt_chained_rows_save(&self->sides[number].rows, slot, out, err);
}

static leat_status group_save(const delta_join *self, uint32_t group, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_GROUP, err));
    LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
    return lt_buffer_append_u64(out, (uint64_t)group_weight(self, RIGHT, group), err);
}

static leat_status correlation_save(const delta_join *self, uint32_t number, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_CORRELATION, err));
    LT_TRY(lt_group_table_save_key(&self->correlation_groups, number, out, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->correlations[number].rows, err));
    return lt_buffer_append_u64(out, (uint64_t)self->correlations[number].nulls, err);
}

static leat_status counters_save(const delta_join *self, lt_buffer *out, leat_error *err) {
    LT_TRY(lt_buffer_append_u8(out, SAVE_COUNTERS, err));
    for (uint32_t s = 0; s < 2; s++) {
        LT_TRY(lt_buffer_append_u8(out, self->sides[s].is_taken, err));
        LT_TRY(lt_buffer_append_u64(out, (uint64_t)self->sides[s].rows.next_place, err));
    }
    return LEAT_OK;
}

// Before rows of weight 0 are gone.
static leat_status changes_note(lt_node *node, leat_error *err) {
    delta_join *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t i = 0; i < self->sides[s].rows.changed_count; i++)
            LT_TRY(row_save(self, s, self->sides[s].rows.touches[i].slot, &self->changes, err));
    for (uint32_t i = 0; i < self->touched_count && !self->sides[RIGHT].rows.use.keeps_rows; i++)
        if (self->touched[i].weights_before[RIGHT] != group_weight(self, RIGHT, self->touched[i].group))
            LT_TRY(group_save(self, self->touched[i].group, &self->changes, err));
    for (uint32_t i = 0; i < self->touched_correlation_count; i++)
        LT_TRY(correlation_save(self, self->touched_correlations[i], &self->changes, err));
    return counters_save(self, &self->changes, err);
}

static leat_status delta_join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    delta_join *self     = node->state;
    bool        is_taken = true;
    for (uint32_t s = 0; s < 2; s++) {
        is_taken &= self->sides[s].is_taken;
        self->sides[s].is_taken = true;
    }
    if (!self->has_changed && is_taken) return LEAT_OK;
    LT_TRY(correlations_spread(self, err));
    LT_TRY(pairs_run(node, true, batch, err));
    LT_TRY(shapes_run(node, batch, err));
    for (uint32_t s = 0; s < 2; s++) {
        batch->rows_updated += self->sides[s].rows.changed_count;
        batch->rows_removed += lt_chained_rows_removed(&self->sides[s].rows);
    }
    LT_TRY(changes_note(node, err));
    return settle(self, err);
}

enum { PART_ROWS, PART_RIGHT, PART_CORRELATIONS, PART_COUNTERS };

// Cursor: the part in its high half, the next slot or group in its low one.
static leat_status delta_join_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                        leat_error *err) {
    delta_join  *self = node->state;
    const size_t end  = bytes_max > SIZE_MAX - out->bytes ? SIZE_MAX : out->bytes + bytes_max;
    size_t       dead = 0;
    uint32_t     part = (uint32_t)(*cursor >> 32), at = (uint32_t)*cursor;
    for (; part < PART_COUNTERS; part++, at = 0) {
        const lt_chained_rows *rows     = &self->sides[part == PART_ROWS ? LEFT : RIGHT].rows;
        const bool             has_rows = part == PART_ROWS || (part == PART_RIGHT && rows->use.keeps_rows);
        const lt_group_table  *groups   = part == PART_RIGHT ? &self->groups : &self->correlation_groups;
        const uint32_t         count    = has_rows ? lt_chained_rows_slots(rows) : groups->group_count;
        for (; at < count; at++, dead += DEAD_BYTES) {
            if (out->bytes + dead >= end) {
                *cursor = (uint64_t)part << 32 | at;
                return LEAT_OK;
            }
            if (has_rows) {
                if (rows->use.is_growing || lt_row_set_at(&rows->set, at).weight != 0)
                    LT_TRY(row_save(self, part == PART_ROWS ? LEFT : RIGHT, at, out, err));
            } else if (lt_group_table_is_live(groups, at)) {
                if (part == PART_CORRELATIONS)
                    LT_TRY(correlation_save(self, at, out, err));
                else if (group_weight(self, RIGHT, at) != 0)
                    LT_TRY(group_save(self, at, out, err));
            }
        }
    }
    *cursor = UINT64_MAX;
    return counters_save(self, out, err);
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

static leat_status corrupt(const char *what, leat_error *err) {
    return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has %s", what);
}

// Saved rows of one side.
typedef struct loading {
    lt_node *node;
    lt_batch batch;
    uint32_t number;
    lt_chunk chunk;
    int64_t *weights, *places;
} loading;

static leat_status loading_begin(loading *self, leat_error *err) {
    delta_join      *join = self->node->state;
    const join_side *side = &join->sides[self->number];
    LT_TRY(lt_chunk_init(&self->chunk, side->types, side->rows.use.width, LT_CHUNK_ROWS_MAX, self->batch.scratch, err));
    LT_TRY_NEW_ARRAY(self->weights, self->batch.scratch, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(self->places, self->batch.scratch, LT_CHUNK_ROWS_MAX, err);
    self->chunk.places  = self->places;
    self->chunk.weights = self->weights;
    return LEAT_OK;
}

static leat_status loading_end(loading *self, leat_error *err) {
    delta_join *join  = self->node->state;
    lt_arena   *arena = self->batch.arena;
    sorted_rows rows;
    if (self->chunk.count == 0) return LEAT_OK;
    LT_TRY(rows_sort(join, self->number, &self->chunk, arena, &rows, err));
    LT_TRY(fold(join, self->number, &self->chunk, &rows, arena, err));
    LT_TRY(pairs_run(self->node, false, &self->batch, err));
    return settle(join, err);
}

// A run of rows, in which none comes twice: the counters of its batch end it.
static leat_status load_rows(loading *self, lt_reader *in, leat_error *err) {
    delta_join      *join = self->node->state;
    lt_chained_rows *rows = &join->sides[self->number].rows;
    if (!rows->use.keeps_rows) return corrupt("rows of another kind", err);
    LT_TRY(loading_begin(self, err));
    for (;;) {
        LT_TRY(lt_chained_rows_load(rows, in, &self->chunk, self->weights, self->places, self->batch.scratch, err));
        if (self->chunk.count == LT_CHUNK_ROWS_MAX || in->end - in->next < 2 || (uint8_t)in->next[0] != SAVE_ROW ||
            (uint8_t)in->next[1] != self->number)
            return loading_end(self, err);
        in->next += 2;
    }
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
        lt_vector *keys;
        LT_TRY_NEW_ARRAY(keys, arena, plan->as.join.key_count + 1u, err);
        for (uint32_t k = 0; k < plan->as.join.key_count; k++)
            LT_TRY(lt_vector_init(&keys[k], plan->as.join.left_keys[k]->type, 1, arena, err));
        LT_TRY(lt_group_table_keys(&self->groups, &group, 1, keys, plan->as.join.key_count, arena, err));
        LT_TRY(lt_group_table_find_or_add(&self->correlation_groups, keys, plan->as.join.correlated_key_count, NULL, 1,
                                          &number, err));
        LT_TRY(correlations_reserve(self, err));
        group_link_in(self, group, number, false);
    }
    LT_TRY(group_touch(self, group, err));
    self->sides[RIGHT].rows.chains[group].weight = (int64_t)weight;
    return settle(self, err);
}

static leat_status load_correlation(delta_join *self, lt_reader *in, leat_error *err) {
    const char *key;
    size_t      count;
    uint64_t    rows, nulls;
    uint32_t    number;
    LT_TRY(lt_reader_bytes(in, &key, &count, err));
    LT_TRY(lt_reader_u64(in, &rows, err));
    LT_TRY(lt_reader_u64(in, &nulls, err));
    if (!self->is_null_aware) return corrupt("parts of another kind", err);
    LT_TRY(lt_group_table_add_bytes(&self->correlation_groups, key, count, &number, err));
    LT_TRY(correlations_reserve(self, err));
    LT_TRY(correlation_touch(self, number, err));
    self->correlations[number].rows  = (int64_t)rows;
    self->correlations[number].nulls = (int64_t)nulls;
    return settle(self, err);
}

static leat_status load_counters(delta_join *self, lt_reader *in, leat_error *err) {
    for (uint32_t s = 0; s < 2; s++) {
        uint8_t  is_taken;
        uint64_t next_place;
        LT_TRY(lt_reader_u8(in, &is_taken, err));
        LT_TRY(lt_reader_u64(in, &next_place, err));
        self->sides[s].is_taken |= is_taken != 0;
        if ((int64_t)next_place > self->sides[s].rows.next_place) self->sides[s].rows.next_place = (int64_t)next_place;
    }
    return LEAT_OK;
}

static leat_status load_part(lt_node *node, lt_reader *in, lt_arena *arena, lt_arena *scratch, leat_error *err) {
    delta_join *self = node->state;
    uint8_t     kind, number;
    LT_TRY(lt_reader_u8(in, &kind, err));
    switch (kind) {
    case SAVE_ROW: {
        loading rows = {.node  = node,
                        .batch = {.arena = arena, .scratch = scratch, .evaluation = node->pipeline->evaluation}};
        LT_TRY(lt_reader_u8(in, &number, err));
        if (number > RIGHT) return corrupt("rows of a third side", err);
        rows.number = number;
        return load_rows(&rows, in, err);
    }
    case SAVE_GROUP:
        return load_group(self, in, arena, err);
    case SAVE_CORRELATION:
        return load_correlation(self, in, err);
    case SAVE_COUNTERS:
        return load_counters(self, in, err);
    default:
        return corrupt("a part of an unknown kind", err);
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
    for (uint32_t s = 0; s < 2; s++) {
        lt_chained_rows_deinit(&self->sides[s].rows);
        lt_evaluator_close(&self->sides[s].evaluator);
    }
    lt_evaluator_close(&self->residual);
    lt_account_reallocate(account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    lt_account_reallocate(account, self->touched_at, sizeof *self->touched_at * self->group_capacity, 0);
    if (self->links != NULL) lt_account_reallocate(account, self->links, sizeof *self->links * self->group_capacity, 0);
    lt_account_reallocate(account, self->correlations, sizeof *self->correlations * self->correlation_capacity, 0);
    lt_account_reallocate(account, self->touched_correlations,
                          sizeof *self->touched_correlations * self->touched_correlation_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_group_table_deinit(&self->correlation_groups);
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
    .size           = delta_join_size,
    .state_name     = "symmetricHashJoin",
    .close          = delta_join_close,
};
