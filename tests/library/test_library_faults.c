/* test_library_faults.c - a library whose disk fails, whose memory is refused below SQLite, and
   whose program is killed, at every call in turn: what is there afterwards is what was before or
   what was to be, and verifies. */
#include "library_bench.h"
#include "sqlite_faults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE = 2, MOST = 80 };

typedef struct place {
    char folder[256];
    char base[300]; /* a library of BEFORE clips, never changed */
    char path[300]; /* its copy, which is worked on */
    char *bytes;    /* of base */
    size_t size;
    char files[MOST][600];
    const char *paths[MOST];
    int file_count;
} place;

static place *make_place(int file_count)
{
    place *p = calloc(1, sizeof *p);
    OWNED(marey_ctx) *ctx = test_ctx();
    marey_library *library;
    test_folder_make(p->folder, sizeof p->folder);
    snprintf(p->base, sizeof p->base, "%s/base.marey", p->folder);
    snprintf(p->path, sizeof p->path, "%s/moves.marey", p->folder);
    p->file_count = file_count;
    for (int i = 0; i < file_count + BEFORE; i++) {
        FREED char *text = test_person(4 + 3 * i);
        snprintf(p->files[i], sizeof p->files[i], "%s/take%02d.bvh", p->folder, i);
        test_file_write(p->files[i], text, strlen(text));
        p->paths[i] = p->files[i];
    }
    test_ok(marey_library_open(ctx, p->base, MAREY_LIBRARY_CREATE, &library, &test_error));
    test_ok(marey_library_add(library, p->paths + file_count, BEFORE, NULL, &test_error));
    marey_library_close(library);
    p->bytes = test_file_read(p->base, &p->size);
    return p;
}

static void free_place(place *p)
{
    test_folder_remove(p->folder);
    free(p->bytes);
    free(p);
}

/* How many clips there are once everything works again; fails the test if the library does not
   verify. */
static int look_afterwards(const place *p, double *open_s)
{
    test_library f = { .ctx = test_ctx() };
    snprintf(f.path, sizeof f.path, "%s", p->path);
    double start = test_seconds();
    test_library_open(&f, MAREY_LIBRARY_WRITE);
    if (open_s) *open_s = test_seconds() - start;
    int count = test_library_count(&f, NULL);
    test_library_close(&f);
    test_library_sound(&f);
    marey_ctx_close(f.ctx);
    return count;
}

static void expect_before_or_after(const place *p, int count)
{
    if (count != BEFORE && count != BEFORE + p->file_count) {
        fail_msg("%d clips: neither the %d before nor the %d after", count, BEFORE,
                 BEFORE + p->file_count);
    }
}

/* ---- what is tried --------------------------------------------------------------------------- */

static marey_status do_add(marey_library *library, const place *p, marey_error *error)
{
    return marey_library_add(library, p->paths, p->file_count, NULL, error);
}

static marey_status do_list(marey_library *library, const place *p, marey_error *error)
{
    OWNED(marey_listing) *listing = NULL;
    (void)p;
    return marey_library_list(library, &(marey_list_def){ .text = "take" }, &listing, error);
}

static marey_status do_cut(marey_library *library, const place *p, marey_error *error)
{
    (void)p;
    return marey_library_cut(library, "#1", 1, 4, "part", NULL, 0, error);
}

static marey_status do_load(marey_library *library, const place *p, marey_error *error)
{
    OWNED(marey_clip) *clip = NULL;
    (void)p;
    return marey_library_load(library, "#1", &clip, error);
}

static marey_status do_keep(marey_library *library, const place *p, marey_error *error)
{
    static const char picture[9000] = "several pages";
    int64_t version = 0;
    size_t count = 0;
    (void)p;
    marey_status status = marey_library_version(library, &version, error);
    if (!status) {
        status = marey_library_keep_picture(library, 1, "strip", version, picture, sizeof picture,
                                            error);
    }
    if (!status) status = marey_library_picture(library, 1, "strip", NULL, 0, &count, error);
    if (!status) assert_int_equal(count, sizeof picture);
    return status;
}

/* A thing of several pages, put in, replaced, read and forgotten. */
static marey_status do_thing(marey_library *library, const place *p, marey_error *error)
{
    static const marey_part part = { 1, 0, 4 };
    static const marey_keep_def def = { .about = "{}", .parts = &part, .part_count = 1 };
    static char bytes[9000];
    OWNED(marey_kept) *kept = NULL, *list = NULL;
    (void)p;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * i * 37 >> 5);
    marey_status status = marey_library_keep(library, "web", "a", bytes, 100, NULL, error);
    if (!status) status = marey_library_keep(library, "web", "a", bytes, sizeof bytes, &def, error);
    if (!status) status = marey_library_kept(library, "web", "a", &kept, error);
    if (!status) {
        size_t count;
        assert_memory_equal(marey_kept_bytes(kept, &count), bytes, sizeof bytes);
        assert_int_equal(count, sizeof bytes);
        status = marey_library_kept_list(library, NULL, &list, error);
    }
    return status ? status : marey_library_forget(library, "web", "a", error);
}

static marey_status do_restore(marey_library *library, const place *p, marey_error *error)
{
    char name[256];
    const char *names[] = { name };
    (void)p;
    marey_status status = marey_library_name(library, 1, name, sizeof name, NULL, error);
    if (!status) status = marey_library_remove(library, names, 1, error);
    if (!status) status = marey_library_restore_clip(library, 1, name, sizeof name, error);
    return status;
}

/* A repair put on, and both clips examined again; then it is taken off. */
static marey_status do_repair(marey_library *library, const place *p, marey_error *error)
{
    static const marey_repair turn = { .layer = { MAREY_LAYER_TURN, 1, 1, 3, { 0.6, 0.8 } } };
    marey_repair_def put = { .clip = "#1", .add = &turn, .add_count = 1 };
    marey_repair_def take = { .clip = "#1", .drop_set = true };
    marey_conditions *found = NULL;
    (void)p;
    marey_status status = marey_library_repair(library, &put, 1, NULL, error);
    if (!status) status = mry_store_run(library->store, "UPDATE flaw SET edition = 0", error);
    if (!status) status = marey_library_examine(library, NULL, 0, &found, error);
    marey_conditions_free(found);
    return status ? status : marey_library_repair(library, &take, 1, NULL, error);
}

/* A saved thing replaced and a clip cut, all of it undone, redone, and the first step undone by
   itself. */
static marey_status do_undo(marey_library *library, const place *p, marey_error *error)
{
    static const char bytes[5000] = "several pages";
    (void)p;
    marey_status status = marey_library_keep(library, "web", "a", bytes, 100, NULL, error);
    if (!status) status = marey_library_keep(library, "web", "a", bytes, sizeof bytes, NULL, error);
    if (!status) status = marey_library_cut(library, "#1", 1, 4, "part", NULL, 0, error);
    int64_t cut = marey_library_step(library);
    if (!status) status = marey_library_go_to(library, 0, NULL, error);
    if (!status) status = marey_library_go_to(library, cut, NULL, error);
    return status ? status : marey_library_undo(library, 1, NULL, error);
}

/* The first of the two clips that were there before is number 1. Without a deed the library is
   verified. */
static const struct {
    const char *name;
    marey_library_mode mode;
    marey_status (*work)(marey_library *library, const place *p, marey_error *error);
} deeds[] = {
    { "add", MAREY_LIBRARY_WRITE, do_add },       { "list", MAREY_LIBRARY_READ, do_list },
    { "cut", MAREY_LIBRARY_WRITE, do_cut },       { "load", MAREY_LIBRARY_READ, do_load },
    { "keep", MAREY_LIBRARY_WRITE, do_keep },     { "restore", MAREY_LIBRARY_WRITE, do_restore },
    { "verify", MAREY_LIBRARY_READ, NULL },       { "thing", MAREY_LIBRARY_WRITE, do_thing },
    { "repair", MAREY_LIBRARY_WRITE, do_repair }, { "undo", MAREY_LIBRARY_WRITE, do_undo },
};
enum { ADD = 0, UNDO = 9, DEEDS = sizeof deeds / sizeof *deeds };

static marey_status run(marey_ctx *ctx, const place *p, int deed, marey_error *error)
{
    OWNED(marey_library) *library = NULL;
    if (!deeds[deed].work) return marey_library_verify(ctx, p->path, NULL, NULL, NULL, error);
    marey_status status = marey_library_open(ctx, p->path, deeds[deed].mode, &library, error);
    return status ? status : deeds[deed].work(library, p, error);
}

/* Runs a deed and checks that whatever failed was said and nothing of ours is left over. */
static marey_status attempt(const place *p, int deed)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    marey_error error = { 0 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = run(ctx, p, deed, &error);
    if (status) assert_true(error.message[0] != 0);
    return status;
}

static void look_after(const place *p, int deed, marey_status status)
{
    int count = look_afterwards(p, NULL);
    if (deed == ADD) expect_before_or_after(p, count);
    if (deed == ADD && !status) assert_int_equal(count, BEFORE + p->file_count);
}

/* ---- the sweeps ------------------------------------------------------------------------------ */

/* About `most` of so many calls are tried, spread over all; all of them with MAREY_LONG. */
static long stride(long calls, long most)
{
    return test_is_long() || calls < most ? 1 : calls / most;
}

/* One call fails; it and all after it; these because the disk is full. Each begins its strides
   elsewhere. */
TEST(every_failed_write_sync_and_truncate_leaves_before_or_after)
{
    place *p = make_place(6);
    test_disk *disk = test_disk_install();
    for (int deed = 0; deed < DEEDS; deed++) {
        for (int way = 0; way < 3; way++) {
            long calls = 0;
            for (long n = -1; n < calls;) { /* -1: none fails, all are counted */
                test_library_restore(p->path, p->bytes, p->size);
                test_disk_heal();
                disk->kinds = TEST_DISK_WRITE | TEST_DISK_SYNC | TEST_DISK_TRUNCATE;
                disk->fail = n;
                disk->from_then_on = way > 0;
                disk->full = way == 2;
                marey_status status = attempt(p, deed), group = marey_status_group(status);
                if (n < 0) calls = disk->calls;
                test_disk_heal();
                if (status && (n < 0 || (group != MAREY_ERR_IO && group != MAREY_ERR_INPUT)))
                    fail_msg("%s, call %ld: status %s", deeds[deed].name, n,
                             marey_status_name(status));
                look_after(p, deed, status);
                n = n < 0 ? (test_is_long() ? 0 : way) : n + stride(calls, TEST_SANITIZED ? 5 : 10);
            }
        }
    }
    free_place(p);
}

TEST(every_refused_allocation_of_sqlite_leaves_before_or_after)
{
    place *p = make_place(3);
    test_sqlite_memory *memory = test_sqlite_memory_install();
    for (int deed = 0; deed < DEEDS; deed++) {
        long calls = 0;
        for (long n = -1; n < calls; n += n < 0 ? 1 : stride(calls, TEST_SANITIZED ? 8 : 24)) {
            test_library_restore(p->path, p->bytes, p->size);
            memory->calls = 0;
            memory->refuse = n;
            memory->from_then_on = n % 2;
            marey_status status = attempt(p, deed);
            if (n < 0) calls = memory->calls;
            memory->refuse = -1;
            if (status && (n < 0 || status != MAREY_ERR_MEMORY))
                fail_msg("%s, allocation %ld: status %s", deeds[deed].name, n,
                         marey_status_name(status));
            look_after(p, deed, status);
        }
    }
    free_place(p);
}

/* A child does a deed and is killed in front of its n-th write, sync, truncate or delete. */
static bool work_and_be_killed(const place *p, int deed, long n)
{
    int state = 0;
    test_library_restore(p->path, p->bytes, p->size);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        marey_ctx *ctx;
        test_disk *disk = test_disk_install();
        test_disk_heal();
        disk->kinds = TEST_DISK_WRITE | TEST_DISK_SYNC | TEST_DISK_TRUNCATE | TEST_DISK_DELETE;
        disk->fail = n;
        disk->kill = true;
        if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) _exit(9);
        _exit(run(ctx, p, deed, &test_error) == MAREY_OK ? 0 : 1);
    }
    waitpid(child, &state, 0);
    if (WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL) return true;
    assert_true(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    return false;
}

TEST(a_kill_at_any_write_leaves_before_or_after_and_is_mended_at_once)
{
    bool all = test_is_long();
    place *p = make_place(all ? 60 : 12);
    long kills = 0, before = 0;
    double slowest = 0;
    for (long n = 0; work_and_be_killed(p, ADD, n); n = test_next(n)) {
        double open_s = 0;
        int count = look_afterwards(p, &open_s);
        expect_before_or_after(p, count);
        before += count == BEFORE;
        if (open_s > slowest) slowest = open_s;
        kills++;
    }
    print_message("%ld kills: %ld left the library before, %ld after; slowest recovery %.1f ms\n",
                  kills, before, kills - before, 1e3 * slowest);
    assert_true(kills > (TEST_SANITIZED ? 12 : 20) && before > 0);
    free_place(p);
}

TEST(a_kill_while_undoing_leaves_a_sound_library)
{
    place *p = make_place(1);
    long kills = 0;
    for (long n = 0; work_and_be_killed(p, UNDO, n); n = test_next(n), kills++)
        look_afterwards(p, NULL);
    assert_true(kills > (TEST_SANITIZED ? 5 : 12));
    free_place(p);
}

/* The same at arbitrary moments. */
TEST(a_kill_at_any_moment_leaves_before_or_after)
{
    place *p = make_place(10);
    int kills = test_trials(40, 1000);
    for (int n = 0; n < kills; n++) {
        test_library_restore(p->path, p->bytes, p->size);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            marey_ctx *ctx;
            if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &ctx)) _exit(9);
            run(ctx, p, ADD, &test_error);
            _exit(0);
        }
        usleep((useconds_t)(n * 7919 % 25000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        expect_before_or_after(p, look_afterwards(p, NULL));
    }
    free_place(p);
}

TEST_GROUP(test_library_faults)
{
    test_disk_install();
    return test_cases_run("test_library_faults", __FILE__, NULL, NULL);
}
