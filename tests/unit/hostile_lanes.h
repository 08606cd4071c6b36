// Values of every form of key that are hard to tell apart, for tests of what is looked up by key.
#ifndef LT_TESTS_UNIT_HOSTILE_LANES_H
#define LT_TESTS_UNIT_HOSTILE_LANES_H

#include "base/vector.h"

#include <stdio.h>

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static const lt_type *pair_type(void) {
    static lt_field fields[2] = {{.name = "start"}, {.name = "end"}};
    static lt_type  type      = {.kind = LT_STRUCT, .field_count = 2, .fields = fields};
    fields[0].type            = lt_type_of(LT_TIMESTAMP);
    fields[1].type            = lt_type_of(LT_INT);
    return &type;
}

// Few values, among them those that are hard: NULL, both zeros, NaN with payloads, texts with equal prefixes.
static void hostile_lane(lt_vector *column, uint32_t lane, uint32_t kinds, lt_arena *arena, uint64_t *seed) {
    static const char *const texts[]   = {"",
                                          "a",
                                          "abcd",
                                          "abcde",
                                          "abcdefghijkl",
                                          "abcdefghijkm",
                                          "abcd\1",
                                          "abcc",
                                          "abcdefghijklm",
                                          "abcdefghijkln",
                                          "abcdefghijklmnopqrstuvwxyz",
                                          "abcdefghijklmnopqrstuvwxyy"};
    static const uint64_t    doubles[] = {0,
                                          UINT64_C(0x8000000000000000),
                                          UINT64_C(0x7ff8000000000000),
                                          UINT64_C(0xfff8000000000001),
                                          UINT64_C(0x7ff0000000000001),
                                          UINT64_C(0x7ff0000000000000),
                                          UINT64_C(0x3ff0000000000000)};
    static const uint32_t    floats[]  = {0, 0x80000000, 0x7fc00000, 0xffc00001, 0x7f800000, 0x3f800000};
    uint32_t                 random    = next_random(seed);
    if (random % 9 == 0) {
        assert_int_equal(lt_vector_set_null(column, lane, arena, NULL), LEAT_OK);
        if (column->values != NULL)
            memset((char *)column->values + lt_kind_lane_bytes(column->type->kind) * lane, 0xa5,
                   lt_kind_lane_bytes(column->type->kind));
        for (uint32_t i = 0; i < column->child_count && column->type->kind == LT_STRUCT; i++)
            hostile_lane(&column->children[i], lane, kinds, arena, seed);
        return;
    }
    lt_vector_set_valid(column, lane);
    random = next_random(seed);
    switch (column->type->kind) {
    case LT_DOUBLE:
        LT_LANES(column, uint64_t)[lane] = doubles[random % 7];
        return;
    case LT_FLOAT:
        LT_LANES(column, uint32_t)[lane] = floats[random % 6];
        return;
    case LT_STRING: {
        char text[64];
        int  bytes = snprintf(text, sizeof text, "%s", texts[random % 12]);
        if (random % 3 == 0) bytes = snprintf(text, sizeof text, "%s%u", texts[random % 12], random % kinds);
        char *copy = lt_arena_text(arena, text, (size_t)bytes);
        assert_non_null(copy);
        lt_string *out = &LT_LANES(column, lt_string)[lane];
        *out           = lt_string_view(copy, (size_t)bytes);
        // What lies behind a short text is nobody's.
        if (bytes < LT_STRING_INLINE_MAX) memset((char *)out + 4 + bytes, (int)(random & 0xff), (size_t)(12 - bytes));
        return;
    }
    case LT_STRUCT:
        for (uint32_t i = 0; i < column->child_count; i++) hostile_lane(&column->children[i], lane, kinds, arena, seed);
        return;
    case LT_ARRAY: {
        lt_vector *child                = &column->children[0];
        LT_LANES(column, lt_list)[lane] = (lt_list){.offset = child->lanes, .count = random % 3};
        for (uint32_t i = 0; i < random % 3; i++) {
            assert_int_equal(lt_vector_reserve(child, child->lanes + 1, arena, NULL), LEAT_OK);
            hostile_lane(child, child->lanes++, kinds, arena, seed);
        }
        return;
    }
    default: {
        lt_uint128 value = (lt_uint128)(random % kinds)
                           << (random % 5 == 0 ? 8 * (lt_kind_lane_bytes(column->type->kind) - 1) : 0);
        memcpy((char *)column->values + lt_kind_lane_bytes(column->type->kind) * lane, &value,
               lt_kind_lane_bytes(column->type->kind));
        return;
    }
    }
}

#endif
