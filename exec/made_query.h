// made_query: queries that statements make themselves: SELECT of some expressions FROM one relation. ALTER TABLE, ANALYZE
// and SHOW PARTITIONS read a relation through the same binder, rules and operators as everybody.
//
// Ownership  trees live in the statement's result arena.      Threads  the session's.      Errors  those of the query.
#ifndef LT_EXEC_MADE_QUERY_H
#define LT_EXEC_MADE_QUERY_H

#include "exec/session.h"

typedef struct lt_made_query {
    leat_statement *statement;
    lt_ast_query   *query;
    lt_ast_select  *select;
} lt_made_query;

// FROM the relation of that key, with room for items.
leat_status lt_made_query_init(lt_made_query *made, leat_statement *statement, const char *relation,
                               uint32_t item_count, leat_error *err);
void        lt_made_query_add(lt_made_query *made, lt_ast_expression *item);
// Runs it; the rows go to `out`, which the caller deinitialises whatever comes back. types: of the rows, that outlive
// `out`; NULL: as the query gives them, until the statement ends.
leat_status lt_made_query_run(const lt_made_query *made, const lt_type *const *types, lt_segments *out,
                              leat_error *err);

leat_status lt_made_column(lt_arena *arena, const char *name, lt_ast_expression **out, leat_error *err);
leat_status lt_made_cast(lt_arena *arena, lt_ast_expression *value, const lt_type *type, lt_ast_expression **out,
                         leat_error *err);
leat_status lt_made_call(lt_arena *arena, const char *function, lt_ast_expression *argument, lt_ast_expression **out,
                         leat_error *err);

#endif
