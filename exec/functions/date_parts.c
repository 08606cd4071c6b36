#include "exec/kernels/datetime.h"

// The parts of a date. A TIMESTAMP argument becomes the DATE of the session's zone first.
// Source: Spark SQL 4; ISO 8601 for weeks.

LT_MAP(year_kernel, int32_t, int32_t, *out = (int32_t)lt_civil_from_days(x).year;)
LT_MAP(month_kernel, int32_t, int32_t, *out = lt_civil_from_days(x).month;)
LT_MAP(day_kernel, int32_t, int32_t, *out = lt_civil_from_days(x).day;)
LT_MAP(quarter_kernel, int32_t, int32_t, *out = (lt_civil_from_days(x).month - 1) / 3 + 1;)
LT_MAP(dayofyear_kernel, int32_t, int32_t, *out = lt_day_of_year(x);)
LT_MAP(dayofweek_kernel, int32_t, int32_t, *out = lt_iso_weekday(x) % 7 + 1;)
LT_MAP(weekday_kernel, int32_t, int32_t, *out = lt_iso_weekday(x) - 1;)
LT_MAP(weekofyear_kernel, int32_t, int32_t, *out = lt_iso_week(x);)
LT_MAP(unix_date_kernel, int32_t, int32_t, *out = x;)

static leat_status dayname_evaluate(lt_call *call, leat_error *err) {
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    (void)err;
    LT_EACH_ROW(call, row) { lt_call_put_view(call, row, names[lt_iso_weekday(LT_ARG(call, 0, int32_t, row)) - 1], 3); }
    return LEAT_OK;
}

static leat_status monthname_evaluate(lt_call *call, leat_error *err) {
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_call_put_view(call, row, names[lt_civil_from_days(LT_ARG(call, 0, int32_t, row)).month - 1], 3);
    }
    return LEAT_OK;
}

const lt_function lt_functions_date_parts[] = {
    {.name           = "year",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = year_kernel,
     .summary        = "The year of a date.",
     .example        = "SELECT year(DATE '2024-03-15')",
     .example_result = "2024"},
    {.name           = "month",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = month_kernel,
     .summary        = "The month of a date, 1 to 12.",
     .example        = "SELECT month(DATE '2024-03-15')",
     .example_result = "3"},
    {.name           = "day",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = day_kernel,
     .summary        = "The day of the month.",
     .example        = "SELECT day(DATE '2024-03-15')",
     .example_result = "15"},
    {.name           = "dayofmonth",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = day_kernel,
     .summary        = "The day of the month.",
     .example        = "SELECT dayofmonth(DATE '2024-03-15')",
     .example_result = "15"},
    {.name           = "quarter",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = quarter_kernel,
     .summary        = "The quarter of the year, 1 to 4.",
     .example        = "SELECT quarter(DATE '2024-12-01')",
     .example_result = "4"},
    {.name           = "dayofyear",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = dayofyear_kernel,
     .summary        = "The day of the year, 1 to 366.",
     .example        = "SELECT dayofyear(DATE '2024-12-31')",
     .example_result = "366"},
    {.name           = "dayofweek",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = dayofweek_kernel,
     .summary        = "The day of the week, 1 for Sunday to 7.",
     .example        = "SELECT dayofweek(DATE '2024-03-15')",
     .example_result = "6"},
    {.name           = "weekday",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = weekday_kernel,
     .summary        = "The day of the week, 0 for Monday to 6.",
     .example        = "SELECT weekday(DATE '2024-03-15')",
     .example_result = "4"},
    {.name           = "weekofyear",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_INT,
     .kernel         = weekofyear_kernel,
     .summary        = "The ISO week of the year, 1 to 53.",
     .example        = "SELECT weekofyear(DATE '2020-12-31')",
     .example_result = "53"},
    {.name           = "dayname",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_STRING,
     .evaluate       = dayname_evaluate,
     .summary        = "The short English name of the weekday.",
     .example        = "SELECT dayname(DATE '2024-03-15')",
     .example_result = "Fri"},
    {.name           = "monthname",
     .takes          = {LT_TAKES_DATE},
     .returns        = LT_STRING,
     .evaluate       = monthname_evaluate,
     .summary        = "The short English name of the month.",
     .example        = "SELECT monthname(DATE '2024-03-15')",
     .example_result = "Mar"},
    {.name           = "unix_date",
     .takes          = {LT_TAKES_DATE | LT_TAKES_EXACT},
     .returns        = LT_INT,
     .kernel         = unix_date_kernel,
     .summary        = "Days since 1970-01-01.",
     .example        = "SELECT unix_date(DATE '1970-01-02')",
     .example_result = "1"},
    {.name           = "date_from_unix_date",
     .takes          = {LT_TAKES_INT},
     .returns        = LT_DATE,
     .kernel         = unix_date_kernel,
     .summary        = "The date so many days after 1970-01-01.",
     .example        = "SELECT date_from_unix_date(19797)",
     .example_result = "2024-03-15"},
    {0},
};
