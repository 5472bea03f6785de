/* clip_checks.h - what the fuzzers of ASF and AMC share: a file system in memory, so that nothing
   but the processor limits the speed, and what any clip must bear once it is read. */
#ifndef FUZZ_CLIP_CHECKS_H
#define FUZZ_CLIP_CHECKS_H

#include <marey/io.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A finding: the fuzzer keeps the input, the replay program stops the test. */
static inline void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz: not so: %s\n", what);
    abort();
}

/* ---- a file system in memory ----------------------------------------------------------------- */

enum { FUZZ_FILES = 4, FUZZ_PATH_ROOM = 128 };

typedef struct memory_file {
    char path[FUZZ_PATH_ROOM]; /* "": this place is free */
    uint8_t *bytes;
    size_t count, room, at;
} memory_file;

typedef struct disk {
    memory_file files[FUZZ_FILES];
} disk;

static inline int find_file(const disk *d, const char *path)
{
    for (int i = 0; i < FUZZ_FILES; i++) {
        if (strcmp(d->files[i].path, path) == 0) return i;
    }
    return -1;
}

static inline void drop_file(memory_file *file)
{
    free(file->bytes);
    *file = (memory_file){ 0 };
}

static inline int disk_open(void *user, const char *path, marey_io_mode mode)
{
    disk *d = user;
    int handle = find_file(d, path);
    if (mode == MAREY_IO_CREATE) {
        if (handle >= 0) return -EEXIST;
        handle = find_file(d, "");
        if (handle < 0) return -ENOSPC;
        snprintf(d->files[handle].path, FUZZ_PATH_ROOM, "%s", path);
    }
    if (handle < 0) return -ENOENT;
    d->files[handle].at = 0;
    return handle;
}

static inline int64_t disk_size(void *user, int handle)
{
    return (int64_t)((disk *)user)->files[handle].count;
}

static inline int64_t disk_read(void *user, int handle, void *bytes, size_t room)
{
    memory_file *file = &((disk *)user)->files[handle];
    size_t left = file->count - file->at, count = left < room ? left : room;
    if (count) memcpy(bytes, file->bytes + file->at, count);
    file->at += count;
    return (int64_t)count;
}

static inline int64_t disk_write(void *user, int handle, const void *bytes, size_t count)
{
    memory_file *file = &((disk *)user)->files[handle];
    if (file->room - file->count < count) {
        size_t room = 2 * (file->count + count);
        uint8_t *grown = realloc(file->bytes, room);
        if (!grown) return -ENOSPC;
        file->bytes = grown;
        file->room = room;
    }
    if (count) memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
    return (int64_t)count;
}

static inline int disk_nothing(void *user, int handle)
{
    (void)user;
    (void)handle;
    return 0;
}

static inline int disk_remove(void *user, const char *path)
{
    disk *d = user;
    int handle = find_file(d, path);
    if (handle < 0) return -ENOENT;
    drop_file(&d->files[handle]);
    return 0;
}

static inline int disk_rename(void *user, const char *from, const char *to)
{
    disk *d = user;
    int handle = find_file(d, from);
    if (handle < 0) return -ENOENT;
    if (find_file(d, to) >= 0) disk_remove(user, to);
    snprintf(d->files[handle].path, FUZZ_PATH_ROOM, "%s", to);
    return 0;
}

static inline int disk_resolve(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    return (size_t)snprintf(resolved, room, "%s", path) < room ? 0 : -ENAMETOOLONG;
}

/* All files are in one folder. */
static inline int disk_list(void *user, const char *folder, void (*found)(void *, const char *),
                            void *found_user)
{
    const disk *d = user;
    if (strcmp(folder, ".") != 0) return -ENOENT;
    for (int i = 0; i < FUZZ_FILES; i++) {
        if (d->files[i].path[0]) found(found_user, d->files[i].path);
    }
    return 0;
}

static inline marey_io disk_io(disk *d)
{
    return (marey_io){ .user = d,
                       .open = disk_open,
                       .size = disk_size,
                       .read = disk_read,
                       .write = disk_write,
                       .sync = disk_nothing,
                       .close = disk_nothing,
                       .rename = disk_rename,
                       .remove = disk_remove,
                       .resolve = disk_resolve,
                       .list = disk_list };
}

static inline void disk_put(disk *d, const char *path, const void *bytes, size_t count)
{
    int handle = disk_open(d, path, MAREY_IO_CREATE);
    require(handle >= 0 && disk_write(d, handle, bytes, count) >= 0, "a file fits");
}

static inline void disk_clear(disk *d)
{
    for (int i = 0; i < FUZZ_FILES; i++) drop_file(&d->files[i]);
}

/* ---- what must hold -------------------------------------------------------------------------- */

/* Memory is limited and may run out; anything else a clip in hand must bear. */
static inline bool went_well(marey_status status, const char *what)
{
    require(status == MAREY_OK || status == MAREY_ERR_MEMORY, what);
    return status == MAREY_OK;
}

static inline double *make_room(const marey_clip *clip)
{
    return malloc((size_t)marey_clip_skeleton(clip)->joint_count * 3 * sizeof(double));
}

/* How far joints are from the origin in the first and the last frame. */
static inline double check_finite(const marey_clip *clip)
{
    int count = marey_clip_skeleton(clip)->joint_count * 3;
    double *points = make_room(clip), most = 0;
    for (int last = 0; points && last < 2; last++) {
        marey_clip_positions(clip, last ? marey_clip_frames(clip) - 1 : 0, 1, points);
        for (int i = 0; i < count; i++) {
            require(isfinite(points[i]), "joints are somewhere");
            most = fmax(most, fabs(points[i]));
        }
    }
    free(points);
    return most;
}

/* Rotations are of float precision and angles are written with six decimals, so places agree to a
   share of the whole size; the sum over a chain of bones is bounded by their number. */
static inline void check_near(const marey_clip *a, const marey_clip *b, double size)
{
    int joints = marey_clip_skeleton(a)->joint_count;
    double *x = make_room(a), *y = make_room(b), reach = size;
    for (int j = 0; j < joints; j++) {
        const double *offset = marey_clip_skeleton(a)->joints[j].offset_cm;
        for (int i = 0; i < 3; i++) reach += fabs(offset[i]);
    }
    for (int last = 0; x && y && last < 2; last++) {
        marey_clip_positions(a, last ? marey_clip_frames(a) - 1 : 0, 1, x);
        marey_clip_positions(b, last ? marey_clip_frames(b) - 1 : 0, 1, y);
        for (int i = 0; i < 3 * joints; i++) {
            require(fabs(x[i] - y[i]) <= 1e-5 * (joints + 1) * reach + 1e-4, "the same places");
        }
    }
    free(x);
    free(y);
}

/* Written as BVH and read again, joints are where they were. What is written need not be readable:
   a value at the limit may have been rounded past it. */
static inline void check_saved(marey_ctx *ctx, const marey_clip *clip)
{
    marey_clip *again = NULL;
    marey_load_def def = { .units = marey_clip_units(clip), .up = marey_clip_up(clip) };
    double size = check_finite(clip);
    if (!went_well(marey_clip_save(clip, "out.bvh", NULL), "a clip can be saved")) return;
    marey_status status = marey_clip_load(ctx, "out.bvh", &def, &again, NULL);
    if (status) {
        require(status == MAREY_ERR_MEMORY || size > 1e8, "it can be read again");
        return;
    }
    require(marey_clip_frames(clip) == marey_clip_frames(again), "as many frames");
    check_near(clip, again, size);
    marey_clip_free(again);
}

/* Takes and frees a clip that an edit made. */
static inline void check_edited(marey_ctx *ctx, marey_status status, marey_clip *clip)
{
    require((status == MAREY_OK) == (clip != NULL), "a failed edit makes nothing");
    if (clip) check_saved(ctx, clip);
    marey_clip_free(clip);
}

static inline void check_edits(marey_ctx *ctx, const marey_clip *clip)
{
    int frames = marey_clip_frames(clip);
    marey_clip *out = NULL;
    marey_status status = marey_clip_mirror(clip, &out, NULL);
    check_edited(ctx, status, out);
    out = NULL;
    status = marey_clip_resample(clip, marey_clip_fps(clip) * 0.6, &out, NULL);
    check_edited(ctx, status, out);
    out = NULL;
    status = marey_clip_trim(clip, frames / 3, frames / 3 + 1, &out, NULL);
    check_edited(ctx, status, out);
    out = NULL;
    status = marey_clip_in_place(clip, &out, NULL);
    check_edited(ctx, status, out);
}

/* Reads the bytes under this name with what else is on the disk, and tries everything on the
   clip. */
static inline void check_bytes(disk *d, const char *name, const uint8_t *data, size_t size)
{
    marey_io io = disk_io(d);
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1, .io = &io };
    marey_ctx *ctx = NULL;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    if (marey_ctx_open(&def, &ctx)) return;
    if (marey_clip_load_bytes(ctx, name, data, size, NULL, &clip, &error) == MAREY_OK) {
        check_saved(ctx, clip);
        check_edits(ctx, clip);
        marey_clip_free(clip);
    } else {
        require(clip == NULL, "a failed load makes nothing");
        require(error.message[0] != 0, "a failed load says why");
    }
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
}

#endif
