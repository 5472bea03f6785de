/* test_walk_labels.c - walks through lists of actions, beside a judge that tries everything, frame by
   frame: how many are done, which one is being played, and how long the walk must stay in its
   piece. */
#include "toy_graph.h"

#include <math.h>

enum { MOST_DONE = 3, MOST_STAY = 5 };

/* Least costs by state: actions done; node; frames to stay; whether there is no way back any
   more; whether an action ended and the walk was not free since then, so that the next one begins
   later. */
typedef struct states {
    double cost[MOST_DONE + 1][TOY_MOST][MOST_STAY][2][2];
    bool changed;
} states;

/* Frames of an action that are to be played from a node on; 0: it cannot begin there. What goes on and
   on is none where there is a stretch of that label. */
static int frames_of(const toy_graph *t, const mry_action *one, int node)
{
    for (int k = 0; k < t->g.action_count && one->ongoing; k++)
        if (t->actions[k].label == one->label && !t->actions[k].ongoing) return 0;
    int length = one->last - one->first + 1;
    if (one->ongoing && length > TOY_FPS)
        return node >= one->first && node + TOY_FPS - 1 <= one->last ? TOY_FPS : 0;
    return node == one->first ? length : 0;
}

typedef struct order {
    const toy_graph *t;
    const int *labels;
    int count, from, to;
} order;

/* Being at a node: an action may begin there, and is played in one go, whatever else could be done.
   Where there is no way back only the last one is. */
static void arrive(const order *o, states *s, int done, int node, int stay, bool lost, bool ended,
                   double cost)
{
    const toy_graph *t = o->t;
    lost |= stay == 0 && !t->core[node];
    if (lost && (done < o->count - 1 || o->to >= 0)) return;
    double *known = &s->cost[done][node][stay][lost][ended];
    if (!(cost < *known - 1e-12)) return;
    *known = cost;
    s->changed = true;
    for (int k = 0; k < t->g.action_count && done < o->count && !ended; k++) {
        int frames =
            t->actions[k].label == o->labels[done] ? frames_of(t, &t->actions[k], node) : 0;
        int at = node, left = stay;
        double more = cost;
        for (int f = 1; f < frames; f++) {
            at = t->next[at];
            left = left > 0 ? left - 1 : 0;
            more += 1 - t->g.def.smoothness;
        }
        if (frames > 0) arrive(o, s, done + 1, at, left, lost, true, more);
    }
}

static double judge(const order *o)
{
    static states s;
    const toy_graph *t = o->t;
    double *all = &s.cost[0][0][0][0][0], best = INFINITY, frame = 1 - t->g.def.smoothness;
    int least = t->g.dwell.least > 0 ? t->g.dwell.least : 1;
    for (size_t i = 0; i < sizeof s.cost / sizeof *all; i++) all[i] = INFINITY;
    for (int n = 0; n < t->g.nodes; n++) {
        bool lost = mry_dwell_begin(&t->g, &t->g.dwell, n) < 0;
        if (o->from < 0 || n == o->from) arrive(o, &s, 0, n, least - 1, lost, false, 0);
    }
    do {
        s.changed = false;
        for (int at = 0; at < (o->count + 1) * TOY_MOST * MOST_STAY * 4; at++) {
            int lost = at / 2 % 2, stay = at / 4 % MOST_STAY, n = at / 4 / MOST_STAY % TOY_MOST;
            int done = at / 4 / MOST_STAY / TOY_MOST;
            double cost = s.cost[done][n][stay][lost][at % 2];
            if (!isfinite(cost)) continue;
            if (t->next[n] >= 0)
                arrive(o, &s, done, t->next[n], stay > 0 ? stay - 1 : 0, lost, at % 2 && stay > 0,
                       cost + frame);
            if (stay > 0 || lost) continue;
            for (int i = t->leaving[n]; i < t->leaving[n + 1]; i++) {
                double share = (double)t->links[i].distance * t->g.def.smoothness;
                arrive(o, &s, done, t->links[i].to, least - 1, t->lands[i] < 0, false,
                       cost + frame + share);
            }
        }
    } while (s.changed);
    for (int n = 0; n < t->g.nodes; n++) {
        if (o->to >= 0 && n != o->to) continue;
        for (int k = 0; k < 4; k++) best = fmin(best, s.cost[o->count][n][0][k / 2][k % 2]);
    }
    return best;
}

/* Does the walk play them all, one behind the other? */
static bool plays(const order *o, const marey_walk *walk)
{
    int at = 0;
    for (int i = 0; i < o->count; i++) {
        bool done = false;
        for (; at < walk->count && !done; at++) {
            for (int k = 0; k < o->t->g.action_count && !done; k++) {
                const mry_action *one = &o->t->actions[k];
                int need = one->label == o->labels[i] ? frames_of(o->t, one, walk->nodes[at]) : 0;
                if (need == 0 || at + need > walk->count) continue;
                done = true;
                for (int f = 1; f < need; f++)
                    done &= o->t->next[walk->nodes[at + f - 1]] == walk->nodes[at + f];
                if (done) at += need - 1;
            }
        }
        if (!done) return false;
    }
    return true;
}

TEST_CTX(actions_are_played_whole_as_cheaply_as_can_be)
{
    int found = 0, ended = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        toy_graph t;
        uint64_t lot = seed;
        const char *names[MOST_DONE];
        int labels[MOST_DONE], least = (int)(seed % 4);
        order o = { &t, labels, 1 + toy_below(&lot, MOST_DONE), -1, -1 };
        toy_make(&t, ctx, seed, 20 + (int)seed % 12, 8);
        t.g.def.smoothness = seed % 3 == 0 ? 1 : 0.4;
        toy_settle(&t, least);
        if (t.g.dwell.free_count < t.g.nodes / 3) continue; /* the judge goes anywhere */
        for (int i = 0; i < o.count; i++)
            names[i] = t.labels[labels[i] = toy_below(&lot, TOY_LABELS)];
        marey_walk_def def = { .kind = MAREY_WALK_LABELS, .labels = names, .label_count = o.count };
        def.from_given = toy_below(&lot, 2) == 0;
        def.to_given = toy_below(&lot, 3) == 0;
        if (def.from_given) def.from = o.from = toy_node(&t, &lot);
        if (def.to_given) def.to = o.to = toy_node(&t, &lot);
        if (def.from_given && mry_dwell_begin(&t.g, &t.g.dwell, def.from) < 0) continue;
        double cost = judge(&o);
        if (!isfinite(cost)) {
            toy_refused(ctx, &t, def, "no ");
            continue;
        }
        OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
        if (fabs(walk.cost - cost) >= 1e-9)
            fail_msg("seed %d, dwell %d: %g, the judge has %g", (int)seed, least, walk.cost, cost);
        assert_true(plays(&o, &walk));
        assert_true(walk.arrived);
        if (def.from_given) assert_int_equal(walk.nodes[0], def.from);
        if (def.to_given) assert_int_equal(walk.nodes[walk.count - 1], def.to);
        ended += def.to_given;
        found++;
    }
    assert_true(found >= 40 && ended >= 8);
}

TEST_GROUP_OF_CASES(test_walk_labels, NULL, NULL)
