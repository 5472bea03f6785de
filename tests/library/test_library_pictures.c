/* test_library_pictures.c - what the studio asks a library for: clips by their ids, whether anything changed, and
   pictures that are kept. */
#include "two_clips.h"

#include <sys/wait.h>
#include <unistd.h>

typedef two_clips fixture;

static const char KIND[] = "strip-480x96-1";

static int set_up(void **state)
{
    *state = two_clips_open(20, 30);
    return 0;
}

static void keep(marey_library *library, int64_t id, const char *kind, const char *text)
{
    test_ok(marey_library_keep_picture(library, id, kind, 0, text, strlen(text), &test_error));
}

/* The kept picture as text; "" if there is none. */
static const char *kept(marey_library *library, int64_t id, const char *kind)
{
    static char text[256];
    size_t count = 0;
    test_ok(marey_library_picture(library, id, kind, text, sizeof text - 1, &count, &test_error));
    text[count] = 0;
    return text;
}

/* ---- clips by their ids ------------------------------------------------------------------------ */

#define CASE(name) TEST_OF_IN(set_up, two_clips_tear_down, fixture *f, name)

CASE(a_clip_is_found_by_its_id_whatever_it_is_called)
{
    char name[256] = "";
    bool removed = true;
    const char *walk = "stroll";
    test_ok(marey_library_name(f->library, f->walk, name, sizeof name, &removed, &test_error));
    assert_string_equal(name, "walk");
    assert_false(removed);
    test_ok(marey_library_rename(f->library, "walk", walk, &test_error));
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    test_ok(marey_library_name(f->library, f->walk, name, sizeof name, &removed, &test_error));
    assert_string_equal(name, "stroll");
    assert_true(removed);
    test_ok(marey_library_name(f->library, f->run, name, 3, NULL, &test_error));
    assert_string_equal(name, "ru");
    test_refused(marey_library_name(f->library, 999, name, sizeof name, NULL, &test_error),
                 MAREY_ERR_NOT_FOUND, "there is no clip number 999");
    assert_string_equal(name, "ru");
}

/* Two removed clips of one name: by name the later one comes back, by id the one that is meant. */
CASE(exactly_the_clip_that_is_meant_is_restored)
{
    const char *walk = "walk";
    char name[256] = "";
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    int64_t second = two_clips_add(f, "walk", 21);
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    two_clips_add(f, "walk", 22);
    test_ok(marey_library_restore_clip(f->library, f->walk, name, sizeof name, &test_error));
    assert_string_equal(name, "walk-2");
    assert_int_equal(two_clips_number(f, "walk-2"), f->walk);
    test_ok(marey_library_restore_clip(f->library, second, NULL, 0, &test_error));
    assert_int_equal(two_clips_number(f, "walk-3"), second);
    snprintf(name, sizeof name, "untouched");
    test_refused(marey_library_restore_clip(f->library, second, name, sizeof name, &test_error),
                 MAREY_ERR_NOT_FOUND, "there is no removed clip number 3: walk-3 is not removed");
    assert_int_equal(marey_library_restore_clip(f->library, 999, name, sizeof name, &test_error),
                     MAREY_ERR_NOT_FOUND);
    assert_string_equal(name, "untouched");
}

/* ---- has anything changed? --------------------------------------------------------------------- */

typedef marey_status (*changing)(fixture *f, marey_error *error);

static const char *const walk_name = "walk";

static marey_status do_rename(fixture *f, marey_error *error)
{
    return marey_library_rename(f->library, "run", "race", error);
}

static marey_status do_label(fixture *f, marey_error *error)
{
    return marey_library_label(f->library, &walk_name, 1, "gait", true, error);
}

static marey_status do_describe(fixture *f, marey_error *error)
{
    marey_edit_def def = { .description = "a stroll" };
    return marey_library_edit(f->library, &walk_name, 1, &def, error);
}

static marey_status do_contacts(fixture *f, marey_error *error)
{
    return marey_library_set_contacts(f->library, "walk", NULL, 0, error);
}

static marey_status do_remove(fixture *f, marey_error *error)
{
    return marey_library_remove(f->library, &walk_name, 1, error);
}

static marey_status do_restore(fixture *f, marey_error *error)
{
    return marey_library_restore_clip(f->library, f->walk, NULL, 0, error);
}

static marey_status do_cut(fixture *f, marey_error *error)
{
    return marey_library_cut(f->library, "walk", 1, 5, "part", NULL, 0, error);
}

static marey_status do_purge(fixture *f, marey_error *error)
{
    return marey_library_purge(f->library, &walk_name, 1, NULL, error);
}

static const changing every_change[] = { do_rename, do_label,   do_describe, do_contacts,
                                         do_remove, do_restore, do_cut,      do_purge };
enum { CHANGES = sizeof every_change / sizeof *every_change };

CASE(every_change_gives_a_new_version_to_everybody)
{
    OWNED(marey_library) *reader = two_clips_again(f, MAREY_LIBRARY_READ);
    for (int i = 0; i < CHANGES; i++) {
        int64_t mine = test_version(f->library), theirs = test_version(reader);
        assert_int_equal(mine, theirs);
        assert_int_equal(test_version(f->library), mine);
        test_ok(every_change[i](f, &test_error));
        assert_int_not_equal(test_version(f->library), mine);
        assert_int_not_equal(test_version(reader), theirs);
    }
}

CASE(a_change_by_another_program_gives_a_new_version)
{
    int64_t before = test_version(f->library);
    int ended = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) { /* a connection must not be used across a fork, so it opens its own */
        marey_ctx *ctx;
        marey_library *library;
        if (marey_ctx_open(NULL, &ctx)) _exit(9);
        if (marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, NULL)) _exit(8);
        _exit(marey_library_label(library, &walk_name, 1, "gait", true, NULL) ? 7 : 0);
    }
    waitpid(child, &ended, 0);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    assert_int_not_equal(test_version(f->library), before);
}

CASE(what_changes_nothing_leaves_the_version)
{
    marey_listing *listing;
    int64_t before = test_version(f->library);
    test_ok(marey_library_list(f->library, NULL, &listing, &test_error));
    marey_listing_free(listing);
    assert_int_equal(marey_library_rename(f->library, "nobody", "x", NULL), MAREY_ERR_NOT_FOUND);
    assert_int_equal(marey_library_cut(f->library, "walk", 5, 500, "x", NULL, 0, NULL),
                     MAREY_ERR_REQUEST);
    keep(f->library, f->walk, KIND, "a strip");
    assert_int_equal(test_version(f->library), before);
}

/* ---- pictures ---------------------------------------------------------------------------------- */

CASE(a_picture_is_kept_until_it_is_replaced)
{
    assert_string_equal(kept(f->library, f->walk, KIND), "");
    keep(f->library, f->walk, KIND, "a strip");
    keep(f->library, f->walk, "sheet", "a sheet");
    keep(f->library, f->run, KIND, "another strip");
    keep(f->library, f->walk, "sheet", "a better sheet");
    for (int i = 0; i < 2; i++) { /* here, and by somebody else later */
        assert_string_equal(kept(f->library, f->walk, KIND), "a strip");
        assert_string_equal(kept(f->library, f->walk, "sheet"), "a better sheet");
        assert_string_equal(kept(f->library, f->run, KIND), "another strip");
        assert_string_equal(kept(f->library, f->run, "sheet"), "");
        assert_string_equal(kept(f->library, 999, KIND), "");
        marey_library_close(f->library);
        f->library = two_clips_again(f, MAREY_LIBRARY_WRITE);
    }
}

CASE(a_picture_that_does_not_fit_is_only_counted)
{
    enum { BYTES = 100000 }; /* over many pages */
    FREED char *bytes = malloc(BYTES), *back = malloc(BYTES);
    size_t count = 0;
    for (int i = 0; i < BYTES; i++) bytes[i] = (char)(i % 9973 * (i % 997) >> 5);
    test_ok(marey_library_keep_picture(f->library, f->walk, KIND, 0, bytes, BYTES, &test_error));
    back[0] = 77;
    test_ok(marey_library_picture(f->library, f->walk, KIND, back, BYTES - 1, &count, &test_error));
    assert_int_equal(count, BYTES);
    assert_int_equal(back[0], 77);
    test_ok(marey_library_picture(f->library, f->walk, KIND, NULL, 0, &count, &test_error));
    assert_int_equal(count, BYTES);
    test_ok(marey_library_picture(f->library, f->walk, KIND, back, BYTES, &count, &test_error));
    assert_memory_equal(back, bytes, BYTES);
}

CASE(pictures_go_with_their_clip_and_its_contacts_and_with_nothing_else)
{
    marey_contact one = { MAREY_CONTACT_LEFT_TOE, 3, 9 };
    const char *race = "race";
    keep(f->library, f->walk, KIND, "a strip");
    keep(f->library, f->run, KIND, "another strip");
    for (int i = 0; i < CHANGES - 1; i++) { /* all but purging */
        if (every_change[i] == do_contacts) continue;
        test_ok(every_change[i](f, &test_error));
        assert_string_equal(kept(f->library, f->walk, KIND), "a strip");
    }
    one.end = 900;
    assert_int_equal(marey_library_set_contacts(f->library, "walk", &one, 1, &test_error),
                     MAREY_ERR_REQUEST);
    assert_string_equal(kept(f->library, f->walk, KIND), "a strip");
    one.end = 9;
    test_ok(marey_library_set_contacts(f->library, "walk", &one, 1, &test_error));
    assert_string_equal(kept(f->library, f->walk, KIND), "");
    assert_string_equal(kept(f->library, f->run, KIND), "another strip");
    test_ok(marey_library_purge(f->library, &race, 1, NULL, &test_error));
    assert_string_equal(kept(f->library, f->run, KIND), "");
}

CASE(a_picture_of_what_was_changed_meanwhile_is_not_kept)
{
    int64_t before = test_version(f->library);
    test_ok(marey_library_keep_picture(f->library, f->walk, KIND, before, "1", 1, &test_error));
    assert_string_equal(kept(f->library, f->walk, KIND), "1");
    test_ok(do_contacts(f, &test_error));
    test_ok(marey_library_keep_picture(f->library, f->walk, KIND, before, "2", 1, &test_error));
    assert_string_equal(kept(f->library, f->walk, KIND), "");
    test_ok(do_purge(f, &test_error));
    test_ok(marey_library_keep_picture(f->library, f->walk, KIND, before, "3", 1, &test_error));
    assert_int_equal(marey_library_keep_picture(f->library, f->walk, KIND, 0, "3", 1, &test_error),
                     MAREY_ERR_NOT_FOUND);
}

CASE(a_picture_that_cannot_be_is_refused)
{
    static const char *const kinds[] = {
        "", "two words", "line\n",
        "123456789012345678901234567890123456789012345678901234567890abcd"
    };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(
            marey_library_keep_picture(f->library, f->walk, kinds[i], 0, "x", 1, &test_error),
            MAREY_ERR_REQUEST);
    }
    assert_int_equal(marey_library_keep_picture(f->library, f->walk, KIND, 0, "", 0, &test_error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_keep_picture(f->library, f->walk, KIND, 0, "x",
                                                ((size_t)16 << 20) + 1, &test_error),
                     MAREY_ERR_LIMIT);
    assert_string_equal(kept(f->library, f->walk, KIND), "");
}

CASE(a_library_open_for_reading_gives_pictures_and_keeps_none)
{
    size_t size[2];
    keep(f->library, f->walk, KIND, "a strip");
    marey_library_close(f->library);
    char *before = test_file_read(f->path, &size[0]);
    f->library = two_clips_again(f, MAREY_LIBRARY_READ);
    assert_string_equal(kept(f->library, f->walk, KIND), "a strip");
    test_refused(marey_library_keep_picture(f->library, f->walk, KIND, 0, "x", 1, &test_error),
                 MAREY_ERR_REQUEST, "this library is open for reading only");
    assert_string_equal(kept(f->library, f->walk, KIND), "a strip");
    marey_library_close(f->library);
    char *after = test_file_read(f->path, &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(before, after, size[0]);
    free(before);
    free(after);
    f->library = two_clips_again(f, MAREY_LIBRARY_WRITE);
}

CASE(while_another_writes_pictures_can_be_read)
{
    keep(f->library, f->walk, KIND, "a strip");
    marey_library *other = two_clips_again(f, MAREY_LIBRARY_WRITE);
    test_ok(mry_store_begin(other->store, &test_error));
    assert_string_equal(kept(f->library, f->walk, KIND), "a strip");
    test_version(f->library);
    marey_ctx_cancel(f->ctx); /* ends the wait for the other */
    assert_true(marey_ctx_cancelled(f->ctx));
    assert_int_equal(marey_library_keep_picture(f->library, f->walk, KIND, 0, "x", 1, &test_error),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
    assert_false(marey_ctx_cancelled(f->ctx));
    mry_store_rollback(other->store);
    marey_library_close(other);
    keep(f->library, f->walk, KIND, "x");
}

/* ---- damage and memory ------------------------------------------------------------------------- */

CASE(a_damaged_picture_is_refused_and_verify_names_its_clip)
{
    static const char *const wrong[] = { "UPDATE picture SET bytes = x'313233' WHERE clip = 1",
                                         "UPDATE picture SET bytes = x'' WHERE clip = 1",
                                         "UPDATE picture SET sum = sum + 1 WHERE clip = 1" };
    for (int i = 0; i < 3; i++) {
        char said[4096];
        size_t count = 77;
        keep(f->library, f->walk, KIND, "a strip");
        keep(f->library, f->run, KIND, "a sound one");
        test_ok(mry_store_run(f->library->store, wrong[i], &test_error));
        assert_int_equal(
            marey_library_picture(f->library, f->walk, KIND, NULL, 0, &count, &test_error),
            MAREY_ERR_INPUT);
        assert_int_equal(count, 77);
        assert_string_equal(test_error.message, "the kept picture strip-480x96-1 is damaged");
        assert_int_equal(two_clips_verify(f, said), 1);
        assert_string_equal(said, "clip walk: its kept picture strip-480x96-1 is damaged\n");
    }
    keep(f->library, f->walk, KIND, "drawn again");
    assert_string_equal(kept(f->library, f->walk, KIND), "drawn again");
}

/* Every page of a picture in turn, on the disk: the picture is refused, named, and the clips are sound. */
CASE(a_changed_byte_in_a_picture_is_found_on_the_disk)
{
    enum { BYTES = 20000 };
    FREED char *bytes = malloc(BYTES);
    size_t size, count;
    memset(bytes, 'P', BYTES);
    test_ok(marey_library_keep_picture(f->library, f->walk, KIND, 0, bytes, BYTES, &test_error));
    marey_library_close(f->library);
    FREED char *file = test_file_read(f->path, &size);
    int hits = 0;
    for (size_t at = 2048; at < size; at += 4096) {
        char said[4096];
        marey_clip *clip;
        if (memcmp(file + at, "PPPPPPPP", 8) != 0) continue;
        file[at] = 'Q';
        test_file_write(f->path, file, size);
        file[at] = 'P';
        f->library = two_clips_again(f, MAREY_LIBRARY_READ);
        assert_int_equal(
            marey_library_picture(f->library, f->walk, KIND, NULL, 0, &count, &test_error),
            MAREY_ERR_DAMAGED);
        test_ok(marey_library_load(f->library, "walk", &clip, &test_error));
        marey_clip_free(clip);
        marey_library_close(f->library);
        assert_true(two_clips_verify(f, said) > 0);
        assert_non_null(strstr(said, "clip walk: its kept picture strip-480x96-1 is damaged"));
        hits++;
    }
    assert_true(hits >= 4);
    test_file_write(f->path, file, size);
    f->library = two_clips_again(f, MAREY_LIBRARY_WRITE);
}

/* Everything of this file in a row; each allocation of it is refused in turn. */
static marey_status use_all(marey_ctx *ctx, const fixture *f, marey_error *error)
{
    OWNED(marey_library) *library = NULL;
    char name[256], bytes[64];
    int64_t version = 0;
    size_t count;
    marey_status status = marey_library_open(ctx, f->path, MAREY_LIBRARY_WRITE, &library, error);
    if (status) return status;
    status = marey_library_version(library, &version, error);
    if (!status) {
        status = marey_library_keep_picture(library, f->walk, KIND, version, "strip", 5, error);
    }
    if (!status) {
        status = marey_library_picture(library, f->walk, KIND, bytes, sizeof bytes, &count, error);
    }
    if (!status) status = marey_library_remove(library, &walk_name, 1, error);
    if (!status) status = marey_library_restore_clip(library, f->walk, name, sizeof name, error);
    if (!status) status = marey_library_name(library, f->walk, name, sizeof name, NULL, error);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    marey_library_close(f->library);
    f->library = NULL;
    for (long n = 0;; n = test_next(n)) {
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
        test_fine(marey_library_verify(f->ctx, f->path, NULL, NULL, &problems, &error), &error);
        assert_int_equal(problems, 0);
        if (over) break;
        /* A failure between removing and restoring leaves it removed. */
        f->library = two_clips_again(f, MAREY_LIBRARY_WRITE);
        marey_library_restore_clip(f->library, f->walk, NULL, 0, NULL);
        marey_library_close(f->library);
        f->library = NULL;
    }
}

TEST_GROUP_OF_CASES(test_library_pictures, NULL, NULL)
