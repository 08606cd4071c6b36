#include "base/clock.h"

#include <sys/random.h>
#include <time.h>

static int64_t read_us(clockid_t id) {
    struct timespec now;
    if (clock_gettime(id, &now) != 0) return 0;
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t lt_clock_now_us(const leat_clock *clock) {
    if (clock != NULL && clock->now_us != NULL) return clock->now_us(clock->user);
    return read_us(CLOCK_REALTIME);
}

int64_t lt_clock_steady_us(const leat_clock *clock) {
    if (clock != NULL && clock->steady_us != NULL) return clock->steady_us(clock->user);
    return read_us(CLOCK_MONOTONIC);
}

void lt_clock_sleep_us(const leat_clock *clock, int64_t duration_us) {
    if (duration_us <= 0) return;
    if (clock != NULL) {
        if (clock->sleep_us != NULL) clock->sleep_us(clock->user, duration_us);
        return;
    }
    // An interrupted sleep ends early on purpose: the signal may ask the caller to stop.
    struct timespec wait = {.tv_sec = (time_t)(duration_us / 1000000), .tv_nsec = (long)(duration_us % 1000000) * 1000};
    nanosleep(&wait, NULL);
}

uint64_t lt_system_random(void) {
    uint64_t value = 0;
    if (getrandom(&value, sizeof value, 0) == (ssize_t)sizeof value) return value;
    // Without the system call (a sandbox) the clocks are what is left; uniqueness is needed, not secrecy.
    return (uint64_t)read_us(CLOCK_REALTIME) * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)read_us(CLOCK_MONOTONIC);
}
