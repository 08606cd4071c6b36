#include "shell/shell.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// queries: what the shell notices of standing queries: failures are told once, progress is passed on.

static lt_query_note *note_of(lt_shell *shell, const char *name) {
    for (size_t i = 0; i < shell->note_count; i++)
        if (strcasecmp(shell->notes[i].name, name) == 0) return &shell->notes[i];
    shell->notes                    = lt_shell_reallocate(shell->notes, (shell->note_count + 1) * sizeof *shell->notes);
    shell->notes[shell->note_count] = (lt_query_note){.name = lt_shell_copy(name, strlen(name)), .progress_batch = -1};
    return &shell->notes[shell->note_count++];
}

void lt_query_failure_told(lt_shell *shell, const char *name) { note_of(shell, name)->is_failure_told = true; }

bool lt_query_failure_is_told(lt_shell *shell, const char *name) {
    return name[0] != '\0' && note_of(shell, name)->is_failure_told;
}

// Prints the batches of all queries that were not printed yet, oldest first.
static void progress_print(lt_shell *shell) {
    static const char sql[]     = "SELECT name, batchId, json FROM leat_progress ORDER BY name, batchId";
    leat_statement   *statement = NULL;
    if (leat_prepare(shell->session, sql, sizeof sql - 1, &statement, NULL, NULL) != LEAT_OK) return;
    while (leat_step(statement, NULL) == LEAT_ROW) {
        const char    *name  = leat_column_text(statement, 0, NULL);
        lt_query_note *note  = note_of(shell, name == NULL ? "" : name);
        const int64_t  batch = leat_column_int64(statement, 1);
        if (batch <= note->progress_batch) continue;
        note->progress_batch = batch;
        size_t        bytes;
        const char   *json = leat_column_text(statement, 2, &bytes);
        lt_shell_text line = {0};
        lt_text_append(&line, json, json == NULL ? 0 : bytes);
        lt_text_put(&line, "\n");
        lt_error_write(shell, &line);
    }
    leat_statement_close(&statement);
}

lt_query_counts lt_queries_poll(lt_shell *shell) {
    lt_query_counts counts = {0};
    const char     *name;
    for (uint32_t i = 0; (name = leat_query_at(shell->session, i)) != NULL; i++) {
        leat_query *query = NULL;
        char       *own   = lt_shell_copy(name, strlen(name));
        if (leat_query_open(shell->session, own, &query, NULL) == LEAT_OK) {
            const leat_query_state state = leat_query_status(query, shell->err);
            counts.running += state == LEAT_QUERY_RUNNING;
            counts.failed += state == LEAT_QUERY_FAILED;
            lt_query_note *note = note_of(shell, own);
            if (state == LEAT_QUERY_FAILED && !note->is_failure_told) {
                note->is_failure_told       = true;
                const lt_source_text source = {.name = own, .text = "", .bytes = 0};
                lt_error_print(shell, &source, 1, shell->err);
                if (!shell->is_interactive) lt_exit_code_note(shell, lt_exit_code_of(shell->err));
            }
            if (state == LEAT_QUERY_RUNNING) note->is_failure_told = false;
            leat_query_close(&query);
        }
        free(own);
    }
    if (shell->progress == LT_PROGRESS_JSON) progress_print(shell);
    return counts;
}

bool lt_queries_keep_alive(lt_shell *shell) {
    static const char sql[]     = "SELECT count(*) FROM leat_queries WHERE state IN ('READY', 'RUNNING') AND "
                                  "(kind = 'SINK' OR trigger IN ('once', 'availableNow'))";
    leat_statement   *statement = NULL;
    bool              is_alive  = false;
    leat_status       status    = leat_prepare(shell->session, sql, sizeof sql - 1, &statement, NULL, shell->err);
    if (status == LEAT_OK) status = leat_step(statement, shell->err);
    if (status == LEAT_ROW)
        is_alive = leat_column_int64(statement, 0) > 0;
    else if (status != LEAT_INTERRUPTED)
        lt_error_print(shell, NULL, 0, shell->err);
    leat_statement_close(&statement);
    return is_alive || status == LEAT_INTERRUPTED;
}
