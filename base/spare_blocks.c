#include "base/spare_blocks.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { KEEPS_BLOCKS = 0 };
#else
enum { KEEPS_BLOCKS = 1 };
#endif

static void item_remove(lt_spare_blocks *self, uint32_t i) {
    self->bytes -= self->items[i].bytes;
    self->count--;
    memmove(&self->items[i], &self->items[i + 1], sizeof self->items[0] * (self->count - i));
}

static void block_free(const lt_spare_blocks *self, lt_spare_block block) {
    (void)self->inner.reallocate(self->inner.user, block.memory, block.bytes, 0);
}

// Room for spare blocks beside `in_use` bytes.
static size_t room_beside(const lt_spare_blocks *self, uint64_t in_use) {
    const uint64_t peak = atomic_load_explicit(&self->account->peak_bytes, memory_order_relaxed);
    const uint64_t room = peak > in_use ? peak - in_use : 0;
    return room < LT_SPARE_BYTES_MAX ? (size_t)room : LT_SPARE_BYTES_MAX;
}

// Keeps a block (.memory NULL: none comes), and frees the oldest ones until all have room.
static void block_keep(lt_spare_blocks *self, lt_spare_block block, size_t room) {
    lt_spare_block gone[LT_SPARE_COUNT_MAX + 1];
    uint32_t       gone_count = 0;
    pthread_mutex_lock(&self->lock);
    while (self->count > 0 && (self->bytes + block.bytes > room || self->count == LT_SPARE_COUNT_MAX)) {
        gone[gone_count++] = self->items[0];
        item_remove(self, 0);
    }
    if (block.memory != NULL && block.bytes > room) {
        gone[gone_count++] = block;
    } else if (block.memory != NULL) {
        self->items[self->count++] = block;
        self->bytes += block.bytes;
    }
    pthread_mutex_unlock(&self->lock);
    while (gone_count > 0) block_free(self, gone[--gone_count]);
}

// The smallest spare block that holds `bytes` and is not twice as large; .memory NULL: there is none.
static lt_spare_block block_find(lt_spare_blocks *self, size_t bytes) {
    lt_spare_block found = {.memory = NULL};
    uint32_t       best  = LT_SPARE_COUNT_MAX;
    pthread_mutex_lock(&self->lock);
    for (uint32_t i = 0; i < self->count; i++) {
        const size_t has = self->items[i].bytes;
        if (has >= bytes && has / 2 <= bytes && (best == LT_SPARE_COUNT_MAX || has < self->items[best].bytes)) best = i;
    }
    if (best != LT_SPARE_COUNT_MAX) {
        found = self->items[best];
        item_remove(self, best);
    }
    pthread_mutex_unlock(&self->lock);
    return found;
}

// The account counts a block in before it is made, and out after it is gone.
static void *reallocate(void *user, void *memory, size_t old_bytes, size_t new_bytes) {
    lt_spare_blocks *self   = user;
    const uint64_t   in_use = atomic_load_explicit(&self->account->bytes, memory_order_relaxed);
    if (KEEPS_BLOCKS && new_bytes == 0 && old_bytes >= LT_SPARE_BLOCK_BYTES_MIN) {
        block_keep(self, (lt_spare_block){memory, old_bytes}, room_beside(self, in_use - old_bytes));
        return NULL;
    }
    if (memory == NULL && new_bytes >= LT_SPARE_BLOCK_BYTES_MIN) {
        const lt_spare_block found = block_find(self, new_bytes);
        if (found.memory != NULL && found.bytes == new_bytes) return found.memory;
        if (found.memory != NULL) return self->inner.reallocate(self->inner.user, found.memory, found.bytes, new_bytes);
    }
    if (new_bytes >= LT_SPARE_BLOCK_BYTES_MIN)
        block_keep(self, (lt_spare_block){.memory = NULL}, room_beside(self, in_use));
    return self->inner.reallocate(self->inner.user, memory, old_bytes, new_bytes);
}

void lt_spare_blocks_init(lt_spare_blocks *self, const lt_account *account) {
    lt_account plain;
    lt_account_init(&plain, NULL, NULL, 0);
    *self = (lt_spare_blocks){.inner = plain.allocator, .account = account};
    pthread_mutex_init(&self->lock, NULL);
}

leat_allocator lt_spare_blocks_allocator(lt_spare_blocks *self) {
    return (leat_allocator){.reallocate = reallocate, .user = self};
}

void lt_spare_blocks_deinit(lt_spare_blocks *self) {
    while (self->count > 0) block_free(self, self->items[--self->count]);
    pthread_mutex_destroy(&self->lock);
}
