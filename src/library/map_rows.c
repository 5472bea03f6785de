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

/* Saved things whose clips of one skeleton lie on a body of the other are stale now: the sums of these
   parts, by which that is known, are changed by what the two maps differ in, so that with the map of
   then they are good again. */
static marey_status change_sums(marey_library *library, const marey_clip *body,
                                const marey_clip *clip, uint64_t by, marey_error *error)
{
    char names[2][32]; /* how the library's short names of their skeletons end */
    const marey_clip *of[] = { body, clip };
    for (int i = 0; i < 2; i++)
        snprintf(names[i], sizeof names[i], "*-%d-%04x", of[i]->skeleton.joint_count,
                 (unsigned)(mry_skeleton_hash(of[i]) & 0xffff));
    if (by == 0 || strcmp(names[0], names[1]) == 0) return MAREY_OK;
    return mry_store_run_with(
        library->store, error, NULL,
        "UPDATE kept_part SET layer_sum = (layer_sum | ?3) - (layer_sum & ?3) WHERE clip IN"
        " (SELECT clip.id FROM clip JOIN skeleton ON skeleton.id = skeleton WHERE skeleton.name "
        "GLOB"
        " ?2) AND kept IN (SELECT kept.id FROM kept JOIN kept_part ON kept = kept.id JOIN clip ON"
        " clip.id = clip JOIN skeleton ON skeleton.id = skeleton WHERE place = (SELECT"
        " min(place) FROM kept_part AS other WHERE other.kept = kept_part.kept) AND kind <> "
        "'" MAREY_KEPT_PUPPET "' AND skeleton.name GLOB ?1)",
        mry_text(names[0]), mry_text(names[1]), mry_integer((int64_t)by));
}

/* `text`: NULL forgets the map that is kept. */
static marey_status change_map(marey_library *library, const marey_clip *clip,
                               const marey_clip *onto, const char *text, size_t length,
                               marey_error *error)
{
    static const marey_keep_def nothing = { 0 };
    char name[PAIR_ROOM];
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_packed packed;
    marey_kept *kept = NULL;
    size_t size;
    bool there = true;
    uint64_t by = 0;
    pair_name(clip, onto, name);
    marey_status status = MAREY_OK;
    if (text)
        status = mry_keep_pack(library, MAREY_KEPT_MAP, name, text, length, &nothing, &tmp, &packed,
                               error);
    if (!status) status = mry_library_begin(library, error);
    if (!status) {
        status = mry_read_kept(library, MAREY_KEPT_MAP, name, &kept, error);
        const void *bytes = status ? NULL : marey_kept_bytes(kept, &size);
        if (bytes) by = mry_hash64(bytes, size, 1);
        /* None, or one that is damaged, is no obstacle. */
        if (marey_status_group(status) == MAREY_ERR_INPUT) status = MAREY_OK;
        if (text) by ^= mry_hash64(text, length, 1);
        if (!status)
            status = text ? mry_keep(library, MAREY_KEPT_MAP, name, &packed, &nothing, error)
                          : mry_forget_kept(library, MAREY_KEPT_MAP, name, &there, error);
        if (!status && !there)
            status = mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                              "no map of joints is kept for these skeletons");
        if (!status) status = change_sums(library, clip, onto, by, error);
        if (!status) status = change_sums(library, onto, clip, by, error);
        mry_title(library, text ? "save a map of joints" : "forget a map of joints");
        status = mry_library_end(library, status, error);
    }
    marey_kept_free(kept);
    mry_arena_free(&tmp);
    return status;
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
    marey_status status = own.pairs ? MAREY_OK : MAREY_ERR_MEMORY;
    if (!status && map->count > 0)
        memcpy(own.pairs, map->pairs, (size_t)map->count * sizeof *own.pairs);
    if (!status && turned) turn_round(own.pairs, own.count);
    if (!status) status = marey_body_map_text(first, second, &own, NULL, 0, &length);
    if (!status) text = MRY_NEW(&tmp, char, length + 1);
    if (text) status = marey_body_map_text(first, second, &own, text, length + 1, &length);
    status = text && !status ? change_map(library, clip, onto, text, length, error)
                             : mry_fail_memory(error, NULL);
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
    return change_map(library, clip, onto, NULL, 0, error);
}
