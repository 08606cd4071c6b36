// format: look-ups in the registry and in options. Names are compared without case, as Spark does.
#include "storage/format.h"

#include "base/arena.h"
#include "base/ascii.h"

static char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte; }

static bool equals_without_case(const char *a, const char *b) {
    while (*a != '\0' && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

static const lt_option *row_of(const lt_option *rows, const char *name) {
    for (const lt_option *row = rows; row != NULL && row->name != NULL; row++)
        if (equals_without_case(row->name, name)) return row;
    return NULL;
}

static const lt_option_value *value_of(const lt_option_values *options, const char *name) {
    const lt_option_value *found = NULL;
    for (uint32_t i = 0; options != NULL && i < options->count; i++)
        if (equals_without_case(options->values[i].name, name)) found = &options->values[i];
    return found;
}

const char *lt_option_text(const lt_option_values *options, const lt_option *rows, const char *name) {
    const lt_option_value *value = value_of(options, name);
    if (value != NULL && value->value != NULL) return value->value;
    const lt_option *row = row_of(rows, name);
    return row == NULL ? NULL : row->initial;
}

bool lt_option_is_true(const lt_option_values *options, const lt_option *rows, const char *name) {
    const char *text = lt_option_text(options, rows, name);
    return text != NULL && equals_without_case(text, "true");
}

// Whether a list of words with blanks between them has that one, without case.
static bool words_have(const char *words, const char *wanted, size_t bytes) {
    for (size_t word_bytes; *words != '\0'; words += word_bytes + strspn(words + word_bytes, " ")) {
        word_bytes = strcspn(words, " ");
        if (word_bytes == bytes && lt_ascii_equal(words, wanted, bytes)) return true;
    }
    return false;
}

leat_status lt_option_pattern(const lt_option_values *options, const lt_option *rows, const char *name,
                              lt_pattern_use use, lt_arena *arena, const lt_datetime_pattern **out, leat_error *err) {
    const char *text = lt_option_text(options, rows, name);
    *out             = NULL;
    return text == NULL ? LEAT_OK : lt_datetime_pattern_compile(arena, text, strlen(text), use, NULL, out, err);
}

// Digits with an optional sign, blanks around them allowed.
static bool parse_int64(const char *text, int64_t *out) {
    while (*text == ' ') text++;
    const bool is_negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    if (*text < '0' || *text > '9') return false;
    int64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *text - '0', &value))
            return false;
    while (*text == ' ') text++;
    *out = is_negative ? -value : value;
    return *text == '\0';
}

leat_status lt_option_int64(const lt_option_values *options, const lt_option *rows, const char *name, int64_t *out,
                            leat_error *err) {
    const char *text = lt_option_text(options, rows, name);
    if (text != NULL && parse_int64(text, out)) return LEAT_OK;
    const lt_option_value *value = value_of(options, name);
    return lt_raise(err, LT_INVALID_OPTION_VALUE, value == NULL ? NULL : &value->place,
                    "option `%s` is `%s`; it takes an integer", name, text == NULL ? "" : text);
}

bool lt_option_duration_parse(const char *text, int64_t *out_us) {
    static const struct {
        const char *unit;
        int64_t     us;
    } units[]     = {{"us", 1},       {"ms", 1000},      {"s", 1000000},     {"min", 60000000},
                     {"m", 60000000}, {"h", 3600000000}, {"d", 86400000000}, {"", 1000}};
    int64_t value = 0;
    while (*text == ' ') text++;
    if (*text < '0' || *text > '9') return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *text - '0', &value))
            return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (equals_without_case(text, units[i].unit)) return !__builtin_mul_overflow(value, units[i].us, out_us);
    return false;
}

leat_status lt_option_duration(const lt_option_values *options, const lt_option *rows, const char *name,
                               int64_t *out_us, leat_error *err) {
    const char *text = lt_option_text(options, rows, name);
    if (text != NULL && lt_option_duration_parse(text, out_us)) return LEAT_OK;
    const lt_option_value *value = value_of(options, name);
    return lt_raise(err, LT_INVALID_OPTION_VALUE, value == NULL ? NULL : &value->place,
                    "option `%s` is `%s`; it takes a number and a unit: us, ms, s, m, h or d, as in `7d`", name,
                    text == NULL ? "" : text);
}

// Edit distance, capped: names are short, so a row of the table fits on the stack.
static size_t distance(const char *a, const char *b) {
    enum { NAME_MAX = 64 };
    const size_t a_bytes = strlen(a), b_bytes = strlen(b);
    if (a_bytes >= NAME_MAX || b_bytes >= NAME_MAX) return NAME_MAX;
    size_t row[NAME_MAX];
    for (size_t j = 0; j <= b_bytes; j++) row[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0]          = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            const size_t replace = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            const size_t shift   = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal             = row[j];
            row[j]               = replace < shift ? replace : shift;
        }
    }
    return row[b_bytes];
}

static const char *nearest_name(const lt_option *const *lists, const char *name) {
    const char *best          = NULL;
    size_t      best_distance = SIZE_MAX;
    for (size_t i = 0; lists[i] != NULL; i++)
        for (const lt_option *row = lists[i]; row->name != NULL; row++) {
            const size_t d = distance(name, row->name);
            if (d < best_distance) best_distance = d, best = row->name;
        }
    return best;
}

leat_status lt_options_check(const lt_option_values *options, const lt_option *const *lists, leat_error *err) {
    for (uint32_t i = 0; options != NULL && i < options->count; i++) {
        const lt_option_value *value = &options->values[i];
        const lt_option       *row   = NULL;
        for (size_t k = 0; lists[k] != NULL && row == NULL; k++) row = row_of(lists[k], value->name);
        if (row == NULL) {
            const char *nearest = nearest_name(lists, value->name);
            if (nearest == NULL) return lt_raise(err, LT_UNKNOWN_OPTION, &value->place, "no option `%s`", value->name);
            return lt_raise(err, LT_UNKNOWN_OPTION, &value->place, "no option `%s`; did you mean `%s`?", value->name,
                            nearest);
        }
        if (row->words == NULL || value->value == NULL) continue;
        int64_t number = 0;
        if (strcmp(row->words, "BOOL") == 0 && !equals_without_case(value->value, "true") &&
            !equals_without_case(value->value, "false"))
            return lt_raise(err, LT_INVALID_OPTION_VALUE, &value->place, "option `%s` is `%s`; it takes true or false",
                            row->name, value->value);
        if (strcmp(row->words, "INT") == 0 && !parse_int64(value->value, &number))
            return lt_raise(err, LT_INVALID_OPTION_VALUE, &value->place, "option `%s` is `%s`; it takes an integer",
                            row->name, value->value);
        if (strcmp(row->words, "DURATION") == 0 && !lt_option_duration_parse(value->value, &number))
            return lt_raise(err, LT_INVALID_OPTION_VALUE, &value->place,
                            "option `%s` is `%s`; it takes a number and a unit, as in `7d`", row->name, value->value);
        if (row->is_strict && !words_have(row->words, value->value, strlen(value->value)))
            return lt_raise(err, LT_NOT_SUPPORTED, &value->place, "option `%s` is `%s`; only %s is known", row->name,
                            value->value, row->initial);
    }
    return LEAT_OK;
}

const lt_format *lt_format_of_extension(const char *extension, size_t bytes) {
    for (const lt_format *const *format = lt_format_registry; *format != NULL; format++)
        if ((*format)->extensions != NULL && words_have((*format)->extensions, extension, bytes)) return *format;
    return NULL;
}

const lt_format *lt_format_find(const char *name) {
    for (const lt_format *const *format = lt_format_registry; *format != NULL; format++)
        if (equals_without_case((*format)->name, name)) return *format;
    return NULL;
}

int32_t lt_corrupt_column(const lt_format *format, const lt_option_values *options, const char *const *names,
                          uint32_t column_count) {
    const char *name = lt_option_text(options, format->options, "columnNameOfCorruptRecord");
    for (uint32_t c = 0; name != NULL && c < column_count; c++)
        if (equals_without_case(names[c], name)) return (int32_t)c;
    return -1;
}
