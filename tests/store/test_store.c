/* test_store.c - what a store promises while nothing goes wrong: sums, blobs, rows, transactions,
   several connections. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "small_store.h"
#include "store/page_sums.h"
#include "store/store_inside.h"

/* ---- sums ------------------------------------------------------------------------------------ */

/* Files move between machines, so these must never change. */
TEST(the_hash_is_the_same_everywhere)
{
    unsigned char bytes[100];
    for (int i = 0; i < 100; i++) bytes[i] = (unsigned char)(i * 7);
    assert_true(mry_hash64("", 0, 0) == 0x99065c66e1db7a78u);
    assert_true(mry_hash64("marey", 5, 0) == 0x7e32674b9c5268b3u);
    assert_true(mry_hash64(bytes, 100, 0) == 0x810eaaf1e30ceb55u);
    assert_true(mry_hash64(bytes, 100, 1) == 0x37d1a6e303b749a2u);
}

TEST(every_flipped_bit_changes_the_hash)
{
    unsigned char bytes[100];
    memset(bytes, 0, sizeof bytes);
    for (size_t count = 0; count <= sizeof bytes; count++) {
        uint64_t right = mry_hash64(bytes, count, 0);
        for (size_t bit = 0; bit < 8 * count; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_true(mry_hash64(bytes, count, 0) != right);
            bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        assert_true(count == 0 || mry_hash64(bytes, count - 1, 0) != right);
    }
}

TEST(every_flipped_bit_of_a_page_shows_and_so_does_its_place)
{
    unsigned char page[MRY_PAGE_BYTES];
    memset(page, 0, sizeof page);
    assert_false(mry_page_sum_holds(page, 0)); /* a page of zeros was never written */
    assert_true(mry_page_sum_holds(page, 0x40000000 / MRY_PAGE_BYTES));
    for (int i = 0; i < MRY_PAGE_BYTES; i++) page[i] = (unsigned char)(i * i >> 3);
    mry_page_sum_put(page, 7);
    assert_true(mry_page_sum_holds(page, 7));
    assert_false(mry_page_sum_holds(page, 8));
    for (int bit = 0; bit < 8 * MRY_PAGE_BYTES; bit++) {
        page[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(mry_page_sum_holds(page, 7));
        page[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

/* Whatever is on the page that SQLite never writes, only zeros need no sum. */
TEST(the_page_of_locks_has_zeros_or_a_sum)
{
    const int64_t locks = 0x40000000 / MRY_PAGE_BYTES;
    unsigned char page[MRY_PAGE_BYTES] = { 0 };
    assert_false(mry_page_sum_holds(page, locks - 1) || mry_page_sum_holds(page, locks + 1));
    page[77] = 1;
    assert_false(mry_page_sum_holds(page, locks));
    mry_page_sum_put(page, locks);
    assert_true(mry_page_sum_holds(page, locks));
}

/* ---- the file below SQLite --------------------------------------------------------------------- */

/* A file that is open as SQLite opens it. */
typedef struct raw {
    sqlite3_vfs *vfs;
    sqlite3_file *file;
} raw;

static raw raw_open(const char *path)
{
    raw r = { .vfs = sqlite3_vfs_find(mry_page_sums_vfs()) };
    int flags = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE;
    r.file = calloc(1, (size_t)r.vfs->szOsFile);
    /* SQLite puts a zero and the parameters of a URI behind a name. */
    char *name = calloc(1, strlen(path) + 16);
    strcpy(name + 4, path);
    assert_int_equal(r.vfs->xOpen(r.vfs, name + 4, r.file, flags, NULL), SQLITE_OK);
    r.file->pMethods->xClose(r.file);
    assert_int_equal(r.vfs->xOpen(r.vfs, name + 4, r.file, flags, NULL), SQLITE_OK);
    free(name);
    return r;
}

/* Newer SQLites read parts of pages; others only whole ones. */
SMALL_CASE(parts_of_a_page_are_read_out_of_the_checked_one)
{
    enum { PAGES = 3, PART = 500 };
    unsigned char bytes[PAGES * MRY_PAGE_BYTES], got[2 * MRY_PAGE_BYTES + 1];
    for (int i = 0; i < PAGES * MRY_PAGE_BYTES; i++) bytes[i] = (unsigned char)(i * i >> 5);
    for (int i = 0; i < PAGES; i++) mry_page_sum_put(bytes + i * MRY_PAGE_BYTES, i);
    bytes[2 * MRY_PAGE_BYTES + 5] ^= 1;
    test_file_write(p->path, bytes, sizeof bytes);
    raw r = raw_open(p->path);
    const sqlite3_io_methods *call = r.file->pMethods;
    static const struct {
        int count, start, rc;
    } rows[] = {
        { PART, 0, SQLITE_OK },
        { PART, MRY_PAGE_BYTES + 7, SQLITE_OK },
        { PART, 2 * MRY_PAGE_BYTES - PART, SQLITE_OK },
        { 1, MRY_PAGE_BYTES, SQLITE_OK },
        { MRY_PAGE_BYTES, MRY_PAGE_BYTES, SQLITE_OK },
        { PART, 2 * MRY_PAGE_BYTES + 7, SQLITE_IOERR_DATA }, /* of the damaged one */
        { MRY_PAGE_BYTES, 2 * MRY_PAGE_BYTES, SQLITE_IOERR_DATA },
        { 100, 0, SQLITE_OK },                                         /* the header, unchecked */
        { 2 * MRY_PAGE_BYTES, MRY_PAGE_BYTES, SQLITE_OK },             /* several, unchecked */
        { PART, PAGES * MRY_PAGE_BYTES + 7, SQLITE_IOERR_SHORT_READ }, /* behind the end */
        { MRY_PAGE_BYTES, PAGES * MRY_PAGE_BYTES, SQLITE_IOERR_SHORT_READ },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(got, 0xee, sizeof got);
        int rc = call->xRead(r.file, got, rows[i].count, rows[i].start);
        if (rc != rows[i].rc) fail_msg("read %d: %d", (int)i, rc);
        if (rc == SQLITE_OK) assert_memory_equal(got, bytes + rows[i].start, (size_t)rows[i].count);
        for (int k = 0; rc == SQLITE_IOERR_SHORT_READ && k < rows[i].count; k++)
            assert_int_equal(got[k], 0);
        assert_int_equal(got[rows[i].count], 0xee);
    }
    /* A page that the end cuts in two is damage, also where a part of it is asked for. */
    assert_int_equal(call->xTruncate(r.file, 2 * MRY_PAGE_BYTES - 9), SQLITE_OK);
    assert_int_equal(call->xRead(r.file, got, MRY_PAGE_BYTES, MRY_PAGE_BYTES), SQLITE_IOERR_DATA);
    assert_int_equal(call->xRead(r.file, got, PART, MRY_PAGE_BYTES + 9), SQLITE_IOERR_DATA);
    call->xClose(r.file);
    free(r.file);
}

SMALL_CASE(only_whole_pages_are_written)
{
    unsigned char page[2 * MRY_PAGE_BYTES] = { 1, 2, 3 };
    sqlite3_int64 size = 0;
    test_file_write(p->path, "", 0);
    raw r = raw_open(p->path);
    const sqlite3_io_methods *call = r.file->pMethods;
    assert_int_equal(call->xWrite(r.file, page, 2 * MRY_PAGE_BYTES, 0), SQLITE_IOERR_WRITE);
    assert_int_equal(call->xWrite(r.file, page, MRY_PAGE_BYTES - 1, 0), SQLITE_IOERR_WRITE);
    assert_int_equal(call->xWrite(r.file, page, MRY_PAGE_BYTES, 8), SQLITE_IOERR_WRITE);
    assert_int_equal(call->xFileSize(r.file, &size), SQLITE_OK);
    assert_int_equal(size, 0);
    assert_int_equal(call->xWrite(r.file, page, MRY_PAGE_BYTES, MRY_PAGE_BYTES), SQLITE_OK);
    assert_int_equal(call->xRead(r.file, page, MRY_PAGE_BYTES, MRY_PAGE_BYTES), SQLITE_OK);
    assert_true(page[0] == 1 && mry_page_sum_holds(page, 1));
    call->xClose(r.file);
    free(r.file);
}

/* What has nothing to do with pages is that of the file below, and of its VFS. */
SMALL_CASE(all_else_is_handed_down)
{
    sqlite3_vfs *lower = sqlite3_vfs_find(NULL);
    int taken = 1;
    double days = 0;
    char bytes[8] = { 0 }, zeros[8] = { 0 };
    test_file_write(p->path, "", 0);
    raw r = raw_open(p->path);
    const sqlite3_io_methods *call = r.file->pMethods;
    assert_int_equal(call->xCheckReservedLock(r.file, &taken), SQLITE_OK);
    assert_int_equal(taken, 0);
    assert_true(call->xSectorSize(r.file) > 0);
    assert_int_equal(call->xClose(r.file), SQLITE_OK);
    assert_null(r.file->pMethods);
    free(r.file);
    assert_int_equal(r.vfs->xRandomness(r.vfs, 8, bytes), 8);
    assert_memory_not_equal(bytes, zeros, 8);
    assert_true(r.vfs->xSleep(r.vfs, 1) >= 0);
    assert_int_equal(r.vfs->xCurrentTime(r.vfs, &days), SQLITE_OK);
    assert_true(days > 2460000); /* 2023 */
    assert_int_equal(r.vfs->mxPathname, lower->mxPathname);
}

/* Ours lies above what is SQLite's own when it is first asked for; so it goes, and comes anew. */
static void vfs_over(sqlite3_vfs *lower)
{
    sqlite3_vfs *ours = sqlite3_vfs_find("marey-sums");
    if (ours) sqlite3_vfs_unregister(ours);
    if (lower) sqlite3_vfs_register(lower, 1);
}

/* A file needs shared memory beside it, for its log; one VFS has none. */
SMALL_CASE(a_vfs_without_shared_memory_is_refused)
{
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL), *other = sqlite3_vfs_find("unix-dotfile");
    if (!other) test_skip("this SQLite has no such VFS");
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    OWNED(mry_arena) tmp = mry_arena_make(p->ctx);
    sqlite3 *db = NULL;
    vfs_over(other);
    int rc = mry_connect(&tmp, p->path, SQLITE_OPEN_READWRITE, "", &db);
    sqlite3_close(db);
    vfs_over(usual);
    assert_int_equal(rc, SQLITE_CANTOPEN);
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_WRITE));
}

SMALL_CASE(a_vfs_without_words_has_none)
{
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL), mute = *usual;
    char text[100] = "kept";
    mute.zName = "mute";
    mute.pNext = NULL;
    mute.xGetLastError = NULL;
    vfs_over(&mute);
    sqlite3_vfs *ours = sqlite3_vfs_find(mry_page_sums_vfs());
    int said = ours->xGetLastError(ours, sizeof text, text);
    vfs_over(usual);
    sqlite3_vfs_unregister(&mute);
    assert_int_equal(said, 0);
    assert_string_equal(text, "kept");
    ours = sqlite3_vfs_find(mry_page_sums_vfs());
    ours->xGetLastError(ours, sizeof text, text);
}

SMALL_CASE(without_any_vfs_nothing_is_opened)
{
    enum { MOST = 20 };
    sqlite3_vfs *all[MOST];
    OWNED(mry_arena) tmp = mry_arena_make(p->ctx);
    sqlite3 *db = NULL;
    int count = 0;
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_CREATE));
    vfs_over(NULL);
    while (count < MOST && (all[count] = sqlite3_vfs_find(NULL)))
        sqlite3_vfs_unregister(all[count++]);
    const char *name = mry_page_sums_vfs();
    int rc = mry_connect(&tmp, p->path, SQLITE_OPEN_READWRITE, "", &db);
    while (count > 0) sqlite3_vfs_register(all[--count], 1);
    assert_null(name);
    assert_int_equal(rc, SQLITE_NOMEM);
    mry_store_close(small_open(p->ctx, p->path, MRY_STORE_WRITE));
}

/* ---- blobs ----------------------------------------------------------------------------------- */

/* What a row says of a frame must be what the frame says, and be possible. */
SMALL_CASE(a_blob_that_claims_what_cannot_be_is_damaged)
{
    enum { BLOCKS = 6000, BLOCK = 128 << 10 };
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    static const char text[] = "a text that is stored, of some length, and some length";
    mry_packed right, forged;
    void *bytes = NULL;
    size_t count;
    assert_true(mry_blob_pack(&mem, text, sizeof text, 0, &right));
    test_ok(mry_blob_unpack(store, 1, &right, 1000, &mem, &bytes, &count, &test_error));
    bytes = NULL;
    char frame[300];
    assert_true(right.packed_size < sizeof frame);
    for (int way = 0; way < 6; way++) {
        memset(frame, 0, sizeof frame);
        memcpy(frame, right.bytes, right.packed_size);
        forged = right;
        forged.bytes = frame;
        if (way == 0) forged.size++;
        if (way == 1) forged.packed_size++; /* a byte behind it */
        if (way == 2) forged.packed_size--;
        if (way == 3) forged.sum++;
        if (way == 4) frame[0] ^= 1; /* no frame */
        /* One block that is a run of a byte, said to be of the kind that is none. */
        if (way == 5) frame[6] |= 6;
        test_refused(mry_blob_unpack(store, 5, &forged, 1000, &mem, &bytes, &count, &test_error),
                     MAREY_ERR_DAMAGED, "stored data 5 is damaged; run marey verify");
        assert_null(bytes);
    }
    /* A sound frame of 6000 runs of a zero: 750 MiB out of 24 kB. And one that says so and has a single run. */
    FREED unsigned char *runs = calloc(BLOCKS + 4, 4);
    uint64_t size = (uint64_t)BLOCKS * BLOCK;
    for (int blocks = 1; blocks <= BLOCKS; blocks += BLOCKS - 1) {
        size_t at = 0;
        static const unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x38 };
        memcpy(runs, head, sizeof head); /* a frame, its size in 8 bytes, a window of 128 KiB */
        at = sizeof head;
        for (int i = 0; i < 8; i++) runs[at++] = (unsigned char)(size >> 8 * i);
        for (int i = 0; i < blocks; i++) {
            uint32_t block = (uint32_t)BLOCK << 3 | 1 << 1 | (i + 1 == blocks);
            for (int k = 0; k < 3; k++) runs[at++] = (unsigned char)(block >> 8 * k);
            runs[at++] = 0;
        }
        forged = (mry_packed){ (size_t)size, 0, runs, at };
        test_refused_about(
            mry_blob_unpack(store, 5, &forged, SIZE_MAX, &mem, &bytes, &count, &test_error),
            MAREY_ERR_DAMAGED, "is damaged");
        assert_null(bytes);
    }
    assert_true(marey_ctx_bytes_peak(p->ctx) < 4 << 20); /* it is not believed */
}

/* Wherever a frame is wrong inside it is damaged; never is memory what is missing. */
SMALL_CASE(every_changed_byte_of_a_frame_is_damage)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    char text[2000];
    mry_packed right;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + i * i % 7 + i / 90 % 5);
    assert_true(mry_blob_pack(&mem, text, sizeof text, 0, &right));
    assert_true(right.packed_size < sizeof text / 2);
    FREED char *frame = malloc(right.packed_size);
    for (size_t at = 0; at < right.packed_size; at++) {
        mry_packed forged = right;
        void *bytes = NULL;
        size_t count;
        memcpy(frame, right.bytes, right.packed_size);
        frame[at] ^= 0x55;
        forged.bytes = frame;
        if (mry_blob_unpack(store, 5, &forged, 3000, &mem, &bytes, &count, &test_error) !=
            MAREY_ERR_DAMAGED)
            fail_msg("byte %zu: %s", at, test_error.message);
        assert_null(bytes);
    }
}

SMALL_CASE(what_may_be_asked_for_has_a_limit)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    mry_packed packed;
    const size_t still = (size_t)640 << 20;
    assert_int_equal(mry_most_unpacked(0), still);
    assert_int_equal(mry_most_unpacked(1000), still + 256000);
    assert_true(mry_most_unpacked(SIZE_MAX) == SIZE_MAX);
    assert_true(mry_most_unpacked((SIZE_MAX - still) / 256 + 1) == SIZE_MAX);
    assert_false(mry_blob_pack(&mem, "", SIZE_MAX, 0, &packed)); /* more than zstd takes */
    assert_true(mry_blob_pack(&mem, "x", 1, 0, &packed));
    test_ok(mry_blob_put(store, "thing", "without its id", &packed, NULL, NULL));
    mry_store_close(store);
    store = small_open(p->ctx, p->path, MRY_STORE_READ);
    int64_t id = 77;
    test_ok(mry_blob_find(store, "thing", "none", &id, NULL));
    assert_int_equal(id, 0);
    assert_int_equal(mry_blob_put(store, "thing", "more", &packed, &id, NULL), MAREY_ERR_INPUT);
    assert_int_equal(id, 0);
}

SMALL_CASE(a_blob_comes_back_as_it_went_in)
{
    static const size_t sizes[] = { 0, 1, 4000, 5000, 70000, 1000000 };
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    for (int i = 0; i < 12; i++) {
        size_t count = sizes[i / 2];
        unsigned char *bytes = mry_arena_zero(&mem, count, 1);
        for (size_t k = 0; i % 2 && k < count; k++) bytes[k] = (unsigned char)(k * k >> 5);
        mry_packed packed;
        int64_t id = 0, found = 0;
        char name[32];
        snprintf(name, sizeof name, "blob %d", i);
        assert_true(mry_blob_pack(&mem, bytes, count, i, &packed));
        test_ok(mry_blob_put(store, "thing", name, &packed, &id, NULL));
        test_ok(mry_blob_find(store, "thing", name, &found, NULL));
        assert_true(id > 0 && found == id);
        void *back;
        size_t back_count;
        test_ok(mry_blob_get(store, id, count, &mem, &back, &back_count, NULL));
        assert_int_equal(back_count, count);
        assert_memory_equal(back, bytes, count);
        if (count) {
            test_refused_about(
                mry_blob_get(store, id, count - 1, &mem, &back, &back_count, &test_error),
                MAREY_ERR_INPUT, "at most");
        }
    }
    assert_int_equal(small_problems(store), 0);
}

SMALL_CASE(a_blob_of_the_same_name_replaces_and_keeps_its_id)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    mry_packed one, two;
    int64_t id = 0, other = 0, again = 0;
    void *bytes;
    size_t count;
    assert_true(mry_blob_pack(&mem, "one", 3, 0, &one) &&
                mry_blob_pack(&mem, "second", 6, 0, &two));
    mry_blob_put(store, "a", "x", &one, &id, NULL);
    mry_blob_put(store, "b", "x", &one, &other, NULL);
    mry_blob_put(store, "a", "x", &two, &again, NULL);
    assert_true(id == again && id != other);
    test_ok(mry_blob_get(store, id, 100, &mem, &bytes, &count, NULL));
    assert_memory_equal(bytes, "second", 6);
    test_ok(mry_blob_remove(store, id, NULL));
    test_refused_about(mry_blob_get(store, id, 100, &mem, &bytes, &count, &test_error),
                       MAREY_ERR_INPUT, "there is no");
    test_ok(mry_blob_find(store, "a", "x", &id, NULL));
    assert_int_equal(id, 0);
}

/* ---- statements ------------------------------------------------------------------------------ */

SMALL_CASE(values_of_every_kind_come_back)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    for (int round = 0; round < 2; round++) { /* the second uses the kept statement */
        mry_query query = mry_query_start(store, "SELECT ?1, ?2, ?3, ?4, ?5, ?6");
        mry_bind_integer(&query, 1, INT64_MIN);
        mry_bind_number(&query, 2, 0.1);
        mry_bind_text(&query, 3, "d\xc3\xa9j\xc3\xa0 vu");
        mry_bind_text(&query, 4, NULL);
        mry_bind_bytes(&query, 5, "a\0b", 3);
        mry_bind_bytes(&query, 6, NULL, 0);
        size_t count = 9;
        assert_true(mry_query_next(&query));
        assert_true(mry_column_integer(&query, 0) == INT64_MIN);
        assert_true(mry_column_number(&query, 1) == 0.1);
        assert_string_equal(mry_column_text(&query, 2), "d\xc3\xa9j\xc3\xa0 vu");
        assert_true(mry_column_is_null(&query, 3));
        assert_string_equal(mry_column_text(&query, 3), "");
        assert_memory_equal(mry_column_bytes(&query, 4, &count), "a\0b", 3);
        assert_int_equal(count, 3);
        assert_non_null(mry_column_bytes(&query, 5, &count));
        assert_int_equal(count, 0);
        assert_false(mry_column_is_null(&query, 5));
        assert_false(mry_query_next(&query));
        test_ok(mry_query_end(&query, NULL));
    }
}

/* A forged row may have anything anywhere. */
SMALL_CASE(bytes_of_no_length_are_a_text_of_none)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    size_t count = 9;
    mry_query query = mry_query_start(store, "SELECT x'', zeroblob(0), ''");
    assert_true(mry_query_next(&query));
    for (int i = 0; i < 3; i++) assert_string_equal(mry_column_text(&query, i), "");
    assert_non_null(mry_column_bytes(&query, 1, &count));
    assert_int_equal(count, 0);
    test_ok(mry_query_end(&query, &test_error));
}

static const char *const pairs_sql = "SELECT id FROM note ORDER BY id";

SMALL_CASE(a_statement_can_be_used_inside_itself)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    test_ok(small_add(store, 40, 10, NULL));
    int pairs = 0;
    mry_query outer = mry_query_start(store, pairs_sql);
    while (mry_query_next(&outer)) {
        mry_query inner = mry_query_start(store, pairs_sql);
        while (mry_query_next(&inner)) pairs++;
        test_ok(mry_query_end(&inner, NULL));
    }
    test_ok(mry_query_end(&outer, NULL));
    assert_int_equal(pairs, 1600);
}

SMALL_CASE(a_failure_stays_in_the_query_until_its_end)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    mry_query query = mry_query_start(store, "SELECT nonsense FROM nowhere");
    size_t count;
    mry_bind_integer(&query, 1, 1);
    mry_bind_text(&query, 2, "x");
    assert_false(mry_query_next(&query));
    assert_int_equal(mry_column_integer(&query, 0), 0);
    assert_string_equal(mry_column_text(&query, 0), "");
    assert_non_null(mry_column_bytes(&query, 0, &count));
    assert_true(mry_column_is_null(&query, 0) && mry_column_number(&query, 0) == 0);
    mry_bind_number(&query, 1, 1);
    mry_bind_bytes(&query, 1, "x", 1);
    test_refused_about(mry_query_end(&query, &test_error), MAREY_ERR_INPUT, "nowhere");
    test_ok(small_add(store, 1, 10, NULL));
    test_refused_about(
        mry_store_run(store, "INSERT INTO note (text, blob) VALUES ('note 0', 1)", &test_error),
        MAREY_ERR_REQUEST, "note.text");
    assert_int_equal(
        mry_store_run(store, "INSERT INTO note (text, blob) VALUES ('x', 99)", &test_error),
        MAREY_ERR_REQUEST);
}

/* ---- transactions ---------------------------------------------------------------------------- */

SMALL_CASE(what_is_committed_stays_and_what_is_not_goes)
{
    mry_store *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    uint64_t before, after;
    int64_t notes;
    test_ok(small_add(store, 3, 5000, NULL));
    test_ok(small_dump(store, &before, &notes));
    assert_int_equal(notes, 3);
    test_ok(mry_store_begin(store, NULL));
    test_ok(mry_store_run(store, "DELETE FROM note WHERE id = 1", NULL));
    assert_int_equal(mry_store_changes(store), 1);
    mry_store_rollback(store);
    mry_store_rollback(store);
    test_ok(mry_store_begin(store, NULL));
    test_ok(mry_store_run(store, "DELETE FROM note", NULL));
    mry_store_close(store); /* rolls back */
    assert_int_equal(test_folder_count(p->folder), 1);
    store = small_open(p->ctx, p->path, MRY_STORE_READ);
    assert_false(mry_store_can_write(store));
    test_ok(small_dump(store, &after, &notes));
    assert_true(before == after);
    assert_string_equal(mry_store_path(store), p->path);
    mry_store_close(store);
    assert_int_equal(test_folder_count(p->folder), 1);
}

SMALL_CASE(a_commit_that_fails_is_rolled_back)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    int64_t notes;
    uint64_t hash;
    test_ok(small_add(store, 2, 100, NULL));
    test_ok(mry_store_begin(store, NULL));
    /* Deferred keys are looked at by the commit. */
    test_ok(mry_store_run(store, "PRAGMA defer_foreign_keys = ON; DELETE FROM blob", NULL));
    test_refused_about(mry_store_commit(store, &test_error), MAREY_ERR_REQUEST, "FOREIGN KEY");
    test_ok(small_dump(store, &hash, &notes));
    assert_int_equal(notes, 2);
    test_ok(small_add(store, 1, 100, NULL));
}

SMALL_CASE(a_reader_keeps_its_view_and_cannot_write)
{
    mry_store *writer = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    mry_store *reader = small_open(p->ctx, p->path, MRY_STORE_READ);
    test_ok(mry_store_snapshot(reader, NULL));
    test_ok(small_add(writer, 5, 3000, NULL));
    mry_query query = mry_query_start(reader, "SELECT count(*) FROM note");
    assert_true(mry_query_next(&query));
    assert_int_equal(mry_column_integer(&query, 0), 0);
    mry_query_end(&query, NULL);
    mry_store_rollback(reader);
    int64_t notes;
    uint64_t hash;
    test_ok(small_dump(reader, &hash, &notes));
    assert_int_equal(notes, 5);
    test_refused_about(mry_store_begin(reader, &test_error), MAREY_ERR_INPUT, "is read-only");
    assert_int_equal(mry_store_run(reader, "DELETE FROM note", NULL), MAREY_ERR_INPUT);
    assert_int_equal(small_problems(reader), 0);
    mry_store_close(writer);
    test_ok(small_dump(reader, &hash, &notes));
    mry_store_close(reader); /* the last to close, and still nothing stays */
    assert_int_equal(test_folder_count(p->folder), 1);
}

/* The reader's view keeps the log from being moved into the file as a whole. */
SMALL_CASE(verify_finds_nothing_wrong_while_others_read_and_write)
{
    mry_store *writer = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    mry_store *reader = small_open(p->ctx, p->path, MRY_STORE_READ);
    mry_store *judge = small_open(p->ctx, p->path, MRY_STORE_READ);
    for (int i = 0; i < 12; i++) {
        test_ok(small_add(writer, 3 + i, 30000, NULL));
        if (i % 3 == 0) {
            mry_store_rollback(reader);
            test_ok(mry_store_snapshot(reader, NULL));
        }
        if (i % 4 == 2) {
            const char *free_pages = "CREATE TABLE gone AS SELECT * FROM blob; DROP TABLE gone";
            test_ok(mry_store_run(writer, free_pages, NULL));
        }
        assert_int_equal(small_problems(judge), 0);
    }
    mry_store_close(judge);
    mry_store_close(writer);
    assert_int_equal(small_problems(reader), 0);
    mry_store_close(reader);
    assert_int_equal(small_problems_at(p->ctx, p->path), 0);
    assert_int_equal(test_folder_count(p->folder), 1);
}

SMALL_CASE(a_second_writer_fails_after_five_seconds_or_on_cancel)
{
    OWNED(mry_store) *first = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_store) *second = small_open(p->ctx, p->path, MRY_STORE_WRITE);
    test_ok(mry_store_begin(first, NULL));
    double start = test_seconds();
    test_refused_about(mry_store_begin(second, &test_error), MAREY_ERR_BUSY,
                       "another program is writing");
    assert_true(test_seconds() - start > 4.5);
    marey_ctx_cancel(p->ctx);
    assert_int_equal(mry_store_begin(second, &test_error), MAREY_ERR_CANCELLED);
    marey_ctx_resume(p->ctx);
    mry_store_rollback(first);
    test_ok(mry_store_begin(second, &test_error));
}

TEST_GROUP_OF_CASES(test_store, NULL, NULL)
