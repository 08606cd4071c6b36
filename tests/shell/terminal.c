#include "tests/shell/terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

int terminal_failures;

enum { SCREEN_BYTES_MAX = 1 << 20, STEP_MS_MAX = 10000 };

static int    terminal;
static pid_t  program;
static char   screen[SCREEN_BYTES_MAX];
static size_t screen_bytes, seen;
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

void terminal_step(const char *name, const char *keys, const char *wanted) {
    if (write(terminal, keys, strlen(keys)) < 0 || !wait_for(wanted)) {
        terminal_failures++;
        printf("%s: `%s` is not on the screen; since the last step:\n%s\n", name, wanted, screen + seen);
        seen = screen_bytes;
    }
}

void terminal_start(const char *path, const char *term, const char *const *more) {
    struct winsize size = {.ws_row = 40, .ws_col = 100};
    program             = forkpty(&terminal, NULL, NULL, &size);
    if (program < 0) {
        perror("forkpty");
        exit(1);
    }
    if (program == 0) {
        setenv("TERM", term, 1);
        const char *words[16] = {path, "--no-init", "--color", "never"};
        for (size_t i = 0; more != NULL && more[i] != NULL && i < 11; i++) words[4 + i] = more[i];
        char *copies[16] = {0}; // execv wants text that may change
        for (size_t i = 0; i < 15 && words[i] != NULL; i++) copies[i] = strdup(words[i]);
        execv(path, copies);
        _exit(127);
    }
    escape = 0;
}

bool terminal_has_echo(void) {
    struct termios mode;
    return tcgetattr(terminal, &mode) == 0 && (mode.c_lflag & ECHO) != 0 && (mode.c_lflag & ICANON) != 0;
}

void terminal_fail(const char *name, const char *what) {
    terminal_failures++;
    printf("%s: %s\n", name, what);
}

void terminal_finish(const char *name, int wanted) {
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
    if (!terminal_has_echo()) terminal_fail(name, "the terminal is left without echo or lines");
    close(terminal);
    const int code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (code == wanted) return;
    terminal_failures++;
    printf("%s: exit code %d, not %d\n", name, code, wanted);
}

void terminal_resize(unsigned short rows, unsigned short columns) {
    const struct winsize size = {.ws_row = rows, .ws_col = columns};
    (void)ioctl(terminal, TIOCSWINSZ, &size);
}
