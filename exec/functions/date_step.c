#include "exec/kernels/datetime.h"

// Moving dates by days, months and weekdays, and measuring between them. Source: Spark SQL 4.

static leat_status days_raise(lt_call *call, leat_error *err) {
    return lt_call_raise(call, err, LT_DATETIME_OVERFLOW, "the result is beyond the range of DATE");
}

// A number of days is INT or narrower, or a text of one; wider numbers are refused, as they are beside + and -.
static leat_status days_resolve(lt_resolution *resolution, leat_error *err) {
    (void)err;
    if (resolution->argument_count != 2) return LEAT_DONE;
    const lt_kind source = resolution->types[0]->kind, days = resolution->types[1]->kind;
    const bool    is_date = source == LT_DATE || source == LT_TIMESTAMP || source == LT_TIMESTAMP_NTZ ||
                         source == LT_STRING || source == LT_VOID;
    if (!is_date ||
        !(days == LT_TINYINT || days == LT_SMALLINT || days == LT_INT || days == LT_STRING || days == LT_VOID))
        return LEAT_DONE;
    resolution->types[0] = resolution->result = lt_type_of(LT_DATE);
    resolution->types[1]                      = lt_type_of(LT_INT);
    return LEAT_OK;
}

// Beyond the range of DATE the days go on at its other end, as in Spark.
static leat_status days_move(lt_call *call, int64_t sign, leat_error *err) {
    (void)err;
    int32_t *dates = call->result->values;
    LT_EACH_ROW(call, row) {
        const int64_t days = LT_ARG(call, 0, int32_t, row) + sign * LT_ARG(call, 1, int32_t, row);
        dates[row]         = (int32_t)(uint32_t)days;
    }
    return LEAT_OK;
}
static leat_status date_add_evaluate(lt_call *call, leat_error *err) { return days_move(call, 1, err); }
static leat_status date_sub_evaluate(lt_call *call, leat_error *err) { return days_move(call, -1, err); }

static leat_status datediff_evaluate(lt_call *call, leat_error *err) {
    int32_t *counts = call->result->values;
    LT_EACH_ROW(call, row) {
        const int64_t days = (int64_t)LT_ARG(call, 0, int32_t, row) - LT_ARG(call, 1, int32_t, row);
        if (!lt_days_fit(days)) return days_raise(call, err);
        counts[row] = (int32_t)days;
    }
    return LEAT_OK;
}

static leat_status add_months_evaluate(lt_call *call, leat_error *err) {
    int32_t *dates = call->result->values;
    LT_EACH_ROW(call, row) {
        const int64_t days = lt_days_add_months(LT_ARG(call, 0, int32_t, row), LT_ARG(call, 1, int32_t, row));
        if (!lt_days_fit(days)) return days_raise(call, err);
        dates[row] = (int32_t)days;
    }
    return LEAT_OK;
}

LT_MAP(last_day_kernel, int32_t, int32_t, const lt_civil_date civil = lt_civil_from_days(x);
       *out = (int32_t)(x - civil.day + lt_days_of_month(civil.year, civil.month));)

// 1 = Monday .. 7, or 0.
static int32_t weekday_of_word(const lt_string *word) {
    static const char *const words[7][3] = {
        {"MO", "MON", "MONDAY"}, {"TU", "TUE", "TUESDAY"},  {"WE", "WED", "WEDNESDAY"}, {"TH", "THU", "THURSDAY"},
        {"FR", "FRI", "FRIDAY"}, {"SA", "SAT", "SATURDAY"}, {"SU", "SUN", "SUNDAY"}};
    for (int32_t day = 0; day < 7; day++)
        for (int i = 0; i < 3; i++)
            if (lt_text_is_word(lt_string_data(word), word->bytes, words[day][i])) return day + 1;
    return 0;
}

static leat_status next_day_evaluate(lt_call *call, leat_error *err) {
    int32_t *dates = call->result->values;
    LT_EACH_ROW(call, row) {
        const int64_t    days = LT_ARG(call, 0, int32_t, row);
        const lt_string *word = &LT_ARG(call, 1, lt_string, row);
        const int32_t    day  = weekday_of_word(word);
        if (day == 0)
            return lt_call_raise(call, err, LT_ILLEGAL_DAY_OF_WEEK, "`%.*s` is no day of the week; write MON or Monday",
                                 (int)(word->bytes > 40 ? 40 : word->bytes), lt_string_data(word));
        const int64_t next = days + (day - lt_iso_weekday(days) + 6) % 7 + 1;
        if (!lt_days_fit(next)) return days_raise(call, err);
        dates[row] = (int32_t)next;
    }
    return LEAT_OK;
}

typedef struct month_place { // where in its month an instant lies, in the session's zone
    int64_t months, seconds_of_day;
    int32_t day;
    bool    is_last_day;
} month_place;

static month_place month_place_of(const lt_time_zone *zone, int64_t us) {
    const int64_t       local = lt_time_zone_local_us(zone, us);
    const lt_civil_date civil = lt_civil_from_days(lt_floor_div(local, LT_US_PER_DAY));
    return (month_place){.months         = civil.year * 12 + civil.month,
                         .seconds_of_day = lt_floor_mod(local, LT_US_PER_DAY) / LT_US_PER_SECOND,
                         .day            = civil.day,
                         .is_last_day    = civil.day == lt_days_of_month(civil.year, civil.month)};
}

// Whole months for equal days or two last days; else the rest in months of 31 days, to 8 digits if asked for.
static leat_status months_between_evaluate(lt_call *call, leat_error *err) {
    double      *months = call->result->values;
    lt_time_zone zone;
    LT_TRY(lt_call_zone(call, &zone, err));
    LT_EACH_ROW(call, row) {
        const month_place end        = month_place_of(&zone, LT_ARG(call, 0, int64_t, row));
        const month_place start      = month_place_of(&zone, LT_ARG(call, 1, int64_t, row));
        const bool        is_rounded = call->argument_count < 3 || LT_ARG(call, 2, uint8_t, row) != 0;
        double            difference = (double)(end.months - start.months);
        if (end.day != start.day && !(end.is_last_day && start.is_last_day)) {
            const int64_t seconds =
                (end.day - start.day) * LT_SECONDS_PER_DAY + end.seconds_of_day - start.seconds_of_day;
            int64_t scaled;
            difference += (double)seconds / (31.0 * (double)LT_SECONDS_PER_DAY);
            if (is_rounded && lt_round_to_int64(difference * 1e8, &scaled)) difference = (double)scaled / 1e8;
        }
        months[row] = difference;
    }
    return LEAT_OK;
}

const lt_function lt_functions_date_step[] = {
    {.name           = "date_add",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = days_resolve,
     .can_fail       = true,
     .evaluate       = date_add_evaluate,
     .summary        = "The date so many days later.",
     .example        = "SELECT date_add(DATE '2024-02-28', 1)",
     .example_result = "2024-02-29"},
    {.name           = "dateadd",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = days_resolve,
     .can_fail       = true,
     .evaluate       = date_add_evaluate,
     .display        = "date_add($1, $2)",
     .summary        = "The date so many days later.",
     .example        = "SELECT dateadd(DATE '2024-01-01', 5)",
     .example_result = "2024-01-06"},
    {.name           = "date_sub",
     .takes          = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve        = days_resolve,
     .can_fail       = true,
     .evaluate       = date_sub_evaluate,
     .summary        = "The date so many days earlier.",
     .example        = "SELECT date_sub(DATE '2024-03-01', 1)",
     .example_result = "2024-02-29"},
    {.name           = "datediff",
     .takes          = {LT_TAKES_DATE, LT_TAKES_DATE},
     .returns        = LT_INT,
     .can_fail       = true,
     .evaluate       = datediff_evaluate,
     .summary        = "Days from the second date to the first.",
     .example        = "SELECT datediff(DATE '2024-03-01', DATE '2024-02-01')",
     .example_result = "29"},
    {.name           = "date_diff",
     .takes          = {LT_TAKES_DATE, LT_TAKES_DATE},
     .returns        = LT_INT,
     .can_fail       = true,
     .evaluate       = datediff_evaluate,
     .summary        = "Days from the second date to the first.",
     .example        = "SELECT date_diff(DATE '2024-02-01', DATE '2024-03-01')",
     .example_result = "-29"},
    {.name           = "add_months",
     .takes          = {LT_TAKES_DATE, LT_TAKES_INT},
     .returns        = LT_DATE,
     .can_fail       = true,
     .evaluate       = add_months_evaluate,
     .summary        = "The date so many months later, at most the month's last day.",
     .example        = "SELECT add_months(DATE '2024-01-31', 1)",
     .example_result = "2024-02-29"},
    {.name           = "last_day",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_DATE,
     .kernel         = last_day_kernel,
     .summary        = "The last day of the month.",
     .example        = "SELECT last_day(DATE '2024-02-01')",
     .example_result = "2024-02-29"},
    {.name           = "next_day",
     .takes          = {LT_TAKES_DATE, LT_TAKES_STRING},
     .returns        = LT_DATE,
     .can_fail       = true,
     .evaluate       = next_day_evaluate,
     .summary        = "The first such weekday after the date.",
     .example        = "SELECT next_day(DATE '2024-03-15', 'MON')",
     .example_result = "2024-03-18"},
    {.name           = "months_between",
     .takes          = {LT_TAKES_TIMESTAMP, LT_TAKES_TIMESTAMP},
     .returns        = LT_DOUBLE,
     .evaluate       = months_between_evaluate,
     .display        = "months_between($1, $2, true)",
     .summary        = "Months from the second instant to the first, with a fraction of 31 days.",
     .example        = "SELECT months_between(DATE '2024-03-15', DATE '2024-02-15')",
     .example_result = "1.0"},
    {.name     = "months_between",
     .takes    = {LT_TAKES_TIMESTAMP, LT_TAKES_TIMESTAMP, LT_TAKES_BOOLEAN},
     .returns  = LT_DOUBLE,
     .evaluate = months_between_evaluate},
    {0},
};
