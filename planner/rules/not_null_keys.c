#include "planner/rules/rules.h"

// An equality never matches NULL, so rows of a stream with a NULL key are of no use to the side of a join that is not
// padded for them. Told to the reader of the stream, as Spark does, they do not count as read (recorded). Tables keep
// their plans: there is no reader to tell.

typedef struct sides {
    bool left, right; // rows of this side that match nothing leave the join without trace
} sides;

static sides dropping_sides(const lt_plan *join) {
    if (join->as.join.is_null_aware) return (sides){0};
    switch (join->as.join.type) {
    case LT_JOIN_INNER:
    case LT_JOIN_SEMI:
        return (sides){true, true};
    case LT_JOIN_LEFT:
    case LT_JOIN_ANTI:
    case LT_JOIN_MARK:
    case LT_JOIN_SINGLE:
        return (sides){false, true};
    case LT_JOIN_RIGHT:
        return (sides){true, false};
    default:
        return (sides){0};
    }
}

// The column of the stream scan below that a column is, through filters, watermarks and plain projections.
static const lt_plan *scan_below(const lt_plan *node, uint32_t *column) {
    for (;;) switch (node->kind) {
        case LT_PLAN_STREAM_SCAN:
            return node->as.scan.relation->is_filtered_by_reader ? node : NULL;
        case LT_PLAN_PROJECT:
            if (node->as.project.expressions[*column]->kind != LT_EXPRESSION_COLUMN) return NULL;
            *column = node->as.project.expressions[*column]->column;
            node    = node->inputs[0];
            break;
        case LT_PLAN_FILTER:
        case LT_PLAN_WATERMARK:
            node = node->inputs[0];
            break;
        default:
            return NULL;
        }
}

static leat_status side_filter(lt_binder *binder, const lt_plan *side, const lt_expression *const *keys,
                               const bool *is_null_safe, uint32_t count, const lt_plan **out, leat_error *err) {
    lt_expression_list   terms = {0};
    const lt_expression *predicate;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t column = keys[i]->column;
        if (is_null_safe[i] || keys[i]->kind != LT_EXPRESSION_COLUMN || scan_below(side, &column) == NULL) continue;
        const lt_bound value = {.expression = keys[i], .text = "", .size = 1, .depth = 1};
        lt_bound       test;
        LT_TRY(lt_call_bind(binder, "isnotnull", &value, 1, NULL, &keys[i]->place, &test, err));
        LT_LIST_ADD(binder->arena, &terms, test.expression, err);
    }
    LT_TRY(lt_and(binder, terms.items, terms.count, &predicate, err));
    return lt_plan_filter(binder, side, predicate, out, err);
}

static leat_status joins_visit(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(lt_rule_inputs(binder, joins_visit, plan, out, err));
    const lt_plan *join = *out;
    if (join->kind != LT_PLAN_JOIN) return LEAT_OK;
    const sides    drops     = dropping_sides(join);
    const lt_plan *inputs[2] = {join->inputs[0], join->inputs[1]};
    const bool    *safe      = join->as.join.is_null_safe;
    const uint32_t count     = join->as.join.key_count;
    if (drops.left) LT_TRY(side_filter(binder, inputs[0], join->as.join.left_keys, safe, count, &inputs[0], err));
    if (drops.right) LT_TRY(side_filter(binder, inputs[1], join->as.join.right_keys, safe, count, &inputs[1], err));
    if (inputs[0] == join->inputs[0] && inputs[1] == join->inputs[1]) return LEAT_OK;
    return lt_plan_with_inputs(binder, join, inputs, out, err);
}

leat_status lt_rule_not_null_keys(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    LT_TRY(joins_visit(binder, plan, out, err));
    return *out == plan ? LEAT_OK : lt_rule_filters_down(binder, *out, out, err);
}
