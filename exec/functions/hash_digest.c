// Checksums and cryptographic digests of bytes. Source: Spark SQL 4; base/digest.h names the standards.
#include "base/ascii.h"
#include "base/digest.h"
#include "base/function.h"

// Eight digits a step: a nibble beyond nine is as much further on as letters are behind digits.
static size_t print_hex(const uint8_t *bytes, size_t count, char *out) {
    const uint64_t each = 0x0101010101010101u;
    lt_assert(count % 4 == 0);
    for (size_t i = 0; i < count; i += 4) {
        uint64_t nibbles = 0, text;
        for (uint32_t k = 0; k < 4; k++)
            nibbles |= ((uint64_t)(bytes[i + k] >> 4) | (uint64_t)(bytes[i + k] & 15) << 8) << 16 * k;
        text = nibbles + '0' * each + ((nibbles + 6 * each) >> 4 & each) * ('a' - '0' - 10);
        for (uint32_t k = 0; k < 8; k++) out[2 * i + k] = (char)(text >> 8 * k);
    }
    return 2 * count;
}

static leat_status put_digest(lt_call *call, uint32_t row, lt_digest_kind kind, leat_error *err) {
    lt_digest digest;
    uint8_t   bytes[LT_DIGEST_BYTES_MAX];
    char      text[2 * LT_DIGEST_BYTES_MAX];
    lt_text   input = lt_arg_text(call, 0, row);
    lt_digest_init(&digest, kind);
    lt_digest_update(&digest, input.data, input.bytes);
    size_t count = lt_digest_finish(&digest, bytes);
    return lt_call_put_text(call, row, text, print_hex(bytes, count, text), err);
}

static leat_status md5_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) LT_TRY(put_digest(call, row, LT_MD5, err));
    return LEAT_OK;
}
static leat_status sha1_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) LT_TRY(put_digest(call, row, LT_SHA1, err));
    return LEAT_OK;
}

static leat_status sha2_evaluate(lt_call *call, leat_error *err) {
    LT_EACH_ROW(call, row) {
        switch (LT_ARG(call, 1, int32_t, row)) {
        case 224:
            LT_TRY(put_digest(call, row, LT_SHA224, err));
            break;
        case 0:
        case 256:
            LT_TRY(put_digest(call, row, LT_SHA256, err));
            break;
        case 384:
            LT_TRY(put_digest(call, row, LT_SHA384, err));
            break;
        case 512:
            LT_TRY(put_digest(call, row, LT_SHA512, err));
            break;
        default:
            LT_TRY(lt_call_put_null(call, row, err));
            break;
        }
    }
    return LEAT_OK;
}

static leat_status crc32_evaluate(lt_call *call, leat_error *err) {
    (void)err;
    LT_EACH_ROW(call, row) {
        lt_text input                        = lt_arg_text(call, 0, row);
        LT_LANES(call->result, int64_t)[row] = lt_crc32(input.data, input.bytes);
    }
    return LEAT_OK;
}

static leat_status hmac_kind(lt_call *call, uint32_t row, lt_digest_kind *out, leat_error *err) {
    static const struct {
        const char    *name;
        lt_digest_kind kind;
    } rows[] = {{"MD5", LT_MD5},        {"SHA1", LT_SHA1},     {"SHA-1", LT_SHA1},     {"SHA224", LT_SHA224},
                {"SHA-224", LT_SHA224}, {"SHA256", LT_SHA256}, {"SHA-256", LT_SHA256}, {"SHA384", LT_SHA384},
                {"SHA-384", LT_SHA384}, {"SHA512", LT_SHA512}, {"SHA-512", LT_SHA512}};
    *out     = LT_SHA256;
    if (call->argument_count < 3) return LEAT_OK;
    lt_text name = lt_arg_text(call, 2, row);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != name.bytes || lt_ascii_compare_bytes(rows[i].name, name.data, name.bytes) != 0)
            continue;
        *out = rows[i].kind;
        return LEAT_OK;
    }
    return lt_call_raise(call, err, LT_FAILED_FUNCTION_CALL, "hmac knows MD5, SHA1, SHA224, SHA256, SHA384 and SHA512");
}

// Rows mostly have the key of the row before.
static leat_status hmac_evaluate(lt_call *call, leat_error *err) {
    lt_hmac_key taken;
    lt_text     last = {.data = NULL};
    LT_EACH_ROW(call, row) {
        lt_digest_kind kind;
        uint8_t        bytes[LT_DIGEST_BYTES_MAX];
        lt_text        key = lt_arg_text(call, 0, row), message = lt_arg_text(call, 1, row);
        LT_TRY(hmac_kind(call, row, &kind, err));
        if (last.data == NULL || taken.inner.kind != kind || last.bytes != key.bytes ||
            memcmp(last.data, key.data, key.bytes) != 0) {
            lt_hmac_key_init(&taken, kind, key.data, key.bytes);
            last = key;
        }
        size_t count = lt_hmac_of(&taken, message.data, message.bytes, bytes);
        LT_TRY(lt_call_put_text(call, row, (const char *)bytes, count, err));
    }
    return LEAT_OK;
}

#define DIGEST(function, run, text, sample, answer)                                                                    \
    {                                                                                                                  \
        .name = function, .takes = {LT_TAKES_BINARY}, .returns = LT_STRING, .evaluate = run, .summary = text,          \
        .example = sample, .example_result = answer                                                                    \
    }

const lt_function lt_functions_hash_digest[] = {
    DIGEST("md5", md5_evaluate, "MD5 digest in hexadecimal digits.", "SELECT md5('abc')",
           "900150983cd24fb0d6963f7d28e17f72"),
    DIGEST("sha", sha1_evaluate, "SHA-1 digest in hexadecimal digits.", "SELECT sha('abc')",
           "a9993e364706816aba3e25717850c26c9cd0d89d"),
    DIGEST("sha1", sha1_evaluate, "SHA-1 digest in hexadecimal digits.", "SELECT sha1('abc')",
           "a9993e364706816aba3e25717850c26c9cd0d89d"),
    {.name     = "sha2",
     .takes    = {LT_TAKES_BINARY, LT_TAKES_INT},
     .returns  = LT_STRING,
     .evaluate = sha2_evaluate,
     .summary  = "SHA-2 digest of 224, 256 (also 0), 384 or 512 bits in hexadecimal digits; NULL for other sizes.",
     .example  = "SELECT sha2('abc', 224)",
     .example_result = "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {.name           = "crc32",
     .takes          = {LT_TAKES_BINARY},
     .returns        = LT_BIGINT,
     .evaluate       = crc32_evaluate,
     .summary        = "CRC-32 checksum.",
     .example        = "SELECT crc32('abc')",
     .example_result = "891568578"},
    {.name           = "hmac",
     .takes          = {LT_TAKES_BINARY, LT_TAKES_BINARY, LT_TAKES_STRING | LT_TAKES_OPTIONAL},
     .returns        = LT_BINARY,
     .can_fail       = true,
     .evaluate       = hmac_evaluate,
     .display        = "$name($1, $2, $3{SHA-256})",
     .summary        = "Keyed digest of a message, by default with SHA-256.",
     .example        = "SELECT hex(hmac('k', 'message'))",
     .example_result = "9831A5AFEFA770D5FE6C985F6C343796CA3D27651D69E24864F1F9948DEBFACF"},
    {0},
};
