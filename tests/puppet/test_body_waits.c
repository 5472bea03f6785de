/* test_body_waits.c - a character that reacts waits where its body cannot keep up: the ready five on
   a path that was not shown, with bodies that walk, turn and stand. */
#include "puppet/body_data.h"
#include "puppet_bench.h"

#include <marey/demo.h>

#include <math.h>
#include <stdlib.h>

enum { READY = 5, TAKES = 5, RATE = 60, MOST = 40 * RATE + 1, EACH = 2 }; /* steps of a frame */

#define NEAR_CM 40.0

typedef struct stage {
    puppet_bench *bench;
    marey_demo_take *takes[TAKES];
    marey_graph *graph;
    marey_policy *policy;
    marey_body_ground *ground;
} stage;

static int stage_open(void **state)
{
    static const char *const names[TAKES] = { "idles", "turns", "walk_left", "walk_right",
                                              "walk_straight" };
    static stage on;
    const marey_clip *clips[TAKES];
    on.bench = puppet_bench_open();
    marey_ctx *ctx = on.bench->ctx;
    for (int i = 0; i < TAKES; i++) {
        on.takes[i] = test_demo_take(ctx, names[i]);
        clips[i] = marey_demo_clip(on.takes[i]);
    }
    if (marey_graph_build(ctx, clips, TAKES, NULL, NULL, &on.graph, NULL) ||
        marey_policy_train(ctx, on.graph, NULL, &on.policy, NULL) ||
        marey_body_ground_open(ctx, on.graph, on.policy, &on.ground, NULL))
        return 1;
    *state = &on;
    return 0;
}

static int stage_close(void **state)
{
    stage *on = *state;
    marey_body_ground_free(on->ground);
    marey_policy_free(on->policy);
    marey_graph_free(on->graph);
    for (int i = 0; i < TAKES; i++) marey_demo_free(on->takes[i]);
    puppet_bench_close(on->bench);
    return 0;
}

static marey_body *open_body(const stage *on, const marey_entity *start, int keeps)
{
    marey_body *body = NULL;
    marey_body_def def = { .ground = on->ground, .keeps = keeps };
    marey_error error = { 0 };
    test_fine(marey_body_open(on->bench->ctx, on->graph, on->policy, start, &def, &body, &error),
              &error);
    return body;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of a body that never stands still in a node: how long it stays in its pieces, the last one aside.
   One begins where the next frame is not the next one of the sequence. */
static void check_pieces(const marey_graph *graph, const int *nodes, int count)
{
    int since = 0, needs = graph->dwell.least, pieces = 0;
    for (int i = 1; i < count; i++) {
        if (nodes[i] == graph->next[nodes[i - 1]]) continue;
        int over = graph->leaving[nodes[i - 1]];
        while (over < graph->leaving[nodes[i - 1] + 1] && graph->transitions[over].to != nodes[i])
            over++;
        assert_true(over < graph->leaving[nodes[i - 1] + 1]);
        if (i - since < needs) fail_msg("frames %d to %d: %d are needed", since, i, needs);
        since = i;
        needs = 2 * graph->half[over] + 1 > graph->dwell.least ? 2 * graph->half[over] + 1
                                                               : graph->dwell.least;
        pieces++;
    }
    assert_true(graph->dwell.least == 9 && pieces > 5);
}

/* Step by step, a frame of the body every EACH steps; the median of how far it is away. */
static double lead(const stage *on, const marey_puppet *puppet, const marey_entity *main, int count,
                   marey_entity *react)
{
    static double away[MOST / EACH + 1];
    static int nodes[MOST / EACH + 1];
    marey_controller_frame frame;
    OWNED(marey_reactor) *reactor = puppet_bench_react(on->bench, puppet, main, NULL);
    react[0] = marey_reactor_start(reactor);
    OWNED(marey_body) *body = open_body(on, &react[0], count / EACH + 1);
    for (int i = 0; i < count; i++) {
        marey_puppet_frame now = { .react = react[0] };
        if (i > 0) marey_puppet_step(reactor, &main[i], &now);
        react[i] = now.react;
        if (i % EACH) continue;
        marey_body_lead(body, reactor, &react[i], &frame);
        away[i / EACH] = hypot(frame.x_cm - react[i].x_cm, frame.z_cm + react[i].y_cm);
    }
    for (int i = 0; i < body->kept_count; i++) nodes[i] = body->kept[i].node;
    check_pieces(on->graph, nodes, body->kept_count);
    qsort(away, count / EACH + 1, sizeof *away, by_size);
    return away[count / EACH / 2];
}

/* Free, the bully's body was 115 cm away, the guard's 106 and the dancer's 202. */
TEST_OF(stage *on, bodies_of_the_ready_five_keep_up)
{
    static marey_entity main[MOST], react[MOST];
    static marey_puppet_sample s[MOST];
    int count = test_is_long() ? MOST : 25 * RATE + 1;
    marey_error error = { 0 };
    assert_true(marey_graph_fps(on->graph) * EACH == RATE);
    for (uint64_t seed = 0; seed < (test_is_long() ? 4 : 1); seed++) {
        puppet_bench_wander(21 + seed, main, count);
        for (int k = 0; k < READY; k++) {
            OWNED(marey_puppet) *puppet = puppet_bench_train_ready(on->bench, k, 0);
            double live = lead(on, puppet, main, count, react);
            /* As a whole it is the same, step for step. */
            marey_played played;
            OWNED(marey_body) *body = open_body(on, &react[0], count / EACH + 1);
            marey_reactor_def def = { .body = body };
            for (int i = 0; i < count; i++)
                s[i] = (marey_puppet_sample){ .time_s = i / (double)RATE, .main = main[i] };
            test_fine(marey_puppet_play(on->bench->ctx, puppet, s, count, &def, &played, &error),
                      &error);
            for (int i = 0; i < count; i++)
                assert_memory_equal(&s[i].react, &react[i], sizeof react[i]);
            assert_true(played.way_share > 0.3 && played.way_share <= 1);
            /* And as a clip. */
            OWNED(marey_made) made = { 0 };
            marey_body_made about;
            OWNED(marey_walk) walked = { 0 };
            marey_body_def make = { .ground = on->ground, .led = body, .walked = &walked };
            test_fine(marey_body_make(on->bench->ctx, on->graph, on->policy, react, count, RATE,
                                      &make, NULL, &made, &about, &error),
                      &error);
            print_message("%d: %.0f cm away live, %.0f as a clip, %.0f %% of the way\n", k, live,
                          about.away_median_cm, 100 * played.way_share);
            assert_true(live <= NEAR_CM && about.away_median_cm <= NEAR_CM);
            check_pieces(on->graph, walked.nodes, walked.count);
            assert_true(made.clean.slide_after_cm < 0.1 && about.walk.jump_ratio < 1.2);
        }
    }
}

/* The one that was led is made where it came closer; it must have kept what is made. */
TEST_OF(stage *on, a_body_that_was_led_becomes_the_clip)
{
    enum { FRAMES = 60, SIDE = 300 };
    static marey_entity path[2 * FRAMES + 1];
    marey_controller_frame frame;
    marey_body_made about;
    marey_error error = { 0 };
    OWNED(marey_made) made = { 0 };
    OWNED(marey_body) *body = open_body(on, &path[0], FRAMES);
    for (int i = 0; i <= 2 * FRAMES; i++) path[i] = (marey_entity){ 0, 0, 0 };
    for (int i = 0; i < FRAMES; i++) marey_body_step(body, &path[0], &frame);
    marey_body_def def = { .ground = on->ground, .led = body };
    assert_int_equal(marey_body_make(on->bench->ctx, on->graph, on->policy, path, 2 * FRAMES + 1,
                                     RATE, &def, NULL, &made, &about, &error),
                     MAREY_ERR_REQUEST);
    /* As if it had been exactly there all the time. */
    for (int i = 0; i < FRAMES; i++) body->kept[i].x_cm = body->kept[i].y_cm = 0;
    test_fine(marey_body_make(on->bench->ctx, on->graph, on->policy, path, 2 * FRAMES - 1, RATE,
                              &def, NULL, &made, &about, &error),
              &error);
    assert_true(about.away_cm == 0 && about.away_median_cm == 0);
    for (int i = 0; i < FRAMES; i++) body->kept[i].x_cm = SIDE;
    marey_made_free(&made);
    test_fine(marey_body_make(on->bench->ctx, on->graph, on->policy, path, 2 * FRAMES - 1, RATE,
                              &def, NULL, &made, &about, &error),
              &error);
    assert_true(about.away_cm < SIDE / 2);
}

/* One who need not wait does not. */
TEST_OF(stage *on, who_has_no_body_goes_all_its_way)
{
    enum { ROWS = 600 };
    static marey_entity main[ROWS];
    static marey_puppet_sample s[ROWS];
    marey_played played;
    puppet_bench_wander(3, main, ROWS);
    OWNED(marey_puppet) *puppet = puppet_bench_train_ready(on->bench, 4, 0);
    for (int i = 0; i < ROWS; i++)
        s[i] = (marey_puppet_sample){ .time_s = i / (double)RATE, .main = main[i] };
    assert_int_equal(marey_puppet_play(on->bench->ctx, puppet, s, ROWS, NULL, &played, NULL), 0);
    assert_true(played.way_share == 1);
}

TEST_GROUP_OF_CASES(test_body_waits, stage_open, stage_close)
