// status: one line about what is under way, below everything else on a terminal, on standard error.
//
//     lt_status_begin -> [1 s] -> drawn four times a second by a thread of its own -> lt_status_end
//
// Whatever writes to the terminal erases the line first (lt_status_erase); it comes back by itself. Off a terminal, under
// --quiet and --progress json or never, and with TERM=dumb there is none: all calls do nothing.
//
// Ownership  one line per process.      Threads  any; begin and end: the main thread.
#ifndef LT_SHELL_STATUS_H
#define LT_SHELL_STATUS_H

#include "shell/text.h"

struct lt_shell;

// What is known of a query; members below 0 are not.
typedef struct lt_query_facts {
    int64_t batch_id, rows_in, rows_per_second, rows_out, rows_late, rows_bad;
    int64_t state_rows, state_bytes;
    char    watermark[32]; // yyyy-MM-ddTHH:mm:ss.SSSZ or ""
} lt_query_facts;

// From the JSON of leat_query_progress.
void lt_query_facts_read(const char *json, lt_query_facts *out);
// "batch 42 · in 1.2 M rows, 2.1 M/s · out 18 · late 3 · watermark 6 s behind · state 5,210 rows, 1.1 MB"
void lt_query_facts_put(const lt_query_facts *facts, bool has_unicode, lt_shell_text *out);
void lt_count_put(lt_shell_text *out, int64_t count); // 5,210 or 1.2 M

// Until end a statement runs; `query`: the standing query whose progress is shown, or NULL.
void lt_status_begin(struct lt_shell *shell, const char *query);
void lt_status_end(void);
void lt_status_erase(void);
void lt_status_close(void); // ends the thread; before the session is closed

#endif
