// lock_text: what stands in ck/lock, so that a second opener can say who holds it.
//
// Threads  any.   Errors  LEAT_IO.
#ifndef LT_STORAGE_CHECKPOINT_LOCK_TEXT_H
#define LT_STORAGE_CHECKPOINT_LOCK_TEXT_H

#include "storage/fs.h"

enum { LT_LOCK_TEXT_BYTES = 512 };

leat_status lt_lock_text_write(lt_file *lock, const char *run, int64_t now_us, leat_error *err);
// In one line, "pid 12, host a, ..."; "an unknown process" if nothing is readable.
void lt_lock_text_read(lt_file *lock, char out_text[LT_LOCK_TEXT_BYTES]);

#endif
