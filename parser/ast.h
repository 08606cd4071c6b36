// ast: the syntax tree of one statement, as written: no name is looked up and no type is decided here.
//
//     statement -> query -> body (select | set operation | values | pipe) -> relations, expressions -> ...
//
// Ownership  every node, list and text lives in the arena of the statement and dies with it; nothing is freed by hand.
//            A tree is const after parsing: the binder makes its own nodes beside it.
// Names      keep the case they were written in; `quoted` says that they stood in back-quotes. Compare them without
// case. Places     every node has the span of its text; line 0 marks a node that stands for something left out. Limits
// nesting of LT_AST_DEPTH_MAX, LT_AST_NODES_MAX nodes: the parser raises LIMIT_EXCEEDED beyond them, so a walk
//            may recurse along `depth`. AND, OR, set operations and pipes of any length are flat lists.
#ifndef LT_PARSER_AST_H
#define LT_PARSER_AST_H

#include "base/error.h"

enum { LT_AST_DEPTH_MAX = 200, LT_AST_NODES_MAX = 50000, LT_AST_STATEMENT_BYTES_MAX = 1024 * 1024 };

typedef struct lt_ast_expression lt_ast_expression;
typedef struct lt_ast_query      lt_ast_query;
typedef struct lt_ast_relation   lt_ast_relation;
typedef struct lt_ast_type       lt_ast_type;
typedef struct lt_ast_statement  lt_ast_statement;

// A list of values in the arena: items[0 .. count). An empty list has items NULL.
#define LT_AST_LIST(name, type)                                                                                        \
    typedef struct name {                                                                                              \
        type    *items;                                                                                                \
        uint32_t count, capacity;                                                                                      \
    } name

typedef struct lt_ast_text { // ends with NUL as well; may hold NUL bytes from escapes
    const char *text;        // NULL: absent
    uint32_t    bytes;
} lt_ast_text;

typedef struct lt_ast_name {
    const char *text; // ends with NUL; NULL: absent
    uint32_t    bytes;
    bool        quoted;
    lt_place    place;
} lt_ast_name;
LT_AST_LIST(lt_ast_names, lt_ast_name); // a list of names, or the parts of one name: a.b.c
LT_AST_LIST(lt_ast_name_lists, lt_ast_names);
// The last part of a name: `spark_catalog.default.t` and `t` are the same here. NULL when there is no name.
static inline const char *lt_ast_names_last(const lt_ast_names *name) {
    return name->count == 0 ? NULL : name->items[name->count - 1].text;
}
LT_AST_LIST(lt_ast_expressions, lt_ast_expression *);
LT_AST_LIST(lt_ast_expression_lists, lt_ast_expressions);

// ---- types ----------------------------------------------------------------------------------------------------------
typedef struct lt_ast_field {
    lt_ast_name  name;
    lt_ast_type *type;
    bool         not_null;
    lt_ast_text  comment;
} lt_ast_field;
LT_AST_LIST(lt_ast_fields, lt_ast_field);
LT_AST_LIST(lt_ast_types, lt_ast_type *);

struct lt_ast_type {
    lt_ast_name
        name; // as written: INT, decimal, ARRAY, MAP, STRUCT, INTERVAL, TIMESTAMP_NTZ, ...; the binder judges it
    lt_ast_names  parameters;   // DECIMAL(10, 2): the numbers as text
    lt_ast_types  nested;       // ARRAY<T>: one; MAP<K, V>: two
    lt_ast_fields fields;       // STRUCT<...>
    bool          has_brackets; // `<...>` was written: tells STRUCT<> from STRUCT
    bool          without_zone; // TIMESTAMP WITHOUT TIME ZONE
    lt_ast_name   from, to;     // INTERVAL DAY TO SECOND: the units; `to` may be absent
    lt_ast_names  collation;    // STRING COLLATE name
    lt_place      place;
};

// ---- expressions ----------------------------------------------------------------------------------------------------
#define LT_AST_EXPRESSION_KINDS(X)                                                                                     \
    X(LITERAL)        /* literal */                                                                                    \
    X(INTERVAL)       /* interval */                                                                                   \
    X(COLUMN)         /* names: a, t.a, a.field: the binder finds out where the column ends and fields begin */        \
    X(STAR)           /* names: t.* (empty for *); except */                                                           \
    X(PARAMETER)      /* parameter */                                                                                  \
    X(UNARY)          /* operator: NEGATE PLUS BIT_NOT; arguments[0] */                                                \
    X(BINARY)         /* operator; arguments[0], [1] */                                                                \
    X(AND)            /* arguments: two or more, from left to right */                                                 \
    X(OR)             /* arguments: two or more, from left to right */                                                 \
    X(NOT)            /* arguments[0] */                                                                               \
    X(IS)             /* is: what arguments[0] is tested for; DISTINCT_FROM has arguments[1]; negated */               \
    X(BETWEEN)        /* arguments: value, low, high; negated */                                                       \
    X(IN)             /* arguments[0] in the rest, or in `query` when that is there; negated */                        \
    X(LIKE)           /* like: kind, quantifier; arguments: value, then pattern(s); escape; negated */                 \
    X(EXISTS)         /* query */                                                                                      \
    X(CASE)           /* arguments: [operand], (when, then)..., [else]; has_operand, has_else */                       \
    X(CAST)           /* arguments[0], type, spelling: PLAIN, TRY_CAST or COLONS */                                    \
    X(CALL)           /* call; arguments */                                                                            \
    X(LAMBDA)         /* names: the parameters; arguments[0]: the body */                                              \
    X(FIELD)          /* arguments[0].name, where arguments[0] is no COLUMN */                                         \
    X(INDEX)          /* arguments[0][arguments[1]] */                                                                 \
    X(ROW)            /* (a, b AS c): arguments, two or more, maybe ALIAS */                                           \
    X(SUBQUERY)       /* query: one value */                                                                           \
    X(COLLATE)        /* arguments[0] COLLATE names */                                                                 \
    X(VARIANT_PATH)   /* arguments[0]:name */                                                                          \
    X(ALIAS)          /* arguments[0] AS name: inside struct(...) and rows only */                                     \
    X(NAMED_ARGUMENT) /* name => arguments[0]: inside calls only */                                                    \
    X(TABLE_ARGUMENT) /* TABLE t, TABLE (query): table; inside calls only */

typedef enum lt_ast_expression_kind {
#define X(name) LT_AST_##name,
    LT_AST_EXPRESSION_KINDS(X)
#undef X
        LT_AST_EXPRESSION_KIND_COUNT
} lt_ast_expression_kind;

typedef enum lt_ast_literal_kind {
    LT_AST_LITERAL_NULL,
    LT_AST_LITERAL_TRUE,
    LT_AST_LITERAL_FALSE,
    LT_AST_LITERAL_NUMBER, // text: digits as written, with a leading '-' if the sign belongs to it; suffix: upper case
    LT_AST_LITERAL_STRING, // text: the value, escapes decoded and neighbours joined
    LT_AST_LITERAL_BINARY, // text: the hex digits between the quotes of X'..'; may hold other characters: the binder
                           // judges
    LT_AST_LITERAL_TYPED,  // DATE '2024-01-01': type_name in upper case, text: the decoded string
    LT_AST_LITERAL_UNIT,   // YEAR in timestampadd(YEAR, ..) and extract(YEAR FROM ..): text as written
} lt_ast_literal_kind;

typedef struct lt_ast_literal {
    lt_ast_literal_kind kind;
    lt_ast_text         text;
    const char         *suffix;    // NUMBER: "", "L", "S", "Y", "D", "F", "BD"
    const char         *type_name; // TYPED: DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, TIMESTAMP_NTZ
} lt_ast_literal;

// One part of INTERVAL -2 HOUR '3' MINUTE. INTERVAL '1 day 2 hours' is one part without unit.
typedef struct lt_ast_interval_part {
    lt_ast_text value;       // number as text or string value
    bool        is_string;   // written in quotes
    bool        is_negative; // a '-' stands before the value
    lt_ast_name unit, to;    // as written; `to` only in DAY TO SECOND and the like
} lt_ast_interval_part;
LT_AST_LIST(lt_ast_interval_parts, lt_ast_interval_part);

#define LT_AST_OPERATORS(X)                                                                                            \
    X(NEGATE, "-")                                                                                                     \
    X(PLUS, "+")                                                                                                       \
    X(BIT_NOT, "~")                                                                                                    \
    X(ADD, "+")                                                                                                        \
    X(SUBTRACT, "-")                                                                                                   \
    X(MULTIPLY, "*")                                                                                                   \
    X(DIVIDE, "/")                                                                                                     \
    X(REMAINDER, "%")                                                                                                  \
    X(INTEGER_DIVIDE, "DIV")                                                                                           \
    X(CONCAT, "||")                                                                                                    \
    X(SHIFT_LEFT, "<<")                                                                                                \
    X(SHIFT_RIGHT, ">>")                                                                                               \
    X(SHIFT_RIGHT_UNSIGNED, ">>>")                                                                                     \
    X(BIT_AND, "&")                                                                                                    \
    X(BIT_XOR, "^")                                                                                                    \
    X(BIT_OR, "|")                                                                                                     \
    X(EQUAL, "=")                                                                                                      \
    X(NULL_SAFE_EQUAL, "<=>")                                                                                          \
    X(NOT_EQUAL, "<>")                                                                                                 \
    X(LESS, "<")                                                                                                       \
    X(LESS_EQUAL, "<=")                                                                                                \
    X(GREATER, ">")                                                                                                    \
    X(GREATER_EQUAL, ">=")

typedef enum lt_ast_operator {
#define X(name, text) LT_AST_OPERATOR_##name,
    LT_AST_OPERATORS(X)
#undef X
        LT_AST_OPERATOR_COUNT
} lt_ast_operator;

typedef enum lt_ast_is {
    LT_AST_IS_NULL,
    LT_AST_IS_TRUE,
    LT_AST_IS_FALSE,
    LT_AST_IS_UNKNOWN,
    LT_AST_IS_DISTINCT_FROM,
} lt_ast_is;

typedef enum lt_ast_like_kind { LT_AST_LIKE_LIKE, LT_AST_LIKE_ILIKE, LT_AST_LIKE_RLIKE } lt_ast_like_kind;
typedef enum lt_ast_like_quantifier { LT_AST_LIKE_ONE, LT_AST_LIKE_ANY, LT_AST_LIKE_ALL } lt_ast_like_quantifier;

// How a thing was written where the grammar has its own form; Spark names columns after it.
typedef enum lt_ast_spelling {
    LT_AST_SPELLING_PLAIN,     // f(a, b), CAST(..)
    LT_AST_SPELLING_TRY_CAST,  // TRY_CAST(x AS T)
    LT_AST_SPELLING_COLONS,    // x::T
    LT_AST_SPELLING_FROM,      // substring(a FROM b [FOR c]), trim(x FROM s): arguments in the order of the plain call;
                               // trim: source, characters; extract(YEAR FROM d): UNIT literal, source
    LT_AST_SPELLING_TRIM_BOTH, // trim(BOTH [x] FROM s): arguments: source [, characters]
    LT_AST_SPELLING_TRIM_LEADING,
    LT_AST_SPELLING_TRIM_TRAILING,
    LT_AST_SPELLING_IN,      // position(a IN b): arguments a, b
    LT_AST_SPELLING_PLACING, // overlay(a PLACING b FROM c [FOR d]): arguments a, b, c [, d]
    LT_AST_SPELLING_UNIT,    // timestampadd(UNIT, n, t), datediff(UNIT, a, b): arguments[0] is a UNIT literal
} lt_ast_spelling;

typedef enum lt_ast_nulls { LT_AST_NULLS_DEFAULT, LT_AST_NULLS_FIRST, LT_AST_NULLS_LAST } lt_ast_nulls;

typedef struct lt_ast_order_item {
    lt_ast_expression *expression;
    bool               descending, direction_written;
    lt_ast_nulls       nulls;
} lt_ast_order_item;
LT_AST_LIST(lt_ast_order_items, lt_ast_order_item);

typedef enum lt_ast_bound_kind {
    LT_AST_UNBOUNDED_PRECEDING,
    LT_AST_PRECEDING, // with value
    LT_AST_CURRENT_ROW,
    LT_AST_FOLLOWING, // with value
    LT_AST_UNBOUNDED_FOLLOWING,
} lt_ast_bound_kind;

typedef struct lt_ast_bound {
    lt_ast_bound_kind  kind;
    lt_ast_expression *value; // NULL unless PRECEDING or FOLLOWING
    lt_place           place;
} lt_ast_bound;

typedef enum lt_ast_frame { LT_AST_FRAME_NONE, LT_AST_FRAME_ROWS, LT_AST_FRAME_RANGE } lt_ast_frame;

// OVER w, OVER (w): name alone. Otherwise the definition.
typedef struct lt_ast_window {
    lt_ast_name        name;
    lt_ast_expressions partition_by;
    lt_ast_order_items order_by;
    lt_ast_frame       frame;
    bool               has_end; // BETWEEN start AND end; otherwise `end` is CURRENT_ROW
    lt_ast_bound       start, end;
    lt_place           place;
} lt_ast_window;

typedef enum lt_ast_call_nulls {
    LT_AST_CALL_NULLS_DEFAULT,
    LT_AST_IGNORE_NULLS,
    LT_AST_RESPECT_NULLS
} lt_ast_call_nulls;

typedef struct lt_ast_call {
    lt_ast_names       name; // parts: session.f
    bool               distinct;
    bool               nulls_inside; // first(x IGNORE NULLS) rather than first(x) IGNORE NULLS
    lt_ast_call_nulls  nulls;
    lt_ast_order_items within_group; // WITHIN GROUP (ORDER BY ...)
    lt_ast_expression *filter;       // FILTER (WHERE ...), or NULL
    lt_ast_window     *over;         // or NULL
} lt_ast_call;

// TABLE t, TABLE (t), TABLE (query) with its optional PARTITION BY and ORDER BY, as argument of a table function.
typedef struct lt_ast_table_argument {
    lt_ast_names       table; // or empty, and query is there
    lt_ast_query      *query;
    bool               single_partition; // WITH SINGLE PARTITION
    lt_ast_expressions partition_by;
    lt_ast_order_items order_by;
} lt_ast_table_argument;

typedef struct lt_ast_parameter {
    lt_ast_name name;    // :name; absent for `?`
    uint32_t    ordinal; // from 1; each `?` its own, equal names share one
} lt_ast_parameter;

typedef struct lt_ast_like {
    lt_ast_like_kind       kind;
    lt_ast_like_quantifier quantifier;
    bool                   has_escape;
    char                   escape; // one byte; INVALID_ESC otherwise
} lt_ast_like;

struct lt_ast_expression {
    lt_ast_expression_kind kind;
    uint16_t               depth;         // 1 + the deepest argument; at most LT_AST_DEPTH_MAX
    bool                   negated;       // NOT IN, NOT LIKE, NOT BETWEEN, IS NOT
    bool                   parenthesized; // stood in parentheses of its own; they are in the text that `place` spans
    bool                   has_operand, has_else; // CASE
    lt_ast_operator        operator;              // UNARY, BINARY
    lt_ast_is              is;                    // IS
    lt_ast_spelling        spelling;              // CAST, CALL
    lt_place               place;
    lt_ast_expressions     arguments;
    lt_ast_names           names; // COLUMN, STAR, LAMBDA, COLLATE
    lt_ast_name            name;  // FIELD, ALIAS, NAMED_ARGUMENT, VARIANT_PATH
    union {
        lt_ast_literal         literal;
        lt_ast_interval_parts  interval;
        lt_ast_parameter       parameter;
        lt_ast_like            like;
        lt_ast_call           *call;
        lt_ast_type           *type;   // CAST
        lt_ast_query          *query;  // EXISTS, IN, SUBQUERY
        lt_ast_name_lists      except; // STAR: * EXCEPT (a, b.c)
        lt_ast_table_argument *table;
    };
};

// ---- relations: what stands in FROM
// -----------------------------------------------------------------------------------
#define LT_AST_RELATION_KINDS(X)                                                                                       \
    X(TABLE)       /* name; a path for json.`path`: the binder tells. is_stream, options, as_of */                     \
    X(TABLE_QUERY) /* query */                                                                                         \
    X(VALUES)      /* rows */                                                                                          \
    X(TABLE_CALL)  /* call expression: range(5), explode(x), TUMBLE(TABLE t, DESCRIPTOR(c), INTERVAL ..); is_stream */ \
    X(DEDUPLICATE) /* name, columns, within_watermark */                                                               \
    X(JOIN)        /* join, left, right */                                                                             \
    X(PIVOT)       /* left, pivot */                                                                                   \
    X(UNPIVOT)     /* left, unpivot */                                                                                 \
    X(LATERAL_VIEW) /* left, call, lateral_view_outer; alias.name the table, alias.columns the columns */

typedef enum lt_ast_relation_kind {
#define X(name) LT_AST_RELATION_##name,
    LT_AST_RELATION_KINDS(X)
#undef X
        LT_AST_RELATION_KIND_COUNT
} lt_ast_relation_kind;

typedef enum lt_ast_join_kind {
    LT_AST_JOIN_COMMA, // FROM a, b: as CROSS
    LT_AST_JOIN_INNER,
    LT_AST_JOIN_CROSS,
    LT_AST_JOIN_LEFT,
    LT_AST_JOIN_RIGHT,
    LT_AST_JOIN_FULL,
    LT_AST_JOIN_SEMI,
    LT_AST_JOIN_ANTI,
    LT_AST_JOIN_ASOF,
    LT_AST_JOIN_LEFT_ASOF,
} lt_ast_join_kind;

typedef struct lt_ast_join {
    lt_ast_join_kind   kind;
    bool               natural, lateral; // lateral: JOIN LATERAL, or `, LATERAL`
    lt_ast_expression *on;               // or NULL
    lt_ast_names       using_columns;
    lt_ast_expression *match_condition; // ASOF: MATCH_CONDITION (a.t >= b.t)
} lt_ast_join;

// A select-list item, a grouping or pivot expression with its name.
typedef struct lt_ast_item {
    lt_ast_expression *expression;
    lt_ast_name        alias;   // absent: none
    lt_ast_names       aliases; // AS (a, b), for functions that give several columns
} lt_ast_item;
LT_AST_LIST(lt_ast_items, lt_ast_item);

typedef struct lt_ast_pivot {
    lt_ast_items aggregates;
    lt_ast_names columns; // FOR c, FOR (c, d)
    lt_ast_items values;  // IN (1 AS one, 2); a tuple is a ROW
} lt_ast_pivot;

typedef struct lt_ast_unpivot_set {
    lt_ast_name_lists columns; // one, or as many as value_columns
    lt_ast_name       alias;
} lt_ast_unpivot_set;
LT_AST_LIST(lt_ast_unpivot_sets, lt_ast_unpivot_set);

typedef struct lt_ast_unpivot {
    bool                include_nulls, exclude_nulls_written;
    bool                has_tuple; // (v, w) FOR n IN ((a, b), ...)
    lt_ast_names        value_columns;
    lt_ast_name         name_column;
    lt_ast_unpivot_sets sets;
} lt_ast_unpivot;

typedef struct lt_ast_watermark { // WATERMARK c DELAY OF INTERVAL ...; in a column list: WATERMARK FOR c AS c -
                                  // INTERVAL ...
    lt_ast_item        item;      // FROM clause: the time expression; column list: a COLUMN
    lt_ast_expression *delay;     // FROM clause: an INTERVAL; column list: the whole expression behind AS
    lt_place           place;
} lt_ast_watermark;

typedef enum lt_ast_sample_kind { LT_AST_SAMPLE_PERCENT, LT_AST_SAMPLE_ROWS, LT_AST_SAMPLE_BUCKET } lt_ast_sample_kind;

typedef struct lt_ast_sample {
    lt_ast_sample_kind kind;
    lt_ast_expression *size;  // percent, row count or bucket numerator
    lt_ast_expression *total; // bucket denominator
    lt_ast_expression *seed;  // REPEATABLE (n), or NULL
} lt_ast_sample;

typedef struct lt_ast_alias {
    lt_ast_name  name; // absent: none
    lt_ast_names columns;
} lt_ast_alias;

// key value pairs of OPTIONS (...), WITH (...), TBLPROPERTIES (...). The key is one text, parts joined by dots; value
// is a LITERAL, INTERVAL or PARAMETER; a bare word is a STRING literal; NULL: key without value.
typedef struct lt_ast_option {
    lt_ast_name        key;
    lt_ast_expression *value;
} lt_ast_option;
LT_AST_LIST(lt_ast_options, lt_ast_option);

struct lt_ast_relation {
    lt_ast_relation_kind    kind;
    uint16_t                depth;
    bool                    is_stream;          // STREAM t, STREAM(t), STREAM f(..)
    bool                    lateral;            // LATERAL (query) as the first item of FROM
    bool                    within_watermark;   // DEDUPLICATE
    bool                    lateral_view_outer; // LATERAL_VIEW
    bool                    parenthesized;
    bool                    table_keyword; // FROM TABLE(f(..))
    lt_place                place;
    lt_ast_names            name;
    lt_ast_alias            alias;
    lt_ast_options          options;   // TABLE ... WITH (...)
    lt_ast_watermark       *watermark; // or NULL
    lt_ast_sample          *sample;    // or NULL
    lt_ast_expression      *as_of;     // FOR SYSTEM_TIME AS OF e, or NULL
    lt_ast_query           *query;     // TABLE_QUERY
    lt_ast_expression_lists rows;      // VALUES: a single value is a row of one
    lt_ast_expression      *call;      // TABLE_CALL, LATERAL_VIEW
    lt_ast_names            columns;   // DEDUPLICATE COLUMNS (a, b)
    lt_ast_relation        *left, *right;
    lt_ast_join            *join;
    lt_ast_pivot           *pivot;
    lt_ast_unpivot         *unpivot;
};

// ---- queries
// ----------------------------------------------------------------------------------------------------------
typedef enum lt_ast_group_kind {
    LT_AST_GROUP_EXPRESSION,
    LT_AST_GROUP_ROLLUP,        // sets: (a), (b, c), ...
    LT_AST_GROUP_CUBE,          // sets
    LT_AST_GROUP_GROUPING_SETS, // items: EXPRESSION SET / ROLLUP / CUBE / GROUPING_SETS elements
    LT_AST_GROUP_SET,           // sets[0]: one element of GROUPING SETS
} lt_ast_group_kind;

typedef struct lt_ast_group_item lt_ast_group_item;
LT_AST_LIST(lt_ast_group_items, lt_ast_group_item);
struct lt_ast_group_item {
    lt_ast_group_kind       kind;
    lt_ast_item             item; // EXPRESSION
    lt_ast_expression_lists sets;
    lt_ast_group_items      items;
    lt_place                place;
};

typedef struct lt_ast_group_by {
    bool               present;
    bool               all; // GROUP BY ALL (items then holds the COLUMN `ALL`)
    lt_ast_group_items items;
    bool               with_rollup, with_cube; // GROUP BY a, b WITH ROLLUP
    lt_ast_group_items with_sets;              // GROUP BY a, b GROUPING SETS (...): one GROUPING_SETS item
} lt_ast_group_by;

typedef struct lt_ast_named_window {
    lt_ast_name    name;
    lt_ast_window *window;
} lt_ast_named_window;
LT_AST_LIST(lt_ast_named_windows, lt_ast_named_window);

typedef struct lt_ast_select {
    bool                 distinct, all_written;
    bool                 from_first; // FROM t SELECT ...
    lt_ast_items         items;
    lt_ast_relation     *from; // NULL: no FROM
    lt_ast_expression   *where;
    lt_ast_group_by      group_by;
    lt_ast_expression   *having;
    lt_ast_named_windows windows;
    lt_ast_expression   *qualify;
    lt_place             place;
} lt_ast_select;

typedef enum lt_ast_set_operator { LT_AST_UNION, LT_AST_INTERSECT, LT_AST_EXCEPT } lt_ast_set_operator;
LT_AST_LIST(lt_ast_queries, lt_ast_query *);

typedef struct lt_ast_cte {
    lt_ast_name   name;
    lt_ast_names  columns;
    lt_ast_name   recursion_max; // MAX RECURSION LEVEL n: the digits; absent: the default
    lt_ast_query *query;
    lt_place      place;
} lt_ast_cte;
LT_AST_LIST(lt_ast_ctes, lt_ast_cte);

// ORDER BY, LIMIT and the like: what stands behind a query or a set operation.
typedef struct lt_ast_organization {
    bool               order_by_all; // ORDER BY ALL (order_by then holds the COLUMN `ALL`)
    lt_ast_order_items order_by;
    lt_ast_order_items sort_by;
    lt_ast_expressions cluster_by, distribute_by;
    lt_ast_expression *limit;     // NULL: none
    bool               limit_all; // LIMIT ALL
    lt_ast_expression *offset;
} lt_ast_organization;

typedef enum lt_ast_pipe_kind {
    LT_AST_PIPE_WHERE,         // expression
    LT_AST_PIPE_SELECT,        // select: items, distinct, windows
    LT_AST_PIPE_EXTEND,        // items
    LT_AST_PIPE_SET,           // items, each with an alias: SET a = e
    LT_AST_PIPE_DROP,          // names
    LT_AST_PIPE_AS,            // names[0]
    LT_AST_PIPE_AGGREGATE,     // items, group_by
    LT_AST_PIPE_JOIN,          // relation: a JOIN / PIVOT / UNPIVOT / LATERAL_VIEW whose left is NULL
    LT_AST_PIPE_SAMPLE,        // sample
    LT_AST_PIPE_SET_OPERATION, // set_operator, all, query
    LT_AST_PIPE_ORGANIZATION,  // organization
    LT_AST_PIPE_WINDOW,        // windows
} lt_ast_pipe_kind;

typedef struct lt_ast_pipe_step {
    lt_ast_pipe_kind     kind;
    lt_ast_expression   *expression;
    lt_ast_select       *select;
    lt_ast_items         items;
    lt_ast_names         names;
    lt_ast_group_by      group_by;
    lt_ast_relation     *relation;
    lt_ast_sample       *sample;
    lt_ast_set_operator  set_operator;
    bool                 all;
    lt_ast_query        *query;
    lt_ast_organization  organization;
    lt_ast_named_windows windows;
    lt_place             place;
} lt_ast_pipe_step;
LT_AST_LIST(lt_ast_pipe_steps, lt_ast_pipe_step);

typedef enum lt_ast_query_kind {
    LT_AST_QUERY_SELECT,        // select
    LT_AST_QUERY_VALUES,        // rows, alias
    LT_AST_QUERY_TABLE,         // TABLE t: name
    LT_AST_QUERY_FROM,          // FROM t without SELECT: relation; every column
    LT_AST_QUERY_SET_OPERATION, // set_operator, all, branches (two or more, folded from the left)
    LT_AST_QUERY_PIPE,          // branches[0] |> steps
    LT_AST_QUERY_NESTED,        // (query) with clauses of its own behind it: branches[0]
} lt_ast_query_kind;

typedef enum lt_ast_emit { LT_AST_EMIT_NONE, LT_AST_EMIT_CHANGES, LT_AST_EMIT_FINAL } lt_ast_emit;

struct lt_ast_query {
    lt_ast_query_kind       kind;
    uint16_t                depth;
    bool                    parenthesized;
    bool                    recursive; // WITH RECURSIVE
    lt_ast_ctes             ctes;
    lt_ast_select          *select;
    lt_ast_names            name;
    lt_ast_relation        *relation;
    lt_ast_expression_lists rows;
    lt_ast_alias            alias;
    lt_ast_set_operator     set_operator;
    bool                    all;
    lt_ast_queries          branches;
    lt_ast_pipe_steps       steps;
    lt_ast_organization     organization;
    lt_ast_emit             emit;
    lt_place                place;
};

// ---- statements
// -------------------------------------------------------------------------------------------------------
typedef enum lt_ast_place { LT_AST_PLACE_LAST, LT_AST_PLACE_FIRST, LT_AST_PLACE_AFTER } lt_ast_place;

typedef struct lt_ast_column {
    lt_ast_name        name;
    lt_ast_type       *type; // NULL in the column list of a view
    bool               not_null;
    lt_ast_expression *default_value; // or NULL
    lt_ast_expression *generated;     // GENERATED ALWAYS AS (e), or Flink's `c AS e`; or NULL
    lt_ast_text        comment;
    lt_ast_place       place; // ALTER TABLE only
    lt_ast_name        after; // of LT_AST_PLACE_AFTER
} lt_ast_column;
LT_AST_LIST(lt_ast_columns, lt_ast_column);
LT_AST_LIST(lt_ast_watermarks, lt_ast_watermark *);

typedef struct lt_ast_assignment {
    lt_ast_names       target;
    lt_ast_expression *value;
} lt_ast_assignment;
LT_AST_LIST(lt_ast_assignments, lt_ast_assignment);

#define LT_AST_STATEMENT_KINDS(X)                                                                                       \
    X(EMPTY)        /* nothing but blanks and comments before the `;` */                                                \
    X(QUERY)        /* query */                                                                                         \
    X(CREATE_TABLE) /* name, columns, watermarks, primary_key, using_name, options, properties, partitioned_by,       \
                        location, comment, query (CREATE TABLE .. AS), like_name, or_replace, if_not_exists,           \
                        temporary */ \
    X(CREATE_STREAM)            /* as CREATE_TABLE */                                                                   \
    X(CREATE_VIEW)              /* name, columns (names, comments), comment, properties, query, temporary, global */    \
    X(CREATE_MATERIALIZED_VIEW) /* name, columns, options, comment, query; streaming for CREATE STREAMING TABLE */      \
    X(CREATE_SINK)              /* name, options, query */                                                              \
    X(CREATE_FUNCTION)          /* name, columns (parameters), type or returns_columns, body or query, comment */       \
    X(CREATE_SCHEMA)            /* name, if_not_exists, comment, location, properties */                                \
    X(INSERT)                   /* name, target_columns, by_name, overwrite, query; where: REPLACE WHERE */             \
    X(DELETE)                   /* name, where */                                                                       \
    X(UPDATE)                   /* name, assignments, where */                                                          \
    X(MERGE)                    /* name; the rest is not kept */                                                        \
    X(TRUNCATE)                 /* name */                                                                              \
    X(DROP)                     /* object, name, if_exists; extended: CASCADE */                                        \
    X(ALTER_TABLE)              /* name, alter, ... */                                                                  \
    X(ALTER_VIEW)               /* name, alter, ... */                                                                  \
    X(ALTER_SCHEMA)             /* name, alter (SET_PROPERTIES, UNSET_PROPERTIES), properties */                        \
    X(COMMENT_ON)               /* object, name, comment; no comment: IS NULL */                                        \
    X(ANALYZE)                  /* name, target_columns (FOR COLUMNS); extended: FOR ALL COLUMNS; by_name: NOSCAN */    \
    X(SHOW)                     /* what (upper case), name (IN ..), pattern, key (TBLPROPERTIES) */                     \
    X(DESCRIBE)                 /* object TABLE, FUNCTION, QUERY (query) or STATEMENT; name, extended */                \
    X(EXPLAIN)                  /* explain, statement */                                                                \
    X(SET)                      /* key, value; no key: all settings; no value: show one */                              \
    X(RESET)                    /* key or none */                                                                       \
    X(SET_TIME_ZONE)            /* value: the zone; absent: LOCAL. interval instead: `delay` */                         \
    X(SET_VARIABLE)             /* assignments, or target_columns = query */                                            \
    X(DECLARE_VARIABLE)         /* target_columns: names; type, body: the default; or_replace */                        \
    X(DROP_VARIABLE)            /* name, if_exists */                                                                   \
    X(COPY)                     /* query or name, path, options */                                                      \
    X(PROCESS_ALL)              /* PROCESS ALL AVAILABLE [name] [TIMEOUT delay] */                                      \
    X(AWAIT_TERMINATION)        /* [name] [TIMEOUT delay] */                                                            \
    X(START_QUERY)              /* name */                                                                              \
    X(STOP_QUERY)               /* name */                                                                              \
    X(EXECUTE_IMMEDIATE)        /* body: the text; arguments (items), target_columns (INTO) */                          \
    X(USE)                      /* name */                                                                              \
    X(CACHE)                    /* name, query, what: CACHE, UNCACHE, REFRESH, CLEAR, ANALYZE */

typedef enum lt_ast_statement_kind {
#define X(name) LT_AST_STATEMENT_##name,
    LT_AST_STATEMENT_KINDS(X)
#undef X
        LT_AST_STATEMENT_KIND_COUNT
} lt_ast_statement_kind;

typedef enum lt_ast_object {
    LT_AST_OBJECT_NONE,
    LT_AST_OBJECT_TABLE,
    LT_AST_OBJECT_VIEW,
    LT_AST_OBJECT_MATERIALIZED_VIEW,
    LT_AST_OBJECT_STREAM,
    LT_AST_OBJECT_SINK,
    LT_AST_OBJECT_FUNCTION,
    LT_AST_OBJECT_QUERY,
    LT_AST_OBJECT_SCHEMA,
    LT_AST_OBJECT_COLUMN,
} lt_ast_object;

typedef enum lt_ast_alter {
    LT_AST_ALTER_RENAME,        // new_name
    LT_AST_ALTER_ADD_COLUMNS,   // columns
    LT_AST_ALTER_DROP_COLUMNS,  // target_columns
    LT_AST_ALTER_RENAME_COLUMN, // target_columns[0] to target_columns[1]
    LT_AST_ALTER_COLUMN_TYPE,   // columns[0] has the name; here its type
    LT_AST_ALTER_COLUMN_COMMENT,
    LT_AST_ALTER_COLUMN_SET_NOT_NULL,
    LT_AST_ALTER_COLUMN_DROP_NOT_NULL,
    LT_AST_ALTER_COLUMN_SET_DEFAULT,
    LT_AST_ALTER_COLUMN_DROP_DEFAULT,
    LT_AST_ALTER_COLUMN_PLACE,
    LT_AST_ALTER_SET_PROPERTIES,
    LT_AST_ALTER_UNSET_PROPERTIES,
    LT_AST_ALTER_AS, // view: query
} lt_ast_alter;

typedef enum lt_ast_explain {
    LT_AST_EXPLAIN_PLAIN,
    LT_AST_EXPLAIN_ANALYZE,
    LT_AST_EXPLAIN_EXTENDED,
    LT_AST_EXPLAIN_FORMATTED,
    LT_AST_EXPLAIN_CODEGEN,
    LT_AST_EXPLAIN_COST,
} lt_ast_explain;

struct lt_ast_statement {
    lt_ast_statement_kind kind;
    lt_place              place;
    bool               or_replace, if_not_exists, if_exists, temporary, global, streaming, by_name, overwrite, extended;
    lt_ast_object      object;
    lt_ast_alter       alter;
    lt_ast_explain     explain;
    lt_ast_names       name, new_name, like_name;
    lt_ast_columns     columns, returns_columns;
    lt_ast_watermarks  watermarks;
    lt_ast_names       primary_key, partitioned_by;
    lt_ast_name        using_name;
    lt_ast_options     options; // OPTIONS (...) and WITH (...)
    lt_ast_options     properties;
    lt_ast_text        location, comment, pattern, path, what, key, value;
    lt_ast_query      *query;
    lt_ast_statement  *statement;
    lt_ast_names       target_columns;
    lt_ast_assignments assignments;
    lt_ast_expression *where, *body;
    lt_ast_expression *delay; // an INTERVAL
    lt_ast_type       *type;
    lt_ast_items       items;
    lt_ast_alias       alias;           // DELETE, UPDATE
    uint32_t           parameter_count; // of `?` and distinct `:name` in the statement
    lt_ast_names       parameters;      // by ordinal - 1; `?` has no text
};

#endif
