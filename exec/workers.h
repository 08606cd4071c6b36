// workers: threads of a session that wait for work.
//
//     create(3) -> { begin: helpers 1, 2, 3 each call work(user, number) -> end: all have returned }* -> destroy
//
// The thread that begins does its own share between begin and end. Helpers take no signals.
//
// Ownership  owns its threads.     Threads  begin and end: one at a time, the same thread; work: helpers at once.
// Errors     LEAT_NO_MEMORY; fewer threads than asked for, even none, are no error.
// Cost       begin and end: a wake of every helper, about 50 us; nothing in between, idle helpers sleep.
#ifndef LT_EXEC_WORKERS_H
#define LT_EXEC_WORKERS_H

#include "base/arena.h"

enum { LT_THREADS_MAX = 256 };

typedef struct lt_workers lt_workers;

leat_status lt_workers_create(lt_account *account, uint32_t count, lt_workers **out, leat_error *err);
uint32_t    lt_workers_count(const lt_workers *workers); // helpers that there are
bool        lt_workers_are_busy(const lt_workers *workers);
void        lt_workers_begin(lt_workers *workers, void (*work)(void *user, uint32_t number), void *user);
void        lt_workers_end(lt_workers *workers);
void        lt_workers_destroy(lt_workers **workers);

#endif
