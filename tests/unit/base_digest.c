// digest: MD5, SHA-1, SHA-2 and CRC-32, cut into pieces of any size. Values of RFC 1321, FIPS 180-4 and RFC 4231.
#include "base/aes.h"
#include "base/digest.h"
#include "base/digest_block.h"

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
    static const struct {
        lt_digest_kind kind;
        const char    *wanted;
    } rows[] = {
        {LT_MD5, "bfecaf4efff90a3a668f3922fec3762d"},
        {LT_SHA1, "90d0dace1c1bdc957339307803160335bde6df2b"},
        {LT_SHA224, "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"},
        {LT_SHA256, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {LT_SHA384, "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952"},
        {LT_SHA512, "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e52"
                    "95e64f73f63f0aec8b915a985d786598"},
    };
    const char *message = "Test Using Larger Than Block-Size Key - Hash Key First";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t key[131], bytes[LT_DIGEST_BYTES_MAX];
        char    hex[2 * LT_DIGEST_BYTES_MAX + 1];
        memset(key, 0xAA, sizeof key);
        hex_of(bytes, lt_hmac(rows[i].kind, key, sizeof key, message, strlen(message), bytes), hex);
        assert_string_equal(hex, rows[i].wanted);
    }
}

static uint8_t random_byte(uint64_t *random) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint8_t)(*random >> 56);
}

static void instructions_and_portable_c_give_the_same_blocks(void **state) {
    (void)state;
    uint64_t random = 11;
    for (uint32_t round = 0; round < 2000 && lt_has_sha_ni(); round++) {
        uint8_t  block[64];
        uint32_t words[2][8];
        for (size_t i = 0; i < sizeof block; i++) block[i] = random_byte(&random);
        for (size_t i = 0; i < 8; i++) words[0][i] = words[1][i] = (uint32_t)random_byte(&random) * 0x01234567u;
        lt_sha256_block_ni(words[0], block);
        lt_sha256_block_portable(words[1], block);
        assert_memory_equal(words[0], words[1], sizeof words[0]);
        lt_sha1_block_ni(words[0], block);
        lt_sha1_block_portable(words[1], block);
        assert_memory_equal(words[0], words[1], sizeof words[0]);
    }
}

static void aes_is_the_same_by_instructions_and_by_tables(void **state) {
    (void)state;
    uint64_t random = 13;
    for (uint32_t round = 0; round < 2000; round++) {
        uint8_t      bytes[100], key[32], iv[LT_AES_BLOCK_BYTES], out[2][128], back[2][128];
        size_t       count = round % 80, written[2], read;
        lt_aes       aes[2];
        lt_aes_extra extra = {key, round % 33};
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = random_byte(&random);
        for (size_t i = 0; i < sizeof key; i++) key[i] = random_byte(&random);
        for (size_t i = 0; i < sizeof iv; i++) iv[i] = random_byte(&random);
        for (size_t i = 0; i < 2; i++) {
            assert_true(lt_aes_init(&aes[i], key, 16 + 8 * (round % 3)));
            if (i == 1) aes[i].has_ni = false;
            written[i] = lt_aes_encrypt(&aes[i], round % 2 == 0 ? iv : NULL, bytes, count, out[i]);
            assert_true(lt_aes_decrypt(&aes[i], round % 2 == 0 ? iv : NULL, out[i], written[i], back[i], &read));
            assert_int_equal(read, count);
            assert_memory_equal(back[i], bytes, count);
        }
        assert_int_equal(written[0], written[1]);
        assert_memory_equal(out[0], out[1], written[0]);
        for (size_t i = 0; i < 2; i++) {
            written[i] = lt_aes_gcm_encrypt(&aes[i], iv, extra, bytes, count, out[i]);
            assert_true(lt_aes_gcm_decrypt(&aes[i], iv, extra, out[i], written[i], back[i], &read));
            assert_memory_equal(back[i], bytes, count);
        }
        assert_memory_equal(out[0], out[1], written[0]);
        out[0][round % written[0]] ^= 1;
        assert_false(lt_aes_gcm_decrypt(&aes[0], iv, extra, out[0], written[0], back[0], &read));
    }
}

// Test case 4 of McGrew and Viega, The Galois/Counter Mode of Operation, appendix B.
static void a_tag_of_gcm_is_that_of_its_authors(void **state) {
    (void)state;
    static const uint8_t key[]   = {0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
                                    0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
    static const uint8_t iv[]    = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce, 0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
    static const uint8_t text[]  = {0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5,
                                    0xaf, 0xf5, 0x26, 0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda,
                                    0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31, 0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95,
                                    0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49, 0xa6, 0xb5, 0x25,
                                    0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
    static const uint8_t extra[] = {0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xfe, 0xed,
                                    0xfa, 0xce, 0xde, 0xad, 0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
    static const uint8_t tag[]   = {0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb,
                                    0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};
    lt_aes               aes;
    uint8_t              out[sizeof text + LT_AES_TAG_BYTES];
    assert_true(lt_aes_init(&aes, key, sizeof key));
    assert_int_equal(lt_aes_gcm_encrypt(&aes, iv, (lt_aes_extra){extra, sizeof extra}, text, sizeof text, out),
                     sizeof out);
    assert_memory_equal(out + sizeof text, tag, sizeof tag);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standards),
        cmocka_unit_test(a_long_key_is_hashed_first),
        cmocka_unit_test(instructions_and_portable_c_give_the_same_blocks),
        cmocka_unit_test(aes_is_the_same_by_instructions_and_by_tables),
        cmocka_unit_test(a_tag_of_gcm_is_that_of_its_authors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
