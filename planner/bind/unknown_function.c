#include "planner/bind/binder.h"

#include "base/ascii.h"
#include "planner/catalog.h"
#include "planner/nearest.h"

#include <string.h>

// What is said of a function that is not there: the name that was probably meant, or what other systems' functions are
// called here.

typedef struct foreign_function {
    const char *name, *here;
} foreign_function;

static const foreign_function foreign[] = {
    {"approx_quantile", "percentile_approx(x, 0.5)"},
    {"arg_max", "max_by(x, y)"},
    {"arg_min", "min_by(x, y)"},
    {"convert", "CAST(x AS TYPE)"},
    {"datetime", "to_timestamp(text)"},
    {"epoch", "unix_timestamp(time)"},
    {"epoch_ms", "unix_millis(time)"},
    {"epoch_us", "unix_micros(time)"},
    {"gen_random_uuid", "uuid()"},
    {"generate_series", "range(start, end) in FROM, sequence(start, stop) in SELECT"},
    {"getdate", "now()"},
    {"group_concat", "listagg(x, ',')"},
    {"json_extract", "get_json_object(text, '$.path')"},
    {"json_extract_string", "get_json_object(text, '$.path')"},
    {"json_group_array", "collect_list(x)"},
    {"json_value", "get_json_object(text, '$.path')"},
    {"julianday", "datediff(end, start)"},
    {"list", "collect_list(x)"},
    {"list_contains", "array_contains(array, value)"},
    {"list_value", "array(a, b)"},
    {"quantile", "percentile(x, 0.5)"},
    {"quantile_cont", "percentile(x, 0.5)"},
    {"regexp_matches", "regexp_like(text, pattern)"},
    {"row", "struct(a, b)"},
    {"strftime", "date_format(time, 'yyyy-MM-dd')"},
    {"string_split", "split(text, ',')"},
    {"strlen", "length(text)"},
    {"strptime", "to_timestamp(text, 'yyyy-MM-dd')"},
    {"struct_pack", "named_struct('name', value)"},
    {"sysdate", "now()"},
    {"total", "sum(x)"},
    {"unnest", "explode(array)"},
};

static void offer_all(const lt_binder *binder, lt_nearest *nearest) {
    const lt_bind_context *context = binder->context;
    for (const lt_function *const *file = context->functions; file != NULL && *file != NULL; file++)
        for (const lt_function *row = *file; row->name != NULL; row++)
            if (!row->is_internal && lt_ascii_is_letter(row->name[0])) lt_nearest_offer(nearest, row->name);
    for (const lt_aggregate *const *file = context->aggregates; file != NULL && *file != NULL; file++)
        for (const lt_aggregate *row = *file; row->name != NULL; row++) lt_nearest_offer(nearest, row->name);
    for (const lt_generator *const *file = context->generators; file != NULL && *file != NULL; file++)
        for (const lt_generator *row = *file; row->name != NULL; row++) lt_nearest_offer(nearest, row->name);
    if (context->catalog == NULL) return;
    for (const lt_catalog_function *row = context->catalog->functions; row != NULL; row = row->next)
        lt_nearest_offer(nearest, row->name);
}

leat_status lt_unknown_function(const lt_binder *binder, const char *name, const lt_place *place, leat_error *err) {
    lt_nearest   nearest = {.wanted = name};
    const size_t bytes   = strlen(name);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (lt_ascii_compare(foreign[i].name, name) == 0)
            return lt_raise(err, LT_UNRESOLVED_ROUTINE, place, "no function `%s`; here it is %s", name,
                            foreign[i].here);
    offer_all(binder, &nearest);
    if (nearest.best == NULL || nearest.best_distance > (bytes < 5 ? 1u : 2u))
        return lt_raise(err, LT_UNRESOLVED_ROUTINE, place, "no function `%s`; SHOW FUNCTIONS lists them", name);
    return lt_raise(err, LT_UNRESOLVED_ROUTINE, place, "no function `%s`; did you mean `%s`?", name, nearest.best);
}

leat_status lt_unknown_table_function(const char *name, const lt_place *place, leat_error *err) {
    static const char *const readers[] = {"read_csv",  "read_json",   "read_parquet",
                                          "read_text", "read_ndjson", "read_files"};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (lt_ascii_compare_bytes(name, readers[i], strlen(readers[i])) == 0)
            return lt_raise(err, LT_UNRESOLVABLE_TABLE_VALUED_FUNCTION, place,
                            "no function `%s`; files are read as json.`path`, csv.`path` or text.`path`", name);
    return lt_raise(err, LT_UNRESOLVABLE_TABLE_VALUED_FUNCTION, place, "no function `%s` that gives a table", name);
}
