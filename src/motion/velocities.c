/* velocities.c - how fast joints move, by differences of their positions. */
#include "motion/clip_data.h"

#include <assert.h>

static bool is_motion(const marey_clip *clip, int frame)
{
    return frame >= 0 && frame < clip->frames && !mry_clip_is_marked(clip, frame);
}

/* Three rows of positions go along: those of frame f are in row f mod 3, so each frame is posed
   once. */
marey_status marey_clip_velocities(const marey_clip *clip, int first, int count, float *out)
{
    assert(first >= 0 && count >= 0 && count <= clip->frames - first);
    size_t numbers = 3 * (size_t)clip->skeleton.joint_count;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    double *rows = MRY_NEW_RAW(&tmp, double, 3 * numbers);
    if (!rows) return MAREY_ERR_MEMORY;
    int posed = first > 0 ? first - 1 : 0; /* frames before this one are */
    for (int f = first; f < first + count; f++, out += numbers) {
        for (; posed <= f + 1 && posed < clip->frames; posed++)
            marey_clip_positions(clip, posed, 1, rows + (size_t)(posed % 3) * numbers);
        bool moves = is_motion(clip, f);
        int from = moves && is_motion(clip, f - 1) ? f - 1 : f;
        int to = moves && is_motion(clip, f + 1) ? f + 1 : f;
        const double *a = rows + (size_t)(from % 3) * numbers;
        const double *b = rows + (size_t)(to % 3) * numbers;
        double per_s = to > from ? clip->fps / (to - from) : 0;
        for (size_t i = 0; i < numbers; i++) out[i] = (float)((b[i] - a[i]) * per_s);
    }
    mry_arena_free(&tmp);
    return MAREY_OK;
}
