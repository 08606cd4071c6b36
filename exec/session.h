// session: what a session, its tables, statements and standing queries are inside. Private to exec.
//
//     leat_session -> catalog -> streams (lt_stream), tables (lt_table), standing queries (lt_standing)
//                  -> leat_statement: a parsed statement, its result rows
//
// Threads  all of it belongs to whoever holds the session's lock; only is_interrupted is touched from outside.
#ifndef LT_EXEC_SESSION_H
#define LT_EXEC_SESSION_H

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/spare_blocks.h"
#include "base/time_zone.h"
#include "base/value_text.h"
#include "base/wake.h"
#include "exec/operator.h"
#include "exec/state/place_order.h"
#include "exec/state/row_set.h"
#include "exec/state/segments.h"
#include "parser/parser.h"
#include "planner/bind.h"
#include "planner/finish.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/connector.h"
#include "storage/folder_watch.h"
#include "storage/input_prefix.h"
#include "storage/row_queue.h"

#include <pthread.h>
#include <stdatomic.h>

// Rows held in memory: CREATE TABLE, and what a standing query shows. Merging tables take deltas; others only grow at
// their end, or are emptied; of placed ones the rows need not come in the order in which they stand.
typedef struct lt_table {
    lt_row_set      rows;     // merging tables
    lt_segments     segments; // others; places count up to next_place, unless rows have their own
    bool            is_placed;
    lt_place_order  order; // placed: of the rows of segments
    const lt_type **types;
    uint32_t        column_count;
    int64_t         next_place;
    uint64_t        version;         // grows with every change
    uint64_t        rewrite_version; // of the last change that was no append
    lt_buffer       log;             // merging, once somebody follows: the newest changes, as lt_table_write has rows
    uint64_t        log_start;       // of all bytes that were ever logged, how many are not there any more; from 1
    bool            is_logged;
} lt_table;

leat_status lt_table_init(lt_table *table, const lt_type *const *types, uint32_t column_count, bool is_merging,
                          lt_arena *arena, lt_account *account, leat_error *err);
// Moves all of `rows`, made for table->types, to the end of a table that does not merge. places: of a placed table, by
// row; INT64_MIN: the next one.
leat_status lt_table_take(lt_table *table, lt_segments *rows, const int64_t *places, leat_error *err);
// One encoded row (lt_row_encode); `version` and `next_place` are the caller's. Only merging and placed tables look at
// `place`, and only merging ones take a weight below zero.
leat_status lt_table_add(lt_table *table, const char *bytes, size_t count, int64_t weight, int64_t place,
                         leat_error *err);
// Tells those who follow a merging table of a change that was made.
leat_status lt_table_log(lt_table *table, const char *bytes, size_t count, int64_t weight, int64_t place,
                         leat_error *err);
// The changes since *position, which moves to the newest; false: not all of them are known any more (or *position is 0).
bool     lt_table_changes_since(lt_table *table, uint64_t *position, lt_reader *out);
uint64_t lt_table_row_count(const lt_table *table);
// About how many different values a column has, from a few hundred rows all over the table; < 0: not known.
int64_t lt_table_distinct_count(const lt_table *table, uint32_t column, lt_arena *arena);
// About which part of the rows a condition over `columns` of the table holds for, by a few hundred rows; < 0: not known.
double lt_table_matching_part(const lt_table *table, const uint32_t *columns, uint32_t column_count,
                              const lt_expression *condition, lt_evaluation *evaluation, lt_arena *arena);
void   lt_table_reset(lt_table *table); // no rows; places go on
// All rows as {bytes, weight, place}, as a checkpoint holds them, and back.
leat_status lt_table_write(const lt_table *table, lt_buffer *out, leat_error *err);
leat_status lt_table_read(lt_table *table, lt_reader *in, leat_error *err);
// A part of the rows, as lt_operator_kind.save_part; `row_max`: rows of a table that does not merge from there on are
// left out.
leat_status lt_table_write_part(const lt_table *table, uint64_t row_max, uint64_t *cursor, size_t bytes_max,
                                lt_buffer *out, leat_error *err);
// The same for a merging table and rows that have changed: `changes` as lt_table_write has them. Each is written with
// its present weight, 0 for one that has gone, and read back over what is there.
leat_status lt_table_write_present(const lt_table *table, const lt_buffer *changes, lt_buffer *out, leat_error *err);
leat_status lt_table_read_present(lt_table *table, lt_reader *in, leat_error *err);
void        lt_table_deinit(lt_table *table);

// Walks the rows by place; from number `first_row` on where the table does not merge, in the order in which they came if
// that is not 0.
typedef struct lt_table_cursor {
    lt_row_set_cursor rows;
    uint64_t          next_row;
    const uint64_t   *order;      // of a placed table; NULL: as the rows came
    bool              has_places; // of a merging or placed table too
} lt_table_cursor;
leat_status lt_table_open_cursor(lt_table *table, uint64_t first_row, lt_table_cursor *out, leat_error *err);
// The next rows, columns `columns` (NULL: the first column_count) of them; count 0: the end. Lanes are borrowed from
// the table where they can be, else made in `arena`: both end with the next change of the table or reset of the arena.
leat_status lt_table_next(lt_table *table, lt_table_cursor *cursor, const uint32_t *columns, uint32_t column_count,
                          lt_arena *arena, lt_chunk *out, leat_error *err);

// Where rows of a stream or a file table come from.
typedef struct lt_stream {
    const lt_connector *connector;
    const lt_format    *format;  // or NULL
    lt_option_values    options; // in the entry's arena
    lt_row_queue       *queue;   // connector memory
    const lt_type     **types;
    const char        **names;
    uint32_t            column_count;
    int32_t             corrupt_column;
    bool                is_static;
    uint32_t            partition_count; // columns of the entry behind column_count, of folders k=v (exec/partitions.h)
    const char         *partition_root;
} lt_stream;

// A source that is open: in a standing query, or for one read.
typedef struct lt_source {
    leat_session           *session;
    const lt_catalog_entry *relation;
    const lt_stream        *stream;
    void                   *state; // of the connector
    lt_arena                arena;
    lt_source_setup         setup;
    lt_decode_target        target;
    lt_source_range         range;
    bool                    is_open;
    lt_node                *node; // scan that takes the rows while read runs
    lt_batch               *batch;
    int64_t                 next_place; // arrival number of the next row
    uint64_t                batch_rows; // rows of this batch
    uint64_t                bad_rows;
    lt_evaluation          *evaluation;
    struct lt_parallel     *parallel;         // what threads read it with, once they did
    lt_vector              *partition_values; // of partition_file, in partition_arena
    const char             *partition_file;
    lt_arena                partition_arena;
    struct lt_folder_skips *folder_skips; // files that the scan does not want (exec/partitions.h)
} lt_source;

// A file table of a standing query, with the files that it had when the query first read it, or last saw a change.
struct lt_held_table {
    const lt_catalog_entry *relation;
    lt_source               source;
    uint64_t                fingerprint, version; // of its files, `refresh true`; how often they have changed
    struct lt_held_table   *next;
};

typedef struct lt_bad_row_entry {
    char    *stream, *path, *column, *reason, *record;
    uint64_t line;
    int64_t  batch_id;
} lt_bad_row_entry;

typedef struct lt_late_row_entry {
    char       *query, *operator_name, *row;
    int64_t     watermark_us, batch_id;
    const char *reason; // late: at or behind the watermark; future: farther ahead than maxWatermarkJump
} lt_late_row_entry;

enum { LT_KEPT_ROWS_MAX = 10000, LT_BAD_RECORD_BYTES_MAX = 4096 };

// The last kept rows of a kind, oldest first out; each in a block of its own.
typedef struct lt_report_rows {
    void   **rows; // ring
    uint32_t count, first;
    uint64_t total;
} lt_report_rows;

typedef struct lt_setting lt_setting;

typedef struct lt_named_value {
    const char            *name;
    const lt_vector       *value;
    struct lt_named_value *next;
} lt_named_value;

struct leat_session {
    leat_options             options;
    lt_account               account;
    lt_arena                 arena; // dies with the session
    lt_fs                    fs;
    leat_file_system         file_system; // copy of the host's
    leat_clock               clock;
    const leat_clock        *clock_used;
    lt_catalog               catalog;
    lt_time_zones           *zones;
    lt_evaluation            evaluation; // template: zone, account, interrupts
    char                     time_zone[LT_TIME_ZONE_ID_BYTES];
    struct lt_standing      *standing;       // in order of creation
    lt_named_value          *parameters;     // by leat_parameter_set
    struct lt_host_function *host_functions; // newest first
    const lt_function      **functions;      // the registry and the host's, ended by NULL; NULL: the registry alone
    lt_report_rows           bad_rows, late_rows;
    char                   **setting_values; // by row of lt_settings; NULL: default
    lt_arena                 settings_arena;
    atomic_bool              is_interrupted;
    _Atomic uint64_t         rows_read; // for leat_rows_read
    uint32_t                 calls;     // public calls under way; a callback must not call back
    bool                     is_in_callback;
    lt_input_prefix          input; // standard input with its first lines kept, for inferring columns
    bool                     is_stdin_taken;
    uint64_t                 random_seed, random_next;
    pthread_mutex_t          lock;
    uint32_t                 lock_depth;  // how often its holder has taken it
    atomic_uint              waiting;     // calls that want the lock while the worker has it
    lt_wake                  wake_signal; // behind leat_wake_fd
    lt_wake                  bell;        // wakes whoever sleeps inside of leat: leat_run, the worker
    lt_folder_watch          folder_watch;
    bool                     has_news_joined; // its descriptor is in wake_signal
    pthread_t                worker;
    bool                     has_worker, is_worker_round;
    uint32_t                 thread_count;    // that share a batch; 0 and 1: the one that runs it
    struct lt_workers       *workers;         // thread_count - 1 of them, made when first needed
    uint64_t                 morsel_bytes;    // that a thread reads at once; 0: the default. For tests
    uint32_t                 held_groups_min; // as the next, see lt_pipeline. For tests
    uint64_t                 held_bytes_max;
    pthread_mutex_t          allocator_lock;
    lt_spare_blocks          spare_blocks; // of a session without an allocator of its own
    atomic_bool              is_closing;
    leat_statement          *statements; // made from the session and not yet closed, as the next two
    leat_query              *queries;
    leat_append             *appends;
};

typedef enum lt_trigger_kind {
    LT_TRIGGER_DEFAULT,
    LT_TRIGGER_INTERVAL,
    LT_TRIGGER_ONCE,
    LT_TRIGGER_AVAILABLE_NOW
} lt_trigger_kind;

enum { LT_PROGRESS_KEPT = 100 };

// What an operator with a state did in one batch: one of Spark's stateOperators.
typedef struct lt_operator_progress {
    uint32_t       id; // of its plan node
    lt_node_counts counts;
    lt_state_size  size;
} lt_operator_progress;

// What a plan node has done since the last start, as of the last commit; kept when the query stops.
typedef struct lt_operator_report {
    bool           has_run; // has a node of its own; others run inside the one above them
    lt_node_counts total, last;
    lt_state_size  size;
    const char    *state_name;   // NULL: it keeps nothing
    int64_t        watermark_us; // of the next batch; INT64_MIN: none
    uint32_t       holder;       // the definition that holds it there
} lt_operator_report;

// Where a watermark definition stands.
typedef struct lt_watermark_report {
    const char *stream, *column;
    int64_t     close_us, moved_us; // moved_us: time of the batch behind which it moved; of the first one, if never
} lt_watermark_report;

// What one batch did; printed as Spark's StreamingQueryProgress when somebody asks.
typedef struct lt_progress {
    int64_t  batch_id, timestamp_us, duration_us, since_last_us;
    int64_t  plan_us, log_us, run_us, commit_us; // log_us: the offsets record, a part of plan_us
    uint64_t input_rows, output_rows;            // UINT64_MAX: not counted
    uint64_t rows_updated, rows_removed, rows_dropped;
    uint64_t state_rows, state_bytes;
    bool     has_watermark, has_event_times, has_state;
    int64_t  watermark_us, event_min_us, event_max_us, event_avg_us;
    bool     is_idle;
    uint64_t bad_rows;
} lt_progress;

// What is too large for a copy of each progress: by place in the ring.
typedef struct lt_progress_parts {
    lt_buffer             sources; // of each: rows (u64), start and end offset (bytes; none: empty)
    lt_operator_progress *operators;
} lt_progress_parts;

// What becomes of late rows. KEEP_NET: operators whose emission is net keep them, the others drop (output mode complete).
typedef enum lt_late_rows { LT_LATE_DROP, LT_LATE_KEEP, LT_LATE_KEEP_NET, LT_LATE_FAIL } lt_late_rows;

// What leat_late_rows shows of an operator's input.
typedef struct lt_late_columns {
    const char **names;
    uint32_t    *columns, count;
} lt_late_columns;

typedef struct lt_listener {
    leat_rows_callback  rows;
    leat_batch_callback arrow;
    void               *user;
} lt_listener;

// A standing query.
typedef struct lt_standing {
    leat_session       *session;
    lt_catalog_entry   *entry;
    struct lt_standing *next;
    lt_account          account;
    lt_arena            arena; // plan and options: lives as long as the query
    lt_query_plan       plan, present;
    lt_finish_use       use;
    lt_trigger_kind     trigger;
    int64_t             interval_us;
    const char         *checkpoint_path; // or NULL
    lt_option_values    options;
    const lt_connector *sink_connector; // NULL: memory table
    const lt_format    *sink_format;
    bool                is_sink;

    leat_query_state      state;
    leat_error            error; // when failed
    bool                  is_open;
    lt_pipeline           pipeline;
    lt_arena              run_arena; // opened sources, sink: from start to stop
    lt_source            *sources;   // by number
    struct lt_held_table *held;      // file tables with the files that they had when the query first read them
    lt_checkpoint        *checkpoint;
    void                 *sink_state;
    lt_sink_setup         sink_setup;
    lt_evaluation         evaluation;
    lt_watermark         *watermarks;
    int64_t               batch_id;           // of the next batch
    bool                  must_check_no_data; // a batch ran in this start
    bool                  is_stop_wanted, is_held;
    int64_t               next_trigger_us;
    int64_t               last_trigger_us; // for inputRowsPerSecond
    char                  query_id[40], run_id[40];
    lt_table              table; // result; also of sinks in complete mode
    bool                  has_table;
    lt_row_set            delivered;    // of the running batch: rows in order, weights, places
    bool                  is_growing;   // rows only come: they go from `grown` to the end of the table
    lt_segments           grown;        // is_growing: of the running batch, instead of `delivered`
    lt_place_order        grown_places; // of a placed table
    uint64_t              grown_first;  // its first row once the table has taken it
    bool                  was_op_named; // the query has an op column of its own
    lt_buffer             scratch, table_changes;
    lt_buffer             state_text, commit_text; // of the batch; kept for the next one
    uint32_t              snapshot_node; // a snapshot has begun: the node whose part is next; count: the table
    uint64_t              snapshot_cursor, snapshot_rows;
    size_t                snapshot_part_bytes; // the least that a batch writes of a snapshot
    lt_arena              batch_arena, scratch_arena;
    lt_progress           progress[LT_PROGRESS_KEPT];
    uint32_t              progress_count; // ever
    lt_listener           listener;
    lt_progress_parts     progress_parts[LT_PROGRESS_KEPT];
    uint32_t              progress_operators; // by progress_parts[i].operators
    lt_operator_report   *reports;            // by plan id
    lt_watermark_report  *watermark_reports;  // by definition
    lt_buffer             source_names;       // descriptions of the sources, each ended by NUL, then of the sink
    leat_statement       *changes;            // EMIT CHANGES: where deliveries go
    const char           *reason;             // why nothing comes, for leat_queries
    uint64_t              batches_run;
    bool                  is_failure_told; // a statement or call has returned the failure
    lt_late_rows          late_rows;
    lt_late_columns     **late_columns; // by node id * 2 + input; NULL: not asked yet
    int64_t               flush_us;     // flushTimeout; 0: never
    bool                  is_final;     // finalWindows
    bool                  is_flushed;   // flushTimeout has passed and nothing is open
} lt_standing;

// ----------------------------------------------------------------------------------------------------------- relations

// Opens a source over the stream; `scan` (may be NULL) tells which columns are read, `above` (may be NULL), the plan that
// alone gets its rows, which rows need all of them; closes with lt_source_close (also after a failure).
leat_status lt_source_open(lt_source *source, leat_session *session, const lt_catalog_entry *relation, bool is_static,
                           lt_seen_files *seen_files, bool takes_all, const lt_plan *scan, const lt_plan *above,
                           lt_evaluation *evaluation, lt_account *account, leat_error *err);
void        lt_source_close(lt_source *source);
// What the decoder of a source does with rows and bad records: `user` is the source, whose node and batch are set.
leat_status lt_source_give(void *user, const lt_chunk *chunk, leat_error *err);
// Into leat_bad_rows; without memory it is left out.
void        lt_bad_row_keep(leat_session *session, const char *stream, const lt_bad_row *row, int64_t batch_id);
leat_status lt_source_give_bad(void *user, const lt_bad_row *row, leat_error *err);
// Reads source->range and gives the rows to `node`.
leat_status lt_source_read(lt_source *source, lt_node *node, lt_batch *batch, leat_error *err);
// Rows of a relation as of now, for a TableScan or an ad-hoc StreamScan. `user` of a pipeline is the session.
leat_status lt_relation_read(void *user, lt_node *node, lt_batch *batch, leat_error *err);
uint64_t    lt_relation_version(void *user, const lt_catalog_entry *relation);
leat_status lt_relation_read_changes(void *user, lt_node *node, uint64_t *position, bool *out_is_known, lt_batch *batch,
                                     leat_error *err);
bool        lt_relation_has_grown(void *user, const lt_catalog_entry *relation, uint64_t version, uint64_t *out_rows);

// A connector's settings from the options of CREATE STREAM / TABLE / SINK. `using_name` "json" or NULL (connector,
// format options).
typedef struct lt_ast_options_use {
    const lt_ast_options *options;
    const char           *using_name;
    const char           *location;
} lt_ast_options_use;
leat_status lt_options_bind(leat_session *session, const lt_ast_options_use *use, lt_arena *arena,
                            lt_option_values *out, leat_error *err);
// A time above zero: '90s', '10 minutes'; 0: not given. Errors: INVALID_OPTION_VALUE, and those of intervals.
leat_status lt_option_interval(const lt_option_values *options, const char *name, int64_t *out_us, leat_error *err);
const char *lt_option_given(const lt_option_values *options, const char *name); // without case; NULL: not given
// The options changes, opColumn and key (exec/change_streams.c): fills entry->changes, and makes entry->columns those of
// the messages.
leat_status lt_change_spec_bind(const char *changes, const char *op, const char *key, bool is_static,
                                lt_catalog_entry *entry, leat_error *err);
// A message that cannot be followed, by the stream's option mode: into leat_bad_rows, dropped, or an error.
leat_status lt_change_refuse(leat_session *session, const lt_evaluation *evaluation, const lt_node *scan,
                             const lt_chunk *messages, uint32_t row, const char *reason, int64_t batch_id,
                             leat_error *err);
leat_status lt_stream_create(leat_session *session, const lt_option_values *options, const char *using_name,
                             bool is_static, lt_catalog_entry *entry, leat_error *err);
void        lt_stream_destroy(leat_session *session, lt_stream *stream);

// ---------------------------------------------------------------------------------------------------------- statements

// A bound value: a constant vector and its lane; text has the bytes of a STRING.
typedef struct lt_parameter {
    lt_vector vector;
    union {
        int32_t   int32;
        int64_t   int64;
        double    float64;
        uint8_t   truth;
        lt_string string;
    } lane;
    uint64_t  validity;
    lt_buffer text;
} lt_parameter;

// Apart from the statement, which reading a value leaves as it is.
typedef struct lt_value_texts {
    lt_buffer      made;        // where a value's text is made
    lt_arena       kept;        // texts of the present row, until the next step
    lt_value_text  printers[2]; // by lt_value_text_style; made when first wanted, until the result is forgotten
    lt_json_writer writer;
    bool           has_printer[2], has_writer;
} lt_value_texts;
void lt_value_texts_init(lt_value_texts *texts, lt_account *account);
void lt_value_texts_deinit(lt_value_texts *texts);

struct leat_statement {
    leat_session       *session;
    leat_statement     *next, **link; // in the session's list; link: what points here, NULL: in no list
    lt_arena            arena;        // tree and plan
    char               *sql;
    size_t              sql_bytes;
    lt_ast_statement   *tree;
    leat_statement_kind kind;
    uint32_t            parameter_count;
    const lt_vector   **parameters; // by index; NULL: unbound
    lt_parameter       *parameter_values;

    bool                  is_run, is_done;
    lt_arena              result_arena;
    lt_segments           rows;
    bool                  has_rows;
    const lt_plan_column *columns;
    uint32_t              column_count;
    const char          **type_texts;
    uint64_t              row;     // present row + 1
    const lt_segment     *segment; // the present row's
    uint32_t              lane;    // of the present row in the segment
    lt_value_texts       *texts;
    char                 *message;
    lt_evaluation         evaluation;
    lt_standing          *changes;      // EMIT CHANGES
    int64_t               changes_left; // LIMIT of EMIT CHANGES: rows that may still come; below 0: no limit
    void                 *collector;    // of an action that takes rows itself
    bool                  is_delivered; // rows of a batch, given to a callback: stepping over them needs no session
};

// Binds and runs a query now: its rows go to `give`.
leat_status lt_query_plan_bind(leat_session *session, leat_statement *statement, const lt_ast_query *query,
                               bool is_standing, lt_arena *arena, lt_query_plan *out, leat_error *err);
leat_status lt_query_run_now(leat_session *session, const lt_query_plan *plan, lt_evaluation *evaluation,
                             leat_status (*give)(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err),
                             void *user, leat_error *err);
// The same with nodes that note their time; `look` sees them before they are closed.
leat_status
     lt_query_run_measured(leat_session *session, const lt_query_plan *plan, lt_evaluation *evaluation,
                           leat_status (*give)(void *user, const lt_chunk *chunk, lt_batch *batch, leat_error *err),
                           void *user, leat_status (*look)(void *look_user, const lt_pipeline *pipeline, leat_error *err),
                           void *look_user, leat_error *err);
void lt_bind_context_init(leat_session *session, leat_statement *statement, lt_arena *arena, lt_evaluation *evaluation,
                          lt_bind_context *out);
leat_status   lt_relation_read_for_statement(void *user, lt_node *node, lt_batch *batch,
                                             leat_error *err); // user: a statement
lt_evaluation lt_session_evaluation(leat_session *session);    // with the present time
// Runs the action or query of the statement: fills its rows and message.
leat_status lt_statement_run(leat_statement *statement, leat_error *err);
// Schemas and names (statement/schema.c): names of relations become keys of the catalog in a copy of the tree.
leat_status lt_statement_names_resolve(leat_statement *statement, lt_ast_statement **out, leat_error *err);
leat_status lt_run_schema(leat_statement *statement, leat_error *err);
leat_status lt_run_drop_schema(leat_statement *statement, leat_error *err);
leat_status lt_show_schemas(leat_statement *statement, bool (*is_wanted)(const leat_statement *, const char *),
                            leat_error     *err);
leat_status lt_show_current_schema(leat_statement *statement, leat_error *err);
leat_status lt_relation_drop(leat_session *session, lt_catalog_entry *entry, const lt_place *place, leat_error *err);
leat_status lt_run_execute_immediate(leat_statement *statement, leat_error *err);
// The plan of an INSERT, and the relation it goes to.
leat_status lt_insert_bind(leat_statement *statement, const lt_ast_statement *tree, lt_query_plan *out_plan,
                           lt_catalog_entry **out_entry, leat_error *err);
leat_status lt_rows_change_refuse(const lt_ast_statement *tree, leat_error *err); // DELETE, UPDATE, MERGE
// QUERY_NOT_FOUND with the nearest query that is there.
leat_status lt_query_missing(const leat_session *session, const char *name, const lt_place *place, leat_error *err);
// TABLE_OR_VIEW_NOT_FOUND at the statement's name, with the nearest name that is there.
leat_status lt_relation_missing(const leat_statement *statement, const char *name, leat_error *err);
const char *lt_relation_kind_name(lt_relation_kind kind); // STREAM, TABLE, MATERIALIZED VIEW, ...
// What is known of a relation beside its columns: a name and a value per fact, for DESCRIBE EXTENDED.
leat_status lt_relation_facts(leat_statement *statement, const lt_catalog_entry *entry,
                              leat_status (*give)(void *user, const char *name, const char *value, leat_error *err),
                              void *user, leat_error *err);
leat_status lt_show_settings(leat_statement *statement, leat_error *err);
// Comments and properties (statement/notes.c). take: those of a CREATE; alter: SET and UNSET of properties.
leat_status lt_notes_take(leat_statement *statement, const lt_ast_statement *written, lt_catalog_notes *notes,
                          lt_arena *arena, leat_error *err);
leat_status lt_notes_alter(leat_statement *statement, lt_catalog_notes *notes, lt_arena *arena, leat_error *err);
leat_status lt_column_comment_set(leat_statement *statement, lt_catalog_entry *entry, const lt_ast_name *name,
                                  lt_ast_text text, leat_error *err);
// "[a=b, c=d]"; of a schema "((a,b), (c,d))".
leat_status lt_properties_text(const lt_catalog_notes *notes, bool is_schema, lt_arena *arena, const char **out,
                               leat_error *err);
leat_status lt_show_properties(leat_statement *statement, leat_error *err);
leat_status lt_show_create(leat_statement *statement, leat_error *err);
// Keeps the text of a CREATE with the relation that it made; renew: as the relation is now.
leat_status lt_created_note(leat_statement *statement, const lt_ast_statement *written, leat_error *err);
leat_status lt_created_renew(leat_statement *statement, lt_catalog_entry *entry, leat_error *err);
// The notes of the schema that the statement names.
leat_status lt_schema_notes_find(leat_statement *statement, lt_catalog_notes **out, leat_error *err);
leat_status lt_show_partitions(leat_statement *statement, leat_error *err);
leat_status lt_show_collations(leat_statement *statement, bool (*is_wanted)(const leat_statement *, const char *),
                               leat_error     *err);
leat_status lt_describe_schema(leat_statement *statement, leat_error *err);
// Prepares the statement's result for rows of the given columns.
leat_status lt_statement_columns(leat_statement *statement, const lt_plan_column *columns, uint32_t column_count,
                                 leat_error *err);
leat_status lt_statement_give(void *user, const lt_chunk *chunk, lt_batch *batch,
                              leat_error *err); // user: the statement
// One result row of texts (SHOW, DESCRIBE, ...): NULL pointers are NULL.
leat_status lt_statement_text_row(leat_statement *statement, const char *const *texts, leat_error *err);
leat_status lt_statement_text_columns(leat_statement *statement, const char *const *names, uint32_t count,
                                      leat_error *err);
leat_status lt_statement_message_set(leat_statement *statement, leat_error *err, const char *format, ...)
    LT_PRINTF(3, 4);

// Runs a statement that has not run yet.
leat_status lt_statement_begin(leat_statement *statement, leat_error *err);
// LEAT_ROW: rows[statement->row] is there and unread, waited for if need be; LEAT_DONE, or an error.
leat_status lt_statement_advance(leat_statement *statement, leat_error *err);

// Gives the rest of the statement's rows as Arrow arrays; the stream borrows the statement.
leat_status lt_arrow_stream(leat_statement *statement, struct ArrowArrayStream *out, leat_error *err);

// One function per kind of statement; exec/statement/statements.c has the table.
leat_status lt_run_create_relation(leat_statement *statement, leat_error *err); // CREATE STREAM, CREATE TABLE
leat_status lt_run_create_view(leat_statement *statement, leat_error *err);
leat_status lt_run_create_standing(leat_statement *statement, leat_error *err); // CREATE MATERIALIZED VIEW, CREATE SINK
leat_status lt_run_create_function(leat_statement *statement, leat_error *err);
leat_status lt_run_insert(leat_statement *statement, leat_error *err);
leat_status lt_run_alter(leat_statement *statement, leat_error *err); // ALTER TABLE, ALTER VIEW
leat_status lt_run_alter_schema(leat_statement *statement, leat_error *err);
leat_status lt_run_comment_on(leat_statement *statement, leat_error *err);
leat_status lt_run_analyze(leat_statement *statement, leat_error *err);
leat_status lt_run_cache(leat_statement *statement, leat_error *err); // CACHE, UNCACHE, REFRESH TABLE, CLEAR CACHE
leat_status lt_run_truncate(leat_statement *statement, leat_error *err);
// Binds a column list into entry->columns, in the entry's arena.
leat_status lt_columns_bind(leat_statement *statement, const lt_ast_columns *columns, lt_catalog_entry *entry,
                            leat_error *err);
leat_status lt_view_replace(leat_statement *statement, lt_catalog_entry *entry,
                            leat_error *err); // ALTER VIEW v AS query
leat_status lt_run_drop(leat_statement *statement, leat_error *err);
leat_status lt_run_show(leat_statement *statement, leat_error *err);
leat_status lt_run_describe(leat_statement *statement, leat_error *err);
leat_status lt_run_explain(leat_statement *statement, leat_error *err);
leat_status lt_run_set(leat_statement *statement, leat_error *err);
leat_status lt_run_variable(leat_statement *statement, leat_error *err);
leat_status lt_run_copy(leat_statement *statement, leat_error *err);
leat_status lt_run_control(leat_statement *statement, leat_error *err); // PROCESS ALL, AWAIT, START, STOP
// SELECT ... EMIT CHANGES: a standing query of the statement's own, whose changes become the statement's rows.
leat_status lt_standing_changes(leat_statement *statement, leat_error *err);

// ---------------------------------------------------------------------------------------------------- standing queries

extern const lt_option lt_standing_options[]; // of CREATE MATERIALIZED VIEW and SINK; ended by {0}
lt_standing           *lt_standing_find(const leat_session *session, const char *name);
leat_status lt_standing_create(leat_session *session, leat_statement *statement, const lt_ast_statement *tree,
                               lt_standing **out, leat_error *err);
// Opens sources, checkpoint and state; ready for batches. A query that is open already: nothing.
leat_status lt_standing_start(lt_standing *query, leat_error *err);
void        lt_standing_stop(lt_standing *query); // closes everything but its table
void        lt_standing_destroy(lt_standing **query);
// Takes the query out of the session and destroys it.
void lt_standing_drop(leat_session *session, lt_standing *query);
// LEAT_MISUSE while a standing query, running or stopped, reads `entry`: its plan holds on to the relation.
leat_status lt_standing_refuse_drop(const leat_session *session, const lt_catalog_entry *entry, const lt_place *place,
                                    leat_error *err);
// Runs at most one batch. *out_ran: whether one ran. A failure is kept in the query and returned.
leat_status lt_standing_step(lt_standing *query, bool *out_ran, leat_error *err);
// Until no batch is due, no-data batches included.
// When, in now_us time, an idleTimeout or flushTimeout ends; INT64_MAX: never.
int64_t     lt_standing_clock_next_us(const lt_standing *query);
leat_status lt_standing_process(lt_standing *query, int64_t deadline_steady_us, leat_error *err);
leat_status lt_standing_await(lt_standing *query, int64_t deadline_steady_us, leat_error *err);
// File tables that the query reads (held_tables.c). refresh: before a batch, new versions of those that are refreshed.
leat_status lt_held_table_read(lt_standing *query, lt_node *node, lt_batch *batch, leat_error *err);
leat_status lt_held_tables_refresh(lt_standing *query, leat_error *err);
uint64_t    lt_held_table_version(const lt_standing *query, const lt_catalog_entry *relation);
bool        lt_held_tables_can_change(const lt_standing *query);
leat_status lt_standing_read(lt_standing *query, lt_node *node, lt_batch *batch,
                             leat_error *err); // rows of its table for a scan
leat_status lt_progress_print(const lt_standing *query, const lt_progress *progress, lt_buffer *out, leat_error *err);
// What the nodes of a pipeline that has just committed a batch did: into the reports, into the sums of `progress`, and
// into the next place of the ring.
void lt_progress_operators(lt_standing *query, const lt_batch *batch, lt_progress *progress);
// Behind the opening of sources, pipeline and sink: reports from nothing, names of sources and sink.
leat_status lt_progress_open(lt_standing *query, leat_error *err);
void        lt_progress_deinit(lt_standing *query);
// Keeps it as the query's newest progress.
leat_status lt_progress_note(lt_standing *query, const lt_progress *progress, leat_error *err);
// yyyy-MM-dd'T'HH:mm:ss.SSS'Z'
leat_status        lt_progress_instant_append(lt_buffer *out, int64_t us, leat_error *err);
const lt_progress *lt_progress_last(const lt_standing *query);
const lt_progress *lt_progress_last_batch(const lt_standing *query); // without the report of an idle time behind it
// The query has nothing to do: where that has been told less than ten seconds ago, nothing; else a report with the state
// of the last batch, in the place of the one before if that is of the same idle time.
leat_status lt_progress_note_idle(lt_standing *query, leat_error *err);
// A report of a run that has read nothing yet.
leat_status lt_progress_note_nothing(lt_standing *query, leat_error *err);
const char *lt_query_state_name(leat_query_state state); // READY, RUNNING, ...

// ------------------------------------------------------------------------------------------------------------ settings

struct lt_setting {
    const char *name;  // camelCase
    const char *spark; // spark.sql... key that means the same, or NULL
    const char *words; // as lt_option.words
    const char *initial;
    const char *summary;
};
extern const lt_setting lt_settings[]; // ended by {0}
const char             *lt_setting_text(const leat_session *session, const char *name);
bool                    lt_session_recomputes_all(const leat_session *session); // SET recompute = 'all'
leat_status lt_setting_set(leat_session *session, const char *name, const char *value, const lt_place *place,
                           leat_error *err);

void lt_report_rows_add(leat_session *session, lt_report_rows *kept, void *row);

// System tables: leat_queries, leat_progress, ...; exec/system_tables.c has the list.
typedef struct lt_system_table {
    const char *name;
    const char *columns; // "name STRING, batchId BIGINT"
    leat_status (*rows)(leat_session *session, lt_node *node, lt_batch *batch, leat_error *err);
    const char *summary;
} lt_system_table;
leat_status lt_system_tables_register(leat_session *session, leat_error *err);
// A relation that takes one text or nothing: leat_checkpoint('ck'), sql_keywords(). *out NULL: there is none of the name
// that takes that; `argument` NULL: nothing.
leat_status lt_system_function_open(const char *name, const char *argument, lt_arena *arena,
                                    const lt_catalog_entry **out, leat_error *err);

// Public calls: enter checks misuse, takes the lock and forgets old errors; leave gives the lock back.
leat_status lt_session_enter(leat_session *session, leat_error *err);
// The same, LEAT_TIMEOUT once timeout_us has passed; below 0: waits as long as it takes.
leat_status lt_session_enter_within(leat_session *session, int64_t timeout_us, leat_error *err);
void        lt_session_leave(leat_session *session);
bool        lt_session_is_interrupted(void *session);
// Waits with the lock given back, so that calls from other threads and the worker go on; the call stays under way. Ends
// early when there is news.
void lt_session_sleep(leat_session *session, int64_t duration_us);
// How long a caller who found nothing to do may sleep, below `most_us`.
int64_t lt_session_pause_us(const leat_session *session, int64_t most_us);
// Tells the worker and leat_wake_fd that there is something to do.
void lt_session_notify(leat_session *session);
// The helpers of this session, one fewer than its threads; NULL: there are none.
leat_status lt_session_workers(leat_session *session, struct lt_workers **out, leat_error *err);
// What calls are bound to: the registry and the host's functions.
const lt_function *const *lt_session_functions(const leat_session *session);
// For leat_close: frees what the host has not closed.
void lt_queries_close(leat_session *session);
void lt_appends_close(leat_session *session);
void lt_host_functions_close(leat_session *session);

#endif
