/* Plants, on clips whose feet and hands are where the test puts them. Real clips:
   test_contacts_walks.c. */
#include "feet_clip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static marey_contacts find(const marey_clip *clip)
{
    marey_contacts found;
    test_ok(marey_contacts_find(clip, NULL, &found));
    return found;
}

static int count_of(const marey_contacts *found, marey_contact_joint joint)
{
    int count = 0;
    for (int i = 0; i < found->count; i++) count += found->items[i].joint == joint;
    return count;
}

/* ---- a walk with known plants ---------------------------------------------------------------- */

typedef enum ground { LEVEL, SLOPE, STAIRS } ground;

typedef struct walk {
    double fps;
    ground ground;
    double noise_cm; /* at most, in each coordinate */
    bool planted[4]; /* the truth about the frame placed last */
    uint8_t *truth;  /* 4 bytes a frame, or NULL */
} walk;

static const double STRIDE_S = 1.1, STRIDE_CM = 130, TOE_CM = 13;

static double noise(int frame, int channel)
{
    uint32_t x = (uint32_t)(frame * 12 + channel) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x / 2147483648.0 - 1;
}

static double height_at(const walk *w, double z)
{
    if (w->ground == SLOPE) return 0.12 * z;
    return w->ground == STAIRS ? 34 * floor(z / STRIDE_CM + 0.5) / 2 : 0;
}

/* Starts and stops at rest. */
static double ease(double s)
{
    return s * s * (3 - 2 * s);
}

/* One foot, `phase` strides after its heel struck: heel down to 0.4, toe from 0.05 to 0.6, then the
   swing. On stairs the two feet stand on different steps, so that the higher one is never the
   lower's foot. */
static void place_foot(walk *w, double strides, double (*at)[3], bool *planted)
{
    double n = floor(strides), phase = strides - n, swing = fmax(0, (phase - 0.6) / 0.4);
    double from = n * STRIDE_CM, to = from + STRIDE_CM, z = from + ease(swing) * STRIDE_CM;
    double heel_up = phase < 0.4 ? 0 : 8 * sin(M_PI * fmin(1, (phase - 0.4) / 0.6) / 1);
    double arch = 12 * pow(sin(M_PI * swing), 2), rise = ease(swing);
    double toe_up = phase < 0.05 ? 4 * (1 - ease(phase / 0.05)) : 4 * ease(swing);
    double heel_on = height_at(w, from), toe_on = height_at(w, from + TOE_CM);
    if (w->ground == STAIRS) toe_on = heel_on;
    double next_heel = height_at(w, to), next_toe = height_at(w, to + TOE_CM);
    if (w->ground == STAIRS) next_toe = next_heel;
    at[0][1] = 9 + heel_on + rise * (next_heel - heel_on) + heel_up + arch;
    at[1][1] = 3 + toe_on + rise * (next_toe - toe_on) + toe_up + arch;
    at[0][2] = z + (phase > 0.4 ? 4 * sin(M_PI * fmin(1, (phase - 0.4) / 0.6)) : 0);
    at[1][2] = z + TOE_CM;
    planted[0] = phase < 0.4;
    planted[1] = phase >= 0.05 && phase < 0.6;
}

static void step_along(void *user, int frame, test_feet *feet)
{
    walk *w = user;
    double strides = frame / w->fps / STRIDE_S;
    place_foot(w, strides + 0.2, feet->point, w->planted);
    place_foot(w, strides + 0.7, feet->point + 2, w->planted + 2);
    feet->hips[2] = strides * STRIDE_CM;
    feet->hips[1] += height_at(w, w->ground == STAIRS ? 0 : feet->hips[2]);
    if (w->ground == STAIRS) feet->hips[1] += 34.0 / 2 * strides;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) feet->point[i][k] += w->noise_cm * noise(frame, 3 * i + k);
        if (w->truth) w->truth[4 * frame + i] = w->planted[i];
    }
}

typedef struct score {
    int both, found, true_count;
} score;

static score score_walk(walk *w, int frames)
{
    score sum = { 0 };
    OWNED(marey_ctx) *ctx = test_ctx();
    FREED uint8_t *told = calloc((size_t)frames, 4);
    w->truth = calloc((size_t)frames, 4);
    OWNED(marey_clip) *clip = test_feet_clip(ctx, frames, w->fps, step_along, w);
    OWNED(marey_contacts) found = find(clip);
    for (int i = 0; i < found.count; i++) {
        const marey_contact *c = &found.items[i];
        for (int f = c->start; f < c->end; f++) told[4 * f + (int)c->joint] = 1;
    }
    for (int i = 0; i < 4 * frames; i++) {
        sum.both += told[i] && w->truth[i];
        sum.found += told[i];
        sum.true_count += w->truth[i];
    }
    free(w->truth);
    return sum;
}

/* One frame too many at either end is all that a plant of 15 frames may get at 24 Hz. */
TEST(the_plants_of_a_known_walk_are_found)
{
    const double rates[] = { 24, 30, 60, 120, 240 };
    for (int i = 0; i < 5; i++) {
        for (int g = LEVEL; g <= STAIRS; g++) {
            for (int noisy = 0; noisy < 2; noisy++) {
                walk w = { .fps = rates[i], .ground = (ground)g, .noise_cm = noisy ? 0.2 : 0 };
                score s = score_walk(&w, (int)(8 * rates[i]));
                double precision = (double)s.both / s.found, recall = (double)s.both / s.true_count;
                print_message("%3g Hz, ground %d, noise %g: precision %.3f recall %.3f\n", w.fps, g,
                              w.noise_cm, precision, recall);
                double least = noisy || w.fps < 60 ? 0.9 : 0.95;
                assert_true(precision >= least && recall >= least);
            }
        }
    }
}

TEST_CTX(a_mirrored_walk_has_the_plants_of_the_other_side)
{
    walk w = { .fps = 60, .noise_cm = 0.1 };
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 300, 60, step_along, &w), *mirrored = NULL;
    test_ok(marey_clip_mirror(clip, &mirrored, NULL));
    OWNED(marey_contacts) one = find(clip), other = find(mirrored);
    int left = count_of(&one, MAREY_CONTACT_LEFT_HEEL) + count_of(&one, MAREY_CONTACT_LEFT_TOE);
    assert_int_equal(one.count, other.count);
    for (int i = 0; i < one.count; i++) { /* the left side's come first */
        const marey_contact *a = &one.items[i],
                            *b = &other.items[i < left ? i + one.count - left : i - left];
        assert_int_equal(a->joint, b->joint ^ 2);
        assert_int_equal(a->start, b->start);
        assert_int_equal(a->end, b->end);
    }
}

/* ---- what is no plant ------------------------------------------------------------------------ */

static void hold_up(void *user, int frame, test_feet *feet)
{
    (void)user; /* the right foot is lifted after a second and sways a little while it is held */
    double up = 25 * ease(fmin(1, fmax(0, (frame - 60) / 20.0)));
    for (int i = 2; i < 4; i++) {
        feet->point[i][1] += up;
        if (up > 0) feet->point[i][2] += 2 * sin(frame * 0.08);
    }
}

TEST_CTX(a_foot_held_in_the_air_is_not_planted)
{
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 240, 60, hold_up, NULL);
    OWNED(marey_contacts) found = find(clip);
    assert_int_equal(found.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(found.items[i].joint, i);
        assert_int_equal(found.items[i].start, 0);
        assert_in_range(found.items[i].end, i < 2 ? 240 : 60, i < 2 ? 240 : 63);
    }
}

static void stand_on_balls(void *user, int frame, test_feet *feet)
{
    (void)user;
    double up = 7 * ease(fmin(1, fmax(0, (frame - 60) / 15.0)));
    feet->point[0][1] += up;
    feet->point[2][1] += up;
}

TEST_CTX(a_raised_heel_is_not_planted)
{
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 150, 60, stand_on_balls, NULL);
    OWNED(marey_contacts) found = find(clip);
    assert_int_equal(found.count, 4);
    for (int i = 0; i < 4; i++)
        assert_in_range(found.items[i].end, i % 2 ? 150 : 60, i % 2 ? 150 : 63);
}

static void hop(void *user, int frame, test_feet *feet)
{
    (void)user; /* stands for 21 frames, flies for 21 under gravity, five times */
    double t = fmod(frame / 60.0, 0.7) - 0.35, up = t > 0 ? 981.0 / 2 * t * (0.35 - t) : 0;
    for (int i = 0; i < 4; i++) feet->point[i][1] += up;
    feet->hips[1] += up;
}

TEST_CTX(the_top_of_a_jump_is_not_a_plant)
{
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 210, 60, hop, NULL);
    OWNED(marey_contacts) found = find(clip);
    for (int j = 0; j < 4; j++) assert_int_equal(count_of(&found, (marey_contact_joint)j), 5);
    for (int i = 0; i < found.count; i++) {
        assert_in_range(found.items[i].start % 42, 0, 1);
        assert_in_range(found.items[i].end - found.items[i].start, 20, 24);
    }
}

/* ---- lengths, gaps and marks ----------------------------------------------------------------- */

/* The left heel is fast but for the frames of *user. */
typedef struct pause {
    int start, end;
    int gap, gap_end; /* in which it twitches */
    int lost, found;  /* marked frames */
} pause;

static void rest_a_while(void *user, int frame, test_feet *feet)
{
    const pause *p = user;
    double z = frame < p->start ? frame - p->start : frame >= p->end ? frame - p->end + 1 : 0;
    feet->point[0][2] += 5 * z;
    if (frame >= p->gap && frame < p->gap_end) feet->point[0][0] += 4 * (1 + frame % 3);
    if (frame >= p->lost && frame < p->found) memset(feet->hips, 0, sizeof feet->hips);
}

static int heels_of(pause p, const marey_contact_def *def, marey_contact *list)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 120, 60, rest_a_while, &p);
    OWNED(marey_contacts) found = { 0 };
    int count = 0;
    test_ok(marey_contacts_find(clip, def, &found));
    for (int i = 0; i < found.count && found.items[i].joint == MAREY_CONTACT_LEFT_HEEL; i++)
        list[count++] = found.items[i];
    return count;
}

/* Where it rests is a plant, unless that is too short; short gaps are closed, and marked frames
   hold none. */
TEST(plants_have_the_frames_in_which_the_point_rests)
{
    static const marey_contact_def longer = { .shortest_s = 0.4 }, shorter = { .shortest_s = 0.05 };
    static const marey_contact_def far = { .bridge_s = 0.2 };
    static const struct {
        pause pause;
        const marey_contact_def *def;
        int count, start, end; /* of the first */
    } rows[] = {
        { { 40, 70, 0, 0, 0, 0 }, NULL, 1, 40, 70 },
        { { 40, 44, 0, 0, 0, 0 }, NULL, 1, 40, 44 },
        { { 40, 43, 0, 0, 0, 0 }, NULL, 0, 0, 0 },
        { { 40, 43, 0, 0, 0, 0 }, &shorter, 1, 40, 43 },
        { { 40, 62, 0, 0, 0, 0 }, &longer, 0, 0, 0 },
        { { 40, 63, 0, 0, 0, 0 }, &longer, 1, 40, 63 },
        { { 30, 90, 60, 62, 0, 0 }, NULL, 1, 30, 90 },
        { { 30, 90, 56, 64, 0, 0 }, NULL, 2, 30, 56 },
        { { 30, 90, 56, 64, 0, 0 }, &far, 1, 30, 90 },
        { { 30, 90, 0, 0, 60, 62 }, NULL, 2, 30, 60 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_contact list[8];
        assert_int_equal(heels_of(rows[i].pause, rows[i].def, list), rows[i].count);
        if (rows[i].count == 0) continue;
        assert_int_equal(list[0].start, rows[i].start);
        assert_int_equal(list[0].end, rows[i].end);
        if (rows[i].pause.lost) assert_int_equal(list[1].start, rows[i].pause.found);
    }
}

/* ---- hands ----------------------------------------------------------------------------------- */

/* Frames 40 to 80 of 120: both hands are down, this high, and the feet are up, that high. */
typedef struct hand_stand {
    double height_cm[2], cm_s; /* cm_s: how fast the hands slide */
    double up_cm;
} hand_stand;

static void put_hands_down(void *user, int frame, test_feet *feet)
{
    const hand_stand *s = user;
    double away = frame < 40 ? 40 - frame : frame >= 80 ? frame - 79 : 0;
    for (int i = 0; i < 2; i++) {
        feet->hand[i][1] = s->height_cm[i] + 8 * away;
        feet->hand[i][2] = 30 + s->cm_s * (frame - 60) / 60;
    }
    double up = s->up_cm * ease(fmin(1, fmax(0, (50 - abs(frame - 60)) / 20.0)));
    for (int i = 0; i < 4; i++) {
        feet->point[i][1] += up;
        feet->point[i][2] += 0.03 * up * (frame - 60); /* in the air nothing rests */
    }
}

/* Soles are 3 cm high. A wrist of 12 cm is on the floor; on a shin it is not. In
   a handstand it may be higher and slide. */
TEST_CTX(a_hand_is_planted_where_it_rests_near_the_floor_or_carries_the_body)
{
    static const struct {
        hand_stand made;
        bool planted[2];
    } rows[] = {
        { { { 8, 12 }, 0, 0 }, { true, true } },    { { { 25, 12 }, 0, 0 }, { false, true } },
        { { { 8, 48 }, 0, 0 }, { true, false } },   { { { 8, 8 }, 60, 0 }, { false, false } },
        { { { 25, 25 }, 0, 90 }, { true, true } },  { { { 25, 8 }, 45, 90 }, { true, true } },
        { { { 48, 25 }, 0, 90 }, { false, true } }, { { { 25, 25 }, 0, 6 }, { false, false } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hand_stand made = rows[i].made;
        OWNED(marey_clip) *clip = test_feet_clip(ctx, 120, 60, put_hands_down, &made);
        OWNED(marey_contacts) found = find(clip);
        for (int side = 0; side < 2; side++) {
            marey_contact_joint joint = (marey_contact_joint)(MAREY_CONTACT_LEFT_HAND + side);
            if (count_of(&found, joint) != rows[i].planted[side])
                fail_msg("row %zu, side %d: planted %d times", i, side, count_of(&found, joint));
        }
        for (int n = 0; n < found.count; n++) {
            if (found.items[n].joint < MAREY_CONTACT_LEFT_HAND) continue;
            assert_in_range(found.items[n].start, 38, 40);
            assert_in_range(found.items[n].end, 80, 82);
        }
    }
}

TEST_CTX(what_hands_do_changes_nothing_for_feet)
{
    hand_stand low = { { 8, 8 }, 0, 60 }, high = { { 300, 300 }, 0, 60 };
    OWNED(marey_clip) *down = test_feet_clip(ctx, 120, 60, put_hands_down, &low);
    OWNED(marey_clip) *away = test_feet_clip(ctx, 120, 60, put_hands_down, &high);
    OWNED(marey_contacts) with = find(down), without = find(away);
    assert_true(without.count >= 8 && with.count == without.count + 2);
    assert_memory_equal(with.items, without.items, (size_t)without.count * sizeof *with.items);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void stand(void *user, int frame, test_feet *feet)
{
    (void)user, (void)frame, (void)feet;
}

TEST_CTX(clips_of_a_frame_or_two_have_no_plants)
{
    for (int frames = 1; frames <= 2; frames++) {
        OWNED(marey_clip) *clip = test_feet_clip(ctx, frames, 60, stand, NULL);
        OWNED(marey_contacts) found = find(clip);
        assert_int_equal(found.count, 0);
        assert_null(found.items);
    }
}

TEST_CTX(standing_still_is_one_plant_of_each_point)
{
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 100, 25, stand, NULL);
    marey_contacts found = find(clip);
    assert_int_equal(found.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(found.items[i].joint, i);
        assert_int_equal(found.items[i].start, 0);
        assert_int_equal(found.items[i].end, 100);
    }
    marey_contacts_free(&found);
    marey_contacts_free(&found); /* a second time does nothing */
    marey_contacts_free(NULL);
}

/* Takes the toe joints out of the text of a standing person, whose ankles then end in an End Site
   or in nothing at all. */
static marey_clip *without_toes(marey_ctx *ctx, bool with_tip)
{
    FREED char *out = NULL;
    size_t size;
    FILE *file = open_memstream(&out, &size);
    fprintf(file,
            "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n");
    for (int side = 0; side < 2; side++) {
        const char *name = side ? "Right" : "Left";
        fprintf(file,
                "JOINT %sUpLeg\n{\nOFFSET %d -4 0\nCHANNELS 0\nJOINT %sLeg\n{\nOFFSET 0 -42 0\n"
                "CHANNELS 0\nJOINT %sFoot\n{\nOFFSET 0 -40 0\nCHANNELS 1 Xrotation\n",
                name, side ? -10 : 10, name, name);
        if (with_tip) fprintf(file, "End Site\n{\nOFFSET 0 -6 13\n}\n");
        fprintf(file, "}\n}\n}\n");
    }
    fprintf(file,
            "JOINT Spine\n{\nOFFSET 0 30 0\nCHANNELS 0\nJOINT Neck\n{\nOFFSET 0 22 0\nCHANNELS 0\n"
            "JOINT Head\n{\nOFFSET 0 10 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 16 0\n}\n}\n}\n}\n}\n"
            "MOTION\nFrames: 60\nFrame Time: 0.016666667\n");
    for (int f = 0; f < 60; f++) { /* the right toe is lifted from frame 30 on, its heel stays */
        fprintf(file, "0 95 %d 0 %d\n", 0, f < 30 ? 0 : -3 * (f - 29));
    }
    fclose(file);
    return test_clip(ctx, out);
}

TEST_CTX(the_tip_of_the_ankle_serves_as_toe)
{
    for (int with_tip = 0; with_tip < 2; with_tip++) {
        OWNED(marey_clip) *clip = without_toes(ctx, with_tip);
        assert_true(marey_clip_skeleton(clip)->roles[MAREY_ROLE_LEFT_ANKLE] > 0);
        OWNED(marey_contacts) found = find(clip);
        assert_int_equal(count_of(&found, MAREY_CONTACT_LEFT_HEEL), 1);
        assert_int_equal(count_of(&found, MAREY_CONTACT_RIGHT_HEEL), 1);
        assert_int_equal(count_of(&found, MAREY_CONTACT_LEFT_TOE), with_tip);
        assert_int_equal(count_of(&found, MAREY_CONTACT_RIGHT_TOE), with_tip);
        if (with_tip) assert_in_range(found.items[3].end, 30, 31);
    }
}

TEST(refused_memory_is_reported_and_writes_nothing)
{
    hand_stand w = { { 8, 8 }, 0, 60 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_feet_clip(ctx, 120, 60, put_hands_down, &w);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_contacts found = { .count = -1 };
        status = marey_contacts_find(clip, NULL, &found);
        if (status) assert_int_equal(found.count, -1);
        if (!status) marey_contacts_free(&found);
    }
}

TEST_GROUP_OF_CASES(test_contacts, NULL, NULL)
