// Every function that SHOW FUNCTIONS lists has a summary and an example, and the example gives the stated result:
// columns are separated by TABs, rows by newlines. A result that changes from run to run is not stated.
#include <leat.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_MAX_BYTES = 4096 };

static bool text_append(char *answer, const char *text) {
    if (strlen(answer) + strlen(text) >= ANSWER_MAX_BYTES) return false;
    strcat(answer, text);
    return true;
}

// The rows of an example as one text; NULL with the message on standard output if it fails.
static const char *answer_of(leat_session *session, const char *sql, leat_error *err) {
    static char     answer[ANSWER_MAX_BYTES];
    leat_statement *statement = NULL;
    leat_status     status    = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err);
    answer[0]                 = '\0';
    bool fits                 = true;
    for (uint32_t row = 0; status == LEAT_OK || status == LEAT_ROW; row++) {
        status = leat_step(statement, err);
        if (status != LEAT_ROW) break;
        if (row > 0) fits &= text_append(answer, "\n");
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            if (c > 0) fits &= text_append(answer, "\t");
            fits &=
                text_append(answer, leat_column_is_null(statement, c) ? "NULL" : leat_column_text(statement, c, NULL));
        }
    }
    leat_statement_close(&statement);
    if (status != LEAT_DONE) {
        printf("%s: [%s] %s\n", sql, leat_error_condition(err), leat_error_message(err));
        return NULL;
    }
    if (!fits) printf("%s: the answer is too long\n", sql);
    return fits ? answer : NULL;
}

static size_t function_check(leat_session *session, leat_statement *functions, leat_error *err) {
    const char *parts[4];
    for (uint32_t c = 0; c < 4; c++)
        parts[c] = leat_column_is_null(functions, c) ? NULL : leat_column_text(functions, c, NULL);
    const char *name = parts[0], *summary = parts[1], *example = parts[2], *wanted = parts[3];
    if (summary != NULL && strncmp(summary, "Refused:", 8) == 0) return 0; // it always fails, and says what to use
    if (summary == NULL || example == NULL) {
        printf("%s: has no %s\n", name, summary == NULL ? "summary" : "example");
        return 1;
    }
    const char *answer = answer_of(session, example, err);
    if (answer == NULL) return 1;
    if (wanted == NULL || strcmp(answer, wanted) == 0) return 0;
    printf("%s: %s\nfound:  %s\nwanted: %s\n", name, example, answer, wanted);
    return 1;
}

int main(void) {
    leat_session   *session = NULL, *second = NULL;
    leat_statement *functions = NULL;
    leat_error     *err       = NULL;
    size_t          count = 0, faults = 0;
    leat_status     status = leat_error_create(&err);
    if (status == LEAT_OK) status = leat_open(NULL, &session, err);
    if (status == LEAT_OK) status = leat_open(NULL, &second, err);
    if (status == LEAT_OK && answer_of(second, "SET spark.sql.timeType.enabled = true", err) == NULL)
        status = LEAT_MISUSE;
    if (status == LEAT_OK) status = leat_prepare(session, "SHOW FUNCTIONS", LEAT_TERMINATED, &functions, NULL, err);
    while (status == LEAT_OK || status == LEAT_ROW) {
        status = leat_step(functions, err);
        if (status != LEAT_ROW) break;
        faults += function_check(second, functions, err);
        count++;
    }
    if (status != LEAT_DONE) printf("%s\n", err == NULL ? "no memory" : leat_error_message(err));
    printf("%zu functions, %zu faults\n", count, faults);
    leat_statement_close(&functions);
    leat_close(&second, err);
    leat_close(&session, err);
    leat_error_destroy(&err);
    return status == LEAT_DONE && faults == 0 && count > 0 ? 0 : 1;
}
