/* test_changes.c - changes as bytes: what SQLite noted is read and applied, what was forged is refused before SQLite sees
   it, and where it meets other rows it says which. */
#include "support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "small_store.h"
#include "store/store_inside.h"

static const char *const tables[] = { "note", "blob", NULL };

/* One note more, changed and gone, as bytes. */
static void *note_changes(mry_store *store, mry_arena *mem, size_t *count)
{
    void *bytes = NULL;
    test_ok(mry_store_begin(store, &test_error));
    test_ok(mry_changes_note(store, tables, &test_error));
    test_ok(mry_store_run(store,
                          "INSERT INTO note (text, blob) VALUES ('new', 1);"
                          "UPDATE note SET text = 'changed' WHERE id = 1;"
                          "DELETE FROM note WHERE id = 2",
                          &test_error));
    test_ok(mry_changes_noted(store, mem, &bytes, count, &test_error));
    test_ok(mry_store_commit(store, &test_error));
    return bytes;
}

static marey_status apply(mry_store *store, const void *bytes, size_t count, bool back,
                          mry_conflict *conflict)
{
    test_ok(mry_store_begin(store, &test_error));
    marey_status status =
        mry_changes_apply(store, tables, bytes, count, back, conflict, &test_error);
    if (status) mry_store_rollback(store);
    if (!status) test_ok(mry_store_commit(store, &test_error));
    return status;
}

SMALL_CASE(changes_are_taken_back_and_made_again)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    mry_conflict conflict;
    size_t count, none = 1;
    void *nothing = &mem;
    int64_t rows = 0, sum;
    test_ok(mry_changes_noted(store, &mem, &nothing, &none, &test_error)); /* outside of any */
    assert_true(none == 0 && !nothing);
    test_ok(small_add(store, 3, 100, &test_error));
    void *bytes = note_changes(store, &mem, &count);
    test_ok(mry_changes_read(store, tables, bytes, count, NULL, NULL, &rows, &test_error));
    assert_int_equal(rows, 3);
    for (int back = 1; back >= 0; back--) {
        test_ok(apply(store, bytes, count, back, &conflict));
        test_ok(mry_query_finish(mry_query_start(store, "SELECT sum(id * length(text)) FROM note"),
                                 &sum, &test_error));
        assert_int_equal(sum, back ? 6 + 12 + 18 : 7 + 18 + 12);
    }
    /* Nothing changes nothing, and has no address. */
    test_ok(mry_changes_read(store, tables, NULL, 0, NULL, NULL, &rows, &test_error));
    assert_int_equal(rows, 0);
    test_ok(mry_changes_read(store, tables, NULL, 0, NULL, NULL, NULL, &test_error));
}

/* Each of them meets something else than it was made on. */
SMALL_CASE(a_conflict_says_which_row_and_whether_it_is_taken)
{
    static const struct {
        const char *meanwhile;
        bool back;
        int table;
        int64_t key;
        bool taken;
    } rows[] = {
        { "UPDATE note SET text = 'other' WHERE id = 1", true, 0, 1, false },
        { "DELETE FROM note WHERE id = 4", true, 0, 4, false },
        { "UPDATE note SET text = 'note 1' WHERE id = 3", true, 0, 2, true },
        { "INSERT INTO note (id, text, blob) VALUES (2, 'sits there', 1)", true, 0, 2, true },
        { "DELETE FROM blob WHERE id = 2", true, -1, 0, false },
        { "UPDATE note SET text = 'x' WHERE id = 1", false, 0, 1, false },
    };
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    size_t count;
    test_ok(small_add(store, 3, 100, &test_error));
    void *bytes = note_changes(store, &mem, &count);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mry_conflict conflict = { .table = 9 };
        test_ok(mry_store_begin(store, &test_error));
        test_ok(mry_store_run(store, rows[i].meanwhile, &test_error));
        test_refused(
            mry_changes_apply(store, tables, bytes, count, rows[i].back, &conflict, &test_error),
            MAREY_ERR_STALE, "the library is not as this step of its history left it");
        mry_store_rollback(store);
        if (conflict.table != rows[i].table || conflict.key != rows[i].key ||
            conflict.taken != rows[i].taken)
            fail_msg("%d: table %d, row %d, %s", (int)i, conflict.table, (int)conflict.key,
                     conflict.taken ? "taken" : "not taken");
    }
}

/* ---- forged ------------------------------------------------------------------------------------ */

static marey_status stop_at_once(void *user, const mry_change *change, marey_error *error)
{
    ++*(int *)user;
    assert_true(change->table == 0);
    return mry_fail_cancelled(error);
}

SMALL_CASE(a_caller_that_has_had_enough_is_called_no_more)
{
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    OWNED(mry_arena) mem = mry_arena_make(p->ctx);
    size_t count;
    int seen = 0;
    int64_t rows = 7;
    test_ok(small_add(store, 3, 100, &test_error));
    void *bytes = note_changes(store, &mem, &count);
    assert_int_equal(
        mry_changes_read(store, tables, bytes, count, stop_at_once, &seen, &rows, &test_error),
        MAREY_ERR_CANCELLED);
    assert_true(seen == 1 && rows == 7);
}

#define TABLE "T\3\1\0\0note\0"
#define TEXT(text) "\3" text
#define INTEGER "\1\0\0\0\0\0\0\0\5"
#define BYTES(text) text, sizeof text - 1

/* A table of three columns of which the first is the key; what follows it. */
SMALL_CASE(every_byte_of_changes_is_checked)
{
    static const struct {
        const char *bytes;
        size_t count;
        int rows; /* -1: refused */
    } rows[] = {
        { BYTES(""), 0 },
        { BYTES(TABLE), 0 },
        { BYTES(TABLE "\x12\0" INTEGER TEXT("\2ab") INTEGER), 1 },
        { BYTES(TABLE "\x12\1" INTEGER "\5\4\0"), 1 }, /* null and no bytes */
        { BYTES(TABLE "\x09\0" INTEGER "\2"
                      "abcdefgh" INTEGER),
          1 },
        { BYTES(TABLE "\x17\0" INTEGER "\0" INTEGER "\0\0" INTEGER), 1 },
        { BYTES(TABLE "\x12\2" INTEGER TEXT("\2ab") INTEGER), -1 }, /* neither direct nor not */
        { BYTES(TABLE "\x13\0" INTEGER TEXT("\2ab") INTEGER), -1 }, /* no operation */
        { BYTES(TABLE "\x12\0" INTEGER TEXT("\2ab") "\6"), -1 },    /* no type */
        { BYTES(TABLE "\x12\0" INTEGER TEXT("\2ab") "\0"), -1 },    /* a column is not there */
        { BYTES(TABLE "\x12\0" INTEGER TEXT("\2ab") "\1\0"), -1 },  /* half an integer */
        { BYTES(TABLE "\x12\0" INTEGER TEXT("\2ab") "\2\0"), -1 },  /* half a number */
        { BYTES(TABLE "\x12\0" INTEGER "\5" TEXT("\4abc")), -1 },   /* a text that is not there */
        { BYTES(TABLE "\x12\0" INTEGER "\5" TEXT("\xff\xff\xff\xff\x7f")), -1 },
        { BYTES(TABLE "\x12\0" INTEGER "\5" TEXT("\x80\x80\x80\x80\x80\0")),
          -1 },                                                      /* too long a length */
        { BYTES(TABLE "\x17\0" INTEGER "\0" INTEGER "\0\0\0"), -1 }, /* was, and is not */
        { BYTES(TABLE "\x17\0" INTEGER "\0\0"
                      "\0\0" INTEGER),
          -1 },                                                      /* is, and was not */
        { BYTES(TABLE "\x17\0" INTEGER "\0\0" INTEGER "\0\0"), -1 }, /* another key */
        { BYTES(TABLE "\x17\0"
                      "\0\0\0"
                      "\0\0\0"),
          -1 }, /* no key */
        { BYTES(TABLE "\x12"), -1 },
        { BYTES("\x12\0" INTEGER), -1 },     /* of no table */
        { BYTES("T\3\1\0\0counter\0"), -1 }, /* which is not listed */
        { BYTES("T\3\1\0\0note"), -1 },      /* a name without its end */
        { BYTES("T\0note\0"), -1 },          /* no columns */
        { BYTES("T\x21\1\0\0note\0"), -1 },  /* too many */
        { BYTES("T\3\1"), -1 },
        { BYTES("T"), -1 },
    };
    OWNED(mry_store) *store = small_open(p->ctx, p->path, MRY_STORE_CREATE);
    mry_conflict conflict;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FREED char *exact = malloc(rows[i].count + 1); /* so that a read past its end is seen */
        int64_t found = 99;
        memcpy(exact, rows[i].bytes, rows[i].count);
        marey_status status =
            mry_changes_read(store, tables, exact, rows[i].count, NULL, NULL, &found, &test_error);
        if (status != (rows[i].rows < 0 ? MAREY_ERR_DAMAGED : MAREY_OK) ||
            found != (rows[i].rows < 0 ? 99 : rows[i].rows))
            fail_msg("row %d: status %d, %d changes", (int)i, (int)status, (int)found);
        if (rows[i].rows < 0)
            assert_int_equal(apply(store, exact, rows[i].count, false, &conflict),
                             MAREY_ERR_DAMAGED);
    }
    test_refused(mry_changes_read(store, tables, TABLE, (size_t)INT32_MAX + 1, NULL, NULL, NULL,
                                  &test_error),
                 MAREY_ERR_DAMAGED, "a step of the history is damaged; run marey verify");
}

TEST(refused_memory_is_said_and_nothing_is_kept)
{
    char folder[256], path[300];
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/small.marey", folder);
    small_make(ctx, path, 3, 100);
    mry_store *store = small_open(ctx, path, MRY_STORE_WRITE);
    marey_status status = MAREY_OK;
    mry_conflict conflict;
    for (int warm = 0; warm < 2; warm++) { /* statements are kept from the first on */
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        size_t count;
        void *bytes = note_changes(store, &mem, &count);
        test_ok(apply(store, bytes, count, true, &conflict));
    }
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        void *bytes = NULL;
        size_t count;
        test_ok(mry_store_begin(store, &test_error));
        test_ok(mry_changes_note(store, tables, &test_error));
        test_ok(mry_store_run(store, "DELETE FROM note WHERE id = 2", &test_error));
        status = mry_changes_noted(store, &mem, &bytes, &count, &test_error);
        if (!status)
            status = mry_changes_apply(store, tables, bytes, count, true, &conflict, &test_error);
        mry_store_rollback(store);
    }
    mry_store_close(store);
    test_folder_remove(folder);
}

TEST_GROUP_OF_CASES(test_changes, NULL, NULL)
