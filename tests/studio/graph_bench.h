/* graph_bench.h - a library of demo takes with the demo's graph `standard`, for tests of what the
   studio makes of motion graphs. Opened once for all cases: takes are made, which takes a second.
   Read after made_bench.h. */
#ifndef MAREY_TEST_GRAPH_BENCH_H
#define MAREY_TEST_GRAPH_BENCH_H

#include "made_bench.h"

/* walk_straight, walk_left, turns; walk and left, 300 frames of the first two; slide, which has
   other joints. */
static inline int graph_bench_open(void **state)
{
    api_bench *b = api_bench_enter(state);
    bench_program("marey demo . --take walk_straight --take walk_left --take turns --quiet");
    assert_int_equal(rename("demo.marey", "lib.marey"), 0);
    bench_program("marey cut lib.marey walk_straight#150-450 walk");
    bench_program("marey cut lib.marey walk_left#150-450 left");
    test_file_write("slide.bvh", sliding_bvh, sizeof sliding_bvh - 1);
    bench_program("marey add lib.marey slide.bvh");
    bench_program("marey label lib.marey slide walk left --add few");
    api_bench_start(b, true);
    return 0;
}

static const char stats_keys[] =
    "frames nodes edges transitions threshold scc_percent connectivity_percent "
    "mean_transition_s sources local_maneuverability_s bytes nodes_before edges_before worst_jump";

/* A walk to the left as `holed`: its root is lost in frames [300, 305), so that it is in two
   stretches. */
static inline void put_holed(api_bench *b)
{
    enum { FROM = 300, TO = 305 };
    size_t count = 0;
    FREED char *text = test_file_read("walk_left.bvh", &count);
    char *at = strstr(text, "Frame Time:");
    assert_non_null(at);
    for (int frame = -1; frame < TO; frame++, at = strchr(at, '\n') + 1) {
        char *digits = at;
        for (int i = 0; i < 3 && frame >= FROM; i++) {
            for (; *digits == ' '; digits++) continue;
            for (; *digits != ' '; digits++) *digits = '0';
        }
    }
    test_file_write("holed.bvh", text, count);
    bench_program("marey add lib.marey holed.bvh");
    const json_t *clip = ask(b, api_clip, "/$holed");
    assert_int_equal(size_of(clip, "marks"), 1);
    expect(item(clip, "marks", 0), "{'start': %d, 'end': %d}", FROM, TO);
}

/* ---- the judge: the library itself ----------------------------------------------------------- */

typedef struct open_graph {
    marey_parts *parts;
    marey_graph *graph;
} open_graph;

static inline open_graph graph_judge(api_bench *b, const char *name)
{
    open_graph of = { NULL, NULL };
    marey_error error = { 0 };
    if (marey_library_graph(b->by.library, name, &of.parts, &of.graph, &error) != MAREY_OK)
        fail_msg("%s", error.message);
    return of;
}

static inline void graph_judge_free(open_graph *of)
{
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
}
OWNED_VALUE(open_graph, graph_judge_free)

#endif
