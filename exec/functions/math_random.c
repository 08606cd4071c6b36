#include "base/cast.h"
#include "base/function.h"
#include "exec/kernels/strict_math.h"

#include <math.h>

// rand, random, randn and uniform: a stream of pseudo-random numbers per place in the plan, the same for the same seed
// in every run, and for every batch again; without a seed the batch gives one, so that a batch run again repeats it.
// Source: Marsaglia's xorshift with Spark's constants (XORShiftRandom), Java's Random.nextDouble and nextGaussian.

typedef struct random_state {
    bool     is_seeded, has_constant_seed, has_spare;
    int64_t  constant_seed;
    uint64_t batch_seed; // of the batch that `bits` belongs to
    uint64_t bits;
    double   spare; // the second number of a pair of normal ones
} random_state;

static uint32_t rotate(uint32_t x, int count) { return x << count | x >> (32 - count); }

// MurmurHash3 (32 bits) of the seed's eight bytes, most significant first.
static uint32_t hash_seed(uint64_t seed, uint32_t start) {
    uint64_t bytes = __builtin_bswap64(seed);
    uint32_t hash  = start;
    for (int i = 0; i < 2; i++) {
        uint32_t block = (uint32_t)(bytes >> (32 * i)) * 0xcc9e2d51u;
        hash ^= rotate(block, 15) * 0x1b873593u;
        hash = rotate(hash, 13) * 5 + 0xe6546b64u;
    }
    hash ^= 8;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static uint64_t random_bits(random_state *self, int count) {
    self->bits ^= self->bits << 21;
    self->bits ^= self->bits >> 35;
    self->bits ^= self->bits << 4;
    return self->bits & ((UINT64_C(1) << count) - 1);
}

static double random_double(random_state *self) {
    uint64_t high = random_bits(self, 26), low = random_bits(self, 27);
    return (double)(high << 27 | low) * 0x1p-53;
}

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
    uint32_t low = hash_seed(seed, 0x3c074a61u), high = hash_seed(seed, low);
    self->bits       = (uint64_t)high << 32 | low;
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

static leat_status uniform_double(lt_call *call, leat_error *err) {
    (void)err;
    random_state *self    = random_start(call);
    double       *results = call->result->values;
    LT_EACH_ROW(call, row) {
        double low = LT_ARG(call, 0, double, row), high = LT_ARG(call, 1, double, row);
        results[row] = low + (high - low) * random_double(self);
    }
    return LEAT_OK;
}

static leat_status uniform_bigint(lt_call *call, leat_error *err) {
    (void)err;
    random_state *self   = random_start(call);
    bool          is_int = call->result->type->kind == LT_INT;
    LT_EACH_ROW(call, row) {
        double  low = (double)LT_ARG(call, 0, int64_t, row), high = (double)LT_ARG(call, 1, int64_t, row);
        double  drawn = low + (high - low) * random_double(self);
        int64_t value = drawn >= 0x1p63 ? INT64_MAX : drawn < -0x1p63 ? INT64_MIN : (int64_t)drawn;
        if (is_int)
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

static leat_status resolve_uniform(lt_resolution *resolution, leat_error *err) {
    const lt_type **types      = resolution->types;
    bool            is_integer = lt_kind_is_integral(types[0]->kind) && lt_kind_is_integral(types[1]->kind);
    for (uint32_t i = 0; i < resolution->argument_count; i++) {
        if (!lt_kind_is_numeric(types[i]->kind) || (i == 2 && !lt_kind_is_integral(types[i]->kind))) return LEAT_DONE;
        LT_TRY(require_constant(resolution, i, err));
    }
    if (is_integer != (resolution->function->evaluate == uniform_bigint)) return LEAT_DONE;
    bool is_wide       = types[0]->kind == LT_BIGINT || types[1]->kind == LT_BIGINT;
    resolution->result = lt_type_of(!is_integer ? LT_DOUBLE : is_wide ? LT_BIGINT : LT_INT);
    types[0] = types[1] = lt_type_of(is_integer ? LT_BIGINT : LT_DOUBLE);
    if (resolution->argument_count == 3) types[2] = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

#define RANDOM(text, function)                                                                                         \
    .name = text, .takes = {LT_TAKES_ANY | LT_TAKES_OPTIONAL}, .is_nondeterministic = true, .is_null_aware = true,     \
    .resolve = resolve_rand, .evaluate = function, .state_bytes = sizeof(random_state), .open = random_open
#define UNIFORM(function)                                                                                              \
    .name = "uniform", .takes = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_OPTIONAL},                        \
    .is_nondeterministic = true, .resolve = resolve_uniform, .evaluate = function,                                     \
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
