/* index_check.c - is the index of a library sound? Its settings can be read, and each web is what its row says. Whether
   pages are damaged and rows point to nothing is the store's to find. */
#include "library/index_rows.h"
#include "library/index_settings.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct web_check {
    marey_library *library;
    void (*found)(void *user, const char *problem);
    void *user;
} web_check;

/* What is damaged is told; all else stops the check. */
static marey_status told(const web_check *all, marey_status status, const marey_error *why,
                         const char *what, marey_error *error)
{
    char problem[2 * MAREY_NAME_ROOM + sizeof why->message + 64];
    if (!status) return MAREY_OK;
    if (marey_status_group(status) != MAREY_ERR_INPUT) {
        if (error) *error = *why;
        return status;
    }
    snprintf(problem, sizeof problem, "%s: %s", what, why->message);
    all->found(all->user, problem);
    return MAREY_OK;
}

static void name_clip(marey_library *library, int64_t id, char name[MAREY_NAME_ROOM])
{
    snprintf(name, MAREY_NAME_ROOM, "number %" PRId64, id);
    mry_clip_name(library, id, name, MAREY_NAME_ROOM, NULL, NULL); /* that may be hit too */
}

/* (id, a, b) */
static marey_status check_web(const web_check *all, mry_query *row, marey_error *error)
{
    char first[MAREY_NAME_ROOM], second[MAREY_NAME_ROOM], what[2 * MAREY_NAME_ROOM + 32];
    marey_error why = { 0 };
    if (mry_cancelled(all->library->ctx)) return mry_fail_cancelled(error);
    marey_status status = mry_web_row_check(all->library, mry_column_integer(row, 0), &why);
    if (!status) return MAREY_OK;
    name_clip(all->library, mry_column_integer(row, 1), first);
    name_clip(all->library, mry_column_integer(row, 2), second);
    snprintf(what, sizeof what, "the web of %s and %s", first, second);
    return told(all, status, &why, what, error);
}

/* *other: the index is another marey's, and so are its webs. That is no damage. */
static marey_status check_settings(const web_check *all, bool *other, marey_error *error)
{
    mry_arena tmp = mry_arena_make(all->library->ctx);
    mry_index_settings settings;
    mry_index_kept kept;
    marey_error why = { 0 };
    bool exists;
    marey_status status = mry_index_settings_read(all->library, &tmp, &settings, &exists, &why);
    *other = marey_status_group(status) == MAREY_ERR_INPUT &&
             mry_index_kept_read(all->library, &tmp, &kept, NULL) == MAREY_OK &&
             mry_index_unpack(&tmp, &kept.settings, &settings) == MRY_UNPACKED_OTHER;
    mry_arena_free(&tmp);
    return *other ? MAREY_OK : told(all, status, &why, "the index", error);
}

/* Listed from the index of the table, which damaged rows do not cut short. */
marey_status mry_check_index(marey_library *library, void (*found)(void *user, const char *problem),
                             void *user, marey_error *error)
{
    web_check all = { library, found, user };
    bool other = false;
    marey_status checked = check_settings(&all, &other, error);
    if (checked || other) return checked;
    mry_query row = mry_query_start(library->store, "SELECT id, a, b FROM web INDEXED BY"
                                                    " sqlite_autoindex_web_1 ORDER BY a, b");
    while (!checked && mry_query_next(&row)) checked = check_web(&all, &row, error);
    marey_error why = { 0 };
    marey_status status = mry_query_end(&row, &why);
    if (checked) return checked;
    return told(&all, status, &why, "the table of webs cannot be read to its end", error);
}
