// decode_rig: runs a format's decoder over bytes cut in any way and collects rows and bad rows as text. Header only.
#ifndef LT_TESTS_UNIT_DECODE_RIG_H
#define LT_TESTS_UNIT_DECODE_RIG_H

#include "base/lane_numbers.h"
#include "base/value_text.h"
#include "storage/format.h"

#include <stdio.h>
#include <stdlib.h>

enum { RIG_COLUMNS_MAX = 300, RIG_OPTIONS_MAX = 16 };

typedef struct decode_rig {
    lt_account       account;
    lt_evaluation    evaluation;
    lt_buffer        rows; // a line a row, values by TAB, as the conformance files print them
    lt_buffer        bad;  // "line@offset column: record" a line each
    uint32_t         chunks;
    const lt_type   *types[RIG_COLUMNS_MAX];
    const char      *names[RIG_COLUMNS_MAX];
    bool             is_wanted[RIG_COLUMNS_MAX];
    lt_decode_target target;
    // A filter over the rows: those outside of the ranges are a line without values. The decoder need not know of it.
    const lt_decode_range *filter;
    uint32_t               filter_count;
    lt_option_value        options[RIG_OPTIONS_MAX];
    lt_option_values       option_values;
    struct leat_error      err;
    leat_status            status;
} decode_rig;

static bool rig_is_kept(const decode_rig *rig, const lt_chunk *chunk, uint32_t row) {
    for (uint32_t r = 0; r < rig->filter_count; r++) {
        const lt_decode_range *range  = &rig->filter[r];
        const lt_vector       *column = &chunk->columns[range->column];
        if (lt_vector_is_null(column, row)) return false;
        const int64_t value = lt_value_integer(column, row);
        if (value < range->min || value > range->max) return false;
    }
    return true;
}

static leat_status rig_give(void *user, const lt_chunk *chunk, leat_error *err) {
    decode_rig   *rig = user;
    lt_value_text printer;
    LT_TRY(lt_value_text_init(&printer, LT_VALUE_TEXT_CAST, &rig->evaluation, err));
    rig->chunks++;
    for (uint32_t row = 0; row < chunk->count; row++) {
        if (!rig_is_kept(rig, chunk, row)) {
            LT_TRY(lt_buffer_append_text(&rig->rows, "-\n", err));
            continue;
        }
        for (uint32_t c = 0; c < chunk->column_count; c++) {
            if (c > 0) LT_TRY(lt_buffer_append_byte(&rig->rows, '\t', err));
            if (lt_vector_is_null(&chunk->columns[c], row))
                LT_TRY(lt_buffer_append_text(&rig->rows, "NULL", err));
            else
                LT_TRY(lt_value_text_append(&printer, &chunk->columns[c], row, &rig->rows, err));
        }
        LT_TRY(lt_buffer_append_byte(&rig->rows, '\n', err));
    }
    return LEAT_OK;
}

static leat_status rig_give_bad(void *user, const lt_bad_row *row, leat_error *err) {
    decode_rig *rig = user;
    return lt_buffer_format(&rig->bad, err, "%llu@%llu %s: %.*s\n", (unsigned long long)row->line,
                            (unsigned long long)row->offset, row->column == NULL ? "-" : row->column,
                            (int)row->record_bytes, row->record);
}

static inline void rig_init(decode_rig *rig) {
    *rig = (decode_rig){.evaluation = {.time_zone = "UTC"}};
    lt_account_init(&rig->account, NULL, NULL, 0);
    lt_buffer_init(&rig->rows, &rig->account, 0);
    lt_buffer_init(&rig->bad, &rig->account, 0);
    rig->evaluation.account   = &rig->account;
    rig->target               = (lt_decode_target){.types          = rig->types,
                                                   .names          = rig->names,
                                                   .corrupt_column = -1,
                                                   .give           = rig_give,
                                                   .give_bad       = rig_give_bad,
                                                   .user           = rig,
                                                   .evaluation     = &rig->evaluation,
                                                   .account        = &rig->account};
    rig->option_values.values = rig->options;
}

static inline void rig_column(decode_rig *rig, const char *name, const lt_type *type) {
    rig->is_wanted[rig->target.column_count] = true;
    rig->names[rig->target.column_count]     = name;
    rig->types[rig->target.column_count++]   = type;
}

static inline void rig_option(decode_rig *rig, const char *name, const char *value) {
    rig->options[rig->option_values.count++] = (lt_option_value){.name = name, .value = value};
}

// Decodes `bytes` as one file in pieces of `cut` bytes; results in rig->rows, rig->bad, rig->status, rig->err.
static inline void rig_run(decode_rig *rig, const lt_format *format, const char *bytes, size_t count, size_t cut) {
    void *decoder = calloc(1, format->decoder_bytes);
    lt_error_reset(&rig->err);
    lt_buffer_reset(&rig->rows);
    lt_buffer_reset(&rig->bad);
    rig->status = format->open(decoder, &rig->option_values, &rig->target, &rig->err);
    if (rig->status == LEAT_OK) rig->status = format->begin(decoder, "f", &rig->err);
    for (size_t at = 0, more = 1; rig->status == LEAT_OK && more;) {
        const size_t piece = count - at < cut ? count - at : cut;
        char        *copy  = malloc(piece + 1); // so that a view kept too long is seen by a sanitizer
        if (piece > 0) memcpy(copy, bytes + at, piece);
        at += piece;
        more        = at < count;
        char *exact = realloc(copy, piece > 0 ? piece : 1);
        rig->status = format->decode(decoder, exact, piece, !more, &rig->err);
        free(exact);
    }
    if (rig->status == LEAT_OK) rig->status = format->flush(decoder, &rig->err);
    format->close(decoder);
    free(decoder);
    (void)lt_buffer_append(&rig->rows, "", 0, NULL);
    (void)lt_buffer_append(&rig->bad, "", 0, NULL);
}

static inline const char *rig_rows(const decode_rig *rig) { return rig->rows.data == NULL ? "" : rig->rows.data; }
static inline const char *rig_bad(const decode_rig *rig) { return rig->bad.data == NULL ? "" : rig->bad.data; }

static inline void rig_deinit(decode_rig *rig) {
    lt_buffer_deinit(&rig->rows);
    lt_buffer_deinit(&rig->bad);
}

#endif
