/* memory_files.c - a small file system in memory.

   Files lie in one array, sorted part by part of their names ('/' counts as less than anything), so that what is in a
   folder stands in one row: a name is found by halving, a folder is listed by walking that row. A file that is
   removed or replaced while somebody reads it stays until the last handle is closed, as on a disk. Nothing
   forbids a file and a folder of the same name; neither hides the other. */
#include "memory_files.h"

#include "memory_names.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 1 << 20 };

typedef struct file {
    studio_bytes content;
    int handles;
    int numbers; /* how far those that wanted this name too were counted */
    bool gone;   /* no name leads here any more */
    char name[];
} file;

typedef struct handle {
    file *of; /* NULL: free */
    size_t offset;
    bool writes;
} handle;

struct memory_files {
    heap *memory;
    marey_io io;
    pthread_mutex_t lock; /* a context reads from several threads */
    file **files;
    int count, room;
    handle *handles;
    int handle_room;
};

/* ---- names -------------------------------------------------------------------------------------- */

static int rank(char byte)
{
    return byte == 0 ? -1 : byte == '/' ? 0 : (unsigned char)byte;
}

static int compare(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return rank(*a) - rank(*b);
}

/* The first file that does not come before `name`. */
static int lower_bound(const memory_files *files, const char *name)
{
    int low = 0, high = files->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(files->files[middle]->name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int find(const memory_files *files, const char *name)
{
    int at = lower_bound(files, name);
    return at < files->count && strcmp(files->files[at]->name, name) == 0 ? at : -1;
}

/* Where the files of a folder begin; "" is the folder of all. -1: there is no such folder. */
static int find_folder(const memory_files *files, const char *name, size_t length)
{
    char inside[MEMORY_NAME_LONGEST + 2];
    if (length == 0) return 0;
    snprintf(inside, sizeof inside, "%s/", name);
    int at = lower_bound(files, inside);
    bool any = at < files->count && strncmp(files->files[at]->name, inside, length + 1) == 0;
    return any ? at : -1;
}

/* ---- files -------------------------------------------------------------------------------------- */

static void free_file(memory_files *files, file *one)
{
    bytes_free(&one->content);
    heap_resize(files->memory, one, sizeof *one + strlen(one->name) + 1, 0);
}

static file *make_file(memory_files *files, const char *name)
{
    size_t length = strlen(name) + 1;
    file *one = heap_resize(files->memory, NULL, 0, sizeof *one + length);
    if (!one) return NULL;
    *one = (file){ .content = { .memory = files->memory } };
    memcpy(one->name, name, length);
    return one;
}

static bool have_room(memory_files *files)
{
    int room = files->room ? 2 * files->room : 16;
    if (files->count < files->room) return true;
    file **fresh = heap_resize(files->memory, files->files, (size_t)files->room * sizeof *fresh,
                               (size_t)room * sizeof *fresh);
    if (!fresh) return false;
    files->files = fresh;
    files->room = room;
    return true;
}

/* There is room, and no file of that name. */
static void insert(memory_files *files, file *one)
{
    int at = lower_bound(files, one->name);
    memmove(files->files + at + 1, files->files + at,
            (size_t)(files->count - at) * sizeof *files->files);
    files->files[at] = one;
    files->count++;
}

static file *unlist(memory_files *files, int at)
{
    file *one = files->files[at];
    files->count--;
    memmove(files->files + at, files->files + at + 1,
            (size_t)(files->count - at) * sizeof *files->files);
    return one;
}

static void drop(memory_files *files, file *one)
{
    one->gone = true;
    if (one->handles == 0) free_file(files, one);
}

/* ---- the hook ----------------------------------------------------------------------------------- */

static int free_handle(memory_files *files)
{
    int at = 0, room = files->handle_room ? 2 * files->handle_room : 8;
    while (at < files->handle_room && files->handles[at].of) at++;
    if (at < files->handle_room) return at;
    handle *fresh =
        heap_resize(files->memory, files->handles, (size_t)files->handle_room * sizeof *fresh,
                    (size_t)room * sizeof *fresh);
    if (!fresh) return -ENOMEM;
    memset(fresh + at, 0, (size_t)(room - at) * sizeof *fresh);
    files->handles = fresh;
    files->handle_room = room;
    return at;
}

static int open_locked(memory_files *files, const char *name, bool writes)
{
    int at = find(files, name);
    if (!writes && at < 0) return find_folder(files, name, strlen(name)) >= 0 ? -EISDIR : -ENOENT;
    if (writes && at >= 0) return -EEXIST;
    if (writes && !*name) return -EISDIR;
    int number = free_handle(files);
    if (number < 0) return number;
    file *one = NULL;
    if (writes) {
        one = have_room(files) ? make_file(files, name) : NULL;
        if (!one) return -ENOMEM;
        insert(files, one);
    } else {
        one = files->files[at];
    }
    one->handles++;
    files->handles[number] = (handle){ .of = one, .writes = writes };
    return number;
}

static int hook_open(void *user, const char *path, marey_io_mode mode)
{
    memory_files *files = user;
    char name[MEMORY_NAME_LONGEST + 1];
    int result = memory_name_resolve(path, name);
    if (result < 0) return result;
    pthread_mutex_lock(&files->lock);
    result = open_locked(files, name, mode == MAREY_IO_CREATE);
    pthread_mutex_unlock(&files->lock);
    return result;
}

static int64_t hook_size(void *user, int number)
{
    memory_files *files = user;
    pthread_mutex_lock(&files->lock);
    int64_t size = (int64_t)files->handles[number].of->content.count;
    pthread_mutex_unlock(&files->lock);
    return size;
}

static int64_t hook_read(void *user, int number, void *data, size_t room)
{
    memory_files *files = user;
    pthread_mutex_lock(&files->lock);
    handle *by = &files->handles[number];
    size_t left = by->of->content.count - by->offset, count = left < room ? left : room;
    if (count > 0) memcpy(data, by->of->content.data + by->offset, count);
    by->offset += count;
    pthread_mutex_unlock(&files->lock);
    return (int64_t)count;
}

static int64_t hook_write(void *user, int number, const void *data, size_t count)
{
    memory_files *files = user;
    pthread_mutex_lock(&files->lock);
    handle *by = &files->handles[number];
    int64_t result = by->writes ? (int64_t)count : -EBADF;
    if (by->writes) {
        bytes_add(&by->of->content, data, count);
        if (by->of->content.failed) result = -ENOMEM;
    }
    pthread_mutex_unlock(&files->lock);
    return result;
}

static int hook_sync(void *user, int number)
{
    (void)user;
    (void)number;
    return 0;
}

static int hook_close(void *user, int number)
{
    memory_files *files = user;
    pthread_mutex_lock(&files->lock);
    file *one = files->handles[number].of;
    files->handles[number] = (handle){ 0 };
    if (--one->handles == 0 && one->gone) free_file(files, one);
    pthread_mutex_unlock(&files->lock);
    return 0;
}

/* The file gets a new name, which is part of it; so it is made anew around the same bytes. */
static int rename_locked(memory_files *files, const char *from, const char *to)
{
    int at = find(files, from);
    if (at < 0) return -ENOENT;
    if (strcmp(from, to) == 0) return 0;
    if (files->files[at]->handles > 0) return -EBUSY;
    file *fresh = make_file(files, to);
    if (!fresh) return -ENOMEM;
    file *old = unlist(files, at);
    fresh->content = old->content;
    old->content = (studio_bytes){ .memory = files->memory };
    drop(files, old);
    int target = find(files, to);
    if (target >= 0) drop(files, unlist(files, target));
    insert(files, fresh); /* one was taken out, so there is room */
    return 0;
}

static int hook_rename(void *user, const char *from, const char *to)
{
    memory_files *files = user;
    char from_name[MEMORY_NAME_LONGEST + 1], to_name[MEMORY_NAME_LONGEST + 1];
    int result = memory_name_resolve(from, from_name);
    if (result == 0) result = memory_name_resolve(to, to_name);
    if (result < 0) return result;
    pthread_mutex_lock(&files->lock);
    result = rename_locked(files, from_name, to_name);
    pthread_mutex_unlock(&files->lock);
    return result;
}

static int hook_remove(void *user, const char *path)
{
    memory_files *files = user;
    char name[MEMORY_NAME_LONGEST + 1];
    int result = memory_name_resolve(path, name);
    if (result < 0) return result;
    pthread_mutex_lock(&files->lock);
    int at = find(files, name);
    if (at >= 0) drop(files, unlist(files, at));
    pthread_mutex_unlock(&files->lock);
    return at >= 0 ? 0 : -ENOENT;
}

static int hook_resolve(void *user, const char *path, char *resolved, size_t room)
{
    memory_files *files = user;
    char name[MEMORY_NAME_LONGEST + 1];
    int result = memory_name_resolve(path, name);
    if (result < 0) return result;
    pthread_mutex_lock(&files->lock);
    bool folder = find(files, name) < 0 && find_folder(files, name, strlen(name)) >= 0;
    pthread_mutex_unlock(&files->lock);
    if (folder) return -EISDIR;
    return (size_t)snprintf(resolved, room, "%s", name) < room ? 0 : -ENAMETOOLONG;
}

/* Each entry once: what a folder in here holds stands in one row. */
static void list_from(const memory_files *files, int at, size_t skip, const char *folder,
                      void (*found)(void *found_user, const char *name), void *found_user)
{
    char entry[MEMORY_NAME_PART + 1], last[MEMORY_NAME_PART + 1] = "";
    for (; at < files->count; at++) {
        const char *name = files->files[at]->name;
        if (skip > 0 && (strncmp(name, folder, skip - 1) != 0 || name[skip - 1] != '/')) return;
        size_t length = strcspn(name + skip, "/");
        memcpy(entry, name + skip, length);
        entry[length] = 0;
        if (strcmp(entry, last) != 0) found(found_user, entry);
        memcpy(last, entry, length + 1);
    }
}

static int hook_list(void *user, const char *folder,
                     void (*found)(void *found_user, const char *name), void *found_user)
{
    memory_files *files = user;
    char name[MEMORY_NAME_LONGEST + 1];
    int result = memory_name_resolve(folder, name);
    if (result < 0) return result;
    size_t length = strlen(name);
    pthread_mutex_lock(&files->lock);
    int at = find_folder(files, name, length);
    if (at >= 0) {
        list_from(files, at, length ? length + 1 : 0, name, found, found_user);
    } else {
        result = find(files, name) >= 0 ? -ENOTDIR : -ENOENT;
    }
    pthread_mutex_unlock(&files->lock);
    return result;
}

const marey_io *memory_files_io(const memory_files *files)
{
    return &files->io;
}

/* ---- from outside ------------------------------------------------------------------------------- */

memory_files *memory_files_make(heap *memory)
{
    memory_files *files = heap_resize(memory, NULL, 0, sizeof *files);
    if (!files) return NULL;
    *files =
        (memory_files){ .memory = memory,
                        .io = { files, hook_open, hook_size, hook_read, hook_write, hook_sync,
                                hook_close, hook_rename, hook_remove, hook_resolve, hook_list } };
    if (pthread_mutex_init(&files->lock, NULL) == 0) return files;
    heap_resize(memory, files, sizeof *files, 0);
    return NULL;
}

void memory_files_free(memory_files *files)
{
    if (!files) return;
    memory_files_clear(files);
    heap_resize(files->memory, files->files, (size_t)files->room * sizeof *files->files, 0);
    heap_resize(files->memory, files->handles, (size_t)files->handle_room * sizeof *files->handles,
                0);
    pthread_mutex_destroy(&files->lock);
    heap_resize(files->memory, files, sizeof *files, 0);
}

/* Counting goes on where it stopped for this name: thousands of files of one name would take minutes otherwise. */
static void number_until_free(const memory_files *files, const char *wanted, char *got)
{
    int at = find(files, wanted);
    if (at < 0) return;
    file *first = files->files[at];
    if (first->numbers == 0) first->numbers = 1;
    do {
        memory_name_number(wanted, ++first->numbers, got);
    } while (find(files, got) >= 0);
}

int memory_files_put(memory_files *files, const char *name, studio_bytes *content)
{
    char wanted[MEMORY_NAME_LONGEST + 1], got[MEMORY_NAME_LONGEST + 1];
    if (!memory_name_clean(name, wanted)) return -EINVAL;
    memcpy(got, wanted, sizeof got);
    pthread_mutex_lock(&files->lock);
    number_until_free(files, wanted, got);
    file *one = have_room(files) ? make_file(files, got) : NULL;
    if (one) {
        one->content = *content;
        *content = (studio_bytes){ .memory = files->memory };
        insert(files, one);
    }
    pthread_mutex_unlock(&files->lock);
    return one ? 0 : -ENOMEM;
}

int memory_files_count(const memory_files *files)
{
    return files->count;
}

const char *memory_files_name(const memory_files *files, int index)
{
    return files->files[index]->name;
}

bool memory_files_take(memory_files *files, const char *name, studio_bytes *content)
{
    pthread_mutex_lock(&files->lock);
    int at = find(files, name);
    bool taken = at >= 0 && files->files[at]->handles == 0;
    if (taken) {
        file *one = unlist(files, at);
        *content = one->content;
        one->content = (studio_bytes){ .memory = files->memory };
        drop(files, one);
    }
    pthread_mutex_unlock(&files->lock);
    return taken;
}

void memory_files_clear(memory_files *files)
{
    pthread_mutex_lock(&files->lock);
    while (files->count > 0) drop(files, unlist(files, files->count - 1));
    pthread_mutex_unlock(&files->lock);
}
