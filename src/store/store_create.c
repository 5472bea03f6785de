/* store_create.c - a new library appears whole, with its schema, or not at all. The database is made in
   memory, where nothing can be half done, and its bytes are written to a file without a name, which gets
   its name when they have reached the disk. Linking never replaces a file, so of two programs that create the
   same library one does and the other opens what the first made. A kill leaves nothing behind. */
#include "store/store_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "store/page_sums.h"

/* Offsets in the header: https://www.sqlite.org/fileformat2.html, 1.3. */
enum { WRITE_VERSION = 18, READ_VERSION = 19, WAL_VERSION = 2 };

/* ---- the bytes -------------------------------------------------------------------------------- */

static int set_header(sqlite3 *db, const mry_schema *schema)
{
    char text[96];
    int reserve = MRY_PAGE_SUM_BYTES;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    snprintf(text, sizeof text, "PRAGMA page_size = %d; PRAGMA application_id = %d", MRY_PAGE_BYTES,
             schema->application_id);
    return rc == SQLITE_OK ? sqlite3_exec(db, text, NULL, NULL, NULL) : rc;
}

/* The image as it will lie in the file: in WAL mode and with sums. Free it with sqlite3_free. */
static marey_status make_image(const char *path, const mry_schema *schema, unsigned char **image,
                               sqlite3_int64 *size, marey_error *error)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (db) sqlite3_extended_result_codes(db, 1);
    if (rc == SQLITE_OK) rc = set_header(db, schema);
    marey_status status = rc == SQLITE_OK
                              ? mry_schema_migrate(db, schema, schema->step_count, path, error)
                              : mry_sqlite_fail(db, rc, path, error);
    *image = status == MAREY_OK ? sqlite3_serialize(db, "main", size, 0) : NULL;
    if (status == MAREY_OK && !*image) status = mry_fail_memory(error, path);
    sqlite3_close(db);
    if (status != MAREY_OK) return status;
    (*image)[WRITE_VERSION] = (*image)[READ_VERSION] = WAL_VERSION;
    for (int64_t i = 0; i < *size / MRY_PAGE_BYTES; i++) {
        mry_page_sum_put(*image + i * MRY_PAGE_BYTES, i);
    }
    return MAREY_OK;
}

/* ---- the file: these give 0 or a negative errno ------------------------------------------------ */

static int write_all(int file, const unsigned char *bytes, int64_t count)
{
    while (count > 0) {
        ssize_t put = write(file, bytes, (size_t)count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? -errno : -ENOSPC;
        bytes += put;
        count -= put;
    }
    return fsync(file) != 0 ? -errno : 0;
}

/* On file systems that have no files without a name. `part` has `room` for a name. */
static int publish_by_name(marey_ctx *ctx, const char *path, char *part, size_t room,
                           const unsigned char *image, int64_t size)
{
    int file = mry_part_open(ctx, marey_io_system(), path, part, room);
    if (file < 0) return file;
    int failed = write_all(file, image, size);
    bool renamed = !failed && renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
    if (!failed && !renamed) failed = -errno;
    if (failed == -EINVAL) failed = link(part, path) != 0 ? -errno : 0;
    if (!renamed) unlink(part);
    close(file); /* last: its lock says that the part is in use */
    return failed;
}

static int publish(marey_ctx *ctx, const char *path, const char *folder, char *part, size_t room,
                   const unsigned char *image, int64_t size)
{
    char handle[64];
    int file = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    bool nameless = file >= 0;
    if (!nameless && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return -errno;
    if (!nameless) return publish_by_name(ctx, path, part, room, image, size);
    int failed = write_all(file, image, size);
    snprintf(handle, sizeof handle, "/proc/self/fd/%d", file);
    if (!failed && linkat(AT_FDCWD, handle, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0) {
        failed = -errno;
        if (failed == -ENOENT) failed = publish_by_name(ctx, path, part, room, image, size);
    }
    close(file);
    return failed;
}

/* The name must reach the disk as well. A folder that cannot be synced has been told at least. */
static void sync_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file);
    close(file);
}

marey_status mry_store_make(marey_ctx *ctx, const char *path, const mry_schema *schema,
                            marey_error *error)
{
    if (access(path, F_OK) == 0) return MAREY_OK;
    if (errno != ENOENT) return mry_fail_errno(error, -errno, "create", path);
    mry_arena tmp = mry_arena_make(ctx);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? mry_arena_text(&tmp, path, (size_t)(slash - path) + 1)
                         : mry_arena_text(&tmp, ".", 1);
    size_t room = strlen(path) + MRY_PART_ROOM;
    char *part = mry_arena_take(&tmp, room, 1);
    unsigned char *image = NULL;
    sqlite3_int64 size = 0;
    marey_status status = folder && part ? make_image(path, schema, &image, &size, error)
                                         : mry_fail_memory(error, path);
    if (status == MAREY_OK) {
        int failed = publish(ctx, path, folder, part, room, image, size);
        if (failed == -ENOSPC || failed == -EDQUOT) {
            status = mry_fail(error, MAREY_ERR_IO, path, "the disk is full");
        } else if (failed && failed != -EEXIST) {
            status = mry_fail_errno(error, failed, "create", path);
        }
        sync_folder(folder);
    }
    sqlite3_free(image);
    mry_arena_free(&tmp);
    return status;
}
