/* test_puppet_ready.c - demonstrations that are made: always the same, by bodies that take time,
   each like itself; and floor paths of two clips as one. */
#include "frame_measures.h"
#include "motion/clip_data.h"
#include "program_lines.h"
#include "puppet_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

TEST(the_table_ends_and_names_differ)
{
    int count = 0;
    for (const marey_ready_puppet *a; (a = marey_ready_puppet_find(count)); count++) {
        assert_true(strlen(a->name) > 0 && strlen(a->about) > 0);
        assert_true(a->samples >= 60 * 60 && a->samples <= 3 * 60 * 60);
        for (int other = 0; other < count; other++)
            assert_string_not_equal(a->name, marey_ready_puppet_find(other)->name);
    }
    assert_int_equal(count, 5);
    assert_null(marey_ready_puppet_find(-1));
    assert_null(marey_ready_puppet_find(1000));
}

/* No character is faster than 350 cm/s, pushes harder than 650 cm/s2 or turns faster than 8
   rad/s. */
static void assert_a_body_could(const marey_entity *a, const marey_entity *b, const marey_entity *c)
{
    double ax = c->x_cm - 2 * b->x_cm + a->x_cm, ay = c->y_cm - 2 * b->y_cm + a->y_cm;
    assert_true(hypot(c->x_cm - b->x_cm, c->y_cm - b->y_cm) * 60 < 350);
    assert_true(hypot(ax, ay) * 3600 < 650);
    assert_true(fabs(remainder(c->direction_rad - b->direction_rad, 2 * PI)) * 60 < 8);
}

TEST(demonstrations_are_always_the_same_and_of_bodies)
{
    for (int k = 0; marey_ready_puppet_find(k); k++) {
        int count, again;
        FREED marey_puppet_sample *s = puppet_bench_ready(k, &count),
                                  *t = puppet_bench_ready(k, &again);
        assert_int_equal(count, again);
        assert_memory_equal(s, t, (size_t)count * sizeof *s);
        for (int i = 0; i < count; i++) {
            assert_true(fabs(s[i].time_s - i / 60.0) < 1e-9);
            assert_true(mry_entity_can_be(&s[i].main) && mry_entity_can_be(&s[i].react));
            if (i < 2) continue;
            assert_a_body_could(&s[i - 2].main, &s[i - 1].main, &s[i].main);
            assert_a_body_could(&s[i - 2].react, &s[i - 1].react, &s[i].react);
        }
    }
}

/* The first half of the time it does as in the demonstration, where only that the main character is
   seen 60 times a second, not 240, makes a difference. */
TEST(the_rule_does_on_the_same_path_what_was_shown)
{
    for (int k = 0; marey_ready_puppet_find(k); k++) {
        int count;
        FREED marey_puppet_sample *s = puppet_bench_ready(k, &count);
        FREED marey_entity *main = malloc((size_t)count * 2 * sizeof *main);
        marey_entity *react = main + count;
        for (int i = 0; i < count; i++) main[i] = s[i].main;
        marey_ready_puppet_react(marey_ready_puppet_find(k), main, count, react);
        for (int i = 0; i < 600; i++) {
            double off = hypot(react[i].x_cm - s[i].react.x_cm, react[i].y_cm - s[i].react.y_cm);
            if (!(off < 12)) fail_msg("%d, sample %d: %g cm", k, i, off);
        }
    }
}

/* ---- floor paths of clips -------------------------------------------------------------------- */

TEST_CTX(the_floor_paths_of_two_clips_are_a_demonstration)
{
    FREED char *text = test_person(90), *shorter = test_person(61);
    OWNED(marey_clip) *a = test_clip(ctx, text), *b = test_clip(ctx, shorter);
    OWNED(marey_clip) *slow = test_resampled(b, 25);
    marey_error error = { 0 };
    int hips = marey_clip_skeleton(a)->roles[MAREY_ROLE_HIPS];
    assert_true(hips >= 0);
    assert_int_equal(marey_clip_pair_samples(a, b), 61);
    assert_int_equal(marey_clip_pair_samples(b, a), 61);
    marey_puppet_sample s[61];
    double places[64 * 3];
    for (int kind = 0; kind < 2; kind++) {
        const marey_clip *react = kind ? slow : b;
        int count = marey_clip_pair_samples(a, react);
        assert_true(count >= 60 && count <= 61);
        int got = 0;
        test_fine(marey_clip_pair(a, react, s, &got, &error), &error);
        assert_int_equal(got, count);
        for (int i = 0; i < count; i++) {
            marey_clip_positions(a, i, 1, places);
            assert_true(fabs(s[i].time_s - i / 60.0) < 1e-9);
            assert_true(s[i].main.x_cm == places[3 * hips]);
            assert_true(s[i].main.y_cm == -places[3 * hips + 2]);
            /* It walks along z, which is down on the plan. */
            assert_true(fabs(remainder(s[i].main.direction_rad + PI / 2, 2 * PI)) < 0.3);
            marey_clip_positions(b, i, 1, places); /* the same at a lower rate is nearly there */
            assert_true(fabs(s[i].react.x_cm - places[3 * hips]) < 1);
            assert_true(fabs(s[i].react.y_cm + places[3 * hips + 2]) < 1);
        }
    }
}

static const char sticks[] = "HIERARCHY\nROOT one\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
                             "Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 9 "
                             "0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0\n1 0 0 0 0 "
                             "0\n";

TEST_CTX(clips_without_hips_or_of_one_frame_are_refused)
{
    FREED char *text = test_person(10), *single = test_person(1);
    OWNED(marey_clip) *person = test_clip(ctx, text), *one = test_clip(ctx, single);
    OWNED(marey_clip) *stick = test_clip(ctx, sticks);
    marey_puppet_sample s[10];
    int count = -5;
    marey_error error = { 0 };
    assert_int_equal(marey_clip_pair(person, stick, s, &count, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "no hips"));
    assert_int_equal(marey_clip_pair(one, person, s, &count, &error), MAREY_ERR_REQUEST);
    assert_int_equal(marey_clip_pair(person, one, s, &count, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "single frame"));
    assert_int_equal(count, -5);
}

/* A person whose tracking is lost in frames [start, end). */
static marey_clip *lost(marey_ctx *ctx, const char *folder, int frames, int start, int end)
{
    char path[300];
    snprintf(path, sizeof path, "%s/lost.bvh", folder);
    test_write_dropouts(path, frames, start, end);
    return test_clip_load(ctx, path);
}

/* A slower clip has a frame lost from the one before to the one behind it. */
TEST_CTX(moments_in_which_a_frame_is_marked_are_left_out)
{
    char folder[256];
    test_folder_make(folder, sizeof folder);
    OWNED(marey_clip) *a = lost(ctx, folder, 140, 0, 0), *b = lost(ctx, folder, 140, 40, 80);
    OWNED(marey_clip) *slow = lost(ctx, folder, 70, 20, 40), *all = lost(ctx, folder, 140, 1, 140);
    marey_puppet_sample whole[140], s[140];
    marey_error error = { 0 };
    int most = 0, count = 0;
    slow->fps /= 2;
    test_fine(marey_clip_pair(a, a, whole, &most, &error), &error);
    assert_int_equal(most, 140);
    for (int kind = 0; kind < 3; kind++) {
        int start = kind == 2 ? 39 : 40, room = kind == 2 ? 139 : 140;
        const marey_clip *main = kind == 0 ? b : a;
        const marey_clip *react = kind == 0 ? a : kind == 1 ? b : slow;
        assert_int_equal(marey_clip_pair_samples(main, react), room);
        test_fine(marey_clip_pair(main, react, s, &count, &error), &error);
        assert_int_equal(count, room - (80 - start));
        for (int i = 0; i < count; i++) {
            int frame = i < start ? i : i + 80 - start;
            assert_true(s[i].time_s == whole[frame].time_s);
            assert_memory_equal(&s[i].main, &whole[frame].main, sizeof s[i].main);
            if (kind < 2) assert_memory_equal(&s[i].react, &whole[frame].react, sizeof s[i].react);
        }
    }
    assert_int_equal(marey_clip_pair(a, all, s, &count, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "fewer than two moments of captured motion"));
    test_folder_remove(folder);
}

/* Two captured walks: they face where they go, and a puppet that has seen both goes with the first
   as the second did. */
TEST_BENCH(captured_walks_can_be_learned)
{
    test_need_mocap();
    OWNED(marey_clip) *first = test_captured(bench->ctx, "cmu/07_01");
    OWNED(marey_clip) *second = test_captured(bench->ctx, "cmu/07_03");
    int count = marey_clip_pair_samples(first, second);
    assert_true(count > 100);
    FREED marey_puppet_sample *s = malloc((size_t)count * sizeof *s);
    marey_error error = { 0 };
    test_fine(marey_clip_pair(first, second, s, &count, &error), &error);
    double ahead = 0, far = 0;
    for (int i = 1; i < count; i++) {
        double x = s[i].main.x_cm - s[i - 1].main.x_cm, y = s[i].main.y_cm - s[i - 1].main.y_cm;
        ahead += x * cos(s[i].main.direction_rad) + y * sin(s[i].main.direction_rad);
        far += hypot(x, y);
    }
    if (!(far > 100 && ahead > 0.9 * far)) fail_msg("%g of %g cm ahead", ahead, far);
    marey_demonstration one = { s, count };
    OWNED(marey_puppet) *puppet = puppet_bench_train(bench, &one, 1, NULL);
    marey_puppet_sample at = marey_puppet_sample_at(puppet, 0, 0);
    OWNED(marey_reactor) *reactor = puppet_bench_react(bench, puppet, &at.main, NULL);
    for (int i = 1; i < marey_puppet_samples(puppet); i++) {
        marey_puppet_frame frame;
        at = marey_puppet_sample_at(puppet, 0, i);
        marey_puppet_step(reactor, &at.main, &frame);
        double off = hypot(frame.react.x_cm - at.react.x_cm, frame.react.y_cm - at.react.y_cm);
        double most = i < 60 ? 20 : 15; /* it begins standing, and they walk at once */
        if (!(off < most)) fail_msg("step %d: %g cm", i, off);
    }
}

TEST_GROUP_OF_CASES(test_puppet_ready, NULL, NULL)
