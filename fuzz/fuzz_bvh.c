/* fuzz_bvh.c - any bytes, read as BVH. What loads must survive being written and read again with
   every number, must be written the same twice, and must bear every edit. Files live in memory, so
   that nothing but the processor limits the speed. */
#include <marey/marey.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A finding: the fuzzer keeps the input, the replay program stops the test. */
static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_bvh: not so: %s\n", what);
    abort();
}

/* ---- a file system in memory ------------------------------------------------------------------ */

enum { FILES = 4, PATH_ROOM = 128 };

typedef struct memory_file {
    char path[PATH_ROOM]; /* "": this place is free */
    uint8_t *bytes;
    size_t count, room, at;
} memory_file;

typedef struct disk {
    memory_file files[FILES];
} disk;

static int find_file(const disk *d, const char *path)
{
    for (int i = 0; i < FILES; i++) {
        if (strcmp(d->files[i].path, path) == 0) return i;
    }
    return -1;
}

static void drop_file(memory_file *file)
{
    free(file->bytes);
    *file = (memory_file){ 0 };
}

static int disk_open(void *user, const char *path, marey_io_mode mode)
{
    disk *d = user;
    int handle = find_file(d, path);
    if (mode == MAREY_IO_CREATE) {
        if (handle >= 0) return -EEXIST;
        handle = find_file(d, "");
        if (handle < 0) return -ENOSPC;
        snprintf(d->files[handle].path, PATH_ROOM, "%s", path);
    }
    if (handle < 0) return -ENOENT;
    d->files[handle].at = 0;
    return handle;
}

static int64_t disk_size(void *user, int handle)
{
    return (int64_t)((disk *)user)->files[handle].count;
}

static int64_t disk_read(void *user, int handle, void *bytes, size_t room)
{
    memory_file *file = &((disk *)user)->files[handle];
    size_t left = file->count - file->at, count = left < room ? left : room;
    if (count) memcpy(bytes, file->bytes + file->at, count);
    file->at += count;
    return (int64_t)count;
}

static int64_t disk_write(void *user, int handle, const void *bytes, size_t count)
{
    memory_file *file = &((disk *)user)->files[handle];
    if (file->room - file->count < count) {
        size_t room = 2 * (file->count + count);
        uint8_t *grown = realloc(file->bytes, room);
        if (!grown) return -ENOSPC;
        file->bytes = grown;
        file->room = room;
    }
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
    return (int64_t)count;
}

static int disk_nothing(void *user, int handle)
{
    (void)user;
    (void)handle;
    return 0;
}

static int disk_remove(void *user, const char *path)
{
    disk *d = user;
    int handle = find_file(d, path);
    if (handle < 0) return -ENOENT;
    drop_file(&d->files[handle]);
    return 0;
}

static int disk_rename(void *user, const char *from, const char *to)
{
    disk *d = user;
    int handle = find_file(d, from);
    if (handle < 0) return -ENOENT;
    if (find_file(d, to) >= 0) disk_remove(user, to);
    snprintf(d->files[handle].path, PATH_ROOM, "%s", to);
    return 0;
}

/* ---- what must hold --------------------------------------------------------------------------- */

/* Memory is limited and may run out; anything else a clip in hand must bear. */
static bool went_well(marey_status status, const char *what)
{
    require(status == MAREY_OK || status == MAREY_ERR_MEMORY, what);
    return status == MAREY_OK;
}

static void check_same(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *s = marey_clip_skeleton(a), *t = marey_clip_skeleton(b);
    require(s->joint_count == t->joint_count, "as many joints");
    require(s->channel_count == t->channel_count, "as many channels");
    require(marey_clip_frames(a) == marey_clip_frames(b), "as many frames");
    require(marey_clip_fps(a) == marey_clip_fps(b), "the same rate");
    for (int i = 0; i < s->joint_count; i++) {
        require(strcmp(s->joints[i].name, t->joints[i].name) == 0, "the same names");
        require(s->joints[i].parent == t->joints[i].parent, "the same parents");
    }
    for (int f = 0; f < marey_clip_frames(a); f++) {
        const double *x = marey_clip_channels(a, f), *y = marey_clip_channels(b, f);
        for (int c = 0; c < s->channel_count; c++) require(x[c] == y[c], "the same numbers");
    }
}

static void check_same_bytes(const disk *d, const char *a, const char *b)
{
    const memory_file *x = &d->files[find_file(d, a)], *y = &d->files[find_file(d, b)];
    require(x->count == y->count && memcmp(x->bytes, y->bytes, x->count) == 0, "the same bytes");
}

static void check_round_trip(marey_ctx *ctx, const disk *d, const marey_clip *clip)
{
    marey_clip *again = NULL;
    if (!went_well(marey_clip_save(clip, "a.bvh", NULL), "a clip can be saved")) return;
    if (!went_well(marey_clip_load(ctx, "a.bvh", NULL, &again, NULL), "it can be read again"))
        return;
    check_same(clip, again);
    if (went_well(marey_clip_save(again, "b.bvh", NULL), "it can be saved again")) {
        check_same_bytes(d, "a.bvh", "b.bvh");
    }
    marey_clip_free(again);
}

static void check_finite(const marey_clip *clip)
{
    size_t count = (size_t)marey_clip_skeleton(clip)->joint_count * 3;
    double *points = malloc(count * sizeof *points);
    for (int last = 0; points && last < 2; last++) {
        marey_clip_positions(clip, last ? marey_clip_frames(clip) - 1 : 0, 1, points);
        for (size_t i = 0; i < count; i++) require(isfinite(points[i]), "joints are somewhere");
    }
    free(points);
}

/* Takes and frees a clip that an edit made. What is written of it need not be readable: a value at
   the limit may have been rounded past it. */
static void check_edited(marey_ctx *ctx, marey_status status, marey_clip *clip)
{
    marey_clip *again = NULL;
    if (status != MAREY_OK) {
        require(clip == NULL, "a failed edit makes nothing");
        return;
    }
    check_finite(clip);
    if (went_well(marey_clip_save(clip, "a.bvh", NULL), "an edited clip can be saved") &&
        marey_clip_load(ctx, "a.bvh", NULL, &again, NULL) == MAREY_OK) {
        require(marey_clip_frames(clip) == marey_clip_frames(again), "an edited clip's frames");
        check_finite(again);
        marey_clip_free(again);
    }
    marey_clip_free(clip);
}

static void check_edits(marey_ctx *ctx, const marey_clip *clip)
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

static int disk_resolve(void *user, const char *path, char *resolved, size_t room)
{
    (void)user;
    return (size_t)snprintf(resolved, room, "%s", path) < room ? 0 : -1;
}

static int disk_list(void *user, const char *folder, void (*found)(void *, const char *),
                     void *found_user)
{
    (void)user;
    (void)folder;
    (void)found;
    (void)found_user;
    return 0; /* a BVH needs no other file */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    disk d = { 0 };
    marey_io io = { &d,           disk_open,   disk_size,   disk_read,    disk_write, disk_nothing,
                    disk_nothing, disk_rename, disk_remove, disk_resolve, disk_list };
    marey_ctx_def def = { .byte_limit = (size_t)256 << 20, .threads = 1, .io = &io };
    marey_ctx *ctx = NULL;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    if (marey_ctx_open(&def, &ctx)) return 0;
    if (marey_clip_load_bytes(ctx, "fuzz.bvh", data, size, NULL, &clip, &error) == MAREY_OK) {
        check_finite(clip);
        check_round_trip(ctx, &d, clip);
        check_edits(ctx, clip);
        marey_clip_free(clip);
    } else {
        require(clip == NULL, "a failed load makes nothing");
        require(error.message[0] != 0, "a failed load says why");
    }
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    for (int i = 0; i < FILES; i++) drop_file(&d.files[i]);
    return 0;
}
