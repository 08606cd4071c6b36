// row_store: rows kept as columns: what sort, join and window functions work on. Rows are copied in and numbered from
// 0.
//
// Plain lanes lie in blocks of the account that grow in place where the system can; nested ones and bytes in the arena.
//
// Ownership  owns its lanes and bytes.  Threads  one at a time.  Errors  LEAT_NO_MEMORY, LEAT_LIMIT.  Cost  append O(1)
// a value.
#ifndef LT_EXEC_STATE_ROW_STORE_H
#define LT_EXEC_STATE_ROW_STORE_H

#include "base/vector.h"

typedef struct lt_row_store {
    lt_arena   arena;
    lt_vector *columns; // flat, lanes = count
    uint32_t   column_count;
    int64_t   *places; // by row; NULL: the row's number
    uint32_t   count, places_capacity;
} lt_row_store;

leat_status lt_row_store_init(lt_row_store *store, const lt_type *const *types, uint32_t column_count,
                              lt_account *account, leat_error *err);
// Copies all rows of a chunk, with places (NULL: the row's number here); weights are left out.
leat_status lt_row_store_append(lt_row_store *store, const lt_chunk *chunk, leat_error *err);
// The same for rows `rows` of the chunk.
leat_status lt_row_store_append_rows(lt_row_store *store, const lt_chunk *chunk, const uint16_t *rows, uint32_t count,
                                     leat_error *err);
// *out: rows `rows` of the store as a chunk in `arena` (bytes shared); with places.
leat_status lt_row_store_gather(const lt_row_store *store, const uint32_t *rows, uint32_t count, lt_arena *arena,
                                lt_chunk *out, leat_error *err);
// One column's rows; LT_NO_ROW gives NULL.
enum { LT_NO_ROW = 0xffffffff };
leat_status lt_row_store_gather_column(const lt_vector *column, const uint32_t *rows, uint32_t count, lt_arena *arena,
                                       lt_vector *out, leat_error *err);
void        lt_row_store_deinit(lt_row_store *store);

#endif
