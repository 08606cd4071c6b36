// partitions: held rows lie in blocks of HELD_BLOCK_ROWS, column by column, so that a block is a chunk as it
// stands. A partition has a chain of blocks and writes where its last one ends: the lines of memory that all partitions
// write to stay in the second-level cache. Source: Balkesen et al. (2013) on partitions that fit caches and page tables.
#include "exec/aggregation/partitions.h"

enum {
    HELD_BLOCK_ROWS   = 1024,
    HELD_COLUMNS_MAX  = 64,        // a bit each
    GROUPS_PER_WINDOW = 64 * 1024, // that are put in order at once, about
    EPOCH_ROWS_MAX    = 0x7fffffff,
};

typedef struct held_block held_block;
struct held_block {
    held_block *next;
    uint64_t    nulls; // bit by column: some value is NULL, and the column has validity bits
};

// A key, or a value that a call folds.
typedef struct held_column {
    const lt_type *type;
    size_t         lane_bytes;
    size_t         lanes, validity; // where they begin in a block
} held_column;

typedef struct partition {
    lt_group_table table;
    lt_call_state *calls;
    lt_group_array firsts;      // uint32_t by group: number of its first row in the epoch
    uint32_t       group_count; // that have it
    uint32_t       last_rows;   // of the last block
    held_block    *first, *last;
} partition;

// Groups by partition when an epoch ended.
typedef struct epoch {
    uint64_t rows;
    uint32_t ends[LT_PARTITIONS_MAX];
} epoch;

struct lt_aggregate_partitions {
    lt_arena              arena; // this, columns, calls
    lt_account           *account;
    lt_node              *node;
    const lt_type *const *types; // of the output: keys, then results
    lt_call_state        *calls; // that evaluate values
    uint32_t              call_count, key_count, column_count;
    held_column          *columns;                      // keys, then values by call
    size_t                places, weights, block_bytes; // where these begin in a block; weights 0: there are none
    lt_arena              blocks;
    held_block           *spare;
    uint64_t              held_bytes_max, held_blocks, held_blocks_max;
    uint64_t              rows_folded, groups_folded; // in this fold so far: rows, and the groups that they made
    uint32_t              row_count;                  // of the epoch
    int64_t               next_place;                 // of the epoch's first row, for calls that ask
    lt_arena              texts;                      // bytes of held texts
    bool                  has_texts, needs_places;
    partition            *partitions;
    uint32_t              partition_count; // that are open: all, or the opening failed
    epoch                *epochs;
    uint32_t              epoch_count, epoch_capacity;
    lt_arena              scratch, window;
};

// -------------------------------------------------------------------------------------------------------- open, close

static bool is_lane(const lt_type *type) {
    return !lt_kind_is_nested(type->kind) && lt_kind_lane_bytes(type->kind) > 0;
}

// Texts as keys are copied once more and compared by their bytes: measured, that costs more than the cache misses.
static bool is_short_key(const lt_type *type) {
    return is_lane(type) && !lt_kind_is_bytes(type->kind) && lt_kind_lane_bytes(type->kind) <= sizeof(uint64_t);
}

bool lt_aggregate_partitions_can(const lt_aggregate_groups *groups, const lt_type *const *types) {
    const uint32_t key_count = groups->plan->as.aggregate.key_count;
    uint32_t       columns   = key_count;
    bool           can = key_count > 0 && !groups->keeps_weights && !groups->keeps_places && !groups->has_event_time;
    for (uint32_t k = 0; can && k < key_count; k++) can = is_short_key(types[k]);
    for (uint32_t i = 0; can && i < groups->call_count; i++) {
        can = lt_call_can_wait(&groups->calls[i]);
        columns += groups->calls[i].input_count;
    }
    return can && columns <= HELD_COLUMNS_MAX;
}

static uint64_t held_bytes_max(const lt_pipeline *pipeline) {
    return pipeline->held_bytes_max != 0 ? pipeline->held_bytes_max : LT_HELD_BYTES_MAX;
}

bool lt_aggregate_partitions_have_room(const lt_aggregate_groups *groups) {
    return lt_account_room(groups->account) / 4 >= held_bytes_max(groups->node->pipeline);
}

// How a block is laid out.
static void layout_init(lt_aggregate_partitions *self, bool has_weights) {
    size_t at     = sizeof(held_block);
    self->weights = has_weights ? at : 0;
    at += has_weights ? sizeof(int64_t) * HELD_BLOCK_ROWS : 0;
    self->places = at;
    at += sizeof(uint32_t) * HELD_BLOCK_ROWS;
    for (uint32_t c = 0; c < self->column_count; c++) {
        self->columns[c].lanes = at;
        at += self->columns[c].lane_bytes * HELD_BLOCK_ROWS;
        self->columns[c].validity = at;
        at += HELD_BLOCK_ROWS / 8;
    }
    self->block_bytes     = at;
    self->held_blocks_max = self->held_bytes_max / at;
}

static leat_status columns_open(lt_aggregate_partitions *self, leat_error *err) {
    uint32_t count = self->key_count;
    for (uint32_t i = 0; i < self->call_count; i++) count += self->calls[i].input_count;
    LT_TRY_NEW_ARRAY(self->columns, &self->arena, count, err);
    for (uint32_t k = 0; k < self->key_count; k++) self->columns[self->column_count++].type = self->types[k];
    for (uint32_t i = 0; i < self->call_count; i++) {
        for (uint32_t a = 0; a < self->calls[i].input_count; a++)
            self->columns[self->column_count++].type = self->calls[i].types[a];
        self->needs_places |= self->calls[i].function->needs_place;
    }
    for (uint32_t c = 0; c < count; c++) {
        self->columns[c].lane_bytes = lt_kind_lane_bytes(self->columns[c].type->kind);
        self->has_texts |= lt_kind_is_bytes(self->columns[c].type->kind);
    }
    layout_init(self, false);
    return LEAT_OK;
}

static leat_status partitions_open(lt_aggregate_partitions *self, leat_error *err) {
    lt_call_state *calls;
    LT_TRY_NEW_ARRAY(calls, &self->arena, LT_PARTITIONS_MAX * (size_t)self->call_count + 1, err);
    LT_TRY_NEW_ARRAY(self->partitions, &self->arena, LT_PARTITIONS_MAX, err);
    for (; self->partition_count < LT_PARTITIONS_MAX; self->partition_count++) {
        partition *one = &self->partitions[self->partition_count];
        one->calls     = calls + (size_t)self->partition_count * self->call_count;
        for (uint32_t i = 0; i < self->call_count; i++) one->calls[i] = lt_call_again(&self->calls[i]);
        lt_group_table_init(&one->table, self->account, self->types, self->key_count,
                            self->node->pipeline->evaluation->random_seed);
    }
    return LEAT_OK;
}

void lt_aggregate_partitions_close(lt_aggregate_partitions **self) {
    lt_aggregate_partitions *one = *self;
    if (one == NULL) return;
    for (uint32_t p = 0; p < one->partition_count; p++) {
        partition *part = &one->partitions[p];
        for (uint32_t i = 0; i < one->call_count; i++) lt_call_drop(&part->calls[i], one->account);
        lt_group_array_deinit(&part->firsts, sizeof(uint32_t), one->account);
        lt_group_table_deinit(&part->table);
    }
    lt_account_reallocate(one->account, one->epochs, sizeof *one->epochs * one->epoch_capacity, 0);
    lt_arena_deinit(&one->blocks);
    lt_arena_deinit(&one->texts);
    lt_arena_deinit(&one->scratch);
    lt_arena_deinit(&one->window);
    lt_arena arena = one->arena;
    lt_arena_deinit(&arena);
    *self = NULL;
}

// ---------------------------------------------------------------------------------------------------------------- fold

static uint64_t *validity_of(const lt_aggregate_partitions *self, held_block *block, uint32_t column) {
    return (uint64_t *)(void *)((char *)block + self->columns[column].validity);
}

// Columns [first, first + count) of a block as vectors over it.
static void vectors_view(const lt_aggregate_partitions *self, held_block *block, uint32_t rows, uint32_t first,
                         uint32_t count, lt_vector *out) {
    for (uint32_t c = 0; c < count; c++) {
        const held_column *column = &self->columns[first + c];
        out[c]                    = (lt_vector){.type     = column->type,
                                                .form     = LT_FLAT,
                                                .capacity = HELD_BLOCK_ROWS,
                                                .lanes    = rows,
                                                .values   = (char *)block + column->lanes};
        if ((block->nulls >> (first + c) & 1) != 0) out[c].validity = validity_of(self, block, first + c);
    }
}

// What the table has more than is there gets accumulators, and room for its first row's number.
static leat_status groups_ready(lt_aggregate_partitions *self, partition *into, leat_error *err) {
    LT_TRY(lt_group_array_reserve(&into->firsts, sizeof(uint32_t), into->table.group_capacity, self->account, err));
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_add_groups(&into->calls[i], into->table.group_count, self->account, err));
    return LEAT_OK;
}

static leat_status block_fold(lt_aggregate_partitions *self, partition *into, held_block *block, uint32_t rows,
                              lt_evaluation *evaluation, lt_arena *scratch, leat_error *err) {
    const uint32_t   *numbers = (const uint32_t *)(const void *)((const char *)block + self->places);
    lt_vector        *vectors;
    const lt_vector **values;
    uint32_t         *found;
    int64_t          *places = NULL;
    LT_TRY_NEW_ARRAY(vectors, scratch, self->column_count, err);
    LT_TRY_NEW_ARRAY(values, scratch, self->column_count, err);
    LT_TRY_NEW_ARRAY(found, scratch, rows, err);
    vectors_view(self, block, rows, 0, self->column_count, vectors);
    for (uint32_t c = self->key_count; c < self->column_count; c++) values[c] = &vectors[c];
    LT_TRY(lt_group_table_find_or_add(&into->table, vectors, self->key_count, NULL, rows, found, err));
    if (into->table.group_count > into->group_count) {
        LT_TRY(groups_ready(self, into, err));
        for (uint32_t i = 0; i < rows && into->group_count < into->table.group_count; i++)
            if (found[i] == into->group_count) LT_GROUP_ITEM(&into->firsts, uint32_t, into->group_count++) = numbers[i];
    }
    if (self->needs_places) {
        LT_TRY_NEW_ARRAY(places, scratch, rows, err);
        for (uint32_t i = 0; i < rows; i++) places[i] = self->next_place + numbers[i];
    }
    const int64_t *weights =
        self->weights == 0 ? NULL : (const int64_t *)(const void *)((const char *)block + self->weights);
    const lt_chunk     chunk = {.count = rows, .weights = weights, .places = places};
    const lt_call_rows from  = {.chunk = &chunk, .count = rows, .groups = found};
    for (uint32_t i = 0, c = self->key_count; i < self->call_count; c += self->calls[i++].input_count)
        LT_TRY(lt_call_fold(&into->calls[i], &from, values + c, evaluation, scratch, self->account, err));
    lt_arena_reset(scratch);
    return LEAT_OK;
}

// Makes room for the groups that held rows bring, of which there are about as many as in the partitions before: rows
// are spread by their hashes.
static leat_status room_make(lt_aggregate_partitions *self, partition *into, leat_error *err) {
    uint64_t rows = into->last_rows;
    for (const held_block *block = into->first; block != into->last; block = block->next) rows += HELD_BLOCK_ROWS;
    const uint64_t before = self->rows_folded, more = before == 0 ? 0 : rows * self->groups_folded / before;
    self->rows_folded += rows;
    return more == 0 ? LEAT_OK : lt_group_table_reserve(&into->table, into->table.group_count + (uint32_t)more, err);
}

static leat_status partition_fold(lt_aggregate_partitions *self, partition *into, lt_evaluation *evaluation,
                                  lt_arena *scratch, leat_error *err) {
    const uint32_t had = into->table.group_count;
    LT_TRY(room_make(self, into, err));
    for (held_block *block = into->first; block != NULL; block = block->next)
        LT_TRY(block_fold(self, into, block, block == into->last ? into->last_rows : HELD_BLOCK_ROWS, evaluation,
                          scratch, err));
    self->groups_folded += into->table.group_count - had;
    lt_group_table_rest(&into->table);
    return LEAT_OK;
}

// Groups from here on are of another epoch.
static leat_status epoch_end(lt_aggregate_partitions *self, leat_error *err) {
    LT_TRY_GROW(self->epochs, self->account, self->epoch_count, self->epoch_capacity, 8, err);
    epoch *ended = &self->epochs[self->epoch_count++];
    ended->rows  = self->row_count;
    for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) ended->ends[p] = self->partitions[p].group_count;
    self->next_place += self->row_count;
    self->row_count = 0;
    return LEAT_OK;
}

// Folds all that is held.
static leat_status held_fold(lt_aggregate_partitions *self, lt_evaluation *evaluation, leat_error *err) {
    if (self->held_blocks == 0) return LEAT_OK;
    self->rows_folded = self->groups_folded = 0;
    for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) {
        partition *into = &self->partitions[p];
        if (into->first == NULL) continue;
        LT_TRY(partition_fold(self, into, evaluation, &self->scratch, err));
        into->last->next = self->spare;
        self->spare      = into->first;
        into->first = into->last = NULL;
    }
    self->held_blocks = 0;
    lt_arena_reset(&self->texts);
    return epoch_end(self, err);
}

// ----------------------------------------------------------------------------------------------------------------- add

// Where a row of a chunk is written.
typedef struct held_place {
    held_block *block;
    uint32_t    row;
} held_place;

static leat_status block_add(lt_aggregate_partitions *self, partition *to, leat_error *err) {
    held_block *block = self->spare;
    if (block != NULL) {
        self->spare = block->next;
    } else {
        block = lt_arena_alloc(&self->blocks, self->block_bytes);
        if (block == NULL) return lt_raise_no_memory(err);
    }
    block->next  = NULL;
    block->nulls = 0;
    if (to->last == NULL)
        to->first = block;
    else
        to->last->next = block;
    to->last      = block;
    to->last_rows = 0;
    self->held_blocks++;
    return LEAT_OK;
}

static leat_status places_find(lt_aggregate_partitions *self, const uint16_t *partition_of, uint32_t count,
                               held_place *out, leat_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        partition *to = &self->partitions[partition_of[i]];
        if (to->last == NULL || to->last_rows == HELD_BLOCK_ROWS) LT_TRY(block_add(self, to, err));
        out[i] = (held_place){.block = to->last, .row = to->last_rows++};
    }
    return LEAT_OK;
}

static void null_note(const lt_aggregate_partitions *self, const held_place *place, uint32_t column) {
    uint64_t *validity = validity_of(self, place->block, column);
    if ((place->block->nulls >> column & 1) == 0) memset(validity, 0xff, HELD_BLOCK_ROWS / 8);
    place->block->nulls |= UINT64_C(1) << column;
    validity[place->row / 64] &= ~(UINT64_C(1) << (place->row % 64));
}

static void lanes_put(const held_column *column, const lt_vector *from, const held_place *places, uint32_t count) {
    const void *values = lt_vector_lanes(from)->values;
    typedef struct lane16 {
        uint64_t words[2];
    } lane16;
#define PUT(lane_type)                                                                                                 \
    if (from->form == LT_FLAT) {                                                                                       \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            ((lane_type *)(void *)((char *)places[i].block + column->lanes))[places[i].row] =                          \
                ((const lane_type *)values)[i];                                                                        \
    } else {                                                                                                           \
        for (uint32_t i = 0; i < count; i++)                                                                           \
            ((lane_type *)(void *)((char *)places[i].block + column->lanes))[places[i].row] =                          \
                ((const lane_type *)values)[lt_vector_lane(from, i)];                                                  \
    }                                                                                                                  \
    return
    switch (column->lane_bytes) {
    case 1:
        PUT(uint8_t);
    case 2:
        PUT(uint16_t);
    case 4:
        PUT(uint32_t);
    case 8:
        PUT(uint64_t);
    default:
        PUT(lane16);
    }
#undef PUT
}

// Texts beyond the inline ones lie in memory that is not ours.
static leat_status texts_keep(lt_aggregate_partitions *self, const held_column *column, const held_place *places,
                              uint32_t count, leat_error *err) {
    for (uint32_t i = 0; i < count; i++) {
        lt_string *text = &((lt_string *)(void *)((char *)places[i].block + column->lanes))[places[i].row];
        if (text->bytes <= LT_STRING_INLINE_MAX) continue;
        char *bytes = lt_arena_alloc(&self->texts, text->bytes);
        if (bytes == NULL) return lt_raise_no_memory(err);
        memcpy(bytes, text->as.data, text->bytes);
        text->as.data = bytes;
    }
    return LEAT_OK;
}

static leat_status column_put(lt_aggregate_partitions *self, uint32_t number, const lt_vector *from,
                              const held_place *places, uint32_t count, leat_error *err) {
    const held_column *column = &self->columns[number];
    const lt_vector   *lanes  = lt_vector_lanes(from);
    if (lanes->validity != NULL || lanes->type->kind == LT_VOID || lanes->values == NULL) {
        bool has_null = false;
        for (uint32_t i = 0; i < count; i++) {
            if (!lt_vector_is_null(from, i)) continue;
            null_note(self, &places[i], number);
            has_null = true;
        }
        if (lanes->values == NULL) return LEAT_OK;
        if (has_null && lt_kind_is_bytes(column->type->kind)) { // NULL lanes hold anything, pointers too
            lt_string empty = {0};
            lanes_put(column, from, places, count);
            for (uint32_t i = 0; i < count; i++)
                if (lt_vector_is_null(from, i))
                    ((lt_string *)(void *)((char *)places[i].block + column->lanes))[places[i].row] = empty;
            return texts_keep(self, column, places, count, err);
        }
    }
    lanes_put(column, from, places, count);
    return lt_kind_is_bytes(column->type->kind) ? texts_keep(self, column, places, count, err) : LEAT_OK;
}

// Rows from now on have weights of their own.
static leat_status weights_begin(lt_aggregate_partitions *self, lt_evaluation *evaluation, leat_error *err) {
    LT_TRY(held_fold(self, evaluation, err));
    lt_arena_reset(&self->blocks);
    self->spare = NULL;
    layout_init(self, true);
    return LEAT_OK;
}

// Whether a chunk may be held; what it takes beyond the maximum is a block for each partition at most, or its own rows.
static bool has_room(const lt_aggregate_partitions *self, uint32_t count) {
    return self->held_blocks < self->held_blocks_max && self->texts.used_bytes < self->held_bytes_max &&
           self->row_count < (uint32_t)EPOCH_ROWS_MAX - count;
}

leat_status lt_aggregate_partitions_add(lt_aggregate_partitions *self, const lt_vector *keys, const lt_chunk *chunk,
                                        lt_batch *batch, leat_error *err) {
    const uint32_t count = chunk->count;
    uint16_t      *partition_of;
    held_place    *places;
    if (chunk->weights != NULL && self->weights == 0) LT_TRY(weights_begin(self, batch->evaluation, err));
    if (!has_room(self, count)) LT_TRY(held_fold(self, batch->evaluation, err));
    LT_TRY_NEW_ARRAY(partition_of, batch->scratch, count, err);
    places = lt_arena_alloc(batch->scratch, sizeof *places * count);
    if (places == NULL) return lt_raise_no_memory(err);
    const lt_vector **values;
    LT_TRY_NEW_ARRAY(values, batch->scratch, self->column_count, err);
    for (uint32_t i = 0, c = self->key_count; i < self->call_count; i++)
        for (uint32_t a = 0; a < self->calls[i].input_count; a++)
            LT_TRY(lt_call_values(&self->calls[i], a, chunk, batch->scratch, &values[c++], err));
    LT_TRY(lt_group_table_partitions(&self->partitions[0].table, keys, self->key_count, count, LT_PARTITIONS_MAX,
                                     partition_of, err));
    LT_TRY(places_find(self, partition_of, count, places, err));
    for (uint32_t c = 0; c < self->column_count; c++)
        LT_TRY(column_put(self, c, c < self->key_count ? &keys[c] : values[c], places, count, err));
    for (uint32_t i = 0; i < count; i++)
        ((uint32_t *)(void *)((char *)places[i].block + self->places))[places[i].row] = self->row_count + i;
    for (uint32_t i = 0; self->weights != 0 && i < count; i++)
        ((int64_t *)(void *)((char *)places[i].block + self->weights))[places[i].row] = lt_chunk_weight(chunk, i);
    self->row_count += count;
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- merge

// Groups of another table, at most a chunk of them, in the order of their first rows.
typedef struct group_run {
    const lt_aggregate_groups *from;
    uint32_t                   first, count;
    bool                       is_new; // all of them are: their accumulators are copied
} group_run;

// Rows of a chunk by partition: order[starts[p]..starts[p + 1]).
static void rows_sort(const uint16_t *partition_of, uint32_t count, uint16_t *order, uint32_t *starts) {
    memset(starts, 0, sizeof *starts * (LT_PARTITIONS_MAX + 1u));
    for (uint32_t i = 0; i < count; i++) starts[partition_of[i] + 1]++;
    for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) starts[p + 1] += starts[p];
    for (uint32_t i = count; i-- > 0;) order[--starts[partition_of[i] + 1]] = (uint16_t)i;
    // Each start has become that of the partition before.
    for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) starts[p] = starts[p + 1];
    starts[LT_PARTITIONS_MAX] = count;
}

static leat_status run_put(lt_aggregate_partitions *self, partition *into, const group_run *run, const lt_vector *keys,
                           const uint16_t *rows, uint32_t count, uint32_t *found, leat_error *err) {
    LT_TRY(lt_group_table_find_or_add(&into->table, keys, self->key_count, rows, count, found, err));
    LT_TRY(groups_ready(self, into, err));
    for (uint32_t i = 0; i < count && into->group_count < into->table.group_count; i++)
        if (found[i] == into->group_count)
            LT_GROUP_ITEM(&into->firsts, uint32_t, into->group_count++) = self->row_count + rows[i];
    for (uint32_t c = 0; c < self->call_count; c++) {
        for (uint32_t i = 0; i < count; i++) {
            if (run->is_new)
                lt_call_copy_group(&into->calls[c], found[i], &run->from->calls[c], run->first + rows[i]);
            else
                LT_TRY(lt_call_merge(&into->calls[c], &run->from->calls[c], run->first + rows[i], &found[i], 1,
                                     self->account, err));
        }
    }
    return LEAT_OK;
}

static leat_status groups_take(lt_aggregate_partitions *self, lt_aggregate_groups *from, bool are_new,
                               leat_error *err) {
    for (group_run run = {.from = from, .is_new = are_new}; run.first < from->group_count; run.first += run.count) {
        uint32_t *theirs, *found, *starts;
        uint16_t *partition_of, *order;
        lt_chunk  keys;
        run.count = from->group_count - run.first < LT_CHUNK_ROWS_MAX ? from->group_count - run.first
                                                                      : (uint32_t)LT_CHUNK_ROWS_MAX;
        if (self->row_count >= (uint32_t)EPOCH_ROWS_MAX - run.count) LT_TRY(epoch_end(self, err));
        LT_TRY_NEW_ARRAY(theirs, &self->scratch, run.count, err);
        LT_TRY_NEW_ARRAY(found, &self->scratch, run.count, err);
        LT_TRY_NEW_ARRAY(starts, &self->scratch, LT_PARTITIONS_MAX + 1u, err);
        LT_TRY_NEW_ARRAY(partition_of, &self->scratch, run.count, err);
        LT_TRY_NEW_ARRAY(order, &self->scratch, run.count, err);
        LT_TRY(lt_chunk_init(&keys, self->types, self->key_count, run.count, &self->scratch, err));
        for (uint32_t i = 0; i < run.count; i++) theirs[i] = run.first + i;
        LT_TRY(
            lt_group_table_keys(&from->table, theirs, run.count, keys.columns, self->key_count, &self->scratch, err));
        LT_TRY(lt_group_table_partitions(&self->partitions[0].table, keys.columns, self->key_count, run.count,
                                         LT_PARTITIONS_MAX, partition_of, err));
        rows_sort(partition_of, run.count, order, starts);
        for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++)
            if (starts[p + 1] > starts[p])
                LT_TRY(run_put(self, &self->partitions[p], &run, keys.columns, order + starts[p],
                               starts[p + 1] - starts[p], found, err));
        self->row_count += run.count;
        lt_arena_reset(&self->scratch);
    }
    return LEAT_OK;
}

leat_status lt_aggregate_partitions_merge(lt_aggregate_partitions *self, lt_aggregate_groups *from, lt_batch *batch,
                                          leat_error *err) {
    LT_TRY(held_fold(self, batch->evaluation, err));
    return groups_take(self, from, false, err);
}

leat_status lt_aggregate_partitions_open(lt_aggregate_groups *groups, lt_node *node, const lt_type *const *types,
                                         lt_aggregate_partitions **out, leat_error *err) {
    lt_account *account = groups->account;
    lt_arena    arena;
    lt_arena_init(&arena, account);
    lt_aggregate_partitions *self = LT_NEW(&arena, lt_aggregate_partitions);
    *out                          = self;
    if (self == NULL) return lt_raise_no_memory(err);
    *self                = (lt_aggregate_partitions){.arena      = arena,
                                                     .account    = account,
                                                     .node       = node,
                                                     .types      = types,
                                                     .calls      = groups->calls,
                                                     .call_count = groups->call_count,
                                                     .key_count  = groups->plan->as.aggregate.key_count};
    self->held_bytes_max = held_bytes_max(node->pipeline);
    lt_arena_init(&self->blocks, account);
    lt_arena_init(&self->texts, account);
    lt_arena_init(&self->scratch, account);
    lt_arena_init(&self->window, account);
    LT_TRY(columns_open(self, err));
    LT_TRY(partitions_open(self, err));
    LT_TRY(groups_take(self, groups, true, err));
    self->next_place = groups->next_place - self->row_count;
    LT_TRY(epoch_end(self, err));
    lt_aggregate_groups_forget(groups);
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- emit

// Groups whose first rows have numbers of a window of an epoch, to be put in their order.
typedef struct order_window {
    uint64_t  begin, end; // numbers
    uint64_t *is_first;   // bit by number - begin
    uint32_t *ranks;      // groups before, by word of bits
    uint32_t *from, *to;  // groups by partition
    uint32_t  count;
    uint32_t *groups, *positions; // work space, a chunk
} order_window;

static uint32_t word_count(const order_window *window) { return (uint32_t)((window->end - window->begin + 63) / 64); }

// Finds the groups of the window: those of each partition follow from->.
static void window_fill(const lt_aggregate_partitions *self, const uint32_t *ends, order_window *window) {
    const uint32_t words = word_count(window);
    memset(window->is_first, 0, sizeof *window->is_first * words);
    for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) {
        const uint32_t *firsts = self->partitions[p].firsts.items;
        uint32_t        group  = window->from[p];
        for (; group < ends[p] && firsts[group] < window->end; group++) {
            const uint64_t number = firsts[group] - window->begin;
            window->is_first[number / 64] |= UINT64_C(1) << (number % 64);
        }
        window->to[p] = group;
    }
    window->count = 0;
    for (uint32_t w = 0; w < words; w++) {
        window->ranks[w] = window->count;
        window->count += (uint32_t)__builtin_popcountll(window->is_first[w]);
    }
}

static uint32_t rank_of(const order_window *window, uint32_t first) {
    const uint64_t number = first - window->begin, below = (UINT64_C(1) << (number % 64)) - 1;
    return window->ranks[number / 64] + (uint32_t)__builtin_popcountll(window->is_first[number / 64] & below);
}

static leat_status lanes_scatter(const lt_vector *from, const uint32_t *positions, uint32_t count, lt_vector *into,
                                 lt_arena *arena, leat_error *err) {
    typedef struct lane16 {
        uint64_t words[2];
    } lane16;
#define SCATTER(lane_type)                                                                                             \
    for (uint32_t i = 0; i < count; i++)                                                                               \
        ((lane_type *)into->values)[positions[i]] = ((const lane_type *)from->values)[i];                              \
    break
    switch (lt_kind_lane_bytes(from->type->kind)) {
    case 1:
        SCATTER(uint8_t);
    case 2:
        SCATTER(uint16_t);
    case 4:
        SCATTER(uint32_t);
    case 8:
        SCATTER(uint64_t);
    default:
        SCATTER(lane16);
    }
#undef SCATTER
    for (uint32_t i = 0; from->validity != NULL && i < count; i++)
        if (!lt_validity_is_set(from->validity, i)) LT_TRY(lt_vector_set_null(into, positions[i], arena, err));
    return LEAT_OK;
}

// Rows of a partition's groups, to where they belong.
static leat_status groups_scatter(lt_aggregate_partitions *self, partition *from, const order_window *window,
                                  uint32_t first, uint32_t count, lt_chunk *into, lt_evaluation *evaluation,
                                  leat_error *err) {
    const uint32_t  column_count = self->key_count + self->call_count;
    const uint32_t *firsts       = from->firsts.items;
    lt_chunk        rows;
    LT_TRY(lt_chunk_init(&rows, self->types, column_count, count, &self->scratch, err));
    for (uint32_t i = 0; i < count; i++) {
        window->groups[i]    = first + i;
        window->positions[i] = rank_of(window, firsts[first + i]);
    }
    LT_TRY(lt_group_table_keys(&from->table, window->groups, count, rows.columns, self->key_count, &self->window, err));
    for (uint32_t i = 0; i < self->call_count; i++)
        LT_TRY(lt_call_finish(&from->calls[i], window->groups, count, &rows.columns[self->key_count + i], evaluation,
                              &self->window, err));
    for (uint32_t c = 0; c < column_count; c++)
        LT_TRY(lanes_scatter(&rows.columns[c], window->positions, count, &into->columns[c], &self->window, err));
    lt_arena_reset(&self->scratch);
    return LEAT_OK;
}

// Sends rows a chunk at a time; *place is that of the first.
static leat_status rows_send(lt_aggregate_partitions *self, const lt_chunk *rows, uint32_t count, int64_t *place,
                             lt_batch *batch, leat_error *err) {
    const uint32_t column_count = self->key_count + self->call_count;
    for (uint32_t first = 0; first < count; first += LT_CHUNK_ROWS_MAX) {
        lt_chunk out = {.column_count = column_count};
        int64_t *places;
        out.count = count - first < LT_CHUNK_ROWS_MAX ? count - first : (uint32_t)LT_CHUNK_ROWS_MAX;
        LT_TRY_NEW_ARRAY(out.columns, batch->scratch, column_count, err);
        LT_TRY_NEW_ARRAY(places, batch->scratch, out.count, err);
        for (uint32_t i = 0; i < out.count; i++) places[i] = (*place)++;
        out.places = places;
        for (uint32_t c = 0; c < column_count; c++) {
            const lt_vector *from = &rows->columns[c];
            out.columns[c]        = (lt_vector){.type     = from->type,
                                                .form     = LT_FLAT,
                                                .capacity = out.count,
                                                .lanes    = out.count,
                                                .values = (char *)from->values + lt_kind_lane_bytes(from->type->kind) * first,
                                                .validity = from->validity == NULL ? NULL : from->validity + first / 64};
        }
        LT_TRY(lt_emit_origin(self->node, &out, batch, err));
    }
    return LEAT_OK;
}

static leat_status window_send(lt_aggregate_partitions *self, order_window *window, const uint32_t *ends,
                               int64_t *place, lt_batch *batch, leat_error *err) {
    const uint32_t column_count = self->key_count + self->call_count, words = word_count(window);
    lt_chunk       rows;
    LT_TRY_NEW_ARRAY(window->is_first, &self->window, words, err);
    LT_TRY_NEW_ARRAY(window->ranks, &self->window, words, err);
    LT_TRY_NEW_ARRAY(window->groups, &self->window, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(window->positions, &self->window, LT_CHUNK_ROWS_MAX, err);
    window_fill(self, ends, window);
    LT_TRY(lt_chunk_init(&rows, self->types, column_count, window->count + 1, &self->window, err));
    for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) {
        for (uint32_t count; window->from[p] < window->to[p]; window->from[p] += count) {
            count = window->to[p] - window->from[p];
            count = count < LT_CHUNK_ROWS_MAX ? count : (uint32_t)LT_CHUNK_ROWS_MAX;
            LT_TRY(groups_scatter(self, &self->partitions[p], window, window->from[p], count, &rows, batch->evaluation,
                                  err));
        }
    }
    LT_TRY(rows_send(self, &rows, window->count, place, batch, err));
    lt_arena_reset(&self->window);
    return LEAT_OK;
}

leat_status lt_aggregate_partitions_emit(lt_aggregate_partitions *self, lt_batch *batch, leat_error *err) {
    order_window window = {0};
    int64_t      place  = 0;
    LT_TRY(held_fold(self, batch->evaluation, err));
    if (self->row_count > 0) LT_TRY(epoch_end(self, err));
    LT_TRY_NEW_ARRAY(window.from, &self->arena, LT_PARTITIONS_MAX, err);
    LT_TRY_NEW_ARRAY(window.to, &self->arena, LT_PARTITIONS_MAX, err);
    for (uint32_t e = 0; e < self->epoch_count; e++) {
        const epoch *one   = &self->epochs[e];
        uint64_t     count = 0;
        for (uint32_t p = 0; p < LT_PARTITIONS_MAX; p++) count += one->ends[p] - window.from[p];
        const uint64_t step = (one->rows / (count / GROUPS_PER_WINDOW + 1) + 64) / 64 * 64;
        for (window.begin = 0; count > 0 && window.begin < one->rows; window.begin += step) {
            window.end = window.begin + step < one->rows ? window.begin + step : one->rows;
            LT_TRY(window_send(self, &window, one->ends, &place, batch, err));
        }
    }
    return LEAT_OK;
}

lt_state_size lt_aggregate_partitions_size(const lt_aggregate_partitions *self) {
    lt_state_size size = {.bytes = self->held_blocks * self->block_bytes + self->texts.used_bytes};
    for (uint32_t p = 0; p < self->partition_count; p++) {
        const partition *one = &self->partitions[p];
        size.rows += one->table.live_count;
        size.bytes += lt_group_table_bytes(&one->table) + sizeof(uint32_t) * (uint64_t)one->group_count;
        for (uint32_t i = 0; i < self->call_count; i++)
            size.bytes += (uint64_t)one->calls[i].function->accumulator_bytes * one->group_count;
    }
    return size;
}
