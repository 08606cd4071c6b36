#include "base/lanes.h"
#include "exec/kernels/cast_rows.h"

// ARRAY, MAP and STRUCT to their own kind: children are cast by lt_cast_run. The elements of live lists are first put
// side by side, so that nothing of other rows is touched, and cast in slices of a chunk. Source: Spark SQL 4.

// Makes `from` flat with `count` lanes in *out.
static leat_status flatten(const lt_vector *from, uint32_t count, lt_arena *arena, lt_vector *out, leat_error *err) {
    if (from->form != LT_FLAT) return lt_vector_gather(from, NULL, count, arena, out, err);
    *out       = *from;
    out->lanes = count;
    return LEAT_OK;
}

static leat_status cast_children(const lt_cast_call *call, const lt_vector *from, const lt_type *into, lt_vector *out,
                                 leat_error *err) {
    if (from->lanes <= LT_CHUNK_ROWS_MAX) {
        const lt_vector *result;
        LT_TRY(lt_cast_run(from, into, NULL, from->lanes, from->lanes, call->is_try, call->arena, call->evaluation,
                           &call->place, &result, err));
        return flatten(result, from->lanes, call->arena, out, err);
    }
    LT_TRY(lt_vector_init(out, into, from->lanes, call->arena, err));
    for (uint32_t offset = 0; offset < from->lanes; offset += LT_CHUNK_ROWS_MAX) {
        uint32_t         count = from->lanes - offset < LT_CHUNK_ROWS_MAX ? from->lanes - offset : LT_CHUNK_ROWS_MAX;
        lt_vector        slice = lt_vector_slice(from, offset, count, call->arena), flat;
        const lt_vector *result;
        if (slice.lanes != count) return lt_raise_no_memory(err);
        LT_TRY(lt_cast_run(&slice, into, NULL, count, count, call->is_try, call->arena, call->evaluation, &call->place,
                           &result, err));
        LT_TRY(flatten(result, count, call->arena, &flat, err));
        LT_TRY(lt_lanes_append(out, &flat, 0, count, call->arena, err));
    }
    return LEAT_OK;
}

static leat_status cast_list(lt_cast_call *call, leat_error *err) {
    const lt_vector *child = &call->from->children[0];
    lt_list         *lists = call->into->values;
    lt_vector        elements;
    LT_TRY(lt_vector_init(&elements, child->type, 0, call->arena, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint32_t row  = call->rows[i];
        lt_list  list = LT_VALUE(call->from, lt_list, row);
        lists[row]    = (lt_list){.offset = elements.lanes, .count = list.count};
        LT_TRY(lt_lanes_append(&elements, child, list.offset, list.count, call->arena, err));
    }
    return cast_children(call, &elements, call->into->children[0].type, &call->into->children[0], err);
}

static leat_status cast_struct(lt_cast_call *call, leat_error *err) {
    bool is_constant = call->from->form == LT_CONSTANT;
    for (uint32_t i = 0; i < call->from->child_count; i++) {
        lt_vector child = call->from->children[i];
        if (is_constant && child.form == LT_FLAT) child.form = LT_CONSTANT;
        const lt_vector *result;
        LT_TRY(lt_cast_run(&child, call->into_type->fields[i].type, call->rows, call->row_count, call->count,
                           call->is_try, call->arena, call->evaluation, &call->place, &result, err));
        LT_TRY(flatten(result, call->count, call->arena, &call->into->children[i], err));
    }
    return LEAT_OK;
}

const lt_cast lt_casts_nested[] = {
    {.from = LT_ARRAY, .into = LT_ARRAY, .can_fail = true, .run = cast_list},
    {.from = LT_MAP, .into = LT_MAP, .can_fail = true, .run = cast_list},
    {.from = LT_STRUCT, .into = LT_STRUCT, .can_fail = true, .run = cast_struct},
    {0},
};
