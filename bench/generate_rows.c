// generate_rows: writes JSON Lines for the benchmarks: a pure function of its arguments.
//
//     generate_rows ROWS KEYS SEED [order|shuffled]  ->  rows of 147 bytes, the newline included
//
// A row has a string key of at most 12 bytes, an amount, and the usual companions of an event that no query asks for.
// `shuffled` changes the order of the fields from row to row (16 orders), as writers of several kinds do.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_BYTES = 147, FIELDS = 6, ORDERS = 16, TEXT_MAX_BYTES = 256 };

// splitmix64: a bijection on 64-bit integers.
static uint64_t mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

static void key_write(char *out, size_t capacity, uint64_t key, uint64_t keys) {
    static const char *const few[] = {"checkout", "search", "view", "cart", "login"};
    if (keys <= 5)
        snprintf(out, capacity, "%s", few[key]);
    else
        snprintf(out, capacity, "event_%06" PRIu64, key);
}

static void fields_write(char fields[FIELDS][TEXT_MAX_BYTES], uint64_t row, uint64_t keys, uint64_t seed) {
    uint64_t random = mix(seed ^ mix(row));
    char     key[32];
    key_write(key, sizeof key, random % keys, keys);
    snprintf(fields[0], TEXT_MAX_BYTES, "\"event\":\"%s\"", key);
    snprintf(fields[1], TEXT_MAX_BYTES, "\"amount\":%" PRIu64, (random >> 20) % 1000);
    snprintf(fields[2], TEXT_MAX_BYTES, "\"user_id\":%" PRIu64, 100000 + (random >> 32) % 900000);
    snprintf(fields[3], TEXT_MAX_BYTES, "\"at\":\"2026-01-%02" PRIu64 "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "Z\"",
             1 + row / 86400 % 28, row / 3600 % 24, row / 60 % 60, row % 60);
    snprintf(fields[4], TEXT_MAX_BYTES, "\"is_test\":%s", (random >> 40) % 8 == 0 ? "true" : "false");
    size_t bytes = 2 + FIELDS - 1 + 1;
    for (size_t i = 0; i < FIELDS - 1; i++) bytes += strlen(fields[i]);
    char page[ROW_BYTES];
    for (size_t i = 0; i < sizeof page; i++) page[i] = (char)('a' + mix(random + i) % 26);
    snprintf(fields[5], TEXT_MAX_BYTES, "\"page\":\"/%.*s\"", (int)(ROW_BYTES - bytes - strlen("\"page\":\"/\"")),
             page);
}

int main(int argument_count, char **arguments) {
    if (argument_count < 4) {
        fprintf(stderr, "usage: generate_rows ROWS KEYS SEED [order|shuffled]\n");
        return 2;
    }
    uint64_t rows = strtoull(arguments[1], NULL, 10), keys = strtoull(arguments[2], NULL, 10),
             seed   = strtoull(arguments[3], NULL, 10);
    int is_shuffled = argument_count > 4 && strcmp(arguments[4], "shuffled") == 0;
    if (keys == 0) return 2;
    static char fields[FIELDS][TEXT_MAX_BYTES];
    for (uint64_t row = 0; row < rows; row++) {
        fields_write(fields, row, keys, seed);
        size_t first = is_shuffled ? mix(row + seed) % ORDERS : 0;
        for (size_t i = 0; i < FIELDS; i++) {
            // Two rotations and a reversal give the orders.
            size_t field = first < FIELDS ? (i + first) % FIELDS : (FIELDS - 1 - i + first) % FIELDS;
            fputs(i == 0 ? "{" : ",", stdout);
            fputs(fields[field], stdout);
        }
        fputs("}\n", stdout);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
