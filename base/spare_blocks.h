// spare_blocks: an allocator that keeps large blocks which were given back, for the next ones.
//
//     give back 4 MiB -> [4 MiB][1 MiB][2 MiB] -> take 3 MiB: the 4 MiB block, cut
//
// The C library hands large blocks back to the system, and a system call and a page fault for each 4 KiB bring the next
// one: a fifth of a query that builds a hash table of some MiB. Small blocks pass through. Spare blocks and those in use
// are, small blocks aside, never more than what was once in use at the same time: nobody's peak grows.
//
// Ownership  owns the spare blocks; deinit frees them.   Threads  any.   Limits  the account's peak; LT_SPARE_BYTES_MAX.
// Cost       a lock and a look at the spare blocks for each large one. Nothing is kept under the address sanitizer, which
//            could not tell a stale pointer into a spare block.
#ifndef LT_BASE_SPARE_BLOCKS_H
#define LT_BASE_SPARE_BLOCKS_H

#include "base/arena.h"

#include <pthread.h>

enum { LT_SPARE_COUNT_MAX = 32, LT_SPARE_BLOCK_BYTES_MIN = 512 * 1024, LT_SPARE_BYTES_MAX = 256 * 1024 * 1024 };

typedef struct lt_spare_block {
    void  *memory;
    size_t bytes;
} lt_spare_block;

typedef struct lt_spare_blocks {
    leat_allocator    inner;
    const lt_account *account; // whose blocks these are; borrows
    pthread_mutex_t   lock;
    lt_spare_block    items[LT_SPARE_COUNT_MAX]; // oldest first
    uint32_t          count;
    size_t            bytes;
} lt_spare_blocks;

// Over malloc, for the account that uses it. The allocator is good until deinit; the struct must not move.
void           lt_spare_blocks_init(lt_spare_blocks *self, const lt_account *account);
leat_allocator lt_spare_blocks_allocator(lt_spare_blocks *self);
void           lt_spare_blocks_deinit(lt_spare_blocks *self);

#endif
