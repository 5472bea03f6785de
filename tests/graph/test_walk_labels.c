/* test_walk_labels.c - walks through lists of actions, beside a judge that knows how many frames of
   each were played. */
#include "toy_graph.h"

#include <math.h>

static bool is_label(const toy_graph *t, int node, int label)
{
    return node >= 0 && (t->labelled[node] >> label & 1);
}

/* Frames that the action must go on for if it begins with a node; 0: it cannot begin there. */
static int frames_of_action(const toy_graph *t, int node, int label)
{
    if (!is_label(t, node, label)) return 0;
    int length = 1, first = node;
    while (is_label(t, t->before[first], label)) first = t->before[first];
    for (int n = first; is_label(t, t->next[n], label); n = t->next[n]) length++;
    int left = length - (node - first);
    if (length <= TOY_FPS) return node == first ? length : 0;
    return left >= TOY_FPS ? TOY_FPS : 0;
}

/* Cost by state: actions done, node, frames of the next one played without a cut (0: none of it
   yet). All steps, again and again, until nothing changes. */
typedef struct stages {
    double cost[4][TOY_MOST][TOY_FPS + 1];
} stages;

static bool lower(double *cost, double to)
{
    if (!(to < *cost - 1e-12)) return false;
    *cost = to;
    return true;
}

/* Being at a node with so many done: it may also be the first frame of the next action. */
static bool arrive(const toy_graph *t, const int *labels, int count, stages *s, int done, int n,
                   double c)
{
    bool changed = lower(&s->cost[done][n][0], c);
    if (done < count && frames_of_action(t, n, labels[done]) > 0)
        changed |= lower(&s->cost[done][n][1], c);
    return changed;
}

/* How many frames of the action were played is known, so is where it began. */
static bool is_whole(const toy_graph *t, int label, int node, int played)
{
    int first = node - (played - 1);
    return frames_of_action(t, first, label) == played;
}

static bool relax(const toy_graph *t, const int *labels, int count, stages *s, int a, int b)
{
    double step = toy_step(t, a, b);
    bool changed = false;
    if (!isfinite(step) || !t->core[a] || !t->core[b]) return false;
    for (int done = 0; done <= count; done++) {
        changed |= arrive(t, labels, count, s, done, b, s->cost[done][a][0] + step);
        for (int k = 1; k <= TOY_FPS && done < count; k++) {
            double cost = s->cost[done][a][k];
            if (is_whole(t, labels[done], a, k))
                changed |= arrive(t, labels, count, s, done + 1, b, cost + step);
            else if (t->next[a] == b && k < TOY_FPS)
                changed |= lower(&s->cost[done][b][k + 1], cost + 1 - t->g.def.smoothness);
        }
    }
    return changed;
}

static double judge_actions(const toy_graph *t, const int *labels, int count, int from, int to)
{
    static stages s;
    double best = INFINITY;
    double *all = &s.cost[0][0][0];
    for (size_t i = 0; i < sizeof s / sizeof *all; i++) all[i] = INFINITY;
    for (int n = 0; n < t->g.nodes; n++) {
        if (from >= 0 ? n == from : t->core[n]) arrive(t, labels, count, &s, 0, n, 0);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int a = 0; a < t->g.nodes; a++) {
            for (int b = 0; b < t->g.nodes; b++) changed |= relax(t, labels, count, &s, a, b);
        }
    }
    for (int n = 0; n < t->g.nodes; n++) {
        if (to >= 0 && n != to) continue;
        best = fmin(best, s.cost[count][n][0]);
        for (int k = 1; k <= TOY_FPS; k++) {
            if (t->core[n] && is_whole(t, labels[count - 1], n, k))
                best = fmin(best, s.cost[count - 1][n][k]);
        }
    }
    return best;
}

/* Does the walk play them all, one behind the other? */
static bool plays(const toy_graph *t, const marey_walk *walk, const int *labels, int count)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        bool done = false;
        for (; at < walk->count && !done; at++) {
            int need = frames_of_action(t, walk->nodes[at], labels[i]);
            if (need == 0 || at + need > walk->count) continue;
            done = true;
            for (int k = 1; k < need; k++)
                done &= t->next[walk->nodes[at + k - 1]] == walk->nodes[at + k];
            if (done) at += need - 1;
        }
        if (!done) return false;
    }
    return true;
}

TEST_CTX(actions_are_played_as_cheaply_as_can_be)
{
    int found = 0, ended = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        toy_graph t;
        uint64_t lot = seed;
        const char *names[3];
        int labels[3], count = 1 + toy_below(&lot, 3);
        toy_make(&t, ctx, seed, 14 + (int)seed % 12, 12);
        t.g.def.smoothness = seed % 3 == 0 ? 1 : 0.4;
        for (int i = 0; i < count; i++)
            names[i] = t.labels[labels[i] = toy_below(&lot, TOY_LABELS)];
        marey_walk_def def = { .kind = MAREY_WALK_LABELS, .labels = names, .label_count = count };
        def.from_given = toy_below(&lot, 2) == 0;
        def.to_given = toy_below(&lot, 3) == 0;
        if (def.from_given) def.from = toy_node(&t, &lot);
        if (def.to_given) def.to = toy_node(&t, &lot);
        double cost = judge_actions(&t, labels, count, def.from_given ? def.from : -1,
                                    def.to_given ? def.to : -1);
        if (!isfinite(cost)) {
            toy_refused(ctx, &t, def, "no walk reaches the whole of");
            continue;
        }
        OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
        assert_true(fabs(walk.cost - cost) < 1e-9);
        assert_true(plays(&t, &walk, labels, count));
        assert_true(walk.arrived);
        if (def.from_given) assert_int_equal(walk.nodes[0], def.from);
        if (def.to_given) assert_int_equal(walk.nodes[walk.count - 1], def.to);
        ended += def.to_given;
        found++;
    }
    assert_true(found >= 30 && ended >= 5);
}

/* A few nodes that are left of an interpolation are not the action. */
TEST_CTX(a_rest_of_an_interpolation_is_no_action)
{
    static const char *const sit[] = { "sit" };
    toy_graph ring;
    toy_make(&ring, ctx, 1, 12, 1000000);
    for (int n = 0; n < 12; n++) {
        ring.next[n] = (n + 1) % 12;
        ring.before[n] = (n + 11) % 12;
        ring.labelled[n] = 0;
    }
    assert_int_equal(mry_graph_find_core(&ring.g, NULL), MAREY_OK);
    for (int n = 3; n < 5; n++) ring.labelled[n] = 2;
    marey_walk_def def = { .kind = MAREY_WALK_LABELS, .labels = sit, .label_count = 1 };
    OWNED(marey_walk) walk = toy_walk(ctx, &ring, def);
    assert_int_equal(walk.count, 2);
    marey_walk_free(&walk);
    for (int n = 3; n < 5; n++) ring.origin[n].other = 0;
    toy_refused(ctx, &ring, def, "no walk reaches the whole of");
    for (int n = 3; n < 3 + TOY_FPS; n++) {
        ring.labelled[n] = 2;
        ring.origin[n].other = 0;
    }
    walk = toy_walk(ctx, &ring, def);
    assert_int_equal(walk.count, TOY_FPS);
    assert_int_equal(walk.nodes[0], 3);
}

TEST_GROUP_OF_CASES(test_walk_labels, NULL, NULL)
