// set_operation: INTERSECT and EXCEPT over whole rows. NULLs are equal. Rows come in order of their first appearance on
// the left. Per row the number of times it stands left (a) and right (b):
//     INTERSECT  a > 0 and b > 0 once, ALL: min(a, b) times       EXCEPT  a > 0 and b = 0 once, ALL: a - b times
// In a standing query the counts stay, and a batch gives, for each row that it touched, how many times more or less it
// is there now. A row that stands on no side is forgotten. Memory: the rows of both sides, each once. Cost: O(rows) a
// batch. Source: DBSP (Budiu et al., 2023).
#include "exec/operator.h"
#include "exec/state/group_table.h"

typedef struct counts {
    int64_t left, right;
    int64_t place; // of the first row on the left
    int64_t left_before, right_before;
    bool    is_touched;
} counts;

typedef struct set_operation {
    const lt_type **types;
    lt_group_table  groups;
    counts         *counts; // by group
    uint32_t        capacity;
    uint32_t       *touched; // in a standing query: groups of this batch
    uint32_t        touched_count, touched_capacity;
    int64_t         next_place;
    lt_buffer       changes;
    lt_arena        arena;
} set_operation;

static leat_status set_operation_open(lt_node *node, leat_error *err) {
    set_operation *self = node->state;
    const lt_plan *plan = node->plan;
    lt_arena_init(&self->arena, node->pipeline->account);
    lt_buffer_init(&self->changes, node->pipeline->account, 0);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) self->types[c] = plan->columns[c].type;
    lt_group_table_init(&self->groups, node->pipeline->account, self->types, plan->column_count,
                        node->pipeline->evaluation->random_seed);
    return LEAT_OK;
}

static leat_status counts_reserve(set_operation *self, leat_error *err) {
    lt_account_array array = {self->counts, sizeof *self->counts};
    if (self->capacity >= self->groups.group_capacity) return LEAT_OK;
    LT_TRY(lt_account_grow(self->groups.account, &array, 1, self->capacity, self->groups.group_capacity, err));
    self->counts   = array.memory;
    self->capacity = self->groups.group_capacity;
    return LEAT_OK;
}

static leat_status touch(set_operation *self, uint32_t group, leat_error *err) {
    counts *row = &self->counts[group];
    if (row->is_touched) return LEAT_OK;
    LT_TRY_GROW(self->touched, self->groups.account, self->touched_count, self->touched_capacity, 64, err);
    row->is_touched                      = true;
    row->left_before                     = row->left;
    row->right_before                    = row->right;
    self->touched[self->touched_count++] = group;
    return LEAT_OK;
}

static leat_status set_operation_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                      leat_error *err) {
    set_operation *self = node->state;
    uint32_t      *groups;
    LT_TRY_NEW_ARRAY(groups, batch->scratch, delta->count + 1u, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, delta->columns, delta->column_count, NULL, delta->count, groups,
                                      err));
    LT_TRY(counts_reserve(self, err));
    for (uint32_t row = 0; row < delta->count; row++) {
        counts *of = &self->counts[groups[row]];
        if (node->pipeline->is_standing) LT_TRY(touch(self, groups[row], err));
        if (input == 0 && of->left == 0)
            of->place = delta->places != NULL ? delta->places[row] : self->next_place + row;
        *(input == 0 ? &of->left : &of->right) += lt_chunk_weight(delta, row);
    }
    if (input == 0) self->next_place += delta->count;
    return LEAT_OK;
}

static int64_t copies(const lt_plan *plan, int64_t left, int64_t right) {
    if (left <= 0) return 0;
    int64_t all = plan->as.set_operation.is_intersect ? (left < right ? left : right) : left - right;
    if (plan->as.set_operation.is_all) return all > 0 ? all : 0;
    bool is_in = plan->as.set_operation.is_intersect ? right > 0 : right <= 0;
    return is_in ? 1 : 0;
}

// All rows of one batch from an empty state, each copy by itself.
static leat_status emit_all(lt_node *node, lt_batch *batch, leat_error *err) {
    set_operation *self = node->state;
    const lt_plan *plan = node->plan;
    uint32_t      *chosen;
    LT_TRY_NEW_ARRAY(chosen, batch->arena, LT_CHUNK_ROWS_MAX, err);
    uint32_t group = 0;
    int64_t  given = 0;
    while (group < self->groups.group_count) {
        lt_chunk out;
        LT_TRY(lt_chunk_init(&out, self->types, plan->column_count, LT_CHUNK_ROWS_MAX, batch->scratch, err));
        while (group < self->groups.group_count && out.count < LT_CHUNK_ROWS_MAX) {
            if (given >= copies(plan, self->counts[group].left, self->counts[group].right)) {
                group++;
                given = 0;
                continue;
            }
            chosen[out.count++] = group;
            given++;
        }
        LT_TRY(lt_group_table_keys(&self->groups, chosen, out.count, out.columns, plan->column_count, batch->scratch,
                                   err));
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static leat_status emit_changes(lt_node *node, lt_batch *batch, leat_error *err) {
    set_operation *self  = node->state;
    const lt_plan *plan  = node->plan;
    lt_arena      *arena = batch->scratch;
    for (uint32_t at = 0; at < self->touched_count;) {
        lt_chunk  out;
        uint32_t *chosen;
        int64_t  *weights, *places;
        bool      is_growth = true;
        LT_TRY(lt_chunk_init(&out, self->types, plan->column_count, LT_CHUNK_ROWS_MAX, arena, err));
        LT_TRY_NEW_ARRAY(chosen, arena, LT_CHUNK_ROWS_MAX, err);
        LT_TRY_NEW_ARRAY(weights, arena, LT_CHUNK_ROWS_MAX, err);
        LT_TRY_NEW_ARRAY(places, arena, LT_CHUNK_ROWS_MAX, err);
        for (; at < self->touched_count && out.count < LT_CHUNK_ROWS_MAX; at++) {
            const counts *of = &self->counts[self->touched[at]];
            if (of->left < 0 || of->right < 0)
                return lt_raise(err, LT_INTERNAL_ERROR, &plan->place, "a row was taken away that is not there");
            const int64_t more = copies(plan, of->left, of->right) - copies(plan, of->left_before, of->right_before);
            if (more == 0) continue;
            is_growth &= more == 1;
            chosen[out.count]   = self->touched[at];
            weights[out.count]  = more;
            places[out.count++] = of->place;
        }
        out.weights = is_growth ? NULL : weights;
        out.places  = places;
        LT_TRY(lt_group_table_keys(&self->groups, chosen, out.count, out.columns, plan->column_count, arena, err));
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static leat_status row_save(const set_operation *self, uint32_t group, lt_buffer *out, leat_error *err) {
    const counts *of = &self->counts[group];
    LT_TRY(lt_group_table_save_key(&self->groups, group, out, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)of->left, err));
    LT_TRY(lt_buffer_append_u64(out, (uint64_t)of->right, err));
    return lt_buffer_append_u64(out, (uint64_t)of->place, err);
}

static void row_forget(set_operation *self, uint32_t group) {
    self->counts[group] = (counts){0};
    lt_group_table_remove(&self->groups, group);
}

static leat_status set_operation_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    set_operation *self = node->state;
    if (!node->pipeline->is_standing) return emit_all(node, batch, err);
    LT_TRY(emit_changes(node, batch, err));
    for (uint32_t i = 0; i < self->touched_count; i++) {
        const uint32_t group = self->touched[i];
        counts        *of    = &self->counts[group];
        of->is_touched       = false;
        if (node->pipeline->with_state) LT_TRY(row_save(self, group, &self->changes, err));
        if (of->left != 0 || of->right != 0) continue;
        row_forget(self, group);
        batch->rows_removed++;
    }
    batch->rows_updated += self->touched_count;
    self->touched_count = 0;
    return LEAT_OK;
}

// Each part tells what a row's counts are, so that a later one may stand for an earlier one.
static leat_status set_operation_save_part(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                           leat_error *err) {
    enum { DEAD_BYTES = 4 };
    const set_operation *self = node->state;
    size_t               used = 0;
    for (; *cursor < self->groups.group_count; (*cursor)++) {
        const uint32_t group  = (uint32_t)*cursor;
        const size_t   before = out->bytes;
        if (used >= bytes_max) return LEAT_OK;
        if (lt_group_table_is_live(&self->groups, group)) LT_TRY(row_save(self, group, out, err));
        used += out->bytes - before + DEAD_BYTES;
    }
    *cursor = UINT64_MAX;
    return LEAT_OK;
}

static leat_status set_operation_save(lt_node *node, bool is_full, lt_buffer *out, leat_error *err) {
    set_operation *self   = node->state;
    uint64_t       cursor = 0;
    if (is_full)
        LT_TRY(set_operation_save_part(node, &cursor, SIZE_MAX, out, err));
    else
        LT_TRY(lt_buffer_append(out, self->changes.data, self->changes.bytes, err));
    lt_buffer_reset(&self->changes);
    return LEAT_OK;
}

static leat_status set_operation_load(lt_node *node, lt_reader *in, leat_error *err) {
    set_operation *self = node->state;
    const char    *key;
    size_t         count;
    uint64_t       left, right, place;
    uint32_t       group;
    LT_TRY(lt_reader_bytes(in, &key, &count, err));
    LT_TRY(lt_reader_u64(in, &left, err));
    LT_TRY(lt_reader_u64(in, &right, err));
    LT_TRY(lt_reader_u64(in, &place, err));
    LT_TRY(lt_group_table_add_bytes(&self->groups, key, count, &group, err));
    LT_TRY(counts_reserve(self, err));
    self->counts[group] = (counts){.left = (int64_t)left, .right = (int64_t)right, .place = (int64_t)place};
    if ((int64_t)place >= self->next_place) self->next_place = (int64_t)place + 1;
    if (left == 0 && right == 0) row_forget(self, group);
    return LEAT_OK;
}

static lt_state_size set_operation_size(const lt_node *node) {
    const set_operation *self = node->state;
    const uint64_t       rows = self->groups.live_count;
    return (lt_state_size){.rows = rows, .bytes = lt_group_table_bytes(&self->groups) + rows * sizeof *self->counts};
}

static void set_operation_close(lt_node *node) {
    set_operation *self    = node->state;
    lt_account    *account = node->pipeline->account;
    lt_account_reallocate(account, self->counts, sizeof *self->counts * self->capacity, 0);
    lt_account_reallocate(account, self->touched, sizeof *self->touched * self->touched_capacity, 0);
    lt_group_table_deinit(&self->groups);
    lt_buffer_deinit(&self->changes);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_set_operation = {
    .name           = "SetOperation",
    .plan_kind      = LT_PLAN_SET_OPERATION,
    .state_bytes    = sizeof(set_operation),
    .is_incremental = true,
    .open           = set_operation_open,
    .push           = set_operation_push,
    .end_batch      = set_operation_end_batch,
    .save           = set_operation_save,
    .load           = set_operation_load,
    .save_part      = set_operation_save_part,
    .size           = set_operation_size,
    .state_name     = "setOperation",
    .close          = set_operation_close,
};
