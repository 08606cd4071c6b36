// standing: what the files exec/standing*.c share and nobody else sees: the steps that a start and a batch are made of.
//
//     start    checkpoint_open -> sources -> pipeline -> state_load, watermarks and offsets -> sink_open
//     batch    offsets record -> pipeline run into root_give -> sink_run -> commit record with state -> apply_to_table -> snapshot_step
//
// Ownership  all of it belongs to the query.      Threads  whoever holds the session's lock.
// Errors     every one of them ends the query: lt_standing_fail keeps it.
#ifndef LT_EXEC_STANDING_STANDING_H
#define LT_EXEC_STANDING_STANDING_H

#include "exec/session.h"

// Closes the query as failed with `status` and, if given, *err; returns the status.
leat_status lt_standing_fail(lt_standing *query, leat_status status, leat_error *err);

// output
typedef leat_status (*lt_rows_taker)(void *user, const lt_chunk *chunk, leat_error *err);
// Rows of the root of the plan, for lt_pipeline.give: kept until the commit.
leat_status lt_standing_root_give(void *user, const lt_chunk *delta, lt_batch *batch, leat_error *err);
// How many rows of this batch sinks and listeners get, once the table has them.
uint64_t lt_standing_delivered_count(const lt_standing *query);
// What the batch delivered becomes visible in the table.
leat_status lt_standing_apply_to_table(lt_standing *query, leat_error *err);
// One row that comes to the table or, of a merging one, goes; for the checkpoint and those who follow, too.
leat_status lt_standing_table_add(lt_standing *query, const char *bytes, size_t count, int64_t weight, int64_t place,
                                  leat_error *err);
// Mode changelog: deliveries become rows with an op, for the table and in query->delivered.
leat_status lt_standing_apply_changelog(lt_standing *query, leat_error *err);
// Rows of this batch for sinks and listeners: what was delivered, or the whole table, presented.
leat_status lt_standing_give_rows(lt_standing *query, bool is_complete, lt_rows_taker take, void *user,
                                  leat_error *err);
leat_status lt_standing_statement_take(void *user, const lt_chunk *chunk, leat_error *err); // user: a leat_statement
leat_status lt_standing_listener_call(lt_standing *query, int64_t batch_id, leat_error *err);
leat_status lt_standing_sink_open(lt_standing *query, leat_error *err);
leat_status lt_standing_sink_run(lt_standing *query, bool is_replay, leat_error *err); // begin, rows, stage, publish

// event time (docs/event_time.md)
// Its options, before the plan is finished; whether the finished plan can obey them.
leat_status lt_standing_event_time_options(lt_standing *query, leat_error *err);
leat_status lt_standing_event_time_check(const lt_standing *query, leat_error *err);
// What a start needs: options of the definitions and of the pipeline, which is not yet open.
leat_status lt_standing_event_time_open(lt_standing *query, leat_error *err);
// Moves watermarks by the clock, as idleTimeout and flushTimeout say; whether an operator's has moved. is_input_due: the
// next batch has input.
bool lt_standing_watermarks_wait(lt_standing *query, int64_t now_us, bool is_input_due);
// Moves the watermarks of all definitions, or of those with finalWindows, as far as closes all that is open. false:
// nothing is, or other definitions hold it open.
bool        lt_standing_windows_close(lt_standing *query, bool takes_all);
void        lt_standing_watermarks_advance(lt_standing *query, int64_t batch_time_us); // after a batch
leat_status lt_standing_give_late(void *user, const lt_node *node, uint32_t input, const lt_chunk *chunk, uint32_t row,
                                  int64_t watermark_us, leat_error *err); // lt_batch.give_late; user: the query

// checkpoint
leat_status lt_standing_checkpoint_open(lt_standing *query, leat_error *err);
// State in a commit: arrival numbers, table changes, then what the pipeline's nodes have changed.
leat_status lt_standing_state_save(lt_standing *query, lt_buffer *out, leat_error *err);
// Behind a batch that changed so many bytes of state: its part of a snapshot, if one is due. A snapshot that fails is
// given up.
void        lt_standing_snapshot_step(lt_standing *query, size_t changed_bytes);
leat_status lt_standing_state_load(void *user, int64_t batch_id, bool is_snapshot, const void *bytes, size_t count,
                                   leat_error *err); // user: the query
leat_status lt_standing_offsets_print(lt_standing *query, int64_t time_us, uint64_t seed, lt_buffer *out,
                                      leat_error *err);
leat_status lt_standing_commit_print(lt_standing *query, uint64_t input_rows, lt_buffer *out, leat_error *err);
// Watermarks, time and seed from an offsets or commit record; outputs may be NULL.
leat_status lt_standing_watermarks_from_json(lt_standing *query, const char *json, size_t bytes, int64_t *out_time_us,
                                             int64_t *out_seed, leat_error *err);
// The end offset of source `index` in an offsets record, copied into the run arena; NULL: the source took nothing yet.
leat_status lt_standing_offset_from_json(lt_standing *query, const char *json, size_t bytes, uint32_t index,
                                         const char **out, leat_error *err);
#endif
