// The lexer of leat: what one token is. Strings, quoted names and block comments are read by hand, because they nest or end
// with the text; re2c does the rest. See parser/scan.h for the contract.
#include "parser/scan.h"

#include "sql.h"

#include <string.h>

enum { NOT_ALIAS = 1 };
static const lt_keyword keywords[] = {
#define LT_KEYWORD(word, terminal, flags) {#word, LT_TOKEN_##terminal, (flags) != 0},
#include "grammar/keywords.def"
#undef LT_KEYWORD
};

size_t            lt_keyword_count(void) { return sizeof keywords / sizeof keywords[0]; }
const lt_keyword *lt_keyword_at(size_t index) { return &keywords[index]; }

const lt_keyword *lt_keyword_find(const char *text, size_t bytes) {
    char upper[24];
    if (bytes >= sizeof upper) return NULL;
    for (size_t i = 0; i < bytes; i++) upper[i] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 32 : text[i]);
    upper[bytes] = '\0';
    size_t low = 0, high = lt_keyword_count();
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int    order  = strcmp(upper, keywords[middle].text);
        if (order == 0) return &keywords[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

void lt_scanner_init(lt_scanner *scanner, const char *sql, size_t bytes) {
    *scanner = (lt_scanner){.sql = sql, .bytes = bytes, .line = 1, .column = 1};
}

// Behind the closing quote; NULL when the text ends first. A doubled quote stands for one.
static const char *quoted_end(const char *at, const char *end, char quote, bool escapes, bool doubles) {
    while (at < end) {
        if (escapes && *at == '\\') {
            at += end - at > 1 ? 2 : 1;
        } else if (*at != quote) {
            at++;
        } else if (doubles && end - at > 1 && at[1] == quote) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    return NULL;
}

// Behind the closing mark of a block comment that begins at `at`; they nest. NULL when the text ends first.
static const char *comment_end(const char *at, const char *end) {
    size_t depth = 0;
    while (end - at >= 2) {
        if (at[0] == '/' && at[1] == '*') {
            depth++;
            at += 2;
        } else if (at[0] == '*' && at[1] == '/') {
            at += 2;
            if (--depth == 0) return at;
        } else {
            at++;
        }
    }
    return NULL;
}

static bool is_word_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

typedef struct lexeme {
    lt_scan_kind kind;
    uint16_t     terminal;
    const char  *end;
} lexeme;

static lexeme text_lexeme(const char *begin, const char *quote_at, const char *end, lt_scan_kind kind, bool escapes) {
    bool        doubles = escapes || *quote_at == '`';
    const char *close   = quoted_end(quote_at + 1, end, *quote_at, escapes, doubles);
    (void)begin;
    if (close != NULL) return (lexeme){kind, 0, close};
    return (lexeme){kind == LT_SCAN_QUOTED_NAME ? LT_SCAN_UNCLOSED_NAME : LT_SCAN_UNCLOSED_STRING, 0, end};
}

// Reading never passes the end: behind it there are zeros, which no rule but the last takes.
#define YYPEEK() (YYCURSOR < end ? (unsigned char)*YYCURSOR : (unsigned char)0)
#define YYSKIP() YYCURSOR++
#define YYBACKUP() YYMARKER = YYCURSOR
#define YYRESTORE() YYCURSOR = YYMARKER
#define OPERATOR(name) return (lexeme){LT_SCAN_OPERATOR, LT_TOKEN_##name, YYCURSOR}

static lexeme lexeme_at(const char *begin, const char *end) {
    const char *YYCURSOR = begin, *YYMARKER = begin;
    /*!re2c
        re2c:flags:input = custom;
        re2c:define:YYCTYPE = "unsigned char";
        re2c:yyfill:enable = 0;

        digit    = [0-9];
        word     = [a-zA-Z0-9_]+;
        exponent = [eE] [+-]? digit+;
        decimal  = digit+ "." digit* | "." digit+;

        digit+ ([lLsSyYdDfF] | [bB][dD])?                           { return (lexeme){LT_SCAN_NUMBER, 0, YYCURSOR}; }
        digit+ exponent ([dDfF] | [bB][dD])?                        { return (lexeme){LT_SCAN_NUMBER, 0, YYCURSOR}; }
        decimal exponent? ([dDfF] | [bB][dD])? {
            // 1.x is the field x of 1, and t.1a a name that begins with a digit: a number ends where no word goes on.
            if (YYCURSOR >= end || !is_word_byte(*YYCURSOR)) return (lexeme){LT_SCAN_NUMBER, 0, YYCURSOR};
            if (*begin == '.') return (lexeme){LT_SCAN_OPERATOR, LT_TOKEN_DOT, begin + 1};
            YYCURSOR = begin;
            while (*YYCURSOR != '.') YYCURSOR++;
            return (lexeme){LT_SCAN_NUMBER, 0, YYCURSOR};
        }
        word                                                        { return (lexeme){LT_SCAN_WORD, 0, YYCURSOR}; }
        (word | [\x80-\xff])+                                       { return (lexeme){LT_SCAN_FOREIGN_WORD, 0, YYCURSOR}; }
        [rR] ['"]         { return text_lexeme(begin, YYCURSOR - 1, end, LT_SCAN_STRING, false); }
        [xX] [ \t\r\n\f\v]* ['"] { return text_lexeme(begin, YYCURSOR - 1, end, LT_SCAN_HEX_STRING, true); }
        ['"]              { return text_lexeme(begin, begin, end, LT_SCAN_STRING, true); }
        "`"               { return text_lexeme(begin, begin, end, LT_SCAN_QUOTED_NAME, false); }
        [ \t\r\n\f\v]+    { return (lexeme){LT_SCAN_BLANK, 0, YYCURSOR}; }
        "--" {
            while (YYCURSOR < end && *YYCURSOR != '\n') YYCURSOR++;
            return (lexeme){LT_SCAN_COMMENT, 0, YYCURSOR};
        }
        "/*" {
            const char *close = comment_end(begin, end);
            return close != NULL ? (lexeme){LT_SCAN_COMMENT, 0, close} : (lexeme){LT_SCAN_UNCLOSED_COMMENT, 0, end};
        }
        ";"   { return (lexeme){LT_SCAN_SEMICOLON, 0, YYCURSOR}; }
        "("   { OPERATOR(LP); }
        ")"   { OPERATOR(RP); }
        "["   { OPERATOR(LBRACKET); }
        "]"   { OPERATOR(RBRACKET); }
        ","   { OPERATOR(COMMA); }
        "."   { OPERATOR(DOT); }
        ":"   { OPERATOR(COLON); }
        "::"  { OPERATOR(DOUBLE_COLON); }
        "?"   { OPERATOR(QUESTION); }
        "->"  { OPERATOR(ARROW); }
        "=>"  { OPERATOR(FAT_ARROW); }
        "|>"  { OPERATOR(PIPE_ARROW); }
        "="   { OPERATOR(EQ); }
        "=="  { OPERATOR(EQ); }
        "<=>" { OPERATOR(NSEQ); }
        "<>"  { OPERATOR(NEQ); }
        "!="  { OPERATOR(NEQ); }
        "<"   { OPERATOR(LT); }
        "<="  { OPERATOR(LTE); }
        "!>"  { OPERATOR(LTE); }
        ">"   { OPERATOR(GT); }
        ">="  { OPERATOR(GTE); }
        "!<"  { OPERATOR(GTE); }
        "!"   { OPERATOR(BANG); }
        "+"   { OPERATOR(PLUS); }
        "-"   { OPERATOR(DASH); }
        "*"   { OPERATOR(STAR); }
        "/"   { OPERATOR(SLASH); }
        "%"   { OPERATOR(PERCENT_SIGN); }
        "~"   { OPERATOR(TILDE); }
        "&"   { OPERATOR(AMPERSAND); }
        "|"   { OPERATOR(BAR); }
        "||"  { OPERATOR(CONCAT); }
        "^"   { OPERATOR(CARET); }
        "<<"  { OPERATOR(SHIFT_LEFT); }
        ">>"  { OPERATOR(SHIFT_RIGHT); }
        ">>>" { OPERATOR(SHIFT_RIGHT_UNSIGNED); }
        *     { return (lexeme){LT_SCAN_UNKNOWN, 0, YYCURSOR}; }
    */
}

lt_scan_token lt_scan_next(lt_scanner *scanner) {
    const char   *begin = scanner->sql + scanner->at;
    const char   *end   = scanner->sql + scanner->bytes;
    lt_scan_token token = {.place = {.offset = (uint32_t)scanner->at, .line = scanner->line, .column = scanner->column}};
    if (begin >= end) return token;
    lexeme found      = lexeme_at(begin, end);
    token.kind        = found.kind;
    token.terminal    = found.terminal;
    token.place.bytes = (uint32_t)(found.end - begin);
    if (found.kind == LT_SCAN_WORD) {
        const lt_keyword *keyword = lt_keyword_find(begin, (size_t)(found.end - begin));
        if (keyword != NULL) token.terminal = keyword->terminal;
    }
    for (const char *at = begin; at < found.end; at++) {
        if (*at == '\n') {
            scanner->line++;
            scanner->column = 1;
        } else if (((unsigned char)*at & 0xC0) != 0x80) {
            scanner->column++;
        }
    }
    scanner->at = (size_t)(found.end - scanner->sql);
    return token;
}
