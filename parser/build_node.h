// build_node: what the files parser/build*.c share and nobody else sees: new nodes, lists, places, depths.
//
// Ownership  everything lives in the arena of the statement.      Threads  one builder, one thread.
// Errors     kept in the builder, first one wins. Every function gives something that can be written to: after an error
//            that is the builder's spare of the type, which nobody reads.
// Limits     LT_AST_NODES_MAX nodes, LT_AST_DEPTH_MAX deep.
#ifndef LT_PARSER_BUILD_NODE_H
#define LT_PARSER_BUILD_NODE_H

#include "parser/build.h"

// A zeroed node (counted) or list (not counted).
#define NEW(b, type) ((type *)lt_build_node((b), sizeof(type), &(b)->spare.type))
#define NEW_LIST(b, type) ((type *)lt_build_zero((b), sizeof(type), &(b)->spare.type))

// Appends to a list { items, count, capacity }; nothing happens after an error.
#define LIST_PUSH(b, list, item)                                                                                       \
    do {                                                                                                               \
        void *list_items = (list)->items;                                                                              \
        if (lt_build_list_grow((b), &list_items, (list)->count, &(list)->capacity, sizeof *(list)->items)) {           \
            (list)->items                  = list_items;                                                               \
            (list)->items[(list)->count++] = (item);                                                                   \
        }                                                                                                              \
    } while (0)

// Defines a list builder: NULL begins a list.
#define LIST_BUILDER(name, list_type, parameter, item)                                                                 \
    list_type *name(lt_builder *b, list_type *list, parameter) {                                                       \
        if (list == NULL) list = NEW_LIST(b, list_type);                                                               \
        LIST_PUSH(b, list, item);                                                                                      \
        return list;                                                                                                   \
    }

void *lt_build_node(lt_builder *b, size_t bytes, void *spare);
void *lt_build_zero(lt_builder *b, size_t bytes, void *spare);
// Room for one more item of `item_bytes` behind `count`; false after an error.
bool lt_build_list_grow(lt_builder *b, void **items, uint32_t count, uint32_t *capacity, size_t item_bytes);

lt_ast_text lt_build_text(lt_builder *b, const char *text, size_t bytes);
lt_ast_text lt_build_decoded_string(lt_builder *b, const lt_token *token);
bool        lt_build_name_is(const lt_ast_name *name, const char *word); // an unquoted name, without case
// From the first to the last; a place without a line counts as absent.
lt_place lt_build_span(const lt_place *first, const lt_place *last);

// The depth of a node is above the depths of its children: every child has to be told.
lt_ast_expression *lt_build_expression_new(lt_builder *b, lt_ast_expression_kind kind, const lt_place *place);
lt_ast_expression *lt_build_literal(lt_builder *b, lt_ast_literal_kind kind, const lt_place *place, lt_ast_text text);
void               lt_build_expression_depth(lt_builder *b, lt_ast_expression *e, uint32_t inner);
void               lt_build_argument_add(lt_builder *b, lt_ast_expression *e, lt_ast_expression *argument);
void               lt_build_arguments_set(lt_builder *b, lt_ast_expression *e, const lt_ast_expressions *arguments);
uint32_t           lt_build_items_depth(const lt_ast_items *items);
uint32_t           lt_build_rows_depth(const lt_ast_expression_lists *rows);

// What to write instead of `token`, where it is a word of another system; NULL: nothing is known.
const char *lt_build_foreign_hint(const lt_builder *b, const lt_token *token);

// A query whose clauses may be set: itself, or one around it that keeps the inner LIMIT its own.
lt_ast_query     *lt_build_query_open(lt_builder *b, lt_ast_query *query);
lt_ast_statement *lt_build_statement_new(lt_builder *b, lt_ast_statement_kind kind, const lt_place *place);
#endif
