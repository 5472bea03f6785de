/* test_library_numbers.c - clips by number: "#34" wherever a clip is named, and numbers that are
   never given twice. */
#include "library_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void note(void *user, const marey_add_result *result)
{
    *(int64_t *)user = result->id;
}

/* A person of so many frames under a name; returns its number. */
static int64_t put(test_library *f, const char *name, int frames)
{
    char file[300];
    int64_t id = -1;
    snprintf(file, sizeof file, "%s.bvh", name);
    test_library_person(f, file, frames);
    test_library_add(f, file, &(marey_add_def){ .done = note, .user = &id });
    return id;
}

static const char *number(int64_t id, char text[32])
{
    snprintf(text, 32, "#%" PRId64, id);
    return text;
}

static void expect_name(test_library *f, int64_t id, const char *name, bool removed)
{
    char found[MAREY_NAME_ROOM];
    bool is_removed = !removed;
    test_ok(marey_library_name(f->library, id, found, sizeof found, &is_removed, &test_error));
    assert_string_equal(found, name);
    assert_int_equal(is_removed, removed);
}

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(adding_reports_the_number_also_of_a_duplicate)
{
    int64_t walk = put(f, "walk", 5);
    assert_true(walk > 0);
    expect_name(f, walk, "walk", false);
    assert_int_equal(put(f, "again", 5), walk);
    assert_true(put(f, "other", 6) > walk);
}

/* Two clips swap their names; a number still means the same one. */
CASE(a_number_means_its_clip_whatever_it_is_called)
{
    char text[32];
    int64_t id = put(f, "walk", 5);
    const char *walk = number(id, text);
    marey_clip *clip = NULL;
    put(f, "run", 9);
    test_ok(marey_library_rename(f->library, walk, "walk", &test_error)); /* that it has */
    test_ok(marey_library_rename(f->library, walk, "old", &test_error));
    test_ok(marey_library_rename(f->library, "run", "walk", &test_error));
    test_ok(marey_library_load(f->library, walk, &clip, &test_error));
    assert_int_equal(marey_clip_frames(clip), 5);
    assert_string_equal(marey_clip_name(clip), "old");
    marey_clip_free(clip);
    test_ok(marey_library_label(f->library, &walk, 1, "seen", true, &test_error));
    test_ok(marey_library_relabel(f->library, &walk, 1, "known", &test_error));
    marey_contact kept = { MAREY_CONTACT_LEFT_HEEL, 1, 3 }, got = { 0 };
    int count = 0;
    test_ok(marey_library_set_contacts(f->library, walk, &kept, 1, &test_error));
    test_ok(marey_library_contacts(f->library, walk, &got, 1, &count, &test_error));
    assert_int_equal(count, 1);
    test_ok(marey_library_contacts(f->library, "walk", &got, 1, &count, &test_error));
    assert_int_equal(count, -1);
    OWNED(marey_listing) *listing = NULL;
    marey_list_def def = { .label = "known" };
    test_ok(marey_library_list(f->library, &def, &listing, &test_error));
    const marey_entry *entry = marey_listing_entries(listing, &count);
    assert_int_equal(count, 1);
    assert_int_equal(entry->id, id);
}

CASE(a_cut_by_number_reports_its_own_and_names_its_source)
{
    char text[32];
    const char *walk = number(put(f, "walk", 9), text);
    marey_named got;
    marey_listing *listing = NULL;
    int count;
    test_ok(marey_library_cut_clip(f->library, walk, 2, 6, "walk", &got, &test_error));
    assert_string_equal(got.name, "walk-2");
    expect_name(f, got.id, "walk-2", false);
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    const marey_entry *entries = marey_listing_entries(listing, &count);
    assert_int_equal(count, 2);
    assert_non_null(strstr(entries[1].provenance, "\"clip\":\"walk\",\"start\":2,\"end\":6"));
    marey_listing_free(listing);
    assert_int_equal(marey_library_cut_clip(f->library, "#1000", 2, 6, "no", &got, &test_error),
                     MAREY_ERR_NOT_FOUND);
}

CASE(several_are_restored_at_once_or_none)
{
    char texts[3][32];
    int64_t ids[3];
    const char *names[3];
    marey_named got[3];
    for (int i = 0; i < 3; i++) { /* three removed clips of one name */
        names[i] = number(ids[i] = put(f, "walk", 5 + i), texts[i]);
        if (i < 2) test_ok(marey_library_remove(f->library, &names[i], 1, &test_error));
    }
    assert_int_equal(marey_library_restore_clips(f->library, names, 3, got, &test_error),
                     MAREY_ERR_NOT_FOUND);
    expect_name(f, ids[0], "walk", true);
    test_ok(marey_library_remove(f->library, &names[2], 1, &test_error));
    test_ok(marey_library_restore_clips(f->library, names, 3, got, &test_error));
    static const char *const expected[] = { "walk", "walk-2", "walk-3" };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(got[i].id, ids[i]);
        assert_string_equal(got[i].name, expected[i]);
        expect_name(f, ids[i], expected[i], false);
    }
}

CASE(the_number_of_a_purged_clip_is_never_given_again)
{
    char text[32];
    int64_t walk = put(f, "walk", 5), run = put(f, "run", 6);
    const char *name = number(run, text);
    int purged = 0;
    test_ok(marey_library_purge(f->library, &name, 1, &purged, &test_error));
    assert_int_equal(purged, 1);
    int64_t last = put(f, "next", 7);
    assert_true(last > run);
    for (int i = 0; i < 2; i++) { /* an empty library too, and after it was closed */
        const char *all[] = { "#1", "#2", "#3", "#4" };
        for (int k = 0; k < 4; k++) marey_library_remove(f->library, &all[k], 1, NULL);
        test_ok(marey_library_purge(f->library, NULL, 0, &purged, &test_error));
        assert_int_equal(marey_library_remove(f->library, &all[0], 1, NULL), MAREY_ERR_NOT_FOUND);
        test_library_open(f, MAREY_LIBRARY_WRITE);
        int64_t again = put(f, "again", 5 + i);
        assert_true(again > last);
        last = again;
    }
    assert_true(walk > 0);
}

CASE(what_is_no_number_is_no_clip)
{
    static const char *const wrong[] = { "#",    "#0",  "#01",
                                         "#1x",  "# 1", "#-1",
                                         "#1#1", "##1", "#99999999999999999999" };
    const char *first = "#1";
    marey_clip *clip = NULL;
    assert_int_equal(put(f, "walk", 5), 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(marey_library_load(f->library, wrong[i], &clip, NULL),
                         MAREY_ERR_NOT_FOUND);
    }
    test_refused(marey_library_load(f->library, "#7", &clip, &test_error), MAREY_ERR_NOT_FOUND,
                 "there is no clip number 7");
    test_refused(marey_library_restore(f->library, &first, 1, &test_error), MAREY_ERR_NOT_FOUND,
                 "there is no removed clip number 1: walk is not removed");
    test_ok(marey_library_remove(f->library, &first, 1, &test_error));
    test_refused(marey_library_load(f->library, first, &clip, &test_error), MAREY_ERR_NOT_FOUND,
                 "there is no clip number 1: walk is removed");
}

TEST_GROUP_OF_CASES(test_library_numbers, NULL, NULL)
