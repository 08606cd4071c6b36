// filter: tells apart, token by token, what the grammar cannot with one token of look-ahead. It stands between scanner
// and grammar and knows words, never trees.
//
//     NOT IN             ->  INFIX_NOT IN              a negated predicate, not the prefix NOT
//     DATE '2024-01-01'  ->  TYPED_WORD STRING         otherwise DATE is a name; so with CAST, EXISTS, IF, POSITION,
//     ... INTERVAL 3 DAYS    ->  INTERVAL INTERVAL_VALUE INTERVAL_UNIT ARRAY<ARRAY<INT>>  ->  WORD TYPE_LT WORD TYPE_LT
//     WORD TYPE_GT TYPE_GT (x, y) -> x + y    ->  LAMBDA_LP WORD COMMA ... f(TABLE t)         ->  TABLE_ARGUMENT FROM
//     VALUES ..  ->  VALUES_TABLE      * EXCEPT (a)  ->  EXCEPT_COLUMNS OPTIONS (path 'x') ->  ... WORD OPTION_STRING
//     INSERT INTO t (a)  ->  ... INSERT_COLUMNS    -5  ->  one NUMBER SET a.b = c d;     ->  SET SETTING_KEY EQ
//     SETTING_VALUE IDENTIFIER('a.b')  ->  WORD DOT WORD
//
// Ownership  the tokens go to the arena and borrow the text.     Threads  any.
// Limits     LT_AST_STATEMENT_BYTES_MAX; brackets nested LT_AST_DEPTH_MAX deep.     Cost  linear.
// Errors     what needs no grammar: unclosed strings, names and comments, words outside of ASCII, `! IN`, a comma
// before FROM,
//            text that is no UTF-8.
#ifndef LT_PARSER_FILTER_H
#define LT_PARSER_FILTER_H

#include "base/arena.h"
#include "parser/build.h"

typedef struct lt_tokens {
    lt_token *items; // END last (terminal 0), not counted
    size_t    count;
    size_t    used_bytes; // of the text: behind the `;`, or all
} lt_tokens;

// The tokens of the first statement. `start` is the grammar's start terminal; it becomes the first token.
leat_status lt_filter(const char *sql, size_t bytes, int start, lt_arena *arena, lt_tokens *out_tokens,
                      leat_error *err);

#endif
