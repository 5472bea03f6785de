/* folder.c - walks folders without recursion: names still to be looked at lie on a stack, the
   nearest in sorted order on top. */
#include "folder.h"

#include "env.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct walk {
    const marey_ctx_def *memory;
    found_list *list;
    buffer stack; /* paths, each with its ending zero */
    buffer names; /* of the folder being listed */
} walk;

static void add_record(found_list *list, found_kind kind, int failed_errno, const char *path)
{
    buffer_byte(&list->records, (char)kind);
    buffer_byte(&list->records, (char)failed_errno);
    buffer_bytes(&list->records, path, strlen(path) + 1);
    list->count++;
}

marey_status found_add_name(found_list *list, const char *name)
{
    add_record(list, FOUND_NAMED, 0, name);
    return list->records.failed ? MAREY_ERR_MEMORY : MAREY_OK;
}

marey_status folder_make(const char *path, marey_error *error)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return MAREY_OK;
    bool there = errno == EEXIST;
    if (there && stat(path, &about) == 0)
        return S_ISDIR(about.st_mode) ? MAREY_OK
                                      : app_fail(error, MAREY_ERR_INPUT, path, "this is no folder");
    bool is_machine = errno == ENOSPC || errno == EIO || errno == EDQUOT;
    return app_fail(error, is_machine ? MAREY_ERR_IO : MAREY_ERR_INPUT, path,
                    "cannot %s this folder: %s", there ? "look at" : "make", strerror(errno));
}

marey_status folder_path(const char *folder, const char *name, const char *ending, char *path,
                         size_t room, marey_error *error)
{
    int length = snprintf(path, room, "%s/%s%s", folder, name, ending);
    if (length < 0 || (size_t)length >= room)
        return app_fail(error, MAREY_ERR_INPUT, name, "this name is too long");
    if (strchr(name, '/'))
        return app_fail(error, MAREY_ERR_INPUT, name,
                        "no file is written for a clip whose name has a '/' in it; marey rename "
                        "gives it another");
    return MAREY_OK;
}

static bool is_asked_wrongly(int number)
{
    return number == EACCES || number == EPERM || number == ENOENT || number == ENOTDIR ||
           number == ELOOP || number == ENAMETOOLONG;
}

void found_error(const found *file, marey_error *error)
{
    int number = file->failed_errno;
    app_fail(error, is_asked_wrongly(number) ? MAREY_ERR_INPUT : MAREY_ERR_IO, file->path,
             "cannot list this: %s", strerror(number));
}

bool found_next(const found_list *list, size_t *offset, found *out)
{
    if (*offset >= list->records.used) return false;
    const char *record = list->records.bytes + *offset;
    *out = (found){ .kind = (found_kind)record[0],
                    .failed_errno = (unsigned char)record[1],
                    .path = record + 2 };
    *offset += strlen(out->path) + 3;
    return true;
}

static int list_names(const char *folder, buffer *names, size_t *count)
{
    struct dirent *entry;
    DIR *open = opendir(folder);
    if (!open) return errno;
    errno = 0;
    while ((entry = readdir(open))) {
        if (entry->d_name[0] == '.') continue;
        buffer_bytes(names, entry->d_name, strlen(entry->d_name) + 1);
        ++*count;
    }
    int failed = errno;
    closedir(open);
    return failed;
}

static int backwards(const void *a, const void *b)
{
    return -strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Last name first, so that the first one ends on top of the stack. */
static marey_status push_names(walk *at, const char *folder, size_t count)
{
    size_t bytes = count * sizeof(char *), length = strlen(folder);
    const char **order = at->memory->resize(at->memory->resize_user, NULL, 0, bytes);
    const char *name = at->names.bytes;
    if (!order) return MAREY_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        order[i] = name;
        name += strlen(name) + 1;
    }
    qsort(order, count, sizeof *order, backwards);
    for (size_t i = 0; i < count; i++) {
        buffer_bytes(&at->stack, folder, length);
        if (folder[length - 1] != '/') buffer_byte(&at->stack, '/');
        buffer_bytes(&at->stack, order[i], strlen(order[i]) + 1);
    }
    at->memory->resize(at->memory->resize_user, order, bytes, 0);
    return at->stack.failed ? MAREY_ERR_MEMORY : MAREY_OK;
}

static marey_status open_folder(walk *at, const char *folder)
{
    size_t count = 0;
    at->names.used = 0;
    int failed = list_names(folder, &at->names, &count);
    if (failed == ENOMEM || at->names.failed) return MAREY_ERR_MEMORY;
    if (failed) add_record(at->list, FOUND_UNREADABLE, failed, folder);
    if (failed || count == 0) return MAREY_OK;
    return push_names(at, folder, count);
}

/* A path below the named folder. */
static marey_status look_at(walk *at, const char *path)
{
    struct stat about, target;
    bool there = lstat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) return open_folder(at, path);
    bool leads_somewhere = there && stat(path, &target) == 0;
    if (!leads_somewhere && errno != ENOENT && errno != ELOOP) {
        add_record(at->list, FOUND_UNREADABLE, errno, path);
        return MAREY_OK;
    }
    if (leads_somewhere && S_ISDIR(target.st_mode)) return MAREY_OK;
    bool is_file = leads_somewhere && S_ISREG(target.st_mode);
    add_record(at->list, is_file ? FOUND_IN_FOLDER : FOUND_SPECIAL, 0, path);
    return MAREY_OK;
}

bool folder_is(const char *path)
{
    struct stat about;
    return *path && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

marey_status folder_walk(const marey_ctx_def *memory, const char *path, found_list *list)
{
    walk at = { memory, list, buffer_make(memory), buffer_make(memory) };
    buffer next = buffer_make(memory);
    marey_status status = MAREY_OK;
    struct stat about;
    int failed = stat(path, &about) == 0 ? 0 : errno;
    if (!failed && S_ISDIR(about.st_mode))
        status = open_folder(&at, path);
    else if (!failed || is_asked_wrongly(failed)) /* or a file, which opening says more of */
        add_record(list, FOUND_NAMED, 0, path);
    else
        add_record(list, FOUND_UNREADABLE, failed, path);
    while (status == MAREY_OK && at.stack.used > 0) {
        /* The top path goes off the stack, and is copied: what is below it may move the stack. */
        size_t start = at.stack.used - 1;
        while (start > 0 && at.stack.bytes[start - 1] != 0) start--;
        next.used = 0;
        buffer_bytes(&next, at.stack.bytes + start, at.stack.used - start);
        at.stack.used = start;
        status = next.failed ? MAREY_ERR_MEMORY : look_at(&at, next.bytes);
    }
    buffer_free(&next);
    buffer_free(&at.names);
    buffer_free(&at.stack);
    return list->records.failed ? MAREY_ERR_MEMORY : status;
}
