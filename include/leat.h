// leat: streaming SQL in one small library. This is the only public header.
//
// Three uses, ten lines each.
//
// 1. Run SQL once.
//
//     leat_session *session; leat_statement *statement; leat_error *err;
//     leat_error_create(&err);
//     leat_open(NULL, &session, err);
//     if (leat_prepare(session, "SELECT upper('hello')", LEAT_TERMINATED, &statement, NULL, err) != LEAT_OK)
//         puts(leat_error_message(err));
//     while (leat_step(statement, err) == LEAT_ROW)
//         puts(leat_column_text(statement, 0, NULL));
//     leat_statement_close(&statement);
//     leat_close(&session, err);
//     leat_error_destroy(&err);
//
// 2. Keep a query and take its changes.
//
//     leat_execute(session, "CREATE STREAM orders (event STRING, amount INT) USING json OPTIONS (path 'in');"
//                           "CREATE SINK totals WITH (connector = 'callback', outputMode = 'changelog')"
//                           " AS SELECT event, sum(amount) AS total FROM orders GROUP BY event", LEAT_TERMINATED, err);
//     leat_callback_set(session, "totals", on_batch, user, err);
//     int64_t next_us;
//     while (running) {
//         if (leat_run(session, 1000000, &next_us, err) != LEAT_OK) break;
//     }
//
// 3. Feed rows and register a function.
//
//     leat_function twice = {.struct_size = sizeof twice, .name = "twice", .signature = "BIGINT -> BIGINT",
//                            .call = call_twice};
//     leat_function_register(session, &twice, err);
//     leat_execute(session, "CREATE STREAM s (x BIGINT) WITH (connector = 'memory');"
//                           "CREATE MATERIALIZED VIEW q AS SELECT sum(twice(x)) AS total FROM s",
//                  LEAT_TERMINATED, err);
//     leat_append *rows;
//     leat_append_open(session, "s", &rows, err);
//     leat_append_int64(rows, 21, err);
//     leat_append_row_end(rows, err);
//     leat_append_close(&rows, err);
//     leat_run(session, 0, NULL, err);
//
// Rules for every function
//   Errors      a call that can fail returns a leat_status and takes an optional leat_error (NULL is fine), made once
//               and reused. After LEAT_MISUSE nothing has changed.
//   Text        is a pointer and its size in bytes; LEAT_TERMINATED as the size means that it ends with NUL. UTF-8.
//   Ownership   pointers that a function returns are borrowed; each says until when they are valid.
//   Threads     a session and what it made are used by one thread at a time, except where a function says "any thread".
//   Callbacks   run inside leat_run, leat_step or leat_execute; calling back into their session is LEAT_MISUSE.
//   The library prints nothing, reads no environment, sets no signal, and starts no thread unless options.threads asks.
#ifndef LEAT_H
#define LEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LEAT_API __attribute__((visibility("default")))
#else
#define LEAT_API
#endif

#define LEAT_TERMINATED ((size_t)-1)

typedef struct leat_session   leat_session;
typedef struct leat_statement leat_statement;
typedef struct leat_query     leat_query;
typedef struct leat_error     leat_error;
typedef struct leat_append    leat_append;

// What a call came to. Fixed numbers, grouped by tens.
typedef enum leat_status {
    LEAT_OK          = 0,
    LEAT_ROW         = 1,  // leat_step: a row is ready
    LEAT_DONE        = 2,  // leat_step: no more rows
    LEAT_MISUSE      = 10, // the call broke the contract; nothing has changed
    LEAT_SYNTAX      = 20, // the SQL text does not parse
    LEAT_BINDING     = 21, // names, types or rules of the dialect are violated
    LEAT_DATA        = 30, // a value failed: overflow, bad cast, malformed record
    LEAT_IO          = 40, // reading or writing failed
    LEAT_BUSY        = 41, // somebody else holds the resource
    LEAT_CORRUPT     = 50, // bytes on disk are damaged
    LEAT_VERSION     = 51, // bytes on disk are of another version
    LEAT_CHANGED     = 52, // the query is not the one that the checkpoint belongs to
    LEAT_LIMIT       = 60, // a limit was met
    LEAT_NO_MEMORY   = 61,
    LEAT_INTERRUPTED = 70,
    LEAT_TIMEOUT     = 71,
    LEAT_INTERNAL    = 90 // a broken invariant inside leat; only the query it names has ended
} leat_status;

// ------------------------------------------------------------------------------------------------------------- errors

// Where in the SQL text or in the data an error lies. Lines and columns (in characters) count from 1; 0: unknown.
typedef struct leat_place {
    size_t      sql_offset, sql_bytes; // span in the text given to leat_prepare or leat_execute
    uint32_t    sql_line, sql_column;
    const char *path;        // file of data, or NULL
    uint64_t    data_line;   // line in that file
    uint64_t    data_offset; // byte in that file
    const char *data_column; // name of the column, or NULL
} leat_place;

// Makes an error object, one per thread; every call may reuse it. Errors: LEAT_NO_MEMORY. Free with leat_error_destroy.
LEAT_API leat_status leat_error_create(leat_error **out_err);
LEAT_API void        leat_error_destroy(leat_error **err); // NULL is fine; writes NULL
// The last error stored here. Texts and place are borrowed, valid until the next call that takes the object. These
// calls cannot fail.
LEAT_API leat_status leat_error_status(const leat_error *err);
LEAT_API const char *leat_error_message(const leat_error *err); // never NULL; without condition and place
// Spark's name where Spark has one, e.g. DIVIDE_BY_ZERO; or "".
LEAT_API const char *leat_error_condition(const leat_error *err);
LEAT_API const char *leat_error_sqlstate(const leat_error *err); // five characters, or ""
LEAT_API const char *leat_error_query(const leat_error *err);    // standing query that failed, or ""
LEAT_API leat_place  leat_error_place(const leat_error *err);

// ------------------------------------------------------------------------------------------------------------ session

// Memory of the session. `reallocate(user, memory, old_bytes, new_bytes)`: memory NULL and old_bytes 0 allocates,
// new_bytes 0 frees and returns NULL; NULL for new_bytes > 0: there is none. Called from the session's threads, by one
// of them at a time. A session without one uses malloc, and keeps blocks of 512 KiB and more that it has no use for until
// it closes: at most 256 MiB, and with what it uses never more than it once used.
typedef struct leat_allocator {
    void *(*reallocate)(void *user, void *memory, size_t old_bytes, size_t new_bytes);
    void *user;
} leat_allocator;

// Time. `now_us`: microseconds since 1970 UTC, for batch times and current_timestamp(). `steady_us`: for durations.
// `sleep_us` waits at most that long; it is used only inside leat_run, leat_step and leat_execute; NULL: never waits.
typedef struct leat_clock {
    int64_t (*now_us)(void *user);
    int64_t (*steady_us)(void *user);
    void (*sleep_us)(void *user, int64_t duration_us);
    void *user;
} leat_clock;

// The file system as leat sees it, for hosts that keep files elsewhere and for tests. Every call returns 0 or an errno
// value; a path ends with NUL. Called from the session's threads, by one of them at a time: a session with a file system
// of the host reads with one thread. leat adds nothing to a path but the session's folder.
enum {
    LEAT_OPEN_READ      = 1,  // for reading
    LEAT_OPEN_WRITE     = 2,  // for writing; with READ both
    LEAT_OPEN_CREATE    = 4,  // make it if it is not there, readable by the owner only
    LEAT_OPEN_EXCLUSIVE = 8,  // with CREATE: EEXIST if it is there
    LEAT_OPEN_NO_FOLLOW = 16, // ELOOP if the last part is a symbolic link
    LEAT_OPEN_FOLDER    = 32, // a folder, opened only to be synced
    LEAT_OPEN_SHARED    = 64  // with CREATE: readable by others as far as the process allows, for output of users
};
enum { LEAT_FILE_UNKNOWN = 0, LEAT_FILE_REGULAR = 1, LEAT_FILE_FOLDER = 2, LEAT_FILE_LINK = 3, LEAT_FILE_OTHER = 4 };
typedef struct leat_file_info {
    uint64_t bytes;
    int64_t  modified_us;   // since 1970 UTC
    uint64_t device, inode; // together they name the file, whatever its path
    uint32_t kind;          // LEAT_FILE_*; UNKNOWN only from list
} leat_file_info;
#define LEAT_OFFSET_NEXT UINT64_MAX // read: behind the last read, for pipes; write: at the end
typedef struct leat_file_system {
    size_t struct_size; // sizeof(leat_file_system)
    int (*open)(void *user, const char *path, uint32_t flags, void **out_file);
    int (*close)(void *user, void *file); // frees the handle and its lock, also on error
    // May move fewer bytes than asked; a read that moves 0 is at the end.
    int (*read)(void *user, void *file, uint64_t offset, void *buffer, size_t count, size_t *out_count);
    int (*write)(void *user, void *file, uint64_t offset, const void *bytes, size_t count, size_t *out_count);
    int (*truncate)(void *user, void *file, uint64_t bytes);
    int (*sync)(void *user, void *file); // bytes, or a folder's entries, are durable afterwards
    int (*lock)(void *user, void *file); // exclusive until close, against other processes; EAGAIN if held
    int (*info)(void *user, const char *path, void *file, leat_file_info *out_info); // of `file`, if that is not NULL
    // Calls give for each entry but `.` and `..`, in any order, until it returns anything but 0: then the result.
    int (*list)(void *user, const char *path, int (*give)(void *give_user, const char *name, uint32_t kind),
                void *give_user);
    int (*rename)(void *user, const char *from, const char *to); // replaces `to`
    int (*remove)(void *user, const char *path);                 // a file or an empty folder
    int (*make_folder)(void *user, const char *path);            // for the owner only; EEXIST if it is there
    void *user;
    // News of folders, so that they need not be listed all the time: all five or, NULL, none. Listing stays the truth,
    // so a watch may forget whatever it tells of as LOST. Where watch_open or watch_folder fails, folders are listed at
    // intervals instead.
    int (*watch_open)(void *user, void **out_watch, int *out_descriptor); // readable while there is news; or -1
    int (*watch_folder)(void *user, void *watch, const char *path, int64_t *out_folder); // one folder, one number
    int (*watch_forget)(void *user, void *watch, int64_t folder);
    // Calls give for all news since the last call, without waiting. `folder` -1: of every folder.
    int (*watch_read)(void *user, void                                                                     *watch,
                      void (*give)(void *give_user, int64_t folder, uint32_t news, const char *name), void *give_user);
    int (*watch_close)(void *user, void *watch);
} leat_file_system;
// What a watch tells. FILE: a whole file has got the name: renamed to it, or closed by its writer. NAME: the name is
// there, perhaps of a file that is being written, or of a folder. LOST: anything may have happened. ENDED: the folder is
// watched no more, since it was removed or renamed. The last two are without a name.
enum { LEAT_NEWS_FILE = 1, LEAT_NEWS_NAME = 2, LEAT_NEWS_LOST = 3, LEAT_NEWS_ENDED = 4 };

// What leat_open takes. Members that are 0 mean defaults: `leat_options o = {.struct_size = sizeof o}` has no wishes.
typedef struct leat_options {
    size_t struct_size; // sizeof(leat_options)
    // 0: no thread, all work inside leat_run and leat_step. n: batches run in the background, n threads share the files
    // of a batch (setting `threads`, which SELECTs use as well and which works without the background too); at most 256.
    uint32_t                threads;
    uint64_t                memory_limit_bytes;              // 0: none
    const leat_allocator   *allocator;                       // NULL: malloc
    const leat_clock       *clock;                           // NULL: the system's
    uint64_t                random_seed;                     // 0: from the system
    const leat_file_system *file_system;                     // NULL: POSIX
    const char             *folder;                          // relative paths start here; NULL: the working directory
    void (*log)(void *user, int level, const char *message); // level: 0 error, 1 warning, 2 note; NULL: silent
    leat_status (*output)(void *user, const void *bytes, size_t count); // console and stdout connectors write here
    leat_status (*input)(void *user, void *buffer, size_t capacity, size_t *out_count); // stdin connector; count 0: end
    const char *(*variable)(void *user, const char *name); // ${NAME} in option values; NULL: unset
    void *user;                                            // given to log, output, input, variable
    // SQL from strangers: no file or folder is opened, whatever a statement names; time zones are read all the same. What
    // would read or write one is LEAT_IO. Give neither `variable` nor functions that reach outside.
    bool no_files;
} leat_options;

// Opens a session. `options` may be NULL and is copied; what it points to must live as long as the session. Close with
// leat_close. Errors: LEAT_MISUSE for options that cannot be, LEAT_NO_MEMORY, LEAT_LIMIT when the system gives no
// thread. Sessions share nothing: each may have its own thread.
LEAT_API leat_status leat_open(const leat_options *options, leat_session **out_session, leat_error *err);
// Stops all queries and frees everything made from the session: handles that are still open are gone with it. NULL is
// fine; writes NULL. Errors: LEAT_MISUSE inside a callback, where it stays open; else the first failure of a query, and
// the session is closed all the same.
LEAT_API leat_status leat_close(leat_session **session, leat_error *err);
// Runs a script: every statement in order, results dropped, stops at the first error; what ran before stays. Errors:
// those of leat_prepare and leat_step, with the place in `sql`.
LEAT_API leat_status leat_execute(leat_session *session, const char *sql, size_t sql_bytes, leat_error *err);
// Asks the running call to end with LEAT_INTERRUPTED, within 100 ms. Any thread, also a signal handler.
LEAT_API void leat_interrupt(leat_session *session);
// Rows that statements and batches have read from files, streams and tables since leat_open; grows while one runs. Any
// thread.
LEAT_API uint64_t leat_rows_read(const leat_session *session);
// "0.1.0"; valid for ever.
LEAT_API const char *leat_version(void);

// --------------------------------------------------------------------------------------------------------- statements

// What a statement is, so that a shell can choose how to show it.
typedef enum leat_statement_kind {
    LEAT_STATEMENT_EMPTY   = 0, // only blanks and comments
    LEAT_STATEMENT_ROWS    = 1, // gives rows: SELECT, SHOW, DESCRIBE, EXPLAIN
    LEAT_STATEMENT_CHANGES = 2, // gives rows for ever: SELECT ... EMIT CHANGES
    LEAT_STATEMENT_ACTION  = 3  // gives no rows; leat_statement_message tells what it did
} leat_statement_kind;

// Prepares the first statement of `sql`, which is copied. *out_used_bytes (may be NULL): where the next one starts,
// also after an error. Names are bound at the first step. Errors: LEAT_SYNTAX with the place, LEAT_LIMIT,
// LEAT_NO_MEMORY; then *out_statement is NULL. Close with leat_statement_close.
LEAT_API leat_status leat_prepare(leat_session *session, const char *sql, size_t sql_bytes,
                                  leat_statement **out_statement, size_t *out_used_bytes, leat_error *err);
// Frees it, and ends the query of EMIT CHANGES. NULL is fine; writes NULL. Errors: LEAT_MISUSE inside a callback, where
// it stays open.
LEAT_API leat_status leat_statement_close(leat_statement **statement);
// Runs up to the next row: LEAT_ROW, LEAT_DONE or an error. The first step binds, and runs an action. After LEAT_DONE
// or an error leat_statement_reset makes it new. Errors: LEAT_BINDING with the place, LEAT_DATA, LEAT_IO, LEAT_LIMIT,
// LEAT_NO_MEMORY, LEAT_INTERRUPTED, LEAT_MISUSE; of an action on queries also those of leat_query_start.
LEAT_API leat_status leat_step(leat_statement *statement, leat_error *err);
// Back to before the first step; keeps bound parameters. Errors: LEAT_MISUSE.
LEAT_API leat_status leat_statement_reset(leat_statement *statement, leat_error *err);
// Known from leat_prepare on; cannot fail.
LEAT_API leat_statement_kind leat_statement_kind_of(const leat_statement *statement);
// After LEAT_DONE of an action: what it did in one line ("stream orders: 2 columns, ..."), or "". Valid until close.
LEAT_API const char *leat_statement_message(const leat_statement *statement);

// Parameters: `?` in order of appearance, `:name` by leat_parameter_index; indexes from 0. Values are copied and stay
// until rebound; a parameter that was never bound takes the session's, else its use is LEAT_BINDING at the first step.
// Errors: LEAT_MISUSE for an index that is not there, LEAT_BINDING for a name, LEAT_NO_MEMORY.
LEAT_API uint32_t    leat_parameter_count(const leat_statement *statement);
LEAT_API leat_status leat_parameter_index(const leat_statement *statement, const char *name, uint32_t *out_index,
                                          leat_error *err);
LEAT_API leat_status leat_bind_null(leat_statement *statement, uint32_t parameter_index, leat_error *err);
LEAT_API leat_status leat_bind_int64(leat_statement *statement, uint32_t parameter_index, int64_t value,
                                     leat_error *err);
LEAT_API leat_status leat_bind_double(leat_statement *statement, uint32_t parameter_index, double value,
                                      leat_error *err);
LEAT_API leat_status leat_bind_boolean(leat_statement *statement, uint32_t parameter_index, bool value,
                                       leat_error *err);
LEAT_API leat_status leat_bind_text(leat_statement *statement, uint32_t parameter_index, const char *text,
                                    size_t text_bytes, leat_error *err);
// A value for every `:name` of later statements of the session, as the shell's --param: a STRING, coerced as a literal.
// Copied. Errors: LEAT_NO_MEMORY, LEAT_MISUSE.
LEAT_API leat_status leat_parameter_set(leat_session *session, const char *name, const char *text, size_t text_bytes,
                                        leat_error *err);

// Columns of the result, known after the first step; indexes from 0. Names and types are valid until reset or close;
// *out_bytes may be NULL here and below. An index behind the last column gives NULL, 0 or false.
LEAT_API uint32_t    leat_column_count(const leat_statement *statement);
LEAT_API const char *leat_column_name(const leat_statement *statement, uint32_t column_index, size_t *out_bytes);
// As in DDL: "DECIMAL(10,2)".
LEAT_API const char *leat_column_type(const leat_statement *statement, uint32_t column_index);
// Values of the current row. Valid until the next step. A NULL gives 0, 0.0, false, or NULL with 0 bytes.
LEAT_API bool    leat_column_is_null(const leat_statement *statement, uint32_t column_index);
LEAT_API int64_t leat_column_int64(const leat_statement *statement, uint32_t column_index);
LEAT_API double  leat_column_double(const leat_statement *statement, uint32_t column_index);
LEAT_API bool    leat_column_boolean(const leat_statement *statement, uint32_t column_index);
// The value as CAST(v AS STRING) gives it; ends with NUL too. BINARY: the bytes themselves.
LEAT_API const char *leat_column_text(const leat_statement *statement, uint32_t column_index, size_t *out_bytes);
// The value as JSON text (nested values as real JSON; NULL as null), as the json format writes it.
LEAT_API const char *leat_column_json(const leat_statement *statement, uint32_t column_index, size_t *out_bytes);
// The value as Spark's show() prints it: NULL inside nested values as NULL, BINARY as [1F 2A].
LEAT_API const char *leat_column_display(const leat_statement *statement, uint32_t column_index, size_t *out_bytes);

// ------------------------------------------------------------------------------------------------------ Arrow and rows

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
    const char          *format;
    const char          *name;
    const char          *metadata;
    int64_t              flags;
    int64_t              n_children;
    struct ArrowSchema **children;
    struct ArrowSchema  *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t             length;
    int64_t             null_count;
    int64_t             offset;
    int64_t             n_buffers;
    int64_t             n_children;
    const void        **buffers;
    struct ArrowArray **children;
    struct ArrowArray  *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

// Gives the rest of the result as Arrow arrays of at most 2,048 rows, as struct arrays of the columns. The stream is
// the caller's to release and borrows the statement until then; its arrays are independent and may outlive the session.
// Errors: those of leat_step.
LEAT_API leat_status leat_statement_arrow(leat_statement *statement, struct ArrowArrayStream *out_stream,
                                          leat_error *err);
// Adds rows to a stream of connector 'memory': a struct array whose children match the stream's columns by name.
// Takes `rows` (released on success and on error); borrows `schema`. All rows or none. Any thread. Errors: LEAT_BINDING
// when there is no such stream or a column is missing or of a type that does not fit, LEAT_DATA, LEAT_LIMIT,
// LEAT_NO_MEMORY, LEAT_MISUSE.
LEAT_API leat_status leat_stream_append(leat_session *session, const char *stream, const struct ArrowSchema *schema,
                                        struct ArrowArray *rows, leat_error *err);
// The same row by row: values in column order, then leat_append_row_end; leat_append_close shows the rows together. A
// handle is used by one thread at a time; several handles may be open. Errors of all of them: LEAT_MISUSE for a value
// too many or too few, LEAT_DATA for one that does not fit its column, LEAT_BINDING as above, LEAT_LIMIT,
// LEAT_NO_MEMORY. A value that failed is not there: give another one, or close.
LEAT_API leat_status leat_append_open(leat_session *session, const char *stream, leat_append **out_append,
                                      leat_error *err);
LEAT_API leat_status leat_append_null(leat_append *append, leat_error *err);
LEAT_API leat_status leat_append_int64(leat_append *append, int64_t value, leat_error *err);
LEAT_API leat_status leat_append_double(leat_append *append, double value, leat_error *err);
// Any type: the text is cast to the column.
LEAT_API leat_status leat_append_text(leat_append *append, const char *text, size_t text_bytes, leat_error *err);
LEAT_API leat_status leat_append_row_end(leat_append *append, leat_error *err);
// The same where the stream has the option changes 'weight' and its last column is the weight, which was not given: the
// row comes `weight` times or, below zero, goes as often. Errors also: LEAT_MISUSE for a stream without weights.
LEAT_API leat_status leat_append_weighted_row_end(leat_append *append, int64_t weight, leat_error *err);
// Hands the rows over and frees the handle, also on error: then no row was added. NULL is fine; writes NULL. Inside a
// callback it is LEAT_MISUSE and the handle stays.
LEAT_API leat_status leat_append_close(leat_append **append, leat_error *err);

// --------------------------------------------------------------------------------------------------- standing queries

// One batch of a callback sink (Spark's foreachBatch). `changes` is borrowed for the call; a batch_id may come again
// after a crash; LEAT_OK commits the batch, anything else fails the query with that status. Runs on the thread that
// runs the batch: the caller's of leat_run, or the session's worker. `user` must live until the next setting or
// leat_close. leat_callback_set replaces what was set; NULL sets none. Errors: LEAT_BINDING when there is no such
// query.
typedef leat_status (*leat_batch_callback)(void *user, int64_t batch_id, struct ArrowArrayStream *changes,
                                           leat_error *err);
LEAT_API leat_status leat_callback_set(leat_session *session, const char *sink, leat_batch_callback call, void *user,
                                       leat_error *err);

// The same without Arrow, for any standing query: `rows` steps over what the batch delivered (leat_step, leat_column_*)
// and is valid during the call. In changelog mode its first column is `op`; in complete mode and without a mode the
// rows are the whole table. A query has one callback: the later setting counts.
typedef leat_status (*leat_rows_callback)(void *user, int64_t batch_id, leat_statement *rows, leat_error *err);
LEAT_API leat_status leat_rows_callback_set(leat_session *session, const char *query, leat_rows_callback call,
                                            void *user, leat_error *err);

// Runs due batches of all standing queries until none is due or timeout_us has passed (0: what is due now; < 0: no
// limit). *out_next_us (may be NULL): when to call again, in now_us time; INT64_MAX: when something arrives. A query
// that fails does not fail the call: leat_query_status tells. Errors: LEAT_INTERRUPTED, LEAT_MISUSE.
LEAT_API leat_status leat_run(leat_session *session, int64_t timeout_us, int64_t *out_next_us, leat_error *err);
// A descriptor that becomes readable when leat_run has something to do, or -1. Owned by the session: poll it, never
// read or close it; leat_run empties it. It tells of files that arrive where the file system does (not over a network,
// nor for folders named by a glob or searched recursively): for the others there is *out_next_us of leat_run. Any
// thread.
LEAT_API int leat_wake_fd(leat_session *session);

typedef enum leat_query_state {
    LEAT_QUERY_READY   = 0, // before its first batch
    LEAT_QUERY_RUNNING = 1,
    LEAT_QUERY_STOPPED = 2, // by STOP QUERY or leat_query_stop; a start goes on
    LEAT_QUERY_ENDED   = 3, // everything there was has been read
    LEAT_QUERY_FAILED  = 4  // a start begins again at the batch that failed
} leat_query_state;

// A handle on a standing query, by name; valid until leat_query_close or leat_close, also when the query is dropped:
// then calls are LEAT_BINDING. Errors: LEAT_BINDING when there is none, LEAT_NO_MEMORY. Handles hold nothing back.
LEAT_API leat_status leat_query_open(leat_session *session, const char *name, leat_query **out_query, leat_error *err);
LEAT_API void        leat_query_close(leat_query **query); // NULL is fine; writes NULL; the query goes on
LEAT_API leat_query_state leat_query_status(leat_query *query, leat_error *err); // FAILED: err holds why
LEAT_API const char      *leat_query_name(const leat_query *query);              // valid until leat_query_close
// The last progress as JSON under Spark's names, or "" before the first. Valid until the next call on the query. Any
// thread, with a handle of its own; it waits while a batch runs. The query of SELECT ... EMIT CHANGES is `(changes)`.
LEAT_API const char *leat_query_progress(leat_query *query);
// Returns when all input visible now is committed (Spark's processAllAvailable). timeout_us < 0: no limit. Errors: the
// query's failure, LEAT_TIMEOUT, LEAT_INTERRUPTED.
LEAT_API leat_status leat_query_process(leat_query *query, int64_t timeout_us, leat_error *err);
// Returns when the query has ended or was stopped: LEAT_OK, its failure, LEAT_TIMEOUT or LEAT_INTERRUPTED.
LEAT_API leat_status leat_query_await(leat_query *query, int64_t timeout_us, leat_error *err);
// Stops it behind its running batch and closes sources, sink and checkpoint; its table stays. Stopping twice is fine.
// timeout_us < 0: waits for that batch as long as it takes; else LEAT_TIMEOUT once that time is over, and the query goes
// on: ask again. Any thread, with a handle of its own.
LEAT_API leat_status leat_query_stop(leat_query *query, int64_t timeout_us, leat_error *err);
// Goes on where its checkpoint is; a query that runs is left alone. Errors: LEAT_IO, LEAT_BUSY when another process has
// the checkpoint, LEAT_CORRUPT, LEAT_VERSION, LEAT_CHANGED.
LEAT_API leat_status leat_query_start(leat_query *query, leat_error *err);
// Name of the index-th standing query of the session, in order of creation; NULL behind the last. Valid until the query
// is dropped.
LEAT_API const char *leat_query_at(leat_session *session, uint32_t index);

// ---------------------------------------------------------------------------------------------------------- functions

// A value that a host function takes or gives. Text is borrowed: arguments until the call returns, the result until the
// next call of the function.
typedef struct leat_value {
    bool        is_null;
    int64_t     int64;   // BOOLEAN, integers, DATE (days), TIMESTAMP (microseconds)
    double      float64; // FLOAT, DOUBLE
    const char *text;    // STRING, BINARY
    size_t      text_bytes;
} leat_value;

// A scalar function of the host. The descriptor is copied; `user` must live as long as the session.
typedef struct leat_function {
    size_t      struct_size;
    const char *name;
    // At most 15 argument types, arrow, result type: "STRING, INT -> BIGINT"; " -> DATE" takes none. Types that leat_value
    // has room for: no DECIMAL, no nested ones.
    const char *signature;
    leat_status (*call)(void *user, const leat_value *arguments, uint32_t argument_count, leat_value *out_result,
                        leat_error *err);
    void *user;
    bool  is_deterministic; // false: never folded or shared
} leat_function;
// Errors: LEAT_MISUSE for a descriptor or signature that cannot be, LEAT_BINDING for a name that is taken,
// LEAT_NO_MEMORY. There is no way back: the function stays until leat_close.
LEAT_API leat_status leat_function_register(leat_session *session, const leat_function *descriptor, leat_error *err);
// For host callbacks: copies a message into err and returns LEAT_DATA, so that `return leat_error_set(..)` fails the
// call.
LEAT_API leat_status leat_error_set(leat_error *err, const char *message);

// ---------------------------------------------------------------------------------------------------------- for shells

typedef enum leat_token_kind {
    LEAT_TOKEN_END          = 0,
    LEAT_TOKEN_SPACE        = 1,
    LEAT_TOKEN_COMMENT      = 2,
    LEAT_TOKEN_KEYWORD      = 3,
    LEAT_TOKEN_NAME         = 4,
    LEAT_TOKEN_QUOTED_NAME  = 5,
    LEAT_TOKEN_STRING       = 6,
    LEAT_TOKEN_NUMBER       = 7,
    LEAT_TOKEN_OPERATOR     = 8,
    LEAT_TOKEN_SEMICOLON    = 9,
    LEAT_TOKEN_OPEN_STRING  = 10,
    LEAT_TOKEN_OPEN_NAME    = 11,
    LEAT_TOKEN_OPEN_COMMENT = 12,
    LEAT_TOKEN_ERROR        = 13
} leat_token_kind;
// The token at the start of `sql`, blanks and comments too; *out_bytes: its length, 0 at the end. OPEN_*: the text ends
// inside it. Any thread; cannot fail.
LEAT_API leat_token_kind leat_scan(const char *sql, size_t sql_bytes, size_t *out_bytes);
// Calls `give` for each candidate that could complete the word ending at byte `cursor` of `sql`, best first. Texts are
// valid during the call; `kind`: "keyword", "function", ... `sql` need not parse. Errors: LEAT_NO_MEMORY, LEAT_MISUSE.
LEAT_API leat_status leat_complete(leat_session *session, const char *sql, size_t sql_bytes, size_t cursor,
                                   void (*give)(void *user, const char *candidate, const char *kind), void *user,
                                   leat_error *err);

#ifdef __cplusplus
}
#endif
#endif
