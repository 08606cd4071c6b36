// miss_window: when a fast way that takes only some rows had better not be tried for a while.
//
//     1,024 rows, 300 misses -> sleeps 1,024 rows    again -> sleeps 2,048 rows ...    few misses -> awake
//
// Ownership  none.    Threads  one at a time.    Errors  none.    Cost  two additions a note.
#ifndef LT_STORAGE_MISS_WINDOW_H
#define LT_STORAGE_MISS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { LT_MISS_WINDOW_ROWS = 1024, LT_MISS_SLEEP_ROWS_MAX = 1 << 16 };

typedef struct lt_miss_window {
    uint32_t rows, misses; // of the window so far
    uint32_t sleep_rows;   // rows until the fast way is tried again; the owner counts them down
    uint32_t sleep_length; // of the last sleep
} lt_miss_window;

static inline bool lt_miss_window_sleeps(const lt_miss_window *window) { return window->sleep_rows > 0; }

// `rows` were taken, or one was missed. It sleeps when more than one in `rows_per_miss` rows of a window was missed.
static inline void lt_miss_window_note(lt_miss_window *window, uint32_t rows, bool is_miss, uint32_t rows_per_miss,
                                       bool never_sleeps) {
    window->rows += rows;
    window->misses += is_miss;
    if (window->rows < LT_MISS_WINDOW_ROWS) return;
    if (window->misses * rows_per_miss <= window->rows)
        window->sleep_length = 0;
    else if (window->sleep_length == 0)
        window->sleep_length = LT_MISS_WINDOW_ROWS;
    else if (window->sleep_length < LT_MISS_SLEEP_ROWS_MAX)
        window->sleep_length *= 2;
    if (!never_sleeps) window->sleep_rows = window->sleep_length;
    window->rows = window->misses = 0;
}

#endif
