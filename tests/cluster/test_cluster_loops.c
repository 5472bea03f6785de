/* test_cluster_loops.c - loops of one clip out of a cluster graph, beside a judge that looks at all
   pairs of rows of all pairs of its sequences, and what marey_loop_make makes of them: no step of
   the seam stands out. */
#include "blend_clips.h"
#include "switch_judge.h"

#include "motion/quantile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4000, MOST_LOOPS = 400, MOST_JOINTS = 64 };

typedef struct place {
    int start, end; /* rows */
    double cost, large;
} place;

static int by_cost(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->large != b->large) return a->large < b->large ? -1 : 1;
    return (a->cost > b->cost) - (a->cost < b->cost);
}

static double step_of(const mry_vec *p, const mry_vec *q, int count)
{
    double most = 0;
    for (int j = 0; j < count; j++) most = fmax(most, mry_vec_length(mry_vec_sub(p[j], q[j])));
    return most;
}

/* A quarter of a second to both sides, from the end to the beginning. */
static double seam_step(const marey_features *f, int end, int start)
{
    int half = (int)round(0.25 * f->layout->fps);
    marey_placement by = marey_place(f, end, f, start);
    mry_vec last[MOST_JOINTS], now[MOST_JOINTS];
    double most = 0;
    for (int k = -half; k <= half; k++) {
        double t = (double)(k + half) / (2 * half), w = t * t * (3 - 2 * t);
        for (int j = 0; j < f->layout->joints; j++) {
            mry_vec p = mry_row_position(f, end + k, j), q = mry_row_position(f, start + k, j);
            double x = q.x * cos(by.angle_rad) + q.z * sin(by.angle_rad) + by.x_cm;
            double z = q.z * cos(by.angle_rad) - q.x * sin(by.angle_rad) + by.z_cm;
            now[j] =
                (mry_vec){ (1 - w) * p.x + w * x, (1 - w) * p.y + w * q.y, (1 - w) * p.z + w * z };
        }
        if (k > -half) most = fmax(most, step_of(last, now, f->layout->joints));
        for (int j = 0; j < f->layout->joints; j++) last[j] = now[j];
    }
    return most;
}

/* The eight best places of two sequences, none of which share a row. */
static int judge_pair(const marey_clusters *c, int earlier, int later, place *out)
{
    static place all[MOST];
    int count = 0, kept = 0;
    for (int r = 0; r < c->sequences[later].rows; r++) {
        for (int s = 0; s < c->sequences[earlier].rows; s++) {
            int from = judge_row_of(c, later, r), to = judge_row_of(c, earlier, s);
            assert_true(count < MOST);
            if (judge_goes_on(c, to))
                all[count++] = (place){ to, from, judge_switch(c, from, to), 0 };
        }
    }
    qsort(all, (size_t)count, sizeof *all, by_cost);
    for (int n = 0; n < count && kept < 8; n++) {
        bool fresh = true;
        for (int k = 0; k < kept; k++)
            fresh = fresh && out[k].start != all[n].start && out[k].end != all[n].end;
        if (fresh) out[kept++] = all[n];
    }
    return kept;
}

static int judge_loops(const marey_clusters *c, int clip, double shortest, double longest,
                       place *out)
{
    const marey_features *f = c->features[clip];
    int half = (int)round(0.25 * c->fps), count = 0, first = c->first_row[clip];
    /* What 19 of 20 steps of a clip are less than. */
    FREED double *steps = malloc((size_t)f->rows * sizeof *steps);
    for (int r = 1; r < f->rows; r++) {
        mry_vec p[MOST_JOINTS], q[MOST_JOINTS];
        for (int j = 0; j < f->layout->joints; j++) {
            p[j] = mry_row_position(f, r - 1, j);
            q[j] = mry_row_position(f, r, j);
        }
        steps[r - 1] = step_of(p, q, f->layout->joints);
    }
    double large = mry_quantile(steps, (size_t)f->rows - 1, 0.95);
    for (int a = 0; a < c->sequence_count; a++) {
        for (int b = a + 1; b < c->sequence_count; b++) {
            place eight[8];
            if (c->sequences[a].clip != clip || c->sequences[b].clip != clip ||
                c->sequences[a].node != c->sequences[b].node)
                continue;
            int places = judge_pair(c, a, b, eight);
            for (int n = 0; n < places; n++) {
                place one = eight[n];
                int start = one.start - first, end = one.end - first;
                double seconds = (judge_row_frame(c, one.end) - judge_row_frame(c, one.start)) /
                                 c->clips[clip]->fps;
                if (seconds < shortest - 1e-9 || seconds > longest + 1e-9) continue;
                if (start < half || end + half >= f->rows) continue;
                one.large = fmax(seam_step(f, end, start) / large, 0.9);
                assert_true(count < MOST);
                out[count++] = one;
            }
        }
    }
    qsort(out, (size_t)count, sizeof *out, by_cost);
    return count;
}

/* ---- which there are ------------------------------------------------------------------------- */

/* The largest step of a made loop's seam, the one to the next round included, over the 95th
   percentile of the clip's own. */
static double made_step(marey_ctx *ctx, const marey_clip *clip, marey_loop loop)
{
    OWNED(marey_made) made = { 0 };
    FREED double *steps = malloc((size_t)clip->frames * sizeof *steps);
    double most = 0, inside = 0;
    for (int f = 1; f < clip->frames; f++) steps[f - 1] = test_step_into(clip, f);
    double large = mry_quantile(steps, (size_t)clip->frames - 1, 0.95);
    if (marey_loop_make(ctx, clip, NULL, NULL, &loop, &made, NULL)) return INFINITY;
    for (int f = 1; f < made.clip->frames; f++) {
        double step = test_step_into(made.clip, f);
        inside = fmax(inside, step);
        if (f >= made.from_a_end) most = fmax(most, step);
    }
    return fmax(most, loop.seam_ratio * inside) / large;
}

/* The best of them that is good when it is made comes first. */
static int judge_order(graph_rig *rig, const marey_clusters *c, int clip, const place *all,
                       int count, marey_loop *out)
{
    const marey_features *f = c->features[clip];
    double near = 0.25 * c->clips[clip]->fps;
    int kept = 0;
    for (int k = 0; k < count && kept < MOST_LOOPS; k++) {
        int start = judge_row_frame(c, all[k].start), end = judge_row_frame(c, all[k].end);
        bool fresh = true;
        for (int i = 0; i < kept && fresh; i++)
            fresh = abs(out[i].start - start) > near || abs(out[i].end - end) > near;
        if (!fresh) continue;
        out[kept++] = (marey_loop){ .start = start,
                                    .end = end,
                                    .cost = marey_distance(f, all[k].start - c->first_row[clip], f,
                                                           all[k].end - c->first_row[clip]) };
    }
    for (int n = 0; n < kept && n < 24; n++) {
        if (!(made_step(rig->ctx, c->clips[clip], out[n]) <= 1)) continue;
        marey_loop one = out[n];
        for (int k = n; k > 0; k--) out[k] = out[k - 1];
        out[0] = one;
        break;
    }
    return kept;
}

static void assert_loops(graph_rig *rig, const marey_clusters *c, int clip, double shortest,
                         double longest)
{
    static place all[MOST];
    static marey_loop got[MOST_LOOPS], judged[MOST_LOOPS];
    int found = -1, count = judge_loops(c, clip, shortest, longest, all);
    marey_cluster_loops_def def = { .shortest_s = shortest, .longest_s = longest };
    assert_int_equal(marey_clusters_loops(rig->ctx, c, clip, &def, MOST_LOOPS, got, &found, NULL),
                     MAREY_OK);
    count = judge_order(rig, c, clip, all, count, judged);
    assert_int_equal(found, count);
    assert_true(found > 0);
    for (int n = 0; n < found; n++) {
        assert_int_equal(got[n].start, judged[n].start);
        assert_int_equal(got[n].end, judged[n].end);
        assert_true(fabs(got[n].cost - judged[n].cost) < 1e-9);
    }
}

TEST_RIG(loops_are_those_of_all_sequences)
{
    graph_rig_add(rig, "walk_straight", 0, 0, 360);
    graph_rig_add(rig, "walk_left", 0, 0, 300);
    OWNED(marey_clusters) *c = switch_rig_build(rig, 2, 30, 60);
    for (int clip = 0; clip < 2; clip++) {
        assert_loops(rig, c, clip, 0.5, 100);
        assert_loops(rig, c, clip, 1, 2.5);
    }
}

TEST_RIG(loops_are_as_long_as_they_are_wished)
{
    marey_loop got[8];
    int found = -7;
    marey_error error = { 0 };
    graph_rig_add(rig, "walk_straight", 0, 0, 300);
    OWNED(marey_clusters) *c = switch_rig_build(rig, 1, 30, 60);
    assert_int_equal(marey_clusters_loops(rig->ctx, c, 0, NULL, 8, got, &found, &error), MAREY_OK);
    assert_true(found > 1);
    for (int n = 0; n < found; n++)
        assert_true(got[n].end - got[n].start >= 0.5 * rig->clips[0]->fps);
    assert_int_equal(marey_clusters_loops(rig->ctx, c, 0, NULL, 1, got, &found, &error), MAREY_OK);
    assert_int_equal(found, 1);
    const marey_cluster_loops_def wrong[] = { { .shortest_s = -1 },
                                              { .shortest_s = 2, .longest_s = 1 },
                                              { .longest_s = NAN } };
    found = -7;
    for (int n = 0; n < 3; n++)
        assert_int_equal(marey_clusters_loops(rig->ctx, c, 0, &wrong[n], 8, got, &found, &error),
                         MAREY_ERR_REQUEST);
    assert_int_equal(marey_clusters_loops(rig->ctx, c, 1, NULL, 8, got, &found, &error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(found, -7);
}

/* A seam is not laid over frames that were not captured, though no row stands for them. */
TEST_RIG(marked_frames_are_in_no_loop)
{
    marey_loop got[64];
    int found = 0;
    graph_rig_add(rig, "walk_straight", 0, 0, 360);
    marey_clip *clip = (marey_clip *)(uintptr_t)rig->clips[0];
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 151, 152));
    OWNED(marey_clusters) *c = switch_rig_build(rig, 1, 30, 60);
    assert_int_equal(marey_clusters_loops(rig->ctx, c, 0, NULL, 64, got, &found, NULL), MAREY_OK);
    assert_true(found > 0);
    for (int n = 0; n < found; n++) {
        OWNED(marey_made) made = { 0 };
        assert_true(got[n].end < 151 || got[n].start > 151);
        assert_int_equal(marey_loop_make(rig->ctx, clip, NULL, NULL, &got[n], &made, NULL),
                         MAREY_OK);
    }
}

/* ---- what is made of them -------------------------------------------------------------------- */

/* The best loop of a clip that lasts so long. */
static void assert_seam(marey_ctx *ctx, const marey_clip *clip, double shortest_s, double most)
{
    OWNED(marey_clusters) *c = NULL;
    marey_loop loop;
    marey_error error = { 0 };
    int found = 0;
    marey_cluster_loops_def def = { .shortest_s = shortest_s };
    test_fine(marey_clusters_build(ctx, &clip, 1, NULL, &c, &error), &error);
    test_fine(marey_clusters_loops(ctx, c, 0, &def, 1, &loop, &found, &error), &error);
    assert_int_equal(found, 1);
    assert_true(loop.end - loop.start >= shortest_s * clip->fps - 1e-6);
    double step = made_step(ctx, clip, loop);
    if (!(step <= most)) fail_msg("%s %d-%d: %g", clip->name, loop.start, loop.end, step);
}

/* They walk so evenly that half a second of them has a step as large as any, and a seam that begins
   and ends with whole frames is a little quicker or slower. */
TEST_RIG(seams_of_demo_walks_do_not_stand_out)
{
    static const char *const names[] = { "walk_straight", "walk_left", "walk_fast" };
    for (int n = 0; n < 3; n++) {
        OWNED(marey_clip) *slow = NULL, *whole = test_demo_part(rig->ctx, names[n], 0, 0);
        slow = test_resampled(whole, 30);
        assert_seam(rig->ctx, slow, 1, 1.1);
    }
}

/* Walks, a run in a circle, and stairs; a cycle is as long as the bench of switches finds it. */
TEST_CTX(seams_of_captured_motion_do_not_stand_out)
{
    static const struct {
        const char *name;
        double cycle_s;
    } clips[] = {
        { "16_15", 1.17 }, { "38_03", 0.73 }, { "91_01", 1.1 }, { "111_23", 1.03 }, { "83_27", 1.2 }
    };
    test_need_mocap();
    for (size_t n = 0; n < sizeof clips / sizeof *clips; n++) {
        char below[64];
        snprintf(below, sizeof below, "cmu/%s", clips[n].name);
        OWNED(marey_clip) *whole = test_captured_unmarked(ctx, below);
        OWNED(marey_clip) *slow = test_resampled(whole, 30);
        assert_seam(ctx, slow, clips[n].cycle_s, 1);
    }
}

TEST_RIG(running_out_of_memory_is_reported_and_leaves_nothing)
{
    graph_rig_add(rig, "walk_straight", 0, 0, 200);
    OWNED(marey_clusters) *c = switch_rig_build(rig, 1, 10, 60);
    marey_status status = MAREY_OK;
    marey_loop got[4];
    int found = -7;
    for (test_refusals sweep = { .memory = &rig->memory }; test_refuse(&sweep, status);) {
        assert_int_equal(found, -7);
        status = marey_clusters_loops(rig->ctx, c, 0, NULL, 4, got, &found, NULL);
    }
    assert_true(found > 0);
    found = -7;
    marey_ctx_cancel(rig->ctx);
    assert_int_equal(marey_clusters_loops(rig->ctx, c, 0, NULL, 4, got, &found, NULL),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(rig->ctx);
    assert_int_equal(found, -7);
}

TEST_GROUP_OF_CASES(test_cluster_loops, NULL, NULL)
