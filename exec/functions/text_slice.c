// Parts of a text or binary by position, and overlay. Positions count from 1, negative ones from the end; 0 is 1.
// Source: Spark SQL 4: UTF8String.substringSQL, ByteArray.subStringSQL, Overlay.
#include "base/function.h"
#include "base/utf8.h"

enum { LENGTH_REST = INT32_MAX };

// The slice of `length` characters (bytes) from `position`.
static lt_text slice(lt_text text, bool is_text, int64_t position, int64_t length) {
    int64_t count = (int64_t)(is_text ? lt_utf8_count(text.data, text.bytes) : text.bytes);
    int64_t start = position > 0 ? position - 1 : position < 0 ? count + position : 0;
    int64_t end   = length < 0 ? start : start + length;
    if (start < 0) start = 0;
    if (end > count) end = count;
    if (start >= end) return (lt_text){"", 0};
    if (!is_text) return (lt_text){text.data + start, (size_t)(end - start)};
    size_t from = lt_utf8_skip(text.data, text.bytes, 0, (size_t)start);
    size_t to   = lt_utf8_skip(text.data, text.bytes, from, (size_t)(end - start));
    return (lt_text){text.data + from, to - from};
}

static bool first_is_text(const lt_call *call) { return call->arguments[0]->type->kind == LT_STRING; }

static leat_status substring_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    bool is_text = first_is_text(call);
    LT_EACH_ROW(call, row) {
        int32_t length = call->argument_count > 2 ? LT_ARG(call, 2, int32_t, row) : LENGTH_REST;
        lt_text part   = slice(lt_arg_text(call, 0, row), is_text, LT_ARG(call, 1, int32_t, row), length);
        lt_call_put_view(call, row, part.data, part.bytes);
    }
    return LEAT_OK;
}

static leat_status left_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    bool is_text = first_is_text(call);
    LT_EACH_ROW(call, row) {
        lt_text part = slice(lt_arg_text(call, 0, row), is_text, 1, LT_ARG(call, 1, int32_t, row));
        lt_call_put_view(call, row, part.data, part.bytes);
    }
    return LEAT_OK;
}

static leat_status right_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        int64_t length = LT_ARG(call, 1, int32_t, row);
        lt_text part   = slice(lt_arg_text(call, 0, row), true, -length, length > 0 ? LENGTH_REST : 0);
        lt_call_put_view(call, row, part.data, part.bytes);
    }
    return LEAT_OK;
}

static leat_status overlay_evaluate(lt_call *call, leat_error *err) {
    bool is_text = first_is_text(call);
    LT_EACH_ROW(call, row) {
        lt_text text = lt_arg_text(call, 0, row), with = lt_arg_text(call, 1, row);
        int64_t position = LT_ARG(call, 2, int32_t, row);
        int64_t length   = call->argument_count > 3 ? LT_ARG(call, 3, int32_t, row) : -1;
        if (length < 0) length = (int64_t)(is_text ? lt_utf8_count(with.data, with.bytes) : with.bytes);
        lt_text head  = slice(text, is_text, 1, position - 1);
        lt_text tail  = slice(text, is_text, position + length, LENGTH_REST);
        size_t  bytes = head.bytes + with.bytes + tail.bytes;
        char   *room;
        LT_TRY(lt_call_room(call, bytes, &room, err));
        memcpy(room, head.data, head.bytes);
        memcpy(room + head.bytes, with.data, with.bytes);
        memcpy(room + head.bytes + with.bytes, tail.data, tail.bytes);
        lt_call_put_view(call, row, room, bytes);
    }
    return LEAT_OK;
}

#define SUBSTRING(function)                                                                                            \
    {.name           = function,                                                                                       \
     .takes          = {LT_TAKES_STRING_OR_BINARY, LT_TAKES_INT},                                                      \
     .returns        = LT_VOID,                                                                                        \
     .evaluate       = substring_evaluate,                                                                             \
     .display        = "$name($1, $2, 2147483647)",                                                                    \
     .summary        = "The part of a text or binary from a position, up to its end or of a length.",                  \
     .example        = "SELECT " function "('abcdef', 2, 3)",                                                          \
     .example_result = "bcd"},                                                                                         \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_STRING_OR_BINARY, LT_TAKES_INT, LT_TAKES_INT}, .returns = LT_VOID,        \
        .evaluate = substring_evaluate                                                                                 \
    }

#define BYTES LT_TAKES_BINARY | LT_TAKES_EXACT

const lt_function lt_functions_text_slice[] = {
    SUBSTRING("substring"),
    SUBSTRING("substr"),
    {.name           = "left",
     .takes          = {LT_TAKES_STRING_OR_BINARY, LT_TAKES_INT},
     .returns        = LT_VOID,
     .evaluate       = left_evaluate,
     .summary        = "The first characters.",
     .example        = "SELECT left('abcdef', 2)",
     .example_result = "ab"},
    {.name           = "right",
     .takes          = {LT_TAKES_STRING, LT_TAKES_INT},
     .returns        = LT_STRING,
     .evaluate       = right_evaluate,
     .summary        = "The last characters.",
     .example        = "SELECT right('abcdef', 2)",
     .example_result = "ef"},
    {.name           = "overlay",
     .takes          = {BYTES, BYTES, LT_TAKES_INT},
     .returns        = LT_BINARY,
     .can_fail       = true,
     .evaluate       = overlay_evaluate,
     .display        = "overlay($1, $2, $3, -1)",
     .summary        = "A text with the part from a position replaced; as long as the replacement, or of a length.",
     .example        = "SELECT overlay('abcdef' PLACING 'XX' FROM 3)",
     .example_result = "abXXef"},
    {.name     = "overlay",
     .takes    = {BYTES, BYTES, LT_TAKES_INT, LT_TAKES_INT},
     .returns  = LT_BINARY,
     .can_fail = true,
     .evaluate = overlay_evaluate},
    {.name     = "overlay",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = overlay_evaluate,
     .display  = "overlay($1, $2, $3, -1)"},
    {.name     = "overlay",
     .takes    = {LT_TAKES_STRING, LT_TAKES_STRING, LT_TAKES_INT, LT_TAKES_INT},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = overlay_evaluate},
    {0},
};
