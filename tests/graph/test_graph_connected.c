/* test_graph_connected.c - well-connected motion graphs: transitions between weights, sweeps, and
   what the reduction may leave out. */
#include "graph/graph_data.h"
#include "graph/weave.h"
#include "graph_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rungs ----------------------------------------------------------------------------------- */

static bool has_transition(const marey_graph *graph, int from, int to)
{
    int first, count = marey_graph_leaving(graph, from, &first), all;
    const marey_graph_transition *of = marey_graph_transitions(graph, &all);
    for (int i = first; i < first + count; i++) {
        if (of[i].to == to) return true;
    }
    return false;
}

TEST_RIG(transitions_are_below_the_threshold_and_rungs_are_among_them)
{
    graph_rig_walks(rig);
    marey_graph_def def = {
        .kind = MAREY_GRAPH_CONNECTED, .dwell_s = -1, .threshold = 12, .unreduced = true
    };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &def), *nodes = graph_rig_nodes(rig, &def);
    mry_near_list rungs = { .ctx = rig->ctx };
    OWNED(mry_arena) mem = mry_arena_make(rig->ctx);
    mry_bodies bodies;
    mry_clouds clouds;
    int count, kept = 0;
    assert_int_equal(mry_graph_weave(nodes, &rungs, NULL), MAREY_OK);
    assert_int_equal(nodes->nodes, marey_graph_nodes(graph));
    assert_int_equal(mry_bodies_open(&bodies, &mem, nodes, NULL), MAREY_OK);
    assert_int_equal(mry_clouds_open(&clouds, &mem, &bodies, NULL), MAREY_OK);
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    for (int i = 0; i < count; i++) {
        int like = marey_graph_node_of(graph, all[i].to).before;
        double distance = (double)mry_cloud_distance(&clouds, all[i].from, like);
        assert_true(fabs(distance - (double)all[i].distance) < 1e-3 && distance < 12);
    }
    for (int64_t i = 0; i < rungs.count; i++) {
        int a = rungs.items[i].a, b = rungs.items[i].b;
        assert_true(a >= 0 && a < b && b < nodes->nodes);
        double distance = (double)mry_cloud_distance(&clouds, a, b);
        if (fabs(distance - 12) < 1e-3) continue;
        bool is = distance < 12;
        if (graph->next[b] >= 0 && is) assert_true(has_transition(graph, a, graph->next[b]));
        if (graph->next[a] >= 0 && is) assert_true(has_transition(graph, b, graph->next[a]));
        kept += is;
    }
    assert_true(kept > 100 && kept > rungs.count / 3);
    judge_is_sound(graph);
    mry_near_free(&rungs);
}

TEST_RIG(rows_of_a_sweep_are_graphs_that_are_not_reduced)
{
    const double thresholds[] = { 0.02, 3, 20 }, some[] = { 0.33, 0.67 };
    marey_graph_stats rows[3];
    graph_rig_walks(rig);
    for (int stated = 0; stated < 2; stated++) {
        marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                                .dwell_s = -1,
                                .weights = some,
                                .weight_count = stated ? 2 : 0 };
        assert_int_equal(marey_graph_sweep(rig->ctx, rig->clips, 2, NULL, &def, thresholds, 3,
                                           false, rows, NULL),
                         MAREY_OK);
        for (int i = 0; i < 3; i++) {
            def.threshold = thresholds[i];
            def.unreduced = true;
            OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
            marey_graph_stats row = graph_rig_measure(rig, graph);
            assert_int_equal(row.nodes, rows[i].nodes);
            assert_int_equal(row.edges, rows[i].edges);
            assert_int_equal(row.bytes, rows[i].bytes);
            assert_true(row.threshold == rows[i].threshold);
            assert_true(row.connectivity_percent == rows[i].connectivity_percent);
            assert_true(row.mean_transition_s == rows[i].mean_transition_s ||
                        (isnan(row.mean_transition_s) && isnan(rows[i].mean_transition_s)));
        }
        /* how many weights there are depends on the threshold, unless they are stated */
        assert_true(stated == (rows[0].nodes == rows[2].nodes));
    }
}

/* ---- the reduction --------------------------------------------------------------------------- */

/* Best paths between all originals of the whole graph and of the reduced one. */
static void judge_reduction(const marey_graph *whole, const marey_graph *reduced, double mu)
{
    for (int a = 0; a < whole->originals; a++) {
        FREED int64_t *before = judge_costs(whole, a), *after = judge_costs(reduced, a);
        for (int b = 0; b < whole->originals; b++) {
            if ((before[b] < 0) != (after[b] < 0)) fail_msg("%d reaches %d no more", a, b);
            if (before[b] < 0) continue;
            if (after[b] < before[b]) fail_msg("%d to %d got cheaper", a, b);
            if (mu <= 1 && after[b] != before[b])
                fail_msg("%d to %d: %lld, was %lld", a, b, (long long)after[b],
                         (long long)before[b]);
            /* Rounded up to whole parts, a step at a time; where only smoothness counts, frames
               cost a part. */
            double rounding = (double)before[b] / (whole->def.smoothness < 1 ? 16 : 1);
            if ((double)after[b] > mu * (double)before[b] + rounding)
                fail_msg("%d to %d: %lld, was %lld", a, b, (long long)after[b],
                         (long long)before[b]);
        }
    }
}

static bool same_origin(marey_graph_node a, marey_graph_node b)
{
    return a.clip == b.clip && a.frame == b.frame && a.other == b.other &&
           a.other_frame == b.other_frame && a.weight == b.weight && a.contacts == b.contacts;
}

/* What is left is as it was: nodes in their order, poses, contacts, labels, and transitions between
   them. */
static void judge_rest(const marey_graph *whole, const marey_graph *reduced)
{
    FREED int *was = malloc((size_t)reduced->nodes * sizeof *was);
    int n = 0, count, first, every;
    size_t turns = 4 * (size_t)whole->motion->skeleton.joint_count * sizeof(float);
    for (int m = 0; m < reduced->nodes; m++, n++) {
        marey_graph_node of = marey_graph_node_of(reduced, m);
        while (n < whole->nodes &&
               (!same_origin(of, marey_graph_node_of(whole, n)) ||
                memcmp(mry_turn(whole->motion, n), mry_turn(reduced->motion, m), turns) != 0))
            n++;
        assert_true(n < whole->nodes);
        assert_true(whole->labelled[n] == reduced->labelled[m]);
        was[m] = n;
        if (of.before >= 0) assert_int_equal(was[of.before], whole->before[n]);
        if (m < reduced->originals) assert_int_equal(n, m);
    }
    const marey_graph_transition *all = marey_graph_transitions(reduced, &count);
    const marey_graph_transition *of = marey_graph_transitions(whole, &every);
    for (int i = 0; i < count; i++) {
        int end = marey_graph_leaving(whole, was[all[i].from], &first), k = first;
        while (k < first + end && of[k].to != was[all[i].to]) k++;
        assert_true(k < first + end);
        assert_true(of[k].distance == all[i].distance && of[k].jump == all[i].jump);
        assert_int_equal(whole->half[k], reduced->half[i]);
        assert_memory_equal(&whole->places[k], &reduced->places[i], sizeof *whole->places);
    }
}

static void try_reductions(graph_rig *rig, marey_graph_def def)
{
    int nodes = 0, most = 0;
    int64_t edges = 0;
    const marey_behaviour doing[] = { { 0, 0, 60, "walk", false }, { 1, 0, 80, "walk", false } };
    def.kind = MAREY_GRAPH_CONNECTED;
    def.dwell_s = -1;
    def.unreduced = true;
    def.behaviours = doing;
    def.behaviour_count = 2;
    OWNED(marey_graph) *whole = graph_rig_build(rig, &def);
    marey_graph_stats full = graph_rig_measure(rig, whole);
    assert_true(whole->nodes > 2 * whole->originals);
    def.unreduced = false;
    const double mus[] = { 1, 1.3, 3, 50 };
    for (int i = 0; i < 4; i++) {
        def.suboptimality = mus[i];
        OWNED(marey_graph) *reduced = graph_rig_build(rig, &def);
        marey_graph_stats row = graph_rig_measure(rig, reduced);
        judge_is_sound(reduced);
        judge_reduction(whole, reduced, mus[i]);
        judge_rest(whole, reduced);
        assert_int_equal(row.nodes_before, full.nodes);
        assert_int_equal(row.edges_before, full.edges);
        assert_true(row.connectivity_percent == full.connectivity_percent);
        assert_true(row.nodes < full.nodes && row.edges < full.edges);
        if (i > 0 && (row.nodes > nodes || row.edges > edges))
            fail_msg("mu %g: %d nodes, were %d", mus[i], row.nodes, nodes);
        nodes = row.nodes;
        edges = row.edges;
        if (i == 0) most = nodes;
    }
    assert_true(nodes < most);
}

TEST(best_paths_stay_and_the_rest_goes)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_add(rig, "walk_straight", 0, 60, 150);
    graph_rig_add(rig, "walk_left", 0, 60, 150);
    try_reductions(rig, (marey_graph_def){ .threshold = 10 });
    try_reductions(rig, (marey_graph_def){ .threshold = 0 });
    try_reductions(rig, (marey_graph_def){ .threshold = 20, .smoothness = 1 });
    try_reductions(rig, (marey_graph_def){ .threshold = 6, .smoothness = -1, .smooth = true });
}

TEST(a_connected_graph_is_better_connected)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_walks(rig);
    for (double threshold = 2; threshold < 40; threshold *= 3) {
        marey_graph_def def = { .threshold = threshold };
        OWNED(marey_graph) *standard = graph_rig_build(rig, &def);
        def.kind = MAREY_GRAPH_CONNECTED;
        OWNED(marey_graph) *connected = graph_rig_build(rig, &def);
        marey_graph_stats a = graph_rig_measure(rig, standard);
        marey_graph_stats b = graph_rig_measure(rig, connected);
        assert_true(b.connectivity_percent >= a.connectivity_percent);
    }
}

TEST_GROUP_OF_CASES(test_graph_connected, NULL, NULL)
