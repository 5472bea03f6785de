/* test_library_kept.c - things that a library keeps under their names, parts of clips, and registration curves that
   come back with the clips they are of. */
#include "support.h"

#include "library/library_data.h"
#include "motion/clip_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    char folder[256];
    char path[300];
    marey_ctx *ctx;
    marey_library *library;
} fixture;

enum { WALK = 1, RUN = 2, WALK_FRAMES = 60, RUN_FRAMES = 75 }; /* numbers of the clips */

static void fine(marey_status status, const marey_error *error)
{
    if (status) fail_msg("%s: %s", error->path, error->message);
}

static marey_library *open_again(fixture *f, marey_library_mode mode)
{
    marey_library *library = NULL;
    marey_error error;
    fine(marey_library_open(f->ctx, f->path, mode, &library, &error), &error);
    return library;
}

static void put_clip(fixture *f, const marey_clip *clip, const char *name)
{
    marey_error error;
    fine(marey_library_put(f->library, clip, name, NULL, NULL, 0, &error), &error);
}

static marey_clip *make_person(fixture *f, int frames)
{
    char *text = test_person(frames);
    marey_clip *clip = test_clip(f->ctx, text);
    free(text);
    return clip;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_folder_make(f->folder, sizeof f->folder);
    snprintf(f->path, sizeof f->path, "%s/moves.marey", f->folder);
    f->ctx = test_ctx();
    f->library = open_again(f, MAREY_LIBRARY_CREATE);
    marey_clip *walk = make_person(f, WALK_FRAMES), *run = make_person(f, RUN_FRAMES);
    put_clip(f, walk, "walk");
    put_clip(f, run, "run");
    marey_clip_free(walk);
    marey_clip_free(run);
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

static void keep(marey_library *library, const char *kind, const char *name, const char *text)
{
    marey_error error;
    fine(marey_library_keep(library, kind, name, text, strlen(text), NULL, &error), &error);
}

static bool is_kept(marey_library *library, const char *kind, const char *name, const char *text)
{
    marey_kept *kept;
    size_t size;
    if (marey_library_kept(library, kind, name, &kept, NULL)) return false;
    const void *bytes = marey_kept_bytes(kept, &size);
    bool same = size == strlen(text) && memcmp(bytes, text, size) == 0;
    marey_kept_free(kept);
    return same;
}

static int count_kept(marey_library *library, const char *kind)
{
    marey_kept *kept;
    marey_error error;
    int count;
    fine(marey_library_kept_list(library, kind, &kept, &error), &error);
    marey_kept_entries(kept, &count);
    marey_kept_free(kept);
    return count;
}

static int64_t count_rows(marey_library *library, const char *sql)
{
    mry_query query = mry_query_start(library->store, sql);
    int64_t count = mry_query_next(&query) ? mry_column_integer(&query, 0) : -1;
    assert_int_equal(mry_query_end(&query, NULL), MAREY_OK);
    return count;
}

static int64_t version_of(marey_library *library)
{
    marey_error error;
    int64_t version = 0;
    fine(marey_library_version(library, &version, &error), &error);
    return version;
}

static void note_problem(void *user, const char *problem)
{
    char *said = user;
    size_t used = strlen(said);
    snprintf(said + used, 4096 - used, "%s\n", problem);
}

static int64_t verify(fixture *f, char said[4096])
{
    marey_error error;
    int64_t problems = -1;
    said[0] = 0;
    fine(marey_library_verify(f->ctx, f->path, note_problem, said, &problems, &error), &error);
    return problems;
}

/* ---- things ------------------------------------------------------------------------------------ */

static void a_thing_comes_back_whole_until_it_is_replaced(void **state)
{
    fixture *f = *state;
    marey_part parts[] = { { RUN, 10, 75 }, { WALK, 0, 60 }, { RUN, 3, 4 } };
    marey_keep_def def = { .about = "{\"slope\":3}", .parts = parts, .part_count = 3 };
    char bytes[5000];
    marey_error error;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * i >> 3);
    keep(f->library, "web", "all", "the first");
    fine(marey_library_keep(f->library, "web", "all", bytes, sizeof bytes, &def, &error), &error);
    fine(marey_library_rename(f->library, "run", "race", &error), &error);
    for (int again = 0; again < 2; again++) {
        marey_kept *kept;
        size_t size;
        int count;
        fine(marey_library_kept(f->library, "web", "all", &kept, &error), &error);
        const marey_kept_entry *entry = marey_kept_entries(kept, &count);
        const void *back = marey_kept_bytes(kept, &size);
        assert_int_equal(count, 1);
        assert_int_equal(size, sizeof bytes);
        assert_int_equal(entry->size, size);
        assert_memory_equal(back, bytes, size);
        assert_string_equal(entry->kind, "web");
        assert_string_equal(entry->name, "all");
        assert_string_equal(entry->about, "{\"slope\":3}");
        assert_int_equal(entry->part_count, 3);
        for (int i = 0; i < 3; i++) assert_memory_equal(&entry->parts[i], &parts[i], sizeof *parts);
        assert_string_equal(entry->part_names[0], "run");
        assert_string_equal(entry->part_names[1], "walk");
        marey_kept_free(kept);
        marey_library_close(f->library);
        f->library = open_again(f, again ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ);
    }
    keep(f->library, "web", "all", ""); /* nothing is something, too; and its parts are gone */
    assert_true(is_kept(f->library, "web", "all", ""));
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM kept_part"), 0);
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM blob WHERE kind <> 'motion'"), 1);
}

static void things_are_listed_by_kind_and_name(void **state)
{
    fixture *f = *state;
    static const char *const names[][2] = {
        { "graph", "b" }, { "motion", "walk" }, { "web", "a" }, { "web", "b" }
    };
    marey_kept *kept;
    marey_error error;
    size_t size = 1;
    int count;
    assert_int_equal(count_kept(f->library, NULL), 0);
    for (int i = 3; i >= 0; i--) keep(f->library, names[i][0], names[i][1], names[i][0]);
    fine(marey_library_kept_list(f->library, NULL, &kept, &error), &error);
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(entries[i].kind, names[i][0]);
        assert_string_equal(entries[i].name, names[i][1]);
        assert_int_equal(entries[i].size, strlen(names[i][0]));
        assert_true(is_kept(f->library, names[i][0], names[i][1], names[i][0]));
    }
    assert_null(marey_kept_bytes(kept, &size));
    assert_int_equal(size, 0);
    marey_kept_free(kept);
    marey_kept_free(NULL);
    assert_int_equal(count_kept(f->library, "web"), 2);
    assert_int_equal(count_kept(f->library, "we"), 0);
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        keep(f->library, "web", name, "x");
    }
    assert_int_equal(count_kept(f->library, "web"), 42);
}

static void what_is_forgotten_is_gone_with_its_bytes(void **state)
{
    fixture *f = *state;
    marey_part part = { WALK, 0, 10 };
    marey_keep_def def = { .parts = &part, .part_count = 1 };
    marey_error error;
    fine(marey_library_keep(f->library, "web", "kicks", "1", 1, &def, &error), &error);
    keep(f->library, "web", "walks", "2");
    fine(marey_library_forget(f->library, "web", "kicks", &error), &error);
    assert_false(is_kept(f->library, "web", "kicks", "1"));
    assert_true(is_kept(f->library, "web", "walks", "2"));
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM blob WHERE kind <> 'motion'"), 1);
    assert_int_equal(count_rows(f->library, "SELECT count(*) FROM kept_part"), 0);
    assert_int_equal(marey_library_forget(f->library, "web", "walk", &error), MAREY_ERR_INPUT);
    assert_string_equal(error.message, "no web is called walk; is it walks?");
    marey_kept *kept = NULL;
    assert_int_equal(marey_library_kept(f->library, "graph", "walks", &kept, &error),
                     MAREY_ERR_INPUT);
    assert_string_equal(error.message, "no graph is called walks");
    assert_null(kept);
}

static void every_change_is_a_new_version_and_reading_none(void **state)
{
    fixture *f = *state;
    marey_error error;
    int64_t first = version_of(f->library);
    keep(f->library, "web", "a", "1");
    int64_t second = version_of(f->library);
    assert_int_not_equal(first, second);
    assert_true(is_kept(f->library, "web", "a", "1"));
    assert_int_equal(count_kept(f->library, NULL), 1);
    assert_int_equal(version_of(f->library), second);
    fine(marey_library_forget(f->library, "web", "a", &error), &error);
    assert_int_not_equal(version_of(f->library), second);
}

static void expect_refusal(fixture *f, const char *kind, const char *name,
                           const marey_keep_def *def, marey_status status, const char *words)
{
    marey_error error;
    assert_int_equal(marey_library_keep(f->library, kind, name, "new", 3, def, &error), status);
    if (!strstr(error.message, words)) fail_msg("%s", error.message);
}

static void what_cannot_be_is_refused_and_nothing_changes(void **state)
{
    fixture *f = *state;
    char long_name[202];
    const char *walk = "walk";
    marey_error error;
    memset(long_name, 'n', 201);
    long_name[201] = 0;
    marey_part part = { RUN, 0, 75 };
    marey_keep_def one = { .parts = &part, .part_count = 1 };
    keep(f->library, "web", "a", "old");
    fine(marey_library_remove(f->library, &walk, 1, &error), &error);
    int64_t before = version_of(f->library);
    static const char *const kinds[] = { "", "Web", "a b", "kept/web",
                                         "0123456789012345678901234567890x" };
    for (int i = 0; i < 5; i++) expect_refusal(f, kinds[i], "a", NULL, MAREY_ERR_REQUEST, "kind");
    const char *const names[] = { "", "a/b", "#3", "a\nb", long_name };
    for (int i = 0; i < 5; i++) {
        expect_refusal(f, "web", names[i], NULL, MAREY_ERR_REQUEST,
                       "the name of a web has 1 to 200");
    }
    static const marey_part outside[] = { { RUN, -1, 3 }, { RUN, 3, 3 }, { RUN, 70, 76 } };
    for (int i = 0; i < 3; i++) {
        part = outside[i];
        expect_refusal(f, "web", "a", &one, MAREY_ERR_REQUEST, "not inside its 0-75");
    }
    part = (marey_part){ WALK, 0, 3 };
    expect_refusal(f, "web", "a", &one, MAREY_ERR_INPUT, "clip walk is removed");
    part.clip = 77;
    expect_refusal(f, "web", "a", &one, MAREY_ERR_INPUT, "there is no clip number 77");
    assert_int_equal(
        marey_library_keep(f->library, "web", "a", "x", ((size_t)1 << 30) + 1, NULL, &error),
        MAREY_ERR_LIMIT);
    char *about = calloc(1, (1 << 20) + 2);
    memset(about, ' ', (1 << 20) + 1);
    expect_refusal(f, "web", "a", &(marey_keep_def){ .about = about }, MAREY_ERR_LIMIT, "text");
    free(about);
    assert_true(is_kept(f->library, "web", "a", "old"));
    assert_int_equal(count_kept(f->library, NULL), 1);
    assert_int_equal(version_of(f->library), before);
}

static void a_library_open_for_reading_keeps_nothing_new(void **state)
{
    fixture *f = *state;
    keep(f->library, "web", "a", "1");
    marey_library_close(f->library);
    f->library = open_again(f, MAREY_LIBRARY_READ);
    assert_true(is_kept(f->library, "web", "a", "1"));
    assert_int_not_equal(marey_library_keep(f->library, "web", "a", "2", 1, NULL, NULL), MAREY_OK);
    assert_int_not_equal(marey_library_forget(f->library, "web", "a", NULL), MAREY_OK);
    assert_true(is_kept(f->library, "web", "a", "1"));
}

/* ---- parts ------------------------------------------------------------------------------------- */

static marey_parts *open_parts(fixture *f, const marey_part *parts, int count)
{
    marey_parts *opened = NULL;
    marey_error error;
    fine(marey_library_parts(f->library, parts, count, &opened, &error), &error);
    return opened;
}

static void a_part_is_its_frames_with_the_kept_plants(void **state)
{
    fixture *f = *state;
    static const marey_contact plants[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 12 },
                                            { MAREY_CONTACT_LEFT_HEEL, 20, 30 },
                                            { MAREY_CONTACT_LEFT_HEEL, 40, 60 },
                                            { MAREY_CONTACT_RIGHT_TOE, 5, 10 },
                                            { MAREY_CONTACT_RIGHT_TOE, 11, 50 } };
    static const marey_contact want[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 2 },
                                          { MAREY_CONTACT_LEFT_HEEL, 10, 20 },
                                          { MAREY_CONTACT_LEFT_HEEL, 30, 35 },
                                          { MAREY_CONTACT_RIGHT_TOE, 1, 35 } };
    marey_error error;
    fine(marey_library_set_contacts(f->library, "walk", plants, 5, &error), &error);
    marey_part part = { WALK, 10, 45 };
    marey_parts *opened = open_parts(f, &part, 1);
    marey_clip *whole;
    assert_int_equal(opened->count, 1);
    assert_string_equal(opened->names[0].name, "walk");
    assert_int_equal(opened->names[0].id, WALK);
    assert_int_equal(opened->contacts[0].count, 4);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(&opened->contacts[0].items[i], &want[i], sizeof *want);
    fine(marey_library_load(f->library, "walk", &whole, &error), &error);
    assert_int_equal(marey_clip_frames(opened->clips[0]), 35);
    for (int t = 0; t < 35; t++) {
        assert_memory_equal(marey_clip_root(opened->clips[0], t), marey_clip_root(whole, t + 10),
                            3 * sizeof(double));
    }
    marey_clip_free(whole);
    marey_parts_free(opened);
    marey_parts_free(NULL);
}

static void marked_frames_are_left_out_and_plants_close_up(void **state)
{
    fixture *f = *state;
    static const marey_contact plants[] = { { MAREY_CONTACT_LEFT_TOE, 1, 4 },
                                            { MAREY_CONTACT_LEFT_TOE, 6, 8 },
                                            { MAREY_CONTACT_LEFT_TOE, 9, 15 },
                                            { MAREY_CONTACT_RIGHT_TOE, 4, 12 } };
    static const marey_contact want[] = { { MAREY_CONTACT_LEFT_TOE, 0, 2 },
                                          { MAREY_CONTACT_LEFT_TOE, 3, 8 },
                                          { MAREY_CONTACT_RIGHT_TOE, 2, 5 } };
    marey_clip *clip = make_person(f, 30);
    marey_error error;
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 5, 10)); /* 5 of these frames */
    put_clip(f, clip, "holes");
    marey_clip_free(clip);
    fine(marey_library_set_contacts(f->library, "holes", plants, 4, &error), &error);
    marey_part part = { 3, 2, 20 };
    marey_parts *opened = open_parts(f, &part, 1);
    assert_int_equal(marey_clip_frames(opened->clips[0]), 13);
    assert_int_equal(opened->contacts[0].count, 3);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(&opened->contacts[0].items[i], &want[i], sizeof *want);
    marey_parts_free(opened);
}

static void parts_have_the_bones_of_the_first_and_plants_that_are_found(void **state)
{
    fixture *f = *state;
    marey_clip *clip = make_person(f, 50), *tall = NULL, *part_clip = NULL;
    marey_contacts found;
    marey_error error;
    fine(marey_clip_scale(clip, 1.2, &tall, &error), &error);
    put_clip(f, tall, "tall");
    fine(marey_clip_trim(tall, 5, 45, &part_clip, &error), &error);
    assert_int_equal(marey_contacts_find(part_clip, NULL, &found), MAREY_OK);
    marey_part parts[] = { { WALK, 0, 60 }, { 3, 5, 45 } };
    marey_parts *opened = open_parts(f, parts, 2);
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
    marey_contacts_free(&found);
    marey_parts_free(opened);
    marey_clip_free(part_clip);
    marey_clip_free(tall);
    marey_clip_free(clip);
}

static void parts_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    const char *run = "run";
    marey_parts *opened = NULL;
    marey_part parts[65] = { { WALK, 0, 60 }, { RUN, 0, 76 } };
    marey_error error;
    assert_int_equal(marey_library_parts(f->library, parts, 2, &opened, &error), MAREY_ERR_REQUEST);
    assert_string_equal(error.path, "run");
    assert_int_equal(marey_library_parts(f->library, parts, 0, &opened, &error), MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_parts(f->library, parts, 65, &opened, &error),
                     MAREY_ERR_REQUEST);
    fine(marey_library_remove(f->library, &run, 1, &error), &error);
    assert_int_equal(marey_library_parts(f->library, parts, 2, &opened, &error), MAREY_ERR_INPUT);
    assert_string_equal(error.message, "clip run is removed");
    parts[1].clip = 99;
    assert_int_equal(marey_library_parts(f->library, parts, 2, &opened, &error), MAREY_ERR_INPUT);
    assert_null(opened);
}

/* ---- registrations ----------------------------------------------------------------------------- */

static const marey_part both[] = { { WALK, 4, 56 }, { RUN, 4, 70 } };

static void set_plants(fixture *f)
{
    static const marey_contact walk[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 20 },
                                          { MAREY_CONTACT_LEFT_HEEL, 30, 50 },
                                          { MAREY_CONTACT_RIGHT_TOE, 10, 40 } };
    static const marey_contact run[] = { { MAREY_CONTACT_LEFT_HEEL, 2, 25 },
                                         { MAREY_CONTACT_LEFT_HEEL, 40, 70 },
                                         { MAREY_CONTACT_RIGHT_TOE, 12, 45 } };
    marey_error error;
    fine(marey_library_set_contacts(f->library, "walk", walk, 3, &error), &error);
    fine(marey_library_set_contacts(f->library, "run", run, 3, &error), &error);
}

/* Builds one of both clips and keeps it. */
static marey_status build_and_keep(marey_library *library, marey_ctx *ctx, const char *name,
                                   marey_error *error)
{
    marey_parts *opened = NULL;
    marey_registration *made = NULL;
    marey_status status = marey_library_parts(library, both, 2, &opened, error);
    if (status) return status;
    status = marey_registration_build(ctx, opened->clips, 2, opened->contacts, NULL, &made, error);
    if (!status) {
        status = marey_library_keep_registration(library, name, made, both,
                                                 "{\"metric\":\"points\"}", error);
    }
    marey_registration_free(made);
    marey_parts_free(opened);
    return status;
}

static void keep_both(fixture *f, const char *name)
{
    marey_error error;
    fine(build_and_keep(f->library, f->ctx, name, &error), &error);
}

static void same_registration(const marey_registration *a, const marey_registration *b)
{
    double first, last, range[2];
    int count_a, count_b;
    marey_registration_range(a, &first, &last);
    marey_registration_range(b, &range[0], &range[1]);
    assert_true(first == range[0] && last == range[1] && first < last);
    for (int i = 0; i <= 20; i++) {
        double u = first + (last - first) * i / 20, rows_a[2], rows_b[2];
        marey_registration_times(a, u, rows_a, NULL);
        marey_registration_times(b, u, rows_b, NULL);
        assert_memory_equal(rows_a, rows_b, sizeof rows_a);
        marey_placement place_a = marey_registration_place(a, 1, u);
        marey_placement place_b = marey_registration_place(b, 1, u);
        assert_true(place_a.angle_rad == place_b.angle_rad && place_a.x_cm == place_b.x_cm &&
                    place_a.z_cm == place_b.z_cm);
    }
    const marey_constraint_match *ma = marey_registration_matches(a, &count_a);
    const marey_constraint_match *mb = marey_registration_matches(b, &count_b);
    assert_int_equal(count_a, 3);
    assert_int_equal(count_a, count_b);
    for (int i = 0; i < count_a; i++) {
        assert_int_equal(ma[i].joint, mb[i].joint);
        assert_memory_equal(ma[i].spans, mb[i].spans, 2 * sizeof *ma[i].spans);
    }
}

static void a_registration_comes_back_with_its_clips_whatever_they_are_called(void **state)
{
    fixture *f = *state;
    marey_parts *opened, *parts = NULL;
    marey_registration *made, *back = NULL;
    marey_error error;
    set_plants(f);
    opened = open_parts(f, both, 2);
    fine(marey_registration_build(f->ctx, opened->clips, 2, opened->contacts, NULL, &made, &error),
         &error);
    fine(marey_library_keep_registration(f->library, "gaits", made, both, NULL, &error), &error);
    fine(marey_library_rename(f->library, "run", "walk-fast", &error), &error);
    fine(marey_library_rename(f->library, "walk", "run", &error), &error);
    fine(marey_library_registration(f->library, "gaits", &parts, &back, &error), &error);
    same_registration(made, back);
    assert_int_equal(parts->count, 2);
    assert_string_equal(parts->names[0].name, "run");
    assert_string_equal(parts->names[1].name, "walk-fast");
    assert_memory_equal(parts->parts, both, sizeof both);
    assert_ptr_equal(marey_registration_clip(back, 1), parts->clips[1]);
    marey_registration_free(back);
    marey_parts_free(parts);
    marey_registration_free(made);
    marey_parts_free(opened);
}

static void a_clip_that_a_registration_lacks_is_named(void **state)
{
    fixture *f = *state;
    const char *race = "race";
    char said[4096];
    marey_parts *parts = NULL;
    marey_registration *back = NULL;
    marey_error error;
    keep_both(f, "gaits");
    fine(marey_library_rename(f->library, "run", "race", &error), &error);
    fine(marey_library_remove(f->library, &race, 1, &error), &error);
    assert_int_equal(marey_library_registration(f->library, "gaits", &parts, &back, &error),
                     MAREY_ERR_INPUT);
    assert_string_equal(error.message,
                        "the registration gaits needs the clip race (number 2), which "
                        "is removed; marey restore brings it back");
    assert_int_equal(verify(f, said), 0); /* that is no damage */
    fine(marey_library_restore(f->library, &race, 1, &error), &error);
    fine(marey_library_registration(f->library, "gaits", &parts, &back, &error), &error);
    marey_registration_free(back);
    marey_parts_free(parts);
    parts = NULL;
    back = NULL;
    fine(marey_library_purge(f->library, &race, 1, NULL, &error), &error);
    assert_int_equal(marey_library_registration(f->library, "gaits", &parts, &back, &error),
                     MAREY_ERR_INPUT);
    assert_string_equal(error.message,
                        "the registration gaits needs the clip run (number 2), which "
                        "is not there any more");
    assert_null(parts);
    assert_null(back);
    assert_int_equal(verify(f, said), 0);
    assert_int_equal(marey_library_registration(f->library, "gait", &parts, &back, &error),
                     MAREY_ERR_INPUT);
    assert_string_equal(error.message, "no registration is called gait; is it gaits?");
}

static void a_registration_of_other_parts_is_not_kept(void **state)
{
    fixture *f = *state;
    static const marey_part others[] = { { WALK, 4, 56 }, { RUN, 4, 71 } };
    marey_parts *opened = open_parts(f, both, 2);
    marey_registration *made;
    marey_error error;
    fine(marey_registration_build(f->ctx, opened->clips, 2, opened->contacts, NULL, &made, &error),
         &error);
    assert_int_equal(
        marey_library_keep_registration(f->library, "gaits", made, others, NULL, &error),
        MAREY_ERR_REQUEST);
    assert_string_equal(error.message, "this registration is not one of these parts of clips");
    assert_int_equal(marey_library_keep_registration(f->library, "a/b", made, both, NULL, &error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(count_kept(f->library, NULL), 0);
    marey_registration_free(made);
    marey_parts_free(opened);
}

static void plants_that_are_set_later_change_the_matches(void **state)
{
    fixture *f = *state;
    static const marey_contact one = { MAREY_CONTACT_LEFT_HEEL, 0, 20 };
    marey_parts *parts;
    marey_registration *back;
    marey_error error;
    int count;
    set_plants(f);
    keep_both(f, "gaits");
    fine(marey_library_set_contacts(f->library, "walk", &one, 1, &error), &error);
    fine(marey_library_registration(f->library, "gaits", &parts, &back, &error), &error);
    marey_registration_matches(back, &count);
    assert_int_equal(count, 1);
    marey_registration_free(back);
    marey_parts_free(parts);
}

/* ---- damage and memory ------------------------------------------------------------------------- */

static void damage_is_refused_and_verify_names_the_thing(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *sql, *said;
        bool readable;
    } wrong[] = {
        { "UPDATE blob SET sum = sum + 1 WHERE kind = 'kept/registration'",
          "registration gaits: stored data", false },
        { "UPDATE kept_part SET stop = start WHERE place = 1",
          "registration gaits: the registration gaits is damaged", false },
        { "UPDATE kept_part SET stop = 5000000000 WHERE place = 1",
          "registration gaits: the registration gaits is damaged", false },
        { "UPDATE kept_part SET start = 5 WHERE place = 1",
          "registration gaits: the registration was made of other clips", true },
        { "DELETE FROM kept_part WHERE place = 1",
          "registration gaits: the registration was made of other clips", true },
        { "UPDATE kept SET blob = (SELECT blob FROM kept WHERE kind = 'web') WHERE name = 'gaits'",
          "registration gaits: the bytes are not a registration curve", true },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char said[4096];
        marey_parts *parts = NULL;
        marey_registration *back = NULL;
        marey_kept *kept = NULL;
        marey_error error;
        keep(f->library, "web", "sound", "something else, long enough");
        keep_both(f, "gaits");
        assert_int_equal(verify(f, said), 0);
        fine(mry_store_run(f->library->store, wrong[i].sql, &error), &error);
        assert_int_equal(marey_library_registration(f->library, "gaits", &parts, &back, &error),
                         MAREY_ERR_INPUT);
        marey_status status =
            marey_library_kept(f->library, "registration", "gaits", &kept, &error);
        assert_int_equal(status, wrong[i].readable ? MAREY_OK : MAREY_ERR_INPUT);
        if (status)
            assert_string_equal(error.message,
                                "the registration gaits is damaged; run marey verify");
        marey_kept_free(kept);
        assert_true(is_kept(f->library, "web", "sound", "something else, long enough"));
        assert_int_equal(verify(f, said), 1);
        if (!strstr(said, wrong[i].said)) fail_msg("%d: %s", (int)i, said);
    }
    keep_both(f, "gaits"); /* as good as new */
    char said[4096];
    assert_int_equal(verify(f, said), 0);
}

/* Every page of a large thing in turn, on the disk: it is refused and named, and the others are sound. */
static void a_changed_byte_is_found_on_the_disk(void **state)
{
    fixture *f = *state;
    enum { BYTES = 30000 };
    char *bytes = malloc(BYTES);
    size_t size;
    marey_error error;
    unsigned random = 5;
    for (int i = 0; i < BYTES; i++) {
        random = random * 1664525u + 1013904223u;
        bytes[i] = (char)(random >> 24); /* no packing makes it smaller */
    }
    fine(marey_library_keep(f->library, "web", "large", bytes, BYTES, NULL, &error), &error);
    keep(f->library, "web", "small", "x");
    marey_library_close(f->library);
    char *file = test_file_read(f->path, &size);
    int hits = 0;
    for (size_t at = 2048; at < size; at += 4096) {
        char said[4096];
        if (!memmem(bytes, BYTES, file + at, 16)) continue;
        file[at]++;
        test_file_write(f->path, file, size);
        file[at]--;
        f->library = open_again(f, MAREY_LIBRARY_READ);
        assert_false(is_kept(f->library, "web", "large", ""));
        assert_true(is_kept(f->library, "web", "small", "x"));
        assert_int_equal(count_kept(f->library, "web"), 2);
        marey_library_close(f->library);
        assert_true(verify(f, said) > 0);
        assert_non_null(strstr(said, "web large: "));
        hits++;
    }
    assert_true(hits >= 5);
    test_file_write(f->path, file, size);
    f->library = open_again(f, MAREY_LIBRARY_WRITE);
    free(file);
    free(bytes);
}

/* Everything of this file in a row; each allocation of it is refused in turn. */
static marey_status use_all(marey_ctx *ctx, const fixture *f, marey_error *error)
{
    marey_library *library;
    marey_kept *kept = NULL;
    marey_parts *parts = NULL;
    marey_registration *back = NULL;
    marey_status status = marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, error);
    if (status) return status;
    status = marey_library_keep(library, "web", "a", "bytes", 5,
                                &(marey_keep_def){ .parts = both, .part_count = 2 }, error);
    if (!status) status = marey_library_kept_list(library, NULL, &kept, error);
    marey_kept_free(kept);
    kept = NULL;
    if (!status) status = marey_library_kept(library, "web", "a", &kept, error);
    marey_kept_free(kept);
    if (!status) status = marey_library_forget(library, "web", "a", error);
    if (!status) status = build_and_keep(library, ctx, "gaits", error);
    if (!status) status = marey_library_registration(library, "gaits", &parts, &back, error);
    marey_registration_free(back);
    marey_parts_free(parts);
    marey_library_close(library);
    if (!status) status = marey_library_verify(ctx, f->path, NULL, NULL, NULL, error);
    return status;
}

static void refused_memory_is_reported_and_leaves_a_sound_library(void **state)
{
    fixture *f = *state;
    set_plants(f);
    marey_library_close(f->library);
    f->library = NULL;
    for (long n = 0;; n++) {
        test_memory memory = { .refuse = n };
        marey_ctx_def def = { .threads = 1, .resize = test_memory_resize, .resize_user = &memory };
        marey_error error = { 0 };
        marey_ctx *ctx;
        int64_t problems = -1;
        if (marey_ctx_open(&def, &ctx)) continue;
        marey_status status = use_all(ctx, f, &error);
        bool over = memory.calls <= n;
        marey_ctx_close(ctx);
        assert_int_equal(memory.live, 0);
        if (status && status != MAREY_ERR_MEMORY) fail_msg("allocation %ld: %s", n, error.message);
        if (over) assert_int_equal(status, MAREY_OK);
        if (!over) assert_int_equal(status, MAREY_ERR_MEMORY);
        if (n % 8 == 0 || over) {
            fine(marey_library_verify(f->ctx, f->path, NULL, NULL, &problems, &error), &error);
            assert_int_equal(problems, 0);
        }
        if (over) break;
    }
}

/* ---- earlier schemas ---------------------------------------------------------------------------- */

static void libraries_of_earlier_schemas_keep_things_once_they_are_written(void **state)
{
    fixture *f = *state;
    static const char *const old[] = { "schema-1.marey", "schema-2.marey" };
    for (int i = 0; i < 2; i++) {
        char from[600];
        size_t size;
        marey_error error;
        marey_part part = { 1, 10, 30 };
        marey_keep_def def = { .parts = &part, .part_count = 1 };
        marey_library_close(f->library);
        snprintf(from, sizeof from, "%s/libraries/%s", MAREY_TEST_DATA, old[i]);
        char *bytes = test_file_read(from, &size);
        test_file_write(f->path, bytes, size);
        free(bytes);
        f->library = open_again(f, MAREY_LIBRARY_READ); /* a copy is migrated */
        assert_int_equal(count_kept(f->library, NULL), 0);
        assert_false(is_kept(f->library, "web", "a", "1"));
        marey_library_close(f->library);
        f->library = open_again(f, MAREY_LIBRARY_WRITE);
        fine(marey_library_keep(f->library, "web", "a", "1", 1, &def, &error), &error);
        assert_true(is_kept(f->library, "web", "a", "1"));
        char said[4096];
        assert_int_equal(verify(f, said), 0);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_thing_comes_back_whole_until_it_is_replaced),
        CASE(things_are_listed_by_kind_and_name),
        CASE(what_is_forgotten_is_gone_with_its_bytes),
        CASE(every_change_is_a_new_version_and_reading_none),
        CASE(what_cannot_be_is_refused_and_nothing_changes),
        CASE(a_library_open_for_reading_keeps_nothing_new),
        CASE(a_part_is_its_frames_with_the_kept_plants),
        CASE(marked_frames_are_left_out_and_plants_close_up),
        CASE(parts_have_the_bones_of_the_first_and_plants_that_are_found),
        CASE(parts_that_cannot_be_are_refused),
        CASE(a_registration_comes_back_with_its_clips_whatever_they_are_called),
        CASE(a_clip_that_a_registration_lacks_is_named),
        CASE(a_registration_of_other_parts_is_not_kept),
        CASE(plants_that_are_set_later_change_the_matches),
        CASE(damage_is_refused_and_verify_names_the_thing),
        CASE(a_changed_byte_is_found_on_the_disk),
        CASE(refused_memory_is_reported_and_leaves_a_sound_library),
        CASE(libraries_of_earlier_schemas_keep_things_once_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
