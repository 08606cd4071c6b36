#include "exec/session.h"

#include "base/aggregate.h"
#include "base/ascii.h"
#include "base/generator.h"
#include "parser/scan.h"

// complete: what could stand at the cursor. The tokens of the cursor's own statement decide the kind: names of
// relations behind FROM and its like, option keys inside OPTIONS (...) and WITH (...), columns behind `t.`; elsewhere
// columns of the relations that the statement names (also behind the cursor), functions, then keywords. A statement of
// more than TOKENS_MAX tokens is looked at up to there.

enum { TOKENS_MAX = 4096, WORD_BYTES_MAX = 128 };

typedef struct completion {
    leat_session *session;
    const char   *sql;
    lt_scan_token tokens[64];  // the last ones before the cursor, as a ring
    size_t        token_count; // ever, before the cursor
    const char   *word;        // what is typed of the word at the cursor
    size_t        word_bytes;
    void (*give)(void *user, const char *candidate, const char *kind);
    void *user;
} completion;

static bool token_is(const completion *self, const lt_scan_token *token, const char *word) {
    return token->kind == LT_SCAN_WORD && strlen(word) == token->place.bytes &&
           lt_ascii_compare_bytes(self->sql + token->place.offset, word, token->place.bytes) == 0;
}

// The token `back` places before the cursor; 1 is the nearest. NULL: none that is kept.
static const lt_scan_token *token_before(const completion *self, size_t back) {
    if (back > self->token_count || back > 64) return NULL;
    return &self->tokens[(self->token_count - back) % 64];
}

static bool starts_with_word(const completion *self, const char *candidate) {
    return lt_ascii_compare_bytes(candidate, self->word, self->word_bytes) == 0;
}

static void offer(const completion *self, const char *candidate, const char *kind) {
    if (starts_with_word(self, candidate)) self->give(self->user, candidate, kind);
}

// A name that the lexer would not read as one word stands in back-quotes.
static void offer_name(const completion *self, const char *name, const char *kind) {
    char   quoted[WORD_BYTES_MAX * 2 + 3];
    size_t used     = 0;
    bool   is_plain = name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9');
    for (const char *c = name; *c != '\0'; c++)
        is_plain &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    if (is_plain || strlen(name) > WORD_BYTES_MAX) {
        offer(self, name, kind);
        return;
    }
    if (!starts_with_word(self, name)) return;
    quoted[used++] = '`';
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '`') quoted[used++] = '`';
        quoted[used++] = *c;
    }
    quoted[used++] = '`';
    quoted[used]   = '\0';
    self->give(self->user, quoted, kind);
}

static void offer_relations(const completion *self) {
    for (const lt_catalog_entry *entry = self->session->catalog.entries; entry != NULL; entry = entry->next)
        if (entry->kind != LT_RELATION_SYSTEM) offer_name(self, entry->name, "relation");
    for (const lt_catalog_entry *entry = self->session->catalog.entries; entry != NULL; entry = entry->next)
        if (entry->kind == LT_RELATION_SYSTEM) offer_name(self, entry->name, "system table");
}

static void offer_columns(const completion *self, const lt_catalog_entry *entry) {
    for (uint32_t c = 0; entry != NULL && c < entry->column_count; c++)
        offer_name(self, entry->columns[c].name, "column");
}

static const lt_catalog_entry *entry_of(const completion *self, const lt_scan_token *token) {
    char   name[WORD_BYTES_MAX + 1];
    size_t bytes = token->place.bytes;
    if (bytes > WORD_BYTES_MAX || (token->kind != LT_SCAN_WORD && token->kind != LT_SCAN_QUOTED_NAME)) return NULL;
    const char *text = self->sql + token->place.offset;
    if (token->kind == LT_SCAN_QUOTED_NAME && bytes >= 2) {
        text++;
        bytes -= 2;
    }
    memcpy(name, text, bytes);
    name[bytes] = '\0';
    return lt_catalog_find(&self->session->catalog, name);
}

static bool is_space(const lt_scan_token *token) {
    return token->kind == LT_SCAN_BLANK || token->kind == LT_SCAN_COMMENT;
}

// Columns of every relation that the statement from `begin` names behind FROM or JOIN; with `alias`, only of the
// relation of that name or alias. Returns whether some relation fitted.
static bool offer_columns_of_statement(const completion *self, size_t begin, size_t sql_bytes,
                                       const lt_scan_token *alias) {
    lt_scanner              scanner;
    const lt_catalog_entry *pending  = NULL; // relation whose alias may follow
    lt_scan_token           previous = {0};
    bool                    is_found = false;
    lt_scanner_init(&scanner, self->sql, sql_bytes);
    scanner.at = begin;
    for (size_t i = 0; i < TOKENS_MAX; i++) {
        const lt_scan_token token = lt_scan_next(&scanner);
        if (is_space(&token)) continue;
        if (token.kind == LT_SCAN_END || token.kind == LT_SCAN_SEMICOLON) break;
        const bool is_behind_from = token_is(self, &previous, "FROM") || token_is(self, &previous, "JOIN") ||
                                    token_is(self, &previous, "INTO") || token_is(self, &previous, "TABLE") ||
                                    (pending != NULL && self->sql[previous.place.offset] == ',');
        if (alias != NULL && pending != NULL && token.kind == LT_SCAN_WORD && token.place.bytes == alias->place.bytes &&
            lt_ascii_compare_bytes(self->sql + token.place.offset, self->sql + alias->place.offset,
                                   alias->place.bytes) == 0) {
            offer_columns(self, pending);
            is_found = true;
        }
        if (is_behind_from) {
            pending = entry_of(self, &token);
            if (pending != NULL && alias == NULL) {
                offer_columns(self, pending);
                is_found = true;
            }
        }
        previous = token;
    }
    if (alias != NULL && !is_found) {
        const lt_catalog_entry *entry = entry_of(self, alias);
        offer_columns(self, entry);
        is_found = entry != NULL;
    }
    return is_found;
}

static void offer_option_rows(const completion *self, const lt_option *options) {
    for (const lt_option *row = options; row != NULL && row->name != NULL; row++) offer(self, row->name, "option");
}

// The text of a word or string token, without quotes, when it is short enough.
static bool token_text(const completion *self, const lt_scan_token *token, char *out) {
    const char *text  = self->sql + token->place.offset;
    size_t      bytes = token->place.bytes;
    if (bytes >= 2 && (token->kind == LT_SCAN_STRING || token->kind == LT_SCAN_QUOTED_NAME)) {
        text++;
        bytes -= 2;
    }
    if (bytes > WORD_BYTES_MAX) return false;
    memcpy(out, text, bytes);
    out[bytes] = '\0';
    return true;
}

// Option keys of the connector and format that the tokens before the cursor name; all of them when none is named.
static void offer_options(const completion *self) {
    const lt_connector *connector = NULL;
    const lt_format    *format    = NULL;
    char                text[WORD_BYTES_MAX + 1];
    for (size_t back = self->token_count < 64 ? self->token_count : 64; back > 1; back--) {
        const lt_scan_token *token = token_before(self, back), *next = token_before(self, back - 1);
        if (next != NULL && next->kind == LT_SCAN_OPERATOR && self->sql[next->place.offset] == '=' && back > 2)
            next = token_before(self, back - 2);
        if (next == NULL || !token_text(self, next, text)) continue;
        if (token_is(self, token, "USING") || token_is(self, token, "format")) {
            if (lt_format_find(text) != NULL) format = lt_format_find(text);
            if (lt_connector_find(text) != NULL) connector = lt_connector_find(text);
        }
        if (token_is(self, token, "connector") && lt_connector_find(text) != NULL) connector = lt_connector_find(text);
    }
    static const char *const common[] = {"connector", "format", "path", "outputMode", "trigger", "checkpointLocation"};
    if (connector == NULL && format != NULL) connector = lt_connector_find("files");
    if (connector != NULL) offer_option_rows(self, connector->options);
    if (format != NULL) offer_option_rows(self, format->options);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) offer(self, common[i], "option");
}

// Whether the cursor stands in the brackets of OPTIONS (...) or WITH (...).
static bool is_in_options(const completion *self) {
    size_t closed = 0;
    for (size_t back = 1; back <= self->token_count && back <= 64; back++) {
        const lt_scan_token *token = token_before(self, back);
        if (token->kind != LT_SCAN_OPERATOR) continue;
        const char sign = self->sql[token->place.offset];
        if (sign == ')') closed++;
        if (sign != '(') continue;
        if (closed > 0) {
            closed--;
            continue;
        }
        const lt_scan_token *before = token_before(self, back + 1);
        return before != NULL && (token_is(self, before, "OPTIONS") || token_is(self, before, "WITH"));
    }
    return false;
}

static void offer_functions(const completion *self) {
    const char *last = "";
    for (const lt_function *const *family = lt_session_functions(self->session); *family != NULL; family++)
        for (const lt_function *row = *family; row->name != NULL; row++) {
            const bool is_word = (row->name[0] >= 'a' && row->name[0] <= 'z') || row->name[0] == '_';
            if (is_word && strcmp(row->name, last) != 0) offer(self, row->name, "function");
            last = row->name;
        }
    last = "";
    for (const lt_aggregate *const *family = lt_aggregate_registry; *family != NULL; family++)
        for (const lt_aggregate *row = *family; row->name != NULL; row++) {
            if (strcmp(row->name, last) != 0) offer(self, row->name, "aggregate");
            last = row->name;
        }
    for (const lt_catalog_function *function = self->session->catalog.functions; function != NULL;
         function                            = function->next)
        offer_name(self, function->name, "function");
}

static void offer_keywords(const completion *self) {
    // A word begun in lower case goes on in lower case.
    const bool is_lower = self->word_bytes > 0 && self->word[0] >= 'a' && self->word[0] <= 'z';
    for (size_t k = 0; k < lt_keyword_count(); k++) {
        const char *text = lt_keyword_at(k)->text;
        char        lower[WORD_BYTES_MAX + 1];
        size_t      i = 0;
        if (!is_lower) {
            offer(self, text, "keyword");
            continue;
        }
        for (; text[i] != '\0' && i < WORD_BYTES_MAX; i++)
            lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
        lower[i] = '\0';
        offer(self, lower, "keyword");
    }
}

static bool is_before_relation(const completion *self, const lt_scan_token *token) {
    static const char *const words[] = {"FROM", "JOIN",   "INTO", "TABLE",     "DESCRIBE", "DESC",
                                        "VIEW", "STREAM", "SINK", "AVAILABLE", "QUERY",    "TERMINATION"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (token_is(self, token, words[i])) return true;
    return false;
}

// What CREATE ... USING names: formats, then connectors that read.
static void offer_sources(const completion *self) {
    for (const lt_format *const *row = lt_format_registry; *row != NULL; row++) offer(self, (*row)->name, "format");
    for (const lt_connector *const *row = lt_connector_registry; *row != NULL; row++)
        if ((*row)->source != NULL) offer(self, (*row)->name, "connector");
}

// A USING of a JOIN names columns.
static bool begins_with_create(const completion *self, size_t begin, size_t sql_bytes) {
    lt_scanner scanner;
    lt_scanner_init(&scanner, self->sql + begin, sql_bytes - begin);
    for (;;) {
        const lt_scan_token token = lt_scan_next(&scanner);
        if (token.kind == LT_SCAN_END) return false;
        if (!is_space(&token))
            return token.place.bytes == 6 &&
                   lt_ascii_compare_bytes(self->sql + begin + token.place.offset, "CREATE", 6) == 0;
    }
}

leat_status leat_complete(leat_session *session, const char *sql, size_t sql_bytes, size_t cursor,
                          void (*give)(void *user, const char *candidate, const char *kind), void *user,
                          leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    if (sql_bytes == LEAT_TERMINATED) sql_bytes = strlen(sql);
    if (cursor > sql_bytes) cursor = sql_bytes;
    completion self  = {.session = session, .sql = sql, .give = give, .user = user};
    size_t     begin = 0; // of the cursor's statement
    lt_scanner scanner;
    bool       is_in_text = false;
    lt_scanner_init(&scanner, sql, sql_bytes);
    while (scanner.at < cursor) {
        const lt_scan_token token = lt_scan_next(&scanner);
        if (token.kind == LT_SCAN_END) break;
        const bool is_cut = scanner.at >= cursor;
        if (is_space(&token)) {
            is_in_text = is_cut && token.kind == LT_SCAN_COMMENT && scanner.at > cursor;
            continue;
        }
        if (token.kind == LT_SCAN_SEMICOLON) {
            begin            = scanner.at;
            self.token_count = 0;
            continue;
        }
        if (is_cut && (token.kind == LT_SCAN_WORD || token.kind == LT_SCAN_FOREIGN_WORD)) {
            self.word       = sql + token.place.offset;
            self.word_bytes = cursor - token.place.offset;
            break;
        }
        if (is_cut && scanner.at > cursor) is_in_text = true;
        if (token.kind == LT_SCAN_UNCLOSED_STRING || token.kind == LT_SCAN_UNCLOSED_COMMENT) is_in_text = true;
        self.tokens[self.token_count++ % 64] = token;
    }
    if (self.word == NULL) self.word = sql + cursor;
    const lt_scan_token *previous = token_before(&self, 1), *owner = token_before(&self, 2);
    if (is_in_text) {
        // Inside a string or a comment nothing of SQL fits.
    } else if (previous != NULL && previous->kind == LT_SCAN_OPERATOR && sql[previous->place.offset] == '.' &&
               owner != NULL) {
        offer_columns_of_statement(&self, begin, sql_bytes, owner);
    } else if (is_in_options(&self)) {
        offer_options(&self);
    } else if (previous != NULL && token_is(&self, previous, "USING") && begins_with_create(&self, begin, sql_bytes)) {
        offer_sources(&self);
    } else if (previous != NULL && is_before_relation(&self, previous)) {
        offer_relations(&self);
    } else {
        if (previous != NULL) {
            offer_columns_of_statement(&self, begin, sql_bytes, NULL);
            offer_functions(&self);
        }
        offer_keywords(&self);
    }
    lt_session_leave(session);
    return LEAT_OK;
}
