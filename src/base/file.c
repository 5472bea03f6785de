/* file.c - files that appear whole or not at all. */
#include "base/file.h"

#include "base/fail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

marey_status mry_fail_errno(marey_error *error, int negative_errno, const char *verb,
                            const char *path)
{
    static const int wrong_path[] = { ENOENT, ENOTDIR, EISDIR,  EACCES,       EPERM,
                                      ELOOP,  EROFS,   ENOTSUP, ENAMETOOLONG, EINVAL };
    marey_status status = MAREY_ERR_IO;
    for (size_t i = 0; i < sizeof wrong_path / sizeof *wrong_path; i++) {
        if (-negative_errno == wrong_path[i]) status = MAREY_ERR_INPUT;
    }
    if (-negative_errno == ENOMEM) status = MAREY_ERR_MEMORY;
    if (-negative_errno == EINTR)
        return mry_fail_cancelled(error); /* what waited was interrupted */
    if (-negative_errno == EFBIG) {
        return mry_fail(error, status, path,
                        "this file would be larger than the system allows (see ulimit -f)");
    }
    char reason[128];
    const char *text = strerror_r(-negative_errno, reason, sizeof reason);
    return mry_fail(error, status, path, "cannot %s this file: %s", verb, text);
}

/* ---- writing --------------------------------------------------------------------------------- */

enum { NAME_TRIES = 100 };

/* .marey-PID-NUMBER.part */
static bool is_part_name(const char *name)
{
    static const char digits[] = "0123456789";
    if (strncmp(name, ".marey-", 7) != 0) return false;
    size_t pid = strspn(name + 7, digits);
    if (pid == 0 || name[7 + pid] != '-') return false;
    size_t number = strspn(name + 8 + pid, digits);
    return number > 0 && strcmp(name + 8 + pid + number, ".part") == 0;
}

/* Removes the parts of files that killed processes left in a folder. Its lock says whether a part
   is still written: the system takes it from a process that ends, however it ends: a process number
   may be in use again, or be counted in another container that shares the folder. Where there are
   no locks nothing is removed. What is removed has exactly such a name, is an ordinary file of this
   user, and is still the one that was locked. */
static void remove_left_over(const char *folder)
{
    DIR *open_folder = opendir(folder);
    if (!open_folder) return;
    for (const struct dirent *entry; (entry = readdir(open_folder));) {
        struct stat held, named;
        if (!is_part_name(entry->d_name)) continue;
        int handle = openat(dirfd(open_folder), entry->d_name,
                            O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (handle < 0) continue;
        if (flock(handle, LOCK_EX | LOCK_NB) == 0 && fstat(handle, &held) == 0 &&
            S_ISREG(held.st_mode) && held.st_uid == geteuid() &&
            fstatat(dirfd(open_folder), entry->d_name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
            named.st_ino == held.st_ino && named.st_dev == held.st_dev)
            unlinkat(dirfd(open_folder), entry->d_name, 0);
        close(handle);
    }
    closedir(open_folder);
}

int mry_part_open(marey_ctx *ctx, const marey_io *io, const char *target, char *part, size_t room)
{
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0, handle = -EEXIST;
    if (io == marey_io_system()) {
        uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
        for (int i = 0; i < folder; i++)
            hash = (hash ^ (unsigned char)target[i]) * UINT64_C(0x100000001b3);
        snprintf(part, room, "%.*s", folder ? folder : 1, folder ? target : ".");
        if (atomic_exchange(&ctx->swept_folder, hash) != hash) remove_left_over(part);
    }
    for (int i = 0; i < NAME_TRIES && handle == -EEXIST; i++) {
        snprintf(part, room, "%.*s.marey-%ld-%d.part", folder, target, (long)getpid(), i);
        handle = io->open(io->user, part, MAREY_IO_CREATE);
    }
    return handle;
}

marey_status mry_writer_open(mry_writer *writer, mry_arena *tmp, const char *path, uint64_t most,
                             marey_error *error)
{
    enum { LONGEST = 4096, MARK = MRY_PART_ROOM };
    const marey_io *io = tmp->ctx->def.io;
    *writer = (mry_writer){ .ctx = tmp->ctx,
                            .path = path,
                            .handle = -1,
                            .most = most < mry_writer_most ? most : mry_writer_most };
    writer->target = mry_arena_take(tmp, LONGEST, 1);
    writer->temporary = mry_arena_take(tmp, LONGEST + MARK, 1);
    writer->buffer = mry_arena_take(tmp, MRY_WRITER_ROOM, 1);
    if (!writer->target || !writer->temporary || !writer->buffer)
        return mry_fail_memory(error, path);
    int resolved = io->resolve(io->user, path, writer->target, LONGEST);
    if (resolved < 0) return mry_fail_errno(error, resolved, "save to", path);
    writer->handle = mry_part_open(tmp->ctx, io, writer->target, writer->temporary, LONGEST + MARK);
    if (writer->handle < 0) return mry_fail_errno(error, writer->handle, "create", path);
    return MAREY_OK;
}

static void note_failure(mry_writer *writer, int negative_errno, const char *verb)
{
    if (writer->failed) return;
    writer->failed = MAREY_ERR_IO;
    writer->failed_errno = negative_errno;
    writer->failed_verb = verb;
}

/* Every byte of every format comes through here, a buffer or a piece of a large array at a time. */
static void send(mry_writer *writer, const char *bytes, size_t count)
{
    enum { PIECE = 1 << 20 };
    const marey_io *io = writer->ctx->def.io;
    if (!writer->failed && count > writer->most - writer->sent) writer->failed = MAREY_ERR_LIMIT;
    while (count > 0 && !writer->failed) {
        if (mry_cancelled(writer->ctx)) {
            writer->failed = MAREY_ERR_CANCELLED;
            break;
        }
        int64_t put = io->write(io->user, writer->handle, bytes, count < PIECE ? count : PIECE);
        if (put < 0) {
            note_failure(writer, (int)put, "write");
        } else if (put == 0) {
            note_failure(writer, -ENOSPC, "write");
        } else {
            bytes += put;
            count -= (size_t)put;
            writer->sent += (uint64_t)put;
        }
    }
}

static void flush(mry_writer *writer)
{
    send(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void mry_writer_bytes(mry_writer *writer, const void *bytes, size_t count)
{
    if (count > MRY_WRITER_ROOM - writer->used) flush(writer);
    if (count > MRY_WRITER_ROOM) {
        send(writer, bytes, count);
        return;
    }
    memcpy(writer->buffer + writer->used, bytes, count);
    writer->used += count;
}

void mry_writer_text(mry_writer *writer, const char *text)
{
    mry_writer_bytes(writer, text, strlen(text));
}

char *mry_writer_reserve(mry_writer *writer, size_t count)
{
    if (count > MRY_WRITER_ROOM - writer->used) flush(writer);
    return writer->buffer + writer->used;
}

marey_status mry_writer_commit(mry_writer *writer, marey_error *error)
{
    const marey_io *io = writer->ctx->def.io;
    int result, locked = -1;
    flush(writer);
    if (!writer->failed && mry_cancelled(writer->ctx)) writer->failed = MAREY_ERR_CANCELLED;
    if (io == marey_io_system()) /* the lock lasts until the file has its name */
        locked = fcntl(writer->handle, F_DUPFD_CLOEXEC, 0);
    if (!writer->failed && (result = io->sync(io->user, writer->handle)) < 0) {
        note_failure(writer, result, "sync");
    }
    if ((result = io->close(io->user, writer->handle)) < 0) note_failure(writer, result, "close");
    writer->handle = -1;
    if (!writer->failed && (result = io->rename(io->user, writer->temporary, writer->target)) < 0) {
        note_failure(writer, result, "rename into place");
    }
    if (locked >= 0) close(locked);
    if (!writer->failed) return MAREY_OK;
    io->remove(io->user, writer->temporary);
    if (writer->failed == MAREY_ERR_CANCELLED) return mry_fail_cancelled(error);
    if (writer->failed == MAREY_ERR_LIMIT) {
        return mry_fail(error, MAREY_ERR_LIMIT, writer->path,
                        "output must be at most %" PRIu64 " bytes", writer->most);
    }
    return mry_fail_errno(error, writer->failed_errno, writer->failed_verb, writer->path);
}

void mry_writer_abandon(mry_writer *writer)
{
    const marey_io *io = writer->ctx->def.io;
    if (writer->handle < 0) return;
    io->close(io->user, writer->handle);
    io->remove(io->user, writer->temporary);
    writer->handle = -1;
}
