/* test_gltf.c - what is written as .glb shows the same motion. The judge is
   tests/support/glb_reader.c, which shares nothing with the writer; scripts/check_gltf asks other
   programs. */
#include "reader_bench.h"

#include <math.h>
#include <stdlib.h>

#include "glb_reader.h"
#include "io/gltf_parts.h"

static const double tolerance_cm = 1e-3;

static glb *save(const reader_bench *b, const marey_clip *clip)
{
    test_ok(marey_clip_save(clip, b->glb, &test_error));
    return glb_load(b->glb);
}

/* ---- the same joint positions ---------------------------------------------------------------- */

static double farthest(const double *metres, const double *cm, int joints)
{
    double worst = 0;
    for (int i = 0; i < 3 * joints; i++) worst = fmax(worst, fabs(metres[i] * 100 - cm[i]));
    return worst;
}

/* At every frame, or at some 300 of a long clip, and between frames. Returns the worst, in cm. */
static double compare_positions(const glb *file, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, frames = marey_clip_frames(clip), step = frames / 300 + 1;
    size_t n = (size_t)joints + 1;
    FREED double *seen = malloc(3 * n * sizeof *seen), *truth = malloc(3 * n * sizeof *truth);
    double *places = malloc(3 * n * sizeof *places), worst = 0;
    FREED float *turns = malloc(4 * n * sizeof *turns);
    assert_int_equal(glb_count(file, glb_get(file, 0, "nodes")), joints + 1);
    for (int f = 0; f < frames; f += f + step < frames || f == frames - 1 ? step : frames - 1 - f) {
        float key = (float)(f / marey_clip_fps(clip));
        glb_pose(file, (double)key, seen, NULL);
        marey_clip_positions(clip, f, 1, truth);
        worst = fmax(worst, farthest(seen, truth, joints));
        double between =
            fmin((f + 0.3) / marey_clip_fps(clip), (frames - 1) / marey_clip_fps(clip));
        glb_pose(file, between, seen, NULL);
        marey_clip_sample(clip, between, places, turns);
        marey_pose_positions(skeleton, places, turns, truth);
        worst = fmax(worst, farthest(seen, truth, joints));
    }
    free(places);
    return worst;
}

/* Every vertex hangs on one joint of the skeleton, and the bind matrix of that joint brings the
   bone's base to the origin, so that the joint carries it. In the writer's order the sixth of a
   bone's 24 corners is its base. */
static void expect_sound_mesh(const glb *file, const marey_clip *clip)
{
    int joints = marey_clip_skeleton(clip)->joint_count, vertices, matrices, count, width;
    const float *corners = glb_floats(file, 0, &vertices, &width);
    const float *normals = glb_floats(file, 1, &count, &width);
    const uint16_t *carriers = glb_shorts(file, 3, &count, &width);
    const float *weights = glb_floats(file, 4, &count, &width);
    const float *bind = glb_floats(file, 5, &matrices, &width);
    assert_int_equal(matrices, joints);
    assert_int_equal(count, vertices);
    assert_int_equal(vertices % 24, 0);
    for (int v = 0; v < vertices; v++) {
        const float *n = normals + 3 * v, *corner = corners + 3 * v;
        int joint = carriers[4 * v];
        assert_true(joint < joints && weights[4 * v] == 1 && weights[4 * v + 1] == 0);
        assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5f);
        for (int i = 0; i < 3 && v % 24 == 5; i++) {
            float left = corner[i] + bind[16 * joint + 12 + i];
            assert_true(fabsf(left) <= 1e-6f * fmaxf(1, fabsf(corner[i])));
        }
    }
}

static void expect_same_motion(const reader_bench *b, const marey_clip *clip, const char *name)
{
    OWNED(glb) *file = save(b, clip);
    double worst = compare_positions(file, clip);
    if (!(worst <= tolerance_cm)) fail_msg("%s: joints are up to %g cm off", name, worst);
    expect_sound_mesh(file, clip);
}

#define CASE(name) TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b, name)

CASE(the_small_person_moves_as_in_the_clip)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 90);
    expect_same_motion(b, clip, "person");
}

static void visit_real(void *user, const char *path)
{
    reader_bench *b = user;
    OWNED(marey_clip) *clip = test_clip_load(b->ctx, path);
    expect_same_motion(b, clip, path);
}

CASE(real_clips_move_as_they_did)
{
    test_need_mocap();
    assert_true(test_mocap_each("cmu", "02_02.bvh", visit_real, b) > 0);
    assert_true(test_mocap_each("cmu", "49_06.bvh", visit_real, b) > 0);
    assert_true(test_mocap_each("bandai", "normal_001.bvh", visit_real, b) > 0);
    assert_true(test_mocap_each("accad", ".bvh", visit_real, b) > 0);
    assert_true(test_mocap_each("cmu_asfamc", "_06.amc", visit_real, b) > 0);
    assert_true(test_mocap_each("format_zoo", ".bvh", visit_real, b) > 0);
}

/* ---- small skeletons ------------------------------------------------------------------------- */

#define ROOT_CHANNELS "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
#define TURNS "CHANNELS 3 Zrotation Xrotation Yrotation\n"

static const char *node_name(const glb *file, int node)
{
    return glb_text(file, glb_get(file, glb_find(file, "nodes", node), "name"));
}

CASE(one_frame_is_an_animation_of_one_key)
{
    OWNED(marey_clip) *clip = test_clip(
        b->ctx, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
                "JOINT Knee\n{\nOFFSET 0 -40 0\n" TURNS "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\n"
                "MOTION\nFrames: 1\nFrame Time: 0.04\n"
                "1 90 2 10 20 30 40 50 60\n");
    OWNED(glb) *file = save(b, clip);
    assert_true(compare_positions(file, clip) <= tolerance_cm);
    expect_sound_mesh(file, clip);
    int count, width;
    glb_floats(file, 6, &count, &width);
    assert_int_equal(count, 1);
}

/* The knee holds a turn, the toe none: two keys, and no track at all. */
CASE(what_does_not_change_has_two_keys_or_none)
{
    OWNED(marey_clip) *clip = test_clip(
        b->ctx, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS "JOINT Knee\n{\n"
                "OFFSET 0 -40 0\n" TURNS "JOINT Toe\n{\nOFFSET 0 -40 0\n" TURNS "}\n}\n}\n"
                "MOTION\nFrames: 4\nFrame Time: 0.04\n"
                "0 90 0 1 0 0 10 0 0 0 0 0\n0 90 0 2 0 0 10 0 0 0 0 0\n"
                "0 90 0 3 0 0 10 0 0 0 0 0\n0 90 0 4 0 0 10 0 0 0 0 0\n");
    OWNED(glb) *file = save(b, clip);
    int animation = glb_find(file, "animations", 0), count, width;
    assert_true(compare_positions(file, clip) <= tolerance_cm);
    assert_int_equal(glb_count(file, glb_get(file, animation, "channels")), 3);
    const float *times = glb_floats(file, 6, &count, &width);
    assert_int_equal(count, 4);
    assert_float_equal(times[3], 0.12f, 0);
    const float *ends = glb_floats(file, 7, &count, &width);
    assert_int_equal(count, 2);
    assert_float_equal(ends[1], 0.12f, 0);
    glb_floats(file, 8, &count, &width); /* the root's place stands still */
    assert_int_equal(count, 2);
    glb_floats(file, 9, &count, &width);
    assert_int_equal(count, 4);
    glb_floats(file, 10, &count, &width);
    assert_int_equal(count, 2);
}

/* One joint is held away from its offset, one stretches. */
CASE(joints_with_positions_of_their_own_are_where_they_are_put)
{
    OWNED(marey_clip) *clip = test_clip(
        b->ctx, "HIERARCHY\nROOT Hips\n{\nOFFSET 5 6 7\n" ROOT_CHANNELS "JOINT Held\n{\n"
                "OFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT Stretched\n{\n"
                "OFFSET 0 -40 0\nCHANNELS 1 Yposition\n}\n}\n}\n"
                "MOTION\nFrames: 3\nFrame Time: 0.04\n0 90 0 0 0 0 9 -30 1 -35\n"
                "0 91 0 30 0 0 9 -30 1 -36\n0 92 0 60 0 0 9 -30 1 -38\n");
    expect_same_motion(b, clip, "movers");
    OWNED(glb) *file = glb_load(b->glb);
    int held = glb_get(file, glb_find(file, "nodes", 1), "translation");
    assert_float_equal((float)glb_number(file, glb_at(file, held, 1)), -0.3f, 1e-7f);
}

CASE(names_keep_their_characters_and_differ)
{
    static const char *const names[] = { "My \"rig\": \\ H\303\274fte \360\237\246\264",
                                         "J",
                                         "J_2",
                                         "J_3",
                                         "Latin \303\274",
                                         "Bones",
                                         "J_2_2",
                                         "Bones_2" };
    char text[2048];
    int n = snprintf(text, sizeof text, "HIERARCHY\nROOT %s\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS,
                     names[0]);
    static const char *const children[] = { "J", "J", "J", "Latin \374", "Bones", "J_2" };
    for (int i = 0; i < 6; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "JOINT %s\n{\nOFFSET 1 %d 0\n" TURNS "}\n",
                      children[i], i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "}\nMOTION\nFrames: 1\nFrame Time: 0.04\n");
    for (int i = 0; i < 24; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%d%s", i, i < 23 ? " " : "\n");
    OWNED(marey_clip) *clip = test_clip(b->ctx, text);
    OWNED(glb) *file = save(b, clip);
    for (int i = 0; i < 8; i++) assert_string_equal(node_name(file, i), names[i]);
}

/* A thousand joints of one name; every one gets its own, in well under a second. */
CASE(many_joints_of_one_name_get_names_of_their_own)
{
    enum { JOINTS = 1000 };
    FREED char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS, out);
    for (int j = 1; j < JOINTS; j++) fputs("JOINT a\n{\nOFFSET 0 1 0\n", out);
    for (int j = 0; j < JOINTS; j++) fputs("}\n", out);
    fputs("MOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0 0 0 0\n0 0 0 45 0 0\n", out);
    fclose(out);
    OWNED(marey_clip) *clip = test_clip(b->ctx, text);
    expect_same_motion(b, clip, "chain");
    OWNED(glb) *file = glb_load(b->glb);
    assert_string_equal(node_name(file, 0), "a");
    assert_string_equal(node_name(file, JOINTS - 1), "a_1000");
}

CASE(a_clip_without_any_bone_has_a_body_all_the_same)
{
    OWNED(marey_clip) *clip =
        test_clip(b->ctx, "HIERARCHY\nROOT Point\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
                          "}\nMOTION\nFrames: 2\nFrame Time: 0.04\n"
                          "0 0 0 0 0 0\n1 2 3 0 0 0\n");
    expect_same_motion(b, clip, "point");
    OWNED(glb) *file = glb_load(b->glb);
    int count, width;
    glb_floats(file, 0, &count, &width);
    assert_int_equal(count, 24);
}

/* The root spins by 170 degrees a frame, so the file's angles pass the half turn again and again;
   the reader fails the test if two neighbours lie on opposite sides. */
CASE(turning_on_and_on_never_changes_sides)
{
    char text[4096];
    int n = snprintf(text, sizeof text,
                     "HIERARCHY\nROOT Top\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
                     "End Site\n{\nOFFSET 10 0 0\n}\n}\nMOTION\nFrames: 60\nFrame Time: 0.04\n");
    for (int f = 0; f < 60; f++)
        n += snprintf(text + n, sizeof text - (size_t)n, "0 0 0 0 0 %d\n", f * 170 % 360);
    OWNED(marey_clip) *clip = test_clip(b->ctx, text);
    expect_same_motion(b, clip, "top");
}

/* ---- what else is said ----------------------------------------------------------------------- */

CASE(extras_say_where_it_comes_from)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 12);
    OWNED(glb) *file = save(b, clip);
    int asset = glb_get(file, 0, "asset");
    int said = glb_get(file, glb_get(file, asset, "extras"), "marey");
    assert_string_equal(glb_text(file, glb_get(file, asset, "version")), "2.0");
    assert_string_equal(glb_text(file, glb_get(file, said, "clip")), "test");
    assert_string_equal(glb_text(file, glb_get(file, said, "source_format")), "bvh");
    assert_int_equal((int)glb_number(file, glb_get(file, said, "frames")), 12);
    assert_true(glb_number(file, glb_get(file, said, "fps")) == marey_clip_fps(clip));
}

/* What a caller gives is parsed first: it must not end the object it stands in. */
CASE(provenance_is_a_json_object_or_refused)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 3);
    test_refused(marey_clip_save_with(clip, b->glb, "{\"a\":1}},\"b\":{{", &test_error),
                 MAREY_ERR_REQUEST, "its provenance must be a JSON object");
    assert_string_equal(test_error.path, "test");
    assert_int_equal(test_folder_count(b->folder), 0);
    test_ok(marey_clip_save_with(clip, b->glb, " { \"made_by\" : \"hand\" } ", &test_error));
    glb *file = glb_load(b->glb);
    int said = glb_get(file, glb_get(file, glb_get(file, 0, "asset"), "extras"), "marey");
    assert_string_equal(glb_text(file, glb_get(file, glb_get(file, said, "provenance"), "made_by")),
                        "hand");
    glb_free(file);
    clip->report.format = "\xff\"b"; /* as a library that was sent could say it */
    file = save(b, clip);
    said = glb_get(file, glb_get(file, glb_get(file, 0, "asset"), "extras"), "marey");
    assert_string_equal(glb_text(file, glb_get(file, said, "source_format")), "\xc3\xbf\"b");
    glb_free(file);
}

/* Left legs and right legs have colours of their own. */
CASE(the_sides_of_the_body_differ_in_colour)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 2);
    OWNED(glb) *file = save(b, clip);
    int count, width, vertices;
    const uint16_t *joints = glb_shorts(file, 3, &vertices, &width);
    int view = glb_find(file, "bufferViews", 2); /* bytes just before the joints' */
    const uint8_t *colours =
        (const uint8_t *)joints - (size_t)glb_number(file, glb_get(file, view, "byteLength"));
    const uint8_t *left = NULL, *right = NULL;
    glb_floats(file, 0, &count, &width);
    assert_int_equal(count, vertices);
    for (int v = 0; v < vertices; v++) {
        if (strcmp(node_name(file, joints[4 * v]), "LeftLeg") == 0) left = colours + 4 * v;
        if (strcmp(node_name(file, joints[4 * v]), "RightLeg") == 0) right = colours + 4 * v;
    }
    assert_non_null(left);
    assert_non_null(right);
    assert_memory_not_equal(left, right, 3);
}

/* Every edge of a triangle is an edge of just one other, the other way round. */
CASE(bodies_are_closed)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 2);
    OWNED(glb) *file = save(b, clip);
    int vertices, width;
    const float *at = glb_floats(file, 0, &vertices, &width);
    const size_t size = 3 * sizeof *at;
    assert_true(vertices > 0 && vertices % 3 == 0 && width == 3);
    for (int v = 0; v < vertices; v++) {
        int next = v - v % 3 + (v + 1) % 3, back = 0;
        for (int w = 0; w < vertices; w++) {
            int behind = w - w % 3 + (w + 1) % 3;
            back += memcmp(at + 3 * v, at + 3 * behind, size) == 0 &&
                    memcmp(at + 3 * next, at + 3 * w, size) == 0;
        }
        assert_int_equal(back, 1);
    }
}

CASE(what_32_bits_cannot_hold_is_refused)
{
    test_ok(mry_gltf_check_size(8000000, 120, 4294967295u, "a.glb", &test_error));
    test_ok(mry_gltf_check_size(1, 0.1, 1000, "a.glb", &test_error));
    test_refused_about(mry_gltf_check_size(2, 0.1, 4294967296u, "a.glb", &test_error),
                       MAREY_ERR_LIMIT, "4.3 GB");
    test_refused_about(mry_gltf_check_size(40000000, 120, 1000, "a.glb", &test_error),
                       MAREY_ERR_LIMIT, "too many frames");
}

/* ---- accidents ------------------------------------------------------------------------------- */

CASE(refused_memory_leaves_nothing_behind)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_error error = { 0 };
        assert_int_equal(test_folder_count(b->folder), 0);
        status = marey_clip_save(clip, b->glb, &error);
        if (status) assert_true(error.message[0] != 0);
    }
}

CASE(failing_files_leave_the_older_file_as_it_was)
{
    test_files files = { .kinds = TEST_IO_ALL & ~TEST_IO_LIST, .fail = -1 };
    marey_ctx_def def = { .io = test_files_io(&files), .threads = 1 };
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&def, &ctx));
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    test_file_write(b->glb, "older", 5);
    files.most_at_once = 1000;
    long failed = 0;
    for (;; failed = test_next(failed)) {
        size_t count;
        files.calls = 0;
        files.fail = failed;
        marey_status status = marey_clip_save(clip, b->glb, &test_error);
        assert_int_equal(files.open_handles, 0);
        assert_int_equal(test_folder_count(b->folder), 1);
        if (status == MAREY_OK) break;
        assert_int_equal(status, MAREY_ERR_IO);
        FREED char *bytes = test_file_read(b->glb, &count);
        assert_int_equal(count, 5);
    }
    assert_true(failed > 20);
    glb_free(glb_load(b->glb));
}

CASE(a_cancelled_save_leaves_nothing)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 20);
    marey_ctx_cancel(b->ctx);
    assert_int_equal(marey_clip_save(clip, b->glb, &test_error), MAREY_ERR_CANCELLED);
    assert_int_equal(test_folder_count(b->folder), 0);
    marey_ctx_resume(b->ctx);
}

TEST_GROUP_OF_CASES(test_gltf, NULL, NULL)
