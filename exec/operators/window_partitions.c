// window_partitions: OVER in a standing query. Keeps the rows of each partition in window order; a batch computes the
// results of touched partitions alone, and of these only the rows that a change can reach (exec/window/reach.h).
//
//     partition k:   r0 r1 r2 r3 | r4 r5 r6       a change at r4 of a running sum: from the mark before r4 on, before
//                        mark ---^                and after the change; rows whose results differ come out
//
// push only collects the changes. end_batch takes the touched partitions some at a time: results of the rows in reach as
// they are, the changes, the results again, the difference. Results are never kept: a mark (what the rows before come to)
// makes those of a running call anew from the middle of a partition.
//
// Where only the first k rows of each partition are wanted (plan.h: top), results behind them are not computed, and of an
// input that only grows rows behind them are forgotten.
//
// Rows come out at the place at which they came in. Memory: rows of the input. Cost: O(log n) a change, and rows in reach.
// Source: DBSP (Budiu et al., 2023) for the difference per key.
#include "base/lanes.h"
#include "exec/state/group_table.h"
#include "exec/window/changes.h"
#include "exec/window/first_lists.h"

enum {
    SLICE_ROWS  = 1 << 16, // computed together, of at most
    SLICE_ITEMS = 1 << 13, // touched stretches
    MARKED_ROWS = 64,      // smaller partitions have no marks
    LOADED_ROWS = LT_CHUNK_ROWS_MAX
};

typedef struct window_partitions {
    lt_window_run         before, after;
    lt_window_reach       reach;
    lt_evaluator          evaluator; // partition, then order
    const lt_expression **expressions;
    lt_group_table        groups;
    lt_window_partition  *partitions; // by group
    uint32_t              partition_capacity;
    lt_window_changes     changes;
    lt_ordered_row      **gone; // of this slice: taken out, freed at its end
    uint32_t              gone_count, gone_capacity;
    const lt_type       **types; // of the input
    uint32_t              width;
    uint64_t              row_count, row_bytes;
    int64_t               next_place;
    lt_buffer             key, bytes, saved;
    lt_ordered_row       *part_row; // the last row that save_part wrote
    bool                  drops_rest;
    lt_arena              arena, work; // work: of a slice
} window_partitions;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status partitions_open(lt_node *node, leat_error *err) {
    window_partitions *self = node->state;
    const lt_plan     *plan = node->plan, *below = plan->inputs[0];
    lt_account        *account    = node->pipeline->account;
    lt_evaluation     *evaluation = node->pipeline->evaluation;
    const uint32_t     count      = plan->as.window.partition_count + plan->as.window.order_count;
    const lt_type    **types;
    self->groups.account = account;
    self->width          = below->column_count;
    self->drops_rest     = plan->as.window.top.count > 0 && below->properties.is_append_only;
    lt_window_changes_init(&self->changes, account);
    lt_arena_init(&self->arena, account);
    lt_arena_init(&self->work, account);
    lt_buffer_init(&self->key, account, 0);
    lt_buffer_init(&self->bytes, account, 0);
    lt_buffer_init(&self->saved, account, 0);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, self->width + 1u, err);
    for (uint32_t c = 0; c < self->width; c++) self->types[c] = below->columns[c].type;
    LT_TRY_NEW_ARRAY(self->expressions, &self->arena, count + 1u, err);
    for (uint32_t k = 0; k < plan->as.window.partition_count; k++) self->expressions[k] = plan->as.window.partition[k];
    for (uint32_t k = 0; k < plan->as.window.order_count; k++)
        self->expressions[plan->as.window.partition_count + k] = plan->as.window.order[k].expression;
    LT_TRY(lt_expression_types(plan->as.window.partition, plan->as.window.partition_count, &self->arena, &types, err));
    lt_group_table_init(&self->groups, account, types, plan->as.window.partition_count, evaluation->random_seed);
    lt_window_reach_find(plan, evaluation, &self->arena, &self->reach);
    LT_TRY(lt_window_run_open(&self->before, plan, evaluation, account, err));
    LT_TRY(lt_window_run_open(&self->after, plan, evaluation, account, err));
    return lt_evaluator_open(&self->evaluator, self->expressions, count, evaluation, account, err);
}

static leat_status partitions_reserve(window_partitions *self, leat_error *err) {
    const uint32_t want = self->groups.group_capacity, have = self->partition_capacity;
    if (have >= want) return LEAT_OK;
    lt_account_array partitions = {self->partitions, sizeof *self->partitions};
    LT_TRY(lt_account_grow(self->groups.account, &partitions, 1, have, want, err));
    self->partitions         = partitions.memory;
    self->partition_capacity = want;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- keys

// Groups and sort keys of the rows of a chunk.
typedef struct row_keys {
    uint32_t         *groups;
    const lt_vector **order;
} row_keys;

static leat_status keys_of(lt_node *node, const lt_chunk *chunk, lt_arena *arena, row_keys *out, leat_error *err) {
    window_partitions *self  = node->state;
    const uint32_t     count = node->plan->as.window.partition_count, order_count = node->plan->as.window.order_count;
    lt_vector         *keys;
    const lt_vector   *value;
    LT_TRY_NEW_ARRAY(keys, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->groups, arena, chunk->count + 1u, err);
    LT_TRY_NEW_ARRAY(out->order, arena, order_count + 1u, err);
    for (uint32_t k = 0; k < count; k++) {
        LT_TRY(lt_evaluator_run(&self->evaluator, self->expressions[k], chunk, NULL, arena, &value, err));
        keys[k] = *value;
    }
    for (uint32_t k = 0; k < order_count; k++)
        LT_TRY(
            lt_evaluator_run(&self->evaluator, self->expressions[count + k], chunk, NULL, arena, &out->order[k], err));
    for (uint32_t row = 0; count == 0 && row < chunk->count; row++)
        LT_TRY(lt_group_table_add_bytes(&self->groups, "", 0, &out->groups[row], err));
    if (count > 0) LT_TRY(lt_group_table_find_or_add(&self->groups, keys, count, NULL, chunk->count, out->groups, err));
    return partitions_reserve(self, err);
}

// Row `row` of the chunk, not yet in any partition.
static leat_status row_new(lt_node *node, const lt_chunk *chunk, const row_keys *keys, uint32_t row, int64_t place,
                           lt_ordered_row **out, leat_error *err) {
    window_partitions *self = node->state;
    lt_buffer_reset(&self->key);
    lt_buffer_reset(&self->bytes);
    LT_TRY(lt_sort_key_bytes(keys->order, node->plan->as.window.order, node->plan->as.window.order_count, row,
                             &self->key, err));
    LT_TRY(lt_row_encode(chunk->columns, chunk->column_count, row, false, &self->bytes, err));
    return lt_ordered_row_new(self->key.data, self->key.bytes, self->bytes.data, self->bytes.bytes, place,
                              self->groups.account, out, err);
}

// ---------------------------------------------------------------------------------------------------------------- push

// Whether a new row would stand behind all that are wanted.
static bool is_unwanted(const lt_node *node, const lt_window_partition *part, const lt_ordered_row *row) {
    if (!part->is_full || part->rows.count == 0) return false;
    const lt_ordered_row *last = lt_ordered_rows_at(&part->rows, part->rows.count - 1);
    return node->plan->as.window.top.rank == LT_TOP_ROW_NUMBER ? lt_ordered_row_compare(row, last) >= 0
                                                               : lt_ordered_key_compare(row, last) > 0;
}

static leat_status partitions_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                   leat_error *err) {
    (void)input;
    window_partitions *self = node->state;
    row_keys           keys;
    LT_TRY(keys_of(node, delta, batch->scratch, &keys, err));
    for (uint32_t row = 0; row < delta->count; row++) {
        const int64_t weight = lt_chunk_weight(delta, row);
        const int64_t place  = delta->places != NULL ? delta->places[row] : self->next_place + row;
        for (int64_t copy = weight < 0 ? -weight : weight; copy > 0; copy--) {
            lt_ordered_row *made;
            LT_TRY(row_new(node, delta, &keys, row, place, &made, err));
            leat_status status = LEAT_DONE;
            if (!self->drops_rest || !is_unwanted(node, &self->partitions[keys.groups[row]], made))
                status = lt_window_changes_note(&self->changes, &self->partitions[keys.groups[row]], keys.groups[row],
                                                made, weight < 0, err);
            if (status == LEAT_OK) continue;
            lt_ordered_row_free(made, self->groups.account);
            if (status != LEAT_DONE) return status;
        }
    }
    self->next_place += delta->count;
    if (!self->drops_rest || self->changes.count <= self->changes.count_max) return LEAT_OK;
    return lt_window_changes_cut(&self->changes, node->plan, self->partitions, err);
}

// --------------------------------------------------------------------------------------------------------------- reach

// A touched stretch of a partition: which rows are computed. Positions are those before the changes; after them they are
// `shift` more at the start of the stretch, and `growth` more again at its end.
typedef struct work {
    lt_window_partition *part;
    uint32_t             group;
    bool                 is_first; // of its partition
    uint32_t             feed_first, wanted_first, old_end;
    uint32_t             new_wanted_first, new_end;
    int64_t              shift, growth;
    bool                 has_mark;
    lt_window_mark       mark; // at feed_first
    lt_window_part       old_part, new_part;
    lt_ordered_row     **old_rows, **new_rows; // wanted ones
    uint32_t             gone_first, gone_end; // is_first: what the changes took out
} work;

static void work_begin(lt_node *node, work *item, const lt_window_stretch *changed) {
    window_partitions     *self  = node->state;
    const lt_window_reach *reach = &self->reach;
    const uint32_t         count = item->part->rows.count;
    uint32_t               first = changed->first, end = changed->end;
    bool                   is_full;
    first = reach->is_whole || first < reach->rows_before ? 0 : first - reach->rows_before;
    end   = reach->is_whole || reach->is_to_end || end >= count || count - end < reach->rows_behind
                ? count
                : end + reach->rows_behind;
    if (node->plan->as.window.top.count > 0) end = lt_window_top_end(node->plan, &item->part->rows, &is_full);
    if (first < node->plan->as.window.top.offset) first = (uint32_t)node->plan->as.window.top.offset;
    item->wanted_first = first;
    item->old_end      = end < first ? first : end;
    item->growth       = changed->growth;
    item->feed_first   = 0;
    if (reach->is_whole || reach->needs_start) return;
    item->feed_first = first < reach->needs_before ? 0 : first - reach->needs_before;
    if (!reach->uses_marks) return;
    item->has_mark   = lt_window_partition_mark(item->part, &self->before, item->feed_first, &item->mark);
    item->feed_first = item->has_mark ? item->mark.rows_before : 0;
}

// Appends what is to be done for a touched partition to `items`.
static leat_status partition_begin(lt_node *node, uint32_t group, work *items, uint32_t room, uint32_t *count,
                                   uint64_t *fed, leat_error *err) {
    window_partitions *self   = node->state;
    const bool         is_one = self->reach.is_whole || self->reach.is_to_end || node->plan->as.window.top.count > 0;
    const uint32_t     first  = *count;
    lt_window_stretch *changed;
    uint32_t           changed_count;
    int64_t            shift = 0;
    LT_TRY(lt_window_changes_stretches(&self->changes, &self->partitions[group], &self->reach, is_one, room - first,
                                       &self->work, &changed, &changed_count, err));
    for (uint32_t i = 0; i < changed_count; i++) {
        work *item     = &items[(*count)++];
        item->group    = group;
        item->part     = &self->partitions[group];
        item->is_first = i == 0;
        item->shift    = shift;
        work_begin(node, item, &changed[i]);
        shift += changed[i].growth;
        *fed += (uint64_t)(item->old_end - item->feed_first) + (uint64_t)(item->growth > 0 ? item->growth : 0);
    }
    return LEAT_OK;
}

static void work_find_end(lt_node *node, work *item) {
    bool          is_full;
    const int64_t end      = item->old_end + item->shift + item->growth;
    item->new_wanted_first = (uint32_t)(item->wanted_first + item->shift);
    item->new_end = node->plan->as.window.top.count > 0 ? lt_window_top_end(node->plan, &item->part->rows, &is_full)
                                                        : (uint32_t)end;
    if (item->new_end < item->new_wanted_first) item->new_end = item->new_wanted_first;
}

// ------------------------------------------------------------------------------------------------------------- compute

// Rows on their way into a run.
typedef struct feed {
    lt_window_run *run;
    lt_chunk       chunk;
    uint32_t      *numbers; // of their parts
} feed;

static leat_status feed_begin(window_partitions *self, feed *out, leat_error *err) {
    LT_TRY(lt_chunk_init(&out->chunk, self->types, self->width, LT_CHUNK_ROWS_MAX, &self->work, err));
    LT_TRY_NEW_ARRAY(out->numbers, &self->work, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

static leat_status feed_send(window_partitions *self, feed *out, lt_arena *scratch, leat_error *err) {
    if (out->chunk.count == 0) return LEAT_OK;
    LT_TRY(lt_window_run_append(out->run, &out->chunk, out->numbers, scratch, err));
    lt_arena_reset(scratch);
    return feed_begin(self, out, err);
}

// Feeds the wanted rows of a stretch, with what they need before and behind; the wanted ones are noted.
static leat_status work_feed(window_partitions *self, work *item, bool is_before, uint32_t number, feed *out,
                             lt_window_part *part, lt_arena *scratch, leat_error *err) {
    const lt_ordered_rows *rows         = &item->part->rows;
    const uint32_t         wanted_first = is_before ? item->wanted_first : item->new_wanted_first;
    const uint32_t         wanted_end   = is_before ? item->old_end : item->new_end;
    const uint32_t         before = self->reach.needs_before < wanted_first ? self->reach.needs_before : wanted_first;
    const uint32_t         first  = is_before || item->shift == 0 ? item->feed_first : wanted_first - before;
    uint32_t               end    = self->reach.is_whole ? rows->count : wanted_end;
    lt_ordered_cursor      cursor = lt_ordered_rows_seek(rows, first);
    lt_ordered_row       **noted;
    end                = rows->count - end < self->reach.needs_behind ? rows->count : end + self->reach.needs_behind;
    part->first        = out->run->rows.count + out->chunk.count;
    part->wanted_first = part->first + (wanted_first - first);
    part->end          = part->first + (end - first);
    part->from         = item->has_mark ? &item->mark : NULL;
    LT_TRY_NEW_ARRAY(noted, &self->work, wanted_end - wanted_first + 1u, err);
    *(is_before ? &item->old_rows : &item->new_rows) = noted;
    for (uint32_t at = first; at < end; at++) {
        lt_ordered_row *row = lt_ordered_rows_next(&cursor);
        if (at >= wanted_first && at < wanted_end) noted[at - wanted_first] = row;
        LT_TRY(lt_row_decode(lt_ordered_row_bytes(row), row->row_bytes, out->chunk.columns, self->width, &self->work,
                             err));
        out->numbers[out->chunk.count++] = number;
        if (out->chunk.count == LT_CHUNK_ROWS_MAX) LT_TRY(feed_send(self, out, scratch, err));
    }
    return LEAT_OK;
}

static bool work_is_empty(const work *item, bool is_before) {
    return is_before ? item->old_end == item->wanted_first : item->new_end == item->new_wanted_first;
}

// Results of the wanted rows of all items, as they are now.
static leat_status slice_compute(window_partitions *self, work *items, uint32_t count, bool is_before,
                                 lt_arena *scratch, lt_vector **out_results, leat_error *err) {
    feed            out = {.run = is_before ? &self->before : &self->after};
    lt_window_part *parts;
    uint32_t       *order, part_count = 0;
    LT_TRY(feed_begin(self, &out, err));
    LT_TRY_NEW_ARRAY(parts, &self->work, count + 1u, err);
    for (uint32_t i = 0; i < count; i++) {
        work *item = &items[i];
        if (work_is_empty(item, is_before)) continue;
        lt_window_part *part = &parts[part_count];
        part->wants_marks = !is_before && self->reach.uses_marks && !self->reach.is_whole && !self->reach.needs_start &&
                            item->part->rows.count >= MARKED_ROWS;
        LT_TRY(work_feed(self, item, is_before, part_count++, &out, part, scratch, err));
    }
    LT_TRY(feed_send(self, &out, scratch, err));
    LT_TRY_NEW_ARRAY(order, &self->work, out.run->rows.count + 1u, err);
    for (uint32_t at = 0; at < out.run->rows.count; at++) order[at] = at;
    LT_TRY(lt_window_run_compute(out.run, order, parts, part_count, out_results, err));
    part_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (work_is_empty(&items[i], is_before)) continue;
        *(is_before ? &items[i].old_part : &items[i].new_part) = parts[part_count++];
    }
    return LEAT_OK;
}

// ------------------------------------------------------------------------------------------------------------- changes

static leat_status row_take_out(window_partitions *self, lt_window_partition *part, uint32_t position,
                                leat_error *err) {
    LT_TRY_GROW(self->gone, self->groups.account, self->gone_count, self->gone_capacity, 64, err);
    lt_ordered_row *row            = lt_ordered_rows_remove(&part->rows, position, self->groups.account);
    row->is_gone                   = true;
    self->gone[self->gone_count++] = row;
    return LEAT_OK;
}

static leat_status work_apply(window_partitions *self, work *item, leat_error *err) {
    lt_window_partition *part = item->part;
    uint32_t             position;
    item->gone_first = self->gone_count;
    lt_window_changes_turn(&self->changes, part);
    for (uint32_t at = part->first_change; at != 0; at = self->changes.items[at - 1].next) {
        lt_window_change *made = &self->changes.items[at - 1];
        if (made->is_minus) continue;
        LT_TRY(lt_ordered_rows_insert(&part->rows, made->row, self->groups.account, err));
        made->row->is_fresh = true;
    }
    for (uint32_t at = part->first_change; at != 0; at = self->changes.items[at - 1].next) {
        const lt_window_change *made = &self->changes.items[at - 1];
        if (!made->is_minus) continue;
        if (!lt_ordered_rows_find(&part->rows, made->row, &position))
            return lt_raise(err, LT_INTERNAL_ERROR, NULL, "OVER was asked to take away a row that it has not");
        LT_TRY(row_take_out(self, part, position, err));
    }
    item->gone_end = self->gone_count;
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- output

// Rows to give: positions in a run, with their places.
typedef struct output {
    lt_node         *node;
    lt_batch        *batch;
    const lt_vector *results[2]; // before, after
    uint32_t        *positions[2];
    int64_t         *places[2], *weights[2];
    uint32_t         counts[2];
} output;

static leat_status output_send(output *out, int which, leat_error *err) {
    window_partitions *self = out->node->state;
    lt_chunk           chunk;
    if (out->counts[which] == 0) return LEAT_OK;
    LT_TRY(lt_window_run_gather(which == 0 ? &self->before : &self->after, out->results[which], out->positions[which],
                                out->positions[which], out->counts[which], out->batch->scratch, &chunk, err));
    chunk.places       = out->places[which];
    chunk.weights      = which == 0 ? out->weights[0] : NULL;
    out->counts[which] = 0;
    return lt_emit_origin(out->node, &chunk, out->batch, err);
}

// Row `i` of the wanted ones before or after.
static leat_status output_add(output *out, int which, const work *item, uint32_t i, leat_error *err) {
    const lt_window_part *part                = which == 0 ? &item->old_part : &item->new_part;
    const lt_ordered_row *row                 = (which == 0 ? item->old_rows : item->new_rows)[i];
    const bool            is_ordering         = out->node->plan->as.window.top.is_ordering;
    out->positions[which][out->counts[which]] = part->wanted_first + i;
    out->places[which][out->counts[which]++]  = is_ordering ? (int64_t)item->wanted_first + i : row->place;
    if (out->counts[which] < LT_CHUNK_ROWS_MAX) return LEAT_OK;
    LT_TRY(output_send(out, 0, err)); // what goes, then what comes
    return output_send(out, 1, err);
}

static leat_status is_same_result(window_partitions *self, const output *out, uint32_t old_at, uint32_t new_at,
                                  bool *same, leat_error *err) {
    const uint32_t count = out->node->plan->as.window.call_count;
    lt_buffer_reset(&self->key);
    lt_buffer_reset(&self->bytes);
    LT_TRY(lt_row_encode(out->results[0], count, old_at, false, &self->key, err));
    LT_TRY(lt_row_encode(out->results[1], count, new_at, false, &self->bytes, err));
    *same = self->key.bytes == self->bytes.bytes &&
            (self->key.bytes == 0 || memcmp(self->key.data, self->bytes.data, self->key.bytes) == 0);
    return LEAT_OK;
}

// Both lists are in window order, and rows of both stand in the same order in both.
static leat_status work_emit(window_partitions *self, const work *item, output *out, leat_error *err) {
    const bool     is_ordering = out->node->plan->as.window.top.is_ordering;
    const uint32_t old_count   = item->old_end - item->wanted_first;
    const uint32_t new_count   = item->new_end - item->new_wanted_first;
    uint32_t       i = 0, j = 0;
    for (uint32_t at = 0; at < new_count; at++) item->new_rows[at]->is_wanted = true;
    while (i < old_count || j < new_count) {
        if (i < old_count && j < new_count && item->old_rows[i] == item->new_rows[j]) {
            bool is_same;
            LT_TRY(is_same_result(self, out, item->old_part.wanted_first + i, item->new_part.wanted_first + j, &is_same,
                                  err));
            is_same = is_same && (!is_ordering || i == j);
            if (!is_same) LT_TRY(output_add(out, 0, item, i, err));
            if (!is_same) LT_TRY(output_add(out, 1, item, j, err));
            i++, j++;
        } else if (i < old_count && !item->old_rows[i]->is_wanted) {
            LT_TRY(output_add(out, 0, item, i++, err));
        } else {
            LT_TRY(output_add(out, 1, item, j++, err));
        }
    }
    for (uint32_t at = 0; at < new_count; at++) item->new_rows[at]->is_wanted = false;
    return LEAT_OK;
}

static leat_status output_open(output *out, window_partitions *self, leat_error *err) {
    for (int which = 0; which < 2; which++) {
        LT_TRY_NEW_ARRAY(out->positions[which], &self->work, LT_CHUNK_ROWS_MAX, err);
        LT_TRY_NEW_ARRAY(out->places[which], &self->work, LT_CHUNK_ROWS_MAX, err);
        LT_TRY_NEW_ARRAY(out->weights[which], &self->work, LT_CHUNK_ROWS_MAX, err);
        for (uint32_t i = 0; i < LT_CHUNK_ROWS_MAX; i++) out->weights[which][i] = which == 0 ? -1 : 1;
    }
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- settle

static leat_status gone_write(window_partitions *self, const lt_window_partition *part, uint32_t first, uint32_t end,
                              leat_error *err) {
    for (uint32_t i = first; i < end; i++)
        if (!self->gone[i]->is_fresh) LT_TRY(lt_window_partition_write_row(part, self->gone[i], &self->saved, err));
    return LEAT_OK;
}

static leat_status work_write(window_partitions *self, const work *item, uint32_t forgotten_first, leat_error *err) {
    for (uint32_t at = item->part->first_change; at != 0; at = self->changes.items[at - 1].next) {
        const lt_window_change *made = &self->changes.items[at - 1];
        if (!made->is_minus && !made->row->is_gone)
            LT_TRY(lt_window_partition_write_row(item->part, made->row, &self->saved, err));
    }
    LT_TRY(gone_write(self, item->part, item->gone_first, item->gone_end, err));
    return gone_write(self, item->part, forgotten_first, self->gone_count, err);
}

static void partition_remove(window_partitions *self, uint32_t group) {
    lt_window_partition_close(&self->partitions[group], &self->before, self->groups.account);
    lt_group_table_remove(&self->groups, group);
}

// After the output: rows behind the first ones go, the next batch finds the partition at rest.
static leat_status work_settle(lt_node *node, work *item, leat_error *err) {
    window_partitions   *self            = node->state;
    lt_window_partition *part            = item->part;
    const uint32_t       forgotten_first = self->gone_count;
    if (self->drops_rest) {
        const uint32_t end = lt_window_top_end(node->plan, &part->rows, &part->is_full);
        while (part->rows.count > end) LT_TRY(row_take_out(self, part, part->rows.count - 1, err));
    }
    LT_TRY(lt_window_partition_take_marks(part, &self->before, item->wanted_first, &item->new_part,
                                          self->groups.account, err));
    if (node->pipeline->with_state) LT_TRY(work_write(self, item, forgotten_first, err));
    for (uint32_t at = part->first_change; at != 0; at = self->changes.items[at - 1].next) {
        lt_window_change *made = &self->changes.items[at - 1];
        if (made->is_minus)
            lt_ordered_row_free(made->row, self->groups.account);
        else if (!made->row->is_gone)
            made->row->is_fresh = false;
        made->row = NULL;
    }
    part->first_change = 0;
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

static leat_status slice_apply(lt_node *node, work *items, uint32_t count, leat_error *err) {
    window_partitions *self = node->state;
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].is_first) {
            self->row_count -= items[i].part->rows.count;
            self->row_bytes -= items[i].part->rows.bytes;
            LT_TRY(work_apply(self, &items[i], err));
        }
        work_find_end(node, &items[i]);
    }
    return LEAT_OK;
}

static leat_status slice_settle(lt_node *node, work *items, uint32_t count, leat_error *err) {
    window_partitions *self = node->state;
    for (uint32_t i = 0; i < count; i++) {
        if (!items[i].is_first) continue;
        LT_TRY(work_settle(node, &items[i], err));
        self->row_count += items[i].part->rows.count;
        self->row_bytes += items[i].part->rows.bytes;
        if (items[i].part->rows.count == 0) partition_remove(self, items[i].group);
    }
    for (uint32_t i = 0; i < self->gone_count; i++) lt_ordered_row_free(self->gone[i], self->groups.account);
    self->gone_count = 0;
    LT_TRY(lt_window_run_reset(&self->before, err));
    LT_TRY(lt_window_run_reset(&self->after, err));
    lt_arena_reset(&self->work);
    return LEAT_OK;
}

static leat_status slice_run(lt_node *node, work *items, uint32_t count, lt_batch *batch, leat_error *err) {
    window_partitions *self = node->state;
    lt_vector         *results[2];
    output             out = {.node = node, .batch = batch};
    LT_TRY(slice_compute(self, items, count, true, batch->scratch, &results[0], err));
    LT_TRY(slice_apply(node, items, count, err));
    LT_TRY(slice_compute(self, items, count, false, batch->scratch, &results[1], err));
    LT_TRY(output_open(&out, self, err));
    for (int which = 0; which < 2; which++) out.results[which] = results[which];
    for (uint32_t i = 0; i < count; i++) LT_TRY(work_emit(self, &items[i], &out, err));
    for (int which = 0; which < 2; which++) LT_TRY(output_send(&out, which, err));
    return slice_settle(node, items, count, err);
}

static leat_status partitions_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    window_partitions *self = node->state;
    batch->rows_updated += self->changes.touched_count;
    const uint32_t room = self->changes.count < SLICE_ITEMS ? self->changes.count : SLICE_ITEMS;
    for (uint32_t next = 0; next < self->changes.touched_count;) {
        work    *items;
        uint32_t count = 0;
        uint64_t fed   = 0;
        LT_TRY_NEW_ARRAY(items, &self->work, room, err);
        while (next < self->changes.touched_count && count < room && fed < SLICE_ROWS)
            LT_TRY(partition_begin(node, self->changes.touched[next++], items, room, &count, &fed, err));
        LT_TRY(slice_run(node, items, count, batch, err));
    }
    lt_window_changes_reset(&self->changes);
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- save, load

static leat_status partitions_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    window_partitions    *self = node->state;
    const lt_ordered_row *last;
    for (uint32_t group = 0; is_full && group < self->groups.group_count; group++)
        if (lt_group_table_is_live(&self->groups, group))
            LT_TRY(lt_window_partition_write(&self->partitions[group], 0, SIZE_MAX, out, &last, err));
    if (!is_full) LT_TRY(lt_buffer_append(out, self->saved.data, self->saved.bytes, err));
    lt_buffer_reset(&self->saved);
    return lt_window_place_save(self->next_place, out, err);
}

// *cursor: twice the group, and one if the last part ended inside it, with part_row.
static leat_status partitions_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                        leat_error *err) {
    window_partitions *self    = node->state;
    const size_t       start   = out->bytes;
    uint32_t           group   = (uint32_t)(*cursor / 2);
    bool               goes_on = *cursor % 2 == 1;
    LT_TRY(lt_window_place_save(self->next_place, out, err));
    for (; group < self->groups.group_count; group++, goes_on = false) {
        if (out->bytes - start >= bytes_max) {
            *cursor = (uint64_t)group * 2;
            return LEAT_OK;
        }
        const lt_window_partition *part = &self->partitions[group];
        const lt_ordered_row      *last;
        if (!lt_group_table_is_live(&self->groups, group)) continue;
        LT_TRY(lt_window_partition_write(part, goes_on ? lt_ordered_rows_upper(&part->rows, self->part_row) : 0,
                                         bytes_max - (out->bytes - start), out, &last, err));
        if (last == NULL) continue;
        if (self->part_row != NULL) lt_ordered_row_free(self->part_row, self->groups.account);
        self->part_row = NULL;
        LT_TRY(lt_ordered_row_new(last->data, last->key_bytes, "", 0, last->place, self->groups.account,
                                  &self->part_row, err));
        *cursor = (uint64_t)group * 2 + 1;
        return LEAT_OK;
    }
    *cursor = UINT64_MAX;
    return LEAT_OK;
}

// Row `row` is there `copies` times from now on.
static leat_status row_restore(window_partitions *self, uint32_t group, const lt_ordered_row *row, uint32_t copies,
                               leat_error *err) {
    lt_window_partition *part = &self->partitions[group];
    self->row_count -= part->rows.count;
    self->row_bytes -= part->rows.bytes;
    leat_status status = lt_window_partition_restore(part, row, copies, self->groups.account, err);
    self->row_count += part->rows.count;
    self->row_bytes += part->rows.bytes;
    return status;
}

// The rows that follow each other in a save, as one chunk: their keys are computed again.
static leat_status rows_load(lt_node *node, lt_reader *in, leat_error *err) {
    window_partitions *self = node->state;
    lt_chunk           chunk;
    int64_t           *places;
    uint32_t          *copies;
    row_keys           keys;
    uint8_t            kind;
    LT_TRY(lt_chunk_init(&chunk, self->types, self->width, LOADED_ROWS, &self->work, err));
    LT_TRY_NEW_ARRAY(places, &self->work, LOADED_ROWS, err);
    LT_TRY_NEW_ARRAY(copies, &self->work, LOADED_ROWS, err);
    while (chunk.count < LOADED_ROWS && in->next < in->end && *in->next == LT_WINDOW_SAVE_ROW) {
        const char *bytes;
        size_t      count;
        uint64_t    place;
        LT_TRY(lt_reader_u8(in, &kind, err));
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_reader_u64(in, &place, err));
        LT_TRY(lt_reader_u32(in, &copies[chunk.count], err));
        LT_TRY(lt_row_decode(bytes, count, chunk.columns, self->width, &self->work, err));
        places[chunk.count++] = (int64_t)place;
    }
    LT_TRY(keys_of(node, &chunk, &self->work, &keys, err));
    for (uint32_t row = 0; row < chunk.count; row++) {
        lt_ordered_row *made;
        LT_TRY(row_new(node, &chunk, &keys, row, places[row], &made, err));
        leat_status status = row_restore(self, keys.groups[row], made, copies[row], err);
        lt_ordered_row_free(made, self->groups.account);
        if (status != LEAT_OK) return status;
    }
    for (uint32_t row = 0; row < chunk.count; row++)
        if (lt_group_table_is_live(&self->groups, keys.groups[row]) &&
            self->partitions[keys.groups[row]].rows.count == 0)
            partition_remove(self, keys.groups[row]);
    lt_arena_reset(&self->work);
    return LEAT_OK;
}

static leat_status partitions_load(lt_node *node, lt_reader *in, leat_error *err) {
    window_partitions *self = node->state;
    return *in->next == LT_WINDOW_SAVE_ROW ? rows_load(node, in, err)
                                           : lt_window_place_load(in, &self->next_place, err);
}

static lt_state_size partitions_size(const lt_node *node) {
    const window_partitions *self = node->state;
    return (lt_state_size){.rows  = self->row_count,
                           .bytes = lt_group_table_bytes(&self->groups) +
                                    sizeof(lt_window_partition) * self->groups.live_count + self->row_bytes};
}

static void partitions_close(lt_node *node) {
    window_partitions *self    = node->state;
    lt_account        *account = node->pipeline->account;
    if (self->arena.account == NULL) return;
    lt_window_changes_close(&self->changes);
    for (uint32_t i = 0; i < self->gone_count; i++) lt_ordered_row_free(self->gone[i], account);
    for (uint32_t group = 0; group < self->partition_capacity; group++)
        lt_window_partition_close(&self->partitions[group], &self->before, account);
    if (self->part_row != NULL) lt_ordered_row_free(self->part_row, account);
    lt_account_reallocate(account, self->partitions, sizeof *self->partitions * self->partition_capacity, 0);
    lt_account_reallocate(account, self->gone, sizeof(lt_ordered_row *) * self->gone_capacity, 0);
    lt_window_run_close(&self->before);
    lt_window_run_close(&self->after);
    lt_group_table_deinit(&self->groups);
    lt_evaluator_close(&self->evaluator);
    lt_buffer_deinit(&self->key);
    lt_buffer_deinit(&self->bytes);
    lt_buffer_deinit(&self->saved);
    lt_arena_deinit(&self->work);
    lt_arena_deinit(&self->arena);
}

static bool partitions_serves(const lt_plan *plan) {
    return plan->as.window.is_by_partition && !lt_first_lists_serve(plan);
}

const lt_operator_kind lt_operators_window_partitions = {
    .name           = "WindowPartitions",
    .plan_kind      = LT_PLAN_WINDOW,
    .serves         = partitions_serves,
    .state_bytes    = sizeof(window_partitions),
    .is_incremental = true,
    .open           = partitions_open,
    .push           = partitions_push,
    .end_batch      = partitions_end_batch,
    .save           = partitions_save,
    .load           = partitions_load,
    .save_part      = partitions_save_part,
    .size           = partitions_size,
    .state_name     = "windowPartitions",
    .close          = partitions_close,
};
