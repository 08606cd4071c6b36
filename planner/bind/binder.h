// binder: what the files of planner/bind/ share: relations with their names, scopes, bound expressions.
//
//     FROM a JOIN b          -> lt_relation: plan + names of its columns
//     expression over it     -> lt_bound: expression + the name Spark gives it
//
// Slots: while a SELECT is being bound, an expression may stand for something that gets its column later. Such columns
// are numbered from LT_SLOT_AGGREGATE, LT_SLOT_WINDOW or LT_SLOT_OUTER; select.c and subqueries.c replace them, and no
// finished plan holds one.
//
// Ownership  everything lives in the statement's arena.   Threads  one at a time.
// Limits     nesting of views, CTEs and functions LT_BIND_NESTING_MAX, LT_BIND_EXPANSIONS_MAX of them in all, size of
// one expression LT_BOUND_SIZE_MAX nodes.
#ifndef LT_PLANNER_BIND_BINDER_H
#define LT_PLANNER_BIND_BINDER_H

#include "base/generator.h"
#include "base/window_assign.h"
#include "planner/bind.h"

#include <string.h>
#include <strings.h>

enum {
    LT_SLOT_AGGREGATE      = 1 << 28, // call k of the aggregation
    LT_SLOT_WINDOW         = 2 << 28, // call k over a window
    LT_SLOT_OUTER          = 3 << 28, // outer argument k of the sub-query
    LT_SLOT_GENERATOR      = 5 << 27, // column k of the generator of a select list
    LT_BIND_NESTING_MAX    = 100,
    LT_BIND_EXPANSIONS_MAX = 10000,
    LT_BOUND_SIZE_MAX      = 1000000,
    LT_BOUND_DEPTH_MAX     = 1000,
};

static inline bool lt_is_slot(uint32_t column, uint32_t base) { return (column & ~0x07FFFFFFU) == base; }

// A list that grows in the arena.
#define LT_LIST(name, type)                                                                                            \
    typedef struct name {                                                                                              \
        type    *items;                                                                                                \
        uint32_t count, capacity;                                                                                      \
    } name
// Room for one more at items[count]; NULL without memory. The caller counts.
void *lt_list_room(lt_arena *arena, void *items, uint32_t count, uint32_t *capacity, size_t item_bytes);
#define LT_LIST_ADD(arena, list, value, err)                                                                           \
    do {                                                                                                               \
        void *lt_list_items =                                                                                          \
            lt_list_room((arena), (list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items);             \
        if (lt_list_items == NULL) return lt_raise_no_memory(err);                                                     \
        (list)->items                  = lt_list_items;                                                                \
        (list)->items[(list)->count++] = (value);                                                                      \
    } while (0)

LT_LIST(lt_expression_list, const lt_expression *);

// ---- relations and scopes -------------------------------------------------------------------------------------------
typedef struct lt_scope_column {
    const char    *name;
    const char    *relation; // alias or name of its table; NULL: none
    const lt_type *type;
    uint32_t       column;            // of the plan
    bool           is_hidden;         // metadata: found by name, not part of *
    bool           is_qualified_only; // the other side of USING: found as t.name only
} lt_scope_column;
LT_LIST(lt_scope_columns, lt_scope_column);

typedef struct lt_relation {
    const lt_plan                 *plan;
    lt_scope_columns               columns;
    const struct lt_session_table *session; // of SESSION(TABLE ..): its rows have their window in groups only; or NULL
} lt_relation;

typedef struct lt_bound {
    const lt_expression *expression;
    const char          *text;  // as Spark prints it inside of other expressions
    const char          *name;  // of a column without alias, where it is not the text; or NULL
    const char          *field; // what struct(..) names it where that is not `name`; "": by its place
    uint32_t             size, depth;
    bool                 is_name;    // a bare column, variable of a lambda, or field: CAST keeps its name
    bool                 is_literal; // as written: an integer beside a DECIMAL counts its own digits only
} lt_bound;
LT_LIST(lt_bounds, lt_bound);

// An output column of a SELECT; also what lateral aliases, HAVING and ORDER BY refer to.
typedef struct lt_output {
    const char              *name;
    const lt_expression     *expression;
    const char              *text;
    const char              *relation; // of a bare column: its table, so that ORDER BY t.a finds it
    uint32_t                 size, depth;
    bool                     has_alias;
    const lt_ast_expression *ast;
} lt_output;
LT_LIST(lt_outputs, lt_output);

LT_LIST(lt_aggregate_calls, lt_aggregate_call);

// Aggregates met in a SELECT, each once.
typedef struct lt_aggregation {
    lt_aggregate_calls calls;
    lt_bounds          grouping;  // grouping(..) and grouping_id(..): see grouping_sets.c
    bool               is_inside; // an argument is being bound: no aggregate in it
} lt_aggregation;

typedef struct lt_over {
    lt_window_call              call;
    const lt_expression *const *partition;
    uint32_t                    partition_count;
    const lt_sort_key          *order;
    uint32_t                    order_count;
} lt_over;
LT_LIST(lt_overs, lt_over);

// The sub-query being bound and what it refers to of the query around it.
// Texts of outer columns, each time that one is named; in Spark's order: what is computed last comes first.
typedef struct lt_outer_names {
    const char **items;
    uint32_t     count, capacity;
} lt_outer_names;

typedef struct lt_frame {
    struct lt_scope   *outer;     // scope that the sub-query stands in
    lt_expression_list arguments; // over the columns of that scope
    lt_outer_names     names;
    bool               is_lateral;
} lt_frame;

typedef struct lt_lambda_frame {
    const struct lt_lambda_frame *outer;
    const lt_ast_names           *names;
    const lt_type *const         *types;
    uint32_t                      first;
} lt_lambda_frame;

typedef enum lt_clause {
    LT_CLAUSE_SELECT,
    LT_CLAUSE_WHERE,
    LT_CLAUSE_ON,
    LT_CLAUSE_GROUP_BY,
    LT_CLAUSE_HAVING,
    LT_CLAUSE_QUALIFY,
    LT_CLAUSE_ORDER_BY,
    LT_CLAUSE_VALUES,
    LT_CLAUSE_PIPE, // EXTEND, SET: no aggregates
    LT_CLAUSE_OTHER
} lt_clause;

typedef enum lt_alias_use {
    LT_ALIASES_NONE,
    LT_ALIASES_LAST, // columns win: lateral aliases, GROUP BY
    LT_ALIASES_FIRST // aliases win: ORDER BY, and HAVING but for the keys of GROUP BY
} lt_alias_use;

// Parameters of a function made by SQL.
typedef struct lt_parameter_values {
    const char     *function;
    const char    **names;
    const lt_bound *values;
    uint32_t        count;
} lt_parameter_values;

struct lt_time_windows;

typedef struct lt_scope {
    lt_clause                   clause;
    lt_relation                *relation; // NULL: no columns
    lt_frame                   *frame;    // NULL: outermost
    const lt_outputs           *aliases;
    lt_alias_use                alias_use;
    const struct lt_grouping   *grouping;    // HAVING: a column that is a key wins over aliases; else NULL
    lt_aggregation             *aggregation; // NULL: aggregates are an error of the clause
    lt_overs                   *overs;       // NULL: OVER is an error of the clause
    const lt_lambda_frame      *lambdas;
    const lt_ast_named_windows *windows;
    bool                        is_in_over;   // below OVER: a lateral alias is an error
    bool                        is_top;       // the whole select item: generators may stand here
    struct lt_time_windows     *time_windows; // window(..) calls of this SELECT
} lt_scope;

typedef struct lt_cte_scope {
    const struct lt_cte_scope *outer;
    const lt_ast_cte          *cte;
    bool                       is_recursive;
    lt_frame                  *frame;        // of the query that WITH stands in
    bool                       is_forbidden; // its name must not be used: an anchor that refers to itself
    // while the step of a recursive one is bound: what its name means
    const lt_plan     *recursion_scan;
    const char *const *recursion_names;
    uint32_t          *recursion_uses;
} lt_cte_scope;

typedef struct lt_name_stack {
    const struct lt_name_stack *outer;
    const char                 *name;
} lt_name_stack;

typedef struct lt_binder {
    lt_bind_context                  *context;
    lt_arena                         *arena;
    const lt_cte_scope               *ctes;
    const lt_name_stack              *views;             // being expanded
    const char                       *schema;            // current; NULL: default
    bool                              hides_temporary;   // inside a view that stays
    const struct lt_parameter_values *parameters;        // of the SQL function whose body is being bound
    uint32_t                        nesting, expansions; // of views, CTEs and functions: within each other, and in all
    uint32_t                        expression_next, variable_next, recursion_next, watermark_next;
    lt_frame                       *frame;                  // of the query being bound
    const struct lt_known_subquery *subqueries;             // subqueries.c
    uint32_t                        no_recursive_reference; // > 0: inside an aggregate, outer join, ...
} lt_binder;

// ---- types.c, literals.c, coercion.c --------------------------------------------------------------------------------
leat_status lt_type_bind(lt_binder *binder, const lt_ast_type *ast, const lt_type **out, leat_error *err);
leat_status lt_literal_bind(lt_binder *binder, const lt_ast_expression *ast, lt_bound *out, leat_error *err);
leat_status lt_interval_bind(lt_binder *binder, const lt_ast_expression *ast, lt_bound *out, leat_error *err);
// Constant vectors.
leat_status lt_constant_null(lt_arena *arena, const lt_type *type, const lt_vector **out, leat_error *err);
leat_status lt_constant_int64(lt_arena *arena, lt_kind kind, int64_t value, const lt_vector **out, leat_error *err);
// A constant of the arena's own, equal to row 0 of `value`.
leat_status lt_constant_copy(lt_arena *arena, const lt_vector *value, const lt_vector **out, leat_error *err);
leat_status lt_constant_text(lt_arena *arena, lt_kind kind, const char *text, size_t bytes, const lt_vector **out,
                             leat_error *err);
leat_status lt_literal_int64(lt_binder *binder, lt_kind kind, int64_t value, const lt_expression **out,
                             leat_error *err);
leat_status lt_literal_null(lt_binder *binder, const lt_type *type, const lt_expression **out, leat_error *err);
const char *lt_literal_text(lt_arena *arena, const lt_vector *value); // as names of columns print it
// Spark's common type for set operations, CASE, coalesce, IN and comparisons; NULL: none.
const lt_type *lt_common_type(lt_arena *arena, const lt_type *a, const lt_type *b);
// The same for the rows of VALUES: texts mix with nothing else, and FLOAT takes integers.
const lt_type *lt_values_common_type(lt_arena *arena, const lt_type *a, const lt_type *b);
// What `type` becomes to be passed as `takes`: NULL: it cannot.
const lt_type *lt_implicit_type(lt_arena *arena, uint16_t takes, const lt_type *type);
// INSERT's rules: may `from` be stored in a column `into`?
bool lt_can_store(const lt_type *from, const lt_type *into);

// ---- build.c: nodes
// ---------------------------------------------------------------------------------------------------
leat_status lt_expression_new(lt_binder *binder, lt_expression_kind kind, const lt_type *type,
                              const lt_expression *const *arguments, uint32_t argument_count, const lt_place *place,
                              lt_expression **out, leat_error *err);
leat_status lt_cast_to(lt_binder *binder, const lt_expression *expression, const lt_type *type,
                       const lt_expression **out, leat_error *err);
leat_status lt_column_new(lt_binder *binder, uint32_t column, const lt_type *type, const lt_expression **out,
                          leat_error *err);
leat_status lt_and(lt_binder *binder, const lt_expression *const *terms, uint32_t count, const lt_expression **out,
                   leat_error *err); // *out NULL for none
// Adds the terms of a conjunction to `out`.
leat_status lt_conjuncts(lt_binder *binder, const lt_expression *expression, lt_expression_list *out, leat_error *err);
leat_status lt_not(lt_binder *binder, const lt_expression *expression, const lt_expression **out, leat_error *err);
// Folds what is foldable and succeeds now to a LITERAL.
leat_status lt_bind_fold(lt_binder *binder, const lt_expression *expression, const lt_expression **out,
                         leat_error *err);

leat_status lt_plan_new(lt_binder *binder, lt_plan_kind kind, const lt_plan *const *inputs, uint32_t input_count,
                        uint32_t column_count, const lt_place *place, lt_plan **out, leat_error *err);
// A node with the columns of its only input.
leat_status lt_plan_over(lt_binder *binder, lt_plan_kind kind, const lt_plan *input, lt_plan **out, leat_error *err);
leat_status lt_plan_filter(lt_binder *binder, const lt_plan *input, const lt_expression *predicate, const lt_plan **out,
                           leat_error *err);
// names[i] NULL: the name of the column that expressions[i] is.
leat_status lt_plan_project(lt_binder *binder, const lt_plan *input, const lt_expression *const *expressions,
                            const char *const *names, uint32_t count, const lt_plan **out, leat_error *err);
// The first `count` columns.
leat_status lt_plan_keep(lt_binder *binder, const lt_plan *input, uint32_t count, const lt_plan **out, leat_error *err);
leat_status lt_plan_empty_row(lt_binder *binder, const lt_plan **out, leat_error *err);
// Columns: left's, then right's (SEMI, ANTI: left's; MARK: left's + BOOLEAN). Keys are set by the caller.
leat_status lt_plan_join(lt_binder *binder, lt_join_type type, const lt_plan *left, const lt_plan *right, lt_plan **out,
                         leat_error *err);
lt_plan_column lt_plan_column_of(const lt_plan *input, const lt_expression *expression, const char *name);
// A copy with slot `base` + k replaced by map[k].
leat_status lt_slots_replace(lt_binder *binder, const lt_expression *expression, uint32_t base,
                             const lt_expression *const *map, uint32_t count, const lt_expression **out,
                             leat_error *err);
bool        lt_expression_has_slot(const lt_expression *expression, uint32_t base);
bool        lt_expression_has_subquery(const lt_expression *expression);
bool        lt_plan_has_outer(const lt_plan *plan);
bool        lt_plan_is_streaming(const lt_plan *plan);
// A tree of its own nodes with their numbers, and of its own expressions.
leat_status lt_plan_number(lt_binder *binder, const lt_plan *root, lt_query_plan *out, leat_error *err);
// The same behind the rewrites of planner/rules.
leat_status lt_plan_rewrite(lt_binder *binder, const lt_plan *root, lt_query_plan *out, leat_error *err);

// ---- display.c: names as Spark prints them --------------------------------------------------------------------------
const char *lt_display_call(lt_arena *arena, const char *pattern, const char *name, const char *prefix,
                            const lt_bound *arguments, uint32_t count);
const char *lt_display_join(lt_arena *arena, const char *separator, const lt_bound *items, uint32_t count);
const char *lt_lower(lt_arena *arena, const char *text);

// ---- scope.c --------------------------------------------------------------------------------------------------------
// Looks a name up; *out_found false: nothing of that name. Errors: AMBIGUOUS_REFERENCE, and those of fields.
leat_status lt_scope_find(lt_binder *binder, lt_scope *scope, const lt_ast_names *names, bool *out_found, lt_bound *out,
                          leat_error *err);
// The slot that stands for an expression of the query around, which becomes an argument of the sub-query.
leat_status lt_frame_argument(lt_binder *binder, lt_frame *frame, const lt_expression *expression,
                              const lt_place *place, const lt_expression **out, leat_error *err);
// What struct(..) and (a, b) name the value; NULL: by its place.
static inline const char *lt_bound_field(const lt_bound *bound) {
    return bound->field == NULL ? bound->name : *bound->field == '\0' ? NULL : bound->field;
}
// How many outer columns were named so far. Turn: those named since `since` come before those named since `before`.
uint32_t    lt_frame_name_count(const lt_frame *frame);
leat_status lt_frame_names_turn(lt_binder *binder, lt_frame *frame, uint32_t before, uint32_t since, leat_error *err);
leat_status lt_raise_unresolved(lt_binder *binder, const lt_scope *scope, const lt_ast_names *names,
                                const lt_place *place, leat_error *err);
leat_status lt_names_text(lt_binder *binder, const lt_ast_names *names, const char **out, leat_error *err);
// Columns of * or t.* or a.struct.*.
leat_status lt_star_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *star, lt_outputs *out,
                         leat_error *err);
leat_status lt_field_bind(lt_binder *binder, const lt_bound *value, const char *name, const lt_place *place,
                          lt_bound *out, leat_error *err);
// The relation's columns are its plan's, all of table `relation`.
leat_status lt_relation_of_plan(lt_binder *binder, const lt_plan *plan, const char *relation, lt_relation *out,
                                leat_error *err);

// ---- expressions.c, functions.c, special_forms.c, aggregates.c, windows.c -------------------------------------------
leat_status lt_bind_expression(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                               leat_error *err);
leat_status lt_bind_boolean(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_condition condition,
                            lt_bound *out, leat_error *err);
leat_status lt_bind_list(lt_binder *binder, lt_scope *scope, const lt_ast_expressions *asts, lt_bounds *out,
                         leat_error *err);
// A call of a registry function with bound arguments. `display` NULL: the function's own.
leat_status lt_call_bind(lt_binder *binder, const char *name, const lt_bound *arguments, uint32_t count,
                         const char *display, const lt_place *place, lt_bound *out, leat_error *err);
leat_status lt_call_ast(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                        leat_error *err);
// *out_found false: `ast` is no special form.
leat_status lt_special_form_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                 bool *out_found, lt_bound *out, leat_error *err);
leat_status lt_case_bind(lt_binder *binder, const lt_bound *arguments, uint32_t count, bool has_else, const char *text,
                         const lt_place *place, lt_bound *out, leat_error *err);
leat_status lt_compare_bind(lt_binder *binder, const char *symbol, const lt_bound *left, const lt_bound *right,
                            const lt_place *place, lt_bound *out, leat_error *err);

// Resolves one row of a registry for given arguments: shared by functions, aggregates and generators.
typedef struct lt_candidate {
    const char     *name;
    const uint16_t *takes;
    lt_kind         returns;
    bool            has_resolve;
    leat_status (*resolve)(const void *row, lt_resolution *resolution, leat_error *err);
    const void *row;
} lt_candidate;
typedef struct lt_resolved {
    const void                 *row;
    const lt_expression *const *arguments; // cast
    const lt_vector *const     *constants;
    uint32_t                    argument_count;
    const lt_type              *type;
    const char                 *display; // of this call, or NULL: the row's
} lt_resolved;
LT_LIST(lt_candidates, lt_candidate);
leat_status lt_resolve(lt_binder *binder, lt_scope *scope, const lt_candidates *candidates, const char *name,
                       const lt_bound *arguments, uint32_t count, const lt_ast_expressions *asts, const lt_place *place,
                       lt_bound *out_arguments, lt_resolved *out, leat_error *err);

leat_status lt_parameters_bind(lt_binder *binder, const lt_catalog_function *function, const lt_bound *arguments,
                               uint32_t count, const lt_place *place, lt_parameter_values *out, leat_error *err);

bool lt_is_aggregate_name(const lt_binder *binder, const char *name);
bool lt_is_window_only_name(const lt_binder *binder, const char *name);
bool lt_is_function_name(const lt_binder *binder, const char *name);
// Raises UNRESOLVED_ROUTINE with the name that was probably meant, or what it is called here (unknown_function.c).
leat_status lt_unknown_function(const lt_binder *binder, const char *name, const lt_place *place, leat_error *err);
leat_status lt_unknown_table_function(const char *name, const lt_place *place, leat_error *err);
bool        lt_is_generator_name(const lt_binder *binder, const char *name);
leat_status lt_aggregate_call_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                   lt_bound *out, leat_error *err);
// The call itself, for aggregates and windows.
leat_status lt_aggregate_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                              lt_aggregate_call *out, const char **out_text, leat_error *err);
leat_status lt_over_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                         lt_bound *out, leat_error *err);
leat_status lt_sort_keys_bind(lt_binder *binder, lt_scope *scope, const lt_ast_order_items *items,
                              const lt_sort_key **out, const char **out_text, leat_error *err);
// window(..), session_window(..) and window_time(..) of a SELECT: the column that holds it, and what it is made of.
typedef struct lt_time_window {
    uint32_t             column;
    const lt_expression *time;
    const lt_expression *gap;        // session_window; else NULL
    int64_t              lengths[3]; // window: length, slide, start; all 0 for window_time
} lt_time_window;
LT_LIST(lt_time_windows, lt_time_window);
// WINDOW nodes for all calls over the plan; *out_first_column: of each call.
leat_status lt_windows_plan(lt_binder *binder, const lt_plan *input, const lt_overs *overs, const lt_plan **out,
                            uint32_t **out_columns, leat_error *err);
// window(time, ...), session_window(..), window_time(..).
leat_status lt_time_window_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                lt_bound *out, leat_error *err);
// The expression that a window function takes the time from: a TIMESTAMP, what is cast to one, or a window's last
// moment.
leat_status lt_window_time_of(lt_binder *binder, const lt_bound *bound, const char *name, const lt_expression **out,
                              leat_error *err);
// `below` with a last column `window`: a row for each window that holds its time.
leat_status lt_window_assign(lt_binder *binder, const lt_plan *below, const lt_expression *time,
                             const lt_window_spec *spec, const lt_place *place, const lt_plan **out, leat_error *err);
// The gap of a session: an interval expression.
leat_status lt_session_gap_of(lt_binder *binder, const lt_bound *bound, const lt_expression **out, leat_error *err);
// `below` with a last column `session_window`: each row begins as a session of its own, [time, time + gap). A NULL time or
// a gap that is not above 0 drops the row.
leat_status lt_session_assign(lt_binder *binder, const lt_plan *below, const lt_expression *time,
                              const lt_expression *gap, const lt_place *place, const lt_plan **out, leat_error *err);
// SESSION(TABLE t PARTITION BY k, DESCRIPTOR(time), gap): columns of the relation's plan.
typedef struct lt_session_table {
    uint32_t                    window, start, end, last; // the row's own session, and its parts; last: window_time
    lt_time_window              of;                       // window column, time and gap
    const lt_expression *const *partition;
    uint32_t                    partition_count;
    lt_place                    place;
} lt_session_table;
// Behind `data`, which becomes the relation of SESSION.
leat_status lt_session_table_bind(lt_binder *binder, lt_relation *data, lt_frame *frame, const lt_expression *time,
                                  const lt_ast_expression *gap, const lt_ast_expressions *partition,
                                  const lt_place *place, leat_error *err);
// Where rows of SESSION would be seen without being grouped.
leat_status lt_session_refuse(const lt_relation *relation, leat_error *err);
// TUMBLE, HOP, CUMULATE and SESSION in FROM. *out_found false: the name is none of theirs.
leat_status lt_window_table_bind(lt_binder *binder, const lt_ast_relation *ast, const char *name, lt_frame *frame,
                                 bool *out_found, lt_relation *out, leat_error *err);
// Adds the window columns that GROUP BY names to the relation.
leat_status lt_time_windows_prepare(lt_binder *binder, lt_scope *scope, const lt_ast_group_by *group_by,
                                    leat_error *err);

// ---- queries
// ---------------------------------------------------------------------------------------------------------- `frame`:
// The relation's plan gets exactly its visible columns, in their order and under their names.
leat_status lt_relation_visible(lt_binder *binder, lt_relation *relation, leat_error *err);
// of the sub-query, NULL for the outermost.
leat_status lt_query_bind(lt_binder *binder, const lt_ast_query *ast, lt_frame *frame, lt_relation *out,
                          leat_error *err);
leat_status lt_select_bind(lt_binder *binder, const lt_ast_select *ast, const lt_ast_organization *organization,
                           lt_frame *frame, lt_relation *out, leat_error *err);
// A SELECT over a relation that is there already: pipe steps.
typedef struct lt_select_parts {
    const lt_ast_items         *items;
    const lt_ast_expression    *where, *having, *qualify;
    const lt_ast_group_by      *group_by;
    const lt_ast_organization  *organization;
    const lt_ast_named_windows *windows;
    bool                        is_distinct;
    bool                        groups_first;  // |> AGGREGATE: grouping columns stand in front of the items
    bool                        keeps_input;   // |> EXTEND: the input's columns stand in front
    bool                        no_aggregates; // |> EXTEND, SET
    lt_place                    place;
    uint32_t                    names_before; // of the frame, before FROM
} lt_select_parts;
leat_status lt_select_over(lt_binder *binder, const lt_select_parts *parts, lt_relation *from, lt_frame *frame,
                           lt_relation *out, leat_error *err);
leat_status lt_where_bind(lt_binder *binder, const lt_ast_expression *where, lt_clause clause, lt_frame *frame,
                          lt_relation *relation, leat_error *err);
leat_status lt_from_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *out,
                         leat_error *err);
// A relation of the catalog, or one that the session made for this statement.
leat_status lt_entry_bind(lt_binder *binder, const lt_catalog_entry *entry, const char *name, const lt_place *place,
                          lt_relation *out, leat_error *err);
leat_status lt_table_bind(lt_binder *binder, const lt_ast_names *name, const lt_place *place, lt_relation *out,
                          leat_error *err);
leat_status lt_alias_apply(lt_binder *binder, const lt_ast_alias *alias, const lt_place *place, lt_relation *relation,
                           leat_error *err);
leat_status lt_values_bind(lt_binder *binder, const lt_ast_expression_lists *rows, lt_frame *frame,
                           const lt_place *place, lt_relation *out, leat_error *err);
leat_status lt_values_alias_check(const lt_ast_alias *alias, const lt_relation *values, const lt_place *place,
                                  leat_error *err);
leat_status lt_table_call_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *out,
                               leat_error *err);
leat_status lt_lateral_view_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                                 lt_relation *out, leat_error *err);
// A bound call of a generator.
typedef struct lt_generated {
    const lt_generator         *generator;
    const lt_expression *const *arguments; // over the columns of the scope
    uint32_t                    argument_count;
    const lt_vector *const     *constants;
    const lt_field             *fields; // the columns it gives
    uint32_t                    field_count;
    lt_place                    place;
} lt_generated;
leat_status lt_generator_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *call, lt_generated *out,
                              leat_error *err);
// Puts a GENERATE node over *plan, and below it the sub-queries of the arguments; the fields are its last columns.
leat_status lt_generate_plan(lt_binder *binder, const lt_generated *generated, bool is_outer, const lt_plan **plan,
                             leat_error *err);
leat_status lt_join_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                         lt_relation *out, leat_error *err);
// Makes the keys and the residual of a join from a condition over left ++ right columns.
leat_status lt_join_condition(lt_binder *binder, lt_plan *join, const lt_expression *condition, leat_error *err);
leat_status lt_pivot_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                          lt_relation *out, leat_error *err);
leat_status lt_unpivot_bind(lt_binder *binder, const lt_ast_relation *ast, lt_frame *frame, lt_relation *left,
                            lt_relation *out, leat_error *err);
leat_status lt_sample_apply(lt_binder *binder, const lt_ast_sample *sample, lt_relation *relation, leat_error *err);
leat_status lt_set_operation_bind(lt_binder *binder, lt_ast_set_operator operation, bool is_all, lt_relation *left,
                                  lt_relation *right, const lt_place *place, lt_relation *out, leat_error *err);
leat_status lt_distinct_apply(lt_binder *binder, lt_relation *relation, const lt_place *place, leat_error *err);
leat_status lt_organization_bind(lt_binder *binder, const lt_ast_organization *organization, lt_frame *frame,
                                 lt_relation *relation, leat_error *err);
leat_status lt_limit_bind(lt_binder *binder, const lt_ast_organization *organization, lt_relation *relation,
                          leat_error *err);
leat_status lt_organization_check(const lt_ast_organization *organization, const lt_place *place, leat_error *err);
leat_status lt_pipe_bind(lt_binder *binder, const lt_ast_query *ast, lt_frame *frame, lt_relation *out,
                         leat_error *err);
leat_status lt_recursive_bind(lt_binder *binder, const lt_cte_scope *cte, lt_relation *out, leat_error *err);

// Grouping sets of a GROUP BY.
typedef struct lt_grouping {
    lt_bounds keys;
    uint64_t *sets; // bit k: key k is in the set
    uint32_t  set_count;
    bool      has_sets; // ROLLUP, CUBE, GROUPING SETS
    bool      is_present;
} lt_grouping;
leat_status lt_group_by_bind(lt_binder *binder, lt_scope *scope, const lt_ast_group_by *ast, const lt_outputs *outputs,
                             lt_grouping *out, leat_error *err);
// Columns of the aggregate: keys, calls, then a column per grouping()/grouping_id() call.
leat_status lt_aggregate_plan(lt_binder *binder, const lt_plan *input, const lt_grouping *grouping,
                              const lt_aggregation *aggregation, const struct lt_time_windows *time_windows,
                              const lt_place *place, const lt_plan **out, leat_error *err);
// The same over a relation of SESSION, grouped by window_start, window_end and what it is partitioned by.
leat_status lt_session_groups_plan(lt_binder *binder, const lt_plan *input, const lt_session_table *session,
                                   const lt_grouping *grouping, const lt_aggregation *aggregation,
                                   const lt_place *place, const lt_plan **out, leat_error *err);
leat_status lt_grouping_call_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, const char *name,
                                  lt_bound *out, leat_error *err);
// The expression over the aggregate's output: keys by equality, slots by their columns.
leat_status lt_aggregate_rewrite(lt_binder *binder, const lt_expression *expression, const lt_grouping *grouping,
                                 const lt_aggregation *aggregation, const lt_expression **out, leat_error *err);

// ---- sub-queries
// --------------------------------------------------------------------------------------------------------
leat_status lt_subquery_bind(lt_binder *binder, lt_scope *scope, const lt_ast_expression *ast, lt_bound *out,
                             leat_error *err);
// Joins the sub-queries in *expression to *plan and replaces them by columns.
leat_status lt_subqueries_lift(lt_binder *binder, const lt_plan **plan, const lt_expression **expression,
                               leat_error *err);
// WHERE: as lt_plan_filter, with SEMI and ANTI joins where they do.
leat_status lt_subqueries_filter(lt_binder *binder, const lt_plan **plan, const lt_expression *predicate,
                                 leat_error *err);
// left JOIN LATERAL right: the columns of both; outer slots of `right` are `arguments` over left.
leat_status lt_lateral_join(lt_binder *binder, lt_join_type type, const lt_plan *left, const lt_plan *right,
                            const lt_expression_list *arguments, const lt_expression *condition, const lt_plan **out,
                            leat_error *err);
// An inner plan that refers to outer rows -> one without: columns of `inner`, then those of `domain`: the rows of inner
// for each row of domain. values[k]: outer slot k over the domain's columns; NULL: its column k.
leat_status lt_decorrelate(lt_binder *binder, const lt_plan *inner, const lt_plan *domain,
                           const lt_expression *const *values, uint32_t value_count, const lt_plan **out,
                           leat_error *err);
// The distinct outer rows.
leat_status lt_domain_plan(lt_binder *binder, const lt_plan *left, const lt_expression *const *outer, uint32_t count,
                           const lt_plan **out, leat_error *err);
bool        lt_plan_node_has_outer(const lt_plan *plan);
// Gives each output row by itself: may run over the outer rows as they are.
bool lt_plan_is_row_wise(const lt_plan *plan);

// Correlated conditions taken out of a plan: over its columns (those of `inner`, then added ones) and outer slots.
typedef struct lt_pull_up {
    bool               is_possible;
    const lt_plan     *plan;
    lt_expression_list conditions;
} lt_pull_up;
// keeps_rows: only the existence of rows matters. is_global: the plan is an aggregate without keys, whose missing
// groups the caller makes up for.
leat_status lt_pull_up_conditions(lt_binder *binder, const lt_plan *inner, bool keeps_rows, bool is_global,
                                  lt_pull_up *out, leat_error *err);
// A value that is an expression over one global aggregate.
typedef struct lt_scalar_aggregate {
    bool                  is_possible;
    const lt_plan        *plan;         // the aggregate
    const lt_expression  *value;        // over its columns and outer slots
    const lt_expression **over_nothing; // by call: its value over no rows, where that is not NULL
    uint32_t              call_count;
} lt_scalar_aggregate;
leat_status lt_scalar_aggregate_peel(lt_binder *binder, const lt_plan *plan, lt_scalar_aggregate *out, leat_error *err);
leat_status lt_aggregate_over_nothing(lt_binder *binder, const lt_aggregate_call *call, const lt_expression **out,
                                      leat_error *err);
leat_status lt_equality_new(lt_binder *binder, const char *symbol, const lt_expression *left,
                            const lt_expression *right, const lt_expression **out, leat_error *err);
// row_number() as a window call.
leat_status lt_row_number_over(lt_binder *binder, lt_window_call *out, leat_error *err);
bool        lt_has_own_column(const lt_expression *expression); // a column that is no slot
bool        lt_expression_uses_column(const lt_expression *expression, uint32_t column);
// A copy in which the columns that are no slots move by `shift`; NULL without memory.
const lt_expression *lt_expression_shift_below(lt_arena *arena, const lt_expression *expression, uint32_t shift);

#endif
