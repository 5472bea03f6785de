/* test_studio_api_files.c - the files in memory behind the library's hook, and texts that are no
   UTF-8. */
#include "support.h"

#include "describe.h"
#include "memory_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct files_bench {
    heap memory;
    memory_files *files;
    const marey_io *io;
} files_bench;

static int bench_make(void **state)
{
    static files_bench bench;
    files_bench *b = *state = &bench;
    *b = (files_bench){ .memory = { .limit = (size_t)1 << 28 } };
    b->files = memory_files_make(&b->memory);
    assert_non_null(b->files);
    b->io = memory_files_io(b->files);
    return 0;
}

static int bench_free(void **state)
{
    files_bench *b = *state;
    memory_files_free(b->files);
    assert_int_equal(atomic_load(&b->memory.used), 0);
    return 0;
}
#define CASE(name) TEST_OF_IN(bench_make, bench_free, files_bench *b, name)

static int put(files_bench *b, const char *name, const char *text)
{
    studio_bytes content = { .memory = &b->memory };
    bytes_add(&content, text, strlen(text));
    int result = memory_files_put(b->files, name, &content);
    if (result == 0) assert_null(content.data);
    bytes_free(&content);
    return result;
}

/* ---- names ----------------------------------------------------------------------------------- */

CASE(names_are_made_harmless)
{
    static const char *const rows[][2] = {
        { "walk.bvh", "walk.bvh" },
        { "C:\\a\\walk.bvh", "C:/a/walk.bvh" },
        { "\xc3\xa9t\xc3\xa9.bvh", "\xc3\xa9t\xc3\xa9.bvh" },
        { "s07/07_01.amc", "s07/07_01.amc" },
        { "../../etc/passwd", "etc/passwd" },
        { "/etc/passwd", "etc/passwd" },
        { "..\\..\\win.ini", "win.ini" },
        { "a/./b//c/", "a/b/c" },
        { "a/../b", "a/b" },
        { ".\x01./x", "x" }, /* dots that only come together when the rest is gone */
        { "tab\there\n\x7f.bvh", "tabhere.bvh" },
        { "...", "..." },
        { ".hidden", ".hidden" },
        { "", "" }, /* nothing is left of these */
        { ".", "" },
        { "..", "" },
        { "../..", "" },
        { "\\", "" },
        { "//..//./", "" },
        { "\x01\x02", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool left = *rows[i][1];
        assert_int_equal(put(b, rows[i][0], "x"), left ? 0 : -EINVAL);
        assert_int_equal(memory_files_count(b->files), left);
        if (left) assert_string_equal(memory_files_name(b->files, 0), rows[i][1]);
        memory_files_clear(b->files);
    }
}

CASE(a_long_name_is_shortened_and_keeps_its_ending)
{
    char name[3001] = "";
    memset(name, 'n', 2990);
    strcpy(name + 2990, ".asf");
    for (int i = 0; i < 3; i++) assert_int_equal(put(b, name, "x"), 0);
    for (int i = 0; i < 3; i++) {
        const char *got = memory_files_name(b->files, i);
        assert_int_equal(strlen(got), 255);
        assert_string_equal(got + 251, ".asf");
    }
    memory_files_clear(b->files);
    for (int i = 0; i < 1500; i++) memcpy(name + 2 * i, "\xc3\xa4", 2); /* ä */
    assert_int_equal(put(b, name, "x"), 0);
    assert_int_equal(strlen(memory_files_name(b->files, 0)), 254); /* no half of one */
    memory_files_clear(b->files);
    for (int i = 0; i < 1500; i++) memcpy(name + 2 * i, "d/", 2);
    strcpy(name + 2996, "x.b");
    assert_int_equal(put(b, name, "x"), 0);
    size_t length = strlen(memory_files_name(b->files, 0));
    assert_in_range(length, 900, 1000);
    assert_string_equal(memory_files_name(b->files, 0) + length - 5, "d/x.b");
}

CASE(a_second_file_of_a_name_gets_a_number)
{
    studio_bytes content = { 0 };
    assert_int_equal(put(b, "a/walk.bvh", "1"), 0);
    assert_int_equal(put(b, "a\\walk.bvh", "2"), 0);
    assert_int_equal(put(b, "/a/walk.bvh", "3"), 0);
    assert_int_equal(put(b, ".x", "4"), 0);
    assert_int_equal(put(b, ".x", "5"), 0);
    assert_true(memory_files_take(b->files, "a/walk-3.bvh", &content));
    assert_memory_equal(content.data, "3", 1);
    bytes_free(&content);
    assert_false(memory_files_take(b->files, "a/walk-3.bvh", &content));
    assert_true(memory_files_take(b->files, ".x-2", &content));
    bytes_free(&content);
}

/* As a walk through folders finds them: "a" before "a-b", whatever is in it. */
CASE(files_are_sorted_folder_by_folder)
{
    static const char *const sorted[] = { "a/x", "a/y/z", "a-b", "a-c/x", "b" };
    for (int i = 4; i >= 0; i--) assert_int_equal(put(b, sorted[(2 * i) % 5], "x"), 0);
    for (int i = 0; i < 5; i++) assert_string_equal(memory_files_name(b->files, i), sorted[i]);
}

/* ---- the hook -------------------------------------------------------------------------------- */

static void note(void *user, const char *name)
{
    char *all = user;
    strcat(all, name);
    strcat(all, " ");
}

static void check_list(files_bench *b, const char *folder, int result, const char *expected)
{
    char all[256] = "";
    assert_int_equal(b->io->list(b->io->user, folder, note, all), result);
    assert_string_equal(all, expected);
}

CASE(folders_are_listed)
{
    check_list(b, ".", 0, "");
    put(b, "s07/07.asf", "x");
    put(b, "s07/07_01.amc", "x");
    put(b, "s07/more/x.amc", "x");
    put(b, "s07/more/y.amc", "x");
    put(b, "s071/z.amc", "x");
    put(b, "top.asf", "x");
    check_list(b, ".", 0, "s07 s071 top.asf ");
    check_list(b, "./", 0, "s07 s071 top.asf ");
    check_list(b, "s07", 0, "07.asf 07_01.amc more ");
    check_list(b, "s07/", 0, "07.asf 07_01.amc more ");
    check_list(b, "s071/../s07/more", 0, "x.amc y.amc ");
    check_list(b, "s07/..", 0, "s07 s071 top.asf ");
    check_list(b, "..", -ENOENT, "");
    check_list(b, "/", -ENOENT, "");
    check_list(b, "s0", -ENOENT, "");
    check_list(b, "top.asf", -ENOTDIR, "");
}

CASE(files_are_read_and_written_as_on_a_disk)
{
    char text[16], resolved[64];
    const marey_io *io = b->io;
    void *user = io->user;
    assert_int_equal(io->open(user, "a/x", MAREY_IO_READ), -ENOENT);
    int writes = io->open(user, "a/x", MAREY_IO_CREATE);
    assert_true(writes >= 0);
    assert_int_equal(io->open(user, "a/x", MAREY_IO_CREATE), -EEXIST);
    assert_int_equal(io->open(user, "a", MAREY_IO_READ), -EISDIR);
    assert_int_equal(io->write(user, writes, "hello", 5), 5);
    assert_int_equal(io->write(user, writes, " you", 4), 4);
    assert_int_equal(io->sync(user, writes), 0);
    assert_int_equal(io->close(user, writes), 0);
    int reads = io->open(user, "./a//x", MAREY_IO_READ);
    assert_int_equal(io->size(user, reads), 9);
    assert_int_equal(io->write(user, reads, "no", 2), -EBADF);
    assert_int_equal(io->read(user, reads, text, 4), 4);
    assert_int_equal(io->remove(user, "a/x"), 0); /* it stays for its readers */
    assert_int_equal(io->remove(user, "a/x"), -ENOENT);
    assert_int_equal(io->read(user, reads, text + 4, 12), 5);
    assert_memory_equal(text, "hello you", 9);
    assert_int_equal(io->read(user, reads, text, 12), 0);
    assert_int_equal(io->close(user, reads), 0);
    put(b, "from", "new");
    put(b, "to", "old");
    assert_int_equal(io->rename(user, "missing", "to"), -ENOENT);
    assert_int_equal(io->rename(user, "from", "to"), 0);
    assert_int_equal(io->rename(user, "to", "to"), 0);
    assert_int_equal(memory_files_count(b->files), 1);
    assert_int_equal(io->resolve(user, "./to", resolved, sizeof resolved), 0);
    assert_string_equal(resolved, "to");
    assert_int_equal(io->resolve(user, "a/new", resolved, sizeof resolved), 0);
    assert_int_equal(io->resolve(user, "to", resolved, 2), -ENAMETOOLONG);
    assert_int_equal(io->resolve(user, ".", resolved, sizeof resolved), -EISDIR);
}

/* As long as a name may be, and one byte more; ".." from folders of folders. */
CASE(names_of_the_hook_have_1000_bytes_in_parts_of_255)
{
    const marey_io *io = b->io;
    char part[300], path[1100] = "";
    for (size_t length = 255; length <= 256; length++) {
        memset(part, 'a', sizeof part);
        part[length] = 0;
        assert_int_equal(io->open(io->user, part, MAREY_IO_READ),
                         length == 255 ? -ENOENT : -ENAMETOOLONG);
    }
    part[249] = 0;
    for (int i = 0; i < 4; i++) sprintf(path + 250 * i, "%s/", part);
    path[999] = 0;
    for (int more = 0; more < 3; more++) {
        assert_int_equal(io->remove(io->user, path), more < 2 ? -ENOENT : -ENAMETOOLONG);
        assert_int_equal(io->rename(io->user, path, path), more < 2 ? -ENOENT : -ENAMETOOLONG);
        assert_int_equal(io->resolve(io->user, path, part, sizeof part),
                         more < 2 ? -ENAMETOOLONG : -ENAMETOOLONG);
        check_list(b, path, more < 2 ? -ENOENT : -ENAMETOOLONG, "");
        strcat(path, "b");
    }
    assert_int_equal(io->rename(io->user, "a", path), -ENAMETOOLONG);
    assert_int_equal(put(b, "a/b/x", "1"), 0);
    check_list(b, "a/b/..", 0, "b ");
    check_list(b, "a/b/../..", 0, "a ");
    check_list(b, "a/b/../../..", -ENOENT, "");
    assert_int_equal(io->open(io->user, ".", MAREY_IO_CREATE), -EISDIR);
}

CASE(a_file_that_is_open_is_not_renamed_nor_taken)
{
    const marey_io *io = b->io;
    studio_bytes content = { 0 };
    int handles[20];
    assert_int_equal(put(b, "x", "1"), 0);
    for (int i = 0; i < 20; i++) handles[i] = io->open(io->user, "x", MAREY_IO_READ);
    assert_int_equal(io->rename(io->user, "x", "y"), -EBUSY);
    assert_int_equal(io->rename(io->user, "x", "x"), 0);
    assert_false(memory_files_take(b->files, "x", &content));
    for (int i = 0; i < 20; i++) assert_int_equal(io->close(io->user, handles[i]), 0);
    assert_int_equal(io->rename(io->user, "x", "y"), 0);
    assert_true(memory_files_take(b->files, "y", &content));
    bytes_free(&content);
}

/* Endings that are none, of names that are too long, and letters of several bytes where a name is
   cut. */
CASE(names_that_are_cut_keep_their_ending_and_whole_letters)
{
    char name[6000];
    static const char *const endings[] = { ".bvh", ".an-ending-of-15", ".an-ending-of-more" };
    for (int i = 0; i < 3; i++) {
        size_t kept = i == 2 ? 0 : strlen(endings[i]);
        for (int twice = 0; twice < 2; twice++) { /* the second one gets a number */
            memset(name, 'a', 3000);
            for (int k = 0; k < 400; k++) memcpy(name + 2 * k + 1, "\xc3\xa4", 2);
            strcpy(name + 3000, endings[i]);
            assert_int_equal(put(b, name, "x"), 0);
        }
        for (int k = 0; k < 2; k++) {
            const char *got = memory_files_name(b->files, k);
            size_t length = strlen(got);
            assert_in_range(length, 250, 255);
            assert_memory_equal(got + length - kept, endings[i], kept);
            size_t end = length - kept;
            while (end > 0 && (got[end - 1] == '-' || got[end - 1] == '2')) end--;
            /* No letter is cut in two. */
            assert_true(got[end - 1] == (char)0xa4 || (unsigned char)got[end - 1] < 0x80);
        }
        memory_files_clear(b->files);
    }
    assert_int_equal(put(b,
                         "\x7f\x01"
                         "a\x1f",
                         "x"),
                     0);
    assert_string_equal(memory_files_name(b->files, 0), "a");
}

CASE(no_memory_for_the_files_themselves)
{
    heap none = { .limit = 0 };
    assert_null(memory_files_make(&none));
    memory_files_free(NULL);
    assert_int_equal(atomic_load(&none.used), 0);
}

/* A path of the system is no file here, and none can be made. */
CASE(no_path_leads_to_the_disk)
{
    static const char *const paths[] = { "/etc/passwd", "../../../../../../etc/passwd", "", "/",
                                         "a/../../etc/passwd" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(b->io->open(b->io->user, paths[i], MAREY_IO_READ), -ENOENT);
        assert_int_equal(b->io->open(b->io->user, paths[i], MAREY_IO_CREATE), -ENOENT);
        assert_int_equal(b->io->remove(b->io->user, paths[i]), -ENOENT);
    }
}

static void *read_all(void *user)
{
    const files_bench *b = user;
    char text[8];
    for (int i = 0; i < 500; i++) {
        int handle = b->io->open(b->io->user, "x", MAREY_IO_READ);
        if (handle < 0 || b->io->read(b->io->user, handle, text, 8) != 5) return user;
        b->io->close(b->io->user, handle);
    }
    return NULL;
}

CASE(several_threads_read_at_once)
{
    pthread_t threads[4];
    void *failed = NULL;
    put(b, "x", "hello");
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, read_all, b);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

/* Every allocation is refused in turn: what was there stays, and nothing is lost. */
CASE(running_out_of_memory_is_reported)
{
    put(b, "old", "text");
    size_t idle = atomic_load(&b->memory.used), limit = b->memory.limit;
    int created = -ENOMEM;
    for (size_t more = 0; created == -ENOMEM; more += 16) {
        b->memory.limit = idle + more;
        created = b->io->open(b->io->user, "new", MAREY_IO_CREATE);
    }
    assert_true(created >= 0);
    char large[4096] = "";
    assert_int_equal(b->io->write(b->io->user, created, large, sizeof large), -ENOMEM);
    assert_int_equal(b->io->close(b->io->user, created), 0);
    b->memory.limit = atomic_load(&b->memory.used);
    assert_int_equal(b->io->rename(b->io->user, "new", "old"), -ENOMEM);
    assert_int_equal(memory_files_count(b->files), 2);
    b->memory.limit = limit;
}

/* ---- texts ----------------------------------------------------------------------------------- */

TEST(bytes_that_are_no_text_are_replaced)
{
    static const struct {
        const char *given, *expected;
    } rows[] = { { "plain", "plain" },
                 { "\xc3\xa4", "\xc3\xa4" },
                 { "a\xff"
                   "b",
                   "a\xef\xbf\xbd"
                   "b" },
                 { "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
                 { "\xc3", "\xef\xbf\xbd" },
                 { "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" } };
    heap memory = { .limit = 4096 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *text = describe_text(&memory, rows[i].given);
        assert_string_equal(json_string_value(text), rows[i].expected);
        json_decref(text);
    }
    memory.limit = 0;
    assert_null(describe_text(&memory, "\xff"));
    assert_int_equal(atomic_load(&memory.used), 0);
}

TEST(provenance_that_is_no_object_is_null)
{
    static const char *const texts[] = { "", "{", "[]", "7", "not JSON" };
    char deep[200] = "{\"a\":";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(json_is_null(describe_provenance(texts[i])));
    }
    memset(deep + 5, '[', 60);
    memset(deep + 65, ']', 60);
    deep[125] = '}';
    assert_true(json_is_null(describe_provenance(deep)));
    json_t *value = describe_provenance("{\"made_by\": \"cut\"}");
    assert_true(json_is_object(value));
    json_decref(value);
}

TEST_GROUP_OF_CASES(test_studio_api_files, NULL, NULL)
