#include "parser/filter.h"

#include "base/ascii.h"
#include "base/edit_distance.h"
#include "base/utf8.h"

#include "sql.h"

#include <string.h>

// One pass over the scanner's tokens with a stack of the open brackets. Every rule looks at neighbours; the two that
// look further (POSITION .. IN and lambda parameters) stay inside one bracket, whose nesting is bounded, so the pass is
// linear.

enum { SCAN_AHEAD_MAX = 4096 };

typedef enum bracket {
    BRACKET_PLAIN,
    BRACKET_CALL,    // behind a function's name
    BRACKET_OPTIONS, // of OPTIONS, WITH, TBLPROPERTIES, DBPROPERTIES
} bracket;

typedef enum option_state { OPTION_KEY, OPTION_BEHIND_KEY, OPTION_VALUE } option_state;

typedef struct filter {
    const char  *sql;
    lt_arena    *arena;
    leat_error  *err;
    lt_token    *in;
    size_t       in_count; // in[in_count] is the END
    lt_token    *out;
    size_t       out_count, out_capacity;
    size_t       at;                         // in `in`
    uint8_t      brackets[LT_AST_DEPTH_MAX]; // of type bracket
    size_t       depth;
    size_t       type_depth;    // open `<` of types
    option_state option_state;  // in a BRACKET_OPTIONS
    bool         insert_target; // only INSERT INTO and a name so far
    uint16_t     first;         // terminal of the first word
} filter;

// ---- looking ----
static const lt_token *ahead(const filter *f, size_t distance) {
    size_t index = f->at + distance;
    return &f->in[index < f->in_count ? index : f->in_count];
}

static bool names_properties(const lt_token *token) {
    return token->terminal == LT_TOKEN_TBLPROPERTIES || token->terminal == LT_TOKEN_DBPROPERTIES ||
           token->terminal == LT_TOKEN_PROPERTIES;
}

static bool names_columns(const lt_token *token) {
    return token->terminal == LT_TOKEN_COLUMN || token->terminal == LT_TOKEN_COLUMNS;
}

static bool word_is(const lt_token *token, const char *word) {
    return token->kind == LT_SCAN_WORD && token->bytes == strlen(word) &&
           lt_ascii_equal(token->text, word, token->bytes);
}

static bool is_keyword(const lt_token *token, int terminal) {
    return token->kind == LT_SCAN_WORD && token->keyword == terminal;
}

static bool is_operator(const lt_token *token, int terminal) {
    return token->kind == LT_SCAN_OPERATOR && token->terminal == terminal;
}

static bool is_name(const lt_token *token) { return token->kind == LT_SCAN_WORD || token->kind == LT_SCAN_QUOTED_NAME; }

static bool word_in(const lt_token *token, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (word_is(token, words[i])) return true;
    return false;
}

#define WORD_IN(token, words) word_in((token), (words), sizeof(words) / sizeof((words)[0]))

static const char *const typed_words[]    = {"DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ", "TIMESTAMP_NTZ"};
static const char *const interval_units[] = {
    "NANOSECOND", "NANOSECONDS", "MICROSECOND", "MICROSECONDS", "MILLISECOND", "MILLISECONDS", "SECOND",
    "SECONDS",    "MINUTE",      "MINUTES",     "HOUR",         "HOURS",       "DAY",          "DAYS",
    "WEEK",       "WEEKS",       "MONTH",       "MONTHS",       "YEAR",        "YEARS"};
static const char *const type_units[]   = {"SECOND", "MINUTE", "HOUR", "DAY", "MONTH", "YEAR"};
static const char *const nested_types[] = {"ARRAY", "MAP", "STRUCT"};
static const char *const trim_sides[]   = {"BOTH", "LEADING", "TRAILING"};

static const lt_token *last(const filter *f) { return &f->out[f->out_count - 1]; } // the start terminal at least

// Whether an operand may begin behind `token`, so that a sign there belongs to it.
static bool begins_operand(const lt_token *token) {
    static const uint16_t words[] = {
        LT_TOKEN_SELECT, LT_TOKEN_DISTINCT, LT_TOKEN_ALL,    LT_TOKEN_WHERE,  LT_TOKEN_AND,         LT_TOKEN_OR,
        LT_TOKEN_NOT,    LT_TOKEN_BETWEEN,  LT_TOKEN_IN,     LT_TOKEN_LIKE,   LT_TOKEN_ILIKE,       LT_TOKEN_RLIKE,
        LT_TOKEN_THEN,   LT_TOKEN_WHEN,     LT_TOKEN_ELSE,   LT_TOKEN_CASE,   LT_TOKEN_BY,          LT_TOKEN_ON,
        LT_TOKEN_HAVING, LT_TOKEN_LIMIT,    LT_TOKEN_OFFSET, LT_TOKEN_FROM,   LT_TOKEN_DEFAULT,     LT_TOKEN_RETURN,
        LT_TOKEN_VALUES, LT_TOKEN_EXTEND,   LT_TOKEN_USING,  LT_TOKEN_FOR,    LT_TOKEN_QUALIFY,     LT_TOKEN_SET,
        LT_TOKEN_DIV,    LT_TOKEN_PLACING,  LT_TOKEN_OF,     LT_TOKEN_BUCKET, LT_TOKEN_VALUES_TABLE};
    if (token->kind == LT_SCAN_OPERATOR)
        return token->terminal != LT_TOKEN_RP && token->terminal != LT_TOKEN_RBRACKET &&
               token->terminal != LT_TOKEN_QUESTION && token->terminal != LT_TOKEN_TYPE_GT;
    if (token->kind == LT_SCAN_END) return true; // the start
    if (token->kind != LT_SCAN_WORD || token->terminal == LT_TOKEN_WORD) return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (token->terminal == words[i]) return true;
    return false;
}

// Whether a query stands at `distance`, maybe behind more brackets.
static bool query_at(const filter *f, size_t distance) {
    while (is_operator(ahead(f, distance), LT_TOKEN_LP)) distance++;
    const lt_token *token = ahead(f, distance), *next = ahead(f, distance + 1);
    if (is_operator(next, LT_TOKEN_COMMA) || is_operator(next, LT_TOKEN_RP) || is_operator(next, LT_TOKEN_ARROW) ||
        is_operator(next, LT_TOKEN_DOT))
        return false;
    return is_keyword(token, LT_TOKEN_SELECT) || is_keyword(token, LT_TOKEN_WITH) || is_keyword(token, LT_TOKEN_FROM) ||
           is_keyword(token, LT_TOKEN_VALUES) || is_keyword(token, LT_TOKEN_TABLE);
}

// Whether a type's name may stand behind `token`.
static bool type_may_follow(const lt_token *token) {
    return token->kind == LT_SCAN_END || token->kind == LT_SCAN_QUOTED_NAME || token->terminal == LT_TOKEN_WORD ||
           token->terminal == LT_TOKEN_DOUBLE_COLON || token->terminal == LT_TOKEN_TYPE_LT ||
           token->terminal == LT_TOKEN_COMMA || token->terminal == LT_TOKEN_COLON ||
           (token->kind == LT_SCAN_WORD && !begins_operand(token));
}

// ---- writing ----
static leat_status emit(filter *f, const lt_token *token, int terminal) {
    if (f->out_count + 1 >= f->out_capacity) {
        size_t    capacity = f->out_capacity * 2;
        lt_token *moved    = lt_arena_alloc(f->arena, capacity * sizeof *moved);
        if (moved == NULL) return lt_raise_no_memory(f->err);
        memcpy(moved, f->out, f->out_count * sizeof *moved);
        f->out          = moved;
        f->out_capacity = capacity;
    }
    f->out[f->out_count]          = *token;
    f->out[f->out_count].terminal = (uint16_t)terminal;
    f->out_count++;
    return LEAT_OK;
}

static leat_status emit_here(filter *f, int terminal) {
    LT_TRY(emit(f, ahead(f, 0), terminal));
    f->at++;
    return LEAT_OK;
}

// One token over the next `count`.
static leat_status emit_span(filter *f, size_t count, int terminal) {
    lt_token        token = *ahead(f, 0);
    const lt_token *end   = ahead(f, count - 1);
    token.bytes           = end->place.offset + end->place.bytes - token.place.offset;
    token.place.bytes     = token.bytes;
    LT_TRY(emit(f, &token, terminal));
    f->at += count;
    return LEAT_OK;
}

// ---- rules ----
// A sign and a value at `distance`; how many tokens, or 0.
static size_t interval_value(const filter *f, size_t distance) {
    size_t sign =
        is_operator(ahead(f, distance), LT_TOKEN_DASH) || is_operator(ahead(f, distance), LT_TOKEN_PLUS) ? 1 : 0;
    lt_scan_kind kind = ahead(f, distance + sign)->kind;
    return kind == LT_SCAN_NUMBER || kind == LT_SCAN_STRING ? sign + 1 : 0;
}

static leat_status emit_interval_value(filter *f) {
    const bool negative = is_operator(ahead(f, 0), LT_TOKEN_DASH);
    if (ahead(f, 0)->kind == LT_SCAN_OPERATOR) f->at++;
    lt_token value = *ahead(f, 0);
    value.negative = negative;
    LT_TRY(emit(f, &value, LT_TOKEN_INTERVAL_VALUE));
    f->at++;
    return LEAT_OK;
}

static leat_status interval_rule(filter *f) {
    size_t value = interval_value(f, 1);
    if (value > 0 && WORD_IN(ahead(f, 1 + value), interval_units)) {
        LT_TRY(emit_here(f, LT_TOKEN_INTERVAL));
        for (value = interval_value(f, 0); value > 0 && WORD_IN(ahead(f, value), interval_units);
             value = interval_value(f, 0)) {
            LT_TRY(emit_interval_value(f));
            LT_TRY(emit_here(f, LT_TOKEN_INTERVAL_UNIT));
            if (is_keyword(ahead(f, 0), LT_TOKEN_TO) && WORD_IN(ahead(f, 1), interval_units)) {
                LT_TRY(emit_here(f, LT_TOKEN_INTERVAL_TO));
                LT_TRY(emit_here(f, LT_TOKEN_INTERVAL_UNIT));
            }
        }
        return LEAT_OK;
    }
    if (ahead(f, 1)->kind == LT_SCAN_STRING) {
        LT_TRY(emit_here(f, LT_TOKEN_INTERVAL));
        return emit_interval_value(f);
    }
    if (WORD_IN(ahead(f, 1), type_units) && type_may_follow(last(f))) {
        const bool is_range = is_keyword(ahead(f, 2), LT_TOKEN_TO) && WORD_IN(ahead(f, 3), type_units);
        return emit_span(f, is_range ? 4 : 2, LT_TOKEN_TYPE_INTERVAL);
    }
    return emit_here(f, LT_TOKEN_WORD);
}

// POSITION(a IN b), told from the plain call by an IN directly inside its brackets.
static bool is_position_in(const filter *f) {
    size_t depth = 0;
    for (size_t i = 1; i < SCAN_AHEAD_MAX; i++) {
        const lt_token *token = ahead(f, i);
        if (token->kind == LT_SCAN_END) return false;
        if (is_operator(token, LT_TOKEN_LP)) depth++;
        if (is_operator(token, LT_TOKEN_RP) && --depth == 0) return false;
        if (depth == 1 && is_operator(token, LT_TOKEN_COMMA)) return false;
        if (depth == 1 && is_keyword(token, LT_TOKEN_IN)) return true;
    }
    return false;
}

static bool is_lambda(const filter *f) {
    size_t i = 1;
    while (is_name(ahead(f, i)) && is_operator(ahead(f, i + 1), LT_TOKEN_COMMA) && i < SCAN_AHEAD_MAX) i += 2;
    return is_name(ahead(f, i)) && is_operator(ahead(f, i + 1), LT_TOKEN_RP) &&
           is_operator(ahead(f, i + 2), LT_TOKEN_ARROW);
}

// IDENTIFIER('a.`b c`') stands for the name in its string.
static leat_status identifier_rule(filter *f) {
    lt_token  *string  = NULL;
    lt_builder builder = {.arena = f->arena, .err = f->err, .tokens = f->in};
    lt_string  text    = lt_build_string(&builder, NULL, ahead(f, 2));
    if (builder.status != LEAT_OK) return builder.status;
    (void)string;
    const lt_place place = ahead(f, 2)->place;
    f->at += 4;
    const char *at = text.text.text, *end = at + text.text.bytes;
    for (bool is_first = true; is_first || at < end; is_first = false) {
        lt_token part = {.kind = LT_SCAN_WORD, .verbatim = true, .place = place};
        if (!is_first) {
            lt_token dot = {.kind = LT_SCAN_OPERATOR, .text = ".", .bytes = 1, .place = place};
            LT_TRY(emit(f, &dot, LT_TOKEN_DOT));
            at++;
        }
        if (at < end && *at == '`') {
            const char *close = at + 1;
            while (close < end && (*close != '`' || (end - close > 1 && close[1] == '`')))
                close += *close == '`' ? 2 : 1;
            if (close >= end)
                return lt_raise(f->err, LT_PARSE_SYNTAX_ERROR, &place,
                                "syntax error: a back-quote is not closed in IDENTIFIER");
            part.kind     = LT_SCAN_QUOTED_NAME;
            part.verbatim = false;
            part.text     = at;
            part.bytes    = (uint32_t)(close + 1 - at);
            at            = close + 1;
        } else {
            part.text = at;
            while (at < end && *at != '.') at++;
            part.bytes = (uint32_t)(at - part.text);
        }
        if (part.bytes == 0 || (at < end && *at != '.'))
            return lt_raise(f->err, LT_PARSE_SYNTAX_ERROR, &place,
                            "syntax error: IDENTIFIER wants a name in its string");
        LT_TRY(emit(f, &part, LT_TOKEN_WORD));
    }
    return LEAT_OK;
}

// SET key = value: both are taken as they stand. SET TIME ZONE and SET VARIABLE are grammar.
static leat_status setting_rule(filter *f) {
    const bool is_reset = is_keyword(ahead(f, 0), LT_TOKEN_RESET);
    LT_TRY(emit_here(f, is_reset ? LT_TOKEN_RESET : LT_TOKEN_SET));
    size_t count = 0;
    while (ahead(f, count)->kind != LT_SCAN_END && !is_operator(ahead(f, count), LT_TOKEN_EQ)) count++;
    if (count > 0) LT_TRY(emit_span(f, count, LT_TOKEN_SETTING_KEY));
    if (count > 1) f->out[f->out_count - 1].kind = LT_SCAN_WORD; // taken as it stands
    if (ahead(f, 0)->kind == LT_SCAN_END) return LEAT_OK;
    LT_TRY(emit_here(f, LT_TOKEN_EQ));
    count = f->in_count - f->at;
    if (count == 1 && ahead(f, 0)->kind == LT_SCAN_STRING) return emit_here(f, LT_TOKEN_SETTING_VALUE);
    if (count == 0) return LEAT_OK;
    LT_TRY(emit_span(f, count, LT_TOKEN_SETTING_VALUE));
    f->out[f->out_count - 1].kind = LT_SCAN_WORD;
    return LEAT_OK;
}

static leat_status merge_rule(filter *f) {
    LT_TRY(emit_here(f, LT_TOKEN_MERGE));
    if (!is_keyword(ahead(f, 0), LT_TOKEN_INTO)) return LEAT_OK;
    LT_TRY(emit_here(f, LT_TOKEN_INTO));
    while (is_name(ahead(f, 0)) && is_operator(ahead(f, 1), LT_TOKEN_DOT)) {
        LT_TRY(emit_here(f, LT_TOKEN_WORD));
        LT_TRY(emit_here(f, LT_TOKEN_DOT));
    }
    if (is_name(ahead(f, 0))) LT_TRY(emit_here(f, LT_TOKEN_WORD));
    if (f->at < f->in_count) return emit_span(f, f->in_count - f->at, LT_TOKEN_REST);
    return LEAT_OK;
}

static bool is_negatable(const lt_token *token) {
    return is_keyword(token, LT_TOKEN_BETWEEN) || is_keyword(token, LT_TOKEN_IN) || is_keyword(token, LT_TOKEN_LIKE) ||
           is_keyword(token, LT_TOKEN_ILIKE) || is_keyword(token, LT_TOKEN_RLIKE);
}

// Whether the bracket at hand opens a list of options.
static bool opens_options(const filter *f) {
    const lt_token *before = last(f);
    if (before->kind == LT_SCAN_WORD && before->terminal == LT_TOKEN_WITH) return !query_at(f, 1);
    if (f->first == LT_TOKEN_COPY && before->kind == LT_SCAN_STRING) return true;
    if (f->first == LT_TOKEN_ALTER && before->terminal == LT_TOKEN_EXISTS) return true;
    return (before->terminal == LT_TOKEN_OPTIONS || names_properties(before)) &&
           (f->first == LT_TOKEN_CREATE || f->first == LT_TOKEN_ALTER || f->first == LT_TOKEN_COPY ||
            f->first == LT_TOKEN_EXPLAIN);
}

static bool in_bracket(const filter *f, bracket kind) { return f->depth > 0 && f->brackets[f->depth - 1] == kind; }

static leat_status bracket_open(filter *f, bracket kind) {
    if (f->depth == LT_AST_DEPTH_MAX)
        return lt_raise(f->err, LT_LIMIT_EXCEEDED, &ahead(f, 0)->place, "brackets nested more than %d deep",
                        LT_AST_DEPTH_MAX);
    f->brackets[f->depth++] = (uint8_t)kind;
    return LEAT_OK;
}

// In a list of options: key, then maybe `=`, then maybe a value.
static leat_status option_rule(filter *f) {
    const lt_token *token = ahead(f, 0);
    if (f->option_state == OPTION_KEY) {
        f->option_state = OPTION_BEHIND_KEY;
        return emit_here(f, token->kind == LT_SCAN_STRING ? LT_TOKEN_STRING : LT_TOKEN_WORD);
    }
    if (token->kind == LT_SCAN_STRING) return emit_here(f, LT_TOKEN_OPTION_STRING);
    if (token->kind == LT_SCAN_QUOTED_NAME) return emit_here(f, LT_TOKEN_OPTION_WORD);
    if (is_operator(last(f), LT_TOKEN_COLON)) return emit_here(f, LT_TOKEN_WORD);
    if (is_keyword(token, LT_TOKEN_TRUE) || is_keyword(token, LT_TOKEN_FALSE) || is_keyword(token, LT_TOKEN_NULL))
        return emit_here(f, token->keyword);
    if (is_keyword(token, LT_TOKEN_INTERVAL) && interval_value(f, 1) > 0) return interval_rule(f);
    return emit_here(f, LT_TOKEN_OPTION_WORD);
}

static leat_status operator_rule(filter *f) {
    const lt_token *token = ahead(f, 0);
    switch (token->terminal) {
    case LT_TOKEN_LP: {
        if (opens_options(f)) {
            f->option_state = OPTION_KEY;
            LT_TRY(bracket_open(f, BRACKET_OPTIONS));
            return emit_here(f, LT_TOKEN_LP);
        }
        if (is_lambda(f)) {
            LT_TRY(bracket_open(f, BRACKET_PLAIN));
            return emit_here(f, LT_TOKEN_LAMBDA_LP);
        }
        const bool is_call = last(f)->terminal == LT_TOKEN_WORD || last(f)->terminal == LT_TOKEN_DEDUPLICATE;
        if (f->insert_target && is_call && !query_at(f, 1)) {
            f->insert_target = false;
            LT_TRY(bracket_open(f, BRACKET_PLAIN));
            return emit_here(f, LT_TOKEN_INSERT_COLUMNS);
        }
        LT_TRY(bracket_open(f, is_call ? BRACKET_CALL : BRACKET_PLAIN));
        return emit_here(f, LT_TOKEN_LP);
    }
    case LT_TOKEN_LBRACKET:
        LT_TRY(bracket_open(f, BRACKET_PLAIN));
        break;
    case LT_TOKEN_RP:
    case LT_TOKEN_RBRACKET:
        if (f->depth > 0) f->depth--;
        break;
    case LT_TOKEN_COMMA:
        f->option_state = OPTION_KEY;
        break;
    case LT_TOKEN_EQ:
        f->option_state = OPTION_VALUE;
        break;
    case LT_TOKEN_DOT:
        if (in_bracket(f, BRACKET_OPTIONS) && f->option_state == OPTION_BEHIND_KEY) f->option_state = OPTION_KEY;
        break;
    case LT_TOKEN_PLUS:
    case LT_TOKEN_DASH:
        if (token->terminal == LT_TOKEN_DASH && ahead(f, 1)->kind == LT_SCAN_NUMBER &&
            (begins_operand(last(f)) || in_bracket(f, BRACKET_OPTIONS))) {
            lt_token number    = *ahead(f, 1);
            number.negative    = true;
            number.place       = token->place;
            number.place.bytes = ahead(f, 1)->place.offset + ahead(f, 1)->place.bytes - token->place.offset;
            LT_TRY(emit(f, &number, LT_TOKEN_NUMBER));
            f->at += 2;
            return LEAT_OK;
        }
        break;
    case LT_TOKEN_BANG:
        if (is_negatable(ahead(f, 1)) && !begins_operand(last(f)))
            return lt_raise(f->err, LT_SYNTAX_DISCONTINUED__BANG_EQUALS_NOT, &token->place,
                            "`!` before a predicate is no longer allowed; write NOT");
        break;
    case LT_TOKEN_LT:
        if (f->at > 0 && WORD_IN(&f->in[f->at - 1], nested_types) && last(f)->terminal == LT_TOKEN_WORD &&
            (is_name(ahead(f, 1)) || is_operator(ahead(f, 1), LT_TOKEN_GT)) && type_may_follow(last(f) - 1)) {
            if (word_is(&f->in[f->at - 1], "STRUCT")) f->out[f->out_count - 1].terminal = LT_TOKEN_TYPE_STRUCT;
            if (++f->type_depth > LT_AST_DEPTH_MAX)
                return lt_raise(f->err, LT_LIMIT_EXCEEDED, &token->place, "types nested more than %d deep",
                                LT_AST_DEPTH_MAX);
            return emit_here(f, LT_TOKEN_TYPE_LT);
        }
        break;
    case LT_TOKEN_NEQ:
        if (token->text[0] == '<' && f->at > 0 && word_is(&f->in[f->at - 1], "STRUCT") &&
            last(f)->terminal == LT_TOKEN_WORD && type_may_follow(last(f) - 1)) {
            f->out[f->out_count - 1].terminal = LT_TOKEN_TYPE_STRUCT;
            LT_TRY(emit(f, token, LT_TOKEN_TYPE_LT));
            return emit_here(f, LT_TOKEN_TYPE_GT);
        }
        break;
    case LT_TOKEN_GT:
    case LT_TOKEN_SHIFT_RIGHT:
    case LT_TOKEN_SHIFT_RIGHT_UNSIGNED:
        if (f->type_depth > 0) {
            for (uint32_t i = 0; i < token->bytes; i++) {
                lt_token mark = *token;
                mark.text += i;
                mark.bytes = mark.place.bytes = 1;
                mark.place.offset += i;
                mark.place.column += i;
                LT_TRY(emit(f, &mark, f->type_depth > 0 ? LT_TOKEN_TYPE_GT : LT_TOKEN_GT));
                if (f->type_depth > 0) f->type_depth--;
            }
            f->at++;
            return LEAT_OK;
        }
        break;
    default:
        break;
    }
    return emit_here(f, token->terminal);
}

// Keywords that are one only in company. Long, because each case is one word's whole rule.
static leat_status word_rule(filter *f) {
    const lt_token *token = ahead(f, 0), *next = ahead(f, 1), *before = last(f);
    int             terminal = token->keyword != 0 ? token->keyword : LT_TOKEN_WORD;
    if (is_operator(before, LT_TOKEN_DOT)) return emit_here(f, LT_TOKEN_WORD);
    if (next->kind == LT_SCAN_STRING && WORD_IN(token, typed_words)) return emit_here(f, LT_TOKEN_TYPED_WORD);
    switch (terminal) {
    case LT_TOKEN_WORD:
        if (word_is(token, "IDENTIFIER") && is_operator(next, LT_TOKEN_LP) && ahead(f, 2)->kind == LT_SCAN_STRING &&
            is_operator(ahead(f, 3), LT_TOKEN_RP))
            return identifier_rule(f);
        if (word_is(token, "POSITION") && is_operator(next, LT_TOKEN_LP) && is_position_in(f))
            return emit_here(f, LT_TOKEN_POSITION_IN);
        if (word_is(token, "PRIMARY") && word_is(next, "KEY") && is_operator(ahead(f, 2), LT_TOKEN_LP) &&
            before->kind == LT_SCAN_OPERATOR)
            return emit_span(f, 2, LT_TOKEN_PRIMARY_KEY);
        if (word_is(token, "MAX") && word_is(next, "RECURSION") && word_is(ahead(f, 2), "LEVEL") &&
            f->first == LT_TOKEN_WITH)
            return emit_span(f, 3, LT_TOKEN_MAX_RECURSION);
        if (WORD_IN(token, trim_sides) && is_operator(before, LT_TOKEN_LP) && f->at > 1 &&
            word_is(&f->in[f->at - 2], "TRIM") && !is_operator(next, LT_TOKEN_RP) &&
            !is_operator(next, LT_TOKEN_COMMA) && !is_operator(next, LT_TOKEN_DOT))
            return emit_here(f, LT_TOKEN_TRIM_SIDE);
        break;
    case LT_TOKEN_ON:
        if (before->terminal == LT_TOKEN_DISTINCT && is_operator(next, LT_TOKEN_LP))
            return lt_raise(
                f->err, LT_PARSE_SYNTAX_ERROR, &token->place,
                "syntax error at `ON`; there is no DISTINCT ON, use row_number() OVER (PARTITION BY .. ORDER "
                "BY ..) = 1 around the query");
        break;
    case LT_TOKEN_INTERVAL:
        return interval_rule(f);
    case LT_TOKEN_SET:
        if (f->at == 0 && !is_keyword(next, LT_TOKEN_VARIABLE) &&
            !(is_keyword(next, LT_TOKEN_TIME) && is_keyword(ahead(f, 2), LT_TOKEN_ZONE)))
            return setting_rule(f);
        break;
    case LT_TOKEN_RESET:
        if (f->at == 0) return setting_rule(f);
        break;
    case LT_TOKEN_MERGE:
        if (f->at == 0) return merge_rule(f);
        break;
    case LT_TOKEN_CAST:
    case LT_TOKEN_TRY_CAST:
    case LT_TOKEN_ROLLUP:
    case LT_TOKEN_CUBE:
        if (!is_operator(next, LT_TOKEN_LP) && before->terminal != LT_TOKEN_WITH) terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_CASE:
        if (is_keyword(next, LT_TOKEN_END)) terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_EXISTS:
        if (!is_keyword(&f->in[f->at > 0 ? f->at - 1 : 0], LT_TOKEN_IF) &&
            !(before->terminal == LT_TOKEN_NOT && f->at > 1 && is_keyword(&f->in[f->at - 2], LT_TOKEN_IF)) &&
            !(is_operator(next, LT_TOKEN_LP) && query_at(f, 1)))
            terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_IF:
        if (!(is_keyword(next, LT_TOKEN_EXISTS) &&
              (!is_operator(ahead(f, 2), LT_TOKEN_LP) || names_properties(before) || names_columns(before))) &&
            !(is_keyword(next, LT_TOKEN_NOT) && is_keyword(ahead(f, 2), LT_TOKEN_EXISTS)))
            terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_NOT:
        if (is_negatable(next) && !begins_operand(before)) terminal = LT_TOKEN_INFIX_NOT;
        break;
    case LT_TOKEN_GROUPING:
        if (!is_keyword(next, LT_TOKEN_SETS)) terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_DEDUPLICATE:
        if (!is_operator(next, LT_TOKEN_LP) || !is_keyword(ahead(f, 2), LT_TOKEN_TABLE)) terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_TABLE:
        if (f->at == 1 && (before->terminal == LT_TOKEN_DESCRIBE || before->terminal == LT_TOKEN_DESC)) {
            f->out[f->out_count - 1].terminal = LT_TOKEN_DESCRIBE_TABLE;
            f->at++;
            return LEAT_OK;
        }
        if (in_bracket(f, BRACKET_CALL) && before->kind == LT_SCAN_OPERATOR &&
            (is_name(next) || is_operator(next, LT_TOKEN_LP)))
            terminal = LT_TOKEN_TABLE_ARGUMENT;
        break;
    case LT_TOKEN_SCHEMA:
    case LT_TOKEN_DATABASE:
    case LT_TOKEN_NAMESPACE:
        if (f->at == 1 && (before->terminal == LT_TOKEN_DESCRIBE || before->terminal == LT_TOKEN_DESC) &&
            is_name(next)) {
            f->out[f->out_count - 1].terminal = LT_TOKEN_DESCRIBE_SCHEMA;
            f->at++;
            return LEAT_OK;
        }
        break;
    case LT_TOKEN_VALUES:
        if (is_operator(next, LT_TOKEN_LP) && is_operator(ahead(f, 2), LT_TOKEN_RP)) {
            terminal = LT_TOKEN_WORD; // a call
        } else if (before->terminal == LT_TOKEN_FROM || before->terminal == LT_TOKEN_JOIN ||
                   before->terminal == LT_TOKEN_LATERAL || is_operator(before, LT_TOKEN_COMMA)) {
            const bool is_value = next->keyword == 0 || next->keyword == LT_TOKEN_NULL ||
                                  next->keyword == LT_TOKEN_TRUE || next->keyword == LT_TOKEN_FALSE ||
                                  next->keyword == LT_TOKEN_CASE || next->keyword == LT_TOKEN_CAST ||
                                  next->keyword == LT_TOKEN_TRY_CAST || next->keyword == LT_TOKEN_INTERVAL ||
                                  next->keyword == LT_TOKEN_NOT;
            const bool is_alone = next->kind == LT_SCAN_END || !is_value || is_operator(next, LT_TOKEN_RP) ||
                                  is_operator(next, LT_TOKEN_COMMA) || is_operator(next, LT_TOKEN_DOT);
            terminal = is_alone || in_bracket(f, BRACKET_CALL) ? LT_TOKEN_WORD : LT_TOKEN_VALUES_TABLE;
        }
        break;
    case LT_TOKEN_STREAM:
        if ((before->terminal == LT_TOKEN_FROM || before->terminal == LT_TOKEN_JOIN ||
             is_operator(before, LT_TOKEN_COMMA) || is_operator(before, LT_TOKEN_LP)) &&
            !(is_name(next) && next->keyword == 0) && !is_operator(next, LT_TOKEN_LP))
            terminal = LT_TOKEN_WORD;
        break;
    case LT_TOKEN_WATERMARK:
        if (is_keyword(next, LT_TOKEN_FOR) && before->kind == LT_SCAN_OPERATOR)
            return emit_span(f, 2, LT_TOKEN_WATERMARK_FOR);
        break;
    case LT_TOKEN_EXCEPT:
        if (is_operator(before, LT_TOKEN_STAR) && is_operator(next, LT_TOKEN_LP) && !query_at(f, 1))
            terminal = LT_TOKEN_EXCEPT_COLUMNS;
        break;
    case LT_TOKEN_FROM:
        if (is_operator(before, LT_TOKEN_COMMA) && !in_bracket(f, BRACKET_CALL) &&
            (is_name(next) || is_operator(next, LT_TOKEN_LP)))
            return lt_raise(f->err, LT_TRAILING_COMMA_IN_SELECT, &before->place, "a comma before FROM; remove it");
        break;
    case LT_TOKEN_NAME:
        if (before->terminal != LT_TOKEN_BY) terminal = LT_TOKEN_WORD;
        break;
    default:
        break;
    }
    return emit_here(f, terminal);
}

static leat_status token_rule(filter *f) {
    const lt_token *token = ahead(f, 0);
    if (f->insert_target && f->at > 2 &&
        (is_keyword(token, LT_TOKEN_VALUES) || is_keyword(token, LT_TOKEN_SELECT) || is_keyword(token, LT_TOKEN_WITH) ||
         is_keyword(token, LT_TOKEN_FROM)))
        f->insert_target = false;
    switch (token->kind) {
    case LT_SCAN_WORD:
    case LT_SCAN_QUOTED_NAME:
    case LT_SCAN_STRING:
        if (in_bracket(f, BRACKET_OPTIONS)) return option_rule(f);
        if (token->kind == LT_SCAN_WORD) return word_rule(f);
        return emit_here(f, token->kind == LT_SCAN_STRING ? LT_TOKEN_STRING : LT_TOKEN_WORD);
    case LT_SCAN_HEX_STRING:
        return emit_here(f, LT_TOKEN_HEX_STRING);
    case LT_SCAN_NUMBER:
        return emit_here(f, LT_TOKEN_NUMBER);
    default:
        return operator_rule(f);
    }
}

// ---- the statement's tokens as the scanner gives them ----
static leat_status token_refuse(const lt_scan_token *token, const char *sql, leat_error *err) {
    const char *text  = sql + token->place.offset;
    const int   bytes = (int)(token->place.bytes < 40 ? token->place.bytes : 40);
    switch (token->kind) {
    case LT_SCAN_UNCLOSED_STRING:
        return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &token->place,
                        "syntax error: a string is not closed; a quote inside of one is written \\'");
    case LT_SCAN_UNCLOSED_NAME:
        return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error: a back-quoted name is not closed");
    case LT_SCAN_UNCLOSED_COMMENT:
        return lt_raise(err, LT_UNCLOSED_BRACKETED_COMMENT, &token->place, "a comment is not closed; end it with `*/`");
    case LT_SCAN_FOREIGN_WORD:
        return lt_raise(err, LT_INVALID_IDENTIFIER, &token->place, "`%.*s` is no plain name; put back-quotes around it",
                        bytes, text);
    default:
        break;
    }
    if (*text == '\0') return lt_raise(err, LT_INVALID_ENCODING, &token->place, "a NUL byte in the statement");
    return lt_raise(err, LT_PARSE_SYNTAX_ERROR, &token->place, "syntax error at `%.*s`: no character of SQL", bytes,
                    text);
}

// Offset of the first byte that is a NUL or no UTF-8; `bytes` when all is well.
static size_t encoding_error_at(const char *text, size_t bytes) {
    if (memchr(text, 0, bytes) == NULL && lt_utf8_is_valid(text, bytes)) return bytes;
    for (size_t at = 0; at < bytes;) {
        const size_t here = at;
        if (lt_utf8_decode(text, bytes, &at) <= 0) return here;
    }
    return bytes;
}

static leat_status tokens_scan(filter *f, size_t bytes, size_t *out_used_bytes) {
    lt_scanner scanner;
    lt_scanner_init(&scanner, f->sql, bytes);
    size_t capacity = bytes / 4 + 16 < 4096 ? bytes / 4 + 16 : 4096;
    f->in           = lt_arena_alloc(f->arena, capacity * sizeof *f->in);
    if (f->in == NULL) return lt_raise_no_memory(f->err);
    for (;;) {
        lt_scan_token token = lt_scan_next(&scanner);
        if (token.kind == LT_SCAN_BLANK || token.kind == LT_SCAN_COMMENT) continue;
        if (scanner.at > LT_AST_STATEMENT_BYTES_MAX)
            return lt_raise(f->err, LT_LIMIT_EXCEEDED, &token.place, "a statement of more than %d bytes",
                            LT_AST_STATEMENT_BYTES_MAX);
        if (token.kind >= LT_SCAN_UNCLOSED_STRING) {
            size_t bad = encoding_error_at(f->sql, scanner.at);
            if (bad < scanner.at)
                return lt_raise(f->err, LT_INVALID_ENCODING, &token.place, "byte %zu of the text is no UTF-8", bad);
            return token_refuse(&token, f->sql, f->err);
        }
        const bool is_end = token.kind == LT_SCAN_END || token.kind == LT_SCAN_SEMICOLON;
        if (f->in_count + 1 >= capacity) {
            lt_token *moved = lt_arena_alloc(f->arena, capacity * 2 * sizeof *moved);
            if (moved == NULL) return lt_raise_no_memory(f->err);
            memcpy(moved, f->in, f->in_count * sizeof *moved);
            f->in = moved;
            capacity *= 2;
        }
        f->in[f->in_count] = (lt_token){.terminal = is_end ? 0 : token.terminal,
                                        .keyword  = token.kind == LT_SCAN_WORD ? token.terminal : 0,
                                        .kind     = is_end ? LT_SCAN_END : token.kind,
                                        .text     = f->sql + token.place.offset,
                                        .bytes    = token.place.bytes,
                                        .place    = token.place};
        if (is_end) break;
        f->in_count++;
    }
    *out_used_bytes = scanner.at;
    size_t bad      = encoding_error_at(f->sql, scanner.at);
    if (bad == scanner.at) return LEAT_OK;
    lt_place place = {.offset = (uint32_t)bad, .bytes = 1, .line = 1, .column = 1};
    for (size_t i = 0; i < bad; i++) {
        if (f->sql[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)f->sql[i] & 0xC0) != 0x80) {
            place.column++;
        }
    }
    return lt_raise(f->err, LT_INVALID_ENCODING, &place, "byte %zu of the text is no UTF-8", bad);
}

leat_status lt_filter(const char *sql, size_t bytes, int start, lt_arena *arena, lt_tokens *out_tokens,
                      leat_error *err) {
    filter f = {.sql = sql, .arena = arena, .err = err};
    LT_TRY(tokens_scan(&f, bytes, &out_tokens->used_bytes));
    f.out_capacity = f.in_count + 8;
    f.out          = lt_arena_alloc(arena, f.out_capacity * sizeof *f.out);
    if (f.out == NULL) return lt_raise_no_memory(err);
    lt_token begin = {.kind = LT_SCAN_END, .text = sql};
    LT_TRY(emit(&f, &begin, start));
    if (f.in_count > 0) f.first = f.in[0].keyword;
    const bool explains_writing = f.first == LT_TOKEN_EXPLAIN && f.in_count > 1 &&
                                  (f.in[1].keyword == LT_TOKEN_INSERT || f.in[1].keyword == LT_TOKEN_COPY);
    if (explains_writing) f.first = f.in[1].keyword;
    f.insert_target = f.first == LT_TOKEN_INSERT;
    while (f.at < f.in_count) LT_TRY(token_rule(&f));
    LT_TRY(emit(&f, &f.in[f.in_count], 0));
    out_tokens->items = f.out;
    out_tokens->count = f.out_count - 1;
    return LEAT_OK;
}
