/* demo_older.c - see demo_older.h. */
#include "demo_older.h"

#include "demo_clusters.h"
#include "demo_family.h"
#include "demo_graphs.h"
#include "demo_puppets.h"
#include "demo_takes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

marey_status demo_fail(marey_error *error, marey_status status, const char *path,
                       const char *format, ...)
{
    va_list args;
    *error = (marey_error){ .status = status };
    snprintf(error->path, sizeof error->path, "%s", path);
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

/* *same: does this clip come from here, and is what is said about it still what was said here? The words do not depend
   on the seed. */
static marey_status is_untouched(session *run, const marey_entry *entry, bool *same,
                                 marey_error *error)
{
    marey_demo_take *take = NULL;
    int n = 0;
    *same = false;
    if (!made_by_demo(entry->provenance)) return MAREY_OK;
    while (n < marey_demo_count() && strcmp(marey_demo_name(n), entry->name) != 0) n++;
    if (n == marey_demo_count()) return MAREY_OK;
    marey_status status = marey_demo_build(run->ctx, n, 1, &take, error);
    if (status != MAREY_OK) return status;
    *same = marey_entry_is_as_made(entry, take);
    marey_demo_free(take);
    return MAREY_OK;
}

/* Nobody's work is thrown away: all that is in it, removed clips too, must be as it was made here. */
static marey_status check_clips(session *run, marey_library *library, bool removed,
                                marey_error *error)
{
    marey_listing *listing = NULL;
    int count;
    marey_status status =
        marey_library_list(library, &(marey_list_def){ .removed = removed }, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        bool same;
        status = is_untouched(run, &entries[i], &same, error);
        if (status != MAREY_OK || same) continue;
        status = demo_fail(
            error, MAREY_ERR_REQUEST, marey_library_path(library),
            "holds %.200s, which demo did not make or somebody changed; move this library "
            "away, or choose another folder",
            entries[i].name);
    }
    marey_listing_free(listing);
    return status;
}

static marey_status is_made(session *run, const marey_kept_entry *entry, bool *made,
                            marey_error *error)
{
    *made = demo_made_it(entry) || demo_made_graph(entry) || demo_made_clusters(entry);
    return *made ? MAREY_OK : demo_made_puppet(run, entry, made, error);
}

/* Nor what somebody made of the clips and kept. */
static marey_status check_kept(session *run, marey_library *library, marey_error *error)
{
    marey_kept *kept = NULL;
    int count;
    marey_status status = marey_library_kept_list(library, NULL, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        bool made;
        status = is_made(run, &entries[i], &made, error);
        if (status != MAREY_OK || made) continue;
        status = demo_fail(error, MAREY_ERR_REQUEST, marey_library_path(library),
                           "keeps the %.40s %.200s, which demo did not make; move this library "
                           "away, or choose another folder",
                           entries[i].kind, entries[i].name);
    }
    marey_kept_free(kept);
    return status;
}

bool demo_has_log(const char *path)
{
    char log[PATH_ROOM + 8];
    snprintf(log, sizeof log, "%s-wal", path);
    return access(log, F_OK) == 0;
}

marey_status demo_check_older(session *run, const char *path, marey_error *error)
{
    struct stat about;
    marey_library *library = NULL;
    if (lstat(path, &about) != 0 && errno == ENOENT) return MAREY_OK;
    marey_status status = marey_library_open(run->ctx, path, MAREY_LIBRARY_READ, &library, error);
    if (status != MAREY_OK) return status;
    status = check_clips(run, library, false, error);
    if (status == MAREY_OK) status = check_clips(run, library, true, error);
    if (status == MAREY_OK) status = check_kept(run, library, error);
    marey_library_close(library);
    if (status == MAREY_OK && demo_has_log(path)) {
        status = demo_fail(error, MAREY_ERR_REQUEST, path, "another program has this library open");
    }
    return status;
}
