// aggregate: the contract of an aggregate function; exec/aggregates/ is the registry, one file per aggregate or tight
// family.
//
// Written for weights from the start: a retraction is an update with weight -1. Accumulators are arrays by dense group
// index, so one update call serves a whole chunk. Rows whose first argument is NULL never reach update (unless
// .takes_nulls), nor rows that FILTER rejects; DISTINCT is done outside (each value once per group).
//
// Plain accumulators (the default) are `accumulator_bytes` of zeros at birth and hold no pointers: they are saved,
// loaded and moved as bytes. An aggregate with memory of its own (collect, min under retraction, percentiles) sets
// .has_memory: its accumulator then begins at zero too, may hold pointers into `rows->memory`, and brings save, load
// and close.
#ifndef LT_BASE_AGGREGATE_H
#define LT_BASE_AGGREGATE_H

#include "base/function.h"

typedef struct lt_aggregate lt_aggregate;

// Direction of a key of WITHIN GROUP (ORDER BY ..).
typedef struct lt_order_key {
    bool is_descending, is_nulls_first;
} lt_order_key;

// Live rows of one chunk for one aggregate.
typedef struct lt_aggregate_rows {
    const lt_aggregate     *aggregate;
    const lt_vector *const *arguments; // flat, compacted to `count` rows: row i is lane i (or constant)
    const void     *values; // lanes of arguments[0] when it is flat; else of its unpacked copy. NULL without arguments
    uint32_t        argument_count;
    const uint32_t *group_index; // by row
    const int64_t  *weight;      // by row, never 0; NULL: all +1
    const int64_t  *place;       // by row: arrival number; NULL: neither .needs_place nor .has_memory asks for it
    size_t          count;
    bool        is_one_group; // count > 0 and every row has the group of row 0, whose accumulator may stay in registers
    lt_account *memory;       // for .has_memory
    const lt_type          *result_type;
    const lt_vector *const *constants; // foldable arguments (percentages, delimiters), else NULL
    lt_evaluation          *evaluation;
    void                   *state;       // what .open made
    uint32_t                order_count; // WITHIN GROUP (ORDER BY ..): the last order_count arguments are its keys
    const lt_order_key     *order;       // by key
} lt_aggregate_rows;

// Results of finish: one lane of `into` per wanted group.
typedef struct lt_aggregate_results {
    const lt_aggregate     *aggregate;
    const uint32_t         *group_index; // groups to finish
    size_t                  count;
    void                   *values;  // lanes of `into`
    uint8_t                *is_null; // by lane; 0 at entry
    uint8_t                *failed;  // by lane; 0 at entry: no value, .fails_with is raised
    lt_vector              *into;    // flat; for strings and nested results append children and bytes in `arena`
    lt_arena               *arena;
    const lt_type *const   *argument_types;
    const lt_vector *const *constants;
    const lt_type          *result_type;
    lt_evaluation          *evaluation;
    void                   *state;
    lt_account             *memory;         // what accumulators with memory are charged to
    uint32_t                argument_count; // of argument_types, order keys included
    uint32_t                order_count;
    const lt_order_key     *order;
} lt_aggregate_results;

struct lt_aggregate {
    const char *name; // lower case
    uint16_t    takes[LT_TAKES_MAX];
    lt_kind     returns; // as in lt_function
    leat_status (*resolve)(lt_resolution *resolution, leat_error *err);
    size_t       accumulator_bytes;
    bool         takes_nulls;       // count(*) and first/last see rows with NULL arguments
    bool         counts_rows;       // of one argument, update looks at no value: lanes need not be those of the rows
    bool         is_linear;         // update with weight -1 undoes weight +1 exactly
    bool         needs_append_only; // wrong under retraction: `retraction` takes its place, else its node recomputes
    bool         needs_place;       // first, last, collect: rows carry their arrival number
    bool         ignores_distinct;  // min(DISTINCT x) = min(x)
    bool         has_memory;
    lt_condition fails_with;
    // LEAT_DONE, with nothing changed: the accumulators are too small for these rows; `wider` takes them.
    leat_status (*update)(void *accumulators, const lt_aggregate_rows *rows, leat_error *err);
    const lt_aggregate *wider; // takes the place of this row when a value needs it; same results; not in the registry
    void (*widen)(void *into, const void *from, size_t count); // accumulators of this row into those of `wider`
    // Adds from[i] to the accumulator of group_index[i], for i < count; no group comes twice. It is as if the rows of
    // from[i] came here, one after the other: to the last bit, or the row has no merge. `type`: of the first argument,
    // NULL without one. LEAT_DONE, with nothing changed: as update. Optional (threads, panes).
    leat_status (*merge)(void *accumulators, const uint32_t *group_index, const void *from, size_t count,
                         const lt_type *type);
    leat_status (*finish)(const void *accumulators, const lt_aggregate_results *out, leat_error *err);
    leat_status (*save)(const void *accumulator, lt_buffer *out, leat_error *err); // .has_memory
    // .has_memory, or rows whose saves have two widths: LEAT_DONE when only `wider` can hold it.
    leat_status (*load)(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err);
    void (*close)(void *accumulator, lt_account *memory); // .has_memory
    size_t state_bytes;
    leat_status (*open)(void *state, const lt_type *const *types, const lt_vector *const *constants,
                        uint32_t argument_count, lt_arena *arena, leat_error *err);
    const lt_aggregate *
        retraction; // takes the place of this row on edges that retract: same arguments and result; not in the registry
    const lt_aggregate *replays; // of a retraction that keeps the rows: what runs over them, in order, when it is read
    const char         *display;
    const char         *summary, *example, *example_result;
    bool                ignore_nulls_allowed; // accepts IGNORE NULLS: then rows with a NULL argument are left out
    bool                is_window_only;       // row_number, rank, lag, ...: see exec/window/function.h
};

static inline int64_t lt_aggregate_weight(const lt_aggregate_rows *rows, size_t row) {
    return rows->weight == NULL ? 1 : rows->weight[row];
}
// The net number of rows.
static inline int64_t lt_aggregate_weight_sum(const lt_aggregate_rows *rows) {
    int64_t sum = 0;
    if (rows->weight == NULL) return (int64_t)rows->count;
    for (size_t i = 0; i < rows->count; i++) sum += rows->weight[i];
    return sum;
}
// The row that holds any value.
static inline const lt_aggregate *lt_aggregate_widest(const lt_aggregate *aggregate) {
    while (aggregate->wider != NULL) aggregate = aggregate->wider;
    return aggregate;
}

extern const lt_aggregate *const lt_aggregate_registry[];

#endif
