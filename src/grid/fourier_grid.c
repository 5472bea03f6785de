/* fourier_grid.c - the correlation of curvatures (Guan & Yang, eq. 3.5) by way of the Fourier domain, as their section 5
   suggests. The mask of a frame slides over the second clip: a correlation, and so a product of spectra. Since a mask sums
   to 0, the mean of the second clip's mask cancels and its curvatures can be used as they are:

       sum over l of m_l (k_{j+l} - mean_j) = sum over l of m_l k_{j+l}

   The spectra of all joints are added before one transform back, which gives a whole row of the grid. A mask of 9 frames is
   short, so this costs more than the direct form; it gains with long masks. */
#include "base/fail.h"
#include "grid/grid_data.h"
#include "math/fft.h"

#include <string.h>

typedef struct lane { /* what one piece of the work needs for itself */
    mry_complex *mask, *sum;
} lane;

typedef struct work {
    marey_ctx *ctx;
    const marey_features *a, *b;
    marey_grid *grid;
    size_t size;
    mry_complex *roots, *spectra; /* of the second clip: joints x size */
    double *length_a, *length_b;  /* of each mask; NULL if it is not normalised */
    int lanes;
    lane *lane;
} work;

/* Curvatures of one joint with both ends repeated, from the first mask's first frame on. A constant does not matter and is
   taken off to keep the numbers small. */
static void transform_signal(const work *w, int joint, mry_complex *out)
{
    const marey_features *b = w->b;
    const marey_layout *layout = b->layout;
    const double *values = b->curvature + joint;
    size_t joints = (size_t)layout->joints;
    double weight = layout->weight[joint] * layout->window;
    memset(out, 0, w->size * sizeof *out);
    for (int t = 0; t < b->rows + layout->window - 1; t++) {
        size_t at = (size_t)mry_row_held(b, t - layout->before);
        out[t].re = weight * (values[at * joints] - values[0]);
    }
    mry_fft(out, w->size, w->roots, 0);
}

/* sum += conj(mask's spectrum) * signal's. */
static void add_joint(const work *w, const lane *l, int row, int joint)
{
    const marey_layout *layout = w->a->layout;
    const mry_complex *signal = w->spectra + (size_t)joint * w->size;
    size_t joints = (size_t)layout->joints;
    double mean = 0;
    memset(l->mask, 0, w->size * sizeof *l->mask);
    for (int s = 0; s < layout->window; s++) {
        size_t at = (size_t)mry_row_held(w->a, row - layout->before + s);
        l->mask[s].re = w->a->curvature[at * joints + (size_t)joint];
        mean += layout->frame_weight[s] * l->mask[s].re;
    }
    for (int s = 0; s < layout->window; s++)
        l->mask[s].re = layout->frame_weight[s] * (l->mask[s].re - mean);
    mry_fft(l->mask, w->size, w->roots, 0);
    for (size_t n = 0; n < w->size; n++) {
        mry_complex m = l->mask[n], s = signal[n];
        l->sum[n].re += m.re * s.re + m.im * s.im;
        l->sum[n].im += m.re * s.im - m.im * s.re;
    }
}

static void do_row(const work *w, const lane *l, int row)
{
    const uint8_t *candidate = w->grid->candidates + (size_t)row * (size_t)w->grid->cols;
    float *cells = w->grid->cells + (size_t)row * w->grid->stride;
    memset(l->sum, 0, w->size * sizeof *l->sum);
    for (int k = 0; k < w->a->layout->joints; k++) add_joint(w, l, row, k);
    mry_fft(l->sum, w->size, w->roots, 1);
    for (int j = 0; j < w->grid->cols; j++) {
        double value = l->sum[j].re / (double)w->size;
        if (w->length_a) {
            double lengths = w->length_a[row] * w->length_b[j];
            value = lengths > 0 ? value / lengths : 0;
        }
        if (candidate[j]) cells[j] = (float)value;
    }
}

static void do_lane(void *user, int64_t number)
{
    const work *w = user;
    for (int row = (int)number; row < w->grid->rows; row += w->lanes) {
        if (mry_cancelled(w->ctx)) return;
        do_row(w, &w->lane[number], row);
    }
}

/* Lengths of all masks; of one that hardly changes 0. */
static double *mask_lengths(mry_arena *tmp, const marey_features *f)
{
    int length = f->layout->window * f->layout->joints;
    double *out = MRY_NEW(tmp, double, f->rows), *mask = MRY_NEW(tmp, double, length);
    if (!out || !mask) return NULL;
    for (int row = 0; row < f->rows; row++) {
        double square = 0;
        mry_curvature_mask(f, row, mask);
        for (int n = 0; n < length; n++) square += mask[n] * mask[n];
        out[row] = square > 1e-30 ? sqrt(square) : 0;
    }
    return out;
}

static bool prepare(mry_arena *tmp, work *w)
{
    const marey_layout *layout = w->a->layout;
    w->size = mry_fft_size((size_t)w->b->rows + (size_t)layout->window);
    w->lanes = 4 * marey_ctx_threads(w->ctx);
    w->roots = MRY_NEW_RAW(tmp, mry_complex, w->size / 2 + 1);
    w->spectra = MRY_NEW_RAW(tmp, mry_complex, w->size * (size_t)layout->joints);
    w->lane = MRY_NEW(tmp, lane, w->lanes);
    if (!w->roots || !w->spectra || !w->lane) return false;
    for (int i = 0; i < w->lanes; i++) {
        w->lane[i].mask = MRY_NEW_RAW(tmp, mry_complex, w->size);
        w->lane[i].sum = MRY_NEW_RAW(tmp, mry_complex, w->size);
        if (!w->lane[i].mask || !w->lane[i].sum) return false;
    }
    mry_fft_roots(w->size, w->roots);
    for (int k = 0; k < layout->joints; k++)
        transform_signal(w, k, w->spectra + (size_t)k * w->size);
    if (!layout->def.normalised) return true;
    w->length_a = mask_lengths(tmp, w->a);
    w->length_b = mask_lengths(tmp, w->b);
    return w->length_a && w->length_b;
}

marey_status mry_fourier_grid(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                              marey_grid *grid, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    work w = { .ctx = ctx, .a = a, .b = b, .grid = grid };
    bool room = prepare(&tmp, &w);
    if (room) marey_ctx_run(ctx, w.lanes, do_lane, &w);
    mry_arena_free(&tmp);
    if (!room) return mry_fail_memory(error, NULL);
    return mry_cancelled(ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}
