// changes: messages that tell of changes to rows (lt_change_spec) become rows that come and go.
//
//     {"op": "u", "before": {"id": 1, "v": 5}, "after": {"id": 1, "v": 7}}   =>   -(1, 5) +(1, 7)
//
// With a key the state has one row per key: a row that comes takes its place, one that goes empties it, whatever values
// the message gives it; to take away what is not there changes nothing, and an update of another row than the one that is
// there is told of. Without a key equal rows are counted, and a message that takes away one that is not there is a bad one,
// as is one that does not say what it changes. A batch gives the net change: of each row or key that it touched, in the
// order of first touch, what was there before it and what is there now; one batch alone gives the rows that are left. A
// message whose columns are all NULL (a tombstone, the place of a bad record) says nothing. Memory: the rows that are
// there. Cost: O(messages) a batch.
#include "exec/operator.h"
#include "exec/state/group_table.h"
#include "planner/catalog.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct stored_row {
    char    *bytes; // lt_row_encode, the account's; NULL: none
    uint32_t count;
    bool     is_touched;
    int64_t  weight, place;
} stored_row;

typedef struct touched_row {
    uint32_t   group;
    stored_row before; // owns its bytes
} touched_row;

typedef struct changes {
    const lt_change_spec *spec;
    const lt_type       **types; // of the rows
    lt_group_table        groups;
    stored_row           *rows; // by group
    uint32_t              capacity;
    touched_row          *touched;
    uint32_t              touched_count, touched_capacity;
    int64_t               next_place;
    uint64_t              row_bytes;
    lt_buffer             scratch, saved;
} changes;

static leat_status changes_open(lt_node *node, leat_error *err) {
    changes              *self    = node->state;
    const lt_change_spec *spec    = node->plan->as.changes.spec;
    lt_account           *account = node->pipeline->account;
    const lt_type       **keys;
    const bool            is_keyed  = spec->key_count > 0;
    const uint32_t        key_count = is_keyed ? spec->key_count : spec->column_count;
    self->spec                      = spec;
    lt_buffer_init(&self->scratch, account, 0);
    lt_buffer_init(&self->saved, account, 0);
    LT_TRY_NEW_ARRAY(self->types, &node->pipeline->arena, spec->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(keys, &node->pipeline->arena, key_count + 1u, err);
    for (uint32_t c = 0; c < spec->column_count; c++) self->types[c] = node->plan->columns[c].type;
    for (uint32_t k = 0; k < key_count; k++) keys[k] = self->types[is_keyed ? spec->key[k] : k];
    lt_group_table_init(&self->groups, account, keys, key_count, node->pipeline->evaluation->random_seed);
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- rows

static void bytes_free(changes *self, stored_row *row) {
    lt_account_reallocate(self->groups.account, row->bytes, row->count, 0);
    row->bytes = NULL;
    row->count = 0;
}

static leat_status bytes_set(changes *self, stored_row *row, const char *bytes, size_t count, leat_error *err) {
    char *copy = lt_account_reallocate(self->groups.account, NULL, 0, count);
    if (copy == NULL) return lt_raise_no_memory(err);
    memcpy(copy, bytes, count);
    bytes_free(self, row);
    row->bytes = copy;
    row->count = (uint32_t)count;
    return LEAT_OK;
}

static leat_status rows_reserve(changes *self, leat_error *err) {
    const uint32_t   want = self->groups.group_capacity;
    lt_account_array rows = {self->rows, sizeof *self->rows};
    if (self->capacity >= want) return LEAT_OK;
    LT_TRY(lt_account_grow(self->groups.account, &rows, 1, self->capacity, want, err));
    self->rows     = rows.memory;
    self->capacity = want;
    return LEAT_OK;
}

// Once per row and batch: what is there goes aside, with its bytes.
static leat_status row_touch(changes *self, uint32_t group, leat_error *err) {
    stored_row *row = &self->rows[group];
    if (row->is_touched) return LEAT_OK;
    LT_TRY_GROW(self->touched, self->groups.account, self->touched_count, self->touched_capacity, 64, err);
    touched_row *entry = &self->touched[self->touched_count];
    *entry             = (touched_row){.group = group, .before = {.weight = row->weight, .place = row->place}};
    if (row->bytes != NULL) LT_TRY(bytes_set(self, &entry->before, row->bytes, row->count, err));
    row->is_touched = true;
    self->touched_count++;
    return LEAT_OK;
}

// Rows of a chunk of messages, seen as columns of the rows: `columns` of the spec's types.
typedef struct side {
    lt_vector *columns;
    uint32_t  *groups; // by message; only those asked for
} side;

static leat_status row_comes(lt_node *node, const side *from, uint32_t message, int64_t place, int64_t copies,
                             leat_error *err) {
    changes       *self  = node->state;
    const uint32_t group = from->groups[message];
    LT_TRY(row_touch(self, group, err));
    stored_row *row = &self->rows[group];
    if (row->weight == 0) row->place = place;
    if (self->spec->key_count == 0 && row->weight > 0) {
        if (__builtin_add_overflow(row->weight, copies, &row->weight))
            return lt_raise(err, LT_LIMIT_EXCEEDED, &node->plan->place, "more equal rows than 64 bits can count");
        return LEAT_OK;
    }
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(from->columns, self->spec->column_count, message, false, &self->scratch, err));
    LT_TRY(bytes_set(self, row, self->scratch.data, self->scratch.bytes, err));
    row->weight = copies;
    return LEAT_OK;
}

static leat_status row_goes(lt_node *node, const side *from, uint32_t message, int64_t copies, bool *out_was_there,
                            leat_error *err) {
    changes       *self  = node->state;
    const uint32_t group = from->groups[message];
    LT_TRY(row_touch(self, group, err));
    stored_row *row = &self->rows[group];
    *out_was_there  = row->weight >= copies;
    if (*out_was_there) row->weight -= copies;
    return LEAT_OK;
}

// A message that cannot be followed changes nothing and is told of with its reason.
static leat_status refuse(const lt_node *node, const lt_chunk *messages, uint32_t row, leat_error *err,
                          const char *format, ...) LT_PRINTF(5, 6);
static leat_status refuse(const lt_node *node, const lt_chunk *messages, uint32_t row, leat_error *err,
                          const char *format, ...) {
    const lt_pipeline *pipeline = node->pipeline;
    const lt_node     *scan     = node;
    char               reason[200];
    va_list            arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    while (scan->input_count > 0) scan = scan->inputs[0];
    if (pipeline->give_bad != NULL) return pipeline->give_bad(pipeline->user, scan, messages, row, reason, err);
    return lt_raise(err, LT_INVALID_CHANGE, &node->plan->place, "%s", reason);
}

// ------------------------------------------------------------------------------------------------------------ messages

typedef enum action { NOTHING, COMES = 1, GOES = 2, UPDATES = 3 } action; // UPDATES: before goes, after comes

static bool is_text(const lt_string *op, const char *text) {
    return strlen(text) == op->bytes && memcmp(text, lt_string_data(op), op->bytes) == 0;
}

static action action_of(const lt_string *op) {
    static const struct {
        const char *text;
        action      action;
    } words[] = {{"+I", COMES},  {"+U", COMES},     {"-U", GOES},        {"-D", GOES},    {"I", COMES},
                 {"U", UPDATES}, {"D", GOES},       {"c", COMES},        {"r", COMES},    {"u", UPDATES},
                 {"d", GOES},    {"insert", COMES}, {"update", UPDATES}, {"delete", GOES}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_text(op, words[i].text)) return words[i].action;
    return NOTHING;
}

static bool is_all_null(const lt_chunk *messages, uint32_t row) {
    for (uint32_t c = 0; c < messages->column_count; c++)
        if (!lt_vector_is_null(&messages->columns[c], row)) return false;
    return true;
}

// What a message with these words does; NOTHING: it cannot be followed, and was told of.
static leat_status action_read(const lt_node *node, const lt_chunk *messages, uint32_t row, const lt_string *op,
                               action *out, leat_error *err) {
    const changes        *self  = node->state;
    const lt_change_spec *spec  = self->spec;
    const int             bytes = op->bytes < 40 ? (int)op->bytes : 40;
    *out                        = action_of(op);
    if (*out == NOTHING)
        return refuse(node, messages, row, err,
                      "`%.*s` is no change: there are +I, +U, -U, -D, insert, update, delete, c, r, u and d", bytes,
                      lt_string_data(op));
    if (spec->kind != LT_CHANGES_DEBEZIUM) {
        if (*out != UPDATES) return LEAT_OK;
        *out = spec->key_count > 0 ? COMES : NOTHING;
        return *out != NOTHING ? LEAT_OK
                               : refuse(node, messages, row, err, "`%.*s` needs the option key, or the row before it",
                                        bytes, lt_string_data(op));
    }
    // An update without its row before it goes by the key.
    const bool has_before = !lt_vector_is_null(&messages->columns[spec->before_column], row);
    const bool has_after  = !lt_vector_is_null(&messages->columns[spec->after_column], row);
    if (*out == UPDATES && !has_before && spec->key_count > 0) *out = COMES;
    const bool lacks_before = (*out & GOES) != 0 && !has_before, lacks_after = (*out & COMES) != 0 && !has_after;
    if (!lacks_before && !lacks_after) return LEAT_OK;
    *out = NOTHING;
    return refuse(node, messages, row, err, "a message of `%.*s` lacks its row %s", bytes, lt_string_data(op),
                  lacks_before ? "before" : "after");
}

// How many copies of its row a message brings or takes: but with weights, one.
static int64_t copies_of(const changes *self, const lt_chunk *messages, uint32_t row) {
    if (self->spec->kind != LT_CHANGES_WEIGHT) return 1;
    const int64_t weight = LT_VALUE(&messages->columns[self->spec->op_column], int64_t, row);
    return weight < 0 ? -weight : weight;
}

static leat_status weight_read(const lt_node *node, const lt_chunk *messages, uint32_t row, int64_t weight, action *out,
                               leat_error *err) {
    *out = weight > 0 ? COMES : weight < 0 ? GOES : NOTHING;
    if (weight != INT64_MIN) return LEAT_OK;
    *out = NOTHING;
    return refuse(node, messages, row, err, "a weight of %lld is no number of rows", (long long)weight);
}

static leat_status actions_read(const lt_node *node, const lt_chunk *messages, uint8_t *out, leat_error *err) {
    const changes        *self = node->state;
    const lt_change_spec *spec = self->spec;
    for (uint32_t row = 0; row < messages->count; row++) {
        const lt_vector *ops  = spec->op_column < 0 ? NULL : &messages->columns[spec->op_column];
        action           read = NOTHING;
        if (is_all_null(messages, row)) {
            read = NOTHING;
        } else if (ops == NULL || (spec->kind == LT_CHANGES_UPSERT && lt_vector_is_null(ops, row))) {
            read = COMES;
        } else if (lt_vector_is_null(ops, row)) {
            LT_TRY(refuse(node, messages, row, err, "a message does not say what it changes"));
        } else if (spec->kind == LT_CHANGES_WEIGHT) {
            LT_TRY(weight_read(node, messages, row, LT_VALUE(ops, int64_t, row), &read, err));
        } else {
            LT_TRY(action_read(node, messages, row, &LT_VALUE(ops, lt_string, row), &read, err));
        }
        out[row] = (uint8_t)read;
    }
    return LEAT_OK;
}

// The fields of a struct column, row by row.
static leat_status fields_of(const lt_vector *column, uint32_t count, lt_arena *arena, lt_vector **out,
                             leat_error *err) {
    uint16_t *rows;
    lt_vector flat = *column;
    if (column->form != LT_FLAT) {
        LT_TRY_NEW_ARRAY(rows, arena, count + 1u, err);
        for (uint32_t row = 0; row < count; row++) rows[row] = (uint16_t)row;
        LT_TRY(lt_vector_gather(column, rows, count, arena, &flat, err));
    }
    *out = flat.children;
    return LEAT_OK;
}

static leat_status side_fill(changes *self, side *out, const uint8_t *actions, action wanted, uint32_t count,
                             lt_arena *arena, leat_error *err) {
    const lt_change_spec *spec = self->spec;
    lt_vector            *keys;
    uint16_t             *rows;
    uint32_t             *found, row_count = 0;
    const uint32_t        key_count = spec->key_count > 0 ? spec->key_count : spec->column_count;
    LT_TRY_NEW_ARRAY(keys, arena, key_count + 1u, err);
    LT_TRY_NEW_ARRAY(rows, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(found, arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(out->groups, arena, count + 1u, err);
    for (uint32_t k = 0; k < key_count; k++) keys[k] = out->columns[spec->key_count > 0 ? spec->key[k] : k];
    for (uint32_t row = 0; row < count; row++)
        if ((actions[row] & wanted) != 0) rows[row_count++] = (uint16_t)row;
    if (row_count == 0) return LEAT_OK;
    LT_TRY(lt_group_table_find_or_add(&self->groups, keys, key_count, rows, row_count, found, err));
    for (uint32_t i = 0; i < row_count; i++) out->groups[rows[i]] = found[i];
    return rows_reserve(self, err);
}

// Each message that says how its row is from now on; what goes before an update says nothing of its own.
static leat_status versions_push(lt_node *node, const lt_chunk *delta, lt_batch *batch, leat_error *err) {
    const lt_change_spec *spec  = ((const changes *)node->state)->spec;
    lt_arena             *arena = batch->scratch;
    uint8_t              *actions;
    uint16_t             *rows;
    bool                 *is_gone;
    lt_chunk              messages, out;
    uint32_t              count = 0;
    LT_TRY_NEW_ARRAY(actions, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(rows, arena, delta->count + 1u, err);
    LT_TRY_NEW_ARRAY(is_gone, arena, delta->count + 1u, err);
    LT_TRY(actions_read(node, delta, actions, err));
    for (uint32_t row = 0; row < delta->count; row++) {
        if (actions[row] == NOTHING) continue;
        if (actions[row] == GOES && is_text(&LT_VALUE(&delta->columns[spec->op_column], lt_string, row), "-U"))
            continue;
        is_gone[count] = actions[row] == GOES;
        rows[count++]  = (uint16_t)row;
    }
    LT_TRY(lt_chunk_gather(delta, rows, count, arena, &messages, err));
    out              = messages;
    out.column_count = spec->column_count + 1;
    LT_TRY_NEW_ARRAY(out.columns, arena, out.column_count, err);
    for (uint32_t c = 0; c < spec->column_count; c++) out.columns[c] = messages.columns[spec->sources[c]];
    LT_TRY(lt_vector_init(&out.columns[spec->column_count], lt_type_of(LT_BOOLEAN), count, arena, err));
    out.columns[spec->column_count].lanes = count;
    for (uint32_t i = 0; i < count; i++) LT_LANES(&out.columns[spec->column_count], uint8_t)[i] = is_gone[i];
    return lt_emit(node, &out, batch, err);
}

// An update tells of the row before it: where that is not the row of its key, something was missed. The row after it counts
// all the same. A NULL there says nothing, as sources send but the key of the row before.
static leat_status before_check(lt_node *node, const side *from, const lt_chunk *messages, uint32_t message,
                                lt_arena *arena, leat_error *err) {
    changes          *self  = node->state;
    const stored_row *there = &self->rows[from->groups[message]];
    lt_chunk          row;
    if (there->weight == 0) return LEAT_OK;
    lt_buffer_reset(&self->scratch);
    LT_TRY(lt_row_encode(from->columns, self->spec->column_count, message, false, &self->scratch, err));
    if (self->scratch.bytes == there->count && memcmp(self->scratch.data, there->bytes, there->count) == 0)
        return LEAT_OK;
    LT_TRY(lt_chunk_init(&row, self->types, self->spec->column_count, 1, arena, err));
    LT_TRY(lt_row_decode(there->bytes, there->count, row.columns, row.column_count, arena, err));
    for (uint32_t c = 0; c < row.column_count; c++)
        if (!lt_vector_is_null(&from->columns[c], message) &&
            (lt_vector_is_null(&row.columns[c], 0) ||
             lt_vector_compare(&from->columns[c], message, &row.columns[c], 0) != 0))
            return refuse(
                node, messages, message, err,
                "the row before an update is not the one that is there, by column `%s`; the row after it counts",
                node->plan->columns[c].name);
    return LEAT_OK;
}

static leat_status changes_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                leat_error *err) {
    (void)input;
    changes              *self  = node->state;
    const lt_change_spec *spec  = self->spec;
    lt_arena             *arena = batch->scratch;
    uint8_t              *actions;
    side                  coming = {0}, going = {0};
    if (node->plan->as.changes.is_versioned) return versions_push(node, delta, batch, err);
    LT_TRY_NEW_ARRAY(actions, arena, delta->count + 1u, err);
    LT_TRY(actions_read(node, delta, actions, err));
    if (spec->kind == LT_CHANGES_DEBEZIUM) {
        LT_TRY(fields_of(&delta->columns[spec->after_column], delta->count, arena, &coming.columns, err));
        LT_TRY(fields_of(&delta->columns[spec->before_column], delta->count, arena, &going.columns, err));
    } else {
        LT_TRY_NEW_ARRAY(coming.columns, arena, spec->column_count + 1u, err);
        for (uint32_t c = 0; c < spec->column_count; c++) coming.columns[c] = delta->columns[spec->sources[c]];
        going.columns = coming.columns;
    }
    LT_TRY(side_fill(self, &going, actions, GOES, delta->count, arena, err));
    LT_TRY(side_fill(self, &coming, actions, COMES, delta->count, arena, err));
    for (uint32_t row = 0; row < delta->count; row++) {
        const int64_t place = delta->places != NULL ? delta->places[row] : self->next_place + row;
        // The row of a key is replaced, not taken out and put in behind the others.
        const bool is_replaced =
            actions[row] == UPDATES && spec->key_count > 0 && going.groups[row] == coming.groups[row];
        if (actions[row] == NOTHING) continue;
        const int64_t copies    = copies_of(self, delta, row);
        bool          was_there = true;
        if (actions[row] == UPDATES && spec->key_count > 0) LT_TRY(before_check(node, &going, delta, row, arena, err));
        if ((actions[row] & GOES) != 0 && !is_replaced) LT_TRY(row_goes(node, &going, row, copies, &was_there, err));
        if (!was_there && spec->key_count == 0) {
            LT_TRY(
                refuse(node, delta, row, err,
                       "a message takes a row away that is not there; with the option key rows are told apart by it"));
            continue;
        }
        if ((actions[row] & COMES) != 0) LT_TRY(row_comes(node, &coming, row, place, copies, err));
    }
    self->next_place += delta->count;
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------- end_batch

typedef struct net {
    lt_node  *node;
    lt_batch *batch;
    lt_chunk  chunk; // in the scratch arena
    int64_t  *weights, *places;
} net;

static leat_status net_begin(net *out, leat_error *err) {
    const changes *self  = out->node->state;
    lt_arena      *arena = out->batch->scratch;
    LT_TRY(lt_chunk_init(&out->chunk, self->types, self->spec->column_count, LT_CHUNK_ROWS_MAX, arena, err));
    LT_TRY_NEW_ARRAY(out->weights, arena, LT_CHUNK_ROWS_MAX, err);
    LT_TRY_NEW_ARRAY(out->places, arena, LT_CHUNK_ROWS_MAX, err);
    return LEAT_OK;
}

static leat_status net_end(net *out, leat_error *err) {
    out->chunk.weights = out->node->pipeline->is_standing ? out->weights : NULL;
    out->chunk.places  = out->places;
    return lt_emit_origin(out->node, &out->chunk, out->batch, err);
}

static leat_status net_row(net *out, const stored_row *row, int64_t weight, leat_error *err) {
    if (weight == 0) return LEAT_OK;
    if (out->chunk.count == LT_CHUNK_ROWS_MAX) {
        LT_TRY(net_end(out, err));
        LT_TRY(net_begin(out, err));
    }
    LT_TRY(
        lt_row_decode(row->bytes, row->count, out->chunk.columns, out->chunk.column_count, out->batch->scratch, err));
    out->weights[out->chunk.count]  = weight;
    out->places[out->chunk.count++] = row->place;
    return LEAT_OK;
}

static bool is_same_row(const stored_row *a, const stored_row *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->bytes, b->bytes, a->count) == 0);
}

static leat_status row_save(const changes *self, uint32_t group, lt_buffer *out, leat_error *err) {
    const stored_row *row = &self->rows[group];
    LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->weight, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)row->place, err));
    return lt_buffer_append_bytes(out, row->bytes, row->count, err);
}

static leat_status row_emit(net *out, const touched_row *entry, leat_error *err) {
    changes          *self = out->node->state;
    const stored_row *now = &self->rows[entry->group], *before = &entry->before;
    if (!out->node->pipeline->is_standing) { // rows that are left, each by itself
        for (int64_t copy = 0; copy < now->weight; copy++) LT_TRY(net_row(out, now, 1, err));
        return LEAT_OK;
    }
    if (is_same_row(before, now)) {
        const stored_row *there = now->weight > before->weight ? now : before;
        return net_row(out, there, now->weight - before->weight, err);
    }
    LT_TRY(net_row(out, before, -before->weight, err));
    return net_row(out, now, now->weight, err);
}

static leat_status changes_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    changes *self = node->state;
    net      out  = {.node = node, .batch = batch};
    LT_TRY(net_begin(&out, err));
    for (uint32_t i = 0; i < self->touched_count; i++) LT_TRY(row_emit(&out, &self->touched[i], err));
    LT_TRY(net_end(&out, err));
    lt_buffer_reset(&self->saved);
    for (uint32_t i = 0; i < self->touched_count; i++) {
        const uint32_t group = self->touched[i].group;
        stored_row    *row   = &self->rows[group];
        if (node->pipeline->with_state) LT_TRY(row_save(self, group, &self->saved, err));
        batch->rows_removed += self->touched[i].before.weight > 0 && row->weight == 0;
        self->row_bytes = self->row_bytes + row->count - self->touched[i].before.count;
        bytes_free(self, &self->touched[i].before);
        row->is_touched = false;
        if (row->weight > 0) continue;
        self->row_bytes -= row->count;
        bytes_free(self, row);
        lt_group_table_remove(&self->groups, group);
    }
    batch->rows_updated += self->touched_count;
    self->touched_count = 0;
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------- save, load

static leat_status changes_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    changes *self = node->state;
    if (!is_full) {
        LT_TRY(lt_buffer_append(out, self->saved.data, self->saved.bytes, err));
        lt_buffer_reset(&self->saved);
        return LEAT_OK;
    }
    for (uint32_t group = 0; group < self->groups.group_count; group++)
        if (lt_group_table_is_live(&self->groups, group)) LT_TRY(row_save(self, group, out, err));
    return LEAT_OK;
}

static leat_status changes_load(lt_node *node, lt_reader *in, leat_error *err) {
    changes    *self = node->state;
    const char *key, *bytes;
    size_t      key_count, count;
    uint64_t    weight, place;
    uint32_t    group;
    LT_TRY(lt_reader_bytes(in, &key, &key_count, err));
    LT_TRY(lt_reader_u64(in, &weight, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, key_count, &group, err));
    LT_TRY(rows_reserve(self, err));
    stored_row *row = &self->rows[group];
    self->row_bytes -= row->count;
    if (weight == 0) {
        bytes_free(self, row);
        row->weight = 0;
        lt_group_table_remove(&self->groups, group);
        return LEAT_OK;
    }
    row->weight = (int64_t)weight;
    row->place  = (int64_t)place;
    LT_TRY(bytes_set(self, row, bytes, count, err));
    self->row_bytes += row->count;
    return LEAT_OK;
}

static lt_state_size changes_size(const lt_node *node) {
    const changes *self = node->state;
    const uint64_t rows = self->groups.live_count;
    return (lt_state_size){.rows  = rows,
                           .bytes = lt_group_table_bytes(&self->groups) + rows * sizeof *self->rows + self->row_bytes};
}

static void changes_close(lt_node *node) {
    changes    *self    = node->state;
    lt_account *account = node->pipeline->account;
    for (uint32_t i = 0; i < self->touched_count; i++) bytes_free(self, &self->touched[i].before);
    for (uint32_t group = 0; group < self->capacity; group++) bytes_free(self, &self->rows[group]);
    lt_account_reallocate(account, self->rows, sizeof *self->rows * self->capacity, 0);
    lt_account_reallocate(account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_buffer_deinit(&self->scratch);
    lt_buffer_deinit(&self->saved);
}

const lt_operator_kind lt_operators_changes = {
    .name           = "Changes",
    .plan_kind      = LT_PLAN_CHANGES,
    .state_bytes    = sizeof(changes),
    .is_incremental = true,
    .open           = changes_open,
    .push           = changes_push,
    .end_batch      = changes_end_batch,
    .save           = changes_save,
    .load           = changes_load,
    .size           = changes_size,
    .state_name     = "changes",
    .close          = changes_close,
};
