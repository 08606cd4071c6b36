// append: what the two ways of giving rows to a memory stream share: leat_append_* and leat_stream_append.
#ifndef LT_EXEC_HOST_APPEND_H
#define LT_EXEC_HOST_APPEND_H

#include "exec/session.h"

// The stream of that name, which must be of connector 'memory'.
leat_status lt_append_stream(leat_session *session, const char *name, const lt_catalog_entry **out, leat_error *err);
// Copies `count` rows of flat columns into the queue: all or none. `arena` holds views meanwhile.
leat_status lt_append_rows(lt_row_queue *queue, lt_vector *columns, uint32_t count, lt_arena *arena, leat_error *err);

#endif
