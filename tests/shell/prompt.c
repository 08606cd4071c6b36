// prompt: the program on a pseudo-terminal: typed and pasted statements, interrupts, history.
#include "tests/shell/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void typed_session(const char *path) {
    terminal_start(path, "xterm", NULL);
    terminal_step("greeting", "", ".help for help");
    terminal_step("prompt", "", "leat> ");
    terminal_step("box", "SELECT upper('hello') AS x;\r", "│ HELLO");
    terminal_step("ready", "", "leat> ");
    terminal_step("open statement", "SELECT 1\r", "leat-");
    terminal_step("interrupt drops it", "\003", "leat> ");
    terminal_step("next is whole", "SELECT 2 AS y;\r", "│   2 │");
    terminal_step("open string", "SELECT 'a\r", "leat'");
    terminal_step("interrupt", "\003", "leat> ");
    terminal_step("error", "SELECT nope;\r", "UNRESOLVED_COLUMN");
    terminal_step("caret", "", "^^^^");
    terminal_step("ready again", "", "leat> ");
    terminal_step("running statement",
                  "SELECT count(*) AS n FROM range(1000000000) a JOIN range(1000) b ON a.id % 7 < b.id;\r", "");
    terminal_step("sees the line end", "", "\n");
    usleep(300000); // let the statement begin: an interrupt before it would only drop a line
    terminal_step("interrupt stops it", "\003", "interrupted");
    terminal_step("shell lives", "SELECT 3 AS z;\r", "│   3 │");
    terminal_step("stream", "CREATE STREAM g (value BIGINT) WITH (connector = 'generator', rowsPerSecond = 10);\r",
                  "leat> ");
    terminal_step("view", "CREATE MATERIALIZED VIEW q AS SELECT count(*) AS n FROM g;\r", "leat[1]> ");
    terminal_step("interrupt at the empty prompt", "\003", "leat[1]> ");
    terminal_step("query lives", "SELECT state FROM leat_queries;\r", "RUNNING");
    terminal_step("ready with a query", "", "leat[1]> ");
    terminal_step("completion", "SELECT stat\t", "");
    terminal_step("of a keyword", "\003", "leat[1]> ");
    terminal_step("completes DESCRIBE", "DESCRI\t", "DESCRIBE ");
    terminal_step("interrupt after it", "\003", "leat[1]> ");
    terminal_step("history", "\033[A", "SELECT state FROM leat_queries;");
    terminal_step("runs again", "\r", "RUNNING");
    terminal_step("ready at the end", "", "leat[1]> ");
    usleep(200000); // as below
    terminal_step("end of input", "\004", "\n");
    terminal_finish("typed session", 0);
}

static void pasted_session(const char *path, bool has_marks) {
    static const char paste[] = "SELECT 1\n  AS first;\nSELECT 'a\n\n\tb' AS second; SELECT 3 AS third;\n";
    char              text[256];
    const char       *name = has_marks ? "paste with marks" : "paste without marks";
    terminal_start(path, "xterm", NULL);
    terminal_step(name, "", "leat> ");
    snprintf(text, sizeof text, "%s%s%s", has_marks ? "\033[200~" : "", paste, has_marks ? "\033[201~" : "");
    terminal_step(name, text, "│ first");
    terminal_step(name, "", "│     1");
    terminal_step(name, "", "│ second");
    terminal_step(name, "", "│ a\\n\\n\\tb");
    terminal_step(name, "", "│ third");
    terminal_step(name, "", "│     3");
    terminal_step(name, "", "leat> ");
    terminal_step(name, "\033[A", "SELECT 3 AS third;");
    terminal_step(name, "\r", "│     3");
    terminal_step(name, "", "leat> ");
    usleep(200000); // a Ctrl-D that meets the change of the terminal's mode is no end of input
    terminal_step(name, "\004", "\n");
    terminal_finish(name, 0);
}

static void plain_session(const char *path) {
    terminal_start(path, "dumb", NULL);
    terminal_step("dumb", "", "leat> ");
    terminal_step("dumb", "SELECT 1\n", "leat- ");
    terminal_step("dumb", "AS x;\n", "│   1");
    terminal_step("dumb", "", "leat> ");
    terminal_step("dumb", ".quit 5\n", "");
    terminal_finish("dumb", 5);
}

// Files behind an open quote and behind commands that take one; formats behind USING.
static void completing_session(const char *path) {
    terminal_start(path, "xterm", NULL);
    terminal_step("ready", "", "leat> ");
    terminal_step("a folder goes on", "SELECT * FROM json.`ord\t", "json.`orders/");
    terminal_step("a file closes the name", "ma\t", "orders/may.json`");
    terminal_step("and is read", ";\r", "\u2502      7 \u2502");
    terminal_step("ready", "", "leat> ");
    terminal_step("in a string", "CREATE STREAM s (n INT) USING js\t", "USING json ");
    terminal_step("of an option", "OPTIONS (path 'ord\t", "'orders/");
    terminal_step("which ends", "');\r", "stream s");
    terminal_step("ready", "", "leat> ");
    terminal_step("tables and streams", ".tables\r", "\u2502 s      \u2502 STREAM \u2502");
    terminal_step("ready", "", "leat> ");
    terminal_step("help without a dot", "help\r", ".help WORD searches");
    terminal_step("ready", "", "leat> ");
    terminal_step("a command's file", ".read orders/sc\t", "orders/script.sql");
    terminal_step("is read", "\r", "\u2502   5 \u2502");
    terminal_step("ready", "", "leat> ");
    terminal_step("the end without a dot", "quit;\r", "\n");
    terminal_finish("completing", 0);
}

// A result taller than the screen goes to the pager, whole; a short one does not.
static void paged_session(const char *path) {
    setenv("PAGER", "sed 's/^/paged /'", 1);
    terminal_start(path, "xterm", NULL);
    terminal_step("ready", "", "leat> ");
    terminal_step("off at first", "SELECT id FROM range(100);\r", "100 rows");
    terminal_step("shortened, and says so", "", "60 shown");
    terminal_step("ready", "", "leat> ");
    terminal_step("on", ".pager on\r", "leat> ");
    terminal_step("a tall result", "SELECT id FROM range(100);\r", "paged \u2502     50 \u2502");
    terminal_step("to its end", "", "paged \u2502     99 \u2502");
    terminal_step("with its footer", "", "100 rows");
    terminal_step("ready", "", "leat> ");
    terminal_step("a short one", "SELECT 42 AS x;\r", "\n\u2502  42 \u2502");
    terminal_step("ready", "", "leat> ");
    terminal_step("end", ".quit\r", "\n");
    terminal_finish("paged", 0);
    static const char *const safe[] = {"--safe", NULL};
    terminal_start(path, "xterm", safe);
    terminal_step("ready", "", "leat> ");
    terminal_step("no pager", ".pager on\r", "not permitted under --safe");
    terminal_step("ready", "", "leat> ");
    terminal_step("end", ".quit\r", "\n");
    terminal_finish("safe", 0);
}

static void file_put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) terminal_fail(path, "cannot be written");
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
        terminal_failures++;
        printf("history: not there, or readable by others\n");
    }
    pasted_session(words[1], true);
    pasted_session(words[1], false);
    plain_session(words[1]);
    if (chdir(folder) != 0 || mkdir("orders", 0700) != 0) return 2;
    file_put("orders/may.json", "{\"n\":7}\n");
    file_put("orders/script.sql", "SELECT 5 AS n;\n");
    completing_session(words[1]);
    paged_session(words[1]);
    unlink("orders/may.json");
    unlink("orders/script.sql");
    rmdir("orders");
    unlink(path);
    for (char *at = path + strlen(path); at > path + strlen(folder); at--)
        if (*at == '/') {
            *at = '\0';
            rmdir(path);
        }
    rmdir(folder);
    return terminal_failures == 0 ? 0 : 1;
}
