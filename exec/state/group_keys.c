#include "exec/state/group_keys.h"

#include <math.h>

// ------------------------------------------------------------------------------------------------------------- layout

enum { PACKED_HEAD = 2, STRUCT_DEPTH_MAX = 3 };
_Static_assert(LT_KEY_NODES_MAX <= 8 * PACKED_HEAD, "a NULL bit for each node");

// false: the type has no packed form, or there is no room.
static bool node_add(lt_key_layout *layout, const lt_type *type, uint32_t *used, uint32_t depth) {
    if (layout->node_count == LT_KEY_NODES_MAX || depth > STRUCT_DEPTH_MAX) return false;
    uint32_t number = layout->node_count++;
    if (type->kind == LT_STRUCT) {
        layout->nodes[number] = (lt_key_node){.kind = LT_STRUCT};
        for (uint32_t i = 0; i < type->field_count; i++)
            if (!node_add(layout, type->fields[i].type, used, depth + 1)) return false;
    } else {
        size_t lane_bytes = lt_kind_lane_bytes(type->kind);
        if (lt_kind_is_bytes(type->kind) || lt_kind_is_nested(type->kind) || lane_bytes == 0 ||
            *used + lane_bytes > LT_KEY_BYTES_MAX)
            return false;
        layout->nodes[number] =
            (lt_key_node){.kind = (uint8_t)type->kind, .offset = (uint8_t)*used, .lane_bytes = (uint8_t)lane_bytes};
        *used += (uint32_t)lane_bytes;
    }
    layout->nodes[number].end = layout->node_count;
    return true;
}

void lt_key_layout_init(lt_key_layout *layout, const lt_type *const *types, uint32_t type_count) {
    *layout = (lt_key_layout){.form = LT_KEY_BYTES, .key_bytes = sizeof(lt_string)};
    if (type_count == 1 && lt_kind_is_bytes(types[0]->kind)) {
        layout->form     = LT_KEY_STRING;
        layout->nodes[0] = (lt_key_node){.kind = (uint8_t)types[0]->kind, .end = 1};
        return;
    }
    uint32_t used = PACKED_HEAD;
    for (uint32_t i = 0; i < type_count; i++)
        if (!node_add(layout, types[i], &used, 0)) return;
    if (type_count == 0) return;
    if (layout->node_count == 1 && layout->nodes[0].lane_bytes > 0 && layout->nodes[0].lane_bytes <= 8) {
        layout->form            = LT_KEY_FIXED8;
        layout->key_bytes       = 8;
        layout->nodes[0].offset = 0;
        return;
    }
    layout->form      = used <= 16 ? LT_KEY_PACKED16 : LT_KEY_PACKED32;
    layout->key_bytes = used <= 16 ? 16 : 32;
}

// --------------------------------------------------------------------------------------------------------------- pack

// Rows of a vector, one after the other: rows[first + i], or first + i.
typedef struct row_numbers {
    const uint16_t *rows;
    const uint32_t *lanes; // of a part of a struct: lanes of the struct; then `rows` is not looked at
    uint32_t        first, count;
} row_numbers;

static inline uint32_t row_at(const row_numbers *self, uint32_t i) {
    return self->lanes != NULL ? self->lanes[i] : self->rows != NULL ? self->rows[self->first + i] : self->first + i;
}

static inline uint64_t float_bits(float value) {
    uint32_t bits;
    value = isnan(value) ? NAN : value + 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline uint64_t double_bits(double value) {
    uint64_t bits;
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void nulls_note(const lt_vector *vector, const row_numbers *numbers, lt_key_block *block) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    if (lanes->validity == NULL && lanes->type->kind != LT_VOID) return;
    uint64_t any = 0;
    if (vector->form == LT_FLAT && lanes->validity != NULL && numbers->rows == NULL && numbers->first % 64 == 0) {
        const uint64_t *words = lanes->validity + numbers->first / 64;
        const uint32_t  whole = numbers->count / 64, rest = numbers->count % 64;
        for (uint32_t w = 0; w < whole; w++) any |= block->nulls[w] = ~words[w];
        if (rest > 0) any |= block->nulls[whole] = ~words[whole] & ((UINT64_C(1) << rest) - 1);
        block->has_null = any != 0;
        return;
    }
    memset(block->nulls, 0, sizeof block->nulls);
    for (uint32_t i = 0; i < numbers->count; i++) {
        uint64_t is_null = lt_vector_is_null(vector, row_at(numbers, i));
        block->nulls[i / 64] |= is_null << (i % 64);
        any |= is_null;
    }
    block->has_null = any != 0;
}

static void fixed_pack(const lt_key_layout *layout, const lt_vector *vector, const row_numbers *numbers,
                       uint64_t *restrict out, lt_key_block *block) {
    const void *values = lt_vector_lanes(vector)->values;
    nulls_note(vector, numbers, block);
    block->keys = out;
    if (values == NULL) return; // of a bare NULL
    bool is_plain = vector->form == LT_FLAT && numbers->rows == NULL;
#define PACK(lane_type, expression)                                                                                    \
    if (is_plain) {                                                                                                    \
        const lane_type *from = (const lane_type *)values + numbers->first;                                            \
        for (uint32_t i = 0; i < numbers->count; i++) {                                                                \
            lane_type x = from[i];                                                                                     \
            out[i]      = (expression);                                                                                \
        }                                                                                                              \
    } else {                                                                                                           \
        for (uint32_t i = 0; i < numbers->count; i++) {                                                                \
            lane_type x = ((const lane_type *)values)[lt_vector_lane(vector, row_at(numbers, i))];                     \
            out[i]      = (expression);                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    return
    switch (layout->nodes[0].kind) {
    case LT_FLOAT:
        PACK(float, float_bits(x));
    case LT_DOUBLE:
        PACK(double, double_bits(x));
    default:
        break;
    }
    switch (layout->nodes[0].lane_bytes) {
    case 1:
        PACK(uint8_t, x);
    case 2:
        PACK(uint16_t, x);
    case 4:
        PACK(uint32_t, x);
    default:
        if (is_plain) {
            block->keys = (const uint64_t *)values + numbers->first;
            return;
        }
        PACK(uint64_t, x);
    }
#undef PACK
}

typedef struct string_words {
    uint64_t words[2];
} string_words;
_Static_assert(sizeof(string_words) == sizeof(lt_string), "an lt_string is two words");

// Bits of an lt_string that count, by its length; beyond the inline ones all do.
#define WORDS_OF(low, high)                                                                                            \
    {                                                                                                                  \
        { UINT64_C(0x##low##ffffffff), UINT64_C(0x##high) }                                                            \
    }
static const string_words string_masks[LT_STRING_INLINE_MAX + 2] = {
    WORDS_OF(00000000, 0000000000000000), WORDS_OF(000000ff, 0000000000000000), WORDS_OF(0000ffff, 0000000000000000),
    WORDS_OF(00ffffff, 0000000000000000), WORDS_OF(ffffffff, 0000000000000000), WORDS_OF(ffffffff, 00000000000000ff),
    WORDS_OF(ffffffff, 000000000000ffff), WORDS_OF(ffffffff, 0000000000ffffff), WORDS_OF(ffffffff, 00000000ffffffff),
    WORDS_OF(ffffffff, 000000ffffffffff), WORDS_OF(ffffffff, 0000ffffffffffff), WORDS_OF(ffffffff, 00ffffffffffffff),
    WORDS_OF(ffffffff, ffffffffffffffff), WORDS_OF(ffffffff, ffffffffffffffff),
};
#undef WORDS_OF

static inline string_words string_canonical(const lt_string *string) {
    string_words words;
    memcpy(&words, string, sizeof words);
    uint32_t            length = (uint32_t)words.words[0];
    const string_words *mask =
        &string_masks[length > LT_STRING_INLINE_MAX ? (uint32_t)LT_STRING_INLINE_MAX + 1 : length];
    words.words[0] &= mask->words[0];
    words.words[1] &= mask->words[1];
    return words;
}

static void string_pack(const lt_vector *vector, const row_numbers *numbers, string_words *restrict out,
                        lt_key_block *block) {
    const lt_string *values = lt_vector_lanes(vector)->values;
    uint32_t         length = 0;
    nulls_note(vector, numbers, block);
    block->keys = out;
    if (values == NULL) return;
    if (vector->form == LT_FLAT && numbers->rows == NULL && !block->has_null) {
        for (uint32_t i = 0; i < numbers->count; i++) {
            out[i] = string_canonical(&values[numbers->first + i]);
            length |= (uint32_t)out[i].words[0] + (15 - LT_STRING_INLINE_MAX);
        }
    } else {
        for (uint32_t i = 0; i < numbers->count; i++) {
            if ((block->nulls[i / 64] >> (i % 64) & 1) != 0 && block->has_null) continue; // its length may be anything
            out[i] = string_canonical(&values[lt_vector_lane(vector, row_at(numbers, i))]);
            length |= (uint32_t)out[i].words[0] + (15 - LT_STRING_INLINE_MAX);
        }
    }
    block->has_long = length > 15; // some length + 3 has a bit above the lowest four: it is 13 or more
}

// Copies the lanes of one node and of its parts into the keys, unless they are NULL.
static void node_pack(const lt_key_layout *layout, uint32_t number, const lt_vector *vector, const row_numbers *numbers,
                      const uint8_t *is_dead, char *out) {
    const lt_key_node *node   = &layout->nodes[number];
    const lt_vector   *lanes  = lt_vector_lanes(vector);
    const size_t       stride = layout->key_bytes;
    const char        *values = lanes->values;
    uint32_t           lane_of[LT_KEY_BLOCK_ROWS / 4];
    uint8_t            dead[LT_KEY_BLOCK_ROWS / 4];
    // In quarters of a block, which keeps the frames of nested structs small.
    lt_assert(numbers->count <= LT_KEY_BLOCK_ROWS / 4);
    bool has_dead = false;
    for (uint32_t i = 0; i < numbers->count; i++) {
        lane_of[i]      = lt_vector_lane(vector, row_at(numbers, i));
        bool  was_dead  = is_dead != NULL && is_dead[i];
        bool  is_null   = !was_dead && lt_lane_is_null(lanes, lane_of[i]);
        char *key       = out + stride * i;
        key[number / 8] = (char)(key[number / 8] | is_null << (number % 8));
        dead[i]         = was_dead || is_null;
        has_dead |= dead[i];
    }
    if (node->kind == LT_STRUCT) {
        row_numbers parts = {.lanes = lane_of, .count = numbers->count};
        for (uint32_t part = number + 1, c = 0; part < node->end; part = layout->nodes[part].end, c++)
            node_pack(layout, part, &lanes->children[c], &parts, has_dead ? dead : NULL, out);
        return;
    }
    if (values == NULL) return;
    char *at = out + node->offset;
    for (uint32_t i = 0; i < numbers->count; i++, at += stride) {
        if (dead[i]) continue;
        const char *from = values + (size_t)node->lane_bytes * lane_of[i];
        uint64_t    bits;
        switch (node->kind == LT_FLOAT || node->kind == LT_DOUBLE ? 0 : node->lane_bytes) {
        case 0:
            bits = node->kind == LT_FLOAT ? float_bits(((const float *)values)[lane_of[i]])
                                          : double_bits(((const double *)values)[lane_of[i]]);
            memcpy(at, &bits, node->lane_bytes);
            break;
        case 1:
            *at = *from;
            break;
        case 2:
            memcpy(at, from, 2);
            break;
        case 4:
            memcpy(at, from, 4);
            break;
        case 8:
            memcpy(at, from, 8);
            break;
        default:
            memcpy(at, from, 16);
            break;
        }
    }
}

static leat_status bytes_pack(const lt_vector *columns, uint32_t column_count, const row_numbers *numbers,
                              lt_string *out, lt_buffer *bytes, lt_key_block *block, leat_error *err) {
    size_t ends[LT_KEY_BLOCK_ROWS / 4 + 1];
    lt_assert(numbers->count <= LT_KEY_BLOCK_ROWS / 4);
    ends[0] = bytes->bytes;
    for (uint32_t i = 0; i < numbers->count; i++) {
        LT_TRY(lt_row_encode(columns, column_count, row_at(numbers, i), true, bytes, err));
        ends[i + 1] = bytes->bytes;
        block->has_long |= ends[i + 1] - ends[i] > LT_STRING_INLINE_MAX;
    }
    // Offsets until all rows of the block are written, since the buffer may move.
    for (uint32_t i = 0; i < numbers->count; i++) {
        out[i]         = (lt_string){.bytes = (uint32_t)(ends[i + 1] - ends[i])};
        out[i].as.data = (const char *)(uintptr_t)ends[i];
    }
    return LEAT_OK;
}

leat_status lt_keys_pack(const lt_key_layout *layout, const lt_vector *columns, uint32_t column_count,
                         const uint16_t *rows, uint32_t first, uint32_t count, void *lanes, lt_buffer *bytes,
                         lt_key_block *block, leat_error *err) {
    row_numbers numbers = {.rows = rows, .first = first, .count = count};
    *block              = (lt_key_block){.keys = lanes};
    lt_assert(count <= LT_KEY_BLOCK_ROWS);
    switch (layout->form) {
    case LT_KEY_FIXED8:
        fixed_pack(layout, columns, &numbers, lanes, block);
        return LEAT_OK;
    case LT_KEY_STRING:
        string_pack(columns, &numbers, lanes, block);
        return LEAT_OK;
    case LT_KEY_PACKED16:
    case LT_KEY_PACKED32:
        memset(lanes, 0, (size_t)layout->key_bytes * count);
        break;
    default:
        lt_buffer_reset(bytes);
        break;
    }
    for (uint32_t done = 0; done < count; done += numbers.count) {
        numbers.first = first + done;
        numbers.count = count - done < LT_KEY_BLOCK_ROWS / 4 ? count - done : LT_KEY_BLOCK_ROWS / 4;
        char *out     = (char *)lanes + (size_t)layout->key_bytes * done;
        if (layout->form == LT_KEY_BYTES) {
            LT_TRY(bytes_pack(columns, column_count, &numbers, (lt_string *)(void *)out, bytes, block, err));
            continue;
        }
        for (uint32_t node = 0, c = 0; node < layout->node_count; node = layout->nodes[node].end, c++)
            node_pack(layout, node, &columns[c], &numbers, NULL, out);
    }
    if (layout->form != LT_KEY_BYTES) return LEAT_OK;
    lt_string *keys = lanes;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = lt_string_view(keys[i].bytes == 0 ? "" : bytes->data + (uintptr_t)keys[i].as.data, keys[i].bytes);
    return LEAT_OK;
}

// ----------------------------------------------------------------------------------------------------- canonical bytes

static bool node_is_null(const char *key, uint32_t number) { return ((key[number / 8] >> (number % 8)) & 1) != 0; }

leat_status lt_key_encode(const lt_key_layout *layout, const void *key, lt_buffer *out, leat_error *err) {
    const char *bytes = key;
    if (key == NULL) return lt_buffer_append_byte(out, 0, err);
    switch (layout->form) {
    case LT_KEY_FIXED8:
        LT_TRY(lt_buffer_append_byte(out, (char)layout->nodes[0].kind, err));
        return lt_buffer_append(out, key, layout->nodes[0].lane_bytes, err);
    case LT_KEY_STRING: {
        const lt_string *string = key;
        LT_TRY(lt_buffer_append_byte(out, (char)layout->nodes[0].kind, err));
        LT_TRY(lt_buffer_append(out, &string->bytes, 4, err));
        return lt_buffer_append(out, lt_string_data(string), string->bytes, err);
    }
    case LT_KEY_BYTES: {
        const lt_string *string = key;
        return lt_buffer_append(out, lt_string_data(string), string->bytes, err);
    }
    default:
        break;
    }
    for (uint32_t n = 0; n < layout->node_count;) {
        const lt_key_node *node = &layout->nodes[n];
        if (node_is_null(bytes, n)) {
            LT_TRY(lt_buffer_append_byte(out, 0, err));
            n = node->end;
            continue;
        }
        LT_TRY(lt_buffer_append_byte(out, (char)node->kind, err));
        if (node->lane_bytes > 0) LT_TRY(lt_buffer_append(out, bytes + node->offset, node->lane_bytes, err));
        n++;
    }
    return LEAT_OK;
}

static leat_status does_not_fit(leat_error *err) {
    return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "an encoded key does not fit its types");
}

leat_status lt_key_decode(const lt_key_layout *layout, const char *bytes, size_t count, void *out_key,
                          bool *out_is_null, leat_error *err) {
    const char *end = bytes + count;
    char       *out = out_key;
    *out_is_null    = false;
    memset(out_key, 0, layout->key_bytes);
    if (layout->form == LT_KEY_BYTES) {
        if (count > LT_VALUE_BYTES_MAX) return does_not_fit(err);
        *(lt_string *)out_key = lt_string_view(bytes, count);
        return LEAT_OK;
    }
    if (layout->form == LT_KEY_STRING || layout->form == LT_KEY_FIXED8) {
        if (count == 1 && bytes[0] == 0) {
            *out_is_null = true;
            return LEAT_OK;
        }
        if (count == 0 || bytes[0] != (char)layout->nodes[0].kind) return does_not_fit(err);
    }
    if (layout->form == LT_KEY_STRING) {
        uint32_t length = 0;
        if (count < 5) return does_not_fit(err);
        memcpy(&length, bytes + 1, 4);
        if (length != count - 5) return does_not_fit(err);
        *(lt_string *)out_key = lt_string_view(bytes + 5, length);
        return LEAT_OK;
    }
    for (uint32_t n = 0; n < layout->node_count;) {
        const lt_key_node *node = &layout->nodes[n];
        if (bytes == end || (*bytes != 0 && *bytes != (char)node->kind)) return does_not_fit(err);
        if (*bytes++ == 0) {
            out[n / 8] = (char)(out[n / 8] | 1 << (n % 8));
            n          = node->end;
            continue;
        }
        if ((size_t)(end - bytes) < node->lane_bytes) return does_not_fit(err);
        if (node->lane_bytes > 0) memcpy(out + node->offset, bytes, node->lane_bytes);
        bytes += node->lane_bytes;
        n++;
    }
    return bytes == end ? LEAT_OK : does_not_fit(err);
}

// ------------------------------------------------------------------------------------------------------------- columns

static leat_status node_unpack(const lt_key_layout *layout, uint32_t number, const char *key, bool is_dead,
                               lt_vector *vector, uint32_t lane, lt_arena *arena, leat_error *err) {
    const lt_key_node *node = &layout->nodes[number];
    is_dead |= node_is_null(key, number);
    if (is_dead)
        LT_TRY(lt_vector_set_null(vector, lane, arena, err));
    else
        lt_vector_set_valid(vector, lane);
    if (node->lane_bytes > 0)
        memcpy((char *)vector->values + (size_t)node->lane_bytes * lane, key + node->offset, node->lane_bytes);
    for (uint32_t part = number + 1, c = 0; part < node->end; part = layout->nodes[part].end, c++)
        LT_TRY(node_unpack(layout, part, key, is_dead, &vector->children[c], lane, arena, err));
    return LEAT_OK;
}

leat_status lt_key_unpack(const lt_key_layout *layout, const void *key, lt_vector *columns, uint32_t column_count,
                          uint32_t lane, lt_arena *arena, leat_error *err) {
    switch (layout->form) {
    case LT_KEY_FIXED8:
    case LT_KEY_STRING: {
        size_t lane_bytes = layout->form == LT_KEY_STRING ? sizeof(lt_string) : layout->nodes[0].lane_bytes;
        if (key == NULL) return lt_vector_set_null(columns, lane, arena, err);
        lt_vector_set_valid(columns, lane);
        memcpy((char *)columns->values + lane_bytes * lane, key, lane_bytes);
        return LEAT_OK;
    }
    case LT_KEY_BYTES: {
        const lt_string *string = key;
        lt_assert(column_count == 0 || columns[0].lanes == lane);
        return lt_row_decode(lt_string_data(string), string->bytes, columns, column_count, arena, err);
    }
    default:
        for (uint32_t node = 0, c = 0; node < layout->node_count; node = layout->nodes[node].end, c++)
            LT_TRY(node_unpack(layout, node, key, false, &columns[c], lane, arena, err));
        return LEAT_OK;
    }
}
