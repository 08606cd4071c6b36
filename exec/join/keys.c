#include "exec/join/keys.h"

leat_status lt_join_rows_that_match(const lt_plan *plan, const lt_vector *keys, uint32_t key_count, uint32_t row_count,
                                    lt_arena *arena, uint16_t **out_rows, uint32_t *out_count, leat_error *err) {
    bool has_nulls = false;
    *out_rows      = NULL;
    *out_count     = row_count;
    for (uint32_t k = 0; k < key_count; k++)
        has_nulls |= !plan->as.join.is_null_safe[k] &&
                     (lt_vector_lanes(&keys[k])->validity != NULL || keys[k].type->kind == LT_VOID);
    if (!has_nulls) return LEAT_OK;
    LT_TRY_NEW_ARRAY(*out_rows, arena, row_count + 1u, err);
    *out_count = 0;
    for (uint32_t row = 0; row < row_count; row++) {
        bool is_null = false;
        for (uint32_t k = 0; k < key_count && !is_null; k++)
            is_null = !plan->as.join.is_null_safe[k] && lt_vector_is_null(&keys[k], row);
        if (!is_null) (*out_rows)[(*out_count)++] = (uint16_t)row;
    }
    return LEAT_OK;
}

leat_status lt_join_keys(const lt_plan *plan, lt_evaluator *evaluator, const lt_expression *const *keys,
                         const lt_chunk *chunk, lt_arena *arena, lt_vector **out_keys, uint16_t **out_rows,
                         uint32_t *out_count, leat_error *err) {
    uint32_t key_count = plan->as.join.key_count;
    LT_TRY_NEW_ARRAY(*out_keys, arena, key_count + 1u, err);
    for (uint32_t k = 0; k < key_count; k++) {
        const lt_vector *key;
        LT_TRY(lt_evaluator_run(evaluator, keys[k], chunk, NULL, arena, &key, err));
        (*out_keys)[k] = *key;
    }
    return lt_join_rows_that_match(plan, *out_keys, key_count, chunk->count, arena, out_rows, out_count, err);
}

static bool note_read(void *user, const lt_expression *node) {
    if (node->kind == LT_EXPRESSION_COLUMN) ((bool *)user)[node->column] = true;
    return true;
}

leat_status lt_join_residual_reads(const lt_plan *plan, lt_arena *arena, bool **out, leat_error *err) {
    LT_TRY_NEW_ARRAY(*out, arena, plan->inputs[0]->column_count + plan->inputs[1]->column_count + 1u, err);
    if (plan->as.join.residual != NULL) lt_expression_walk(plan->as.join.residual, note_read, *out);
    return LEAT_OK;
}
