// wake: a descriptor that is readable while something waits to be done: for poll, select and event loops.
//
//     set  set  ->  readable  ->  clear  ->  not readable
//
// Ownership  owns a pipe from the first call of descriptor on; before that nothing is open.
// Threads    one at a time: callers serialise.      Cost  a system call; setting twice keeps one byte.
#ifndef LT_BASE_WAKE_H
#define LT_BASE_WAKE_H

#include <stdbool.h>

typedef struct lt_wake {
    int  read_end, write_end; // -1: not open
    bool is_set;
} lt_wake;

void lt_wake_init(lt_wake *wake);
int  lt_wake_descriptor(lt_wake *wake); // readable at first; -1: the system gives none
void lt_wake_set(lt_wake *wake);
void lt_wake_clear(lt_wake *wake);
void lt_wake_deinit(lt_wake *wake);

#endif
