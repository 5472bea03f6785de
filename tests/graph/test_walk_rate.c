/* test_walk_rate.c - walks at another rate than their graph's: nearer to what was captured than
   going straight from frame to frame, with the nodes' own frames where they fall on one, without
   jumps, with planted feet, and what is refused. */
#include "demo_graph.h"
#include "math/turn.h"

#include <string.h>

enum { TAKES = 3 };

static int set_up(void **state)
{
    static const char *const names[TAKES] = { "walk_straight", "walk_left", "sits" };
    demo_graph *f = demo_graph_takes(names, TAKES);
    f->graph = demo_graph_build(f->ctx, f->clips, TAKES, NULL);
    *state = f;
    return 0;
}

static marey_made make(const demo_graph *f, const marey_walk *walk, marey_walk_make_def def,
                       marey_walk_made *about)
{
    marey_made made = { 0 };
    marey_error error;
    if (marey_walk_make(f->ctx, f->graph, walk, &def, &made, about, &error))
        fail_msg("%s", error.message);
    return made;
}

/* ---- what is between nodes ------------------------------------------------------------------- */

/* A stretch of a clip at 60 frames a second, of which the graph has every other: what is put
   between is near what was left out, much nearer than the middle of both is. */
TEST_OF(demo_graph *f, frames_between_nodes_are_nearly_those_captured)
{
    enum { COUNT = 60, FIRST = 120 };
    int nodes[COUNT], at = marey_graph_find(f->graph, 1, FIRST);
    marey_walk walk = { .count = COUNT, .nodes = nodes };
    for (int k = 0; k < COUNT; k++, at = f->graph->next[at]) nodes[k] = at;
    OWNED(marey_made) made = make(f, &walk, (marey_walk_make_def){ .leave_feet = true }, NULL);
    OWNED(marey_clip) *part = test_trimmed(f->graph->motion, nodes[0], nodes[0] + COUNT);
    OWNED(marey_clip) *straight = test_resampled(part, 60);
    assert_int_equal(marey_clip_frames(made.clip), 2 * COUNT - 1);
    assert_true(marey_clip_fps(made.clip) == marey_clip_fps(f->clips[0]));
    double smooth_off = 0, straight_off = 0, motion = 0;
    /* the clip stands on the first one's bones, and so must what it is held against */
    OWNED(marey_clip) *fitted = test_refitted(f->clips[1], f->clips[0]);
    for (int k = 0; k < 2 * COUNT - 1; k++) {
        double off = test_frame_apart(made.clip, k, fitted, FIRST + k);
        if (k % 2 == 0) assert_true(off < 1e-3); /* nodes are the captured frames */
        smooth_off += off;
        straight_off += test_frame_apart(straight, k, fitted, FIRST + k);
        if (k > 0) motion += test_frame_apart(fitted, FIRST + k - 1, fitted, FIRST + k);
    }
    assert_true(straight_off > 0.001 * motion);
    assert_true(smooth_off < 0.4 * straight_off);
}

/* A point on a parabola, and a joint that turns evenly, by hand. */
TEST_OF(demo_graph *f, a_cubic_goes_through_its_frames_and_keeps_parabolas)
{
    OWNED(marey_clip) *four = mry_clip_make_like(f->graph->motion, 4, 30);
    OWNED(marey_clip) *one = mry_clip_make_like(f->graph->motion, 1, 30);
    assert_true(four && one);
    for (int k = 0; k < 4; k++) {
        memset(mry_place(four, k), 0, 3 * sizeof(double) * (size_t)four->mover_count);
        mry_place(four, k)[1] = 3.0 * k * k - k + 5;
        for (int j = 0; j < four->skeleton.joint_count; j++) {
            float *q = mry_turn(four, k) + 4 * j, sign = (j + k) % 2 ? -1.0f : 1.0f;
            q[0] = sign * cosf(0.2f * (float)k); /* q and -q are one turn */
            q[1] = q[2] = 0;
            q[3] = sign * sinf(0.2f * (float)k);
        }
    }
    for (int i = 0; i <= 8; i++) {
        int around[4] = { 0, 1, 2, 3 };
        double t = i / 8.0, x = 1 + t;
        mry_walk_between(four, around, t, mry_place(one, 0), mry_turn(one, 0));
        assert_true(fabs(mry_place(one, 0)[1] - (3 * x * x - x + 5)) < 1e-9);
        const float *q = mry_turn(one, 0) + 4;
        assert_true(fabs(fabs((double)q[0]) - cos(0.2 * x)) < 1e-6);
        assert_true(fabs(fabs((double)q[3]) - sin(0.2 * x)) < 1e-6);
        /* at an end it goes on as it did: here straight */
        around[0] = around[3] = -1;
        mry_walk_between(four, around, t, mry_place(one, 0), mry_turn(one, 0));
        assert_true(fabs(mry_place(one, 0)[1] - (7 + t * 8)) < 1e-9);
        assert_true(fabs(fabs((double)mry_turn(one, 0)[4]) - cos(0.2 * x)) < 1e-6);
    }
}

/* ---- rates and lengths ----------------------------------------------------------------------- */

/* Where the rates are multiples, every node has its frame, as it is without another rate. */
TEST_OF(demo_graph *f, nodes_fall_on_frames_and_stay_as_they_are)
{
    OWNED(marey_walk) walk = rove(f->ctx, f->graph, 200, 3);
    marey_walk_make_def def = { .leave_feet = true, .fps = 30 };
    OWNED(marey_made) own = make(f, &walk, def, NULL);
    def.fps = 120;
    OWNED(marey_made) fine = make(f, &walk, def, NULL);
    assert_int_equal(marey_clip_frames(own.clip), 200);
    assert_int_equal(marey_clip_frames(fine.clip), 199 * 4 + 1);
    for (int k = 0; k < 200; k++) {
        assert_int_equal(marey_walk_frame(f->graph, k, 120), 4 * k);
        assert_memory_equal(mry_turn(own.clip, k), mry_turn(fine.clip, 4 * k),
                            4 * sizeof(float) * (size_t)own.clip->skeleton.joint_count);
        assert_memory_equal(mry_place(own.clip, k), mry_place(fine.clip, 4 * k),
                            3 * sizeof(double));
    }
    assert_int_equal(own.contacts.count, fine.contacts.count);
    for (int n = 0; n < own.contacts.count; n++) {
        const marey_contact *a = &own.contacts.items[n], *b = &fine.contacts.items[n];
        assert_int_equal(b->joint, a->joint);
        assert_int_equal(b->start, 4 * a->start);
        assert_int_equal(b->end, 4 * (a->end - 1) + 1);
    }
}

TEST_OF(demo_graph *f, lengths_are_in_frames_of_what_is_made)
{
    static const double rates[] = { 7.5, 10, 24, 25, 30, 59.94, 60, 119.88, 120, 240 };
    OWNED(marey_walk) walk = rove(f->ctx, f->graph, 90, 3);
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        marey_walk_make_def def = { .fps = rates[r] };
        OWNED(marey_made) made = make(f, &walk, def, NULL);
        int frames = marey_clip_frames(made.clip);
        double last = (frames - 1) / rates[r], end = 89.0 / 30;
        assert_true(last <= end + 1e-6 && last > end - 1 / rates[r]);
        for (int n = 0; n < made.contacts.count; n++) {
            const marey_contact *plant = &made.contacts.items[n];
            assert_true(plant->start >= 0 && plant->start < plant->end && plant->end <= frames);
        }
        marey_made_free(&made);
        def.frames = 20;
        made = make(f, &walk, def, NULL);
        assert_int_equal(marey_clip_frames(made.clip), 20);
        for (int n = 0; n < made.contacts.count; n++) assert_true(made.contacts.items[n].end <= 20);
    }
}

/* ---- soundness ------------------------------------------------------------------------------- */

/* The largest speed at any rate is that of the motion: nothing that lies between nodes hides a
   jump. */
TEST_OF(demo_graph *f, nothing_jumps_and_planted_feet_stay_at_any_rate)
{
    static const double rates[] = { 24, 60, 119.88, 120 };
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        OWNED(marey_walk) walk = rove(f->ctx, f->graph, 900, 1 + r);
        marey_walk_made about;
        OWNED(marey_made) made = make(f, &walk, (marey_walk_make_def){ .fps = rates[r] }, &about);
        assert_true(about.transitions > 4);
        assert_true(about.jump_ratio > 0.5 && about.jump_ratio <= 1.1);
        assert_true(made.contacts.count > 5 &&
                    test_slide(made.clip, made.contacts.items, made.contacts.count) <= 0.5);
    }
}

/* After a reduction neither the node before the target nor those behind and before the origin need
   be there; between the two nodes of a transition something else stands then, which must not jump
   either. */
TEST_OF(demo_graph *f, nothing_jumps_where_nodes_are_gone)
{
    marey_graph *g = f->graph;
    int tried = 0;
    for (int t = 3; t < g->transition_count && tried < 12; t += 17) {
        enum { BESIDE = 20 };
        int nodes[2 * BESIDE], from = g->transitions[t].from, to = g->transitions[t].to;
        int before = g->before[to], next = g->next[from], earlier = g->before[from];
        bool there = before >= 0 && next >= 0 && earlier >= 0;
        for (int k = BESIDE - 1, n = from; k >= 0; k--, n = n < 0 ? -1 : g->before[n]) nodes[k] = n;
        for (int k = BESIDE, n = to; k < 2 * BESIDE; k++, n = n < 0 ? -1 : g->next[n]) nodes[k] = n;
        for (int k = 0; k < 2 * BESIDE; k++) there = there && nodes[k] >= 0;
        if (!there) continue;
        marey_walk walk = { .count = 2 * BESIDE, .nodes = nodes };
        marey_walk_make_def def = { .leave_feet = true, .fps = 240 };
        marey_walk_made about;
        for (int gone = 0; gone < 4; gone++) {
            if (gone > 0) g->before[to] = -1;
            if (gone > 1) g->next[from] = -1;
            if (gone > 2) g->before[from] = -1;
            OWNED(marey_made) made = make(f, &walk, def, &about);
            assert_true(about.jump_ratio < (gone > 2 ? 2 : 1.25));
        }
        g->before[to] = before;
        g->next[from] = next;
        g->before[from] = earlier;
        tried++;
    }
    assert_true(tried > 5);
}

/* A walk that takes a transition wherever there is one, between far apart poses too. */
static marey_walk stumble(const marey_graph *g, int *nodes, int frames, uint64_t *lot, int *close)
{
    marey_walk walk = { .count = frames, .nodes = nodes };
    bool cut = false;
    do nodes[0] = (int)(mry_random_next(lot) % (uint64_t)g->nodes);
    while (!g->dwell.free[nodes[0]]);
    for (int k = 1; k < frames; k++) {
        int first = g->leaving[nodes[k - 1]], count = g->leaving[nodes[k - 1] + 1] - first;
        int next = g->next[nodes[k - 1]];
        bool cuts = count > 0 && (next < 0 || !g->dwell.free[next] || mry_random_next(lot) % 3 > 0);
        if (cuts) {
            do next = g->transitions[first + (int)(mry_random_next(lot) % (uint64_t)count)].to;
            while (!g->dwell.free[next]);
        }
        *close += cut && cuts;
        cut = cuts;
        nodes[k] = next;
    }
    return walk;
}

/* Where each of several transitions adds its share, the two sides of another must still meet. A gap
   would be four times as fast at four times the rate. */
TEST_OF(demo_graph *f, transitions_close_to_each_other_do_not_jump_between_nodes)
{
    enum { FRAMES = 60 };
    int nodes[FRAMES], close = 0;
    uint64_t lot = 5;
    marey_graph_def def = { .threshold = 300, .dwell_s = -1 };
    OWNED(marey_graph) *rough = demo_graph_build(f->ctx, f->clips, TAKES, &def);
    marey_graph *own = f->graph;
    f->graph = rough;
    int walks = test_trials(20, 20);
    for (int n = 0; n < walks; n++) {
        marey_walk walk = stumble(rough, nodes, FRAMES, &lot, &close);
        marey_walk_make_def how = { .leave_feet = true, .fps = 240 };
        marey_walk_made coarse, fine;
        OWNED(marey_made) a = make(f, &walk, how, &coarse);
        how.fps = 1920;
        OWNED(marey_made) b = make(f, &walk, how, &fine);
        assert_true(fine.jump_ratio < 1.2 * coarse.jump_ratio);
    }
    assert_true(close > walks);
    f->graph = own;
}

/* A body that sits hardly moves, and a slow shift from one pose to another is no jump. */
TEST_OF(demo_graph *f, hardly_moving_is_no_jump)
{
    const marey_graph *g = f->graph;
    int tried = 0;
    for (int t = 0; t < g->transition_count; t++) {
        enum { BESIDE = 4 };
        int nodes[2 * BESIDE], back = g->transitions[t].from, on = g->transitions[t].to;
        bool there = true;
        for (int k = BESIDE - 1; k >= 0; k--, back = back < 0 ? -1 : g->before[back])
            nodes[k] = back;
        for (int k = BESIDE; k < 2 * BESIDE; k++, on = on < 0 ? -1 : g->next[on]) nodes[k] = on;
        for (int k = 0; k < 2 * BESIDE; k++) there = there && nodes[k] >= 0;
        if (!there || test_frame_apart(g->motion, nodes[0], g->motion, nodes[BESIDE - 1]) > 0.3)
            continue;
        if (test_frame_apart(g->motion, nodes[BESIDE], g->motion, nodes[2 * BESIDE - 1]) > 0.3)
            continue;
        marey_walk walk = { .count = 2 * BESIDE, .nodes = nodes };
        marey_walk_made about;
        OWNED(marey_made) made =
            make(f, &walk, (marey_walk_make_def){ .leave_feet = true }, &about);
        assert_true(about.jump_ratio < 1.3);
        if (++tried == 30) break;
    }
    assert_true(tried > 3);
}

TEST_OF(demo_graph *f, what_cannot_be_is_refused)
{
    OWNED(marey_walk) walk = rove(f->ctx, f->graph, 30, 1);
    marey_made made = { .from_a_end = -7 };
    static const marey_walk_make_def wrong[] = {
        { .fps = -1 }, { .fps = 0.01 }, { .fps = 20000 }, { .fps = NAN }, { .frames = -1 }
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(marey_walk_make(f->ctx, f->graph, &walk, &wrong[i], &made, NULL, NULL),
                         MAREY_ERR_REQUEST);
        assert_int_equal(made.from_a_end, -7);
    }
}

TEST_GROUP_OF_CASES(test_walk_rate, set_up, demo_graph_tear_down)
