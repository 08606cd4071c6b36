#include "exec/in_list.h"

#include "base/hash.h"
#include "base/lane_numbers.h"
#include "exec/kernels/compare_bits.h"

enum { LINEAR_MAX = 8 };

bool lt_in_list_fits(const lt_expression *expression) {
    if (expression->kind != LT_EXPRESSION_IN) return false;
    const lt_type *type = expression->arguments[0]->type;
    if (!lt_kind_is_whole(type->kind) && !lt_kind_is_bytes(type->kind) && type->kind != LT_DECIMAL) return false;
    for (uint32_t a = 1; a < expression->argument_count; a++) {
        const lt_expression *constant = expression->arguments[a];
        if (constant->kind != LT_EXPRESSION_LITERAL || constant->value->form == LT_DICTIONARY) return false;
        if (lt_vector_is_null(constant->value, 0)) continue;
        if (constant->type->kind != type->kind || constant->type->scale != type->scale) return false;
    }
    return type->kind != LT_DECIMAL || expression->argument_count <= LINEAR_MAX;
}

static inline uint32_t slot_of_number(const lt_in_list *list, int64_t number) {
    return (uint32_t)(((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (list->slot_count - 1);
}
static inline uint32_t slot_of_text(const lt_in_list *list, const lt_string *text) {
    return (uint32_t)lt_hash64(lt_string_data(text), text->bytes, 0) & (list->slot_count - 1);
}

static leat_status open_slots(lt_in_list *list, lt_arena *arena, leat_error *err) {
    list->slot_count = 4 * LINEAR_MAX;
    while (list->slot_count < 2 * list->count) list->slot_count *= 2;
    LT_TRY_NEW_ARRAY(list->slots, arena, list->slot_count, err);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t slot = lt_kind_is_bytes(list->kind) ? slot_of_text(list, &((const lt_string *)list->constants)[i])
                                                     : slot_of_number(list, ((const int64_t *)list->constants)[i]);
        while (list->slots[slot] != 0) slot = (slot + 1) & (list->slot_count - 1);
        list->slots[slot] = i + 1;
    }
    return LEAT_OK;
}

leat_status lt_in_list_open(lt_in_list *list, const lt_expression *expression, lt_arena *arena, leat_error *err) {
    *list           = (lt_in_list){.expression = expression, .kind = expression->arguments[0]->type->kind};
    void *constants = lt_arena_alloc(arena, sizeof(lt_string) * expression->argument_count);
    if (constants == NULL) return lt_raise_no_memory(err);
    list->constants = constants;
    for (uint32_t a = 1; a < expression->argument_count; a++) {
        const lt_vector *value = expression->arguments[a]->value;
        if (lt_vector_is_null(value, 0)) {
            list->has_null = true;
        } else if (lt_kind_is_bytes(list->kind)) {
            lt_string text = LT_LANES(value, const lt_string)[0];
            list->lengths |= (uint64_t)1 << (text.bytes < 63 ? text.bytes : 63);
            ((lt_string *)constants)[list->count++] = text;
        } else if (list->kind == LT_DECIMAL) {
            ((lt_int128 *)constants)[list->count++] = LT_LANES(value, const lt_int128)[0];
        } else {
            ((int64_t *)constants)[list->count++] = lt_lane_integer(value, 0);
        }
    }
    return list->count <= LINEAR_MAX ? LEAT_OK : open_slots(list, arena, err);
}

static bool has_text(const lt_in_list *list, const lt_string *text) {
    const lt_string *constants = list->constants;
    if (((list->lengths >> (text->bytes < 63 ? text->bytes : 63)) & 1) == 0) return false;
    if (list->slots == NULL) {
        for (uint32_t i = 0; i < list->count; i++)
            if (lt_string_equal(&constants[i], text)) return true;
        return false;
    }
    for (uint32_t slot = slot_of_text(list, text); list->slots[slot] != 0; slot = (slot + 1) & (list->slot_count - 1))
        if (lt_string_equal(&constants[list->slots[slot] - 1], text)) return true;
    return false;
}

static bool has_number(const lt_in_list *list, int64_t number) {
    const int64_t *constants = list->constants;
    for (uint32_t slot = slot_of_number(list, number); list->slots[slot] != 0;
         slot          = (slot + 1) & (list->slot_count - 1))
        if (constants[list->slots[slot] - 1] == number) return true;
    return false;
}

void lt_in_list_find(const lt_in_list *list, const lt_vector *needle, const uint16_t *rows, uint32_t row_count,
                     uint8_t *found) {
    if (row_count == 0) return;
    uint32_t end = (uint32_t)rows[row_count - 1] + 1;
    if (needle->form == LT_CONSTANT) end = 1;
        // A few constants are compared with all lanes, one after the other; many are probed for, row by row.
#define FIND(lane_type, constant_type)                                                                                 \
    do {                                                                                                               \
        const lane_type *lanes = needle->values;                                                                       \
        if (list->slots != NULL) {                                                                                     \
            for (uint32_t i = 0; i < row_count && end > 1; i++)                                                        \
                found[rows[i]] = has_number(list, (int64_t)lanes[rows[i]]);                                            \
            if (end == 1) found[0] = has_number(list, (int64_t)lanes[0]);                                              \
            break;                                                                                                     \
        }                                                                                                              \
        memset(found, 0, end);                                                                                         \
        for (uint32_t c = 0; c < list->count; c++) {                                                                   \
            const lane_type constant = (lane_type)((const constant_type *)list->constants)[c];                         \
            for (uint32_t i = 0; i < end; i++) found[i] = (uint8_t)(found[i] | (lanes[i] == constant));                \
        }                                                                                                              \
    } while (0)
    if (lt_kind_is_bytes(list->kind)) {
        const lt_string *lanes = needle->values;
        if (end == 1) found[0] = has_text(list, &lanes[0]);
        for (uint32_t i = 0; i < row_count && end > 1; i++) found[rows[i]] = has_text(list, &lanes[rows[i]]);
    } else if (list->kind == LT_DECIMAL) {
        FIND(lt_int128, lt_int128);
    } else if (list->kind == LT_BOOLEAN) {
        FIND(uint8_t, int64_t);
    } else if (lt_kind_lane_bytes(list->kind) == 1) {
        FIND(int8_t, int64_t);
    } else if (lt_kind_lane_bytes(list->kind) == 2) {
        FIND(int16_t, int64_t);
    } else if (lt_kind_lane_bytes(list->kind) == 4) {
        FIND(int32_t, int64_t);
    } else {
        FIND(int64_t, int64_t);
    }
#undef FIND
    if (needle->form == LT_CONSTANT)
        for (uint32_t i = row_count; i-- > 0;) found[rows[i]] = found[0];
}

static bool text_test(const lt_in_list *list, uint32_t constant, const lt_compare_kernel *kernel, const void *lanes,
                      uint32_t count, uint64_t *bits) {
    uint64_t masks[2], words[2];
    if (!lt_compare_text_words(&((const lt_string *)list->constants)[constant], masks, words)) return false;
    kernel->masked_equal(lanes, masks, words, count, bits);
    return true;
}

static void number_test(const lt_in_list *list, uint32_t constant, const lt_compare_kernel *kernel, const void *lanes,
                        uint32_t count, uint64_t *bits) {
    static const lt_compare_lane lanes_of[] = {
        [1] = LT_COMPARE_I8, [2] = LT_COMPARE_I16, [4] = LT_COMPARE_I32, [8] = LT_COMPARE_I64};
    if (list->kind == LT_DECIMAL) {
        kernel->loops[LT_COMPARE_I128][LT_COMPARE_EQUAL](lanes, &((const lt_int128 *)list->constants)[constant], true,
                                                         count, bits);
        return;
    }
    const int64_t number = ((const int64_t *)list->constants)[constant];
    const size_t  bytes  = lt_kind_lane_bytes(list->kind);
    union {
        int8_t  i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
    } lane = {.i64 = number};
    if (bytes == 1) lane.i8 = (int8_t)number;
    if (bytes == 2) lane.i16 = (int16_t)number;
    if (bytes == 4) lane.i32 = (int32_t)number;
    kernel->loops[lanes_of[bytes]][LT_COMPARE_EQUAL](lanes, &lane, true, count, bits);
}

bool lt_in_list_test(const lt_in_list *list, const lt_lanes *needle) {
    const lt_compare_kernel *kernel = lt_compare_kernel_best();
    const uint32_t           count = (uint32_t)needle->count, words = (count + 63) / 64;
    uint64_t                *bits = needle->results, found[LT_ROW_WORDS_MAX];
    if (list->slots != NULL || needle->steps[0] == 0) return false;
    memset(bits, 0, sizeof *bits * words);
    for (uint32_t c = 0; c < list->count; c++) {
        if (!lt_kind_is_bytes(list->kind))
            number_test(list, c, kernel, needle->values[0], count, found);
        else if (!text_test(list, c, kernel, needle->values[0], count, found))
            return false;
        for (uint32_t w = 0; w < words; w++) bits[w] |= found[w];
    }
    return true;
}
