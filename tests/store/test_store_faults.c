/* test_store_faults.c - the store over a disk that fails and memory that is refused: each call in
   turn, once and from then on. Whatever fails says so, holds nothing afterwards, and leaves a file
   that verifies and holds what was there before or after. */
#include "library_bench.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_store.h"
#include "sqlite_faults.h"

enum { NOTES = 6, MORE = 4 };

typedef struct bench {
    test_memory memory; /* ours */
    test_sqlite_memory *sqlite;
    test_disk *disk;
    marey_ctx *ctx;
    long idle;
    char folder[256];
    char path[300];
    char *original;
    size_t original_count;
    uint64_t before, after; /* hashes of what is in it */
    int failures, survived;
} bench;

static bench the_bench;

static int bench_make(void **state)
{
    bench *b = *state = &the_bench;
    b->sqlite = test_sqlite_memory_install();
    b->disk = test_disk_install();
    test_disk_heal();
    b->memory.refuse = -1;
    b->ctx = test_ctx_refusing(&b->memory);
    b->idle = b->memory.live;
    test_folder_make(b->folder, sizeof b->folder);
    snprintf(b->path, sizeof b->path, "%.255s/small.marey", b->folder);
    small_make(b->ctx, b->path, NOTES, 5000);
    b->original = test_file_read(b->path, &b->original_count);
    b->before = small_hash(b->ctx, b->path, NULL);
    small_make(b->ctx, b->path, MORE, 20000);
    b->after = small_hash(b->ctx, b->path, NULL);
    return 0;
}

static int bench_free(void **state)
{
    bench *b = *state;
    free(b->original);
    test_folder_remove(b->folder);
    marey_ctx_close(b->ctx);
    return b->memory.live == 0 ? 0 : -1;
}

/* ---- one run --------------------------------------------------------------------------------- */

/* Opens, adds, reads it all, verifies, closes. *committed says whether the store promised that it
   is in. */
static marey_status use(bench *b, bool *committed)
{
    OWNED(mry_store) *store = NULL;
    marey_error error = { 0 };
    uint64_t hash;
    *committed = false;
    marey_status status =
        mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &small_schema, &store, &error);
    if (status == MAREY_OK) {
        status = small_add(store, MORE, 20000, &error);
        *committed = status == MAREY_OK;
    }
    if (status != MAREY_OK) assert_true(error.status == status && error.message[0]);
    if (status == MAREY_OK) status = small_dump(store, &hash, NULL);
    if (status == MAREY_OK) {
        int64_t problems = 0;
        mry_verify_def def = { 0 };
        status = mry_store_verify(store, &def, &problems, &error);
        if (status == MAREY_OK && problems) status = MAREY_ERR_IO;
    }
    return status;
}

static void expect_nothing_held(bench *b)
{
    assert_int_equal(b->memory.live, b->idle);
    assert_int_equal(b->sqlite->live, 0);
    assert_int_equal(sqlite3_memory_used(), 0);
    assert_int_equal(b->disk->open_files, 0);
}

static void expect_before_or_after(bench *b, bool committed)
{
    uint64_t hash = small_hash(b->ctx, b->path, NULL);
    if (hash != b->after && (committed || hash != b->before)) fail_msg("neither before nor after");
    assert_int_equal(small_problems_at(b->ctx, b->path), 0);
    assert_int_equal(test_folder_count(b->folder), 1);
}

static void judge(bench *b, marey_status status, bool committed)
{
    b->failures += status != MAREY_OK;
    b->survived += status == MAREY_OK;
    expect_nothing_held(b);
    test_disk_heal();
    b->memory.refuse = b->sqlite->refuse = -1;
    expect_before_or_after(b, committed);
    test_library_restore(b->path, b->original, b->original_count);
}

/* ---- the disk -------------------------------------------------------------------------------- */

/* The calls of these kinds in a run where nothing fails. */
static long count_calls(bench *b, int kinds)
{
    bool committed;
    test_library_restore(b->path, b->original, b->original_count);
    test_disk_heal();
    b->disk->kinds = kinds;
    test_ok(use(b, &committed));
    long calls = b->disk->calls;
    test_disk_heal();
    test_library_restore(b->path, b->original, b->original_count);
    return calls;
}

/* A call fails once, or with all that follow: the one or the other, and both with MAREY_LONG. */
static bool is_left_out(long call, bool lasting)
{
    return !test_is_long() && (call / 2 + call) % 2 != lasting;
}

static void fail_each(bench *b, int kinds, bool full)
{
    long calls = count_calls(b, kinds);
    b->failures = b->survived = 0;
    for (long n = 0; n < calls; n = test_next(n)) {
        for (int lasting = 0; lasting < 2; lasting++) {
            bool committed;
            if (is_left_out(n, lasting)) continue;
            test_disk_heal();
            b->disk->kinds = kinds;
            b->disk->fail = n;
            b->disk->from_then_on = lasting;
            b->disk->full = full;
            marey_status status = use(b, &committed);
            assert_int_not_equal(status, MAREY_ERR_DAMAGED); /* what was not read is not damaged */
            judge(b, status, committed);
        }
    }
    print_message("%ld calls: %d runs failed, %d did not need the call\n", calls, b->failures,
                  b->survived);
    assert_true(b->failures > 0);
}

TEST(every_write_fails_in_turn)
{
    fail_each(*state, TEST_DISK_WRITE, false);
}

TEST(every_write_finds_the_disk_full_in_turn)
{
    fail_each(*state, TEST_DISK_WRITE | TEST_DISK_TRUNCATE, true);
}

TEST(every_sync_and_truncation_fails_in_turn)
{
    fail_each(*state, TEST_DISK_SYNC, false);
    fail_each(*state, TEST_DISK_TRUNCATE | TEST_DISK_DELETE | TEST_DISK_SIZE, false);
}

TEST(every_read_fails_in_turn)
{
    fail_each(*state, TEST_DISK_READ, false);
}

TEST(every_open_lock_and_mapping_fails_in_turn)
{
    fail_each(*state, TEST_DISK_OPEN, false);
    fail_each(*state, TEST_DISK_SHM, false);
    fail_each(*state, TEST_DISK_LOCK, false);
}

typedef struct told {
    int pages, failed, damaged;
} told;

static void count_told(void *user, const char *problem)
{
    told *t = user;
    bool page = strncmp(problem, "page ", 5) == 0;
    t->pages += page;
    t->failed += page && strstr(problem, "does not read: the disk failed") != NULL;
    t->damaged += page && strstr(problem, " is damaged") != NULL;
}

/* Pages are read many at a time, then one by one where that fails: once, or always. */
TEST_OF(bench *b, a_check_says_which_pages_do_not_read)
{
    enum { PAGE = 4096, DAMAGED = 5 };
    int pages = (int)(b->original_count / PAGE);
    FREED char *bytes = malloc(b->original_count);
    memcpy(bytes, b->original, b->original_count);
    bytes[DAMAGED * PAGE + 9] ^= 1;
    test_library_restore(b->path, bytes, b->original_count);
    for (int lasting = 0; lasting < 2; lasting++) {
        told t = { 0 };
        int64_t problems = 0;
        mry_verify_def def = { .found = count_told, .user = &t };
        test_disk_heal();
        b->disk->kinds = TEST_DISK_READ;
        b->disk->fail = 1; /* behind the header, which is looked at when the file is opened */
        b->disk->from_then_on = lasting;
        test_ok(mry_store_verify_pages(b->ctx, b->path, &def, &problems, &test_error));
        assert_int_equal(t.damaged, !lasting);
        assert_int_equal(t.failed, lasting ? pages : 0);
        assert_int_equal(problems, lasting ? pages : 1);
    }
    test_disk_heal();
    test_library_restore(b->path, b->original, b->original_count);
}

TEST_OF(bench *b, a_full_disk_is_called_that)
{
    test_library_restore(b->path, b->original, b->original_count);
    mry_store *store = small_open(b->ctx, b->path, MRY_STORE_WRITE);
    *b->disk = (test_disk){ .kinds = TEST_DISK_WRITE,
                            .fail = 0,
                            .from_then_on = true,
                            .full = true,
                            .open_files = b->disk->open_files };
    test_refused(small_add(store, 1, 9000, &test_error), MAREY_ERR_IO, "the disk is full");
    assert_string_equal(test_error.path, b->path);
    test_disk_heal();
    test_ok(small_add(store, 1, 9000, &test_error));
    mry_store_close(store);
    test_library_restore(b->path, b->original, b->original_count);
}

/* ---- kills at every write -------------------------------------------------------------------- */

TEST_OF(bench *b, a_kill_in_front_of_every_call_leaves_before_or_after)
{
    int kinds = TEST_DISK_WRITE | TEST_DISK_SYNC | TEST_DISK_TRUNCATE | TEST_DISK_DELETE;
    long calls = count_calls(b, kinds);
    print_message("%ld kills\n", calls);
    for (long n = 0; n < calls; n = test_next(n)) {
        pid_t child = fork();
        if (child == 0) {
            bool committed;
            *b->disk = (test_disk){ .kinds = kinds, .fail = n, .kill = true };
            use(b, &committed);
            _exit(0);
        }
        int how;
        waitpid(child, &how, 0);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
        expect_before_or_after(b, false);
        test_library_restore(b->path, b->original, b->original_count);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void refuse_each(bench *b, long *calls, long *refuse, bool *from_then_on)
{
    bool committed;
    long most = 0;
    for (long n = -1; n < most; n = test_next(n)) { /* -1: none is refused, all are counted */
        for (int lasting = 0; lasting < 2; lasting++) {
            if (n >= 0 && is_left_out(n, lasting)) continue;
            *calls = 0;
            *refuse = n;
            *from_then_on = lasting;
            marey_status status = use(b, &committed);
            if (n < 0) most = *calls;
            if (n < 0) test_ok(status);
            assert_true(status == MAREY_OK || status == MAREY_ERR_MEMORY);
            if (n >= 0 && calls == &b->memory.calls) assert_int_equal(status, MAREY_ERR_MEMORY);
            judge(b, status, committed);
        }
    }
    print_message("%ld allocations\n", most);
}

TEST_OF(bench *b, every_allocation_of_sqlite_is_refused_in_turn)
{
    refuse_each(b, &b->sqlite->calls, &b->sqlite->refuse, &b->sqlite->from_then_on);
}

TEST_OF(bench *b, every_allocation_of_ours_is_refused_in_turn)
{
    refuse_each(b, &b->memory.calls, &b->memory.refuse, &b->memory.from_then_on);
}

TEST_OF(bench *b, creating_without_memory_leaves_nothing)
{
    char path[320];
    snprintf(path, sizeof path, "%.255s/new.marey", b->folder);
    for (int whose = 0; whose < 2; whose++) {
        marey_status status = MAREY_ERR_MEMORY;
        for (long n = 0; status != MAREY_OK; n++) {
            mry_store *store = NULL;
            b->sqlite->calls = b->memory.calls = 0;
            *(whose ? &b->sqlite->refuse : &b->memory.refuse) = n;
            b->sqlite->from_then_on = b->memory.from_then_on = false;
            status = mry_store_open(b->ctx, path, MRY_STORE_CREATE, &small_schema, &store, NULL);
            assert_true(status == MAREY_OK || status == MAREY_ERR_MEMORY);
            mry_store_close(store);
            b->sqlite->refuse = b->memory.refuse = -1;
            expect_nothing_held(b);
            if (access(path, F_OK) == 0) assert_int_equal(small_problems_at(b->ctx, path), 0);
            unlink(path);
            assert_int_equal(test_folder_count(b->folder), 1);
        }
    }
}

/* ---- migrations ------------------------------------------------------------------------------ */

static marey_status migrate(bench *b)
{
    mry_store *store = NULL;
    marey_error error = { 0 };
    marey_status status =
        mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &small_schema_2, &store, &error);
    mry_store_close(store);
    if (status) assert_true(error.status == status && error.message[0]);
    if (status && b->disk->full) assert_string_equal(error.message, "the disk is full");
    return status;
}

/* Whatever failed, a writer brings it up to date next, with all that was in it and nothing
   beside it. */
static void judge_migration(bench *b)
{
    uint64_t hash;
    expect_nothing_held(b);
    test_disk_heal();
    b->memory.refuse = b->sqlite->refuse = -1;
    mry_store *store = NULL;
    test_ok(mry_store_open(b->ctx, b->path, MRY_STORE_WRITE, &small_schema_2, &store, &test_error));
    test_ok(small_dump(store, &hash, NULL));
    assert_int_equal(small_problems(store), 0);
    mry_store_close(store);
    assert_int_equal(hash, b->before);
    assert_int_equal(test_folder_count(b->folder), 1);
    test_library_restore(b->path, b->original, b->original_count);
}

static void migrate_with_each_failure(bench *b, int kinds, bool full)
{
    long calls = 1, failures = 0;
    test_library_restore(b->path, b->original, b->original_count);
    for (long n = -1; n < calls; n = test_next(n)) {
        for (int lasting = 0; lasting < 2; lasting++) {
            if (n >= 0 && is_left_out(n, lasting)) continue;
            test_disk_heal();
            b->disk->kinds = kinds;
            b->disk->fail = n;
            b->disk->from_then_on = lasting;
            b->disk->full = full;
            marey_status status = migrate(b);
            failures += status != MAREY_OK;
            assert_true(status == MAREY_OK || status == MAREY_ERR_IO); /* never damaged */
            if (n < 0) calls = b->disk->calls;
            judge_migration(b);
        }
    }
    assert_true(failures > 0);
}

TEST(a_migration_loses_nothing_where_the_disk_fails)
{
    migrate_with_each_failure(*state, TEST_DISK_WRITE | TEST_DISK_TRUNCATE, true);
    migrate_with_each_failure(*state, TEST_DISK_WRITE, false);
    migrate_with_each_failure(*state, TEST_DISK_SYNC | TEST_DISK_TRUNCATE | TEST_DISK_SIZE, false);
    migrate_with_each_failure(*state, TEST_DISK_READ, false);
    migrate_with_each_failure(*state, TEST_DISK_OPEN | TEST_DISK_SHM | TEST_DISK_LOCK, false);
}

TEST_OF(bench *b, a_migration_loses_nothing_where_memory_is_refused)
{
    long *calls[] = { &b->sqlite->calls, &b->memory.calls };
    long *refuse[] = { &b->sqlite->refuse, &b->memory.refuse };
    bool *from_then_on[] = { &b->sqlite->from_then_on, &b->memory.from_then_on };
    test_library_restore(b->path, b->original, b->original_count);
    for (int whose = 0; whose < 2; whose++) {
        long most = 1;
        for (long n = -1; n < most; n = test_next(n)) {
            *calls[whose] = 0;
            *refuse[whose] = n;
            *from_then_on[whose] = n % 2 == 1;
            marey_status status = migrate(b);
            if (n < 0) most = *calls[whose];
            assert_true(status == MAREY_OK || status == MAREY_ERR_MEMORY);
            judge_migration(b);
        }
    }
}

TEST_OF(bench *b, a_kill_in_front_of_every_call_of_a_migration_loses_nothing)
{
    int kinds = TEST_DISK_WRITE | TEST_DISK_SYNC | TEST_DISK_TRUNCATE | TEST_DISK_DELETE, how = 0;
    test_library_restore(b->path, b->original, b->original_count);
    for (long n = 0; n == 0 || WIFSIGNALED(how); n = test_next(n)) {
        pid_t child = fork();
        if (child == 0) {
            *b->disk = (test_disk){ .kinds = kinds, .fail = n, .kill = true };
            _exit(migrate(b) != MAREY_OK);
        }
        waitpid(child, &how, 0);
        assert_true(WIFSIGNALED(how) ? WTERMSIG(how) == SIGKILL : WEXITSTATUS(how) == 0);
        judge_migration(b);
    }
}

/* ---- verify ---------------------------------------------------------------------------------- */

static void look_for_the_disk(void *user, const char *problem)
{
    bool *said = user;
    *said |= strstr(problem, "the disk failed") || strstr(problem, "cannot read this library");
}

/* What SQLite says of a page that it did not get reads like damage. */
TEST_OF(bench *b, a_verify_over_a_disk_that_does_not_read_says_that_it_failed)
{
    int times = 0;
    test_library_restore(b->path, b->original, b->original_count);
    bool reached = true;
    for (long n = 0; reached; n = test_next(n)) {
        bool said = false;
        int64_t problems = 0;
        mry_verify_def def = { .found = look_for_the_disk, .user = &said };
        OWNED(mry_store) *store = NULL;
        test_disk_heal();
        test_ok(
            mry_store_open(b->ctx, b->path, MRY_STORE_READ, &small_schema, &store, &test_error));
        b->disk->kinds = TEST_DISK_READ;
        b->disk->fail = n;
        b->disk->calls = 0;
        marey_status status = mry_store_verify(store, &def, &problems, &test_error);
        reached = b->disk->calls > n;
        assert_true(status == MAREY_OK || status == MAREY_ERR_IO);
        assert_true(said == (status == MAREY_OK && problems > 0));
        times += said;
    }
    test_disk_heal();
    assert_true(times > 0);
}

TEST_OF(bench *b, a_verify_without_memory_finds_nothing_in_a_sound_store)
{
    test_library_restore(b->path, b->original, b->original_count);
    small_make(b->ctx, b->path, 3 * MORE, 20000); /* more pages than SQLite has room for at once */
    b->sqlite->from_then_on = false;
    bool reached = true;
    for (long n = 0; reached; n += test_is_long() ? 1 : 9) {
        int64_t problems = 0;
        mry_verify_def def = { 0 };
        OWNED(mry_store) *store = small_open(b->ctx, b->path, MRY_STORE_READ);
        b->sqlite->calls = 0;
        b->sqlite->refuse = n;
        marey_status status = mry_store_verify(store, &def, &problems, &test_error);
        reached = b->sqlite->calls > n;
        b->sqlite->refuse = -1;
        if (status != MAREY_ERR_MEMORY && (status || problems))
            fail_msg("allocation %ld: %d, %d problems", n, (int)status, (int)problems);
    }
}

/* ---- a really full disk ---------------------------------------------------------------------- */

static void fill_up(const char *folder)
{
    char path[320];
    static const char block[512];
    snprintf(path, sizeof path, "%s/filler", folder);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    while (write(file, block, sizeof block) > 0) {
    }
    close(file);
}

TEST_OF(bench *b, a_really_full_disk_loses_nothing_that_was_committed)
{
    char folder[256], path[300], filler[300];
    test_folder_make(folder, sizeof folder);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=512k") != 0) {
        test_folder_remove(folder);
        test_skip("a small disk needs the right to mount");
    }
    snprintf(path, sizeof path, "%s/full.marey", folder);
    snprintf(filler, sizeof filler, "%s/filler", folder);
    fill_up(folder);
    mry_store *store = NULL;
    marey_error error = { 0 };
    marey_status created =
        mry_store_open(b->ctx, path, MRY_STORE_CREATE, &small_schema, &store, &error);
    int entries = test_folder_count(folder);
    unlink(filler);
    store = small_open(b->ctx, path, MRY_STORE_CREATE);
    int64_t committed = 0, notes = 0;
    marey_error full = { 0 };
    while (small_add(store, 1, 20000, &full) == MAREY_OK) committed++;
    mry_store_close(store);
    store = small_open(b->ctx, path, MRY_STORE_READ);
    uint64_t hash;
    marey_status dumped = small_dump(store, &hash, &notes);
    mry_store_close(store);
    int64_t problems = small_problems_at(b->ctx, path);
    fill_up(folder);
    int64_t problems_when_full = small_problems_at(b->ctx, path); /* reading needs no room */
    umount(folder);
    test_folder_remove(folder);
    assert_int_equal(created, MAREY_ERR_IO);
    assert_string_equal(error.message, "the disk is full");
    assert_int_equal(entries, 1);
    assert_int_equal(full.status, MAREY_ERR_IO);
    assert_string_equal(full.message, "the disk is full");
    assert_string_equal(full.path, path);
    test_ok(dumped);
    assert_true(committed > 3 && notes == committed);
    assert_int_equal(problems, 0);
    assert_int_equal(problems_when_full, 0);
    expect_nothing_held(b);
}

TEST_GROUP_OF_CASES(test_store_faults, bench_make, bench_free)
