/* body_map.c - which joints of two bodies belong together. */
#include "motion/clip_data.h"

#include <marey/retarget.h>

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
    bool *used = mry_arena_zero(&tmp, sources + targets, sizeof *used), *has = used + sources;
    marey_body_map map = { .ctx = clip->mem.ctx, .bytes = targets * sizeof *map.pairs };
    map.pairs = used ? mry_alloc(clip->mem.ctx, map.bytes) : NULL;
    *out = map;
    if (!map.pairs) {
        mry_arena_free(&tmp);
        return MAREY_ERR_MEMORY;
    }
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        if (from->roles[r] >= 0) used[from->roles[r]] = true;
        if (to->roles[r] >= 0) has[to->roles[r]] = true;
        if (from->roles[r] < 0 || to->roles[r] < 0) continue;
        out->pairs[out->count++] =
            (marey_joint_pair){ (marey_role)r, from->roles[r], to->roles[r] };
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
