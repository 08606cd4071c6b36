// str_to_map: pairs of keys and values in a text; both separators are regular expressions. A pair without a separator
// has a NULL value. Source: Spark SQL 4: StringToMap.
#include "base/regexp.h"
#include "exec/map_entries.h"

typedef struct separators {
    lt_regexp pairs, values;
} separators;

static leat_status separators_open(void *state, const lt_vector *const *constants, uint32_t argument_count,
                                   lt_arena *arena, leat_error *err) {
    (void)constants, (void)argument_count, (void)err;
    separators *self = state;
    lt_regexp_init(&self->pairs, arena->account);
    lt_regexp_init(&self->values, arena->account);
    return LEAT_OK;
}
static void separators_close(void *state) {
    separators *self = state;
    lt_regexp_deinit(&self->pairs);
    lt_regexp_deinit(&self->values);
}

static leat_status str_to_map_resolve(lt_resolution *resolution, leat_error *err) {
    for (uint32_t i = 0; i < resolution->argument_count; i++)
        if (!lt_resolve_exactly(resolution, i, LT_STRING)) return LEAT_DONE;
    return lt_resolve_result_map(resolution, lt_type_of(LT_STRING), lt_type_of(LT_STRING), err);
}

static leat_status compile(lt_call *call, uint32_t argument, uint32_t row, const char *usual, lt_regexp *regexp,
                           leat_error *err) {
    lt_text pattern = argument < call->argument_count ? lt_arg_text(call, argument, row) : (lt_text){usual, 1};
    return lt_regexp_compile(regexp, call->arena->account, pattern.data, pattern.bytes, &call->place, err);
}

// Key in lane 0, value in lane 1 of `pair`.
static leat_status split_pair(lt_call *call, separators *self, lt_text text, lt_vector *pair, leat_error *err) {
    lt_regexp_parts parts = {.regexp = &self->values, .text = text.data, .bytes = text.bytes, .limit = 2};
    for (uint32_t lane = 0; lane < 2; lane++) {
        lt_text part;
        bool    has_part;
        LT_TRY(lt_regexp_parts_next(&parts, &part.data, &part.bytes, &has_part, &call->place, err));
        if (has_part) {
            LT_LANES(pair, lt_string)[lane] = lt_string_view(part.data, part.bytes);
            lt_vector_set_valid(pair, lane);
        } else {
            LT_TRY(lt_vector_set_null(pair, lane, call->arena, err));
        }
    }
    return LEAT_OK;
}

static leat_status str_to_map_evaluate(lt_call *call, leat_error *err) {
    separators *self = call->state;
    lt_vector   pair;
    LT_TRY(lt_vector_init(&pair, lt_type_of(LT_STRING), 2, call->arena, err));
    pair.lanes = 2;
    LT_EACH_ROW(call, row) {
        lt_text        text = lt_arg_text(call, 0, row), part;
        lt_map_entries entries;
        bool           has_part;
        LT_TRY(compile(call, 1, row, ",", &self->pairs, err));
        LT_TRY(compile(call, 2, row, ":", &self->values, err));
        LT_TRY(lt_regexp_text(call->arena, &text.data, &text.bytes, err));
        lt_regexp_parts parts = {.regexp = &self->pairs, .text = text.data, .bytes = text.bytes, .limit = -1};
        lt_map_entries_begin(&entries, call);
        for (;;) {
            LT_TRY(lt_regexp_parts_next(&parts, &part.data, &part.bytes, &has_part, &call->place, err));
            if (!has_part) break;
            LT_TRY(split_pair(call, self, part, &pair, err));
            LT_TRY(lt_map_entries_add(&entries, &pair, 0, &pair, 1, err));
        }
        lt_map_entries_end(&entries, row);
    }
    return LEAT_OK;
}

#define SEPARATORS .state_bytes = sizeof(separators), .open = separators_open, .close = separators_close
const lt_function lt_functions_text_map[] = {
    {.name     = "str_to_map",
     .takes    = {LT_TAKES_ANY},
     .resolve  = str_to_map_resolve,
     .can_fail = true,
     .evaluate = str_to_map_evaluate,
     SEPARATORS,
     .display        = "str_to_map($1, ,, :)",
     .summary        = "Map of the pairs in a text, by default a:1,b:2; the separators are regular expressions.",
     .example        = "SELECT str_to_map('a:1,b:2')",
     .example_result = "{a -> 1, b -> 2}"},
    {.name     = "str_to_map",
     .takes    = {LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve  = str_to_map_resolve,
     .can_fail = true,
     .evaluate = str_to_map_evaluate,
     SEPARATORS,
     .display = "str_to_map($1, $2, :)"},
    {.name     = "str_to_map",
     .takes    = {LT_TAKES_ANY, LT_TAKES_ANY, LT_TAKES_ANY},
     .resolve  = str_to_map_resolve,
     .can_fail = true,
     .evaluate = str_to_map_evaluate,
     SEPARATORS},
    {0},
};
