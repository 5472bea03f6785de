/* test_example.c - query by example from its outside: signals of clips, fragments against a matcher
   written differently, invalid requests, refused memory. */
#include "frame_measures.h"
#include "support.h"

#include "example_clips.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 300, CLIPS = 4, PARTS = 16 };

typedef struct bench {
    marey_ctx *ctx;
    uint64_t seed;
    marey_dof dofs[MAREY_MOST_DOFS];
    int dof_count;
    double values[CLIPS][EXAMPLE_DOFS * FRAMES];
    marey_clip *clips[CLIPS];
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    b->ctx = test_ctx();
    b->seed = 17;
    test_fine(marey_dofs_parse(example_dofs, b->dofs, &b->dof_count, NULL), NULL);
    for (int c = 0; c < CLIPS; c++) {
        for (int d = 0; d < EXAMPLE_DOFS; d++) {
            example_curve(&b->seed, FRAMES, 40, 0.5, b->values[c] + d * FRAMES);
        }
        b->clips[c] = example_clip(b->ctx, FRAMES, 60, b->values[c], NULL);
    }
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    FREED bench *b = *state;
    for (int c = 0; c < CLIPS; c++) marey_clip_free(b->clips[c]);
    marey_ctx_close(b->ctx);
    return 0;
}

static marey_examples *open_clips(bench *b, int dof_count, const marey_example_def *def)
{
    marey_examples *made = NULL;
    marey_error error = { 0 };
    test_fine(marey_examples_open(b->ctx, (const marey_clip *const *)b->clips, CLIPS, b->dofs,
                                  dof_count, def, &made, &error),
              &error);
    return made;
}

/* The same of one clip and its first signal. */
static marey_examples *open_one(bench *b, const marey_clip *clip, const marey_example_def *def)
{
    marey_examples *made = NULL;
    test_fine(marey_examples_open(b->ctx, &clip, 1, b->dofs, 1, def, &made, NULL), NULL);
    return made;
}

/* ---- words ----------------------------------------------------------------------------------- */

TEST(dofs_are_read_from_words)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    int count = 0;
    test_fine(marey_dofs_parse(" a.b.LeftLeg.xROTATION , left_knee.Yposition", dofs, &count, NULL),
              NULL);
    assert_int_equal(count, 2);
    assert_string_equal(dofs[0].joint, "a.b.LeftLeg");
    assert_int_equal(dofs[0].channel, MAREY_CHANNEL_X_ROTATION);
    assert_string_equal(dofs[1].joint, "left_knee");
    assert_int_equal(dofs[1].channel, MAREY_CHANNEL_Y_POSITION);
}

TEST(words_that_are_no_dofs_are_refused_with_their_place)
{
    static const struct {
        const char *text, *says;
        int column;
    } bad[] = {
        { "", "no joint", 1 },
        { "LeftLeg", "no joint", 1 },
        { ".Xrotation", "no joint", 1 },
        { "A.Xrotation,", "no joint", 13 },
        { "A.Xrotation, ,B.Xrotation", "no joint", 14 },
        { "A.", "no position or rotation", 3 },
        { "A.Xrotation, B.Xscale", "no position or rotation", 16 },
        { "A.Wrotation", "no position or rotation", 3 },
    };
    marey_dof dofs[MAREY_MOST_DOFS];
    char many[400] = "A.Xrotation", name[200];
    int count = -1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        marey_error error = { 0 };
        assert_int_equal(marey_dofs_parse(bad[i].text, dofs, &count, &error), MAREY_ERR_REQUEST);
        assert_non_null(strstr(error.message, bad[i].says));
        assert_int_equal(error.column, bad[i].column);
    }
    for (int i = 1; i <= MAREY_MOST_DOFS; i++) strcat(many, ",A.Xrotation");
    assert_int_equal(marey_dofs_parse(many, dofs, &count, NULL), MAREY_ERR_REQUEST);
    memset(name, 'x', sizeof name);
    snprintf(name + MAREY_DOF_NAME, sizeof name - MAREY_DOF_NAME, ".Xrotation");
    assert_int_equal(marey_dofs_parse(name, dofs, &count, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(count, -1);
}

/* ---- signals --------------------------------------------------------------------------------- */

TEST_OF(bench *b, a_signal_is_the_channel_of_the_file)
{
    double got[FRAMES];
    for (int d = 0; d < EXAMPLE_DOFS; d++) {
        test_fine(marey_clip_signal(b->clips[1], &b->dofs[d], got, NULL), NULL);
        for (int f = 0; f < FRAMES; f++) {
            assert_true(fabs(got[f] - b->values[1][d * FRAMES + f]) < 1e-6);
        }
    }
}

TEST_OF(bench *b, a_signal_does_not_jump_by_whole_turns_nor_over_lost_frames)
{
    double values[EXAMPLE_DOFS * 60] = { 0 }, got[60];
    bool lost[60] = { false };
    for (int f = 0; f < 60; f++) {
        double angle = 170 + f;
        values[f] = angle > 180 ? angle - 360 : angle;
        lost[f] = f >= 20 && f < 23;
        if (lost[f]) values[f] = 160.0 * f; /* on its own it would turn round */
    }
    OWNED(marey_clip) *clip = example_clip(b->ctx, 60, 60, values, lost);
    int marks;
    marey_clip_marks(clip, &marks);
    assert_int_equal(marks, 1);
    test_fine(marey_clip_signal(clip, &b->dofs[0], got, NULL), NULL);
    for (int f = 0; f < 60; f++) assert_true(fabs(got[f] - (170 + f)) < 1e-6);
}

TEST_OF(bench *b, a_made_clip_has_the_signals_that_would_be_written)
{
    double before[FRAMES], got[2 * FRAMES];
    OWNED(marey_clip) *half = test_resampled(b->clips[0], 30);
    assert_null(marey_clip_channels(half, 0));
    for (int d = 0; d < EXAMPLE_DOFS; d++) {
        test_fine(marey_clip_signal(b->clips[0], &b->dofs[d], before, NULL), NULL);
        test_fine(marey_clip_signal(half, &b->dofs[d], got, NULL), NULL);
        for (int f = 0; f < marey_clip_frames(half); f++) {
            assert_true(fabs(got[f] - before[2 * f]) < 1e-3);
        }
    }
}

TEST_OF(bench *b, a_joint_is_found_by_its_role)
{
    FREED char *text = test_person(20);
    OWNED(marey_clip) *person = test_clip(b->ctx, text);
    const marey_skeleton *skeleton = marey_clip_skeleton(person);
    marey_dof by_role = { "left_knee", MAREY_CHANNEL_X_ROTATION }, by_name = by_role;
    double one[20], two[20];
    snprintf(by_name.joint, sizeof by_name.joint, "%s",
             skeleton->joints[skeleton->roles[MAREY_ROLE_LEFT_KNEE]].name);
    test_fine(marey_clip_signal(person, &by_role, one, NULL), NULL);
    test_fine(marey_clip_signal(person, &by_name, two, NULL), NULL);
    assert_memory_equal(one, two, sizeof one);
}

TEST_OF(bench *b, what_a_clip_has_not_is_refused_and_what_it_has_is_named)
{
    double values[FRAMES];
    marey_error error = { 0 };
    marey_dof dof = { "Tail", MAREY_CHANNEL_X_ROTATION };
    assert_int_equal(marey_clip_signal(b->clips[0], &dof, values, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "Hips, Arm, Leg"));
    dof = (marey_dof){ "Arm", MAREY_CHANNEL_X_POSITION };
    assert_int_equal(marey_clip_signal(b->clips[0], &dof, values, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "Zrotation, Yrotation, Xrotation"));
    dof = (marey_dof){ "left_knee", MAREY_CHANNEL_X_ROTATION }; /* a role that no joint has here */
    assert_int_equal(marey_clip_signal(b->clips[0], &dof, values, &error), MAREY_ERR_REQUEST);
}

/* ---- a matcher written differently ----------------------------------------------------------- */

/* Means over equal parts, by the trapezoid rule at very many places. */
static void parts_of(const double *row, int count, double start, double end, double out[PARTS])
{
    enum { FINE = 200 };
    for (int p = 0; p < PARTS; p++) {
        out[p] = 0;
        for (int i = 0; i < FINE; i++) {
            double t = start + (end - start) * (p + (i + 0.5) / FINE) / PARTS;
            int at = (int)t < count - 1 ? (int)t : count - 2;
            out[p] += (row[at] + (t - at) * (row[at + 1] - row[at])) / FINE;
        }
    }
}

/* The error of two stretches; of all whole turns the best is taken. */
static double apart(const double *a, int a_count, marey_fragment in_a, const double *b, int b_count,
                    marey_fragment in_b, const bool *asked, bool shape)
{
    double sum = 0;
    int dofs = 0;
    for (int d = 0; d < EXAMPLE_DOFS; d++) {
        double x[PARTS], y[PARTS], least = INFINITY, mean = 0;
        if (!asked[d]) continue;
        dofs++;
        parts_of(a + d * a_count, a_count, in_a.start, in_a.end, x);
        parts_of(b + d * b_count, b_count, in_b.start, in_b.end, y);
        for (int p = 0; p < PARTS; p++) mean += (x[p] - y[p]) / PARTS;
        for (int turns = -3; turns <= 3; turns++) {
            double shift = shape ? mean : 360 * turns, squares = 0;
            for (int p = 0; p < PARTS; p++) squares += pow(x[p] - y[p] - shift, 2);
            if (squares < least) least = squares;
        }
        sum += least;
    }
    return sqrt(sum / (PARTS * dofs));
}

/* All fragments of a clip, in the order of their ends: a clip that asks for itself, plainly, finds
   each. */
typedef struct listed {
    int count;
    marey_fragment items[FRAMES];
} listed;

static listed fragments_of(bench *b, int clip, int dof_count)
{
    listed all = { 0 };
    OWNED(marey_examples) *one = open_clips(b, dof_count, &(marey_example_def){ .plain = true });
    OWNED(marey_example_found) *found = example_ask(b->ctx, one, FRAMES, b->values[clip], 1, 1);
    const marey_fragment *items = marey_example_fragments(found, &all.count);
    memcpy(all.items, items, (size_t)all.count * sizeof *items);
    return all;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* With one candidate a fragment, the only path has the best fragment of all clips for each; with
   more, its errors are among the best so many. */
static void compare_with_brute_force(bench *b, const double *query, int samples, int k,
                                     const bool *asked, bool shape)
{
    listed clips[CLIPS];
    OWNED(marey_examples) *in =
        open_clips(b, EXAMPLE_DOFS, &(marey_example_def){ .plain = true, .shape = shape });
    OWNED(marey_example_found) *found = example_ask(b->ctx, in, samples, query, k, 1);
    int count, paths, total = 0;
    const marey_fragment *fragments = marey_example_fragments(found, &count);
    const marey_example_path *path = marey_example_paths(found, &paths);
    assert_int_equal(paths, 1);
    for (int c = 0; c < CLIPS; c++) {
        clips[c] = fragments_of(b, c, EXAMPLE_DOFS);
        total += clips[c].count;
    }
    assert_int_equal(marey_examples_fragments(in), total);
    FREED double *errors = calloc((size_t)total, sizeof *errors);
    double sum = 0;
    int jumps = 0;
    for (int i = 0; i < count; i++) {
        const marey_example_part *part = &path->parts[i];
        int used = 0;
        for (int c = 0; c < CLIPS; c++) {
            for (int j = 0; j < clips[c].count; j++) {
                errors[used++] = apart(query, samples, fragments[i], b->values[c], FRAMES,
                                       clips[c].items[j], asked, shape);
            }
        }
        double own = apart(query, samples, fragments[i], b->values[part->clip], FRAMES, part->at,
                           asked, shape);
        qsort(errors, (size_t)total, sizeof *errors, compare_numbers);
        assert_true(fabs(part->error - own) < 1e-2);
        assert_true(part->error < errors[k - 1] + 1e-2);
        if (k == 1) assert_true(fabs(part->error - errors[0]) < 1e-2);
        assert_int_equal(part->next, part->fragment + 1);
        sum += part->error;
        if (i == 0) continue;
        jumps += part->clip != part[-1].clip || fabs(part->at.start - part[-1].at.end) > 1e-9;
    }
    assert_true(fabs(path->error - sum) < 1e-9);
    assert_int_equal(path->jumps, jumps);
}

TEST_OF(bench *b, candidates_are_those_of_brute_force)
{
    const bool all[EXAMPLE_DOFS] = { true, true, true, true };
    int turns = TEST_SANITIZED && !test_is_long() ? 2 : 6;
    for (int turn = 0; turn < turns; turn++) {
        int samples = 60 + (int)(example_random(&b->seed) % 200);
        double query[EXAMPLE_DOFS * FRAMES];
        for (int d = 0; d < EXAMPLE_DOFS; d++) {
            example_curve(&b->seed, samples, 40, 0.5, query + d * samples);
        }
        compare_with_brute_force(b, query, samples, 1 + turn % 3, all, turn % 2);
    }
}

TEST_OF(bench *b, signals_that_are_not_asked_for_do_not_count)
{
    const bool some[EXAMPLE_DOFS] = { true, false, true, false };
    double query[EXAMPLE_DOFS * 150];
    for (int d = 0; d < EXAMPLE_DOFS; d++) {
        example_curve(&b->seed, 150, 40, 0.5, query + d * 150);
        for (int i = 0; i < 150 && !some[d]; i++) query[d * 150 + i] = NAN;
    }
    compare_with_brute_force(b, query, 150, 1, some, false);
}

TEST_OF(bench *b, whole_turns_do_not_count)
{
    OWNED(marey_examples) *in = open_clips(b, EXAMPLE_DOFS, NULL);
    double query[EXAMPLE_DOFS * FRAMES];
    int count, paths;
    for (int i = 0; i < EXAMPLE_DOFS * FRAMES; i++) {
        query[i] = b->values[2][i] + 360 * (i / FRAMES - 1);
    }
    OWNED(marey_example_found) *found = example_ask(b->ctx, in, FRAMES, query, 1, 1);
    const marey_example_path *path = marey_example_paths(found, &paths);
    marey_example_fragments(found, &count);
    assert_int_equal(path->jumps, 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(path->parts[i].clip, 2);
        assert_true(path->parts[i].error < 1e-3);
    }
}

/* Fragments whose means lie on either side of half a turn. */
TEST_OF(bench *b, values_round_half_a_turn_are_near_each_other)
{
    double values[EXAMPLE_DOFS * 120] = { 0 }, query[120];
    int count, paths;
    for (int f = 0; f < 120; f++) {
        values[f] = 179 + 20 * sin(0.15 * f);
        query[f] = values[f] + 4 - 720;
    }
    OWNED(marey_clip) *clip = example_clip(b->ctx, 120, 60, values, NULL);
    OWNED(marey_examples) *in = open_one(b, clip, NULL);
    OWNED(marey_example_found) *found = example_ask(b->ctx, in, 120, query, 3, 1);
    const marey_example_path *path = marey_example_paths(found, &paths);
    marey_example_fragments(found, &count);
    for (int i = 0; i < count; i++) assert_true(path->parts[i].error < 5);
}

/* ---- clips ----------------------------------------------------------------------------------- */

TEST_OF(bench *b, clips_are_ranked_by_their_best_path_alone)
{
    OWNED(marey_examples) *all = open_clips(b, 1, NULL);
    OWNED(marey_example_found) *found = example_ask(b->ctx, all, 200, b->values[3] + 50, 3, 5);
    int count, paths, one_count;
    const marey_example_clip *clips = marey_example_clips(found, &count);
    assert_int_equal(count, CLIPS);
    assert_int_equal(clips[0].clip, 3);
    for (int i = 0; i < count; i++) {
        OWNED(marey_examples) *one = open_one(b, b->clips[clips[i].clip], NULL);
        if (i > 0) {
            const marey_example_path *x = &clips[i - 1].path, *y = &clips[i].path;
            assert_true(x->jumps < y->jumps || (x->jumps == y->jumps && x->error <= y->error));
        }
        OWNED(marey_example_found) *alone = example_ask(b->ctx, one, 200, b->values[3] + 50, 3, 5);
        const marey_example_path *path = marey_example_paths(alone, &paths);
        marey_example_fragments(alone, &one_count);
        assert_int_equal(path->jumps, clips[i].path.jumps);
        assert_true(path->error == clips[i].path.error);
        for (int p = 0; p < one_count; p++) {
            assert_int_equal(path->parts[p].fragment, clips[i].path.parts[p].fragment);
            assert_int_equal(path->parts[p].next, clips[i].path.parts[p].next);
        }
    }
}

TEST_OF(bench *b, clips_with_fewer_jumps_come_first_whatever_their_error)
{
    OWNED(marey_examples) *in = open_clips(b, 1, NULL);
    int against = 0;
    for (int turn = 0; turn < 20; turn++) {
        double query[200];
        int count;
        example_curve(&b->seed, 200, 40, 0.5, query);
        OWNED(marey_example_found) *found = example_ask(b->ctx, in, 200, query, 3, 1);
        const marey_example_clip *clips = marey_example_clips(found, &count);
        for (int i = 1; i < count; i++) {
            const marey_example_path *x = &clips[i - 1].path, *y = &clips[i].path;
            assert_true(x->jumps < y->jumps || (x->jumps == y->jumps && x->error <= y->error));
            against += x->error > y->error;
        }
    }
    assert_true(against > 0);
}

/* A small swing of the clip that the drawn curve has not. */
TEST_OF(bench *b, a_curve_without_a_clips_small_swing_finds_it_without_a_jump)
{
    double values[EXAMPLE_DOFS * 200] = { 0 }, drawn[200];
    int count;
    for (int f = 0; f < 200; f++) {
        drawn[f] = 40 * sin(0.06 * f);
        values[f] = drawn[f] + (f > 70 && f < 90 ? 8 * sin(0.6 * f) : 0);
    }
    OWNED(marey_clip) *clip = example_clip(b->ctx, 200, 60, values, NULL);
    for (int plain = 0; plain < 2; plain++) {
        OWNED(marey_examples) *in = open_one(b, clip, &(marey_example_def){ .plain = plain });
        OWNED(marey_example_found) *found = example_ask(b->ctx, in, 200, drawn, 3, 1);
        const marey_example_path *path = marey_example_paths(found, &count);
        assert_true(plain ? path->jumps > 0 : path->jumps == 0 && path->error < 8);
    }
}

TEST_OF(bench *b, fragments_never_contain_lost_frames_and_do_not_follow_over_them)
{
    double values[EXAMPLE_DOFS * 120] = { 0 };
    bool lost[120] = { false };
    int count, paths;
    for (int f = 0; f < 120; f++) values[f] = 30 * sin(0.2 * f) + 40;
    for (int f = 57; f < 60; f++) lost[f] = true;
    OWNED(marey_clip) *clip = example_clip(b->ctx, 120, 60, values, lost);
    OWNED(marey_examples) *in = open_one(b, clip, NULL);
    OWNED(marey_example_found) *found = example_ask(b->ctx, in, 120, values, 64, 100);
    const marey_example_path *items = marey_example_paths(found, &paths);
    marey_example_fragments(found, &count);
    for (int p = 0; p < paths; p++) {
        for (int i = 0; i < count; i++) {
            marey_fragment at = items[p].parts[i].at;
            assert_true(at.end <= 56 || at.start >= 60);
        }
        assert_true(items[p].jumps > 0);
    }
}

TEST_OF(bench *b, claiming_another_rate_changes_nothing)
{
    OWNED(marey_examples) *in = open_clips(b, 2, NULL);
    double rows[2 * 200];
    for (int i = 0; i < 200; i++) {
        rows[i] = b->values[1][40 + i];
        rows[200 + i] = b->values[1][FRAMES + 40 + i];
    }
    marey_example_found *found[3];
    const double fps[3] = { 60, 30, 120 };
    for (int i = 0; i < 3; i++) {
        marey_example_query query = { 200, fps[i], rows };
        test_fine(marey_examples_find(b->ctx, in, &query, NULL, &found[i], NULL), NULL);
    }
    for (int i = 1; i < 3; i++) {
        int count, n, m;
        marey_example_fragments(found[0], &count);
        const marey_example_path *x = marey_example_paths(found[0], &n);
        const marey_example_path *y = marey_example_paths(found[i], &m);
        assert_int_equal(n, m);
        for (int p = 0; p < n; p++) {
            assert_true(x[p].error == y[p].error);
            for (int q = 0; q < count; q++) {
                assert_int_equal(x[p].parts[q].clip, y[p].parts[q].clip);
                assert_int_equal(x[p].parts[q].fragment, y[p].parts[q].fragment);
            }
        }
    }
    for (int i = 0; i < 3; i++) marey_example_found_free(found[i]);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuse_query(bench *b, const marey_examples *in, int samples, double fps,
                         const double *values, int k, int best, const char *says)
{
    marey_example_found *found = NULL;
    marey_error error = { 0 };
    marey_example_find_def def = { .k = k, .best = best };
    assert_int_equal(marey_examples_find(b->ctx, in, &(marey_example_query){ samples, fps, values },
                                         &def, &found, &error),
                     MAREY_ERR_REQUEST);
    assert_null(found);
    assert_non_null(strstr(error.message, says));
}

TEST_OF(bench *b, queries_that_cannot_be_are_refused)
{
    OWNED(marey_examples) *in = open_clips(b, 2, NULL);
    double good[8] = { 0, 5, 10, 5, 1, 2, 3, 4 }, flat[8] = { 1, 1, 1, 1, 1, 2, 3, 4 }, bad[8];
    refuse_query(b, in, 1, 60, good, 0, 0, "at least 2 samples");
    refuse_query(b, in, 4, 0, good, 0, 0, "rate");
    refuse_query(b, in, 4, NAN, good, 0, 0, "rate");
    refuse_query(b, in, 4, INFINITY, good, 0, 0, "rate");
    refuse_query(b, in, 4, 60, flat, 0, 0, "never moves");
    refuse_query(b, in, 4, 60, good, -1, 0, "candidates");
    refuse_query(b, in, 4, 60, good, 65, 0, "candidates");
    refuse_query(b, in, 4, 60, good, 0, -1, "paths");
    refuse_query(b, in, 4, 60, good, 0, 101, "paths");
    const double wrong[] = { NAN, INFINITY, -INFINITY, 1e300, -1.1e6 };
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        for (int at = 0; at < 8; at++) {
            memcpy(bad, good, sizeof bad);
            bad[at] = wrong[w];
            refuse_query(b, in, 4, 60, bad, 0, 0, at < 4 ? "signal 1" : "signal 2");
        }
    }
    for (int i = 0; i < 4; i++) bad[i] = NAN;
    refuse_query(b, in, 4, 60, bad, 0, 0, "signal 1");
}

TEST_OF(bench *b, a_query_of_too_many_fragments_is_refused)
{
    OWNED(marey_examples) *in = open_clips(b, 1, NULL);
    FREED double *zigzag = calloc(3000, sizeof *zigzag);
    OWNED(marey_example_found) *found = NULL;
    for (int i = 0; i < 3000; i++) zigzag[i] = i % 2 ? 10 : 0;
    assert_int_equal(marey_examples_find(b->ctx, in, &(marey_example_query){ 3000, 60, zigzag },
                                         NULL, &found, NULL),
                     MAREY_ERR_LIMIT);
    found = example_ask(b->ctx, in, MAREY_EXAMPLE_MOST_FRAGMENTS + 1, zigzag, 2, 2);
}

TEST_OF(bench *b, definitions_that_cannot_be_are_refused)
{
    const marey_dof scale = { "Arm", MAREY_CHANNEL_X_SCALE };
    const struct {
        const marey_dof *dofs;
        int count;
        double noise;
    } wrong[] = { { b->dofs, 0, 0 },   { b->dofs, 17, 0 },       { &scale, 1, 0 },
                  { b->dofs, 1, NAN }, { b->dofs, 1, INFINITY }, { b->dofs, 1, 1e9 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_examples *made = NULL;
        marey_example_def def = { .noise = wrong[i].noise };
        assert_int_equal(marey_examples_open(b->ctx, (const marey_clip *const *)b->clips, 1,
                                             wrong[i].dofs, wrong[i].count, &def, &made, NULL),
                         MAREY_ERR_REQUEST);
        assert_null(made);
    }
}

/* One frame, flat, huge, a joint missing; and no clips at all. */
TEST_OF(bench *b, odd_clips_take_no_part)
{
    double one[EXAMPLE_DOFS] = { 1, 2, 3, 4 }, flat[EXAMPLE_DOFS * 20] = { 0 };
    double huge[EXAMPLE_DOFS * 20] = { 0 }, query[4] = { 0, 5, 10, 5 };
    for (int i = 0; i < 20; i++) huge[i] = 1e7 + 10 * (i % 2);
    FREED char *text = test_person(20);
    marey_clip *odd[4] = { example_clip(b->ctx, 1, 60, one, NULL),
                           example_clip(b->ctx, 20, 60, flat, NULL),
                           example_clip(b->ctx, 20, 60, huge, NULL), test_clip(b->ctx, text) };
    marey_examples *in;
    int count;
    for (int clips = 4; clips >= 0; clips -= 4) {
        test_fine(marey_examples_open(b->ctx, (const marey_clip *const *)odd, clips, b->dofs, 1,
                                      NULL, &in, NULL),
                  NULL);
        assert_int_equal(marey_examples_fragments(in), 0);
        assert_int_equal(marey_examples_left_out(in), clips / 2);
        assert_true(marey_examples_bytes(in) > 0);
        OWNED(marey_example_found) *found = example_ask(b->ctx, in, 4, query, 3, 5);
        marey_example_paths(found, &count);
        assert_int_equal(count, 0);
        marey_example_clips(found, &count);
        assert_int_equal(count, 0);
        marey_example_fragments(found, &count);
        assert_int_equal(count, 2);
        marey_examples_free(in);
    }
    for (int i = 0; i < 4; i++) marey_clip_free(odd[i]);
    marey_examples_free(NULL);
    marey_example_found_free(NULL);
}

TEST_OF(bench *b, fewer_fragments_than_candidates_are_enough)
{
    double values[EXAMPLE_DOFS * 20] = { 0 }, query[40];
    int count;
    for (int f = 0; f < 20; f++) values[f] = 2 * f;
    for (int i = 0; i < 40; i++) query[i] = 20 * sin(0.5 * i);
    OWNED(marey_clip) *clip = example_clip(b->ctx, 20, 60, values, NULL);
    OWNED(marey_examples) *in = open_one(b, clip, NULL);
    assert_int_equal(marey_examples_fragments(in), 1);
    OWNED(marey_example_found) *found = example_ask(b->ctx, in, 40, query, 64, 100);
    const marey_example_path *path = marey_example_paths(found, &count);
    assert_int_equal(count, 1);
    marey_example_fragments(found, &count);
    assert_int_equal(path->jumps, count - 1);
}

/* ---- refused memory -------------------------------------------------------------------------- */

TEST_OF(bench *b, each_refused_allocation_is_reported_and_nothing_leaks)
{
    const marey_dof dofs[2] = { { "left_knee", MAREY_CHANNEL_X_ROTATION },
                                { "right_knee", MAREY_CHANNEL_X_ROTATION } };
    FREED char *text = test_person(120);
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_clip) *clip = NULL;
        OWNED(marey_examples) *in = NULL;
        OWNED(marey_example_found) *found = NULL;
        marey_error error = { 0 };
        status = marey_clip_load_bytes(ctx, "person.bvh", text, strlen(text), NULL, &clip, &error);
        const marey_clip *clips[1] = { clip };
        if (!status) status = marey_examples_open(ctx, clips, 1, dofs, 2, NULL, &in, &error);
        if (!status) {
            marey_example_query query = { 100, 60, b->values[0] };
            status = marey_examples_find(ctx, in, &query, NULL, &found, &error);
        }
        assert_true((found != NULL) == (status == MAREY_OK));
        if (status) assert_int_equal(error.status, status);
    }
}

TEST_OF(bench *b, cancelling_stops_the_opening)
{
    marey_examples *in = NULL;
    marey_ctx_cancel(b->ctx);
    assert_int_equal(marey_examples_open(b->ctx, (const marey_clip *const *)b->clips, CLIPS,
                                         b->dofs, 1, NULL, &in, NULL),
                     MAREY_ERR_CANCELLED);
    assert_null(in);
    marey_ctx_resume(b->ctx);
}

TEST_GROUP_OF_CASES(test_example, set_up, tear_down)
