// catalog: the named things of a session: streams, tables, views, standing queries, sinks, functions, variables.
//
// Ownership  the session owns the catalog; entries live in an arena of their own and are found by name, without case.
// Threads    the session's.      Variables and functions have names of one part. A relation of the schema `default` is
// found by its name alone, one of another schema by `schema.name`, which lt_catalog_key makes of what was written.
#ifndef LT_PLANNER_CATALOG_H
#define LT_PLANNER_CATALOG_H

#include "parser/ast.h"
#include "planner/plan.h"

typedef enum lt_relation_kind {
    LT_RELATION_STREAM,       // unbounded input: connector + format + options
    LT_RELATION_FILE_TABLE,   // static files, read when queried
    LT_RELATION_MEMORY_TABLE, // rows held in memory
    LT_RELATION_VIEW,         // text of a query
    LT_RELATION_QUERY,        // a materialized view: the table of a standing query
    LT_RELATION_SINK,         // a standing query whose output leaves; cannot be selected from
    LT_RELATION_SYSTEM,       // leat_queries, leat_progress, ...: rows made when read
} lt_relation_kind;

typedef struct lt_catalog_column {
    const char    *name;
    const lt_type *type;
    bool           is_not_null, is_char;
    const char    *comment;     // or NULL
    const char    *default_sql; // DEFAULT expression as text, or NULL
} lt_catalog_column;

// How a stream's rows (messages) tell of changes to the rows of a table.
typedef enum lt_change_kind {
    LT_CHANGES_NONE,     // each message is a row
    LT_CHANGES_OP,       // a column says whether the row comes or goes
    LT_CHANGES_UPSERT,   // a row takes the place of the one with its key; an op column may say that it goes
    LT_CHANGES_DEBEZIUM, // columns before, after and op
    LT_CHANGES_WEIGHT    // a column says how many times the row comes, below zero: goes
} lt_change_kind;

typedef struct lt_change_spec {
    lt_change_kind           kind;
    int32_t                  op_column; // of the messages; -1: none
    uint32_t                 before_column, after_column;
    const lt_catalog_column *columns; // of the rows
    const uint32_t          *sources; // OP, UPSERT: message column of each
    uint32_t                 column_count;
    const uint32_t          *key; // columns of the rows; none: equal rows are counted
    uint32_t                 key_count;
} lt_change_spec;

// What people write beside a relation or a schema; no query reads it.
typedef struct lt_catalog_property {
    const char *key, *value;
} lt_catalog_property;

typedef struct lt_catalog_notes {
    const char                *comment;    // or NULL
    const lt_catalog_property *properties; // by key, each once
    uint32_t                   property_count;
} lt_catalog_notes;

// What ANALYZE TABLE counted in files; -1: not counted.
typedef struct lt_catalog_counts {
    int64_t        rows;
    const int64_t *distinct; // by column; NULL: none was counted
} lt_catalog_counts;

typedef struct lt_catalog_entry {
    lt_relation_kind         kind;
    const char              *name;            // as written; of another schema than default: `schema.name`
    uint32_t                 schema_bytes;    // of `schema.` in front of the name; 0: default
    const char              *schema_of_query; // VIEW: the schema that was current when it was made; NULL: default
    const lt_catalog_column *columns;
    uint32_t                 column_count;
    const char        *sql; // VIEW, QUERY, SINK: text of the query (canonical); the statement that made it: create_sql
    const char        *create_sql;
    const char *const *view_columns; // VIEW v (a, b): names, or NULL
    bool               is_temporary;
    uint32_t           partition_count;   // the last columns, of PARTITIONED BY
    int32_t            event_time_column; // STREAM with WATERMARK FOR: its column, else -1
    int64_t            event_time_delay_us;
    lt_event_time_options    event_time;            // STREAM
    bool                     is_refreshed;          // FILE_TABLE with `refresh true`: standing queries see its changes
    bool                     is_filtered_by_reader; // STREAM: plain tests of columns count as part of reading
    lt_change_spec           changes;               // STREAM; event_time_column is a column of its rows
    lt_catalog_notes         notes;
    lt_catalog_counts        counts; // FILE_TABLE
    const char              *origin; // STREAM: connector and path, for the fingerprint of checkpoints; else NULL
    void                    *object; // exec's: source settings, table, query
    const void              *system; // SYSTEM: exec's row of its list of system tables
    lt_arena                 arena;  // owns all of the above
    struct lt_catalog_entry *next;
} lt_catalog_entry;

// A session variable (DECLARE VARIABLE).
typedef struct lt_catalog_variable {
    const char                 *name;
    const lt_vector            *value; // constant form; type within
    const char                 *default_sql;
    lt_arena                    arena;
    struct lt_catalog_variable *next;
} lt_catalog_variable;

// A function made by SQL: CREATE FUNCTION f(a INT DEFAULT 1) RETURNS INT RETURN a + 1. Also functions of the host.
typedef struct lt_catalog_function {
    const char                 *name;
    const lt_catalog_column    *parameters;
    uint32_t                    parameter_count;
    const lt_type              *returns;       // NULL: the body's type
    const lt_catalog_column    *table_columns; // RETURNS TABLE (...)
    uint32_t                    table_column_count;
    const char                 *body_sql; // expression or query
    const lt_function          *native;   // host function: then no body
    lt_arena                    arena;
    struct lt_catalog_function *next;
} lt_catalog_function;

typedef struct lt_catalog_schema {
    const char               *name;
    lt_catalog_notes          notes;
    struct lt_catalog_schema *next;
} lt_catalog_schema;

typedef struct lt_catalog {
    lt_account          *account;
    lt_catalog_schema   *schemas;       // besides default; borrowed
    lt_catalog_notes     default_notes; // of the schema default
    const char          *schema;        // current; NULL: default
    lt_catalog_entry    *entries;       // in order of creation
    lt_catalog_variable *variables;
    lt_catalog_function *functions;
    uint64_t             version; // grows with every change
} lt_catalog;

const lt_catalog_schema *lt_catalog_schema_find(const lt_catalog *catalog, const char *name); // NULL: none, or default
// The name to find a relation by: the last part, behind the schema that is written or `current` where that is not
// default. Temporary views and system tables are in no schema. NULL without memory.
const char *lt_catalog_key(const lt_catalog *catalog, const char *current, lt_arena *arena, const lt_ast_names *names);
lt_catalog_entry *lt_catalog_find(const lt_catalog *catalog, const char *name); // NULL: none
// `default.name` means the entry that stays; a temporary view comes before it where the name stands alone.
lt_catalog_entry *lt_catalog_find_permanent(const lt_catalog *catalog, const char *name);
lt_catalog_entry *lt_catalog_find_temporary(const lt_catalog *catalog, const char *name);
// A new entry with its name set and an initialised arena, at the end of the list; NULL without memory.
lt_catalog_entry *lt_catalog_add(lt_catalog *catalog, lt_relation_kind kind, const char *name);
// `name` lives in the entry's arena; in front of a dot it has a schema's name.
void lt_catalog_rename(lt_catalog *catalog, lt_catalog_entry *entry, const char *name);
void lt_catalog_remove(lt_catalog *catalog, lt_catalog_entry *entry); // frees it; `object` is the caller's
lt_catalog_variable *lt_catalog_variable_find(const lt_catalog *catalog, const char *name);
lt_catalog_function *lt_catalog_function_find(const lt_catalog *catalog, const char *name);
// The relation name nearest to `name`, for suggestions; NULL: none is near.
const char *lt_catalog_nearest(const lt_catalog *catalog, const char *name);

#endif
