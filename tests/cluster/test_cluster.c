/* test_cluster.c - cluster graphs of odd clips and odd definitions, and of captured ones. */
#include "cluster_judge.h"
#include "frame_measures.h"
#include "metric_clips.h"

#include <math.h>
#include <string.h>

static marey_status try_build(graph_rig *rig, int count, const marey_clusters_def *def)
{
    OWNED(marey_clusters) *clusters = NULL;
    marey_error error = { 0 };
    marey_status status = marey_clusters_build(rig->ctx, rig->clips, count, def, &clusters, &error);
    assert_true((clusters != NULL) == (status == MAREY_OK));
    if (status) assert_true(error.message[0] != 0 && error.status == status);
    if (clusters) judge_clusters(clusters);
    return status;
}

TEST(links_have_names)
{
    assert_string_equal(marey_link_name(MAREY_LINK_COMPLETE), "complete");
    assert_string_equal(marey_link_name(MAREY_LINK_SINGLE), "single");
    for (int i = 0; i < MAREY_LINK_COUNT; i++)
        assert_true(strlen(marey_link_about((marey_link)i)) > 10);
    assert_string_equal(marey_link_name(MAREY_LINK_COUNT), "");
    assert_string_equal(marey_link_about((marey_link)-1), "");
    marey_clusters_free(NULL);
}

/* ---- definitions ----------------------------------------------------------------------------- */

TEST_RIG(what_cannot_be_is_refused)
{
    graph_rig_add(rig, "walk_left", 0, 60, 90);
    const marey_metric_def angles = { .metric = marey_metric_named("angles") },
                           wide = { .window = 40 };
    const marey_clusters_def bad[] = { { .link = MAREY_LINK_COUNT },
                                       { .link = (marey_link)-1 },
                                       { .fps = NAN },
                                       { .fps = -30 },
                                       { .fps = 0.5 },
                                       { .fps = 1e9 },
                                       { .threshold = NAN },
                                       { .threshold = -1 },
                                       { .threshold = INFINITY },
                                       { .metric = &angles },
                                       { .metric = &wide } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (try_build(rig, 1, &bad[i]) != MAREY_ERR_REQUEST) fail_msg("definition %zu", i);
    }
    assert_int_equal(try_build(rig, 0, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(try_build(rig, -1, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(try_build(rig, MAREY_GRAPH_MOST_CLIPS + 1, NULL), MAREY_ERR_LIMIT);
    graph_rig_put(rig, test_nameless(rig->ctx, 40));
    assert_int_equal(try_build(rig, 2, NULL), MAREY_ERR_SHAPE);
}

TEST_RIG(defaults_are_filled_in)
{
    graph_rig_add(rig, "walk_left", 0, 60, 90);
    OWNED(marey_clusters) *c = cluster_rig_build(rig, NULL);
    const marey_clusters_def *def = marey_clusters_settings(c);
    assert_true(def->link == MAREY_LINK_COMPLETE && def->threshold == MAREY_CLUSTER_THRESHOLD);
    assert_true(def->fps == MAREY_CLUSTER_FPS && marey_clusters_fps(c) == MAREY_CLUSTER_FPS);
    assert_string_equal(def->metric->metric->name, "points");
    assert_string_equal(def->metric->joints->name, "equal");
    assert_int_equal(marey_clusters_clip_count(c), 1);
    assert_int_equal(marey_clusters_frames(c), 15);
}

TEST(metrics_and_numbers_at_their_ends_make_graphs)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_add(rig, "walk_left", 0, 60, 150);
    graph_rig_add(rig, "walk_right", 0, 60, 140);
    const marey_metric_def curvature = { .metric = marey_metric_named("curvature") },
                           one = { .window = 1 }, tapered = { .window = 9, .tapered = true },
                           angles = { .metric = marey_metric_named("angles"),
                                      .attributes_given = true,
                                      .attributes = { 0, 1, 0 } };
    const marey_clusters_def good[] = {
        { .fps = 1 },
        { .fps = 24 },
        { .fps = 1000 },
        { .threshold = 1e12 },
        { .threshold = 1e-300 },
        { .threshold = 1e12, .link = MAREY_LINK_SINGLE },
        { .threshold = 1e-300, .link = MAREY_LINK_SINGLE },
        { .metric = &curvature, .threshold = 0.5 },
        { .metric = &curvature, .threshold = 0.5, .link = MAREY_LINK_SINGLE },
        { .metric = &one },
        { .metric = &tapered },
        { .metric = &angles, .threshold = 1 }
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (try_build(rig, 2, &good[i]) != MAREY_OK) fail_msg("definition %zu", i);
    }
}

/* ---- clips ----------------------------------------------------------------------------------- */

TEST(clips_of_a_few_frames_make_graphs)
{
    for (int frames = 1; frames < 9; frames += TEST_SANITIZED && !test_is_long() ? 3 : 1) {
        for (int link = 0; link < MAREY_LINK_COUNT; link++) {
            marey_clusters_def def = { .link = (marey_link)link, .fps = 60 };
            OWNED(graph_rig) *rig = graph_rig_open(1);
            graph_rig_add(rig, "walk_left", 0, 60, 60 + frames);
            graph_rig_add(rig, "walk_left", 0, 70, 71);
            graph_rig_add(rig, "jumps", 0, 10, 10 + frames);
            for (int count = 1; count < 4; count++)
                assert_int_equal(try_build(rig, count, &def), MAREY_OK);
        }
    }
}

TEST_RIG(frames_that_are_all_different_have_nodes_of_their_own)
{
    graph_rig_add(rig, "walk_left", 0, 60, 120);
    OWNED(marey_clusters) *c = cluster_rig_build(rig, &(marey_clusters_def){ .threshold = 1e-9 });
    int nodes, sequences, edges;
    const marey_cluster_node *of = marey_clusters_nodes(c, &nodes);
    marey_clusters_sequences(c, &sequences);
    marey_clusters_edges(c, &edges);
    assert_true(nodes == 30 && sequences == 30 && edges == 29);
    for (int n = 0; n < nodes; n++) assert_true(of[n].widest == 0 && !of[n].loops);
    judge_clusters(c);
}

/* To the last bit of the formula in double, for both links and other metrics. */
TEST(frames_just_within_the_threshold_are_joined_and_just_beyond_are_not)
{
    static const char *const metrics[] = { "points", "angles", "positions", "transition" };
    for (int i = 0; i < 24; i++) {
        marey_metric_def metric = { .metric = marey_metric_named(metrics[i % 4]) };
        marey_clusters_def def = { .metric = &metric,
                                   .link = (marey_link)(i / 4 % MAREY_LINK_COUNT),
                                   .threshold = 1e-6,
                                   .fps = 60 };
        OWNED(graph_rig) *rig = graph_rig_open(1);
        graph_rig_add(rig, "walk_left", 0, 60 + 3 * i, 61 + 3 * i);
        graph_rig_add(rig, "walk_right", 0, 50 + 7 * i, 51 + 7 * i);
        OWNED(marey_clusters) *two = cluster_rig_build(rig, &def);
        assert_int_equal(two->node_count, 2);
        double apart = mry_sequence_distance(two, 0, 0, 1, 0);
        for (int beyond = 0; beyond < 2; beyond++) {
            def.threshold = beyond ? nextafter(apart, 0) : apart;
            OWNED(marey_clusters) *c = cluster_rig_build(rig, &def);
            assert_int_equal(c->node_count, 1 + beyond);
            assert_true(c->nodes[0].widest <= nextafterf((float)apart, INFINITY));
        }
    }
}

/* Of other people, at other rates; marked frames are in no node, and part what is before and behind
   them. */
TEST(two_rates_two_bodies_and_lost_frames_make_one_graph)
{
    for (int rate = 0; rate < 3; rate += TEST_SANITIZED && !test_is_long() ? 2 : 1) {
        marey_clip *slow = NULL;
        marey_clusters_def def = { .fps = rate == 0 ? 30 : rate == 1 ? 24 : 17 };
        OWNED(graph_rig) *rig = graph_rig_open(1);
        graph_rig_add(rig, "walk_left", 0, 60, 160);
        graph_rig_add(rig, "small_walk", 0, 60, 130);
        graph_rig_add(rig, "walk_right", 0, 60, 140);
        if (rate) {
            slow = test_resampled(rig->clips[2], 24);
            marey_clip_free((marey_clip *)(uintptr_t)rig->clips[2]);
            rig->clips[2] = slow;
        }
        graph_rig_lose(rig, 0, 0, 3);
        graph_rig_lose(rig, 0, 31, 32); /* between two rows */
        graph_rig_lose(rig, 0, 50, 60);
        graph_rig_lose(rig, 0, 99, 100);
        assert_int_equal(try_build(rig, 3, &def), MAREY_OK);
        def.threshold = 1e6; /* one node: what is parted is parted by marks alone */
        OWNED(marey_clusters) *c = cluster_rig_build(rig, &def);
        assert_int_equal(c->node_count, 1);
        assert_int_equal(c->sequence_count, 3 + 2);
        for (int s = 0; s < c->sequence_count; s++) assert_int_equal(c->sequences[s].next, -1);
        graph_rig_lose(rig, 0, 0, 100);
        assert_int_equal(try_build(rig, 1, NULL), MAREY_ERR_REQUEST);
        assert_int_equal(try_build(rig, 2, NULL), MAREY_OK);
    }
}

/* The middle, by trying all: few sequences, so that all are held against all. */
TEST(the_middle_is_the_middle_of_middles)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_add(rig, "walk_left", 0, 60, 240);
    graph_rig_add(rig, "walk_right", 0, 60, 200);
    OWNED(marey_clusters) *c = cluster_rig_build(rig, &(marey_clusters_def){ .threshold = 300 });
    int judged = 0;
    for (int n = 0; n < c->node_count; n++) {
        const marey_cluster_node *node = &c->nodes[n];
        int best = -1;
        double least = INFINITY;
        for (int a = node->first; a < node->first + node->sequences; a++) {
            double sum = 0;
            for (int b = node->first; b < node->first + node->sequences; b++)
                sum += a == b ? 0
                              : mry_sequence_distance(c, a, c->sequences[a].rows / 2, b,
                                                      c->sequences[b].rows / 2);
            if (!(sum < least - 1e-9)) continue;
            least = sum;
            best = a;
        }
        judged += node->sequences > 2;
        if (node->sequences < 48) {
            assert_int_equal(node->clip, c->sequences[best].clip);
            assert_int_equal(node->frame, mry_sequence_frame(c, best, c->sequences[best].rows / 2));
        }
    }
    assert_true(judged > 2);
}

TEST(captured_clips_make_sound_graphs)
{
    test_need_mocap();
    static const char *const names[] = { "cmu/07_01", "cmu/02_02", "cmu/143_32" };
    OWNED(graph_rig) *rig = graph_rig_open(2);
    for (int i = 0; i < 3; i++) {
        OWNED(marey_clip) *clip = test_captured(rig->ctx, names[i]);
        int end = marey_clip_frames(clip) < 700 ? marey_clip_frames(clip) : 700;
        marey_clip *part = test_trimmed(clip, 0, end);
        graph_rig_put(rig, part);
    }
    const double thresholds[] = { 30, 0, 700 };
    for (int t = 0; t < 3; t++) {
        assert_int_equal(try_build(rig, 3, &(marey_clusters_def){ .threshold = thresholds[t] }),
                         MAREY_OK);
    }
    assert_int_equal(
        try_build(rig, 3, &(marey_clusters_def){ .threshold = 8, .link = MAREY_LINK_SINGLE }),
        MAREY_OK);
}

TEST_GROUP_OF_CASES(test_cluster, NULL, NULL)
