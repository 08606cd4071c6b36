// function: the contract between a scalar function and everything that binds, folds and runs it.
//
// A function family is one file in exec/functions/ ending in one array of descriptors, a row per signature:
//
//     const lt_function lt_functions_text_case[] = {
//         {.name = "upper", .takes = {LT_TAKES_STRING}, .returns = LT_STRING, .evaluate = upper_evaluate,
//          .summary = "Text in upper case.", .example = "SELECT upper('ab')", .example_result = "AB"},
//         {0},
//     };
//
// How a call is bound: rows of the name are tried in order; first all whose parameters equal the argument types without
// any cast, then all with implicit casts; the first that fits wins. Arguments are cast to the parameter types before
// the call. A row with .resolve decides by itself (types, result, errors); it returns LEAT_DONE when the row does not
// fit, so that the next row of the name is tried. Operators are functions too, named + - * / div % & | ^ ~ << >> >>> =
// <
// <= > >= <=> not negative positive like ilike rlike [] (subscript), concat for ||, isnull, isnotnull; rows of one name
// may stand in several files.
//
// How a call is run: NULLs and selections are applied outside. A strict function (default) sees only rows whose
// arguments are all not NULL and which are alive; the result's NULL lanes are already set. Two ways to compute:
//   .kernel    all lanes at once for fixed-width values: plain arrays in, plain array out, no branch on NULL, never
//   fails
//              but may mark lanes as failed; the evaluator raises .fails_with for the first failed lane whose row is
//              alive.
//   .evaluate  everything else: loops over call->rows.
#ifndef LT_BASE_FUNCTION_H
#define LT_BASE_FUNCTION_H

#include "base/vector.h"

enum { LT_TAKES_MAX = 16 };

// What a parameter accepts. The implicit casts are Spark's (spark-semantics 1.3), applied by the binder.
typedef enum lt_takes {
    LT_TAKES_END = 0,
    LT_TAKES_ANY, // any type, as it is
    LT_TAKES_BOOLEAN,
    LT_TAKES_INT, // implicit cast to INT (narrower integers, STRING)
    LT_TAKES_BIGINT,
    LT_TAKES_DOUBLE,  // any number or STRING becomes DOUBLE
    LT_TAKES_DECIMAL, // DECIMAL as it is; integers become their exact decimal
    LT_TAKES_STRING,  // any atomic type becomes STRING (concat('a', 1))
    LT_TAKES_BINARY,  // BINARY; STRING becomes BINARY
    LT_TAKES_STRING_OR_BINARY,
    LT_TAKES_INTEGRAL,      // TINYINT..BIGINT as it is; STRING becomes BIGINT
    LT_TAKES_NUMERIC,       // TINYINT..DECIMAL as it is; STRING becomes DOUBLE
    LT_TAKES_DATE,          // TIMESTAMP and STRING become DATE
    LT_TAKES_TIMESTAMP,     // DATE, TIMESTAMP_NTZ and STRING become TIMESTAMP
    LT_TAKES_TIMESTAMP_ANY, // TIMESTAMP or TIMESTAMP_NTZ as it is; DATE and STRING become TIMESTAMP
    LT_TAKES_TIMESTAMP_NTZ,
    LT_TAKES_TIME,
    LT_TAKES_INTERVAL_YEAR_MONTH,
    LT_TAKES_INTERVAL_DAY_TIME,
    LT_TAKES_INTERVAL, // either ANSI interval as it is
    LT_TAKES_ARRAY,    // any array, as it is
    LT_TAKES_MAP,
    LT_TAKES_STRUCT,
    LT_TAKES_ORDERED, // any type that can be compared
    LT_TAKES_COMMON,  // all COMMON arguments of the call get their common type
    LT_TAKES_LAMBDA,  // x -> ..., checked and typed by .resolve
    LT_TAKES_VARIANT,
    LT_TAKES_REPEATED = 128, // flag on the last parameter: none or more of it
    LT_TAKES_CONSTANT = 256, // flag: must be foldable (DATATYPE_MISMATCH.NON_FOLDABLE_INPUT)
    LT_TAKES_OPTIONAL = 512, // flag: may be left out (then absent in the call; all behind it are too)
    LT_TAKES_EXACT    = 1024 // flag: without an implicit cast, but for a bare NULL
} lt_takes;

typedef struct lt_function lt_function;
typedef struct lt_call     lt_call;

// Facts that stay the same during a statement or a batch.
typedef struct lt_evaluation {
    const char                 *time_zone;            // session zone, e.g. "UTC"
    int64_t                     now_us;               // batch time: current_timestamp()
    bool                        is_time_type_enabled; // the type TIME may be named: spark.sql.timeType.enabled
    uint64_t                    random_seed;          // of the batch
    lt_account                 *account;
    const struct lt_time_zones *zones;  // loaded zones of the session, see base/time_zone.h
    bool (*is_interrupted)(void *user); // asked once per chunk
    void *user;
    // Rows that leaves of plans gave, for whoever watches; NULL: nobody.
    _Atomic uint64_t *rows_read;
    const char       *current_user;   // for current_user(), or NULL
    const char       *current_schema; // NULL: default
    const char       *file_name;      // for input_file_name(), or NULL
} lt_evaluation;

// Runs lambda `lambda_index` (its argument position) over `count` lanes: inputs[k] is the k-th lambda variable, flat or
// constant; captured columns of the enclosing row are spread by `outer_rows` (outer_rows[i]: row of the call that lane
// i belongs to). *out is flat or constant.
typedef leat_status (*lt_lambda_run)(const lt_call *call, uint32_t argument_index, const lt_vector *inputs,
                                     uint32_t input_count, const uint32_t *outer_rows, uint32_t count,
                                     const lt_vector **out, leat_error *err);

struct lt_call {
    const lt_function      *function;
    const lt_vector *const *arguments; // flat or constant, `count` rows; read lanes with LT_ARG
    uint32_t                argument_count;
    uint32_t                count; // rows of the chunk
    const uint16_t         *rows;  // rows to compute, ascending
    uint32_t                row_count;
    lt_vector              *result; // flat with room for `count` lanes; lanes not in `rows` may stay unset
    lt_arena               *arena;  // for bytes and children of the result, and scratch; lives as long as the result
    void                   *state;  // what .open made, or NULL; once per place in the plan
    lt_evaluation          *evaluation;
    lt_lambda_run           run_lambda;
    void                   *lambda_user;
    lt_place                place; // of the call in the SQL text
};

// Lane of argument `a` for row `row`: LT_ARG(call, 0, int64_t, row).
#define LT_ARG(call, a, type, row)                                                                                     \
    (((const type *)(call)->arguments[a]->values)[(call)->arguments[a]->form == LT_CONSTANT ? 0 : (row)])
// The text (or bytes) of an argument; not NUL-terminated, borrowed from the argument's lane.
typedef struct lt_text {
    const char *data;
    size_t      bytes;
} lt_text;
static inline lt_text lt_arg_text(const lt_call *call, uint32_t a, uint32_t row) {
    const lt_string *string = &LT_ARG(call, a, lt_string, row);
    return (lt_text){lt_string_data(string), string->bytes};
}
static inline bool lt_arg_is_null(const lt_call *call, uint32_t a, uint32_t row) {
    return lt_vector_is_null(call->arguments[a], row);
}
// for (each row to compute): LT_EACH_ROW(call, row) { ... row is uint32_t ... }
#define LT_EACH_ROW(call, row)                                                                                         \
    for (uint32_t row##_at = 0, row = 0; row##_at < (call)->row_count && ((row = (call)->rows[row##_at]), true);       \
         row##_at++)
// The rows that a place in the plan has seen in its batch: the state, or a member of it, of functions whose rows have to
// differ. A batch that runs again counts alike.
typedef struct lt_row_count {
    uint64_t batch_seed, rows;
} lt_row_count;
// Number of the call's row 0; the rows of the call are counted.
static inline uint64_t lt_row_count_take(lt_row_count *self, const lt_call *call) {
    if (self->batch_seed != call->evaluation->random_seed)
        *self = (lt_row_count){.batch_seed = call->evaluation->random_seed};
    const uint64_t first = self->rows;
    self->rows += call->count;
    return first;
}
// Stores text as the result of `row`: copies `bytes` into the arena. lt_call_put_view keeps the pointer instead.
leat_status        lt_call_put_text(lt_call *call, uint32_t row, const char *text, size_t bytes, leat_error *err);
static inline void lt_call_put_view(lt_call *call, uint32_t row, const char *text, size_t bytes) {
    ((lt_string *)call->result->values)[row] = lt_string_view(text, bytes);
}
// Room for a result of `bytes`, to be filled and then put with lt_call_put_view. Errors: LEAT_LIMIT.
leat_status lt_call_room(lt_call *call, size_t bytes, char **out, leat_error *err);
// Appends an element to the child of an array or map result; the caller then sets the row's lt_list. `data` must live
// as long as the result.
leat_status lt_call_append_view(lt_call *call, lt_vector *child, const char *data, size_t bytes, leat_error *err);
// Calls `write` for each row to compute, with an empty buffer; what it appends becomes the text of the row. Values are
// limited to LT_VALUE_BYTES_MAX.
typedef leat_status (*lt_row_writer)(lt_call *call, uint32_t row, lt_buffer *out, leat_error *err);
leat_status               lt_call_write_rows(lt_call *call, lt_row_writer write, leat_error *err);
static inline leat_status lt_call_put_null(lt_call *call, uint32_t row, leat_error *err) {
    return lt_vector_set_null(call->result, row, call->arena, err);
}

// Plain lanes for a kernel. values[a] points at the lanes of argument a; steps[a] is 0 for a constant, else 1.
typedef struct lt_lanes {
    const void           *values[LT_TAKES_MAX];
    size_t                steps[LT_TAKES_MAX];
    void                 *results;
    uint8_t              *failed; // set failed[i] = 1 where lane i has no value; cleared before the call
    size_t                count;
    const lt_type *const *types; // of the arguments
    const lt_type        *result_type;
} lt_lanes;
typedef void (*lt_kernel)(const lt_lanes *lanes);

// One line per type. The body reads `x` (and `y`), writes `*out`, and may set `*failed` in the CHECKED forms.
#define LT_MAP(name, in_type, out_type, body)                                                                          \
    static void name(const lt_lanes *lanes) {                                                                          \
        const in_type *restrict in = lanes->values[0];                                                                 \
        out_type *restrict outs    = lanes->results;                                                                   \
        const size_t step          = lanes->steps[0];                                                                  \
        for (size_t i = 0; i < lanes->count; i++) {                                                                    \
            const in_type x   = in[i * step];                                                                          \
            out_type     *out = &outs[i];                                                                              \
            body                                                                                                       \
        }                                                                                                              \
    }
#define LT_MAP_CHECKED(name, in_type, out_type, body)                                                                  \
    static void name(const lt_lanes *lanes) {                                                                          \
        const in_type *restrict in = lanes->values[0];                                                                 \
        out_type *restrict outs    = lanes->results;                                                                   \
        uint8_t *restrict failures = lanes->failed;                                                                    \
        const size_t step          = lanes->steps[0];                                                                  \
        for (size_t i = 0; i < lanes->count; i++) {                                                                    \
            const in_type x      = in[i * step];                                                                       \
            out_type     *out    = &outs[i];                                                                           \
            uint8_t      *failed = &failures[i];                                                                       \
            body                                                                                                       \
        }                                                                                                              \
    }
#define LT_MAP2_LOOP(x_expression, y_expression, out_type, body)                                                       \
    for (size_t i = 0; i < lanes->count; i++) {                                                                        \
        const x_type x   = x_expression;                                                                               \
        const y_type y   = y_expression;                                                                               \
        out_type    *out = &outs[i];                                                                                   \
        body                                                                                                           \
    }
#define LT_MAP2(name, in_type, out_type, body)                                                                         \
    static void name(const lt_lanes *lanes) {                                                                          \
        typedef in_type x_type;                                                                                        \
        typedef in_type y_type;                                                                                        \
        const x_type *restrict xs = lanes->values[0];                                                                  \
        const y_type *restrict ys = lanes->values[1];                                                                  \
        out_type *restrict outs   = lanes->results;                                                                    \
        if (lanes->steps[0] != 0 && lanes->steps[1] != 0)                                                              \
            LT_MAP2_LOOP(xs[i], ys[i], out_type, body)                                                                 \
        else if (lanes->steps[0] != 0)                                                                                 \
            LT_MAP2_LOOP(xs[i], ys[0], out_type, body)                                                                 \
        else                                                                                                           \
            LT_MAP2_LOOP(xs[0], ys[i * lanes->steps[1]], out_type, body)                                               \
    }
#define LT_MAP2_CHECKED(name, in_type, out_type, body)                                                                 \
    static void name(const lt_lanes *lanes) {                                                                          \
        typedef in_type x_type;                                                                                        \
        typedef in_type y_type;                                                                                        \
        const x_type *restrict xs  = lanes->values[0];                                                                 \
        const y_type *restrict ys  = lanes->values[1];                                                                 \
        out_type *restrict outs    = lanes->results;                                                                   \
        uint8_t *restrict failures = lanes->failed;                                                                    \
        if (lanes->steps[0] != 0 && lanes->steps[1] != 0)                                                              \
            LT_MAP2_LOOP(xs[i], ys[i], out_type, uint8_t *failed = &failures[i]; body)                                 \
        else if (lanes->steps[0] != 0)                                                                                 \
            LT_MAP2_LOOP(xs[i], ys[0], out_type, uint8_t *failed = &failures[i]; body)                                 \
        else                                                                                                           \
            LT_MAP2_LOOP(xs[0], ys[i * lanes->steps[1]], out_type, uint8_t *failed = &failures[i]; body)               \
    }

// What .resolve sees and decides while a call is bound. Memory for types: `arena`.
typedef struct lt_resolution {
    const lt_function      *function;
    lt_arena               *arena;
    uint32_t                argument_count;
    const lt_type         **types;       // in: types of the arguments; out: what they shall be cast to
    const lt_vector *const *constants;   // constants[i]: the value of a foldable argument (one lane), else NULL
    const bool             *is_literal;  // argument i is a literal as written, with its sign; NULL: nobody knows
    const char *const      *names;       // name of a bare column or alias argument (struct(a, b)), else NULL
    const lt_type          *result;      // out
    const char             *display;     // out: how Spark names this very call; NULL: as the row says
    bool                    is_nullable; // unused for now; out
    lt_place                place;       // of the call
    const lt_place         *places;      // of the arguments
    // Lambdas: argument i is a lambda when lambda_arities[i] > 0. Types its variables and gives its result type.
    const uint32_t *lambda_arities;
    leat_status (*bind_lambda)(struct lt_resolution *resolution, uint32_t argument_index,
                               const lt_type *const *variable_types, uint32_t variable_count,
                               const lt_type **out_result, leat_error *err);
    // The common type of two types by Spark's rules for set operations, CASE and coalesce; NULL when there is none.
    const lt_type *(*common_type)(struct lt_resolution *resolution, const lt_type *a, const lt_type *b);
    // Parses "a INT, b STRING" or one type.
    leat_status (*parse_type)(struct lt_resolution *resolution, const char *text, size_t bytes, const lt_type **out,
                              leat_error *err);
    const lt_evaluation *evaluation; // session zone
    void                *user;       // the binder
} lt_resolution;

struct lt_function {
    const char *name;                // lower case, unique with its parameters
    uint16_t    takes[LT_TAKES_MAX]; // lt_takes and flags; ends with LT_TAKES_END
    lt_kind     returns;             // LT_NO_KIND with .resolve; LT_VOID: the type of argument 0
    bool        is_reader_test;      // a filter by it between a column and constants counts as part of reading
    bool        is_null_aware;       // sees rows with NULL arguments too and sets NULLs of the result itself
    bool        is_nondeterministic; // never folded, shared or pushed down
    bool        is_batch_constant; // equal within a batch, as current_timestamp(): shared, but never folded into a plan
    bool        can_fail; // keeps its place behind conditions that guard it; set when .fails_with or evaluate may raise
    bool fails_by_constants;   // with can_fail: whether it fails is up to the arguments behind the first, if constant
    bool is_negation;          // the opposite of its only argument, a BOOLEAN
    bool is_internal;          // reached by an operator only, not by its name
    bool needs_time_type;      // a TIME among its arguments and result asks for lt_evaluation.is_time_type_enabled
    bool is_host;              // the host's: called only by the thread that drives the batch
    lt_condition fails_with;   // of .kernel
    const char  *fail_message; // of .kernel; NULL: the condition in words
    leat_status (*resolve)(lt_resolution *resolution, leat_error *err);
    lt_kernel kernel;
    leat_status (*evaluate)(lt_call *call, leat_error *err);
    // Of a BOOLEAN strict function that never fails, beside the ways above: bit i of lanes->results (uint64_t words, bits
    // behind `count` 0) says whether it is TRUE for lane i; lanes with a NULL argument give anything. False, with nothing
    // done: not for these types or values.
    bool (*test)(const lt_lanes *lanes);
    // Once per place in the plan, before the first evaluate: state_bytes of zeros, e.g. for a compiled pattern.
    // `constants` as in lt_resolution.
    size_t state_bytes;
    leat_status (*open)(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                        leat_error *err);
    void (*close)(void *state);
    // How Spark names an unaliased call: NULL: "name(arg, arg)"; else a pattern where $name is the name as written,
    // $1..$9 are arguments and $* all of them: "($1 + $2)", "CEIL($1)". $2{text}: argument 2, or the text without it.
    const char *display;
    // For calls with names (f(a, c => 1)): names in order with SQL defaults, "str, upperChar = 'X', other = NULL".
    // NULL: names are refused (NAMED_PARAMETERS_NOT_SUPPORTED). On the first row of a name.
    const char *parameters;
    const char *summary, *example, *example_result; // documentation; on the first row of a name
    const char *since_note;                         // a difference from Spark, or NULL
};

static inline bool lt_function_is_variadic(const lt_function *function) {
    for (uint32_t i = 0; i < LT_TAKES_MAX && function->takes[i] != LT_TAKES_END; i++)
        if ((function->takes[i] & LT_TAKES_REPEATED) != 0) return true;
    return false;
}

// Raises `condition` at the place of the call. In evaluate only for rows of call->rows: these are alive.
#define lt_call_raise(call, err, condition, ...) lt_raise((err), (condition), &(call)->place, __VA_ARGS__)

extern const lt_function *const lt_function_registry[]; // one array per file, ended by NULL

#endif
