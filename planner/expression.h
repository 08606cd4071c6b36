// expression: a bound expression over the columns of one chunk. Const after binding; state of functions lives with
// whoever evaluates (exec/evaluate.h). Types are final: every implicit cast is a CAST node.
#ifndef LT_PLANNER_EXPRESSION_H
#define LT_PLANNER_EXPRESSION_H

#include "base/aggregate.h"
#include "base/cast.h"

typedef enum lt_expression_kind {
    LT_EXPRESSION_LITERAL, // value
    LT_EXPRESSION_COLUMN,  // column of the input chunk
    LT_EXPRESSION_CALL,    // function(arguments)
    LT_EXPRESSION_CAST,    // arguments[0] as type; is_try
    LT_EXPRESSION_AND,     // n arguments, three-valued; a row that is FALSE is not evaluated further (guards)
    LT_EXPRESSION_OR,      // n arguments; a row that is TRUE is not evaluated further
    LT_EXPRESSION_CASE, // arguments: when, then, when, then, ..., [else]; only the chosen branch is evaluated for a row
    LT_EXPRESSION_COALESCE, // first argument that is not NULL; later ones only where needed
    LT_EXPRESSION_IN,       // arguments[0] IN (arguments[1..]); NULL rules of spark-semantics 1.7
    LT_EXPRESSION_FIELD,    // field `field` of the struct arguments[0]; of an array of structs: the array of that field
    LT_EXPRESSION_LAMBDA,   // arguments[0]: body; variables variable .. variable + variable_count - 1
    LT_EXPRESSION_VARIABLE, // lambda variable number `variable`
    LT_EXPRESSION_SUBQUERY, // only between binding and decorrelation, never in a finished plan
} lt_expression_kind;

typedef struct lt_expression lt_expression;
struct lt_expression {
    lt_expression_kind          kind;
    uint32_t                    id; // unique in its plan: slot of the state of a CALL
    const lt_type              *type;
    lt_place                    place;
    const lt_expression *const *arguments;
    uint32_t                    argument_count;
    const lt_vector            *value;                    // LITERAL: constant form
    uint32_t                    column;                   // COLUMN
    uint32_t                    field;                    // FIELD
    const lt_function          *function;                 // CALL
    const lt_vector *const     *constants;                // CALL: values of foldable arguments, else NULL entries
    bool                        is_try;                   // CAST
    uint32_t                    variable, variable_count; // LAMBDA, VARIABLE
    const void                 *subquery;                 // SUBQUERY: the binder's own
};

// Whether an expression can be computed once, now: no column, variable, parameter or nondeterministic call below.
bool lt_expression_is_foldable(const lt_expression *expression);
// Whether evaluating may raise; such terms keep their place behind the terms that guard them.
bool lt_expression_can_fail(const lt_expression *expression);
bool lt_expression_is_deterministic(const lt_expression *expression);
bool lt_expression_equal(const lt_expression *a, const lt_expression *b); // structural; nondeterministic calls never
// Calls visit(user, node) for each node, parents first; visit returns false to leave out the children.
void lt_expression_walk(const lt_expression *expression, bool (*visit)(void *user, const lt_expression *node),
                        void                *user);
// A copy in which COLUMN c is replaced by map[c] (NULL entry: kept). NULL without memory.
const lt_expression *lt_expression_substitute(lt_arena *arena, const lt_expression *expression,
                                              const lt_expression *const *map, uint32_t map_count);
// The AND of some terms of the AND `whole`; one term stands for itself. NULL without memory.
const lt_expression *lt_expression_conjunction(lt_arena *arena, const lt_expression *whole,
                                               const lt_expression *const *terms, uint32_t count);
// A copy in which COLUMN c becomes COLUMN c + shift.
const lt_expression *lt_expression_shift(lt_arena *arena, const lt_expression *expression, int32_t shift);
const lt_expression *lt_expression_column(lt_arena *arena, uint32_t column, const lt_type *type, const lt_place *place);
const lt_expression *lt_expression_literal(lt_arena *arena, const lt_vector *value, const lt_place *place);
// For EXPLAIN: "(amount > 3)"; columns by the names given.
leat_status lt_expression_print(const lt_expression *expression, const char *const *column_names, lt_buffer *out,
                                leat_error *err);

#endif
