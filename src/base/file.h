/* file.h - files through the context's I/O hook: a whole file that appears at once or not at all.
   Readers use scan.h on top of the same hook. */
#ifndef MRY_FILE_H
#define MRY_FILE_H

#include "base/arena.h"

/* A file being written. It has another name until mry_writer_commit. After a failure the writer
   swallows everything and commit reports it, so that formatting code need not look. */
typedef struct mry_writer {
    marey_ctx *ctx;
    const char *path; /* as it was given; borrowed */
    char *target;     /* where that leads */
    char *temporary;
    int handle;
    int failed_errno;
    const char *failed_doing; /* "write to" */
    size_t used;
    char *buffer;
} mry_writer;

enum { MRY_WRITER_ROOM = 64 * 1024 };

/* `tmp` holds the buffer; it must outlive the writer. */
marey_status mry_writer_open(mry_writer *writer, mry_arena *tmp, const char *path,
                             marey_error *error);

void mry_writer_bytes(mry_writer *writer, const void *bytes, size_t count);
void mry_writer_text(mry_writer *writer, const char *text);

/* Room for at least `count` (<= MRY_WRITER_ROOM) bytes to format into; call advance with the number
   used. */
char *mry_writer_reserve(mry_writer *writer, size_t count);
static inline void mry_writer_advance(mry_writer *writer, size_t count)
{
    writer->used += count;
}

/* Flushes, syncs and renames; on any failure removes the temporary file and says what failed. */
marey_status mry_writer_commit(mry_writer *writer, marey_error *error);
void mry_writer_abandon(mry_writer *writer); /* instead of commit */

/* What to say when an I/O call returned a negative errno: INPUT for a path that is wrong, IO for a
   machine that failed. */
marey_status mry_fail_errno(marey_error *error, int negative_errno, const char *doing,
                            const char *path);

#endif
