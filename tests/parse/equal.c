#include "tests/parse/equal.h"

#include "parser/scan.h"

#include <string.h>

// Mirrors parser/ast.h field by field. A list macro compares counts and items; pointers are compared by what they point
// to.

static bool text_equal(lt_ast_text a, lt_ast_text b) {
    return (a.text == NULL) == (b.text == NULL) && a.bytes == b.bytes &&
           (a.bytes == 0 || memcmp(a.text, b.text, a.bytes) == 0);
}

// The printer quotes keywords, so `quoted` counts for other names only.
static bool name_equal(const lt_ast_name *a, const lt_ast_name *b) {
    if ((a->text == NULL) != (b->text == NULL) || a->bytes != b->bytes) return false;
    if (a->text == NULL) return true;
    if (memcmp(a->text, b->text, a->bytes) != 0) return false;
    return a->quoted == b->quoted || lt_keyword_find(a->text, a->bytes) != NULL;
}

#define LIST_EQUAL(name, type, item_equal)                                                                             \
    static bool name(const type *a, const type *b) {                                                                   \
        if (a->count != b->count) return false;                                                                        \
        for (uint32_t i = 0; i < a->count; i++)                                                                        \
            if (!item_equal(&a->items[i], &b->items[i])) return false;                                                 \
        return true;                                                                                                   \
    }

#define POINTER_EQUAL(name, type, value_equal)                                                                         \
    static bool name(type *const *a, type *const *b) {                                                                 \
        if (*a == NULL || *b == NULL) return *a == *b;                                                                 \
        return value_equal(*a, *b);                                                                                    \
    }

static bool expression_equal(const lt_ast_expression *a, const lt_ast_expression *b);
static bool query_equal(const lt_ast_query *a, const lt_ast_query *b);
static bool relation_equal(const lt_ast_relation *a, const lt_ast_relation *b);
static bool type_equal(const lt_ast_type *a, const lt_ast_type *b);

POINTER_EQUAL(expression_at_equal, lt_ast_expression, expression_equal)
POINTER_EQUAL(query_at_equal, lt_ast_query, query_equal)
POINTER_EQUAL(relation_at_equal, lt_ast_relation, relation_equal)
POINTER_EQUAL(type_at_equal, lt_ast_type, type_equal)
LIST_EQUAL(names_equal, lt_ast_names, name_equal)
LIST_EQUAL(name_lists_equal, lt_ast_name_lists, names_equal)
LIST_EQUAL(expressions_equal, lt_ast_expressions, expression_at_equal)
LIST_EQUAL(expression_lists_equal, lt_ast_expression_lists, expressions_equal)
LIST_EQUAL(queries_equal, lt_ast_queries, query_at_equal)
LIST_EQUAL(types_equal, lt_ast_types, type_at_equal)

static bool field_equal(const lt_ast_field *a, const lt_ast_field *b) {
    return name_equal(&a->name, &b->name) && type_equal(a->type, b->type) && a->not_null == b->not_null &&
           text_equal(a->comment, b->comment);
}
LIST_EQUAL(fields_equal, lt_ast_fields, field_equal)

static bool type_equal(const lt_ast_type *a, const lt_ast_type *b) {
    return name_equal(&a->name, &b->name) && names_equal(&a->parameters, &b->parameters) &&
           types_equal(&a->nested, &b->nested) && fields_equal(&a->fields, &b->fields) &&
           a->has_brackets == b->has_brackets && a->without_zone == b->without_zone && name_equal(&a->from, &b->from) &&
           name_equal(&a->to, &b->to) && names_equal(&a->collation, &b->collation);
}

static bool literal_equal(const lt_ast_literal *a, const lt_ast_literal *b) {
    // The spelling of TRUE, FALSE and NULL is kept for places only.
    if (a->kind != b->kind) return false;
    if (a->kind <= LT_AST_LITERAL_FALSE) return true;
    return text_equal(a->text, b->text) && strcmp(a->suffix, b->suffix) == 0 && strcmp(a->type_name, b->type_name) == 0;
}

static bool interval_part_equal(const lt_ast_interval_part *a, const lt_ast_interval_part *b) {
    return text_equal(a->value, b->value) && a->is_string == b->is_string && a->is_negative == b->is_negative &&
           name_equal(&a->unit, &b->unit) && name_equal(&a->to, &b->to);
}
LIST_EQUAL(interval_equal, lt_ast_interval_parts, interval_part_equal)

static bool order_item_equal(const lt_ast_order_item *a, const lt_ast_order_item *b) {
    return expression_equal(a->expression, b->expression) && a->descending == b->descending &&
           a->direction_written == b->direction_written && a->nulls == b->nulls;
}
LIST_EQUAL(order_equal, lt_ast_order_items, order_item_equal)

static bool bound_equal(const lt_ast_bound *a, const lt_ast_bound *b) {
    return a->kind == b->kind && expression_at_equal(&a->value, &b->value);
}

static bool window_equal(const lt_ast_window *a, const lt_ast_window *b) {
    return name_equal(&a->name, &b->name) && expressions_equal(&a->partition_by, &b->partition_by) &&
           order_equal(&a->order_by, &b->order_by) && a->frame == b->frame && a->has_end == b->has_end &&
           bound_equal(&a->start, &b->start) && bound_equal(&a->end, &b->end);
}
POINTER_EQUAL(window_at_equal, lt_ast_window, window_equal)

static bool call_equal(const lt_ast_call *a, const lt_ast_call *b) {
    return names_equal(&a->name, &b->name) && a->distinct == b->distinct && a->nulls_inside == b->nulls_inside &&
           a->nulls == b->nulls && order_equal(&a->within_group, &b->within_group) &&
           expression_at_equal(&a->filter, &b->filter) && window_at_equal(&a->over, &b->over);
}

static bool table_argument_equal(const lt_ast_table_argument *a, const lt_ast_table_argument *b) {
    return names_equal(&a->table, &b->table) && query_at_equal(&a->query, &b->query) &&
           a->single_partition == b->single_partition && expressions_equal(&a->partition_by, &b->partition_by) &&
           order_equal(&a->order_by, &b->order_by);
}

static bool payload_equal(const lt_ast_expression *a, const lt_ast_expression *b) {
    switch (a->kind) {
    case LT_AST_LITERAL:
        return literal_equal(&a->literal, &b->literal);
    case LT_AST_INTERVAL:
        return interval_equal(&a->interval, &b->interval);
    case LT_AST_PARAMETER:
        return name_equal(&a->parameter.name, &b->parameter.name) && a->parameter.ordinal == b->parameter.ordinal;
    case LT_AST_LIKE:
        return a->like.kind == b->like.kind && a->like.quantifier == b->like.quantifier &&
               a->like.has_escape == b->like.has_escape && a->like.escape == b->like.escape;
    case LT_AST_CALL:
        return call_equal(a->call, b->call);
    case LT_AST_CAST:
        return type_equal(a->type, b->type);
    case LT_AST_EXISTS:
    case LT_AST_IN:
    case LT_AST_SUBQUERY:
        return query_at_equal(&a->query, &b->query);
    case LT_AST_STAR:
        return name_lists_equal(&a->except, &b->except);
    case LT_AST_TABLE_ARGUMENT:
        return table_argument_equal(a->table, b->table);
    default:
        return true;
    }
}

static bool expression_equal(const lt_ast_expression *a, const lt_ast_expression *b) {
    return a->kind == b->kind && a->depth == b->depth && a->negated == b->negated && a->has_operand == b->has_operand &&
           a->has_else == b->has_else &&
           a->operator== b->operator&& a->is == b->is && a->spelling == b->spelling &&
           expressions_equal(&a->arguments, &b->arguments) &&
           names_equal(&a->names, &b->names) && name_equal(&a->name, &b->name) && payload_equal(a, b);
}

static bool item_equal(const lt_ast_item *a, const lt_ast_item *b) {
    return expression_equal(a->expression, b->expression) && name_equal(&a->alias, &b->alias) &&
           names_equal(&a->aliases, &b->aliases);
}
LIST_EQUAL(items_equal, lt_ast_items, item_equal)

static bool alias_equal(const lt_ast_alias *a, const lt_ast_alias *b) {
    return name_equal(&a->name, &b->name) && names_equal(&a->columns, &b->columns);
}

static bool option_equal(const lt_ast_option *a, const lt_ast_option *b) {
    return a->key.bytes == b->key.bytes && memcmp(a->key.text, b->key.text, a->key.bytes) == 0 &&
           expression_at_equal(&a->value, &b->value);
}
LIST_EQUAL(options_equal, lt_ast_options, option_equal)

static bool join_equal(const lt_ast_join *a, const lt_ast_join *b) {
    return a->kind == b->kind && a->natural == b->natural && a->lateral == b->lateral &&
           expression_at_equal(&a->on, &b->on) && names_equal(&a->using_columns, &b->using_columns) &&
           expression_at_equal(&a->match_condition, &b->match_condition);
}
POINTER_EQUAL(join_at_equal, lt_ast_join, join_equal)

static bool pivot_equal(const lt_ast_pivot *a, const lt_ast_pivot *b) {
    return items_equal(&a->aggregates, &b->aggregates) && names_equal(&a->columns, &b->columns) &&
           items_equal(&a->values, &b->values);
}
POINTER_EQUAL(pivot_at_equal, lt_ast_pivot, pivot_equal)

static bool unpivot_set_equal(const lt_ast_unpivot_set *a, const lt_ast_unpivot_set *b) {
    return name_lists_equal(&a->columns, &b->columns) && name_equal(&a->alias, &b->alias);
}
LIST_EQUAL(unpivot_sets_equal, lt_ast_unpivot_sets, unpivot_set_equal)

static bool unpivot_equal(const lt_ast_unpivot *a, const lt_ast_unpivot *b) {
    return a->include_nulls == b->include_nulls && a->exclude_nulls_written == b->exclude_nulls_written &&
           a->has_tuple == b->has_tuple && names_equal(&a->value_columns, &b->value_columns) &&
           name_equal(&a->name_column, &b->name_column) && unpivot_sets_equal(&a->sets, &b->sets);
}
POINTER_EQUAL(unpivot_at_equal, lt_ast_unpivot, unpivot_equal)

static bool watermark_equal(const lt_ast_watermark *a, const lt_ast_watermark *b) {
    return item_equal(&a->item, &b->item) && expression_equal(a->delay, b->delay);
}
POINTER_EQUAL(watermark_at_equal, lt_ast_watermark, watermark_equal)
LIST_EQUAL(watermarks_equal, lt_ast_watermarks, watermark_at_equal)

static bool sample_equal(const lt_ast_sample *a, const lt_ast_sample *b) {
    return a->kind == b->kind && expression_equal(a->size, b->size) && expression_at_equal(&a->total, &b->total) &&
           expression_at_equal(&a->seed, &b->seed);
}
POINTER_EQUAL(sample_at_equal, lt_ast_sample, sample_equal)

static bool relation_equal(const lt_ast_relation *a, const lt_ast_relation *b) {
    return a->kind == b->kind && a->depth == b->depth && a->is_stream == b->is_stream && a->lateral == b->lateral &&
           a->within_watermark == b->within_watermark && a->lateral_view_outer == b->lateral_view_outer &&
           a->table_keyword == b->table_keyword && names_equal(&a->name, &b->name) &&
           alias_equal(&a->alias, &b->alias) && options_equal(&a->options, &b->options) &&
           watermark_at_equal(&a->watermark, &b->watermark) && sample_at_equal(&a->sample, &b->sample) &&
           expression_at_equal(&a->as_of, &b->as_of) && query_at_equal(&a->query, &b->query) &&
           expression_lists_equal(&a->rows, &b->rows) && expression_at_equal(&a->call, &b->call) &&
           names_equal(&a->columns, &b->columns) && relation_at_equal(&a->left, &b->left) &&
           relation_at_equal(&a->right, &b->right) && join_at_equal(&a->join, &b->join) &&
           pivot_at_equal(&a->pivot, &b->pivot) && unpivot_at_equal(&a->unpivot, &b->unpivot);
}

static bool group_items_equal(const lt_ast_group_items *a, const lt_ast_group_items *b);

static bool group_item_equal(const lt_ast_group_item *a, const lt_ast_group_item *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == LT_AST_GROUP_EXPRESSION && !item_equal(&a->item, &b->item)) return false;
    return expression_lists_equal(&a->sets, &b->sets) && group_items_equal(&a->items, &b->items);
}
LIST_EQUAL(group_items_equal, lt_ast_group_items, group_item_equal)

static bool group_by_equal(const lt_ast_group_by *a, const lt_ast_group_by *b) {
    return a->present == b->present && a->all == b->all && group_items_equal(&a->items, &b->items) &&
           a->with_rollup == b->with_rollup && a->with_cube == b->with_cube &&
           group_items_equal(&a->with_sets, &b->with_sets);
}

static bool named_window_equal(const lt_ast_named_window *a, const lt_ast_named_window *b) {
    return name_equal(&a->name, &b->name) && window_equal(a->window, b->window);
}
LIST_EQUAL(named_windows_equal, lt_ast_named_windows, named_window_equal)

static bool select_equal(const lt_ast_select *a, const lt_ast_select *b) {
    return a->distinct == b->distinct && a->all_written == b->all_written && a->from_first == b->from_first &&
           items_equal(&a->items, &b->items) && relation_at_equal(&a->from, &b->from) &&
           expression_at_equal(&a->where, &b->where) && group_by_equal(&a->group_by, &b->group_by) &&
           expression_at_equal(&a->having, &b->having) && named_windows_equal(&a->windows, &b->windows) &&
           expression_at_equal(&a->qualify, &b->qualify);
}
POINTER_EQUAL(select_at_equal, lt_ast_select, select_equal)

static bool organization_equal(const lt_ast_organization *a, const lt_ast_organization *b) {
    return a->order_by_all == b->order_by_all && order_equal(&a->order_by, &b->order_by) &&
           order_equal(&a->sort_by, &b->sort_by) && expressions_equal(&a->cluster_by, &b->cluster_by) &&
           expressions_equal(&a->distribute_by, &b->distribute_by) && expression_at_equal(&a->limit, &b->limit) &&
           a->limit_all == b->limit_all && expression_at_equal(&a->offset, &b->offset);
}

static bool cte_equal(const lt_ast_cte *a, const lt_ast_cte *b) {
    return name_equal(&a->name, &b->name) && names_equal(&a->columns, &b->columns) &&
           name_equal(&a->recursion_max, &b->recursion_max) && query_equal(a->query, b->query);
}
LIST_EQUAL(ctes_equal, lt_ast_ctes, cte_equal)

static bool step_equal(const lt_ast_pipe_step *a, const lt_ast_pipe_step *b) {
    return a->kind == b->kind && expression_at_equal(&a->expression, &b->expression) &&
           select_at_equal(&a->select, &b->select) && items_equal(&a->items, &b->items) &&
           names_equal(&a->names, &b->names) && group_by_equal(&a->group_by, &b->group_by) &&
           relation_at_equal(&a->relation, &b->relation) && sample_at_equal(&a->sample, &b->sample) &&
           a->set_operator == b->set_operator && a->all == b->all && query_at_equal(&a->query, &b->query) &&
           organization_equal(&a->organization, &b->organization) && named_windows_equal(&a->windows, &b->windows);
}
LIST_EQUAL(steps_equal, lt_ast_pipe_steps, step_equal)

static bool query_equal(const lt_ast_query *a, const lt_ast_query *b) {
    return a->kind == b->kind && a->depth == b->depth && a->recursive == b->recursive &&
           ctes_equal(&a->ctes, &b->ctes) && select_at_equal(&a->select, &b->select) &&
           names_equal(&a->name, &b->name) && relation_at_equal(&a->relation, &b->relation) &&
           expression_lists_equal(&a->rows, &b->rows) && alias_equal(&a->alias, &b->alias) &&
           a->set_operator == b->set_operator && a->all == b->all && queries_equal(&a->branches, &b->branches) &&
           steps_equal(&a->steps, &b->steps) && organization_equal(&a->organization, &b->organization) &&
           a->emit == b->emit;
}

static bool column_equal(const lt_ast_column *a, const lt_ast_column *b) {
    return name_equal(&a->name, &b->name) && type_at_equal(&a->type, &b->type) && a->not_null == b->not_null &&
           expression_at_equal(&a->default_value, &b->default_value) &&
           expression_at_equal(&a->generated, &b->generated) && text_equal(a->comment, b->comment) &&
           a->place == b->place && name_equal(&a->after, &b->after);
}
LIST_EQUAL(columns_equal, lt_ast_columns, column_equal)

static bool assignment_equal(const lt_ast_assignment *a, const lt_ast_assignment *b) {
    return names_equal(&a->target, &b->target) && expression_equal(a->value, b->value);
}
LIST_EQUAL(assignments_equal, lt_ast_assignments, assignment_equal)

bool lt_ast_statement_equal(const lt_ast_statement *a, const lt_ast_statement *b) {
    if (a->statement != NULL && (b->statement == NULL || !lt_ast_statement_equal(a->statement, b->statement)))
        return false;
    return a->kind == b->kind && a->or_replace == b->or_replace && a->if_not_exists == b->if_not_exists &&
           a->if_exists == b->if_exists && a->temporary == b->temporary && a->global == b->global &&
           a->streaming == b->streaming && a->by_name == b->by_name && a->overwrite == b->overwrite &&
           a->extended == b->extended && a->object == b->object && a->alter == b->alter && a->explain == b->explain &&
           names_equal(&a->name, &b->name) && names_equal(&a->new_name, &b->new_name) &&
           names_equal(&a->like_name, &b->like_name) && columns_equal(&a->columns, &b->columns) &&
           columns_equal(&a->returns_columns, &b->returns_columns) &&
           watermarks_equal(&a->watermarks, &b->watermarks) && names_equal(&a->primary_key, &b->primary_key) &&
           names_equal(&a->partitioned_by, &b->partitioned_by) && name_equal(&a->using_name, &b->using_name) &&
           options_equal(&a->options, &b->options) && options_equal(&a->properties, &b->properties) &&
           text_equal(a->location, b->location) && text_equal(a->comment, b->comment) &&
           text_equal(a->pattern, b->pattern) && text_equal(a->path, b->path) && text_equal(a->what, b->what) &&
           text_equal(a->key, b->key) && text_equal(a->value, b->value) && query_at_equal(&a->query, &b->query) &&
           names_equal(&a->target_columns, &b->target_columns) && assignments_equal(&a->assignments, &b->assignments) &&
           expression_at_equal(&a->where, &b->where) && expression_at_equal(&a->body, &b->body) &&
           expression_at_equal(&a->delay, &b->delay) && type_at_equal(&a->type, &b->type) &&
           items_equal(&a->items, &b->items) && alias_equal(&a->alias, &b->alias) &&
           names_equal(&a->parameters, &b->parameters);
}
