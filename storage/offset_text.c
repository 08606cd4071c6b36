// offset_text: these texts are written by lt_offset_print only, so reading looks for the quoted name and a number.
#include "storage/offset_text.h"

#include <stdio.h>
#include <string.h>

void lt_offset_print(const char *name, int64_t value, char out[LT_OFFSET_TEXT_BYTES]) {
    (void)snprintf(out, LT_OFFSET_TEXT_BYTES, "{\"%.30s\":%lld}", name, (long long)value);
}

int64_t lt_offset_parse(const char *name, const char *text) {
    const char *at = text == NULL ? NULL : strstr(text, name);
    if (at == NULL) return -1;
    at += strlen(name);
    while (*at == '"' || *at == ':' || *at == ' ') at++;
    if (*at < '0' || *at > '9') return -1;
    int64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *at - '0', &value)) return -1;
    return value;
}
