// Random texts: uuid, randstr. The generator is splitmix64 over the batch's seed, the place of the call and the row,
// so that a batch that runs again gives the same texts. Source: Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators" (2014); RFC 4122, version 4.
#include "base/function.h"

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

static leat_status randstr_evaluate(lt_call *call, leat_error *err) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const uint64_t    first     = lt_row_count_take(call->state, call);
    LT_EACH_ROW(call, row) {
        int32_t length = LT_ARG(call, 0, int32_t, row);
        if (length < 0 || length > RANDSTR_LENGTH_MAX)
            return lt_call_raise(call, err, LT_DATATYPE_MISMATCH__VALUE_OUT_OF_RANGE,
                                 "the length %d of randstr is not between 0 and %d", length, RANDSTR_LENGTH_MAX);
        uint64_t state = row_seed(call, first + row);
        if (call->argument_count > 1) state = mix((uint64_t)LT_ARG(call, 1, int64_t, row)) + mix(first + row);
        char *room;
        LT_TRY(lt_call_room(call, (size_t)length, &room, err));
        for (int32_t i = 0; i < length; i++) room[i] = letters[next_random(&state) % (sizeof letters - 1)];
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
     .state_bytes         = sizeof(lt_row_count),
     .can_fail            = true,
     .evaluate            = randstr_evaluate,
     .summary             = "Random letters and digits, of a length.",
     .example             = "SELECT length(randstr(5))",
     .example_result      = "5",
     .since_note          = "Letters for a given seed differ from Spark's."},
    {0},
};
