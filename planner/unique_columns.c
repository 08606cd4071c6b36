#include "planner/unique_columns.h"

#include "planner/catalog.h"

#include <string.h>

// Rows of OVER are those of its input; without a key there, row_number() and the columns of its partition tell them apart,
// and where one row of each partition is wanted, the partition alone.
static leat_status window_columns(lt_arena *arena, lt_plan *node, leat_error *err) {
    lt_properties       *out   = &node->properties;
    const lt_properties *below = &node->inputs[0]->properties;
    const uint32_t       width = node->inputs[0]->column_count, count = node->as.window.partition_count;
    const lt_top        *top    = &node->as.window.top;
    const bool           is_one = top->count == 1 && top->rank == LT_TOP_ROW_NUMBER;
    uint32_t             number = 0, *key;
    if (below->has_key) {
        out->key       = below->key;
        out->key_count = below->key_count;
        out->has_key   = true;
        return LEAT_OK;
    }
    while (number < node->as.window.call_count &&
           strcmp(node->as.window.calls[number].call.aggregate->name, "row_number") != 0)
        number++;
    if (!is_one && number == node->as.window.call_count) return LEAT_OK;
    LT_TRY_NEW_ARRAY(key, arena, count + 1u, err);
    for (uint32_t k = 0; k < count; k++) {
        if (node->as.window.partition[k]->kind != LT_EXPRESSION_COLUMN) return LEAT_OK;
        key[k] = node->as.window.partition[k]->column;
    }
    key[count]     = width + number;
    out->key       = key;
    out->key_count = count + !is_one;
    out->has_key   = true;
    return LEAT_OK;
}

// Unique columns: grouping keys, kept by nodes that pass rows on and by projections that keep all of them.
leat_status lt_derive_unique_columns(lt_arena *arena, lt_plan *node, leat_error *err) {
    lt_properties       *out   = &node->properties;
    const lt_properties *below = node->input_count > 0 ? &node->inputs[0]->properties : NULL;
    uint32_t            *key;
    switch (node->kind) {
    case LT_PLAN_AGGREGATE:
        LT_TRY_NEW_ARRAY(key, arena, node->as.aggregate.key_count + 1u, err);
        for (uint32_t k = 0; k < node->as.aggregate.key_count; k++) key[k] = k;
        out->key       = key;
        out->key_count = node->as.aggregate.key_count;
        out->has_key   = true;
        return LEAT_OK;
    case LT_PLAN_CHANGES:
        out->key       = node->as.changes.spec->key;
        out->key_count = node->as.changes.spec->key_count;
        out->has_key   = node->as.changes.spec->key_count > 0 && !node->as.changes.is_versioned;
        return LEAT_OK;
    case LT_PLAN_WINDOW:
        return window_columns(arena, node, err);
    case LT_PLAN_FILTER:
    case LT_PLAN_SORT:
    case LT_PLAN_LIMIT:
    case LT_PLAN_WATERMARK:
    case LT_PLAN_DEDUPLICATE:
        out->key       = below->key;
        out->key_count = below->key_count;
        out->has_key   = below->has_key;
        return LEAT_OK;
    case LT_PLAN_PROJECT:
        break;
    default:
        return LEAT_OK;
    }
    if (!below->has_key) return LEAT_OK;
    LT_TRY_NEW_ARRAY(key, arena, below->key_count + 1u, err);
    for (uint32_t k = 0; k < below->key_count; k++) {
        uint32_t c = 0;
        while (c < node->column_count && !(node->as.project.expressions[c]->kind == LT_EXPRESSION_COLUMN &&
                                           node->as.project.expressions[c]->column == below->key[k]))
            c++;
        if (c == node->column_count) return LEAT_OK;
        key[k] = c;
    }
    out->key       = key;
    out->key_count = below->key_count;
    out->has_key   = true;
    return LEAT_OK;
}
