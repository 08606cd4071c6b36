#include "exec/state/sort_order.h"

// A run of rows is sorted by the prefixes of its first key, least significant byte first, skipping bytes that are equal
// in all rows. Rows with equal prefixes form shorter runs: of exact prefixes these go on with the next key, of texts
// with the same key behind the bytes that they have in common, the rest is merged by comparing. A run knows its place
// in the item arrays, so runs within runs share them.

enum {
    INSERTION_ROWS_MAX = 16,
    RADIX_ROWS_MIN     = 256,
    DEPTH_MAX          = 32, // of runs within runs; deeper ones are merged
    TEXT_BYTES         = 7,  // of a text in its prefix; the last byte counts those that are there, 8: more
};

typedef struct sort_item {
    uint64_t prefix;
    uint32_t row;
} sort_item;
_Static_assert(sizeof(sort_item) == 2 * sizeof(uint64_t), "prefixes are written two words apart");

typedef struct sorter {
    const lt_vector *const *columns;
    const lt_sort_key      *keys;
    uint32_t                key_count;
    uint32_t               *order; // of all rows
    sort_item              *items, *others;
    uint32_t (*counts)[256]; // by byte of the prefix
} sorter;

int lt_sort_compare(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t a,
                    uint32_t b) {
    for (uint32_t k = 0; k < key_count; k++) {
        bool is_null_a = lt_vector_is_null(columns[k], a), is_null_b = lt_vector_is_null(columns[k], b);
        if (is_null_a || is_null_b) {
            if (is_null_a == is_null_b) continue;
            return is_null_a == keys[k].is_nulls_first ? -1 : 1;
        }
        int order = lt_vector_compare(columns[k], a, columns[k], b);
        if (order != 0) return keys[k].is_descending ? -order : order;
    }
    return 0;
}

// ------------------------------------------------------------------------------------------------------------ prefixes

bool lt_sort_has_prefix(lt_kind kind) {
    return kind != LT_VOID && !lt_kind_is_nested(kind) && kind != LT_INTERVAL_CALENDAR;
}

static inline uint64_t prefix_of_integer(int64_t value) { return (uint64_t)value ^ ((uint64_t)1 << 63); }

// NaN is one value and the largest, -0.0 equals 0.0.
static inline uint64_t prefix_of_double(double value) {
    uint64_t bits;
    if (value != value) return UINT64_MAX;
    if (value == 0) value = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((bits >> 63) != 0 ? UINT64_MAX : (uint64_t)1 << 63);
}

// Beyond 64 bits all share the first or last prefix, which is not exact.
static inline uint64_t prefix_of_decimal(lt_int128 value) {
    return prefix_of_integer(value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static inline uint64_t prefix_of_text(const lt_string *text, uint32_t skip_bytes) {
    uint32_t left  = text->bytes - skip_bytes;
    uint64_t bytes = 0;
    memcpy(&bytes, lt_string_data(text) + skip_bytes, left < TEXT_BYTES ? left : TEXT_BYTES);
    return __builtin_bswap64(bytes) | (left > TEXT_BYTES ? TEXT_BYTES + 1u : left);
}

void lt_sort_prefixes(const lt_vector *column, bool is_descending, const uint32_t *rows, uint32_t count,
                      uint32_t skip_bytes, uint64_t *out, size_t step) {
    const uint64_t flip = is_descending ? UINT64_MAX : 0;
    const uint32_t keep = column->form == LT_CONSTANT ? 0 : UINT32_MAX;
    lt_assert(column->form != LT_DICTIONARY);
#define PREFIXES(lane_type, prefix)                                                                                    \
    for (uint32_t i = 0; i < count; i++) {                                                                             \
        const lane_type *lane = &LT_LANES(column, const lane_type)[(rows == NULL ? i : rows[i]) & keep];               \
        out[i * step]         = (prefix) ^ flip;                                                                       \
    }                                                                                                                  \
    break
    switch (column->type->kind) {
    case LT_BOOLEAN:
        PREFIXES(uint8_t, prefix_of_integer(*lane));
    case LT_TINYINT:
        PREFIXES(int8_t, prefix_of_integer(*lane));
    case LT_SMALLINT:
        PREFIXES(int16_t, prefix_of_integer(*lane));
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        PREFIXES(int32_t, prefix_of_integer(*lane));
    case LT_BIGINT:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
    case LT_TIME:
    case LT_INTERVAL_DAY_TIME:
        PREFIXES(int64_t, prefix_of_integer(*lane));
    case LT_FLOAT:
        PREFIXES(float, prefix_of_double((double)*lane));
    case LT_DOUBLE:
        PREFIXES(double, prefix_of_double(*lane));
    case LT_DECIMAL:
        PREFIXES(lt_int128, prefix_of_decimal(*lane));
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT:
        PREFIXES(lt_string, lane->bytes < skip_bytes ? 0 : prefix_of_text(lane, skip_bytes));
    default:
        lt_assert(false);
    }
#undef PREFIXES
}

bool lt_sort_is_exact(lt_kind kind, bool is_descending, uint64_t prefix) {
    if (is_descending) prefix = ~prefix;
    if (kind == LT_DECIMAL) return prefix != 0 && prefix != UINT64_MAX;
    return !lt_kind_is_bytes(kind) || (prefix & 0xff) <= TEXT_BYTES;
}

// How many bytes all texts of a run begin with.
static uint32_t common_bytes(const lt_vector *column, const uint32_t *rows, uint32_t count) {
    const lt_string *texts  = LT_LANES(column, const lt_string);
    const char      *first  = lt_string_data(&texts[rows[0]]);
    uint32_t         common = texts[rows[0]].bytes;
    for (uint32_t i = 1; i < count && common > 0; i++) {
        const lt_string *text = &texts[rows[i]];
        const char      *data = lt_string_data(text);
        if (common > text->bytes) common = text->bytes;
        if (memcmp(first, data, common) == 0) continue;
        uint32_t equal = 0;
        while (first[equal] == data[equal]) equal++;
        common = equal;
    }
    return common;
}

// ------------------------------------------------------------------------------------------------------------- sorting

static int compare_from(const sorter *self, uint32_t key, uint32_t a, uint32_t b) {
    return lt_sort_compare(self->columns + key, self->keys + key, self->key_count - key, a, b);
}

static void sort_by_insertion(const sorter *self, uint32_t *order, uint32_t count, uint32_t key) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t row = order[i], at = i;
        for (; at > 0 && compare_from(self, key, order[at - 1], row) > 0; at--) order[at] = order[at - 1];
        order[at] = row;
    }
}

static void sort_by_merging(const sorter *self, uint32_t *order, uint32_t count, uint32_t key) {
    uint32_t *from = order, *other = (uint32_t *)(self->others + (order - self->order));
    for (uint32_t start = 0; start < count; start += INSERTION_ROWS_MAX)
        sort_by_insertion(self, order + start, count - start < INSERTION_ROWS_MAX ? count - start : INSERTION_ROWS_MAX,
                          key);
    for (uint32_t width = INSERTION_ROWS_MAX; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = count - start > width ? start + width : count;
            uint32_t end    = count - middle > width ? middle + width : count;
            uint32_t left = start, right = middle;
            if (middle == end || compare_from(self, key, from[middle - 1], from[middle]) <= 0) {
                memcpy(other + start, from + start, sizeof *order * (end - start));
                continue;
            }
            for (uint32_t at = start; at < end; at++) {
                bool takes_left =
                    left < middle && (right >= end || compare_from(self, key, from[left], from[right]) <= 0);
                other[at] = takes_left ? from[left++] : from[right++];
            }
        }
        uint32_t *swap = from;
        from           = other;
        other          = swap;
        if (width > UINT32_MAX / 4) break;
    }
    if (from != order) memcpy(order, from, sizeof *order * count);
}

static void sort_items_by_merging(sort_item *items, sort_item *others, uint32_t count) {
    sort_item *from = items;
    for (uint32_t start = 0; start < count; start += INSERTION_ROWS_MAX) {
        uint32_t end = count - start < INSERTION_ROWS_MAX ? count : start + INSERTION_ROWS_MAX;
        for (uint32_t i = start + 1; i < end; i++) {
            sort_item item = items[i];
            uint32_t  at   = i;
            for (; at > start && items[at - 1].prefix > item.prefix; at--) items[at] = items[at - 1];
            items[at] = item;
        }
    }
    for (uint32_t width = INSERTION_ROWS_MAX; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = count - start > width ? start + width : count;
            uint32_t end    = count - middle > width ? middle + width : count;
            uint32_t left = start, right = middle;
            for (uint32_t at = start; at < end; at++) {
                bool takes_left = left < middle && (right >= end || from[left].prefix <= from[right].prefix);
                others[at]      = takes_left ? from[left++] : from[right++];
            }
        }
        sort_item *swap = from;
        from            = others;
        others          = swap;
    }
    if (from != items) memcpy(items, from, sizeof *items * count);
}

// `varying`: bits in which some prefixes differ.
static void sort_items_by_bytes(const sorter *self, sort_item *items, sort_item *others, uint32_t count,
                                uint64_t varying) {
    sort_item *from = items;
    for (uint32_t byte = 0; byte < 8; byte++)
        if (((varying >> (8 * byte)) & 0xff) != 0) memset(self->counts[byte], 0, sizeof self->counts[byte]);
    for (uint32_t byte = 0; byte < 8; byte++) {
        if (((varying >> (8 * byte)) & 0xff) == 0) continue;
        uint32_t *counts = self->counts[byte], sum = 0;
        for (uint32_t i = 0; i < count; i++) counts[(from[i].prefix >> (8 * byte)) & 0xff]++;
        for (uint32_t value = 0; value < 256; value++) {
            uint32_t rows = counts[value];
            counts[value] = sum;
            sum += rows;
        }
        for (uint32_t i = 0; i < count; i++) others[counts[(from[i].prefix >> (8 * byte)) & 0xff]++] = from[i];
        sort_item *swap = from;
        from            = others;
        others          = swap;
    }
    if (from != items) memcpy(items, from, sizeof *items * count);
}

// Brings NULLs of a key to their end of the run, in order of arrival; *out_first, *out_count: the others.
static void part_nulls(const sorter *self, uint32_t *order, uint32_t count, uint32_t key, uint32_t *out_first,
                       uint32_t *out_count) {
    const lt_vector *column = self->columns[key];
    uint32_t        *other  = (uint32_t *)(self->others + (order - self->order));
    uint32_t         nulls = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_null = lt_vector_is_null(column, order[i]);
        other[nulls] = order[i];
        order[kept]  = order[i];
        nulls += is_null;
        kept += !is_null;
    }
    if (self->keys[key].is_nulls_first) {
        memmove(order + nulls, order, sizeof *order * kept);
        memcpy(order, other, sizeof *order * nulls);
    } else {
        memcpy(order + kept, other, sizeof *order * nulls);
    }
    *out_first = self->keys[key].is_nulls_first ? nulls : 0;
    *out_count = kept;
}

// Sorts a run of self->order by the keys from `key` on. Recursion: at most DEPTH_MAX.
static void sort_run(const sorter *self, uint32_t *order, uint32_t count, uint32_t key, uint32_t depth) {
    if (count < 2 || key == self->key_count) return;
    if (count <= INSERTION_ROWS_MAX) {
        sort_by_insertion(self, order, count, key);
        return;
    }
    const lt_vector *column = self->columns[key];
    lt_kind          kind   = column->type->kind;
    if (depth == DEPTH_MAX || !lt_sort_has_prefix(kind)) {
        sort_by_merging(self, order, count, key);
        return;
    }
    if (column->validity != NULL) {
        uint32_t first, kept, nulls;
        part_nulls(self, order, count, key, &first, &kept);
        nulls = count - kept;
        sort_run(self, first == 0 ? order + kept : order, nulls, key + 1, depth + 1);
        order += first;
        count = kept;
        if (count < 2) return;
    }
    sort_item *items = self->items + (order - self->order), *others = self->others + (order - self->order);
    bool       is_descending = self->keys[key].is_descending, is_sorted = true;
    uint32_t   skip_bytes = lt_kind_is_bytes(kind) ? common_bytes(column, order, count) : 0;
    uint64_t   varying    = 0;
    lt_sort_prefixes(column, is_descending, order, count, skip_bytes, &items->prefix, 2);
    for (uint32_t i = 0; i < count; i++) {
        items[i].row = order[i];
        varying |= items[i].prefix ^ items[0].prefix;
        is_sorted &= i == 0 || items[i - 1].prefix <= items[i].prefix;
    }
    if (!is_sorted && count < RADIX_ROWS_MIN) sort_items_by_merging(items, others, count);
    if (!is_sorted && count >= RADIX_ROWS_MIN) sort_items_by_bytes(self, items, others, count, varying);
    for (uint32_t i = 0; i < count; i++) order[i] = items[i].row;
    bool is_last = key + 1 == self->key_count;
    if (is_last && !lt_kind_is_bytes(kind) && kind != LT_DECIMAL) return;
    for (uint32_t first = 0, end; first < count; first = end) {
        uint64_t prefix = items[first].prefix;
        for (end = first + 1; end < count && items[end].prefix == prefix;) end++;
        if (end - first == 1) continue;
        if (lt_sort_is_exact(kind, is_descending, prefix))
            sort_run(self, order + first, end - first, key + 1, depth + 1);
        else if (lt_kind_is_bytes(kind))
            sort_run(self, order + first, end - first, key, depth + 1);
        else
            sort_by_merging(self, order + first, end - first, key);
    }
}

leat_status lt_sort_rows(const lt_vector *const *columns, const lt_sort_key *keys, uint32_t key_count, uint32_t *order,
                         uint32_t count, lt_arena *arena, leat_error *err) {
    sorter self = {.columns = columns, .keys = keys, .key_count = key_count, .order = order};
    if (count > INSERTION_ROWS_MAX) {
        self.items  = lt_arena_alloc(arena, sizeof *self.items * count);
        self.others = lt_arena_alloc(arena, sizeof *self.others * count);
        self.counts = lt_arena_alloc(arena, sizeof *self.counts * 8);
        if (self.items == NULL || self.others == NULL || self.counts == NULL) return lt_raise_no_memory(err);
    }
    sort_run(&self, order, count, 0, 0);
    return LEAT_OK;
}
