#include "exec/session.h"

#include "base/ascii.h"
#include "parser/print.h"

// statements_alter: ALTER TABLE and VIEW, TRUNCATE.

static leat_status entry_of(leat_statement *statement, lt_catalog_entry **out, leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    *out                         = lt_catalog_find(&statement->session->catalog, lt_ast_names_last(&tree->name));
    if (*out == NULL || (*out)->kind == LT_RELATION_SYSTEM)
        return lt_raise(err, LT_TABLE_OR_VIEW_NOT_FOUND, &tree->place, "no relation `%s`",
                        lt_ast_names_last(&tree->name));
    return LEAT_OK;
}

static leat_status rename_entry(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const char *name = lt_ast_names_last(&statement->tree->new_name);
    if (lt_catalog_find(&statement->session->catalog, name) != NULL)
        return lt_raise(err, LT_TABLE_OR_VIEW_ALREADY_EXISTS, &statement->tree->place, "`%s` is there already", name);
    if (entry->kind == LT_RELATION_QUERY || entry->kind == LT_RELATION_SINK)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &statement->tree->place,
                        "a standing query keeps its name");
    const char *copy = lt_arena_text(&entry->arena, name, strlen(name));
    if (copy == NULL) return lt_raise_no_memory(err);
    entry->name = copy;
    statement->session->catalog.version++;
    return LEAT_OK;
}

// New columns are NULL in the rows that are there: every row is written again.
static leat_status widen_rows(lt_table *table, const lt_type *const *types, uint32_t column_count, lt_arena *arena,
                              leat_error *err) {
    lt_table_cursor cursor;
    lt_table        wider;
    LT_TRY(lt_table_open_cursor(table, 0, &cursor, err));
    LT_TRY(lt_table_init(&wider, types, column_count, false, arena, table->rows.account, err));
    lt_arena scratch;
    lt_arena_init(&scratch, table->rows.account);
    leat_status status = LEAT_OK;
    while (status == LEAT_OK) {
        lt_chunk old, chunk;
        status = lt_table_next(table, &cursor, NULL, table->column_count, &scratch, &old, err);
        if (status != LEAT_OK || old.count == 0) break;
        chunk              = old;
        chunk.column_count = column_count;
        chunk.columns      = LT_NEW_ARRAY(&scratch, lt_vector, column_count);
        if (chunk.columns == NULL) {
            status = lt_raise_no_memory(err);
            break;
        }
        memcpy(chunk.columns, old.columns, sizeof *old.columns * old.column_count);
        for (uint32_t c = old.column_count; status == LEAT_OK && c < column_count; c++)
            status = lt_vector_init_constant_null(&chunk.columns[c], types[c], &scratch, err);
        if (status == LEAT_OK) status = lt_segments_append(&wider.segments, &chunk, err);
        lt_arena_reset(&scratch);
    }
    lt_arena_deinit(&scratch);
    if (status != LEAT_OK) {
        lt_table_deinit(&wider);
        return status;
    }
    wider.version = wider.rewrite_version = table->version + 1;
    wider.next_place                      = table->next_place;
    lt_table_deinit(table);
    *table = wider;
    return LEAT_OK;
}

static leat_status add_columns(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    lt_catalog_column      *columns;
    lt_catalog_entry        more = {.arena = entry->arena};
    if (entry->kind != LT_RELATION_MEMORY_TABLE)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &tree->place,
                        "columns can be added to tables in memory only");
    leat_status status = lt_columns_bind(statement, &tree->columns, &more, err);
    entry->arena       = more.arena;
    LT_TRY(status);
    uint32_t count = entry->column_count + more.column_count;
    LT_TRY_NEW_ARRAY(columns, &entry->arena, count, err);
    memcpy(columns, entry->columns, sizeof *columns * entry->column_count);
    for (uint32_t c = 0; c < more.column_count; c++) {
        for (uint32_t old = 0; old < entry->column_count; old++)
            if (lt_ascii_compare(columns[old].name, more.columns[c].name) == 0)
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &tree->place, "column `%s` is there already",
                                more.columns[c].name);
        columns[entry->column_count + c] = more.columns[c];
    }
    const lt_type **types;
    LT_TRY_NEW_ARRAY(types, &entry->arena, count, err);
    for (uint32_t c = 0; c < count; c++) types[c] = columns[c].type;
    LT_TRY(widen_rows(entry->object, types, count, &entry->arena, err));
    entry->columns      = columns;
    entry->column_count = count;
    statement->session->catalog.version++;
    return LEAT_OK;
}

// The plan of a standing query holds on to the columns and the name that it was made for.
static leat_status refuse_read(leat_statement *statement, const lt_catalog_entry *entry, leat_error *err) {
    return lt_standing_refuse_drop(statement->session, entry, &statement->tree->place, err);
}

leat_status lt_run_alter(leat_statement *statement, leat_error *err) {
    lt_catalog_entry *entry;
    LT_TRY(entry_of(statement, &entry, err));
    switch (statement->tree->alter) {
    case LT_AST_ALTER_RENAME:
        LT_TRY(refuse_read(statement, entry, err));
        return rename_entry(statement, entry, err);
    case LT_AST_ALTER_ADD_COLUMNS:
        LT_TRY(refuse_read(statement, entry, err));
        return add_columns(statement, entry, err);
    case LT_AST_ALTER_SET_PROPERTIES:
    case LT_AST_ALTER_UNSET_PROPERTIES:
        return LEAT_OK;
    case LT_AST_ALTER_AS:
        return lt_view_replace(statement, entry, err);
    default:
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &statement->tree->place,
                        "this change of a table is not possible");
    }
}

leat_status lt_run_truncate(leat_statement *statement, leat_error *err) {
    lt_catalog_entry *entry;
    LT_TRY(entry_of(statement, &entry, err));
    if (entry->kind != LT_RELATION_MEMORY_TABLE)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &statement->tree->place,
                        "only tables in memory can be emptied");
    lt_table_reset(entry->object);
    return LEAT_OK;
}
