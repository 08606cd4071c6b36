// scalar_functions: how many million rows a second each scalar function takes, over columns made of the literals of its
// example.
//
//     scalar_functions [ROWS [NAME]]  ->  rate, name, call, slowest first
//
// The time of the same rows without the call is subtracted. One thread, CPU seconds of the process.
#include "bench/example_calls.h"

#include <time.h>

typedef struct rate {
    double              rows_per_us;
    const example_call *call;
    char                note[200];
} rate;

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static leat_status run(leat_session *session, const char *sql, double *out_seconds, leat_error *err) {
    leat_statement *statement = NULL;
    double          start     = cpu_seconds();
    leat_status     status    = leat_prepare(session, sql, LEAT_TERMINATED, &statement, NULL, err);
    while (status == LEAT_OK || status == LEAT_ROW) status = leat_step(statement, err);
    *out_seconds = cpu_seconds() - start;
    leat_statement_close(&statement);
    return status;
}

// `calls` counts the values; without it the columns are only made and counted.
static void query(const example_call *call, unsigned long rows, bool with_call, char *out, size_t capacity) {
    char        expression[2 * EXAMPLE_BYTES_MAX];
    const char *columns[EXAMPLE_LITERALS_MAX];
    uint32_t    count = example_columns(call, columns);
    size_t      used  = (size_t)snprintf(out, capacity, "SELECT ");
    example_print(call, -1, expression, sizeof expression);
    for (uint32_t c = 0; c < count; c++)
        used += (size_t)snprintf(out + used, capacity - used, "%scount(c%u)", c > 0 ? ", " : "", c);
    if (with_call) used += (size_t)snprintf(out + used, capacity - used, ", count(%s)", expression);
    used += (size_t)snprintf(out + used, capacity - used, " FROM (SELECT id");
    for (uint32_t c = 0; c < count; c++)
        used += (size_t)snprintf(out + used, capacity - used, ", if(id >= 0, %s, NULL) AS c%u", columns[c], c);
    snprintf(out + used, capacity - used, " FROM range(%lu))", rows);
}

static int by_rate(const void *a, const void *b) {
    double x = ((const rate *)a)->rows_per_us, y = ((const rate *)b)->rows_per_us;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    unsigned long rows    = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
    leat_session *session = NULL;
    leat_error   *err     = NULL;
    example_call *calls;
    if (leat_error_create(&err) != LEAT_OK || leat_open(NULL, &session, err) != LEAT_OK) return 1;
    uint32_t count = example_calls_read(session, &calls, err);
    rate    *rates = calloc(count + 1, sizeof *rates);
    for (uint32_t i = 0; i < count; i++) {
        char   with[16 * EXAMPLE_BYTES_MAX], without[16 * EXAMPLE_BYTES_MAX];
        double total = 0, base = 0, again = 0;
        rates[i].call = &calls[i];
        if (argc > 2 && strcmp(argv[2], calls[i].name) != 0) continue;
        query(&calls[i], rows, true, with, sizeof with);
        query(&calls[i], rows, false, without, sizeof without);
        if (run(session, without, &base, err) != LEAT_DONE || run(session, with, &total, err) != LEAT_DONE ||
            run(session, with, &again, err) != LEAT_DONE)
            snprintf(rates[i].note, sizeof rates[i].note, "%s", leat_error_message(err));
        if (again < total) total = again;
        double seconds       = total > base + 1e-6 ? total - base : 1e-6;
        rates[i].rows_per_us = (double)rows / seconds / 1e6;
    }
    qsort(rates, count, sizeof *rates, by_rate);
    for (uint32_t i = 0; i < count; i++) {
        char expression[2 * EXAMPLE_BYTES_MAX];
        if (rates[i].rows_per_us <= 0) continue;
        example_print(rates[i].call, -1, expression, sizeof expression);
        printf("%9.2f  %-28s %s %s\n", rates[i].rows_per_us, rates[i].call->name, expression, rates[i].note);
    }
    printf("%u calls\n", count);
    free(rates);
    free(calls);
    leat_error_destroy(&err);
    return leat_close(&session, NULL) == LEAT_OK ? 0 : 1;
}
