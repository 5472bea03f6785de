/* points_card.c - the processor's side of grids on a graphics card: what goes there and what comes
   back. Cells that the card is not sure of are computed here by the kernel of the table, so that a
   decision is the same with a card and without. */
#include "grid/points_card.h"

#include "base/fail.h"
#include "grid/points_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY = MRY_KERNEL_WINDOW - 1, AROUND = 3 + HISTORY, LOCAL = 192, SIDE = 64 };

/* ---- there ----------------------------------------------------------------------------------- */

bool mry_card_pack(mry_arena *mem, const mry_points *points, mry_card_points *out)
{
    int k = points->k, mr = points->kernel->mr, frames = points->packed;
    size_t plane = (size_t)k * (size_t)frames;
    float *to = mry_arena_take(mem, 3 * plane, sizeof(float));
    if (!to) return false;
    for (int f = 0; f < frames; f++) {
        const float *from = points->first + (size_t)(f / mr) * 4 * (size_t)k * (size_t)mr + f % mr;
        size_t part = (size_t)k * (size_t)mr;
        for (int p = 0; p < k; p++) {
            const float *at = from + (size_t)p * (size_t)mr;
            float *slot = to + (size_t)p * (size_t)frames + f;
            slot[0] = at[0];
            slot[plane] = at[part];
            slot[2 * plane] = at[3 * part];
        }
    }
    *out = (mry_card_points){ .rows = points->rows,
                              .joints = k,
                              .x = to,
                              .z = to + plane,
                              .y = to + 2 * plane,
                              .stride = (size_t)frames,
                              .size = points->size,
                              .path = points->path,
                              .path_stride = points->path_stride };
    return true;
}

/* A clip on the card; the second is the first where they are the same. */
typedef struct pair {
    mry_card_hold *hold;
    mry_card_clip *a, *b;
} pair;

static void drop_pair(const pair *of)
{
    if (of->b != of->a) of->hold->module->drop_clip(of->hold->card, of->b);
    of->hold->module->drop_clip(of->hold->card, of->a);
}

static bool put_pair(marey_ctx *ctx, mry_card_hold *hold, const mry_points *a, const mry_points *b,
                     pair *out)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_card_points packed;
    pair of = { .hold = hold };
    bool put = mry_card_pack(&tmp, a, &packed) &&
               mry_card_did(hold, hold->module->put_clip(hold->card, &packed, &of.a));
    if (put && a == b) {
        of.b = of.a;
    } else if (put) {
        put = mry_card_pack(&tmp, b, &packed) &&
              mry_card_did(hold, hold->module->put_clip(hold->card, &packed, &of.b));
        if (!put) hold->module->drop_clip(hold->card, of.a);
    }
    mry_arena_free(&tmp);
    if (put) *out = of;
    return put;
}

/* ---- a few cells by the processor ------------------------------------------------------------ */

size_t mry_points_patch_room(const mry_points *a)
{
    size_t tile = 3 * MRY_KERNEL_MOST_MR * MRY_KERNEL_MOST_NR;
    size_t rows = (size_t)a->kernel->mr + HISTORY;
    return tile + 3 * (rows + 2) * LOCAL + MRY_KERNEL_MOST_MR * LOCAL;
}

void mry_points_patch(const mry_points *a, const mry_points *b, int i, int j, float *room,
                      float out[9])
{
    const mry_kernel *kernel = a->kernel;
    int mr = kernel->mr, nr = kernel->nr, k = a->k;
    size_t tile_plane = MRY_KERNEL_MOST_MR * MRY_KERNEL_MOST_NR;
    size_t plane = ((size_t)mr + HISTORY + 2) * LOCAL;
    mry_planes tile = { room, room + tile_plane, room + 2 * tile_plane, MRY_KERNEL_MOST_NR };
    float *local = room + 3 * tile_plane + SIDE, *cells = room + 3 * tile_plane + 3 * plane;
    mry_planes planes = { local, local + plane, local + 2 * plane, LOCAL };
    memset(room + 3 * tile_plane, 0, 3 * plane * sizeof *room);
    /* Products of seven frames by seven, from the tiles of the panels that they lie in. */
    int rows_end = i + 2 < a->rows ? i + 2 + HISTORY : a->rows + HISTORY;
    int cols_end = j + 2 < b->rows ? j + 2 + HISTORY : b->rows + HISTORY;
    for (int f = i > 0 ? i - 1 : 0; f < rows_end; f = (f / mr + 1) * mr) {
        for (int g = j > 0 ? j - 1 : 0, next; g < cols_end; g = next) {
            int strip = g / MRY_POINTS_STRIP, at = g % MRY_POINTS_STRIP;
            int first = strip * MRY_POINTS_STRIP_FRAMES + at / nr * nr;
            next = strip * MRY_POINTS_STRIP + (at / nr + 1) * nr;
            if (next > (strip + 1) * MRY_POINTS_STRIP) next = (strip + 1) * MRY_POINTS_STRIP;
            kernel->tile(a->first + (size_t)(f / mr * mr) * 4 * (size_t)k,
                         b->second + (size_t)first * 4 * (size_t)k, k, tile);
            for (int r = f; r < rows_end && r < (f / mr + 1) * mr; r++) {
                for (int c = g; c < cols_end && c < next; c++) {
                    size_t from = (size_t)(r % mr) * tile.stride + (size_t)(at % nr + (c - g));
                    size_t to = (size_t)(r - i + 1) * LOCAL + (size_t)(c - j + 1);
                    planes.b[to] = tile.b[from];
                    planes.c[to] = tile.c[from];
                    planes.y[to] = tile.y[from];
                }
            }
        }
    }
    kernel->diagonals(planes, 3);
    mry_cells_def def = { .size_a = a->size + i - 1,
                          .size_b = b->size + j - 1,
                          .path_a = a->path + i - 1,
                          .path_a_stride = a->path_stride,
                          .path_b = b->path + j - 1,
                          .path_b_stride = b->path_stride };
    kernel->cells(&def, planes, 3, cells, LOCAL);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int row = i - 1 + r, col = j - 1 + c;
            bool inside = row >= 0 && row < a->rows && col >= 0 && col < b->rows;
            out[3 * r + c] = inside ? cells[r * LOCAL + c] : INFINITY;
        }
    }
}

/* ---- is it the same? ------------------------------------------------------------------------- */

static float most_size(const mry_points *points)
{
    float most = 0;
    for (int i = 0; i < points->rows; i++) most = fmaxf(most, points->size[i]);
    return most;
}

/* The first cells of a grid, all of whose minima the card gives with their values: they are the
   processor's, bit by bit, or not. */
static int compare_bits(marey_ctx *ctx, mry_card_hold *hold, const pair *of, const mry_points *a,
                        const mry_points *b)
{
    enum { MOST = 4096 };
    mry_arena tmp = mry_arena_make(ctx);
    mry_card_cell *cells = MRY_NEW_RAW(&tmp, mry_card_cell, MOST);
    float *room = mry_arena_zero(&tmp, mry_points_patch_room(a), sizeof(float)), near[9];
    int64_t count = 0;
    int bits = 0;
    mry_card_job job = {
        .a = of->a, .b = of->b, .end = a->rows < 64 ? a->rows : 64, .below = INFINITY
    };
    if (cells && room &&
        mry_card_did(hold, hold->module->minima(hold->card, &job, cells, MOST, &count)) &&
        count > 0) {
        bits = 1;
        for (int64_t n = 0; n < count && n < MOST; n++) {
            mry_points_patch(a, b, cells[n].row, (int)(cells[n].col_flags >> 3), room, near);
            if (memcmp(&near[4], &cells[n].value, sizeof(float)) != 0) bits = 2;
        }
    }
    mry_arena_free(&tmp);
    return bits;
}

static float slack_of(marey_ctx *ctx, mry_card_hold *hold, const pair *of, const mry_points *a,
                      const mry_points *b)
{
    int bits = hold->bits;
    if (bits == 0) hold->bits = bits = compare_bits(ctx, hold, of, a, b);
    if (bits == 1) return 0;
    return MRY_CARD_SLACK(a->k) * (most_size(a) + most_size(b));
}

float mry_card_slack(marey_ctx *ctx, mry_card_hold *hold, const mry_points *a, const mry_points *b)
{
    pair of;
    if (!put_pair(ctx, hold, a, b, &of)) return INFINITY;
    float slack = slack_of(ctx, hold, &of, a, b);
    drop_pair(&of);
    return slack;
}

/* ---- minima ---------------------------------------------------------------------------------- */

enum { SETTLED = 1024, FIRST_ROOM = 1 << 18, MOST_ROOM = 1 << 24 };

typedef struct found {
    marey_ctx *ctx;
    const mry_points *a, *b;
    float below;
    mry_card_cell *cells;
    int64_t count;
    atomic_bool failed;
} found;

/* Cells that are near are decided as the processor does; flags of 0 say that it is none. */
static void settle(void *user, int64_t part)
{
    found *all = user;
    mry_arena tmp = mry_arena_make(all->ctx);
    float *room = NULL, near[9];
    int64_t end = (part + 1) * SETTLED < all->count ? (part + 1) * SETTLED : all->count;
    for (int64_t n = part * SETTLED; n < end; n++) {
        mry_card_cell *cell = &all->cells[n];
        if (!(cell->col_flags & MRY_CARD_NEAR)) continue;
        if (!room) room = mry_arena_zero(&tmp, mry_points_patch_room(all->a), sizeof(float));
        if (!room) {
            all->failed = true;
            break;
        }
        mry_points_patch(all->a, all->b, cell->row, (int)(cell->col_flags >> 3), room, near);
        float d = near[4];
        uint32_t flags = 0;
        if (d < all->below) {
            if (d < near[3] && d < near[5]) flags |= MRY_CARD_IN_ROW;
            if (d < near[1] && d < near[7]) flags |= MRY_CARD_IN_COLUMN;
        }
        cell->value = d;
        cell->col_flags = (cell->col_flags & ~(uint32_t)7) | flags;
    }
    mry_arena_free(&tmp);
}

static int by_place(const void *left, const void *right)
{
    const marey_minimum *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

/* In the order of rows, then columns. */
static bool hand_on(const found *all, int first, int end, const marey_minima_def *def)
{
    mry_arena tmp = mry_arena_make(all->ctx);
    int64_t *at = MRY_NEW(&tmp, int64_t, end - first + 1), kept = 0;
    marey_minimum *sorted = MRY_NEW_RAW(&tmp, marey_minimum, all->count + 1);
    bool fits = at && sorted;
    for (int64_t n = 0; fits && n < all->count; n++)
        if (all->cells[n].col_flags & 3) at[all->cells[n].row - first + 1]++;
    for (int r = 0; fits && r < end - first; r++) at[r + 1] += at[r];
    for (int64_t n = 0; fits && n < all->count; n++) {
        const mry_card_cell *cell = &all->cells[n];
        if (!(cell->col_flags & 3)) continue;
        sorted[at[cell->row - first]++] =
            (marey_minimum){ cell->row, (int)(cell->col_flags >> 3), cell->value,
                             (int)(cell->col_flags & 3) };
        kept++;
    }
    for (int r = 0; fits && r < end - first; r++) { /* at[r] is now where row r ends */
        int64_t from = r > 0 ? at[r - 1] : 0;
        qsort(sorted + from, (size_t)(at[r] - from), sizeof *sorted, by_place);
    }
    if (fits && kept > 0) def->found(def->user, sorted, (int)kept);
    mry_arena_free(&tmp);
    return fits;
}

marey_status mry_card_minima(marey_ctx *ctx, mry_card_hold *hold, const mry_points *a,
                             const mry_points *b, const marey_minima_def *def, bool *done,
                             marey_error *error)
{
    pair of;
    found all = { .ctx = ctx, .a = a, .b = b, .below = def->below > 0 ? def->below : INFINITY };
    int64_t room = FIRST_ROOM;
    *done = false;
    if (!put_pair(ctx, hold, a, b, &of)) return MAREY_OK;
    float slack = slack_of(ctx, hold, &of, a, b);
    all.cells = mry_alloc(ctx, (size_t)room * sizeof *all.cells);
    /* So many rows at once that their minima fit; fewer if they did not. */
    int64_t rows = (((int64_t)1 << 30) / b->rows + 8) / 8 * 8;
    bool works = all.cells != NULL && !hold->given_up, fits = true;
    for (int first = 0; works && fits && first < a->rows;) {
        mry_card_job job = { .a = of.a,
                             .b = of.b,
                             .first = first,
                             .end = (int)(a->rows - first < rows ? a->rows : first + rows),
                             .below = all.below,
                             .slack = slack };
        if (mry_cancelled(ctx)) break;
        works =
            mry_card_did(hold, hold->module->minima(hold->card, &job, all.cells, room, &all.count));
        if (!works) break;
        if (all.count > room && room < MOST_ROOM) {
            int64_t more = all.count + all.count / 4;
            if (more > MOST_ROOM) more = MOST_ROOM;
            mry_release(ctx, all.cells, (size_t)room * sizeof *all.cells);
            room = more;
            all.cells = mry_alloc(ctx, (size_t)room * sizeof *all.cells);
            works = all.cells != NULL;
            if (works && all.count <= room) continue;
        }
        if (works && all.count > room) {
            rows = (job.end - first) / 2 / 8 * 8;
            works = rows > 0;
            continue;
        }
        if (!works) break;
        marey_ctx_run(ctx, (all.count + SETTLED - 1) / SETTLED, settle, &all);
        fits = !all.failed && hand_on(&all, first, job.end, def);
        *done = true;
        first = job.end;
        if (!mry_progress(ctx, "comparing frames", first, a->rows)) break;
    }
    mry_release(ctx, all.cells, all.cells ? (size_t)room * sizeof *all.cells : 0);
    drop_pair(&of);
    if (mry_cancelled(ctx)) {
        *done = true;
        return mry_fail_cancelled(error);
    }
    /* A card that fails in the middle: what was found was handed out already, so the
       processor may not begin anew. */
    if (*done && !works)
        return mry_fail(error, MAREY_ERR_MEMORY, NULL,
                        "the graphics card failed in the middle; try again with MAREY_CARD=none");
    return fits ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- marks ----------------------------------------------------------------------------------- */

const mry_card_marks *mry_card_mark(mry_arena *mem, const mry_points *a, const mry_points *b,
                                    float below, bool upper)
{
    marey_ctx *ctx = mem->ctx;
    if (!a->fused || !isfinite(below)) return NULL;
    mry_card_hold *hold = mry_card_for(ctx, (int64_t)a->rows * b->rows);
    pair of;
    if (!hold || !put_pair(ctx, hold, a, b, &of)) return NULL;
    size_t stride = ((size_t)b->rows + 31) / 32;
    uint8_t *map = mry_arena_take(mem, ((size_t)a->rows + 7) / 8, stride);
    mry_card_marks *marks = MRY_NEW(mem, mry_card_marks, 1);
    mry_card_job job = { .a = of.a,
                         .b = of.b,
                         .end = a->rows,
                         .below = below,
                         .slack = slack_of(ctx, hold, &of, a, b),
                         .upper = upper };
    bool made = map && marks && !hold->given_up &&
                mry_card_did(hold, hold->module->marks(hold->card, &job, map, stride));
    drop_pair(&of);
    if (!made) return NULL;
    *marks = (mry_card_marks){ a->rows, b->rows, stride, map };
    return marks;
}

bool mry_card_need(mry_arena *mem, const mry_card_marks *marks, const mry_points *a,
                   const mry_points *b, int first, int end, mry_need *out)
{
    int mr = a->kernel->mr;
    if (!mry_need_make(mem, a, b, first, end, out)) return false;
    for (int row = first / 8 * 8; row < end; row += 8) {
        const uint8_t *map = marks->map + (size_t)(row / 8) * marks->stride;
        int from = row > first ? row : first, to = row + 8 < end ? row + 8 : end;
        for (int col = 0, behind; col < marks->cols; col = behind) {
            int block = col / 32;
            behind = (block + 1) * 32 < marks->cols ? (block + 1) * 32 : marks->cols;
            if (!map[block]) continue;
            while (behind < marks->cols && map[behind / 32]) {
                behind = behind + 32 < marks->cols ? behind + 32 : marks->cols;
            }
            /* Once for each panel of the rows. */
            for (int r = from; r < to; r++) {
                if (r > from && (r - first + HISTORY) % mr != 0) continue;
                mry_need_mark(out, a, first, r, col, behind);
            }
        }
    }
    mry_need_close(out, a, b, first, end);
    return true;
}
