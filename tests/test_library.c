/* test_library.c - one file that loses nothing: clips in and out, names, labels, text search, removing and
   bringing back, cutting, contacts, duplicates, threads. */
#include "support.h"

#include "library/library_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
    char folder[256];
    char path[300];
    marey_ctx *ctx;
    marey_library *library;
} fixture;

static void write_person(const fixture *f, const char *name, int frames, const char *change)
{
    char path[600];
    char *text = test_person(frames);
    if (change) text[strlen(text) - 3] = *change; /* a digit of the last number */
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    test_file_write(path, text, strlen(text));
    free(text);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    f->ctx = test_ctx();
    marey_error error;
    if (marey_library_open(f->ctx, f->path, MAREY_LIBRARY_CREATE, &f->library, &error)) {
        fail_msg("%s", error.message);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    marey_library_close(f->library);
    marey_ctx_close(f->ctx);
    test_folder_remove(f->folder);
    free(f);
    return 0;
}

static void fine(marey_status status, const marey_error *error)
{
    if (status) fail_msg("%s", error->message);
}

static void add(fixture *f, const char *file, const marey_add_def *def)
{
    char path[600];
    const char *paths[] = { path };
    marey_error error;
    snprintf(path, sizeof path, "%s/%s", f->folder, file);
    fine(marey_library_add(f->library, paths, 1, def, &error), &error);
}

static int count_clips(fixture *f, const marey_list_def *def)
{
    marey_listing *listing;
    marey_error error;
    int count;
    fine(marey_library_list(f->library, def, &listing, &error), &error);
    marey_listing_entries(listing, &count);
    marey_listing_free(listing);
    return count;
}

/* Everything a caller can see of two clips. */
static void same_clip(const marey_clip *a, const marey_clip *b)
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

/* ---- in and out -------------------------------------------------------------------------------- */

static void a_clip_comes_back_as_it_was_read(void **state)
{
    fixture *f = *state;
    char path[600];
    marey_clip *before, *after;
    marey_error error;
    write_person(f, "walk.bvh", 50, NULL);
    add(f, "walk.bvh", NULL);
    snprintf(path, sizeof path, "%s/walk.bvh", f->folder);
    before = test_clip_load(f->ctx, path);
    fine(marey_library_load(f->library, "walk", &after, &error), &error);
    same_clip(before, after);
    marey_clip_free(before);
    marey_clip_free(after);
}

typedef struct real_sweep {
    fixture *f;
    int count;
} real_sweep;

static void add_and_compare(void *user, const char *path)
{
    real_sweep *sweep = user;
    const char *paths[] = { path };
    char name[256];
    marey_clip *before, *after;
    marey_error error;
    if (sweep->count++ % 7) return; /* every seventh file */
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "%.*s", (int)(strlen(slash + 1) - 4), slash + 1);
    fine(marey_library_add(sweep->f->library, paths, 1, NULL, &error), &error);
    before = test_clip_load(sweep->f->ctx, path);
    fine(marey_library_load(sweep->f->library, name, &after, &error), &error);
    same_clip(before, after);
    marey_clip_free(before);
    marey_clip_free(after);
}

static void real_clips_come_back_as_they_were_read(void **state)
{
    fixture *f = *state;
    test_need_mocap();
    real_sweep sweep = { f, 0 };
    test_mocap_each("cmu", ".bvh", add_and_compare, &sweep);
    test_mocap_each("bandai", ".bvh", add_and_compare, &sweep);
    test_mocap_each("accad", ".bvh", add_and_compare, &sweep);
    test_mocap_each("format_zoo", ".bvh", add_and_compare, &sweep);
    test_mocap_each("cmu_asfamc", ".amc", add_and_compare, &sweep);
    assert_true(sweep.count > 100);
}

static void an_edited_clip_can_be_put_in_and_comes_back_the_same_motion(void **state)
{
    fixture *f = *state;
    char *text = test_person(30), got[64];
    marey_clip *clip = test_clip(f->ctx, text), *made, *back;
    marey_error error;
    double a[3 * 21], b[3 * 21];
    fine(marey_clip_mirror(clip, &made, &error), &error);
    fine(marey_library_put(f->library, made, "mirrored", NULL, got, sizeof got, &error), &error);
    assert_string_equal(got, "mirrored");
    fine(marey_library_load(f->library, "mirrored", &back, &error), &error);
    for (int i = 0; i < 30; i++) {
        marey_clip_positions(made, i, 1, a);
        marey_clip_positions(back, i, 1, b);
        for (int k = 0; k < 3 * 21; k++) assert_true(fabs(a[k] - b[k]) < 1e-4);
    }
    marey_clip_free(clip);
    marey_clip_free(made);
    marey_clip_free(back);
    free(text);
}

/* ---- names and duplicates ---------------------------------------------------------------------- */

typedef struct outcomes {
    int done, duplicates, skipped, failed;
    char last_name[256];
} outcomes;

static void note_outcome(void *user, const marey_add_result *result)
{
    outcomes *o = user;
    o->done += result->outcome == MAREY_ADD_DONE;
    o->duplicates += result->outcome == MAREY_ADD_DUPLICATE;
    o->skipped += result->outcome == MAREY_ADD_SKIPPED;
    o->failed += result->outcome == MAREY_ADD_FAILED;
    snprintf(o->last_name, sizeof o->last_name, "%s", result->name);
    if (result->outcome == MAREY_ADD_FAILED) assert_non_null(result->error);
}

static void the_same_motion_is_not_stored_twice(void **state)
{
    fixture *f = *state;
    outcomes o = { 0 };
    marey_add_def def = { .done = note_outcome, .user = &o };
    write_person(f, "walk.bvh", 20, NULL);
    write_person(f, "copy.bvh", 20, NULL);
    add(f, "walk.bvh", &def);
    add(f, "copy.bvh", &def);
    assert_int_equal(o.done, 1);
    assert_int_equal(o.duplicates, 1);
    assert_string_equal(o.last_name, "walk");
    assert_int_equal(count_clips(f, NULL), 1);
}

static void a_second_clip_of_a_name_gets_a_number(void **state)
{
    fixture *f = *state;
    outcomes o = { 0 };
    marey_add_def def = { .done = note_outcome, .user = &o };
    write_person(f, "walk.bvh", 20, NULL);
    add(f, "walk.bvh", &def);
    write_person(f, "walk.bvh", 21, NULL);
    add(f, "walk.bvh", &def);
    assert_string_equal(o.last_name, "walk-2");
    write_person(f, "walk.bvh", 22, NULL);
    add(f, "walk.bvh", &def);
    assert_string_equal(o.last_name, "walk-3");
    assert_int_equal(count_clips(f, NULL), 3);
}

static void files_that_are_no_motion_are_skipped_and_broken_ones_named(void **state)
{
    fixture *f = *state;
    outcomes o = { 0 };
    marey_add_def def = { .done = note_outcome, .user = &o };
    char a[600], b[600], c[600];
    const char *paths[] = { a, b, c };
    marey_error error;
    snprintf(a, sizeof a, "%s/notes.txt", f->folder);
    snprintf(b, sizeof b, "%s/broken.bvh", f->folder);
    snprintf(c, sizeof c, "%s/walk.bvh", f->folder);
    test_file_write(a, "shopping list", 13);
    test_file_write(b, "HIERARCHY\nROOT", 14);
    write_person(f, "walk.bvh", 5, NULL);
    fine(marey_library_add(f->library, paths, 3, &def, &error), &error);
    assert_int_equal(o.skipped, 1);
    assert_int_equal(o.failed, 1);
    assert_int_equal(o.done, 1);
}

static void an_unknown_name_gets_the_nearest_as_a_hint(void **state)
{
    fixture *f = *state;
    marey_clip *clip = NULL;
    marey_error error;
    write_person(f, "walking_fast.bvh", 5, NULL);
    add(f, "walking_fast.bvh", NULL);
    assert_int_equal(marey_library_load(f->library, "walking_fats", &clip, &error),
                     MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "walking_fast"));
    assert_null(clip);
}

/* ---- labels, text, changes --------------------------------------------------------------------- */

static void labels_descriptions_and_names_can_be_searched(void **state)
{
    fixture *f = *state;
    char index[600];
    marey_error error;
    const char *names[] = { "05_01", "07_02" };
    snprintf(index, sizeof index, "%s/index.txt", f->folder);
    static const char lines[] =
        "Subject #5 (modern dance)\n\n05_01\twalk on uneven terrain\n07_02   run/jog\n";
    test_file_write(index, lines, sizeof lines - 1);
    write_person(f, "05_01.bvh", 5, NULL);
    write_person(f, "07_02.bvh", 6, NULL);
    marey_add_def def = { .index_path = index };
    add(f, "05_01.bvh", &def);
    add(f, "07_02.bvh", &def);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "uneven" }), 1);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "unev terr" }), 1);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "jog" }), 1);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "05_01" }), 1);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "nothing" }), 0);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "\"*) OR a:" }), 0);
    fine(marey_library_label(f->library, names, 2, "favourite", true, &error), &error);
    fine(marey_library_label(f->library, names, 1, "favourite", true, &error), &error);
    assert_int_equal(count_clips(f, &(marey_list_def){ .label = "favourite" }), 2);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "favour" }), 2);
    fine(marey_library_label(f->library, names, 1, "favourite", false, &error), &error);
    assert_int_equal(count_clips(f, &(marey_list_def){ .label = "favourite" }), 1);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "favour" }), 1);
}

static void labelling_is_all_or_none(void **state)
{
    fixture *f = *state;
    const char *names[] = { "walk", "nobody" };
    write_person(f, "walk.bvh", 5, NULL);
    add(f, "walk.bvh", NULL);
    assert_int_equal(marey_library_label(f->library, names, 2, "x", true, NULL), MAREY_ERR_INPUT);
    assert_int_equal(count_clips(f, &(marey_list_def){ .label = "x" }), 0);
}

static void renaming_keeps_names_apart_and_sound(void **state)
{
    fixture *f = *state;
    marey_error error;
    static const char *const wrong[] = { "", "a/b", "a#1", "a\nb" };
    write_person(f, "walk.bvh", 5, NULL);
    write_person(f, "run.bvh", 6, NULL);
    add(f, "walk.bvh", NULL);
    add(f, "run.bvh", NULL);
    assert_int_equal(marey_library_rename(f->library, "walk", "run", &error), MAREY_ERR_REQUEST);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(marey_library_rename(f->library, "walk", wrong[i], NULL),
                         MAREY_ERR_REQUEST);
    }
    fine(marey_library_rename(f->library, "walk", "stroll", &error), &error);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "stroll" }), 1);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "walk" }), 0);
}

static void removed_clips_are_out_of_sight_until_restored_or_purged(void **state)
{
    fixture *f = *state;
    const char *walk[] = { "walk" };
    marey_clip *clip = NULL;
    marey_error error;
    int purged = 0;
    write_person(f, "walk.bvh", 5, NULL);
    add(f, "walk.bvh", NULL);
    fine(marey_library_remove(f->library, walk, 1, &error), &error);
    assert_int_equal(count_clips(f, NULL), 0);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "walk" }), 0);
    assert_int_equal(count_clips(f, &(marey_list_def){ .removed = true }), 1);
    assert_int_equal(marey_library_load(f->library, "walk", &clip, NULL), MAREY_ERR_INPUT);
    add(f, "walk.bvh", NULL); /* a removed one does not stand in its way */
    fine(marey_library_restore(f->library, walk, 1, &error), &error);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "walk" }), 2); /* walk and walk-2 */
    fine(marey_library_remove(f->library, walk, 1, &error), &error);
    fine(marey_library_purge(f->library, NULL, 0, &purged, &error), &error);
    assert_int_equal(purged, 1);
    assert_int_equal(marey_library_restore(f->library, walk, 1, NULL), MAREY_ERR_INPUT);
    fine(marey_library_load(f->library, "walk-2", &clip, &error),
         &error); /* its motion is still there */
    marey_clip_free(clip);
}

static void a_cut_is_a_clip_that_knows_where_it_is_from(void **state)
{
    fixture *f = *state;
    static const char *const labels[] = { "gait" };
    char got[64], path[600];
    marey_listing *listing;
    marey_clip *whole, *part, *stored;
    marey_error error;
    int count;
    write_person(f, "walk.bvh", 40, NULL);
    add(f, "walk.bvh",
        &(marey_add_def){ .labels = labels, .label_count = 1, .licence = "CC BY 4.0" });
    fine(marey_library_cut(f->library, "walk", 10, 25, "step", got, sizeof got, &error), &error);
    assert_string_equal(got, "step");
    snprintf(path, sizeof path, "%s/walk.bvh", f->folder);
    whole = test_clip_load(f->ctx, path);
    fine(marey_clip_trim(whole, 10, 25, &part, &error), &error);
    fine(marey_library_load(f->library, "step", &stored, &error), &error);
    same_clip(part, stored);
    fine(marey_library_list(f->library, &(marey_list_def){ .text = "step" }, &listing, &error),
         &error);
    const marey_entry *entry = marey_listing_entries(listing, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entry->labels[0], "gait");
    assert_string_equal(entry->licence, "CC BY 4.0");
    assert_string_equal(entry->provenance,
                        "{\"made_by\":\"cut\",\"sources\":[{\"clip\":\"walk\",\"start\":10,"
                        "\"end\":25,\"licence\":\"CC BY 4.0\"}]}");
    assert_int_equal(marey_library_cut(f->library, "walk", 30, 41, "no", NULL, 0, NULL),
                     MAREY_ERR_REQUEST);
    marey_listing_free(listing);
    marey_clip_free(whole);
    marey_clip_free(part);
    marey_clip_free(stored);
}

static void contacts_are_kept_in_order_and_checked(void **state)
{
    fixture *f = *state;
    marey_contact set[] = { { MAREY_CONTACT_RIGHT_TOE, 3, 9 },
                            { MAREY_CONTACT_LEFT_HEEL, 10, 20 },
                            { MAREY_CONTACT_LEFT_HEEL, 0, 5 } };
    marey_contact wrong[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 5 },
                              { MAREY_CONTACT_LEFT_HEEL, 4, 6 } };
    marey_contact outside[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 21 } }, got[4];
    marey_error error;
    int count = 0;
    write_person(f, "walk.bvh", 20, NULL);
    add(f, "walk.bvh", NULL);
    fine(marey_library_set_contacts(f->library, "walk", set, 3, &error), &error);
    assert_int_equal(marey_library_set_contacts(f->library, "walk", wrong, 2, NULL),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_set_contacts(f->library, "walk", outside, 1, NULL),
                     MAREY_ERR_REQUEST);
    fine(marey_library_contacts(f->library, "walk", got, 4, &count, &error), &error);
    assert_int_equal(count, 3); /* a refused change leaves the old ones */
    char got_name[64];
    marey_contact part[4];
    fine(marey_library_cut(f->library, "walk", 4, 12, "part", got_name, sizeof got_name, &error),
         &error);
    fine(marey_library_contacts(f->library, "part", part, 4, &count, &error), &error);
    assert_int_equal(count, 3); /* a cut takes its share of the plants along */
    assert_true(part[0].start == 0 && part[0].end == 1 && part[1].start == 6 && part[1].end == 8);
    assert_true(part[2].joint == MAREY_CONTACT_RIGHT_TOE && part[2].start == 0 && part[2].end == 5);
    fine(marey_library_contacts(f->library, "walk", got, 4, &count, &error), &error);
    assert_memory_equal(&got[0], &set[2], sizeof *got);
    assert_memory_equal(&got[1], &set[1], sizeof *got);
    assert_memory_equal(&got[2], &set[0], sizeof *got);
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void an_empty_set_of_contacts_is_not_the_same_as_none(void **state)
{
    fixture *f = *state;
    marey_error error;
    int count = 7;
    write_person(f, "walk.bvh", 20, NULL);
    add(f, "walk.bvh", NULL);
    fine(marey_library_contacts(f->library, "walk", NULL, 0, &count, &error), &error);
    assert_int_equal(count, -1);
    fine(marey_library_set_contacts(f->library, "walk", NULL, 0, &error), &error);
    fine(marey_library_contacts(f->library, "walk", NULL, 0, &count, &error), &error);
    assert_int_equal(count, 0);
}

/* A row that cannot be, with its checksums right, as a foreign library might hold one. */
static void a_contact_row_that_cannot_be_is_refused_and_found(void **state)
{
    fixture *f = *state;
    static const char *const wrong[] = { "UPDATE contact SET joint = 50",
                                         "UPDATE contact SET joint = 1, stop = 2000",
                                         "UPDATE contact SET start = 19, stop = 3" };
    marey_contact one = { MAREY_CONTACT_LEFT_TOE, 3, 9 };
    marey_error error;
    int count = 0;
    write_person(f, "walk.bvh", 20, NULL);
    add(f, "walk.bvh", NULL);
    for (int i = 0; i < 3; i++) {
        int64_t problems = 0;
        fine(marey_library_set_contacts(f->library, "walk", &one, 1, &error), &error);
        fine(mry_store_run(f->library->store, wrong[i], &error), &error);
        assert_int_equal(marey_library_contacts(f->library, "walk", NULL, 0, &count, &error),
                         MAREY_ERR_INPUT);
        fine(marey_library_verify(f->ctx, f->path, NULL, NULL, &problems, &error), &error);
        assert_int_equal(problems, 1);
    }
}

static void provenance_is_json_whatever_the_licence_says(void **state)
{
    fixture *f = *state;
    marey_listing *listing;
    marey_error error;
    int count;
    write_person(f, "walk.bvh", 20, NULL);
    add(f, "walk.bvh", &(marey_add_def){ .licence = "a \"b\"\n\\ \xff\xc3\xa4" });
    fine(marey_library_cut(f->library, "walk", 1, 5, "part", NULL, 0, &error), &error);
    fine(marey_library_list(f->library, &(marey_list_def){ .text = "part" }, &listing, &error),
         &error);
    const marey_entry *entry = marey_listing_entries(listing, &count);
    assert_int_equal(count, 1);
    assert_non_null(
        strstr(entry->provenance, "\"licence\":\"a \\\"b\\\"\\u000a\\\\ \\ufffd\xc3\xa4\"}]}"));
    marey_listing_free(listing);
}

static void an_edit_of_many_clips_is_all_or_none(void **state)
{
    fixture *f = *state;
    const char *names[] = { "walk", "nobody" }, *add_labels[] = { "x" };
    marey_edit_def def = {
        .add = add_labels, .add_count = 1, .description = "new", .licence = "L"
    };
    marey_error error;
    write_person(f, "walk.bvh", 5, NULL);
    add(f, "walk.bvh", NULL);
    assert_int_equal(marey_library_edit(f->library, names, 2, &def, &error), MAREY_ERR_INPUT);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "new" }), 0);
    fine(marey_library_edit(f->library, names, 1, &def, &error), &error);
    assert_int_equal(count_clips(f, &(marey_list_def){ .text = "new", .label = "x" }), 1);
}

static void other_units_make_another_clip(void **state)
{
    fixture *f = *state;
    write_person(f, "walk.bvh", 5, NULL);
    add(f, "walk.bvh", NULL);
    add(f, "walk.bvh", &(marey_add_def){ .load = { .units = MAREY_UNITS_INCH } });
    assert_int_equal(count_clips(f, NULL), 2);
}

static void after_closing_nothing_lies_beside_the_file(void **state)
{
    fixture *f = *state;
    write_person(f, "walk.bvh", 5, NULL);
    add(f, "walk.bvh", NULL);
    marey_library_close(f->library);
    f->library = NULL;
    assert_int_equal(test_folder_count(f->folder), 2);
}

static void a_library_that_is_not_there_is_only_made_when_asked(void **state)
{
    fixture *f = *state;
    marey_library *other = NULL;
    char path[600];
    snprintf(path, sizeof path, "%s/other.marey", f->folder);
    assert_int_equal(marey_library_open(f->ctx, path, MAREY_LIBRARY_READ, &other, NULL),
                     MAREY_ERR_INPUT);
    assert_int_equal(marey_library_open(f->ctx, path, MAREY_LIBRARY_WRITE, &other, NULL),
                     MAREY_ERR_INPUT);
    assert_null(other);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void count_problem(void *user, const char *problem)
{
    (void)problem;
    ++*(int *)user;
}

static void a_sound_library_verifies(void **state)
{
    fixture *f = *state;
    marey_error error;
    int64_t problems = -1;
    int seen = 0;
    write_person(f, "walk.bvh", 50, NULL);
    write_person(f, "run.bvh", 60, NULL);
    add(f, "walk.bvh", NULL);
    add(f, "run.bvh", NULL);
    fine(marey_library_verify(f->ctx, f->path, count_problem, &seen, &problems, &error), &error);
    assert_int_equal(problems, 0);
    assert_int_equal(seen, 0);
}

static void the_same_files_give_the_same_library_for_any_number_of_threads(void **state)
{
    fixture *f = *state;
    enum { FILES = 40 };
    static char names[FILES][600];
    const char *paths[FILES];
    size_t size[2];
    char *bytes[2];
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "take%02d.bvh", i);
        write_person(f, name, 3 + i % 35, NULL);
        snprintf(names[i], sizeof names[i], "%s/%s", f->folder, name);
        paths[i] = names[i];
    }
    for (int t = 0; t < 2; t++) {
        char path[600];
        marey_ctx *ctx;
        marey_library *library;
        marey_error error;
        snprintf(path, sizeof path, "%s/threads%d.marey", f->folder, t);
        assert_int_equal(marey_ctx_open(&(marey_ctx_def){ .threads = t ? 4 : 1 }, &ctx), MAREY_OK);
        fine(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &error), &error);
        fine(marey_library_add(library, paths, FILES, NULL, &error), &error);
        marey_library_close(library);
        marey_ctx_close(ctx);
        bytes[t] = test_file_read(path, &size[t]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* The number of what was purged is not given again, also where no change had been counted. */
static void put_again(marey_library *old)
{
    static const char *const part[] = { "part" };
    marey_named got = { 0 };
    marey_error error;
    fine(marey_library_purge(old, part, 1, NULL, &error), &error);
    fine(marey_library_cut_clip(old, "#1", 10, 30, "part", &got, &error), &error);
    assert_int_equal(got.id, 3);
}

/* NULL: it is from before there were kept things. */
static void read_note(marey_library *old, const char *text)
{
    marey_kept *kept = NULL;
    marey_error error;
    size_t size;
    int count;
    if (!text) {
        assert_int_equal(marey_library_kept(old, "note", "both", &kept, &error), MAREY_ERR_INPUT);
        return;
    }
    fine(marey_library_kept(old, "note", "both", &kept, &error), &error);
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    const void *bytes = marey_kept_bytes(kept, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
    assert_string_equal(entry->about, "{\"made_by\":\"hand\"}");
    assert_int_equal(entry->part_count, 2);
    assert_int_equal(entry->parts[1].clip, 2);
    assert_int_equal(entry->parts[1].end, 20);
    assert_string_equal(entry->part_names[1], "part");
    marey_kept_free(kept);
}

/* Before there were webs: none are there, and they can be made. */
static void read_index(marey_library *old, int pairs)
{
    marey_index_state now;
    marey_error error;
    fine(marey_library_index_state(old, &now, &error), &error);
    assert_int_equal(now.exists, pairs > 0);
    assert_int_equal(now.size.pairs, pairs);
    assert_int_equal(now.pairs_missing, 3 - pairs);
}

/* A kept file per schema, read and written in a copy. */
static void libraries_of_every_earlier_schema_still_open(void **state)
{
    fixture *f = *state;
    static const char *const kept[] = { "schema-1.marey", "schema-2.marey", "schema-3.marey",
                                        "schema-4.marey" };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char from[600], path[600], *bytes;
        size_t size;
        marey_library *old;
        marey_clip *clip;
        marey_error error;
        int64_t problems = -1;
        snprintf(from, sizeof from, "%s/libraries/%s", MAREY_TEST_DATA, kept[i]);
        snprintf(path, sizeof path, "%s/%s", f->folder, kept[i]);
        bytes = test_file_read(from, &size);
        test_file_write(path, bytes, size);
        free(bytes);
        for (int mode = MAREY_LIBRARY_READ; mode <= MAREY_LIBRARY_WRITE; mode++) {
            char picture[32] = "";
            size_t count = 0;
            fine(marey_library_open(f->ctx, path, (marey_library_mode)mode, &old, &error), &error);
            fine(marey_library_picture(old, 1, "strip-480x96-1", picture, 31, &count, &error),
                 &error);
            assert_string_equal(picture, i == 0 ? "" : "a picture of wave");
            if (mode == MAREY_LIBRARY_WRITE) {
                fine(marey_library_keep_picture(old, 1, "new", 0, "x", 1, &error), &error);
            }
            read_note(old, i < 2 ? NULL : "a note about wave");
            read_index(old, i < 3 ? 0 : 3);
            fine(marey_library_load(old, "wave", &clip, &error), &error);
            assert_int_equal(marey_clip_frames(clip), 61);
            marey_clip_free(clip);
            fine(marey_library_load(old, "part", &clip, &error), &error);
            assert_int_equal(marey_clip_frames(clip), 20);
            marey_clip_free(clip);
            if (mode == MAREY_LIBRARY_WRITE) {
                fine(marey_library_index(old, NULL, NULL, &error), &error);
                read_index(old, 3);
                put_again(old);
            }
            marey_library_close(old);
        }
        fine(marey_library_verify(f->ctx, path, NULL, NULL, &problems, &error), &error);
        assert_int_equal(problems, 0);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_clip_comes_back_as_it_was_read),
        CASE(real_clips_come_back_as_they_were_read),
        CASE(an_edited_clip_can_be_put_in_and_comes_back_the_same_motion),
        CASE(the_same_motion_is_not_stored_twice),
        CASE(a_second_clip_of_a_name_gets_a_number),
        CASE(files_that_are_no_motion_are_skipped_and_broken_ones_named),
        CASE(an_unknown_name_gets_the_nearest_as_a_hint),
        CASE(labels_descriptions_and_names_can_be_searched),
        CASE(labelling_is_all_or_none),
        CASE(renaming_keeps_names_apart_and_sound),
        CASE(removed_clips_are_out_of_sight_until_restored_or_purged),
        CASE(a_cut_is_a_clip_that_knows_where_it_is_from),
        CASE(contacts_are_kept_in_order_and_checked),
        CASE(an_empty_set_of_contacts_is_not_the_same_as_none),
        CASE(a_contact_row_that_cannot_be_is_refused_and_found),
        CASE(provenance_is_json_whatever_the_licence_says),
        CASE(an_edit_of_many_clips_is_all_or_none),
        CASE(other_units_make_another_clip),
        CASE(after_closing_nothing_lies_beside_the_file),
        CASE(a_library_that_is_not_there_is_only_made_when_asked),
        CASE(a_sound_library_verifies),
        CASE(libraries_of_every_earlier_schema_still_open),
        CASE(the_same_files_give_the_same_library_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
