// group_table: key columns -> dense group index. The one hash table behind aggregation, distinct, deduplication and
// joins.
//
//     slots [tag | group + 1] ...   -> groups[g] {hash, key bytes}        open addressing, load at most 1/2
//
// Keys are rows as canonical bytes (lt_row_encode), so grouping equality is equality of bytes: NULL equals NULL, -0.0
// equals 0.0, NaN equals NaN. Group indexes are dense; a removed group's index is reused, and its key readable no more,
// from the next group that is added on.
//
// Ownership  owns its key bytes.  Threads  one at a time.  Errors  LEAT_NO_MEMORY, LEAT_LIMIT (2^31 groups); nothing
// changed then. Cost       find or add O(1) and one hash per row; removal O(1).
#ifndef LT_EXEC_STATE_GROUP_TABLE_H
#define LT_EXEC_STATE_GROUP_TABLE_H

#include "base/vector.h"

typedef struct lt_group {
    const char *key;
    uint32_t    key_count;
    uint32_t    next_free; // + 1
    uint64_t    hash;
    bool        is_live;
} lt_group;

typedef struct lt_group_table {
    lt_account *account;
    lt_arena    keys;
    uint64_t   *slots; // high 32 bits: tag from the hash; low 32 bits: group + 1; 0 empty, low bits UINT32_MAX: removed
    uint32_t    slot_capacity, slots_used;
    lt_group   *groups;
    uint32_t    group_count, group_capacity; // group_count: used indexes, free ones included
    uint32_t    first_free;
    uint32_t    live_count;
    uint64_t    live_bytes, dead_bytes;
    lt_buffer   scratch;
} lt_group_table;

enum { LT_NO_GROUP = 0xffffffff };

void lt_group_table_init(lt_group_table *table, lt_account *account);
// For each row (rows NULL: 0..count-1): its group, made if it is not there. out_group[i] belongs to rows[i].
leat_status lt_group_table_find_or_add(lt_group_table *table, const lt_vector *keys, uint32_t key_count,
                                       const uint16_t *rows, uint32_t count, uint32_t *out_group, leat_error *err);
// The same without adding: LT_NO_GROUP where there is none.
leat_status lt_group_table_find(lt_group_table *table, const lt_vector *keys, uint32_t key_count, const uint16_t *rows,
                                uint32_t count, uint32_t *out_group, leat_error *err);
// By encoded key.
leat_status lt_group_table_add_bytes(lt_group_table *table, const char *key, size_t count, uint32_t *out_group,
                                     leat_error *err);
uint32_t    lt_group_table_find_bytes(const lt_group_table *table, const char *key, size_t count); // LT_NO_GROUP: none
// Appends the key of a group to the lanes of `columns`.
leat_status lt_group_table_key(const lt_group_table *table, uint32_t group, lt_vector *columns, uint32_t key_count,
                               lt_arena *arena, leat_error *err);
void        lt_group_table_remove(lt_group_table *table, uint32_t group);
void        lt_group_table_deinit(lt_group_table *table);

#endif
