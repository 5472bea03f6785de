/* test_walk_goals.c - walks that are at places at times: how they wait and go round obstacles, and
   at the edges of what can be asked. The graphs are made by hand, but
   for one of captured clips. */
#include "goal_search.h"
#include "hand_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- what is handed back --------------------------------------------------------------------- */

/* Straight on, bends to both sides and, if it can, standing; everything joins everything at the
   ends. */
static marey_graph *walker(marey_ctx *ctx, bool stands)
{
    static const hand_sequence ways[] = {
        { 10, 0, 90, 0 }, { 10, 0, 90, 60 }, { 10, 0, 90, -60 }, { 10, 0, 0, 0 }
    };
    hand_link links[16];
    int count = stands ? 4 : 3;
    for (int i = 0; i < count * count; i++) {
        int from = i / count, to = i % count;
        double turned = ways[from].turn_deg_s * 10 / 30;
        links[i] = (hand_link){ 10 * from + 9, 10 * to, turned, from == to ? 0 : 0.3 };
    }
    return hand_graph_make(ctx, ways, count, links, count * count);
}

typedef struct asked {
    marey_ctx *ctx;
    marey_graph *graph;
    marey_walk_def def;
    marey_walk walk;
    marey_error error;
} asked;

static asked ask(bool stands, const marey_walk_goal *goals, int count)
{
    asked a = { .ctx = test_ctx() };
    a.graph = walker(a.ctx, stands);
    a.def = (marey_walk_def){
        .kind = MAREY_WALK_GOALS, .goals = goals, .goal_count = count, .effort = 20000
    };
    return a;
}

static void answer(asked *a)
{
    if (marey_graph_walk(a->ctx, a->graph, &a->def, &a->walk, &a->error))
        fail_msg("%s", a->error.message);
}

static void done(asked *a)
{
    marey_walk_free(&a->walk);
    marey_graph_free(a->graph);
    assert_int_equal(marey_ctx_bytes(a->ctx), 0);
    marey_ctx_close(a->ctx);
}
OWNED_VALUE(asked, done)

/* Where the body is in a frame, found again from what is public. */
static void body_at(const asked *a, int frame, double *x, double *z)
{
    mry_floor place = { a->walk.place.angle_rad, a->walk.place.x_cm, a->walk.place.z_cm };
    for (int k = 1; k <= frame; k++) {
        const double *was = mry_place(a->graph->motion, a->walk.nodes[k - 1]);
        double was_x = was[0], was_z = was[2];
        mry_floor_apply(place, &was_x, &was_z);
        assert_true(mry_walk_step(a->graph, a->walk.nodes[k - 1], a->walk.nodes[k]) >= -1);
        marey_placement by = marey_graph_place(a->graph, a->walk.nodes[k - 1], a->walk.nodes[k]);
        place = mry_floor_times(place, (mry_floor){ by.angle_rad, by.x_cm, by.z_cm });
        if (a->walk.bends) place = mry_floor_about(place, a->walk.bends[k], was_x, was_z);
    }
    const double *root = mry_place(a->graph->motion, a->walk.nodes[frame]);
    *x = root[0];
    *z = root[2];
    mry_floor_apply(place, x, z);
}

static double error_at(const asked *a, const marey_walk_goal *goal)
{
    double x, z;
    body_at(a, (int)lround(goal->at_s * 30), &x, &z);
    return hypot(x - goal->x_cm, z - goal->z_cm);
}

TEST(a_walk_is_at_its_goals_in_time_stands_until_then_and_goes_on)
{
    static const marey_walk_goal goals[] = { { .at_s = 3, .x_cm = 200, .z_cm = 0 },
                                             { .at_s = 7, .x_cm = 200, .z_cm = 0 },
                                             { .at_s = 11, .x_cm = 480, .z_cm = 60 } };
    OWNED(asked) a = ask(true, goals, 3);
    answer(&a);
    assert_true(a.walk.arrived && a.walk.placed && a.walk.stands);
    assert_int_equal(a.walk.count, 331);
    for (int i = 0; i < 3; i++) assert_true(error_at(&a, &goals[i]) < 20);
    /* From a little after the first time to the second it stands, and only then. */
    int waits = 0;
    for (int f = 100; f <= 210; f++) waits += a.walk.nodes[f] >= 30;
    assert_true(waits > 100);
    double x, z;
    body_at(&a, 0, &x, &z);
    assert_true(hypot(x, z) < 1e-6);
}

TEST(headings_are_looked_at_as_steering_has_them)
{
    /* A body without limbs looks where it moves: up on the plan is against z. */
    static const marey_walk_goal goals[] = {
        { .at_s = 3.7, .x_cm = 250, .z_cm = -150, .heading_given = true, .heading_rad = PI / 2 }
    };
    OWNED(asked) a = ask(false, goals, 1);
    answer(&a);
    assert_true(a.walk.arrived && error_at(&a, &goals[0]) < 30);
    double x, z, before_x, before_z;
    body_at(&a, 111, &x, &z);
    body_at(&a, 109, &before_x, &before_z);
    assert_true(fabs(remainder(atan2(-(z - before_z), x - before_x) - PI / 2, 2 * PI)) < 0.6);
}

TEST(a_walk_begins_at_a_goal_of_time_0_and_with_the_node_it_is_given)
{
    static const marey_walk_goal goals[] = {
        { .at_s = 0, .x_cm = 70, .z_cm = -30, .heading_given = true, .heading_rad = 1 },
        { .at_s = 4, .x_cm = 200, .z_cm = -200 }
    };
    OWNED(asked) a = ask(true, goals, 2);
    double x, z;
    a.def.from_given = true;
    a.def.from = 14;
    answer(&a);
    assert_int_equal(a.walk.nodes[0], 14);
    body_at(&a, 0, &x, &z);
    assert_true(hypot(x - 70, z + 30) < 1e-6);
    assert_true(a.walk.arrived);
}

TEST(obstacles_are_gone_round)
{
    static const marey_walk_goal goals[] = { { .at_s = 6, .x_cm = 350, .z_cm = 0 },
                                             { .at_s = 13, .x_cm = 0, .z_cm = 40 } };
    static const marey_walk_obstacle obstacles[] = { { 170, 0, 45 }, { 170, 110, 30 } };
    OWNED(asked) a = ask(true, goals, 2);
    a.def.obstacles = obstacles;
    a.def.obstacle_count = 2;
    answer(&a);
    assert_true(a.walk.arrived);
    for (int f = 0; f < a.walk.count; f++) {
        double x, z;
        body_at(&a, f, &x, &z);
        for (int i = 0; i < 2; i++)
            assert_true(hypot(x - obstacles[i].x_cm, z - obstacles[i].z_cm) >=
                        obstacles[i].radius_cm + 25 - 1e-6);
    }
}

TEST(paths_lead_round_obstacles_too)
{
    static const double straight[] = { 0, 0, 600, 0 };
    static const marey_walk_obstacle pillar = { 300, 10, 40 };
    OWNED(asked) a = ask(true, NULL, 0);
    a.def = (marey_walk_def){ .kind = MAREY_WALK_PATH,
                              .path = straight,
                              .point_count = 2,
                              .obstacles = &pillar,
                              .obstacle_count = 1,
                              .effort = 20000 };
    answer(&a);
    assert_true(a.walk.arrived);
    for (int f = 0; f < a.walk.count; f++) {
        double x, z;
        body_at(&a, f, &x, &z);
        assert_true(hypot(x - 300, z - 10) >= 65 - 1e-6);
        if (fabs(x - 300) < 30) assert_true(hypot(x - 300, z - 10) < 65 + 30);
    }
}

TEST(a_goal_that_is_out_of_reach_is_missed_by_as_little_as_can_be)
{
    static const marey_walk_goal far = { .at_s = 2, .x_cm = 400, .z_cm = 0 };
    OWNED(asked) a = ask(true, &far, 1);
    answer(&a);
    assert_false(a.walk.arrived);
    assert_int_equal(a.walk.count, 61);
    /* Straight there at 90 cm/s. */
    assert_true(error_at(&a, &far) < 400 - 170);
}

TEST(who_never_stands_stays_near)
{
    static const marey_walk_goal goals[] = { { .at_s = 2, .x_cm = 150, .z_cm = 0 },
                                             { .at_s = 8, .x_cm = 150, .z_cm = 0 } };
    OWNED(asked) a = ask(false, goals, 2);
    answer(&a);
    assert_false(a.walk.stands);
    assert_true(a.walk.arrived);
    for (int f = 60; f < 240; f++) {
        double x, z;
        body_at(&a, f, &x, &z);
        assert_true(hypot(x - 150, z) < 400);
    }
}

/* A third of a second of standing that leads back to walking alone is no place to wait. */
TEST(who_stops_but_cannot_go_on_standing_does_not_stand)
{
    static const marey_walk_goal goals[] = { { .at_s = 6, .x_cm = 150, .z_cm = 0 } };
    for (int loop = 0; loop < 2; loop++) {
        OWNED(asked) a = ask(true, goals, 1);
        int left = 0, all = a.graph->transition_count;
        for (int i = 0; i < all; i++) {
            const marey_graph_transition *one = &a.graph->transitions[i];
            if (one->from == 39 && one->to == 30 && !loop) left = i;
        }
        a.def.barred = &left;
        a.def.barred_count = !loop;
        answer(&a);
        assert_int_equal(a.walk.stands, loop);
    }
}

TEST(two_searches_find_the_same_and_more_effort_is_not_worse)
{
    static const marey_walk_goal goals[] = { { .at_s = 3, .x_cm = 200, .z_cm = 50 },
                                             { .at_s = 8, .x_cm = -50, .z_cm = 80 } };
    OWNED(asked) a = ask(true, goals, 2);
    OWNED(asked) b = ask(true, goals, 2);
    OWNED(setting) s;
    answer(&a);
    answer(&b);
    assert_int_equal(a.walk.count, b.walk.count);
    assert_memory_equal(a.walk.nodes, b.walk.nodes, (size_t)a.walk.count * sizeof(int));
    set_up(&s, a.graph, &a.def);
    double last = INFINITY;
    for (int64_t effort = 200; effort < 20000; effort *= 3) {
        OWNED(mry_path_search) found = search(&s, 10, effort);
        assert_true(found.cost <= last && found.expanded <= effort);
        last = found.cost;
    }
    assert_true(isfinite(last));
}

/* ---- ways round obstacles --------------------------------------------------------------------- */

TEST_CTX(ways_round_a_circle_are_as_long_as_tangents_and_an_arc)
{
    OWNED(marey_graph) *graph = walker(ctx, true);
    const marey_walk_goal goal = { .at_s = 9, .x_cm = 200, .z_cm = 0 };
    for (int radius = 30; radius <= 130; radius += 20) {
        const marey_walk_obstacle one = { 0, 0, radius };
        marey_walk_def def = {
            .goals = (marey_walk_goal[]){ { .at_s = 0, .x_cm = -200 }, goal },
            .goal_count = 2,
            .obstacles = &one,
            .obstacle_count = 1,
        };
        OWNED(setting) s;
        set_up(&s, graph, &def);
        double r = radius + 30; /* the field keeps a little farther off than the body must */
        double judged = 2 * sqrt(200 * 200 - r * r) + r * (PI - 2 * acos(r / 200));
        double found = mry_goals_way(&s.goals, 1, -200, 0);
        assert_true(found > 0.99 * judged && found < 1.1 * judged);
        /* Where nothing is between, it is the distance; also from outside the grid. */
        assert_true(fabs(mry_goals_way(&s.goals, 1, 200, 90) - 90) < 4);
        assert_true(fabs(mry_goals_way(&s.goals, 1, 2000, 0) - 1800) < 20);
        assert_true(isfinite(mry_goals_way(&s.goals, 1, 0, 0)));
    }
}

TEST_CTX(grids_are_bounded_however_far_apart_things_are)
{
    OWNED(marey_graph) *graph = walker(ctx, true);
    const marey_walk_obstacle two[] = { { 4e5, 4e5, 1000 }, { 100, 0, 20 } };
    marey_walk_def def = { .goals = (marey_walk_goal[]){ { .at_s = 9, .x_cm = 9e5, .z_cm = -9e5 } },
                           .goal_count = 1,
                           .obstacles = two,
                           .obstacle_count = 2 };
    OWNED(setting) s;
    set_up(&s, graph, &def);
    assert_true(s.goals.cols <= 256 && s.goals.rows <= 256);
    assert_true(isfinite(mry_goals_way(&s.goals, 0, -1e6, 1e6)));
}

/* ---- what can go wrong ------------------------------------------------------------------------ */

TEST(goals_that_cannot_be_are_refused)
{
    static const marey_walk_goal fine = { .at_s = 2, .x_cm = 100 };
    static const marey_walk_goal rows[][2] = {
        { { .at_s = NAN }, { .at_s = 1 } },
        { { .at_s = -1 }, { .at_s = 1 } },
        { { .at_s = INFINITY }, { .at_s = 1 } },
        { { .at_s = 1, .x_cm = NAN }, { .at_s = 2 } },
        { { .at_s = 1, .z_cm = INFINITY }, { .at_s = 2 } },
        { { .at_s = 1, .z_cm = 1e300 }, { .at_s = 2 } },
        { { .at_s = 1, .heading_given = true, .heading_rad = NAN }, { .at_s = 2 } },
        { { .at_s = 2 }, { .at_s = 1 } },
        { { .at_s = 2 }, { .at_s = 2 } },
        { { .at_s = 2 }, { .at_s = 2.001 } },
        { { .at_s = 2 }, { .at_s = 1e9 } },
    };
    static const marey_walk_obstacle walls[] = {
        { NAN, 0, 5 },  { 300, INFINITY, 5 }, { 300, 0, -1 }, { 300, 0, 0 },  { 300, 0, NAN },
        { 120, 0, 30 }, { 100, 40, 20 },      { 10, 0, 5 },   { 300, 0, 1e9 }
    };
    OWNED(asked) a = ask(true, &fine, 1);
    enum { ROWS = sizeof rows / sizeof *rows, WALLS = sizeof walls / sizeof *walls };
    for (int i = 0; i < ROWS + WALLS + 6; i++) {
        marey_walk_def def = { .kind = MAREY_WALK_GOALS, .goals = &fine, .goal_count = 1 };
        marey_walk walk = { .count = -7 };
        marey_error error = { 0 };
        if (i < ROWS) {
            def.goals = rows[i];
            def.goal_count = 2;
        } else if (i < ROWS + WALLS) {
            def.obstacles = &walls[i - ROWS];
            def.obstacle_count = 1;
        }
        if (i == ROWS + WALLS) def.goal_count = 0;
        if (i == ROWS + WALLS + 1) def.goals = NULL;
        if (i == ROWS + WALLS + 2) def.goal_count = MAREY_WALK_MOST_GOALS + 1;
        if (i == ROWS + WALLS + 3) def.obstacle_count = 1;
        if (i == ROWS + WALLS + 4) def.obstacle_count = -1;
        if (i == ROWS + WALLS + 5) def.goals = &(marey_walk_goal){ .at_s = 0 };
        assert_int_equal(marey_graph_walk(a.ctx, a.graph, &def, &walk, &error), MAREY_ERR_REQUEST);
        assert_int_equal(walk.count, -7);
        assert_true(error.message[0] != 0);
    }
}

TEST(running_out_of_memory_is_reported_and_writes_nothing)
{
    static const marey_walk_goal goals[] = { { .at_s = 2, .x_cm = 150, .z_cm = 0 },
                                             { .at_s = 4, .x_cm = 100, .z_cm = 90 } };
    static const marey_walk_obstacle pillar = { 20, 90, 30 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_graph) *graph = walker(ctx, true);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        marey_walk_def def = { .kind = MAREY_WALK_GOALS,
                               .goals = goals,
                               .goal_count = 2,
                               .obstacles = &pillar,
                               .obstacle_count = 1,
                               .effort = 300 };
        marey_walk walk = { .count = -7 };
        status = marey_graph_walk(ctx, graph, &def, &walk, NULL);
        if (status) assert_int_equal(walk.count, -7);
        if (!status) marey_walk_free(&walk);
    }
    assert_true(sweep.at > 15);
}

/* ---- captured clips --------------------------------------------------------------------------- */

TEST(captured_bodies_are_there_wait_and_do_not_slide)
{
    static const char *const names[] = { "143_10", "143_11", "143_29", "143_32", "143_38" };
    enum { COUNT = sizeof names / sizeof *names };
    static const marey_walk_goal goals[] = {
        { .at_s = 5, .x_cm = 200, .z_cm = 300 },
        { .at_s = 9, .x_cm = 200, .z_cm = 300, .heading_given = true, .heading_rad = PI / 2 },
        { .at_s = 15, .x_cm = -100, .z_cm = 100 }
    };
    static const marey_walk_obstacle pillar = { 100, 150, 40 };
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
    marey_graph *built = NULL;
    if (marey_graph_build(ctx, (const marey_clip *const *)clips, COUNT, NULL, NULL, &built, &error))
        fail_msg("%s", error.message);
    OWNED(marey_graph) *graph = built;
    marey_walk_def def = { .kind = MAREY_WALK_GOALS,
                           .goals = goals,
                           .goal_count = 3,
                           .obstacles = &pillar,
                           .obstacle_count = 1,
                           .effort = 30000 };
    OWNED(marey_walk) walk = { 0 };
    OWNED(marey_made) made = { 0 };
    marey_walk_made about;
    marey_goal_reached reached[3];
    double clear;
    if (marey_graph_walk(ctx, graph, &def, &walk, &error)) fail_msg("%s", error.message);
    assert_true(walk.arrived && walk.stands);
    if (marey_walk_make(ctx, graph, &walk, NULL, &made, &about, &error))
        fail_msg("%s", error.message);
    test_ok(marey_walk_reached(ctx, graph, made.clip, &def, reached, &clear, NULL));
    for (int i = 0; i < 3; i++) assert_true(reached[i].error_cm < 30);
    assert_true(reached[1].error_rad < 0.5 && isnan(reached[0].error_rad));
    assert_true(clear > 15);
    assert_true(about.jump_ratio <= 1.1 && made.clean.slide_after_cm <= 0.3);
    /* It stands for most of the time between the first goal and the second, which are one place. */
    int still = 0, frames = 0;
    for (int f = 5 * 60 + 30; f < 9 * 60 - 30; f++, frames++) {
        const double *a = mry_place(made.clip, f - 3), *b = mry_place(made.clip, f + 3);
        still += hypot(b[0] - a[0], b[2] - a[2]) * 10 < 15;
    }
    assert_true(still > 0.5 * frames);
    for (int i = 0; i < COUNT; i++) marey_clip_free(clips[i]);
}

TEST_GROUP_OF_CASES(test_walk_goals, NULL, NULL)
