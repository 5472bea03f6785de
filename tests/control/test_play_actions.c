/* test_play_actions.c - labelled actions in play: the ways to them beside a judge that goes frame by
   frame, and characters that do the whole of one and are steered again. */
#include "control/play.h"
#include "demo_graph.h"
#include "toy_graph.h"

/* ---- the ways, in graphs drawn by lot ---------------------------------------------------------- */

enum { MOST_STAY = 8 };

/* Least costs until an action begins, of being at a node with so many frames to stay in its piece. */
typedef struct values {
    double of[TOY_MOST][MOST_STAY];
} values;

typedef struct aim {
    const toy_graph *t;
    const mry_instance *instances;
    int count;
} aim;

/* An action begins at a node and leaves the walk free behind it. */
static bool begins_whole(const aim *a, int node, int stay)
{
    for (int i = 0; i < a->count; i++) {
        int frames = a->instances[i].last - node;
        if (a->instances[i].first == node && a->t->core[node + (stay > frames ? stay : frames)])
            return true;
    }
    return false;
}

static double arrive(const aim *a, const values *known, int node, int stay)
{
    if (node < 0) return INFINITY;
    return begins_whole(a, node, stay) ? 0 : known->of[node][stay];
}

static void judge(const aim *a, values *out)
{
    const toy_graph *t = a->t;
    for (int n = 0; n < TOY_MOST; n++)
        for (int stay = 0; stay < MOST_STAY; stay++) out->of[n][stay] = INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < t->g.nodes * MOST_STAY; k++) {
            int n = k / MOST_STAY, stay = k % MOST_STAY;
            if (stay == 0 && !t->core[n]) continue;
            double best = 1 + arrive(a, out, t->next[n], stay > 0 ? stay - 1 : 0);
            for (int i = t->leaving[n]; stay == 0 && i < t->leaving[n + 1]; i++) {
                int then = mry_dwell_stay(&t->g, i, t->g.dwell.least) - 1;
                double cost = 1 + mry_play_cost(&t->g, (double)t->links[i].distance);
                if (t->lands[i] >= 0)
                    best = fmin(best, cost + arrive(a, out, t->links[i].to, then));
            }
            if (!(best < out->of[n][stay])) continue;
            out->of[n][stay] = best;
            changed = true;
        }
    }
}

/* What it costs to go where the ways say until an action begins. */
static double follow(const aim *a, const mry_play_item *item, int node)
{
    const toy_graph *t = a->t;
    double cost = 0;
    for (int steps = 0; steps < 10 * TOY_MOST; steps++) {
        int way = item->way[node], begins = item->begins[node], stay = 0;
        if (way == -2) return INFINITY;
        assert_true(t->core[node]);
        cost += 1;
        if (way >= 0) {
            stay = mry_dwell_stay(&t->g, way, t->g.dwell.least) - 1;
            cost += mry_play_cost(&t->g, (double)t->links[way].distance);
        }
        node = way >= 0 ? t->links[way].to : t->next[node];
        if (begins >= 0) {
            int before = item->instances[begins].first - node;
            assert_true(before >= 0 && before <= stay);
            assert_true(begins_whole(a, node + before, stay - before));
            return cost + before;
        }
        node += stay;
        cost += stay;
    }
    fail_msg("the ways lead round and round");
    return 0;
}

TEST_CTX(ways_to_actions_are_the_cheapest)
{
    int compared = 0, over = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        toy_graph t;
        values best;
        mry_play play;
        int number;
        toy_make(&t, ctx, seed, 20 + (int)seed % 20, 8);
        toy_settle(&t, (int)(seed % 4));
        const char *label = t.labels[seed % TOY_LABELS];
        mry_play_open(&play, ctx, &t.g);
        aim a = { .t = &t };
        if (mry_play_join_action(&play, label, &number, &test_error)) {
            assert_int_equal(test_error.status, MAREY_ERR_REQUEST);
            refused++;
        } else {
            const mry_play_item *item = &play.items[number];
            a.instances = item->instances;
            a.count = item->instance_count;
            judge(&a, &best);
            for (int n = 0; n < t.g.nodes; n++) {
                if (!t.core[n]) continue;
                double cost = follow(&a, item, n);
                if (fabs(cost - best.of[n][0]) >= 1e-9 && cost != best.of[n][0])
                    fail_msg("seed %d, node %d: %g, the judge has %g", (int)seed, n, cost,
                             best.of[n][0]);
                compared += isfinite(cost);
                over += item->begins[n] >= 0 && item->way[n] >= 0;
            }
        }
        mry_play_close(&play);
    }
    assert_true(compared > 1000 && over > 50 && refused < 100);
}

/* ---- characters that do them --------------------------------------------------------------------- */

enum { FIRST = 70, LAST = 129 }; /* of the take, at the graph's rate */

typedef struct fixture {
    demo_graph *of;
    marey_policy *policy;
} fixture;

static int set_up(void **state)
{
    static const char *const names[] = { "walk_straight", "reach_right", "walk_left" };
    static fixture f;
    marey_error error = { 0 };
    f.of = demo_graph_takes(names, 3);
    double rate = marey_clip_fps(f.of->clips[1]) / MAREY_GRAPH_FPS;
    marey_behaviour reach = { 1, (int)(rate * FIRST), (int)(rate * (LAST + 1)), "reach", false };
    marey_behaviour walk = { 0, 0, marey_clip_frames(f.of->clips[0]), "walk", true };
    marey_behaviour both[] = { reach, walk };
    marey_graph_def def = { .behaviours = both, .behaviour_count = 2 };
    f.of->graph = demo_graph_build(f.of->ctx, f.of->clips, 3, &def);
    test_fine(marey_policy_train(f.of->ctx, f.of->graph, NULL, &f.policy, &error), &error);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    void *of = f->of;
    marey_policy_free(f->policy);
    return demo_graph_tear_down(&of);
}

static marey_controller *open_one(const fixture *f, marey_ctx *ctx)
{
    marey_controller *controller = NULL;
    marey_error error = { 0 };
    test_fine(marey_controller_open(ctx, f->of->graph, f->policy, NULL, &controller, &error),
              &error);
    return controller;
}

TEST_OF(fixture *f, the_whole_of_an_action_is_done_and_then_it_walks_on)
{
    const marey_graph *graph = f->of->graph;
    marey_controller *c = open_one(f, f->of->ctx);
    int reach, walk, begun = 0;
    marey_error error = { 0 };
    test_fine(marey_controller_join_action(c, "reach", &reach, &error), &error);
    test_fine(marey_controller_join_action(c, "walk", &walk, &error), &error);
    for (int round = 0; round < 12; round++) {
        marey_control_input input = { .direction_rad = round, .speed_cm_s = round % 3 ? 120 : 0 };
        marey_controller_frame frame;
        int asked = round % 4 == 3 ? walk : reach, waited = 0, frames = 0, last = -1;
        for (int k = 0; k < 7 * round; k++) marey_controller_step(c, &input, &frame);
        test_fine(marey_controller_ask(c, asked, NULL, NULL, &error), &error);
        do {
            marey_controller_step(c, &input, &frame);
            assert_true(++waited < 400);
        } while (frame.doing < 0);
        int first = frame.node;
        for (; frame.doing >= 0; frames++) {
            assert_int_equal(frame.doing, asked);
            assert_int_equal(frame.doing_frame, frames);
            assert_true(last < 0 || frame.node == last + 1);
            last = frame.node;
            marey_controller_step(c, &input, &frame);
        }
        const mry_origin *from = &graph->origin[first], *to = &graph->origin[last];
        assert_int_equal(from->clip, asked == reach ? 1 : 0);
        if (asked == walk) assert_int_equal(frames, (int)graph->fps);
        if (asked == walk) continue;
        double rate = marey_clip_fps(f->of->clips[1]) / graph->fps;
        assert_true(fabs(from->frame - rate * FIRST) <= rate);
        assert_true(fabs(to->frame - rate * LAST) <= rate);
        begun++;
    }
    assert_int_equal(begun, 9);
    marey_controller_free(c);
}

TEST_OF(fixture *f, what_it_does_not_know_is_refused_and_steps_take_no_memory)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    int number = -1;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        marey_controller *one = NULL;
        status = marey_controller_open(ctx, f->of->graph, f->policy, NULL, &one, NULL);
        if (status == MAREY_OK) status = marey_controller_join_action(one, "reach", &number, NULL);
        marey_controller_free(one);
    }
    marey_controller *c = open_one(f, ctx);
    marey_controller_frame frame;
    long live = memory.live;
    test_refused_about(marey_controller_join_action(c, "jump", &number, &test_error),
                       MAREY_ERR_REQUEST, "reach");
    test_refused_about(marey_controller_ask(c, 0, NULL, NULL, &test_error), MAREY_ERR_REQUEST,
                       "no family or action 0");
    assert_int_equal(memory.live, live);
    for (int k = 0; k < MRY_PLAY_ITEMS; k++)
        assert_int_equal(marey_controller_join_action(c, "reach", &number, NULL), MAREY_OK);
    test_refused_about(marey_controller_join_action(c, "reach", &number, &test_error),
                       MAREY_ERR_LIMIT, "at most 16");
    memory.refuse = 0;
    assert_int_equal(marey_controller_ask(c, 3, NULL, NULL, NULL), MAREY_OK);
    bool did = false;
    for (int k = 0; k < 500; k++) {
        marey_controller_step(c, &(marey_control_input){ 0, 100 }, &frame);
        did |= frame.doing == 3;
    }
    memory.refuse = -1;
    assert_true(did && frame.doing == -1);
    marey_controller_free(c);
}

TEST_GROUP_OF_CASES(test_play_actions, set_up, tear_down)
