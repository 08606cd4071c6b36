// print: syntax tree to canonical SQL text: one line, keywords in upper case, names as written (in back-quotes where
// they need it), parentheses only where they change the meaning. Parsing the text gives an equal tree.
//
// Ownership  appends to the caller's buffer.     Threads  any.     Errors  LEAT_NO_MEMORY, LEAT_LIMIT of the buffer.
#ifndef LT_PARSER_PRINT_H
#define LT_PARSER_PRINT_H

#include "base/buffer.h"
#include "parser/ast.h"

leat_status lt_print_statement(lt_buffer *out, const lt_ast_statement *statement, leat_error *err);
leat_status lt_print_query(lt_buffer *out, const lt_ast_query *query, leat_error *err);
leat_status lt_print_expression(lt_buffer *out, const lt_ast_expression *expression, leat_error *err);
leat_status lt_print_type(lt_buffer *out, const lt_ast_type *type, leat_error *err);
// A name, in back-quotes unless it is a plain word that is no keyword.
leat_status lt_print_name(lt_buffer *out, const lt_ast_name *name, leat_error *err);

#endif
