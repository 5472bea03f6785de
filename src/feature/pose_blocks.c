/* pose_blocks.c - blocks of rows: their middles and how far their points go from there. */
#include "feature/pose_blocks.h"

#include "base/bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places are stored as so many parts of a cm. Velocities, times MRY_POSE_S, and radii as roots: the
   larger they are the coarser, so that a byte is enough. What is farther than that, which nothing of
   a body is, is put at the end of the range: the radius says how far off that is. */
static const double PARTS = 64, ROOT_PARTS = 128;
enum { RADIUS_FAR = 255, FORMAT = 1 };
static const float UNKNOWN_CM = 1e15f; /* its square, times a weight of 0, is a number */

static int get_16(const uint8_t *from)
{
    return (int16_t)(from[0] | from[1] << 8);
}

static float get_root(int value)
{
    return (float)(value * abs(value) / ROOT_PARTS);
}

void mry_pose_middle(const mry_pose_blocks *blocks, int block, float *values)
{
    size_t numbers = 3 * (size_t)blocks->points;
    const uint8_t *places = blocks->middles + 2 * (size_t)block * numbers;
    const uint8_t *speeds = blocks->speeds + (size_t)block * numbers;
    for (size_t i = 0; i < numbers; i++) {
        values[i] = (float)(get_16(places + 2 * i) / PARTS);
        values[numbers + i] = get_root((int8_t)speeds[i]);
    }
}

void mry_pose_radii(const mry_pose_blocks *blocks, int block, float *radii)
{
    const uint8_t *from = blocks->radii + (size_t)block * (size_t)blocks->points;
    for (int p = 0; p < blocks->points; p++)
        radii[p] = from[p] == RADIUS_FAR ? UNKNOWN_CM : get_root(from[p]);
}

static void put_middle(const float *row, size_t numbers, uint8_t *places, uint8_t *speeds)
{
    for (size_t i = 0; i < numbers; i++) {
        int parts = (int)fmin(fmax(round(PARTS * (double)row[i]), INT16_MIN), INT16_MAX);
        double way = (double)row[numbers + i];
        int root = (int)fmin(round(sqrt(ROOT_PARTS * fabs(way))), INT8_MAX);
        places[2 * i] = (uint8_t)(parts & 255);
        places[2 * i + 1] = (uint8_t)(parts >> 8 & 255);
        speeds[i] = (uint8_t)(int8_t)(way < 0 ? -root : root);
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

bool mry_pose_blocks_make(mry_arena *mem, const mry_poses *poses, mry_pose_blocks *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int points = poses->points, count = (poses->rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    size_t numbers = 3 * (size_t)points;
    uint8_t *bytes = MRY_NEW(mem, uint8_t, mry_pose_blocks_size(count, points));
    float *middle = MRY_NEW(&tmp, float, 2 * numbers), *row = MRY_NEW(&tmp, float, 2 * numbers);
    double *rho = MRY_NEW(&tmp, double, points);
    bool fits = bytes && middle && row && rho;
    uint8_t *speeds = fits ? bytes + 2 * (size_t)count * numbers : NULL;
    uint8_t *radii = fits ? speeds + (size_t)count * numbers : NULL;
    *out = (mry_pose_blocks){ .rows = poses->rows,
                              .blocks = count,
                              .points = points,
                              .by_roles = poses->by_roles,
                              .has = poses->has,
                              .joints = poses->joints,
                              .rate = poses->rate,
                              .scale = poses->scale,
                              .middles = bytes,
                              .speeds = speeds,
                              .radii = radii };
    for (int block = 0; fits && block < count; block++) {
        int first = block * MRY_POSE_BLOCK, end = first + MRY_POSE_BLOCK;
        if (end > poses->rows) end = poses->rows;
        mry_pose_row(poses, (first + end) / 2, 1, middle);
        put_middle(middle, numbers, bytes + 2 * (size_t)block * numbers,
                   speeds + (size_t)block * numbers);
        mry_pose_middle(out, block, middle);
        memset(rho, 0, (size_t)points * sizeof *rho);
        for (int r = first; r < end; r++) {
            mry_pose_row(poses, r, 1, row);
            widen(points, row, middle, rho);
        }
        for (int p = 0; p < points; p++) {
            double root = ceil(sqrt(ROOT_PARTS * (rho[p] * (1 + 1e-5) + 1e-3)));
            radii[(size_t)block * (size_t)points + (size_t)p] = (uint8_t)fmin(root, RADIUS_FAR);
        }
    }
    mry_arena_free(&tmp);
    return fits;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

bool mry_pose_blocks_write(mry_arena *mem, const mry_pose_blocks *blocks, const uint8_t **bytes,
                           size_t *size)
{
    mry_bytes_writer to = { .mem = mem };
    mry_put_integer(&to, FORMAT);
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

static void point_into(mry_pose_blocks *blocks, const uint8_t *bytes)
{
    size_t each = (size_t)blocks->blocks * (size_t)blocks->points;
    blocks->middles = bytes;
    blocks->speeds = bytes + 6 * each;
    blocks->radii = bytes + 9 * each;
}

bool mry_pose_blocks_copy(mry_arena *mem, const mry_pose_blocks *from, mry_pose_blocks *out)
{
    size_t size = mry_pose_blocks_size(from->blocks, from->points);
    uint8_t *bytes = MRY_NEW_RAW(mem, uint8_t, size);
    if (!bytes) return false;
    memcpy(bytes, from->middles, size);
    *out = *from;
    point_into(out, bytes);
    return true;
}

bool mry_pose_blocks_read(const uint8_t *bytes, size_t size, mry_pose_blocks *out)
{
    mry_bytes_reader from = { bytes, bytes + size, false };
    mry_get_integer(&from, FORMAT, FORMAT);
    *out = (mry_pose_blocks){ .rows = (int)mry_get_integer(&from, 1, 1 << 28) };
    out->points = (int)mry_get_integer(&from, 1, 1 << 16);
    out->by_roles = mry_get_integer(&from, 0, 1) != 0;
    out->has = (uint32_t)mry_get_integer(&from, 0, UINT32_MAX);
    out->joints = mry_get_fixed(&from, 8);
    out->rate = mry_get_number(&from);
    out->scale = mry_get_number(&from);
    out->blocks = (out->rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    if (from.failed || (out->by_roles && out->points != MAREY_ROLE_COUNT) ||
        !(out->rate > 0 && out->scale > 0) ||
        (size_t)(from.end - from.p) != mry_pose_blocks_size(out->blocks, out->points))
        return false;
    point_into(out, from.p);
    return true;
}
