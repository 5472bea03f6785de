/* test_layers.c - layers change what they name and nothing else; marks judged frame by frame. */
#include "support.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    marey_ctx *ctx;
    marey_clip *clip;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    f->clip = test_person_clip(f->ctx, 60);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    FREED fixture *f = *state;
    marey_clip_free(f->clip);
    marey_ctx_close(f->ctx);
    return 0;
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, fixture *f, name)

static marey_clip *repaired(const fixture *f, const marey_layer *layers, int count)
{
    marey_clip *made = NULL;
    test_ok(marey_clip_repair(f->clip, layers, count, &made, NULL));
    return made;
}

/* Whether tracks and numbers of a frame are the same bytes, but for one joint (-1: for none). */
static bool same_frame(const marey_clip *a, const marey_clip *b, int frame, int but)
{
    bool same = true;
    for (int j = 0; j < a->skeleton.joint_count; j++) {
        const marey_joint *joint = &a->joints[j];
        size_t numbers = (size_t)joint->channel_count * sizeof(double);
        if (j == but) continue;
        same &= !memcmp(mry_turn(a, frame) + 4 * j, mry_turn(b, frame) + 4 * j, 4 * sizeof(float));
        same &= !memcmp(mry_channels(a, frame) + joint->first_channel,
                        mry_channels(b, frame) + joint->first_channel, numbers);
        if (a->slot[j] >= 0)
            same &= !memcmp(mry_place(a, frame) + 3 * a->slot[j],
                            mry_place(b, frame) + 3 * b->slot[j], 3 * sizeof(double));
    }
    return same;
}

static void write_and_read(marey_ctx *ctx, const marey_clip *clip, const marey_load_def *def,
                           marey_clip **out)
{
    char folder[200], path[220];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/again.bvh", folder);
    test_ok(marey_clip_save(clip, path, NULL));
    test_ok(marey_clip_load(ctx, path, def, out, NULL));
    test_folder_remove(folder);
}

CASE(no_layers_give_the_same_clip)
{
    OWNED(marey_clip) *made = repaired(f, NULL, 0);
    for (int i = 0; i < 60; i++) assert_true(same_frame(made, f->clip, i, -1));
    assert_true(made->fps == f->clip->fps);
    assert_int_equal(made->mark_count, f->clip->mark_count);
}

CASE(a_layer_of_a_joint_changes_that_joint_in_its_frames_only)
{
    for (int k = 0; k < 2; k++) {
        marey_layer layer = { k ? MAREY_LAYER_TURN : MAREY_LAYER_FILL, 3, 20, 30, { 0.8, 0.6 } };
        OWNED(marey_clip) *made = repaired(f, &layer, 1);
        for (int i = 0; i < 60; i++)
            assert_true(same_frame(made, f->clip, i, i >= 20 && i < 30 ? 3 : -1));
        assert_false(same_frame(made, f->clip, 25, -1));
    }
}

CASE(numbers_that_are_stated_again_give_the_same_tracks)
{
    marey_layer layers[] = { { MAREY_LAYER_TURN, 3, 20, 30, { 0.8, 0.36, 0.48 } },
                             { MAREY_LAYER_SHIFT, 0, 0, 60, { 3, 4, 5 } } };
    OWNED(marey_clip) *made = repaired(f, layers, 2);
    OWNED(marey_clip) *again = NULL;
    write_and_read(f->ctx, made, NULL, &again);
    for (int i = 0; i < 60; i++) assert_true(test_pose_apart(again, i, made, i) < 1e-3);
    assert_true(fabs(marey_clip_root(made, 7)[1] - marey_clip_root(f->clip, 7)[1] - 4) < 1e-9);
}

/* A joint that turns evenly about one axis and moves along a parabola is what a cubic can be. */
CASE(a_filled_gap_continues_even_motion)
{
    marey_clip *smooth = repaired(f, NULL, 0);
    for (int i = 0; i < 60; i++) {
        float *q = mry_turn(smooth, i) + 4 * 3;
        double *p = mry_place(smooth, i);
        q[0] = (float)cos(0.01 * i);
        q[1] = (float)sin(0.01 * i);
        q[2] = q[3] = 0;
        p[1] = 100 - 0.02 * i * i;
    }
    marey_layer layers[] = { { MAREY_LAYER_FILL, 3, 20, 32, { 0 } },
                             { MAREY_LAYER_FILL, 0, 20, 32, { 0 } } };
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_clip_repair(smooth, layers, 2, &made, NULL));
    for (int i = 20; i < 32; i++) {
        assert_true(fabs(2 * atan2((double)mry_turn(made, i)[13], (double)mry_turn(made, i)[12]) -
                         0.02 * i) < 1e-5);
        assert_true(fabs(mry_place(made, i)[1] - (100 - 0.02 * i * i)) < 1e-9);
    }
    marey_clip_free(smooth);
}

CASE(a_gap_at_an_end_holds_still)
{
    marey_layer layers[] = { { MAREY_LAYER_FILL, -1, 0, 5, { 0 } },
                             { MAREY_LAYER_FILL, -1, 50, 60, { 0 } } };
    OWNED(marey_clip) *made = repaired(f, layers, 2);
    for (int i = 0; i < 5; i++) assert_true(test_pose_apart(made, i, f->clip, 5) < 1e-4);
    for (int i = 50; i < 60; i++) assert_true(test_pose_apart(made, i, f->clip, 49) < 1e-4);
}

/* Random marks and unmarks against a byte a frame. */
CASE(marks_are_those_that_a_list_of_frames_would_have)
{
    uint64_t seed = 1;
    for (int round = 0; round < 200; round++) {
        marey_layer layers[6];
        int frames[60] = { 0 };
        for (int i = 0; i < 6; i++) {
            int a = (int)(test_chance(&seed) * 59),
                b = a + 1 + (int)(test_chance(&seed) * (59 - a));
            int kind = (int)(test_chance(&seed) * 5) - 1;
            layers[i] = (marey_layer){
                kind < 0 ? MAREY_LAYER_UNMARK : MAREY_LAYER_MARK, -1, a, b, { kind < 0 ? 0 : kind }
            };
            for (int k = a; k < b; k++) frames[k] = kind + 1;
        }
        OWNED(marey_clip) *made = repaired(f, layers, 6);
        int seen[60] = { 0 }, count;
        const marey_mark *marks = marey_clip_marks(made, &count);
        for (int i = 0; i < count; i++) {
            for (int k = marks[i].start; k < marks[i].end; k++) seen[k] = (int)marks[i].kind + 1;
        }
        assert_memory_equal(seen, frames, sizeof frames);
    }
}

CASE(a_level_turns_the_body_about_its_point_and_a_raise_lifts_it_evenly)
{
    marey_layer level = { MAREY_LAYER_LEVEL, -1, 0, 60, { cos(0.05), sin(0.05), 0, 0, 10, 0, 20 } };
    marey_layer raise = { MAREY_LAYER_RAISE, -1, 0, 60, { 0, 59 } };
    OWNED(marey_clip) *turned = repaired(f, &level, 1), *raised = repaired(f, &raise, 1);
    int joints = f->clip->skeleton.joint_count;
    FREED double *a = calloc((size_t)joints, 3 * sizeof *a),
                 *b = calloc((size_t)joints, 3 * sizeof *b);
    for (int i = 0; i < 60; i += 7) {
        marey_clip_positions(f->clip, i, 1, a);
        marey_clip_positions(turned, i, 1, b);
        for (int j = 0; j < joints; j++) {
            double y = a[3 * j + 1], z = a[3 * j + 2] - 20;
            assert_true(fabs(b[3 * j + 1] - (y * cos(0.1) - z * sin(0.1))) < 1e-3);
            assert_true(fabs(b[3 * j + 2] - 20 - (y * sin(0.1) + z * cos(0.1))) < 1e-3);
        }
        marey_clip_positions(raised, i, 1, b);
        for (int j = 0; j < joints; j++) assert_true(fabs(b[3 * j + 1] - a[3 * j + 1] - i) < 1e-6);
    }
}

CASE(other_units_and_axes_are_as_if_the_file_had_been_read_so)
{
    marey_layer layers[] = { { MAREY_LAYER_UNITS, -1, 0, 0, { MAREY_UNITS_INCH } },
                             { MAREY_LAYER_UP, -1, 0, 0, { MAREY_UP_Z } } };
    marey_load_def def = { .units = MAREY_UNITS_INCH, .up = MAREY_UP_Z };
    OWNED(marey_clip) *judge = NULL, *made = repaired(f, layers, 2);
    write_and_read(f->ctx, f->clip, &def, &judge);
    for (int i = 0; i < 60; i++) assert_true(test_pose_apart(made, i, judge, i) < 1e-2);
    assert_true(fabs(made->report.height_cm / judge->report.height_cm - 1) < 1e-6);
}

CASE(layers_that_are_not_for_the_clip_are_refused)
{
    static const marey_layer wrong[] = {
        { (marey_layer_kind)99, -1, 0, 0, { 0 } },    { MAREY_LAYER_RATE, -1, 0, 0, { 0 } },
        { MAREY_LAYER_FILL, 3, 5, 5, { 0 } },         { MAREY_LAYER_FILL, 3, 5, 61, { 0 } },
        { MAREY_LAYER_FILL, 300, 5, 6, { 0 } },       { MAREY_LAYER_TURN, -1, 5, 6, { 1 } },
        { MAREY_LAYER_TURN, 3, 5, 6, { 2 } },         { MAREY_LAYER_SHIFT, 3, 5, 6, { 1 } },
        { MAREY_LAYER_MARK, -1, 5, 6, { 0.5 } },      { MAREY_LAYER_UNITS, -1, 0, 0, { 99 } },
        { MAREY_LAYER_RAISE, -1, 0, 60, { 0, NAN } },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_clip *made = NULL;
        assert_int_equal(marey_clip_repair(f->clip, &wrong[i], 1, &made, &test_error),
                         MAREY_ERR_REQUEST);
        assert_null(made);
    }
}

TEST(refused_memory_is_said_and_leaves_nothing)
{
    static const marey_layer layers[] = { { MAREY_LAYER_MARK, -1, 3, 6, { 1 } },
                                          { MAREY_LAYER_FILL, -1, 4, 5, { 0 } } };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_clip *made = NULL;
        status = marey_clip_repair(clip, layers, 2, &made, NULL);
        assert_true((made != NULL) == (status == MAREY_OK));
        marey_clip_free(made);
    }
}

TEST_GROUP_OF_CASES(test_layers, NULL, NULL)
