/* card_plain.c - what a card does, cell by cell in plain C. The operations and their order are
   those of kernel_body.h with fused products, so distances have the same bits as these kernels'. */
#include "card_plain.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mry_card {
    bool off;
};

struct mry_card_clip {
    mry_card_points points; /* its arrays are in one block behind it */
};

struct mry_card_codes {
    mry_card_codes_def def;
};

static mry_card_result open_as(bool off, mry_card **out, char *text, size_t room)
{
    mry_card *card = malloc(sizeof *card);
    if (!card) {
        snprintf(text, room, "out of memory");
        return MRY_CARD_NO_MEMORY;
    }
    card->off = off;
    *out = card;
    return MRY_CARD_OK;
}

static mry_card_result open_plain(mry_card **out, char *text, size_t room)
{
    return open_as(false, out, text, room);
}

static mry_card_result open_off(mry_card **out, char *text, size_t room)
{
    return open_as(true, out, text, room);
}

static void close_plain(mry_card *card)
{
    free(card);
}

static const char *describe(const mry_card *card)
{
    return card->off ? "plain C that is off" : "plain C";
}

static mry_card_result put_clip(mry_card *card, const mry_card_points *points, mry_card_clip **out)
{
    (void)card;
    size_t rows = (size_t)points->rows, frames = rows + MRY_CARD_WINDOW - 1;
    size_t joints = (size_t)points->joints, plane = joints * frames;
    if (points->joints < 1 || points->rows < 1) return MRY_CARD_TOO_LARGE;
    mry_card_clip *clip = malloc(sizeof *clip);
    float *to = malloc((3 * plane + (1 + MRY_CARD_PATH) * rows) * sizeof *to);
    if (!clip || !to) {
        free(clip);
        free(to);
        return MRY_CARD_NO_MEMORY;
    }
    clip->points = *points;
    clip->points.x = to;
    clip->points.z = to + plane;
    clip->points.y = to + 2 * plane;
    clip->points.stride = frames;
    clip->points.size = to + 3 * plane;
    clip->points.path = to + 3 * plane + rows;
    clip->points.path_stride = rows;
    for (size_t k = 0; k < joints; k++) {
        memcpy(to + k * frames, points->x + k * points->stride, frames * sizeof *to);
        memcpy(to + plane + k * frames, points->z + k * points->stride, frames * sizeof *to);
        memcpy(to + 2 * plane + k * frames, points->y + k * points->stride, frames * sizeof *to);
    }
    memcpy(to + 3 * plane, points->size, rows * sizeof *to);
    for (size_t q = 0; q < MRY_CARD_PATH; q++)
        memcpy(to + 3 * plane + (q + 1) * rows, points->path + q * points->path_stride,
               rows * sizeof *to);
    *out = clip;
    return MRY_CARD_OK;
}

static void drop_clip(mry_card *card, mry_card_clip *clip)
{
    (void)card;
    if (!clip) return;
    free((void *)(uintptr_t)clip->points.x);
    free(clip);
}

/* ---- distances ------------------------------------------------------------------------------- */

typedef struct product {
    float b, c, y;
} product;

static product multiply(const mry_card_points *a, size_t f, const mry_card_points *b, size_t g)
{
    float sum = 0, xx, height = 0;
    size_t joints = (size_t)a->joints;
    product out;
    for (size_t k = 0; k < joints; k++)
        sum = fmaf(a->x[k * a->stride + f], b->x[k * b->stride + g], sum);
    xx = sum;
    for (size_t k = 0; k < joints; k++)
        sum = fmaf(a->z[k * a->stride + f], b->z[k * b->stride + g], sum);
    out.b = sum;
    sum = fmaf(2, xx, -sum);
    for (size_t k = 0; k < joints; k++) {
        size_t at = k * a->stride + f, to = k * b->stride + g;
        sum = fmaf(-(a->x[at] + a->z[at]), b->x[to] - b->z[to], sum);
    }
    out.c = sum;
    for (size_t k = 0; k < joints; k++)
        height = fmaf(a->y[k * a->stride + f], b->y[k * b->stride + g], height);
    out.y = height;
    return out;
}

#define ALONG(p, n) (((p)[0].n + (p)[1].n) + ((p)[2].n + (p)[3].n)) + (p)[4].n

/* p: the window's products, one after the other. */
static float distance(const mry_card_points *a, int i, const mry_card_points *b, int j,
                      const product *p)
{
    float re = ALONG(p, b), im = ALONG(p, c), y = ALONG(p, y);
    for (size_t q = 0; q < MRY_CARD_PATH; q += 2) {
        const float *from = a->path + q * a->path_stride + i,
                    *to = b->path + q * b->path_stride + j;
        float ax = from[0], az = from[a->path_stride], bx = to[0], bz = to[b->path_stride];
        re = fmaf(ax, bx, re);
        im = fmaf(ax, bz, im);
        re = fmaf(az, bz, re);
        im = fmaf(-az, bx, im);
    }
    float d = fmaf(-2, y + sqrtf(fmaf(re, re, im * im)), a->size[i] + b->size[j]);
    return d > 0 ? d : 0;
}

typedef struct rows_of {
    const mry_card_job *job;
    bool off;
    product *ring;   /* five rows of products */
    float *cells[3]; /* of three rows, with one infinite number on either side */
    int made;        /* rows of products */
} rows_of;

static int cols_of(const mry_card_job *job)
{
    return job->b->points.rows;
}

static bool rows_make(const mry_card *card, const mry_card_job *job, int first, rows_of *out)
{
    size_t cols = (size_t)cols_of(job);
    *out = (rows_of){ .job = job, .off = card->off, .made = first };
    out->ring = malloc(5 * (cols + 4) * sizeof(product));
    float *cells = malloc(3 * (cols + 2) * sizeof *cells);
    if (!out->ring || !cells) {
        free(out->ring);
        free(cells);
        return false;
    }
    for (size_t i = 0; i < 3 * (cols + 2); i++) cells[i] = INFINITY;
    for (size_t r = 0; r < 3; r++) out->cells[r] = cells + r * (cols + 2) + 1;
    return true;
}

static void rows_free(rows_of *of, float *lowest)
{
    free(of->ring);
    free(lowest);
}

/* Distances of a row; those before it were asked for first. */
static void fill_row(rows_of *of, int row, float *to)
{
    const mry_card_points *a = &of->job->a->points, *b = &of->job->b->points;
    size_t cols = (size_t)b->rows, wide = cols + 4;
    for (; of->made < row + MRY_CARD_WINDOW; of->made++)
        for (size_t g = 0; g < wide; g++)
            of->ring[(size_t)(of->made % 5) * wide + g] = multiply(a, (size_t)of->made, b, g);
    for (size_t j = 0; j < cols; j++) {
        product window[MRY_CARD_WINDOW];
        for (size_t s = 0; s < MRY_CARD_WINDOW; s++)
            window[s] = of->ring[((size_t)row + s) % 5 * wide + j + s];
        to[j] = distance(a, row, b, (int)j, window);
        if (of->off) { /* between -1 and 1 times the slack, as it happens */
            uint32_t hash = ((uint32_t)row * 2654435761u) ^ ((uint32_t)j * 2246822519u);
            hash = (hash ^ hash >> 15) * 2654435761u;
            float most = of->job->slack > 0 ? of->job->slack : 1e-5f * to[j];
            to[j] += most * ((float)(hash >> 9) / (float)(1 << 22) - 1);
            if (to[j] < 0) to[j] = 0;
        }
    }
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* As judge_cell of card_kernel.cuh. */
static int judge(float d, float beside, float over, float below, float slack)
{
    float most = d + 2 * slack, least = d - 2 * slack;
    int flags = (d < beside ? MRY_CARD_IN_ROW : 0) | (d < over ? MRY_CARD_IN_COLUMN : 0);
    int sure = (most < beside ? MRY_CARD_IN_ROW : 0) | (most < over ? MRY_CARD_IN_COLUMN : 0);
    int maybe = (least < beside ? MRY_CARD_IN_ROW : 0) | (least < over ? MRY_CARD_IN_COLUMN : 0);
    if (!(least < below) || !maybe) return 0;
    return sure == maybe && most < below ? sure : flags | MRY_CARD_NEAR;
}

static bool fits(const mry_card_job *job)
{
    return job->a->points.joints == job->b->points.joints && job->first >= 0 &&
           job->first % 8 == 0 && job->first < job->end && job->end <= job->a->points.rows;
}

static mry_card_result minima(mry_card *card, const mry_card_job *job, mry_card_cell *cells,
                              int64_t room, int64_t *count)
{
    int cols = cols_of(job), from = job->first > 0 ? job->first - 1 : 0;
    int64_t found = 0;
    rows_of of;
    if (!fits(job)) return MRY_CARD_TOO_LARGE;
    if (!rows_make(card, job, from, &of)) return MRY_CARD_NO_MEMORY;
    float *lowest = of.cells[0] - 1;
    float *up = of.cells[0], *now = of.cells[1], *down = of.cells[2];
    /* `now` waits for the row below it. */
    for (int row = from; row <= job->end; row++) {
        if (row < job->a->points.rows)
            fill_row(&of, row, down);
        else
            for (int j = 0; j < cols; j++) down[j] = INFINITY;
        for (int j = 0; j < cols && row > job->first; j++) {
            float beside = fminf(now[j - 1], now[j + 1]), over = fminf(up[j], down[j]);
            int flags = judge(now[j], beside, over, job->below, job->slack);
            if (!flags) continue;
            if (cells && found < room)
                cells[found] =
                    (mry_card_cell){ row - 1, (uint32_t)j << 3 | (uint32_t)flags, now[j] };
            found++;
        }
        float *old = up;
        up = now;
        now = down;
        down = old;
    }
    rows_free(&of, lowest);
    *count = found;
    return MRY_CARD_OK;
}

static mry_card_result marks(mry_card *card, const mry_card_job *job, uint8_t *map,
                             size_t map_stride)
{
    rows_of of;
    if (!fits(job)) return MRY_CARD_TOO_LARGE;
    if (!rows_make(card, job, job->first, &of)) return MRY_CARD_NO_MEMORY;
    memset(map, 0, (size_t)((job->end - job->first + 7) / 8) * map_stride);
    for (int row = job->first; row < job->end; row++) {
        fill_row(&of, row, of.cells[0]);
        for (int j = 0; j < cols_of(job); j++) {
            if (of.cells[0][j] < job->below + job->slack)
                map[(size_t)((row - job->first) / 8) * map_stride + (size_t)(j / 32)] = 1;
        }
    }
    rows_free(&of, of.cells[0] - 1);
    return MRY_CARD_OK;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static mry_card_result put_codes(mry_card *card, const mry_card_codes_def *def,
                                 mry_card_codes **out)
{
    (void)card;
    if (def->count < 1) return MRY_CARD_TOO_LARGE;
    size_t count = (size_t)def->count, numbers = MRY_CARD_CODE_NUMBERS * count;
    mry_card_codes *codes = malloc(sizeof *codes);
    float *to = malloc((numbers + 2 * count) * sizeof *to);
    if (!codes || !to) {
        free(codes);
        free(to);
        return MRY_CARD_NO_MEMORY;
    }
    memcpy(to, def->numbers, numbers * sizeof *to);
    memcpy(to + numbers, def->size, count * sizeof *to);
    memcpy(to + numbers + count, def->radius, count * sizeof *to);
    codes->def = (mry_card_codes_def){ def->count, to, to + numbers, to + numbers + count };
    *out = codes;
    return MRY_CARD_OK;
}

static void drop_codes(mry_card *card, mry_card_codes *codes)
{
    (void)card;
    if (!codes) return;
    free((void *)(uintptr_t)codes->def.numbers);
    free(codes);
}

static float code_cost(const mry_card_codes_def *codes, size_t j, const mry_card_query *query,
                       size_t row)
{
    const float *q = query->numbers + row * MRY_CARD_CODE_NUMBERS, *number = codes->numbers + j;
    size_t count = (size_t)codes->count;
    float b = 0, c = 0, y = 0;
    for (size_t k = 0; k < MRY_CARD_CODES; k++) {
        float x = number[k * count], z = number[(MRY_CARD_CODES + k) * count];
        b = fmaf(q[k], x, b);
        b = fmaf(q[MRY_CARD_CODES + k], z, b);
        c = fmaf(q[k], z, c);
        c = fmaf(-q[MRY_CARD_CODES + k], x, c);
        y = fmaf(q[2 * MRY_CARD_CODES + k], number[(2 * MRY_CARD_CODES + k) * count], y);
    }
    float square = query->size[row] + query->keep * codes->size[j] - 2 * (y + sqrtf(b * b + c * c));
    float root = sqrtf(square > 0 ? square : 0) - codes->radius[j];
    return root > 0 ? root * root : 0;
}

static mry_card_result ends(mry_card *card, const mry_card_codes *codes,
                            const mry_card_query *query)
{
    (void)card;
    size_t count = (size_t)codes->def.count;
    if (query->rows < 1 || query->most < 0) return MRY_CARD_TOO_LARGE;
    float *sums = malloc(2 * count * sizeof *sums);
    if (!sums) return MRY_CARD_NO_MEMORY;
    float *before = sums, *now = sums + count;
    for (size_t row = 0; row < (size_t)query->rows; row++) {
        for (size_t j = 0; j < count; j++) {
            float least = row ? before[j] : 0;
            for (size_t d = 1; row && d <= (size_t)query->most && d <= j; d++)
                least = fminf(least, before[j - d]);
            now[j] = code_cost(&codes->def, j, query, row) + least;
        }
        float *old = before;
        before = now;
        now = old;
    }
    memset(query->ends, 0, (count + 31) / 32 * sizeof *query->ends);
    for (size_t j = 0; j < count; j++)
        if (before[j] <= query->limit) query->ends[j / 32] |= UINT32_C(1) << (j % 32);
    free(sums);
    return MRY_CARD_OK;
}

static double last_ms(const mry_card *card)
{
    (void)card;
    return 0;
}

static int shapes(const mry_card *card)
{
    (void)card;
    return 1;
}

static void use_shape(mry_card *card, int shape)
{
    (void)card;
    (void)shape;
}

#define MODULE(what, opens)                                                                        \
    {                                                                                              \
        .version = MRY_CARD_VERSION, .bytes = sizeof(mry_card_module), .name = what,               \
        .open = opens, .close = close_plain, .describe = describe, .put_clip = put_clip,           \
        .drop_clip = drop_clip, .minima = minima, .marks = marks, .put_codes = put_codes,          \
        .drop_codes = drop_codes, .ends = ends, .last_ms = last_ms, .shapes = shapes,              \
        .use_shape = use_shape                                                                     \
    }

const mry_card_module mry_card_plain = MODULE("plain", open_plain);
const mry_card_module mry_card_plain_off = MODULE("plain, off", open_off);
