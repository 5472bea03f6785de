/* test_library_cuts.c - many parts of clips cut out by one change: all are there, as if cut one by
   one, or none is. */
#include "library_bench.h"

#include <stdio.h>
#include <string.h>

/* walk (40 frames, labels slow and walking, plants) and run (30). */
static int set_up(void **state)
{
    static const char *const labels[] = { "slow", "walking" };
    static const marey_contact plants[] = { { MAREY_CONTACT_LEFT_TOE, 3, 12 },
                                            { MAREY_CONTACT_LEFT_TOE, 20, 30 } };
    marey_put_def about = { .labels = labels,
                            .label_count = 2,
                            .licence = "CC0",
                            .description = "a walk",
                            .contacts = plants,
                            .contact_count = 2,
                            .contacts_set = true };
    test_library_make(state);
    test_library *f = *state;
    for (int i = 0; i < 2; i++) {
        OWNED(marey_clip) *clip = test_person_clip(f->ctx, i == 0 ? 40 : 30);
        test_ok(marey_library_put(f->library, clip, i == 0 ? "walk" : "run", i == 0 ? &about : NULL,
                                  NULL, 0, &test_error));
    }
    return 0;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Every clip as "name: label label; ". */
static void expect_all(marey_library *library, const char *said)
{
    OWNED(marey_listing) *listing = NULL;
    char text[2048] = "";
    int count = 0;
    size_t used = 0;
    test_ok(marey_library_list(library, NULL, &listing, &test_error));
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s:", entries[i].name);
        for (int k = 0; k < entries[i].label_count; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, " %s", entries[i].labels[k]);
        used += (size_t)snprintf(text + used, sizeof text - used, "; ");
    }
    assert_string_equal(text, said);
}

/* Everything that is said about a clip but its name, and its motion as numbers. */
static void same_clip(test_library *f, const char *left, const char *right)
{
    const char *names[2] = { left, right };
    marey_entry entries[2];
    OWNED(marey_listing) *listing = NULL;
    OWNED(marey_clip) *a = test_library_load(f, left), *b = test_library_load(f, right);
    marey_contact plants[2][8];
    int count = 0, plant_count[2];
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    const marey_entry *all = marey_listing_entries(listing, &count);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < count; k++)
            if (strcmp(all[k].name, names[i]) == 0) entries[i] = all[k];
        test_ok(marey_library_contacts(f->library, names[i], plants[i], 8, &plant_count[i],
                                       &test_error));
    }
    assert_string_equal(entries[0].provenance, entries[1].provenance);
    assert_string_equal(entries[0].licence, entries[1].licence);
    assert_string_equal(entries[0].description, entries[1].description);
    assert_int_equal(plant_count[0], plant_count[1]);
    for (int i = 0; i < plant_count[0]; i++)
        assert_memory_equal(&plants[0][i], &plants[1][i], sizeof plants[0][i]);
    test_same_clip(a, b);
}

/* ---- tests ----------------------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(set_up, test_library_free, test_library *f, name)

CASE(each_is_as_if_it_had_been_cut_alone)
{
    static const marey_clip_cut cuts[] = { { "walk", 0, 20, "step", false },
                                           { "walk", 10, 35, "step", false },
                                           { "run", 5, 25, "stride", false },
                                           { "walk", 5, 25, "again", false } };
    marey_named got[4];
    test_ok(marey_library_cut_clips(f->library, cuts, 4, NULL, got, &test_error));
    static const char *const names[] = { "step", "step-2", "stride", "again" };
    for (int i = 0; i < 4; i++) {
        char alone[32], now[MAREY_NAME_ROOM];
        assert_string_equal(got[i].name, names[i]);
        test_ok(marey_library_name(f->library, got[i].id, now, sizeof now, NULL, &test_error));
        assert_string_equal(now, names[i]);
        snprintf(alone, sizeof alone, "alone%d", i);
        test_ok(marey_library_cut(f->library, cuts[i].clip, cuts[i].start, cuts[i].end, alone, NULL,
                                  0, &test_error));
        same_clip(f, names[i], alone);
    }
}

CASE(new_clips_and_their_sources_get_their_labels)
{
    static const marey_clip_cut cuts[] = { { "walk", 0, 20, "step", false },
                                           { "run", 5, 25, "stride", false } };
    static const char *const labels[] = { "found", "walking" };
    static const char *const sources[] = { "has steps" };
    marey_clip_cuts_def def = { labels, 2, sources, 1 };
    test_ok(marey_library_cut_clips(f->library, cuts, 2, &def, NULL, &test_error));
    expect_all(f->library, "run: has steps; step: found slow walking; stride: found walking; "
                           "walk: has steps slow walking; ");
    /* words that are looked for are up to date */
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "steps" }), 2);
}

static void expect_refusal(test_library *f, const marey_clip_cut *cuts, int count,
                           const marey_clip_cuts_def *def, marey_status status, const char *part)
{
    int64_t before = test_version(f->library);
    test_refused_about(marey_library_cut_clips(f->library, cuts, count, def, NULL, &test_error),
                       status, part);
    assert_int_equal(test_version(f->library), before);
    expect_all(f->library, "run:; walk: slow walking; ");
}

CASE(one_that_is_invalid_leaves_none)
{
    static const char *const empty[] = { "" };
    marey_clip_cuts_def bad_label = { empty, 1, NULL, 0 }, bad_source = { NULL, 0, empty, 1 };
    static const marey_clip_cut good[] = { { "walk", 0, 20, "step", false } };
    static const marey_clip_cut gone[] = { { "walk", 0, 20, "step", false },
                                           { "jog", 0, 9, "step", false } };
    static const marey_clip_cut range[] = { { "walk", 0, 20, "step", false },
                                            { "run", 9, 31, "step", false } };
    static const marey_clip_cut name[] = { { "walk", 0, 20, "step", false },
                                           { "run", 0, 9, "a/b", false } };
    expect_refusal(f, gone, 2, NULL, MAREY_ERR_NOT_FOUND, "jog");
    expect_refusal(f, range, 2, NULL, MAREY_ERR_REQUEST, "31");
    expect_refusal(f, name, 2, NULL, MAREY_ERR_REQUEST, "/");
    expect_refusal(f, good, 1, &bad_label, MAREY_ERR_REQUEST, "label");
    expect_refusal(f, good, 1, &bad_source, MAREY_ERR_REQUEST, "label");
}

CASE(a_cancelled_one_leaves_none)
{
    static const marey_clip_cut cuts[] = { { "walk", 0, 20, "step", false } };
    marey_ctx_cancel(f->ctx);
    assert_int_equal(marey_library_cut_clips(f->library, cuts, 1, NULL, NULL, &test_error),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
    expect_all(f->library, "run:; walk: slow walking; ");
}

CASE(refused_memory_leaves_none)
{
    static const marey_clip_cut cuts[] = { { "walk", 0, 20, "step", false },
                                           { "run", 5, 25, "stride", false } };
    static const char *const labels[] = { "found" }, *const sources[] = { "source" };
    marey_clip_cuts_def with = { labels, 1, sources, 1 };
    OWNED(test_memory) memory = { 0 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_ctx) *ctx = NULL;
        OWNED(marey_library) *library = NULL;
        marey_named got[2];
        expect_all(f->library, "run:; walk: slow walking; ");
        status = test_ctx_try(&memory, &ctx);
        if (!status) status = marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, NULL);
        if (!status) status = marey_library_cut_clips(library, cuts, 2, &with, got, NULL);
    }
    expect_all(f->library, "run: source; step: found slow walking; stride: found; "
                           "walk: slow source walking; ");
}

TEST_GROUP_OF_CASES(test_library_cuts, NULL, NULL)
