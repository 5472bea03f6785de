/* Foot plants in real walks, judged by something that knows nothing of how they are found: a foot
   swings where its ankle is fast along the floor, and between two swings it must stand. Prints the
   table of docs/results/contacts.md. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const char *path; /* below the folder of the real data */
    const char *what;
} walk;

static const walk walks[] = {
    { "cmu/02_02.bvh", "walk" },
    { "cmu/07_01.bvh", "walk, tilted floor" },
    { "cmu/07_03.bvh", "walk, tilted floor" },
    { "cmu/07_08.bvh", "walk, tilted floor" },
    { "cmu/07_10.bvh", "walk, tilted floor" },
    { "cmu/07_12.bvh", "brisk walk" },
    { "cmu/08_10.bvh", "walk" },
    { "cmu/16_15.bvh", "walk" },
    { "cmu/20_05.bvh", "walk of two" },
    { "cmu/74_01.bvh", "stiff walk" },
    { "cmu/91_36.bvh", "walk straight" },
    { "cmu/91_57.bvh", "stand, walk, stand" },
    { "cmu/137_24.bvh", "graceful lady" },
    { "cmu/143_32.bvh", "walk and turn, claims twice its rate" },
    { "cmu/143_38.bvh", "figure of eight, claims twice its rate" },
    { "bandai/dataset-1_walk_normal_001.bvh", "walk" },
    { "bandai/dataset-1_walk-left_normal_001.bvh", "walk sideways" },
    { "bandai/dataset-2_walk_normal_001.bvh", "walk" },
    { "bandai/dataset-2_walk_exhausted_004.bvh", "exhausted walk" },
    { "bandai/dataset-2_walk-turn-left_normal_001.bvh", "walk and turn" },
    { "accad/Male1_B2_WalkToStand.bvh", "walk to stand, tilted floor" },
    { "accad/Male1_B3_Walk.bvh", "walk, tilted floor" },
};
enum { WALKS = sizeof walks / sizeof *walks };

/* None of these had a part in choosing the limits, but for one margin that 143_29 asked for. */
static const walk held_out[] = {
    { "cmu/91_01.bvh", "figure of eight" },
    { "cmu/143_10.bvh", "walk and pick up, claims twice its rate" },
    { "cmu/143_11.bvh", "walk and pick up, claims twice its rate" },
    { "cmu/143_29.bvh", "pacing, claims twice its rate" },
    { "bandai/dataset-1_walk-right_normal_001.bvh", "walk sideways" },
    { "bandai/dataset-2_walk_normal_002.bvh", "walk" },
    { "bandai/dataset-2_walk-turn-left_normal_002.bvh", "walk and turn" },
    { "bandai/dataset-2_walk-turn-right_normal_001.bvh", "walk and turn" },
    { "bandai/dataset-2_walk-turn-right_normal_002.bvh", "walk and turn" },
    { "hdm05/sneak2StepsLStart/HDM_bd_sneak2StepsLStart_001_120.amc", "sneak" },
    { "hdm05/sneak2StepsLStart/HDM_bd_sneak2StepsLStart_002_120.amc", "sneak" },
    { "hdm05/sneak2StepsLStart/HDM_bd_sneak2StepsLStart_003_120.amc", "sneak" },
    { "hdm05/jogLeftCircle4StepsRstart/HDM_bd_jogLeftCircle4StepsRstart_001_120.amc", "jog" },
    { "hdm05/jogLeftCircle4StepsRstart/HDM_bd_jogLeftCircle4StepsRstart_002_120.amc", "jog" },
};
enum { HELD_OUT = sizeof held_out / sizeof *held_out };

/* Here the judge errs as well: a foot that climbs, gropes or is set down twice has several fast
   moments in one swing, and a staggering one no clear rest. */
static const walk others[] = {
    { "cmu/83_27.bvh", "walk up stairs" },
    { "cmu/13_35.bvh", "climb 3 steps" },
    { "cmu/120_12.bvh", "sneak, knees high" },
    { "cmu/143_41.bvh", "sneak, claims twice its rate" },
    { "cmu/137_16.bvh", "drunk" },
    { "cmu/09_12.bvh", "forward, backward, sideways" },
    { "cmu/38_03.bvh", "run around in a circle" },
    { "cmu/143_01.bvh", "run, claims twice its rate" },
    { "bandai/dataset-1_run_normal_001.bvh", "run" },
    { "bandai/dataset-1_dash_normal_001.bvh", "dash" },
};
enum { OTHERS = sizeof others / sizeof *others };

static double quantile(const double *values, int count, double q)
{
    FREED double *sorted = malloc((size_t)count * sizeof *sorted);
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, test_compare_doubles);
    return sorted[(int)(q * (count - 1))];
}

/* ---- the judge ------------------------------------------------------------------------------- */

/* One joint's place in every frame, and the frames that count. */
typedef struct track {
    int frames;
    double (*at)[3];
    bool *marked;
} track;

static track track_of(const marey_clip *clip, marey_role role)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, frames = marey_clip_frames(clip), marks;
    const marey_mark *mark = marey_clip_marks(clip, &marks);
    track t = { frames, calloc((size_t)frames, sizeof *t.at), calloc((size_t)frames, 1) };
    FREED double *row = malloc((size_t)joints * 3 * sizeof *row);
    assert_true(skeleton->roles[role] >= 0);
    for (int f = 0; f < frames; f++) {
        marey_clip_positions(clip, f, 1, row);
        memcpy(t.at[f], row + 3 * skeleton->roles[role], sizeof t.at[f]);
    }
    for (int i = 0; i < marks; i++)
        for (int f = mark[i].start; f < mark[i].end; f++) t.marked[f] = true;
    return t;
}

static void track_free(track *t)
{
    free(t->at);
    free(t->marked);
}

/* Speed along the floor over a tenth of a second around each frame; 0 next to marked frames. */
static double *floor_speed(const track *t, double fps)
{
    double *speed = calloc((size_t)t->frames, sizeof *speed);
    int reach = (int)fmax(1, fps * 0.05 + 0.5);
    for (int f = 0; f < t->frames; f++) {
        int a = f > reach ? f - reach : 0, b = f + reach < t->frames ? f + reach : t->frames - 1;
        bool clean = b > a;
        for (int i = a; i <= b; i++) clean = clean && !t->marked[i];
        if (!clean) continue;
        speed[f] = hypot(t->at[b][0] - t->at[a][0], t->at[b][2] - t->at[a][2]) * fps / (b - a);
    }
    return speed;
}

/* The fastest frame of each swing: a run of frames faster than a third or so of the fast ones. */
static int find_swings(const double *speed, int frames, int *peaks, int room)
{
    double least = 0.35 * quantile(speed, frames, 0.95);
    int count = 0;
    for (int f = 0, peak = -1; f <= frames; f++) {
        if (f < frames && speed[f] > least) {
            if (peak < 0 || speed[f] > speed[peak]) peak = f;
        } else if (peak >= 0) {
            assert_true(count < room);
            peaks[count++] = peak;
            peak = -1;
        }
    }
    return count;
}

typedef struct verdict {
    int steps;       /* times between two swings of a foot */
    int stood;       /* in which at least one plant of that foot lies */
    int swung;       /* plants in the middle of a swing */
    double worst_cm; /* of a planted point above its rest height */
} verdict;

/* The rest height of a point between two swings is the one it is above for 95 % of the time. */
static double height_above_rest(const track *t, const marey_contact *c, int from, int to)
{
    FREED double *height = malloc((size_t)(to - from) * sizeof *height);
    double most = -HUGE_VAL;
    for (int f = from; f < to; f++) height[f - from] = t->at[f][1];
    double rest = quantile(height, to - from, 0.05);
    for (int f = from; f < to; f++)
        if (f >= c->start && f < c->end) most = fmax(most, t->at[f][1] - rest);
    return most;
}

static void judge_foot(const marey_clip *clip, const marey_contacts *found, int side, verdict *out)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
    track points[2] = { track_of(clip, roles[2 * side]), track_of(clip, roles[2 * side + 1]) };
    double *speed = floor_speed(&points[0], marey_clip_fps(clip));
    int peaks[256], count = find_swings(speed, points[0].frames, peaks, 256);
    for (int n = 0; n + 1 < count; n++) {
        bool stood = false;
        for (int i = 0; i < found->count; i++) {
            const marey_contact *c = &found->items[i];
            if ((int)c->joint / 2 != side) continue;
            stood |= c->start > peaks[n] && c->end <= peaks[n + 1];
            out->swung += c->start <= peaks[n] && c->end > peaks[n];
            double above = height_above_rest(&points[c->joint % 2], c, peaks[n], peaks[n + 1]);
            out->worst_cm = fmax(out->worst_cm, above);
        }
        out->steps++;
        out->stood += stood;
    }
    free(speed);
    track_free(&points[0]);
    track_free(&points[1]);
}

static verdict judge(const marey_clip *clip, int *plants)
{
    verdict v = { 0 };
    OWNED(marey_contacts) found = { 0 };
    test_ok(marey_contacts_find(clip, NULL, &found));
    for (int side = 0; side < 2; side++) judge_foot(clip, &found, side, &v);
    *plants = found.count;
    return v;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void print_head(void)
{
    print_message("| clip | what | Hz | steps | found | plants | worst height above rest, cm |\n"
                  "|---|---|---|---|---|---|---|\n");
}

static verdict judge_and_print(marey_ctx *ctx, const walk *w)
{
    int plants;
    OWNED(marey_clip) *clip = test_mocap_load(ctx, w->path);
    verdict v = judge(clip, &plants);
    print_message("| %s | %s | %g | %d | %d | %d | %.1f |\n", marey_clip_name(clip), w->what,
                  marey_clip_fps(clip), v.steps, v.stood, plants, v.worst_cm);
    return v;
}

/* Counts those in which a step is missing, or a foot is planted in the air. */
static int count_bad(const walk *list, int count)
{
    int bad = 0;
    OWNED(marey_ctx) *ctx = test_ctx();
    print_head();
    for (int i = 0; i < count; i++) {
        verdict v = judge_and_print(ctx, &list[i]);
        bad += v.steps == 0 || v.stood < v.steps || v.swung > 0 || v.worst_cm > 3;
    }
    return bad;
}

TEST(every_step_of_a_real_walk_is_found_and_no_foot_in_the_air)
{
    test_need_mocap();
    assert_int_equal(count_bad(walks, WALKS), 0);
}

TEST(the_same_holds_for_held_out_walks)
{
    test_need_mocap();
    assert_int_equal(count_bad(held_out, HELD_OUT), 0);
}

TEST_CTX(no_foot_is_planted_in_mid_swing_of_harder_motions)
{
    test_need_mocap();
    int swung = 0;
    print_head();
    for (int i = 0; i < OTHERS; i++) swung += judge_and_print(ctx, &others[i]).swung;
    assert_int_equal(swung, 0);
}

TEST_CTX(steps_are_found_at_other_rates_too)
{
    test_need_mocap();
    const double rates[] = { 24, 30, 60, 240 };
    for (int i = 0; i < WALKS; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(ctx, walks[i].path);
        for (int r = 0; r < 4; r++) {
            OWNED(marey_clip) *other = NULL;
            int plants;
            test_ok(marey_clip_resample(clip, rates[r], &other, NULL));
            verdict v = judge(other, &plants);
            if (v.stood < v.steps || v.swung > 0 || v.worst_cm > 3) {
                fail_msg("%s at %g Hz: %d of %d steps, %d in swings, %.1f cm above rest",
                         walks[i].path, rates[r], v.stood, v.steps, v.swung, v.worst_cm);
            }
        }
    }
}

static void check_order(void *user, const char *path)
{
    OWNED(marey_clip) *clip = test_clip_load(user, path);
    OWNED(marey_contacts) found = { 0 };
    test_ok(marey_contacts_find(clip, NULL, &found));
    int marks;
    const marey_mark *mark = marey_clip_marks(clip, &marks);
    for (int i = 0; i < found.count; i++) {
        const marey_contact *c = &found.items[i], *before = c - 1;
        assert_true(c->start >= 0 && c->end - c->start >= 2 && c->end <= marey_clip_frames(clip));
        if (i > 0) assert_true(before->joint <= c->joint);
        if (i > 0 && before->joint == c->joint) assert_true(before->end < c->start);
        for (int m = 0; m < marks; m++)
            assert_true(mark[m].end <= c->start || mark[m].start >= c->end);
    }
    marey_quality quality;
    test_ok(marey_clip_quality(clip, found.items, found.count, &quality));
    assert_int_equal(quality.plants, found.count);
    assert_true(isfinite(quality.jump_ratio) && quality.jump_ratio >= 1);
    assert_true(isfinite(quality.jerk_ratio) && quality.jerk_ratio >= 1);
    assert_true(quality.slide_max_cm >= quality.slide_cm && quality.penetration_cm >= 0);
}

TEST_CTX(plants_of_every_real_clip_are_sorted_apart_and_unmarked)
{
    test_need_mocap();
    int count = test_mocap_each("cmu", ".bvh", check_order, ctx);
    count += test_mocap_each("bandai", ".bvh", check_order, ctx);
    count += test_mocap_each("accad", ".bvh", check_order, ctx);
    assert_true(count >= WALKS);
}

TEST_GROUP_OF_CASES(test_contacts_walks, NULL, NULL)
