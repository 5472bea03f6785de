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
    return (mry_pose_side){ .panels = *panels, .sizes = *sizes, .count = count };
}

/* Of sums of products of floats, as a share of what they are subtracted from. */
static const float ROUNDING = 4e-6f;

bool mry_scan_query_make(mry_arena *mem, const mry_poses *poses, int first, int end,
                         const float *weights, float unit, mry_scan_query *out)
{
    int points = poses->points, rows = end - first;
    float *own = MRY_NEW(mem, float, points), *values = MRY_NEW(mem, float, 6 * (size_t)points);
    float *panels, *sizes;
    mry_scan_query q = { .kernel = kernel_of(mem->ctx), .points = points, .rows = rows };
    q.frames = make_side(mem, points, rows, q.kernel->mr, &panels, &sizes);
    if (!own || !values || !panels || !sizes) return false;
    memcpy(own, weights, (size_t)points * sizeof *own);
    q.weights = own;
    for (int i = 0; i < rows; i++) {
        mry_pose_row(poses, first + i, unit, values);
        mry_pose_pack_query(q.kernel, points, weights, values, i, panels);
        sizes[i] = mry_pose_size(points, weights, values);
    }
    *out = q;
    return true;
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

/* Some rows of a query, for which one panel is enough. */
static mry_pose_side some_rows(const mry_scan_query *query, int row)
{
    int left = query->rows - row, mr = query->kernel->mr;
    return (mry_pose_side){ .panels = query->frames.panels +
                                      (size_t)row * 4 * (size_t)mry_pose_products(query->points),
                            .sizes = query->frames.sizes + row,
                            .count = left < mr ? left : mr };
}

/* Sums only grow, so panels of columns whose sums are all above `most` are given up, unless
   alignments may still come there from the left within a panel's rows of the query, `reach` panels
   at most. */
static void give_up(const float *sums, int cols, int nr, int reach, float most, uint8_t *wanted)
{
    int last = -1 - reach; /* panel with a sum that is not above */
    for (int p = 0; p * nr < cols; p++) {
        bool alive = false;
        for (int j = p * nr; j < cols && j < (p + 1) * nr; j++) alive |= sums[j] <= most;
        if (alive) last = p;
        wanted[p] = p - last <= reach;
    }
}

/* The least sums of lower bounds of D, of alignments up to each row of the query that are then in
   each of the blocks [first, first + cols). */
typedef struct bounds {
    float *sums; /* a row for each of the query's */
    size_t stride;
    int first, cols;
} bounds;

/* What D needs of blocks: sizes and radii, by the query's weights. */
static void weigh_blocks(const mry_scan_query *query, const mry_scan_shelf *shelf, const bounds *b,
                         const float *panels, float *sizes, float *radii)
{
    mry_pose_sizes(shelf->kernel, query->points, query->weights, panels, b->cols, sizes);
    for (int p = 0; p < query->points; p++) {
        const float *rho = shelf->radii + (size_t)p * shelf->stride + (size_t)b->first;
        float weight = query->weights[p];
        for (int j = 0; j < b->cols && weight > 0; j++) radii[j] += weight * rho[j];
    }
    for (int j = 0; j < b->cols; j++) radii[j] = sqrtf(radii[j]) * (1 + 1e-5f);
}

static int block_count(mry_scan_part part)
{
    return (part.rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
}

/* From a row of the query to the next an alignment stays in its block or comes to the next one,
   since a block has at least as many rows as a step. No clip goes on in the next one. */
static void add_row(const bounds *b, const mry_scan_part *parts, int count, int row)
{
    float *now = b->sums + (size_t)row * b->stride;
    const float *before = now - b->stride;
    for (int i = 0; i < count; i++) {
        int from = parts[i].block - b->first, to = from + block_count(parts[i]);
        now[from] += before[from];
        for (int j = from + 1; j < to; j++)
            now[j] += before[j - 1] < before[j] ? before[j - 1] : before[j];
    }
}

static bool sum_bounds(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                       const mry_scan_part *parts, int count, float most, bounds *out)
{
    mry_scan_part last = parts[count - 1];
    int nr = shelf->kernel->nr, mr = shelf->kernel->mr;
    bounds b = { .first = parts[0].block / nr * nr };
    b.cols = last.block + block_count(last) - b.first;
    b.stride = (size_t)(b.cols + MRY_KERNEL_MOST_NR) / 16 * 16 + 16;
    b.sums =
        mry_arena_take(mem, (size_t)query->rows + MRY_KERNEL_MOST_MR, b.stride * sizeof *b.sums);
    float *sizes = MRY_NEW(mem, float, b.stride), *radii = MRY_NEW(mem, float, b.stride);
    uint8_t *wanted = MRY_NEW_RAW(mem, uint8_t, b.stride);
    if (!b.sums || !sizes || !radii || !wanted) return false;
    const float *panels =
        shelf->panels + (size_t)b.first * 4 * (size_t)mry_pose_products(query->points);
    weigh_blocks(query, shelf, &b, panels, sizes, radii);
    memset(wanted, 1, b.stride);
    for (int row = 0; row < query->rows; row += mr) {
        mry_pose_side rows = some_rows(query, row);
        mry_pose_distances(shelf->kernel, query->points, rows,
                           (mry_pose_side){ panels, sizes, b.cols, wanted },
                           b.sums + (size_t)row * b.stride, b.stride);
        for (int i = row; i < row + rows.count; i++) {
            mry_lower_def def = { sizes, radii, query->frames.sizes[i], ROUNDING };
            shelf->kernel->lower(b.sums + (size_t)i * b.stride, &def, b.cols);
            if (i > 0) add_row(&b, parts, count, i);
        }
        const float *done = b.sums + (size_t)(row + rows.count - 1) * b.stride;
        give_up(done, b.cols, nr, (mr + nr - 1) / nr, most, wanted);
    }
    *out = b;
    return true;
}

static const double MOST_SUMS = 1 << 25; /* that are held at a time */

/* Sums of so many bounds may be rounded by so much. */
static float slack(int rows)
{
    return 1 + 1e-5f + 4e-7f * (float)rows;
}

/* Which blocks of a part an alignment may pass that costs at most `most`, by 1 in `passed`: on the
   way back the least sums behind a row are found, and a row's own bound is what its sums grew by.
   `room` is for 2 x blocks floats. */
static void pass_back(const mry_scan_query *query, const bounds *b, mry_scan_part part, float most,
                      float *room, uint8_t *passed)
{
    int blocks = block_count(part);
    float *behind = room, *least = room + blocks;
    const float *first = b->sums + (part.block - b->first);
    memset(passed, 0, (size_t)blocks);
    memset(behind, 0, (size_t)blocks * sizeof *behind);
    for (int i = query->rows - 1; i >= 0; i--) {
        const float *row = first + (size_t)i * b->stride, *before = row - b->stride;
        for (int j = 0; j < blocks; j++) passed[j] |= row[j] + behind[j] <= most;
        if (i == 0) break;
        least[0] = row[0] < INFINITY ? row[0] - before[0] + behind[0] : INFINITY;
        for (int j = 1; j < blocks; j++) {
            float came = before[j - 1] < before[j] ? before[j - 1] : before[j];
            float sum = row[j] - came + behind[j];
            least[j] = row[j] < INFINITY ? sum : INFINITY;
        }
        for (int j = 0; j + 1 < blocks; j++)
            behind[j] = least[j + 1] < least[j] ? least[j + 1] : least[j];
        behind[blocks - 1] = least[blocks - 1];
    }
}

bool mry_scan_rule_out(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                       const mry_scan_part *parts, int count, int slope, float cutoff,
                       mry_stretches *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int blocks = 0, shortest = (query->rows - 1) / (slope + 1) + 1;
    float most = cutoff * (float)query->rows * slack(query->rows);
    bounds b = { 0 };
    for (int i = 0; i < count; i++) blocks += block_count(parts[i]);
    out->count = 0;
    out->items = MRY_NEW_RAW(mem, mry_stretch, blocks);
    float *room = MRY_NEW_RAW(&tmp, float, 2 * (size_t)blocks);
    uint8_t *passed = MRY_NEW_RAW(&tmp, uint8_t, blocks);
    /* A long query and a long clip: measured whole, which takes no more memory than a row. */
    bool large = (double)query->rows * blocks > MOST_SUMS;
    bool fits = out->items && room && passed && count > 0 &&
                (large || sum_bounds(&tmp, query, shelf, parts, count, most, &b));
    for (int i = 0; fits && i < count; i++) {
        int own = block_count(parts[i]);
        if (large)
            memset(passed, 1, (size_t)own);
        else
            pass_back(query, &b, parts[i], most, room, passed);
        for (int from = 0, to; from < own; from = to) {
            for (to = from + 1; to < own && passed[to] == passed[from];) to++;
            mry_stretch one = { i, from * MRY_POSE_BLOCK, to * MRY_POSE_BLOCK };
            if (one.to > parts[i].rows) one.to = parts[i].rows;
            if (passed[from] && one.to - one.from >= shortest) out->items[out->count++] = one;
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
        mry_pose_side rows = some_rows(q, i);
        mry_pose_distances(q->kernel, q->points, rows, s->clip, s->cells, s->stride);
        for (int j = 0; j < s->clip.count; j++) {
            if (!s->marked[j]) continue;
            for (int r = 0; r < rows.count; r++)
                s->cells[(size_t)r * s->stride + (size_t)j] = INFINITY;
        }
    }
    return s->cells + (size_t)(i % mr) * s->stride;
}

static void warp_strip(strip *s, const mry_row_warp *warp)
{
    for (int i = 0; i < s->query->rows; i++)
        warp_row(warp, i, strip_row(s, i), (size_t)s->clip.count, true);
}

/* The sums alone, by the kernel, infinite where they are surely above `most`: NULL when out of
   memory. */
static const float *warp_sums_only(mry_arena *mem, strip *s, int slope, float most)
{
    enum { FRONT = 16 };
    size_t stride = s->stride + FRONT;
    int mr = s->query->kernel->mr, nr = s->query->kernel->nr, cols = s->clip.count;
    uint8_t *wanted = MRY_NEW_RAW(mem, uint8_t, (size_t)(cols / nr + 1));
    float *sums = MRY_NEW_RAW(mem, float, (size_t)(slope + 1) * stride);
    float *before = MRY_NEW_RAW(mem, float, stride), *best = MRY_NEW_RAW(mem, float, stride);
    if (!sums || !before || !best || !wanted) return NULL;
    memset(wanted, 1, (size_t)(cols / nr + 1));
    s->clip.wanted = wanted;
    for (size_t j = 0; j < (size_t)(slope + 1) * stride; j++) sums[j] = INFINITY;
    for (size_t j = 0; j < stride; j++) before[j] = best[j] = INFINITY;
    for (int i = 0; i < s->query->rows; i++) {
        const float *c = strip_row(s, i);
        if (i == 0) {
            memcpy(sums, c, (size_t)s->clip.count * sizeof *sums);
            memcpy(best + FRONT, c, (size_t)s->clip.count * sizeof *best);
        } else {
            mry_warp_def def = { sums, stride, slope, before + FRONT, best + FRONT };
            s->query->kernel->warp(c, &def, s->clip.count);
        }
        float *other = before;
        before = best;
        best = other;
        if (i % mr == mr - 1)
            give_up(before + FRONT, cols, nr, ((slope + 1) * mr + nr - 1) / nr, most, wanted);
    }
    return before + FRONT;
}

bool mry_scan_measure(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                      float unit, int slope, float cutoff, int from, int to, mry_scan_ends *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int cols = to - from, first = cols, last = -1, count = 0;
    float most = cutoff * (float)query->rows;
    strip s;
    *out = (mry_scan_ends){ 0 };
    bool fits = open_strip(&tmp, query, poses, unit, from, to, &s);
    const float *all = fits ? warp_sums_only(&tmp, &s, slope, most) : NULL;
    for (int j = 0; all && j < cols; j++) {
        if (!(all[j] <= most)) continue;
        if (count++ == 0) first = j;
        last = j;
    }
    fits = fits && all;
    if (!fits || count == 0) {
        mry_arena_free(&tmp);
        return fits;
    }
    /* Where they start, which takes longer: only as far as their alignments reach. */
    int reach = (slope + 1) * (query->rows - 1), start = first > reach ? first - reach : 0;
    size_t width = (size_t)(last + 1 - start), room = (size_t)(slope + 2) * width;
    mry_row_warp warp = { slope, MRY_NEW_RAW(&tmp, float, room), MRY_NEW_RAW(&tmp, int, room) };
    out->items = MRY_NEW_RAW(mem, mry_scan_end, count);
    fits = warp.sums && warp.from && out->items &&
           open_strip(&tmp, query, poses, unit, from + start, from + last + 1, &s);
    if (fits) {
        warp_strip(&s, &warp);
        const float *sums = warp_sums(&warp, width);
        const int *starts = warp.from + (size_t)(slope + 1) * width;
        for (int j = first - start; j < (int)width; j++) {
            if (!(sums[j] <= most)) continue;
            out->items[out->count++] = (mry_scan_end){ from + start + starts[j], from + start + j,
                                                       sums[j] / (float)query->rows };
        }
    }
    mry_arena_free(&tmp);
    return fits;
}

bool mry_scan_means(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses, float unit,
                    int from, int to, float *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    strip s;
    bool fits = open_strip(&tmp, query, poses, unit, from, to, &s);
    for (int j = from; fits && j < to; j++) out[j - from] = 0;
    for (int i = 0; fits && i < query->rows; i++) {
        const float *row = strip_row(&s, i);
        for (int j = from; j < to; j++) out[j - from] += row[j - from] / (float)query->rows;
    }
    mry_arena_free(&tmp);
    return fits;
}

/* Backwards along the least sums. */
bool mry_scan_path(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses, float unit,
                   int slope, int start, int end, int *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    size_t cols = (size_t)(end - start + 1), states = (size_t)slope + 1;
    int rows = query->rows;
    /* sums[z] as in warp_row; best[j] is the least of a column and its state. How a cell was come to
       without staying: so many columns ahead. */
    float *sums = MRY_NEW_RAW(&tmp, float, states *cols), *best = MRY_NEW_RAW(&tmp, float, cols);
    uint8_t *state = MRY_NEW(&tmp, uint8_t, (size_t)rows * cols);
    uint8_t *ahead = MRY_NEW(&tmp, uint8_t, (size_t)rows * cols);
    strip s;
    bool fits =
        sums && best && state && ahead && open_strip(&tmp, query, poses, unit, start, end + 1, &s);
    for (size_t k = 0; fits && k < states * cols; k++) sums[k] = INFINITY;
    for (int i = 0; fits && i < rows; i++) {
        const float *c = strip_row(&s, i);
        uint8_t *ways = ahead + (size_t)i * cols, *states_now = state + (size_t)i * cols;
        if (i == 0) sums[0] = c[0];
        for (size_t z = states - 1; z > 0 && i > 0; z--) {
            for (size_t j = 0; j < cols; j++) sums[z * cols + j] = sums[(z - 1) * cols + j] + c[j];
        }
        for (size_t j = cols; j-- > 0 && i > 0;) {
            float least = INFINITY;
            for (size_t d = 1; d <= states && d <= j; d++) {
                if (!(best[j - d] < least)) continue;
                least = best[j - d];
                ways[j] = (uint8_t)d;
            }
            sums[j] = least + c[j];
        }
        for (size_t j = 0; j < cols; j++) {
            best[j] = sums[j];
            for (size_t z = 1; z < states; z++) {
                if (!(sums[z * cols + j] < best[j])) continue;
                best[j] = sums[z * cols + j];
                states_now[j] = (uint8_t)z;
            }
        }
    }
    size_t col = cols - 1;
    int stays = fits ? state[(size_t)(rows - 1) * cols + col] : 0;
    for (int i = rows - 1; fits && i >= 0; i--) {
        out[i] = start + (int)col;
        if (i == 0 || stays-- > 0) continue;
        col -= ahead[(size_t)i * cols + col];
        stays = state[(size_t)(i - 1) * cols + col];
    }
    mry_arena_free(&tmp);
    return fits;
}
