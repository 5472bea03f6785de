/* search_bench.h - a library of walks for tests of what the studio finds in it. Read after
   blend_bench.h, whose clips it has. */
#ifndef MAREY_TEST_SEARCH_BENCH_H
#define MAREY_TEST_SEARCH_BENCH_H

#include "blend_bench.h"

/* Without match webs; small has a label. */
static inline int search_bench_open(void **state)
{
    api_bench *b = demo_bench_enter(state);
    bench_program("marey rm lib.marey walk_straight walk_left jog_straight small_walk");
    bench_program("marey label lib.marey small --add tiny");
    api_bench_start(b, true);
    return 0;
}

/* A search of frames 60 to 180 of walk, a cycle, and whatever else: ", 'tiers': 1". */
#define QUERY "'query': {'clip': $walk, 'start': 60, 'end': 180}"

static inline json_t *search_found(api_bench *b, const char *more)
{
    return ask(b, do_search, "{" QUERY "%s}", more);
}

#endif
