/* test_graph_weave.c - interpolations of well-connected motion graphs: phases and their pairs, how
   long they take, that they are between their parents, planted feet and falling bodies. */
#include "frame_measures.h"
#include "graph/graph_data.h"
#include "graph/weave.h"
#include "graph_judge.h"
#include "param/body_mass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which feet stand: 1 the left, 2 the right, 3 both. */
static int feet_at(const marey_graph *graph, int node)
{
    int bits = marey_graph_node_of(graph, node).contacts;
    int left = 1 << MAREY_CONTACT_LEFT_HEEL | 1 << MAREY_CONTACT_LEFT_TOE;
    int right = 1 << MAREY_CONTACT_RIGHT_HEEL | 1 << MAREY_CONTACT_RIGHT_TOE;
    return (bits & left ? 1 : 0) + (bits & right ? 2 : 0);
}

static int feet_beside(const marey_graph *graph, int node, int step)
{
    marey_graph_node of = marey_graph_node_of(graph, node);
    int beside = step < 0 ? of.before : of.next;
    return beside < 0 ? -1 : feet_at(graph, beside);
}

static int judge_phases(const marey_graph *graph, const mry_phase *phases, int count)
{
    int at = 0, sequence = -1, alone = 0;
    for (int p = 0; p < count; p++) {
        assert_int_equal(phases[p].first, at);
        assert_true(phases[p].count > 0);
        bool starts = marey_graph_node_of(graph, at).before < 0;
        sequence += starts;
        assert_int_equal(phases[p].sequence, sequence);
        if (!starts) assert_true(phases[p].feet != phases[p - 1].feet);
        for (int n = at; n < at + phases[p].count; n++) {
            int feet = feet_at(graph, n);
            if (n > at) assert_true(marey_graph_node_of(graph, n).before == n - 1);
            if (feet == phases[p].feet) continue;
            /* A single frame does not part what is around it. */
            assert_true(feet != feet_beside(graph, n, 1));
            alone++;
        }
        at += phases[p].count;
    }
    assert_int_equal(at, marey_graph_originals(graph));
    return alone;
}

static void judge_strands(const mry_phase *phases, int count, const mry_strand *strands, int found)
{
    FREED uint8_t *seen = calloc((size_t)count, (size_t)count);
    for (int s = 0; s < found; s++) {
        for (int k = 0; k < strands[s].count; k++) {
            int a = strands[s].a + k, b = strands[s].b + k;
            assert_true(a >= 0 && a < b && b < count && !seen[a * count + b]);
            assert_int_equal(phases[a].feet, phases[b].feet);
            if (k > 0) assert_int_equal(phases[a].sequence, phases[a - 1].sequence);
            if (k > 0) assert_int_equal(phases[b].sequence, phases[b - 1].sequence);
            seen[a * count + b] = 1;
        }
        assert_true(strands[s].count > 0);
    }
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++)
            assert_int_equal(seen[a * count + b], phases[a].feet == phases[b].feet);
    }
}

static graph_rig *open_mixed(void)
{
    graph_rig *rig = graph_rig_open(2);
    graph_rig_walks(rig);
    graph_rig_add(rig, "jumps", 0, 0, 100);
    graph_rig_add(rig, "run_straight", 0, 40, 130);
    return rig;
}

TEST(phases_are_where_the_same_feet_stand_and_strands_are_all_pairs)
{
    OWNED(graph_rig) *rig = open_mixed();
    OWNED(marey_graph) *graph = graph_rig_nodes(rig, NULL);
    OWNED(mry_arena) mem = mry_arena_make(rig->ctx);
    mry_phase *phases;
    mry_strand *strands;
    uint64_t seed = 3;
    for (int round = 0; round < 60; round++) {
        int count = mry_phases_find(graph, &mem, &phases);
        assert_true(count > 4);
        judge_phases(graph, phases, count);
        int found = mry_strands_find(phases, count, &mem, &strands);
        assert_true(found >= 0);
        judge_strands(phases, count, strands, found);
        /* Then with contacts drawn by lot. */
        for (int n = 0; n < graph->nodes; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (seed >> 60 < 6)
                graph->contacts[n] = (uint8_t)(seed >> 40 & 15);
            else if (n > 0)
                graph->contacts[n] = graph->contacts[n - 1];
        }
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static void judge_times(const mry_phase *phases, const mry_strand *strand, const mry_knots *knots,
                        double weight, mry_arena *mem)
{
    mry_weave_times times;
    assert_true(mry_weave_times_find(knots, weight, mem, &times));
    double mixed = 0, least = 0, most = 0;
    for (int k = 0; k < strand->count; k++) {
        double a = phases[strand->a + k].count, b = phases[strand->b + k].count;
        bool flight = phases[strand->a + k].feet == 0;
        mixed +=
            flight ? sqrt((1 - weight) * a * a + weight * b * b) : (1 - weight) * a + weight * b;
        least += fmin(a, b);
        most += fmax(a, b);
    }
    if (!(fabs(times.frames - mixed) <= 1 + 1e-6)) fail_msg("%d, not %g", times.frames, mixed);
    assert_true(times.frames >= least - 1 && times.frames <= most + 1);
    const mry_phase *last_a = &phases[strand->a + strand->count - 1];
    const mry_phase *last_b = &phases[strand->b + strand->count - 1];
    for (int f = 0; f < times.frames; f++) {
        assert_true(times.a[f] >= phases[strand->a].first - 1e-9);
        assert_true(times.b[f] >= phases[strand->b].first - 1e-9);
        assert_true(times.a[f] <= last_a->first + last_a->count + 1e-9);
        assert_true(times.b[f] <= last_b->first + last_b->count + 1e-9);
        if (f == 0) continue;
        assert_true(times.a[f] >= times.a[f - 1] - 1e-9 && times.b[f] >= times.b[f - 1] - 1e-9);
        assert_true(times.a[f] > times.a[f - 1] || times.b[f] > times.b[f - 1]);
    }
    /* Where they are closest a frame falls on whole nodes of both. */
    int at = times.at[knots->closest];
    assert_true(at >= 0 && at < times.frames);
    assert_true(fabs(times.a[at] - knots->a[knots->closest]) < 1e-6);
    assert_true(fabs(times.b[at] - knots->b[knots->closest]) < 1e-6);
}

TEST(durations_are_between_and_time_never_turns_back)
{
    OWNED(graph_rig) *rig = open_mixed();
    OWNED(marey_graph) *graph = graph_rig_nodes(rig, NULL);
    OWNED(mry_arena) mem = mry_arena_make(rig->ctx);
    mry_bodies bodies;
    mry_clouds clouds;
    mry_phase *phases;
    mry_strand *strands;
    assert_int_equal(mry_bodies_open(&bodies, &mem, graph, NULL), MAREY_OK);
    assert_int_equal(mry_clouds_open(&clouds, &mem, &bodies, NULL), MAREY_OK);
    int count = mry_phases_find(graph, &mem, &phases);
    int found = mry_strands_find(phases, count, &mem, &strands), flights = 0;
    for (int s = 0; s < found; s++) {
        mry_knots knots;
        assert_true(mry_weave_align(&clouds, phases, &strands[s], &mem, &knots));
        for (int k = 0; k + 1 < knots.count; k++) {
            assert_true(knots.a[k + 1] >= knots.a[k] && knots.b[k + 1] >= knots.b[k]);
            flights += knots.flight[k];
            if (!knots.close[k]) continue;
            int a = (int)lround(knots.a[k]), b = (int)lround(knots.b[k]);
            assert_true(fabs(knots.a[k] - a) < 1e-9 && fabs(knots.b[k] - b) < 1e-9);
            double distance = (double)mry_cloud_distance(&clouds, a, b);
            assert_true(fabs(knots.distance[k] - distance) < 1e-3);
            assert_true(knots.least <= knots.distance[k]);
        }
        for (double weight = 0.05; weight < 1; weight += 0.15)
            judge_times(phases, &strands[s], &knots, weight, &mem);
    }
    assert_true(found > 10 && flights > 0);
}

TEST_CTX(flights_take_as_long_as_gravity_says)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    double a[] = { 0, 10, 20 }, b[] = { 100, 140, 180 }, distance[3] = { 1, 1, 0 };
    uint8_t flight[3], close[] = { 1, 1, 0 };
    int phase[] = { 0, 1, 2 };
    for (int which = 0; which < 4; which++) {
        mry_weave_times times;
        memset(flight, 0, sizeof flight);
        flight[0] = (uint8_t)(which & 1);
        flight[1] = (uint8_t)(which >> 1);
        mry_knots knots = { 3, a, b, flight, close, distance, phase, 1, 0 };
        assert_true(mry_weave_times_find(&knots, 0.5, &mem, &times));
        double each[2] = { 25, sqrt(0.5 * 10 * 10 + 0.5 * 40 * 40) };
        assert_int_equal(times.frames, (int)ceil(each[which & 1] + each[which >> 1]));
        for (int f = 0; f < times.frames; f++) { /* evenly, in both */
            bool second = f >= each[which & 1];
            double share = second ? (f - each[which & 1]) / each[which >> 1] : f / each[which & 1];
            assert_true(fabs(times.a[f] - 10 * (share + second)) < 1e-9);
            assert_true(fabs(times.b[f] - 100 - 40 * (share + second)) < 1e-9);
        }
    }
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Plants of nodes [first, end), as the graph has them. */
static int plants_of(const marey_graph *graph, int first, int end, marey_contact *out)
{
    int count = 0;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int n = first; n < end; n++) {
            bool is = graph->contacts[n] >> joint & 1;
            bool was = n > first && graph->contacts[n - 1] >> joint & 1;
            if (is && !was)
                out[count++] = (marey_contact){ (marey_contact_joint)joint, n - first, n - first };
            if (is) out[count - 1].end = n - first + 1;
        }
    }
    return count;
}

static int sequence_end(const marey_graph *graph, int node)
{
    while (graph->next[node] >= 0) node = graph->next[node];
    return node + 1;
}

TEST(planted_feet_do_not_slide)
{
    OWNED(graph_rig) *rig = open_mixed();
    const double half[] = { 0.2, 0.5, 0.75 };
    marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                            .dwell_s = -1,
                            .threshold = 15,
                            .weights = half,
                            .weight_count = 3,
                            .unreduced = true };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
    const marey_clip *motion = marey_graph_motion(graph);
    FREED marey_contact *plants = malloc(4 * (size_t)graph->nodes * sizeof *plants);
    int sequences = 0, held = 0;
    double worst = 0;
    for (int n = graph->originals, end; n < graph->nodes; n = end) {
        end = sequence_end(graph, n);
        marey_quality quality;
        int count = plants_of(graph, n, end, plants);
        OWNED(marey_clip) *one = test_trimmed(motion, n, end);
        assert_int_equal(marey_clip_quality(one, plants, count, &quality), MAREY_OK);
        worst = fmax(worst, quality.slide_max_cm);
        sequences++;
        held += count;
    }
    assert_true(sequences > 20 && held > 40);
    if (!(worst <= 0.2)) fail_msg("a plant drifts by %g cm", worst);
}

/* The original that shows a frame of a clip, between two of them. */
static double node_at(const marey_graph *graph, int clip, double frame)
{
    int n = marey_graph_find(graph, clip, (int)floor(frame));
    double from = marey_graph_node_of(graph, n).frame;
    if (from > frame + 1e-9) from = marey_graph_node_of(graph, --n).frame;
    return n + (frame - from) * marey_graph_fps(graph) / marey_clip_fps(graph->clips[clip]);
}

/* Joints of a node between two originals, or of a node. */
static void body_between(const marey_graph *graph, double node, double *out)
{
    const marey_clip *motion = marey_graph_motion(graph);
    int joints = marey_clip_skeleton(motion)->joint_count, at = (int)floor(node + 1e-9);
    int next = graph->next[at] >= 0 ? graph->next[at] : at;
    double share = fmin(fmax(node - at, 0), 1), other[300];
    assert_true(3 * joints <= 300);
    marey_clip_positions(motion, at, 1, out);
    marey_clip_positions(motion, next, 1, other);
    for (int j = 0; j < 3 * joints; j++) out[j] += share * (other[j] - out[j]);
}

/* How far joints are apart in height and in their distances from the root, which no turn on the
   floor changes. */
static double shape_apart(const double *p, const double *q, int joints)
{
    double most = 0;
    for (int j = 0; j < 3 * joints; j += 3) {
        double a = hypot(p[j] - p[0], p[j + 2] - p[2]), b = hypot(q[j] - q[0], q[j + 2] - q[2]);
        most = fmax(most, fmax(fabs(p[j + 1] - q[j + 1]), fabs(a - b)));
    }
    return most;
}

static double chord(const double *p, const double *q)
{
    return hypot(p[0] - q[0], p[2] - q[2]);
}

/* With nearly all weight on one of the two, it is that one, wherever it stands. Returns how far it
   is from it. */
static void judge_parent(const marey_graph *graph, int first, int end, bool second)
{
    int joints = marey_clip_skeleton(marey_graph_motion(graph))->joint_count;
    double was[2][300], is[2][300], most = 0;
    for (int n = first; n < end; n++) {
        marey_graph_node of = marey_graph_node_of(graph, n);
        int which = n > first;
        double node =
            second ? node_at(graph, of.other, of.other_frame) : node_at(graph, of.clip, of.frame);
        body_between(graph, node, was[which]);
        body_between(graph, n, is[which]);
        most = fmax(most, shape_apart(was[which], is[which], joints));
    }
    if (!(most < 2.5)) fail_msg("nodes %d to %d: %g cm off", first, end, most);
    if (end - first < 5) return;
    double before = chord(was[0], was[1]), after = chord(is[0], is[1]);
    if (!(fabs(before - after) < 2 + 0.05 * before))
        fail_msg("nodes %d to %d go %g cm, not %g", first, end, after, before);
}

static void judge_marks(const marey_graph *graph, int n)
{
    marey_graph_node of = marey_graph_node_of(graph, n);
    int a = (int)floor(node_at(graph, of.clip, of.frame) + 1e-6);
    int b = (int)floor(node_at(graph, of.other, of.other_frame) + 1e-6);
    assert_true(graph->labelled[n] == (graph->labelled[a] & graph->labelled[b]));
    int both = graph->contacts[a] & graph->contacts[b];
    int any = graph->contacts[a] | graph->contacts[b];
    assert_int_equal(of.contacts & both, both);
    assert_int_equal(of.contacts & ~any, 0);
    for (int foot = 3; foot <= 12; foot *= 4) { /* no plant on a foot that is up in one of them */
        bool stands = (graph->contacts[a] & foot) && (graph->contacts[b] & foot);
        assert_int_equal((of.contacts & foot) != 0, stands);
    }
}

TEST_RIG(interpolations_are_between_their_parents)
{
    graph_rig_walks(rig);
    graph_rig_add(rig, "walk_fast", 0, 60, 150);
    const double some[] = { 1e-5, 0.5, 1 - 1e-5 };
    const marey_behaviour doing[] = { { 0, 10, 90, "a", false },
                                      { 1, 30, 70, "a", false },
                                      { 1, 50, 100, "b", false },
                                      { 2, 0, 60, "a", false },
                                      { 2, 0, 90, "b", false } };
    marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                            .dwell_s = -1,
                            .threshold = 15,
                            .weights = some,
                            .weight_count = 3,
                            .behaviours = doing,
                            .behaviour_count = 5,
                            .unreduced = true };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
    int judged = 0;
    for (int n = graph->originals, end; n < graph->nodes; n = end) {
        double weight = marey_graph_node_of(graph, n).weight;
        end = sequence_end(graph, n);
        for (int k = n; k < end; k++) judge_marks(graph, k);
        if (weight > 0.1 && weight < 0.9) continue;
        judge_parent(graph, n, end, weight > 0.5);
        judged++;
    }
    assert_true(judged > 20);
}

static double mass_height(const marey_clip *clip, int frame)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    double *at = malloc(3 * (size_t)skeleton->joint_count * sizeof *at), mass[3];
    marey_clip_positions(clip, frame, 1, at);
    mry_body_mass(skeleton, at, mass);
    free(at);
    return mass[1];
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* By how much the body's fall gets faster, cm/s2: the median over a stretch, as feet that leave the
   floor or reach it shake the body a little. */
static double fall_of(const marey_clip *clip, int first, int last, double fps)
{
    double faster[200];
    int count = 0;
    for (int n = first + 1; n < last && count < 200; n++) {
        double bend =
            mass_height(clip, n - 1) - 2 * mass_height(clip, n) + mass_height(clip, n + 1);
        faster[count++] = -bend * fps * fps;
    }
    qsort(faster, (size_t)count, sizeof *faster, by_size);
    return faster[count / 2];
}

/* Frames in the air, those beside contacts left out. */
static bool find_flight(const marey_graph *graph, int from, int end, int *first, int *last)
{
    while (from < end && graph->contacts[from]) from++;
    *first = from + 1;
    while (from < end && !graph->contacts[from]) from++;
    *last = from - 2;
    return from < end && *last - *first >= 4;
}

TEST_RIG(bodies_in_the_air_fall_as_their_parents_do)
{
    graph_rig_add(rig, "jumps", 0, 0, 100);
    graph_rig_add(rig, "jumps", 1, 0, 100);
    const double some[] = { 0.3, 0.5, 0.7 };
    marey_graph_def def = { .kind = MAREY_GRAPH_CONNECTED,
                            .dwell_s = -1,
                            .threshold = 15,
                            .fps = 60,
                            .weights = some,
                            .weight_count = 3,
                            .unreduced = true };
    OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
    const marey_clip *motion = marey_graph_motion(graph);
    double low = INFINITY, high = -INFINITY;
    int judged = 0, first, last;
    for (int n = 0, end; n < graph->nodes; n = end) {
        end = sequence_end(graph, n);
        if (!find_flight(graph, n, end, &first, &last)) continue;
        double fall = fall_of(motion, first, last, graph->fps);
        if (n < graph->originals) {
            low = fmin(low, fall);
            high = fmax(high, fall);
            continue;
        }
        judged++;
        if (!(fall > low - 25 && fall < high + 25))
            fail_msg("%g, not between %g and %g: weight %g", fall, low, high,
                     marey_graph_node_of(graph, n).weight);
    }
    assert_true(judged >= 3);
    assert_true(low > 960 && high < 1000); /* gravity is 981 */
}

TEST_GROUP_OF_CASES(test_graph_weave, NULL, NULL)
