// generate_rows: writes the rows of the benchmarks, and the right answer of the grouped sum over them.
//
//     generate_rows OUT TRUTH [NAME=VALUE]...
//
// The rows are a pure function of the options. OUT is a file, or with files=N a folder of N files. TRUTH gets a line
// `key<TAB>sum` for each key that occurs, in no order (`-`: none), with \N for NULL and \t \n \r \\ for these bytes.
//
//   rows=N keys=N seed=N   keys are drawn uniformly, or by Zipf's law with zipf=1
//   shape=pair             {"event":"event_00017","amount":42}                                          37 bytes
//   shape=user             and "user_id"                                                                54
//   shape=event            and "ts", "is_test", "page"                                                  149
//   shape=wide             and eight texts                                                              979
//   shape=twenty           c0 .. c19: integers, texts, numbers with a point, booleans; no truth         about 330
//   shape=hundreds         c0 .. c199 of the same kinds; no truth                                       about 3,300
//   shape=lookup           each key once, in a random order, with a label of 1,000; no truth
//   format=json|csv        csv has a header
//   order=fixed|swap|row|mixed   two fields swapped in every row; another order in each row; 16 orders in turns
//   nulls=P escapes=P extra=P    percent of rows with a NULL event or amount; of keys and pages with escapes; of rows
//                                with undeclared fields, nested ones too
//   unicode=1              keys of several scripts     spacing=1   a blank behind each colon and comma
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIELDS_MAX = 256, TEXT_MAX_BYTES = 1024, TIMES_PER_SECOND = 100, MIXED_ORDERS = 16 };
enum { EVENT_BYTES = 149, WIDE_BYTES = 979, WIDE_TEXTS = 8, TWENTY_FIELDS = 20, HUNDREDS_FIELDS = 200, LABELS = 1000 };

typedef enum shape {
    SHAPE_PAIR,
    SHAPE_USER,
    SHAPE_EVENT,
    SHAPE_WIDE,
    SHAPE_TWENTY,
    SHAPE_HUNDREDS,
    SHAPE_LOOKUP
} shape;
typedef enum order { ORDER_FIXED, ORDER_SWAP, ORDER_ROW, ORDER_MIXED } order;

typedef struct options {
    uint64_t rows, keys, seed, files, nulls, escapes, extra, zipf, unicode, spacing;
    shape    shape;
    order    order;
    bool     is_csv;
} options;

typedef struct text {
    char   bytes[TEXT_MAX_BYTES];
    size_t count;
} text;

typedef struct field {
    text name, value; // the value as JSON writes it
    bool is_text;
} field;

typedef struct total {
    int64_t sum;
    bool    occurs, has_sum;
} total;

// splitmix64: a bijection on 64-bit integers.
static uint64_t mix(uint64_t z) {
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

static void text_add(text *out, const char *bytes, size_t count) {
    if (count > sizeof out->bytes - out->count) count = sizeof out->bytes - out->count;
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static void text_add_string(text *out, const char *string) { text_add(out, string, strlen(string)); }

static void text_add_number(text *out, uint64_t number, int digits_min) {
    char   digits[24];
    size_t begin = sizeof digits;
    do {
        digits[--begin] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || (int)(sizeof digits - begin) < digits_min);
    text_add(out, digits + begin, sizeof digits - begin);
}

static void text_add_letters(text *out, uint64_t random, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i % 12 == 0) random = mix(random);
        char letter = (char)('a' + (random >> (i % 12 * 5)) % 26);
        text_add(out, &letter, 1);
    }
}

static int digits_of(uint64_t number) {
    int digits = 1;
    while (number >= 10) number /= 10, digits++;
    return digits;
}

static bool key_is_escaped(const options *o, uint64_t key) { return mix(key ^ o->seed ^ 0xE5C) % 100 < o->escapes; }

// The key as a reader sees it. Every tenth of the escaped ones has each kind of byte that needs an escape.
static text key_text(const options *o, uint64_t key) {
    static const char *const scripts[] = {"event_", "\u00e9v\u00e9nement_", "\u4e8b\u4ef6_",
                                          "\u0441\u043e\u0431\u044b\u0442\u0438\u0435_", "\U0001F680_"};
    text                     out       = {.count = 0};
    text_add_string(&out, o->unicode ? scripts[mix(key + 77) % 5] : scripts[0]);
    int digits = digits_of(o->keys - 1);
    text_add_number(&out, key, digits < 5 ? 5 : digits);
    if (key_is_escaped(o, key)) text_add_string(&out, key % 10 == 0 ? "\"\\\n\t/\r\"" : " \"x\"");
    return out;
}

// A JSON string; which of the equal spellings a byte takes depends on `random`.
static void json_add_text(text *out, const text *value, uint64_t random) {
    text_add(out, "\"", 1);
    for (size_t i = 0; i < value->count; i++) {
        char byte      = value->bytes[i];
        random         = random * 6364136223846793005U + 1442695040888963407U;
        bool long_form = (random >> 60) % 4 == 0;
        switch (byte) {
        case '"':
            text_add_string(out, long_form ? "\\u0022" : "\\\"");
            break;
        case '\\':
            text_add_string(out, long_form ? "\\u005C" : "\\\\");
            break;
        case '\n':
            text_add_string(out, long_form ? "\\u000a" : "\\n");
            break;
        case '\t':
            text_add_string(out, "\\t");
            break;
        case '\r':
            text_add_string(out, "\\r");
            break;
        case '/':
            text_add_string(out, long_form ? "\\/" : "/");
            break;
        default:
            text_add(out, &byte, 1);
        }
    }
    text_add(out, "\"", 1);
}

static field *field_add(field *fields, size_t *count, const char *name) {
    field *added      = &fields[(*count)++];
    added->name.count = added->value.count = 0;
    added->is_text                         = false;
    text_add_string(&added->name, name);
    return added;
}

static void field_add_letters(field *fields, size_t *count, const char *name, uint64_t random, size_t letters) {
    field *added   = field_add(fields, count, name);
    added->is_text = true;
    text_add(&added->value, "\"", 1);
    text_add_letters(&added->value, random, letters);
    text_add(&added->value, "\"", 1);
}

static void field_add_time(field *fields, size_t *count, const char *name, uint64_t second) {
    field *added   = field_add(fields, count, name);
    added->is_text = true;
    text_add_string(&added->value, "\"2026-");
    text_add_number(&added->value, 1 + second / (86400 * 28) % 12, 2);
    text_add_string(&added->value, "-");
    text_add_number(&added->value, 1 + second / 86400 % 28, 2);
    text_add_string(&added->value, "T");
    text_add_number(&added->value, second / 3600 % 24, 2);
    text_add_string(&added->value, ":");
    text_add_number(&added->value, second / 60 % 60, 2);
    text_add_string(&added->value, ":");
    text_add_number(&added->value, second % 60, 2);
    text_add_string(&added->value, "Z\"");
}

static size_t row_bytes(const field *fields, size_t count) {
    size_t bytes = 2 + count; // braces, commas, newline
    for (size_t i = 0; i < count; i++) bytes += fields[i].name.count + 3 + fields[i].value.count;
    return bytes;
}

// Texts that fill the row up to `bytes`, of lengths that vary.
static void fields_fill(field *fields, size_t *count, size_t texts, size_t bytes, uint64_t random) {
    for (size_t i = 0; i < texts; i++) {
        size_t left = texts - i, used = row_bytes(fields, *count) + left * strlen(",\"f0\":\"\"");
        size_t room = used < bytes ? bytes - used : 0, letters = room / left;
        random = mix(random);
        if (left > 1) letters = letters / 2 + random % (letters + 1);
        char name[32] = "page";
        if (texts > 1) snprintf(name, sizeof name, "f%zu", i);
        if (texts == 1) letters -= letters > 2 ? 2 : 0;
        field_add_letters(fields, count, name, random, letters);
    }
}

static void fields_event(const options *o, field *fields, size_t *count, uint64_t row, uint64_t key, uint64_t random,
                         total *totals) {
    bool   event_is_null  = mix(random + 1) % 200 < o->nulls;
    bool   amount_is_null = mix(random + 2) % 200 < o->nulls;
    text   key_value      = key_text(o, key);
    field *event          = field_add(fields, count, "event");
    if (event_is_null)
        text_add_string(&event->value, "null");
    else {
        event->is_text = true;
        json_add_text(&event->value, &key_value, random);
    }
    uint64_t amount = (random >> 20) % 1000;
    field   *value  = field_add(fields, count, "amount");
    if (amount_is_null)
        text_add_string(&value->value, "null");
    else
        text_add_number(&value->value, amount, 1);
    total *of_key  = &totals[event_is_null ? o->keys : key];
    of_key->occurs = true;
    if (!amount_is_null) of_key->sum += (int64_t)amount, of_key->has_sum = true;
    if (o->shape == SHAPE_PAIR) return;
    text_add_number(&field_add(fields, count, "user_id")->value, 100000 + (random >> 32) % 900000, 1);
    if (o->shape == SHAPE_USER) return;
    field_add_time(fields, count, "ts", row / TIMES_PER_SECOND);
    text_add_string(&field_add(fields, count, "is_test")->value, (random >> 40) % 8 == 0 ? "true" : "false");
    fields_fill(fields, count, o->shape == SHAPE_WIDE ? WIDE_TEXTS : 1,
                o->shape == SHAPE_WIDE ? WIDE_BYTES : EVENT_BYTES, random);
    if (mix(random + 3) % 100 < o->escapes) {
        text *page = &fields[*count - 1].value; // an escape in a column that nobody asks for
        if (page->count > 6) memcpy(page->bytes + 2, "\\\"\\n", 4);
    }
}

static void fields_numbered(field *fields, size_t *count, size_t wanted, uint64_t row, uint64_t random) {
    char name[24];
    for (size_t i = 0; i < wanted; i++) {
        random = mix(random);
        snprintf(name, sizeof name, "c%zu", i);
        switch (i % 4) {
        case 0:
            text_add_number(&field_add(fields, count, name)->value, random % 10000000, 1);
            break;
        case 1:
            field_add_letters(fields, count, name, random, 6 + random % 20);
            break;
        case 2: {
            text *value = &field_add(fields, count, name)->value;
            text_add_number(value, random % 10000, 1);
            text_add(value, ".", 1);
            text_add_number(value, (random >> 32) % 100, 2);
            break;
        }
        default:
            if (i == 7)
                field_add_time(fields, count, name, row / TIMES_PER_SECOND);
            else
                text_add_string(&field_add(fields, count, name)->value, random % 2 ? "true" : "false");
        }
    }
}

static void fields_extra(field *fields, size_t *count, uint64_t random) {
    static const char *const values[] = {
        "17", "\"text\"", "null", "{\"a\":{\"b\":[1,2,{\"c\":\"}\"}]},\"d\":1.5e3}", "[]", "[\"x\",\"y,z\"]"};
    size_t added = 1 + random % 3;
    for (size_t i = 0; i < added; i++) {
        random = mix(random);
        char name[32];
        snprintf(name, sizeof name, "extra_%zu", i);
        field_add(fields, count, name);
        text_add_string(&fields[*count - 1].value, values[random % 6]);
        // Before, between or behind the others.
        size_t place = (random >> 8) % *count;
        field  moved = fields[*count - 1];
        memmove(&fields[place + 1], &fields[place], (*count - 1 - place) * sizeof *fields);
        fields[place] = moved;
    }
}

static void order_write(const options *o, uint64_t row, size_t count, uint8_t *out) {
    for (size_t i = 0; i < count; i++) out[i] = (uint8_t)i;
    uint64_t random = mix(row ^ mix(o->seed));
    if (o->order == ORDER_MIXED) random = mix(random % MIXED_ORDERS + o->seed);
    if (o->order == ORDER_FIXED || count < 2) return;
    if (o->order == ORDER_SWAP) {
        out[0]                 = (uint8_t)(count > 2 ? 2 : 1);
        out[count > 2 ? 2 : 1] = 0;
        return;
    }
    for (size_t i = count - 1; i > 0; i--) {
        random      = mix(random);
        size_t  j   = random % (i + 1);
        uint8_t was = out[i];
        out[i]      = out[j];
        out[j]      = was;
    }
}

static void row_write(const options *o, FILE *out, const field *fields, size_t count, uint64_t row) {
    if (o->is_csv) {
        for (size_t i = 0; i < count; i++) {
            const text *value  = &fields[i].value;
            bool        quoted = fields[i].is_text && row % 8 == 0; // some writers quote, some do not
            if (i > 0) fputc(',', out);
            if (fields[i].is_text && !quoted)
                fwrite(value->bytes + 1, 1, value->count - 2, out);
            else if (value->count != 4 || memcmp(value->bytes, "null", 4) != 0)
                fwrite(value->bytes, 1, value->count, out);
        }
        fputc('\n', out);
        return;
    }
    uint8_t places[FIELDS_MAX];
    order_write(o, row, count, places);
    fputc('{', out);
    for (size_t i = 0; i < count; i++) {
        const field *written = &fields[places[i]];
        if (i > 0) fputs(o->spacing ? ", " : ",", out);
        fputc('"', out);
        fwrite(written->name.bytes, 1, written->name.count, out);
        fputs(o->spacing ? "\": " : "\":", out);
        fwrite(written->value.bytes, 1, written->value.count, out);
    }
    fputs("}\n", out);
}

static void truth_write(const options *o, FILE *out, const total *totals) {
    for (uint64_t key = 0; key <= o->keys; key++) {
        if (!totals[key].occurs) continue;
        text value = {.count = 0};
        if (key < o->keys) value = key_text(o, key);
        if (key == o->keys) fputs("\\N", out);
        for (size_t i = 0; i < value.count; i++) {
            char byte = value.bytes[i];
            if (byte == '\\')
                fputs("\\\\", out);
            else if (byte == '\t')
                fputs("\\t", out);
            else if (byte == '\n')
                fputs("\\n", out);
            else if (byte == '\r')
                fputs("\\r", out);
            else
                fputc(byte, out);
        }
        if (totals[key].has_sum)
            fprintf(out, "\t%" PRId64 "\n", totals[key].sum);
        else
            fputs("\t\\N\n", out);
    }
}

// Zipf's law with exponent 1.1, by the inverse of its continuous form.
static uint64_t key_zipf(const options *o, uint64_t random) {
    double   exponent = 1.1, u = (double)(random >> 11) / 9007199254740992.0;
    double   rank = pow((pow((double)o->keys, 1 - exponent) - 1) * u + 1, 1 / (1 - exponent));
    uint64_t key  = (uint64_t)rank - 1;
    return key < o->keys ? key : o->keys - 1;
}

static bool option_set(options *o, const char *argument) {
    static const char *const shapes[] = {"pair", "user", "event", "wide", "twenty", "hundreds", "lookup"};
    static const char *const orders[] = {"fixed", "swap", "row", "mixed"};
    const char              *value    = strchr(argument, '=');
    if (value == NULL) return false;
    size_t name_bytes = (size_t)(value++ - argument);
    struct {
        const char *name;
        uint64_t   *place;
    } const numbers[] = {{"rows", &o->rows},       {"keys", &o->keys},       {"seed", &o->seed},   {"files", &o->files},
                         {"nulls", &o->nulls},     {"escapes", &o->escapes}, {"extra", &o->extra}, {"zipf", &o->zipf},
                         {"unicode", &o->unicode}, {"spacing", &o->spacing}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].name) == name_bytes && strncmp(numbers[i].name, argument, name_bytes) == 0) {
            char *end;
            *numbers[i].place = strtoull(value, &end, 10);
            return end != value && *end == '\0';
        }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strncmp(argument, "shape=", 6) == 0 && strcmp(value, shapes[i]) == 0) return o->shape = (shape)i, true;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (strncmp(argument, "order=", 6) == 0 && strcmp(value, orders[i]) == 0) return o->order = (order)i, true;
    o->is_csv = strcmp(argument, "format=csv") == 0;
    return o->is_csv || strcmp(argument, "format=json") == 0;
}

static FILE *file_open(const options *o, const char *path, uint64_t index) {
    char name[4096];
    if (o->files == 0) return fopen(path, "wb");
    snprintf(name, sizeof name, "%s/%06" PRIu64 ".%s", path, index, o->is_csv ? "csv" : "json");
    return fopen(name, "wb");
}

static int rows_write(const options *o, const char *path, total *totals) {
    static field fields[FIELDS_MAX];
    uint64_t     files = o->files == 0 ? 1 : o->files, row = 0;
    if (o->files > 0) mkdir(path, 0777);
    // An odd multiplier permutes the keys below the next power of two.
    uint64_t mask = 1;
    while (mask < o->keys) mask *= 2;
    mask--;
    uint64_t visited = 0;
    for (uint64_t file = 0; file < files; file++) {
        FILE *out = file_open(o, path, file);
        if (out == NULL) return perror(path), 1;
        bool has_header = o->is_csv;
        for (uint64_t end = o->rows * (file + 1) / files; row < end; row++) {
            uint64_t random = mix(o->seed ^ mix(row));
            size_t   count  = 0;
            if (o->shape == SHAPE_TWENTY || o->shape == SHAPE_HUNDREDS)
                fields_numbered(fields, &count, o->shape == SHAPE_TWENTY ? TWENTY_FIELDS : HUNDREDS_FIELDS, row,
                                random);
            else if (o->shape == SHAPE_LOOKUP) {
                uint64_t key;
                do key = (visited++ * 0x9E3779B97F4A7C15U + o->seed) & mask;
                while (key >= o->keys);
                text   value   = key_text(o, key);
                field *event   = field_add(fields, &count, "event");
                event->is_text = true;
                json_add_text(&event->value, &value, random);
                field *label   = field_add(fields, &count, "label");
                label->is_text = true;
                text_add_string(&label->value, "\"label_");
                text_add_number(&label->value, mix(key + o->seed) % LABELS, 1);
                text_add_string(&label->value, "\"");
            } else {
                uint64_t key = o->zipf ? key_zipf(o, mix(random + 9)) : mix(random + 9) % o->keys;
                fields_event(o, fields, &count, row, key, random, totals);
            }
            if (mix(random + 4) % 100 < o->extra) fields_extra(fields, &count, mix(random + 5));
            if (has_header) {
                for (size_t i = 0; i < count; i++)
                    fprintf(out, "%s%.*s", i == 0 ? "" : ",", (int)fields[i].name.count, fields[i].name.bytes);
                fputc('\n', out);
                has_header = false;
            }
            row_write(o, out, fields, count, row);
        }
        if (fclose(out) != 0) return perror(path), 1;
    }
    return 0;
}

int main(int argument_count, char **arguments) {
    options o = {.rows = 1000, .keys = 5, .seed = 1};
    if (argument_count < 3) {
        fputs("usage: generate_rows OUT TRUTH [NAME=VALUE]...\n", stderr);
        return 2;
    }
    for (int i = 3; i < argument_count; i++)
        if (!option_set(&o, arguments[i])) {
            fprintf(stderr, "generate_rows: what is %s?\n", arguments[i]);
            return 2;
        }
    if (o.keys == 0 || (o.shape == SHAPE_LOOKUP && o.rows > o.keys)) return 2;
    total *totals = calloc(o.keys + 1, sizeof *totals);
    if (totals == NULL) return 1;
    int result = rows_write(&o, arguments[1], totals);
    if (result == 0 && strcmp(arguments[2], "-") != 0) {
        FILE *out = fopen(arguments[2], "wb");
        if (out == NULL) return perror(arguments[2]), 1;
        truth_write(&o, out, totals);
        result = fclose(out) == 0 ? 0 : 1;
    }
    free(totals);
    return result;
}
