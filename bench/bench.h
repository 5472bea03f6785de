/* bench.h - what the benchmarks share: times, where real data is, one line per figure. */
#ifndef MAREY_BENCH_H
#define MAREY_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double bench_wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline const char *bench_mocap_folder(void)
{
    const char *folder = getenv("MAREY_MOCAP");
    return folder && *folder ? folder : "../shared/mocap";
}

/* asked == 0: no figure is asked for, the line is for comparison only. */
static inline void bench_figure(const char *what, double value, const char *unit, double asked,
                                bool at_least)
{
    printf("%-44s %10.4g %-18s", what, value, unit);
    if (asked > 0) {
        bool met = at_least ? value >= asked : value <= asked;
        printf(" asked %s %g: %s", at_least ? ">=" : "<=", asked, met ? "met" : "NOT MET");
    }
    printf("\n");
}

#endif
