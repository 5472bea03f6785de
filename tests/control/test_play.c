/* test_play.c - characters that are asked for motions of a family while they are steered: what they
   do, how they get there and away, and the same as a clip. */
#include "control/play.h"
#include "reach_graph.h"

#include <string.h>

OWNED_VALUE(marey_performance, marey_performance_free)

typedef struct player {
    marey_policy *policy;
    marey_controller *controller;
    int number;
} player;

static player play(const reach_graph *f, marey_ctx *ctx)
{
    player p = { 0 };
    marey_error error = { 0 };
    test_fine(marey_policy_train(f->of->ctx, f->of->graph, NULL, &p.policy, &error), &error);
    test_fine(marey_controller_open(ctx, f->of->graph, p.policy, NULL, &p.controller, &error),
              &error);
    test_fine(marey_controller_join(p.controller, f->joined, &p.number, &error), &error);
    return p;
}

static void player_free(player *p)
{
    marey_controller_free(p->controller);
    marey_policy_free(p->policy);
}
OWNED_VALUE(player, player_free)

/* Where the joints are that a frame shows. */
static void shown(const reach_graph *f, const marey_controller_frame *frame, double at[][3])
{
    marey_pose_positions(marey_clip_skeleton(marey_graph_motion(f->of->graph)), frame->places,
                         frame->turns, &at[0][0]);
}

/* Asked for while it walks, it is done before long and then the character walks on. In no frame does
   a joint move faster than it does in the clips by more than a little. */
TEST_OF(reach_graph *f, a_controller_does_what_it_is_asked_for_and_goes_on)
{
    const marey_graph *graph = f->of->graph;
    OWNED(player) p = play(f, f->of->ctx);
    const marey_clip *motion = marey_graph_motion(graph);
    int wrist = marey_clip_skeleton(motion)->roles[MAREY_ROLE_RIGHT_WRIST], done = 0, longest = 0;
    double last[MOST_JOINTS][3], at[MOST_JOINTS][3], fastest = 0, captured = 0;
    for (int n = 1; n < graph->originals; n++)
        if (graph->before[n] >= 0) captured = fmax(captured, test_step_into(motion, n));
    for (int round = 0; round < 8; round++) {
        marey_control_input input = { .direction_rad = round, .speed_cm_s = round % 2 ? 120 : 0 };
        marey_controller_frame frame;
        marey_answer answer;
        marey_error error = { 0 };
        for (int k = 0; k < 40; k++) marey_controller_step(p.controller, &input, &frame);
        shown(f, &frame, last);
        assert_int_equal(frame.doing, -1);
        test_fine(
            marey_controller_ask(p.controller, p.number, some_values(f, round), &answer, &error),
            &error);
        int waited = 0, highest = -1;
        double nearest = INFINITY;
        do {
            marey_controller_step(p.controller, &input, &frame);
            shown(f, &frame, at);
            fastest = fmax(
                fastest, joints_apart(&last[0][0], &at[0][0], graph->motion->skeleton.joint_count));
            memcpy(last, at, sizeof last);
            waited++;
            assert_true(waited < 300);
        } while (frame.doing < 0);
        assert_int_equal(frame.doing, p.number);
        assert_int_equal(frame.node, -1);
        /* What it does beside its own motion, frame by frame. */
        int moment = (int)lround(answer.moments[0]);
        while (frame.doing >= 0) {
            double own[MOST_JOINTS][3];
            mry_play_look(p.controller, &own[0][0]);
            if (frame.doing_frame == moment) {
                nearest = mry_distance3(at[wrist], own[wrist]);
                done++;
            }
            highest = frame.doing_frame;
            marey_controller_step(p.controller, &input, &frame);
            shown(f, &frame, at);
            fastest = fmax(
                fastest, joints_apart(&last[0][0], &at[0][0], graph->motion->skeleton.joint_count));
            memcpy(last, at, sizeof last);
        }
        assert_true(highest > moment);
        assert_true(nearest < 3); /* what differed where it was entered has faded */
        assert_true(frame.node >= 0 && frame.doing == -1);
        if (waited > longest) longest = waited;
    }
    assert_int_equal(done, 8);
    assert_true(fastest < 1.25 * captured);
    assert_true(longest < 150);
}

TEST_OF(reach_graph *f, a_controller_refuses_what_it_does_not_know_and_steps_take_no_memory)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(player) p = play(f, ctx);
    marey_controller_frame frame;
    marey_control_input input = { .speed_cm_s = 100 };
    double odd[] = { NAN, 0, 0 };
    test_refused_about(marey_controller_ask(p.controller, 1, odd, NULL, &test_error),
                       MAREY_ERR_REQUEST, "no family or action 1");
    test_refused_about(marey_controller_ask(p.controller, 0, odd, NULL, &test_error),
                       MAREY_ERR_REQUEST, "finite");
    assert_int_equal(marey_controller_ask(p.controller, 0, some_values(f, 3), NULL, NULL),
                     MAREY_OK);
    /* What is refused leaves the one before. */
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status))
        status = marey_controller_ask(p.controller, 0, some_values(f, 3), NULL, NULL);
    memory.refuse = 0;
    bool did = false;
    for (int k = 0; k < 400; k++) {
        marey_controller_step(p.controller, &input, &frame);
        did |= frame.doing == 0;
    }
    memory.refuse = -1;
    assert_true(did && frame.doing == -1);
}

/* ---- the same as a clip -------------------------------------------------------------------------- */

enum { STEPS = 500, MOTIONS = 3 };

/* What was steered, and where the body was; asked for at some times. */
typedef struct recording {
    marey_steered frames[STEPS];
    double x[STEPS], z[STEPS];
    int count;
    marey_request requests[MOTIONS];
    marey_placement place;
} recording;

static void record(const reach_graph *f, recording *out)
{
    OWNED(player) p = play(f, f->of->ctx);
    int begun = 0;
    *out = (recording){ 0 };
    for (int k = 0, doing = -1; k < STEPS && (begun < MOTIONS || doing >= 0 || k % 50); k++) {
        marey_controller_frame frame;
        marey_control_input input = { .direction_rad = k / 100.0, .speed_cm_s = 120 };
        if (k % 100 == 20 && begun < MOTIONS) {
            out->requests[begun] = (marey_request){ f->joined, some_values(f, 3 * begun + 1), 0 };
            assert_int_equal(marey_controller_ask(p.controller, p.number,
                                                  out->requests[begun].wanted, NULL, NULL),
                             MAREY_OK);
        }
        marey_controller_step(p.controller, &input, &frame);
        begun += doing < 0 && frame.doing >= 0;
        doing = frame.doing;
        if (k == 0) out->place = marey_controller_place(p.controller);
        out->frames[k] = (marey_steered){ frame.node, frame.doing_frame };
        out->x[k] = frame.x_cm;
        out->z[k] = frame.z_cm;
        out->count = k + 1;
    }
    assert_int_equal(begun, MOTIONS);
}

TEST_OF(reach_graph *f, what_was_steered_becomes_a_clip_that_does_the_same)
{
    static recording r;
    OWNED(marey_performance) p = { 0 };
    OWNED(marey_made) made = { 0 };
    marey_error error = { 0 };
    record(f, &r);
    test_fine(marey_steered_perform(f->of->ctx, f->of->graph, r.frames, r.count, r.requests,
                                    MOTIONS, &p, &error),
              &error);
    assert_int_equal(p.walk.count, r.count);
    marey_walk_make_def def = { .fps = f->of->graph->fps, .place_given = true, .place = r.place };
    test_fine(marey_performance_make(f->of->ctx, &p, &def, &made, NULL, &error), &error);
    assert_int_equal(marey_clip_frames(made.clip), r.count);
    int motion = -1;
    for (int k = 0; k < r.count; k++) {
        bool node = r.frames[k].node >= 0;
        if (node) assert_int_equal(p.walk.nodes[k], r.frames[k].node);
        if (node) continue;
        if (r.frames[k - 1].node >= 0) assert_int_equal(p.done[++motion].first, k);
        assert_true(p.walk.nodes[k] >= f->of->graph->nodes);
    }
    for (int i = 0; i < MOTIONS; i++) assert_true(p.done[i].answer.error < 1);
    /* The body goes the same way, but for what fades otherwise and feet that are held. */
    double farthest = 0;
    for (int k = 0; k < r.count; k++) {
        double at[MOST_JOINTS][3];
        marey_clip_positions(made.clip, k, 1, &at[0][0]);
        farthest = fmax(farthest, hypot(at[0][0] - r.x[k], at[0][2] - r.z[k]));
    }
    assert_true(farthest < 12);
}

TEST_OF(reach_graph *f, frames_that_were_not_steered_so_are_refused)
{
    static recording r;
    marey_ctx *ctx = f->of->ctx;
    const marey_graph *graph = f->of->graph;
    marey_performance none = { 0 };
    record(f, &r);
    int first = 0;
    while (r.frames[first].node >= 0) first++;
    int end = first;
    while (r.frames[end].node < 0) end++;
#define REFUSED(count, motions, says)                                                              \
    test_refused_about(marey_steered_perform(ctx, graph, r.frames, count, r.requests, motions,     \
                                             &none, &test_error),                                  \
                       MAREY_ERR_REQUEST, says)
    REFUSED(r.count, 2, "as many as motions of families were done, 3, got 2");
    REFUSED(first, 0, "as many as motions");
    REFUSED(first + 2, 1, "cut off before");
    const struct {
        int frame;
        marey_steered wrong;
    } wrong[] = { { 0, { -1, 1 } },
                  { 3, { graph->nodes, 0 } },
                  { first, { -1, 0 } },
                  { first + 1, { -1, r.frames[first].doing_frame + 3 } },
                  { end, { 0, 0 } } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_steered was = r.frames[wrong[i].frame];
        r.frames[wrong[i].frame] = wrong[i].wrong;
        REFUSED(r.count, MOTIONS, "no way leads to frame");
        r.frames[wrong[i].frame] = was;
    }
    for (int k = first; k < end; k++) r.frames[k].doing_frame += 1000;
    REFUSED(r.count, MOTIONS, "of it was shown");
#undef REFUSED
}

TEST_OF(reach_graph *f, memory_that_is_refused_while_it_becomes_a_walk_is_said)
{
    static recording r;
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory, .few = true };
    record(f, &r);
    while (test_refuse(&sweep, status)) {
        OWNED(marey_performance) p = { 0 };
        status = marey_steered_perform(ctx, f->of->graph, r.frames, r.count, r.requests, MOTIONS,
                                       &p, NULL);
    }
}

TEST_GROUP_OF_CASES(test_play, reach_graph_set_up, reach_graph_tear_down)
