/* test_copies.c - a copy of a clip is found among others and where it is, however it was changed; and
   what is not the same motion is not: judged by comparing all offsets of small clips. */
#include "support.h"

#include "seeded_copies.h"

#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 };

/* Pairs of these clips that are the same. */
static int find_pairs(marey_ctx *ctx, marey_clip *const *clips, int count, marey_copy *out)
{
    marey_flaws flaws[MOST] = { { 0 } };
    marey_copy_clip list[MOST];
    OWNED(marey_copies) copies = { 0 };
    int found = 0;
    for (int i = 0; i < count; i++) {
        test_ok(marey_flaws_find(clips[i], &flaws[i]));
        list[i] = (marey_copy_clip){ clips[i]->frames / clips[i]->fps, flaws[i].landmark_count,
                                     flaws[i].landmarks };
    }
    test_ok(marey_copies_find(ctx, list, count, &copies));
    for (int i = 0; i < copies.count; i++) {
        bool same = false;
        marey_copy *copy = &copies.items[i];
        test_ok(marey_copy_check(clips[copy->clip], clips[copy->other], copy, &same));
        if (same && found < MOST) out[found++] = *copy;
    }
    for (int i = 0; i < count; i++) marey_flaws_free(&flaws[i]);
    return found;
}

static const char *const takes[] = { "kicks", "punches", "cartwheels", "reach_left" };
enum { TAKES = sizeof takes / sizeof *takes };

/* The demo's takes but for the first are there as well. */
TEST_CTX(copies_of_every_way_are_found_and_nothing_else)
{
    marey_demo_take *made[TAKES];
    marey_clip *clips[TAKES + 1];
    uint64_t seed = 9;
    for (int i = 0; i < TAKES; i++) {
        made[i] = test_demo_take(ctx, takes[i]);
        test_ok(marey_clip_repair(marey_demo_clip(made[i]), NULL, 0, &clips[i], NULL));
    }
    marey_copy pairs[MOST];
    assert_int_equal(find_pairs(ctx, clips, TAKES, pairs), 0);
    for (int r = 0; r < seeded_copies_count; r++) {
        clips[TAKES] = seeded_copy(clips[0], &seeded_copies[r], &seed);
        assert_int_equal(find_pairs(ctx, clips, TAKES + 1, pairs), 1);
        assert_true(pairs[0].clip + pairs[0].other == TAKES);
        const marey_copy *pair = &pairs[0];
        const marey_clip *a = clips[pair->clip], *b = clips[pair->other];
        double seconds = (pair->end - pair->start) / a->fps;
        assert_true(pair->start >= 0 && pair->end <= a->frames && pair->other_end <= b->frames);
        test_near(seconds, (pair->other_end - pair->other_start) / b->fps, 0.06);
        test_near(seconds, fmin(a->frames / a->fps, b->frames / b->fps), 0.1);
        assert_true(pair->certainty >= 0.5 && pair->certainty <= 1);
        marey_clip_free(clips[TAKES]);
    }
    for (int i = 0; i < TAKES; i++) {
        marey_clip_free(clips[i]);
        marey_demo_free(made[i]);
    }
}

/* Frame for frame: the frames that are said to be the same are those that were kept. */
TEST_CTX(a_trimmed_copy_is_found_where_it_was_cut)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "kicks");
    OWNED(marey_clip) *whole = NULL, *part = NULL, *head = NULL, *tail = NULL;
    test_ok(marey_clip_repair(marey_demo_clip(take), NULL, 0, &whole, NULL));
    int frames = whole->frames;
    test_ok(marey_clip_trim(whole, 123, 457, &part, NULL));
    marey_copy pairs[MOST];
    assert_int_equal(find_pairs(ctx, (marey_clip *[]){ whole, part }, 2, pairs), 1);
    assert_int_equal(pairs[0].clip, 1);
    assert_int_equal(pairs[0].start, 0);
    assert_int_equal(pairs[0].end, 334);
    assert_int_equal(pairs[0].other_start, 123);
    assert_int_equal(pairs[0].other_end, 457);
    /* Two cuts of one take that overlap. */
    test_ok(marey_clip_trim(whole, 0, frames / 2 + 100, &head, NULL));
    test_ok(marey_clip_trim(whole, frames / 2 - 100, frames, &tail, NULL));
    assert_int_equal(find_pairs(ctx, (marey_clip *[]){ head, tail }, 2, pairs), 1);
    assert_int_equal(pairs[0].end - pairs[0].start, 200);
}

/* Every offset of every pair, by the largest distance of a joint from the other clip's: what is said
   to be the same is within the limit there, and no pair that is was left out. Clips stand where they
   stood, so that nothing has to be turned. */
TEST_CTX(pairs_are_those_that_all_offsets_tried_in_turn_give)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "kicks");
    const marey_clip *whole = marey_demo_clip(take);
    static const int cuts[][2] = { { 0, 200 }, { 100, 330 }, { 330, 500 }, { 490, 700 } };
    marey_clip *clips[4];
    marey_copy pairs[MOST];
    for (int i = 0; i < 4; i++)
        test_ok(marey_clip_trim(whole, cuts[i][0], cuts[i][1], &clips[i], NULL));
    int found = find_pairs(ctx, clips, 4, pairs);
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < a; b++) {
            int most =
                0; /* frames that are the same at an offset at which all that both have are */
            for (int offset = -clips[a]->frames; offset < clips[b]->frames; offset++) {
                int both = 0, alike = 0;
                for (int f = 0; f < clips[a]->frames; f++) {
                    if (f + offset < 0 || f + offset >= clips[b]->frames) continue;
                    FREED double *x = test_positions(clips[a], f),
                                 *y = test_positions(clips[b], f + offset);
                    double apart = 0;
                    for (int k = 0; k < 3 * clips[a]->skeleton.joint_count; k += 3)
                        apart = fmax(apart, mry_distance3(x + k, y + k));
                    both++;
                    if (apart > 0.5) break;
                    alike++;
                }
                if (both == alike && alike > most) most = alike;
            }
            bool want = most >= whole->fps, is = false;
            for (int i = 0; i < found; i++) {
                if (pairs[i].mirrored || pairs[i].clip + pairs[i].other != a + b ||
                    abs(pairs[i].clip - pairs[i].other) != a - b)
                    continue;
                is = true;
                assert_int_equal(pairs[i].end - pairs[i].start, most);
            }
            assert_int_equal(is, want);
        }
    }
    for (int i = 0; i < 4; i++) marey_clip_free(clips[i]);
}

/* A walk that repeats exactly fits at every step: that is no copy, unless it is all of it. */
TEST_CTX(what_repeats_or_stands_still_is_no_copy)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "walk_straight");
    OWNED(marey_clip) *loop = NULL, *early = NULL, *late = NULL, *again = NULL, *still = NULL;
    const marey_clip *walk = marey_demo_clip(take);
    test_ok(marey_clip_trim(walk, 300, 1020, &loop, NULL));
    for (int f = 120; f < loop->frames; f++) { /* the same steps again and again */
        mry_clip_copy_frames(loop, f, loop, f - 120, 1);
    }
    test_ok(marey_clip_trim(loop, 0, 500, &early, NULL));
    test_ok(marey_clip_trim(loop, 57, 640, &late, NULL));
    test_ok(marey_clip_trim(loop, 0, 500, &again, NULL));
    marey_copy pairs[MOST];
    assert_int_equal(find_pairs(ctx, (marey_clip *[]){ early, late }, 2, pairs), 0);
    assert_int_equal(find_pairs(ctx, (marey_clip *[]){ early, again }, 2, pairs), 1);
    test_ok(marey_clip_trim(walk, 0, 500, &still, NULL));
    for (int f = 1; f < still->frames; f++) mry_clip_copy_frames(still, f, still, 0, 1);
    assert_int_equal(find_pairs(ctx, (marey_clip *[]){ still, still, again }, 3, pairs), 0);
}

TEST_CTX(empty_lists_and_small_clips_have_no_copies)
{
    marey_copies copies = { .count = -1 };
    test_ok(marey_copies_find(ctx, NULL, 0, &copies));
    assert_int_equal(copies.count, 0);
    marey_copies_free(&copies);
    OWNED(marey_clip) *one = test_person_clip(ctx, 1), *two = test_person_clip(ctx, 1);
    marey_copy pairs[MOST], pair = { .offset_count = 1 };
    assert_int_equal(find_pairs(ctx, (marey_clip *[]){ one, two }, 2, pairs), 0);
    bool same = true;
    test_ok(marey_copy_check(one, two, &pair, &same));
    assert_false(same);
}

TEST_CTX(copies_of_real_clips_are_found)
{
    static const char *const names[] = { "cmu/07_01.bvh", "cmu/13_29.bvh", "cmu/144_01.bvh",
                                         "bandai/dataset-2_wave-left-hand_normal_001.bvh" };
    test_need_mocap();
    marey_clip *clips[8];
    marey_copy pairs[MOST];
    uint64_t seed = 4;
    for (int r = 0; r < 6; r++) { /* all but mirrored ones: bodies are not quite symmetric */
        for (int i = 0; i < 4; i++) {
            clips[i] = test_mocap_load(ctx, names[i]);
            clips[4 + i] = seeded_copy(clips[i], &seeded_copies[r], &seed);
        }
        assert_int_equal(find_pairs(ctx, clips, 8, pairs), 4);
        for (int i = 0; i < 4; i++) assert_int_equal(pairs[i].clip % 4, pairs[i].other % 4);
        for (int i = 0; i < 8; i++) marey_clip_free(clips[i]);
    }
}

TEST(refused_memory_is_said)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "kicks");
    OWNED(marey_clip) *part = NULL;
    const marey_clip *whole = marey_demo_clip(take);
    OWNED(marey_flaws) a = { 0 }, b = { 0 };
    test_ok(marey_clip_trim(whole, 100, 500, &part, NULL));
    test_ok(marey_flaws_find(whole, &a));
    test_ok(marey_flaws_find(part, &b));
    marey_copy_clip list[] = { { whole->frames / whole->fps, a.landmark_count, a.landmarks },
                               { part->frames / part->fps, b.landmark_count, b.landmarks } };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_copies copies = { .count = -1 };
        bool same = false;
        status = marey_copies_find(ctx, list, 2, &copies);
        assert_true(status ? copies.count == -1 : copies.count >= 1);
        if (!status) status = marey_copy_check(part, whole, &copies.items[0], &same);
        assert_true(status ? !same : same);
        if (copies.count > 0) marey_copies_free(&copies);
    }
}

TEST_GROUP_OF_CASES(test_copies, NULL, NULL)
