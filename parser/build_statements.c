#include "parser/build_node.h"

#include "base/ascii.h"
#include "base/edit_distance.h"

#include <string.h>

// Options, and every statement but CREATE.

LIST_BUILDER(lt_build_options, lt_ast_options, const lt_ast_option *option, *option)

lt_ast_option lt_build_option(const lt_ast_name *key, lt_ast_expression *value) {
    return (lt_ast_option){.key = *key, .value = value};
}

lt_ast_name lt_build_option_key(lt_builder *b, const lt_ast_names *parts) {
    if (b->status != LEAT_OK) return (lt_ast_name){.text = ""};
    if (parts->count == 1) return parts->items[0];
    lt_ast_name key = parts->items[0];
    for (uint32_t i = 1; i < parts->count && b->status == LEAT_OK; i++) {
        const char *joined = lt_arena_format(b->arena, "%s.%s", key.text, parts->items[i].text);
        if (joined == NULL)
            b->status = lt_raise_no_memory(b->err);
        else
            key.text = joined;
    }
    key.bytes  = (uint32_t)strlen(key.text);
    key.quoted = true;
    key.place  = lt_build_span(&key.place, &parts->items[parts->count - 1].place);
    return key;
}

lt_ast_name lt_build_option_string(const lt_string *string) {
    return (lt_ast_name){
        .text = string->text.text, .bytes = string->text.bytes, .quoted = true, .place = string->place};
}

// ---- statements ----
lt_ast_statement *lt_build_statement_new(lt_builder *b, lt_ast_statement_kind kind, const lt_place *place) {
    lt_ast_statement *statement = NEW(b, lt_ast_statement);
    statement->kind             = kind;
    statement->place            = *place;
    return statement;
}

lt_ast_statement *lt_build_query_statement(lt_builder *b, lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_statement_new(b, LT_AST_STATEMENT_QUERY, &query->place);
    statement->query            = query;
    return statement;
}

lt_ast_query *lt_build_emit(lt_builder *b, lt_ast_query *query, lt_ast_emit emit, const lt_ast_organization *limit) {
    lt_ast_query *outer = lt_build_query_open(b, query);
    outer->emit         = emit;
    if (limit != NULL && (outer->organization.limit != NULL || outer->organization.offset != NULL))
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &b->tokens[b->at].place, "syntax error: LIMIT stands twice");
    if (limit != NULL) lt_build_limited(&outer->organization, limit);
    return outer;
}

lt_ast_statement *lt_build_named(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                 const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_statement_new(b, kind, &begin->place);
    if (name != NULL) statement->name = *name;
    if (b->at > 0) statement->place = lt_build_span(&begin->place, &b->tokens[b->at - 1].place);
    return statement;
}

lt_ast_statement *lt_build_insert(lt_builder *b, const lt_token *begin, bool overwrite, const lt_ast_names *name,
                                  const lt_ast_names *columns, bool by_name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_INSERT, begin, name);
    statement->overwrite        = overwrite;
    statement->by_name          = by_name;
    if (columns != NULL) statement->target_columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_insert_where(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                        lt_ast_expression *where) {
    lt_ast_statement *statement = lt_build_insert(b, begin, false, name, NULL, false);
    statement->where            = where;
    return statement;
}

lt_ast_statement *lt_build_insert_query(lt_ast_statement *statement, lt_ast_query *query) {
    statement->query = query;
    statement->place = lt_build_span(&statement->place, &query->place);
    return statement;
}

lt_ast_statement *lt_build_delete(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                  const lt_ast_alias *alias, lt_ast_expression *where) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DELETE, begin, name);
    statement->alias            = *alias;
    statement->where            = where;
    return statement;
}

lt_ast_statement *lt_build_update(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                  const lt_ast_alias *alias, const lt_ast_assignments *assignments,
                                  lt_ast_expression *where) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_UPDATE, begin, name);
    statement->alias            = *alias;
    statement->assignments      = *assignments;
    statement->where            = where;
    return statement;
}

LIST_BUILDER(lt_build_assignments_add, lt_ast_assignments, const lt_ast_assignment *assignment, *assignment)

lt_ast_assignments *lt_build_assignments(lt_builder *b, lt_ast_assignments *list, const lt_ast_names *target,
                                         lt_ast_expression *value) {
    lt_ast_assignment assignment = {.target = *target, .value = value};
    return lt_build_assignments_add(b, list, &assignment);
}

lt_ast_statement *lt_build_drop(lt_builder *b, const lt_token *begin, lt_ast_object object, bool temporary,
                                bool if_exists, const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DROP, begin, name);
    statement->object           = object;
    statement->temporary        = temporary;
    statement->if_exists        = if_exists;
    return statement;
}

static bool is_word(const lt_token *token, const char *word) {
    return token->bytes == strlen(word) && lt_ascii_equal(token->text, word, token->bytes);
}

lt_ast_statement *lt_build_drop_word(lt_builder *b, lt_ast_statement *statement, const lt_token *word) {
    const bool is_schema = statement->object == LT_AST_OBJECT_SCHEMA;
    statement->extended  = is_schema && is_word(word, "CASCADE");
    const bool is_known  = statement->extended || (is_schema && is_word(word, "RESTRICT")) ||
                          (statement->object == LT_AST_OBJECT_TABLE && is_word(word, "PURGE"));
    if (!is_known)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &word->place, "syntax error at `%.*s`", (int)word->bytes, word->text);
    return statement;
}

lt_ast_statement *lt_build_drop_variable(lt_builder *b, const lt_token *begin, bool if_exists,
                                         const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DROP_VARIABLE, begin, name);
    statement->if_exists        = if_exists;
    return statement;
}

lt_ast_statement *lt_build_alter_names(lt_ast_statement *statement, lt_ast_alter alter, const lt_ast_names *name) {
    statement->alter    = alter;
    statement->new_name = *name;
    return statement;
}

lt_ast_statement *lt_build_alter_options(lt_ast_statement *statement, lt_ast_alter alter,
                                         const lt_ast_options *options) {
    statement->alter      = alter;
    statement->properties = *options;
    return statement;
}

lt_ast_statement *lt_build_alter_unset(lt_ast_statement *statement, bool if_exists, const lt_ast_options *options) {
    statement->if_exists = if_exists;
    return lt_build_alter_options(statement, LT_AST_ALTER_UNSET_PROPERTIES, options);
}

lt_ast_statement *lt_build_alter_columns(lt_ast_statement *statement, lt_ast_alter alter,
                                         const lt_ast_columns *columns) {
    statement->alter   = alter;
    statement->columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_alter_targets(lt_ast_statement *statement, lt_ast_alter alter, const lt_ast_names *names) {
    statement->alter          = alter;
    statement->target_columns = *names;
    return statement;
}

lt_ast_statement *lt_build_alter_drop(lt_ast_statement *statement, bool if_exists, const lt_ast_names *names) {
    statement->if_exists = if_exists;
    return lt_build_alter_targets(statement, LT_AST_ALTER_DROP_COLUMNS, names);
}

lt_ast_statement *lt_build_alter_column_of(lt_builder *b, lt_ast_statement *statement, const lt_ast_name *name) {
    const lt_ast_column column = {.name = *name};
    LIST_PUSH(b, &statement->columns, column);
    return statement;
}

lt_ast_statement *lt_build_alter_column(lt_ast_statement *statement, lt_ast_alter alter) {
    statement->alter = alter;
    return statement;
}

lt_ast_statement *lt_build_alter_comment(lt_ast_statement *statement, const lt_string *text) {
    if (statement->columns.count > 0) statement->columns.items[0].comment = text->text;
    return lt_build_alter_column(statement, LT_AST_ALTER_COLUMN_COMMENT);
}

lt_ast_statement *lt_build_alter_type(lt_ast_statement *statement, lt_ast_type *type) {
    if (statement->columns.count > 0) statement->columns.items[0].type = type;
    return lt_build_alter_column(statement, LT_AST_ALTER_COLUMN_TYPE);
}

lt_ast_statement *lt_build_alter_default(lt_ast_statement *statement, lt_ast_expression *value) {
    if (statement->columns.count > 0) statement->columns.items[0].default_value = value;
    return lt_build_alter_column(statement, LT_AST_ALTER_COLUMN_SET_DEFAULT);
}

lt_ast_column lt_build_column_place(const lt_ast_column *column, const lt_ast_name *after) {
    lt_ast_column changed = *column;
    changed.place         = after == NULL ? LT_AST_PLACE_FIRST : LT_AST_PLACE_AFTER;
    if (after != NULL) changed.after = *after;
    return changed;
}

lt_ast_statement *lt_build_alter_place(lt_ast_statement *statement, const lt_ast_name *after) {
    if (statement->columns.count > 0)
        statement->columns.items[0] = lt_build_column_place(&statement->columns.items[0], after);
    return lt_build_alter_column(statement, LT_AST_ALTER_COLUMN_PLACE);
}

lt_ast_statement *lt_build_alter_as(lt_ast_statement *statement, lt_ast_query *query) {
    statement->alter = LT_AST_ALTER_AS;
    statement->query = query;
    return statement;
}

lt_ast_statement *lt_build_comment_on(lt_builder *b, const lt_token *begin, lt_ast_object object,
                                      const lt_ast_names *name, const lt_string *text) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_COMMENT_ON, begin, name);
    statement->object           = object;
    statement->comment          = text->text;
    return statement;
}

lt_ast_statement *lt_build_analyze(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                   const lt_ast_names *columns, bool scans) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_ANALYZE, begin, name);
    statement->by_name          = !scans;
    if (columns != NULL) statement->target_columns = *columns;
    return statement;
}

lt_ast_statement *lt_build_analyze_all(lt_builder *b, const lt_token *begin, const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_analyze(b, begin, name, NULL, true);
    statement->extended         = true;
    return statement;
}

lt_token lt_build_joined_token(const lt_token *first, const lt_token *last) {
    lt_token token = *first;
    token.place    = lt_build_span(&first->place, &last->place);
    token.bytes    = token.place.bytes;
    return token;
}

lt_ast_statement *lt_build_show(lt_builder *b, const lt_token *begin, const lt_token *what, const lt_ast_names *name,
                                const lt_string *pattern) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_SHOW, begin, name);
    char             *upper     = lt_arena_text(b->arena, what->text, what->bytes);
    if (upper == NULL) {
        if (b->status == LEAT_OK) b->status = lt_raise_no_memory(b->err);
        return statement;
    }
    for (uint32_t i = 0; i < what->bytes; i++)
        if (upper[i] >= 'a' && upper[i] <= 'z') upper[i] = (char)(upper[i] - 32);
    statement->what = (lt_ast_text){upper, what->bytes};
    if (pattern != NULL) statement->pattern = pattern->text;
    if (what->terminal != 0 && what->kind == LT_SCAN_WORD && lt_ascii_equal(upper, "CREATE", 7))
        statement->object = LT_AST_OBJECT_TABLE;
    return statement;
}

lt_ast_names *lt_build_within(lt_builder *b, lt_ast_names *schema, const lt_ast_names *name) {
    return name->count == 0 ? schema : lt_build_names(b, schema, &name->items[name->count - 1]);
}

lt_ast_statement *lt_build_show_key(lt_ast_statement *statement, const lt_ast_name *key) {
    statement->key = (lt_ast_text){key->text, key->bytes};
    return statement;
}

// DESCRIBE FUNCTION '+': a name that is no word.
lt_ast_names *lt_build_string_names(lt_builder *b, const lt_string *string) {
    const lt_ast_name name = lt_build_option_string(string);
    return lt_build_names(b, NULL, &name);
}

lt_ast_statement *lt_build_describe(lt_builder *b, const lt_token *begin, lt_ast_object object, bool extended,
                                    const lt_ast_names *name, const lt_ast_name *column) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DESCRIBE, begin, name);
    statement->object           = object;
    statement->extended         = extended;
    if (column != NULL) LIST_PUSH(b, &statement->target_columns, *column);
    return statement;
}

lt_ast_statement *lt_build_describe_query(lt_builder *b, const lt_token *begin, lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DESCRIBE, begin, NULL);
    statement->object           = LT_AST_OBJECT_QUERY;
    statement->query            = query;
    return statement;
}

lt_ast_statement *lt_build_explain(lt_builder *b, const lt_token *begin, lt_ast_explain explain,
                                   lt_ast_statement *inner) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_EXPLAIN, begin, NULL);
    statement->explain          = explain;
    statement->statement        = inner;
    if (inner->kind == LT_AST_STATEMENT_EXPLAIN)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &inner->place, "syntax error: EXPLAIN of an EXPLAIN");
    return statement;
}

lt_ast_statement *lt_build_explain_query(lt_builder *b, const lt_token *begin, lt_ast_explain explain,
                                         const lt_ast_names *name) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_EXPLAIN, begin, name);
    statement->explain          = explain;
    return statement;
}

lt_ast_statement *lt_build_set_key(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                   const lt_token *key, const lt_token *value) {
    lt_ast_statement *statement = lt_build_named(b, kind, begin, NULL);
    if (key != NULL) {
        lt_ast_name name = lt_build_name(b, key);
        statement->key   = (lt_ast_text){name.text, name.bytes};
    }
    if (value != NULL)
        statement->value = value->kind == LT_SCAN_STRING ? lt_build_decoded_string(b, value)
                                                         : lt_build_text(b, value->text, value->bytes);
    return statement;
}

lt_ast_statement *lt_build_time_zone(lt_builder *b, const lt_token *begin, const lt_string *zone,
                                     lt_ast_expression *interval) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_SET_TIME_ZONE, begin, NULL);
    if (zone != NULL) statement->value = zone->text;
    statement->delay = interval;
    return statement;
}

lt_ast_statement *lt_build_set_variable(lt_builder *b, const lt_token *begin, const lt_ast_assignments *assignments,
                                        const lt_ast_names *names, lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_SET_VARIABLE, begin, NULL);
    if (assignments != NULL) statement->assignments = *assignments;
    if (names != NULL) statement->target_columns = *names;
    statement->query = query;
    return statement;
}

lt_ast_statement *lt_build_declare(lt_builder *b, const lt_token *begin, bool or_replace, const lt_ast_names *names,
                                   lt_ast_type *type) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_DECLARE_VARIABLE, begin, NULL);
    statement->or_replace       = or_replace;
    statement->target_columns   = *names;
    statement->type             = type;
    return statement;
}

lt_ast_statement *lt_build_declare_default(lt_ast_statement *statement, lt_ast_expression *e) {
    statement->body = e;
    return statement;
}

lt_ast_statement *lt_build_copy(lt_builder *b, const lt_token *begin, const lt_ast_names *name, lt_ast_query *query,
                                const lt_string *path, const lt_ast_options *options) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_COPY, begin, name);
    statement->query            = query;
    statement->path             = path->text;
    if (options != NULL) statement->options = *options;
    return statement;
}

lt_ast_statement *lt_build_wait(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                const lt_ast_names *name, lt_ast_expression *timeout) {
    lt_ast_statement *statement = lt_build_named(b, kind, begin, name);
    statement->delay            = timeout;
    return statement;
}

lt_ast_statement *lt_build_execute(lt_builder *b, const lt_token *begin, lt_ast_expression *text,
                                   const lt_ast_names *into, const lt_ast_items *arguments) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_EXECUTE_IMMEDIATE, begin, NULL);
    statement->body             = text;
    if (into != NULL) statement->target_columns = *into;
    if (arguments != NULL) statement->items = *arguments;
    return statement;
}

lt_ast_statement *lt_build_cache(lt_builder *b, const lt_token *begin, bool if_exists, const lt_ast_names *name,
                                 lt_ast_query *query) {
    lt_ast_statement *statement = lt_build_named(b, LT_AST_STATEMENT_CACHE, begin, name);
    statement->what             = lt_build_text(b, begin->text, begin->bytes);
    statement->if_exists        = if_exists;
    statement->query            = query;
    return statement;
}
