/* test_graph_faults.c - motion graphs of odd clips and odd definitions; refused memory, cancelling,
   and the same graph for any number of threads. */
#include "bytes_judge.h"
#include "frame_measures.h"
#include "graph_judge.h"
#include "metric_clips.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static marey_status try_build(graph_rig *rig, int count, const marey_graph_def *def)
{
    OWNED(marey_graph) *graph = NULL;
    marey_error error = { 0 };
    marey_status status = marey_graph_build(rig->ctx, rig->clips, count, NULL, def, &graph, &error);
    assert_true((graph != NULL) == (status == MAREY_OK));
    if (status) assert_true(error.message[0] != 0);
    if (graph) judge_is_sound(graph);
    return status;
}

/* ---- definitions ----------------------------------------------------------------------------- */

static const marey_graph_def bad_numbers[] = {
    { .kind = MAREY_GRAPH_KIND_COUNT },
    { .kind = (marey_graph_kind)-1 },
    { .fps = NAN },
    { .fps = -30 },
    { .fps = 0.5 },
    { .fps = 1e9 },
    { .threshold = NAN },
    { .threshold = -1 },
    { .threshold = INFINITY },
    { .sigma = NAN },
    { .sigma = -1 },
    { .sigma = INFINITY },
    { .jump = NAN },
    { .jump = 0.5 },
    { .jump = INFINITY },
    { .spread_s = NAN },
    { .spread_s = -1 },
    { .spread_s = 6 },
    { .suboptimality = NAN },
    { .suboptimality = 0.5 },
    { .suboptimality = INFINITY },
    { .suboptimality = 1e9 },
    { .smoothness = NAN },
    { .smoothness = 1.5 },
};

TEST_RIG(numbers_that_cannot_be_are_refused)
{
    graph_rig_walks(rig);
    const double not_rising[] = { 0.5, 0.5 }, ends[] = { 0, 0.5 }, end[] = { 0.5, 1 };
    const double none[] = { NAN }, many[16] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08,
                                                0.09, 0.1,  0.11, 0.12, 0.13, 0.14, 0.15, 0.16 };
    const marey_behaviour outside = { 2, 0, 10, "x", false }, before = { -1, 0, 10, "x", false },
                          empty = { 0, 5, 5, "x", false };
    const marey_metric_def wide = { .window = 40 }, less = { .window = -1 },
                           angles = { .metric = marey_metric_named("angles") };
    const marey_graph_def bad[] = {
        { .weights = not_rising, .weight_count = 2 },
        { .weights = ends, .weight_count = 2 },
        { .weights = end, .weight_count = 2 },
        { .weights = none, .weight_count = 1 },
        { .weights = many, .weight_count = 16 },
        { .weights = many, .weight_count = -1 },
        { .behaviours = &outside, .behaviour_count = 1 },
        { .behaviours = &before, .behaviour_count = 1 },
        { .behaviours = &empty, .behaviour_count = 1 },
        { .metric = &wide, .threshold = 10 },
        { .metric = &less, .threshold = 10 },
        { .metric = &angles }, /* has no default threshold */
        { .metric = &angles, .threshold = 1, .kind = MAREY_GRAPH_CONNECTED },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (try_build(rig, 2, &bad[i]) != MAREY_ERR_REQUEST) fail_msg("definition %zu", i);
    }
    for (size_t i = 0; i < sizeof bad_numbers / sizeof *bad_numbers; i++) {
        if (try_build(rig, 2, &bad_numbers[i]) != MAREY_ERR_REQUEST) fail_msg("numbers %zu", i);
    }
    assert_int_equal(try_build(rig, 0, NULL), MAREY_ERR_REQUEST);
    double thresholds[] = { 3, 2 };
    marey_graph_stats rows[2];
    assert_int_equal(
        marey_graph_sweep(rig->ctx, rig->clips, 2, NULL, NULL, thresholds, 2, true, rows, NULL),
        MAREY_ERR_REQUEST);
    thresholds[0] = NAN;
    assert_int_equal(
        marey_graph_sweep(rig->ctx, rig->clips, 2, NULL, NULL, thresholds, 2, true, rows, NULL),
        MAREY_ERR_REQUEST);
}

TEST_RIG(numbers_at_their_ends_make_graphs)
{
    graph_rig_add(rig, "walk_left", 0, 60, 130);
    graph_rig_add(rig, "walk_right", 0, 60, 120);
    const double almost[] = { 1e-300, 1 - 1e-12 };
    const marey_metric_def angles = { .metric = marey_metric_named("angles") },
                           curvature = { .metric = marey_metric_named("curvature") };
    const marey_graph_def good[] = {
        { .fps = 1 },
        { .fps = 2.4 },
        { .fps = 1000 },
        { .threshold = 1e300 },
        { .threshold = 1e-300 },
        { .spread_s = 1e-9 },
        { .spread_s = 5 },
        { .threshold = 30, .spread_s = 5, .fps = 60 },
        { .jump = 1e300 },
        { .jump = 1 },
        { .sigma = 1e-300 },
        { .threshold = 20, .smooth = true },
        { .metric = &angles, .threshold = 5 },
        { .metric = &curvature, .threshold = 1 },
        { .kind = MAREY_GRAPH_CONNECTED, .suboptimality = 1000 },
        { .kind = MAREY_GRAPH_CONNECTED, .suboptimality = 1, .smoothness = 1 },
        { .kind = MAREY_GRAPH_CONNECTED, .smoothness = -1 },
        { .kind = MAREY_GRAPH_CONNECTED, .threshold = 1e300 },
        { .kind = MAREY_GRAPH_CONNECTED, .threshold = 1e-300 },
        { .kind = MAREY_GRAPH_CONNECTED, .fps = 1 },
        { .kind = MAREY_GRAPH_CONNECTED, .fps = 60, .spread_s = 5 },
        { .kind = MAREY_GRAPH_CONNECTED,
          .threshold = 10,
          .weights = almost + 1,
          .weight_count = 1 },
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (try_build(rig, 2, &good[i]) != MAREY_OK) fail_msg("definition %zu", i);
    }
}

/* ---- clips ----------------------------------------------------------------------------------- */

TEST(clips_of_a_few_frames_make_graphs)
{
    for (int kind = 0; kind < MAREY_GRAPH_KIND_COUNT; kind++) {
        for (int frames = 1; frames < 9; frames++) {
            marey_graph_def def = { .kind = (marey_graph_kind)kind, .fps = 60 };
            OWNED(graph_rig) *rig = graph_rig_open(1);
            graph_rig_add(rig, "walk_left", 0, 60, 60 + frames);
            graph_rig_add(rig, "walk_left", 0, 70, 71);
            graph_rig_add(rig, "jumps", 0, 10, 10 + frames);
            assert_int_equal(try_build(rig, 1, &def), frames < 2 ? MAREY_ERR_REQUEST : MAREY_OK);
            assert_int_equal(try_build(rig, 2, &def), MAREY_OK);
            assert_int_equal(try_build(rig, 3, &def), MAREY_OK);
            def.threshold = 50;
            assert_int_equal(try_build(rig, 3, &def), MAREY_OK);
        }
    }
}

TEST(two_rates_two_bodies_and_lost_frames_make_one_graph)
{
    for (int kind = 0; kind < MAREY_GRAPH_KIND_COUNT; kind++) {
        marey_graph_def def = { .kind = (marey_graph_kind)kind };
        OWNED(graph_rig) *rig = graph_rig_open(1);
        graph_rig_add(rig, "walk_left", 0, 60, 160);
        graph_rig_add(rig, "small_walk", 0, 60, 130);
        graph_rig_add(rig, "walk_right", 0, 60, 140);
        marey_clip *slow = test_resampled(rig->clips[2], 24);
        marey_clip_free((marey_clip *)(uintptr_t)rig->clips[2]);
        rig->clips[2] = slow;
        graph_rig_lose(rig, 0, 50, 60);
        graph_rig_lose(rig, 0, 99, 100);
        assert_int_equal(try_build(rig, 3, &def), MAREY_OK);
        graph_rig_lose(rig, 0, 0, 100);
        assert_int_equal(try_build(rig, 1, &def), MAREY_ERR_REQUEST);
        assert_int_equal(try_build(rig, 2, &def), MAREY_OK);
    }
}

TEST_RIG(bodies_without_roles_are_refused_among_others)
{
    graph_rig_walks(rig);
    graph_rig_put(rig, test_nameless(rig->ctx, 40));
    assert_int_equal(try_build(rig, 3, NULL), MAREY_ERR_SHAPE);
}

/* Without a foot on the floor all is flight; nothing is planted, and there is a graph all the
   same. */
TEST(without_contacts_there_is_a_graph)
{
    const marey_contacts none[2] = { { 0 }, { 0 } };
    for (int kind = 0; kind < MAREY_GRAPH_KIND_COUNT; kind++) {
        marey_graph_def def = { .kind = (marey_graph_kind)kind };
        OWNED(graph_rig) *rig = graph_rig_open(1);
        graph_rig_walks(rig);
        OWNED(marey_graph) *graph = NULL;
        assert_int_equal(marey_graph_build(rig->ctx, rig->clips, 2, none, &def, &graph, NULL), 0);
        judge_is_sound(graph);
        for (int n = 0; n < marey_graph_nodes(graph); n++)
            assert_int_equal(marey_graph_node_of(graph, n).contacts, 0);
    }
}

TEST(without_roles_every_joint_can_be_told)
{
    for (int kind = 0; kind < MAREY_GRAPH_KIND_COUNT; kind++) {
        marey_joint_weights equal;
        assert_int_equal(marey_joint_weights_parse("equal", &equal, NULL), MAREY_OK);
        marey_metric_def metric = { .joints = &equal };
        marey_graph_def def = { .kind = (marey_graph_kind)kind, .metric = &metric };
        OWNED(graph_rig) *rig = graph_rig_open(1);
        graph_rig_put(rig, test_nameless(rig->ctx, 90));
        graph_rig_put(rig, test_nameless(rig->ctx, 70));
        assert_int_equal(try_build(rig, 2, &def), MAREY_OK);
        marey_status status = try_build(rig, 2, &(marey_graph_def){ .kind = def.kind });
        assert_true(status == MAREY_ERR_REQUEST || status == MAREY_ERR_SHAPE);
    }
}

TEST_RIG(labels_are_those_of_the_frames)
{
    graph_rig_walks(rig);
    marey_behaviour many[70];
    char names[70][8];
    for (int i = 0; i < 70; i++) {
        snprintf(names[i], sizeof names[i], "l%d", i % 64);
        many[i] = (marey_behaviour){ i % 2, i, i + 10, names[i], false };
    }
    marey_graph_def def = { .threshold = 20, .behaviours = many, .behaviour_count = 70 };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
    int count;
    const char *const *labels = marey_graph_labels(graph, &count);
    assert_int_equal(count, 64);
    for (int l = 0; l < count; l++) {
        assert_string_equal(labels[l], names[l]);
        for (int n = 0; n < marey_graph_originals(graph); n++) {
            marey_graph_node of = marey_graph_node_of(graph, n);
            bool is = false;
            for (int i = 0; i < 70; i++)
                is = is || (strcmp(names[i], labels[l]) == 0 && many[i].clip == of.clip &&
                            of.frame >= many[i].start && of.frame < many[i].end);
            assert_int_equal(marey_graph_has_label(graph, n, l), is);
        }
    }
    assert_false(marey_graph_has_label(graph, 0, 64) || marey_graph_has_label(graph, 0, -1));
    snprintf(names[69], sizeof names[69], "more");
    assert_int_equal(try_build(rig, 2, &def), MAREY_ERR_LIMIT);
}

/* ---- memory, threads, cancelling ------------------------------------------------------------- */

static void small_clips(graph_rig *rig)
{
    graph_rig_add(rig, "walk_left", 0, 60, 105);
    graph_rig_add(rig, "walk_right", 0, 60, 100);
}

/* Build, measure, closure, sweep, write, read: all that takes memory. */
static marey_status do_all(graph_rig *rig, int kind, marey_error *error)
{
    const marey_behaviour doing = { 0, 0, 30, "walk", false };
    marey_graph_def def = { .kind = (marey_graph_kind)kind,
                            .behaviours = &doing,
                            .behaviour_count = 1 };
    const double thresholds[] = { 5, 20 };
    marey_graph_stats rows[2];
    OWNED(marey_graph) *graph = NULL, *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = rig->ctx };
    uint8_t bits[4096];
    marey_status status =
        marey_graph_build(rig->ctx, rig->clips, rig->count, NULL, &def, &graph, error);
    if (!status) status = marey_graph_measure(rig->ctx, graph, rows, error);
    if (!status) status = marey_graph_closure(rig->ctx, graph, bits, error);
    if (!status) status = marey_graph_write(graph, &bytes.at, &bytes.size, error);
    if (!status)
        status = marey_graph_read(rig->ctx, bytes.at, bytes.size, rig->clips, rig->count, NULL,
                                  &again, error);
    if (!status && kind == MAREY_GRAPH_STANDARD)
        status = marey_graph_sweep(rig->ctx, rig->clips, rig->count, NULL, NULL, thresholds, 2,
                                   false, rows, error);
    return status;
}

TEST(running_out_of_memory_is_reported_and_nothing_is_held)
{
    judge_refused_memory(small_clips, do_all, MAREY_GRAPH_KIND_COUNT);
}

TEST(cancelling_ends_it_and_nothing_is_held)
{
    judge_cancelled(small_clips, do_all, MAREY_GRAPH_KIND_COUNT);
}

TEST(one_thread_and_three_give_the_same_bytes)
{
    const marey_graph_def defs[] = { { .threshold = 0 },
                                     { .kind = MAREY_GRAPH_CONNECTED, .threshold = 8 },
                                     { .kind = MAREY_GRAPH_CONNECTED, .suboptimality = 3 } };
    OWNED(graph_rig) *one = graph_rig_open(1), *three = graph_rig_open(3);
    graph_rig_walks(one);
    graph_rig_walks(three);
    for (int d = 0; d < 3; d++) {
        OWNED(marey_graph) *a = graph_rig_build(one, &defs[d]),
                           *b = graph_rig_build(three, &defs[d]);
        OWNED(judge_bytes) bytes = { .ctx = one->ctx }, other = { .ctx = three->ctx };
        assert_int_equal(marey_graph_write(a, &bytes.at, &bytes.size, NULL), MAREY_OK);
        assert_int_equal(marey_graph_write(b, &other.at, &other.size, NULL), MAREY_OK);
        judge_same_bytes(&bytes, &other);
        marey_graph_stats x = graph_rig_measure(one, a), y = graph_rig_measure(three, b);
        assert_true(x.mean_transition_s == y.mean_transition_s);
        assert_true(x.connectivity_percent == y.connectivity_percent);
    }
}

TEST_GROUP_OF_CASES(test_graph_faults, NULL, NULL)
