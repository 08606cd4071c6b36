// nested: what the functions over arrays, maps and structs share: reading list arguments, placing list results, and
// finding types while a call is bound.
//
// Ownership  as in base/function.h.    Threads  as the call.
#ifndef LT_EXEC_NESTED_H
#define LT_EXEC_NESTED_H

#include "base/lanes.h"

#include "base/function.h"

// A list argument of one row, with the vector that holds its elements.
typedef struct lt_elements {
    const lt_vector *child;
    uint32_t         offset, count;
} lt_elements;

static inline lt_elements lt_call_elements(const lt_call *call, uint32_t argument, uint32_t row) {
    lt_list list = LT_ARG(call, argument, lt_list, row);
    return (lt_elements){&call->arguments[argument]->children[0], list.offset, list.count};
}

// The vector that elements of a list result are appended to, and the end of one row: the elements from `start` on.
static inline lt_vector *lt_call_child(const lt_call *call) { return &call->result->children[0]; }
static inline void       lt_call_put_list(const lt_call *call, uint32_t row, uint32_t start) {
          LT_LANES(call->result, lt_list)
          [row] = (lt_list){.offset = start, .count = call->result->children[0].lanes - start};
}
static inline leat_status lt_call_append(const lt_call *call, const lt_vector *from, uint32_t row, leat_error *err) {
    return lt_lane_append(&call->result->children[0], from, row, call->arena, err);
}
static inline leat_status lt_call_put(const lt_call *call, uint32_t row, const lt_vector *from, uint32_t from_row,
                                      leat_error *err) {
    return lt_lane_put(call->result, row, from, from_row, call->arena, err);
}
static inline leat_status lt_call_put_nothing(const lt_call *call, uint32_t row, leat_error *err) {
    return lt_lane_put_null(call->result, row, call->arena, err);
}

// Binding. An argument that is a bare NULL counts as an array (map) of VOID; false: it is another type.
bool lt_resolve_array(lt_resolution *resolution, uint32_t argument);
bool lt_resolve_map(lt_resolution *resolution, uint32_t argument);
// The argument becomes INT (BOOLEAN, STRING) where Spark casts implicitly; false: it cannot.
bool lt_resolve_int(lt_resolution *resolution, uint32_t argument);
bool lt_resolve_string(lt_resolution *resolution, uint32_t argument);
// Only that kind, or a bare NULL, which becomes it.
bool lt_resolve_exactly(lt_resolution *resolution, uint32_t argument, lt_kind kind);
// The common type without turning texts into numbers or dates, at any depth; NULL: none.
const lt_type *lt_resolve_plain_common(lt_resolution *resolution, const lt_type *a, const lt_type *b);
// The same, and without widening a DECIMAL: Spark's tightest common type.
const lt_type *lt_resolve_tight_common(lt_resolution *resolution, const lt_type *a, const lt_type *b);
// The common type of all arguments from `first` on, every `step`-th; VOID without arguments; NULL: none.
const lt_type *lt_resolve_common(lt_resolution *resolution, uint32_t first, uint32_t step);
// Sets resolution->result; without memory raises.
leat_status lt_resolve_result(lt_resolution *resolution, const lt_type *type, leat_error *err);
leat_status lt_resolve_result_array(lt_resolution *resolution, const lt_type *element, leat_error *err);
leat_status lt_resolve_result_map(lt_resolution *resolution, const lt_type *key, const lt_type *value, leat_error *err);
// "ARRAY<INT>" for messages.
const char *lt_resolve_text(const lt_resolution *resolution, uint32_t argument);

#endif
