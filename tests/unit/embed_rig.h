// embed_rig: what tests over <leat.h> share: a session that fails the test when a call fails, and tables as text.
#ifndef LT_TESTS_UNIT_EMBED_RIG_H
#define LT_TESTS_UNIT_EMBED_RIG_H

#include "leat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ASSERT_OK(call, err)                                                                                           \
    do {                                                                                                               \
        leat_status assert_ok_status = (call);                                                                         \
        if (assert_ok_status != LEAT_OK)                                                                               \
            fail_msg("%s: status %d: %s: %s", #call, (int)assert_ok_status, leat_error_condition(err),                 \
                     leat_error_message(err));                                                                         \
    } while (0)

// The rows of a query, a line each, values separated by '|', NULL as `NULL`. The caller frees. NULL: it failed.
static inline char *rows_of(leat_session *session, const char *sql, leat_error *err) {
    leat_statement *statement;
    char           *text   = calloc(1, 1);
    size_t          used   = 0;
    leat_status     status = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err);
    if (status == LEAT_OK) status = leat_step(statement, err);
    for (; status == LEAT_ROW; status = leat_step(statement, err)) {
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            const char *value = leat_column_text(statement, c, NULL);
            if (value == NULL) value = "NULL";
            text = realloc(text, used + strlen(value) + 3);
            used += (size_t)sprintf(text + used, "%s%s", c > 0 ? "|" : "", value);
        }
        text = realloc(text, used + 2);
        used += (size_t)sprintf(text + used, "\n");
    }
    leat_statement_close(&statement);
    if (status == LEAT_DONE) return text;
    free(text);
    return NULL;
}

#define ASSERT_ROWS(session, sql, expected, err)                                                                       \
    do {                                                                                                               \
        char *assert_rows_text = rows_of((session), (sql), (err));                                                     \
        if (assert_rows_text == NULL) fail_msg("%s: %s", (sql), leat_error_message(err));                              \
        assert_string_equal(assert_rows_text, (expected));                                                             \
        free(assert_rows_text);                                                                                        \
    } while (0)

static inline void execute(leat_session *session, const char *sql, leat_error *err) {
    if (leat_execute(session, sql, LEAT_TERMINATED, err) != LEAT_OK)
        fail_msg("%s: %s: %s", sql, leat_error_condition(err), leat_error_message(err));
}

#endif
