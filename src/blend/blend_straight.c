/* blend_straight.c - registrations without timewarp: frame with frame. The thing to compare with. */
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "blend/blender.h"

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Rows of a clip at a rate, as features count them. */
static int rows_of(const marey_clip *clip, double rows_per_s)
{
    return (int)floor((clip->frames - 1) / mry_frames_per_row(clip, rows_per_s) + 1e-6) + 1;
}

/* How many rows all clips have before their centres, and from them on. */
static void find_reach(const marey_clip *const *clips, int count, const int *centres,
                       double rows_per_s, int *before, int *after)
{
    *before = *after = MRY_MOST_FRAMES;
    for (int i = 0; i < count; i++) {
        int centre = centres ? centres[i] : 0;
        *before = smaller(*before, centre);
        *after = smaller(*after, rows_of(clips[i], rows_per_s) - centre);
    }
}

/* All with the first clip, cell after cell along the diagonal. */
static marey_path *make_paths(mry_arena *tmp, int count, const int *centres, int before, int after)
{
    marey_path *paths = MRY_NEW(tmp, marey_path, count);
    for (int i = 1; paths && i < count; i++) {
        int from = centres ? centres[0] - before : 0, to = centres ? centres[i] - before : 0;
        marey_cell *cells = MRY_NEW_RAW(tmp, marey_cell, before + after);
        if (!cells) return NULL;
        for (int k = 0; k < before + after; k++) cells[k] = (marey_cell){ from + k, to + k };
        paths[i] = (marey_path){ .count = before + after, .cells = cells };
    }
    return paths;
}

marey_status mry_blend_straight(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                const marey_contacts *contacts, const int *centres,
                                marey_registration **out, marey_error *error)
{
    double rows_per_s = clips[0]->fps;
    for (int i = 1; i < count; i++) rows_per_s = fmin(rows_per_s, clips[i]->fps);
    int before, after;
    find_reach(clips, count, centres, rows_per_s, &before, &after);
    mry_arena tmp = mry_arena_make(ctx);
    int *parents = MRY_NEW(&tmp, int, count);
    marey_path *paths = make_paths(&tmp, count, centres, before, after);
    marey_status status;
    if (parents && paths) {
        parents[0] = -1;
        marey_registration_def def = { .reference = 1, .parents = parents, .paths = paths };
        status = marey_registration_build(ctx, clips, count, contacts, &def, out, error);
    } else {
        status = mry_fail_memory(error, clips[0]->name);
    }
    mry_arena_free(&tmp);
    return status;
}
