#include "exec/map_entries.h"

// Keys lose the sign of zero, as in grouping.
static void normalize_zero(lt_vector *keys, uint32_t lane) {
    if (keys->type->kind == LT_DOUBLE && LT_LANES(keys, double)[lane] == 0) LT_LANES(keys, double)[lane] = 0;
    if (keys->type->kind == LT_FLOAT && LT_LANES(keys, float)[lane] == 0) LT_LANES(keys, float)[lane] = 0;
}

leat_status lt_map_entries_add(lt_map_entries *entries, const lt_vector *keys, uint32_t key_row,
                               const lt_vector *values, uint32_t value_row, leat_error *err) {
    lt_call   *call  = entries->call;
    lt_vector *child = lt_call_child(call);
    uint32_t   lane, member;
    bool       is_new;
    if (lt_vector_is_null(keys, key_row)) return lt_call_raise(call, err, LT_NULL_MAP_KEY, "a key of a map is NULL");
    LT_TRY(lt_lane_add(child, &lane, call->arena, err));
    LT_TRY(lt_lane_put(&child->children[0], lane, keys, key_row, call->arena, err));
    LT_TRY(lt_lane_put(&child->children[1], lane, values, value_row, call->arena, err));
    normalize_zero(&child->children[0], lane);
    LT_TRY(lt_value_set_add(&entries->keys, &child->children[0], lane, &member, &is_new, err));
    if (!is_new) return lt_call_raise(call, err, LT_DUPLICATED_MAP_KEY, "a key of a map comes twice");
    return LEAT_OK;
}
