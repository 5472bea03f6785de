/* file.h - files through the context's I/O hook: a whole file that appears at once or not at all.
   Readers use scan.h on top of the same hook. */
#ifndef MRY_FILE_H
#define MRY_FILE_H

#include "base/arena.h"

/* A file being written. It has another name until mry_writer_commit. After a failure the writer
   swallows everything and commit reports it, so that formatting code need not look after every
   number; loops look at mry_writer_failed, so that they end soon. Whenever the buffer goes to the
   disk the writer looks by itself whether the work was cancelled and how long the file has become:
   no loop that writes can go on for ever. */
typedef struct mry_writer {
    marey_ctx *ctx;
    const char *path; /* as it was given; borrowed */
    char *target;     /* where that leads */
    char *temporary;
    int handle;
    marey_status failed;     /* OK, IO (failed_errno says why), LIMIT or CANCELLED */
    int failed_errno;        /* negative */
    const char *failed_verb; /* "write to" */
    uint64_t sent, most;     /* bytes on the disk, and how many there may be */
    size_t used;
    char *buffer;
} mry_writer;

enum { MRY_WRITER_ROOM = 64 * 1024 };

/* No file of marey's is longer, whatever its format says: 256 GiB. */
static const uint64_t mry_writer_most = (uint64_t)1 << 38;

/* `tmp` holds the buffer; it must outlive the writer. `most` is how many bytes the file can have at
   most, from the sizes of what is written: more is a LIMIT, at commit. */
marey_status mry_writer_open(mry_writer *writer, mry_arena *tmp, const char *path, uint64_t most,
                             marey_error *error);

/* True: what is written from here on is swallowed. */
static inline bool mry_writer_failed(const mry_writer *writer)
{
    return writer->failed != MAREY_OK;
}

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

/* Creates a file to be renamed to `target`: beside it, so that the rename stays inside one file
   system, under a short name of its own, since a long target must not become too long. The name
   goes to `part`, whose room is the target's length and MRY_PART_ROOM. With the system's files it
   also removes what killed processes left in that folder, once for each folder a context writes to
   in a row; keep the handle open until the rename, so that no other process takes the file for left
   over. Returns the handle or a negative errno. */
enum { MRY_PART_ROOM = 40 };
int mry_part_open(marey_ctx *ctx, const marey_io *io, const char *target, char *part, size_t room);

/* What to say when an I/O call returned a negative errno: INPUT for a path that is wrong, IO for a
   machine that failed. */
marey_status mry_fail_errno(marey_error *error, int negative_errno, const char *verb,
                            const char *path);

#endif
