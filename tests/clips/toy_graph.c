/* toy_graph.c - motion graphs drawn by lot. */
#include "toy_graph.h"

#include "math/turn.h"

#include <math.h>
#include <string.h>

int toy_below(uint64_t *seed, int count)
{
    return (int)(mry_random_next(seed) % (uint64_t)count);
}

static bool has_link(const toy_graph *t, int from, int to)
{
    for (int i = t->leaving[from]; i < t->g.transition_count; i++)
        if (t->links[i].from == from && t->links[i].to == to) return true;
    return t->next[from] == to;
}

void toy_make(toy_graph *t, marey_ctx *ctx, uint64_t seed, int nodes, int share)
{
    *t = (toy_graph){ .labels = { "walk", "sit", "wave" } };
    t->g = (marey_graph){ .ctx = ctx,
                          .fps = TOY_FPS,
                          .nodes = nodes,
                          .originals = nodes,
                          .next = t->next,
                          .before = t->before,
                          .leaving = t->leaving,
                          .half = t->half,
                          .actions = t->actions,
                          .contacts = t->contacts,
                          .labelled = t->labelled,
                          .origin = t->origin,
                          .transitions = t->links,
                          .label_count = TOY_LABELS,
                          .labels = t->labels };
    t->g.def.threshold = 1;
    t->g.def.smoothness = 0.5;
    for (int n = 0; n < nodes; n++) {
        bool ends = n == nodes - 1 || toy_below(&seed, 8) == 0;
        t->next[n] = ends ? -1 : n + 1;
        t->origin[n].other = -1;
    }
    for (int n = 0; n < nodes; n++) t->before[n] = n > 0 && t->next[n - 1] == n ? n - 1 : -1;
    /* Links by lot. */
    t->g.transition_count = 0;
    for (int a = 0; a < t->g.nodes; a++) {
        t->leaving[a] = t->g.transition_count;
        for (int b = 0; b < t->g.nodes; b++) {
            if (toy_below(&seed, share) > 0 || t->g.transition_count == TOY_MOST_LINKS) continue;
            if (has_link(t, a, b)) continue;
            float distance = (float)toy_below(&seed, 100) / 100;
            t->links[t->g.transition_count++] =
                (marey_graph_transition){ .from = a, .to = b, .distance = distance };
        }
    }
    t->leaving[t->g.nodes] = t->g.transition_count;
    /* Labels come in stretches; some nodes have none, some two. */
    for (int label = 0; label < TOY_LABELS; label++) {
        for (int n = 0; n < t->g.nodes;) {
            int length = 1 + toy_below(&seed, 7);
            bool on = toy_below(&seed, 2) == 0;
            for (int k = 0; k < length && n < t->g.nodes; k++, n++)
                t->labelled[n] |= (uint64_t)on << label;
        }
    }
    toy_settle(t, 0);
}

void toy_settle(toy_graph *t, int least)
{
    mry_arena tmp = mry_arena_make(t->g.ctx);
    mry_dwell *dwell = &t->g.dwell;
    test_ok(mry_dwell_find(&t->g, &tmp, least, INFINITY, NULL, NULL, 0, dwell, NULL));
    memcpy(t->core, dwell->free, (size_t)t->g.nodes);
    memcpy(t->passed, dwell->passed, (size_t)t->g.nodes);
    memcpy(t->allowed, dwell->allowed, (size_t)t->g.nodes);
    memcpy(t->lands, dwell->lands, (size_t)t->g.transition_count * sizeof *t->lands);
    dwell->free = t->core;
    dwell->passed = t->passed;
    dwell->allowed = t->allowed;
    dwell->lands = t->lands;
    mry_arena_free(&tmp);
    t->g.def.dwell_s = least > 0 ? least / (double)TOY_FPS : -1;
    /* Runs of a label are actions. */
    t->g.action_count = 0;
    for (int label = 0; label < TOY_LABELS; label++) {
        for (int n = 0; n < t->g.nodes; n++) {
            int before = t->before[n];
            if (!(t->labelled[n] >> label & 1)) continue;
            if (before < 0 || !(t->labelled[before] >> label & 1))
                t->actions[t->g.action_count++] =
                    (mry_action){ label, n, n, label == 2 || (n + label) % 3 == 0 };
            else
                t->actions[t->g.action_count - 1].last = n;
        }
    }
}

/* The cost of a step, INFINITY if there is none. */
double toy_step(const toy_graph *t, int from, int to)
{
    double frame = 1 - t->g.def.smoothness, best = t->next[from] == to ? frame : INFINITY;
    for (int i = t->leaving[from]; i < t->leaving[from + 1]; i++) {
        if (t->links[i].to != to) continue;
        double share = (double)t->links[i].distance / t->g.def.threshold;
        best = fmin(best, frame + t->g.def.smoothness * share);
    }
    return best;
}

int toy_node(const toy_graph *t, uint64_t *seed)
{
    int n;
    do n = toy_below(seed, t->g.nodes);
    while (!t->core[n]);
    return n;
}

void toy_assert(const toy_graph *t, const marey_walk *walk)
{
    double cost = 0;
    bool lost = false;
    assert_true(walk->count >= 1);
    for (int k = 0; k < walk->count; k++) {
        assert_in_range(walk->nodes[k], 0, t->g.nodes - 1);
        /* The last action may be where there is no way back. */
        assert_false(lost && t->core[walk->nodes[k]] && t->g.dwell.least == 0);
        lost |= !t->core[walk->nodes[k]];
        if (k > 0) cost += toy_step(t, walk->nodes[k - 1], walk->nodes[k]);
    }
    assert_true(isfinite(cost)); /* there is a way for every step */
    int pieces = marey_walk_pieces(&t->g, walk, NULL, 0), at = 0;
    for (int k = 1; k <= walk->count && pieces > 1; k++) {
        if (k < walk->count && t->next[walk->nodes[k - 1]] == walk->nodes[k]) continue;
        assert_true(k - at >= t->g.dwell.least);
        at = k;
    }
    assert_true(fabs(cost - walk->cost) < 1e-9 * (1 + cost));
}

marey_walk toy_walk(marey_ctx *ctx, const toy_graph *t, marey_walk_def def)
{
    marey_walk walk = { 0 };
    test_ok(marey_graph_walk(ctx, &t->g, &def, &walk, &test_error));

    toy_assert(t, &walk);
    return walk;
}

void toy_refused(marey_ctx *ctx, const toy_graph *t, marey_walk_def def, const char *says)
{
    marey_walk walk = { .count = -7 };
    marey_error error = { 0 };
    assert_int_equal(marey_graph_walk(ctx, &t->g, &def, &walk, &error), MAREY_ERR_REQUEST);
    assert_int_equal(walk.count, -7);
    if (!strstr(error.message, says)) fail_msg("'%s' is not in '%s'", says, error.message);
}
