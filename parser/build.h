// build: one function per grammar action: makes a node, links its children, sets its place. The only code that the
// grammar calls.
//
// Ownership  everything goes to the arena of the statement.      Threads  one builder, one thread.
// Errors     are kept in the builder (first one wins); after one, builders go on with spare nodes and parser.c stops
// feeding. Lists      NULL begins a new one: `l = lt_build_names(b, NULL, &n); l = lt_build_names(b, l, &m);`.
#ifndef LT_PARSER_BUILD_H
#define LT_PARSER_BUILD_H

#include "base/arena.h"
#include "parser/ast.h"
#include "parser/scan.h"

// What the grammar sees of a token, after the filter.
typedef struct lt_token {
    uint16_t     terminal;
    uint16_t     keyword;  // the keyword that a name was written as; 0: none
    bool         negative; // a NUMBER or INTERVAL_VALUE with the sign before it
    bool         verbatim; // `text` is the name itself, not its spelling: from IDENTIFIER('..')
    lt_scan_kind kind;
    const char  *text; // borrows the SQL text, or the arena if verbatim
    uint32_t     bytes;
    lt_place     place;
} lt_token;

typedef struct lt_string { // neighbouring string literals, decoded and joined
    lt_ast_text text;
    lt_place    place;
} lt_string;

#define LT_BUILD_SPARES(X)                                                                                             \
    X(lt_ast_assignments)                                                                                              \
    X(lt_ast_call)                                                                                                     \
    X(lt_ast_columns)                                                                                                  \
    X(lt_ast_ctes)                                                                                                     \
    X(lt_ast_expression)                                                                                               \
    X(lt_ast_expression_lists)                                                                                         \
    X(lt_ast_expressions)                                                                                              \
    X(lt_ast_fields)                                                                                                   \
    X(lt_ast_group_by)                                                                                                 \
    X(lt_ast_group_items)                                                                                              \
    X(lt_ast_interval_parts)                                                                                           \
    X(lt_ast_items)                                                                                                    \
    X(lt_ast_join)                                                                                                     \
    X(lt_ast_name_lists)                                                                                               \
    X(lt_ast_named_windows)                                                                                            \
    X(lt_ast_names)                                                                                                    \
    X(lt_ast_options)                                                                                                  \
    X(lt_ast_order_items)                                                                                              \
    X(lt_ast_organization)                                                                                             \
    X(lt_ast_pipe_step)                                                                                                \
    X(lt_ast_pivot)                                                                                                    \
    X(lt_ast_query)                                                                                                    \
    X(lt_ast_relation)                                                                                                 \
    X(lt_ast_sample)                                                                                                   \
    X(lt_ast_select)                                                                                                   \
    X(lt_ast_statement)                                                                                                \
    X(lt_ast_table_argument)                                                                                           \
    X(lt_ast_type)                                                                                                     \
    X(lt_ast_types)                                                                                                    \
    X(lt_ast_unpivot)                                                                                                  \
    X(lt_ast_unpivot_sets)                                                                                             \
    X(lt_ast_watermark)                                                                                                \
    X(lt_ast_window)

typedef struct lt_builder {
    lt_arena          *arena;
    leat_error        *err;
    leat_status        status; // of the first error
    lt_ast_statement  *statement;
    lt_ast_expression *expression;
    lt_ast_type       *type;
    const lt_token    *tokens; // of the statement, END last
    size_t             at;     // the token being fed
    uint32_t           node_count, parameter_count;
    lt_ast_names       parameters; // by ordinal - 1; `?` has no text
    struct {                       // stand in when memory or a limit ran out, so that builders need no checks
#define X(type) type type;
        LT_BUILD_SPARES(X)
#undef X
    } spare;
} lt_builder;

// What the grammar calls at the first token that does not fit, and when its stack is full.
void lt_build_syntax_error(lt_builder *b, const lt_token *token, const void *parser);
void lt_build_too_deep(lt_builder *b);
// Raises PARSE_SYNTAX_ERROR, or `condition`, at `place`, once.
void lt_build_fail(lt_builder *b, lt_condition condition, const lt_place *place, const char *format, ...)
    LT_PRINTF(4, 5);

// names and texts
lt_ast_name        lt_build_no_name(void);
lt_ast_name        lt_build_name(lt_builder *b, const lt_token *token);
lt_ast_names      *lt_build_names(lt_builder *b, lt_ast_names *list, const lt_ast_name *name);
lt_ast_name_lists *lt_build_name_lists(lt_builder *b, lt_ast_name_lists *list, const lt_ast_names *names);
lt_string          lt_build_no_string(void);
lt_string          lt_build_string(lt_builder *b, const lt_string *head, const lt_token *token);

// types
lt_ast_type   *lt_build_type(lt_builder *b, const lt_ast_name *name);
lt_ast_type   *lt_build_type_collated(lt_builder *b, const lt_ast_name *name, const lt_ast_name *collation);
lt_ast_type   *lt_build_type_sized(lt_builder *b, const lt_ast_name *name, const lt_ast_names *numbers,
                                   const lt_token *end);
lt_ast_type   *lt_build_type_without_zone(lt_builder *b, const lt_ast_name *name, const lt_token *end);
lt_ast_type   *lt_build_type_interval(lt_builder *b, const lt_token *token);
lt_ast_type   *lt_build_type_nested(lt_builder *b, const lt_ast_name *name, const lt_ast_types *nested,
                                    const lt_token *end);
lt_ast_type   *lt_build_type_struct(lt_builder *b, const lt_token *word, const lt_ast_fields *fields,
                                    const lt_token *end);
lt_ast_type   *lt_build_schema(lt_builder *b, const lt_ast_fields *fields);
lt_ast_types  *lt_build_types(lt_builder *b, lt_ast_types *list, lt_ast_type *type);
lt_ast_fields *lt_build_fields(lt_builder *b, lt_ast_fields *list, const lt_ast_field *field);
lt_ast_names  *lt_build_numbers(lt_builder *b, lt_ast_names *list, const lt_token *token);
lt_ast_field   lt_build_field(const lt_ast_name *name, lt_ast_type *type, bool not_null, lt_ast_text comment);

// expressions
lt_ast_expressions *lt_build_expressions(lt_builder *b, lt_ast_expressions *list, lt_ast_expression *item);
lt_ast_expression  *lt_build_chain(lt_builder *b, lt_ast_expression_kind kind, lt_ast_expression *left,
                                   lt_ast_expression *right);
lt_ast_expression  *lt_build_not(lt_builder *b, const lt_token *token, lt_ast_expression *argument);
lt_ast_expression  *lt_build_exists(lt_builder *b, const lt_token *token, lt_ast_query *query);
lt_ast_expression  *lt_build_between(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_expression *low,
                                     lt_ast_expression *high);
lt_ast_expression  *lt_build_in(lt_builder *b, lt_ast_expression *value, bool negated, const lt_ast_expressions *list,
                                const lt_token *end);
lt_ast_expression  *lt_build_in_query(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_query *query);
lt_ast_expression  *lt_build_like(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                  lt_ast_expression *pattern);
lt_ast_expression  *lt_build_like_escape(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                         lt_ast_expression *pattern, const lt_token *escape);
lt_ast_expression  *lt_build_like_list(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_like_kind kind,
                                       lt_ast_like_quantifier quantifier, const lt_ast_expressions *patterns,
                                       const lt_token *end);
lt_ast_expression  *lt_build_is(lt_builder *b, lt_ast_expression *value, bool negated, lt_ast_is is,
                                const lt_token *end);
lt_ast_expression  *lt_build_is_distinct(lt_builder *b, lt_ast_expression *value, bool negated,
                                         lt_ast_expression *other);
lt_ast_expression  *lt_build_binary(lt_builder *b, lt_ast_operator operator, lt_ast_expression * left,
                                    lt_ast_expression *right);
lt_ast_expression  *lt_build_unary(lt_builder *b, lt_ast_operator operator, const lt_token * token,
                                   lt_ast_expression *value);
lt_ast_expression  *lt_build_number(lt_builder *b, const lt_token *token);
lt_ast_expression  *lt_build_string_literal(lt_builder *b, const lt_string *string);
lt_ast_expression  *lt_build_binary_literal(lt_builder *b, const lt_token *token);
lt_ast_expression  *lt_build_typed_literal(lt_builder *b, const lt_token *word, const lt_string *string);
lt_ast_expression  *lt_build_constant(lt_builder *b, lt_ast_literal_kind kind, const lt_token *token);
lt_ast_expression  *lt_build_word_literal(lt_builder *b, const lt_token *token);
lt_ast_expression  *lt_build_column(lt_builder *b, const lt_ast_name *name);
lt_ast_expression  *lt_build_field_of(lt_builder *b, lt_ast_expression *base, const lt_ast_name *name);
lt_ast_expression  *lt_build_variant_path(lt_builder *b, lt_ast_expression *base, const lt_ast_name *name);
lt_ast_expression  *lt_build_index(lt_builder *b, lt_ast_expression *base, lt_ast_expression *index,
                                   const lt_token *end);
lt_ast_expression  *lt_build_cast(lt_builder *b, lt_ast_spelling spelling, const lt_token *begin,
                                  lt_ast_expression *value, lt_ast_type *type, const lt_token *end);
lt_ast_expression  *lt_build_collate(lt_builder *b, lt_ast_expression *value, const lt_ast_name *collation);
lt_ast_expression  *lt_build_case(lt_builder *b, const lt_token *begin, lt_ast_expression *operand,
                                  const lt_ast_expressions *whens, lt_ast_expression *otherwise, const lt_token *end);
lt_ast_expression  *lt_build_parentheses(lt_builder *b, const lt_token *begin, lt_ast_expression *e,
                                         const lt_token *end);
lt_ast_expression  *lt_build_row(lt_builder *b, const lt_token *begin, lt_ast_expression *first,
                                 const lt_ast_expressions *rest, const lt_token *end);
lt_ast_expression  *lt_build_subquery(lt_builder *b, lt_ast_query *query);
lt_ast_expression  *lt_build_parameter(lt_builder *b, const lt_token *token, const lt_ast_name *name);
lt_ast_interval_parts *lt_build_interval_parts(lt_builder *b, lt_ast_interval_parts *list,
                                               const lt_ast_interval_part *part);
lt_ast_interval_part   lt_build_interval_part(lt_builder *b, const lt_token *value, const lt_token *unit,
                                              const lt_token *to);
lt_ast_expression     *lt_build_interval(lt_builder *b, const lt_token *begin, const lt_ast_interval_parts *parts);
lt_ast_expression     *lt_build_alias(lt_builder *b, lt_ast_expression *value, const lt_ast_name *name);
lt_ast_expression     *lt_build_star(lt_builder *b, lt_ast_expression *prefix, const lt_token *star,
                                     const lt_ast_name_lists *except, const lt_token *end);

// calls
lt_ast_expression  *lt_build_call(lt_builder *b, lt_ast_expression *function, bool distinct,
                                  const lt_ast_expressions *arguments, const lt_token *end);
lt_ast_expressions *lt_build_word_argument(lt_builder *b, const lt_token *word);
lt_ast_expression  *lt_build_call_nulls(lt_builder *b, lt_ast_expression *call, lt_ast_call_nulls nulls,
                                        const lt_token *end);
lt_ast_expression  *lt_build_call_within(lt_builder *b, lt_ast_expression *call, const lt_ast_order_items *order,
                                         const lt_token *end);
lt_ast_expression  *lt_build_call_filter(lt_builder *b, lt_ast_expression *call, lt_ast_expression *filter,
                                         const lt_token *end);
lt_ast_expression  *lt_build_call_over(lt_builder *b, lt_ast_expression *call, lt_ast_window *window);
lt_ast_expression  *lt_build_call_from(lt_builder *b, lt_ast_expression *function, lt_ast_expression *what,
                                       lt_ast_expression *from, lt_ast_expression *length, const lt_token *end);
lt_ast_expression  *lt_build_call_trim(lt_builder *b, lt_ast_expression *function, const lt_token *side,
                                       lt_ast_expression *characters, lt_ast_expression *source, const lt_token *end);
lt_ast_expression  *lt_build_call_overlay(lt_builder *b, lt_ast_expression *function, lt_ast_expression *input,
                                          lt_ast_expression *replacement, lt_ast_expression *from,
                                          lt_ast_expression *length, const lt_token *end);
lt_ast_expression  *lt_build_call_position(lt_builder *b, const lt_token *word, lt_ast_expression *needle,
                                           lt_ast_expression *text, const lt_token *end);
lt_ast_expression  *lt_build_named_argument(lt_builder *b, const lt_ast_name *name, lt_ast_expression *value);
lt_ast_expression  *lt_build_lambda(lt_builder *b, const lt_token *begin, const lt_ast_names *names,
                                    lt_ast_expression *body);
lt_ast_expression  *lt_build_table_argument(lt_builder *b, const lt_token *begin, const lt_ast_names *table,
                                            lt_ast_query *query, const lt_ast_window *partition);
lt_ast_window      *lt_build_table_partition(lt_builder *b, const lt_token *single, lt_ast_expression *by,
                                             const lt_ast_order_items *order);

// windows and order
lt_ast_window *lt_build_window_reference(lt_builder *b, const lt_ast_name *name);
lt_ast_window *lt_build_window_named(lt_builder *b, const lt_token *begin, const lt_ast_name *name,
                                     const lt_token *end);
lt_ast_window *lt_build_window(lt_builder *b, const lt_token *begin, const lt_ast_expressions *partition,
                               const lt_ast_order_items *order, lt_ast_window *frame, const lt_token *end);
lt_ast_window *lt_build_frame(lt_builder *b, lt_ast_frame kind, const lt_ast_bound *start, const lt_ast_bound *end);
lt_ast_bound   lt_build_bound(lt_ast_bound_kind kind, lt_ast_expression *value, const lt_token *token);
lt_ast_order_items *lt_build_order_items(lt_builder *b, lt_ast_order_items *list, const lt_ast_order_item *item);
lt_ast_order_item   lt_build_order_item(lt_ast_expression *e, int direction, lt_ast_nulls nulls);

// queries
lt_ast_query *lt_build_query_parens(lt_builder *b, const lt_token *begin, lt_ast_query *query, const lt_token *end);
lt_ast_query *lt_build_organized(lt_builder *b, lt_ast_query *query, const lt_ast_organization *organization);
lt_ast_query *lt_build_with(lt_builder *b, const lt_token *begin, bool recursive, const lt_ast_ctes *ctes,
                            lt_ast_query *query, const lt_ast_organization *organization);
lt_ast_ctes  *lt_build_ctes(lt_builder *b, lt_ast_ctes *list, const lt_ast_cte *cte);
lt_ast_cte    lt_build_cte(const lt_ast_name *name, const lt_ast_names *columns, const lt_ast_names *recursion_max,
                           lt_ast_query *query);
lt_ast_query *lt_build_set(lt_builder *b, lt_ast_set_operator operator, bool all, lt_ast_query *left,
                           lt_ast_query *right);
lt_ast_query *lt_build_pipe(lt_builder *b, lt_ast_query *query, const lt_token *arrow, const lt_ast_pipe_step *step);
lt_ast_query *lt_build_select(lt_builder *b, const lt_token *begin, int quantifier, const lt_ast_items *items,
                              lt_ast_relation *from, lt_ast_select *select);
lt_ast_query *lt_build_from_select(lt_builder *b, lt_ast_relation *from, const lt_token *begin, int quantifier,
                                   const lt_ast_items *items, lt_ast_select *select);
lt_ast_query *lt_build_query_from(lt_builder *b, lt_ast_relation *from);
lt_ast_query *lt_build_query_table(lt_builder *b, const lt_token *begin, const lt_ast_names *name);
lt_ast_expression_lists *lt_build_expression_lists(lt_builder *b, lt_ast_expression_lists *list,
                                                   const lt_ast_expressions *set);
lt_ast_expressions      *lt_build_set_members(lt_builder *b, lt_ast_expression *e);
lt_ast_expression_lists *lt_build_rows(lt_builder *b, lt_ast_expression_lists *rows, lt_ast_expression *e);
lt_ast_query         *lt_build_query_values(lt_builder *b, const lt_token *begin, const lt_ast_expression_lists *rows,
                                            const lt_ast_alias *alias);
lt_ast_items         *lt_build_items(lt_builder *b, lt_ast_items *list, const lt_ast_item *item);
lt_ast_item           lt_build_item(lt_ast_expression *e, const lt_ast_name *alias, const lt_ast_names *aliases);
lt_ast_select        *lt_build_select_tail(lt_builder *b, lt_ast_expression *where, const lt_ast_group_by *group_by,
                                           lt_ast_expression *having, const lt_ast_named_windows *windows,
                                           lt_ast_expression *qualify);
lt_ast_named_windows *lt_build_windows(lt_builder *b, lt_ast_named_windows *list, const lt_ast_name *name,
                                       lt_ast_window *window);
lt_ast_group_by      *lt_build_group_by(lt_builder *b, const lt_ast_group_items *items);
lt_ast_group_by      *lt_build_group_with(lt_ast_group_by *group, bool rollup);
lt_ast_group_by      *lt_build_group_sets(lt_builder *b, lt_ast_group_by *group, const lt_ast_group_item *sets);
lt_ast_group_items   *lt_build_group_items(lt_builder *b, lt_ast_group_items *list, const lt_ast_group_item *item);
lt_ast_group_item     lt_build_group_item(lt_ast_expression *e, const lt_ast_name *alias);
lt_ast_group_item     lt_build_group_function(lt_ast_group_kind kind, const lt_token *word,
                                              const lt_ast_expression_lists *sets);
lt_ast_group_item     lt_build_grouping_sets(const lt_token *word, const lt_ast_group_items *items);
lt_ast_group_item     lt_build_group_set(lt_builder *b, const lt_ast_expressions *members);
lt_ast_organization  *lt_build_ordering(lt_builder *b, const lt_token *word, const lt_ast_order_items *items,
                                        const lt_ast_expressions *expressions);
lt_ast_organization  *lt_build_orderings(lt_builder *b, lt_ast_organization *head, const lt_ast_organization *more);
lt_ast_organization  *lt_build_limit(lt_builder *b, lt_ast_expression *limit, lt_ast_expression *offset);
lt_ast_organization  *lt_build_offset(lt_builder *b, lt_ast_expression *offset);
lt_ast_organization  *lt_build_limited(lt_ast_organization *head, const lt_ast_organization *limit);

// pipe steps
lt_ast_pipe_step *lt_build_pipe_where(lt_builder *b, lt_ast_expression *e);
lt_ast_pipe_step *lt_build_pipe_select(lt_builder *b, const lt_token *begin, int quantifier, const lt_ast_items *items,
                                       const lt_ast_named_windows *windows);
lt_ast_pipe_step *lt_build_pipe_items(lt_builder *b, lt_ast_pipe_kind kind, const lt_ast_items *items,
                                      const lt_ast_group_by *group_by);
lt_ast_pipe_step *lt_build_pipe_names(lt_builder *b, lt_ast_pipe_kind kind, const lt_ast_names *names);
lt_ast_pipe_step *lt_build_pipe_relation(lt_builder *b, lt_ast_relation *relation);
lt_ast_pipe_step *lt_build_pipe_sample(lt_builder *b, lt_ast_sample *sample);
lt_ast_pipe_step *lt_build_pipe_set(lt_builder *b, lt_ast_set_operator operator, bool all, lt_ast_query *query);
lt_ast_pipe_step *lt_build_pipe_organization(lt_builder *b, const lt_ast_organization *organization);
lt_ast_pipe_step *lt_build_pipe_windows(lt_builder *b, const lt_ast_named_windows *windows);

// relations
lt_ast_relation   *lt_build_extended(lt_builder *b, lt_ast_relation *left, lt_ast_relation *extension);
lt_ast_relation   *lt_build_lateral(lt_ast_relation *relation);
lt_ast_relation   *lt_build_comma(lt_builder *b, lt_ast_relation *left, bool lateral, lt_ast_relation *right);
lt_ast_relation   *lt_build_join(lt_builder *b, lt_ast_join_kind kind, const lt_token *word, bool lateral,
                                 lt_ast_relation *right, lt_ast_join *criteria);
lt_ast_relation   *lt_build_natural_join(lt_builder *b, lt_ast_join_kind kind, const lt_token *word, bool lateral,
                                         lt_ast_relation *right);
lt_ast_relation   *lt_build_asof_join(lt_builder *b, bool left, const lt_token *word, lt_ast_relation *right,
                                      lt_ast_expression *match, lt_ast_join *criteria);
lt_ast_join       *lt_build_criteria(lt_builder *b, lt_ast_expression *on, const lt_ast_names *columns);
lt_ast_alias       lt_build_no_alias(void);
lt_ast_alias       lt_build_table_alias(lt_builder *b, const lt_ast_name *name, const lt_ast_names *columns);
lt_ast_relation   *lt_build_source(lt_builder *b, lt_ast_relation *relation, lt_ast_sample *sample,
                                   lt_ast_watermark *watermark, const lt_ast_alias *alias);
lt_ast_relation   *lt_build_values(lt_builder *b, const lt_token *begin, const lt_ast_expression_lists *rows,
                                   const lt_ast_alias *alias);
lt_ast_relation   *lt_build_table(lt_builder *b, const lt_ast_names *name, lt_ast_expression *as_of,
                                  const lt_ast_options *options);
lt_ast_relation   *lt_build_stream(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                   const lt_ast_options *options);
lt_ast_expression *lt_build_table_function(lt_builder *b, const lt_ast_names *name, const lt_ast_expressions *arguments,
                                           const lt_token *end);
lt_ast_relation   *lt_build_table_call(lt_builder *b, lt_ast_expression *call);
lt_ast_relation   *lt_build_stream_call(lt_builder *b, const lt_token *begin, lt_ast_expression *call);
lt_ast_relation  *lt_build_table_of(lt_builder *b, const lt_token *begin, lt_ast_expression *call, const lt_token *end);
lt_ast_relation  *lt_build_deduplicate(lt_builder *b, const lt_token *begin, const lt_ast_names *table,
                                       const lt_ast_names *columns, bool within_watermark, const lt_token *end);
lt_ast_relation  *lt_build_deduplicate_query(lt_builder *b, lt_ast_relation *relation, lt_ast_query *query);
lt_ast_relation  *lt_build_table_query(lt_builder *b, lt_ast_query *query);
lt_ast_relation  *lt_build_relation_parens(lt_builder *b, const lt_token *begin, lt_ast_relation *relation,
                                           const lt_token *end);
lt_ast_sample    *lt_build_sample(lt_builder *b, lt_ast_sample_kind kind, lt_ast_expression *size,
                                  lt_ast_expression *total);
lt_ast_sample    *lt_build_sample_seed(lt_ast_sample *sample, lt_ast_expression *seed);
lt_ast_watermark *lt_build_watermark(lt_builder *b, const lt_token *begin, const lt_ast_item *item,
                                     lt_ast_expression *delay);
lt_ast_relation  *lt_build_lateral_view(lt_builder *b, const lt_token *begin, bool outer, lt_ast_expression *call,
                                        const lt_ast_name *table, const lt_ast_names *columns);
lt_ast_relation  *lt_build_pivot(lt_builder *b, const lt_token *begin, const lt_ast_items *aggregates,
                                 const lt_ast_names *columns, const lt_ast_items *values, const lt_token *end,
                                 const lt_ast_alias *alias);
lt_ast_relation  *lt_build_unpivot(lt_builder *b, const lt_token *begin, int nulls, lt_ast_unpivot *head,
                                   const lt_ast_unpivot_sets *sets, const lt_token *end, const lt_ast_alias *alias);
lt_ast_unpivot   *lt_build_unpivot_head(lt_builder *b, const lt_ast_names *values, bool is_tuple,
                                        const lt_ast_name *name);
lt_ast_unpivot_sets *lt_build_unpivot_sets(lt_builder *b, lt_ast_unpivot_sets *list, const lt_ast_unpivot_set *set);
lt_ast_unpivot_set   lt_build_unpivot_set(const lt_ast_name_lists *columns, const lt_ast_name *alias);

// options
lt_ast_options *lt_build_options(lt_builder *b, lt_ast_options *list, const lt_ast_option *option);
lt_ast_option   lt_build_option(const lt_ast_name *key, lt_ast_expression *value);
lt_ast_name     lt_build_option_key(lt_builder *b, const lt_ast_names *parts);
lt_ast_name     lt_build_option_string(const lt_string *string);

// statements
lt_ast_statement *lt_build_query_statement(lt_builder *b, lt_ast_query *query);
lt_ast_query     *lt_build_emit(lt_builder *b, lt_ast_query *query, lt_ast_emit emit, const lt_ast_organization *limit);
lt_ast_statement *lt_build_create(lt_builder *b, const lt_token *begin, bool or_replace, bool temporary, bool global);
lt_ast_statement *lt_build_create_named(lt_builder *b, lt_ast_statement *statement, lt_ast_statement_kind kind,
                                        bool streaming, bool if_not_exists, const lt_ast_names *name);
lt_ast_statement *lt_build_create_elements(lt_builder *b, lt_ast_statement *statement,
                                           const lt_ast_statement *elements);
lt_ast_statement *lt_build_create_using(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *name);
lt_ast_statement *lt_build_create_options(lt_builder *b, lt_ast_statement *statement, const lt_ast_options *options);
lt_ast_statement *lt_build_create_like(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *name);
lt_ast_statement *lt_build_create_properties(lt_builder *b, lt_ast_statement *statement, const lt_ast_options *options);
lt_ast_statement *lt_build_create_partitioned(lt_builder *b, lt_ast_statement *statement, const lt_ast_names *names);
lt_ast_statement *lt_build_create_location(lt_ast_statement *statement, const lt_string *text);
lt_ast_statement *lt_build_create_comment(lt_ast_statement *statement, const lt_string *text);
lt_ast_statement *lt_build_create_end(lt_builder *b, lt_ast_statement *statement, lt_ast_query *query,
                                      lt_ast_emit emit);
lt_ast_statement *lt_build_elements(lt_builder *b, lt_ast_statement *list, const lt_ast_statement *element);
lt_ast_statement *lt_build_element_column(lt_builder *b, const lt_ast_column *column);
lt_ast_statement *lt_build_element_watermark(lt_builder *b, const lt_token *begin, const lt_ast_name *name,
                                             lt_ast_expression *e);
lt_ast_statement *lt_build_element_key(lt_builder *b, const lt_ast_names *names);
lt_ast_column     lt_build_column_definition(const lt_ast_name *name, lt_ast_type *type);
lt_ast_column     lt_build_column_generated(const lt_ast_name *name, lt_ast_expression *e);
lt_ast_column     lt_build_column_generated_always(const lt_ast_column *column, lt_ast_expression *e);
lt_ast_column     lt_build_column_not_null(const lt_ast_column *column);
lt_ast_column     lt_build_column_default(const lt_ast_column *column, lt_ast_expression *e);
lt_ast_column     lt_build_column_comment(const lt_ast_column *column, const lt_string *text);
lt_ast_columns   *lt_build_columns(lt_builder *b, lt_ast_columns *list, const lt_ast_column *column);
lt_ast_statement *lt_build_function(lt_builder *b, lt_ast_statement *statement, bool if_not_exists,
                                    const lt_ast_names *name, const lt_ast_columns *parameters);
lt_ast_statement *lt_build_function_returns(lt_builder *b, lt_ast_statement *statement, lt_ast_type *type,
                                            const lt_ast_columns *columns, bool is_table);
lt_ast_statement *lt_build_function_body(lt_ast_statement *statement, lt_ast_expression *body, lt_ast_query *query);
lt_ast_statement *lt_build_create_schema(lt_builder *b, lt_ast_statement *statement, bool if_not_exists,
                                         const lt_ast_names *name);
lt_ast_statement *lt_build_named(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                 const lt_ast_names *name);
lt_ast_statement *lt_build_insert(lt_builder *b, const lt_token *begin, bool overwrite, const lt_ast_names *name,
                                  const lt_ast_names *columns, bool by_name);
lt_ast_statement *lt_build_insert_where(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                        lt_ast_expression *where);
lt_ast_statement *lt_build_insert_query(lt_ast_statement *statement, lt_ast_query *query);
lt_ast_statement *lt_build_delete(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                  const lt_ast_alias *alias, lt_ast_expression *where);
lt_ast_statement *lt_build_update(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                  const lt_ast_alias *alias, const lt_ast_assignments *assignments,
                                  lt_ast_expression *where);
lt_ast_assignments *lt_build_assignments_add(lt_builder *b, lt_ast_assignments *list,
                                             const lt_ast_assignment *assignment);
lt_ast_assignments *lt_build_assignments(lt_builder *b, lt_ast_assignments *list, const lt_ast_names *target,
                                         lt_ast_expression *value);
lt_ast_statement   *lt_build_drop(lt_builder *b, const lt_token *begin, lt_ast_object object, bool temporary,
                                  bool if_exists, const lt_ast_names *name);
lt_ast_statement   *lt_build_drop_word(lt_builder *b, lt_ast_statement *statement, const lt_token *word);
lt_ast_statement   *lt_build_drop_variable(lt_builder *b, const lt_token *begin, bool if_exists,
                                           const lt_ast_names *name);
lt_ast_statement   *lt_build_alter_names(lt_ast_statement *statement, lt_ast_alter alter, const lt_ast_names *name);
lt_ast_statement   *lt_build_alter_options(lt_ast_statement *statement, lt_ast_alter alter,
                                           const lt_ast_options *options);
lt_ast_statement   *lt_build_alter_unset(lt_ast_statement *statement, bool if_exists, const lt_ast_options *options);
lt_ast_statement   *lt_build_alter_columns(lt_ast_statement *statement, lt_ast_alter alter,
                                           const lt_ast_columns *columns);
lt_ast_statement   *lt_build_alter_targets(lt_ast_statement *statement, lt_ast_alter alter, const lt_ast_names *names);
lt_ast_statement   *lt_build_alter_drop(lt_ast_statement *statement, bool if_exists, const lt_ast_names *names);
lt_ast_statement   *lt_build_alter_column_of(lt_builder *b, lt_ast_statement *statement, const lt_ast_name *name);
lt_ast_statement   *lt_build_alter_column(lt_ast_statement *statement, lt_ast_alter alter);
lt_ast_statement   *lt_build_alter_comment(lt_ast_statement *statement, const lt_string *text);
lt_ast_statement   *lt_build_alter_type(lt_ast_statement *statement, lt_ast_type *type);
lt_ast_statement   *lt_build_alter_default(lt_ast_statement *statement, lt_ast_expression *value);
lt_ast_statement   *lt_build_alter_place(lt_ast_statement *statement, const lt_ast_name *after); // NULL: FIRST
lt_ast_column       lt_build_column_place(const lt_ast_column *column, const lt_ast_name *after);
lt_ast_statement   *lt_build_alter_as(lt_ast_statement *statement, lt_ast_query *query);
lt_ast_statement   *lt_build_comment_on(lt_builder *b, const lt_token *begin, lt_ast_object object,
                                        const lt_ast_names *name, const lt_string *text);
lt_ast_statement   *lt_build_analyze(lt_builder *b, const lt_token *begin, const lt_ast_names *name,
                                     const lt_ast_names *columns, bool scans);
lt_ast_statement   *lt_build_analyze_all(lt_builder *b, const lt_token *begin, const lt_ast_names *name);
// `t` IN `s` is `s.t`.
lt_ast_names     *lt_build_within(lt_builder *b, lt_ast_names *schema, const lt_ast_names *name);
lt_ast_statement *lt_build_show_key(lt_ast_statement *statement, const lt_ast_name *key);
lt_token          lt_build_joined_token(const lt_token *first, const lt_token *last);
lt_ast_statement *lt_build_show(lt_builder *b, const lt_token *begin, const lt_token *what, const lt_ast_names *name,
                                const lt_string *pattern);
lt_ast_names     *lt_build_string_names(lt_builder *b, const lt_string *string);
lt_ast_statement *lt_build_describe(lt_builder *b, const lt_token *begin, lt_ast_object object, bool extended,
                                    const lt_ast_names *name, const lt_ast_name *column);
lt_ast_statement *lt_build_describe_query(lt_builder *b, const lt_token *begin, lt_ast_query *query);
lt_ast_statement *lt_build_explain(lt_builder *b, const lt_token *begin, lt_ast_explain explain,
                                   lt_ast_statement *inner);
// EXPLAIN [ANALYZE] QUERY name: the statement has a name and no inner one.
lt_ast_statement *lt_build_explain_query(lt_builder *b, const lt_token *begin, lt_ast_explain explain,
                                         const lt_ast_names *name);
lt_ast_statement *lt_build_set_key(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                   const lt_token *key, const lt_token *value);
lt_ast_statement *lt_build_time_zone(lt_builder *b, const lt_token *begin, const lt_string *zone,
                                     lt_ast_expression *interval);
lt_ast_statement *lt_build_set_variable(lt_builder *b, const lt_token *begin, const lt_ast_assignments *assignments,
                                        const lt_ast_names *names, lt_ast_query *query);
lt_ast_statement *lt_build_declare(lt_builder *b, const lt_token *begin, bool or_replace, const lt_ast_names *names,
                                   lt_ast_type *type);
lt_ast_statement *lt_build_declare_default(lt_ast_statement *statement, lt_ast_expression *e);
lt_ast_statement *lt_build_copy(lt_builder *b, const lt_token *begin, const lt_ast_names *name, lt_ast_query *query,
                                const lt_string *path, const lt_ast_options *options);
lt_ast_statement *lt_build_wait(lt_builder *b, lt_ast_statement_kind kind, const lt_token *begin,
                                const lt_ast_names *name, lt_ast_expression *timeout);
lt_ast_statement *lt_build_execute(lt_builder *b, const lt_token *begin, lt_ast_expression *text,
                                   const lt_ast_names *into, const lt_ast_items *arguments);
lt_ast_statement *lt_build_cache(lt_builder *b, const lt_token *begin, bool if_exists, const lt_ast_names *name,
                                 lt_ast_query *query);

#endif
