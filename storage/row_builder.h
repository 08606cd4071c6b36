// row_builder: the chunk that a decoder fills row by row and gives to its target when it is full.
//
//     begin -> fill lane `chunk.count` of every column -> keep   (or do not keep: the next row takes the lane)
//
// Texts may be views of the decoder's input; settle copies those that would go stale.
//
// Ownership  owns the chunk and its arena; the target borrows the chunk during give.   Threads  one at a time.
// Errors     those of give; LEAT_NO_MEMORY.    Cost  a chunk's lanes are cleared once per LT_CHUNK_ROWS_MAX rows.
#ifndef LT_STORAGE_ROW_BUILDER_H
#define LT_STORAGE_ROW_BUILDER_H

#include "storage/format.h"

typedef struct lt_row_builder {
    const lt_decode_target *target; // borrows
    const bool *is_read; // by column: the others are NULL in every lane; NULL: the decoder fills all; borrows
    lt_arena    arena;   // of the chunk
    lt_chunk    chunk;   // chunk.count rows are kept
    bool        has_chunk;
    uint32_t    settled; // rows whose texts need nothing but the arena
} lt_row_builder;

void lt_row_builder_init(lt_row_builder *builder, const lt_decode_target *target);
void lt_row_builder_deinit(lt_row_builder *builder);
// Makes the chunk; room for a row is there afterwards. Lanes have values of earlier rows that were not kept.
leat_status               lt_row_builder_start(lt_row_builder *builder, leat_error *err);
static inline leat_status lt_row_builder_begin(lt_row_builder *builder, leat_error *err) {
    return builder->has_chunk ? LEAT_OK : lt_row_builder_start(builder, err);
}
leat_status lt_row_builder_give(lt_row_builder *builder, leat_error *err); // also a chunk that is not full
static inline leat_status lt_row_builder_keep(lt_row_builder *builder, leat_error *err) {
    return ++builder->chunk.count == LT_CHUNK_ROWS_MAX ? lt_row_builder_give(builder, err) : LEAT_OK;
}
// Keeps a row whose texts may lie in [start, end), which is about to go: copies them.
leat_status lt_row_builder_keep_copied(lt_row_builder *builder, const char *start, const char *end, leat_error *err);
// The input [start, end) is about to go: gives the chunk if it has many rows or long texts, else copies the
// texts that lie there.
leat_status lt_row_builder_settle(lt_row_builder *builder, const char *start, const char *end, leat_error *err);

#endif
