// format: bytes of records <-> chunks. storage/formats/ is the registry. Formats know no files, connectors no records.
//
//     open -> (begin -> decode* )* -> flush -> close       one decoder per source; it may carry a cut record over
//     open -> (begin_part -> decode -> flush)* -> close    one decoder per thread; parts of files, each of whole records
#ifndef LT_STORAGE_FORMAT_H
#define LT_STORAGE_FORMAT_H

#include "base/datetime_pattern.h"
#include "base/function.h"

// An option that a connector or format takes; documentation, completion and checks are printed from these rows.
typedef struct lt_option {
    const char *name;      // Spark's name, camelCase; matched without case
    const char *words;     // allowed words separated by blanks, or NULL: any text; "INT", "BOOL", "DURATION"
    const char *initial;   // default, or NULL
    bool        is_strict; // other words are refused; else they count as the default
    const char *summary;
} lt_option;

// Options as given: name and value; values after ${NAME} expansion. Look-ups ignore case.
typedef struct lt_option_value {
    const char *name, *value;
    lt_place    place;
} lt_option_value;
typedef struct lt_option_values {
    const lt_option_value *values;
    uint32_t               count;
} lt_option_values;
// The value given, else the row's initial, else NULL.
const char *lt_option_text(const lt_option_values *options, const lt_option *rows, const char *name);
bool        lt_option_is_true(const lt_option_values *options, const lt_option *rows, const char *name);
// Errors: INVALID_OPTION_VALUE.
leat_status lt_option_int64(const lt_option_values *options, const lt_option *rows, const char *name, int64_t *out,
                            leat_error *err);
// "7d", "90min", "500ms"; a plain number counts milliseconds. Errors: INVALID_OPTION_VALUE.
leat_status lt_option_duration(const lt_option_values *options, const lt_option *rows, const char *name,
                               int64_t *out_us, leat_error *err);
// A pattern of dates or times; NULL: not given.
leat_status lt_option_pattern(const lt_option_values *options, const lt_option *rows, const char *name,
                              lt_pattern_use use, lt_arena *arena, const lt_datetime_pattern **out, leat_error *err);
bool        lt_option_duration_parse(const char *text, int64_t *out_us);
// Every given name must be in one of the lists (lists of rows, ended by NULL), else UNKNOWN_OPTION with a
// suggestion; values of INT, BOOL and DURATION rows must have that form, else INVALID_OPTION_VALUE; other words than those
// of a strict row are NOT_SUPPORTED.
leat_status lt_options_check(const lt_option_values *options, const lt_option *const *lists, leat_error *err);

// A record that could not be read, or only in part.
typedef struct lt_bad_row {
    const char *path;   // file, or NULL
    uint64_t    line;   // in the file, from 1
    uint64_t    offset; // byte in the file
    const char *column; // or NULL
    const char *reason;
    const char *record; // raw bytes
    size_t      record_bytes;
} lt_bad_row;

// A row whose value of the column is NULL or outside of [min, max] is kept by nobody. The column is a whole number by
// lt_kind_is_whole, and wanted.
typedef struct lt_decode_range {
    uint32_t column;
    int64_t  min, max; // min > max: no row is kept
} lt_decode_range;

// Where decoded rows and bad records go.
typedef struct lt_decode_target {
    const lt_type *const *types; // the stream's columns, in order
    const char *const    *names;
    const bool           *is_wanted; // columns that somebody reads; others may be left NULL. NULL: all
    uint32_t              column_count;
    int32_t               corrupt_column; // index of columnNameOfCorruptRecord, or -1
    // What a filter lets pass at most. Rows beyond it are given and judged like others, but a decoder need not make
    // their values of other columns: any values that are safe to read may be there.
    const lt_decode_range *ranges;
    uint32_t               range_count;
    // Chunks of up to LT_CHUNK_ROWS_MAX rows, valid until the call returns.
    leat_status (*give)(void *user, const lt_chunk *chunk, leat_error *err);
    // In the place of give, where it is not NULL: may take the memory of the chunk by leaving another arena in *memory.
    // Texts may still be views of the decoded bytes.
    leat_status (*take)(void *user, const lt_chunk *chunk, lt_arena *memory, leat_error *err);
    leat_status (*give_bad)(void *user, const lt_bad_row *row, leat_error *err);
    void          *user;
    lt_evaluation *evaluation; // session zone
    lt_account    *account;
} lt_decode_target;

typedef struct lt_format {
    const char      *name;       // "json"
    const char      *extensions; // ".json .jsonl"
    const lt_option *options;    // ended by {0}
    size_t           decoder_bytes;
    leat_status (*open)(void *decoder, const lt_option_values *options, const lt_decode_target *target,
                        leat_error *err);
    // A new file begins (path NULL: no files): header lines, line numbers and cut records start anew.
    leat_status (*begin)(void *decoder, const char *path, leat_error *err);
    // Takes all `count` bytes; is_end: the file ends here, what is cut is a record. Rows come out through target->give,
    // at the latest at flush. Rows never depend on how the bytes were cut.
    leat_status (*decode)(void *decoder, const char *bytes, size_t count, bool is_end, leat_error *err);
    leat_status (*flush)(void *decoder, leat_error *err); // gives the last partly filled chunk: end of batch
    // Whether a record starts behind every line feed of a file; then parts of a file that start there may be decoded
    // apart. NULL: never.
    bool (*can_split)(const lt_option_values *options);
    // A part of a file begins at byte `offset` > 0, behind a line feed; its lines are numbered from 1. is_header_due: the
    // parts before it had no record yet.
    void (*begin_part)(void *decoder, const char *path, uint64_t offset, bool is_header_due);
    // What was decoded since begin or begin_part: its lines, and whether the header of the file is still to come.
    void (*part_facts)(const void *decoder, uint64_t *out_lines, bool *out_is_header_due);
    void (*close)(void *decoder);
    // Writing: encode appends the rows of a chunk (weights ignored) as records; encode_header what a file starts with.
    leat_status (*encode_header)(const lt_option_values *options, const char *const *names, const lt_type *const *types,
                                 uint32_t column_count, lt_buffer *out, leat_error *err);
    leat_status (*encode)(const lt_option_values *options, const char *const *names, const lt_chunk *chunk,
                          lt_evaluation *evaluation, lt_buffer *out, leat_error *err);
    // Columns as Spark infers them from the bytes of a file (for FROM json.`path`). *out_struct: what earlier files
    // gave, or NULL; widened by this one. VOID stands for "only NULLs so far" until lt_inferred_finish. NULL: no
    // inference.
    leat_status (*infer)(const lt_option_values *options, const char *bytes, size_t count, lt_arena *arena,
                         const lt_type **out_struct, leat_error *err);
    bool        is_filtering; // Spark's reader of it filters: rows that plain tests reject are not counted as read
    const char *summary, *example;
} lt_format;

// Index of the column that option columnNameOfCorruptRecord names, compared without case; -1: no such column, or the
// format has no such option.
int32_t lt_corrupt_column(const lt_format *format, const lt_option_values *options, const char *const *names,
                          uint32_t column_count);
// What infer found with VOID replaced by STRING at every depth, as Spark does at the end; or left out
// (dropFieldIfAllNull).
leat_status lt_inferred_finish(lt_arena *arena, const lt_type *inferred, const lt_type **out_struct, leat_error *err);
leat_status lt_inferred_finish_without_nulls(lt_arena *arena, const lt_type *inferred, const lt_type **out_struct,
                                             leat_error *err);
// One of the two, as the format's option says.
leat_status lt_inferred_finish_by_options(lt_arena *arena, const lt_format *format, const lt_option_values *options,
                                          const lt_type *inferred, const lt_type **out_struct, leat_error *err);

const lt_format              *lt_format_find(const char *name);                            // without case; NULL: none
const lt_format              *lt_format_of_extension(const char *extension, size_t bytes); // ".json"; NULL: none
extern const lt_format *const lt_format_registry[];

#endif
