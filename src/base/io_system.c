/* io_system.c - the operating system's files, behind the same table of functions as any others. */
#include <marey/base.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int system_open(void *user, const char *path, marey_io_mode mode)
{
    (void)user;
    int flags = mode == MAREY_IO_READ ? O_RDONLY : O_WRONLY | O_CREAT | O_EXCL;
    int handle = open(path, flags | O_CLOEXEC, 0666);
    if (handle < 0) return -errno;
    struct stat about;
    if (mode == MAREY_IO_READ && fstat(handle, &about) == 0 && S_ISDIR(about.st_mode)) {
        close(handle);
        return -EISDIR;
    }
    /* Locked as long as it is written: see mry_part_open in file.c, which may have come between. */
    if (mode == MAREY_IO_CREATE &&
        ((flock(handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
         (fstat(handle, &about) == 0 && about.st_nlink == 0))) {
        close(handle);
        return -EEXIST;
    }
    return handle;
}

static int64_t system_size(void *user, int handle)
{
    (void)user;
    struct stat about;
    if (fstat(handle, &about) != 0) return -errno;
    return S_ISREG(about.st_mode) ? (int64_t)about.st_size : -ENOTSUP;
}

static int64_t system_read(void *user, int handle, void *bytes, size_t room)
{
    (void)user;
    ssize_t got = read(handle, bytes, room);
    return got >= 0 ? got : -errno;
}

static int64_t system_write(void *user, int handle, const void *bytes, size_t count)
{
    (void)user;
    for (;;) {
        ssize_t put = write(handle, bytes, count);
        if (put >= 0) return put;
        if (errno != EINTR) return -errno;
    }
}

static int system_sync(void *user, int handle)
{
    (void)user;
    return fsync(handle) == 0 ? 0 : -errno;
}

static int system_close(void *user, int handle)
{
    (void)user;
    return close(handle) == 0 ? 0 : -errno;
}

static int system_rename(void *user, const char *path, const char *target)
{
    (void)user;
    struct stat about;
    if (stat(target, &about) == 0 && chmod(path, about.st_mode & 07777) != 0) return -errno;
    return rename(path, target) == 0 ? 0 : -errno;
}

static int system_remove(void *user, const char *path)
{
    (void)user;
    return unlink(path) == 0 ? 0 : -errno;
}

static int system_resolve(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    struct stat about;
    char whole[PATH_MAX];
    bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT) return -errno;
    if (!exists && lstat(path, &about) == 0) return -ENOENT; /* a link that leads nowhere */
    if (exists && !S_ISREG(about.st_mode)) return S_ISDIR(about.st_mode) ? -EISDIR : -EINVAL;
    const char *target = exists ? realpath(path, whole) : path;
    if (!target) return -errno;
    return (size_t)snprintf(resolved, room, "%s", target) < room ? 0 : -ENAMETOOLONG;
}

static int system_list(void *user, const char *folder,
                       void (*found)(void *found_user, const char *name), void *found_user)
{
    (void)user;
    DIR *open_folder = opendir(folder);
    if (!open_folder) return -errno;
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(open_folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            found(found_user, entry->d_name);
        }
        errno = 0;
    }
    int failed = errno;
    closedir(open_folder);
    return -failed;
}

const marey_io *marey_io_system(void)
{
    static const marey_io io = { NULL,          system_open,    system_size,  system_read,
                                 system_write,  system_sync,    system_close, system_rename,
                                 system_remove, system_resolve, system_list };
    return &io;
}
