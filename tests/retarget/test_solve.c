/* test_solve.c - rotations are forgotten and found again: on demo clips and a small person, beside
   judges that are written differently. */
#include "support.h"

#include "motion/clip_data.h"
#include "retarget/solve.h"
#include "retarget/solve_presets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- points out of clips ---------------------------------------------------------------------- */

typedef struct cloud {
    marey_points points;
    float *at;
    const char **names;
    int *parents;
} cloud;

static void cloud_free(cloud *c)
{
    free(c->at);
    free(c->names);
    free(c->parents);
}
OWNED_VALUE(cloud, cloud_free)

static cloud cloud_of(const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t joints = (size_t)skeleton->joint_count, frames = (size_t)marey_clip_frames(clip);
    cloud c = { .at = malloc(frames * joints * 3 * sizeof *c.at),
                .names = malloc(joints * sizeof *c.names),
                .parents = malloc(joints * sizeof *c.parents) };
    marey_clip_positions_float(clip, 0, (int)frames, c.at);
    for (size_t j = 0; j < joints; j++) {
        c.names[j] = skeleton->joints[j].name;
        c.parents[j] = skeleton->joints[j].parent;
    }
    c.points = (marey_points){ .name = "walk",
                               .format = "npz",
                               .frames = (int)frames,
                               .count = (int)joints,
                               .fps = marey_clip_fps(clip),
                               .names = c.names,
                               .parents = c.parents,
                               .at = c.at };
    return c;
}

static float *point(const cloud *c, int frame, int joint)
{
    return c->at + 3 * ((size_t)frame * (size_t)c->points.count + (size_t)joint);
}

static void lose(cloud *c, int joint, int start, int end)
{
    for (int f = start; f < end; f++)
        for (int i = 0; i < 3; i++) point(c, f, joint)[i] = NAN;
}

static marey_clip *solved(marey_ctx *ctx, const cloud *c, const marey_solve_def *def,
                          marey_solve_report *report)
{
    marey_clip *clip = NULL;
    marey_solve_report own;
    test_ok(marey_points_solve(ctx, &c->points, def, &clip, report ? report : &own, &test_error));
    if (!report) marey_solve_report_free(&own);
    return clip;
}

static int joint_named(const marey_clip *clip, const char *name)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    for (int j = 0; j < skeleton->joint_count; j++)
        if (strcmp(skeleton->joints[j].name, name) == 0) return j;
    fail_msg("no joint is called %s", name);
    return -1;
}

/* From a source's joints to those of the same names, the largest. */
static double apart(const marey_clip *source, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(source);
    double most = 0;
    assert_int_equal(marey_clip_frames(source), marey_clip_frames(clip));
    for (int f = 0; f < marey_clip_frames(source); f++) {
        FREED double *a = test_positions(source, f), *b = test_positions(clip, f);
        for (int j = 0; j < skeleton->joint_count; j++) {
            const double *p = a + 3 * j, *q = b + 3 * joint_named(clip, skeleton->joints[j].name);
            most = fmax(most, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
        }
    }
    return most;
}

/* The largest turn of a joint below its parent from a frame to the next, in degrees. */
static double leap(const marey_clip *clip, int start, int end)
{
    double most = 0;
    for (int f = start + 1; f < end; f++) {
        for (int j = 0; j < marey_clip_skeleton(clip)->joint_count; j++) {
            const float *a = mry_turn(clip, f - 1) + 4 * j, *b = mry_turn(clip, f) + 4 * j;
            double dot = fabs((double)a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
            most = fmax(most, 2 * acos(fmin(1, dot)) * 57.2957795);
        }
    }
    return most;
}

/* ---- rotations that fit ----------------------------------------------------------------------- */

static mry_vec random_vec(uint64_t *seed)
{
    return (mry_vec){ 2 * test_chance(seed) - 1, 2 * test_chance(seed) - 1,
                      2 * test_chance(seed) - 1 };
}

/* Davenport's method: the answer is the eigenvector of the largest eigenvalue of a 4 x 4 matrix,
   here by shifted power iteration. Returns that eigenvalue: the largest sum of w (R rest) . now. */
static double davenport(const mry_vec *rest, const mry_vec *now, const double *weight, int count)
{
    double b[3][3] = { 0 }, k[4][4] = { 0 }, v[4] = { 0.5, 0.4, -0.3, 0.7 }, value = 0, shift = 0;
    for (int i = 0; i < count; i++) {
        const double r[3] = { rest[i].x, rest[i].y, rest[i].z };
        const double n[3] = { now[i].x, now[i].y, now[i].z };
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++) b[x][y] += weight[i] * n[x] * r[y];
        shift += weight[i] * mry_vec_length(rest[i]) * mry_vec_length(now[i]);
    }
    double trace = b[0][0] + b[1][1] + b[2][2];
    k[0][0] = trace;
    for (int x = 0; x < 3; x++) {
        int y = (x + 1) % 3, z = (x + 2) % 3;
        k[0][x + 1] = k[x + 1][0] = b[z][y] - b[y][z];
        for (int c = 0; c < 3; c++) k[x + 1][c + 1] = b[x][c] + b[c][x] - (x == c ? trace : 0);
    }
    for (int step = 0; step < 20000; step++) {
        double next[4] = { 0 }, size = 0;
        for (int i = 0; i < 4; i++) {
            for (int c = 0; c < 4; c++) next[i] += k[i][c] * v[c];
            next[i] += shift * v[i];
            size += next[i] * next[i];
        }
        value = sqrt(size) - shift;
        for (int i = 0; i < 4; i++) v[i] = next[i] / sqrt(size);
    }
    return value;
}

TEST(the_fitted_rotation_is_the_best_one)
{
    uint64_t seed = 7;
    for (int trial = 0; trial < 200; trial++) {
        mry_vec rest[5], now[5];
        double weight[5], gained = 0;
        int count = 2 + trial % 4;
        mry_vec axis = mry_vec_unit(random_vec(&seed));
        mry_rot turn = mry_rot_about(axis.x, axis.y, axis.z, 6.28 * test_chance(&seed));
        for (int i = 0; i < count; i++) {
            rest[i] = random_vec(&seed);
            now[i] = mry_rot_apply(turn, rest[i]);
            /* Noise up to as large as what is fitted, and none. */
            now[i] = mry_vec_add(now[i], mry_vec_scale(random_vec(&seed), 0.3 * (trial % 4)));
            weight[i] = i == 1 && trial % 3 == 0 ? 0.02 : 1;
        }
        mry_rot found = mry_solve_fit(rest, now, weight, count);
        for (int i = 0; i < count; i++)
            gained += weight[i] * mry_vec_dot(mry_rot_apply(found, rest[i]), now[i]);
        double best = davenport(rest, now, weight, count);
        if (trial % 4 < 2) test_near(gained, best, 1e-6);
        assert_true(gained <= best + 1e-6);
        assert_true(gained > 0.98 * best - 1e-6);
    }
}

/* ---- forgotten rotations ---------------------------------------------------------------------- */

TEST_CTX(demo_takes_are_found_again_from_their_joints)
{
    for (int take = 0; take < marey_demo_count(); take += 4) {
        OWNED(marey_demo_take) *made = test_demo_take(ctx, marey_demo_name(take));
        const marey_clip *source = marey_demo_clip(made);
        OWNED(cloud) c = cloud_of(source);
        OWNED(marey_solve_report) report = { 0 };
        OWNED(marey_clip) *clip = solved(ctx, &c, NULL, &report);
        assert_true(apart(source, clip) < 0.01);
        assert_true(report.mean_error_cm < 0.002 && report.p99_error_cm < 0.01);
        assert_true(report.noise_cm < 0.01);
        assert_int_equal(report.gap_count, 0);
        /* Bones are constant: only the root has a place of its own. */
        assert_int_equal(clip->mover_count, 1);
        for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
            int was = source->skeleton.roles[role], is = clip->skeleton.roles[role];
            assert_int_equal(was < 0, is < 0);
            if (was >= 0) assert_string_equal(source->joints[was].name, clip->joints[is].name);
        }
        int last = marey_clip_frames(source);
        assert_true(leap(clip, 0, last) < 1.5 * leap(source, 0, last) + 2);
    }
}

TEST_CTX(the_rest_pose_is_a_t_pose_that_faces_z)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 100);
    OWNED(cloud) c = cloud_of(source);
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, NULL);
    double at[64][3] = { { 0 } };
    for (int j = 1; j < clip->skeleton.joint_count; j++)
        for (int i = 0; i < 3; i++)
            at[j][i] = at[clip->joints[j].parent][i] + clip->joints[j].offset_cm[i];
    const int *role = clip->skeleton.roles;
    const double *wrist = at[role[MAREY_ROLE_LEFT_WRIST]];
    const double *shoulder = at[role[MAREY_ROLE_LEFT_SHOULDER]];
    assert_true(wrist[0] - shoulder[0] > 20 && fabs(wrist[1] - shoulder[1]) < 0.01);
    assert_true(at[role[MAREY_ROLE_RIGHT_WRIST]][0] < -20);
    assert_true(at[role[MAREY_ROLE_HEAD]][1] > 20);
    assert_true(at[role[MAREY_ROLE_LEFT_ANKLE]][1] < -50);
    assert_true(at[role[MAREY_ROLE_LEFT_TOE]][2] > at[role[MAREY_ROLE_LEFT_ANKLE]][2] + 3);
    OWNED(marey_clip) *mirrored = NULL;
    test_ok(marey_clip_mirror(clip, &mirrored, &test_error));
}

/* Rows of the small person: standing, with bent or straight limbs, turned by `turns` rounds. */
static marey_clip *turning_person(marey_ctx *ctx, int frames, double turns, double bend)
{
    FREED double *rows = calloc((size_t)frames * TEST_PERSON_ROW, sizeof *rows);
    OWNED(marey_clip) *plain = test_person_clip(ctx, 2);
    for (int f = 0; f < frames; f++) {
        double *row = rows + (size_t)f * TEST_PERSON_ROW;
        row[1] = 90;
        row[4] = 360 * turns * f / (frames - 1); /* y of the root */
        for (int role = MAREY_ROLE_LEFT_ELBOW; bend > 0 && role < MAREY_ROLE_COUNT; role++) {
            int j = plain->skeleton.roles[role];
            bool elbow = role == MAREY_ROLE_LEFT_ELBOW || role == MAREY_ROLE_RIGHT_ELBOW;
            bool knee = role == MAREY_ROLE_LEFT_KNEE || role == MAREY_ROLE_RIGHT_KNEE;
            double wave = bend * (0.6 + 0.4 * sin(0.1 * f));
            if (elbow) row[3 + 3 * j + 1] = role == MAREY_ROLE_LEFT_ELBOW ? -wave : wave;
            if (knee) row[3 + 3 * j + 2] = wave;
        }
    }
    FREED char *text = test_person_posed(rows, frames, 60, 1, false);
    return test_clip(ctx, text);
}

TEST_CTX(nothing_flips_through_two_whole_turns)
{
    for (int bent = 0; bent < 2; bent++) {
        OWNED(marey_clip) *source = turning_person(ctx, 241, 2, bent ? 80 : 0);
        OWNED(cloud) c = cloud_of(source);
        OWNED(marey_clip) *clip = solved(ctx, &c, NULL, NULL);
        assert_true(apart(source, clip) < 0.01);
        /* The root turns by 3 degrees a frame, knees and elbows by 4 at most. */
        assert_true(leap(clip, 0, 241) < 5);
    }
}

TEST_CTX(knees_and_elbows_bend_as_hinges)
{
    OWNED(marey_clip) *source = turning_person(ctx, 200, 0.5, 70);
    OWNED(cloud) c = cloud_of(source);
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, NULL);
    const int *role = clip->skeleton.roles;
    for (int f = 20; f < 180; f += 10) {
        const float *knee = mry_turn(clip, f) + 4 * role[MAREY_ROLE_LEFT_KNEE];
        const float *left = mry_turn(clip, f) + 4 * role[MAREY_ROLE_LEFT_ELBOW];
        const float *right = mry_turn(clip, f) + 4 * role[MAREY_ROLE_RIGHT_ELBOW];
        assert_true(knee[1] * knee[0] > 0.1 && fabsf(knee[2]) < 0.02f && fabsf(knee[3]) < 0.02f);
        assert_true(left[2] * left[0] < -0.1 && fabsf(left[1]) < 0.02f && fabsf(left[3]) < 0.02f);
        assert_true(right[2] * right[0] > 0.1 && fabsf(right[1]) < 0.02f);
    }
}

/* ---- gaps and noise --------------------------------------------------------------------------- */

TEST_CTX(gaps_are_filled_and_reported)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 240);
    OWNED(cloud) c = cloud_of(source);
    int wrist = source->skeleton.roles[MAREY_ROLE_LEFT_WRIST];
    int knee = source->skeleton.roles[MAREY_ROLE_RIGHT_KNEE];
    lose(&c, knee, 50, 56);    /* a tenth of a second */
    lose(&c, wrist, 100, 160); /* a second */
    lose(&c, wrist, 230, 240); /* to the end */
    point(&c, 20, wrist)[1] = INFINITY;
    OWNED(marey_solve_report) report = { 0 };
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, &report);
    const marey_solve_gap wanted[] = {
        { wrist, 20, 21 }, { wrist, 100, 160 }, { wrist, 230, 240 }, { knee, 50, 56 }
    };
    assert_int_equal(report.gap_count, 4);
    int first = wrist < knee ? 0 : 1;
    for (int i = 0; i < 4; i++) {
        const marey_solve_gap *gap = &wanted[(i + (first ? 3 : 0)) % 4];
        assert_string_equal(clip->joints[report.gaps[i].joint].name,
                            source->joints[gap->joint].name);
        assert_int_equal(report.gaps[i].start, gap->start);
        assert_int_equal(report.gaps[i].end, gap->end);
    }
    assert_int_equal(test_marks(clip), test_marks(source));
    for (int f = 0; f < 240; f++) {
        FREED double *a = test_positions(source, f), *b = test_positions(clip, f);
        double off = 0, limit = f >= 50 && f < 56 ? 0.5 : 0.01;
        for (int j = 0; j < source->skeleton.joint_count; j++)
            if (j != wrist || f < 20 || (f > 20 && f < 100))
                for (int i = 0; i < 3; i++)
                    off = fmax(off, fabs(a[3 * j + i] - b[3 * joint_named(clip, c.names[j]) + i]));
        if (f < 100 || f >= 160) assert_true(off < limit + (f >= 230 ? 100 : 0));
    }
    assert_true(leap(clip, 0, 240) < 1.5 * leap(source, 0, 240) + 2);
}

TEST_CTX(frames_that_saw_nothing_are_marked)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 120);
    OWNED(cloud) c = cloud_of(source);
    for (int j = 0; j < c.points.count; j++) lose(&c, j, 40, 60);
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, NULL);
    assert_int_equal(test_marks(clip), 1);
    test_check_mark(clip, 0, MAREY_MARK_DROPOUT, 40, 60);
}

static double gaussian(uint64_t *seed)
{
    return sqrt(-2 * log(test_chance(seed) + 1e-12)) * cos(6.283185307 * test_chance(seed));
}

TEST_CTX(noise_is_measured_and_smoothed)
{
    uint64_t seed = 3;
    OWNED(marey_clip) *source = test_person_clip(ctx, 600);
    OWNED(cloud) c = cloud_of(source);
    size_t all = (size_t)c.points.frames * (size_t)c.points.count * 3;
    for (size_t i = 0; i < all; i++) c.at[i] += (float)(0.5 * gaussian(&seed));
    for (int j = 0; j < c.points.count; j++) point(&c, 0, j)[0] += 200; /* not smoothed across */
    OWNED(marey_solve_report) report = { 0 };
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, &report);
    test_near(report.noise_cm, 0.5, 0.05);
    double sum = 0, count = 0;
    for (int f = 0; f < 600; f += f < 7 ? 1 : 7) {
        FREED double *a = test_positions(source, f), *b = test_positions(clip, f);
        if (f == 0) assert_true(fabs(b[0] - a[0] - 200) < 2);
        if (f == 0) continue;
        if (f < 7) assert_true(fabs(b[0] - a[0]) < 2);
        for (int j = 0; j < source->skeleton.joint_count; j++) {
            const double *p = a + 3 * j, *q = b + 3 * joint_named(clip, c.names[j]);
            sum += hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
            count++;
        }
    }
    assert_true(sum / count < 0.4); /* half of what the noise is: 0.8 */
}

/* ---- trees ------------------------------------------------------------------------------------ */

TEST_CTX(every_preset_makes_a_clip_of_as_many_points)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (int i = 0; marey_solve_preset_name(i); i++) {
        const mry_solve_preset *row = mry_solve_preset_at(i);
        assert_true(strlen(marey_solve_preset_about(i)) > 10);
        if (!row->points) continue;
        int count = 1;
        for (const char *p = row->points; *p; p++) count += *p == ' ';
        FREED float *at = calloc((size_t)count * 3, sizeof *at);
        FREED const char **names = calloc((size_t)count, sizeof *names);
        for (int k = 0; k < count; k++) {
            names[k] = "";
            for (int d = 0; d < 3; d++) at[3 * k + d] = (float)(7 * k % (11 + d));
        }
        marey_points points = { .name = "p",
                                .format = "npy",
                                .frames = 1,
                                .count = count,
                                .names = names,
                                .at = at,
                                .fps = 30 };
        mry_solve_tree tree = { 0 };
        test_ok(mry_solve_tree_find(&mem, &points, &(marey_solve_def){ .preset = row->name }, &tree,
                                    &test_error));
        assert_string_equal(tree.preset, row->name);
        /* Every point is used. */
        for (int k = 0; k < count; k++) {
            bool used = false;
            for (int p = 0; p < tree.first[tree.count]; p++) used |= tree.point[p] == k;
            assert_true(used);
        }
        for (int j = 1; j < tree.count; j++) assert_in_range(tree.parent[j], 0, j - 1);
        points.count--;
        test_refused_about(mry_solve_tree_find(&mem, &points,
                                               &(marey_solve_def){ .preset = row->name }, &tree,
                                               &test_error),
                           MAREY_ERR_REQUEST, row->name);
    }
}

/* The small person as 22 points of SMPL without names or parents, some of them halfway. */
static cloud smpl_cloud(const marey_clip *source)
{
    static const char *const names[22][2] = { { "Hips", "Hips" },
                                              { "LeftUpLeg", "LeftUpLeg" },
                                              { "RightUpLeg", "RightUpLeg" },
                                              { "Hips", "Spine" },
                                              { "LeftLeg", "LeftLeg" },
                                              { "RightLeg", "RightLeg" },
                                              { "Spine", "Spine" },
                                              { "LeftFoot", "LeftFoot" },
                                              { "RightFoot", "RightFoot" },
                                              { "Spine1", "Spine1" },
                                              { "LeftToeBase", "LeftToeBase" },
                                              { "RightToeBase", "RightToeBase" },
                                              { "Neck", "Neck" },
                                              { "LeftShoulder", "LeftShoulder" },
                                              { "RightShoulder", "RightShoulder" },
                                              { "Head", "Head" },
                                              { "LeftArm", "LeftArm" },
                                              { "RightArm", "RightArm" },
                                              { "LeftForeArm", "LeftForeArm" },
                                              { "RightForeArm", "RightForeArm" },
                                              { "LeftHand", "LeftHand" },
                                              { "RightHand", "RightHand" } };
    cloud c = cloud_of(source), out = { 0 };
    size_t frames = (size_t)c.points.frames;
    out.at = malloc(frames * 66 * sizeof *out.at);
    out.names = malloc(22 * sizeof *out.names);
    out.points = c.points;
    out.points.count = 22;
    out.points.names = out.names;
    out.points.at = out.at;
    out.points.parents = NULL;
    out.points.format = "npy";
    for (int k = 0; k < 22; k++) {
        int a = joint_named(source, names[k][0]), b = joint_named(source, names[k][1]);
        out.names[k] = "";
        for (size_t f = 0; f < frames; f++)
            for (int i = 0; i < 3; i++)
                point(&out, (int)f, k)[i] = (point(&c, (int)f, a)[i] + point(&c, (int)f, b)[i]) / 2;
    }
    cloud_free(&c);
    return out;
}

TEST_CTX(points_without_names_are_known_by_their_number)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 120);
    OWNED(cloud) c = smpl_cloud(source);
    OWNED(marey_solve_report) report = { 0 };
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, &report);
    assert_string_equal(report.preset, "smpl22");
    assert_true(report.mean_error_cm < 0.2);
    assert_int_equal(clip->skeleton.roles[MAREY_ROLE_LEFT_KNEE], joint_named(clip, "left_knee"));
    /* In another order bones do not keep their lengths, and points are joined by their distances. */
    for (int f = 0; f < 120; f++)
        for (int k = 0; k < 11; k++)
            for (int i = 0; i < 3; i++) {
                float *a = &point(&c, f, k)[i], *b = &point(&c, f, 21 - k)[i], swap = *a;
                *a = *b;
                *b = swap;
            }
    marey_solve_report_free(&report);
    OWNED(marey_clip) *joined = solved(ctx, &c, NULL, &report);
    assert_string_equal(report.preset, "");
    assert_true(report.mean_error_cm < 0.2);
}

TEST_CTX(a_map_says_which_points_are_joints)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 60);
    OWNED(cloud) c = cloud_of(source);
    c.points.format = "c3d";
    c.points.parents = NULL;
    c.names[0] = "Sacrum"; /* no preset has all the names */
    test_refused_about(marey_points_solve(ctx, &c.points, NULL, &(marey_clip *){ NULL },
                                          &(marey_solve_report){ 0 }, &test_error),
                       MAREY_ERR_REQUEST, "--map");
    const char *map = "# a leg\npelvis,,LeftUpLeg+RightUpLeg\n\n"
                      "left_hip, pelvis, leftupleg # the left one\r\n"
                      "right_hip,pelvis,RightUpLeg\nleft_knee,left_hip,Left_Leg";
    OWNED(marey_clip) *clip = solved(ctx, &c, &(marey_solve_def){ .map = map }, NULL);
    assert_int_equal(clip->skeleton.joint_count, 4);
    static const struct {
        const char *map, *words;
    } bad[] = {
        { "", "a line for every joint" },
        { "pelvis", "line 1 must be joint,parent,point+point" },
        { "a,,Head\nb,c,Neck", "line 2 must hang on a joint of a line before it, got c" },
        { "a,,Head\na,a,Neck", "line 2 must name a joint that no line before it has" },
        { "a,,Head+Nose", "got \"Nose\"" },
        { "a,,Head\nb,,Neck", "one root" },
        { "a,,", "got \"\"" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        test_refused_about(
            marey_points_solve(ctx, &c.points, &(marey_solve_def){ .map = bad[i].map },
                               &(marey_clip *){ NULL }, &(marey_solve_report){ 0 }, &test_error),
            i == 5 ? MAREY_ERR_INPUT : MAREY_ERR_REQUEST, bad[i].words);
}

/* ---- what keeps no length ---------------------------------------------------------------------- */

/* Room for one more point in front of the others, on which they hang. */
static cloud below_root(const cloud *c)
{
    cloud out = { .at = malloc(sizeof *out.at * 3 * (size_t)c->points.frames *
                               (size_t)(c->points.count + 1)),
                  .names = malloc(sizeof *out.names * (size_t)(c->points.count + 1)),
                  .parents = malloc(sizeof *out.parents * (size_t)(c->points.count + 1)) };
    out.points = c->points;
    out.points.count++;
    out.points.names = out.names;
    out.points.parents = out.parents;
    out.points.at = out.at;
    out.names[0] = "floor";
    out.parents[0] = -1;
    for (int j = 0; j < c->points.count; j++) {
        out.names[j + 1] = c->names[j];
        out.parents[j + 1] = c->parents[j] + 1;
        for (int f = 0; f < c->points.frames; f++)
            memcpy(point(&out, f, j + 1), point(c, f, j), 3 * sizeof(float));
    }
    for (int f = 0; f < c->points.frames; f++) memset(point(&out, f, 0), 0, 3 * sizeof(float));
    return out;
}

TEST_CTX(hips_above_a_root_on_the_floor_move_freely)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 200);
    OWNED(cloud) c = cloud_of(source);
    OWNED(cloud) standing = below_root(&c);
    OWNED(marey_clip) *clip = solved(ctx, &standing, NULL, NULL);
    assert_int_equal(clip->mover_count, 2);
    assert_int_equal(clip->mover[1], joint_named(clip, "Hips"));
    assert_true(apart(source, clip) < 0.01);
}

TEST_CTX(what_keeps_no_place_hangs_on_a_joint_of_its_own)
{
    OWNED(marey_clip) *source = turning_person(ctx, 120, 0.5, 60);
    OWNED(cloud) c = cloud_of(source);
    int neck = joint_named(source, "Neck"), hips = joint_named(source, "Hips");
    /* The neck leans to and fro at a constant distance from the hips, which it hangs on. */
    for (int f = 0; f < 120; f++) {
        double lean = 0.5 * sin(0.2 * f);
        float *to = point(&c, f, neck), *from = point(&c, f, hips);
        to[0] = from[0];
        to[1] = from[1] + (float)(50 * cos(lean));
        to[2] = from[2] + (float)(50 * sin(lean));
    }
    const char *map = "hips,,Hips\nleft_hip,hips,LeftUpLeg\nright_hip,hips,RightUpLeg\n"
                      "left_knee,left_hip,LeftLeg\nneck,hips,Neck\n";
    OWNED(marey_solve_report) report = { 0 };
    OWNED(marey_clip) *clip = solved(ctx, &c, &(marey_solve_def){ .map = map }, &report);
    int base = joint_named(clip, "neck_base");
    assert_int_equal(clip->skeleton.joint_count, 6);
    assert_int_equal(clip->joints[base].parent, 0);
    assert_int_equal(clip->joints[joint_named(clip, "neck")].parent, base);
    for (int i = 0; i < 3; i++) assert_true(clip->joints[base].offset_cm[i] == 0);
    assert_true(report.p99_error_cm < 0.01);
}

TEST_CTX(a_chest_whose_children_are_at_one_place_turns_with_the_shoulders)
{
    OWNED(marey_clip) *source = turning_person(ctx, 121, 1, 0);
    OWNED(cloud) c = cloud_of(source);
    const char *map = "hips,,Hips\nchest,hips,Spine1\nneck,chest,Neck\nleft,chest,Neck\n"
                      "right,chest,Neck\nhead,neck,Head\nleft_arm,left,LeftArm\n"
                      "right_arm,right,RightArm\n";
    OWNED(marey_clip) *clip = solved(ctx, &c, &(marey_solve_def){ .map = map }, NULL);
    int chest = joint_named(clip, "chest"), left = joint_named(clip, "left");
    for (int f = 1; f < 121; f++) {
        const float *a = mry_turn(clip, f - 1) + 4 * left, *b = mry_turn(clip, f) + 4 * left;
        assert_true(fabsf(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]) > 0.9999f);
    }
    /* Half a turn of the body is one of hips and chest together. */
    const float *hips = mry_turn(clip, 60), *own = hips + 4 * chest;
    const float *hips_0 = mry_turn(clip, 0), *own_0 = hips_0 + 4 * chest;
    mry_rot now = mry_rot_times((mry_rot){ hips[0], hips[1], hips[2], hips[3] },
                                (mry_rot){ own[0], own[1], own[2], own[3] });
    mry_rot then = mry_rot_times((mry_rot){ hips_0[0], hips_0[1], hips_0[2], hips_0[3] },
                                 (mry_rot){ own_0[0], own_0[1], own_0[2], own_0[3] });
    mry_rot turn = mry_rot_times(now, mry_rot_back(then));
    assert_true(fabs(turn.w) < 0.02 && fabs(turn.y) > 0.99);
}

TEST_CTX(a_bone_that_is_too_long_now_and_then_shares_its_error)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 100);
    OWNED(cloud) c = cloud_of(source);
    const int *role = source->skeleton.roles;
    int knee = role[MAREY_ROLE_LEFT_KNEE], ankle = role[MAREY_ROLE_LEFT_ANKLE];
    for (int f = 40; f < 44; f++) { /* the shank by a tenth; what hangs on it is moved along */
        for (int i = 0; i < 3; i++) {
            float more = 0.1f * (point(&c, f, ankle)[i] - point(&c, f, knee)[i]);
            for (int j = ankle; j <= role[MAREY_ROLE_LEFT_TOE]; j++) point(&c, f, j)[i] += more;
        }
    }
    OWNED(marey_clip) *clip = solved(ctx, &c, NULL, NULL);
    FREED double *is = test_positions(clip, 42);
    int named = joint_named(clip, c.names[ankle]);
    double off = 0, moved = 0;
    for (int i = 0; i < 3; i++) {
        off += pow(is[3 * named + i] - point(&c, 42, ankle)[i], 2);
        moved += pow(0.1 / 1.1 * (point(&c, 42, ankle)[i] - point(&c, 42, knee)[i]), 2);
    }
    assert_true(sqrt(moved) > 3 && sqrt(off) < 0.85 * sqrt(moved));
}

/* ---- odd points ------------------------------------------------------------------------------- */

TEST_CTX(odd_points_give_a_clip_or_a_reason)
{
    OWNED(marey_clip) *source = test_person_clip(ctx, 40);
    marey_clip *clip = NULL;
    marey_solve_report report = { 0 };
    {
        OWNED(cloud) c = cloud_of(source); /* one frame */
        c.points.frames = 1;
        OWNED(marey_clip) *one = solved(ctx, &c, NULL, NULL);
        assert_int_equal(marey_clip_frames(one), 1);
        c.points.count = 1; /* one point */
        OWNED(marey_clip) *dot = solved(ctx, &c, NULL, NULL);
        assert_int_equal(marey_clip_skeleton(dot)->joint_count, 1);
        c.points.fps = 0;
        test_refused_about(marey_points_solve(ctx, &c.points, NULL, &clip, &report, &test_error),
                           MAREY_ERR_REQUEST, "--source-fps");
        test_refused_about(marey_points_solve(ctx, &c.points, &(marey_solve_def){ .fps = 1e9 },
                                              &clip, &report, &test_error),
                           MAREY_ERR_REQUEST, "10000");
    }
    {
        OWNED(cloud) c = cloud_of(source); /* all in one place */
        memset(c.at, 0, sizeof *c.at * 40 * 3 * (size_t)c.points.count);
        OWNED(marey_clip) *still = solved(ctx, &c, NULL, NULL);
        assert_int_equal(marey_clip_frames(still), 40);
    }
    {
        OWNED(marey_clip) *turning = turning_person(ctx, 200, 2, 60);
        OWNED(cloud) c = cloud_of(turning); /* flat, as a camera sees it */
        OWNED(marey_clip) *whole = solved(ctx, &c, NULL, NULL);
        for (int i = 0; i < 200 * c.points.count; i++) c.at[3 * i + 2] = 0;
        OWNED(marey_clip) *flat = solved(ctx, &c, NULL, NULL);
        assert_int_equal(test_warnings_with(whole, "the distances of a body"), 0);
        assert_int_equal(test_warnings_with(flat, "the distances of a body"), 1);
    }
    {
        OWNED(cloud) c = cloud_of(source); /* a leaf that is never seen, and a joint on the way */
        lose(&c, source->skeleton.roles[MAREY_ROLE_LEFT_TOE], 0, 40);
        OWNED(marey_clip) *less = solved(ctx, &c, NULL, NULL);
        assert_int_equal(marey_clip_skeleton(less)->joint_count, c.points.count - 1);
        assert_int_equal(test_warnings_with(less, "left out"), 1);
        FREED double *is = test_positions(less, 30);
        for (int j = 0; j < less->skeleton.joint_count; j++)
            for (int i = 0; i < 3; i++)
                test_near(is[3 * j + i],
                          point(&c, 30, joint_named(source, less->joints[j].name))[i], 0.01);
        lose(&c, source->skeleton.roles[MAREY_ROLE_LEFT_KNEE], 0, 40);
        test_refused_about(marey_points_solve(ctx, &c.points, NULL, &clip, &report, &test_error),
                           MAREY_ERR_INPUT, "is seen in no frame");
        for (int j = 0; j < c.points.count; j++) lose(&c, j, 0, 40);
        test_refused_about(marey_points_solve(ctx, &c.points, NULL, &clip, &report, &test_error),
                           MAREY_ERR_INPUT, "is seen in no frame");
    }
    {
        OWNED(cloud) c = cloud_of(source); /* parents in a circle, and two roots */
        c.parents[0] = 3;
        test_refused_about(marey_points_solve(ctx, &c.points, NULL, &clip, &report, &test_error),
                           MAREY_ERR_INPUT, "a circle");
        c.parents[0] = c.parents[3] = -1;
        test_refused_about(marey_points_solve(ctx, &c.points, NULL, &clip, &report, &test_error),
                           MAREY_ERR_INPUT, "one root");
        test_refused_about(marey_points_solve(ctx, &c.points, &(marey_solve_def){ .preset = "nao" },
                                              &clip, &report, &test_error),
                           MAREY_ERR_REQUEST, "nao");
    }
    assert_null(clip);
}

/* ---- memory and threads ----------------------------------------------------------------------- */

TEST(refused_memory_is_reported_and_leaves_nothing)
{
    OWNED(marey_ctx) *plain = test_ctx();
    OWNED(marey_clip) *source = test_person_clip(plain, 30);
    OWNED(cloud) c = cloud_of(source);
    lose(&c, 5, 10, 15);
    for (int i = 0; i < 30 * 3 * c.points.count; i++) c.at[i] += (float)(i * 7919 % 13) * 0.05f;
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (int named = 0; named < 2; named++) {
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            marey_clip *clip = NULL;
            marey_solve_report report = { 0 };
            c.points.parents = named ? NULL : c.parents;
            status = marey_points_solve(ctx, &c.points, NULL, &clip, &report, NULL);
            assert_int_equal(clip == NULL, status != MAREY_OK);
            marey_clip_free(clip);
            marey_solve_report_free(&report);
        }
    }
}

TEST(cancelling_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    test_stops stops = { .memory = &memory };
    marey_ctx_def def = { .threads = 1,
                          .progress = test_stops_report,
                          .progress_user = &stops,
                          .resize = test_memory_resize,
                          .resize_user = &memory };
    OWNED(marey_ctx) *plain = test_ctx();
    OWNED(marey_clip) *source = test_person_clip(plain, 30);
    OWNED(cloud) c = cloud_of(source);
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&def, &ctx));
    stops.ctx = ctx;
    marey_status status = MAREY_OK;
    while (test_stop(&stops, status)) {
        marey_clip *clip = NULL;
        marey_solve_report report = { 0 };
        status = marey_points_solve(ctx, &c.points, NULL, &clip, &report, NULL);
        marey_clip_free(clip);
        marey_solve_report_free(&report);
    }
}

TEST(the_same_clip_comes_of_any_number_of_threads)
{
    OWNED(marey_ctx) *one = test_ctx();
    OWNED(marey_clip) *source = test_person_clip(one, 700);
    OWNED(cloud) c = cloud_of(source);
    uint64_t seed = 5;
    for (int i = 0; i < 700 * 3 * c.points.count; i++) c.at[i] += (float)(0.3 * gaussian(&seed));
    OWNED(marey_clip) *first = solved(one, &c, NULL, NULL);
    OWNED(marey_ctx) *four = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &four));
    OWNED(marey_clip) *second = solved(four, &c, NULL, NULL);
    size_t turns = 700 * sizeof(float) * 4 * (size_t)first->skeleton.joint_count;
    assert_memory_equal(first->turn, second->turn, turns);
    assert_memory_equal(first->place, second->place, 700 * 3 * sizeof(double));
}

TEST_GROUP_OF_CASES(test_solve, NULL, NULL)
