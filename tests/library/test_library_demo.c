/* test_library_demo.c - takes of the demo in a library: all of them or none, each with what is
   known of it, and none twice. */
#include "library_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct outcomes {
    marey_ctx *ctx;
    int done, duplicates, files;
    int cancel_at; /* results until a cancel; 0: never */
    char last_name[256], last_path[256];
} outcomes;

static void note_result(void *user, const marey_add_result *result)
{
    outcomes *all = user;
    all->done += result->outcome == MAREY_ADD_DONE;
    all->duplicates += result->outcome == MAREY_ADD_DUPLICATE;
    all->files += !result->demo;
    if (result->demo) assert_memory_equal(result->path, "demo:", 5);
    assert_int_equal(result->frames > 0, result->outcome == MAREY_ADD_DONE);
    assert_non_null(result->clip);
    snprintf(all->last_name, sizeof all->last_name, "%s", result->name);
    snprintf(all->last_path, sizeof all->last_path, "%s", result->path);
    if (all->cancel_at && all->done + all->duplicates == all->cancel_at) marey_ctx_cancel(all->ctx);
}

static outcomes add_demo(test_library *f)
{
    outcomes all = { .ctx = f->ctx };
    marey_add_def def = { .done = note_result, .user = &all };
    test_ok(marey_library_add_demo(f->library, &def, &test_error));
    return all;
}

static marey_listing *list(test_library *f, const marey_entry **entries, int *count)
{
    marey_listing *listing;
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    *entries = marey_listing_entries(listing, count);
    return listing;
}

static const marey_entry *find(const marey_entry *entries, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i].name, name) == 0) return &entries[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void check_contacts(test_library *f, const marey_demo_take *take, const char *name)
{
    marey_contact stored[512];
    int count, kept = 0, matched = 0;
    const marey_contact *truth = marey_demo_contacts(take, &count);
    test_ok(marey_library_contacts(f->library, name, stored, 512, &kept, &test_error));
    assert_int_equal(kept, count);
    for (int i = 0; i < count; i++) { /* stored by joint and start */
        for (int k = 0; k < kept; k++) {
            matched += truth[i].joint == stored[k].joint && truth[i].start == stored[k].start &&
                       truth[i].end == stored[k].end;
        }
    }
    assert_int_equal(matched, count);
}

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(every_take_is_in_with_all_that_is_known_of_it)
{
    const marey_entry *entries;
    int count;
    outcomes all = add_demo(f);
    assert_int_equal(all.done, marey_demo_count());
    assert_int_equal(all.duplicates, 0);
    assert_string_equal(all.last_name, marey_demo_name(marey_demo_count() - 1));
    OWNED(marey_listing) *listing = list(f, &entries, &count);
    assert_int_equal(count, marey_demo_count());
    for (int i = 0; i < count; i++) {
        OWNED(marey_demo_take) *take = NULL;
        char provenance[512];
        const marey_entry *entry = find(entries, count, marey_demo_name(i));
        test_ok(marey_demo_build(f->ctx, i, 1, &take, &test_error));
        snprintf(provenance, sizeof provenance,
                 "{\"made_by\":\"demo\",\"version\":\"%s\",\"seed\":1,\"take\":\"%s\","
                 "\"licence\":\"made by marey demo; free for any use\"}",
                 marey_version(), entry->name);
        assert_string_equal(entry->provenance, provenance);
        assert_string_equal(entry->licence, "made by marey demo; free for any use");
        assert_string_equal(entry->source, "");
        assert_true(entry->label_count > 0 && entry->description[0]);
        assert_true(marey_entry_is_as_made(entry, take));
        assert_int_equal(entry->frames, marey_clip_frames(marey_demo_clip(take)));
        check_contacts(f, take, entry->name);
    }
}

CASE(a_take_is_not_added_twice_whatever_became_of_it)
{
    static const char *const removed[] = { "kicks" };
    add_demo(f);
    test_ok(marey_library_rename(f->library, marey_demo_name(0), "mine", &test_error));
    test_ok(marey_library_remove(f->library, removed, 1, &test_error));
    outcomes all = add_demo(f);
    assert_int_equal(all.done, 1); /* the removed one */
    assert_int_equal(all.duplicates, marey_demo_count() - 1);
    assert_int_equal(test_library_count(f, NULL), marey_demo_count());
}

/* One that was read from a file, or cut, has no labels and no contacts from here: it does not
   count. */
CASE(only_what_the_demo_made_is_a_duplicate)
{
    OWNED(marey_demo_take) *take = NULL;
    char name[256];
    test_ok(marey_demo_build(f->ctx, 0, 1, &take, &test_error));
    test_ok(
        marey_library_put(f->library, marey_demo_clip(take), "copy", NULL, NULL, 0, &test_error));
    assert_int_equal(add_demo(f).done, marey_demo_count());
    test_ok(marey_library_put_demo(f->library, take, 1, name, sizeof name, &test_error));
    assert_string_equal(name + strlen(name) - 2, "-2");
    assert_int_equal(test_library_count(f, NULL), marey_demo_count() + 2);
}

CASE(an_edit_of_a_take_is_noticed)
{
    static const char *const label[] = { "mine" };
    const char *name = marey_demo_name(0);
    const marey_edit_def edits[] = { { .add = label, .add_count = 1 },
                                     { .drop = label, .drop_count = 1, .description = "mine" },
                                     { .description = "", .licence = "CC0" } };
    OWNED(marey_demo_take) *take = NULL;
    test_ok(marey_demo_build(f->ctx, 0, 1, &take, &test_error));
    test_ok(marey_library_put_demo(f->library, take, 1, NULL, 0, &test_error));
    for (int i = 0; i < 3; i++) {
        const marey_entry *entries;
        int count;
        test_ok(marey_library_edit(f->library, &name, 1, &edits[i], &test_error));
        OWNED(marey_listing) *listing = list(f, &entries, &count);
        assert_false(marey_entry_is_as_made(&entries[0], take));
    }
}

CASE(a_description_is_cut_to_its_room_and_counted_whole)
{
    char whole[512], part[8] = "1234567";
    for (int i = 0; i < marey_demo_count(); i++) {
        OWNED(marey_demo_take) *take = NULL;
        test_ok(marey_demo_build(f->ctx, i, 1, &take, &test_error));
        size_t length = marey_demo_describe(take, whole, sizeof whole);
        assert_int_equal(length, strlen(whole));
        assert_true(length > 3);
        assert_int_equal(marey_demo_describe(take, part, sizeof part), length);
        assert_int_equal(strncmp(whole, part, 7), 0);
        assert_int_equal(strlen(part), length < 7 ? length : 7);
        assert_int_equal(marey_demo_describe(take, NULL, 0), length);
    }
}

CASE(takes_and_files_come_in_together)
{
    char path[600], *text = test_person(9);
    const char *paths[] = { path };
    outcomes all = { .ctx = f->ctx };
    static const char *const label[] = { "files" };
    snprintf(path, sizeof path, "%s/walk.bvh", f->folder);
    test_file_write(path, text, strlen(text));
    free(text);
    marey_add_def def = {
        .demo = true, .labels = label, .label_count = 1, .done = note_result, .user = &all
    };
    test_ok(marey_library_add(f->library, paths, 1, &def, &test_error));
    assert_int_equal(all.done, marey_demo_count() + 1);
    assert_int_equal(all.files, 1);
    assert_string_equal(all.last_path, path);
    OWNED(marey_listing) *listing = NULL;
    int count;
    marey_list_def labelled = { .label = "files" };
    test_ok(marey_library_list(f->library, &labelled, &listing, &test_error));
    marey_listing_entries(listing, &count);
    assert_int_equal(count, 1);
}

/* Whenever it comes, also with the last of them. */
CASE(a_cancel_leaves_none_of_them)
{
    int last = marey_demo_count();
    const int moments[] = { 1, 16, 17, last };
    for (int i = 0; i < 4; i++) {
        outcomes all = { .ctx = f->ctx, .cancel_at = moments[i] };
        marey_add_def def = { .done = note_result, .user = &all };
        assert_int_equal(marey_library_add_demo(f->library, &def, &test_error),
                         MAREY_ERR_CANCELLED);
        marey_ctx_resume(f->ctx);
        assert_int_equal(test_library_count(f, NULL), 0);
    }
    test_ok(marey_library_add_demo(f->library, NULL, &test_error));
    assert_int_equal(test_library_count(f, NULL), last);
}

typedef struct progress {
    int calls;
    int64_t last, total;
} progress;

static void note_progress(void *user, const char *what, int64_t done, int64_t total)
{
    progress *all = user;
    assert_string_equal(what, "adding");
    assert_true(done >= all->last && done <= total);
    all->calls++;
    all->last = done;
    all->total = total;
}

CASE(progress_is_reported_and_any_number_of_threads_gives_the_same_bytes)
{
    char *bytes[2];
    size_t size[2];
    for (int t = 0; t < 2; t++) {
        char path[600];
        progress seen = { 0 };
        marey_ctx_def def = { .threads = t ? 3 : 1,
                              .progress = note_progress,
                              .progress_user = &seen };
        marey_ctx *ctx;
        marey_library *library;
        snprintf(path, sizeof path, "%s/%d.marey", f->folder, t);
        test_ok(marey_ctx_open(&def, &ctx));
        test_ok(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &test_error));
        test_ok(marey_library_add_demo(library, NULL, &test_error));
        marey_library_close(library);
        marey_ctx_close(ctx);
        assert_true(seen.calls >= 2);
        assert_int_equal(seen.total, marey_demo_count());
        bytes[t] = test_file_read(path, &size[t]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* All takes need many thousand allocations: some of them, and all of the one take that is put
   alone. */
CASE(refused_memory_leaves_none_of_them)
{
    OWNED(marey_demo_take) *take = NULL;
    test_ok(marey_demo_build(f->ctx, 0, 1, &take, &test_error));
    test_library_close(f);
    for (int whole = 0; whole < 2; whole++) {
        OWNED(test_memory) memory = { 0 };
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .few = whole };
             test_refuse(&sweep, status);) {
            unlink(f->path);
            OWNED(marey_ctx) *ctx = NULL;
            marey_library *library = NULL;
            status = test_ctx_try(&memory, &ctx);
            if (!status)
                status = marey_library_open(ctx, f->path, MAREY_LIBRARY_CREATE, &library, NULL);
            if (!library) continue;
            status = whole ? marey_library_add_demo(library, NULL, NULL)
                           : marey_library_put_demo(library, take, 1, NULL, 0, NULL);
            marey_library_close(library);
            test_library_open(f, MAREY_LIBRARY_READ);
            int all = whole ? marey_demo_count() : 1;
            assert_int_equal(test_library_count(f, NULL), status ? 0 : all);
            test_library_close(f);
        }
    }
}

TEST_GROUP_OF_CASES(test_library_demo, NULL, NULL)
