// grammar: the generated parser behind plain functions; parser/parser.c drives it.
//
// Ownership  the caller gives lt_grammar_bytes() of memory and keeps it while parsing; nothing is allocated. Threads
// any.
#ifndef LT_GRAMMAR_GRAMMAR_H
#define LT_GRAMMAR_GRAMMAR_H

#include "parser/build.h"

size_t lt_grammar_bytes(void);
void   lt_grammar_open(void *parser);
// Feeds one token; terminal 0 ends the input. Errors arrive in `builder`.
void lt_grammar(void *parser, int terminal, lt_token token, lt_builder *builder);
// Whether `terminal` itself, not as a name, could come next.
bool lt_grammar_accepts(const void *parser, int terminal);
int  lt_grammar_fallback(int terminal); // WORD for a keyword, else 0
int  lt_grammar_terminal_count(void);

#endif
