/* points_bound.c - from bounds of three rows by three columns to tiles. */
#include "grid/points_bound.h"

#include <math.h>
#include <string.h>

enum { STRIP = 192, STRIDE = STRIP + 64 };

typedef struct bound {
    const mry_points *a, *b;
    float root_below;
    int first_block, block_rows; /* blocks of the first clip that are looked at */
    uint8_t *may;                /* block_rows x blocks of b: may hold a cell below */
    mry_planes planes;
    float *least; /* the bounds of one panel */
} bound;

static bool take(mry_arena *tmp, bound *of)
{
    size_t plane = MRY_KERNEL_MOST_MR * (size_t)STRIDE;
    float *all = mry_arena_zero(tmp, 4 * plane, sizeof(float));
    of->may = mry_arena_zero(tmp, (size_t)of->block_rows, (size_t)of->b->low->blocks);
    if (!all || !of->may) return false;
    of->planes = (mry_planes){ all, all + plane, all + 2 * plane, STRIDE };
    of->least = all + 3 * plane;
    return true;
}

/* One row of a panel against a strip: lower bound less than (root of the bound + both radii) squared. */
static void compare(const bound *of, int block, int from, int cols, const float *least)
{
    const float *radius = of->b->low->radius + from;
    float reach = of->root_below + of->a->low->radius[block];
    uint8_t *may = of->may + (size_t)(block - of->first_block) * (size_t)of->b->low->blocks + from;
    for (int j = 0; j < cols; j++) {
        float limit = reach + radius[j];
        may[j] = least[j] < limit * limit;
    }
}

static void do_panel(const bound *of, int panel)
{
    const mry_kernel *kernel = of->a->kernel;
    const mry_low *a = of->a->low, *b = of->b->low;
    int mr = kernel->mr, nr = kernel->nr, row = panel * mr;
    for (int from = 0; from < b->blocks; from += STRIP) {
        int cols = b->blocks - from < STRIP ? b->blocks - from : STRIP;
        for (int j = 0; j < cols; j += nr) {
            mry_planes to = { of->planes.b + j, of->planes.c + j, of->planes.y + j, STRIDE };
            kernel->tile(a->first + (size_t)row * 4 * MRY_LOW_K,
                         b->second + (size_t)(from + j) * 4 * MRY_LOW_K, MRY_LOW_K, to);
        }
        mry_cells_def def = { .size_a = a->size + row, .size_b = b->size + from };
        kernel->cells(&def, of->planes, cols, of->least, STRIDE);
        for (int r = 0; r < mr; r++) {
            int block = row + r;
            if (block < of->first_block || block >= of->first_block + of->block_rows) continue;
            compare(of, block, from, cols, of->least + (size_t)r * STRIDE);
        }
    }
}

/* ---- tiles ---------------------------------------------------------------------------------------- */

/* Rows [row, end) of the grid: which tiles of columns may hold a cell. `any` has room for a byte a block of b. */
static void mark_tiles(const bound *of, int row, int end, uint8_t *any, uint8_t *tiles, int count)
{
    int blocks = of->b->low->blocks, nr = of->a->kernel->nr;
    memset(any, 0, (size_t)blocks);
    for (int block = row / MRY_LOW_ROWS; block <= (end - 1) / MRY_LOW_ROWS; block++) {
        const uint8_t *may = of->may + (size_t)(block - of->first_block) * (size_t)blocks;
        for (int j = 0; j < blocks; j++) any[j] |= may[j];
    }
    int per_strip = MRY_POINTS_STRIP_FRAMES / nr;
    for (int t = 0; t < count; t++) {
        int col = t / per_strip * MRY_POINTS_STRIP, from = t % per_strip * nr;
        int to = from + nr < MRY_POINTS_STRIP ? from + nr : MRY_POINTS_STRIP;
        uint8_t mark = 0;
        for (int j = (col + from) / MRY_LOW_ROWS; j <= (col + to - 1) / MRY_LOW_ROWS; j++) {
            if (j < blocks) mark |= any[j];
        }
        tiles[t] = mark;
    }
}

/* A sum along the diagonal takes products of this panel and the one before, of this tile and the next. */
static void mark_products(const mry_need *need, int panels, int tiles, int per_strip)
{
    for (int p = 0; p < panels; p++) {
        const uint8_t *now = need->out + (size_t)p * need->stride;
        const uint8_t *next = now + need->stride; /* one row more than panels: zeros */
        uint8_t *in = need->in + (size_t)p * need->stride;
        for (int t = 0; t < tiles; t++) {
            in[t] = now[t] | next[t];
            if (t % per_strip > 0) in[t] |= now[t - 1] | next[t - 1];
        }
    }
}

static int tiles_of(const mry_points *a, const mry_points *b)
{
    int strips = (b->rows + MRY_POINTS_STRIP - 1) / MRY_POINTS_STRIP;
    return strips * (MRY_POINTS_STRIP_FRAMES / a->kernel->nr);
}

static int panels_of(const mry_points *a, int first, int end)
{
    return (end + MRY_KERNEL_WINDOW - 1 - first + a->kernel->mr - 1) / a->kernel->mr;
}

bool mry_need_make(mry_arena *mem, const mry_points *a, const mry_points *b, int first, int end,
                   mry_need *out)
{
    size_t panels = (size_t)panels_of(a, first, end);
    mry_need need = { .stride = (size_t)tiles_of(a, b) + 2 };
    need.out = mry_arena_zero(mem, panels + 1, need.stride);
    need.in = mry_arena_zero(mem, panels + 1, need.stride);
    if (!need.out || !need.in) return false;
    *out = need;
    return true;
}

void mry_need_mark(const mry_need *need, const mry_points *a, int first, int row, int from, int to)
{
    int nr = a->kernel->nr, per_strip = MRY_POINTS_STRIP_FRAMES / nr;
    int panel = (row - first + MRY_KERNEL_WINDOW - 1) / a->kernel->mr;
    uint8_t *tiles = need->out + (size_t)panel * need->stride;
    while (from < to) {
        int strip = from / MRY_POINTS_STRIP, within = (from - strip * MRY_POINTS_STRIP) / nr;
        int next = strip * MRY_POINTS_STRIP + (within + 1) * nr;
        tiles[strip * per_strip + within] = 1;
        from = next < (strip + 1) * MRY_POINTS_STRIP ? next : (strip + 1) * MRY_POINTS_STRIP;
    }
}

void mry_need_close(const mry_need *need, const mry_points *a, const mry_points *b, int first,
                    int end)
{
    mark_products(need, panels_of(a, first, end), tiles_of(a, b),
                  MRY_POINTS_STRIP_FRAMES / a->kernel->nr);
}

bool mry_bound_find(mry_arena *mem, const mry_points *a, const mry_points *b, float below,
                    int first, int end, mry_need *out)
{
    const int history = MRY_KERNEL_WINDOW - 1, mr = a->kernel->mr;
    int panels = panels_of(a, first, end), tiles = tiles_of(a, b);
    bound of = { .a = a, .b = b, .root_below = sqrtf(below) * (1 + 1e-6f) };
    of.first_block = first / MRY_LOW_ROWS;
    of.block_rows = (end - 1) / MRY_LOW_ROWS - of.first_block + 1;
    mry_need need;
    uint8_t *any = mry_arena_take(mem, (size_t)b->low->blocks, 1);
    if (!any || !mry_need_make(mem, a, b, first, end, &need) || !take(mem, &of)) return false;
    for (int p = of.first_block / mr; p * mr < of.first_block + of.block_rows; p++)
        do_panel(&of, p);
    for (int p = 0; p < panels; p++) {
        int row = first + p * mr - history, behind = row + mr;
        if (row < first) row = first;
        if (behind > end) behind = end;
        if (row < behind) {
            mark_tiles(&of, row, behind, any, need.out + (size_t)p * need.stride, tiles);
        }
    }
    mry_need_close(&need, a, b, first, end);
    *out = need;
    return true;
}
