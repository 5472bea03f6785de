/* memory_files.c - a small file system in memory.

   Files lie in one array, sorted part by part of their names ('/' counts as less than anything), so
   that what is in a folder stands in one row: a name is found by halving, a folder is listed by
   walking that row. A file that is removed or replaced while it is read stays until the last handle
   is closed, as on a disk. Nothing forbids a file and a folder of the same name; neither hides the
   other. */
#include "memory_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LONGEST = 1000, NAME_PART = 255, LONGEST_ENDING = 16 };

typedef struct file {
    studio_bytes content;
    int handles;
    int numbers; /* how far those that wanted this name too were counted */
    bool gone;   /* no name leads here any more */
    char name[];
} file;

typedef struct handle {
    file *file; /* NULL: free */
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

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds a part behind the folders in `name`, which has room for NAME_LONGEST bytes and a zero; ".."
   takes one away. */
static int add_part(char *name, size_t *used, const char *part, size_t length)
{
    if (length == 0 || (length == 1 && part[0] == '.')) return 0;
    if (length == 2 && part[0] == '.' && part[1] == '.') {
        if (*used == 0) return -ENOENT; /* there is nothing above */
        while (*used > 0 && name[*used - 1] != '/') --*used;
        if (*used > 0) --*used;
        name[*used] = 0;
        return 0;
    }
    if (length > NAME_PART || *used + 1 + length > NAME_LONGEST) return -ENAMETOOLONG;
    if (*used > 0) name[(*used)++] = '/';
    memcpy(name + *used, part, length);
    *used += length;
    name[*used] = 0;
    return 0;
}

/* The name that a path of the hook means: "." and ".." are followed. -ENOENT: it leads out of what
   is in memory; -ENAMETOOLONG. */
static int resolve_name(const char *path, char *name)
{
    size_t used = 0;
    int failed = 0;
    name[0] = 0;
    if (path[0] == '/' || path[0] == 0) return -ENOENT; /* nothing here has such a name */
    while (!failed && *path) {
        size_t length = strcspn(path, "/");
        failed = add_part(name, &used, path, length);
        path += length;
        path += *path == '/';
    }
    return failed;
}

/* The harmless name that memory_files_put promises. False: nothing is left. */
static bool clean_name(const char *text, char *name)
{
    enum { PART_ROOM = 4096 };
    char part[PART_ROOM];
    size_t used = 0;
    name[0] = 0;
    while (*text) {
        /* One part, without control characters. */
        size_t length = 0;
        for (; *text && *text != '/' && *text != '\\'; text++) {
            bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
            if (!control && length < sizeof part) part[length++] = *text;
        }
        text += *text != 0;
        if (length > NAME_PART) {
            /* It loses the end of its stem, in whole characters: what kind of file it is must
               stay. */
            size_t ending = 0;
            while (ending < LONGEST_ENDING && part[length - 1 - ending] != '.') ending++;
            ending = ending < LONGEST_ENDING ? ending + 1 : 0;
            size_t stem = NAME_PART - ending;
            while (stem > 0 && ((unsigned char)part[stem] & 0xc0) == 0x80) stem--;
            memmove(part + stem, part + length - ending, ending);
            length = stem + ending;
        }
        bool dots = length > 0 && length <= 2 && part[0] == '.' && part[length - 1] == '.';
        if (length == 0 || dots) continue;
        /* Of a name with too many folders the last ones stay: an AMC looks for its ASF near
           itself. */
        while (used > 0 && used + 1 + length > NAME_LONGEST - LONGEST_ENDING) {
            const char *slash = strchr(name, '/');
            size_t first = slash ? (size_t)(slash - name) + 1 : used;
            used -= first;
            memmove(name, name + first, used + 1);
        }
        add_part(name, &used, part, length);
    }
    return used > 0;
}

/* "s07/walk.bvh" becomes "s07/walk-2.bvh". A stem that is full gives way; clean_name left room in
   the whole. */
static void number_name(const char *name, int number, char *numbered)
{
    char mark[16];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    const char *dot = strrchr(last, '.');
    if (!dot || dot == last || strlen(dot) > LONGEST_ENDING) dot = last + strlen(last);
    int length = snprintf(mark, sizeof mark, "-%d", number);
    size_t stem = (size_t)(dot - last), most = NAME_PART - strlen(dot) - (size_t)length;
    if (stem > most) stem = most;
    while (stem > 0 && ((unsigned char)last[stem] & 0xc0) == 0x80) stem--;
    size_t folder = (size_t)(last - name), ending = strlen(dot);
    memcpy(numbered, name, folder + stem);
    memcpy(numbered + folder + stem, mark, (size_t)length);
    memcpy(numbered + folder + stem + (size_t)length, dot, ending + 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int rank(char byte)
{
    return byte == 0 ? -1 : byte == '/' ? 0 : (unsigned char)byte;
}

/* The first file that does not come before `name`. */
static int lower_bound(const memory_files *files, const char *name)
{
    int low = 0, high = files->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const char *a = files->files[middle]->name, *b = name;
        while (*a && *a == *b) a++, b++;
        if (rank(*a) < rank(*b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int find(const memory_files *files, const char *name)
{
    int at = lower_bound(files, name);
    return at < files->count && strcmp(files->files[at]->name, name) == 0 ? at : -1;
}

/* Where the files of a folder begin; "" is the folder of all. -1: there is no such folder. */
static int find_folder(const memory_files *files, const char *name)
{
    char inside[NAME_LONGEST + 2];
    size_t length = strlen(name);
    if (length == 0) return 0;
    snprintf(inside, sizeof inside, "%s/", name);
    int at = lower_bound(files, inside);
    bool any = at < files->count && strncmp(files->files[at]->name, inside, length + 1) == 0;
    return any ? at : -1;
}

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

/* There is room, and no file of that name. */
static void insert(memory_files *files, file *one)
{
    int at = lower_bound(files, one->name);
    memmove(files->files + at + 1, files->files + at,
            (size_t)(files->count - at) * sizeof *files->files);
    files->files[at] = one;
    files->count++;
}

/* A new, empty file where there is none of that name. NULL: no memory. */
static file *add_file(memory_files *files, const char *name)
{
    if (files->count == files->room) {
        int room = files->room ? 2 * files->room : 16;
        file **fresh = heap_resize(files->memory, files->files, (size_t)files->room * sizeof *fresh,
                                   (size_t)room * sizeof *fresh);
        if (!fresh) return NULL;
        files->files = fresh;
        files->room = room;
    }
    file *one = make_file(files, name);
    if (one) insert(files, one);
    return one;
}

/* The bytes of a file, which has none from then on. */
static studio_bytes take_content(file *one)
{
    studio_bytes content = one->content;
    one->content = (studio_bytes){ .memory = content.memory };
    return content;
}

static void remove_file(memory_files *files, int at)
{
    file *one = files->files[at];
    files->count--;
    memmove(files->files + at, files->files + at + 1,
            (size_t)(files->count - at) * sizeof *files->files);
    one->gone = true;
    if (one->handles == 0) free_file(files, one);
}

/* ---- the hook -------------------------------------------------------------------------------- */

static int open_locked(memory_files *files, const char *name, bool writes)
{
    int at = find(files, name);
    if (!writes && at < 0) return find_folder(files, name) >= 0 ? -EISDIR : -ENOENT;
    if (writes && at >= 0) return -EEXIST;
    if (writes && !*name) return -EISDIR;

    int number = 0, handle_room = files->handle_room;
    while (number < handle_room && files->handles[number].file) number++;
    if (number == handle_room) {
        int room = handle_room ? 2 * handle_room : 8;
        handle *fresh =
            heap_resize(files->memory, files->handles, (size_t)handle_room * sizeof *fresh,
                        (size_t)room * sizeof *fresh);
        if (!fresh) return -ENOMEM;
        memset(fresh + number, 0, (size_t)(room - number) * sizeof *fresh);
        files->handles = fresh;
        files->handle_room = room;
    }

    file *one = writes ? add_file(files, name) : files->files[at];
    if (!one) return -ENOMEM;
    one->handles++;
    files->handles[number] = (handle){ .file = one, .writes = writes };
    return number;
}

static int hook_open(void *user, const char *path, marey_io_mode mode)
{
    memory_files *files = user;
    char name[NAME_LONGEST + 1];
    int result = resolve_name(path, name);
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
    int64_t size = (int64_t)files->handles[number].file->content.count;
    pthread_mutex_unlock(&files->lock);
    return size;
}

static int64_t hook_read(void *user, int number, void *data, size_t room)
{
    memory_files *files = user;
    pthread_mutex_lock(&files->lock);
    handle *cursor = &files->handles[number];
    size_t left = cursor->file->content.count - cursor->offset, count = left < room ? left : room;
    if (count > 0) memcpy(data, cursor->file->content.data + cursor->offset, count);
    cursor->offset += count;
    pthread_mutex_unlock(&files->lock);
    return (int64_t)count;
}

static int64_t hook_write(void *user, int number, const void *data, size_t count)
{
    memory_files *files = user;
    pthread_mutex_lock(&files->lock);
    handle *cursor = &files->handles[number];
    int64_t result = cursor->writes ? (int64_t)count : -EBADF;
    if (cursor->writes) {
        bytes_add(&cursor->file->content, data, count);
        if (cursor->file->content.failed) result = -ENOMEM;
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
    file *one = files->handles[number].file;
    files->handles[number] = (handle){ 0 };
    if (--one->handles == 0 && one->gone) free_file(files, one);
    pthread_mutex_unlock(&files->lock);
    return 0;
}

/* The file gets a new name, which is part of it; so it is made anew around the same bytes. */
static int hook_rename(void *user, const char *old_path, const char *path)
{
    memory_files *files = user;
    char old_name[NAME_LONGEST + 1], name[NAME_LONGEST + 1];
    int result = resolve_name(old_path, old_name);
    if (result == 0) result = resolve_name(path, name);
    if (result < 0) return result;
    bool same = strcmp(old_name, name) == 0;
    pthread_mutex_lock(&files->lock);
    int at = find(files, old_name);
    if (at < 0) {
        result = -ENOENT;
    } else if (!same && files->files[at]->handles > 0) {
        result = -EBUSY;
    } else if (!same) {
        file *fresh = make_file(files, name);
        if (fresh) {
            fresh->content = take_content(files->files[at]);
            remove_file(files, at);
            int target = find(files, name);
            if (target >= 0) remove_file(files, target);
            insert(files, fresh); /* one was taken out, so there is room */
        } else {
            result = -ENOMEM;
        }
    }
    pthread_mutex_unlock(&files->lock);
    return result;
}

static int hook_remove(void *user, const char *path)
{
    memory_files *files = user;
    char name[NAME_LONGEST + 1];
    int result = resolve_name(path, name);
    if (result < 0) return result;
    pthread_mutex_lock(&files->lock);
    int at = find(files, name);
    if (at >= 0) remove_file(files, at);
    pthread_mutex_unlock(&files->lock);
    return at >= 0 ? 0 : -ENOENT;
}

static int hook_resolve(void *user, const char *path, char *resolved, size_t room)
{
    memory_files *files = user;
    char name[NAME_LONGEST + 1];
    int result = resolve_name(path, name);
    if (result < 0) return result;
    pthread_mutex_lock(&files->lock);
    bool folder = find(files, name) < 0 && find_folder(files, name) >= 0;
    pthread_mutex_unlock(&files->lock);
    if (folder) return -EISDIR;
    return (size_t)snprintf(resolved, room, "%s", name) < room ? 0 : -ENAMETOOLONG;
}

static int hook_list(void *user, const char *folder,
                     void (*found)(void *found_user, const char *name), void *found_user)
{
    memory_files *files = user;
    char name[NAME_LONGEST + 1], entry[NAME_PART + 1], last[NAME_PART + 1] = "";
    int result = resolve_name(folder, name);
    if (result < 0) return result;
    size_t length = strlen(name), skip = length ? length + 1 : 0;
    pthread_mutex_lock(&files->lock);
    int at = find_folder(files, name);
    if (at < 0) result = find(files, name) >= 0 ? -ENOTDIR : -ENOENT;
    for (; at >= 0 && at < files->count; at++) {
        const char *path = files->files[at]->name;
        if (skip > 0 && (strncmp(path, name, length) != 0 || path[length] != '/')) break;
        size_t count = strcspn(path + skip, "/");
        memcpy(entry, path + skip, count);
        entry[count] = 0;
        /* Each entry once: what a folder in here holds stands in one row. */
        if (strcmp(entry, last) != 0) found(found_user, entry);
        memcpy(last, entry, count + 1);
    }
    pthread_mutex_unlock(&files->lock);
    return result;
}

const marey_io *memory_files_io(const memory_files *files)
{
    return &files->io;
}

/* ---- from outside ---------------------------------------------------------------------------- */

memory_files *memory_files_make(heap *memory)
{
    memory_files *files = heap_resize(memory, NULL, 0, sizeof *files);
    if (!files) return NULL;
    *files =
        (memory_files){ .memory = memory,
                        .io = { files, hook_open, hook_size, hook_read, hook_write, hook_sync,
                                hook_close, hook_rename, hook_remove, hook_resolve, hook_list } };
    pthread_mutex_init(&files->lock, NULL);
    return files;
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

int memory_files_put(memory_files *files, const char *name, studio_bytes *content)
{
    char wanted[NAME_LONGEST + 1], free_name[NAME_LONGEST + 1];
    if (!clean_name(name, wanted)) return -EINVAL;
    memcpy(free_name, wanted, sizeof free_name);
    pthread_mutex_lock(&files->lock);
    int at = find(files, wanted);
    if (at >= 0) {
        /* Counting goes on where it stopped for this name: thousands of files of one name would
           take minutes otherwise. */
        file *first = files->files[at];
        if (first->numbers == 0) first->numbers = 1;
        do {
            number_name(wanted, ++first->numbers, free_name);
        } while (find(files, free_name) >= 0);
    }
    file *one = add_file(files, free_name);
    if (one) {
        one->content = *content;
        *content = (studio_bytes){ .memory = files->memory };
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
        *content = take_content(files->files[at]);
        remove_file(files, at);
    }
    pthread_mutex_unlock(&files->lock);
    return taken;
}

void memory_files_clear(memory_files *files)
{
    pthread_mutex_lock(&files->lock);
    while (files->count > 0) remove_file(files, files->count - 1);
    pthread_mutex_unlock(&files->lock);
}
