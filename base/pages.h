// pages: large blocks of memory straight from the system, on pages of 2 MiB where it has them.
//
//     2 MiB | 2 MiB | 2 MiB | 64 KiB ...        starts on a 2 MiB line; what nobody touches takes no memory
//
// State that is visited at random waits for page tables as much as for memory, and a page of 4 KiB costs the kernel as much
// as several KiB of work: both are five times less so. Growth moves page tables, no bytes.
//
// Ownership  a block is the caller's until lt_pages_free, which hears its size.  Threads  any.
// Errors     NULL without memory; a block that was to be resized stays as it is.
// Cost       system calls: blocks below LT_PAGES_BYTES_MIN are for malloc. The last 2 MiB of a block are small pages as
//            far as they are not whole, so that nothing is rounded up.
#ifndef LT_BASE_PAGES_H
#define LT_BASE_PAGES_H

#include <stddef.h>

enum { LT_PAGES_BYTES_MIN = 4 * 1024 * 1024 };

void *lt_pages_allocate(size_t bytes);
// Keeps what fits of the bytes.
void *lt_pages_resize(void *memory, size_t old_bytes, size_t new_bytes);
void  lt_pages_free(void *memory, size_t bytes);

#endif
