// Text or bytes brought to a length, and repeated. Lengths count characters of text, bytes of a binary.
// Source: Spark SQL 4: UTF8String.lpad, ByteArray.lpad.
#include "base/function.h"
#include "base/utf8.h"

typedef struct padding {
    lt_text text, pad;
    int64_t missing; // characters or bytes to add; <= 0: cut to `wanted`
    int64_t wanted;
    bool    is_text;
} padding;

static padding padding_of(lt_call *call, uint32_t row) {
    padding self = {.text = lt_arg_text(call, 0, row), .wanted = LT_ARG(call, 1, int32_t, row)};
    self.is_text = call->arguments[0]->type->kind == LT_STRING;
    self.pad     = call->argument_count > 2 ? lt_arg_text(call, 2, row) : (lt_text){self.is_text ? " " : "", 1};
    if (self.wanted < 0) self.wanted = 0;
    self.missing =
        self.wanted - (int64_t)(self.is_text ? lt_utf8_count(self.text.data, self.text.bytes) : self.text.bytes);
    if (self.pad.bytes == 0) self.missing = 0;
    return self;
}

static leat_status pad_rows(lt_call *call, bool is_left, leat_error *err) {
    LT_EACH_ROW(call, row) {
        padding self = padding_of(call, row);
        if (self.missing <= 0) {
            size_t end = self.is_text ? lt_utf8_skip(self.text.data, self.text.bytes, 0, (size_t)self.wanted)
                         : self.text.bytes < (size_t)self.wanted ? self.text.bytes
                                                                 : (size_t)self.wanted;
            lt_call_put_view(call, row, self.text.data, end);
            continue;
        }
        size_t pad_length = self.is_text ? lt_utf8_count(self.pad.data, self.pad.bytes) : self.pad.bytes;
        if (pad_length == 0) pad_length = 1;
        size_t whole = (size_t)self.missing / pad_length, rest = (size_t)self.missing % pad_length;
        size_t rest_bytes = self.is_text ? lt_utf8_skip(self.pad.data, self.pad.bytes, 0, rest) : rest;
        size_t pad_bytes  = whole * self.pad.bytes + rest_bytes; // both below 2^31: no overflow
        char  *room;
        LT_TRY(lt_call_room(call, pad_bytes + self.text.bytes, &room, err));
        char *pad = is_left ? room : room + self.text.bytes;
        for (size_t i = 0; i < whole; i++) memcpy(pad + i * self.pad.bytes, self.pad.data, self.pad.bytes);
        memcpy(pad + whole * self.pad.bytes, self.pad.data, rest_bytes);
        memcpy(is_left ? room + pad_bytes : room, self.text.data, self.text.bytes);
        lt_call_put_view(call, row, room, pad_bytes + self.text.bytes);
    }
    return LEAT_OK;
}

static leat_status lpad_evaluate(lt_call *call, leat_error *err) { return pad_rows(call, true, err); }
static leat_status rpad_evaluate(lt_call *call, leat_error *err) { return pad_rows(call, false, err); }

static leat_status repeat_text(lt_call *call, uint32_t row, lt_text text, int32_t times, leat_error *err) {
    size_t count = times > 0 ? (size_t)times : 0;
    char  *room;
    LT_TRY(lt_call_room(call, text.bytes * count, &room, err));
    if (text.bytes == 1)
        memset(room, text.data[0], count);
    else
        for (size_t i = 0; i < count && text.bytes > 0; i++) memcpy(room + i * text.bytes, text.data, text.bytes);
    lt_call_put_view(call, row, room, text.bytes * count);
    return LEAT_OK;
}

static leat_status repeat_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row)
    LT_TRY(repeat_text(call, row, lt_arg_text(call, 0, row), LT_ARG(call, 1, int32_t, row), err));
    return LEAT_OK;
}

static leat_status space_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row)
    LT_TRY(repeat_text(call, row, (lt_text){" ", 1}, LT_ARG(call, 0, int32_t, row), err));
    return LEAT_OK;
}

const lt_function lt_functions_text_pad[] = {
    {.name           = "lpad",
     .takes          = {LT_TAKES_STRING, LT_TAKES_INT},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = lpad_evaluate,
     .display        = "lpad($1, $2,  )",
     .summary        = "Text filled up at its start, or cut, to a length; filled with blanks or a given text.",
     .example        = "SELECT lpad('7', 3, '0')",
     .example_result = "007"},
    {.name     = "lpad",
     .takes    = {LT_TAKES_STRING, LT_TAKES_INT, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = lpad_evaluate},
    {.name     = "lpad",
     .takes    = {LT_TAKES_BINARY, LT_TAKES_INT},
     .returns  = LT_BINARY,
     .can_fail = true,
     .evaluate = lpad_evaluate,
     .display  = "lpad($1, $2, X'00')"},
    {.name     = "lpad",
     .takes    = {LT_TAKES_BINARY, LT_TAKES_INT, LT_TAKES_BINARY},
     .returns  = LT_BINARY,
     .can_fail = true,
     .evaluate = lpad_evaluate},
    {.name           = "rpad",
     .takes          = {LT_TAKES_STRING, LT_TAKES_INT},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = rpad_evaluate,
     .display        = "rpad($1, $2,  )",
     .summary        = "Text filled up at its end, or cut, to a length; filled with blanks or a given text.",
     .example        = "SELECT rpad('7', 3, '0')",
     .example_result = "700"},
    {.name     = "rpad",
     .takes    = {LT_TAKES_STRING, LT_TAKES_INT, LT_TAKES_STRING},
     .returns  = LT_STRING,
     .can_fail = true,
     .evaluate = rpad_evaluate},
    {.name     = "rpad",
     .takes    = {LT_TAKES_BINARY, LT_TAKES_INT},
     .returns  = LT_BINARY,
     .can_fail = true,
     .evaluate = rpad_evaluate,
     .display  = "rpad($1, $2, X'00')"},
    {.name     = "rpad",
     .takes    = {LT_TAKES_BINARY, LT_TAKES_INT, LT_TAKES_BINARY},
     .returns  = LT_BINARY,
     .can_fail = true,
     .evaluate = rpad_evaluate},
    {.name           = "repeat",
     .takes          = {LT_TAKES_STRING, LT_TAKES_INT},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = repeat_evaluate,
     .summary        = "Text a number of times in a row.",
     .example        = "SELECT repeat('ab', 3)",
     .example_result = "ababab"},
    {.name           = "space",
     .takes          = {LT_TAKES_INT},
     .returns        = LT_STRING,
     .can_fail       = true,
     .evaluate       = space_evaluate,
     .summary        = "A number of blanks.",
     .example        = "SELECT length(space(2))",
     .example_result = "2"},
    {0},
};
