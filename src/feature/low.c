/* low.c - projects the middle cloud of every block of rows, and measures how far the others are
   from it. */
#include "feature/low.h"

#include <math.h>

/* Rounding of floats: the sums of a bound are off by at most a few 1e-7 of S + S'. */
static const double SHRINK = 1 - 4e-6, GROW = 1 + 1e-5;

typedef struct cloud {
    double *x, *z, *y;
    double size;
} cloud;

static void fill(const mry_points *points, int row, cloud *out)
{
    int dims = mry_points_cloud(points, row, out->x, out->z, out->y);
    out->size = 0;
    for (int i = 0; i < dims; i++) {
        out->size += out->x[i] * out->x[i] + out->z[i] * out->z[i] + out->y[i] * out->y[i];
    }
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

bool mry_low_build(mry_arena *mem, const mry_points *points, const mry_basis *basis, int first,
                   int end, int rows, mry_low *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    double plane[2 * MRY_BASIS_RANK], heights[MRY_BASIS_RANK], rests[2];
    cloud at, other;
    *out = (mry_low){ .rows = rows };
    int mr = points->kernel->mr, nr = points->kernel->nr;
    out->blocks = (end - first + rows - 1) / rows;
    size_t room = (size_t)out->blocks + MRY_POINTS_ROOM;
    out->first = mry_arena_zero(mem, (size_t)out->blocks + 2 * (size_t)mr, 16 * MRY_LOW_K);
    out->second = mry_arena_zero(mem, room + (size_t)nr, 16 * MRY_LOW_K);
    out->size = MRY_NEW(mem, float, room);
    out->radius = MRY_NEW(mem, float, room);
    size_t dims = (size_t)basis->dims;
    double *values = MRY_NEW(&tmp, double, 6 * dims);
    bool fine = out->first && out->second && out->size && out->radius && values;
    if (fine) {
        at = (cloud){ .x = values, .z = values + dims, .y = values + 2 * dims };
        other = (cloud){ .x = values + 3 * dims, .z = values + 4 * dims, .y = values + 5 * dims };
    }
    for (int b = 0; fine && b < out->blocks; b++) {
        int from = first + b * rows, to = from + rows < end ? from + rows : end;
        int middle = from + rows / 2 < to ? from + rows / 2 : to - 1;
        fill(points, middle, &at);
        mry_basis_project(basis, at.x, at.z, at.y, plane, heights, &rests[0], &rests[1]);
        pack(out->first, points->kernel->mr, b, plane, heights, rests, true);
        pack(out->second, points->kernel->nr, b, plane, heights, rests, false);
        out->size[b] = (float)(at.size * SHRINK);
        double most = 0;
        for (int row = from; row < to; row++) {
            if (row == middle) continue;
            fill(points, row, &other);
            double re = 0, im = 0, up = 0;
            for (int i = 0; i < basis->dims; i++) {
                re += at.x[i] * other.x[i] + at.z[i] * other.z[i];
                im += at.x[i] * other.z[i] - at.z[i] * other.x[i];
                up += at.y[i] * other.y[i];
            }
            most = fmax(most, fmax(0, at.size + other.size - 2 * up - 2 * sqrt(re * re + im * im)));
        }
        /* The difference of large sums is rounded too. */
        out->radius[b] = (float)(sqrt(most + 1e-9 * at.size) * GROW);
    }
    mry_arena_free(&tmp);
    return fine;
}
