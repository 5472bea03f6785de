/* studio_folder.c - which libraries lie in a folder, and the studios of them. They share nothing but the
   list: each has a port, a token and threads of its own, and the page goes from one to the other by
   its address. */
#include "studio.h"

#include "env.h"
#include "folder.h"
#include "heap.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct studio_folder {
    heap memory;
    marey_ctx_def allocator;
    studio_def def; /* of the first one */
    found_list found;
    int count;
    char (*names)[MAREY_NAME_ROOM];
    studio_neighbour *all;
    studio_neighbours *seen; /* by each */
    pthread_mutex_t lock;    /* for the next two */
    bool closing;
    studio **studios; /* NULL: not opened yet */
};

static const size_t MEMORY_LIMIT = (size_t)64 << 20;

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The files in the folder itself. */
static bool is_library(const studio_folder *folder, const found *file)
{
    const char *above = folder->def.library_path;
    const char *last = last_of(file->path), *ending = strrchr(last, '.');
    /* The folder's path as it was given, and a slash where it ends in none. */
    size_t length = strlen(above), inside = length + (length > 0 && above[length - 1] != '/');
    return file->kind == FOUND_IN_FOLDER && ending && ending > last &&
           strcmp(ending, ".marey") == 0 && (size_t)(last - file->path) == inside &&
           strlen(last) - strlen(ending) < MAREY_NAME_ROOM;
}

static marey_status address_of(void *user, int which, char address[STUDIO_LINK_ROOM],
                               marey_error *error)
{
    studio_folder *folder = user;
    marey_status status = MAREY_OK;
    pthread_mutex_lock(&folder->lock);
    if (folder->closing) status = app_fail(error, MAREY_ERR_CANCELLED, NULL, "the studio closes");
    if (status == MAREY_OK && !folder->studios[which]) {
        studio_def def = folder->def;
        def.library_path = folder->all[which].path;
        def.neighbours = &folder->seen[which];
        def.port = which == 0 ? def.port : 0;
        status = studio_open(&def, &folder->studios[which], error);
    }
    if (status == MAREY_OK)
        snprintf(address, STUDIO_LINK_ROOM, "%s", studio_address(folder->studios[which]));
    pthread_mutex_unlock(&folder->lock);
    return status;
}

static marey_status list_libraries(studio_folder *folder, marey_error *error)
{
    const char *path = folder->def.library_path;
    size_t offset = 0;
    found file;
    folder->found.records = buffer_make(&folder->allocator);
    marey_status status = folder_walk(&folder->allocator, path, &folder->found);
    if (status != MAREY_OK) return app_fail_memory(error);
    while (found_next(&folder->found, &offset, &file)) folder->count += is_library(folder, &file);
    if (folder->count == 0 || folder->count > MAREY_MOST_LIBRARIES) {
        int count = folder->count;
        folder->count = 0;
        return count == 0 ? app_fail(error, MAREY_ERR_REQUEST, path,
                                     "no library (.marey) lies in this folder")
                          : app_fail(error, MAREY_ERR_REQUEST, path,
                                     "%d libraries lie in this folder; a studio takes up to %d",
                                     count, MAREY_MOST_LIBRARIES);
    }
    size_t count = (size_t)folder->count;
    folder->names = heap_resize(&folder->memory, NULL, 0, count * sizeof *folder->names);
    folder->all = heap_resize(&folder->memory, NULL, 0, count * sizeof *folder->all);
    folder->seen = heap_resize(&folder->memory, NULL, 0, count * sizeof *folder->seen);
    folder->studios = heap_resize(&folder->memory, NULL, 0, count * sizeof *folder->studios);
    if (!folder->names || !folder->all || !folder->seen || !folder->studios)
        return app_fail_memory(error);
    memset(folder->studios, 0, count * sizeof *folder->studios);
    offset = 0;
    for (int i = 0; found_next(&folder->found, &offset, &file);) {
        if (!is_library(folder, &file)) continue;
        const char *last = last_of(file.path);
        snprintf(folder->names[i], MAREY_NAME_ROOM, "%.*s", (int)(strrchr(last, '.') - last), last);
        folder->all[i] = (studio_neighbour){ folder->names[i], file.path };
        folder->seen[i] = (studio_neighbours){ .all = folder->all,
                                               .count = folder->count,
                                               .own = i,
                                               .address = address_of,
                                               .user = folder };
        i++;
    }
    return MAREY_OK;
}

marey_status studio_folder_open(const studio_def *def, studio_folder **out, marey_error *error)
{
    heap memory = { .limit = MEMORY_LIMIT };
    studio_folder *made = heap_resize(&memory, NULL, 0, sizeof *made);
    char address[STUDIO_LINK_ROOM];
    if (!made) return app_fail_memory(error);
    memset(made, 0, sizeof *made);
    atomic_store(&made->memory.used, atomic_load(&memory.used));
    made->memory.limit = memory.limit;
    made->allocator = (marey_ctx_def){ .resize = heap_resize, .resize_user = &made->memory };
    made->def = *def;
    pthread_mutex_init(&made->lock, NULL);
    marey_status status = list_libraries(made, error);
    if (status == MAREY_OK) status = address_of(made, 0, address, error);
    if (status == MAREY_OK)
        *out = made;
    else
        studio_folder_close_within(made, 0);
    return status;
}

studio *studio_folder_first(studio_folder *folder)
{
    return folder->studios[0];
}

int studio_folder_count(const studio_folder *folder)
{
    return folder->count;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool studio_folder_close_within(studio_folder *folder, int ms)
{
    int64_t until = now_ms() + ms;
    if (!folder) return true;
    pthread_mutex_lock(&folder->lock);
    folder->closing = true;
    pthread_mutex_unlock(&folder->lock);
    for (int i = 0; i < folder->count && folder->studios; i++) {
        int64_t left = until - now_ms();
        if (folder->studios[i] &&
            !studio_close_within(folder->studios[i], left > 0 ? (int)left : 0))
            return false;
        folder->studios[i] = NULL;
    }
    size_t count = (size_t)folder->count;
    heap_resize(&folder->memory, folder->names, count * sizeof *folder->names, 0);
    heap_resize(&folder->memory, folder->all, count * sizeof *folder->all, 0);
    heap_resize(&folder->memory, folder->seen, count * sizeof *folder->seen, 0);
    heap_resize(&folder->memory, folder->studios, count * sizeof *folder->studios, 0);
    buffer_free(&folder->found.records);
    pthread_mutex_destroy(&folder->lock);
    heap memory = { .limit = folder->memory.limit };
    atomic_store(&memory.used, atomic_load(&folder->memory.used));
    heap_resize(&memory, folder, sizeof *folder, 0);
    return true;
}
