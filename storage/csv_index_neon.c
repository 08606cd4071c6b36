// csv_index for NEON: four registers a step; a mask of 64 bits is folded from byte masks by pairwise additions.
#include "storage/csv_index_step.h"

#if defined(__aarch64__)
#include <arm_neon.h>

void lt_csv_index_run_neon(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count);

static inline uint64_t bits_of(const uint8x16_t text[4], char byte) {
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t     bits = vld1q_u8(places), wanted = vdupq_n_u8((uint8_t)byte);
    uint8x16_t           hits[4];
    for (int i = 0; i < 4; i++) hits[i] = vandq_u8(vceqq_u8(text[i], wanted), bits);
    const uint8x16_t all = vpaddq_u8(vpaddq_u8(hits[0], hits[1]), vpaddq_u8(hits[2], hits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

static inline lt_csv_step step_of(const char *bytes, const lt_csv_index_bytes *of) {
    const uint8x16_t text[4] = {vld1q_u8((const uint8_t *)bytes), vld1q_u8((const uint8_t *)bytes + 16),
                                vld1q_u8((const uint8_t *)bytes + 32), vld1q_u8((const uint8_t *)bytes + 48)};
    return (lt_csv_step){
        .separators = bits_of(text, of->separator),
        .newlines   = bits_of(text, '\n'),
        .returns    = bits_of(text, '\r'),
        .quotes     = of->has_quote ? bits_of(text, of->quote) : 0,
        .escapes    = of->has_escape ? bits_of(text, of->escape) : 0,
    };
}

static inline uint16_t *store(uint16_t *out, uint64_t ends, uint64_t newlines, uint32_t base) {
    return lt_csv_step_store(out, ends, newlines, base);
}

void lt_csv_index_run_neon(lt_csv_index *index, const lt_csv_index_bytes *of, const char *bytes, size_t count) {
    LT_CSV_INDEX_RUN(index, of, bytes, count);
}
#endif
