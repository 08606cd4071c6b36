// sessions: what the two operators of GROUP BY session_window share. session_fold keeps sessions with their accumulators,
// where rows only come and accumulators can be merged; session_aggregate keeps the rows themselves.
#ifndef LT_EXEC_SESSIONS_H
#define LT_EXEC_SESSIONS_H

#include "exec/operator.h"

bool lt_sessions_can_fold(const lt_plan *plan);
// Refuses a session window without another key where Spark does.
leat_status lt_session_keys_check(const lt_node *node, leat_error *err);
// The rows that have a session (`bounds`) and are not late: their numbers; late ones are counted and told of.
leat_status lt_session_rows_in_time(lt_node *node, const lt_chunk *delta, const lt_vector *bounds, bool forgets,
                                    lt_batch *batch, uint16_t *rows, uint32_t *out_count, leat_error *err);

#endif
