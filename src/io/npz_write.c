/* npz_write.c - points as a NumPy archive: a zip file whose entries are stored as they are. The same
   points give the same bytes, so no entry has a time. */
#include "base/bytes.h"
#include "base/fail.h"
#include "base/file.h"
#include "io/format.h"
#include "io/npz.h"

#include <marey/io.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { MOST_ARRAYS = 6, HEADER_ROOM = 256, NO_DATE = 0x21 /* 1 January 1980 */ };

typedef struct array {
    const char *name; /* "fps.npy" */
    char header[HEADER_ROOM];
    size_t header_bytes, bytes;
    const void *data;
    uint32_t sum;
    uint64_t offset;
} array;

typedef struct archive {
    array arrays[MOST_ARRAYS];
    int count;
    uint64_t bytes; /* of the arrays, with their headers */
} archive;

static void add(archive *to, const char *name, const char *type, const int64_t *shape, int dims,
                const void *data, size_t bytes)
{
    array *one = &to->arrays[to->count++];
    *one = (array){ .name = name, .data = data, .bytes = bytes };
    one->header_bytes = mry_npy_header(one->header, sizeof one->header, type, shape, dims);
    uLong sum = crc32_z(crc32_z(0, NULL, 0), (const uint8_t *)one->header, one->header_bytes);
    one->sum = (uint32_t)crc32_z(sum, data, bytes);
    to->bytes += 2 * strlen(name) + one->header_bytes + bytes;
}

/* The next character of UTF-8 text; bytes that are none stand for themselves. */
static uint32_t next_character(const uint8_t **p)
{
    uint32_t code = *(*p)++;
    int more = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;
    for (int i = 0; i < more; i++)
        if (((*p)[i] & 0xc0) != 0x80) return code;
    if (more) code &= 0x3fu >> more;
    while (more-- > 0) code = code << 6 | (*(*p)++ & 0x3fu);
    return code <= 0x10ffff ? code : '?';
}

/* Texts as items of equal length, 4 bytes a character. False: out of memory. */
static bool add_texts(archive *to, mry_arena *tmp, const char *name, const char *const *texts,
                      int64_t count, int dims)
{
    int64_t most = 1;
    char type[24];
    for (int64_t i = 0; i < count; i++) {
        int64_t length = 0;
        for (const uint8_t *p = (const uint8_t *)texts[i]; *p; length++) next_character(&p);
        most = length > most ? length : most;
    }
    uint8_t *items = mry_arena_zero(tmp, (size_t)count, 4 * (size_t)most);
    if (!items) return false;
    for (int64_t i = 0; i < count; i++) {
        uint8_t *item = items + 4 * most * i;
        for (const uint8_t *p = (const uint8_t *)texts[i]; *p; item += 4) {
            uint32_t code = next_character(&p);
            for (int b = 0; b < 4; b++) item[b] = (uint8_t)(code >> 8 * b);
        }
    }
    snprintf(type, sizeof type, "<U%lld", (long long)most);
    add(to, name, type, &count, dims, items, (size_t)(4 * most * count));
    return true;
}

/* What an entry's own header and the list have in common, from the version on. */
static void put_entry(mry_bytes_writer *out, const array *one)
{
    uint64_t size = one->header_bytes + one->bytes;
    mry_put_fixed(out, 20, 2); /* the version that unpacks it */
    mry_put_fixed(out, 0, 2);
    mry_put_fixed(out, 0, 2); /* stored */
    mry_put_fixed(out, (uint64_t)NO_DATE << 16, 4);
    mry_put_fixed(out, one->sum, 4);
    mry_put_fixed(out, size, 4);
    mry_put_fixed(out, size, 4);
    mry_put_fixed(out, strlen(one->name), 2);
    mry_put_fixed(out, 0, 2);
}

static marey_status save(mry_arena *tmp, archive *all, const char *path, marey_error *error)
{
    mry_bytes_writer head = { .mem = tmp }, list = { .mem = tmp };
    mry_writer out;
    uint64_t most = all->bytes + 128 * (uint64_t)(all->count + 1), sent = 0;
    if (most > UINT32_MAX)
        return mry_fail(error, MAREY_ERR_LIMIT, path,
                        "points of 4 GiB or more do not fit in an .npz; write an .npy");
    for (int i = 0; i < all->count; i++) {
        array *one = &all->arrays[i];
        one->offset = sent;
        sent += 30 + strlen(one->name) + one->header_bytes + one->bytes;
        mry_put_bytes(&list, "PK\1\2\24\0", 6);
        put_entry(&list, one);
        mry_put_fixed(&list, 0, 8); /* no note, first disk, .. */
        mry_put_fixed(&list, 0, 2); /* .. no attributes */
        mry_put_fixed(&list, one->offset, 4);
        mry_put_bytes(&list, one->name, strlen(one->name));
        mry_put_bytes(&head, "PK\3\4", 4);
        put_entry(&head, one);
    }
    size_t list_bytes = list.used;
    mry_put_bytes(&list, "PK\5\6\0\0\0\0", 8);
    for (int i = 0; i < 2; i++) mry_put_fixed(&list, (uint64_t)all->count, 2);
    mry_put_fixed(&list, list_bytes, 4);
    mry_put_fixed(&list, sent, 4);
    mry_put_fixed(&list, 0, 2);
    if (list.failed || head.failed) return mry_fail_memory(error, path);
    marey_status status = mry_writer_open(&out, tmp, path, most, error);
    if (status) return status;
    for (int i = 0; i < all->count; i++) {
        const array *one = &all->arrays[i];
        mry_writer_bytes(&out, head.bytes + 30 * i, 30);
        mry_writer_text(&out, one->name);
        mry_writer_bytes(&out, one->header, one->header_bytes);
        mry_writer_bytes(&out, one->data, one->bytes);
    }
    mry_writer_bytes(&out, list.bytes, list.used);
    return mry_writer_commit(&out, error);
}

marey_status marey_points_save(marey_ctx *ctx, const marey_points *points, const char *path,
                               marey_error *error)
{
    const int64_t shape[3] = { points->frames, points->count, 3 };
    size_t length = strlen(path), items = (size_t)points->frames * (size_t)points->count * 3;
    const char *ending = length > 4 ? path + length - 4 : "";
    if (strcasecmp(ending, ".npy") == 0)
        return marey_npy_save(ctx, path, points->at, shape, 3, error);
    if (strcasecmp(ending, ".npz") != 0)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "points are written as .npz or .npy; choose a name ending in one of them");
    mry_arena tmp = mry_arena_make(ctx);
    archive all = { 0 };
    const char *units = points->units < MAREY_UNITS_RAW ? marey_units_name(points->units) : "";
    const char *up = points->up == MAREY_UP_Y ? "y" : "z";
    add(&all, "positions.npy", "<f4", shape, 3, points->at, sizeof(float) * items);
    if (points->parents)
        add(&all, "parents.npy", "<i4", shape + 1, 1, points->parents,
            sizeof(int) * (size_t)points->count);
    if (points->fps > 0) add(&all, "fps.npy", "<f8", NULL, 0, &points->fps, sizeof points->fps);
    bool fine = add_texts(&all, &tmp, "names.npy", points->names, points->count, 1) &&
                (!*units || add_texts(&all, &tmp, "units.npy", &units, 1, 0)) &&
                (!points->up || add_texts(&all, &tmp, "up.npy", &up, 1, 0));
    marey_status status = fine ? save(&tmp, &all, path, error) : mry_fail_memory(error, path);
    mry_arena_free(&tmp);
    return status;
}

/* Where every joint of a clip is, in centimetres with y up. */
marey_status mry_points_write(const marey_clip *clip, const char *path, const char *provenance,
                              marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    int count = clip->skeleton.joint_count;
    const char **names = MRY_NEW(&tmp, const char *, count);
    int *parents = MRY_NEW(&tmp, int, count);
    float *at = MRY_NEW_RAW(&tmp, float, 3 * (size_t)clip->frames * (size_t)count);
    marey_status status = names && parents && at ? MAREY_OK : mry_fail_memory(error, path);
    (void)provenance; /* there is no place for it */
    if (status == MAREY_OK) {
        for (int j = 0; j < count; j++) {
            names[j] = clip->joints[j].name;
            parents[j] = clip->joints[j].parent;
        }
        marey_clip_positions_float(clip, 0, clip->frames, at);
        bool raw = clip->units == MAREY_UNITS_RAW;
        marey_points points = { .frames = clip->frames,
                                .count = count,
                                .fps = clip->fps,
                                .names = names,
                                .parents = parents,
                                .at = at,
                                .units = raw ? MAREY_UNITS_RAW : MAREY_UNITS_CM,
                                .up = raw ? MAREY_UP_GUESS : MAREY_UP_Y };
        status = marey_points_save(clip->mem.ctx, &points, path, error);
    }
    mry_arena_free(&tmp);
    return status;
}
