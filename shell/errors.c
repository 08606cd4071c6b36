#include "shell/shell.h"
#include "shell/status.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// errors: what went wrong, on standard error, in the form of compilers: place, condition, message, SQLSTATE, then the
// line with a caret under the mistake. One write per error, so that lines of several processes do not mix.

void lt_error_write(lt_shell *shell, lt_shell_text *text) {
    lt_output_flush(&shell->standard); // what came before stands before
    lt_status_erase();
    for (size_t done = 0; done < text->bytes;) {
        const ssize_t count = write(STDERR_FILENO, text->data + done, text->bytes - done);
        if (count <= 0) break;
        done += (size_t)count;
    }
    lt_text_free(text);
}

static bool has_colour(const lt_shell *shell) {
    return shell->is_error_terminal && shell->show.has_colour && shell->colour != LT_WHEN_NEVER;
}

void lt_exit_code_note(lt_shell *shell, int code) {
    if (shell->exit_code == LT_EXIT_OK && !shell->is_interactive) shell->exit_code = code;
}

int lt_exit_code_of(const leat_error *err) {
    switch (leat_error_status(err)) {
    case LEAT_IO:
        return LT_EXIT_IO;
    case LEAT_CORRUPT:
    case LEAT_VERSION:
    case LEAT_CHANGED:
        return LT_EXIT_CHECKPOINT;
    case LEAT_BUSY:
        return strncmp(leat_error_condition(err), "CHECKPOINT", 10) == 0 ? LT_EXIT_CHECKPOINT : LT_EXIT_STATEMENT;
    default:
        return LT_EXIT_STATEMENT;
    }
}

void lt_error_say(lt_shell *shell, const char *format, ...) {
    lt_shell_text line = {0};
    char          message[1024];
    va_list       arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (shell->errors_as_json) {
        lt_text_put(&line, "{\"message\":");
        lt_text_put_json(&line, message, strlen(message));
        lt_text_put(&line, "}\n");
    } else {
        lt_text_format(&line, has_colour(shell) ? "leat: \033[1;31merror:\033[0m %s\n" : "leat: error: %s\n", message);
    }
    lt_error_write(shell, &line);
}

void lt_note_say(lt_shell *shell, const char *format, ...) {
    if (shell->is_quiet) return;
    lt_shell_text line = {0};
    char          message[1024];
    va_list       arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    lt_text_format(&line, "%s\n", message);
    lt_error_write(shell, &line);
}

typedef struct spot {
    size_t line, column;         // from 1; column in characters
    size_t line_begin, line_end; // bytes in the source
    size_t begin, bytes;         // of the mistake in the source
    bool   is_known;
} spot;

static bool is_continuation(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

static spot spot_find(const lt_source_text *source, size_t offset, const leat_place *place) {
    spot found = {.line = 1, .column = 1};
    if (source == NULL || place->sql_line == 0 || offset + place->sql_offset > source->bytes) return found;
    found.begin    = offset + place->sql_offset;
    found.bytes    = place->sql_bytes;
    found.is_known = true;
    for (size_t i = 0; i < found.begin; i++) {
        if (source->text[i] == '\n') {
            found.line++;
            found.column     = 1;
            found.line_begin = i + 1;
        } else if (!is_continuation(source->text[i])) {
            found.column++;
        }
    }
    const char *end = memchr(source->text + found.line_begin, '\n', source->bytes - found.line_begin);
    found.line_end  = end == NULL ? source->bytes : (size_t)(end - source->text);
    return found;
}

// The line with the mistake and carets under it; a long line is shown around the mistake. Tabs become blanks so that
// the caret stands right.
static void excerpt_put(lt_shell_text *out, const lt_source_text *source, const spot *at, bool is_coloured) {
    enum { EXCERPT_BYTES_MAX = 160, LEAD_BYTES = 60 };
    size_t begin = at->line_begin, end = at->line_end;
    if (end > begin && source->text[end - 1] == '\r') end--;
    if (end - begin > EXCERPT_BYTES_MAX) {
        if (at->begin - begin > LEAD_BYTES) begin = at->begin - LEAD_BYTES;
        while (begin < at->begin && is_continuation(source->text[begin])) begin++;
        if (end - begin > EXCERPT_BYTES_MAX) end = begin + EXCERPT_BYTES_MAX;
        while (end > at->begin && end < at->line_end && is_continuation(source->text[end])) end--;
    }
    lt_shell_text line = {0}, head = {0};
    lt_text_append(&line, "", 0);
    lt_text_append(&head, "", 0);
    for (size_t i = begin; i < end; i++) {
        if (i == at->begin) lt_text_append(&head, line.data, line.bytes);
        if (source->text[i] == '\t')
            lt_text_append(&line, " ", 1);
        else
            lt_text_append(&line, source->text + i, 1);
    }
    if (at->begin >= end) lt_text_append(&head, line.data, line.bytes);
    lt_shell_text shown = {0};
    lt_text_append(&shown, "", 0);
    lt_text_put_visible(&shown, head.data, head.bytes);
    const size_t indent = lt_text_width(shown.data, shown.bytes);
    shown.bytes         = 0;
    lt_text_put_visible(&shown, line.data, line.bytes);
    lt_text_format(out, "%3zu | %s\n", at->line, shown.data);
    size_t marked = at->bytes;
    if (at->begin + marked > end) marked = at->begin < end ? end - at->begin : 1;
    size_t width = marked == 0 || at->begin >= end ? 1 : lt_text_width(source->text + at->begin, marked);
    if (width == 0) width = 1;
    lt_text_put(out, "    | ");
    lt_text_fill(out, ' ', indent);
    if (is_coloured) lt_text_put(out, "\033[1;31m");
    lt_text_fill(out, '^', width);
    lt_text_put(out, is_coloured ? "\033[0m\n" : "\n");
    lt_text_free(&line);
    lt_text_free(&head);
    lt_text_free(&shown);
}

static void field_put(lt_shell_text *line, const char *name, const char *value) {
    if (value == NULL || value[0] == '\0') return;
    lt_text_format(line, "%s\"%s\":", line->bytes > 1 ? "," : "", name);
    lt_text_put_json(line, value, strlen(value));
}

static void json_put(lt_shell_text *out, const lt_source_text *source, const spot *at, const leat_place *place,
                     const leat_error *err) {
    lt_text_put(out, "{");
    field_put(out, "condition", leat_error_condition(err));
    field_put(out, "message", leat_error_message(err));
    field_put(out, "sqlstate", leat_error_sqlstate(err));
    field_put(out, "source", source == NULL ? NULL : source->name);
    if (at->is_known) lt_text_format(out, ",\"line\":%zu,\"column\":%zu", at->line, at->column);
    field_put(out, "query", leat_error_query(err));
    field_put(out, "file", place->path);
    if (place->data_line > 0) lt_text_format(out, ",\"fileLine\":%llu", (unsigned long long)place->data_line);
    field_put(out, "dataColumn", place->data_column);
    lt_text_put(out, "}\n");
}

void lt_error_print(lt_shell *shell, const lt_source_text *source, size_t offset, const leat_error *err) {
    lt_shell_text    out   = {0};
    const leat_place place = leat_error_place(err);
    const spot       at    = spot_find(source, offset, &place);
    const char *message = leat_error_message(err), *state = leat_error_sqlstate(err), *query = leat_error_query(err),
               *condition = leat_error_condition(err);
    if (query[0] != '\0') lt_query_failure_told(shell, query);
    if (shell->errors_as_json) {
        json_put(&out, source, &at, &place, err);
        lt_error_write(shell, &out);
        return;
    }
    const bool is_coloured = has_colour(shell);
    if (at.is_known && source->name[0] != '\0')
        lt_text_format(&out, "%s:%zu:%zu: ", source->name, at.line, at.column);
    else if (query[0] != '\0')
        lt_text_format(&out, "%s: ", query);
    else if (source != NULL && source->name[0] != '\0')
        lt_text_format(&out, "%s: ", source->name);
    lt_text_put(&out, is_coloured ? "\033[1;31merror:\033[0m " : "error: ");
    if (condition[0] != '\0') lt_text_format(&out, "[%s] ", condition);
    lt_text_put_visible(&out, message, strlen(message));
    if (state[0] != '\0') {
        const size_t bytes = strlen(message);
        const bool   ends  = bytes > 0 && strchr(".?!", message[bytes - 1]) != NULL;
        lt_text_format(&out, "%s SQLSTATE: %s", ends ? "" : ".", state);
    }
    lt_text_put(&out, "\n");
    if (at.is_known) excerpt_put(&out, source, &at, is_coloured);
    if (place.path != NULL) {
        lt_text_format(&out, "  at %s", place.path);
        if (place.data_line > 0) lt_text_format(&out, ":%llu", (unsigned long long)place.data_line);
        if (place.data_column != NULL) lt_text_format(&out, ", column %s", place.data_column);
        lt_text_put(&out, "\n");
    }
    lt_error_write(shell, &out);
}
