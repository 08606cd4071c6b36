// CSV: cells, types and modes of Spark (spark-semantics 2.3), whatever the cuts of the bytes; and the text format.
#include "tests/unit/decode_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const lt_format lt_formats_csv, lt_formats_text;

static void expect_of(decode_rig *rig, const lt_format *format, const char *text, const char *rows) {
    static const size_t cuts[] = {1 << 20, 1, 2, 3, 7, 16, 61};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        rig_run(rig, format, text, strlen(text), cuts[i]);
        assert_string_equal(rig->err.message, "");
        assert_int_equal(rig->status, LEAT_OK);
        assert_string_equal(rig_rows(rig), rows);
    }
}

static void expect(decode_rig *rig, const char *text, const char *rows) { expect_of(rig, &lt_formats_csv, text, rows); }

static void finish(decode_rig *rig) {
    rig_deinit(rig);
    assert_int_equal(rig->account.bytes, 0);
}

static void people(decode_rig *rig) {
    rig_init(rig);
    rig_column(rig, "id", lt_type_of(LT_INT));
    rig_column(rig, "name", lt_type_of(LT_STRING));
    rig_column(rig, "v", lt_type_of(LT_DOUBLE));
}

static void test_cells(void **state) {
    (void)state;
    decode_rig rig;
    people(&rig);
    rig_option(&rig, "header", "true");
    expect(
        &rig,
        "id,name,v\n1,plain,1.5\n2,\"quoted, comma\",2\n3,,\n4,\"\",4\n\n5,short\n6,long,6,extra\n7,\"two\nlines\",7\n"
        "x,bad,1\n8,\" padded \",8\n 9 , spaced , 9 \n10,\"a\"\"b\",1\n11,\"a\\\"b\",1\n",
        "1\tplain\t1.5\n2\tquoted, "
        "comma\t2.0\n3\tNULL\tNULL\n4\tNULL\t4.0\n5\tshort\tNULL\n6\tlong\t6.0\n7\ttwo\tNULL\n"
        "NULL\t7\tNULL\nNULL\tbad\t1.0\n8\t padded \t8.0\nNULL\t spaced \t9.0\n10\t\"a\"\"b\"\t1.0\n11\ta\"b\t1.0\n");
    expect(&rig, "a,b,c\r\n12,\"a\\\\b\",1\r\n13,\"a\\n\",1\r\n14,\"a\" ,1\r\n15,\"a\" b,1\r\n16,a\"b,1",
           "12\ta\\b\t1.0\n13\ta\\n\t1.0\n14\ta\t1.0\n15\t\"a\" b\t1.0\n16\ta\"b\t1.0\n");
    expect(&rig, "\xef\xbb\xbfid,name,v\n", "");
    rig_option(&rig, "escape", "\""); // files by RFC 4180
    expect(&rig, "id,name,v\n1,\"a\"\"b\",1\n2,\"q,\"\"z\"\"\",2\n3,\"\"\"\",3\n",
           "1\ta\"b\t1.0\n2\tq,\"z\"\t2.0\n3\t\"\t3.0\n");
    finish(&rig);
}

static void test_another_dialect(void **state) {
    (void)state;
    decode_rig rig;
    people(&rig);
    rig_option(&rig, "sep", ";");
    rig_option(&rig, "quote", "^");
    rig_option(&rig, "nullValue", "-");
    rig_option(&rig, "ignoreLeadingWhiteSpace", "true");
    expect(&rig, "1;a;1.5\n2;^b;c^;-\n-;-;3\n4;  d;  4\n5;^^;5\n6;;6\n",
           "1\ta\t1.5\n2\tb;c\tNULL\nNULL\tNULL\t3.0\n4\td\t4.0\n5\t\t5.0\n6\tNULL\t6.0\n");
    rig.options[0].value = "||";
    expect(&rig, "1||a|b||1.5\n", "1\ta|b\t1.5\n");
    rig.options[0].value = "\\t";
    expect(&rig, "1\ta\t1.5\n", "1\ta\t1.5\n");
    finish(&rig);
}

static void test_types(void **state) {
    (void)state;
    decode_rig rig;
    lt_arena   arena;
    rig_init(&rig);
    lt_arena_init(&arena, &rig.account);
    rig_column(&rig, "b", lt_type_of(LT_BOOLEAN));
    rig_column(&rig, "i", lt_type_of(LT_INT));
    rig_column(&rig, "n", lt_type_decimal(&arena, 6, 2));
    rig_column(&rig, "day", lt_type_of(LT_DATE));
    rig_column(&rig, "ts", lt_type_of(LT_TIMESTAMP));
    rig_option(&rig, "comment", "#");
    rig_option(&rig, "dateFormat", "d/M/yyyy");
    expect(&rig,
           "true,1,1.005,1/5/2024,2024-05-01 10:00:00\n# a comment\n"
           "FALSE,+7,99999.99,2024-05-01,2024-05-01T10:00:00.25Z\nyes,1.0,abc,31/2/2024,never\n",
           "true\t1\t1.01\t2024-05-01\t2024-05-01 10:00:00\nfalse\t7\tNULL\tNULL\t2024-05-01 10:00:00.25\n"
           "NULL\tNULL\tNULL\tNULL\tNULL\n");
    lt_arena_deinit(&arena);
    finish(&rig);
}

static void test_modes(void **state) {
    (void)state;
    static const char text[] = "1,10\n2,x\n3\n4,40,400\n5,50\n";
    decode_rig        rig;
    rig_init(&rig);
    rig_column(&rig, "id", lt_type_of(LT_INT));
    rig_column(&rig, "v", lt_type_of(LT_INT));
    rig_column(&rig, "bad", lt_type_of(LT_STRING));
    rig.target.corrupt_column = 2;
    expect(&rig, text, "1\t10\tNULL\n2\tNULL\t2,x\n3\tNULL\t3\n4\t40\t4,40,400\n5\t50\tNULL\n");
    assert_string_equal(rig_bad(&rig), "2@5 v: 2,x\n3@9 -: 3\n4@11 -: 4,40,400\n");
    rig.target.corrupt_column = -1;
    rig.target.column_count   = 2;
    rig_option(&rig, "mode", "DROPMALFORMED");
    expect(&rig, text, "1\t10\n5\t50\n");
    rig.options[0].value = "FAILFAST";
    rig_run(&rig, &lt_formats_csv, text, sizeof text - 1, 4);
    assert_string_equal(lt_condition_name(rig.err.condition), "FAILED_READ_FILE.NO_HINT");
    assert_int_equal(rig.err.data_line, 2);
    rig.target.is_wanted = rig.is_wanted; // fewer columns: the number of cells is not judged
    rig.is_wanted[1]     = false;
    expect(&rig, text, "1\tNULL\n2\tNULL\n3\tNULL\n4\tNULL\n5\tNULL\n");
    finish(&rig);
}

static void test_header_order(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "id", lt_type_of(LT_INT));
    rig_column(&rig, "name", lt_type_of(LT_STRING));
    rig_option(&rig, "header", "true");
    expect(&rig, "name,id\n1,2\n", "1\t2\n");
    rig_option(&rig, "enforceSchema", "false");
    expect(&rig, "ID,name\n1,2\n", "1\t2\n");
    rig_run(&rig, &lt_formats_csv, "name,id\n1,2\n", 12, 3);
    assert_string_equal(lt_condition_name(rig.err.condition), "FAILED_READ_FILE.NO_HINT");
    finish(&rig);
}

static void test_multi_line(void **state) {
    (void)state;
    decode_rig rig;
    people(&rig);
    rig_option(&rig, "multiLine", "true");
    rig_option(&rig, "header", "true");
    expect(&rig, "id,name,v\n7,\"two\nlines\",7\n\n8,x,8\r\n9,\"y\",9", "7\ttwo\nlines\t7.0\n8\tx\t8.0\n9\ty\t9.0\n");
    finish(&rig);
}

static void test_encode_reads_back(void **state) {
    (void)state;
    decode_rig        rig;
    lt_chunk          chunk;
    lt_arena          arena;
    lt_buffer         out;
    const char       *names[] = {"id", "na,me"};
    const lt_type    *types[] = {lt_type_of(LT_INT), lt_type_of(LT_STRING)};
    const char *const texts[] = {"plain", "a,b", "say \"x\"", "", "two\nlines"};
    rig_init(&rig);
    lt_arena_init(&arena, &rig.account);
    lt_buffer_init(&out, &rig.account, 0);
    rig_option(&rig, "header", "true");
    assert_int_equal(lt_chunk_init(&chunk, types, 2, 8, &arena, NULL), LEAT_OK);
    for (uint32_t i = 0; i < 5; i++) {
        LT_LANES(&chunk.columns[0], int32_t)[i]   = (int32_t)i;
        LT_LANES(&chunk.columns[1], lt_string)[i] = lt_string_view(texts[i], strlen(texts[i]));
    }
    assert_int_equal(lt_vector_set_null(&chunk.columns[1], 5, &arena, NULL), LEAT_OK);
    assert_int_equal(lt_vector_set_null(&chunk.columns[0], 5, &arena, NULL), LEAT_OK);
    chunk.count = 6;
    assert_int_equal(lt_formats_csv.encode_header(&rig.option_values, names, types, 2, &out, NULL), LEAT_OK);
    assert_int_equal(lt_formats_csv.encode(&rig.option_values, names, &chunk, &rig.evaluation, &out, NULL), LEAT_OK);
    assert_string_equal(out.data,
                        "id,\"na,me\"\n0,plain\n1,\"a,b\"\n2,\"say \"\"x\"\"\"\n3,\"\"\n4,\"two\nlines\"\n,\n");
    lt_buffer_deinit(&out);
    lt_arena_deinit(&arena);
    finish(&rig);
}

static void test_infer(void **state) {
    (void)state;
    static const char text[] = "a,b,c,d,e,f\n1,1.5,x,2024-01-01,true,\n3000000000,2,y,2024-01-01 10:00:00,FALSE,\n";
    lt_account        account;
    lt_arena          arena;
    lt_option_value   values[] = {{.name = "header", .value = "true"}, {.name = "inferSchema", .value = "true"}};
    lt_option_values  options  = {values, 2};
    const lt_type    *type     = NULL;
    lt_account_init(&account, NULL, NULL, 0);
    lt_arena_init(&arena, &account);
    assert_int_equal(lt_formats_csv.infer(&options, text, sizeof text - 1, &arena, &type, NULL), LEAT_OK);
    assert_int_equal(lt_inferred_finish(&arena, type, &type, NULL), LEAT_OK);
    assert_string_equal(lt_type_text(&arena, type),
                        "STRUCT<a: BIGINT, b: DOUBLE, c: STRING, d: TIMESTAMP, e: BOOLEAN, f: STRING>");
    options = (lt_option_values){values, 0};
    type    = NULL;
    assert_int_equal(lt_formats_csv.infer(&options, text, sizeof text - 1, &arena, &type, NULL), LEAT_OK);
    assert_string_equal(lt_type_text(&arena, type),
                        "STRUCT<_c0: STRING, _c1: STRING, _c2: STRING, _c3: STRING, _c4: STRING, _c5: STRING>");
    lt_arena_deinit(&arena);
    assert_int_equal(account.bytes, 0);
}

static void test_text_lines(void **state) {
    (void)state;
    decode_rig rig;
    rig_init(&rig);
    rig_column(&rig, "value", lt_type_of(LT_STRING));
    expect_of(&rig, &lt_formats_text, "one\ntwo\r\n\n three \ntab\there, and a long line\nlast",
              "one\ntwo\n\n three \ntab\there, and a long line\nlast\n");
    rig_option(&rig, "wholetext", "true");
    expect_of(&rig, &lt_formats_text, "one\ntwo\n", "one\ntwo\n\n");
    finish(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_another_dialect),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_header_order),
        cmocka_unit_test(test_multi_line),
        cmocka_unit_test(test_encode_reads_back),
        cmocka_unit_test(test_infer),
        cmocka_unit_test(test_text_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
