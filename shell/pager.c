#include "shell/shell.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

// pager: the one program besides the editor that the shell starts. Interrupts are the pager's while it runs; one that
// cannot be started leaves the result to the terminal.

static uint64_t lines_of(const lt_shell_text *text) {
    uint64_t count = 0;
    for (size_t i = 0; i < text->bytes; i++) count += text->data[i] == '\n';
    return count;
}

static bool pager_run(const lt_shell_text *text) {
    const char *pager = getenv("PAGER");
    int         ends[2];
    if (pager == NULL || pager[0] == '\0') pager = "less -SRFX";
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        signal(SIGPIPE, SIG_DFL);
        execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    for (size_t done = 0; child > 0 && done < text->bytes;) { // a pager that leaves early ends it: EPIPE
        const ssize_t count = write(ends[1], text->data + done, text->bytes - done);
        if (count < 0 && errno != EINTR) break;
        if (count > 0) done += (size_t)count;
    }
    close(ends[1]);
    int state = 0;
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    lt_signals_forget();
    return child > 0 && !(WIFEXITED(state) && WEXITSTATUS(state) == 127);
}

void lt_pager_show(lt_shell *shell, const lt_shell_text *text) {
    struct winsize size = {.ws_row = 24};
    if (ioctl(shell->standard.descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size.ws_row = 24;
    lt_output_flush(&shell->standard);
    if (lines_of(text) + 2 > size.ws_row && pager_run(text)) return;
    lt_output_write(&shell->standard, text->data == NULL ? "" : text->data, text->bytes);
    lt_output_flush(&shell->standard);
}
