/* data.c - real data, temporary folders, and small clips written on the spot. */
#include "support.h"

#include "base/context.h"

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *test_mocap_folder(void)
{
    const char *folder = getenv("MAREY_MOCAP");
    if (!folder || !*folder) folder = MAREY_SOURCE_DIR "/../shared/mocap";
    struct stat about;
    return stat(folder, &about) == 0 && S_ISDIR(about.st_mode) ? folder : NULL;
}

void test_need_mocap(void)
{
    if (test_mocap_folder()) return;
    test_skip(
        "no real motion data here; set MAREY_MOCAP to a folder laid out as docs/data.md says");
}

static int has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);
    return n >= e && strcmp(name + n - e, ending) == 0;
}

int test_mocap_each(const char *below, const char *ending, void (*visit)(void *, const char *),
                    void *user)
{
    const char *folder = test_mocap_folder();
    char path[2048];
    if (!folder) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, below);
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort), visited = 0;
    for (int i = 0; i < count; i++) {
        if (has_ending(names[i]->d_name, ending)) {
            char file[4096];
            snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
            visit(user, file);
            visited++;
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
    return visited;
}

int test_mocap_each_bvh(void (*visit)(void *, const char *), void *user)
{
    static const char *const folders[] = { "cmu", "bandai", "accad", "format_zoo" };
    int count = 0;
    for (int i = 0; i < 4; i++) count += test_mocap_each(folders[i], ".bvh", visit, user);
    return count;
}

marey_clip *test_mocap_load(marey_ctx *ctx, const char *below)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", test_mocap_folder(), below);
    return test_clip_load(ctx, path);
}

const char *test_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void test_folder_make(char *path, size_t room)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, room, "%s/marey-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path)) fail_msg("cannot make a folder for the test");
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

void test_folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int test_folder_count(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, NULL), entries = 0;
    for (int i = 0; i < count; i++) {
        entries += strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0;
        free(names[i]);
    }
    if (count >= 0) free(names);
    return entries;
}

char *test_file_read(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    size_t got = fread(bytes, 1, (size_t)size, file);
    fclose(file);
    bytes[got] = 0;
    if (count) *count = got;
    return bytes;
}

void test_file_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0)
        fail_msg("cannot write %s", path);
}

void test_file_copy(const char *from, const char *path)
{
    size_t count;
    FREED char *bytes = test_file_read(from, &count);
    test_file_write(path, bytes, count);
}

void test_same_file(const char *a, const char *b)
{
    size_t a_count, b_count;
    FREED char *left = test_file_read(a, &a_count), *right = test_file_read(b, &b_count);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(left, right, a_count);
}

marey_ctx *test_ctx(void)
{
    marey_ctx *ctx = NULL;
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx));
    return ctx;
}

int test_ctx_set_up(void **state)
{
    *state = test_ctx();
    return 0;
}

void test_ctx_close(marey_ctx *ctx)
{
    enum { THREADS = 1024 }; /* what its threads take at most; closing it asserts the rest */
    size_t left = ctx ? marey_ctx_bytes(ctx) : 0;
    if (left > THREADS) fail_msg("%zu bytes are still held", left);
    marey_ctx_close(ctx);
}

int test_ctx_tear_down(void **state)
{
    test_ctx_close(*state);
    return 0;
}

marey_status test_ctx_try(test_memory *memory, marey_ctx **out)
{
    marey_ctx_def def = { .threads = 1, .resize = test_memory_resize, .resize_user = memory };
    marey_status status = marey_ctx_open(&def, out);
    if (!status) (*out)->block_bytes = 0; /* so that each piece of an arena can be refused */
    return status;
}

marey_ctx *test_ctx_refusing(test_memory *memory)
{
    marey_ctx *ctx = NULL;
    test_ok(test_ctx_try(memory, &ctx));
    return ctx;
}

marey_clip *test_clip(marey_ctx *ctx, const char *bvh)
{
    marey_clip *clip = NULL;
    test_ok(marey_clip_load_bytes(ctx, "test.bvh", bvh, strlen(bvh), NULL, &clip, &test_error));
    return clip;
}

marey_clip *test_clip_raw(marey_ctx *ctx, const char *bvh)
{
    marey_clip *clip = NULL;
    marey_load_def raw = { .units = MAREY_UNITS_RAW };
    test_ok(marey_clip_load_bytes(ctx, "test.bvh", bvh, strlen(bvh), &raw, &clip, &test_error));
    return clip;
}

marey_clip *test_clip_load(marey_ctx *ctx, const char *path)
{
    marey_clip *clip = NULL;
    test_ok(marey_clip_load(ctx, path, NULL, &clip, &test_error));
    return clip;
}

marey_clip *test_clip_load_raw(marey_ctx *ctx, const char *path)
{
    marey_clip *clip = NULL;
    marey_load_def raw = { .units = MAREY_UNITS_RAW };
    test_ok(marey_clip_load(ctx, path, &raw, &clip, &test_error));
    return clip;
}

int test_warnings_with(const marey_clip *clip, const char *words)
{
    const marey_report *report = marey_clip_report(clip);
    int count = 0;
    for (int i = 0; i < report->warning_count; i++)
        count += strstr(report->warnings[i], words) != NULL;
    return count;
}

int test_marks(const marey_clip *clip)
{
    int count;
    marey_clip_marks(clip, &count);
    return count;
}

void test_check_mark(const marey_clip *clip, int index, marey_mark_kind kind, int start, int end)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    assert_true(index < count);
    assert_int_equal(marks[index].kind, kind);
    assert_int_equal(marks[index].start, start);
    assert_int_equal(marks[index].end, end);
}

void test_same_numbers(const marey_clip *a, const marey_clip *b)
{
    int channels = marey_clip_skeleton(a)->channel_count;
    assert_int_equal(marey_clip_frames(a), marey_clip_frames(b));
    assert_int_equal(marey_clip_skeleton(b)->channel_count, channels);
    assert_int_equal(marey_clip_report(a)->warning_count, marey_clip_report(b)->warning_count);
    for (int f = 0; f < marey_clip_frames(a); f++) {
        const double *x = marey_clip_channels(a, f), *y = marey_clip_channels(b, f);
        for (int c = 0; c < channels; c++) assert_true(x[c] == y[c]);
    }
}

double *test_positions(const marey_clip *clip, int frame)
{
    double *out = malloc(sizeof *out * 3 * (size_t)marey_clip_skeleton(clip)->joint_count);
    marey_clip_positions(clip, frame, 1, out);
    return out;
}

double test_pose_apart(const marey_clip *a, int a_frame, const marey_clip *b, int b_frame)
{
    FREED double *x = test_positions(a, a_frame), *y = test_positions(b, b_frame);
    int joints = marey_clip_skeleton(a)->joint_count;
    double worst = 0;
    assert_int_equal(marey_clip_skeleton(b)->joint_count, joints);
    for (int j = 0; j < joints; j++) {
        const double *p = x + 3 * j, *q = y + 3 * j;
        double apart = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                            (p[2] - q[2]) * (p[2] - q[2]));
        if (!(apart <= worst)) worst = apart; /* a nan is worst of all */
    }
    return worst;
}

double test_clip_apart(const marey_clip *a, const marey_clip *b)
{
    double worst = 0;
    assert_int_equal(marey_clip_frames(a), marey_clip_frames(b));
    for (int f = 0; f < marey_clip_frames(a); f++) {
        double apart = test_pose_apart(a, f, b, f);
        if (!(apart <= worst)) worst = apart;
    }
    return worst;
}

int test_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

marey_demo_take *test_demo_take(marey_ctx *ctx, const char *name)
{
    marey_demo_take *take = NULL;
    int number = 0;
    while (number < marey_demo_count() && strcmp(marey_demo_name(number), name) != 0) number++;
    if (number == marey_demo_count()) fail_msg("no take is called %s", name);
    test_ok(marey_demo_build(ctx, number, 1, &take, NULL));
    return take;
}

/* ---- the small person ------------------------------------------------------------------------ */

typedef struct bone {
    const char *name;
    int depth;
    double x, y, z;
    double swing; /* degrees about x, times the sine of the step */
} bone;

static const bone person[] = {
    { "Hips", 0, 0, 0, 0, 2 },           { "LeftUpLeg", 1, 9, -4, 0, 30 },
    { "LeftLeg", 2, 0, -42, 0, 15 },     { "LeftFoot", 3, 0, -41, 0, 5 },
    { "LeftToeBase", 4, 0, -6, 13, 0 },  { "RightUpLeg", 1, -9, -4, 0, -30 },
    { "RightLeg", 2, 0, -42, 0, -15 },   { "RightFoot", 3, 0, -41, 0, -5 },
    { "RightToeBase", 4, 0, -6, 13, 0 }, { "Spine", 1, 0, 12, 0, 3 },
    { "Spine1", 2, 0, 18, 0, 3 },        { "Neck", 3, 0, 22, 0, -2 },
    { "Head", 4, 0, 9, 1, 2 },           { "LeftShoulder", 3, 4, 16, 0, 0 },
    { "LeftArm", 4, 13, 0, 0, -25 },     { "LeftForeArm", 5, 28, 0, 0, -10 },
    { "LeftHand", 6, 25, 0, 0, 0 },      { "RightShoulder", 3, -4, 16, 0, 0 },
    { "RightArm", 4, -13, 0, 0, 25 },    { "RightForeArm", 5, -28, 0, 0, 10 },
    { "RightHand", 6, -25, 0, 0, 0 },
};
enum { BONES = sizeof person / sizeof *person };

char *test_person(int frames)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("HIERARCHY\n", out);
    for (int i = 0; i < BONES; i++) {
        const bone *b = &person[i];
        int next = i + 1 < BONES ? person[i + 1].depth : 0;
        fprintf(out, "%s %s\n{\nOFFSET %g %g %g\n", i ? "JOINT" : "ROOT", b->name, b->x, b->y,
                b->z);
        fprintf(out, "CHANNELS %s Zrotation Yrotation Xrotation\n",
                i ? "3" : "6 Xposition Yposition Zposition");
        if (next <= b->depth) {
            fprintf(out, "End Site\n{\nOFFSET %g %g %g\n}\n", b->x / 4, b->y / 4, b->z / 4);
            for (int d = b->depth; d >= next && d >= 0; d--) fputs("}\n", out);
        }
    }
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.0166667\n", frames);
    for (int f = 0; f < frames; f++) {
        double step = sin(f * 0.1);
        fprintf(out, "%.4f %.4f %.4f", 3 * sin(f * 0.1), 95 + 2 * cos(f * 0.2), 2.0 * f);
        for (int i = 0; i < BONES; i++)
            fprintf(out, " %.4f %.4f %.4f", step * 1.5, step * 4, person[i].swing * step);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

marey_clip *test_person_clip(marey_ctx *ctx, int frames)
{
    FREED char *text = test_person(frames);
    return test_clip(ctx, text);
}

static void write_vector(FILE *out, const double *v, double scale, bool z_up)
{
    fprintf(out, " %.9g %.9g %.9g", v[0] * scale, (z_up ? -v[2] : v[1]) * scale,
            (z_up ? v[1] : v[2]) * scale);
}

char *test_person_posed(const double *rows, int frames, double rate_hz, double scale, bool z_up)
{
    FREED char *whole = test_person(1);
    char *text = NULL, *saved = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    *strstr(whole, "MOTION") = 0;
    for (char *line = strtok_r(whole, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved)) {
        double v[3];
        char *turns = strstr(line, "Zrotation Yrotation");
        if (sscanf(line, "OFFSET %lf %lf %lf", &v[0], &v[1], &v[2]) == 3) {
            fputs("OFFSET", out);
            write_vector(out, v, scale, z_up);
        } else {
            if (turns && z_up) memcpy(turns, "Yrotation Zrotation", 19);
            fputs(line, out);
        }
        fputc('\n', out);
    }
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: %.9g\n", frames, 1 / rate_hz);
    for (int f = 0; f < frames; f++, rows += TEST_PERSON_ROW) {
        write_vector(out, rows, scale, z_up);
        for (int i = 3; i < TEST_PERSON_ROW; i++)
            fprintf(out, " %.9g", z_up && i % 3 == 0 ? -rows[i] : rows[i]);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}
