// timer_heap: which groups fall due when a watermark passes.
//
//     push 12:05 g7    push 12:01 g3    pop_due(12:03) -> g3        earliest first, equal times by group index
//
// Ownership  a timer is two integers; takes nothing.      Threads  one at a time.
// Errors     LEAT_NO_MEMORY; changes nothing.             Cost     push and pop O(log n); 16 bytes a timer.
#ifndef LT_EXEC_STATE_TIMER_HEAP_H
#define LT_EXEC_STATE_TIMER_HEAP_H

#include "base/arena.h"

typedef struct lt_timer {
    int64_t  due_us;
    uint64_t group_index;
} lt_timer;

typedef struct lt_timer_heap {
    lt_account *account; // borrows
    lt_timer   *timers;  // timers[i] is due no later than timers[2i + 1] and timers[2i + 2]
    size_t      count, capacity;
} lt_timer_heap;

void        lt_timer_heap_init(lt_timer_heap *heap, lt_account *account);
leat_status lt_timer_heap_push(lt_timer_heap *heap, lt_timer timer, leat_error *err);
// Takes the earliest timer with due_us <= watermark_us; false: there is none.
bool lt_timer_heap_pop_due(lt_timer_heap *heap, int64_t watermark_us, lt_timer *out);
void lt_timer_heap_deinit(lt_timer_heap *heap);

#endif
