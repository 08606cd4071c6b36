// first_rows: the first rows of each partition of OVER, in one batch and in a standing query whose input only grows:
// row_number() <= k, rank() <= k. Of each partition no more is kept than these:
//
//     push         a row behind the k-th of its partition goes at once; others push it out (exec/window/first_lists.h)
//     end_batch    of touched partitions: rows that were among the first, or had another rank      -> what goes
//                  rows that are among them, or have another rank                                  -> what comes
//
// Rows come out at the place at which they came in; in one batch they have none, and equal rows count by arrival. What is
// saved is what window_partitions.c saves. Memory: the first rows, up to twice. Cost: O(1) a row that is not among the
// first, O(log k) for others, and the first rows of touched partitions. Source: incremental.md 5.19.
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "exec/window/first_lists.h"
#include "exec/window/partition.h"

enum { CURSOR_GROUP_BIT = 32 };

// Rows to give: those that go, those that come.
typedef struct output {
    uint32_t *rows[2];
    int32_t  *ranks[2][LT_FIRST_RANKS];
    int64_t  *places[2], *weights;
    uint32_t  counts[2];
} output;

typedef struct first_rows {
    lt_evaluator          evaluator; // partition, then order
    const lt_expression **expressions;
    lt_first_rank        *calls;
    bool                  uses[LT_FIRST_RANKS];
    lt_group_table        groups;
    lt_first_lists        lists;
    const lt_type       **types; // of the input
    int64_t               next_place;
    lt_buffer             saved, bytes;
    output                out;
    lt_arena              arena, work; // work: of a load
} first_rows;

// ---------------------------------------------------------------------------------------------------------------- open

static leat_status output_open(first_rows *self, leat_error *err) {
    output *out = &self->out;
    for (uint32_t which = 0; which < 2; which++) {
        LT_TRY_NEW_ARRAY(out->rows[which], &self->arena, LT_CHUNK_ROWS_MAX, err);
        LT_TRY_NEW_ARRAY(out->places[which], &self->arena, LT_CHUNK_ROWS_MAX, err);
        for (uint32_t kind = 0; kind < LT_FIRST_RANKS; kind++)
            LT_TRY_NEW_ARRAY(out->ranks[which][kind], &self->arena, LT_CHUNK_ROWS_MAX, err);
    }
    LT_TRY_NEW_ARRAY(out->weights, &self->arena, LT_CHUNK_ROWS_MAX, err);
    for (uint32_t i = 0; i < LT_CHUNK_ROWS_MAX; i++) out->weights[i] = -1;
    return LEAT_OK;
}

static leat_status first_rows_open(lt_node *node, leat_error *err) {
    first_rows     *self = node->state;
    const lt_plan  *plan = node->plan, *below = plan->inputs[0];
    lt_account     *account         = node->pipeline->account;
    lt_evaluation  *evaluation      = node->pipeline->evaluation;
    const uint32_t  partition_count = plan->as.window.partition_count, order_count = plan->as.window.order_count;
    const uint32_t  count = partition_count + order_count;
    const lt_type **types;
    lt_arena_init(&self->arena, account);
    lt_arena_init(&self->work, account);
    lt_buffer_init(&self->saved, account, 0);
    lt_buffer_init(&self->bytes, account, 0);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, below->column_count + 1u, err);
    for (uint32_t c = 0; c < below->column_count; c++) self->types[c] = below->columns[c].type;
    LT_TRY_NEW_ARRAY(self->calls, &self->arena, plan->as.window.call_count + 1u, err);
    for (uint32_t i = 0; i < plan->as.window.call_count; i++) {
        self->calls[i]             = lt_first_lists_rank_of(&plan->as.window.calls[i]);
        self->uses[self->calls[i]] = true;
    }
    LT_TRY_NEW_ARRAY(self->expressions, &self->arena, count + 1u, err);
    for (uint32_t k = 0; k < partition_count; k++) self->expressions[k] = plan->as.window.partition[k];
    for (uint32_t k = 0; k < order_count; k++)
        self->expressions[partition_count + k] = plan->as.window.order[k].expression;
    LT_TRY(lt_expression_types(plan->as.window.partition, partition_count, &self->arena, &types, err));
    lt_group_table_init(&self->groups, account, types, partition_count, evaluation->random_seed);
    const lt_first_use use = {.types       = self->types,
                              .width       = below->column_count,
                              .order       = plan->as.window.order,
                              .order_count = order_count,
                              .wanted      = (uint32_t)plan->as.window.top.count,
                              .has_ties    = plan->as.window.top.rank == LT_TOP_RANK};
    LT_TRY(lt_first_lists_init(&self->lists, &use, account, err));
    LT_TRY(output_open(self, err));
    return lt_evaluator_open(&self->evaluator, self->expressions, count, evaluation, account, err);
}

// ---------------------------------------------------------------------------------------------------------------- push

static leat_status keys_of(lt_node *node, const lt_chunk *chunk, lt_arena *arena, uint32_t **out_groups,
                           lt_first_keys *out_keys, leat_error *err) {
    first_rows       *self  = node->state;
    const uint32_t    count = node->plan->as.window.partition_count, order_count = node->plan->as.window.order_count;
    lt_vector        *keys;
    const lt_vector  *value;
    const lt_vector **order;
    uint32_t         *groups;
    LT_TRY_NEW_ARRAY(keys, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(groups, arena, chunk->count + 1u, err);
    LT_TRY_NEW_ARRAY(order, arena, order_count + 1u, err);
    for (uint32_t k = 0; k < count; k++) {
        LT_TRY(lt_evaluator_run(&self->evaluator, self->expressions[k], chunk, NULL, arena, &value, err));
        keys[k] = *value;
    }
    for (uint32_t k = 0; k < order_count; k++)
        LT_TRY(lt_evaluator_run(&self->evaluator, self->expressions[count + k], chunk, NULL, arena, &order[k], err));
    for (uint32_t row = 0; count == 0 && row < chunk->count; row++)
        LT_TRY(lt_group_table_add_bytes(&self->groups, "", 0, &groups[row], err));
    if (count > 0) LT_TRY(lt_group_table_find_or_add(&self->groups, keys, count, NULL, chunk->count, groups, err));
    *out_groups = groups;
    LT_TRY(lt_first_lists_reserve(&self->lists, self->groups.group_capacity, err));
    return lt_first_lists_keys(&self->lists, order, chunk->count, arena, out_keys, err);
}

static leat_status first_rows_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                   leat_error *err) {
    (void)input;
    first_rows    *self = node->state;
    lt_first_keys  keys;
    uint32_t      *groups;
    const int64_t *places = node->plan->as.window.is_by_partition ? delta->places : NULL;
    LT_TRY(keys_of(node, delta, batch->scratch, &groups, &keys, err));
    if (places == NULL) {
        int64_t *numbers;
        LT_TRY_NEW_ARRAY(numbers, batch->scratch, delta->count + 1u, err);
        for (uint32_t row = 0; row < delta->count; row++) numbers[row] = self->next_place + row;
        places = numbers;
    }
    self->next_place += delta->count;
    LT_TRY(lt_first_lists_add(&self->lists, delta, groups, places, &keys, err));
    return lt_first_lists_compact(&self->lists, self->groups.group_count, err);
}

// -------------------------------------------------------------------------------------------------------------- output

static leat_status output_send(lt_node *node, lt_batch *batch, uint32_t which, leat_error *err) {
    first_rows    *self  = node->state;
    const lt_plan *plan  = node->plan;
    output        *out   = &self->out;
    const uint32_t width = self->lists.use.width, count = out->counts[which];
    lt_chunk       chunk = {.column_count = plan->column_count,
                            .count        = count,
                            .places       = plan->as.window.is_by_partition ? out->places[which] : NULL,
                            .weights      = which == 0 ? out->weights : NULL};
    if (count == 0) return LEAT_OK;
    LT_TRY_NEW_ARRAY(chunk.columns, batch->scratch, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < width; c++)
        LT_TRY(lt_row_store_gather_column(&self->lists.rows.columns[c], out->rows[which], count, batch->scratch,
                                          &chunk.columns[c], err));
    for (uint32_t i = 0; i < plan->as.window.call_count; i++)
        chunk.columns[width + i] = (lt_vector){.type     = plan->columns[width + i].type,
                                               .form     = LT_FLAT,
                                               .capacity = count,
                                               .lanes    = count,
                                               .values   = out->ranks[which][self->calls[i]]};
    out->counts[which] = 0;
    return lt_emit_origin(node, &chunk, batch, err);
}

// The ranks of the rows of a list, one after the other.
typedef struct ranks {
    int32_t of[LT_FIRST_RANKS];
} ranks;

static void ranks_next(const first_rows *self, const lt_first_entry *entries, uint32_t i, ranks *out) {
    out->of[LT_FIRST_ROW_NUMBER] = (int32_t)i + 1;
    if (!self->uses[LT_FIRST_RANK] && !self->uses[LT_FIRST_DENSE_RANK]) return;
    if (i > 0 && lt_first_lists_are_peers(&self->lists, &entries[i - 1], &entries[i])) return;
    out->of[LT_FIRST_RANK] = (int32_t)i + 1;
    out->of[LT_FIRST_DENSE_RANK]++;
}

static leat_status output_add(lt_node *node, lt_batch *batch, uint32_t which, const lt_first_entry *entry,
                              const ranks *of, leat_error *err) {
    first_rows    *self    = node->state;
    output        *out     = &self->out;
    const uint32_t at      = out->counts[which]++;
    out->rows[which][at]   = entry->row;
    out->places[which][at] = entry->place;
    for (uint32_t kind = 0; kind < LT_FIRST_RANKS; kind++) out->ranks[which][kind][at] = of->of[kind];
    if (at + 1 < LT_CHUNK_ROWS_MAX) return LEAT_OK;
    LT_TRY(output_send(node, batch, 0, err)); // what goes, then what comes
    return output_send(node, batch, 1, err);
}

// Rows that stay keep their order, and stand before all that went.
static leat_status touch_emit(lt_node *node, lt_batch *batch, const lt_first_touch *touch, leat_error *err) {
    first_rows           *self    = node->state;
    const lt_first_list  *list    = &self->lists.lists[touch->group];
    const lt_first_entry *entries = self->lists.entries + list->first;
    const lt_first_entry *before  = self->lists.before + touch->before_first;
    ranks                 now = {0}, then = {0};
    uint32_t              i = 0;
    for (uint32_t j = 0; j < list->count; j++) {
        ranks_next(self, entries, j, &now);
        bool is_same = !entries[j].is_fresh;
        if (is_same) {
            ranks_next(self, before, i, &then);
            for (uint32_t kind = 0; kind < LT_FIRST_RANKS; kind++)
                is_same &= !self->uses[kind] || now.of[kind] == then.of[kind];
            if (!is_same) LT_TRY(output_add(node, batch, 0, &before[i], &then, err));
            i++;
        }
        if (!is_same) LT_TRY(output_add(node, batch, 1, &entries[j], &now, err));
    }
    for (; i < touch->before_count; i++) {
        ranks_next(self, before, i, &then);
        LT_TRY(output_add(node, batch, 0, &before[i], &then, err));
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- save

// How often the row is there now, so that saves may be loaded in any order and more than once.
static leat_status entry_write(first_rows *self, uint32_t group, const lt_first_entry *entry, lt_buffer *out,
                               leat_error *err) {
    uint32_t copies;
    LT_TRY(lt_first_lists_copies(&self->lists, group, entry, &copies, err));
    lt_buffer_reset(&self->bytes);
    LT_TRY(lt_row_encode(self->lists.rows.columns, self->lists.use.width, entry->row, false, &self->bytes, err));
    LT_TRY(lt_buffer_append_u8(out, LT_WINDOW_SAVE_ROW, err));
    LT_TRY(lt_buffer_append_bytes(out, self->bytes.data, self->bytes.bytes, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)entry->place, err));
    return lt_buffer_append_u32(out, copies, err);
}

// Rows that came and are still there, and rows that went.
static leat_status touch_write(first_rows *self, const lt_first_touch *touch, leat_error *err) {
    const lt_first_list  *list    = &self->lists.lists[touch->group];
    const lt_first_entry *entries = self->lists.entries + list->first;
    uint32_t              stayed  = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (entries[i].is_fresh)
            LT_TRY(entry_write(self, touch->group, &entries[i], &self->saved, err));
        else
            stayed++;
    }
    for (; stayed < touch->before_count; stayed++)
        LT_TRY(entry_write(self, touch->group, &self->lists.before[touch->before_first + stayed], &self->saved, err));
    return LEAT_OK;
}

static leat_status first_rows_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    first_rows *self = node->state;
    batch->rows_updated += self->lists.touch_count;
    for (uint32_t i = 0; i < self->lists.touch_count; i++)
        LT_TRY(touch_emit(node, batch, &self->lists.touches[i], err));
    for (uint32_t which = 0; which < 2; which++) LT_TRY(output_send(node, batch, which, err));
    for (uint32_t i = 0; node->pipeline->with_state && i < self->lists.touch_count; i++)
        LT_TRY(touch_write(self, &self->lists.touches[i], err));
    return lt_first_lists_settle(&self->lists, self->groups.group_count, err);
}

// *cursor: the group, and the row of its list. A row never comes to stand further in front, and those that go are saved by
// their batch.
static leat_status first_rows_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                        leat_error *err) {
    first_rows  *self  = node->state;
    const size_t start = out->bytes;
    uint32_t     group = (uint32_t)(*cursor >> CURSOR_GROUP_BIT), at = (uint32_t)*cursor;
    LT_TRY(lt_window_place_save(self->next_place, out, err));
    for (; group < self->groups.group_count; group++, at = 0) {
        if (!lt_group_table_is_live(&self->groups, group)) continue;
        for (; at < self->lists.lists[group].count; at++) {
            if (out->bytes - start >= bytes_max) {
                *cursor = (uint64_t)group << CURSOR_GROUP_BIT | at;
                return LEAT_OK;
            }
            LT_TRY(entry_write(self, group, lt_first_lists_at(&self->lists, group) + at, out, err));
        }
    }
    *cursor = UINT64_MAX;
    return LEAT_OK;
}

static leat_status first_rows_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    first_rows *self   = node->state;
    uint64_t    cursor = 0;
    if (is_full) {
        LT_TRY(first_rows_save_part(node, &cursor, SIZE_MAX / 2, out, err));
    } else {
        LT_TRY(lt_buffer_append(out, self->saved.data, self->saved.bytes, err));
        LT_TRY(lt_window_place_save(self->next_place, out, err));
    }
    lt_buffer_reset(&self->saved);
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- load

// The rows that follow each other in a save, as one chunk: their keys are computed again.
static leat_status rows_load(lt_node *node, lt_reader *in, leat_error *err) {
    first_rows    *self = node->state;
    lt_chunk       chunk;
    int64_t       *places;
    uint32_t      *copies, *groups;
    lt_first_keys  keys;
    uint8_t        kind;
    const uint32_t width = self->lists.use.width;
    LT_TRY(lt_chunk_init(&chunk, self->types, width, LT_CHUNK_ROWS_MAX, &self->work, err));
    LT_TRY_NEW_ARRAY(places, &self->work, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(copies, &self->work, LT_CHUNK_ROWS_MAX, err);
    while (chunk.count < LT_CHUNK_ROWS_MAX && in->next < in->end && *in->next == LT_WINDOW_SAVE_ROW) {
        const char *bytes;
        size_t      count;
        uint64_t    place;
        LT_TRY(lt_reader_u8(in, &kind, err));
        LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
        LT_TRY(lt_reader_u64(in, &place, err));
        LT_TRY(lt_reader_u32(in, &copies[chunk.count], err));
        LT_TRY(lt_row_decode(bytes, count, chunk.columns, width, &self->work, err));
        places[chunk.count++] = (int64_t)place;
    }
    LT_TRY(keys_of(node, &chunk, &self->work, &groups, &keys, err));
    LT_TRY(lt_first_lists_restore(&self->lists, &chunk, groups, places, copies, &keys, err));
    for (uint32_t row = 0; row < chunk.count; row++)
        if (lt_group_table_is_live(&self->groups, groups[row]) && self->lists.lists[groups[row]].count == 0)
            lt_group_table_remove(&self->groups, groups[row]);
    lt_arena_reset(&self->work);
    return lt_first_lists_compact(&self->lists, self->groups.group_count, err);
}

static leat_status first_rows_load(lt_node *node, lt_reader *in, leat_error *err) {
    first_rows *self = node->state;
    return *in->next == LT_WINDOW_SAVE_ROW ? rows_load(node, in, err)
                                           : lt_window_place_load(in, &self->next_place, err);
}

static lt_state_size first_rows_size(const lt_node *node) {
    const first_rows *self = node->state;
    return (lt_state_size){.rows  = self->lists.live,
                           .bytes = lt_group_table_bytes(&self->groups) +
                                    sizeof(lt_first_list) * self->groups.live_count +
                                    lt_first_lists_bytes(&self->lists)};
}

static void first_rows_close(lt_node *node) {
    first_rows *self = node->state;
    if (self->arena.account == NULL) return;
    lt_first_lists_deinit(&self->lists);
    lt_group_table_deinit(&self->groups);
    lt_evaluator_close(&self->evaluator);
    lt_buffer_deinit(&self->saved);
    lt_buffer_deinit(&self->bytes);
    lt_arena_deinit(&self->work);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_first_rows = {
    .name           = "FirstRows",
    .plan_kind      = LT_PLAN_WINDOW,
    .serves         = lt_first_lists_serve,
    .state_bytes    = sizeof(first_rows),
    .is_incremental = true,
    .open           = first_rows_open,
    .push           = first_rows_push,
    .end_batch      = first_rows_end_batch,
    .save           = first_rows_save,
    .load           = first_rows_load,
    .save_part      = first_rows_save_part,
    .size           = first_rows_size,
    .state_name     = "firstRows",
    .close          = first_rows_close,
};
