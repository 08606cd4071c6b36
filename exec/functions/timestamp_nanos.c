#include "exec/kernels/datetime.h"

// timestamp_nanos and unix_nanos: Spark has them over a type of timestamps with nanoseconds that is off by default
// there, and that leat does not have. They say so, under the conditions that Spark raises. Source: Spark SQL 4.

static leat_status timestamp_nanos_resolve(lt_resolution *resolution, leat_error *err) {
    if (!lt_kind_is_integral(resolution->types[0]->kind) && resolution->types[0]->kind != LT_VOID) return LEAT_DONE;
    return lt_raise(err, LT_CANNOT_PARSE_DATATYPE, &resolution->place,
                    "no timestamps with nanoseconds; use timestamp_micros");
}
static leat_status unix_nanos_resolve(lt_resolution *resolution, leat_error *err) {
    return lt_raise(err, LT_DATATYPE_MISMATCH__UNEXPECTED_INPUT_TYPE, &resolution->place,
                    "unix_nanos takes timestamps with nanoseconds only; use unix_micros");
}

const lt_function lt_functions_timestamp_nanos[] = {
    {.name    = "timestamp_nanos",
     .takes   = {LT_TAKES_ANY},
     .resolve = timestamp_nanos_resolve,
     .summary = "Refused: there are no timestamps with nanoseconds."},
    {.name    = "unix_nanos",
     .takes   = {LT_TAKES_ANY},
     .resolve = unix_nanos_resolve,
     .summary = "Refused: there are no timestamps with nanoseconds."},
    {0},
};
