#include "exec/text_options.h"

#include "base/ascii.h"

static bool name_is(const lt_string *key, const char *name) {
    return key->bytes == strlen(name) && lt_ascii_compare_bytes(lt_string_data(key), name, key->bytes) == 0;
}

const lt_string *lt_text_option(const lt_vector *options, const char *name) {
    if (options == NULL || options->type->kind != LT_MAP || lt_vector_is_null(options, 0)) return NULL;
    const lt_vector *lanes  = lt_vector_lanes(options);
    lt_list          list   = LT_LANES(lanes, const lt_list)[lt_vector_lane(options, 0)];
    const lt_vector *keys   = &lanes->children[0].children[0];
    const lt_vector *values = &lanes->children[0].children[1];
    if (keys->type->kind != LT_STRING || values->type->kind != LT_STRING) return NULL;
    for (uint32_t i = list.count; i > 0; i--) {
        uint32_t lane = list.offset + i - 1;
        if (name_is(&LT_LANES(keys, const lt_string)[lane], name) && !lt_lane_is_null(values, lane))
            return &LT_LANES(values, const lt_string)[lane];
    }
    return NULL;
}

bool lt_text_option_is_true(const lt_vector *options, const char *name, bool initial) {
    const lt_string *value = lt_text_option(options, name);
    return value == NULL ? initial : name_is(value, "true");
}

lt_json_options lt_text_options_json(const lt_vector *options) {
    return (lt_json_options){
        .allow_single_quotes      = lt_text_option_is_true(options, "allowSingleQuotes", true),
        .allow_non_numeric        = lt_text_option_is_true(options, "allowNonNumericNumbers", true),
        .allow_comments           = lt_text_option_is_true(options, "allowComments", false),
        .allow_unquoted_names     = lt_text_option_is_true(options, "allowUnquotedFieldNames", false),
        .allow_leading_zeros      = lt_text_option_is_true(options, "allowNumericLeadingZeros", false),
        .allow_backslash_any      = lt_text_option_is_true(options, "allowBackslashEscapingAnyCharacter", false),
        .allow_control_characters = lt_text_option_is_true(options, "allowUnquotedControlChars", false)};
}

const char *lt_text_option_text(const lt_vector *options, const char *name, const char *initial, lt_arena *arena) {
    const lt_string *value = lt_text_option(options, name);
    return value == NULL ? initial : lt_arena_text(arena, lt_string_data(value), value->bytes);
}

leat_status lt_text_option_pattern(const lt_vector *options, const char *name, lt_pattern_use use, lt_arena *arena,
                                   const lt_datetime_pattern **out, leat_error *err) {
    const lt_string *value = lt_text_option(options, name);
    *out                   = NULL;
    if (value == NULL) return LEAT_OK;
    return lt_datetime_pattern_compile(arena, lt_string_data(value), value->bytes, use, NULL, out, err);
}

// Options that are true or false.
static leat_status flags_check(const lt_vector *options, const lt_place *place, leat_error *err) {
    static const char *const flags[] = {"allowSingleQuotes",
                                        "allowNonNumericNumbers",
                                        "allowComments",
                                        "allowUnquotedFieldNames",
                                        "allowNumericLeadingZeros",
                                        "allowBackslashEscapingAnyCharacter",
                                        "allowUnquotedControlChars",
                                        "primitivesAsString",
                                        "prefersDecimal",
                                        "dropFieldIfAllNull",
                                        "ignoreNullFields",
                                        "pretty",
                                        "sortKeys",
                                        "multiLine",
                                        "header",
                                        "inferSchema",
                                        "ignoreLeadingWhiteSpace",
                                        "ignoreTrailingWhiteSpace",
                                        "quoteAll",
                                        "escapeQuotes",
                                        "enforceSchema"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        const lt_string *value = lt_text_option(options, flags[i]);
        if (value != NULL && !name_is(value, "true") && !name_is(value, "false"))
            return lt_raise(err, LT_INVALID_OPTION_VALUE, place, "the option `%s` is true or false", flags[i]);
    }
    return LEAT_OK;
}

leat_status lt_text_options_resolve(lt_resolution *resolution, uint32_t argument, leat_error *err) {
    if (argument >= resolution->argument_count) return LEAT_OK;
    const lt_type *type = resolution->types[argument];
    if (type->kind != LT_MAP || resolution->constants[argument] == NULL)
        return lt_raise(err, LT_INVALID_OPTIONS__NON_MAP_FUNCTION, &resolution->places[argument],
                        "the options must be a constant map('name', 'value', ...)");
    if (type->fields[0].type->kind != LT_STRING || type->fields[1].type->kind != LT_STRING)
        return lt_raise(err, LT_INVALID_OPTIONS__NON_STRING_TYPE, &resolution->places[argument],
                        "names and values of options must be texts");
    return flags_check(resolution->constants[argument], &resolution->places[argument], err);
}
