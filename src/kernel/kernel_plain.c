/* kernel_plain.c - the hot loops in plain C: the truth that the other kernels are checked
   against. */
#include "kernel/kernel.h"

#include <math.h>

enum { MR = 8, NR = 16 };

/* The sum over k of a(k, r) b(k, c). */
static float product(const float *a, const float *b, int k, int r, int c)
{
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[i * MR + r] * b[i * NR + c];
    return sum;
}

static void tile(const float *a, const float *b, int k, mry_planes out)
{
    for (int r = 0; r < MR; r++) {
        for (int c = 0; c < NR; c++) {
            size_t at = (size_t)r * out.stride + (size_t)c;
            float xx = product(a, b, k, r, c);
            float zz = product(a + k * MR, b + k * NR, k, r, c);
            float cross = product(a + 2 * k * MR, b + 2 * k * NR, k, r, c); /* of -(x + z) */
            out.b[at] = xx + zz;
            out.c[at] = xx - zz + cross;
            out.y[at] = product(a + 3 * k * MR, b + 3 * k * NR, k, r, c);
        }
    }
}

/* A number is read by sums above and left of it, which come first. */
static void sum_plane(float *plane, size_t stride, int cols)
{
    for (int r = 0; r < MR; r++) {
        for (int j = 0; j < cols; j++) {
            float *at = plane + (size_t)r * stride + j, sum = 0;
            for (size_t s = 0; s < MRY_KERNEL_WINDOW; s++) sum += at[s * (stride + 1)];
            *at = sum;
        }
    }
}

static void diagonals(mry_planes planes, int cols)
{
    sum_plane(planes.b, planes.stride, cols);
    sum_plane(planes.c, planes.stride, cols);
    sum_plane(planes.y, planes.stride, cols);
}

static void add_path(const mry_cells_def *def, int r, int j, float *b, float *c)
{
    const float *a = def->path_a + r, *to = def->path_b + j;
    for (size_t q = 0; q < MRY_KERNEL_PATH; q += 2) {
        float ax = a[q * def->path_a_stride], az = a[(q + 1) * def->path_a_stride];
        float bx = to[q * def->path_b_stride], bz = to[(q + 1) * def->path_b_stride];
        *b += ax * bx + az * bz;
        *c += ax * bz - az * bx;
    }
}

static void cells(const mry_cells_def *def, mry_planes in, int cols, float *out, size_t out_stride)
{
    for (int r = 0; r < MR; r++) {
        for (int j = 0; j < cols; j++) {
            size_t at = (size_t)r * in.stride + (size_t)j;
            float b = in.b[at], c = in.c[at];
            if (def->path_a) add_path(def, r, j, &b, &c);
            float d = def->size_a[r] + def->size_b[j] - 2 * (in.y[at] + sqrtf(b * b + c * c));
            out[(size_t)r * out_stride + (size_t)j] = d > 0 ? d : 0;
        }
    }
}

static void lower(float *cells, const mry_lower_def *def, int cols)
{
    for (int j = 0; j < cols; j++) {
        float square = cells[j] - def->share * (def->size + def->sizes[j]);
        float root = sqrtf(square > 0 ? square : 0) - def->radii[j];
        cells[j] = root > 0 ? root * root : 0;
    }
}

static void warp(const float *c, const mry_warp_def *def, int cols)
{
    for (int j = 0; j < cols; j++) {
        float least = def->before[j - 1], *sum = def->sums + j;
        for (int d = 2; d <= def->slope + 1; d++)
            least = def->before[j - d] < least ? def->before[j - d] : least;
        least += c[j];
        float moved = least;
        for (size_t z = (size_t)def->slope; z > 0; z--) {
            float stays = sum[(z - 1) * def->sums_stride] + c[j];
            sum[z * def->sums_stride] = stays;
            least = stays < least ? stays : least;
        }
        sum[0] = moved;
        def->best[j] = least;
    }
}

static void minima(const float *above, const float *row, const float *under, int cols, float below,
                   uint64_t *in_row, uint64_t *in_column)
{
    for (int first = 0; first < cols; first += 64) {
        uint64_t across = 0, down = 0;
        for (int j = first; j < first + 64; j++) {
            float d = row[j];
            if (!(d < below)) continue;
            if (d < row[j - 1] && d < row[j + 1]) across |= UINT64_C(1) << (j - first);
            if (d < above[j] && d < under[j]) down |= UINT64_C(1) << (j - first);
        }
        in_row[first / 64] = across;
        in_column[first / 64] = down;
    }
}

const mry_kernel mry_kernel_plain = { .name = "plain",
                                      .mr = MR,
                                      .nr = NR,
                                      .tile = tile,
                                      .diagonals = diagonals,
                                      .cells = cells,
                                      .lower = lower,
                                      .warp = warp,
                                      .minima = minima };
