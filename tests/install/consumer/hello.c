// hello: the smallest program over leat.h.
#include <leat.h>

#include <stdio.h>

int main(void) {
    leat_session   *session   = NULL;
    leat_statement *statement = NULL;
    leat_error     *err       = NULL;
    if (leat_error_create(&err) != LEAT_OK) return 1;
    leat_status status = leat_open(NULL, &session, err);
    if (status == LEAT_OK)
        status = leat_prepare(session, "SELECT upper('hello')", LEAT_TERMINATED, &statement, NULL, err);
    if (status == LEAT_OK) status = leat_step(statement, err);
    if (status == LEAT_ROW)
        puts(leat_column_text(statement, 0, NULL));
    else
        fprintf(stderr, "%s\n", leat_error_message(err));
    leat_statement_close(&statement);
    leat_close(&session, err);
    leat_error_destroy(&err);
    return status == LEAT_ROW ? 0 : 1;
}
