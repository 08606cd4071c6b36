// clock: time and entropy, injected or the system's.
//
// Threads  any.   `clock` NULL, or a member NULL, means the system's; only sleep_us NULL in a given clock never waits.
#ifndef LT_BASE_CLOCK_H
#define LT_BASE_CLOCK_H

#include "leat.h"

int64_t lt_clock_now_us(const leat_clock *clock);    // since 1970 UTC
int64_t lt_clock_steady_us(const leat_clock *clock); // for durations
void    lt_clock_sleep_us(const leat_clock *clock, int64_t duration_us);
// 64 bits that nobody can predict; what random_seed = 0 stands for.
uint64_t lt_system_random(void);

#endif
