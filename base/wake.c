#include "base/wake.h"

#include <fcntl.h>
#include <unistd.h>

void lt_wake_init(lt_wake *wake) { *wake = (lt_wake){.read_end = -1, .write_end = -1}; }

int lt_wake_descriptor(lt_wake *wake) {
    int ends[2];
    if (wake->read_end >= 0) return wake->read_end;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    *wake = (lt_wake){.read_end = ends[0], .write_end = ends[1]};
    lt_wake_set(wake); // what came before the descriptor was asked for is news too
    return wake->read_end;
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

void lt_wake_deinit(lt_wake *wake) {
    if (wake->read_end < 0) return;
    (void)close(wake->read_end);
    (void)close(wake->write_end);
    lt_wake_init(wake);
}
