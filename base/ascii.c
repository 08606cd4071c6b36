#include "base/ascii.h"

#include <stdint.h>

int lt_ascii_compare(const char *a, const char *b) { return lt_ascii_compare_bytes(a, b, SIZE_MAX); }

int lt_ascii_compare_bytes(const char *a, const char *b, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        int difference = (unsigned char)lt_ascii_lower(a[i]) - (unsigned char)lt_ascii_lower(b[i]);
        if (difference != 0 || a[i] == '\0') return difference;
    }
    return 0;
}

bool lt_ascii_equal(const char *a, const char *b, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (lt_ascii_lower(a[i]) != lt_ascii_lower(b[i])) return false;
    return true;
}
