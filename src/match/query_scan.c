/* query_scan.c - the least cost of a query at every row of a clip, where it is at most a cut-off. Three
   times the same alignment: with bounds of blocks, with bounds of frames, and with distances; each
   only where the one before could not rule it out. */
#include "match/query_scan.h"

#include "grid/points_bound.h"
#include "grid/points_grid.h"

#include <math.h>
#include <string.h>

/* ---- the cost -------------------------------------------------------------------------------- */

/* sums[z] are those of alignments whose last z steps all stay in their column; `from` likewise.
   The last array of each is the least of them, as the row before left it. */
void mry_row_warp_costs(const mry_row_warp *room, marey_rows cost, float *costs, int *starts)
{
    size_t cols = (size_t)cost.cols;
    int slope = room->slope;
    float *best = room->sums + (size_t)(slope + 1) * cols;
    int *best_from = starts ? room->from + (size_t)(slope + 1) * cols : NULL;
    for (int i = 0; i < cost.rows; i++) {
        const float *c = cost.values + (size_t)i * cost.stride;
        for (int z = slope; z > 0; z--) {
            float *to = room->sums + (size_t)z * cols;
            const float *of = to - cols;
            for (size_t j = 0; j < cols; j++) to[j] = i ? of[j] + c[j] : INFINITY;
            if (starts)
                memcpy(room->from + (size_t)z * cols, room->from + (size_t)(z - 1) * cols,
                       cols * sizeof *starts);
        }
        float *now = room->sums;
        if (i == 0) {
            memcpy(now, c, cols * sizeof *now);
            for (size_t j = 0; starts && j < cols; j++) room->from[j] = (int)j;
        } else {
            for (size_t j = 0; j < cols; j++) now[j] = INFINITY;
            for (int d = 1; d <= slope + 1 && (size_t)d < cols; d++) {
                for (size_t j = (size_t)d; j < cols; j++) {
                    if (starts && best[j - (size_t)d] < now[j])
                        room->from[j] = best_from[j - (size_t)d];
                    now[j] = fminf(now[j], best[j - (size_t)d]);
                }
            }
            for (size_t j = 0; j < cols; j++) now[j] += c[j];
        }
        memcpy(best, now, cols * sizeof *best);
        if (starts) memcpy(best_from, room->from, cols * sizeof *starts);
        for (int z = 1; z <= slope && i > 0; z++) {
            const float *other = room->sums + (size_t)z * cols;
            for (size_t j = 0; j < cols; j++) {
                if (starts && other[j] < best[j]) best_from[j] = room->from[(size_t)z * cols + j];
                best[j] = fminf(best[j], other[j]);
            }
        }
    }
    for (size_t j = 0; j < cols; j++) costs[j] = best[j] / (float)cost.rows;
    if (starts) memcpy(starts, best_from, cols * sizeof *starts);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* Strips of so many columns begin at multiples of it: it is one of every kernel's nr. */
enum { STRIP = MRY_POINTS_STRIP_FRAMES, PLANE = MRY_KERNEL_MOST_MR * (STRIP + 64) };

bool mry_scanned_make(mry_arena *mem, const mry_points *points, const mry_basis *basis,
                      mry_scanned *out)
{
    *out = (mry_scanned){ .points = points };
    return mry_low_build(mem, points, basis, 0, points->rows, 1, &out->frames) &&
           mry_low_build(mem, points, basis, 0, points->rows, MRY_SCAN_BLOCK, &out->blocks);
}

bool mry_scan_query_make(mry_arena *mem, const mry_points *points, const mry_basis *basis,
                         int first, int end, mry_scan_query *out)
{
    *out = (mry_scan_query){ .points = points, .first = first, .end = end };
    return mry_low_build(mem, points, basis, first, end, 1, &out->frames) &&
           mry_low_build(mem, points, basis, first, end, MRY_SCAN_BLOCK, &out->blocks);
}

/* Lower bounds of D between any row of a block of the query and any of a block of the clip. */
typedef struct bounds {
    float *values; /* a row for each of the query's, and some more */
    size_t stride;
    int first; /* block of the clip in the first column */
    int cols;
} bounds;

static bool find_bounds(mry_arena *mem, const mry_kernel *kernel, const mry_low *query,
                        const mry_low *clip, int from, int end, bounds *out)
{
    float *room = mry_arena_zero(mem, 3 * PLANE, sizeof(float));
    bounds b = { .first = from / STRIP * STRIP };
    b.cols = end - b.first;
    b.stride = (size_t)(b.cols + STRIP - 1) / STRIP * STRIP + 64;
    b.values =
        mry_arena_zero(mem, (size_t)query->blocks + MRY_KERNEL_MOST_MR, b.stride * sizeof(float));
    if (!room || !b.values) return false;
    mry_planes planes = { room, room + PLANE, room + 2 * PLANE, STRIP + 64 };
    for (int row = 0; row < query->blocks; row += kernel->mr) {
        for (int at = 0; at < b.cols; at += STRIP) {
            int cols = b.cols - at < STRIP ? b.cols - at : STRIP, col = b.first + at;
            for (int j = 0; j < cols; j += kernel->nr) {
                mry_planes to = { planes.b + j, planes.c + j, planes.y + j, planes.stride };
                kernel->tile(query->first + (size_t)row * 4 * MRY_LOW_K,
                             clip->second + (size_t)(col + j) * 4 * MRY_LOW_K, MRY_LOW_K, to);
            }
            mry_cells_def def = { .size_a = query->size + row, .size_b = clip->size + col };
            kernel->cells(&def, planes, cols, b.values + (size_t)row * b.stride + at, b.stride);
        }
        for (int r = row; r < row + kernel->mr && r < query->blocks; r++) {
            float *cells = b.values + (size_t)r * b.stride;
            for (int j = 0; j < b.cols; j++) {
                float root = sqrtf(cells[j]) - query->radius[r] - clip->radius[b.first + j];
                cells[j] = root > 0 ? root * root : 0;
            }
        }
    }
    *out = b;
    return true;
}

/* ---- the scan -------------------------------------------------------------------------------- */

/* Rounding of a float sum of bounds. */
static const float SLACK = 1 + 1e-5f;

/* Rows [from, to) of the clip. */
typedef struct stretch {
    int from, to;
} stretch;

typedef struct stretches {
    stretch *items;
    int count;
} stretches;

/* One more, behind the others; joined with the last if they meet. */
static void add_stretch(stretches *list, int from, int to)
{
    stretch *last = list->count ? &list->items[list->count - 1] : NULL;
    if (from < 0) from = 0;
    if (last && from <= last->to)
        last->to = to;
    else
        list->items[list->count++] = (stretch){ from, to };
}

/* Where an end can be, and all rows that its alignment may reach. Rows of a block of the query that
   begin in one block of the clip and end in another pass none but those between, and each costs at
   least the least of their bounds. */
static bool rule_out_blocks(mry_arena *mem, const mry_scan_query *query, const mry_scanned *clip,
                            int slope, float most, stretches *out)
{
    int blocks = clip->blocks.blocks, rows = query->end - query->first, step = slope + 1;
    int ahead = (MRY_SCAN_BLOCK - 1 + step) / MRY_SCAN_BLOCK;
    bounds b;
    float *before = MRY_NEW(mem, float, blocks), *now = MRY_NEW(mem, float, blocks);
    out->items = MRY_NEW(mem, stretch, blocks);
    if (!before || !now || !out->items ||
        !find_bounds(mem, query->points->kernel, &query->blocks, &clip->blocks, 0, blocks, &b))
        return false;
    for (int k = 0; k < query->blocks.blocks; k++) {
        const float *cells = b.values + (size_t)k * b.stride;
        int length = rows - k * MRY_SCAN_BLOCK;
        if (length > MRY_SCAN_BLOCK) length = MRY_SCAN_BLOCK;
        int span = (MRY_SCAN_BLOCK - 1 + step * (length - 1)) / MRY_SCAN_BLOCK;
        for (int end = 0; end < blocks; end++) {
            float least = INFINITY, sum = INFINITY;
            for (int start = end; start >= 0 && start >= end - span; start--) {
                float arrived = k ? before[start] : 0;
                least = fminf(least, cells[start]);
                for (int t = 1; k && t <= ahead && start - t >= 0; t++)
                    arrived = fminf(arrived, before[start - t]);
                sum = fminf(sum, arrived + (float)length * least);
            }
            now[end] = sum;
        }
        float *other = before;
        before = now;
        now = other;
    }
    for (int end = 0; end < blocks; end++) {
        int first = end * MRY_SCAN_BLOCK, behind = first + MRY_SCAN_BLOCK;
        if (before[end] > most) continue;
        if (behind > clip->points->rows) behind = clip->points->rows;
        add_stretch(out, first - step * (rows - 1), behind);
    }
    return true;
}

static bool make_warp(mry_arena *mem, int slope, int cols, mry_row_warp *out)
{
    size_t room = (size_t)(slope + 2) * (size_t)cols;
    *out = (mry_row_warp){ slope, MRY_NEW(mem, float, room), MRY_NEW(mem, int, room) };
    return out->sums && out->from;
}

static bool rule_out_frames(mry_arena *mem, const mry_scan_query *query, const mry_scanned *clip,
                            int slope, float cutoff, stretch within, stretches *out)
{
    int rows = query->end - query->first, reach = (slope + 1) * (rows - 1);
    bounds b;
    mry_row_warp warp;
    float *costs = MRY_NEW(mem, float, within.to - within.from);
    if (!costs || !make_warp(mem, slope, within.to - within.from, &warp) ||
        !find_bounds(mem, query->points->kernel, &query->frames, &clip->frames, within.from,
                     within.to, &b))
        return false;
    marey_rows cost = { b.values + (within.from - b.first), rows, within.to - within.from,
                        b.stride };
    mry_row_warp_costs(&warp, cost, costs, NULL);
    for (int j = 0; j < cost.cols; j++) {
        int end = within.from + j;
        if (costs[j] > cutoff * SLACK) continue;
        int from = end - reach < within.from ? within.from : end - reach;
        add_stretch(out, from, end + 1);
    }
    return true;
}

static bool measure(mry_arena *mem, const mry_scan_query *query, const mry_scanned *clip, int slope,
                    float cutoff, stretch within, mry_scan_result *out)
{
    int cols = within.to - within.from, rows = query->end - query->first;
    int first = query->first / MRY_ROWS_BLOCK * MRY_ROWS_BLOCK;
    size_t stride = (size_t)clip->points->rows + 64;
    float *cells = MRY_NEW(mem, float, (size_t)(query->end - first) * stride);
    float *costs = MRY_NEW(mem, float, cols);
    int *starts = MRY_NEW(mem, int, cols);
    mry_need need;
    mry_row_warp warp;
    if (!cells || !costs || !starts || !make_warp(mem, slope, cols, &warp) ||
        !mry_need_make(mem, query->points, clip->points, first, query->end, &need))
        return false;
    for (int i = query->first; i < query->end; i++)
        mry_need_mark(&need, query->points, first, i, within.from, within.to);
    mry_need_close(&need, query->points, clip->points, first, query->end);
    mry_rows_job job = { .first = first,
                         .end = query->end,
                         .from_col = within.from,
                         .below = INFINITY,
                         .need = &need,
                         .cells = cells,
                         .stride = stride };
    if (!mry_points_rows(mem->ctx, query->points, clip->points, &job)) return false;
    marey_rows cost = { cells + (size_t)(query->first - first) * stride + (size_t)within.from, rows,
                        cols, stride };
    mry_row_warp_costs(&warp, cost, costs, starts);
    for (int j = 0; j < cols; j++) {
        if (costs[j] <= cutoff)
            out->ends[out->count++] =
                (mry_scan_end){ within.from + starts[j], within.from + j, costs[j] };
    }
    return true;
}

bool mry_scan(mry_arena *mem, const mry_scan_query *query, const mry_scanned *clip, int slope,
              float cutoff, mry_scan_result *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    stretches coarse = { 0 }, fine = { 0 };
    float most = cutoff * (float)(query->end - query->first) * SLACK;
    *out = (mry_scan_result){ .ends = MRY_NEW(mem, mry_scan_end, clip->points->rows) };
    fine.items = MRY_NEW(&tmp, stretch, clip->points->rows);
    bool fits = out->ends && fine.items && rule_out_blocks(&tmp, query, clip, slope, most, &coarse);
    for (int i = 0; fits && i < coarse.count; i++) {
        mry_arena one = mry_arena_make(mem->ctx);
        out->checked_rows += coarse.items[i].to - coarse.items[i].from;
        fits = rule_out_frames(&one, query, clip, slope, cutoff, coarse.items[i], &fine);
        mry_arena_free(&one);
    }
    for (int i = 0; fits && i < fine.count; i++) {
        mry_arena one = mry_arena_make(mem->ctx);
        out->exact_rows += fine.items[i].to - fine.items[i].from;
        fits = measure(&one, query, clip, slope, cutoff, fine.items[i], out);
        mry_arena_free(&one);
    }
    mry_arena_free(&tmp);
    return fits;
}
