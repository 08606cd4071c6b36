// place_order: places of rows that only come, and the numbers of the rows in the order of their places.
//
//     places by number: 3 4 4 9 | 1 4 ..      numbers by place: 4 0 1 2 5 3       equal places by number
//
// Ownership  owns its memory.    Threads  one at a time.    Errors  LEAT_NO_MEMORY; nothing changed then.
// Cost       append O(1) a row. Numbers: nothing while places ascend; else O(new log new + all) once after rows came.
//            8 bytes a row, 8 more once they do not ascend and somebody asked.
#ifndef LT_EXEC_STATE_PLACE_ORDER_H
#define LT_EXEC_STATE_PLACE_ORDER_H

#include "base/arena.h"

typedef struct lt_place_order {
    lt_account *account;
    int64_t    *places;
    uint64_t    count, capacity;
    bool        is_ascending;
    uint64_t   *numbers; // of the first sorted_count rows; NULL: nobody has asked
    uint64_t    sorted_count, number_capacity;
} lt_place_order;

void        lt_place_order_init(lt_place_order *self, lt_account *account);
leat_status lt_place_order_append(lt_place_order *self, int64_t place, leat_error *err);
// *out NULL: 0, 1, 2, ... Valid until the next call that changes anything.
leat_status lt_place_order_numbers(lt_place_order *self, const uint64_t **out, leat_error *err);
void        lt_place_order_reset(lt_place_order *self);
void        lt_place_order_deinit(lt_place_order *self);

#endif
