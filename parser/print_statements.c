#include "parser/print_node.h"

static void put_text_clause(lt_printer *p, const char *word, lt_ast_text text) {
    if (text.text == NULL) return;
    lt_put(p, word);
    lt_put_string(p, text);
}

static void put_column(lt_printer *p, const lt_ast_column *column) {
    lt_put_name(p, &column->name);
    if (column->type != NULL) {
        lt_put(p, " ");
        lt_put_type(p, column->type);
    } else if (column->generated != NULL) {
        lt_put(p, " AS ");
        lt_put_expression(p, column->generated, LT_LEVEL_OR);
    }
    lt_put_if(p, column->not_null, " NOT NULL");
    if (column->default_value != NULL) {
        lt_put(p, " DEFAULT ");
        lt_put_expression(p, column->default_value, LT_LEVEL_OR);
    }
    if (column->type != NULL && column->generated != NULL) {
        lt_put(p, " GENERATED ALWAYS AS (");
        lt_put_expression(p, column->generated, LT_LEVEL_OR);
        lt_put(p, ")");
    }
    put_text_clause(p, " COMMENT ", column->comment);
}

static void put_place(lt_printer *p, const lt_ast_column *column) {
    lt_put_if(p, column->place == LT_AST_PLACE_FIRST, " FIRST");
    if (column->place != LT_AST_PLACE_AFTER) return;
    lt_put(p, " AFTER ");
    lt_put_name(p, &column->after);
}

static void put_columns(lt_printer *p, const lt_ast_columns *columns) {
    for (uint32_t i = 0; i < columns->count; i++) {
        lt_put_comma(p, i);
        put_column(p, &columns->items[i]);
        put_place(p, &columns->items[i]);
    }
}

static void put_elements(lt_printer *p, const lt_ast_statement *s) {
    if (s->columns.count == 0 && s->watermarks.count == 0 && s->primary_key.count == 0) return;
    lt_put(p, " (");
    put_columns(p, &s->columns);
    for (uint32_t i = 0; i < s->watermarks.count; i++) {
        lt_put_comma(p, s->columns.count + i);
        lt_put(p, "WATERMARK FOR ");
        lt_put_expression(p, s->watermarks.items[i]->item.expression, LT_LEVEL_PRIMARY);
        lt_put(p, " AS ");
        lt_put_expression(p, s->watermarks.items[i]->delay, LT_LEVEL_OR);
    }
    if (s->primary_key.count > 0) {
        lt_put_comma(p, s->columns.count + s->watermarks.count);
        lt_put(p, "PRIMARY KEY ");
        lt_put_name_list(p, &s->primary_key);
    }
    lt_put(p, ")");
}

static void put_create_head(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "CREATE ");
    lt_put_if(p, s->or_replace, "OR REPLACE ");
    lt_put_if(p, s->global, "GLOBAL ");
    lt_put_if(p, s->temporary, "TEMPORARY ");
}

static void put_create(lt_printer *p, const lt_ast_statement *s, const char *what) {
    put_create_head(p, s);
    lt_put(p, s->streaming ? "STREAMING TABLE" : what);
    lt_put(p, s->if_not_exists ? " IF NOT EXISTS " : " ");
    lt_put_dotted(p, &s->name);
    put_elements(p, s);
    lt_put_if(p, s->like_name.count > 0, " LIKE ");
    lt_put_dotted(p, &s->like_name);
    if (s->using_name.text != NULL) {
        lt_put(p, " USING ");
        lt_put_name(p, &s->using_name);
    }
    lt_put_options(p, s->using_name.text != NULL ? " OPTIONS" : " WITH", &s->options);
    if (s->partitioned_by.count > 0) {
        lt_put(p, " PARTITIONED BY ");
        lt_put_name_list(p, &s->partitioned_by);
    }
    put_text_clause(p, " LOCATION ", s->location);
    put_text_clause(p, " COMMENT ", s->comment);
    lt_put_options(p, " TBLPROPERTIES", &s->properties);
    if (s->query != NULL) {
        lt_put(p, " AS ");
        lt_put_query(p, s->query);
    }
}

static void put_function(lt_printer *p, const lt_ast_statement *s) {
    put_create_head(p, s);
    lt_put(p, s->if_not_exists ? "FUNCTION IF NOT EXISTS " : "FUNCTION ");
    lt_put_dotted(p, &s->name);
    lt_put(p, "(");
    put_columns(p, &s->columns);
    lt_put(p, ")");
    put_text_clause(p, " COMMENT ", s->comment);
    if (s->type != NULL) {
        lt_put(p, " RETURNS ");
        lt_put_type(p, s->type);
    } else if (s->object == LT_AST_OBJECT_TABLE) {
        lt_put(p, " RETURNS TABLE");
        if (s->returns_columns.count > 0) {
            lt_put(p, " (");
            put_columns(p, &s->returns_columns);
            lt_put(p, ")");
        }
    }
    lt_put(p, " RETURN ");
    if (s->body != NULL)
        lt_put_expression(p, s->body, LT_LEVEL_OR);
    else
        lt_put_query(p, s->query);
}

static void put_assignments(lt_printer *p, const lt_ast_assignments *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        lt_put_comma(p, i);
        lt_put_dotted(p, &list->items[i].target);
        lt_put(p, " = ");
        lt_put_expression(p, list->items[i].value, LT_LEVEL_OR);
    }
}

static void put_where(lt_printer *p, const lt_ast_expression *where) {
    if (where == NULL) return;
    lt_put(p, " WHERE ");
    lt_put_expression(p, where, LT_LEVEL_OR);
}

static void put_named(lt_printer *p, const char *words, const lt_ast_statement *s) {
    lt_put(p, words);
    lt_put_if(p, s->if_exists, "IF EXISTS ");
    lt_put_dotted(p, &s->name);
}

static const char *const object_words[] = {
    [LT_AST_OBJECT_NONE]              = "",
    [LT_AST_OBJECT_TABLE]             = "TABLE ",
    [LT_AST_OBJECT_VIEW]              = "VIEW ",
    [LT_AST_OBJECT_MATERIALIZED_VIEW] = "MATERIALIZED VIEW ",
    [LT_AST_OBJECT_STREAM]            = "STREAM ",
    [LT_AST_OBJECT_SINK]              = "SINK ",
    [LT_AST_OBJECT_FUNCTION]          = "FUNCTION ",
    [LT_AST_OBJECT_QUERY]             = "QUERY ",
    [LT_AST_OBJECT_SCHEMA]            = "SCHEMA ",
    [LT_AST_OBJECT_COLUMN]            = "COLUMN ",
};

static void put_insert(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, s->overwrite ? "INSERT OVERWRITE " : "INSERT INTO ");
    lt_put_dotted(p, &s->name);
    lt_put_if(p, s->by_name, " BY NAME");
    lt_put_if(p, s->where != NULL, " REPLACE");
    put_where(p, s->where);
    lt_put(p, " ");
    if (s->target_columns.count > 0) {
        lt_put_name_list(p, &s->target_columns);
        lt_put(p, " ");
    }
    lt_put_query(p, s->query);
}

// ALTER TABLE t ALTER COLUMN c: what becomes of the column.
static void put_alter_column(lt_printer *p, const lt_ast_statement *s) {
    const lt_ast_column *column = &s->columns.items[0];
    lt_put(p, " ALTER COLUMN ");
    lt_put_name(p, &column->name);
    if (s->alter == LT_AST_ALTER_COLUMN_TYPE) {
        lt_put(p, " TYPE ");
        lt_put_type(p, column->type);
    } else if (s->alter == LT_AST_ALTER_COLUMN_SET_DEFAULT) {
        lt_put(p, " SET DEFAULT ");
        lt_put_expression(p, column->default_value, LT_LEVEL_OR);
    }
    put_text_clause(p, " COMMENT ", column->comment);
    lt_put_if(p, s->alter == LT_AST_ALTER_COLUMN_SET_NOT_NULL, " SET NOT NULL");
    lt_put_if(p, s->alter == LT_AST_ALTER_COLUMN_DROP_NOT_NULL, " DROP NOT NULL");
    lt_put_if(p, s->alter == LT_AST_ALTER_COLUMN_DROP_DEFAULT, " DROP DEFAULT");
    put_place(p, column);
}

static void put_alter(lt_printer *p, const lt_ast_statement *s) {
    const bool  is_schema  = s->kind == LT_AST_STATEMENT_ALTER_SCHEMA;
    const char *properties = is_schema ? "DBPROPERTIES" : "TBLPROPERTIES";
    put_named(p,
              is_schema                                ? "ALTER SCHEMA "
              : s->kind == LT_AST_STATEMENT_ALTER_VIEW ? "ALTER VIEW "
                                                       : "ALTER TABLE ",
              &(lt_ast_statement){.name = s->name});
    switch (s->alter) {
    case LT_AST_ALTER_RENAME:
        lt_put(p, " RENAME TO ");
        lt_put_dotted(p, &s->new_name);
        break;
    case LT_AST_ALTER_ADD_COLUMNS:
        lt_put(p, " ADD COLUMNS (");
        put_columns(p, &s->columns);
        lt_put(p, ")");
        break;
    case LT_AST_ALTER_DROP_COLUMNS:
        lt_put(p, s->if_exists ? " DROP COLUMNS IF EXISTS " : " DROP COLUMNS ");
        lt_put_name_list(p, &s->target_columns);
        break;
    case LT_AST_ALTER_RENAME_COLUMN:
        lt_put(p, " RENAME COLUMN ");
        lt_put_name(p, &s->target_columns.items[0]);
        lt_put(p, " TO ");
        lt_put_name(p, &s->target_columns.items[1]);
        break;
    case LT_AST_ALTER_SET_PROPERTIES:
        lt_put(p, " SET ");
        lt_put_options(p, properties, &s->properties);
        break;
    case LT_AST_ALTER_UNSET_PROPERTIES:
        lt_put(p, " UNSET ");
        lt_put(p, properties);
        lt_put_options(p, s->if_exists ? " IF EXISTS" : "", &s->properties);
        break;
    case LT_AST_ALTER_COLUMN_TYPE:
    case LT_AST_ALTER_COLUMN_COMMENT:
    case LT_AST_ALTER_COLUMN_SET_NOT_NULL:
    case LT_AST_ALTER_COLUMN_DROP_NOT_NULL:
    case LT_AST_ALTER_COLUMN_SET_DEFAULT:
    case LT_AST_ALTER_COLUMN_DROP_DEFAULT:
    case LT_AST_ALTER_COLUMN_PLACE:
        put_alter_column(p, s);
        break;
    case LT_AST_ALTER_AS:
        lt_put(p, " AS ");
        lt_put_query(p, s->query);
        break;
    }
}

static void put_comment_on(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "COMMENT ON ");
    put_named(p, object_words[s->object], s);
    if (s->comment.text == NULL)
        lt_put(p, " IS NULL");
    else
        put_text_clause(p, " IS ", s->comment);
}

static void put_analyze(lt_printer *p, const lt_ast_statement *s) {
    put_named(p, "ANALYZE TABLE ", s);
    lt_put(p, " COMPUTE STATISTICS");
    lt_put_if(p, s->by_name, " NOSCAN");
    lt_put_if(p, s->extended, " FOR ALL COLUMNS");
    lt_put_if(p, s->target_columns.count > 0, " FOR COLUMNS ");
    lt_put_names(p, &s->target_columns);
}

static void put_show(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "SHOW ");
    const bool is_properties = strcmp(s->what.text, "TBLPROPERTIES") == 0 || strcmp(s->what.text, "PARTITIONS") == 0;
    lt_put_bytes(p, s->what.text, s->what.bytes);
    lt_put_if(p, strcmp(s->what.text, "CURRENT") == 0, " SCHEMA");
    if (s->name.count > 0) {
        lt_put(p, s->object == LT_AST_OBJECT_TABLE ? " TABLE " : is_properties ? " " : " IN ");
        lt_put_dotted(p, &s->name);
    }
    put_text_clause(p, " LIKE ", s->pattern);
    put_text_clause(p, " (", s->key);
    lt_put_if(p, s->key.text != NULL, ")");
}

static void put_describe(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "DESCRIBE ");
    lt_put(p, object_words[s->object]);
    lt_put_if(p, s->extended, "EXTENDED ");
    if (s->query != NULL) {
        lt_put_query(p, s->query);
        return;
    }
    lt_put_dotted(p, &s->name);
    lt_put_if(p, s->target_columns.count > 0, " ");
    lt_put_names(p, &s->target_columns);
}

static void put_explain(lt_printer *p, const lt_ast_statement *s) {
    static const char *const words[] = {
        [LT_AST_EXPLAIN_PLAIN]     = "EXPLAIN ",
        [LT_AST_EXPLAIN_ANALYZE]   = "EXPLAIN ANALYZE ",
        [LT_AST_EXPLAIN_EXTENDED]  = "EXPLAIN EXTENDED ",
        [LT_AST_EXPLAIN_FORMATTED] = "EXPLAIN FORMATTED ",
        [LT_AST_EXPLAIN_CODEGEN]   = "EXPLAIN CODEGEN ",
        [LT_AST_EXPLAIN_COST]      = "EXPLAIN COST ",
    };
    lt_put(p, words[s->explain]);
    if (s->statement == NULL) {
        lt_put(p, "QUERY ");
        lt_put_dotted(p, &s->name);
        return;
    }
    lt_put_statement(p, s->statement); // one level: EXPLAIN of EXPLAIN does not parse
}

static void put_setting(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, s->kind == LT_AST_STATEMENT_SET ? "SET" : "RESET");
    if (s->key.text == NULL) return;
    lt_ast_name key      = {.text = s->key.text, .bytes = s->key.bytes};
    bool        is_plain = true;
    for (uint32_t i = 0; i < key.bytes; i++) {
        const char c = key.text[i];
        is_plain     = is_plain &&
                   ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.');
    }
    lt_put(p, " ");
    if (is_plain)
        lt_put_bytes(p, key.text, key.bytes);
    else
        lt_put_quoted_name(p, &key);
    put_text_clause(p, " = ", s->value);
}

static void put_time_zone(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "SET TIME ZONE ");
    if (s->delay != NULL)
        lt_put_expression(p, s->delay, LT_LEVEL_OR);
    else if (s->value.text != NULL)
        lt_put_string(p, s->value);
    else
        lt_put(p, "LOCAL");
}

static void put_set_variable(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "SET VARIABLE ");
    put_assignments(p, &s->assignments);
    if (s->query == NULL) return;
    lt_put_name_list(p, &s->target_columns);
    lt_put(p, " = ");
    lt_put_query_parens(p, s->query);
}

static void put_declare(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, s->or_replace ? "DECLARE OR REPLACE VARIABLE " : "DECLARE VARIABLE ");
    lt_put_names(p, &s->target_columns);
    if (s->type != NULL) {
        lt_put(p, " ");
        lt_put_type(p, s->type);
    }
    if (s->body != NULL) {
        lt_put(p, " DEFAULT ");
        lt_put_expression(p, s->body, LT_LEVEL_OR);
    }
}

static void put_copy(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "COPY ");
    if (s->query != NULL)
        lt_put_query_parens(p, s->query);
    else
        lt_put_dotted(p, &s->name);
    put_text_clause(p, " TO ", s->path);
    lt_put_options(p, "", &s->options);
}

static void put_wait(lt_printer *p, const char *words, const lt_ast_statement *s) {
    lt_put(p, words);
    lt_put_if(p, s->name.count > 0, " ");
    lt_put_dotted(p, &s->name);
    if (s->delay != NULL) {
        lt_put(p, " TIMEOUT ");
        lt_put_expression(p, s->delay, LT_LEVEL_OR);
    }
}

static void put_execute(lt_printer *p, const lt_ast_statement *s) {
    lt_put(p, "EXECUTE IMMEDIATE ");
    lt_put_expression(p, s->body, LT_LEVEL_OR);
    lt_put_if(p, s->target_columns.count > 0, " INTO ");
    lt_put_names(p, &s->target_columns);
    lt_put_if(p, s->items.count > 0, " USING ");
    lt_put_items(p, &s->items);
}

static void put_cache(lt_printer *p, const lt_ast_statement *s) {
    lt_put_bytes(p, s->what.text, s->what.bytes);
    if (s->name.count == 0) {
        lt_put(p, " CACHE");
        return;
    }
    put_named(p, " TABLE ", s);
    if (s->query != NULL) {
        lt_put(p, " AS ");
        lt_put_query(p, s->query);
    }
}

// One case a kind: the dispatch of the printer.
void lt_put_statement(lt_printer *p, const lt_ast_statement *s) {
    switch (s->kind) {
    case LT_AST_STATEMENT_EMPTY:
        break;
    case LT_AST_STATEMENT_QUERY:
        lt_put_query(p, s->query);
        break;
    case LT_AST_STATEMENT_CREATE_TABLE:
        put_create(p, s, "TABLE");
        break;
    case LT_AST_STATEMENT_CREATE_STREAM:
        put_create(p, s, "STREAM");
        break;
    case LT_AST_STATEMENT_CREATE_VIEW:
        put_create(p, s, "VIEW");
        break;
    case LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW:
        put_create(p, s, "MATERIALIZED VIEW");
        break;
    case LT_AST_STATEMENT_CREATE_SINK:
        put_create(p, s, "SINK");
        break;
    case LT_AST_STATEMENT_CREATE_FUNCTION:
        put_function(p, s);
        break;
    case LT_AST_STATEMENT_CREATE_SCHEMA:
        lt_put(p, s->if_not_exists ? "CREATE SCHEMA IF NOT EXISTS " : "CREATE SCHEMA ");
        lt_put_dotted(p, &s->name);
        put_text_clause(p, " COMMENT ", s->comment);
        put_text_clause(p, " LOCATION ", s->location);
        lt_put_options(p, " WITH DBPROPERTIES", &s->properties);
        break;
    case LT_AST_STATEMENT_INSERT:
        put_insert(p, s);
        break;
    case LT_AST_STATEMENT_DELETE:
        put_named(p, "DELETE FROM ", s);
        lt_put_alias(p, &s->alias);
        put_where(p, s->where);
        break;
    case LT_AST_STATEMENT_UPDATE:
        put_named(p, "UPDATE ", s);
        lt_put_alias(p, &s->alias);
        lt_put(p, " SET ");
        put_assignments(p, &s->assignments);
        put_where(p, s->where);
        break;
    case LT_AST_STATEMENT_MERGE:
        put_named(p, "MERGE INTO ", s);
        lt_put(p, " USING unknown");
        break;
    case LT_AST_STATEMENT_TRUNCATE:
        put_named(p, "TRUNCATE TABLE ", s);
        break;
    case LT_AST_STATEMENT_DROP:
        lt_put(p, s->temporary ? "DROP TEMPORARY " : "DROP ");
        put_named(p, object_words[s->object], s);
        lt_put_if(p, s->extended, " CASCADE");
        break;
    case LT_AST_STATEMENT_ALTER_TABLE:
    case LT_AST_STATEMENT_ALTER_VIEW:
    case LT_AST_STATEMENT_ALTER_SCHEMA:
        put_alter(p, s);
        break;
    case LT_AST_STATEMENT_COMMENT_ON:
        put_comment_on(p, s);
        break;
    case LT_AST_STATEMENT_ANALYZE:
        put_analyze(p, s);
        break;
    case LT_AST_STATEMENT_SHOW:
        put_show(p, s);
        break;
    case LT_AST_STATEMENT_DESCRIBE:
        put_describe(p, s);
        break;
    case LT_AST_STATEMENT_EXPLAIN:
        put_explain(p, s);
        break;
    case LT_AST_STATEMENT_SET:
    case LT_AST_STATEMENT_RESET:
        put_setting(p, s);
        break;
    case LT_AST_STATEMENT_SET_TIME_ZONE:
        put_time_zone(p, s);
        break;
    case LT_AST_STATEMENT_SET_VARIABLE:
        put_set_variable(p, s);
        break;
    case LT_AST_STATEMENT_DECLARE_VARIABLE:
        put_declare(p, s);
        break;
    case LT_AST_STATEMENT_DROP_VARIABLE:
        put_named(p, "DROP TEMPORARY VARIABLE ", s);
        break;
    case LT_AST_STATEMENT_COPY:
        put_copy(p, s);
        break;
    case LT_AST_STATEMENT_PROCESS_ALL:
        put_wait(p, "PROCESS ALL AVAILABLE", s);
        break;
    case LT_AST_STATEMENT_AWAIT_TERMINATION:
        put_wait(p, "AWAIT TERMINATION", s);
        break;
    case LT_AST_STATEMENT_START_QUERY:
        put_named(p, "START QUERY ", s);
        break;
    case LT_AST_STATEMENT_STOP_QUERY:
        put_named(p, "STOP QUERY ", s);
        break;
    case LT_AST_STATEMENT_EXECUTE_IMMEDIATE:
        put_execute(p, s);
        break;
    case LT_AST_STATEMENT_USE:
        put_named(p, "USE ", s);
        break;
    case LT_AST_STATEMENT_CACHE:
        put_cache(p, s);
        break;
    case LT_AST_STATEMENT_KIND_COUNT:
        break;
    }
}
