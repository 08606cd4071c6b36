#include "tests/tpch/generate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const tpch_table tpch_tables[TPCH_TABLES] = {
    {"region", "r_regionkey INT, r_name STRING, r_comment STRING"},
    {"nation", "n_nationkey INT, n_name STRING, n_regionkey INT, n_comment STRING"},
    {"supplier", "s_suppkey INT, s_name STRING, s_address STRING, s_nationkey INT, s_phone STRING,"
                 " s_acctbal DECIMAL(12,2), s_comment STRING"},
    {"customer", "c_custkey INT, c_name STRING, c_address STRING, c_nationkey INT, c_phone STRING,"
                 " c_acctbal DECIMAL(12,2), c_mktsegment STRING, c_comment STRING"},
    {"part", "p_partkey INT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT,"
             " p_container STRING, p_retailprice DECIMAL(12,2), p_comment STRING"},
    {"partsupp", "ps_partkey INT, ps_suppkey INT, ps_availqty INT, ps_supplycost DECIMAL(12,2), ps_comment STRING"},
    {"orders", "o_orderkey INT, o_custkey INT, o_orderstatus STRING, o_totalprice DECIMAL(12,2), o_orderdate DATE,"
               " o_orderpriority STRING, o_clerk STRING, o_shippriority INT, o_comment STRING"},
    {"lineitem", "l_orderkey INT, l_partkey INT, l_suppkey INT, l_linenumber INT, l_quantity DECIMAL(12,2),"
                 " l_extendedprice DECIMAL(12,2), l_discount DECIMAL(12,2), l_tax DECIMAL(12,2), l_returnflag STRING,"
                 " l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, l_shipinstruct STRING,"
                 " l_shipmode STRING, l_comment STRING"},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const regions[] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
static const struct {
    const char *name;
    uint32_t    region;
} nations[] = {{"ALGERIA", 0},      {"ARGENTINA", 1},  {"BRAZIL", 1},  {"CANADA", 1},         {"EGYPT", 4},
               {"ETHIOPIA", 0},     {"FRANCE", 3},     {"GERMANY", 3}, {"INDIA", 2},          {"INDONESIA", 2},
               {"IRAN", 4},         {"IRAQ", 4},       {"JAPAN", 2},   {"JORDAN", 4},         {"KENYA", 0},
               {"MOROCCO", 0},      {"MOZAMBIQUE", 0}, {"PERU", 1},    {"CHINA", 2},          {"ROMANIA", 3},
               {"SAUDI ARABIA", 4}, {"VIETNAM", 2},    {"RUSSIA", 3},  {"UNITED KINGDOM", 3}, {"UNITED STATES", 1}};
static const char *const segments[]     = {"AUTOMOBILE", "BUILDING", "FURNITURE", "MACHINERY", "HOUSEHOLD"};
static const char *const priorities[]   = {"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"};
static const char *const modes[]        = {"REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"};
static const char *const instructions[] = {"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"};
static const char *const sizes[]        = {"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"};
static const char *const finishes[]     = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"};
static const char *const metals[]       = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};
static const char *const boxes[]        = {"SM", "LG", "MED", "JUMBO", "WRAP"};
static const char *const packages[]     = {"CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"};
static const char *const colours[]      = {"almond", "azure", "blue",   "coral",  "firebrick", "forest", "frosted",
                                           "green",  "ivory", "khaki",  "lime",   "maroon",    "navy",   "olive",
                                           "orchid", "pink",  "purple", "salmon", "sky",       "tan"};
static const char *const words[]        = {"special", "pending", "unusual", "express", "furious", "sly",      "careful",
                                           "blithe",  "quick",   "fluffy",  "slow",    "quiet",   "ruthless", "thin"};
static const char *const things[]       = {"requests", "deposits",    "packages",     "accounts",     "foxes",
                                           "ideas",    "theodolites", "instructions", "dependencies", "excuses"};

// ---- random values: xorshift

static uint64_t random_state;

static uint32_t random_below(uint32_t bound) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 11) % bound);
}
static uint32_t random_between(uint32_t low, uint32_t high) { return low + random_below(high - low + 1); }
#define PICK(list) ((list)[random_below(COUNT(list))])

static void comment_write(FILE *out) {
    for (uint32_t i = random_between(2, 4); i > 0; i--)
        fprintf(out, "%s %s%s", PICK(words), PICK(things), i > 1 ? " " : "");
}

static void phone_write(FILE *out, uint32_t nation) {
    fprintf(out, "%u-%u-%u-%u", nation + 10, random_between(100, 999), random_between(100, 999),
            random_between(1000, 9999));
}

static void cents_write(FILE *out, int64_t cents) {
    const uint64_t size = cents < 0 ? (uint64_t)-cents : (uint64_t)cents;
    fprintf(out, "%s%" PRIu64 ".%02u", cents < 0 ? "-" : "", size / 100, (unsigned)(size % 100));
}

// Day 0 is 1992-01-01.
static void date_write(FILE *out, uint32_t day) {
    static const uint32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t              year = 1992, month = 0;
    for (;; year++) {
        const uint32_t length = year % 4 == 0 ? 366 : 365;
        if (day < length) break;
        day -= length;
    }
    for (;; month++) {
        const uint32_t length = lengths[month] + (month == 1 && year % 4 == 0);
        if (day < length) break;
        day -= length;
    }
    fprintf(out, "%04u-%02u-%02u", year, month + 1, day + 1);
}

// ---- tables

typedef struct counts {
    uint32_t suppliers, customers, parts, orders;
} counts;

enum { LAST_DAY = 2556, TODAY = 1263, SUPPLIERS_OF_PART = 4 }; // 1998-12-31, 1995-06-17

static int64_t retail_cents(uint32_t part) { return 90000 + (part / 10) % 20001 + 100 * (int64_t)(part % 1000); }

static uint32_t supplier_of(uint32_t part, uint32_t nth, uint32_t suppliers) {
    const uint32_t step = suppliers / SUPPLIERS_OF_PART + (part - 1) / suppliers;
    return (part + nth * step) % suppliers + 1;
}

static void region_write(FILE *out, const counts *of) {
    (void)of;
    for (uint32_t i = 0; i < COUNT(regions); i++) {
        fprintf(out, "%u,%s,", i, regions[i]);
        comment_write(out);
        fputc('\n', out);
    }
}

static void nation_write(FILE *out, const counts *of) {
    (void)of;
    for (uint32_t i = 0; i < COUNT(nations); i++) {
        fprintf(out, "%u,%s,%u,", i, nations[i].name, nations[i].region);
        comment_write(out);
        fputc('\n', out);
    }
}

static void supplier_write(FILE *out, const counts *of) {
    for (uint32_t key = 1; key <= of->suppliers; key++) {
        const uint32_t nation = key * 7 % COUNT(nations); // each nation has some
        fprintf(out, "%u,Supplier#%09u,%u %s street,%u,", key, key, random_below(1000), PICK(colours), nation);
        phone_write(out, nation);
        fputc(',', out);
        cents_write(out, (int64_t)random_below(1100000) - 100000);
        fputc(',', out);
        comment_write(out);
        fputs(random_below(20) == 0 ? " Customer slow Complaints\n" : "\n", out);
    }
}

static void customer_write(FILE *out, const counts *of) {
    for (uint32_t key = 1; key <= of->customers; key++) {
        const uint32_t nation = random_below(COUNT(nations));
        fprintf(out, "%u,Customer#%09u,%u %s street,%u,", key, key, random_below(1000), PICK(colours), nation);
        phone_write(out, nation);
        fputc(',', out);
        cents_write(out, (int64_t)random_below(1100000) - 100000);
        fprintf(out, ",%s,", PICK(segments));
        comment_write(out);
        fputc('\n', out);
    }
}

static void part_write(FILE *out, const counts *of) {
    for (uint32_t key = 1; key <= of->parts; key++) {
        const uint32_t maker = random_between(1, 5);
        fprintf(out, "%u,%s %s %s %s %s,Manufacturer#%u,Brand#%u%u,%s %s %s,%u,%s %s,", key, PICK(colours),
                PICK(colours), PICK(colours), PICK(colours), PICK(colours), maker, maker, random_between(1, 5),
                PICK(sizes), PICK(finishes), PICK(metals), random_between(1, 50), PICK(boxes), PICK(packages));
        cents_write(out, retail_cents(key));
        fputc(',', out);
        comment_write(out);
        fputc('\n', out);
    }
}

static void partsupp_write(FILE *out, const counts *of) {
    for (uint32_t part = 1; part <= of->parts; part++)
        for (uint32_t nth = 0; nth < SUPPLIERS_OF_PART; nth++) {
            fprintf(out, "%u,%u,%u,", part, supplier_of(part, nth, of->suppliers), random_between(1, 9999));
            cents_write(out, random_between(100, 100000));
            fputc(',', out);
            comment_write(out);
            fputc('\n', out);
        }
}

typedef struct line {
    uint32_t part, supplier, quantity, discount, tax, shipped, committed, received;
} line;

// A third of the customers never order.
static uint32_t customer_of_order(const counts *of) {
    uint32_t key = random_between(1, of->customers);
    return key % 3 == 0 ? (key == 1 ? 2 : key - 1) : key;
}

// Orders and their lines share the random numbers: `lines_only` tells which of the two is written.
static void orders_and_lines(FILE *out, const counts *of, bool lines_only) {
    for (uint32_t key = 1; key <= of->orders; key++) {
        const uint32_t day = random_below(LAST_DAY - 151), count = random_between(1, 7);
        const uint32_t customer = customer_of_order(of), clerk = random_between(1, 1000);
        const char    *priority = PICK(priorities);
        int64_t        total    = 0;
        uint32_t       open     = 0;
        for (uint32_t number = 1; number <= count; number++) {
            line l                   = {.part     = random_between(1, of->parts),
                                        .quantity = random_between(1, 50),
                                        .discount = random_below(11),
                                        .tax      = random_below(9)};
            l.supplier               = supplier_of(l.part, random_below(SUPPLIERS_OF_PART), of->suppliers);
            l.shipped                = day + random_between(1, 121);
            l.committed              = day + random_between(30, 90);
            l.received               = l.shipped + random_between(1, 30);
            const int64_t price      = retail_cents(l.part) * l.quantity;
            const bool    is_open    = l.shipped > TODAY;
            const char   *returned   = l.received > TODAY ? "N" : random_below(2) == 0 ? "R" : "A";
            const char   *instructed = PICK(instructions), *mode = PICK(modes);
            const char   *first = PICK(words), *last = PICK(things);
            open += is_open;
            total += price * (100 - l.discount) / 100 * (100 + l.tax) / 100;
            if (!lines_only) continue;
            fprintf(out, "%u,%u,%u,%u,%u.00,", key, l.part, l.supplier, number, l.quantity);
            cents_write(out, price);
            fprintf(out, ",0.%02u,0.%02u,%s,%s,", l.discount, l.tax, returned, is_open ? "O" : "F");
            date_write(out, l.shipped);
            fputc(',', out);
            date_write(out, l.committed);
            fputc(',', out);
            date_write(out, l.received);
            fprintf(out, ",%s,%s,%s %s\n", instructed, mode, first, last);
        }
        const char *words_of_order[4] = {PICK(words), PICK(things), PICK(words), PICK(things)};
        if (lines_only) continue;
        fprintf(out, "%u,%u,%s,", key, customer, open == 0 ? "F" : open == count ? "O" : "P");
        cents_write(out, total);
        fputc(',', out);
        date_write(out, day);
        fprintf(out, ",%s,Clerk#%09u,0,%s %s %s %s\n", priority, clerk, words_of_order[0], words_of_order[1],
                words_of_order[2], words_of_order[3]);
    }
}

static void orders_write(FILE *out, const counts *of) { orders_and_lines(out, of, false); }
static void lineitem_write(FILE *out, const counts *of) { orders_and_lines(out, of, true); }

static bool header_write(FILE *out, const char *columns) {
    // "a INT, b DECIMAL(12,2)" -> a,b
    const char *at = columns;
    while (*at != '\0') {
        const size_t bytes = strcspn(at, " ");
        fprintf(out, "%s%.*s", at == columns ? "" : ",", (int)bytes, at);
        const char *next = strstr(at, ", ");
        at               = next == NULL ? at + strlen(at) : next + 2;
    }
    return fputc('\n', out) != EOF;
}

// A line for each table: its name, a tab, its columns.
static bool tables_write(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tables", folder);
    FILE *out = fopen(path, "w");
    if (out == NULL) return false;
    for (uint32_t i = 0; i < TPCH_TABLES; i++) fprintf(out, "%s\t%s\n", tpch_tables[i].name, tpch_tables[i].columns);
    return fclose(out) == 0;
}

bool tpch_generate(const char *folder, uint32_t scale) {
    static void (*const writers[TPCH_TABLES])(FILE * out, const counts *of) = {
        region_write, nation_write,   supplier_write, customer_write,
        part_write,   partsupp_write, orders_write,   lineitem_write};
    const counts of = {.suppliers = (uint32_t)COUNT(nations) + 10 * scale,
                       .customers = 150 * scale,
                       .parts     = 200 * scale,
                       .orders    = 1500 * scale};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return false;
    for (uint32_t i = 0; i < TPCH_TABLES; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, tpch_tables[i].name);
        if (mkdir(path, 0777) != 0) return false;
        snprintf(path, sizeof path, "%s/%s/part.csv", folder, tpch_tables[i].name);
        FILE *out = fopen(path, "w");
        if (out == NULL) return false;
        // Orders and lines start from the same state.
        random_state = 0x9e3779b97f4a7c15ULL + (i < 6 ? i : 6);
        for (int k = 0; k < 8; k++) (void)random_below(2);
        header_write(out, tpch_tables[i].columns);
        writers[i](out, &of);
        if (fclose(out) != 0) return false;
    }
    return tables_write(folder);
}
