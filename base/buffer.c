#include "base/buffer.h"

#include <stdio.h>

void lt_buffer_init(lt_buffer *buffer, lt_account *account, size_t bytes_max) {
    *buffer = (lt_buffer){.account = account, .bytes_max = bytes_max};
}

leat_status lt_buffer_reserve(lt_buffer *buffer, size_t more_bytes, leat_error *err) {
    if (buffer->capacity > 0 && more_bytes < buffer->capacity - buffer->bytes) return LEAT_OK;
    if (more_bytes >= SIZE_MAX / 4) return lt_raise_no_memory(err);
    if (buffer->bytes_max != 0 && buffer->bytes + more_bytes > buffer->bytes_max)
        return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a value would have more than %zu bytes", buffer->bytes_max);
    size_t capacity = buffer->capacity < 64 ? 64 : buffer->capacity * 2;
    while (capacity <= buffer->bytes + more_bytes) capacity *= 2;
    char *data = lt_account_reallocate(buffer->account, buffer->data, buffer->capacity, capacity);
    if (data == NULL) return lt_raise_no_memory(err);
    buffer->data     = data;
    buffer->capacity = capacity;
    return LEAT_OK;
}

leat_status lt_buffer_append(lt_buffer *buffer, const void *bytes, size_t count, leat_error *err) {
    LT_TRY(lt_buffer_reserve(buffer, count, err));
    if (count > 0) memcpy(buffer->data + buffer->bytes, bytes, count);
    buffer->bytes += count;
    buffer->data[buffer->bytes] = '\0';
    return LEAT_OK;
}

leat_status lt_buffer_append_text(lt_buffer *buffer, const char *text, leat_error *err) {
    return lt_buffer_append(buffer, text, strlen(text), err);
}

leat_status lt_buffer_append_byte(lt_buffer *buffer, char byte, leat_error *err) {
    return lt_buffer_append(buffer, &byte, 1, err);
}

leat_status lt_buffer_format(lt_buffer *buffer, leat_error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a format failed");
    LT_TRY(lt_buffer_reserve(buffer, (size_t)count, err));
    va_start(arguments, format);
    vsnprintf(buffer->data + buffer->bytes, (size_t)count + 1, format, arguments);
    va_end(arguments);
    buffer->bytes += (size_t)count;
    return LEAT_OK;
}

void lt_buffer_deinit(lt_buffer *buffer) {
    lt_account_reallocate(buffer->account, buffer->data, buffer->capacity, 0);
    *buffer = (lt_buffer){.account = buffer->account, .bytes_max = buffer->bytes_max};
}

leat_status lt_buffer_append_u8(lt_buffer *buffer, uint8_t value, leat_error *err) {
    return lt_buffer_append(buffer, &value, 1, err);
}

leat_status lt_buffer_append_u32(lt_buffer *buffer, uint32_t value, leat_error *err) {
    unsigned char bytes[4];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    return lt_buffer_append(buffer, bytes, sizeof bytes, err);
}

leat_status lt_buffer_append_u64(lt_buffer *buffer, uint64_t value, leat_error *err) {
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    return lt_buffer_append(buffer, bytes, sizeof bytes, err);
}

leat_status lt_buffer_append_bytes(lt_buffer *buffer, const void *bytes, size_t count, leat_error *err) {
    LT_TRY(lt_buffer_append_u64(buffer, count, err));
    return lt_buffer_append(buffer, bytes, count, err);
}

static leat_status reader_need(const lt_reader *reader, uint64_t count, leat_error *err) {
    uint64_t left = (uint64_t)(reader->end - reader->next);
    if (count <= left) return LEAT_OK;
    return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a record ends too early: %llu bytes wanted, %llu left",
                    (unsigned long long)count, (unsigned long long)left);
}

static uint64_t little_endian(const char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

leat_status lt_reader_u8(lt_reader *reader, uint8_t *out_value, leat_error *err) {
    LT_TRY(reader_need(reader, 1, err));
    *out_value = (uint8_t)*reader->next++;
    return LEAT_OK;
}

leat_status lt_reader_u32(lt_reader *reader, uint32_t *out_value, leat_error *err) {
    LT_TRY(reader_need(reader, 4, err));
    *out_value = (uint32_t)little_endian(reader->next, 4);
    reader->next += 4;
    return LEAT_OK;
}

leat_status lt_reader_u64(lt_reader *reader, uint64_t *out_value, leat_error *err) {
    LT_TRY(reader_need(reader, 8, err));
    *out_value = little_endian(reader->next, 8);
    reader->next += 8;
    return LEAT_OK;
}

leat_status lt_reader_bytes(lt_reader *reader, const char **out_bytes, size_t *out_count, leat_error *err) {
    uint64_t count = 0;
    LT_TRY(lt_reader_u64(reader, &count, err));
    LT_TRY(reader_need(reader, count, err));
    *out_bytes = reader->next;
    *out_count = (size_t)count;
    reader->next += count;
    return LEAT_OK;
}
