#include "exec/kernels/datetime.h"
#include "exec/kernels/datetime_pattern_call.h"

// to_date, to_timestamp and their kin: without a pattern they cast, with one they parse texts by it and cast the rest.
// The try_ forms give NULL where the others raise. One table row per name says what it makes. Source: Spark SQL 4.

typedef struct parse_target {
    const char *name; // without try_
    lt_kind     kind;
} parse_target;
static const parse_target targets[] = {
    {"to_date", LT_DATE},
    {"to_timestamp", LT_TIMESTAMP},
    {"to_timestamp_ltz", LT_TIMESTAMP},
    {"to_timestamp_ntz", LT_TIMESTAMP_NTZ},
    {"to_time", LT_TIME},
};

static lt_kind target_kind(const lt_function *function) {
    const char *name = strncmp(function->name, "try_", 4) == 0 ? function->name + 4 : function->name;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(targets[i].name, name) == 0) return targets[i].kind;
    return LT_NO_KIND;
}

// Texts stay texts; whatever else there is becomes the target by a cast before the call.
static leat_status parse_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count < 1 || resolution->argument_count > 2) return LEAT_DONE;
    const lt_kind target = target_kind(resolution->function);
    const lt_kind source = resolution->types[0]->kind;
    if (source == LT_TIME && target != LT_TIME) return LEAT_DONE;
    if (lt_kind_is_nested(source) || source == LT_VARIANT) return LEAT_DONE;
    resolution->result = lt_type_of(target);
    if (lt_kind_is_datetime(source) || source == LT_VOID ||
        (target == LT_TIMESTAMP && lt_kind_is_numeric(source) && resolution->argument_count == 1))
        resolution->types[0] = resolution->result;
    else
        resolution->types[0] = lt_type_of(LT_STRING);
    if (resolution->argument_count == 2) {
        if (lt_kind_is_nested(resolution->types[1]->kind) || resolution->types[1]->kind == LT_VARIANT) return LEAT_DONE;
        resolution->types[1] = lt_type_of(LT_STRING);
    }
    return LEAT_OK;
}

// Text without a pattern, as CAST reads it.
static bool text_parse(const lt_datetime_context *context, lt_kind kind, const lt_string *text, int64_t *out) {
    const char *data = lt_string_data(text);
    int32_t     days;
    switch (kind) {
    case LT_DATE:
        if (!lt_date_parse(data, text->bytes, &days)) return false;
        *out = days;
        return true;
    case LT_TIMESTAMP:
        return lt_timestamp_parse(context, data, text->bytes, out);
    case LT_TIMESTAMP_NTZ:
        return lt_timestamp_ntz_parse(context, data, text->bytes, true, out);
    default:
        return lt_time_parse(data, text->bytes, out);
    }
}

static bool text_parse_by(const lt_datetime_pattern *pattern, const lt_datetime_context *context, lt_kind kind,
                          const lt_string *text, int64_t *out) {
    lt_datetime_parsed parsed;
    if (!lt_datetime_pattern_parse(pattern, context, lt_string_data(text), text->bytes, &parsed)) return false;
    switch (kind) {
    case LT_DATE: // a zone in the text counts: the day is the session's
        *out = lt_floor_div(parsed.has_zone ? lt_time_zone_local_us(&context->zone, parsed.utc_us) : parsed.local_us,
                            LT_US_PER_DAY);
        return lt_days_fit(*out);
    case LT_TIMESTAMP:
        *out = parsed.utc_us;
        return true;
    case LT_TIMESTAMP_NTZ:
        *out = parsed.local_us;
        return true;
    default:
        *out = lt_floor_mod(parsed.local_us, LT_US_PER_DAY);
        return true;
    }
}

static leat_status parse_raise(const lt_call *call, lt_kind kind, const lt_string *text, const lt_string *pattern,
                               leat_error *err) {
    const int          shown     = (int)(text->bytes > 60 ? 60 : text->bytes);
    const lt_type     *type      = lt_type_of(kind);
    const lt_condition condition = kind == LT_TIME   ? LT_CANNOT_PARSE_TIME
                                   : pattern == NULL ? LT_CAST_INVALID_INPUT
                                                     : LT_CANNOT_PARSE_TIMESTAMP;
    if (pattern == NULL)
        return lt_call_raise(call, err, condition, "`%.*s` is no %s; use try_%s to get NULL instead", shown,
                             lt_string_data(text), lt_type_text(call->arena, type), call->function->name);
    return lt_call_raise(call, err, condition, "`%.*s` does not fit the pattern '%.*s'; use try_%s to get NULL instead",
                         shown, lt_string_data(text), (int)(pattern->bytes > 60 ? 60 : pattern->bytes),
                         lt_string_data(pattern), call->function->name);
}

static void result_put(lt_call *call, uint32_t row, int64_t value) {
    if (call->result->type->kind == LT_DATE)
        LT_LANES(call->result, int32_t)[row] = (int32_t)value;
    else
        LT_LANES(call->result, int64_t)[row] = value;
}

static leat_status parse_evaluate(lt_call *call, leat_error *err) {
    const lt_kind       kind    = call->result->type->kind;
    const bool          is_text = call->arguments[0]->type->kind == LT_STRING;
    lt_datetime_context context;
    lt_pattern_of_call  kept = {.compiled = NULL};
    LT_TRY(lt_datetime_context_init(&context, call->evaluation, err));
    LT_EACH_ROW(call, row) {
        int64_t value = 0;
        if (!is_text) { // the cast before the call has done the work
            result_put(call, row, kind == LT_DATE ? LT_ARG(call, 0, int32_t, row) : LT_ARG(call, 0, int64_t, row));
            continue;
        }
        const lt_string           *text    = &LT_ARG(call, 0, lt_string, row);
        const lt_string           *wanted  = call->argument_count > 1 ? &LT_ARG(call, 1, lt_string, row) : NULL;
        const lt_datetime_pattern *pattern = NULL;
        if (wanted != NULL) LT_TRY(lt_pattern_of_call_find(&kept, call, wanted, LT_PATTERN_PARSE, &pattern, err));
        if (wanted == NULL ? text_parse(&context, kind, text, &value)
                           : text_parse_by(pattern, &context, kind, text, &value))
            result_put(call, row, value);
        else if (lt_call_is_try(call))
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return parse_raise(call, kind, text, wanted, err);
    }
    return LEAT_OK;
}

#define PARSE_ROW(function_name, text, sql, result)                                                                    \
    {                                                                                                                  \
        .name = function_name, .takes = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL}, .resolve = parse_resolve,    \
        .needs_time_type = true, .can_fail = true, .evaluate = parse_evaluate, .summary = text, .example = sql,        \
        .example_result = result                                                                                       \
    }

const lt_function lt_functions_datetime_read[] = {
    PARSE_ROW("to_date", "The date in a text, by a pattern if one is given.",
              "SELECT to_date('05/03/2024', 'dd/MM/yyyy')", "2024-03-05"),
    PARSE_ROW("try_to_date", "Like to_date, but NULL for a text that does not fit.", "SELECT try_to_date('x', 'yyyy')",
              "NULL"),
    PARSE_ROW("to_timestamp", "The instant in a text, by a pattern if one is given.",
              "SELECT to_timestamp('2024-03-05 10:20', 'yyyy-MM-dd HH:mm')", "2024-03-05 10:20:00"),
    PARSE_ROW("try_to_timestamp", "Like to_timestamp, but NULL for a text that does not fit.",
              "SELECT try_to_timestamp('nope')", "NULL"),
    PARSE_ROW("to_timestamp_ltz", "The instant in a text, by a pattern if one is given.",
              "SELECT to_timestamp_ltz('2024-03-05 10:20:30')", "2024-03-05 10:20:30"),
    PARSE_ROW("to_timestamp_ntz", "The wall clock in a text, by a pattern if one is given.",
              "SELECT to_timestamp_ntz('05.03.2024', 'dd.MM.yyyy')", "2024-03-05 00:00:00"),
    PARSE_ROW("to_time", "The time of day in a text, by a pattern if one is given.", "SELECT to_time('12.34', 'HH.mm')",
              "12:34:00"),
    PARSE_ROW("try_to_time", "Like to_time, but NULL for a text that does not fit.", "SELECT try_to_time('25:00:00')",
              "NULL"),
    {0},
};
