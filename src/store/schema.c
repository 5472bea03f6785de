/* schema.c - what a file of ours consists of: made, brought from one version to the next, and
   compared with what a file says of itself. A library may come from anywhere, and SQL inside it (a
   trigger, a view in place of a table, a default) would be run by statements of ours; so its list
   of objects must be the very one that the steps of its version make, before any statement touches
   a table. There is no second copy of that list: the steps are run once more, in memory. */
#include <string.h>

#include "store/store_inside.h"

/* `bytes` comes last, so that what stands before it is read without following the blob's pages. */
static const char blob_table[] = "CREATE TABLE blob ("
                                 " id INTEGER PRIMARY KEY,"
                                 " kind TEXT NOT NULL,"
                                 " name TEXT NOT NULL,"
                                 " size INTEGER NOT NULL,"
                                 " sum INTEGER NOT NULL,"
                                 " bytes BLOB NOT NULL,"
                                 " UNIQUE (kind, name))";

/* ---- steps ----------------------------------------------------------------------------------- */

int mry_schema_version(sqlite3 *db, int *version)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA main.user_version", -1, &statement, NULL);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        *version = sqlite3_column_int(statement, 0);
    }
    int finished = sqlite3_finalize(statement);
    return rc == SQLITE_OK ? finished : rc;
}

int mry_schema_climb(sqlite3 *db, const mry_schema *schema, int at, int version)
{
    char text[64];
    sqlite3_snprintf(sizeof text, text, "PRAGMA user_version = %d", version);
    int rc = at == 0 ? sqlite3_exec(db, blob_table, NULL, NULL, NULL) : SQLITE_OK;
    for (; rc == SQLITE_OK && at < version; at++)
        rc = sqlite3_exec(db, schema->steps[at], NULL, NULL, NULL);
    return rc == SQLITE_OK ? sqlite3_exec(db, text, NULL, NULL, NULL) : rc;
}

marey_status mry_schema_make(sqlite3 *db, const mry_schema *schema, int version, const char *path,
                             marey_error *error)
{
    int at = 0, rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc == SQLITE_OK) rc = mry_schema_version(db, &at);
    if (rc == SQLITE_OK) rc = mry_schema_climb(db, schema, at, version);
    if (rc == SQLITE_OK) rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    if (rc == SQLITE_OK) return MAREY_OK;
    marey_status status =
        mry_sqlite_fail(db, rc, path, error); /* before rolling back forgets why */
    if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- what a file says of itself -------------------------------------------------------------- */

/* A row of sqlite_schema. */
typedef struct object object;
struct object {
    object *next;
    const char *type, *name, *table;
    const char *sql; /* NULL: an index that SQLite makes by itself */
    bool met;
};

/* Any run of white space outside quotes is one blank, at the end none: what a step looks like in C is
   no part of it. */
static void fold_blanks(char *sql)
{
    char *out = sql, quote = 0;
    bool blank = false; /* behind what was written last */
    for (const char *p = sql; *p; p++) {
        if (!quote && strchr(" \t\r\n\f", *p)) {
            blank = true;
            continue;
        }
        if (blank) *out++ = ' ';
        blank = false;
        if (quote)
            quote = *p == quote ? 0 : quote;
        else if (strchr("'\"`[", *p))
            quote = *p == '[' ? ']' : *p;
        *out++ = *p;
    }
    *out = 0;
}

/* sqlite_master is the name by which SQLite itself knows that table: a forged row can take every
   other one. *list is in the order of the file. */
static int list_objects(sqlite3 *db, mry_arena *mem, object **list)
{
    sqlite3_stmt *rows = NULL;
    object **last = list;
    int rc = sqlite3_prepare_v2(db, "SELECT type, name, tbl_name, sql FROM main.sqlite_master", -1,
                                &rows, NULL);
    *list = NULL;
    while (rc == SQLITE_OK && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        object *one = MRY_NEW(mem, object, 1);
        char *texts[4] = { NULL };
        rc = one ? SQLITE_OK : SQLITE_NOMEM;
        for (int i = 0; i < 4 && rc == SQLITE_OK; i++) {
            const char *text = (const char *)sqlite3_column_text(rows, i);
            if (!text && sqlite3_column_type(rows, i) != SQLITE_NULL) rc = SQLITE_NOMEM;
            if (!text) continue;
            texts[i] = mry_arena_text(mem, text, (size_t)sqlite3_column_bytes(rows, i));
            if (!texts[i]) rc = SQLITE_NOMEM;
        }
        if (rc != SQLITE_OK) break;
        if (texts[3]) fold_blanks(texts[3]);
        *one = (object){ .type = texts[0] ? texts[0] : "",
                         .name = texts[1] ? texts[1] : "",
                         .table = texts[2] ? texts[2] : "",
                         .sql = texts[3] };
        *last = one;
        last = &one->next;
    }
    int finished = sqlite3_finalize(rows);
    return rc == SQLITE_DONE ? finished : rc;
}

/* What ANALYZE leaves: counts that only tell SQLite which index to take. No other table of SQLite's
   belongs here. */
static bool is_statistics(const object *one)
{
    static const char *const sql[] = { "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
                                       "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)" };
    if (strcmp(one->type, "table") != 0 || strcmp(one->name, one->table) != 0 || !one->sql)
        return false;
    return (strcmp(one->name, "sqlite_stat1") == 0 && strcmp(one->sql, sql[0]) == 0) ||
           (strcmp(one->name, "sqlite_stat4") == 0 && strcmp(one->sql, sql[1]) == 0);
}

/* The type and the name are the file's, and may be anything. */
static void report(const mry_schema_found *found, const char *finding, const object *one)
{
    static const char *const types[] = { "table", "index", "view", "trigger" };
    char name[80], text[160];
    const char *type = "object";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(one->type, types[i]) == 0) type = types[i];
    }
    mry_quote(name, sizeof name, one->name, strlen(one->name));
    sqlite3_snprintf(sizeof text, text, "the library's schema %s %s %s", finding, type, name);
    found->call(found->user, text);
}

/* The list that the steps up to a version make. */
static marey_status list_made(const mry_schema *schema, int version, mry_arena *mem,
                              const char *path, object **list, marey_error *error)
{
    sqlite3 *made = NULL;
    int rc = sqlite3_open_v2(":memory:", &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    marey_status status = rc == SQLITE_OK ? mry_schema_make(made, schema, version, path, error)
                                          : mry_sqlite_fail(made, rc, path, error);
    if (!status) {
        rc = list_objects(made, mem, list);
        if (rc != SQLITE_OK) status = mry_sqlite_fail(made, rc, path, error);
    }
    sqlite3_close(made);
    return status;
}

/* The same of a database that was compared; false: it has none of this version. */
static bool list_checked(sqlite3 *checked, int version, mry_arena *mem, object **list)
{
    int at = 0;
    if (!checked || mry_schema_version(checked, &at) != SQLITE_OK || at != version ||
        list_objects(checked, mem, list) != SQLITE_OK)
        return false;
    while (*list) {
        if (is_statistics(*list))
            *list = (*list)->next;
        else
            list = &(*list)->next;
    }
    return true;
}

marey_status mry_schema_compare(marey_ctx *ctx, sqlite3 *db, sqlite3 *checked,
                                const mry_schema *schema, int version, const char *path,
                                const mry_schema_found *found, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    object *ours = NULL, *theirs = NULL;
    int rc = SQLITE_OK;
    marey_status status = MAREY_OK;
    if (!list_checked(checked, version, &tmp, &ours))
        status = list_made(schema, version, &tmp, path, &ours, error);
    if (!status) {
        rc = list_objects(db, &tmp, &theirs);
        if (rc != SQLITE_OK) status = mry_sqlite_fail(db, rc, path, error);
    }
    for (const object *one = theirs; one && !status; one = one->next) {
        object *own = ours;
        while (own &&
               (own->met || strcmp(own->type, one->type) != 0 || strcmp(own->name, one->name) != 0))
            own = own->next;
        if (own) {
            own->met = true;
            bool same = strcmp(own->table, one->table) == 0 && !own->sql == !one->sql &&
                        (!own->sql || strcmp(own->sql, one->sql) == 0);
            if (!same) report(found, "has a changed", own);
        }
        if (!own && !is_statistics(one)) report(found, "has an unexpected", one);
    }
    for (const object *own = ours; own && !status; own = own->next) {
        if (!own->met) report(found, "lacks the", own);
    }
    mry_arena_free(&tmp);
    return status;
}
