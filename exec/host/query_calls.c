#include "exec/session.h"

#include <strings.h>

// query_calls: the part of leat.h that handles standing queries. A leat_query is a name, looked up at each call, so
// that a dropped query is an error and never a stale pointer.

struct leat_query {
    leat_session *session;
    leat_query   *next, **link; // in the session's list
    char         *name;
    lt_buffer     text;
};

static leat_status query_create(leat_session *session, const char *name, leat_query **out, leat_error *err) {
    char       *copy = lt_account_reallocate(&session->account, NULL, 0, strlen(name) + 1);
    leat_query *self = copy == NULL ? NULL : lt_account_reallocate(&session->account, NULL, 0, sizeof *self);
    if (self == NULL) {
        lt_account_reallocate(&session->account, copy, copy == NULL ? 0 : strlen(name) + 1, 0);
        return lt_raise_no_memory(err);
    }
    memcpy(copy, name, strlen(name) + 1);
    *self = (leat_query){.session = session, .name = copy, .next = session->queries, .link = &session->queries};
    if (self->next != NULL) self->next->link = &self->next;
    session->queries = self;
    lt_buffer_init(&self->text, &session->account, 0);
    *out = self;
    return LEAT_OK;
}

leat_status leat_query_open(leat_session *session, const char *name, leat_query **out_query, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    *out_query         = NULL;
    leat_status status = lt_standing_find(session, name) != NULL
                             ? query_create(session, name, out_query, err)
                             : lt_raise(err, LT_QUERY_NOT_FOUND, NULL, "no standing query `%s`", name);
    lt_session_leave(session);
    return status;
}

void leat_query_close(leat_query **query) {
    if (query == NULL || *query == NULL) return;
    leat_query   *self    = *query;
    leat_session *session = self->session;
    pthread_mutex_lock(&session->lock);
    *self->link = self->next;
    if (self->next != NULL) self->next->link = self->link;
    lt_buffer_deinit(&self->text);
    lt_account_reallocate(&session->account, self->name, strlen(self->name) + 1, 0);
    lt_account_reallocate(&session->account, self, sizeof *self, 0);
    pthread_mutex_unlock(&session->lock);
    *query = NULL;
}

void lt_queries_close(leat_session *session) {
    while (session->queries != NULL) {
        leat_query *query = session->queries;
        leat_query_close(&query);
    }
}

const char *leat_query_name(const leat_query *query) { return query->name; }

// The standing query behind a handle, with the session entered; leave it afterwards.
static leat_status query_enter_within(leat_query *query, int64_t timeout_us, lt_standing **out, leat_error *err) {
    LT_TRY(lt_session_enter_within(query->session, timeout_us, err));
    *out = lt_standing_find(query->session, query->name);
    if (*out != NULL) return LEAT_OK;
    lt_session_leave(query->session);
    return lt_raise(err, LT_QUERY_NOT_FOUND, NULL, "query `%s` was dropped", query->name);
}

static leat_status query_enter(leat_query *query, lt_standing **out, leat_error *err) {
    return query_enter_within(query, -1, out, err);
}

leat_query_state leat_query_status(leat_query *query, leat_error *err) {
    lt_standing *standing;
    if (query_enter(query, &standing, err) != LEAT_OK) return LEAT_QUERY_FAILED;
    leat_query_state state = standing->state;
    if (state == LEAT_QUERY_FAILED && err != NULL) *err = standing->error;
    lt_session_leave(query->session);
    return state;
}

const char *leat_query_progress(leat_query *query) {
    lt_standing *standing;
    if (query_enter(query, &standing, NULL) != LEAT_OK) return "";
    const lt_progress *last = lt_progress_last(standing);
    lt_buffer_reset(&query->text);
    leat_status status = last == NULL ? LEAT_DONE : lt_progress_print(standing, last, &query->text, NULL);
    lt_session_leave(query->session);
    return status == LEAT_OK ? query->text.data : "";
}

static int64_t deadline_of(const leat_session *session, int64_t timeout_us) {
    return timeout_us < 0 ? INT64_MAX : lt_clock_steady_us(session->clock_used) + timeout_us;
}

leat_status leat_query_process(leat_query *query, int64_t timeout_us, leat_error *err) {
    lt_standing *standing;
    LT_TRY(query_enter(query, &standing, err));
    leat_status status = lt_standing_process(standing, deadline_of(query->session, timeout_us), err);
    lt_session_leave(query->session);
    return status;
}

leat_status leat_query_await(leat_query *query, int64_t timeout_us, leat_error *err) {
    lt_standing *standing;
    LT_TRY(query_enter(query, &standing, err));
    leat_status status = lt_standing_await(standing, deadline_of(query->session, timeout_us), err);
    lt_session_leave(query->session);
    return status;
}

leat_status leat_query_stop(leat_query *query, int64_t timeout_us, leat_error *err) {
    lt_standing *standing;
    LT_TRY(query_enter_within(query, timeout_us, &standing, err)); // no batch runs while the lock is held
    lt_standing_stop(standing);
    lt_session_leave(query->session);
    return LEAT_OK;
}

leat_status leat_query_start(leat_query *query, leat_error *err) {
    lt_standing *standing;
    LT_TRY(query_enter(query, &standing, err));
    leat_status status = lt_standing_start(standing, err);
    lt_session_leave(query->session);
    return status;
}

const char *leat_query_at(leat_session *session, uint32_t index) {
    for (const lt_standing *query = session->standing; query != NULL; query = query->next)
        if (query->changes == NULL && index-- == 0) return query->entry->name;
    return NULL;
}

static leat_status listener_set(leat_session *session, const char *name, lt_listener listener, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    lt_standing *query  = lt_standing_find(session, name);
    leat_status  status = LEAT_OK;
    if (query == NULL)
        status = lt_raise(err, LT_QUERY_NOT_FOUND, NULL, "no standing query `%s`", name);
    else
        query->listener = listener;
    lt_session_leave(session);
    return status;
}

leat_status leat_callback_set(leat_session *session, const char *sink, leat_batch_callback call, void *user,
                              leat_error *err) {
    return listener_set(session, sink, (lt_listener){.arrow = call, .user = user}, err);
}

leat_status leat_rows_callback_set(leat_session *session, const char *query, leat_rows_callback call, void *user,
                                   leat_error *err) {
    return listener_set(session, query, (lt_listener){.rows = call, .user = user}, err);
}
