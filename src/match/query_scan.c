/* query_scan.c - the least cost of a query at every row of a clip, where it is at most a cut-off.
   Twice the same alignment: with bounds of blocks, and with distances where those could not rule
   it out. */
#include "match/query_scan.h"

#include <math.h>
#include <string.h>

/* ---- the cost -------------------------------------------------------------------------------- */

/* Goes on by row i of the query, whose costs are c. sums[z] are those of alignments whose last z
   steps all stay in their column; `from` likewise. The last array of each is the least of them, as
   the row before left it. */
static void warp_row(const mry_row_warp *room, int i, const float *c, size_t cols, bool starts)
{
    int slope = room->slope;
    float *now = room->sums, *best = now + (size_t)(slope + 1) * cols;
    int *from = room->from, *best_from = starts ? from + (size_t)(slope + 1) * cols : NULL;
    for (int z = slope; z > 0; z--) {
        float *to = now + (size_t)z * cols;
        const float *of = to - cols;
        for (size_t j = 0; j < cols; j++) to[j] = i ? of[j] + c[j] : INFINITY;
        if (starts)
            memcpy(from + (size_t)z * cols, from + (size_t)(z - 1) * cols, cols * sizeof *from);
    }
    if (i == 0) {
        memcpy(now, c, cols * sizeof *now);
        for (size_t j = 0; starts && j < cols; j++) from[j] = (int)j;
    } else {
        for (size_t j = 0; j < cols; j++) now[j] = INFINITY;
        for (int d = 1; d <= slope + 1 && (size_t)d < cols; d++) {
            const float *back = best - d;
            for (size_t j = (size_t)d; starts && j < cols; j++) {
                if (back[j] < now[j]) from[j] = best_from[j - (size_t)d];
            }
            for (size_t j = (size_t)d; j < cols; j++) now[j] = back[j] < now[j] ? back[j] : now[j];
        }
        for (size_t j = 0; j < cols; j++) now[j] += c[j];
    }
    memcpy(best, now, cols * sizeof *best);
    if (starts) memcpy(best_from, from, cols * sizeof *from);
    for (int z = 1; z <= slope && i > 0; z++) {
        const float *other = now + (size_t)z * cols;
        for (size_t j = 0; starts && j < cols; j++) {
            if (other[j] < best[j]) best_from[j] = from[(size_t)z * cols + j];
        }
        for (size_t j = 0; j < cols; j++) best[j] = other[j] < best[j] ? other[j] : best[j];
    }
}

static const float *warp_sums(const mry_row_warp *room, size_t cols)
{
    return room->sums + (size_t)(room->slope + 1) * cols;
}

void mry_row_warp_costs(const mry_row_warp *room, marey_rows cost, float *costs, int *starts)
{
    size_t cols = (size_t)cost.cols;
    for (int i = 0; i < cost.rows; i++)
        warp_row(room, i, cost.values + (size_t)i * cost.stride, cols, starts != NULL);
    for (size_t j = 0; j < cols; j++) costs[j] = warp_sums(room, cols)[j] / (float)cost.rows;
    if (starts)
        memcpy(starts, room->from + (size_t)(room->slope + 1) * cols, cols * sizeof *starts);
}

/* ---- the query ------------------------------------------------------------------------------- */

static const mry_kernel *kernel_of(const marey_ctx *ctx)
{
    return ctx->def.portable ? &mry_kernel_plain : mry_kernel_best();
}

static mry_pose_side make_side(mry_arena *mem, int points, int count, int each, float **panels,
                               float **sizes)
{
    *panels = mry_arena_zero(mem, mry_pose_panels(points, count, each), sizeof **panels);
    *sizes = mry_arena_zero(mem, (size_t)count + MRY_KERNEL_MOST_NR, sizeof **sizes);
    return (mry_pose_side){ *panels, *sizes, count };
}

/* Of sums of products of floats, as a share of what they are subtracted from. */
static const float ROUNDING = 4e-6f;

/* How far the rows of each block are from its middle one. */
static bool find_radii(mry_arena *tmp, const mry_scan_query *q, const float *values, float *radii)
{
    int count = q->blocks.count;
    size_t numbers = 6 * (size_t)q->points;
    size_t stride = (size_t)(count + MRY_KERNEL_MOST_NR) / 16 * 16 + 16;
    float *panels, *sizes, *cells;
    mry_pose_side middles = make_side(tmp, q->points, count, q->kernel->nr, &panels, &sizes);
    cells = mry_arena_take(tmp, (size_t)q->rows + MRY_KERNEL_MOST_MR, stride * sizeof *cells);
    if (!panels || !sizes || !cells) return false;
    for (int b = 0; b < count; b++) {
        mry_pose_pack_clip(q->kernel, q->points, values + (size_t)b * numbers, b, panels);
        sizes[b] = q->blocks.sizes[b];
    }
    mry_pose_distances(q->kernel, q->points, q->frames, middles, cells, stride);
    for (int i = 0; i < q->rows; i++) {
        int b = i / MRY_POSE_BLOCK;
        float slack = ROUNDING * (q->frames.sizes[i] + sizes[b]);
        radii[b] = fmaxf(radii[b], sqrtf(cells[(size_t)i * stride + (size_t)b] + slack));
    }
    return true;
}

bool mry_scan_query_make(mry_arena *mem, const mry_poses *poses, int first, int end,
                         const float *weights, float unit, mry_scan_query *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int points = poses->points, rows = end - first;
    int blocks = (rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    size_t numbers = 6 * (size_t)points;
    float *own = MRY_NEW(mem, float, points), *radii = MRY_NEW(mem, float, blocks);
    float *values = MRY_NEW(&tmp, float, (size_t)(blocks + 1) * numbers);
    float *panels, *sizes, *block_panels, *block_sizes;
    mry_scan_query q = { .kernel = kernel_of(mem->ctx), .points = points, .rows = rows };
    q.frames = make_side(mem, points, rows, q.kernel->mr, &panels, &sizes);
    q.blocks = make_side(mem, points, blocks, q.kernel->mr, &block_panels, &block_sizes);
    bool fits = own && radii && values && panels && sizes && block_panels && block_sizes;
    if (fits) memcpy(own, weights, (size_t)points * sizeof *own);
    q.weights = own;
    q.radii = radii;
    for (int i = 0; fits && i < rows; i++) {
        int block = i / MRY_POSE_BLOCK, from = block * MRY_POSE_BLOCK;
        int to = from + MRY_POSE_BLOCK < rows ? from + MRY_POSE_BLOCK : rows;
        bool middle = i == (from + to) / 2;
        float *row = values + (size_t)(middle ? block : blocks) * numbers;
        mry_pose_row(poses, first + i, unit, row);
        mry_pose_pack_query(q.kernel, points, weights, row, i, panels);
        sizes[i] = mry_pose_size(points, weights, row);
        if (!middle) continue;
        mry_pose_pack_query(q.kernel, points, weights, row, block, block_panels);
        block_sizes[block] = sizes[i];
    }
    fits = fits && find_radii(&tmp, &q, values, radii);
    mry_arena_free(&tmp);
    if (fits) *out = q;
    return fits;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

bool mry_scan_shelf_make(mry_arena *mem, int points, int blocks, mry_scan_shelf *out)
{
    const mry_kernel *kernel = kernel_of(mem->ctx);
    int padded = (blocks + MRY_KERNEL_MOST_NR) / MRY_KERNEL_MOST_NR * MRY_KERNEL_MOST_NR;
    size_t panels = mry_pose_panels(points, padded + MRY_KERNEL_MOST_NR, kernel->nr);
    *out = (mry_scan_shelf){ .kernel = kernel,
                             .points = points,
                             .blocks = blocks,
                             .stride = (size_t)padded,
                             .panels = mry_arena_zero(mem, panels, sizeof(float)),
                             .radii = MRY_NEW(mem, float, (size_t)points *(size_t)padded),
                             .tmp = MRY_NEW(mem, float, 7 * points) };
    return out->panels && out->radii && out->tmp;
}

void mry_scan_shelf_put(mry_scan_shelf *shelf, int at, const mry_pose_blocks *blocks, float unit)
{
    int points = shelf->points;
    float *values = shelf->tmp, *radii = values + 6 * points;
    for (int b = 0; b < blocks->blocks; b++) {
        mry_pose_middle(blocks, b, values);
        mry_pose_radii(blocks, b, radii);
        for (int i = 0; i < 6 * points; i++) values[i] *= unit;
        mry_pose_pack_clip(shelf->kernel, points, values, at + b, shelf->panels);
        for (int p = 0; p < points; p++) {
            float radius = unit * radii[p];
            shelf->radii[(size_t)p * shelf->stride + (size_t)(at + b)] = radius * radius;
        }
    }
}

/* Lower bounds of D between rows of the query's blocks and of blocks [first, first + cols). */
typedef struct bounds {
    float *values; /* a row for each block of the query */
    size_t stride;
    int first, cols;
} bounds;

static bool find_bounds(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                        int from, int end, bounds *out)
{
    int nr = shelf->kernel->nr, points = query->points;
    bounds b = { .first = from / nr * nr };
    b.cols = end - b.first;
    b.stride = (size_t)(b.cols + MRY_KERNEL_MOST_NR) / 16 * 16 + 16;
    b.values = mry_arena_take(mem, (size_t)query->blocks.count + MRY_KERNEL_MOST_MR,
                              b.stride * sizeof *b.values);
    float *sizes = MRY_NEW_RAW(mem, float, b.stride), *radii = MRY_NEW(mem, float, b.stride);
    if (!b.values || !sizes || !radii) return false;
    const float *panels =
        shelf->panels + (size_t)b.first * 4 * (size_t)mry_pose_products(query->points);
    mry_pose_sizes(shelf->kernel, points, query->weights, panels, b.cols, sizes);
    for (int p = 0; p < points; p++) {
        const float *rho = shelf->radii + (size_t)p * shelf->stride + (size_t)b.first;
        float weight = query->weights[p];
        for (int j = 0; j < b.cols && weight > 0; j++) radii[j] += weight * rho[j];
    }
    for (int j = 0; j < b.cols; j++) radii[j] = sqrtf(radii[j]) * (1 + 1e-5f);
    mry_pose_distances(shelf->kernel, points, query->blocks,
                       (mry_pose_side){ panels, sizes, b.cols }, b.values, b.stride);
    for (int k = 0; k < query->blocks.count; k++) {
        float *cells = b.values + (size_t)k * b.stride;
        float size = query->blocks.sizes[k], radius = query->radii[k];
        for (int j = 0; j < b.cols; j++) {
            float square = cells[j] - ROUNDING * (size + sizes[j]);
            float root = sqrtf(square > 0 ? square : 0) - radius - radii[j];
            cells[j] = root > 0 ? root * root : 0;
        }
    }
    *out = b;
    return true;
}

/* Rounding of a float sum of bounds. */
static const float SLACK = 1 + 1e-5f;

/* One more, behind the others; joined with the last if they meet. */
static void add_stretch(mry_stretches *list, int part, int from, int to)
{
    mry_stretch *last = list->count ? &list->items[list->count - 1] : NULL;
    if (from < 0) from = 0;
    if (last && last->part == part && from <= last->to)
        last->to = to;
    else
        list->items[list->count++] = (mry_stretch){ part, from, to };
}

/* Warps the bounds of one part. Rows of a block of the query that begin in one block of the clip
   and end in another pass none but those between, and each costs at least the least of their
   bounds. `room` is for the part's blocks twice. Returns the least sums by the last block. */
static const float *warp_blocks(const mry_scan_query *query, const bounds *b, mry_scan_part part,
                                int slope, float *room)
{
    int blocks = (part.rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK, step = slope + 1;
    int ahead = (MRY_POSE_BLOCK - 1 + step) / MRY_POSE_BLOCK;
    float *before = room, *now = room + blocks;
    for (int k = 0; k < query->blocks.count; k++) {
        const float *cells = b->values + (size_t)k * b->stride + (part.block - b->first);
        int length = query->rows - k * MRY_POSE_BLOCK;
        if (length > MRY_POSE_BLOCK) length = MRY_POSE_BLOCK;
        int span = (MRY_POSE_BLOCK - 1 + step * (length - 1)) / MRY_POSE_BLOCK;
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
    return before;
}

bool mry_scan_rule_out(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                       const mry_scan_part *parts, int count, int slope, float cutoff,
                       mry_stretches *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int reach = (slope + 1) * (query->rows - 1), blocks = 0;
    float most = cutoff * (float)query->rows * SLACK;
    bounds b;
    for (int i = 0; i < count; i++) blocks += (parts[i].rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    out->count = 0;
    out->items = MRY_NEW_RAW(mem, mry_stretch, blocks);
    float *room = MRY_NEW_RAW(&tmp, float, 2 * (size_t)blocks);
    bool fits = out->items && room && count > 0 &&
                find_bounds(&tmp, query, shelf, parts[0].block, parts[0].block + blocks, &b);
    for (int i = 0; fits && i < count; i++) {
        const float *sums = warp_blocks(query, &b, parts[i], slope, room);
        for (int end = 0; end * MRY_POSE_BLOCK < parts[i].rows; end++) {
            int first = end * MRY_POSE_BLOCK, behind = first + MRY_POSE_BLOCK;
            if (sums[end] > most) continue;
            if (behind > parts[i].rows) behind = parts[i].rows;
            add_stretch(out, i, first - reach, behind);
        }
    }
    mry_arena_free(&tmp);
    return fits || count == 0;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Rows [from, to) of a clip, packed, and a few rows of the grid of the query with them. */
typedef struct strip {
    const mry_scan_query *query;
    mry_pose_side clip;
    const uint8_t *marked;
    float *cells;
    size_t stride;
} strip;

static bool open_strip(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                       float unit, int from, int to, strip *out)
{
    int cols = to - from, nr = query->kernel->nr;
    float *panels, *sizes, *values = MRY_NEW(mem, float, 6 * (size_t)query->points);
    *out = (strip){ .query = query, .marked = poses->marked + from };
    out->clip = make_side(mem, query->points, cols, nr, &panels, &sizes);
    out->stride = (size_t)(cols + MRY_KERNEL_MOST_NR) / 16 * 16 + 16;
    out->cells = mry_arena_take(mem, MRY_KERNEL_MOST_MR, out->stride * sizeof *out->cells);
    if (!panels || !sizes || !values || !out->cells) return false;
    for (int j = 0; j < cols; j++) {
        mry_pose_row(poses, from + j, unit, values);
        mry_pose_pack_clip(query->kernel, query->points, values, j, panels);
    }
    mry_pose_sizes(query->kernel, query->points, query->weights, panels, cols, sizes);
    return true;
}

/* Row i of the grid. Rows are asked for one after the other, from 0 on. */
static const float *strip_row(strip *s, int i)
{
    const mry_scan_query *q = s->query;
    int mr = q->kernel->mr;
    if (i % mr == 0) {
        int count = q->rows - i < mr ? q->rows - i : mr;
        mry_pose_side rows = { q->frames.panels +
                                   (size_t)i * 4 * (size_t)mry_pose_products(q->points),
                               q->frames.sizes + i, count };
        mry_pose_distances(q->kernel, q->points, rows, s->clip, s->cells, s->stride);
        for (int j = 0; j < s->clip.count; j++) {
            if (!s->marked[j]) continue;
            for (int r = 0; r < count; r++) s->cells[(size_t)r * s->stride + (size_t)j] = INFINITY;
        }
    }
    return s->cells + (size_t)(i % mr) * s->stride;
}

static void warp_strip(strip *s, const mry_row_warp *warp, bool starts)
{
    for (int i = 0; i < s->query->rows; i++)
        warp_row(warp, i, strip_row(s, i), (size_t)s->clip.count, starts);
}

bool mry_scan_measure(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                      float unit, int slope, float cutoff, int from, int to, mry_scan_ends *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int cols = to - from, count = 0;
    size_t room = (size_t)(slope + 2) * (size_t)cols;
    float most = cutoff * (float)query->rows;
    mry_row_warp warp = { slope, MRY_NEW_RAW(&tmp, float, room), NULL };
    strip s;
    *out = (mry_scan_ends){ 0 };
    bool fits = warp.sums && open_strip(&tmp, query, poses, unit, from, to, &s);
    if (fits) warp_strip(&s, &warp, false);
    for (int j = 0; fits && j < cols; j++) count += warp_sums(&warp, (size_t)cols)[j] <= most;
    if (count > 0) {
        warp.from = MRY_NEW_RAW(&tmp, int, room);
        out->items = MRY_NEW_RAW(mem, mry_scan_end, count);
        fits = warp.from && out->items;
    }
    if (fits && count > 0) {
        warp_strip(&s, &warp, true);
        const float *sums = warp_sums(&warp, (size_t)cols);
        const int *starts = warp.from + (size_t)(slope + 1) * (size_t)cols;
        for (int j = 0; j < cols; j++) {
            if (!(sums[j] <= most)) continue;
            out->items[out->count++] =
                (mry_scan_end){ from + starts[j], from + j, sums[j] / (float)query->rows };
        }
    }
    mry_arena_free(&tmp);
    return fits;
}

/* Backwards along the least sums: state z of a row is how many times in a row it stayed. */
bool mry_scan_path(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses, float unit,
                   int slope, int start, int end, int *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int cols = end - start + 1, rows = query->rows, states = slope + 1;
    size_t cells = (size_t)cols * (size_t)states;
    float *sums = MRY_NEW_RAW(&tmp, float, cells), *next = MRY_NEW_RAW(&tmp, float, cells);
    /* How a cell was come to: forwards by 1 .. slope + 1 from a state, or staying: 0. */
    uint8_t *came = MRY_NEW(&tmp, uint8_t, (size_t)rows * cells);
    strip s;
    bool fits = sums && next && came && open_strip(&tmp, query, poses, unit, start, end + 1, &s);
    for (int i = 0; fits && i < rows; i++) {
        const float *c = strip_row(&s, i);
        for (int j = 0; j < cols; j++) {
            for (int z = 0; z < states; z++) {
                float least = i > 0 || j > 0 || z > 0 ? INFINITY : 0;
                uint8_t way = 0;
                if (i > 0 && z > 0) least = sums[(size_t)j * (size_t)states + (size_t)z - 1];
                for (int d = 1; i > 0 && z == 0 && d <= slope + 1 && d <= j; d++) {
                    for (int from = 0; from < states; from++) {
                        float sum = sums[(size_t)(j - d) * (size_t)states + (size_t)from];
                        if (!(sum < least)) continue;
                        least = sum;
                        way = (uint8_t)(d * states + from);
                    }
                }
                size_t cell = (size_t)j * (size_t)states + (size_t)z;
                next[cell] = least + c[j];
                came[(size_t)i * cells + cell] = way;
            }
        }
        float *other = sums;
        sums = next;
        next = other;
    }
    int col = cols - 1, state = 0;
    for (int z = 1; fits && z < states; z++) {
        const float *last = sums + (size_t)col * (size_t)states;
        if (last[z] < last[state]) state = z;
    }
    for (int i = rows - 1; fits && i >= 0; i--) {
        int way = came[(size_t)i * cells + (size_t)col * (size_t)states + (size_t)state];
        out[i] = start + col;
        if (i == 0) break;
        if (way == 0) {
            state -= state > 0;
        } else {
            col -= way / states;
            state = way % states;
        }
    }
    mry_arena_free(&tmp);
    return fits;
}
