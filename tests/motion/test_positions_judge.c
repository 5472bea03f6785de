/* test_positions_judge.c - joint positions against a second opinion: a reader and a forward
   kinematics that share no idea with the library's. The whole file is in memory, numbers come from
   strtod, joints are read and placed by recursion, rotations are 4x4 matrices in double made from
   the Euler angles one by one. Slow and short, so that it can be seen to be right. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the judge's reader ---------------------------------------------------------------------- */

enum { MOST_JOINTS = 512, MOST_CHANNELS = 9 };

typedef struct node {
    int parent;
    double offset[3];
    char kind[MOST_CHANNELS]; /* 'X' 'Y' 'Z' for positions, 'x' 'y' 'z' for rotations, 's' */
    int kinds;
    int first; /* of its numbers in a row */
} node;

typedef struct judge {
    char *p; /* rest of the text */
    node nodes[MOST_JOINTS];
    int count, row, frames;
    double *values;
} judge;

static char *next_word(judge *j)
{
    j->p += strspn(j->p, " \t\r\n");
    char *word = j->p;
    j->p += strcspn(j->p, " \t\r\n");
    if (*j->p) *j->p++ = 0;
    return word;
}

static double next_number(judge *j)
{
    char *end;
    double value = strtod(j->p, &end);
    assert_ptr_not_equal(end, j->p);
    j->p = end;
    return value;
}

static void read_channels(judge *j, node *n)
{
    n->kinds = (int)next_number(j);
    n->first = j->row;
    j->row += n->kinds;
    assert_true(n->kinds <= MOST_CHANNELS);
    for (int c = 0; c < n->kinds; c++) {
        const char *word = next_word(j);
        char axis = word[0] & ~32; /* upper case */
        n->kind[c] = strcasecmp(word + 1, "position") == 0   ? axis
                     : strcasecmp(word + 1, "rotation") == 0 ? (char)(axis | 32)
                                                             : 's';
    }
}

/* Behind ROOT or JOINT; ends behind the joint's closing brace. */
static void read_joint(judge *j, int parent)
{
    assert_true(j->count < MOST_JOINTS);
    int self = j->count++;
    node *n = &j->nodes[self];
    *n = (node){ .parent = parent };
    j->p += strcspn(j->p, "{") + 1; /* the name is not needed */
    for (;;) {
        const char *word = next_word(j);
        if (word[0] == '}') return;
        assert_true(word[0] != 0);
        if (strcasecmp(word, "OFFSET") == 0) {
            for (int i = 0; i < 3; i++) n->offset[i] = next_number(j);
        } else if (strcasecmp(word, "CHANNELS") == 0) {
            read_channels(j, n);
        } else if (strcasecmp(word, "JOINT") == 0) {
            read_joint(j, self);
        } else {
            j->p += strcspn(j->p, "}") + 1; /* an End Site */
        }
    }
}

/* ---- the judge's forward kinematics ---------------------------------------------------------- */

typedef struct matrix {
    double m[4][4];
} matrix;

static const matrix unit = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } } };

static matrix product(const matrix *a, const matrix *b)
{
    matrix c;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            c.m[i][k] = 0;
            for (int s = 0; s < 4; s++) c.m[i][k] += a->m[i][s] * b->m[s][k];
        }
    }
    return c;
}

/* About axis 0, 1 or 2; the other two follow it in the cycle x y z. */
static matrix turn(int axis, double degrees)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double angle = degrees * 3.14159265358979323846 / 180;
    matrix r = unit;
    r.m[a][a] = cos(angle);
    r.m[a][b] = -sin(angle);
    r.m[b][a] = sin(angle);
    r.m[b][b] = cos(angle);
    return r;
}

/* Places joint `self` and everything below it. */
static void place(const judge *j, const double *row, int self, const matrix *parent, double *out)
{
    const node *n = &j->nodes[self];
    matrix local = unit;
    for (int i = 0; i < 3; i++) local.m[i][3] = n->offset[i];
    for (int c = 0; c < n->kinds; c++) {
        if (n->kind[c] >= 'X' && n->kind[c] <= 'Z')
            local.m[n->kind[c] - 'X'][3] = row[n->first + c];
    }
    for (int c = 0; c < n->kinds; c++) {
        if (n->kind[c] < 'x' || n->kind[c] > 'z') continue;
        matrix r = turn(n->kind[c] - 'x', row[n->first + c]);
        local = product(&local, &r);
    }
    matrix global = product(parent, &local);
    for (int i = 0; i < 3; i++) out[self * 3 + i] = global.m[i][3];
    for (int child = self + 1; child < j->count; child++)
        if (j->nodes[child].parent == self) place(j, row, child, &global, out);
}

static void judge_positions(const judge *j, int frame, double *out)
{
    place(j, j->values + (size_t)frame * (size_t)j->row, 0, &unit, out);
}

/* ---- how large a body is --------------------------------------------------------------------- */

static double longest_side(const double *points, int count)
{
    double longest = 0;
    for (int i = 0; i < 3; i++) {
        double low = points[i], high = points[i];
        for (int p = 1; p < count; p++) {
            low = fmin(low, points[p * 3 + i]);
            high = fmax(high, points[p * 3 + i]);
        }
        longest = fmax(longest, high - low);
    }
    return longest;
}

static double longest_chain(const judge *j)
{
    double chain[MOST_JOINTS] = { 0 }, longest = 0;
    for (int i = 1; i < j->count; i++) {
        const double *o = j->nodes[i].offset;
        chain[i] = chain[j->nodes[i].parent] + sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
        longest = fmax(longest, chain[i]);
    }
    return longest;
}

static double body_size(const judge *j)
{
    double size = longest_chain(j), points[MOST_JOINTS * 3];
    for (int f = 0; f < j->frames && f < 10; f++) {
        judge_positions(j, f, points);
        size = fmax(size, longest_side(points, j->count));
    }
    return size;
}

/* ---- every real file ------------------------------------------------------------------------- */

typedef struct tally {
    int files;
    long frames;
    double worst; /* error over size */
    char worst_path[512];
    int worst_frame, worst_joint;
} tally;

static void compare_frame(tally *t, const char *path, const judge *j, const marey_clip *clip,
                          int frame, double size)
{
    double ours[MOST_JOINTS * 3], theirs[MOST_JOINTS * 3];
    marey_clip_positions(clip, frame, 1, ours);
    judge_positions(j, frame, theirs);
    t->frames++;
    for (int i = 0; i < j->count; i++) {
        double x = ours[i * 3] - theirs[i * 3], y = ours[i * 3 + 1] - theirs[i * 3 + 1];
        double z = ours[i * 3 + 2] - theirs[i * 3 + 2], error = sqrt(x * x + y * y + z * z) / size;
        if (error <= t->worst) continue; /* also false for a nan, which must not pass */
        t->worst = error;
        t->worst_frame = frame;
        t->worst_joint = i;
        snprintf(t->worst_path, sizeof t->worst_path, "%s", path);
        if (!(error <= 1e-5)) fail_msg("%s: joint %d of frame %d: %g", path, i, frame, error);
    }
}

static void judge_file(void *user, const char *path)
{
    tally *t = user;
    FREED judge *j = malloc(sizeof *j);
    FREED char *text = test_file_read(path, NULL);
    /* Reads a text that it changes; judge.values must be freed. */
    memset(j, 0, sizeof *j);
    j->p = text;
    while (strcasecmp(next_word(j), "ROOT") != 0) assert_true(*j->p != 0);
    read_joint(j, -1);
    while (strcasecmp(next_word(j), "Frames:") != 0) assert_true(*j->p != 0);
    int said = (int)next_number(j);
    while (strcasecmp(next_word(j), "Time:") != 0) assert_true(*j->p != 0);
    next_number(j);
    size_t room = (size_t)said * (size_t)j->row, got = 0;
    j->values = malloc((room + 1) * sizeof(double));
    for (char *end; got < room; j->p = end) {
        double value = strtod(j->p, &end);
        if (end == j->p) break;
        j->values[got++] = value;
    }
    j->frames = (int)(got / (size_t)j->row);
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_clip_load_raw(ctx, path);
    assert_int_equal(marey_clip_frames(clip), j->frames);
    assert_int_equal(marey_clip_skeleton(clip)->joint_count, j->count);
    for (int i = 0; i < j->count; i++)
        assert_int_equal(marey_clip_skeleton(clip)->joints[i].parent, j->nodes[i].parent);
    enum { USUAL = TEST_SANITIZED ? 20 : 80 }; /* frames of a file */
    int step = test_is_long() || j->frames <= USUAL ? 1 : j->frames / USUAL;
    double size = body_size(j);
    assert_true(size > 0);
    for (int f = 0; f < j->frames; f += step) compare_frame(t, path, j, clip, f, size);
    t->files++;
    free(j->values);
}

TEST(every_real_file_has_the_judges_positions)
{
    test_need_mocap();
    tally t = { 0 };
    test_mocap_each_bvh(judge_file, &t);
    assert_true(t.files > 0);
    print_message("%d files, %ld frames: worst error %.2g of the body (%s, frame %d, joint %d)\n",
                  t.files, t.frames, t.worst, strrchr(t.worst_path, '/') + 1, t.worst_frame,
                  t.worst_joint);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* The one frame of `text` has joint `joint` at x y z. */
static void expect_at(const char *text, int joint, double x, double y, double z)
{
    double at[8 * 3], wanted[3] = { x, y, z };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_clip_raw(ctx, text);
    marey_clip_positions(clip, 0, 1, at);
    for (int i = 0; i < 3; i++) {
        double error = at[joint * 3 + i] - wanted[i];
        if (!(fabs(error) < 1e-4))
            fail_msg("axis %d is at %g, not %g, in\n%s", i, at[joint * 3 + i], wanted[i], text);
    }
}

/* Quarter turns permute the axes: about x (x,y,z) -> (x,-z,y), about y -> (z,y,-x), about z ->
   (-y,x,z). The channel written first is the outermost. */
TEST(quarter_turns_in_all_six_orders_are_as_computed_by_hand)
{
    static const struct {
        char order[4];
        double x, y, z;
    } cases[] = {
        { "XYZ", 30, -20, 10 }, { "XZY", -20, 10, 30 }, { "YXZ", 10, -30, 20 },
        { "YZX", 20, 10, -30 }, { "ZXY", -10, 30, 20 }, { "ZYX", 30, 20, -10 },
    };
    for (int i = 0; i < 6; i++) {
        char text[1024];
        const char *o = cases[i].order;
        snprintf(text, sizeof text,
                 "HIERARCHY\nROOT Arm\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
                 "JOINT Elbow\n{\nOFFSET 0 100 0\nCHANNELS 3 %crotation %crotation %crotation\n"
                 "JOINT Hand\n{\nOFFSET 10 20 30\n}\n}\n}\n"
                 "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 90 90 90\n",
                 o[0], o[1], o[2]);
        expect_at(text, 2, 1 + cases[i].x, 102 + cases[i].y, 3 + cases[i].z);
    }
}

#define CHAIN(root, root_channels, elbow_channels, numbers)                                        \
    "HIERARCHY\nROOT Arm\n{\nOFFSET " root "\n" root_channels                                      \
    "\nJOINT Elbow\n{\nOFFSET 20 0 0\n" elbow_channels                                             \
    "\nJOINT Hand\n{\nOFFSET 30 0 0\nEnd Site\n{\nOFFSET 5 0 0\n}\n}\n}\n}\n"                      \
    "MOTION\nFrames: 1\nFrame Time: 0.1\n" numbers "\n"

TEST(turns_add_up_along_a_chain)
{
    const char *bent = CHAIN("10 0 0", "CHANNELS 1 Zrotation", "CHANNELS 1 Yrotation", "90 90");
    expect_at(bent, 0, 10, 0, 0);
    expect_at(bent, 1, 10, 20, 0);
    expect_at(bent, 2, 10, 20, -30);
    const char *still = CHAIN("1 2 3", "CHANNELS 1 Zrotation", "", "-90");
    expect_at(still, 1, 1, -18, 3);
    expect_at(still, 2, 1, -48, 3);
}

TEST(position_channels_replace_the_offset_axis_by_axis)
{
    const char *root = CHAIN("1 2 3", "CHANNELS 3 Xposition Yposition Zposition",
                             "CHANNELS 1 Xrotation", "100 200 300 0");
    expect_at(root, 0, 100, 200, 300);
    const char *part = CHAIN("1 2 3", "CHANNELS 2 Zrotation Yposition",
                             "CHANNELS 2 Zposition Xrotation", "90 50 7 0");
    expect_at(part, 0, 1, 50, 3);
    expect_at(part, 1, 1, 70, 10);
    expect_at(part, 2, 1, 100, 10);
    const char *all =
        CHAIN("0 0 0",
              "CHANNELS 6 Zrotation Yrotation Xrotation Zposition Yposition "
              "Xposition",
              "CHANNELS 6 Xposition Yposition Zposition Yrotation Zrotation Xrotation",
              "90 0 0 3 2 1 -8 0 0 0 90 0");
    expect_at(all, 0, 1, 2, 3);
    expect_at(all, 1, 1, -6, 3);
    expect_at(all, 2, -29, -6, 3);
}

TEST(scale_channels_do_not_move_anything)
{
    expect_at(CHAIN("0 0 0", "CHANNELS 4 Xscale Yscale Zscale Zrotation", "CHANNELS 1 Yscale",
                    "2 3 4 90 5"),
              2, 0, 50, 0);
}

/* ---- far from the origin --------------------------------------------------------------------- */

/* The same text with `by` added to the root's first three numbers in every frame; free() it. */
static char *shifted(const char *text, double by)
{
    char *out_text = NULL;
    size_t size;
    FILE *out = open_memstream(&out_text, &size);
    const char *p = strchr(strstr(text, "Frame Time:"), '\n') + 1;
    fwrite(text, 1, (size_t)(p - text), out);
    while (*p) {
        for (int i = 0; i < 3; i++) {
            char *end;
            fprintf(out, "%.4f ", strtod(p, &end) + by);
            p = end;
        }
        const char *end = strchr(p, '\n') + 1;
        fwrite(p, 1, (size_t)(end - p), out);
        p = end;
    }
    fclose(out);
    return out_text;
}

TEST_CTX(a_kilometre_from_the_origin_nothing_is_lost)
{
    enum { FRAMES = 20, JOINTS = 21, ROW = JOINTS * 3 };
    FREED char *near_text = test_person(FRAMES), *far_text = shifted(near_text, 100000);
    FREED double *near = malloc(sizeof(double) * FRAMES * ROW),
                 *far = malloc(sizeof(double) * FRAMES * ROW);
    OWNED(marey_clip) *a = test_clip_raw(ctx, near_text), *b = test_clip_raw(ctx, far_text);
    assert_int_equal(marey_clip_skeleton(a)->joint_count, JOINTS);
    marey_clip_positions(a, 0, FRAMES, near);
    marey_clip_positions(b, 0, FRAMES, far);
    for (int i = 0; i < FRAMES * ROW; i++) {
        int root = i / ROW * ROW + i % 3;
        assert_true(fabs(far[root] - near[root] - 100000) < 1e-4);
        assert_true(fabs((far[i] - far[root]) - (near[i] - near[root])) < 1e-4);
    }
}

TEST_CTX(many_frames_at_once_are_the_same_as_one_by_one)
{
    enum { FRAMES = 20, ROW = 21 * 3 };
    double all[FRAMES * ROW], one[ROW];
    float rounded[FRAMES * ROW];
    FREED char *text = test_person(FRAMES);
    OWNED(marey_clip) *clip = test_clip_raw(ctx, text);
    marey_clip_positions(clip, 0, FRAMES, all);
    marey_clip_positions_float(clip, 0, FRAMES, rounded);
    for (int f = 0; f < FRAMES; f++) {
        marey_clip_positions(clip, f, 1, one);
        assert_memory_equal(one, all + f * ROW, sizeof one);
    }
    for (int i = 0; i < FRAMES * ROW; i++) assert_true(rounded[i] == (float)all[i]);
}

TEST_GROUP_OF_CASES(test_positions_judge, NULL, NULL)
