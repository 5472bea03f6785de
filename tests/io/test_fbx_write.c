/* test_fbx_write.c - what is written as .fbx shows the same motion. The judge is a reader of its own
   below, which knows nothing of the writer; scripts/check_opened asks other programs. */
#include "motion/clip_data.h"
#include "reader_bench.h"

#include <math.h>
#include <stdlib.h>
#include <zlib.h>

/* ---- a second reader ------------------------------------------------------------------------- */

/* A record: where its properties are, and the records inside it, from `inside` up to `after`. */
typedef struct node {
    char name[32];
    uint32_t properties;
    const uint8_t *first;
    int parent, after;
} node;

typedef struct tree {
    char *bytes;
    size_t count;
    node *nodes;
    int node_count;
} tree;

static uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int64_t long_word(const uint8_t *p)
{
    return (int64_t)((uint64_t)word(p) | (uint64_t)word(p + 4) << 32);
}

/* Behind the property at p. */
static const uint8_t *behind(const uint8_t *p)
{
    switch (*p++) {
    case 'I': return p + 4;
    case 'L':
    case 'D': return p + 8;
    case 'S':
    case 'R': return p + 4 + word(p);
    case 'd':
    case 'l':
    case 'f':
    case 'i': return p + 12 + word(p + 8);
    default: fail_msg("a property of type %c", p[-1]); return p;
    }
}

/* The records from `at` up to the empty one that ends the list; behind that. */
static size_t parse(tree *t, size_t at, int parent)
{
    const uint8_t *bytes = (const uint8_t *)t->bytes;
    for (;;) {
        assert_true(at + 13 <= t->count);
        uint32_t end = word(bytes + at), properties = word(bytes + at + 4);
        uint32_t size = word(bytes + at + 8), name = bytes[at + 12];
        if (end == 0) {
            assert_true(properties == 0 && size == 0 && name == 0);
            return at + 13;
        }
        int self = t->node_count++;
        t->nodes = realloc(t->nodes, (size_t)t->node_count * sizeof *t->nodes);
        node *n = &t->nodes[self];
        assert_true(name < sizeof n->name && end <= t->count);
        *n = (node){ .properties = properties, .parent = parent, .first = bytes + at + 13 + name };
        memcpy(n->name, bytes + at + 13, name);
        const uint8_t *p = n->first;
        for (uint32_t i = 0; i < properties; i++) p = behind(p);
        at += 13 + name + size;
        assert_ptr_equal(p, bytes + at);
        if (at < end) at = parse(t, at, self);
        assert_int_equal(at, end);
        t->nodes[self].after = t->node_count;
    }
}

static tree load(const char *path)
{
    static const uint8_t last[] = { 0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e,
                                    0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b };
    tree t = { 0 };
    t.bytes = test_file_read(path, &t.count);
    assert_memory_equal(t.bytes, "Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0", 27);
    size_t foot = parse(&t, 27, -1); /* id, 4 zeros, up to 16 more, version, 120 zeros, magic */
    assert_int_equal(t.count, (foot + 20 + 16) / 16 * 16 + 4 + 120 + 16);
    assert_memory_equal(t.bytes + t.count - 16, last, 16);
    assert_int_equal(word((uint8_t *)t.bytes + t.count - 140), 7400);
    return t;
}

static void tree_free(tree *t)
{
    free(t->bytes);
    free(t->nodes);
}

static const uint8_t *property(const node *n, uint32_t index)
{
    const uint8_t *p = n->first;
    assert_true(index < n->properties);
    while (index-- > 0) p = behind(p);
    return p;
}

static bool is_text(const node *n, uint32_t index, const char *text)
{
    const uint8_t *p = property(n, index);
    return *p == 'S' && word(p + 1) == strlen(text) && memcmp(p + 5, text, strlen(text)) == 0;
}

static int64_t id(const node *n, uint32_t index)
{
    const uint8_t *p = property(n, index);
    assert_int_equal(*p, 'L');
    return long_word(p + 1);
}

/* The record of this name inside another (-1: the file), or -1; `from`: the first to look at. */
static int inside(const tree *t, int of, int from, const char *name)
{
    int i = from ? from : of + 1, end = of < 0 ? t->node_count : t->nodes[of].after;
    for (; i < end; i = t->nodes[i].after)
        if (t->nodes[i].parent == of && strcmp(t->nodes[i].name, name) == 0) return i;
    return -1;
}

/* The array of a record inside another, unpacked; free() it. */
static void *array_in(const tree *t, int of, const char *name, char type, uint32_t size, int *items)
{
    int at = inside(t, of, 0, name);
    assert_true(at >= 0);
    const uint8_t *p = property(&t->nodes[at], 0);
    assert_int_equal(*p, type);
    *items = (int)word(p + 1);
    uLongf room = (uLongf)*items * size;
    void *out = malloc(room + 1);
    if (word(p + 5)) assert_int_equal(uncompress(out, &room, p + 13, word(p + 9)), Z_OK);
    if (!word(p + 5)) memcpy(out, p + 13, room);
    assert_int_equal(room, (size_t)*items * size);
    if (!word(p + 5)) assert_int_equal(word(p + 9), room);
    return out;
}

/* What is connected to an object: its number and, for a property, its name. -1: nothing more. */
static int connected(const tree *t, int64_t to, const char *as, int from)
{
    int list = inside(t, -1, 0, "Connections");
    for (int c = from ? t->nodes[from].after : list + 1; c < t->nodes[list].after; c++) {
        const node *n = &t->nodes[c];
        if (id(n, 2) == to && (as ? n->properties == 4 && is_text(n, 3, as) : n->properties == 3))
            return c;
    }
    return -1;
}

static int object(const tree *t, int64_t number)
{
    int all = inside(t, -1, 0, "Objects");
    for (int i = all + 1; i < t->nodes[all].after; i = t->nodes[i].after)
        if (id(&t->nodes[i], 0) == number) return i;
    fail_msg("no object %lld", (long long)number);
    return -1;
}

/* ---- what it sees ---------------------------------------------------------------------------- */

/* One limb: its parent among the limbs, and its curves, NULL where it has none. */
typedef struct limb {
    int64_t number;
    int parent, keys[2];
    const uint8_t *name; /* with its length before it */
    double rest[3];
    float *curves[2][3]; /* place, rotation */
} limb;

typedef struct scene {
    limb *limbs;
    int count;
    double largest_step; /* of any angle, degrees */
} scene;

static void scene_free(scene *s)
{
    for (int i = 0; i < 6 * s->count; i++) free(s->limbs[i / 6].curves[i / 3 % 2][i % 3]);
    free(s->limbs);
}

static void read_curves(const tree *t, limb *of, int kind, const marey_clip *clip, double *step)
{
    static const char *const axes[] = { "d|X", "d|Y", "d|Z" };
    int c = connected(t, of->number, kind ? "Lcl Rotation" : "Lcl Translation", 0);
    if (c < 0) return;
    int64_t curve_node = id(&t->nodes[c], 1);
    for (int i = 0; i < 3; i++) {
        int link = connected(t, curve_node, axes[i], 0), times, keys;
        assert_true(link >= 0);
        int curve = object(t, id(&t->nodes[link], 1));
        int64_t *at = array_in(t, curve, "KeyTime", 'l', 8, &times);
        of->curves[kind][i] = array_in(t, curve, "KeyValueFloat", 'f', 4, &keys);
        of->keys[kind] = keys;
        assert_int_equal(keys, times);
        int frames = marey_clip_frames(clip);
        assert_true(keys == frames || (keys == 2 && frames > 2));
        for (int k = 0; k < keys; k++) {
            int frame = keys == frames ? k : k * (frames - 1);
            test_near((double)at[k] / 46186158000.0, frame / marey_clip_fps(clip), 1e-9);
            if (kind && k)
                *step = fmax(*step, fabs((double)of->curves[kind][i][k] -
                                         (double)of->curves[kind][i][k - 1]));
        }
        free(at);
    }
}

static scene see(const tree *t, const marey_clip *clip)
{
    scene s = { 0 };
    int all = inside(t, -1, 0, "Objects"), poses = 0;
    for (int i = all + 1; i < t->nodes[all].after; i = t->nodes[i].after) {
        const node *n = &t->nodes[i];
        if (strcmp(n->name, "Pose") == 0) poses++;
        if (strcmp(n->name, "Model") != 0) continue;
        assert_true(is_text(n, 2, "LimbNode"));
        s.limbs = realloc(s.limbs, (size_t)++s.count * sizeof *s.limbs);
        limb *one = &s.limbs[s.count - 1];
        *one = (limb){ .number = id(n, 0), .parent = -1, .name = property(n, 1) + 1 };
        int rows = inside(t, i, 0, "Properties70"), found = 0;
        for (int r = rows + 1; r < t->nodes[rows].after; r++) {
            if (!is_text(&t->nodes[r], 0, "Lcl Translation")) continue;
            for (uint32_t k = 0; k < 3; k++)
                memcpy(&one->rest[k], property(&t->nodes[r], 4 + k) + 1, 8);
            found++;
        }
        assert_int_equal(found, 1);
    }
    assert_int_equal(poses, 1);
    int list = inside(t, -1, 0, "Connections");
    for (int i = 0; i < s.count; i++) {
        for (int k = 0; k < 2; k++) read_curves(t, &s.limbs[i], k, clip, &s.largest_step);
        for (int c = list + 1; c < t->nodes[list].after; c++)
            for (int p = 0; p < i && id(&t->nodes[c], 1) == s.limbs[i].number; p++)
                if (id(&t->nodes[c], 2) == s.limbs[p].number) s.limbs[i].parent = p;
    }
    return s;
}

/* World places by matrices: about x, then y, then z. */
static void pose(const scene *s, int frame, double *out)
{
    double(*world)[3][4] = malloc((size_t)s->count * sizeof *world);
    for (int j = 0; j < s->count; j++) {
        const limb *l = &s->limbs[j];
        double local[3][4] = { { 1 }, { 0, 1 }, { 0, 0, 1 } };
        for (int i = 0; i < 3; i++) {
            int key = frame < l->keys[0] ? frame : 0;
            local[i][3] = l->curves[0][i] ? (double)l->curves[0][i][key] : l->rest[i];
        }
        for (int axis = 0; axis < 3 && l->curves[1][0]; axis++) {
            int key = frame < l->keys[1] ? frame : 0, a = (axis + 1) % 3, b = (axis + 2) % 3;
            double angle = (double)l->curves[1][axis][key] * acos(-1) / 180;
            for (int c = 0; c < 3; c++) { /* from the left: after what is there */
                double u = local[a][c], v = local[b][c];
                local[a][c] = cos(angle) * u - sin(angle) * v;
                local[b][c] = sin(angle) * u + cos(angle) * v;
            }
        }
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) {
                world[j][r][c] = local[r][c];
                if (l->parent < 0) continue;
                double(*up)[4] = world[l->parent];
                world[j][r][c] = up[r][0] * local[0][c] + up[r][1] * local[1][c] +
                                 up[r][2] * local[2][c] + (c == 3 ? up[r][3] : 0);
            }
        for (int i = 0; i < 3; i++) out[3 * j + i] = world[j][i][3];
    }
    free(world);
}

/* Saves and compares every frame, or some 100 of a long clip. Returns the largest step of an angle. */
static double expect_same_motion(const reader_bench *b, const marey_clip *clip)
{
    const char *path = reader_path(b, "out.fbx");
    test_ok(marey_clip_save(clip, path, &test_error));
    tree t = load(path);
    scene s = see(&t, clip);
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    assert_int_equal(s.count, joints);
    FREED double *seen = malloc(3 * (size_t)joints * sizeof *seen);
    for (int f = 0; f < frames; f += f + frames / 100 + 1 < frames ? frames / 100 + 1 : frames) {
        FREED double *truth = test_positions(clip, f);
        pose(&s, f, seen);
        for (int i = 0; i < 3 * joints; i++) test_near(seen[i], truth[i], 1e-3);
    }
    double step = s.largest_step;
    scene_free(&s);
    tree_free(&t);
    return step;
}

TEST_OF(reader_bench *b, written_files_show_the_same_motion)
{
    static const char *const takes[] = { "cartwheels", "kicks", "jog_curve" };
    for (int i = 0; i < 3; i++) {
        marey_demo_take *take = test_demo_take(b->ctx, takes[i]);
        assert_true(expect_same_motion(b, marey_demo_clip(take)) < 120);
        marey_demo_free(take);
    }
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 200);
    expect_same_motion(b, clip);
}

TEST_OF(reader_bench *b, real_clips_are_written_within_a_thousandth_of_a_centimetre)
{
    static const char *const files[] = { "cmu/02_02.bvh", "bandai/dataset-1_kick_normal_001.bvh",
                                         "accad/Male1_B3_Walk.bvh", "cmu_asfamc/02_02.amc",
                                         "format_zoo/three.js__pirouette.bvh" };
    test_need_mocap();
    for (int i = 0; i < 5; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(b->ctx, files[i]);
        expect_same_motion(b, clip);
    }
}

#define ROOT_CHANNELS "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"

TEST_OF(reader_bench *b, one_joint_one_frame_and_joints_that_stretch_are_written)
{
    static const char *const texts[] = {
        "HIERARCHY\nROOT Point\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
        "}\nMOTION\nFrames: 1\nFrame Time: 0.04\n1 2 3 40 50 60\n",
        "HIERARCHY\nROOT Hips\n{\nOFFSET 5 6 7\n" ROOT_CHANNELS "JOINT Held\n{\nOFFSET 0 0 0\n"
        "CHANNELS 3 Xposition Yposition Zposition\nJOINT Stretched\n{\nOFFSET 0 -40 0\n"
        "CHANNELS 1 Yposition\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.04\n"
        "0 90 0 0 0 0 9 -30 1 -35\n0 91 0 30 0 0 9 -30 1 -36\n0 92 0 60 0 0 9 -30 1 -38\n",
    };
    for (int i = 0; i < 2; i++) {
        OWNED(marey_clip) *clip = test_clip(b->ctx, texts[i]);
        expect_same_motion(b, clip);
    }
}

/* The root spins by 170 degrees a frame: no curve leaps back. */
TEST_OF(reader_bench *b, angles_go_on_past_the_half_turn)
{
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "HIERARCHY\nROOT Top\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
                     "JOINT Arm\n{\nOFFSET 10 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\n}\n"
                     "MOTION\nFrames: 60\nFrame Time: 0.04\n");
    for (int f = 0; f < 60; f++)
        n += snprintf(text + n, sizeof text - (size_t)n, "0 0 0 0 %d 0 0 0 %d\n", f * 170 % 360,
                      f * 100 % 360);
    OWNED(marey_clip) *clip = test_clip(b->ctx, text);
    assert_true(expect_same_motion(b, clip) < 170.01);
}

TEST_OF(reader_bench *b, names_keep_their_characters_and_differ)
{
    char text[2048], longest[256];
    memset(longest, 'x', sizeof longest);
    longest[255] = 0;
    const char *const given[] = { "My \"rig\": H\303\274fte", "J", "J", "Latin \374", longest };
    const char *const wanted[] = { given[0], "J", "J_2", "Latin \303\274", longest };
    int n = snprintf(text, sizeof text, "HIERARCHY\n");
    for (int i = 0; i < 5; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s\n{\nOFFSET 0 %d 0\n%s",
                      i ? "JOINT" : "ROOT", given[i], i, i ? "" : ROOT_CHANNELS);
    snprintf(text + n, sizeof text - (size_t)n,
             "}\n}\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.04\n0 0 0 0 0 0\n");
    OWNED(marey_clip) *clip = test_clip(b->ctx, text);
    const char *path = reader_path(b, "out.fbx");
    test_ok(marey_clip_save_with(clip, path, "{\"made_by\":\"hand\"}", &test_error));
    tree t = load(path);
    scene s = see(&t, clip);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(word(s.limbs[i].name), strlen(wanted[i]) + 2 + strlen("Model"));
        assert_memory_equal(s.limbs[i].name + 4, wanted[i], strlen(wanted[i]) + 1);
    }
    assert_non_null(memmem(t.bytes, t.count, "{\"made_by\":\"hand\"}", 18));
    scene_free(&s);
    tree_free(&t);
}

/* ---- accidents ------------------------------------------------------------------------------- */

TEST_OF(reader_bench *b, what_is_no_number_is_refused)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 3);
    clip->place[4] = NAN;
    reader_clear(b);
    assert_int_equal(marey_clip_save(clip, reader_path(b, "out.fbx"), &test_error),
                     MAREY_ERR_INPUT);
    assert_int_equal(test_folder_count(b->folder), 0);
}

TEST_OF(reader_bench *b, refused_memory_and_a_cancel_leave_nothing_behind)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    const char *path = reader_path(b, "out.fbx");
    marey_status status = MAREY_OK;
    reader_clear(b);
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_error error = { 0 };
        assert_int_equal(test_folder_count(b->folder), 0);
        status = marey_clip_save(clip, path, &error);
        if (status) assert_true(error.message[0] != 0);
    }
    reader_clear(b);
    marey_ctx_cancel(ctx);
    assert_int_equal(marey_clip_save(clip, path, &test_error), MAREY_ERR_CANCELLED);
    assert_int_equal(test_folder_count(b->folder), 0);
}

TEST_OF(reader_bench *b, failing_files_leave_the_older_file_as_it_was)
{
    test_files files = { .kinds = TEST_IO_ALL & ~TEST_IO_LIST, .fail = -1 };
    marey_ctx_def def = { .io = test_files_io(&files), .threads = 1 };
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&def, &ctx));
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    const char *path = reader_path(b, "out.fbx");
    reader_clear(b);
    test_file_write(path, "older", 5);
    files.most_at_once = 1000;
    for (files.fail = 0;; files.fail = test_next(files.fail)) {
        size_t count;
        files.calls = 0;
        marey_status status = marey_clip_save(clip, path, &test_error);
        assert_int_equal(files.open_handles, 0);
        assert_int_equal(test_folder_count(b->folder), 1);
        if (status == MAREY_OK) break;
        assert_int_equal(status, MAREY_ERR_IO);
        FREED char *bytes = test_file_read(path, &count);
        assert_int_equal(count, 5);
    }
    assert_true(files.fail > 20);
    tree t = load(path);
    tree_free(&t);
}

TEST_GROUP_OF_CASES(test_fbx_write, reader_bench_make, reader_bench_free)
