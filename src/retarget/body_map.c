/* body_map.c - which joints of two bodies belong together. */
#include "retarget/body_map.h"

#include "base/fail.h"
#include "motion/clip_data.h"

#include <ctype.h>
#include <string.h>

/* Behind "mixamorig:" and the like. */
static const char *own_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon && colon[1] ? colon + 1 : name;
}

static bool same_name(const char *a, const char *b)
{
    a = own_name(a);
    b = own_name(b);
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return !*a && !*b;
}

/* Names decide only below the same role: what hangs on a hand is not what hangs on a foot. */
static int role_above(const marey_skeleton *skeleton, int joint)
{
    for (int j = joint; j >= 0; j = skeleton->joints[j].parent)
        for (int r = 0; r < MAREY_ROLE_COUNT; r++)
            if (skeleton->roles[r] == j) return r;
    return -1;
}

marey_status marey_body_map_find(const marey_clip *clip, const marey_clip *onto,
                                 marey_body_map *out)
{
    const marey_skeleton *from = &clip->skeleton, *to = &onto->skeleton;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t sources = (size_t)from->joint_count, targets = (size_t)to->joint_count;
    bool *used = mry_arena_zero(&tmp, sources + targets, sizeof *used);
    bool *has = used ? used + sources : NULL;
    marey_body_map map = { .ctx = clip->mem.ctx, .bytes = targets * sizeof *map.pairs };
    map.pairs = used ? mry_alloc(clip->mem.ctx, map.bytes) : NULL;
    *out = map;
    if (!map.pairs) {
        mry_arena_free(&tmp);
        return MAREY_ERR_MEMORY;
    }
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        int s = from->roles[r], t = to->roles[r];
        /* A joint may have been given two roles: the first counts. */
        if (s >= 0 && t >= 0 && !used[s] && !has[t])
            out->pairs[out->count++] = (marey_joint_pair){ (marey_role)r, s, t };
        if (s >= 0) used[s] = true;
        if (t >= 0) has[t] = true;
    }
    for (int t = 0; t < to->joint_count; t++) {
        for (int s = 0; s < from->joint_count && !has[t]; s++) {
            if (used[s] || !same_name(from->joints[s].name, to->joints[t].name) ||
                role_above(from, s) != role_above(to, t))
                continue;
            used[s] = has[t] = true;
            out->pairs[out->count++] = (marey_joint_pair){ MAREY_ROLE_COUNT, s, t };
        }
    }
    mry_arena_free(&tmp);
    return MAREY_OK;
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
