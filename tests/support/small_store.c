/* small_store.c - the notes, their counter and their bytes. */
#include "small_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_inside.h"
#include "support.h"

int small_place_make(void **state)
{
    small_place *p = calloc(1, sizeof *p);
    marey_ctx_def def = { .threads = 1, .byte_limit = SMALL_LIMIT };
    test_ok(marey_ctx_open(&def, &p->ctx));
    test_folder_make(p->folder, sizeof p->folder);
    snprintf(p->path, sizeof p->path, "%s/small.marey", p->folder);
    *state = p;
    return 0;
}

int small_place_free(void **state)
{
    FREED small_place *p = *state;
    test_folder_remove(p->folder);
    test_ctx_close(p->ctx);
    return 0;
}

static const char *const steps[] = {
    "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE,"
    " blob INTEGER NOT NULL REFERENCES blob (id));"
    "CREATE TABLE counter (notes INTEGER NOT NULL);"
    "INSERT INTO counter VALUES (0)",
    "ALTER TABLE note ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",
};

const mry_schema small_schema = { .application_id = 0x736d616c, .step_count = 1, .steps = steps };
const mry_schema small_schema_2 = { .application_id = 0x736d616c, .step_count = 2, .steps = steps };

mry_store *small_open(marey_ctx *ctx, const char *path, mry_store_mode mode)
{
    mry_store *store = NULL;
    test_ok(mry_store_open(ctx, path, mode, &small_schema, &store, &test_error));
    return store;
}

void small_make(marey_ctx *ctx, const char *path, int count, size_t bytes)
{
    OWNED(mry_store) *store = small_open(ctx, path, MRY_STORE_CREATE);
    test_ok(small_add(store, count, bytes, &test_error));
}

uint64_t small_hash(marey_ctx *ctx, const char *path, int64_t *notes)
{
    OWNED(mry_store) *store = small_open(ctx, path, MRY_STORE_READ);
    uint64_t hash;
    test_ok(small_dump(store, &hash, notes));
    return hash;
}

/* Bytes that depend on the note alone, so that a reader can tell them right from wrong. */
static void fill(unsigned char *bytes, size_t count, int64_t note)
{
    uint64_t state = (uint64_t)note * 0x9e3779b97f4a7c15u + 1;
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes[i] = (unsigned char)(state >> 32);
    }
}

static marey_status add_one(mry_store *store, mry_arena *tmp, int64_t note, size_t count,
                            marey_error *error)
{
    char name[64];
    int64_t blob = 0;
    mry_packed packed;
    unsigned char *bytes = mry_arena_take(tmp, count, 1);
    if (!bytes) return mry_fail_memory(error, NULL);
    fill(bytes, count, note);
    if (!mry_blob_pack(tmp, bytes, count, 1, &packed)) return mry_fail_memory(error, NULL);
    snprintf(name, sizeof name, "note %" PRId64, note);
    marey_status status = mry_blob_put(store, "note", name, &packed, &blob, error);
    if (status != MAREY_OK) return status;
    mry_query query = mry_query_start(store, "INSERT INTO note (text, blob) VALUES (?1, ?2)");
    mry_bind_text(&query, 1, name);
    mry_bind_integer(&query, 2, blob);
    mry_query_next(&query);
    return mry_query_end(&query, error);
}

static marey_status count_notes(mry_store *store, int64_t *notes, marey_error *error)
{
    mry_query query = mry_query_start(store, "SELECT notes FROM counter");
    int64_t got = mry_query_next(&query) ? mry_column_integer(&query, 0) : -1;
    marey_status status = mry_query_end(&query, error);
    if (status == MAREY_OK) *notes = got;
    return status;
}

marey_status small_add(mry_store *store, int count, size_t bytes, marey_error *error)
{
    int64_t notes = 0;
    marey_status status = mry_store_begin(store, error);
    if (status != MAREY_OK) return status;
    status = count_notes(store, &notes, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        OWNED(mry_arena) tmp = mry_arena_make(store->ctx);
        status = add_one(store, &tmp, notes + i, bytes, error);
    }
    if (status == MAREY_OK) {
        mry_query query = mry_query_start(store, "UPDATE counter SET notes = notes + ?1");
        mry_bind_integer(&query, 1, count);
        mry_query_next(&query);
        status = mry_query_end(&query, error);
    }
    if (status == MAREY_OK) return mry_store_commit(store, error);
    mry_store_rollback(store);
    return status;
}

/* ---- reading it all -------------------------------------------------------------------------- */

static marey_status dump_note(mry_store *store, mry_query *row, int64_t note, uint64_t *hash)
{
    OWNED(mry_arena) tmp = mry_arena_make(store->ctx);
    void *bytes;
    size_t count;
    const char *text = mry_column_text(row, 1);
    *hash = mry_hash64(text, strlen(text), *hash);
    int64_t blob = mry_column_integer(row, 2);
    marey_status status = mry_blob_get(store, blob, 1 << 24, &tmp, &bytes, &count, NULL);
    if (status == MAREY_OK) {
        *hash = mry_hash64(bytes, count, *hash);
        unsigned char *right = mry_arena_take(&tmp, count, 1);
        if (right) fill(right, count, note);
        if (!right) status = MAREY_ERR_MEMORY;
        if (right && memcmp(right, bytes, count) != 0) status = MAREY_ERR_INPUT;
    }
    return status;
}

marey_status small_dump(mry_store *store, uint64_t *hash, int64_t *notes)
{
    int64_t counted = 0, seen = 0;
    *hash = 1;
    marey_status status = mry_store_snapshot(store, NULL);
    if (status == MAREY_OK) {
        status = count_notes(store, &counted, NULL);
        mry_query query = mry_query_start(store, "SELECT id, text, blob FROM note ORDER BY id");
        while (status == MAREY_OK && mry_query_next(&query))
            status = dump_note(store, &query, seen++, hash);
        marey_status ended = mry_query_end(&query, NULL);
        if (status == MAREY_OK) status = ended;
        if (status == MAREY_OK && seen != counted) status = MAREY_ERR_INPUT;
        if (notes) *notes = seen;
    }
    mry_store_rollback(store);
    return status;
}

/* ---- verify ---------------------------------------------------------------------------------- */

static void ignore(void *user, const char *problem)
{
    (void)user;
    if (getenv("MAREY_SHOW")) print_message("%s\n", problem);
}

int64_t small_problems(mry_store *store)
{
    int64_t problems = -1;
    mry_verify_def def = { .found = ignore };
    test_ok(mry_store_verify(store, &def, &problems, &test_error));
    return problems;
}

int64_t small_problems_at(marey_ctx *ctx, const char *path)
{
    mry_store *store = NULL;
    int64_t problems = -1;
    mry_verify_def def = { .found = ignore };
    if (mry_store_open(ctx, path, MRY_STORE_READ, &small_schema, &store, NULL) == MAREY_OK) {
        if (mry_store_verify(store, &def, &problems, NULL) != MAREY_OK) problems = -1;
        mry_store_close(store);
    } else if (mry_store_verify_pages(ctx, path, &def, &problems, NULL) != MAREY_OK) {
        problems = -1;
    }
    return problems;
}
