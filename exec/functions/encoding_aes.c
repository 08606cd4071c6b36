// aes_encrypt, aes_decrypt, try_aes_decrypt: AES in the modes GCM (default), CBC and ECB. The initialisation vector
// stands before the text. Source: Spark SQL 4: ExpressionImplUtils.
#include "base/aes.h"
#include "base/ascii.h"
#include "base/function.h"

typedef enum aes_mode { MODE_GCM, MODE_CBC, MODE_ECB } aes_mode;

typedef struct aes_arguments {
    lt_aes       aes; // of `key`, which mostly is that of the row before
    lt_text      key; // .data NULL: none yet
    aes_mode     mode;
    lt_text      text, iv;
    lt_aes_extra extra;
} aes_arguments;

static const uint8_t *bytes_of(lt_text text) { return (const uint8_t *)text.data; }

static bool word_is(lt_text text, const char *word) {
    return strlen(word) == text.bytes && lt_ascii_compare_bytes(text.data, word, text.bytes) == 0;
}

static bool read_mode(lt_text mode, lt_text padding, aes_mode *out) {
    bool is_default = word_is(padding, "DEFAULT");
    *out            = word_is(mode, "ECB") ? MODE_ECB : word_is(mode, "CBC") ? MODE_CBC : MODE_GCM;
    if (*out == MODE_GCM && !word_is(mode, "GCM")) return false;
    return is_default || word_is(padding, *out == MODE_GCM ? "NONE" : "PKCS");
}

// Arguments 0..3 of both directions; `extra_argument` is where additional data may stand.
static leat_status read_arguments(lt_call *call, uint32_t row, uint32_t extra_argument, aes_arguments *out,
                                  leat_error *err) {
    lt_text key     = lt_arg_text(call, 1, row);
    lt_text mode    = call->argument_count > 2 ? lt_arg_text(call, 2, row) : (lt_text){"GCM", 3};
    lt_text padding = call->argument_count > 3 ? lt_arg_text(call, 3, row) : (lt_text){"DEFAULT", 7};
    out->text       = lt_arg_text(call, 0, row);
    out->iv         = (lt_text){"", 0};
    out->extra      = (lt_aes_extra){(const uint8_t *)"", 0};
    const bool is_same =
        out->key.data != NULL && out->key.bytes == key.bytes && memcmp(out->key.data, key.data, key.bytes) == 0;
    out->key = key;
    if (!is_same && !lt_aes_init(&out->aes, bytes_of(key), key.bytes))
        return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__AES_KEY_LENGTH,
                             "a key of AES has 16, 24 or 32 bytes, not %zu", key.bytes);
    if (!read_mode(mode, padding, &out->mode))
        return lt_call_raise(call, err, LT_UNSUPPORTED_FEATURE__AES_MODE,
                             "AES is there in the modes GCM with NONE, CBC with PKCS and ECB with PKCS");
    if (call->argument_count <= extra_argument) return LEAT_OK;
    lt_text extra = lt_arg_text(call, extra_argument, row);
    if (extra.bytes > 0 && out->mode != MODE_GCM)
        return lt_call_raise(call, err, LT_UNSUPPORTED_FEATURE__AES_MODE, "additional data needs the mode GCM");
    out->extra = (lt_aes_extra){bytes_of(extra), extra.bytes};
    return LEAT_OK;
}

static size_t iv_bytes(aes_mode mode) {
    return mode == MODE_ECB ? 0 : mode == MODE_CBC ? LT_AES_BLOCK_BYTES : LT_AES_GCM_IV_BYTES;
}

// splitmix64 over the batch's seed, the place of the call and the row: no vector comes twice under one seed.
static void make_iv(const lt_call *call, uint64_t number, size_t count, uint8_t *out) {
    uint64_t state = call->evaluation->random_seed ^ (uint64_t)(call->place.offset + 1) << 32;
    state += 0x9E3779B97F4A7C15u * (number + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = state += 0x9E3779B97F4A7C15u;
        value          = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
        value          = (value ^ value >> 27) * 0x94D049BB133111EBu;
        out[i]         = (uint8_t)(value ^ value >> 31);
    }
}

static leat_status aes_encrypt_evaluate(lt_call *call, leat_error *err) {
    const uint64_t first = lt_row_count_take(call->state, call);
    aes_arguments  self  = {.key = {.data = NULL}};
    LT_EACH_ROW(call, row) {
        LT_TRY(read_arguments(call, row, 5, &self, err));
        size_t head = iv_bytes(self.mode), written;
        if (call->argument_count > 4) self.iv = lt_arg_text(call, 4, row);
        if (self.iv.bytes > 0 && self.iv.bytes != head)
            return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__AES_IV_LENGTH,
                                 "the initialisation vector has %zu bytes, but the mode wants %zu", self.iv.bytes,
                                 head);
        char *room;
        LT_TRY(lt_call_room(call, head + self.text.bytes + LT_AES_BLOCK_BYTES, &room, err));
        uint8_t *out = (uint8_t *)room;
        if (self.iv.bytes > 0)
            memcpy(out, self.iv.data, head);
        else
            make_iv(call, first + row, head, out);
        if (self.mode == MODE_GCM)
            written = lt_aes_gcm_encrypt(&self.aes, out, self.extra, bytes_of(self.text), self.text.bytes, out + head);
        else
            written = lt_aes_encrypt(&self.aes, self.mode == MODE_CBC ? out : NULL, bytes_of(self.text),
                                     self.text.bytes, out + head);
        lt_call_put_view(call, row, room, head + written);
    }
    return LEAT_OK;
}

static bool decrypt(const aes_arguments *self, uint8_t *out, size_t *out_bytes) {
    size_t head = iv_bytes(self->mode);
    if (self->text.bytes < head) return false;
    const uint8_t *iv = bytes_of(self->text), *cipher = iv + head;
    size_t         count = self->text.bytes - head;
    if (self->mode == MODE_GCM) return lt_aes_gcm_decrypt(&self->aes, iv, self->extra, cipher, count, out, out_bytes);
    return lt_aes_decrypt(&self->aes, self->mode == MODE_CBC ? iv : NULL, cipher, count, out, out_bytes);
}

static leat_status decrypt_rows(lt_call *call, bool is_try, leat_error *err) {
    aes_arguments self = {.key = {.data = NULL}};
    LT_EACH_ROW(call, row) {
        char  *room;
        size_t bytes;
        LT_TRY(read_arguments(call, row, 4, &self, err));
        LT_TRY(lt_call_room(call, self.text.bytes, &room, err));
        if (decrypt(&self, (uint8_t *)room, &bytes))
            lt_call_put_view(call, row, room, bytes);
        else if (is_try)
            LT_TRY(lt_call_put_null(call, row, err));
        else
            return lt_call_raise(call, err, LT_INVALID_PARAMETER_VALUE__AES_CRYPTO_ERROR,
                                 "the bytes were not made with this key and mode; try_aes_decrypt gives NULL instead");
    }
    return LEAT_OK;
}
static leat_status aes_decrypt_evaluate(lt_call *call, leat_error *err) { return decrypt_rows(call, false, err); }
static leat_status try_aes_decrypt_evaluate(lt_call *call, leat_error *err) { return decrypt_rows(call, true, err); }

#define TEXTS LT_TAKES_BINARY, LT_TAKES_BINARY, LT_TAKES_STRING | LT_TAKES_OPTIONAL, LT_TAKES_STRING | LT_TAKES_OPTIONAL

const lt_function lt_functions_encoding_aes[] = {
    {.name                = "aes_encrypt",
     .takes               = {TEXTS, LT_TAKES_BINARY | LT_TAKES_OPTIONAL, LT_TAKES_BINARY | LT_TAKES_OPTIONAL},
     .returns             = LT_BINARY,
     .can_fail            = true,
     .is_nondeterministic = true,
     .state_bytes         = sizeof(lt_row_count),
     .evaluate            = aes_encrypt_evaluate,
     .display             = "$name($1, $2, $3{GCM}, $4{DEFAULT}, $5{}, $6{})",
     .summary = "Bytes encrypted with AES: key, mode (GCM, CBC, ECB), padding, initialisation vector, additional data.",
     .example = "SELECT hex(aes_encrypt('hello', '0000111122223333', 'ECB'))",
     .example_result = "CED6D2C3BC47030E557B33717536FC93"},
    {.name     = "aes_decrypt",
     .takes    = {TEXTS, LT_TAKES_BINARY | LT_TAKES_OPTIONAL},
     .returns  = LT_BINARY,
     .can_fail = true,
     .evaluate = aes_decrypt_evaluate,
     .display  = "$name($1, $2, $3{GCM}, $4{DEFAULT}, $5{})",
     .summary  = "Bytes that aes_encrypt encrypted: key, mode, padding, additional data.",
     .example  = "SELECT CAST(aes_decrypt(X'CED6D2C3BC47030E557B33717536FC93', '0000111122223333', 'ECB') AS STRING)",
     .example_result = "hello"},
    {.name           = "try_aes_decrypt",
     .takes          = {TEXTS, LT_TAKES_BINARY | LT_TAKES_OPTIONAL},
     .returns        = LT_BINARY,
     .can_fail       = true,
     .evaluate       = try_aes_decrypt_evaluate,
     .display        = "$name($1, $2, $3{GCM}, $4{DEFAULT}, $5{})",
     .summary        = "Bytes that aes_encrypt encrypted, or NULL when key or bytes are wrong.",
     .example        = "SELECT try_aes_decrypt(X'00', '0000111122223333', 'ECB')",
     .example_result = "NULL"},
    {0},
};
