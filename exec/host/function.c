#include "exec/session.h"

#include "base/ascii.h"
#include "base/date.h"
#include "base/generator.h"
#include "base/utf8.h"

// function: scalar functions of the host. Each becomes a row like those of exec/functions, in an array of its own
// behind the registry, so that binding, casts and folding know nothing about it. Rows of a plan may outlive a newer
// function of the same signature, therefore nothing is freed before the session.

enum { ARGUMENTS_MAX = LT_TAKES_MAX - 1, NAME_BYTES_MAX = 128 };

typedef struct lt_host_function {
    lt_function              rows[2]; // the second ends the array
    leat_function            host;
    leat_session            *session;
    lt_kind                  kinds[ARGUMENTS_MAX], returns;
    lt_arena                 arena; // owns this and the name
    bool                     is_replaced;
    struct lt_host_function *next;
} lt_host_function;

// ------------------------------------------------------------------------------------------------------------- a value

// Types that leat_value has room for, and what the binder casts arguments to. The host sees narrow integers and FLOAT
// as they are declared: a wider argument that does not fit is an error.
static const struct {
    lt_kind  kind;
    uint16_t takes;
} parameter_kinds[] = {
    {LT_BOOLEAN, LT_TAKES_BOOLEAN},
    {LT_TINYINT, LT_TAKES_INT},
    {LT_SMALLINT, LT_TAKES_INT},
    {LT_INT, LT_TAKES_INT},
    {LT_BIGINT, LT_TAKES_BIGINT},
    {LT_FLOAT, LT_TAKES_DOUBLE},
    {LT_DOUBLE, LT_TAKES_DOUBLE},
    {LT_STRING, LT_TAKES_STRING},
    {LT_BINARY, LT_TAKES_BINARY},
    {LT_DATE, LT_TAKES_DATE},
    {LT_TIMESTAMP, LT_TAKES_TIMESTAMP},
    {LT_TIMESTAMP_NTZ, LT_TAKES_TIMESTAMP_NTZ},
    {LT_TIME, LT_TAKES_TIME},
    {LT_INTERVAL_YEAR_MONTH, LT_TAKES_INTERVAL_YEAR_MONTH},
    {LT_INTERVAL_DAY_TIME, LT_TAKES_INTERVAL_DAY_TIME},
};

static bool integer_range(lt_kind kind, int64_t *out_least, int64_t *out_most) {
    switch (kind) {
    case LT_BOOLEAN:
        *out_least = 0, *out_most = 1;
        return true;
    case LT_TINYINT:
        *out_least = INT8_MIN, *out_most = INT8_MAX;
        return true;
    case LT_SMALLINT:
        *out_least = INT16_MIN, *out_most = INT16_MAX;
        return true;
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        *out_least = INT32_MIN, *out_most = INT32_MAX;
        return true;
    case LT_TIME:
        *out_least = 0, *out_most = LT_US_PER_DAY - 1;
        return true;
    default:
        *out_least = INT64_MIN, *out_most = INT64_MAX;
        return kind == LT_BIGINT || kind == LT_TIMESTAMP || kind == LT_TIMESTAMP_NTZ || kind == LT_INTERVAL_DAY_TIME;
    }
}

// `lanes` has the type that the binder cast to; `kind` is the declared one.
static leat_value value_of(const lt_vector *lanes, uint32_t row, lt_kind kind) {
    leat_value value = {.is_null = lt_vector_is_null(lanes, row)};
    if (value.is_null) return value;
    switch (lanes->type->kind) {
    case LT_BOOLEAN:
        value.int64 = LT_VALUE(lanes, uint8_t, row);
        break;
    case LT_INT:
    case LT_DATE:
    case LT_INTERVAL_YEAR_MONTH:
        value.int64 = LT_VALUE(lanes, int32_t, row);
        break;
    case LT_DOUBLE:
        value.float64 = LT_VALUE(lanes, double, row);
        if (kind == LT_FLOAT) value.float64 = (double)(float)value.float64;
        break;
    case LT_STRING:
    case LT_BINARY: {
        const lt_string *text = &LT_VALUE(lanes, lt_string, row);
        value.text            = lt_string_data(text);
        value.text_bytes      = text->bytes;
        break;
    }
    default:
        value.int64 = LT_VALUE(lanes, int64_t, row);
    }
    return value;
}

static leat_status result_put(lt_call *call, uint32_t row, lt_kind kind, const leat_value *value, leat_error *err) {
    int64_t least, most;
    if (value->is_null) return lt_call_put_null(call, row, err);
    if (lt_kind_is_bytes(kind)) {
        if (value->text == NULL && value->text_bytes > 0)
            return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "the host's function `%s` gave no text",
                                 call->function->name);
        if (kind == LT_STRING && !lt_utf8_is_valid(value->text, value->text_bytes))
            return lt_call_raise(call, err, LT_INVALID_UTF8_STRING,
                                 "the host's function `%s` gave text that is not "
                                 "UTF-8",
                                 call->function->name);
        return lt_call_put_text(call, row, value->text, value->text_bytes, err);
    }
    if (kind == LT_DOUBLE) {
        LT_LANES(call->result, double)[row] = value->float64;
        return LEAT_OK;
    }
    if (kind == LT_FLOAT) {
        LT_LANES(call->result, float)[row] = (float)value->float64;
        return LEAT_OK;
    }
    (void)integer_range(kind, &least, &most);
    if (value->int64 < least || value->int64 > most)
        return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL,
                             "the host's function `%s` gave %lld, which its result type does not hold",
                             call->function->name, (long long)value->int64);
    switch (lt_kind_lane_bytes(kind)) {
    case 1:
        LT_LANES(call->result, int8_t)[row] = (int8_t)value->int64;
        break;
    case 2:
        LT_LANES(call->result, int16_t)[row] = (int16_t)value->int64;
        break;
    case 4:
        LT_LANES(call->result, int32_t)[row] = (int32_t)value->int64;
        break;
    default:
        LT_LANES(call->result, int64_t)[row] = value->int64;
    }
    return LEAT_OK;
}

// -------------------------------------------------------------------------------------------------------------- a call

static leat_status call_row(lt_host_function *self, lt_call *call, uint32_t row, leat_error *err) {
    leat_value arguments[ARGUMENTS_MAX] = {{0}}, result = {.is_null = true};
    for (uint32_t a = 0; a < call->argument_count; a++) {
        int64_t least, most;
        arguments[a] = value_of(call->arguments[a], row, self->kinds[a]);
        if (!integer_range(self->kinds[a], &least, &most) || arguments[a].is_null) continue;
        if (arguments[a].int64 < least || arguments[a].int64 > most)
            return lt_call_raise(call, err, LT_CAST_OVERFLOW,
                                 "argument %u of `%s` is %lld, which its type does not hold", a + 1,
                                 call->function->name, (long long)arguments[a].int64);
    }
    leat_status status = self->host.call(self->host.user, arguments, call->argument_count, &result, err);
    if (status == LEAT_OK) return result_put(call, row, self->returns, &result, err);
    // A host that says nothing still fails with a text and a place.
    leat_status raised =
        lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "the host's function `%s` failed", call->function->name);
    lt_error_place(err, &call->place);
    if (status < LEAT_MISUSE) status = raised;
    if (err != NULL) err->status = status;
    return status;
}

static leat_status host_evaluate(lt_call *call, leat_error *err) {
    // The descriptor's row is the first member of the function it belongs to.
    lt_host_function *self;
    memcpy(&self, &call->function, sizeof self);
    bool        was_in_callback   = self->session->is_in_callback;
    leat_status status            = LEAT_OK;
    self->session->is_in_callback = true;
    for (uint32_t i = 0; status == LEAT_OK && i < call->row_count; i++)
        status = call_row(self, call, call->rows[i], err);
    self->session->is_in_callback = was_in_callback;
    return status;
}

// ------------------------------------------------------------------------------------------------------------ register

static leat_status kind_of(lt_host_function *self, const char *text, size_t bytes, lt_kind *out, leat_error *err) {
    lt_ast_type    *tree;
    const lt_type  *type;
    lt_bind_context context;
    lt_evaluation   evaluation = lt_session_evaluation(self->session);
    LT_TRY(lt_parse_type(text, bytes, &self->arena, &tree, err));
    lt_bind_context_init(self->session, NULL, &self->arena, &evaluation, &context);
    LT_TRY(lt_bind_type(&context, tree, &type, err));
    *out = type->kind;
    for (size_t i = 0; i < sizeof parameter_kinds / sizeof *parameter_kinds; i++)
        if (parameter_kinds[i].kind == type->kind) return LEAT_OK;
    return lt_raise(err, LT_NOT_SUPPORTED, NULL, "a host's function cannot take or give %s",
                    lt_type_text(&self->arena, type));
}

static const char *trimmed(const char *text, size_t *bytes) {
    while (*bytes > 0 && (*text == ' ' || *text == '\t' || *text == '\n')) text++, (*bytes)--;
    while (*bytes > 0 && (text[*bytes - 1] == ' ' || text[*bytes - 1] == '\t' || text[*bytes - 1] == '\n')) (*bytes)--;
    return text;
}

static leat_status signature_parse(lt_host_function *self, const char *signature, leat_error *err) {
    const char *arrow = strstr(signature, "->");
    uint32_t    count = 0;
    if (arrow == NULL)
        return lt_raise(err, LT_MISUSE, NULL, "signature `%s` has no `->`; write \"STRING, INT -> BIGINT\"", signature);
    size_t      bytes = (size_t)(arrow - signature), result_bytes = strlen(arrow + 2);
    const char *text = trimmed(signature, &bytes), *result = trimmed(arrow + 2, &result_bytes);
    while (bytes > 0) {
        const char *comma = memchr(text, ',', bytes);
        size_t      part = comma == NULL ? bytes : (size_t)(comma - text), own = part;
        const char *type = trimmed(text, &own);
        if (count == ARGUMENTS_MAX)
            return lt_raise(err, LT_LIMIT_EXCEEDED, NULL, "a host's function takes at most %d arguments",
                            ARGUMENTS_MAX);
        LT_TRY(kind_of(self, type, own, &self->kinds[count], err));
        for (size_t i = 0; i < sizeof parameter_kinds / sizeof *parameter_kinds; i++)
            if (parameter_kinds[i].kind == self->kinds[count]) self->rows[0].takes[count] = parameter_kinds[i].takes;
        count++;
        text  = comma == NULL ? text + bytes : comma + 1;
        bytes = comma == NULL ? 0 : bytes - part - 1;
        if (comma != NULL && bytes == 0)
            return lt_raise(err, LT_MISUSE, NULL, "signature `%s` ends in a comma", signature);
    }
    return kind_of(self, result, result_bytes, &self->returns, err);
}

static leat_status name_check(const leat_session *session, const char *name, leat_error *err) {
    size_t bytes = strlen(name);
    if (bytes == 0 || bytes > NAME_BYTES_MAX)
        return lt_raise(err, LT_MISUSE, NULL, "the name of a function has 1 to %d bytes", NAME_BYTES_MAX);
    bool is_taken = lt_catalog_function_find(&session->catalog, name) != NULL;
    for (const lt_function *const *file = lt_function_registry; *file != NULL; file++)
        for (const lt_function *row = *file; row->name != NULL; row++)
            is_taken |= lt_ascii_compare(row->name, name) == 0;
    for (const lt_aggregate *const *file = lt_aggregate_registry; *file != NULL; file++)
        for (const lt_aggregate *row = *file; row->name != NULL; row++)
            is_taken |= lt_ascii_compare(row->name, name) == 0;
    for (const lt_generator *const *file = lt_generator_registry; *file != NULL; file++)
        for (const lt_generator *row = *file; row->name != NULL; row++)
            is_taken |= lt_ascii_compare(row->name, name) == 0;
    if (!is_taken) return LEAT_OK;
    return lt_raise(err, LT_TABLE_OR_VIEW_ALREADY_EXISTS, NULL, "there is a function `%s` already", name);
}

// The registry and, behind it, every host function that none of equal name and parameters has replaced.
static leat_status registry_make(leat_session *session, const lt_function ***out, leat_error *err) {
    size_t count = 0, at = 0;
    while (lt_function_registry[count] != NULL) count++;
    at = count;
    for (const lt_host_function *host = session->host_functions; host != NULL; host = host->next) count++;
    LT_TRY_NEW_ARRAY(*out, &session->arena, count + 1, err);
    memcpy(*out, lt_function_registry, at * sizeof **out);
    for (const lt_host_function *host = session->host_functions; host != NULL; host = host->next)
        if (!host->is_replaced) (*out)[at++] = host->rows;
    return LEAT_OK;
}

static leat_status function_fill(lt_host_function *self, const leat_function *descriptor, leat_error *err) {
    char *name = lt_arena_text(&self->arena, descriptor->name, strlen(descriptor->name));
    if (name == NULL) return lt_raise_no_memory(err);
    for (char *c = name; *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    self->rows[0] = (lt_function){.name                = name,
                                  .is_null_aware       = true,
                                  .is_host             = true,
                                  .is_nondeterministic = !descriptor->is_deterministic,
                                  .can_fail            = true,
                                  .evaluate            = host_evaluate};
    LT_TRY(signature_parse(self, descriptor->signature, err));
    self->rows[0].returns = self->returns;
    return LEAT_OK;
}

static leat_status function_add(leat_session *session, const leat_function *descriptor, leat_error *err) {
    lt_arena arena;
    lt_arena_init(&arena, &session->account);
    lt_host_function *self = LT_NEW(&arena, lt_host_function);
    if (self == NULL) return lt_raise_no_memory(err);
    *self           = (lt_host_function){.arena = arena, .host = *descriptor, .session = session};
    self->host.name = self->host.signature = NULL; // the caller's, and not needed any more
    leat_status       status               = function_fill(self, descriptor, err);
    lt_host_function *replaced             = NULL;
    for (lt_host_function *old = session->host_functions; status == LEAT_OK && old != NULL; old = old->next)
        if (!old->is_replaced && strcmp(old->rows[0].name, self->rows[0].name) == 0 &&
            memcmp(old->rows[0].takes, self->rows[0].takes, sizeof self->rows[0].takes) == 0)
            replaced = old;
    const lt_function **functions;
    if (replaced != NULL) replaced->is_replaced = true;
    self->next              = session->host_functions;
    session->host_functions = self;
    if (status == LEAT_OK) status = registry_make(session, &functions, err);
    if (status == LEAT_OK) {
        session->functions = functions;
        session->catalog.version++;
        return LEAT_OK;
    }
    if (replaced != NULL) replaced->is_replaced = false;
    session->host_functions = self->next;
    arena                   = self->arena;
    lt_arena_deinit(&arena);
    return status;
}

leat_status leat_function_register(leat_session *session, const leat_function *descriptor, leat_error *err) {
    LT_TRY(lt_session_enter(session, err));
    leat_function own    = {0};
    leat_status   status = LEAT_OK;
    if (descriptor == NULL || descriptor->struct_size < offsetof(leat_function, user) ||
        descriptor->struct_size > sizeof own)
        status = lt_raise(err, LT_MISUSE, NULL, "leat_function.struct_size must be sizeof(leat_function)");
    if (status == LEAT_OK) memcpy(&own, descriptor, descriptor->struct_size);
    if (status == LEAT_OK && (own.name == NULL || own.signature == NULL || own.call == NULL))
        status = lt_raise(err, LT_MISUSE, NULL, "a function needs name, signature and call");
    if (status == LEAT_OK) status = name_check(session, own.name, err);
    if (status == LEAT_OK) status = function_add(session, &own, err);
    lt_session_leave(session);
    return status;
}

void lt_host_functions_close(leat_session *session) {
    while (session->host_functions != NULL) {
        lt_host_function *self  = session->host_functions;
        lt_arena          arena = self->arena;
        session->host_functions = self->next;
        lt_arena_deinit(&arena);
    }
}
