/* test_amc_write.c - what is written as .amc, with its .asf, is read back as it was. A second reader of both
   files judges them in test_asfamc_judge.c. */
#include "reader_bench.h"

#include <stdlib.h>

static const double tolerance_cm = 1e-3;

/* Every joint of the clip in every frame, or some 100 of a long one, among those of what was read back,
   which has bones more where children start apart, and lacks those `above` the hips. */
static void expect_same_places(const marey_clip *clip, const marey_clip *back, int above)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(back);
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    int *same = malloc((size_t)joints * sizeof *same), found = 0;
    for (int j = 0; j < skeleton->joint_count; j++) {
        size_t length = strlen(skeleton->joints[j].name);
        bool start = length > 6 && strcmp(skeleton->joints[j].name + length - 6, "_start") == 0;
        if (start) continue;
        assert_true(found < joints);
        same[found++] = j;
    }
    assert_int_equal(found, joints - above);
    assert_int_equal(marey_clip_frames(back), frames);
    test_near(marey_clip_fps(back), marey_clip_fps(clip), 1e-6);
    for (int f = 0; f < frames; f += frames / 100 + 1) {
        FREED double *a = test_positions(clip, f), *b = test_positions(back, f);
        for (int i = 0; i < 3 * found; i++)
            test_near(b[3 * same[i / 3] + i % 3], a[3 * above + i], tolerance_cm);
    }
    free(same);
}

/* Units and axes are not said in the files, so what was known of the clip is said again. */
static marey_clip *save_and_load(reader_bench *b, const marey_clip *clip)
{
    marey_load_def def = { .units = marey_clip_units(clip), .up = marey_clip_up(clip) };
    marey_clip *back = NULL;
    reader_clear(b);
    test_ok(marey_clip_save(clip, b->amc, &test_error));
    assert_int_equal(test_folder_count(b->folder), 2);
    test_ok(marey_clip_load(b->ctx, b->amc, &def, &back, &test_error));
    return back;
}

TEST_OF(reader_bench *b, clips_of_other_formats_are_read_back_as_they_were)
{
    static const char *const takes[] = { "cartwheels", "jog_curve" };
    for (int i = 0; i < 2; i++) {
        marey_demo_take *take = test_demo_take(b->ctx, takes[i]);
        OWNED(marey_clip) *back = save_and_load(b, marey_demo_clip(take));
        expect_same_places(marey_demo_clip(take), back, 0);
        marey_demo_free(take);
    }
    OWNED(marey_clip) *person = test_person_clip(b->ctx, 100);
    OWNED(marey_clip) *back = save_and_load(b, person);
    expect_same_places(person, back, 0);
}

TEST_OF(reader_bench *b, real_clips_are_read_back_as_they_were)
{
    static const char *const files[] = { "cmu/02_02.bvh", "bandai/dataset-1_kick_normal_001.bvh",
                                         "accad/Male1_B3_Walk.bvh" };
    test_need_mocap();
    for (int i = 0; i < 3; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(b->ctx, files[i]);
        OWNED(marey_clip) *back = save_and_load(b, clip);
        expect_same_places(clip, back, i == 1); /* which has a root that stands still */
    }
}

/* What was read from such files keeps its degrees of freedom and its numbers. */
static void expect_same_file(reader_bench *b, const marey_clip *clip)
{
    OWNED(marey_clip) *back = save_and_load(b, clip);
    test_same_numbers(clip, back);
    expect_same_places(clip, back, 0);
}

TEST_OF(reader_bench *b, an_amc_keeps_its_numbers)
{
    static const char *const files[] = {
        "cmu_asfamc/02_02.amc", "hdm05/kickLFront1Reps/HDM_bd_kickLFront1Reps_001_120.amc"
    };
    test_text_write(b->asf, GOOD);
    test_text_write(b->amc, ":DEGREES\n1\nroot 1 2 3 4 5 6\nhip 7.25 8\n");
    OWNED(marey_clip) *small = test_clip_load(b->ctx, b->amc);
    expect_same_file(b, small);
    test_need_mocap();
    for (int i = 0; i < 2; i++) {
        OWNED(marey_clip) *clip = test_mocap_load(b->ctx, files[i]);
        expect_same_file(b, clip);
        OWNED(marey_clip) *fresh = NULL; /* edited: other degrees of freedom, the same places */
        test_ok(marey_clip_resample(clip, 60, &fresh, &test_error));
        OWNED(marey_clip) *back = save_and_load(b, fresh);
        expect_same_places(fresh, back, 0);
    }
}

#define ROOT_CHANNELS "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"

TEST_OF(reader_bench *b, odd_names_and_a_single_joint_are_written)
{
    OWNED(marey_clip) *point =
        test_clip(b->ctx, "HIERARCHY\nROOT Point\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
                          "}\nMOTION\nFrames: 1\nFrame Time: 0.04\n1 2 3 4 5 6\n");
    OWNED(marey_clip) *back = save_and_load(b, point);
    expect_same_places(point, back, 0);
    static const char *const given[] = { "root", "end", "12",   "a b",
                                         "a b",  "#x",  "Root", "H\303\274fte" };
    static const char *const wanted[] = { "root",  "_end", "_12",  "a_b",
                                          "a_b_2", "_#x",  "Root", "H\303\274fte" };
    char text[2048];
    int n = snprintf(text, sizeof text, "HIERARCHY\n");
    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s\n{\nOFFSET 0 %d 0\n%s",
                      i ? "JOINT" : "ROOT", given[i], i > 1 ? i : 0, i ? "" : ROOT_CHANNELS);
    snprintf(text + n, sizeof text - (size_t)n,
             "}\n}\n}\n}\n}\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.04\n0 90 0 0 0 0\n");
    OWNED(marey_clip) *odd = test_clip(b->ctx, text);
    OWNED(marey_clip) *read = save_and_load(b, odd);
    for (int i = 0; i < 8; i++)
        assert_string_equal(marey_clip_skeleton(read)->joints[i].name, wanted[i]);
}

/* Two of 255 bytes that start apart from their parent: each gets a bone more, and all names differ. */
TEST_OF(reader_bench *b, long_names_are_cut_and_differ)
{
    char text[2048], name[256];
    memset(name, 'x', 255);
    name[255] = 0;
    int n =
        snprintf(text, sizeof text, "HIERARCHY\nROOT %s\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS, name);
    for (int i = 1; i < 3; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "JOINT %s\n{\nOFFSET %d 40 0\nEnd Site\n{\nOFFSET 0 9 0\n}\n}\n", name, i);
    snprintf(text + n, sizeof text - (size_t)n,
             "}\nMOTION\nFrames: 1\nFrame Time: 0.04\n0 90 0 0 30 0\n");
    OWNED(marey_clip) *clip = test_clip(b->ctx, text);
    OWNED(marey_clip) *back = save_and_load(b, clip);
    const marey_skeleton *skeleton = marey_clip_skeleton(back);
    assert_int_equal(skeleton->joint_count, 5);
    assert_int_equal(strlen(skeleton->joints[2].name), 240);
    assert_string_equal(skeleton->joints[3].name + 240, "_start_2");
    assert_string_equal(skeleton->joints[4].name + 240, "_2");
}

TEST_OF(reader_bench *b, what_an_amc_cannot_hold_is_refused)
{
    OWNED(marey_clip) *clip =
        test_clip(b->ctx, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n" ROOT_CHANNELS
                          "JOINT Arm\n{\nOFFSET 0 -40 0\n"
                          "CHANNELS 1 Yposition\n}\nJOINT Leg\n{\nOFFSET 1 0 "
                          "0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n"
                          "0 90 0 0 0 0 -35\n0 91 0 30 0 0 -36\n");
    reader_clear(b);
    test_refused_about(marey_clip_save(clip, b->amc, &test_error), MAREY_ERR_REQUEST,
                       "Arm moves against Hips");
    assert_int_equal(test_folder_count(b->folder), 0);
}

/* Many motions may hang on one skeleton. */
TEST_OF(reader_bench *b, a_skeleton_that_is_there_is_left_alone)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 3), *other = test_person_clip(b->ctx, 5);
    reader_clear(b);
    test_ok(marey_clip_save(clip, b->amc, &test_error));
    test_ok(marey_clip_save(other, b->amc, &test_error));
    test_text_write(b->asf, GOOD);
    test_refused_about(marey_clip_save(clip, b->amc, &test_error), MAREY_ERR_REQUEST,
                       "another skeleton");
    size_t count;
    FREED char *text = test_file_read(b->asf, &count);
    assert_string_equal(text, GOOD);
}

TEST_OF(reader_bench *b, refused_memory_and_a_cancel_leave_nothing_behind)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    marey_status status = MAREY_OK;
    reader_clear(b);
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        assert_int_equal(test_folder_count(b->folder), 0);
        status = marey_clip_save(clip, b->amc, NULL);
    }
    reader_clear(b);
    marey_ctx_cancel(ctx);
    assert_int_equal(marey_clip_save(clip, b->amc, &test_error), MAREY_ERR_CANCELLED);
    assert_int_equal(test_folder_count(b->folder), 0);
}

TEST_OF(reader_bench *b, failing_files_leave_nothing_behind)
{
    test_files files = { .kinds = TEST_IO_ALL & ~TEST_IO_LIST, .fail = -1 };
    marey_ctx_def def = { .io = test_files_io(&files), .threads = 1 };
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&def, &ctx));
    OWNED(marey_clip) *clip = test_person_clip(ctx, 20);
    reader_clear(b);
    files.most_at_once = 1000;
    marey_status status = MAREY_ERR_IO;
    for (files.fail = 0; status; files.fail = test_next(files.fail)) {
        files.calls = 0;
        status = marey_clip_save(clip, b->amc, &test_error);
        assert_int_equal(files.open_handles, 0);
        assert_int_equal(test_folder_count(b->folder), status ? 0 : 2);
        if (status) assert_int_equal(status, MAREY_ERR_IO);
    }
    assert_true(files.fail > 10);
}

TEST_GROUP_OF_CASES(test_amc_write, reader_bench_make, reader_bench_free)
