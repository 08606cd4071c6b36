// finish: the last pass over a bound plan: edge properties, how stateful nodes let their changes out, which nodes
// recompute, numbers of nodes; and what an output mode may not have.
//
// The top of a standing query's plan that only orders and cuts rows (Sort, Limit, column-keeping Project) is split off:
// it runs when the query's table is read (incremental.md 5.21).
#ifndef LT_PLANNER_FINISH_H
#define LT_PLANNER_FINISH_H

#include "planner/catalog.h"

typedef enum lt_output_mode {
    LT_MODE_NONE, // the table always equals the query's result
    LT_MODE_APPEND,
    LT_MODE_UPDATE,
    LT_MODE_COMPLETE,
    LT_MODE_CHANGELOG,
} lt_output_mode;

const char *lt_output_mode_name(lt_output_mode mode); // "append"; "" for none

typedef struct lt_finish_use {
    bool           is_standing; // else one batch from empty state
    lt_output_mode mode;
    bool           recomputes_all; // SET recompute = 'all': whatever can be recomputed is (the oracle of tests)
    bool           freezes;        // lateRows drop or fail where the mode keeps late rows: see lt_plan.freezes
} lt_finish_use;

// Rewrites `plan` in `arena`. *out_present (may be NULL for a query that is not standing): the split-off top, whose
// leaf is a TABLE_SCAN without relation that stands for the rows of `plan`; NULL: nothing was split off. Errors:
// STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION and its kin, with Spark's conditions.
leat_status lt_plan_finish(lt_arena *arena, const lt_finish_use *use, lt_query_plan *plan, lt_query_plan *out_present,
                           leat_error *err);

// What EXPLAIN ANALYZE says below the line of a node: whole lines, each begun by lt_plan_note_begin. NULL: nothing.
typedef struct lt_plan_notes {
    leat_status (*print)(void *user, const lt_plan *node, uint32_t depth, lt_buffer *out, leat_error *err);
    void *user;
} lt_plan_notes;
leat_status lt_plan_note_begin(uint32_t depth, lt_buffer *out, leat_error *err);

// EXPLAIN: one line a node, indented, with edge properties and what bounds its state. `notes` are asked for the nodes
// of `plan`, not of `present`.
leat_status lt_plan_explain(const lt_query_plan *plan, const lt_query_plan *present, const lt_finish_use *use,
                            const lt_plan_notes *notes, lt_buffer *out, leat_error *err);
// The node alone: kind and arguments.
leat_status lt_plan_node_print(const lt_plan *node, lt_arena *arena, lt_buffer *out, leat_error *err);
// The lines that a checkpoint belongs to: sources, stateful operators, mode (reliability.md 3.5).
leat_status lt_plan_fingerprint(const lt_query_plan *plan, const lt_finish_use *use, lt_buffer *out, leat_error *err);

#endif
