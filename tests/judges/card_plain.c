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

struct mry_card_shelf {
    mry_card_shelf_def def; /* its arrays are its own */
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

/* ---- bounds of a search ---------------------------------------------------------------------- */

static size_t tile_bytes(const mry_card_shelf_def *def)
{
    return 12 * (size_t)def->points * (size_t)def->wide;
}

static mry_card_result put_shelf(mry_card *card, const mry_card_shelf_def *def,
                                 mry_card_shelf **out)
{
    (void)card;
    if (def->blocks < 1 || def->points < 1 || def->points > MRY_CARD_MOST_POINTS)
        return MRY_CARD_TOO_LARGE;
    size_t bytes = ((size_t)(def->blocks - 1) / (size_t)def->wide + 1) * tile_bytes(def);
    mry_card_shelf *shelf = malloc(sizeof *shelf);
    uint8_t *tiles = malloc(bytes);
    float *units = malloc((size_t)def->blocks * sizeof *units);
    if (!shelf || !tiles || !units) {
        free(shelf);
        free(tiles);
        free(units);
        return MRY_CARD_NO_MEMORY;
    }
    memcpy(tiles, def->tiles, bytes);
    memcpy(units, def->units, (size_t)def->blocks * sizeof *units);
    shelf->def = *def;
    shelf->def.tiles = tiles;
    shelf->def.units = units;
    *out = shelf;
    return MRY_CARD_OK;
}

static void drop_shelf(mry_card *card, mry_card_shelf *shelf)
{
    (void)card;
    if (!shelf) return;
    free((void *)(uintptr_t)shelf->def.tiles);
    free((void *)(uintptr_t)shelf->def.units);
    free(shelf);
}

/* Of a block: places and speeds in cm, (x, z, y) of each; how far it reaches. In doubles: a card's floats are
   near that. */
static double block_values(const mry_card_shelf_def *def, const mry_card_query *query, int block,
                           double *values)
{
    int points = def->points, wide = def->wide, at = block % wide;
    const uint8_t *tile = def->tiles + (size_t)(block / wide) * tile_bytes(def);
    double unit = (double)def->units[block], reach = 0;
    for (int i = 0; i < 3 * points; i++) {
        int16_t place;
        memcpy(&place, tile + 2 * (i * wide + at), sizeof place);
        double root = (int8_t)tile[6 * points * wide + i * wide + at];
        values[i] = unit * place * (double)query->place;
        values[3 * points + i] = unit * root * fabs(root) * (double)query->speed;
    }
    for (int i = 0; i < points; i++) {
        double root = tile[9 * points * wide + i * wide + at];
        double width = root == 255 ? 1e15 : root * root * (double)query->radius;
        reach += (double)query->weights[i] * width * width;
    }
    return unit * sqrt(reach);
}

typedef struct code {
    double numbers[MRY_CARD_CODE_NUMBERS], size, radius;
} code;

static void code_of(const mry_card_shelf_def *def, const mry_card_query *query, int block,
                    double *values, code *out)
{
    int points = def->points;
    double mean[3] = { 0 }, left;
    *out = (code){ .radius = block_values(def, query, block, values) };
    for (int i = 0; i < 2 * points; i++) {
        const float *of = query->basis + (size_t)i * MRY_CARD_CODE_NUMBERS;
        const double *at = values + 3 * i;
        double weight = (double)query->weights[i % points];
        for (int k = 0; k < MRY_CARD_CODES; k++) {
            double x = (double)of[k], z = (double)of[MRY_CARD_CODES + k];
            out->numbers[k] += x * at[0] + z * at[1];
            out->numbers[MRY_CARD_CODES + k] += x * at[1] - z * at[0];
            out->numbers[2 * MRY_CARD_CODES + k] += (double)of[2 * MRY_CARD_CODES + k] * at[2];
        }
        for (int a = 0; a < 3; a++) {
            out->size += weight * at[a] * at[a];
            mean[a] += i < points ? weight * at[a] : 0;
        }
    }
    for (int a = 0; a < 3; a++) out->size -= mean[a] * mean[a];
    left = out->size * (1 + (double)query->rounding);
    for (int k = 0; k < MRY_CARD_CODE_NUMBERS - 1; k++) left -= out->numbers[k] * out->numbers[k];
    out->numbers[MRY_CARD_CODE_NUMBERS - 1] = sqrt(fmax(left, 0));
    if (def->units[block] == 0) out->size = 1e30;
}

static double cost_of(const mry_card_query *query, int row, const code *of)
{
    const float *q = query->numbers + (size_t)row * MRY_CARD_CODE_NUMBERS;
    double b = 0, c = 0, y = 0;
    for (int k = 0; k < MRY_CARD_CODES; k++) {
        double x = of->numbers[k], z = of->numbers[MRY_CARD_CODES + k];
        b += (double)q[k] * x + (double)q[MRY_CARD_CODES + k] * z;
        c += (double)q[k] * z - (double)q[MRY_CARD_CODES + k] * x;
        y += (double)q[2 * MRY_CARD_CODES + k] * of->numbers[2 * MRY_CARD_CODES + k];
    }
    double square =
        (double)query->size[row] + (double)query->keep * of->size - 2 * (y + hypot(b, c));
    double root = (double)query->off * sqrt(fmax(square, 0)) - of->radius;
    return root > 0 ? root * root : 0;
}

static mry_card_result ends(mry_card *card, const mry_card_shelf *shelf,
                            const mry_card_query *query)
{
    (void)card;
    const mry_card_shelf_def *def = &shelf->def;
    size_t rows = (size_t)query->rows;
    if (query->rows < 1) return MRY_CARD_TOO_LARGE;
    double *sums = malloc(rows * sizeof *sums);
    double *values = malloc(6 * (size_t)def->points * sizeof *values);
    if (!sums || !values) {
        free(sums);
        free(values);
        return MRY_CARD_NO_MEMORY;
    }
    memset(query->ends, 0, ((size_t)def->blocks + 31) / 32 * sizeof *query->ends);
    for (size_t i = 0; i < rows; i++) sums[i] = INFINITY;
    for (int b = 0; b < def->blocks; b++) {
        code own;
        code_of(def, query, b, values, &own);
        double left = INFINITY, above = 0; /* of the row before: in the block before, in this one */
        for (int i = 0; i < query->rows; i++) {
            double old = sums[i];
            above = sums[i] = cost_of(query, i, &own) + (i ? fmin(left, above) : 0);
            left = old;
        }
        if (sums[rows - 1] <= (double)query->limit) query->ends[b / 32] |= UINT32_C(1) << (b % 32);
    }
    free(sums);
    free(values);
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
        .drop_clip = drop_clip, .minima = minima, .marks = marks, .put_shelf = put_shelf,          \
        .drop_shelf = drop_shelf, .ends = ends, .last_ms = last_ms, .shapes = shapes,              \
        .use_shape = use_shape                                                                     \
    }

const mry_card_module mry_card_plain = MODULE("plain", open_plain);
const mry_card_module mry_card_plain_off = MODULE("plain, off", open_off);
