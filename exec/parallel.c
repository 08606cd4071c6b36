// parallel: morsels are claimed in order and taken in order, so a ring of parts is enough: morsel i lives in part
// i modulo their number. One lock guards who has claimed what; it is held for a few instructions a morsel.
#include "exec/parallel.h"

#include "exec/partitions.h"
#include "exec/workers.h"
#include "storage/file_morsel.h"

#include <string.h>

enum {
    ROWS_PER_GROUP_MIN = 8,  // fewer than so many rows a group are not worth a fold of their own
    MORSELS_PER_TRY    = 64, // morsels that are kept between two that are folded to see what they come down to
};

// Memory of one decoded chunk and of what the operators made of it.
typedef struct kept_memory {
    lt_arena rows, scratch;
} kept_memory;

typedef struct kept_bad_row {
    lt_bad_row row;
    uint32_t   chunks_before;
} kept_bad_row;

// A morsel that a thread has read and the driver has not taken yet. Its memory is used again by later morsels.
typedef struct part {
    bool                 is_done;    // under the lock
    lt_buffer            bytes;      // rows view them
    lt_arena             arena;      // bad rows, of_folders
    lt_vector           *of_folders; // columns of folders k=v; NULL: none, or no row has come
    kept_memory         *memory;
    uint32_t             memory_count, memory_capacity, memory_used;
    lt_node             *fold; // has folded the rows that the top of the chain gave; NULL: they are kept
    lt_pipeline          fold_pipeline;
    lt_chunk            *chunks; // as the top of the chain gave them
    uint32_t             chunk_count, chunk_capacity;
    kept_bad_row        *bad_rows;
    uint32_t             bad_count, bad_capacity;
    uint64_t             rows; // decoded
    size_t               kept_bytes;
    lt_file_morsel_facts facts;
    lt_watermark        *watermarks;
    uint64_t            *rejected_rows; // by source
    lt_node_counts      *counts;        // by node of the chain: rows
    leat_status          status;
    leat_error           error;
} part;

typedef struct lt_parallel lt_parallel;

// What a thread reads with. Number 0 is the driver's.
typedef struct reading {
    lt_parallel          *owner;
    part                 *part; // where rows are kept; NULL: they go straight on (driver only)
    lt_evaluation         evaluation;
    lt_decode_target      target;
    lt_file_morsel_reader reader;
    lt_arena              arena; // the chain
    lt_pipeline           pipeline;
    lt_node             **chain; // [0] is the scan
    lt_batch              batch;
    bool                  is_open;
    bool                  is_folding; // the last morsel came down to few groups
    uint32_t              kept_since; // morsels that were kept since one was folded
} reading;

struct lt_parallel {
    lt_source      *source;
    lt_account     *account; // the pipeline's, which may be closed before its sources
    lt_node        *scan;
    lt_node       **chain; // of the pipeline itself: the scan and the stateless nodes above it
    uint32_t        chain_length;
    lt_node        *merging; // above the chain; takes parts that are folded, in this batch; NULL: none
    lt_arena        arena;   // chains, readings, parts
    lt_arena        morsel_arena;
    reading        *readings;
    uint32_t        reading_count, reading_capacity;
    part           *parts;
    uint32_t        part_count;
    lt_file_morsel *morsels;
    size_t          count;
    lt_batch       *batch;
    uint64_t        lines_before;  // of the file whose part is next
    bool            is_header_due; // of that file
    pthread_mutex_t lock;
    pthread_cond_t  done, room;
    size_t          claimed, taken; // taken <= claimed <= taken + part_count, <= count
    uint32_t        busy, waiting;  // helpers that read; that wait for room
    bool            is_driver_waiting, is_solo;
    atomic_bool     is_cancelled;
};

// ------------------------------------------------------------------------------------------------------------- keeping

static leat_status cancelled(leat_error *err) { return lt_raise(err, LT_INTERRUPTED, NULL, "interrupted"); }

static leat_status keep_chunk(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err) {
    part *into = ((reading *)user)->part;
    if (into->fold != NULL) {
        into->fold->counts.rows_in += chunk->count;
        return into->fold->kind->push(into->fold, 0, chunk, batch, err);
    }
    LT_TRY_GROW(into->chunks, ((reading *)user)->pipeline.account, into->chunk_count, into->chunk_capacity, 8, err);
    into->chunks[into->chunk_count++] = *chunk;
    return LEAT_OK;
}

static leat_status memory_add(part *into, lt_account *account, leat_error *err) {
    if (into->memory_used < into->memory_count) return LEAT_OK;
    LT_TRY_GROW(into->memory, account, into->memory_count, into->memory_capacity, 8, err);
    lt_arena_init(&into->memory[into->memory_count].rows, account);
    lt_arena_init(&into->memory[into->memory_count].scratch, account);
    into->memory_count++;
    return LEAT_OK;
}

// The constants of the folder that all files of the morsel stand in; made when its first rows come.
static leat_status folders_make(reading *self, leat_error *err) {
    const lt_source *source = self->owner->source;
    part            *into   = self->part;
    if (source->stream->partition_count == 0 || into->of_folders != NULL) return LEAT_OK;
    return lt_partitions_make(source->stream, source->relation, self->evaluation.file_name, &self->evaluation,
                              &into->arena, &into->of_folders, err);
}

// Sends a decoded chunk up the chain and keeps what arrives, with the memory that it lies in. Places count from the
// start of the morsel.
static leat_status keep_rows(reading *self, const lt_chunk *chunk, lt_arena *memory, leat_error *err) {
    part          *into = self->part;
    const lt_plan *plan = self->chain[0]->plan;
    if (atomic_load_explicit(&self->owner->is_cancelled, memory_order_relaxed)) return cancelled(err);
    if (self->evaluation.is_interrupted != NULL && self->evaluation.is_interrupted(self->evaluation.user))
        return cancelled(err);
    LT_TRY(memory_add(into, self->pipeline.account, err));
    LT_TRY(folders_make(self, err));
    kept_memory *kept = &into->memory[into->memory_used];
    lt_chunk     out  = {.column_count = plan->column_count, .count = chunk->count, .weights = chunk->weights};
    int64_t     *places;
    self->batch.scratch = &kept->scratch;
    LT_TRY_NEW_ARRAY(out.columns, &kept->scratch, plan->column_count + 1u, err);
    places = lt_arena_alloc(&kept->scratch, chunk->count * sizeof *places);
    if (places == NULL) return lt_raise_no_memory(err);
    const uint32_t decoded = self->owner->source->stream->column_count;
    for (uint32_t c = 0; c < plan->column_count; c++) {
        const uint32_t column = plan->as.scan.relation_columns[c];
        out.columns[c]        = column < decoded ? chunk->columns[column] : into->of_folders[column - decoded];
    }
    for (uint32_t row = 0; row < chunk->count; row++) places[row] = (int64_t)into->rows + row;
    out.places = places;
    into->rows += chunk->count;
    const uint32_t    before = into->chunk_count;
    const leat_status status = lt_emit(self->chain[0], &out, &self->batch, err);
    if (into->chunk_count == before) {
        lt_arena_reset(&kept->scratch);
        return status;
    }
    const lt_arena spare = kept->rows;
    kept->rows           = *memory;
    *memory              = spare;
    into->memory_used++;
    into->kept_bytes += kept->rows.used_bytes + kept->scratch.used_bytes;
    if (status != LEAT_OK || into->kept_bytes <= LT_PARALLEL_KEPT_BYTES_MAX) return status;
    into->facts.is_unfit = true;
    return LEAT_DONE;
}

static leat_status text_keep(lt_arena *arena, const char **text, size_t bytes, leat_error *err) {
    if (*text == NULL) return LEAT_OK;
    *text = lt_arena_text(arena, *text, bytes);
    return *text == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static leat_status take(void *user, const lt_chunk *chunk, lt_arena *memory, leat_error *err) {
    reading *self = user;
    return self->part != NULL ? keep_rows(self, chunk, memory, err) : lt_source_give(self->owner->source, chunk, err);
}

static leat_status take_bad(void *user, const lt_bad_row *row, leat_error *err) {
    reading *self = user;
    part    *into = self->part;
    if (into == NULL) {
        lt_bad_row out = *row;
        out.line += self->owner->lines_before;
        return lt_source_give_bad(self->owner->source, &out, err);
    }
    kept_bad_row kept = {.row = *row, .chunks_before = into->chunk_count};
    if (kept.row.record_bytes > LT_BAD_RECORD_BYTES_MAX) kept.row.record_bytes = LT_BAD_RECORD_BYTES_MAX;
    LT_TRY_GROW(into->bad_rows, self->pipeline.account, into->bad_count, into->bad_capacity, 8, err);
    LT_TRY(text_keep(&into->arena, &kept.row.path, row->path == NULL ? 0 : strlen(row->path), err));
    LT_TRY(text_keep(&into->arena, &kept.row.column, row->column == NULL ? 0 : strlen(row->column), err));
    LT_TRY(text_keep(&into->arena, &kept.row.reason, row->reason == NULL ? 0 : strlen(row->reason), err));
    LT_TRY(text_keep(&into->arena, &kept.row.record, kept.row.record_bytes, err));
    into->bad_rows[into->bad_count++] = kept;
    return LEAT_OK;
}

// A node that folds the rows of one morsel: they are in the cache now, and the driver gets a few groups for them.
static leat_status fold_open(const reading *self, part *into, leat_error *err) {
    const lt_node *merging = self->owner->merging;
    lt_node       *node;
    into->fold_pipeline = (lt_pipeline){
        .plan = self->pipeline.plan, .account = self->pipeline.account, .evaluation = self->pipeline.evaluation};
    lt_arena_init(&into->fold_pipeline.arena, self->pipeline.account);
    LT_TRY_NEW(node, &into->fold_pipeline.arena, err);
    *node       = (lt_node){.kind           = merging->kind,
                            .plan           = merging->plan,
                            .pipeline       = &into->fold_pipeline,
                            .watermark_mask = merging->watermark_mask,
                            .is_open        = true,
                            .is_fresh       = true};
    node->state = lt_arena_zero(&into->fold_pipeline.arena, node->kind->state_bytes + 1);
    if (node->state == NULL) return lt_raise_no_memory(err);
    into->fold = node;
    return node->kind->open(node, err);
}

static void fold_close(part *self) {
    if (self->fold != NULL) self->fold->kind->close(self->fold);
    lt_arena_deinit(&self->fold_pipeline.arena);
    self->fold = NULL;
}

static void part_reset(part *self) {
    fold_close(self);
    for (uint32_t i = 0; i < self->memory_used; i++) {
        lt_arena_reset(&self->memory[i].rows);
        lt_arena_reset(&self->memory[i].scratch);
    }
    if (self->memory_used < self->memory_count) lt_arena_reset(&self->memory[self->memory_used].scratch);
    lt_arena_reset(&self->arena);
    self->memory_used = self->chunk_count = self->bad_count = 0;
    self->rows = self->kept_bytes = 0;
    self->facts                   = (lt_file_morsel_facts){0};
}

static void part_free(part *self, lt_account *account) {
    fold_close(self);
    for (uint32_t i = 0; i < self->memory_count; i++) {
        lt_arena_deinit(&self->memory[i].rows);
        lt_arena_deinit(&self->memory[i].scratch);
    }
    (void)lt_account_reallocate(account, self->memory, sizeof *self->memory * self->memory_capacity, 0);
    (void)lt_account_reallocate(account, self->chunks, sizeof *self->chunks * self->chunk_capacity, 0);
    (void)lt_account_reallocate(account, self->bad_rows, sizeof *self->bad_rows * self->bad_capacity, 0);
    self->memory = NULL, self->chunks = NULL, self->bad_rows = NULL;
    self->memory_count = self->memory_capacity = self->chunk_capacity = self->bad_capacity = 0;
    self->memory_used = self->chunk_count = self->bad_count = 0;
    lt_arena_deinit(&self->arena);
    lt_buffer_deinit(&self->bytes);
}

// Whether the next morsel is folded. Where rows come down to few groups, the last one tells; else one is tried now and
// then.
static bool folds(reading *self) {
    if (self->owner->merging == NULL) return false;
    if (!self->is_folding && ++self->kept_since < MORSELS_PER_TRY) return false;
    self->kept_since = 0;
    return true;
}

// Reads a morsel into a part; its status and error tell how that went.
static void part_read(reading *self, part *into, const lt_file_morsel *morsel) {
    lt_parallel *owner = self->owner;
    part_reset(into);
    lt_error_reset(&into->error);
    into->of_folders = NULL;
    if (owner->source->setup.wants_file_name) self->evaluation.file_name = morsel->files[0].path;
    self->part                = into;
    self->batch.watermarks    = into->watermarks;
    self->batch.rejected_rows = owner->batch->rejected_rows != NULL ? into->rejected_rows : NULL;
    for (uint32_t w = 0; w < owner->batch->watermark_count; w++)
        into->watermarks[w] =
            (lt_watermark){.late_us = INT64_MIN, .close_us = INT64_MIN}; // stateless nodes only note times
    for (uint32_t s = 0; s < owner->scan->pipeline->plan->source_count; s++) into->rejected_rows[s] = 0;
    for (uint32_t n = 0; n < owner->chain_length; n++) self->chain[n]->counts = (lt_node_counts){0};
    lt_file_morsel_facts facts = {0};
    into->status               = folds(self) ? fold_open(self, into, &into->error) : LEAT_OK;
    if (into->status == LEAT_OK)
        into->status = lt_file_morsel_read(&self->reader, morsel, &into->bytes, &facts, &into->error);
    into->facts.lines         = facts.lines;
    into->facts.is_header_due = facts.is_header_due;
    into->facts.is_unfit |= facts.is_unfit;
    if (into->fold != NULL)
        self->is_folding = into->fold->kind->size(into->fold).rows * ROWS_PER_GROUP_MIN <= into->fold->counts.rows_in;
    for (uint32_t n = 0; n < owner->chain_length; n++) into->counts[n] = self->chain[n]->counts;
    self->part = NULL;
}

// -------------------------------------------------------------------------------------------------------------- taking

static void watermark_add(lt_watermark *into, const lt_watermark *from) {
    if (from->rows == 0) return;
    if (into->rows == 0 || from->max_us > into->max_us) into->max_us = from->max_us;
    if (into->rows == 0 || from->min_us < into->min_us) into->min_us = from->min_us;
    into->sum_us += from->sum_us;
    into->rows += from->rows;
}

static leat_status chunk_send(lt_parallel *self, const lt_chunk *kept, leat_error *err) {
    lt_chunk out = *kept;
    if (kept->places != NULL) {
        int64_t *places = lt_arena_alloc(self->batch->scratch, kept->count * sizeof *places);
        if (places == NULL) return lt_raise_no_memory(err);
        for (uint32_t row = 0; row < kept->count; row++) places[row] = kept->places[row] + self->source->next_place;
        out.places = places;
    }
    if (self->scan->kind->plan_kind == LT_PLAN_TABLE_SCAN && self->chain_length == 1)
        return lt_table_scan_give(self->scan, &out, self->batch, err);
    return lt_emit_origin(self->chain[self->chain_length - 1], &out, self->batch, err);
}

static leat_status bad_rows_send(lt_parallel *self, part *from, uint32_t *next, uint32_t chunks, leat_error *err) {
    for (; *next < from->bad_count && from->bad_rows[*next].chunks_before <= chunks; ++*next) {
        lt_bad_row row = from->bad_rows[*next].row;
        row.line += self->lines_before;
        LT_TRY(lt_source_give_bad(self->source, &row, err));
    }
    return LEAT_OK;
}

static leat_status fold_send(lt_parallel *self, part *from, leat_error *err) {
    const lt_evaluation *evaluation = self->batch->evaluation;
    if (evaluation->is_interrupted != NULL && evaluation->is_interrupted(evaluation->user)) return cancelled(err);
    lt_node       *node        = self->merging;
    const uint32_t top         = self->chain_length - 1;
    const bool     is_measured = node->pipeline->is_measured;
    self->chain[top]->counts.rows_out += from->counts[top].rows_out;
    node->counts.rows_in += from->fold->counts.rows_in;
    lt_node    *before = is_measured ? lt_node_enter(node, node->pipeline, self->batch) : NULL;
    leat_status status = node->kind->merge(node, from->fold, self->batch, err);
    if (is_measured) lt_node_enter(before, node->pipeline, self->batch);
    lt_arena_reset(self->batch->scratch);
    return status;
}

static leat_status part_send(lt_parallel *self, part *from, leat_error *err) {
    uint32_t bad = 0;
    for (uint32_t i = 0; i < from->chunk_count; i++) {
        LT_TRY(bad_rows_send(self, from, &bad, i, err));
        LT_TRY(chunk_send(self, &from->chunks[i], err));
    }
    LT_TRY(bad_rows_send(self, from, &bad, UINT32_MAX, err));
    if (from->fold != NULL && from->status == LEAT_OK) LT_TRY(fold_send(self, from, err));
    self->source->next_place += (int64_t)from->rows;
    self->source->batch_rows += from->rows;
    _Atomic uint64_t *rows_read = self->batch->evaluation->rows_read;
    if (self->chain_length > 1 && rows_read != NULL) // else the scan itself has sent them on
        atomic_fetch_add_explicit(rows_read, from->rows, memory_order_relaxed);
    for (uint32_t n = 0; n < self->chain_length; n++) {
        lt_node_counts *counts = &self->chain[n]->counts;
        counts->rows_in += from->counts[n].rows_in;
        if (n + 1 < self->chain_length) counts->rows_out += from->counts[n].rows_out; // the top's: as they were sent
    }
    for (uint32_t w = 0; w < self->batch->watermark_count; w++)
        watermark_add(&self->batch->watermarks[w], &from->watermarks[w]);
    for (uint32_t s = 0; self->batch->rejected_rows != NULL && s < self->scan->pipeline->plan->source_count; s++)
        self->batch->rejected_rows[s] += from->rejected_rows[s];
    if (from->status == LEAT_OK) return LEAT_OK;
    if (err != NULL) *err = from->error;
    return from->status;
}

// Lines of a part are those of the file behind the parts before it.
static leat_status lines_count(lt_parallel *self, const lt_file_morsel_facts *facts, leat_status status,
                               leat_error *err) {
    if (status != LEAT_OK && status != LEAT_DONE) {
        if (err != NULL && err->data_line > 0) err->data_line += self->lines_before;
        return status;
    }
    self->lines_before += facts->lines;
    self->is_header_due = facts->is_header_due;
    return status;
}

static leat_status morsel_stream(lt_parallel *self, const lt_file_morsel *morsel, leat_error *err) {
    lt_file_morsel_facts facts;
    lt_evaluation       *evaluation = self->source->evaluation;
    if (self->source->setup.wants_file_name) evaluation->file_name = morsel->files[0].path;
    const leat_status status =
        lt_file_morsel_stream(&self->readings[0].reader, morsel, self->is_header_due, &facts, err);
    if (self->source->setup.wants_file_name) evaluation->file_name = NULL;
    return lines_count(self, &facts, status, err);
}

static leat_status part_take(lt_parallel *self, part *from, const lt_file_morsel *morsel, leat_error *err) {
    if (!from->facts.is_unfit && !self->is_header_due)
        return lines_count(self, &from->facts, part_send(self, from, err), err);
    part_reset(from);
    return morsel_stream(self, morsel, err);
}

// ------------------------------------------------------------------------------------------------------------- threads

static bool has_room(const lt_parallel *self) {
    return self->claimed < self->count && self->claimed < self->taken + self->part_count && !self->is_solo;
}

static void help(void *user, uint32_t number) {
    lt_parallel *self = user;
    if (number >= self->reading_count) return;
    pthread_mutex_lock(&self->lock);
    while (self->claimed < self->count && !self->is_solo && !atomic_load(&self->is_cancelled)) {
        if (!has_room(self)) {
            self->waiting++;
            pthread_cond_wait(&self->room, &self->lock);
            self->waiting--;
            continue;
        }
        const size_t index = self->claimed++;
        part        *into  = &self->parts[index % self->part_count];
        self->busy++;
        pthread_mutex_unlock(&self->lock);
        part_read(&self->readings[number], into, &self->morsels[index]);
        pthread_mutex_lock(&self->lock);
        self->busy--;
        into->is_done = true;
        if (self->is_driver_waiting) pthread_cond_signal(&self->done);
    }
    pthread_mutex_unlock(&self->lock);
}

static void wait_for_helpers(lt_parallel *self) {
    self->is_driver_waiting = true;
    pthread_cond_wait(&self->done, &self->lock);
    self->is_driver_waiting = false;
}

// Memory has ended: what was kept is given back, and the driver goes on alone, from the morsel that is next.
static void go_on_alone(lt_parallel *self) {
    self->is_solo = true;
    pthread_cond_broadcast(&self->room);
    while (self->busy > 0) wait_for_helpers(self);
    for (uint32_t i = 0; i < self->part_count; i++) {
        part_free(&self->parts[i], self->account);
        self->parts[i].is_done = false;
    }
    self->claimed = self->taken;
}

typedef enum next_step { STREAM, TAKE, READ_AHEAD, WAIT } next_step;

static next_step next_of(lt_parallel *self) {
    part *next = &self->parts[self->taken % self->part_count];
    if (self->taken < self->claimed && next->is_done && next->status == LEAT_NO_MEMORY) go_on_alone(self);
    if (self->taken == self->claimed) return STREAM;
    if (next->is_done) return TAKE;
    return has_room(self) ? READ_AHEAD : WAIT;
}

static void taken_note(lt_parallel *self, part *from) {
    from->is_done = false;
    self->taken++;
    if (self->waiting > 0 && self->claimed - self->taken <= self->part_count / 2) pthread_cond_broadcast(&self->room);
}

static leat_status step(lt_parallel *self, leat_error *err) {
    part                 *next   = &self->parts[self->taken % self->part_count];
    const lt_file_morsel *morsel = &self->morsels[self->taken];
    leat_status           status = LEAT_OK;
    size_t                ahead  = 0;
    pthread_mutex_lock(&self->lock);
    const next_step what = next_of(self);
    if (what == STREAM) self->claimed++;
    if (what == READ_AHEAD) ahead = self->claimed++;
    if (what == WAIT) wait_for_helpers(self);
    pthread_mutex_unlock(&self->lock);
    if (what == WAIT) return LEAT_OK;
    if (what == READ_AHEAD) {
        part *into = &self->parts[ahead % self->part_count];
        part_read(&self->readings[0], into, &self->morsels[ahead]);
        pthread_mutex_lock(&self->lock);
        into->is_done = true;
        pthread_mutex_unlock(&self->lock);
        return LEAT_OK;
    }
    if (morsel->begin == 0) self->lines_before = 0, self->is_header_due = false;
    status = what == STREAM ? morsel_stream(self, morsel, err) : part_take(self, next, morsel, err);
    pthread_mutex_lock(&self->lock);
    taken_note(self, next);
    pthread_mutex_unlock(&self->lock);
    return status;
}

// ------------------------------------------------------------------------------------------------------- open and close

// Whether the rows go to the scan first (lt_table_scan_give), as those of a table that changes under a standing query.
static bool takes_rows_itself(const lt_node *scan) {
    return scan->kind->plan_kind == LT_PLAN_TABLE_SCAN && scan->pipeline->is_standing &&
           scan->plan->properties.is_streaming;
}

static uint32_t chain_find(lt_node *scan, lt_node **out) {
    uint32_t   length  = 0;
    const bool is_kept = takes_rows_itself(scan);
    for (lt_node *node = scan; node != NULL; node = is_kept ? NULL : node->parent) {
        if (node != scan && !node->kind->is_stateless) break;
        if (node->plan->kind == LT_PLAN_ASSIGN_WINDOW && node->plan->as.assign_window.has_panes) break;
        // What is too far ahead depends on the rows before.
        if (node->plan->kind == LT_PLAN_WATERMARK && node->plan->as.watermark.options.jump_us > 0) break;
        if (out != NULL) out[length] = node;
        length++;
    }
    return length;
}

// The node above the chain, if it takes parts that are folded.
static lt_node *merging_find(const lt_parallel *self) {
    const lt_node *top  = self->chain[self->chain_length - 1];
    lt_node       *node = top->parent;
    if (node == NULL || takes_rows_itself(top) || node->kind->merge == NULL || node->kind->can_merge == NULL)
        return NULL;
    return node->kind->can_merge(node) ? node : NULL;
}

static leat_status reading_open(lt_parallel *owner, reading *self, leat_error *err) {
    lt_source   *source  = owner->source;
    lt_pipeline *outside = owner->scan->pipeline;
    *self                = (reading){.owner = owner, .evaluation = *source->evaluation, .target = source->target};
    self->is_open        = true;
    lt_arena_init(&self->arena, owner->account);
    self->evaluation.account = owner->account;
    self->target.evaluation  = &self->evaluation;
    self->target.account     = owner->account;
    self->target.take        = take;
    self->target.give_bad    = take_bad;
    self->target.user        = self;
    self->pipeline           = (lt_pipeline){.plan        = outside->plan,
                                             .account     = owner->account,
                                             .evaluation  = &self->evaluation,
                                             .is_standing = outside->is_standing,
                                             .give        = keep_chunk,
                                             .user        = self};
    LT_TRY_NEW_ARRAY(self->chain, &self->arena, owner->chain_length, err);
    for (uint32_t i = 0; i < owner->chain_length; i++) LT_TRY_NEW(self->chain[i], &self->arena, err);
    for (uint32_t i = 0; i < owner->chain_length; i++) {
        const lt_node *like = owner->chain[i];
        *self->chain[i]     = (lt_node){.kind           = like->kind,
                                        .plan           = like->plan,
                                        .pipeline       = &self->pipeline,
                                        .parent         = i + 1 < owner->chain_length ? self->chain[i + 1] : NULL,
                                        .parent_input   = like->parent_input,
                                        .watermark_mask = like->watermark_mask,
                                        .is_static      = like->is_static,
                                        .is_open        = i > 0,
                                        .is_fresh       = true};
        if (i == 0) continue;
        self->chain[i]->state = lt_arena_zero(&self->arena, like->kind->state_bytes + 1);
        if (self->chain[i]->state == NULL) return lt_raise_no_memory(err);
        if (like->kind->open != NULL) LT_TRY(like->kind->open(self->chain[i], err));
    }
    return lt_file_morsel_reader_init(&self->reader, &source->setup, &self->target, err);
}

static void reading_close(reading *self, uint32_t chain_length) {
    if (!self->is_open) return;
    lt_file_morsel_reader_deinit(&self->reader);
    for (uint32_t i = 1; self->chain != NULL && i < chain_length; i++) {
        lt_node *node = self->chain[i];
        if (node != NULL && node->is_open && node->state != NULL && node->kind->close != NULL) node->kind->close(node);
    }
    lt_arena_deinit(&self->arena);
    self->is_open = false;
}

static leat_status part_open(const lt_parallel *owner, part *self, lt_arena *arena, leat_error *err) {
    const lt_query_plan *plan    = owner->scan->pipeline->plan;
    lt_account          *account = owner->account;
    lt_arena_init(&self->arena, account);
    lt_arena_init(&self->fold_pipeline.arena, account);
    lt_buffer_init(&self->bytes, account, 0);
    LT_TRY_NEW_ARRAY(self->watermarks, arena, plan->watermark_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->rejected_rows, arena, plan->source_count + 1u, err);
    LT_TRY_NEW_ARRAY(self->counts, arena, owner->chain_length, err);
    return LEAT_OK;
}

static leat_status parallel_open(lt_source *source, lt_node *scan, uint32_t helpers, leat_error *err) {
    lt_parallel *self;
    lt_arena     arena;
    lt_arena_init(&arena, scan->pipeline->account);
    self = LT_NEW(&arena, lt_parallel);
    if (self == NULL) return lt_raise_no_memory(err);
    *self = (lt_parallel){.source = source, .account = scan->pipeline->account, .scan = scan, .arena = arena};
    source->parallel = self;
    lt_arena_init(&self->morsel_arena, scan->pipeline->account);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->done, NULL);
    pthread_cond_init(&self->room, NULL);
    self->chain_length = chain_find(scan, NULL);
    LT_TRY_NEW_ARRAY(self->chain, &self->arena, self->chain_length, err);
    (void)chain_find(scan, self->chain);
    LT_TRY_NEW_ARRAY(self->readings, &self->arena, helpers + 1u, err);
    self->reading_capacity = helpers + 1;
    LT_TRY_NEW_ARRAY(self->parts, &self->arena, helpers + 3u, err);
    for (; self->part_count < helpers + 3u; self->part_count++)
        LT_TRY(part_open(self, &self->parts[self->part_count], &self->arena, err));
    for (; self->reading_count < self->reading_capacity; self->reading_count++)
        LT_TRY(reading_open(self, &self->readings[self->reading_count], err));
    return LEAT_OK;
}

void lt_parallel_close(lt_source *source) {
    lt_parallel *self = source->parallel;
    if (self == NULL) return;
    for (uint32_t i = 0; i < self->reading_capacity; i++) reading_close(&self->readings[i], self->chain_length);
    for (uint32_t i = 0; i < self->part_count; i++) part_free(&self->parts[i], self->account);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->done);
    pthread_cond_destroy(&self->room);
    lt_arena_deinit(&self->morsel_arena);
    lt_arena arena = self->arena;
    lt_arena_deinit(&arena);
    source->parallel = NULL;
}

// ---------------------------------------------------------------------------------------------------------------- read

static void batch_begin(lt_parallel *self, lt_batch *batch) {
    self->batch   = batch;
    self->merging = merging_find(self);
    self->claimed = self->taken = 0;
    self->busy = self->waiting = 0;
    self->is_driver_waiting = self->is_solo = false;
    self->lines_before                      = 0;
    self->is_header_due                     = false;
    atomic_store(&self->is_cancelled, false);
    for (uint32_t i = 0; i < self->part_count; i++) self->parts[i].is_done = false;
    for (uint32_t i = 0; i < self->reading_count; i++) {
        reading *one            = &self->readings[i];
        one->evaluation         = *batch->evaluation;
        one->evaluation.account = self->account;
        one->batch              = (lt_batch){.id              = batch->id,
                                             .arena           = &one->arena,
                                             .evaluation      = &one->evaluation,
                                             .watermark_count = batch->watermark_count,
                                             .is_max_policy   = batch->is_max_policy};
        one->is_folding         = true;
        one->kept_since         = 0;
    }
}

static leat_status morsels_read(lt_parallel *self, lt_workers *workers, lt_batch *batch, leat_error *err) {
    leat_status status = LEAT_OK;
    batch_begin(self, batch);
    lt_workers_begin(workers, help, self);
    while (status == LEAT_OK && self->taken < self->count) status = step(self, err);
    if (status != LEAT_OK) atomic_store(&self->is_cancelled, true);
    pthread_mutex_lock(&self->lock);
    pthread_cond_broadcast(&self->room);
    pthread_mutex_unlock(&self->lock);
    lt_workers_end(workers);
    for (uint32_t i = 0; i < self->reading_count; i++) lt_file_morsel_reader_rest(&self->readings[i].reader);
    return status;
}

static bool is_fit(const lt_source *source, lt_node *node) {
    const leat_session   *session = source->session;
    const lt_source_kind *kind    = source->stream->connector->source;
    return session->thread_count > 1 && kind->cut != NULL && session->options.file_system == NULL &&
           !node->pipeline->plan->has_ordered_calls && !lt_node_can_be_satisfied(node);
}

leat_status lt_parallel_read(lt_source *source, lt_node *node, lt_batch *batch, bool *out_has_read, leat_error *err) {
    leat_session *session      = source->session;
    uint64_t      morsel_bytes = session->morsel_bytes != 0 ? session->morsel_bytes : LT_MORSEL_BYTES;
    lt_workers   *workers      = NULL;
    *out_has_read              = false;
    if (!is_fit(source, node) || source->range.bytes < morsel_bytes * LT_PARALLEL_MORSELS_MIN) return LEAT_OK;
    LT_TRY(lt_session_workers(session, &workers, err));
    if (workers == NULL || lt_workers_are_busy(workers)) return LEAT_OK;
    if (source->parallel != NULL &&
        (source->parallel->scan != node || source->parallel->reading_count != lt_workers_count(workers) + 1))
        lt_parallel_close(source);
    if (source->parallel == NULL) {
        const leat_status opened = parallel_open(source, node, lt_workers_count(workers), err);
        if (opened != LEAT_OK) {
            lt_parallel_close(source);
            return opened;
        }
    }
    lt_parallel *self  = source->parallel;
    source->node       = node;
    source->batch      = batch;
    leat_status status = source->stream->connector->source->cut(source->state, &source->range, morsel_bytes,
                                                                &self->morsel_arena, &self->morsels, &self->count, err);
    *out_has_read      = true;
    if (status == LEAT_OK) status = morsels_read(self, workers, batch, err);
    lt_arena_reset(&self->morsel_arena);
    source->node = NULL;
    return status == LEAT_DONE ? LEAT_OK : status;
}
