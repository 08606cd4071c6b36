#include "storage/checkpoint/lock_text.h"

#include "base/date.h"
#include "storage/fs_posix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

leat_status lt_lock_text_write(lt_file *lock, const char *run, int64_t now_us, leat_error *err) {
    char          text[LT_LOCK_TEXT_BYTES];
    lt_process    self;
    int64_t       seconds = lt_floor_div(now_us, 1000000);
    lt_civil_date day     = lt_civil_from_days(lt_floor_div(seconds, 86400));
    int32_t       second  = (int32_t)lt_floor_mod(seconds, 86400);
    lt_process_self(&self);
    int bytes = snprintf(text, sizeof text,
                         "pid %" PRIu64 "\nhost %s\nsince %04" PRId64 "-%02d-%02dT%02d:%02d:%02dZ\nboot %s\nrun %s\n",
                         self.process_id, self.host, day.year, (int)day.month, (int)day.day, (int)(second / 3600),
                         (int)(second / 60 % 60), (int)(second % 60), self.boot_id, run);
    if (bytes < 0 || (size_t)bytes >= sizeof text) return lt_raise(err, LT_INTERNAL_ERROR, NULL, "a lock's text");
    LT_TRY(lt_file_truncate(lock, 0, err));
    return lt_file_write(lock, 0, text, (size_t)bytes, err);
}

void lt_lock_text_read(lt_file *lock, char out_text[LT_LOCK_TEXT_BYTES]) {
    size_t count = 0;
    if (lt_file_read(lock, 0, out_text, LT_LOCK_TEXT_BYTES / 2 - 1, &count, NULL) != LEAT_OK) count = 0;
    out_text[count] = '\0';
    while (count > 0 && out_text[count - 1] == '\n') out_text[--count] = '\0';
    // Only the first three lines tell something to people; the text is foreign, so control characters go.
    size_t lines = 0;
    for (size_t i = 0; i < count; i++) {
        if (out_text[i] == '\n' && ++lines == 3) out_text[i] = '\0';
        if (out_text[i] == '\n') out_text[i] = ',';
        if ((unsigned char)out_text[i] < 0x20) {
            out_text[i] = '\0';
            break;
        }
    }
    if (out_text[0] == '\0') snprintf(out_text, LT_LOCK_TEXT_BYTES, "an unknown process");
}
