/* test_library_parts.c - parts of clips: their frames, without those that are marked, with the
   plants that are kept or found, on the bones of the first. */
#include "library_bench.h"
#include "metric_clips.h"

#include "motion/clip_data.h"

#define CASE(name) TEST_OF_IN(two_clips_make, test_library_free, test_library *f, name)

CASE(a_part_is_its_frames_with_the_kept_plants)
{
    static const marey_contact plants[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 12 },
                                            { MAREY_CONTACT_LEFT_HEEL, 20, 30 },
                                            { MAREY_CONTACT_LEFT_HEEL, 40, 60 },
                                            { MAREY_CONTACT_RIGHT_TOE, 5, 10 },
                                            { MAREY_CONTACT_RIGHT_TOE, 11, 50 } };
    static const marey_contact want[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 2 },
                                          { MAREY_CONTACT_LEFT_HEEL, 10, 20 },
                                          { MAREY_CONTACT_LEFT_HEEL, 30, 35 },
                                          { MAREY_CONTACT_RIGHT_TOE, 1, 35 } };
    test_ok(marey_library_set_contacts(f->library, "walk", plants, 5, &test_error));
    marey_part part = { WALK, 10, 45 };
    OWNED(marey_parts) *opened = test_library_parts(f, &part, 1);
    OWNED(marey_clip) *whole = NULL;
    assert_int_equal(opened->count, 1);
    assert_string_equal(opened->names[0].name, "walk");
    assert_int_equal(opened->names[0].id, WALK);
    assert_int_equal(opened->contacts[0].count, 4);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(&opened->contacts[0].items[i], &want[i], sizeof *want);
    test_ok(marey_library_load(f->library, "walk", &whole, &test_error));
    assert_int_equal(marey_clip_frames(opened->clips[0]), 35);
    for (int t = 0; t < 35; t++) {
        assert_memory_equal(marey_clip_root(opened->clips[0], t), marey_clip_root(whole, t + 10),
                            3 * sizeof(double));
    }
    marey_parts_free(NULL);
}

CASE(marked_frames_are_left_out_and_plants_close_up)
{
    static const marey_contact plants[] = { { MAREY_CONTACT_LEFT_TOE, 1, 4 },
                                            { MAREY_CONTACT_LEFT_TOE, 6, 8 },
                                            { MAREY_CONTACT_LEFT_TOE, 9, 15 },
                                            { MAREY_CONTACT_RIGHT_TOE, 4, 12 } };
    static const marey_contact want[] = { { MAREY_CONTACT_LEFT_TOE, 0, 2 },
                                          { MAREY_CONTACT_LEFT_TOE, 3, 8 },
                                          { MAREY_CONTACT_RIGHT_TOE, 2, 5 } };
    marey_clip *clip = test_person_clip(f->ctx, 30);
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 5, 10)); /* 5 of these frames */
    test_library_put_clip(f, clip, "holes");
    marey_clip_free(clip);
    test_ok(marey_library_set_contacts(f->library, "holes", plants, 4, &test_error));
    marey_part part = { 3, 2, 20 };
    OWNED(marey_parts) *opened = test_library_parts(f, &part, 1);
    assert_int_equal(marey_clip_frames(opened->clips[0]), 13);
    assert_int_equal(opened->contacts[0].count, 3);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(&opened->contacts[0].items[i], &want[i], sizeof *want);
}

CASE(parts_have_the_bones_of_the_first_and_plants_that_are_found)
{
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 50), *tall = NULL, *part_clip = NULL;
    OWNED(marey_contacts) found = { 0 };
    test_ok(marey_clip_scale(clip, 1.2, &tall, &test_error));
    test_library_put_clip(f, tall, "tall");
    test_ok(marey_clip_trim(tall, 5, 45, &part_clip, &test_error));
    test_ok(marey_contacts_find(part_clip, NULL, &found));
    marey_part parts[] = { { WALK, 0, 60 }, { 3, 5, 45 } };
    OWNED(marey_parts) *opened = test_library_parts(f, parts, 2);
    const marey_skeleton *a = marey_clip_skeleton(opened->clips[0]);
    const marey_skeleton *b = marey_clip_skeleton(opened->clips[1]);
    for (int j = 0; j < a->joint_count; j++) {
        for (int i = 0; i < 3; i++) {
            double gap = a->joints[j].offset_cm[i] - b->joints[j].offset_cm[i];
            assert_true(gap < 1e-5 && gap > -1e-5);
        }
    }
    assert_int_equal(opened->contacts[1].count, found.count);
    for (int i = 0; i < found.count; i++)
        assert_memory_equal(&opened->contacts[1].items[i], &found.items[i], sizeof *found.items);
}

/* What its body is like is found over the whole clip, also where only a part of it is taken. */
CASE(a_part_with_other_joints_is_cut_from_the_whole_clip_fitted)
{
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 50), *odd = test_other_axes(clip, 1.2);
    OWNED(marey_clip) *first = NULL, *whole = NULL, *fitted = NULL, *cut = NULL;
    test_library_put_clip(f, odd, "odd");
    marey_part parts[] = { { WALK, 10, 60 }, { 3, 5, 45 } };
    OWNED(marey_parts) *opened = test_library_parts(f, parts, 2);
    assert_true(opened->fits[1].retargeted && !opened->fits[0].retargeted);
    test_ok(marey_library_load(f->library, "walk", &first, &test_error));
    test_ok(marey_library_load(f->library, "odd", &whole, &test_error));
    test_ok(marey_clip_fit(whole, NULL, first, NULL, &fitted, NULL, &test_error));
    test_ok(marey_clip_trim(fitted, 5, 45, &cut, &test_error));
    for (int i = 0; i < 40; i++)
        assert_memory_equal(mry_turn(opened->clips[1], i), mry_turn(cut, i),
                            4 * sizeof(float) * (size_t)marey_clip_skeleton(cut)->joint_count);
}

CASE(a_clip_without_roles_is_left_out_of_captured_parts_and_why_is_said)
{
    OWNED(marey_clip) *clip = test_nameless(f->ctx, 50);
    OWNED(marey_parts) *opened = NULL;
    marey_parts *none = NULL;
    test_library_put_clip(f, clip, "thing");
    marey_part parts[] = { { WALK, 0, 0 }, { 3, 0, 20 }, { 3, 30, 50 }, { RUN, 0, 0 } };
    test_ok(marey_library_captured_parts(f->library, parts, 4, 0, &opened, &test_error));
    assert_int_equal(opened->left_out_count, 1);
    assert_string_equal(opened->left_out[0].clip.name, "thing");
    assert_non_null(strstr(opened->left_out[0].why, "thing: its body has no hips"));
    for (int i = 0; i < opened->count; i++) assert_true(opened->parts[i].clip != 3);
    marey_part two[] = { { WALK, 0, 60 }, { 3, 0, 20 } };
    assert_int_equal(marey_library_parts(f->library, two, 2, 0, &none, &test_error),
                     MAREY_ERR_SHAPE);
}

CASE(invalid_parts_are_refused)
{
    const char *run = "run";
    marey_parts *opened = NULL;
    marey_part parts[65] = { { WALK, 0, 60 }, { RUN, 0, 76 } };
    assert_int_equal(marey_library_parts(f->library, parts, 2, 0, &opened, &test_error),
                     MAREY_ERR_REQUEST);
    assert_string_equal(test_error.path, "run");
    assert_int_equal(marey_library_parts(f->library, parts, 0, 0, &opened, &test_error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_parts(f->library, parts, 65, 0, &opened, &test_error),
                     MAREY_ERR_REQUEST);
    test_ok(marey_library_remove(f->library, &run, 1, &test_error));
    test_refused(marey_library_parts(f->library, parts, 2, 0, &opened, &test_error),
                 MAREY_ERR_INPUT, "clip run is removed");
    parts[1].clip = 99;
    assert_int_equal(marey_library_parts(f->library, parts, 2, 0, &opened, &test_error),
                     MAREY_ERR_NOT_FOUND);
    assert_null(opened);
}

TEST_GROUP_OF_CASES(test_library_parts, NULL, NULL)
