/* map_rows.c - maps of joints, kept by pair of skeletons: saved things whose names are the hashes of the
   two, the lower one first, so that one map serves both ways. They are kept as the text that people
   read. */
#include "library/library_data.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAIR_ROOM = 40 };

/* The name of the pair; true: it is kept the other way round. */
static bool pair_name(const marey_clip *clip, const marey_clip *onto, char name[PAIR_ROOM])
{
    uint64_t from = mry_skeleton_hash(clip), to = mry_skeleton_hash(onto);
    bool turned = from > to;
    snprintf(name, PAIR_ROOM, "%016" PRIx64 "-%016" PRIx64, turned ? to : from, turned ? from : to);
    return turned;
}

static void turn_round(marey_joint_pair *pairs, int count)
{
    for (int i = 0; i < count; i++) {
        int source = pairs[i].source;
        pairs[i].source = pairs[i].target;
        pairs[i].target = source;
    }
}

marey_status marey_library_keep_map(marey_library *library, const marey_clip *clip,
                                    const marey_clip *onto, const marey_body_map *map,
                                    marey_error *error)
{
    char name[PAIR_ROOM];
    bool turned = pair_name(clip, onto, name);
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_body_map own = { .count = map->count };
    const marey_clip *first = turned ? onto : clip, *second = turned ? clip : onto;
    size_t length = 0;
    char *text = NULL;
    own.pairs = MRY_NEW(&tmp, marey_joint_pair, map->count + 1);
    marey_status status = own.pairs ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status && map->count > 0)
        memcpy(own.pairs, map->pairs, (size_t)map->count * sizeof *own.pairs);
    if (!status && turned) turn_round(own.pairs, own.count);
    if (!status) status = marey_body_map_text(first, second, &own, NULL, 0, &length);
    if (!status) text = MRY_NEW(&tmp, char, length + 1);
    if (text) status = marey_body_map_text(first, second, &own, text, length + 1, &length);
    if (!text || status)
        status = mry_fail_memory(error, NULL);
    else
        status = marey_library_keep(library, MAREY_KEPT_MAP, name, text, length, NULL, error);
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_read_map(marey_library *library, const marey_clip *clip, const marey_clip *onto,
                          marey_body_map *out, bool *there, marey_error *error)
{
    char name[PAIR_ROOM];
    bool turned = pair_name(clip, onto, name);
    const marey_clip *first = turned ? onto : clip, *second = turned ? clip : onto;
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_kept *kept = NULL;
    size_t size;
    marey_status status = mry_read_kept(library, MAREY_KEPT_MAP, name, &kept, error);
    *there = status == MAREY_OK;
    if (status) return status == MAREY_ERR_NOT_FOUND ? MAREY_OK : status;
    const char *bytes = marey_kept_bytes(kept, &size);
    const char *text = mry_arena_text(&tmp, bytes, size);
    status = text ? marey_body_map_parse(first, second, name, text, out, error)
                  : mry_fail_memory(error, NULL);
    if (!status && turned) turn_round(out->pairs, out->count);
    if (marey_status_group(status) == MAREY_ERR_INPUT)
        status = mry_fail(error, status, mry_store_path(library->store),
                          "the kept map of joints %s is damaged; forget it", name);
    marey_kept_free(kept);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_library_map(marey_library *library, const marey_clip *clip,
                               const marey_clip *onto, marey_body_map *out, marey_error *error)
{
    bool there = false;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_read_map(library, clip, onto, out, &there, error);
    mry_store_rollback(library->store);
    if (status || there) return status;
    return mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                    "no map of joints is kept for these skeletons");
}

marey_status marey_library_forget_map(marey_library *library, const marey_clip *clip,
                                      const marey_clip *onto, marey_error *error)
{
    char name[PAIR_ROOM];
    pair_name(clip, onto, name);
    marey_status status = marey_library_forget(library, MAREY_KEPT_MAP, name, error);
    if (status != MAREY_ERR_NOT_FOUND) return status;
    return mry_fail(error, status, mry_store_path(library->store),
                    "no map of joints is kept for these skeletons");
}
