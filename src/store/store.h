/* store.h - a `.marey` file as bytes: one SQLite database of named, checksummed, compressed blobs
   and of small tables, with transactions, a schema version and a check of every stored byte. Knows
   nothing of motion. Read by match, param, graph, puppet (their own blobs) and library (tables and
   clips).

   Every page of the file ends in a checksum that is written and checked below SQLite (page_sums.h),
   so that no read gives changed bytes silently. The file is in WAL mode: many readers, one writer,
   each in its own process; a process that dies leaves the state before or after its transaction,
   and its locks die with it. After a normal close nothing lies beside the file.

   The file may come from anywhere, so its schema is not trusted: a file whose tables, indexes,
   views and triggers are not exactly those that the steps of its version make is refused before any
   of them is touched, and triggers and views are never run. Write to full-text tables by statements
   of your own: with SQLite 3.40 an untrusted schema may not use them. */
#ifndef MRY_STORE_H
#define MRY_STORE_H

#include "base/bytes.h"

typedef struct mry_store mry_store;

typedef enum mry_store_mode {
    MRY_STORE_READ,   /* must exist; works from a folder that cannot be written */
    MRY_STORE_WRITE,  /* must exist */
    MRY_STORE_CREATE, /* made if it does not exist */
    /* Must exist; written if it may be and has this version already, otherwise as READ. */
    MRY_STORE_KEEP
} mry_store_mode;

/* What a kind of file consists of: steps[i] is SQL that leads from version i to version i + 1; a
   file of an earlier version is brought up to date in one transaction when it is opened for
   writing, with a copy NAME-migrating beside it for so long, and read as it is after migrating a
   copy in memory when opened for reading. A newer one is refused by name. The steps are also what a
   file's schema is compared with, so once released a step never changes. Outlives the stores opened
   with it. */
typedef struct mry_schema {
    /* In the file's header; another one is refused as "not a marey library". */
    int32_t application_id;
    int step_count;
    const char *const *steps;
} mry_schema;

/* INPUT: no such file, not one of these, a newer version, another schema than its version has (the
   message says what differs), damaged, may not be written. IO, MEMORY. A new file is there whole,
   with its schema, or not at all; an empty one is no store. From a folder that cannot be written
   the file is read without locks, which is right as long as no other program writes to it
   meanwhile. */
marey_status mry_store_open(marey_ctx *ctx, const char *path, mry_store_mode mode,
                            const mry_schema *schema, mry_store **out, marey_error *error);

/* The same in a tenth of the time, where `beside` is open, has the same schema and is of the same
   version: what it consists of was compared when it was opened. NULL is allowed. */
marey_status mry_store_open_beside(marey_ctx *ctx, const mry_store *beside, const char *path,
                                   mry_store_mode mode, const mry_schema *schema, mry_store **out,
                                   marey_error *error);
void mry_store_close(mry_store *store); /* rolls back what is open; NULL is allowed */

const char *mry_store_path(const mry_store *store);
bool mry_store_can_write(const mry_store *store);

/* ---- transactions ---------------------------------------------------------------------------- */

/* Waits up to 5 s for another writer; then IO with a message that says so. Not nested. */
marey_status mry_store_begin(mry_store *store, marey_error *error);
/* The same without waiting. */
marey_status mry_store_begin_now(mry_store *store, marey_error *error);
/* On failure it is rolled back. (Where the disk fails while the commit is being synced and the
   machine then stops, it may still be found there as a whole: before or after, never between.)
   Where an earlier statement failed so badly that SQLite rolled back by itself, that failure is
   reported. */
marey_status mry_store_commit(mry_store *store, marey_error *error);
void mry_store_rollback(mry_store *store); /* nothing open: nothing done */

/* A stable view for several reads; ended by mry_store_rollback. */
marey_status mry_store_snapshot(mry_store *store, marey_error *error);

/* Outside of transactions, behind a change that deleted what must be nowhere any more: moves the
   log into the file and cuts it to nothing. Waits up to 1 s for readers of the log. false: they
   still read it, or the disk failed; every commit and the close try again, and the last program to
   close the file removes its log in any case. */
bool mry_store_clear_log(mry_store *store);
bool mry_store_log_pending(const mry_store *store); /* it was asked for and is still to be done */

/* ---- statements ------------------------------------------------------------------------------ */

/* One prepared statement, cached by the store between uses (found by the address of `sql`: give a
   string literal). Use: mry_query_start and bind 1.., or mry_query_with; mry_query_next until it
   returns false, read columns 0..; mry_query_end. A cached statement may be used inside itself.
   Errors: a failure stays in the query: later calls do nothing, and mry_query_end reports it.
   REQUEST: a constraint of the schema forbids it. CANCELLED: a long one was cancelled. */
typedef struct mry_query {
    mry_store *store;
    /* sqlite3_stmt */
    void *statement;
    marey_status status;
} mry_query;

mry_query mry_query_start(mry_store *store, const char *sql);
void mry_bind_integer(mry_query *query, int index, int64_t value);
void mry_bind_number(mry_query *query, int index, double value);
/* Copied; NULL: null. */
void mry_bind_text(mry_query *query, int index, const char *text);
/* Borrowed until end. */
void mry_bind_bytes(mry_query *query, int index, const void *bytes, size_t count);

/* False: no more rows, or failed. */
bool mry_query_next(mry_query *query);
int64_t mry_column_integer(mry_query *query, int column);
double mry_column_number(mry_query *query, int column);
bool mry_column_is_null(mry_query *query, int column);
/* "" for null; borrowed until next or end. */
const char *mry_column_text(mry_query *query, int column);
const void *mry_column_bytes(mry_query *query, int column, size_t *count); /* likewise */
/* A copy of the text in `mem`; NULL when out of memory. */
const char *mry_column_copy(mry_query *query, int column, mry_arena *mem);
/* Resets the statement and gives what happened; `error` may be NULL. */
marey_status mry_query_end(mry_query *query, marey_error *error);

/* A value of a parameter; texts and bytes are borrowed until the statement's end. */
typedef struct mry_value {
    enum { MRY_INTEGER, MRY_REAL, MRY_TEXT, MRY_BYTES } kind;
    int64_t integer;
    double real;
    const void *bytes;
    size_t count;
} mry_value;

static inline mry_value mry_integer(int64_t value)
{
    return (mry_value){ .kind = MRY_INTEGER, .integer = value };
}

static inline mry_value mry_real(double value)
{
    return (mry_value){ .kind = MRY_REAL, .real = value };
}

static inline mry_value mry_text(const char *text) /* NULL: null */
{
    return (mry_value){ .kind = MRY_TEXT, .bytes = text };
}

static inline mry_value mry_bytes(const void *bytes, size_t count)
{
    return (mry_value){ .kind = MRY_BYTES, .bytes = bytes, .count = count };
}

/* Starts a statement and binds the values 1..; with macros, so that a call lists them:
       row = mry_query_with(store, "SELECT name FROM clip WHERE id = ?", mry_integer(id)); */
mry_query mry_query_bind(mry_store *store, const char *sql, const mry_value *values, int count);
#define mry_query_with(store, sql, ...) mry_query_bind(store, sql, MRY_VALUES(__VA_ARGS__))
#define MRY_VALUES(...)                                                                            \
    (const mry_value[]){ __VA_ARGS__ },                                                            \
        (int)(sizeof((mry_value[]){ __VA_ARGS__ }) / sizeof(mry_value))

/* Whether a list of rows comes back to one that it had, as a list out of damaged trees may do for
   ever. Begin with {0}; `row` is different for every row of a sound list. It is noticed within three
   times the rows there are. */
typedef struct mry_round {
    uint64_t mark;
    int64_t seen, next;
} mry_round;

static inline bool mry_goes_round(mry_round *list, uint64_t row)
{
    if (list->seen > 0 && row == list->mark) return true;
    if (list->seen++ == list->next) { /* Brent 1980: the mark moves on ever more seldom */
        list->mark = row;
        list->next = 2 * list->next + 1;
    }
    return false;
}

/* Runs a statement to its end. *result (may be NULL) is column 0 of its last row; 0 without rows.
   */
marey_status mry_query_finish(mry_query query, int64_t *result, marey_error *error);
#define mry_store_run_with(store, error, result, sql, ...)                                         \
    mry_query_finish(mry_query_with(store, sql, __VA_ARGS__), result, error)

/* For statements that give no rows. */
marey_status mry_store_run(mry_store *store, const char *sql, marey_error *error);
int64_t mry_store_last_id(mry_store *store); /* rowid of the last insert */
int64_t mry_store_changes(mry_store *store); /* rows changed by the last statement */

/* ---- blobs ----------------------------------------------------------------------------------- */

/* Blobs live in the table blob(id, kind, name, size, sum, bytes), which the store itself makes:
   bytes is a zstd frame, size and sum are the length and 64-bit hash of what is in it. (kind, name)
   is unique. */

/* A blob as it is stored; packing and unpacking need no database, so threads can do it. */
typedef struct mry_packed {
    size_t size;        /* before packing */
    uint64_t sum;       /* of the bytes before packing */
    const void *bytes;  /* in the arena it was packed or read into */
    size_t packed_size; /* of bytes */
} mry_packed;

/* zstd at `level` (1 .. 19; 0: 3); its working memory is not the context's. False when out of
   memory. */
bool mry_blob_pack(mry_arena *mem, const void *bytes, size_t count, int level, mry_packed *out);

marey_status mry_blob_put(mry_store *store, const char *kind, const char *name,
                          const mry_packed *packed, int64_t *id,
                          marey_error *error); /* replaces one of that kind and name */

/* A new one of that kind, under a name that none has had: '#' and its number. */
marey_status mry_blob_add(mry_store *store, const char *kind, const mry_packed *packed, int64_t *id,
                          marey_error *error);
/* Other bytes in its place. */
marey_status mry_blob_replace(mry_store *store, int64_t id, const mry_packed *packed,
                              marey_error *error);

/* How much memory so many packed bytes may ask for, whatever they say: 640 MiB, and 256 times
   themselves. That is an hour of a body that stands perfectly still at 120 Hz, which packs to
   nothing; captured motion takes 7 to 15 times its packed bytes, that of the demo 20 to 40. */
size_t mry_most_unpacked(size_t packed_size);

/* Reads and unpacks into mem. `most` bounds the size that is believed. INPUT: not there. DAMAGED: the
   sum, the size or the frame is wrong. */
marey_status mry_blob_get(mry_store *store, int64_t id, size_t most, mry_arena *mem, void **bytes,
                          size_t *count, marey_error *error);
/* The same in two steps; the second in any thread. */
marey_status mry_blob_read(mry_store *store, int64_t id, mry_arena *mem, mry_packed *out,
                           marey_error *error);
marey_status mry_blob_unpack(const mry_store *store, int64_t id, const mry_packed *packed,
                             size_t most, mry_arena *mem, void **bytes, size_t *count,
                             marey_error *error);
marey_status mry_blob_find(mry_store *store, const char *kind, const char *name, int64_t *id,
                           marey_error *error); /* *id = 0 if there is none */
marey_status mry_blob_remove(mry_store *store, int64_t id, marey_error *error);

/* Ends what was written with a 64-bit hash of it, which starts from `version`, and hands a copy of
   it over; the writer's arena is freed.
   Ownership: the caller's, of out->mem's context. */
marey_status mry_bytes_seal(mry_bytes_writer *out, int version, uint8_t **bytes, size_t *size,
                            marey_error *error);
enum { MRY_SEAL_BYTES = 8 };

uint64_t mry_hash64(const void *bytes, size_t count, uint64_t seed); /* the hash used for sums */

/* ---- changes --------------------------------------------------------------------------------- */

/* What a transaction changed in some tables, as bytes that change it back, or change it once more:
   a changeset of SQLite's session extension, by the tables in the order in which they are listed
   (list those that refer to others before these). Only rows that end up different are in it. Like
   everything in a file it may be forged, so it is read strictly, and applied to the listed tables
   only. */

/* Behind mry_store_begin: from now on what changes in these tables (a list that NULL ends) is
   noted, until the transaction ends. */
marey_status mry_changes_note(mry_store *store, const char *const *tables, marey_error *error);

/* What was noted up to now, in mem; *count 0: nothing changed. */
marey_status mry_changes_noted(mry_store *store, mry_arena *mem, void **bytes, size_t *count,
                               marey_error *error);

enum { MRY_CHANGE_COLUMNS = 32 }; /* at most, of a table whose changes are noted */

/* One row that changed. */
typedef struct mry_change {
    int table; /* in the list */
    enum { MRY_CHANGE_INSERT, MRY_CHANGE_UPDATE, MRY_CHANGE_DELETE } kind;
    int columns;
    /* What its columns were and are: of an update the key, in `before`, and what changed. A column
       that is not there, or holds no integer, is 0. */
    int64_t before[MRY_CHANGE_COLUMNS], after[MRY_CHANGE_COLUMNS];
    bool differs[MRY_CHANGE_COLUMNS]; /* every column of a row that comes or goes */
} mry_change;

typedef marey_status mry_change_fn(void *user, const mry_change *change, marey_error *error);

/* Calls `each` (NULL: none) for every row; *rows (may be NULL) counts them. DAMAGED: they are no
   changes of these tables. */
marey_status mry_changes_read(const mry_store *store, const char *const *tables, const void *bytes,
                              size_t count, mry_change_fn *each, void *user, int64_t *rows,
                              marey_error *error);

/* Where applying changes met something else than they were made on. */
typedef struct mry_conflict {
    int table; /* in the list; -1: a reference to another row */
    int64_t key;
    bool taken; /* a name or number that must be its own belongs to another row now */
} mry_conflict;

/* Makes the changes, or (`back`) takes them back, in the open transaction. STALE: the rows are not those that the changes
   were made on, or others hang on them; *conflict says where, and the transaction must be rolled
   back. DAMAGED. */
marey_status mry_changes_apply(mry_store *store, const char *const *tables, const void *bytes,
                               size_t count, bool back, mry_conflict *conflict, marey_error *error);

/* ---- check ----------------------------------------------------------------------------------- */

/* Checks every page's checksum, the schema, SQLite's own structure, foreign keys, and every blob's
   sum, and calls found(user, text) for each problem, at most 1000 times; *problems counts all.
   name_blob(user, kind, name, id) may return a better name for a blob ("clip 02_02") or NULL.
   Returns OK if the check itself could be done, however many problems there were. */
typedef struct mry_verify_def {
    void (*found)(void *user, const char *problem);
    const char *(*name_blob)(void *user, mry_store *store, const char *kind, const char *name,
                             int64_t id);
    void *user;
} mry_verify_def;

marey_status mry_store_verify(mry_store *store, const mry_verify_def *def, int64_t *problems,
                              marey_error *error);

/* The raw part of it, for a file that cannot even be opened: page sums only, straight from the
   file. */
marey_status mry_store_verify_pages(marey_ctx *ctx, const char *path, const mry_verify_def *def,
                                    int64_t *problems, marey_error *error);

#endif
