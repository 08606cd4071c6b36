#include "shell/shell.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

// prompt: one buffer of libedit holds a whole statement, newlines included: Enter runs complete text and else adds a
// line, the arrows reach every line, history holds whole statements. Reading a key polls, so that messages of standing
// queries and rows of console sinks appear above the line being typed. Everything runs on the main thread.

enum { HISTORY_MAX = 2000, POLL_MS = 100, HISTORY_BYTES_MAX = 64 * 1024 };

typedef struct prompt {
    lt_shell       *shell;
    EditLine       *editor;
    char            text[64]; // the prompt as shown
    lt_query_counts counts;
    size_t          history_at; // entry shown; history_count: the new line
    char           *unfinished; // the new line while older ones are looked at
    bool            is_dropped; // Ctrl-C
    bool            is_from_paste;
    char           *history_path;
} prompt;

static prompt *prompt_of(EditLine *editor) {
    void *self = NULL;
    el_get(editor, EL_CLIENTDATA, &self);
    return self;
}

// ------------------------------------------------------------------------------------------------------------- history

static void history_keep(lt_shell *shell, const char *text, size_t bytes) {
    while (bytes > 0 && (text[bytes - 1] == '\n' || text[bytes - 1] == ' ')) bytes--;
    if (bytes == 0 || bytes > HISTORY_BYTES_MAX) return;
    if (shell->history_count > 0 && strlen(shell->history[shell->history_count - 1]) == bytes &&
        memcmp(shell->history[shell->history_count - 1], text, bytes) == 0)
        return;
    if (shell->history_count == HISTORY_MAX) {
        free(shell->history[0]);
        memmove(shell->history, shell->history + 1, --shell->history_count * sizeof *shell->history);
    }
    shell->history = lt_shell_reallocate(shell->history, (shell->history_count + 1) * sizeof *shell->history);
    shell->history[shell->history_count++] = lt_shell_copy(text, bytes);
}

// $XDG_STATE_HOME/leat/history, made with its folders; NULL without a home.
static char *state_path(const char *variable, const char *below_home, const char *name) {
    const char   *base = getenv(variable), *home = getenv("HOME");
    lt_shell_text path = {0};
    if (base != NULL && base[0] == '/')
        lt_text_put(&path, base);
    else if (home != NULL && home[0] == '/')
        lt_text_format(&path, "%s/%s", home, below_home);
    else
        return NULL;
    lt_text_format(&path, "/leat/%s", name);
    return path.data;
}

static void folders_make(char *path) {
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/') continue;
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
}

// A line per statement; newlines and backslashes inside it are escaped.
static void history_load(prompt *self) {
    self->history_path = state_path("XDG_STATE_HOME", ".local/state", "history");
    FILE *file         = self->history_path == NULL ? NULL : fopen(self->history_path, "re");
    if (file == NULL) return;
    char   *line     = NULL;
    size_t  capacity = 0;
    ssize_t bytes;
    while ((bytes = getline(&line, &capacity, file)) > 0) {
        size_t used = 0;
        for (ssize_t i = 0; i < bytes && line[i] != '\n'; i++) {
            if (line[i] == '\\' && i + 1 < bytes) {
                i++;
                line[used++] = line[i] == 'n' ? '\n' : line[i];
            } else {
                line[used++] = line[i];
            }
        }
        history_keep(self->shell, line, used);
    }
    free(line);
    fclose(file);
}

static void history_save(prompt *self) {
    if (self->history_path == NULL || self->shell->history_count == 0) return;
    folders_make(self->history_path);
    lt_shell_text temporary = {0}, out = {0};
    lt_text_format(&temporary, "%s.%ld", self->history_path, (long)getpid());
    const int descriptor = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    for (size_t i = 0; i < self->shell->history_count; i++) {
        for (const char *c = self->shell->history[i]; *c != '\0'; c++) {
            if (*c == '\n')
                lt_text_put(&out, "\\n");
            else if (*c == '\\')
                lt_text_put(&out, "\\\\");
            else
                lt_text_append(&out, c, 1);
        }
        lt_text_append(&out, "\n", 1);
    }
    if (descriptor >= 0) {
        const bool is_written = write(descriptor, out.data, out.bytes) == (ssize_t)out.bytes;
        if (close(descriptor) == 0 && is_written)
            (void)rename(temporary.data, self->history_path);
        else
            (void)unlink(temporary.data);
    }
    lt_text_free(&temporary);
    lt_text_free(&out);
}

// -------------------------------------------------------------------------------------------------------------- prompt

static size_t line_bytes(EditLine *editor) {
    const LineInfo *line = el_line(editor);
    return (size_t)(line->lastchar - line->buffer);
}

static void prompt_compose(prompt *self, const char *text, size_t bytes) {
    const char open = bytes == 0 ? ' ' : lt_piece_open(text, bytes);
    char       counts[32];
    counts[0] = '\0';
    if (self->counts.running > 0 || self->counts.failed > 0)
        snprintf(counts, sizeof counts, "[%u%s]", self->counts.running, self->counts.failed > 0 ? "!" : "");
    snprintf(self->text, sizeof self->text, "leat%s%c ", counts, open == ' ' ? '>' : open);
}

static char *prompt_text(EditLine *editor) {
    prompt         *self = prompt_of(editor);
    const LineInfo *line = el_line(editor);
    prompt_compose(self, line->buffer, (size_t)(line->lastchar - line->buffer));
    return self->text;
}

// Rows and messages that came while a line is typed go above it.
static void news_show(prompt *self) {
    const lt_query_counts before      = self->counts;
    lt_shell             *shell       = self->shell;
    const LineInfo       *line        = el_line(self->editor);
    size_t                rows        = 0;
    const bool            has_rows    = lt_output_has_held(&shell->standard);
    const size_t          told        = shell->note_count;
    bool                  has_failure = false;
    // Anything that prints needs the line cleared first; failures are looked for before, cheaply.
    for (uint32_t i = 0; leat_query_at(shell->session, i) != NULL; i++) {
        leat_query *query = NULL;
        if (leat_query_open(shell->session, leat_query_at(shell->session, i), &query, NULL) != LEAT_OK) continue;
        bool is_told = false;
        for (size_t n = 0; n < shell->note_count; n++)
            if (strcmp(shell->notes[n].name, leat_query_name(query)) == 0) is_told = shell->notes[n].is_failure_told;
        has_failure |= !is_told && leat_query_status(query, NULL) == LEAT_QUERY_FAILED;
        leat_query_close(&query);
    }
    (void)told;
    if (!has_rows && !has_failure && shell->progress != LT_PROGRESS_JSON) {
        self->counts = lt_queries_poll(shell);
        if (self->counts.running != before.running || self->counts.failed != before.failed)
            el_set(self->editor, EL_REFRESH);
        return;
    }
    for (const char *c = line->buffer; c < line->cursor; c++) rows += *c == '\n';
    if (rows > 0) fprintf(stderr, "\033[%zuA", rows);
    fputs("\r\033[J", stderr);
    fflush(stderr);
    lt_output_hold(&shell->standard, false);
    self->counts = lt_queries_poll(shell);
    lt_output_hold(&shell->standard, true);
    el_set(self->editor, EL_REFRESH);
}

// Reads a character; while none comes, shows news. Ctrl-C comes as the character 3.
static int key_read(EditLine *editor, wchar_t *out) {
    prompt   *self  = prompt_of(editor);
    mbstate_t state = {0};
    for (;;) {
        struct pollfd waits = {.fd = STDIN_FILENO, .events = POLLIN};
        const int     ready = poll(&waits, 1, POLL_MS);
        if (lt_signals_stop() != 0) {
            const bool is_end = lt_signals_stop() == SIGTERM;
            lt_signals_forget();
            if (is_end) return 0;
            *out = 3;
            return 1;
        }
        if (ready < 0 && errno != EINTR) return -1;
        if (ready <= 0) {
            news_show(self);
            continue;
        }
        char          byte;
        const ssize_t count = read(STDIN_FILENO, &byte, 1);
        if (count == 0) return 0;
        if (count < 0) {
            if (errno == EINTR || errno == EAGAIN) continue;
            return -1;
        }
        const size_t used = mbrtowc(out, &byte, 1, &state);
        if (used == (size_t)-2) continue;
        if (used == (size_t)-1) {
            state = (mbstate_t){0};
            continue;
        }
        return 1;
    }
}

// ---------------------------------------------------------------------------------------------------------------- keys

static bool is_more_there(void) {
    struct pollfd waits = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&waits, 1, 0) > 0;
}

static void line_replace(EditLine *editor, const char *text) {
    const LineInfo *line  = el_line(editor);
    const int       after = (int)(line->lastchar - line->cursor);
    if (after > 0) {
        // Characters, not bytes, move the cursor; to the end is far enough.
        (void)el_cursor(editor, INT_MAX / 4);
    }
    const LineInfoW *wide  = el_wline(editor);
    const int        count = (int)(wide->lastchar - wide->buffer);
    (void)el_cursor(editor, INT_MAX / 4);
    if (count > 0) el_deletestr(editor, count);
    if (text[0] != '\0') (void)el_insertstr(editor, text);
}

// What people type who want help or to leave, alone on the line and without a dot.
static const char *plain_command(const char *text, size_t bytes) {
    static const char *const commands[] = {".help", ".quit", ".exit"};
    while (bytes > 0 && (text[bytes - 1] == '\n' || text[bytes - 1] == ' ' || text[bytes - 1] == ';')) bytes--;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (bytes == strlen(commands[i] + 1) && strncasecmp(text, commands[i] + 1, bytes) == 0) return commands[i];
    return NULL;
}

static unsigned char key_enter(EditLine *editor, int key) {
    (void)key;
    const LineInfo *line = el_line(editor);
    if (lt_piece_open(line->buffer, (size_t)(line->lastchar - line->buffer)) == ' ') return CC_NEWLINE;
    if (plain_command(line->buffer, (size_t)(line->lastchar - line->buffer)) != NULL) return CC_NEWLINE;
    (void)el_cursor(editor, INT_MAX / 4);
    return el_insertstr(editor, "\n") == 0 ? CC_REFRESH : CC_ERROR;
}

static unsigned char key_drop(EditLine *editor, int key) {
    (void)key;
    prompt_of(editor)->is_dropped = true;
    return CC_NEWLINE;
}

static unsigned char key_end(EditLine *editor, int key) {
    (void)key;
    if (line_bytes(editor) == 0) return CC_EOF;
    const LineInfoW *line = el_wline(editor);
    if (line->cursor == line->lastchar) return CC_REFRESH_BEEP;
    (void)el_cursor(editor, 1);
    el_deletestr(editor, 1);
    return CC_REFRESH;
}

static void history_show(prompt *self, size_t at) {
    lt_shell *shell = self->shell;
    if (self->history_at == shell->history_count) {
        const LineInfo *line = el_line(self->editor);
        free(self->unfinished);
        self->unfinished = lt_shell_copy(line->buffer, (size_t)(line->lastchar - line->buffer));
    }
    self->history_at = at;
    line_replace(self->editor,
                 at == shell->history_count ? self->unfinished == NULL ? "" : self->unfinished : shell->history[at]);
}

// Up and down move within the buffer's lines, and at its first and last line through history.
static unsigned char key_up(EditLine *editor, int key) {
    (void)key;
    prompt          *self  = prompt_of(editor);
    const LineInfoW *line  = el_wline(editor);
    const wchar_t   *begin = line->cursor;
    while (begin > line->buffer && begin[-1] != L'\n') begin--;
    if (begin == line->buffer) {
        if (self->history_at == 0) return CC_REFRESH_BEEP;
        history_show(self, self->history_at - 1);
        return CC_REFRESH;
    }
    const ptrdiff_t column = line->cursor - begin;
    const wchar_t  *above  = begin - 1;
    while (above > line->buffer && above[-1] != L'\n') above--;
    const ptrdiff_t width = begin - 1 - above;
    (void)el_cursor(editor, (int)(above + (column < width ? column : width) - line->cursor));
    return CC_REFRESH;
}

static unsigned char key_down(EditLine *editor, int key) {
    (void)key;
    prompt          *self  = prompt_of(editor);
    const LineInfoW *line  = el_wline(editor);
    const wchar_t   *begin = line->cursor, *end = line->cursor;
    while (begin > line->buffer && begin[-1] != L'\n') begin--;
    while (end < line->lastchar && *end != L'\n') end++;
    if (end == line->lastchar) {
        if (self->history_at >= self->shell->history_count) return CC_REFRESH_BEEP;
        history_show(self, self->history_at + 1);
        return CC_REFRESH;
    }
    const ptrdiff_t column = line->cursor - begin;
    const wchar_t  *below  = end + 1;
    while (end + 1 < line->lastchar && below < line->lastchar && *below != L'\n' && below - (end + 1) < column) below++;
    (void)el_cursor(editor, (int)(below - line->cursor));
    return CC_REFRESH;
}

// Text between the paste marks is taken as it is; when it ends a statement with its line, it runs.
static unsigned char key_paste(EditLine *editor, int key) {
    static const wchar_t mark[] = L"\033[201~";
    (void)key;
    wchar_t *text = NULL;
    size_t   used = 0, capacity = 0;
    for (;;) {
        wchar_t letter;
        if (key_read(editor, &letter) != 1) break;
        if (used + 2 > capacity) {
            capacity = capacity == 0 ? 256 : capacity * 2;
            text     = lt_shell_reallocate(text, capacity * sizeof *text);
        }
        text[used++] = letter == L'\r' ? L'\n' : letter;
        if (used >= 6 && wmemcmp(text + used - 6, mark, 6) == 0) {
            used -= 6;
            break;
        }
    }
    if (used == 0) {
        free(text);
        return CC_REFRESH;
    }
    text[used]         = L'\0';
    const bool is_line = text[used - 1] == L'\n';
    if (is_line) text[used - 1] = L'\0';
    (void)el_winsertstr(editor, text);
    free(text);
    const LineInfo *line     = el_line(editor);
    const bool      is_whole = lt_piece_open(line->buffer, (size_t)(line->lastchar - line->buffer)) == ' ';
    if (is_line && is_whole) return CC_NEWLINE;
    if (is_line) (void)el_insertstr(editor, "\n");
    return CC_REFRESH;
}

// ---------------------------------------------------------------------------------------------------------- completion

typedef struct candidates {
    char **texts;
    char **kinds;
    size_t count;
} candidates;

static void candidate_take(void *user, const char *candidate, const char *kind) {
    enum { CANDIDATES_MAX = 400 };
    candidates *list = user;
    if (list->count == CANDIDATES_MAX) return;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->texts[i], candidate) == 0) return;
    list->texts              = lt_shell_reallocate(list->texts, (list->count + 1) * sizeof *list->texts);
    list->kinds              = lt_shell_reallocate(list->kinds, (list->count + 1) * sizeof *list->kinds);
    list->texts[list->count] = lt_shell_copy(candidate, strlen(candidate));
    list->kinds[list->count] = lt_shell_copy(kind, strlen(kind));
    list->count++;
}

static void command_take(void *user, const char *candidate) { candidate_take(user, candidate, "command"); }

static void candidates_free(candidates *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->texts[i]);
        free(list->kinds[i]);
    }
    free(list->texts);
    free(list->kinds);
}

static size_t common_bytes(const candidates *list) {
    size_t common = strlen(list->texts[0]);
    for (size_t i = 1; i < list->count; i++) {
        size_t same = 0;
        while (same < common && list->texts[i][same] == list->texts[0][same]) same++;
        common = same;
    }
    while (common > 0 && ((unsigned char)list->texts[0][common] & 0xC0) == 0x80) common--;
    return common;
}

static void candidates_print(const prompt *self, const candidates *list) {
    enum { PRINTED_MAX = 60 };
    size_t widest = 0;
    fputs("\n", stderr);
    for (size_t i = 0; i < list->count && i < PRINTED_MAX; i++) {
        const size_t width = lt_text_width(list->texts[i], strlen(list->texts[i]));
        if (width > widest) widest = width;
    }
    const size_t screen  = self->shell->show.screen_columns == 0 ? 80 : self->shell->show.screen_columns;
    size_t       columns = screen / (widest + 2);
    if (columns == 0) columns = 1;
    for (size_t i = 0; i < list->count && i < PRINTED_MAX; i++) {
        const size_t width = lt_text_width(list->texts[i], strlen(list->texts[i]));
        fprintf(stderr, "%s%*s", list->texts[i], (int)(widest + 2 - width), "");
        if (i % columns == columns - 1 || i + 1 == list->count || i + 1 == PRINTED_MAX) fputs("\n", stderr);
    }
    if (list->count > PRINTED_MAX) fprintf(stderr, "... %zu more\n", list->count - PRINTED_MAX);
    fflush(stderr);
}

// Where the name of a file begins that is being typed: behind the quote of an open string or name, or behind a command
// that takes a file. NULL: none.
static const char *file_begin(const char *text, size_t cursor) {
    static const char *const commands[] = {".read ", ".output ", ".once ", ".cd ", ".mkdir ", "\\i "};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (cursor >= strlen(commands[i]) && strncmp(text, commands[i], strlen(commands[i])) == 0)
            return text + strlen(commands[i]);
    for (size_t at = 0; at < cursor;) {
        size_t                used;
        const leat_token_kind kind = leat_scan(text + at, cursor - at, &used);
        if (used == 0) return NULL;
        if (kind == LEAT_TOKEN_OPEN_STRING || kind == LEAT_TOKEN_OPEN_NAME) return text + at + 1;
        at += used;
    }
    return NULL;
}

// Files whose names go on from `path`, folders with a slash; returns how many bytes of the name are typed.
static size_t files_find(const char *path, size_t bytes, candidates *list) {
    size_t name = bytes;
    while (name > 0 && path[name - 1] != '/') name--;
    char *folder = lt_shell_copy(name == 0 ? "." : path, name == 0 ? 1 : name);
    DIR  *files  = opendir(folder);
    for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;) {
        lt_shell_text text = {0};
        struct stat   info;
        if (strncmp(entry->d_name, path + name, bytes - name) != 0) continue;
        if (entry->d_name[0] == '.' && (bytes == name || strcmp(entry->d_name, ".") == 0)) continue;
        if (strcmp(entry->d_name, "..") == 0) continue;
        lt_text_put(&text, entry->d_name);
        if (fstatat(dirfd(files), entry->d_name, &info, 0) == 0 && S_ISDIR(info.st_mode)) lt_text_put(&text, "/");
        candidate_take(list, text.data, "file");
        lt_text_free(&text);
    }
    if (files != NULL) closedir(files);
    free(folder);
    return bytes - name;
}

static bool is_word_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || (unsigned char)byte >= 0x80;
}

static unsigned char key_tab(EditLine *editor, int key) {
    (void)key;
    prompt         *self  = prompt_of(editor);
    const LineInfo *line  = el_line(editor);
    const size_t    bytes = (size_t)(line->lastchar - line->buffer), cursor = (size_t)(line->cursor - line->buffer);
    const bool      is_dot = bytes > 0 && line->buffer[0] == '.' && memchr(line->buffer, ' ', cursor) == NULL;
    if (is_more_there()) return el_insertstr(editor, "\t") == 0 ? CC_REFRESH : CC_ERROR; // text comes in one piece
    candidates list  = {0};
    size_t     begin = cursor;
    while (begin > 0 && is_word_byte(line->buffer[begin - 1])) begin--;
    const char *file = self->shell->is_safe ? NULL : file_begin(line->buffer, cursor);
    if (file != NULL)
        begin = cursor - files_find(file, cursor - (size_t)(file - line->buffer), &list);
    else if (is_dot)
        lt_dot_complete(line->buffer + begin, cursor - begin, command_take, &list);
    else
        (void)leat_complete(self->shell->session, line->buffer, bytes, cursor, candidate_take, &list, NULL);
    unsigned char answer = CC_REFRESH_BEEP;
    if (list.count > 0) {
        const size_t typed  = cursor - begin;
        size_t       common = common_bytes(&list);
        if (common > typed || list.count == 1) {
            char *word = lt_shell_copy(list.texts[0], common);
            // The typed part is replaced, so that its case becomes that of the candidate.
            size_t characters = 0;
            for (size_t i = begin; i < cursor; i++) characters += ((unsigned char)line->buffer[i] & 0xC0) != 0x80;
            if (characters > 0) el_deletestr(editor, (int)characters);
            (void)el_insertstr(editor, word);
            if (list.count == 1 && file == NULL) (void)el_insertstr(editor, " ");
            // A file closes its quote; a folder goes on.
            const bool is_quoted = file != NULL && line->buffer[0] != '.' && line->buffer[0] != '\\';
            const char quote[]   = {is_quoted ? file[-1] : '\0', '\0'};
            if (list.count == 1 && is_quoted && word[common - 1] != '/') (void)el_insertstr(editor, quote);
            free(word);
            answer = CC_REFRESH;
        } else {
            candidates_print(self, &list);
            answer = CC_REDISPLAY;
        }
    }
    candidates_free(&list);
    return answer;
}

// ----------------------------------------------------------------------------------------------------------------- run

// Runs what was typed and keeps each statement in history, unless it was typed behind a blank.
static void text_run(prompt *self, const char *text, size_t bytes) {
    lt_shell *shell = self->shell;
    size_t    at    = 0;
    if (bytes > 0 && text[0] != ' ') {
        while (at < bytes) {
            size_t       begin;
            bool         is_whole;
            const size_t used = lt_piece_next(text + at, bytes - at, &begin, &is_whole);
            if (at + begin < bytes && used > begin) history_keep(shell, text + at + begin, used - begin);
            at += used;
        }
    }
    const char *const    plain  = plain_command(text, bytes);
    const lt_source_text source = {
        .name = "", .text = plain != NULL ? plain : text, .bytes = plain != NULL ? strlen(plain) : bytes};
    lt_show_refresh(shell);
    const bool keeps_going = shell->keep_going;
    (void)lt_script_run(shell, &source);
    shell->keep_going = keeps_going;
    lt_signals_forget();
    self->counts = lt_queries_poll(shell);
    lt_output_flush(&shell->standard);
}

static EditLine *editor_open(prompt *self) {
    EditLine *editor = el_init("leat", stdin, stderr, stderr);
    if (editor == NULL) return NULL;
    el_set(editor, EL_CLIENTDATA, self);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 0);
    el_set(editor, EL_GETCFN, key_read);
    el_set(editor, EL_PROMPT, prompt_text);
    // The wide call keeps the texts as they are; the other one copies them and never frees the copies.
    el_wset(editor, EL_ADDFN, L"leat-enter", L"run complete text, else add a line", key_enter);
    el_wset(editor, EL_ADDFN, L"leat-tab", L"complete the word", key_tab);
    el_wset(editor, EL_ADDFN, L"leat-up", L"line above, or older statement", key_up);
    el_wset(editor, EL_ADDFN, L"leat-down", L"line below, or newer statement", key_down);
    el_wset(editor, EL_ADDFN, L"leat-drop", L"drop the typed text", key_drop);
    el_wset(editor, EL_ADDFN, L"leat-end", L"leave, or delete a character", key_end);
    el_wset(editor, EL_ADDFN, L"leat-paste", L"take pasted text as it is", key_paste);
    static const char *const bindings[][2] = {
        {"^M", "leat-enter"},
        {"^J", "leat-enter"},
        {"^I", "leat-tab"},
        {"\033[A", "leat-up"},
        {"\033OA", "leat-up"},
        {"\033[B", "leat-down"},
        {"\033OB", "leat-down"},
        {"^P", "leat-up"},
        {"^N", "leat-down"},
        {"^C", "leat-drop"},
        {"^D", "leat-end"},
        {"\033[200~", "leat-paste"},
        {"\033[H", "ed-move-to-beg"},
        {"\033[F", "ed-move-to-end"},
        {"\033[3~", "ed-delete-next-char"},
    };
    for (size_t i = 0; i < sizeof bindings / sizeof bindings[0]; i++)
        el_set(editor, EL_BIND, bindings[i][0], bindings[i][1], NULL);
    return editor;
}

static void edit_loop(prompt *self) {
    static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";
    lt_shell         *shell = self->shell;
    self->editor            = editor_open(self);
    if (self->editor == NULL) {
        lt_error_say(shell, "cannot open the line editor");
        return;
    }
    while (!shell->is_over) {
        int count        = 0;
        self->is_dropped = false;
        self->history_at = shell->history_count;
        fputs(paste_on, stderr);
        lt_output_hold(&shell->standard, true);
        const char *line = el_gets(self->editor, &count);
        lt_output_hold(&shell->standard, false);
        fputs(paste_off, stderr);
        if (self->is_dropped) {
            fputs("\n", stderr);
            el_reset(self->editor);
            continue;
        }
        if (line == NULL || count <= 0) {
            if (line == NULL && count < 0 && errno == EINTR) continue;
            fputs("\n", stderr);
            break;
        }
        fputs("\n", stderr);
        char *text = lt_shell_copy(line, (size_t)count);
        text_run(self, text, (size_t)count);
        free(text);
    }
    el_end(self->editor);
}

// TERM=dumb, or no terminal: lines as they come, with plain prompts.
static void plain_loop(prompt *self) {
    lt_shell     *shell = self->shell;
    lt_shell_text text  = {0};
    lt_text_append(&text, "", 0);
    while (!shell->is_over) {
        prompt_compose(self, text.data, text.bytes);
        fputs(self->text, stderr);
        fflush(stderr);
        char block[1024];
        bool is_over = false;
        for (;;) {
            const ssize_t count = read(STDIN_FILENO, block, sizeof block);
            if (count > 0) lt_text_append(&text, block, (size_t)count);
            if (count < 0 && errno == EINTR) {
                if (lt_signals_stop() == SIGTERM) is_over = true;
                lt_signals_forget();
                text.bytes = 0;
                fputs("\n", stderr);
                break;
            }
            if (count <= 0) is_over = true;
            if (is_over || (text.bytes > 0 && text.data[text.bytes - 1] == '\n')) break;
        }
        if (is_over || (text.bytes > 0 && (lt_piece_open(text.data, text.bytes) == ' ' ||
                                           plain_command(text.data, text.bytes) != NULL))) {
            text_run(self, text.data, text.bytes);
            text.bytes = 0;
        }
        if (is_over) break;
    }
    lt_text_free(&text);
}

void lt_prompt_run(lt_shell *shell, const char *init_path, bool has_init) {
    prompt      self = {.shell = shell};
    const char *term = getenv("TERM");
    const bool  is_dumb =
        term == NULL || strcmp(term, "dumb") == 0 || isatty(STDIN_FILENO) != 1 || !shell->is_error_terminal;
    shell->is_interactive = true;
    lt_signals_mode(LT_SIGNALS_PROMPT);
    if (!shell->is_quiet) lt_note_say(shell, "leat %s, .help for help", leat_version());
    if (has_init) {
        char *path = init_path != NULL ? lt_shell_copy(init_path, strlen(init_path))
                                       : state_path("XDG_CONFIG_HOME", ".config", "leatrc");
        if (path != NULL && (init_path != NULL || access(path, R_OK) == 0)) (void)lt_script_file(shell, path);
        free(path);
    }
    history_load(&self);
    if (is_dumb)
        plain_loop(&self);
    else
        edit_loop(&self);
    history_save(&self);
    free(self.history_path);
    free(self.unfinished);
}
