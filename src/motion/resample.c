/* resample.c - the same motion at another rate. Marked frames (an invented T-pose, a dropout) are never
   mixed into captured ones. */
#include "base/fail.h"
#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

/* 0 for a captured frame, else 1 + the mark's kind. */
static uint8_t *mark_of_each_frame(const marey_clip *clip, mry_arena *tmp)
{
    uint8_t *kinds = MRY_NEW(tmp, uint8_t, clip->frames);
    for (int i = 0; kinds && i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        memset(kinds + mark->start, 1 + (int)mark->kind, (size_t)(mark->end - mark->start));
    }
    return kinds;
}

/* Where made frame f lies between the source's frames. Nearly whole numbers are whole: those frames stay as they
   are. Content and marks both go by this, so that they always agree. */
static double source_place(int f, double step, int source_frames)
{
    double at = fmin(f * step, source_frames - 1), whole = floor(at + 0.5);
    return fabs(at - whole) < 1e-6 ? whole : at;
}

static int kind_at(const uint8_t *kinds, double at)
{
    return kinds[(int)floor(at + 0.5)]; /* a half goes up, as in fill() */
}

static bool carry_marks(marey_clip *made, const uint8_t *kinds, int source_frames, double step)
{
    for (int f = 0, end; f < made->frames; f = end) {
        int kind = kind_at(kinds, source_place(f, step, source_frames));
        for (end = f + 1; end < made->frames; end++) {
            if (kind_at(kinds, source_place(end, step, source_frames)) != kind) break;
        }
        if (kind && !mry_clip_add_mark(made, (marey_mark_kind)(kind - 1), f, end)) return false;
    }
    return true;
}

/* step: source frames per made frame. */
static void fill(marey_clip *made, const marey_clip *clip, const uint8_t *kinds, double step)
{
    for (int f = 0; f < made->frames; f++) {
        double at = source_place(f, step, clip->frames);
        int a = (int)at, b = a + 1 < clip->frames ? a + 1 : a;
        double t = at - a;
        if (kinds[a] != kinds[b]) t = t < 0.5 ? 0.0 : 1.0;
        mry_clip_mix(clip, a, b, t, mry_place(made, f), mry_turn(made, f));
    }
}

marey_status marey_clip_resample(const marey_clip *clip, double fps, marey_clip **out,
                                 marey_error *error)
{
    if (!(fps >= 0.1 && fps <= 10000)) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "a rate of %g Hz is not in 0.1 .. 10000", fps);
    }
    double step = clip->fps / fps;
    double frames = floor((clip->frames - 1) / step + 1e-6) + 1;
    if (frames > MRY_MOST_FRAMES) {
        return mry_fail(error, MAREY_ERR_LIMIT, clip->name, "%.0f frames; marey makes at most %d",
                        frames, MRY_MOST_FRAMES);
    }
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    uint8_t *kinds = mark_of_each_frame(clip, &tmp);
    marey_clip *made = kinds ? mry_clip_make_like(clip, (int)frames, fps) : NULL;
    bool fits = made && carry_marks(made, kinds, clip->frames, step);
    if (fits) fill(made, clip, kinds, step);
    mry_arena_free(&tmp);
    if (!fits) {
        marey_clip_free(made);
        return mry_fail_memory(error, clip->name);
    }
    *out = made;
    return MAREY_OK;
}
