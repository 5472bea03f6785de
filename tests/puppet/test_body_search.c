/* test_body_search.c - looking ahead, judged on graphs made by hand by trying everything: hops are
   what the graph does, frame by frame, and no way is better than the one that is found. */
#include "hand_graph.h"
#include "puppet/body_data.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { LAYERS = 4 };

typedef struct bench {
    marey_ctx *ctx;
    marey_graph *graph;
    marey_policy *policy;
    marey_body_ground *ground;
} bench;

/* Straight on, round to either side, and standing; with ways from one to the other all along. */
static marey_graph *make_graph(marey_ctx *ctx)
{
    static const hand_sequence ways[] = {
        { 20, 0, 90, 0 }, { 20, 0, 80, 60 }, { 20, 30, 100, -50 }, { 20, 0, 0, 0 }
    };
    static const hand_link links[] = { { 3, 24, 0, 1 },   { 5, 45, -20, 2 }, { 8, 70, 10, 3 },
                                       { 19, 0, 0, 0 },   { 26, 9, 5, 1 },   { 31, 44, 90, 4 },
                                       { 39, 20, 10, 1 }, { 47, 22, -5, 2 }, { 52, 62, 0, 1 },
                                       { 59, 40, 0, 1 },  { 64, 2, 45, 1 },  { 66, 21, -45, 1 },
                                       { 71, 43, 0, 2 },  { 79, 60, 0, 0 } };
    return hand_graph_make(ctx, ways, 4, links, sizeof links / sizeof *links);
}

static int bench_open(void **state)
{
    static bench b;
    b.ctx = test_ctx();
    b.graph = make_graph(b.ctx);
    if (marey_policy_train(b.ctx, b.graph, NULL, &b.policy, NULL)) return 1;
    if (marey_body_ground_open(b.ctx, b.graph, b.policy, &b.ground, NULL)) return 1;
    *state = &b;
    return 0;
}

static int bench_close(void **state)
{
    bench *b = *state;
    marey_body_ground_free(b->ground);
    marey_policy_free(b->policy);
    marey_graph_free(b->graph);
    marey_ctx_close(b->ctx);
    return 0;
}

/* All ways of so many frames over at most one transition, one frame after the other; each must be
   among the hops. */
static int follow_ways(const bench *b, int start, int node, mry_floor laid, int frame, int over,
                       int stay)
{
    const marey_body_ground *g = b->ground;
    if (frame == g->frames) {
        const double *from = mry_place(b->graph->motion, start);
        double x = mry_place(b->graph->motion, node)[0], z = mry_place(b->graph->motion, node)[2];
        mry_floor_apply(laid, &x, &z);
        for (int h = g->first[start]; h < g->first[start + 1]; h++) {
            const mry_hop *hop = &g->hops[h];
            if (hop->to != node || hop->transition != over || hop->stay != stay) continue;
            assert_true(fabs((double)hop->x - (x - from[0])) < 1e-3);
            assert_true(fabs((double)hop->y - (from[2] - z)) < 1e-3);
            assert_true(fabs((double)hop->c - cos(laid.angle)) < 1e-6);
            assert_true(fabs((double)hop->s - sin(laid.angle)) < 1e-6);
            return 1;
        }
        fail_msg("from node %d there is no hop to %d", start, node);
    }
    int found = 0, first, count = marey_graph_leaving(b->graph, node, &first);
    if (b->graph->next[node] >= 0)
        found += follow_ways(b, start, b->graph->next[node], laid, frame + 1, over, stay);
    for (int i = first; over < 0 && i < first + count; i++) {
        mry_floor to = mry_floor_times(laid, b->graph->places[i]);
        found += follow_ways(b, start, b->graph->transitions[i].to, to, frame + 1, i, frame);
    }
    return found;
}

TEST_OF(const bench *b, hops_are_all_that_the_graph_does)
{
    int most = 0;
    for (int n = 0; n < b->graph->nodes; n++) {
        assert_true(b->graph->dwell.free[n]);
        int count = follow_ways(b, n, n, (mry_floor){ 0 }, 0, -1, b->ground->frames);
        assert_int_equal(count, b->ground->first[n + 1] - b->ground->first[n]);
        most = count > most ? count : most;
    }
    assert_true(most > 2);
}

/* The reach of a node is the best of what a hop gains and the reach of where it ends, eight seconds
   counting for 37 %. */
static double reach_by_hops(const bench *b, int node, double x, double y)
{
    const marey_body_ground *g = b->ground;
    double best = -INFINITY, fades = exp(-g->frames / g->graph->fps / 8);
    for (int h = g->first[node]; h < g->first[node + 1]; h++) {
        const mry_hop *hop = &g->hops[h];
        double c = (double)hop->c, s = (double)hop->s;
        double next = mry_ground_reach(g, hop->to, c * x + s * y, c * y - s * x);
        best = fmax(best, (double)hop->x * x + (double)hop->y * y + fades * next);
    }
    return best;
}

TEST_OF(const bench *b, how_far_one_gets_is_what_hops_add_up_to)
{
    for (int n = 0; n < b->graph->nodes; n++) {
        for (int w = 0; w < MRY_BODY_WAYS; w++) {
            double x = cos(2 * PI * w / MRY_BODY_WAYS), y = sin(2 * PI * w / MRY_BODY_WAYS);
            double told = mry_ground_reach(b->ground, n, x, y), is = reach_by_hops(b, n, x, y);
            if (!(fabs(told - is) < 3)) fail_msg("node %d, way %d: %g, not %g", n, w, told, is);
        }
    }
    double ahead = mry_ground_reach(b->ground, 0, 1, 0);
    assert_true(mry_ground_reach(b->ground, 0, -1, 0) < ahead - 50);
    assert_true(mry_ground_reach(b->ground, 60, 1, 0) < ahead - 20); /* who stands */
    assert_true(ahead <= b->ground->farthest);
}

/* ---- the search ------------------------------------------------------------------------------ */

static void set_aims(int number, mry_aim *aims)
{
    double direction = 0.7 * number, speed = 30.0 * (number % 5);
    for (int k = 0; k < LAYERS; k++) {
        double time = (k + 1) / 6.0, c = cos(direction + time), s = sin(direction + time);
        aims[k] = (mry_aim){ .x = 40 * cos(number) + speed * time * c,
                             .y = 30 * sin(number) + speed * time * s,
                             .vx = speed * c,
                             .vy = speed * s,
                             .fx = c,
                             .fy = s };
    }
}

static double best_of_all(const mry_search *search, const mry_spot *from, int layer,
                          const mry_aim *aims)
{
    const marey_body_ground *g = search->ground;
    if (layer == LAYERS) return from->cost + mry_spot_left(search, from, &aims[LAYERS - 1]);
    double best = INFINITY;
    for (int h = g->first[from->node]; h < g->first[from->node + 1]; h++) {
        if (!mry_spot_may(g, from, &g->hops[h])) continue;
        mry_spot to = mry_spot_hop(search, from, &g->hops[h], &aims[layer]);
        best = fmin(best, best_of_all(search, &to, layer + 1, aims));
    }
    return best;
}

TEST_OF(const bench *b, no_way_is_better_than_the_one_that_is_found)
{
    OWNED(mry_arena) mem = mry_arena_make(b->ctx);
    mry_search wide, narrow;
    double lost = 0, worth = 0;
    assert_true(mry_search_open(&wide, &mem, b->ground, 4096, LAYERS, 1.2));
    assert_true(mry_search_open(&narrow, &mem, b->ground, 8, LAYERS, 1.2));
    wide.apart = true;
    for (int i = 0; i < 200; i++) {
        mry_aim aims[LAYERS];
        mry_spot way[LAYERS + 1], other[LAYERS + 1];
        mry_spot begin = { .c = cos(i), .s = sin(i), .node = i * 7 % b->graph->nodes };
        set_aims(i, aims);
        double best = best_of_all(&wide, &begin, 0, aims);
        int hops = mry_search_run(&wide, &begin, aims, way);
        assert_int_equal(hops, LAYERS);
        assert_int_equal(way[0].node, begin.node);
        if (fabs(way[LAYERS].cost - best) > 1e-4 * best)
            fail_msg("%d: %g, but there is one of %g", i, way[LAYERS].cost, best);
        mry_search_run(&narrow, &begin, aims, other);
        assert_true(other[LAYERS].cost > best * (1 - 1e-5));
        lost += other[LAYERS].cost - best;
        worth += best;
    }
    print_message("a beam of 8 loses %.2f %%\n", 100 * lost / worth);
    assert_true(lost < 0.05 * worth);
}

/* Each spot of a way is the one before, a hop later. */
TEST_OF(const bench *b, a_way_is_made_of_hops)
{
    OWNED(mry_arena) mem = mry_arena_make(b->ctx);
    mry_search search;
    mry_aim aims[LAYERS];
    mry_spot way[LAYERS + 1], begin = { .c = 1, .node = 60 };
    assert_true(mry_search_open(&search, &mem, b->ground, 16, LAYERS, 1.2));
    set_aims(4, aims);
    assert_int_equal(mry_search_run(&search, &begin, aims, way), LAYERS);
    for (int k = 0; k < LAYERS; k++) {
        const mry_hop *hop = &b->ground->hops[way[k + 1].hop];
        mry_spot to = mry_spot_hop(&search, &way[k], hop, &aims[k]);
        assert_true(to.node == way[k + 1].node && to.x == way[k + 1].x && to.y == way[k + 1].y);
        double most = MRY_BODY_SHIFT * hypot((double)hop->x, (double)hop->y) + 1e-9;
        assert_true(hypot(to.bx, to.by) <= most);
        assert_true(fabs(to.turn) <= MRY_BODY_TURN_RAD_S * MRY_BODY_HOP_S + 1e-9);
    }
}

TEST_GROUP_OF_CASES(test_body_search, bench_open, bench_close)
