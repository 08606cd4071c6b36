// group_keys: how the keys of a group_table lie in memory, chosen once from the types of their columns.
//
//     FIXED8    one column with lanes of up to 8 bytes: the lane        NULL is no key but a group by itself
//     STRING    one column of texts or bytes: an lt_string              likewise
//     PACKED16  columns of fixed width: 16 bits of NULLs, then the lanes; structs are taken apart
//     PACKED32  the same, wider
//     BYTES     anything else: an lt_string over the row's canonical bytes (lt_row_encode)
//
// In every form, two keys are equal when the rows are equal for grouping: -0.0 is 0.0, NaN is one NaN, what is unused is
// zero. On disk a key is always the row's canonical bytes.
//
// Ownership  packed keys view the bytes of the vectors or of `bytes`.  Threads  any.
// Cost       a few instructions a row and column; BYTES over nested columns one lt_row_encode a row.
#ifndef LT_EXEC_STATE_GROUP_KEYS_H
#define LT_EXEC_STATE_GROUP_KEYS_H

#include "base/vector.h"

typedef enum lt_key_form {
    LT_KEY_FIXED8,
    LT_KEY_STRING,
    LT_KEY_PACKED16,
    LT_KEY_PACKED32,
    LT_KEY_BYTES,
} lt_key_form;

enum { LT_KEY_NODES_MAX = 16, LT_KEY_BLOCK_ROWS = 512, LT_KEY_BYTES_MAX = 32 };

// A column, or a field of a struct, in pre-order: the parts of a struct follow it.
typedef struct lt_key_node {
    uint8_t kind, offset, lane_bytes; // offset of its lane in a packed key; its NULL bit has the node's number
    uint8_t end;                      // first node behind this one and its parts
} lt_key_node;

typedef struct lt_key_layout {
    lt_key_form form;
    uint8_t     key_bytes; // of a key lane: 8, 16 or 32
    uint8_t     node_count;
    bool        is_plain;                // BYTES: the columns are neither nested nor VOID, and few
    lt_key_node nodes[LT_KEY_NODES_MAX]; // of BYTES only where it is plain, one for each column
} lt_key_layout;

// Keys of up to LT_KEY_BLOCK_ROWS rows.
typedef struct lt_key_block {
    const void *keys;     // count lanes; of NULL rows anything
    bool        has_long; // STRING, BYTES: some lt_string is not inline
    bool        has_null; // FIXED8, STRING: see nulls
    uint64_t    nulls[LT_KEY_BLOCK_ROWS / 64];
} lt_key_block;

void lt_key_layout_init(lt_key_layout *layout, const lt_type *const *types, uint32_t type_count);
// Keys of `count` rows of `columns` (rows NULL: first, first + 1, ..; else rows[first], ..). `lanes` has room for
// LT_KEY_BLOCK_ROWS keys; block->keys may be lanes of the column instead. `bytes` holds what BYTES keys view.
leat_status lt_keys_pack(const lt_key_layout *layout, const lt_vector *columns, uint32_t column_count,
                         const uint16_t *rows, uint32_t first, uint32_t count, void *lanes, lt_buffer *bytes,
                         lt_key_block *block, leat_error *err);
// Appends the canonical bytes of a key; key NULL: the NULL of FIXED8 and STRING.
leat_status lt_key_encode(const lt_key_layout *layout, const void *key, lt_buffer *out, leat_error *err);
// The key for canonical bytes, which it may view; *out_is_null: the NULL of FIXED8 and STRING.
leat_status lt_key_decode(const lt_key_layout *layout, const char *bytes, size_t count, void *out_key,
                          bool *out_is_null, leat_error *err);
// Writes a key into lane `lane` of flat columns that have room (their .lanes are the caller's); BYTES appends. Texts are
// views of the key's bytes.
leat_status lt_key_unpack(const lt_key_layout *layout, const void *key, lt_vector *columns, uint32_t column_count,
                          uint32_t lane, lt_arena *arena, leat_error *err);

#endif
