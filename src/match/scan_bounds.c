/* scan_bounds.c - which rows of clips an alignment can pass at all that costs at most a cut-off.

   Codes. The rows u of a query lie near a few directions. With their coordinates a by CODES complex
   directions on the floor and CODES - 1 real ones of heights, those b of a clip's row v, and the
   lengths r and s of what is left of both (src/feature/poses.h; weights are in u and v),

       D(u, v) >= |u|^2 + |v|^2 - 2 |<a, b>| - 2 r s,

   since the product of what is left is at most that of the lengths. <a, b> takes CODES products
   instead of two for each point, and b takes CODES of these, once for all rows of the query.

   Blocks. The bound of a block's middle, lowered by the block's radius, holds for its rows. From a
   row of the query to the next an alignment stays in its block or comes to the next one, since a
   block has at least as many rows as a step. So sums of bounds, forwards and backwards, tell which
   blocks an alignment within the cut-off can pass.

   Rows. Where blocks are left, their rows are guessed (feature/pose_blocks.h): codes, like the
   guesses, are sums of shares of those of the middles. Then the same with single rows. */
#include "match/query_scan.h"

#include <math.h>
#include <string.h>

enum {
    CODES = 8, /* a multiple of four */
    FRONT = 16 /* floats in front of a row of sums and behind it */
};
static const float FAR = 1e30f; /* of what is no block */
#define ROUNDING MRY_SCAN_ROUNDING
static const double MOST_SUMS = 1 << 25; /* that are held at a time */

float mry_scan_most(const mry_scan_query *query, float cutoff)
{
    float rows = (float)query->rows;
    return cutoff * rows * (1 + 1e-5f + 4e-7f * rows);
}

/* ---- codes of the query ---------------------------------------------------------------------- */

/* The product <a, b> of complex vectors. */
static void multiply(const double *a, const double *b, int n, double out[2])
{
    out[0] = out[1] = 0;
    for (int i = 0; i < 2 * n; i += 2) {
        out[0] += a[i] * b[i] + a[i + 1] * b[i + 1];
        out[1] += a[i] * b[i + 1] - a[i + 1] * b[i];
    }
}

static void subtract(const double *e, int n, double *v)
{
    double part[2];
    multiply(e, v, n, part);
    for (int i = 0; i < 2 * n; i += 2) {
        v[i] -= part[0] * e[i] - part[1] * e[i + 1];
        v[i + 1] -= part[0] * e[i + 1] + part[1] * e[i];
    }
}

/* Orthonormal directions, each that of the row which is farthest from those before; 0 where no row
   has anything left. `rows` are changed. */
static void find_directions(double *rows, int count, int n, int wanted, double *out)
{
    for (int k = 0; k < wanted; k++, out += 2 * n) {
        double most = 1e-6, norm[2];
        const double *farthest = NULL;
        for (int i = 0; i < count; i++) {
            const double *row = rows + (size_t)i * 2 * (size_t)n;
            multiply(row, row, n, norm);
            if (norm[0] > most) farthest = row;
            most = fmax(most, norm[0]);
        }
        for (int i = 0; i < 2 * n; i++) out[i] = farthest ? farthest[i] / sqrt(most) : 0;
        for (int i = 0; i < count && farthest; i++)
            subtract(out, n, rows + (size_t)i * 2 * (size_t)n);
    }
}

/* A row of a panel of the first kind. */
static void put_first(float *panels, int k, int mr, int row, int at, float x, float z, float y)
{
    float *to = panels + (size_t)(row / mr) * 4 * (size_t)(k * mr) + (size_t)(at * mr + row % mr);
    size_t part = (size_t)(k * mr);
    to[0] = x;
    to[part] = z;
    to[2 * part] = -(x + z);
    to[3 * part] = y;
}

/* Rows of a query on the floor and their heights, both complex, times the roots of the weights. */
static void scale_row(const mry_scan_query *q, const float *values, double *floor, double *height)
{
    double mean[3] = { 0 };
    for (int i = 0; i < 3 * q->points; i++)
        mean[i % 3] += (double)q->weights[i / 3] * (double)values[i];
    for (int i = 0; i < 2 * q->points; i++) {
        double root = sqrt((double)q->weights[i % q->points]), at[3];
        for (int a = 0; a < 3; a++)
            at[a] = root * ((double)values[3 * i + a] - (i < q->points ? mean[a] : 0));
        floor[2 * i] = at[0];
        floor[2 * i + 1] = at[1];
        height[2 * i] = at[2];
        height[2 * i + 1] = 0;
    }
}

bool mry_scan_query_code(mry_arena *mem, const float *values, mry_scan_query *q)
{
    enum { SOME = 32 }; /* rows are enough for directions */
    mry_arena tmp = mry_arena_make(mem->ctx);
    int n = 2 * q->points, mr = q->kernel->mr, some = q->rows < SOME ? q->rows : SOME;
    size_t each = 2 * (size_t)n;
    double *rows = MRY_NEW_RAW(&tmp, double, SOME *each);
    double *heights = MRY_NEW_RAW(&tmp, double, SOME *each);
    double *floor = MRY_NEW_RAW(&tmp, double, CODES *each);
    double *up = MRY_NEW_RAW(&tmp, double, CODES *each);
    q->basis = MRY_NEW(mem, float, mry_pose_panels(q->points, CODES, mr));
    q->codes = MRY_NEW(mem, float, (size_t)((q->rows + mr - 1) / mr * mr) * 4 * CODES);
    q->sizes = MRY_NEW(mem, float, (size_t)(q->rows + MRY_KERNEL_MOST_MR));
    q->code_sizes = MRY_NEW(mem, float, (size_t)(q->rows + MRY_KERNEL_MOST_MR));
    bool fits = rows && heights && floor && up && q->basis && q->codes && q->sizes && q->code_sizes;
    for (int i = 0; i < some && fits; i++) {
        int row = (int)((int64_t)i * (q->rows - 1) / (some > 1 ? some - 1 : 1));
        scale_row(q, values + (size_t)row * 3 * (size_t)n, rows + i * each, heights + i * each);
    }
    if (fits) {
        find_directions(rows, some, n, CODES, floor);
        find_directions(heights, some, n, CODES - 1, up);
        for (size_t i = 0; i < each; i++) up[(CODES - 1) * each + i] = 0;
    }
    for (int k = 0; k < CODES && fits; k++) {
        for (int i = 0; i < n; i++) {
            double root = sqrt((double)q->weights[i % q->points]), *e = floor + k * each + 2 * i;
            put_first(q->basis, n, mr, k, i, (float)(root * e[0]), (float)(root * e[1]),
                      (float)(root * up[k * each + 2 * i]));
        }
    }
    for (int i = 0; i < q->rows && fits; i++) {
        double *row = rows, *height = heights, left = (double)q->frames.sizes[i], a[2], c[2];
        scale_row(q, values + (size_t)i * 3 * (size_t)n, row, height);
        for (int k = 0; k < CODES; k++) {
            multiply(floor + k * each, row, n, a);
            multiply(up + k * each, height, n, c);
            left -= a[0] * a[0] + a[1] * a[1] + c[0] * c[0];
            if (k == CODES - 1) {
                q->sizes[i] = (1 - ROUNDING) * q->frames.sizes[i];
                q->code_sizes[i] = q->sizes[i] - (float)fmax(left, 0);
                c[0] = sqrt(fmax(left, 0) + (double)(ROUNDING * q->frames.sizes[i]));
            }
            put_first(q->codes, CODES, mr, i, k, (float)a[0], (float)a[1], (float)c[0]);
        }
    }
    mry_arena_free(&tmp);
    return fits;
}

/* ---- shelves --------------------------------------------------------------------------------- */

/* Of a block: places and speeds, then widths: radii, rests and steps. */
enum { RADII, RESTS, STEPS };

static size_t tile_bytes(const mry_scan_shelf *shelf)
{
    return mry_pose_blocks_size(shelf->kernel->nr, shelf->points);
}

bool mry_scan_shelf_make(mry_arena *mem, int points, int blocks, mry_scan_shelf *out)
{
    const mry_kernel *kernel = mry_scan_kernel(mem->ctx);
    *out = (mry_scan_shelf){ .kernel = kernel, .points = points, .blocks = blocks };
    size_t tiles = (size_t)(blocks / kernel->nr) + 1;
    /* What is in blocks of no clip is times nothing. */
    out->tiles = mry_arena_take(mem, tiles, tile_bytes(out));
    out->units = MRY_NEW(mem, float, tiles *(size_t)kernel->nr);
    return out->tiles && out->units;
}

void mry_scan_shelf_put(mry_scan_shelf *shelf, int at, const mry_pose_blocks *blocks, float unit)
{
    int nr = shelf->kernel->nr, points = shelf->points;
    size_t each = (size_t)blocks->blocks;
    for (int from = 0, to; from < blocks->blocks; from = to) {
        int first = (at + from) % nr;
        to = from + nr - first < blocks->blocks ? from + nr - first : blocks->blocks;
        uint8_t *tile = shelf->tiles + (size_t)((at + from) / nr) * tile_bytes(shelf);
        int16_t *places = (int16_t *)(void *)tile + first;
        for (int i = 0; i < 3 * points; i++, places += nr) {
            const uint8_t *place = blocks->middles + 2 * ((size_t)i * each + (size_t)from);
            for (int b = 0; b < to - from; b++)
                places[b] = (int16_t)(place[2 * b] | place[2 * b + 1] << 8);
        }
        for (int i = 6 * points; i < 12 * points; i++)
            memcpy(tile + i * nr + first, blocks->middles + (size_t)i * each + from,
                   (size_t)(to - from));
        for (int b = from; b < to; b++) shelf->units[at + b] = unit;
    }
}

/* ---- codes of blocks ------------------------------------------------------------------------- */

/* Columns of clips, packed as codes, and a grid of the query with them. */
typedef struct grid {
    const mry_scan_query *query;
    int cols, panel_count; /* of nr columns */
    float *panels, *sizes, *radii;
    float *costs, *sums; /* query's rows, `stride` floats each, FRONT of them before the first */
    size_t stride;
    uint8_t *wanted; /* of each panel */
    uint8_t *coded;  /* likewise: no alignment within the cut-off passes the others */
    /* of columns */
    float *behind, *through, *room;
    /* An alignment within the cut-off may pass a column: at all; with one of mr rows of the query,
       `stride` bytes for each of these. */
    uint8_t *passed, *live;
} grid;

static bool grid_make(mry_arena *mem, const mry_scan_query *query, int cols, grid *out)
{
    int nr = query->kernel->nr, panels = (cols + nr - 1) / nr;
    size_t stride = (size_t)(panels * nr + 15) / 16 * 16 + 2 * FRONT;
    *out = (grid){ .query = query, .cols = cols, .panel_count = panels, .stride = stride };
    out->panels = MRY_NEW_RAW(mem, float, (size_t)panels * 4 * CODES * (size_t)nr);
    out->sizes = MRY_NEW_RAW(mem, float, 5 * stride);
    out->costs = mry_arena_take(mem, (size_t)query->rows + MRY_KERNEL_MOST_MR, 4 * stride);
    out->sums = mry_arena_take(mem, (size_t)query->rows + 1, 4 * stride);
    out->wanted = MRY_NEW_RAW(mem, uint8_t, 2 * panels);
    out->live = MRY_NEW(mem, uint8_t, (size_t)(query->rows / query->kernel->mr + 2) * stride);
    if (!out->panels || !out->sizes || !out->costs || !out->sums || !out->wanted || !out->live)
        return false;
    out->passed = out->live + (size_t)(query->rows / query->kernel->mr + 1) * stride;
    out->radii = out->sizes + stride;
    out->behind = out->radii + stride;
    out->through = out->behind + stride;
    out->room = out->through + stride;
    memset(out->wanted, 1, 2 * (size_t)panels);
    out->coded = out->wanted + panels;
    return true;
}

static float *costs_of(const grid *g, int row)
{
    return g->costs + (size_t)row * g->stride + FRONT;
}

static float *sums_of(const grid *g, int row)
{
    return g->sums + (size_t)row * g->stride + FRONT;
}

/* What is left of columns [0, nr) of a panel whose other codes are there. */
static void put_left(float *panel, int nr, const float *sizes)
{
    float *left = panel + (4 * CODES - 1) * nr;
    for (int c = 0; c < nr; c++) left[c] = sizes[c] * (1 + ROUNDING);
    for (int k = 0; k < CODES; k++) {
        float *x = panel + k * nr, *z = x + CODES * nr, *xz = z + CODES * nr, *y = xz + CODES * nr;
        for (int c = 0; c < nr; c++) {
            xz[c] = x[c] - z[c];
            left[c] -= x[c] * x[c] + z[c] * z[c];
        }
        for (int c = 0; c < nr && k < CODES - 1; c++) left[c] -= y[c] * y[c];
    }
    for (int c = 0; c < nr; c++) left[c] = sqrtf(left[c] > 0 ? left[c] : 0);
}

/* Radii, rests or steps of a tile's blocks. */
static void find_widths(const mry_scan_query *q, const mry_scan_shelf *shelf, int first, int which,
                        float *out)
{
    int nr = shelf->kernel->nr, points = shelf->points;
    mry_widths_def def = { .points = points,
                           .roots = shelf->tiles + (size_t)(first / nr) * tile_bytes(shelf) +
                                    (9 + which) * points * nr,
                           .units = shelf->units + first,
                           .weights = q->weights,
                           .width = MRY_SCAN_RADIUS_CM };
    shelf->kernel->widths(&def, out);
}

static bool is_end(const uint32_t *ends, int block)
{
    return ends[block / 32] >> block % 32 & 1;
}

/* Only panels where an alignment may pass that ends where a card says one may, since from row to row it
   stays in its block or comes to the next; with the two blocks on both sides that rows are guessed
   from. */
static void code_before(const uint32_t *ends, int first, grid *g)
{
    int nr = g->query->kernel->nr;
    memset(g->coded, 0, (size_t)g->panel_count);
    for (int b = 0; b < g->cols; b++) {
        if (!is_end(ends, first + b)) continue;
        int from = b - g->query->rows - 1, last = b + 2 < g->cols ? b + 2 : g->cols - 1;
        for (int p = (from > 0 ? from : 0) / nr; p <= last / nr; p++) g->coded[p] = 1;
    }
}

/* Of blocks from `first` on, which begins a tile. */
static bool code_blocks(mry_arena *tmp, const mry_scan_shelf *shelf, int first, grid *g)
{
    enum { PLANE = MRY_KERNEL_MOST_MR * MRY_KERNEL_MOST_NR };
    _Alignas(64) float room[3 * PLANE];
    const mry_scan_query *q = g->query;
    int nr = shelf->kernel->nr, mr = shelf->kernel->mr, points = shelf->points;
    int k = mry_pose_products(points);
    float *panel = MRY_NEW_RAW(tmp, float, 4 * (size_t)k * (size_t)nr);
    mry_planes planes = { room, room + PLANE, room + 2 * PLANE, MRY_KERNEL_MOST_NR };
    for (int p = 0; p < g->panel_count && panel; p++) {
        if (!g->coded[p]) continue;
        const uint8_t *tile = shelf->tiles + (size_t)(first / nr + p) * tile_bytes(shelf);
        mry_unpack_def unpack = { .points = points,
                                  .places = (const int16_t *)(const void *)tile,
                                  .roots = (const int8_t *)(tile + 6 * points * nr),
                                  .units = shelf->units + first + p * nr,
                                  .weights = q->weights,
                                  .place = MRY_SCAN_PLACE_CM,
                                  .speed = MRY_SCAN_SPEED_CM,
                                  .absent = FAR };
        shelf->kernel->unpack(&unpack, panel, g->sizes + p * nr);
        find_widths(q, shelf, first + p * nr, RADII, g->radii + p * nr);
        float *to = g->panels + (size_t)p * 4 * CODES * (size_t)nr;
        for (int row = 0; row < CODES; row += mr) {
            shelf->kernel->tile(q->basis + (size_t)row * 4 * (size_t)k, panel, k, planes);
            for (int r = row; r < row + mr && r < CODES; r++) {
                size_t from = (size_t)(r - row) * planes.stride, bytes_each = 4 * (size_t)nr;
                memcpy(to + r * nr, planes.b + from, bytes_each);
                memcpy(to + (CODES + r) * nr, planes.c + from, bytes_each);
                memcpy(to + (3 * CODES + r) * nr, planes.y + from, bytes_each);
            }
        }
        put_left(to, nr, g->sizes + p * nr);
    }
    return panel != NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Sums only grow, so panels of columns whose sums are all above `most` are given up, unless
   alignments may still come there from the left within a panel's rows of the query, `reach` panels
   at most. False: all are. */
bool mry_scan_give_up(const mry_kernel *kernel, const float *sums, int cols, int reach, float most,
                      uint8_t *wanted)
{
    int nr = kernel->nr, last = -1 - reach; /* panel with a sum that is not above */
    bool any = false;
    for (int p = 0; p * nr < cols; p++) {
        bool whole = (p + 1) * nr <= cols, alive = whole && kernel->any(sums + p * nr, nr, most);
        for (int j = p * nr; j < cols && !whole; j++) alive |= sums[j] <= most;
        if (alive) last = p;
        any |= wanted[p] = p - last <= reach;
    }
    return any;
}

bool mry_scan_is_live(const uint8_t *live, int from, int end, int count)
{
    if (end > from + count) end = from + count;
    return end > from && memchr(live + from, 1, (size_t)(end - from)) != NULL;
}

static void fill(float *to, int count, float value)
{
    for (int i = 0; i < count; i++) to[i] = value;
}

/* Bounds of some rows with a panel of columns, by codes; and sums of the first `summed` of them. */
static void bound_panel(const grid *g, const float *sizes, int row, int p, int summed)
{
    enum { PLANE = MRY_KERNEL_MOST_MR * MRY_KERNEL_MOST_NR };
    _Alignas(64) float room[3 * PLANE];
    const mry_scan_query *q = g->query;
    int nr = q->kernel->nr, at = p * nr;
    mry_planes planes = { room, room + PLANE, room + 2 * PLANE, MRY_KERNEL_MOST_NR };
    mry_bounds_def def = { .size_a = sizes + row,
                           .size_b = g->sizes + at,
                           .keep = 1 - ROUNDING,
                           .radii = g->radii + at,
                           .costs = costs_of(g, row) + at,
                           .before = summed ? sums_of(g, row ? row - 1 : q->rows) + at : NULL,
                           .sums = sums_of(g, row) + at,
                           .stride = g->stride,
                           .rows = summed };
    q->kernel->tile(q->codes + (size_t)row * 4 * CODES,
                    g->panels + (size_t)p * 4 * CODES * (size_t)nr, CODES, planes);
    q->kernel->bounds(&def, planes);
}

/* The least sums of bounds up to each row of the query in each block; false: none is within `most`
   at its end. */
static bool sum_blocks(const grid *g, float most)
{
    const mry_scan_query *q = g->query;
    int nr = q->kernel->nr, mr = q->kernel->mr, width = g->panel_count * nr;
    fill(sums_of(g, q->rows) - FRONT, (int)g->stride, 0); /* those before the first row */
    for (int row = 0; row < q->rows; row += mr) {
        int end = row + mr < q->rows ? row + mr : q->rows;
        for (int i = row; i < end; i++) {
            fill(sums_of(g, i) - FRONT, FRONT, INFINITY);
            fill(costs_of(g, i) + width, FRONT, INFINITY);
        }
        for (int p = 0; p < g->panel_count; p++) {
            bool within = g->wanted[p] && g->coded[p];
            if (within) bound_panel(g, q->sizes, row, p, end - row);
            for (int i = row; i < end && !within; i++) {
                fill(costs_of(g, i) + p * nr, nr, INFINITY);
                fill(sums_of(g, i) + p * nr, nr, INFINITY);
            }
        }
        if (!mry_scan_give_up(q->kernel, sums_of(g, end - 1), width, (mr + nr - 1) / nr, most,
                              g->wanted))
            return false;
    }
    return true;
}

/* Which of the columns [first, end) an alignment within `most` may pass: on the way back the least
   sums behind a row are found, of alignments that end within it. False: none. */
static bool pass_back(const grid *g, int first, int end, int reach, float most)
{
    const mry_scan_query *q = g->query;
    const float *last = sums_of(g, q->rows - 1);
    int from = first, mr = q->kernel->mr;
    memset(g->passed + first, 0, (size_t)(end - first));
    for (int i = 0; i < q->rows; i += mr)
        memset(g->live + (size_t)(i / mr) * g->stride + first, 0, (size_t)(end - first));
    while (first < end && !(last[first] <= most)) first++;
    while (end > first && !(last[end - 1] <= most)) end--;
    if (first == end) return false;
    if (first - from > (q->rows - 1) * reach) from = first - (q->rows - 1) * reach;
    fill(g->behind + from, end - from + FRONT, 0);
    fill(g->room + from, end - from + 2 * FRONT, INFINITY);
    fill(g->through + from, end - from, INFINITY);
    for (int i = q->rows - 1; i >= 0; i--) {
        mry_back_def def = { .sums = sums_of(g, i) + from,
                             .costs = costs_of(g, i) + from,
                             .behind = g->behind + from,
                             .through = g->through + from,
                             .room = g->room + from,
                             .reach = reach };
        q->kernel->back(&def, end - from);
        if (i % mr) continue;
        uint8_t *live = g->live + (size_t)(i / mr) * g->stride;
        for (int j = from; j < end; j++) {
            live[j] = g->through[j] <= most;
            g->passed[j] |= live[j];
            g->through[j] = INFINITY;
        }
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int block_count(mry_scan_part part)
{
    return (part.rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
}

/* A run of blocks of a part that are left. */
typedef struct run {
    int part, from, to;
} run;

/* Numbers of blocks of a run and of two more on both sides, each for all of them: codes, the last of
   which is the length of what is left over, and how far that is from the next block's. */
typedef struct near_blocks {
    float *codes, *steps, *off;
    size_t stride;
    float shares[5][4], middle[2][4], outer[2][4]; /* of mry_guess_def */
} near_blocks;

static bool near_make(mry_arena *mem, int longest, near_blocks *out)
{
    *out = (near_blocks){ .stride = (size_t)longest + 4 };
    out->codes = MRY_NEW_RAW(mem, float, (3 * CODES + 2) * out->stride);
    if (!out->codes) return false;
    out->steps = out->codes + 3 * CODES * out->stride;
    out->off = out->steps + out->stride;
    for (int r = 0; r < MRY_POSE_BLOCK; r++) {
        const mry_pose_between *of = &mry_pose_guesses[r];
        int first = 2 - of->first;
        for (int m = 0; m < 4; m++) out->shares[first + m][r] = of->shares[m];
        out->middle[first][r] = of->shares[1] * of->shares[2];
        out->outer[first][r] = of->shares[0] * of->shares[3];
    }
    return true;
}

/* Puts the rows of a run into a grid, as codes; `blocks` has those of blocks, `widths` their rests
   and steps, and `near` is room for the run's. */
static void guess_rows(const grid *blocks, float *const widths[2], mry_scan_part part, int first,
                       run of, const near_blocks *near, grid *g)
{
    int nr = g->query->kernel->nr, own = block_count(part), count = of.to - of.from + 4;
    int here = part.block - first + of.from, last = g->panel_count - 1;
    for (int b = 0; b < count; b++) {
        int in = of.from - 2 + b;
        int at = part.block - first + (in < 0 ? 0 : in >= own ? own - 1 : in);
        const float *panel = blocks->panels + (size_t)(at / nr) * 4 * CODES * (size_t)nr + at % nr;
        for (int n = 0; n < 3 * CODES; n++)
            near->codes[(size_t)n * near->stride + (size_t)b] =
                panel[(n < 2 * CODES ? n : n + CODES) * nr];
        near->steps[b] = in < 0 ? 0 : widths[1][at] * widths[1][at];
        near->off[b] = 4 * ROUNDING * blocks->sizes[at];
    }
    for (int n = 0; n < 3 * CODES - 1; n++) {
        const float *codes = near->codes + (size_t)n * near->stride;
        for (int b = 0; b + 1 < count; b++)
            near->steps[b] -= (codes[b] - codes[b + 1]) * (codes[b] - codes[b + 1]);
    }
    for (int b = 0; b < count; b++) near->steps[b] = near->steps[b] > 0 ? sqrtf(near->steps[b]) : 0;
    memset(g->panels + (size_t)last * 4 * CODES * (size_t)nr, 0, 16 * CODES * (size_t)nr);
    mry_guess_def def = { .complex = CODES,
                          .blocks = count - 4,
                          .numbers = near->codes,
                          .stride = near->stride,
                          .steps = near->steps,
                          .shares = near->shares[0],
                          .middle = near->middle[0],
                          .outer = near->outer[0],
                          .sizes = near->off + 2,
                          .panels = g->panels,
                          .row_sizes = g->sizes };
    g->query->kernel->guess(&def);
    for (int j = 0; j < g->panel_count * nr; j++)
        g->radii[j] = j < g->cols ? widths[0][here + j / MRY_POSE_BLOCK] : 0;
    fill(g->sizes + g->cols, g->panel_count * nr - g->cols, FAR);
}

/* As sum_blocks, of rows, with all that alignments may do; `live` says of the first block and those
   behind it with which rows of the query they may be passed (`each` bytes for mr of these). `states`
   is room for stays + 1 rows. */
static bool sum_rows(const grid *g, const uint8_t *live, size_t each, float most, float *states)
{
    const mry_scan_query *q = g->query;
    int nr = q->kernel->nr, mr = q->kernel->mr, width = g->panel_count * nr;
    fill(states, (q->steps.stays + 1) * (int)g->stride, INFINITY);
    memset(g->wanted, 1, (size_t)g->panel_count);
    for (int row = 0; row < q->rows; row += mr) {
        int end = row + mr < q->rows ? row + mr : q->rows;
        for (int p = 0; p < g->panel_count; p++) {
            g->wanted[p] &= mry_scan_is_live(
                live + (size_t)(row / mr) * each, p * nr / MRY_POSE_BLOCK,
                (g->cols + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK, nr / MRY_POSE_BLOCK);
            if (g->wanted[p]) bound_panel(g, q->code_sizes, row, p, 0);
            for (int i = row; i < end && !g->wanted[p]; i++)
                fill(costs_of(g, i) + p * nr, nr, INFINITY);
        }
        for (int i = row; i < end; i++) {
            fill(sums_of(g, i) - FRONT, FRONT, INFINITY);
            fill(costs_of(g, i) + width, FRONT, INFINITY);
            if (i == 0) {
                memcpy(states, costs_of(g, 0), (size_t)width * sizeof *states);
                memcpy(sums_of(g, 0), costs_of(g, 0), (size_t)width * sizeof *states);
                continue;
            }
            mry_warp_def warp = { .sums = states,
                                  .sums_stride = g->stride,
                                  .most = q->steps.most,
                                  .stays = q->steps.stays,
                                  .before = sums_of(g, i - 1),
                                  .best = sums_of(g, i) };
            q->kernel->warp(costs_of(g, i), &warp, width);
        }
        if (!mry_scan_give_up(q->kernel, sums_of(g, end - 1), width,
                              (q->steps.most * mr + nr - 1) / nr, most, g->wanted))
            return false;
    }
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Runs of columns of a part that are passed, with gaps of at most `gap`, as stretches of at least
   `shortest` rows. False: out of memory. */
static bool add_stretches(mry_arena *mem, const grid *g, int part, int first, int gap, int shortest,
                          mry_stretches *out)
{
    int mr = g->query->kernel->mr, rows = (g->query->rows + mr - 1) / mr;
    for (int from = 0, to; from < g->cols; from = to) {
        to = from + 1;
        if (!g->passed[from]) continue;
        for (int j = to; j < g->cols && j <= to + gap; j++) {
            if (g->passed[j]) to = j + 1;
        }
        if (to - from < shortest) continue;
        size_t cols = (size_t)(to - from);
        uint8_t *live = MRY_NEW_RAW(mem, uint8_t, (size_t)rows * cols);
        if (!live) return false;
        for (int i = 0; i < rows; i++)
            memcpy(live + (size_t)i * cols, g->live + (size_t)i * g->stride + from, cols);
        out->items[out->count++] = (mry_stretch){ part, first + from, first + to, live };
    }
    return true;
}

/* Runs of blocks that are left of the parts; the longest run's length, 0 without any. */
static int find_runs(const grid *g, const mry_scan_part *parts, int count, int first, float most,
                     run *runs, int *run_count)
{
    int longest = 0;
    *run_count = 0;
    for (int i = 0; i < count; i++) {
        int from = parts[i].block - first, end = from + block_count(parts[i]);
        if (!pass_back(g, from, end, 1, most)) continue;
        for (int b = from, to; b < end; b = to) {
            for (to = b; to < end && g->passed[to];) to++;
            if (to > b) runs[(*run_count)++] = (run){ i, b - from, to - from };
            if (to - b > longest) longest = to - b;
            if (to == b) to++;
        }
    }
    return longest;
}

bool mry_scan_rule_out(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                       const mry_scan_part *parts, int count, float cutoff, const uint32_t *ends,
                       mry_stretches *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int nr = shelf->kernel->nr, run_count = 0;
    int shortest = (query->rows - 1) / (query->steps.stays + 1) + 1;
    int first = count ? parts[0].block / nr * nr : 0;
    int cols = count ? parts[count - 1].block + block_count(parts[count - 1]) - first : 0;
    float most = mry_scan_most(query, cutoff);
    bool any = !ends;
    for (int b = first; b < first + cols && !any; b++) any = is_end(ends, b);
    if (!any) count = cols = 0;
    grid blocks = { 0 }, rows = { 0 };
    float *states = NULL, *widths[2] = { NULL, NULL };
    near_blocks near = { 0 };
    out->count = 0;
    out->items = MRY_NEW_RAW(mem, mry_stretch, MRY_POSE_BLOCK * cols + 1);
    run *runs = MRY_NEW_RAW(&tmp, run, cols + 1);
    bool fits = out->items && runs;
    /* A long query and a long clip: measured whole, which takes no more memory than a row. */
    if (fits && (double)query->rows * cols > MOST_SUMS) {
        for (int i = 0; i < count; i++)
            if (parts[i].rows >= shortest)
                out->items[out->count++] = (mry_stretch){ i, 0, parts[i].rows, NULL };
    } else if (fits && count > 0) {
        int longest = 0;
        fits = grid_make(&tmp, query, cols, &blocks);
        if (fits && ends) code_before(ends, first, &blocks);
        fits = fits && code_blocks(&tmp, shelf, first, &blocks);
        if (fits && sum_blocks(&blocks, most))
            longest = find_runs(&blocks, parts, count, first, most, runs, &run_count);
        double cells = (double)query->rows * MRY_POSE_BLOCK * longest;
        if (cells > MOST_SUMS) longest = (int)(MOST_SUMS / query->rows / MRY_POSE_BLOCK);
        if (fits && run_count > 0) {
            widths[0] = MRY_NEW_RAW(&tmp, float, blocks.stride);
            widths[1] = MRY_NEW_RAW(&tmp, float, blocks.stride);
            fits = widths[0] && widths[1] && near_make(&tmp, longest, &near) &&
                   grid_make(&tmp, query, MRY_POSE_BLOCK * longest, &rows);
            states = fits ? MRY_NEW_RAW(&tmp, float, (size_t)(query->steps.stays + 1) * rows.stride)
                          : NULL;
            fits = fits && states;
        }
        for (int i = 0, p = 0; i < run_count && fits; i++) {
            int from = parts[runs[i].part].block - first + runs[i].from;
            int end = from + runs[i].to - runs[i].from + 2; /* and those that it is guessed from */
            if (p < (from - 2) / nr) p = (from - 2) / nr;
            for (; p * nr < end && p < blocks.panel_count; p++) {
                find_widths(query, shelf, first + p * nr, RESTS, widths[0] + p * nr);
                find_widths(query, shelf, first + p * nr, STEPS, widths[1] + p * nr);
            }
        }
        for (int i = 0; i < run_count && fits; i++) {
            mry_scan_part part = parts[runs[i].part];
            int start = runs[i].from * MRY_POSE_BLOCK, end = runs[i].to * MRY_POSE_BLOCK;
            if (end > part.rows) end = part.rows;
            if (end - start < shortest) continue;
            if (runs[i].to - runs[i].from > longest) {
                out->items[out->count++] = (mry_stretch){ runs[i].part, start, end, NULL };
                continue;
            }
            rows.cols = end - start;
            rows.panel_count = (rows.cols + nr - 1) / nr;
            guess_rows(&blocks, widths, part, first, runs[i], &near, &rows);
            const uint8_t *live = blocks.live + (part.block - first + runs[i].from);
            if (sum_rows(&rows, live, blocks.stride, most, states) &&
                pass_back(&rows, 0, rows.cols, query->steps.most, most))
                fits = add_stretches(mem, &rows, runs[i].part, start, query->steps.most - 1,
                                     shortest, out);
        }
    }
    mry_arena_free(&tmp);
    return fits;
}
