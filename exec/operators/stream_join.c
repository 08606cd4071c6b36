// stream_join: join of two streams in output modes append and update. Both sides are kept, chained per key; a row
// probes the other side as it comes and is kept itself, so each pair is found once, whichever side comes first.
//
//     key -> left chain, right chain        timer: when a row can find no partner any more (planner/stream_join.h)
//
// Late rows go first. A row whose side's own condition fails finds no partner: a preserved row comes with NULLs at
// once, others are gone. A NULL key matches nothing; preserved rows wait for their timer with it. When the watermark
// reaches a row it leaves the state, with NULLs if it is preserved and never matched. A semi join gives a left row at
// its first match and forgets it. Memory: the kept rows. Cost: O(rows + pairs with equal keys) a batch.
// Source: spark-semantics 8.1 (recorded).
#include "planner/stream_join.h"
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "exec/state/timer_heap.h"

enum { LEFT = 0, RIGHT = 1 };

typedef struct kept_row {
    char    *bytes; // the account's; NULL: free
    uint32_t count;
    uint32_t group;          // LT_NO_GROUP: a key that matches nothing
    uint32_t previous, next; // in the chain; slot + 1. Free: next free slot + 1
    bool     is_matched, is_leaving;
    int64_t  due_us; // INT64_MAX: never
} kept_row;

typedef struct join_side {
    lt_stream_bound             bound;
    bool                        is_preserved;
    uint32_t                    width;
    const lt_type             **types;
    const lt_expression *const *keys;
    const lt_expression        *own; // condition over this side alone, or NULL
    lt_evaluator                key_evaluator, own_evaluator;
    kept_row                   *rows;
    uint32_t                    row_count, row_capacity, first_free; // first_free: slot + 1
    bool                        has_stale_free;                      // after load
    uint32_t                   *heads, *tails;                       // by group: slot + 1
    uint32_t                   *leaving, leaving_count, leaving_capacity;
    lt_timer_heap               timers;
    uint64_t                    live_rows, live_bytes;
} join_side;

typedef struct stream_join {
    const lt_plan       *plan;
    lt_account          *account;
    join_side            sides[2];
    lt_group_table       groups;
    uint32_t            *members; // by group: rows of both sides
    uint32_t             group_capacity;
    const lt_expression *residual; // terms over both sides, or NULL
    lt_evaluator         residual_evaluator;
    lt_buffer            scratch, changes;
    lt_arena             arena;
} stream_join;

static bool is_semi(const stream_join *self) { return self->plan->as.join.type == LT_JOIN_SEMI; }

// ---------------------------------------------------------------------------------------------------------------- open

typedef struct term_split {
    stream_join          *self;
    const lt_expression **terms[3]; // left alone (and constants), right alone, both
    uint32_t              counts[3];
    bool                  has_failed;
} term_split;

enum { TERMS_MAX = 64 };

static void term_add(void *user, const lt_expression *term) {
    term_split    *split = user;
    const uint32_t sides = lt_join_sides(split->self->plan, term), kind = sides == 3 ? 2 : sides == 2 ? 1 : 0;
    if (split->counts[kind] == TERMS_MAX)
        split->has_failed = true;
    else
        split->terms[kind][split->counts[kind]++] = term;
}

static leat_status conjunction(stream_join *self, const lt_expression *const *terms, uint32_t count, int32_t shift,
                               const lt_expression **out, leat_error *err) {
    *out = NULL;
    if (count == 0) return LEAT_OK;
    lt_expression *all;
    LT_TRY_NEW(all, &self->arena, err);
    *all = (lt_expression){.kind           = LT_EXPRESSION_AND,
                           .type           = lt_type_of(LT_BOOLEAN),
                           .place          = terms[0]->place,
                           .arguments      = terms,
                           .argument_count = count};
    *out = count == 1 ? terms[0] : all;
    if (shift != 0) *out = lt_expression_shift(&self->arena, *out, shift);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status residual_split(stream_join *self, leat_error *err) {
    term_split split = {.self = self};
    for (uint32_t kind = 0; kind < 3; kind++) LT_TRY_NEW_ARRAY(split.terms[kind], &self->arena, TERMS_MAX, err);
    lt_join_terms(self->plan, term_add, &split);
    if (split.has_failed)
        return lt_raise(err, LT_LIMIT_EXCEEDED, &self->plan->place, "a join condition of more than %d terms",
                        TERMS_MAX);
    const int32_t shift = -(int32_t)self->sides[LEFT].width;
    LT_TRY(conjunction(self, split.terms[0], split.counts[0], 0, &self->sides[LEFT].own, err));
    LT_TRY(conjunction(self, split.terms[1], split.counts[1], shift, &self->sides[RIGHT].own, err));
    return conjunction(self, split.terms[2], split.counts[2], 0, &self->residual, err);
}

static leat_status stream_join_open(lt_node *node, leat_error *err) {
    stream_join       *self       = node->state;
    const lt_plan     *plan       = node->plan;
    lt_account        *account    = node->pipeline->account;
    lt_evaluation     *evaluation = node->pipeline->evaluation;
    const lt_join_type type       = plan->as.join.type;
    lt_stream_bound    bounds[2];
    *self = (stream_join){.plan = plan, .account = account};
    lt_arena_init(&self->arena, account);
    const lt_type **key_types;
    LT_TRY(lt_expression_types(plan->as.join.left_keys, plan->as.join.key_count, &self->arena, &key_types, err));
    lt_group_table_init(&self->groups, account, key_types, plan->as.join.key_count, evaluation->random_seed);
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->changes, account, 0);
    lt_stream_bounds(plan, bounds);
    for (uint32_t s = 0; s < 2; s++) {
        join_side     *side  = &self->sides[s];
        const lt_plan *input = plan->inputs[s];
        side->bound          = bounds[s];
        side->width          = input->column_count;
        side->keys           = s == LEFT ? plan->as.join.left_keys : plan->as.join.right_keys;
        side->is_preserved   = type == LT_JOIN_FULL || type == (s == LEFT ? LT_JOIN_LEFT : LT_JOIN_RIGHT);
        lt_timer_heap_init(&side->timers, account);
        LT_TRY_NEW_ARRAY(side->types, &self->arena, side->width + 1u, err);
        for (uint32_t c = 0; c < side->width; c++) side->types[c] = input->columns[c].type;
    }
    LT_TRY(residual_split(self, err));
    for (uint32_t s = 0; s < 2; s++) {
        join_side *side = &self->sides[s];
        LT_TRY(lt_evaluator_open(&side->key_evaluator, side->keys, plan->as.join.key_count, evaluation, account, err));
        LT_TRY(lt_evaluator_open(&side->own_evaluator, &side->own, 1, evaluation, account, err));
    }
    return lt_evaluator_open(&self->residual_evaluator, &self->residual, 1, evaluation, account, err);
}

// ----------------------------------------------------------------------------------------------------------- kept rows

static leat_status groups_reserve(stream_join *self, leat_error *err) {
    const uint32_t have = self->group_capacity, want = self->groups.group_capacity;
    if (have >= want) return LEAT_OK;
    join_side       *left = &self->sides[LEFT], *right = &self->sides[RIGHT];
    lt_account_array arrays[] = {{self->members, sizeof *self->members},
                                 {left->heads, sizeof *left->heads},
                                 {left->tails, sizeof *left->tails},
                                 {right->heads, sizeof *right->heads},
                                 {right->tails, sizeof *right->tails}};
    LT_TRY(lt_account_grow(self->account, arrays, 5, have, want, err));
    self->members        = arrays[0].memory;
    left->heads          = arrays[1].memory;
    left->tails          = arrays[2].memory;
    right->heads         = arrays[3].memory;
    right->tails         = arrays[4].memory;
    self->group_capacity = want;
    return LEAT_OK;
}

static leat_status slots_reserve(stream_join *self, join_side *side, uint32_t count, leat_error *err) {
    uint32_t want = side->row_capacity == 0 ? 64 : side->row_capacity;
    if (count > INT32_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than two billion rows to keep");
    while (want < count) want *= 2;
    if (want > side->row_capacity) {
        lt_account_array rows = {side->rows, sizeof *side->rows};
        LT_TRY(lt_account_grow(self->account, &rows, 1, side->row_capacity, want, err));
        side->rows         = rows.memory;
        side->row_capacity = want;
    }
    return LEAT_OK;
}

static leat_status slot_take(stream_join *self, join_side *side, uint32_t *out, leat_error *err) {
    if (side->has_stale_free) {
        side->first_free = 0;
        for (uint32_t slot = side->row_count; slot-- > 0;)
            if (side->rows[slot].bytes == NULL) {
                side->rows[slot].next = side->first_free;
                side->first_free      = slot + 1;
            }
        side->has_stale_free = false;
    }
    if (side->first_free != 0) {
        *out             = side->first_free - 1;
        side->first_free = side->rows[*out].next;
        return LEAT_OK;
    }
    LT_TRY(slots_reserve(self, side, side->row_count + 1, err));
    *out = side->row_count++;
    return LEAT_OK;
}

// Puts a row into a free slot below row_count, behind the last of its chain.
static leat_status row_put(stream_join *self, join_side *side, uint32_t slot, const char *bytes, size_t count,
                           uint32_t group, int64_t due_us, leat_error *err) {
    char *copy = lt_account_reallocate(self->account, NULL, 0, count + 1);
    if (copy == NULL) return lt_raise_no_memory(err);
    memcpy(copy, bytes, count);
    kept_row *row = &side->rows[slot];
    *row          = (kept_row){.bytes = copy, .count = (uint32_t)count, .group = group, .due_us = due_us};
    side->live_rows++;
    side->live_bytes += count + sizeof *row;
    if (group != LT_NO_GROUP) {
        row->previous = side->tails[group];
        if (row->previous != 0)
            side->rows[row->previous - 1].next = slot + 1;
        else
            side->heads[group] = slot + 1;
        side->tails[group] = slot + 1;
        self->members[group]++;
    }
    if (due_us == INT64_MAX) return LEAT_OK;
    return lt_timer_heap_push(&side->timers, (lt_timer){.due_us = due_us, .group_index = slot}, err);
}

static void row_remove(stream_join *self, join_side *side, uint32_t slot) {
    kept_row *row = &side->rows[slot];
    side->live_rows--;
    side->live_bytes -= row->count + sizeof *row;
    lt_account_reallocate(self->account, row->bytes, row->count + 1, 0);
    if (row->group != LT_NO_GROUP) {
        if (row->previous != 0)
            side->rows[row->previous - 1].next = row->next;
        else
            side->heads[row->group] = row->next;
        if (row->next != 0)
            side->rows[row->next - 1].previous = row->previous;
        else
            side->tails[row->group] = row->previous;
        if (--self->members[row->group] == 0) lt_group_table_remove(&self->groups, row->group);
    }
    *row             = (kept_row){.next = side->first_free};
    side->first_free = slot + 1;
}

enum { SAVE_ROW = 1, SAVE_MATCHED = 2, SAVE_REMOVED = 3 };

static leat_status row_write(const stream_join *self, uint8_t number, uint32_t slot, lt_buffer *out, leat_error *err) {
    const kept_row *row       = &self->sides[number].rows[slot];
    const bool      has_group = row->group != LT_NO_GROUP;
    LT_TRY(lt_buffer_append_u8(out, SAVE_ROW, err));
    LT_TRY(lt_buffer_append_u8(out, number, err));
    LT_TRY(lt_buffer_append_u32(out, slot, err));
    LT_TRY(lt_buffer_append_u8(out, has_group, err));
    LT_TRY(has_group ? lt_group_table_save_key(&self->groups, row->group, out, err)
                     : lt_buffer_append_bytes(out, "", 0, err));
    LT_TRY(lt_buffer_append_bytes(out, row->bytes, row->count, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->due_us, err));
    return lt_buffer_append_u8(out, row->is_matched, err);
}

static leat_status change_note(lt_node *node, uint8_t what, uint8_t number, uint32_t slot, leat_error *err) {
    stream_join *self = node->state;
    if (!node->pipeline->with_state) return LEAT_OK;
    if (what == SAVE_ROW) return row_write(self, number, slot, &self->changes, err);
    LT_TRY(lt_buffer_append_u8(&self->changes, what, err));
    LT_TRY(lt_buffer_append_u8(&self->changes, number, err));
    return lt_buffer_append_u32(&self->changes, slot, err);
}

// ---------------------------------------------------------------------------------------------------------------- pads

// `own` columns of side `number` (count rows) beside NULLs.
static leat_status pad(lt_node *node, uint32_t number, const lt_vector *own, uint32_t count, lt_arena *arena,
                       lt_chunk *out, leat_error *err) {
    stream_join     *self = node->state;
    const join_side *side = &self->sides[number], *other = &self->sides[1 - number];
    const uint32_t   first = number == LEFT ? 0 : other->width, padded = number == LEFT ? side->width : 0;
    *out = (lt_chunk){.column_count = side->width + other->width, .count = count};
    LT_TRY_NEW_ARRAY(out->columns, arena, out->column_count + 1u, err);
    memcpy(out->columns + first, own, sizeof *own * side->width);
    for (uint32_t c = 0; c < other->width; c++)
        LT_TRY(lt_vector_init_constant_null(&out->columns[padded + c], other->types[c], arena, err));
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- probe

// Pairs of rows of the chunk and kept rows of the other side.
typedef struct pairs {
    lt_node        *node;
    uint32_t        number; // side of the chunk
    const lt_chunk *delta;
    lt_batch       *batch;
    uint16_t       *rows;  // of the chunk
    uint32_t       *slots; // of the other side
    uint32_t        count;
    uint8_t        *matched; // by row of the chunk
} pairs;

static leat_status leaving_note(stream_join *self, join_side *side, uint32_t slot, leat_error *err) {
    LT_TRY_GROW(side->leaving, self->account, side->leaving_count, side->leaving_capacity, 64, err);
    side->rows[slot].is_leaving          = true;
    side->leaving[side->leaving_count++] = slot;
    return LEAT_OK;
}

// Whether the pair is to be given.
static leat_status pair_match(pairs *self, uint32_t pair, bool *out_gives, leat_error *err) {
    stream_join   *join   = self->node->state;
    const uint32_t theirs = 1 - self->number, slot = self->slots[pair];
    join_side     *other   = &join->sides[theirs];
    kept_row      *row     = &other->rows[slot];
    uint8_t       *matched = &self->matched[self->rows[pair]];
    const bool     is_new  = self->number == LEFT ? !*matched : !row->is_leaving; // of the left row of a semi join
    *out_gives             = !is_semi(join) || is_new;
    *matched               = 1;
    if (is_semi(join) && theirs == LEFT && is_new) return leaving_note(join, other, slot, err);
    if (row->is_matched || !other->is_preserved) return LEAT_OK;
    row->is_matched = true;
    return change_note(self->node, SAVE_MATCHED, (uint8_t)theirs, slot, err);
}

static leat_status pairs_flush(pairs *self, leat_error *err) {
    stream_join     *join  = self->node->state;
    lt_arena        *arena = self->batch->scratch;
    const join_side *mine = &join->sides[self->number], *other = &join->sides[1 - self->number];
    lt_chunk         theirs, both, given;
    uint16_t        *passed;
    uint32_t         passed_count = self->count, given_count = 0;
    if (self->count == 0) return LEAT_OK;
    LT_TRY(lt_chunk_init(&theirs, other->types, other->width, self->count, arena, err));
    for (uint32_t i = 0; i < self->count; i++) {
        const kept_row *row = &other->rows[self->slots[i]];
        LT_TRY(lt_row_decode(row->bytes, row->count, theirs.columns, other->width, arena, err));
    }
    both = (lt_chunk){.column_count = mine->width + other->width, .count = self->count};
    LT_TRY_NEW_ARRAY(both.columns, arena, both.column_count + 1u, err);
    LT_TRY_NEW_ARRAY(passed, arena, self->count + 1u, err);
    lt_vector *own = both.columns + (self->number == LEFT ? 0 : other->width);
    for (uint32_t c = 0; c < mine->width; c++)
        LT_TRY(lt_vector_gather(&self->delta->columns[c], self->rows, self->count, arena, &own[c], err));
    memcpy(both.columns + (self->number == LEFT ? mine->width : 0), theirs.columns,
           sizeof *both.columns * other->width);
    if (join->residual != NULL)
        LT_TRY(
            lt_evaluator_select(&join->residual_evaluator, join->residual, &both, arena, passed, &passed_count, err));
    else
        for (uint32_t i = 0; i < self->count; i++) passed[i] = (uint16_t)i;
    for (uint32_t i = 0; i < passed_count; i++) {
        bool gives;
        LT_TRY(pair_match(self, passed[i], &gives, err));
        if (gives) passed[given_count++] = passed[i];
    }
    self->count = 0;
    if (is_semi(join)) both.column_count = join->sides[LEFT].width;
    LT_TRY(lt_chunk_gather(&both, passed, given_count, arena, &given, err));
    return lt_emit(self->node, &given, self->batch, err);
}

static leat_status pairs_probe(pairs *self, uint16_t row, uint32_t group, leat_error *err) {
    stream_join     *join  = self->node->state;
    const join_side *other = &join->sides[1 - self->number];
    for (uint32_t slot = other->heads[group]; slot != 0; slot = other->rows[slot - 1].next) {
        if (other->rows[slot - 1].is_leaving) continue;
        if (self->count == LT_CHUNK_ROWS_MAX) LT_TRY(pairs_flush(self, err));
        self->rows[self->count]    = row;
        self->slots[self->count++] = slot - 1;
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- push

// Rows of the chunk by what becomes of them.
typedef struct sorted_rows {
    uint16_t *joinable, *keyless, *lonely; // lonely: preserved, its own condition fails
    uint32_t  joinable_count, keyless_count, lonely_count;
} sorted_rows;

static bool has_null_key(const stream_join *self, const lt_vector *keys, uint32_t row) {
    for (uint32_t k = 0; k < self->plan->as.join.key_count; k++)
        if (!self->plan->as.join.is_null_safe[k] && lt_vector_is_null(&keys[k], row)) return true;
    return false;
}

static leat_status rows_sort(lt_node *node, const join_side *side, const lt_chunk *delta, const lt_vector *keys,
                             const uint16_t *fit, uint32_t fit_count, lt_batch *batch, sorted_rows *out,
                             leat_error *err) {
    const stream_join *self  = node->state;
    const int64_t      late  = lt_node_late_us(node, batch);
    const uint32_t     input = side == &self->sides[LEFT] ? LEFT : RIGHT;
    uint32_t           at    = 0;
    LT_TRY_NEW_ARRAY(out->joinable, batch->scratch, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->keyless, batch->scratch, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->lonely, batch->scratch, delta->count + 1u, err);
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t    late_at_us;
        const bool is_fit = fit == NULL || (at < fit_count && fit[at] == row);
        at += fit != NULL && is_fit;
        if (side->bound.event_time >= 0 && late != INT64_MIN &&
            lt_event_due(node, &delta->columns[side->bound.event_time], row, &late_at_us) && late_at_us <= late) {
            batch->rows_dropped++;
            if (batch->give_late != NULL) LT_TRY(batch->give_late(batch->user, node, input, delta, row, late, err));
        } else if (!is_fit) {
            if (side->is_preserved) out->lonely[out->lonely_count++] = (uint16_t)row;
        } else if (has_null_key(self, keys, row)) {
            if (side->is_preserved) out->keyless[out->keyless_count++] = (uint16_t)row;
        } else {
            out->joinable[out->joinable_count++] = (uint16_t)row;
        }
    }
    return LEAT_OK;
}

static int64_t due_of(const lt_node *node, const join_side *side, const lt_chunk *delta, const lt_vector *keys,
                      uint32_t row) {
    int64_t          time_us;
    bool             is_window;
    const lt_vector *column = side->bound.kind == LT_STREAM_BOUND_KEY     ? &keys[side->bound.key]
                              : side->bound.kind == LT_STREAM_BOUND_RANGE ? &delta->columns[side->bound.column]
                                                                          : NULL;
    if (column != NULL && side->bound.kind == LT_STREAM_BOUND_KEY)
        return lt_event_due(node, column, row, &time_us) ? time_us : INT64_MAX;
    if (column == NULL || !lt_event_time(column, row, &time_us, &is_window)) return INT64_MAX;
    return __builtin_add_overflow(time_us, side->bound.ahead_us, &time_us) ? INT64_MAX : time_us;
}

static leat_status row_keep(lt_node *node, uint32_t number, const lt_chunk *delta, const lt_vector *keys, uint32_t row,
                            uint32_t group, bool is_matched, leat_error *err) {
    stream_join *self = node->state;
    join_side   *side = &self->sides[number];
    uint32_t     slot;
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(delta->columns, delta->column_count, row, false, &self->scratch, err));
    LT_TRY(slot_take(self, side, &slot, err));
    LT_TRY(row_put(self, side, slot, self->scratch.data, self->scratch.bytes, group,
                   due_of(node, side, delta, keys, row), err));
    side->rows[slot].is_matched = is_matched;
    return change_note(node, SAVE_ROW, (uint8_t)number, slot, err);
}

static leat_status leaving_remove(lt_node *node, uint32_t number, leat_error *err) {
    stream_join *self = node->state;
    join_side   *side = &self->sides[number];
    for (uint32_t i = 0; i < side->leaving_count; i++) {
        LT_TRY(change_note(node, SAVE_REMOVED, (uint8_t)number, side->leaving[i], err));
        row_remove(self, side, side->leaving[i]);
    }
    side->leaving_count = 0;
    return LEAT_OK;
}

static leat_status joinable_push(lt_node *node, uint32_t number, const lt_chunk *delta, const lt_vector *keys,
                                 const uint16_t *rows, uint32_t count, lt_batch *batch, leat_error *err) {
    stream_join *self  = node->state;
    pairs        found = {.node = node, .number = number, .delta = delta, .batch = batch};
    uint32_t    *groups;
    LT_TRY_NEW_ARRAY(groups, batch->scratch, count + 1u, err);
    LT_TRY_NEW_ARRAY(found.rows, batch->scratch, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(found.slots, batch->scratch, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(found.matched, batch->scratch, delta->count + 1u, err);
    if (self->plan->as.join.key_count > 0)
        LT_TRY(
            lt_group_table_find_or_add(&self->groups, keys, self->plan->as.join.key_count, rows, count, groups, err));
    for (uint32_t i = 0; self->plan->as.join.key_count == 0 && i < count; i++)
        LT_TRY(lt_group_table_add_bytes(&self->groups, "", 0, &groups[i], err));
    LT_TRY(groups_reserve(self, err));
    for (uint32_t i = 0; i < count; i++) LT_TRY(pairs_probe(&found, rows[i], groups[i], err));
    LT_TRY(pairs_flush(&found, err));
    for (uint32_t i = 0; i < count; i++) {
        const bool is_matched = found.matched[rows[i]] != 0;
        if (is_semi(self) && number == LEFT && is_matched) continue;
        LT_TRY(row_keep(node, number, delta, keys, rows[i], groups[i], is_matched, err));
        batch->rows_updated++;
    }
    LT_TRY(leaving_remove(node, 1 - number, err));
    for (uint32_t i = 0; i < count; i++)
        if (self->members[groups[i]] == 0 && lt_group_table_is_live(&self->groups, groups[i]))
            lt_group_table_remove(&self->groups, groups[i]);
    return LEAT_OK;
}

static leat_status stream_join_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                    leat_error *err) {
    stream_join *self  = node->state;
    join_side   *side  = &self->sides[input];
    lt_arena    *arena = batch->scratch;
    lt_vector   *keys;
    uint16_t    *fit       = NULL;
    uint32_t     fit_count = 0;
    sorted_rows  rows      = {0};
    LT_TRY_NEW_ARRAY(keys, arena, self->plan->as.join.key_count + 1u, err);
    for (uint32_t k = 0; k < self->plan->as.join.key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(&side->key_evaluator, side->keys[k], delta, NULL, arena, &key, err));
        keys[k] = *key;
    }
    if (side->own != NULL) {
        LT_TRY_NEW_ARRAY(fit, arena, delta->count + 1u, err);
        LT_TRY(lt_evaluator_select(&side->own_evaluator, side->own, delta, arena, fit, &fit_count, err));
    }
    LT_TRY(rows_sort(node, side, delta, keys, fit, fit_count, batch, &rows, err));
    LT_TRY(joinable_push(node, input, delta, keys, rows.joinable, rows.joinable_count, batch, err));
    for (uint32_t i = 0; i < rows.keyless_count; i++)
        LT_TRY(row_keep(node, input, delta, keys, rows.keyless[i], LT_NO_GROUP, false, err));
    if (rows.lonely_count == 0) return LEAT_OK;
    lt_chunk own, padded;
    LT_TRY(lt_chunk_gather(delta, rows.lonely, rows.lonely_count, arena, &own, err));
    LT_TRY(pad(node, input, own.columns, own.count, arena, &padded, err));
    return lt_emit(node, &padded, batch, err);
}

// ----------------------------------------------------------------------------------------------------------- end_batch

static leat_status lonely_emit(lt_node *node, uint32_t number, const uint32_t *slots, uint32_t count, lt_batch *batch,
                               leat_error *err) {
    stream_join     *self = node->state;
    const join_side *side = &self->sides[number];
    for (uint32_t at = 0; at < count;) {
        lt_chunk own, padded;
        LT_TRY(lt_chunk_init(&own, side->types, side->width, LT_CHUNK_ROWS_MAX, batch->scratch, err));
        for (; at < count && own.count < LT_CHUNK_ROWS_MAX; at++) {
            const kept_row *row = &side->rows[slots[at]];
            if (row->is_matched) continue;
            LT_TRY(lt_row_decode(row->bytes, row->count, own.columns, side->width, batch->scratch, err));
            own.count++;
        }
        LT_TRY(pad(node, number, own.columns, own.count, batch->scratch, &padded, err));
        LT_TRY(lt_emit_origin(node, &padded, batch, err));
    }
    return LEAT_OK;
}

static leat_status stream_join_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    stream_join  *self     = node->state;
    const int64_t close_us = lt_node_close_us(node, batch);
    lt_timer      timer;
    if (close_us == INT64_MIN) return LEAT_OK;
    for (uint32_t number = 0; number < 2; number++) {
        join_side *side = &self->sides[number];
        while (lt_timer_heap_pop_due(&side->timers, close_us, &timer)) {
            const uint32_t  slot = (uint32_t)timer.group_index;
            const kept_row *row  = &side->rows[slot];
            if (row->bytes == NULL || row->due_us != timer.due_us || row->is_leaving) continue;
            LT_TRY(leaving_note(self, side, slot, err));
        }
        if (side->is_preserved) LT_TRY(lonely_emit(node, number, side->leaving, side->leaving_count, batch, err));
        batch->rows_removed += side->leaving_count;
        LT_TRY(leaving_remove(node, number, err));
    }
    return LEAT_OK;
}

// Spark runs another batch for a watermark that has moved only where it lets rows go.
static bool stream_join_is_due(const lt_node *node, const lt_batch *batch) {
    const stream_join *self = node->state;
    const bool         is_bound =
        self->sides[0].bound.kind != LT_STREAM_BOUND_NONE || self->sides[1].bound.kind != LT_STREAM_BOUND_NONE;
    return is_bound && node->watermark_mask != 0 && lt_node_close_us(node, batch) > lt_node_late_us(node, batch);
}

// Rows without a partner wait for the watermark; of other sides nothing more comes.
static int64_t stream_join_last_due_us(const lt_node *node) {
    const stream_join *self    = node->state;
    int64_t            last_us = INT64_MIN;
    for (uint32_t number = 0; number < 2; number++) {
        const join_side *side = &self->sides[number];
        for (uint32_t slot = 0; side->is_preserved && slot < side->row_count; slot++) {
            const kept_row *row = &side->rows[slot];
            if (row->bytes != NULL && !row->is_matched && row->due_us > last_us && row->due_us < INT64_MAX)
                last_us = row->due_us;
        }
    }
    return last_us;
}

// ---------------------------------------------------------------------------------------------------------- save, load

static leat_status stream_join_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    stream_join *self = node->state;
    if (!is_full) LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    for (uint8_t number = 0; is_full && number < 2; number++)
        for (uint32_t slot = 0; slot < self->sides[number].row_count; slot++)
            if (self->sides[number].rows[slot].bytes != NULL) LT_TRY(row_write(self, number, slot, out, err));
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

static leat_status load_row(stream_join *self, join_side *side, uint32_t slot, lt_reader *in, leat_error *err) {
    const char *key, *bytes;
    size_t      key_count, count;
    uint64_t    due_us;
    uint8_t     has_group, is_matched;
    uint32_t    group = LT_NO_GROUP;
    LT_TRY(lt_reader_u8(in, &has_group, err));
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_reader_u64(in, &due_us, err));
    LT_TRY(lt_reader_u8(in, &is_matched, err));
    if (has_group) LT_TRY(lt_group_table_add_bytes(&self->groups, key, key_count, &group, err));
    LT_TRY(groups_reserve(self, err));
    if (slot >= side->row_count) {
        LT_TRY(slots_reserve(self, side, slot + 1, err));
        side->row_count = slot + 1;
    }
    side->has_stale_free = true;
    if (side->rows[slot].bytes != NULL) row_remove(self, side, slot);
    LT_TRY(row_put(self, side, slot, bytes, count, group, (int64_t)due_us, err));
    side->rows[slot].is_matched = is_matched != 0;
    return LEAT_OK;
}

static leat_status stream_join_load(lt_node *node, lt_reader *in, leat_error *err) {
    stream_join *self = node->state;
    uint8_t      what, number;
    uint32_t     slot;
    LT_TRY(lt_reader_u8(in, &what, err));
    LT_TRY(lt_reader_u8(in, &number, err));
    LT_TRY(lt_reader_u32(in, &slot, err));
    if (number > 1 || slot > INT32_MAX)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join names row %u of side %u", slot, number);
    join_side *side = &self->sides[number];
    if (what == SAVE_ROW) return load_row(self, side, slot, in, err);
    if ((what != SAVE_MATCHED && what != SAVE_REMOVED) || slot >= side->row_count || side->rows[slot].bytes == NULL)
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved join has a part of kind %u for row %u", what, slot);
    if (what == SAVE_MATCHED)
        side->rows[slot].is_matched = true;
    else
        row_remove(self, side, slot);
    side->has_stale_free = true;
    return LEAT_OK;
}

static lt_state_size stream_join_size(const lt_node *node) {
    const stream_join *self = node->state;
    return (lt_state_size){.rows  = self->sides[LEFT].live_rows + self->sides[RIGHT].live_rows,
                           .bytes = self->sides[LEFT].live_bytes + self->sides[RIGHT].live_bytes +
                                    lt_group_table_bytes(&self->groups)};
}

static void stream_join_close(lt_node *node) {
    stream_join *self    = node->state;
    lt_account  *account = self->account;
    if (account == NULL) return;
    for (uint32_t number = 0; number < 2; number++) {
        join_side *side = &self->sides[number];
        for (uint32_t slot = 0; slot < side->row_count; slot++)
            if (side->rows[slot].bytes != NULL)
                lt_account_reallocate(account, side->rows[slot].bytes, side->rows[slot].count + 1, 0);
        lt_account_reallocate(account, side->rows, sizeof *side->rows * side->row_capacity, 0);
        lt_account_reallocate(account, side->heads, sizeof *side->heads * self->group_capacity, 0);
        lt_account_reallocate(account, side->tails, sizeof *side->tails * self->group_capacity, 0);
        lt_account_reallocate(account, side->leaving, sizeof *side->leaving * side->leaving_capacity, 0);
        lt_timer_heap_deinit(&side->timers);
        lt_evaluator_close(&side->key_evaluator);
        lt_evaluator_close(&side->own_evaluator);
    }
    lt_account_reallocate(account, self->members, sizeof *self->members * self->group_capacity, 0);
    lt_evaluator_close(&self->residual_evaluator);
    lt_group_table_deinit(&self->groups);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->changes);
    lt_arena_deinit(&self->arena);
}

static bool stream_join_serves(const lt_plan *plan) { return plan->as.join.is_of_streams; }

const lt_operator_kind lt_operators_stream_join = {
    .name           = "StreamJoin",
    .plan_kind      = LT_PLAN_JOIN,
    .serves         = stream_join_serves,
    .state_bytes    = sizeof(stream_join),
    .is_incremental = true,
    .open           = stream_join_open,
    .push           = stream_join_push,
    .end_batch      = stream_join_end_batch,
    .save           = stream_join_save,
    .load           = stream_join_load,
    .is_due         = stream_join_is_due,
    .last_due_us    = stream_join_last_due_us,
    .size           = stream_join_size,
    .state_name     = "symmetricHashJoin",
    .close          = stream_join_close,
};
