// json_nested: an object or array within a row of JSON Lines that nobody reads, judged from the places of its quotes.
//
//     {"k":[1,"a}"]},...    texts are leapt over from quote to quote; what is between them is looked at byte by byte
//
// Takes only what the JSON reader would call good; what it leaves (single quotes, NaN, 64 brackets and more) is not bad
// for that.
//
// Ownership  borrows everything.   Threads  one at a time.   Limits  LT_JSON_NESTED_DEPTH open brackets.
// Errors     none.                 Cost     1 to 3 ns a token.
#ifndef LT_STORAGE_JSON_NESTED_H
#define LT_STORAGE_JSON_NESTED_H

#include "storage/json_lanes.h"

enum { LT_JSON_NESTED_DEPTH = 64 };

// Behind the object or array at `start`; 0: left to the reader. `*cursor`: of the first quote or newline from `start`
// on; moved behind its quotes. No byte behind position `limit` is read.
uint32_t lt_json_nested_end(lt_json_lanes *lanes, const lt_json_piece *piece, uint32_t start, uint32_t limit,
                            uint32_t *cursor);

#endif
