/* changes.c - what a transaction changed, to be taken back or made again: changesets of SQLite's
   session extension (https://www.sqlite.org/session/c_changeset.html). They are kept in files that
   may come from anywhere. So SQLite gets none to read that was not read here before, byte by byte:

       'T' columns key? .. name 0           a table, and the rows of it that follow:
           operation indirect row           one that came (18) or went (9)
           operation indirect row row       one that changed (23): the key and what was, what is
       row: of each column 0 (not there), 1 integer, 2 number, 3 text, 4 bytes or 5 (null)

   Integers and numbers take 8 bytes, big end first; texts and bytes begin with their length, in 7
   bits a byte, the highest first. */
#include "store/store_inside.h"

#include <string.h>

enum { TABLE_BEGINS = 'T', LENGTH_BYTES = 5 };
enum { IS_MISSING, IS_INTEGER, IS_REAL, IS_TEXT, IS_BYTES, IS_NULL };

/* ---- noting ---------------------------------------------------------------------------------- */

void mry_store_stop_recording(mry_store *store)
{
    if (store->session) sqlite3session_delete(store->session);
    store->session = NULL;
}

static marey_status start_session(mry_store *store, const char *const *tables,
                                  sqlite3_session **out, marey_error *error)
{
    int rc = sqlite3session_create(store->db, "main", out);
    for (int i = 0; rc == SQLITE_OK && tables[i]; i++) rc = sqlite3session_attach(*out, tables[i]);
    return rc == SQLITE_OK ? MAREY_OK : mry_store_note(store, rc, error);
}

marey_status mry_changes_note(mry_store *store, const char *const *tables, marey_error *error)
{
    mry_store_stop_recording(store);
    return start_session(store, tables, &store->session, error);
}

static marey_status read_session(mry_store *store, sqlite3_session *session, mry_arena *mem,
                                 void **bytes, size_t *count, marey_error *error)
{
    int size = 0;
    void *changes = NULL;
    int rc = sqlite3session_changeset(session, &size, &changes);
    if (rc != SQLITE_OK) return mry_store_note(store, rc, error);
    if (size > 0) *bytes = mry_arena_text(mem, changes, (size_t)size);
    sqlite3_free(changes);
    if (size > 0 && !*bytes) return mry_fail_memory(error, store->path);
    *count = (size_t)size;
    return MAREY_OK;
}

marey_status mry_changes_noted(mry_store *store, mry_arena *mem, void **bytes, size_t *count,
                               marey_error *error)
{
    *count = 0;
    *bytes = NULL;
    if (!store->session) return MAREY_OK;
    return read_session(store, store->session, mem, bytes, count, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    const uint8_t *p, *end;
    bool failed;
} reader;

static int get_byte(reader *in)
{
    if (in->failed || in->p == in->end) {
        in->failed = true;
        return 0;
    }
    return *in->p++;
}

/* Lengths here are below 2^31; more than five bytes are none of ours. */
static size_t get_length(reader *in)
{
    size_t value = 0;
    for (int i = 0; i < LENGTH_BYTES; i++) {
        int byte = get_byte(in);
        value = value << 7 | (size_t)(byte & 0x7f);
        if (byte < 0x80) return value;
    }
    in->failed = true;
    return 0;
}

static void skip(reader *in, size_t count)
{
    if (in->failed || count > (size_t)(in->end - in->p))
        in->failed = true;
    else
        in->p += count;
}

/* One row of values; `there`: which columns it has. */
static void get_row(reader *in, int columns, int64_t *values, bool *there)
{
    for (int i = 0; i < columns && !in->failed; i++) {
        int type = get_byte(in);
        there[i] = type != IS_MISSING;
        values[i] = 0;
        if (type == IS_INTEGER) {
            uint64_t value = 0;
            for (int k = 0; k < 8; k++) value = value << 8 | (uint64_t)get_byte(in);
            values[i] = (int64_t)value;
        } else if (type == IS_REAL) {
            skip(in, 8);
        } else if (type == IS_TEXT || type == IS_BYTES) {
            skip(in, get_length(in));
        } else if (type != IS_MISSING && type != IS_NULL) {
            in->failed = true;
        }
    }
}

/* The table that begins here; -1: none of those that are listed. `keys` says which columns its key
   has. */
static int get_table(reader *in, const char *const *tables, int *columns, bool *keys)
{
    size_t count = get_length(in);
    if (count == 0 || count > MRY_CHANGE_COLUMNS) in->failed = true;
    *columns = in->failed ? 0 : (int)count;
    for (int i = 0; i < *columns; i++) keys[i] = get_byte(in) != 0;
    const char *name = (const char *)in->p;
    const void *zero = in->failed ? NULL : memchr(in->p, 0, (size_t)(in->end - in->p));
    if (!zero) {
        in->failed = true;
        return -1;
    }
    in->p = (const uint8_t *)zero + 1;
    for (int i = 0; tables[i]; i++)
        if (strcmp(tables[i], name) == 0) return i;
    return -1;
}

marey_status mry_changes_read(const mry_store *store, const char *const *tables, const void *bytes,
                              size_t count, mry_change_fn *each, void *user, int64_t *rows,
                              marey_error *error)
{
    const uint8_t *first = bytes ? bytes : (const uint8_t *)""; /* nothing may have no address */
    reader in = { first, first + count, count > INT32_MAX };
    mry_change change = { .table = -1 };
    bool keys[MRY_CHANGE_COLUMNS] = { false };
    int64_t found = 0;
    marey_status status = MAREY_OK;
    while (!status && !in.failed && in.p < in.end) {
        int operation = get_byte(&in);
        if (operation == TABLE_BEGINS) {
            change.table = get_table(&in, tables, &change.columns, keys);
            if (change.table < 0) in.failed = true;
            continue;
        }
        bool was[MRY_CHANGE_COLUMNS] = { false }, is[MRY_CHANGE_COLUMNS] = { false };
        memset(change.before, 0, sizeof change.before);
        memset(change.after, 0, sizeof change.after);
        change.kind = operation == SQLITE_INSERT   ? MRY_CHANGE_INSERT
                      : operation == SQLITE_DELETE ? MRY_CHANGE_DELETE
                                                   : MRY_CHANGE_UPDATE;
        if (change.table < 0 || (change.kind == MRY_CHANGE_UPDATE && operation != SQLITE_UPDATE))
            in.failed = true;
        if (get_byte(&in) > 1) in.failed = true;
        if (change.kind != MRY_CHANGE_INSERT) get_row(&in, change.columns, change.before, was);
        if (change.kind != MRY_CHANGE_DELETE) get_row(&in, change.columns, change.after, is);
        for (int i = 0; i < change.columns; i++) {
            bool whole = change.kind != MRY_CHANGE_UPDATE;
            change.differs[i] = whole || (was[i] && is[i]);
            /* A row that comes or goes is there as a whole; of one that changes the key is, once,
               and every other column before and after, or not at all. */
            bool fine = whole ? was[i] != is[i] : keys[i] ? was[i] && !is[i] : was[i] == is[i];
            if (!fine) in.failed = true;
        }
        found++;
        if (!in.failed && each) status = each(user, &change, error);
    }
    if (!status && in.failed)
        status = mry_fail(error, MAREY_ERR_DAMAGED, store->path,
                          "a step of the history is damaged; run marey verify");
    if (!status && rows) *rows = found;
    return status;
}

/* ---- applying -------------------------------------------------------------------------------- */

typedef struct applying {
    const char *const *tables;
    mry_conflict conflict;
    bool met; /* a conflict */
} applying;

static int find_table(const applying *job, const char *name)
{
    for (int i = 0; job->tables[i]; i++)
        if (strcmp(job->tables[i], name) == 0) return i;
    return -1;
}

static int is_listed(void *user, const char *table)
{
    return find_table(user, table) >= 0;
}

/* Whatever is not as it was ends it all. */
static int note_conflict(void *user, int what, sqlite3_changeset_iter *at)
{
    applying *job = user;
    const char *table = NULL;
    int columns = 0, operation = 0, indirect = 0;
    sqlite3_value *key = NULL;
    job->conflict = (mry_conflict){ .table = -1 };
    if (what != SQLITE_CHANGESET_FOREIGN_KEY &&
        sqlite3changeset_op(at, &table, &columns, &operation, &indirect) == SQLITE_OK) {
        int rc = operation == SQLITE_INSERT ? sqlite3changeset_new(at, 0, &key)
                                            : sqlite3changeset_old(at, 0, &key);
        job->conflict.table = find_table(job, table);
        if (rc == SQLITE_OK && key) job->conflict.key = sqlite3_value_int64(key);
    }
    job->conflict.taken = what == SQLITE_CHANGESET_CONSTRAINT || what == SQLITE_CHANGESET_CONFLICT;
    job->met = true;
    return SQLITE_CHANGESET_ABORT;
}

/* SQLite passes over a table that it finds to have other columns, and rows that hang on one that
   goes go with it, though later changes may have made them: so what was noted meanwhile is counted,
   and must be as many rows. */
marey_status mry_changes_apply(mry_store *store, const char *const *tables, const void *bytes,
                               size_t count, bool back, mry_conflict *conflict, marey_error *error)
{
    applying job = { .tables = tables, .conflict = { .table = -1 } };
    mry_arena tmp = mry_arena_make(store->ctx);
    int64_t wanted = 0, made = 0;
    void *noted = NULL;
    size_t size = 0;
    sqlite3_session *session = NULL;
    marey_status status = mry_changes_read(store, tables, bytes, count, NULL, NULL, &wanted, error);
    if (!status) status = start_session(store, tables, &session, error);
    if (!status) {
        /* It only reads them. */
        int rc = sqlite3changeset_apply_v2(store->db, (int)count, (void *)(uintptr_t)bytes,
                                           is_listed, note_conflict, &job, NULL, NULL,
                                           back ? SQLITE_CHANGESETAPPLY_INVERT : 0);
        if (rc != SQLITE_OK && !job.met) status = mry_store_note(store, rc, error);
    }
    if (!status && !job.met) status = read_session(store, session, &tmp, &noted, &size, error);
    if (!status && !job.met)
        status = mry_changes_read(store, tables, noted, size, NULL, NULL, &made, error);
    if (session) sqlite3session_delete(session);
    mry_arena_free(&tmp);
    if (status || (!job.met && made == wanted)) return status;
    *conflict = job.conflict;
    return mry_fail(error, MAREY_ERR_STALE, store->path,
                    "the library is not as this step of its history left it");
}
