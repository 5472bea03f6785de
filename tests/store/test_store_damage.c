/* test_store_damage.c - a store whose bytes change behind its back, and writers that are killed. A
   read gives what was written or fails; verify finds every changed bit; nothing crashes, hangs or
   takes more memory than it may; a killed writer leaves before or after. */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "small_store.h"
#include "store/page_sums.h"
#include "store/store_inside.h"

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Blobs below and above a page, and free pages: some notes go again. */
static char *make_original(small_place *p, size_t *count, uint64_t *hash)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 20, 300, NULL));
    test_ok(small_add(store, 8, 9000, NULL));
    test_ok(mry_store_run(store, "CREATE TABLE gone AS SELECT * FROM blob", NULL));
    test_ok(mry_store_run(store, "DROP TABLE gone", NULL));
    test_ok(small_dump(store, hash, NULL));
    assert_int_equal(small_problems(store), 0);
    return test_file_read(p->path, count);
}

/* ---- damage ---------------------------------------------------------------------------------- */

typedef struct harm {
    small_place *p;
    char *original;
    size_t count;
    uint64_t hash; /* of what is in it */
    char *changed;
    uint64_t random;
    int opened, dumped;
} harm;

static harm harm_make(small_place *p, uint64_t random)
{
    harm h = { .p = p, .random = random };
    h.original = make_original(p, &h.count, &h.hash);
    h.changed = malloc(h.count + 1000);
    sqlite3_memory_highwater(1);
    return h;
}

static void harm_end(harm *h)
{
    free(h->original);
    free(h->changed);
}
OWNED_VALUE(harm, harm_end)

/* Returns the new length. One to four bits, a byte, a stretch of noise or of zeros, a swap of
   pages, or an end that is missing or too long. */
static size_t hurt(harm *h)
{
    char *bytes = h->changed;
    memcpy(bytes, h->original, h->count);
    size_t at = next_random(&h->random) % h->count, span = 1 + next_random(&h->random) % 600;
    if (at + span > h->count) span = h->count - at;
    int kind = (int)(next_random(&h->random) % 16);
    if (kind == 0) return at;
    if (kind == 1) return at / MRY_PAGE_BYTES * MRY_PAGE_BYTES;
    if (kind == 2) {
        memset(bytes + h->count, 7, span);
        return h->count + span;
    }
    if (kind == 3) {
        for (size_t i = 0; i < span; i++) bytes[at + i] = (char)next_random(&h->random);
    } else if (kind == 4) {
        at = at / MRY_PAGE_BYTES * MRY_PAGE_BYTES;
        memset(bytes + at, 0, MRY_PAGE_BYTES);
    } else if (kind == 5) {
        size_t to = next_random(&h->random) % h->count / MRY_PAGE_BYTES * MRY_PAGE_BYTES;
        memcpy(bytes + to, h->original + at / MRY_PAGE_BYTES * MRY_PAGE_BYTES, MRY_PAGE_BYTES);
    } else {
        for (int i = 0; i < 1 + kind % 4; i++) {
            at = next_random(&h->random) % h->count;
            bytes[at] = (char)(bytes[at] ^ 1 << next_random(&h->random) % 8);
        }
    }
    return h->count;
}

/* A wrong sum that another program may have put right on the way: only the content may be wrong. */
static void mend_sums(harm *h, size_t count)
{
    for (size_t i = 0; i < count / MRY_PAGE_BYTES; i++)
        mry_page_sum_put((unsigned char *)h->changed + i * MRY_PAGE_BYTES, (int64_t)i);
}

static bool read_back(harm *h, uint64_t *hash)
{
    OWNED(mry_store) *store = NULL;
    marey_error error = { 0 };
    marey_status status =
        mry_store_open(h->p->ctx, h->p->path, MRY_STORE_READ, &small_schema, &store, &error);
    assert_true(status == MAREY_OK || error.message[0]);
    if (status != MAREY_OK) return false;
    h->opened++;
    return small_dump(store, hash, NULL) == MAREY_OK;
}

SMALL_CASE(every_change_is_found_and_no_read_gives_changed_data)
{
    OWNED(harm) h = harm_make(p, 1);
    for (int i = 0; i < test_trials(400, 10000); i++) {
        uint64_t hash = 0;
        size_t count = hurt(&h);
        if (count == h.count && memcmp(h.changed, h.original, count) == 0) continue;
        test_file_write(h.p->path, h.changed, count);
        if (read_back(&h, &hash)) {
            h.dumped++;
            if (hash != h.hash) fail_msg("change %d was read as data", i);
        }
        if (small_problems_at(h.p->ctx, h.p->path) < 1) fail_msg("change %d was not found", i);
        assert_int_equal(test_folder_count(h.p->folder), 1);
    }
    assert_true(h.opened > test_trials(400, 10000) / 20 &&
                h.dumped > 5); /* or this has tested nothing */
    assert_true(sqlite3_memory_highwater(0) < SMALL_LIMIT);
}

SMALL_CASE(damage_behind_right_sums_does_no_harm)
{
    OWNED(harm) h = harm_make(p, 2);
    for (int i = 0; i < test_trials(120, 3000); i++) {
        uint64_t hash = 0;
        size_t count = hurt(&h);
        mend_sums(&h, count);
        test_file_write(h.p->path, h.changed, count);
        h.dumped += read_back(&h, &hash);
        assert_true(small_problems_at(h.p->ctx, h.p->path) >= -1);
        if (i % 4 == 0) {
            OWNED(mry_store) *store = NULL;
            if (mry_store_open(h.p->ctx, h.p->path, MRY_STORE_WRITE, &small_schema, &store, NULL) ==
                MAREY_OK) {
                small_add(store, 2, 5000, NULL);
            }
        }
        test_folder_remove(h.p->folder);
        assert_int_equal(mkdir(h.p->folder, 0700), 0);
    }
    assert_true(h.opened > test_trials(120, 3000) / 12 && h.dumped > 5);
    assert_true(sqlite3_memory_highwater(0) < SMALL_LIMIT);
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct findings {
    int named, problems;
} findings;

static void note_finding(void *user, const char *problem)
{
    findings *f = user;
    f->problems++;
    f->named += strstr(problem, "the note called note 23") != NULL;
}

static const char *name_it(void *user, mry_store *store, const char *kind, const char *name,
                           int64_t id)
{
    static char text[200];
    (void)user;
    (void)store;
    assert_true(id > 0);
    snprintf(text, sizeof text, "the %s called %s", kind, name);
    return text;
}

SMALL_CASE(verify_names_the_blob_that_is_damaged)
{
    size_t count;
    uint64_t hash;
    FREED char *bytes = make_original(p, &count, &hash);
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_READ);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    mry_query query = mry_query_start(store, "SELECT bytes FROM blob WHERE name = 'note 23'");
    size_t length;
    assert_true(mry_query_next(&query));
    const char *packed = mry_column_bytes(&query, 0, &length);
    char *middle = memmem(bytes, count, packed + length / 2, 64);
    mry_query_end(&query, NULL);
    mry_store_close(store);
    assert_non_null(middle);
    middle[5] ^= 1;
    test_file_write(p->path, bytes, count);
    findings found = { 0 };
    int64_t problems = 0;
    mry_verify_def def = { .found = note_finding, .name_blob = name_it, .user = &found };
    store = small_open(p->ctx, p->path, MRY_STORE_READ);
    test_ok(mry_store_verify(store, &def, &problems, NULL));
    assert_int_equal(found.named, 1);
    assert_int_equal(found.problems, problems);
    mry_store_close(store);
}

SMALL_CASE(at_most_a_thousand_problems_are_reported)
{
    enum { PAGES = 3000 };
    size_t count = (size_t)PAGES * MRY_PAGE_BYTES;
    FREED unsigned char *noise = malloc(count);
    memset(noise, 'x', count);
    for (int i = 0; i < PAGES; i += 2) mry_page_sum_put(noise + (size_t)i * MRY_PAGE_BYTES, i);
    test_file_write(p->path, noise, count);
    findings found = { 0 };
    int64_t problems = 0;
    mry_verify_def def = { .found = note_finding, .user = &found };
    test_ok(mry_store_verify_pages(p->ctx, p->path, &def, &problems, NULL));
    assert_int_equal(found.problems, 1000);
    assert_int_equal(problems - (PAGES / 2),
                     1); /* and the number of pages is not what it should be */
}

static void keep_text(void *user, const char *problem)
{
    snprintf(user, 200, "%s", problem);
}

SMALL_CASE(pages_in_a_row_are_one_problem_and_a_file_of_none_is_no_library)
{
    enum { PAGES = 40 };
    static unsigned char noise[PAGES * MRY_PAGE_BYTES];
    char text[200] = "";
    int64_t problems = 0;
    mry_verify_def def = { .found = keep_text, .user = text };
    memset(noise, 'x', sizeof noise);
    test_file_write(p->path, noise, sizeof noise);
    test_ok(mry_store_verify_pages(p->ctx, p->path, &def, &problems, NULL));
    assert_int_equal(problems, 1);
    assert_non_null(strstr(text, "this is no library of marey"));
    /* Page 2, and pages 4 to 40. */
    noise[28] = noise[29] = noise[30] = 0;
    noise[31] = PAGES;
    mry_page_sum_put(noise, 0);
    mry_page_sum_put(noise + 2 * MRY_PAGE_BYTES, 2);
    test_file_write(p->path, noise, sizeof noise);
    test_ok(mry_store_verify_pages(p->ctx, p->path, &def, &problems, NULL));
    assert_int_equal(problems, 2);
    assert_string_equal(text, "pages 4 to 40 are damaged (bytes 12288 to 163839)");
}

/* Right in all but what it says: the frame, its length, the pages. Only the sum can tell. */
SMALL_CASE(a_blob_whose_bytes_were_exchanged_is_refused_and_named)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    unsigned char other[300] = "not what was stored";
    mry_packed packed;
    int64_t id = 0, problems = 0;
    void *back = NULL;
    size_t length;
    findings found = { 0 };
    mry_verify_def def = { .found = note_finding, .name_blob = name_it, .user = &found };
    test_ok(small_add(store, 30, sizeof other, NULL));
    test_ok(mry_blob_find(store, "note", "note 23", &id, NULL));
    test_ok(mry_blob_get(store, id, 1000, &mem, &back, &length, NULL));
    assert_int_equal(length, sizeof other);
    assert_true(mry_blob_pack(&mem, other, sizeof other, 1, &packed));
    mry_query query = mry_query_start(store, "UPDATE blob SET bytes = ?1 WHERE id = ?2");
    mry_bind_bytes(&query, 1, packed.bytes, packed.packed_size);
    mry_bind_integer(&query, 2, id);
    mry_query_next(&query);
    test_ok(mry_query_end(&query, NULL));
    back = NULL;
    test_refused_about(mry_blob_get(store, id, 1000, &mem, &back, &length, &test_error),
                       MAREY_ERR_DAMAGED, "is damaged");
    assert_null(back);
    test_ok(mry_store_verify(store, &def, &problems, NULL));
    assert_int_equal(problems, 1);
    assert_int_equal(found.named, 1);
}

/* A list that comes back to a row of its own is noticed, wherever in it that is and however long
   the rest. */
TEST(a_list_that_goes_round_is_noticed)
{
    for (int before = 0; before < 20; before++) {
        for (int round = 1; round < 20; round++) {
            mry_round list = { 0 };
            int at = 0;
            while (!mry_goes_round(&list, at < before ? at : before + (at - before) % round)) at++;
            assert_true(at >= before + round && at <= 3 * (before + round));
        }
    }
    mry_round list = { 0 };
    for (uint64_t row = 0; row < 1000; row++) assert_false(mry_goes_round(&list, row));
}

static const char *look_up_note(void *user, mry_store *store, const char *kind, const char *name,
                                int64_t id)
{
    int *calls = user;
    mry_query query = mry_query_start(store, "SELECT blob FROM note");
    mry_query_next(&query);
    if (mry_query_end(&query, NULL) == MAREY_OK || ++*calls > 1000) fail_msg("%s %s", kind, name);
    return id > 0 ? "note" : NULL;
}

static int64_t root_of(mry_store *store, const char *name)
{
    int64_t root = 0;
    test_ok(mry_query_finish(
        mry_query_with(store, "SELECT rootpage FROM sqlite_schema WHERE name = ?", mry_text(name)),
        &root, &test_error));
    return root;
}

/* The tree of blobs says that the first row of its second leaf is in the first: SQLite meets it
   when it goes from leaf to leaf, and not when it looks for it. A statement beside that, which
   meets a damaged page, makes it look for where it was: it never comes past that row. */
SMALL_CASE(verify_ends_where_a_list_has_no_end)
{
    enum { CELLS_AT = 12, ROWID_AT = 4 };
    size_t count;
    uint64_t hash;
    int calls = 0;
    int64_t problems = 0;
    FREED char *bytes = make_original(p, &count, &hash);
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_READ);
    int64_t root = root_of(store, "blob");
    int64_t others[] = { root_of(store, "note"), root_of(store, "sqlite_autoindex_blob_1") };
    mry_store_close(store);
    unsigned char *page = (unsigned char *)bytes + (root - 1) * MRY_PAGE_BYTES;
    assert_int_equal(page[0], 5); /* above leaves of a table */
    page[(page[CELLS_AT] << 8 | page[CELLS_AT + 1]) + ROWID_AT]++;
    mry_page_sum_put(page, root - 1);
    for (int i = 0; i < 2; i++) bytes[(others[i] - 1) * MRY_PAGE_BYTES + 100] ^= 1;
    test_file_write(p->path, bytes, count);
    mry_verify_def def = { .name_blob = look_up_note, .user = &calls };
    store = small_open(p->ctx, p->path, MRY_STORE_READ);
    test_ok(mry_store_verify(store, &def, &problems, &test_error));
    mry_store_close(store);
    assert_true(problems > 2 && calls > 0);
}

static void note_page(void *user, const char *problem)
{
    int *pages = user;
    *pages += strstr(problem, "page ") == problem && strstr(problem, " is damaged") != NULL;
}

/* While others read and write, a page may be found half written and is looked at again; one that
   stays wrong is damage. It holds nothing, so that no other pass meets it. */
SMALL_CASE(a_damaged_page_is_found_while_there_is_a_log)
{
    size_t count;
    uint64_t hash;
    int64_t problems = 0;
    int pages = 0, how;
    mry_verify_def def = { .found = note_page, .user = &pages };
    free(make_original(p, &count, &hash));
    OWNED(mry_store) *reader = small_open(p->ctx, p->path, MRY_STORE_READ);
    OWNED(mry_store) *writer = small_open(p->ctx, p->path, MRY_STORE_WRITE);
    mry_query free_pages = mry_query_start(writer, "PRAGMA freelist_count");
    assert_true(mry_query_next(&free_pages) && mry_column_integer(&free_pages, 0) > 4);
    mry_query_end(&free_pages, NULL);
    test_ok(mry_store_snapshot(reader, NULL)); /* the log stays */
    test_ok(mry_store_run(writer, "UPDATE note SET text = 'other' WHERE text = 'note 3'", NULL));
    test_ok(mry_store_verify(writer, &def, &problems, NULL));
    assert_int_equal(pages, 0);
    pid_t child = fork(); /* closing the file here would drop the locks that are held on it */
    if (child == 0) {
        unsigned char end[MRY_PAGE_BYTES] = { 0 };
        long last = (long)(count - MRY_PAGE_BYTES);
        FILE *file = fopen(p->path, "r+b");
        bool done = file && fseek(file, last, SEEK_SET) == 0 && fread(end, sizeof end, 1, file);
        end[100] ^= 1;
        done = done && fseek(file, last, SEEK_SET) == 0 && fwrite(end, sizeof end, 1, file) &&
               fclose(file) == 0;
        _exit(done ? 0 : 1);
    }
    waitpid(child, &how, 0);
    assert_int_equal(how, 0);
    test_ok(mry_store_verify(writer, &def, &problems, NULL));
    assert_int_equal(pages, 1);
    mry_store_rollback(reader);
}

/* ---- the check ---------------------------------------------------------------------------------- */

typedef struct told {
    char first[1100], last[1100];
    int count;
} told;

static void keep_told(void *user, const char *problem)
{
    told *t = user;
    snprintf(t->count++ ? t->last : t->first, sizeof t->first, "%s", problem);
}

SMALL_CASE(a_file_shorter_than_a_page_is_said_to_be)
{
    static const char zeros[MRY_PAGE_BYTES + 100];
    static const struct {
        size_t count;
        const char *first;
    } rows[] = { { 0, "the file is empty" },
                 { 100, "the file is too short" },
                 { MRY_PAGE_BYTES + 100, "the file ends inside page 2" } };
    for (int i = 0; i < 3; i++) {
        told t = { .count = 0 };
        int64_t problems = 0;
        mry_verify_def def = { .found = keep_told, .user = &t };
        test_file_write(p->path, zeros, rows[i].count);
        test_ok(mry_store_verify_pages(p->ctx, p->path, &def, &problems, &test_error));
        assert_string_equal(t.first, rows[i].first);
        assert_int_equal(problems, t.count);
    }
    int64_t problems = 7;
    mry_verify_def def = { 0 };
    test_refused_about(mry_store_verify_pages(p->ctx, p->folder, &def, &problems, &test_error),
                       MAREY_ERR_INPUT, "folder");
    assert_int_equal(problems, 7);
}

/* A schema that another program changed meanwhile, rows that refer to none, trees that are no trees. */
SMALL_CASE(at_most_a_hundred_of_a_kind_are_listed)
{
    told t = { .count = 0 };
    int64_t problems = 0;
    mry_verify_def def = { .found = keep_told, .user = &t };
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 1, 100, &test_error));
    test_ok(mry_store_run(store,
                          "PRAGMA foreign_keys = OFF; WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL"
                          " SELECT x + 1 FROM n WHERE x < 300) INSERT INTO note (text, blob)"
                          " SELECT printf('n%d', x), 5000 + x FROM n",
                          &test_error));
    test_ok(mry_store_verify(store, &def, &problems, &test_error));
    assert_int_equal(problems, 100);
    assert_string_equal(t.first, "row 2 of note refers to a row of blob that is not there");
    /* Texts that must be there and are not: a structure that SQLite finds wrong. */
    OWNED(mry_arena) tmp = mry_arena_make(p->ctx);
    sqlite3 *db = NULL;
    assert_int_equal(mry_connect(&tmp, p->path, SQLITE_OPEN_READWRITE, "", &db), SQLITE_OK);
    int rc = sqlite3_exec(db,
                          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
                          " replace(sql, 'text TEXT NOT NULL', 'text TEXT') WHERE name = 'note'",
                          NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(rc, SQLITE_OK);
    db = NULL;
    assert_int_equal(mry_connect(&tmp, p->path, SQLITE_OPEN_READWRITE, "", &db), SQLITE_OK);
    rc = sqlite3_exec(db,
                      "UPDATE note SET text = NULL; PRAGMA writable_schema = ON;"
                      "UPDATE sqlite_schema SET sql ="
                      " replace(sql, 'text TEXT', 'text TEXT NOT NULL') WHERE name = 'note'",
                      NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(rc, SQLITE_OK);
    test_ok(mry_store_verify(store, &def, &problems, &test_error));
    assert_true(problems >= 200);
}

/* At any moment; what was told until then is all there is. */
typedef struct stopping {
    marey_ctx *ctx;
    int at, seen;
} stopping;

static void stop_at(void *user, const char *what, int64_t done, int64_t total)
{
    stopping *s = user;
    (void)what, (void)done, (void)total;
    if (s->seen++ == s->at) marey_ctx_cancel(s->ctx);
}

SMALL_CASE(a_check_is_cancelled_at_any_report)
{
    stopping s = { .at = -1 };
    marey_ctx_def own = { .threads = 1, .progress = stop_at, .progress_user = &s };
    OWNED(marey_ctx) *ctx = NULL;
    test_ok(marey_ctx_open(&own, &ctx));
    s.ctx = ctx;
    small_make(p->ctx, p->path, 3, 5000);
    OWNED(mry_store) *store = small_open(ctx, p->path, MRY_STORE_READ);
    mry_verify_def def = { 0 };
    int64_t problems = 7;
    s.seen = 0;
    test_ok(mry_store_verify(store, &def, &problems, &test_error));
    int reports = s.seen;
    assert_true(reports >= 4);
    for (s.at = 0; s.at < reports; s.at++) {
        s.seen = 0;
        problems = 7;
        assert_int_equal(mry_store_verify(store, &def, &problems, s.at % 2 ? &test_error : NULL),
                         MAREY_ERR_CANCELLED);
        marey_ctx_resume(ctx);
        assert_int_equal(problems, 7);
    }
    s.at = s.seen = 0;
    assert_int_equal(mry_store_verify_pages(ctx, p->path, &def, &problems, &test_error),
                     MAREY_ERR_CANCELLED);
    marey_ctx_resume(ctx);
}

/* ---- kills ----------------------------------------------------------------------------------- */

static _Noreturn void write_until_killed(small_place *p, int round)
{
    mry_store *store = NULL;
    marey_status status =
        mry_store_open(p->ctx, p->path, MRY_STORE_CREATE, &small_schema, &store, NULL);
    while (status == MAREY_OK) status = small_add(store, 1 + round % 7, 4000, NULL);
    _exit(1);
}

static void nap(long microseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL);
}

SMALL_CASE(a_killed_writer_leaves_before_or_after_and_no_lock)
{
    uint64_t random = 3, hash;
    int64_t notes = 0, before = 0;
    double slowest = 0;
    for (int round = 0; round < test_trials(50, 1200); round++) {
        pid_t child = fork();
        if (child == 0) write_until_killed(p, round);
        nap(200 + (long)(next_random(&random) % 12000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        double start = test_seconds();
        mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
        test_ok(mry_store_begin(store, NULL));
        double took = test_seconds() - start;
        if (took > slowest) slowest = took;
        mry_store_rollback(store);
        test_ok(small_dump(store, &hash, &notes));
        assert_true(notes >= before);
        before = notes;
        if (round % 8 == 0) assert_int_equal(small_problems(store), 0);
        mry_store_close(store);
        assert_int_equal(test_folder_count(p->folder), 1);
        if (notes > 400) {
            unlink(p->path);
            before = 0;
        }
    }
    print_message("slowest recovery: %.1f ms\n", 1e3 * slowest);
    assert_true(slowest < 1);
}

SMALL_CASE(creating_is_killed_without_a_trace)
{
    uint64_t random = 4;
    int made = 0;
    double start = test_seconds();
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    uint32_t usual =
        1 + (uint32_t)(1e6 * (test_seconds() - start)); /* us; a sanitizer makes it long */
    unlink(p->path);
    for (int round = 0; round < test_trials(30, 600); round++) {
        pid_t child = fork();
        if (child == 0) {
            mry_store *store = NULL;
            mry_store_open(p->ctx, p->path, MRY_STORE_CREATE, &small_schema, &store, NULL);
            pause();
        }
        nap((long)(next_random(&random) % (2 * usual)));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        bool there = access(p->path, F_OK) == 0;
        if (!there) assert_int_equal(test_folder_count(p->folder), 0);
        if (there) assert_int_equal(small_problems_at(p->ctx, p->path), 0);
        made += there;
        if (there) assert_int_equal(unlink(p->path), 0);
    }
    print_message("%d of %d were made\n", made, test_trials(30, 600));
}

SMALL_CASE(readers_never_see_half_a_transaction)
{
    enum { READERS = 3 };
    pid_t readers[READERS];
    double end = test_seconds() + (test_is_long() ? 10 : 1.5);
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    for (int i = 0; i < READERS; i++) {
        readers[i] = fork();
        if (readers[i] != 0) continue;
        for (int reads = 0; test_seconds() < end || reads < 6; reads++) {
            OWNED(mry_store) *store = NULL;
            uint64_t hash;
            if (mry_store_open(p->ctx, p->path, MRY_STORE_READ, &small_schema, &store, NULL) !=
                MAREY_OK)
                _exit(2);
            for (int k = 0; k < 5; k++)
                if (small_dump(store, &hash, NULL) != MAREY_OK) _exit(3);
        }
        _exit(0);
    }
    for (int round = 0; round < 6 || test_seconds() < end;
         round++) { /* writers that come, die and are replaced */
        pid_t writer = fork();
        if (writer == 0) write_until_killed(p, round);
        nap(20000);
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
    }
    for (int i = 0; i < READERS; i++) {
        int how;
        waitpid(readers[i], &how, 0);
        assert_int_equal(how, 0);
    }
    assert_int_equal(small_problems_at(p->ctx, p->path), 0);
    assert_int_equal(test_folder_count(p->folder), 1);
}

TEST_GROUP_OF_CASES(test_store_damage, NULL, NULL)
