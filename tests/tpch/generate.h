// generate: the eight tables of TPC-H in small, as CSV files with a header: same rows for the same scale everywhere.
//
// Scale 1000 gives 10,025 suppliers, 150,000 customers, 200,000 parts, 1,500,000 orders. Values follow the benchmark's
// lists (segments, brands, types, nations); the random numbers are this program's own.
#ifndef TESTS_TPCH_GENERATE_H
#define TESTS_TPCH_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tpch_table {
    const char *name, *columns; // as CREATE TABLE takes them
} tpch_table;

enum { TPCH_TABLES = 8 };
extern const tpch_table tpch_tables[TPCH_TABLES];

// Writes <folder>/<table>/part.csv for each table, and <folder>/tables: names and columns. false: errno says why.
bool tpch_generate(const char *folder, uint32_t scale);

#endif
