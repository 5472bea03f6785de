/* clock.h - the clock that never goes back, for time limits and for how long something took. */
#ifndef MRY_CLOCK_H
#define MRY_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Only differences mean something. */
static inline int64_t mry_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
