#include "base/lanes.h"

leat_status lt_lane_put_null(lt_vector *into, uint32_t lane, lt_arena *arena, leat_error *err) {
    if (into->type->kind == LT_ARRAY || into->type->kind == LT_MAP) LT_LANES(into, lt_list)[lane] = (lt_list){0};
    if (into->type->kind == LT_STRUCT)
        for (uint32_t i = 0; i < into->child_count; i++) LT_TRY(lt_lane_put_null(&into->children[i], lane, arena, err));
    return lt_vector_set_null(into, lane, arena, err);
}

leat_status lt_lane_add(lt_vector *into, uint32_t *out_lane, lt_arena *arena, leat_error *err) {
    LT_TRY(lt_vector_reserve(into, into->lanes + 1, arena, err));
    uint32_t lane = into->lanes++;
    lt_vector_set_valid(into, lane);
    if (into->type->kind == LT_STRUCT)
        for (uint32_t i = 0; i < into->child_count; i++) {
            uint32_t child_lane;
            into->children[i].lanes = lane;
            LT_TRY(lt_lane_add(&into->children[i], &child_lane, arena, err));
        }
    *out_lane = lane;
    return LEAT_OK;
}

leat_status lt_lane_put(lt_vector *into, uint32_t lane, const lt_vector *from, uint32_t row, lt_arena *arena,
                        leat_error *err) {
    const lt_vector *lanes = lt_vector_lanes(from);
    uint32_t         at    = lt_vector_lane(from, row);
    if (lt_lane_is_null(lanes, at)) return lt_lane_put_null(into, lane, arena, err);
    lt_vector_set_valid(into, lane);
    switch (lt_kind_lane_bytes(into->type->kind)) {
    case 1:
        LT_LANES(into, uint8_t)[lane] = LT_LANES(lanes, const uint8_t)[at];
        return LEAT_OK;
    case 2:
        LT_LANES(into, uint16_t)[lane] = LT_LANES(lanes, const uint16_t)[at];
        return LEAT_OK;
    case 4:
        LT_LANES(into, uint32_t)[lane] = LT_LANES(lanes, const uint32_t)[at];
        return LEAT_OK;
    case 16:
        LT_LANES(into, lt_uint128)[lane] = LT_LANES(lanes, const lt_uint128)[at];
        return LEAT_OK;
    case 8:
        break;
    default:
        for (uint32_t i = 0; i < into->child_count; i++)
            LT_TRY(lt_lane_put(&into->children[i], lane, &lanes->children[i], at, arena, err));
        return LEAT_OK;
    }
    if (into->type->kind != LT_ARRAY && into->type->kind != LT_MAP) {
        LT_LANES(into, uint64_t)[lane] = LT_LANES(lanes, const uint64_t)[at];
        return LEAT_OK;
    }
    lt_list  list   = LT_LANES(lanes, const lt_list)[at];
    uint32_t offset = into->children[0].lanes;
    LT_TRY(lt_lanes_append(&into->children[0], &lanes->children[0], list.offset, list.count, arena, err));
    LT_LANES(into, lt_list)[lane] = (lt_list){.offset = offset, .count = list.count};
    return LEAT_OK;
}

leat_status lt_lane_append(lt_vector *into, const lt_vector *from, uint32_t row, lt_arena *arena, leat_error *err) {
    uint32_t lane;
    LT_TRY(lt_lane_add(into, &lane, arena, err));
    return lt_lane_put(into, lane, from, row, arena, err);
}

leat_status lt_lane_append_null(lt_vector *into, lt_arena *arena, leat_error *err) {
    uint32_t lane;
    LT_TRY(lt_lane_add(into, &lane, arena, err));
    return lt_lane_put_null(into, lane, arena, err);
}

leat_status lt_lanes_append(lt_vector *into, const lt_vector *from, uint32_t offset, uint32_t count, lt_arena *arena,
                            leat_error *err) {
    size_t stride = lt_kind_lane_bytes(into->type->kind);
    if (from->form == LT_FLAT && from->validity == NULL && stride > 0 && into->type->kind != LT_ARRAY &&
        into->type->kind != LT_MAP) {
        if (count > UINT32_MAX / 4 - into->lanes)
            return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value has too many elements");
        LT_TRY(lt_vector_reserve(into, into->lanes + count, arena, err));
        if (count > 0)
            memcpy((char *)into->values + stride * into->lanes, (const char *)from->values + stride * offset,
                   stride * count);
        for (uint32_t i = 0; into->validity != NULL && i < count; i++) lt_vector_set_valid(into, into->lanes + i);
        into->lanes += count;
        return LEAT_OK;
    }
    for (uint32_t i = 0; i < count; i++) LT_TRY(lt_lane_append(into, from, offset + i, arena, err));
    return LEAT_OK;
}
