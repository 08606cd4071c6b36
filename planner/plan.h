// plan: what a query does, as a const tree of nodes. The same tree serves a SELECT that runs now and a standing query;
// each node is run by the operator of the same name in exec/operators/.
//
// Columns of a node are numbered from 0; expressions of a node refer to the columns of its input (of a JOIN: left's,
// then right's behind them).
#ifndef LT_PLANNER_PLAN_H
#define LT_PLANNER_PLAN_H

#include "planner/expression.h"

typedef enum lt_plan_kind {
#define LT_PLAN_NODE(name, text) LT_PLAN_##name,
#include "planner/plan_nodes.def"
#undef LT_PLAN_NODE
    LT_PLAN_KIND_COUNT
} lt_plan_kind;

const char *lt_plan_kind_name(lt_plan_kind kind); // "Aggregate"

typedef struct lt_plan_column {
    const char    *name; // as Spark names it
    const lt_type *type;
    bool           is_hidden;      // metadata columns; not part of *
    bool           has_event_time; // carries the watermark mark (incremental.md section 2)
    int64_t        delay_us;       // of its watermark
    uint32_t       watermark;      // index of the watermark definition in the plan, when has_event_time
    bool           is_session;     // made by session_window: who groups by it merges sessions that touch
} lt_plan_column;

// What a stream says about its event time beside the delay: options idleTimeout, maxWatermarkJump, finalWindows.
typedef struct lt_event_time_options {
    const char *stream;   // its name; NULL: none
    int64_t     idle_us;  // without rows for that long it holds no watermark back; 0: never
    int64_t     jump_us;  // a row farther ahead of the watermark is not taken; 0: no bound
    bool        is_final; // the end of an availableNow run closes all windows
} lt_event_time_options;

// Edge properties of a node's output, filled by lt_plan_derive (planner/properties.h).
typedef struct lt_properties {
    bool            is_append_only; // weights are always +1
    bool            is_bounded;     // ends by itself
    bool            is_streaming;   // some input below is unbounded
    const uint32_t *key;            // columns that are unique together
    uint32_t        key_count;
    bool            has_key;    // key_count 0: there is one row at most
    bool            is_ordered; // in arrival order, within a batch and from one to the next
} lt_properties;

typedef enum lt_join_type {
    LT_JOIN_INNER,
    LT_JOIN_LEFT,
    LT_JOIN_RIGHT,
    LT_JOIN_FULL,
    LT_JOIN_SEMI,
    LT_JOIN_ANTI,
    LT_JOIN_MARK,   // left columns + BOOLEAN: does a right row match? NULL by the rules of IN when is_null_aware
    LT_JOIN_SINGLE, // LEFT, but two matches raise SCALAR_SUBQUERY_TOO_MANY_ROWS
} lt_join_type;

// Joins of two inputs run the right one first; in a standing query a right side that does not stream is static.
static inline bool lt_plan_kind_joins(lt_plan_kind kind) { return kind == LT_PLAN_JOIN || kind == LT_PLAN_ASOF_JOIN; }

typedef struct lt_sort_key {
    const lt_expression *expression;
    bool                 is_descending, is_nulls_first;
} lt_sort_key;

typedef struct lt_aggregate_call {
    const lt_aggregate         *aggregate;
    const lt_expression *const *arguments; // over the node's input
    uint32_t                    argument_count;
    const lt_vector *const     *constants; // values of foldable arguments, else NULL entries
    const lt_expression        *filter;    // FILTER (WHERE ..), or NULL
    bool                        is_distinct, is_ignoring_nulls;
    const lt_sort_key          *order; // WITHIN GROUP (ORDER BY ..)
    uint32_t                    order_count;
    const lt_type              *type;
    lt_place                    place;
} lt_aggregate_call;

typedef enum lt_frame_unit { LT_FRAME_ROWS, LT_FRAME_RANGE } lt_frame_unit;
typedef enum lt_frame_bound {
    LT_BOUND_UNBOUNDED_PRECEDING,
    LT_BOUND_PRECEDING, // offset before
    LT_BOUND_CURRENT_ROW,
    LT_BOUND_FOLLOWING,
    LT_BOUND_UNBOUNDED_FOLLOWING
} lt_frame_bound;
typedef struct lt_window_call {
    lt_aggregate_call    call; // call.aggregate->is_window_only for rank, lag, ...
    lt_frame_unit        unit;
    lt_frame_bound       first, last;
    const lt_expression *first_offset, *last_offset; // foldable; NULL without
} lt_window_call;

// Of each partition only rows whose rank is at most `count` are wanted, without the first `offset` rows; count 0: all.
typedef enum lt_top_rank { LT_TOP_ROW_NUMBER, LT_TOP_RANK, LT_TOP_DENSE_RANK } lt_top_rank;
typedef struct lt_top {
    int64_t     count, offset;
    lt_top_rank rank;
    bool        is_ordering; // the place of a row that comes out is its number: somebody above looks at the order
} lt_top;

struct lt_catalog_entry;
struct lt_generator; // exec/generator.h

// How a stateful node lets its changes out.
typedef enum lt_emission {
    LT_EMIT_NET,     // -before, +after of each changed row
    LT_EMIT_TOUCHED, // current row of each touched group (Spark's update)
    LT_EMIT_CLOSED   // each group once, when the watermark closes it (Spark's append)
} lt_emission;

typedef struct lt_plan lt_plan;
struct lt_plan {
    lt_plan_kind          kind;
    uint32_t              id; // number of the node in its plan, parents before children
    lt_place              place;
    const lt_plan *const *inputs;
    uint32_t              input_count;
    const lt_plan_column *columns;
    uint32_t              column_count;
    lt_properties         properties;
    lt_emission           emission;
    bool                  is_recomputed; // runs through recompute and compare
    // Late rows go and what is closed is forgotten though the emission is net: rows that were given stay as they are.
    bool freezes;
    union {
        struct { // rows of a relation of the catalog, read as of the start of the batch
            const struct lt_catalog_entry *relation;
            const uint32_t                *relation_columns; // output column -> column of the relation
            uint32_t                       source;           // STREAM_SCAN: number of the source in the plan
            bool                          *needed;  // columns that somebody above reads; others may be NULL. NULL: all
            const lt_expression           *folders; // over columns of folders k=v: files where it is not TRUE are not
                                                    // read. NULL: all are
        } scan;
        struct { // VALUES: row_count * column_count expressions without columns, evaluated once. No columns: one empty
                 // row
            const lt_expression *const *expressions;
            uint32_t                    row_count;
        } values;
        struct { // range(start, end, step): BIGINT id
            int64_t start, end, step;
        } range;
        struct {
            const lt_expression *predicate;
            bool                 is_in_reader; // rows that it rejects do not count as read (reader_filter.h)
            bool                *needed;       // by column: whether somebody above reads it; NULL: all are
        } filter;
        struct { // one expression per output column
            const lt_expression *const *expressions;
        } project;
        struct { // output: keys, then aggregates
            const lt_expression *const *keys;
            uint32_t                    key_count;
            const lt_aggregate_call    *calls;
            uint32_t                    call_count;
            int32_t                     event_time_key; // key that carries the watermark mark, or -1
            int32_t              session_key; // key that is a session_window: see session_time, session_gap; or -1
            const lt_expression *session_time, *session_gap;
            bool                 is_pivot; // made by PIVOT, which no output mode of Spark allows
        } aggregate;
        struct { // equality keys pairwise, then the residual over left ++ right columns
            lt_join_type                type;
            const lt_expression *const *left_keys;    // over the left input
            const lt_expression *const *right_keys;   // over the right input (columns from 0)
            const bool                 *is_null_safe; // <=> instead of =
            uint32_t                    key_count;
            const lt_expression        *residual; // or NULL
            bool     is_null_aware; // MARK and ANTI of NOT IN: the keys form the comparison, there is no residual
            uint32_t correlated_key_count; // of a null-aware join: the first keys only correlate
            bool     is_subquery;          // made from IN, EXISTS or a scalar sub-query
            bool     is_of_streams;        // both sides are kept and forgotten by watermark: planner/stream_join.h
            bool    *needed[2];            // of streams: columns of an input read by the join or above. NULL: all
            bool     is_of_changes;        // both sides are kept and may change for ever, in a standing query
            bool     keeps_left; // SEMI and ANTI of a batch: the left input runs first and is kept, not the right one
        } join;
        struct { // each left row with the right row of its key that is nearest in the order of the match keys
            const lt_expression *const *left_keys, *const *right_keys; // as in join
            const bool          *is_null_safe;
            uint32_t             key_count;
            const lt_expression *left_match, *right_match; // over the left, over the right input (from 0)
            bool                 is_forward;               // the next right row, else the one before
            bool                 takes_equal;              // >= and <=
            bool                 is_outer;                 // a left row without a partner comes with NULLs
            bool                 is_of_changes;            // as in join
            bool                 is_of_streams; // left rows wait until the watermark says that their partner has come
        } asof_join;
        struct {
            bool is_intersect, is_all; // else EXCEPT
        } set_operation;
        struct {
            const lt_sort_key *keys;
            uint32_t           key_count;
        } sort;
        struct { // limit < 0: none
            int64_t limit, offset;
        } limit;
        struct { // OVER: all calls share partition and order. Output: input columns, then the calls. No calls: LIMIT
                 // over ORDER BY of a standing query
            const lt_expression *const *partition;
            uint32_t                    partition_count;
            const lt_sort_key          *order;
            uint32_t                    order_count;
            const lt_window_call       *calls;
            uint32_t                    call_count;
            lt_top                      top;
            bool is_by_partition; // a standing query keeps the rows and computes what a change can reach
        } window;
        struct { // time windows: input columns, then STRUCT<start, end>; a row per window, latest start first; NULL
                 // time: no row
            const lt_expression *time;
            int64_t              duration_us, slide_us, offset_us;
            int64_t              step_us; // see lt_window_spec
            bool has_panes; // the Aggregate above takes panes of sliding windows (exec/aggregation/panes.h)
        } assign_window;
        struct { // input columns, then the generator's; is_outer: a row of NULLs where it gives none
            const struct lt_generator  *generator;
            const lt_expression *const *arguments;
            uint32_t                    argument_count;
            const lt_vector *const     *constants;
            bool                        is_outer;
        } generate;
        struct { // each input row once per projection: GROUPING SETS, UNPIVOT. projections[p * column_count + c]
            const lt_expression *const *projections;
            uint32_t                    projection_count;
            const lt_expression        *keep; // over the output: rows to keep, or NULL (UNPIVOT EXCLUDE NULLS)
        } expand;
        struct {
            uint32_t              column; // event time
            int64_t               delay_us;
            uint32_t              watermark; // number of the definition in the plan
            lt_event_time_options options;
        } watermark;
        struct {
            const uint32_t *columns;
            uint32_t        column_count;
            bool            is_within_watermark;
        } deduplicate;
        struct {                               // messages become rows that come and go
            const struct lt_change_spec *spec; // the catalog's
            bool is_versioned; // each message is a version of its row, whose last column says whether the row is gone
        } changes;
        struct { // RECURSION: inputs[0] anchor, inputs[1] step; RECURSION_SCAN inside the step reads the rows of the
                 // last round
            uint32_t recursion; // number that links the two
            bool     is_all;    // UNION ALL, else UNION
            int64_t  level_max; // rounds; < 0: the default
            // Of a standing query: what runs over the rows of the inputs (recursion_cut.h); else NULL.
            const struct lt_query_plan *whole;
        } recursion;
    } as;
};

// A whole query.
typedef struct lt_query_plan {
    const lt_plan *root;
    uint32_t       node_count, expression_count, source_count, watermark_count;
    const char    *canonical_sql; // of the query, for fingerprints and EXPLAIN
    // Some call depends on the order of evaluation, as rand(), or is the host's: one thread evaluates, chunk by chunk.
    bool has_ordered_calls;
} lt_query_plan;

// The first column that carries a watermark mark, or -1.
int32_t lt_plan_event_time_column(const lt_plan *node);
bool    lt_plan_has_event_time(const lt_plan *node);

#endif
