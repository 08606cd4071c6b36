// group_table: key columns -> dense group index. The one hash table behind aggregation, distinct, deduplication and
// joins.
//
//     slots [tag | group + 1] ...   -> keys[group + 1]                     open addressing; the tag is half of the hash
//
// Grouping equality: NULL equals NULL, -0.0 equals 0.0, NaN equals NaN. How keys lie in memory is chosen once from the
// types (group_keys.h); to the outside, and on disk, a key is its row's canonical bytes (lt_row_encode). Group indexes
// are dense, in order of first appearance; a removed group's index is reused, and its key readable no more, from the
// next group that is added on.
//
// Ownership  owns its keys.  Threads  one at a time.  Errors  LEAT_NO_MEMORY, LEAT_LIMIT (2^30 groups); nothing changed
// then.
// Cost       find or add O(1) and one hash per row; a table that doubles moves a few thousand slots with each call, so
//            no call is longer by the size of the table. Removal O(1). Memory: a key lane (8, 16, 32 bytes) and 11 to 32
//            bytes of slots a group, bytes of texts over 12 once, up to 256 KiB for integers that lie close together.
#ifndef LT_EXEC_STATE_GROUP_TABLE_H
#define LT_EXEC_STATE_GROUP_TABLE_H

#include "exec/state/group_keys.h"

// High 32 bits: the tag; low 32 bits: group + 1; 0: empty. The first slot to look at is the tag's highest bits, so that
// a table twice as large has the slots in the same order.
typedef struct lt_group_slots {
    uint64_t *items;
    uint32_t  capacity; // a power of two; 0: none
    uint32_t  shift;    // tag >> shift: first slot
} lt_group_slots;

typedef struct lt_group_table {
    lt_account    *account;
    lt_key_layout  layout;
    uint64_t       secrets[4];
    uint32_t       tag_mask; // all ones; tests take bits away to make keys collide
    lt_group_slots slots;
    uint32_t       slots_limit; // groups that slots may hold
    lt_group_slots old;         // while growing: slots from old_start on, old_moved of them, have gone to `slots`
    uint32_t       old_start, old_moved;
    uint32_t       zeroed;         // while growing: of `slots`, from 2 * old_start on; the last of them is empty
    char          *keys;           // of group g: lane g + 1
    uint32_t      *next_free;      // by group, of removed ones: the next + 1
    uint64_t      *live;           // bit by group
    uint32_t       group_count;    // used indexes, free ones included
    uint32_t       group_capacity; // of keys, next_free and live
    uint32_t       first_free;     // + 1
    uint32_t       live_count;
    uint32_t       last_found;             // by the last call; LT_NO_GROUP: none
    uint32_t       null_group;             // of FIXED8 and STRING, also after its removal; LT_NO_GROUP: none
    lt_arena       strings;                // bytes of keys that are not inline
    uint64_t       live_bytes, dead_bytes; // of strings
    uint32_t      *direct; // FIXED8, keys in a narrow range: group + 1 of key direct_base + i, 0: none; 0 at its end
    uint64_t       direct_base;   // modulo 2^64
    uint32_t       direct_count;  // of keys in the range
    uint32_t       direct_trials; // ranges looked for so far
    void          *block;         // work space of a call
    lt_buffer      scratch;
} lt_group_table;

enum { LT_NO_GROUP = 0xffffffff };

// For keys of these types (borrowed until return). `secret`: anything that who writes the keys cannot know.
void lt_group_table_init(lt_group_table *table, lt_account *account, const lt_type *const *types, uint32_t type_count,
                         uint64_t secret);
// For each row (rows NULL: 0..count-1): its group, made if it is not there. out_group[i] belongs to rows[i]. Columns
// have the types of the table.
leat_status lt_group_table_find_or_add(lt_group_table *table, const lt_vector *keys, uint32_t key_count,
                                       const uint16_t *rows, uint32_t count, uint32_t *out_group, leat_error *err);
// The same without adding: LT_NO_GROUP where there is none.
leat_status lt_group_table_find(lt_group_table *table, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                                uint32_t count, uint32_t *out_group, leat_error *err);
// Makes room for about `groups` in all, so that they come without growth; a hint, which costs their slots at once.
leat_status lt_group_table_reserve(lt_group_table *table, uint32_t groups, leat_error *err);
// For rows 0..count-1: the bits of their keys' hashes that no slot of a table knows, below `partition_count`, a power of
// two up to 2^16. Equal keys have equal ones in all tables of one secret; whether they are there does not matter.
leat_status lt_group_table_partitions(lt_group_table *table, const lt_vector *keys, uint32_t key_count, uint32_t count,
                                      uint32_t partition_count, uint16_t *out_partition, leat_error *err);
// By canonical bytes. Errors: LEAT_CORRUPT when they are none of the types.
leat_status lt_group_table_add_bytes(lt_group_table *table, const char *key, size_t count, uint32_t *out_group,
                                     leat_error *err);
// LT_NO_GROUP: none, or bytes of another type.
// Asks for the slot of a key that will be looked up soon: a hint.
void               lt_group_table_prefetch_bytes(const lt_group_table *table, const char *key, size_t count);
uint32_t           lt_group_table_find_bytes(const lt_group_table *table, const char *key, size_t count);
static inline bool lt_group_table_is_live(const lt_group_table *table, uint32_t group) {
    return ((table->live[group / 64] >> (group % 64)) & 1) != 0;
}
// Appends the canonical bytes of a group's key.
leat_status lt_group_table_key(const lt_group_table *table, uint32_t group, lt_buffer *out, leat_error *err);
// The same behind their number, as lt_buffer_append_bytes.
leat_status lt_group_table_save_key(const lt_group_table *table, uint32_t group, lt_buffer *out, leat_error *err);
// Keys of groups[0..count) into lanes 0..count-1 of flat `columns`, which are new and have room. Texts are views of the
// table's bytes: good until the next group is added.
leat_status lt_group_table_keys(const lt_group_table *table, const uint32_t *groups, uint32_t count, lt_vector *columns,
                                uint32_t key_count, lt_arena *arena, leat_error *err);
void        lt_group_table_remove(lt_group_table *table, uint32_t group);
void        lt_group_table_rest(lt_group_table *table);        // gives work space back, which the next call takes again
uint64_t    lt_group_table_bytes(const lt_group_table *table); // of memory in use
void        lt_group_table_deinit(lt_group_table *table);

#endif
