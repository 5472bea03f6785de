/* graph_judge.c - clips to make motion graphs of, and judges of these. */
#include "graph_judge.h"

#include <math.h>
#include <stdlib.h>

graph_rig *graph_rig_open(int threads)
{
    graph_rig *rig = calloc(1, sizeof *rig);
    rig->memory.refuse = -1;
    marey_ctx_def def = { .resize = test_memory_resize,
                          .resize_user = &rig->memory,
                          .progress = test_stops_report,
                          .progress_user = &rig->stops,
                          .threads = threads };
    test_ok(marey_ctx_open(&def, &rig->ctx));
    rig->stops = (test_stops){ .ctx = rig->ctx, .memory = &rig->memory };
    return rig;
}

void graph_rig_close(graph_rig *rig)
{
    for (int c = 0; c < rig->count; c++) marey_clip_free((marey_clip *)(uintptr_t)rig->clips[c]);
    test_ctx_close(rig->ctx);
    assert_int_equal(rig->memory.live, 0);
    free(rig);
}

void graph_rig_put(graph_rig *rig, marey_clip *clip)
{
    assert_non_null(clip);
    assert_true(rig->count < (int)(sizeof rig->clips / sizeof *rig->clips));
    rig->clips[rig->count++] = clip;
}

void graph_rig_add(graph_rig *rig, const char *take, int segment, int from, int to)
{
    marey_clip *whole = test_demo_part(rig->ctx, take, segment, to), *part = NULL;
    test_ok(marey_clip_trim(whole, from, to, &part, NULL));
    marey_clip_free(whole);
    graph_rig_put(rig, part);
}

void graph_rig_walks(graph_rig *rig)
{
    graph_rig_add(rig, "walk_straight", 0, 60, 190);
    graph_rig_add(rig, "walk_left", 0, 60, 180);
}

marey_graph *graph_rig_build(graph_rig *rig, const marey_graph_def *def)
{
    marey_graph *graph = NULL;
    test_ok(marey_graph_build(rig->ctx, rig->clips, rig->count, NULL, def, &graph, &test_error));

    return graph;
}

marey_graph *graph_rig_nodes(graph_rig *rig, const marey_graph_def *def)
{
    marey_graph *graph = NULL;
    test_ok(mry_graph_make(rig->ctx, rig->clips, rig->count, def, &graph, &test_error));
    test_ok(mry_graph_take(graph, NULL, &test_error));

    return graph;
}

marey_graph_stats graph_rig_measure(graph_rig *rig, const marey_graph *graph)
{
    marey_graph_stats stats;
    test_ok(marey_graph_measure(rig->ctx, graph, &stats, &test_error));

    return stats;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Frames to every node by how long it must still be stayed there: rows of nodes, the first of those
   that are free. *rows: how many. */
static int *frames_by_stay(const marey_graph *graph, int from, double below, int *rows)
{
    int nodes = marey_graph_nodes(graph), count, head = 0, tail = 0;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    double dwell = marey_graph_settings(graph)->dwell_s * marey_graph_fps(graph);
    int least = dwell > 0 ? (int)ceil(dwell - 1e-6) : 0, stays = least + 1;
    for (int i = 0; i < count; i++)
        if (2 * graph->half[i] + 1 > stays) stays = 2 * graph->half[i] + 1;
    int *frames = malloc((size_t)nodes * (size_t)stays * sizeof *frames);
    int *queue = malloc((size_t)nodes * (size_t)stays * sizeof *queue);
    for (int k = 0; k < nodes * stays; k++) frames[k] = -1;
    frames[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        int at = queue[head++], n = at % nodes, stay = at / nodes;
        int next = marey_graph_node_of(graph, n).next, first;
        int leaving = marey_graph_leaving(graph, n, &first);
        for (int k = first - 1; k < first + (stay > 0 ? 0 : leaving); k++) {
            int to = (stay > 0 ? stay - 1 : 0) * nodes + next;
            if (k < first ? next < 0 : !((double)all[k].distance < below)) continue;
            if (k >= first) {
                int fades = 2 * graph->half[k], behind = least - 1 > fades ? least - 1 : fades;
                to = all[k].to + (least > 0 ? behind : 0) * nodes;
            }
            if (frames[to] >= 0) continue;
            frames[to] = frames[at] + 1;
            queue[tail++] = to;
        }
    }
    free(queue);
    *rows = stays;
    return frames;
}

int *judge_frames(const marey_graph *graph, int from, double below)
{
    int rows, nodes = marey_graph_nodes(graph);
    int *frames = frames_by_stay(graph, from, below, &rows);
    for (int i = nodes; i < rows * nodes; i++) {
        int *soonest = &frames[i % nodes];
        if (frames[i] >= 0 && (*soonest < 0 || frames[i] < *soonest)) *soonest = frames[i];
    }
    return frames;
}

static int64_t parts_of(const marey_graph *graph, double distance, bool transition)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    double cost = 1 - def->smoothness;
    if (transition) cost += def->smoothness * distance / def->threshold;
    int64_t parts = llround(64 * cost);
    return parts < 1 ? 1 : parts;
}

static void lower(int64_t *cost, int to, int64_t by, bool *again)
{
    if (to < 0 || (cost[to] >= 0 && cost[to] <= by)) return;
    cost[to] = by;
    *again = true;
}

/* Bellman 1958, Ford 1956: as long as anything gets cheaper. Forwards, then backwards through the
   nodes, so that long ways are found in few rounds. */
int64_t *judge_costs(const marey_graph *graph, int from)
{
    int nodes = marey_graph_nodes(graph), count;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    double dwell = marey_graph_settings(graph)->dwell_s * marey_graph_fps(graph);
    int least = dwell > 0 ? (int)ceil(dwell - 1e-6) : 0;
    int64_t *cost = malloc((size_t)nodes * sizeof *cost), frame = parts_of(graph, 0, false);
    for (int n = 0; n < nodes; n++) cost[n] = n == from ? 0 : -1;
    for (bool again = true; again;) {
        again = false;
        for (int n = 0; n < nodes; n++) {
            int first, leaving = marey_graph_leaving(graph, n, &first);
            if (cost[n] < 0) continue;
            lower(cost, marey_graph_node_of(graph, n).next, cost[n] + frame, &again);
            for (int i = first; i < first + leaving; i++) {
                int to = all[i].to, fades = 2 * graph->half[i];
                int behind = least == 0 ? 0 : fades > least - 1 ? fades : least - 1;
                for (int k = 0; k < behind && to >= 0; k++)
                    to = marey_graph_node_of(graph, to).next;
                lower(cost, to,
                      cost[n] + behind * frame + parts_of(graph, (double)all[i].distance, true),
                      &again);
            }
        }
    }
    return cost;
}

int *judge_free(const marey_graph *graph, int from, double below)
{
    int rows;
    return frames_by_stay(graph, from, below, &rows);
}

/* ---- what can be seen ------------------------------------------------------------------------ */

static void same_node(const marey_graph *a, const marey_graph *b, int n)
{
    marey_graph_node p = marey_graph_node_of(a, n), q = marey_graph_node_of(b, n);
    bool same = p.clip == q.clip && p.frame == q.frame && p.other == q.other &&
                p.other_frame == q.other_frame && p.weight == q.weight && p.next == q.next &&
                p.before == q.before && p.contacts == q.contacts && p.core == q.core;
    if (!same) fail_msg("node %d differs", n);
    const marey_clip *x = marey_graph_motion(a), *y = marey_graph_motion(b);
    assert_memory_equal(mry_place(x, n), mry_place(y, n),
                        3 * (size_t)x->mover_count * sizeof(double));
    assert_memory_equal(mry_turn(x, n), mry_turn(y, n),
                        4 * (size_t)x->skeleton.joint_count * sizeof(float));
}

static void same_transitions(const marey_graph *a, const marey_graph *b)
{
    int count[2];
    const marey_graph_transition *p = marey_graph_transitions(a, &count[0]);
    const marey_graph_transition *q = marey_graph_transitions(b, &count[1]);
    assert_int_equal(count[0], count[1]);
    for (int i = 0; i < count[0]; i++) {
        if (p[i].from != q[i].from || p[i].to != q[i].to || p[i].distance != q[i].distance ||
            p[i].jump != q[i].jump)
            fail_msg("transition %d differs", i);
        marey_placement x = marey_graph_place(a, p[i].from, p[i].to);
        marey_placement y = marey_graph_place(b, p[i].from, p[i].to);
        if (x.angle_rad != y.angle_rad || x.x_cm != y.x_cm || x.z_cm != y.z_cm || x.sure != y.sure)
            fail_msg("transition %d is laid elsewhere", i);
        assert_int_equal(a->half[i], b->half[i]);
    }
}

static void same_settings(const marey_graph_def *a, const marey_graph_def *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_true(a->fps == b->fps && a->threshold == b->threshold && a->smooth == b->smooth &&
                a->sigma == b->sigma && a->jump == b->jump && a->spread_s == b->spread_s &&
                a->dwell_s == b->dwell_s && a->suboptimality == b->suboptimality &&
                a->smoothness == b->smoothness && a->unreduced == b->unreduced);
    assert_int_equal(a->weight_count, b->weight_count);
    for (int i = 0; i < a->weight_count; i++) assert_true(a->weights[i] == b->weights[i]);
    const marey_metric_def *p = a->metric, *q = b->metric;
    assert_ptr_equal(p->metric, q->metric);
    assert_int_equal(p->window, q->window);
    assert_true(p->tapered == q->tapered && p->common_size == q->common_size);
    assert_true(p->joints->every_joint == q->joints->every_joint);
    assert_string_equal(p->joints->name, q->joints->name);
    assert_memory_equal(p->joints->roles, q->joints->roles, sizeof p->joints->roles);
}

void judge_same_graphs(const marey_graph *a, const marey_graph *b)
{
    assert_int_equal(marey_graph_originals(a), marey_graph_originals(b));
    assert_int_equal(marey_graph_nodes(a), marey_graph_nodes(b));
    assert_true(marey_graph_fps(a) == marey_graph_fps(b));
    assert_int_equal(marey_graph_clip_count(a), marey_graph_clip_count(b));
    same_settings(marey_graph_settings(a), marey_graph_settings(b));
    for (int n = 0; n < marey_graph_nodes(a); n++) same_node(a, b, n);
    same_transitions(a, b);
    int count[2];
    const char *const *p = marey_graph_labels(a, &count[0]);
    const char *const *q = marey_graph_labels(b, &count[1]);
    assert_int_equal(count[0], count[1]);
    for (int i = 0; i < count[0]; i++) {
        assert_string_equal(p[i], q[i]);
        for (int n = 0; n < marey_graph_nodes(a); n++)
            assert_int_equal(marey_graph_has_label(a, n, i), marey_graph_has_label(b, n, i));
    }
}

/* ---- what holds for every graph -------------------------------------------------------------- */

/* From one free node all of them can be reached, and it can be reached from all of them; no other
   part has more originals. */
static void core_is_sound(const marey_graph *graph)
{
    int nodes = marey_graph_nodes(graph), originals = marey_graph_originals(graph), one = 0;
    const uint8_t *free_at = graph->dwell.free;
    while (one < originals && !free_at[one]) one++;
    assert_true(one < originals);
    FREED uint8_t *to = calloc((size_t)nodes, (size_t)nodes);
    for (int n = 0; n < nodes; n++) {
        int rows;
        FREED int *frames = frames_by_stay(graph, n, INFINITY, &rows);
        for (int m = 0; m < nodes; m++) to[(size_t)n * (size_t)nodes + (size_t)m] = frames[m] >= 0;
    }
    int size = 0, inside = 0;
    for (int n = 0; n < originals; n++) size += free_at[n];
    for (int n = 0; n < nodes; n++) {
        int same = 0;
        inside += free_at[n];
        bool with = to[(size_t)n * (size_t)nodes + (size_t)one] &&
                    to[(size_t)one * (size_t)nodes + (size_t)n];
        assert_int_equal(free_at[n], with);
        for (int m = 0; m < originals; m++)
            same += to[(size_t)n * (size_t)nodes + (size_t)m] &&
                    to[(size_t)m * (size_t)nodes + (size_t)n];
        assert_true(same <= size);
    }
    assert_int_equal(inside, graph->dwell.free_count);
}

void judge_is_sound(const marey_graph *graph)
{
    /* Nodes are sound. */
    int nodes = marey_graph_nodes(graph), originals = marey_graph_originals(graph);
    assert_int_equal(marey_clip_frames(marey_graph_motion(graph)), nodes);
    for (int n = 0; n < nodes; n++) {
        marey_graph_node of = marey_graph_node_of(graph, n);
        assert_int_equal(of.other < 0, n < originals);
        assert_true(of.frame >= 0 && of.frame <= marey_clip_frames(graph->clips[of.clip]) - 1);
        assert_true(of.next < nodes && of.before < nodes && of.contacts >= 0 && of.contacts < 16);
        if (of.next >= 0) assert_int_equal(marey_graph_node_of(graph, of.next).before, n);
        if (of.before >= 0) assert_int_equal(marey_graph_node_of(graph, of.before).next, n);
        if (of.other < 0) continue;
        assert_true(of.weight >= 0 && of.weight <= 1); /* a float's 1 may be meant to be less */
        assert_true(of.other_frame >= 0 &&
                    of.other_frame <= marey_clip_frames(graph->clips[of.other]) - 1);
    }
    /* Transitions are sound. */
    int count, first;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    for (int i = 0; i < count; i++) {
        assert_true(all[i].from >= 0 && all[i].from < marey_graph_nodes(graph));
        assert_true(all[i].to >= 0 && all[i].to < marey_graph_nodes(graph));
        assert_true(all[i].distance >= 0);
        assert_true((double)all[i].distance < marey_graph_settings(graph)->threshold);
        assert_true(all[i].jump > 0 && isfinite(all[i].jump) && graph->half[i] > 0);
        if (i > 0 && all[i].from == all[i - 1].from) assert_true(all[i].to > all[i - 1].to);
        if (i > 0) assert_true(all[i].from >= all[i - 1].from);
        int leaving = marey_graph_leaving(graph, all[i].from, &first);
        assert_true(i >= first && i < first + leaving);
        assert_true(graph->next[all[i].from] != all[i].to);
        marey_placement place = marey_graph_place(graph, all[i].from, all[i].to);
        assert_true(isfinite(place.angle_rad) && isfinite(place.x_cm) && isfinite(place.z_cm));
    }
    if (marey_graph_nodes(graph) < 700) core_is_sound(graph);
}

void judge_near(double a, double b, double off)
{
    if (isnan(a) && isnan(b)) return;
    if (!(fabs(a - b) <= off)) fail_msg("%.12g is not %.12g", a, b);
}

int judge_transitions(const marey_graph *graph, int from, int to)
{
    int count, found = 0;
    const marey_graph_transition *all = marey_graph_transitions(graph, &count);
    for (int i = 0; i < count; i++) found += all[i].from == from && all[i].to == to;
    return found;
}

graph_rig *graph_rig_three(void)
{
    graph_rig *rig = graph_rig_open(2);
    graph_rig_walks(rig);
    graph_rig_add(rig, "turns", 0, 0, 60);
    return rig;
}

graph_rig *graph_rig_small(void)
{
    graph_rig *rig = graph_rig_open(1);
    graph_rig_add(rig, "walk_left", 0, 60, 110);
    graph_rig_add(rig, "walk_right", 0, 60, 105);
    return rig;
}

int graph_rig_set_up(void **state)
{
    *state = graph_rig_open(1);
    return 0;
}

int graph_rig_set_up_small(void **state)
{
    *state = graph_rig_small();
    return 0;
}

int graph_rig_set_up_three(void **state)
{
    *state = graph_rig_three();
    return 0;
}

int graph_rig_tear_down(void **state)
{
    graph_rig_close(*state);
    return 0;
}

void judge_refused_memory(void (*add_clips)(graph_rig *rig), graph_rig_use *use, int kinds)
{
    for (int kind = 0; kind < kinds; kind++) {
        OWNED(graph_rig) *rig = graph_rig_open(1);
        add_clips(rig);
        marey_error error = { 0 };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &rig->memory, .then_all = true };
             test_refuse(&sweep, status);) {
            status = use(rig, kind, &error);
            assert_int_equal(error.status, status);
            error = (marey_error){ 0 };
        }
    }
}

void judge_cancelled(void (*add_clips)(graph_rig *rig), graph_rig_use *use, int kinds)
{
    for (int kind = 0; kind < kinds; kind++) {
        OWNED(graph_rig) *rig = graph_rig_open(1);
        add_clips(rig);
        marey_status status = MAREY_OK;
        marey_error error;
        while (test_stop(&rig->stops, status)) status = use(rig, kind, &error);
    }
}

void graph_rig_lose(graph_rig *rig, int clip, int start, int end)
{
    marey_clip *lost = (marey_clip *)(uintptr_t)rig->clips[clip];
    if (start == 0) lost->mark_count = 0;
    assert_true(mry_clip_add_mark(lost, MAREY_MARK_DROPOUT, start, end));
}
