// scan: the fixed piece of work by which a round is judged: does the machine run as it did a moment ago?
//
//     scan CORE      prints its CPU seconds for each line on standard input
//
// It adds up and mixes 32 MiB of memory, so that both a slower core and a busier memory show.
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORDS = 4 << 20, PASSES = 6 };

static double seconds_cpu(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t words_scan(const uint64_t *words) {
    uint64_t sum = 0;
    for (size_t pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < WORDS; i++) sum = (sum ^ words[i]) * 0x9E3779B97F4A7C15U + pass;
    return sum;
}

int main(int argument_count, char **arguments) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (argument_count != 2) return 2;
    CPU_SET(strtoul(arguments[1], NULL, 10), &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) != 0) return perror("scan"), 1;
    uint64_t *words = malloc(WORDS * sizeof *words);
    if (words == NULL) return 1;
    for (size_t i = 0; i < WORDS; i++) words[i] = i * i;
    volatile uint64_t kept = 0;
    char              line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        double begin = seconds_cpu();
        kept         = kept + words_scan(words);
        printf("%.6f\n", seconds_cpu() - begin);
        fflush(stdout);
    }
    free(words);
    return 0;
}
