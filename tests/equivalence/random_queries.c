// random_queries: typed random queries from a small grammar, each held against its own SELECT. See rig.h.
//
//     equivalence_random [--seed N | --draw] [--count N] [--rounds N] [-v]
//
//     query   := block | block UNION ALL | UNION | INTERSECT | EXCEPT [ALL] block      equal column types
//     block   := SELECT items FROM source [WHERE condition] [GROUP BY keys | sets of keys [HAVING condition]]
//                | window functions [QUALIFY rank <= n] | block ORDER BY all LIMIT n [OFFSET n]
//     source  := input | input JOIN input ON keys [AND condition] | (block)        input: stream, view, table, (block)
//
// Every query of seed S is made from S alone; even seeds take rows back too. What its answer does not determine is never
// made: LIMIT without a total order, sums of doubles that round, first and last without an order.
#include "tests/equivalence/rig.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum type { INTEGER, STRING, DOUBLE, EIGHTHS, DECIMAL, TIMESTAMP, BOOLEAN, TYPES } type;

typedef struct column {
    char name[24];
    type type;
} column;

enum { COLUMNS_MAX = 48, DEPTH_MAX = 3 };

typedef struct scope {
    column   columns[COLUMNS_MAX];
    uint32_t count;
    bool     is_keyed; // no two rows are equal in all columns
} scope;

static uint32_t names_made; // aliases of one query are all different

static uint32_t below(uint32_t bound) { return rig_random_below(bound); }
static bool     one_in(uint32_t bound) { return below(bound) == 0; }
#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

static void scope_add(scope *out, const char *alias, const char *name, type of) {
    column *into = &out->columns[out->count++];
    into->type   = of;
    snprintf(into->name, sizeof into->name, "%.8s.%.12s", alias, name);
}

static void stream_scope(scope *out, const char *alias) {
    static const column columns[] = {{"id", INTEGER}, {"k", INTEGER}, {"n", INTEGER}, {"s", STRING},
                                     {"d", DOUBLE},   {"e", EIGHTHS}, {"m", DECIMAL}, {"t", TIMESTAMP}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        scope_add(out, alias, columns[i].name, columns[i].type);
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
    rig_text_add(out, "%s", literals[wanted][one_in(15) ? 4 : below(4)]);
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
    const type               compared      = in->count == 0 ? INTEGER : in->columns[below(in->count)].type;
    switch (below(depth == 0 ? 4 : 8)) {
    case 0:
        rig_text_add(out, "(");
        expression(out, in, compared, 0);
        rig_text_add(out, " %s ", PICK(comparisons));
        literal(out, compared);
        rig_text_add(out, ")");
        return;
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
        if (one_in(12) || !column_of(out, in, wanted)) literal(out, wanted);
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
        rig_text_add(out, "%s(%s", one_in(2) ? "sum" : "max", distinct);
        expression(out, in, DECIMAL, 1);
        rig_text_add(out, ")");
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

static void order_by_all(rig_text *out, const scope *in) {
    rig_text_add(out, " ORDER BY ");
    for (uint32_t c = 0; c < in->count; c++) {
        const type of = in->columns[c].type;
        // The two zeros are one place in an order.
        const bool is_text = !in->is_keyed && (of == DOUBLE || of == EIGHTHS);
        rig_text_add(out, "%s%s%s%s%s", c > 0 ? ", " : "", is_text ? "CAST(" : "", in->columns[c].name,
                     is_text ? " AS STRING)" : "", one_in(3) ? " DESC" : "");
        if (one_in(6)) rig_text_add(out, one_in(2) ? " NULLS FIRST" : " NULLS LAST");
    }
}

static void partition_add(rig_text *out, const scope *in) {
    if (one_in(5)) return;
    rig_text_add(out, "PARTITION BY ");
    expression(out, in, (type)below(TYPES), 0);
}

static void frame_add(rig_text *out) {
    static const char *const frames[] = {
        "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",          "ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
        "ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING",          "ROWS UNBOUNDED PRECEDING",
        "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",  "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING", "RANGE BETWEEN CURRENT ROW AND CURRENT ROW"};
    if (one_in(2)) rig_text_add(out, " %s", PICK(frames));
}

// A function over peers: the order need not be total.
static void peers_function(rig_text *out, const scope *in) {
    static const char *const ranges[] = {"RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                                         "RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
                                         "RANGE BETWEEN CURRENT ROW AND 2 FOLLOWING", ""};
    const bool               is_rank  = one_in(2);
    rig_text_add(out, "CAST(");
    if (is_rank)
        rig_text_add(out, one_in(2) ? "rank()" : "dense_rank()");
    else
        call(out, in, one_in(2) ? "sum" : "count", 0, 1, INTEGER);
    rig_text_add(out, " OVER (");
    partition_add(out, in);
    rig_text_add(out, " ORDER BY ");
    expression(out, in, INTEGER, 0);
    rig_text_add(out, "%s %s) AS INT)", one_in(3) ? " DESC" : "", is_rank ? "" : PICK(ranges));
}

// `window`: the one window of a block whose rows may be equal: which of two equal rows is first is not determined, so
// they take the same places in all functions. NULL: each function has its own.
static void window_function(rig_text *out, const scope *in, type wanted, const rig_text *window) {
    static const char *const ranks[]   = {"row_number", "rank", "dense_rank"};
    const char              *after     = "";
    bool                     has_frame = true;
    if (wanted == INTEGER && window == NULL && one_in(4)) {
        peers_function(out, in);
        return;
    }
    if (wanted == INTEGER && one_in(3)) {
        rig_text_add(out, "%s()", PICK(ranks));
        has_frame = false;
    } else if (wanted == INTEGER && one_in(3)) {
        rig_text_add(out, "CAST(");
        call(out, in, one_in(2) ? "sum" : "count", 0, 1, INTEGER);
        after = " AS INT)";
    } else if (wanted != BOOLEAN && one_in(2)) {
        const bool has_zeros = wanted == DOUBLE || wanted == EIGHTHS; // which of the two is not determined
        if (has_zeros) rig_text_add(out, "(0.0D + ");
        call(out, in, one_in(2) ? "min" : "max", 0, 1, wanted);
        after = has_zeros ? ")" : "";
    } else if (one_in(2))
        call(out, in, one_in(2) ? "first_value" : "last_value", 0, 1, wanted);
    else {
        call(out, in, one_in(2) ? "lag" : "lead", 0, 1, wanted);
        has_frame = false;
    }
    rig_text_add(out, " OVER (");
    if (window != NULL)
        rig_text_add(out, "%s", window->bytes);
    else {
        partition_add(out, in);
        order_by_all(out, in);
    }
    if (has_frame) frame_add(out);
    rig_text_add(out, ")%s", after);
}

static void block(rig_text *out, const items *wanted, scope *made, uint32_t depth);

// A column of `in` and one of `other` with the same type, as a condition; false: there are none.
static bool key_add(rig_text *out, const scope *in, const scope *other) {
    for (uint32_t attempt = 0; attempt < 8; attempt++) {
        const column *left = &in->columns[below(in->count)];
        uint32_t      at   = below(other->count);
        for (uint32_t c = 0; c < other->count; c++, at = (at + 1) % other->count)
            if (other->columns[at].type == left->type && left->type != BOOLEAN) {
                rig_text_add(out, "%s %s %s", left->name, one_in(6) ? "<=>" : "=", other->columns[at].name);
                return true;
            }
    }
    return false;
}

// One input of a join, or all of FROM.
static void input(rig_text *out, scope *in, const char *alias, uint32_t depth) {
    static rig_text inside[DEPTH_MAX + 2];
    *in = (scope){.is_keyed = true};
    if (depth > 0 && one_in(3)) {
        const items some = items_choose();
        scope       made;
        inside[depth].count = 0;
        block(&inside[depth], &some, &made, depth - 1);
        rig_text_add(out, "(%s) AS %s", inside[depth].bytes, alias);
        for (uint32_t c = 0; c < made.count; c++) scope_add(in, alias, made.columns[c].name, made.columns[c].type);
        in->is_keyed = made.is_keyed;
        return;
    }
    if (one_in(8)) {
        rig_text_add(out, "$g AS %s", alias);
        scope_add(in, alias, "k", INTEGER);
        scope_add(in, alias, "s", STRING);
        scope_add(in, alias, "hi", INTEGER);
        return;
    }
    rig_text_add(out, "%s AS %s", one_in(2) ? "$a" : "$b", alias);
    stream_scope(in, alias);
}

static void source(rig_text *out, scope *in, uint32_t depth) {
    static const char *const joins[] = {"JOIN",           "LEFT JOIN",      "RIGHT JOIN", "FULL JOIN",
                                        "LEFT SEMI JOIN", "LEFT ANTI JOIN", "JOIN",       "CROSS JOIN"};
    const uint32_t           number  = names_made++;
    char                     alias[16];
    snprintf(alias, sizeof alias, "x%" PRIu32, number);
    input(out, in, alias, depth);
    for (uint32_t more = 0; more < 2 && depth > 0 && one_in(2 + more); more++) {
        const char *join = PICK(joins);
        scope       other, both = *in;
        snprintf(alias, sizeof alias, "%c%" PRIu32, more == 0 ? 'y' : 'z', number);
        rig_text_add(out, " %s ", join);
        if (one_in(6)) {
            rig_text_add(out, "still AS %s", alias);
            other = (scope){0};
            scope_add(&other, alias, "n", INTEGER);
            scope_add(&other, alias, "name", STRING);
        } else
            input(out, &other, alias, depth - 1);
        for (uint32_t c = 0; c < other.count; c++) both.columns[both.count++] = other.columns[c];
        both.is_keyed = in->is_keyed && other.is_keyed;
        if (strcmp(join, "CROSS JOIN") != 0) {
            rig_text_add(out, " ON ");
            bool has_key = !one_in(8) && key_add(out, in, &other);
            if (has_key && one_in(4)) {
                rig_text_add(out, " AND ");
                has_key = key_add(out, in, &other) || (rig_text_add(out, "true"), true);
            }
            if (!has_key || one_in(4)) {
                if (has_key) rig_text_add(out, " AND ");
                condition(out, &both, 0);
            }
        }
        if (strncmp(join, "LEFT ", 5) != 0 || strcmp(join, "LEFT JOIN") == 0) *in = both;
    }
}

static void subquery_condition(rig_text *out, const scope *in) {
    static const char *const forms[] = {"%s IN (SELECT n FROM $b)",
                                        "%s NOT IN (SELECT n FROM $a WHERE n IS NOT NULL)",
                                        "%s NOT IN (SELECT n FROM $a WHERE id % 2 = 0)",
                                        "%s NOT IN (SELECT n FROM still)",
                                        "(%s IN (SELECT n FROM $b WHERE s = 'a')) IS NULL",
                                        "%s > (SELECT min(n) FROM $b)",
                                        "%s = (SELECT count(*) FROM $b)",
                                        "%s >= (SELECT max(z.n) FROM $b AS z WHERE z.k = %s)",
                                        "%s >= (SELECT count(*) FROM $a AS z WHERE z.k = %s)",
                                        "%s IN (SELECT z.n FROM $a AS z WHERE z.k = %s)",
                                        "%s NOT IN (SELECT z.n FROM $b AS z WHERE z.k = %s)",
                                        "EXISTS (SELECT 1 FROM $b AS z WHERE z.k = %s)",
                                        "EXISTS (SELECT 1 FROM $b AS z WHERE z.k = %s AND z.n < %s)",
                                        "NOT EXISTS (SELECT 1 FROM $a AS z WHERE z.n = %s AND z.id > 3)",
                                        "NOT EXISTS (SELECT 1 FROM $a AS z WHERE z.n = %s AND z.k <> %s)"};
    const char              *at      = PICK(forms);
    for (const char *hole = strstr(at, "%s"); hole != NULL; at = hole + 2, hole = strstr(at, "%s")) {
        rig_text_add(out, "%.*s", (int)(hole - at), at);
        if (!column_of(out, in, INTEGER)) rig_text_add(out, "1");
    }
    rig_text_add(out, "%s", at);
}

static void where_add(rig_text *out, const scope *in) {
    if (!one_in(3)) return;
    rig_text_add(out, " WHERE ");
    if (one_in(3)) {
        const bool is_either = one_in(3);
        if (is_either) {
            condition(out, in, 0);
            rig_text_add(out, one_in(2) ? " OR " : " AND ");
        }
        subquery_condition(out, in);
    } else
        condition(out, in, 1);
}

static void qualify_add(rig_text *out, const scope *in, const rig_text *window) {
    static const char *const ranks[] = {"row_number", "rank", "dense_rank"};
    rig_text_add(out, " QUALIFY %s() OVER (", PICK(ranks));
    if (window != NULL)
        rig_text_add(out, "%s", window->bytes);
    else {
        partition_add(out, in);
        order_by_all(out, in);
    }
    rig_text_add(out, ") %s %" PRIu32, one_in(4) ? "=" : "<=", 1 + below(3));
}

static void group_by_add(rig_text *out, const char *keys, uint32_t count) {
    static const char *const sets[] = {"ROLLUP (", "CUBE (", "GROUPING SETS (("};
    const char              *set    = count > 0 && one_in(4) ? PICK(sets) : NULL;
    if (count == 0) return;
    rig_text_add(out, " GROUP BY %s%s%s", set == NULL ? "" : set, keys, set == NULL ? "" : ")");
    if (set == sets[2]) rig_text_add(out, ", (1)%s)", one_in(2) ? ", ()" : "");
    if (one_in(4)) rig_text_add(out, " HAVING count(*) > 1");
}

static void limit_add(rig_text *out, const items *made, bool may_be_all) {
    rig_text_add(out, " ORDER BY ");
    for (uint32_t i = 1; i <= made->count; i++)
        rig_text_add(out, "%s%" PRIu32 "%s", i > 1 ? ", " : "", i, one_in(3) ? " DESC" : "");
    if (may_be_all && one_in(2)) return;
    rig_text_add(out, " LIMIT %" PRIu32, 1 + below(5));
    if (one_in(3)) rig_text_add(out, " OFFSET %" PRIu32, below(4));
}

static bool has_doubles(const items *some) { // which of the two zeros comes first is not determined
    for (uint32_t i = 0; i < some->count; i++)
        if (some->types[i] == DOUBLE || some->types[i] == EIGHTHS) return true;
    return false;
}

typedef enum block_form { GROUPS, WINDOWS, DISTINCT_ROWS, PLAIN } block_form;

static void block(rig_text *out, const items *wanted, scope *made, uint32_t depth) {
    static const block_form forms[] = {GROUPS, GROUPS, WINDOWS, WINDOWS, DISTINCT_ROWS, PLAIN, PLAIN};
    static rig_text         from[DEPTH_MAX + 2], windows[DEPTH_MAX + 2];
    rig_text               *below_it = &from[depth], *window = &windows[depth];
    scope                   in;
    const block_form        form = PICK(forms);
    below_it->count = window->count = 0;
    source(below_it, &in, depth);
    partition_add(window, &in);
    order_by_all(window, &in);
    if (in.is_keyed) window = NULL;
    *made = (scope){.is_keyed = false};
    rig_text_add(out, "SELECT %s", form == DISTINCT_ROWS ? "DISTINCT " : "");
    const uint32_t keys     = form == GROUPS ? below(wanted->count + 1) : wanted->count;
    rig_text       key_list = {0};
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (i > 0) rig_text_add(out, ", ");
        if (form == GROUPS && i >= keys)
            aggregate(out, &in, wanted->types[i]);
        else if (form == WINDOWS && one_in(2))
            window_function(out, &in, wanted->types[i], window);
        else {
            expression(out, &in, wanted->types[i], form == GROUPS ? 1 : 2);
            rig_text_add(&key_list, "%s%" PRIu32, key_list.count > 0 ? ", " : "", i + 1);
        }
        alias_add(out, made, wanted->types[i]);
    }
    rig_text_add(out, " FROM %s", below_it->bytes);
    where_add(out, &in);
    if (form == GROUPS) group_by_add(out, key_list.bytes, keys);
    if ((form == WINDOWS && one_in(3)) || (form == PLAIN && one_in(5))) qualify_add(out, &in, window);
    if (depth < DEPTH_MAX && one_in(10) && !has_doubles(wanted)) limit_add(out, wanted, false);
}

static void query(rig_text *out) {
    static const char *const operations[] = {"UNION ALL", "UNION",         "INTERSECT",
                                             "EXCEPT",    "INTERSECT ALL", "EXCEPT ALL"};
    const items              wanted       = items_choose();
    scope                    made;
    out->count = names_made = 0;
    block(out, &wanted, &made, DEPTH_MAX);
    if (one_in(5)) {
        rig_text_add(out, " %s ", PICK(operations));
        static rig_text second;
        second.count = 0;
        block(&second, &wanted, &made, DEPTH_MAX - 1);
        rig_text_add(out, "(%s)", second.bytes);
    } else if (one_in(8) && !has_doubles(&wanted))
        limit_add(out, &wanted, true);
}

int main(int argument_count, char **arguments) {
    uint64_t first = 1, count = 200;
    uint32_t rounds     = 4;
    bool     is_verbose = false;
    for (int i = 1; i < argument_count; i++) {
        const bool has_value = i + 1 < argument_count;
        if (strcmp(arguments[i], "-v") == 0)
            is_verbose = true;
        else if (strcmp(arguments[i], "--draw") == 0)
            first = (uint64_t)time(NULL) % 1000000000 * 1000;
        else if (strcmp(arguments[i], "--seed") == 0 && has_value)
            first = strtoull(arguments[++i], NULL, 10);
        else if (strcmp(arguments[i], "--count") == 0 && has_value)
            count = strtoull(arguments[++i], NULL, 10);
        else if (strcmp(arguments[i], "--rounds") == 0 && has_value)
            rounds = (uint32_t)strtoul(arguments[++i], NULL, 10);
        else {
            fprintf(stderr, "usage: equivalence_random [--seed N | --draw] [--count N] [--rounds N] [-v]\n");
            return 2;
        }
    }
    static rig_text sql;
    size_t          outcomes[4] = {0};
    setvbuf(stdout, NULL, _IOLBF, 0); // what was drawn is known however the program ends
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
