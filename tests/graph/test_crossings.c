/* test_crossings.c - pieces that lead from one captured motion into another: they begin as the one,
   end as the other, and nothing in them jumps. */
#include "graph_judge.h"

#include "motion/facing.h"

#include <math.h>
#include <string.h>

enum { MOST_JOINTS = 64 };

static void places_of(const marey_graph *g, int node, double *out)
{
    assert_true(g->motion->skeleton.joint_count <= MOST_JOINTS);
    marey_clip_positions(g->motion, node, 1, out);
}

/* The original that shows a frame of a clip. */
static int original(const marey_graph *g, int clip, double frame)
{
    for (int n = 0; n < g->originals; n++)
        if (g->origin[n].clip == clip && g->origin[n].frame == frame) return n;
    fail_msg("clip %d has no frame %g", clip, frame);
    return -1;
}

/* Farthest that a joint is from where it is in another node, that one turned and shifted on the floor
   as `place` says. */
static double apart(const marey_graph *g, int a, int b, mry_floor place)
{
    double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS], most = 0;
    places_of(g, a, p);
    places_of(g, b, q);
    for (int j = 0; j < 3 * g->motion->skeleton.joint_count; j += 3) {
        mry_floor_apply(place, &q[j], &q[j + 2]);
        most = fmax(most, hypot(hypot(p[j] - q[j], p[j + 1] - q[j + 1]), p[j + 2] - q[j + 2]));
    }
    return most;
}

static double largest_step(const marey_graph *g, int first, int last)
{
    double most = 0;
    for (int n = first; n < last; n++) most = fmax(most, apart(g, n + 1, n, (mry_floor){ 0 }));
    return most;
}

static int feet_of(const marey_graph *g, int node)
{
    int bits = g->contacts[node];
    return (bits & 3 ? 1 : 0) + (bits & 12 ? 2 : 0);
}

static bool feet_agree(const marey_graph *g, int a, int b)
{
    for (int k = -3; k <= 3; k++) {
        if (b + k >= 0 && b + k < g->originals && feet_of(g, b + k) == feet_of(g, a)) return true;
        if (a + k >= 0 && a + k < g->originals && feet_of(g, a + k) == feet_of(g, b)) return true;
    }
    return false;
}

/* The fastest that the body turns from node to node, degrees a second. */
static double fastest_turn(const marey_graph *g, int first, int last)
{
    double most = 0, before = 0;
    for (int n = first; n <= last; n++) {
        double at[3 * MOST_JOINTS];
        places_of(g, n, at);
        double now = mry_facing(g->motion, n, at);
        if (n > first) most = fmax(most, fabs(remainder(now - before, 2 * M_PI)));
        before = now;
    }
    return most * (180 / M_PI) * g->fps;
}

/* One of nodes [first, last]; its nodes' origins say of which motions it is. */
static void judge_crossing(const marey_graph *g, int first, int last)
{
    int least = (int)ceil(g->def.dwell_s * g->fps - 1e-6), rise = 0;
    assert_true(last - first >= least);
    assert_true(g->origin[first].weight <= 0 && g->origin[last].weight >= 1);
    for (int n = first; n <= last; n++) {
        double weight = g->origin[n].weight;
        rise += weight > 0 && weight < 1;
        if (n > first) assert_true(weight >= (double)g->origin[n - 1].weight);
    }
    for (int n = first + 1; n <= last; n++) {
        double up = (double)g->origin[n].weight - (double)g->origin[n - 1].weight;
        assert_true(up < 1e-6 || fabs(up - 1.0 / (rise + 1)) < 1e-5);
    }
    /* As the two motions at both ends. */
    int a = original(g, g->origin[first].clip, g->origin[first].frame);
    int b = original(g, g->origin[last].other, g->origin[last].other_frame);
    assert_true(apart(g, first, a, (mry_floor){ 0 }) < 1e-3);
    int way_in = -1, way_out = -1, count;
    const marey_graph_transition *all = marey_graph_transitions(g, &count);
    for (int i = 0; i < count; i++) {
        if (all[i].to == first + 1) way_in = i;
        if (all[i].from == last) way_out = i;
    }
    assert_true(way_in >= 0 && way_out >= 0);
    assert_int_equal(all[way_in].from, a);
    assert_int_equal(all[way_out].to, b + 1);
    assert_true(apart(g, last, b, g->places[way_out]) < 0.01);
    assert_true((double)all[way_in].distance < g->def.threshold && all[way_in].jump <= 1.11f);
    /* Feet agree where both are mixed, and no joint is faster than around there. */
    int before = 0;
    while (g->origin[first + before + 1].weight <= 0) before++;
    for (int n = first; n <= last; n++) {
        if (g->origin[n].weight < 0.25f || g->origin[n].weight > 0.75f) continue;
        assert_true(feet_agree(g, original(g, g->origin[n].clip, g->origin[n].frame),
                               original(g, g->origin[n].other, g->origin[n].other_frame)));
    }
    int from = a + before, to = b - (last - first - before - rise - 1);
    double own = fmax(largest_step(g, from, from + rise), largest_step(g, to - rise, to));
    double made = largest_step(g, first + before, first + before + rise + 1);
    double turns = fmax(fastest_turn(g, from, from + rise), fastest_turn(g, to - rise, to));
    assert_true(fastest_turn(g, first + before, first + before + rise + 1) <=
                1.1 * fmax(turns, g->limits[MAREY_FAULT_TURN]));
    assert_true(made <= 1.15 * fmax(own, MAREY_GRAPH_STILL / g->fps));
}

TEST(crossings_lead_from_one_motion_into_another)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_add(rig, "walk_straight", 0, 60, 240);
    graph_rig_add(rig, "walk_left", 0, 60, 240);
    graph_rig_add(rig, "turns", 0, 0, 120);
    const double thresholds[] = { 0.1, 0.2, 0.5 }, dwells[] = { 0.3, 0.1, 0.2 };
    int fewer = 0;
    for (int k = 0; k < 3; k++) {
        marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                                .threshold = thresholds[k],
                                .dwell_s = dwells[k],
                                .unreduced = true };
        OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
        int found = 0;
        judge_is_sound(graph);
        for (int n = graph->originals, first = n; n < graph->nodes; n++) {
            if (graph->next[n] >= 0) continue;
            judge_crossing(graph, first, n);
            first = n + 1;
            found++;
        }
        assert_true(found > 5);
        marey_graph_stats whole = graph_rig_measure(rig, graph);
        assert_int_equal(whole.nodes_before, whole.nodes);
        assert_int_equal(whole.edges_before, whole.edges);
        /* Reduced it reaches as much. */
        def.unreduced = false;
        OWNED(marey_graph) *reduced = graph_rig_build(rig, &def);
        marey_graph_stats rest = graph_rig_measure(rig, reduced);
        judge_is_sound(reduced);
        assert_int_equal(rest.nodes_before, whole.nodes);
        assert_int_equal(rest.edges_before, whole.edges);
        assert_true(rest.nodes <= whole.nodes);
        assert_true(rest.scc_percent > whole.scc_percent - 1);
        /* With mu paths go over crossings that are there already. */
        def.suboptimality = 20;
        OWNED(marey_graph) *small = graph_rig_build(rig, &def);
        marey_graph_stats few = graph_rig_measure(rig, small);
        fewer += few.nodes < rest.nodes;
        assert_true(few.nodes <= rest.nodes && few.scc_percent > rest.scc_percent - 1);
        /* And more than a standard graph of the same threshold. */
        def.kind = MAREY_GRAPH_STANDARD;
        OWNED(marey_graph) *standard = graph_rig_build(rig, &def);
        assert_true(rest.scc_percent >= graph_rig_measure(rig, standard).scc_percent);
    }
    assert_true(fewer > 0);
}

/* The component is what walks show: frames that a crossing shows as they are, too. */
TEST(frames_that_crossings_show_are_in_the_component)
{
    OWNED(graph_rig) *rig = graph_rig_open(1);
    graph_rig_walks(rig);
    marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED, .threshold = 0.5 };
    OWNED(marey_graph) *g = graph_rig_build(rig, &def);
    int shown = 0;
    for (int n = g->originals; n < g->nodes; n++) {
        const mry_origin *of = &g->origin[n];
        if (!g->dwell.passed[n] || (of->weight > 0 && of->weight < 1)) continue;
        int at = of->weight <= 0 ? original(g, of->clip, of->frame)
                                 : original(g, of->other, of->other_frame);
        assert_true(marey_graph_node_of(g, at).core);
        shown++;
    }
    assert_true(shown > 20);
}

TEST_GROUP_OF_CASES(test_crossings, NULL, NULL)
