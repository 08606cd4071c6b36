// json_reader: JSON text as a stream of tokens with exact places in the source.
//
//     {"a": [1, "x"]}   ->   OBJECT  NAME a  ARRAY  INTEGER 1  STRING x  ARRAY_END  OBJECT_END  END
//
// The one tokenizer of leat: from_json, get_json_object, JSON Lines. It follows Jackson, so that what Spark accepts is
// accepted: options for quotes, comments, bare names and the like. The first value of the text ends it: what follows is
// never looked at. Anything wrong gives LT_JSON_BAD, for ever, with a reason in words.
//
// Ownership  borrows the text; unescaped strings live in the reader's own buffer until the next token.
// Threads    one at a time.      Limits  LT_JSON_DEPTH_MAX open brackets; beyond it LT_JSON_BAD.
// Errors     only LEAT_NO_MEMORY, kept in .has_no_memory (token BAD).       Cost  O(bytes).
#ifndef LT_BASE_JSON_READER_H
#define LT_BASE_JSON_READER_H

#include "base/buffer.h"

enum { LT_JSON_DEPTH_MAX = 512 };

typedef enum lt_json_token {
    LT_JSON_START, // before the first token
    LT_JSON_END,   // behind the value (or no value at all: see .has_value)
    LT_JSON_BAD,   // not JSON; see .problem
    LT_JSON_NULL,
    LT_JSON_TRUE,
    LT_JSON_FALSE,
    LT_JSON_INTEGER, // -?digits
    LT_JSON_NUMBER,  // with fraction or exponent
    LT_JSON_NAN,     // NaN, Infinity, +INF, -INF, +Infinity, -Infinity without quotes
    LT_JSON_STRING,  // .text is the unescaped value
    LT_JSON_NAME,    // key of an object; .text
    LT_JSON_OBJECT,
    LT_JSON_OBJECT_END,
    LT_JSON_ARRAY,
    LT_JSON_ARRAY_END
} lt_json_token;

// Spark's reader options of the same names.
typedef struct lt_json_options {
    bool allow_single_quotes;      // 'a'
    bool allow_non_numeric;        // NaN and infinities without quotes
    bool allow_comments;           // /* */ and //
    bool allow_unquoted_names;     // {a: 1}
    bool allow_leading_zeros;      // 01
    bool allow_backslash_any;      // "\q"
    bool allow_control_characters; // raw TAB and the like inside strings
} lt_json_options;

// What Spark's JSON reader and from_json begin with: single quotes and non-numeric numbers are fine.
lt_json_options lt_json_options_default(void);

typedef struct lt_json_reader {
    const char     *next, *end; // of the source
    lt_json_options options;
    lt_json_token   token;                   // the current token
    const char     *token_start, *token_end; // its bytes in the source, quotes included
    const char     *text; // STRING, NAME: value without quotes and escapes; numbers: the source bytes
    size_t          text_bytes;
    bool            has_value; // a first token was seen: the text is not blank
    bool            has_no_memory;
    const char     *problem;                           // BAD: why
    uint32_t        depth;                             // open brackets
    uint32_t        depth_max;                         // LT_JSON_DEPTH_MAX, less for a text that is inside of another
    bool            needs_comma;                       // a value was complete inside the open bracket
    bool            awaits_value;                      // a NAME was given
    uint64_t        is_object[LT_JSON_DEPTH_MAX / 64]; // bit d: bracket d is an object
    lt_buffer       unescaped;
} lt_json_reader;

void lt_json_reader_init(lt_json_reader *reader, const lt_json_options *options, lt_account *account);
// Begins a new text; keeps options and memory.
void          lt_json_reader_open(lt_json_reader *reader, const char *text, size_t bytes);
lt_json_token lt_json_next(lt_json_reader *reader);
// From the first token of a value to its last one: OBJECT to OBJECT_END, ARRAY to ARRAY_END; of scalars nothing.
// False when the text is bad.
bool lt_json_skip(lt_json_reader *reader);
// Skips until bracket depth `depth` is reached again (leaves the value that was open at depth + 1).
bool lt_json_leave(lt_json_reader *reader, uint32_t depth);
void lt_json_reader_deinit(lt_json_reader *reader);

// Whether all bytes are well-formed UTF-8 (no surrogates, no overlong forms).
bool lt_json_is_utf8(const char *text, size_t bytes);

#endif
