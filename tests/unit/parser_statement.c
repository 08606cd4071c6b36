// Claims about the parser that a round trip cannot show: places, limits, what an error says, foreign bytes, little
// memory.
#include "parser/parser.h"
#include "parser/print.h"
#include "parser/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rig {
    lt_account        account;
    lt_arena          arena;
    leat_error       *err;
    lt_ast_statement *statement;
    size_t            used;
} rig;

static void rig_open(rig *r, const leat_allocator *allocator) {
    *r = (rig){0};
    lt_account_init(&r->account, allocator, NULL, 0);
    lt_arena_init(&r->arena, &r->account);
    assert_int_equal(leat_error_create(&r->err), LEAT_OK);
}

static void rig_close(rig *r) {
    lt_arena_deinit(&r->arena);
    leat_error_destroy(&r->err);
    assert_int_equal(r->account.bytes, 0);
}

static leat_status rig_parse(rig *r, const char *sql, size_t bytes) {
    lt_error_reset(r->err);
    return lt_parse_statement(sql, bytes, &r->arena, &r->statement, &r->used, r->err);
}

// `sql` is refused with `condition` at line:column, and the message holds `text`.
static void refused(const char *sql, const char *condition, uint32_t line, uint32_t column, const char *text) {
    rig r;
    rig_open(&r, NULL);
    assert_int_not_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
    assert_string_equal(leat_error_condition(r.err), condition);
    assert_int_equal(leat_error_place(r.err).sql_line, line);
    assert_int_equal(leat_error_place(r.err).sql_column, column);
    if (strstr(leat_error_message(r.err), text) == NULL) fail_msg("`%s` lacks `%s`", leat_error_message(r.err), text);
    rig_close(&r);
}

static void statements_are_taken_one_by_one(void **state) {
    (void)state;
    const char *sql = "SELECT 1; -- a; b\n SELECT ';' ; /* c; */ ;";
    rig         r;
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
    assert_int_equal(r.used, 9);
    size_t at = r.used;
    assert_int_equal(rig_parse(&r, sql + at, strlen(sql + at)), LEAT_OK);
    assert_int_equal(r.statement->kind, LT_AST_STATEMENT_QUERY);
    at += r.used;
    assert_int_equal(rig_parse(&r, sql + at, strlen(sql + at)), LEAT_OK);
    assert_int_equal(r.statement->kind, LT_AST_STATEMENT_EMPTY);
    at += r.used;
    assert_int_equal(at, strlen(sql));
    assert_int_equal(rig_parse(&r, sql + at, 0), LEAT_OK);
    assert_int_equal(r.statement->kind, LT_AST_STATEMENT_EMPTY);
    assert_int_equal(r.used, 0);
    rig_close(&r);
}

static void nodes_know_their_text(void **state) {
    (void)state;
    const char *sql = "SELECT\n  \xC3\xA9 FROM t";
    refused(sql, "INVALID_IDENTIFIER", 2, 3, "back-quotes");
    sql = "SELECT '\xC3\xA9', (a + f(b)) , c::INT";
    rig r;
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
    const lt_ast_items *items    = &r.statement->query->select->items;
    const char         *wanted[] = {"'\xC3\xA9'", "(a + f(b))", "c::INT"};
    assert_int_equal(items->count, 3);
    for (uint32_t i = 0; i < items->count; i++) {
        const lt_place *place = &items->items[i].expression->place;
        assert_int_equal(place->bytes, strlen(wanted[i]));
        assert_memory_equal(sql + place->offset, wanted[i], place->bytes);
    }
    assert_int_equal(items->items[1].expression->place.column, 13); // characters, not bytes
    rig_close(&r);
}

static void errors_say_what_could_stand_there(void **state) {
    (void)state;
    refused("SELEC a FROM t", "PARSE_SYNTAX_ERROR", 1, 1, "did you mean SELECT?");
    refused("SELECT a FORM t WHERE b", "PARSE_SYNTAX_ERROR", 1, 15, "did you mean FROM instead of `FORM`?");
    refused("SELECT a FROM t ORDER a", "PARSE_SYNTAX_ERROR", 1, 23, "expected BY");
    refused("SELECT a FROM t WHERE\n a = ", "PARSE_SYNTAX_ERROR", 2, 6, "the end of the statement; expected a name");
    refused("CREATE STREAM s (a INT) USNG json", "PARSE_SYNTAX_ERROR", 1, 25, "did you mean USING?");
    refused("SELECT * FROM mix-ed", "INVALID_IDENTIFIER", 1, 15, "`mix-ed`");
    refused("SELECT 'a", "PARSE_SYNTAX_ERROR", 1, 8, "not closed");
    refused("SELECT `a", "PARSE_SYNTAX_ERROR", 1, 8, "not closed");
    refused("SELECT 1 /* a", "UNCLOSED_BRACKETED_COMMENT", 1, 10, "not closed");
    refused("SELECT a,\nFROM t", "TRAILING_COMMA_IN_SELECT", 1, 9, "remove it");
    refused("SELECT a FROM t AS left JOIN u", "PARSE_SYNTAX_ERROR", 1, 20, "back-quotes");
}

static void bytes_that_are_no_text_are_refused(void **state) {
    (void)state;
    refused("SELECT '\xC3'", "INVALID_ENCODING", 1, 9, "UTF-8");
    refused("SELECT 1 -- \xFF\xFE\n, 2", "INVALID_ENCODING", 1, 13, "UTF-8");
    refused("SELECT `\xED\xA0\x80`", "INVALID_ENCODING", 1, 9, "UTF-8");
    rig r;
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, "SELECT \0 1", 10), LEAT_SYNTAX);
    assert_string_equal(leat_error_condition(r.err), "INVALID_ENCODING");
    assert_int_equal(rig_parse(&r, "SELECT 'a\0b'", 12), LEAT_SYNTAX);
    assert_string_equal(leat_error_condition(r.err), "INVALID_ENCODING");
    rig_close(&r);
}

// `head`, then `unit` `count` times, then `middle`, then `tail` `count` times.
static char *repeated(const char *head, const char *unit, size_t count, const char *middle, const char *tail) {
    const size_t bytes = strlen(head) + count * (strlen(unit) + strlen(tail)) + strlen(middle) + 1;
    char        *text  = malloc(bytes);
    char        *at    = text;
    assert_non_null(text);
    at += snprintf(at, bytes, "%s", head);
    for (size_t i = 0; i < count; i++) at += snprintf(at, bytes - (size_t)(at - text), "%s", unit);
    at += snprintf(at, bytes - (size_t)(at - text), "%s", middle);
    for (size_t i = 0; i < count; i++) at += snprintf(at, bytes - (size_t)(at - text), "%s", tail);
    return text;
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    static const char *const parts[][4] = {
        {"SELECT ", "(", "1", ")"},
        {"SELECT ", "NOT ", "a", ""},
        {"SELECT ", "~", "a", ""},
        {"SELECT a", " - a", "", ""},
        {"SELECT a", "[0]", "", ""},
        {"SELECT a", "::INT", "", ""},
        {"SELECT ", "CASE WHEN a THEN ", "1", " END"},
        {"SELECT ", "f(", "1", ")"},
        {"SELECT f(", "x -> g(", "1", ")"},
        {"SELECT CAST(a AS ", "ARRAY<", "INT", ">"},
        {"SELECT * FROM t", " JOIN t", "", ""},
        {"SELECT * FROM ", "(SELECT * FROM ", "t", ")"},
        {"", "(", "SELECT 1", ")"},
        {"SELECT a IN ", "((", "1", "))"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *sql = repeated(parts[i][0], parts[i][1], 20000, parts[i][2], parts[i][3]);
        rig   r;
        rig_open(&r, NULL);
        assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_LIMIT);
        assert_string_equal(leat_error_condition(r.err), "LIMIT_EXCEEDED");
        assert_int_equal(leat_error_place(r.err).sql_line, 1);
        rig_close(&r);
        free(sql);
    }
}

static void long_lists_do_not_nest(void **state) {
    (void)state;
    static const char *const parts[][3] = {
        {"SELECT a", " AND b = 1", ""}, {"SELECT a", " OR b", ""},
        {"SELECT a IN (1", ", 2", ")"}, {"SELECT 1", " UNION ALL SELECT 2", ""},
        {"FROM t", " |> WHERE a", ""},  {"VALUES 1", ", (2)", ""},
        {"SELECT a", ", b", ""},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *sql = repeated(parts[i][0], parts[i][1], 8000, parts[i][2], "");
        rig   r;
        rig_open(&r, NULL);
        assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
        assert_true(r.statement->query->depth < 10);
        rig_close(&r);
        free(sql);
    }
}

static void size_has_a_limit(void **state) {
    (void)state;
    char *sql = repeated("SELECT '", "0123456789", 110000, "'", "");
    rig   r;
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_LIMIT);
    rig_close(&r);
    free(sql);
    sql = repeated("SELECT a", ", b", 60000, "", "");
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_LIMIT);
    assert_non_null(strstr(leat_error_message(r.err), "50000"));
    rig_close(&r);
    free(sql);
}

static void parameters_have_ordinals(void **state) {
    (void)state;
    const char *sql = "SELECT :b, :a + :b LIMIT :c";
    rig         r;
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
    assert_int_equal(r.statement->parameter_count, 3);
    assert_string_equal(r.statement->parameters.items[0].text, "b");
    assert_string_equal(r.statement->parameters.items[2].text, "c");
    assert_int_equal(r.statement->query->organization.limit->parameter.ordinal, 3);
    sql = "SELECT ?, f(?)";
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
    assert_int_equal(r.statement->parameter_count, 2);
    assert_null(r.statement->parameters.items[0].text);
    rig_close(&r);
}

static void schemas_and_types_are_texts_too(void **state) {
    (void)state;
    lt_ast_type *type = NULL;
    rig          r;
    rig_open(&r, NULL);
    const char *text = "id INT, `a b`: STRING NOT NULL COMMENT 'x', c STRUCT<d: ARRAY<INT>>";
    assert_int_equal(lt_parse_schema(text, strlen(text), &r.arena, &type, r.err), LEAT_OK);
    assert_int_equal(type->fields.count, 3);
    assert_true(type->fields.items[1].not_null);
    assert_int_equal(lt_parse_schema("DECIMAL(10, 2)", 14, &r.arena, &type, r.err), LEAT_OK);
    assert_int_equal(type->parameters.count, 2);
    assert_int_equal(lt_parse_type("INTERVAL DAY TO SECOND", 22, &r.arena, &type, r.err), LEAT_OK);
    assert_string_equal(type->to.text, "SECOND");
    assert_int_equal(lt_parse_schema(" ", 1, &r.arena, &type, r.err), LEAT_SYNTAX);
    assert_string_equal(leat_error_condition(r.err), "PARSE_EMPTY_STATEMENT");
    lt_error_reset(r.err);
    assert_int_equal(lt_parse_schema("a INT b", 7, &r.arena, &type, r.err), LEAT_SYNTAX);
    lt_ast_expression *e = NULL;
    lt_error_reset(r.err);
    assert_int_equal(lt_parse_expression("a + 1; b", 8, &r.arena, &e, r.err), LEAT_SYNTAX);
    rig_close(&r);
}

static void values_are_decoded(void **state) {
    (void)state;
    const char *sql =
        "SELECT 'a\\n\\t\\u00e9\\U0001F642\\101\\%\\_\\q''' \"b\"\"\" r'c\\n', -5L, INTERVAL -'1 2' DAY TO HOUR";
    rig r;
    rig_open(&r, NULL);
    assert_int_equal(rig_parse(&r, sql, strlen(sql)), LEAT_OK);
    const lt_ast_items   *items = &r.statement->query->select->items;
    const lt_ast_literal *text  = &items->items[0].expression->literal;
    assert_string_equal(text->text.text, "a\n\t\xC3\xA9\xF0\x9F\x99\x82"
                                         "A\\%\\_q'b\"c\\n");
    assert_string_equal(items->items[1].expression->literal.text.text, "-5");
    assert_string_equal(items->items[1].expression->literal.suffix, "L");
    const lt_ast_interval_part *part = &items->items[2].expression->interval.items[0];
    assert_true(part->is_negative && part->is_string);
    assert_string_equal(part->to.text, "HOUR");
    rig_close(&r);
}

static void keywords_are_sorted_and_found(void **state) {
    (void)state;
    for (size_t i = 0; i < lt_keyword_count(); i++) {
        const lt_keyword *keyword = lt_keyword_at(i);
        if (i > 0) assert_true(strcmp(lt_keyword_at(i - 1)->text, keyword->text) < 0);
        assert_ptr_equal(lt_keyword_find(keyword->text, strlen(keyword->text)), keyword);
        // Each may be the name of a column, bare behind AS and anywhere in back-quotes.
        char sql[128];
        rig  r;
        rig_open(&r, NULL);
        snprintf(sql, sizeof sql, "SELECT 1 AS %s, `%s`, t.%s", keyword->text, keyword->text, keyword->text);
        if (rig_parse(&r, sql, strlen(sql)) != LEAT_OK) fail_msg("%s: %s", sql, leat_error_message(r.err));
        rig_close(&r);
    }
    assert_non_null(lt_keyword_find("select", 6));
    assert_null(lt_keyword_find("selec", 5));
}

static void *reallocate_counted(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    size_t *left = user;
    (void)old_bytes;
    if (new_bytes == 0) {
        free(memory);
        return NULL;
    }
    if (*left == 0) return NULL;
    --*left;
    return realloc(memory, new_bytes);
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    const char *unit =
        "SELECT f(a, x -> x) OVER (ORDER BY b), CASE WHEN a THEN 'b' 'c' END FROM t JOIN u USING (k) WHERE a IN "
        "(SELECT 1) GROUP BY ROLLUP (a) UNION ALL ";
    char       *sql    = repeated("", unit, 40, "SELECT * FROM VALUES (1), (2) AS t(x) LIMIT 1", "");
    leat_status status = LEAT_NO_MEMORY;
    for (size_t allowed = 0; status != LEAT_OK; allowed++) {
        size_t         left      = allowed;
        leat_allocator allocator = {.user = &left, .reallocate = reallocate_counted};
        rig            r;
        assert_true(allowed < 1000);
        rig_open(&r, &allocator);
        status = rig_parse(&r, sql, strlen(sql));
        assert_true(status == LEAT_OK || status == LEAT_NO_MEMORY);
        rig_close(&r);
    }
    free(sql);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_taken_one_by_one),
        cmocka_unit_test(nodes_know_their_text),
        cmocka_unit_test(errors_say_what_could_stand_there),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(long_lists_do_not_nest),
        cmocka_unit_test(size_has_a_limit),
        cmocka_unit_test(parameters_have_ordinals),
        cmocka_unit_test(schemas_and_types_are_texts_too),
        cmocka_unit_test(values_are_decoded),
        cmocka_unit_test(keywords_are_sorted_and_found),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
