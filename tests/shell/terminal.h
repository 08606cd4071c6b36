// terminal: a program on a pseudo-terminal: what a person types and what the screen answers.
//
// A step sends bytes and waits until a text is on the screen behind what earlier steps saw, escape sequences removed.
// Nothing sleeps; a step that waits longer than 10 s fails the test. One program at a time.
#ifndef LT_TESTS_SHELL_TERMINAL_H
#define LT_TESTS_SHELL_TERMINAL_H

#include <stdbool.h>

extern int terminal_failures;

// Starts `path --no-init --color never` with `more` words, ended by NULL (may be NULL), on 40 rows of 100 columns.
void terminal_start(const char *path, const char *term, const char *const *more);
void terminal_step(const char *name, const char *keys, const char *wanted);
void terminal_resize(unsigned short rows, unsigned short columns);
bool terminal_has_echo(void); // lines and echo, as a terminal is left
void terminal_fail(const char *name, const char *what);
// Waits for its end; `wanted`: its exit code. The terminal has to be left with lines and echo.
void terminal_finish(const char *name, int wanted);

#endif
