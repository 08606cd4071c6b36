#include "shell/shell.h"
#include "shell/status.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

// main: the command line. One table drives parsing and --help. All options are read before anything runs, so their
// order never matters; -c, -f and FILE run in the order given.

enum { THREADS_MAX = 256 };

typedef enum option_id {
    OPTION_COMMAND,
    OPTION_FILE,
    OPTION_FORMAT,
    OPTION_OUTPUT,
    OPTION_PARAMETER,
    OPTION_SET,
    OPTION_CHECK,
    OPTION_KEEP_GOING,
    OPTION_ROWS,
    OPTION_TIMEOUT,
    OPTION_THREADS,
    OPTION_COLOUR,
    OPTION_PROGRESS,
    OPTION_ERRORS,
    OPTION_INTERACTIVE,
    OPTION_INIT,
    OPTION_NO_INIT,
    OPTION_SAFE,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_VERSION
} option_id;

typedef struct option_row {
    option_id   id;
    char        letter;   // 0: none
    const char *name;     // without dashes
    const char *argument; // NULL: takes none
    const char *words;    // allowed words, or NULL
    const char *help;
} option_row;

static const option_row options[] = {
    {OPTION_COMMAND, 'c', "command", "SQL", NULL, "run SQL; -c, -f and FILE run in the order given"},
    {OPTION_FILE, 'f', "file", "FILE", NULL, "run a file (- is standard input)"},
    {OPTION_FORMAT, 0, "format", "NAME", NULL, "box table markdown csv tsv json jsonl line"},
    {OPTION_OUTPUT, 'o', "output", "FILE", NULL, "write results to FILE"},
    {OPTION_PARAMETER, 0, "param", "NAME=VAL", NULL, "bind :NAME (repeatable)"},
    {OPTION_SET, 0, "set", "KEY=VAL", NULL, "as SET KEY = VAL (repeatable)"},
    {OPTION_CHECK, 0, "check", NULL, NULL, "parse, bind and plan everything, run nothing"},
    {OPTION_KEEP_GOING, 0, "keep-going", NULL, NULL, "go on after a failed statement"},
    {OPTION_ROWS, 0, "rows", "N", NULL, "stop each SELECT after N rows"},
    {OPTION_TIMEOUT, 0, "timeout", "D", NULL, "stop after D, e.g. 30s or 500ms (exit 124)"},
    {OPTION_THREADS, 0, "threads", "N", NULL, "threads that share the work (default: cores)"},
    {OPTION_COLOUR, 0, "color", "WHEN", "auto always never", "auto always never"},
    {OPTION_PROGRESS, 0, "progress", "WHEN", "auto tty json never", "auto tty json never"},
    {OPTION_ERRORS, 0, "errors", "FORM", "text json", "text json"},
    {OPTION_INTERACTIVE, 'i', "interactive", NULL, NULL, "a prompt after FILE and -c"},
    {OPTION_INIT, 0, "init", "FILE", NULL, "the prompt's start-up file"},
    {OPTION_NO_INIT, 0, "no-init", NULL, NULL, "no start-up file"},
    {OPTION_SAFE, 0, "safe", NULL, NULL, "SQL from strangers: no files but those given here, no pager or editor"},
    {OPTION_QUIET, 'q', "quiet", NULL, NULL, "errors only"},
    {OPTION_VERBOSE, 'v', "verbose", NULL, NULL, "say what each statement did"},
    {OPTION_HELP, 'h', "help", NULL, NULL,
     "this text, or --help TOPIC: a statement, function, option, condition, format"},
    {OPTION_VERSION, 'V', "version", NULL, NULL, "version; with --format json as JSON"},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

typedef struct work {
    bool        is_command;
    const char *text; // SQL or path
} work;

typedef struct command_line {
    work        *works;
    size_t       work_count;
    const char  *texts[OPTION_COUNT]; // last value of each option; "" for flags
    const char **parameters, **settings;
    size_t       parameter_count, setting_count;
    uint64_t     rows, threads;
    int64_t      timeout_us;
    const char  *topic; // of --help, or NULL
} command_line;

static void help_print(FILE *out) {
    fputs("Usage: leat [OPTION]... [FILE]...\n"
          "Without FILE and -c: a prompt on a terminal, otherwise SQL from standard input.\n\n"
          "  leat                                     open the prompt\n"
          "  leat daily.sql --param day=2026-05-01    run a script; sinks keep it running, Ctrl-C stops cleanly\n"
          "  tail -f app.json | leat -c 'SELECT level, count(*) FROM json.`-` GROUP BY level EMIT CHANGES'\n\n",
          out);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char              left[64];
        const option_row *row      = &options[i];
        const char        letter[] = {'-', row->letter, ',', ' ', '\0'};
        snprintf(left, sizeof left, "%s--%s%s%s", row->letter == 0 ? "    " : letter, row->name,
                 row->argument == NULL ? "" : " ", row->argument == NULL ? "" : row->argument);
        fprintf(out, "  %-24s %s\n", left, row->help);
    }
    fputs("\nExit: 0 done, 1 a statement or standing query failed, 2 bad command line, 3 reading or writing failed,\n"
          "      4 checkpoint refused, 124 timeout, 130 interrupted\n",
          out);
}

static void version_print(bool is_json) {
    static const char features[] = "libedit utf8proc pcre2 zlib zstd";
    if (is_json)
        printf("{\"name\":\"leat\",\"version\":\"%s\",\"features\":[\"libedit\",\"utf8proc\",\"pcre2\",\"zlib\","
               "\"zstd\"]}\n",
               leat_version());
    else
        printf("leat %s (%s)\n", leat_version(), features);
}

static int usage_error(const char *format, const char *a, const char *b) {
    fputs("leat: error: ", stderr);
    fprintf(stderr, format, a, b);
    fputs("; see leat --help\n", stderr);
    return LT_EXIT_USAGE;
}

static const option_row *option_find(const char *name, size_t bytes) {
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].name) == bytes && memcmp(options[i].name, name, bytes) == 0) return &options[i];
    return NULL;
}

static const char *option_nearest(const char *name) {
    const char *best          = options[0].name;
    size_t      best_distance = SIZE_MAX;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const size_t distance = lt_word_distance(name, options[i].name);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best          = options[i].name;
    }
    return best;
}

static bool word_is_in(const char *words, const char *word) {
    const size_t bytes = strlen(word);
    for (const char *at = words; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        if (length == bytes && memcmp(at, word, bytes) == 0) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool number_parse(const char *text, uint64_t *out) {
    *out = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || *out > UINT64_MAX / 100) return false;
        *out = *out * 10 + (uint64_t)(*text - '0');
    }
    return true;
}

// "30s", "500ms", "5m", "1h", or seconds without a unit.
static bool duration_parse(const char *text, int64_t *out_us) {
    static const struct {
        const char *unit;
        int64_t     us;
    } units[]          = {{"", 1000000},   {"us", 1},         {"ms", 1000},     {"s", 1000000},
                          {"m", 60000000}, {"min", 60000000}, {"h", 3600000000}};
    int64_t     number = 0;
    const char *at     = text;
    for (; *at >= '0' && *at <= '9' && number < INT32_MAX; at++) number = number * 10 + (*at - '0');
    if (at == text) return false;
    while (*at == ' ') at++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(at, units[i].unit) == 0) {
            *out_us = number * units[i].us;
            return *out_us > 0;
        }
    return false;
}

static void list_add(const char ***list, size_t *count, const char *value) {
    *list               = lt_shell_reallocate(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = value;
}

static void work_add(command_line *line, bool is_command, const char *text) {
    line->works                     = lt_shell_reallocate(line->works, (line->work_count + 1) * sizeof *line->works);
    line->works[line->work_count++] = (work){.is_command = is_command, .text = text};
}

static int option_take(command_line *line, const option_row *row, const char *value) {
    line->texts[row->id] = value;
    if (row->words != NULL && !word_is_in(row->words, value))
        return usage_error("--%s takes one of: %s", row->name, row->words);
    switch (row->id) {
    case OPTION_COMMAND:
        work_add(line, true, value);
        break;
    case OPTION_FILE:
        work_add(line, false, value);
        break;
    case OPTION_PARAMETER:
        if (strchr(value, '=') == NULL) return usage_error("--param takes NAME=VALUE, not `%s`%s", value, "");
        list_add(&line->parameters, &line->parameter_count, value);
        break;
    case OPTION_SET:
        if (strchr(value, '=') == NULL) return usage_error("--set takes KEY=VALUE, not `%s`%s", value, "");
        list_add(&line->settings, &line->setting_count, value);
        break;
    case OPTION_ROWS:
        if (!number_parse(value, &line->rows)) return usage_error("--rows takes a number, not `%s`%s", value, "");
        break;
    case OPTION_THREADS:
        if (!number_parse(value, &line->threads) || line->threads > THREADS_MAX)
            return usage_error("--threads takes a number up to 256, not `%s`%s", value, "");
        break;
    case OPTION_TIMEOUT:
        if (!duration_parse(value, &line->timeout_us))
            return usage_error("--timeout takes a duration as 30s or 500ms, not `%s`%s", value, "");
        break;
    case OPTION_FORMAT:
        if (lt_result_format_find(value) == NULL)
            return usage_error("no format `%s`; did you mean `%s`?", value, lt_result_format_nearest(value));
        break;
    default:
        break;
    }
    return LT_EXIT_OK;
}

// A word that begins with `-`: long, letter, or -json and its like. *index moves over a value that stands apart.
static int option_parse(command_line *line, char **words, int count, int *index) {
    const char       *word   = words[*index];
    const char       *name   = word + 1 + (word[1] == '-');
    const char       *equals = strchr(name, '=');
    const size_t      bytes  = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const option_row *row    = option_find(name, bytes);
    const char       *value  = equals == NULL ? NULL : equals + 1;
    if (row == NULL && word[1] != '-') {
        for (size_t i = 0; i < OPTION_COUNT; i++)
            if (options[i].letter != 0 && options[i].letter == word[1]) row = &options[i];
        if (row == NULL || (word[2] != '\0' && row->argument == NULL)) {
            if (lt_result_format_find(name) != NULL)
                return option_take(line, option_find("format", 6), lt_result_format_find(name)->name);
            return usage_error("no option `%s`; did you mean `--%s`?", word, option_nearest(name));
        }
        value = word[2] == '\0' ? NULL : word + 2;
    }
    if (row == NULL) {
        char     *wanted = lt_shell_copy(name, bytes);
        const int code   = usage_error("no option `--%s`; did you mean `--%s`?", wanted, option_nearest(wanted));
        free(wanted);
        return code;
    }
    if (row->argument == NULL) {
        const bool has_topic = row->id == OPTION_HELP && *index + 1 < count && words[*index + 1][0] != '-';
        if (row->id == OPTION_HELP && (value != NULL || has_topic)) {
            line->topic = value != NULL ? value : words[++*index];
            return option_take(line, row, "");
        }
        if (value != NULL) return usage_error("--%s takes no value%s", row->name, "");
        return option_take(line, row, "");
    }
    if (value == NULL) {
        if (*index + 1 >= count) return usage_error("--%s needs a value: %s", row->name, row->argument);
        value = words[++*index];
    }
    return option_take(line, row, value);
}

static int line_parse(command_line *line, char **words, int count) {
    bool is_over = false;
    for (int i = 1; i < count; i++) {
        if (is_over || words[i][0] != '-' || words[i][1] == '\0') {
            work_add(line, false, words[i]);
        } else if (strcmp(words[i], "--") == 0) {
            is_over = true;
        } else {
            const int code = option_parse(line, words, count, &i);
            if (code != LT_EXIT_OK) return code;
        }
    }
    return LT_EXIT_OK;
}

// ------------------------------------------------------------------------------------------------------------- session

static leat_status host_output(void *user, const void *bytes, size_t count) {
    lt_shell *shell = user;
    lt_output_write(&shell->standard, bytes, count);
    lt_output_flush(&shell->standard);
    return lt_output_failure(&shell->standard) == 0 ? LEAT_OK : LEAT_IO;
}

static leat_status host_input(void *user, void *buffer, size_t capacity, size_t *out_count) {
    (void)user;
    *out_count = 0;
    for (;;) {
        const ssize_t count = read(STDIN_FILENO, buffer, capacity);
        if (count >= 0) {
            *out_count = (size_t)count;
            return LEAT_OK;
        }
        if (errno == EINTR && lt_signals_stop() == 0 && !lt_timeout_is_over()) continue;
        return errno == EINTR ? LEAT_INTERRUPTED : LEAT_IO;
    }
}

static const char *host_variable(void *user, const char *name) {
    (void)user;
    return getenv(name);
}

static void host_log(void *user, int level, const char *message) {
    static const char *const kinds[] = {"error", "warning", "note"};
    lt_shell                *shell   = user;
    if (level > 1 && !shell->is_verbose && !shell->is_interactive && !shell->is_error_terminal) return;
    lt_note_say(shell, "leat: %s: %s", kinds[level < 0 || level > 2 ? 2 : level], message);
}

static bool environment_is(const char *name, const char *value) {
    const char *text = getenv(name);
    return text != NULL && (value == NULL ? text[0] != '\0' : strcmp(text, value) == 0);
}

void lt_show_refresh(lt_shell *shell) {
    struct winsize size;
    const char    *columns     = getenv("COLUMNS");
    uint64_t       number      = 0;
    shell->show.screen_columns = 0;
    if (shell->standard.is_terminal) {
        if (ioctl(shell->standard.descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            shell->show.screen_columns = size.ws_col;
        else
            shell->show.screen_columns =
                columns != NULL && number_parse(columns, &number) && number > 10 && number < 10000 ? (uint32_t)number
                                                                                                   : 80;
    }
    switch (shell->colour) {
    case LT_WHEN_ALWAYS:
        shell->show.has_colour = true;
        break;
    case LT_WHEN_NEVER:
        shell->show.has_colour = false;
        break;
    case LT_WHEN_AUTO:
        shell->show.has_colour = environment_is("CLICOLOR_FORCE", "1") ||
                                 (shell->standard.is_terminal && !environment_is("NO_COLOR", NULL) &&
                                  !environment_is("TERM", "dumb") && getenv("TERM") != NULL);
        break;
    }
}

// Cores that this process may use.
static uint32_t cores_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    const int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (uint32_t)count;
}

// A script runs its batches where it waits for them, so its session has no thread in the background; the files of a batch
// are shared by all cores nevertheless.
static bool threads_apply(lt_shell *shell) {
    char sql[64];
    snprintf(sql, sizeof sql, "SET threads = %u", cores_count());
    if (leat_execute(shell->session, sql, LEAT_TERMINATED, shell->err) == LEAT_OK) return true;
    lt_error_print(shell, NULL, 0, shell->err);
    return false;
}

static bool settings_apply(lt_shell *shell, const command_line *line) {
    for (size_t i = 0; i < line->parameter_count; i++) {
        const char       *equals = strchr(line->parameters[i], '=');
        char             *name   = lt_shell_copy(line->parameters[i], (size_t)(equals - line->parameters[i]));
        const leat_status status = leat_parameter_set(shell->session, name, equals + 1, LEAT_TERMINATED, shell->err);
        free(name);
        if (status != LEAT_OK) {
            const lt_source_text source = {.name = "--param", .text = "", .bytes = 0};
            lt_error_print(shell, &source, 1, shell->err);
            return false;
        }
    }
    for (size_t i = 0; i < line->setting_count; i++) {
        const char   *equals = strchr(line->settings[i], '=');
        lt_shell_text sql    = {0};
        lt_text_put(&sql, "SET ");
        lt_text_append(&sql, line->settings[i], (size_t)(equals - line->settings[i]));
        lt_text_format(&sql, " = %s", equals + 1);
        const lt_source_text source = {.name = "--set", .text = sql.data, .bytes = sql.bytes};
        const bool           is_ok  = lt_script_run(shell, &source);
        lt_text_free(&sql);
        if (!is_ok) return false;
    }
    return true;
}

static bool works_run(lt_shell *shell, const command_line *line) {
    for (size_t i = 0; i < line->work_count; i++) {
        bool is_ok;
        if (line->works[i].is_command) {
            const lt_source_text source = {
                .name = "-c", .text = line->works[i].text, .bytes = strlen(line->works[i].text)};
            is_ok = lt_script_run(shell, &source);
        } else {
            is_ok = lt_script_file(shell, line->works[i].text);
        }
        if (shell->is_over || (!is_ok && !shell->keep_going)) return false;
    }
    return true;
}

static void session_close(lt_shell *shell) {
    lt_status_close();
    lt_temporary_leave(shell);
    // Failures of queries were told when they were met; what closing itself reports is only new when none was.
    const leat_status status = leat_close(&shell->session, shell->err);
    if (status != LEAT_OK && shell->exit_code == LT_EXIT_OK && !shell->is_interactive) {
        lt_error_print(shell, NULL, 0, shell->err);
        lt_exit_code_note(shell, lt_exit_code_of(shell->err));
    }
}

static int shell_run(lt_shell *shell, const command_line *line, bool has_prompt) {
    const bool   is_stdin_data = line->work_count > 0;
    leat_options session       = {
              .struct_size = sizeof session,
              .threads     = line->texts[OPTION_THREADS] != NULL ? (uint32_t)line->threads
                             : has_prompt                        ? cores_count()
                                                                 : 0,
              .log         = host_log,
              .output      = host_output,
              .input       = is_stdin_data && !has_prompt ? host_input : NULL,
              .variable    = shell->is_safe ? NULL : host_variable,
              .no_files    = shell->is_safe,
              .user        = shell,
    };
    if (leat_open(&session, &shell->session, shell->err) != LEAT_OK) {
        lt_error_print(shell, NULL, 0, shell->err);
        return lt_exit_code_of(shell->err);
    }
    lt_signals_begin(shell->session);
    if (line->topic != NULL) {
        const bool is_known = lt_help_print(shell, line->topic);
        session_close(shell);
        (void)lt_output_close(&shell->standard);
        return is_known ? LT_EXIT_OK : LT_EXIT_USAGE;
    }
    if (line->timeout_us > 0) lt_timeout_begin(line->timeout_us);
    bool is_ok = has_prompt || line->texts[OPTION_THREADS] != NULL || threads_apply(shell);
    if (is_ok) is_ok = settings_apply(shell, line);
    if (is_ok) is_ok = works_run(shell, line);
    if (is_ok && line->work_count == 0 && !has_prompt) is_ok = lt_script_stdin(shell);
    if (has_prompt && !shell->is_over)
        lt_prompt_run(shell, line->texts[OPTION_INIT], line->texts[OPTION_NO_INIT] == NULL);
    else if (is_ok)
        lt_script_end(shell);
    session_close(shell);
    if (shell->has_file) (void)lt_output_close(&shell->file);
    const int failure = lt_output_close(&shell->standard);
    if (failure != 0 && shell->exit_code == LT_EXIT_OK) {
        lt_error_say(shell, "cannot write results: %s", strerror(failure));
        shell->exit_code = LT_EXIT_IO;
    }
    return shell->exit_code;
}

static lt_when when_of(const char *word) {
    return word == NULL || strcmp(word, "auto") == 0 ? LT_WHEN_AUTO
           : strcmp(word, "always") == 0             ? LT_WHEN_ALWAYS
                                                     : LT_WHEN_NEVER;
}

int main(int count, char **words) {
    command_line line  = {0};
    lt_shell     shell = {.show = {.has_header = true, .rows_max = 60}, .format = NULL};
    int          code  = line_parse(&line, words, count);
    if (code != LT_EXIT_OK) return code;
    const char *const *texts = line.texts;
    if (texts[OPTION_HELP] != NULL && line.topic == NULL) {
        help_print(stdout);
        return fflush(stdout) == 0 ? LT_EXIT_OK : LT_EXIT_IO;
    }
    if (texts[OPTION_VERSION] != NULL) {
        version_print(texts[OPTION_FORMAT] != NULL && strcmp(texts[OPTION_FORMAT], "json") == 0);
        return fflush(stdout) == 0 ? LT_EXIT_OK : LT_EXIT_IO;
    }
    if (setlocale(LC_CTYPE, "") == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        shell.show.has_unicode = false;
    } else {
        shell.show.has_unicode = true;
    }
    if (leat_error_create(&shell.err) != LEAT_OK) return LT_EXIT_STATEMENT;
    lt_output_init(&shell.standard, STDOUT_FILENO);
    shell.is_error_terminal = isatty(STDERR_FILENO) == 1;
    shell.is_safe           = texts[OPTION_SAFE] != NULL;
    shell.is_quiet          = texts[OPTION_QUIET] != NULL;
    shell.is_verbose        = texts[OPTION_VERBOSE] != NULL;
    shell.keep_going        = texts[OPTION_KEEP_GOING] != NULL;
    shell.check_only        = texts[OPTION_CHECK] != NULL;
    shell.errors_as_json    = texts[OPTION_ERRORS] != NULL && strcmp(texts[OPTION_ERRORS], "json") == 0;
    shell.rows_limit        = line.rows;
    shell.colour            = when_of(texts[OPTION_COLOUR]);
    if (texts[OPTION_PROGRESS] != NULL)
        shell.progress = strcmp(texts[OPTION_PROGRESS], "json") == 0    ? LT_PROGRESS_JSON
                         : strcmp(texts[OPTION_PROGRESS], "never") == 0 ? LT_PROGRESS_NEVER
                         : strcmp(texts[OPTION_PROGRESS], "tty") == 0   ? LT_PROGRESS_TTY
                                                                        : LT_PROGRESS_AUTO;
    if (texts[OPTION_FORMAT] != NULL) shell.format = lt_result_format_find(texts[OPTION_FORMAT]);
    const int  failure = texts[OPTION_OUTPUT] == NULL ? 0 : lt_output_open(&shell.standard, texts[OPTION_OUTPUT]);
    const bool has_prompt =
        texts[OPTION_INTERACTIVE] != NULL || (line.work_count == 0 && isatty(STDIN_FILENO) == 1 && !shell.check_only);
    if (failure != 0) {
        fprintf(stderr, "leat: error: cannot write %s: %s\n", texts[OPTION_OUTPUT], strerror(failure));
        code = LT_EXIT_IO;
    } else {
        lt_show_refresh(&shell);
        code = shell_run(&shell, &line, has_prompt);
    }
    for (size_t i = 0; i < shell.note_count; i++) free(shell.notes[i].name);
    for (size_t i = 0; i < shell.history_count; i++) free(shell.history[i]);
    free(shell.show.null_text);
    free(shell.notes);
    free(shell.history);
    free(line.works);
    free(line.parameters);
    free(line.settings);
    leat_error_destroy(&shell.err);
    return code;
}
