// prompt: the program on a pseudo-terminal: what a person types and what the screen answers.
//
// A step sends bytes and waits until a text is on the screen behind what earlier steps saw, escape sequences removed.
// Nothing sleeps; a step that waits longer than 10 s fails the test.
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { SCREEN_BYTES_MAX = 1 << 20, STEP_MS_MAX = 10000 };

static int    terminal;
static pid_t  program;
static char   screen[SCREEN_BYTES_MAX];
static size_t screen_bytes, seen;
static int    failures;
static int    escape; // 0 outside, 1 behind ESC, 2 inside CSI

// Keeps printable text and newlines; a carriage return or a cursor movement leaves no trace.
static void screen_take(const char *bytes, size_t count) {
    for (size_t i = 0; i < count && screen_bytes + 1 < sizeof screen; i++) {
        const char byte = bytes[i];
        if (escape == 1) {
            escape = byte == '[' ? 2 : 0;
        } else if (escape == 2) {
            if (byte >= 0x40 && byte <= 0x7E) escape = 0;
        } else if (byte == 27) {
            escape = 1;
        } else if (byte != '\r' && byte != '\a') {
            screen[screen_bytes++] = byte;
        }
    }
    screen[screen_bytes] = '\0';
}

static bool wait_for(const char *wanted) {
    for (int waited = 0; waited < STEP_MS_MAX;) {
        const char *found = strstr(screen + seen, wanted);
        if (found != NULL) {
            seen = (size_t)(found - screen) + strlen(wanted);
            return true;
        }
        struct pollfd waits = {.fd = terminal, .events = POLLIN};
        char          block[2048];
        const int     ready = poll(&waits, 1, 100);
        if (ready <= 0) {
            waited += 100;
            continue;
        }
        const ssize_t count = read(terminal, block, sizeof block);
        if (count <= 0) return false;
        screen_take(block, (size_t)count);
    }
    return false;
}

static void step(const char *name, const char *keys, const char *wanted) {
    if (write(terminal, keys, strlen(keys)) < 0 || !wait_for(wanted)) {
        failures++;
        printf("%s: `%s` is not on the screen; since the last step:\n%s\n", name, wanted, screen + seen);
        seen = screen_bytes;
    }
}

static void start(const char *path, const char *term) {
    struct winsize size = {.ws_row = 40, .ws_col = 100};
    program             = forkpty(&terminal, NULL, NULL, &size);
    if (program < 0) {
        perror("forkpty");
        exit(1);
    }
    if (program == 0) {
        setenv("TERM", term, 1);
        execl(path, path, "--no-init", "--color", "never", (char *)NULL);
        _exit(127);
    }
    escape = 0;
}

static void finish(const char *name, int wanted) {
    int           state = 0;
    struct pollfd waits = {.fd = terminal, .events = POLLIN};
    for (char block[2048];;) {
        if (poll(&waits, 1, STEP_MS_MAX) == 0) { // it does not end: killed, and the exit code tells
            kill(program, SIGKILL);
            break;
        }
        const ssize_t count = read(terminal, block, sizeof block);
        if (count <= 0) break;
        screen_take(block, (size_t)count);
    }
    waitpid(program, &state, 0);
    close(terminal);
    const int code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (code == wanted) return;
    failures++;
    printf("%s: exit code %d, not %d\n", name, code, wanted);
}

static void typed_session(const char *path) {
    start(path, "xterm");
    step("greeting", "", ".help for help");
    step("prompt", "", "leat> ");
    step("box", "SELECT upper('hello') AS x;\r", "│ HELLO");
    step("ready", "", "leat> ");
    step("open statement", "SELECT 1\r", "leat-");
    step("interrupt drops it", "\003", "leat> ");
    step("next is whole", "SELECT 2 AS y;\r", "│   2 │");
    step("open string", "SELECT 'a\r", "leat'");
    step("interrupt", "\003", "leat> ");
    step("error", "SELECT nope;\r", "UNRESOLVED_COLUMN");
    step("caret", "", "^^^^");
    step("ready again", "", "leat> ");
    step("running statement", "SELECT count(*) AS n FROM range(1000000000) a JOIN range(1000) b ON a.id % 7 < b.id;\r",
         "");
    step("sees the line end", "", "\n");
    usleep(300000); // let the statement begin: an interrupt before it would only drop a line
    step("interrupt stops it", "\003", "interrupted");
    step("shell lives", "SELECT 3 AS z;\r", "│   3 │");
    step("stream", "CREATE STREAM g (value BIGINT) WITH (connector = 'generator', rowsPerSecond = 10);\r", "leat> ");
    step("view", "CREATE MATERIALIZED VIEW q AS SELECT count(*) AS n FROM g;\r", "leat[1]> ");
    step("interrupt at the empty prompt", "\003", "leat[1]> ");
    step("query lives", "SELECT state FROM leat_queries;\r", "RUNNING");
    step("ready with a query", "", "leat[1]> ");
    step("completion", "SELECT stat\t", "");
    step("of a keyword", "\003", "leat[1]> ");
    step("completes DESCRIBE", "DESCRI\t", "DESCRIBE ");
    step("interrupt after it", "\003", "leat[1]> ");
    step("history", "\033[A", "SELECT state FROM leat_queries;");
    step("runs again", "\r", "RUNNING");
    step("ready at the end", "", "leat[1]> ");
    usleep(200000); // as below
    step("end of input", "\004", "\n");
    finish("typed session", 0);
}

static void pasted_session(const char *path, bool has_marks) {
    static const char paste[] = "SELECT 1\n  AS first;\nSELECT 'a\n\n\tb' AS second; SELECT 3 AS third;\n";
    char              text[256];
    const char       *name = has_marks ? "paste with marks" : "paste without marks";
    start(path, "xterm");
    step(name, "", "leat> ");
    snprintf(text, sizeof text, "%s%s%s", has_marks ? "\033[200~" : "", paste, has_marks ? "\033[201~" : "");
    step(name, text, "│ first");
    step(name, "", "│     1");
    step(name, "", "│ second");
    step(name, "", "│ a\\n\\n\\tb");
    step(name, "", "│ third");
    step(name, "", "│     3");
    step(name, "", "leat> ");
    step(name, "\033[A", "SELECT 3 AS third;");
    step(name, "\r", "│     3");
    step(name, "", "leat> ");
    usleep(200000); // a Ctrl-D that meets the change of the terminal's mode is no end of input
    step(name, "\004", "\n");
    finish(name, 0);
}

static void plain_session(const char *path) {
    start(path, "dumb");
    step("dumb", "", "leat> ");
    step("dumb", "SELECT 1\n", "leat- ");
    step("dumb", "AS x;\n", "│   1");
    step("dumb", "", "leat> ");
    step("dumb", ".quit 5\n", "");
    finish("dumb", 5);
}

int main(int count, char **words) {
    char        folder[] = "/tmp/leat-prompt-XXXXXX", path[128];
    struct stat info;
    if (count != 2 || mkdtemp(folder) == NULL) return 2;
    setenv("HOME", folder, 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    signal(SIGPIPE, SIG_IGN);
    typed_session(words[1]);
    snprintf(path, sizeof path, "%s/.local/state/leat/history", folder);
    if (stat(path, &info) != 0 || (info.st_mode & 0777) != 0600) {
        failures++;
        printf("history: not there, or readable by others\n");
    }
    pasted_session(words[1], true);
    pasted_session(words[1], false);
    plain_session(words[1]);
    unlink(path);
    for (char *at = path + strlen(path); at > path + strlen(folder); at--)
        if (*at == '/') {
            *at = '\0';
            rmdir(path);
        }
    rmdir(folder);
    return failures == 0 ? 0 : 1;
}
