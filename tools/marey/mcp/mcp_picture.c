/* mcp_picture.c - one file in memory: it is written under a name of its own and renamed, like any
   file that the library saves. Nothing can be read. */
#include "mcp_picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int open_file(void *user, const char *path, marey_io_mode mode)
{
    mcp_picture *picture = user;
    (void)path;
    if (mode != MAREY_IO_CREATE || picture->open) return -EACCES;
    picture->bytes.used = 0;
    picture->open = true;
    picture->whole = false;
    return 0;
}

static int64_t size_file(void *user, int handle)
{
    (void)handle;
    return (int64_t)((mcp_picture *)user)->bytes.used;
}

static int64_t read_file(void *user, int handle, void *bytes, size_t room)
{
    (void)user, (void)handle, (void)bytes, (void)room;
    return -EACCES;
}

static int64_t write_file(void *user, int handle, const void *bytes, size_t count)
{
    mcp_picture *picture = user;
    (void)handle;
    buffer_bytes(&picture->bytes, bytes, count);
    return picture->bytes.failed ? -ENOMEM : (int64_t)count;
}

static int sync_file(void *user, int handle)
{
    (void)user, (void)handle;
    return 0;
}

static int close_file(void *user, int handle)
{
    (void)handle;
    ((mcp_picture *)user)->open = false;
    return 0;
}

static int rename_file(void *user, const char *from, const char *to)
{
    (void)from, (void)to;
    ((mcp_picture *)user)->whole = true;
    return 0;
}

static int remove_file(void *user, const char *path)
{
    (void)path;
    mcp_picture_free(user);
    return 0;
}

static int resolve_name(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    int length = snprintf(resolved, room, "%s", path);
    return length >= 0 && (size_t)length < room ? 0 : -ENAMETOOLONG;
}

static int list_folder(void *user, const char *folder,
                       void (*found)(void *found_user, const char *name), void *found_user)
{
    (void)user, (void)folder, (void)found, (void)found_user;
    return -EACCES;
}

void mcp_picture_make(mcp_picture *picture, const marey_ctx_def *memory)
{
    *picture = (mcp_picture){ .io = { .user = picture,
                                      .open = open_file,
                                      .size = size_file,
                                      .read = read_file,
                                      .write = write_file,
                                      .sync = sync_file,
                                      .close = close_file,
                                      .rename = rename_file,
                                      .remove = remove_file,
                                      .resolve = resolve_name,
                                      .list = list_folder },
                              .bytes = buffer_make(memory) };
}

void mcp_picture_free(mcp_picture *picture)
{
    buffer_free(&picture->bytes);
    picture->open = picture->whole = false;
}

void buffer_base64(buffer *out, const char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)bytes;
    buffer_reserve(out, (count + 2) / 3 * 4);
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        unsigned three = (unsigned)at[i] << 16 | (left > 1 ? (unsigned)at[i + 1] << 8 : 0) |
                         (left > 2 ? (unsigned)at[i + 2] : 0);
        const char four[4] = { digits[three >> 18], digits[three >> 12 & 63],
                               left > 1 ? digits[three >> 6 & 63] : '=',
                               left > 2 ? digits[three & 63] : '=' };
        buffer_bytes(out, four, sizeof four);
    }
}
