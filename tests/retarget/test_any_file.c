/* test_any_file.c - one way in for all files that hold motion. */
#include "reader_bench.h"

#include <marey/retarget.h>

#include <stdlib.h>

TEST_IN(reader_bench_make, reader_bench_free, of_points_a_body_is_made_where_a_clip_is_wanted)
{
    reader_bench *b = *state;
    char npz[300];
    snprintf(npz, sizeof npz, "%s", reader_path(b, "walk.npz"));
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 30);
    test_ok(marey_clip_save(clip, npz, &test_error));
    OWNED(marey_clip) *made = NULL;
    test_ok(marey_motion_load(b->ctx, npz, NULL, &made, &test_error));
    assert_int_equal(marey_clip_frames(made), 30);
    assert_string_equal(marey_clip_name(made), "walk");
    FREED double *was = test_positions(clip, 20), *is = test_positions(made, 20);
    for (int i = 0; i < 3 * marey_clip_skeleton(clip)->joint_count; i++)
        test_near(is[i], was[i], 0.01);
    const marey_report *report = marey_clip_report(made);
    assert_non_null(strstr(report->warnings[report->warning_count - 1], "a body was made"));
    OWNED(marey_clip) *shorter = NULL;
    marey_load_def def = { .skip_first = true };
    test_ok(marey_motion_load(b->ctx, npz, &def, &shorter, &test_error));
    assert_int_equal(marey_clip_frames(shorter), 29);
    OWNED(marey_clip) *body = NULL;
    test_ok(marey_motion_load(b->ctx, MAREY_TEST_DATA "/finds/amass/turn.npz", NULL, &body,
                              &test_error));
    assert_int_equal(marey_clip_skeleton(body)->joint_count, 22);
    test_text_write(b->bvh, "nothing of this is motion");
    marey_clip *none = NULL;
    test_refused_about(
        marey_motion_load(b->ctx, reader_path(b, "gone.npz"), NULL, &none, &test_error),
        MAREY_ERR_INPUT, "No such file");
    marey_status status = marey_motion_load(b->ctx, b->bvh, NULL, &none, &test_error);
    assert_true(marey_status_group(status) == MAREY_ERR_INPUT && !none);
}

TEST(refused_memory_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    char folder[] = "/tmp/marey-any-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npz", folder);
    {
        OWNED(marey_clip) *clip = test_person_clip(ctx, 5);
        test_ok(marey_clip_save(clip, path, &test_error));
    }
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        marey_clip *clip = NULL;
        status = marey_motion_load(ctx, path, NULL, &clip, &test_error);
        assert_int_equal(clip == NULL, status != MAREY_OK);
        marey_clip_free(clip);
    }
    test_folder_remove(folder);
}

TEST_GROUP_OF_CASES(test_any_file, NULL, NULL)
