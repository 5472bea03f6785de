/* test_power_loss.c - the power fails while a library is written, at every moment of every
   operation that writes to one, and in each way that a disk may forget what was not synced
   (power_disk.h). Then the library opens as always, verifies, has nothing beside it, and holds what
   it held before the operation or what it held after it; only the latter, once SQLite said that it
   is committed. A few operations commit more than once, so that what they worked out is not lost
   with what they still have to do (webs: the settings, then a batch of pairs at a time; pictures:
   each): then it holds what it held after one of these commits. */
#include "library_bench.h"
#include "power_disk.h"
#include "program_lines.h"
#include "sqlite_faults.h"
#include "store/store_inside.h"

#include <limits.h>
#include <sys/stat.h>

/* ---- what is done ---------------------------------------------------------------------------- */

typedef struct operation {
    const char *name;
    const char *library;   /* that it begins with, .. */
    const char *before[2]; /* .. and lines .. */
    const char *line;      /* the one that is watched; or .. */
    void (*prepare)(void); /* .. this before, .. */
    void (*work)(void);    /* .. and this */
    int commits;           /* at most; 0: one */
    bool same;             /* what users see of the library stays the same */
    bool broken;           /* so that losses are found */
} operation;

static void make_files(void)
{
    test_run_well("marey demo demo --take walk_left --take kicks --quiet");
    test_run_well("marey convert demo/walk_left.bvh a.bvh --trim 0-150 --quiet");
    test_run_well("marey convert demo/walk_left.bvh b.bvh --trim 150-320 --quiet");
    test_run_well("marey convert demo/kicks.bvh k.bvh --trim 0-200 --quiet");
    test_write_dropouts("one.bvh", 60, 20, 22);
    assert_int_equal(mkdir("takes", 0777), 0);
    for (int i = 0; i < 8; i++) {
        char path[64];
        snprintf(path, sizeof path, "takes/take%d.bvh", i);
        write_person(path, 20 + 5 * i);
    }
    for (int i = 1; i < mry_library_schema.step_count; i++) {
        char from[600], to[64];
        snprintf(from, sizeof from, "%s/libraries/schema-%d.marey", MAREY_TEST_DATA, i);
        snprintf(to, sizeof to, "schema-%d.marey", i);
        test_file_copy(from, to);
    }
    /* Clips; and clips with something of every kind that is saved. */
    test_run_well("marey add base.marey a.bvh b.bvh k.bvh one.bvh --label gait --quiet");
    test_file_copy("base.marey", "full.marey");
    test_run_well("marey index full.marey --web --quiet");
    test_run_well("marey align -L full.marey a b --save pair --quiet");
    test_run_well("marey graph build full.marey g a b --threshold 30 --quiet");
    test_run_well("marey graph train full.marey g --directions 8 --speeds 0,100 --quiet");
    test_run_well("marey cluster build full.marey c a b --quiet");
    test_run_well("marey puppet train -L full.marey --clips a b -o shy --quiet");
    FREED char *plants = test_answer("marey contacts -L base.marey a --json");
    FREED char *map = test_answer("marey map -L base.marey a one --json");
    test_file_write("plants.json", plants, strlen(plants));
    test_file_write("map.json", map, strlen(map));
    test_run_well("marey index base.marey --web --shard 1/2 --out web1 --quiet");
    test_run_well("marey index base.marey --web --shard 2/2 --out web2 --quiet");
    test_run_well("marey graph build base.marey g a b --threshold 30 --shard 1/1 --out graph1"
                  " --quiet");
}

static void open_library(marey_ctx *ctx, marey_library **library)
{
    test_ok(marey_library_open(ctx, "lib.marey", MAREY_LIBRARY_WRITE, library, &test_error));
}

/* One of nine pages; or so many that the log is moved into the file in between, and begun anew. */
static void keep_some(int count, size_t size)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    FREED char *picture = malloc(size);
    open_library(ctx, &library);
    for (int i = 0; i < count; i++) {
        char kind[16];
        snprintf(kind, sizeof kind, "strip%d", i);
        memset(picture, 'a' + i, size);
        test_ok(marey_library_keep_picture(library, 1, kind, 0, picture, size, &test_error));
    }
}

enum { PICTURES = 8 };

static void keep_picture(void)
{
    keep_some(1, 9000);
}

static void keep_pictures(void)
{
    keep_some(PICTURES, 700000);
}

/* More than SQLite keeps in memory: pages go to the log in front of the commit. */
static void keep_much(void)
{
    enum { SIZE = 10 << 20 };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    FREED unsigned char *bytes = malloc(SIZE);
    uint64_t seed = 5;
    for (int i = 0; i < SIZE; i++) bytes[i] = (unsigned char)(256 * test_chance(&seed));
    open_library(ctx, &library);
    test_ok(marey_library_keep(library, "web", "large", bytes, SIZE, NULL, &test_error));
}

static void label_unsynced(void)
{
    static const char *const names[] = { "a" };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    open_library(ctx, &library);
    test_ok(mry_store_run(library->store, "PRAGMA synchronous = OFF", &test_error));
    test_ok(marey_library_label(library, names, 1, "kick", true, &test_error));
}

static void open_to_write(void)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    open_library(ctx, &library);
}

/* What a program of an earlier version that died left. */
static void leave_old_log(void)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    sqlite3 *db = NULL;
    assert_int_equal(mry_connect(&tmp, "lib.marey", SQLITE_OPEN_READWRITE, "", &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    assert_int_equal(sqlite3_exec(db, "UPDATE clip SET description = 'old'", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(access("lib.marey-wal", F_OK), 0);
}

/* The log of a program that died behind its commit is there still. */
static void leave_log(void)
{
    char path[PATH_MAX + 16];
    power_image image;
    if (!getcwd(path, PATH_MAX)) fail_msg("no current folder");
    strcat(path, "/lib.marey");
    power_record *record = power_record_begin(path, false);
    test_run_well("marey label lib.marey a b --add kick --quiet");
    power_record_end(record);
    power_disk *disk = power_disk_make(record);
    while (power_disk_next(disk) && !power_disk_synced(disk)) {
    }
    while (power_disk_next(disk) && !power_disk_synced(disk)) {
    }
    power_disk_fail(disk, POWER_ALL, 0, &image);
    assert_true(image.count == 2 && image.files[1].size > 8192);
    power_image_write(&image, path);
    power_image_free(&image);
    power_disk_free(disk);
    power_record_free(record);
}

/* What is shown of a library stays the same. */
#define SAME .same = true

static const operation operations[] = {
    { "add a clip", "base", .line = "marey add lib.marey takes/take3.bvh" },
    { "add clips", "base", .line = "marey add lib.marey takes --label-from-folder" },
    { "make a clip", "base", .line = "marey convert a.bvh lib.marey:made --mirror" },
    { "label", "base", .line = "marey label lib.marey a k --add kick --describe 'front kick'" },
    { "unlabel", "base", .line = "marey label lib.marey a --drop gait --licence 'CC BY 4.0'" },
    { "label frames", "base", .line = "marey label lib.marey a#20-60 b#5-9 --add kick" },
    { "rename", "base", .line = "marey rename lib.marey a walk" },
    { "remove", "base", .line = "marey rm lib.marey a k" },
    { "restore", "base", { "marey rm lib.marey a k" }, .line = "marey restore lib.marey a k" },
    { "purge", "full", .line = "marey rm lib.marey a --purge" },
    { "purge the removed",
      "base",
      { "marey rm lib.marey a" },
      .line = "marey rm lib.marey a --purge",
      SAME },
    { "cut", "base", .line = "marey cut lib.marey a#10-60 part k#0-50 other" },
    { "set", "full", .line = "marey set lib.marey a --mark 0-5 --source-fps 50" },
    { "repair", "base", .line = "marey doctor lib.marey --fix all" },
    { "undo repairs",
      "base",
      { "marey doctor lib.marey --fix all" },
      .line = "marey doctor lib.marey --undo all" },
    { "set contacts", "base", .line = "marey contacts -L lib.marey a --set plants.json" },
    { "forget contacts",
      "base",
      { "marey contacts -L lib.marey a --set plants.json" },
      .line = "marey contacts -L lib.marey a --forget" },
    { "keep a map", "base", .line = "marey map -L lib.marey a one --set map.json" },
    { "forget a map",
      "base",
      { "marey map -L lib.marey a one --set map.json" },
      .line = "marey map -L lib.marey a one --forget" },
    { "keep a picture", "base", .work = keep_picture, SAME },
    { "make poses",
      "schema-4",
      { "marey label lib.marey wave --add old" },
      .line = "marey index lib.marey",
      SAME },
    { "build webs", "base", .line = "marey index lib.marey --web", .commits = 2 },
    { "build webs again", "full", .line = "marey index lib.marey --web --fps 30", .commits = 2 },
    { "drop webs", "full", .line = "marey index lib.marey --drop" },
    { "merge webs", "base", .line = "marey merge lib.marey web1 web2", .commits = 2 },
    { "merge a graph", "base", .line = "marey merge lib.marey graph1" },
    { "keep a registration", "base", .line = "marey align -L lib.marey a b --save pair" },
    { "forget a registration", "full", .line = "marey curves lib.marey --rm pair" },
    { "keep a family", "base",
      .line = "marey param build lib.marey fam --clips a#0-60,a#60-120,b#0-60,b#40-100 --feature"
              " 'position(right_wrist)'" },
    { "keep a graph", "base", .line = "marey graph build lib.marey g a b --threshold 30" },
    { "replace a graph", "full", .line = "marey graph build lib.marey g a --threshold 20" },
    { "keep a policy", "full",
      .line = "marey graph train lib.marey g --directions 9 --speeds 0,90" },
    { "forget a graph", "full", .line = "marey graph rm lib.marey g" },
    { "keep a cluster graph", "base", .line = "marey cluster build lib.marey c a b" },
    { "keep a puppet", "base", .line = "marey puppet train -L lib.marey --clips a b -o shy" },
    { "rename a puppet", "full", .line = "marey puppet rename lib.marey shy bold" },
    { "undo", "full", { "marey rm lib.marey a" }, .line = "marey undo lib.marey" },
    { "redo",
      "base",
      { "marey rm lib.marey a", "marey undo lib.marey" },
      .line = "marey redo lib.marey" },
    { "undo everything", "full", .line = "marey undo lib.marey --to 0" },
    { "undo one step",
      "base",
      { "marey rm lib.marey a", "marey rename lib.marey b run" },
      .line = "marey undo lib.marey 2" },
    { "take over a log", "base", .prepare = leave_log, .work = open_to_write, SAME },
    { "keep pictures", "base", .work = keep_pictures, .commits = PICTURES, SAME },
    { "keep what fills SQLite's memory", "base", .work = keep_much },
    { "migrate behind a log", "schema-6", .prepare = leave_old_log, .work = open_to_write, SAME },
    { "migrate schema 1", "schema-1", .work = open_to_write, SAME },
    { "migrate schema 2", "schema-2", .work = open_to_write, SAME },
    { "migrate schema 3", "schema-3", .work = open_to_write, SAME },
    { "migrate schema 4", "schema-4", .work = open_to_write, SAME },
    { "migrate schema 5", "schema-5", .work = open_to_write, SAME },
    { "migrate schema 6", "schema-6", .work = open_to_write, SAME },
    { "migrate schema 7", "schema-7", .work = open_to_write, SAME },
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ---- what a library holds -------------------------------------------------------------------- */

typedef struct holding {
    uint64_t content; /* as marey verify --hash has it */
    uint64_t rows;    /* of all tables */
} holding;

static uint64_t hash_rows(sqlite3 *db)
{
    sqlite3_stmt *tables = NULL, *rows = NULL;
    uint64_t hash = 1;
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT 'SELECT * FROM \"' || name || '\"' FROM"
                                        " sqlite_master WHERE type = 'table' AND name NOT LIKE"
                                        " 'sqlite%' AND sql NOT LIKE 'CREATE VIRTUAL%'"
                                        " ORDER BY name",
                                        -1, &tables, NULL),
                     SQLITE_OK);
    while (sqlite3_step(tables) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(tables, 0);
        int rc = sqlite3_prepare_v2(db, sql, -1, &rows, NULL);
        while (rc == SQLITE_OK && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
            for (int i = 0; i < sqlite3_column_count(rows); i++) {
                const void *bytes = sqlite3_column_blob(rows, i);
                size_t size = (size_t)sqlite3_column_bytes(rows, i);
                hash = mry_hash64(size ? bytes : "", size, hash);
            }
            rc = SQLITE_OK;
        }
        if (rc != SQLITE_DONE) hash = 0;
        sqlite3_finalize(rows);
        if (!hash) break;
    }
    sqlite3_finalize(tables);
    return hash;
}

/* Files that were looked at: many losses lead back to the same bytes. */
enum { LOOKED = 1 << 15 };

typedef struct looked {
    uint64_t bytes; /* their hash */
    holding held;
    bool sound;
} looked;

static looked looked_at[LOOKED];

/* Opens what is left as every program does, and closes it, which takes over the log: then the file
   is all there is. NULL: it is sound; else what is wrong. Readers come first, now and then: they
   must see what a writer will. */
static const char *look(const char *path, bool read_first, holding *out)
{
    static char why[900];
    static const char *const beside[] = { "-wal", "-journal", "-migrating", "-migrating-journal" };
    marey_content read = { 0 }, content = { 0 };
    marey_error error = { 0 };
    test_library f = { .ctx = test_ctx() };
    snprintf(f.path, sizeof f.path, "%s", path);
    *why = 0;
    marey_status status = MAREY_OK;
    for (int mode = read_first ? MAREY_LIBRARY_READ : MAREY_LIBRARY_WRITE;
         mode <= MAREY_LIBRARY_WRITE && !status; mode++) {
        marey_library *library = NULL;
        status = marey_library_open(f.ctx, path, (marey_library_mode)mode, &library, &error);
        if (!status && mode == MAREY_LIBRARY_READ)
            status = marey_library_content(library, &read, &error);
        marey_library_close(library);
    }
    if (status) snprintf(why, sizeof why, "%s", error.message);
    for (size_t i = 0; i < sizeof beside / sizeof *beside && !*why; i++) {
        char file[400];
        snprintf(file, sizeof file, "%s%s", path, beside[i]);
        if (access(file, F_OK) == 0) snprintf(why, sizeof why, "%s stays beside it", beside[i]);
    }
    if (!*why) {
        size_t size;
        FREED char *bytes = test_file_read(path, &size);
        uint64_t hash = mry_hash64(bytes, size, 1);
        looked *known = &looked_at[hash % LOOKED];
        if (known->bytes != hash || !known->sound) {
            char said[4096];
            test_library_open(&f, MAREY_LIBRARY_WRITE);
            status = marey_library_content(f.library, &content, &error);
            *known = (looked){ hash, { content.hash, hash_rows(f.library->store->db) }, true };
            test_library_close(&f);
            known->sound = test_library_verify(&f, said) == 0 && !status;
            if (!known->sound) snprintf(why, sizeof why, "%.300s %.500s", error.message, said);
        }
        *out = known->held;
    }
    if (!*why && read_first && read.hash != out->content)
        snprintf(why, sizeof why, "a reader saw something else");
    marey_ctx_close(f.ctx);
    return *why ? why : NULL;
}

/* ---- trying an operation --------------------------------------------------------------------- */

enum { MOST_STATES = 64, SEEN = 1 << 17 };

typedef struct trial {
    const operation *of;
    char path[PATH_MAX + 32]; /* where images go */
    holding states[MOST_STATES];
    int count;      /* of them */
    int promised;   /* the first of them that may be there */
    uint64_t *seen; /* hashes of images that were looked at, open addressing */
    int *seen_state;
    long points, lost, torn;
    long told;
} trial;

typedef struct totals {
    long points, lost, torn;
    int operations;
} totals;

__attribute__((format(printf, 2, 3))) static void complain(trial *t, const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t->told++ < 5) print_message("%s: %s\n", t->of->name, text);
}

/* The number of the state that is left; NEITHER known, or UNSOUND. Images that were looked at
   already are not looked at, nor counted, again. A kill is what makes states known. */
enum { NEITHER = -1, UNSOUND = -2 };

static int state_of(trial *t, const power_disk *disk, power_loss loss, uint64_t seed)
{
    power_image image;
    power_disk_fail(disk, loss, seed, &image);
    size_t at = (size_t)(image.hash % SEEN);
    while (t->seen[at] && t->seen[at] != image.hash) at = (at + 1) % SEEN;
    if (!t->seen[at]) {
        holding held = { 0 };
        int state = NEITHER;
        t->points++;
        power_image_write(&image, t->path);
        const char *why = look(t->path, image.hash % 8 == 0, &held);
        for (int i = 0; i < t->count && !why; i++)
            if (memcmp(&t->states[i], &held, sizeof held) == 0) state = i;
        if (why) {
            t->torn++;
            state = UNSOUND;
            complain(t, "event %d (%s), %s, seed %llu: %s", power_disk_at(disk),
                     power_disk_last(disk), power_loss_names[loss], (unsigned long long)seed, why);
        } else if (state == NEITHER && loss == POWER_ALL && t->count < MOST_STATES) {
            state = t->count;
            t->states[t->count++] = held;
        }
        t->seen[at] = image.hash;
        t->seen_state[at] = state;
    }
    power_image_free(&image);
    return t->seen_state[at];
}

/* Nothing is lost to a kill: what it leaves is the last state, or the next one. */
static void kill_here(trial *t, const power_disk *disk)
{
    int state = state_of(t, disk, POWER_ALL, 0);
    if (state == t->count - 1 || state == UNSOUND) return;
    t->torn++;
    complain(t, "event %d (%s): a kill leads back from state %d to %d", power_disk_at(disk),
             power_disk_last(disk), t->count - 1, state);
}

static void fail_here(trial *t, const power_disk *disk, int seeds, bool last)
{
    for (power_loss loss = POWER_NONE; loss < POWER_LOSSES; loss++) {
        if (!test_is_long() && !last && (power_disk_at(disk) + (int)loss) % 2) continue;
        for (int k = 0; k < (loss == POWER_NONE ? 1 : seeds); k++) {
            uint64_t seed = (uint64_t)power_disk_at(disk) * 64 + (uint64_t)k;
            int state = state_of(t, disk, loss, seed);
            if (state >= t->promised || state == UNSOUND) continue;
            t->torn += state < 0;
            t->lost += state >= 0;
            if (state < 0)
                complain(t, "event %d (%s), %s, seed %llu: neither before nor after",
                         power_disk_at(disk), power_disk_last(disk), power_loss_names[loss],
                         (unsigned long long)seed);
            else
                complain(t, "event %d (%s), %s, seed %llu: state %d, though %d was promised",
                         power_disk_at(disk), power_disk_last(disk), power_loss_names[loss],
                         (unsigned long long)seed, state, t->promised);
        }
    }
}

static power_record *note_operation(const operation *of, bool deaf)
{
    char path[PATH_MAX + 16], from[64];
    if (!getcwd(path, PATH_MAX)) fail_msg("no current folder");
    strcat(path, "/lib.marey");
    snprintf(from, sizeof from, "%s.marey", of->library);
    test_library_restore(path, "", 0);
    test_file_copy(from, path);
    for (int i = 0; i < 2 && of->before[i]; i++) test_run_well(of->before[i]);
    if (of->prepare) of->prepare();
    power_record *record = power_record_begin(path, deaf);
    if (of->line)
        test_run_well(of->line);
    else
        of->work();
    power_record_end(record);
    return record;
}

/* About `most` of the events are tried, with all syncs and promises; behind the last one the
   operation is done. */
static void try_operation(const operation *of, int most, int seeds, bool deaf, totals *sum)
{
    double start = test_seconds();
    power_record *record = note_operation(of, deaf);
    double noted = test_seconds();
    power_disk *disk = power_disk_make(record);
    trial t = { .of = of,
                .seen = calloc(SEEN, sizeof *t.seen),
                .told = deaf || of->broken ? 1000 : 0 };
    t.seen_state = calloc(SEEN, sizeof *t.seen_state);
    if (mkdir("image", 0777) != 0 && errno != EEXIST) fail_msg("cannot make a folder");
    if (!getcwd(t.path, PATH_MAX)) fail_msg("no current folder");
    strcat(t.path, "/image/lib.marey");
    int events = power_record_events(record), stride = events / most + 1, phase = events % stride;
    kill_here(&t, disk);
    while (power_disk_next(disk)) {
        bool last = power_disk_at(disk) == events, promised = power_disk_promised(disk) || last;
        bool each = promised || power_disk_synced(disk);
        if (!each && power_disk_at(disk) % stride != phase) continue;
        kill_here(&t, disk);
        if (promised) t.promised = t.count - 1;
        fail_here(&t, disk, seeds, last);
    }
    if (getenv("MAREY_SHOW"))
        print_message("%-24s %5d events, %3d syncs, %2d states, %5ld points, %.2f + %.2f s\n",
                      of->name, events, power_record_syncs(record), t.count, t.points,
                      noted - start, test_seconds() - noted);
    if (!deaf && t.count - 1 > (of->commits ? of->commits : 1))
        fail_msg("%s: %d commits", of->name, t.count - 1);
    if (!deaf && (t.states[0].content == t.states[t.count - 1].content) != of->same)
        fail_msg("%s did %s", of->name, of->same ? "too much" : "nothing");
    sum->points += t.points;
    sum->lost += t.lost;
    sum->torn += t.torn;
    sum->operations++;
    free(t.seen);
    free(t.seen_state);
    power_disk_free(disk);
    power_record_free(record);
}

static int enter(void **state)
{
    return test_enter_copy(state, make_files);
}

#define POWER(name) TEST_IN(enter, test_leave_place, name)

POWER(a_power_loss_leaves_a_library_as_before_or_as_after)
{
    bool all = test_is_long();
    totals sum = { 0 };
    for (int i = 0; i < OPERATIONS; i += TEST_SANITIZED && !all ? 3 : 1)
        try_operation(&operations[i], all ? 100 : 3, all ? 2 : 1, false, &sum);
    print_message("%ld power-loss points over %d operations, %ld lost, %ld torn\n", sum.points,
                  sum.operations, sum.lost, sum.torn);
    assert_int_equal(sum.lost + sum.torn, 0);
}

/* This test would see it. */
POWER(a_disk_or_a_library_that_does_not_sync_loses_changes)
{
    static const operation careless = { "label unsynced", "base", .work = label_unsynced,
                                        .broken = true };
    totals sum = { 0 };
    try_operation(&operations[0], 8, 1, true, &sum);
    assert_true(sum.lost > 0 && sum.torn > 0);
    sum = (totals){ 0 };
    try_operation(&careless, 8, 1, false, &sum);
    assert_true(sum.lost > 0);
}

/* What the losses rest on (power_disk.h) is what the system's VFS says of files where the library
   is. */
POWER(the_disk_promises_no_more_than_is_kept_here)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    sqlite3_file *file = NULL;
    test_file_copy("base.marey", "lib.marey");
    open_library(ctx, &library);
    assert_int_equal(
        sqlite3_file_control(library->store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file),
        SQLITE_OK);
    int said = file->pMethods->xDeviceCharacteristics(file);
    assert_int_equal(said & ~SQLITE_IOCAP_POWERSAFE_OVERWRITE, 0);
    assert_true(said & SQLITE_IOCAP_POWERSAFE_OVERWRITE);
}

static int version_of(const char *path)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    sqlite3 *db = NULL;
    int version = 0;
    assert_int_equal(mry_connect(&tmp, path, SQLITE_OPEN_READWRITE, "", &db), SQLITE_OK);
    assert_int_equal(mry_schema_version(db, &version), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return version;
}

/* From the first write to the log until the new library is certain to be there. */
POWER(a_copy_of_a_library_that_is_migrated_lies_beside_it_whatever_happens)
{
    static const operation migration = { "migrate", "schema-7", .work = open_to_write };
    power_record *record = note_operation(&migration, false);
    power_disk *disk = power_disk_make(record);
    holding now, copied;
    uint64_t seen = 0;
    int guarded = 0, done = 0;
    assert_int_equal(mkdir("image", 0777), 0);
    while (power_disk_next(disk)) {
        power_image all, left;
        bool begun = done > 0, there = false;
        power_disk_fail(disk, POWER_ALL, 0, &all);
        power_disk_fail(disk, POWER_NONE, 0, &left);
        for (int i = 0; i < all.count; i++)
            begun |= strcmp(all.files[i].ending, "-wal") == 0 && all.files[i].size > 0;
        for (int i = 0; i < left.count && begun; i++) {
            const power_file *copy = &left.files[i];
            if (strcmp(copy->ending, "-migrating") != 0) continue;
            there = true;
            guarded++;
            if (seen) assert_int_equal(mry_hash64(copy->bytes, copy->size, 1), seen);
            seen = mry_hash64(copy->bytes, copy->size, 1);
            test_file_write("copy.marey", copy->bytes, copy->size);
        }
        if (begun && !there) {
            done++;
            power_image_write(&left, "image/lib.marey");
            assert_int_equal(version_of("image/lib.marey"), mry_library_schema.step_count);
        }
        power_image_free(&all);
        power_image_free(&left);
    }
    assert_true(guarded > 10 && done > 0);
    assert_int_equal(version_of("copy.marey"), 7);
    assert_null(look("copy.marey", true, &copied));
    assert_null(look("lib.marey", true, &now));
    assert_int_equal(copied.rows, now.rows);
    power_disk_free(disk);
    power_record_free(record);
}

TEST_GROUP(test_power_loss)
{
    test_disk_install();
    return test_cases_run("test_power_loss", __FILE__, NULL, NULL);
}
