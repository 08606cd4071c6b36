// Rows of JSON Lines by their shape: whatever the shape, the instruction set and the cut, the rows and the bad rows are
// those of the walker.
#include "base/json_reader.h"
#include "storage/json_index.h"
#include "storage/value_lanes.h"
#include "tests/unit/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const lt_format lt_formats_json;

static uint32_t random_next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// --------------------------------------------------------------------------------------------------------------- index

static void test_index_finds_quotes_and_ends_of_lines(void **state) {
    (void)state;
    static const char alphabet[] = "\"\"\\\\\na b:,\x80\x01{}\r";
    static uint16_t   positions[LT_JSON_INDEX_POSITIONS], wanted[LT_JSON_INDEX_BYTES];
    static char       text[LT_JSON_INDEX_BYTES];
    uint32_t          seed = 77;
    for (int round = 0; round < 600; round++) {
        const size_t   count   = round < 300 ? (size_t)round : random_next(&seed) % (LT_JSON_INDEX_BYTES - 1);
        const uint32_t letters = round % 3 == 0 ? 2 : round % 3 == 1 ? 4 : (uint32_t)sizeof alphabet - 1;
        for (size_t i = 0; i < count; i++)
            text[i] = alphabet[(random_next(&seed) % letters + (round % 5 == 0 ? 2 : 0)) % (sizeof alphabet - 1)];
        uint32_t found     = 0;
        bool     is_hidden = false, has_marks = false;
        for (size_t i = 0; i < count; i++) {
            if (text[i] == '\n' || (text[i] == '"' && !is_hidden)) wanted[found++] = (uint16_t)i;
            is_hidden = text[i] == '\\' && !is_hidden;
        }
        char *exact = malloc(count + 1), *shrunk = realloc(exact, count > 0 ? count : 1);
        memcpy(shrunk, text, count);
        for (const lt_json_index_kernel *kernel = lt_json_index_kernels; kernel->name != NULL; kernel++) {
            if (!kernel->is_supported()) continue;
            lt_json_index index = {.positions = positions};
            kernel->run(&index, shrunk, count);
            assert_int_equal(index.count, found);
            assert_memory_equal(positions, wanted, found * sizeof wanted[0]);
            has_marks = false;
            for (size_t step = 0; step * 64 < count; step++) {
                bool is_marked = false;
                for (size_t i = step * 64; i < count && i < step * 64 + 64; i++)
                    is_marked |= (unsigned char)text[i] >= 0x80 || text[i] == '\\' ||
                                 ((unsigned char)text[i] < 0x20 && text[i] != '\n');
                assert_int_equal(index.marks[step / 64] >> (step % 64) & 1, is_marked);
                has_marks |= is_marked;
            }
            assert_int_equal(index.has_marks, has_marks);
        }
        free(shrunk);
    }
}

// Marks go where UTF-8 is all that they stand for, in all bytes or in none.
static void test_index_takes_marks_off_good_utf8(void **state) {
    (void)state;
    static const char *const good[] = {"a",
                                       "plain text of some length ",
                                       "\xc3\xa9",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xe4\xba\x8b\xe4\xbb\xb6",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[]  = {"\x80",
                                       "\xc3",
                                       "\xc0\x80",
                                       "\xc1\xbf",
                                       "\xe0\x9f\xbf",
                                       "\xed\xa0\x80",
                                       "\xe4\xba",
                                       "\xe4"
                                        "a",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf0\x90\x80",
                                       "\xf4\x90\x80\x80",
                                       "\xf5\x80\x80\x80",
                                       "\xff",
                                       "\xe4\xba\x8b\x80"};
    static uint16_t          positions[LT_JSON_INDEX_POSITIONS];
    static char              text[4096 + 64];
    uint32_t                 seed = 6;
    for (int round = 0; round < 6000; round++) {
        const size_t wanted   = random_next(&seed) % (round % 3 == 0 ? 200 : 4000) + 1;
        const bool   is_good  = round % 2 == 0;
        const size_t bad_from = is_good ? SIZE_MAX : random_next(&seed) % wanted;
        const bool   is_rare  = round % 4 < 2;
        size_t       count    = 0;
        bool         is_bad   = false;
        while (count < wanted) {
            const char *next = is_rare && random_next(&seed) % 16 != 0 ? "abc" : good[random_next(&seed) % 10];
            if (count >= bad_from && !is_bad) next = bad[random_next(&seed) % 14], is_bad = true;
            if (random_next(&seed) % 200 == 0) next = random_next(&seed) % 2 == 0 ? "\\\\" : "\t";
            memcpy(text + count, next, strlen(next));
            count += strlen(next);
        }
        text[count++]      = '\n';
        const bool is_utf8 = lt_json_is_utf8(text, count);
        char      *exact   = malloc(count);
        memcpy(exact, text, count);
        for (const lt_json_index_kernel *kernel = lt_json_index_kernels; kernel->name != NULL; kernel++) {
            if (!kernel->is_supported()) continue;
            lt_json_index index = {.positions = positions};
            kernel->run(&index, exact, count);
            const lt_json_index before = index;
            bool                any    = false;
            kernel->unmark_utf8(&index, exact, count);
            for (size_t step = 0; step * 64 < count; step++) {
                bool is_plain = is_utf8 && step * 64 + 64 <= count;
                for (size_t i = step * 64; i < count && i < step * 64 + 64; i++)
                    is_plain &= text[i] != '\\' && text[i] != '\t';
                const bool was = (before.marks[step / 64] >> (step % 64) & 1) != 0;
                assert_int_equal(index.marks[step / 64] >> (step % 64) & 1, was && !is_plain);
                any |= was && !is_plain;
            }
            assert_int_equal(index.has_marks, any);
        }
        free(exact);
    }
}

// ------------------------------------------------------------------------------------------------------------- numbers

static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static bool is_short_integer(const char *text, size_t bytes, int64_t *out) {
    *out = 0;
    for (size_t i = 0; i < bytes && i < 8; i++) {
        if (!is_digit(text[i])) return false;
        *out = *out * 10 + (text[i] - '0');
    }
    return bytes > 0 && bytes <= 8 && (text[0] != '0' || bytes == 1);
}

static bool is_plain_bare(const char *text, size_t bytes) {
    const char *at = text, *end = text + bytes;
    if ((bytes == 4 && (memcmp(text, "true", 4) == 0 || memcmp(text, "null", 4) == 0)) ||
        (bytes == 5 && memcmp(text, "false", 5) == 0))
        return true;
    if (bytes == 0 || bytes > 16) return false;
    if (*at == '-') at++;
    if (at == end || !is_digit(*at) || (*at == '0' && at + 1 < end && is_digit(at[1]))) return false;
    while (at < end && is_digit(*at)) at++;
    if (at == end) return true;
    if (*at != '.' || ++at == end) return false;
    while (at < end && is_digit(*at)) at++;
    return at == end;
}

// What a kernel calls odd may be a number still (the long way finds out), but never the other way round; what it may
// leave to the long way is the sign before 16 digits.
static void test_kernels_know_bare_values(void **state) {
    (void)state;
    static const char words[5][8] = {"true", "false", "null", "nul1", "falsy"};
    static const char letters[]   = "0123456789012345678900..--e+ tx\"\x80/:";
    static char       text[256 * 24 + 64];
    uint32_t          seed = 12;
    for (int round = 0; round < 4000; round++) {
        lt_value_span  spans[LT_VALUE_LANES_ROWS];
        int64_t        numbers[LT_VALUE_LANES_ROWS + 8];
        uint16_t       odd[LT_VALUE_LANES_ROWS];
        const uint32_t count = 1 + random_next(&seed) % LT_VALUE_LANES_ROWS,
                       kinds = round % 3 == 0 ? 10 : (uint32_t)sizeof letters - 1;
        uint32_t at          = random_next(&seed) % 3;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t bytes = random_next(&seed) % (round % 4 == 0 ? 9 : 20);
            spans[i]             = lt_value_span_of(at, at + bytes, round % 5 == 0 && random_next(&seed) % 9 == 0);
            const char *word     = words[random_next(&seed) % 5];
            if (round % 7 < 3 && strlen(word) <= bytes + 1 && random_next(&seed) % 3 != 0) {
                memcpy(text + at, word, bytes < 5 ? bytes : 5); // cut, whole, or with a byte too many
                memset(text + at + 5, bytes % 2 == 0 ? '\0' : 'e', bytes < 5 ? 0 : bytes - 5);
                at += bytes;
            } else {
                for (uint32_t k = 0; k < bytes; k++)
                    text[at++] = letters[random_next(&seed) % (k == 0 ? sizeof letters - 1 : kinds)];
            }
            text[at++] = ',';
        }
        char *exact = malloc(at + 16);
        memcpy(exact, text, at);
        memset(exact + at, '7', 16);
        for (const lt_value_kernel *kernel = lt_value_kernels; kernel->name != NULL; kernel++) {
            if (!kernel->is_supported()) continue;
            uint32_t odds = kernel->short_integers(exact, spans, count, numbers, odd), next = 0;
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t start = lt_value_span_start(spans[i]);
                int64_t        number;
                const bool     is_good = !lt_value_span_is_text(spans[i]) &&
                                     is_short_integer(exact + start, lt_value_span_end(spans[i]) - start, &number);
                if (is_good) assert_int_equal(numbers[i], number);
                assert_int_equal(next < odds && odd[next] == i, !is_good);
                next += !is_good;
            }
            assert_int_equal(next, odds);
            odds = kernel->plain_bares(exact, spans, count, odd), next = 0;
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t start = lt_value_span_start(spans[i]), bytes = lt_value_span_end(spans[i]) - start;
                const bool     is_odd = next < odds && odd[next] == i;
                if (!is_odd) assert_true(is_plain_bare(exact + start, bytes) || (bytes == 17 && exact[start] == '-'));
                if (bytes <= 16) assert_int_equal(is_odd, !is_plain_bare(exact + start, bytes));
                next += is_odd;
            }
            assert_int_equal(next, odds);
        }
        free(exact);
    }
}

// -------------------------------------------------------------------------------------------------------- differential

typedef struct pair {
    decode_rig walker, rows;
    lt_arena   arena;
    lt_buffer  text;
    int        option; // of rows: the kernel; behind it the templates
} pair;

static void columns_add(decode_rig *rig, lt_arena *arena) {
    rig_column(rig, "i", lt_type_of(LT_INT));
    rig_column(rig, "l", lt_type_of(LT_BIGINT));
    rig_column(rig, "d", lt_type_of(LT_DOUBLE));
    rig_column(rig, "s", lt_type_of(LT_STRING));
    rig_column(rig, "bad", lt_type_of(LT_STRING));
    rig_column(rig, "b", lt_type_of(LT_BOOLEAN));
    rig_column(rig, "ts", lt_type_of(LT_TIMESTAMP));
    rig_column(rig, "xs", lt_type_array(arena, lt_type_of(LT_INT)));
    rig_column(rig, "n", lt_type_decimal(arena, 9, 2));
    rig_column(rig, "day", lt_type_of(LT_DATE));
    rig_column(rig, "t", lt_type_of(LT_STRING));
    rig_column(rig, "ntz", lt_type_of(LT_TIMESTAMP_NTZ));
    rig_column(rig, "small", lt_type_of(LT_SMALLINT));
    rig_column(rig, "f", lt_type_of(LT_FLOAT));
    rig->target.corrupt_column = 4;
}

static void pair_init(pair *self) {
    rig_init(&self->walker);
    rig_init(&self->rows);
    lt_arena_init(&self->arena, &self->walker.account);
    lt_buffer_init(&self->text, &self->walker.account, 0);
    columns_add(&self->walker, &self->arena);
    columns_add(&self->rows, &self->arena);
    rig_option(&self->walker, "lineSep", "\n"); // a separator of one's own: the walker alone
    rig_option(&self->rows, "leat.jsonIndex", NULL);
    rig_option(&self->rows, "leat.jsonTemplates", NULL);
}

static void pair_deinit(pair *self) {
    lt_buffer_deinit(&self->text);
    lt_arena_deinit(&self->arena);
    rig_deinit(&self->walker);
    rig_deinit(&self->rows);
    assert_int_equal(self->walker.account.bytes, 0);
    assert_int_equal(self->rows.account.bytes, 0);
}

static void run_and_compare(pair *self, const char *kernel, const char *templates, size_t cut) {
    self->rows.options[0].value = kernel;
    self->rows.options[1].value = templates;
    rig_run(&self->rows, &lt_formats_json, self->text.data, self->text.bytes, cut);
    assert_string_equal(self->rows.err.message, "");
    assert_string_equal(rig_rows(&self->rows), rig_rows(&self->walker));
    assert_string_equal(rig_bad(&self->rows), rig_bad(&self->walker));
}

static void walk(pair *self) {
    rig_run(&self->walker, &lt_formats_json, self->text.data, self->text.bytes, SIZE_MAX);
    assert_int_equal(self->walker.status, LEAT_OK);
}

// A decoder that knows of a filter over the first whole numbers gives the rows that pass as ever, and the same bad rows.
static void expect_equal_filtered(pair *self, size_t cut) {
    static const int64_t bounds[][2] = {{0, 9}, {-100, 1000}, {1, 0}, {INT64_MIN, INT64_MAX}};
    static uint32_t      turn        = 0;
    lt_decode_range      ranges[2];
    uint32_t             count = 0;
    turn++;
    for (uint32_t c = 0; c < self->rows.target.column_count && count < turn % 2 + 1; c++)
        if (lt_kind_is_whole(self->rows.types[c]->kind))
            ranges[count++] = (lt_decode_range){c, bounds[turn % 4][0], bounds[turn % 4][1]};
    self->walker.filter = self->rows.filter = self->rows.target.ranges = ranges;
    self->walker.filter_count = self->rows.filter_count = self->rows.target.range_count = count;
    walk(self);
    run_and_compare(self, NULL, "always", cut);
    run_and_compare(self, "portable", "members", cut);
    run_and_compare(self, NULL, NULL, cut);
    self->walker.filter = self->rows.filter = self->rows.target.ranges = NULL;
    self->walker.filter_count = self->rows.filter_count = self->rows.target.range_count = 0;
}

// All kernels with templates always, off, and as usual.
static void expect_equal(pair *self, size_t cut) {
    walk(self);
    for (const lt_json_index_kernel *kernel = lt_json_index_kernels; kernel->name != NULL; kernel++) {
        if (!kernel->is_supported()) continue;
        run_and_compare(self, kernel->name, "always", cut);
        run_and_compare(self, kernel->name, "members", cut);
    }
    run_and_compare(self, NULL, NULL, cut);
    run_and_compare(self, NULL, "off", cut);
    expect_equal_filtered(self, cut);
}

// A value for a member; `oddness` 0: what its column expects, in widths of all kinds.
static void value_add(uint32_t *seed, lt_buffer *out, uint32_t member, uint32_t oddness) {
    static const char *const odd[] = {"null",
                                      "true",
                                      "-0",
                                      "1e3",
                                      "01",
                                      "1.",
                                      "-",
                                      "\"\"",
                                      "\"\\u00e9\\n\\\"\"",
                                      "\"\\q\"",
                                      "\"\xc3\xa9\"",
                                      "\"\xff\"",
                                      "\"a\tb\"",
                                      "NaN",
                                      "-INF",
                                      "{}",
                                      "[]",
                                      "[1,2]",
                                      "[1,\"x\"]",
                                      "{\"a\":1}",
                                      "tru",
                                      "nul",
                                      "\"true\"",
                                      "\"12\"",
                                      "1234567890123456789012",
                                      "1 2",
                                      "'q'",
                                      "99999999999",
                                      "3.14159265358979",
                                      "\"2024-02-30\"",
                                      "\"10:00\"",
                                      "1704067200",
                                      "-12",
                                      "0.5",
                                      "-0.0",
                                      "12345678.12345678",
                                      "123456789.5",
                                      "\"longer than twelve bytes\\\\\"",
                                      "\"caf\xc3\xa9 and more\"",
                                      "\"\\ud83d\\ude00\""};
    if (oddness > 0 && random_next(seed) % oddness == 0) {
        (void)lt_buffer_append_text(out, odd[random_next(seed) % (sizeof odd / sizeof odd[0])], NULL);
        return;
    }
    static const uint32_t powers[] = {1, 10, 1000, 100000, 10000000};
    const uint32_t        number   = random_next(seed) % powers[random_next(seed) % 5];
    switch (member) {
    case 0:
        (void)lt_buffer_format(out, NULL, "%s%u", random_next(seed) % 4 == 0 && number > 0 ? "-" : "", number);
        break;
    case 1:
        (void)lt_buffer_format(out, NULL, "%u%06u", number + 1, random_next(seed) % 1000000);
        break;
    case 2:
    case 7:
        (void)lt_buffer_format(out, NULL, "%u.%02u", number, random_next(seed) % 100);
        break;
    case 4:
        (void)lt_buffer_append_text(out, random_next(seed) % 2 == 0 ? "true" : "false", NULL);
        break;
    case 5:
        (void)lt_buffer_format(out, NULL, "\"20%02u-%02u-%02uT%02u:%02u:%02u%sZ\"", number % 100, number % 12 + 1,
                               number % 28 + 1, number % 24, number % 60, number % 60, number % 3 == 0 ? ".125" : "");
        break;
    case 6:
        (void)lt_buffer_format(out, NULL, "[%u,%u]", number, number + 1);
        break;
    case 8:
        (void)lt_buffer_format(out, NULL, "\"19%02u-%02u-%02u\"", number % 100, number % 12 + 1, number % 31 + 1);
        break;
    case 10:
        (void)lt_buffer_format(out, NULL, "\"2024-05-01 %02u:%02u:00\"", number % 25, number % 60);
        break;
    case 11:
        (void)lt_buffer_format(out, NULL, "%u", number % 40000);
        break;
    case 13:
        (void)lt_buffer_format(out, NULL, "{\"k\":\"v%u\",\"more\":{\"n\":%u},\"l\":[\"a\",\"%u\"]}", number, number,
                               number);
        break;
    default:
        (void)lt_buffer_format(out, NULL, "\"%.*s\"", (int)(number % 31), "abcdefghijklmnopqrstuvwxyz 0123");
        break;
    }
}

// A row with the members whose bits are set, in the order of `order`.
static void row_add(uint32_t *seed, lt_buffer *out, const uint8_t *order, uint32_t members, uint32_t oddness,
                    const char *spacing) {
    static const char *const names[] = {"i",   "l",     "d", "s",     "b",
                                        "ts",  "xs",    "n", "day",   "t",
                                        "ntz", "small", "f", "other", "a name of more than sixteen bytes",
                                        "x"};
    const size_t             blanks  = strlen(spacing);
    const char              *comma   = "{";
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t member = order[i];
        if ((members >> member & 1) == 0) continue;
        (void)lt_buffer_format(out, NULL, "%s%s\"%s\"%s:%s", comma, spacing, names[member], spacing, spacing);
        value_add(seed, out, member, oddness);
        if (blanks > 1) (void)lt_buffer_append_text(out, spacing, NULL);
        comma = ",";
    }
    (void)lt_buffer_append_text(out, *comma == '{' ? "{}\n" : "}\n", NULL);
}

static void shuffle(uint32_t *seed, uint8_t order[16]) {
    for (uint32_t i = 0; i < 16; i++) order[i] = (uint8_t)i;
    for (uint32_t i = 15; i > 0; i--) {
        const uint32_t j    = random_next(seed) % (i + 1);
        const uint8_t  kept = order[i];
        order[i]            = order[j];
        order[j]            = kept;
    }
}

static void test_shapes(void **state) {
    (void)state;
    static const char *const spacings[] = {"", "", " ", "  ", "\t"};
    pair                     self;
    uint32_t                 seed = 20240502;
    pair_init(&self);
    for (int round = 0; round < 120; round++) {
        uint8_t  orders[4][16];
        uint32_t members[4];
        for (int shape = 0; shape < 4; shape++) {
            shuffle(&seed, orders[shape]);
            members[shape] = random_next(&seed) & (round % 2 == 0 ? 0xFFFFu : 0x0F3Fu);
        }
        const uint32_t shapes = round % 4 == 0 ? 1u : (uint32_t)round % 4 + 1, run = random_next(&seed) % 60 + 1;
        // None odd, one value in 20, one in 200.
        const uint32_t oddness = round % 3 == 0 ? 0 : round % 3 == 1 ? 20 : 200;
        const char    *spacing = spacings[random_next(&seed) % 5];
        lt_buffer_reset(&self.text);
        for (uint32_t row = 0; row < 300; row++) {
            const uint32_t shape = row / run % shapes;
            row_add(&seed, &self.text, orders[shape], members[shape], oddness, spacing);
        }
        expect_equal(&self, round % 5 == 0 ? random_next(&seed) % 5000 + 1 : SIZE_MAX);
    }
    pair_deinit(&self);
}

// Shapes that take turns from row to row: texts that are null, members that are missing, now and then a bad value or a
// shape that was not met before.
static void test_shapes_that_take_turns(void **state) {
    (void)state;
    static const uint8_t     order[16] = {3, 0, 14, 1, 2, 13, 4, 5, 7, 9, 6, 8, 10, 11, 12, 15};
    static const char *const texts[]   = {"null",     "\"short\"", "\"a text of some length\"", "\"caf\xc3\xa9\"",
                                          "\"a\\n\"", "\"\xff\""};
    pair                     self;
    uint32_t                 seed = 2121;
    pair_init(&self);
    for (int round = 0; round < 60; round++) {
        const uint32_t nulls = random_next(&seed) % 30 + 1, missing = random_next(&seed) % 100 + 2;
        const uint32_t kinds = round % 3 == 0 ? 3 : round % 3 == 1 ? 5 : 6, oddness = round % 2 == 0 ? 0 : 400;
        lt_buffer_reset(&self.text);
        for (uint32_t row = 0; row < 900; row++) {
            if (random_next(&seed) % 300 == 0) {
                row_add(&seed, &self.text, order, 0x2F, 0, "");
                continue;
            }
            const char *s = random_next(&seed) % nulls == 0 ? texts[random_next(&seed) % kinds] : texts[1];
            const char *t = random_next(&seed) % nulls == 0 ? texts[random_next(&seed) % kinds] : texts[2];
            (void)lt_buffer_format(&self.text, NULL, "{\"s\":%s,\"i\":", s);
            value_add(&seed, &self.text, 0, oddness);
            if (random_next(&seed) % missing != 0) {
                (void)lt_buffer_append_text(&self.text, ",\"d\":", NULL);
                value_add(&seed, &self.text, 2, oddness);
            }
            (void)lt_buffer_format(&self.text, NULL, ",\"t\":%s,\"other\":", t);
            value_add(&seed, &self.text, 0, oddness);
            (void)lt_buffer_append_text(&self.text, random_next(&seed) % (nulls * 30) == 0 ? " }\n" : "}\n", NULL);
        }
        expect_equal(&self, round % 4 == 0 ? random_next(&seed) % 5000 + 1 : SIZE_MAX);
    }
    pair_deinit(&self);
}

// Every row in an order of its own, with some members missing and some twice.
static void test_no_shape_at_all(void **state) {
    (void)state;
    pair     self;
    uint32_t seed = 4711;
    pair_init(&self);
    for (int round = 0; round < 20; round++) {
        lt_buffer_reset(&self.text);
        for (int row = 0; row < 400; row++) {
            uint8_t order[16];
            shuffle(&seed, order);
            if (row % 7 == 0) order[0] = order[1];
            row_add(&seed, &self.text, order, random_next(&seed), 50, "");
        }
        expect_equal(&self, SIZE_MAX);
    }
    pair_deinit(&self);
}

// A row among good ones of its shape, with another byte at every place.
static void test_broken_at_every_byte(void **state) {
    (void)state;
    static const char    others[]  = "\"\\{},:[] 0-.ex\x01\x80\n";
    static const uint8_t order[16] = {3, 0, 14, 1, 2, 13, 4, 5, 7, 9, 6, 8, 10, 11, 12, 15};
    pair                 self;
    uint32_t             seed = 99;
    pair_init(&self);
    for (int row = 0; row < 40; row++) row_add(&seed, &self.text, order, 0x7DBF, 0, "");
    const size_t start = self.text.bytes;
    row_add(&seed, &self.text, order, 0x7DBF, 0, "");
    const size_t end = self.text.bytes;
    for (int row = 0; row < 24; row++) row_add(&seed, &self.text, order, 0x7DBF, 0, "");
    for (size_t at = start; at < end; at++) {
        const char kept = self.text.data[at];
        for (size_t i = at % 3; i < sizeof others - 1; i += 3) {
            self.text.data[at] = others[i];
            walk(&self);
            run_and_compare(&self, at % 2 == 0 ? NULL : "portable", at % 3 == 0 ? "always" : "members", SIZE_MAX);
        }
        self.text.data[at] = kept;
    }
    // Cut short behind every byte.
    for (size_t at = start; at < end; at++) {
        const size_t whole = self.text.bytes;
        self.text.bytes    = at;
        walk(&self);
        run_and_compare(&self, NULL, "always", SIZE_MAX);
        run_and_compare(&self, NULL, "members", SIZE_MAX);
        self.text.bytes = whole;
    }
    pair_deinit(&self);
}

static void test_every_cut(void **state) {
    (void)state;
    pair     self;
    uint8_t  order[16];
    uint32_t seed = 5;
    pair_init(&self);
    shuffle(&seed, order);
    for (int row = 0; row < 30; row++) row_add(&seed, &self.text, order, 0x1F, row % 2 == 0 ? 0 : 60, "");
    walk(&self);
    for (size_t cut = 1; cut < self.text.bytes + 2; cut++) {
        run_and_compare(&self, NULL, "always", cut);
        run_and_compare(&self, NULL, "members", cut);
    }
    pair_deinit(&self);
}

static void test_widths(void **state) {
    (void)state;
    pair self;
    pair_init(&self);
    static const int widths[] = {0, 1, 50, 900, 5000, 16000, 31000, 32700, 32760, 33000, 65535, 100000};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        lt_buffer_reset(&self.text);
        for (int row = 0; row < 40; row++) {
            (void)lt_buffer_format(&self.text, NULL, "{\"i\":%d,\"pad\":\"", row);
            for (int i = 0; i < widths[w] - row % 3 * widths[w] / 4; i++)
                (void)lt_buffer_append_byte(&self.text, (char)('a' + (i + row) % 26), NULL);
            (void)lt_buffer_format(&self.text, NULL, "\",\"t\":\"text number %d\"}\n", row);
        }
        expect_equal(&self, SIZE_MAX);
        expect_equal(&self, 262144);
    }
    pair_deinit(&self);
}

// Rows of many members that no column has, few of which fit into a piece: names that differ in a digit, empty ones and
// ones of a byte, values at several depths, now and then one that is not good.
static void test_many_members_that_nobody_reads(void **state) {
    (void)state;
    pair     self;
    uint32_t seed = 2026;
    pair_init(&self);
    for (int round = 0; round < 24; round++) {
        const uint32_t members = 10 + random_next(&seed) % 240, oddness = round % 3 == 0 ? 0 : members * 40;
        const uint32_t kinds = random_next(&seed), turn = round % 4 == 3 ? 1 : 0;
        lt_buffer_reset(&self.text);
        for (uint32_t row = 0; row < 60; row++) {
            (void)lt_buffer_format(&self.text, NULL, "{\"i\":%u", row);
            for (uint32_t m = 0; m < members; m++) {
                const uint32_t number = (m + turn * row) % members, kind = (kinds >> number % 8 * 2) % 4;
                const char    *name = number == 1 && row % 16 == 0 ? ""
                                      : number == 1                ? "y"
                                      : number == 2                ? "x"
                                      : number == 3                ? "xy"
                                                                   : "column_";
                (void)lt_buffer_format(&self.text, NULL, ",\"%s", name);
                if (number > 3) (void)lt_buffer_format(&self.text, NULL, "%03u", number);
                (void)lt_buffer_append_text(&self.text, kind == 3 ? "\":{\"y\":" : "\":", NULL);
                value_add(&seed, &self.text, kind == 0 ? 3 : kind == 1 ? 2 : 1, oddness);
                if (kind == 3) (void)lt_buffer_append_text(&self.text, "}", NULL);
            }
            (void)lt_buffer_append_text(&self.text, ",\"t\":\"the last one\"}\n", NULL);
        }
        expect_equal(&self, round % 2 == 0 ? SIZE_MAX : random_next(&seed) % 50000 + 1);
    }
    pair_deinit(&self);
}

// What nobody reads is still judged, and ends of lines of Windows are ends of lines.
static void test_projection(void **state) {
    (void)state;
    static const uint8_t order[16] = {3, 0, 14, 1, 2, 13, 4, 5, 7, 9, 6, 8, 10, 11, 12, 15};
    pair                 self;
    uint32_t             seed = 31;
    pair_init(&self);
    for (int round = 0; round < 40; round++) {
        lt_buffer_reset(&self.text);
        for (int row = 0; row < 200; row++) {
            row_add(&seed, &self.text, order, 0xFFFF, 100, "");
            if (round % 4 != 3) continue;
            self.text.bytes--;
            (void)lt_buffer_append_text(&self.text, "\r\n", NULL);
        }
        const uint32_t wanted = random_next(&seed);
        for (uint32_t c = 0; c < self.rows.target.column_count; c++)
            self.rows.is_wanted[c] = self.walker.is_wanted[c] = (wanted >> c & 1) != 0;
        self.rows.target.is_wanted   = self.rows.is_wanted;
        self.walker.target.is_wanted = self.walker.is_wanted;
        self.walker.options[0].value = round % 4 == 3 ? "\r\n" : "\n";
        expect_equal(&self, SIZE_MAX);
    }
    pair_deinit(&self);
}

// More columns than there are bits in a word, in any order, some of them twice; names of all lengths and some that need
// escapes.
static void test_many_columns(void **state) {
    (void)state;
    static char names[300][48];
    uint32_t    seed = 8;
    for (uint32_t count = 60; count < 300; count += 70) {
        pair self;
        rig_init(&self.walker);
        rig_init(&self.rows);
        lt_arena_init(&self.arena, &self.walker.account);
        lt_buffer_init(&self.text, &self.walker.account, 0);
        for (uint32_t c = 0; c < count; c++) {
            (void)snprintf(names[c], sizeof names[c],
                           c % 50 == 49 ? "%.*s\"\\%u"
                           : c % 7 == 0 ? "\xc3\xa9%.*s%u"
                                        : "%.*s%u",
                           (int)(c % 40), "a long name of a member, or a short one.", c);
            rig_column(&self.walker, names[c], lt_type_of(c % 3 == 0 ? LT_STRING : LT_BIGINT));
            rig_column(&self.rows, names[c], lt_type_of(c % 3 == 0 ? LT_STRING : LT_BIGINT));
        }
        rig_option(&self.walker, "lineSep", "\n");
        rig_option(&self.rows, "leat.jsonIndex", NULL);
        rig_option(&self.rows, "leat.jsonTemplates", NULL);
        for (int round = 0; round < 4; round++) {
            lt_buffer_reset(&self.text);
            for (int row = 0; row < 120; row++) {
                const uint32_t first = round == 0 ? 0 : random_next(&seed) % count;
                const uint32_t twice = random_next(&seed) % 8 == 0 ? random_next(&seed) % count : 0;
                for (uint32_t i = 0; i < count + (twice != 0); i++) {
                    const uint32_t c = i == count ? twice : (i + first) % count;
                    (void)lt_buffer_append_text(&self.text, i == 0 ? "{\"" : ",\"", NULL);
                    for (const char *at = names[c]; *at != '\0'; at++) {
                        if ((*at == '"' || *at == '\\') && row % 3 != 0)
                            (void)lt_buffer_append_byte(&self.text, '\\', NULL);
                        (void)lt_buffer_append_byte(&self.text, *at, NULL);
                    }
                    (void)lt_buffer_format(&self.text, NULL, c % 3 == 0 ? "\":\"%u\"" : "\":%u", random_next(&seed));
                }
                (void)lt_buffer_append_text(&self.text, "}\n", NULL);
            }
            expect_equal(&self, SIZE_MAX);
        }
        pair_deinit(&self);
    }
}

// A nested value of random kind, for the most part a good one.
static void nested_add(uint32_t *seed, lt_buffer *out, uint32_t depth, uint32_t oddness) {
    static const char *const odd[] = {
        "'q'",     "{\"a\":'}'}", "NaN",       "-INF", "01",       "1.",        "1e",     "-",   "tru",  "nulll",
        "\"\\q\"", "\"\x01\"",    "\"\xff\"",  "{",    "[",        "}",         "]",      "{,}", "[1,]", "[,1]",
        "{\"a\"}", "{1:2}",       "[1 2]",     "\"",   "{\"a\":}", "\x01",      "\t",     "[}",  "{]",   ":",
        "1:2",     "[1}",         "{\"a\":1]", "\n",   "''",       "{\"a\" 1}", "{'a':1}"};
    static const char *const good[]   = {"null",
                                         "true",
                                         "false",
                                         "0",
                                         "-0",
                                         "12.50",
                                         "-1e-5",
                                         "1E+30",
                                         "\"\"",
                                         "\"text\"",
                                         "\"}]{[,:\"",
                                         "\"a \\\" \\\\\"",
                                         "\"caf\xc3\xa9\"",
                                         "\"\\u00e9\"",
                                         "123456789012345678901234567890"};
    static const char *const blanks[] = {"", "", "", "", " ", "\t ", "  "};
#define BLANK blanks[random_next(seed) % 7]
    if (oddness > 0 && random_next(seed) % oddness == 0) {
        (void)lt_buffer_append_text(out, odd[random_next(seed) % (sizeof odd / sizeof odd[0])], NULL);
        return;
    }
    if (depth == 0 || random_next(seed) % 3 == 0) {
        (void)lt_buffer_append_text(out, good[random_next(seed) % (sizeof good / sizeof good[0])], NULL);
        return;
    }
    const bool     is_object = random_next(seed) % 2 == 0;
    const uint32_t count     = random_next(seed) % 4;
    (void)lt_buffer_format(out, NULL, "%s%s", is_object ? "{" : "[", BLANK);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) (void)lt_buffer_format(out, NULL, "%s,%s", BLANK, BLANK);
        if (is_object)
            (void)lt_buffer_format(out, NULL, "\"%s\"%s:%s", random_next(seed) % 8 == 0 ? "a\\\"{" : "name", BLANK,
                                   BLANK);
        nested_add(seed, out, depth - 1, oddness);
    }
    (void)lt_buffer_format(out, NULL, "%s%s", BLANK, is_object ? "}" : "]");
#undef BLANK
}

// Members that no column has, with values nested in any way, good and bad, in any place of the row.
static void test_nested_values_that_nobody_reads(void **state) {
    (void)state;
    pair     self;
    uint32_t seed = 77;
    pair_init(&self);
    for (int round = 0; round < 80; round++) {
        const uint32_t oddness = round % 3 == 0 ? 0 : round % 3 == 1 ? 30 : 2000;
        const char    *colon = round % 5 == 4 ? ": " : ":", *comma = round % 5 == 4 ? ", " : ",";
        lt_buffer_reset(&self.text);
        for (int row = 0; row < 200; row++) {
            const uint32_t place = random_next(&seed) % 4;
            (void)lt_buffer_append_text(&self.text, "{", NULL);
            for (uint32_t i = 0; i < 4; i++) {
                if (i > 0) (void)lt_buffer_append_text(&self.text, comma, NULL);
                if (i == place && (round % 2 == 0 || random_next(&seed) % 10 == 0)) {
                    (void)lt_buffer_format(&self.text, NULL, "\"extra_%u\"%s", random_next(&seed) % 3, colon);
                    nested_add(&seed, &self.text, 1 + random_next(&seed) % 6, oddness);
                    (void)lt_buffer_append_text(&self.text, comma, NULL);
                }
                static const char *const names[] = {"i", "l", "s", "b"};
                (void)lt_buffer_format(&self.text, NULL, "\"%s\"%s", names[i], colon);
                value_add(&seed, &self.text, i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 3 : 4, 0);
            }
            (void)lt_buffer_append_text(&self.text, "}\n", NULL);
        }
        expect_equal(&self, round % 4 == 0 ? random_next(&seed) % 5000 + 1 : SIZE_MAX);
    }
    pair_deinit(&self);
}

// A nested value with another byte at every place, and cut behind each.
static void test_nested_value_broken_at_every_byte(void **state) {
    (void)state;
    static const char others[] = "\"\\{},:[] 0-.e'\x01\x80\n";
    static const char row[]    = "{\"i\":7,\"x\":{\"a\":{\"b\":[1,-2.5e3,{\"c\":\"}\"}, []]},\"d\\n\":\"\xc3\xa9\\\"\" "
                                 ",\"e\":[null,true,{}]},\"s\":\"t\"}\n";
    pair              self;
    pair_init(&self);
    for (int i = 0; i < 20; i++) (void)lt_buffer_append_text(&self.text, "{\"i\":1,\"x\":[1],\"s\":\"u\"}\n", NULL);
    const size_t start = self.text.bytes, end = start + sizeof row - 1;
    (void)lt_buffer_append_text(&self.text, row, NULL);
    for (int i = 0; i < 20; i++) (void)lt_buffer_append_text(&self.text, "{\"x\":{},\"i\":1,\"s\":\"u\"}\n", NULL);
    for (size_t at = start; at < end; at++) {
        const char kept = self.text.data[at];
        for (size_t i = 0; i < sizeof others - 1; i++) {
            self.text.data[at] = others[i];
            walk(&self);
            run_and_compare(&self, i % 2 == 0 ? NULL : "portable", "members", i % 5 == 0 ? at + 1 : SIZE_MAX);
        }
        self.text.data[at] = kept;
        const size_t whole = self.text.bytes;
        self.text.bytes    = at;
        walk(&self);
        run_and_compare(&self, NULL, "members", SIZE_MAX);
        self.text.bytes = whole;
    }
    pair_deinit(&self);
}

static void test_depth(void **state) {
    (void)state;
    pair self;
    pair_init(&self);
    for (int step = 0; step < 16; step++) {
        const int depth = step < 6 ? 61 + step : 500 + step;
        lt_buffer_reset(&self.text);
        for (int row = 0; row < 30; row++) {
            (void)lt_buffer_append_text(&self.text, "{\"i\":1,\"deep\":", NULL);
            const int brackets = row < 12 ? 3 : depth;
            for (int i = 0; i < brackets; i++) (void)lt_buffer_append_byte(&self.text, '[', NULL);
            for (int i = 0; i < brackets; i++) (void)lt_buffer_append_byte(&self.text, ']', NULL);
            (void)lt_buffer_append_text(&self.text, "}\n", NULL);
        }
        expect_equal(&self, SIZE_MAX);
    }
    pair_deinit(&self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index_finds_quotes_and_ends_of_lines),
        cmocka_unit_test(test_index_takes_marks_off_good_utf8),
        cmocka_unit_test(test_kernels_know_bare_values),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_shapes_that_take_turns),
        cmocka_unit_test(test_no_shape_at_all),
        cmocka_unit_test(test_broken_at_every_byte),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_many_members_that_nobody_reads),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_nested_values_that_nobody_reads),
        cmocka_unit_test(test_nested_value_broken_at_every_byte),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
