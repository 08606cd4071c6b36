// line_splitter: bytes in any cuts -> whole lines, the same lines for every cut.
//
//     feed("a\nb") -> next: a    feed("c\r\n", end) -> next: bc       ends of lines: \n, \r\n, \r, or one given
//     separator
//
// The last line needs no end; text that ends with a separator has no empty line behind it. A UTF-8 byte order mark at
// the start is left out.
//
// Ownership  a line borrows the fed bytes, or the splitter's buffer when it was cut; valid until the next call.
// Threads    one at a time.   Limits  a cut line of at most LT_LINE_BYTES_MAX bytes: LEAT_LIMIT.
// Cost       each byte is looked at once, also of lines that are fed byte by byte.
#ifndef LT_STORAGE_LINE_SPLITTER_H
#define LT_STORAGE_LINE_SPLITTER_H

#include "base/buffer.h"

#define LT_LINE_BYTES_MAX ((size_t)256 * 1024 * 1024)

typedef struct lt_line {
    const char *text; // without its end
    size_t      bytes;
    uint64_t    number; // from 1
    uint64_t    offset; // of its first byte in the file
    bool        is_fed; // text lies in the fed bytes
} lt_line;

typedef struct lt_line_splitter {
    const char *separator; // NULL: \n, \r\n and \r
    size_t      separator_bytes;
    lt_buffer   carry;            // start of a line that was cut
    const char *fed, *next, *end; // the fed bytes are [fed, end)
    bool        is_end;           // the fed bytes are the last
    bool        has_carry_line;   // the carry was given as a line and is dropped by the next call
    bool        skips_line_feed;  // the last line ended in \r: a \n that follows belongs to it
    bool        may_have_returns; // the fed bytes have a \r somewhere, or nobody looked yet
    uint32_t    ends_found;       // of lines in the fed bytes
    bool        is_start_checked; // for the byte order mark
    uint64_t    number;           // lines given so far
    uint64_t    offset;           // of `next` in the file
} lt_line_splitter;

// `separator` is borrowed; NULL for the usual ends.
void lt_line_splitter_init(lt_line_splitter *splitter, lt_account *account, const char *separator);
void lt_line_splitter_begin(lt_line_splitter *splitter); // a new file
// A part of a file that starts at `offset` > 0, behind an end of line: no byte order mark, lines from 1.
void lt_line_splitter_begin_part(lt_line_splitter *splitter, uint64_t offset);
void lt_line_splitter_feed(lt_line_splitter *splitter, const char *bytes, size_t count, bool is_end);
// *out_has_line false: feed more.
leat_status lt_line_splitter_next(lt_line_splitter *splitter, lt_line *out_line, bool *out_has_line, leat_error *err);
// True when `next` is the first byte of a line whose text is not cut so far: a decoder may read there by itself, once it
// is done with the last line.
static inline bool lt_line_splitter_is_at_start(const lt_line_splitter *splitter) {
    return (splitter->carry.bytes == 0 || splitter->has_carry_line) && !splitter->skips_line_feed &&
           splitter->is_start_checked && splitter->separator == NULL;
}
// The decoder took `count` lines by itself, the last of which ended at `next` (behind its end of line).
static inline void lt_line_splitter_take_lines(lt_line_splitter *splitter, const char *next, uint32_t count) {
    splitter->offset += (uint64_t)(next - splitter->next);
    splitter->next = next;
    splitter->number += count;
}
static inline void lt_line_splitter_take(lt_line_splitter *splitter, const char *next) {
    lt_line_splitter_take_lines(splitter, next, 1);
}
void lt_line_splitter_deinit(lt_line_splitter *splitter);

#endif
