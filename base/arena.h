// arena: memory that dies together. And the account that every allocation is charged to.
//
//     arena: [block 4 KiB | used....free] -> [block 64 KiB | used.......free] -> ...
//
// Ownership  an arena owns its blocks; what it hands out is never freed by hand and dies with lt_arena_reset or
// _deinit. Threads    an arena one at a time; an account any.
// Limits     the account's; beyond it and without memory every call gives NULL.
// Cost       amortised a pointer bump.
#ifndef LT_BASE_ARENA_H
#define LT_BASE_ARENA_H

#include "base/error.h"

#include <stdatomic.h>

// An allocator with a running total and a maximum; everything that can grow is charged to one.
typedef struct lt_account {
    leat_allocator     allocator;
    struct lt_account *parent; // charged too; NULL at the top
    _Atomic uint64_t   bytes;  // in use now
    _Atomic uint64_t   peak_bytes;
    uint64_t           bytes_max; // 0: none
} lt_account;

// `allocator` NULL: malloc. `parent` NULL: top account.
void lt_account_init(lt_account *account, const leat_allocator *allocator, lt_account *parent, uint64_t bytes_max);
// Like leat_allocator.reallocate: NULL when there is no memory or the maximum would be passed; the old block then
// stays. Freeing NULL does nothing, whatever the account.
void *lt_account_reallocate(lt_account *account, void *memory, size_t old_bytes, size_t new_bytes);
// Bytes that may still be charged, here and to all parents.
uint64_t lt_account_room(const lt_account *account);

// Arrays of one length that grow together.
typedef struct lt_account_array {
    void  *memory; // NULL: none yet
    size_t item_bytes;
} lt_account_array;
// Grows all of them from old_count to new_count items, new items zero, or none: on an error memory and account are as
// they were, so that the caller's one capacity stays true of every array. At most 8 arrays.
leat_status lt_account_grow(lt_account *account, lt_account_array *arrays, size_t array_count, size_t old_count,
                            size_t new_count, leat_error *err);

typedef struct lt_arena_block lt_arena_block;
typedef struct lt_arena {
    lt_account     *account; // borrows
    lt_arena_block *block;   // newest first
    char           *next, *end;
    size_t          used_bytes;
} lt_arena;

void lt_arena_init(lt_arena *arena, lt_account *account);
// At least `bytes`, aligned to 16; NULL without memory. Zero bytes give a valid pointer.
void *lt_arena_alloc(lt_arena *arena, size_t bytes);
void *lt_arena_zero(lt_arena *arena, size_t bytes); // filled with zeros
// A copy in larger memory, filled up with zeros; the old bytes stay with the arena.
void *lt_arena_larger(lt_arena *arena, const void *memory, size_t old_bytes, size_t new_bytes);
// Copies `bytes` of text and ends them with NUL.
char *lt_arena_text(lt_arena *arena, const char *text, size_t bytes);
// printf into the arena.
char *lt_arena_format(lt_arena *arena, const char *format, ...) LT_PRINTF(2, 3);
// Forgets everything handed out; keeps the largest block.
void lt_arena_reset(lt_arena *arena);
void lt_arena_deinit(lt_arena *arena);

#define LT_NEW(arena, type) ((type *)lt_arena_zero((arena), sizeof(type)))
#define LT_NEW_ARRAY(arena, type, count) ((type *)lt_arena_zero((arena), sizeof(type) * (size_t)(count)))
// Allocates into `pointer` or returns LEAT_NO_MEMORY from the enclosing function.
#define LT_TRY_NEW(pointer, arena, err)                                                                                \
    do {                                                                                                               \
        (pointer) = lt_arena_zero((arena), sizeof *(pointer));                                                         \
        if ((pointer) == NULL) return lt_raise_no_memory(err);                                                         \
    } while (0)
#define LT_TRY_NEW_ARRAY(pointer, arena, count, err)                                                                   \
    do {                                                                                                               \
        (pointer) = lt_arena_zero((arena), sizeof *(pointer) * (size_t)(count));                                       \
        if ((pointer) == NULL) return lt_raise_no_memory(err);                                                         \
    } while (0)
// Makes room for one more item: doubles an array of the account when it is full. `first`: items of the first block.
#define LT_TRY_GROW(items, account, count, capacity, first, err)                                                       \
    do {                                                                                                               \
        if ((count) < (capacity)) break;                                                                               \
        const size_t grow_count = (capacity) == 0 ? (first) : (size_t)(capacity)*2;                                    \
        void        *grow_memory =                                                                                     \
            lt_account_reallocate((account), (items), sizeof *(items) * (capacity), sizeof *(items)*grow_count);       \
        if (grow_memory == NULL) return lt_raise_no_memory(err);                                                       \
        (items)    = grow_memory;                                                                                      \
        (capacity) = (capacity) == 0 ? (first) : (capacity)*2;                                                         \
    } while (0)
// The same in an arena, from old_count to new_count items, the new ones zero; an old_count of 0 is fine.
#define LT_TRY_LARGER_ARRAY(pointer, arena, old_count, new_count, err)                                                 \
    do {                                                                                                               \
        void *larger_memory = lt_arena_larger((arena), (pointer), sizeof *(pointer) * (size_t)(old_count),             \
                                              sizeof *(pointer) * (size_t)(new_count));                                \
        if (larger_memory == NULL) return lt_raise_no_memory(err);                                                     \
        (pointer) = larger_memory;                                                                                     \
    } while (0)

#endif
