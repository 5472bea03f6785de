/* query_scan.c - the least cost of a query at every row of a clip, where it is at most a cut-off.
   Twice the same alignment: with bounds of blocks, and with distances where those could not rule
   it out. */
#include "match/query_scan.h"

#include <math.h>
#include <string.h>

enum { FRONT = 16 }; /* columns before the first, from which nothing comes */

/* ---- the cost -------------------------------------------------------------------------------- */

bool mry_row_warp_make(mry_arena *mem, const mry_kernel *kernel, int cols, mry_scan_steps steps,
                       bool starts, mry_row_warp *out)
{
    size_t stride = (size_t)(cols + 15) / 16 * 16 + FRONT, all = (size_t)(steps.stays + 3) * stride;
    float *sums = MRY_NEW_RAW(mem, float, all);
    int32_t *from = starts ? MRY_NEW(mem, int32_t, all) : NULL;
    if (!sums || (starts && !from)) return false;
    for (size_t i = 0; i < all; i++) sums[i] = INFINITY;
    *out = (mry_row_warp){ .kernel = kernel, .cols = cols, .steps = steps, .stride = stride };
    out->sums = sums + FRONT;
    out->best = out->sums + (size_t)(steps.stays + 1) * stride;
    out->other = out->best + stride;
    if (!from) return true;
    out->from = from + FRONT;
    out->best_from = out->from + (size_t)(steps.stays + 1) * stride;
    out->other_from = out->best_from + stride;
    return true;
}

void mry_row_warp_add(mry_row_warp *w, const float *costs)
{
    if (w->rows++ == 0) {
        memcpy(w->sums, costs, (size_t)w->cols * sizeof *costs);
        memcpy(w->best, costs, (size_t)w->cols * sizeof *costs);
        for (int j = 0; w->from && j < w->cols; j++) w->from[j] = w->best_from[j] = j;
        return;
    }
    mry_warp_def def = { .sums = w->sums,
                         .sums_stride = w->stride,
                         .most = w->steps.most,
                         .stays = w->steps.stays,
                         .before = w->best,
                         .best = w->other,
                         .from = w->from,
                         .best_from = w->other_from,
                         .before_from = w->best_from };
    w->kernel->warp(costs, &def, w->cols);
    w->other = w->best;
    w->best = def.best;
    w->other_from = w->best_from;
    w->best_from = def.best_from;
}

/* ---- the query ------------------------------------------------------------------------------- */

const mry_kernel *mry_scan_kernel(const marey_ctx *ctx)
{
    return ctx->def.portable ? &mry_kernel_plain : mry_kernel_best();
}

static mry_pose_side make_side(mry_arena *mem, int points, int count, int each, float **panels,
                               float **sizes)
{
    size_t panel = mry_pose_panels(points, each, each), all = mry_pose_panels(points, count, each);
    *panels = mry_arena_take(mem, all, sizeof **panels);
    if (*panels && all > 0) memset(*panels + all - panel, 0, panel * sizeof **panels);
    *sizes = mry_arena_zero(mem, (size_t)count + MRY_KERNEL_MOST_NR, sizeof **sizes);
    return (mry_pose_side){ .panels = *panels, .sizes = *sizes, .count = count };
}

static bool make_query(mry_arena *mem, const mry_poses *poses, int first, int end, int every,
                       const float *weights, float unit, bool codes, mry_scan_query *out)
{
    int points = poses->points, span = end - first, rows = (span - 1 + every - 1) / every + 1;
    size_t numbers = 6 * (size_t)points;
    mry_arena tmp = mry_arena_make(mem->ctx);
    float *values = MRY_NEW_RAW(&tmp, float, numbers *(size_t)rows);
    float *panels, *sizes, *own = MRY_NEW(mem, float, points);
    mry_scan_query q = { .kernel = mry_scan_kernel(mem->ctx),
                         .points = points,
                         .rows = rows,
                         .span = span,
                         .every = every,
                         .steps = every > 1 ? (mry_scan_steps){ 2 * every, 0 }
                                            : (mry_scan_steps){ 2, 1 } };
    q.frames = make_side(mem, points, rows, q.kernel->mr, &panels, &sizes);
    bool fits = own && values && panels && sizes;
    if (fits) memcpy(own, weights, (size_t)points * sizeof *own);
    q.weights = own;
    for (int i = 0; i < rows && fits; i++) {
        float *row = values + (size_t)i * numbers;
        mry_pose_row(poses, first + mry_scan_row(&q, i), unit, row);
        sizes[i] = mry_pose_pack_query(q.kernel, points, weights, row, i, panels);
    }
    if (codes) fits = fits && mry_scan_query_code(mem, values, &q);
    mry_arena_free(&tmp);
    if (fits) *out = q;
    return fits;
}

bool mry_scan_query_make(mry_arena *mem, const mry_poses *poses, int first, int end, int every,
                         const float *weights, float unit, mry_scan_query *out)
{
    return make_query(mem, poses, first, end, every, weights, unit, true, out);
}

bool mry_scan_rows_make(mry_arena *mem, const mry_poses *poses, int first, int end, int every,
                        const float *weights, float unit, mry_scan_query *out)
{
    return make_query(mem, poses, first, end, every, weights, unit, false, out);
}

/* Some rows of a query, for which one panel is enough. */
static mry_pose_side some_rows(const mry_scan_query *query, int row)
{
    int left = query->rows - row, mr = query->kernel->mr;
    return (mry_pose_side){ .panels = query->frames.panels +
                                      (size_t)row * 4 * (size_t)mry_pose_products(query->points),
                            .sizes = query->frames.sizes + row,
                            .count = left < mr ? left : mr };
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Of `rows`, or, if that is NULL, of those from `from` on. */
static bool make_strip(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                       float unit, const int *rows, int from, int cols, bool all,
                       mry_scan_strip *out)
{
    const double most_cells = 1 << 25;
    int nr = query->kernel->nr;
    float *panels, *sizes, *values = MRY_NEW(mem, float, 6 * (size_t)query->points);
    *out = (mry_scan_strip){ .query = query, .marked = poses->marked + from, .from = from };
    out->clip = make_side(mem, query->points, cols, nr, &panels, &sizes);
    out->stride = (size_t)(cols + MRY_KERNEL_MOST_NR) / 16 * 16 + 16;
    out->all = all && (double)query->rows * cols <= most_cells;
    out->cells = mry_arena_take(mem, (size_t)(out->all ? query->rows : 0) + MRY_KERNEL_MOST_MR,
                                out->stride * sizeof *out->cells);
    if (!panels || !sizes || !values || !out->cells) return false;
    if (!rows) mry_pose_pack_rows(query->kernel, poses, from, from + cols, unit, values, panels);
    for (int j = 0; j < cols && rows; j++) {
        mry_pose_row(poses, rows[j], unit, values);
        mry_pose_pack_clip(query->kernel, query->points, values, j, panels);
    }
    mry_pose_sizes(query->kernel, query->points, query->weights, panels, cols, sizes);
    return true;
}

bool mry_scan_strip_make(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                         float unit, int from, int to, bool all, mry_scan_strip *out)
{
    return make_strip(mem, query, poses, unit, NULL, from, to - from, all, out);
}

/* Row i of the grid. Rows are asked for one after the other, from 0 on. */
static const float *strip_row(const mry_scan_strip *s, int i)
{
    const mry_scan_query *q = s->query;
    int mr = q->kernel->mr;
    float *cells = s->cells + (size_t)(s->all ? i - i % mr : 0) * s->stride;
    if (i % mr == 0) {
        mry_pose_side rows = some_rows(q, i);
        mry_pose_distances(q->kernel, q->points, rows, s->clip, cells, s->stride);
        for (int j = 0; j < s->clip.count; j++) {
            if (!s->marked[j]) continue;
            for (int r = 0; r < rows.count; r++)
                cells[(size_t)r * s->stride + (size_t)j] = INFINITY;
        }
    }
    return cells + (size_t)(i % mr) * s->stride;
}

bool mry_scan_measure(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                      float unit, float cutoff, mry_stretch of, mry_scan_strip *strip,
                      mry_scan_ends *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int from = of.from, cols = of.to - from, nr = query->kernel->nr, mr = query->kernel->mr,
        count = 0;
    float most = cutoff * (float)query->rows;
    mry_row_warp warp;
    uint8_t *wanted = MRY_NEW_RAW(&tmp, uint8_t, cols / nr + 1);
    bool fits = wanted && mry_scan_strip_make(mem, query, poses, unit, from, of.to, true, strip) &&
                mry_row_warp_make(&tmp, query->kernel, cols, query->steps, true, &warp);
    *out = (mry_scan_ends){ 0 };
    if (fits) memset(wanted, 1, (size_t)(cols / nr + 1));
    strip->clip.wanted = wanted;
    for (int i = 0; i < query->rows && fits; i++) {
        for (int p = 0; p * nr < cols && of.live && i % mr == 0; p++)
            wanted[p] &=
                mry_scan_is_live(of.live + (size_t)(i / mr) * (size_t)cols, p * nr, cols, nr);
        mry_row_warp_add(&warp, strip_row(strip, i));
        if (i % mr == mr - 1)
            mry_scan_give_up(query->kernel, warp.best, cols, (query->steps.most * mr + nr - 1) / nr,
                             most, wanted);
    }
    strip->clip.wanted = NULL;
    for (int j = 0; j < cols && fits; j++) count += warp.best[j] <= most;
    if (fits) out->items = MRY_NEW_RAW(mem, mry_scan_end, count);
    fits = fits && out->items;
    for (int j = 0; j < cols && fits; j++) {
        if (warp.best[j] <= most)
            out->items[out->count++] = (mry_scan_end){ from + warp.best_from[j], from + j,
                                                       warp.best[j] / (float)query->rows };
    }
    mry_arena_free(&tmp);
    return fits;
}

bool mry_scan_means(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses, float unit,
                    const int *rows, int count, float *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    uint8_t *marked = MRY_NEW_RAW(&tmp, uint8_t, count);
    mry_scan_strip s;
    bool fits = marked && make_strip(&tmp, query, poses, unit, rows, 0, count, false, &s);
    for (int j = 0; fits && j < count; j++) {
        marked[j] = poses->marked[rows[j]];
        out[j] = 0;
    }
    s.marked = marked;
    for (int i = 0; fits && i < query->rows; i++) {
        const float *row = strip_row(&s, i);
        for (int j = 0; j < count; j++) out[j] += row[j] / (float)query->rows;
    }
    mry_arena_free(&tmp);
    return fits;
}

/* Of sums[z], z = 0 .. stays, the least. */
static int least_state(const float *sums, size_t stride, int stays)
{
    int least = 0;
    for (int z = 1; z <= stays; z++) {
        if (sums[(size_t)z * stride] < sums[(size_t)least * stride]) least = z;
    }
    return least;
}

/* Backwards along the least sums. */
bool mry_scan_path(mry_arena *mem, const mry_scan_strip *strip, int start, int end, int *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    mry_scan_steps steps = strip->query->steps;
    int rows = strip->query->rows, cols = end - start + 1;
    mry_row_warp warp;
    bool fits = mry_row_warp_make(&tmp, strip->query->kernel, cols, steps, false, &warp);
    size_t stride = fits ? warp.stride : 0, each = (size_t)(steps.stays + 2) * stride;
    /* Of every row: sums, then the best of them. */
    float *all = fits ? MRY_NEW_RAW(&tmp, float, (size_t)rows *each) : NULL;
    float *first = fits ? MRY_NEW_RAW(&tmp, float, stride) : NULL;
    fits = all && first;
    for (int i = 0; i < rows && fits; i++) {
        const float *costs =
            strip->all ? strip->cells + (size_t)i * strip->stride : strip_row(strip, i);
        costs += start - strip->from;
        for (int j = 0; j < cols && i == 0; j++) first[j] = j ? INFINITY : costs[0];
        mry_row_warp_add(&warp, i ? costs : first);
        memcpy(all + (size_t)i * each, warp.sums, (each - stride - FRONT) * sizeof *all);
        memcpy(all + (size_t)(i + 1) * each - stride, warp.best, (stride - FRONT) * sizeof *all);
    }
    int col = cols - 1;
    int stays = fits ? least_state(all + (size_t)(rows - 1) * each + col, stride, steps.stays) : 0;
    for (int i = rows - 1; i >= 0 && fits; i--) {
        out[i] = start + col;
        if (i == 0 || stays-- > 0) continue;
        const float *before = all + (size_t)(i - 1) * each, *best = before + each - stride;
        float least = INFINITY;
        int way = 0; /* without an alignment it never starts */
        for (int d = 1; d <= steps.most && d <= col; d++) {
            if (best[col - d] < least) way = d;
            least = fminf(least, best[col - d]);
        }
        col -= way;
        stays = least_state(before + col, stride, steps.stays);
    }
    mry_arena_free(&tmp);
    return fits;
}
