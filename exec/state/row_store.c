#include "exec/state/row_store.h"

enum { CAPACITY_MIN = 64, PREFETCH_AHEAD = 16, LANES_WORTH_PREFETCH = 1 << 16 };

static bool is_plain(const lt_vector *column) {
    return column->child_count == 0 && lt_kind_lane_bytes(column->type->kind) > 0;
}

leat_status lt_row_store_init(lt_row_store *store, const lt_type *const *types, uint32_t column_count,
                              lt_account *account, leat_error *err) {
    *store = (lt_row_store){.column_count = column_count};
    lt_arena_init(&store->arena, account);
    LT_TRY_NEW_ARRAY(store->columns, &store->arena, column_count + 1u, err);
    for (uint32_t c = 0; c < column_count; c++) {
        LT_TRY(lt_vector_init(&store->columns[c], types[c], 0, &store->arena, err));
        if (is_plain(&store->columns[c])) store->columns[c].values = NULL; // from the account, once there are rows
    }
    return LEAT_OK;
}

static uint32_t capacity_for(uint32_t capacity, uint32_t count) {
    if (capacity == 0) capacity = CAPACITY_MIN;
    while (capacity < count) capacity *= 2;
    return capacity;
}

static leat_status column_reserve(lt_row_store *store, lt_vector *column, uint32_t count, leat_error *err) {
    if (!is_plain(column) || count <= column->capacity) return LEAT_OK;
    uint32_t capacity = capacity_for(column->capacity, count);
    size_t   stride   = lt_kind_lane_bytes(column->type->kind);
    if (column->validity != NULL) {
        size_t    old_words = ((size_t)column->capacity + 63) / 64, words = ((size_t)capacity + 63) / 64;
        uint64_t *validity = lt_arena_alloc(&store->arena, sizeof *validity * words);
        if (validity == NULL) return lt_raise_no_memory(err);
        memcpy(validity, column->validity, sizeof *validity * old_words);
        memset(validity + old_words, 0xff, sizeof *validity * (words - old_words));
        column->validity = validity;
    }
    void *values =
        lt_account_reallocate(store->arena.account, column->values, stride * column->capacity, stride * capacity);
    if (values == NULL) return lt_raise_no_memory(err);
    column->values   = values;
    column->capacity = capacity;
    return LEAT_OK;
}

// Places are kept from the first chunk on that has some.
static leat_status places_append(lt_row_store *store, const lt_chunk *chunk, const uint16_t *rows, uint32_t more,
                                 leat_error *err) {
    if (store->places == NULL && chunk->places == NULL) return LEAT_OK;
    uint32_t count = store->count + more;
    if (count > store->places_capacity) {
        uint32_t capacity = capacity_for(store->places_capacity, count);
        int64_t *places   = lt_account_reallocate(store->arena.account, store->places,
                                                  sizeof *places * store->places_capacity, sizeof *places * capacity);
        if (places == NULL) return lt_raise_no_memory(err);
        for (uint32_t row = 0; store->places == NULL && row < store->count; row++) places[row] = row;
        store->places          = places;
        store->places_capacity = capacity;
    }
    for (uint32_t i = 0; i < more; i++)
        store->places[store->count + i] =
            chunk->places != NULL ? chunk->places[rows == NULL ? i : rows[i]] : (int64_t)store->count + i;
    return LEAT_OK;
}

leat_status lt_row_store_append_rows(lt_row_store *store, const lt_chunk *chunk, const uint16_t *rows, uint32_t count,
                                     leat_error *err) {
    if (count > UINT32_MAX / 4 - store->count)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than a billion rows to keep");
    for (uint32_t c = 0; c < store->column_count; c++) {
        LT_TRY(column_reserve(store, &store->columns[c], store->count + count, err));
        LT_TRY(lt_vector_append_rows(&store->columns[c], &chunk->columns[c], rows, count, true, &store->arena, err));
    }
    LT_TRY(places_append(store, chunk, rows, count, err));
    store->count += count;
    return LEAT_OK;
}

leat_status lt_row_store_append(lt_row_store *store, const lt_chunk *chunk, leat_error *err) {
    return lt_row_store_append_rows(store, chunk, NULL, chunk->count, err);
}

// A lane of 16 bytes that need not be aligned to 16.
typedef struct lane16 {
    uint64_t words[2];
} lane16;

// Padding takes any lane. Rows of a large store stand far apart: their lanes are asked for in advance.
static void gather_values(const lt_vector *column, const uint32_t *rows, uint32_t count, void *out) {
    size_t stride = lt_kind_lane_bytes(column->type->kind);
    if (column->lanes >= LANES_WORTH_PREFETCH)
        for (uint32_t i = 0; i < count && i < PREFETCH_AHEAD; i++)
            if (rows[i] != LT_NO_ROW) __builtin_prefetch((const char *)column->values + stride * rows[i]);
#define GATHER(lane_type)                                                                                              \
    do {                                                                                                               \
        const lane_type *in    = column->values;                                                                       \
        lane_type       *lanes = out;                                                                                  \
        uint32_t         ahead = column->lanes >= LANES_WORTH_PREFETCH && count > PREFETCH_AHEAD ? PREFETCH_AHEAD : 0; \
        uint32_t         i     = 0;                                                                                    \
        for (; ahead > 0 && i < count - ahead; i++) {                                                                  \
            __builtin_prefetch(&in[rows[i + ahead] == LT_NO_ROW ? 0 : rows[i + ahead]]);                               \
            lanes[i] = in[rows[i] == LT_NO_ROW ? 0 : rows[i]];                                                         \
        }                                                                                                              \
        for (; i < count; i++) lanes[i] = in[rows[i] == LT_NO_ROW ? 0 : rows[i]];                                      \
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

leat_status lt_row_store_gather_column(const lt_vector *column, const uint32_t *rows, uint32_t count, lt_arena *arena,
                                       lt_vector *out, leat_error *err) {
    *out = (lt_vector){
        .type = column->type, .form = LT_FLAT, .capacity = count, .lanes = count, .child_count = column->child_count};
    size_t stride    = lt_kind_lane_bytes(column->type->kind);
    bool   has_nulls = column->validity != NULL;
    for (uint32_t i = 0; i < count && !has_nulls; i++) has_nulls = rows[i] == LT_NO_ROW;
    if (has_nulls) {
        out->validity = lt_arena_zero(arena, sizeof(uint64_t) * (count / 64 + 1));
        if (out->validity == NULL) return lt_raise_no_memory(err);
    }
    if (stride > 0) {
        out->values = lt_arena_zero(arena, stride * count + 1);
        if (out->values == NULL) return lt_raise_no_memory(err);
    }
    if (has_nulls)
        for (uint32_t i = 0; i < count; i++)
            out->validity[i >> 6] |= (uint64_t)(rows[i] != LT_NO_ROW && lt_validity_is_set(column->validity, rows[i]))
                                     << (i & 63);
    if (column->lanes > 0) gather_values(column, rows, count, out->values);
    if (column->child_count == 0) return LEAT_OK;
    if (column->type->kind != LT_STRUCT) {
        out->children = column->children;
        return LEAT_OK;
    }
    LT_TRY_NEW_ARRAY(out->children, arena, column->child_count, err);
    for (uint32_t c = 0; c < column->child_count; c++)
        LT_TRY(lt_row_store_gather_column(&column->children[c], rows, count, arena, &out->children[c], err));
    return LEAT_OK;
}

leat_status lt_row_store_gather(const lt_row_store *store, const uint32_t *rows, uint32_t count, lt_arena *arena,
                                lt_chunk *out, leat_error *err) {
    int64_t *places;
    *out = (lt_chunk){.column_count = store->column_count, .count = count};
    LT_TRY_NEW_ARRAY(out->columns, arena, store->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(places, arena, count + 1u, err);
    for (uint32_t c = 0; c < store->column_count; c++)
        LT_TRY(lt_row_store_gather_column(&store->columns[c], rows, count, arena, &out->columns[c], err));
    for (uint32_t i = 0; i < count; i++)
        places[i] = rows[i] == LT_NO_ROW ? 0 : store->places == NULL ? (int64_t)rows[i] : store->places[rows[i]];
    out->places = places;
    return LEAT_OK;
}

void lt_row_store_deinit(lt_row_store *store) {
    lt_account *account = store->arena.account;
    for (uint32_t c = 0; store->columns != NULL && c < store->column_count; c++) {
        lt_vector *column = &store->columns[c];
        if (column->type == NULL || !is_plain(column)) continue;
        lt_account_reallocate(account, column->values, lt_kind_lane_bytes(column->type->kind) * column->capacity, 0);
    }
    if (account != NULL) {
        lt_account_reallocate(account, store->places, sizeof *store->places * store->places_capacity, 0);
        lt_arena_deinit(&store->arena);
    }
    *store = (lt_row_store){.arena = store->arena};
}
