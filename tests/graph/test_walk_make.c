/* test_walk_make.c - walks as clips, a frame for every node (test_walk_rate.c has other rates):
   where pieces stand, what is the clips' own, that nothing jumps and planted feet stay, what
   happens when the node before a transition is gone, and ten minutes of captured motion. */
#include "demo_graph.h"
#include "motion/feet.h"

#include <stdio.h>
#include <string.h>

enum { TAKES = 4 };

static int set_up(void **state)
{
    static const char *const names[TAKES] = { "walk_straight", "walk_left", "walk_right",
                                              "walk_fast" };
    demo_graph *f = demo_graph_takes(names, TAKES);
    f->graph = demo_graph_build(f->ctx, f->clips, TAKES, NULL);
    assert_true(f->graph->dwell.free_count > f->graph->nodes / 2);
    *state = f;
    return 0;
}

static marey_made make(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                       marey_walk_make_def def, marey_walk_made *about)
{
    marey_made made = { 0 };
    marey_error error;
    def.fps = graph->fps;
    if (marey_walk_make(ctx, graph, walk, &def, &made, about, &error))
        fail_msg("%s", error.message);
    assert_int_equal(marey_clip_frames(made.clip), walk->count);
    return made;
}

/* Where joints are when a node is laid somewhere. */
static void lay(const marey_graph *graph, int node, mry_floor at, double *out)
{
    marey_clip_positions(graph->motion, node, 1, out);
    for (int j = 0; j < graph->motion->skeleton.joint_count; j++)
        mry_floor_apply(at, &out[3 * j], &out[3 * j + 2]);
}

static bool is_cut(const marey_graph *graph, const marey_walk *walk, int frame)
{
    return graph->next[walk->nodes[frame - 1]] != walk->nodes[frame];
}

/* ---- where everything stands ----------------------------------------------------------------- */

TEST_OF(demo_graph *f, a_walk_without_transitions_is_the_clip)
{
    int nodes[40], at = marey_graph_find(f->graph, 1, 60);
    marey_walk walk = { .count = 40, .nodes = nodes };
    for (int k = 0; k < 40; k++, at = f->graph->next[at]) nodes[k] = at;
    for (int rough = 0; rough < 2; rough++) {
        marey_walk_made about;
        marey_walk_make_def def = { .rough = rough, .leave_feet = true };
        OWNED(marey_made) made = make(f->ctx, f->graph, &walk, def, &about);
        for (int k = 0; k < 40; k++) {
            size_t turns = 4 * sizeof(float) * (size_t)made.clip->skeleton.joint_count;
            assert_memory_equal(mry_turn(made.clip, k), mry_turn(f->graph->motion, nodes[k]),
                                turns);
            assert_memory_equal(mry_place(made.clip, k), mry_place(f->graph->motion, nodes[k]), 24);
        }
        assert_int_equal(about.transitions, 0);
        assert_true(about.jump_ratio == 1 && about.mean_quality == 1);
    }
}

/* By hand: each piece behind the one before. */
TEST_OF(demo_graph *f, pieces_are_laid_behind_each_other)
{
    const marey_graph *g = f->graph;
    OWNED(marey_walk) walk = rove(f->ctx, g, 600, 3);
    marey_walk_make_def def = { .rough = true,
                                .place_given = true,
                                .place = { .angle_rad = 1, .x_cm = 1e5, .z_cm = -300 } };
    marey_walk_made about;
    OWNED(marey_made) made = make(f->ctx, g, &walk, def, &about);
    mry_floor at = { 1, 1e5, -300 };
    double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS], worst = 0;
    int joints = made.clip->skeleton.joint_count, cuts = 0;
    for (int k = 0; k < walk.count; k++) {
        if (k > 0 && is_cut(g, &walk, k)) {
            /* the node before this one lies on the last one */
            mry_floor on = mry_graph_floor(g, walk.nodes[k - 1], walk.nodes[k]);
            lay(g, walk.nodes[k - 1], at, p);
            at = mry_floor_times(at, on);
            lay(g, g->before[walk.nodes[k]], at, q);
            worst = fmax(worst, joints_apart(p, q, joints));
            cuts++;
        }
        lay(g, walk.nodes[k], at, p);
        marey_clip_positions(made.clip, k, 1, q);
        assert_true(joints_apart(p, q, joints) < 0.02); /* floats, 1 km from the origin */
    }
    assert_int_equal(cuts, about.transitions);
    assert_true(cuts > 5);
    assert_true(worst > 1 && worst < 60);
}

TEST_OF(demo_graph *f, a_walk_along_a_path_stands_where_it_was_found)
{
    OWNED(marey_walk) walk = rove(f->ctx, f->graph, 30, 4);
    marey_walk_make_def def = { .rough = true };
    walk.placed = true;
    walk.place = (marey_placement){ .angle_rad = 0.5, .x_cm = 100, .z_cm = 200 };
    OWNED(marey_made) placed = make(f->ctx, f->graph, &walk, def, NULL);
    def.place_given = true;
    def.place = walk.place;
    walk.place.x_cm = 9;
    OWNED(marey_made) given = make(f->ctx, f->graph, &walk, def, NULL);
    double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS];
    marey_clip_positions(placed.clip, 29, 1, p);
    marey_clip_positions(given.clip, 29, 1, q);
    assert_memory_equal(p, q, 3 * sizeof *p * (size_t)placed.clip->skeleton.joint_count);
    lay(f->graph, walk.nodes[0], (mry_floor){ 0.5, 100, 200 }, q);
    marey_clip_positions(placed.clip, 0, 1, p);
    assert_true(joints_apart(p, q, placed.clip->skeleton.joint_count) < 0.001);
}

/* ---- transitions ----------------------------------------------------------------------------- */

/* A walk over one transition, with as many frames on both sides as it is spread over, and some
   more. */
static bool walk_over(const marey_graph *g, int transition, int beside, int *nodes)
{
    int half = g->half[transition], back = g->transitions[transition].from;
    int on = g->transitions[transition].to, count = half + beside;
    for (int k = count - 1; k >= 0; k--, back = back >= 0 ? g->before[back] : -1) nodes[k] = back;
    for (int k = count; k < 2 * count; k++, on = on >= 0 ? g->next[on] : -1) nodes[k] = on;
    for (int k = 0; k < 2 * count; k++) {
        if (nodes[k] < 0) return false;
    }
    return true;
}

/* At the transition the pelvis is half-way between both motions, and `half` frames away everything
   is as it was. */
TEST_OF(demo_graph *f, differences_are_spread_over_both_sides)
{
    const marey_graph *g = f->graph;
    int joints = g->motion->skeleton.joint_count, tried = 0;
    for (int t = 0; t < g->transition_count; t += 7) {
        int nodes[200], half = g->half[t], count = 2 * (half + 5);
        if (count > 200 || !walk_over(g, t, 5, nodes)) continue;
        marey_walk walk = { .count = count, .nodes = nodes };
        marey_walk_make_def def = { .leave_feet = true };
        marey_walk_made about;
        OWNED(marey_made) made = make(f->ctx, g, &walk, def, &about);
        double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS], r[3 * MOST_JOINTS];
        int from = g->transitions[t].from, like = g->before[g->transitions[t].to];
        lay(g, from, (mry_floor){ 0 }, p);
        lay(g, like, g->places[t], q);
        marey_clip_positions(made.clip, count / 2 - 1, 1, r);
        for (int i = 0; i < 3; i++) assert_true(fabs(r[i] - (p[i] + q[i]) / 2) < 0.01);
        /* the other joints nearly so: they turn */
        assert_true(joints_apart(p, r, joints) < 0.6 * joints_apart(p, q, joints) + 0.5);
        for (int k = 0; k < count; k++) {
            if (k >= 4 && k < count - 5) continue;
            lay(g, nodes[k], k < count / 2 ? (mry_floor){ 0 } : g->places[t], p);
            marey_clip_positions(made.clip, k, 1, r);
            assert_true(joints_apart(p, r, joints) < 0.01);
        }
        /* Beside a leap of the motion itself there is nothing to be fast against. */
        if (g->transitions[t].jump > 0.4f) assert_true(about.jump_ratio < 1.11);
        tried++;
    }
    assert_true(tried > 20);
}

/* The cheapest ways between nodes chosen by lot go over transitions that are close to each
   other. */
TEST_OF(demo_graph *f, transitions_close_to_each_other_do_not_jump)
{
    const marey_graph *g = f->graph;
    uint64_t lot = 5;
    int close = 0, tried = 0, jumps[2] = { 0, 0 };
    for (int n = 0; n < 60; n++) {
        int ends[2];
        for (int i = 0; i < 2; i++) {
            do ends[i] = (int)(mry_random_next(&lot) % (uint64_t)g->nodes);
            while (!marey_graph_node_of(g, ends[i]).ends ||
                   !marey_graph_node_of(g, ends[i]).begins);
        }
        marey_walk_def def = { .kind = MAREY_WALK_TO,
                               .from_given = true,
                               .to_given = true,
                               .from = ends[0],
                               .to = ends[1],
                               .dwell_s = -1 };
        OWNED(marey_walk) walk = { 0 };
        marey_walk_made rough, smooth;
        assert_int_equal(marey_graph_walk(f->ctx, g, &def, &walk, NULL), MAREY_OK);
        if (walk.count > 2) {
            OWNED(marey_made) a =
                make(f->ctx, g, &walk, (marey_walk_make_def){ .rough = true }, &rough);
            OWNED(marey_made) b =
                make(f->ctx, g, &walk, (marey_walk_make_def){ .leave_feet = true }, &smooth);
            assert_true(smooth.jump_ratio <= 2.2);
            tried++;
            jumps[0] += rough.jump_ratio > 1.15;
            jumps[1] += smooth.jump_ratio > 1.15;
        }
        for (int k = 2, last = -99; k < walk.count; k++) {
            if (!is_cut(g, &walk, k)) continue;
            close += k - last < 6;
            last = k;
        }
    }
    assert_true(close > 5 && tried > 50);
    assert_true(jumps[0] > tried / 2 && jumps[1] <= tried / 20);
}

/* After a reduction: neither the node before the target nor the one behind the origin need be
   there, nor any around them. What is made hardly differs. */
TEST_OF(demo_graph *f, a_transition_is_the_same_without_the_node_that_it_was_found_by)
{
    marey_graph *g = f->graph;
    int tried = 0;
    double off[4] = { 0 };
    for (int t = 3; t < g->transition_count && tried < 12; t += 31) {
        int nodes[200], half = g->half[t], count = 2 * (half + 5);
        if (count > 200 || !walk_over(g, t, 5, nodes)) continue;
        marey_walk walk = { .count = count, .nodes = nodes };
        marey_made made[4];
        int from = g->transitions[t].from, to = g->transitions[t].to;
        int before = g->before[to], next = g->next[from], earlier = g->before[from];
        for (int gone = 0; gone < 4; gone++) {
            if (gone > 0) g->before[to] = -1;
            if (gone > 1) g->next[from] = -1;
            if (gone > 2) g->before[from] = -1;
            made[gone] = make(f->ctx, g, &walk, (marey_walk_make_def){ .leave_feet = true }, NULL);
            double most = 0;
            for (int k = 0; k < count; k++)
                most = fmax(most, test_frame_apart(made[0].clip, k, made[gone].clip, k));
            off[gone] += most;
        }
        for (int gone = 0; gone < 4; gone++) marey_made_free(&made[gone]);
        g->before[to] = before;
        g->next[from] = next;
        g->before[from] = earlier;
        tried++;
    }
    assert_true(tried >= 5);
    assert_true(off[1] / tried < 3.5); /* cm */
    assert_true(off[2] / tried < 4.5);
    assert_true(off[3] / tried < 5);
}

/* ---- feet ------------------------------------------------------------------------------------ */

/* Plants are of the nodes' own, in order, and most of the frames that are planted by their nodes
   are held. */
static void assert_plants(const marey_graph *g, const marey_walk *walk,
                          const marey_contacts *plants)
{
    double held = 0, all = 0;
    for (int k = 0; k < walk->count; k++) all += __builtin_popcount(g->contacts[walk->nodes[k]]);
    for (int n = 0; n < plants->count; n++) {
        const marey_contact *plant = &plants->items[n], *last = plant - 1;
        assert_true(plant->start >= 0 && plant->start < plant->end && plant->end <= walk->count);
        for (int k = plant->start; k < plant->end; k++)
            assert_true(g->contacts[walk->nodes[k]] >> plant->joint & 1);
        held += plant->end - plant->start;
        if (n == 0) continue;
        assert_true(plant->joint > last->joint ||
                    (plant->joint == last->joint && plant->start >= last->end));
    }
    assert_true(held > 0.85 * all);
}

/* No foot is held farther away than legs can do: before the clean-up, a plant's places are near
   their mean. */
static void assert_near(marey_ctx *ctx, const marey_graph *g, const marey_walk *walk)
{
    OWNED(marey_made) made = make(ctx, g, walk, (marey_walk_make_def){ .leave_feet = true }, NULL);
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_feet feet;
    double worst = 0;
    assert_true(mry_feet_build(&tmp, made.clip, &feet));
    for (int n = 0; n < made.contacts.count; n++) {
        const marey_contact *plant = &made.contacts.items[n];
        const double *at = feet.at[plant->joint];
        double x = 0, z = 0, frames = plant->end - plant->start;
        for (int k = plant->start; k < plant->end; k++) {
            x += at[3 * k] / frames;
            z += at[3 * k + 2] / frames;
        }
        for (int k = plant->start; k < plant->end; k++)
            worst = fmax(worst, hypot(at[3 * k] - x, at[3 * k + 2] - z));
    }
    assert_true(worst < 12);
}

static void assert_sound(marey_ctx *ctx, const marey_graph *g, const marey_walk *walk)
{
    marey_walk_made about;
    marey_quality found;
    OWNED(marey_contacts) plants = { 0 };
    OWNED(marey_made) made = make(ctx, g, walk, (marey_walk_make_def){ 0 }, &about);
    assert_true(about.transitions > walk->count / 200);
    assert_true(about.jump_ratio <= 1.1);
    assert_true(about.mean_quality > 0.9 && about.mean_quality < 1);
    assert_plants(g, walk, &made.contacts);
    assert_true(test_slide(made.clip, made.contacts.items, made.contacts.count) <= 0.5);
    assert_true(made.clean.plants == made.contacts.count);
    assert_true(made.clean.root_moved_cm < 12);
    assert_near(ctx, g, walk);
    /* Feet that look planted are, also where no plant is reported. */
    assert_int_equal(marey_contacts_find(made.clip, NULL, &plants), MAREY_OK);
    assert_int_equal(marey_clip_quality(made.clip, plants.items, plants.count, &found), MAREY_OK);
    assert_true(found.slide_cm <= 0.5);
}

TEST_OF(demo_graph *f, planted_feet_stay_and_nothing_jumps)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        OWNED(marey_walk) walk = rove(f->ctx, f->graph, 3000, seed);
        assert_sound(f->ctx, f->graph, &walk);
    }
}

TEST_OF(demo_graph *f, the_same_walk_has_the_same_bytes)
{
    OWNED(marey_walk) walk = rove(f->ctx, f->graph, 1000, 8);
    OWNED(marey_made) one = make(f->ctx, f->graph, &walk, (marey_walk_make_def){ 0 }, NULL);
    OWNED(marey_made) two = make(f->ctx, f->graph, &walk, (marey_walk_make_def){ 0 }, NULL);
    size_t joints = (size_t)one.clip->skeleton.joint_count;
    assert_memory_equal(one.clip->turn, two.clip->turn, 1000 * joints * 4 * sizeof(float));
    assert_memory_equal(one.clip->place, two.clip->place,
                        1000 * (size_t)one.clip->mover_count * 3 * sizeof(double));
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST_OF(demo_graph *f, what_is_no_walk_is_refused)
{
    int same[2] = { 0, 0 }, outside[2] = { f->graph->nodes, 0 };
    const struct {
        marey_walk walk;
        marey_status status;
        const char *says;
    } wrong[] = {
        { { .count = 0, .nodes = same }, MAREY_ERR_REQUEST, "" },
        { { .count = 2, .nodes = same }, MAREY_ERR_REQUEST, "frame 1" },
        { { .count = 2, .nodes = outside }, MAREY_ERR_REQUEST, "" },
        { { .count = MRY_WALK_MOST_FRAMES + 1, .nodes = outside }, MAREY_ERR_LIMIT, "" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_made made = { .from_a_end = -7 };
        marey_error error;
        assert_int_equal(
            marey_walk_make(f->ctx, f->graph, &wrong[i].walk, NULL, &made, NULL, &error),
            wrong[i].status);
        assert_non_null(strstr(error.message, wrong[i].says));
        assert_int_equal(made.from_a_end, -7);
    }
}

TEST_OF(demo_graph *f, a_walk_can_be_cancelled)
{
    OWNED(marey_walk) walk = rove(f->ctx, f->graph, 100, 8);
    marey_made made = { .from_a_end = -7 };
    marey_ctx_cancel(f->ctx);
    marey_status status = marey_walk_make(f->ctx, f->graph, &walk, NULL, &made, NULL, NULL);
    marey_ctx_resume(f->ctx);
    assert_int_equal(status, MAREY_ERR_CANCELLED);
    assert_int_equal(made.from_a_end, -7);
}

TEST_OF(demo_graph *f, running_out_of_memory_is_reported_and_leaves_nothing)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_graph) *graph = demo_graph_build(ctx, f->clips, 2, NULL);
    OWNED(marey_walk) walk = rove(ctx, graph, 120, 8);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_made made = { .from_a_end = -7 };
        marey_walk_made about = { .transitions = -7 };
        status = marey_walk_make(ctx, graph, &walk, NULL, &made, &about, NULL);
        if (status) assert_true(made.from_a_end == -7 && about.transitions == -7);
        if (!status) marey_made_free(&made);
    }
}

/* c3 of the sets of real clips, which was captured at 60 Hz. */
TEST(ten_minutes_of_captured_motion_are_sound)
{
    static const char *const names[] = { "143_01", "143_02", "143_03", "143_05", "143_10",
                                         "143_11", "143_29", "143_32", "143_38" };
    enum { COUNT = sizeof names / sizeof *names };
    OWNED(marey_ctx) *ctx = NULL;
    marey_clip *clips[COUNT];
    marey_error error;
    test_need_mocap();
    assert_int_equal(marey_ctx_open(NULL, &ctx), MAREY_OK);
    for (int i = 0; i < COUNT; i++) {
        char path[1024];
        marey_load_def def = { .source_fps = 60 };
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", test_mocap_folder(), names[i]);
        if (marey_clip_load(ctx, path, &def, &clips[i], &error)) fail_msg("%s", error.message);
    }
    OWNED(marey_graph) *graph =
        demo_graph_build(ctx, (const marey_clip *const *)clips, COUNT, NULL);
    int frames = TEST_SANITIZED && !test_is_long() ? 9000 : 18000;
    OWNED(marey_walk) walk = rove(ctx, graph, frames, 1);
    assert_sound(ctx, graph, &walk);
    /* Also at the clips' own rate. */
    OWNED(marey_made) made = { 0 };
    marey_walk_made about;
    if (marey_walk_make(ctx, graph, &walk, NULL, &made, &about, &error))
        fail_msg("%s", error.message);
    assert_true(marey_clip_fps(made.clip) == 60);
    assert_int_equal(marey_clip_frames(made.clip), 2 * frames - 1);
    assert_true(about.jump_ratio <= 1.1);
    assert_true(test_slide(made.clip, made.contacts.items, made.contacts.count) <= 0.5);
    for (int i = 0; i < COUNT; i++) marey_clip_free(clips[i]);
}

TEST_GROUP_OF_CASES(test_walk_make, set_up, demo_graph_tear_down)
