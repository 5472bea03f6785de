/* cut_search.c - pairs of frames at which one clip can go over into another: local minima of the
   grid of distances, as in motion graphs (Kovar, Gleicher & Pighin 2002), without keeping the grid.

   The search for minima only says which cells are least in their row and their column. Along a
   valley, where two clips do the same at the same pace, that is every cell of its floor; so the
   four cells at the corners are looked at too, but only for those that would be handed out. */
#include "blend/cut_search.h"
#include "base/fail.h"
#include "base/grow.h"
#include "blend/still.h"
#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

/* What is done between two rests is not cut if it lasts up to so many times what is kept. */
#define BRIEF 3.0

typedef struct finder {
    marey_ctx *ctx;
    const mry_cut_search *search;
    const marey_clip *parts[2]; /* what is compared of the clips .. */
    marey_clip *owned[2];
    int offset[2]; /* .. and the frame that each begins with */
    marey_layout *layout;
    marey_features *sides[2];
    uint8_t *allowed[2]; /* of each row */
    marey_minimum *items;
    int count, room;
    bool full; /* no memory for more */
} finder;

/* The frames within reach of the one that is given, or all. */
static void near_range(const mry_cut_search *search, int side, int *first, int *end)
{
    const marey_clip *clip = search->clips[side];
    *first = 0;
    *end = clip->frames;
    if (!search->near_given[side]) return;
    double reach = fmin(search->within_s * clip->fps, clip->frames);
    int from = search->near[side] - (int)floor(reach), to = search->near[side] + (int)floor(reach);
    if (from > *first) *first = from;
    if (to + 1 < *end) *end = to + 1;
}

/* Frames to the next one that is marked or outside the clip, in one direction. */
static int room_from(const marey_clip *clip, int frame, int step, int enough)
{
    int room = 0;
    for (int f = frame + step; room < enough; f += step, room++) {
        if (f < 0 || f >= clip->frames || mry_clip_is_marked(clip, f)) break;
    }
    return room;
}

static int frame_of(const finder *f, int side, int row)
{
    return f->offset[side] + marey_features_frame(f->sides[side], row);
}

static void on_found(void *user, const marey_minimum *items, int count)
{
    finder *f = user;
    const int both = MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN;
    const mry_cut_search *search = f->search;
    for (int n = 0; n < count && !f->full; n++) {
        int a = items[n].row, b = items[n].col;
        if (items[n].least != both || !f->allowed[0][a] || !f->allowed[1][b]) continue;
        if (search->fits && !search->fits(search->user, frame_of(f, 0, a), frame_of(f, 1, b)))
            continue;
        f->full = !mry_grow(f->ctx, &f->items, &f->room, f->count + 1, sizeof *f->items);
        if (f->full) return;
        f->items[f->count++] = items[n];
    }
}

/* Cells at the corners count in double, by the metric's own formula; where a metric has none for a
   single cell (NaN), or outside the grid, nothing speaks against a minimum. */
static bool least_of_corners(const finder *f, const marey_minimum *item)
{
    double here = marey_distance(f->sides[0], item->row, f->sides[1], item->col);
    for (int corner = 0; corner < 4; corner++) {
        int row = item->row + (corner & 1 ? 1 : -1), col = item->col + (corner & 2 ? 1 : -1);
        if (row < 0 || col < 0 || row >= marey_features_rows(f->sides[0]) ||
            col >= marey_features_rows(f->sides[1]))
            continue;
        if (marey_distance(f->sides[0], row, f->sides[1], col) < here) return false;
    }
    return true;
}

static int by_value(const void *left, const void *right)
{
    const marey_minimum *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

static marey_status find_minima(finder *f, mry_arena *mem, marey_error *error)
{
    const mry_cut_search *search = f->search;
    marey_metric_def metric = search->metric ? *search->metric : (marey_metric_def){ 0 };
    bool can_bound = mry_metric_of(&metric)->can_bound;
    metric.bounded = search->below > 0 && can_bound;
    /* Long clips are cut to the frames that are asked about and what their windows look at. Only
       point clouds have cells that depend on nothing else, and only at one rate rows stay on the
       same frames. */
    bool alone = can_bound && fabs(search->clips[0]->fps / search->clips[1]->fps - 1) < 1e-9;
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = search->clips[side];
        int first, end, more = MAREY_MOST_WINDOW + 1;
        f->parts[side] = clip;
        near_range(search, side, &first, &end);
        first = first > more ? first - more : 0;
        end = end < clip->frames - more ? end + more : clip->frames;
        if (!alone || (first == 0 && end == clip->frames) || first >= end) continue;
        marey_status status = marey_clip_trim(clip, first, end, &f->owned[side], error);
        if (status) return status;
        f->parts[side] = f->owned[side];
        f->offset[side] = first;
    }
    marey_status status =
        marey_layout_build_bodies(f->ctx, f->parts, 2, &metric, &f->layout, error);
    for (int side = 0; !status && side < 2; side++) {
        status = marey_features_build(f->layout, f->parts[side], &f->sides[side], error);
        if (status) return status;
        int rows = marey_features_rows(f->sides[side]), first, end;
        f->allowed[side] = MRY_NEW(mem, uint8_t, rows);
        if (!f->allowed[side]) return mry_fail_memory(error, NULL);
        near_range(search, side, &first, &end);
        const marey_clip *clip = search->clips[side];
        int half = (int)ceil(search->half * clip->fps / search->clips[0]->fps - 1e-9);
        if (first < half) first = half;
        if (end > clip->frames - half) end = clip->frames - half;
        for (int r = 0; r < rows; r++) {
            int frame = frame_of(f, side, r);
            bool inside = frame >= first && frame < end && !mry_clip_is_marked(clip, frame);
            if (search->allowed[side] && !search->allowed[side][frame]) inside = false;
            f->allowed[side][r] =
                inside && (clip->mark_count == 0 || (room_from(clip, frame, -1, half) == half &&
                                                     room_from(clip, frame, 1, half) == half));
        }
    }
    if (status) return status;
    marey_minima_def def = { (float)search->below, on_found, f };
    status = marey_grid_minima(f->ctx, f->sides[0], f->sides[1], &def, error);
    return !status && f->full ? mry_fail_memory(error, NULL) : status;
}

/* Two people who stand have no minimum, or one that rounding makes, and of a few frames it may be
   outside: the least cell of those that may be cut will do. */
static marey_status take_least(finder *f, mry_arena *mem, marey_cut *cuts, int *found,
                               marey_error *error)
{
    enum { LOOKED_AT = 4096 };
    const mry_cut_search *search = f->search;
    marey_pair *pairs = MRY_NEW_RAW(mem, marey_pair, LOOKED_AT);
    int count = 0;
    if (!pairs) return mry_fail_memory(error, NULL);
    marey_status status =
        marey_grid_pairs(f->ctx, f->sides[0], f->sides[1], LOOKED_AT, pairs, &count, error);
    for (int n = 0; n < count && !status && *found == 0; n++) {
        const marey_pair *at = &pairs[n];
        int a = frame_of(f, 0, at->row), b = frame_of(f, 1, at->col);
        if (!f->allowed[0][at->row] || !f->allowed[1][at->col]) continue;
        if (search->fits && !search->fits(search->user, a, b)) continue;
        if (search->below > 0 && (double)at->value >= search->below) break;
        cuts[(*found)++] = (marey_cut){ a, b, at->value };
    }
    return status;
}

marey_status mry_cut_search_run(marey_ctx *ctx, const mry_cut_search *search, int most,
                                marey_cut *cuts, int *found, marey_error *error)
{
    finder f = { .ctx = ctx, .search = search };
    mry_arena mem = mry_arena_make(ctx);
    marey_status status = find_minima(&f, &mem, error);
    if (!status) {
        double half[2] = { search->half,
                           search->half * search->clips[1]->fps / search->clips[0]->fps };
        int count = 0;
        if (f.count > 0) qsort(f.items, (size_t)f.count, sizeof *f.items, by_value);
        for (int n = 0; n < f.count && count < most; n++) {
            const marey_minimum *item = &f.items[n];
            marey_cut cut = { frame_of(&f, 0, item->row), frame_of(&f, 1, item->col), item->value };
            bool near = false; /* within half of a better one, in both clips */
            for (int k = 0; k < count && !near; k++)
                near = abs(cuts[k].a - cut.a) <= half[0] && abs(cuts[k].b - cut.b) <= half[1];
            if (!near && least_of_corners(&f, item)) cuts[count++] = cut;
        }
        *found = count;
    }
    bool narrow =
        search->near_given[0] || search->near_given[1] || search->allowed[0] || search->allowed[1];
    if (!status && *found == 0 && most > 0 && narrow)
        status = take_least(&f, &mem, cuts, found, error);
    mry_release(ctx, f.items, (size_t)f.room * sizeof *f.items);
    for (int side = 0; side < 2; side++) {
        marey_features_free(f.sides[side]);
        marey_clip_free(f.owned[side]);
    }
    marey_layout_free(f.layout);
    mry_arena_free(&mem);
    return status;
}

marey_status mry_cut_half(const marey_clip *clip, int given, int *half, marey_error *error)
{
    if (given < 0 || given > MAREY_MOST_HALF)
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "half a transition must be 1 to %d frames, got %d", MAREY_MOST_HALF, given);
    *half = marey_transition_half(clip, given);
    return MAREY_OK;
}

int marey_transition_half(const marey_clip *first, int half)
{
    double frames = round(0.25 * first->fps);
    return half > 0 ? half : (int)fmin(fmax(1, frames), MAREY_MOST_HALF);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* The best places to go from one clip to another. */

/* From a clip to itself: where hardly any time is skipped or repeated there is no cut. */
static bool far_enough(const void *user, int a, int b)
{
    const mry_cut_search *search = user;
    return abs(a - b) > search->half;
}

/* Takes away frames of a clip that leave too little motion before (side 0) or behind a transition of
   `half` frames to a side, and those inside of what is done between two rests. false: out of
   memory. */
static bool keep_motion(mry_arena *mem, const marey_clip *clip, int side, int half, double keep_s,
                        uint8_t *allowed)
{
    mry_still still;
    if (!mry_still_find(mem, clip, &still)) return false;
    int frames = clip->frames, all = frames - mry_still_frames(&still, 0, frames);
    /* A clip that is hardly longer than a transition has to be cut somewhere. */
    double keep = fmin(keep_s * clip->fps, fmax(all - 2 * half, 0) / 2);
    double brief = BRIEF * keep_s * clip->fps;
    for (int f = 0; f < frames; f++) {
        int from = side == 0 ? 0 : f + half, to = side == 0 ? f - half : frames;
        if (from > to || to - from - mry_still_frames(&still, from, to) < keep) allowed[f] = 0;
    }
    /* Seen over half a second, what is done seems to begin and end a quarter too far out; and a rest
       is as long as what is looked at. */
    int rest = 2 * still.side;
    for (int f = 0, end, rested = 0; f < frames; f = end) {
        bool stands = mry_still_frames(&still, f, f + 1) > 0;
        for (end = f;
             end < frames && mry_still_frames(&still, f, end + 1) == stands * (end + 1 - f);)
            end++;
        int behind = frames - end < rest ? 0 : mry_still_frames(&still, end, end + rest);
        bool whole = !stands && rested >= rest && behind == rest && end - f - rest <= brief;
        for (int k = f + still.side; k < end - still.side && whole; k++) allowed[k] = 0;
        rested = stands ? end - f : 0;
    }
    return true;
}

/* Where the definition lets the clips be cut. */
static marey_status allow(mry_arena *mem, const marey_cuts_def *def, mry_cut_search *search,
                          marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = search->clips[side];
        search->allowed[side] = def->allowed[side];
        if (!(def->keep_s > 0) || def->near_given[side]) continue;
        uint8_t *allowed = MRY_NEW_RAW(mem, uint8_t, clip->frames);
        if (!allowed) return mry_fail_memory(error, clip->name);
        for (int f = 0; f < clip->frames; f++)
            allowed[f] = !def->allowed[side] || def->allowed[side][f];
        int half = (int)lround(search->half * clip->fps / search->clips[0]->fps);
        if (!keep_motion(mem, clip, side, half, def->keep_s, allowed))
            return mry_fail_memory(error, clip->name);
        search->allowed[side] = allowed;
    }
    return MAREY_OK;
}

marey_status marey_cuts_find(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                             const marey_cuts_def *given, int most, marey_cut *cuts, int *found,
                             marey_error *error)
{
    marey_cuts_def def = given ? *given : (marey_cuts_def){ 0 };
    mry_cut_search search = { .clips = { a, b }, .metric = def.metric };
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip = search.clips[side];
        int frame = search.near[side] = def.near[side];
        search.near_given[side] = def.near_given[side];
        if (def.near_given[side] && (frame < 0 || frame >= clip->frames))
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "frame %d is not in this clip, which has 0-%d", frame,
                            clip->frames - 1);
    }
    if (!(def.within_s >= 0) || !(def.below >= 0) || !(def.keep_s >= 0))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "cost bound, search time and motion to be kept must be at least 0, got %g, "
                        "%g s and %g s",
                        def.below, def.within_s, def.keep_s);
    marey_status status = mry_cut_half(a, def.half, &search.half, error);
    if (status) return status;
    search.below = def.below > 0 ? def.below : mry_metric_of(def.metric)->thresholds.cut;
    if (isinf(def.below)) search.below = 0;
    search.within_s = def.within_s > 0 ? def.within_s : 0.5;
    if (a == b) {
        search.fits = far_enough;
        search.user = &search;
    }
    mry_arena tmp = mry_arena_make(ctx);
    status = allow(&tmp, &def, &search, error);
    if (!status) status = mry_cut_search_run(ctx, &search, most, cuts, found, error);
    mry_arena_free(&tmp);
    return status;
}
