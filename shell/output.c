#include "shell/output.h"

#include "shell/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_BLOCK_BYTES = 64 * 1024 };

void lt_output_init(lt_output *output, int descriptor) {
    *output = (lt_output){.descriptor = descriptor, .is_terminal = isatty(descriptor) == 1};
    pthread_mutex_init(&output->lock, NULL);
}

int lt_output_open(lt_output *output, const char *path) {
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return errno;
    lt_output_init(output, descriptor);
    output->is_own = true;
    output->path   = lt_shell_copy(path, strlen(path));
    return 0;
}

static void pending_write(lt_output *output) {
    size_t done = 0;
    if (output->is_terminal && output->pending.bytes > 0) lt_status_erase();
    while (done < output->pending.bytes && output->failure == 0 && !output->has_reader_left) {
        const ssize_t count = write(output->descriptor, output->pending.data + done, output->pending.bytes - done);
        if (count >= 0) {
            done += (size_t)count;
        } else if (errno == EAGAIN) {
            struct pollfd waits = {.fd = output->descriptor, .events = POLLOUT};
            (void)poll(&waits, 1, 1000);
        } else if (errno == EPIPE) {
            output->has_reader_left = true;
        } else if (errno != EINTR) {
            output->failure = errno;
        }
    }
    output->pending.bytes = 0;
}

void lt_output_write(lt_output *output, const char *bytes, size_t count) {
    pthread_mutex_lock(&output->lock);
    if (output->failure == 0 && !output->has_reader_left) {
        lt_text_append(&output->pending, bytes, count);
        if (output->pending.bytes >= OUTPUT_BLOCK_BYTES && !output->is_held) pending_write(output);
    }
    pthread_mutex_unlock(&output->lock);
}

void lt_output_put(lt_output *output, const char *text) { lt_output_write(output, text, strlen(text)); }

void lt_output_flush(lt_output *output) {
    pthread_mutex_lock(&output->lock);
    if (!output->is_held) pending_write(output);
    pthread_mutex_unlock(&output->lock);
}

void lt_output_hold(lt_output *output, bool is_held) {
    pthread_mutex_lock(&output->lock);
    output->is_held = is_held;
    if (!is_held) pending_write(output);
    pthread_mutex_unlock(&output->lock);
}

bool lt_output_has_held(lt_output *output) {
    pthread_mutex_lock(&output->lock);
    const bool has = output->pending.bytes > 0;
    pthread_mutex_unlock(&output->lock);
    return has;
}

int lt_output_close(lt_output *output) {
    lt_output_flush(output);
    if (output->is_own && close(output->descriptor) != 0 && output->failure == 0) output->failure = errno;
    const int failure = output->failure;
    lt_text_free(&output->pending);
    free(output->path);
    output->path = NULL;
    pthread_mutex_destroy(&output->lock);
    return failure;
}

int lt_output_failure(lt_output *output) {
    pthread_mutex_lock(&output->lock);
    const int failure = output->failure;
    pthread_mutex_unlock(&output->lock);
    return failure;
}

bool lt_output_reader_left(lt_output *output) {
    pthread_mutex_lock(&output->lock);
    const bool has_left = output->has_reader_left;
    pthread_mutex_unlock(&output->lock);
    return has_left;
}
