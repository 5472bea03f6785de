/* file_text.c - reading a text file whole. */
#include "file_text.h"

#include <errno.h>
#include <string.h>

static marey_status fail_file(const char *path, int failed, marey_error *error)
{
    bool is_machine = failed == -EIO || failed == -ENOMEM || failed == -EMFILE || failed == -ENFILE;
    return app_fail(error, is_machine ? MAREY_ERR_IO : MAREY_ERR_INPUT, path, "cannot read: %s",
                    strerror(-failed));
}

marey_status app_file_text(const marey_ctx_def *memory, const char *path, int most_mib,
                           const char *kind, buffer *text, marey_error *error)
{
    const marey_io *io = memory->io ? memory->io : marey_io_system();
    int handle = io->open(io->user, path, MAREY_IO_READ);
    if (handle < 0) return fail_file(path, handle, error);
    char piece[4096];
    int64_t count;
    marey_status status = MAREY_OK;
    while (status == MAREY_OK && (count = io->read(io->user, handle, piece, sizeof piece)) != 0) {
        if (count == -EINTR) continue;
        if (count < 0) {
            status = fail_file(path, (int)count, error);
            break;
        }
        buffer_bytes(text, piece, (size_t)count);
        status = app_check(text->failed, error);
        if (status == MAREY_OK && (int64_t)text->used > (int64_t)most_mib << 20) {
            status =
                app_fail(error, MAREY_ERR_LIMIT, path, "%s has at most %d MiB", kind, most_mib);
        }
    }
    io->close(io->user, handle);
    if (status != MAREY_OK) return status;
    buffer_byte(text, 0);
    return app_check(text->failed, error);
}
