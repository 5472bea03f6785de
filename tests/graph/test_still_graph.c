/* test_still_graph.c - motion graphs of skeletons that hang from a joint which is no part of the
   body. The judge is the graph of the same motion without it: the same frames are joined, and
   whatever walks through it, the body is in the same places. */
#include "bytes_judge.h"
#include "demo_parts.h"
#include "graph_judge.h"
#include "hung_clip.h"

#include "control/control_data.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

/* ---- graphs ---------------------------------------------------------------------------------- */

static marey_graph *build(const test_hung_walks *f, marey_clip *const *clips,
                          const marey_graph_def *def)
{
    marey_graph *graph = NULL;
    marey_error error = { 0 };
    if (marey_graph_build(f->ctx, (const marey_clip *const *)clips, 2, NULL, def, &graph, &error))
        fail_msg("%s", error.message);
    return graph;
}

static marey_graph *graph_of(const test_hung_walks *f, marey_clip *const *clips, bool every_joint)
{
    marey_metric_def metric = { .joints = marey_joint_weights_find(0) };
    marey_graph_def def = { .metric = every_joint ? &metric : NULL };
    return build(f, clips, &def);
}

static void assert_same_transitions(const marey_graph *plain, const marey_graph *hung)
{
    int count, others;
    const marey_graph_transition *a = marey_graph_transitions(plain, &count);
    const marey_graph_transition *b = marey_graph_transitions(hung, &others);
    assert_true(count > 4);
    assert_int_equal(others, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(b[i].from, a[i].from);
        assert_int_equal(b[i].to, a[i].to);
        test_near(b[i].distance, a[i].distance, 0.01);
        test_near(b[i].jump, a[i].jump, 0.001);
    }
}

TEST_OF(const test_hung_walks *f, graphs_join_the_same_frames)
{
    for (int every = 0; every < 2; every++) {
        OWNED(marey_graph) *plain = graph_of(f, f->clips, every);
        for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
            OWNED(marey_graph) *hung = graph_of(f, f->hung[n], every);
            assert_same_transitions(plain, hung);
        }
    }
}

/* Points are joined by a search of their own; all other metrics by grids. */
TEST_OF(const test_hung_walks *f, by_another_metric_they_do_so_too)
{
    marey_metric_def metric = { .metric = marey_metric_named("positions"),
                                .joints = marey_joint_weights_find(0) };
    marey_graph_def def = { .metric = &metric, .threshold = 1 };
    OWNED(marey_graph) *plain = build(f, f->clips, &def);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_graph) *hung = build(f, f->hung[n], &def);
        assert_same_transitions(plain, hung);
    }
}

typedef struct walked {
    marey_walk walk;
    marey_made made;
    marey_walk_made about;
} walked;

static walked go(const test_hung_walks *f, const marey_graph *graph, const marey_walk_def *def,
                 double fps)
{
    walked out = { .made = { 0 } };
    marey_walk_make_def how = { .fps = fps };
    marey_error error = { 0 };
    if (marey_graph_walk(f->ctx, graph, def, &out.walk, &error) ||
        marey_walk_make(f->ctx, graph, &out.walk, &how, &out.made, &out.about, &error))
        fail_msg("%s", error.message);
    return out;
}

static void walked_free(walked *of)
{
    marey_walk_free(&of->walk);
    marey_made_free(&of->made);
}
OWNED_VALUE(walked, walked_free)

static void assert_same_walks(const test_hung_walks *f, const marey_graph *plain,
                              const marey_graph *hung, const marey_walk_def *def, double fps)
{
    OWNED(walked) a = go(f, plain, def, fps), b = go(f, hung, def, fps);
    assert_int_equal(b.walk.count, a.walk.count);
    assert_memory_equal(b.walk.nodes, a.walk.nodes, (size_t)a.walk.count * sizeof *a.walk.nodes);
    assert_true(a.about.transitions > 0);
    test_near(b.about.jump_ratio, a.about.jump_ratio, 0.001);
    test_hung_assert(a.made.clip, b.made.clip);
}

TEST_OF(const test_hung_walks *f, walks_and_paths_are_walked_by_the_body)
{
    static const double path[] = { 0, 0, 0, 300, -250, 500 };
    OWNED(marey_graph) *plain = graph_of(f, f->clips, false);
    marey_walk_def far = { .kind = MAREY_WALK_LENGTH, .frames = 300 };
    marey_walk_def along = {
        .kind = MAREY_WALK_PATH, .path = path, .point_count = 3, .effort = 20000
    };
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_graph) *hung = graph_of(f, f->hung[n], false);
        assert_same_walks(f, plain, hung, &far, 0);
        assert_same_walks(f, plain, hung, &far, 100); /* between nodes */
        assert_same_walks(f, plain, hung, &along, 0);
    }
}

/* Nodes lie between captured frames, and a tilted root that stays is not the same to the last bit
   in all of them. */
TEST_OF(const test_hung_walks *f, at_another_rate_the_body_is_the_same)
{
    marey_graph_def slower = { .fps = 23 };
    marey_walk_def far = { .kind = MAREY_WALK_LENGTH, .frames = 200 };
    OWNED(marey_graph) *plain = build(f, f->clips, &slower);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_graph) *hung = build(f, f->hung[n], &slower);
        assert_int_equal(hung->body.joint, 1);
        assert_same_walks(f, plain, hung, &far, 0);
    }
}

/* Unreduced: which of two ways is the better one by nothing hangs on the last bit of a float. */
TEST_OF(const test_hung_walks *f, between_two_walks_the_body_is_the_same)
{
    marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = 200 };
    marey_graph_def connected = { .kind = MAREY_GRAPH_CONNECTED, .dwell_s = -1, .unreduced = true };
    OWNED(marey_graph) *plain = build(f, f->clips, &connected);
    assert_true(plain->nodes > plain->originals);
    for (int n = 0; n < TEST_HUNG_PAIRS; n += 2) {
        OWNED(marey_graph) *hung = build(f, f->hung[n], &connected);
        assert_int_equal(hung->nodes, plain->nodes);
        assert_true(test_root_stays(hung->motion));
        assert_true(test_hung_apart(plain->motion, hung->motion) < TEST_HUNG_NEAR_CM);
        assert_same_walks(f, plain, hung, &def, 0);
    }
}

static marey_graph *kept_and_read(const test_hung_walks *f, const marey_graph *graph,
                                  marey_clip *const *clips)
{
    marey_graph *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = f->ctx };
    assert_int_equal(marey_graph_write(graph, &bytes.at, &bytes.size, NULL), MAREY_OK);
    assert_int_equal(marey_graph_read(f->ctx, bytes.at, bytes.size,
                                      (const marey_clip *const *)clips, 2, NULL, &again, NULL),
                     MAREY_OK);
    return again;
}

TEST_OF(const test_hung_walks *f, a_kept_graph_is_the_same_again)
{
    marey_graph_def connected = { .kind = MAREY_GRAPH_CONNECTED, .dwell_s = -1, .unreduced = true };
    OWNED(marey_graph) *graph = build(f, f->hung[3], &connected);
    OWNED(marey_graph) *again = kept_and_read(f, graph, f->hung[3]);
    judge_same_graphs(graph, again);
    assert_int_equal(again->body.joint, 1);
    assert_true(test_root_stays(again->motion));
}

/* Between two walks the root itself was moved once, and such graphs may be kept somewhere. */
TEST_OF(const test_hung_walks *f, a_root_that_went_along_in_a_kept_graph_stays)
{
    marey_graph_def connected = { .kind = MAREY_GRAPH_CONNECTED, .dwell_s = -1, .unreduced = true };
    OWNED(marey_graph) *graph = build(f, f->hung[0], &connected),
                       *plain = build(f, f->clips, &connected);
    mry_carrier elsewhere = graph->body;
    for (int n = graph->originals; n < graph->nodes; n++) {
        elsewhere.place[0] += 1;
        mry_carrier_hold(&elsewhere, graph->motion, mry_place(graph->motion, n),
                         mry_turn(graph->motion, n));
    }
    assert_false(test_root_stays(graph->motion));
    OWNED(marey_graph) *again = kept_and_read(f, graph, f->hung[0]);
    test_hung_assert(plain->motion, again->motion);
}

/* ---- steering -------------------------------------------------------------------------------- */

static marey_policy *policy_of(const test_hung_walks *f, const marey_graph *graph)
{
    marey_policy *policy = NULL;
    marey_error error = { 0 };
    if (marey_policy_train(f->ctx, graph, NULL, &policy, &error)) fail_msg("%s", error.message);
    return policy;
}

TEST_OF(const test_hung_walks *f, policies_steer_the_body)
{
    OWNED(marey_graph) *plain = graph_of(f, f->clips, false);
    OWNED(marey_policy) *policy = policy_of(f, plain);
    for (int n = 0; n < 2 * TEST_HUNG_PAIRS; n++) {
        bool matches = n >= TEST_HUNG_PAIRS;
        OWNED(marey_graph) *hung = graph_of(f, f->hung[n % TEST_HUNG_PAIRS], false);
        OWNED(marey_policy) *learned = policy_of(f, hung);
        OWNED(marey_matching) *matching = NULL, *other = NULL;
        test_ok(marey_matching_build(f->ctx, plain, NULL, &matching, &test_error));
        test_ok(marey_matching_build(f->ctx, hung, NULL, &other, &test_error));
        const marey_matching *matchings[2] = { matching, other };
        const marey_graph *graphs[2] = { plain, hung };
        const marey_policy *policies[2] = { policy, learned };
        marey_controller *controllers[2];
        marey_controller_def def = { .x_cm = 40, .z_cm = -70, .direction_rad = 1 };
        for (int k = 0; k < 2; k++)
            test_ok(matches ? marey_controller_open_matching(f->ctx, matchings[k], &def,
                                                             &controllers[k], &test_error)
                            : marey_controller_open(f->ctx, graphs[k], policies[k], &def,
                                                    &controllers[k], &test_error));
        for (int t = 0; t < 200; t++) {
            marey_controller_frame frames[2];
            marey_control_input wish = { .direction_rad = t / 60.0, .speed_cm_s = 120 };
            for (int k = 0; k < 2; k++) marey_controller_step(controllers[k], &wish, &frames[k]);
            double at[3 * 64], places[3 * 64];
            const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(graphs[0]));
            assert_int_equal(frames[1].node, frames[0].node);
            test_near(frames[1].x_cm, frames[0].x_cm, TEST_HUNG_NEAR_CM);
            test_near(frames[1].z_cm, frames[0].z_cm, TEST_HUNG_NEAR_CM);
            test_near(frames[1].speed_cm_s, frames[0].speed_cm_s, 0.01);
            test_near(
                remainder(frames[1].direction_rad - frames[0].direction_rad, 6.283185307179586), 0,
                1e-4);
            marey_pose_positions(skeleton, frames[0].places, frames[0].turns, at);
            marey_pose_positions(marey_clip_skeleton(marey_graph_motion(graphs[1])),
                                 frames[1].places, frames[1].turns, places);
            for (int j = 0; j < skeleton->joint_count; j++)
                assert_true(mry_distance3(at + 3 * j, places + 3 * (j + 1)) < TEST_HUNG_NEAR_CM);
        }
        assert_true(marey_controller_score(controllers[1]).transitions > 1);
        for (int k = 0; k < 2; k++) marey_controller_free(controllers[k]);
    }
}

static int first_node(const test_hung_walks *f, marey_clip *const *clips)
{
    OWNED(marey_graph) *graph = graph_of(f, clips, false);
    OWNED(marey_policy) *policy = policy_of(f, graph);
    OWNED(marey_controller) *controller = NULL;
    assert_int_equal(marey_controller_open(f->ctx, graph, policy, NULL, &controller, NULL),
                     MAREY_OK);
    int node = mry_controller_node(controller);
    assert_true(mry_node_at(graph, node).y > 80);
    return node;
}

/* Sitting is the stillest, and low by the pelvis: the root is always at the same height. */
TEST_OF(const test_hung_walks *f, no_walk_begins_sitting)
{
    OWNED(marey_clip) *sits = test_demo_part(f->ctx, "sits", 0, 0);
    marey_clip *clips[] = { f->clips[0], sits };
    marey_clip *hung[] = { f->hung[0][0], test_hung(sits, TEST_HUNG_STILL) };
    assert_int_equal(first_node(f, hung), first_node(f, clips));
    marey_clip_free(hung[1]);
}

/* As it was trained once: no walk is as fast as such a policy takes it for. */
TEST_OF(const test_hung_walks *f, a_kept_policy_that_went_by_the_root_is_refused)
{
    OWNED(marey_graph) *graph = graph_of(f, f->hung[0], false);
    mry_carrier body = graph->body;
    graph->body = (mry_carrier){ 0 };
    OWNED(marey_policy) *policy = policy_of(f, graph);
    marey_policy *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = f->ctx };
    marey_error error = { 0 };
    assert_int_equal(marey_policy_write(policy, &bytes.at, &bytes.size, NULL), MAREY_OK);
    graph->body = body;
    assert_int_equal(marey_policy_read(f->ctx, bytes.at, bytes.size, graph, &again, &error),
                     MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "train it again"));
}

static marey_made body_along(const test_hung_walks *f, const marey_graph *graph,
                             marey_body_made *about)
{
    enum { PLACES = 180 };
    marey_entity path[PLACES] = { { 0 } };
    OWNED(marey_policy) *policy = policy_of(f, graph);
    marey_made made = { 0 };
    marey_error error = { 0 };
    for (int i = 1; i < PLACES; i++) {
        double direction = 0.005 * i;
        path[i] = (marey_entity){ path[i - 1].x_cm + 4 * cos(direction),
                                  path[i - 1].y_cm + 4 * sin(direction), direction };
    }
    if (marey_body_make(f->ctx, graph, policy, path, PLACES, 30, NULL, NULL, &made, about, &error))
        fail_msg("%s", error.message);
    return made;
}

TEST_OF(const test_hung_walks *f, bodies_go_where_they_go_without_it)
{
    marey_body_made about, other;
    OWNED(marey_graph) *plain = graph_of(f, f->clips, false);
    OWNED(marey_made) body = body_along(f, plain, &about);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_graph) *hung = graph_of(f, f->hung[n], false);
        OWNED(marey_made) made = body_along(f, hung, &other);
        test_hung_assert(body.clip, made.clip);
        test_near(other.away_cm, about.away_cm, 0.01);
    }
}

/* ---- pieces and clusters --------------------------------------------------------------------- */

static marey_made put_together(const test_hung_walks *f, marey_clip *const *clips)
{
    static const marey_piece pieces[] = { { .clip = 0, .start = 20, .end = 110 },
                                          { .clip = 1, .start = 90, .end = 180 },
                                          { .clip = 0, .start = 60, .end = 150, .seconds = 1.4 } };
    marey_made made = { 0 };
    marey_error error = { 0 };
    if (marey_pieces_make(f->ctx, (const marey_clip *const *)clips, 2, NULL, pieces, 3, NULL, &made,
                          NULL, &error))
        fail_msg("%s", error.message);
    return made;
}

TEST_OF(const test_hung_walks *f, pieces_are_laid_where_the_body_is)
{
    OWNED(marey_made) plain = put_together(f, f->clips);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_made) hung = put_together(f, f->hung[n]);
        test_hung_assert(plain.clip, hung.clip);
    }
}

static marey_clusters *clusters_of(const test_hung_walks *f, marey_clip *const *clips)
{
    marey_clusters *made = NULL;
    marey_error error = { 0 };
    if (marey_clusters_build(f->ctx, (const marey_clip *const *)clips, 2, NULL, &made, &error))
        fail_msg("%s", error.message);
    return made;
}

TEST_OF(const test_hung_walks *f, clusters_are_of_bodies)
{
    OWNED(marey_clusters) *plain = clusters_of(f, f->clips);
    int count, others;
    const marey_cluster_sequence *a = marey_clusters_sequences(plain, &count);
    for (int n = 0; n < TEST_HUNG_PAIRS; n++) {
        OWNED(marey_clusters) *hung = clusters_of(f, f->hung[n]);
        const marey_cluster_sequence *b = marey_clusters_sequences(hung, &others);
        assert_int_equal(others, count);
        assert_memory_equal(b, a, (size_t)count * sizeof *a);
    }
}

TEST_GROUP_OF_CASES(test_still_graph, test_hung_set_up, test_hung_tear_down)
