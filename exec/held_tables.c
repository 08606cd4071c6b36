#include "exec/session.h"

#include "storage/file_source.h"

// held_tables: the file tables that a standing query reads. One keeps the files that it had when the query first read it,
// until the query goes (recorded); one with `refresh true` is looked at before each batch, and a change of its files makes
// a new version, which followed scans compare and joins build again. Cost of a look: a listing of the path.

static leat_status table_open(lt_standing *query, struct lt_held_table *held, leat_error *err) {
    LT_TRY(lt_source_open(&held->source, query->session, held->relation, true, NULL, true, NULL, NULL,
                          &query->evaluation, &query->account, err));
    if (held->relation->is_refreshed) LT_TRY(lt_file_fingerprint(&held->source.setup, &held->fingerprint, err));
    return held->source.stream->connector->source->plan(held->source.state, 0, NULL, &held->source.range, err);
}

static struct lt_held_table *table_find(const lt_standing *query, const lt_catalog_entry *relation) {
    struct lt_held_table *held = query->held;
    while (held != NULL && held->relation != relation) held = held->next;
    return held;
}

leat_status lt_held_table_read(lt_standing *query, lt_node *node, lt_batch *batch, leat_error *err) {
    const lt_catalog_entry *relation = node->plan->as.scan.relation;
    struct lt_held_table   *held     = table_find(query, relation);
    if (held == NULL) {
        LT_TRY_NEW(held, &query->arena, err);
        *held       = (struct lt_held_table){.relation = relation, .next = query->held};
        query->held = held;
        LT_TRY(table_open(query, held, err));
    }
    return lt_source_read(&held->source, node, batch, err);
}

// A path that is not there for a moment leaves the rows that were read.
leat_status lt_held_tables_refresh(lt_standing *query, leat_error *err) {
    for (struct lt_held_table *held = query->held; held != NULL; held = held->next) {
        uint64_t   fingerprint;
        leat_error own = {0};
        if (!held->relation->is_refreshed || !held->source.is_open) continue;
        leat_status status = lt_file_fingerprint(&held->source.setup, &fingerprint, &own);
        if (status == LEAT_IO && own.condition == LT_FILE_NOT_FOUND) continue;
        if (status != LEAT_OK) {
            if (err != NULL) *err = own;
            return status;
        }
        if (fingerprint == held->fingerprint) continue;
        lt_source_close(&held->source);
        held->version++;
        LT_TRY(table_open(query, held, err));
    }
    return LEAT_OK;
}

uint64_t lt_held_table_version(const lt_standing *query, const lt_catalog_entry *relation) {
    const struct lt_held_table *held = table_find(query, relation);
    return held == NULL ? 0 : held->version;
}

bool lt_held_tables_can_change(const lt_standing *query) {
    for (const struct lt_held_table *held = query->held; held != NULL; held = held->next)
        if (held->relation->is_refreshed) return true;
    return false;
}
