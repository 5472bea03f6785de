/* text_file.c - reading a text file whole. */
#include "text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static marey_status fail_file(const char *path, int failed, marey_error *error)
{
    bool is_machine = failed == -EIO || failed == -ENOMEM;
    *error = (marey_error){ .status = is_machine ? MAREY_ERR_IO : MAREY_ERR_INPUT };
    snprintf(error->path, sizeof error->path, "%s", path);
    snprintf(error->message, sizeof error->message, "cannot read: %s", strerror(-failed));
    return error->status;
}

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* Pieces until the end, so that a pipe does as well as a file. */
static marey_status read_pieces(const marey_io *io, int handle, const char *path, int most_mib,
                                const char *what, buffer *text, marey_error *error)
{
    char piece[4096];
    int64_t count;
    while ((count = io->read(io->user, handle, piece, sizeof piece)) > 0) {
        buffer_bytes(text, piece, (size_t)count);
        if (text->failed) return fail_memory(error);
        if ((int64_t)text->used <= (int64_t)most_mib << 20) continue;
        *error = (marey_error){ .status = MAREY_ERR_LIMIT };
        snprintf(error->path, sizeof error->path, "%s", path);
        snprintf(error->message, sizeof error->message, "%s has at most %d MiB", what, most_mib);
        return MAREY_ERR_LIMIT;
    }
    if (count < 0) return fail_file(path, (int)count, error);
    buffer_byte(text, 0);
    return text->failed ? fail_memory(error) : MAREY_OK;
}

marey_status text_file_read(session *run, const char *path, int most_mib, const char *what,
                            buffer *text, marey_error *error)
{
    const marey_io *io = run->host->def.io ? run->host->def.io : marey_io_system();
    int handle = io->open(io->user, path, MAREY_IO_READ);
    if (handle < 0) return fail_file(path, handle, error);
    marey_status status = read_pieces(io, handle, path, most_mib, what, text, error);
    io->close(io->user, handle);
    return status;
}
