// live: what changes on a terminal while nobody types: tables drawn in place, change logs, the line about a statement
// that takes long.
#include "tests/shell/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/leat-live-XXXXXX";

// A file of the stream, whole at once.
static void arrive(const char *name, const char *rows) {
    char from[128], to[128];
    snprintf(from, sizeof from, "%s/coming", folder);
    snprintf(to, sizeof to, "%s/in/%s", folder, name);
    FILE *file = fopen(from, "w");
    if (file == NULL || fputs(rows, file) < 0 || fclose(file) != 0 || rename(from, to) != 0)
        terminal_fail(name, "cannot be written");
}

static void declare(const char *path) {
    terminal_start(path, "xterm", NULL);
    terminal_step("ready", "", "leat> ");
    terminal_step("stream",
                  "CREATE STREAM s (e STRING, v INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS) "
                  "USING json OPTIONS (path 'in');\r",
                  "leat> ");
}

// A table that follows its query; keys; what is left on the screen; the query goes on.
static void table_session(const char *path) {
    arrive("1.json", "{\"e\":\"a\",\"v\":1,\"ts\":\"2024-05-01 12:00:00\"}\n");
    declare(path);
    terminal_step("view", "CREATE MATERIALIZED VIEW q AS SELECT e, sum(v) AS total FROM s GROUP BY e;\r", "leat[1]> ");
    terminal_step("the table", ".live q\r", "\u2502 a      \u2502      1 \u2502");
    terminal_step("its status", "", "q \u00B7 batch");
    arrive("2.json", "{\"e\":\"b\",\"v\":5,\"ts\":\"2024-05-01 12:00:20\"}\n");
    terminal_step("a new row comes first", "", "\u2502 b      \u2502      5 \u2502");
    terminal_step("the old one below", "", "\u2502 a      \u2502      1 \u2502");
    terminal_step("rows and watermark", "", "in 2 rows");
    terminal_step("of event time", "", "watermark 2024-05-01 12:00:10");
    terminal_step("and state", "", "state 2 rows");
    terminal_step("after a while the reason of the silence", "", "waiting for new input");
    terminal_step("a pause", " ", "paused");
    terminal_step("the pause is over", " ", "q leaves");
    terminal_resize(30, 60);
    terminal_step("another size draws anew", "", "\u250C");
    terminal_resize(6, 60);
    terminal_step("a screen of a few lines", "", "q \u00B7 batch");
    terminal_resize(31, 60);
    terminal_step("and a larger one again", "", "\u250C");
    terminal_step("interrupt leaves", "\003", "leat[1]> ");
    terminal_step("the query lives", "SELECT state FROM leat_queries;\r", "RUNNING");
    terminal_step("prompt", "", "leat[1]> ");
    terminal_step("rows by their order", ".live SELECT e, sum(v) AS t FROM s GROUP BY e ORDER BY t DESC\r",
                  "\u2502 b      \u2502      5 \u2502");
    terminal_step("the smaller below", "", "\u2502 a      \u2502      1 \u2502");
    terminal_step("q leaves", "q", "leat[1]> ");
    terminal_step("its own view has gone", "SELECT count(*) AS n FROM leat_queries;\r", "\u2502      1 \u2502");
    terminal_step("prompt", "", "leat[1]> ");
    terminal_step("the change log", ".live q\r", "q \u00B7 batch");
    terminal_step("of the table", "c", "+I");
    terminal_step("interrupt ends it", "\003", "leat[1]> ");
    terminal_step("no such query", ".live nope\r", "no standing query `nope`");
    terminal_step("prompt", "", "leat[1]> ");
    terminal_step("end", ".quit\r", "\n");
    terminal_finish("table", 0);
}

static void changes_session(const char *path) {
    declare(path);
    terminal_step("changes", "SELECT e, v FROM s EMIT CHANGES;\r", "\u2502 +I     \u2502 a      \u2502   1 \u2502");
    terminal_step("with a status line", "", "batch 0 \u00B7 in 2 rows");
    arrive("3.json", "{\"e\":\"c\",\"v\":7,\"ts\":\"2024-05-01 12:00:30\"}\n");
    terminal_step("more", "", "\u2502 +I     \u2502 c      \u2502   7 \u2502");
    terminal_step("a next status line", "", "batch 1 \u00B7 in 3 rows");
    terminal_step("interrupt", "\003", "interrupted");
    terminal_step("prompt", "", "leat> ");
    terminal_step("a long statement", "SELECT count(*) FROM range(1000000000000) WHERE id % 7 = 3;\r", " rows read, ");
    terminal_step("interrupt", "\003", "interrupted");
    terminal_step("prompt", "", "leat> ");
    terminal_step("end", ".quit\r", "\n");
    terminal_finish("changes", 0);
}

int main(int count, char **words) {
    char path[128];
    if (count != 2 || mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("in", 0700) != 0) return 2;
    setenv("HOME", folder, 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    signal(SIGPIPE, SIG_IGN);
    table_session(words[1]);
    changes_session(words[1]);
    static const char *const files[]   = {"in/1.json", "in/2.json", "in/3.json", ".local/state/leat/history"};
    static const char *const folders[] = {"in", ".local/state/leat", ".local/state", ".local", "."};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) unlink(files[i]);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        rmdir(i + 1 < sizeof folders / sizeof folders[0] ? path : folder);
    }
    return terminal_failures == 0 ? 0 : 1;
}
