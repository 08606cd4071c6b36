// JSON: tokens with their places, Jackson's leniencies, conversion outcomes, and text written back.
#include "base/json_convert.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct rig {
    lt_account     account;
    lt_arena       arena;
    lt_json_reader reader;
} rig;

static void rig_init(rig *self, lt_json_options options) {
    lt_account_init(&self->account, NULL, NULL, 0);
    lt_arena_init(&self->arena, &self->account);
    lt_json_reader_init(&self->reader, &options, &self->account);
}
static void rig_deinit(rig *self) {
    lt_json_reader_deinit(&self->reader);
    lt_arena_deinit(&self->arena);
    assert_int_equal(self->account.bytes, 0);
}

static bool is_json(lt_json_options options, const char *text) {
    rig self;
    rig_init(&self, options);
    lt_json_reader_open(&self.reader, text, strlen(text));
    while (lt_json_next(&self.reader) != LT_JSON_END && self.reader.token != LT_JSON_BAD) continue;
    bool is_good = self.reader.token == LT_JSON_END && self.reader.has_value;
    assert_true(is_good || self.reader.problem != NULL || !self.reader.has_value);
    rig_deinit(&self);
    return is_good;
}

static void tokens_know_their_places(void **state) {
    (void)state;
    static const char text[] = "{\"a\": [1, -2.5e3, \"x\\ny\"], \"b\" : null} tail";
    static const struct {
        lt_json_token token;
        const char   *source;
    } expected[] = {{LT_JSON_OBJECT, "{"},    {LT_JSON_NAME, "\"a\""},    {LT_JSON_ARRAY, "["},
                    {LT_JSON_INTEGER, "1"},   {LT_JSON_NUMBER, "-2.5e3"}, {LT_JSON_STRING, "\"x\\ny\""},
                    {LT_JSON_ARRAY_END, "]"}, {LT_JSON_NAME, "\"b\""},    {LT_JSON_NULL, "null"},
                    {LT_JSON_OBJECT_END, "}"}};
    rig self;
    rig_init(&self, (lt_json_options){0});
    lt_json_reader_open(&self.reader, text, sizeof text - 1);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(lt_json_next(&self.reader), expected[i].token);
        size_t bytes = (size_t)(self.reader.token_end - self.reader.token_start);
        assert_int_equal(bytes, strlen(expected[i].source));
        assert_memory_equal(self.reader.token_start, expected[i].source, bytes);
        if (expected[i].token == LT_JSON_STRING) assert_memory_equal(self.reader.text, "x\ny", 3);
    }
    assert_int_equal(lt_json_next(&self.reader), LT_JSON_END); // what follows the value is never looked at
    rig_deinit(&self);
}

static void what_is_no_json_is_refused(void **state) {
    (void)state;
    static const char *const bad[]  = {"{",      "[1,]",    "[1 2]",     "{\"a\" 1}", "{\"a\":}",
                                       "{,}",    "[,1]",    "'a'",       "{a:1}",     "01",
                                       "1.",     "-",       "+1",        "1e",        "NaN",
                                       "\"\t\"", "\"\\q\"", "\"\\u12\"", "\"abc",     "tru",
                                       "nulls",  "[1}",     "{\"a\"]",   "\"\xff\"",  "\"\xed\xa0\x80\"",
                                       "/**/1"};
    static const char *const good[] = {"0", "-0", "1e5", "\"\\u00e9\\ud83d\\ude00\"", "[]", "{}", "[[],{}]", " 1 "};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(is_json((lt_json_options){0}, bad[i]));
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) assert_true(is_json((lt_json_options){0}, good[i]));
    assert_false(is_json((lt_json_options){0}, ""));
    assert_false(is_json((lt_json_options){0}, "  "));
}

static void each_leniency_is_an_option(void **state) {
    (void)state;
    assert_true(is_json((lt_json_options){.allow_single_quotes = true}, "{'a':'b\\'c'}"));
    assert_true(is_json((lt_json_options){.allow_non_numeric = true}, "[NaN,Infinity,-INF,+INF,+Infinity,-Infinity]"));
    assert_true(is_json((lt_json_options){.allow_comments = true}, "/* a */ [1, // b\n 2]"));
    assert_true(is_json((lt_json_options){.allow_unquoted_names = true}, "{a_1:1}"));
    assert_true(is_json((lt_json_options){.allow_leading_zeros = true}, "007"));
    assert_true(is_json((lt_json_options){.allow_backslash_any = true}, "\"\\q\""));
    assert_true(is_json((lt_json_options){.allow_control_characters = true}, "\"\t\""));
}

static void depth_has_a_limit(void **state) {
    (void)state;
    char text[2 * LT_JSON_DEPTH_MAX + 4];
    memset(text, '[', LT_JSON_DEPTH_MAX);
    memset(text + LT_JSON_DEPTH_MAX, ']', LT_JSON_DEPTH_MAX);
    text[2 * LT_JSON_DEPTH_MAX] = '\0';
    assert_true(is_json((lt_json_options){0}, text));
    memset(text, '[', LT_JSON_DEPTH_MAX + 1);
    memset(text + LT_JSON_DEPTH_MAX + 1, ']', LT_JSON_DEPTH_MAX + 1);
    text[2 * LT_JSON_DEPTH_MAX + 2] = '\0';
    assert_false(is_json((lt_json_options){0}, text));
}

static void copies_are_compact(void **state) {
    (void)state;
    static const char text[] = "{ \"a\" : [ 1.50 , 1e3, -0 , \"\\u00e9\\/\" ] , \"b\" : { } }";
    static const char want[] = "{\"a\":[1.5,1000.0,0,\"\xc3\xa9/\"],\"b\":{}}";
    rig               self;
    lt_buffer         out;
    bool              is_good;
    rig_init(&self, (lt_json_options){0});
    lt_buffer_init(&out, &self.account, 0);
    lt_json_reader_open(&self.reader, text, sizeof text - 1);
    lt_json_next(&self.reader);
    assert_int_equal(lt_json_copy_value(&self.reader, &out, &is_good, NULL), LEAT_OK);
    assert_true(is_good);
    assert_string_equal(out.data, want);
    lt_buffer_reset(&out);
    assert_int_equal(lt_json_write_string("\"\\\n\x01\x7f/", 6, &out, NULL), LEAT_OK);
    assert_string_equal(out.data, "\"\\\"\\\\\\n\\u0001\x7f/\"");
    lt_buffer_deinit(&out);
    rig_deinit(&self);
}

static lt_json_outcome convert(rig *self, const lt_type *type, const char *text, lt_vector *out) {
    lt_evaluation      evaluation = {.time_zone = "UTC", .account = &self->account};
    lt_json_conversion conversion;
    lt_json_outcome    outcome;
    assert_int_equal(lt_json_conversion_init(&conversion, &self->arena, &evaluation, NULL), LEAT_OK);
    assert_int_equal(lt_vector_init(out, type, 1, &self->arena, NULL), LEAT_OK);
    out->lanes = 1;
    assert_int_equal(lt_lane_put_null(out, 0, &self->arena, NULL), LEAT_OK);
    lt_json_reader_open(&self->reader, text, strlen(text));
    lt_json_next(&self->reader);
    assert_int_equal(lt_json_convert(&conversion, &self->reader, out, 0, &outcome, NULL), LEAT_OK);
    lt_json_conversion_deinit(&conversion);
    return outcome;
}

static void outcomes_tell_bad_from_broken(void **state) {
    (void)state;
    rig       self;
    lt_vector value;
    rig_init(&self, lt_json_options_default());
    const lt_type *number = lt_type_of(LT_INT), *numbers = lt_type_array(&self.arena, number);
    const lt_field fields[] = {{.name = "a", .type = number}, {.name = "b", .type = numbers}};
    const lt_type *record   = lt_type_struct(&self.arena, fields, 2);
    const lt_type *records  = lt_type_array(&self.arena, record);
    assert_int_equal(convert(&self, number, "12", &value), LT_JSON_GOOD);
    assert_int_equal(LT_LANES(&value, int32_t)[0], 12);
    assert_int_equal(convert(&self, number, "null", &value), LT_JSON_GOOD);
    assert_true(lt_vector_is_null(&value, 0));
    assert_int_equal(convert(&self, number, "1.0", &value), LT_JSON_WRONG);
    assert_int_equal(convert(&self, number, "3000000000", &value), LT_JSON_WRONG);
    assert_int_equal(convert(&self, number, "{\"x\":[1]}", &value), LT_JSON_WRONG);
    assert_int_equal(convert(&self, number, "{\"x\":", &value), LT_JSON_BROKEN);
    assert_int_equal(convert(&self, numbers, "[1,\"x\",[2]]", &value), LT_JSON_WRONG);
    assert_int_equal(convert(&self, numbers, "[1,null]", &value), LT_JSON_GOOD);
    assert_int_equal(LT_LANES(&value, lt_list)[0].count, 2);
    // A bad array is NULL, its neighbour keeps its value; a later member of the same name wins unless it is bad.
    assert_int_equal(convert(&self, record, "{\"b\":[1,\"x\"],\"a\":8,\"a\":\"z\",\"c\":{}}", &value), LT_JSON_PARTIAL);
    assert_int_equal(LT_LANES(&value.children[0], int32_t)[0], 8);
    assert_true(lt_vector_is_null(&value.children[1], 0));
    // Structs inside of arrays keep their good fields.
    assert_int_equal(convert(&self, records, "[{\"a\":1,\"b\":5},{\"a\":2}]", &value), LT_JSON_PARTIAL);
    assert_int_equal(LT_LANES(&value, lt_list)[0].count, 2);
    assert_int_equal(LT_LANES(&value.children[0].children[0], int32_t)[1], 2);
    rig_deinit(&self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_know_their_places),   cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(each_leniency_is_an_option), cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(copies_are_compact),         cmocka_unit_test(outcomes_tell_bad_from_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
