#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Blocks double from 4 KiB to 2 MiB; a larger request gets a block of its own size.
enum { BLOCK_BYTES_MIN = 4096, BLOCK_BYTES_MAX = 2 * 1024 * 1024, ALIGNMENT = 16 };

struct lt_arena_block {
    lt_arena_block *older;
    size_t          bytes; // of the whole block, header included
};

static void *reallocate_malloc(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)old_bytes;
    if (new_bytes == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_bytes);
}

void lt_account_init(lt_account *account, const leat_allocator *allocator, lt_account *parent, uint64_t bytes_max) {
    *account           = (lt_account){.parent = parent, .bytes_max = bytes_max};
    account->allocator = allocator != NULL ? *allocator : (leat_allocator){.reallocate = reallocate_malloc};
}

uint64_t lt_account_room(const lt_account *account) {
    uint64_t room = UINT64_MAX;
    for (const lt_account *a = account; a != NULL; a = a->parent) {
        if (a->bytes_max == 0) continue;
        const uint64_t used = atomic_load_explicit(&a->bytes, memory_order_relaxed);
        const uint64_t left = used < a->bytes_max ? a->bytes_max - used : 0;
        if (left < room) room = left;
    }
    return room;
}

// Counters are facts about sums, which order no other memory: relaxed.
static void discharge(lt_account *account, const lt_account *end, size_t bytes) {
    for (lt_account *a = account; a != end; a = a->parent)
        atomic_fetch_sub_explicit(&a->bytes, bytes, memory_order_relaxed);
}

static bool charge(lt_account *account, size_t bytes) {
    for (lt_account *a = account; a != NULL; a = a->parent) {
        const uint64_t sum = atomic_fetch_add_explicit(&a->bytes, bytes, memory_order_relaxed) + bytes;
        if (a->bytes_max == 0 || sum <= a->bytes_max) continue;
        discharge(account, a->parent, bytes);
        return false;
    }
    return true;
}

static void note_peaks(lt_account *account) {
    for (lt_account *a = account; a != NULL; a = a->parent) {
        const uint64_t bytes = atomic_load_explicit(&a->bytes, memory_order_relaxed);
        uint64_t       peak  = atomic_load_explicit(&a->peak_bytes, memory_order_relaxed);
        while (bytes > peak && !atomic_compare_exchange_weak_explicit(&a->peak_bytes, &peak, bytes,
                                                                      memory_order_relaxed, memory_order_relaxed)) {
        }
    }
}

void *lt_account_reallocate(lt_account *account, void *memory, size_t old_bytes, size_t new_bytes) {
    lt_assert(memory != NULL || old_bytes == 0);
    if (memory == NULL && new_bytes == 0) return NULL; // also of a state whose opening failed before it had an account
    if (new_bytes > old_bytes && !charge(account, new_bytes - old_bytes)) return NULL;
    void *moved = account->allocator.reallocate(account->allocator.user, memory, old_bytes, new_bytes);
    if (moved == NULL && new_bytes > 0) {
        if (new_bytes > old_bytes) discharge(account, NULL, new_bytes - old_bytes);
        return NULL;
    }
    if (new_bytes < old_bytes) discharge(account, NULL, old_bytes - new_bytes);
    if (new_bytes > old_bytes) note_peaks(account);
    return moved;
}

leat_status lt_account_grow(lt_account *account, lt_account_array *arrays, size_t array_count, size_t old_count,
                            size_t new_count, leat_error *err) {
    enum { ARRAYS_MAX = 8 };
    void *grown[ARRAYS_MAX];
    lt_assert(array_count <= ARRAYS_MAX && new_count > old_count);
    for (size_t i = 0; i < array_count; i++) {
        grown[i] = lt_account_reallocate(account, NULL, 0, arrays[i].item_bytes * new_count);
        if (grown[i] != NULL) continue;
        while (i-- > 0) (void)lt_account_reallocate(account, grown[i], arrays[i].item_bytes * new_count, 0);
        return lt_raise_no_memory(err);
    }
    for (size_t i = 0; i < array_count; i++) {
        const size_t old_bytes = arrays[i].item_bytes * old_count;
        if (old_bytes > 0) memcpy(grown[i], arrays[i].memory, old_bytes);
        memset((char *)grown[i] + old_bytes, 0, arrays[i].item_bytes * new_count - old_bytes);
        if (arrays[i].memory != NULL) (void)lt_account_reallocate(account, arrays[i].memory, old_bytes, 0);
        arrays[i].memory = grown[i];
    }
    return LEAT_OK;
}

void lt_arena_init(lt_arena *arena, lt_account *account) { *arena = (lt_arena){.account = account}; }

static size_t header_bytes(void) { return (sizeof(lt_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void *block_add(lt_arena *arena, size_t bytes) {
    size_t block_bytes = arena->block == NULL ? BLOCK_BYTES_MIN : arena->block->bytes * 2;
    if (block_bytes > BLOCK_BYTES_MAX) block_bytes = BLOCK_BYTES_MAX;
    if (bytes > SIZE_MAX / 2) return NULL;
    if (block_bytes < bytes + header_bytes()) block_bytes = bytes + header_bytes();
    lt_arena_block *block = lt_account_reallocate(arena->account, NULL, 0, block_bytes);
    if (block == NULL) return NULL;
    *block       = (lt_arena_block){.older = arena->block, .bytes = block_bytes};
    arena->block = block;
    arena->next  = (char *)block + header_bytes();
    arena->end   = (char *)block + block_bytes;
    void *memory = arena->next;
    arena->next += bytes;
    arena->used_bytes += bytes;
    return memory;
}

void *lt_arena_alloc(lt_arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->next == NULL || (size_t)(arena->end - arena->next) < bytes) return block_add(arena, bytes);
    void *memory = arena->next;
    arena->next += bytes;
    arena->used_bytes += bytes;
    return memory;
}

void *lt_arena_zero(lt_arena *arena, size_t bytes) {
    void *memory = lt_arena_alloc(arena, bytes);
    if (memory != NULL) memset(memory, 0, bytes);
    return memory;
}

void *lt_arena_larger(lt_arena *arena, const void *memory, size_t old_bytes, size_t new_bytes) {
    char *larger = lt_arena_alloc(arena, new_bytes);
    if (larger == NULL) return NULL;
    if (old_bytes > 0) memcpy(larger, memory, old_bytes);
    memset(larger + old_bytes, 0, new_bytes - old_bytes);
    return larger;
}

char *lt_arena_text(lt_arena *arena, const char *text, size_t bytes) {
    char *copy = bytes < SIZE_MAX ? lt_arena_alloc(arena, bytes + 1) : NULL;
    if (copy == NULL) return NULL;
    if (bytes > 0) memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

char *lt_arena_format(lt_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = bytes < 0 ? NULL : lt_arena_alloc(arena, (size_t)bytes + 1);
    if (text == NULL) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)bytes + 1, format, arguments);
    va_end(arguments);
    return text;
}

void lt_arena_reset(lt_arena *arena) {
    lt_arena_block *kept = arena->block; // blocks grow, so the newest is among the largest
    if (kept == NULL) return;
    for (lt_arena_block *block = kept->older; block != NULL;) {
        lt_arena_block *older = block->older;
        lt_account_reallocate(arena->account, block, block->bytes, 0);
        block = older;
    }
    kept->older       = NULL;
    arena->next       = (char *)kept + header_bytes();
    arena->end        = (char *)kept + kept->bytes;
    arena->used_bytes = 0;
}

void lt_arena_deinit(lt_arena *arena) {
    for (lt_arena_block *block = arena->block; block != NULL;) {
        lt_arena_block *older = block->older;
        lt_account_reallocate(arena->account, block, block->bytes, 0);
        block = older;
    }
    *arena = (lt_arena){.account = arena->account};
}
