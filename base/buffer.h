// buffer: bytes that grow, for text and records that are being written.
//
// Ownership  owns its bytes; lt_buffer_take moves them out.   Threads  one at a time.
// Errors     LEAT_NO_MEMORY; LEAT_LIMIT beyond bytes_max; the buffer is then unchanged.   Cost  amortised O(1) a byte.
#ifndef LT_BASE_BUFFER_H
#define LT_BASE_BUFFER_H

#include "base/arena.h"

#include <string.h>

typedef struct lt_buffer {
    lt_account *account; // borrows
    char       *data;    // data[bytes] is always writable and NUL after an append
    size_t      bytes, capacity;
    size_t      bytes_max; // 0: none
} lt_buffer;

void               lt_buffer_init(lt_buffer *buffer, lt_account *account, size_t bytes_max);
leat_status        lt_buffer_reserve(lt_buffer *buffer, size_t more_bytes, leat_error *err);
leat_status        lt_buffer_append(lt_buffer *buffer, const void *bytes, size_t count, leat_error *err);
leat_status        lt_buffer_append_text(lt_buffer *buffer, const char *text, leat_error *err);
leat_status        lt_buffer_append_byte(lt_buffer *buffer, char byte, leat_error *err);
leat_status        lt_buffer_format(lt_buffer *buffer, leat_error *err, const char *format, ...) LT_PRINTF(3, 4);
static inline void lt_buffer_reset(lt_buffer *buffer) { buffer->bytes = 0; }
void               lt_buffer_deinit(lt_buffer *buffer);

// Fixed-width little-endian writing, for everything on disk.
leat_status lt_buffer_append_u8(lt_buffer *buffer, uint8_t value, leat_error *err);
leat_status lt_buffer_append_u32(lt_buffer *buffer, uint32_t value, leat_error *err);
leat_status lt_buffer_append_u64(lt_buffer *buffer, uint64_t value, leat_error *err);
leat_status lt_buffer_append_bytes(lt_buffer *buffer, const void *bytes, size_t count,
                                   leat_error *err); // u64 length + bytes

// Reading the same. Every call fails with CHECKPOINT_CORRUPT (LEAT_CORRUPT) when too few bytes remain.
typedef struct lt_reader {
    const char *next, *end; // borrows
} lt_reader;
leat_status lt_reader_u8(lt_reader *reader, uint8_t *out_value, leat_error *err);
leat_status lt_reader_u32(lt_reader *reader, uint32_t *out_value, leat_error *err);
leat_status lt_reader_u64(lt_reader *reader, uint64_t *out_value, leat_error *err);
leat_status lt_reader_bytes(lt_reader *reader, const char **out_bytes, size_t *out_count, leat_error *err); // a view

#endif
