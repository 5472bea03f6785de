/* fourier_judge.c - the mask of a frame slides over the second clip: a correlation, and so a
   product of spectra. Since a mask sums to 0, the mean of the second clip's mask cancels and its
   curvatures can be used as they are:

       sum over l of m_l (k_{j+l} - mean_j) = sum over l of m_l k_{j+l}

   The spectra of all joints are added before one transform back. */
#include "fourier_judge.h"

#include <complex.h>
#include <stdlib.h>

/* Cooley & Tukey 1965, by halves: out[k] = sum over n of in[n * stride] exp(sign 2 pi i k n /
   size). */
static void transform(const double complex *in, size_t stride, size_t size, int sign,
                      double complex *out)
{
    if (size == 1) {
        out[0] = in[0];
        return;
    }
    transform(in, 2 * stride, size / 2, sign, out);
    transform(in + stride, 2 * stride, size / 2, sign, out + size / 2);
    for (size_t k = 0; k < size / 2; k++) {
        double complex even = out[k];
        double complex odd =
            cexp(sign * 2 * acos(-1.0) * I * (double)k / (double)size) * out[k + size / 2];
        out[k] = even + odd;
        out[k + size / 2] = even - odd;
    }
}

void fourier_covariances(const marey_features *a, int row, const marey_features *b, double *out)
{
    const marey_layout *layout = a->layout;
    size_t joints = (size_t)layout->joints, size = 1;
    while (size < (size_t)(b->rows + layout->window)) size *= 2;
    double complex *room = calloc(5 * size, sizeof *room);
    double complex *mask = room, *signal = room + size, *masks = room + 2 * size;
    double complex *signals = room + 3 * size, *sum = room + 4 * size;
    for (size_t k = 0; k < joints; k++) {
        double mean = 0, weight = layout->weight[k] * layout->window;
        for (size_t n = 0; n < size; n++) mask[n] = signal[n] = 0;
        for (int s = 0; s < layout->window; s++) {
            size_t at = (size_t)mry_row_held(a, row - layout->before + s);
            mask[s] = a->curvature[at * joints + k];
            mean += layout->frame_weight[s] * creal(mask[s]);
        }
        for (int s = 0; s < layout->window; s++)
            mask[s] = layout->frame_weight[s] * (mask[s] - mean);
        for (int t = 0; t < b->rows + layout->window - 1; t++) {
            size_t at = (size_t)mry_row_held(b, t - layout->before);
            signal[t] = weight * b->curvature[at * joints + k];
        }
        transform(mask, 1, size, -1, masks);
        transform(signal, 1, size, -1, signals);
        for (size_t n = 0; n < size; n++) sum[n] += conj(masks[n]) * signals[n];
    }
    transform(sum, 1, size, 1, signal);
    for (int j = 0; j < b->rows; j++) out[j] = creal(signal[j]) / (double)size;
    free(room);
}
