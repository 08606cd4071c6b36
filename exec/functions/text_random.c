// Random texts: uuid, randstr. With a seed, randstr draws from Spark's stream, one for all rows. Else the generator is
// splitmix64 over the batch's seed, the place of the call and the row,
// so that a batch that runs again gives the same texts. Source: Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators" (2014); RFC 4122, version 4.
#include "base/function.h"
#include "exec/kernels/random_stream.h"

enum { RANDSTR_LENGTH_MAX = 1 << 20 };

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

static uint64_t row_seed(const lt_call *call, uint64_t number) {
    return mix(mix(call->evaluation->random_seed + 0x9E3779B97F4A7C15u * (call->place.offset + 1u)) + number);
}

static uint64_t next_random(uint64_t *state) { return mix(*state += 0x9E3779B97F4A7C15u); }

static leat_status uuid_evaluate(lt_call *call, leat_error *err) {
    static const char digits[] = "0123456789abcdef";
    const uint64_t    first    = lt_row_count_take(call->state, call);
    LT_EACH_ROW(call, row) {
        char     text[36];
        uint64_t state = row_seed(call, first + row), bits = 0;
        for (size_t i = 0, nibble = 0; i < sizeof text; i++) {
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                text[i] = '-';
                continue;
            }
            if (nibble++ % 16 == 0) bits = next_random(&state);
            uint64_t value = i == 14 ? 4 : i == 19 ? 8 | (bits & 3) : bits & 15;
            bits >>= 4;
            text[i] = digits[value];
        }
        LT_TRY(lt_call_put_text(call, row, text, sizeof text, err));
    }
    return LEAT_OK;
}

typedef struct randstr_state {
    lt_row_count     count; // without a seed
    lt_random_stream stream;
    uint64_t         batch_seed; // of the batch that `stream` belongs to
    bool             is_seeded;
} randstr_state;

// The stream of a seeded call: begun anew by each batch, so that a batch that runs again repeats it.
static lt_random_stream *stream_of(const lt_call *call, uint32_t row) {
    randstr_state *self = call->state;
    if (!self->is_seeded || self->batch_seed != call->evaluation->random_seed)
        lt_random_stream_init(&self->stream,
                              lt_arg_is_null(call, 1, row) ? 0 : (uint64_t)LT_ARG(call, 1, int64_t, row));
    self->is_seeded  = true;
    self->batch_seed = call->evaluation->random_seed;
    return &self->stream;
}

static leat_status randstr_evaluate(lt_call *call, leat_error *err) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const int32_t     choices   = sizeof letters - 1;
    randstr_state    *self      = call->state;
    const uint64_t    first     = lt_row_count_take(&self->count, call);
    LT_EACH_ROW(call, row) {
        int32_t length = lt_arg_is_null(call, 0, row) ? 0 : LT_ARG(call, 0, int32_t, row);
        if (length < 0 || length > RANDSTR_LENGTH_MAX)
            return lt_call_raise(call, err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE,
                                 "the length %d of randstr is not between 0 and %d", length, RANDSTR_LENGTH_MAX);
        lt_random_stream *stream = call->argument_count > 1 ? stream_of(call, row) : NULL;
        uint64_t          state  = row_seed(call, first + row);
        char             *room;
        LT_TRY(lt_call_room(call, (size_t)length, &room, err));
        for (int32_t i = 0; i < length; i++) {
            const int32_t drawn =
                (int32_t)(stream != NULL ? lt_random_stream_bits(stream, 32) : next_random(&state)) % choices;
            room[i] = letters[drawn < 0 ? -drawn : drawn];
        }
        lt_call_put_view(call, row, room, (size_t)length);
    }
    return LEAT_OK;
}

const lt_function lt_functions_text_random[] = {
    {.name                = "uuid",
     .takes               = {LT_TAKES_END},
     .returns             = LT_STRING,
     .is_nondeterministic = true,
     .state_bytes         = sizeof(lt_row_count),
     .evaluate            = uuid_evaluate,
     .summary             = "A random UUID.",
     .example             = "SELECT length(uuid())",
     .example_result      = "36"},
    {.name                = "randstr",
     .takes               = {LT_TAKES_INT, LT_TAKES_BIGINT | LT_TAKES_OPTIONAL},
     .returns             = LT_STRING,
     .is_nondeterministic = true,
     .is_null_aware       = true,
     .state_bytes         = sizeof(randstr_state),
     .can_fail            = true,
     .evaluate            = randstr_evaluate,
     .summary             = "Random letters and digits, of a length.",
     .example             = "SELECT length(randstr(5))",
     .example_result      = "5"},
    {0},
};
