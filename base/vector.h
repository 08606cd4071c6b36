// vector: one column of rows. chunk: vectors of equal count that flow between operators.
//
//     flat        values: [v0][v1][v2]...            validity: bit per lane, 1 = not NULL; absent = no NULLs
//     constant    values: [v0]                       every row is lane 0
//     dictionary  indices: [2][0][2]...              row i is lane indices[i] of `dictionary` (flat)
//
//     ARRAY, MAP  values: lt_list {offset, count} into children[0]; a MAP's child is a STRUCT vector <key, value>
//     STRUCT      children[i] has the rows of field i; the struct's own validity says whether the struct is NULL
//
// Ownership  lanes, bytes of strings and children live in the arena that the vector was made in; nothing is freed by
// hand. A vector belongs to its producer until push returns; who wants rows longer copies them (lt_vector_append_row).
// Lanes that are NULL, dead or failed hold anything, but always readable memory; a NULL list lane has count 0.
#ifndef LT_BASE_VECTOR_H
#define LT_BASE_VECTOR_H

#include "base/type.h"

enum { LT_CHUNK_ROWS_MAX = 2048, LT_STRING_INLINE_MAX = 12 };

// Text or bytes: inline up to 12 bytes (prefix and rest are one run of 12), else a prefix of 4 bytes and a pointer into
// an arena. Not NUL-terminated.
typedef struct lt_string {
    uint32_t bytes;
    char     prefix[4];
    union {
        char        rest[8];
        const char *data;
    } as;
} lt_string;
_Static_assert(sizeof(lt_string) == 16, "a string lane has 16 bytes");

static inline const char *lt_string_data(const lt_string *string) {
    return string->bytes <= LT_STRING_INLINE_MAX ? (const char *)string + offsetof(lt_string, prefix) : string->as.data;
}
// A lane over borrowed bytes: copies up to 12, points at more. Pieces of known size that may overlap: a call to copy a
// few bytes costs more than they do.
static inline lt_string lt_string_view(const char *data, size_t bytes) {
    lt_string string = {.bytes = (uint32_t)bytes};
    if (bytes <= LT_STRING_INLINE_MAX) {
        char *text = (char *)&string + offsetof(lt_string, prefix);
        if (bytes >= 8) {
            memcpy(text, data, 8);
            memcpy(text + bytes - 4, data + bytes - 4, 4);
        } else if (bytes >= 4) {
            memcpy(text, data, 4);
            memcpy(text + bytes - 4, data + bytes - 4, 4);
        } else if (bytes > 0) {
            text[0]         = data[0];
            text[bytes / 2] = data[bytes / 2];
            text[bytes - 1] = data[bytes - 1];
        }
    } else {
        memcpy(string.prefix, data, 4);
        string.as.data = data;
    }
    return string;
}
// A lane whose bytes are copied into the arena. Errors: LEAT_NO_MEMORY; LEAT_LIMIT beyond 16 MiB.
leat_status lt_string_copy(lt_arena *arena, const char *data, size_t bytes, lt_string *out, leat_error *err);
bool        lt_string_equal(const lt_string *a, const lt_string *b);
int         lt_string_compare(const lt_string *a, const lt_string *b); // by bytes; < 0, 0, > 0
enum { LT_VALUE_BYTES_MAX = 16 * 1024 * 1024 };

typedef struct lt_list {
    uint32_t offset, count; // into children[0]
} lt_list;

typedef enum lt_form { LT_FLAT, LT_CONSTANT, LT_DICTIONARY } lt_form;

typedef struct lt_vector lt_vector;
struct lt_vector {
    const lt_type *type;
    lt_form        form;
    uint32_t       capacity; // lanes that values, validity and children have room for (flat)
    uint32_t       lanes;    // lanes in use; of top-level columns the chunk's count, of list children their own
    void          *values;   // capacity lanes of lt_kind_lane_bytes(type->kind)
    uint64_t      *validity; // bit set = not NULL; NULL pointer = no NULLs
    lt_vector     *children; // ARRAY, MAP: 1; STRUCT: field_count
    uint32_t       child_count;
    uint32_t      *indices;    // dictionary
    lt_vector     *dictionary; // dictionary; flat
};

// Flat with room for `capacity` lanes; list children start with no lanes. Values are not cleared.
leat_status lt_vector_init(lt_vector *vector, const lt_type *type, uint32_t capacity, lt_arena *arena, leat_error *err);
// Constant form with one lane, which is NULL until set.
leat_status lt_vector_init_constant_null(lt_vector *vector, const lt_type *type, lt_arena *arena, leat_error *err);
// Room for `lanes` in all (grows by copying; old pointers into the vector go stale).
leat_status lt_vector_reserve(lt_vector *vector, uint32_t lanes, lt_arena *arena, leat_error *err);

// The lane that holds row `row`, in the flat vector *out_lanes (the vector itself or its dictionary).
static inline uint32_t lt_vector_lane(const lt_vector *vector, uint32_t row) {
    return vector->form == LT_FLAT ? row : vector->form == LT_CONSTANT ? 0 : vector->indices[row];
}
static inline const lt_vector *lt_vector_lanes(const lt_vector *vector) {
    return vector->form == LT_DICTIONARY ? vector->dictionary : vector;
}
static inline bool lt_validity_is_set(const uint64_t *validity, uint32_t lane) {
    return validity == NULL || ((validity[lane >> 6] >> (lane & 63)) & 1) != 0;
}
static inline bool lt_lane_is_null(const lt_vector *lanes, uint32_t lane) {
    return lanes->type->kind == LT_VOID || !lt_validity_is_set(lanes->validity, lane);
}
static inline bool lt_vector_is_null(const lt_vector *vector, uint32_t row) {
    const lt_vector *lanes = lt_vector_lanes(vector);
    return lt_lane_is_null(lanes, lt_vector_lane(vector, row));
}
// Marks a lane of a flat or constant vector NULL (or not). The first NULL allocates the validity bits.
leat_status lt_vector_set_null(lt_vector *vector, uint32_t lane, lt_arena *arena, leat_error *err);
void        lt_vector_set_valid(lt_vector *vector, uint32_t lane);

// Typed access: LT_LANES(v, int64_t)[lane].
#define LT_LANES(vector, type) ((type *)(vector)->values)
#define LT_VALUE(vector, type, row) (((const type *)lt_vector_lanes(vector)->values)[lt_vector_lane((vector), (row))])

// Copies row `row` of `from` behind the last lane of `into` (same shape; `into` flat), strings and children with it:
// the arena then owns everything. Grows `into`. This is the deep copy that keeps rows beyond a push.
leat_status lt_vector_append_row(lt_vector *into, const lt_vector *from, uint32_t row, lt_arena *arena,
                                 leat_error *err);
leat_status lt_vector_append_null(lt_vector *into, lt_arena *arena, leat_error *err);
// Like lt_vector_append_row for many rows; rows NULL: 0..count-1. Bytes of strings are copied only if `with_bytes`.
leat_status lt_vector_append_rows(lt_vector *into, const lt_vector *from, const uint16_t *rows, uint32_t count,
                                  bool with_bytes, lt_arena *arena, leat_error *err);
// The rows [first, first + count) of `from`, bytes included.
leat_status lt_vector_append_range(lt_vector *into, const lt_vector *from, uint32_t first, uint32_t count,
                                   lt_arena *arena, leat_error *err);
// *out becomes flat with rows `rows` (NULL: 0..count-1) of `from`; shares bytes of strings and list children with it.
leat_status lt_vector_gather(const lt_vector *from, const uint16_t *rows, uint32_t count, lt_arena *arena,
                             lt_vector *out, leat_error *err);
// A flat or constant vector for `from`: itself, or its dictionary form unpacked into the arena.
leat_status lt_vector_unpack(const lt_vector *from, uint32_t count, lt_arena *arena, const lt_vector **out,
                             leat_error *err);
// Rows [offset, offset+count) of a flat vector as a view (children shared). For list elements: view of the child.
lt_vector lt_vector_slice(const lt_vector *from, uint32_t offset, uint32_t count, lt_arena *arena);

// Grouping order and equality of two rows, in one place for GROUP BY, ORDER BY, DISTINCT, joins and set operations:
// NULL equals NULL and is the smallest, NaN equals NaN and is the largest number, -0.0 equals 0.0, text by bytes,
// structs field by field, arrays element by element and shorter first. < 0, 0, > 0. Maps: equality whatever the order
// of keys.
int lt_vector_compare(const lt_vector *a, uint32_t row_a, const lt_vector *b, uint32_t row_b);

// --------------------------------------------------------------------------------------------------------------- chunk

// Rows between operators: a delta. All vectors have `count` rows.
typedef struct lt_chunk {
    lt_vector     *columns;
    uint32_t       column_count;
    uint32_t       count;   // <= LT_CHUNK_ROWS_MAX
    const int64_t *weights; // +1 appears, -1 disappears, by row; NULL = all +1
    const int64_t *places;  // arrival number of the row, equal for every cut into batches; NULL = nobody asked
} lt_chunk;

// `types[column_count]`; flat columns with room for `capacity` rows, count 0.
leat_status lt_chunk_init(lt_chunk *chunk, const lt_type *const *types, uint32_t column_count, uint32_t capacity,
                          lt_arena *arena, leat_error *err);
// *out has the rows `rows` of `from`, weights and places included. Shares bytes.
leat_status lt_chunk_gather(const lt_chunk *from, const uint16_t *rows, uint32_t count, lt_arena *arena, lt_chunk *out,
                            leat_error *err);
static inline int64_t lt_chunk_weight(const lt_chunk *chunk, uint32_t row) {
    return chunk->weights == NULL ? 1 : chunk->weights[row];
}

// ----------------------------------------------------------------------------------------------------------------- row

// A row as bytes: used as keys of hash tables, in kept rows and in state on disk. Little-endian, with type tags checked
// when decoded; equal rows give equal bytes and (is_canonical) rows that are equal by lt_vector_compare give equal
// bytes, so that -0.0 becomes 0.0, NaN one NaN, and map entries are sorted. Place and weight are not part of it.
leat_status lt_row_encode(const lt_vector *columns, uint32_t column_count, uint32_t row, bool is_canonical,
                          lt_buffer *out, leat_error *err);
// Appends the encoded row behind the last lanes of `columns`. Errors: LEAT_CORRUPT when bytes and types do not fit.
leat_status lt_row_decode(const char *bytes, size_t count, lt_vector *columns, uint32_t column_count, lt_arena *arena,
                          leat_error *err);

#endif
