// equal: whether two trees say the same. Places, and parentheses that the tree's shape implies, do not count.
#ifndef LT_TESTS_PARSE_EQUAL_H
#define LT_TESTS_PARSE_EQUAL_H

#include "parser/ast.h"

bool lt_ast_statement_equal(const lt_ast_statement *a, const lt_ast_statement *b);

#endif
