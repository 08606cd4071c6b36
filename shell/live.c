#include "shell/shell.h"
#include "shell/status.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// live: the table of a standing query, drawn again in place when a batch has changed it, in the normal screen, so that
// the last state stays in the scrollback. The box is made by its format as for any result, cut into lines, and compared
// with what stands on the screen: only lines that differ are written, with the cells that differ in bold. Rows of a
// query without ORDER BY are shown by their last change, newest first; for that at most ROWS_MAX rows are looked at.
//
// Keys: q or Ctrl-C leave, space pauses the drawing, c goes on with the change log.

enum { ROUND_MS = 100, ROWS_MAX = 1000, HEAD_LINES = 4, CHROME_LINES = 9, FACTS_US = 500000, SILENCE_US = 3000000 };

typedef struct lines {
    char **texts;
    size_t count;
} lines;

typedef struct live {
    lt_shell      *shell;
    const char    *name;
    bool           is_ordered, is_paused, wants_changes;
    int64_t        batch_id; // shown; INT64_MIN: none
    lines          screen;   // as it is drawn
    lines          rows;     // of the last reading, in the table's order
    uint64_t      *changed;  // by row: the frame that changed it last
    uint64_t       frame;
    uint32_t       screen_rows, screen_columns;
    int64_t        facts_us; // when the facts were last asked for
    int64_t        rows_in, rows_in_us;
    lt_query_facts facts;
    char           state[16], reason[256];
    size_t         table_lines; // of the screen
    int64_t        news_us;     // when the last batch was shown
} live;

static void lines_free(lines *self) {
    for (size_t i = 0; i < self->count; i++) free(self->texts[i]);
    free(self->texts);
    *self = (lines){0};
}

static void lines_add(lines *self, const char *text, size_t bytes) {
    self->texts                = lt_shell_reallocate(self->texts, (self->count + 1) * sizeof *self->texts);
    self->texts[self->count++] = lt_shell_copy(text, bytes);
}

// --------------------------------------------------------------------------------------------------------------- facts

// Text with %s replaced by the quoted name.
static char *sql_of(const live *self, const char *before, char quote, const char *after) {
    lt_shell_text sql = {0};
    lt_text_put(&sql, before);
    lt_text_append(&sql, &quote, 1);
    for (const char *c = self->name; *c != '\0'; c++) {
        if (quote == '`' && *c == '`') lt_text_put(&sql, "`");
        if (quote == '\'' && (*c == '\'' || *c == '\\')) lt_text_put(&sql, "\\");
        lt_text_append(&sql, c, 1);
    }
    lt_text_append(&sql, &quote, 1);
    lt_text_put(&sql, after);
    return sql.data;
}

// The first row of a query of the shell's own: *out stays open for the columns. NULL: no row.
static leat_statement *row_ask(const live *self, char *sql) {
    leat_statement *statement = NULL;
    leat_status status = leat_prepare(self->shell->session, sql, LEAT_TERMINATED, &statement, NULL, self->shell->err);
    if (status == LEAT_OK) status = leat_step(statement, self->shell->err);
    free(sql);
    if (status == LEAT_ROW) return statement;
    leat_statement_close(&statement);
    return NULL;
}

// Whether the query is there; its batch and state.
static bool query_look(live *self, int64_t *out_batch) {
    leat_statement *row = row_ask(
        self, sql_of(self, "SELECT batchId, state, reason FROM leat_queries WHERE lower(name) = lower(", '\'', ")"));
    if (row == NULL) return false;
    const char *state  = leat_column_text(row, 1, NULL);
    *out_batch         = leat_column_int64(row, 0);
    const char *reason = leat_column_text(row, 2, NULL);
    snprintf(self->state, sizeof self->state, "%s", state == NULL ? "" : state);
    snprintf(self->reason, sizeof self->reason, "%s", reason == NULL ? "" : reason);
    leat_statement_close(&row);
    return true;
}

static void facts_ask(live *self) {
    const int64_t   now_us = lt_now_us();
    lt_query_facts *facts  = &self->facts;
    leat_statement *row    = row_ask(
           self, sql_of(self,
                        "SELECT max(batchId), max_by(numOutputRows, batchId), sum(numBadRows) FROM leat_progress WHERE "
                           "lower(name) = lower(",
                        '\'', ")"));
    *facts = (lt_query_facts){-1, -1, -1, -1, -1, -1, -1, -1, ""};
    if (row != NULL && !leat_column_is_null(row, 0)) {
        facts->batch_id = leat_column_int64(row, 0);
        facts->rows_out = leat_column_int64(row, 1);
        facts->rows_bad = leat_column_int64(row, 2);
    }
    leat_statement_close(&row);
    row = row_ask(self, sql_of(self,
                               "SELECT sum(rowsOut) FILTER (WHERE operator LIKE '%Scan'), sum(numRowsLate), "
                               "sum(numRowsTotal), sum(memoryUsedBytes), "
                               "date_format(to_utc_timestamp(min(watermark), current_timezone()), "
                               "\"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\") FROM leat_operators WHERE lower(name) = lower(",
                               '\'', ")"));
    if (row != NULL && !leat_column_is_null(row, 0)) {
        facts->rows_in        = leat_column_int64(row, 0);
        facts->rows_late      = leat_column_int64(row, 1);
        const char *watermark = leat_column_text(row, 4, NULL);
        if (watermark != NULL) strncpy(facts->watermark, watermark, sizeof facts->watermark - 1);
        if (!leat_column_is_null(row, 2)) {
            facts->state_rows  = leat_column_int64(row, 2);
            facts->state_bytes = leat_column_int64(row, 3);
        }
        if (self->rows_in_us > 0 && now_us > self->rows_in_us)
            facts->rows_per_second =
                (int64_t)((double)(facts->rows_in - self->rows_in) * 1e6 / (double)(now_us - self->rows_in_us));
        self->rows_in    = facts->rows_in;
        self->rows_in_us = now_us;
    }
    leat_statement_close(&row);
    self->facts_us = now_us;
}

static bool is_ordered(const live *self) {
    leat_statement *statement = row_ask(self, sql_of(self, "EXPLAIN QUERY ", '`', ""));
    bool            has_sort = false, is_read = statement != NULL;
    while (is_read && !has_sort) { // the part above "Standing:" runs when the table is read
        const char *line = leat_column_text(statement, 0, NULL);
        if (line == NULL || strncmp(line, "Standing:", 9) == 0) break;
        has_sort = strncmp(line + strspn(line, " "), "Sort ", 5) == 0;
        is_read  = leat_step(statement, NULL) == LEAT_ROW;
    }
    leat_statement_close(&statement);
    return has_sort;
}

// --------------------------------------------------------------------------------------------------------------- frame

// The table as the box format shows it, in lines. Returns false when it cannot be read; the shell's err tells.
static bool table_read(live *self, lines *out) {
    lt_shell               *shell  = self->shell;
    const lt_result_format *format = lt_result_format_find("box");
    lt_show                 show   = shell->show;
    char                    tail[32];
    lt_shell_text           sql = {0};
    lt_output               kept;
    const int               shown = self->is_ordered ? (int)self->screen_rows - CHROME_LINES : ROWS_MAX;
    snprintf(tail, sizeof tail, " LIMIT %d", shown < 1 ? 1 : shown);
    char *text = sql_of(self, "SELECT * FROM ", '`', tail);
    lt_text_put(&sql, text);
    free(text);
    lt_output_init(&kept, -1);
    lt_output_hold(&kept, true);
    show.rows_max          = 0;
    show.screen_columns    = self->screen_columns;
    leat_statement *table  = NULL;
    leat_status     status = leat_prepare(shell->session, sql.data, sql.bytes, &table, NULL, shell->err);
    if (status == LEAT_OK) status = leat_step(table, shell->err);
    if (status == LEAT_ROW || status == LEAT_DONE) {
        lt_result result = {.statement = table, .out = &kept, .show = &show, .column_count = leat_column_count(table)};
        result.looks     = lt_shell_reallocate(NULL, sizeof *result.looks * (result.column_count + 1u));
        for (uint32_t c = 0; c < result.column_count; c++) result.looks[c] = lt_column_look_of(&result, c);
        format->begin(&result);
        for (; status == LEAT_ROW; status = leat_step(table, shell->err)) {
            result.row_count++;
            format->row(&result);
        }
        format->end(&result);
        lt_text_free(&result.line);
        free(result.looks);
    }
    leat_statement_close(&table);
    lt_text_free(&sql);
    for (const char *at = kept.pending.data, *end = at + kept.pending.bytes; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) stop = end;
        lines_add(out, at, (size_t)(stop - at));
        at = stop + 1;
    }
    kept.pending.bytes = 0;
    (void)lt_output_close(&kept);
    return status == LEAT_DONE;
}

static const char *bar_of(const live *self) { return self->shell->show.has_unicode ? "\u2502" : "|"; }

// Cells of a line of the box, without the blanks around them.
static bool cell_next(const char **at, const char *bar, const char **out, size_t *out_bytes) {
    const size_t length = strlen(bar);
    if (strncmp(*at, bar, length) != 0) return false;
    const char *begin = *at + length, *end = strstr(begin, bar);
    if (end == NULL) return false;
    *at = end;
    while (begin < end && *begin == ' ') begin++;
    while (end > begin && end[-1] == ' ') end--;
    *out       = begin;
    *out_bytes = (size_t)(end - begin);
    return true;
}

static bool cells_are_equal(const char *a, const char *b, const char *bar) {
    for (;;) {
        const char *x, *y;
        size_t      x_bytes, y_bytes;
        const bool  has_x = cell_next(&a, bar, &x, &x_bytes), has_y = cell_next(&b, bar, &y, &y_bytes);
        if (has_x != has_y) return false;
        if (!has_x) return true;
        if (x_bytes != y_bytes || memcmp(x, y, x_bytes) != 0) return false;
    }
}

// The line with the cells in bold that differ from those of `before`.
static char *line_marked(const live *self, const char *text, const char *before) {
    const char   *bar = bar_of(self), *at = text, *old = before, *cell, *old_cell;
    size_t        bytes, old_bytes;
    lt_shell_text out = {0};
    for (const char *begin = at; cell_next(&at, bar, &cell, &bytes); begin = at) {
        const bool has_old = cell_next(&old, bar, &old_cell, &old_bytes);
        lt_text_append(&out, begin, (size_t)(cell - begin));
        const bool is_new = !has_old || bytes != old_bytes || memcmp(cell, old_cell, bytes) != 0;
        if (is_new) lt_text_put(&out, "\033[1m");
        lt_text_append(&out, cell, bytes);
        if (is_new) lt_text_put(&out, "\033[0m");
        lt_text_append(&out, cell + bytes, (size_t)(at - cell) - bytes);
    }
    lt_text_put(&out, at);
    return out.data;
}

// Order of the rows on the screen: by last change, newest first, where the query has no order of its own.
static void rows_order(const live *self, size_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        for (; !self->is_ordered && place > 0 && self->changed[order[place - 1]] < self->changed[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

// Reads the table and notes which rows changed; the lines to show go to *out.
static bool frame_make(live *self, lines *out) {
    lines table = {0};
    if (!table_read(self, &table)) {
        lines_free(&table);
        return false;
    }
    const size_t rows     = table.count < HEAD_LINES + 1 ? 0 : table.count - HEAD_LINES - 1;
    const size_t most     = self->screen_rows > CHROME_LINES ? self->screen_rows - CHROME_LINES : 1;
    uint64_t    *changed  = lt_shell_reallocate(NULL, (rows + 1) * sizeof *changed);
    size_t      *order    = lt_shell_reallocate(NULL, (rows + 1) * sizeof *order);
    const bool   is_first = self->frame++ == 0;
    for (size_t r = 0; r < rows; r++) {
        const bool is_same =
            r < self->rows.count && cells_are_equal(table.texts[HEAD_LINES + r], self->rows.texts[r], bar_of(self));
        changed[r] = is_same ? self->changed[r] : is_first ? 0 : self->frame;
    }
    free(self->changed);
    self->changed = changed;
    rows_order(self, order, rows);
    for (size_t i = 0; i < HEAD_LINES && i < table.count; i++) lines_add(out, table.texts[i], strlen(table.texts[i]));
    for (size_t i = 0; i < rows && i < most; i++) {
        const char *text = table.texts[HEAD_LINES + order[i]];
        if (changed[order[i]] == self->frame && self->shell->show.has_colour) {
            char *marked = line_marked(self, text, order[i] < self->rows.count ? self->rows.texts[order[i]] : "");
            lines_add(out, marked, strlen(marked));
            free(marked);
        } else {
            lines_add(out, text, strlen(text));
        }
    }
    if (table.count > HEAD_LINES) lines_add(out, table.texts[table.count - 1], strlen(table.texts[table.count - 1]));
    lines_free(&self->rows);
    for (size_t r = 0; r < rows; r++)
        lines_add(&self->rows, table.texts[HEAD_LINES + r], strlen(table.texts[HEAD_LINES + r]));
    int64_t         all = (int64_t)rows;
    leat_statement *row = rows < most ? NULL : row_ask(self, sql_of(self, "SELECT count(*) FROM ", '`', ""));
    if (row != NULL) all = leat_column_int64(row, 0);
    leat_statement_close(&row);
    if (all > (int64_t)most) {
        lt_shell_text more = {0};
        lt_text_put(&more, "+ ");
        lt_count_put(&more, all - (int64_t)most);
        lt_text_put(&more, " more rows");
        lines_add(out, more.data, more.bytes);
        lt_text_free(&more);
    }
    lines_free(&table);
    free(order);
    return true;
}

// The lines below the table: why nothing has come for a while, and what is known of the query.
static void status_add(const live *self, lines *out) {
    lt_shell_text text = {0};
    size_t        width;
    if (lt_now_us() - self->news_us > SILENCE_US) {
        lt_text_put_visible(&text, self->reason, strlen(self->reason));
        lines_add(out, text.data, lt_text_cut(text.data, text.bytes, self->screen_columns - 1u, &width));
        text.bytes = 0;
    }
    const char *dot = self->shell->show.has_unicode ? " \u00B7 " : " - ";
    lt_text_format(&text, "%s%s", self->name, dot);
    if (strcmp(self->state, "RUNNING") != 0) lt_text_format(&text, "%s%s", self->state, dot);
    lt_query_facts_put(&self->facts, self->shell->show.has_unicode, &text);
    lt_text_format(&text, "%s%sq leaves", dot, self->is_paused ? "paused, " : "");
    lines_add(out, text.data, lt_text_cut(text.data, text.bytes, self->screen_columns - 1u, &width));
    lt_text_free(&text);
}

// Brings the screen from the lines that stand on it to `wanted`; the cursor rests below the last line.
static void screen_update(live *self, lines *wanted) {
    lt_shell_text out  = {0};
    size_t        same = 0;
    while (wanted->count > 1 && wanted->count + 1 > self->screen_rows) { // a screen of a few lines keeps the last ones
        free(wanted->texts[0]);
        memmove(wanted->texts, wanted->texts + 1, --wanted->count * sizeof *wanted->texts);
        if (self->table_lines > 0) self->table_lines--;
    }
    while (same < wanted->count && same < self->screen.count &&
           strcmp(self->screen.texts[same], wanted->texts[same]) == 0)
        same++;
    if (same == wanted->count && same == self->screen.count) {
        lines_free(wanted);
        return;
    }
    if (self->screen.count > 0) lt_text_format(&out, "\033[%zuA\r", self->screen.count);
    for (size_t i = 0; i < wanted->count; i++) {
        if (i < self->screen.count && strcmp(self->screen.texts[i], wanted->texts[i]) == 0)
            lt_text_put(&out, "\033[1B");
        else
            lt_text_format(&out, "%s\033[K\r\n", wanted->texts[i]);
    }
    if (self->screen.count > wanted->count) lt_text_put(&out, "\033[J");
    lt_output_write(&self->shell->standard, out.data, out.bytes);
    lt_output_flush(&self->shell->standard);
    lt_text_free(&out);
    lines_free(&self->screen);
    self->screen = *wanted;
    *wanted      = (lines){0};
}

// Size of the screen; whether it has changed since the last frame, which is then drawn anew.
static bool screen_measure(live *self) {
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    if (ioctl(self->shell->standard.descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    if (size.ws_row == self->screen_rows && size.ws_col == self->screen_columns) return false;
    const bool is_first  = self->screen_rows == 0;
    self->screen_rows    = size.ws_row;
    self->screen_columns = size.ws_col;
    if (!is_first) {
        lines_free(&self->screen);
        lt_output_put(&self->shell->standard, "\033[H\033[J");
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------- loop

// Waits a round for a key. Returns false when the view is left.
static bool keys_take(live *self) {
    struct pollfd waits = {.fd = STDIN_FILENO, .events = POLLIN};
    char          key;
    if (poll(&waits, 1, ROUND_MS) <= 0 || lt_signals_stop() != 0) return lt_signals_stop() == 0;
    if (read(STDIN_FILENO, &key, 1) != 1) return false;
    if (key == ' ') self->is_paused = !self->is_paused;
    if (key == 'c') self->wants_changes = true;
    return key != 'q' && key != 'c' && key != 4;
}

static bool rounds_run(live *self) {
    lines   frame    = {0};
    int64_t batch    = INT64_MIN;
    bool    is_there = true, is_ok = true, was_paused = false;
    do {
        (void)leat_run(self->shell->session, 0, NULL, NULL);
        is_there              = query_look(self, &batch);
        const bool is_resized = screen_measure(self);
        const bool is_due     = !self->is_paused && (batch != self->batch_id || self->frame == 0);
        const bool has_facts  = lt_now_us() - self->facts_us >= FACTS_US;
        if (!is_there) break;
        if (!is_due && !is_resized && !has_facts && was_paused == self->is_paused) continue;
        if (has_facts || is_due) facts_ask(self);
        if (is_due || is_resized) {
            is_ok = frame_make(self, &frame);
            if (!is_ok) break;
            self->table_lines = frame.count;
        } else {
            for (size_t i = 0; i < self->table_lines && i < self->screen.count; i++)
                lines_add(&frame, self->screen.texts[i], strlen(self->screen.texts[i]));
        }
        if (is_due) {
            self->batch_id = batch;
            self->news_us  = lt_now_us();
        }
        was_paused = self->is_paused;
        status_add(self, &frame);
        screen_update(self, &frame);
    } while (keys_take(self));
    lines_free(&frame);
    return is_ok;
}

static bool live_show(live *self) {
    struct termios before, raw;
    const bool     has_keys = tcgetattr(STDIN_FILENO, &before) == 0;
    if (has_keys) {
        raw = before;
        raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO); // Ctrl-C stays a signal
        raw.c_cc[VMIN]  = 1;
        raw.c_cc[VTIME] = 0;
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    self->is_ordered = is_ordered(self);
    lt_signals_forget();
    const bool is_ok = rounds_run(self);
    if (lt_signals_stop() != SIGTERM) lt_signals_forget();
    if (has_keys) (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    lines_free(&self->screen);
    lines_free(&self->rows);
    free(self->changed);
    if (!is_ok) lt_error_print(self->shell, NULL, 0, self->shell->err);
    return is_ok;
}

bool lt_live_run(lt_shell *shell, const char *argument) {
    static const char own_name[] = "live";
    const bool        is_select  = strncasecmp(argument, "SELECT", 6) == 0 || strncasecmp(argument, "WITH ", 5) == 0 ||
                           strncasecmp(argument, "FROM ", 5) == 0;
    live    self = {.shell = shell, .name = is_select ? own_name : argument, .batch_id = INT64_MIN};
    int64_t batch;
    bool    is_ok = true;
    if (is_select) {
        lt_shell_text sql = {0};
        lt_text_format(&sql, "CREATE OR REPLACE MATERIALIZED VIEW %s AS %s", own_name, argument);
        leat_status status = leat_execute(shell->session, sql.data, sql.bytes, shell->err);
        lt_text_free(&sql);
        if (status != LEAT_OK) {
            lt_error_print(shell, NULL, 0, shell->err);
            return false;
        }
    }
    if (!query_look(&self, &batch)) {
        lt_error_say(shell, "no standing query `%s`; .queries lists them", self.name);
        return false;
    }
    is_ok = live_show(&self);
    if (is_ok && self.wants_changes) {
        char *sql = sql_of(&self, "SELECT * FROM ", '`', " EMIT CHANGES");
        is_ok     = lt_shell_sql_run(shell, sql);
        free(sql);
        lt_signals_forget();
    }
    if (is_select) (void)leat_execute(shell->session, "DROP MATERIALIZED VIEW live", LEAT_TERMINATED, NULL);
    return is_ok;
}
