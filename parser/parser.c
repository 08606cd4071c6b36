#include "parser/parser.h"

#include "grammar/grammar.h"
#include "parser/filter.h"

#include "sql.h"

// Scanner, filter and grammar in a row: the tokens of one statement are lexed and told apart first, then fed one by
// one; the first error ends the feeding. The generated parser with its stack of fixed size is
// too large for the C stack and for an arena that lives as long as a prepared statement: it is a block of its own.

static leat_status tokens_feed(const lt_tokens *tokens, lt_builder *b) {
    lt_account *account = b->arena->account;
    void       *parser  = lt_account_reallocate(account, NULL, 0, lt_grammar_bytes());
    if (parser == NULL) return lt_raise_no_memory(b->err);
    lt_grammar_open(parser);
    for (b->at = 0; b->at <= tokens->count && b->status == LEAT_OK; b->at++)
        lt_grammar(parser, tokens->items[b->at].terminal, tokens->items[b->at], b);
    lt_account_reallocate(account, parser, lt_grammar_bytes(), 0);
    return b->status;
}

static leat_status builder_open(lt_builder **out_builder, lt_arena *arena, leat_error *err) {
    LT_TRY_NEW(*out_builder, arena, err);
    (*out_builder)->arena = arena;
    (*out_builder)->err   = err;
    return LEAT_OK;
}

leat_status lt_parse_statement(const char *sql, size_t bytes, lt_arena *arena, lt_ast_statement **out_statement,
                               size_t *out_used_bytes, leat_error *err) {
    lt_tokens   tokens = {0};
    lt_builder *b      = NULL;
    LT_TRY(builder_open(&b, arena, err));
    LT_TRY(lt_filter(sql, bytes, LT_TOKEN_START_STATEMENT, arena, &tokens, err));
    if (out_used_bytes != NULL) *out_used_bytes = tokens.used_bytes;
    b->tokens = tokens.items;
    if (tokens.count == 1) {
        LT_TRY_NEW(*out_statement, arena, err);
        (*out_statement)->place = tokens.items[1].place;
        return LEAT_OK;
    }
    LT_TRY(tokens_feed(&tokens, b));
    b->statement->parameters      = b->parameters;
    b->statement->parameter_count = b->parameters.count;
    *out_statement                = b->statement;
    return LEAT_OK;
}

// The whole text must be one thing: a `;` with more behind it is an error.
static leat_status whole_parse(const char *sql, size_t bytes, int start, lt_arena *arena, lt_builder **out_builder,
                               leat_error *err) {
    lt_tokens tokens = {0};
    LT_TRY(builder_open(out_builder, arena, err));
    LT_TRY(lt_filter(sql, bytes, start, arena, &tokens, err));
    (*out_builder)->tokens = tokens.items;
    if (tokens.count == 1) return lt_raise(err, LT_PARSE_EMPTY_STATEMENT, &tokens.items[1].place, "the text is empty");
    if (tokens.items[tokens.count].bytes > 0)
        return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &tokens.items[tokens.count].place, "syntax error at `;`");
    return tokens_feed(&tokens, *out_builder);
}

leat_status lt_parse_expression(const char *sql, size_t bytes, lt_arena *arena, lt_ast_expression **out_expression,
                                leat_error *err) {
    lt_builder *b = NULL;
    LT_TRY(whole_parse(sql, bytes, LT_TOKEN_START_EXPRESSION, arena, &b, err));
    *out_expression = b->expression;
    return LEAT_OK;
}

leat_status lt_parse_type(const char *sql, size_t bytes, lt_arena *arena, lt_ast_type **out_type, leat_error *err) {
    lt_builder *b = NULL;
    LT_TRY(whole_parse(sql, bytes, LT_TOKEN_START_TYPE, arena, &b, err));
    *out_type = b->type;
    return LEAT_OK;
}

// A type first, then a list of columns, as Spark does. What the caller sees is the second error: a schema is the usual
// text.
leat_status lt_parse_schema(const char *sql, size_t bytes, lt_arena *arena, lt_ast_type **out_type, leat_error *err) {
    lt_builder *b      = NULL;
    leat_status status = whole_parse(sql, bytes, LT_TOKEN_START_TYPE, arena, &b, NULL);
    if (status == LEAT_SYNTAX)
        LT_TRY(whole_parse(sql, bytes, LT_TOKEN_START_SCHEMA, arena, &b, err));
    else if (status != LEAT_OK)
        return whole_parse(sql, bytes, LT_TOKEN_START_TYPE, arena, &b, err);
    *out_type = b->type;
    return LEAT_OK;
}
