/* test_walk_faults.c - what eyes see in walks that were made, beside a judge that measures the places
   of the joints itself. */
#include "demo_graph.h"

#include "math/turn.h"

#include <math.h>
#include <string.h>

enum { TAKES = 4, MOST = 40 };

static int set_up(void **state)
{
    static const char *const names[TAKES] = { "walk_straight", "walk_left", "turns", "sits" };
    demo_graph *f = demo_graph_takes(names, TAKES);
    /* As rough as it gets: everything leads everywhere, at once. */
    marey_graph_def def = { .threshold = 2000, .dwell_s = 0.1 };
    f->graph = demo_graph_build(f->ctx, f->clips, TAKES, &def);
    *state = f;
    return 0;
}

/* Where the hips face: across them, turned by a quarter. */
static double heading(const marey_clip *clip, int frame, double *hips)
{
    double at[3 * MOST_JOINTS];
    const int *roles = clip->skeleton.roles;
    marey_clip_positions(clip, frame, 1, at);
    const double *l = at + 3 * roles[MAREY_ROLE_LEFT_HIP],
                 *r = at + 3 * roles[MAREY_ROLE_RIGHT_HIP];
    const double *a = at + 3 * roles[MAREY_ROLE_LEFT_SHOULDER];
    const double *b = at + 3 * roles[MAREY_ROLE_RIGHT_SHOULDER];
    memcpy(hips, at, 3 * sizeof *hips);
    return atan2(l[0] - r[0] + a[0] - b[0], l[2] - r[2] + a[2] - b[2]);
}

static double turn_rate(const marey_clip *clip, int frame)
{
    double hips[3], from = heading(clip, frame, hips), to = heading(clip, frame + 1, hips);
    return fabs(remainder(to - from, 2 * M_PI)) * 180 / M_PI * clip->fps;
}

static double hips_speed(const marey_clip *clip, int frame)
{
    double a[3], b[3];
    heading(clip, frame, a);
    heading(clip, frame + 1, b);
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) * clip->fps;
}

static marey_made make(demo_graph *f, const marey_walk *walk, bool rough)
{
    marey_made made = { 0 };
    marey_walk_make_def def = { .rough = rough, .leave_feet = true, .fps = f->graph->fps };
    test_ok(marey_walk_make(f->ctx, f->graph, walk, &def, &made, NULL, &test_error));
    return made;
}

/* Every fault is at a transition and measures what the judge measures; the limits are above what
   nearly all captured frames do. */
TEST_OF(demo_graph *f, faults_are_what_is_seen)
{
    int found[MAREY_WALK_FAULT_KIND_COUNT] = { 0 };
    for (int seed = 1; seed <= 6; seed++) {
        marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = 400, .seed = (uint64_t)seed };
        OWNED(marey_walk) walk = { 0 };
        test_ok(marey_graph_walk(f->ctx, f->graph, &def, &walk, &test_error));
        OWNED(marey_made) made = make(f, &walk, true);
        marey_walk_fault faults[MOST];
        int count = 0;
        test_ok(marey_walk_faults(f->ctx, f->graph, &walk, made.clip, faults, MOST, &count, NULL));
        for (int i = 0; i < count; i++) {
            const marey_walk_fault *one = &faults[i];
            assert_true(one->value > one->limit && one->limit > 0);
            assert_true(one->transition > 0 && one->transition < walk.count);
            assert_true(mry_walk_step(f->graph, walk.nodes[one->transition - 1],
                                      walk.nodes[one->transition]) >= 0);
            if (one->kind == MAREY_FAULT_TURN)
                test_near(turn_rate(made.clip, one->frame), one->value, 2 + 0.05 * one->value);
            if (one->kind == MAREY_FAULT_SPEED)
                test_near(hips_speed(made.clip, one->frame), one->value, 0.5);
            found[one->kind]++;
        }
    }
    for (int k = 0; k < MAREY_WALK_FAULT_KIND_COUNT; k++) {
        int above = 0, all = 0;
        for (int n = 0; n + 1 < f->graph->originals; n++) {
            if (f->graph->next[n] < 0) continue;
            double rate = k == MAREY_FAULT_TURN ? turn_rate(f->graph->motion, n)
                                                : hips_speed(f->graph->motion, n);
            above += rate > f->graph->limits[k];
            all++;
        }
        if (k == MAREY_FAULT_TURN || k == MAREY_FAULT_SPEED) assert_true(above <= 0.002 * all);
        assert_true(marey_walk_fault_name((marey_walk_fault_kind)k)[0] != 0);
    }
    assert_true(found[MAREY_FAULT_POSE] > 0 && found[MAREY_FAULT_ACCELERATION] > 0);
}

/* A captured clip has none, whatever it does: it has no transition. */
TEST_OF(demo_graph *f, what_was_captured_has_none)
{
    int nodes[200], count = -1;
    for (int k = 0; k < 200; k++) nodes[k] = k;
    marey_walk walk = { .count = 200, .nodes = nodes };
    OWNED(marey_made) made = make(f, &walk, false);
    marey_walk_fault faults[MOST];
    test_ok(marey_walk_faults(f->ctx, f->graph, &walk, made.clip, faults, MOST, &count, NULL));
    assert_int_equal(count, 0);
}

/* A walk never takes a transition that is barred, and one that cannot do without is refused. */
TEST_OF(demo_graph *f, barred_transitions_are_not_taken)
{
    int barred[MOST], bars = 0;
    for (int round = 0; round < 10; round++) {
        marey_walk_def def = {
            .kind = MAREY_WALK_LENGTH, .frames = 600, .barred = barred, .barred_count = bars
        };
        OWNED(marey_walk) walk = { 0 };
        test_ok(marey_graph_walk(f->ctx, f->graph, &def, &walk, &test_error));
        for (int k = 1; k < walk.count; k++) {
            int step = mry_walk_step(f->graph, walk.nodes[k - 1], walk.nodes[k]);
            for (int i = 0; i < bars; i++) assert_int_not_equal(step, barred[i]);
            if (step >= 0 && bars < MOST && bars < 4 * (round + 1)) barred[bars++] = step;
        }
    }
    assert_true(bars > 5);
    int none = f->graph->transition_count;
    marey_walk_def wrong = {
        .kind = MAREY_WALK_LENGTH, .frames = 20, .barred = &none, .barred_count = 1
    };
    marey_walk walk = { 0 };
    assert_int_equal(marey_graph_walk(f->ctx, f->graph, &wrong, &walk, &test_error),
                     MAREY_ERR_REQUEST);
}

TEST_GROUP_OF_CASES(test_walk_faults, set_up, demo_graph_tear_down)
