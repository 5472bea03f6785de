/* shelf.c - what the library commands share. */
#include "shelf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_nothing(const char *path)
{
    struct stat about;
    return lstat(path, &about) != 0 && errno == ENOENT;
}

marey_status shelf_open(session *run, const char *path, marey_library_mode mode, shelf *out,
                        marey_error *error)
{
    shelf at = { .run = run, .path = path };
    at.is_new = mode == MAREY_LIBRARY_CREATE && is_nothing(path);
    marey_status status = marey_library_open(run->ctx, path, mode, &at.library, error);
    if (status == MAREY_OK) *out = at;
    return status;
}

static bool is_empty(marey_library *library)
{
    int found = 0;
    for (int removed = 0; removed < 2; removed++) {
        marey_listing *listing = NULL;
        int count = 1; /* what cannot be looked at is not called empty */
        if (marey_library_list(library, &(marey_list_def){ .removed = removed }, &listing, NULL) ==
            MAREY_OK) {
            marey_listing_entries(listing, &count);
        }
        marey_listing_free(listing);
        found += count;
    }
    return found == 0;
}

/* The last one to close a library removes the log beside it: while there is one, it is in use. */
static bool is_open_elsewhere(const char *path)
{
    char log[4096];
    if ((size_t)snprintf(log, sizeof log, "%s-wal", path) >= sizeof log) return true;
    return !is_nothing(log);
}

void shelf_close(shelf *at, bool keep)
{
    bool remove = !keep && at->is_new && at->library && is_empty(at->library);
    marey_library_close(at->library);
    at->library = NULL;
    if (remove && !is_open_elsewhere(at->path)) unlink(at->path);
}

int shelf_end(shelf *at, marey_status status, marey_error *error)
{
    session *run = at->run;
    shelf_close(at, status == MAREY_OK);
    if (status == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, error);
}

marey_status shelf_ready(session *run, marey_error *error)
{
    if (!run->out.failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

marey_status shelf_ready_for(session *run, int bytes, marey_error *error)
{
    size_t before = run->out.used;
    buffer_blanks(&run->out, bytes);
    run->out.used = before;
    return shelf_ready(run, error);
}

const char *format_ending(const char *format)
{
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (strcmp(row->name, format) == 0) return row->ending;
    }
    return NULL;
}

void buffer_clips(buffer *out, int64_t count)
{
    buffer_print(out, "%lld clip%s", (long long)count, count == 1 ? "" : "s");
}
