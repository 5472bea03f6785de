/* kernel_plain.c - the hot loops in plain C: the truth that the other kernels are checked
   against. */
#include "kernel/kernel.h"

#include <math.h>
#include <stdlib.h>

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

static void bounds(const mry_bounds_def *def, mry_planes in)
{
    for (int r = 0; r < MR; r++) {
        float *costs = def->costs + (size_t)r * def->stride;
        float *sums = def->sums + (size_t)r * def->stride;
        const float *before = r ? sums - def->stride : def->before;
        for (int j = 0; j < NR; j++) {
            size_t at = (size_t)r * in.stride + (size_t)j;
            float length = sqrtf(in.b[at] * in.b[at] + in.c[at] * in.c[at]);
            float square = def->size_a[r] + def->keep * def->size_b[j] - 2 * (in.y[at] + length);
            float root = sqrtf(square > 0 ? square : 0) - def->radii[j];
            costs[j] = root > 0 ? root * root : 0;
            if (def->before && r < def->rows) sums[j] = costs[j] + fminf(before[j - 1], before[j]);
        }
    }
}

static bool any(const float *row, int cols, float most)
{
    bool found = false;
    for (int j = 0; j < cols; j++) found |= row[j] <= most;
    return found;
}

static void guess(const mry_guess_def *def)
{
    int k = def->complex;
    for (int j = 0; j < 4 * def->blocks; j++) {
        int b = j / 4, r = j % 4;
        float *panel = def->panels + (size_t)(j / NR) * 4 * (size_t)(k * NR) + j % NR;
        float size = 0, left = -def->sizes[b];
        for (int n = 0; n < 3 * k; n++) {
            const float *at = def->numbers + (size_t)n * def->stride + b;
            float one = 0;
            for (int t = 0; t < 5; t++) {
                one += def->shares[4 * t + r] * at[t];
                if (n == 3 * k - 1) left += def->shares[4 * t + r] * (at[t] * at[t]);
            }
            if (n < 3 * k - 1) size += one * one;
            panel[(n < 2 * k ? n : n + k) * NR] = one;
        }
        for (int n = 0; n < k; n++) panel[(2 * k + n) * NR] = panel[n * NR] - panel[(k + n) * NR];
        for (int t = 0; t < 2; t++) {
            const float *step = def->steps + b + t;
            float far = step[0] + step[1] + step[2];
            left -= step[1] * step[1] * def->middle[4 * t + r] + far * far * def->outer[4 * t + r];
        }
        left = left > 0 ? left : 0;
        panel[(4 * k - 1) * NR] = sqrtf(left);
        def->row_sizes[j] = size + left;
    }
}

static void back(const mry_back_def *def, int cols)
{
    for (int j = 0; j < cols; j++) {
        def->through[j] = fminf(def->through[j], def->sums[j] + def->behind[j]);
        def->room[j] = def->costs[j] + def->behind[j];
    }
    for (int j = 0; j < cols; j++) {
        def->behind[j] = def->room[j];
        for (int d = 1; d <= def->reach; d++)
            def->behind[j] = fminf(def->behind[j], def->room[j + d]);
    }
}

static void unpack(const mry_unpack_def *def, float *panel, float *sizes)
{
    int k = 2 * def->points;
    for (int c = 0; c < NR; c++) {
        float size = 0, mean[3] = { 0 }, unit = def->units[c];
        for (int i = 0; i < k; i++) {
            bool place = i < def->points;
            float at[3], weight = def->weights[place ? i : i - def->points];
            for (int a = 0; a < 3; a++) {
                int root = place ? 0 : def->roots[(3 * (i - def->points) + a) * NR + c];
                at[a] =
                    place ? (float)def->places[(3 * i + a) * NR + c] : (float)(root * abs(root));
                at[a] *= unit * (place ? def->place : def->speed);
                size += weight * (at[a] * at[a]);
                if (place) mean[a] += weight * at[a];
            }
            panel[i * NR + c] = at[0];
            panel[(k + i) * NR + c] = at[1];
            panel[(2 * k + i) * NR + c] = at[0] - at[1];
            panel[(3 * k + i) * NR + c] = at[2];
        }
        for (int a = 0; a < 3; a++) size -= mean[a] * mean[a];
        sizes[c] = unit > 0 ? size : def->absent;
    }
}

static void widths(const mry_widths_def *def, float *out)
{
    for (int c = 0; c < NR; c++) {
        float sum = 0;
        for (int p = 0; p < def->points; p++) {
            int root = def->roots[p * NR + c];
            float width = root == 255 ? MRY_KERNEL_FAR : def->width * (float)(root * root);
            sum += def->weights[p] * (width * width);
        }
        out[c] = def->units[c] * sqrtf(sum);
    }
}

static void warp(const float *c, const mry_warp_def *def, int cols)
{
    size_t stride = def->sums_stride;
    for (int j = 0; j < cols; j++) {
        float *sum = def->sums + j;
        int32_t *from = def->from ? def->from + j : NULL;
        int way = 1, kept = 0;
        for (int d = 2; d <= def->most; d++) {
            if (def->before[j - d] < def->before[j - way]) way = d;
        }
        for (size_t z = (size_t)def->stays; z > 0; z--) {
            sum[z * stride] = sum[(z - 1) * stride] + c[j];
            if (from) from[z * stride] = from[(z - 1) * stride];
        }
        sum[0] = def->before[j - way] + c[j];
        if (from) from[0] = def->before_from[j - way];
        for (int z = 1; z <= def->stays; z++) {
            if (sum[(size_t)z * stride] < sum[(size_t)kept * stride]) kept = z;
        }
        def->best[j] = sum[(size_t)kept * stride];
        if (from) def->best_from[j] = from[(size_t)kept * stride];
    }
}

static void ways(const mry_ways_def *def, int cols)
{
    const int slope = def->slope;
    const double *before = def->before;
    const int64_t *tags_before = def->tags_before;
    const bool tagged = tags_before != NULL;
    double *start = def->sums + def->stride;
    int64_t *start_tags = tagged ? def->tags + def->stride : NULL;
    for (int j = 0; j < cols; j++) {
        start[j] = before[j - 1] + (double)def->costs[j];
        if (!tagged) continue;
        start_tags[j] = tags_before[j - 1] + 1;
        if (tags_before[j - 1] < def->oldest[j]) start[j] = INFINITY;
    }
    for (int i = 0; i < def->start_count; i++) {
        const mry_way_start *at = &def->starts[i];
        start[at->col] = at->sum;
        if (tagged) start_tags[at->col] = at->tag;
    }
    for (int j = 0; j < cols; j++) {
        double best = start[j];
        int64_t tag = tagged ? start_tags[j] : 0;
        int state = 0;
        for (int k = slope; k >= 1; k--) {
            size_t plane = (size_t)k * def->stride;
            double across = start[j - k], down = before[plane + (size_t)j] + (double)def->costs[j];
            for (int i = j - k + 1; i <= j; i++) across += (double)def->costs[i];
            int64_t across_tag = tagged ? start_tags[j - k] + k : 0;
            int64_t down_tag = tagged ? tags_before[plane + (size_t)j] + 1 : 0;
            if (tagged && across_tag < def->oldest[j]) across = INFINITY;
            if (tagged && down_tag < def->oldest[j]) down = INFINITY;
            if (k < slope) def->sums[plane + def->stride + (size_t)j] = down;
            if (k < slope && tagged) def->tags[plane + def->stride + (size_t)j] = down_tag;
            if (across < best) best = across, tag = across_tag, state = k;
            if (down < best) best = down, tag = down_tag, state = slope + k;
        }
        def->sums[j] = best;
        if (tagged) def->tags[j] = tag;
        def->states[j] = (uint8_t)state;
        if (!def->least || !(best < def->least[j])) continue;
        def->least[j] = best;
        def->least_at[j] = def->row;
    }
}

static uint64_t below(const float *cells, float limit)
{
    uint64_t bits = 0;
    for (int j = 0; j < 64; j++) bits |= (uint64_t)(cells[j] < limit) << j;
    return bits;
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
                                      .bounds = bounds,
                                      .guess = guess,
                                      .any = any,
                                      .back = back,
                                      .unpack = unpack,
                                      .widths = widths,
                                      .warp = warp,
                                      .ways = ways,
                                      .below = below,
                                      .minima = minima };
