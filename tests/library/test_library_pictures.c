/* test_library_pictures.c - what the studio asks a library for: clips by their ids, whether
   anything changed, and pictures that are kept. */
#include "library_bench.h"

#include <sys/wait.h>
#include <unistd.h>

static const char KIND[] = "strip-480x96-1";

static int set_up(void **state)
{
    *state = two_clips_new(20, 30);
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

/* ---- clips by their ids ---------------------------------------------------------------------- */

#define CASE(name) TEST_OF_IN(set_up, test_library_free, test_library *f, name)

CASE(a_clip_is_found_by_its_id_whatever_it_is_called)
{
    char name[256] = "";
    bool removed = true;
    const char *walk = "stroll";
    test_ok(marey_library_name(f->library, WALK, name, sizeof name, &removed, &test_error));
    assert_string_equal(name, "walk");
    assert_false(removed);
    test_ok(marey_library_rename(f->library, "walk", walk, &test_error));
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    test_ok(marey_library_name(f->library, WALK, name, sizeof name, &removed, &test_error));
    assert_string_equal(name, "stroll");
    assert_true(removed);
    test_ok(marey_library_name(f->library, RUN, name, 3, NULL, &test_error));
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
    test_library_put(f, "walk", 21);
    int64_t second = test_library_number(f, "walk");
    test_ok(marey_library_remove(f->library, &walk, 1, &test_error));
    test_library_put(f, "walk", 22);
    test_ok(marey_library_restore_clip(f->library, WALK, name, sizeof name, &test_error));
    assert_string_equal(name, "walk-2");
    assert_int_equal(test_library_number(f, "walk-2"), WALK);
    test_ok(marey_library_restore_clip(f->library, second, NULL, 0, &test_error));
    assert_int_equal(test_library_number(f, "walk-3"), second);
    snprintf(name, sizeof name, "untouched");
    test_refused(marey_library_restore_clip(f->library, second, name, sizeof name, &test_error),
                 MAREY_ERR_NOT_FOUND, "there is no removed clip number 3: walk-3 is not removed");
    assert_int_equal(marey_library_restore_clip(f->library, 999, name, sizeof name, &test_error),
                     MAREY_ERR_NOT_FOUND);
    assert_string_equal(name, "untouched");
}

/* ---- has anything changed? ------------------------------------------------------------------- */

enum { RENAME, LABEL, DESCRIBE, SET_CONTACTS, REMOVE, RESTORE, CUT, PURGE, CHANGES };

static const char *const walk_name = "walk";

static void change(test_library *f, int kind)
{
    marey_library *library = f->library;
    marey_edit_def stroll = { .description = "a stroll" };
    marey_error *error = &test_error;
    switch (kind) {
    case RENAME: test_ok(marey_library_rename(library, "run", "race", error)); break;
    case LABEL: test_ok(marey_library_label(library, &walk_name, 1, "gait", true, error)); break;
    case DESCRIBE: test_ok(marey_library_edit(library, &walk_name, 1, &stroll, error)); break;
    case SET_CONTACTS: test_ok(marey_library_set_contacts(library, "walk", NULL, 0, error)); break;
    case REMOVE: test_ok(marey_library_remove(library, &walk_name, 1, error)); break;
    case RESTORE: test_ok(marey_library_restore_clip(library, WALK, NULL, 0, error)); break;
    case CUT: test_ok(marey_library_cut(library, "walk", 1, 5, "part", NULL, 0, error)); break;
    case PURGE: test_ok(marey_library_purge(library, &walk_name, 1, NULL, error)); break;
    }
}

CASE(every_change_gives_a_new_version_to_all_readers)
{
    OWNED(marey_library) *reader = test_library_second(f, MAREY_LIBRARY_READ);
    for (int i = 0; i < CHANGES; i++) {
        int64_t mine = test_version(f->library), theirs = test_version(reader);
        assert_int_equal(mine, theirs);
        assert_int_equal(test_version(f->library), mine);
        change(f, i);
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
    int64_t before = test_version(f->library);
    test_library_count(f, NULL);
    assert_int_equal(marey_library_rename(f->library, "jog", "x", NULL), MAREY_ERR_NOT_FOUND);
    assert_int_equal(marey_library_cut(f->library, "walk", 5, 500, "x", NULL, 0, NULL),
                     MAREY_ERR_REQUEST);
    keep(f->library, WALK, KIND, "a strip");
    assert_int_equal(test_version(f->library), before);
}

/* ---- pictures -------------------------------------------------------------------------------- */

CASE(a_picture_is_kept_until_it_is_replaced)
{
    assert_string_equal(kept(f->library, WALK, KIND), "");
    keep(f->library, WALK, KIND, "a strip");
    keep(f->library, WALK, "sheet", "a sheet");
    keep(f->library, RUN, KIND, "another strip");
    keep(f->library, WALK, "sheet", "a better sheet");
    for (int i = 0; i < 2; i++) { /* here, and where it is opened later */
        assert_string_equal(kept(f->library, WALK, KIND), "a strip");
        assert_string_equal(kept(f->library, WALK, "sheet"), "a better sheet");
        assert_string_equal(kept(f->library, RUN, KIND), "another strip");
        assert_string_equal(kept(f->library, RUN, "sheet"), "");
        assert_string_equal(kept(f->library, 999, KIND), "");
        test_library_open(f, MAREY_LIBRARY_WRITE);
    }
}

CASE(a_picture_that_does_not_fit_is_only_counted)
{
    enum { BYTES = 100000 }; /* over many pages */
    FREED char *bytes = malloc(BYTES), *back = malloc(BYTES);
    size_t count = 0;
    for (int i = 0; i < BYTES; i++) bytes[i] = (char)(i % 9973 * (i % 997) >> 5);
    test_ok(marey_library_keep_picture(f->library, WALK, KIND, 0, bytes, BYTES, &test_error));
    back[0] = 77;
    test_ok(marey_library_picture(f->library, WALK, KIND, back, BYTES - 1, &count, &test_error));
    assert_int_equal(count, BYTES);
    assert_int_equal(back[0], 77);
    test_ok(marey_library_picture(f->library, WALK, KIND, NULL, 0, &count, &test_error));
    assert_int_equal(count, BYTES);
    test_ok(marey_library_picture(f->library, WALK, KIND, back, BYTES, &count, &test_error));
    assert_memory_equal(back, bytes, BYTES);
}

CASE(pictures_go_with_their_clip_and_its_contacts_and_with_nothing_else)
{
    marey_contact one = { MAREY_CONTACT_LEFT_TOE, 3, 9 };
    const char *race = "race";
    keep(f->library, WALK, KIND, "a strip");
    keep(f->library, RUN, KIND, "another strip");
    for (int i = 0; i < CHANGES; i++) {
        if (i == SET_CONTACTS || i == PURGE) continue;
        change(f, i);
        assert_string_equal(kept(f->library, WALK, KIND), "a strip");
    }
    one.end = 900;
    assert_int_equal(marey_library_set_contacts(f->library, "walk", &one, 1, &test_error),
                     MAREY_ERR_REQUEST);
    assert_string_equal(kept(f->library, WALK, KIND), "a strip");
    one.end = 9;
    test_ok(marey_library_set_contacts(f->library, "walk", &one, 1, &test_error));
    assert_string_equal(kept(f->library, WALK, KIND), "");
    assert_string_equal(kept(f->library, RUN, KIND), "another strip");
    test_ok(marey_library_purge(f->library, &race, 1, NULL, &test_error));
    assert_string_equal(kept(f->library, RUN, KIND), "");
}

CASE(a_picture_of_what_was_changed_meanwhile_is_not_kept)
{
    int64_t before = test_version(f->library);
    test_ok(marey_library_keep_picture(f->library, WALK, KIND, before, "1", 1, &test_error));
    assert_string_equal(kept(f->library, WALK, KIND), "1");
    change(f, SET_CONTACTS);
    test_ok(marey_library_keep_picture(f->library, WALK, KIND, before, "2", 1, &test_error));
    assert_string_equal(kept(f->library, WALK, KIND), "");
    change(f, PURGE);
    test_ok(marey_library_keep_picture(f->library, WALK, KIND, before, "3", 1, &test_error));
    assert_int_equal(marey_library_keep_picture(f->library, WALK, KIND, 0, "3", 1, &test_error),
                     MAREY_ERR_NOT_FOUND);
}

CASE(an_invalid_picture_is_refused)
{
    static const char *const kinds[] = {
        "", "two words", "line\n",
        "123456789012345678901234567890123456789012345678901234567890abcd"
    };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(
            marey_library_keep_picture(f->library, WALK, kinds[i], 0, "x", 1, &test_error),
            MAREY_ERR_REQUEST);
    }
    assert_int_equal(marey_library_keep_picture(f->library, WALK, KIND, 0, "", 0, &test_error),
                     MAREY_ERR_REQUEST);
    assert_int_equal(marey_library_keep_picture(f->library, WALK, KIND, 0, "x",
                                                ((size_t)16 << 20) + 1, &test_error),
                     MAREY_ERR_LIMIT);
    assert_string_equal(kept(f->library, WALK, KIND), "");
}

CASE(a_library_open_for_reading_gives_pictures_and_keeps_none)
{
    char before[300];
    snprintf(before, sizeof before, "%s/before", f->folder);
    keep(f->library, WALK, KIND, "a strip");
    test_library_close(f);
    test_file_copy(f->path, before);
    test_library_open(f, MAREY_LIBRARY_READ);
    assert_string_equal(kept(f->library, WALK, KIND), "a strip");
    test_refused(marey_library_keep_picture(f->library, WALK, KIND, 0, "x", 1, &test_error),
                 MAREY_ERR_REQUEST, "this library is open for reading only");
    assert_string_equal(kept(f->library, WALK, KIND), "a strip");
    test_library_close(f);
    test_same_file(f->path, before);
    test_library_open(f, MAREY_LIBRARY_WRITE);
}

CASE(while_another_writes_pictures_can_be_read)
{
    keep(f->library, WALK, KIND, "a strip");
    marey_library *other = test_library_second(f, MAREY_LIBRARY_WRITE);
    test_ok(mry_store_begin(other->store, &test_error));
    assert_string_equal(kept(f->library, WALK, KIND), "a strip");
    test_version(f->library);
    marey_ctx_cancel(f->ctx); /* ends the wait for the other */
    assert_true(marey_ctx_cancelled(f->ctx));
    assert_int_equal(marey_library_keep_picture(f->library, WALK, KIND, 0, "x", 1, &test_error),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(f->ctx);
    assert_false(marey_ctx_cancelled(f->ctx));
    mry_store_rollback(other->store);
    marey_library_close(other);
    keep(f->library, WALK, KIND, "x");
}

/* ---- damage and memory ----------------------------------------------------------------------- */

CASE(a_damaged_picture_is_refused_and_verify_names_its_clip)
{
    static const char *const wrong[] = { "UPDATE picture SET bytes = x'313233' WHERE clip = 1",
                                         "UPDATE picture SET bytes = x'' WHERE clip = 1",
                                         "UPDATE picture SET sum = sum + 1 WHERE clip = 1" };
    for (int i = 0; i < 3; i++) {
        char said[4096];
        size_t count = 77;
        keep(f->library, WALK, KIND, "a strip");
        keep(f->library, RUN, KIND, "a sound one");
        test_ok(mry_store_run(f->library->store, wrong[i], &test_error));
        assert_int_equal(
            marey_library_picture(f->library, WALK, KIND, NULL, 0, &count, &test_error),
            MAREY_ERR_INPUT);
        assert_int_equal(count, 77);
        assert_string_equal(test_error.message, "the kept picture strip-480x96-1 is damaged");
        assert_int_equal(test_library_verify(f, said), 1);
        assert_string_equal(said, "clip walk: its kept picture strip-480x96-1 is damaged\n");
    }
    keep(f->library, WALK, KIND, "drawn again");
    assert_string_equal(kept(f->library, WALK, KIND), "drawn again");
}

/* Every page of a picture in turn, on the disk: the picture is refused, named, and the clips are
   sound. */
CASE(a_changed_byte_in_a_picture_is_found_on_the_disk)
{
    enum { BYTES = 20000 };
    FREED char *bytes = malloc(BYTES);
    size_t size, count;
    memset(bytes, 'P', BYTES);
    test_ok(marey_library_keep_picture(f->library, WALK, KIND, 0, bytes, BYTES, &test_error));
    test_library_close(f);
    FREED char *file = test_file_read(f->path, &size);
    int hits = 0;
    for (size_t at = 2048; at < size; at += 4096) {
        char said[4096];
        if (memcmp(file + at, "PPPPPPPP", 8) != 0) continue;
        file[at] = 'Q';
        test_file_write(f->path, file, size);
        file[at] = 'P';
        test_library_open(f, MAREY_LIBRARY_READ);
        assert_int_equal(
            marey_library_picture(f->library, WALK, KIND, NULL, 0, &count, &test_error),
            MAREY_ERR_DAMAGED);
        marey_clip_free(test_library_load(f, "walk"));
        test_library_close(f);
        assert_true(test_library_verify(f, said) > 0);
        assert_non_null(strstr(said, "clip walk: its kept picture strip-480x96-1 is damaged"));
        hits++;
    }
    assert_true(hits >= 4);
    test_file_write(f->path, file, size);
    test_library_open(f, MAREY_LIBRARY_WRITE);
}

/* Everything of this file in a row; each allocation of it is refused in turn. */
static marey_status use_all(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    char name[256], bytes[64];
    int64_t version = 0;
    size_t count;
    (void)ctx;
    /* A failure between removing and restoring has left it removed. */
    marey_status status = marey_library_restore_clip(library, WALK, NULL, 0, NULL);
    if (status == MAREY_OK || status == MAREY_ERR_NOT_FOUND)
        status = marey_library_version(library, &version, error);
    if (!status)
        status = marey_library_keep_picture(library, WALK, KIND, version, "strip", 5, error);
    if (!status)
        status = marey_library_picture(library, WALK, KIND, bytes, sizeof bytes, &count, error);
    if (!status) status = marey_library_remove(library, &walk_name, 1, error);
    if (!status) status = marey_library_restore_clip(library, WALK, name, sizeof name, error);
    if (!status) status = marey_library_name(library, WALK, name, sizeof name, NULL, error);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    test_library_refuse_memory(f, use_all);
}

TEST_GROUP_OF_CASES(test_library_pictures, NULL, NULL)
