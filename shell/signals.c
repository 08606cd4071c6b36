#include "shell/shell.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// signals: handlers only set flags, ask the library to stop and arm alarm(2), all of which may be done in a handler. A
// request can meet the moment before the library begins to listen; so it is repeated each second until it is consumed.

static _Atomic(leat_session *) target;
static atomic_int              stop_signal, stop_count, mode;
static atomic_bool             is_timed_out;
static int64_t                 timeout_at_us;

static void stop_handle(int number) {
    atomic_store(&stop_signal, number);
    if (atomic_load(&mode) == LT_SIGNALS_PROMPT && number == SIGINT) {
        leat_interrupt(atomic_load(&target));
        alarm(1);
        return;
    }
    if (atomic_fetch_add(&stop_count, 1) > 0) _exit(128 + number);
    if (atomic_load(&mode) == LT_SIGNALS_GRACEFUL) {
        alarm(2);
        return;
    }
    leat_interrupt(atomic_load(&target));
    alarm(1);
}

static void alarm_handle(int number) {
    (void)number;
    if (atomic_load(&stop_signal) == 0) atomic_store(&is_timed_out, true);
    leat_interrupt(atomic_load(&target));
    alarm(1);
}

void lt_signals_begin(leat_session *session) {
    atomic_store(&target, session);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask); // no SA_RESTART: a signal ends a blocking read
    action.sa_handler = stop_handle;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = alarm_handle;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = SIG_IGN; // a reader that has left shows as EPIPE
    sigaction(SIGPIPE, &action, NULL);
}

void lt_signals_mode(lt_signal_mode wanted) { atomic_store(&mode, (int)wanted); }
int  lt_signals_stop(void) { return atomic_load(&stop_signal); }

void lt_signals_forget(void) {
    atomic_store(&stop_signal, 0);
    atomic_store(&stop_count, 0);
    if (timeout_at_us == 0) alarm(0);
}

void lt_timeout_begin(int64_t timeout_us) {
    const struct itimerval timer = {.it_value = {.tv_sec = timeout_us / 1000000, .tv_usec = timeout_us % 1000000}};
    timeout_at_us                = lt_now_us() + timeout_us;
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool lt_timeout_is_over(void) {
    return atomic_load(&is_timed_out) || (timeout_at_us != 0 && lt_now_us() >= timeout_at_us);
}
