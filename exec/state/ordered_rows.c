// Leaves of up to LT_ORDERED_LEAF_ROWS entries in a list: moving half of a leaf costs less than walking a deeper tree, and
// counts by position are one sum over the list. A leaf that overflows at the end of the set stays full and a new one
// begins, so that rows in order leave no holes; elsewhere it is cut in half. A leaf without rows goes.
#include "exec/state/ordered_rows.h"

#include "exec/state/ordered_multiset.h"

enum { LEAF_CAPACITY_MIN = 2, ROWS_MAX = 0x7fffffff };

// ---------------------------------------------------------------------------------------------------------------- rows

static size_t row_memory(const lt_ordered_row *row) {
    return sizeof(lt_ordered_row) + (size_t)row->key_bytes + row->row_bytes;
}
static size_t leaf_memory(uint32_t capacity) { return sizeof(lt_ordered_leaf) + sizeof(lt_ordered_entry) * capacity; }

static uint64_t prefix_of(const lt_ordered_row *row) {
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < 8; i++) prefix = prefix << 8 | (i < row->key_bytes ? (uint8_t)row->data[i] : 0);
    return prefix;
}

leat_status lt_ordered_row_new(const char *key, size_t key_bytes, const char *bytes, size_t row_bytes, int64_t place,
                               lt_account *account, lt_ordered_row **out, leat_error *err) {
    if (key_bytes > UINT32_MAX / 4 || row_bytes > UINT32_MAX / 4)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a row of more than a gigabyte");
    lt_ordered_row *row = lt_account_reallocate(account, NULL, 0, sizeof *row + key_bytes + row_bytes);
    if (row == NULL) return lt_raise_no_memory(err);
    *row = (lt_ordered_row){.place = place, .key_bytes = (uint32_t)key_bytes, .row_bytes = (uint32_t)row_bytes};
    if (key_bytes > 0) memcpy(row->data, key, key_bytes);
    if (row_bytes > 0) memcpy(row->data + key_bytes, bytes, row_bytes);
    *out = row;
    return LEAT_OK;
}

void lt_ordered_row_free(lt_ordered_row *row, lt_account *account) {
    lt_account_reallocate(account, row, row_memory(row), 0);
}

int lt_ordered_key_compare(const lt_ordered_row *a, const lt_ordered_row *b) {
    uint32_t common = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
    int      order  = memcmp(a->data, b->data, common);
    return order != 0 ? order : (a->key_bytes > b->key_bytes) - (a->key_bytes < b->key_bytes);
}

int lt_ordered_row_compare(const lt_ordered_row *a, const lt_ordered_row *b) {
    int order = lt_ordered_key_compare(a, b);
    return order != 0 ? order : (a->place > b->place) - (a->place < b->place);
}

static bool has_equal_bytes(const lt_ordered_row *a, const lt_ordered_row *b) {
    return a->row_bytes == b->row_bytes && memcmp(lt_ordered_row_bytes(a), lt_ordered_row_bytes(b), a->row_bytes) == 0;
}

// --------------------------------------------------------------------------------------------------------------- bounds

// Where a search stops among equal rows.
typedef enum bound {
    NOT_BEFORE,     // key and place
    BEHIND,         // key and place
    NOT_BEFORE_KEY, // key alone
    BEHIND_KEY      // key alone
} bound;

// Whether an entry lies before the bound.
static bool is_before(const lt_ordered_entry *entry, uint64_t prefix, const lt_ordered_row *row, bound which) {
    if (entry->prefix != prefix) return entry->prefix < prefix;
    int order = lt_ordered_key_compare(entry->row, row);
    if (order != 0) return order < 0;
    if (which == NOT_BEFORE_KEY || which == BEHIND_KEY) return which == BEHIND_KEY;
    return which == BEHIND ? entry->row->place <= row->place : entry->row->place < row->place;
}

// The leaf and the entry of the first row that does not lie before the bound; the end of the last leaf: there is none.
static void find_bound(const lt_ordered_rows *rows, const lt_ordered_row *row, bound which, uint32_t *out_leaf,
                       uint32_t *out_at) {
    const uint64_t prefix = prefix_of(row);
    uint32_t       low = 0, high = rows->leaf_count;
    while (low < high) { // the first leaf whose last entry does not lie before
        uint32_t               middle = low + (high - low) / 2;
        const lt_ordered_leaf *leaf   = rows->leaves[middle].leaf;
        if (is_before(&leaf->entries[leaf->count - 1], prefix, row, which))
            low = middle + 1;
        else
            high = middle;
    }
    *out_leaf = low;
    *out_at   = 0;
    if (low == rows->leaf_count) {
        if (low == 0) return;
        *out_leaf = low - 1;
        *out_at   = rows->leaves[low - 1].count;
        return;
    }
    const lt_ordered_leaf *leaf  = rows->leaves[low].leaf;
    uint32_t               first = 0, end = leaf->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (is_before(&leaf->entries[middle], prefix, row, which))
            first = middle + 1;
        else
            end = middle;
    }
    *out_at = first;
}

static uint32_t position_of(const lt_ordered_rows *rows, uint32_t leaf, uint32_t at) {
    uint32_t position = at;
    for (uint32_t i = 0; i < leaf; i++) position += rows->leaves[i].count;
    return position;
}

static uint32_t bound_position(const lt_ordered_rows *rows, const lt_ordered_row *row, bound which) {
    uint32_t leaf, at;
    find_bound(rows, row, which, &leaf, &at);
    return position_of(rows, leaf, at);
}

uint32_t lt_ordered_rows_lower(const lt_ordered_rows *rows, const lt_ordered_row *row) {
    return bound_position(rows, row, NOT_BEFORE);
}
uint32_t lt_ordered_rows_upper(const lt_ordered_rows *rows, const lt_ordered_row *row) {
    return bound_position(rows, row, BEHIND);
}
uint32_t lt_ordered_rows_first_peer(const lt_ordered_rows *rows, const lt_ordered_row *row) {
    return bound_position(rows, row, NOT_BEFORE_KEY);
}
uint32_t lt_ordered_rows_end_of_peers(const lt_ordered_rows *rows, const lt_ordered_row *row) {
    return bound_position(rows, row, BEHIND_KEY);
}

// -------------------------------------------------------------------------------------------------------------- cursor

lt_ordered_cursor lt_ordered_rows_seek(const lt_ordered_rows *rows, uint32_t position) {
    lt_ordered_cursor cursor = {.rows = rows, .at = position};
    while (cursor.leaf < rows->leaf_count && cursor.at >= rows->leaves[cursor.leaf].count)
        cursor.at -= rows->leaves[cursor.leaf++].count;
    return cursor;
}

lt_ordered_row *lt_ordered_rows_next(lt_ordered_cursor *cursor) {
    if (cursor->leaf < cursor->rows->leaf_count && cursor->at == cursor->rows->leaves[cursor->leaf].count) {
        cursor->leaf++;
        cursor->at = 0;
    }
    if (cursor->leaf == cursor->rows->leaf_count) return NULL;
    return cursor->rows->leaves[cursor->leaf].leaf->entries[cursor->at++].row;
}

lt_ordered_row *lt_ordered_rows_at(const lt_ordered_rows *rows, uint32_t position) {
    lt_assert(position < rows->count);
    lt_ordered_cursor cursor = lt_ordered_rows_seek(rows, position);
    return lt_ordered_rows_next(&cursor);
}

bool lt_ordered_rows_find(const lt_ordered_rows *rows, const lt_ordered_row *row, uint32_t *out_position) {
    uint32_t        leaf, at;
    lt_ordered_row *there;
    for (int pass = 0; pass < 2; pass++) { // at the same place, then at any
        find_bound(rows, row, pass == 0 ? NOT_BEFORE : NOT_BEFORE_KEY, &leaf, &at);
        lt_ordered_cursor cursor = {.rows = rows, .leaf = leaf, .at = at};
        for (uint32_t step = 0; (there = lt_ordered_rows_next(&cursor)) != NULL; step++) {
            if (lt_ordered_key_compare(there, row) != 0 || (pass == 0 && there->place != row->place)) break;
            if (!has_equal_bytes(there, row)) continue;
            *out_position = position_of(rows, leaf, at) + step;
            return true;
        }
    }
    return false;
}

uint32_t lt_ordered_rows_copies(const lt_ordered_rows *rows, const lt_ordered_row *row) {
    lt_ordered_cursor cursor = {.rows = rows};
    lt_ordered_row   *there;
    uint32_t          copies = 0;
    find_bound(rows, row, NOT_BEFORE, &cursor.leaf, &cursor.at);
    while ((there = lt_ordered_rows_next(&cursor)) != NULL && lt_ordered_row_compare(there, row) == 0)
        copies += has_equal_bytes(there, row);
    return copies;
}

// ------------------------------------------------------------------------------------------------------------- changes

static leat_status leaf_insert(lt_ordered_rows *rows, uint32_t number, uint32_t capacity, lt_account *account,
                               leat_error *err) {
    if (rows->leaf_count == rows->leaf_capacity) {
        uint32_t more   = rows->leaf_capacity == 0 ? 1 : rows->leaf_capacity * 2;
        void    *memory = lt_account_reallocate(account, rows->leaves, sizeof *rows->leaves * rows->leaf_capacity,
                                                sizeof *rows->leaves * more);
        if (memory == NULL) return lt_raise_no_memory(err);
        rows->bytes += sizeof *rows->leaves * (more - rows->leaf_capacity);
        rows->leaves        = memory;
        rows->leaf_capacity = more;
    }
    lt_ordered_leaf *leaf = lt_account_reallocate(account, NULL, 0, leaf_memory(capacity));
    if (leaf == NULL) return lt_raise_no_memory(err);
    leaf->count    = 0;
    leaf->capacity = capacity;
    rows->bytes += leaf_memory(capacity);
    memmove(&rows->leaves[number + 1], &rows->leaves[number], sizeof *rows->leaves * (rows->leaf_count - number));
    rows->leaves[number] = (struct lt_ordered_slot){.leaf = leaf};
    rows->leaf_count++;
    return LEAT_OK;
}

static void leaf_remove(lt_ordered_rows *rows, uint32_t number, lt_account *account) {
    lt_ordered_leaf *leaf = rows->leaves[number].leaf;
    rows->bytes -= leaf_memory(leaf->capacity);
    lt_account_reallocate(account, leaf, leaf_memory(leaf->capacity), 0);
    rows->leaf_count--;
    memmove(&rows->leaves[number], &rows->leaves[number + 1], sizeof *rows->leaves * (rows->leaf_count - number));
}

static leat_status leaf_grow(lt_ordered_rows *rows, uint32_t number, lt_account *account, leat_error *err) {
    lt_ordered_leaf *leaf     = rows->leaves[number].leaf;
    uint32_t         capacity = leaf->capacity * 2;
    leaf = lt_account_reallocate(account, leaf, leaf_memory(leaf->capacity), leaf_memory(capacity));
    if (leaf == NULL) return lt_raise_no_memory(err);
    rows->bytes += leaf_memory(capacity) - leaf_memory(leaf->capacity);
    leaf->capacity            = capacity;
    rows->leaves[number].leaf = leaf;
    return LEAT_OK;
}

// Makes room at entry *at of leaf *number, which may become a place in another leaf.
static leat_status make_room(lt_ordered_rows *rows, uint32_t *number, uint32_t *at, lt_account *account,
                             leat_error *err) {
    if (rows->leaf_count == 0) return leaf_insert(rows, 0, LEAF_CAPACITY_MIN, account, err);
    lt_ordered_leaf *leaf = rows->leaves[*number].leaf;
    if (leaf->count < leaf->capacity) return LEAT_OK;
    if (leaf->capacity < LT_ORDERED_LEAF_ROWS) return leaf_grow(rows, *number, account, err);
    LT_TRY(leaf_insert(rows, *number + 1, LT_ORDERED_LEAF_ROWS, account, err));
    lt_ordered_leaf *next = rows->leaves[*number + 1].leaf;
    uint32_t         half = *number + 2 == rows->leaf_count && *at == leaf->count ? leaf->count : leaf->count / 2;
    next->count           = leaf->count - half;
    leaf->count           = half;
    memcpy(next->entries, leaf->entries + half, sizeof *next->entries * next->count);
    rows->leaves[*number].count     = leaf->count;
    rows->leaves[*number + 1].count = next->count;
    if (*at < half || (*at == half && next->count > 0)) return LEAT_OK;
    ++*number;
    *at -= half;
    return LEAT_OK;
}

leat_status lt_ordered_rows_insert(lt_ordered_rows *rows, lt_ordered_row *row, lt_account *account, leat_error *err) {
    uint32_t number, at;
    if (rows->count == ROWS_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than two billion rows to keep");
    find_bound(rows, row, BEHIND, &number, &at);
    LT_TRY(make_room(rows, &number, &at, account, err));
    lt_ordered_leaf *leaf = rows->leaves[number].leaf;
    lt_assert(leaf->count < leaf->capacity && at <= leaf->count);
    memmove(&leaf->entries[at + 1], &leaf->entries[at], sizeof *leaf->entries * (leaf->count - at));
    leaf->entries[at]          = (lt_ordered_entry){.prefix = prefix_of(row), .row = row};
    rows->leaves[number].count = ++leaf->count;
    rows->count++;
    rows->bytes += row_memory(row);
    return LEAT_OK;
}

lt_ordered_row *lt_ordered_rows_remove(lt_ordered_rows *rows, uint32_t position, lt_account *account) {
    lt_assert(position < rows->count);
    uint32_t number = 0, at = position;
    while (at >= rows->leaves[number].count) at -= rows->leaves[number++].count;
    lt_ordered_leaf *leaf = rows->leaves[number].leaf;
    lt_ordered_row  *row  = leaf->entries[at].row;
    leaf->count--;
    memmove(&leaf->entries[at], &leaf->entries[at + 1], sizeof *leaf->entries * (leaf->count - at));
    rows->leaves[number].count = leaf->count;
    rows->count--;
    rows->bytes -= row_memory(row);
    if (leaf->count == 0) leaf_remove(rows, number, account);
    return row;
}

void lt_ordered_rows_release(lt_ordered_rows *rows, lt_account *account) {
    for (uint32_t i = 0; i < rows->leaf_count; i++)
        lt_account_reallocate(account, rows->leaves[i].leaf, leaf_memory(rows->leaves[i].leaf->capacity), 0);
    lt_account_reallocate(account, rows->leaves, sizeof *rows->leaves * rows->leaf_capacity, 0);
    *rows = (lt_ordered_rows){0};
}

void lt_ordered_rows_close(lt_ordered_rows *rows, lt_account *account) {
    for (uint32_t i = 0; i < rows->leaf_count; i++) {
        const lt_ordered_leaf *leaf = rows->leaves[i].leaf;
        for (uint32_t at = 0; at < leaf->count; at++) lt_ordered_row_free(leaf->entries[at].row, account);
    }
    lt_ordered_rows_release(rows, account);
}

// ---------------------------------------------------------------------------------------------------------------- keys

// A NULL is one byte before or behind that of values; bytes of a descending key are inverted.
leat_status lt_sort_key_bytes(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count,
                              uint32_t row, lt_buffer *out, leat_error *err) {
    for (uint32_t k = 0; k < key_count; k++) {
        if (lt_vector_is_null(columns[k], row)) {
            LT_TRY(lt_buffer_append_byte(out, keys[k].is_nulls_first ? 0 : 2, err));
            continue;
        }
        size_t from = out->bytes;
        LT_TRY(lt_order_key_append(columns[k], row, out, err));
        out->data[from] = 1;
        for (size_t i = from + 1; keys[k].is_descending && i < out->bytes; i++) out->data[i] = (char)~out->data[i];
    }
    return LEAT_OK;
}
