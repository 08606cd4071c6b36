// parse: SQL text to syntax tree.
//
//     "SELECT 1; SELECT 2"  ->  statement QUERY, used_bytes 10;  the rest, " SELECT 2", is the next call's text
//
// Ownership  the tree lives in `arena` and borrows nothing from the text.        Threads  any; no state is shared.
// Limits     1 MiB of text, nesting 200, 50,000 nodes: LIMIT_EXCEEDED with the place.
// Errors     LEAT_SYNTAX with line, column, what was found and what could stand there; LEAT_LIMIT; LEAT_NO_MEMORY.
// Cost       linear in the text.
#ifndef LT_PARSER_PARSER_H
#define LT_PARSER_PARSER_H

#include "base/arena.h"
#include "parser/ast.h"

// The first statement of `sql`, up to its `;` or the end. Only blanks and comments: kind EMPTY. *out_used_bytes (may be
// NULL) is where the next statement begins. Places count from the start of `sql`.
leat_status lt_parse_statement(const char *sql, size_t bytes, lt_arena *arena, lt_ast_statement **out_statement,
                               size_t *out_used_bytes, leat_error *err);
// The whole text is one expression.
leat_status lt_parse_expression(const char *sql, size_t bytes, lt_arena *arena, lt_ast_expression **out_expression,
                                leat_error *err);
// The whole text is one type: "DECIMAL(10, 2)", "ARRAY<INT>".
leat_status lt_parse_type(const char *sql, size_t bytes, lt_arena *arena, lt_ast_type **out_type, leat_error *err);
// The whole text is a schema, "a INT, b STRING NOT NULL", or a STRUCT type, or another single type: then the fields are
// empty and *out_type is that type. For a schema *out_type is a STRUCT. Blank text is PARSE_EMPTY_STATEMENT.
leat_status lt_parse_schema(const char *sql, size_t bytes, lt_arena *arena, lt_ast_type **out_type, leat_error *err);

#endif
