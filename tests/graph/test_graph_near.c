/* test_graph_near.c - which nodes of a motion graph are alike, by sorting and by the grid, against
   all pairs by the metric's formula; and strongly connected components against who reaches whom. */
#include "frame_measures.h"
#include "graph_judge.h"
#include "math/turn.h"
#include "metric_clips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Distances are reckoned in floats: nothing is said about cells that are closer to each other than
   this, in cm2. */
#define TIE 1e-3

/* ---- all pairs ------------------------------------------------------------------------------- */

/* Each sequence is a clip of its own; distances of all nodes to all nodes. */
typedef struct table {
    int nodes;
    int *sequence;
    double *cells;
} table;

static double *cell(const table *t, int a, int b)
{
    return t->cells + (size_t)a * (size_t)t->nodes + (size_t)b;
}

static table table_make(const marey_graph *graph)
{
    enum { MOST = 64 };
    int nodes = marey_graph_nodes(graph), count = 0, start[MOST + 1];
    table t = { nodes, malloc((size_t)nodes * sizeof(int)),
                malloc((size_t)nodes * (size_t)nodes * sizeof(double)) };
    const marey_clip *motion = marey_graph_motion(graph);
    marey_clip *parts[MOST];
    marey_features *rows[MOST];
    OWNED(marey_layout) *layout = NULL;
    marey_metric_def def = *marey_graph_settings(graph)->metric;
    def.fps = marey_graph_fps(graph);
    for (int n = 0; n < nodes; n++) {
        if (marey_graph_node_of(graph, n).before < 0) start[count++] = n;
        t.sequence[n] = count - 1;
        assert_true(count < MOST);
    }
    start[count] = nodes;
    assert_int_equal(marey_layout_build(graph->ctx, &motion, 1, &def, &layout, NULL), MAREY_OK);
    for (int s = 0; s < count; s++) {
        parts[s] = test_trimmed(motion, start[s], start[s + 1]);
        assert_int_equal(marey_features_build(layout, parts[s], &rows[s], NULL), MAREY_OK);
    }
    for (int a = 0; a < nodes; a++) {
        for (int b = 0; b < nodes; b++)
            *cell(&t, a, b) = marey_distance(rows[t.sequence[a]], a - start[t.sequence[a]],
                                             rows[t.sequence[b]], b - start[t.sequence[b]]);
    }
    for (int s = 0; s < count; s++) {
        marey_features_free(rows[s]);
        marey_clip_free(parts[s]);
    }
    return t;
}

static void table_free(table *t)
{
    free(t->sequence);
    free(t->cells);
}
OWNED_VALUE(table, table_free)

/* By how much a cell is less than the least of the cells around it that are there. */
static double depth_of(const table *t, int a, int b)
{
    double least = INFINITY;
    for (int i = a - 1; i <= a + 1; i++) {
        for (int j = b - 1; j <= b + 1; j++) {
            if (i < 0 || j < 0 || i >= t->nodes || j >= t->nodes || (i == a && j == b)) continue;
            if (t->sequence[i] != t->sequence[a] || t->sequence[j] != t->sequence[b]) continue;
            least = fmin(least, *cell(t, i, j));
        }
    }
    return least - *cell(t, a, b);
}

static const mry_near *find_pair(const mry_near_list *near, int a, int b)
{
    for (int64_t i = 0; i < near->count; i++) {
        if (near->items[i].a == a && near->items[i].b == b) return &near->items[i];
    }
    return NULL;
}

/* Returns how many pairs there are beyond doubt. */
static int judge_pairs(const table *t, const mry_near_list *near, double below, double fps)
{
    int sure = 0;
    for (int64_t i = 0; i < near->count; i++) {
        const mry_near *one = &near->items[i];
        assert_true(one->a >= 0 && one->a < one->b && one->b < t->nodes);
        if (i == 0) continue;
        assert_true(one[-1].a < one->a || (one[-1].a == one->a && one[-1].b < one->b));
    }
    for (int a = 0; a < t->nodes; a++) {
        for (int b = a + 1; b < t->nodes; b++) {
            const mry_near *one = find_pair(near, a, b);
            double depth = depth_of(t, a, b), value = *cell(t, a, b);
            bool close = t->sequence[a] == t->sequence[b] && (b - a) / fps < 0.4 - 1e-9;
            bool is = !close && depth > TIE && value < below - TIE;
            bool isnt = close || depth < -TIE || value > below + TIE;
            if (one && isnt) fail_msg("%d, %d is no pair: %g, %g deep", a, b, value, depth);
            if (!one && is) fail_msg("%d, %d is a pair: %g, %g deep", a, b, value, depth);
            if (one && fabs((double)one->value - value) > TIE)
                fail_msg("%d, %d: %g is not %g", a, b, (double)one->value, value);
            sure += is;
        }
    }
    return sure;
}

/* Both ways to find them. Returns the pairs there are. */
static int try_both(const marey_graph *graph, const table *t, double below)
{
    OWNED(mry_arena) tmp = mry_arena_make(graph->ctx);
    mry_bodies bodies;
    mry_near_list near = { 0 };
    marey_graph *open = (marey_graph *)(uintptr_t)graph;
    assert_int_equal(mry_bodies_open(&bodies, &tmp, graph, NULL), MAREY_OK);
    assert_int_equal(mry_graph_near_join(&bodies, below, NULL, &near, NULL), MAREY_OK);
    int sure = judge_pairs(t, &near, below, marey_graph_fps(graph));
    mry_near_free(&near);
    assert_int_equal(mry_graph_near_grid(open, below, &near, NULL), MAREY_OK);
    assert_int_equal(judge_pairs(t, &near, below, marey_graph_fps(graph)), sure);
    mry_near_free(&near);
    return sure;
}

static void try_clips(graph_rig *rig, const marey_graph_def *def, int least)
{
    OWNED(marey_graph) *graph = graph_rig_nodes(rig, def);
    OWNED(table) t = table_make(graph);
    int few = try_both(graph, &t, 8), some = try_both(graph, &t, 60);
    int all = try_both(graph, &t, 1e6);
    assert_true(few <= some && some <= all && all >= least);
}

TEST(alike_nodes_of_walks_are_the_local_minima)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_walks(rig);
    try_clips(rig, NULL, 20);
}

TEST_RIG(lost_frames_part_sequences_and_windows_do_not_reach_across)
{
    graph_rig_add(rig, "walk_left", 0, 40, 220);
    graph_rig_add(rig, "jumps", 1, 0, 90);
    graph_rig_lose(rig, 0, 60, 61);
    graph_rig_lose(rig, 0, 64, 80);
    try_clips(rig, NULL, 20);
}

TEST(other_windows_weights_and_rates_find_their_own)
{
    const char *names[] = { "equal", "lee", "hips=1,wrist=2" };
    const int windows[] = { 1, 4, 9 };
    for (int i = 0; i < 3; i++) {
        marey_joint_weights joints;
        assert_int_equal(marey_joint_weights_parse(names[i], &joints, NULL), MAREY_OK);
        marey_metric_def metric = { .joints = &joints, .window = windows[i], .tapered = i == 1 };
        marey_graph_def def = { .metric = &metric, .fps = 20 + 10 * i };
        OWNED(graph_rig) *rig = graph_rig_open(1);
        graph_rig_add(rig, "walk_fast", 0, 30, 150);
        graph_rig_add(rig, "kicks", 0, 0, 60);
        try_clips(rig, &def, 2);
    }
}

TEST_RIG(bodies_that_wave_in_every_joint_too)
{
    graph_rig_put(rig, test_mover(rig->ctx, 150, 5));
    graph_rig_put(rig, test_mover(rig->ctx, 90, 6));
    try_clips(rig, NULL, 5);
}

TEST(other_metrics_go_by_the_grid)
{
    const char *names[] = { "angles", "positions", "transition" };
    for (int i = 0; i < 3; i++) {
        mry_near_list near;
        marey_metric_def metric = { .metric = marey_metric_named(names[i]) };
        assert_non_null(metric.metric);
        OWNED(graph_rig) *rig = graph_rig_open(2);
        graph_rig_walks(rig);
        OWNED(marey_graph) *graph = graph_rig_nodes(rig, &(marey_graph_def){ .metric = &metric });
        OWNED(table) t = table_make(graph);
        for (double below = 1e-2; below < 1e6; below *= 100) {
            assert_int_equal(mry_graph_near(graph, NULL, below, NULL, &near, NULL), MAREY_OK);
            int sure = judge_pairs(&t, &near, below, marey_graph_fps(graph));
            assert_true(below < 1e3 || sure > 3);
            mry_near_free(&near);
        }
    }
}

/* Pairs that are given are there if they are below, whatever is around them, and those that are
   found once only. */
TEST_RIG(rungs_join_them_below_the_threshold)
{
    graph_rig_walks(rig);
    OWNED(marey_graph) *graph = graph_rig_nodes(rig, NULL);
    OWNED(table) t = table_make(graph);
    OWNED(mry_arena) tmp = mry_arena_make(rig->ctx);
    mry_bodies bodies;
    mry_near_list plain, near, rungs = { .ctx = rig->ctx };
    double below = 60;
    assert_int_equal(mry_bodies_open(&bodies, &tmp, graph, NULL), MAREY_OK);
    assert_int_equal(mry_graph_near_join(&bodies, below, NULL, &plain, NULL), MAREY_OK);
    uint64_t seed = 1;
    for (int i = 0; i < 400; i++) {
        int a = (int)(mry_random_next(&seed) % (uint64_t)(t.nodes - 1));
        int b = a + 1 + (int)(mry_random_next(&seed) % (uint64_t)(t.nodes - 1 - a));
        assert_true(mry_near_put(&rungs, (mry_near){ a, b, 0 }));
        if (i % 3 == 0) assert_true(mry_near_put(&rungs, (mry_near){ a, b, 0 }));
    }
    for (int i = 0; i < 5; i++) assert_true(mry_near_put(&rungs, plain.items[i]));
    assert_int_equal(mry_graph_near_join(&bodies, below, &rungs, &near, NULL), MAREY_OK);
    int64_t expected = 0;
    for (int a = 0; a < t.nodes; a++) {
        for (int b = a + 1; b < t.nodes; b++) {
            double value = *cell(&t, a, b);
            const mry_near *one = find_pair(&near, a, b);
            bool told = find_pair(&rungs, a, b) != NULL, was = find_pair(&plain, a, b) != NULL;
            if (told && !was && fabs(value - below) < TIE) continue;
            bool is = was || (told && value < below);
            if (is != (one != NULL)) fail_msg("%d, %d", a, b);
            if (one) assert_true(fabs((double)one->value - value) < TIE);
            expected += is;
        }
    }
    assert_true(near.count >= expected && near.count > plain.count);
    for (int64_t i = 1; i < near.count; i++) {
        const mry_near *one = &near.items[i];
        assert_true(one[-1].a < one->a || (one[-1].a == one->a && one[-1].b < one->b));
    }
    mry_near_free(&plain);
    mry_near_free(&near);
    mry_near_free(&rungs);
}

/* ---- components ------------------------------------------------------------------------------ */

enum { MOST_NODES = 24, MOST_ARCS = 80 };

typedef struct drawn {
    int nodes, count;
    int first[MOST_NODES + 1], to[MOST_ARCS], next[MOST_NODES];
    uint8_t use[MOST_NODES];
    bool reach[MOST_NODES][MOST_NODES];
} drawn;

static int below(uint64_t *seed, int count)
{
    return (int)(mry_random_next(seed) % (uint64_t)count);
}

TEST_CTX(components_are_who_reach_each_other)
{
    uint64_t seed = 7;
    drawn d;
    for (int round = 0; round < 3000; round++) {
        bool with_next = round % 2, with_use = round % 3 == 0;
        int component[MOST_NODES], highest = -1;
        memset(&d, 0, sizeof d);
        d.nodes = 1 + below(&seed, MOST_NODES);
        int share = 1 + below(&seed, 30);
        for (int n = 0; n < d.nodes; n++) {
            d.first[n] = d.count;
            d.next[n] = n + 1 < d.nodes && below(&seed, 3) ? n + 1 : -1;
            d.use[n] = below(&seed, 8) != 0;
            for (int m = 0; m < d.nodes; m++) {
                if (below(&seed, share) == 0 && below(&seed, 4) == 0 && d.count < MOST_ARCS)
                    d.to[d.count++] = m;
            }
        }
        d.first[d.nodes] = d.count;
        /* Floyd 1962, Warshall 1962. */
        memset(d.reach, 0, sizeof d.reach);
        for (int n = 0; n < d.nodes; n++) {
            if (with_use && !d.use[n]) continue;
            d.reach[n][n] = true;
            if (with_next && d.next[n] >= 0 && (!with_use || d.use[d.next[n]]))
                d.reach[n][d.next[n]] = true;
            for (int i = d.first[n]; i < d.first[n + 1]; i++) {
                if (!with_use || d.use[d.to[i]]) d.reach[n][d.to[i]] = true;
            }
        }
        for (int k = 0; k < d.nodes; k++) {
            for (int a = 0; a < d.nodes; a++) {
                for (int b = 0; b < d.nodes; b++) d.reach[a][b] |= d.reach[a][k] && d.reach[k][b];
            }
        }
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        mry_arcs arcs = { d.nodes, d.first, d.to, with_next ? d.next : NULL,
                          with_use ? d.use : NULL };
        int found = mry_components(&tmp, &arcs, component);
        for (int a = 0; a < d.nodes; a++) {
            if (component[a] > highest) highest = component[a];
            if (with_use && !d.use[a]) {
                assert_int_equal(component[a], -1);
                continue;
            }
            for (int b = 0; b < d.nodes; b++) {
                if (with_use && !d.use[b]) continue;
                assert_int_equal(component[a] == component[b], d.reach[a][b] && d.reach[b][a]);
                if (d.reach[a][b]) assert_true(component[a] >= component[b]);
            }
        }
        assert_int_equal(highest + 1, found);
    }
}

TEST_CTX(a_path_of_a_million_nodes_is_a_million_components)
{
    enum { NODES = 1000000 };
    FREED int *first = calloc(NODES + 1, sizeof *first), *next = malloc(NODES * sizeof *next);
    FREED int *component = malloc(NODES * sizeof *component);
    int none = 0;
    for (int n = 0; n < NODES; n++) next[n] = n + 1 < NODES ? n + 1 : -1;
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_arcs arcs = { NODES, first, &none, next, NULL };
    assert_int_equal(mry_components(&tmp, &arcs, component), NODES);
    for (int n = 0; n < NODES; n++) assert_int_equal(component[n], NODES - 1 - n);
    next[NODES - 1] = 0;
    assert_int_equal(mry_components(&tmp, &arcs, component), 1);
}

TEST_GROUP_OF_CASES(test_graph_near, NULL, NULL)
