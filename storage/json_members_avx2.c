// json_members for AVX2 and BMI: a name is one comparison of 32 bytes.
#include "storage/json_members_loop.h"

#if defined(__AVX2__)
uint32_t lt_json_members_locate_avx2(lt_json_members *self, lt_json_lanes *lanes, const lt_json_piece *piece,
                                     lt_json_places *places, uint32_t *cursor, uint32_t start, uint32_t rows_max) {
    return members_locate(self, lanes, piece, places, cursor, start, rows_max);
}
#endif
