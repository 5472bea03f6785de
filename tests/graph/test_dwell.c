/* test_dwell.c - how long walks stay in a piece, beside a judge that goes frame by frame and counts
   how many are still to be stayed. */
#include "toy_graph.h"

#include <math.h>
#include <string.h>

enum { MOST_STAY = 9 };

/* Frames to stay behind a transition, the first not counted. */
static int stay_behind(const toy_graph *t, int link)
{
    int fades = 2 * t->half[link], least = t->g.dwell.least - 1;
    return t->g.dwell.least == 0 ? 0 : fades > least ? fades : least;
}

/* Least costs from a state, by node and frames to stay: every step, again and again. Which states
   are reached is more than what walks use; ends that are free and lead back are the same. */
typedef struct costs {
    double of[TOY_MOST][MOST_STAY];
} costs;

static void judge(const toy_graph *t, int from, int stay, costs *c)
{
    double frame = 1 - t->g.def.smoothness;
    bool changed = true;
    for (int n = 0; n < TOY_MOST; n++) {
        for (int k = 0; k < MOST_STAY; k++) c->of[n][k] = INFINITY;
    }
    c->of[from][stay] = 0;
    while (changed) {
        changed = false;
        for (int n = 0; n < t->g.nodes; n++) {
            for (int k = 0; k < MOST_STAY; k++) {
                double cost = c->of[n][k];
                if (!isfinite(cost)) continue;
                if (t->next[n] >= 0) {
                    double *to = &c->of[t->next[n]][k > 0 ? k - 1 : 0];
                    changed |= cost + frame < *to - 1e-12;
                    *to = fmin(*to, cost + frame);
                }
                for (int i = t->leaving[n]; k == 0 && i < t->leaving[n + 1]; i++) {
                    double share = t->g.def.smoothness * (double)t->links[i].distance;
                    double *to = &c->of[t->links[i].to][stay_behind(t, i)];
                    changed |= cost + frame + share < *to - 1e-12;
                    *to = fmin(*to, cost + frame + share);
                }
            }
        }
    }
}

static void make(toy_graph *t, marey_ctx *ctx, uint64_t seed)
{
    toy_make(t, ctx, seed, 24 + (int)seed % 20, 7);
    t->g.def.smoothness = seed % 3 == 0 ? 1 : 0.4;
    for (int i = 0; i < t->g.transition_count; i++)
        t->half[i] = (uint8_t)((i + (int)seed) % 5 == 0);
    toy_settle(t, (int)(seed % 5));
}

TEST_CTX(free_nodes_are_those_that_lead_to_each_other)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        toy_graph t;
        costs from[TOY_MOST];
        int best = 0, largest = 0;
        make(&t, ctx, seed);
        for (int n = 0; n < t.g.nodes; n++) judge(&t, n, 0, &from[n]);
        for (int a = 0; a < t.g.nodes; a++) {
            int size = 0;
            for (int b = 0; b < t.g.nodes; b++)
                size += isfinite(from[a].of[b][0]) && isfinite(from[b].of[a][0]);
            if (size <= largest) continue;
            largest = size;
            best = a;
        }
        assert_int_equal(t.g.dwell.free_count, largest);
        for (int b = 0; b < t.g.nodes; b++)
            assert_int_equal(t.core[b],
                             isfinite(from[best].of[b][0]) && isfinite(from[b].of[best][0]));
        for (int n = 0; n < t.g.nodes; n++) {
            marey_graph_node node = marey_graph_node_of(&t.g, n);
            costs begun;
            bool begins = false, goes = false;
            judge(&t, n, t.g.dwell.least > 0 ? t.g.dwell.least - 1 : 0, &begun);
            for (int b = 0; b < t.g.nodes; b++) begins |= t.core[b] && isfinite(begun.of[b][0]);
            assert_int_equal(node.ends, t.core[n]);
            if (node.begins) assert_true(begins);
            /* Passed: on a way from a free node to a free node. */
            for (int k = 0; k < MOST_STAY && !goes; k++) {
                costs on;
                if (!isfinite(from[best].of[n][k])) continue;
                judge(&t, n, k, &on);
                goes = isfinite(on.of[best][0]);
            }
            assert_int_equal(node.core, goes);
        }
    }
}

TEST_CTX(ways_are_the_cheapest_that_stay_in_their_pieces)
{
    int tried = 0, straight = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        toy_graph t;
        make(&t, ctx, seed);
        int least = t.g.dwell.least;
        for (int from = 0; from < t.g.nodes; from++) {
            if (!marey_graph_node_of(&t.g, from).begins) continue;
            costs c;
            judge(&t, from, least > 0 ? least - 1 : 0, &c);
            for (int to = 0; to < t.g.nodes; to++) {
                if (!t.core[to]) continue;
                marey_walk_def def = {
                    .from_given = true, .to_given = true, .from = from, .to = to
                };
                OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
                double cost = c.of[to][0];
                bool ahead = to >= from && to - from < least;
                for (int n = from; ahead && n < to; n++) ahead = t.next[n] == n + 1;
                if (ahead) cost = (to - from) * (1 - t.g.def.smoothness); /* one piece */
                if (fabs(walk.cost - cost) >= 1e-9)
                    fail_msg("seed %d, %d to %d: %g, the judge has %g", (int)seed, from, to,
                             walk.cost, cost);
                tried++;
                straight += ahead;
            }
        }
    }
    assert_true(tried > 2000 && straight > 100);
}

/* Random walks of every length, ending where they should, never leave a piece too soon. */
TEST_CTX(walks_of_a_length_stay_in_their_pieces)
{
    int found = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        toy_graph t;
        uint64_t lot = seed;
        make(&t, ctx, seed);
        if (t.g.dwell.free_count < 6) continue;
        for (int frames = 1; frames <= 60; frames += 1 + toy_below(&lot, 5)) {
            marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = frames, .seed = seed };
            def.to_given = toy_below(&lot, 2) == 0;
            if (def.to_given) def.to = toy_node(&t, &lot);
            marey_walk walk = { 0 };
            if (marey_graph_walk(ctx, &t.g, &def, &walk, &test_error)) continue;
            toy_assert(&t, &walk);
            assert_int_equal(walk.count, frames);
            if (def.to_given) assert_int_equal(walk.nodes[frames - 1], def.to);
            marey_walk_free(&walk);
            found++;
        }
    }
    assert_true(found > 500);
}

/* A walk may have a dwell of its own. */
TEST_CTX(a_walk_may_stay_longer_than_its_graph_asks_for)
{
    int found = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        toy_graph t;
        toy_make(&t, ctx, seed, 48, 7);
        toy_settle(&t, 1);
        marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = 80, .dwell_s = 1 };
        marey_walk walk = { 0 };
        if (marey_graph_walk(ctx, &t.g, &def, &walk, &test_error)) {
            assert_non_null(strstr(test_error.message, "no way on"));
            continue;
        }
        t.g.dwell.least = TOY_FPS;
        toy_assert(&t, &walk);
        marey_walk_free(&walk);
        found++;
    }
    assert_true(found > 10);
    toy_graph t;
    toy_make(&t, ctx, 1, 40, 7);
    toy_refused(ctx, &t, (marey_walk_def){ .kind = MAREY_WALK_LENGTH, .frames = 9, .dwell_s = 6 },
                "dwell");
}

TEST_GROUP_OF_CASES(test_dwell, NULL, NULL)
