/* library_bench.c - a library in a folder of its own. */
#include "library_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_library_make(void **state)
{
    test_library *f = calloc(1, sizeof *f);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    f->ctx = test_ctx();
    if (marey_library_open(f->ctx, f->path, MAREY_LIBRARY_CREATE, &f->library, &test_error)) {
        fail_msg("%s", test_error.message);
    }
    *state = f;
    return 0;
}

int test_library_free(void **state)
{
    test_library *f = *state;
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

void test_library_person(const test_library *f, const char *name, int frames, const char *change)
{
    char path[600];
    char *text = test_person(frames);
    if (change) text[strlen(text) - 3] = *change; /* a digit of the last number */
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    test_file_write(path, text, strlen(text));
    free(text);
}

void test_library_add(test_library *f, const char *file, const marey_add_def *def)
{
    char path[600];
    const char *paths[] = { path };
    snprintf(path, sizeof path, "%s/%s", f->folder, file);
    test_ok(marey_library_add(f->library, paths, 1, def, &test_error));
}

int test_library_count(test_library *f, const marey_list_def *def)
{
    marey_listing *listing;
    int count;
    test_ok(marey_library_list(f->library, def, &listing, &test_error));
    marey_listing_entries(listing, &count);
    marey_listing_free(listing);
    return count;
}

void test_same_clip(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *sa = marey_clip_skeleton(a), *sb = marey_clip_skeleton(b);
    const marey_report *ra = marey_clip_report(a), *rb = marey_clip_report(b);
    int marks_a, marks_b;
    assert_int_equal(marey_clip_frames(a), marey_clip_frames(b));
    assert_true(marey_clip_fps(a) == marey_clip_fps(b));
    assert_int_equal(marey_clip_units(a), marey_clip_units(b));
    assert_int_equal(marey_clip_up(a), marey_clip_up(b));
    assert_int_equal(sa->joint_count, sb->joint_count);
    assert_memory_equal(sa->roles, sb->roles, sizeof sa->roles);
    for (int j = 0; j < sa->joint_count; j++) {
        assert_string_equal(sa->joints[j].name, sb->joints[j].name);
        for (int i = 0; i < 3; i++) {
            assert_true(sa->joints[j].offset_cm[i] == sb->joints[j].offset_cm[i]);
        }
    }
    const marey_mark *ma = marey_clip_marks(a, &marks_a), *mb = marey_clip_marks(b, &marks_b);
    assert_int_equal(marks_a, marks_b);
    for (int i = 0; i < marks_a; i++) assert_memory_equal(&ma[i], &mb[i], sizeof *ma);
    assert_int_equal(ra->warning_count, rb->warning_count);
    assert_string_equal(ra->units_why, rb->units_why);
    assert_string_equal(ra->format, rb->format);
    assert_true(ra->height_cm == rb->height_cm);
    for (int f = 0; f < marey_clip_frames(a); f++) {
        const double *ca = marey_clip_channels(a, f), *cb = marey_clip_channels(b, f);
        for (int c = 0; c < sa->channel_count; c++) assert_true(ca[c] == cb[c]);
        const float *qa = marey_clip_rotations(a, f), *qb = marey_clip_rotations(b, f);
        for (int i = 0; i < 4 * sa->joint_count; i++) assert_true(qa[i] == qb[i]); /* -0 is 0 */
        const double *pa = marey_clip_root(a, f), *pb = marey_clip_root(b, f);
        for (int i = 0; i < 3; i++) assert_true(pa[i] == pb[i]);
    }
}
