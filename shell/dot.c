#include "shell/shell.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// dot: commands of the shell itself, each a row of one table at the end, from which .help prints. Whatever they ask the
// session they ask in SQL.

typedef struct dot_call {
    lt_shell             *shell;
    const lt_source_text *source;
    size_t                offset;   // of the command in the source
    const char           *name;     // canonical
    const char           *argument; // blanks around it removed; "" when there is none
} dot_call;

typedef struct dot_row {
    const char *name, *alias; // alias: another spelling, or NULL
    const char *usage;
    bool (*run)(const dot_call *call);
    const char *help;
} dot_row;

static bool fail(const dot_call *call, const char *format, const char *a, const char *b) {
    lt_shell *shell = call->shell;
    char      message[512];
    size_t    line = 1;
    snprintf(message, sizeof message, format, a, b);
    for (size_t i = 0; i < call->offset; i++) line += call->source->text[i] == '\n';
    if (call->source->name[0] == '\0')
        lt_error_say(shell, "%s", message);
    else
        lt_error_say(shell, "%s:%zu: %s", call->source->name, line, message);
    if (!shell->is_interactive) lt_exit_code_note(shell, LT_EXIT_STATEMENT);
    return false;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *out) {
    *out = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        *out = *out * 10 + (uint64_t)(*text - '0');
        if (*out > max) return false;
    }
    return true;
}

static bool parse_switch(const dot_call *call, bool *out) {
    if (call->argument[0] == '\0') {
        *out = !*out;
    } else if (strcmp(call->argument, "on") == 0) {
        *out = true;
    } else if (strcmp(call->argument, "off") == 0) {
        *out = false;
    } else {
        return fail(call, ".%s takes on or off, not `%s`", call->name, call->argument);
    }
    return true;
}

// A SQL text with the argument in the place of %s, quoted as a string (quote '\'') or a name (quote '`').
static bool sql_run(const dot_call *call, const char *before, char quote, const char *after) {
    lt_shell_text sql = {0};
    lt_text_put(&sql, before);
    lt_text_append(&sql, &quote, 1);
    for (const char *c = call->argument; *c != '\0'; c++) {
        if (*c == quote && quote == '`') lt_text_append(&sql, c, 1);
        if ((*c == quote || *c == '\\') && quote == '\'') lt_text_append(&sql, "\\", 1);
        lt_text_append(&sql, c, 1);
    }
    lt_text_append(&sql, &quote, 1);
    lt_text_put(&sql, after);
    const bool is_ok = lt_shell_sql_run(call->shell, sql.data);
    lt_text_free(&sql);
    return is_ok;
}

static bool help_run(const dot_call *call) {
    if (call->argument[0] != '\0') return lt_help_print(call->shell, call->argument);
    lt_shell_text out = {0};
    lt_dot_help(call->shell, NULL, &out);
    lt_text_put(&out,
                "Statements end with `;`. .help WORD searches commands, statements, functions, options, settings, "
                "conditions.\n");
    lt_output_write(lt_shell_output(call->shell), out.data, out.bytes);
    lt_text_free(&out);
    lt_shell_output_done(call->shell);
    return true;
}

static bool quit_run(const dot_call *call) {
    uint64_t code = 0;
    if (call->argument[0] != '\0' && !parse_number(call->argument, 255, &code))
        return fail(call, ".%s takes an exit code up to 255, not `%s`", call->name, call->argument);
    if (call->argument[0] != '\0') call->shell->exit_code = (int)code;
    call->shell->is_over = true;
    return true;
}

static bool read_run(const dot_call *call) {
    enum { READ_DEPTH_MAX = 20 };
    if (call->argument[0] == '\0') return fail(call, ".%s needs a file%s", call->name, "");
    if (call->shell->read_depth >= READ_DEPTH_MAX)
        return fail(call, ".%s: files read each other more than 20 deep%s", call->name, "");
    call->shell->read_depth++;
    const bool is_ok = lt_script_file(call->shell, call->argument);
    call->shell->read_depth--;
    return is_ok;
}

static bool format_run(const dot_call *call) {
    const lt_result_format *found = lt_result_format_find(call->argument);
    if (strcmp(call->argument, "auto") == 0) {
        call->shell->format = NULL;
        return true;
    }
    if (found == NULL)
        return fail(call, "no format `%s`; did you mean `%s`?", call->argument,
                    lt_result_format_nearest(call->argument));
    call->shell->format = found;
    return true;
}

static bool output_set(const dot_call *call, bool is_once) {
    lt_shell *shell = call->shell;
    if (shell->has_file) {
        const int failure = lt_output_close(&shell->file);
        shell->has_file   = false;
        if (failure != 0) return fail(call, ".%s: cannot write the results before: %s", call->name, strerror(failure));
    }
    if (call->argument[0] == '\0') return true;
    const int failure = lt_output_open(&shell->file, call->argument);
    if (failure != 0) return fail(call, "cannot write %s: %s", call->argument, strerror(failure));
    shell->has_file = true;
    shell->is_once  = is_once;
    return true;
}

static bool output_run(const dot_call *call) { return output_set(call, false); }
static bool once_run(const dot_call *call) {
    if (call->argument[0] == '\0') return fail(call, ".%s needs a file%s", call->name, "");
    return output_set(call, true);
}

static bool null_run(const dot_call *call) {
    lt_show *show = &call->shell->show;
    free(show->null_text);
    show->null_text = call->argument[0] == '\0' ? NULL : lt_shell_copy(call->argument, strlen(call->argument));
    return true;
}

static bool headers_run(const dot_call *call) { return parse_switch(call, &call->shell->show.has_header); }
static bool pager_run(const dot_call *call) { return parse_switch(call, &call->shell->has_pager); }
static bool timer_run(const dot_call *call) { return parse_switch(call, &call->shell->has_timer); }

static bool maxrows_run(const dot_call *call) {
    uint64_t rows;
    if (!parse_number(call->argument, UINT32_MAX, &rows))
        return fail(call, ".%s takes a number of rows, 0 for all, not `%s`", call->name, call->argument);
    call->shell->show.rows_max = (uint32_t)rows;
    return true;
}

static bool width_run(const dot_call *call) {
    lt_show *show = &call->shell->show;
    memset(show->widths, 0, sizeof show->widths);
    const char *at = call->argument;
    for (size_t c = 0; *at != '\0' && c < LT_SHOW_WIDTHS_MAX; c++) {
        uint32_t width = 0;
        for (; *at >= '0' && *at <= '9' && width < 100000; at++) width = width * 10 + (uint32_t)(*at - '0');
        if (*at != ' ' && *at != '\0')
            return fail(call, ".%s takes numbers of cells, one per column, not `%s`", call->name, call->argument);
        while (*at == ' ') at++;
        show->widths[c] = width;
    }
    return true;
}

static bool progress_run(const dot_call *call) {
    static const char *const words[] = {"auto", "tty", "json", "never"};
    if (strcmp(call->argument, "on") == 0) return call->shell->progress = LT_PROGRESS_JSON, true;
    if (strcmp(call->argument, "off") == 0) return call->shell->progress = LT_PROGRESS_NEVER, true;
    for (size_t i = 0; i < 4; i++)
        if (strcmp(call->argument, words[i]) == 0) return call->shell->progress = (lt_progress_form)i, true;
    return fail(call, ".%s takes on, off, auto, tty, json or never, not `%s`", call->name, call->argument);
}

static bool color_run(const dot_call *call) {
    static const char *const words[] = {"auto", "always", "never"};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(call->argument, words[i]) == 0) {
            call->shell->colour = (lt_when)i;
            lt_show_refresh(call->shell);
            return true;
        }
    return fail(call, ".%s takes auto, always or never, not `%s`", call->name, call->argument);
}

static bool tables_run(const dot_call *call) {
    if (call->argument[0] == '\0')
        return lt_shell_sql_run(call->shell,
                                "SELECT name, kind, columns FROM leat_relations WHERE kind <> 'SYSTEM TABLE' "
                                "ORDER BY name");
    // A pattern as LIKE has it, or with `*` as SHOW TABLES has it; system tables too.
    return sql_run(call, "SELECT name, kind, columns FROM leat_relations WHERE name ILIKE replace(", '\'',
                   ", '*', '%') ORDER BY name");
}

static bool schema_run(const dot_call *call) {
    if (call->argument[0] == '\0') return tables_run(call);
    return sql_run(call, "DESCRIBE ", '`', "");
}

static bool queries_run(const dot_call *call) { return lt_shell_sql_run(call->shell, "SHOW QUERIES"); }

static bool why_run(const dot_call *call) {
    if (call->argument[0] == '\0') return lt_shell_sql_run(call->shell, "SELECT name, state, reason FROM leat_queries");
    return sql_run(call, "SELECT name, state, reason, error FROM leat_queries WHERE lower(name) = lower(", '\'', ")");
}

static bool stop_run(const dot_call *call) {
    if (call->argument[0] == '\0')
        return fail(call, ".%s needs the name of a query; .queries lists them%s", call->name, "");
    return sql_run(call, "STOP QUERY ", '`', "");
}

static bool history_run(const dot_call *call) {
    lt_shell *shell = call->shell;
    uint64_t  count = 20;
    if (call->argument[0] != '\0' && !parse_number(call->argument, UINT32_MAX, &count))
        return fail(call, ".%s takes a number, not `%s`", call->name, call->argument);
    const size_t first = shell->history_count > count ? shell->history_count - (size_t)count : 0;
    for (size_t i = first; i < shell->history_count; i++) {
        lt_output_put(lt_shell_output(shell), shell->history[i]);
        lt_output_put(lt_shell_output(shell), "\n");
    }
    lt_shell_output_done(shell);
    return true;
}

static bool print_run(const dot_call *call) {
    lt_output_put(lt_shell_output(call->shell), call->argument);
    lt_output_put(lt_shell_output(call->shell), "\n");
    lt_shell_output_done(call->shell);
    return !call->shell->is_over || call->shell->exit_code == LT_EXIT_OK;
}

// ------------------------------------------------------------------------------------------------------------- folders

// Removes a folder with all that is in it; links are removed, never followed. `depth` bounds the recursion.
static int folder_remove(int parent, const char *name, uint32_t depth) {
    const int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return errno;
    DIR *folder = depth > 100 ? NULL : fdopendir(descriptor);
    if (folder == NULL) {
        close(descriptor);
        return depth > 100 ? ELOOP : errno;
    }
    int failure = 0;
    for (struct dirent *entry; failure == 0 && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(descriptor, entry->d_name, 0) == 0) continue;
        failure = errno == EISDIR || errno == EPERM ? folder_remove(descriptor, entry->d_name, depth + 1) : errno;
    }
    closedir(folder);
    if (failure == 0 && unlinkat(parent, name, AT_REMOVEDIR) != 0) failure = errno;
    return failure;
}

static int temporary_leave(lt_shell *shell) {
    int failure = 0;
    if (shell->temporary_folder == NULL) return 0;
    if (chdir(shell->folder_before) != 0) failure = errno;
    if (failure == 0) failure = folder_remove(AT_FDCWD, shell->temporary_folder, 0);
    free(shell->temporary_folder);
    free(shell->folder_before);
    shell->temporary_folder = shell->folder_before = NULL;
    return failure;
}

void lt_temporary_leave(lt_shell *shell) {
    const int failure = temporary_leave(shell);
    if (failure != 0) lt_error_say(shell, "cannot remove the temporary folder: %s", strerror(failure));
}

static bool temporary_enter(const dot_call *call) {
    lt_shell     *shell = call->shell;
    const char   *base  = getenv("TMPDIR");
    char          here[4096 - 512];
    lt_shell_text path = {0};
    if (shell->temporary_folder != NULL)
        return fail(call, ".%s: in a temporary folder already; .cd - leaves it%s", call->name, "");
    if (getcwd(here, sizeof here) == NULL) return fail(call, ".%s: %s", call->name, strerror(errno));
    lt_text_format(&path, "%s/leat-XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp");
    if (mkdtemp(path.data) == NULL || chdir(path.data) != 0) {
        const int failure = errno;
        lt_text_free(&path);
        return fail(call, ".%s: cannot make a temporary folder: %s", call->name, strerror(failure));
    }
    shell->temporary_folder = path.data;
    shell->folder_before    = lt_shell_copy(here, strlen(here));
    return true;
}

static bool cd_run(const dot_call *call) {
    if (strcmp(call->argument, "--temporary") == 0) return temporary_enter(call);
    if (strcmp(call->argument, "-") == 0) {
        if (call->shell->temporary_folder == NULL)
            return fail(call, ".%s -: there is no temporary folder to leave%s", call->name, "");
        const int failure = temporary_leave(call->shell);
        return failure == 0 ? true
                            : fail(call, ".%s: cannot remove the temporary folder: %s", call->name, strerror(failure));
    }
    if (call->argument[0] == '\0') return fail(call, ".%s needs a folder%s", call->name, "");
    if (chdir(call->argument) != 0) return fail(call, "cannot go to %s: %s", call->argument, strerror(errno));
    return true;
}

static bool mkdir_run(const dot_call *call) {
    if (call->argument[0] == '\0') return fail(call, ".%s needs a folder%s", call->name, "");
    char *path = lt_shell_copy(call->argument, strlen(call->argument));
    int   code = 0;
    for (char *at = path + 1; code == 0; at++) {
        const char sign = *at;
        if (sign != '/' && sign != '\0') continue;
        *at = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) code = errno;
        *at = sign;
        if (sign == '\0') break;
    }
    free(path);
    return code == 0 ? true : fail(call, "cannot make %s: %s", call->argument, strerror(code));
}

// ---------------------------------------------------------------------------------------------------------------- edit

// Opens the last statement in $EDITOR; what comes back runs if it was changed.
static bool edit_run(const dot_call *call) {
    lt_shell   *shell  = call->shell;
    const char *editor = getenv("VISUAL") != NULL ? getenv("VISUAL") : getenv("EDITOR");
    char        path[] = "/tmp/leat-edit-XXXXXX.sql";
    if (!shell->is_interactive) return fail(call, ".%s works at the prompt only%s", call->name, "");
    const int descriptor = mkstemps(path, 4);
    if (descriptor < 0) return fail(call, ".%s: cannot make a file: %s", call->name, strerror(errno));
    const char *before     = shell->history_count > 0 ? shell->history[shell->history_count - 1] : "";
    const bool  is_written = write(descriptor, before, strlen(before)) == (ssize_t)strlen(before);
    struct stat first, last;
    fstat(descriptor, &first);
    close(descriptor);
    const pid_t child = is_written ? fork() : -1;
    if (child == 0) {
        execlp(editor == NULL ? "vi" : editor, editor == NULL ? "vi" : editor, path, (char *)NULL);
        _exit(127);
    }
    int state = 1;
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    bool is_ok = true;
    if (child < 0 || state != 0)
        is_ok = fail(call, ".%s: the editor %s failed", call->name, editor == NULL ? "vi" : editor);
    else if (stat(path, &last) == 0 && (last.st_size != first.st_size || last.st_mtim.tv_sec != first.st_mtim.tv_sec ||
                                        last.st_mtim.tv_nsec != first.st_mtim.tv_nsec))
        is_ok = lt_script_file(shell, path);
    unlink(path);
    return is_ok;
}

// ---------------------------------------------------------------------------------------------------------------- live

static bool live_run(const dot_call *call) {
    lt_shell *shell = call->shell;
    if (call->argument[0] == '\0') return fail(call, ".%s needs the name of a query%s", call->name, "");
    if (!shell->standard.is_terminal) return sql_run(call, "SELECT * FROM ", '`', "");
    return lt_live_run(shell, call->argument);
}

static bool demo_run(const dot_call *call) {
    return lt_shell_sql_run(call->shell,
                            "CREATE STREAM demo (value BIGINT) WITH (connector = 'generator', rowsPerSecond = 10)") &&
           lt_shell_sql_run(call->shell,
                            "CREATE MATERIALIZED VIEW demo_totals AS SELECT value % 5 AS key, count(*) AS rows, "
                            "sum(value) AS total FROM demo GROUP BY value % 5");
}

static const dot_row commands[] = {
    {
        "cd",
        NULL,
        "FOLDER",
        cd_run,
        "go to a folder; --temporary makes one that is removed by `.cd -` or at the end",
    },
    {"color", NULL, "auto|always|never", color_run, "colours in boxes and errors"},
    {"demo", NULL, "", demo_run, "a stream of made rows and a table that follows it"},
    {"edit", "\\e", "", edit_run, "change the last statement in $EDITOR, then run it"},
    {"format", "mode", "NAME", format_run, "box table markdown csv tsv json jsonl line, or auto"},
    {"headers", "header", "on|off", headers_run, "column names above csv and tsv"},
    {"help", "\\?", "[WORD]", help_run, "this list, or what is known about a word"},
    {"history", NULL, "[N]", history_run, "the last statements"},
    {"live", NULL, "QUERY|SELECT", live_run, "the table as it changes: q or Ctrl-C leave, space pauses, c: change log"},
    {"maxrows", NULL, "N", maxrows_run, "most rows of a box on a terminal; 0: all"},
    {"mkdir", NULL, "FOLDER", mkdir_run, "make a folder and those above it"},
    {"null", "nullvalue", "[TEXT]", null_run, "what stands for NULL"},
    {"once", NULL, "FILE", once_run, "the next result goes to the file"},
    {"output", NULL, "[FILE]", output_run, "results go to the file; without one back to the screen"},
    {"pager", NULL, "on|off", pager_run, "results taller than the screen go to $PAGER, or less -SRFX"},
    {"print", "echo", "TEXT", print_run, "the text as a line of the results"},
    {"progress", NULL, "on|off", progress_run, "a JSON line for each batch on standard error"},
    {"queries", NULL, "", queries_run, "standing queries and their state"},
    {"quit", "exit", "[CODE]", quit_run, "leave"},
    {"read", "\\i", "FILE", read_run, "run the statements of a file"},
    {"schema", "\\d", "[NAME]", schema_run, "columns of a table, stream or query"},
    {"stop", NULL, "QUERY", stop_run, "stop a standing query"},
    {"tables", "\\dt", "[PATTERN]", tables_run, "streams, tables, views and queries; `leat_*`: system tables"},
    {"timer", "\\timing", "on|off", timer_run, "the time of each statement"},
    {"why", NULL, "[QUERY]", why_run, "why a query shows nothing new"},
    {"width", NULL, "N...", width_run, "most cells of each column of a box; 0: free"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const dot_row *command_find(const char *name, bool takes_prefix, bool *out_is_unclear) {
    const dot_row *found = NULL;
    *out_is_unclear      = false;
    if (strcmp(name, "\\q") == 0) name = "quit";
    if (strcmp(name, "\\x") == 0) name = "format";
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0 || (commands[i].alias != NULL && strcmp(commands[i].alias, name) == 0))
            return &commands[i];
    for (size_t i = 0; takes_prefix && i < COMMAND_COUNT; i++) {
        if (strncmp(commands[i].name, name, strlen(name)) != 0) continue;
        *out_is_unclear |= found != NULL;
        found = &commands[i];
    }
    return *out_is_unclear ? NULL : found;
}

// What reaches files or programs: refused under --safe.
static bool is_unsafe(const dot_row *row) {
    static bool (*const runs[])(const dot_call *call) = {cd_run,     edit_run,  mkdir_run, once_run,
                                                         output_run, pager_run, read_run};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        if (row->run == runs[i]) return true;
    return false;
}

static const char *command_nearest(const char *name) {
    const char *best          = commands[0].name;
    size_t      best_distance = SIZE_MAX;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const size_t distance = lt_word_distance(name, commands[i].name);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best          = commands[i].name;
    }
    return best;
}

bool lt_dot_run(lt_shell *shell, const lt_source_text *source, size_t offset, size_t bytes) {
    enum { LINE_BYTES_MAX = 1024 * 1024 };
    const char *text = source->text + offset;
    dot_call    call = {.shell = shell, .source = source, .offset = offset, .name = "", .argument = ""};
    while (bytes > 0 && (text[bytes - 1] == '\r' || text[bytes - 1] == ' ' || text[bytes - 1] == '\t')) bytes--;
    if (bytes > LINE_BYTES_MAX) return fail(&call, "the command is too long%s%s", "", "");
    char *line = lt_shell_copy(text, bytes);
    char *name = line + (line[0] == '.'), *argument = name + strcspn(name, " \t");
    bool  is_unclear, is_ok;
    if (*argument != '\0') *argument++ = '\0';
    argument += strspn(argument, " \t");
    // As sqlite3: a `;` behind a command is a habit, not an argument.
    const size_t length = strlen(name);
    if (length > 1 && *argument == '\0' && name[length - 1] == ';') name[length - 1] = '\0';
    const dot_row *row = command_find(name, shell->is_interactive, &is_unclear);
    if (row == NULL) {
        is_ok = is_unclear ? fail(&call, "`.%s` could be several commands; .help lists them%s", name, "")
                           : fail(&call, "no command `.%s`; did you mean `.%s`?", name, command_nearest(name));
    } else {
        const size_t used = strlen(argument);
        // .print 'a b' and names of files may stand in quotes.
        if (used >= 2 && (argument[0] == '\'' || argument[0] == '"') && argument[used - 1] == argument[0]) {
            argument[used - 1] = '\0';
            argument++;
        }
        call.name = row->name;
        if (shell->is_safe && is_unsafe(row)) {
            is_ok = fail(&call, ".%s is not permitted under --safe%s", row->name, "");
            free(line);
            return is_ok;
        }
        call.argument = strcmp(name, "\\x") == 0 ? "line" : argument;
        is_ok         = row->run(&call);
    }
    free(line);
    return is_ok;
}

void lt_dot_complete(const char *word, size_t bytes, void (*give)(void *user, const char *candidate), void *user) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strlen(commands[i].name) >= bytes && memcmp(commands[i].name, word, bytes) == 0)
            give(user, commands[i].name);
}

static bool contains(const char *text, const char *word) { return text != NULL && strcasestr(text, word) != NULL; }

void lt_dot_help(lt_shell *shell, const char *word, lt_shell_text *out) {
    (void)shell;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const dot_row *row = &commands[i];
        char           left[64];
        if (word != NULL && !contains(row->name, word) && !contains(row->alias, word) && !contains(row->help, word))
            continue;
        snprintf(left, sizeof left, ".%s %s", row->name, row->usage);
        lt_text_format(out, "%-26s %s", left, row->help);
        if (row->alias != NULL) lt_text_format(out, " (also %s%s)", row->alias[0] == '\\' ? "" : ".", row->alias);
        lt_text_put(out, "\n");
    }
}
