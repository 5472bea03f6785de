/* test_store_files.c - from a path to a store: any name, files that are no stores, versions, folders that cannot be
   written, creating. */
#include "support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_store.h"

static void expect_refusal(small_place *p, const char *path, mry_store_mode mode,
                           const mry_schema *schema, marey_status status, const char *words)
{
    mry_store *store = NULL;
    marey_error error = { 0 };
    assert_int_equal(mry_store_open(p->ctx, path, mode, schema, &store, &error), status);
    assert_null(store);
    if (!strstr(error.message, words)) fail_msg("\"%s\" is not in: %s", words, error.message);
    assert_string_equal(error.path, path);
}

/* ---- names and files that are no stores --------------------------------------------------------- */

static void any_name_is_just_a_name(void **state)
{
    small_place *p = *state;
    static const char *const names[] = { "a b.marey", "100%41.marey", "a?mode=memory", "a#b",
                                         "file:x",    ":memory:",     "-x.marey",      "\xc3\xa9" };
    char old[1024];
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(p->folder), 0);
    for (int i = 0; i < 8; i++) {
        mry_store *store = small_open(p->ctx, names[i], MRY_STORE_CREATE);
        assert_int_equal(small_add(store, 1, 100, NULL), MAREY_OK);
        mry_store_close(store);
        assert_int_equal(access(names[i], F_OK), 0);
        assert_int_equal(test_folder_count("."), i + 1);
        char full[600];
        snprintf(full, sizeof full, "/%s/%s", p->folder, names[i]); /* two slashes in front */
        assert_int_equal(small_problems_at(p->ctx, full), 0);
    }
    assert_int_equal(chdir(old), 0);
}

static void files_that_are_no_stores_are_refused(void **state)
{
    small_place *p = *state;
    expect_refusal(p, p->path, MRY_STORE_READ, &small_schema, MAREY_ERR_INPUT, "No such file");
    expect_refusal(p, p->path, MRY_STORE_WRITE, &small_schema, MAREY_ERR_INPUT, "No such file");
    expect_refusal(p, p->folder, MRY_STORE_CREATE, &small_schema, MAREY_ERR_INPUT, "folder");
    for (int mode = MRY_STORE_READ; mode <= MRY_STORE_CREATE; mode++) {
        for (size_t count = 0; count < 200; count += 1 + count / 2) {
            test_file_write(p->path, "HIERARCHY\nROOT Hips\n{\n", count < 20 ? count : 20);
            expect_refusal(p, p->path, mode, &small_schema, MAREY_ERR_INPUT, "not a marey library");
        }
    }
    assert_int_equal(test_folder_count(p->folder), 1);
    unlink(p->path);
    assert_int_equal(mkfifo(p->path, 0600), 0);
    expect_refusal(p, p->path, MRY_STORE_READ, &small_schema, MAREY_ERR_INPUT, "ordinary");
    char below[320];
    snprintf(below, sizeof below, "%s/none/x.marey", p->folder);
    expect_refusal(p, below, MRY_STORE_CREATE, &small_schema, MAREY_ERR_INPUT, "No such file");
}

static void another_database_is_refused_and_left_as_it_was(void **state)
{
    small_place *p = *state;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE x (y)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    size_t count, after_count;
    char *before = test_file_read(p->path, &count);
    expect_refusal(p, p->path, MRY_STORE_CREATE, &small_schema, MAREY_ERR_INPUT,
                   "not a marey library");
    char *after = test_file_read(p->path, &after_count);
    assert_int_equal(count, after_count);
    assert_memory_equal(before, after, count);
    free(before);
    free(after);
    unlink(p->path);
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    mry_schema other = small_schema;
    other.application_id++;
    expect_refusal(p, p->path, MRY_STORE_READ, &other, MAREY_ERR_INPUT, "not a marey library");
}

static void one_wrong_header_field_is_called_damage(void **state)
{
    small_place *p = *state;
    static const int fields[] = { 0, 7, 16, 20 };
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    size_t count;
    char *bytes = test_file_read(p->path, &count);
    for (int i = 0; i < 4; i++) {
        bytes[fields[i]] ^= 4;
        test_file_write(p->path, bytes, count);
        expect_refusal(p, p->path, MRY_STORE_WRITE, &small_schema, MAREY_ERR_INPUT,
                       "the header is damaged");
        bytes[fields[i]] ^= 4;
    }
    free(bytes);
}

/* ---- versions ---------------------------------------------------------------------------------- */

static int64_t count_calm(mry_store *store)
{
    mry_query query = mry_query_start(store, "SELECT count(*) FROM note WHERE mood = 'calm'");
    int64_t count = mry_query_next(&query) ? mry_column_integer(&query, 0) : -1;
    assert_int_equal(mry_query_end(&query, NULL), MAREY_OK);
    return count;
}

static void an_older_store_is_read_through_a_copy_and_migrated_by_a_writer(void **state)
{
    small_place *p = *state;
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    assert_int_equal(small_add(store, 7, 9000, NULL), MAREY_OK);
    mry_store_close(store);
    size_t count, after_count;
    char *before = test_file_read(p->path, &count);
    assert_int_equal(mry_store_open(p->ctx, p->path, MRY_STORE_READ, &small_schema_2, &store, NULL),
                     MAREY_OK);
    uint64_t hash;
    assert_int_equal(small_dump(store, &hash, NULL), MAREY_OK);
    assert_int_equal(count_calm(store), 7);
    assert_int_equal(small_problems(store), 0);
    assert_int_equal(mry_store_run(store, "DELETE FROM note", NULL), MAREY_ERR_INPUT);
    mry_store_close(store);
    char *after = test_file_read(p->path, &after_count);
    assert_int_equal(count, after_count);
    assert_memory_equal(before, after, count);
    free(before);
    free(after);
    assert_int_equal(
        mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, &small_schema_2, &store, NULL), MAREY_OK);
    assert_int_equal(count_calm(store), 7);
    assert_int_equal(small_problems(store), 0);
    mry_store_close(store);
    assert_int_equal(test_folder_count(p->folder), 1);
    expect_refusal(p, p->path, MRY_STORE_READ, &small_schema, MAREY_ERR_INPUT,
                   "made by a newer marey (schema 2; this one knows 1)");
}

static void a_migration_that_fails_changes_nothing(void **state)
{
    small_place *p = *state;
    const char *const steps[] = { small_schema.steps[0], small_schema_2.steps[1],
                                  "DROP TABLE counter; nonsense" };
    mry_schema bad = { small_schema.application_id, 3, steps };
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    assert_int_equal(small_add(store, 2, 100, NULL), MAREY_OK);
    mry_store_close(store);
    expect_refusal(p, p->path, MRY_STORE_WRITE, &bad, MAREY_ERR_INPUT, "nonsense");
    expect_refusal(p, p->path, MRY_STORE_READ, &bad, MAREY_ERR_INPUT, "nonsense");
    store = small_open(p->ctx, p->path, MRY_STORE_WRITE);
    uint64_t hash;
    assert_int_equal(small_dump(store, &hash, NULL), MAREY_OK);
    mry_store_close(store);
    char other[320];
    snprintf(other, sizeof other, "%s/other.marey", p->folder);
    expect_refusal(p, other, MRY_STORE_CREATE, &bad, MAREY_ERR_INPUT, "nonsense");
    assert_int_equal(test_folder_count(p->folder), 1);
}

/* ---- folders that cannot be written -------------------------------------------------------------- */

/* Root may write wherever the file system lets it, so root needs a file system that does not. */
static bool make_read_only(const char *folder, bool on)
{
    if (geteuid() != 0) return chmod(folder, on ? 0555 : 0755) == 0;
    return mount("", folder, "", MS_REMOUNT | (on ? MS_RDONLY : 0), "") == 0;
}

static void a_store_is_read_in_a_folder_that_cannot_be_written(void **state)
{
    small_place *p = *state;
    bool root = geteuid() == 0;
    if (root && mount("tmpfs", p->folder, "tmpfs", 0, "size=4m") != 0) {
        print_message("skipped: root without the right to mount cannot make a read-only folder\n");
        skip();
    }
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    assert_int_equal(small_add(store, 4, 9000, NULL), MAREY_OK);
    mry_store_close(store);
    bool made = make_read_only(p->folder, true);
    uint64_t hash;
    int64_t notes = 0, problems = -1;
    marey_error error = { 0 };
    store = NULL;
    marey_status opened =
        mry_store_open(p->ctx, p->path, MRY_STORE_READ, &small_schema, &store, &error);
    marey_status dumped = opened == MAREY_OK ? small_dump(store, &hash, &notes) : opened;
    if (opened == MAREY_OK) problems = small_problems(store);
    mry_store_close(store);
    marey_status write =
        mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, &small_schema, &store, &error);
    int entries = test_folder_count(p->folder);
    make_read_only(p->folder, false);
    if (root) umount(p->folder);
    assert_true(made);
    assert_int_equal(dumped, MAREY_OK);
    assert_int_equal(notes, 4);
    assert_int_equal(problems, 0);
    assert_int_equal(write, MAREY_ERR_INPUT);
    assert_int_equal(entries, 1);
}

/* ---- creating ---------------------------------------------------------------------------------- */

static void several_that_create_at_once_get_the_same_store(void **state)
{
    small_place *p = *state;
    enum { CHILDREN = 6 };
    pid_t children[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        mry_store *store = NULL;
        marey_status status =
            mry_store_open(p->ctx, p->path, MRY_STORE_CREATE, &small_schema, &store, NULL);
        if (status == MAREY_OK) status = small_add(store, 3, 2000, NULL);
        mry_store_close(store);
        _exit((int)status);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int how;
        waitpid(children[i], &how, 0);
        assert_int_equal(how, 0);
    }
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_READ);
    uint64_t hash;
    int64_t notes;
    assert_int_equal(small_dump(store, &hash, &notes), MAREY_OK);
    assert_int_equal(notes, 3 * CHILDREN);
    mry_store_close(store);
    assert_int_equal(test_folder_count(p->folder), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SMALL_CASE(any_name_is_just_a_name),
        SMALL_CASE(files_that_are_no_stores_are_refused),
        SMALL_CASE(another_database_is_refused_and_left_as_it_was),
        SMALL_CASE(one_wrong_header_field_is_called_damage),
        SMALL_CASE(an_older_store_is_read_through_a_copy_and_migrated_by_a_writer),
        SMALL_CASE(a_migration_that_fails_changes_nothing),
        SMALL_CASE(a_store_is_read_in_a_folder_that_cannot_be_written),
        SMALL_CASE(several_that_create_at_once_get_the_same_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
