/* shard_read.c - the files of shards, read back: every byte is checked when they are opened, and then a
   tile after the other is handed to the work that finishes. */
#include "store/shard_file.h"

#include "base/fail.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct marey_shards {
    mry_arena mem;
    marey_tiles tiles;
    marey_shard_info *items;
    int count;
    int64_t
        *first; /* the tile of each shard, by its number, that comes first; -1: none, or no file */
    int64_t *counts; /* and how many it has */
    const char *about;
    uint64_t state;
    int *missing, missing_count;
};

/* ---- one file, from front to back ------------------------------------------------------------ */

typedef struct source {
    marey_ctx *ctx;
    const char *path;
    int handle;
    int64_t left; /* of the file */
    int64_t size;
    uint8_t *bytes; /* of the record in hand */
    size_t room;
    uint64_t sum;
    uint64_t least, most; /* tiles */
    uint8_t *there; /* a bit for each tile up to `most_tiles` before and behind the first read */
    uint64_t first, most_tiles;
} source;

static marey_status fail_damaged(const source *in, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_DAMAGED, in->path, "this shard is damaged; work it out again");
}

static marey_status source_open(source *in, marey_ctx *ctx, const char *path, marey_error *error)
{
    const marey_io *io = ctx->def.io;
    *in = (source){ .ctx = ctx, .path = path, .least = UINT64_MAX, .first = MRY_SHARD_END };
    in->handle = io->open(io->user, path, MAREY_IO_READ);
    if (in->handle < 0) return mry_fail_errno(error, in->handle, "open", path);
    in->left = in->size = io->size(io->user, in->handle);
    if (in->size >= 0) return MAREY_OK;
    io->close(io->user, in->handle);
    if (in->size != -ENOTSUP) return mry_fail_errno(error, (int)in->size, "read", path);
    return mry_fail(error, MAREY_ERR_INPUT, path, "a shard must be a file");
}

/* A file has so many tiles at most, and they are a run. */
static size_t bytes_of_bits(const source *in)
{
    return (size_t)(2 * in->most_tiles / 8 + 1);
}

static void source_close(source *in)
{
    const marey_io *io = in->ctx->def.io;
    io->close(io->user, in->handle);
    mry_release(in->ctx, in->bytes, in->room);
    mry_release(in->ctx, in->there, bytes_of_bits(in));
}

/* The next `count` bytes of it, into `to`. */
static marey_status fetch(source *in, void *to, size_t count, marey_error *error)
{
    const marey_io *io = in->ctx->def.io;
    uint8_t *at = to;
    if ((uint64_t)count > (uint64_t)in->left) return fail_damaged(in, error);
    in->left -= (int64_t)count;
    while (count > 0) {
        int64_t got = io->read(io->user, in->handle, at, count);
        if (got == -EINTR && !mry_cancelled(in->ctx)) continue;
        if (got < 0) return mry_fail_errno(error, (int)got, "read", in->path);
        if (got == 0) return fail_damaged(in, error);
        at += got;
        count -= (size_t)got;
    }
    return MAREY_OK;
}

typedef struct head {
    marey_shard_info info;
    uint64_t state;
    const char *about; /* in the arena it was read into */
} head;

static marey_status read_head(source *in, mry_arena *mem, head *out, marey_error *error)
{
    uint8_t fixed[MRY_SHARD_HEAD], sum[8];
    bool has_magic = in->size >= 8 + MRY_SHARD_HEAD;
    marey_status status = has_magic ? fetch(in, fixed, sizeof fixed, error) : MAREY_OK;
    if (status) return status;
    if (!has_magic || memcmp(fixed, MRY_SHARD_MAGIC, 8) != 0)
        return mry_fail(error, MAREY_ERR_INPUT, in->path, "this is no shard of marey");
    mry_bytes_reader numbers = { .p = fixed + 8, .end = fixed + sizeof fixed };
    uint64_t version = mry_get_fixed(&numbers, 4);
    if (version != MRY_SHARD_VERSION)
        return mry_fail(error, MAREY_ERR_INPUT, in->path,
                        "this shard is of %s marey; work it out again",
                        version > MRY_SHARD_VERSION ? "a newer" : "an earlier");
    out->info = (marey_shard_info){ .path = in->path, .bytes = in->size };
    uint64_t number = mry_get_fixed(&numbers, 4), count = mry_get_fixed(&numbers, 4);
    out->state = mry_get_fixed(&numbers, 8);
    uint64_t all = mry_get_fixed(&numbers, 8);
    out->info.share = mry_get_number(&numbers);
    size_t length = mry_get_fixed(&numbers, 4);
    bool sound = !numbers.failed && count >= 1 && count <= MAREY_MOST_SHARDS && number >= 1 &&
                 number <= count && all <= INT64_MAX && length <= MRY_SHARD_ABOUT &&
                 (int64_t)length <= in->left;
    if (!sound) return fail_damaged(in, error);
    out->info.number = (int)number;
    out->info.count = (int)count;
    out->info.all_tiles = (int64_t)all;
    uint8_t *whole = MRY_NEW_RAW(mem, uint8_t, sizeof fixed + length + 1);
    if (!whole) return mry_fail_memory(error, in->path);
    memcpy(whole, fixed, sizeof fixed);
    status = fetch(in, whole + sizeof fixed, length, error);
    if (!status) status = fetch(in, sum, sizeof sum, error);
    if (status) return status;
    mry_bytes_reader stated = { .p = sum, .end = sum + sizeof sum };
    whole[sizeof fixed + length] = 0;
    out->about = (const char *)whole + sizeof fixed;
    if (mry_get_fixed(&stated, 8) == mry_hash64(whole, sizeof fixed + length, 0) &&
        strlen(out->about) == length)
        return MAREY_OK;
    return fail_damaged(in, error);
}

/* Notes a tile, which must be the only one of its number. */
static marey_status note_tile(source *in, uint64_t tile, marey_error *error)
{
    if (in->first == MRY_SHARD_END) {
        in->first = tile;
        in->most_tiles = (uint64_t)in->size / MRY_SHARD_RECORD;
        in->there = mry_alloc(in->ctx, bytes_of_bits(in));
        if (!in->there) return mry_fail_memory(error, in->path);
        memset(in->there, 0, bytes_of_bits(in));
    }
    if (tile + in->most_tiles < in->first || tile > in->first + in->most_tiles)
        return fail_damaged(in, error);
    uint64_t place = tile + in->most_tiles - in->first;
    uint8_t bit = (uint8_t)(1 << place % 8);
    if (in->there[place / 8] & bit) return fail_damaged(in, error);
    in->there[place / 8] |= bit;
    if (tile < in->least) in->least = tile;
    if (tile > in->most) in->most = tile;
    return MAREY_OK;
}

/* The next record; *tile is MRY_SHARD_END behind the last. Its bytes are in->bytes. */
static marey_status next_record(source *in, marey_shard_info *info, uint64_t *tile, size_t *size,
                                marey_error *error)
{
    uint8_t fixed[MRY_SHARD_RECORD];
    marey_status status = fetch(in, fixed, sizeof fixed, error);
    if (status) return status;
    mry_bytes_reader numbers = { .p = fixed, .end = fixed + sizeof fixed };
    *tile = mry_get_fixed(&numbers, 8);
    uint64_t count = mry_get_fixed(&numbers, 8), sum = mry_get_fixed(&numbers, 8);
    if (*tile == MRY_SHARD_END) {
        bool sound = count == (uint64_t)info->tiles && sum == in->sum && in->left == 0;
        /* A shard is a run of tiles, each once. */
        if (count > 0) sound &= in->most - in->least + 1 == count;
        return sound ? MAREY_OK : fail_damaged(in, error);
    }
    if (*tile >= (uint64_t)info->all_tiles || count > (uint64_t)in->left)
        return fail_damaged(in, error);
    *size = (size_t)count;
    if (*size > in->room) {
        uint8_t *more = mry_resize(in->ctx, in->bytes, in->room, *size);
        if (!more) return mry_fail_memory(error, in->path);
        in->bytes = more;
        in->room = *size;
    }
    status = fetch(in, in->bytes, *size, error);
    if (status) return status;
    if (mry_hash64(in->bytes, *size, *tile) != sum) return fail_damaged(in, error);
    in->sum = mry_hash64(&sum, sizeof sum, in->sum);
    info->tiles++;
    return note_tile(in, *tile, error);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const marey_shard_info *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* It must go with the first one. */
static marey_status compare(const head *first, const head *one, marey_error *error)
{
    const char *other = strcmp(first->about, one->about) != 0 ? "of another work"
                        : first->state != one->state
                            ? "of another state of what it is worked out on"
                        : first->info.count != one->info.count ? "one of another number of shards"
                        : first->info.all_tiles != one->info.all_tiles ? "cut otherwise"
                                                                       : NULL;
    if (!other) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, one->info.path, "this shard is %s than %.200s", other,
                    first->info.path);
}

static marey_status check_file(marey_shards *shards, const char *path, head *first, int place,
                               marey_error *error)
{
    source in;
    head one;
    mry_arena tmp = mry_arena_make(shards->mem.ctx);
    marey_status status = source_open(&in, shards->mem.ctx, path, error);
    if (status) return status;
    uint64_t tile = 0;
    size_t size;
    status = read_head(&in, place == 0 ? &shards->mem : &tmp, &one, error);
    if (!status && place == 0) {
        *first = one;
        shards->first = MRY_NEW(&shards->mem, int64_t, one.info.count);
        shards->counts = MRY_NEW(&shards->mem, int64_t, one.info.count);
        if (!shards->first || !shards->counts) status = mry_fail_memory(error, path);
        for (int i = 0; i < one.info.count && !status; i++) shards->first[i] = -1;
    }
    if (!status) status = compare(first, &one, error);
    while (!status && tile != MRY_SHARD_END) {
        status = next_record(&in, &one.info, &tile, &size, error);
        if (!status && mry_cancelled(shards->mem.ctx)) status = mry_fail_cancelled(error);
    }
    source_close(&in);
    mry_arena_free(&tmp);
    if (status) return status;
    shards->items[place] = one.info;
    if (one.info.tiles > 0) shards->first[one.info.number - 1] = (int64_t)in.least;
    shards->counts[one.info.number - 1] = one.info.tiles;
    return MAREY_OK;
}

/* Shards that are all there are all tiles, one run behind the other. Two machines that reckon otherwise
   could have cut otherwise. */
static marey_status find_missing(marey_shards *shards, marey_error *error)
{
    int all = shards->items[0].count;
    int64_t next = 0;
    uint8_t *there = MRY_NEW(&shards->mem, uint8_t, all);
    shards->missing = MRY_NEW(&shards->mem, int, all);
    if (!there || !shards->missing) return mry_fail_memory(error, NULL);
    for (int i = 0; i < shards->count; i++) there[shards->items[i].number - 1] = 1;
    for (int i = 0; i < all; i++)
        if (!there[i]) shards->missing[shards->missing_count++] = i + 1;
    if (shards->missing_count > 0) return MAREY_OK;
    bool whole = true;
    for (int i = 0; i < all; i++) {
        if (shards->counts[i] == 0) continue;
        whole &= shards->first[i] == next;
        next += shards->counts[i];
    }
    if (whole && next == shards->items[0].all_tiles) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, shards->items[0].path,
                    "the shards were cut otherwise on one machine than on another; work them out "
                    "again on machines of one kind");
}

static marey_status read_tiles(void *user,
                               marey_status (*take)(void *take_user, int64_t tile,
                                                    const uint8_t *bytes, size_t size,
                                                    marey_error *error),
                               void *take_user, marey_error *error)
{
    marey_shards *shards = user;
    marey_status status = MAREY_OK;
    for (int i = 0; i < shards->count && !status; i++) {
        source in;
        head one;
        mry_arena tmp = mry_arena_make(shards->mem.ctx);
        uint64_t tile = 0;
        size_t size;
        status = source_open(&in, shards->mem.ctx, shards->items[i].path, error);
        if (status) return status;
        status = read_head(&in, &tmp, &one, error);
        bool same =
            status || (one.state == shards->state && strcmp(one.about, shards->about) == 0 &&
                       one.info.number == shards->items[i].number &&
                       one.info.all_tiles == shards->items[i].all_tiles);
        if (!same)
            status = mry_fail(error, MAREY_ERR_INPUT, in.path,
                              "another program changed this shard meanwhile; retry");
        while (!status) {
            status = next_record(&in, &one.info, &tile, &size, error);
            if (status || tile == MRY_SHARD_END) break;
            status = take(take_user, (int64_t)tile, in.bytes, size, error);
            if (!status && mry_cancelled(shards->mem.ctx)) status = mry_fail_cancelled(error);
        }
        source_close(&in);
        mry_arena_free(&tmp);
    }
    return status;
}

/* The work must be cut as it was when the shards were made. */
static marey_status begin(void *user, const double *costs, int64_t count, marey_error *error)
{
    const marey_shards *shards = user;
    (void)costs;
    if (count == shards->items[0].all_tiles) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_STALE, shards->items[0].path,
                    "the shards are of another state of the library; work them out again");
}

marey_status marey_shards_open(marey_ctx *ctx, const char *const *paths, int count,
                               marey_shards **out, marey_error *error)
{
    if (count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no shards were given");
    mry_arena mem = mry_arena_make(ctx);
    marey_shards *shards = MRY_NEW(&mem, marey_shards, 1);
    if (!shards) return mry_fail_memory(error, NULL);
    shards->mem = mem;
    shards->items = MRY_NEW(&shards->mem, marey_shard_info, count);
    shards->tiles = (marey_tiles){ .user = shards, .begin = begin, .read = read_tiles };
    head first = { 0 };
    marey_status status = shards->items ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < count && !status; i++) {
        const char *path = mry_arena_text(&shards->mem, paths[i], strlen(paths[i]));
        if (!path) status = mry_fail_memory(error, paths[i]);
        if (!status && !mry_progress(ctx, "checking shards", i, count))
            status = mry_fail_cancelled(error);
        if (!status) status = check_file(shards, path, &first, i, error);
        if (!status) shards->count++;
    }
    if (!status) {
        shards->about = first.about;
        shards->state = first.state;
        qsort(shards->items, (size_t)count, sizeof *shards->items, by_number);
        status = find_missing(shards, error);
    }
    if (status)
        marey_shards_free(shards);
    else
        *out = shards;
    return status;
}

const marey_shard_info *marey_shards_list(const marey_shards *shards, int *count)
{
    *count = shards->count;
    return shards->items;
}

const char *marey_shards_about(const marey_shards *shards)
{
    return shards->about;
}

uint64_t marey_shards_state(const marey_shards *shards)
{
    return shards->state;
}

const int *marey_shards_missing(const marey_shards *shards, int *count)
{
    *count = shards->missing_count;
    return shards->missing;
}

const marey_tiles *marey_shards_tiles(marey_shards *shards)
{
    return &shards->tiles;
}

void marey_shards_free(marey_shards *shards)
{
    if (!shards) return;
    mry_arena mem = shards->mem;
    mry_arena_free(&mem);
}
