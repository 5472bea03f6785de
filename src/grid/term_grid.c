/* term_grid.c - one attribute of a metric for all pairs of frames. The second clip's numbers are
   laid out so that those of neighbouring columns are neighbours: a strip of columns is measured at
   once, vector after vector, in loops that compilers turn into vector instructions.

       strip of 128 columns:   vectors x dims rows of 128 floats */
#include "base/fail.h"
#include "grid/grid_data.h"

#include <string.h>

enum { STRIP = 128, BLOCK = 16 };

typedef struct work {
    marey_ctx *ctx;
    const mry_term_job *job;
    float *strips;
    size_t strip_floats;
} work;

/* sum[j] += |a - b_j|^2, the differences' squares of all dims. */
static void add_squares(const float *a, const float *strip, int dims, float *sum)
{
    for (int d = 0; d < dims; d++) {
        const float x = a[d], *b = strip + d * STRIP;
        for (int j = 0; j < STRIP; j++) sum[j] += (x - b[j]) * (x - b[j]);
    }
}

/* The usual case in one loop, so that nothing goes through memory. */
static void add_norms3(const float *a, const float *strip, float *sum)
{
    const float ax = a[0], ay = a[1], az = a[2];
    const float *x = strip, *y = strip + STRIP, *z = strip + 2 * STRIP;
    for (int j = 0; j < STRIP; j++) {
        float dx = ax - x[j], dy = ay - y[j], dz = az - z[j];
        sum[j] += sqrtf(dx * dx + dy * dy + dz * dz);
    }
}

/* The angle between two rotations from the chord between their quaternions: 4 asin(|q - q'| / 2),
   of q' and -q' the nearer. Unlike the arc cosine of the product this keeps its precision at small
   angles. asin(x) / x as a polynomial of x^2, Chebyshev's on [0, 0.5]; off by less than 5e-8. */
static void add_angles(const float *a, const float *strip, float weight, float *sum)
{
    const float *w = strip, *x = strip + STRIP, *y = strip + 2 * STRIP, *z = strip + 3 * STRIP;
    const float aw = a[0], ax = a[1], ay = a[2], az = a[3], factor = 4 * weight;
    for (int j = 0; j < STRIP; j++) {
        float dw = aw - w[j], dx = ax - x[j], dy = ay - y[j], dz = az - z[j];
        float sw = aw + w[j], sx = ax + x[j], sy = ay + y[j], sz = az + z[j];
        float near = dw * dw + dx * dx + dy * dy + dz * dz;
        float far = sw * sw + sx * sx + sy * sy + sz * sz;
        float t = 0.25f * (near < far ? near : far);
        float p = 0.112263833f;
        p = p * t - 0.0945387901f;
        p = p * t + 0.0785416325f;
        p = p * t + 0.0157301326f;
        p = p * t + 0.046651778f;
        p = p * t + 0.0748673032f;
        p = p * t + 0.166669965f;
        p = p * t + 0.999999987f;
        sum[j] += factor * (sqrtf(t) * p);
    }
}

static void do_block(void *user, int64_t block)
{
    const work *w = user;
    const mry_term_job *job = w->job;
    const mry_term *term = job->a;
    int dims = term->dims;
    size_t numbers = (size_t)term->vectors * (size_t)dims;
    int first = (int)block * BLOCK, end = job->rows - first < BLOCK ? job->rows : first + BLOCK;
    if (mry_cancelled(w->ctx)) return;
    for (int from = 0; from < job->cols; from += STRIP) {
        const float *strip = w->strips + (size_t)(from / STRIP) * w->strip_floats;
        int count = job->cols - from < STRIP ? job->cols - from : STRIP;
        for (int i = first; i < end; i++) {
            float sum[STRIP], *cells = job->cells + (size_t)i * job->stride + from;
            const float *a = term->values + (size_t)i * numbers, *b = strip;
            memset(sum, 0, sizeof sum);
            for (int v = 0; v < term->vectors; v++, a += dims, b += dims * STRIP) {
                if (term->kind == MRY_TERM_SQUARE) {
                    add_squares(a, b, dims, sum);
                } else if (term->kind == MRY_TERM_ANGLE) {
                    add_angles(a, b, term->weight[v], sum);
                } else if (dims == 3) {
                    add_norms3(a, b, sum);
                } else {
                    float squares[STRIP] = { 0 };
                    add_squares(a, b, dims, squares);
                    for (int j = 0; j < STRIP; j++) sum[j] += sqrtf(squares[j]);
                }
            }
            for (int j = 0; j < count; j++)
                cells[j] = (job->add ? cells[j] : 0.0f) + job->factor * sum[j];
        }
    }
}

marey_status mry_term_grid(marey_ctx *ctx, const mry_term_job *job, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    size_t numbers = (size_t)job->b->vectors * (size_t)job->b->dims;
    size_t strips = ((size_t)job->cols + STRIP - 1) / STRIP;
    work w = { .ctx = ctx, .job = job, .strip_floats = numbers * STRIP };
    /* The last strip is filled up with zeros: finite numbers that are never read. */
    w.strips = MRY_NEW(&tmp, float, strips *w.strip_floats);
    if (!w.strips) return mry_fail_memory(error, NULL);
    for (int col = 0; col < job->cols; col++) {
        const float *from = job->b->values + (size_t)col * numbers;
        float *to = w.strips + (size_t)(col / STRIP) * w.strip_floats + col % STRIP;
        for (size_t n = 0; n < numbers; n++) to[n * STRIP] = from[n];
    }
    marey_ctx_run(ctx, ((int64_t)job->rows + BLOCK - 1) / BLOCK, do_block, &w);
    mry_arena_free(&tmp);
    return mry_cancelled(ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}
