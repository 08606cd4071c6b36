// connector: where rows come from (source) and where they go (sink). storage/connectors/ is the registry, one file
// each. Connectors move bytes and offsets, formats turn bytes into chunks; neither knows the other's inside.
//
//     source   open -> [resume] -> { plan n -> read n -> commit n }* -> close
//     sink     open -> recover -> { begin n -> write* -> stage -> publish -> receipt }* -> close
//
// Offsets are one-line JSON texts; a batch is what lies between two of them. A range that was planned gives the same
// rows however often it is read, unless the source is not replayable (stdin).
//
// Ownership  a state is state_bytes of zeros in the caller's arena; close frees what it grew, also after a failed open.
//            A setup and what it points at are borrowed until close.
// Threads    one at a time.      Errors  LEAT_IO, LEAT_DATA and LEAT_BINDING with the path as data place.
#ifndef LT_STORAGE_CONNECTOR_H
#define LT_STORAGE_CONNECTOR_H

#include "storage/checkpoint/seen_files.h"
#include "storage/format.h"
#include "storage/fs.h"

struct lt_row_queue;
struct lt_input_prefix;
struct lt_folder_watch;
struct lt_file_morsel;

// -------------------------------------------------------------------------------------------------------------- source

typedef struct lt_source_setup {
    const lt_option_values *options;
    const lt_format        *format; // NULL where the connector makes rows itself
    // Columns, where rows and bad records go, session zone, account. give is called inside read only.
    const lt_decode_target *target;
    const lt_fs            *fs;
    const leat_clock       *clock;
    const char             *stream_name;
    // Files: taken files of this source, from lt_checkpoint_seen_files. NULL: no checkpoint, the source keeps its own.
    lt_seen_files *seen_files;
    // Files: tells of new ones; NULL: folders are listed whenever somebody asks.
    struct lt_folder_watch *watch;
    // stdin: leat_options.input; NULL: the host gives no input.
    leat_status (*input)(void *user, void *buffer, size_t capacity, size_t *out_count);
    void                   *input_user;
    struct lt_input_prefix *prefix; // stdin: read instead of input, if not NULL; infer needs it; storage/input_prefix.h
    struct lt_row_queue    *queue;  // memory: the stream's rows, storage/row_queue.h
    uint64_t                random_seed; // generator without option seed
    // A table or an ad-hoc SELECT: one range with everything that is there now; trigger limits do not count.
    bool is_static;
    bool takes_all; // trigger once: a batch takes what is there, maxFilesPerTrigger and its like do not count
    // A chunk never spans two files, and evaluation->file_name names the file during give (input_file_name()).
    bool wants_file_name;
    // Files: folders k=v below the path are descended into; else they are refused (storage/partition_path.h).
    bool reads_partitions;
    // Files whose rows nobody wants: they are not read. NULL: all are.
    bool (*skips_file)(void *user, const char *path);
    void *skips_user;
} lt_source_setup;

typedef struct lt_source_range {
    int64_t batch_id;
    // Offsets, valid until the next plan: NULL before the first batch that took anything. Equal texts: nothing to read.
    const char *start, *end;
    bool        has_input; // start and end differ
    bool        has_more;  // limits left something behind that is there now
    uint64_t    files, bytes;
} lt_source_range;

typedef struct lt_source_outlook {
    bool
        has_ended; // nothing will ever come any more (stdin at its end, generator at numRows, held snapshot is used up)
    // When asking again makes sense, in now_us time. INT64_MIN: at once. INT64_MAX: when somebody appends (memory).
    int64_t next_us;
} lt_source_outlook;

typedef struct lt_source_kind {
    size_t state_bytes;
    bool   needs_format;
    bool   is_replayable;
    // At binding, without a state: option values that exclude each other, a path that is not there. NULL: nothing.
    leat_status (*check)(const lt_source_setup *setup, leat_error *err);
    // Columns for FROM format.`path` and streams without a column list; NULL: the connector needs a column list.
    leat_status (*infer)(const lt_source_setup *setup, lt_arena *arena, const lt_type **out_struct, leat_error *err);
    leat_status (*open)(void *state, const lt_source_setup *setup, leat_error *err);
    // After a restart: batch `batch_id` was the last committed one and ended at `end` (NULL: took nothing yet).
    leat_status (*resume)(void *state, int64_t batch_id, const char *end, leat_error *err);
    // What batch `batch_id` takes. fixed_end NULL: chooses by options; nothing new: start equals end. Else the range
    // that was planned before a restart, exactly. Planning twice without a read in between keeps the first choice.
    leat_status (*plan)(void *state, int64_t batch_id, const char *fixed_end, lt_source_range *out_range,
                        leat_error *err);
    // availableNow: from here on nothing is planned that is not there at this moment. NULL: the source ends by itself.
    leat_status (*hold)(void *state, leat_error *err);
    // Decodes the range in order through target->give, the last chunk included.
    leat_status (*read)(void *state, const lt_source_range *range, leat_error *err);
    // In the place of read: what threads may read apart from each other (storage/file_morsel.h), in the order of read.
    // `morsel_bytes`: how much at once. NULL: nothing but read.
    leat_status (*cut)(void *state, const lt_source_range *range, uint64_t morsel_bytes, lt_arena *arena,
                       struct lt_file_morsel **out_morsels, size_t *out_count, leat_error *err);
    // Batches up to batch_id are durably done: cleanSource, freeing rows. Failures are warnings, never errors. NULL:
    // nothing to do.
    void (*commit)(void *state, int64_t batch_id);
    lt_source_outlook (*outlook)(void *state);
    leat_status (*describe)(void *state, lt_buffer *out, leat_error *err); // "FileStreamSource[file:/dir]"
    void (*close)(void *state);
} lt_source_kind;

// ---------------------------------------------------------------------------------------------------------------- sink

enum { LT_SINK_APPEND = 1, LT_SINK_UPDATE = 2, LT_SINK_COMPLETE = 4, LT_SINK_CHANGELOG = 8 };

typedef struct lt_sink_setup {
    const lt_option_values *options;
    const lt_format        *format; // NULL where the connector takes rows as they are
    const lt_type *const   *types;
    const char *const      *names;
    uint32_t                column_count;
    uint32_t                mode; // one of LT_SINK_*
    const lt_fs            *fs;
    const leat_clock       *clock;
    lt_account             *account;
    lt_evaluation          *evaluation;
    const char             *query_name;
    const char             *query_id; // UUID text of the checkpoint, or of this run
    // console, stdout: leat_options.output; NULL: the host takes no output.
    leat_status (*output)(void *user, const void *bytes, size_t count);
    void *output_user;
    // callback: the session's. NULL: no callback was set.
    leat_status (*batch_begin)(void *user, int64_t batch_id, bool is_replay, leat_error *err);
    leat_status (*batch_write)(void *user, const lt_chunk *chunk, leat_error *err);
    leat_status (*batch_end)(void *user, leat_error *err);
    void *callback_user;
} lt_sink_setup;

typedef struct lt_sink_kind {
    size_t   state_bytes;
    uint32_t modes; // LT_SINK_* that it takes; others: STREAMING_OUTPUT_MODE.UNSUPPORTED_DATASOURCE
    bool     needs_checkpoint;
    bool     needs_format;
    leat_status (*open)(void *state, const lt_sink_setup *setup, leat_error *err);
    // Before the first batch: last committed and last planned batch (-1: none). Removes what batches above the
    // committed one left; refuses (LEAT_CORRUPT) what belongs to batches that were never planned. NULL: nothing to do.
    leat_status (*recover)(void *state, int64_t committed_batch_id, int64_t planned_batch_id, leat_error *err);
    leat_status (*begin)(void *state, int64_t batch_id, bool is_replay, leat_error *err);
    // Rows as the sink's mode delivers them; in changelog mode `op` is the first column. Weights are not looked at.
    leat_status (*write)(void *state, const lt_chunk *chunk, leat_error *err);
    leat_status (*stage)(void *state, leat_error *err);   // all rows are in staging, synced; NULL: nothing
    leat_status (*publish)(void *state, leat_error *err); // they can be seen; repeatable
    // JSON text for the commit record; NULL: none.
    leat_status (*receipt)(void *state, lt_buffer *out, leat_error *err);
    leat_status (*describe)(void *state, lt_buffer *out, leat_error *err); // "FileSink[file:/dir]"
    void (*close)(void *state);                                            // drops what was begun and not published
} lt_sink_kind;

// ----------------------------------------------------------------------------------------------------------- connector

typedef struct lt_connector {
    const char           *name;    // "files"
    const lt_option      *options; // ended by {0}
    const lt_source_kind *source;  // NULL: cannot be read from
    const lt_sink_kind   *sink;    // NULL: cannot be written to
    const char           *summary, *example;
} lt_connector;

const lt_connector              *lt_connector_find(const char *name); // without case; NULL: none
extern const lt_connector *const lt_connector_registry[];

#endif
