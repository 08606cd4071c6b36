#include "base/cast.h"
#include "base/decimal.h"
#include "base/function.h"
#include "exec/kernels/random_stream.h"
#include "exec/kernels/strict_math.h"

#include <math.h>

// rand, random, randn and uniform: a stream of pseudo-random numbers per place in the plan, the same for the same seed
// in every run, and for every batch again; without a seed the batch gives one, so that a batch run again repeats it.
// Source: Marsaglia's xorshift with Spark's constants (XORShiftRandom), Java's Random.nextDouble and nextGaussian.

typedef struct random_state {
    bool             is_seeded, has_constant_seed, has_spare;
    int64_t          constant_seed;
    uint64_t         batch_seed; // of the batch that `stream` belongs to
    lt_random_stream stream;
    double           spare; // the second number of a pair of normal ones
} random_state;

static double random_double(random_state *self) { return lt_random_stream_double(&self->stream); }

static double random_normal(random_state *self) {
    if (self->has_spare) {
        self->has_spare = false;
        return self->spare;
    }
    double a, b, square;
    do {
        a      = 2 * random_double(self) - 1;
        b      = 2 * random_double(self) - 1;
        square = a * a + b * b;
    } while (square >= 1 || square == 0);
    double scale    = sqrt(-2 * lt_strict_log(square) / square);
    self->spare     = b * scale;
    self->has_spare = true;
    return a * scale;
}

static leat_status constant_seed(random_state *self, const lt_vector *constant, lt_arena *arena, leat_error *err) {
    lt_evaluation    evaluation = {0};
    const lt_vector *value;
    LT_TRY(lt_cast_run(constant, lt_type_of(LT_BIGINT), NULL, 1, 1, false, arena, &evaluation, NULL, &value, err));
    self->has_constant_seed = true;
    self->constant_seed     = lt_vector_is_null(value, 0) ? 0 : LT_VALUE(value, int64_t, 0);
    return LEAT_OK;
}

static leat_status random_open(void *state, const lt_vector *const *constants, uint32_t argument_count, lt_arena *arena,
                               leat_error *err) {
    return argument_count != 1 ? LEAT_OK : constant_seed(state, constants[0], arena, err);
}
static leat_status uniform_open(void *state, const lt_vector *const *constants, uint32_t argument_count,
                                lt_arena *arena, leat_error *err) {
    return argument_count != 3 ? LEAT_OK : constant_seed(state, constants[2], arena, err);
}

static random_state *random_start(const lt_call *call) {
    random_state *self  = call->state;
    uint64_t      batch = call->evaluation->random_seed;
    if (self->is_seeded && self->batch_seed == batch) return self;
    // Two calls without seed in one statement differ by their places.
    uint64_t seed = self->has_constant_seed ? (uint64_t)self->constant_seed : batch + call->place.offset;
    lt_random_stream_init(&self->stream, seed);
    self->is_seeded  = true;
    self->has_spare  = false;
    self->batch_seed = batch;
    return self;
}

static leat_status rand_rows(lt_call *call, leat_error *err) {
    (void)err;
    random_state *self                  = random_start(call);
    double       *results               = call->result->values;
    LT_EACH_ROW(call, row) results[row] = random_double(self);
    return LEAT_OK;
}

static leat_status randn_rows(lt_call *call, leat_error *err) {
    (void)err;
    random_state *self                  = random_start(call);
    double       *results               = call->result->values;
    LT_EACH_ROW(call, row) results[row] = random_normal(self);
    return LEAT_OK;
}

static leat_status put_fraction(lt_call *call, uint32_t row, double value, leat_error *err) {
    const lt_type *type = call->result->type;
    if (type->kind == LT_DOUBLE)
        LT_LANES(call->result, double)[row] = value;
    else if (type->kind == LT_FLOAT)
        LT_LANES(call->result, float)[row] = (float)value;
    else if (!lt_decimal_from_double(value, lt_decimal_shape_of(type), &LT_LANES(call->result, lt_int128)[row]))
        return lt_call_raise(call, err, LT_NUMERIC_VALUE_OUT_OF_RANGE__WITH_SUGGESTION,
                             "the number drawn does not fit %s", lt_type_text(call->arena, type));
    return LEAT_OK;
}

static leat_status uniform_double(lt_call *call, leat_error *err) {
    random_state *self = random_start(call);
    LT_EACH_ROW(call, row) {
        double low = LT_ARG(call, 0, double, row), high = LT_ARG(call, 1, double, row);
        LT_TRY(put_fraction(call, row, low + (high - low) * random_double(self), err));
    }
    return LEAT_OK;
}

static leat_status uniform_bigint(lt_call *call, leat_error *err) {
    (void)err;
    random_state *self = random_start(call);
    const lt_kind kind = call->result->type->kind;
    LT_EACH_ROW(call, row) {
        double  low = (double)LT_ARG(call, 0, int64_t, row), high = (double)LT_ARG(call, 1, int64_t, row);
        double  drawn = low + (high - low) * random_double(self);
        int64_t value = drawn >= 0x1p63 ? INT64_MAX : drawn < -0x1p63 ? INT64_MIN : (int64_t)drawn;
        if (kind == LT_TINYINT)
            LT_LANES(call->result, int8_t)[row] = (int8_t)value;
        else if (kind == LT_SMALLINT)
            LT_LANES(call->result, int16_t)[row] = (int16_t)value;
        else if (kind == LT_INT)
            LT_LANES(call->result, int32_t)[row] = (int32_t)value;
        else
            LT_LANES(call->result, int64_t)[row] = value;
    }
    return LEAT_OK;
}

// Seeds and bounds are constants.
static leat_status require_constant(const lt_resolution *resolution, uint32_t argument, leat_error *err) {
    if (resolution->constants[argument] != NULL) return LEAT_OK;
    return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->places[argument],
                    "argument %u of `%s` must be a constant", (unsigned)argument + 1, resolution->function->name);
}

static leat_status resolve_rand(lt_resolution *resolution, leat_error *err) {
    resolution->result = lt_type_of(LT_DOUBLE);
    if (resolution->argument_count == 0) return LEAT_OK;
    lt_kind kind = resolution->types[0]->kind;
    if (!lt_kind_is_integral(kind) && kind != LT_VOID) return LEAT_DONE;
    LT_TRY(require_constant(resolution, 0, err));
    resolution->types[0] = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

// The wider of two integers; DOUBLE or FLOAT beside one of them; else the DECIMAL of the decimals alone.
static const lt_type *uniform_type(const lt_resolution *resolution, const lt_type *a, const lt_type *b) {
    if (lt_kind_is_integral(a->kind) && lt_kind_is_integral(b->kind)) return a->kind > b->kind ? a : b;
    if (a->kind == LT_DOUBLE || b->kind == LT_DOUBLE) return lt_type_of(LT_DOUBLE);
    if (a->kind == LT_FLOAT || b->kind == LT_FLOAT) return lt_type_of(LT_FLOAT);
    if (a->kind != LT_DECIMAL || b->kind != LT_DECIMAL) return a->kind == LT_DECIMAL ? a : b;
    const lt_decimal_shape shape = lt_decimal_common_shape(lt_decimal_shape_of(a), lt_decimal_shape_of(b));
    return lt_type_decimal(resolution->arena, shape.precision, shape.scale);
}

static leat_status resolve_uniform(lt_resolution *resolution, leat_error *err) {
    const lt_type **types      = resolution->types;
    bool            is_integer = lt_kind_is_integral(types[0]->kind) && lt_kind_is_integral(types[1]->kind);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (!lt_kind_is_numeric(types[i]->kind) || (i == 2 && !lt_kind_is_integral(types[i]->kind))) return LEAT_DONE;
        LT_TRY(require_constant(resolution, i, err));
    }
    if (is_integer != (resolution->function->evaluate == uniform_bigint)) return LEAT_DONE;
    resolution->result = uniform_type(resolution, types[0], types[1]);
    if (resolution->result == NULL) return lt_raise_no_memory(err);
    types[0] = types[1] = lt_type_of(is_integer ? LT_BIGINT : LT_DOUBLE);
    if (resolution->argument_count == 3) types[2] = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

#define RANDOM(text, function)                                                                                         \
    .name = text, .takes = {LT_TAKES_ANY | LT_TAKES_OPTIONAL}, .is_nondeterministic = true, .is_null_aware = true,     \
    .resolve = resolve_rand, .evaluate = function, .state_bytes = sizeof(random_state), .open = random_open
#define UNIFORM(function)                                                                                              \
    .name = "uniform", .takes = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},                        \
    .is_nondeterministic = true, .can_fail = true, .resolve = resolve_uniform, .evaluate = function,                   \
    .state_bytes = sizeof(random_state), .open = uniform_open

const lt_function lt_functions_math_random[] = {
    {RANDOM("rand", rand_rows), .summary = "A pseudo-random number from 0 up to 1, by a seed or a new one.",
     .example = "SELECT rand(0)", .example_result = "0.7604953758285915"},
    {RANDOM("random", rand_rows), .display = "rand($*)",
     .summary = "A pseudo-random number from 0 up to 1, by a seed or a new one.", .example = "SELECT random(0)",
     .example_result = "0.7604953758285915"},
    {RANDOM("randn", randn_rows), .summary = "A pseudo-random number with normal distribution.",
     .example = "SELECT randn(0)", .example_result = "1.6034991609278433"},
    {UNIFORM(uniform_bigint), .summary = "A pseudo-random number between two constants.",
     .example = "SELECT uniform(10, 20, 0) > 9", .example_result = "true"},
    {UNIFORM(uniform_double)},
    {0},
};
