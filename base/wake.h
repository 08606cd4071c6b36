// wake: a descriptor that is readable while something waits to be done: for poll, select and event loops, and for a
// thread of leat's own callers to wait on.
//
//     set  set  ->  readable  ->  clear  ->  not readable            add: also readable while another descriptor is
//
// Ownership  owns a pipe from the first call of descriptor or open on; before that nothing is open.
// Threads    one at a time: callers serialise; wait may run beside the others.
// Cost       a system call; setting twice keeps one byte.
#ifndef LT_BASE_WAKE_H
#define LT_BASE_WAKE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lt_wake {
    int  read_end, write_end; // -1: not open
    int  group;               // of read_end and what was added; -1: read_end alone
    bool is_set;
} lt_wake;

void lt_wake_init(lt_wake *wake);
int  lt_wake_descriptor(lt_wake *wake); // readable at first; -1: the system gives none
// The descriptor is also readable while `other` is, which is never read here. Nothing without a descriptor so far.
void lt_wake_add(lt_wake *wake, int other);
bool lt_wake_open(lt_wake *wake); // for wait; not set at first
void lt_wake_set(lt_wake *wake);
void lt_wake_clear(lt_wake *wake);
// Returns when `read_end` or `other` (-1: none) is readable, after timeout_us, or when a signal came.
void lt_wake_wait(int read_end, int other, int64_t timeout_us);
void lt_wake_deinit(lt_wake *wake);

#endif
