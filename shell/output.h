// output: where results go: bytes in, system calls out, in blocks. Sinks of standing queries write from worker threads.
//
//     lt_output_write ... lt_output_write -> [64 KiB] -> write(2)         lt_output_flush: what is there goes now
//
// While a line is being typed on the same terminal, writing is held back: lt_output_hold; lt_output_release shows it.
//
// Ownership  opens and closes its descriptor, except the standard ones.      Threads  any.
// Errors     kept: lt_output_failure. EPIPE is no failure: the reader has left, further bytes are dropped.
#ifndef LT_SHELL_OUTPUT_H
#define LT_SHELL_OUTPUT_H

#include "shell/text.h"

#include <pthread.h>

typedef struct lt_output {
    int             descriptor;
    bool            is_terminal, is_own; // is_own: closed at the end
    bool            is_held;
    bool            has_reader_left;
    int             failure; // errno of the first failed write, or 0
    char           *path;    // or NULL
    lt_shell_text   pending;
    pthread_mutex_t lock;
} lt_output;

void lt_output_init(lt_output *output, int descriptor);
// Opens `path` for writing, from its start. Returns 0 or an errno value.
int  lt_output_open(lt_output *output, const char *path);
void lt_output_write(lt_output *output, const char *bytes, size_t count);
void lt_output_put(lt_output *output, const char *text);
void lt_output_flush(lt_output *output);
void lt_output_hold(lt_output *output, bool is_held);
bool lt_output_has_held(lt_output *output);
int  lt_output_close(lt_output *output); // flushes; 0 or an errno value
int  lt_output_failure(lt_output *output);
bool lt_output_reader_left(lt_output *output);

#endif
