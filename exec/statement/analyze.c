#include "exec/made_query.h"

#include "base/ascii.h"

// analyze: ANALYZE TABLE counts the rows of files and the distinct values of their columns, by a query, for the
// order of joins; CACHE, UNCACHE and REFRESH TABLE, which have little to do where every query reads what is there now.

static bool can_count(const lt_type *type) {
    return type->kind != LT_MAP && type->kind != LT_ARRAY && type->kind != LT_STRUCT && type->kind != LT_VOID;
}

// SELECT count(*), approx_count_distinct(c), ... FROM the relation; columns: which column each item is of.
static leat_status query_build(leat_statement *statement, const lt_catalog_entry *entry, lt_made_query *out,
                               uint32_t *columns, leat_error *err) {
    const lt_ast_statement *tree  = statement->tree;
    lt_arena               *arena = &statement->result_arena;
    lt_ast_expression      *star, *item;
    LT_TRY(lt_made_query_init(out, statement, entry->name, entry->column_count + 1u, err));
    LT_TRY_NEW(star, arena, err);
    star->kind = LT_AST_STAR;
    LT_TRY(lt_made_call(arena, "count", star, &item, err));
    lt_made_query_add(out, item);
    for (uint32_t c = 0; c < entry->column_count; c++) {
        bool is_named = tree->extended;
        for (uint32_t i = 0; i < tree->target_columns.count; i++)
            is_named |= lt_ascii_compare(tree->target_columns.items[i].text, entry->columns[c].name) == 0;
        if (!is_named || !can_count(entry->columns[c].type)) continue;
        columns[out->select->items.count] = c;
        LT_TRY(lt_made_column(arena, entry->columns[c].name, &item, err));
        LT_TRY(lt_made_call(arena, "approx_count_distinct", item, &item, err));
        lt_made_query_add(out, item);
    }
    return LEAT_OK;
}

static leat_status counts_take(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    lt_made_query query;
    lt_segments   rows;
    uint32_t     *columns;
    int64_t      *distinct;
    LT_TRY_NEW_ARRAY(columns, &statement->result_arena, entry->column_count + 1u, err);
    LT_TRY_NEW_ARRAY(distinct, &entry->arena, entry->column_count + 1u, err);
    for (uint32_t c = 0; c < entry->column_count; c++)
        distinct[c] = entry->counts.distinct == NULL ? -1 : entry->counts.distinct[c];
    LT_TRY(query_build(statement, entry, &query, columns, err));
    leat_status status = lt_made_query_run(&query, NULL, &rows, err);
    if (status == LEAT_OK) {
        const lt_vector *values = rows.items[0]->columns;
        for (uint32_t c = 1; c < rows.column_count; c++) distinct[columns[c]] = LT_LANES(&values[c], const int64_t)[0];
        entry->counts = (lt_catalog_counts){.rows = LT_LANES(&values[0], const int64_t)[0], .distinct = distinct};
        statement->session->catalog.version++;
    }
    lt_segments_deinit(&rows);
    return status;
}

leat_status lt_run_analyze(leat_statement *statement, leat_error *err) {
    const lt_ast_statement *tree  = statement->tree;
    const char             *name  = lt_ast_names_last(&tree->name);
    lt_catalog_entry       *entry = lt_catalog_find(&statement->session->catalog, name);
    if (entry == NULL) return lt_relation_missing(statement, name, err);
    if (entry->kind == LT_RELATION_VIEW)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__ANALYZE_VIEW, &tree->place, "`%s` is a view; analyze its tables",
                        name);
    for (uint32_t i = 0; i < tree->target_columns.count; i++) {
        uint32_t c = 0;
        while (c < entry->column_count &&
               lt_ascii_compare(entry->columns[c].name, tree->target_columns.items[i].text) != 0)
            c++;
        if (c == entry->column_count)
            return lt_raise(err, LT_COLUMN_NOT_FOUND, &tree->target_columns.items[i].place, "`%s` has no column `%s`",
                            name, tree->target_columns.items[i].text);
    }
    if (entry->kind != LT_RELATION_FILE_TABLE)
        return lt_statement_message_set(statement, err, "%s counts its rows as they come", name);
    if (tree->by_name) return lt_statement_message_set(statement, err, "%s: not read", name);
    LT_TRY(counts_take(statement, entry, err));
    return lt_statement_message_set(statement, err, "%s: %lld rows", name, (long long)entry->counts.rows);
}

leat_status lt_run_cache(leat_statement *statement, leat_error *err) {
    lt_ast_statement *tree = statement->tree;
    if (tree->query != NULL) { // CACHE TABLE v AS query: a temporary view that would be kept
        lt_ast_statement *view;
        LT_TRY_NEW(view, &statement->result_arena, err);
        *view              = *tree;
        view->kind         = LT_AST_STATEMENT_CREATE_VIEW;
        view->temporary    = true;
        statement->tree    = view;
        leat_status status = lt_run_create_view(statement, err);
        statement->tree    = tree;
        return status;
    }
    const char *name = tree->name.count > 0 ? lt_ast_names_last(&tree->name) : NULL;
    if (name != NULL && !tree->if_exists && lt_catalog_find(&statement->session->catalog, name) == NULL)
        return lt_relation_missing(statement, name, err);
    return lt_statement_message_set(statement, err, "every query reads what is there now");
}
