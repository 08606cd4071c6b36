#include "base/pages.h"

#include <stdint.h>

// Regions start on a 2 MiB line at both ends of a move, so that the kernel moves entries for whole 2 MiB pages. Without
// Linux, and in builds with a sanitizer, which is to see the borders of blocks, malloc takes their place.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LT_HAS_PAGES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LT_HAS_PAGES 0
#endif
#endif
#if !defined(LT_HAS_PAGES) && defined(__linux__)
#define LT_HAS_PAGES 1
#endif

// No system has more.
#define BYTES_MAX (SIZE_MAX / 8)

#if LT_HAS_PAGES
#include <sys/mman.h>

enum { LINE_BYTES = 2 * 1024 * 1024, UNIT_BYTES = 64 * 1024 }; // a unit is a multiple of any system's small page

static size_t units(size_t bytes) { return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES; }

// Addresses for `bytes`, from a 2 MiB line on.
static char *region_reserve(size_t bytes) {
    const size_t length = units(bytes) + LINE_BYTES;
    char        *start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return NULL;
    const size_t before = (LINE_BYTES - (uintptr_t)start % LINE_BYTES) % LINE_BYTES;
    if (before > 0) (void)munmap(start, before);
    (void)munmap(start + before + units(bytes), LINE_BYTES - before);
    return start + before;
}

void *lt_pages_allocate(size_t bytes) {
    char *memory = bytes > BYTES_MAX ? NULL : region_reserve(bytes);
    if (memory != NULL) (void)madvise(memory, units(bytes), MADV_HUGEPAGE); // a hint: refused, the pages are small ones
    return memory;
}

void *lt_pages_resize(void *memory, size_t old_bytes, size_t new_bytes) {
    const size_t old = units(old_bytes), wanted = units(new_bytes);
    if (new_bytes > BYTES_MAX) return NULL;
    if (old == wanted) return memory;
    if (wanted < old) {
        (void)munmap((char *)memory + wanted, old - wanted);
        return memory;
    }
    if (mremap(memory, old, wanted, 0) != MAP_FAILED) return memory;
    char *moved = region_reserve(new_bytes);
    if (moved == NULL) return NULL;
    if (mremap(memory, old, wanted, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == MAP_FAILED) {
        (void)munmap(moved, wanted);
        return NULL;
    }
    (void)madvise(moved, wanted, MADV_HUGEPAGE);
    return moved;
}

void lt_pages_free(void *memory, size_t bytes) { (void)munmap(memory, units(bytes)); }
#else
#include <stdlib.h>

void *lt_pages_allocate(size_t bytes) { return bytes > BYTES_MAX ? NULL : realloc(NULL, bytes); }
void *lt_pages_resize(void *memory, size_t old_bytes, size_t new_bytes) {
    (void)old_bytes;
    return new_bytes > BYTES_MAX ? NULL : realloc(memory, new_bytes);
}
void lt_pages_free(void *memory, size_t bytes) {
    (void)bytes;
    free(memory);
}
#endif
