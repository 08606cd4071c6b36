// json_index for NEON: four registers a step; a mask of 64 bits is folded from byte masks by pairwise additions.
#include "storage/json_index_step.h"

#if defined(__aarch64__)
#include <arm_neon.h>

void lt_json_index_run_neon(lt_json_index *index, const char *bytes, size_t count);

static inline uint64_t bits_of(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t     bits       = vld1q_u8(places);
    const uint8x16_t     low        = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
    const uint8x16_t     high       = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
    const uint8x16_t     all        = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

static inline lt_json_step step_of(const char *bytes) {
    const uint8x16_t a = vld1q_u8((const uint8_t *)bytes), b = vld1q_u8((const uint8_t *)bytes + 16);
    const uint8x16_t c = vld1q_u8((const uint8_t *)bytes + 32), d = vld1q_u8((const uint8_t *)bytes + 48);
    const uint8x16_t quote = vdupq_n_u8('"'), newline = vdupq_n_u8('\n'), backslash = vdupq_n_u8('\\');
    const int8x16_t  blank       = vdupq_n_s8(0x20);
    const uint8x16_t newlines[4] = {vceqq_u8(a, newline), vceqq_u8(b, newline), vceqq_u8(c, newline),
                                    vceqq_u8(d, newline)};
    // As signed numbers, control bytes and bytes from 0x80 up are the ones below a blank.
    const uint8x16_t outside = vorrq_u8(vorrq_u8(vbicq_u8(vcltq_s8(vreinterpretq_s8_u8(a), blank), newlines[0]),
                                                 vbicq_u8(vcltq_s8(vreinterpretq_s8_u8(b), blank), newlines[1])),
                                        vorrq_u8(vbicq_u8(vcltq_s8(vreinterpretq_s8_u8(c), blank), newlines[2]),
                                                 vbicq_u8(vcltq_s8(vreinterpretq_s8_u8(d), blank), newlines[3])));
    lt_json_step     step    = {
               .ends = bits_of(vorrq_u8(vceqq_u8(a, quote), newlines[0]), vorrq_u8(vceqq_u8(b, quote), newlines[1]),
                               vorrq_u8(vceqq_u8(c, quote), newlines[2]), vorrq_u8(vceqq_u8(d, quote), newlines[3])),
               .backslashes =
                   bits_of(vceqq_u8(a, backslash), vceqq_u8(b, backslash), vceqq_u8(c, backslash), vceqq_u8(d, backslash)),
    };
    step.careful = vmaxvq_u8(outside) | step.backslashes;
    return step;
}

void lt_json_index_run_neon(lt_json_index *index, const char *bytes, size_t count) {
    lt_json_index_run(index, bytes, count, step_of, lt_json_step_store);
}
#endif
