/* test_check_rate.c - a body that sways from foot to foot as an inverted pendulum tells its frame
   rate, whatever its clip claims. */
#include "feet_clip.h"
#include "program_lines.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>

/* Steps on the spot: the body falls away from the foot that carries it, which is 10 cm beside its
   middle, back to the other one, every half second. */
typedef struct sway {
    double fps, cm;
} sway;

static void place_sway(void *user, int frame, test_feet *feet)
{
    const sway *s = user;
    double step_s = 0.5, fall_s = sqrt(100 / 981.0), t = frame / s->fps;
    int step = (int)(t / step_s), lifted = step % 2 ? 0 : 2;
    double in = t - step * step_s, foot = (step % 2 ? -1 : 1) * s->cm;
    feet->hips[0] = foot * (1 - cosh((in - step_s / 2) / fall_s) / cosh(step_s / 2 / fall_s));
    for (int i = lifted; i < lifted + 2 && s->cm > 0; i++)
        feet->point[i][1] += 8 * sin(M_PI * in / step_s);
}

/* The rate that is found in a clip of so many seconds; 0: none. */
static double found_rate(marey_ctx *ctx, sway s, double seconds, double claimed)
{
    OWNED(marey_clip) *clip = test_feet_clip(ctx, (int)(seconds * s.fps), claimed, place_sway, &s);
    marey_flaws flaws = { 0 };
    double rate = 0;
    test_ok(marey_flaws_find(clip, &flaws));
    for (int i = 0; i < flaws.count; i++) {
        const marey_flaw *flaw = &flaws.items[i];
        if (flaw->kind != MAREY_FLAW_RATE) continue;
        rate = flaw->size;
        assert_true(flaw->certainty >= 0.5 && flaw->certainty <= 1);
        assert_true(flaw->mendable && flaw->repair.kind == MAREY_LAYER_RATE);
        assert_true(flaw->repair.value[0] == rate);
        OWNED(marey_clip) *mended = NULL;
        test_ok(marey_clip_repair(clip, &flaw->repair, 1, &mended, NULL));
    }
    marey_flaws_free(&flaws);
    return rate;
}

TEST_CTX(a_sway_tells_its_rate_whatever_is_claimed)
{
    static const double rates[] = { 30, 60, 120 };
    for (int i = 0; i < 3; i++) {
        sway s = { rates[i], 10 };
        assert_true(found_rate(ctx, s, 8, s.fps) == 0);
        assert_true(found_rate(ctx, s, 8, 2 * s.fps) == s.fps);
        assert_true(found_rate(ctx, s, 8, 0.5 * s.fps) == s.fps);
    }
}

TEST_CTX(a_body_that_stands_or_is_seen_too_shortly_tells_nothing)
{
    for (double claimed = 30; claimed < 500; claimed *= 2) {
        assert_true(found_rate(ctx, (sway){ 60, 0 }, 8, claimed) == 0);
        assert_true(found_rate(ctx, (sway){ 60, 10 }, 1 / 60.0, claimed) == 0);
        assert_true(found_rate(ctx, (sway){ 60, 10 }, 0.2, claimed) == 0);
    }
}

/* 0.4 s are too short for a verdict; ten such clips are not. */
TEST_CTX(evidence_of_short_clips_adds_up)
{
    marey_rate_evidence sum = { 0 };
    double certainty;
    assert_true(marey_rate_judge(&sum, 120, &certainty) == 0 && certainty == 0);
    for (int i = 0; i < 10; i++) {
        sway s = { 60, 10 };
        OWNED(marey_clip) *clip = test_feet_clip(ctx, 35, 120, place_sway, &s);
        marey_flaws flaws = { 0 };
        test_ok(marey_flaws_find(clip, &flaws));
        for (int k = 0; k < flaws.count; k++)
            assert_int_not_equal(flaws.items[k].kind, MAREY_FLAW_RATE);
        marey_rate_evidence_add(&sum, &flaws.rate);
        marey_flaws_free(&flaws);
    }
    assert_true(marey_rate_judge(&sum, 120, &certainty) == 60 && certainty > 0.5);
    assert_true(marey_rate_judge(&sum, 60, &certainty) == 0);
    marey_rate_evidence jumps = { .flight_fps = 30, .flights = 3 };
    assert_true(marey_rate_judge(&jumps, 120, &certainty) == 30);
    marey_rate_evidence_add(&jumps, &(marey_rate_evidence){ .flight_fps = 120, .flights = 3 });
    assert_true(fabs(jumps.flight_fps - 60) < 1e-9 && jumps.flights == 6);
}

/* Whole demo takes are made, not captured, but none of them looks wrong. */
TEST_CTX(demo_takes_have_their_rate)
{
    for (int i = 0; i < marey_demo_count(); i += TEST_SANITIZED ? 7 : 1) {
        OWNED(marey_demo_take) *take = NULL;
        marey_flaws flaws = { 0 };
        test_ok(marey_demo_build(ctx, i, 1, &take, NULL));
        test_ok(marey_flaws_find(marey_demo_clip(take), &flaws));
        for (int k = 0; k < flaws.count; k++) assert_true(flaws.items[k].kind != MAREY_FLAW_RATE);
        marey_flaws_free(&flaws);
    }
}

/* No jumps in any of them: only the last two were recorded at 120. */
TEST_CTX(real_clips_without_jumps_tell_their_rate)
{
    test_need_mocap();
    static const char *const names[] = { "93_03", "141_12", "143_32", "02_02", "91_01" };
    for (int i = 0; i < 5; i++) {
        char below[40];
        marey_flaws flaws = { 0 };
        double rate = 0;
        snprintf(below, sizeof below, "cmu/%s.bvh", names[i]);
        OWNED(marey_clip) *clip = test_mocap_load(ctx, below);
        assert_int_equal(marey_clip_report(clip)->flight_count, 0);
        test_ok(marey_flaws_find(clip, &flaws));
        for (int k = 0; k < flaws.count; k++) {
            if (flaws.items[k].kind == MAREY_FLAW_RATE) rate = flaws.items[k].size;
        }
        assert_true(rate == (i < 3 ? 60 : 0));
        marey_flaws_free(&flaws);
    }
}

/* Two clips of subject 7 are too short for a verdict, the third is not: it speaks for them. That of
   subject 8 is on its own. */
TEST_CTX(clips_of_one_subject_agree_about_their_rate)
{
    static const struct {
        const char *name;
        int frames;
    } clips[] = { { "7_01", 35 }, { "7_02", 35 }, { "7_03", 480 }, { "8_01", 35 } };
    char folder[200], path[220];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/s.marey", folder);
    marey_library *library = NULL;
    test_ok(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &test_error));
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        sway s = { 60, 10 };
        OWNED(marey_clip) *clip = test_feet_clip(ctx, clips[i].frames, 120, place_sway, &s);
        test_ok(marey_library_put(library, clip, clips[i].name, NULL, NULL, 0, &test_error));
    }
    marey_library_close(library);
    char line[300];
    snprintf(line, sizeof line, "marey doctor %s --json", path);
    FREED char *said = test_answer(line);
    assert_int_equal(test_parts_count(said, "\"fps\""), 3); /* the unit of a finding */
    snprintf(line, sizeof line, "marey doctor %s --fix rate --json", path);
    FREED char *fixed = test_answer(line);
    snprintf(line, sizeof line, "marey doctor %s --json", path);
    FREED char *left = test_answer(line);
    assert_int_equal(test_parts_count(left, "\"fps\""), 0);
    test_folder_remove(folder);
}

TEST(refused_memory_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    sway s = { 60, 10 };
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 480, 120, place_sway, &s);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_flaws flaws = { .count = -1 };
        status = marey_flaws_find(clip, &flaws);
        assert_true(status ? flaws.count == -1 : flaws.count > 0);
        if (!status) marey_flaws_free(&flaws);
    }
}

TEST_GROUP_OF_CASES(test_check_rate, NULL, NULL)
