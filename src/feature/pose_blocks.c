/* pose_blocks.c - blocks of rows: their middles and how far their points go from there. */
#include "feature/pose_blocks.h"

#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places are stored as so many parts of a cm. Velocities, times MRY_POSE_S, and radii as roots: the
   larger they are the coarser, so that a byte is enough. What is farther than that, which nothing of
   a body is, is put at the end of the range: the radius says how far off that is. */
static const double PARTS = MRY_POSE_PARTS, ROOT_PARTS = MRY_POSE_ROOT_PARTS;

/* Middles are at row 2 of four: Lagrange's cubics at 1/2, 3/4, 0 and 1/4 of the way. */
const mry_pose_between mry_pose_guesses[MRY_POSE_BLOCK] = {
    { 2, { -0.0625f, 0.5625f, 0.5625f, -0.0625f } },
    { 2, { -0.0390625f, 0.2734375f, 0.8203125f, -0.0546875f } },
    { 1, { 0, 1, 0, 0 } },
    { 1, { -0.0546875f, 0.8203125f, 0.2734375f, -0.0390625f } },
};

void mry_pose_middle(const mry_pose_blocks *blocks, int block, float *values)
{
    size_t numbers = 3 * (size_t)blocks->points, count = (size_t)blocks->blocks;
    for (size_t i = 0; i < numbers; i++) {
        const uint8_t *place = blocks->middles + 2 * (i * count + (size_t)block);
        int root = (int8_t)blocks->speeds[i * count + (size_t)block];
        values[i] = (float)((int16_t)(place[0] | place[1] << 8) / PARTS);
        values[numbers + i] = (float)(root * abs(root) / ROOT_PARTS);
    }
}

/* The middle of block b, every `each`-th number. */
static void put_middle(const float *row, size_t numbers, size_t each, uint8_t *places,
                       uint8_t *speeds)
{
    for (size_t i = 0; i < numbers; i++) {
        int parts = (int)fmin(fmax(round(PARTS * (double)row[i]), INT16_MIN), INT16_MAX);
        double way = (double)row[numbers + i];
        int root = (int)fmin(round(sqrt(ROOT_PARTS * fabs(way))), INT8_MAX);
        places[2 * i * each] = (uint8_t)(parts & 255);
        places[2 * i * each + 1] = (uint8_t)(parts >> 8 & 255);
        speeds[i * each] = (uint8_t)(int8_t)(way < 0 ? -root : root);
    }
}

static void put_radii(const double *rho, int points, size_t each, uint8_t *radii)
{
    for (int p = 0; p < points; p++) {
        double root = ceil(sqrt(ROOT_PARTS * (rho[p] * (1 + 1e-5) + 1e-3)));
        radii[(size_t)p * each] = (uint8_t)fmin(root, MRY_POSE_FAR);
    }
}

static void guess_row(const float *middles, int blocks, size_t numbers, int block, int at,
                      float *row)
{
    const mry_pose_between *guess = &mry_pose_guesses[at];
    memset(row, 0, numbers * sizeof *row);
    for (int m = 0; m < 4; m++) {
        int from = block - guess->first + m;
        from = from < 0 ? 0 : from >= blocks ? blocks - 1 : from;
        for (size_t i = 0; i < numbers; i++)
            row[i] += guess->shares[m] * middles[(size_t)from * numbers + i];
    }
}

/* Makes rho at least what it is for one row, turned to lie best on the middle. */
static void widen(int points, const float *row, const float *middle, double *rho)
{
    double b = 0, c = 0;
    for (int i = 0; i < 2 * points; i++) {
        double x = row[3 * i], z = row[3 * i + 1], xm = middle[3 * i], zm = middle[3 * i + 1];
        b += x * xm + z * zm;
        c += x * zm - z * xm;
    }
    double length = hypot(b, c), cosine = length > 0 ? b / length : 1,
           sine = length > 0 ? c / length : 0;
    for (int p = 0; p < points; p++) {
        double square = 0;
        for (int i = p; i < 2 * points; i += points) {
            double x = row[3 * i], z = row[3 * i + 1];
            double dx = cosine * x - sine * z - middle[3 * i];
            double dz = sine * x + cosine * z - middle[3 * i + 1];
            double dy = (double)row[3 * i + 2] - middle[3 * i + 2];
            square += dx * dx + dz * dz + dy * dy;
        }
        rho[p] = fmax(rho[p], sqrt(square));
    }
}

static void point_into(mry_pose_blocks *blocks, const uint8_t *bytes)
{
    size_t each = (size_t)blocks->blocks * (size_t)blocks->points;
    blocks->middles = bytes;
    blocks->speeds = bytes + 6 * each;
    blocks->radii = bytes + 9 * each;
    blocks->rests = bytes + 10 * each;
    blocks->steps = bytes + 11 * each;
}

bool mry_pose_blocks_make(mry_arena *mem, const mry_poses *poses, mry_pose_blocks *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int points = poses->points, count = (poses->rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    size_t numbers = 6 * (size_t)points, each = (size_t)count;
    uint8_t *bytes = MRY_NEW(mem, uint8_t, mry_pose_blocks_size(count, points));
    float *middles = MRY_NEW_RAW(&tmp, float, numbers *each);
    float *row = MRY_NEW(&tmp, float, numbers), *guess = MRY_NEW(&tmp, float, numbers);
    double *rho = MRY_NEW(&tmp, double, points), *rest = MRY_NEW(&tmp, double, points);
    double *step = MRY_NEW(&tmp, double, points);
    bool fits = bytes && middles && row && guess && rho && rest && step;
    *out = (mry_pose_blocks){ .rows = poses->rows,
                              .blocks = count,
                              .points = points,
                              .by_roles = poses->by_roles,
                              .has = poses->has,
                              .joints = poses->joints,
                              .rate = poses->rate,
                              .scale = poses->scale };
    if (fits) point_into(out, bytes);
    for (int b = 0; fits && b < count; b++) {
        int middle = b * MRY_POSE_BLOCK + MRY_POSE_BLOCK / 2;
        mry_pose_row(poses, middle < poses->rows ? middle : poses->rows - 1, 1, row);
        put_middle(row, numbers / 2, each, bytes + 2 * b, bytes + (out->speeds - bytes) + b);
        mry_pose_middle(out, b, middles + (size_t)b * numbers);
    }
    for (int b = 0; fits && b < count; b++) {
        const float *here = middles + (size_t)b * numbers, *next = here + numbers;
        for (int p = 0; p < points; p++) rho[p] = rest[p] = step[p] = 0;
        for (size_t i = 0; i < numbers && b + 1 < count; i++) {
            double way = (double)next[i] - (double)here[i];
            step[i / 3 % (size_t)points] += way * way;
        }
        for (int p = 0; p < points; p++) step[p] = sqrt(step[p]);
        for (int at = 0; at < MRY_POSE_BLOCK && b * MRY_POSE_BLOCK + at < poses->rows; at++) {
            mry_pose_row(poses, b * MRY_POSE_BLOCK + at, 1, row);
            widen(points, row, here, rho);
            guess_row(middles, count, numbers, b, at, guess);
            widen(points, row, guess, rest);
        }
        put_radii(rho, points, each, bytes + (out->radii - bytes) + b);
        put_radii(rest, points, each, bytes + (out->rests - bytes) + b);
        put_radii(step, points, each, bytes + (out->steps - bytes) + b);
    }
    mry_arena_free(&tmp);
    return fits;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

bool mry_pose_blocks_write(mry_arena *mem, const mry_pose_blocks *blocks, const uint8_t **bytes,
                           size_t *size)
{
    mry_bytes_writer to = { .mem = mem };
    mry_put_fixed(&to, MRY_POSE_FORMAT, 1);
    mry_put_integer(&to, blocks->rows);
    mry_put_integer(&to, blocks->points);
    mry_put_integer(&to, blocks->by_roles);
    mry_put_integer(&to, blocks->has);
    mry_put_fixed(&to, blocks->joints, 8);
    mry_put_number(&to, blocks->rate);
    mry_put_number(&to, blocks->scale);
    mry_put_bytes(&to, blocks->middles, mry_pose_blocks_size(blocks->blocks, blocks->points));
    *bytes = to.bytes;
    *size = to.used;
    return !to.failed;
}

void mry_pose_blocks_copy(const mry_pose_blocks *from, uint8_t *bytes, mry_pose_blocks *out)
{
    memcpy(bytes, from->middles, mry_pose_blocks_size(from->blocks, from->points));
    *out = *from;
    point_into(out, bytes);
}

bool mry_pose_blocks_read(const uint8_t *bytes, size_t size, mry_pose_blocks *out)
{
    mry_bytes_reader from = { .p = bytes, .end = bytes + size };
    bool same = mry_get_fixed(&from, 1) == MRY_POSE_FORMAT;
    *out = (mry_pose_blocks){ .rows = (int)mry_get_integer(&from, 1, 1 << 28) };
    out->points = (int)mry_get_integer(&from, 1, 1 << 16);
    out->by_roles = mry_get_integer(&from, 0, 1) != 0;
    out->has = (uint32_t)mry_get_integer(&from, 0, UINT32_MAX);
    out->joints = mry_get_fixed(&from, 8);
    out->rate = mry_get_number(&from);
    out->scale = mry_get_number(&from);
    out->blocks = (out->rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    if (from.failed || !same || (out->by_roles && out->points != MAREY_ROLE_COUNT) ||
        !(out->rate > 0 && out->scale > 0) ||
        (size_t)(from.end - from.p) != mry_pose_blocks_size(out->blocks, out->points))
        return false;
    point_into(out, from.p);
    return true;
}
