// roundtrip: every SQL text of the conformance files goes text -> tree -> text -> tree, and both trees are equal; what
// Spark refuses as PARSE_SYNTAX_ERROR is refused. Of the other texts at least 99 % parse.
//
//     roundtrip [-v] FILE|FOLDER...
#include "parser/parser.h"
#include "parser/print.h"
#include "tests/parse/equal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct totals {
    size_t texts, parsed, refused_wrongly, syntax_errors, accepted_wrongly, changed;
    bool   is_verbose;
} totals;

static void report(const char *path, const char *what, const char *sql, size_t bytes, const char *detail) {
    printf("%s: %s: %.*s\n", path, what, (int)bytes, sql);
    if (detail != NULL) printf("    %s\n", detail);
}

// Parses one text that is meant to be a single statement.
static leat_status text_parse(const char *sql, size_t bytes, lt_arena *arena, lt_ast_statement **out, leat_error *err) {
    size_t used = 0;
    lt_error_reset(err);
    LT_TRY(lt_parse_statement(sql, bytes, arena, out, &used, err));
    lt_ast_statement *rest = NULL;
    if ((*out)->kind == LT_AST_STATEMENT_EMPTY) return lt_raise(err, LT_PARSE_SYNTAX_ERROR, NULL, "no statement");
    LT_TRY(lt_parse_statement(sql + used, bytes - used, arena, &rest, NULL, err));
    if (rest->kind == LT_AST_STATEMENT_EMPTY) return LEAT_OK;
    return lt_raise(err, LT_PARSE_SYNTAX_ERROR, NULL, "more than one statement");
}

// `wanted`: the condition that the text is recorded with; NULL for a text that works. What the parser itself refuses
// must be refused under that name.
static void text_check(totals *sum, const char *path, const char *sql, size_t bytes, const char *wanted) {
    const bool        must_fail = wanted != NULL && strcmp(wanted, "PARSE_SYNTAX_ERROR") == 0;
    lt_account        account;
    lt_arena          arena;
    lt_buffer         first, second;
    leat_error       *err  = NULL;
    lt_ast_statement *tree = NULL, *again = NULL;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    lt_buffer_init(&first, &account, 0);
    lt_buffer_init(&second, &account, 0);
    if (leat_error_create(&err) != LEAT_OK) exit(1);
    leat_status status = text_parse(sql, bytes, &arena, &tree, err);
    if (must_fail) {
        sum->syntax_errors++;
        if (status == LEAT_OK) {
            sum->accepted_wrongly++;
            report(path, "accepted", sql, bytes, NULL);
        } else if (sum->is_verbose) {
            report(path, leat_error_condition(err), sql, bytes, err->message);
        }
    } else {
        sum->texts++;
        if (status != LEAT_OK && (wanted == NULL || strcmp(leat_error_condition(err), wanted) != 0)) {
            sum->refused_wrongly++;
            report(path, leat_error_condition(err), sql, bytes, err->message);
        } else if (status != LEAT_OK) {
            sum->parsed++;
            if (sum->is_verbose) report(path, leat_error_condition(err), sql, bytes, err->message);
        } else {
            sum->parsed++;
            status = lt_print_statement(&first, tree, err);
            if (status == LEAT_OK) status = text_parse(first.data, first.bytes, &arena, &again, err);
            if (status == LEAT_OK) status = lt_print_statement(&second, again, err);
            const bool is_same = status == LEAT_OK && lt_ast_statement_equal(tree, again) &&
                                 first.bytes == second.bytes && memcmp(first.data, second.data, first.bytes) == 0;
            if (!is_same) {
                sum->changed++;
                report(path, "changed", sql, bytes, first.data);
                printf("    %s\n", status == LEAT_OK ? second.data : err->message);
            } else if (sum->is_verbose) {
                report(path, "same", sql, bytes, first.data);
            }
        }
    }
    leat_error_destroy(&err);
    lt_buffer_deinit(&first);
    lt_buffer_deinit(&second);
    lt_arena_deinit(&arena);
}

static char *file_read(const char *path, size_t *out_bytes) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *out_bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*out_bytes + 2);
    if (text == NULL || fread(text, 1, *out_bytes, file) != *out_bytes) exit(1);
    text[*out_bytes]     = '\n';
    text[*out_bytes + 1] = '\0';
    fclose(file);
    return text;
}

static bool line_is(const char *line, const char *end, const char *word) {
    size_t bytes = strlen(word);
    return (size_t)(end - line) >= bytes && memcmp(line, word, bytes) == 0 &&
           (line + bytes == end || line[bytes] == ' ');
}

// One record: lines up to a blank one. Comment lines before its first line are skipped; the SQL ends at `----`.
static void record_check(totals *sum, const char *path, const char *record, const char *record_end) {
    while (record < record_end) {
        const char *end = memchr(record, '\n', (size_t)(record_end - record));
        if (end == NULL) end = record_end;
        if (*record != '#' && !line_is(record, end, "differs:")) {
            const bool is_error = line_is(record, end, "error");
            if (!is_error && !line_is(record, end, "statement") && !line_is(record, end, "query")) return;
            char condition[128] = "";
            if (is_error && end - record > 6)
                snprintf(condition, sizeof condition, "%.*s", (int)(end - record - 6), record + 6);
            const char *sql     = end + 1;
            const char *sql_end = sql;
            while (sql_end < record_end) {
                const char *line_end = memchr(sql_end, '\n', (size_t)(record_end - sql_end));
                if (line_end == NULL) line_end = record_end;
                if (line_is(sql_end, line_end, "----")) break;
                sql_end = line_end + 1;
            }
            if (sql_end > record_end) sql_end = record_end;
            if (is_error && (line_is(sql, sql_end, "process") || line_is(sql, sql_end, "run"))) return;
            while (sql_end > sql && sql_end[-1] == '\n') sql_end--;
            text_check(sum, path, sql, (size_t)(sql_end - sql), is_error ? condition : NULL);
            return;
        }
        record = end + 1;
    }
}

static void file_check(totals *sum, const char *path) {
    size_t bytes = 0;
    char  *text  = file_read(path, &bytes);
    for (char *record = text; *record != '\0';) {
        char *end = strstr(record, "\n\n");
        if (end == NULL) end = text + bytes;
        record_check(sum, path, record, end);
        record = end;
        while (*record == '\n') record++;
    }
    free(text);
}

static void path_check(totals *sum, const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        file_check(sum, path);
        return;
    }
    struct dirent **names = NULL;
    int             count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        size_t bytes   = strlen(names[i]->d_name);
        bool   is_test = bytes > 5 && strcmp(names[i]->d_name + bytes - 5, ".test") == 0;
        if (names[i]->d_name[0] != '.' && (is_test || strchr(names[i]->d_name, '.') == NULL)) path_check(sum, inner);
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv) {
    totals sum = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0)
            sum.is_verbose = true;
        else
            path_check(&sum, argv[i]);
    }
    printf("%zu texts, %zu parse, %zu refused; %zu changed on the round trip; %zu syntax errors, %zu accepted\n",
           sum.texts, sum.parsed, sum.refused_wrongly, sum.changed, sum.syntax_errors, sum.accepted_wrongly);
    const bool is_good =
        sum.texts > 0 && sum.refused_wrongly * 100 <= sum.texts && sum.changed == 0 && sum.accepted_wrongly == 0;
    return is_good ? 0 : 1;
}
