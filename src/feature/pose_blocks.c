/* pose_blocks.c - blocks of rows: their middles and how far their points go from there. */
#include "feature/pose_blocks.h"

#include "base/bytes.h"

#include <math.h>
#include <string.h>

/* A number is stored as so many parts of a cm. Points that are farther than 16 bits reach, which
   no body has, are put at the end of the range: their radius says how far off that is. */
static const double PARTS = 64;
enum { RADIUS_FAR = 65535, FORMAT = 1 };
static const float UNKNOWN_CM = 1e15f; /* its square, times a weight of 0, is a number */

static void put_16(uint8_t *to, int value)
{
    to[0] = (uint8_t)(value & 255);
    to[1] = (uint8_t)(value >> 8 & 255);
}

static int get_16(const uint8_t *from)
{
    return from[0] | from[1] << 8;
}

void mry_pose_middle(const mry_pose_blocks *blocks, int block, float *values)
{
    size_t numbers = 6 * (size_t)blocks->points;
    const uint8_t *from = blocks->middles + 2 * (size_t)block * numbers;
    for (size_t i = 0; i < numbers; i++) values[i] = (float)((int16_t)get_16(from + 2 * i) / PARTS);
}

void mry_pose_radii(const mry_pose_blocks *blocks, int block, float *radii)
{
    const uint8_t *from = blocks->radii + 2 * (size_t)block * (size_t)blocks->points;
    for (int p = 0; p < blocks->points; p++) {
        int parts = get_16(from + 2 * p);
        radii[p] = parts == RADIUS_FAR ? UNKNOWN_CM : (float)(parts / PARTS);
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
    size_t numbers = 6 * (size_t)points;
    uint8_t *middles = MRY_NEW(mem, uint8_t, 2 * (size_t)count * numbers);
    uint8_t *radii = MRY_NEW(mem, uint8_t, 2 * (size_t)count * (size_t)points);
    float *middle = MRY_NEW(&tmp, float, numbers), *row = MRY_NEW(&tmp, float, numbers);
    double *rho = MRY_NEW(&tmp, double, points);
    bool fits = middles && radii && middle && row && rho;
    *out = (mry_pose_blocks){ .rows = poses->rows,
                              .blocks = count,
                              .points = points,
                              .by_roles = poses->by_roles,
                              .has = poses->has,
                              .rate = poses->rate,
                              .scale = poses->scale,
                              .middles = middles,
                              .radii = radii };
    for (int block = 0; fits && block < count; block++) {
        int first = block * MRY_POSE_BLOCK, end = first + MRY_POSE_BLOCK;
        if (end > poses->rows) end = poses->rows;
        mry_pose_row(poses, (first + end) / 2, 1, middle);
        uint8_t *to = middles + 2 * (size_t)block * numbers;
        for (size_t i = 0; i < numbers; i++) {
            double parts = round(PARTS * (double)middle[i]);
            put_16(to + 2 * i, (int)fmin(fmax(parts, INT16_MIN), INT16_MAX));
        }
        mry_pose_middle(out, block, middle);
        memset(rho, 0, (size_t)points * sizeof *rho);
        for (int r = first; r < end; r++) {
            mry_pose_row(poses, r, 1, row);
            widen(points, row, middle, rho);
        }
        to = radii + 2 * (size_t)block * (size_t)points;
        for (int p = 0; p < points; p++)
            put_16(to + 2 * p, (int)fmin(ceil(PARTS * rho[p] * (1 + 1e-5) + 0.01), RADIUS_FAR));
    }
    mry_arena_free(&tmp);
    return fits;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static size_t body_bytes(const mry_pose_blocks *of)
{
    return (size_t)of->blocks * (size_t)of->points * (2 * 6 + 2);
}

bool mry_pose_blocks_write(mry_arena *mem, const mry_pose_blocks *blocks, const uint8_t **bytes,
                           size_t *size)
{
    mry_bytes_writer to = { .mem = mem };
    size_t middles = 12 * (size_t)blocks->blocks * (size_t)blocks->points;
    mry_put_integer(&to, FORMAT);
    mry_put_integer(&to, blocks->rows);
    mry_put_integer(&to, blocks->points);
    mry_put_integer(&to, blocks->by_roles);
    mry_put_integer(&to, blocks->has);
    mry_put_number(&to, blocks->rate);
    mry_put_number(&to, blocks->scale);
    mry_put_bytes(&to, blocks->middles, middles);
    mry_put_bytes(&to, blocks->radii, body_bytes(blocks) - middles);
    *bytes = to.bytes;
    *size = to.used;
    return !to.failed;
}

bool mry_pose_blocks_read(const uint8_t *bytes, size_t size, mry_pose_blocks *out)
{
    mry_bytes_reader from = { bytes, bytes + size, false };
    mry_get_integer(&from, FORMAT, FORMAT);
    *out = (mry_pose_blocks){ .rows = (int)mry_get_integer(&from, 1, 1 << 28),
                              .points = (int)mry_get_integer(&from, 1, 1 << 16),
                              .by_roles = mry_get_integer(&from, 0, 1) != 0,
                              .has = (uint32_t)mry_get_integer(&from, 0, UINT32_MAX),
                              .rate = mry_get_number(&from),
                              .scale = mry_get_number(&from) };
    out->blocks = (out->rows + MRY_POSE_BLOCK - 1) / MRY_POSE_BLOCK;
    if (from.failed || (out->by_roles && out->points != MAREY_ROLE_COUNT) ||
        !(out->rate > 0 && out->scale > 0) || (size_t)(from.end - from.p) != body_bytes(out))
        return false;
    out->middles = from.p;
    out->radii = out->middles + 12 * (size_t)out->blocks * (size_t)out->points;
    return true;
}
