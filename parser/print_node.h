// print_node: what the files parser/print*.c share and nobody else sees. Every function appends one kind of node.
//
// Errors     the first is kept in the printer and ends all output.      Threads  one printer, one thread.
// Limits     recursion follows the tree, whose depth the parser has bounded.
#ifndef LT_PARSER_PRINT_NODE_H
#define LT_PARSER_PRINT_NODE_H

#include "parser/print.h"

typedef struct lt_printer {
    lt_buffer  *out;
    leat_error *err;
    leat_status status;
} lt_printer;

// How tight an expression binds; what is looser than its place asks for gets parentheses.
typedef enum lt_print_level {
    LT_LEVEL_OR = 1,
    LT_LEVEL_AND,
    LT_LEVEL_NOT,
    LT_LEVEL_PREDICATE,
    LT_LEVEL_COMPARISON,
    LT_LEVEL_BIT_OR,
    LT_LEVEL_BIT_XOR,
    LT_LEVEL_BIT_AND,
    LT_LEVEL_SHIFT,
    LT_LEVEL_ADD,
    LT_LEVEL_MULTIPLY,
    LT_LEVEL_UNARY,
    LT_LEVEL_PRIMARY,
} lt_print_level;

// text
void lt_put_bytes(lt_printer *p, const char *text, size_t bytes);
void lt_put(lt_printer *p, const char *text);
void lt_put_if(lt_printer *p, bool condition, const char *text);
void lt_put_comma(lt_printer *p, uint32_t index); // before every item but the first
void lt_put_string(lt_printer *p, lt_ast_text text);

// names: quoted where the grammar needs it; a word stands where no keyword can be meant
bool lt_put_is_plain(const lt_ast_name *name);
void lt_put_name(lt_printer *p, const lt_ast_name *name);
void lt_put_quoted_name(lt_printer *p, const lt_ast_name *name);
void lt_put_word(lt_printer *p, const lt_ast_name *name);
void lt_put_dotted(lt_printer *p, const lt_ast_names *names);       // a.b.c
void lt_put_dotteds(lt_printer *p, const lt_ast_name_lists *lists); // (a.b, c)
void lt_put_names(lt_printer *p, const lt_ast_names *names);        // a, b
void lt_put_name_list(lt_printer *p, const lt_ast_names *names);    // (a, b)

// nodes, a file each
void lt_put_type(lt_printer *p, const lt_ast_type *type);
void lt_put_expression(lt_printer *p, const lt_ast_expression *e, lt_print_level wanted);
void lt_put_relation(lt_printer *p, const lt_ast_relation *relation);
void lt_put_query(lt_printer *p, const lt_ast_query *query);
void lt_put_statement(lt_printer *p, const lt_ast_statement *s);

// parts of nodes that several files need
void lt_put_call(lt_printer *p, const lt_ast_expression *e);
void lt_put_arguments(lt_printer *p, const lt_ast_expressions *list, uint32_t from);
void lt_put_order(lt_printer *p, const lt_ast_order_items *list);
void lt_put_window(lt_printer *p, const lt_ast_window *window);
void lt_put_query_parens(lt_printer *p, const lt_ast_query *query);
void lt_put_options(lt_printer *p, const char *word, const lt_ast_options *options);
void lt_put_items(lt_printer *p, const lt_ast_items *items);
void lt_put_rows(lt_printer *p, const lt_ast_expression_lists *rows);
void lt_put_alias(lt_printer *p, const lt_ast_alias *alias);
void lt_put_sample(lt_printer *p, const lt_ast_sample *sample);
#endif
