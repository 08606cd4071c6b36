#include "storage/checkpoint/inside.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct describer {
    lt_checkpoint_give_row give;
    void                  *user;
    int64_t                batch_id; // of the last offsets record, for state records
} describer;

static leat_status describe_record(void *user, const lt_record *record, leat_error *err) {
    describer        *self = user;
    char              size[40];
    lt_checkpoint_row row = {.kind       = lt_record_kind_name(record->kind),
                             .sequence   = record->sequence,
                             .batch_id   = lt_checkpoint_payload_batch(record->payload, record->bytes),
                             .text       = record->payload,
                             .text_bytes = record->bytes};
    if (record->kind == LT_RECORD_OFFSETS) self->batch_id = row.batch_id;
    if (record->kind == LT_RECORD_STATE) {
        row.batch_id   = self->batch_id;
        row.text       = size;
        row.text_bytes = (size_t)snprintf(size, sizeof size, "%zu bytes", record->bytes);
    }
    return self->give(self->user, &row, err);
}

leat_status lt_checkpoint_describe(const lt_fs *fs, const char *path, lt_account *account, lt_checkpoint_give_row give,
                                   void *user, leat_error *err) {
    lt_record_log log;
    lt_arena      arena;
    describer     self = {.give = give, .user = user, .batch_id = -1};
    lt_arena_init(&arena, account);
    const char *folder = lt_arena_format(&arena, "%s/log", path);
    if (folder == NULL) return lt_raise_no_memory(err);
    leat_status status = lt_record_log_open(&log, fs, account, folder, folder, 0, describe_record, &self, err);
    if (status == LEAT_OK) lt_record_log_close(&log);
    lt_arena_deinit(&arena);
    return status;
}
