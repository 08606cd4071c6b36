#include "parser/build_node.h"

#include "base/edit_distance.h"
#include "grammar/grammar.h"

#include "sql.h"

#include <stdio.h>
#include <string.h>

// What a syntax error says: where, what could stand there, and the keyword that was probably meant.

static bool could_follow(const void *parser, int terminal) { return lt_grammar_accepts(parser, terminal); }

// The keyword nearest to a misspelled word, of those that could stand there if `parser` is given; NULL: none is near.
static const char *nearest_keyword(const lt_token *word, const void *parser) {
    if (word->kind != LT_SCAN_WORD || word->keyword != 0 || word->bytes < 3 || word->bytes > 20) return NULL;
    char upper[24];
    for (uint32_t i = 0; i < word->bytes; i++)
        upper[i] = (char)(word->text[i] >= 'a' && word->text[i] <= 'z' ? word->text[i] - 32 : word->text[i]);
    const char *nearest = NULL;
    size_t      best    = word->bytes <= 4 ? 2 : 3;
    for (size_t i = 0; i < lt_keyword_count(); i++) {
        const lt_keyword *keyword = lt_keyword_at(i);
        if (parser != NULL && !could_follow(parser, keyword->terminal)) continue;
        const size_t bytes    = strlen(keyword->text);
        const size_t distance = lt_edit_distance(upper, word->bytes, keyword->text, bytes);
        const bool is_as_near = nearest != NULL && distance == best && bytes == word->bytes && strlen(nearest) != bytes;
        if (distance > 0 && (distance < best || is_as_near)) {
            best    = distance;
            nearest = keyword->text;
        }
    }
    return nearest;
}

// What a reader would try first comes first.
static size_t expected_list(const void *parser, const char **out, size_t capacity) {
    static const struct {
        int         terminal;
        const char *text;
    } marks[]                        = {{LT_TOKEN_WORD, "a name"}, {LT_TOKEN_NUMBER, "a value"}, {LT_TOKEN_LP, "`(`"},
                                        {LT_TOKEN_RP, "`)`"},      {LT_TOKEN_COMMA, "`,`"},      {LT_TOKEN_STRING, "a string"},
                                        {LT_TOKEN_EQ, "`=`"},      {LT_TOKEN_RBRACKET, "`]`"},   {LT_TOKEN_INTERVAL, "an INTERVAL"}};
    static const char *const first[] = {"SELECT", "FROM", "WHERE", "BY",   "AS",  "ON",   "JOIN", "TABLE", "VALUES",
                                        "AND",    "THEN", "END",   "WHEN", "SET", "INTO", "TO",   "VIEW",  "QUERY"};
    size_t                   count   = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && count < capacity; i++)
        if (could_follow(parser, marks[i].terminal)) out[count++] = marks[i].text;
    for (size_t i = 0; i < sizeof first / sizeof first[0] && count < capacity; i++) {
        const lt_keyword *keyword = lt_keyword_find(first[i], strlen(first[i]));
        if (keyword != NULL && could_follow(parser, keyword->terminal)) out[count++] = keyword->text;
    }
    if (count < capacity && could_follow(parser, 0)) out[count++] = "the end";
    for (size_t i = 0; i < lt_keyword_count() && count < capacity; i++)
        if (could_follow(parser, lt_keyword_at(i)->terminal)) {
            bool is_listed = false;
            for (size_t j = 0; j < count; j++) is_listed |= strcmp(out[j], lt_keyword_at(i)->text) == 0;
            if (!is_listed) out[count++] = lt_keyword_at(i)->text;
        }
    return count;
}

void lt_build_syntax_error(lt_builder *b, const lt_token *token, const void *parser) {
    const lt_token *before = b->at > 0 ? &b->tokens[b->at - 1] : NULL;
    if (token->terminal == LT_TOKEN_DASH && before != NULL && before->kind == LT_SCAN_WORD &&
        before->place.offset + before->place.bytes == token->place.offset && token[0].place.bytes == 1 &&
        b->tokens[b->at + 1].kind == LT_SCAN_WORD && b->tokens[b->at + 1].place.offset == token->place.offset + 1) {
        lt_build_fail(b, LT_INVALID_IDENTIFIER, &before->place,
                      "`%.*s-%.*s` is no name; put back-quotes around it to use it as one", (int)before->bytes,
                      before->text, (int)b->tokens[b->at + 1].bytes, b->tokens[b->at + 1].text);
        return;
    }
    const char *foreign = lt_build_foreign_hint(b, token);
    if (foreign != NULL) {
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error at `%.*s`; %s",
                      (int)(token->bytes < 60 ? token->bytes : 60), token->text, foreign);
        return;
    }
    const char *expected[3] = {NULL, NULL, NULL};
    size_t      count       = expected_list(parser, expected, 3);
    char        wanted[128] = "";
    if (count > 0)
        snprintf(wanted, sizeof wanted, "; expected %s%s%s%s%s", expected[0],
                 count > 2   ? ", "
                 : count > 1 ? " or "
                             : "",
                 count > 1 ? expected[1] : "", count > 2 ? " or " : "", count > 2 ? expected[2] : "");
    const char *nearest  = nearest_keyword(token, parser);
    char        hint[96] = "";
    if (nearest != NULL) {
        snprintf(hint, sizeof hint, "; did you mean %s?", nearest);
    } else if (before != NULL && before->terminal == LT_TOKEN_WORD) {
        nearest = nearest_keyword(before, NULL);
        if (nearest != NULL)
            snprintf(hint, sizeof hint, "; did you mean %s instead of `%.*s`?", nearest, (int)before->bytes,
                     before->text);
    }
    if (token->terminal == 0)
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error at the end of the statement%s%s", wanted,
                      hint);
    else
        lt_build_fail(b, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error at `%.*s`%s%s",
                      (int)(token->bytes < 60 ? token->bytes : 60), token->text, wanted, hint);
}
