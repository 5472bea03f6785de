/* test_fbx_read.c - FBX files made here, with what they are known to hold; and everything that the
   process which reads them may do instead of reading: be missing, die, hang, lie. */
#include "base/arena.h"
#include "io/fbx_look.h"
#include "math/turn.h"
#include "reader_bench.h"

#include <marey/io.h>

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef MAREY_FBX_PROGRAM
#define NEED_READER() setenv("MAREY_FBX_READER", MAREY_FBX_PROGRAM, 1)
#else
#define NEED_READER() test_skip("marey was built without assimp (libassimp-dev)")
#endif

/* ---- a file by hand -------------------------------------------------------------------------- */

enum { TICKS = 46186158, MILLISECONDS = 1000 }; /* a millisecond */

/* An arm: a bone, another 5 beside it, and a third 4 further that is no bone's parent. The first turns
   about z by 30 degrees a key. */
typedef struct arm {
    int version, apart_ms;     /* of keys; default 7400 and 40, at 25 frames a second */
    double unit;               /* cm; default 1 */
    const int *axes;           /* default: y up */
    int flags;                 /* of keys; default linear */
    int layers;                /* default 1 */
    bool drops_scale, goes_on; /* the second bone, below a scale of 2; the curve */
    bool two_takes;
} arm;

static char *write_arm(const arm *a)
{
    static const int y_up[6] = { 1, 1, 2, 1, 0, 1 };
    static const char *const names[6] = { "UpAxis",        "UpAxisSign", "FrontAxis",
                                          "FrontAxisSign", "CoordAxis",  "CoordAxisSign" };
    const int *axes = a->axes ? a->axes : y_up;
    long step = TICKS * (long)(a->apart_ms ? a->apart_ms : 40);
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fprintf(f,
            "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n"
            "\tFBXVersion: %d\n}\nGlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n",
            a->version ? a->version : 7400);
    for (int i = 0; i < 6; i++)
        fprintf(f, "\t\tP: \"%s\", \"int\", \"Integer\", \"\",%d\n", names[i], axes[i]);
    fprintf(f,
            "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\",%g\n"
            "\t\tP: \"TimeMode\", \"enum\", \"\", \"\",10\n\t}\n}\nObjects:  {\n",
            a->unit > 0 ? a->unit : 1);
    static const char *const bones[3] = { "shoulder", "elbow", "wrist" };
    static const double offsets[3][3] = { { 0, 10, 0 }, { 5, 0, 0 }, { 4, 0, 0 } };
    for (int i = 0; i < 3; i++) {
        fprintf(f,
                "\tNodeAttribute: %d, \"NodeAttribute::\", \"LimbNode\" {\n"
                "\t\tTypeFlags: \"Skeleton\"\n\t}\n"
                "\tModel: %d, \"Model::%s\", \"LimbNode\" {\n\t\tVersion: 232\n"
                "\t\tProperties70:  {\n"
                "\t\t\tP: \"InheritType\", \"enum\", \"\", \"\",%d\n"
                "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",%g,%g,%g\n",
                100 + i, 200 + i, bones[i], a->drops_scale && i == 1 ? 2 : 1, offsets[i][0],
                offsets[i][1], offsets[i][2]);
        if (a->drops_scale && i == 0)
            fputs("\t\t\tP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",2,2,2\n", f);
        fputs("\t\t}\n\t}\n", f);
    }
    for (int t = 0; t < 1 + a->two_takes; t++) {
        fprintf(f,
                "\tAnimationStack: %d, \"AnimStack::%s\", \"\" {\n\t\tProperties70:  {\n"
                "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\",%ld\n\t\t}\n\t}\n",
                300 + t, t ? "Rest" : "Wave", (t ? 1 : 3) * step);
        for (int l = 0; l < (a->layers ? a->layers : 1); l++)
            fprintf(f, "\tAnimationLayer: %d, \"AnimLayer::%d\", \"\" {\n\t}\n", 400 + 10 * t + l,
                    l);
        fprintf(f,
                "\tAnimationCurveNode: %d, \"AnimCurveNode::R\", \"\" {\n\t\tProperties70:  {\n"
                "\t\t\tP: \"d|Z\", \"Number\", \"\", \"A\",0\n\t\t}\n\t}\n"
                "\tAnimationCurve: %d, \"AnimCurve::\", \"\" {\n\t\tDefault: 0\n\t\tKeyVer: 4008\n"
                "\t\tKeyTime: *4 {\n\t\t\ta: 0,%ld,%ld,%ld\n\t\t}\n"
                "\t\tKeyValueFloat: *4 {\n\t\t\ta: 0,30,60,90\n\t\t}\n"
                "\t\tKeyAttrFlags: *1 {\n\t\t\ta: %d\n\t\t}\n"
                "\t\tKeyAttrDataFloat: *4 {\n\t\t\ta: 0,0,0,0\n\t\t}\n"
                "\t\tKeyAttrRefCount: *1 {\n\t\t\ta: 4\n\t\t}\n",
                500 + t, 600 + t, step, 2 * step, 3 * step, a->flags ? a->flags : 0x4);
        if (a->goes_on)
            fputs("\t\tPost-Extrapolation:  {\n\t\t\tType: R\n\t\t\tRepetition: -1\n\t\t}\n", f);
        fputs("\t}\n", f);
    }
    fputs("}\nConnections:  {\n", f);
    for (int i = 0; i < 3; i++)
        fprintf(f, "\tC: \"OO\",%d,%d\n\tC: \"OO\",%d,%d\n", 200 + i, i ? 199 + i : 0, 100 + i,
                200 + i);
    for (int t = 0; t < 1 + a->two_takes; t++) {
        for (int l = 0; l < (a->layers ? a->layers : 1); l++)
            fprintf(f, "\tC: \"OO\",%d,%d\n", 400 + 10 * t + l, 300 + t);
        fprintf(f,
                "\tC: \"OO\",%d,%d\n\tC: \"OP\",%d,200, \"Lcl Rotation\"\n"
                "\tC: \"OP\",%d,%d, \"d|Z\"\n",
                500 + t, 400 + 10 * t, 500 + t, 600 + t, 500 + t);
    }
    fputs("}\n", f);
    fclose(f);
    return text;
}

static marey_clip *load(marey_ctx *ctx, const char *text, const char *take)
{
    marey_clip *clip = NULL;
    marey_load_def def = { .take = take };
    test_ok(marey_clip_load_bytes(ctx, "arm.fbx", text, strlen(text), &def, &clip, &test_error));
    return clip;
}

/* The wrist, cm, in every frame: at the end of 9 (or 5 and 4 of its own) that turn about (0, 10). */
static void check_wrist(const marey_clip *clip, double elbow, double scale)
{
    double p[9];
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        double angle = 30 * f * M_PI / 180, far = elbow + 4;
        marey_clip_positions(clip, f, 1, p);
        test_near(p[6], scale * far * cos(angle), 1e-4 * scale);
        test_near(p[7], scale * (10 + far * sin(angle)), 1e-4 * scale);
        test_near(p[8], 0, 1e-4 * scale);
    }
}

static bool warns(const marey_clip *clip, const char *text)
{
    const marey_report *report = marey_clip_report(clip);
    for (int i = 0; i < report->warning_count; i++)
        if (strstr(report->warnings[i], text)) return true;
    return false;
}

/* ---- what is read ---------------------------------------------------------------------------- */

TEST_CTX(bones_and_a_take_are_read)
{
    NEED_READER();
    FREED char *text = write_arm(&(arm){ 0 });
    OWNED(marey_clip) *clip = load(ctx, text, NULL);
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    assert_int_equal(skeleton->joint_count, 3);
    assert_string_equal(skeleton->joints[0].name, "shoulder");
    assert_int_equal(skeleton->joints[2].parent, 1);
    assert_int_equal(marey_clip_frames(clip), 4);
    test_near(marey_clip_fps(clip), 25, 1e-9);
    check_wrist(clip, 5, 1);
    assert_false(warns(clip, "assimp"));
}

TEST_CTX(units_and_axes_are_those_of_the_file)
{
    NEED_READER();
    static const int z_up[6] = { 2, 1, 1, -1, 0, 1 }, x_up[6] = { 0, 1, 2, 1, 1, -1 };
    double p[9];
    FREED char *metres = write_arm(&(arm){ .unit = 100 });
    OWNED(marey_clip) *first = load(ctx, metres, NULL);
    check_wrist(first, 5, 100);
    FREED char *yards = write_arm(&(arm){ .unit = 91.44 });
    OWNED(marey_clip) *second = load(ctx, yards, NULL);
    check_wrist(second, 5, 91.44);
    FREED char *up = write_arm(&(arm){ .axes = z_up });
    OWNED(marey_clip) *third = load(ctx, up, NULL);
    marey_clip_positions(third, 0, 1, p); /* (9, 10, 0) with z up is (9, 0, -10) */
    test_near(p[6], 9, 1e-4);
    test_near(p[7], 0, 1e-4);
    test_near(p[8], -10, 1e-4);
    FREED char *odd = write_arm(&(arm){ .axes = x_up });
    OWNED(marey_clip) *fourth = load(ctx, odd, NULL);
    marey_clip_positions(fourth, 0, 1, p); /* up is x, right is -y */
    test_near(p[6], -10, 1e-4);
    test_near(p[7], 9, 1e-4);
    test_near(p[8], 0, 1e-4);
}

TEST_CTX(a_scale_does_not_reach_bones_that_drop_it)
{
    NEED_READER();
    FREED char *text = write_arm(&(arm){ .drops_scale = true });
    OWNED(marey_clip) *clip = load(ctx, text, NULL);
    check_wrist(clip, 10, 1); /* the elbow's place is scaled, what hangs below the elbow is not */
}

TEST_CTX(takes_are_chosen_by_name_or_number)
{
    NEED_READER();
    FREED char *text = write_arm(&(arm){ .two_takes = true });
    OWNED(marey_clip) *longest = load(ctx, text, NULL);
    assert_string_equal(marey_clip_name(longest), "arm_Wave");
    assert_true(warns(longest, "2 takes"));
    OWNED(marey_clip) *named = load(ctx, text, "Rest");
    assert_int_equal(marey_clip_frames(named), 2);
    OWNED(marey_clip) *second = load(ctx, text, "2");
    assert_int_equal(marey_clip_frames(second), 2);
    marey_clip *none = NULL;
    marey_load_def def = { .take = "Jump" };
    test_refused(
        marey_clip_load_bytes(ctx, "arm.fbx", text, strlen(text), &def, &none, &test_error),
        MAREY_ERR_INPUT, "it has no take \"Jump\" that moves the skeleton; it has Wave, Rest");
}

TEST_CTX(what_assimp_reads_otherwise_is_said)
{
    NEED_READER();
    static const struct {
        arm a;
        const char *said;
    } rows[] = { { { .flags = 0x8, .apart_ms = 400 }, "curves" },
                 { { .flags = 0x2, .apart_ms = 400 }, "steps" },
                 { { .layers = 2 }, "2 layers" },
                 { { .goes_on = true }, "goes on" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FREED char *text = write_arm(&rows[i].a);
        OWNED(marey_clip) *clip = load(ctx, text, NULL);
        if (!warns(clip, rows[i].said)) fail_msg("nothing about \"%s\"", rows[i].said);
    }
    /* A key a frame is right whatever joins them. */
    FREED char *baked = write_arm(&(arm){ .flags = 0x8 });
    OWNED(marey_clip) *clip = load(ctx, baked, NULL);
    assert_false(warns(clip, "assimp"));
    check_wrist(clip, 5, 1);
    marey_clip *none = NULL;
    FREED char *old = write_arm(&(arm){ .version = 6100 });
    test_refused(marey_clip_load_bytes(ctx, "arm.fbx", old, strlen(old), NULL, &none, &test_error),
                 MAREY_ERR_INPUT,
                 "it is of FBX version 6.1, and assimp reads 7.1 and later; write it again as FBX "
                 "2014 or later");
}

/* ---- the process that reads ------------------------------------------------------------------ */

/* A program that does this instead. */
static void pretend(const reader_bench *b, const char *script)
{
    const char *path = reader_path(b, "reader");
    char text[400];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    test_text_write(path, text);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("MAREY_FBX_READER", path, 1);
}

TEST_IN(reader_bench_make, reader_bench_free, a_reader_that_fails_is_a_message_and_nothing_more)
{
    reader_bench *b = *state;
    static const struct {
        const char *script;
        marey_status status;
        const char *said;
    } rows[] = {
        { "exit 127", MAREY_ERR_REQUEST, "libassimp5" },
        { "cat >/dev/null; kill -SEGV $$", MAREY_ERR_INPUT, "signal 11" },
        { "kill -KILL $$", MAREY_ERR_INPUT, "signal 9" },
        { "exit 3", MAREY_ERR_INPUT, "status 3" },
        /* It reads to the end: whether its socket is reset otherwise depends on who is quicker. */
        { "cat >/dev/null; exit 0", MAREY_ERR_INPUT, "no sense" },
        { "cat >/dev/null; kill -XCPU $$", MAREY_ERR_INPUT, "longer than 8 s" },
        { "cat >/dev/null; kill -PIPE $$", MAREY_ERR_INPUT, "signal 13" },
        { "cat >/dev/null; exit 127", MAREY_ERR_REQUEST, "libassimp5" },
        { "cat", MAREY_ERR_INPUT, "no sense" },
        { "cat >/dev/null; printf 'MFX1'", MAREY_ERR_INPUT, "no sense" },
        { "cat >/dev/null; printf 'MFX1\\002\\000\\000\\000'", MAREY_ERR_MEMORY, "memory" },
        { "cat >/dev/null; printf 'MFX1\\001\\000\\000\\000\\003\\000\\000\\000odd\\000'",
          MAREY_ERR_INPUT, "refuses it: odd" },
        { "exec cat /dev/zero", MAREY_ERR_LIMIT, "MB" },
        { "exec sleep 100", MAREY_ERR_INPUT, "longer than" },
        { "exec >/dev/null 2>&1 </dev/null; kill -STOP $$", MAREY_ERR_INPUT, "signal 9" },
    };
    FREED char *text = write_arm(&(arm){ 0 });
    size_t count = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count - !test_is_long();
         i++) { /* the last two are waited for, 8 s each */
        pretend(b, rows[i].script);
        marey_clip *clip = NULL;
        marey_status status =
            marey_clip_load_bytes(b->ctx, "arm.fbx", text, strlen(text), NULL, &clip, &test_error);
        /* On a machine that is busy it may take too long before it is too much. */
        bool late = rows[i].status == MAREY_ERR_LIMIT && status == MAREY_ERR_INPUT &&
                    strstr(test_error.message, "longer than");
        if (!late && (status != rows[i].status || !strstr(test_error.message, rows[i].said)))
            fail_msg("%s: %d, %s", rows[i].script, (int)status, test_error.message);
        assert_null(clip);
    }
    setenv("MAREY_FBX_READER", reader_path(b, "nothing"), 1);
    marey_clip *clip = NULL;
    test_refused(
        marey_clip_load_bytes(b->ctx, "arm.fbx", text, strlen(text), NULL, &clip, &test_error),
        MAREY_ERR_REQUEST,
        "FBX files are read with the library assimp, which is not there; on Debian and Ubuntu: "
        "apt-get install libassimp5 (to build marey: libassimp-dev)");
}

/* A file that no socket holds at once: what is not heard is known to be lost. */
TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b,
           a_reader_may_hear_little_of_a_large_file)
{
    static const struct {
        const char *script;
        marey_status status; /* or that of a connection that was cut */
        const char *said;
    } rows[] = { { "printf MFX1; cat >/dev/null", MAREY_ERR_INPUT, "no sense" },
                 { "exit 3", MAREY_ERR_INPUT, "status 3" },
                 { "head -c 100000 >/dev/null; kill -KILL $$", MAREY_ERR_INPUT, "signal 9" },
                 { "exec 0<&-; exit 0", MAREY_ERR_IO, "cannot talk" } };
    FREED char *text = write_arm(&(arm){ 0 });
    size_t count = (size_t)8 << 20;
    FREED char *large = malloc(count);
    memset(large, '\n', count);
    memcpy(large, text, strlen(text));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_clip *clip = NULL;
        pretend(b, rows[i].script);
        marey_status status =
            marey_clip_load_bytes(b->ctx, "arm.fbx", large, count, NULL, &clip, &test_error);
        bool gone = i == 3 && status == MAREY_ERR_INPUT; /* it was gone before anything was said */
        if (!gone && (status != rows[i].status || !strstr(test_error.message, rows[i].said)))
            fail_msg("%s: %d, %s", rows[i].script, (int)status, test_error.message);
    }
}

TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b,
           a_reader_that_cannot_be_started_is_not_there_or_why)
{
    char loop[400];
    FREED char *text = write_arm(&(arm){ 0 });
    snprintf(loop, sizeof loop, "%s", reader_path(b, "loop"));
    assert_int_equal(symlink(loop, loop), 0);
    test_text_write(reader_path(b, "plain"), "text");
    assert_int_equal(chmod(reader_path(b, "plain"), 0600), 0);
    const struct {
        const char *path; /* NULL: not named, so that it is looked for */
        marey_status status;
    } rows[] = { { reader_path(b, "plain"), MAREY_ERR_REQUEST },
                 { reader_path(b, "plain/below"), MAREY_ERR_REQUEST },
                 { loop, MAREY_ERR_INPUT },
                 { "", MAREY_ERR_REQUEST },
                 { NULL, MAREY_ERR_REQUEST } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(marey_clip) *clip = NULL;
        if (rows[i].path) setenv("MAREY_FBX_READER", rows[i].path, 1);
        if (!rows[i].path) unsetenv("MAREY_FBX_READER");
        marey_status status =
            marey_clip_load_bytes(b->ctx, "arm.fbx", text, strlen(text), NULL, &clip, &test_error);
        /* Where marey is installed its reader is found. */
        bool found = (!rows[i].path || !*rows[i].path) && status == MAREY_OK;
        if (!found) assert_int_equal(status, rows[i].status);
    }
}

/* A file of one record with so many bytes of flags of straight lines, packed: is that seen to the end? */
static bool sees_all(marey_ctx *ctx, size_t flags)
{
    enum { BEFORE = 27 + 13 + 12 + 13 };
    mry_arena tmp = mry_arena_make(ctx);
    mry_fbx_facts facts;
    uLongf packed = compressBound(flags);
    FREED uint8_t *zeros = calloc(1, flags), *bytes = calloc(1, BEFORE + packed);
    assert_int_equal(compress(bytes + BEFORE, &packed, zeros, flags), Z_OK);
    const uint32_t record[] = { (uint32_t)(BEFORE + packed), 1, (uint32_t)(13 + packed) };
    const uint32_t array[] = { (uint32_t)flags / 4, 1, (uint32_t)packed }, version = 7400;
    memcpy(bytes, "Kaydara FBX Binary  \0\x1a\0", 23);
    memcpy(bytes + 23, &version, 4);
    memcpy(bytes + 27, record, sizeof record);
    memcpy(bytes + 39, "\x0cKeyAttrFlagsi", 14);
    memcpy(bytes + 53, array, sizeof array);
    assert_true(mry_fbx_look(&tmp, bytes, BEFORE + packed, &facts));
    mry_arena_free(&tmp);
    return !facts.curves;
}

TEST_CTX(flags_that_unpack_to_far_more_than_the_file_are_not_followed)
{
    assert_true(sees_all(ctx, 100000));
    assert_false(sees_all(ctx, 20000000));
}

TEST_CTX(it_is_stopped_when_the_reading_is_cancelled)
{
    char folder[] = "/tmp/marey-fbx-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/reader", folder);
    test_text_write(path, "#!/bin/sh\nexec sleep 100\n");
    assert_int_equal(chmod(path, 0700), 0);
    setenv("MAREY_FBX_READER", path, 1);
    FREED char *text = write_arm(&(arm){ 0 });
    marey_clip *clip = NULL;
    marey_ctx_cancel(ctx);
    marey_status status =
        marey_clip_load_bytes(ctx, "arm.fbx", text, strlen(text), NULL, &clip, &test_error);
    unlink(path);
    rmdir(folder);
    assert_int_equal(status, MAREY_ERR_CANCELLED);
    assert_null(clip);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Reads it cut off, or with some bytes changed, so many times. Returns how often it was refused. */
static int damage(marey_ctx *ctx, const char *bytes, size_t size, int times)
{
    uint64_t seed = 1;
    int refused = 0;
    for (int i = 0; i < times; i++) {
        size_t count = i % 3 ? size : (size_t)(mry_random_next(&seed) % size);
        FREED char *exact = malloc(count + 1); /* so that a sanitizer sees a read past the end */
        memcpy(exact, bytes, count);
        for (int k = 0; k < i % 7 && count; k++)
            exact[mry_random_next(&seed) % count] = (char)mry_random_next(&seed);
        marey_clip *clip = NULL;
        marey_error error = { 0 };
        if (marey_clip_load_bytes(ctx, "arm.fbx", exact, count, NULL, &clip, &error)) {
            assert_true(!clip && error.message[0] != 0);
            refused++;
        }
        marey_clip_free(clip);
    }
    return refused;
}

TEST_IN(reader_bench_make, reader_bench_free, damaged_files_are_refused_or_read_and_do_no_harm)
{
    reader_bench *b = *state;
    int times = test_is_long() ? 4000 : 40;
    NEED_READER();
    FREED char *text = write_arm(&(arm){ .two_takes = true, .goes_on = true });
    assert_true(damage(b->ctx, text, strlen(text), times) > times / 10);
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 20);
    const char *path = reader_path(b, "person.fbx");
    size_t size;
    test_ok(marey_clip_save(clip, path, &test_error));
    FREED char *binary = test_file_read(path, &size);
    assert_true(damage(b->ctx, binary, size, times) > times / 10);
}

TEST(refused_memory_is_reported)
{
    NEED_READER();
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    FREED char *text = write_arm(&(arm){ .two_takes = true });
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_clip *clip = NULL;
        status = marey_clip_load_bytes(ctx, "arm.fbx", text, strlen(text), NULL, &clip, NULL);
        assert_int_equal(clip == NULL, status != MAREY_OK);
        marey_clip_free(clip);
    }
}

TEST_GROUP_OF_CASES(test_fbx_read, NULL, NULL)
