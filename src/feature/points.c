/* points.c - packs the point clouds of a clip. Kovar & Gleicher 2003, 4.1; see points.h for the
   form. */
#include "feature/points.h"

#include <math.h>
#include <string.h>

/* The joints that count, after merging; weights of merged ones are added, which is exact. */
typedef struct chosen {
    int count;
    int *joint;
    double *weight;
} chosen;

static bool choose(mry_arena *mem, const mry_points_def *def, chosen *out)
{
    double *sum = MRY_NEW(mem, double, def->joints);
    out->joint = MRY_NEW(mem, int, def->joints);
    out->weight = MRY_NEW(mem, double, def->joints);
    if (!sum || !out->joint || !out->weight) return false;
    for (int k = 0; k < def->joints; k++) {
        sum[def->merged_into ? def->merged_into[k] : k] += def->weights[k];
    }
    for (int k = 0; k < def->joints; k++) {
        if (sum[k] <= 0) continue;
        out->joint[out->count] = k;
        out->weight[out->count++] = sum[k];
    }
    return true;
}

/* Frame numbers outside the clip mean its first or last one. */
static const double *frame_at(const mry_points_def *def, int frame)
{
    int last = def->rows - 1, held = frame < 0 ? 0 : frame > last ? last : frame;
    return def->positions + (size_t)held * (size_t)def->joints * 3;
}

/* The weighted mean of the joints in the plane. */
static void find_mean(const chosen *joints, const double *places, double *mean)
{
    mean[0] = mean[1] = 0;
    for (int k = 0; k < joints->count; k++) {
        mean[0] += joints->weight[k] * places[3 * joints->joint[k]];
        mean[1] += joints->weight[k] * places[3 * joints->joint[k] + 2];
    }
}

/* Where the four numbers of product p of frame f stand in panels of `wide` frames. */
static float *slot(float *panels, int wide, int k, int f, int p)
{
    size_t panel = (size_t)(f / wide) * 4 * (size_t)k * (size_t)wide;
    return panels + panel + (size_t)p * (size_t)wide + (size_t)(f % wide);
}

static void pack_second(const mry_points *points, int at, int p, float x, float z, float y)
{
    size_t step = (size_t)points->k * (size_t)points->kernel->nr;
    float *b = slot(points->second, points->kernel->nr, points->k, at, p);
    b[0] = x;
    b[step] = z;
    b[2 * step] = x - z;
    b[3 * step] = y;
}

static void pack(const mry_points *points, int f, int p, double dx, double dz, double dy)
{
    const int overlap = MRY_POINTS_STRIP_FRAMES - MRY_POINTS_STRIP;
    size_t step = (size_t)points->k * (size_t)points->kernel->mr;
    int strip = f / MRY_POINTS_STRIP, at = f % MRY_POINTS_STRIP;
    float x = (float)dx, z = (float)dz, y = (float)dy;
    float *a = slot(points->first, points->kernel->mr, points->k, f, p);
    a[0] = x;
    a[step] = z;
    a[2 * step] = -(x + z);
    a[3 * step] = y;
    pack_second(points, strip * MRY_POINTS_STRIP_FRAMES + at, p, x, z, y);
    if (strip > 0 && at < overlap) {
        pack_second(points, strip * MRY_POINTS_STRIP_FRAMES - overlap + at, p, x, z, y);
    }
}

static bool take_panels(mry_arena *mem, mry_points *points)
{
    size_t numbers = 4 * (size_t)points->k;
    size_t rows_a = (size_t)points->packed + 2 * (size_t)points->kernel->mr;
    /* Whole strips, but of the last one only the panels that have frames: no more of it is
       multiplied. */
    size_t last = (size_t)points->packed - 1, nr = (size_t)points->kernel->nr;
    size_t rows_b = last / MRY_POINTS_STRIP * MRY_POINTS_STRIP_FRAMES +
                    (last % MRY_POINTS_STRIP + nr) / nr * nr;
    points->first = mry_arena_zero(mem, rows_a, numbers * sizeof(float));
    points->second = mry_arena_zero(mem, rows_b, numbers * sizeof(float));
    points->size = MRY_NEW(mem, float, (size_t)points->rows + MRY_POINTS_FRONT + MRY_POINTS_ROOM);
    if (points->size) points->size += MRY_POINTS_FRONT;
    return points->first && points->second && points->size;
}

/* ---- fused: frame by frame ------------------------------------------------------------------- */

/* Orthonormal polynomials of degree 1 .. 4 on five points (Gram's); with the constant one they span
   all. */
static const double POLYNOMIALS[4][MRY_KERNEL_WINDOW] = {
    { -2, -1, 0, 1, 2 }, { 2, -1, -2, -1, 2 }, { -1, 2, 0, -2, 1 }, { 1, -4, 6, -4, 1 }
};
static const double NORMS[4] = { 10, 14, 10, 70 };

static bool pack_fused(mry_arena *mem, const chosen *joints, mry_points *points)
{
    points->packed = points->rows + MRY_KERNEL_WINDOW - 1;
    points->k = joints->count;
    double *means = MRY_NEW(mem, double, 2 * (size_t)points->packed);
    double *sizes = MRY_NEW(mem, double, points->packed);
    if (!means || !sizes || !take_panels(mem, points)) return false;
    points->path_stride = (size_t)points->rows + MRY_POINTS_FRONT + MRY_POINTS_ROOM;
    points->path = mry_arena_zero(mem, points->path_stride, MRY_KERNEL_PATH * sizeof(float));
    if (!points->path) return false;
    points->path += MRY_POINTS_FRONT;
    for (int f = 0; f < points->packed; f++) {
        const double *places = frame_at(points->def, f - (MRY_KERNEL_WINDOW - 1) / 2);
        double *mean = &means[2 * f], size = 0;
        find_mean(joints, places, mean);
        for (int k = 0; k < joints->count; k++) {
            int j = joints->joint[k];
            double root = sqrt(joints->weight[k] / MRY_KERNEL_WINDOW);
            double x = root * (places[3 * j] - mean[0]), z = root * (places[3 * j + 2] - mean[1]);
            double y = root * (places[3 * j + 1] - points->def->height_cm[j]);
            pack(points, f, k, x, z, y);
            size += x * x + z * z + y * y;
        }
        sizes[f] = size;
    }
    for (int i = 0; i < points->rows; i++) {
        /* The means' path in the window of a row, and what it adds to S. */
        double size = 0;
        for (int a = 0; a < 4; a++) {
            double scale = 1 / sqrt(NORMS[a] * MRY_KERNEL_WINDOW), x = 0, z = 0;
            for (int s = 0; s < MRY_KERNEL_WINDOW; s++) {
                /* About the window's first mean, so that only small numbers are multiplied. */
                x += POLYNOMIALS[a][s] * (means[2 * (i + s)] - means[2 * i]);
                z += POLYNOMIALS[a][s] * (means[2 * (i + s) + 1] - means[2 * i + 1]);
            }
            x *= scale;
            z *= scale;
            size += x * x + z * z;
            points->path[(size_t)(2 * a) * points->path_stride + (size_t)i] = (float)x;
            points->path[(size_t)(2 * a + 1) * points->path_stride + (size_t)i] = (float)z;
        }
        for (int s = 0; s < MRY_KERNEL_WINDOW; s++) size += sizes[i + s];
        points->size[i] = (float)size;
    }
    return true;
}

/* ---- any window: packed whole ---------------------------------------------------------------- */

static int fill_cloud(const mry_points_def *def, const chosen *joints, int row, double *x,
                      double *z, double *y)
{
    double middle[2] = { 0, 0 };
    int first = row - (def->window - 1) / 2, n = 0;
    for (int s = 0; s < def->window; s++) {
        double mean[2];
        find_mean(joints, frame_at(def, first + s), mean);
        for (int c = 0; c < 2; c++) middle[c] += def->frame_weights[s] * mean[c];
    }
    for (int s = 0; s < def->window; s++) {
        const double *places = frame_at(def, first + s);
        for (int k = 0; k < joints->count; k++, n++) {
            int j = joints->joint[k];
            double root = sqrt(joints->weight[k] * def->frame_weights[s]);
            x[n] = root * (places[3 * j] - middle[0]);
            z[n] = root * (places[3 * j + 2] - middle[1]);
            y[n] = root * (places[3 * j + 1] - def->height_cm[j]);
        }
    }
    return n;
}

static bool pack_whole(mry_arena *mem, const chosen *joints, mry_points *points)
{
    points->packed = points->rows;
    points->k = joints->count * points->def->window;
    double *x = MRY_NEW(mem, double, 3 * (size_t)points->k);
    if (!x || !take_panels(mem, points)) return false;
    double *z = x + points->k, *y = z + points->k;
    for (int i = 0; i < points->rows; i++) {
        double size = 0;
        fill_cloud(points->def, joints, i, x, z, y);
        for (int p = 0; p < points->k; p++) {
            pack(points, i, p, x[p], z[p], y[p]);
            size += x[p] * x[p] + z[p] * z[p] + y[p] * y[p];
        }
        points->size[i] = (float)size;
    }
    return true;
}

bool mry_points_build(mry_arena *mem, const mry_points_def *def, mry_points *out)
{
    chosen *of = MRY_NEW(mem, chosen, 1);
    if (!of || !choose(mem, def, of)) return false;
    bool alike = def->window == MRY_KERNEL_WINDOW;
    for (int s = 1; s < def->window; s++) alike &= def->frame_weights[s] == def->frame_weights[0];
    mry_points made = { .kernel = mem->ctx->def.portable ? &mry_kernel_plain : mry_kernel_best(),
                        .rows = def->rows,
                        .fused = alike,
                        .joints = of->count,
                        .def = def,
                        .of = of };
    if (!(made.fused ? pack_fused(mem, of, &made) : pack_whole(mem, of, &made))) return false;
    *out = made;
    return true;
}

int mry_points_cloud(const mry_points *points, int row, double *x, double *z, double *y)
{
    return fill_cloud(points->def, points->of, row, x, z, y);
}

int mry_points_sample(mry_arena *tmp, const mry_points_def *def, const int *rows, int count,
                      double *clouds)
{
    chosen of = { 0 };
    if (!choose(tmp, def, &of)) return 0;
    int dims = def->window * of.count;
    for (int i = 0; clouds && i < count; i++) {
        double *at = clouds + (size_t)i * 3 * (size_t)dims;
        fill_cloud(def, &of, rows[i], at, at + dims, at + 2 * dims);
    }
    return dims;
}
