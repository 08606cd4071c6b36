// leat_conformance: runs files of the conformance format through leat.h.
//
//     leat_conformance [--known FILE] [--set KEY=VALUE] [--list] [-v] PATH...
//
// Prints a line per file and closes with `N passed, N failed`, counting the records of kind query, error, batches and
// progress.
// --known names a file of `path:ordinal` lines (ordinal of the record among those counted, from 1): a record that fails
// without being listed, or passes though listed, fails the run. --list prints such lines for what fails. -v shows each
// failure. --set changes a setting of every session. The format is described in tests/conformance/README.md. Each file
// runs in a session and an empty folder of
// its own.
#include <leat.h>

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { LINES_MAX = 4096, NAME_MAX_BYTES = 256, PATH_MAX_BYTES = 1024 };

typedef struct text {
    char  *data;
    size_t bytes, capacity;
} text;

static void text_append(text *self, const char *bytes, size_t count) {
    if (self->bytes + count + 1 > self->capacity) {
        self->capacity = (self->bytes + count + 1) * 2;
        self->data     = realloc(self->data, self->capacity);
        if (self->data == NULL) exit(3);
    }
    memcpy(self->data + self->bytes, bytes, count);
    self->bytes += count;
    self->data[self->bytes] = '\0';
}

static void text_puts(text *self, const char *string) { text_append(self, string, strlen(string)); }
static void text_reset(text *self) {
    self->bytes = 0;
    text_append(self, "", 0);
}

// One paragraph: lines without comments, pointing into the file's text.
typedef struct record {
    char  *lines[LINES_MAX];
    size_t count;
    size_t line_number;
    bool   is_differing;
} record;

typedef struct declaration {
    char *sql;
    char  name[NAME_MAX_BYTES]; // what it creates, or ""
    bool  is_gone;
} declaration;

// What a standing query delivered since the last `batches` record.
typedef struct delivery {
    struct runner   *runner;
    char             name[NAME_MAX_BYTES];
    text             blocks;
    bool             is_stopped;
    struct delivery *next;
} delivery;

typedef struct runner {
    leat_session *session;
    leat_error   *err;
    char          folder[PATH_MAX_BYTES];
    declaration   declarations[LINES_MAX];
    size_t        declaration_count;
    delivery     *deliveries;
    long          next_mtime;
    bool          is_verbose, may_restart, may_cut, may_split;
    const char   *path;
} runner;

static bool is_verbose_failure(const runner *self, const record *r, const char *format, ...) {
    if (!self->is_verbose) return false;
    printf("%s:%zu: ", self->path, r->line_number);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    return false;
}

// ---------------------------------------------------------------------------------------------------------------- cuts

// With --cut every query gets a checkpoint, and the session is closed and opened again at places that do not matter to
// the answer; files are cut into several that one batch reads, or a batch each where answers are those of a SELECT.
static uint64_t cut_seed; // 0: none
static uint64_t cut_state;
static char    *left_out; // lines of --without

static uint64_t cut_below(uint64_t n) {
    cut_state = cut_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (cut_state >> 33) % n;
}

// --------------------------------------------------------------------------------------------------------------- files

static void remove_tree(const char *path) {
    DIR *folder = opendir(path);
    if (folder != NULL) {
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            char child[PATH_MAX_BYTES];
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            if (snprintf(child, sizeof child, "%s/%s", path, entry->d_name) < (int)sizeof child) remove_tree(child);
        }
        closedir(folder);
    }
    remove(path);
}

static void make_parents(const char *path) {
    char copy[PATH_MAX_BYTES];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777);
        *slash = '/';
    }
}

static void set_mtime(const char *path, long seconds) {
    struct timeval times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    utimes(path, times);
}

static void append_unescaped(text *out, const char *line) {
    for (const char *c = line; *c != '\0'; c++) {
        if (*c != '\\') {
            text_append(out, c, 1);
            continue;
        }
        c++;
        char byte = *c == 'n' ? '\n' : *c == 'r' ? '\r' : *c == 't' ? '\t' : *c;
        if (*c == 'x') {
            char hex[3] = {c[1], c[2], '\0'};
            byte        = (char)strtol(hex, NULL, 16);
            c += 2;
        }
        text_append(out, &byte, 1);
    }
}

static void append_line(text *content, const record *r, size_t i, bool is_escaped) {
    if (is_escaped)
        append_unescaped(content, r->lines[i]);
    else
        text_puts(content, r->lines[i]);
    if (!is_escaped || i + 1 < r->count) text_puts(content, "\n");
}

// A complete file appears in one step: written beside, then renamed.
static bool publish(runner *self, const record *r, const char *name, const text *content) {
    char path[PATH_MAX_BYTES + 2 * NAME_MAX_BYTES], temporary[PATH_MAX_BYTES + 2 * NAME_MAX_BYTES];
    snprintf(path, sizeof path, "%s/%s", self->folder, name);
    make_parents(path);
    snprintf(temporary, sizeof temporary, "%s/.temporary-%ld", self->folder, self->next_mtime);
    FILE *file = fopen(temporary, "wb");
    if (file == NULL) return is_verbose_failure(self, r, "cannot write %s", temporary);
    fwrite(content->data, 1, content->bytes, file);
    fclose(file);
    set_mtime(temporary, self->next_mtime++);
    return rename(temporary, path) == 0 || is_verbose_failure(self, r, "cannot rename to %s", path);
}

static bool run_file(runner *self, const record *r) {
    char name[NAME_MAX_BYTES] = "", word[NAME_MAX_BYTES] = "";
    text content = {0};
    sscanf(r->lines[0], "file %255s %255s", name, word);
    const bool is_escaped = strcmp(word, "escaped") == 0;
    const bool is_cut     = self->may_cut && !is_escaped && strstr(name, ".json") != NULL;
    bool       is_good    = true;
    text_reset(&content);
    for (size_t i = 1; i < r->count; i++) {
        append_line(&content, r, i, is_escaped);
        if (!is_cut || i + 1 == r->count || cut_below(2) == 0) continue;
        char part[2 * NAME_MAX_BYTES];
        snprintf(part, sizeof part, "%s-%03zu.json", name, i);
        is_good &= publish(self, r, part, &content);
        if (self->may_split &&
            leat_execute(self->session, "PROCESS ALL AVAILABLE", LEAT_TERMINATED, self->err) != LEAT_OK)
            is_good = is_verbose_failure(self, r, "a batch fails: %s", leat_error_message(self->err));
        text_reset(&content);
    }
    is_good &= publish(self, r, name, &content);
    free(content.data);
    return is_good;
}

// ------------------------------------------------------------------------------------------------------------- session

static const char *setting_sql;   // of --set
static int64_t     test_clock_us; // of `clock` records; 0: the system's
static bool        has_clock;     // the file has such records

static int64_t clock_now_us(void *user) {
    struct timespec now;
    (void)user;
    if (test_clock_us != 0) return test_clock_us;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void clock_sleep_us(void *user, int64_t duration_us) {
    (void)user;
    usleep((useconds_t)(duration_us < 100000 ? duration_us : 100000));
}

// `clock 2024-05-01 12:00:00` stops the clock there, `clock +30` puts it 30 seconds forward.
static bool run_clock(const char *line) {
    struct tm time    = {0};
    long      seconds = 0;
    if (sscanf(line, "clock +%ld", &seconds) == 1) {
        test_clock_us = clock_now_us(NULL) + seconds * 1000000;
        return true;
    }
    if (sscanf(line, "clock %d-%d-%d %d:%d:%d", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour, &time.tm_min,
               &time.tm_sec) != 6)
        return false;
    time.tm_year -= 1900;
    time.tm_mon--;
    test_clock_us = (int64_t)timegm(&time) * 1000000;
    return true;
}

static bool open_session(runner *self) {
    static const leat_clock clock   = {.now_us = clock_now_us, .sleep_us = clock_sleep_us};
    leat_options            options = {.struct_size = sizeof options, .folder = self->folder};
    if (has_clock) options.clock = &clock;
    if (leat_open(&options, &self->session, self->err) != LEAT_OK) return false;
    return setting_sql == NULL || leat_execute(self->session, setting_sql, LEAT_TERMINATED, self->err) == LEAT_OK;
}

// The word after VIEW, SINK, TABLE, STREAM, ... of a CREATE or DROP.
static void object_name(const char *sql, char name[NAME_MAX_BYTES]) {
    static const char *const objects[] = {"VIEW", "SINK", "TABLE", "STREAM", "FUNCTION", "VARIABLE"};
    const char              *found     = NULL;
    name[0]                            = '\0';
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        const char *at = strcasestr(sql, objects[i]);
        if (at != NULL && (found == NULL || at < found)) found = at + strlen(objects[i]);
    }
    if (found == NULL) return;
    for (;;) {
        found += strspn(found, " \n\t");
        if (strncasecmp(found, "IF NOT EXISTS", 13) == 0)
            found += 13;
        else if (strncasecmp(found, "IF EXISTS", 9) == 0)
            found += 9;
        else
            break;
    }
    size_t bytes = strcspn(found, " \n\t;(");
    if (bytes >= NAME_MAX_BYTES) bytes = NAME_MAX_BYTES - 1;
    memcpy(name, found, bytes);
    name[bytes] = '\0';
}

static delivery *delivery_of(runner *self, const char *name) {
    for (delivery *d = self->deliveries; d != NULL; d = d->next)
        if (strcasecmp(d->name, name) == 0) return d;
    delivery *d = calloc(1, sizeof *d);
    if (d == NULL) exit(3);
    d->runner = self;
    snprintf(d->name, sizeof d->name, "%s", name);
    d->next          = self->deliveries;
    self->deliveries = d;
    return d;
}

static void append_escaped(text *out, const char *value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        switch (value[i]) {
        case '\\':
            text_puts(out, "\\\\");
            break;
        case '\t':
            text_puts(out, "\\t");
            break;
        case '\r':
            text_puts(out, "\\r");
            break;
        case '\n':
            text_puts(out, "\\n");
            break;
        default:
            text_append(out, value + i, 1);
        }
    }
}

static void append_value(text *out, leat_statement *statement, uint32_t column) {
    size_t      bytes;
    const char *value = leat_column_text(statement, column, &bytes);
    if (value == NULL) {
        text_puts(out, "NULL");
        return;
    }
    if (strcmp(leat_column_type(statement, column), "BINARY") == 0) {
        text_puts(out, "X'");
        for (size_t i = 0; i < bytes; i++) {
            char hex[3];
            snprintf(hex, sizeof hex, "%02X", (unsigned char)value[i]);
            text_puts(out, hex);
        }
        text_puts(out, "'");
        return;
    }
    if (bytes == 0) text_puts(out, "(empty)");
    append_escaped(out, value, bytes);
}

static void append_header(text *out, leat_statement *statement) {
    for (uint32_t c = 0; c < leat_column_count(statement); c++) {
        if (c > 0) text_puts(out, "\t");
        size_t      bytes;
        const char *name = leat_column_name(statement, c, &bytes);
        append_escaped(out, name, bytes);
        text_puts(out, " ");
        text_puts(out, leat_column_type(statement, c));
    }
    text_puts(out, "\n");
}

typedef struct row_lines {
    char **lines;
    size_t count, capacity;
} row_lines;

static void row_add(row_lines *rows, const text *line) {
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity == 0 ? 64 : rows->capacity * 2;
        rows->lines    = realloc(rows->lines, rows->capacity * sizeof *rows->lines);
        if (rows->lines == NULL) exit(3);
    }
    rows->lines[rows->count++] = strdup(line->data);
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// All rows of a statement; LEAT_DONE when it ended well.
static leat_status take_rows(leat_statement *statement, row_lines *rows, leat_error *err) {
    text        line = {0};
    leat_status status;
    while ((status = leat_step(statement, err)) == LEAT_ROW) {
        text_reset(&line);
        for (uint32_t c = 0; c < leat_column_count(statement); c++) {
            if (c > 0) text_puts(&line, "\t");
            append_value(&line, statement, c);
        }
        row_add(rows, &line);
    }
    free(line.data);
    return status;
}

static void append_rows(text *out, row_lines *rows, bool is_sorted) {
    if (is_sorted && rows->count > 1) qsort(rows->lines, rows->count, sizeof *rows->lines, compare_lines);
    for (size_t i = 0; i < rows->count; i++) {
        text_puts(out, rows->lines[i]);
        text_puts(out, "\n");
        free(rows->lines[i]);
    }
    free(rows->lines);
    *rows = (row_lines){0};
}

static leat_status on_batch(void *user, int64_t batch_id, leat_statement *statement, leat_error *err) {
    delivery *self = user;
    row_lines rows = {0};
    char      head[64];
    take_rows(statement, &rows, err);
    if (rows.count == 0) return LEAT_OK;
    snprintf(head, sizeof head, "batch %lld\n", (long long)batch_id);
    text_puts(&self->blocks, head);
    append_header(&self->blocks, statement);
    append_rows(&self->blocks, &rows, true);
    return LEAT_OK;
}

static bool is_word(const char *sql, const char *word) { return strncasecmp(sql, word, strlen(word)) == 0; }

static bool creates_query(const char *sql) {
    return is_word(sql, "CREATE") &&
           (strcasestr(sql, "MATERIALIZED VIEW") != NULL || strcasestr(sql, "CREATE SINK") == sql);
}

// The statement with a checkpoint for the query that it creates; from malloc.
static char *with_checkpoint(const char *sql, const char *name) {
    const char *kind = strcasestr(sql, " VIEW "), *view, *after;
    if (kind == NULL) kind = strcasestr(sql, "SINK ");
    view     = kind == NULL ? NULL : strcasestr(kind + 5, name);
    after    = view == NULL ? NULL : view + strlen(name);
    text out = {0};
    text_reset(&out);
    if (after != NULL) after += strspn(after, " \n\t");
    const bool  has_options = after != NULL && is_word(after, "WITH");
    const char *open        = has_options ? strchr(after, '(') : NULL;
    if (after == NULL || strcasestr(sql, "checkpointLocation") != NULL || (!has_options && !is_word(after, "AS"))) {
        text_puts(&out, sql);
        return out.data;
    }
    const char *rest = open == NULL ? after : open + 1;
    text_append(&out, sql, (size_t)(rest - sql));
    text_puts(&out,
              open == NULL ? "WITH (checkpointLocation = 'checkpoint_of_" : "checkpointLocation = 'checkpoint_of_");
    text_puts(&out, name);
    text_puts(&out, open == NULL ? "') " : "', ");
    text_puts(&out, rest);
    return out.data;
}

static leat_status execute(runner *self, const char *sql) {
    char name[NAME_MAX_BYTES];
    object_name(sql, name);
    char       *given  = self->may_restart && creates_query(sql) ? with_checkpoint(sql, name) : NULL;
    leat_status status = leat_execute(self->session, given == NULL ? sql : given, LEAT_TERMINATED, self->err);
    free(given);
    if (status != LEAT_OK) return status;
    if (is_word(sql, "CREATE STREAM")) { // the folder that its path names is made, empty
        const char *path = strcasestr(sql, "path '");
        if (path != NULL) {
            char folder[PATH_MAX_BYTES + NAME_MAX_BYTES];
            path += 6;
            size_t bytes = strcspn(path, "'");
            if (memchr(path, '*', bytes) == NULL &&
                snprintf(folder, sizeof folder, "%s/%.*s/", self->folder, (int)bytes, path) < (int)sizeof folder)
                make_parents(folder);
        }
    }
    if (creates_query(sql)) leat_rows_callback_set(self->session, name, on_batch, delivery_of(self, name), NULL);
    return LEAT_OK;
}

static void make_stream_folder(runner *self, const char *sql) {
    const char *path =
        is_word(sql, "CREATE STREAM") || is_word(sql, "CREATE OR REPLACE STREAM") ? strcasestr(sql, "path '") : NULL;
    char folder[PATH_MAX_BYTES + NAME_MAX_BYTES];
    if (path == NULL) return;
    path += 6;
    size_t bytes = strcspn(path, "'");
    if (memchr(path, '*', bytes) == NULL &&
        snprintf(folder, sizeof folder, "%s/%.*s/", self->folder, (int)bytes, path) < (int)sizeof folder)
        make_parents(folder);
}

static leat_status declare(runner *self, const char *sql) {
    make_stream_folder(self, sql);
    leat_status status = execute(self, sql);
    if (status != LEAT_OK) return status;
    char name[NAME_MAX_BYTES];
    object_name(sql, name);
    if (is_word(sql, "DROP")) {
        for (size_t i = 0; i < self->declaration_count; i++)
            if (strcasecmp(self->declarations[i].name, name) == 0) self->declarations[i].is_gone = true;
        return status;
    }
    bool is_kept = is_word(sql, "CREATE") || is_word(sql, "INSERT") || is_word(sql, "SET");
    if (is_kept && self->declaration_count < LINES_MAX) {
        declaration *d = &self->declarations[self->declaration_count++];
        *d             = (declaration){.sql = strdup(sql)};
        if (is_word(sql, "CREATE")) snprintf(d->name, sizeof d->name, "%s", name);
    }
    return status;
}

// ------------------------------------------------------------------------------------------------------------- records

static char *join_lines(const record *r, size_t first, size_t end) {
    text sql = {0};
    text_reset(&sql);
    for (size_t i = first; i < end; i++) {
        if (i > first) text_puts(&sql, "\n");
        text_puts(&sql, r->lines[i]);
    }
    return sql.data;
}

static size_t answer_start(const record *r) {
    for (size_t i = 1; i < r->count; i++)
        if (strcmp(r->lines[i], "----") == 0) return i;
    return r->count;
}

static bool equals_answer(const runner *self, const record *r, size_t first, const text *got, const char *what) {
    text expected = {0};
    text_reset(&expected);
    for (size_t i = first; i < r->count; i++) {
        text_puts(&expected, r->lines[i]);
        text_puts(&expected, "\n");
    }
    bool is_equal = strcmp(expected.data, got->data) == 0;
    if (!is_equal) is_verbose_failure(self, r, "%s\n--- expected\n%s--- got\n%s", what, expected.data, got->data);
    free(expected.data);
    return is_equal;
}

static bool run_query(runner *self, const record *r) {
    size_t          end = answer_start(r);
    char           *sql = join_lines(r, 1, end);
    leat_statement *statement;
    bool            is_unordered = strstr(r->lines[0], "unordered") != NULL, is_good = false;
    leat_status     status = leat_prepare(self->session, sql, LEAT_TERMINATED, &statement, NULL, self->err);
    row_lines       rows   = {0};
    text            got    = {0};
    if (status == LEAT_OK) status = take_rows(statement, &rows, self->err);
    text_reset(&got);
    if (status == LEAT_DONE) {
        append_header(&got, statement);
        append_rows(&got, &rows, is_unordered);
        is_good = equals_answer(self, r, end + 1, &got, sql);
    } else {
        is_verbose_failure(self, r, "%s\nfails: [%s] %s", sql, leat_error_condition(self->err),
                           leat_error_message(self->err));
        append_rows(&got, &rows, false);
    }
    leat_statement_close(&statement);
    free(sql);
    free(got.data);
    return is_good;
}

static leat_status run_step(runner *self, const char *line);

static bool is_step(const char *line) {
    static const char *const words[] = {"process", "run ", "stop ", "start "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static bool run_error(runner *self, const record *r) {
    char       *sql       = join_lines(r, 1, r->count);
    const char *condition = r->lines[0] + strcspn(r->lines[0], " ");
    condition += strspn(condition, " ");
    if (is_step(sql) || is_word(sql, "PROCESS")) self->may_restart = false; // the query that failed would start again
    leat_status status = is_step(sql) ? run_step(self, sql) : declare(self, sql);
    bool is_good = status != LEAT_OK && (*condition == '\0' || strcmp(condition, leat_error_condition(self->err)) == 0);
    if (!is_good)
        is_verbose_failure(self, r, "%s\nshould fail with %s, but %s [%s] %s", sql, condition,
                           status == LEAT_OK ? "succeeds" : "fails with",
                           status == LEAT_OK ? "" : leat_error_condition(self->err),
                           status == LEAT_OK ? "" : leat_error_message(self->err));
    free(sql);
    return is_good;
}

static bool run_batches(runner *self, const record *r) {
    char name[NAME_MAX_BYTES] = "";
    sscanf(r->lines[0], "batches %255s", name);
    delivery *d = delivery_of(self, name);
    if (d->blocks.data == NULL) text_reset(&d->blocks);
    bool is_good = equals_answer(self, r, answer_start(r) + 1, &d->blocks, r->lines[0]);
    text_reset(&d->blocks);
    return is_good;
}

static void iso_time(const char *value, char out[64]) {
    // 2024-05-01 12:00:01[.ffffff] -> 2024-05-01T12:00:01.000Z
    char        fraction[4] = "000";
    const char *dot         = strchr(value, '.');
    for (size_t i = 0; dot != NULL && i < 3 && dot[1 + i] != '\0'; i++) fraction[i] = dot[1 + i];
    size_t bytes = dot == NULL ? strlen(value) : (size_t)(dot - value);
    snprintf(out, 64, "%.*s.%sZ", (int)(bytes < 40 ? bytes : 40), value, fraction);
    char *blank = strchr(out, ' ');
    if (blank != NULL) *blank = 'T';
}

static bool run_progress(runner *self, const record *r) {
    static const struct {
        const char *key, *column;
    } columns[]               = {{"batchId", "batchId"},
                                 {"numInputRows", "numInputRows"},
                                 {"watermark", "watermark"},
                                 {"eventTime.min", "eventTimeMin"},
                                 {"eventTime.max", "eventTimeMax"},
                                 {"eventTime.avg", "eventTimeAvg"},
                                 {"stateRows", "numRowsTotal"},
                                 {"stateRowsUpdated", "numRowsUpdated"},
                                 {"stateRowsRemoved", "numRowsRemoved"},
                                 {"rowsDropped", "numRowsDroppedByWatermark"}};
    char name[NAME_MAX_BYTES] = "", batch[NAME_MAX_BYTES] = "";
    sscanf(r->lines[0], "progress %255s %255s", name, batch);
    text got = {0};
    text_reset(&got);
    size_t first = answer_start(r) + 1;
    for (size_t i = first; i < r->count; i++) {
        char        key[NAME_MAX_BYTES] = "", sql[1024], value[64] = "NULL";
        const char *column = NULL;
        sscanf(r->lines[i], "%255s", key);
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
            if (strcmp(columns[k].key, key) == 0) column = columns[k].column;
        if (column != NULL) {
            leat_statement *statement = NULL;
            snprintf(sql, sizeof sql, "SELECT %s FROM leat_progress WHERE name = '%s'%s%s", column, name,
                     batch[0] == '\0' ? "" : " AND batchId = ", batch);
            if (leat_prepare(self->session, sql, LEAT_TERMINATED, &statement, NULL, self->err) == LEAT_OK)
                while (leat_step(statement, self->err) == LEAT_ROW) {
                    const char *text_value = leat_column_text(statement, 0, NULL);
                    if (text_value == NULL)
                        snprintf(value, sizeof value, "NULL");
                    else if (strcmp(leat_column_type(statement, 0), "TIMESTAMP") == 0)
                        iso_time(text_value, value);
                    else
                        snprintf(value, sizeof value, "%s", text_value);
                }
            leat_statement_close(&statement);
        }
        text_puts(&got, key);
        text_puts(&got, " ");
        text_puts(&got, value);
        text_puts(&got, "\n");
    }
    bool is_good = equals_answer(self, r, first, &got, r->lines[0]);
    free(got.data);
    return is_good;
}

static leat_status run_step(runner *self, const char *line) {
    char word[NAME_MAX_BYTES] = "", name[NAME_MAX_BYTES] = "", sql[1024];
    sscanf(line, "%255s %255s", word, name);
    if (strcmp(word, "process") == 0)
        snprintf(sql, sizeof sql, "PROCESS ALL AVAILABLE %s", name);
    else if (strcmp(word, "run") == 0)
        snprintf(sql, sizeof sql, "START QUERY %s; AWAIT TERMINATION %s", name, name);
    else if (strcmp(word, "stop") == 0)
        snprintf(sql, sizeof sql, "STOP QUERY %s", name);
    else
        snprintf(sql, sizeof sql, "START QUERY %s", name);
    leat_status status = leat_execute(self->session, sql, LEAT_TERMINATED, self->err);
    if (status == LEAT_OK && (strcmp(word, "stop") == 0 || strcmp(word, "start") == 0))
        delivery_of(self, name)->is_stopped = strcmp(word, "stop") == 0;
    return status;
}

static leat_status run_restart(runner *self) {
    leat_close(&self->session, self->err);
    if (!open_session(self)) return LEAT_INTERNAL;
    for (size_t i = 0; i < self->declaration_count; i++) {
        const declaration *d = &self->declarations[i];
        if (d->is_gone) continue;
        leat_status status = execute(self, d->sql);
        if (status != LEAT_OK) return status;
        if (creates_query(d->sql) && delivery_of(self, d->name)->is_stopped) {
            char sql[NAME_MAX_BYTES + 16];
            snprintf(sql, sizeof sql, "STOP QUERY %s", d->name);
            leat_execute(self->session, sql, LEAT_TERMINATED, self->err);
        }
    }
    return LEAT_OK;
}

// Closes and opens the session, now and then, before files come or what came is processed.
static bool restart_somewhere(runner *self, const record *r, const char *word) {
    if (!self->may_restart || (strcmp(word, "file") != 0 && strcmp(word, "restart") != 0) || cut_below(2) != 0)
        return true;
    if (run_restart(self) == LEAT_OK) return true;
    return is_verbose_failure(self, r, "a restart fails: [%s] %s", leat_error_condition(self->err),
                              leat_error_message(self->err));
}

// *out_is_counted: query, error, batches or progress.
static bool run_record(runner *self, const record *r, bool *out_is_counted) {
    char        word[NAME_MAX_BYTES] = "", path[PATH_MAX_BYTES + NAME_MAX_BYTES], name[NAME_MAX_BYTES] = "";
    leat_status status = LEAT_OK;
    sscanf(r->lines[0], "%255s %255s", word, name);
    *out_is_counted = true;
    if (!restart_somewhere(self, r, word)) return false;
    if (strcmp(word, "query") == 0) return run_query(self, r);
    if (strcmp(word, "error") == 0) return run_error(self, r);
    if (strcmp(word, "batches") == 0) return run_batches(self, r);
    if (strcmp(word, "progress") == 0) return run_progress(self, r);
    *out_is_counted = false;
    snprintf(path, sizeof path, "%s/%s", self->folder, name);
    if (strcmp(word, "file") == 0) return run_file(self, r);
    if (strcmp(word, "remove") == 0) {
        remove_tree(path);
        return true;
    }
    if (strcmp(word, "clock") == 0)
        return run_clock(r->lines[0]) || is_verbose_failure(self, r, "clock takes yyyy-mm-dd hh:mm:ss or +seconds");
    if (strcmp(word, "mtime") == 0) {
        long seconds = 0;
        sscanf(r->lines[0], "mtime %*s %ld", &seconds);
        set_mtime(path, seconds);
        return true;
    }
    if (strcmp(word, "statement") == 0) {
        char *sql = join_lines(r, 1, r->count);
        status    = declare(self, sql);
        if (status != LEAT_OK) is_verbose_failure(self, r, "%s", sql);
        free(sql);
    } else if (strcmp(word, "restart") == 0) {
        status = run_restart(self);
    } else if (is_step(r->lines[0])) {
        status = run_step(self, r->lines[0]);
    } else {
        return is_verbose_failure(self, r, "a record of kind %s is unknown", word);
    }
    if (status != LEAT_OK)
        is_verbose_failure(self, r, "fails: [%s] %s", leat_error_condition(self->err), leat_error_message(self->err));
    return status == LEAT_OK;
}

// --------------------------------------------------------------------------------------------------------------- files

typedef struct known {
    char  *lines[LINES_MAX];
    bool   is_met[LINES_MAX];
    size_t count;
} known;

static bool is_known(known *list, const char *path, size_t ordinal) {
    char line[PATH_MAX_BYTES];
    snprintf(line, sizeof line, "%s:%zu", path, ordinal);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->lines[i], line) == 0) {
            list->is_met[i] = true;
            return true;
        }
    return false;
}

// `functions/arrays.test`: the last two parts name a file.
static const char *short_path(const char *path) {
    const char *last = strrchr(path, '/');
    if (last == NULL) return path;
    for (const char *c = last; c > path; c--)
        if (c[-1] == '/') return c;
    return path;
}

typedef struct totals {
    size_t passed, failed, surprises;
} totals;

static char *read_whole(const char *path) {
    FILE       *file = fopen(path, "rb");
    text        all  = {0};
    static char buffer[65536];
    if (file == NULL) return NULL;
    text_reset(&all);
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) > 0;) text_append(&all, buffer, count);
    fclose(file);
    return all.data;
}

static void close_runner(runner *self) {
    leat_close(&self->session, self->err);
    leat_error_destroy(&self->err);
    remove_tree(self->folder);
    for (size_t i = 0; i < self->declaration_count; i++) free(self->declarations[i].sql);
    for (delivery *d = self->deliveries; d != NULL;) {
        delivery *next = d->next;
        free(d->blocks.data);
        free(d);
        d = next;
    }
    free(self);
}

static bool has_one_of(const char *content, const char *const *words) {
    for (; *words != NULL; words++)
        if (strcasestr(content, *words) != NULL) return true;
    return false;
}

// Words of files that ask how their input comes in files, and of those that ask how it comes in batches.
static const char *const of_files[]   = {"maxFilesPerTrigger", "maxBytesPerTrigger", "multiLine", "_metadata",
                                         "input_file",         "\nmtime ",           "\nremove ", NULL};
static const char *const of_batches[] = {"outputMode", "lateRows",    "\nbatches ", "\nprogress ", "leat_",
                                         "trigger",    "CREATE SINK", "\nerror",    "\nclock",     NULL};

// Whether a line of --without begins with the path.
static bool is_left_out(const char *path) {
    const size_t bytes = strlen(path);
    for (const char *line = left_out; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, path, bytes) == 0 && line[bytes] == ' ') return true;
    }
    return false;
}

static void run_path(const char *path, known *list, bool is_verbose, bool lists, totals *all) {
    char   *content = read_whole(path);
    runner *self    = calloc(1, sizeof *self);
    record *r       = calloc(1, sizeof *r);
    totals  here    = {0};
    size_t  ordinal = 0, line_number = 0;
    if (content == NULL || self == NULL || r == NULL) {
        printf("%s: cannot be read\n", path);
        all->failed++;
        all->surprises++;
        free(content);
        free(self);
        free(r);
        return;
    }
    self->path            = short_path(path);
    test_clock_us         = 0;
    has_clock             = strstr(content, "\nclock ") != NULL;
    self->is_verbose      = is_verbose;
    self->next_mtime      = 1700000000;
    cut_state             = cut_seed;
    self->may_restart     = cut_seed != 0 && !is_left_out(self->path);
    self->may_cut         = cut_seed != 0 && !has_one_of(content, of_files);
    self->may_split       = self->may_cut && !has_one_of(content, of_batches);
    const char *temporary = getenv("TMPDIR");
    snprintf(self->folder, sizeof self->folder, "%s/leat-conformance-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    leat_error_create(&self->err);
    if (mkdtemp(self->folder) == NULL || !open_session(self)) exit(3);
    bool is_paragraph = false;
    for (char *line = content; line != NULL;) {
        char *end  = strchr(line, '\n');
        char *next = end == NULL ? NULL : end + 1;
        if (end != NULL) *end = '\0';
        line_number++;
        bool is_blank = line[strspn(line, " \t")] == '\0';
        if (!is_blank) {
            if (!is_paragraph) {
                r->count        = 0;
                r->is_differing = false;
                is_paragraph    = true;
            }
            if (r->count == 0 && line[0] == '#') {
            } else if (r->count == 0 && strncmp(line, "differs:", 8) == 0) {
                r->is_differing = true;
            } else if (r->count < LINES_MAX) {
                if (r->count == 0) r->line_number = line_number;
                r->lines[r->count++] = line;
            }
        }
        if ((is_blank || next == NULL) && is_paragraph) {
            is_paragraph = false;
            bool is_counted;
            if (r->count > 0) {
                bool is_good = run_record(self, r, &is_counted);
                if (is_counted) {
                    ordinal++;
                    bool expected_to_fail = is_known(list, self->path, ordinal);
                    here.passed += is_good;
                    here.failed += !is_good;
                    if (lists && !is_good) printf("%s:%zu\n", self->path, ordinal);
                    if (is_good == expected_to_fail) {
                        here.surprises++;
                        if (!lists && list->count > 0)
                            printf("%s:%zu (line %zu) %s\n", self->path, ordinal, r->line_number,
                                   is_good ? "passes though it is listed" : "fails and is not listed");
                    }
                }
            }
        }
        line = next;
    }
    if (!lists) printf("%s: %zu passed, %zu failed\n", self->path, here.passed, here.failed);
    all->passed += here.passed;
    all->failed += here.failed;
    all->surprises += here.surprises;
    close_runner(self);
    free(content);
    free(r);
}

// A folder stands for its .test files, in order of their names.
static void run_argument(const char *path, known *list, bool is_verbose, bool lists, totals *all) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        run_path(path, list, is_verbose, lists, all);
        return;
    }
    struct dirent **entries;
    int             count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char   child[PATH_MAX_BYTES];
        size_t bytes     = strlen(entries[i]->d_name);
        int    length    = snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
        bool   is_folder = length < (int)sizeof child && stat(child, &info) == 0 && S_ISDIR(info.st_mode);
        bool   is_test   = bytes > 5 && strcmp(entries[i]->d_name + bytes - 5, ".test") == 0;
        if (entries[i]->d_name[0] != '.' && length < (int)sizeof child && (is_folder || is_test))
            run_argument(child, list, is_verbose, lists, all);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

int main(int argument_count, char **arguments) {
    static known list;
    totals       all        = {0};
    bool         is_verbose = false, lists = false;
    int          first = 1;
    for (; first < argument_count && arguments[first][0] == '-'; first++) {
        if (strcmp(arguments[first], "-v") == 0)
            is_verbose = true;
        else if (strcmp(arguments[first], "--list") == 0)
            lists = true;
        else if (strcmp(arguments[first], "--known") == 0 && first + 1 < argument_count) {
            char *content = read_whole(arguments[++first]);
            if (content == NULL) {
                fprintf(stderr, "leat_conformance: cannot read %s\n", arguments[first]);
                return 2;
            }
            for (char *line = strtok(content, "\n"); line != NULL && list.count < LINES_MAX; line = strtok(NULL, "\n"))
                if (line[0] != '#' && line[0] != '\0') list.lines[list.count++] = line;
        } else if (strcmp(arguments[first], "--set") == 0 && first + 1 < argument_count) {
            static char sql[256];
            const char *equals = strchr(arguments[++first], '=');
            if (equals == NULL) return 2;
            snprintf(sql, sizeof sql, "SET %.*s = '%s'", (int)(equals - arguments[first]), arguments[first],
                     equals + 1);
            setting_sql = sql;
        } else if (strcmp(arguments[first], "--cut") == 0 && first + 1 < argument_count) {
            cut_seed = strtoull(arguments[++first], NULL, 10);
        } else if (strcmp(arguments[first], "--without") == 0 && first + 1 < argument_count) {
            left_out = read_whole(arguments[++first]);
        } else {
            fprintf(stderr, "usage: leat_conformance [--cut SEED [--without FILE]] [--known FILE] [--set KEY=VALUE] "
                            "[--list] [-v] PATH...\n");
            return 2;
        }
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = first; i < argument_count; i++) run_argument(arguments[i], &list, is_verbose, lists, &all);
    if (!lists) printf("%zu passed, %zu failed\n", all.passed, all.failed);
    return all.surprises > 0 && !lists ? 1 : 0;
}
