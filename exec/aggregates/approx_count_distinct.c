// approx_count_distinct(x [, error]): about how many different values there are, by HyperLogLog over XXH3 hashes; the
// relative error (0.05 by default) sets the number of registers. Few values are counted almost exactly. Not for
// retraction. Source: Flajolet et al., "HyperLogLog" (2007); range of the error as in Spark SQL 4.
#include "base/hash.h"
#include "exec/state/kept_rows.h"

#include <math.h>

enum { REGISTER_BITS_MIN = 4, REGISTER_BITS_MAX = 16 };

typedef struct registers {
    uint8_t *ranks;
    uint32_t count;
} registers;

static uint32_t register_count(const lt_vector *const *constants, uint32_t argument_count) {
    double error = 0.05;
    if (argument_count > 1 && constants[1] != NULL && !lt_vector_is_null(constants[1], 0))
        error = LT_VALUE(constants[1], double, 0);
    double bits = ceil(2 * log2(1.106 / error));
    if (!(bits >= REGISTER_BITS_MIN)) bits = REGISTER_BITS_MIN;
    if (bits > REGISTER_BITS_MAX) bits = REGISTER_BITS_MAX;
    return UINT32_C(1) << (uint32_t)bits;
}

static leat_status resolve(lt_resolution *resolution, leat_error *err) {
    if (resolution->argument_count > 1) {
        if (!lt_kind_is_numeric(resolution->types[1]->kind)) return LEAT_DONE;
        resolution->types[1] = lt_type_of(LT_DOUBLE);
        if (resolution->constants[1] == NULL)
            return lt_raise(err, LT_DATATYPE_MISMATCH__NON_FOLDABLE_INPUT, &resolution->place,
                            "the relative error must be a constant");
    }
    resolution->result = lt_type_of(LT_BIGINT);
    return LEAT_OK;
}

// What .open finds out: constants are only cast to DOUBLE by then.
typedef struct sketch_state {
    uint32_t register_count;
} sketch_state;
static leat_status open(void *state, const lt_type *const *types, const lt_vector *const *constants,
                        uint32_t argument_count, lt_arena *arena, leat_error *err) {
    (void)types, (void)arena, (void)err;
    ((sketch_state *)state)->register_count = register_count(constants, argument_count);
    return LEAT_OK;
}

static leat_status add(registers *group, uint32_t count, uint64_t hash, lt_account *memory, leat_error *err) {
    if (group->ranks == NULL) {
        group->ranks = lt_account_reallocate(memory, NULL, 0, count);
        if (group->ranks == NULL) return lt_raise_no_memory(err);
        memset(group->ranks, 0, count);
        group->count = count;
    }
    uint32_t slot = (uint32_t)(hash & (group->count - 1));
    uint64_t rest = hash | (group->count - 1); // never zero
    uint8_t  rank = (uint8_t)(__builtin_clzll(rest) + 1);
    if (rank > group->ranks[slot]) group->ranks[slot] = rank;
    return LEAT_OK;
}

static leat_status update(void *accumulators, const lt_aggregate_rows *rows, leat_error *err) {
    registers          *groups = accumulators;
    const sketch_state *state  = rows->state;
    lt_buffer           bytes;
    leat_status         status = LEAT_OK;
    lt_buffer_init(&bytes, rows->memory, 0);
    for (size_t i = 0; i < rows->count && status == LEAT_OK; i++) {
        lt_buffer_reset(&bytes);
        status = lt_kept_encode(rows, 0, 1, i, true, &bytes, err);
        if (status == LEAT_OK)
            status = add(&groups[rows->group_index[i]], state->register_count, lt_hash64(bytes.data, bytes.bytes, 42),
                         rows->memory, err);
    }
    lt_buffer_deinit(&bytes);
    return status;
}

static double estimate(const registers *group) {
    double   m = group->count, sum = 0;
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        sum += ldexp(1, -(int)group->ranks[i]);
        zeros += group->ranks[i] == 0;
    }
    double raw = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    return raw <= 2.5 * m && zeros > 0 ? m * log(m / zeros) : raw;
}

static leat_status finish(const void *accumulators, const lt_aggregate_results *out, leat_error *err) {
    const registers *groups = accumulators;
    (void)err;
    for (size_t i = 0; i < out->count; i++) {
        const registers *group      = &groups[out->group_index[i]];
        ((int64_t *)out->values)[i] = group->count == 0 ? 0 : llround(estimate(group));
    }
    return LEAT_OK;
}

static leat_status save(const void *accumulator, lt_buffer *out, leat_error *err) {
    const registers *self = accumulator;
    return lt_buffer_append_bytes(out, self->count == 0 ? (const void *)"" : self->ranks, self->count, err);
}
static leat_status load(void *accumulator, lt_reader *in, lt_account *memory, leat_error *err) {
    registers  *self = accumulator;
    const char *bytes;
    size_t      count;
    LT_TRY(lt_reader_bytes(in, &bytes, &count, err));
    if (count == 0) return LEAT_OK;
    if ((count & (count - 1)) != 0 || count > (1u << REGISTER_BITS_MAX))
        return lt_raise(err, LT_CHECKPOINT_CORRUPT, NULL, "a saved sketch has %zu registers", count);
    self->ranks = lt_account_reallocate(memory, NULL, 0, count);
    if (self->ranks == NULL) return lt_raise_no_memory(err);
    memcpy(self->ranks, bytes, count);
    self->count = (uint32_t)count;
    return LEAT_OK;
}
static void close(void *accumulator, lt_account *memory) {
    registers *self = accumulator;
    lt_account_reallocate(memory, self->ranks, self->count, 0);
    *self = (registers){0};
}

const lt_aggregate lt_aggregates_approx_count_distinct[] = {
    {.name              = "approx_count_distinct",
     .takes             = {LT_TAKES_ANY, LT_TAKES_ANY | LT_TAKES_CONSTANT | LT_TAKES_OPTIONAL},
     .resolve           = resolve,
     .display           = "$name($1)",
     .accumulator_bytes = sizeof(registers),
     .needs_append_only = true,
     .ignores_distinct  = true,
     .has_memory        = true,
     .state_bytes       = sizeof(sketch_state),
     .open              = open,
     .update            = update,
     .finish            = finish,
     .save              = save,
     .load              = load,
     .close             = close,
     .summary           = "About how many different values there are.",
     .example           = "SELECT approx_count_distinct(x) FROM VALUES (1), (2), (2), (NULL), (3) AS t(x)",
     .example_result    = "3"},
    {0},
};
