// random_queries: typed random queries from a small grammar, each held against its own SELECT. See rig.h.
//
//     equivalence_random [--seed N] [--count N] [--rounds N] [-v]
//
//     query   := block | block UNION ALL | UNION | INTERSECT | EXCEPT block      equal column types
//     block   := SELECT items FROM source [WHERE condition] [GROUP BY keys [HAVING condition]] | window functions
//     source  := stream | stream JOIN stream ON keys [AND condition] | (block)
//
// Every query of seed S is made from S alone; even seeds take rows back too. What its answer does not determine is never
// made: LIMIT without a total order, sums of doubles that round, first and last without an order.
#include "tests/equivalence/rig.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum type { INTEGER, STRING, DOUBLE, EIGHTHS, DECIMAL, TIMESTAMP, BOOLEAN, TYPES } type;

typedef struct column {
    char name[24];
    type type;
} column;

enum { COLUMNS_MAX = 24, DEPTH_MAX = 3 };

typedef struct scope {
    column   columns[COLUMNS_MAX];
    uint32_t count;
} scope;

static uint32_t names_made; // aliases of one query are all different

static uint32_t below(uint32_t bound) { return rig_random_below(bound); }
static bool     one_in(uint32_t bound) { return below(bound) == 0; }
#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

static void stream_scope(scope *out, const char *alias) {
    static const column columns[] = {{"id", INTEGER}, {"k", INTEGER}, {"n", INTEGER}, {"s", STRING},
                                     {"d", DOUBLE},   {"e", EIGHTHS}, {"m", DECIMAL}, {"t", TIMESTAMP}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        column *into = &out->columns[out->count++];
        into->type   = columns[i].type;
        snprintf(into->name, sizeof into->name, "%.8s.%.12s", alias, columns[i].name);
    }
}

// ---- expressions

static void expression(rig_text *out, const scope *in, type wanted, uint32_t depth);

static bool column_of(rig_text *out, const scope *in, type wanted) {
    uint32_t found[COLUMNS_MAX], count = 0;
    for (uint32_t c = 0; c < in->count; c++)
        if (in->columns[c].type == wanted) found[count++] = c;
    if (count == 0) return false;
    rig_text_add(out, "%s", in->columns[found[below(count)]].name);
    return true;
}

static void literal(rig_text *out, type wanted) {
    static const char *const literals[TYPES][5] = {
        [INTEGER]   = {"0", "1", "2", "-3", "CAST(NULL AS INT)"},
        [STRING]    = {"''", "'a'", "'b'", "'a longer text than twelve bytes'", "CAST(NULL AS STRING)"},
        [DOUBLE]    = {"0.0D", "-0.0D", "double('NaN')", "1.5D", "CAST(NULL AS DOUBLE)"},
        [EIGHTHS]   = {"0.125D", "-2.5D", "7.0D", "0.0D", "CAST(NULL AS DOUBLE)"},
        [DECIMAL]   = {"1.10BD", "-0.01BD", "0.00BD", "2.50BD", "CAST(NULL AS DECIMAL(9,2))"},
        [TIMESTAMP] = {"TIMESTAMP '2024-03-01 10:00:00'", "TIMESTAMP '1969-12-31 23:59:59'",
                       "TIMESTAMP '2024-03-01 10:10:00'", "TIMESTAMP '2024-03-01 10:04:59.999999'",
                       "CAST(NULL AS TIMESTAMP)"},
        [BOOLEAN]   = {"true", "false", "true", "false", "CAST(NULL AS BOOLEAN)"}};
    rig_text_add(out, "%s", literals[wanted][below(5)]);
}

// `name(a, b, ..)` with arguments of the types that follow.
static void call(rig_text *out, const scope *in, const char *name, uint32_t depth, uint32_t count, ...) {
    va_list types;
    va_start(types, count);
    rig_text_add(out, "%s(", name);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) rig_text_add(out, ", ");
        expression(out, in, (type)va_arg(types, int), depth);
    }
    rig_text_add(out, ")");
    va_end(types);
}

static void infix(rig_text *out, const scope *in, type left, const char *symbol, type right, uint32_t depth) {
    rig_text_add(out, "(");
    expression(out, in, left, depth);
    rig_text_add(out, " %s ", symbol);
    expression(out, in, right, depth);
    rig_text_add(out, ")");
}

static void condition(rig_text *out, const scope *in, uint32_t depth) {
    static const char *const comparisons[] = {"=", "<", "<=", ">", ">=", "<>", "<=>"};
    static const char *const patterns[]    = {"'a%'", "'%b'", "'_'", "'%'"};
    const type               compared      = (type)below(BOOLEAN);
    switch (below(depth == 0 ? 4 : 8)) {
    case 0:
    case 1:
        infix(out, in, compared, PICK(comparisons), compared, 0);
        return;
    case 2:
        rig_text_add(out, "(");
        expression(out, in, compared, 0);
        rig_text_add(out, one_in(2) ? " IS NULL)" : " IS NOT NULL)");
        return;
    case 3:
        rig_text_add(out, "(");
        expression(out, in, INTEGER, 0);
        rig_text_add(out, "%s IN (1, 2, %s))", one_in(3) ? " NOT" : "", one_in(4) ? "NULL" : "3");
        return;
    case 4:
        rig_text_add(out, "(");
        expression(out, in, STRING, depth - 1);
        rig_text_add(out, " LIKE %s)", PICK(patterns));
        return;
    case 5:
        rig_text_add(out, "(NOT ");
        condition(out, in, depth - 1);
        rig_text_add(out, ")");
        return;
    default:
        rig_text_add(out, "(");
        condition(out, in, depth - 1);
        rig_text_add(out, one_in(2) ? " AND " : " OR ");
        condition(out, in, depth - 1);
        rig_text_add(out, ")");
    }
}

static void case_of(rig_text *out, const scope *in, type wanted, uint32_t depth) {
    rig_text_add(out, "CASE WHEN ");
    condition(out, in, depth);
    rig_text_add(out, " THEN ");
    expression(out, in, wanted, depth);
    if (one_in(2)) {
        rig_text_add(out, " ELSE ");
        expression(out, in, wanted, depth);
    }
    rig_text_add(out, " END");
}

static void expression(rig_text *out, const scope *in, type wanted, uint32_t depth) {
    if (depth == 0 || one_in(3)) {
        if (one_in(6) || !column_of(out, in, wanted)) literal(out, wanted);
        return;
    }
    depth--;
    if (one_in(5)) {
        case_of(out, in, wanted, depth);
        return;
    }
    if (one_in(5)) {
        call(out, in, one_in(2) ? "coalesce" : "nullif", depth, 2, wanted, wanted);
        return;
    }
    switch (wanted) {
    case INTEGER:
        if (one_in(3))
            infix(out, in, INTEGER, one_in(2) ? "+" : "-", INTEGER, depth);
        else if (one_in(2))
            call(out, in, one_in(2) ? "length" : "ascii", depth, 1, STRING);
        else
            call(out, in, one_in(2) ? "greatest" : "least", depth, 2, INTEGER, INTEGER);
        return;
    case STRING:
        if (one_in(3))
            call(out, in, "concat", depth, 2, STRING, STRING);
        else if (one_in(2))
            call(out, in, one_in(2) ? "upper" : "reverse", depth, 1, STRING);
        else
            call(out, in, "substring", depth, 3, STRING, INTEGER, INTEGER);
        return;
    case DOUBLE:
        if (one_in(2))
            call(out, in, "double", depth, 1, INTEGER);
        else
            infix(out, in, DOUBLE, one_in(2) ? "+" : "*", DOUBLE, depth);
        return;
    case EIGHTHS:
        if (one_in(2))
            call(out, in, "abs", depth, 1, EIGHTHS);
        else
            infix(out, in, EIGHTHS, "+", EIGHTHS, depth);
        return;
    case DECIMAL:
        call(out, in, one_in(2) ? "abs" : "negative", depth, 1, DECIMAL);
        return;
    case TIMESTAMP:
        call(out, in, one_in(2) ? "greatest" : "least", depth, 2, TIMESTAMP, TIMESTAMP);
        return;
    default:
        condition(out, in, depth);
    }
}

// ---- queries

// `wanted`: types of the items, or none: any. *out_types has what was made.
typedef struct items {
    type     types[6];
    uint32_t count;
} items;

static items items_choose(void) {
    items chosen = {.count = 1 + below(4)};
    for (uint32_t i = 0; i < chosen.count; i++) chosen.types[i] = (type)below(TYPES);
    return chosen;
}

static void alias_add(rig_text *out, scope *made, type of) {
    column *into = &made->columns[made->count++];
    into->type   = of;
    snprintf(into->name, sizeof into->name, "c%" PRIu32, names_made++);
    rig_text_add(out, " AS %s", into->name);
}

static void aggregate(rig_text *out, const scope *in, type wanted) {
    const bool  is_distinct = one_in(4);
    const char *distinct    = is_distinct ? "DISTINCT " : "";
    switch (wanted) {
    case INTEGER:
        if (one_in(3)) {
            rig_text_add(out, "CAST(count(*) AS INT)");
            return;
        }
        rig_text_add(out, "CAST(%s(%s", one_in(2) ? "sum" : "count", distinct);
        expression(out, in, INTEGER, 1);
        rig_text_add(out, ") AS INT)");
        return;
    case EIGHTHS:
        rig_text_add(out, "sum(%s", distinct);
        (void)(column_of(out, in, EIGHTHS) || (literal(out, EIGHTHS), true));
        break;
    case DECIMAL:
        rig_text_add(out, "CAST(%s(%s", one_in(2) ? "sum" : "max", distinct);
        expression(out, in, DECIMAL, 1);
        rig_text_add(out, ") AS DECIMAL(9,2))");
        return;
    case BOOLEAN:
        rig_text_add(out, "%s(", one_in(2) ? "bool_or" : "every");
        condition(out, in, 0);
        break;
    case DOUBLE: // which of the two zeros is not determined
        rig_text_add(out, "(0.0D + %s(", one_in(2) ? "min" : "max");
        expression(out, in, DOUBLE, 1);
        rig_text_add(out, "))");
        return;
    default:
        rig_text_add(out, "%s(", one_in(2) ? "min" : "max");
        expression(out, in, wanted, 1);
    }
    rig_text_add(out, ")");
    if (one_in(5) && !is_distinct) {
        rig_text_add(out, " FILTER (WHERE ");
        condition(out, in, 0);
        rig_text_add(out, ")");
    }
}

static void window_function(rig_text *out, const scope *in, type wanted) {
    // The order is made total by every column that can be compared.
    if (wanted == INTEGER && one_in(2))
        rig_text_add(out, "%s()", one_in(2) ? "row_number" : "dense_rank");
    else if (one_in(2) || wanted == BOOLEAN)
        call(out, in, one_in(2) ? "lag" : "lead", 0, 1, wanted);
    else
        call(out, in, one_in(2) ? "min" : "max", 0, 1, wanted);
    rig_text_add(out, " OVER (PARTITION BY ");
    expression(out, in, (type)below(TYPES), 0);
    rig_text_add(out, " ORDER BY ");
    for (uint32_t c = 0; c < in->count; c++)
        rig_text_add(out, "%s%s%s", c > 0 ? ", " : "", in->columns[c].name, one_in(3) ? " DESC" : "");
    rig_text_add(out, ")");
}

static void block(rig_text *out, const items *wanted, scope *made, uint32_t depth);

static void source(rig_text *out, scope *in, uint32_t depth) {
    static const char *const joins[] = {"JOIN",      "LEFT JOIN",      "RIGHT JOIN",
                                        "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"};
    *in                              = (scope){0};
    if (depth > 0 && one_in(3)) {
        const items some = items_choose();
        rig_text_add(out, "(");
        block(out, &some, in, depth - 1);
        rig_text_add(out, ") AS q%" PRIu32, names_made++);
        return;
    }
    const char *first = one_in(2) ? "$a" : "$b";
    rig_text_add(out, "%s AS x", first);
    stream_scope(in, "x");
    if (depth == 0 || !one_in(3)) return;
    const char *join = PICK(joins);
    scope       both = *in;
    stream_scope(&both, "y");
    rig_text_add(out, " %s %s AS y ON %s", join, one_in(2) ? "$a" : "$b", one_in(2) ? "x.k = y.k" : "x.s = y.s");
    if (one_in(3)) {
        rig_text_add(out, " AND ");
        condition(out, &both, 0);
    }
    if (strcmp(join, "LEFT SEMI JOIN") != 0 && strcmp(join, "LEFT ANTI JOIN") != 0) *in = both;
}

static void subquery_condition(rig_text *out, const scope *in) {
    static const char *const forms[] = {"%s IN (SELECT n FROM $b)", "%s NOT IN (SELECT n FROM $a WHERE n IS NOT NULL)",
                                        "%s > (SELECT min(n) FROM $b)", "EXISTS (SELECT 1 FROM $b AS z WHERE z.k = %s)",
                                        "NOT EXISTS (SELECT 1 FROM $a AS z WHERE z.n = %s AND z.id > 3)"};
    rig_text                 name    = {0};
    if (!column_of(&name, in, INTEGER)) rig_text_add(&name, "1");
    const char *form = PICK(forms), *hole = strstr(form, "%s");
    rig_text_add(out, "%.*s%s%s", (int)(hole - form), form, name.bytes, hole + 2);
}

static void block(rig_text *out, const items *wanted, scope *made, uint32_t depth) {
    static rig_text from[DEPTH_MAX + 2];
    rig_text       *below_it = &from[depth];
    scope           in;
    const uint32_t  form = below(6); // 0, 1: groups; 2: window functions; 3: DISTINCT
    below_it->count      = 0;
    source(below_it, &in, depth);
    *made = (scope){0};
    rig_text_add(out, "SELECT %s", form == 3 ? "DISTINCT " : "");
    uint32_t keys     = form < 2 ? below(wanted->count + 1) : wanted->count;
    rig_text key_list = {0};
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (i > 0) rig_text_add(out, ", ");
        if (form < 2 && i >= keys)
            aggregate(out, &in, wanted->types[i]);
        else if (form == 2 && one_in(2))
            window_function(out, &in, wanted->types[i]);
        else {
            expression(out, &in, wanted->types[i], form < 2 ? 1 : 2);
            rig_text_add(&key_list, "%s%" PRIu32, key_list.count > 0 ? ", " : "", i + 1);
        }
        alias_add(out, made, wanted->types[i]);
    }
    rig_text_add(out, " FROM %s", below_it->bytes);
    if (one_in(2)) {
        rig_text_add(out, " WHERE ");
        if (one_in(4))
            subquery_condition(out, &in);
        else
            condition(out, &in, 1);
    }
    if (form >= 2) return;
    if (keys > 0) rig_text_add(out, " GROUP BY %s", key_list.bytes);
    if (keys > 0 && one_in(4)) rig_text_add(out, " HAVING count(*) > 1");
}

static void query(rig_text *out) {
    static const char *const operations[] = {"UNION ALL", "UNION",         "INTERSECT",
                                             "EXCEPT",    "INTERSECT ALL", "EXCEPT ALL"};
    const items              wanted       = items_choose();
    scope                    made;
    out->count = names_made = 0;
    block(out, &wanted, &made, DEPTH_MAX);
    if (one_in(6)) {
        rig_text_add(out, " %s ", PICK(operations));
        block(out, &wanted, &made, DEPTH_MAX - 1);
    } else if (one_in(8)) {
        rig_text_add(out, " ORDER BY ");
        for (uint32_t i = 1; i <= wanted.count; i++) rig_text_add(out, "%s%" PRIu32, i > 1 ? ", " : "", i);
        rig_text_add(out, " LIMIT %" PRIu32, below(6));
    }
}

int main(int argument_count, char **arguments) {
    uint64_t first = 1, count = 200;
    uint32_t rounds     = 4;
    bool     is_verbose = false;
    for (int i = 1; i < argument_count; i++) {
        const bool has_value = i + 1 < argument_count;
        if (strcmp(arguments[i], "-v") == 0)
            is_verbose = true;
        else if (strcmp(arguments[i], "--seed") == 0 && has_value)
            first = strtoull(arguments[++i], NULL, 10);
        else if (strcmp(arguments[i], "--count") == 0 && has_value)
            count = strtoull(arguments[++i], NULL, 10);
        else if (strcmp(arguments[i], "--rounds") == 0 && has_value)
            rounds = (uint32_t)strtoul(arguments[++i], NULL, 10);
        else {
            fprintf(stderr, "usage: equivalence_random [--seed N] [--count N] [--rounds N] [-v]\n");
            return 2;
        }
    }
    static rig_text sql;
    size_t          outcomes[4] = {0};
    printf("queries %" PRIu64 " to %" PRIu64 "\n", first, first + count - 1);
    for (uint64_t seed = first; seed < first + count; seed++) {
        char name[40];
        snprintf(name, sizeof name, "query %" PRIu64, seed);
        rig_random_seed(seed);
        query(&sql);
        if (is_verbose) printf("%s: %s\n", name, sql.bytes);
        const rig_outcome outcome = rig_query_run(name, sql.bytes, seed, rounds, seed % 2 == 0, is_verbose);
        outcomes[outcome]++;
        if (outcome == RIG_DIFFERS)
            printf("  again: equivalence_random --seed %" PRIu64 " --count 1 --rounds %" PRIu32 " -v\n", seed, rounds);
    }
    printf("%zu equal, %zu raise alike, %zu refused, %zu differ\n", outcomes[RIG_EQUAL], outcomes[RIG_FAILS],
           outcomes[RIG_REFUSED], outcomes[RIG_DIFFERS]);
    // A generator that makes refused queries tests nothing.
    return outcomes[RIG_DIFFERS] > 0 || outcomes[RIG_REFUSED] * 10 > count;
}
