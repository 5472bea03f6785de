/* body_map.c - which joints of two bodies belong together. */
#include "retarget/body_map.h"

#include "base/fail.h"
#include "base/names.h"
#include "motion/clip_data.h"

#include <ctype.h>
#include <string.h>

int *mry_roles_above(const marey_skeleton *skeleton, mry_arena *mem)
{
    int *above = MRY_NEW_RAW(mem, int, skeleton->joint_count);
    if (!above) return NULL;
    for (int j = 0; j < skeleton->joint_count; j++) above[j] = -1;
    for (int r = MAREY_ROLE_COUNT - 1; r >= 0; r--)
        if (skeleton->roles[r] >= 0) above[skeleton->roles[r]] = r;
    for (int j = 1; j < skeleton->joint_count; j++)
        if (above[j] < 0) above[j] = above[skeleton->joints[j].parent];
    return above;
}

/* What two joints without a role must have in common: their names, small letters, without "mixamorig:"
   and the like; and the role above, since what hangs on a hand is not what hangs on a foot. */
static char *name_key(mry_arena *mem, const char *name, int above)
{
    const char *colon = strrchr(name, ':');
    char *key = mry_arena_print(mem, "%d %s", above, colon && colon[1] ? colon + 1 : name);
    for (char *p = key; p && *p; p++) *p = (char)tolower((unsigned char)*p);
    return key;
}

/* Of joints of one name the first goes with the first. */
static bool pair_names(const marey_skeleton *from, const marey_skeleton *to, const bool *used,
                       const bool *has, mry_arena *tmp, marey_body_map *out)
{
    const int *from_above = mry_roles_above(from, tmp), *to_above = mry_roles_above(to, tmp);
    int *next = MRY_NEW_RAW(tmp, int, from->joint_count); /* of the same key; -1: none */
    mry_names keys;
    if (!from_above || !to_above || !next || !mry_names_make(&keys, tmp, from->joint_count))
        return false;
    for (int s = from->joint_count - 1; s >= 0; s--) {
        if (used[s]) continue;
        const char *key = name_key(tmp, from->joints[s].name, from_above[s]);
        if (!key) return false;
        mry_name *slot = mry_names_find(&keys, key, strlen(key));
        next[s] = slot->name ? slot->number : -1;
        *slot = (mry_name){ key, s };
    }
    for (int t = 0; t < to->joint_count; t++) {
        if (has[t]) continue;
        const char *key = name_key(tmp, to->joints[t].name, to_above[t]);
        if (!key) return false;
        mry_name *slot = mry_names_find(&keys, key, strlen(key));
        if (!slot->name || slot->number < 0) continue;
        out->pairs[out->count++] = (marey_joint_pair){ MAREY_ROLE_COUNT, slot->number, t };
        slot->number = next[slot->number];
    }
    return true;
}

marey_status marey_body_map_find(const marey_clip *clip, const marey_clip *onto,
                                 marey_body_map *out)
{
    const marey_skeleton *from = &clip->skeleton, *to = &onto->skeleton;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t targets = (size_t)to->joint_count;
    bool *used = MRY_NEW(&tmp, bool, from->joint_count), *has = MRY_NEW(&tmp, bool, targets);
    marey_body_map map = { .ctx = clip->mem.ctx, .bytes = targets * sizeof *map.pairs };
    map.pairs = used && has ? mry_alloc(clip->mem.ctx, map.bytes) : NULL;
    for (int r = 0; r < MAREY_ROLE_COUNT && map.pairs; r++) {
        int s = from->roles[r], t = to->roles[r];
        /* A joint may have been given two roles: the first counts. */
        if (s >= 0 && t >= 0 && !used[s] && !has[t])
            map.pairs[map.count++] = (marey_joint_pair){ (marey_role)r, s, t };
        if (s >= 0) used[s] = true;
        if (t >= 0) has[t] = true;
    }
    bool found = map.pairs && pair_names(from, to, used, has, &tmp, &map);
    mry_arena_free(&tmp);
    if (!found) marey_body_map_free(&map);
    *out = map;
    return found ? MAREY_OK : MAREY_ERR_MEMORY;
}

void marey_body_map_free(marey_body_map *map)
{
    if (map->pairs) mry_release(map->ctx, map->pairs, map->bytes);
    *map = (marey_body_map){ 0 };
}

static marey_status check(const marey_clip *clip, const marey_clip *onto, const marey_body_map *map,
                          mry_arena *tmp, marey_error *error)
{
    int sources = clip->skeleton.joint_count, targets = onto->skeleton.joint_count;
    bool *seen = mry_arena_zero(tmp, (size_t)sources + (size_t)targets, sizeof *seen);
    bool roles[MAREY_ROLE_COUNT] = { false };
    if (!seen) return mry_fail_memory(error, clip->name);
    for (int i = 0; i < map->count; i++) {
        const marey_joint_pair *pair = &map->pairs[i];
        if (pair->source < 0 || pair->source >= sources || pair->target < 0 ||
            pair->target >= targets || (int)pair->role < 0 || pair->role > MAREY_ROLE_COUNT)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "pair %d of the map has a joint or a role that is not there", i);
        bool twice = seen[pair->source] || seen[sources + pair->target] ||
                     (pair->role < MAREY_ROLE_COUNT && roles[pair->role]);
        if (twice)
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "pair %d of the map, of %.100s and %.100s, has a joint or a role that "
                            "another pair has",
                            i, clip->joints[pair->source].name, onto->joints[pair->target].name);
        seen[pair->source] = seen[sources + pair->target] = true;
        if (pair->role < MAREY_ROLE_COUNT) roles[pair->role] = true;
    }
    return MAREY_OK;
}

marey_status mry_give_roles(const marey_clip *clip, const marey_clip *onto,
                            const marey_body_map *map, marey_clip **source, marey_clip **target,
                            marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_clip *from = NULL, *to = NULL;
    marey_status status = check(clip, onto, map, &tmp, error);
    mry_arena_free(&tmp);
    if (!status) status = marey_clip_trim(clip, 0, clip->frames, &from, error);
    if (!status) status = marey_clip_trim(onto, 0, onto->frames, &to, error);
    if (status) {
        marey_clip_free(from);
        return status;
    }
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) from->skeleton.roles[r] = to->skeleton.roles[r] = -1;
    for (int i = 0; i < map->count; i++) {
        if (map->pairs[i].role == MAREY_ROLE_COUNT) continue;
        from->skeleton.roles[map->pairs[i].role] = map->pairs[i].source;
        to->skeleton.roles[map->pairs[i].role] = map->pairs[i].target;
    }
    *source = from;
    *target = to;
    return MAREY_OK;
}
