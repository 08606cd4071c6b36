#include "base/function.h"

leat_status lt_call_put_text(lt_call *call, uint32_t row, const char *text, size_t bytes, leat_error *err) {
    return lt_string_copy(call->arena, text, bytes, &((lt_string *)call->result->values)[row], err);
}

leat_status lt_call_write_rows(lt_call *call, lt_row_writer write, leat_error *err) {
    lt_buffer   buffer;
    leat_status status = LEAT_OK;
    lt_buffer_init(&buffer, call->arena->account, LT_VALUE_BYTES_MAX);
    LT_EACH_ROW(call, row) {
        lt_buffer_reset(&buffer);
        status = write(call, row, &buffer, err);
        // A writer may have made the row NULL; its text is then empty and does no harm.
        if (status == LEAT_OK) status = lt_call_put_text(call, row, buffer.data, buffer.bytes, err);
        if (status != LEAT_OK) break;
    }
    lt_buffer_deinit(&buffer);
    return status;
}

leat_status lt_call_room(lt_call *call, size_t bytes, char **out, leat_error *err) {
    if (bytes > LT_VALUE_BYTES_MAX)
        return lt_call_raise(call, err, LT_LIMIT_EXCEEDED, "a value would have %zu bytes; at most %d are allowed",
                             bytes, LT_VALUE_BYTES_MAX);
    *out = lt_arena_alloc(call->arena, bytes);
    return *out == NULL ? lt_raise_no_memory(err) : LEAT_OK;
}

leat_status lt_call_append_view(lt_call *call, lt_vector *child, const char *data, size_t bytes, leat_error *err) {
    LT_TRY(lt_vector_reserve(child, child->lanes + 1, call->arena, err));
    LT_LANES(child, lt_string)[child->lanes++] = lt_string_view(data, bytes);
    return LEAT_OK;
}
