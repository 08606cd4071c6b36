// process: runs one command on given cores and says what it took, as a process of its own.
//
//     process CORE[,CORE] RESULT COMMAND [ARGUMENT]...
//
// RESULT gets one line `EXIT WALL CPU PEAK_BYTES`: exit code (128 + signal), wall and CPU (user + system) seconds, and the
// largest resident memory. This program is small on purpose: the kernel counts the memory of the one who starts a process
// into the peak of what it starts.
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

static int cores_set(const char *list) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (char *end; *list != '\0'; list = *end == ',' ? end + 1 : end) {
        unsigned long core = strtoul(list, &end, 10);
        if (end == list || core >= CPU_SETSIZE) return EINVAL;
        CPU_SET(core, &cores);
    }
    return sched_setaffinity(0, sizeof cores, &cores);
}

int main(int argument_count, char **arguments) {
    if (argument_count < 4 || cores_set(arguments[1]) != 0) {
        fputs("usage: process CORE[,CORE] RESULT COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    double begin = seconds_wall();
    pid_t  child = fork();
    if (child < 0) return perror("fork"), 1;
    if (child == 0) {
        execvp(arguments[3], arguments + 3);
        fprintf(stderr, "process: %s: %s\n", arguments[3], strerror(errno));
        _exit(127);
    }
    int           status = 0;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child) return perror("wait4"), 1;
    double wall   = seconds_wall() - begin;
    FILE  *result = fopen(arguments[2], "w");
    if (result == NULL) return perror(arguments[2]), 1;
    fprintf(result, "%d %.6f %.6f %lld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), wall,
            seconds_of(used.ru_utime) + seconds_of(used.ru_stime), (long long)used.ru_maxrss * 1024);
    return fclose(result) == 0 ? 0 : 1;
}
