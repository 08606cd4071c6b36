#include "exec/made_query.h"

#include "base/ascii.h"
#include "parser/parser.h"

// alter: ALTER TABLE, VIEW and SCHEMA, TRUNCATE. A change of the columns of a table in memory is a query over
// the table, whose answer takes the place of its rows.

static leat_status entry_of(leat_statement *statement, lt_catalog_entry **out, leat_error *err) {
    const lt_ast_statement *tree = statement->tree;
    *out                         = lt_catalog_find(&statement->session->catalog, lt_ast_names_last(&tree->name));
    if (*out == NULL || (*out)->kind == LT_RELATION_SYSTEM)
        return lt_relation_missing(statement, lt_ast_names_last(&tree->name), err);
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
    lt_catalog_rename(&statement->session->catalog, entry, copy);
    return lt_created_renew(statement, entry, err);
}

// ------------------------------------------------------------------------------------------------------------- columns

// The columns of a table after a change, each with the value that its rows get.
typedef struct reshaping {
    leat_statement     *statement;
    lt_catalog_entry   *entry;
    lt_catalog_column  *columns;
    lt_ast_expression **values;
    uint32_t            count, capacity;
} reshaping;

// Rows that are there get the default of a new column, or NULL.
static leat_status default_value(lt_arena *arena, const lt_catalog_column *column, lt_ast_expression **out,
                                 leat_error *err) {
    const char        *sql = column->default_sql != NULL ? column->default_sql : "NULL";
    lt_ast_expression *value;
    LT_TRY(lt_parse_expression(sql, strlen(sql), arena, &value, err));
    return lt_made_cast(arena, value, column->type, out, err);
}

static leat_status reshaping_open(leat_statement *statement, lt_catalog_entry *entry, uint32_t more, reshaping *out,
                                  leat_error *err) {
    *out = (reshaping){.statement = statement, .entry = entry, .capacity = entry->column_count + more};
    if (entry->kind != LT_RELATION_MEMORY_TABLE)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &statement->tree->place,
                        "columns of tables in memory can be changed, not those of a %s",
                        lt_relation_kind_name(entry->kind));
    LT_TRY_NEW_ARRAY(out->columns, &entry->arena, out->capacity + 1u, err);
    LT_TRY_NEW_ARRAY(out->values, &statement->result_arena, out->capacity + 1u, err);
    for (; out->count < entry->column_count; out->count++) {
        out->columns[out->count] = entry->columns[out->count];
        LT_TRY(
            lt_made_column(&statement->result_arena, entry->columns[out->count].name, &out->values[out->count], err));
    }
    return LEAT_OK;
}

// Those of PARTITIONED BY stay as they are, behind the others.
static leat_status column_find(const reshaping *self, const lt_ast_name *name, uint32_t *out, leat_error *err) {
    const uint32_t changeable = self->count - self->entry->partition_count;
    for (*out = 0; *out < self->count; (*out)++) {
        if (lt_ascii_compare(self->columns[*out].name, name->text) != 0) continue;
        if (*out < changeable) return LEAT_OK;
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &name->place,
                        "`%s` is PARTITIONED BY `%s`, which stays as it is", self->entry->name, name->text);
    }
    return lt_raise(err, LT_COLUMN_NOT_FOUND, &name->place, "`%s` has no column `%s`", self->entry->name, name->text);
}

static void column_remove(reshaping *self, uint32_t at) {
    self->count--;
    memmove(&self->columns[at], &self->columns[at + 1], sizeof *self->columns * (self->count - at));
    memmove(&self->values[at], &self->values[at + 1], sizeof(lt_ast_expression *) * (self->count - at));
}

static void column_insert(reshaping *self, uint32_t at, const lt_catalog_column *column, lt_ast_expression *value) {
    memmove(&self->columns[at + 1], &self->columns[at], sizeof *self->columns * (self->count - at));
    memmove(&self->values[at + 1], &self->values[at], sizeof(lt_ast_expression *) * (self->count - at));
    self->columns[at] = *column;
    self->values[at]  = value;
    self->count++;
}

static leat_status place_find(const reshaping *self, const lt_ast_column *written, uint32_t *out, leat_error *err) {
    *out = written->place == LT_AST_PLACE_FIRST ? 0 : self->count - self->entry->partition_count;
    if (written->place != LT_AST_PLACE_AFTER) return LEAT_OK;
    LT_TRY(column_find(self, &written->after, out, err));
    (*out)++;
    return LEAT_OK;
}

// The rows of a query over the table become its rows; a failing query changes nothing.
static leat_status rows_replace(const reshaping *self, leat_error *err) {
    leat_statement   *statement = self->statement;
    lt_catalog_entry *entry     = self->entry;
    lt_table         *table     = entry->object, changed;
    const lt_type   **types;
    lt_made_query     query;
    lt_segments       rows;
    LT_TRY_NEW_ARRAY(types, &entry->arena, self->count + 1u, err);
    for (uint32_t c = 0; c < self->count; c++) types[c] = self->columns[c].type;
    LT_TRY(lt_made_query_init(&query, statement, entry->name, self->count, err));
    for (uint32_t c = 0; c < self->count; c++) lt_made_query_add(&query, self->values[c]);
    LT_TRY(lt_table_init(&changed, types, self->count, false, &entry->arena, &statement->session->account, err));
    leat_status status = lt_made_query_run(&query, changed.types, &rows, err);
    if (status == LEAT_OK) status = lt_table_take(&changed, &rows, NULL, err);
    lt_segments_deinit(&rows);
    if (status != LEAT_OK) {
        lt_table_deinit(&changed);
        return status;
    }
    changed.version = changed.rewrite_version = table->version + 1;
    changed.next_place                        = table->next_place;
    lt_table_deinit(table);
    *table = changed;
    return LEAT_OK;
}

static leat_status reshaping_end(const reshaping *self, bool changes_rows, leat_error *err) {
    if (changes_rows) LT_TRY(rows_replace(self, err));
    self->entry->columns      = self->columns;
    self->entry->column_count = self->count;
    return lt_created_renew(self->statement, self->entry, err);
}

static leat_status add_columns(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const lt_ast_columns *written = &statement->tree->columns;
    lt_catalog_entry      more    = {.arena = entry->arena};
    reshaping             self;
    leat_status           status = lt_columns_bind(statement, written, &more, err);
    entry->arena                 = more.arena;
    LT_TRY(status);
    LT_TRY(reshaping_open(statement, entry, more.column_count, &self, err));
    for (uint32_t c = 0; c < more.column_count; c++) {
        lt_ast_expression *value;
        uint32_t           at;
        for (uint32_t old = 0; old < self.count; old++)
            if (lt_ascii_compare(self.columns[old].name, more.columns[c].name) == 0)
                return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &written->items[c].name.place,
                                "column `%s` is there already", more.columns[c].name);
        LT_TRY(place_find(&self, &written->items[c], &at, err));
        LT_TRY(default_value(&statement->result_arena, &more.columns[c], &value, err));
        column_insert(&self, at, &more.columns[c], value);
    }
    return reshaping_end(&self, true, err);
}

static leat_status drop_columns(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const lt_ast_names *names = &statement->tree->target_columns;
    reshaping           self;
    LT_TRY(reshaping_open(statement, entry, 0, &self, err));
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t    at;
        leat_error  own    = {0};
        leat_status status = column_find(&self, &names->items[i], &at, &own);
        if (status == LEAT_OK)
            column_remove(&self, at);
        else if (own.condition != LT_COLUMN_NOT_FOUND || !statement->tree->if_exists)
            return column_find(&self, &names->items[i], &at, err);
    }
    if (self.count == entry->partition_count)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &statement->tree->place,
                        "a table keeps one column at least");
    return reshaping_end(&self, true, err);
}

static leat_status rename_column(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const lt_ast_names *names = &statement->tree->target_columns;
    reshaping           self;
    uint32_t            at;
    LT_TRY(reshaping_open(statement, entry, 0, &self, err));
    LT_TRY(column_find(&self, &names->items[0], &at, err));
    for (uint32_t c = 0; c < self.count; c++)
        if (c != at && lt_ascii_compare(self.columns[c].name, names->items[1].text) == 0)
            return lt_raise(err, LT_COLUMN_ALREADY_EXISTS, &names->items[1].place, "column `%s` is there already",
                            names->items[1].text);
    self.columns[at].name = lt_arena_text(&entry->arena, names->items[1].text, names->items[1].bytes);
    if (self.columns[at].name == NULL) return lt_raise_no_memory(err);
    return reshaping_end(&self, false, err);
}

// ALTER COLUMN c: a new type casts the rows, a new place reads them in another order, the rest leaves them.
static leat_status alter_column(leat_statement *statement, lt_catalog_entry *entry, leat_error *err) {
    const lt_ast_statement *tree    = statement->tree;
    const lt_ast_column    *written = &tree->columns.items[0];
    lt_arena               *arena   = &statement->result_arena;
    reshaping               self;
    uint32_t                at, to;
    if (tree->alter == LT_AST_ALTER_COLUMN_COMMENT)
        return lt_column_comment_set(statement, entry, &written->name, written->comment, err);
    LT_TRY(reshaping_open(statement, entry, 0, &self, err));
    LT_TRY(column_find(&self, &written->name, &at, err));
    lt_catalog_column  changed = self.columns[at];
    lt_ast_expression *value   = self.values[at];
    if (tree->alter == LT_AST_ALTER_COLUMN_PLACE) {
        column_remove(&self, at);
        LT_TRY(place_find(&self, written, &to, err));
        column_insert(&self, to, &changed, value);
        return reshaping_end(&self, true, err);
    }
    if (tree->alter == LT_AST_ALTER_COLUMN_SET_NOT_NULL)
        return lt_raise(err, LT_UNSUPPORTED_FEATURE__TABLE_OPERATION, &tree->place,
                        "NOT NULL of a table in memory is a note and not enforced; test with WHERE %s IS NULL",
                        changed.name);
    if (tree->alter == LT_AST_ALTER_COLUMN_DROP_NOT_NULL) changed.is_not_null = false;
    if (tree->alter == LT_AST_ALTER_COLUMN_DROP_DEFAULT) changed.default_sql = NULL;
    if (tree->alter == LT_AST_ALTER_COLUMN_TYPE || tree->alter == LT_AST_ALTER_COLUMN_SET_DEFAULT) {
        // Bound as a column list, so that both mean what they mean in CREATE TABLE.
        const char   *type = lt_type_text(arena, changed.type);
        lt_ast_column one  = {.name = written->name, .type = written->type, .default_value = written->default_value};
        const lt_ast_columns list  = {.items = &one, .count = 1};
        lt_catalog_entry     bound = {.arena = entry->arena};
        if (type == NULL) return lt_raise_no_memory(err);
        if (one.type == NULL) LT_TRY(lt_parse_type(type, strlen(type), arena, &one.type, err));
        leat_status status = lt_columns_bind(statement, &list, &bound, err);
        entry->arena       = bound.arena;
        LT_TRY(status);
        if (tree->alter == LT_AST_ALTER_COLUMN_SET_DEFAULT) changed.default_sql = bound.columns[0].default_sql;
        if (tree->alter == LT_AST_ALTER_COLUMN_TYPE) {
            changed.type    = bound.columns[0].type;
            changed.is_char = bound.columns[0].is_char;
            LT_TRY(lt_made_cast(arena, value, changed.type, &self.values[at], err));
        }
    }
    self.columns[at] = changed;
    return reshaping_end(&self, tree->alter == LT_AST_ALTER_COLUMN_TYPE, err);
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
    case LT_AST_ALTER_DROP_COLUMNS:
        LT_TRY(refuse_read(statement, entry, err));
        return drop_columns(statement, entry, err);
    case LT_AST_ALTER_RENAME_COLUMN:
        LT_TRY(refuse_read(statement, entry, err));
        return rename_column(statement, entry, err);
    case LT_AST_ALTER_SET_PROPERTIES:
    case LT_AST_ALTER_UNSET_PROPERTIES:
        LT_TRY(lt_notes_alter(statement, &entry->notes, &entry->arena, err));
        return lt_created_renew(statement, entry, err);
    case LT_AST_ALTER_AS:
        LT_TRY(lt_view_replace(statement, entry, err));
        return lt_created_renew(statement, entry, err);
    default:
        if (statement->tree->alter != LT_AST_ALTER_COLUMN_COMMENT) LT_TRY(refuse_read(statement, entry, err));
        return alter_column(statement, entry, err);
    }
}

leat_status lt_run_alter_schema(leat_statement *statement, leat_error *err) {
    lt_catalog_notes *notes;
    LT_TRY(lt_schema_notes_find(statement, &notes, err));
    return lt_notes_alter(statement, notes, &statement->session->arena, err);
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
