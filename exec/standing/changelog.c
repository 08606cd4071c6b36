#include "exec/standing/standing.h"

#include "exec/state/group_table.h"

// changelog: what a batch delivered, as rows with an op in front: one net change per key, keys in the order in which
// they were first touched, what goes before what comes:
//
//     -(1,a) -(2,b) +(3,c) +(1,d)     key: first column     ->     -U (1,a)  +U (1,d)  -D (2,b)  +I (3,c)
//
// Without a key every row stays where it is: -D or +I.

typedef struct changelog {
    lt_standing   *query;
    lt_row_set     ops; // rows with their op, in order
    lt_arena       arena, scratch;
    lt_group_table groups;
    uint32_t      *group_of, *next; // by delivery; next of its key, + 1
    uint32_t      *first, *last;    // deliveries by key, + 1; first 0: given
} changelog;

static leat_status row_give(changelog *self, const char *op, const lt_row_set_row *row, leat_error *err) {
    lt_standing *query   = self->query;
    char         head[5] = {(char)LT_STRING};
    uint32_t     bytes   = 2;
    memcpy(head + 1, &bytes, sizeof bytes);
    lt_buffer_reset(&query->scratch);
    LT_TRY(lt_buffer_append(&query->scratch, head, sizeof head, err));
    LT_TRY(lt_buffer_append(&query->scratch, op, 2, err));
    LT_TRY(lt_buffer_append(&query->scratch, row->bytes, row->count, err));
    for (int64_t copy = row->weight < 0 ? -row->weight : row->weight; copy > 0; copy--) {
        const int64_t place = query->table.next_place++;
        LT_TRY(lt_row_set_add(&self->ops, query->scratch.data, query->scratch.bytes, 1, place, NULL, err));
        if (query->has_table)
            LT_TRY(lt_standing_table_add(query, query->scratch.data, query->scratch.bytes, 1, place, err));
    }
    return LEAT_OK;
}

static leat_status all_give(changelog *self, leat_error *err) {
    const lt_row_set *delivered = &self->query->delivered;
    for (uint32_t i = 0; i < delivered->row_count; i++) {
        const lt_row_set_row row = lt_row_set_at(delivered, i);
        LT_TRY(row_give(self, row.weight < 0 ? "-D" : "+I", &row, err));
    }
    return LEAT_OK;
}

// ---------------------------------------------------------------------------------------------------------------- keys

// Groups of deliveries [from, from + count).
static leat_status keys_find(changelog *self, uint32_t from, uint32_t count, leat_error *err) {
    const lt_standing    *query = self->query;
    const lt_plan        *root  = query->plan.root;
    const lt_properties  *known = &root->properties;
    const lt_type *const *types = query->table.types + 1; // behind op
    lt_chunk              rows;
    lt_vector            *keys;
    LT_TRY(lt_chunk_init(&rows, types, root->column_count, count, &self->scratch, err));
    LT_TRY_NEW_ARRAY(keys, &self->scratch, known->key_count + 1u, err);
    for (uint32_t i = 0; i < count; i++) {
        const lt_row_set_row row = lt_row_set_at(&query->delivered, from + i);
        LT_TRY(lt_row_decode(row.bytes, row.count, rows.columns, rows.column_count, &self->scratch, err));
    }
    for (uint32_t k = 0; k < known->key_count; k++) keys[k] = rows.columns[known->key[k]];
    if (known->key_count > 0)
        LT_TRY(
            lt_group_table_find_or_add(&self->groups, keys, known->key_count, NULL, count, self->group_of + from, err));
    lt_arena_reset(&self->scratch);
    return LEAT_OK;
}

static leat_status keys_chain(changelog *self, leat_error *err) {
    const uint32_t count = self->query->delivered.row_count;
    LT_TRY_NEW_ARRAY(self->group_of, &self->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(self->next, &self->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(self->first, &self->arena, count + 1u, err);
    LT_TRY_NEW_ARRAY(self->last, &self->arena, count + 1u, err);
    for (uint32_t from = 0; from < count; from += LT_CHUNK_ROWS_MAX)
        LT_TRY(keys_find(self, from, count - from < LT_CHUNK_ROWS_MAX ? count - from : LT_CHUNK_ROWS_MAX, err));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t group = self->group_of[i];
        if (self->first[group] == 0)
            self->first[group] = i + 1;
        else
            self->next[self->last[group] - 1] = i + 1;
        self->last[group] = i + 1;
    }
    return LEAT_OK;
}

// What a key had and has, if that is one row each.
typedef struct key_change {
    lt_row_set_row from, to; // weight 0: none
    bool           is_plain; // no more than that
} key_change;

static key_change key_change_of(const changelog *self, uint32_t group) {
    key_change out = {.is_plain = true};
    for (uint32_t at = self->first[group]; at != 0; at = self->next[at - 1]) {
        const lt_row_set_row row  = lt_row_set_at(&self->query->delivered, at - 1);
        lt_row_set_row      *slot = row.weight < 0 ? &out.from : &out.to;
        out.is_plain &= slot->weight == 0 && (row.weight == 1 || row.weight == -1);
        *slot = row;
    }
    return out;
}

static leat_status key_give(changelog *self, uint32_t group, leat_error *err) {
    const key_change change    = key_change_of(self, group);
    const bool       is_update = change.is_plain && change.from.weight != 0 && change.to.weight != 0;
    if (is_update && change.from.count == change.to.count &&
        memcmp(change.from.bytes, change.to.bytes, change.from.count) == 0)
        return LEAT_OK;
    for (int sign = -1; sign <= 1; sign += 2)
        for (uint32_t at = self->first[group]; at != 0; at = self->next[at - 1]) {
            const lt_row_set_row row = lt_row_set_at(&self->query->delivered, at - 1);
            if ((row.weight < 0) == (sign < 0))
                LT_TRY(row_give(self, sign < 0 ? (is_update ? "-U" : "-D") : (is_update ? "+U" : "+I"), &row, err));
        }
    return LEAT_OK;
}

static leat_status keyed_give(changelog *self, leat_error *err) {
    LT_TRY(keys_chain(self, err));
    for (uint32_t i = 0; i < self->query->delivered.row_count; i++) {
        const uint32_t group = self->group_of[i];
        if (self->first[group] == 0) continue;
        LT_TRY(key_give(self, group, err));
        self->first[group] = 0;
    }
    return LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- apply

static leat_status groups_open(changelog *self, leat_error *err) {
    const lt_standing   *query = self->query;
    const lt_properties *known = &query->plan.root->properties;
    const lt_type      **types;
    LT_TRY_NEW_ARRAY(types, &self->arena, known->key_count + 1u, err);
    for (uint32_t k = 0; k < known->key_count; k++) types[k] = query->plan.root->columns[known->key[k]].type;
    lt_group_table_init(&self->groups, self->arena.account, types, known->key_count, query->evaluation.random_seed);
    return LEAT_OK;
}

leat_status lt_standing_apply_changelog(lt_standing *query, leat_error *err) {
    changelog  self     = {.query = query};
    const bool is_keyed = query->plan.root->properties.has_key;
    lt_arena_init(&self.arena, &query->account);
    lt_arena_init(&self.scratch, &query->account);
    lt_row_set_init(&self.ops, &query->account, false);
    leat_status status = groups_open(&self, err);
    if (status == LEAT_OK) status = is_keyed ? keyed_give(&self, err) : all_give(&self, err);
    lt_group_table_deinit(&self.groups);
    lt_arena_deinit(&self.arena);
    lt_arena_deinit(&self.scratch);
    lt_row_set old   = query->delivered;
    query->delivered = self.ops;
    lt_row_set_deinit(&old);
    return status;
}
