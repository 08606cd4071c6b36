#include "shell/shell.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// help: what is known about a word. Commands come from the table of dot.c, statements from the one below, everything
// else from the session: functions, options of connectors and formats, settings, conditions.

typedef struct statement_row {
    const char *syntax, *summary;
} statement_row;

static const statement_row statements[] = {
    {"CREATE [OR REPLACE] STREAM name (column TYPE, ... [, WATERMARK FOR c AS c - INTERVAL ...]) USING format OPTIONS "
     "(...)",
     "an unbounded input: files as they arrive, standard input, a generator, rows of the host"},
    {"CREATE TABLE name (column TYPE, ...) [USING format OPTIONS (...)]",
     "rows held in memory, or files read when asked"},
    {"CREATE TABLE name AS SELECT ...", "rows held in memory, from a query"},
    {"CREATE [OR REPLACE] [TEMPORARY] VIEW name AS SELECT ...", "a name for a query; runs nothing"},
    {"CREATE MATERIALIZED VIEW name [WITH (outputMode = ..., trigger = ..., checkpointLocation = ...)] AS SELECT ...",
     "a standing query whose result is a table to select from"},
    {"CREATE SINK name WITH (connector = ..., ...) AS SELECT ...", "a standing query whose output leaves leat"},
    {"SELECT ... FROM ... [WHERE ...] [GROUP BY ...] [HAVING ...] [ORDER BY ...] [LIMIT n]",
     "runs now, over what is there now"},
    {"SELECT ... EMIT CHANGES", "goes on and prints every change, until Ctrl-C or its LIMIT"},
    {"INSERT INTO name [VALUES ... | SELECT ...]", "rows into a table, or into a stream of connector memory"},
    {"COPY (SELECT ...) TO 'file' (FORMAT json)", "writes a complete file"},
    {"PROCESS ALL AVAILABLE [query] [TIMEOUT INTERVAL ...]", "waits until what is visible now is committed"},
    {"AWAIT TERMINATION [query] [TIMEOUT INTERVAL ...]", "waits until the query has ended"},
    {"START QUERY name", "goes on where its checkpoint is"},
    {"STOP QUERY name", "stops behind the running batch; its table stays"},
    {"DROP STREAM|TABLE|VIEW|MATERIALIZED VIEW|SINK [IF EXISTS] name", "forgets it; a checkpoint stays on disk"},
    {"SHOW STREAMS|TABLES|QUERIES|FUNCTIONS [LIKE 'pattern']", "what there is"},
    {"DESCRIBE name", "columns and types; DESCRIBE FUNCTION name: usage and an example"},
    {"EXPLAIN statement", "the plan, what bounds its states, where it recomputes"},
    {"EXPLAIN ANALYZE SELECT ...", "runs it; rows and time of every operator"},
    {"EXPLAIN [ANALYZE] QUERY name", "the plan of a standing query; rows, time, states, late rows, watermarks"},
    {"SET key = value", "a setting; SET alone lists them"},
    {"SET TIME ZONE 'Europe/Berlin'", "the session's time zone"},
    {"DECLARE VARIABLE name [TYPE] [= value]", "a session variable"},
};

static bool contains(const char *text, const char *word) { return text != NULL && strcasestr(text, word) != NULL; }

static void title_put(lt_shell_text *out, const char *title) {
    lt_text_format(out, "%s%s:\n", out->bytes > 0 ? "\n" : "", title);
}

static void statements_put(const char *word, lt_shell_text *out) {
    bool is_first = true;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (!contains(statements[i].syntax, word) && !contains(statements[i].summary, word)) continue;
        if (is_first) title_put(out, "statements");
        is_first = false;
        lt_text_format(out, "  %s\n      %s\n", statements[i].syntax, statements[i].summary);
    }
}

// SQL with the word as a string wherever %w stands.
static leat_statement *ask(lt_shell *shell, const char *sql, const char *word) {
    lt_shell_text   text      = {0};
    leat_statement *statement = NULL;
    for (const char *c = sql; *c != '\0'; c++) {
        if (c[0] != '%' || c[1] != 'w') {
            lt_text_append(&text, c, 1);
            continue;
        }
        c++;
        for (const char *w = word; *w != '\0'; w++) {
            if (*w == '\'' || *w == '\\') lt_text_put(&text, "\\");
            lt_text_append(&text, w, 1);
        }
    }
    (void)leat_prepare(shell->session, text.data, text.bytes, &statement, NULL, NULL);
    lt_text_free(&text);
    return statement;
}

// Rows as lines: the first column padded, the others behind it.
static void rows_put(lt_shell *shell, const char *title, const char *sql, const char *word, lt_shell_text *out) {
    leat_statement *statement = ask(shell, sql, word);
    bool            is_first  = true;
    while (statement != NULL && leat_step(statement, NULL) == LEAT_ROW) {
        if (is_first && title != NULL) title_put(out, title);
        is_first = false;
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            const char *text = leat_column_text(statement, c, NULL);
            if (text == NULL || text[0] == '\0') continue;
            lt_text_format(out, c == 0 ? "  %-32s" : " %s", text);
        }
        while (out->bytes > 0 && out->data[out->bytes - 1] == ' ') out->data[--out->bytes] = '\0';
        lt_text_put(out, "\n");
    }
    leat_statement_close(&statement);
}

static void settings_put(lt_shell *shell, const char *word, lt_shell_text *out) {
    leat_statement *statement = ask(shell, "SET", word);
    bool            is_first  = true;
    while (statement != NULL && leat_step(statement, NULL) == LEAT_ROW) {
        const char *name = leat_column_text(statement, 0, NULL);
        if (!contains(name, word)) continue;
        if (is_first) title_put(out, "settings");
        is_first = false;
        lt_text_format(out, "  %-32s", name);
        lt_text_format(out, " %s\n", leat_column_text(statement, 2, NULL));
    }
    leat_statement_close(&statement);
}

static void formats_put(const char *word, lt_shell_text *out) {
    bool is_first = true;
    for (const lt_result_format *const *row = lt_result_format_registry; *row != NULL; row++) {
        if (strcasecmp((*row)->name, word) != 0 && strcasecmp("format", word) != 0) continue;
        if (is_first) title_put(out, "formats of results");
        is_first = false;
        lt_text_format(out, "  %-32s %s\n", (*row)->name, (*row)->summary);
    }
}

bool lt_help_print(lt_shell *shell, const char *word) {
    lt_shell_text out = {0}, commands = {0};
    lt_text_append(&out, "", 0);
    const size_t before = out.bytes;
    rows_put(shell, "function", "DESCRIBE FUNCTION EXTENDED `%w`", word, &out);
    if (out.bytes == before) rows_put(shell, "functions", "SHOW FUNCTIONS LIKE '*%w*'", word, &out);
    statements_put(word, &out);
    lt_dot_help(shell, word, &commands);
    if (commands.bytes > 0) {
        title_put(&out, "commands");
        lt_text_append(&out, commands.data, commands.bytes);
    }
    formats_put(word, &out);
    rows_put(
        shell, "options",
        "SELECT name, concat('of ', owner, ': ', summary, if(initial IS NULL OR initial = '', '', concat(', default ', "
        "initial))) FROM leat_options WHERE lower(name) = lower('%w') OR lower(owner) = lower('%w')",
        word, &out);
    rows_put(shell, "connectors", "SELECT name, summary FROM leat_connectors WHERE lower(name) = lower('%w')", word,
             &out);
    settings_put(shell, word, &out);
    rows_put(shell, "conditions",
             "SELECT name, concat('SQLSTATE ', sqlstate, ': ', meaning) FROM leat_conditions WHERE startswith(name, "
             "upper('%w')) OR sqlstate = upper('%w')",
             word, &out);
    const bool is_known = out.bytes > 0;
    if (is_known)
        lt_output_write(lt_shell_output(shell), out.data, out.bytes);
    else
        lt_error_say(shell, "nothing is known about `%s`; .help lists the commands, SHOW FUNCTIONS the functions",
                     word);
    lt_text_free(&out);
    lt_text_free(&commands);
    lt_shell_output_done(shell);
    return is_known;
}
