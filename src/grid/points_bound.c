/* points_bound.c - from bounds of three rows by three columns to tiles. */
#include "grid/points_bound.h"

#include <math.h>
#include <string.h>

enum { STRIP = 192, STRIDE = STRIP + 64 };

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

void mry_need_mark(const mry_need *need, const mry_points *a, int first, int row, int first_col,
                   int end_col)
{
    int nr = a->kernel->nr, per_strip = MRY_POINTS_STRIP_FRAMES / nr;
    int panel = (row - first + MRY_KERNEL_WINDOW - 1) / a->kernel->mr;
    uint8_t *tiles = need->out + (size_t)panel * need->stride;
    while (first_col < end_col) {
        int strip = first_col / MRY_POINTS_STRIP,
            within = (first_col - strip * MRY_POINTS_STRIP) / nr;
        int next = strip * MRY_POINTS_STRIP + (within + 1) * nr;
        tiles[strip * per_strip + within] = 1;
        first_col = next < (strip + 1) * MRY_POINTS_STRIP ? next : (strip + 1) * MRY_POINTS_STRIP;
    }
}

void mry_need_close(const mry_need *need, const mry_points *a, const mry_points *b, int first,
                    int end)
{
    /* A sum along the diagonal takes products of this panel and the one before, of this tile and
       the next. */
    int panels = panels_of(a, first, end), tiles = tiles_of(a, b);
    int per_strip = MRY_POINTS_STRIP_FRAMES / a->kernel->nr;
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

bool mry_bound_find(mry_arena *mem, const mry_points *a, const mry_points *b, float below,
                    int first, int end, mry_need *out)
{
    const mry_kernel *kernel = a->kernel;
    const mry_low *low_a = a->low, *low_b = b->low;
    const int history = MRY_KERNEL_WINDOW - 1, mr = kernel->mr, nr = kernel->nr;
    int panels = panels_of(a, first, end), tiles = tiles_of(a, b);
    int blocks = low_b->blocks, per_strip = MRY_POINTS_STRIP_FRAMES / nr;
    /* Blocks of the first clip that are looked at. */
    int first_block = first / MRY_LOW_ROWS, end_block = (end - 1) / MRY_LOW_ROWS + 1;
    size_t plane = MRY_KERNEL_MOST_MR * (size_t)STRIDE;
    float root_below = sqrtf(below) * (1 + 1e-6f);
    mry_need need;
    uint8_t *any = mry_arena_take(mem, (size_t)blocks, 1); /* of the rows of a panel */
    if (!any || !mry_need_make(mem, a, b, first, end, &need)) return false;
    float *room = mry_arena_zero(mem, 4 * plane, sizeof(float));
    /* Of each block of a and each of b: may it hold a cell below? */
    uint8_t *all_may = mry_arena_zero(mem, (size_t)(end_block - first_block), (size_t)blocks);
    if (!room || !all_may) return false;
    mry_planes planes = { room, room + plane, room + 2 * plane, STRIDE };
    float *bounds = room + 3 * plane; /* of one panel */
    for (int row = first_block / mr * mr; row < end_block; row += mr) {
        for (int from = 0; from < blocks; from += STRIP) {
            int cols = blocks - from < STRIP ? blocks - from : STRIP;
            for (int j = 0; j < cols; j += nr) {
                mry_planes to = { planes.b + j, planes.c + j, planes.y + j, STRIDE };
                kernel->tile(low_a->first + (size_t)row * 4 * MRY_LOW_K,
                             low_b->second + (size_t)(from + j) * 4 * MRY_LOW_K, MRY_LOW_K, to);
            }
            mry_cells_def def = { .size_a = low_a->size + row, .size_b = low_b->size + from };
            kernel->cells(&def, planes, cols, bounds, STRIDE);
            for (int block = row; block < row + mr; block++) {
                if (block < first_block || block >= end_block) continue;
                /* Lower bound less than (root of the bound + both radii) squared. */
                const float *least = bounds + (size_t)(block - row) * STRIDE;
                const float *radius = low_b->radius + from;
                float reach = root_below + low_a->radius[block];
                uint8_t *may = all_may + (size_t)(block - first_block) * (size_t)blocks + from;
                for (int j = 0; j < cols; j++) {
                    float limit = reach + radius[j];
                    may[j] = least[j] < limit * limit;
                }
            }
        }
    }
    for (int p = 0; p < panels; p++) {
        int row = first + p * mr - history, behind = row + mr;
        if (row < first) row = first;
        if (behind > end) behind = end;
        if (row >= behind) continue;
        /* Which tiles of columns may hold a cell in rows [row, behind) of the grid. */
        memset(any, 0, (size_t)blocks);
        for (int block = row / MRY_LOW_ROWS; block <= (behind - 1) / MRY_LOW_ROWS; block++) {
            const uint8_t *may = all_may + (size_t)(block - first_block) * (size_t)blocks;
            for (int j = 0; j < blocks; j++) any[j] |= may[j];
        }
        for (int t = 0; t < tiles; t++) {
            int col = t / per_strip * MRY_POINTS_STRIP, from = t % per_strip * nr;
            int to = from + nr < MRY_POINTS_STRIP ? from + nr : MRY_POINTS_STRIP;
            uint8_t mark = 0;
            for (int j = (col + from) / MRY_LOW_ROWS; j <= (col + to - 1) / MRY_LOW_ROWS; j++) {
                if (j < blocks) mark |= any[j];
            }
            need.out[(size_t)p * need.stride + (size_t)t] = mark;
        }
    }
    mry_need_close(&need, a, b, first, end);
    *out = need;
    return true;
}
