/* test_check_floor.c - a walker whose feet stand on a floor that is known: level, tilted, rising,
   with stairs; in a circle, where all of these differ, or straight on. */
#include "feet_clip.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 720, FPS = 60 };

typedef struct ground {
    double slope[2]; /* along x and z */
    double drift_cm; /* from the first frame to the last */
    double height_cm;
    double stair_cm; /* every second step is on the next stair, up to `stairs` of them */
    int stairs;
    double slide_cm; /* of a planted foot */
    bool straight;
} ground;

/* Where a step of 50 cm gets to. */
static void path(const ground *g, double step, double *at)
{
    double way = 50 * step, turn = way / 150;
    at[0] = g->straight ? way : 150 * cos(turn);
    at[2] = g->straight ? 0 : 150 * sin(turn);
}

static void place_walk(void *user, int frame, test_feet *feet)
{
    const ground *g = user;
    double time = frame / (0.5 * FPS), middle[3] = { 0 };
    for (int side = 0; side < 2; side++) {
        /* A foot swings in every other step, in which it gets two steps further. */
        double swing = (time + side) / 2, in = (swing - floor(swing)) * 2, at[3], from[3];
        double step = 2 * floor(swing) + side, u = in < 1 ? in * in * (3 - 2 * in) : 1;
        path(g, step, at);
        path(g, step - 2, from);
        for (int c = 0; c < 3; c += 2) {
            at[c] = from[c] + u * (at[c] - from[c]) + (c || in < 1 ? 0 : (in - 1) * g->slide_cm);
        }
        int stair = (int)fmin(fmax(step / 4, 0), g->stairs);
        at[1] = g->slope[0] * at[0] + g->slope[1] * at[2] + g->drift_cm * frame / (FRAMES - 1) +
                g->height_cm + g->stair_cm * stair + (in < 1 ? 10 * sin(M_PI * in) : 0);
        for (int i = 2 * side; i < 2 * side + 2; i++) {
            double rest[3] = { i % 2 ? 13 : 0, i % 2 ? 4.5 : 9, side ? -10 : 10 };
            for (int c = 0; c < 3; c++) feet->point[i][c] = at[c] + rest[c];
            if (i % 2) feet->point[i][1] += 13 * g->slope[0];
        }
        for (int c = 0; c < 3; c++) middle[c] += at[c] / 2;
    }
    for (int c = 0; c < 3; c++) feet->hips[c] = middle[c] + (c == 1 ? 92 : 0);
}

static marey_flaws examine(const marey_clip *clip)
{
    marey_flaws flaws = { 0 };
    test_ok(marey_flaws_find(clip, &flaws));
    return flaws;
}

/* The size of the only finding of a kind; 0: none. */
static double size_of(const marey_flaws *flaws, marey_flaw_kind kind)
{
    double size = 0;
    for (int i = 0; i < flaws->count; i++) {
        const marey_flaw *flaw = &flaws->items[i];
        if (flaw->kind != kind) continue;
        assert_true(size == 0 && flaw->size > 0);
        assert_true(flaw->certainty >= 0.5 && flaw->certainty <= 1);
        assert_int_equal(flaw->mendable, kind != MAREY_FLAW_SLIDE);
        size = flaw->size;
    }
    return size;
}

/* Sizes of tilt, drift, floating, sinking and slide; what can be mended is gone when it is. */
static void check_ground(marey_ctx *ctx, ground g, const double *sizes)
{
    OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, place_walk, &g);
    OWNED(marey_clip) *mended = NULL;
    marey_flaws flaws = examine(clip);
    marey_layer layers[8];
    int count = 0;
    for (int k = 0; k < 5; k++) {
        double size = size_of(&flaws, (marey_flaw_kind)(MAREY_FLAW_TILT + k));
        double want = sizes[k];
        if (want > 0 && g.height_cm != 0) /* that of the toe's joint, less what it is usually */
            want = fabs(g.height_cm + 4.5 - 0.028 * marey_clip_report(clip)->height_cm);
        assert_true(fabs(size - want) <= 0.05 * want);
    }
    for (int i = 0; i < flaws.count; i++) {
        if (flaws.items[i].kind >= MAREY_FLAW_TILT && flaws.items[i].mendable)
            layers[count++] = flaws.items[i].repair;
    }
    test_ok(marey_clip_repair(clip, layers, count, &mended, NULL));
    marey_flaws_free(&flaws);
    flaws = examine(mended);
    for (int k = 0; k < 4; k++)
        assert_true(size_of(&flaws, (marey_flaw_kind)(MAREY_FLAW_TILT + k)) == 0);
    marey_flaws_free(&flaws);
}

TEST_CTX(a_level_floor_has_no_flaw)
{
    check_ground(ctx, (ground){ 0 }, (double[5]){ 0 });
    check_ground(ctx, (ground){ .straight = true }, (double[5]){ 0 });
}

/* A body that stands for two seconds while the floor rises by *user cm: no foot is still. */
static void place_stand(void *user, int frame, test_feet *feet)
{
    double up = *(const double *)user * frame / (2 * FPS - 1);
    for (int i = 0; i < 4; i++) feet->point[i][1] += up;
    feet->hips[1] += up;
}

TEST_CTX(a_floor_that_rises_quickly_under_one_who_stands_is_a_drift)
{
    for (int i = 0; i < 4; i++) {
        double rises[] = { 0, 5, -10, 20 }, up = rises[i];
        OWNED(marey_clip) *clip = test_feet_clip(ctx, 2 * FPS, FPS, place_stand, &up);
        OWNED(marey_flaws) flaws = examine(clip);
        assert_true(fabs(size_of(&flaws, MAREY_FLAW_DRIFT) - fabs(up)) <= 0.01 * fabs(up));
    }
}

TEST_CTX(tilt_and_drift_are_found_and_mended_alone_and_together)
{
    double degrees = atan(0.05) * 180 / M_PI;
    check_ground(ctx, (ground){ .slope = { 0.04, -0.03 } }, (double[5]){ degrees });
    check_ground(ctx, (ground){ .drift_cm = 6 }, (double[5]){ 0, 6 });
    check_ground(ctx, (ground){ .drift_cm = -6 }, (double[5]){ 0, 6 });
    check_ground(ctx, (ground){ .slope = { -0.04, 0.03 }, .drift_cm = 6 },
                 (double[5]){ degrees, 6 });
}

/* Of a straight walk at one speed both look the same: 6 cm on 11.5 m. */
TEST_CTX(a_drift_of_a_straight_walk_is_a_tilt)
{
    check_ground(ctx, (ground){ .drift_cm = 6, .straight = true },
                 (double[5]){ atan(6 / 1199.0) * 180 / M_PI });
}

TEST_CTX(stairs_a_ledge_and_a_ramp_are_real)
{
    for (int straight = 0; straight < 2; straight++) {
        check_ground(ctx, (ground){ .stair_cm = 17, .stairs = 5, .straight = straight },
                     (double[5]){ 0 });
        check_ground(ctx, (ground){ .stair_cm = 20, .stairs = 1, .straight = straight },
                     (double[5]){ 0 });
        check_ground(ctx, (ground){ .slope = { 0.17, 0 }, .straight = straight }, (double[5]){ 0 });
    }
}

TEST_CTX(a_floor_that_is_not_at_0_and_feet_that_slide_are_found)
{
    check_ground(ctx, (ground){ .height_cm = 12 }, (double[5]){ 0, 0, 12 });
    check_ground(ctx, (ground){ .height_cm = -12 }, (double[5]){ 0, 0, 0, 12 });
    check_ground(ctx, (ground){ .slide_cm = 11 }, (double[5]){ 0, 0, 0, 0, 11 });
}

TEST_CTX(clips_without_feet_or_with_one_frame_have_no_floor)
{
    ground g = { .height_cm = 50, .slope = { 0.05, 0 } };
    for (int k = 0; k < 3; k++) {
        OWNED(marey_clip) *clip =
            k == 2 ? test_clip(ctx, "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 "
                                    "Xposition Yposition Zposition\nEnd Site\n{\nOFFSET "
                                    "0 9 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: "
                                    "0.01\n0 5 0\n0 6 0\n")
                   : test_feet_clip(ctx, k ? 20 : 1, FPS, place_walk, &g);
        marey_flaws flaws = examine(clip);
        for (int i = 0; i < flaws.count; i++) {
            marey_flaw_kind kind = flaws.items[i].kind;
            assert_true(kind < MAREY_FLAW_TILT || kind > MAREY_FLAW_SLIDE);
        }
        marey_flaws_free(&flaws);
    }
}

/* Subject 7 walked on a floor that was tilted by 1.05 degrees; the others climb. */
TEST_CTX(real_floors_are_told_from_stairs)
{
    test_need_mocap();
    static const char *const names[] = { "07_01", "07_08", "07_10", "13_35", "83_27" };
    for (int i = 0; i < 5; i++) {
        char below[40];
        snprintf(below, sizeof below, "cmu/%s.bvh", names[i]);
        OWNED(marey_clip) *clip = test_mocap_load(ctx, below);
        marey_flaws flaws = examine(clip);
        assert_true(fabs(size_of(&flaws, MAREY_FLAW_TILT) - (i < 3 ? 1.05 : 0)) < 0.07);
        assert_true(size_of(&flaws, MAREY_FLAW_DRIFT) == 0);
        marey_flaws_free(&flaws);
    }
}

TEST(refused_memory_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    ground g = { .slope = { 0.04, -0.03 }, .drift_cm = 6, .height_cm = 12 };
    OWNED(marey_clip) *clip = test_feet_clip(ctx, FRAMES, FPS, place_walk, &g);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_flaws flaws = { .count = -1 };
        status = marey_flaws_find(clip, &flaws);
        assert_true(status ? flaws.count == -1 : flaws.count >= 3);
        if (!status) marey_flaws_free(&flaws);
    }
}

TEST_GROUP_OF_CASES(test_check_floor, NULL, NULL)
