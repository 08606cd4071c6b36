#include "shell/status.h"

#include "shell/shell.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// status: a thread draws, since the main thread is inside the library while a statement runs. It asks the library for
// nothing but what any thread may ask. `generation` tells a statement from the next one, so that what was composed for
// one is never drawn below the other.

enum { BEGIN_US = 1000000, ROUND_US = 250000 };

typedef struct status {
    pthread_mutex_t lock;
    pthread_cond_t  news;
    pthread_t       thread;
    bool            has_thread, is_closing, is_active, is_drawn;
    uint64_t        generation;
    lt_shell       *shell;
    char            query[256];
    int64_t         begin_us;
    uint64_t        rows_before;
    char            shown[1024]; // while is_drawn
} status;

static status line = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --------------------------------------------------------------------------------------------------------------- facts

// The sum of all numbers named `key` in a JSON text that leat has written; -1: there is none.
static int64_t json_sum(const char *json, const char *key) {
    char    wanted[64];
    int64_t sum = -1;
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    for (const char *at = json; (at = strstr(at, wanted)) != NULL;) {
        at += strlen(wanted);
        if (*at != '-' && (*at < '0' || *at > '9')) continue;
        sum = (sum < 0 ? 0 : sum) + strtoll(at, NULL, 10);
    }
    return sum;
}

void lt_query_facts_read(const char *json, lt_query_facts *out) {
    static const char mark[]    = "\"watermark\":\"";
    const char       *watermark = strstr(json, mark), *sources = strstr(json, "\"sources\":");
    *out = (lt_query_facts){.batch_id        = json_sum(json, "batchId"),
                            .rows_in         = -1,
                            .rows_per_second = -1,
                            .rows_out        = sources == NULL ? -1 : json_sum(sources, "numOutputRows"),
                            .rows_late       = json_sum(json, "numRowsDroppedByWatermark"),
                            .rows_bad        = -1,
                            .state_rows      = json_sum(json, "numRowsTotal"),
                            .state_bytes     = json_sum(json, "memoryUsedBytes")};
    if (watermark == NULL) return;
    const size_t bytes = strcspn(watermark + sizeof mark - 1, "\"");
    if (bytes < sizeof out->watermark) memcpy(out->watermark, watermark + sizeof mark - 1, bytes);
}

void lt_count_put(lt_shell_text *out, int64_t count) {
    if (count >= 1000000000)
        lt_text_format(out, "%lld.%lld G", (long long)(count / 1000000000), (long long)(count / 100000000 % 10));
    else if (count >= 1000000)
        lt_text_format(out, "%lld.%lld M", (long long)(count / 1000000), (long long)(count / 100000 % 10));
    else if (count >= 1000)
        lt_text_format(out, "%lld,%03lld", (long long)(count / 1000), (long long)(count % 1000));
    else
        lt_text_format(out, "%lld", (long long)count);
}

static void bytes_put(lt_shell_text *out, int64_t bytes) {
    static const char *const units[] = {"KB", "MB", "GB"};
    if (bytes < 1000) {
        lt_text_format(out, "%lld B", (long long)bytes);
        return;
    }
    int unit = 0;
    for (; bytes >= 1000000 && unit < 2; unit++) bytes /= 1000;
    lt_text_format(out, "%lld.%lld %s", (long long)(bytes / 1000), (long long)(bytes / 100 % 10), units[unit]);
}

// How far the watermark is behind the clock; of times long past the watermark itself.
static void watermark_put(lt_shell_text *out, const char *text) {
    struct tm       date = {0};
    int             ms   = 0;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (sscanf(text, "%d-%d-%dT%d:%d:%d.%3d", &date.tm_year, &date.tm_mon, &date.tm_mday, &date.tm_hour, &date.tm_min,
               &date.tm_sec, &ms) != 7)
        return;
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    const int64_t behind = (int64_t)now.tv_sec - (int64_t)timegm(&date);
    if (date.tm_year == 70)
        lt_text_put(out, "no watermark yet");
    else if (behind > 86400 || behind < 0)
        lt_text_format(out, "watermark %.10s %.8s", text, text + 11);
    else if (behind >= 3600)
        lt_text_format(out, "watermark %d h %d min behind", (int)(behind / 3600), (int)(behind / 60 % 60));
    else if (behind >= 60)
        lt_text_format(out, "watermark %d min %d s behind", (int)(behind / 60), (int)(behind % 60));
    else
        lt_text_format(out, "watermark %d s behind", (int)behind);
}

void lt_query_facts_put(const lt_query_facts *facts, bool has_unicode, lt_shell_text *out) {
    const char *dot = has_unicode ? " \u00B7 " : " - ";
    if (facts->batch_id < 0)
        lt_text_put(out, "no batch yet");
    else
        lt_text_format(out, "batch %lld", (long long)facts->batch_id);
    if (facts->rows_in >= 0) {
        lt_text_format(out, "%sin ", dot);
        lt_count_put(out, facts->rows_in);
        lt_text_put(out, " rows");
    }
    if (facts->rows_per_second > 0) {
        lt_text_put(out, ", ");
        lt_count_put(out, facts->rows_per_second);
        lt_text_put(out, "/s");
    }
    if (facts->rows_out >= 0) {
        lt_text_format(out, "%sout ", dot);
        lt_count_put(out, facts->rows_out);
    }
    if (facts->rows_late > 0) lt_text_format(out, "%slate %lld", dot, (long long)facts->rows_late);
    if (facts->rows_bad > 0)
        lt_text_format(out, "%sbad %lld", facts->rows_late > 0 ? ", " : dot, (long long)facts->rows_bad);
    if (facts->watermark[0] != '\0') {
        lt_text_put(out, dot);
        watermark_put(out, facts->watermark);
    }
    if (facts->state_rows < 0) return;
    lt_text_format(out, "%sstate ", dot);
    lt_count_put(out, facts->state_rows);
    lt_text_put(out, " rows, ");
    bytes_put(out, facts->state_bytes);
}

// -------------------------------------------------------------------------------------------------------------- drawing

static void terminal_write(const char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        const ssize_t written = write(STDERR_FILENO, bytes + done, count - done);
        if (written <= 0) return;
        done += (size_t)written;
    }
}

static void erase(void) {
    static const char clear[] = "\r\033[K";
    if (line.is_drawn) terminal_write(clear, sizeof clear - 1);
    line.is_drawn = false;
}

void lt_status_erase(void) {
    pthread_mutex_lock(&line.lock);
    erase();
    pthread_mutex_unlock(&line.lock);
}

// Without the lock: asks the library.
static void compose(lt_shell *shell, const char *name, int64_t begin_us, uint64_t rows_before, lt_shell_text *out) {
    const int64_t spent_us = lt_now_us() - begin_us;
    const int64_t rows     = (int64_t)(leat_rows_read(shell->session) - rows_before);
    const int64_t rate     = spent_us > 0 ? (int64_t)((double)rows * 1e6 / (double)spent_us) : 0;
    leat_query   *query    = NULL;
    if (name[0] != '\0' && leat_query_open(shell->session, name, &query, NULL) == LEAT_OK) {
        lt_query_facts facts;
        lt_query_facts_read(leat_query_progress(query), &facts);
        leat_query_close(&query);
        facts.rows_in         = rows;
        facts.rows_per_second = rate;
        lt_query_facts_put(&facts, shell->show.has_unicode, out);
        return;
    }
    lt_text_format(out, "%lld s", (long long)(spent_us / 1000000));
    if (rows <= 0) return;
    lt_text_put(out, shell->show.has_unicode ? " \u00B7 " : " - ");
    lt_count_put(out, rows);
    lt_text_put(out, " rows read, ");
    lt_count_put(out, rate);
    lt_text_put(out, "/s");
}

static void draw(const lt_shell_text *text) {
    struct winsize size;
    size_t         columns = 80, width;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) columns = size.ws_col;
    lt_shell_text out = {0};
    lt_text_put(&out, "\r");
    lt_text_append(&out, text->data, lt_text_cut(text->data, text->bytes, columns - 1, &width));
    lt_text_put(&out, "\033[K\r");
    if (!line.is_drawn || strcmp(line.shown, out.data) != 0) terminal_write(out.data, out.bytes);
    snprintf(line.shown, sizeof line.shown, "%s", out.data);
    lt_text_free(&out);
    line.is_drawn = true;
}

static void wait_until(int64_t steady_us) {
    const struct timespec until = {.tv_sec = steady_us / 1000000, .tv_nsec = steady_us % 1000000 * 1000};
    (void)pthread_cond_timedwait(&line.news, &line.lock, &until);
}

static void *status_run(void *user) {
    (void)user;
    pthread_mutex_lock(&line.lock);
    while (!line.is_closing) {
        if (!line.is_active) {
            (void)pthread_cond_wait(&line.news, &line.lock);
            continue;
        }
        const int64_t now_us = lt_now_us();
        if (now_us < line.begin_us + BEGIN_US) {
            wait_until(line.begin_us + BEGIN_US);
            continue;
        }
        const uint64_t generation = line.generation, rows_before = line.rows_before;
        const int64_t  begin_us = line.begin_us;
        lt_shell      *shell    = line.shell;
        lt_shell_text  text     = {0};
        char           query[256];
        memcpy(query, line.query, sizeof query);
        pthread_mutex_unlock(&line.lock);
        compose(shell, query, begin_us, rows_before, &text);
        pthread_mutex_lock(&line.lock);
        if (line.is_active && line.generation == generation) draw(&text);
        lt_text_free(&text);
        if (line.is_active) wait_until(now_us + ROUND_US);
    }
    pthread_mutex_unlock(&line.lock);
    return NULL;
}

static bool thread_start(void) {
    sigset_t           all, before;
    pthread_condattr_t attributes;
    if (line.has_thread) return true;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&line.news, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&all); // signals are the main thread's
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line.has_thread = pthread_create(&line.thread, NULL, status_run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return line.has_thread;
}

void lt_status_begin(lt_shell *shell, const char *query) {
    const char *term = getenv("TERM");
    if (!shell->is_error_terminal || shell->is_quiet || term == NULL || strcmp(term, "dumb") == 0) return;
    if (shell->progress != LT_PROGRESS_AUTO && shell->progress != LT_PROGRESS_TTY) return;
    pthread_mutex_lock(&line.lock);
    if (!line.is_active && thread_start()) {
        line.is_active   = true;
        line.shell       = shell;
        line.begin_us    = lt_now_us();
        line.rows_before = leat_rows_read(shell->session);
        line.generation++;
        snprintf(line.query, sizeof line.query, "%s", query == NULL ? "" : query);
        pthread_cond_signal(&line.news);
    }
    pthread_mutex_unlock(&line.lock);
}

void lt_status_end(void) {
    pthread_mutex_lock(&line.lock);
    erase();
    line.is_active = false;
    pthread_mutex_unlock(&line.lock);
}

void lt_status_close(void) {
    lt_status_end();
    pthread_mutex_lock(&line.lock);
    const bool has_thread = line.has_thread;
    line.is_closing       = true;
    if (has_thread) pthread_cond_signal(&line.news);
    pthread_mutex_unlock(&line.lock);
    if (!has_thread) return;
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.news);
    line.has_thread = false;
}
