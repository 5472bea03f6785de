/* basis.c - principal directions of clouds by orthogonal iteration (block power iteration): a
   handful of steps is plenty, since a basis need not be the best one for the bound to hold. */
#include "feature/basis.h"

#include <math.h>
#include <string.h>

enum { STEPS = 6 };

/* Vectors of 2 * dims numbers, (re, im) after each other; real ones have im = 0. <a, b> = sum of
   conj(a) b. */
static void inner(const double *a, const double *b, int dims, double *out)
{
    double re = 0, im = 0;
    for (int i = 0; i < dims; i++) {
        re += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
        im += a[2 * i] * b[2 * i + 1] - a[2 * i + 1] * b[2 * i];
    }
    out[0] = re;
    out[1] = im;
}

/* a += t b */
static void add(double *a, const double *t, const double *b, int dims)
{
    for (int i = 0; i < dims; i++) {
        a[2 * i] += t[0] * b[2 * i] - t[1] * b[2 * i + 1];
        a[2 * i + 1] += t[0] * b[2 * i + 1] + t[1] * b[2 * i];
    }
}

/* Modified Gram-Schmidt, twice, so that nearly equal vectors end up orthogonal too. One that is
   nothing becomes 0, and is gone: clouds that are all alike cost no more than their few
   directions. */
static void make_orthonormal(double *vectors, bool *gone, int dims)
{
    for (int r = 0; r < MRY_BASIS_RANK; r++) {
        double *v = vectors + (size_t)r * 2 * (size_t)dims, length[2];
        for (int pass = 0; pass < 2 && !gone[r]; pass++) {
            for (int q = 0; q < r; q++) {
                const double *w = vectors + (size_t)q * 2 * (size_t)dims;
                double t[2];
                if (gone[q]) continue;
                inner(w, v, dims, t);
                add(v, (double[2]){ -t[0], -t[1] }, w, dims);
            }
            inner(v, v, dims, length);
            gone[r] = !(length[0] > 1e-20);
            double scale = gone[r] ? 0 : 1 / sqrt(length[0]);
            for (int i = 0; i < 2 * dims; i++) v[i] *= scale;
        }
    }
}

bool mry_basis_build(mry_arena *mem, const double *clouds, int count, int dims, mry_basis *out)
{
    size_t size = 2 * (size_t)dims;
    mry_arena tmp = mry_arena_make(mem->ctx);
    double *vectors = MRY_NEW(&tmp, double, (size_t)count *size);
    double *next = MRY_NEW(&tmp, double, MRY_BASIS_RANK *size);
    double *real = MRY_NEW(&tmp, double, MRY_BASIS_RANK *size);
    *out = (mry_basis){ .dims = dims,
                        .c = MRY_NEW(mem, double, MRY_BASIS_RANK *size),
                        .y = MRY_NEW(mem, double, MRY_BASIS_RANK *(size_t)dims) };
    bool fine = vectors && next && real && out->c && out->y;
    /* First the plane, x + iz, then the heights, which are real. */
    for (int part = 0; fine && part < 2; part++) {
        for (int n = 0; n < count; n++) {
            const double *cloud = clouds + (size_t)n * 3 * (size_t)dims;
            double *to = vectors + (size_t)n * size;
            for (int i = 0; i < dims; i++) {
                to[2 * i] = cloud[part == 0 ? i : 2 * dims + i];
                to[2 * i + 1] = part == 0 ? cloud[dims + i] : 0;
            }
        }
        /* Starts from clouds spread over all of them. */
        double *found = part == 0 ? out->c : real;
        bool gone[MRY_BASIS_RANK] = { false };
        for (int r = 0; r < MRY_BASIS_RANK; r++) {
            int n = (int)((int64_t)r * count / MRY_BASIS_RANK);
            memcpy(found + (size_t)r * size, vectors + (size_t)n * size, size * sizeof *found);
        }
        make_orthonormal(found, gone, dims);
        for (int i = 0; i < STEPS; i++) {
            /* One step: each becomes the sum over the clouds of cloud * <cloud, it>. */
            memset(next, 0, MRY_BASIS_RANK * size * sizeof *next);
            for (int n = 0; n < count; n++) {
                const double *cloud = vectors + (size_t)n * size;
                for (int r = 0; r < MRY_BASIS_RANK; r++) {
                    double t[2];
                    if (gone[r]) continue;
                    inner(cloud, found + (size_t)r * size, dims, t);
                    add(next + (size_t)r * size, t, cloud, dims);
                }
            }
            make_orthonormal(next, gone, dims);
            memcpy(found, next, MRY_BASIS_RANK * size * sizeof *next);
        }
    }
    for (size_t i = 0; fine && i < MRY_BASIS_RANK * (size_t)dims; i++) out->y[i] = real[2 * i];
    mry_arena_free(&tmp);
    return fine;
}

/* Rounding must not make the rest look shorter than it is. */
static double rest(double whole, double inside)
{
    return sqrt(fmax(0, whole - inside) + 1e-9 * whole);
}

void mry_basis_project(const mry_basis *basis, const double *x, const double *z, const double *y,
                       double *plane, double *heights, double *plane_rest, double *height_rest)
{
    int dims = basis->dims;
    double whole = 0, inside = 0, whole_y = 0, inside_y = 0;
    for (int i = 0; i < dims; i++) {
        whole += x[i] * x[i] + z[i] * z[i];
        whole_y += y[i] * y[i];
    }
    for (int r = 0; r < MRY_BASIS_RANK; r++) {
        const double *c = basis->c + (size_t)r * 2 * (size_t)dims;
        const double *h = basis->y + (size_t)r * (size_t)dims;
        double re = 0, im = 0, sum = 0;
        for (int i = 0; i < dims; i++) {
            re += c[2 * i] * x[i] + c[2 * i + 1] * z[i];
            im += c[2 * i] * z[i] - c[2 * i + 1] * x[i];
            sum += h[i] * y[i];
        }
        plane[2 * r] = re;
        plane[2 * r + 1] = im;
        heights[r] = sum;
        inside += re * re + im * im;
        inside_y += sum * sum;
    }
    *plane_rest = rest(whole, inside);
    *height_rest = rest(whole_y, inside_y);
}
