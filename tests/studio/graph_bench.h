/* graph_bench.h - a library of demo takes with the demo's graph `standard`, for tests of what the studio makes of motion
   graphs. Opened once for all cases: takes are made, which takes a second. Read after api_bench.h. */
#ifndef MAREY_TEST_GRAPH_BENCH_H
#define MAREY_TEST_GRAPH_BENCH_H

#include "api_bench.h"
#include "json_look.h"

#include <inttypes.h>
#include <math.h>

typedef struct graph_bench {
    api_bench b;
    int64_t walk, left, short_walk, short_left;
    int64_t slide; /* has other joints */
} graph_bench;

static inline int graph_bench_open(void **state)
{
    static graph_bench all;
    all = (graph_bench){ .walk = 0 };
    place_enter(&all.b.place);
    bench_program("marey demo . --take walk_straight --take walk_left --take turns --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    bench_program("marey cut lib.marey walk_straight#150-450 short_walk");
    bench_program("marey cut lib.marey walk_left#150-450 short_left");
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey slide.bvh");
    bench_program("marey label lib.marey slide short_walk short_left --add few");
    api_bench_start(&all.b, true);
    all.walk = bench_id(&all.b, "walk_straight");
    all.left = bench_id(&all.b, "walk_left");
    all.short_walk = bench_id(&all.b, "short_walk");
    all.short_left = bench_id(&all.b, "short_left");
    all.slide = bench_id(&all.b, "slide");
    *state = &all;
    return 0;
}

static inline int graph_bench_close(void **state)
{
    api_bench_close(&((graph_bench *)*state)->b);
    return 0;
}

/* '$walk', '$left' (the short ones) and '$slide' become numbers of clips, ' becomes ". */
static inline const char *graph_text(const graph_bench *all, const char *text)
{
    static char out[32768];
    const struct {
        const char *name;
        int64_t id;
    } clips[] = { { "$walk", all->short_walk },
                  { "$left", all->short_left },
                  { "$slide", all->slide } };
    size_t used = 0, i, count = sizeof clips / sizeof *clips;
    for (const char *at = text; *at;) {
        assert_true(used < sizeof out - 32);
        for (i = 0; i < count && strncmp(at, clips[i].name, strlen(clips[i].name)) != 0;) i++;
        if (i < count) {
            used += (size_t)sprintf(out + used, "%" PRId64, clips[i].id);
            at += strlen(clips[i].name);
        } else {
            out[used++] = *at == '\'' ? '"' : *at;
            at++;
        }
    }
    out[used] = 0;
    return out;
}

static inline json_t *graph_json(graph_bench *all, api_run run, const char *body, int status)
{
    return api_json(&all->b, run, 0, NULL, graph_text(all, body), status);
}

/* A job to its end. */
static inline json_t *graph_done(graph_bench *all, api_run run, const char *body)
{
    return api_job_done(&all->b, graph_json(all, run, body, 202));
}

/* What the program says with --json. */
static inline json_t *program_json(const char *line)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    json_t *value = json_loads(run.out.bytes, 0, NULL);
    if (!value) fail_msg("%s: no JSON", line);
    test_run_free(&run);
    return value;
}

static inline size_t size_of(const json_t *of, const char *key)
{
    return json_array_size(json_object_get(of, key));
}

static inline json_t *item(const json_t *of, const char *key, size_t i)
{
    return json_array_get(json_object_get(of, key), i);
}

/* Numbers are the same but for their last digits, and 30 is 30.0. */
static inline bool same_json(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= 1e-6 * fabs(y);
    }
    if (json_is_array(a) && json_is_array(b)) {
        bool same = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; i < json_array_size(a) && same; i++)
            same = same_json(json_array_get(a, i), json_array_get(b, i));
        return same;
    }
    if (!json_is_object(a) || !json_is_object(b)) return a && b && json_equal(a, b);
    bool same = json_object_size(a) == json_object_size(b);
    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        same = same && same_json(value, json_object_get(b, key));
    }
    return same;
}

/* Has `one` all that the other has under these keys? */
static inline void same_values(const json_t *one, const json_t *other, const char *const *keys)
{
    for (; *keys; keys++) {
        if (!same_json(json_object_get(one, *keys), json_object_get(other, *keys)))
            fail_msg("%s differs", *keys);
    }
}

static const char *const stats_keys[] = { "frames",
                                          "nodes",
                                          "edges",
                                          "transitions",
                                          "threshold",
                                          "scc_percent",
                                          "connectivity_percent",
                                          "mean_transition_s",
                                          "sources",
                                          "local_maneuverability_s",
                                          "bytes",
                                          "nodes_before",
                                          "edges_before",
                                          "worst_jump",
                                          NULL };

/* ---- the judge: the library itself -------------------------------------------------------------- */

typedef struct open_graph {
    marey_parts *parts;
    marey_graph *graph;
} open_graph;

static inline open_graph graph_judge(graph_bench *all, const char *name)
{
    open_graph of = { NULL, NULL };
    marey_error error = { 0 };
    if (marey_library_graph(all->b.by.library, name, &of.parts, &of.graph, &error) != MAREY_OK)
        fail_msg("%s", error.message);
    return of;
}

static inline void graph_judge_free(open_graph *of)
{
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
}

#endif
