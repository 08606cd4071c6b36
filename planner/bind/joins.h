// joins: what the files of JOIN share. joins.c: conditions, USING, plain joins; asof_joins.c: ASOF JOIN and FOR
// SYSTEM_TIME AS OF.
#ifndef LT_PLANNER_BIND_JOINS_H
#define LT_PLANNER_BIND_JOINS_H

#include "planner/bind/binder.h"

// Columns of which sides an expression over left ++ right reads; LT_SIDE_OTHER: aggregates, sub-queries.
enum { LT_SIDE_NONE = 0, LT_SIDE_LEFT = 1, LT_SIDE_RIGHT = 2, LT_SIDE_OTHER = 4 };

// A join while it is bound.
typedef struct lt_join_binding {
    lt_binder             *binder;
    const lt_ast_relation *ast;
    lt_join_type           type;
    lt_relation           *left, *right;
    uint32_t               left_count, right_count; // columns of the plans
    lt_relation            both;                    // left's columns, then right's, shifted
} lt_join_binding;

int lt_join_sides_read(const lt_expression *expression, uint32_t left_count);
// Casts two keys to a type that both have; *out_fits false: there is none.
leat_status lt_join_keys_unify(lt_binder *binder, const lt_expression **left, const lt_expression **right,
                               bool *out_fits, leat_error *err);
leat_status lt_join_recursion_check(const lt_join_binding *self, leat_error *err);
// ON, over both sides; *out NULL: there is none.
leat_status lt_join_condition_bind(lt_join_binding *self, lt_frame *frame, const lt_expression **out, leat_error *err);
// The columns and keys of USING (names) or NATURAL.
leat_status lt_join_using_bind(lt_join_binding *self, const lt_ast_names *names, lt_plan *join, lt_relation *out,
                               leat_error *err);
leat_status lt_join_plain_bind(lt_join_binding *self, lt_frame *frame, lt_relation *out, leat_error *err);
leat_status lt_join_asof_bind(lt_join_binding *self, lt_frame *frame, lt_relation *out, leat_error *err);
// `time`: what stands behind FOR SYSTEM_TIME AS OF.
leat_status lt_join_temporal_bind(lt_join_binding *self, const lt_ast_expression *time, lt_frame *frame,
                                  lt_relation *out, leat_error *err);
// Where the right side of a temporal join is a stream of changes: its messages, as versions of its rows.
leat_status lt_join_versions_bind(lt_binder *binder, const lt_ast_relation *ast, lt_relation *right, leat_error *err);

#endif
