/* test_mixed_bodies.c - graphs, cluster graphs and pieces of clips with other joints than the first. The
   judge is the same motion with the same joints. */
#include "bytes_judge.h"
#include "demo_graph.h"
#include "graph_judge.h"
#include "metric_clips.h"

#include <marey/cluster.h>
#include <marey/retarget.h>

#include <string.h>

static const char *const names[] = { "walk_straight", "walk_left" };

static int set_up(void **state)
{
    *state = demo_graph_takes(names, 2);
    return 0;
}

#define CASE(name) TEST_OF_IN(set_up, demo_graph_tear_down, demo_graph *f, name)

/* How far joints are apart at most in any node, seen from the hips. */
static double apart(const marey_graph *a, const marey_graph *b)
{
    double most = 0;
    const marey_clip *x = marey_graph_motion(a), *y = marey_graph_motion(b);
    for (int n = 0; n < marey_graph_nodes(a); n++) {
        FREED double *p = test_positions(x, n), *q = test_positions(y, n);
        int joints = marey_clip_skeleton(x)->joint_count;
        for (int i = 3 * joints - 1; i >= 0; i--) {
            p[i] -= i % 3 == 1 ? 0 : p[i % 3];
            q[i] -= i % 3 == 1 ? 0 : q[i % 3];
        }
        most = fmax(most, joints_apart(p, q, joints));
    }
    return most;
}

static int core_of(const marey_graph *graph, int clip)
{
    int count = 0;
    for (int n = 0; n < marey_graph_nodes(graph); n++) {
        marey_graph_node node = marey_graph_node_of(graph, n);
        count += node.clip == clip && node.core;
    }
    return count;
}

CASE(a_graph_of_two_bodies_is_that_of_one)
{
    OWNED(marey_clip) *tall = NULL, *odd = test_other_axes(f->clips[1], 1.3);
    test_ok(marey_clip_scale(f->clips[1], 1.3, &tall, &test_error));
    const marey_clip *same[] = { f->clips[0], tall }, *mixed[] = { f->clips[0], odd };
    OWNED(marey_graph) *judge = demo_graph_build(f->ctx, same, 2, NULL);
    OWNED(marey_graph) *graph = demo_graph_build(f->ctx, mixed, 2, NULL);
    assert_int_equal(marey_graph_nodes(graph), marey_graph_nodes(judge));
    assert_true(apart(graph, judge) < 2);
    /* One component with both, as large. */
    for (int clip = 0; clip < 2; clip++) {
        assert_true(core_of(graph, clip) > 20);
        assert_in_range(100 * core_of(graph, clip) / core_of(judge, clip), 95, 105);
    }
    /* What walks through it crosses from one to the other, and neither jumps nor slides. */
    marey_walk walk = rove(f->ctx, graph, 600, 3);
    marey_made made = { 0 };
    marey_walk_made about;
    test_ok(marey_walk_make(f->ctx, graph, &walk, NULL, &made, &about, &test_error));
    int crossed = 0;
    for (int i = 1; i < walk.count; i++)
        crossed += marey_graph_node_of(graph, walk.nodes[i]).clip !=
                   marey_graph_node_of(graph, walk.nodes[i - 1]).clip;
    assert_true(crossed > 2);
    assert_true(about.jump_ratio <= 1.1 && made.clean.slide_after_cm < 0.3);
    assert_string_equal(marey_clip_skeleton(made.clip)->joints[0].name,
                        marey_clip_skeleton(f->clips[0])->joints[0].name);
    marey_made_free(&made);
    marey_walk_free(&walk);
}

/* Bytes of a graph that was built, and of the same one read again, by any number of threads. */
CASE(a_graph_of_two_bodies_comes_back_with_the_same_bytes)
{
    OWNED(marey_clip) *odd = test_other_axes(f->clips[1], 0.8);
    const marey_clip *clips[] = { f->clips[0], odd };
    OWNED(judge_bytes) first = { .ctx = f->ctx }, again = { .ctx = f->ctx };
    OWNED(marey_graph) *graph = demo_graph_build(f->ctx, clips, 2, NULL), *back = NULL;
    test_ok(marey_graph_write(graph, &first.at, &first.size, &test_error));
    test_ok(marey_graph_read(f->ctx, first.at, first.size, clips, 2, NULL, &back, &test_error));
    test_ok(marey_graph_write(back, &again.at, &again.size, &test_error));
    judge_same_bytes(&first, &again);
    assert_true(apart(graph, back) == 0);
    OWNED(graph_rig) *rig = graph_rig_open(4);
    OWNED(judge_bytes) other = { .ctx = rig->ctx };
    OWNED(marey_graph) *built = demo_graph_build(rig->ctx, clips, 2, NULL);
    test_ok(marey_graph_write(built, &other.at, &other.size, &test_error));
    judge_same_bytes(&first, &other);
}

CASE(clusters_and_pieces_take_two_bodies)
{
    OWNED(marey_clip) *odd = test_other_axes(f->clips[0], 0.8);
    const marey_clip *clips[] = { f->clips[0], odd };
    OWNED(marey_clusters) *clusters = NULL;
    test_ok(marey_clusters_build(f->ctx, clips, 2, NULL, &clusters, &test_error));
    /* The same motion twice: every node has both. */
    int count;
    const marey_cluster_node *nodes = marey_clusters_nodes(clusters, &count);
    int shared = 0;
    for (int n = 0; n < count; n++) shared += nodes[n].sequences > 1;
    assert_true(shared > count * 8 / 10);
    /* A piece of the one goes on in the other. */
    marey_piece pieces[] = { { 0, 10, 50, 0 }, { 1, 50, 90, 0 } };
    marey_made made = { 0 };
    test_ok(marey_pieces_make(f->ctx, clips, 2, NULL, pieces, 2, NULL, &made, NULL, &test_error));
    for (int i = 0; i < 80; i += 5) {
        FREED double *is = test_positions(made.clip, i), *was = test_positions(clips[0], i + 10);
        assert_true(joints_apart(is, was, marey_clip_skeleton(clips[0])->joint_count) < 4);
    }
    marey_made_free(&made);
}

/* A part of a clip that is fitted as a whole is that part of the fitted clip. */
CASE(a_clip_is_fitted_whole_and_a_body_without_roles_is_named)
{
    OWNED(marey_clip) *odd = test_other_axes(f->clips[1], 0.8), *fitted = NULL;
    OWNED(marey_clip) *refitted = NULL, *nothing = test_nameless(f->ctx, 40);
    marey_fit fit;
    test_ok(marey_clip_fit(odd, NULL, f->clips[0], NULL, &fitted, &fit, &test_error));
    assert_true(fit.retargeted && fit.how.reach_percent < 1);
    test_ok(marey_clip_fit(f->clips[1], NULL, f->clips[0], NULL, &refitted, &fit, &test_error));
    assert_false(fit.retargeted);
    marey_clip *none = NULL;
    test_refused_about(marey_clip_fit(nothing, NULL, f->clips[0], NULL, &none, &fit, &test_error),
                       MAREY_ERR_SHAPE, "its body has no hips");
    test_refused_about(marey_clip_fit(f->clips[0], NULL, nothing, NULL, &none, &fit, &test_error),
                       MAREY_ERR_SHAPE, "its body has no hips");
    assert_null(none);
}

TEST(refused_memory_leaves_nothing_of_two_bodies)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 12), *odd = test_other_axes(clip, 2);
    const marey_clip *clips[] = { clip, odd };
    marey_status status = MAREY_OK;
    marey_graph_def def = { .threshold = 1 };
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_graph *graph = NULL;
        status = marey_graph_build(ctx, clips, 2, NULL, &def, &graph, NULL);
        assert_int_equal(graph == NULL, status != MAREY_OK);
        marey_graph_free(graph);
    }
    status = MAREY_OK;
    marey_piece pieces[] = { { 0, 0, 6, 0 }, { 1, 6, 12, 0 } };
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_made made = { 0 };
        status = marey_pieces_make(ctx, clips, 2, NULL, pieces, 2, NULL, &made, NULL, NULL);
        assert_int_equal(made.clip == NULL, status != MAREY_OK);
        marey_made_free(&made);
    }
}

TEST_GROUP_OF_CASES(test_mixed_bodies, NULL, NULL)
