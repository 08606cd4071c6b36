// group_array: an item for each group of a table, side by side. Grows without touching what nobody uses yet, so that
// room for twice the groups costs no memory until they are there; who makes a group writes its item.
//
// Ownership  owns its items, not what they point at.  Errors  LEAT_NO_MEMORY; nothing changed then.
#ifndef LT_EXEC_STATE_GROUP_ARRAY_H
#define LT_EXEC_STATE_GROUP_ARRAY_H

#include "base/arena.h"

typedef struct lt_group_array {
    void    *items;
    uint32_t capacity; // items
} lt_group_array;

// Room for `capacity` items in all.
static inline leat_status lt_group_array_reserve(lt_group_array *array, size_t item_bytes, uint32_t capacity,
                                                 lt_account *account, leat_error *err) {
    if (capacity <= array->capacity) return LEAT_OK;
    void *items =
        lt_account_reallocate(account, array->items, item_bytes * array->capacity, item_bytes * (size_t)capacity);
    if (items == NULL) return lt_raise_no_memory(err);
    array->items    = items;
    array->capacity = capacity;
    return LEAT_OK;
}

static inline void lt_group_array_deinit(lt_group_array *array, size_t item_bytes, lt_account *account) {
    lt_account_reallocate(account, array->items, item_bytes * array->capacity, 0);
    *array = (lt_group_array){0};
}

// Typed access: LT_GROUP_ITEM(&array, int64_t, group).
#define LT_GROUP_ITEM(array, type, group) (((type *)(array)->items)[group])

#endif
