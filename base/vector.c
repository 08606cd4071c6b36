#include "base/vector.h"

#include <math.h>

// A row on disk is little-endian; so is every machine leat builds for.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are written as they lie in memory");

enum { CHILD_LANES_MIN = 16 };

leat_status lt_string_copy(lt_arena *arena, const char *data, size_t bytes, lt_string *out, leat_error *err) {
    if (bytes > LT_VALUE_BYTES_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value would have %zu bytes; at most %d are allowed", bytes,
                        LT_VALUE_BYTES_MAX);
    if (bytes > LT_STRING_INLINE_MAX) {
        char *copy = lt_arena_alloc(arena, bytes);
        if (copy == NULL) return lt_raise_no_memory(err);
        memcpy(copy, data, bytes);
        data = copy;
    }
    *out = lt_string_view(data, bytes);
    return LEAT_OK;
}

bool lt_string_equal(const lt_string *a, const lt_string *b) {
    if (a->bytes != b->bytes || memcmp(a->prefix, b->prefix, sizeof a->prefix) != 0) return false;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (a->bytes <= LT_STRING_INLINE_MAX) { // what stands behind the bytes is shifted out
        uint64_t rest_a, rest_b;
        memcpy(&rest_a, a->as.rest, sizeof rest_a);
        memcpy(&rest_b, b->as.rest, sizeof rest_b);
        return a->bytes <= sizeof a->prefix || (rest_a ^ rest_b) << 8 * (LT_STRING_INLINE_MAX - a->bytes) == 0;
    }
#endif
    return memcmp(lt_string_data(a), lt_string_data(b), a->bytes) == 0;
}

int lt_string_compare(const lt_string *a, const lt_string *b) {
    size_t common = a->bytes < b->bytes ? a->bytes : b->bytes;
    int    order  = memcmp(lt_string_data(a), lt_string_data(b), common);
    return order != 0 ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

// ------------------------------------------------------------------------------------------------------------- making

static size_t validity_words(uint32_t lanes) { return ((size_t)lanes + 63) / 64; }

leat_status lt_vector_init(lt_vector *vector, const lt_type *type, uint32_t capacity, lt_arena *arena,
                           leat_error *err) {
    *vector             = (lt_vector){.type = type, .form = LT_FLAT, .capacity = capacity};
    size_t lane_bytes   = lt_kind_lane_bytes(type->kind);
    bool   is_list      = type->kind == LT_ARRAY || type->kind == LT_MAP;
    vector->child_count = type->kind == LT_STRUCT ? type->field_count : is_list ? 1 : 0;
    if (lane_bytes > 0) {
        // Kernels may read a lane that nobody wrote, and its bytes must be defined.
        vector->values =
            is_list ? lt_arena_zero(arena, lane_bytes * capacity) : lt_arena_zero(arena, lane_bytes * capacity);
        if (vector->values == NULL) return lt_raise_no_memory(err);
    }
    if (vector->child_count == 0) return LEAT_OK;
    vector->children = LT_NEW_ARRAY(arena, lt_vector, vector->child_count);
    if (vector->children == NULL) return lt_raise_no_memory(err);
    if (type->kind == LT_STRUCT) {
        for (uint32_t i = 0; i < vector->child_count; i++)
            LT_TRY(lt_vector_init(&vector->children[i], type->fields[i].type, capacity, arena, err));
        return LEAT_OK;
    }
    if (type->kind == LT_ARRAY) return lt_vector_init(&vector->children[0], type->fields[0].type, 0, arena, err);
    lt_type *entry;
    LT_TRY_NEW(entry, arena, err);
    *entry = (lt_type){.kind = LT_STRUCT, .field_count = 2, .fields = type->fields};
    return lt_vector_init(&vector->children[0], entry, 0, arena, err);
}

leat_status lt_vector_init_constant_null(lt_vector *vector, const lt_type *type, lt_arena *arena, leat_error *err) {
    LT_TRY(lt_vector_init(vector, type, 1, arena, err));
    LT_TRY(lt_vector_set_null(vector, 0, arena, err));
    vector->form  = LT_CONSTANT;
    vector->lanes = 1;
    return LEAT_OK;
}

leat_status lt_vector_reserve(lt_vector *vector, uint32_t lanes, lt_arena *arena, leat_error *err) {
    lt_assert(vector->form != LT_DICTIONARY);
    if (lanes <= vector->capacity) return LEAT_OK;
    if (lanes > UINT32_MAX / 2) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value has too many elements");
    uint32_t capacity = vector->capacity < CHILD_LANES_MIN ? CHILD_LANES_MIN : vector->capacity;
    while (capacity < lanes) capacity *= 2;
    size_t lane_bytes = lt_kind_lane_bytes(vector->type->kind);
    if (lane_bytes > 0) {
        void *values = vector->values == NULL ? lt_arena_zero(arena, lane_bytes * capacity)
                                              : lt_arena_larger(arena, vector->values, lane_bytes * vector->capacity,
                                                                lane_bytes * capacity);
        if (values == NULL) return lt_raise_no_memory(err);
        vector->values = values;
    }
    if (vector->validity != NULL) {
        uint64_t *validity = LT_NEW_ARRAY(arena, uint64_t, validity_words(capacity));
        if (validity == NULL) return lt_raise_no_memory(err);
        memset(validity, 0xff, validity_words(capacity) * sizeof *validity);
        memcpy(validity, vector->validity, validity_words(vector->capacity) * sizeof *validity);
        vector->validity = validity;
    }
    if (vector->type->kind == LT_STRUCT)
        for (uint32_t i = 0; i < vector->child_count; i++)
            LT_TRY(lt_vector_reserve(&vector->children[i], capacity, arena, err));
    vector->capacity = capacity;
    return LEAT_OK;
}

leat_status lt_vector_set_null(lt_vector *vector, uint32_t lane, lt_arena *arena, leat_error *err) {
    lt_assert(vector->form != LT_DICTIONARY && lane < vector->capacity);
    if (vector->validity == NULL) {
        uint64_t *validity = LT_NEW_ARRAY(arena, uint64_t, validity_words(vector->capacity));
        if (validity == NULL) return lt_raise_no_memory(err);
        memset(validity, 0xff, validity_words(vector->capacity) * sizeof *validity);
        vector->validity = validity;
    }
    vector->validity[lane >> 6] &= ~((uint64_t)1 << (lane & 63));
    return LEAT_OK;
}

void lt_vector_set_valid(lt_vector *vector, uint32_t lane) {
    if (vector->validity != NULL) vector->validity[lane >> 6] |= (uint64_t)1 << (lane & 63);
}

// ------------------------------------------------------------------------------------------------------------ copying

leat_status lt_vector_append_null(lt_vector *into, lt_arena *arena, leat_error *err) {
    LT_TRY(lt_vector_reserve(into, into->lanes + 1, arena, err));
    uint32_t lane = into->lanes++;
    if (into->type->kind == LT_ARRAY || into->type->kind == LT_MAP) LT_LANES(into, lt_list)[lane] = (lt_list){0};
    if (into->type->kind == LT_STRUCT)
        for (uint32_t i = 0; i < into->child_count; i++) LT_TRY(lt_vector_append_null(&into->children[i], arena, err));
    return lt_vector_set_null(into, lane, arena, err);
}

static leat_status append_lane(lt_vector *into, const lt_vector *lanes, uint32_t lane, bool with_bytes, lt_arena *arena,
                               leat_error *err) {
    if (lt_lane_is_null(lanes, lane)) return lt_vector_append_null(into, arena, err);
    LT_TRY(lt_vector_reserve(into, into->lanes + 1, arena, err));
    uint32_t at     = into->lanes++;
    size_t   stride = lt_kind_lane_bytes(into->type->kind);
    lt_vector_set_valid(into, at);
    switch (into->type->kind) {
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT: {
        const lt_string *text = &LT_LANES(lanes, const lt_string)[lane];
        if (with_bytes)
            return lt_string_copy(arena, lt_string_data(text), text->bytes, &LT_LANES(into, lt_string)[at], err);
        LT_LANES(into, lt_string)[at] = *text;
        return LEAT_OK;
    }
    case LT_ARRAY:
    case LT_MAP: {
        lt_list    list   = LT_LANES(lanes, const lt_list)[lane];
        lt_vector *child  = &into->children[0];
        uint32_t   offset = child->lanes;
        for (uint32_t i = 0; i < list.count; i++)
            LT_TRY(lt_vector_append_row(child, &lanes->children[0], list.offset + i, arena, err));
        LT_LANES(into, lt_list)[at] = (lt_list){.offset = offset, .count = list.count};
        return LEAT_OK;
    }
    case LT_STRUCT:
        for (uint32_t i = 0; i < into->child_count; i++)
            LT_TRY(lt_vector_append_row(&into->children[i], &lanes->children[i], lane, arena, err));
        return LEAT_OK;
    default:
        memcpy((char *)into->values + at * stride, (const char *)lanes->values + lane * stride, stride);
        return LEAT_OK;
    }
}

leat_status lt_vector_append_row(lt_vector *into, const lt_vector *from, uint32_t row, lt_arena *arena,
                                 leat_error *err) {
    return append_lane(into, lt_vector_lanes(from), lt_vector_lane(from, row), true, arena, err);
}

// A lane of 16 bytes that need not be aligned to 16.
typedef struct lane16 {
    uint64_t words[2];
} lane16;

// Fixed-width lanes and string views move by their size; one loop per size.
static void gather_lanes(const lt_vector *from, const uint16_t *rows, uint32_t count, void *out) {
    const lt_vector *lanes  = lt_vector_lanes(from);
    size_t           stride = lt_kind_lane_bytes(from->type->kind);
    if (rows == NULL && from->form == LT_FLAT) {
        if (count > 0 && stride > 0) memcpy(out, lanes->values, stride * count);
        return;
    }
    // The form is chosen here: a choice a row would keep the loops from being one load and one store.
#define GATHER(lane_type)                                                                                              \
    do {                                                                                                               \
        const lane_type *in   = lanes->values;                                                                         \
        lane_type       *outs = out;                                                                                   \
        if (from->form == LT_CONSTANT)                                                                                 \
            for (uint32_t i = 0; i < count; i++) outs[i] = in[0];                                                      \
        else if (from->form == LT_FLAT)                                                                                \
            for (uint32_t i = 0; i < count; i++) outs[i] = in[rows[i]];                                                \
        else if (rows == NULL)                                                                                         \
            for (uint32_t i = 0; i < count; i++) outs[i] = in[from->indices[i]];                                       \
        else                                                                                                           \
            for (uint32_t i = 0; i < count; i++) outs[i] = in[from->indices[rows[i]]];                                 \
    } while (0)
    switch (stride) {
    case 1:
        GATHER(uint8_t);
        break;
    case 2:
        GATHER(uint16_t);
        break;
    case 4:
        GATHER(uint32_t);
        break;
    case 8:
        GATHER(uint64_t);
        break;
    case 16:
        GATHER(lane16);
        break;
    default:
        break;
    }
#undef GATHER
}

// ----------------------------------------------------------------------------------------------- appending many rows

// Rows to append: `rows` of `from`, or the run from `first` on.
typedef struct row_run {
    const lt_vector *from;
    const uint16_t  *rows; // NULL: a run
    uint32_t         first, count;
} row_run;

static leat_status append_run(lt_vector *into, row_run run, bool with_bytes, lt_arena *arena, leat_error *err);

static bool is_flat_run(row_run run) { return run.rows == NULL && run.from->form == LT_FLAT; }

static uint32_t run_lane(row_run run, uint32_t i) {
    return lt_vector_lane(run.from, run.rows == NULL ? run.first + i : run.rows[i]);
}

static bool run_has_nulls(row_run run) {
    const lt_vector *lanes = lt_vector_lanes(run.from);
    if (lanes->validity == NULL) return false;
    if (is_flat_run(run) && run.first % 64 == 0) {
        const uint64_t *words = lanes->validity + run.first / 64, left = run.count % 64;
        for (uint32_t w = 0; w < run.count / 64; w++)
            if (words[w] != UINT64_MAX) return true;
        return left > 0 && (words[run.count / 64] | UINT64_MAX << left) != UINT64_MAX;
    }
    for (uint32_t i = 0; i < run.count; i++)
        if (!lt_validity_is_set(lanes->validity, run_lane(run, i))) return true;
    return false;
}

// The bits of lanes [at, at + count) of `into`, which may hold what an undone append left.
static leat_status append_validity(lt_vector *into, uint32_t at, row_run run, bool has_nulls, lt_arena *arena,
                                   leat_error *err) {
    if (!has_nulls && into->validity == NULL) return LEAT_OK;
    const uint64_t *from = lt_vector_lanes(run.from)->validity;
    if (into->validity == NULL) LT_TRY(lt_vector_set_null(into, at, arena, err));
    uint64_t *words = into->validity;
    if (at % 64 == 0 && is_flat_run(run) && run.first % 64 == 0) {
        if (has_nulls)
            memcpy(words + at / 64, from + run.first / 64, validity_words(run.count) * sizeof *words);
        else
            memset(words + at / 64, 0xff, validity_words(run.count) * sizeof *words);
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < run.count; i++) {
        uint64_t bit         = !has_nulls || lt_validity_is_set(from, run_lane(run, i));
        words[(at + i) >> 6] = (words[(at + i) >> 6] & ~((uint64_t)1 << ((at + i) & 63))) | bit << ((at + i) & 63);
    }
    return LEAT_OK;
}

// Rows that a join made of one row share its texts: side by side, or by turns with those of other rows. A lane whose view
// has come before is noted: its length gets the flag, and instead of bytes it names the lane that had the view.
enum { SEEN_BITS = 10, SEEN_LANES_MIN = 32, SEEN_TRIAL_LANES = 512, SEEN_TRIAL_SHARE = 16 };
static const uint32_t IS_SEEN = (uint32_t)1 << 31;
_Static_assert(LT_VALUE_BYTES_MAX < (uint32_t)1 << 31, "no text is so long that its length looks like the flag");

static bool is_same_view(const lt_string *a, const lt_string *b) {
    return a->as.data == b->as.data && a->bytes == b->bytes;
}

// Where few of the first lanes have come before, the others are not looked at.
static void note_seen(lt_string *strings, uint32_t count) {
    uint16_t last[1 << SEEN_BITS] = {0}; // by the address of the bytes: the last lane that had them, + 1
    uint32_t seen                 = 0;
    if (count < SEEN_LANES_MIN) return;
    for (uint32_t i = 0; i < count && i < UINT16_MAX; i++) {
        if (i == SEEN_TRIAL_LANES && seen < SEEN_TRIAL_LANES / SEEN_TRIAL_SHARE) return;
        if (strings[i].bytes <= LT_STRING_INLINE_MAX) continue;
        uint16_t *place = &last[(uint64_t)(uintptr_t)strings[i].as.data * 0x9e3779b97f4a7c15U >> (64 - SEEN_BITS)];
        if (*place != 0 && is_same_view(&strings[i], &strings[*place - 1])) {
            strings[i].bytes |= IS_SEEN;
            strings[i].as.data = (const char *)&strings[*place - 1];
            seen++;
        } else {
            *place = (uint16_t)(i + 1);
        }
    }
}

// The lanes are copied views; long ones move into one block of the arena.
static leat_status own_strings(lt_string *strings, uint32_t count, lt_arena *arena, leat_error *err) {
    size_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        if (strings[i].bytes > LT_VALUE_BYTES_MAX)
            return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value would have %u bytes; at most %d are allowed",
                            strings[i].bytes, LT_VALUE_BYTES_MAX);
        else if (strings[i].bytes > LT_STRING_INLINE_MAX)
            total += strings[i].bytes;
    if (total == 0) return LEAT_OK;
    note_seen(strings, count);
    for (uint32_t i = 0; i < count; i++)
        if ((strings[i].bytes & IS_SEEN) != 0) total -= strings[i].bytes & ~IS_SEEN;
    char *next = lt_arena_alloc(arena, total);
    if (next == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        lt_string *string = &strings[i];
        if ((string->bytes & IS_SEEN) != 0) {
            string->bytes &= ~IS_SEEN;
            string->as.data = ((const lt_string *)string->as.data)->as.data;
        } else if (string->bytes > LT_STRING_INLINE_MAX) {
            string->as.data = memcpy(next, string->as.data, string->bytes);
            next += string->bytes;
        }
    }
    return LEAT_OK;
}

// Elements of neighbouring lists mostly stand side by side, and then move as one run.
static leat_status append_lists(lt_vector *into, uint32_t at, row_run run, lt_arena *arena, leat_error *err) {
    const lt_vector *lanes    = lt_vector_lanes(run.from);
    lt_vector       *child    = &into->children[0];
    lt_list         *lists    = LT_LANES(into, lt_list) + at;
    row_run          elements = {.from = &lanes->children[0]};
    for (uint32_t i = 0; i < run.count; i++) {
        uint32_t lane = run_lane(run, i);
        lt_list  list = lt_lane_is_null(lanes, lane) ? (lt_list){0} : LT_LANES(lanes, const lt_list)[lane];
        if (list.count > 0 && list.offset != elements.first + elements.count) {
            LT_TRY(append_run(child, elements, true, arena, err));
            elements.first = list.offset;
            elements.count = 0;
        }
        if (list.count > UINT32_MAX / 2 - child->lanes - elements.count)
            return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value has too many elements");
        lists[i] = (lt_list){.offset = list.count > 0 ? child->lanes + elements.count : 0, .count = list.count};
        elements.count += list.count;
    }
    return append_run(child, elements, true, arena, err);
}

// A struct that is NULL says nothing about its children's lanes: those rows go one by one.
static leat_status append_structs(lt_vector *into, row_run run, bool has_nulls, lt_arena *arena, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(run.from);
    for (uint32_t c = 0; c < into->child_count; c++) {
        if (is_flat_run(run) && !has_nulls) {
            row_run fields = {.from = &lanes->children[c], .first = run.first, .count = run.count};
            LT_TRY(append_run(&into->children[c], fields, true, arena, err));
            continue;
        }
        LT_TRY(lt_vector_reserve(&into->children[c], into->children[c].lanes + run.count, arena, err));
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t lane = run_lane(run, i);
            if (lt_lane_is_null(lanes, lane))
                LT_TRY(lt_vector_append_null(&into->children[c], arena, err));
            else
                LT_TRY(lt_vector_append_row(&into->children[c], &lanes->children[c], lane, arena, err));
        }
    }
    return LEAT_OK;
}

static leat_status append_run(lt_vector *into, row_run run, bool with_bytes, lt_arena *arena, leat_error *err) {
    lt_kind  kind   = into->type->kind;
    uint32_t at     = into->lanes;
    size_t   stride = lt_kind_lane_bytes(kind);
    if (run.count == 0) return LEAT_OK;
    LT_TRY(lt_vector_reserve(into, at + run.count, arena, err));
    if (kind == LT_VOID) {
        for (uint32_t i = 0; i < run.count; i++) LT_TRY(lt_vector_append_null(into, arena, err));
        return LEAT_OK;
    }
    bool has_nulls = run_has_nulls(run);
    LT_TRY(append_validity(into, at, run, has_nulls, arena, err));
    if (kind == LT_ARRAY || kind == LT_MAP) {
        LT_TRY(append_lists(into, at, run, arena, err));
    } else if (kind == LT_STRUCT) {
        LT_TRY(append_structs(into, run, has_nulls, arena, err));
    } else if (stride > 0) {
        lt_vector shifted = *run.from;
        if (run.rows == NULL && run.from->form == LT_FLAT)
            shifted.values = (char *)run.from->values + stride * run.first;
        else if (run.rows == NULL && run.from->form == LT_DICTIONARY)
            shifted.indices = run.from->indices + run.first;
        gather_lanes(&shifted, run.rows, run.count, (char *)into->values + stride * at);
    }
    if (lt_kind_is_bytes(kind)) {
        lt_string *strings = LT_LANES(into, lt_string) + at;
        for (uint32_t i = 0; has_nulls && i < run.count; i++)
            if (!lt_validity_is_set(into->validity, at + i)) strings[i] = (lt_string){0};
        if (with_bytes) LT_TRY(own_strings(strings, run.count, arena, err));
    }
    into->lanes = at + run.count;
    return LEAT_OK;
}

leat_status lt_vector_append_rows(lt_vector *into, const lt_vector *from, const uint16_t *rows, uint32_t count,
                                  bool with_bytes, lt_arena *arena, leat_error *err) {
    return append_run(into, (row_run){.from = from, .rows = rows, .count = count}, with_bytes, arena, err);
}

leat_status lt_vector_append_range(lt_vector *into, const lt_vector *from, uint32_t first, uint32_t count,
                                   lt_arena *arena, leat_error *err) {
    return append_run(into, (row_run){.from = from, .first = first, .count = count}, true, arena, err);
}

// The validity bits of rows, by words; whether all of them are set.
static bool gather_validity(const lt_vector *from, const uint16_t *rows, uint32_t count, uint64_t *out) {
    const uint64_t *bits = lt_vector_lanes(from)->validity;
    uint64_t        all  = UINT64_MAX;
    for (uint32_t first = 0; first < count; first += 64) {
        const uint32_t lanes = count - first < 64 ? count - first : 64;
        uint64_t       word  = 0;
        if (from->form == LT_FLAT && rows != NULL) {
            for (uint32_t i = 0; i < lanes; i++)
                word |= (bits[rows[first + i] >> 6] >> (rows[first + i] & 63) & 1) << i;
        } else {
            for (uint32_t i = 0; i < lanes; i++) {
                const uint32_t lane = lt_vector_lane(from, rows == NULL ? first + i : rows[first + i]);
                word |= (bits[lane >> 6] >> (lane & 63) & 1) << i;
            }
        }
        out[first / 64] = word;
        all &= lanes == 64 ? word : word | UINT64_MAX << lanes;
    }
    return all == UINT64_MAX;
}

leat_status lt_vector_gather(const lt_vector *from, const uint16_t *rows, uint32_t count, lt_arena *arena,
                             lt_vector *out, leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(from);
    *out                   = (lt_vector){
                          .type = from->type, .form = LT_FLAT, .capacity = count, .lanes = count, .child_count = from->child_count};
    size_t stride = lt_kind_lane_bytes(from->type->kind);
    if (stride > 0) {
        out->values = lt_arena_alloc(arena, stride * count);
        if (out->values == NULL) return lt_raise_no_memory(err);
        gather_lanes(from, rows, count, out->values);
    }
    if (lanes->validity != NULL) {
        out->validity = LT_NEW_ARRAY(arena, uint64_t, validity_words(count));
        if (out->validity == NULL) return lt_raise_no_memory(err);
        if (gather_validity(from, rows, count, out->validity)) out->validity = NULL;
    }
    out->child_count = lanes->child_count;
    if (lanes->child_count == 0) return LEAT_OK;
    if (from->type->kind != LT_STRUCT) {
        out->children = lanes->children; // list children are shared: offsets still hold
        return LEAT_OK;
    }
    out->children = LT_NEW_ARRAY(arena, lt_vector, lanes->child_count);
    if (out->children == NULL) return lt_raise_no_memory(err);
    for (uint32_t c = 0; c < lanes->child_count; c++) {
        if (from->form == LT_FLAT) {
            LT_TRY(lt_vector_gather(&lanes->children[c], rows, count, arena, &out->children[c], err));
            continue;
        }
        lt_vector child = {.type        = lanes->children[c].type,
                           .form        = from->form,
                           .values      = lanes->children[c].values,
                           .validity    = lanes->children[c].validity,
                           .children    = lanes->children[c].children,
                           .child_count = lanes->children[c].child_count,
                           .capacity    = lanes->children[c].capacity,
                           .lanes       = lanes->children[c].lanes,
                           .indices     = from->indices,
                           .dictionary  = &lanes->children[c]};
        LT_TRY(lt_vector_gather(&child, rows, count, arena, &out->children[c], err));
    }
    return LEAT_OK;
}

leat_status lt_vector_unpack(const lt_vector *from, uint32_t count, lt_arena *arena, const lt_vector **out,
                             leat_error *err) {
    *out = from;
    if (from->form != LT_DICTIONARY) return LEAT_OK;
    lt_vector *flat;
    LT_TRY_NEW(flat, arena, err);
    LT_TRY(lt_vector_gather(from, NULL, count, arena, flat, err));
    *out = flat;
    return LEAT_OK;
}

lt_vector lt_vector_slice(const lt_vector *from, uint32_t offset, uint32_t count, lt_arena *arena) {
    lt_assert(from->form == LT_FLAT);
    lt_vector slice   = *from;
    slice.capacity    = count;
    slice.lanes       = count;
    size_t lane_bytes = lt_kind_lane_bytes(from->type->kind);
    if (slice.values != NULL) slice.values = (char *)from->values + lane_bytes * offset;
    if (from->validity != NULL) {
        slice.validity = LT_NEW_ARRAY(arena, uint64_t, validity_words(count) + 1);
        if (slice.validity == NULL) return *from;
        for (uint32_t i = 0; i < count; i++)
            slice.validity[i >> 6] |= (uint64_t)lt_validity_is_set(from->validity, offset + i) << (i & 63);
    }
    if (from->type->kind == LT_STRUCT) {
        slice.children = LT_NEW_ARRAY(arena, lt_vector, from->child_count);
        for (uint32_t i = 0; slice.children != NULL && i < from->child_count; i++)
            slice.children[i] = lt_vector_slice(&from->children[i], offset, count, arena);
    }
    return slice;
}

// --------------------------------------------------------------------------------------------------------- comparing

static int compare_doubles(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare_lanes(const lt_vector *a, uint32_t lane_a, const lt_vector *b, uint32_t lane_b);

static int compare_lists(const lt_vector *a, lt_list list_a, const lt_vector *b, lt_list list_b) {
    uint32_t common = list_a.count < list_b.count ? list_a.count : list_b.count;
    for (uint32_t i = 0; i < common; i++) {
        int order = lt_vector_compare(&a->children[0], list_a.offset + i, &b->children[0], list_b.offset + i);
        if (order != 0) return order;
    }
    return (list_a.count > list_b.count) - (list_a.count < list_b.count);
}

// Maps have no order of their own; this one only has to be a total order in which equal maps are equal.
static int compare_maps(const lt_vector *a, lt_list list_a, const lt_vector *b, lt_list list_b) {
    if (list_a.count != list_b.count) return list_a.count > list_b.count ? 1 : -1;
    const lt_vector *entries_a = &a->children[0], *entries_b = &b->children[0];
    for (uint32_t i = 0; i < list_a.count; i++) {
        bool is_found = false;
        for (uint32_t j = 0; j < list_b.count && !is_found; j++) {
            if (lt_vector_compare(&entries_a->children[0], list_a.offset + i, &entries_b->children[0],
                                  list_b.offset + j) != 0)
                continue;
            is_found = lt_vector_compare(&entries_a->children[1], list_a.offset + i, &entries_b->children[1],
                                         list_b.offset + j) == 0;
        }
        if (!is_found) {
            int order = compare_lists(a, list_a, b, list_b);
            return order != 0 ? order : 1;
        }
    }
    return 0;
}

#define COMPARE(lane_type)                                                                                             \
    do {                                                                                                               \
        lane_type x = ((const lane_type *)a->values)[lane_a], y = ((const lane_type *)b->values)[lane_b];              \
        return (x > y) - (x < y);                                                                                      \
    } while (0)

static int compare_lanes(const lt_vector *a, uint32_t lane_a, const lt_vector *b, uint32_t lane_b) {
    switch (a->type->kind) {
    case LT_BOOLEAN:
        COMPARE(uint8_t);
    case LT_TINYINT:
        COMPARE(int8_t);
    case LT_SMALLINT:
        COMPARE(int16_t);
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        COMPARE(int32_t);
    case LT_BIGINT:
    case LT_TIMESTAMP:
    case LT_TIMESTAMP_NTZ:
    case LT_TIME:
    case LT_INTERVAL_DAY_TIME:
        COMPARE(int64_t);
    case LT_DECIMAL:
        COMPARE(lt_int128);
    case LT_FLOAT:
        return compare_doubles((double)LT_LANES(a, const float)[lane_a], (double)LT_LANES(b, const float)[lane_b]);
    case LT_DOUBLE:
        return compare_doubles(LT_LANES(a, const double)[lane_a], LT_LANES(b, const double)[lane_b]);
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT:
        return lt_string_compare(&LT_LANES(a, const lt_string)[lane_a], &LT_LANES(b, const lt_string)[lane_b]);
    case LT_INTERVAL_CALENDAR:
        return memcmp(&LT_LANES(a, const lt_calendar_interval)[lane_a],
                      &LT_LANES(b, const lt_calendar_interval)[lane_b], sizeof(lt_calendar_interval));
    case LT_ARRAY:
        return compare_lists(a, LT_LANES(a, const lt_list)[lane_a], b, LT_LANES(b, const lt_list)[lane_b]);
    case LT_MAP:
        return compare_maps(a, LT_LANES(a, const lt_list)[lane_a], b, LT_LANES(b, const lt_list)[lane_b]);
    case LT_STRUCT:
        for (uint32_t i = 0; i < a->child_count; i++) {
            int order = lt_vector_compare(&a->children[i], lane_a, &b->children[i], lane_b);
            if (order != 0) return order;
        }
        return 0;
    default:
        return 0;
    }
}
#undef COMPARE

int lt_vector_compare(const lt_vector *a, uint32_t row_a, const lt_vector *b, uint32_t row_b) {
    const lt_vector *lanes_a = lt_vector_lanes(a), *lanes_b = lt_vector_lanes(b);
    uint32_t         lane_a = lt_vector_lane(a, row_a), lane_b = lt_vector_lane(b, row_b);
    bool             is_null_a = lt_lane_is_null(lanes_a, lane_a), is_null_b = lt_lane_is_null(lanes_b, lane_b);
    if (is_null_a || is_null_b) return (int)is_null_b - (int)is_null_a;
    return compare_lanes(lanes_a, lane_a, lanes_b, lane_b);
}

// --------------------------------------------------------------------------------------------------------------- chunk

leat_status lt_chunk_init(lt_chunk *chunk, const lt_type *const *types, uint32_t column_count, uint32_t capacity,
                          lt_arena *arena, leat_error *err) {
    *chunk = (lt_chunk){.column_count = column_count};
    LT_TRY_NEW_ARRAY(chunk->columns, arena, column_count, err);
    for (uint32_t i = 0; i < column_count; i++)
        LT_TRY(lt_vector_init(&chunk->columns[i], types[i], capacity, arena, err));
    return LEAT_OK;
}

static leat_status gather_int64(const int64_t *from, const uint16_t *rows, uint32_t count, lt_arena *arena,
                                const int64_t **out, leat_error *err) {
    *out = NULL;
    if (from == NULL) return LEAT_OK;
    int64_t *values = lt_arena_alloc(arena, count * sizeof *values);
    if (values == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < count; i++) values[i] = from[rows == NULL ? i : rows[i]];
    *out = values;
    return LEAT_OK;
}

leat_status lt_chunk_gather(const lt_chunk *from, const uint16_t *rows, uint32_t count, lt_arena *arena, lt_chunk *out,
                            leat_error *err) {
    *out = (lt_chunk){.column_count = from->column_count, .count = count};
    LT_TRY_NEW_ARRAY(out->columns, arena, from->column_count, err);
    for (uint32_t i = 0; i < from->column_count; i++) {
        if (from->columns[i].form == LT_CONSTANT) {
            out->columns[i] = from->columns[i];
            continue;
        }
        LT_TRY(lt_vector_gather(&from->columns[i], rows, count, arena, &out->columns[i], err));
    }
    LT_TRY(gather_int64(from->weights, rows, count, arena, &out->weights, err));
    return gather_int64(from->places, rows, count, arena, &out->places, err);
}

// ----------------------------------------------------------------------------------------------------------------- row

enum { TAG_NULL = 0 }; // else the kind

static leat_status encode_lane(const lt_vector *lanes, uint32_t lane, bool is_canonical, lt_buffer *out,
                               leat_error *err);

static leat_status put(lt_buffer *out, const void *bytes, size_t count, leat_error *err) {
    return lt_buffer_append(out, bytes, count, err);
}

static leat_status encode_row(const lt_vector *vector, uint32_t row, bool is_canonical, lt_buffer *out,
                              leat_error *err) {
    return encode_lane(lt_vector_lanes(vector), lt_vector_lane(vector, row), is_canonical, out, err);
}

// Entries in the order of their keys' values, so that equal maps give equal bytes.
static leat_status encode_map_sorted(const lt_vector *entries, lt_list list, lt_buffer *out, leat_error *err) {
    uint32_t *order = lt_account_reallocate(out->account, NULL, 0, sizeof *order * list.count + 1);
    if (order == NULL) return lt_raise_no_memory(err);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t at = i;
        for (; at > 0 &&
               lt_vector_compare(&entries->children[0], order[at - 1], &entries->children[0], list.offset + i) > 0;
             at--)
            order[at] = order[at - 1];
        order[at] = list.offset + i;
    }
    leat_status status = LEAT_OK;
    for (uint32_t i = 0; status == LEAT_OK && i < list.count; i++)
        status = encode_row(entries, order[i], true, out, err);
    lt_account_reallocate(out->account, order, sizeof *order * list.count + 1, 0);
    return status;
}

static leat_status encode_lane(const lt_vector *lanes, uint32_t lane, bool is_canonical, lt_buffer *out,
                               leat_error *err) {
    lt_kind kind    = lanes->type->kind;
    bool    is_null = lt_lane_is_null(lanes, lane);
    char    head[24];
    head[0] = is_null ? TAG_NULL : (char)kind;
    if (is_null) return put(out, head, 1, err);
    switch (kind) {
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT: {
        const lt_string *text = &LT_LANES(lanes, const lt_string)[lane];
        memcpy(head + 1, &text->bytes, 4);
        LT_TRY(put(out, head, 5, err));
        return put(out, lt_string_data(text), text->bytes, err);
    }
    case LT_DOUBLE: {
        double value = LT_LANES(lanes, const double)[lane];
        if (is_canonical) value = isnan(value) ? (double)NAN : value + 0.0;
        memcpy(head + 1, &value, 8);
        return put(out, head, 9, err);
    }
    case LT_FLOAT: {
        float value = LT_LANES(lanes, const float)[lane];
        if (is_canonical) value = isnan(value) ? NAN : value + 0.0f;
        memcpy(head + 1, &value, 4);
        return put(out, head, 5, err);
    }
    case LT_ARRAY:
    case LT_MAP: {
        lt_list list = LT_LANES(lanes, const lt_list)[lane];
        memcpy(head + 1, &list.count, 4);
        LT_TRY(put(out, head, 5, err));
        if (kind == LT_MAP && is_canonical) return encode_map_sorted(&lanes->children[0], list, out, err);
        for (uint32_t i = 0; i < list.count; i++)
            LT_TRY(encode_row(&lanes->children[0], list.offset + i, is_canonical, out, err));
        return LEAT_OK;
    }
    case LT_STRUCT:
        LT_TRY(put(out, head, 1, err));
        for (uint32_t i = 0; i < lanes->child_count; i++)
            LT_TRY(encode_row(&lanes->children[i], lane, is_canonical, out, err));
        return LEAT_OK;
    default: {
        size_t stride = lt_kind_lane_bytes(kind);
        memcpy(head + 1, (const char *)lanes->values + lane * stride, stride);
        return put(out, head, 1 + stride, err);
    }
    }
}

leat_status lt_row_encode(const lt_vector *columns, uint32_t column_count, uint32_t row, bool is_canonical,
                          lt_buffer *out, leat_error *err) {
    for (uint32_t i = 0; i < column_count; i++) LT_TRY(encode_row(&columns[i], row, is_canonical, out, err));
    return LEAT_OK;
}

static leat_status row_too_short(leat_error *err) {
    return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "an encoded row does not fit its types");
}

static leat_status take(lt_reader *in, void *out, size_t count, leat_error *err) {
    if ((size_t)(in->end - in->next) < count) return row_too_short(err);
    memcpy(out, in->next, count);
    in->next += count;
    return LEAT_OK;
}

static leat_status decode_lane(lt_reader *in, lt_vector *into, lt_arena *arena, leat_error *err) {
    char tag = TAG_NULL;
    LT_TRY(take(in, &tag, 1, err));
    if (tag == TAG_NULL) return lt_vector_append_null(into, arena, err);
    lt_kind kind = into->type->kind;
    if (tag != (char)kind) return row_too_short(err);
    LT_TRY(lt_vector_reserve(into, into->lanes + 1, arena, err));
    uint32_t lane = into->lanes++;
    lt_vector_set_valid(into, lane);
    uint32_t count = 0;
    switch (kind) {
    case LT_STRING:
    case LT_BINARY:
    case LT_VARIANT:
        LT_TRY(take(in, &count, 4, err));
        if ((size_t)(in->end - in->next) < count) return row_too_short(err);
        LT_TRY(lt_string_copy(arena, in->next, count, &LT_LANES(into, lt_string)[lane], err));
        in->next += count;
        return LEAT_OK;
    case LT_ARRAY:
    case LT_MAP: {
        LT_TRY(take(in, &count, 4, err));
        lt_vector *child              = &into->children[0];
        LT_LANES(into, lt_list)[lane] = (lt_list){.offset = child->lanes, .count = count};
        for (uint32_t i = 0; i < count; i++) LT_TRY(decode_lane(in, child, arena, err));
        return LEAT_OK;
    }
    case LT_STRUCT:
        for (uint32_t i = 0; i < into->child_count; i++) LT_TRY(decode_lane(in, &into->children[i], arena, err));
        return LEAT_OK;
    default: {
        size_t stride = lt_kind_lane_bytes(kind);
        return take(in, (char *)into->values + lane * stride, stride, err);
    }
    }
}

leat_status lt_row_decode(const char *bytes, size_t count, lt_vector *columns, uint32_t column_count, lt_arena *arena,
                          leat_error *err) {
    lt_reader in = {.next = bytes, .end = bytes + count};
    for (uint32_t i = 0; i < column_count; i++) LT_TRY(decode_lane(&in, &columns[i], arena, err));
    return in.next == in.end ? LEAT_OK : row_too_short(err);
}
