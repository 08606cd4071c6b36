#include "base/function.h"

leat_status lt_call_put_text(lt_call *call, uint32_t row, const char *text, size_t bytes, leat_error *err) {
    return lt_string_copy(call->arena, text, bytes, &((lt_string *)call->result->values)[row], err);
}
