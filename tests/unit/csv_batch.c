// Rows of CSV by the places of their cells: whatever the dialect, the instruction set and the cut, the rows and the bad
// rows are those of the reader of single lines.
#include "storage/csv_index.h"
#include "tests/unit/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const lt_format lt_formats_csv;

static uint32_t random_next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// --------------------------------------------------------------------------------------------------------------- index

// Byte by byte, with a look at the next one; odd[i]: byte i belongs to what a parity cannot judge.
static uint32_t index_plainly(const lt_csv_index_bytes *of, const char *text, size_t count, uint16_t *positions,
                              bool *is_step_odd) {
    uint32_t found     = 0;
    bool     is_inside = false, is_boundary = true; // the byte before ends a cell
    memset(is_step_odd, 0, count / 64 + 1);
    for (size_t i = 0; i < count; i++) {
        const char byte = text[i], next = i + 1 < count ? text[i + 1] : '\0';
        // Something that is odd because of the byte behind it counts there when that begins a step.
        const size_t behind = (i + 1) % 64 == 0 ? i + 1 : i;
        if (of->has_quote && byte == of->quote) {
            is_inside = !is_inside;
            if (is_inside && !is_boundary) is_step_odd[i / 64] = true;
            const bool is_end = next == of->separator || next == '\n' || next == '\r';
            if (!is_inside && !is_end && behind < count) is_step_odd[behind / 64] = true;
            is_boundary = false;
            continue;
        }
        if (of->has_escape && byte == of->escape && is_inside) is_step_odd[i / 64] = true;
        if (byte == '\r' && next != '\n' && behind < count) is_step_odd[behind / 64] = true;
        is_boundary = byte == '\n' || (byte == of->separator && !is_inside);
        if (byte == '\n' && is_inside) is_step_odd[i / 64] = true, is_inside = false;
        if (is_boundary) positions[found++] = (uint16_t)(i | (byte == '\n' ? LT_CSV_NEWLINE : 0));
    }
    return found;
}

static void test_index_finds_ends_of_cells_and_lines(void **state) {
    (void)state;
    static const char               alphabet[] = ",\n\"a,\n\"\r\\b;'x,,\"\"";
    static const lt_csv_index_bytes dialects[] = {{',', '"', '\\', true, true},
                                                  {',', '"', '"', true, false},
                                                  {';', '\'', '\0', true, false},
                                                  {'\t', '\0', '\0', false, false}};
    static uint16_t                 positions[LT_CSV_INDEX_POSITIONS], wanted[LT_CSV_INDEX_BYTES];
    static char                     text[LT_CSV_INDEX_BYTES];
    static bool                     odd[LT_CSV_INDEX_BYTES / 64 + 1];
    uint32_t                        seed = 78;
    for (int round = 0; round < 800; round++) {
        const size_t   count   = round < 400 ? (size_t)round : random_next(&seed) % (LT_CSV_INDEX_BYTES - 1);
        const uint32_t letters = round % 3 == 0 ? 4 : (uint32_t)sizeof alphabet - 1;
        const uint32_t plain   = (uint32_t)round % 5; // of five bytes
        for (size_t i = 0; i < count; i++)
            text[i] = random_next(&seed) % 5 < plain ? 'z' : alphabet[random_next(&seed) % letters];
        const lt_csv_index_bytes *of    = &dialects[round % 4];
        const uint32_t            found = index_plainly(of, text, count, wanted, odd);
        bool                      any   = false;
        for (size_t step = 0; step * 64 < count; step++) any |= odd[step];
        char *exact = malloc(count + 1), *shrunk = realloc(exact, count > 0 ? count : 1);
        memcpy(shrunk, text, count);
        for (const lt_csv_index_kernel *kernel = lt_csv_index_kernels; kernel->name != NULL; kernel++) {
            if (!kernel->is_supported()) continue;
            lt_csv_index index = {.positions = positions};
            kernel->run(&index, of, shrunk, count);
            assert_int_equal(index.count, found);
            assert_memory_equal(positions, wanted, found * sizeof wanted[0]);
            // The last byte has no next one; what it is does not matter, as its line has no end here.
            for (size_t step = 0; step * 64 < count; step++)
                assert_true((index.marks[step / 64] >> (step % 64) & 1) == odd[step] || step == (count - 1) / 64);
            if (count % 64 != 0 && !any && index.has_marks) continue;
            assert_true(index.has_marks || !any);
        }
        free(shrunk);
    }
}

// -------------------------------------------------------------------------------------------------------- differential

typedef struct pair {
    decode_rig lines, rows;
    lt_arena   arena;
    lt_buffer  text;
} pair;

static void pair_option(pair *self, const char *name, const char *value) {
    rig_option(&self->lines, name, value);
    rig_option(&self->rows, name, value);
}

static void columns_add(decode_rig *rig, lt_arena *arena) {
    rig_column(rig, "i", lt_type_of(LT_INT));
    rig_column(rig, "s", lt_type_of(LT_STRING));
    rig_column(rig, "l", lt_type_of(LT_BIGINT));
    rig_column(rig, "d", lt_type_of(LT_DOUBLE));
    rig_column(rig, "b", lt_type_of(LT_BOOLEAN));
    rig_column(rig, "bad", lt_type_of(LT_STRING));
    rig_column(rig, "ts", lt_type_of(LT_TIMESTAMP));
    rig_column(rig, "n", lt_type_decimal(arena, 9, 2));
    rig_column(rig, "day", lt_type_of(LT_DATE));
    rig_column(rig, "ntz", lt_type_of(LT_TIMESTAMP_NTZ));
    rig_column(rig, "small", lt_type_of(LT_SMALLINT));
    rig_column(rig, "f", lt_type_of(LT_FLOAT));
    rig_column(rig, "t", lt_type_of(LT_STRING));
    rig->target.corrupt_column = 5;
}

static void pair_init(pair *self) {
    rig_init(&self->lines);
    rig_init(&self->rows);
    lt_arena_init(&self->arena, &self->lines.account);
    lt_buffer_init(&self->text, &self->lines.account, 0);
    columns_add(&self->lines, &self->arena);
    columns_add(&self->rows, &self->arena);
    rig_option(&self->lines, "leat.csvBatch", "off");
    rig_option(&self->lines, "leat.csvIndex", NULL);
    rig_option(&self->rows, "leat.csvBatch", "always");
    rig_option(&self->rows, "leat.csvIndex", NULL);
}

static void pair_deinit(pair *self) {
    lt_buffer_deinit(&self->text);
    lt_arena_deinit(&self->arena);
    rig_deinit(&self->lines);
    rig_deinit(&self->rows);
    assert_int_equal(self->lines.account.bytes, 0);
    assert_int_equal(self->rows.account.bytes, 0);
}

static void run_and_compare(pair *self, const char *use, const char *kernel, size_t cut) {
    self->rows.options[0].value = use;
    self->rows.options[1].value = kernel;
    rig_run(&self->rows, &lt_formats_csv, self->text.data, self->text.bytes, cut);
    assert_string_equal(self->rows.err.message, self->lines.err.message);
    assert_int_equal(self->rows.status, self->lines.status);
    assert_string_equal(rig_bad(&self->rows), rig_bad(&self->lines));
    // After an error, rows before it may have been given or not.
    if (self->lines.status == LEAT_OK) assert_string_equal(rig_rows(&self->rows), rig_rows(&self->lines));
}

static void read_lines(pair *self) {
    rig_run(&self->lines, &lt_formats_csv, self->text.data, self->text.bytes, SIZE_MAX);
}

static void expect_equal(pair *self, size_t cut) {
    read_lines(self);
    for (const lt_csv_index_kernel *kernel = lt_csv_index_kernels; kernel->name != NULL; kernel++)
        if (kernel->is_supported()) run_and_compare(self, "always", kernel->name, cut);
    run_and_compare(self, NULL, NULL, cut);
}

typedef struct dialect {
    const char *separator, *quote, *escape, *null_text, *line_end;
} dialect;

static const dialect dialects[] = {
    {",", "\"", "\\", "", "\n"},     {",", "\"", "\"", "", "\r\n"}, {";", "'", "\\", "NULL", "\n"},
    {"\t", "\"", "\\", "\\N", "\n"}, {"|", "", "\\", "-", "\r\n"},  {" ", "\"", "\\", "", "\n"},
};

static void cell_add(uint32_t *seed, lt_buffer *out, uint32_t cell, const dialect *of, uint32_t oddness) {
    static const char *const odd[] = {
        "null",        "NULL",  "\\N",         "-",      "\"\"",   "\"a\"\"b\"",  "\"a\\\"b\"",
        "a\"b",        "\"a",   "\"a\"b",      "\"a\" ", " \"a\"", "x,y",         "x;y",
        "\"x,y;z|w\"", "'x,y'", "''",          "01",     "+1",     "1.",          ".5",
        "-0",          "1e3",   "NaN",         "Inf",    "-Inf",   "12345678901", "99999999999999999999",
        " 7",          "7 ",    "2024",        "TRUE",   "false",  "2024-02-30",  "10:00",
        "1,234.5",     "\xff",  "caf\xc3\xa9", "a\rb",   "\\",     "3.5d",        "12345678.12345678",
        "123456789.5"};
    static const uint32_t powers[] = {1, 10, 1000, 100000, 10000000};
    const uint32_t        number   = random_next(seed) % powers[random_next(seed) % 5];
    if (oddness > 0 && random_next(seed) % oddness == 0) {
        (void)lt_buffer_append_text(out, odd[random_next(seed) % (sizeof odd / sizeof odd[0])], NULL);
        return;
    }
    const uint32_t kind = random_next(seed) % 16;
    if (kind == 0) return;
    if (kind == 1) {
        (void)lt_buffer_append_text(out, of->null_text, NULL);
        return;
    }
    const char *quote = kind < 6 ? of->quote : "";
    (void)lt_buffer_append_text(out, quote, NULL);
    switch (cell) {
    case 0:
        (void)lt_buffer_format(out, NULL, "%s%u", random_next(seed) % 4 == 0 ? "-" : "", number);
        break;
    case 2:
        (void)lt_buffer_format(out, NULL, "%u%06u", number, random_next(seed) % 1000000);
        break;
    case 3:
    case 6:
    case 10:
        (void)lt_buffer_format(out, NULL, "%u.%02u", number, random_next(seed) % 100);
        break;
    case 4:
        (void)lt_buffer_append_text(out, random_next(seed) % 2 == 0 ? "true" : "False", NULL);
        break;
    case 5:
        (void)lt_buffer_format(out, NULL, "20%02u-%02u-%02uT%02u:%02u:%02u%sZ", number % 100, number % 12 + 1,
                               number % 28 + 1, number % 24, number % 60, number % 60, number % 3 == 0 ? ".125" : "");
        break;
    case 7:
        (void)lt_buffer_format(out, NULL, "19%02u-%02u-%02u", number % 100, number % 12 + 1, number % 31 + 1);
        break;
    case 8:
        (void)lt_buffer_format(out, NULL, "2024-05-01T%02u:%02u:00", number % 25, number % 60);
        break;
    case 9:
        (void)lt_buffer_format(out, NULL, "%u", number % 40000);
        break;
    default: {
        const char *letters = *quote != '\0' ? "ab,c;d\te|f gh'ij klmnopqrst" : "abcdefghijklmnopqrstuvwxyz0";
        for (uint32_t i = 0; i < number % 27; i++)
            if (letters[i] != *quote) (void)lt_buffer_append_byte(out, letters[i], NULL);
    }
    }
    (void)lt_buffer_append_text(out, quote, NULL);
}

static void row_add(uint32_t *seed, lt_buffer *out, const dialect *of, uint32_t oddness) {
    uint32_t cells = 12;
    if (oddness > 0 && random_next(seed) % (oddness * 4) == 0) {
        static const char *const lines[] = {"", "  ", "#a comment,1", "\"", "a\rb", "\r", "1", "#"};
        if (random_next(seed) % 2 == 0)
            (void)lt_buffer_append_text(out, lines[random_next(seed) % (sizeof lines / sizeof lines[0])], NULL);
        else
            cells = random_next(seed) % 15;
    }
    for (uint32_t i = 0; i < cells; i++) {
        if (i > 0) (void)lt_buffer_append_text(out, of->separator, NULL);
        cell_add(seed, out, i, of, oddness);
    }
    (void)lt_buffer_append_text(out, of->line_end, NULL);
}

static void pair_dialect(pair *self, const dialect *of) {
    pair_option(self, "sep", of->separator);
    pair_option(self, "quote", of->quote);
    pair_option(self, "escape", of->escape);
    pair_option(self, "nullValue", of->null_text);
}

static void test_dialects(void **state) {
    (void)state;
    static const char *const modes[] = {"PERMISSIVE", "DROPMALFORMED", "FAILFAST"};
    uint32_t                 seed    = 31337;
    for (int round = 0; round < 180; round++) {
        const dialect *of = &dialects[round % 6];
        pair           self;
        pair_init(&self);
        pair_dialect(&self, of);
        pair_option(&self, "mode", modes[round / 6 % 3]);
        if (round % 5 == 0) pair_option(&self, "comment", "#");
        if (round % 4 == 0) pair_option(&self, "header", "true");
        const uint32_t oddness = round % 3 == 0 ? 0 : round % 3 == 1 ? 20 : 300;
        for (uint32_t row = 0; row < 300; row++) row_add(&seed, &self.text, of, oddness);
        if (round % 7 == 0) {
            const uint32_t wanted = random_next(&seed);
            for (uint32_t c = 0; c < self.rows.target.column_count; c++)
                self.rows.is_wanted[c] = self.lines.is_wanted[c] = (wanted >> c & 1) != 0;
            self.rows.target.is_wanted  = self.rows.is_wanted;
            self.lines.target.is_wanted = self.lines.is_wanted;
        }
        if (round % 11 == 0) self.rows.target.corrupt_column = self.lines.target.corrupt_column = -1;
        expect_equal(&self, round % 5 == 0 ? random_next(&seed) % 5000 + 1 : SIZE_MAX);
        pair_deinit(&self);
    }
}

// A row among good ones, with another byte at every place; then cut short behind every byte.
static void test_broken_at_every_byte(void **state) {
    (void)state;
    static const char others[] = "\"\\,; 0-.ex\x01\x80\n\r#";
    uint32_t          seed     = 9;
    for (int round = 0; round < 2; round++) {
        pair self;
        pair_init(&self);
        pair_dialect(&self, &dialects[round]);
        for (int row = 0; row < 40; row++) row_add(&seed, &self.text, &dialects[round], 0);
        const size_t start = self.text.bytes;
        row_add(&seed, &self.text, &dialects[round], 0);
        const size_t end = self.text.bytes;
        for (int row = 0; row < 24; row++) row_add(&seed, &self.text, &dialects[round], 0);
        for (size_t at = start; at < end; at++) {
            const char kept = self.text.data[at];
            for (size_t i = 0; i < sizeof others - 1; i++) {
                self.text.data[at] = others[i];
                read_lines(&self);
                run_and_compare(&self, "always", at % 2 == 0 ? NULL : "portable", SIZE_MAX);
            }
            self.text.data[at] = kept;
        }
        const size_t whole = self.text.bytes;
        for (self.text.bytes = start; self.text.bytes < end; self.text.bytes++) {
            read_lines(&self);
            run_and_compare(&self, "always", NULL, SIZE_MAX);
        }
        self.text.bytes = whole;
        pair_deinit(&self);
    }
}

static void test_every_cut(void **state) {
    (void)state;
    uint32_t seed = 6;
    for (int round = 0; round < 2; round++) {
        pair self;
        pair_init(&self);
        pair_dialect(&self, &dialects[round]);
        for (int row = 0; row < 24; row++) row_add(&seed, &self.text, &dialects[round], row % 2 == 0 ? 0 : 60);
        read_lines(&self);
        for (size_t cut = 1; cut < self.text.bytes + 2; cut++) run_and_compare(&self, "always", NULL, cut);
        pair_deinit(&self);
    }
}

static void test_widths(void **state) {
    (void)state;
    static const int widths[] = {0, 1, 50, 900, 5000, 16000, 31000, 32700, 32760, 33000, 65535, 100000};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        pair self;
        pair_init(&self);
        for (int row = 0; row < 40; row++) {
            (void)lt_buffer_format(&self.text, NULL, "%d,\"", row);
            for (int i = 0; i < widths[w] - row % 3 * widths[w] / 4; i++)
                (void)lt_buffer_append_byte(&self.text, (char)('a' + (i + row) % 26), NULL);
            (void)lt_buffer_format(&self.text, NULL, "\",%d,,true,,,,,,,text\n", row);
        }
        expect_equal(&self, SIZE_MAX);
        expect_equal(&self, 262144);
        pair_deinit(&self);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index_finds_ends_of_cells_and_lines),
        cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_broken_at_every_byte),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
