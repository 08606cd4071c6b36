#include "exec/session.h"

#include "parser/scan.h"

// scan: leat_scan over the parser's lexer, so that a shell cuts and colours text exactly as the parser reads it.

static leat_token_kind public_kind(const lt_scan_token *token) {
    switch (token->kind) {
    case LT_SCAN_END:
        return LEAT_TOKEN_END;
    case LT_SCAN_BLANK:
        return LEAT_TOKEN_SPACE;
    case LT_SCAN_COMMENT:
        return LEAT_TOKEN_COMMENT;
    case LT_SCAN_WORD:
        return token->terminal != 0 ? LEAT_TOKEN_KEYWORD : LEAT_TOKEN_NAME;
    case LT_SCAN_FOREIGN_WORD:
        return LEAT_TOKEN_NAME;
    case LT_SCAN_QUOTED_NAME:
        return LEAT_TOKEN_QUOTED_NAME;
    case LT_SCAN_STRING:
    case LT_SCAN_HEX_STRING:
        return LEAT_TOKEN_STRING;
    case LT_SCAN_NUMBER:
        return LEAT_TOKEN_NUMBER;
    case LT_SCAN_OPERATOR:
        return LEAT_TOKEN_OPERATOR;
    case LT_SCAN_SEMICOLON:
        return LEAT_TOKEN_SEMICOLON;
    case LT_SCAN_UNCLOSED_STRING:
        return LEAT_TOKEN_OPEN_STRING;
    case LT_SCAN_UNCLOSED_NAME:
        return LEAT_TOKEN_OPEN_NAME;
    case LT_SCAN_UNCLOSED_COMMENT:
        return LEAT_TOKEN_OPEN_COMMENT;
    case LT_SCAN_UNKNOWN:
        break;
    }
    return LEAT_TOKEN_ERROR;
}

leat_token_kind leat_scan(const char *sql, size_t sql_bytes, size_t *out_bytes) {
    if (sql_bytes == LEAT_TERMINATED) sql_bytes = strlen(sql);
    lt_scanner scanner;
    lt_scanner_init(&scanner, sql, sql_bytes);
    const lt_scan_token token = lt_scan_next(&scanner);
    if (out_bytes != NULL) *out_bytes = scanner.at;
    return public_kind(&token);
}
