/* test_gltf_read.c - glTF files become clips: what marey writes it reads, other files are read as
   they say, worked out by hand here, and damaged ones are refused with a reason. */
#include "reader_bench.h"

#include "frame_measures.h"
#include "math/quat.h"
#include "math/turn.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

/* ---- what marey writes ----------------------------------------------------------------------- */

static void check_round_trip(const reader_bench *b, const marey_clip *clip)
{
    OWNED(marey_clip) *again = NULL;
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    test_ok(marey_clip_save(clip, b->glb, &test_error));
    test_ok(marey_clip_load(b->ctx, b->glb, NULL, &again, &test_error));
    assert_string_equal(marey_clip_report(again)->format, "glb");
    assert_int_equal(marey_clip_frames(again), frames);
    test_near(marey_clip_fps(again), marey_clip_fps(clip), 1e-6);
    assert_int_equal(marey_clip_skeleton(again)->joint_count, joints);
    for (int j = 0; j < joints; j++) {
        assert_string_equal(again->joints[j].name, clip->joints[j].name);
        assert_int_equal(again->joints[j].parent, clip->joints[j].parent);
    }
    FREED double *p = malloc(sizeof *p * 3 * (size_t)joints);
    FREED double *q = malloc(sizeof *q * 3 * (size_t)joints);
    double far = 0, turned = 0;
    for (int f = 0; f < frames; f++) {
        marey_clip_positions(clip, f, 1, p);
        marey_clip_positions(again, f, 1, q);
        for (int i = 0; i < 3 * joints; i++) far = fmax(far, fabs(p[i] - q[i]));
        for (int i = 0; i < 4 * joints; i += 4) {
            const float *a = mry_turn(clip, f) + i, *c = mry_turn(again, f) + i;
            float sign = mry_quat_dot(a, c) < 0 ? -1 : 1;
            for (int k = 0; k < 4; k++) turned = fmax(turned, fabs((double)(a[k] - sign * c[k])));
        }
    }
    /* Places are floats in metres in the file: 100 m from the origin they are known to 0.0008 cm. */
    if (far > 1e-4 || turned > 1e-5) print_message("%g cm, %g\n", far, turned);
    assert_true(far <= 1e-4 && turned <= 1e-5);
}

TEST_OF(reader_bench *b, what_is_written_is_read_again)
{
    static const char *const names[] = { "walk_straight", "cartwheels", "kicks" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_demo_take) *take = test_demo_take(b->ctx, names[i]);
        check_round_trip(b, marey_demo_clip(take));
        OWNED(marey_clip) *one = test_trimmed(marey_demo_clip(take), 5, 6);
        check_round_trip(b, one);
    }
}

TEST_OF(reader_bench *b, captured_clips_that_are_written_are_read_again)
{
    static const char *const names[] = { "cmu/144_01", "cmu/16_15", "cmu/02_02" };
    test_need_mocap();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_clip) *clip = test_captured(b->ctx, names[i]);
        check_round_trip(b, clip);
    }
}

/* ---- files by hand --------------------------------------------------------------------------- */

/* Buffers as base64: times 0, 0.5, 1; then places (0,0,0) (0,1,0) (0,4,0) in metres; then quaternions
   none, a quarter about z, none, as floats. */
#define TIMES "AAAAAAAAAD8AAIA/"
#define PLACES "AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgEAAAAAA"
#define TURNS "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAA8wQ1P/MENT8AAAAAAAAAAAAAAAAAAIA/"

#define GLTF "{\"asset\":{\"version\":\"2.0\"},"
#define BUFFERS                                                                                    \
    "\"buffers\":[{\"byteLength\":12,\"uri\":\"data:application/octet-stream;base64," TIMES        \
    "\"},{\"byteLength\":36,\"uri\":\"data:;base64," PLACES                                        \
    "\"},{\"byteLength\":48,\"uri\":\"data:;base64," TURNS                                         \
    "\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":12},{\"buffer\":1,\"byteLength\":36},"     \
    "{\"buffer\":2,\"byteLength\":48}],"
#define ACCESSORS                                                                                  \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"    \
    "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"                     \
    "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"}],"
#define ARM                                                                                        \
    "\"nodes\":[{\"name\":\"root\",\"children\":[1]},{\"name\":\"arm\",\"translation\":[1,0,0],"   \
    "\"children\":[2]},{\"name\":\"hand\",\"translation\":[1,0,0]}]"
#define SKIN ",\"skins\":[{\"joints\":[0,1,2]}]"
#define MOTION(way)                                                                                \
    ",\"animations\":[{\"name\":\"both\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"     \
    "\"path\":\"translation\"}},{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"rotation\"}}],"   \
    "\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":\"" way                             \
    "\"},{\"input\":0,\"output\":2,\"interpolation\":\"" way "\"}]}]"

#define MOVE "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},"

static marey_status read_text(marey_ctx *ctx, const char *text, const marey_load_def *def,
                              marey_clip **out, marey_error *error)
{
    return marey_clip_load_bytes(ctx, "file.gltf", text, strlen(text), def, out, error);
}

/* Where the hand is in a frame, cm. */
static void check_hand(const marey_clip *clip, int frame, double x, double y, double z)
{
    double at[9];
    marey_clip_positions(clip, frame, 1, at);
    double want[] = { x, y, z };
    for (int i = 0; i < 3; i++) test_near(at[6 + i], want[i], 2e-4);
}

/* Keys at 0, 0.5 and 1 s: no common rate has fewer than 10 frames a second. */
TEST_CTX(keys_are_joined_as_they_say)
{
    OWNED(marey_clip) *lines = NULL;
    test_ok(read_text(ctx, GLTF BUFFERS ACCESSORS ARM SKIN MOTION("LINEAR") "}", NULL, &lines,
                      &test_error));
    assert_string_equal(marey_clip_report(lines)->format, "gltf");
    assert_int_equal(marey_clip_frames(lines), 11);
    assert_true(marey_clip_fps(lines) == 10 && marey_clip_units(lines) == MAREY_UNITS_M);
    check_hand(lines, 0, 200, 0, 0);
    check_hand(lines, 5, 100, 200, 0); /* the arm points up, 1 m above */
    check_hand(lines, 10, 200, 400, 0);
    double turn = 0.4 * M_PI / 2; /* two of the five frames to a quarter */
    check_hand(lines, 2, 100 + 100 * cos(turn), 40 + 100 * sin(turn), 0);
    OWNED(marey_clip) *steps = NULL;
    test_ok(read_text(ctx, GLTF BUFFERS ACCESSORS ARM SKIN MOTION("STEP") "}", NULL, &steps,
                      &test_error));
    check_hand(steps, 4, 200, 0, 0);
    check_hand(steps, 5, 100, 200, 0);
    check_hand(steps, 9, 100, 200, 0);
}

/* Two keys with tangents: from 0 to 1 m in a second, with 3 m/s up at its beginning and none at its
   end: h(u) = u3 - 2 u2 + u times 3 and 3 u2 - 2 u3. */
TEST_CTX(cubic_splines_have_tangents)
{
    OWNED(marey_clip) *clip = NULL;
    test_ok(read_text(
        ctx,
        GLTF
        "\"buffers\":[{\"byteLength\":80,\"uri\":\"data:;base64,"
        "AAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA"
        "PwAAAAAAAAAAAAAAAAAAAAA=\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},"
        "{\"buffer\":0,\"byteOffset\":8,\"byteLength\":72}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"}]," ARM SKIN
        ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
        "\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1,\"interpolation\":"
        "\"CUBICSPLINE\"}]}]}",
        NULL, &clip, &test_error));
    for (int f = 0; f <= 10; f++) {
        double u = f / 10.0, u2 = u * u, u3 = u2 * u;
        check_hand(clip, f, 200, 100 * (3 * (u3 - 2 * u2 + u) + 3 * u2 - 2 * u3), 0);
    }
}

/* Integers that stand for -1 .. 1; and numbers of which only some are given. */
TEST_CTX(normalised_and_sparse_numbers_are_read)
{
    OWNED(marey_clip) *clip = NULL;
    test_ok(read_text(
        ctx,
        GLTF
        "\"buffers\":[{\"byteLength\":12,\"uri\":\"data:;base64," TIMES
        "\"},{\"byteLength\":28,\"uri\":\"data:;base64,AQACAAAAAAAAAIA/AAAAAAAAAAAAAIBAAAAAAA==\"},"
        "{\"byteLength\":24,\"uri\":\"data:;base64,AAAAAAAA/38AAAAAglqCWgAAAAAAAP9/\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":12},{\"buffer\":1,\"byteLength\":4},"
        "{\"buffer\":1,\"byteOffset\":4,\"byteLength\":24},{\"buffer\":2,\"byteLength\":24}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
        "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
        "\"indices\":{\"bufferView\":1,\"componentType\":5123},\"values\":{\"bufferView\":2}}},"
        "{\"bufferView\":3,\"componentType\":5122,\"normalized\":true,\"count\":3,"
        "\"type\":\"VEC4\"}]," ARM SKIN MOTION("LINEAR") "}",
        NULL, &clip, &test_error));
    double at[9], want[] = { 100, 200, 0 };
    marey_clip_positions(clip, 5, 1, at);
    for (int i = 0; i < 3; i++) test_near(at[6 + i], want[i], 0.01); /* 16 bits */
    check_hand(clip, 10, 200, 400, 0);
}

/* A node that is no joint carries the skeleton: it doubles it, lays it on its side and lifts it by a
   metre; another one lies between two joints and has a matrix. At rest all rotations are 0. */
TEST_CTX(joints_are_where_all_nodes_put_them)
{
    OWNED(marey_clip) *clip = NULL;
    test_ok(read_text(
        ctx,
        GLTF BUFFERS ACCESSORS
        "\"nodes\":[{\"name\":\"scene\",\"children\":[1],\"scale\":[2,2,2],\"translation\":[0,1,0],"
        "\"rotation\":[-0.7071067811865476,0,0,0.7071067811865476]},"
        "{\"name\":\"root\",\"children\":[2]},"
        "{\"name\":\"arm\",\"translation\":[1,0,0],\"rotation\":[0,0,0.7071067811865476,"
        "0.7071067811865476],\"children\":[3]},{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0.5,0,0,1],"
        "\"children\":[4]},{\"name\":\"hand\",\"translation\":[0.5,0,0]}],"
        "\"skins\":[{\"joints\":[1,2,4]}],\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":"
        "{\"node\":1,\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
        NULL, &clip, &test_error));
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    assert_int_equal(skeleton->joint_count, 4); /* what lies between joints is one */
    assert_string_equal(skeleton->joints[0].name, "root");
    assert_string_equal(skeleton->joints[2].name, "node_0");
    double at[12], want[] = { 200, 100, -200 }; /* the arm points along y, which lies along -z */
    marey_clip_positions(clip, 0, 1, at);
    for (int i = 0; i < 3; i++) test_near(at[9 + i], want[i], 1e-3);
    for (int j = 0; j < 4; j++) assert_true(fabsf(fabsf(mry_turn(clip, 0)[4 * j]) - 1) < 1e-6f);
    marey_clip_positions(clip, 10, 1, at); /* 4 m along y, doubled and laid down */
    test_near(at[9 + 2], -1000, 1e-3);
}

/* Which is against the rules. */
TEST_CTX(of_channels_with_one_target_the_last_counts)
{
    OWNED(marey_clip) *clip = NULL;
    test_ok(read_text(ctx,
                      GLTF BUFFERS ACCESSORS ARM SKIN
                      ",\"animations\":[{\"channels\":[{\"sampler\":1,\"target\":{\"node\":0,"
                      "\"path\":\"translation\"}}," MOVE MOVE
                      "{}],\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":1,"
                      "\"interpolation\":\"STEP\"}]}]}",
                      NULL, &clip, &test_error));
    check_hand(clip, 1, 200, 20, 0);
}

TEST_CTX(without_a_skin_what_is_animated_is_the_skeleton)
{
    OWNED(marey_clip) *clip = NULL;
    test_ok(
        read_text(ctx, GLTF BUFFERS ACCESSORS ARM MOTION("LINEAR") "}", NULL, &clip, &test_error));
    assert_int_equal(marey_clip_skeleton(clip)->joint_count, 3);
    check_hand(clip, 5, 100, 200, 0);
    OWNED(marey_clip) *still = NULL;
    test_ok(read_text(ctx, GLTF ARM SKIN "}", NULL, &still, &test_error));
    assert_int_equal(marey_clip_frames(still), 1);
    check_hand(still, 0, 200, 0, 0);
}

TEST_CTX(the_longest_take_is_read_or_the_one_that_is_asked_for)
{
    static const char text[] = GLTF BUFFERS
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"},"
        "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]," ARM SKIN
        ",\"animations\":[{\"name\":\"2nd|\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
        "\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]},{\"name\":\"long\","
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}],"
        "\"samplers\":[{\"input\":2,\"output\":3}]}]}";
    static const struct {
        const char *take;
        int frames;
    } rows[] = { { NULL, 11 }, { "long", 11 }, { "2nd|", 6 }, { "1", 6 }, { "2", 11 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_load_def def = { .take = rows[i].take };
        OWNED(marey_clip) *clip = NULL;
        test_ok(read_text(ctx, text, &def, &clip, &test_error));
        assert_int_equal(marey_clip_frames(clip), rows[i].frames);
        assert_string_equal(marey_clip_name(clip), rows[i].frames == 6 ? "file_2nd_" : "file_long");
        const marey_report *report = marey_clip_report(clip);
        bool says = false;
        for (int k = 0; k < report->warning_count; k++)
            says |= strstr(report->warnings[k], "2 takes; the longest was read, long") != NULL;
        assert_int_equal(says, i == 0);
    }
    static const char *const others[] = { "other", "1st", "3", "" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        marey_load_def def = { .take = others[i] };
        marey_clip *none = NULL;
        assert_int_equal(read_text(ctx, text, &def, &none, &test_error), MAREY_ERR_INPUT);
        assert_non_null(strstr(test_error.message, "2nd|, long"));
    }
}

/* Places of the arm that are off by one bit, to either side: that is rounding. */
TEST_CTX(all_takes_have_the_same_bones)
{
    static const char text[] = GLTF
        "\"buffers\":[{\"byteLength\":56,\"uri\":\"data:;base64,AAAAAAAAgD///38/AAAAAAAAAAD//38/"
        "AAAAAAAAAAABAIA/AAAAAAAAAAABAIA/AAAAAAAAAAA=\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":56}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,"
        "\"type\":\"SCALAR\"},{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5126,"
        "\"count\":2,\"type\":\"VEC3\"},{\"bufferView\":0,\"byteOffset\":32,\"componentType\":5126,"
        "\"count\":2,\"type\":\"VEC3\"}]," ARM SKIN
        ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":"
        "\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]},{\"channels\":[{\"sampler\":"
        "0,\"target\":{\"node\":1,\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,"
        "\"output\":2}]}]}";
    for (int i = 0; i < 2; i++) {
        marey_load_def def = { .take = i ? "2" : "1" };
        OWNED(marey_clip) *clip = NULL;
        test_ok(read_text(ctx, text, &def, &clip, &test_error));
        assert_true(clip->joints[1].offset_cm[0] == 100);
    }
}

/* ---- files beside it ------------------------------------------------------------------------- */

TEST_OF(reader_bench *b, buffers_lie_beside_the_file_and_nowhere_else)
{
    static const char *const elsewhere[] = { "../times.bin",
                                             "/etc/passwd",
                                             "a/../../times.bin",
                                             "%2e%2e/times.bin",
                                             "http://x/times.bin",
                                             "..%2ftimes.bin",
                                             "a\\\\..\\\\times.bin",
                                             "",
                                             "a//times.bin",
                                             "a/",
                                             "a%00b",
                                             "a%3ab",
                                             "other.bin",
                                             "%4",
                                             "a%4x.bin",
                                             "a%x4.bin" };
    FILE *out = fopen(reader_path(b, "the times.bin"), "wb");
    float times[] = { 0, 0.5F, 1 };
    assert_int_equal(fwrite(times, sizeof times, 1, out), 1);
    fclose(out);
    for (int i = -1; i < (int)(sizeof elsewhere / sizeof *elsewhere); i++) {
        char text[3000];
        snprintf(text, sizeof text,
                 GLTF "\"buffers\":[{\"byteLength\":12,\"uri\":\"%s\"},{\"byteLength\":36,\"uri\":"
                      "\"data:;base64," PLACES
                      "\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":12},"
                      "{\"buffer\":1,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
                      "\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},{\"bufferView\":1,"
                      "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]," ARM SKIN
                      ",\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                      "\"path\":\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
                 i < 0 ? "the%20times.bin" : elsewhere[i]);
        test_text_write(reader_path(b, "file.gltf"), text);
        OWNED(marey_clip) *clip = NULL;
        marey_status status =
            marey_clip_load(b->ctx, reader_path(b, "file.gltf"), NULL, &clip, &test_error);
        assert_int_equal(status, i < 0 ? MAREY_OK : MAREY_ERR_INPUT);
        const char *why = i >= 12 ? "\", which must be a file beside it" : "not beside it";
        if (i >= 0) assert_non_null(strstr(test_error.message, why));
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

TEST_OF(reader_bench *b, damaged_files_are_refused_with_a_reason)
{
    static const reader_row rows[] = {
        { "no JSON", "{\"asset\":", REFUSED, 0, 0, "JSON" },
        { "no asset", "{}", REFUSED, 0, 0, "asset" },
        { "an old version", "{\"asset\":{\"version\":\"1.0\"}}", REFUSED, 0, 0, "1.0" },
        { "no nodes", GLTF "\"nodes\":[]}", REFUSED, 0, 0, "no nodes" },
        { "no skeleton", GLTF "\"nodes\":[{}]}", REFUSED, 0, 0, "no skeleton" },
        { "an extension", GLTF "\"extensionsRequired\":[\"EXT_meshopt_compression\"]}", REFUSED, 0,
          0, "EXT_meshopt_compression" },
        { "a child that is not there", GLTF "\"nodes\":[{\"children\":[7]}]" SKIN "}", REFUSED, 0,
          0, "child" },
        { "two parents",
          GLTF "\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}],\"skins\":[{\"joints\":[2]}]}",
          REFUSED, 0, 0, "another's" },
        { "a circle",
          GLTF "\"nodes\":[{\"children\":[1]},{\"children\":[0]}],\"skins\":[{\"joints\":[0]}]}",
          REFUSED, 0, 0, "no skeleton" },
        { "a joint that is not there", GLTF "\"nodes\":[{}],\"skins\":[{\"joints\":[-1]}]}",
          REFUSED, 0, 0, "joint" },
        { "half a rotation", GLTF "\"nodes\":[{\"rotation\":[0,0]}],\"skins\":[{\"joints\":[0]}]}",
          REFUSED, 0, 0, "transform" },
        { "an accessor that is not there", GLTF ARM SKIN MOTION("LINEAR") "}", REFUSED, 0, 0,
          "accessor 0" },
        { "a way that is not known", GLTF BUFFERS ACCESSORS ARM SKIN MOTION("WOBBLE") "}", REFUSED,
          0, 0, "channel 0" },
        { "keys past the end",
          GLTF BUFFERS
          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":"
          "\"SCALAR\"}]," ARM SKIN MOTION("LINEAR") "}",
          REFUSED, 0, 0, "past the end" },
        { "billions of keys",
          GLTF
          "\"accessors\":[{\"componentType\":5126,\"count\":2000000000,\"type\":\"SCALAR\"}]," ARM
              SKIN MOTION("LINEAR") "}",
          REFUSED, 0, 0, "no bytes" },
        { "one list for many channels",
          GLTF "\"accessors\":[{\"componentType\":5126,\"count\":1000000,\"type\":\"SCALAR\"},"
               "{\"componentType\":5126,\"count\":1000000,\"type\":\"VEC3\"}]," ARM SKIN
               ",\"animations\":[{\"channels\":[" MOVE MOVE MOVE MOVE MOVE
               "{}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
          REFUSED, 0, 0, "far more numbers" },
        { "deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", REFUSED,
          0, 0, "levels" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        reader_check(b, ".gltf", rows[i].bytes, strlen(rows[i].bytes), &rows[i], 0);
}

/* Cut anywhere, or with any byte changed, it is read or refused with a reason, and nothing is held.
 */
TEST_OF(reader_bench *b, damaged_bytes_do_no_harm)
{
    OWNED(marey_ctx) *other = test_ctx();
    OWNED(marey_demo_take) *take = test_demo_take(other, "walk_straight");
    OWNED(marey_clip) *clip = test_trimmed(marey_demo_clip(take), 0, 3);
    test_ok(marey_clip_save(clip, b->glb, &test_error));
    size_t count;
    FREED char *bytes = test_file_read(b->glb, &count);
    uint64_t seed = 1;
    for (int i = 0; i < (test_is_long() ? 20000 : 1500); i++) {
        FREED char *copy = malloc(count);
        memcpy(copy, bytes, count);
        size_t length = i % 3 ? count : (size_t)(mry_random_next(&seed) % count);
        for (int k = 0; k < i % 3; k++)
            copy[mry_random_next(&seed) % (i % 2 ? 6000 : count)] = (char)mry_random_next(&seed);
        OWNED(marey_clip) *made = reader_load(b, ".glb", copy, length, 0);
        if (!made) assert_true(test_error.message[0] != 0);
    }
}

TEST_OF(reader_bench *b, refused_memory_is_reported)
{
    static const char text[] = GLTF BUFFERS ACCESSORS ARM SKIN MOTION("LINEAR") "}";
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &b->memory }; test_refuse(&sweep, status);) {
        marey_clip *clip = NULL;
        status = read_text(b->ctx, text, NULL, &clip, NULL);
        assert_int_equal(clip == NULL, status != MAREY_OK);
        marey_clip_free(clip);
    }
    /* A name so long that it needs memory of its own: "./" again and again. */
    char beside[7000], name[5000] = "";
    float times[] = { 0, 0.5F, 1 };
    for (int i = 0; i < 1100; i++) memcpy(name + 4 * i, "%2e/", 5);
    snprintf(beside, sizeof beside,
             GLTF "\"buffers\":[{\"byteLength\":12,\"uri\":\"%stimes.bin\"}],\"bufferViews\":[{"
                  "\"buffer\":0,\"byteLength\":12},{\"buffer\":0,\"byteLength\":12}],"
                  "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":"
                  "\"SCALAR\"},{\"bufferView\":1,\"componentType\":5126,\"count\":1,\"type\":"
                  "\"VEC3\"}]," ARM SKIN ",\"animations\":[{\"channels\":[" MOVE
                  "{}],\"samplers\":[{\"input\":0,\"output\":1}]}]}",
             name);
    test_text_write(reader_path(b, "file.gltf"), beside);
    test_file_write(reader_path(b, "times.bin"), (const char *)times, sizeof times);
    for (test_refusals sweep = { .memory = &b->memory, .each = true };
         test_refuse(&sweep, status);) {
        marey_clip *clip = NULL;
        status = marey_clip_load(b->ctx, reader_path(b, "file.gltf"), NULL, &clip, &test_error);
        marey_clip_free(clip);
    }
}

TEST_GROUP_OF_CASES(test_gltf_read, reader_bench_make, reader_bench_free)
