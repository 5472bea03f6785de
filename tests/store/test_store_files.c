/* test_store_files.c - from a path to a store: any name, files that are no stores, versions,
   folders that cannot be written, creating; SQL that a store has inside it; what is gone from its
   bytes. */
#include "library_bench.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_store.h"
#include "store/store_inside.h"

/* Takes the place of the C library's in this program: notes what is synced before and after `path`
   is there. */
static struct {
    const char *path; /* NULL: nothing is noted */
    bool fails;
    int64_t
        nameless_bytes; /* of the last file that was synced while there was nothing of that name */
    int folders_after;
} syncing;

int fsync(int file)
{
    struct stat about;
    if (syncing.path && fstat(file, &about) == 0) {
        bool is_named = access(syncing.path, F_OK) == 0;
        if (S_ISREG(about.st_mode) && !is_named) syncing.nameless_bytes = about.st_size;
        if (S_ISDIR(about.st_mode) && is_named) syncing.folders_after++;
        if (syncing.fails) {
            errno = EIO;
            return -1;
        }
    }
    return (int)syscall(SYS_fsync, file);
}

static void expect_refusal(small_place *p, const char *path, mry_store_mode mode,
                           const mry_schema *schema, marey_status status, const char *words)
{
    mry_store *store = NULL;
    test_refused_about(mry_store_open(p->ctx, path, mode, schema, &store, &test_error), status,
                       words);
    assert_null(store);
    assert_string_equal(test_error.path, path);
}

/* ---- names and files that are no stores ------------------------------------------------------ */

SMALL_CASE(any_name_is_just_a_name)
{
    static const char *const names[] = { "a b.marey", "100%41.marey", "a?mode=memory", "a#b",
                                         "file:x",    ":memory:",     "-x.marey",      "\xc3\xa9" };
    char old[1024];
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(p->folder), 0);
    for (int i = 0; i < 8; i++) {
        small_make(p->ctx, names[i], 1, 100);
        assert_int_equal(access(names[i], F_OK), 0);
        assert_int_equal(test_folder_count("."), i + 1);
        char full[600];
        snprintf(full, sizeof full, "/%s/%s", p->folder, names[i]); /* two slashes in front */
        assert_int_equal(small_problems_at(p->ctx, full), 0);
    }
    assert_int_equal(chdir(old), 0);
}

SMALL_CASE(files_that_are_no_stores_are_refused)
{
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

SMALL_CASE(another_database_is_refused_and_left_as_it_was)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE x (y)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    char before[320];
    snprintf(before, sizeof before, "%s/before", p->folder);
    test_file_copy(p->path, before);
    expect_refusal(p, p->path, MRY_STORE_CREATE, &small_schema, MAREY_ERR_INPUT,
                   "not a marey library");
    test_same_file(p->path, before);
    unlink(p->path);
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    mry_schema other = small_schema;
    other.application_id++;
    expect_refusal(p, p->path, MRY_STORE_READ, &other, MAREY_ERR_INPUT, "not a marey library");
}

SMALL_CASE(one_wrong_header_field_is_called_damage)
{
    static const int fields[] = { 0, 7, 16, 20 };
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    size_t count;
    FREED char *bytes = test_file_read(p->path, &count);
    for (int i = 0; i < 4; i++) {
        bytes[fields[i]] ^= 4;
        test_file_write(p->path, bytes, count);
        expect_refusal(p, p->path, MRY_STORE_WRITE, &small_schema, MAREY_ERR_INPUT,
                       "the header is damaged");
        bytes[fields[i]] ^= 4;
    }
}

/* As power leaves it that fails while the first page is moved out of the log. */
SMALL_CASE(a_header_that_is_torn_in_the_file_is_read_from_the_log)
{
    static const char *const beside[] = { "", "-wal" };
    char copy[2][340], names[2][340];
    uint64_t before, hash;
    size_t count, log_count;
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 5, 9000, &test_error));
    test_ok(small_dump(store, &before, NULL));
    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s%s", p->path, beside[i]);
        snprintf(copy[i], sizeof copy[i], "%s/copy%s", p->folder, beside[i]);
        test_file_copy(names[i], copy[i]);
    }
    mry_store_close(store);
    FREED char *bytes = test_file_read(copy[0], &count);
    FREED char *log = test_file_read(copy[1], &log_count);
    for (int torn = 0; torn < 3; torn++) {
        for (int mode = MRY_STORE_READ; mode <= MRY_STORE_WRITE; mode++) {
            memset(bytes, torn == 1 ? 0xff : 0, torn == 2 ? 4096 : 512);
            test_library_restore(copy[0], bytes, count);
            test_file_write(copy[1], log, log_count);
            store = small_open(p->ctx, copy[0], mode);
            test_ok(small_dump(store, &hash, NULL));
            assert_int_equal(small_problems(store), 0);
            mry_store_close(store);
            assert_int_equal(hash, before);
        }
    }
    assert_int_equal(test_folder_count(p->folder), 2);
}

/* Not so much as its log is moved: that would write our sums over its pages. */
SMALL_CASE(a_database_that_is_not_ours_is_left_alone_with_its_log)
{
    char path[2][340], before[2][340];
    sqlite3 *db = NULL;
    snprintf(path[0], sizeof path[0], "%s/other", p->folder);
    snprintf(path[1], sizeof path[1], "%s/other-wal", p->folder);
    assert_int_equal(sqlite3_open(path[0], &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode = WAL; CREATE TABLE t(x);"
                                  "INSERT INTO t VALUES(zeroblob(20000))",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        snprintf(before[i], sizeof before[i], "%s/before%d", p->folder, i);
        test_file_copy(path[i], before[i]);
    }
    for (int mode = MRY_STORE_READ; mode <= MRY_STORE_KEEP; mode++)
        expect_refusal(p, path[0], mode, &small_schema, MAREY_ERR_INPUT, "not a marey library");
    test_same_file(path[0], before[0]);
    test_same_file(path[1], before[1]);
}

/* ---- versions -------------------------------------------------------------------------------- */

SMALL_CASE(an_older_store_is_read_through_a_copy_and_migrated_by_a_writer)
{
    char before[320];
    small_make(p->ctx, p->path, 7, 9000);
    snprintf(before, sizeof before, "%s/before", p->folder);
    test_file_copy(p->path, before);
    for (int mode = MRY_STORE_READ; mode <= MRY_STORE_WRITE; mode++) {
        OWNED(mry_store) *store = NULL;
        uint64_t hash;
        test_same_file(p->path, before);
        test_ok(mry_store_open(p->ctx, p->path, mode, &small_schema_2, &store, NULL));
        test_ok(small_dump(store, &hash, NULL));
        mry_query calm = mry_query_start(store, "SELECT count(*) FROM note WHERE mood = 'calm'");
        assert_true(mry_query_next(&calm));
        assert_int_equal(mry_column_integer(&calm, 0), 7);
        test_ok(mry_query_end(&calm, NULL));
        assert_int_equal(small_problems(store), 0);
        if (mode == MRY_STORE_READ)
            assert_int_equal(mry_store_run(store, "DELETE FROM note", NULL), MAREY_ERR_INPUT);
    }
    assert_int_equal(test_folder_count(p->folder), 2);
    expect_refusal(p, p->path, MRY_STORE_READ, &small_schema, MAREY_ERR_INPUT,
                   "made by a newer marey (schema 2; this one knows 1)");
}

/* It is a copy of the whole file in SQLite's memory, which a limit of ours is about too. */
SMALL_CASE(reading_an_older_store_takes_memory_that_counts_and_can_be_cancelled)
{
    size_t file;
    small_make(p->ctx, p->path, 7, 9000);
    FREED char *bytes = test_file_read(p->path, &file);
    for (int refused = 0; refused < 2; refused++) {
        OWNED(marey_ctx) *ctx = NULL;
        mry_store *store = NULL;
        marey_ctx_def def = { .byte_limit = file + (refused ? 0 : 1 << 20), .threads = 1 };
        test_ok(marey_ctx_open(&def, &ctx));
        marey_status status =
            mry_store_open(ctx, p->path, MRY_STORE_READ, &small_schema_2, &store, &test_error);
        assert_int_equal(status, refused ? MAREY_ERR_MEMORY : MAREY_OK);
        if (store) assert_true(marey_ctx_bytes(ctx) >= file);
        mry_store_close(store);
        assert_int_equal(marey_ctx_bytes(ctx), 0);
    }
    marey_ctx_cancel(p->ctx);
    mry_store *store = NULL;
    test_refused(
        mry_store_open(p->ctx, p->path, MRY_STORE_READ, &small_schema_2, &store, &test_error),
        MAREY_ERR_CANCELLED, "cancelled");
    assert_null(store);
    assert_int_equal(marey_ctx_bytes(p->ctx), 0);
}

SMALL_CASE(a_migration_that_fails_changes_nothing)
{
    const char *const steps[] = { small_schema.steps[0], small_schema_2.steps[1],
                                  "DROP TABLE counter; nonsense" };
    mry_schema bad = { small_schema.application_id, 3, steps };
    small_make(p->ctx, p->path, 2, 100);
    expect_refusal(p, p->path, MRY_STORE_WRITE, &bad, MAREY_ERR_INPUT, "nonsense");
    expect_refusal(p, p->path, MRY_STORE_READ, &bad, MAREY_ERR_INPUT, "nonsense");
    small_hash(p->ctx, p->path, NULL);
    char other[320];
    snprintf(other, sizeof other, "%s/other.marey", p->folder);
    expect_refusal(p, other, MRY_STORE_CREATE, &bad, MAREY_ERR_INPUT, "nonsense");
    assert_int_equal(test_folder_count(p->folder), 1);
}

/* A step that commits what it did so far cannot be rolled back: then the copy is taken back, under
   the eyes of a reader. What fails in the check is rolled back. */
SMALL_CASE(a_migration_that_rolling_back_does_not_undo_is_undone_by_its_copy)
{
    static const char *const broken[] = {
        "CREATE TABLE half(x); DELETE FROM note; COMMIT; BEGIN IMMEDIATE; nonsense",
        "DELETE FROM note; PRAGMA user_version = 3; COMMIT; BEGIN IMMEDIATE; nonsense",
        "DELETE FROM blob; CREATE TABLE half(x)",
    };
    uint64_t hash;
    small_make(p->ctx, p->path, 40, 3000);
    uint64_t before = small_hash(p->ctx, p->path, NULL);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const char *const steps[] = { small_schema.steps[0], small_schema_2.steps[1], broken[i] };
        mry_schema bad = { small_schema.application_id, 3, steps };
        OWNED(mry_store) *reader = small_open(p->ctx, p->path, MRY_STORE_READ);
        mry_store *store = NULL;
        test_ok(mry_store_snapshot(reader, &test_error));
        test_refused_about(
            mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, &bad, &store, &test_error),
            i == 2 ? MAREY_ERR_DAMAGED : MAREY_ERR_INPUT, i == 2 ? "damaged" : "nonsense");
        mry_store_rollback(reader);
        test_ok(small_dump(reader, &hash, NULL));
        assert_int_equal(hash, before);
        assert_int_equal(small_problems(reader), 0);
    }
    assert_int_equal(small_hash(p->ctx, p->path, NULL), before);
    assert_int_equal(test_folder_count(p->folder), 1);
}

SMALL_CASE(a_migration_that_is_cancelled_changes_nothing)
{
    mry_store *store = NULL;
    small_make(p->ctx, p->path, 40, 3000);
    uint64_t before = small_hash(p->ctx, p->path, NULL);
    marey_ctx_cancel(p->ctx);
    test_refused_about(
        mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, &small_schema_2, &store, &test_error),
        MAREY_ERR_CANCELLED, "cancelled");
    marey_ctx_resume(p->ctx);
    assert_int_equal(small_hash(p->ctx, p->path, NULL), before);
    assert_int_equal(test_folder_count(p->folder), 1);
}

/* Of a program that died while it made one, or behind its commit; of a newer program that is at
   it. */
SMALL_CASE(a_copy_that_a_dead_program_left_is_in_the_way_of_nothing)
{
    char before[320], copy[320], journal[330];
    uint64_t hash;
    small_make(p->ctx, p->path, 4, 3000);
    snprintf(before, sizeof before, "%s/before", p->folder);
    snprintf(copy, sizeof copy, "%s-migrating", p->path);
    snprintf(journal, sizeof journal, "%s-journal", copy);
    test_file_copy(p->path, before);
    uint64_t right = small_hash(p->ctx, p->path, NULL);
    for (int way = 0; way < 3; way++) {
        const mry_schema *schema = way ? &small_schema_2 : &small_schema;
        mry_store *store = NULL;
        if (way == 1) test_file_write(copy, "half of it", 10);
        if (way == 1) test_file_write(journal, "rubbish", 7);
        if (way != 1) test_file_copy(before, copy);
        test_ok(mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, schema, &store, &test_error));
        test_ok(small_dump(store, &hash, NULL));
        mry_store_close(store);
        assert_int_equal(hash, right);
        assert_int_equal(test_folder_count(p->folder), way ? 2 : 3);
    }
}

/* No file goes beside one whose name is so long. */
SMALL_CASE(a_store_that_no_copy_can_lie_beside_is_migrated_without)
{
    char path[600];
    int64_t notes = 0;
    snprintf(path, sizeof path, "%s/%0*d", p->folder, 250, 0);
    small_make(p->ctx, path, 3, 3000);
    OWNED(mry_store) *store = NULL;
    test_ok(mry_store_open(p->ctx, path, MRY_STORE_WRITE, &small_schema_2, &store, &test_error));
    uint64_t hash;
    test_ok(small_dump(store, &hash, &notes));
    assert_int_equal(notes, 3);
}

/* ---- read-only folders ----------------------------------------------------------------------- */

/* Root may write wherever the file system lets it, so root needs a file system that does not. */
static bool make_read_only(const char *folder, bool on)
{
    if (geteuid() != 0) return chmod(folder, on ? 0555 : 0755) == 0;
    return mount("", folder, "", MS_REMOUNT | (on ? MS_RDONLY : 0), "") == 0;
}

SMALL_CASE(a_store_is_read_in_a_folder_that_cannot_be_written)
{
    bool root = geteuid() == 0;
    if (root && mount("tmpfs", p->folder, "tmpfs", 0, "size=4m") != 0)
        test_skip("root without the right to mount cannot make a read-only folder");
    small_make(p->ctx, p->path, 4, 9000);
    bool made = make_read_only(p->folder, true);
    uint64_t hash;
    int64_t notes = 0, problems = -1;
    mry_store *store = NULL;
    marey_status opened =
        mry_store_open(p->ctx, p->path, MRY_STORE_READ, &small_schema, &store, &test_error);
    marey_status dumped = opened == MAREY_OK ? small_dump(store, &hash, &notes) : opened;
    if (opened == MAREY_OK) problems = small_problems(store);
    mry_store_close(store);
    marey_status write =
        mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, &small_schema, &store, &test_error);
    int entries = test_folder_count(p->folder);
    make_read_only(p->folder, false);
    if (root) umount(p->folder);
    assert_true(made);
    test_ok(dumped);
    assert_int_equal(notes, 4);
    assert_int_equal(problems, 0);
    assert_int_equal(write, MAREY_ERR_INPUT);
    assert_int_equal(entries, 1);
}

/* ---- creating -------------------------------------------------------------------------------- */

SMALL_CASE(several_that_create_at_once_get_the_same_store)
{
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
    int64_t notes;
    small_hash(p->ctx, p->path, &notes);
    assert_int_equal(notes, 3 * CHILDREN);
    assert_int_equal(test_folder_count(p->folder), 1);
}

SMALL_CASE(a_new_store_is_on_the_disk_before_its_name_and_the_name_before_it_is_used)
{
    struct stat about;
    syncing.path = p->path;
    syncing.fails = true;
    expect_refusal(p, p->path, MRY_STORE_CREATE, &small_schema, MAREY_ERR_IO, "");
    assert_int_equal(test_folder_count(p->folder), 0);
    syncing.fails = false;
    for (int first = 0; first < 2; first++) { /* the second time by the handle 0 */
        int input = first ? dup(STDIN_FILENO) : -1;
        if (first) close(STDIN_FILENO);
        syncing.nameless_bytes = syncing.folders_after = 0;
        unlink(p->path);
        int handles = test_folder_count("/proc/self/fd");
        marey_status made = mry_store_make(p->ctx, p->path, &small_schema, &test_error);
        assert_int_equal(test_folder_count("/proc/self/fd"), handles);
        if (input >= 0) {
            dup2(input, STDIN_FILENO);
            close(input);
        }
        test_ok(made);
        assert_int_equal(stat(p->path, &about), 0);
        assert_true(about.st_size > 0 && syncing.nameless_bytes == about.st_size);
        assert_int_equal(syncing.folders_after, 1);
        assert_int_equal(small_problems_at(p->ctx, p->path), 0);
    }
    syncing.path = NULL;
}

/* ---- SQL inside a store ---------------------------------------------------------------------- */

/* As another program would that knows of page sums and of nothing else. */
static void change_behind(small_place *p, const char *sql)
{
    OWNED(mry_arena) tmp = mry_arena_make(p->ctx);
    sqlite3 *db = NULL;
    assert_int_equal(mry_connect(&tmp, p->path, SQLITE_OPEN_READWRITE, "", &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

SMALL_CASE(a_schema_that_differs_is_refused_and_says_how)
{
    static const char *const rows[][2] = {
        { "CREATE TRIGGER evil AFTER INSERT ON note BEGIN DELETE FROM counter; END",
          "the library's schema has an unexpected trigger evil" },
        { "DROP TRIGGER evil; DROP TABLE counter; CREATE VIEW counter AS SELECT 0 AS notes",
          "the library's schema has an unexpected view counter (and 1 more difference)" },
        { "DROP VIEW counter", "the library's schema lacks the table counter" },
        { "CREATE TABLE counter (notes TEXT NOT NULL)",
          "the library's schema has a changed table counter" },
    };
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        change_behind(p, rows[i][0]);
        for (int mode = MRY_STORE_READ; mode <= MRY_STORE_CREATE; mode++)
            expect_refusal(p, p->path, mode, &small_schema, MAREY_ERR_INPUT, rows[i][1]);
        expect_refusal(p, p->path, MRY_STORE_WRITE, &small_schema_2, MAREY_ERR_INPUT, rows[i][1]);
    }
    change_behind(p, "DROP TABLE counter; CREATE TABLE  counter (notes\n INTEGER NOT NULL) ;"
                     "INSERT INTO counter VALUES (0); ANALYZE");
    assert_int_equal(small_problems_at(p->ctx, p->path), 0);
}

/* White space is part of a name or a text, and of nothing else. */
SMALL_CASE(blanks_count_inside_quotes_only)
{
    static const char same[] =
        "CREATE TABLE [a  b] (\"c  d\"  TEXT\tDEFAULT 'it''s  e',\n`f  g` INTEGER )";
    static const struct {
        const char *sql;
        bool fits;
    } rows[] = {
        { same, true },
        { "CREATE TABLE\n\n [a  b](\"c  d\" TEXT DEFAULT 'it''s  e',\r\n\f`f  g` INTEGER)", false },
        { "CREATE TABLE [a  b] (\"c  d\" TEXT  DEFAULT\n'it''s  e', `f  g`\r\f INTEGER )  ", true },
        { "CREATE TABLE [a b] (\"c  d\" TEXT DEFAULT 'it''s  e', `f  g` INTEGER )", false },
        { "CREATE TABLE [a  b] (\"c d\" TEXT DEFAULT 'it''s  e', `f  g` INTEGER )", false },
        { "CREATE TABLE [a  b] (\"c  d\" TEXT DEFAULT 'it''s e', `f  g` INTEGER )", false },
        { "CREATE TABLE [a  b] (\"c  d\" TEXT DEFAULT 'it''s  e', `f g` INTEGER )", false },
    };
    const char *const steps[] = { same };
    const mry_schema wanted = { 0x736d616c, 1, steps };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mry_store *store = NULL;
        const char *const made[] = { rows[i].sql };
        const mry_schema other = { 0x736d616c, 1, made };
        unlink(p->path);
        test_ok(mry_store_open(p->ctx, p->path, MRY_STORE_CREATE, &other, &store, &test_error));
        mry_store_close(store);
        if (!rows[i].fits)
            expect_refusal(p, p->path, MRY_STORE_READ, &wanted, MAREY_ERR_INPUT,
                           "the library's schema ");
        if (rows[i].fits)
            test_ok(mry_store_open(p->ctx, p->path, MRY_STORE_READ, &wanted, &store, &test_error));
        if (rows[i].fits) mry_store_close(store);
    }
}

/* SQLite's own list of objects may be forged, row by row; SQLite believes some of that. */
SMALL_CASE(a_forged_list_of_objects_is_refused)
{
    static const char *const forged[] = {
        "UPDATE sqlite_schema SET sql = '' WHERE name = 'sqlite_autoindex_note_1'",
        "UPDATE sqlite_schema SET tbl_name = 'counter' WHERE name = 'sqlite_autoindex_note_1'",
        "UPDATE sqlite_schema SET type = 'table' WHERE name = 'sqlite_autoindex_note_1'",
        "UPDATE sqlite_schema SET type = 'table', tbl_name = name WHERE name ="
        " 'sqlite_autoindex_note_1'",
        "UPDATE sqlite_schema SET type = NULL WHERE name = 'counter'",
        "UPDATE sqlite_schema SET tbl_name = NULL WHERE name = 'counter'",
        "UPDATE sqlite_schema SET name = NULL WHERE name = 'counter'",
        "UPDATE sqlite_schema SET sql = NULL WHERE name = 'counter'",
        "UPDATE sqlite_schema SET type = 'nonsense', name = 'x' || char(10) WHERE name = 'counter'",
        "UPDATE sqlite_schema SET tbl_name = 'note' WHERE name = 'sqlite_stat1'",
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat,more)' WHERE name ="
        " 'sqlite_stat1'",
        "UPDATE sqlite_schema SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4',"
        " sql = 'CREATE TABLE sqlite_stat4(tbl)' WHERE name = 'sqlite_stat1'",
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE counter (notes INTEGER NOT NULL) ' || '' ||"
        " printf('%.*c', 70000, ' ') WHERE name = 'counter'", /* larger than any of ours */
        "PRAGMA user_version = 0",
        "CREATE TABLE more (x); CREATE TABLE again (x); CREATE TABLE and_again (x)",
    };
    size_t count;
    small_make(p->ctx, p->path, 3, 100);
    change_behind(p, "ANALYZE");
    FREED char *sound = test_file_read(p->path, &count);
    assert_int_equal(small_problems_at(p->ctx, p->path), 0);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        char sql[500];
        test_library_restore(p->path, sound, count);
        snprintf(sql, sizeof sql, "PRAGMA writable_schema = ON; %s", forged[i]);
        change_behind(p, sql);
        for (int mode = MRY_STORE_READ; mode <= MRY_STORE_WRITE; mode++)
            expect_refusal(p, p->path, mode, &small_schema, MAREY_ERR_INPUT, "");
    }
}

/* All that is a library about it is its number. */
SMALL_CASE(a_database_with_our_number_is_not_ours_by_that)
{
    static const char *const pages[] = { "4096", "8192" };
    for (int i = 0; i < 4; i++) {
        char sql[300], log[320];
        sqlite3 *db = NULL;
        snprintf(log, sizeof log, "%s-wal", p->path);
        snprintf(sql, sizeof sql,
                 "PRAGMA page_size = %s; PRAGMA application_id = %d; PRAGMA journal_mode = WAL;"
                 "CREATE TABLE t(x)",
                 pages[i % 2], small_schema.application_id);
        unlink(p->path);
        unlink(log);
        assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
        if (i < 2) sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        assert_int_equal(access(log, F_OK) == 0, i < 2);
        expect_refusal(p, p->path, MRY_STORE_READ, &small_schema, MAREY_ERR_INPUT, "");
        if (i >= 2)
            assert_string_equal(test_error.message,
                                i % 2 ? "not a marey library"
                                      : "the header is damaged; run marey verify");
    }
}

/* One that is open and was compared lends its list, if it is of the same version. */
SMALL_CASE(a_store_is_opened_beside_another_of_any_version)
{
    int64_t notes = 0;
    uint64_t hash;
    char older[320];
    snprintf(older, sizeof older, "%s/older", p->folder);
    small_make(p->ctx, p->path, 3, 100);
    test_file_copy(p->path, older);
    mry_store *store = NULL;
    test_ok(mry_store_open(p->ctx, p->path, MRY_STORE_WRITE, &small_schema_2, &store, &test_error));
    OWNED(mry_store) *first = store;
    change_behind(p, "ANALYZE"); /* which is no part of the list */
    const char *const paths[] = { p->path, older };
    for (int mode = MRY_STORE_READ; mode <= MRY_STORE_KEEP; mode++) {
        for (int i = 0; i < 2; i++) {
            if (mode == MRY_STORE_CREATE || (i && mode == MRY_STORE_WRITE)) continue;
            test_ok(mry_store_open_beside(p->ctx, first, paths[i], mode, &small_schema_2, &store,
                                          &test_error));
            /* An older one that is only kept if it is up to date is read, as it will be. */
            assert_int_equal(mry_store_can_write(store), i == 0 && mode != MRY_STORE_READ);
            test_ok(small_dump(store, &hash, &notes));
            assert_true(mry_store_clear_log(store) && !mry_store_log_pending(store));
            mry_store_close(store);
            assert_int_equal(notes, 3);
        }
    }
}

/* What another program puts into a store that is open already is found by verify, and is not
   run. */
SMALL_CASE(triggers_and_views_are_not_run_whenever_they_came)
{
    uint64_t hash;
    int64_t notes = 0;
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 2, 300, NULL));
    assert_int_equal(small_problems(store), 0);
    change_behind(p, "CREATE TRIGGER evil AFTER INSERT ON note BEGIN DELETE FROM counter; END");
    test_ok(small_add(store, 3, 300, NULL));
    test_ok(small_dump(store, &hash, &notes));
    assert_int_equal(notes, 5);
    assert_int_equal(small_problems(store), 1);
    change_behind(p, "DROP TRIGGER evil; ALTER TABLE counter RENAME TO kept;"
                     "CREATE VIEW counter AS WITH RECURSIVE r(notes) AS (SELECT 5 UNION ALL"
                     " SELECT notes + 1 FROM r) SELECT max(notes) AS notes FROM r");
    assert_int_equal(small_dump(store, &hash, &notes), MAREY_ERR_INPUT);
    assert_int_equal(small_problems(store), 3);
}

SMALL_CASE(nothing_is_written_past_sql)
{
    static const char *const forbidden[] = {
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '' WHERE name = 'counter'",
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
        "CREATE VIRTUAL TABLE temp.words USING fts5(x); DELETE FROM temp.words_data",
    };
    uint64_t hash;
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 2, 300, NULL));
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        test_refused_about(mry_store_run(store, forbidden[i], &test_error), MAREY_ERR_INPUT,
                           "may not be modified");
    }
    test_ok(mry_store_run(store, "PRAGMA journal_mode = OFF", NULL));
    mry_query mode = mry_query_start(store, "PRAGMA journal_mode");
    assert_true(mry_query_next(&mode));
    assert_string_equal(mry_column_text(&mode, 0), "wal");
    test_ok(mry_query_end(&mode, NULL));
    test_ok(small_dump(store, &hash, NULL));
    mry_store_close(store);
    assert_int_equal(small_problems_at(p->ctx, p->path), 0);
}

/* ---- what is gone ---------------------------------------------------------------------------- */

/* Short texts inside a page, long ones on pages of their own. */
SMALL_CASE(what_is_deleted_or_overwritten_is_not_in_the_bytes_any_more)
{
    size_t count;
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 1, 100, NULL));
    test_ok(mry_store_run(store,
                          "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x <"
                          " 300) INSERT INTO note (text, blob) SELECT printf('secret%d-%.*c', x,"
                          " CASE x % 50 WHEN 0 THEN 9000 ELSE x % 70 END, 'z'), 1 FROM n",
                          NULL));
    mry_store_close(store);
    char *bytes = test_file_read(p->path, &count);
    assert_non_null(memmem(bytes, count, "secret150-zzzz", 14));
    free(bytes);
    store = small_open(p->ctx, p->path, MRY_STORE_WRITE);
    test_ok(mry_store_run(store,
                          "DELETE FROM note WHERE text LIKE 'secret%' AND id % 2;"
                          "UPDATE note SET text = 'x' || id WHERE text LIKE 'secret%'",
                          NULL));
    mry_store_close(store);
    bytes = test_file_read(p->path, &count);
    assert_null(memmem(bytes, count, "secret", 6));
    assert_null(memmem(bytes, count, "zzzzzzzz", 8));
    free(bytes);
}

TEST_GROUP_OF_CASES(test_store_files, NULL, NULL)
