/* test_store.c - what a store promises while nothing goes wrong: sums, blobs, rows, transactions,
   several connections. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "small_store.h"
#include "store/page_sums.h"

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

/* ---- blobs ----------------------------------------------------------------------------------- */

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
