/* search_bench.h - a library of walks for tests of what the studio finds in it. Read after api_bench.h. */
#ifndef MAREY_TEST_SEARCH_BENCH_H
#define MAREY_TEST_SEARCH_BENCH_H

#include "api_bench.h"
#include "json_look.h"

#include <inttypes.h>
#include <math.h>

typedef struct search_bench {
    api_bench b;
    int64_t walk, left, jog; /* 300 frames each */
    int64_t small;           /* other bones, and a label */
} search_bench;

static inline int search_bench_open(void **state)
{
    static search_bench all;
    api_bench *b = &all.b;
    all = (search_bench){ .walk = 0 };
    place_enter(&b->place);
    bench_program("marey demo . --take walk_straight --take walk_left --take jog_straight --take "
                  "small_walk --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    bench_program("marey cut lib.marey walk_straight#150-450 walk");
    bench_program("marey cut lib.marey walk_left#150-450 left");
    bench_program("marey cut lib.marey jog_straight#130-430 jog");
    bench_program("marey cut lib.marey small_walk#150-450 small");
    bench_program("marey rm lib.marey walk_straight walk_left jog_straight small_walk");
    bench_program("marey label lib.marey small --add tiny");
    bench_program("marey index lib.marey --drop --quiet"); /* the demo has one of its own */
    api_bench_start(b, true);
    all.walk = bench_id(b, "walk");
    all.left = bench_id(b, "left");
    all.jog = bench_id(b, "jog");
    all.small = bench_id(b, "small");
    *state = &all;
    return 0;
}

/* The same with an index. */
static inline int search_bench_indexed(void **state)
{
    search_bench_open(state);
    search_bench *all = *state;
    json_decref(api_job_done(&all->b, api_json(&all->b, do_index, 0, NULL, "{}", 202)));
    return 0;
}

static inline int search_bench_close(void **state)
{
    api_bench_close(&((search_bench *)*state)->b);
    return 0;
}

static inline int whole(const json_t *of, const char *key)
{
    return (int)number(of, key);
}

/* ---- asking ------------------------------------------------------------------------------------- */

/* A search of frames 60 to 180 of walk, a cycle, and whatever else: ", 'tiers': 1". */
static inline const char *search_text(const search_bench *all, const char *more)
{
    static char out[1024];
    snprintf(out, sizeof out, "{\"query\": {\"clip\": %" PRId64 ", \"start\": 60, \"end\": 180}%s}",
             all->walk, more);
    for (char *c = out; *c; c++) {
        if (*c == '\'') *c = '"';
    }
    return out;
}

static inline json_t *search_found(search_bench *all, const char *more)
{
    return api_json(&all->b, do_search, 0, NULL, search_text(all, more), 200);
}

/* An address with two numbers. */
static inline studio_response ask_edge(search_bench *all, api_run run, int64_t search, int64_t edge)
{
    studio_request what = { .id = search, .second = edge };
    studio_response to = { .tag = "", .body = { .memory = &all->b.of.memory } };
    run(&all->b.by, &what, &to);
    return to;
}

static inline int matches_in(const json_t *found, int64_t clip)
{
    const json_t *matches = json_object_get(found, "matches");
    int count = 0;
    for (size_t i = 0; i < json_array_size(matches); i++) {
        count += (int64_t)number(json_array_get(matches, i), "id") == clip;
    }
    return count;
}

#endif
