// file_morsel: parts of the files of a batch that threads read apart from each other, and a reader of them.
//
//     a.json, 700 KiB      [0, 256 K) [256 K, 512 K) [512 K, 700 K)     the records that start there
//     b.json, c.json, ...  [b c d]                                      small files together, each whole
//
// The rows of the morsels in order are the rows of the files in order, whatever the cut.
//
// Ownership  a morsel borrows the files of the source; a reader owns its decoder and buffers until deinit.
// Threads    a reader one at a time; several readers at once.
// Limits     a record that starts in a morsel is held in memory whole, at most LT_LINE_BYTES_MAX bytes of it: LEAT_LIMIT.
// Errors     those of the file reader and of the format. A bad record's line counts from the start of the morsel's
//            bytes where these start inside of a file; the caller, who knows what came before, adds the lines before.
#ifndef LT_STORAGE_FILE_MORSEL_H
#define LT_STORAGE_FILE_MORSEL_H

#include "storage/connector.h"
#include "storage/file_reader.h"

enum { LT_MORSEL_BYTES = 256 * 1024 };

typedef struct lt_file_morsel {
    const lt_seen_file *files; // borrows; of one folder where setup->reads_partitions
    uint32_t            file_count;
    uint64_t            begin, end; // of files[0], when file_count is 1
    bool                is_part;    // of a plain file that is cut; else whole files
} lt_file_morsel;

// What is known when a morsel was read.
typedef struct lt_file_morsel_facts {
    uint64_t lines;         // of a part
    bool     is_header_due; // a part at the start of a file that has no record: its header is in a later one
    bool     is_unfit;      // whole files that are compressed: nothing was read; lt_file_morsel_stream reads them
} lt_file_morsel_facts;

typedef struct lt_file_morsel_reader {
    const lt_source_setup  *setup;  // borrows
    const lt_decode_target *target; // borrows
    lt_arena                arena;
    void                   *decoder;
    lt_buffer               bytes; // of a part that is streamed
    lt_file_reader          files;
    lt_file                 file;      // of the last part, still open
    const lt_seen_file     *file_read; // whose it is
    bool                    ignores_missing, ignores_corrupt, is_decoder_open;
} lt_file_morsel_reader;

// Whether a file is cut or read whole is seen from its format, options and first bytes. `morsel_bytes` > 0.
leat_status lt_file_morsels_cut(const lt_source_setup *setup, const lt_seen_file *files, size_t file_count,
                                uint64_t morsel_bytes, lt_arena *arena, lt_file_morsel **out_morsels, size_t *out_count,
                                leat_error *err);

// `target` takes the rows of this reader, in the place of the setup's. Deinit also after a failed init.
leat_status lt_file_morsel_reader_init(lt_file_morsel_reader *reader, const lt_source_setup *setup,
                                       const lt_decode_target *target, leat_error *err);
// Decodes a morsel, the last chunk included. Texts of the rows may be views of `bytes`, which the caller keeps as long
// as the rows. LEAT_DONE of the target ends it.
leat_status lt_file_morsel_read(lt_file_morsel_reader *reader, const lt_file_morsel *morsel, lt_buffer *bytes,
                                lt_file_morsel_facts *out_facts, leat_error *err);
// The same for any files and with rows that are used up inside of the target: memory does not grow with the morsel.
// is_header_due: as the facts of the part before say.
leat_status lt_file_morsel_stream(lt_file_morsel_reader *reader, const lt_file_morsel *morsel, bool is_header_due,
                                  lt_file_morsel_facts *out_facts, leat_error *err);
// Closes the file that is kept open for the next part of it; due before the files of another batch are read.
void lt_file_morsel_reader_rest(lt_file_morsel_reader *reader);
void lt_file_morsel_reader_deinit(lt_file_morsel_reader *reader);

// Decodes a file of a source from start to end.
leat_status lt_file_decode(lt_file_reader *reader, const lt_source_setup *setup, const lt_seen_file *file,
                           void *decoder, bool ignores_corrupt, leat_error *err);
// Ends the read of a decoder that gave `status`, with flush. Rows before a bad record go on their way first, so that
// what fails first in the order of rows is what is told.
leat_status lt_file_decode_end(const lt_format *format, void *decoder, leat_status status, leat_error *err);

#endif
