// error: what went wrong, where, and under which name.
//
//     return lt_raise(err, LT_DIVIDE_BY_ZERO, &call->place, "division by zero; try_divide gives NULL instead");
//
// Ownership  an error is a caller's object of fixed size; raising allocates nothing.     Threads  one at a time.
// The first error wins: callers append context with lt_error_context and never replace condition or place.
#ifndef LT_BASE_ERROR_H
#define LT_BASE_ERROR_H

#include "leat.h"

#include <stdarg.h>

// A span of SQL text. line and column count from 1; line 0: no place known.
typedef struct lt_place {
    uint32_t offset, bytes; // bytes from the start of the text given by the user
    uint32_t line, column;  // column in characters
} lt_place;

typedef enum lt_condition {
    LT_CONDITION_NONE = 0,
#define LT_CONDITION(name, text, sqlstate, status) LT_##name,
#include "base/conditions.def"
#undef LT_CONDITION
    LT_CONDITION_COUNT
} lt_condition;

const char *lt_condition_name(lt_condition condition);     // "DIVIDE_BY_ZERO"; "" for none
const char *lt_condition_sqlstate(lt_condition condition); // "22012"
leat_status lt_condition_status(lt_condition condition);
const char *lt_condition_meaning(lt_condition condition); // what its status says, in a few words

enum { LT_ERROR_MESSAGE_BYTES = 1024, LT_ERROR_PATH_BYTES = 512, LT_ERROR_NAME_BYTES = 128 };

struct leat_error {
    leat_status  status;
    lt_condition condition;
    lt_place     place;     // in the SQL text
    uint64_t     data_line; // 0: no place in data
    uint64_t     data_offset;
    bool         has_path, has_data_column;
    char         message[LT_ERROR_MESSAGE_BYTES];
    char         path[LT_ERROR_PATH_BYTES];
    char         data_column[LT_ERROR_NAME_BYTES];
    char         query[LT_ERROR_NAME_BYTES];
};

#if defined(__GNUC__)
#define LT_MUST_USE __attribute__((warn_unused_result))
#define LT_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define LT_MUST_USE
#define LT_PRINTF(format_index, first_index)
#endif

// Returns from the enclosing function when `call` fails. Only where nothing but arenas is held.
#define LT_TRY(call)                                                                                                   \
    do {                                                                                                               \
        leat_status lt_try_status = (call);                                                                            \
        if (lt_try_status != LEAT_OK) return lt_try_status;                                                            \
    } while (0)

// Fills err (NULL is fine) and returns the condition's status. `place` may be NULL. Text: lower case, names in
// back-quotes, what was found, what was wanted, what to do; no full stop; under 200 bytes. Raising over an error keeps
// the first one: reset the object at the entry of a public call.
leat_status lt_raise(leat_error *err, lt_condition condition, const lt_place *place, const char *format, ...)
    LT_PRINTF(4, 5);
leat_status lt_raise_no_memory(leat_error *err);
// Puts the error's data place; keeps one that is there. `path` and `column` may be NULL.
void lt_error_data_place(leat_error *err, const char *path, uint64_t line, uint64_t offset, const char *column);
// Puts the SQL place if the error has none yet.
void lt_error_place(leat_error *err, const lt_place *place);
// Appends " (in ...)" to the message.
void lt_error_context(leat_error *err, const char *format, ...) LT_PRINTF(2, 3);
void lt_error_reset(leat_error *err);

// Asserts hold in builds with LT_ASSERTS (dev, sanitizer, fuzz); never for input data.
#ifdef LT_ASSERTS
#define lt_assert(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define lt_assert(condition) ((void)sizeof(condition))
#endif

#endif
