#include "planner/rules/rules.h"

// What a condition over a scan says of columns of folders k=v alone is told to the scan: files of other folders are not
// read. The condition itself stays. A stream of a standing query reads all of its files: they count as read.

typedef struct term_facts {
    const lt_plan *scan;
    uint32_t       first; // column of the relation that is the first of folders
    bool           is_of_folders, has_column;
} term_facts;

static bool note_expression(void *user, const lt_expression *node) {
    term_facts *self = user;
    if (node->kind == LT_EXPRESSION_COLUMN) {
        self->has_column = true;
        self->is_of_folders &= self->scan->as.scan.relation_columns[node->column] >= self->first;
    }
    if (node->kind == LT_EXPRESSION_CALL)
        self->is_of_folders &= !node->function->is_nondeterministic && !node->function->is_host;
    return true;
}

static bool is_of_folders(const lt_plan *scan, const lt_expression *term) {
    const lt_catalog_entry *relation = scan->as.scan.relation;
    term_facts              self     = {
                         .scan = scan, .first = relation->column_count - relation->partition_count, .is_of_folders = true};
    lt_expression_walk(term, note_expression, &self);
    return self.is_of_folders && self.has_column;
}

static bool has_folders(const lt_binder *binder, const lt_plan *scan) {
    const bool is_scan =
        scan->kind == LT_PLAN_TABLE_SCAN || (scan->kind == LT_PLAN_STREAM_SCAN && !binder->context->is_standing);
    return is_scan && scan->as.scan.relation != NULL && scan->as.scan.relation->partition_count > 0 &&
           scan->as.scan.relation_columns != NULL;
}

leat_status lt_rule_folders(lt_binder *binder, const lt_plan *plan, const lt_plan **out, leat_error *err) {
    lt_expression_list terms = {0}, told = {0};
    lt_plan           *scan;
    LT_TRY(lt_rule_inputs(binder, lt_rule_folders, plan, out, err));
    const lt_plan *filter = *out;
    if (filter->kind != LT_PLAN_FILTER || !has_folders(binder, filter->inputs[0])) return LEAT_OK;
    LT_TRY(lt_conjuncts(binder, filter->as.filter.predicate, &terms, err));
    for (uint32_t t = 0; t < terms.count; t++)
        if (is_of_folders(filter->inputs[0], terms.items[t])) LT_LIST_ADD(binder->arena, &told, terms.items[t], err);
    if (told.count == 0) return LEAT_OK;
    LT_TRY_NEW(scan, binder->arena, err);
    *scan = *filter->inputs[0];
    LT_TRY(lt_and(binder, told.items, told.count, &scan->as.scan.folders, err));
    const lt_plan *input = scan;
    return lt_plan_with_inputs(binder, filter, &input, out, err);
}
