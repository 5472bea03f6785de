/* low.c - projects the middle cloud of every three rows, and measures how far the other two are from it. */
#include "feature/low.h"

#include <math.h>

/* Rounding of floats: the sums of a bound are off by at most a few 1e-7 of S + S'. */
static const double SHRINK = 1 - 4e-6, GROW = 1 + 1e-5;

typedef struct cloud {
    double *x, *z, *y;
    double size;
} cloud;

static bool take_cloud(mry_arena *tmp, int dims, cloud *out)
{
    out->x = MRY_NEW(tmp, double, 3 * (size_t)dims);
    if (!out->x) return false;
    out->z = out->x + dims;
    out->y = out->z + dims;
    return true;
}

static void fill(const mry_points *points, int row, cloud *out)
{
    int dims = mry_points_cloud(points, row, out->x, out->z, out->y);
    out->size = 0;
    for (int i = 0; i < dims; i++) {
        out->size += out->x[i] * out->x[i] + out->z[i] * out->z[i] + out->y[i] * out->y[i];
    }
}

static double distance(const cloud *a, const cloud *b, int dims)
{
    double re = 0, im = 0, up = 0;
    for (int i = 0; i < dims; i++) {
        re += a->x[i] * b->x[i] + a->z[i] * b->z[i];
        im += a->x[i] * b->z[i] - a->z[i] * b->x[i];
        up += a->y[i] * b->y[i];
    }
    return fmax(0, a->size + b->size - 2 * up - 2 * sqrt(re * re + im * im));
}

static void pack(float *panels, int wide, int block, const double *plane, const double *heights,
                 const double *rests, bool is_first)
{
    size_t step = MRY_LOW_K * (size_t)wide;
    float *at = panels + (size_t)(block / wide) * 4 * step + (size_t)(block % wide);
    for (int r = 0; r < MRY_LOW_K; r++, at += wide) {
        bool inside = r < MRY_BASIS_RANK;
        float x = inside ? (float)plane[2 * r] : 0, z = inside ? (float)plane[2 * r + 1] : 0;
        at[0] = x;
        at[step] = z;
        at[2 * step] = is_first ? -(x + z) : x - z;
        at[3 * step] = inside ? (float)heights[r] : (float)(rests[r - MRY_BASIS_RANK] * GROW);
    }
}

/* The middle row of a block; the last block may be short. */
static int middle(const mry_points *points, int block)
{
    int row = block * MRY_LOW_ROWS + MRY_LOW_ROWS / 2;
    return row < points->rows ? row : points->rows - 1;
}

static double find_radius(const mry_points *points, int block, const cloud *at, cloud *other,
                          int dims)
{
    double most = 0;
    for (int row = block * MRY_LOW_ROWS; row < (block + 1) * MRY_LOW_ROWS; row++) {
        if (row >= points->rows || row == middle(points, block)) continue;
        fill(points, row, other);
        most = fmax(most, distance(at, other, dims));
    }
    return sqrt(most + 1e-9 * at->size) * GROW; /* the difference of large sums is rounded too */
}

static bool take_all(mry_arena *mem, const mry_points *points, mry_low *out)
{
    int mr = points->kernel->mr, nr = points->kernel->nr;
    out->blocks = (points->rows + MRY_LOW_ROWS - 1) / MRY_LOW_ROWS;
    size_t room = (size_t)out->blocks + MRY_POINTS_ROOM;
    out->first = mry_arena_zero(mem, (size_t)out->blocks + 2 * (size_t)mr, 16 * MRY_LOW_K);
    out->second = mry_arena_zero(mem, room + (size_t)nr, 16 * MRY_LOW_K);
    out->size = MRY_NEW(mem, float, room);
    out->radius = MRY_NEW(mem, float, room);
    return out->first && out->second && out->size && out->radius;
}

bool mry_low_build(mry_arena *mem, const mry_points *points, const mry_basis *basis, mry_low *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    double plane[2 * MRY_BASIS_RANK], heights[MRY_BASIS_RANK], rests[2];
    cloud at, other;
    *out = (mry_low){ 0 };
    bool fine = take_all(mem, points, out) && take_cloud(&tmp, basis->dims, &at) &&
                take_cloud(&tmp, basis->dims, &other);
    for (int b = 0; fine && b < out->blocks; b++) {
        fill(points, middle(points, b), &at);
        mry_basis_project(basis, at.x, at.z, at.y, plane, heights, &rests[0], &rests[1]);
        pack(out->first, points->kernel->mr, b, plane, heights, rests, true);
        pack(out->second, points->kernel->nr, b, plane, heights, rests, false);
        out->size[b] = (float)(at.size * SHRINK);
        out->radius[b] = (float)find_radius(points, b, &at, &other, basis->dims);
    }
    mry_arena_free(&tmp);
    return fine;
}
