/* test_feature.c - tables of metrics and joint weights, layouts, and the rows of clips: what fits,
   what does not, rates, scales, marks, numbers that are none, and refused memory. */
#include "metric_clips.h"

#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int set_up(void **state)
{
    return test_movers_make(state, 40, 30, 1);
}

#define CASE(name) TEST_OF_IN(set_up, test_movers_free, test_movers *f, name)

static marey_status build(test_movers *f, const marey_clip *a, const marey_clip *b,
                          const marey_metric_def *def, marey_error *error)
{
    const marey_clip *clips[] = { a, b };
    OWNED(marey_layout) *layout = NULL;
    marey_status status = marey_layout_build(f->ctx, clips, 2, def, &layout, error);
    if (status) assert_null(layout);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

TEST(every_metric_of_the_table_is_found_by_its_name)
{
    int count = 0;
    for (const marey_metric *m; (m = marey_metric_find(count)); count++) {
        assert_ptr_equal(marey_metric_named(m->name), m);
        assert_true(m->window >= 1 && m->window <= MAREY_MOST_WINDOW);
        for (int t = 0; t < m->attribute_count; t++) assert_non_null(m->attributes[t]);
    }
    assert_int_equal(count, 5);
    assert_null(marey_metric_find(-1));
    assert_null(marey_metric_named("no such"));
}

TEST(joint_weights_are_read_from_names_and_lists)
{
    marey_joint_weights w;
    for (int i = 0; marey_joint_weights_find(i); i++) {
        test_ok(marey_joint_weights_parse(marey_joint_weights_find(i)->name, &w, NULL));
        assert_string_equal(w.name, marey_joint_weights_find(i)->name);
    }
    test_ok(marey_joint_weights_parse("hips=1,knee=0.5,left_elbow=.25", &w, NULL));
    assert_true(w.roles[MAREY_ROLE_HIPS] == 1 && w.roles[MAREY_ROLE_LEFT_KNEE] == 0.5);
    assert_true(w.roles[MAREY_ROLE_RIGHT_KNEE] == 0.5 && w.roles[MAREY_ROLE_LEFT_ELBOW] == 0.25);
    assert_true(w.roles[MAREY_ROLE_RIGHT_ELBOW] == 0 && !w.every_joint);
}

TEST(invalid_joint_weights_are_refused)
{
    static const char *const bad[] = {
        "",       "eqal",   "hips", "hips=",    "hips=-1",    "hips=x",         "hips=1,", ",",
        "tail=1", "hips=0", "=1",   "hips=nan", "hips=1e400", "hips=1 spine=2", "hips=inf"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        marey_joint_weights w = { .name = "kept" };
        marey_error error = { 0 };
        if (marey_joint_weights_parse(bad[i], &w, &error) != MAREY_ERR_REQUEST)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_string_equal(w.name, "kept");
        assert_true(strlen(error.message) > 10);
    }
}

/* ---- layouts --------------------------------------------------------------------------------- */

CASE(lees_joints_are_ten_of_the_person)
{
    marey_metric_def def = test_metric("points");
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
    double sum = 0;
    assert_int_equal(marey_layout_joints(pair.layout), 10);
    for (int k = 0; k < 10; k++) sum += marey_layout_weight(pair.layout, k);
    assert_true(fabs(sum - 1) < 1e-12);
    assert_string_equal(marey_layout_joint(pair.layout, 0), "Hips");
    assert_false(marey_layout_by_roles(pair.layout));
    assert_int_equal(marey_layout_window(pair.layout), 5);
}

CASE(invalid_definitions_are_refused)
{
    const marey_metric *angles = marey_metric_named("angles"), *points = marey_metric_find(0);
    const marey_metric *curvature = marey_metric_named("curvature");
    marey_joint_weights none = { .name = "own" };
    const marey_metric_def bad[] = {
        { .window = -1 },
        { .window = 32 },
        { .metric = angles, .window = 5 },
        { .metric = curvature, .window = 1 },
        { .candidates = 1.5 },
        { .candidates = NAN },
        { .smooth_s = -1 },
        { .fps = -1 },
        { .fps = NAN },
        { .joints = &none },
        { .metric = angles, .attributes_given = true },
        { .metric = angles, .attributes_given = true, .attributes = { 1, -1, 1 } },
        { .metric = angles, .attributes_given = true, .attributes = { NAN, 1, 1 } },
        { .metric = points, .attributes_given = true, .attributes = { 1 } },
        { .metric = &(marey_metric){ .name = "points" } },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        marey_error error = { 0 };
        if (build(f, f->a, f->b, &bad[i], &error) != MAREY_ERR_REQUEST)
            fail_msg("definition %zu was taken", i);
        assert_true(strlen(error.message) > 10);
    }
    marey_layout *layout = NULL;
    assert_int_equal(marey_layout_build(f->ctx, NULL, 0, NULL, &layout, NULL), MAREY_ERR_REQUEST);
}

CASE(windows_weigh_their_frames_to_one)
{
    for (int window = 1; window <= MAREY_MOST_WINDOW; window++) {
        for (int tapered = 0; tapered < 2; tapered++) {
            marey_metric_def def = { .window = window, .tapered = tapered };
            OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
            const double *w = pair.layout->frame_weight;
            double sum = 0;
            for (int s = 0; s < window; s++) {
                sum += w[s];
                assert_true(w[s] > 0 && fabs(w[s] - w[window - 1 - s]) < 1e-15);
            }
            assert_true(fabs(sum - 1) < 1e-12);
            if (tapered && window > 2) assert_true(w[0] < w[window / 2]);
            assert_int_equal(pair.layout->before, (window - 1) / 2);
        }
    }
}

CASE(clips_without_common_roles_are_refused_by_name)
{
    static const char *const text =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
        "Zposition Zrotation Yrotation Xrotation\nJOINT b\n{\nOFFSET 0 9 0\n"
        "CHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 1 "
        "0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.01\n0 1 2 3 4 5 6 7 "
        "8\n1 2 3 4 5 6 7 8 9\n";
    OWNED(marey_clip) *stick = test_clip(f->ctx, text);
    test_refused_about(build(f, f->a, stick, NULL, &test_error), MAREY_ERR_SHAPE, "role");
    /* Alone it can be compared with itself: the joints are the same. */
    test_ok(build(f, stick, stick, NULL, &test_error));
    marey_metric_def lee = test_metric("points");
    assert_int_equal(build(f, stick, stick, &lee, &test_error), MAREY_ERR_REQUEST);
}

CASE(other_joints_are_compared_by_roles_at_one_scale)
{
    OWNED(marey_clip) *large = NULL, *other = test_renamed(f->a, 3, "Ankle_L");
    test_ok(marey_clip_scale(other, 1.7, &large, NULL));
    for (const marey_metric *m = marey_metric_find(0); m;
         m = marey_metric_find((int)(m - marey_metric_find(0)) + 1)) {
        marey_metric_def def = test_metric(m->name);
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, large, &def);
        assert_true(marey_layout_by_roles(pair.layout));
        assert_string_equal(marey_layout_joint(pair.layout, 0), "hips");
        for (int row = 0; row < 40 && strcmp(m->name, "curvature") != 0; row += 7)
            assert_true(marey_distance(pair.a, row, pair.b, row) < 1e-4);
    }
}

CASE(features_of_a_clip_that_does_not_fit_are_refused)
{
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, NULL);
    OWNED(marey_clip) *other = test_renamed(f->a, 3, "Ankle_L");
    marey_features *made = NULL;
    assert_int_equal(marey_features_build(pair.layout, other, &made, &test_error), MAREY_ERR_SHAPE);
    assert_null(made);
}

CASE(joints_at_one_place_are_merged_and_nothing_changes)
{
    OWNED(marey_clip) *apart = test_mover(f->ctx, 20, 3);
    memset(f->a->joints[13].offset_cm, 0, sizeof f->a->joints[13].offset_cm); /* on Spine1 */
    memset(f->b->joints[13].offset_cm, 0, sizeof f->b->joints[13].offset_cm);
    test_pair pair = test_pair_make(f->ctx, f->a, f->b, NULL);
    for (int k = 0; k < 21; k++) assert_int_equal(pair.layout->merged[k], k == 13 ? 10 : k);
    float *cells = test_cells(&pair);
    for (int n = 0; n < 40 * 30; n++) {
        double truth = marey_distance(pair.a, n / 30, pair.b, n % 30);
        assert_true(fabs((double)cells[n] - truth) < 1e-5 * (1 + truth));
    }
    free(cells);
    /* A clip in which they are apart does not fit, unless the layout knows of it. */
    marey_features *made = NULL;
    test_refused_about(marey_features_build(pair.layout, apart, &made, &test_error),
                       MAREY_ERR_SHAPE, "LeftShoulder");
    test_pair_free(&pair);
    pair = test_pair_make(f->ctx, f->a, apart, NULL);
    assert_int_equal(pair.layout->merged[13], 13);
    test_pair_free(&pair);
}

CASE(more_clips_in_a_layout_make_the_normalisers_larger)
{
    OWNED(marey_clip) *large = NULL;
    OWNED(marey_layout) *few = NULL, *many = NULL;
    test_ok(marey_clip_scale(f->a, 3, &large, NULL));
    const marey_clip *clips[] = { f->a, f->b, large };
    marey_metric_def def = test_metric("positions");
    test_ok(marey_layout_build(f->ctx, clips, 2, &def, &few, NULL));
    test_ok(marey_layout_build(f->ctx, clips, 3, &def, &many, NULL));
    for (int t = 0; t < 4; t++) assert_true(many->normal[t] > 1.5 * few->normal[t]);
}

/* ---- rows ------------------------------------------------------------------------------------ */

CASE(a_faster_clip_is_sampled_at_the_slower_ones_rate)
{
    static const double rates[] = { 120, 240, 90, 61 };
    for (int r = 0; r < 4; r++) {
        OWNED(marey_clip) *fast = NULL;
        test_ok(marey_clip_resample(f->a, rates[r], &fast, NULL));
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, fast, NULL);
        assert_true(fabs(marey_layout_fps(pair.layout) - marey_clip_fps(f->a)) < 1e-9);
        assert_true(abs(marey_features_rows(pair.b) - 40) <= 1);
        for (int row = 0; row < marey_features_rows(pair.b); row++) {
            int frame = marey_features_frame(pair.b, row);
            assert_true(frame >= 0 && frame < marey_clip_frames(fast));
            assert_true(fabs(frame / rates[r] - row / marey_clip_fps(f->a)) <= 0.51 / rates[r]);
            assert_int_equal(marey_features_row(pair.b, frame), row);
            if (row < 35) assert_true(marey_distance(pair.a, row, pair.b, row) < 0.1);
        }
    }
}

CASE(a_rate_can_be_asked_for_that_is_lower_than_the_clips)
{
    static const double rates[] = { 30, 25, 59.9999, 60, 90 };
    for (int r = 0; r < 5; r++) {
        marey_metric_def def = { .fps = rates[r] };
        OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, f->b, &def);
        double fps = marey_layout_fps(pair.layout);
        assert_true(fabs(fps - (rates[r] < 60 ? rates[r] : marey_clip_fps(f->a))) < 1e-9);
        assert_int_equal(marey_features_rows(pair.a),
                         mry_rows_at(marey_clip_frames(f->a), marey_clip_fps(f->a), fps));
        assert_int_equal(marey_features_rows(pair.b),
                         mry_rows_at(marey_clip_frames(f->b), marey_clip_fps(f->b), fps));
        for (int row = 0; row < marey_features_rows(pair.a); row++) {
            int frame = marey_features_frame(pair.a, row);
            assert_true(fabs(frame / marey_clip_fps(f->a) - row / fps) <= 0.51 / 60);
        }
    }
}

CASE(marked_rows_hold_the_nearest_captured_pose)
{
    OWNED(marey_clip) *marked = NULL;
    test_ok(marey_clip_trim(f->a, 0, 40, &marked, NULL));
    assert_true(mry_clip_add_mark(marked, MAREY_MARK_INVENTED, 0, 2));
    assert_true(mry_clip_add_mark(marked, MAREY_MARK_DROPOUT, 10, 14));
    for (int frame = 10; frame < 14; frame++) memset(mry_place(marked, frame), 0, 24);
    OWNED(test_pair) pair = test_pair_make(f->ctx, f->a, marked, NULL);
    static const int from[] = { 2, 2, 2, 3 }, gap[] = { 9, 9, 9, 14, 14, 14 };
    for (int row = 0; row < 4; row++)
        assert_memory_equal(pair.b->root + 3 * row, pair.a->root + 3 * from[row], 24);
    for (int row = 0; row < 6; row++)
        assert_memory_equal(pair.b->root + 3 * (9 + row), pair.a->root + 3 * gap[row], 24);
    FREED marey_pair *pairs = malloc(1600 * sizeof *pairs);
    int found = 0;
    test_ok(marey_grid_pairs(f->ctx, pair.a, pair.b, 1600, pairs, &found, NULL));
    assert_int_equal(found, 40 * 34);
    for (int n = 0; n < found; n++) assert_false(pair.b->marked[pairs[n].col]);
}

CASE(numbers_that_are_not_finite_never_become_features)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY, 1e200, 2e9 };
    for (int n = 0; n < 5; n++) {
        OWNED(marey_clip) *broken = NULL;
        test_ok(marey_clip_trim(f->a, 0, 40, &broken, NULL));
        mry_place(broken, 17)[2] = bad[n];
        test_refused_about(build(f, broken, f->b, NULL, &test_error), MAREY_ERR_INPUT, "frame 17");
    }
    /* And no file can bring them in. */
    char *text = test_person(3), *motion = strstr(text, "Frame Time");
    marey_clip *clip = NULL;
    motion = strchr(motion, '\n') + 1;
    memcpy(motion, "nan   ", 6);
    assert_int_equal(marey_clip_load_bytes(f->ctx, "x.bvh", text, strlen(text), NULL, &clip, NULL),
                     MAREY_ERR_INPUT);
    free(text);
}

CASE(clips_of_one_frame_have_features_of_every_metric)
{
    OWNED(marey_clip) *one = NULL;
    test_ok(marey_clip_trim(f->a, 5, 6, &one, NULL));
    for (int m = 0; marey_metric_find(m); m++) {
        marey_metric_def def = { .metric = marey_metric_find(m) };
        test_pair pair = test_pair_make(f->ctx, one, f->b, &def);
        float *cells = test_cells(&pair);
        for (int j = 0; j < 30; j++) assert_true(isfinite(cells[j]) && cells[j] >= 0);
        free(cells);
        test_pair_free(&pair);
        pair = test_pair_make(f->ctx, one, one, &def);
        cells = test_cells(&pair);
        assert_true(cells[0] < 1e-3f);
        free(cells);
        test_pair_free(&pair);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Layout, features, grid, pairs and minima of a metric; the first failure. */
static marey_status everything(marey_ctx *ctx, const marey_clip *const *clips, int metric, int form)
{
    marey_metric_def def = { .metric = marey_metric_find(metric),
                             .joints = marey_joint_weights_find(1),
                             .normalised = form == 1 };
    OWNED(marey_layout) *layout = NULL;
    marey_features *a = NULL, *b = NULL;
    OWNED(marey_grid) *grid = NULL;
    marey_pair pairs[5];
    int found;
    marey_status status = marey_layout_build(ctx, clips, 2, &def, &layout, NULL);
    if (!status) status = marey_features_build(layout, clips[0], &a, NULL);
    if (!status) status = marey_features_build(layout, clips[1], &b, NULL);
    if (!status) status = marey_grid_build(ctx, a, b, &grid, NULL);
    if (!status) status = marey_grid_pairs(ctx, a, b, 5, pairs, &found, NULL);
    if (!status && def.metric->attribute_count) {
        for (int space = 0; space < 3 && !status; space++) {
            marey_weights_def weights = { .space = (marey_weight_space)space, .steps = 2 };
            marey_weights_result result;
            status = marey_weights_search(ctx, a, b, &weights, &result, NULL);
        }
    }
    marey_features_free(b);
    marey_features_free(a);
    return status;
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    for (int metric = 0; metric < 6; metric++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        OWNED(marey_clip) *a = test_mover(ctx, 9, 1), *b = test_mover(ctx, 8, 2), *slow = NULL;
        test_ok(marey_clip_resample(b, 47, &slow, NULL));
        const marey_clip *clips[] = { a, slow };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);)
            status = everything(ctx, clips, metric < 5 ? metric : 3, metric == 5);
    }
}

TEST_GROUP_OF_CASES(test_feature, NULL, NULL)
