#include "shell/shell.h"
#include "shell/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <utf8proc.h>

// script: texts of SQL, cut into statements by the library's own lexer, run one after the other.

int64_t lt_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// -------------------------------------------------------------------------------------------------------------- pieces

size_t lt_piece_next(const char *text, size_t bytes, size_t *out_begin, bool *out_is_whole) {
    size_t at     = 0;
    *out_is_whole = false;
    for (;;) {
        size_t                used;
        const leat_token_kind kind = leat_scan(text + at, bytes - at, &used);
        if (kind == LEAT_TOKEN_SPACE || kind == LEAT_TOKEN_COMMENT || kind == LEAT_TOKEN_SEMICOLON) {
            at += used;
            continue;
        }
        *out_begin = at;
        if (kind == LEAT_TOKEN_END) return at;
        break;
    }
    if (text[at] == '.' || text[at] == '\\') {
        const char *end = memchr(text + at, '\n', bytes - at);
        *out_is_whole   = end != NULL;
        return end == NULL ? bytes : (size_t)(end - text);
    }
    while (at < bytes) {
        size_t                used;
        const leat_token_kind kind = leat_scan(text + at, bytes - at, &used);
        if (kind == LEAT_TOKEN_END || used == 0) break;
        at += used;
        if (kind != LEAT_TOKEN_SEMICOLON) continue;
        *out_is_whole = true;
        return at;
    }
    return bytes;
}

char lt_piece_open(const char *text, size_t bytes) {
    size_t begin, at = 0;
    bool   is_whole = true;
    while (at < bytes && is_whole) {
        const size_t used = lt_piece_next(text + at, bytes - at, &begin, &is_whole);
        if (at + begin == bytes) return ' ';
        // A dot command is whole with its line.
        if (!is_whole && (text[at + begin] == '.' || text[at + begin] == '\\')) return ' ';
        if (!is_whole) break;
        at += used;
    }
    if (is_whole) return ' ';
    char brackets = '-';
    int  depth    = 0;
    while (at < bytes) {
        size_t                used;
        const leat_token_kind kind = leat_scan(text + at, bytes - at, &used);
        if (kind == LEAT_TOKEN_OPEN_STRING) return text[at] == '"' ? '"' : '\'';
        if (kind == LEAT_TOKEN_OPEN_NAME) return '`';
        if (kind == LEAT_TOKEN_OPEN_COMMENT) return '*';
        if (kind == LEAT_TOKEN_END || used == 0) break;
        if (kind == LEAT_TOKEN_OPERATOR && text[at] == '(') depth++;
        if (kind == LEAT_TOKEN_OPERATOR && text[at] == ')' && depth > 0) depth--;
        at += used;
    }
    if (depth > 0) brackets = '(';
    return brackets;
}

// ------------------------------------------------------------------------------------------------------------- results

lt_output *lt_shell_output(lt_shell *shell) { return shell->has_file ? &shell->file : &shell->standard; }

void lt_shell_output_done(lt_shell *shell) {
    lt_output *output = lt_shell_output(shell);
    lt_output_flush(output);
    const int failure = lt_output_failure(output);
    if (failure != 0) {
        lt_error_say(shell, "cannot write %s: %s", output->path == NULL ? "results" : output->path, strerror(failure));
        lt_exit_code_note(shell, LT_EXIT_IO);
        if (!shell->is_interactive) shell->is_over = true;
    }
    if (lt_output_reader_left(output)) shell->is_over = true; // | head: a quiet end
    if (shell->has_file && (shell->is_once || failure != 0)) {
        const int at_close = lt_output_close(&shell->file);
        shell->has_file    = false;
        if (at_close != 0 && failure == 0) {
            lt_error_say(shell, "cannot write results: %s", strerror(at_close));
            lt_exit_code_note(shell, LT_EXIT_IO);
        }
    }
}

static const lt_result_format *format_of(const lt_shell *shell, const lt_output *output, leat_statement_kind kind) {
    if (shell->format != NULL) return shell->format;
    if (output->is_terminal) return lt_result_format_find(shell->show.has_unicode ? "box" : "table");
    return lt_result_format_find(kind == LEAT_STATEMENT_CHANGES ? "jsonl" : "csv");
}

static void footer_say(lt_shell *shell, const lt_result *result, int64_t begin_us) {
    const int64_t spent_us = lt_now_us() - begin_us;
    lt_shell_text line     = {0};
    lt_text_format(&line, "%llu row%s", (unsigned long long)result->row_count, result->row_count == 1 ? "" : "s");
    if (result->hidden_rows > 0)
        lt_text_format(&line, " (%llu shown; .maxrows 0 for all)",
                       (unsigned long long)(result->row_count - result->hidden_rows));
    if (result->hidden_columns > 0)
        lt_text_format(&line, ", %u columns (%llu hidden; .format line for all)", (unsigned)result->column_count,
                       (unsigned long long)result->hidden_columns);
    if (spent_us < 10000)
        lt_text_format(&line, ", %lld.%lld ms", (long long)(spent_us / 1000), (long long)(spent_us / 100 % 10));
    else
        lt_text_format(&line, ", %lld ms", (long long)(spent_us / 1000));
    lt_note_say(shell, "%s", line.data);
    lt_text_free(&line);
}

// Writes the rows of a statement whose first step came to `status`. Returns LEAT_DONE or the error's status.
static leat_status rows_show(lt_shell *shell, leat_statement *statement, leat_status status, int64_t begin_us) {
    const leat_statement_kind kind   = leat_statement_kind_of(statement);
    lt_output                *output = lt_shell_output(shell);
    const lt_result_format   *format = format_of(shell, output, kind);
    lt_show                   show   = shell->show;
    if (!output->is_terminal) {
        show.rows_max       = 0;
        show.screen_columns = 0;
        show.has_colour     = shell->colour == LT_WHEN_ALWAYS;
    }
    const bool has_pager = shell->has_pager && !shell->is_safe && output->is_terminal && format->is_for_people &&
                           kind != LEAT_STATEMENT_CHANGES;
    lt_output  kept;
    lt_output *terminal = output;
    if (has_pager) { // all of it, as wide as it is: the pager scrolls both ways
        lt_output_init(&kept, -1);
        lt_output_hold(&kept, true);
        show.rows_max       = 0;
        show.screen_columns = 0;
        output              = &kept;
    }
    lt_result result =
        (lt_result){.statement = statement, .out = output, .show = &show, .is_live = kind == LEAT_STATEMENT_CHANGES};
    if (status == LEAT_ROW || status == LEAT_DONE) {
        result.column_count = leat_column_count(statement);
        result.looks        = lt_shell_reallocate(NULL, sizeof *result.looks * (result.column_count + 1u));
        for (uint32_t c = 0; c < result.column_count; c++) result.looks[c] = lt_column_look_of(&result, c);
        format->begin(&result);
        while (status == LEAT_ROW) {
            result.row_count++;
            format->row(&result);
            if (result.is_live || (result.row_count & 1023) == 0) {
                if (result.is_live) lt_output_flush(output);
                if (lt_output_reader_left(output) || lt_output_failure(output) != 0) break;
            }
            if (shell->rows_limit > 0 && result.row_count >= shell->rows_limit) break;
            if (lt_signals_stop() != 0) leat_interrupt(shell->session);
            status = leat_step(statement, shell->err);
        }
        if (status == LEAT_ROW) status = LEAT_DONE; // stopped by --rows or by the reader
        format->end(&result);
        if (has_pager) {
            lt_status_end();
            lt_pager_show(shell, &kept.pending);
        }
        if (terminal->is_terminal && format->is_for_people && status == LEAT_DONE) {
            lt_output_flush(terminal);
            footer_say(shell, &result, begin_us);
        }
    }
    if (has_pager) {
        kept.pending.bytes = 0;
        (void)lt_output_close(&kept);
    }
    lt_text_free(&result.line);
    free(result.looks);
    return status;
}

static leat_status action_run(lt_shell *shell, leat_statement *statement) {
    leat_status status = leat_step(statement, shell->err);
    // Some actions answer with rows after all: SET without a value.
    if (status == LEAT_ROW) return rows_show(shell, statement, status, lt_now_us());
    const char *message = leat_statement_message(statement);
    if (status == LEAT_DONE && message[0] != '\0' &&
        (shell->is_interactive || shell->is_verbose || shell->is_error_terminal))
        lt_note_say(shell, "%s", message);
    return status;
}

// ---------------------------------------------------------------------------------------------------------- statements

static bool begins_with(const char *text, size_t bytes, const char *word) {
    const size_t length = strlen(word);
    return bytes >= length && strncasecmp(text, word, length) == 0;
}

// Under --check queries and what acts on rows or queries are explained, declarations are made; the text of EXECUTE is known
// when it runs. *out_lead: so many bytes stand in front of the statement in the places of its errors.
static leat_status statement_check(lt_shell *shell, const char *sql, size_t bytes, leat_statement **statement,
                                   size_t *out_lead) {
    static const char *const acting[]  = {"INSERT", "COPY",   "PROCESS", "AWAIT", "START",
                                          "STOP",   "UPDATE", "DELETE",  "MERGE"};
    leat_status              status    = leat_prepare(shell->session, sql, bytes, statement, NULL, shell->err);
    bool                     is_acting = false;
    *out_lead                          = 0;
    if (status != LEAT_OK) return status;
    const leat_statement_kind kind = leat_statement_kind_of(*statement);
    if (begins_with(sql, bytes, "EXECUTE")) return LEAT_DONE;
    for (size_t i = 0; i < sizeof acting / sizeof acting[0]; i++) is_acting |= begins_with(sql, bytes, acting[i]);
    if ((is_acting || kind == LEAT_STATEMENT_ROWS || kind == LEAT_STATEMENT_CHANGES) &&
        !begins_with(sql, bytes, "SHOW") && !begins_with(sql, bytes, "DESC") && !begins_with(sql, bytes, "EXPLAIN")) {
        lt_shell_text explain = {0};
        lt_text_put(&explain, "EXPLAIN ");
        *out_lead = explain.bytes;
        lt_text_append(&explain, sql, bytes);
        leat_statement_close(statement);
        status = leat_prepare(shell->session, explain.data, explain.bytes, statement, NULL, shell->err);
        lt_text_free(&explain);
    }
    while (status == LEAT_OK || status == LEAT_ROW) status = leat_step(*statement, shell->err);
    return status;
}

// An error that is placed at the whole of what was explained is one of the statement.
static size_t lead_of_place(const leat_error *err, size_t lead) {
    const size_t offset = leat_error_place(err).sql_offset;
    return offset < lead ? offset : lead;
}

static bool is_stopping(lt_shell *shell) {
    return shell->is_over || (!shell->is_interactive && (lt_signals_stop() != 0 || lt_timeout_is_over()));
}

// An interrupted statement is no error of the script: the end says why.
static bool interruption_note(lt_shell *shell) {
    if (lt_timeout_is_over()) {
        lt_note_say(shell, "leat: timeout");
        lt_exit_code_note(shell, LT_EXIT_TIMEOUT);
        shell->is_over = true;
        return true;
    }
    if (lt_signals_stop() == 0) return false;
    lt_note_say(shell, "interrupted");
    if (!shell->is_interactive) {
        lt_exit_code_note(shell, lt_signals_stop() == SIGTERM ? LT_EXIT_OK : LT_EXIT_INTERRUPTED);
        shell->is_over = true;
    }
    return true;
}

static bool statement_run(lt_shell *shell, const lt_source_text *source, size_t begin, size_t bytes) {
    const int64_t   begin_us  = lt_now_us();
    leat_statement *statement = NULL;
    leat_status     status;
    size_t          lead = 0;
    if (shell->check_only) {
        status = statement_check(shell, source->text + begin, bytes, &statement, &lead);
    } else {
        status = leat_prepare(shell->session, source->text + begin, bytes, &statement, NULL, shell->err);
        if (status == LEAT_OK) {
            const bool is_live = leat_statement_kind_of(statement) == LEAT_STATEMENT_CHANGES;
            lt_status_begin(shell, is_live ? "(changes)" : NULL);
            switch (leat_statement_kind_of(statement)) {
            case LEAT_STATEMENT_EMPTY:
                status = LEAT_DONE;
                break;
            case LEAT_STATEMENT_ROWS:
            case LEAT_STATEMENT_CHANGES:
                status = rows_show(shell, statement, leat_step(statement, shell->err), begin_us);
                break;
            case LEAT_STATEMENT_ACTION:
                status = action_run(shell, statement);
                break;
            }
        }
    }
    lt_status_end();
    const bool has_failed = status != LEAT_DONE && status != LEAT_OK;
    if (has_failed && !(status == LEAT_INTERRUPTED && interruption_note(shell))) {
        if (shell->is_interactive || !lt_query_failure_is_told(shell, leat_error_query(shell->err)))
            lt_error_print(shell, source, begin - lead_of_place(shell->err, lead), shell->err);
        if (!shell->is_interactive) lt_exit_code_note(shell, lt_exit_code_of(shell->err));
    }
    leat_statement_close(&statement);
    lt_shell_output_done(shell);
    if (shell->has_timer)
        lt_note_say(shell, "%lld.%03lld ms", (long long)((lt_now_us() - begin_us) / 1000),
                    (long long)((lt_now_us() - begin_us) % 1000));
    if (!shell->is_interactive) (void)lt_queries_poll(shell);
    return !has_failed;
}

bool lt_shell_sql_run(lt_shell *shell, const char *sql) {
    const lt_source_text source = {.name = "", .text = sql, .bytes = strlen(sql)};
    return statement_run(shell, &source, 0, source.bytes);
}

// --------------------------------------------------------------------------------------------------------------- texts

// What SQL text may not contain: NUL, other encodings, bytes that are no UTF-8. Says so with its place.
// `from`: what is before was looked at already.
static bool text_is_valid(lt_shell *shell, const lt_source_text *source, size_t from) {
    const char *reason = NULL;
    size_t      line = 1, at = from;
    if (source->bytes >= 2 && ((source->text[0] == '\xFF' && source->text[1] == '\xFE') ||
                               (source->text[0] == '\xFE' && source->text[1] == '\xFF')))
        reason = "is UTF-16; leat reads UTF-8";
    while (reason == NULL && at < source->bytes) {
        utf8proc_int32_t       character;
        const utf8proc_ssize_t left = (utf8proc_ssize_t)(source->bytes - at);
        if ((signed char)source->text[at] > 0) {
            at++;
            continue;
        }
        const utf8proc_ssize_t used =
            utf8proc_iterate((const utf8proc_uint8_t *)source->text + at, left > 4 ? 4 : left, &character);
        if (source->text[at] == '\0')
            reason = "has a NUL byte";
        else if (used <= 0)
            reason = "has a byte that is no UTF-8";
        else
            at += (size_t)used;
    }
    if (reason == NULL) return true;
    for (size_t i = 0; i < at; i++) line += source->text[i] == '\n';
    lt_error_say(shell, "%s:%zu: [INVALID_ENCODING] the text %s. SQLSTATE: 22021", source->name, line, reason);
    lt_exit_code_note(shell, LT_EXIT_STATEMENT);
    return false;
}

// Runs the pieces from *at on; without is_final only those that are whole. Returns false when the script has to stop.
static bool pieces_run(lt_shell *shell, const lt_source_text *source, size_t *at, bool is_final) {
    while (*at < source->bytes) {
        size_t       begin;
        bool         is_whole;
        const size_t used = lt_piece_next(source->text + *at, source->bytes - *at, &begin, &is_whole);
        if (*at + begin >= source->bytes) {
            if (is_final) *at = source->bytes;
            return true;
        }
        if (!is_whole && !is_final) return true;
        if (is_stopping(shell)) {
            if (!shell->is_over) (void)interruption_note(shell);
            return false;
        }
        const size_t from = *at + begin, bytes = used - begin;
        *at += used;
        const bool is_dot = source->text[from] == '.' || source->text[from] == '\\';
        const bool is_ok  = is_dot ? lt_dot_run(shell, source, from, bytes) : statement_run(shell, source, from, bytes);
        if (!is_ok && !shell->keep_going) return false;
        if (shell->is_over) return false;
    }
    return true;
}

static size_t mark_bytes(const char *text, size_t bytes) {
    return bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; // byte order mark
}

bool lt_script_run(lt_shell *shell, const lt_source_text *source) {
    size_t at = mark_bytes(source->text, source->bytes);
    if (!text_is_valid(shell, source, 0)) return false;
    return pieces_run(shell, source, &at, true);
}

// Reads what is there, waiting for at least a byte. Returns 0 at the end, -1 on an error.
static ssize_t text_read(int descriptor, lt_shell_text *text) {
    char block[3072]; // frames stay below 4 KiB
    for (;;) {
        const ssize_t count = read(descriptor, block, sizeof block);
        if (count > 0) lt_text_append(text, block, (size_t)count);
        if (count >= 0) return count;
        if (errno == EINTR && lt_signals_stop() == 0) continue;
        if (errno == EAGAIN) {
            struct pollfd waits = {.fd = descriptor, .events = POLLIN};
            (void)poll(&waits, 1, -1);
            continue;
        }
        return -1;
    }
}

bool lt_script_file(lt_shell *shell, const char *path) {
    if (strcmp(path, "-") == 0) return lt_script_stdin(shell);
    const int     descriptor = open(path, O_RDONLY | O_CLOEXEC);
    lt_shell_text text       = {0};
    ssize_t       count      = descriptor < 0 ? -1 : 1;
    while (count > 0) count = text_read(descriptor, &text);
    if (count < 0) {
        lt_error_say(shell, "cannot read %s: %s", path, strerror(errno));
        lt_exit_code_note(shell, LT_EXIT_IO);
        if (descriptor >= 0) close(descriptor);
        lt_text_free(&text);
        return false;
    }
    close(descriptor);
    if (shell->is_verbose) lt_note_say(shell, "running %s", path);
    const lt_source_text source = {.name = path, .text = text.data == NULL ? "" : text.data, .bytes = text.bytes};
    const bool           is_ok  = lt_script_run(shell, &source);
    lt_text_free(&text);
    return is_ok;
}

bool lt_script_stdin(lt_shell *shell) {
    lt_shell_text text = {0};
    size_t        at = 0, valid = 0;
    ssize_t       count = 1;
    bool          is_ok = true;
    lt_text_append(&text, "", 0);
    while (is_ok && count > 0) {
        count = text_read(STDIN_FILENO, &text);
        if (count < 0 && errno != EBADF && lt_signals_stop() == 0) {
            lt_error_say(shell, "cannot read standard input: %s", strerror(errno));
            lt_exit_code_note(shell, LT_EXIT_IO);
            is_ok = false;
            break;
        }
        if (at == 0) at = mark_bytes(text.data, text.bytes);
        // A cut character at the end is looked at with the rest; whole statements end in `;`.
        size_t whole = text.bytes;
        while (count > 0 && whole > at && (signed char)text.data[whole - 1] < 0) whole--;
        const lt_source_text source = {.name = "stdin", .text = text.data, .bytes = count > 0 ? whole : text.bytes};
        is_ok = text_is_valid(shell, &source, valid) && pieces_run(shell, &source, &at, count <= 0);
        valid = source.bytes;
    }
    lt_text_free(&text);
    return is_ok;
}

// ----------------------------------------------------------------------------------------------------------------- end

void lt_script_end(lt_shell *shell) {
    enum { ROUND_US = 100000 };
    if (shell->check_only || shell->is_over) return;
    lt_signals_mode(LT_SIGNALS_GRACEFUL);
    lt_status_begin(shell, leat_query_at(shell->session, 0));
    while (lt_signals_stop() == 0 && !lt_timeout_is_over() && lt_queries_keep_alive(shell)) {
        const leat_status status = leat_run(shell->session, ROUND_US, NULL, shell->err);
        (void)lt_queries_poll(shell);
        lt_output_flush(&shell->standard);
        if (lt_output_reader_left(&shell->standard)) break;
        if (lt_output_failure(&shell->standard) != 0) {
            lt_shell_output_done(shell);
            break;
        }
        if (status != LEAT_OK && status != LEAT_INTERRUPTED) {
            lt_error_print(shell, NULL, 0, shell->err);
            lt_exit_code_note(shell, lt_exit_code_of(shell->err));
            break;
        }
    }
    lt_status_end();
    (void)lt_queries_poll(shell);
    if (lt_timeout_is_over() || lt_signals_stop() != 0) (void)interruption_note(shell);
}
