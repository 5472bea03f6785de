/* test_asfamc_judge.c - ASF/AMC against two judges: a second reader with matrices in double, for
   every AMC file there is, and the same trials as BVH. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_joint(const marey_clip *clip, const char *name)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    for (int j = 0; j < skeleton->joint_count; j++)
        if (strcmp(skeleton->joints[j].name, name) == 0) return j;
    fail_msg("no joint %s", name);
    return -1;
}

/* ---- the judge: line by line with sscanf, placed by recursion -------------------------------- */

enum { MOST_BONES = 64 };

typedef struct judge_bone {
    char name[32];
    double direction[3], length, axis[3];
    char dof[3][4];
    int dofs, parent;
    double c[3][3];  /* its axes */
    double m[3][3];  /* this frame's rotation */
    double g[3][3];  /* global */
    double start[3]; /* where its joint is */
    double end[3];
} judge_bone;

typedef struct judge {
    judge_bone bones[MOST_BONES]; /* the first is the root */
    int count;
} judge;

static void multiply(double a[3][3], double b[3][3], double out[3][3])
{
    double made[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            made[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
    }
    memcpy(out, made, sizeof made);
}

static void about(int axis, double degrees, double out[3][3])
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double s = sin(degrees * acos(-1) / 180), c = cos(degrees * acos(-1) / 180);
    memset(out, 0, 9 * sizeof(double));
    out[axis][axis] = 1;
    out[a][a] = out[b][b] = c;
    out[b][a] = s;
    out[a][b] = -s;
}

/* Rz Ry Rx: x is applied first. */
static void xyz(const double *degrees, double out[3][3])
{
    double x[3][3], y[3][3];
    about(0, degrees[0], x);
    about(1, degrees[1], y);
    about(2, degrees[2], out);
    multiply(out, y, out);
    multiply(out, x, out);
}

static int judge_find(const judge *j, const char *name)
{
    for (int b = 0; b < j->count; b++)
        if (strcmp(j->bones[b].name, name) == 0) return b;
    fail_msg("the judge knows no %s", name);
    return -1;
}

static void judge_bone_line(judge *j, const char *line)
{
    judge_bone *b = &j->bones[j->count - 1];
    if (strstr(line, "begin")) {
        assert_true(j->count < MOST_BONES);
        j->bones[j->count++] = (judge_bone){ 0 };
        return;
    }
    sscanf(line, " name %31s", b->name);
    sscanf(line, " direction %lf %lf %lf", &b->direction[0], &b->direction[1], &b->direction[2]);
    sscanf(line, " length %lf", &b->length);
    int dofs = sscanf(line, " dof %3s %3s %3s", b->dof[0], b->dof[1], b->dof[2]);
    if (dofs > 0) b->dofs = dofs;
    if (sscanf(line, " axis %lf %lf %lf", &b->axis[0], &b->axis[1], &b->axis[2]) == 3)
        xyz(b->axis, b->c);
}

static void judge_hierarchy_line(judge *j, char *line)
{
    const char *word = strtok(line, " \t\r\n");
    if (!word || strcmp(word, "begin") == 0 || strcmp(word, "end") == 0) return;
    int parent = judge_find(j, word);
    while ((word = strtok(NULL, " \t\r\n"))) j->bones[judge_find(j, word)].parent = parent;
}

static judge *judge_read(const char *path)
{
    judge *j = calloc(1, sizeof *j);
    char line[1024], section = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    strcpy(j->bones[j->count++].name, "root");
    j->bones[0].parent = -1;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == ':') {
            section = line[1];
        } else if (section == 'b') {
            judge_bone_line(j, line);
        } else if (section == 'h') {
            judge_hierarchy_line(j, line);
        }
    }
    fclose(file);
    return j;
}

static void judge_place(judge *j, int b)
{
    judge_bone *bone = &j->bones[b];
    if (b > 0) {
        judge_bone *parent = &j->bones[bone->parent];
        double back[3][3];
        for (int i = 0; i < 9; i++) back[i / 3][i % 3] = bone->c[i % 3][i / 3];
        multiply(parent->g, bone->c, bone->g);
        multiply(bone->g, bone->m, bone->g);
        multiply(bone->g, back, bone->g);
        memcpy(bone->start, parent->end, sizeof bone->start);
        for (int i = 0; i < 3; i++) {
            bone->end[i] = bone->start[i];
            for (int k = 0; k < 3; k++)
                bone->end[i] += bone->g[i][k] * bone->direction[k] * bone->length;
        }
    }
    for (int child = 1; child < j->count; child++)
        if (j->bones[child].parent == b) judge_place(j, child);
}

static void judge_motion_line(judge *j, const char *line)
{
    char name[32];
    int used = 0;
    if (sscanf(line, "%31s %n", name, &used) != 1) return;
    judge_bone *bone = &j->bones[judge_find(j, name)];
    double v[6] = { 0 }, angles[3] = { 0 };
    sscanf(line + used, "%lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]);
    if (bone == j->bones) {
        memcpy(bone->end, v, sizeof bone->end);
        memcpy(bone->start, v, sizeof bone->start);
        xyz(v + 3, bone->g);
        return;
    }
    for (int d = 0; d < bone->dofs; d++) angles[bone->dof[d][1] - 'x'] = v[d];
    xyz(angles, bone->m);
}

typedef struct verdict {
    double worst; /* distance over height */
    long frames;
    int files;
} verdict;

static void compare_frame(const judge *j, const marey_clip *clip, int frame, const int *joints,
                          verdict *v)
{
    double points[3 * MOST_BONES], height = marey_clip_report(clip)->height_cm;
    marey_clip_positions(clip, frame, 1, points);
    for (int b = 0; b < j->count; b++) {
        double off = 0;
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(points[3 * joints[b] + i] - j->bones[b].start[i]));
        v->worst = fmax(v->worst, off / height);
    }
}

static void judge_file(const char *asf, const char *amc, verdict *v)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_clip_load_raw(ctx, amc);
    FREED judge *j = judge_read(asf);
    assert_int_equal(j->count, marey_clip_skeleton(clip)->joint_count);
    /* A line of nothing but digits begins a frame. */
    char line[1024];
    int frame = -1, joints[MOST_BONES];
    FILE *file = fopen(amc, "r");
    for (int b = 0; b < j->count; b++) {
        double none[3] = { 0 };
        joints[b] = find_joint(clip, j->bones[b].name);
        xyz(none, j->bones[b].m);
    }
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == ':') continue;
        if (line[0] < '0' || line[0] > '9') {
            judge_motion_line(j, line);
            continue;
        }
        if (frame++ < 0) continue;
        judge_place(j, 0);
        compare_frame(j, clip, frame - 1, joints, v);
    }
    judge_place(j, 0);
    compare_frame(j, clip, frame, joints, v);
    fclose(file);
    assert_int_equal(marey_clip_frames(clip), frame + 1);
    v->frames += frame + 1;
    v->files++;
}

/* ---- real files ------------------------------------------------------------------------------ */

static const char *const classes[] = { "depositFloorR",
                                       "elbowToKnee1RepsLelbowStart",
                                       "grabHighR",
                                       "hopBothLegs1hops",
                                       "jogLeftCircle4StepsRstart",
                                       "kickLFront1Reps",
                                       "lieDownFloor",
                                       "rotateArmsBothBackward1Reps",
                                       "sneak2StepsLStart",
                                       "squat1Reps",
                                       "throwBasketball" };
enum { CLASSES = sizeof classes / sizeof *classes };

static int each_cut(void (*visit)(void *, const char *), void *user)
{
    int count = 0;
    for (int c = 0; c < CLASSES; c++) {
        char below[200];
        snprintf(below, sizeof below, "hdm05/%s", classes[c]);
        count += test_mocap_each(below, ".amc", visit, user);
    }
    return count;
}

static void mocap_path(char *path, size_t room, const char *file)
{
    snprintf(path, room, "%s/%s", test_mocap_folder(), file);
}

static void judge_cut(void *user, const char *path)
{
    char asf[2048];
    mocap_path(asf, sizeof asf, "hdm05/HDM_bd.asf");
    judge_file(asf, path, user);
}

/* What marey writes: from its own bones, and with degrees of freedom as they were read. */
TEST(written_files_are_read_by_the_judge_as_by_marey)
{
    char folder[256], asf[300], amc[300];
    verdict v = { 0 };
    OWNED(marey_ctx) *ctx = test_ctx();
    test_folder_make(folder, sizeof folder);
    for (int i = 0; i < (test_mocap_folder() ? 2 : 1); i++) {
        snprintf(asf, sizeof asf, "%s/%d.asf", folder, i);
        snprintf(amc, sizeof amc, "%s/%d.amc", folder, i);
        OWNED(marey_clip) *clip =
            i == 0 ? test_person_clip(ctx, 30) : test_mocap_load(ctx, "cmu_asfamc/02_02.amc");
        test_ok(marey_clip_save(clip, amc, &test_error));
        judge_file(asf, amc, &v);
    }
    test_folder_remove(folder);
    assert_true(v.worst < 1e-6);
}

TEST(joints_are_where_the_judge_has_them)
{
    static const char *const trials[][2] = { { "02", "02_02" },   { "16", "16_15" },
                                             { "49", "49_06" },   { "86", "86_01" },
                                             { "141", "141_01" }, { "lf/02", "lf/02_02" } };
    verdict v = { 0 };
    test_need_mocap();
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        char file[64], asf[2048], amc[2048];
        snprintf(file, sizeof file, "cmu_asfamc/%s.asf", trials[t][0]);
        mocap_path(asf, sizeof asf, file);
        snprintf(file, sizeof file, "cmu_asfamc/%s.amc", trials[t][1]);
        mocap_path(amc, sizeof amc, file);
        judge_file(asf, amc, &v);
    }
    assert_int_equal(each_cut(judge_cut, &v), 62);
    print_message("%d AMC files, %ld frames: at most %.2g of the body off\n", v.files, v.frames,
                  v.worst);
    assert_true(v.worst < 1e-5);
}

static void check_cut(void *user, const char *path)
{
    marey_ctx *ctx = user;
    OWNED(marey_clip) *clip = test_clip_load(ctx, path);
    const marey_report *report = marey_clip_report(clip);
    assert_string_equal(report->format, "amc");
    assert_int_equal(marey_clip_units(clip), MAREY_UNITS_CMU);
    assert_int_equal(marey_clip_up(clip), MAREY_UP_Y);
    assert_string_equal(marey_clip_skeleton(clip)->roles_from, "asf");
    assert_int_equal(marey_clip_skeleton(clip)->channel_count, 62);
    assert_true(marey_clip_fps(clip) == 120);
    assert_true(report->height_cm > 140 && report->height_cm < 190);
    assert_int_equal(test_marks(clip), 0);
}

TEST_CTX(all_cuts_of_hdm05_find_their_skeleton_in_the_parent_folder)
{
    test_need_mocap();
    assert_int_equal(each_cut(check_cut, ctx), 62);
}

TEST_CTX(a_skeleton_alone_is_one_frame_at_rest)
{
    char path[2048];
    test_need_mocap();
    mocap_path(path, sizeof path, "cmu_asfamc/kit_01.asf");
    OWNED(marey_clip) *clip = test_clip_load_raw(ctx, path);
    const marey_report *report = marey_clip_report(clip);
    double points[3 * 27];
    assert_string_equal(report->format, "asf");
    assert_non_null(strstr(report->warnings[0], "a skeleton without motion"));
    assert_int_equal(marey_clip_frames(clip), 1);
    assert_int_equal(marey_clip_skeleton(clip)->joint_count, 27);
    marey_clip_positions(clip, 0, 1, points);
    const double *toes = points + 3 * find_joint(clip, "ltoes");
    assert_true(fabs(toes[0] - 0.0820566) < 1e-6);
    assert_true(fabs(toes[1] - 0.1) < 1e-6);
    assert_true(fabs(toes[2] + 0.815907) < 1e-6);
}

TEST_CTX(line_ends_do_not_matter)
{
    char crlf[2048], lf[2048];
    test_need_mocap();
    mocap_path(crlf, sizeof crlf, "cmu_asfamc/02_02.amc");
    mocap_path(lf, sizeof lf, "cmu_asfamc/lf/02_02.amc");
    OWNED(marey_clip) *a = test_clip_load_raw(ctx, crlf), *b = test_clip_load_raw(ctx, lf);
    test_same_numbers(a, b);
}

/* ---- the same trial as BVH ------------------------------------------------------------------- */

/* A joint's name in both, and the bone below it whose length the conversion dropped: what hangs
   behind that bone is moved by it in the BVH. */
typedef struct twin {
    const char *asf, *bvh, *dropped;
} twin;

/* Three bones became points: thorax and both wrists. */
static const twin twins[] = {
    { "root", "Hips", "" },
    { "lhipjoint", "LHipJoint", "" },
    { "lfemur", "LeftUpLeg", "" },
    { "ltibia", "LeftLeg", "" },
    { "lfoot", "LeftFoot", "" },
    { "ltoes", "LeftToeBase", "" },
    { "rhipjoint", "RHipJoint", "" },
    { "rfemur", "RightUpLeg", "" },
    { "rtibia", "RightLeg", "" },
    { "rfoot", "RightFoot", "" },
    { "rtoes", "RightToeBase", "" },
    { "lowerback", "LowerBack", "" },
    { "upperback", "Spine", "" },
    { "thorax", "Spine1", "" },
    { "lowerneck", "Neck", "t" },
    { "upperneck", "Neck1", "t" },
    { "head", "Head", "t" },
    { "lclavicle", "LeftShoulder", "t" },
    { "lhumerus", "LeftArm", "t" },
    { "lradius", "LeftForeArm", "t" },
    { "lwrist", "LeftHand", "t" },
    { "lhand", "LeftFingerBase", "tl" },
    { "lfingers", "LeftHandIndex1", "tl" },
    { "lthumb", "LThumb", "tl" },
    { "rclavicle", "RightShoulder", "t" },
    { "rhumerus", "RightArm", "t" },
    { "rradius", "RightForeArm", "t" },
    { "rwrist", "RightHand", "t" },
    { "rhand", "RightFingerBase", "tr" },
    { "rfingers", "RightHandIndex1", "tr" },
    { "rthumb", "RThumb", "tr" },
};
enum { TWINS = sizeof twins / sizeof *twins };

/* The dropped bone in this frame: from its joint to the joint at its end. */
static void add_dropped(const marey_clip *amc, const double *points, char which, double *sum)
{
    const char *from = which == 't' ? "thorax" : which == 'l' ? "lwrist" : "rwrist";
    const char *to = which == 't' ? "lowerneck" : which == 'l' ? "lhand" : "rhand";
    const double *a = points + 3 * find_joint(amc, from), *b = points + 3 * find_joint(amc, to);
    for (int i = 0; i < 3; i++) sum[i] += b[i] - a[i];
}

/* The BVH has one frame more in front, which was invented. */
static double compare_twins(const marey_clip *amc, const marey_clip *bvh)
{
    double a[3 * TWINS], b[3 * 64], worst = 0;
    assert_int_equal(marey_clip_frames(bvh), marey_clip_frames(amc) + 1);
    assert_int_equal(marey_clip_skeleton(amc)->joint_count, TWINS);
    assert_int_equal(marey_clip_skeleton(bvh)->joint_count, TWINS);
    for (int f = 0; f < marey_clip_frames(amc); f++) {
        marey_clip_positions(amc, f, 1, a);
        marey_clip_positions(bvh, f + 1, 1, b);
        for (int t = 0; t < TWINS; t++) {
            double moved[3] = { 0 };
            const double *p = a + 3 * find_joint(amc, twins[t].asf);
            const double *q = b + 3 * find_joint(bvh, twins[t].bvh);
            for (const char *d = twins[t].dropped; *d; d++) add_dropped(amc, a, *d, moved);
            for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(p[i] - moved[i] - q[i]));
        }
    }
    return worst;
}

TEST_CTX(amc_and_bvh_of_one_trial_are_the_same_motion)
{
    static const char *const trials[] = { "02_02", "16_15", "49_06", "86_01" };
    test_need_mocap();
    for (int t = 0; t < 4; t++) {
        char file[64], path[2048];
        snprintf(file, sizeof file, "cmu_asfamc/%s.amc", trials[t]);
        mocap_path(path, sizeof path, file);
        OWNED(marey_clip) *amc = test_clip_load_raw(ctx, path);
        snprintf(file, sizeof file, "cmu/%s.bvh", trials[t]);
        mocap_path(path, sizeof path, file);
        OWNED(marey_clip) *bvh = test_clip_load_raw(ctx, path);
        double worst = compare_twins(amc, bvh);
        print_message("%s: %d frames, at most %.1e of the file's unit apart\n", trials[t],
                      marey_clip_frames(amc), worst);
        assert_true(worst < 1e-3);
    }
}

TEST_GROUP_OF_CASES(test_asfamc_judge, NULL, NULL)
