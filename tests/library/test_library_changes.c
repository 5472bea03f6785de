/* test_library_changes.c - clips that are in a library: labels, text search, names, removing and
   bringing back, cutting, contacts, and what is left of clips that are purged. */
#include "library_bench.h"

#include "library/library_data.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- labels, text, names --------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(labels_descriptions_and_names_can_be_searched)
{
    char index[600];
    const char *names[] = { "05_01", "07_02" };
    snprintf(index, sizeof index, "%s/index.txt", f->folder);
    static const char lines[] =
        "Subject #5 (modern dance)\n\n05_01\twalk on uneven terrain\n07_02   run/jog\n";
    test_file_write(index, lines, sizeof lines - 1);
    test_library_person(f, "05_01.bvh", 5);
    test_library_person(f, "07_02.bvh", 6);
    marey_add_def def = { .index_path = index };
    test_library_add(f, "05_01.bvh", &def);
    test_library_add(f, "07_02.bvh", &def);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "uneven" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "unev terr" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "jog" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "05_01" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "nothing" }), 0);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "\"*) OR a:" }), 0);
    test_ok(marey_library_label(f->library, names, 2, "favourite", true, &test_error));
    test_ok(marey_library_label(f->library, names, 1, "favourite", true, &test_error));
    assert_int_equal(test_library_count(f, &(marey_list_def){ .label = "favourite" }), 2);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "favour" }), 2);
    test_ok(marey_library_label(f->library, names, 1, "favourite", false, &test_error));
    assert_int_equal(test_library_count(f, &(marey_list_def){ .label = "favourite" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "favour" }), 1);
}

/* Labels and stretches are read for all clips at once: each must end with its own. The judge asks for
   one clip at a time. */
CASE(every_clip_is_listed_with_its_own_labels_and_stretches)
{
    enum { CLIPS = 12 };
    uint32_t random = 5;
    for (int i = 0; i < CLIPS; i++) {
        char name[16];
        const char *only[] = { name };
        snprintf(name, sizeof name, "clip%d", (i * 7) % CLIPS);
        test_library_put(f, name, 20 + i);
        for (int l = 0; l < 3; l++) {
            char label[16];
            const char *labels[] = { label };
            random = random * 1664525u + 1013904223u;
            snprintf(label, sizeof label, "l%u", random >> 29);
            if (random >> 16 & 1)
                test_ok(marey_library_label(f->library, only, 1, label, true, &test_error));
            marey_clip_range frames = { name, l, l + 2 };
            marey_edit_def def = { .add = labels, .add_count = 1 };
            if (random >> 17 & 1)
                test_ok(marey_library_edit_frames(f->library, &frames, 1, &def, &test_error));
        }
    }
    OWNED(marey_listing) *all = NULL;
    int count, listed, single, counted;
    test_ok(marey_library_list(f->library, NULL, &all, &test_error));
    const marey_entry *entries = marey_listing_entries(all, &count);
    assert_int_equal(count, CLIPS);
    for (int i = 0, labels = 0; i < count; i++) {
        OWNED(marey_listing) *own = NULL;
        char number[24];
        snprintf(number, sizeof number, "#%lld", (long long)entries[i].id);
        marey_list_def def = { .clip = i % 2 ? number : entries[i].name };
        test_ok(marey_library_list(f->library, &def, &own, &test_error));
        const marey_entry *one = marey_listing_entries(own, &single);
        assert_int_equal(single, 1);
        assert_string_equal(one->name, entries[i].name);
        assert_int_equal(one->label_count, entries[i].label_count);
        assert_int_equal(one->stretch_count, entries[i].stretch_count);
        for (int l = 0; l < one->label_count; l++) {
            assert_string_equal(one->labels[l], entries[i].labels[l]);
            listed = test_library_count(f, &(marey_list_def){ .label = one->labels[l] });
            assert_true(listed > 0 && ++labels);
        }
        for (int s = 0; s < one->stretch_count; s++) {
            assert_string_equal(one->stretches[s].label, entries[i].stretches[s].label);
            assert_int_equal(one->stretches[s].start, entries[i].stretches[s].start);
        }
    }
    assert_int_equal(test_library_count(f, &(marey_list_def){ .clip = "nothing" }), 0);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .clip = "#99" }), 0);
    const char *gone[] = { "clip0", "clip3" };
    test_ok(marey_library_remove(f->library, gone, 2, &test_error));
    test_ok(marey_library_count(f->library, false, &counted, &test_error));
    assert_int_equal(counted, CLIPS - 2);
    test_ok(marey_library_count(f->library, true, &counted, &test_error));
    assert_int_equal(counted, 2);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .clip = "clip0" }), 0);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .clip = "clip0", .removed = true }),
                     1);
}

CASE(labelling_is_all_or_none)
{
    const char *names[] = { "walk", "jog" };
    test_library_put(f, "walk", 5);
    assert_int_equal(marey_library_label(f->library, names, 2, "x", true, NULL),
                     MAREY_ERR_NOT_FOUND);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .label = "x" }), 0);
}

CASE(an_edit_of_many_clips_is_all_or_none)
{
    const char *names[] = { "walk", "jog" }, *add_labels[] = { "x" };
    marey_edit_def def = {
        .add = add_labels, .add_count = 1, .description = "new", .licence = "L"
    };
    test_library_put(f, "walk", 5);
    assert_int_equal(marey_library_edit(f->library, names, 2, &def, &test_error),
                     MAREY_ERR_NOT_FOUND);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "new" }), 0);
    test_ok(marey_library_edit(f->library, names, 1, &def, &test_error));
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "new", .label = "x" }), 1);
}

CASE(renaming_keeps_names_apart_and_sound)
{
    static const char *const wrong[] = { "", "a/b", "a#1", "a\nb" };
    test_library_person(f, "walk.bvh", 5);
    test_library_person(f, "run.bvh", 6);
    test_library_add(f, "walk.bvh", NULL);
    test_library_add(f, "run.bvh", NULL);
    assert_int_equal(marey_library_rename(f->library, "walk", "run", &test_error),
                     MAREY_ERR_REQUEST);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(marey_library_rename(f->library, "walk", wrong[i], NULL),
                         MAREY_ERR_REQUEST);
    }
    test_ok(marey_library_rename(f->library, "walk", "stroll", &test_error));
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "stroll" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "walk" }), 0);
}

CASE(removed_clips_are_out_of_sight_until_restored_or_purged)
{
    const char *walk[] = { "walk" };
    OWNED(marey_clip) *clip = NULL;
    int purged = 0;
    test_library_put(f, "walk", 5);
    test_ok(marey_library_remove(f->library, walk, 1, &test_error));
    assert_int_equal(test_library_count(f, NULL), 0);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "walk" }), 0);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .removed = true }), 1);
    assert_int_equal(marey_library_load(f->library, "walk", &clip, NULL), MAREY_ERR_NOT_FOUND);
    test_library_add(f, "walk.bvh", NULL); /* a removed one does not stand in its way */
    test_ok(marey_library_restore(f->library, walk, 1, &test_error));
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "walk" }),
                     2); /* walk and walk-2 */
    test_ok(marey_library_remove(f->library, walk, 1, &test_error));
    test_ok(marey_library_purge(f->library, NULL, 0, &purged, &test_error));
    assert_int_equal(purged, 1);
    assert_int_equal(marey_library_restore(f->library, walk, 1, NULL), MAREY_ERR_NOT_FOUND);
    test_ok(marey_library_load(f->library, "walk-2", &clip,
                               &test_error)); /* its motion is still there */
}

/* ---- cuts and contacts ----------------------------------------------------------------------- */

CASE(a_cut_is_a_clip_that_knows_where_it_is_from)
{
    static const char *const labels[] = { "gait" };
    char got[64], path[600];
    OWNED(marey_listing) *listing = NULL;
    OWNED(marey_clip) *whole = NULL, *part = NULL, *stored = NULL;
    int count;
    test_library_person(f, "walk.bvh", 40);
    test_library_add(
        f, "walk.bvh",
        &(marey_add_def){ .labels = labels, .label_count = 1, .licence = "CC BY 4.0" });
    test_ok(marey_library_cut(f->library, "walk", 10, 25, "step", got, sizeof got, &test_error));
    assert_string_equal(got, "step");
    snprintf(path, sizeof path, "%s/walk.bvh", f->folder);
    whole = test_clip_load(f->ctx, path);
    test_ok(marey_clip_trim(whole, 10, 25, &part, &test_error));
    test_ok(marey_library_load(f->library, "step", &stored, &test_error));
    test_same_clip(part, stored);
    test_ok(
        marey_library_list(f->library, &(marey_list_def){ .text = "step" }, &listing, &test_error));
    const marey_entry *entry = marey_listing_entries(listing, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entry->labels[0], "gait");
    assert_string_equal(entry->licence, "CC BY 4.0");
    assert_string_equal(entry->provenance,
                        "{\"made_by\":\"cut\",\"sources\":[{\"clip\":\"walk\",\"start\":10,"
                        "\"end\":25,\"licence\":\"CC BY 4.0\"}]}");
    assert_int_equal(marey_library_cut(f->library, "walk", 30, 41, "no", NULL, 0, NULL),
                     MAREY_ERR_REQUEST);
}

CASE(provenance_is_json_whatever_the_licence_says)
{
    OWNED(marey_listing) *listing = NULL;
    int count;
    test_library_person(f, "walk.bvh", 20);
    test_library_add(f, "walk.bvh", &(marey_add_def){ .licence = "a \"b\"\n\\ \xff\xc3\xa4" });
    test_ok(marey_library_cut(f->library, "walk", 1, 5, "part", NULL, 0, &test_error));
    test_ok(
        marey_library_list(f->library, &(marey_list_def){ .text = "part" }, &listing, &test_error));
    const marey_entry *entry = marey_listing_entries(listing, &count);
    assert_int_equal(count, 1);
    assert_non_null(
        strstr(entry->provenance, "\"licence\":\"a \\\"b\\\"\\u000a\\\\ \\ufffd\xc3\xa4\"}]}"));
}

CASE(contacts_are_kept_in_order_and_checked)
{
    marey_contact set[] = { { MAREY_CONTACT_RIGHT_TOE, 3, 9 },
                            { MAREY_CONTACT_LEFT_HEEL, 10, 20 },
                            { MAREY_CONTACT_LEFT_HEEL, 0, 5 } };
    marey_contact wrong[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 5 },
                              { MAREY_CONTACT_LEFT_HEEL, 4, 6 } };
    marey_contact outside[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 21 } }, got[4];
    int count = 0;
    test_library_put(f, "walk", 20);
    test_ok(marey_library_set_contacts(f->library, "walk", set, 3, &test_error));
    assert_int_equal(marey_library_set_contacts(f->library, "walk", wrong, 2, NULL),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_set_contacts(f->library, "walk", outside, 1, NULL),
                     MAREY_ERR_REQUEST);
    test_ok(marey_library_contacts(f->library, "walk", got, 4, &count, &test_error));
    assert_int_equal(count, 3); /* a refused change leaves the old ones */
    char got_name[64];
    marey_contact part[4];
    test_ok(marey_library_cut(f->library, "walk", 4, 12, "part", got_name, sizeof got_name,
                              &test_error));
    test_ok(marey_library_contacts(f->library, "part", part, 4, &count, &test_error));
    assert_int_equal(count, 3); /* a cut takes its share of the plants along */
    assert_true(part[0].start == 0 && part[0].end == 1 && part[1].start == 6 && part[1].end == 8);
    assert_true(part[2].joint == MAREY_CONTACT_RIGHT_TOE && part[2].start == 0 && part[2].end == 5);
    test_ok(marey_library_contacts(f->library, "walk", got, 4, &count, &test_error));
    assert_memory_equal(&got[0], &set[2], sizeof *got);
    assert_memory_equal(&got[1], &set[1], sizeof *got);
    assert_memory_equal(&got[2], &set[0], sizeof *got);
}

CASE(an_empty_set_of_contacts_is_not_the_same_as_none)
{
    int count = 7;
    test_library_put(f, "walk", 20);
    test_ok(marey_library_contacts(f->library, "walk", NULL, 0, &count, &test_error));
    assert_int_equal(count, -1);
    test_ok(marey_library_set_contacts(f->library, "walk", NULL, 0, &test_error));
    test_ok(marey_library_contacts(f->library, "walk", NULL, 0, &count, &test_error));
    assert_int_equal(count, 0);
}

static uint64_t sum_of(test_library *f)
{
    uint64_t sum = 0;
    test_ok(marey_library_sum(f->library, &sum, &test_error));
    return sum;
}

CASE(the_sum_of_a_library_is_that_of_what_its_clips_are)
{
    const char *walk = "walk", *run = "run";
    marey_contact plant = { MAREY_CONTACT_LEFT_HEEL, 0, 5 };
    marey_clip_range frames = { "walk", 3, 9 };
    uint64_t sums[8] = { sum_of(f) };
    test_library_put(f, "walk", 20);
    sums[1] = sum_of(f);
    test_library_put(f, "run", 25);
    uint64_t both = sums[2] = sum_of(f);
    test_ok(marey_library_label(f->library, &walk, 1, "seen", true, &test_error));
    sums[3] = sum_of(f);
    test_ok(marey_library_set_contacts(f->library, "walk", NULL, 0, &test_error));
    sums[4] = sum_of(f);
    test_ok(marey_library_set_contacts(f->library, "walk", &plant, 1, &test_error));
    sums[5] = sum_of(f);
    test_ok(marey_library_edit_frames(
        f->library, &frames, 1, &(marey_edit_def){ .add = &run, .add_count = 1 }, &test_error));
    sums[6] = sum_of(f);
    test_ok(marey_library_rename(f->library, "run", "jog", &test_error));
    sums[7] = sum_of(f);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) assert_true(sums[i] != sums[j]);
    test_keep(f->library, "graph", "saved", "bytes");
    assert_true(sum_of(f) == sums[7]);
    test_library *other = test_library_new();
    test_library_put(other, "run", 25);
    test_library_put(other, "walk", 20);
    assert_true(sum_of(other) == both);
    void *gone = other;
    test_library_free(&gone);
}

/* An invalid row, with its checksums right, as a foreign library might hold one. */
CASE(an_invalid_contact_row_is_refused_and_found)
{
    static const char *const wrong[] = { "UPDATE contact SET joint = 50",
                                         "UPDATE contact SET joint = 1, stop = 2000",
                                         "UPDATE contact SET start = 19, stop = 3" };
    marey_contact one = { MAREY_CONTACT_LEFT_TOE, 3, 9 };
    int count = 0;
    test_library_put(f, "walk", 20);
    for (int i = 0; i < 3; i++) {
        int64_t problems = 0;
        test_ok(marey_library_set_contacts(f->library, "walk", &one, 1, &test_error));
        test_ok(mry_store_run(f->library->store, wrong[i], &test_error));
        assert_int_equal(marey_library_contacts(f->library, "walk", NULL, 0, &count, &test_error),
                         MAREY_ERR_INPUT);
        test_ok(marey_library_verify(f->ctx, f->path, NULL, NULL, &problems, &test_error));
        assert_int_equal(problems, 1);
    }
}

/* ---- purged clips ---------------------------------------------------------------------------- */

/* How often any of these is in the library's file or in the log beside it, in small letters or as
   it is. */
static int traces(const test_library *f, const char *const *words, int count)
{
    static const char *const ends[] = { "", "-wal" };
    int found = 0;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        char path[700];
        size_t size;
        snprintf(path, sizeof path, "%s%s", f->path, ends[k]);
        if (access(path, F_OK) != 0) continue;
        FREED char *bytes = test_file_read(path, &size);
        for (int i = 0; i < count; i++) {
            const char *at = bytes, *end = bytes + size;
            size_t length = strlen(words[i]);
            for (; (at = memmem(at, (size_t)(end - at), words[i], length)); at++) found++;
        }
    }
    return found;
}

static void edit(test_library *f, const char *name, const char *label, const char *description)
{
    marey_edit_def def = { .add = &label, .add_count = 1, .description = description };
    test_ok(marey_library_edit(f->library, &name, 1, &def, &test_error));
}

/* Enough of them that the words are in many segments, which SQLite merges when it likes. */
CASE(what_is_purged_is_in_no_byte_of_the_file_or_its_log)
{
    enum { OTHERS = 60, SECRETS = 20 };
    static const char *const words[] = { "zebra", "okapi", "quagga", "tapir", "bongo" };
    char name[64], text[64];
    int purged = 0;
    for (int i = 0; i < OTHERS; i++) {
        snprintf(name, sizeof name, "%s%d.bvh", i < SECRETS ? "zebra" : "plain", i);
        test_library_person(f, name, 5 + i);
        test_library_add(f, name, NULL);
        *strchr(name, '.') = 0;
        if (i < SECRETS) edit(f, name, "okapi", "quaggaherd of the river");
        if (i >= SECRETS) edit(f, name, "walking", "to and fro");
    }
    for (int i = 0; i < SECRETS; i++) {
        snprintf(name, sizeof name, "zebra%d", i);
        snprintf(text, sizeof text, "tapir%d", i);
        const char *now = text;
        test_ok(marey_library_rename(f->library, name, text, &test_error));
        edit(f, text, "bongo", "of the forest");
        if (i % 2) test_ok(marey_library_remove(f->library, &now, 1, &test_error));
    }
    assert_true(traces(f, words, 5) > 0);
    for (int i = 0; i < SECRETS; i += 2) {
        snprintf(text, sizeof text, "tapir%d", i);
        const char *now = text;
        test_ok(marey_library_purge(f->library, &now, 1, &purged, &test_error));
        assert_int_equal(purged, 1);
    }
    test_ok(marey_library_purge(f->library, NULL, 0, &purged, &test_error));
    assert_int_equal(purged, SECRETS / 2);
    assert_false(marey_library_purge_pending(f->library));
    assert_int_equal(traces(f, words, 5), 0); /* while it is open */
    assert_int_equal(test_library_count(f, NULL), OTHERS - SECRETS);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "walki fro" }),
                     OTHERS - SECRETS);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "tapir" }), 0);
    test_library_sound(f);
    test_library_close(f);
    assert_int_equal(traces(f, words, 5), 0);
    test_ok(marey_library_open(f->ctx, f->path, MAREY_LIBRARY_WRITE, &f->library, &test_error));
}

/* Of two clips with one name one is purged: what is left is not that one's name alone. */
CASE(a_purged_clip_is_remembered_by_its_number_only)
{
    static const char *const words[] = { "zebra", "okapi" };
    const char *zebra = "zebra \"x\"", *walk = "walk";
    test_library_put(f, "a", 12);
    test_ok(marey_library_rename(f->library, "a", "okapi", &test_error));
    const marey_part parts[] = { { 1, 0, 12 }, { 1, 3, 9 } };
    marey_keep_def def = { .about = "{}", .parts = parts, .part_count = 2 };
    test_ok(marey_library_keep(f->library, "note", "pair", "bytes", 5, &def, &test_error));
    test_ok(marey_library_rename(f->library, "okapi", zebra, &test_error));
    test_ok(marey_library_cut(f->library, zebra, 2, 8, "part", NULL, 0, &test_error));
    test_library_put(f, "walk", 13);
    test_ok(marey_library_cut(f->library, walk, 2, 8, "old", NULL, 0, &test_error));
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    test_library_put(f, "walk", 14);
    test_ok(marey_library_purge(f->library, &zebra, 1, NULL, &test_error));
    test_ok(marey_library_purge(f->library, NULL, 0, NULL, &test_error));
    assert_int_equal(traces(f, words, 2), 0);
    OWNED(marey_listing) *parts_of = NULL, *olds = NULL;
    int count;
    test_ok(marey_library_list(f->library, &(marey_list_def){ .text = "part" }, &parts_of,
                               &test_error));
    test_ok(marey_library_list(f->library, &(marey_list_def){ .text = "old" }, &olds, &test_error));
    assert_string_equal(marey_listing_entries(parts_of, &count)->provenance,
                        "{\"made_by\":\"cut\",\"sources\":[{\"clip\":\"#1\",\"start\":2,"
                        "\"end\":8,\"licence\":\"\"}]}");
    assert_non_null(strstr(marey_listing_entries(olds, &count)->provenance, "\"clip\":\"walk\""));
    OWNED(marey_kept) *kept = NULL;
    test_ok(marey_library_kept(f->library, "note", "pair", &kept, &test_error));
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    assert_int_equal(entry->part_count, 2);
    assert_string_equal(entry->part_names[0], "#1");
    assert_string_equal(entry->part_names[1], "#1");
    test_library_sound(f);
}

/* The other one keeps its view until it ends it; nothing can take the log from under it. */
CASE(a_log_that_others_read_is_emptied_when_they_are_done)
{
    static const char *const words[] = { "zebra" };
    const char *zebra = "zebra", *walk = "walk";
    OWNED(marey_library) *reader = NULL;
    test_library_person(f, "zebra.bvh", 12);
    test_library_put(f, "walk", 13);
    test_ok(marey_library_open(f->ctx, f->path, MAREY_LIBRARY_READ, &reader, &test_error));
    test_library_add(f, "zebra.bvh", NULL);
    test_ok(mry_store_snapshot(reader->store, &test_error));
    test_ok(marey_library_purge(f->library, &zebra, 1, NULL, &test_error));
    assert_true(marey_library_purge_pending(f->library));
    test_ok(marey_library_label(f->library, &walk, 1, "x", true, &test_error));
    assert_true(marey_library_purge_pending(f->library));
    assert_true(traces(f, words, 1) > 0);
    mry_store_rollback(reader->store);
    test_ok(marey_library_label(f->library, &walk, 1, "y", true, &test_error));
    assert_false(marey_library_purge_pending(f->library));
    assert_int_equal(traces(f, words, 1), 0);
}

TEST_GROUP_OF_CASES(test_library_changes, NULL, NULL)
