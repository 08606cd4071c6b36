#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "parser/parser.h"

// FROM: tables, views, CTEs, sub-queries and VALUES, with their aliases. Joins, table functions and pivots have files
// of their own.

// ---- aliases
// ----------------------------------------------------------------------------------------------------------------

leat_status lt_alias_apply(lt_binder *binder, const lt_ast_alias *alias, const lt_place *place, lt_relation *relation,
                           leat_error *err) {
    uint32_t visible = 0;
    for (uint32_t i = 0; i < relation->columns.count; i++)
        if (!relation->columns.items[i].is_hidden && !relation->columns.items[i].is_qualified_only) visible++;
    if (alias->columns.count > 0 && alias->columns.count != visible)
        return lt_raise(err, LT_ASSIGNMENT_ARITY_MISMATCH, place, "%u aliases for %u columns", alias->columns.count,
                        visible);
    if (alias->name.text == NULL && alias->columns.count == 0) return LEAT_OK;
    lt_scope_columns renamed = {0};
    uint32_t         at      = 0;
    for (uint32_t i = 0; i < relation->columns.count; i++) {
        lt_scope_column column = relation->columns.items[i];
        if (column.is_qualified_only) continue;
        if (alias->name.text != NULL) column.relation = alias->name.text;
        if (!column.is_hidden && alias->columns.count > 0) column.name = alias->columns.items[at++].text;
        LT_LIST_ADD(binder->arena, &renamed, column, err);
    }
    relation->columns = renamed;
    return LEAT_OK;
}

static void forget_tables(lt_relation *relation) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < relation->columns.count; i++) {
        lt_scope_column *column = &relation->columns.items[i];
        if (column->is_qualified_only) continue;
        column->relation                = NULL;
        relation->columns.items[kept++] = *column;
    }
    relation->columns.count = kept;
}

// ---- relations of the catalog
// -------------------------------------------------------------------------------------------------

static bool column_is_metadata(const lt_catalog_entry *entry, uint32_t column) {
    return (entry->kind == LT_RELATION_STREAM || entry->kind == LT_RELATION_FILE_TABLE) &&
           strcmp(entry->columns[column].name, "_metadata") == 0;
}

// Options of the streams below: the shortest times, and whether all of them end.
static void event_time_options(const lt_plan *plan, lt_event_time_options *out) {
    if (plan->kind == LT_PLAN_STREAM_SCAN && plan->as.scan.relation != NULL) {
        const lt_event_time_options *own = &plan->as.scan.relation->event_time;
        if (out->idle_us == 0 || (own->idle_us > 0 && own->idle_us < out->idle_us)) out->idle_us = own->idle_us;
        if (out->jump_us == 0 || (own->jump_us > 0 && own->jump_us < out->jump_us)) out->jump_us = own->jump_us;
        out->is_final = own->is_final && (out->stream == NULL || out->is_final);
        if (out->stream == NULL) out->stream = plan->as.scan.relation->name;
    }
    for (uint32_t i = 0; i < plan->input_count; i++) event_time_options(plan->inputs[i], out);
}

static leat_status watermark_plan(lt_binder *binder, const lt_plan *input, uint32_t column, int64_t delay_us,
                                  const lt_plan **out, leat_error *err) {
    lt_plan        *plan;
    lt_plan_column *columns;
    LT_TRY(lt_plan_over(binder, LT_PLAN_WATERMARK, input, &plan, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, input->column_count, err);
    memcpy(columns, input->columns, input->column_count * sizeof *columns);
    columns[column].has_event_time = true;
    columns[column].delay_us       = delay_us;
    columns[column].watermark      = binder->watermark_next;
    plan->columns                  = columns;
    plan->as.watermark.column      = column;
    plan->as.watermark.delay_us    = delay_us;
    plan->as.watermark.watermark   = binder->watermark_next++;
    event_time_options(input, &plan->as.watermark.options);
    *out = plan;
    return LEAT_OK;
}

// The rows that a stream of changes stands for.
static leat_status changes_plan(lt_binder *binder, const lt_plan *scan, const lt_change_spec *spec, const lt_plan **out,
                                leat_error *err) {
    lt_plan        *plan;
    lt_plan_column *columns;
    LT_TRY(lt_plan_new(binder, LT_PLAN_CHANGES, &scan, 1, spec->column_count, &scan->place, &plan, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, spec->column_count, err);
    for (uint32_t c = 0; c < spec->column_count; c++) {
        const lt_type *type = spec->columns[c].type;
        columns[c]          = (lt_plan_column){.name = spec->columns[c].name,
                                               .type = type->kind == LT_STRING ? lt_type_of(LT_STRING) : type};
    }
    plan->columns         = columns;
    plan->as.changes.spec = spec;
    *out                  = plan;
    return LEAT_OK;
}

static leat_status scan_bind(lt_binder *binder, const lt_catalog_entry *entry, const char *name, const lt_place *place,
                             lt_relation *out, leat_error *err) {
    lt_plan *scan;
    LT_TRY(lt_plan_new(binder, entry->kind == LT_RELATION_STREAM ? LT_PLAN_STREAM_SCAN : LT_PLAN_TABLE_SCAN, NULL, 0,
                       entry->column_count, place, &scan, err));
    lt_plan_column *columns;
    uint32_t       *relation_columns;
    LT_TRY_NEW_ARRAY(columns, binder->arena, entry->column_count, err);
    LT_TRY_NEW_ARRAY(relation_columns, binder->arena, entry->column_count, err);
    for (uint32_t i = 0; i < entry->column_count; i++) {
        const lt_type *type = entry->columns[i].type;
        columns[i]          = (lt_plan_column){.name      = entry->columns[i].name,
                                               .type      = type->kind == LT_STRING ? lt_type_of(LT_STRING) : type,
                                               .is_hidden = column_is_metadata(entry, i)};
        relation_columns[i] = i;
    }
    scan->columns                  = columns;
    scan->as.scan.relation         = entry;
    scan->as.scan.relation_columns = relation_columns;
    const lt_plan *plan            = scan;
    if (entry->changes.kind != LT_CHANGES_NONE) LT_TRY(changes_plan(binder, scan, &entry->changes, &plan, err));
    if (entry->kind == LT_RELATION_STREAM && entry->event_time_column >= 0)
        LT_TRY(
            watermark_plan(binder, plan, (uint32_t)entry->event_time_column, entry->event_time_delay_us, &plan, err));
    return lt_relation_of_plan(binder, plan, name, out, err);
}

static leat_status view_bind(lt_binder *binder, const lt_catalog_entry *view, const lt_place *place, lt_relation *out,
                             leat_error *err) {
    for (const lt_name_stack *outer = binder->views; outer != NULL; outer = outer->outer)
        if (lt_ascii_compare(outer->name, view->name) == 0)
            return lt_raise(err, LT_RECURSIVE_VIEW, place, "the view `%s` refers to itself", view->name);
    if (binder->nesting >= LT_BIND_NESTING_MAX || ++binder->expansions > LT_BIND_EXPANSIONS_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, place, "views are nested too deeply, or used too often");
    const lt_name_stack  frame = {.outer = binder->views, .name = view->name};
    const lt_name_stack *views = binder->views;
    const lt_cte_scope  *ctes  = binder->ctes;
    lt_ast_statement    *statement;
    LT_TRY(lt_parse_statement(view->sql, strlen(view->sql), binder->arena, &statement, NULL, err));
    if (statement->query == NULL)
        return lt_raise(err, LT_INTERNAL_ERROR, place, "the text of the view `%s` is no query", view->name);
    const bool hides_temporary = binder->hides_temporary;
    binder->views              = &frame;
    binder->ctes               = NULL;
    const char *schema         = binder->schema;
    binder->schema             = view->schema_of_query;
    binder->hides_temporary |= !view->is_temporary; // a view that stays never sees temporary ones
    binder->nesting++;
    const leat_status status = lt_query_bind(binder, statement->query, NULL, out, err);
    binder->views            = views;
    binder->ctes             = ctes;
    binder->hides_temporary  = hides_temporary;
    binder->schema           = schema;
    binder->nesting--;
    if (status != LEAT_OK) {
        lt_error_context(err, "in view %s", view->name);
        return status;
    }
    // Columns that a table got since the view was made are not the view's (recorded).
    if (!view->is_temporary && view->column_count > 0 && out->columns.count > view->column_count)
        out->columns.count = view->column_count;
    for (uint32_t i = 0; i < out->columns.count; i++) {
        out->columns.items[i].relation = view->name + view->schema_bytes;
        if (view->view_columns == NULL) continue;
        out->columns.items[i].name = lt_arena_text(binder->arena, view->view_columns[i], strlen(view->view_columns[i]));
        if (out->columns.items[i].name == NULL) return lt_raise_no_memory(err);
    }
    return LEAT_OK;
}

leat_status lt_entry_bind(lt_binder *binder, const lt_catalog_entry *entry, const char *name, const lt_place *place,
                          lt_relation *out, leat_error *err) {
    if (entry->kind == LT_RELATION_VIEW) return view_bind(binder, entry, place, out, err);
    if (entry->kind == LT_RELATION_SINK)
        return lt_raise(err, LT_NOT_SUPPORTED, place, "`%s` is a sink: its rows leave and cannot be selected", name);
    return scan_bind(binder, entry, name, place, out, err);
}

static leat_status cte_bind(lt_binder *binder, const lt_cte_scope *cte, lt_relation *out, leat_error *err) {
    if (cte->is_forbidden)
        return lt_raise(err, LT_INVALID_RECURSIVE_CTE, &cte->cte->place,
                        "`%s` can refer to itself behind UNION ALL only", cte->cte->name.text);
    if (cte->recursion_scan != NULL) {
        if (binder->no_recursive_reference > 0)
            return lt_raise(err, LT_INVALID_RECURSIVE_REFERENCE__PLACE, &cte->cte->place,
                            "`%s` cannot refer to itself in an aggregate, a sub-query or the padded side of a join",
                            cte->cte->name.text);
        (*cte->recursion_uses)++;
        lt_plan *scan;
        LT_TRY_NEW(scan, binder->arena, err);
        *scan = *cte->recursion_scan;
        LT_TRY(lt_relation_of_plan(binder, scan, cte->cte->name.text, out, err));
        for (uint32_t i = 0; i < out->columns.count; i++) out->columns.items[i].name = cte->recursion_names[i];
        return LEAT_OK;
    }
    if (binder->nesting >= LT_BIND_NESTING_MAX || ++binder->expansions > LT_BIND_EXPANSIONS_MAX)
        return lt_raise(err, LT_LIMIT_EXCEEDED, &cte->cte->place,
                        "WITH is nested too deeply, or its queries are used too often");
    const lt_cte_scope *ctes  = binder->ctes;
    const lt_ast_alias  alias = {.name = cte->cte->name, .columns = cte->cte->columns};
    binder->nesting++;
    binder->ctes = cte->outer; // a CTE sees those in front of it, and the outer row of a sub-query that it is part of
    lt_frame   *frame  = cte->frame == binder->frame ? cte->frame : NULL;
    leat_status status = cte->is_recursive ? lt_recursive_bind(binder, cte, out, err)
                                           : lt_query_bind(binder, cte->cte->query, frame, out, err);
    binder->ctes       = ctes;
    binder->nesting--;
    LT_TRY(status);
    return lt_alias_apply(binder, &alias, &cte->cte->place, out, err);
}

static leat_status table_not_found(lt_binder *binder, const lt_ast_names *names, const lt_place *place,
                                   leat_error *err) {
    const char *name = lt_ast_names_last(names);
    if (names->count == 2 && (strchr(name, '/') != NULL || strchr(name, '.') != NULL))
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, place,
                        "no format `%s` to read `%.100s`; there are json, csv and text", names->items[0].text, name);
    const char *nearest = binder->context->catalog == NULL ? NULL : lt_catalog_nearest(binder->context->catalog, name);
    if (nearest == NULL) return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, place, "no table or view `%s`", name);
    return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, place, "no table or view `%s`; did you mean `%s`?", name, nearest);
}

static bool is_format(const lt_ast_name *name) {
    static const char *const formats[] = {"json", "csv", "text", "parquet", "orc"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (lt_ascii_compare(name->text, formats[i]) == 0) return true;
    return false;
}

leat_status lt_table_bind(lt_binder *binder, const lt_ast_names *name, const lt_place *place, lt_relation *out,
                          leat_error *err) {
    const char *last = lt_ast_names_last(name);
    if (name->count > 3)
        return lt_raise(err, LT_REQUIRES_SINGLE_PART_NAMESPACE, place, "the name of a table has at most three parts");
    if (name->count == 1)
        for (const lt_cte_scope *cte = binder->ctes; cte != NULL; cte = cte->outer)
            if (lt_ascii_compare(cte->cte->name.text, last) == 0) return cte_bind(binder, cte, out, err);
    if (name->count == 2 && is_format(&name->items[0]) && binder->context->open_path != NULL) {
        const lt_catalog_entry *entry;
        LT_TRY(binder->context->open_path(binder->context->user, name->items[0].text, last, place, &entry, err));
        return lt_entry_bind(binder, entry, last, place, out, err);
    }
    const lt_catalog       *catalog    = binder->context->catalog;
    const lt_catalog_entry *entry      = NULL;
    const bool              is_of_here = name->count < 3 || lt_ascii_compare(name->items[0].text, "spark_catalog") == 0;
    if (catalog != NULL && is_of_here) {
        const char *key = lt_catalog_key(catalog, binder->schema, binder->arena, name);
        if (key == NULL) return lt_raise_no_memory(err);
        entry = name->count > 1 || binder->hides_temporary ? lt_catalog_find_permanent(catalog, key)
                                                           : lt_catalog_find(catalog, key);
    }
    if (entry == NULL) return table_not_found(binder, name, place, err);
    return lt_entry_bind(binder, entry, last, place, out, err);
}

// ---- VALUES
// -----------------------------------------------------------------------------------------------------------------------

// VALUES struct(1, 'a') is VALUES (1, 'a'); named_struct(..) stays one value.
static leat_status structs_spread(lt_binder *binder, const lt_ast_expression_lists *rows, lt_ast_expression_lists *out,
                                  leat_error *err) {
    *out = *rows;
    LT_TRY_NEW_ARRAY(out->items, binder->arena, rows->count, err);
    for (uint32_t r = 0; r < rows->count; r++) {
        out->items[r]                = rows->items[r];
        const lt_ast_expression *one = rows->items[r].count == 1 ? rows->items[r].items[0] : NULL;
        if (one == NULL || one->kind != LT_AST_CALL || one->arguments.count == 0) continue;
        const char *name = lt_ast_names_last(&one->call->name);
        if (lt_ascii_compare(name, "struct") == 0) out->items[r] = one->arguments;
    }
    return LEAT_OK;
}

// A value of VALUES as a literal of its column's type; a constant that has no value is told here, as in Spark.
static leat_status value_settle(lt_binder *binder, const lt_type *type, const lt_expression **value, leat_error *err) {
    LT_TRY(lt_cast_to(binder, *value, type, value, err));
    if ((*value)->kind == LT_EXPRESSION_LITERAL || binder->context->fold == NULL || !lt_expression_is_foldable(*value))
        return LEAT_OK;
    const lt_vector  *folded;
    leat_error        cause;
    const leat_status status = binder->context->fold(binder->context->user, *value, binder->arena, &folded, &cause);
    if (status == LEAT_OK) return LEAT_OK;
    if (status == LEAT_NO_MEMORY) return lt_raise_no_memory(err);
    return lt_raise(err, LT_INVALID_INLINE_TABLE__FAILED_SQL_EXPRESSION_EVALUATION, &(*value)->place, "%s",
                    cause.message);
}

leat_status lt_values_bind(lt_binder *binder, const lt_ast_expression_lists *rows, lt_frame *frame,
                           const lt_place *place, lt_relation *out, leat_error *err) {
    lt_ast_expression_lists spread;
    LT_TRY(structs_spread(binder, rows, &spread, err));
    rows = &spread;
    if (rows->count == 0 || rows->items[0].count == 0)
        return lt_raise(err, LT_UNRESOLVABLE_TABLE_VALUED_FUNCTION, place, "VALUES needs a value");
    const uint32_t        columns = rows->items[0].count;
    const lt_expression **expressions;
    const lt_type       **types;
    lt_relation           none  = {0};
    lt_scope              scope = {.clause = LT_CLAUSE_VALUES, .relation = &none, .frame = frame};
    LT_TRY_NEW_ARRAY(expressions, binder->arena, (size_t)rows->count * columns, err);
    LT_TRY_NEW_ARRAY(types, binder->arena, columns, err);
    // What a value lacks by itself is told before the counts of values, these before their types.
    const lt_ast_expressions *uneven = NULL;
    for (uint32_t r = 0; r < rows->count; r++) {
        const lt_ast_expressions *row = &rows->items[r];
        if (uneven == NULL && row->count != columns) uneven = row;
        for (uint32_t c = 0; c < row->count; c++) {
            lt_bound value;
            LT_TRY(lt_bind_expression(binder, &scope, row->items[c], &value, err));
            if (lt_expression_has_slot(value.expression, LT_SLOT_OUTER) && frame == NULL)
                return lt_raise(err, LT_INVALID_INLINE_TABLE__CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE,
                                &row->items[c]->place, "VALUES takes constants");
            if (c < columns) expressions[r * columns + c] = value.expression;
        }
    }
    if (uneven != NULL)
        return lt_raise(err, LT_INVALID_INLINE_TABLE__NUM_COLUMNS_MISMATCH, &uneven->items[0]->place,
                        "a row of VALUES has %u values, the first has %u", uneven->count, columns);
    for (uint32_t i = 0; i < rows->count * columns; i++) {
        const uint32_t c    = i % columns;
        const lt_type *type = expressions[i]->type;
        types[c]            = i < columns ? type : lt_values_common_type(binder->arena, types[c], type);
        if (types[c] == NULL)
            return lt_raise(err, LT_INVALID_INLINE_TABLE__INCOMPATIBLE_TYPES_IN_INLINE_TABLE,
                            &rows->items[i / columns].items[c]->place, "the values of column %u have no common type",
                            c + 1);
    }
    lt_plan        *values;
    lt_plan_column *plan_columns;
    LT_TRY(lt_plan_new(binder, LT_PLAN_VALUES, NULL, 0, columns, place, &values, err));
    LT_TRY_NEW_ARRAY(plan_columns, binder->arena, columns, err);
    for (uint32_t c = 0; c < columns; c++) {
        plan_columns[c] = (lt_plan_column){.name = lt_arena_format(binder->arena, "col%u", c + 1), .type = types[c]};
        if (plan_columns[c].name == NULL) return lt_raise_no_memory(err);
        for (uint32_t r = 0; r < rows->count; r++)
            LT_TRY(value_settle(binder, types[c], &expressions[r * columns + c], err));
    }
    values->columns               = plan_columns;
    values->as.values.expressions = expressions;
    values->as.values.row_count   = rows->count;
    const lt_plan *plan           = values;
    // Sub-queries in VALUES: one row is a projection of the empty row.
    for (uint32_t i = 0; i < rows->count * columns; i++)
        if (lt_expression_has_subquery(expressions[i])) {
            if (rows->count > 1)
                return lt_raise(err, LT_INVALID_INLINE_TABLE__CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE, place,
                                "VALUES takes constants");
            const lt_plan *below;
            const char   **names;
            LT_TRY_NEW_ARRAY(names, binder->arena, columns, err);
            LT_TRY(lt_plan_empty_row(binder, &below, err));
            for (uint32_t c = 0; c < columns; c++) {
                names[c] = plan_columns[c].name;
                LT_TRY(lt_subqueries_lift(binder, &below, &expressions[c], err));
            }
            LT_TRY(lt_plan_project(binder, below, expressions, names, columns, &plan, err));
            break;
        }
    return lt_relation_of_plan(binder, plan, NULL, out, err);
}

leat_status lt_values_alias_check(const lt_ast_alias *alias, const lt_relation *values, const lt_place *place,
                                  leat_error *err) {
    if (alias->columns.count == 0 || alias->columns.count == values->columns.count) return LEAT_OK;
    return lt_raise(err, LT_INVALID_INLINE_TABLE__NUM_COLUMNS_MISMATCH, place, "%u aliases for %u columns of VALUES",
                    alias->columns.count, values->columns.count);
}

// ---- samples, watermarks, DEDUPLICATE
// -----------------------------------------------------------------------------------------

static leat_status delay_of(lt_binder *binder, const lt_ast_expression *ast, int64_t *out, leat_error *err) {
    lt_scope none = {.clause = LT_CLAUSE_OTHER};
    lt_bound bound;
    LT_TRY(lt_bind_expression(binder, &none, ast, &bound, err));
    const lt_kind kind = bound.expression->type->kind;
    if (bound.expression->kind != LT_EXPRESSION_LITERAL ||
        (kind != LT_INTERVAL_DAY_TIME && kind != LT_INTERVAL_YEAR_MONTH) ||
        lt_vector_is_null(bound.expression->value, 0))
        return lt_raise(err, LT_CANNOT_PARSE_INTERVAL, &ast->place, "the delay of a watermark is an interval of time");
    *out = kind == LT_INTERVAL_DAY_TIME
               ? LT_VALUE(bound.expression->value, int64_t, 0)
               : LT_VALUE(bound.expression->value, int32_t, 0) * (int64_t)31 * LT_US_PER_DAY; // as in CREATE STREAM
    if (*out < 0)
        return lt_raise(err, LT_CANNOT_PARSE_INTERVAL, &ast->place, "the delay of a watermark cannot be negative");
    return LEAT_OK;
}

static leat_status watermark_bind(lt_binder *binder, const lt_ast_watermark *ast, lt_frame *frame,
                                  lt_relation *relation, leat_error *err) {
    lt_scope scope = {.clause = LT_CLAUSE_OTHER, .relation = relation, .frame = frame};
    lt_bound time;
    int64_t  delay_us;
    LT_TRY(lt_bind_expression(binder, &scope, ast->item.expression, &time, err));
    LT_TRY(delay_of(binder, ast->delay, &delay_us, err));
    const lt_kind kind      = time.expression->type->kind;
    const bool    is_window = kind == LT_STRUCT;
    if (kind != LT_TIMESTAMP && kind != LT_TIMESTAMP_NTZ && !is_window)
        return lt_raise(err, LT_EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE, &ast->place,
                        "event time is a TIMESTAMP, `%s` is %s", time.text,
                        lt_type_text(binder->arena, time.expression->type));
    uint32_t column = time.expression->column;
    if (time.expression->kind != LT_EXPRESSION_COLUMN || ast->item.alias.text != NULL) {
        const uint32_t        count = relation->plan->column_count;
        const lt_expression **columns;
        const char          **names;
        LT_TRY_NEW_ARRAY(columns, binder->arena, count + 1, err);
        LT_TRY_NEW_ARRAY(names, binder->arena, count + 1, err);
        for (uint32_t i = 0; i < count; i++)
            LT_TRY(lt_column_new(binder, i, relation->plan->columns[i].type, &columns[i], err));
        columns[count] = time.expression;
        names[count]   = ast->item.alias.text != NULL ? ast->item.alias.text : time.text;
        LT_TRY(lt_plan_project(binder, relation->plan, columns, names, count + 1, &relation->plan, err));
        const lt_scope_column added = {.name = names[count], .type = time.expression->type, .column = count};
        LT_LIST_ADD(binder->arena, &relation->columns, added, err);
        column = count;
    }
    return watermark_plan(binder, relation->plan, column, delay_us, &relation->plan, err);
}

static leat_status deduplicate_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *out,
                                    leat_error *err) {
    if (ast->query != NULL) {
        LT_TRY(lt_query_bind(binder, ast->query, frame, out, err));
        forget_tables(out);
    } else {
        LT_TRY(lt_table_bind(binder, &ast->name, &ast->place, out, err));
    }
    lt_plan  *plan;
    uint32_t *columns;
    uint32_t  count = 0;
    LT_TRY(lt_plan_over(binder, LT_PLAN_DEDUPLICATE, out->plan, &plan, err));
    LT_TRY_NEW_ARRAY(columns, binder->arena, ast->columns.count + out->columns.count, err);
    lt_scope scope = {.clause = LT_CLAUSE_OTHER, .relation = out, .frame = frame};
    for (uint32_t i = 0; i < ast->columns.count; i++) {
        const lt_ast_names name = {.items = &ast->columns.items[i], .count = 1};
        bool               is_found;
        lt_bound           bound;
        LT_TRY(lt_scope_find(binder, &scope, &name, &is_found, &bound, err));
        if (!is_found)
            return lt_raise(err, LT_UNRESOLVED_COLUMN_AMONG_FIELD_NAMES, &ast->columns.items[i].place,
                            "no column `%s` to deduplicate by", name.items[0].text);
        columns[count++] = bound.expression->column;
    }
    for (uint32_t i = 0; ast->columns.count == 0 && i < out->columns.count; i++)
        if (!out->columns.items[i].is_hidden) columns[count++] = out->columns.items[i].column;
    plan->as.deduplicate.columns             = columns;
    plan->as.deduplicate.column_count        = count;
    plan->as.deduplicate.is_within_watermark = ast->within_watermark;
    out->plan                                = plan;
    return LEAT_OK;
}

// ---- the way in
// -------------------------------------------------------------------------------------------------------------------

static leat_status relation_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *out,
                                 leat_error *err) {
    lt_relation *left;
    switch (ast->kind) {
    case LT_AST_RELATION_TABLE:
        return lt_table_bind(binder, &ast->name, &ast->place, out, err);
    case LT_AST_RELATION_TABLE_QUERY:
        LT_TRY(lt_query_bind(binder, ast->query, frame, out, err));
        forget_tables(out);
        return LEAT_OK;
    case LT_AST_RELATION_VALUES:
        LT_TRY(lt_values_bind(binder, &ast->rows, frame, &ast->place, out, err));
        return lt_values_alias_check(&ast->alias, out, &ast->place, err);
    case LT_AST_RELATION_TABLE_CALL:
        return lt_table_call_bind(binder, ast, frame, out, err);
    case LT_AST_RELATION_DEDUPLICATE:
        return deduplicate_bind(binder, ast, frame, out, err);
    default:
        break;
    }
    LT_TRY_NEW(left, binder->arena, err);
    LT_TRY(lt_from_bind(binder, ast->left, frame, left, err));
    LT_TRY(lt_session_refuse(left, err));
    if (ast->kind == LT_AST_RELATION_JOIN) return lt_join_bind(binder, ast, frame, left, out, err);
    if (ast->kind == LT_AST_RELATION_PIVOT) return lt_pivot_bind(binder, ast, frame, left, out, err);
    if (ast->kind == LT_AST_RELATION_UNPIVOT) return lt_unpivot_bind(binder, ast, frame, left, out, err);
    return lt_lateral_view_bind(binder, ast, frame, left, out, err);
}

leat_status lt_from_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *out,
                         leat_error *err) {
    LT_TRY(relation_bind(binder, ast, frame, out, err));
    if (ast->as_of != NULL)
        return lt_raise(err, LT_NOT_SUPPORTED, &ast->place, "FOR SYSTEM_TIME AS OF stands at the right side of a JOIN");
    if (ast->watermark != NULL) LT_TRY(watermark_bind(binder, ast->watermark, frame, out, err));
    if (ast->sample != NULL) LT_TRY(lt_sample_apply(binder, ast->sample, out, err));
    // LATERAL VIEW has put its alias on its own columns only.
    if (ast->kind == LT_AST_RELATION_LATERAL_VIEW) return LEAT_OK;
    return lt_alias_apply(binder, &ast->alias, &ast->place, out, err);
}
