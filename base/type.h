// type: what a column holds. Types are const trees; scalars are shared constants, others live in an arena.
//
// Ownership  a type borrows its children and names from the arena it was made in.   Threads  any; types never change.
#ifndef LT_BASE_TYPE_H
#define LT_BASE_TYPE_H

#include "base/arena.h"
#include "base/buffer.h"

// Order is the order of a kind's first appearance in the dialect, not of precedence.
typedef enum lt_kind {
    LT_NO_KIND = 0,
    LT_VOID,                // type of a bare NULL; lanes: none (all NULL)
    LT_BOOLEAN,             // uint8_t 0 or 1
    LT_TINYINT,             // int8_t
    LT_SMALLINT,            // int16_t
    LT_INT,                 // int32_t
    LT_BIGINT,              // int64_t
    LT_FLOAT,               // float
    LT_DOUBLE,              // double
    LT_DECIMAL,             // lt_int128, value * 10^scale; precision 1..38
    LT_STRING,              // lt_string, UTF-8
    LT_BINARY,              // lt_string
    LT_DATE,                // int32_t, days since 1970-01-01, proleptic Gregorian
    LT_TIMESTAMP,           // int64_t, microseconds since 1970-01-01 UTC: an instant
    LT_TIMESTAMP_NTZ,       // int64_t, microseconds of a wall clock
    LT_TIME,                // int64_t, microseconds of the day
    LT_INTERVAL_YEAR_MONTH, // int32_t, months
    LT_INTERVAL_DAY_TIME,   // int64_t, microseconds
    LT_INTERVAL_CALENDAR,   // lt_calendar_interval: months, days, microseconds (Spark's legacy interval, make_interval)
    LT_ARRAY,               // lt_list into children[0]
    LT_MAP,                 // lt_list into children[0], a STRUCT<key, value>
    LT_STRUCT,              // children side by side; no lanes of its own
    LT_VARIANT,             // lt_string holding JSON text
    LT_KIND_COUNT
} lt_kind;

__extension__ typedef __int128          lt_int128;
__extension__ typedef unsigned __int128 lt_uint128;

typedef struct lt_calendar_interval {
    int32_t months, days;
    int64_t microseconds;
} lt_calendar_interval;

// Units of the two ANSI intervals, as start and end of a type: INTERVAL DAY TO SECOND is {LT_UNIT_DAY, LT_UNIT_SECOND}.
typedef enum lt_unit { LT_UNIT_YEAR, LT_UNIT_MONTH, LT_UNIT_DAY, LT_UNIT_HOUR, LT_UNIT_MINUTE, LT_UNIT_SECOND } lt_unit;

typedef struct lt_type lt_type;
typedef struct lt_field {
    const char    *name; // NUL-terminated, as written
    const lt_type *type;
    bool           is_not_null;
    const char    *comment; // or NULL
} lt_field;

struct lt_type {
    lt_kind         kind;
    uint8_t         precision, scale;      // DECIMAL; TIME has a precision of 0 to 6 digits
    lt_unit         unit_first, unit_last; // intervals
    uint32_t        field_count;           // ARRAY 1 (element), MAP 2 (key, value), STRUCT n
    const lt_field *fields;
    uint32_t        length; // CHAR(n) and VARCHAR(n) columns are STRING with length n; 0: unlimited
    bool            is_char;
};

enum { LT_DECIMAL_PRECISION_MAX = 38, LT_TIME_PRECISION_MAX = 6 };

// Shared constants of the kinds without parameters; intervals and DECIMAL give their widest form
// (DAY TO SECOND, YEAR TO MONTH, DECIMAL(38,18), TIME(6)). NULL for ARRAY, MAP and STRUCT.
const lt_type *lt_type_of(lt_kind kind);
// NULL without memory, as all constructors here.
const lt_type *lt_type_decimal(lt_arena *arena, uint32_t precision, uint32_t scale);
const lt_type *lt_type_time(lt_arena *arena, uint32_t precision);
const lt_type *lt_type_interval(lt_arena *arena, lt_unit first, lt_unit last);
const lt_type *lt_type_array(lt_arena *arena, const lt_type *element);
const lt_type *lt_type_map(lt_arena *arena, const lt_type *key, const lt_type *value);
// `fields` are copied, names too.
const lt_type *lt_type_struct(lt_arena *arena, const lt_field *fields, uint32_t field_count);
const lt_type *lt_type_copy(lt_arena *arena, const lt_type *type); // deep

// Same type; names of struct fields count (case-sensitive), NOT NULL and comments do not.
bool lt_type_equal(const lt_type *a, const lt_type *b);
// Same type whatever the names of fields are.
bool lt_type_same_shape(const lt_type *a, const lt_type *b);

static inline bool lt_kind_is_integral(lt_kind kind) { return kind >= LT_TINYINT && kind <= LT_BIGINT; }
static inline bool lt_kind_is_fractional(lt_kind kind) { return kind == LT_FLOAT || kind == LT_DOUBLE; }
static inline bool lt_kind_is_numeric(lt_kind kind) { return kind >= LT_TINYINT && kind <= LT_DECIMAL; }
static inline bool lt_kind_is_interval(lt_kind kind) {
    return kind >= LT_INTERVAL_YEAR_MONTH && kind <= LT_INTERVAL_CALENDAR;
}
static inline bool lt_kind_is_datetime(lt_kind kind) { return kind >= LT_DATE && kind <= LT_TIME; }
// Kept in one integer: BOOLEAN, integers, dates, times and intervals of one part.
static inline bool lt_kind_is_whole(lt_kind kind) {
    return kind == LT_BOOLEAN || lt_kind_is_integral(kind) || lt_kind_is_datetime(kind) ||
           kind == LT_INTERVAL_YEAR_MONTH || kind == LT_INTERVAL_DAY_TIME;
}
static inline bool lt_kind_is_nested(lt_kind kind) { return kind >= LT_ARRAY && kind <= LT_STRUCT; }
static inline bool lt_kind_is_bytes(lt_kind kind) {
    return kind == LT_STRING || kind == LT_BINARY || kind == LT_VARIANT;
}
// Can be compared and sorted: everything but MAP, VARIANT and CALENDAR intervals, at any depth.
bool lt_type_is_orderable(const lt_type *type);
// Bytes of a lane in lt_vector.values; 0 for VOID and STRUCT.
size_t lt_kind_lane_bytes(lt_kind kind);

// As in DDL and in headers of results: "DECIMAL(10,2)", "STRUCT<a: INT, b: STRING>", "INTERVAL DAY TO SECOND".
leat_status lt_type_print(const lt_type *type, lt_buffer *out, leat_error *err);
// As typeof() and DESCRIBE print it: "decimal(10,2)", "struct<a:int,b:string>", "interval day to second".
leat_status lt_type_print_simple(const lt_type *type, lt_buffer *out, leat_error *err);
// lt_type_print into an arena; NULL without memory.
const char *lt_type_text(lt_arena *arena, const lt_type *type);

#endif
