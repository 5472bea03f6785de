/* test_amass.c - AMASS archives beside a judge that poses the body by Rodrigues' formula, with z up. */
#include "support.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FRAMES = 9, COLUMNS = 156, BODY = 22 };

/* ---- archives --------------------------------------------------------------------------------- */

typedef struct archive {
    uint8_t *bytes, *list;
    size_t count, list_count;
    int entries;
} archive;

static void archive_free(archive *a)
{
    free(a->bytes);
    free(a->list);
}
OWNED_VALUE(archive, archive_free)

static void put(uint8_t **to, size_t *count, const void *bytes, size_t more)
{
    *to = realloc(*to, *count + more);
    memcpy(*to + *count, bytes, more);
    *count += more;
}

/* A stored entry: its local header and its line of the list share what they say. */
static void put_array(archive *a, const char *name, const char *type, const char *shape,
                      const void *data, size_t size)
{
    char head[128], file[64];
    int used = snprintf(head + 10, sizeof head - 10,
                        "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", type, shape);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (char)used;
    head[9] = 0;
    size_t length = (size_t)used + 10, whole = length + size;
    uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), (const uint8_t *)head, (uInt)length);
    sum = (uint32_t)crc32(sum, data, (uInt)size);
    snprintf(file, sizeof file, "%s.npy", name);
    uint16_t named = (uint16_t)strlen(file);
    uint32_t sizes = (uint32_t)whole, offset = (uint32_t)a->count;
    uint8_t shared[26] = { 20 }; /* version, flags, method, time, sum, packed, size, names, extra */
    memcpy(shared + 10, &sum, 4);
    memcpy(shared + 14, &sizes, 4);
    memcpy(shared + 18, &sizes, 4);
    memcpy(shared + 22, &named, 2);
    put(&a->bytes, &a->count, "PK\3\4", 4);
    put(&a->bytes, &a->count, shared, 26);
    put(&a->bytes, &a->count, file, named);
    put(&a->bytes, &a->count, head, length);
    put(&a->bytes, &a->count, data, size);
    put(&a->list, &a->list_count, "PK\1\2\24\0", 6);
    put(&a->list, &a->list_count, shared, 26);
    put(&a->list, &a->list_count, (uint8_t[10]){ 0 }, 10);
    put(&a->list, &a->list_count, &offset, 4);
    put(&a->list, &a->list_count, file, named);
    a->entries++;
}

static void put_end(archive *a)
{
    uint16_t entries = (uint16_t)a->entries;
    uint32_t size = (uint32_t)a->list_count, offset = (uint32_t)a->count;
    put(&a->bytes, &a->count, a->list, a->list_count);
    put(&a->bytes, &a->count, "PK\5\6\0\0\0\0", 8);
    put(&a->bytes, &a->count, &entries, 2);
    put(&a->bytes, &a->count, &entries, 2);
    put(&a->bytes, &a->count, &size, 4);
    put(&a->bytes, &a->count, &offset, 4);
    put(&a->bytes, &a->count, (uint8_t[2]){ 0 }, 2);
}

typedef struct motion {
    double poses[FRAMES][COLUMNS], trans[FRAMES][3];
} motion;

static motion some_motion(void)
{
    motion m;
    uint64_t seed = 11;
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < COLUMNS; i++) m.poses[f][i] = 2 * test_chance(&seed) - 1;
        for (int i = 0; i < 3; i++) m.trans[f][i] = test_chance(&seed);
    }
    memset(m.poses[0], 0, sizeof m.poses[0]);
    return m;
}

static archive archive_of(const motion *m)
{
    archive a = { 0 };
    double rate = 120;
    put_array(&a, "gender", "<U6", "()", "m\0\0\0a\0\0\0l\0\0\0e\0\0\0\0\0\0\0\0\0\0", 24);
    put_array(&a, "mocap_framerate", "<f8", "()", &rate, sizeof rate);
    put_array(&a, "poses", "<f8", "(9, 156)", m->poses, sizeof m->poses);
    put_array(&a, "trans", "<f8", "(9, 3)", m->trans, sizeof m->trans);
    put_end(&a);
    return a;
}

static marey_clip *loaded(marey_ctx *ctx, const archive *a, const marey_amass_def *def)
{
    marey_clip *clip = NULL;
    test_ok(
        marey_amass_load_bytes(ctx, "in/walk.npz", a->bytes, a->count, def, &clip, &test_error));
    return clip;
}

/* ---- the judge -------------------------------------------------------------------------------- */

static const char *const smpl[BODY] = {
    "pelvis",     "left_hip",    "right_hip",    "spine1",      "left_knee",     "right_knee",
    "spine2",     "left_ankle",  "right_ankle",  "spine3",      "left_foot",     "right_foot",
    "neck",       "left_collar", "right_collar", "head",        "left_shoulder", "right_shoulder",
    "left_elbow", "right_elbow", "left_wrist",   "right_wrist",
};
static const int above[BODY] = { -1, 0, 0, 0, 1,  2,  3,  4,  5,  6,  7,
                                 8,  9, 9, 9, 12, 13, 14, 16, 17, 18, 19 };

/* R = I + sin a K + (1 - cos a) K K. */
static void rodrigues(const double *v, double r[3][3])
{
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), n = angle > 0 ? angle : 1;
    const double k[3][3] = { { 0, -v[2] / n, v[1] / n },
                             { v[2] / n, 0, -v[0] / n },
                             { -v[1] / n, v[0] / n, 0 } };
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            double kk = 0;
            for (int x = 0; x < 3; x++) kk += k[i][x] * k[x][c];
            r[i][c] = (i == c) + sin(angle) * k[i][c] + (1 - cos(angle)) * kk;
        }
}

static int joint_of(const marey_clip *clip, const char *name)
{
    for (int j = 0; j < clip->skeleton.joint_count; j++)
        if (strcmp(clip->joints[j].name, name) == 0) return j;
    fail_msg("no joint is called %s", name);
    return -1;
}

TEST_CTX(joints_are_where_the_angles_put_them)
{
    motion m = some_motion();
    OWNED(archive) a = archive_of(&m);
    OWNED(marey_clip) *clip = loaded(ctx, &a, NULL);
    assert_string_equal(marey_clip_name(clip), "walk");
    assert_int_equal(marey_clip_frames(clip), FRAMES);
    test_near(marey_clip_fps(clip), 120, 0);
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) assert_true(clip->skeleton.roles[i] >= 0);
    test_near(clip->report.height_cm, 170, 8); /* as tall as these poses stretch */
    for (int f = 0; f < FRAMES; f++) {
        FREED double *at = test_positions(clip, f);
        double world[BODY][3][3], place[BODY][3];
        for (int j = 0; j < BODY; j++) {
            double own[3][3];
            const double *offset = clip->joints[joint_of(clip, smpl[j])].offset_cm;
            rodrigues(&m.poses[f][3 * j], own);
            for (int i = 0; i < 3; i++) {
                place[j][i] = j ? place[above[j]][i] : 100 * m.trans[f][i];
                for (int c = 0; c < 3; c++) {
                    world[j][i][c] = j ? 0 : own[i][c];
                    for (int x = 0; x < 3 && j; x++)
                        world[j][i][c] += world[above[j]][i][x] * own[x][c];
                    if (j) place[j][i] += world[above[j]][i][c] * offset[c];
                }
            }
            const double *got = at + 3 * joint_of(clip, smpl[j]);
            test_near(got[0], place[j][0], 1e-3);
            test_near(got[1], place[j][2], 1e-3);
            test_near(got[2], -place[j][1], 1e-3);
        }
    }
}

TEST_CTX(bones_and_rate_and_up_can_be_given)
{
    motion m = some_motion();
    OWNED(archive) a = archive_of(&m);
    const char *table = "joint,x,y,z\nleft_knee, 1, -40.5,2\r\nleft_foot,0,-6,13\n";
    OWNED(marey_clip) *clip =
        loaded(ctx, &a, &(marey_amass_def){ .bones = table, .fps = 60, .up = MAREY_UP_Y });
    const double *knee = clip->joints[joint_of(clip, "left_knee")].offset_cm;
    assert_true(knee[0] == 1 && knee[1] == -40.5 && knee[2] == 2);
    test_near(marey_clip_fps(clip), 60, 0);
    test_near(mry_place(clip, 3)[1], 100 * m.trans[3][1], 1e-9);
    marey_clip *none = NULL;
    static const char *const bad[] = { "", "nose,1,2,3", "left_knee,1,2", "left_knee,1,two,3" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        test_refused_about(marey_amass_load_bytes(ctx, "a.npz", a.bytes, a.count,
                                                  &(marey_amass_def){ .bones = bad[i] }, &none,
                                                  &test_error),
                           MAREY_ERR_REQUEST, "joint,x,y,z");
    test_refused_about(marey_amass_load_bytes(ctx, "a.npz", a.bytes, a.count,
                                              &(marey_amass_def){ .fps = 1e6 }, &none, &test_error),
                       MAREY_ERR_REQUEST, "10000");
}

TEST_CTX(what_is_no_such_archive_is_refused)
{
    motion m = some_motion();
    marey_clip *none = NULL;
    static const struct {
        const char *poses, *trans, *words;
        size_t columns;
    } wrong[] = { { "(9, 63)", "(9, 3)", "frames x 66", 63 },
                  { "(9, 156)", "(3, 9)", "frames x 66", COLUMNS },
                  { "(1404,)", "(9, 3)", "frames x 66", COLUMNS },
                  { "(9, 156)", "(9, 3)", "--source-fps", COLUMNS } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        OWNED(archive) a = { 0 };
        put_array(&a, "poses", "<f8", wrong[i].poses, m.poses, FRAMES * wrong[i].columns * 8);
        put_array(&a, "trans", "<f8", wrong[i].trans, m.trans, sizeof m.trans);
        put_end(&a);
        test_refused_about(
            marey_amass_load_bytes(ctx, "a.npz", a.bytes, a.count, NULL, &none, &test_error),
            i == 3 ? MAREY_ERR_REQUEST : MAREY_ERR_INPUT, wrong[i].words);
    }
    m.poses[4][7] = NAN;
    OWNED(archive) a = archive_of(&m);
    test_refused_about(
        marey_amass_load_bytes(ctx, "a.npz", a.bytes, a.count, NULL, &none, &test_error),
        MAREY_ERR_INPUT, "frame 4");
    OWNED(archive) points = { 0 };
    put_array(&points, "positions", "<f8", "(9, 156)", m.poses, sizeof m.poses);
    put_end(&points);
    assert_int_equal(
        marey_amass_load_bytes(ctx, "a.npz", points.bytes, points.count, NULL, &none, &test_error),
        MAREY_ERR_UNKNOWN_FORMAT);
    assert_int_equal(marey_amass_load_bytes(ctx, "a.npz", "HIERARCHY", 9, NULL, &none, &test_error),
                     MAREY_ERR_UNKNOWN_FORMAT);
}

TEST_CTX(damaged_archives_are_refused_or_read)
{
    motion m = some_motion();
    OWNED(archive) a = archive_of(&m);
    for (long at = 0; at < (long)a.count; at = test_next(at)) {
        marey_clip *clip = NULL;
        FREED uint8_t *exact = malloc((size_t)at + 1);
        memcpy(exact, a.bytes, (size_t)at);
        assert_true(marey_amass_load_bytes(ctx, "a.npz", exact, (size_t)at, NULL, &clip, NULL));
        a.bytes[at] ^= 0x55;
        marey_status status =
            marey_amass_load_bytes(ctx, "a.npz", a.bytes, a.count, NULL, &clip, NULL);
        a.bytes[at] ^= 0x55;
        assert_int_equal(status == MAREY_OK, clip != NULL);
        marey_clip_free(clip);
    }
}

TEST(refused_memory_leaves_nothing_of_an_archive)
{
    motion m = some_motion();
    OWNED(archive) a = archive_of(&m);
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_clip *clip = NULL;
        status = marey_amass_load_bytes(ctx, "a.npz", a.bytes, a.count, NULL, &clip, NULL);
        marey_clip_free(clip);
    }
}

TEST_GROUP_OF_CASES(test_amass, NULL, NULL)
