/* test_studio_api_files.c - the files in memory behind the library's hook, and texts that are no UTF-8. */
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

static void bench_make(files_bench *b)
{
    *b = (files_bench){ .memory = { .limit = (size_t)1 << 28 } };
    b->files = memory_files_make(&b->memory);
    assert_non_null(b->files);
    b->io = memory_files_io(b->files);
}

static void bench_free(files_bench *b)
{
    memory_files_free(b->files);
    assert_int_equal(atomic_load(&b->memory.used), 0);
}

static int put(files_bench *b, const char *name, const char *text)
{
    studio_bytes content = { .memory = &b->memory };
    bytes_add(&content, text, strlen(text));
    int result = memory_files_put(b->files, name, &content);
    if (result == 0) assert_null(content.data);
    bytes_free(&content);
    return result;
}

/* The name that a file gets if it is the only one; "" if there is nothing left of it. */
static void check_name(const char *given, const char *expected)
{
    files_bench b;
    bench_make(&b);
    int result = put(&b, given, "x");
    assert_int_equal(result, *expected ? 0 : -EINVAL);
    assert_int_equal(memory_files_count(b.files), *expected ? 1 : 0);
    if (*expected) assert_string_equal(memory_files_name(b.files, 0), expected);
    bench_free(&b);
}

/* ---- names -------------------------------------------------------------------------------------- */

TEST(names_are_made_harmless)
{
    check_name("walk.bvh", "walk.bvh");
    check_name("s07/07_01.amc", "s07/07_01.amc");
    check_name("../../etc/passwd", "etc/passwd");
    check_name("/etc/passwd", "etc/passwd");
    check_name("..\\..\\win.ini", "win.ini");
    check_name("a/./b//c/", "a/b/c");
    check_name("a/../b", "a/b");
    check_name(".\x01./x", "x"); /* dots that only come together when the rest is gone */
    check_name("tab\there\n\x7f.bvh", "tabhere.bvh");
    check_name("...", "...");
    check_name(".hidden", ".hidden");
    check_name("", "");
    check_name(".", "");
    check_name("..", "");
    check_name("//..//./", "");
    check_name("\x01\x02", "");
}

TEST(a_long_name_is_shortened_and_keeps_its_ending)
{
    char name[3001] = "";
    files_bench b;
    bench_make(&b);
    memset(name, 'n', 2990);
    strcpy(name + 2990, ".asf");
    for (int i = 0; i < 3; i++) assert_int_equal(put(&b, name, "x"), 0);
    for (int i = 0; i < 3; i++) {
        const char *got = memory_files_name(b.files, i);
        assert_int_equal(strlen(got), 255);
        assert_string_equal(got + 251, ".asf");
    }
    memory_files_clear(b.files);
    for (int i = 0; i < 1500; i++) memcpy(name + 2 * i, "\xc3\xa4", 2); /* ä */
    assert_int_equal(put(&b, name, "x"), 0);
    assert_int_equal(strlen(memory_files_name(b.files, 0)), 254); /* no half of one */
    memory_files_clear(b.files);
    for (int i = 0; i < 1500; i++) memcpy(name + 2 * i, "d/", 2);
    strcpy(name + 2996, "x.b");
    assert_int_equal(put(&b, name, "x"), 0);
    size_t length = strlen(memory_files_name(b.files, 0));
    assert_in_range(length, 900, 1000);
    assert_string_equal(memory_files_name(b.files, 0) + length - 5, "d/x.b");
    bench_free(&b);
}

TEST(a_second_file_of_a_name_gets_a_number)
{
    files_bench b;
    studio_bytes content = { 0 };
    bench_make(&b);
    assert_int_equal(put(&b, "a/walk.bvh", "1"), 0);
    assert_int_equal(put(&b, "a\\walk.bvh", "2"), 0);
    assert_int_equal(put(&b, "/a/walk.bvh", "3"), 0);
    assert_int_equal(put(&b, ".x", "4"), 0);
    assert_int_equal(put(&b, ".x", "5"), 0);
    assert_true(memory_files_take(b.files, "a/walk-3.bvh", &content));
    assert_memory_equal(content.data, "3", 1);
    bytes_free(&content);
    assert_false(memory_files_take(b.files, "a/walk-3.bvh", &content));
    assert_true(memory_files_take(b.files, ".x-2", &content));
    bytes_free(&content);
    bench_free(&b);
}

/* As a walk through folders finds them: "a" before "a-b", whatever is in it. */
TEST(files_are_sorted_folder_by_folder)
{
    static const char *const sorted[] = { "a/x", "a/y/z", "a-b", "a-c/x", "b" };
    files_bench b;
    bench_make(&b);
    for (int i = 4; i >= 0; i--) assert_int_equal(put(&b, sorted[(2 * i) % 5], "x"), 0);
    for (int i = 0; i < 5; i++) assert_string_equal(memory_files_name(b.files, i), sorted[i]);
    bench_free(&b);
}

/* ---- the hook ----------------------------------------------------------------------------------- */

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

TEST(folders_are_listed)
{
    files_bench b;
    bench_make(&b);
    check_list(&b, ".", 0, "");
    put(&b, "s07/07.asf", "x");
    put(&b, "s07/07_01.amc", "x");
    put(&b, "s07/more/x.amc", "x");
    put(&b, "s07/more/y.amc", "x");
    put(&b, "s071/z.amc", "x");
    put(&b, "top.asf", "x");
    check_list(&b, ".", 0, "s07 s071 top.asf ");
    check_list(&b, "./", 0, "s07 s071 top.asf ");
    check_list(&b, "s07", 0, "07.asf 07_01.amc more ");
    check_list(&b, "s07/", 0, "07.asf 07_01.amc more ");
    check_list(&b, "s071/../s07/more", 0, "x.amc y.amc ");
    check_list(&b, "s07/..", 0, "s07 s071 top.asf ");
    check_list(&b, "..", -ENOENT, "");
    check_list(&b, "/", -ENOENT, "");
    check_list(&b, "s0", -ENOENT, "");
    check_list(&b, "top.asf", -ENOTDIR, "");
    bench_free(&b);
}

TEST(files_are_read_and_written_as_on_a_disk)
{
    char text[16], resolved[64];
    files_bench b;
    bench_make(&b);
    const marey_io *io = b.io;
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
    assert_int_equal(io->remove(user, "a/x"), 0); /* it stays for whoever reads it */
    assert_int_equal(io->remove(user, "a/x"), -ENOENT);
    assert_int_equal(io->read(user, reads, text + 4, 12), 5);
    assert_memory_equal(text, "hello you", 9);
    assert_int_equal(io->read(user, reads, text, 12), 0);
    assert_int_equal(io->close(user, reads), 0);
    put(&b, "from", "new");
    put(&b, "to", "old");
    assert_int_equal(io->rename(user, "nobody", "to"), -ENOENT);
    assert_int_equal(io->rename(user, "from", "to"), 0);
    assert_int_equal(io->rename(user, "to", "to"), 0);
    assert_int_equal(memory_files_count(b.files), 1);
    assert_int_equal(io->resolve(user, "./to", resolved, sizeof resolved), 0);
    assert_string_equal(resolved, "to");
    assert_int_equal(io->resolve(user, "a/new", resolved, sizeof resolved), 0);
    assert_int_equal(io->resolve(user, "to", resolved, 2), -ENAMETOOLONG);
    assert_int_equal(io->resolve(user, ".", resolved, sizeof resolved), -EISDIR);
    bench_free(&b);
}

/* A path of the system is no file here, and none can be made. */
TEST(no_path_leads_to_the_disk)
{
    static const char *const paths[] = { "/etc/passwd", "../../../../../../etc/passwd", "", "/",
                                         "a/../../etc/passwd" };
    files_bench b;
    bench_make(&b);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(b.io->open(b.io->user, paths[i], MAREY_IO_READ), -ENOENT);
        assert_int_equal(b.io->open(b.io->user, paths[i], MAREY_IO_CREATE), -ENOENT);
        assert_int_equal(b.io->remove(b.io->user, paths[i]), -ENOENT);
    }
    bench_free(&b);
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

TEST(several_threads_read_at_once)
{
    pthread_t threads[4];
    void *failed = NULL;
    files_bench b;
    bench_make(&b);
    put(&b, "x", "hello");
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, read_all, &b);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    bench_free(&b);
}

/* Every allocation is refused in turn: what was there stays, and nothing is lost. */
TEST(running_out_of_memory_is_reported)
{
    files_bench b;
    bench_make(&b);
    put(&b, "old", "text");
    size_t idle = atomic_load(&b.memory.used), limit = b.memory.limit;
    int created = -ENOMEM;
    for (size_t more = 0; created == -ENOMEM; more += 16) {
        b.memory.limit = idle + more;
        created = b.io->open(b.io->user, "new", MAREY_IO_CREATE);
    }
    assert_true(created >= 0);
    char large[4096] = "";
    assert_int_equal(b.io->write(b.io->user, created, large, sizeof large), -ENOMEM);
    assert_int_equal(b.io->close(b.io->user, created), 0);
    b.memory.limit = atomic_load(&b.memory.used);
    assert_int_equal(b.io->rename(b.io->user, "new", "old"), -ENOMEM);
    assert_int_equal(memory_files_count(b.files), 2);
    b.memory.limit = limit;
    bench_free(&b);
}

/* ---- texts -------------------------------------------------------------------------------------- */

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
