// bind: syntax tree -> plan. Names, types, coercion, names of columns, sub-queries into joins.
#ifndef LT_PLANNER_BIND_H
#define LT_PLANNER_BIND_H

#include "base/generator.h"
#include "parser/ast.h"
#include "planner/catalog.h"

// What binding needs from outside. The planner evaluates nothing itself: constants are folded by `fold`, the same code
// that runs queries.
typedef struct lt_bind_context {
    lt_arena                  *arena; // statement arena: the plan lives there
    const lt_catalog          *catalog;
    const lt_function *const  *functions; // registries, ended by NULL
    const lt_aggregate *const *aggregates;
    const lt_generator *const *generators;
    lt_evaluation             *evaluation;
    leat_status (*fold)(void *user, const lt_expression *expression, lt_arena *arena, const lt_vector **out,
                        leat_error *err);
    // Infers the columns of json.`path`: gives a relation entry that lives as long as the statement.
    leat_status (*open_path)(void *user, const char *format, const char *path, const lt_place *place,
                             const lt_catalog_entry **out, leat_error *err);
    // A relation that a function of the session gives, as leat_checkpoint('ck'); *out NULL: there is no such function.
    // May be NULL. `argument`: the one text argument; NULL: none.
    leat_status (*open_function)(void *user, const char *name, const char *argument, const lt_place *place,
                                 const lt_catalog_entry **out, leat_error *err);
    void *user;    // given to fold, open_path and parameter
    void *outside; // the caller's own; nothing here looks at it
    // Values of parameters: `?` by ordinal, `:name` by name; NULL: unbound (UNBOUND_SQL_PARAMETER).
    const lt_vector *(*parameter)(void *user, uint32_t ordinal, const char *name);
    // About how many rows the relation has now; < 0: not known. May be NULL.
    int64_t (*row_count)(void *user, const lt_catalog_entry *entry);
    // About how many different values a column has; < 0: not known. A look at some rows. May be NULL.
    int64_t (*distinct_count)(void *user, const lt_catalog_entry *entry, uint32_t column);
    // About which part of a relation's rows a condition holds for; < 0: not known. `columns`: of the relation, by column
    // that the condition reads. A look at some rows. May be NULL.
    double (*matching_part)(void *user, const lt_catalog_entry *entry, const uint32_t *columns, uint32_t column_count,
                            const lt_expression *condition);
    const char *rules_off;   // rewrites to leave out, by name; NULL: none (planner/rules/rules.h)
    bool        is_standing; // a standing query: relation checks for streams apply later, in planner/modes.h
} lt_bind_context;

// A name that the binder understands without a registry row, for SHOW FUNCTIONS; the list ends with a NULL name.
typedef struct lt_spoken_form {
    const char *name, *summary, *example, *example_result;
} lt_spoken_form;
extern const lt_spoken_form lt_spoken_forms[];

// Binds a whole query. The plan's last Sort and Limit stand at its top.
leat_status lt_bind_query(lt_bind_context *context, const lt_ast_query *query, lt_query_plan *out, leat_error *err);
// Binds an expression without columns (DEFAULT, SET VAR, options) and folds it to `want` (NULL: its own type).
leat_status lt_bind_constant(lt_bind_context *context, const lt_ast_expression *expression, const lt_type *want,
                             const lt_vector **out, leat_error *err);
leat_status lt_bind_type(lt_bind_context *context, const lt_ast_type *type, const lt_type **out, leat_error *err);
// Binds INSERT's query to the columns of a table: store assignment casts, arity, BY NAME, DEFAULT. Output columns = the
// table's. `replace_where` (or NULL): the plan gives the whole new content, old rows without those that it holds for.
leat_status lt_bind_insert(lt_bind_context *context, const lt_ast_query *query, const lt_catalog_entry *table,
                           const lt_ast_name *columns, uint32_t column_count, bool is_by_name,
                           const lt_ast_expression *replace_where, lt_query_plan *out, leat_error *err);

#endif
