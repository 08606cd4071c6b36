#include "exec/state/row_index.h"

#include "exec/state/key_hash.h"

// Making goes from the last row to the first, so that each row put before the others of its key leaves them in the order
// of arrival. A slot holds the upper half of the hash beside the row; as rows are known beforehand, at least half of the
// slots are empty, and keys are compared when tags are equal. A block of keys is looked up in passes: tags, slots, keys;
// what a pass needs is asked for in the one before.
//
// Keys alone are put together whenever room runs out: repeats leave, and there is more room only if half of it is needed.

enum {
    PUT_TOGETHER_MIN    = 64 * 1024,
    ROWS_MAX            = 1 << 30,
    CAPACITY_MIN        = 256,
    SLOT_CAPACITY_MIN   = 64,
    DIRECT_WIDTH_MIN    = 4096,
    DIRECT_PER_ROW      = 8, // heads of 4 bytes: no more than slots would take
    DIRECT_BITS_PER_ROW = 256,
    DIRECT_WIDTH_MAX    = 1 << 30,
    FAR_SLOTS_MIN       = 256 * 1024 / 8 // from here on memory is asked for ahead
};

typedef enum row_kind { ROW_OF_KEY, ROW_OF_NULL, ROW_ABSENT } row_kind;

typedef struct workspace {
    char     lanes[LT_KEY_BLOCK_ROWS * LT_KEY_BYTES_MAX];
    uint32_t tags[LT_KEY_BLOCK_ROWS];
    uint32_t found[LT_KEY_BLOCK_ROWS];
} workspace;

void lt_row_index_init(lt_row_index *index, lt_account *account, const lt_type *const *types, uint32_t type_count,
                       bool is_of_keys, uint64_t secret) {
    *index = (lt_row_index){.account = account, .tag_mask = UINT32_MAX, .is_of_keys = is_of_keys};
    lt_key_secrets_init(index->secrets, secret);
    lt_key_layout_init(&index->layout, types, type_count);
    lt_arena_init(&index->strings, account);
    lt_buffer_init(&index->scratch, account, 0);
}

static void slots_free(lt_row_index *index) {
    lt_account_reallocate(index->account, index->slots, sizeof *index->slots * index->slot_capacity, 0);
    index->slots         = NULL;
    index->slot_capacity = 0;
}

static void keys_free(lt_row_index *index) {
    lt_account_reallocate(index->account, index->keys, (size_t)index->layout.key_bytes * index->capacity, 0);
    index->keys = NULL;
}

static size_t bit_words(uint32_t width) { return width / 64 + 1u; }

static void bits_free(lt_row_index *index) {
    if (index->bits != NULL)
        lt_account_reallocate(index->account, index->bits, sizeof *index->bits * bit_words(index->width), 0);
    index->bits = NULL;
}

void lt_row_index_deinit(lt_row_index *index) {
    lt_account *account = index->account;
    if (account == NULL) return;
    slots_free(index);
    if (index->keys != NULL) keys_free(index);
    lt_account_reallocate(account, index->kinds, index->kinds == NULL ? 0 : index->capacity, 0);
    lt_account_reallocate(account, index->next, index->next == NULL ? 0 : sizeof *index->next * index->count, 0);
    if (index->heads != NULL)
        lt_account_reallocate(account, index->heads, sizeof *index->heads * (index->width + 1u), 0);
    bits_free(index);
    lt_account_reallocate(account, index->block, index->block == NULL ? 0 : sizeof(workspace), 0);
    lt_arena_deinit(&index->strings);
    lt_buffer_deinit(&index->scratch);
    *index = (lt_row_index){0};
}

static leat_status workspace_of(lt_row_index *index, workspace **out, leat_error *err) {
    if (index->block == NULL) index->block = lt_account_reallocate(index->account, NULL, 0, sizeof(workspace));
    *out = index->block;
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

static inline bool is_null_at(const lt_key_block *block, uint32_t i) {
    return ((block->nulls[i / 64] >> (i % 64)) & 1) != 0;
}

static inline const char *key_at(const lt_row_index *index, uint32_t row) {
    return index->keys + (size_t)index->layout.key_bytes * row;
}

// --------------------------------------------------------------------------------------------------------------- hashed

static inline uint32_t slot_tag(uint64_t slot) { return (uint32_t)(slot >> 32); }

static leat_status slots_new(lt_row_index *index, leat_error *err) {
    uint32_t capacity = SLOT_CAPACITY_MIN;
    while (capacity < 2 * index->count) capacity *= 2;
    index->slots = lt_account_reallocate(index->account, NULL, 0, sizeof *index->slots * capacity);
    if (index->slots == NULL) return lt_raise_no_memory(err);
    memset(index->slots, 0, sizeof *index->slots * capacity);
    index->slot_capacity = capacity;
    index->shift         = 32 - (uint32_t)__builtin_ctz(capacity);
    return LEAT_OK;
}

// Puts the rows [first, first + count) before those that are in the slots; of a key that is there the row takes its
// place and, of rows with numbers, points at it.
static inline void slots_put(lt_row_index *index, workspace *work, uint32_t first, uint32_t count, lt_key_shape shape) {
    const uint32_t mask = index->slot_capacity - 1;
    for (uint32_t i = 0; i < count; i++)
        work->tags[i] = lt_key_tag(index->secrets, key_at(index, first + i), shape) & index->tag_mask;
    if (index->slot_capacity >= FAR_SLOTS_MIN)
        for (uint32_t i = count; i-- > 0;) __builtin_prefetch(&index->slots[work->tags[i] >> index->shift], 1);
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t row = first + i, tag = work->tags[i];
        uint32_t       at = tag >> index->shift;
        if (index->kinds != NULL && index->kinds[row] != ROW_OF_KEY) continue;
        while (index->slots[at] != 0 &&
               !(slot_tag(index->slots[at]) == tag &&
                 lt_keys_equal(key_at(index, (uint32_t)index->slots[at] - 1), key_at(index, row), shape)))
            at = (at + 1) & mask;
        if (index->next != NULL) index->next[row] = (uint32_t)index->slots[at];
        index->has_repeats |= index->slots[at] != 0;
        index->slots[at] = (uint64_t)tag << 32 | (row + 1u);
    }
}

static leat_status hashed_make(lt_row_index *index, workspace *work, leat_error *err) {
    LT_TRY(slots_new(index, err));
    for (uint32_t end = index->count; end > 0;) {
        const uint32_t part = end < LT_KEY_BLOCK_ROWS ? end : LT_KEY_BLOCK_ROWS;
        end -= part;
        switch (lt_key_shape_of(&index->layout)) {
        case LT_KEY_WORDS_1:
            slots_put(index, work, end, part, LT_KEY_WORDS_1);
            break;
        case LT_KEY_WORDS_2:
            slots_put(index, work, end, part, LT_KEY_WORDS_2);
            break;
        case LT_KEY_WORDS_4:
            slots_put(index, work, end, part, LT_KEY_WORDS_4);
            break;
        default:
            slots_put(index, work, end, part, LT_KEY_STRINGS);
            break;
        }
    }
    return LEAT_OK;
}

static uint32_t find_one(const lt_row_index *index, const char *key, uint32_t tag, lt_key_shape shape) {
    const uint32_t mask = index->slot_capacity - 1;
    for (uint32_t at = tag >> index->shift; index->slots[at] != 0; at = (at + 1) & mask) {
        const uint64_t slot = index->slots[at];
        if (slot_tag(slot) == tag && lt_keys_equal(key, key_at(index, (uint32_t)slot - 1), shape))
            return (uint32_t)slot;
    }
    return 0;
}

static inline void hashed_find(const lt_row_index *index, workspace *work, const char *keys, uint32_t count,
                               uint32_t *restrict out, lt_key_shape shape) {
    const uint64_t *slots = index->slots;
    const uint32_t  mask = index->slot_capacity - 1, shift = index->shift;
    const size_t    key_bytes = lt_key_shape_bytes(shape);
    const bool      is_far    = index->slot_capacity >= FAR_SLOTS_MIN;
    for (uint32_t i = 0; i < count; i++) {
        work->tags[i] = lt_key_tag(index->secrets, keys + key_bytes * i, shape) & index->tag_mask;
        if (is_far) __builtin_prefetch(&slots[work->tags[i] >> shift]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at   = work->tags[i] >> shift;
        uint64_t slot = slots[at];
        while (slot != 0 && slot_tag(slot) != work->tags[i]) slot = slots[at = (at + 1) & mask];
        work->found[i] = (uint32_t)slot;
        if (is_far && slot != 0) __builtin_prefetch(key_at(index, (uint32_t)slot - 1));
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t found = work->found[i];
        out[i]               = found;
        if (found != 0 && !lt_keys_equal(keys + key_bytes * i, key_at(index, found - 1), shape))
            out[i] = find_one(index, keys + key_bytes * i, work->tags[i], shape);
    }
}

// --------------------------------------------------------------------------------------------------------------- direct

static bool is_whole_number(const lt_key_layout *layout) {
    return layout->form == LT_KEY_FIXED8 && layout->nodes[0].kind != LT_FLOAT && layout->nodes[0].kind != LT_DOUBLE;
}

// The narrowest range of all keys; false: there are none, or it is too wide to be an array.
static bool range_find(lt_row_index *index) {
    const uint32_t unused_bits = 64 - 8u * index->layout.nodes[0].lane_bytes;
    int64_t        least = INT64_MAX, most = INT64_MIN;
    for (uint32_t row = 0; row < index->count; row++) {
        if (index->kinds != NULL && index->kinds[row] != ROW_OF_KEY) continue;
        const int64_t key = (int64_t)(lt_key_word(key_at(index, row), 0) << unused_bits) >> unused_bits;
        least             = key < least ? key : least;
        most              = key > most ? key : most;
    }
    if (least > most) return false;
    const uint64_t width = (uint64_t)most - (uint64_t)least, rows = index->count;
    uint64_t       limit = rows * (index->is_of_keys ? DIRECT_BITS_PER_ROW : DIRECT_PER_ROW);
    if (limit < DIRECT_WIDTH_MIN) limit = DIRECT_WIDTH_MIN;
    if (limit > DIRECT_WIDTH_MAX) limit = DIRECT_WIDTH_MAX;
    if (width >= limit) return false;
    index->base     = (uint64_t)least;
    index->key_mask = UINT64_MAX >> unused_bits;
    index->width    = (uint32_t)width + 1;
    return true;
}

static inline uint64_t direct_at(const lt_row_index *index, const void *key) {
    return (lt_key_word(key, 0) - index->base) & index->key_mask;
}

static leat_status bits_make(lt_row_index *index, leat_error *err) {
    index->bits = lt_account_reallocate(index->account, NULL, 0, sizeof *index->bits * bit_words(index->width));
    if (index->bits == NULL) return lt_raise_no_memory(err);
    memset(index->bits, 0, sizeof *index->bits * bit_words(index->width));
    for (uint32_t row = 0; row < index->count; row++) {
        const uint64_t at = direct_at(index, key_at(index, row));
        index->bits[at / 64] |= UINT64_C(1) << (at % 64);
    }
    return LEAT_OK;
}

static leat_status heads_make(lt_row_index *index, leat_error *err) {
    index->heads = lt_account_reallocate(index->account, NULL, 0, sizeof *index->heads * (index->width + 1u));
    if (index->heads == NULL) return lt_raise_no_memory(err);
    memset(index->heads, 0, sizeof *index->heads * (index->width + 1u));
    for (uint32_t row = index->count; row-- > 0;) {
        if (index->kinds != NULL && index->kinds[row] != ROW_OF_KEY) continue;
        const uint64_t at = direct_at(index, key_at(index, row));
        index->next[row]  = index->heads[at];
        index->has_repeats |= index->heads[at] != 0;
        index->heads[at] = row + 1;
    }
    return LEAT_OK;
}

static void direct_find(const lt_row_index *index, const uint64_t *restrict keys, uint32_t count,
                        uint32_t *restrict out) {
    const uint64_t base = index->base, mask = index->key_mask, width = index->width;
    if (index->is_of_keys) {
        const uint64_t *restrict bits = index->bits;
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t at = (keys[i] - base) & mask, in = at < width ? at : width; // whose bit is never set
            out[i] = (uint32_t)(bits[in / 64] >> (in % 64)) & 1;
        }
        return;
    }
    const uint32_t *restrict heads = index->heads;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t at = (keys[i] - base) & mask;
        out[i]            = heads[at < width ? at : width];
    }
}

// ------------------------------------------------------------------------------------------------------------------ add

static leat_status capacity_set(lt_row_index *index, uint32_t capacity, leat_error *err) {
    const size_t old = index->capacity;
    if (capacity > ROWS_MAX) return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "more than a billion rows to keep");
    lt_account_array arrays[2] = {{index->keys, index->layout.key_bytes}, {index->kinds, sizeof *index->kinds}};
    for (uint32_t i = 0; i < (index->kinds == NULL ? 1u : 2u); i++) {
        void *memory = lt_account_reallocate(index->account, arrays[i].memory, arrays[i].item_bytes * old,
                                             arrays[i].item_bytes * capacity);
        if (memory == NULL && i == 1) // the keys take back their old length
            index->keys = lt_account_reallocate(index->account, index->keys, index->layout.key_bytes * (size_t)capacity,
                                                index->layout.key_bytes * old);
        if (memory == NULL) return lt_raise_no_memory(err);
        if (i == 0) index->keys = memory;
        if (i == 1) index->kinds = memory;
    }
    index->capacity = capacity;
    return LEAT_OK;
}

// Bytes of texts move into `arena`.
static leat_status strings_own(lt_row_index *index, lt_arena *arena, uint32_t first, uint32_t count, leat_error *err) {
    for (uint32_t row = first; row < first + count; row++) {
        lt_string *key = (lt_string *)(void *)(index->keys + sizeof *key * row);
        if ((index->kinds != NULL && index->kinds[row] != ROW_OF_KEY) || key->bytes <= LT_STRING_INLINE_MAX) continue;
        char *bytes = lt_arena_alloc(arena, key->bytes);
        if (bytes == NULL) return lt_raise_no_memory(err);
        memcpy(bytes, key->as.data, key->bytes);
        key->as.data = bytes;
    }
    return LEAT_OK;
}

// Whole numbers in a narrow range; the keys are in order then.
static leat_status numbers_put_together(lt_row_index *index, leat_error *err) {
    uint64_t *keys = (uint64_t *)(void *)index->keys;
    uint32_t  kept = 0;
    LT_TRY(bits_make(index, err));
    for (uint32_t word = 0; word < bit_words(index->width); word++)
        for (uint64_t bits = index->bits[word]; bits != 0; bits &= bits - 1)
            keys[kept++] = (index->base + 64 * (uint64_t)word + (uint32_t)__builtin_ctzll(bits)) & index->key_mask;
    bits_free(index);
    index->count = kept;
    return LEAT_OK;
}

static leat_status others_put_together(lt_row_index *index, leat_error *err) {
    workspace   *work;
    const size_t key_bytes = index->layout.key_bytes;
    uint32_t     kept      = 0;
    LT_TRY(workspace_of(index, &work, err));
    LT_TRY(hashed_make(index, work, err));
    uint8_t *marks = lt_account_reallocate(index->account, NULL, 0, index->count); // by row: it is in a slot
    if (marks == NULL) return lt_raise_no_memory(err);
    memset(marks, 0, index->count);
    for (uint32_t at = 0; at < index->slot_capacity; at++)
        if (index->slots[at] != 0) marks[(uint32_t)index->slots[at] - 1] = 1;
    for (uint32_t row = 0; row < index->count; row++)
        if (marks[row]) memmove(index->keys + key_bytes * kept++, key_at(index, row), key_bytes);
    lt_account_reallocate(index->account, marks, index->count, 0);
    slots_free(index);
    index->count = kept;
    if (lt_key_shape_of(&index->layout) != LT_KEY_STRINGS) return LEAT_OK;
    lt_arena strings;
    lt_arena_init(&strings, index->account);
    leat_status status = strings_own(index, &strings, 0, kept, err);
    lt_arena_deinit(status == LEAT_OK ? &index->strings : &strings);
    if (status == LEAT_OK)
        index->strings = strings;
    else
        index->count = 0; // it can only be closed
    return status;
}

// Keys alone: repeats leave, and their bytes.
static leat_status keys_put_together(lt_row_index *index, leat_error *err) {
    return is_whole_number(&index->layout) && range_find(index) ? numbers_put_together(index, err)
                                                                : others_put_together(index, err);
}

static leat_status rows_reserve(lt_row_index *index, uint32_t count, leat_error *err) {
    if (count <= index->capacity - index->count) return LEAT_OK;
    if (index->is_of_keys && index->capacity >= PUT_TOGETHER_MIN) {
        LT_TRY(keys_put_together(index, err));
        if (index->count <= index->capacity / 2 && count <= index->capacity - index->count) return LEAT_OK;
    }
    uint32_t capacity = index->capacity == 0 ? CAPACITY_MIN : index->capacity;
    while (capacity <= ROWS_MAX && count > capacity - index->count) capacity *= 2;
    return capacity_set(index, capacity, err);
}

static leat_status kind_set(lt_row_index *index, uint32_t row, row_kind kind, leat_error *err) {
    if (index->kinds == NULL) {
        index->kinds = lt_account_reallocate(index->account, NULL, 0, index->capacity);
        if (index->kinds == NULL) return lt_raise_no_memory(err);
        memset(index->kinds, ROW_OF_KEY, index->capacity);
    }
    index->kinds[row] = (uint8_t)kind;
    return LEAT_OK;
}

// Keys of a block behind the last ones. Rows with numbers get a lane whatever they are; of keys alone a NULL is noted.
static leat_status block_add(lt_row_index *index, const lt_key_block *block, uint32_t count, leat_error *err) {
    const size_t   key_bytes = index->layout.key_bytes;
    const uint32_t first     = index->count;
    uint32_t       added     = block->has_null ? 0 : count;
    if (!block->has_null) memcpy(index->keys + key_bytes * first, block->keys, key_bytes * count);
    if (index->kinds != NULL) memset(index->kinds + first, ROW_OF_KEY, count);
    for (uint32_t i = 0; block->has_null && i < count; i++) {
        const bool is_null = is_null_at(block, i);
        if (is_null && index->is_of_keys) {
            index->null_head = 1;
            continue;
        }
        char *key = index->keys + key_bytes * (first + added);
        if (is_null) {
            memset(key, 0, key_bytes); // it may be anything, but is hashed with the others
            LT_TRY(kind_set(index, first + added, ROW_OF_NULL, err));
        } else {
            memcpy(key, (const char *)block->keys + key_bytes * i, key_bytes);
        }
        added++;
    }
    if (block->has_long) LT_TRY(strings_own(index, &index->strings, first, added, err));
    index->count += added;
    return LEAT_OK;
}

leat_status lt_row_index_add(lt_row_index *index, const lt_vector *keys, uint32_t key_count, uint32_t count,
                             const uint16_t *rows, uint32_t found_count, leat_error *err) {
    const bool     is_any_absent = found_count < count;
    const uint32_t first = index->count, wanted = index->is_of_keys ? found_count : count;
    workspace     *work;
    lt_assert(!index->is_made && found_count <= count);
    LT_TRY(workspace_of(index, &work, err));
    LT_TRY(rows_reserve(index, wanted, err));
    for (uint32_t done = 0; done < wanted; done += LT_KEY_BLOCK_ROWS) {
        const uint32_t part = wanted - done < LT_KEY_BLOCK_ROWS ? wanted - done : LT_KEY_BLOCK_ROWS;
        lt_key_block   block;
        LT_TRY(lt_keys_pack(&index->layout, keys, key_count, index->is_of_keys && is_any_absent ? rows : NULL, done,
                            part, work->lanes, &index->scratch, &block, err));
        LT_TRY(block_add(index, &block, part, err));
    }
    if (index->is_of_keys || !is_any_absent) return LEAT_OK;
    for (uint32_t row = 0, i = 0; row < count; row++) {
        if (i < found_count && rows[i] == row)
            i++;
        else
            LT_TRY(kind_set(index, first + row, ROW_ABSENT, err));
    }
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------------------- make

leat_status lt_row_index_make(lt_row_index *index, leat_error *err) {
    workspace *work;
    lt_assert(!index->is_made);
    LT_TRY(workspace_of(index, &work, err));
    if (!index->is_of_keys && index->count > 0) {
        index->next = lt_account_reallocate(index->account, NULL, 0, sizeof *index->next * index->count);
        if (index->next == NULL) return lt_raise_no_memory(err);
    }
    for (uint32_t row = index->count; index->kinds != NULL && row-- > 0;) {
        if (index->kinds[row] != ROW_OF_NULL) continue;
        index->next[row] = index->null_head;
        index->has_repeats |= index->null_head != 0;
        index->null_head = row + 1;
    }
    index->is_made   = true;
    index->is_direct = is_whole_number(&index->layout) && range_find(index);
    if (!index->is_direct) return hashed_make(index, work, err);
    LT_TRY(index->is_of_keys ? bits_make(index, err) : heads_make(index, err));
    keys_free(index);
    return LEAT_OK;
}

static void block_find(const lt_row_index *index, workspace *work, const lt_key_block *block, uint32_t count,
                       uint32_t *out) {
    if (index->is_direct) {
        direct_find(index, block->keys, count, out);
        return;
    }
    switch (lt_key_shape_of(&index->layout)) {
    case LT_KEY_WORDS_1:
        hashed_find(index, work, block->keys, count, out, LT_KEY_WORDS_1);
        return;
    case LT_KEY_WORDS_4:
        hashed_find(index, work, block->keys, count, out, LT_KEY_WORDS_4);
        return;
    case LT_KEY_STRINGS:
        hashed_find(index, work, block->keys, count, out, LT_KEY_STRINGS);
        return;
    default:
        hashed_find(index, work, block->keys, count, out, LT_KEY_WORDS_2);
        return;
    }
}

leat_status lt_row_index_find(lt_row_index *index, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                              uint32_t count, uint32_t *out_heads, leat_error *err) {
    workspace *work;
    bool       is_constant = key_count > 0 && count > 1;
    lt_assert(index->is_made);
    LT_TRY(workspace_of(index, &work, err));
    for (uint32_t k = 0; k < key_count; k++) is_constant &= keys[k].form == LT_CONSTANT;
    const uint32_t wanted = is_constant ? 1 : count;
    for (uint32_t done = 0; done < wanted; done += LT_KEY_BLOCK_ROWS) {
        const uint32_t part = wanted - done < LT_KEY_BLOCK_ROWS ? wanted - done : LT_KEY_BLOCK_ROWS;
        uint32_t      *out  = out_heads + done;
        lt_key_block   block;
        LT_TRY(
            lt_keys_pack(&index->layout, keys, key_count, rows, done, part, work->lanes, &index->scratch, &block, err));
        if (block.has_null && index->layout.form == LT_KEY_STRING) // their lanes may be anything
            for (uint32_t i = 0; i < part; i++)
                if (is_null_at(&block, i)) memset(work->lanes + sizeof(lt_string) * i, 0, sizeof(lt_string));
        block_find(index, work, &block, part, out);
        for (uint32_t i = 0; block.has_null && i < part; i++)
            if (is_null_at(&block, i)) out[i] = index->null_head;
    }
    for (uint32_t i = wanted; i < count; i++) out_heads[i] = out_heads[0];
    return LEAT_OK;
}
