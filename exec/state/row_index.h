// row_index: rows by their keys, made once when all of them are there, then only looked at: what joins build.
//
//     add   keys[row]                                              side by side, in the order of arrival
//     make  direct: heads[key - base]        -> row + 1            whole numbers in a narrow range
//           hashed: slots [tag | row + 1]    -> row + 1            all others; the room is known, nothing ever moves
//     find  row + 1 -> next[row] -> next[..] -> 0                  rows of one key in the order of arrival
//
// Equality is that of grouping: NULL equals NULL, -0.0 equals 0.0, NaN equals NaN. Rows that must not be found (a NULL
// key of `=`) are left out by who adds them. An index of keys alone says whether a key is there: direct, that is a bit.
//
// Ownership  owns copies of the keys.  Threads  one at a time.  Errors  LEAT_NO_MEMORY, LEAT_LIMIT (2^30 rows).
// Cost       add and find O(1) a row. Memory: a key lane (8, 16, 32 bytes) a row, 4 bytes for `next`, up to 32 for heads
//            or slots; of keys alone, about twice what the different ones take.
#ifndef LT_EXEC_STATE_ROW_INDEX_H
#define LT_EXEC_STATE_ROW_INDEX_H

#include "exec/state/group_keys.h"

typedef struct lt_row_index {
    lt_account   *account;
    lt_key_layout layout;
    uint64_t      secrets[4];
    uint32_t      tag_mask;   // all ones; tests take bits away to make keys collide
    bool          is_of_keys; // of keys alone: rows have no numbers
    bool          is_made;
    bool          has_repeats; // some key has several rows; else nobody need look at `next`
    bool          is_direct;
    char         *keys;  // lanes by row; none once the index is direct
    uint8_t      *kinds; // by row, a row_kind; NULL: all are keys
    uint32_t      count, capacity;
    uint32_t      null_head; // the first row whose key is NULL, of one lane or text, + 1
    uint32_t     *next;      // by row, once made: the next row of its key + 1; 0: none
    uint32_t     *heads;     // direct: row + 1 by key - base, 0: none; 0 at its end
    uint64_t     *bits;      // direct, of keys alone: likewise
    uint64_t      base, key_mask;
    uint32_t      width; // of heads and bits
    uint64_t     *slots;
    uint32_t      slot_capacity, shift; // a power of two; tag >> shift: first slot
    lt_arena      strings;
    lt_buffer     scratch;
    void         *block; // work space of a call
} lt_row_index;

// For keys of these types (borrowed until return). `secret`: anything that who writes the keys cannot know.
void lt_row_index_init(lt_row_index *index, lt_account *account, const lt_type *const *types, uint32_t type_count,
                       bool is_of_keys, uint64_t secret);
// `count` rows more, numbered from index->count on, of which rows[0..found_count), ascending, can be found.
leat_status lt_row_index_add(lt_row_index *index, const lt_vector *keys, uint32_t key_count, uint32_t count,
                             const uint16_t *rows, uint32_t found_count, leat_error *err);
// Once, after the last row.
leat_status lt_row_index_make(lt_row_index *index, leat_error *err);
// out_heads[i] belongs to rows[i] (rows NULL: to row i): the first row with that key + 1, or 0. Of keys alone: not 0 if
// it is there.
leat_status lt_row_index_find(lt_row_index *index, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                              uint32_t count, uint32_t *out_heads, leat_error *err);
void        lt_row_index_deinit(lt_row_index *index);

#endif
