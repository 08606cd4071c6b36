// digest: what the lines of a file come to, whatever their order.
//
//     digest FILE      prints `LINES SUM`: the sum of a 64-bit hash of each line, in hexadecimal
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

int main(int argument_count, char **arguments) {
    FILE *file = argument_count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        fputs("usage: digest FILE\n", stderr);
        return 2;
    }
    static char buffer[1 << 18];
    uint64_t    lines = 0, sum = 0, hash = 0;
    size_t      bytes, in_line = 0;
    while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0)
        for (size_t i = 0; i < bytes; i++) {
            if (buffer[i] != '\n') {
                hash = (hash ^ (unsigned char)buffer[i]) * 0x9E3779B97F4A7C15U;
                hash ^= hash >> 32;
                in_line++;
                continue;
            }
            sum += mix(hash + in_line);
            lines++;
            hash    = 0;
            in_line = 0;
        }
    int failed = ferror(file);
    fclose(file);
    if (in_line > 0) sum += mix(hash + in_line), lines++;
    printf("%" PRIu64 " %016" PRIx64 "\n", lines, sum);
    return failed ? 1 : 0;
}
