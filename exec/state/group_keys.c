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

// The columns of BYTES, when each is a text or a lane of fixed width.
static void plain_init(lt_key_layout *layout, const lt_type *const *types, uint32_t type_count) {
    *layout = (lt_key_layout){.form = LT_KEY_BYTES, .key_bytes = sizeof(lt_string)};
    if (type_count > LT_KEY_NODES_MAX) return;
    for (uint32_t i = 0; i < type_count; i++) {
        const lt_kind kind       = types[i]->kind;
        const size_t  lane_bytes = lt_kind_lane_bytes(kind);
        if (lt_kind_is_nested(kind) || lane_bytes == 0) return;
        layout->nodes[i] = (lt_key_node){.kind       = (uint8_t)kind,
                                         .lane_bytes = lt_kind_is_bytes(kind) ? 0 : (uint8_t)lane_bytes,
                                         .end        = (uint8_t)(i + 1)};
    }
    layout->node_count = (uint8_t)type_count;
    layout->is_plain   = type_count > 0;
}

void lt_key_layout_init(lt_key_layout *layout, const lt_type *const *types, uint32_t type_count) {
    *layout = (lt_key_layout){.key_bytes = sizeof(lt_string)};
    if (type_count == 1 && lt_kind_is_bytes(types[0]->kind)) {
        layout->form     = LT_KEY_STRING;
        layout->nodes[0] = (lt_key_node){.kind = (uint8_t)types[0]->kind, .end = 1};
        return;
    }
    uint32_t used = PACKED_HEAD;
    bool     fits = type_count > 0;
    for (uint32_t i = 0; fits && i < type_count; i++) fits = node_add(layout, types[i], &used, 0);
    if (!fits) {
        plain_init(layout, types, type_count);
        return;
    }
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

// Offsets until all rows of the block are written, since the buffer may move.
static lt_string bytes_key(size_t start, size_t end, lt_key_block *block) {
    lt_string key = {.bytes = (uint32_t)(end - start)};
    key.as.data   = (const char *)(uintptr_t)start;
    block->has_long |= end - start > LT_STRING_INLINE_MAX;
    return key;
}

static leat_status bytes_pack(const lt_vector *columns, uint32_t column_count, const row_numbers *numbers,
                              lt_string *out, lt_buffer *bytes, lt_key_block *block, leat_error *err) {
    for (uint32_t i = 0; i < numbers->count; i++) {
        const size_t start = bytes->bytes;
        LT_TRY(lt_row_encode(columns, column_count, row_at(numbers, i), true, bytes, err));
        out[i] = bytes_key(start, bytes->bytes, block);
    }
    return LEAT_OK;
}

enum { BYTES_NULL = 0, TEXT_HEAD = 5 }; // as lt_row_encode writes: 0, or the kind and, of a text, its length

// No less than the encoded rows take.
static size_t plain_bytes_max(const lt_key_layout *layout, const lt_vector *columns, const row_numbers *numbers) {
    size_t sum = 0;
    for (uint32_t c = 0; c < layout->node_count; c++) {
        const lt_vector *vector = &columns[c], *lanes = lt_vector_lanes(vector);
        const lt_string *texts = lanes->values;
        if (layout->nodes[c].lane_bytes > 0) {
            sum += (size_t)numbers->count * (1u + layout->nodes[c].lane_bytes);
            continue;
        }
        for (uint32_t i = 0; i < numbers->count; i++) {
            const uint32_t lane = lt_vector_lane(vector, row_at(numbers, i));
            sum += TEXT_HEAD + (lt_validity_is_set(lanes->validity, lane) ? texts[lane].bytes : 0);
        }
    }
    return sum;
}

// A lane that is not NULL behind its kind; the caller has room for 15 bytes more than it takes.
static inline char *plain_lane(const lt_key_node *node, const lt_vector *lanes, uint32_t lane, char *at) {
    uint64_t bits;
    *at++ = (char)node->kind;
    switch (node->lane_bytes) {
    case 0: {
        const lt_string *text = &LT_LANES(lanes, const lt_string)[lane];
        memcpy(at, &text->bytes, 4);
        if (text->bytes <= LT_STRING_INLINE_MAX)
            // In one piece: what is behind the text is written over.
            memcpy(at + 4, (const char *)text + offsetof(lt_string, prefix), LT_STRING_INLINE_MAX);
        else
            memcpy(at + 4, text->as.data, text->bytes);
        return at + 4 + text->bytes;
    }
    case 1:
        memcpy(at, &LT_LANES(lanes, const uint8_t)[lane], 1);
        break;
    case 2:
        memcpy(at, &LT_LANES(lanes, const uint16_t)[lane], 2);
        break;
    case 4:
        bits = node->kind == LT_FLOAT ? float_bits(LT_LANES(lanes, const float)[lane])
                                      : LT_LANES(lanes, const uint32_t)[lane];
        memcpy(at, &bits, 4);
        break;
    case 8:
        bits = node->kind == LT_DOUBLE ? double_bits(LT_LANES(lanes, const double)[lane])
                                       : LT_LANES(lanes, const uint64_t)[lane];
        memcpy(at, &bits, 8);
        break;
    default:
        memcpy(at, (const char *)lanes->values + (size_t)node->lane_bytes * lane, node->lane_bytes);
        break;
    }
    return at + node->lane_bytes;
}

// The bytes that lt_row_encode writes, without a call and a check for each value.
static leat_status plain_pack(const lt_key_layout *layout, const lt_vector *columns, const row_numbers *numbers,
                              lt_string *out, lt_buffer *bytes, lt_key_block *block, leat_error *err) {
    enum { SLACK = 16 };
    LT_TRY(lt_buffer_reserve(bytes, plain_bytes_max(layout, columns, numbers) + SLACK, err));
    char *at = bytes->data + bytes->bytes;
    for (uint32_t i = 0; i < numbers->count; i++) {
        const size_t   start = (size_t)(at - bytes->data);
        const uint32_t row   = row_at(numbers, i);
        for (uint32_t c = 0; c < layout->node_count; c++) {
            const lt_vector *lanes = lt_vector_lanes(&columns[c]);
            const uint32_t   lane  = lt_vector_lane(&columns[c], row);
            if (lt_validity_is_set(lanes->validity, lane))
                at = plain_lane(&layout->nodes[c], lanes, lane, at);
            else
                *at++ = BYTES_NULL;
        }
        out[i] = bytes_key(start, (size_t)(at - bytes->data), block);
    }
    bytes->bytes = (size_t)(at - bytes->data);
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
            lt_string *keys = (lt_string *)(void *)out;
            LT_TRY(layout->is_plain ? plain_pack(layout, columns, &numbers, keys, bytes, block, err)
                                    : bytes_pack(columns, column_count, &numbers, keys, bytes, block, err));
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

// Whether plain_pack can have written these bytes.
static bool plain_fits(const lt_key_layout *layout, const char *bytes, size_t count) {
    const char *at = bytes, *end = bytes + count;
    for (uint32_t c = 0; c < layout->node_count; c++) {
        const lt_key_node *node = &layout->nodes[c];
        uint32_t           text = 0;
        if (at == end) return false;
        if (*at == BYTES_NULL) {
            at++;
            continue;
        }
        if (*at++ != (char)node->kind) return false;
        const size_t head = node->lane_bytes == 0 ? sizeof text : node->lane_bytes;
        if ((size_t)(end - at) < head) return false;
        if (node->lane_bytes == 0) memcpy(&text, at, sizeof text);
        at += head;
        if ((size_t)(end - at) < text) return false;
        at += text;
    }
    return at == end;
}

leat_status lt_key_decode(const lt_key_layout *layout, const char *bytes, size_t count, void *out_key,
                          bool *out_is_null, leat_error *err) {
    const char *end = bytes + count;
    char       *out = out_key;
    *out_is_null    = false;
    memset(out_key, 0, layout->key_bytes);
    if (layout->form == LT_KEY_BYTES) {
        if (count > LT_VALUE_BYTES_MAX || (layout->is_plain && !plain_fits(layout, bytes, count)))
            return does_not_fit(err);
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

// What plain_pack wrote, as lanes behind those that are there; texts view it.
static leat_status plain_unpack(const lt_key_layout *layout, const lt_string *key, lt_vector *columns, uint32_t lane,
                                lt_arena *arena, leat_error *err) {
    const char *at = lt_string_data(key);
    for (uint32_t c = 0; c < layout->node_count; c++) {
        const lt_key_node *node = &layout->nodes[c];
        columns[c].lanes        = lane + 1;
        if (*at++ == BYTES_NULL) {
            LT_TRY(lt_vector_set_null(&columns[c], lane, arena, err));
            continue;
        }
        lt_vector_set_valid(&columns[c], lane);
        if (node->lane_bytes == 0) {
            uint32_t count;
            memcpy(&count, at, sizeof count);
            LT_LANES(&columns[c], lt_string)[lane] = lt_string_view(at + sizeof count, count);
            at += sizeof count + count;
        } else {
            memcpy((char *)columns[c].values + (size_t)node->lane_bytes * lane, at, node->lane_bytes);
            at += node->lane_bytes;
        }
    }
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
        if (layout->is_plain) return plain_unpack(layout, string, columns, lane, arena, err);
        return lt_row_decode(lt_string_data(string), string->bytes, columns, column_count, arena, err);
    }
    default:
        for (uint32_t node = 0, c = 0; node < layout->node_count; node = layout->nodes[node].end, c++)
            LT_TRY(node_unpack(layout, node, key, false, &columns[c], lane, arena, err));
        return LEAT_OK;
    }
}
