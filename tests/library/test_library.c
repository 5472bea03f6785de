/* test_library.c - one file that loses nothing: clips in and out, names, duplicates, threads, files
   of earlier schemas. */
#include "library_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- in and out ------------------------------------------------------------------------------ */

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(a_clip_comes_back_as_it_was_read)
{
    char path[600];
    OWNED(marey_clip) *before = NULL, *after = NULL;
    test_library_put(f, "walk", 50);
    snprintf(path, sizeof path, "%s/walk.bvh", f->folder);
    before = test_clip_load(f->ctx, path);
    test_ok(marey_library_load(f->library, "walk", &after, &test_error));
    test_same_clip(before, after);
}

typedef struct real_sweep {
    test_library *f;
    int count;
} real_sweep;

static void add_and_compare(void *user, const char *path)
{
    real_sweep *sweep = user;
    const char *paths[] = { path };
    char name[256];
    OWNED(marey_clip) *before = NULL, *after = NULL;
    if (sweep->count++ % 7) return; /* every seventh file */
    const char *file = test_base_name(path);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - 4), file);
    test_ok(marey_library_add(sweep->f->library, paths, 1, NULL, &test_error));
    before = test_clip_load(sweep->f->ctx, path);
    test_ok(marey_library_load(sweep->f->library, name, &after, &test_error));
    test_same_clip(before, after);
}

CASE(real_clips_come_back_as_they_were_read)
{
    test_need_mocap();
    real_sweep sweep = { f, 0 };
    test_mocap_each_bvh(add_and_compare, &sweep);
    test_mocap_each("cmu_asfamc", ".amc", add_and_compare, &sweep);
    assert_true(sweep.count > 100);
}

CASE(an_edited_clip_can_be_put_in_and_comes_back_the_same_motion)
{
    char got[64];
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 30), *made = NULL, *back = NULL;
    double a[3 * 21], b[3 * 21];
    test_ok(marey_clip_mirror(clip, &made, &test_error));
    test_ok(marey_library_put(f->library, made, "mirrored", NULL, got, sizeof got, &test_error));
    assert_string_equal(got, "mirrored");
    test_ok(marey_library_load(f->library, "mirrored", &back, &test_error));
    for (int i = 0; i < 30; i++) {
        marey_clip_positions(made, i, 1, a);
        marey_clip_positions(back, i, 1, b);
        for (int k = 0; k < 3 * 21; k++) assert_true(fabs(a[k] - b[k]) < 1e-4);
    }
}

CASE(a_clip_that_is_put_in_gives_its_number)
{
    char name[64];
    int64_t first = 0, second = 0, none = 77;
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 30);
    marey_put_def def = { .id = &first };
    test_ok(marey_library_put(f->library, clip, "one", &def, NULL, 0, &test_error));
    def.id = &second;
    test_ok(marey_library_put(f->library, clip, "one", &def, NULL, 0, &test_error));
    test_ok(marey_library_name(f->library, first, name, sizeof name, NULL, &test_error));
    assert_string_equal(name, "one");
    test_ok(marey_library_name(f->library, second, name, sizeof name, NULL, &test_error));
    assert_string_equal(name, "one-2");
    def.id = &none;
    test_refused_about(marey_library_put(f->library, clip, "", &def, NULL, 0, &test_error),
                       MAREY_ERR_REQUEST, "");
    assert_int_equal(none, 77);
}

/* ---- names and duplicates -------------------------------------------------------------------- */

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

CASE(the_same_motion_is_not_stored_twice)
{
    outcomes o = { 0 };
    marey_add_def def = { .done = note_outcome, .user = &o };
    test_library_person(f, "walk.bvh", 20);
    test_library_person(f, "copy.bvh", 20);
    test_library_add(f, "walk.bvh", &def);
    test_library_add(f, "copy.bvh", &def);
    assert_int_equal(o.done, 1);
    assert_int_equal(o.duplicates, 1);
    assert_string_equal(o.last_name, "walk");
    assert_int_equal(test_library_count(f, NULL), 1);
}

CASE(a_second_clip_of_a_name_gets_a_number)
{
    outcomes o = { 0 };
    marey_add_def def = { .done = note_outcome, .user = &o };
    test_library_person(f, "walk.bvh", 20);
    test_library_add(f, "walk.bvh", &def);
    test_library_person(f, "walk.bvh", 21);
    test_library_add(f, "walk.bvh", &def);
    assert_string_equal(o.last_name, "walk-2");
    test_library_person(f, "walk.bvh", 22);
    test_library_add(f, "walk.bvh", &def);
    assert_string_equal(o.last_name, "walk-3");
    assert_int_equal(test_library_count(f, NULL), 3);
}

CASE(files_that_are_no_motion_are_skipped_and_broken_ones_named)
{
    outcomes o = { 0 };
    marey_add_def def = { .done = note_outcome, .user = &o };
    char a[600], b[600], c[600];
    const char *paths[] = { a, b, c };
    snprintf(a, sizeof a, "%s/notes.txt", f->folder);
    snprintf(b, sizeof b, "%s/broken.bvh", f->folder);
    snprintf(c, sizeof c, "%s/walk.bvh", f->folder);
    test_file_write(a, "shopping list", 13);
    test_file_write(b, "HIERARCHY\nROOT", 14);
    test_library_person(f, "walk.bvh", 5);
    test_ok(marey_library_add(f->library, paths, 3, &def, &test_error));
    assert_int_equal(o.skipped, 1);
    assert_int_equal(o.failed, 1);
    assert_int_equal(o.done, 1);
}

CASE(an_unknown_name_gets_the_nearest_as_a_hint)
{
    marey_clip *clip = NULL;
    test_library_put(f, "walking_fast", 5);
    test_refused_about(marey_library_load(f->library, "walking_fats", &clip, &test_error),
                       MAREY_ERR_NOT_FOUND, "walking_fast");
    assert_null(clip);
}

CASE(other_units_make_another_clip)
{
    test_library_put(f, "walk", 5);
    test_library_add(f, "walk.bvh", &(marey_add_def){ .load = { .units = MAREY_UNITS_INCH } });
    assert_int_equal(test_library_count(f, NULL), 2);
}

/* ---- the file -------------------------------------------------------------------------------- */

CASE(after_closing_nothing_lies_beside_the_file)
{
    test_library_put(f, "walk", 5);
    test_library_close(f);
    assert_int_equal(test_folder_count(f->folder), 2);
}

CASE(a_library_that_is_not_there_is_only_made_when_asked)
{
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

CASE(a_sound_library_verifies)
{
    test_library_put(f, "walk", 50);
    test_library_put(f, "run", 60);
    test_library_sound(f);
}

CASE(the_same_files_give_the_same_library_for_any_number_of_threads)
{
    enum { FILES = 40 };
    static char names[FILES][600];
    const char *paths[FILES];
    char library_paths[2][600];
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "take%02d.bvh", i);
        test_library_person(f, name, 3 + i % 35);
        snprintf(names[i], sizeof names[i], "%s/%s", f->folder, name);
        paths[i] = names[i];
    }
    for (int t = 0; t < 2; t++) {
        OWNED(marey_ctx) *ctx = NULL;
        OWNED(marey_library) *library = NULL;
        char *path = library_paths[t];
        snprintf(path, sizeof library_paths[t], "%s/threads%d.marey", f->folder, t);
        test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = t ? 4 : 1 }, &ctx));
        test_ok(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &test_error));
        test_ok(marey_library_add(library, paths, FILES, NULL, &test_error));
    }
    test_same_file(library_paths[0], library_paths[1]);
}

/* NULL: it is from before there were kept things. */
static void read_note(marey_library *old, const char *text)
{
    OWNED(marey_kept) *kept = NULL;
    size_t size;
    int count;
    if (!text) {
        assert_int_equal(marey_library_kept(old, "note", "both", &kept, &test_error),
                         MAREY_ERR_NOT_FOUND);
        return;
    }
    test_ok(marey_library_kept(old, "note", "both", &kept, &test_error));
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    const void *bytes = marey_kept_bytes(kept, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
    assert_string_equal(entry->about, "{\"made_by\":\"hand\"}");
    assert_int_equal(entry->part_count, 2);
    assert_int_equal(entry->parts[1].clip, 2);
    assert_int_equal(entry->parts[1].end, 20);
    assert_string_equal(entry->part_names[1], "part");
}

/* Before there were webs none are there, and they can be made; and so can poses, which those of
   earlier schemas have none of or in an earlier format. */
static void read_index(marey_library *old, int pairs, int clips)
{
    marey_index_state now;
    marey_pose_report poses;
    test_ok(marey_library_index_state(old, &now, &test_error));
    assert_int_equal(now.exists, pairs > 0);
    assert_int_equal(now.size.pairs, pairs);
    assert_int_equal(now.pairs_missing, 3 - pairs);
    test_ok(marey_library_pose_state(old, &poses, &test_error));
    assert_int_equal(poses.clips, clips);
    assert_int_equal(poses.clips_made, 2 - clips);
}

/* A kept file per schema, read and written in a copy. */
CASE(libraries_of_every_earlier_schema_still_open)
{
    static const char *const kept[] = { "schema-1.marey", "schema-2.marey", "schema-3.marey",
                                        "schema-4.marey", "schema-5.marey", "schema-6.marey",
                                        "schema-7.marey", "schema-8.marey" };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char from[600], path[600];
        marey_library *old;
        marey_clip *clip;
        int64_t problems = -1;
        snprintf(from, sizeof from, "%s/libraries/%s", MAREY_TEST_DATA, kept[i]);
        snprintf(path, sizeof path, "%s/%s", f->folder, kept[i]);
        test_file_copy(from, path);
        for (int mode = MAREY_LIBRARY_READ; mode <= MAREY_LIBRARY_WRITE; mode++) {
            char picture[32] = "";
            size_t count = 0;
            test_ok(marey_library_open(f->ctx, path, (marey_library_mode)mode, &old, &test_error));
            test_ok(
                marey_library_picture(old, 1, "strip-480x96-1", picture, 31, &count, &test_error));
            assert_string_equal(picture, i == 0 ? "" : "a picture of wave");
            OWNED(marey_history) *history = NULL;
            int steps = 0;
            test_ok(marey_library_history(old, &history, &test_error));
            const marey_history_step *step = marey_history_steps(history, &steps);
            assert_int_equal(steps, i == 7);
            if (steps > 0)
                assert_true(step->undone && !strcmp(step->title, "rename part to piece"));
            if (mode == MAREY_LIBRARY_WRITE) {
                test_ok(marey_library_keep_picture(old, 1, "new", 0, "x", 1, &test_error));
                test_keep(old, "web", "new", "1");
                assert_true(test_is_kept(old, "web", "new", "1"));
            }
            read_note(old, i < 2 ? NULL : "a note about wave");
            read_index(old, i < 3 ? 0 : 3, i < 6 ? 0 : 2);
            assert_string_equal(test_stretches(old, "wave"),
                                i < 5 ? "" : "hand up 10-15, hand up 20-30");
            test_ok(marey_library_load(old, "wave", &clip, &test_error));
            assert_int_equal(marey_clip_frames(clip), 61);
            assert_true((marey_clip_fps(clip) == 25) == (i >= 6));
            marey_clip_free(clip);
            test_ok(marey_library_load(old, "part", &clip, &test_error));
            assert_int_equal(marey_clip_frames(clip), 20);
            marey_clip_free(clip);
            if (mode == MAREY_LIBRARY_WRITE) {
                test_ok(marey_library_index(old, NULL, NULL, &test_error));
                test_ok(marey_library_index_poses(old, false, NULL, &test_error));
                read_index(old, 3, 2);
                /* The number of what was purged is not given again, also where no change had been
                   counted. */
                static const char *const part[] = { "part" };
                marey_named got = { 0 };
                test_ok(marey_library_purge(old, part, 1, NULL, &test_error));
                test_ok(marey_library_cut_clip(old, "#1", 10, 30, "part", &got, &test_error));
                assert_int_equal(got.id, 3);
            }
            marey_library_close(old);
        }
        test_ok(marey_library_verify(f->ctx, path, NULL, NULL, &problems, &test_error));
        assert_int_equal(problems, 0);
    }
}

TEST_GROUP_OF_CASES(test_library, NULL, NULL)
