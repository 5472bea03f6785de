/* test_library_stretches.c - labels of some frames: what is put on and taken off at random is what a
   label a frame would be, in as few stretches as that takes; clips that are cut, renamed, removed
   and purged keep them right, and what goes wrong leaves them as they were. */
#include "library_bench.h"

#include <stdio.h>
#include <string.h>

#define CASE(name) TEST_OF_IN(two_clips_make, test_library_free, test_library *f, name)

static marey_status change(marey_library *library, const char *clip, int start, int end,
                           const char *label, bool on, marey_error *error)
{
    marey_clip_range frames = { clip, start, end };
    marey_edit_def def = { .drop = &label, .drop_count = !on, .add = &label, .add_count = on };
    return marey_library_edit_frames(library, &frames, 1, &def, error);
}

static void put(test_library *f, const char *clip, int start, int end, const char *label)
{
    test_ok(change(f->library, clip, start, end, label, true, &test_error));
}

/* ---- the judge: a byte a frame --------------------------------------------------------------- */

enum { LABELS = 2 };
static const char *const names[LABELS] = { "kick", "run" };

/* As test_stretches has it, by where they begin. */
static void say(uint8_t frames[LABELS][WALK_FRAMES], char *text, size_t room)
{
    size_t used = 0;
    *text = 0;
    for (int at = 0; at < WALK_FRAMES; at++) {
        for (int l = 0; l < LABELS; l++) {
            int end = at;
            if (!frames[l][at] || (at > 0 && frames[l][at - 1])) continue;
            while (end < WALK_FRAMES && frames[l][end]) end++;
            used += (size_t)snprintf(text + used, room - used, "%s%s %d-%d", used ? ", " : "",
                                     names[l], at, end);
        }
    }
}

CASE(any_sequence_of_changes_leaves_what_a_label_a_frame_would_be)
{
    uint8_t frames[LABELS][WALK_FRAMES] = { 0 };
    uint64_t seed = 21;
    char wanted[4096];
    for (int i = 0; i < test_trials(400, 4000); i++) {
        int start = (int)(test_chance(&seed) * WALK_FRAMES), label = test_chance(&seed) < 0.5;
        int most = test_chance(&seed) < 0.8 ? 8 : WALK_FRAMES;
        int end = start + 1 + (int)(test_chance(&seed) * most);
        bool on = test_chance(&seed) < 0.6;
        if (end > WALK_FRAMES) end = WALK_FRAMES;
        test_ok(change(f->library, "walk", start, end, names[label], on, &test_error));
        memset(&frames[label][start], on, (size_t)(end - start));
        say(frames, wanted, sizeof wanted);
        assert_string_equal(test_stretches(f->library, "walk"), wanted);
        if (i % 20) continue;
        /* A cut has those that are in it, from its beginning on. */
        char cut[16];
        uint8_t inside[LABELS][WALK_FRAMES] = { 0 };
        snprintf(cut, sizeof cut, "cut%d", i);
        test_ok(marey_library_cut(f->library, "walk", start, end, cut, NULL, 0, &test_error));
        for (int l = 0; l < LABELS; l++)
            memcpy(inside[l], &frames[l][start], (size_t)(end - start));
        say(inside, wanted, sizeof wanted);
        assert_string_equal(test_stretches(f->library, cut), wanted);
    }
    assert_string_equal(test_stretches(f->library, "run"), "");
    test_library_sound(f);
}

/* ---- with the clip --------------------------------------------------------------------------- */

CASE(a_clip_with_a_stretch_is_one_with_the_label_until_it_is_purged)
{
    static const char *const walk[] = { "walk" }, *const stroll[] = { "stroll" };
    marey_list_def kick = { .label = "kick" }, word = { .text = "kic" };
    put(f, "walk", 10, 20, "kick");
    assert_int_equal(test_library_count(f, &kick), 1);
    assert_int_equal(test_library_count(f, &word), 1);
    /* Labels of the clip are another thing. */
    test_ok(marey_library_label(f->library, walk, 1, "kick", true, &test_error));
    test_ok(marey_library_label(f->library, walk, 1, "kick", false, &test_error));
    assert_string_equal(test_stretches(f->library, "walk"), "kick 10-20");
    test_ok(marey_library_rename(f->library, "walk", "stroll", &test_error));
    test_ok(marey_library_remove(f->library, stroll, 1, &test_error));
    assert_int_equal(test_library_count(f, &kick), 0);
    assert_int_equal(test_library_count(f, &word), 0);
    test_ok(marey_library_restore(f->library, stroll, 1, &test_error));
    assert_string_equal(test_stretches(f->library, "stroll"), "kick 10-20");
    assert_int_equal(test_library_count(f, &word), 1);
    test_ok(marey_library_purge(f->library, stroll, 1, NULL, &test_error));
    int64_t rows = -1;
    test_ok(mry_query_finish(mry_query_start(f->library->store, "SELECT count(*) FROM stretch"),
                             &rows, &test_error));
    assert_int_equal(rows, 0);
}

CASE(a_clip_is_put_in_with_its_stretches)
{
    static const marey_stretch inside[] = { { "kick", 3, 9 }, { "kick", 9, 12 }, { "run", 0, 4 } };
    static const marey_stretch outside[] = { { "kick", 3, 41 } }, unnamed[] = { { "", 3, 9 } };
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 40);
    marey_put_def def = { .stretches = inside, .stretch_count = 3 };
    test_ok(marey_library_put(f->library, clip, "new", &def, NULL, 0, &test_error));
    assert_string_equal(test_stretches(f->library, "new"), "run 0-4, kick 3-12");
    def = (marey_put_def){ .stretches = outside, .stretch_count = 1 };
    test_refused_about(marey_library_put(f->library, clip, "no", &def, NULL, 0, &test_error),
                       MAREY_ERR_REQUEST, "frames 3-41 are outside the clip, which has 40");
    def.stretches = unnamed;
    test_refused_about(marey_library_put(f->library, clip, "no", &def, NULL, 0, &test_error),
                       MAREY_ERR_REQUEST, "a label has");
    assert_int_equal(test_library_count(f, NULL), 3);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

CASE(one_that_is_invalid_leaves_all_as_it_was)
{
    static const marey_clip_range wrong[] = { { "walk", 0, WALK_FRAMES + 1 },
                                              { "walk", 9, 9 },
                                              { "walk", 9, 3 },
                                              { "walk", -1, 3 },
                                              { "jog", 0, 3 } };
    static const char *const labels[] = { "kick", "bad\n" };
    put(f, "walk", 10, 20, "kick");
    int64_t before = test_version(f->library);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_clip_range both[] = { { "run", 0, 9 }, wrong[i] };
        marey_edit_def def = { .add = labels, .add_count = 1 };
        marey_status wanted = i < 4 ? MAREY_ERR_REQUEST : MAREY_ERR_NOT_FOUND;
        assert_int_equal(marey_library_edit_frames(f->library, both, 2, &def, NULL), wanted);
    }
    marey_clip_range good[] = { { "run", 0, 9 }, { "walk", 0, 3 } };
    marey_edit_def bad = { .add = labels, .add_count = 2 }, text = { .description = "frames" };
    assert_int_equal(marey_library_edit_frames(f->library, good, 2, &bad, NULL), MAREY_ERR_REQUEST);
    test_refused_about(marey_library_edit_frames(f->library, good, 2, &text, &test_error),
                       MAREY_ERR_REQUEST, "whole clip");
    marey_ctx_cancel(f->ctx);
    assert_int_equal(change(f->library, "run", 0, 9, "kick", true, NULL), MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
    assert_int_equal(test_version(f->library), before);
    assert_string_equal(test_stretches(f->library, "run"), "");
    assert_string_equal(test_stretches(f->library, "walk"), "kick 10-20");
}

static marey_status split(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    marey_listing *listing = NULL;
    (void)ctx;
    marey_status status = change(library, "walk", 0, 40, "kick", true, error);
    if (!status) status = change(library, "walk", 10, 20, "kick", false, error);
    if (!status) status = marey_library_cut(library, "walk", 5, 25, "cut", NULL, 0, error);
    if (!status) status = marey_library_list(library, NULL, &listing, error);
    marey_listing_free(listing);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, split);
}

static void renew(test_library *f)
{
    test_ok(mry_store_run(f->library->store, "DELETE FROM stretch", &test_error));
    put(f, "walk", 10, 20, "kick");
    put(f, "walk", 30, 40, "kick");
}

#define WRONG "clip walk: a label of some frames is damaged"

CASE(stretches_that_no_change_could_leave_are_found_and_not_handed_on)
{
    static const test_damage damage[] = {
        { "UPDATE stretch SET stop = 61 WHERE start = 30", WRONG },
        { "UPDATE stretch SET start = -1 WHERE start = 10", WRONG },
        { "UPDATE stretch SET stop = start WHERE start = 10", WRONG },
        { "UPDATE stretch SET stop = 'end' WHERE start = 10", WRONG },
        { "UPDATE stretch SET stop = 30 WHERE start = 10", WRONG },
        { "UPDATE stretch SET stop = 35 WHERE start = 10", WRONG },
    };
    test_library_find_damage(f, damage, sizeof damage / sizeof *damage, renew);
    renew(f);
    test_ok(mry_store_run(f->library->store, damage[0].sql, &test_error));
    assert_string_equal(test_stretches(f->library, "walk"), "kick 10-20");
}

TEST_GROUP_OF_CASES(test_library_stretches, NULL, NULL)
