// shell: what the parts of the program leat share. The program uses only <leat.h>.
//
//     main -> options, session -> script (texts, statements) -> result -> formats/
//                              -> prompt (libedit)           -> dot (commands)
//
// Threads  all of it belongs to the main thread; workers of the session come in only through lt_output.
#ifndef LT_SHELL_SHELL_H
#define LT_SHELL_SHELL_H

#include "shell/result.h"

enum {
    LT_EXIT_OK          = 0,
    LT_EXIT_STATEMENT   = 1,
    LT_EXIT_USAGE       = 2,
    LT_EXIT_IO          = 3,
    LT_EXIT_CHECKPOINT  = 4,
    LT_EXIT_TIMEOUT     = 124,
    LT_EXIT_INTERRUPTED = 130
};

typedef enum lt_when { LT_WHEN_AUTO, LT_WHEN_ALWAYS, LT_WHEN_NEVER } lt_when;
typedef enum lt_progress_form {
    LT_PROGRESS_AUTO,
    LT_PROGRESS_TTY,
    LT_PROGRESS_JSON,
    LT_PROGRESS_NEVER
} lt_progress_form;

// A text that is being run, for the places of errors.
typedef struct lt_source_text {
    const char *name; // "daily.sql", "-c", "stdin"; "" at the prompt
    const char *text;
    size_t      bytes;
} lt_source_text;

typedef struct lt_query_note {
    char   *name;
    bool    is_failure_told;
    int64_t progress_batch; // last batch whose progress was printed, or -1
} lt_query_note;

typedef struct lt_shell {
    leat_session           *session;
    leat_error             *err;
    lt_output               standard; // standard output or -o; sinks write here
    lt_output               file;     // .output, .once
    bool                    has_file, is_once;
    lt_show                 show;
    const lt_result_format *format; // NULL: chosen by terminal and kind of statement
    lt_when                 colour;
    lt_progress_form        progress;
    bool                    is_interactive, is_quiet, is_verbose, keep_going, check_only, errors_as_json;
    bool                    has_timer, is_error_terminal, is_safe, has_pager;
    uint64_t                rows_limit; // --rows; 0: all
    uint32_t                read_depth; // nested .read
    int                     exit_code;  // of the first failure
    bool                    is_over;    // .quit, signal, reader has left
    lt_query_note          *notes;
    size_t                  note_count;
    char                  **history; // statements typed, oldest first
    size_t                  history_count;
    char                   *temporary_folder, *folder_before; // .cd --temporary
} lt_shell;

// ------------------------------------------------------------------------------------------------------------- script

// Runs a whole text: statements and dot commands. Returns false when it stopped early.
bool lt_script_run(lt_shell *shell, const lt_source_text *source);
bool lt_script_file(lt_shell *shell, const char *path); // "-": standard input
// Runs statements of standard input as they arrive.
bool lt_script_stdin(lt_shell *shell);
// What happens behind the last statement: bounded queries and sinks run to their end, or until a signal.
void lt_script_end(lt_shell *shell);
// One SQL text of the shell's own, e.g. of a dot command; shown as any result. `sql` ends with NUL.
bool lt_shell_sql_run(lt_shell *shell, const char *sql);
// The length of the first piece of the text: a statement with its `;`, or a dot command with its line. *out_is_whole:
// it is complete; else the text ends inside of it. *out_begin: where it starts behind blanks and comments.
size_t lt_piece_next(const char *text, size_t bytes, size_t *out_begin, bool *out_is_whole);
// What is open at the end of the text: ' ' nothing, '-' a statement, '\'' '`' '(' '*' as in the prompt.
char lt_piece_open(const char *text, size_t bytes);

// ------------------------------------------------------------------------------------------------------------- errors

// Prints the error with its place. `offset`: where in the source the text began that the error's places count from.
void lt_error_print(lt_shell *shell, const lt_source_text *source, size_t offset, const leat_error *err);
// An error of the shell itself, not of the library.
void lt_error_say(lt_shell *shell, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lt_exit_code_note(lt_shell *shell, int code); // the first one stays; at the prompt none counts
int  lt_exit_code_of(const leat_error *err);
// Writes the text to standard error, behind all results so far, and frees it.
void lt_error_write(lt_shell *shell, lt_shell_text *text);
// A line on standard error, not under --quiet.
void lt_note_say(lt_shell *shell, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ------------------------------------------------------------------------------------------------------------ queries

typedef struct lt_query_counts {
    uint32_t running, failed;
} lt_query_counts;
// Tells failures that were not told yet and progress under --progress json; counts the queries.
lt_query_counts lt_queries_poll(lt_shell *shell);
void            lt_query_failure_told(lt_shell *shell, const char *name);
bool            lt_query_failure_is_told(lt_shell *shell, const char *name); // "": false
// Whether a query runs that keeps a script alive: a sink, or one whose trigger ends by itself.
bool lt_queries_keep_alive(lt_shell *shell);

// --------------------------------------------------------------------------------------------------------- dot, prompt

// Runs one dot command, without its newline. Returns false on an error, already told.
bool lt_dot_run(lt_shell *shell, const lt_source_text *source, size_t offset, size_t bytes);
void lt_dot_help(lt_shell *shell, const char *word,
                 lt_shell_text *out); // those that have to do with the word; NULL: all
// What is known about a word: commands, statements, functions, options, settings, conditions, formats. false: nothing.
bool lt_help_print(lt_shell *shell, const char *word);
// Shows a result that is taller than the screen in $PAGER or less, else as it is.
void lt_pager_show(lt_shell *shell, const lt_shell_text *text);
// Calls give for every dot command that starts with the word.
void lt_dot_complete(const char *word, size_t bytes, void (*give)(void *user, const char *candidate), void *user);
// The table of a standing query (or of a SELECT, which becomes one meanwhile), drawn in place until q or Ctrl-C. Standard
// output is a terminal. Returns false on an error, already told.
bool lt_live_run(lt_shell *shell, const char *argument);
void lt_prompt_run(lt_shell *shell, const char *init_path, bool has_init);
void lt_temporary_leave(lt_shell *shell);

// ------------------------------------------------------------------------------------------------------------- output

lt_output *lt_shell_output(lt_shell *shell);      // where results go now
void       lt_shell_output_done(lt_shell *shell); // behind each result: flush, .once, failed writes
void       lt_show_refresh(lt_shell *shell);      // terminal size, colours
int64_t    lt_now_us(void);                       // monotonic

// ------------------------------------------------------------------------------------------------------------ signals

typedef enum lt_signal_mode {
    LT_SIGNALS_STATEMENT, // the first signal interrupts the library, the second ends the process
    LT_SIGNALS_GRACEFUL,  // the first asks to stop, the library is interrupted 2 s later
    LT_SIGNALS_PROMPT     // INT interrupts the library and never ends the process
} lt_signal_mode;
void lt_signals_begin(leat_session *session);
void lt_signals_mode(lt_signal_mode mode);
int  lt_signals_stop(void); // SIGINT or SIGTERM when one came, else 0
void lt_signals_forget(void);
void lt_timeout_begin(int64_t timeout_us);
bool lt_timeout_is_over(void);

#endif
