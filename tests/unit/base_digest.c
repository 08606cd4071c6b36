// digest: MD5, SHA-1, SHA-2 and CRC-32, cut into pieces of any size. Values of RFC 1321, FIPS 180-4 and RFC 4231.
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const two_blocks =
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

static void hex_of(const uint8_t *bytes, size_t count, char *out) {
    for (size_t i = 0; i < count; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static void assert_digest(lt_digest_kind kind, const char *text, const char *wanted) {
    for (size_t piece = 1; piece <= 130; piece += 43) {
        lt_digest digest;
        uint8_t   bytes[LT_DIGEST_BYTES_MAX];
        char      hex[2 * LT_DIGEST_BYTES_MAX + 1] = "";
        lt_digest_init(&digest, kind);
        for (size_t at = 0; at < strlen(text); at += piece)
            lt_digest_update(&digest, text + at, strlen(text) - at < piece ? strlen(text) - at : piece);
        hex_of(bytes, lt_digest_finish(&digest, bytes), hex);
        assert_string_equal(hex, wanted);
    }
}

static void digests_are_those_of_the_standards(void **state) {
    (void)state;
    assert_digest(LT_MD5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    assert_digest(LT_MD5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                  "57edf4a22be3c955ac49da2e2107b67a");
    assert_digest(LT_SHA1, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    assert_digest(LT_SHA224, "abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    assert_digest(LT_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest(LT_SHA384, two_blocks,
                  "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039");
    assert_digest(LT_SHA512, two_blocks,
                  "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433a"
                  "c7d329eeb6dd26545e96e55b874be909");
    assert_int_equal(lt_crc32("123456789", 9), 0xCBF43926);
}

static void a_long_key_is_hashed_first(void **state) {
    (void)state;
    uint8_t key[131], bytes[LT_DIGEST_BYTES_MAX];
    char    hex[2 * LT_DIGEST_BYTES_MAX + 1];
    memset(key, 0xAA, sizeof key);
    const char *message = "Test Using Larger Than Block-Size Key - Hash Key First";
    hex_of(bytes, lt_hmac(LT_SHA256, key, sizeof key, message, strlen(message), bytes), hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standards),
        cmocka_unit_test(a_long_key_is_hashed_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
