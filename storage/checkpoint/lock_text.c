#include "storage/checkpoint/lock_text.h"

#include "storage/fs_posix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

leat_status lt_lock_text_write(lt_file *lock, const char *run, int64_t now_us, leat_error *err) {
    char       text[LT_LOCK_TEXT_BYTES];
    lt_process self;
    struct tm  parts   = {0};
    time_t     seconds = (time_t)(now_us / 1000000);
    lt_process_self(&self);
    gmtime_r(&seconds, &parts);
    int bytes =
        snprintf(text, sizeof text, "pid %" PRIu64 "\nhost %s\nsince %04d-%02d-%02dT%02d:%02d:%02dZ\nboot %s\nrun %s\n",
                 self.process_id, self.host, parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                 parts.tm_min, parts.tm_sec, self.boot_id, run);
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
