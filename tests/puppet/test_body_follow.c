/* test_body_follow.c - a whole body that goes where a puck goes: it stays near, starts and ends
   where it should, is bent by no more than it may, takes no memory while it goes; and what cannot
   be is refused. */
#include "hand_graph.h"
#include "puppet/body_data.h"

#include <marey/demo.h>

#include <math.h>

enum { TAKES = 3, PLACES = 601 };

#define RATE 60.0
#define PI 3.14159265358979323846

typedef struct bench {
    test_memory memory;
    marey_ctx *ctx;
    marey_demo_take *takes[TAKES];
    marey_graph *graph;
    marey_policy *policy;
    marey_body_ground *ground;
    marey_entity path[PLACES]; /* ten seconds: a walk along an arc, then a stop */
} bench;

static int bench_open(void **state)
{
    static const char *const names[TAKES] = { "walk_eight", "walk_left", "walk_right" };
    static bench b;
    const marey_clip *clips[TAKES];
    b.memory.refuse = -1;
    marey_ctx_def open = { .resize = test_memory_resize, .resize_user = &b.memory };
    if (marey_ctx_open(&open, &b.ctx)) return 1;
    for (int i = 0; i < TAKES; i++) {
        b.takes[i] = test_demo_take(b.ctx, names[i]);
        clips[i] = marey_demo_clip(b.takes[i]);
    }
    marey_graph_def def = { .threshold = 10, .sigma = 30 };
    if (marey_graph_build(b.ctx, clips, TAKES, NULL, &def, &b.graph, NULL)) return 1;
    if (marey_policy_train(b.ctx, b.graph, NULL, &b.policy, NULL)) return 1;
    if (marey_body_ground_open(b.ctx, b.graph, b.policy, &b.ground, NULL)) return 1;
    for (int i = 1; i < PLACES; i++) {
        double time = i / RATE, speed = time < 7 ? 100 : 0, turn = time < 7 ? 0.3 : 0;
        marey_entity at = b.path[i - 1];
        at.direction_rad += turn / RATE;
        at.x_cm += cos(at.direction_rad) * speed / RATE;
        at.y_cm += sin(at.direction_rad) * speed / RATE;
        b.path[i] = at;
    }
    *state = &b;
    return 0;
}

static int bench_close(void **state)
{
    bench *b = *state;
    marey_body_ground_free(b->ground);
    marey_policy_free(b->policy);
    marey_graph_free(b->graph);
    for (int i = 0; i < TAKES; i++) marey_demo_free(b->takes[i]);
    marey_ctx_close(b->ctx);
    return 0;
}

TEST_OF(bench *b, it_stays_near)
{
    OWNED(marey_made) made = { 0 };
    marey_body_made about;
    marey_error error = { 0 };
    test_fine(marey_body_make(b->ctx, b->graph, b->policy, b->path, PLACES, RATE, NULL, NULL, &made,
                              &about, &error),
              &error);
    print_message("%.0f cm away on the mean, %.0f at most, of %.0f cm\n", about.away_cm,
                  about.away_most_cm, hypot(b->path[PLACES - 1].x_cm, b->path[PLACES - 1].y_cm));
    assert_true(about.away_cm < 40 && about.away_most_cm < 130);
    assert_true(about.away_cm <= about.away_most_cm);
    double seconds = marey_clip_frames(made.clip) / marey_clip_fps(made.clip);
    assert_true(fabs(seconds - 10) < 0.1);
    assert_true(about.walk.jump_ratio < 1.2);
    assert_true(made.clean.slide_after_cm < 0.1);
    marey_quality quality;
    assert_int_equal(
        marey_clip_quality(made.clip, made.contacts.items, made.contacts.count, &quality),
        MAREY_OK);
    /* 0.9 without lifting them */
    print_message("feet %.2f cm below the floor\n", quality.penetration_cm);
    assert_true(quality.penetration_cm < 0.6);
}

/* A step is a frame of the graph; what it says of the body is where its pose stands. */
TEST_OF(bench *b, steps_begin_at_the_given_place)
{
    OWNED(marey_body) *body = NULL;
    marey_controller_frame frame;
    const marey_entity start = { 120, -40, 2 };
    assert_int_equal(marey_body_open(b->ctx, b->graph, b->policy, &start, NULL, &body, NULL),
                     MAREY_OK);
    marey_body_step(body, &start, &frame);
    assert_true(hypot(frame.x_cm - 120, frame.z_cm - 40) < 1e-6);
    assert_true(frame.places[0] == frame.x_cm && frame.places[2] == frame.z_cm);
    /* A place that cannot be is as before: it goes on standing there. */
    const marey_entity nowhere = { NAN, 0, 0 };
    for (int i = 0; i < 300; i++) marey_body_step(body, &nowhere, &frame);
    assert_true(isfinite(frame.x_cm) && hypot(frame.x_cm - 120, frame.z_cm - 40) < 200);
}

static marey_body *body_open(const bench *b, bool shared)
{
    marey_body *body = NULL;
    const marey_entity start = { 0 };
    const marey_body_def def = { .ground = shared ? b->ground : NULL };
    assert_int_equal(marey_body_open(b->ctx, b->graph, b->policy, &start, &def, &body, NULL),
                     MAREY_OK);
    return body;
}

/* A puck that stands four metres away, ahead, to each side and behind. */
TEST_OF(bench *b, it_makes_up_for_being_behind)
{
    static const double sides[4][2] = { { 400, 0 }, { 0, 400 }, { 0, -400 }, { -400, 0 } };
    for (int i = 0; i < 4; i++) {
        OWNED(marey_body) *body = body_open(b, true);
        marey_controller_frame frame;
        const marey_entity wanted = { sides[i][0], sides[i][1], 0 };
        double nearest = INFINITY;
        for (int f = 0; f < 300; f++) {
            marey_body_step(body, &wanted, &frame);
            nearest = fmin(nearest, hypot(frame.x_cm - wanted.x_cm, frame.z_cm + wanted.y_cm));
        }
        if (!(nearest < 60)) fail_msg("side %d: never nearer than %.0f cm", i, nearest);
    }
}

/* ---- what a step is -------------------------------------------------------------------------- */

static mry_floor floor_of(marey_placement at)
{
    return (mry_floor){ at.angle_rad, at.x_cm, at.z_cm };
}

/* From each frame to the next it goes where the graph says, but for a little bend. */
TEST_OF(bench *b, a_step_is_one_of_the_graph_and_hardly_bent)
{
    OWNED(marey_body) *body = body_open(b, true);
    marey_controller_frame frame;
    const double fps = marey_graph_fps(b->graph);
    double turned = 0, shifted = 0;
    int before = -1;
    mry_floor laid = { 0 };
    for (int f = 0; f < 300; f++) {
        marey_body_step(body, &b->path[2 * f], &frame);
        mry_floor now = floor_of(marey_controller_place(body->controller));
        if (before >= 0) {
            const double *root = mry_place(b->graph->motion, frame.node);
            double x = root[0], z = root[2], to_x = x, to_z = z;
            assert_true(b->graph->next[before] == frame.node || frame.transition);
            mry_floor is =
                mry_floor_times(laid, floor_of(marey_graph_place(b->graph, before, frame.node)));
            mry_floor_apply(is, &x, &z);
            mry_floor_apply(now, &to_x, &to_z);
            double turn = fabs(remainder(now.angle - is.angle, 2 * PI));
            double shift = hypot(to_x - x, to_z - z);
            assert_true(turn <= MRY_BODY_TURN_RAD_S / fps + 1e-9);
            assert_true(shift <= MRY_BODY_SHIFT * frame.speed_cm_s / fps + 1e-6);
            turned = fmax(turned, turn);
            shifted = fmax(shifted, shift);
        }
        before = frame.node;
        laid = now;
    }
    assert_true(turned > 0 && shifted > 0);
}

TEST_OF(bench *b, the_same_steps_come_again_with_any_ground_and_take_no_memory)
{
    OWNED(marey_body) *shared = body_open(b, true), *alone = body_open(b, false);
    long calls = b->memory.calls;
    for (int f = 0; f < 300; f++) {
        marey_controller_frame frames[2];
        marey_body_step(shared, &b->path[2 * f], &frames[0]);
        marey_body_step(alone, &b->path[2 * f], &frames[1]);
        assert_int_equal(frames[0].node, frames[1].node);
        assert_true(frames[0].x_cm == frames[1].x_cm && frames[0].z_cm == frames[1].z_cm);
    }
    assert_int_equal(b->memory.calls, calls);
}

TEST_OF(bench *b, what_cannot_be_is_refused)
{
    const marey_entity bad[2] = { { 0, 0, 0 }, { INFINITY, 0, 0 } };
    const marey_body_ground other = { .graph = NULL };
    const struct {
        const marey_entity *path;
        int count;
        double rate;
        marey_status status;
    } paths[] = { { b->path, 1, RATE, MAREY_ERR_REQUEST },
                  { b->path, PLACES, 0, MAREY_ERR_REQUEST },
                  { bad, 2, RATE, MAREY_ERR_REQUEST },
                  { b->path, 2, 1e-10, MAREY_ERR_LIMIT } }; /* three hundred years */
    const struct {
        const marey_entity *start;
        marey_body_def def;
    } starts[] = { { &bad[1], { 0 } },
                   { &bad[0], { .catch_up_s = -1 } },
                   { &bad[0], { .ground = &other } } };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        marey_made made = { 0 };
        long calls = b->memory.calls;
        assert_int_equal(marey_body_make(b->ctx, b->graph, b->policy, paths[i].path, paths[i].count,
                                         paths[i].rate, NULL, NULL, &made, NULL, NULL),
                         paths[i].status);
        assert_null(made.clip);
        assert_true(paths[i].status != MAREY_ERR_LIMIT || b->memory.calls == calls);
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        marey_body *body = NULL;
        assert_int_equal(marey_body_open(b->ctx, b->graph, b->policy, starts[i].start,
                                         &starts[i].def, &body, NULL),
                         MAREY_ERR_REQUEST);
        assert_null(body);
    }
    marey_body_free(NULL);
    marey_body_ground_free(NULL);
}

/* ---- small graphs ---------------------------------------------------------------------------- */

static marey_status small_make(hand_walker *w, marey_made *made, marey_body_made *about)
{
    static const marey_entity path[3] = { { 0, 0, 1 }, { 90, 0, 0 }, { 180, 20, 0 } };
    static const marey_walk_make_def def = { .fps = 60 };
    marey_error error = { 0 };
    marey_status status =
        marey_body_make(w->ctx, w->graph, w->policy, path, 3, 1, NULL, &def, made, about, &error);
    if (status) assert_true(error.message[0] != 0);
    return status;
}

TEST(without_a_way_on_it_stays_where_it_is)
{
    OWNED(hand_walker) *w = hand_walker_open(false);
    OWNED(marey_made) made = { 0 };
    marey_body_made about;
    assert_int_equal(small_make(w, &made, &about), MAREY_OK);
    assert_int_equal(marey_clip_frames(made.clip), 121);
    for (int f = 0; f < 121; f++) {
        const double *root = mry_place(made.clip, f);
        assert_true(hypot(root[0], root[2]) < 1e-3);
    }
    assert_true(about.away_most_cm > 180 && about.away_most_cm < 182);
    assert_true(about.walk.transitions == 0 && isfinite(about.walk.jump_ratio));
}

TEST(refused_memory_is_reported_and_nothing_is_held)
{
    OWNED(hand_walker) *w = hand_walker_open(true);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &w->memory };
    while (test_refuse(&sweep, status)) {
        OWNED(marey_made) made = { 0 };
        status = small_make(w, &made, NULL);
        assert_true((made.clip != NULL) == (status == MAREY_OK));
    }
    assert_true(sweep.at > 9);
}

TEST(cancelling_ends_it_and_nothing_is_held)
{
    OWNED(hand_walker) *w = hand_walker_open(true);
    marey_status status = MAREY_OK;
    while (test_stop(&w->stops, status)) {
        OWNED(marey_made) made = { 0 };
        status = small_make(w, &made, NULL);
        assert_true((made.clip != NULL) == (status == MAREY_OK));
    }
    assert_true(w->stops.reports > 3);
}

TEST_GROUP_OF_CASES(test_body_follow, bench_open, bench_close)
