/* test_graph_smooth.c - how smooth transitions of motion graphs are, against reckoning it frame by
   frame, and which are kept by default. */
#include "graph_judge.h"

#include <math.h>
#include <stdlib.h>

TEST(by_default_transitions_are_alike_and_smooth)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    graph_rig_walks(rig);
    graph_rig_add(rig, "kicks", 0, 0, 70);
    graph_rig_add(rig, "kicks", 2, 0, 70);
    graph_rig_add(rig, "punches", 0, 0, 50);
    OWNED(marey_graph) *graph = graph_rig_build(rig, NULL);
    const marey_graph_def *def = marey_graph_settings(graph);
    int count, all, rough = 0;
    const marey_graph_transition *of = marey_graph_transitions(graph, &count);
    assert_true(count > 10 && def->smooth && def->jump == MAREY_GRAPH_JUMP);
    assert_true(def->threshold == MAREY_GRAPH_CEILING && def->sigma == MAREY_GRAPH_SIGMA);
    for (int i = 0; i < count; i++) assert_true((double)of[i].jump <= 1.1);
    judge_is_sound(graph);
    marey_graph_free(graph);
    /* Where no step may be longer than those around it, there is something to leave out. */
    graph = graph_rig_build(rig, &(marey_graph_def){ .jump = 1 });
    marey_graph_transitions(graph, &count);
    marey_graph_def as_they_are = { .jump = 1, .threshold = MAREY_GRAPH_CEILING };
    OWNED(marey_graph) *whole = graph_rig_build(rig, &as_they_are);
    assert_false(marey_graph_settings(whole)->smooth);
    of = marey_graph_transitions(whole, &all);
    for (int i = 0; i < all; i++) {
        bool kept = of[i].jump <= 1;
        rough += !kept;
        assert_int_equal(judge_transitions(graph, of[i].from, of[i].to), kept);
    }
    assert_int_equal(all - rough, count);
    assert_true(rough > 5);
}

/* ---- how smooth ------------------------------------------------------------------------------ */

/* Places of all joints along a transition: `half` frames before its pose, the pose in the middle of
   both, and `half` behind. */
typedef struct track {
    int frames, joints;
    double *at;
} track;

static void body_at(const marey_graph *graph, int node, marey_placement place, double *out)
{
    const marey_clip *motion = marey_graph_motion(graph);
    int joints = marey_clip_skeleton(motion)->joint_count;
    double c = cos(place.angle_rad), s = sin(place.angle_rad);
    marey_clip_positions(motion, node, 1, out);
    for (int j = 0; j < 3 * joints; j += 3) {
        double x = out[j], z = out[j + 2];
        out[j] = x * c + z * s + place.x_cm;
        out[j + 2] = z * c - x * s + place.z_cm;
    }
}

static double largest_step(const track *of)
{
    double most = 0;
    for (int i = 1; i < of->frames; i++) {
        const double *p = of->at + (size_t)i * 3 * (size_t)of->joints, *q = p - 3 * of->joints;
        for (int j = 0; j < 3 * of->joints; j += 3)
            most = fmax(most, sqrt(pow(p[j] - q[j], 2) + pow(p[j + 1] - q[j + 1], 2) +
                                   pow(p[j + 2] - q[j + 2], 2)));
    }
    return most;
}

/* Nodes around one, as they are. */
static double own_step(const marey_graph *graph, int node, int half, track *room)
{
    int first = node, end = node;
    for (int k = 0; k < half && graph->before[first] >= 0; k++) first = graph->before[first];
    for (int k = 0; k < half && graph->next[end] >= 0; k++) end = graph->next[end];
    room->frames = end - first + 1;
    for (int n = first; n <= end; n++)
        body_at(graph, n, (marey_placement){ 0 },
                room->at + (size_t)(n - first) * 3 * (size_t)room->joints);
    return largest_step(room);
}

static double judge_jump(const marey_graph *graph, int i, track *room)
{
    const marey_graph_transition *one = &graph->transitions[i];
    int like = graph->before[one->to], half = graph->half[i], first = one->from, frames = 1;
    int size = 3 * room->joints, usual = (int)(graph->def.spread_s * graph->fps + 1e-6);
    double own = fmax(own_step(graph, one->from, usual, room), own_step(graph, like, usual, room));
    marey_placement place = marey_graph_place(graph, one->from, one->to), still = { 0 };
    double off[300], other[300];
    assert_true(size <= 300);
    body_at(graph, one->from, still, off);
    body_at(graph, like, place, other);
    for (int k = 0; k < size; k++) off[k] -= other[k];
    for (; frames <= half && graph->before[first] >= 0; frames++) first = graph->before[first];
    room->frames = 0;
    for (int n = first; n <= one->from; n++) {
        double *to = room->at + (size_t)room->frames++ * (size_t)size;
        body_at(graph, n, still, to);
        for (int k = 0; k < size; k++) to[k] -= 0.5 * off[k] * mry_spread(one->from - n, half);
    }
    for (int n = one->to; n >= 0 && n <= like + half; n = graph->next[n]) {
        double *to = room->at + (size_t)room->frames++ * (size_t)size;
        body_at(graph, n, place, to);
        for (int k = 0; k < size; k++) to[k] += 0.5 * off[k] * mry_spread(n - like, half);
    }
    return largest_step(room) / fmax(own, 30 / graph->fps);
}

TEST_RIG_THREE(a_jump_is_the_largest_step_over_the_largest_around_it)
{
    graph_rig_add(rig, "kicks", 0, 0, 70);
    OWNED(marey_graph) *graph = graph_rig_build(rig, &(marey_graph_def){ .threshold = 100 });
    int joints = marey_clip_skeleton(marey_graph_motion(graph))->joint_count, count;
    track room = { 0, joints, malloc(600 * 3 * (size_t)joints * sizeof(double)) };
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    for (int i = 0; i < count; i++)
        judge_near((double)all[i].jump, judge_jump(graph, i, &room), 2e-3);
    assert_true(count > 50);
    free(room.at);
    for (int half = 1; half < 30; half++) {
        judge_near(mry_spread(0, half), 1, 0);
        judge_near(mry_spread(half + 1, half), 0, 0);
        judge_near(mry_spread(half + 9, half), 0, 0);
        for (int k = 1; k <= half; k++) {
            assert_true(mry_spread(k, half) < mry_spread(k - 1, half));
            judge_near(mry_spread(k, half) + mry_spread(half + 1 - k, half), 1, 1e-12);
        }
    }
}

TEST_RIG(sigma_is_the_metrics_or_ten_thresholds)
{
    const marey_metric_def angles = { .metric = marey_metric_named("angles") };
    const marey_graph_def defs[] = { { .threshold = 7 },
                                     { .threshold = 7, .metric = &angles },
                                     { .threshold = 7, .sigma = 3 } };
    const double sigma[] = { MAREY_GRAPH_SIGMA, 70, 3 };
    graph_rig_walks(rig);
    for (int i = 0; i < 3; i++) {
        OWNED(marey_graph) *graph = graph_rig_build(rig, &defs[i]);
        judge_near(marey_graph_settings(graph)->sigma, sigma[i], 1e-12);
        assert_true(marey_graph_settings(graph)->threshold == 7);
    }
}

TEST_RIG(the_same_clip_twice_is_all_transitions)
{
    graph_rig_add(rig, "walk_left", 0, 60, 160);
    graph_rig_add(rig, "walk_left", 0, 60, 160);
    OWNED(marey_graph) *graph = graph_rig_build(rig, NULL);
    const marey_graph_def *def = marey_graph_settings(graph);
    assert_true(def->threshold > 0 && def->sigma > 0);
    judge_is_sound(graph);
}

TEST_GROUP_OF_CASES(test_graph_smooth, NULL, NULL)
