/* test_graph.c - standard motion graphs against trying everything: transitions, the core, measures,
   sweeps, and which node shows which frame. */
#include "frame_measures.h"
#include "graph_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- transitions ----------------------------------------------------------------------------- */

TEST_RIG_THREE(i_leads_to_the_frame_behind_j_and_j_to_that_behind_i)
{
    for (double threshold = 5; threshold < 300; threshold *= 6) {
        OWNED(marey_graph) *graph =
            graph_rig_build(rig, &(marey_graph_def){ .threshold = threshold });
        OWNED(mry_arena) tmp = mry_arena_make(rig->ctx);
        mry_bodies bodies;
        mry_near_list near;
        int count, expected = 0;
        assert_int_equal(mry_bodies_open(&bodies, &tmp, graph, NULL), MAREY_OK);
        assert_int_equal(mry_graph_near_join(&bodies, threshold, NULL, &near, NULL), MAREY_OK);
        for (int64_t i = 0; i < near.count; i++) {
            int a = near.items[i].a, b = near.items[i].b;
            int after_a = marey_graph_node_of(graph, a).next;
            int after_b = marey_graph_node_of(graph, b).next;
            if (after_b >= 0) assert_int_equal(judge_transitions(graph, a, after_b), 1);
            if (after_a >= 0) assert_int_equal(judge_transitions(graph, b, after_a), 1);
            expected += (after_a >= 0) + (after_b >= 0);
        }
        marey_graph_transitions(graph, &count);
        assert_int_equal(count, expected);
        assert_true(count > 0);
        judge_is_sound(graph);
        mry_near_free(&near);
    }
}

static bool is_inside(const marey_graph *graph, int node)
{
    for (int k = 0; k < 2 && node >= 0; k++) node = marey_graph_node_of(graph, node).before;
    for (int k = 0; k < 4 && node >= 0; k++) node = marey_graph_node_of(graph, node).next;
    return node >= 0;
}

/* As the paper's formula lays the clouds; where these are five frames. */
TEST_RIG_THREE(what_follows_is_laid_on_what_it_follows)
{
    OWNED(marey_graph) *graph = graph_rig_build(rig, &(marey_graph_def){ .threshold = 40 });
    const marey_clip *motion = marey_graph_motion(graph);
    marey_metric_def def = *marey_graph_settings(graph)->metric;
    OWNED(marey_layout) *layout = NULL;
    OWNED(marey_features) *rows = NULL;
    int count, judged = 0;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    assert_int_equal(marey_layout_build(rig->ctx, &motion, 1, &def, &layout, NULL), MAREY_OK);
    assert_int_equal(marey_features_build(layout, motion, &rows, NULL), MAREY_OK);
    assert_int_equal(marey_layout_window(layout), 5);
    for (int i = 0; i < count; i++) {
        int like = marey_graph_node_of(graph, all[i].to).before;
        if (!is_inside(graph, like) || !is_inside(graph, all[i].from)) continue;
        marey_placement place = marey_graph_place(graph, all[i].from, all[i].to);
        marey_placement judge = marey_place(rows, all[i].from, rows, like);
        judge_near(remainder(place.angle_rad - judge.angle_rad, 2 * acos(-1)), 0, 1e-4);
        judge_near(place.x_cm, judge.x_cm, 0.05);
        judge_near(place.z_cm, judge.z_cm, 0.05);
        judged++;
    }
    assert_true(judged > 20);
    for (int n = 0; n < marey_graph_nodes(graph); n++) {
        int next = marey_graph_node_of(graph, n).next;
        if (next < 0) continue;
        marey_placement still = marey_graph_place(graph, n, next);
        assert_true(still.angle_rad == 0 && still.x_cm == 0 && still.z_cm == 0);
    }
}

/* ---- measures -------------------------------------------------------------------------------- */

static const marey_behaviour doing[] = { { 0, 0, 70, "walk", false },
                                         { 1, 20, 90, "bend", false },
                                         { 1, 100, 120, "walk", false },
                                         { 0, 90, 110, "bend", false } };

/* Which feet are down, left 1 and right 2, where a change that lasts a single frame is none. */
static int feet_at(const marey_graph *graph, int node)
{
    int bits = marey_graph_node_of(graph, node).contacts;
    int left = 1 << MAREY_CONTACT_LEFT_HEEL | 1 << MAREY_CONTACT_LEFT_TOE;
    int right = 1 << MAREY_CONTACT_RIGHT_HEEL | 1 << MAREY_CONTACT_RIGHT_TOE;
    return ((bits & left) != 0) + 2 * ((bits & right) != 0);
}

static int settled_at(const marey_graph *graph, int node)
{
    marey_graph_node one = marey_graph_node_of(graph, node);
    bool changes = one.next >= 0 && feet_at(graph, one.next) != feet_at(graph, node);
    return changes && one.before >= 0 ? settled_at(graph, one.before) : feet_at(graph, node);
}

/* The mean over segments of half their length and the time from their end to the nearest node with
   a label; the mean of that over the labels. Segments are of originals, and end where the feet on
   the floor change, or the core ends. */
static double judge_maneuverability(const marey_graph *graph, double below)
{
    int labels, nodes = marey_graph_nodes(graph), originals = marey_graph_originals(graph);
    int **frames = malloc((size_t)nodes * sizeof *frames), most = 0, best = 0;
    marey_graph_labels(graph, &labels);
    for (int n = 0; n < nodes; n++) frames[n] = judge_free(graph, n, below);
    for (int n = 0; n < originals; n++) {
        int size = 0;
        for (int m = 0; m < originals; m++) size += frames[n][m] >= 0 && frames[m][n] >= 0;
        if (size > most) best = n;
        if (size > most) most = size;
    }
    double sum = 0;
    int segments = 0, length = 0;
    for (int n = 0; n < originals; n++) {
        int next = marey_graph_node_of(graph, n).next;
        bool core = frames[n][best] >= 0 && frames[best][n] >= 0;
        bool goes_on = next >= 0 && frames[next][best] >= 0 && frames[best][next] >= 0;
        length = core ? length + 1 : 0;
        if (!core || (goes_on && settled_at(graph, next) == settled_at(graph, n))) continue;
        segments++;
        FREED int *shown = judge_frames(graph, n, below);
        for (int label = 0; label < labels; label++) {
            int least = -1;
            for (int m = 0; m < nodes; m++) {
                if (!marey_graph_has_label(graph, m, label) || shown[m] < 0) continue;
                if (least < 0 || shown[m] < least) least = shown[m];
            }
            sum += least < 0 ? NAN : 0.5 * length + least;
        }
        length = 0;
    }
    for (int n = 0; n < nodes; n++) free(frames[n]);
    free(frames);
    return labels ? sum / segments / labels / marey_graph_fps(graph) : NAN;
}

static void judge_measures(const marey_graph *graph, double below, const marey_graph_stats *row,
                           bool quick)
{
    int originals = marey_graph_originals(graph), count, steps = 0, used = 0;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    double pairs = 0, sum = 0, worst = 0;
    for (int a = 0; a < originals; a++) {
        FREED int *frames = judge_frames(graph, a, below);
        for (int b = 0; b < originals; b++) {
            if (a == b || frames[b] < 0) continue;
            pairs++;
            sum += frames[b];
        }
    }
    for (int n = 0; n < marey_graph_nodes(graph); n++)
        steps += marey_graph_node_of(graph, n).next >= 0;
    for (int i = 0; i < count; i++) {
        if (!((double)all[i].distance < below)) continue;
        used++;
        worst = fmax(worst, (double)all[i].jump);
    }
    assert_int_equal(row->frames, originals);
    assert_int_equal(row->nodes, marey_graph_nodes(graph));
    assert_int_equal(row->transitions, used);
    assert_int_equal(row->edges, used + steps);
    judge_near(row->worst_jump, worst, 0);
    judge_near(row->connectivity_percent, 100 * pairs / originals / (originals - 1.0), 1e-9);
    if (!quick)
        judge_near(row->mean_transition_s, pairs > 0 ? sum / pairs / graph->fps : NAN, 1e-9);
    if (!quick) assert_int_equal(row->sources, originals);
    int labels;
    marey_graph_labels(graph, &labels);
    judge_near(row->local_maneuverability_s, judge_maneuverability(graph, below), 1e-9);
    assert_true(isnan(row->local_maneuverability_s) == (labels == 0 || row->behaviours < labels));
}

TEST_RIG_THREE(measures_are_what_trying_everything_gives)
{
    for (double threshold = 0.5; threshold < 300; threshold *= 4) {
        marey_graph_def def = { .threshold = threshold,
                                .behaviours = doing,
                                .behaviour_count = threshold > 100 ? 0 : 4 };
        OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
        marey_graph_stats row = graph_rig_measure(rig, graph);
        int core = 0;
        for (int n = 0; n < row.frames; n++) core += marey_graph_node_of(graph, n).core;
        judge_measures(graph, INFINITY, &row, false);
        judge_near(row.scc_percent, 100.0 * core / row.frames, 1e-9);
        assert_true(row.threshold == threshold);
        assert_int_equal(row.nodes_before, row.nodes);
        assert_int_equal(row.edges_before, row.edges);
    }
}

TEST_RIG_THREE(the_closure_says_who_reaches_whom)
{
    for (double threshold = 2; threshold < 100; threshold *= 4) {
        OWNED(marey_graph) *graph =
            graph_rig_build(rig, &(marey_graph_def){ .threshold = threshold });
        int originals = marey_graph_originals(graph);
        size_t stride = ((size_t)originals + 7) / 8;
        FREED uint8_t *bits = malloc(stride * (size_t)originals);
        memset(bits, 0xa5, stride * (size_t)originals);
        assert_int_equal(marey_graph_closure(rig->ctx, graph, bits, NULL), MAREY_OK);
        for (int a = 0; a < originals; a++) {
            FREED int *frames = judge_frames(graph, a, INFINITY);
            for (int b = 0; b < (int)stride * 8; b++) {
                bool is = bits[(size_t)a * stride + (size_t)b / 8] >> (b % 8) & 1;
                assert_int_equal(is, b < originals && frames[b] >= 0);
            }
        }
    }
}

TEST_RIG_THREE(rows_of_a_sweep_are_graphs_with_these_thresholds)
{
    const double thresholds[] = { 1e-3, 3, 10, 30, 90, 500 };
    enum { ROWS = sizeof thresholds / sizeof *thresholds };
    marey_graph_stats rows[ROWS];
    for (int smooth = 0; smooth < 2; smooth++) {
        marey_graph_def def = { .behaviours = doing, .behaviour_count = 4, .smooth = smooth };
        assert_int_equal(marey_graph_sweep(rig->ctx, rig->clips, rig->count, NULL, &def, thresholds,
                                           ROWS, false, rows, NULL),
                         MAREY_OK);
        for (int i = 0; i < ROWS; i++) {
            def.threshold = thresholds[i];
            OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
            marey_graph_stats row = graph_rig_measure(rig, graph);
            assert_int_equal(rows[i].frames, row.frames);
            assert_int_equal(rows[i].nodes, row.nodes);
            assert_int_equal(rows[i].edges, row.edges);
            assert_int_equal(rows[i].transitions, row.transitions);
            assert_true(rows[i].threshold == row.threshold);
            assert_true(rows[i].scc_percent == row.scc_percent);
            assert_true(rows[i].connectivity_percent == row.connectivity_percent);
            judge_near(rows[i].mean_transition_s, row.mean_transition_s, 0);
            judge_near(rows[i].local_maneuverability_s, row.local_maneuverability_s, 0);
            assert_int_equal(rows[i].sources, row.sources);
            assert_int_equal(rows[i].bytes, row.bytes);
            assert_int_equal(rows[i].nodes_before, row.nodes_before);
            assert_int_equal(rows[i].edges_before, row.edges_before);
            assert_true(rows[i].worst_jump == row.worst_jump);
            if (i > 0 && !smooth) assert_true(rows[i].scc_percent >= rows[i - 1].scc_percent);
        }
    }
    assert_int_equal(marey_graph_sweep(rig->ctx, rig->clips, rig->count, NULL, NULL, thresholds,
                                       ROWS, true, rows, NULL),
                     MAREY_OK);
    assert_true(isnan(rows[2].mean_transition_s) && rows[2].transitions > 0);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

TEST_RIG(every_frame_is_shown_by_the_nearest_node_of_it)
{
    graph_rig_walks(rig);
    marey_clip *slow = test_resampled(rig->clips[0], 47);
    graph_rig_put(rig, slow);
    static const int lost[][2] = { { 0, 1 }, { 50, 61 }, { 118, 119 } };
    for (int m = 0; m < 3; m++) graph_rig_lose(rig, 1, lost[m][0], lost[m][1]);
    const double rates[] = { 0, 30, 25, 60, 13, 1000 };
    for (int r = 0; r < 6; r++) {
        marey_graph_def def = { .threshold = 20, .fps = rates[r] };
        OWNED(marey_graph) *graph = graph_rig_build(rig, &def);
        double asked = rates[r] > 0 ? rates[r] : 30;
        assert_true(marey_graph_fps(graph) == fmin(asked, 47));
        for (int c = 0; c < 3; c++) {
            int frames = marey_clip_frames(rig->clips[c]);
            for (int frame = -3; frame < frames + 3; frame++) {
                bool there = frame >= 0 && frame < frames;
                for (int m = 0; c == 1 && m < 3; m++)
                    there = there && !(frame >= lost[m][0] && frame < lost[m][1]);
                int node = marey_graph_find(graph, c, frame);
                if (there != (node >= 0)) fail_msg("clip %d frame %d: %d", c, frame, node);
                if (node < 0) continue;
                marey_graph_node of = marey_graph_node_of(graph, node);
                assert_int_equal(of.clip, c);
                for (int n = 0; n < marey_graph_originals(graph); n++) {
                    marey_graph_node other = marey_graph_node_of(graph, n);
                    if (other.clip == c)
                        assert_true(fabs(other.frame - frame) >= fabs(of.frame - frame) - 1e-9);
                }
            }
        }
        assert_int_equal(marey_graph_find(graph, 7, 0), -1);
        assert_int_equal(marey_graph_find(graph, -1, 0), -1);
    }
}

/* Marked frames are in no node, and no sequence leads across them. */
TEST_RIG(lost_frames_are_not_there)
{
    graph_rig_walks(rig);
    graph_rig_lose(rig, 0, 40, 52);
    graph_rig_lose(rig, 0, 52, 60);
    OWNED(marey_graph) *graph = graph_rig_build(rig, &(marey_graph_def){ .threshold = 30 });
    for (int n = 0; n < marey_graph_nodes(graph); n++) {
        marey_graph_node of = marey_graph_node_of(graph, n);
        if (of.clip != 0) continue;
        assert_true(of.frame <= 39 || of.frame >= 60);
        if (of.next < 0) continue;
        double step = marey_graph_node_of(graph, of.next).frame - of.frame;
        judge_near(step, 2, 1e-9);
    }
    assert_true(marey_graph_node_of(graph, marey_graph_find(graph, 0, 60)).frame == 60);
    assert_true(marey_graph_node_of(graph, 0).frame == 0);
    judge_is_sound(graph);
}

TEST_RIG(the_nodes_of_a_clip_are_its_frames)
{
    graph_rig_walks(rig);
    graph_rig_add(rig, "small_walk", 0, 60, 150); /* another body */
    OWNED(marey_graph) *graph = graph_rig_build(rig, &(marey_graph_def){ .threshold = 30 });
    for (int n = 0; n < marey_graph_originals(graph); n++) {
        marey_graph_node of = marey_graph_node_of(graph, n);
        OWNED(marey_clip) *refit = test_refitted(rig->clips[of.clip], rig->clips[0]);
        assert_true(test_frame_apart(graph->motion, n, refit, (int)of.frame) < 1e-3);
    }
    judge_is_sound(graph);
}

TEST_GROUP_OF_CASES(test_graph, NULL, NULL)
