// scan: SQL text to tokens, blanks and comments included, so that a splitter, a highlighter and the parser share one
// lexer.
//
//     SELECT 'a;b' -- c    ->  WORD "SELECT", BLANK, STRING "'a;b'", BLANK, COMMENT "-- c", END
//
// Ownership  a scanner borrows the text; tokens are spans of it.      Threads  one at a time.
// Limits     text up to 4 GiB.      Errors  none: what is no token has a kind of its own.      Cost  linear.
#ifndef LT_PARSER_SCAN_H
#define LT_PARSER_SCAN_H

#include "base/error.h"

typedef enum lt_scan_kind {
    LT_SCAN_END,
    LT_SCAN_BLANK,
    LT_SCAN_COMMENT,     // -- to the end of the line, or /* nested */
    LT_SCAN_WORD,        // keyword or name
    LT_SCAN_QUOTED_NAME, // `name`, a back-quote inside is doubled
    LT_SCAN_STRING,      // '..' or "..", also r'..'
    LT_SCAN_HEX_STRING,  // X'..'
    LT_SCAN_NUMBER,      // 12, 1.5, .5, 1e3, with a suffix L S Y D F BD
    LT_SCAN_OPERATOR,    // punctuation that the grammar knows: see terminal
    LT_SCAN_SEMICOLON,
    LT_SCAN_UNCLOSED_STRING, // up to the end of the text, as the next two
    LT_SCAN_UNCLOSED_NAME,
    LT_SCAN_UNCLOSED_COMMENT,
    LT_SCAN_FOREIGN_WORD, // has letters outside of ASCII: must be back-quoted
    LT_SCAN_UNKNOWN,      // a byte that begins no token
} lt_scan_kind;

typedef struct lt_scan_token {
    lt_scan_kind kind;
    uint16_t     terminal; // OPERATOR, and WORD that is a keyword: the grammar's terminal; 0 otherwise
    lt_place     place;
} lt_scan_token;

typedef struct lt_scanner {
    const char *sql; // borrows
    size_t      bytes, at;
    uint32_t    line, column; // of `at`, from 1
} lt_scanner;

void          lt_scanner_init(lt_scanner *scanner, const char *sql, size_t bytes);
lt_scan_token lt_scan_next(lt_scanner *scanner);

// The keywords, sorted, for completion and suggestions.
typedef struct lt_keyword {
    const char *text; // upper case
    uint16_t    terminal;
    bool        not_alias; // never the alias of a table
} lt_keyword;
size_t            lt_keyword_count(void);
const lt_keyword *lt_keyword_at(size_t index);
// Compares without case; NULL: no keyword.
const lt_keyword *lt_keyword_find(const char *text, size_t bytes);

#endif
