// workers: a round number tells a helper that there is work it has not seen; nothing is queued.
#include "exec/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

typedef struct helper {
    struct lt_workers *workers;
    pthread_t          thread;
    uint32_t           number;
} helper;

struct lt_workers {
    lt_account     *account;
    pthread_mutex_t lock;
    pthread_cond_t  start, idle;
    void (*work)(void *user, uint32_t number); // under the lock, as all below
    void    *user;
    uint64_t round;
    uint32_t running;
    bool     is_closing, is_busy;
    uint32_t count, capacity;
    helper   helpers[];
};

static size_t workers_bytes(uint32_t capacity) { return sizeof(lt_workers) + sizeof(helper) * capacity; }

static void *helper_run(void *user) {
    helper     *self    = user;
    lt_workers *workers = self->workers;
    uint64_t    seen    = 0;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        while (workers->round == seen && !workers->is_closing) pthread_cond_wait(&workers->start, &workers->lock);
        if (workers->is_closing) break;
        seen = workers->round;
        pthread_mutex_unlock(&workers->lock);
        workers->work(workers->user, self->number);
        pthread_mutex_lock(&workers->lock);
        if (--workers->running == 0) pthread_cond_signal(&workers->idle);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

leat_status lt_workers_create(lt_account *account, uint32_t count, lt_workers **out, leat_error *err) {
    sigset_t    all, before;
    char        name[16];
    lt_workers *workers = lt_account_reallocate(account, NULL, 0, workers_bytes(count));
    *out                = workers;
    if (workers == NULL) return lt_raise_no_memory(err);
    *workers = (lt_workers){.account = account, .capacity = count};
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->start, NULL);
    pthread_cond_init(&workers->idle, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // a new thread inherits the mask
    for (; workers->count < count; workers->count++) {
        helper *self = &workers->helpers[workers->count];
        *self        = (helper){.workers = workers, .number = workers->count + 1};
        if (pthread_create(&self->thread, NULL, helper_run, self) != 0) break;
        snprintf(name, sizeof name, "leat-%u", self->number);
        pthread_setname_np(self->thread, name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return LEAT_OK;
}

uint32_t lt_workers_count(const lt_workers *workers) { return workers->count; }
bool     lt_workers_are_busy(const lt_workers *workers) { return workers->is_busy; }

void lt_workers_begin(lt_workers *workers, void (*work)(void *user, uint32_t number), void *user) {
    lt_assert(!workers->is_busy);
    pthread_mutex_lock(&workers->lock);
    workers->work    = work;
    workers->user    = user;
    workers->running = workers->count;
    workers->is_busy = true;
    workers->round++;
    pthread_cond_broadcast(&workers->start);
    pthread_mutex_unlock(&workers->lock);
}

void lt_workers_end(lt_workers *workers) {
    pthread_mutex_lock(&workers->lock);
    while (workers->running > 0) pthread_cond_wait(&workers->idle, &workers->lock);
    workers->is_busy = false;
    pthread_mutex_unlock(&workers->lock);
}

void lt_workers_destroy(lt_workers **workers) {
    lt_workers *self = *workers;
    if (self == NULL) return;
    pthread_mutex_lock(&self->lock);
    self->is_closing = true;
    pthread_cond_broadcast(&self->start);
    pthread_mutex_unlock(&self->lock);
    for (uint32_t i = 0; i < self->count; i++) pthread_join(self->helpers[i].thread, NULL);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->start);
    pthread_cond_destroy(&self->idle);
    (void)lt_account_reallocate(self->account, self, workers_bytes(self->capacity), 0);
    *workers = NULL;
}
