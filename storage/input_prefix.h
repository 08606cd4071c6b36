// input_prefix: the host's input with its first lines looked at before it is read, for inferring columns from them.
//
//     host input -> [lines kept] -> lt_input_prefix_read gives them first, then what follows
//
// Ownership  owns the kept bytes until deinit; borrows the host's function.   Threads  one at a time.
// Limits     kept lines of LT_LINE_BYTES_MAX together.      Errors  those of the input; LEAT_NO_MEMORY, LEAT_LIMIT.
// Waits      as long as the input does.
#ifndef LT_STORAGE_INPUT_PREFIX_H
#define LT_STORAGE_INPUT_PREFIX_H

#include "base/buffer.h"

typedef leat_status (*lt_input)(void *user, void *buffer, size_t capacity, size_t *out_count); // count 0: the end

typedef struct lt_input_prefix {
    lt_input  input;
    void     *user;
    lt_buffer bytes; // bytes[.. used) were given to the reader
    size_t    used;
    bool      has_ended;
} lt_input_prefix;

void lt_input_prefix_init(lt_input_prefix *prefix, lt_account *account, lt_input input, void *user);
// Reads until `line_count` lines that are not blank are there, or the end (SIZE_MAX: all of it). *out_bytes: the end of
// the last of these lines within prefix->bytes, whatever more a read happened to bring.
leat_status lt_input_prefix_lines(lt_input_prefix *prefix, size_t line_count, size_t *out_bytes, leat_error *err);
// An lt_input whose user is the prefix.
leat_status lt_input_prefix_read(void *prefix, void *buffer, size_t capacity, size_t *out_count);
void        lt_input_prefix_deinit(lt_input_prefix *prefix);

#endif
