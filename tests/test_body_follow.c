/* test_body_follow.c - a whole body that goes where a puck goes: it stays near, starts and ends where it should, and what cannot
   be is refused. */
#include "support.h"

#include <marey/puppet.h>

#include <marey/demo.h>

#include <math.h>
#include <string.h>

enum { TAKES = 3, PLACES = 601 };

#define RATE 60.0

typedef struct bench {
    marey_ctx *ctx;
    marey_demo_take *takes[TAKES];
    marey_graph *graph;
    marey_policy *policy;
    marey_entity path[PLACES]; /* ten seconds: a walk along an arc, then a stop */
} bench;

static int take_number(const char *name)
{
    int i = 0;
    while (strcmp(marey_demo_name(i), name) != 0) i++;
    return i;
}

static int bench_open(void **state)
{
    static const char *const names[TAKES] = { "walk_eight", "walk_left", "walk_right" };
    static bench b;
    const marey_clip *clips[TAKES];
    b.ctx = test_ctx();
    for (int i = 0; i < TAKES; i++) {
        if (marey_demo_build(b.ctx, take_number(names[i]), 1, &b.takes[i], NULL)) return 1;
        clips[i] = marey_demo_clip(b.takes[i]);
    }
    marey_graph_def def = { .threshold = 10, .sigma = 30 };
    if (marey_graph_build(b.ctx, clips, TAKES, NULL, &def, &b.graph, NULL)) return 1;
    if (marey_policy_train(b.ctx, b.graph, NULL, &b.policy, NULL)) return 1;
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
    marey_policy_free(b->policy);
    marey_graph_free(b->graph);
    for (int i = 0; i < TAKES; i++) marey_demo_free(b->takes[i]);
    marey_ctx_close(b->ctx);
    return 0;
}

static void it_stays_near(void **state)
{
    bench *b = *state;
    marey_made made = { 0 };
    marey_body_made about;
    marey_error error;
    if (marey_body_make(b->ctx, b->graph, b->policy, b->path, PLACES, RATE, NULL, NULL, &made,
                        &about, &error))
        fail_msg("%s", error.message);
    print_message("%.0f cm away on the mean, %.0f at most, of %.0f cm\n", about.away_cm,
                  about.away_most_cm, hypot(b->path[PLACES - 1].x_cm, b->path[PLACES - 1].y_cm));
    assert_true(about.away_cm < 100 && about.away_most_cm < 300);
    assert_true(about.away_cm <= about.away_most_cm);
    double seconds = marey_clip_frames(made.clip) / marey_clip_fps(made.clip);
    assert_true(fabs(seconds - 10) < 0.1);
    assert_true(about.walk.jump_ratio < 1.2);
    assert_true(made.clean.slide_after_cm < 0.5);
    marey_made_free(&made);
}

/* A step is a frame of the graph; what it says of the body is where its pose stands. */
static void steps_begin_where_they_are_told(void **state)
{
    bench *b = *state;
    marey_body *body = NULL;
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
    marey_body_free(body);
}

/* A puck that stands four metres away, ahead and to each side. Not behind: a graph of walks alone cannot turn round on the
   spot, and a policy then rather stands. */
static void it_makes_up_for_being_behind(void **state)
{
    bench *b = *state;
    static const double sides[3][2] = { { 400, 0 }, { 0, 400 }, { 0, -400 } };
    for (int i = 0; i < 3; i++) {
        marey_body *body = NULL;
        marey_controller_frame frame;
        const marey_entity start = { 0 }, wanted = { sides[i][0], sides[i][1], 0 };
        double nearest = INFINITY;
        assert_int_equal(marey_body_open(b->ctx, b->graph, b->policy, &start, NULL, &body, NULL),
                         MAREY_OK);
        for (int f = 0; f < 450; f++) {
            marey_body_step(body, &wanted, &frame);
            nearest = fmin(nearest, hypot(frame.x_cm - wanted.x_cm, frame.z_cm + wanted.y_cm));
        }
        if (!(nearest < 100)) fail_msg("side %d: never nearer than %.0f cm", i, nearest);
        marey_body_free(body);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    bench *b = *state;
    marey_made made = { 0 };
    marey_body *body = NULL;
    marey_entity bad[2] = { { 0, 0, 0 }, { INFINITY, 0, 0 } };
    const marey_body_def odd = { .catch_up_s = -1 };
    assert_int_equal(marey_body_make(b->ctx, b->graph, b->policy, b->path, 1, RATE, NULL, NULL,
                                     &made, NULL, NULL),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_body_make(b->ctx, b->graph, b->policy, b->path, PLACES, 0, NULL, NULL,
                                     &made, NULL, NULL),
                     MAREY_ERR_REQUEST);
    assert_int_equal(
        marey_body_make(b->ctx, b->graph, b->policy, bad, 2, RATE, NULL, NULL, &made, NULL, NULL),
        MAREY_ERR_REQUEST);
    assert_int_equal(marey_body_open(b->ctx, b->graph, b->policy, &bad[1], NULL, &body, NULL),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_body_open(b->ctx, b->graph, b->policy, &bad[0], &odd, &body, NULL),
                     MAREY_ERR_REQUEST);
    assert_null(body);
    assert_null(made.clip);
    marey_body_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stays_near),
        cmocka_unit_test(steps_begin_where_they_are_told),
        cmocka_unit_test(it_makes_up_for_being_behind),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, bench_open, bench_close);
}
