// The SQL grammar of leat. Every action is one call of a builder in parser/build.h; nothing is decided here but shape.
//
// Two things make Spark's almost keyword-free language fit LALR(1): every keyword falls back to WORD where the grammar does
// not want it (the tables are built uncompressed, so that a keyword which could follow is never taken for a name), and the
// token filter of parser/filter.h has told apart, before a token arrives here, what one token of look-ahead cannot.
%name lt_grammar
%token_prefix LT_TOKEN_
%token_type {lt_token}
%default_type {lt_ast_expression *}
%extra_argument {lt_builder *b}
%stack_size 2000

%include {
#ifndef NDEBUG
#define NDEBUG
#endif
#include "grammar/grammar.h"
#include "parser/build.h"
#define YYNOERRORRECOVERY 1
}
%syntax_error { lt_build_syntax_error(b, &TOKEN, yypParser); }
%stack_overflow { lt_build_too_deep(b); }

%code {
size_t lt_grammar_bytes(void) { return sizeof(yyParser); }
void lt_grammar_open(void *parser) { lt_grammarInit(parser); }
int lt_grammar_fallback(int terminal) { return yyFallback[terminal]; }
int lt_grammar_terminal_count(void) { return YYNTOKEN; }

// Replays the reductions that `terminal` would cause on a copy of the top of the state stack; values are not touched.
bool lt_grammar_accepts(const void *parser, int terminal) {
    enum { DEPTH = 64 };
    const yyParser *self  = parser;
    const size_t    count = (size_t)(self->yytos - self->yystack) + 1;
    YYACTIONTYPE    states[DEPTH + 1];
    size_t          kept = count < DEPTH ? count : DEPTH;
    for (size_t i = 0; i < kept; i++) states[i] = self->yytos[(ptrdiff_t)i - (ptrdiff_t)kept + 1].stateno;
    for (size_t step = 0; step < 200; step++) {
        YYACTIONTYPE state = states[kept - 1];
        if (state > YY_MAX_SHIFT && state < YY_MIN_REDUCE) return false;
        int index = state >= YY_MIN_REDUCE ? -1 : yy_shift_ofst[state] + terminal;
        YYACTIONTYPE action = state >= YY_MIN_REDUCE ? state : yy_lookahead[index] == terminal ? yy_action[index]
                                                                                           : yy_default[state];
        if (action < YY_MIN_REDUCE) return action <= YY_MAX_SHIFTREDUCE || action == YY_ACCEPT_ACTION;
        unsigned rule = action - YY_MIN_REDUCE;
        size_t   pops = (size_t)-yyRuleInfoNRhs[rule];
        if (pops >= kept) return false;
        kept -= pops;
        states[kept] = yy_find_reduce_action(states[kept - 1], yyRuleInfoLhs[rule]);
        kept++;
        if (kept > DEPTH) return false;
    }
    return false;
}
}

%fallback WORD
    ADD AFTER AGGREGATE ALL ALTER ALWAYS ANALYZE AND ANTI ANY AS ASC ASOF AVAILABLE AWAIT BETWEEN BUCKET BY CACHE CASE
    CAST CHANGE CHANGES CLEAR CLUSTER CODEGEN COLLATE COLUMN COLUMNS COMMENT COMPUTE COPY COST CREATE CROSS CUBE
    CURRENT DATABASE DBPROPERTIES DECLARE DEDUPLICATE DEFAULT DELAY DELETE DESC DESCRIBE DISTINCT DISTRIBUTE DIV DROP
    ELSE EMIT END ENFORCED ESCAPE EXCEPT EXCLUDE EXECUTE EXISTS EXPLAIN EXTEND EXTENDED FALSE FILTER FINAL FIRST
    FOLLOWING FOR FORMATTED FROM FULL FUNCTION GENERATED GLOBAL GROUP GROUPING HAVING IF IGNORE ILIKE IMMEDIATE IN
    INCLUDE INNER INSERT INTERSECT INTERVAL INTO IS JOIN LAST LATERAL LAZY LEFT LIKE LIMIT LOCAL LOCATION
    MATCH_CONDITION MATERIALIZED MERGE NAME NAMESPACE NATURAL NOSCAN NOT NULL NULLS OF OFFSET ON OPTIONS OR ORDER OUT
    OUTER OVER OVERWRITE PARTITION PARTITIONED PARTITIONS PERCENT PIVOT PLACING PRECEDING PROCESS PROPERTIES QUALIFY
    QUERY RANGE RECURSIVE REFRESH RENAME REPEATABLE REPLACE RESET RESPECT RETURN RETURNS RIGHT RLIKE ROLLUP ROW ROWS
    SCHEMA SELECT SEMI SET SETS SHOW SINGLE SINK SORT START STATISTICS STOP STREAM STREAMING SYSTEM_TIME TABLE
    TABLESAMPLE TBLPROPERTIES TEMPORARY TERMINATE TERMINATION THEN TIME TIMEOUT TO TRUE TRUNCATE TRY_CAST TYPE
    UNBOUNDED UNCACHE UNION UNKNOWN UNPIVOT UNSET UPDATE USE USING VALUES VARIABLE VIEW WATERMARK WHEN WHERE WINDOW
    WITH WITHIN WITHOUT ZONE.

// From loose to tight. LOW marks a rule that gives way to the tokens named right below it.
%left PIPE_ARROW.
%left UNION EXCEPT.
%left INTERSECT.
%nonassoc LOW.
%nonassoc RP COMMA COLLATE IGNORE RESPECT LIMIT OFFSET ORDER SORT CLUSTER DISTRIBUTE.
%left OR.
%left AND.
%right NOT BANG.
%left EQ NSEQ NEQ LT LTE GT GTE.
%left BAR.
%left CARET.
%left AMPERSAND.
%left SHIFT_LEFT SHIFT_RIGHT SHIFT_RIGHT_UNSIGNED.
%left PLUS DASH CONCAT.
%left STAR SLASH PERCENT_SIGN DIV.
%right SIGN TILDE.

input ::= START_STATEMENT statement(S).                 { b->statement = S; }
input ::= START_EXPRESSION expr(E).                     { b->expression = E; }
input ::= START_TYPE type(T).                           { b->type = T; }
input ::= START_SCHEMA fields(F).                       { b->type = lt_build_schema(b, F); }

// ---- names ----
%type name {lt_ast_name}
name(A) ::= WORD(W).                                    { A = lt_build_name(b, &W); }
%type dotted {lt_ast_names *}
dotted(A) ::= name(N).                                  { A = lt_build_names(b, NULL, &N); }
dotted(A) ::= dotted(L) DOT name(N).                    { A = lt_build_names(b, L, &N); }
%type names {lt_ast_names *}
names(A) ::= name(N).                                   { A = lt_build_names(b, NULL, &N); }
names(A) ::= names(L) COMMA name(N).                    { A = lt_build_names(b, L, &N); }
%type dotteds {lt_ast_name_lists *}
dotteds(A) ::= dotted(N).                               { A = lt_build_name_lists(b, NULL, N); }
dotteds(A) ::= dotteds(L) COMMA dotted(N).              { A = lt_build_name_lists(b, L, N); }
%type dotted_opt {lt_ast_names *}
dotted_opt(A) ::= .                                     { A = NULL; }
dotted_opt(A) ::= dotted(N).                            { A = N; }
%type string {lt_string}
string(A) ::= STRING(T).                                { A = lt_build_string(b, NULL, &T); }
string(A) ::= string(S) STRING(T).                      { A = lt_build_string(b, &S, &T); }

// ---- types ----
%type type {lt_ast_type *}
type(A) ::= name(N). [LOW]                              { A = lt_build_type(b, &N); }
type(A) ::= name(N) COLLATE name(C).                    { A = lt_build_type_collated(b, &N, &C); }
type(A) ::= name(N) LP numbers(P) RP(E).                { A = lt_build_type_sized(b, &N, P, &E); }
type(A) ::= name(N) WITHOUT TIME ZONE(E).               { A = lt_build_type_without_zone(b, &N, &E); }
type(A) ::= TYPE_INTERVAL(T).                           { A = lt_build_type_interval(b, &T); }
type(A) ::= name(N) TYPE_LT types(L) TYPE_GT(E).        { A = lt_build_type_nested(b, &N, L, &E); }
type(A) ::= TYPE_STRUCT(T) TYPE_LT TYPE_GT(E).          { A = lt_build_type_struct(b, &T, NULL, &E); }
type(A) ::= TYPE_STRUCT(T) TYPE_LT fields(F) TYPE_GT(E). { A = lt_build_type_struct(b, &T, F, &E); }
%type types {lt_ast_types *}
types(A) ::= type(T).                                   { A = lt_build_types(b, NULL, T); }
types(A) ::= types(L) COMMA type(T).                    { A = lt_build_types(b, L, T); }
%type numbers {lt_ast_names *}
numbers(A) ::= NUMBER(N).                               { A = lt_build_numbers(b, NULL, &N); }
numbers(A) ::= numbers(L) COMMA NUMBER(N).              { A = lt_build_numbers(b, L, &N); }
%type fields {lt_ast_fields *}
fields(A) ::= field(F).                                 { A = lt_build_fields(b, NULL, &F); }
fields(A) ::= fields(L) COMMA field(F).                 { A = lt_build_fields(b, L, &F); }
%type field {lt_ast_field}
field(A) ::= name(N) colon_opt type(T) not_null(U) comment_opt(C). { A = lt_build_field(&N, T, U, C.text); }
colon_opt ::= .
colon_opt ::= COLON.
%type not_null {bool}
not_null(A) ::= .                                       { A = false; }
not_null(A) ::= NOT NULL.                               { A = true; }
%type comment_opt {lt_string}
comment_opt(A) ::= .                                    { A = lt_build_no_string(); }
comment_opt(A) ::= COMMENT string(S).                   { A = S; }

// ---- expressions ----
expr(A) ::= expr(L) OR expr(R).                         { A = lt_build_chain(b, LT_AST_OR, L, R); }
expr(A) ::= expr(L) AND expr(R).                        { A = lt_build_chain(b, LT_AST_AND, L, R); }
expr(A) ::= NOT(T) expr(E).                             { A = lt_build_not(b, &T, E); }
expr(A) ::= BANG(T) expr(E). [NOT]                      { A = lt_build_not(b, &T, E); }
expr(A) ::= EXISTS(T) query_parens(Q).                  { A = lt_build_exists(b, &T, Q); }
expr(A) ::= predicate(P).                               { A = P; }
%type negation {bool}
negation(A) ::= .                                       { A = false; }
negation(A) ::= NOT.                                    { A = true; }
%type infix_not {bool}
infix_not(A) ::= .                                      { A = false; }
infix_not(A) ::= INFIX_NOT.                             { A = true; }
predicate(A) ::= value(V). [LOW]                        { A = V; }
predicate(A) ::= value(V) infix_not(N) BETWEEN value(L) AND value(H). [LOW] { A = lt_build_between(b, V, N, L, H); }
predicate(A) ::= value(V) infix_not(N) IN LP exprs(L) RP(E). { A = lt_build_in(b, V, N, L, &E); }
predicate(A) ::= value(V) infix_not(N) IN query_parens(Q). { A = lt_build_in_query(b, V, N, Q); }
predicate(A) ::= value(V) infix_not(N) like_word(W) value(P). [LOW] { A = lt_build_like(b, V, N, W, P); }
predicate(A) ::= value(V) infix_not(N) like_word(W) value(P) ESCAPE STRING(S). { A = lt_build_like_escape(b, V, N, W, P, &S); }
predicate(A) ::= value(V) infix_not(N) like_word(W) like_quantifier(Q) LP RP(E). { A = lt_build_like_list(b, V, N, W, Q, NULL, &E); }
predicate(A) ::= value(V) infix_not(N) like_word(W) like_quantifier(Q) LP exprs(L) RP(E). { A = lt_build_like_list(b, V, N, W, Q, L, &E); }
predicate(A) ::= value(V) IS negation(N) NULL(E).       { A = lt_build_is(b, V, N, LT_AST_IS_NULL, &E); }
predicate(A) ::= value(V) IS negation(N) TRUE(E).       { A = lt_build_is(b, V, N, LT_AST_IS_TRUE, &E); }
predicate(A) ::= value(V) IS negation(N) FALSE(E).      { A = lt_build_is(b, V, N, LT_AST_IS_FALSE, &E); }
predicate(A) ::= value(V) IS negation(N) UNKNOWN(E).    { A = lt_build_is(b, V, N, LT_AST_IS_UNKNOWN, &E); }
predicate(A) ::= value(V) IS negation(N) DISTINCT FROM value(R). [LOW] { A = lt_build_is_distinct(b, V, N, R); }
%type like_word {lt_ast_like_kind}
like_word(A) ::= LIKE.                                  { A = LT_AST_LIKE_LIKE; }
like_word(A) ::= ILIKE.                                 { A = LT_AST_LIKE_ILIKE; }
like_word(A) ::= RLIKE.                                 { A = LT_AST_LIKE_RLIKE; }
%type like_quantifier {lt_ast_like_quantifier}
like_quantifier(A) ::= ANY.                             { A = LT_AST_LIKE_ANY; }
like_quantifier(A) ::= ALL.                             { A = LT_AST_LIKE_ALL; }

value(A) ::= value(L) EQ value(R).                      { A = lt_build_binary(b, LT_AST_OPERATOR_EQUAL, L, R); }
value(A) ::= value(L) NSEQ value(R).                    { A = lt_build_binary(b, LT_AST_OPERATOR_NULL_SAFE_EQUAL, L, R); }
value(A) ::= value(L) NEQ value(R).                     { A = lt_build_binary(b, LT_AST_OPERATOR_NOT_EQUAL, L, R); }
value(A) ::= value(L) LT value(R).                      { A = lt_build_binary(b, LT_AST_OPERATOR_LESS, L, R); }
value(A) ::= value(L) LTE value(R).                     { A = lt_build_binary(b, LT_AST_OPERATOR_LESS_EQUAL, L, R); }
value(A) ::= value(L) GT value(R).                      { A = lt_build_binary(b, LT_AST_OPERATOR_GREATER, L, R); }
value(A) ::= value(L) GTE value(R).                     { A = lt_build_binary(b, LT_AST_OPERATOR_GREATER_EQUAL, L, R); }
value(A) ::= value(L) BAR value(R).                     { A = lt_build_binary(b, LT_AST_OPERATOR_BIT_OR, L, R); }
value(A) ::= value(L) CARET value(R).                   { A = lt_build_binary(b, LT_AST_OPERATOR_BIT_XOR, L, R); }
value(A) ::= value(L) AMPERSAND value(R).               { A = lt_build_binary(b, LT_AST_OPERATOR_BIT_AND, L, R); }
value(A) ::= value(L) SHIFT_LEFT value(R).              { A = lt_build_binary(b, LT_AST_OPERATOR_SHIFT_LEFT, L, R); }
value(A) ::= value(L) SHIFT_RIGHT value(R).             { A = lt_build_binary(b, LT_AST_OPERATOR_SHIFT_RIGHT, L, R); }
value(A) ::= value(L) SHIFT_RIGHT_UNSIGNED value(R).    { A = lt_build_binary(b, LT_AST_OPERATOR_SHIFT_RIGHT_UNSIGNED, L, R); }
value(A) ::= value(L) PLUS value(R).                    { A = lt_build_binary(b, LT_AST_OPERATOR_ADD, L, R); }
value(A) ::= value(L) DASH value(R).                    { A = lt_build_binary(b, LT_AST_OPERATOR_SUBTRACT, L, R); }
value(A) ::= value(L) CONCAT value(R).                  { A = lt_build_binary(b, LT_AST_OPERATOR_CONCAT, L, R); }
value(A) ::= value(L) STAR value(R).                    { A = lt_build_binary(b, LT_AST_OPERATOR_MULTIPLY, L, R); }
value(A) ::= value(L) SLASH value(R).                   { A = lt_build_binary(b, LT_AST_OPERATOR_DIVIDE, L, R); }
value(A) ::= value(L) PERCENT_SIGN value(R).            { A = lt_build_binary(b, LT_AST_OPERATOR_REMAINDER, L, R); }
value(A) ::= value(L) DIV value(R).                     { A = lt_build_binary(b, LT_AST_OPERATOR_INTEGER_DIVIDE, L, R); }
value(A) ::= DASH(T) value(V). [SIGN]                   { A = lt_build_unary(b, LT_AST_OPERATOR_NEGATE, &T, V); }
value(A) ::= PLUS(T) value(V). [SIGN]                   { A = lt_build_unary(b, LT_AST_OPERATOR_PLUS, &T, V); }
value(A) ::= TILDE(T) value(V).                         { A = lt_build_unary(b, LT_AST_OPERATOR_BIT_NOT, &T, V); }
value(A) ::= primary(P).                                { A = P; }

primary(A) ::= NUMBER(T).                               { A = lt_build_number(b, &T); }
primary(A) ::= string(S).                               { A = lt_build_string_literal(b, &S); }
primary(A) ::= HEX_STRING(T).                           { A = lt_build_binary_literal(b, &T); }
primary(A) ::= TYPED_WORD(T) string(S).                 { A = lt_build_typed_literal(b, &T, &S); }
primary(A) ::= NULL(T).                                 { A = lt_build_constant(b, LT_AST_LITERAL_NULL, &T); }
primary(A) ::= TRUE(T).                                 { A = lt_build_constant(b, LT_AST_LITERAL_TRUE, &T); }
primary(A) ::= FALSE(T).                                { A = lt_build_constant(b, LT_AST_LITERAL_FALSE, &T); }
primary(A) ::= parameter(P).                            { A = P; }
primary(A) ::= interval(I).                             { A = I; }
primary(A) ::= name(N).                                 { A = lt_build_column(b, &N); }
primary(A) ::= primary(P) DOT name(N).                  { A = lt_build_field_of(b, P, &N); }
primary(A) ::= primary(P) COLON name(N).                { A = lt_build_variant_path(b, P, &N); }
primary(A) ::= primary(P) LBRACKET value(I) RBRACKET(E). { A = lt_build_index(b, P, I, &E); }
primary(A) ::= primary(P) DOUBLE_COLON type(T).         { A = lt_build_cast(b, LT_AST_SPELLING_COLONS, NULL, P, T, NULL); }
primary(A) ::= primary(P) COLLATE name(C).              { A = lt_build_collate(b, P, &C); }
primary(A) ::= CAST(T) LP expr(E) AS type(Y) RP(R).     { A = lt_build_cast(b, LT_AST_SPELLING_PLAIN, &T, E, Y, &R); }
primary(A) ::= TRY_CAST(T) LP expr(E) AS type(Y) RP(R). { A = lt_build_cast(b, LT_AST_SPELLING_TRY_CAST, &T, E, Y, &R); }
primary(A) ::= CASE(T) whens(W) case_else(L) END(E).    { A = lt_build_case(b, &T, NULL, W, L, &E); }
primary(A) ::= CASE(T) expr(V) whens(W) case_else(L) END(E). { A = lt_build_case(b, &T, V, W, L, &E); }
primary(A) ::= LP(T) expr(E) RP(R).                     { A = lt_build_parentheses(b, &T, E, &R); }
primary(A) ::= LP(T) row_item(F) COMMA row_items(L) RP(R). { A = lt_build_row(b, &T, F, L, &R); }
primary(A) ::= query_parens(Q). [LOW]                   { A = lt_build_subquery(b, Q); }
primary(A) ::= call(C).                                 { A = C; }
parameter(A) ::= QUESTION(T).                           { A = lt_build_parameter(b, &T, NULL); }
parameter(A) ::= COLON(T) name(N).                      { A = lt_build_parameter(b, &T, &N); }
interval(A) ::= INTERVAL(T) interval_parts(P).          { A = lt_build_interval(b, &T, P); }
%type interval_parts {lt_ast_interval_parts *}
interval_parts(A) ::= interval_part(P).                 { A = lt_build_interval_parts(b, NULL, &P); }
interval_parts(A) ::= interval_parts(L) interval_part(P). { A = lt_build_interval_parts(b, L, &P); }
%type interval_part {lt_ast_interval_part}
interval_part(A) ::= INTERVAL_VALUE(V).                 { A = lt_build_interval_part(b, &V, NULL, NULL); }
interval_part(A) ::= INTERVAL_VALUE(V) INTERVAL_UNIT(U). { A = lt_build_interval_part(b, &V, &U, NULL); }
interval_part(A) ::= INTERVAL_VALUE(V) INTERVAL_UNIT(U) INTERVAL_TO INTERVAL_UNIT(T). { A = lt_build_interval_part(b, &V, &U, &T); }
%type whens {lt_ast_expressions *}
whens(A) ::= WHEN expr(C) THEN expr(R).                 { A = lt_build_expressions(b, lt_build_expressions(b, NULL, C), R); }
whens(A) ::= whens(L) WHEN expr(C) THEN expr(R).        { A = lt_build_expressions(b, lt_build_expressions(b, L, C), R); }
case_else(A) ::= .                                      { A = NULL; }
case_else(A) ::= ELSE expr(E).                          { A = E; }
%type exprs {lt_ast_expressions *}
exprs(A) ::= expr(E).                                   { A = lt_build_expressions(b, NULL, E); }
exprs(A) ::= exprs(L) COMMA expr(E).                    { A = lt_build_expressions(b, L, E); }
%type row_items {lt_ast_expressions *}
row_items(A) ::= row_item(E).                           { A = lt_build_expressions(b, NULL, E); }
row_items(A) ::= row_items(L) COMMA row_item(E).        { A = lt_build_expressions(b, L, E); }
row_item(A) ::= expr(E).                                { A = E; }
row_item(A) ::= expr(E) AS name(N).                     { A = lt_build_alias(b, E, &N); }
star(A) ::= STAR(T).                                    { A = lt_build_star(b, NULL, &T, NULL, NULL); }
star(A) ::= STAR(T) EXCEPT_COLUMNS LP dotteds(L) RP(R). { A = lt_build_star(b, NULL, &T, L, &R); }
star(A) ::= primary(P) DOT STAR(T).                     { A = lt_build_star(b, P, &T, NULL, NULL); }
star(A) ::= primary(P) DOT STAR(T) EXCEPT_COLUMNS LP dotteds(L) RP(R). { A = lt_build_star(b, P, &T, L, &R); }

// ---- calls ----
call(A) ::= call_head(C). [LOW]                         { A = C; }
call(A) ::= call_head(C) over(W).                       { A = lt_build_call_over(b, C, W); }
%type fname {lt_ast_expression *}
fname(A) ::= name(N).                                   { A = lt_build_column(b, &N); }
fname(A) ::= primary(P) DOT name(N).                    { A = lt_build_field_of(b, P, &N); }
call_head(A) ::= fname(F) LP RP(R).                     { A = lt_build_call(b, F, false, NULL, &R); }
call_head(A) ::= fname(F) LP args(L) RP(R).             { A = lt_build_call(b, F, false, L, &R); }
call_head(A) ::= fname(F) LP ALL args(L) RP(R).         { A = lt_build_call(b, F, false, L, &R); }
call_head(A) ::= fname(F) LP DISTINCT args(L) RP(R).    { A = lt_build_call(b, F, true, L, &R); }
call_head(A) ::= fname(F) LP DISTINCT(D) RP(R).         { A = lt_build_call(b, F, false, lt_build_word_argument(b, &D), &R); }
call_head(A) ::= fname(F) LP args(L) call_nulls(N) RP(R). { A = lt_build_call_nulls(b, lt_build_call(b, F, false, L, &R), N, NULL); }
call_head(A) ::= fname(F) LP expr(X) FROM expr(S) RP(R). { A = lt_build_call_from(b, F, X, S, NULL, &R); }
call_head(A) ::= fname(F) LP expr(X) FROM expr(S) FOR expr(L) RP(R). { A = lt_build_call_from(b, F, X, S, L, &R); }
call_head(A) ::= fname(F) LP TRIM_SIDE(T) FROM expr(S) RP(R). { A = lt_build_call_trim(b, F, &T, NULL, S, &R); }
call_head(A) ::= fname(F) LP TRIM_SIDE(T) expr(X) FROM expr(S) RP(R). { A = lt_build_call_trim(b, F, &T, X, S, &R); }
call_head(A) ::= fname(F) LP expr(X) PLACING expr(Y) FROM expr(Z) RP(R). { A = lt_build_call_overlay(b, F, X, Y, Z, NULL, &R); }
call_head(A) ::= fname(F) LP expr(X) PLACING expr(Y) FROM expr(Z) FOR expr(L) RP(R). { A = lt_build_call_overlay(b, F, X, Y, Z, L, &R); }
call_head(A) ::= POSITION_IN(T) LP value(X) IN value(Y) RP(R). { A = lt_build_call_position(b, &T, X, Y, &R); }
call_head(A) ::= call_head(C) WITHIN GROUP LP ORDER BY order_items(O) RP(R). { A = lt_build_call_within(b, C, O, &R); }
call_head(A) ::= call_head(C) FILTER LP WHERE expr(E) RP(R). { A = lt_build_call_filter(b, C, E, &R); }
call_head(A) ::= call_head(C) IGNORE NULLS(T).          { A = lt_build_call_nulls(b, C, LT_AST_IGNORE_NULLS, &T); }
call_head(A) ::= call_head(C) RESPECT NULLS(T).         { A = lt_build_call_nulls(b, C, LT_AST_RESPECT_NULLS, &T); }
%type call_nulls {lt_ast_call_nulls}
call_nulls(A) ::= IGNORE NULLS.                         { A = LT_AST_IGNORE_NULLS; }
call_nulls(A) ::= RESPECT NULLS.                        { A = LT_AST_RESPECT_NULLS; }
%type args {lt_ast_expressions *}
args(A) ::= arg(E).                                     { A = lt_build_expressions(b, NULL, E); }
args(A) ::= args(L) COMMA arg(E).                       { A = lt_build_expressions(b, L, E); }
arg(A) ::= expr(E).                                     { A = E; }
arg(A) ::= star(S).                                     { A = S; }
arg(A) ::= expr(E) AS name(N).                          { A = lt_build_alias(b, E, &N); }
arg(A) ::= name(N) FAT_ARROW expr(E).                   { A = lt_build_named_argument(b, &N, E); }
arg(A) ::= name(N) FAT_ARROW table_argument(E).         { A = lt_build_named_argument(b, &N, E); }
arg(A) ::= table_argument(E).                           { A = E; }
arg(A) ::= lambda(E).                                   { A = E; }
arg(A) ::= name(N) FAT_ARROW lambda(E).                 { A = lt_build_named_argument(b, &N, E); }
lambda(A) ::= name(N) ARROW expr(E).                    { A = lt_build_lambda(b, NULL, lt_build_names(b, NULL, &N), E); }
lambda(A) ::= LAMBDA_LP(T) names(L) RP ARROW expr(E).   { A = lt_build_lambda(b, &T, L, E); }
table_argument(A) ::= TABLE_ARGUMENT(T) dotted(N) table_partition(P). { A = lt_build_table_argument(b, &T, N, NULL, P); }
table_argument(A) ::= TABLE_ARGUMENT(T) LP dotted(N) RP table_partition(P). { A = lt_build_table_argument(b, &T, N, NULL, P); }
table_argument(A) ::= TABLE_ARGUMENT(T) query_parens(Q) table_partition(P). { A = lt_build_table_argument(b, &T, NULL, Q, P); }
%type table_partition {lt_ast_window *}
table_partition(A) ::= .                                { A = NULL; }
table_partition(A) ::= WITH SINGLE(T) PARTITION.        { A = lt_build_table_partition(b, &T, NULL, NULL); }
table_partition(A) ::= WITH SINGLE(T) PARTITION ORDER BY table_order(O). { A = lt_build_table_partition(b, &T, NULL, O); }
table_partition(A) ::= partition_word BY expr(E).       { A = lt_build_table_partition(b, NULL, E, NULL); }
table_partition(A) ::= partition_word BY expr(E) ORDER BY table_order(O). { A = lt_build_table_partition(b, NULL, E, O); }
%type table_order {lt_ast_order_items *}
table_order(A) ::= order_item(I).                       { A = lt_build_order_items(b, NULL, &I); }
partition_word ::= PARTITION.
partition_word ::= DISTRIBUTE.

%type over {lt_ast_window *}
over(A) ::= OVER name(N).                               { A = lt_build_window_reference(b, &N); }
over(A) ::= OVER window_spec(W).                        { A = W; }
%type window_spec {lt_ast_window *}
window_spec(A) ::= LP(T) name(N) RP(R).                 { A = lt_build_window_named(b, &T, &N, &R); }
window_spec(A) ::= LP(T) window_partition(P) window_order(O) frame(F) RP(R). { A = lt_build_window(b, &T, P, O, F, &R); }
%type window_partition {lt_ast_expressions *}
window_partition(A) ::= .                               { A = NULL; }
window_partition(A) ::= partition_word BY exprs(L).     { A = L; }
window_partition(A) ::= CLUSTER BY exprs(L).            { A = L; }
%type window_order {lt_ast_order_items *}
window_order(A) ::= .                                   { A = NULL; }
window_order(A) ::= ORDER BY order_items(L).            { A = L; }
window_order(A) ::= SORT BY order_items(L).             { A = L; }
%type frame {lt_ast_window *}
frame(A) ::= .                                          { A = NULL; }
frame(A) ::= frame_word(W) bound(S).                    { A = lt_build_frame(b, W, &S, NULL); }
frame(A) ::= frame_word(W) BETWEEN bound(S) AND bound(E). { A = lt_build_frame(b, W, &S, &E); }
%type frame_word {lt_ast_frame}
frame_word(A) ::= ROWS.                                 { A = LT_AST_FRAME_ROWS; }
frame_word(A) ::= RANGE.                                { A = LT_AST_FRAME_RANGE; }
%type bound {lt_ast_bound}
bound(A) ::= UNBOUNDED(T) PRECEDING.                    { A = lt_build_bound(LT_AST_UNBOUNDED_PRECEDING, NULL, &T); }
bound(A) ::= UNBOUNDED(T) FOLLOWING.                    { A = lt_build_bound(LT_AST_UNBOUNDED_FOLLOWING, NULL, &T); }
bound(A) ::= CURRENT(T) ROW.                            { A = lt_build_bound(LT_AST_CURRENT_ROW, NULL, &T); }
bound(A) ::= value(V) PRECEDING.                        { A = lt_build_bound(LT_AST_PRECEDING, V, NULL); }
bound(A) ::= value(V) FOLLOWING.                        { A = lt_build_bound(LT_AST_FOLLOWING, V, NULL); }

%type order_items {lt_ast_order_items *}
order_items(A) ::= order_item(I).                       { A = lt_build_order_items(b, NULL, &I); }
order_items(A) ::= order_items(L) COMMA order_item(I).  { A = lt_build_order_items(b, L, &I); }
%type order_item {lt_ast_order_item}
order_item(A) ::= expr(E) direction(D) nulls(N).        { A = lt_build_order_item(E, D, N); }
%type direction {int}
direction(A) ::= .                                      { A = 0; }
direction(A) ::= ASC.                                   { A = 1; }
direction(A) ::= DESC.                                  { A = 2; }
%type nulls {lt_ast_nulls}
nulls(A) ::= .                                          { A = LT_AST_NULLS_DEFAULT; }
nulls(A) ::= NULLS FIRST.                               { A = LT_AST_NULLS_FIRST; }
nulls(A) ::= NULLS LAST.                                { A = LT_AST_NULLS_LAST; }

// ---- queries ----
%type query {lt_ast_query *}
%type query_plain {lt_ast_query *}
%type query_parens {lt_ast_query *}
%type term {lt_ast_query *}
%type term_plain {lt_ast_query *}
query(A) ::= query_plain(Q).                            { A = Q; }
query(A) ::= query_parens(Q). [LOW]                     { A = Q; }
query_parens(A) ::= LP(T) query_plain(Q) RP(R).         { A = lt_build_query_parens(b, &T, Q, &R); }
query_parens(A) ::= LP(T) query_parens(Q) RP(R).        { A = lt_build_query_parens(b, &T, Q, &R); }
query_plain(A) ::= term_plain(Q). [LOW]                 { A = Q; }
query_plain(A) ::= term_plain(Q) organization(O).       { A = lt_build_organized(b, Q, O); }
query_plain(A) ::= query_parens(Q) organization(O).     { A = lt_build_organized(b, Q, O); }
query_plain(A) ::= WITH(T) recursive(R) ctes(C) term(Q). [LOW] { A = lt_build_with(b, &T, R, C, Q, NULL); }
query_plain(A) ::= WITH(T) recursive(R) ctes(C) term(Q) organization(O). { A = lt_build_with(b, &T, R, C, Q, O); }
%type recursive {bool}
recursive(A) ::= .                                      { A = false; }
recursive(A) ::= RECURSIVE.                             { A = true; }
%type ctes {lt_ast_ctes *}
ctes(A) ::= cte(C).                                     { A = lt_build_ctes(b, NULL, &C); }
ctes(A) ::= ctes(L) COMMA cte(C).                       { A = lt_build_ctes(b, L, &C); }
%type cte {lt_ast_cte}
cte(A) ::= name(N) query_parens(Q).                     { A = lt_build_cte(&N, NULL, NULL, Q); }
cte(A) ::= name(N) AS query_parens(Q).                  { A = lt_build_cte(&N, NULL, NULL, Q); }
cte(A) ::= name(N) LP names(C) RP query_parens(Q).      { A = lt_build_cte(&N, C, NULL, Q); }
cte(A) ::= name(N) LP names(C) RP AS query_parens(Q).   { A = lt_build_cte(&N, C, NULL, Q); }
cte(A) ::= name(N) MAX_RECURSION numbers(M) as_word query_parens(Q). { A = lt_build_cte(&N, NULL, M, Q); }
cte(A) ::= name(N) LP names(C) RP MAX_RECURSION numbers(M) as_word query_parens(Q). { A = lt_build_cte(&N, C, M, Q); }
as_word ::= .
as_word ::= AS.
%type column_names {lt_ast_names *}
column_names(A) ::= .                                   { A = NULL; }
column_names(A) ::= LP names(L) RP.                     { A = L; }
term(A) ::= term_plain(Q).                              { A = Q; }
term(A) ::= query_parens(Q). [LOW]                      { A = Q; }
term_plain(A) ::= term(L) UNION set_quantifier(Q) term(R). [UNION] { A = lt_build_set(b, LT_AST_UNION, Q, L, R); }
term_plain(A) ::= term(L) EXCEPT set_quantifier(Q) term(R). [EXCEPT] { A = lt_build_set(b, LT_AST_EXCEPT, Q, L, R); }
term_plain(A) ::= term(L) INTERSECT set_quantifier(Q) term(R). [INTERSECT] { A = lt_build_set(b, LT_AST_INTERSECT, Q, L, R); }
term_plain(A) ::= term(L) PIPE_ARROW(T) pipe_step(S).   { A = lt_build_pipe(b, L, &T, S); }
term_plain(A) ::= primary_query(Q).                     { A = Q; }
%type set_quantifier {bool}
set_quantifier(A) ::= .                                 { A = false; }
set_quantifier(A) ::= ALL.                              { A = true; }
set_quantifier(A) ::= DISTINCT.                         { A = false; }
%type primary_query {lt_ast_query *}
primary_query(A) ::= SELECT(T) quantifier(Q) items(I) from_opt(F) select_tail(S). { A = lt_build_select(b, &T, Q, I, F, S); }
primary_query(A) ::= from(F) SELECT(T) quantifier(Q) items(I) select_tail(S). { A = lt_build_from_select(b, F, &T, Q, I, S); }
primary_query(A) ::= from(F).                           { A = lt_build_query_from(b, F); }
primary_query(A) ::= TABLE(T) dotted(N).                { A = lt_build_query_table(b, &T, N); }
primary_query(A) ::= VALUES(T) rows(R) alias(X).        { A = lt_build_query_values(b, &T, R, &X); }
%type rows {lt_ast_expression_lists *}
rows(A) ::= row_value(E). [LOW]                         { A = lt_build_rows(b, NULL, E); }
rows(A) ::= rows(L) COMMA row_value(E). [LOW]           { A = lt_build_rows(b, L, E); }
row_value(A) ::= expr(E). [LOW]                         { A = E; }
%type quantifier {int}
quantifier(A) ::= .                                     { A = 0; }
quantifier(A) ::= ALL.                                  { A = 1; }
quantifier(A) ::= DISTINCT.                             { A = 2; }
%type items {lt_ast_items *}
items(A) ::= item(I). [LOW]                             { A = lt_build_items(b, NULL, &I); }
items(A) ::= items(L) COMMA item(I). [LOW]              { A = lt_build_items(b, L, &I); }
%type item {lt_ast_item}
item(A) ::= star(S).                                    { A = lt_build_item(S, NULL, NULL); }
item(A) ::= expr(E). [LOW]                              { A = lt_build_item(E, NULL, NULL); }
item(A) ::= expr(E) name(N).                            { A = lt_build_item(E, &N, NULL); }
item(A) ::= expr(E) AS name(N).                         { A = lt_build_item(E, &N, NULL); }
item(A) ::= expr(E) AS LP names(L) RP.                  { A = lt_build_item(E, NULL, L); }
%type select_tail {lt_ast_select *}
select_tail(A) ::= where(W) group_by(G) having(H) windows(N) qualify(Q). { A = lt_build_select_tail(b, W, G, H, N, Q); }
where(A) ::= .                                          { A = NULL; }
where(A) ::= WHERE expr(E).                             { A = E; }
having(A) ::= .                                         { A = NULL; }
having(A) ::= HAVING expr(E).                           { A = E; }
qualify(A) ::= .                                        { A = NULL; }
qualify(A) ::= QUALIFY expr(E).                         { A = E; }
%type windows {lt_ast_named_windows *}
windows(A) ::= .                                        { A = NULL; }
windows(A) ::= WINDOW named_windows(L).                 { A = L; }
%type named_windows {lt_ast_named_windows *}
named_windows(A) ::= name(N) AS named_window(W).        { A = lt_build_windows(b, NULL, &N, W); }
named_windows(A) ::= named_windows(L) COMMA name(N) AS named_window(W). { A = lt_build_windows(b, L, &N, W); }
%type named_window {lt_ast_window *}
named_window(A) ::= name(N).                            { A = lt_build_window_reference(b, &N); }
named_window(A) ::= window_spec(W).                     { A = W; }
%type group_by {lt_ast_group_by *}
group_by(A) ::= .                                       { A = NULL; }
group_by(A) ::= GROUP BY group_items(L).                { A = lt_build_group_by(b, L); }
group_by(A) ::= GROUP BY group_items(L) WITH ROLLUP.    { A = lt_build_group_with(lt_build_group_by(b, L), true); }
group_by(A) ::= GROUP BY group_items(L) WITH CUBE.      { A = lt_build_group_with(lt_build_group_by(b, L), false); }
group_by(A) ::= GROUP BY group_items(L) grouping_sets(S). { A = lt_build_group_sets(b, lt_build_group_by(b, L), &S); }
%type group_items {lt_ast_group_items *}
group_items(A) ::= group_item(I).                       { A = lt_build_group_items(b, NULL, &I); }
group_items(A) ::= group_items(L) COMMA group_item(I).  { A = lt_build_group_items(b, L, &I); }
%type group_item {lt_ast_group_item}
group_item(A) ::= expr(E).                              { A = lt_build_group_item(E, NULL); }
group_item(A) ::= expr(E) AS name(N).                   { A = lt_build_group_item(E, &N); }
group_item(A) ::= group_function(F).                    { A = F; }
group_item(A) ::= grouping_sets(S).                     { A = S; }
%type group_function {lt_ast_group_item}
group_function(A) ::= ROLLUP(T) LP group_sets(S) RP.    { A = lt_build_group_function(LT_AST_GROUP_ROLLUP, &T, S); }
group_function(A) ::= CUBE(T) LP group_sets(S) RP.      { A = lt_build_group_function(LT_AST_GROUP_CUBE, &T, S); }
%type grouping_sets {lt_ast_group_item}
grouping_sets(A) ::= GROUPING(T) SETS LP set_items(L) RP. { A = lt_build_grouping_sets(&T, L); }
%type set_items {lt_ast_group_items *}
set_items(A) ::= set_item(I).                           { A = lt_build_group_items(b, NULL, &I); }
set_items(A) ::= set_items(L) COMMA set_item(I).        { A = lt_build_group_items(b, L, &I); }
%type set_item {lt_ast_group_item}
set_item(A) ::= group_set(S).                           { A = lt_build_group_set(b, S); }
set_item(A) ::= group_function(F).                      { A = F; }
set_item(A) ::= grouping_sets(S).                       { A = S; }
%type group_sets {lt_ast_expression_lists *}
group_sets(A) ::= group_set(S).                         { A = lt_build_expression_lists(b, NULL, S); }
group_sets(A) ::= group_sets(L) COMMA group_set(S).     { A = lt_build_expression_lists(b, L, S); }
%type group_set {lt_ast_expressions *}
group_set(A) ::= LP RP.                                 { A = NULL; }
group_set(A) ::= expr(E).                               { A = lt_build_set_members(b, E); }

%type organization {lt_ast_organization *}
organization(A) ::= orderings(O). [LOW]                 { A = O; }
organization(A) ::= orderings(O) limit_clause(L).       { A = lt_build_limited(O, L); }
organization(A) ::= limit_clause(L).                    { A = L; }
%type orderings {lt_ast_organization *}
orderings(A) ::= ordering(O).                           { A = O; }
orderings(A) ::= orderings(L) ordering(O).              { A = lt_build_orderings(b, L, O); }
%type ordering {lt_ast_organization *}
ordering(A) ::= ORDER(T) BY order_items(L).             { A = lt_build_ordering(b, &T, L, NULL); }
ordering(A) ::= SORT(T) BY order_items(L).              { A = lt_build_ordering(b, &T, L, NULL); }
ordering(A) ::= CLUSTER(T) BY exprs(L).                 { A = lt_build_ordering(b, &T, NULL, L); }
ordering(A) ::= DISTRIBUTE(T) BY exprs(L).              { A = lt_build_ordering(b, &T, NULL, L); }
%type limit_clause {lt_ast_organization *}
limit_clause(A) ::= LIMIT limit(E). [LOW]               { A = lt_build_limit(b, E, NULL); }
limit_clause(A) ::= LIMIT limit(E) OFFSET expr(F).      { A = lt_build_limit(b, E, F); }
limit_clause(A) ::= OFFSET expr(F).                     { A = lt_build_offset(b, F); }
limit(A) ::= expr(E). [LOW]                             { A = E; }
limit(A) ::= ALL.                                       { A = NULL; }

%type pipe_step {lt_ast_pipe_step *}
pipe_step(A) ::= WHERE expr(E).                         { A = lt_build_pipe_where(b, E); }
pipe_step(A) ::= SELECT(T) quantifier(Q) items(I) windows(W). { A = lt_build_pipe_select(b, &T, Q, I, W); }
pipe_step(A) ::= EXTEND items(I).                       { A = lt_build_pipe_items(b, LT_AST_PIPE_EXTEND, I, NULL); }
pipe_step(A) ::= SET set_columns(I).                    { A = lt_build_pipe_items(b, LT_AST_PIPE_SET, I, NULL); }
pipe_step(A) ::= DROP names(N).                         { A = lt_build_pipe_names(b, LT_AST_PIPE_DROP, N); }
pipe_step(A) ::= AS name(N).                            { A = lt_build_pipe_names(b, LT_AST_PIPE_AS, lt_build_names(b, NULL, &N)); }
pipe_step(A) ::= AGGREGATE items(I) group_by(G).        { A = lt_build_pipe_items(b, LT_AST_PIPE_AGGREGATE, I, G); }
pipe_step(A) ::= AGGREGATE.                             { A = lt_build_pipe_items(b, LT_AST_PIPE_AGGREGATE, NULL, NULL); }
pipe_step(A) ::= AGGREGATE GROUP BY group_items(L).     { A = lt_build_pipe_items(b, LT_AST_PIPE_AGGREGATE, NULL, lt_build_group_by(b, L)); }
pipe_step(A) ::= joined(R).                             { A = lt_build_pipe_relation(b, R); }
pipe_step(A) ::= pivoted(R).                            { A = lt_build_pipe_relation(b, R); }
pipe_step(A) ::= lateral_view(R).                       { A = lt_build_pipe_relation(b, R); }
pipe_step(A) ::= sample(S).                             { A = lt_build_pipe_sample(b, S); }
pipe_step(A) ::= UNION set_quantifier(Q) pipe_query(R). { A = lt_build_pipe_set(b, LT_AST_UNION, Q, R); }
pipe_step(A) ::= EXCEPT set_quantifier(Q) pipe_query(R). { A = lt_build_pipe_set(b, LT_AST_EXCEPT, Q, R); }
pipe_step(A) ::= INTERSECT set_quantifier(Q) pipe_query(R). { A = lt_build_pipe_set(b, LT_AST_INTERSECT, Q, R); }
pipe_step(A) ::= organization(O).                       { A = lt_build_pipe_organization(b, O); }
pipe_step(A) ::= WINDOW named_windows(L).               { A = lt_build_pipe_windows(b, L); }
%type pipe_query {lt_ast_query *}
pipe_query(A) ::= primary_query(Q).                     { A = Q; }
pipe_query(A) ::= query_parens(Q). [PIPE_ARROW]         { A = Q; }
%type set_columns {lt_ast_items *}
set_columns(A) ::= set_column(I). [LOW]                 { A = lt_build_items(b, NULL, &I); }
set_columns(A) ::= set_columns(L) COMMA set_column(I). [LOW] { A = lt_build_items(b, L, &I); }
%type set_column {lt_ast_item}
set_column(A) ::= name(N) EQ expr(E). [LOW]             { A = lt_build_item(E, &N, NULL); }

// ---- relations ----
%type from_opt {lt_ast_relation *}
from_opt(A) ::= .                                       { A = NULL; }
from_opt(A) ::= from(F).                                { A = F; }
%type from {lt_ast_relation *}
from(A) ::= FROM relations(R).                          { A = R; }
from(A) ::= from(F) lateral_view(V).                    { A = lt_build_extended(b, F, V); }
%type relations {lt_ast_relation *}
relations(A) ::= source(R).                             { A = R; }
relations(A) ::= LATERAL source(R).                     { A = lt_build_lateral(R); }
relations(A) ::= relations(L) COMMA source(R).          { A = lt_build_comma(b, L, false, R); }
relations(A) ::= relations(L) COMMA LATERAL source(R).  { A = lt_build_comma(b, L, true, R); }
relations(A) ::= relations(L) joined(J).                { A = lt_build_extended(b, L, J); }
relations(A) ::= relations(L) pivoted(P).               { A = lt_build_extended(b, L, P); }
%type relation {lt_ast_relation *}
relation(A) ::= source(S).                              { A = S; }
relation(A) ::= relation(L) joined(J).                  { A = lt_build_extended(b, L, J); }
relation(A) ::= relation(L) pivoted(P).                 { A = lt_build_extended(b, L, P); }
%type joined {lt_ast_relation *}
joined(A) ::= join_kind(K) JOIN(T) source(R) criteria(C). { A = lt_build_join(b, K, &T, false, R, C); }
joined(A) ::= join_kind(K) JOIN(T) LATERAL source(R) criteria(C). { A = lt_build_join(b, K, &T, true, R, C); }
joined(A) ::= NATURAL join_kind(K) JOIN(T) source(R).   { A = lt_build_natural_join(b, K, &T, false, R); }
joined(A) ::= NATURAL join_kind(K) JOIN(T) LATERAL source(R). { A = lt_build_natural_join(b, K, &T, true, R); }
joined(A) ::= ASOF JOIN(T) source(R) MATCH_CONDITION LP expr(M) RP criteria(C). { A = lt_build_asof_join(b, false, &T, R, M, C); }
joined(A) ::= LEFT ASOF JOIN(T) source(R) MATCH_CONDITION LP expr(M) RP criteria(C). { A = lt_build_asof_join(b, true, &T, R, M, C); }
%type join_kind {lt_ast_join_kind}
join_kind(A) ::= .                                      { A = LT_AST_JOIN_INNER; }
join_kind(A) ::= INNER.                                 { A = LT_AST_JOIN_INNER; }
join_kind(A) ::= CROSS.                                 { A = LT_AST_JOIN_CROSS; }
join_kind(A) ::= LEFT.                                  { A = LT_AST_JOIN_LEFT; }
join_kind(A) ::= LEFT OUTER.                            { A = LT_AST_JOIN_LEFT; }
join_kind(A) ::= RIGHT.                                 { A = LT_AST_JOIN_RIGHT; }
join_kind(A) ::= RIGHT OUTER.                           { A = LT_AST_JOIN_RIGHT; }
join_kind(A) ::= FULL.                                  { A = LT_AST_JOIN_FULL; }
join_kind(A) ::= FULL OUTER.                            { A = LT_AST_JOIN_FULL; }
join_kind(A) ::= SEMI.                                  { A = LT_AST_JOIN_SEMI; }
join_kind(A) ::= LEFT SEMI.                             { A = LT_AST_JOIN_SEMI; }
join_kind(A) ::= ANTI.                                  { A = LT_AST_JOIN_ANTI; }
join_kind(A) ::= LEFT ANTI.                             { A = LT_AST_JOIN_ANTI; }
%type criteria {lt_ast_join *}
criteria(A) ::= .                                       { A = NULL; }
criteria(A) ::= ON expr(E).                             { A = lt_build_criteria(b, E, NULL); }
criteria(A) ::= USING LP names(N) RP.                   { A = lt_build_criteria(b, NULL, N); }
%type source {lt_ast_relation *}
source(A) ::= source_item(S) sample_opt(M) watermark_opt(W) alias(X). { A = lt_build_source(b, S, M, W, &X); }
source(A) ::= VALUES_TABLE(T) rows(R) alias(X).         { A = lt_build_values(b, &T, R, &X); }
%type source_item {lt_ast_relation *}
source_item(A) ::= dotted(N) as_of(E) with_options(O).  { A = lt_build_table(b, N, E, O); }
source_item(A) ::= STREAM(T) dotted(N) with_options(O). { A = lt_build_stream(b, &T, N, O); }
source_item(A) ::= STREAM(T) LP dotted(N) RP with_options(O). { A = lt_build_stream(b, &T, N, O); }
source_item(A) ::= STREAM(T) table_call(C).             { A = lt_build_stream_call(b, &T, C); }
source_item(A) ::= table_call(C).                       { A = lt_build_table_call(b, C); }
source_item(A) ::= TABLE(T) LP table_call(C) RP(R).     { A = lt_build_table_of(b, &T, C, &R); }
source_item(A) ::= DEDUPLICATE(T) LP TABLE_ARGUMENT dotted(N) dedup_within(W) RP(R). { A = lt_build_deduplicate(b, &T, N, NULL, W, &R); }
source_item(A) ::= DEDUPLICATE(T) LP TABLE_ARGUMENT dotted(N) COMMA COLUMNS LP names(C) RP dedup_within(W) RP(R). { A = lt_build_deduplicate(b, &T, N, C, W, &R); }
source_item(A) ::= DEDUPLICATE(T) LP TABLE_ARGUMENT query_parens(Q) dedup_within(W) RP(R). { A = lt_build_deduplicate_query(b, lt_build_deduplicate(b, &T, NULL, NULL, W, &R), Q); }
source_item(A) ::= DEDUPLICATE(T) LP TABLE_ARGUMENT query_parens(Q) COMMA COLUMNS LP names(C) RP dedup_within(W) RP(R).
                                                        { A = lt_build_deduplicate_query(b, lt_build_deduplicate(b, &T, NULL, C, W, &R), Q); }
source_item(A) ::= query_parens(Q). [LOW]               { A = lt_build_table_query(b, Q); }
source_item(A) ::= LP(T) relation(S) RP(R).             { A = lt_build_relation_parens(b, &T, S, &R); }
%type dedup_within {bool}
dedup_within(A) ::= .                                   { A = false; }
dedup_within(A) ::= COMMA WITHIN WATERMARK.             { A = true; }
table_call(A) ::= dotted(N) LP RP(R).                   { A = lt_build_table_function(b, N, NULL, &R); }
table_call(A) ::= dotted(N) LP args(L) RP(R).           { A = lt_build_table_function(b, N, L, &R); }
as_of(A) ::= .                                          { A = NULL; }
as_of(A) ::= FOR SYSTEM_TIME AS OF value(V).            { A = V; }
%type with_options {lt_ast_options *}
with_options(A) ::= .                                   { A = NULL; }
with_options(A) ::= WITH LP options(O) RP.              { A = O; }
%type sample_opt {lt_ast_sample *}
sample_opt(A) ::= . [LOW]                               { A = NULL; }
sample_opt(A) ::= sample(S).                            { A = S; }
%type sample {lt_ast_sample *}
sample(A) ::= TABLESAMPLE LP sample_size(S) RP repeatable(R). { A = lt_build_sample_seed(S, R); }
%type sample_size {lt_ast_sample *}
sample_size(A) ::= value(V) PERCENT.                    { A = lt_build_sample(b, LT_AST_SAMPLE_PERCENT, V, NULL); }
sample_size(A) ::= value(V) ROWS.                       { A = lt_build_sample(b, LT_AST_SAMPLE_ROWS, V, NULL); }
sample_size(A) ::= BUCKET value(V) OUT OF value(T).     { A = lt_build_sample(b, LT_AST_SAMPLE_BUCKET, V, T); }
repeatable(A) ::= .                                     { A = NULL; }
repeatable(A) ::= REPEATABLE LP value(V) RP.            { A = V; }
%type watermark_opt {lt_ast_watermark *}
watermark_opt(A) ::= . [LOW]                            { A = NULL; }
watermark_opt(A) ::= WATERMARK(T) item(I) DELAY OF interval(D). { A = lt_build_watermark(b, &T, &I, D); }
%type alias {lt_ast_alias}
alias(A) ::= . [LOW]                                    { A = lt_build_no_alias(); }
alias(A) ::= name(N) column_names(C).                   { A = lt_build_table_alias(b, &N, C); }
alias(A) ::= AS name(N) column_names(C).                { A = lt_build_table_alias(b, &N, C); }
%type lateral_view {lt_ast_relation *}
lateral_view(A) ::= LATERAL(T) VIEW lateral_outer(O) table_call(C) name(N) view_columns(L). { A = lt_build_lateral_view(b, &T, O, C, &N, L); }
%type lateral_outer {bool}
lateral_outer(A) ::= .                                  { A = false; }
lateral_outer(A) ::= OUTER.                             { A = true; }
%type view_columns {lt_ast_names *}
view_columns(A) ::= .                                   { A = NULL; }
view_columns(A) ::= names(L). [LOW]                     { A = L; }
view_columns(A) ::= AS names(L). [LOW]                  { A = L; }
%type pivoted {lt_ast_relation *}
pivoted(A) ::= PIVOT(T) LP items(I) FOR pivot_columns(C) IN LP items(V) RP RP(R) alias(X). { A = lt_build_pivot(b, &T, I, C, V, &R, &X); }
pivoted(A) ::= UNPIVOT(T) unpivot_nulls(N) LP unpivot_head(H) IN LP unpivot_sets(S) RP RP(R) alias(X). { A = lt_build_unpivot(b, &T, N, H, S, &R, &X); }
%type pivot_columns {lt_ast_names *}
pivot_columns(A) ::= name(N).                           { A = lt_build_names(b, NULL, &N); }
pivot_columns(A) ::= LP names(L) RP.                    { A = L; }
%type unpivot_nulls {int}
unpivot_nulls(A) ::= .                                  { A = 0; }
unpivot_nulls(A) ::= INCLUDE NULLS.                     { A = 1; }
unpivot_nulls(A) ::= EXCLUDE NULLS.                     { A = 2; }
%type unpivot_head {lt_ast_unpivot *}
unpivot_head(A) ::= name(V) FOR name(N).                { A = lt_build_unpivot_head(b, lt_build_names(b, NULL, &V), false, &N); }
unpivot_head(A) ::= LP names(V) RP FOR name(N).         { A = lt_build_unpivot_head(b, V, true, &N); }
%type unpivot_sets {lt_ast_unpivot_sets *}
unpivot_sets(A) ::= unpivot_set(S).                     { A = lt_build_unpivot_sets(b, NULL, &S); }
unpivot_sets(A) ::= unpivot_sets(L) COMMA unpivot_set(S). { A = lt_build_unpivot_sets(b, L, &S); }
%type unpivot_set {lt_ast_unpivot_set}
unpivot_set(A) ::= dotted(N) set_alias(X).              { A = lt_build_unpivot_set(lt_build_name_lists(b, NULL, N), &X); }
unpivot_set(A) ::= LP dotteds(L) RP set_alias(X).       { A = lt_build_unpivot_set(L, &X); }
%type set_alias {lt_ast_name}
set_alias(A) ::= .                                      { A = lt_build_no_name(); }
set_alias(A) ::= name(N).                               { A = N; }
set_alias(A) ::= AS name(N).                            { A = N; }

// ---- options ----
%type options {lt_ast_options *}
options(A) ::= option(O).                               { A = lt_build_options(b, NULL, &O); }
options(A) ::= options(L) COMMA option(O).              { A = lt_build_options(b, L, &O); }
%type option {lt_ast_option}
option(A) ::= option_key(K).                            { A = lt_build_option(&K, NULL); }
option(A) ::= option_key(K) option_value(V).            { A = lt_build_option(&K, V); }
option(A) ::= option_key(K) EQ option_value(V).         { A = lt_build_option(&K, V); }
%type option_key {lt_ast_name}
option_key(A) ::= dotted(N).                            { A = lt_build_option_key(b, N); }
option_key(A) ::= string(S).                            { A = lt_build_option_string(&S); }
option_value(A) ::= OPTION_STRING(T).                   { lt_string s = lt_build_string(b, NULL, &T); A = lt_build_string_literal(b, &s); }
option_value(A) ::= NUMBER(T).                          { A = lt_build_number(b, &T); }
option_value(A) ::= TRUE(T).                            { A = lt_build_constant(b, LT_AST_LITERAL_TRUE, &T); }
option_value(A) ::= FALSE(T).                           { A = lt_build_constant(b, LT_AST_LITERAL_FALSE, &T); }
option_value(A) ::= NULL(T).                            { A = lt_build_constant(b, LT_AST_LITERAL_NULL, &T); }
option_value(A) ::= parameter(P).                       { A = P; }
option_value(A) ::= interval(I).                        { A = I; }
option_value(A) ::= OPTION_WORD(T).                     { A = lt_build_word_literal(b, &T); }

// ---- statements ----
%type statement {lt_ast_statement *}
statement(A) ::= query(Q).                              { A = lt_build_query_statement(b, Q); }
statement(A) ::= query(Q) emit(E).                      { A = lt_build_query_statement(b, lt_build_emit(b, Q, E, NULL)); }
statement(A) ::= query(Q) emit(E) limit_clause(L).      { A = lt_build_query_statement(b, lt_build_emit(b, Q, E, L)); }
%type emit {lt_ast_emit}
emit(A) ::= EMIT CHANGES.                               { A = LT_AST_EMIT_CHANGES; }
emit(A) ::= EMIT FINAL.                                 { A = LT_AST_EMIT_FINAL; }

%type create_head {lt_ast_statement *}
create_head(A) ::= CREATE(T).                           { A = lt_build_create(b, &T, false, false, false); }
create_head(A) ::= CREATE(T) OR REPLACE.                { A = lt_build_create(b, &T, true, false, false); }
create_head(A) ::= CREATE(T) TEMPORARY.                 { A = lt_build_create(b, &T, false, true, false); }
create_head(A) ::= CREATE(T) OR REPLACE TEMPORARY.      { A = lt_build_create(b, &T, true, true, false); }
create_head(A) ::= CREATE(T) GLOBAL TEMPORARY.          { A = lt_build_create(b, &T, false, true, true); }
create_head(A) ::= CREATE(T) OR REPLACE GLOBAL TEMPORARY. { A = lt_build_create(b, &T, true, true, true); }
%type create_what {lt_ast_statement_kind}
create_what(A) ::= TABLE.                               { A = LT_AST_STATEMENT_CREATE_TABLE; }
create_what(A) ::= STREAM.                              { A = LT_AST_STATEMENT_CREATE_STREAM; }
create_what(A) ::= VIEW.                                { A = LT_AST_STATEMENT_CREATE_VIEW; }
create_what(A) ::= MATERIALIZED VIEW.                   { A = LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW; }
create_what(A) ::= SINK.                                { A = LT_AST_STATEMENT_CREATE_SINK; }
%type if_not_exists {bool}
if_not_exists(A) ::= .                                  { A = false; }
if_not_exists(A) ::= IF NOT EXISTS.                     { A = true; }
%type if_exists {bool}
if_exists(A) ::= .                                      { A = false; }
if_exists(A) ::= IF EXISTS.                             { A = true; }
%type create {lt_ast_statement *}
create(A) ::= create_head(S) create_what(K) if_not_exists(I) dotted(N). { A = lt_build_create_named(b, S, K, false, I, N); }
create(A) ::= create_head(S) STREAMING TABLE if_not_exists(I) dotted(N). { A = lt_build_create_named(b, S, LT_AST_STATEMENT_CREATE_MATERIALIZED_VIEW, true, I, N); }
%type create_columns {lt_ast_statement *}
create_columns(A) ::= create(S).                        { A = S; }
create_columns(A) ::= create(S) LP elements(L) RP.      { A = lt_build_create_elements(b, S, L); }
create_columns(A) ::= create(S) LIKE dotted(N).         { A = lt_build_create_like(b, S, N); }
%type create_clauses {lt_ast_statement *}
create_clauses(A) ::= create_columns(S).                { A = S; }
create_clauses(A) ::= create_clauses(S) USING dotted(N). { A = lt_build_create_using(b, S, N); }
create_clauses(A) ::= create_clauses(S) OPTIONS LP options(O) RP. { A = lt_build_create_options(b, S, O); }
create_clauses(A) ::= create_clauses(S) WITH LP options(O) RP. { A = lt_build_create_options(b, S, O); }
create_clauses(A) ::= create_clauses(S) TBLPROPERTIES LP options(O) RP. { A = lt_build_create_properties(b, S, O); }
create_clauses(A) ::= create_clauses(S) PARTITIONED BY LP names(N) RP. { A = lt_build_create_partitioned(b, S, N); }
create_clauses(A) ::= create_clauses(S) LOCATION string(X). { A = lt_build_create_location(S, &X); }
create_clauses(A) ::= create_clauses(S) COMMENT string(X). { A = lt_build_create_comment(S, &X); }
statement(A) ::= create_clauses(S).                     { A = lt_build_create_end(b, S, NULL, LT_AST_EMIT_NONE); }
statement(A) ::= create_clauses(S) AS query(Q).         { A = lt_build_create_end(b, S, Q, LT_AST_EMIT_NONE); }
statement(A) ::= create_clauses(S) AS query(Q) emit(E). { A = lt_build_create_end(b, S, Q, E); }
%type elements {lt_ast_statement *}
elements(A) ::= element(E).                             { A = lt_build_elements(b, NULL, E); }
elements(A) ::= elements(L) COMMA element(E).           { A = lt_build_elements(b, L, E); }
%type element {lt_ast_statement *}
element(A) ::= column(C).                               { A = lt_build_element_column(b, &C); }
element(A) ::= WATERMARK_FOR(T) name(N) AS expr(E).     { A = lt_build_element_watermark(b, &T, &N, E); }
element(A) ::= PRIMARY_KEY LP names(N) RP not_enforced. { A = lt_build_element_key(b, N); }
not_enforced ::= .
not_enforced ::= NOT ENFORCED.
%type column {lt_ast_column}
column(A) ::= name(N).                                  { A = lt_build_column_definition(&N, NULL); }
column(A) ::= name(N) type(T).                          { A = lt_build_column_definition(&N, T); }
column(A) ::= name(N) AS expr(E).                       { A = lt_build_column_generated(&N, E); }
column(A) ::= column(C) NOT NULL.                       { A = lt_build_column_not_null(&C); }
column(A) ::= column(C) DEFAULT expr(E).                { A = lt_build_column_default(&C, E); }
column(A) ::= column(C) GENERATED ALWAYS AS LP expr(E) RP. { A = lt_build_column_generated_always(&C, E); }
column(A) ::= column(C) COMMENT string(S).              { A = lt_build_column_comment(&C, &S); }
%type columns {lt_ast_columns *}
columns(A) ::= column(C).                               { A = lt_build_columns(b, NULL, &C); }
columns(A) ::= columns(L) COMMA column(C).              { A = lt_build_columns(b, L, &C); }

%type function_head {lt_ast_statement *}
function_head(A) ::= create_head(S) FUNCTION if_not_exists(I) dotted(N) LP RP. { A = lt_build_function(b, S, I, N, NULL); }
function_head(A) ::= create_head(S) FUNCTION if_not_exists(I) dotted(N) LP columns(C) RP. { A = lt_build_function(b, S, I, N, C); }
function_head(A) ::= function_head(S) COMMENT string(X). { A = lt_build_create_comment(S, &X); }
%type function_returns {lt_ast_statement *}
function_returns(A) ::= function_head(S) RETURNS type(T). { A = lt_build_function_returns(b, S, T, NULL, false); }
function_returns(A) ::= function_head(S) RETURNS TABLE. { A = lt_build_function_returns(b, S, NULL, NULL, true); }
function_returns(A) ::= function_head(S) RETURNS TABLE LP columns(C) RP. { A = lt_build_function_returns(b, S, NULL, C, true); }
function_returns(A) ::= function_returns(S) COMMENT string(X). { A = lt_build_create_comment(S, &X); }
statement(A) ::= function_head(S) RETURN expr(E).       { A = lt_build_function_body(S, E, NULL); }
statement(A) ::= function_head(S) RETURN query_plain(Q). { A = lt_build_function_body(S, NULL, Q); }
statement(A) ::= function_returns(S) RETURN expr(E).    { A = lt_build_function_body(S, E, NULL); }
statement(A) ::= function_returns(S) RETURN query_plain(Q). { A = lt_build_function_body(S, NULL, Q); }
%type create_schema {lt_ast_statement *}
create_schema(A) ::= create_head(S) schema_word if_not_exists(I) dotted(N). { A = lt_build_create_schema(b, S, I, N); }
create_schema(A) ::= create_schema(S) COMMENT string(X). { A = lt_build_create_comment(S, &X); }
create_schema(A) ::= create_schema(S) LOCATION string(X). { A = lt_build_create_location(S, &X); }
create_schema(A) ::= create_schema(S) WITH properties_word LP options(O) RP. { A = lt_build_create_properties(b, S, O); }
statement(A) ::= create_schema(S).                      { A = S; }
schema_word ::= SCHEMA.
schema_word ::= DATABASE.
schema_word ::= NAMESPACE.
properties_word ::= DBPROPERTIES.
properties_word ::= PROPERTIES.

statement(A) ::= insert(S) query(Q).                    { A = lt_build_insert_query(S, Q); }
statement(A) ::= INSERT(T) INTO table_word dotted(N) REPLACE WHERE expr(E) primary_query(Q). { A = lt_build_insert_query(lt_build_insert_where(b, &T, N, E), Q); }
%type insert {lt_ast_statement *}
insert(A) ::= INSERT(T) INTO table_word dotted(N).      { A = lt_build_insert(b, &T, false, N, NULL, false); }
insert(A) ::= INSERT(T) INTO table_word dotted(N) BY NAME. { A = lt_build_insert(b, &T, false, N, NULL, true); }
insert(A) ::= INSERT(T) INTO table_word dotted(N) INSERT_COLUMNS names(C) RP. { A = lt_build_insert(b, &T, false, N, C, false); }
insert(A) ::= INSERT(T) OVERWRITE table_word dotted(N). { A = lt_build_insert(b, &T, true, N, NULL, false); }
insert(A) ::= INSERT(T) OVERWRITE table_word dotted(N) BY NAME. { A = lt_build_insert(b, &T, true, N, NULL, true); }
insert(A) ::= INSERT(T) OVERWRITE table_word dotted(N) INSERT_COLUMNS names(C) RP. { A = lt_build_insert(b, &T, true, N, C, false); }
table_word ::= .
table_word ::= TABLE.

statement(A) ::= DELETE(T) FROM dotted(N) alias(X) where(W). { A = lt_build_delete(b, &T, N, &X, W); }
statement(A) ::= UPDATE(T) dotted(N) alias(X) SET assignments(L) where(W). { A = lt_build_update(b, &T, N, &X, L, W); }
statement(A) ::= MERGE(T) INTO dotted(N) REST.          { A = lt_build_named(b, LT_AST_STATEMENT_MERGE, &T, N); }
statement(A) ::= TRUNCATE(T) TABLE dotted(N).           { A = lt_build_named(b, LT_AST_STATEMENT_TRUNCATE, &T, N); }
%type assignments {lt_ast_assignments *}
assignments(A) ::= dotted(N) EQ expr(E).                { A = lt_build_assignments(b, NULL, N, E); }
assignments(A) ::= assignments(L) COMMA dotted(N) EQ expr(E). { A = lt_build_assignments(b, L, N, E); }

statement(A) ::= DROP(T) drop_object(O) if_exists(I) dotted(N). { A = lt_build_drop(b, &T, O, false, I, N); }
statement(A) ::= DROP(T) drop_object(O) if_exists(I) dotted(N) WORD(W). { A = lt_build_drop_word(b, lt_build_drop(b, &T, O, false, I, N), &W); }
statement(A) ::= DROP(T) TEMPORARY FUNCTION if_exists(I) dotted(N). { A = lt_build_drop(b, &T, LT_AST_OBJECT_FUNCTION, true, I, N); }
statement(A) ::= DROP(T) TEMPORARY VARIABLE if_exists(I) dotted(N). { A = lt_build_drop_variable(b, &T, I, N); }
statement(A) ::= DROP(T) VARIABLE if_exists(I) dotted(N). { A = lt_build_drop_variable(b, &T, I, N); }
%type drop_object {lt_ast_object}
drop_object(A) ::= TABLE.                               { A = LT_AST_OBJECT_TABLE; }
drop_object(A) ::= VIEW.                                { A = LT_AST_OBJECT_VIEW; }
drop_object(A) ::= MATERIALIZED VIEW.                   { A = LT_AST_OBJECT_MATERIALIZED_VIEW; }
drop_object(A) ::= STREAM.                              { A = LT_AST_OBJECT_STREAM; }
drop_object(A) ::= SINK.                                { A = LT_AST_OBJECT_SINK; }
drop_object(A) ::= QUERY.                               { A = LT_AST_OBJECT_QUERY; }
drop_object(A) ::= FUNCTION.                            { A = LT_AST_OBJECT_FUNCTION; }
drop_object(A) ::= SCHEMA.                              { A = LT_AST_OBJECT_SCHEMA; }
drop_object(A) ::= DATABASE.                            { A = LT_AST_OBJECT_SCHEMA; }
drop_object(A) ::= NAMESPACE.                           { A = LT_AST_OBJECT_SCHEMA; }

%type alter_table {lt_ast_statement *}
alter_table(A) ::= ALTER(T) TABLE dotted(N).            { A = lt_build_named(b, LT_AST_STATEMENT_ALTER_TABLE, &T, N); }
%type alter_view {lt_ast_statement *}
alter_view(A) ::= ALTER(T) VIEW dotted(N).              { A = lt_build_named(b, LT_AST_STATEMENT_ALTER_VIEW, &T, N); }
statement(A) ::= alter_table(S) RENAME TO dotted(N).        { A = lt_build_alter_names(S, LT_AST_ALTER_RENAME, N); }
statement(A) ::= alter_view(S) RENAME TO dotted(N).        { A = lt_build_alter_names(S, LT_AST_ALTER_RENAME, N); }
statement(A) ::= alter_table(S) SET TBLPROPERTIES LP options(O) RP. { A = lt_build_alter_options(S, LT_AST_ALTER_SET_PROPERTIES, O); }
statement(A) ::= alter_view(S) SET TBLPROPERTIES LP options(O) RP. { A = lt_build_alter_options(S, LT_AST_ALTER_SET_PROPERTIES, O); }
statement(A) ::= alter_table(S) UNSET TBLPROPERTIES if_exists(I) LP options(O) RP. { A = lt_build_alter_unset(S, I, O); }
statement(A) ::= alter_view(S) UNSET TBLPROPERTIES if_exists(I) LP options(O) RP. { A = lt_build_alter_unset(S, I, O); }
statement(A) ::= alter_table(S) ADD column_word LP placed_columns(C) RP. { A = lt_build_alter_columns(S, LT_AST_ALTER_ADD_COLUMNS, C); }
statement(A) ::= alter_table(S) ADD column_word placed_columns(C). { A = lt_build_alter_columns(S, LT_AST_ALTER_ADD_COLUMNS, C); }
statement(A) ::= alter_table(S) DROP column_word if_exists(I) names(C). { A = lt_build_alter_drop(S, I, C); }
statement(A) ::= alter_table(S) DROP column_word if_exists(I) LP names(C) RP. { A = lt_build_alter_drop(S, I, C); }
statement(A) ::= alter_column(S) COMMENT string(X).     { A = lt_build_alter_comment(S, &X); }
statement(A) ::= alter_column(S) TYPE type(T).          { A = lt_build_alter_type(S, T); }
statement(A) ::= alter_column(S) SET NOT NULL.          { A = lt_build_alter_column(S, LT_AST_ALTER_COLUMN_SET_NOT_NULL); }
statement(A) ::= alter_column(S) DROP NOT NULL.         { A = lt_build_alter_column(S, LT_AST_ALTER_COLUMN_DROP_NOT_NULL); }
statement(A) ::= alter_column(S) SET DEFAULT expr(E).   { A = lt_build_alter_default(S, E); }
statement(A) ::= alter_column(S) DROP DEFAULT.          { A = lt_build_alter_column(S, LT_AST_ALTER_COLUMN_DROP_DEFAULT); }
statement(A) ::= alter_column(S) FIRST.                 { A = lt_build_alter_place(S, NULL); }
statement(A) ::= alter_column(S) AFTER name(N).         { A = lt_build_alter_place(S, &N); }
%type alter_column {lt_ast_statement *}
alter_column(A) ::= alter_table(S) alter_word COLUMN name(N). { A = lt_build_alter_column_of(b, S, &N); }
alter_word ::= ALTER.
alter_word ::= CHANGE.
%type placed_columns {lt_ast_columns *}
placed_columns(A) ::= placed_column(C).                 { A = lt_build_columns(b, NULL, &C); }
placed_columns(A) ::= placed_columns(L) COMMA placed_column(C). { A = lt_build_columns(b, L, &C); }
%type placed_column {lt_ast_column}
placed_column(A) ::= column(C).                         { A = C; }
placed_column(A) ::= column(C) FIRST.                   { A = lt_build_column_place(&C, NULL); }
placed_column(A) ::= column(C) AFTER name(N).           { A = lt_build_column_place(&C, &N); }
statement(A) ::= alter_table(S) RENAME COLUMN name(F) TO name(N). { A = lt_build_alter_targets(S, LT_AST_ALTER_RENAME_COLUMN, lt_build_names(b, lt_build_names(b, NULL, &F), &N)); }
statement(A) ::= alter_view(S) AS query(Q).             { A = lt_build_alter_as(S, Q); }
%type alter_schema {lt_ast_statement *}
alter_schema(A) ::= ALTER(T) schema_word dotted(N).     { A = lt_build_named(b, LT_AST_STATEMENT_ALTER_SCHEMA, &T, N); }
statement(A) ::= alter_schema(S) SET properties_word LP options(O) RP. { A = lt_build_alter_options(S, LT_AST_ALTER_SET_PROPERTIES, O); }
statement(A) ::= alter_schema(S) UNSET properties_word if_exists(I) LP options(O) RP. { A = lt_build_alter_unset(S, I, O); }
column_word ::= COLUMN.
column_word ::= COLUMNS.

statement(A) ::= COMMENT(T) ON comment_object(O) dotted(N) IS comment_text(S). { A = lt_build_comment_on(b, &T, O, N, &S); }
%type comment_object {lt_ast_object}
comment_object(A) ::= TABLE.                            { A = LT_AST_OBJECT_TABLE; }
comment_object(A) ::= VIEW.                             { A = LT_AST_OBJECT_VIEW; }
comment_object(A) ::= STREAM.                           { A = LT_AST_OBJECT_STREAM; }
comment_object(A) ::= schema_word.                      { A = LT_AST_OBJECT_SCHEMA; }
comment_object(A) ::= COLUMN.                           { A = LT_AST_OBJECT_COLUMN; }
%type comment_text {lt_string}
comment_text(A) ::= string(S).                          { A = S; }
comment_text(A) ::= NULL.                               { A = lt_build_no_string(); }
statement(A) ::= ANALYZE(T) TABLE dotted(N) COMPUTE STATISTICS. { A = lt_build_analyze(b, &T, N, NULL, true); }
statement(A) ::= ANALYZE(T) TABLE dotted(N) COMPUTE STATISTICS NOSCAN. { A = lt_build_analyze(b, &T, N, NULL, false); }
statement(A) ::= ANALYZE(T) TABLE dotted(N) COMPUTE STATISTICS FOR COLUMNS names(C). { A = lt_build_analyze(b, &T, N, C, true); }
statement(A) ::= ANALYZE(T) TABLE dotted(N) COMPUTE STATISTICS FOR ALL COLUMNS. { A = lt_build_analyze_all(b, &T, N); }

statement(A) ::= SHOW(T) show_what(W).                  { A = lt_build_show(b, &T, &W, NULL, NULL); }
statement(A) ::= SHOW(T) show_what(W) show_pattern(P).  { A = lt_build_show(b, &T, &W, NULL, &P); }
statement(A) ::= SHOW(T) show_what(W) in_word dotted(N). { A = lt_build_show(b, &T, &W, N, NULL); }
statement(A) ::= SHOW(T) show_what(W) in_word dotted(N) show_pattern(P). { A = lt_build_show(b, &T, &W, N, &P); }
statement(A) ::= SHOW(T) CREATE(C) TABLE dotted(N).     { A = lt_build_show(b, &T, &C, N, NULL); }
statement(A) ::= SHOW(T) CREATE(C) STREAM dotted(N).    { A = lt_build_show(b, &T, &C, N, NULL); }
statement(A) ::= SHOW(T) CREATE(C) VIEW dotted(N).      { A = lt_build_show(b, &T, &C, N, NULL); }
statement(A) ::= SHOW(T) show_what(W) in_word dotted(N) in_word dotted(D). { A = lt_build_show(b, &T, &W, lt_build_within(b, D, N), NULL); }
statement(A) ::= SHOW(T) TBLPROPERTIES(C) dotted(N).    { A = lt_build_show(b, &T, &C, N, NULL); }
statement(A) ::= SHOW(T) TBLPROPERTIES(C) dotted(N) LP option_key(K) RP. { A = lt_build_show_key(lt_build_show(b, &T, &C, N, NULL), &K); }
statement(A) ::= SHOW(T) PARTITIONS(C) dotted(N).       { A = lt_build_show(b, &T, &C, N, NULL); }
statement(A) ::= SHOW(T) CURRENT(C) WORD.               { A = lt_build_show(b, &T, &C, NULL, NULL); }
statement(A) ::= SHOW(T) CURRENT(C) SCHEMA.             { A = lt_build_show(b, &T, &C, NULL, NULL); }
statement(A) ::= SHOW(T) WORD(V) WORD(W).               { lt_token both = lt_build_joined_token(&V, &W); A = lt_build_show(b, &T, &both, NULL, NULL); }
statement(A) ::= SHOW(T) WORD(V) WORD(W) show_pattern(P). { lt_token both = lt_build_joined_token(&V, &W); A = lt_build_show(b, &T, &both, NULL, &P); }
statement(A) ::= SHOW(T) WORD(V) WORD(W) in_word dotted(N). { lt_token both = lt_build_joined_token(&V, &W); A = lt_build_show(b, &T, &both, N, NULL); }
statement(A) ::= SHOW(T) WORD(V) WORD(W) in_word dotted(N) show_pattern(P). { lt_token both = lt_build_joined_token(&V, &W); A = lt_build_show(b, &T, &both, N, &P); }
statement(A) ::= SHOW(T) ALL WORD(W).                   { A = lt_build_show(b, &T, &W, NULL, NULL); }
statement(A) ::= SHOW(T) ALL WORD(W) show_pattern(P).   { A = lt_build_show(b, &T, &W, NULL, &P); }
%type show_what {lt_token}
show_what(A) ::= WORD(T).                               { A = T; }
show_what(A) ::= MATERIALIZED(T) WORD(U).               { A = lt_build_joined_token(&T, &U); }
%type show_pattern {lt_string}
show_pattern(A) ::= string(S).                          { A = S; }
show_pattern(A) ::= LIKE string(S).                     { A = S; }
in_word ::= IN.
in_word ::= FROM.

statement(A) ::= describe(T) dotted(N).                 { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, false, N, NULL); }
statement(A) ::= describe(T) dotted(N) name(C).         { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, false, N, &C); }
statement(A) ::= describe(T) extended_word dotted(N).   { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, true, N, NULL); }
statement(A) ::= describe(T) extended_word dotted(N) name(C). { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, true, N, &C); }
statement(A) ::= DESCRIBE_TABLE(T) dotted(N).           { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, false, N, NULL); }
statement(A) ::= DESCRIBE_TABLE(T) dotted(N) name(C).   { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, false, N, &C); }
statement(A) ::= DESCRIBE_TABLE(T) extended_word dotted(N). { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, true, N, NULL); }
statement(A) ::= DESCRIBE_TABLE(T) extended_word dotted(N) name(C). { A = lt_build_describe(b, &T, LT_AST_OBJECT_TABLE, true, N, &C); }
statement(A) ::= DESCRIBE_SCHEMA(T) dotted(N).          { A = lt_build_describe(b, &T, LT_AST_OBJECT_SCHEMA, false, N, NULL); }
statement(A) ::= DESCRIBE_SCHEMA(T) EXTENDED dotted(N). { A = lt_build_describe(b, &T, LT_AST_OBJECT_SCHEMA, true, N, NULL); }
extended_word ::= EXTENDED.
extended_word ::= FORMATTED.
statement(A) ::= describe(T) FUNCTION dotted(N).        { A = lt_build_describe(b, &T, LT_AST_OBJECT_FUNCTION, false, N, NULL); }
statement(A) ::= describe(T) FUNCTION EXTENDED dotted(N). { A = lt_build_describe(b, &T, LT_AST_OBJECT_FUNCTION, true, N, NULL); }
statement(A) ::= describe(T) FUNCTION string(S).        { A = lt_build_describe(b, &T, LT_AST_OBJECT_FUNCTION, false, lt_build_string_names(b, &S), NULL); }
statement(A) ::= describe(T) FUNCTION EXTENDED string(S). { A = lt_build_describe(b, &T, LT_AST_OBJECT_FUNCTION, true, lt_build_string_names(b, &S), NULL); }
statement(A) ::= describe(T) QUERY query(Q).            { A = lt_build_describe_query(b, &T, Q); }
statement(A) ::= describe(T) query_plain(Q).            { A = lt_build_describe_query(b, &T, Q); }
%type describe {lt_token}
describe(A) ::= DESCRIBE(T).                            { A = T; }
describe(A) ::= DESC(T).                                { A = T; }
statement(A) ::= EXPLAIN(T) statement(S).               { A = lt_build_explain(b, &T, LT_AST_EXPLAIN_PLAIN, S); }
statement(A) ::= EXPLAIN(T) ANALYZE statement(S).       { A = lt_build_explain(b, &T, LT_AST_EXPLAIN_ANALYZE, S); }
statement(A) ::= EXPLAIN(T) EXTENDED statement(S).      { A = lt_build_explain(b, &T, LT_AST_EXPLAIN_EXTENDED, S); }
statement(A) ::= EXPLAIN(T) FORMATTED statement(S).     { A = lt_build_explain(b, &T, LT_AST_EXPLAIN_FORMATTED, S); }
statement(A) ::= EXPLAIN(T) CODEGEN statement(S).       { A = lt_build_explain(b, &T, LT_AST_EXPLAIN_CODEGEN, S); }
statement(A) ::= EXPLAIN(T) QUERY dotted(N).              { A = lt_build_explain_query(b, &T, LT_AST_EXPLAIN_PLAIN, N); }
statement(A) ::= EXPLAIN(T) ANALYZE QUERY dotted(N).      { A = lt_build_explain_query(b, &T, LT_AST_EXPLAIN_ANALYZE, N); }
statement(A) ::= EXPLAIN(T) COST statement(S).          { A = lt_build_explain(b, &T, LT_AST_EXPLAIN_COST, S); }

statement(A) ::= SET(T).                                { A = lt_build_set_key(b, LT_AST_STATEMENT_SET, &T, NULL, NULL); }
statement(A) ::= SET(T) SETTING_KEY(K).                 { A = lt_build_set_key(b, LT_AST_STATEMENT_SET, &T, &K, NULL); }
statement(A) ::= SET(T) SETTING_KEY(K) EQ SETTING_VALUE(V). { A = lt_build_set_key(b, LT_AST_STATEMENT_SET, &T, &K, &V); }
statement(A) ::= RESET(T).                              { A = lt_build_set_key(b, LT_AST_STATEMENT_RESET, &T, NULL, NULL); }
statement(A) ::= RESET(T) SETTING_KEY(K).               { A = lt_build_set_key(b, LT_AST_STATEMENT_RESET, &T, &K, NULL); }
statement(A) ::= SET(T) TIME ZONE string(S).            { A = lt_build_time_zone(b, &T, &S, NULL); }
statement(A) ::= SET(T) TIME ZONE LOCAL.                { A = lt_build_time_zone(b, &T, NULL, NULL); }
statement(A) ::= SET(T) TIME ZONE interval(I).          { A = lt_build_time_zone(b, &T, NULL, I); }
statement(A) ::= SET(T) VARIABLE assignments(L).        { A = lt_build_set_variable(b, &T, L, NULL, NULL); }
statement(A) ::= SET(T) VARIABLE LP names(N) RP EQ query_parens(Q). { A = lt_build_set_variable(b, &T, NULL, N, Q); }
statement(A) ::= declare(S).                            { A = S; }
statement(A) ::= declare(S) default_word expr(E).       { A = lt_build_declare_default(S, E); }
%type declare {lt_ast_statement *}
declare(A) ::= DECLARE(T) declare_replace(R) variable_word names(N). { A = lt_build_declare(b, &T, R, N, NULL); }
declare(A) ::= DECLARE(T) declare_replace(R) variable_word names(N) type(Y). { A = lt_build_declare(b, &T, R, N, Y); }
%type declare_replace {bool}
declare_replace(A) ::= .                                { A = false; }
declare_replace(A) ::= OR REPLACE.                      { A = true; }
variable_word ::= .
variable_word ::= VARIABLE.
default_word ::= DEFAULT.
default_word ::= EQ.

statement(A) ::= COPY(T) query_parens(Q) TO string(P).  { A = lt_build_copy(b, &T, NULL, Q, &P, NULL); }
statement(A) ::= COPY(T) query_parens(Q) TO string(P) copy_word LP options(O) RP. { A = lt_build_copy(b, &T, NULL, Q, &P, O); }
statement(A) ::= COPY(T) dotted(N) TO string(P).        { A = lt_build_copy(b, &T, N, NULL, &P, NULL); }
statement(A) ::= COPY(T) dotted(N) TO string(P) copy_word LP options(O) RP. { A = lt_build_copy(b, &T, N, NULL, &P, O); }
copy_word ::= .
copy_word ::= WITH.
copy_word ::= OPTIONS.
statement(A) ::= PROCESS(T) ALL AVAILABLE dotted_opt(N) timeout(D). { A = lt_build_wait(b, LT_AST_STATEMENT_PROCESS_ALL, &T, N, D); }
statement(A) ::= AWAIT(T) TERMINATION dotted_opt(N) timeout(D). { A = lt_build_wait(b, LT_AST_STATEMENT_AWAIT_TERMINATION, &T, N, D); }
timeout(A) ::= .                                        { A = NULL; }
timeout(A) ::= TIMEOUT interval(I).                     { A = I; }
statement(A) ::= START(T) QUERY dotted(N).              { A = lt_build_named(b, LT_AST_STATEMENT_START_QUERY, &T, N); }
statement(A) ::= STOP(T) QUERY dotted(N).               { A = lt_build_named(b, LT_AST_STATEMENT_STOP_QUERY, &T, N); }
statement(A) ::= TERMINATE(T) dotted(N).                { A = lt_build_named(b, LT_AST_STATEMENT_STOP_QUERY, &T, N); }
statement(A) ::= EXECUTE(T) IMMEDIATE expr(E) execute_into(N) execute_using(U). { A = lt_build_execute(b, &T, E, N, U); }
%type execute_into {lt_ast_names *}
execute_into(A) ::= .                                   { A = NULL; }
execute_into(A) ::= INTO names(N).                      { A = N; }
%type execute_using {lt_ast_items *}
execute_using(A) ::= .                                  { A = NULL; }
execute_using(A) ::= USING items(I).                    { A = I; }
statement(A) ::= USE(T) dotted(N).                      { A = lt_build_named(b, LT_AST_STATEMENT_USE, &T, N); }
statement(A) ::= USE(T) schema_word dotted(N).          { A = lt_build_named(b, LT_AST_STATEMENT_USE, &T, N); }
statement(A) ::= CACHE(T) lazy_word TABLE dotted(N).    { A = lt_build_cache(b, &T, false, N, NULL); }
statement(A) ::= CACHE(T) lazy_word TABLE dotted(N) AS query(Q). { A = lt_build_cache(b, &T, false, N, Q); }
statement(A) ::= UNCACHE(T) TABLE if_exists(I) dotted(N). { A = lt_build_cache(b, &T, I, N, NULL); }
statement(A) ::= REFRESH(T) table_word dotted(N).       { A = lt_build_cache(b, &T, false, N, NULL); }
statement(A) ::= CLEAR(T) CACHE.                        { A = lt_build_cache(b, &T, false, NULL, NULL); }
lazy_word ::= .
lazy_word ::= LAZY.
