// operator: how one plan node runs. Plans are const, state is separate; exec/operators/ is the registry, a file each.
//
//     open -> [load] -> { per batch: produce (leaves) | push*, then end_batch, then [save] }* -> close
//
// Chunks flow upwards as deltas: rows with weights (no weights: all +1). push folds a delta; stateful operators note
// what changed and let it out at end_batch, at most one retraction and one insertion per key. A batch runs the tree in
// post-order: an input is complete, its end_batch included, before the next input starts; of a join the right input
// comes first, unless the plan says that it keeps the left one.
//
// Ownership  a chunk belongs to its producer until push returns. batch->arena lives until the batch ends;
// batch->scratch is
//            reset by whoever started a chunk on its way (lt_emit_origin).        Threads  one at a time.
// Errors     end the batch; it is not committed, and the node is closed and opened again from the last commit.
#ifndef LT_EXEC_OPERATOR_H
#define LT_EXEC_OPERATOR_H

#include "exec/evaluate.h"
#include "planner/plan.h"

typedef struct lt_node     lt_node;
typedef struct lt_pipeline lt_pipeline;

// Watermarks of one definition during a batch, microseconds; INT64_MIN: none yet.
typedef struct lt_watermark {
    int64_t  late_us;        // W(n-1): rows at or below are late
    int64_t  close_us;       // W(n): groups at or below are closed
    int64_t  max_us;         // largest event time seen in this batch; INT64_MIN: none
    int64_t  min_us, sum_us; // for progress
    uint64_t rows;
    int64_t  delay_us;
    int64_t  ahead_us;  // largest event time taken so far less the delay; INT64_MIN: none. Only under maxWatermarkJump
    int64_t  active_us; // batch time when a row last came, or of the start; 0: not yet known
    bool     is_idle;   // holds no watermark back: silent for longer than its idleTimeout
    bool     is_final;  // the end of an availableNow run closes all windows
    const lt_event_time_options *options; // the plan's
} lt_watermark;

// What a node has done since it was opened. A node's time is without that of the nodes that it gives rows to and gets
// them from, and that of the thread which runs the batch: work of helpers is the scan's waiting.
typedef struct lt_node_counts {
    uint64_t rows_in, rows_out;
    uint64_t rows_updated, rows_removed; // of its state
    uint64_t rows_dropped;               // late rows
    int64_t  spent_us, save_us;          // in batches; in saves of its state
} lt_node_counts;

typedef struct lt_batch {
    int64_t        id;
    lt_arena      *arena;
    lt_arena      *scratch;
    lt_evaluation *evaluation;
    lt_watermark  *watermarks; // by definition
    uint32_t       watermark_count;
    bool           is_max_policy;              // multipleWatermarkPolicy max
    uint64_t      *rejected_rows;              // by source: rows that its reader's filters rejected; NULL: not counted
    uint64_t       rows_dropped;               // late rows, over all operators
    uint64_t       rows_updated, rows_removed; // of states
    // Reports a row that `node` leaves out, a late one or, from a Watermark, one from the far future: kept bounded in
    // leat_late_rows, or an error. May be NULL.
    leat_status (*give_late)(void *user, const lt_node *node, uint32_t input, const lt_chunk *chunk, uint32_t row,
                             int64_t watermark_us, leat_error *err);
    void *user;
    // Whose work is under way, since when, and what was counted until then; of a pipeline that is measured.
    lt_node       *running;
    int64_t        running_since_us;
    lt_node_counts counted;
} lt_batch;

// Size of a state, for progress and EXPLAIN ANALYZE.
typedef struct lt_state_size {
    uint64_t rows, bytes;
} lt_state_size;

typedef struct lt_operator_kind {
    const char  *name; // of its plan node, as EXPLAIN prints it
    lt_plan_kind plan_kind;
    // The plans of its kind that it runs; NULL: those that no other operator of the kind wants.
    bool (*serves)(const lt_plan *plan);
    size_t state_bytes;
    // Folds deltas into its state and emits their net effect. Otherwise the operator handles one batch from an empty
    // state, and a standing query runs it through recompute and compare.
    bool is_incremental;
    // push keeps nothing from chunk to chunk and emits rows in the order of its rows: several threads may each run a
    // node of their own over parts of the input (exec/parallel.h).
    bool is_stateless;
    leat_status (*open)(lt_node *node, leat_error *err);
    // Before the inputs run: may set node->skip_mask. Optional.
    leat_status (*prepare)(lt_node *node, leat_error *err);
    leat_status (*produce)(lt_node *node, lt_batch *batch, leat_error *err); // leaves only
    leat_status (*push)(lt_node *node, uint32_t input, const lt_chunk *delta, lt_batch *batch, leat_error *err);
    leat_status (*end_batch)(lt_node *node, lt_batch *batch, leat_error *err);
    // Whether nodes of this plan, each opened for one batch, may fold parts of the input apart (exec/parallel.h).
    // Optional, with merge: what `from` has folded comes here, as if its rows did now. `from` is of no use afterwards.
    bool (*can_merge)(const lt_node *node);
    leat_status (*merge)(lt_node *node, lt_node *from, lt_batch *batch, leat_error *err);
    // Writes what changed since the last save (is_full: everything). load applies one save; several in order.
    leat_status (*save)(lt_node *node, bool is_full, lt_buffer *out, leat_error *err);
    leat_status (*load)(lt_node *node, lt_reader *in, leat_error *err);
    // Writes a part of everything, for states that are too large for one batch: from *cursor (0: the start) on, until
    // about bytes_max are written; *cursor UINT64_MAX: that was the last one. Batches run between two parts. A load gets
    // all parts, then the saves of all batches since the first part; therefore a part may show those batches or not,
    // as long as a save tells the present state of what it names, not how it changed. Optional.
    leat_status (*save_part)(lt_node *node, uint64_t *cursor, size_t bytes_max, lt_buffer *out, leat_error *err);
    // Whether a batch without input would emit or free something under these watermarks.
    bool (*is_due)(const lt_node *node, const lt_batch *batch);
    // Whether no further row can change the output of this batch (a LIMIT that is full); then whoever makes rows may
    // stop.
    bool (*is_satisfied)(const lt_node *node);
    // The watermark that would close all that is open and wants to be closed; INT64_MIN: nothing is. Optional.
    int64_t (*last_due_us)(const lt_node *node);
    lt_state_size (*size)(const lt_node *node);
    const char *state_name; // Spark's operatorName: stateStoreSave, dedupe, ...; NULL: stateless
    void (*close)(lt_node *node);
} lt_operator_kind;

struct lt_node {
    const lt_operator_kind *kind;
    const lt_plan          *plan;
    void                   *state;
    lt_pipeline            *pipeline;
    lt_node                *parent; // NULL: the root, its rows go to pipeline->give
    uint32_t                parent_input;
    lt_node               **inputs;
    uint32_t                input_count;
    uint64_t                watermark_mask; // definitions below this node
    uint32_t                skip_mask;      // inputs that need not run in this batch
    bool                    is_static;      // below the static side of a join: built again after a restart, never saved
    lt_node_counts          counts;
    lt_node_counts          counts_before; // as they were when the last batch began
    bool                    is_open;
    bool                    is_fresh; // no batch ran since open or load
};

// A running plan.
struct lt_pipeline {
    const lt_query_plan *plan;
    lt_account          *account; // states are charged here
    lt_arena             arena;   // nodes and their frames
    lt_evaluation       *evaluation;
    lt_node             *root;
    lt_node            **nodes;       // by plan id
    bool                 is_standing; // batches follow each other; else one batch from empty state
    bool                 with_state;  // a checkpoint wants save
    bool                 is_measured; // nodes note their time and what they do to their states; rows are always counted
    const leat_clock    *clock;       // for that; NULL: the system's
    uint32_t held_groups_min; // from so many groups on an aggregation may hold rows back; 0: the default. For tests
    uint64_t held_bytes_max;  // of rows that an aggregation holds back at once, about; 0: the default. For tests
    bool     keeps_late;      // no row is late, no state is forgotten (docs/event_time.md); else see lt_plan.freezes
    bool     is_late_below;   // setting lateRowTest: a time that equals the watermark is not late
    // Rows of the root.
    leat_status (*give)(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err);
    void *user;
    // Reports a message of a stream of changes that cannot be followed, `scan` being where it came from: kept bounded in
    // leat_bad_rows, or an error. NULL: an error.
    leat_status (*give_bad)(void *user, const lt_node *scan, const lt_chunk *messages, uint32_t row, const char *reason,
                            leat_error *err);
    // Leaves: give the rows of a relation or stream by lt_emit_origin. `node`: the scan.
    leat_status (*read_stream)(void *user, lt_node *node, lt_batch *batch, leat_error *err);
    leat_status (*read_table)(void *user, lt_node *node, lt_batch *batch, leat_error *err);
    // Version of a relation's rows: equal versions, equal rows.
    uint64_t (*table_version)(void *user, const struct lt_catalog_entry *relation);
    // How many rows the relation has, if since `version` rows were only appended to it; else false. Optional.
    bool (*table_has_grown)(void *user, const struct lt_catalog_entry *relation, uint64_t version, uint64_t *out_rows);
    // Gives what changed of the relation since *position, with weights and places, if that is known; *position (0: never
    // read) moves to the newest change. Optional.
    leat_status (*read_changes)(void *user, lt_node *node, uint64_t *position, bool *out_is_known, lt_batch *batch,
                                leat_error *err);
};

leat_status lt_pipeline_open(lt_pipeline *pipeline, const lt_query_plan *plan,
                             leat_error *err); // other members set by the caller
leat_status lt_pipeline_run(lt_pipeline *pipeline, lt_batch *batch, leat_error *err);
leat_status lt_pipeline_save(lt_pipeline *pipeline, bool is_full, lt_buffer *out, leat_error *err);
leat_status lt_pipeline_load(lt_pipeline *pipeline, lt_reader *in, leat_error *err);
// One section: what node `id` wrote.
leat_status lt_pipeline_load_section(lt_pipeline *pipeline, uint32_t id, const char *bytes, size_t count,
                                     leat_error *err);
// The section of one node: everything (cursor NULL), or a part of it.
leat_status lt_pipeline_save_node(lt_node *node, bool is_full, uint64_t *cursor, size_t bytes_max, lt_buffer *out,
                                  leat_error *err);
bool        lt_pipeline_is_due(const lt_pipeline *pipeline, const lt_batch *batch);
// What read_table calls for the rows of a scan, in place order where the relation has one.
// Whether the relation has changed since its rows were given.
bool        lt_table_scan_is_stale(const lt_node *node);
leat_status lt_table_scan_give(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err);
// Whether the scan follows changes of its relation and wants places with the rows.
bool lt_table_scan_is_followed(const lt_node *node);
// The number of the first row that the scan wants now: 0, or of those appended since it last read.
uint64_t lt_table_scan_first_row(const lt_node *node);
// Gives the rows of the last round to a RecursionScan.
leat_status lt_recursion_give(lt_node *scan, lt_batch *batch, leat_error *err);
void        lt_pipeline_close(lt_pipeline *pipeline); // also after a failed open

// For operators.
// Sends a chunk to the parent. Chunks without rows are dropped.
leat_status lt_emit(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err);
// The same for chunks that start here (produce, end_batch): resets batch->scratch afterwards; looks for interrupts.
leat_status lt_emit_origin(lt_node *node, const lt_chunk *chunk, lt_batch *batch, leat_error *err);
// Whether rows that start at `node` are wanted no more: a full LIMIT stands above, with nothing between that needs all
// rows. Never in a standing query, whose sources must be read to their planned end.
bool lt_node_is_satisfied(const lt_node *node);
bool lt_node_can_be_satisfied(const lt_node *node); // whether such a LIMIT stands above, full or not
// From here on it is the work of `node` (NULL: of nobody); what was counted since the last call is put down to the node
// before, which is returned. Two readings of the clock a chunk and node.
lt_node *lt_node_enter(lt_node *node, const lt_pipeline *pipeline, lt_batch *batch);
// Runs the inputs of a node and then its end_batch; what lt_pipeline_run does for the root.
leat_status lt_node_run(lt_node *node, lt_batch *batch, leat_error *err);
leat_status lt_node_open_tree(lt_pipeline *pipeline, const lt_plan *plan, lt_node *parent, uint32_t parent_input,
                              lt_node **out, leat_error *err);
void        lt_node_close_tree(lt_node *node);
// Closes and opens all nodes of a tree: their states start from nothing.
leat_status lt_node_reopen_tree(lt_node *node, leat_error *err);
// The watermark that counts for an operator: the minimum (or maximum) over the definitions below it; INT64_MIN: none.
int64_t lt_node_late_us(const lt_node *node, const lt_batch *batch);
int64_t lt_node_close_us(const lt_node *node, const lt_batch *batch);
// Event time of a row of a marked column: the lane, or the end of a window struct. false: NULL.
bool lt_event_time(const lt_vector *column, uint32_t row, int64_t *out_us, bool *out_is_window);
// The watermark at which a row of a marked column is late and what it opened is closed. false: NULL, never.
bool lt_event_due(const lt_node *node, const lt_vector *column, uint32_t row, int64_t *out_due_us);
// Whether late rows are left out at this node and closed state is forgotten; a standing query's.
bool lt_node_forgets(const lt_node *node);
// Grows with every change of the relations below a node: equal versions, equal rows.
uint64_t                             lt_node_relations_version(const lt_node *node);
const lt_operator_kind              *lt_operator_find(lt_plan_kind kind); // the one without .serves
const lt_operator_kind              *lt_operator_of(const lt_plan *plan);
extern const lt_operator_kind *const lt_operator_registry[];
extern const lt_operator_kind        lt_operator_recompute; // wraps operators that are not incremental

#endif
