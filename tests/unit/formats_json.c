// JSON Lines: the record rules of Spark (spark-semantics 2.2), whatever the cuts of the bytes.
#include "tests/unit/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const lt_format lt_formats_json;

// Runs in every cut that matters: whole, byte by byte, and small primes; the same rows each time.
static void expect(decode_rig *rig, const char *text, const char *rows) {
    static const size_t cuts[] = {1 << 20, 1, 2, 3, 7, 16, 61};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        rig_run(rig, &lt_formats_json, text, strlen(text), cuts[i]);
        assert_string_equal(rig->err.message, "");
        assert_int_equal(rig->status, LEAT_OK);
        assert_string_equal(rig_rows(rig), rows);
    }
}

static void finish(decode_rig *rig) {
    rig_deinit(rig);
    assert_int_equal(rig->account.bytes, 0);
}

static void v5_rig(decode_rig *rig) {
    rig_init(rig);
    rig_column(rig, "a", lt_type_of(LT_INT));
    rig_column(rig, "b", lt_type_of(LT_STRING));
    rig_column(rig, "ts", lt_type_of(LT_TIMESTAMP));
    rig_column(rig, "_corrupt_record", lt_type_of(LT_STRING));
    rig->target.corrupt_column = 3;
}

static void test_v5_permissive(void **state) {
    (void)state;
    decode_rig rig;
    v5_rig(&rig);
    expect(&rig,
           "{\"a\":1,\"b\":\"x\",\"ts\":\"2024-01-01T00:00:00Z\"}\n"
           "{\"a\":\"1\",\"b\":2}\n"
           "{\"a\":1.5,\"b\":{\"k\": [1]}}\n"
           "{\"A\":1,\"b\":null,\"z\":9}\n"
           "{\"a\":3000000000}\n"
           "{\"a\":1,\n"
           "[{\"a\":1},{\"a\":2}]\n"
           "{\"a\":1} junk\n"
           "{\"ts\":1704067200}\n"
           "\n",
           "1\tx\t2024-01-01 00:00:00\tNULL\n"
           "NULL\t2\tNULL\t{\"a\":\"1\",\"b\":2}\n"
           "NULL\t{\"k\": [1]}\tNULL\t{\"a\":1.5,\"b\":{\"k\": [1]}}\n"
           "NULL\tNULL\tNULL\tNULL\n"
           "NULL\tNULL\tNULL\t{\"a\":3000000000}\n"
           "NULL\tNULL\tNULL\t{\"a\":1,\n"
           "1\tNULL\tNULL\tNULL\n"
           "2\tNULL\tNULL\tNULL\n"
           "1\tNULL\tNULL\tNULL\n"
           "NULL\tNULL\t2024-01-01 00:00:00\tNULL\n");
    assert_string_equal(rig_bad(&rig), "2@44 a: {\"a\":\"1\",\"b\":2}\n"
                                       "3@60 a: {\"a\":1.5,\"b\":{\"k\": [1]}}\n"
                                       "5@108 a: {\"a\":3000000000}\n"
                                       "6@125 -: {\"a\":1,\n");
    finish(&rig);
}

static const char mixed[] =
    "{\"id\": 1, \"v\": 10}\n{\"id\": 2, \"v\": \"x\"}\n{\"id\": 3, \"v\": 3.5}\nnot json\n"
    "{\"id\": 4, \"v\": 40\n{\"id\": 5}\n{\"id\": \"6\", \"v\": \"60\"}\n"
    "[{\"id\": 7, \"v\": 70}, {\"id\": 8, \"v\": 80}]\n{\"id\": 9, \"v\": 90} trailing\n\"text\"\n"
    "{\"id\": 99999999999, \"v\": 1}\n{\"id\": null, \"v\": true}\n";

static void two_ints(decode_rig *rig) {
    rig_init(rig);
    rig_column(rig, "id", lt_type_of(LT_INT));
    rig_column(rig, "v", lt_type_of(LT_INT));
}

static void test_modes(void **state) {
    (void)state;
    decode_rig rig;
    two_ints(&rig);
    expect(&rig, mixed,
           "1\t10\n2\tNULL\n3\tNULL\nNULL\tNULL\nNULL\tNULL\n5\tNULL\nNULL\tNULL\n7\t70\n8\t80\n9\t90\n"
           "NULL\tNULL\nNULL\t1\nNULL\tNULL\n");
    rig_option(&rig, "MODE", "dropmalformed");
    expect(&rig, mixed, "1\t10\n5\tNULL\n7\t70\n8\t80\n9\t90\n");
    rig.options[0].value = "FailFast";
    rig_run(&rig, &lt_formats_json, mixed, strlen(mixed), 5);
    assert_int_equal(rig.status, LEAT_DATA);
    assert_string_equal(lt_condition_name(rig.err.condition), "FAILED_READ_FILE.NO_HINT");
    assert_int_equal(rig.err.data_line, 2);
    assert_string_equal(rig.err.data_column, "v");
    assert_string_equal(rig.err.path, "f");
    rig.options[0].value = "whatever"; // an unknown word means PERMISSIVE
    expect(&rig, "x\n", "NULL\tNULL\n");
    finish(&rig);
}

static void test_columns_that_nobody_reads_are_not_judged(void **state) {
    (void)state;
    decode_rig rig;
    two_ints(&rig);
    rig_option(&rig, "mode", "DROPMALFORMED");
    rig.is_wanted[0] = rig.is_wanted[1] = false;
    rig.target.is_wanted                = rig.is_wanted;
    rig_run(&rig, &lt_formats_json, mixed, strlen(mixed), 9);
    size_t rows = 0;
    for (const char *at = rig_rows(&rig); *at != '\0'; at++) rows += *at == '\n';
    assert_int_equal(rows, 10); // as count(*) over Spark's DROPMALFORMED
    finish(&rig);
}

static void test_lines_and_bytes(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "k", lt_type_of(LT_STRING));
    rig_column(&rig, "v", lt_type_of(LT_INT));
    expect(&rig, "{\"k\": \"a\", \"v\": 1}\r\n{\"k\": \"b\", \"v\": 2}\n\n   \n{\"k\": \"\xc3\xa9\", \"v\": 3}",
           "a\t1\nb\t2\n\xc3\xa9\t3\n");
    expect(&rig, "\xef\xbb\xbf{\"k\": \"bom\", \"v\": 4}\n", "bom\t4\n");
    expect(&rig, "", "");
    expect(&rig, "\xef\xbb\xbf", "");
    expect(&rig, "{\"k\": \"bad\xff\", \"v\": 5}\n", "NULL\tNULL\n");
    expect(&rig, "{\"k\": \"a\tb\", \"v\": 5}\n", "NULL\tNULL\n"); // a raw control character
    expect(&rig, "{\"k\":\"a\"}\r{\"k\":\"b\"}\r\r\n{\"k\":\"c\"}", "a\tNULL\nb\tNULL\nc\tNULL\n");
    expect(&rig, "{\"k\":\n\"a\"}\n", "NULL\tNULL\nNULL\tNULL\n"); // a value may not cross lines
    expect(&rig, "{\"k\":\"\\u00e9\\n\\\"\\\\\\/\\uD83D\\uDE00\"}\n", "\xc3\xa9\n\"\\/\xf0\x9f\x98\x80\tNULL\n");
    expect(&rig, "{\"k\":\"longer than twelve bytes\",\"v\":2}\n{\"k\":\"twelve bytes\",\"v\":-0}\n",
           "longer than twelve bytes\t2\ntwelve bytes\t0\n");
    finish(&rig);
}

static void test_separator(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "k", lt_type_of(LT_STRING));
    rig_option(&rig, "lineSep", "||");
    expect(&rig, "{\"k\":\"a|\"}||{\"k\":\n\"b\"}||||{\"k\":\"c\"}|", "a|\nb\nc\n");
    finish(&rig);
}

static void test_members(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "id", lt_type_of(LT_INT));
    rig_column(&rig, "Name", lt_type_of(LT_STRING));
    expect(
        &rig,
        "{\"name\": \"a\", \"id\": 1, \"extra\": {\"deep\": [1, 2]}}\n{\"id\": 2}\n{}\n{\"ID\": 3, \"NAME\": \"c\"}\n"
        "{\"id\": 4, \"id\": 5}\n{\"id\": 6, \"Name\": null}\n{ \"Name\" : \"x\" , \"id\" : 7 }\n"
        "{\"id\":8,\"id\":\"z\"}\n{\"Name\":\"y\",\"id\":9,\"a member whose name is longer than sixteen\":[]}\n",
        "1\tNULL\n2\tNULL\nNULL\tNULL\nNULL\tNULL\n5\tNULL\n6\tNULL\n7\tx\n8\tNULL\n9\ty\n");
    assert_string_equal(rig_bad(&rig), "8@157 id: {\"id\":8,\"id\":\"z\"}\n");
    finish(&rig);
}

static void test_scalars(void **state) {
    (void)state;
    decode_rig rig;
    lt_arena   arena;
    rig_init(&rig);
    lt_arena_init(&arena, &rig.account);
    rig_column(&rig, "b", lt_type_of(LT_BOOLEAN));
    rig_column(&rig, "t", lt_type_of(LT_TINYINT));
    rig_column(&rig, "s", lt_type_of(LT_SMALLINT));
    rig_column(&rig, "i", lt_type_of(LT_INT));
    rig_column(&rig, "l", lt_type_of(LT_BIGINT));
    rig_column(&rig, "f", lt_type_of(LT_FLOAT));
    rig_column(&rig, "d", lt_type_of(LT_DOUBLE));
    rig_column(&rig, "n", lt_type_decimal(&arena, 6, 2));
    rig_column(&rig, "x", lt_type_of(LT_STRING));
    rig_column(&rig, "day", lt_type_of(LT_DATE));
    rig_column(&rig, "ts", lt_type_of(LT_TIMESTAMP));
    rig_column(&rig, "bin", lt_type_of(LT_BINARY));
    expect(
        &rig,
        "{\"b\": true, \"t\": -128, \"s\": 32767, \"i\": -2147483648, \"l\": 9223372036854775807, \"f\": 1.5, \"d\": "
        "1e-7, \"n\": 1234.565, \"x\": \"\xc3\xa9\\u00e9\\n\", \"day\": \"2024-02-29\", \"ts\": "
        "\"2024-02-29T12:34:56.123456Z\", \"bin\": \"aGk=\"}\n"
        "{\"b\": \"true\", \"t\": 128, \"s\": 1.0, \"i\": 1e3, \"l\": \"12\", \"f\": \"NaN\", \"d\": \"-Infinity\", "
        "\"n\": \"9999.99\", \"x\": 12.50, \"day\": \"2024-2-9\", \"ts\": \"2024-02-29 12:34:56+02:00\", \"bin\": "
        "\"\"}\n"
        "{\"b\": 1, \"t\": 1, \"s\": 2, \"i\": 3, \"l\": 4, \"f\": 5, \"d\": 6, \"n\": 99999, \"x\": {\"a\": [1, "
        "null]}, \"day\": \"not a day\", \"ts\": 0, \"bin\": null}\n"
        "{\"i\":2147483648}\n{\"i\":01}\n{\"d\":NaN}\n{\"d\":-INF}\n{\"d\":1e400}\n{\"l\":-9223372036854775809}\n{"
        "\"x\":-0}\n",
        "true\t-128\t32767\t-2147483648\t9223372036854775807\t1.5\t1.0E-7\t1234.57\t\xc3\xa9\xc3\xa9\n\t2024-02-29\t"
        "2024-02-29 12:34:56.123456\thi\n"
        "NULL\t-128\tNULL\tNULL\tNULL\tNaN\t-Infinity\t9999.99\t12.50\t2024-02-09\t2024-02-29 10:34:56\t\n"
        "NULL\t1\t2\t3\t4\t5.0\t6.0\tNULL\t{\"a\": [1, null]}\tNULL\t1970-01-01 00:00:00\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNaN\tNULL\tNULL\tNULL\tNULL\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\t-Infinity\tNULL\tNULL\tNULL\tNULL\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tInfinity\tNULL\tNULL\tNULL\tNULL\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\n"
        "NULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\tNULL\t-0\tNULL\tNULL\tNULL\n");
    lt_arena_deinit(&arena);
    finish(&rig);
}

static void test_nested(void **state) {
    (void)state;
    decode_rig rig;
    lt_arena   arena;
    rig_init(&rig);
    lt_arena_init(&arena, &rig.account);
    const lt_field who[] = {{.name = "name", .type = lt_type_of(LT_STRING)},
                            {.name = "age", .type = lt_type_of(LT_INT)}};
    rig_column(&rig, "id", lt_type_of(LT_INT));
    rig_column(&rig, "who", lt_type_struct(&arena, who, 2));
    rig_column(&rig, "xs", lt_type_array(&arena, lt_type_of(LT_INT)));
    rig_column(&rig, "m", lt_type_map(&arena, lt_type_of(LT_STRING), lt_type_of(LT_INT)));
    expect(
        &rig,
        "{\"id\": 1, \"who\": {\"name\": \"a\", \"age\": \"old\"}, \"xs\": [1, \"two\", 3], \"m\": {\"a\": 1, \"b\": "
        "\"x\"}}\n"
        "{\"id\": 2, \"who\": \"a\", \"xs\": 5, \"m\": []}\n"
        "{\"id\": 3, \"who\": {\"age\": 1, \"more\": 2}, \"xs\": [], \"m\": {\"a\": null}}\n"
        "{\"id\": 4, \"who\": {}, \"xs\": [null], \"m\": {}}\n"
        "{\"id\":5,\"who\":{\"name\":\"a name longer than twelve\",\"age\":5},\"xs\":[1,2],\"m\":{\"a key longer than "
        "twelve\":1}}\n",
        "1\t{a, null}\tNULL\tNULL\n2\tNULL\tNULL\tNULL\n3\t{null, 1}\t[]\t{a -> null}\n4\t{null, null}\t[null]\t{}\n"
        "5\t{a name longer than twelve, 5}\t[1, 2]\t{a key longer than twelve -> 1}\n");
    lt_arena_deinit(&arena);
    finish(&rig);
}

static void test_arrays_stand_or_fall_as_one(void **state) {
    (void)state;
    decode_rig rig;
    v5_rig(&rig);
    expect(&rig, "[]\n[{\"a\":1},2]\n[{\"a\":1},{\"a\":\"x\"}]\n[{\"a\":1}\nnull\n",
           "NULL\tNULL\tNULL\t[{\"a\":1},2]\n"
           "1\tNULL\tNULL\t[{\"a\":1},{\"a\":\"x\"}]\nNULL\tNULL\tNULL\t[{\"a\":1},{\"a\":\"x\"}]\n"
           "NULL\tNULL\tNULL\t[{\"a\":1}\nNULL\tNULL\tNULL\tnull\n");
    finish(&rig);
}

static void test_lenient_options(void **state) {
    (void)state;
    static const char text[] =
        "{'id': 1, 'x': 'single'}\n{id: 2, x: \"bare\"}\n{\"id\": 3, /* why */ \"x\": \"comment\"}\n"
        "{\"id\": 4, \"d\": NaN}\n{\"id\": 005}\n{\"id\": 6, \"d\": -Infinity}\n";
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "id", lt_type_of(LT_INT));
    rig_column(&rig, "d", lt_type_of(LT_DOUBLE));
    rig_column(&rig, "x", lt_type_of(LT_STRING));
    expect(&rig, text,
           "1\tNULL\tsingle\nNULL\tNULL\tNULL\nNULL\tNULL\tNULL\n4\tNaN\tNULL\nNULL\tNULL\tNULL\n6\t-Infinity\tNULL\n");
    rig_option(&rig, "allowUnquotedFieldNames", "true");
    rig_option(&rig, "allowComments", "true");
    rig_option(&rig, "allowSingleQuotes", "false");
    rig_option(&rig, "allowNonNumericNumbers", "false");
    rig_option(&rig, "allowNumericLeadingZeros", "true");
    expect(&rig, text,
           "NULL\tNULL\tNULL\n2\tNULL\tbare\n3\tNULL\tcomment\nNULL\tNULL\tNULL\n5\tNULL\tNULL\nNULL\tNULL\tNULL\n");
    finish(&rig);
}

static void test_formats(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "id", lt_type_of(LT_INT));
    rig_column(&rig, "day", lt_type_of(LT_DATE));
    rig_column(&rig, "ts", lt_type_of(LT_TIMESTAMP));
    rig_option(&rig, "dateFormat", "dd.MM.yyyy");
    rig_option(&rig, "timestampFormat", "yyyy/MM/dd HH:mm");
    expect(&rig,
           "{\"id\": 1, \"day\": \"01.05.2024\", \"ts\": \"2024/05/01 10:20\"}\n"
           "{\"id\": 2, \"day\": \"2024-05-01\", \"ts\": \"2024-05-01 10:20:00\"}\n",
           "1\t2024-05-01\t2024-05-01 10:20:00\n2\tNULL\tNULL\n");
    finish(&rig);
}

static void test_multi_line(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "k", lt_type_of(LT_STRING));
    rig_column(&rig, "v", lt_type_of(LT_INT));
    rig_option(&rig, "multiLine", "true");
    expect(&rig, "{\"k\": \"a\",\n \"v\": 1}\n", "a\t1\n");
    expect(&rig, "[{\"k\": \"b\", \"v\": 2},\n {\"k\": \"c\", \"v\": 3}]\n", "b\t2\nc\t3\n");
    expect(&rig, "{\"k\": \"d\", \"v\": 4}\n{\"k\": \"e\", \"v\": 5}\n", "d\t4\n");
    expect(&rig, "", "");
    finish(&rig);
}

static void test_many_rows(void **state) {
    (void)state;
    decode_rig rig;
    lt_buffer  text, rows;
    rig_init(&rig);
    rig_column(&rig, "k", lt_type_of(LT_STRING));
    rig_column(&rig, "v", lt_type_of(LT_BIGINT));
    lt_buffer_init(&text, &rig.account, 0);
    lt_buffer_init(&rows, &rig.account, 0);
    for (int i = 0; i < 5000; i++) {
        (void)lt_buffer_format(&text, NULL, i % 7 == 0 ? "{\"v\":%d}\n" : "{\"k\":\"key number %d\",\"v\":%d}\n", i, i);
        (void)lt_buffer_format(&rows, NULL, i % 7 == 0 ? "NULL\t%d\n" : "key number %d\t%d\n", i, i);
    }
    static const size_t cuts[] = {1, 100, 4096, 65536, 1 << 24};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        rig_run(&rig, &lt_formats_json, text.data, text.bytes, cuts[i]);
        assert_string_equal(rig_rows(&rig), rows.data);
        assert_true(rig.chunks < 200);
        rig.chunks = 0;
    }
    lt_buffer_deinit(&text);
    lt_buffer_deinit(&rows);
    finish(&rig);
}

// A small generator of odd JSON: members in any order, some missing, repeated or unknown, then a byte changed here and
// there. The same seed gives the same text.
static uint32_t random_next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_line(uint32_t *seed, lt_buffer *out) {
    static const char *const names[]  = {"i",  "l",   "d", "s",     "b", "ts",
                                         "xs", "who", "n", "other", "I", "a name of more than sixteen bytes"};
    static const char *const values[] = {"1",
                                         "-7",
                                         "0",
                                         "2147483648",
                                         "9223372036854775807",
                                         "1.5",
                                         "1e3",
                                         "-0",
                                         "01",
                                         "null",
                                         "true",
                                         "false",
                                         "\"x\"",
                                         "\"\"",
                                         "\"longer than twelve bytes\"",
                                         "\"\\u00e9\\n\"",
                                         "\"\xc3\xa9\"",
                                         "\"\xff\"",
                                         "NaN",
                                         "-INF",
                                         "{}",
                                         "[1,2]",
                                         "{\"a\": [1]}",
                                         "\"2024-05-01T10:20:30Z\"",
                                         "\"12\"",
                                         "tru",
                                         "1x",
                                         "\"tab\tin\"",
                                         "[]",
                                         "\"a\\qb\"",
                                         "[1,\"x\"]",
                                         "{\"name\":\"n\",\"age\":1}",
                                         "{\"age\":\"old\"}",
                                         "1234567890123456789012",
                                         "-",
                                         "'q'"};
    static const char *const blanks[] = {"", "", "", " ", "\t", "  "};
    const size_t             start    = out->bytes;
    const uint32_t           count    = random_next(seed) % 8;
    (void)lt_buffer_append_text(out, "{", NULL);
    for (uint32_t i = 0; i < count; i++)
        (void)lt_buffer_format(
            out, NULL, "%s%s\"%s\"%s:%s%s%s", i > 0 ? "," : "", blanks[random_next(seed) % 6],
            names[random_next(seed) % (sizeof names / sizeof names[0])], blanks[random_next(seed) % 6],
            blanks[random_next(seed) % 6],
            values[random_next(seed) % (random_next(seed) % 4 == 0 ? sizeof values / sizeof values[0] : 16)],
            blanks[random_next(seed) % 6]);
    (void)lt_buffer_append_text(out, "}", NULL);
    if (random_next(seed) % 4 == 0) {
        static const char bytes[]                                   = "{}[]\",:\\ 1ax.\x01\x80";
        out->data[start + random_next(seed) % (out->bytes - start)] = bytes[random_next(seed) % (sizeof bytes - 1)];
    }
    if (random_next(seed) % 16 == 0) (void)lt_buffer_append_text(out, " trailing", NULL);
    (void)lt_buffer_append_byte(out, '\n', NULL);
}

static void test_fast_reader_equals_walker(void **state) {
    (void)state;
    decode_rig fast, walker;
    lt_arena   arena;
    lt_buffer  text;
    rig_init(&fast);
    rig_init(&walker);
    lt_arena_init(&arena, &fast.account);
    lt_buffer_init(&text, &fast.account, 0);
    const lt_field who[]  = {{.name = "name", .type = lt_type_of(LT_STRING)},
                             {.name = "age", .type = lt_type_of(LT_INT)}};
    decode_rig    *rigs[] = {&fast, &walker};
    for (int r = 0; r < 2; r++) {
        rig_column(rigs[r], "i", lt_type_of(LT_INT));
        rig_column(rigs[r], "l", lt_type_of(LT_BIGINT));
        rig_column(rigs[r], "d", lt_type_of(LT_DOUBLE));
        rig_column(rigs[r], "s", lt_type_of(LT_STRING));
        rig_column(rigs[r], "bad", lt_type_of(LT_STRING));
        rig_column(rigs[r], "b", lt_type_of(LT_BOOLEAN));
        rig_column(rigs[r], "ts", lt_type_of(LT_TIMESTAMP));
        rig_column(rigs[r], "xs", lt_type_array(&arena, lt_type_of(LT_INT)));
        rig_column(rigs[r], "who", lt_type_struct(&arena, who, 2));
        rig_column(rigs[r], "n", lt_type_decimal(&arena, 5, 1));
        rigs[r]->target.corrupt_column = 4;
    }
    rig_option(&walker, "lineSep", "\n"); // a separator of one's own: no fast reader
    uint32_t seed = 20240501;
    for (int round = 0; round < 60; round++) {
        lt_buffer_reset(&text);
        for (int i = 0; i < 100; i++) random_line(&seed, &text);
        rig_run(&walker, &lt_formats_json, text.data, text.bytes, SIZE_MAX);
        rig_run(&fast, &lt_formats_json, text.data, text.bytes,
                round % 3 == 0 ? SIZE_MAX : random_next(&seed) % 300 + 1);
        assert_int_equal(fast.status, LEAT_OK);
        assert_string_equal(rig_rows(&fast), rig_rows(&walker));
        assert_string_equal(rig_bad(&fast), rig_bad(&walker));
    }
    lt_buffer_deinit(&text);
    lt_arena_deinit(&arena);
    rig_deinit(&walker);
    finish(&fast);
}

// Whatever the limit, a decoder ends with the rows or with LEAT_NO_MEMORY, and gives everything back.
static void test_no_memory_anywhere(void **state) {
    (void)state;
    decode_rig rig;
    lt_account limited;
    v5_rig(&rig);
    lt_account_init(&limited, NULL, NULL, 0);
    rig.target.account = &limited;
    leat_status status = LEAT_NO_MEMORY;
    for (uint64_t bytes_max = 1; status != LEAT_OK; bytes_max += bytes_max < 4096 ? 64 : 4096) {
        limited.bytes_max = bytes_max;
        rig_run(&rig, &lt_formats_json, mixed, sizeof mixed - 1, 11);
        status = rig.status;
        assert_true(status == LEAT_OK || status == LEAT_NO_MEMORY);
        assert_int_equal(limited.bytes, 0);
        assert_true(bytes_max < 1 << 24);
    }
    finish(&rig);
}

static void expect_inferred(const char *const *options, const char *text, const char *type_text) {
    lt_account        account;
    lt_arena          arena;
    lt_option_value   values[4];
    lt_option_values  given = {.values = values};
    struct leat_error err   = {0};
    const lt_type    *type  = NULL;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    for (; options != NULL && options[0] != NULL; options += 2)
        values[given.count++] = (lt_option_value){.name = options[0], .value = options[1]};
    assert_int_equal(lt_formats_json.infer(&given, text, strlen(text), &arena, &type, &err), LEAT_OK);
    assert_int_equal(lt_inferred_finish_by_options(&arena, &lt_formats_json, &given, type, &type, &err), LEAT_OK);
    assert_string_equal(lt_type_text(&arena, type), type_text);
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

static void test_infer(void **state) {
    (void)state;
    static const char *const as_text[]  = {"primitivesAsString", "true", NULL};
    static const char *const decimal[]  = {"prefersDecimal", "true", NULL};
    static const char *const all_null[] = {"dropFieldIfAllNull", "true", NULL};
    static const char *const times[]    = {"inferTimestamp", "true", NULL};
    static const char *const drop[]     = {"mode", "DROPMALFORMED", NULL};
    expect_inferred(NULL, "{\"b\":1,\"a\":\"x\",\"c\":true,\"d\":1.5,\"n\":null}\n",
                    "STRUCT<a: STRING, b: BIGINT, c: BOOLEAN, d: DOUBLE, n: STRING>");
    expect_inferred(NULL, "{\"a\":1}\n{\"a\":2.5}\n{\"b\":[1,null]}\n{\"b\":[\"x\"]}\n",
                    "STRUCT<a: DOUBLE, b: ARRAY<STRING>>");
    expect_inferred(NULL, "{\"a\":{\"x\":1}}\n{\"a\":{\"y\":true}}\n[{\"z\":1},{\"z\":null}]\n",
                    "STRUCT<a: STRUCT<x: BIGINT, y: BOOLEAN>, z: BIGINT>");
    expect_inferred(NULL, "{\"a\":12345678901234567890}\n{\"a\":1}\n", "STRUCT<a: DECIMAL(20,0)>");
    expect_inferred(NULL, "{\"a\":1}\noops\n", "STRUCT<_corrupt_record: STRING, a: BIGINT>");
    expect_inferred(drop, "{\"a\":1}\noops\n", "STRUCT<a: BIGINT>");
    expect_inferred(NULL, "{\"a\":{},\"b\":[],\"c\":1}\n", "STRUCT<b: ARRAY<STRING>, c: BIGINT>");
    expect_inferred(all_null, "{\"a\":null,\"b\":[null],\"c\":{\"d\":null},\"e\":1}\n", "STRUCT<e: BIGINT>");
    expect_inferred(
        times, "{\"a\":\"2024-05-01 10:00:00\",\"b\":\"x\"}\n{\"a\":\"2024-05-01T10:00:00Z\",\"b\":\"2024-05-01\"}\n",
        "STRUCT<a: TIMESTAMP, b: STRING>");
    expect_inferred(as_text, "{\"a\":1,\"b\":[true]}\n", "STRUCT<a: STRING, b: ARRAY<STRING>>");
    expect_inferred(decimal, "{\"a\":1.25}\n{\"a\":10}\n", "STRUCT<a: DECIMAL(22,2)>");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v5_permissive),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_columns_that_nobody_reads_are_not_judged),
        cmocka_unit_test(test_lines_and_bytes),
        cmocka_unit_test(test_separator),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_arrays_stand_or_fall_as_one),
        cmocka_unit_test(test_lenient_options),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_multi_line),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_fast_reader_equals_walker),
        cmocka_unit_test(test_no_memory_anywhere),
        cmocka_unit_test(test_infer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
