// set_operation: INTERSECT and EXCEPT over whole rows, for one batch. NULLs are equal. Rows come in order of their
// first appearance on the left. Per row the number of times it stands left (a) and right (b):
//     INTERSECT  a > 0 and b > 0 once, ALL: min(a, b) times       EXCEPT  a > 0 and b = 0 once, ALL: a - b times
#include "exec/operator.h"
#include "exec/state/group_table.h"

typedef struct counts {
    int64_t left, right;
} counts;

typedef struct set_operation {
    const lt_type **types;
    lt_group_table  groups;
    counts         *counts; // by group
    uint32_t        capacity;
    lt_arena        arena;
} set_operation;

static leat_status set_operation_open(lt_node *node, leat_error *err) {
    set_operation *self = node->state;
    const lt_plan *plan = node->plan;
    lt_arena_init(&self->arena, node->pipeline->account);
    LT_TRY_NEW_ARRAY(self->types, &self->arena, plan->column_count + 1u, err);
    for (uint32_t c = 0; c < plan->column_count; c++) self->types[c] = plan->columns[c].type;
    lt_group_table_init(&self->groups, node->pipeline->account, self->types, plan->column_count,
                        node->pipeline->evaluation->random_seed);
    return LEAT_OK;
}

static leat_status set_operation_push(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch,
                                      leat_error *err) {
    set_operation *self = node->state;
    uint32_t      *groups;
    LT_TRY_NEW_ARRAY(groups, batch->scratch, delta->count + 1u, err);
    LT_TRY(lt_group_table_find_or_add(&self->groups, delta->columns, delta->column_count, NULL, delta->count, groups,
                                      err));
    if (self->capacity < self->groups.group_capacity) {
        LT_TRY_LARGER_ARRAY(self->counts, &self->arena, self->capacity, self->groups.group_capacity, err);
        self->capacity = self->groups.group_capacity;
    }
    for (uint32_t row = 0; row < delta->count; row++) {
        int64_t *count = input == 0 ? &self->counts[groups[row]].left : &self->counts[groups[row]].right;
        *count += lt_chunk_weight(delta, row);
    }
    return LEAT_OK;
}

static int64_t copies(const lt_plan *plan, counts c) {
    if (c.left <= 0) return 0;
    int64_t all = plan->as.set_operation.is_intersect ? (c.left < c.right ? c.left : c.right) : c.left - c.right;
    if (plan->as.set_operation.is_all) return all;
    bool is_in = plan->as.set_operation.is_intersect ? c.right > 0 : c.right <= 0;
    return is_in ? 1 : 0;
}

static leat_status set_operation_end_batch(lt_node *node, lt_batch *batch, leat_error *err) {
    set_operation *self = node->state;
    const lt_plan *plan = node->plan;
    uint32_t      *chosen;
    LT_TRY_NEW_ARRAY(chosen, batch->arena, LT_CHUNK_ROWS_MAX, err);
    uint32_t group = 0;
    int64_t  given = 0;
    while (group < self->groups.group_count) {
        lt_chunk out;
        LT_TRY(lt_chunk_init(&out, self->types, plan->column_count, LT_CHUNK_ROWS_MAX, batch->scratch, err));
        while (group < self->groups.group_count && out.count < LT_CHUNK_ROWS_MAX) {
            if (given >= copies(plan, self->counts[group])) {
                group++;
                given = 0;
                continue;
            }
            chosen[out.count++] = group;
            given++;
        }
        LT_TRY(lt_group_table_keys(&self->groups, chosen, out.count, out.columns, plan->column_count, batch->scratch,
                                   err));
        LT_TRY(lt_emit_origin(node, &out, batch, err));
    }
    return LEAT_OK;
}

static void set_operation_close(lt_node *node) {
    set_operation *self = node->state;
    lt_group_table_deinit(&self->groups);
    lt_arena_deinit(&self->arena);
}

const lt_operator_kind lt_operators_set_operation = {
    .name        = "SetOperation",
    .plan_kind   = LT_PLAN_SET_OPERATION,
    .state_bytes = sizeof(set_operation),
    .open        = set_operation_open,
    .push        = set_operation_push,
    .end_batch   = set_operation_end_batch,
    .close       = set_operation_close,
};
