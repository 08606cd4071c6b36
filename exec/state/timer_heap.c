#include "exec/state/timer_heap.h"

void lt_timer_heap_init(lt_timer_heap *heap, lt_account *account) { *heap = (lt_timer_heap){.account = account}; }

void lt_timer_heap_deinit(lt_timer_heap *heap) {
    lt_account_reallocate(heap->account, heap->timers, sizeof *heap->timers * heap->capacity, 0);
    lt_timer_heap_init(heap, heap->account);
}

static bool is_before(lt_timer a, lt_timer b) {
    return a.due_us < b.due_us || (a.due_us == b.due_us && a.group_index < b.group_index);
}

leat_status lt_timer_heap_push(lt_timer_heap *heap, lt_timer timer, leat_error *err) {
    LT_TRY_GROW(heap->timers, heap->account, heap->count, heap->capacity, 16, err);
    size_t at = heap->count++;
    for (; at > 0 && is_before(timer, heap->timers[(at - 1) / 2]); at = (at - 1) / 2)
        heap->timers[at] = heap->timers[(at - 1) / 2];
    heap->timers[at] = timer;
    return LEAT_OK;
}

bool lt_timer_heap_pop_due(lt_timer_heap *heap, int64_t watermark_us, lt_timer *out) {
    if (heap->count == 0 || heap->timers[0].due_us > watermark_us) return false;
    *out          = heap->timers[0];
    lt_timer last = heap->timers[--heap->count];
    size_t   at   = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
        if (child + 1 < heap->count && is_before(heap->timers[child + 1], heap->timers[child])) child++;
        if (!is_before(heap->timers[child], last)) break;
        heap->timers[at] = heap->timers[child];
        at               = child;
    }
    if (heap->count > 0) heap->timers[at] = last;
    return true;
}
