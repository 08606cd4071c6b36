#include "base/wake.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

void lt_wake_init(lt_wake *wake) { *wake = (lt_wake){.read_end = -1, .write_end = -1, .group = -1}; }

bool lt_wake_open(lt_wake *wake) {
    int ends[2];
    if (wake->read_end >= 0) return true;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
    wake->read_end  = ends[0];
    wake->write_end = ends[1];
    return true;
}

int lt_wake_descriptor(lt_wake *wake) {
    if (wake->read_end < 0) {
        if (!lt_wake_open(wake)) return -1;
        wake->group = epoll_create1(EPOLL_CLOEXEC);
        lt_wake_add(wake, wake->read_end);
        lt_wake_set(wake); // what came before the descriptor was asked for is news too
    }
    return wake->group >= 0 ? wake->group : wake->read_end;
}

void lt_wake_add(lt_wake *wake, int other) {
    struct epoll_event event = {.events = EPOLLIN};
    if (wake->group >= 0 && other >= 0) (void)epoll_ctl(wake->group, EPOLL_CTL_ADD, other, &event);
}

void lt_wake_set(lt_wake *wake) {
    if (wake->write_end < 0 || wake->is_set) return;
    wake->is_set = write(wake->write_end, "", 1) == 1;
}

void lt_wake_clear(lt_wake *wake) {
    char bytes[16];
    if (!wake->is_set) return;
    while (read(wake->read_end, bytes, sizeof bytes) > 0) continue;
    wake->is_set = false;
}

void lt_wake_wait(int read_end, int other, int64_t timeout_us) {
    struct pollfd   polled[] = {{.fd = read_end, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    struct timespec timeout  = {.tv_sec  = (time_t)(timeout_us / 1000000),
                                .tv_nsec = (long)(timeout_us % 1000000) * 1000};
    if (timeout_us > 0) (void)ppoll(polled, 2, &timeout, NULL);
}

void lt_wake_deinit(lt_wake *wake) {
    if (wake->read_end < 0) return;
    (void)close(wake->read_end);
    (void)close(wake->write_end);
    if (wake->group >= 0) (void)close(wake->group);
    lt_wake_init(wake);
}
