// example_calls: calls of all scalar functions over columns, made from the examples of SHOW FUNCTIONS: each literal
// that may be a column becomes one. Only <leat.h>.
//
//     SELECT substring('Spark', 2)   ->   substring(c0, c1)    literals 'Spark', 2
#ifndef LT_BENCH_EXAMPLE_CALLS_H
#define LT_BENCH_EXAMPLE_CALLS_H

#include <ctype.h>
#include <leat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLE_LITERALS_MAX = 6, EXAMPLE_BYTES_MAX = 2000, EXAMPLE_CALLS_MAX = 700 };

typedef struct example_piece {
    char text[EXAMPLE_BYTES_MAX];
    bool is_literal, is_column;
} example_piece;

typedef struct example_call {
    char          name[64];
    example_piece pieces[2 * EXAMPLE_LITERALS_MAX + 1];
    uint32_t      piece_count;
} example_call;

// The bytes of a literal that starts at `text` (a word before its quotes included), 0: none does. `before`: the byte
// before it.
static inline size_t example_literal_bytes(const char *text, char before) {
    static const char *const words[] = {"DATE", "TIMESTAMP_NTZ", "TIMESTAMP", "TIME", "X"};
    if (isalnum((unsigned char)before) || before == '_' || before == '.') return 0;
    size_t at = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words && at == 0; w++) {
        size_t bytes = strlen(words[w]);
        if (strncmp(text, words[w], bytes) != 0) continue;
        if (text[bytes] == ' ' && text[bytes + 1] == '\'') at = bytes + 1;
        if (text[bytes] == '\'') at = bytes;
    }
    if (text[at] == '\'') {
        for (at++; text[at] != '\0' && text[at] != '\''; at++)
            if (text[at] == '\\' && text[at + 1] != '\0') at++;
        return text[at] == '\'' ? at + 1 : 0;
    }
    if (strncasecmp(text, "true", 4) == 0 && !isalnum((unsigned char)text[4])) return 4;
    if (strncasecmp(text, "false", 5) == 0 && !isalnum((unsigned char)text[5])) return 5;
    if (!isdigit((unsigned char)text[0])) return 0;
    while (isalnum((unsigned char)text[at]) || text[at] == '.') at++;
    return at;
}

// The call as SQL: columns as c0, c1, ...; only column number `only` (others as written) unless it is -1.
static inline void example_print(const example_call *call, int only, char *out, size_t capacity) {
    size_t   used   = 0;
    uint32_t column = 0;
    for (uint32_t p = 0; p < call->piece_count; p++) {
        const example_piece *piece = &call->pieces[p];
        bool                 is    = piece->is_column && (only < 0 || (int)column == only);
        used += (size_t)(is ? snprintf(out + used, capacity - used, "c%u", column)
                            : snprintf(out + used, capacity - used, "%s", piece->text));
        column += piece->is_column;
    }
}

static inline uint32_t example_columns(const example_call *call, const char *out[EXAMPLE_LITERALS_MAX]) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < call->piece_count; p++)
        if (call->pieces[p].is_column) out[count++] = call->pieces[p].text;
    return count;
}

// Whether the call runs over its columns, inside another expression (generators do not).
static inline bool example_binds(leat_session *session, const example_call *call, leat_error *err) {
    char        sql[8 * EXAMPLE_BYTES_MAX], expression[2 * EXAMPLE_BYTES_MAX];
    const char *columns[EXAMPLE_LITERALS_MAX];
    uint32_t    count = example_columns(call, columns);
    example_print(call, -1, expression, sizeof expression);
    size_t used = (size_t)snprintf(sql, sizeof sql, "SELECT CASE WHEN id >= 0 THEN %s END FROM (SELECT id", expression);
    for (uint32_t c = 0; c < count; c++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", if(id >= 0, %s, NULL) AS c%u", columns[c], c);
    snprintf(sql + used, sizeof sql - used, " FROM range(1))");
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err);
    if (status == LEAT_OK) status = leat_step(statement, err);
    leat_statement_close(&statement);
    return status == LEAT_ROW;
}

// false: no scalar call, or none that runs over a column.
static inline bool example_call_make(leat_session *session, const char *name, const char *example, example_call *call,
                                     leat_error *err) {
    if (strncmp(example, "SELECT ", 7) != 0 || strstr(example, " FROM ") != NULL) return false;
    if (strlen(example) >= EXAMPLE_BYTES_MAX || strlen(name) >= sizeof call->name) return false;
    memset(call, 0, sizeof *call);
    strcpy(call->name, name);
    char          *copy = strdup(example + 7), *plain = copy, *at = copy;
    example_piece *last     = &call->pieces[call->piece_count++];
    uint32_t       literals = 0;
    while (*at != '\0') {
        size_t bytes = literals == EXAMPLE_LITERALS_MAX ? 0 : example_literal_bytes(at, at == copy ? ' ' : at[-1]);
        if (bytes == 0) {
            bool is_quoted = *at == '\'';
            at++;
            while (is_quoted && *at != '\0' && *at++ != '\'') continue;
            continue;
        }
        memcpy(last->text, plain, (size_t)(at - plain));
        last = &call->pieces[call->piece_count++];
        memcpy(last->text, at, bytes);
        last->is_literal = true;
        last             = &call->pieces[call->piece_count++];
        at += bytes;
        plain = at;
        literals++;
    }
    strcpy(last->text, plain);
    free(copy);
    bool has_column = false;
    for (uint32_t p = 0; p < call->piece_count; p++) {
        if (!call->pieces[p].is_literal) continue;
        call->pieces[p].is_column = true;
        call->pieces[p].is_column = example_binds(session, call, err);
        has_column |= call->pieces[p].is_column;
    }
    return has_column;
}

// Calls of all scalar functions whose result does not change from run to run. Their number; *out is freed by the
// caller.
static inline uint32_t example_calls_read(leat_session *session, example_call **out, leat_error *err) {
    leat_statement *statement = NULL;
    uint32_t        count = 0, rows = 0;
    char          **texts = calloc(3 * EXAMPLE_CALLS_MAX, sizeof *texts);
    *out                  = calloc(EXAMPLE_CALLS_MAX, sizeof **out);
    leat_status status    = leat_prepare(session, "SHOW FUNCTIONS", LEAT_TERMINATED, &statement, NULL, err);
    while (status == LEAT_OK || status == LEAT_ROW) {
        status = leat_step(statement, err);
        if (status != LEAT_ROW || rows == EXAMPLE_CALLS_MAX) break;
        const char *result = leat_column_text(statement, 3, NULL);
        if (result == NULL || *result == '\0') continue;
        texts[2 * rows]     = strdup(leat_column_text(statement, 0, NULL));
        texts[2 * rows + 1] = strdup(leat_column_text(statement, 2, NULL));
        rows++;
    }
    leat_statement_close(&statement);
    for (uint32_t row = 0; row < rows; row++) {
        count += example_call_make(session, texts[2 * row], texts[2 * row + 1], &(*out)[count], err);
        free(texts[2 * row]);
        free(texts[2 * row + 1]);
    }
    free(texts);
    return count;
}

#endif
