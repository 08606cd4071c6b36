// function_forms: every scalar function gives a row the same value or the same error whatever form its arguments come
// in: one row alone is the oracle; beside it flat columns in chunks of 1, 63, 64, 65 and more rows, sub-selections that
// guard rows which fail, survivors of a filter, constants, and columns repeated inside a lambda.
//
//     function_forms [NAME]
//
// Calls come from the examples of SHOW FUNCTIONS (bench/example_calls.h); values are the literals of the example and
// others of their kind, NULL among them.
#include "bench/example_calls.h"

enum { ROWS = 65, POOL_MAX = 8, SQL_BYTES = 16 * EXAMPLE_BYTES_MAX };

typedef struct outcome {
    char *value;     // displayed; NULL: it failed
    char  error[80]; // condition
} outcome;

typedef struct suite {
    leat_session *session;
    leat_error   *err;
    uint32_t      failures, checked;
} suite;

static leat_status status_of(const suite *self, const char *sql, leat_statement **out) {
    return leat_prepare(self->session, sql, LEAT_TERMINATED, out, NULL, self->err);
}

// Values for a column: the literal first, then others that bind in its place.
static uint32_t pool_of(const char *literal, char pool[POOL_MAX][EXAMPLE_BYTES_MAX + 32]) {
    static const char *const numbers[] = {"0", "1", "-1", "7", "2147483647", NULL};
    static const char *const texts[]   = {
          "''", "' a,b 12'", "'\xc3\xa4\xe2\x82\xac x'", "'2024-02-29 01:02:03'", "'{\"a\": 1, \"b\": [true]}'", NULL};
    static const char *const dates[]  = {"DATE '1582-10-04'", "DATE '2024-02-29'", "DATE '-0044-03-15'", NULL};
    static const char *const truths[] = {"true", "false", NULL};
    static const char *const stamps[] = {"TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2024-02-29 12:00:00'",
                                         NULL};
    static const char *const none[]   = {NULL};
    const char *const       *more     = none;
    size_t                   bytes    = strlen(literal);
    if (literal[0] == '\'') more = texts;
    if (isdigit((unsigned char)literal[0]) && strspn(literal, "0123456789") == bytes) more = numbers;
    if (strncmp(literal, "DATE", 4) == 0) more = dates;
    if (strncmp(literal, "TIMESTAMP '", 11) == 0) more = stamps;
    if (tolower((unsigned char)literal[0]) == 't' && bytes == 4) more = truths;
    uint32_t count = 0;
    snprintf(pool[count++], sizeof pool[0], "%s", literal);
    for (uint32_t i = 0; more[i] != NULL; i++) snprintf(pool[count++], sizeof pool[0], "%s", more[i]);
    snprintf(pool[count++], sizeof pool[0], "NULL");
    return count;
}

// (SELECT id, <value of the row> AS c0, ... FROM range(rows)); row 0 has the literals, rows repeat after ROWS.
static void print_source(const example_call *call, uint32_t rows, char *out, size_t capacity) {
    const char *columns[EXAMPLE_LITERALS_MAX];
    char        pool[POOL_MAX][EXAMPLE_BYTES_MAX + 32];
    uint32_t    count = example_columns(call, columns);
    size_t      used  = (size_t)snprintf(out, capacity, "(SELECT id");
    for (uint32_t c = 0; c < count; c++) {
        uint32_t values = pool_of(columns[c], pool);
        used += (size_t)snprintf(out + used, capacity - used, ", array(");
        for (uint32_t i = 0; i < values; i++)
            used += (size_t)snprintf(out + used, capacity - used, "%s%s", i > 0 ? ", " : "", pool[i]);
        used += (size_t)snprintf(out + used, capacity - used, ")[((id %% %d) * %u DIV %u) %% %u] AS c%u", ROWS,
                                 2 * c + 1, c + 1, values, c);
    }
    snprintf(out + used, capacity - used, " FROM range(%u))", rows);
}

static void note(suite *self, const example_call *call, const char *form, uint32_t row, const char *wanted,
                 const char *found) {
    char expression[2 * EXAMPLE_BYTES_MAX];
    example_print(call, -1, expression, sizeof expression);
    if (self->failures++ < 20)
        printf("%s: %s, row %u: alone %s, %s %s\n", call->name, expression, row, wanted, form, found);
}

static char *display_of(const leat_statement *statement, uint32_t column) {
    const char *text = leat_column_display(statement, column, NULL);
    return strdup(text == NULL ? "NULL" : text);
}

// Each row by itself.
static bool run_alone(suite *self, const example_call *call, int only, uint32_t rows, outcome *out) {
    char            source[SQL_BYTES], sql[2 * SQL_BYTES], expression[2 * EXAMPLE_BYTES_MAX];
    leat_statement *statement = NULL;
    print_source(call, rows, source, sizeof source);
    example_print(call, only, expression, sizeof expression);
    snprintf(sql, sizeof sql, "SELECT %s FROM %s WHERE id = ?", expression, source);
    if (status_of(self, sql, &statement) != LEAT_OK) return false;
    for (uint32_t row = 0; row < rows; row++) {
        leat_status status = leat_statement_reset(statement, self->err);
        if (status == LEAT_OK) status = leat_bind_int64(statement, 0, row, self->err);
        if (status == LEAT_OK) status = leat_step(statement, self->err);
        out[row] = (outcome){0};
        if (status == LEAT_ROW)
            out[row].value = display_of(statement, 0);
        else
            snprintf(out[row].error, sizeof out[row].error, "%s", leat_error_condition(self->err));
    }
    leat_statement_close(&statement);
    return true;
}

// Runs a query of (id, value) and compares with the rows alone; rows that failed alone must be NULL.
static void compare(suite *self, const example_call *call, const char *form, const char *sql, const outcome *alone,
                    uint32_t wanted_rows) {
    leat_statement *statement = NULL;
    uint32_t        rows      = 0;
    leat_status     status    = status_of(self, sql, &statement);
    if (status == LEAT_OK) status = leat_step(statement, self->err);
    for (; status == LEAT_ROW; status = leat_step(statement, self->err), rows++) {
        uint32_t    row    = (uint32_t)(leat_column_int64(statement, 0) % ROWS);
        char       *found  = display_of(statement, 1);
        const char *wanted = alone[row].value == NULL ? "NULL" : alone[row].value;
        if (strcmp(found, wanted) != 0) note(self, call, form, row, wanted, found);
        free(found);
    }
    if (status != LEAT_DONE) note(self, call, form, rows, "rows", leat_error_message(self->err));
    if (status == LEAT_DONE && rows != wanted_rows) note(self, call, form, rows, "all rows", "others");
    leat_statement_close(&statement);
}

static void compare_error(suite *self, const example_call *call, const char *sql, const outcome *alone) {
    leat_statement *statement = NULL;
    leat_status     status    = status_of(self, sql, &statement);
    while (status == LEAT_OK || status == LEAT_ROW) status = leat_step(statement, self->err);
    leat_statement_close(&statement);
    bool is_known = false;
    for (uint32_t row = 0; row < ROWS && status != LEAT_DONE; row++)
        is_known |= strcmp(alone[row].error, leat_error_condition(self->err)) == 0;
    if (!is_known) note(self, call, "all rows at once", 0, "an error", status == LEAT_DONE ? "none" : "another");
}

static void check(suite *self, const example_call *call) {
    static const uint32_t counts[] = {1, 63, 64, 65, 2048, 2100};
    static char           source[SQL_BYTES], sql[4 * SQL_BYTES], guarded[4 * EXAMPLE_BYTES_MAX];
    char                  expression[2 * EXAMPLE_BYTES_MAX], good[8 * ROWS] = "";
    outcome               alone[ROWS];
    uint32_t              good_count = 0;
    example_print(call, -1, expression, sizeof expression);
    if (!run_alone(self, call, -1, ROWS, alone)) return; // some value does not bind in the place of the literal
    for (uint32_t row = 0; row < ROWS; row++) {
        if (alone[row].value == NULL) continue;
        sprintf(good + strlen(good), "%s%u", good_count > 0 ? ", " : "", row);
        good_count++;
    }
    if (good_count == 0) return;
    self->checked++;
    snprintf(guarded, sizeof guarded, "CASE WHEN id %% %d IN (%s) THEN %s END", ROWS, good, expression);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        print_source(call, counts[i], source, sizeof source);
        snprintf(sql, sizeof sql, "SELECT id, %s FROM %s", guarded, source);
        compare(self, call, "guarded", sql, alone, counts[i]);
        if (good_count == ROWS) {
            snprintf(sql, sizeof sql, "SELECT id, %s FROM %s", expression, source);
            compare(self, call, "flat", sql, alone, counts[i]);
        }
    }
    print_source(call, ROWS, source, sizeof source);
    snprintf(sql, sizeof sql, "SELECT id, %s FROM %s WHERE id IN (%s)", expression, source, good);
    compare(self, call, "filtered", sql, alone, good_count);
    snprintf(sql, sizeof sql, "SELECT id, transform(array(0, 1), lane -> %s)[1] FROM %s", guarded, source);
    compare(self, call, "in a lambda", sql, alone, ROWS);
    if (good_count < ROWS) {
        snprintf(sql, sizeof sql, "SELECT %s FROM %s", expression, source);
        compare_error(self, call, sql, alone);
    }
    const char *columns[EXAMPLE_LITERALS_MAX];
    uint32_t    count = example_columns(call, columns);
    for (uint32_t c = 0; c < count && count > 1; c++) { // one column beside constants
        outcome single[ROWS];
        if (!run_alone(self, call, (int)c, POOL_MAX, single)) continue;
        for (uint32_t row = 0; row < ROWS; row++)
            if (row >= POOL_MAX || single[row].value == NULL) single[row].value = strdup("NULL");
        char some[8 * POOL_MAX] = "-1";
        for (uint32_t row = 0; row < POOL_MAX; row++)
            if (single[row].error[0] == '\0') sprintf(some + strlen(some), ", %u", row);
        example_print(call, (int)c, expression, sizeof expression);
        snprintf(sql, sizeof sql, "SELECT id, CASE WHEN id %% %d IN (%s) THEN %s END FROM %s", ROWS, some, expression,
                 source);
        compare(self, call, "beside constants", sql, single, ROWS);
        for (uint32_t row = 0; row < ROWS; row++) free(single[row].value);
    }
    for (uint32_t row = 0; row < ROWS; row++) free(alone[row].value);
}

int main(int argc, char **argv) {
    suite         self  = {0};
    example_call *calls = NULL;
    uint32_t      count = 0;
    if (leat_error_create(&self.err) != LEAT_OK || leat_open(NULL, &self.session, self.err) != LEAT_OK) return 1;
    count = example_calls_read(self.session, &calls, self.err);
    for (uint32_t i = 0; i < count; i++)
        if (argc < 2 || strcmp(argv[1], calls[i].name) == 0) check(&self, &calls[i]);
    printf("%u functions, %u checked, %u differences\n", count, self.checked, self.failures);
    free(calls);
    leat_error_destroy(&self.err);
    if (leat_close(&self.session, NULL) != LEAT_OK || (argc < 2 && self.checked < 300)) return 1;
    return self.failures == 0 ? 0 : 1;
}
