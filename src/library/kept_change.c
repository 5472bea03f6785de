/* kept_change.c - kept things under other names, and forgotten ones: each by one transaction. */
#include "library/library_data.h"

#include "base/fail.h"

#include <string.h>

/* A policy says which way to take at every node of a graph: it has that one's name, and without it it says nothing. */
static const char *follower_of(const char *kind)
{
    return strcmp(kind, MAREY_KEPT_GRAPH) == 0 ? MAREY_KEPT_POLICY : NULL;
}

/* ---- forgetting ------------------------------------------------------------------------------- */

/* Ends a change of one row that gives back where its bytes are; 0: there is none. */
static marey_status end_with_blob(mry_query *query, int64_t *blob, marey_error *error)
{
    *blob = 0;
    while (mry_query_next(query)) *blob = mry_column_integer(query, 0);
    return mry_query_end(query, error);
}

static marey_status delete_row(marey_library *library, const char *kind, const char *name,
                               bool *there, marey_error *error)
{
    mry_query query = mry_query_start(
        library->store, "DELETE FROM kept WHERE kind = ? AND name = ? RETURNING blob");
    int64_t blob;
    mry_bind_text(&query, 1, kind);
    mry_bind_text(&query, 2, name);
    marey_status status = end_with_blob(&query, &blob, error);
    *there = blob != 0;
    return status || !*there ? status : mry_blob_remove(library->store, blob, error);
}

marey_status mry_forget_follower(marey_library *library, const char *kind, const char *name,
                                 marey_error *error)
{
    const char *follower = follower_of(kind);
    bool there;
    return follower ? delete_row(library, follower, name, &there, error) : MAREY_OK;
}

marey_status marey_library_forget(marey_library *library, const char *kind, const char *name,
                                  marey_error *error)
{
    bool there = false;
    marey_status status = mry_store_begin(library->store, error);
    if (status) return status;
    status = delete_row(library, kind, name, &there, error);
    if (!status && !there) status = mry_fail_no_kept(library, kind, name, error);
    if (!status) status = mry_forget_follower(library, kind, name, error);
    return mry_library_end(library, status, error);
}

/* ---- other names ------------------------------------------------------------------------------ */

static marey_status find_row(marey_library *library, const char *kind, const char *name,
                             bool *there, marey_error *error)
{
    mry_query query =
        mry_query_start(library->store, "SELECT 1 FROM kept WHERE kind = ? AND name = ?");
    mry_bind_text(&query, 1, kind);
    mry_bind_text(&query, 2, name);
    *there = mry_query_next(&query);
    return mry_query_end(&query, error);
}

/* Its bytes are called as it is, and must go with it: whoever is kept under the old name next would take them. */
static marey_status rename_row(marey_library *library, const char *kind, const char *name,
                               const char *to, marey_error *error)
{
    mry_query query =
        mry_query_start(library->store, "UPDATE kept SET name = ?1 WHERE kind = ?2 AND name = ?3"
                                        " RETURNING blob");
    int64_t blob;
    mry_bind_text(&query, 1, to);
    mry_bind_text(&query, 2, kind);
    mry_bind_text(&query, 3, name);
    marey_status status = end_with_blob(&query, &blob, error);
    return status || blob == 0 ? status : mry_blob_rename(library->store, blob, to, error);
}

/* The name must be free for it. */
static marey_status check_free(marey_library *library, const char *kind, const char *to,
                               marey_error *error)
{
    bool taken = false;
    marey_status status = find_row(library, kind, to, &taken, error);
    if (status || !taken) return status;
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                    "there is a %.40s called %.100s already; choose another name, or remove that "
                    "one first",
                    kind, to);
}

static marey_status rename_inside(marey_library *library, const char *kind, const char *name,
                                  const char *to, marey_error *error)
{
    const char *follower = follower_of(kind);
    bool there = false;
    marey_status status = find_row(library, kind, name, &there, error);
    if (!status && !there) status = mry_fail_no_kept(library, kind, name, error);
    if (status || strcmp(name, to) == 0) return status;
    status = check_free(library, kind, to, error);
    if (!status) status = rename_row(library, kind, name, to, error);
    if (status || !follower) return status;
    status = mry_forget_follower(library, kind, to, error); /* one that follows nothing */
    return status ? status : rename_row(library, follower, name, to, error);
}

marey_status marey_library_rename_kept(marey_library *library, const char *kind, const char *name,
                                       const char *to, marey_error *error)
{
    marey_status status = mry_check_kept_name(kind, to, error);
    if (!status && strcmp(kind, MAREY_KEPT_POLICY) == 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, mry_store_path(library->store),
                        "a policy has the name of its graph: rename that");
    }
    if (!status) status = mry_store_begin(library->store, error);
    if (status) return status;
    status = rename_inside(library, kind, name, to, error);
    return mry_library_end(library, status, error);
}
