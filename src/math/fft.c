/* fft.c - Cooley & Tukey 1965, radix 2, in place: numbers are put in the order of their reversed bits, then ever
   longer transforms are joined in pairs. */
#include "math/fft.h"

#include <math.h>

size_t mry_fft_size(size_t count)
{
    size_t size = 1;
    while (size < count) size *= 2;
    return size;
}

void mry_fft_roots(size_t size, mry_complex *roots)
{
    double step = -2 * acos(-1.0) / (double)size;
    for (size_t k = 0; k < size / 2; k++) {
        roots[k] = (mry_complex){ cos(step * (double)k), sin(step * (double)k) };
    }
}

static void reverse_bits(mry_complex *values, size_t size)
{
    for (size_t i = 1, j = 0; i < size; i++) {
        size_t bit = size / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j ^= bit;
        if (i < j) {
            mry_complex kept = values[i];
            values[i] = values[j];
            values[j] = kept;
        }
    }
}

void mry_fft(mry_complex *values, size_t size, const mry_complex *roots, int backwards)
{
    reverse_bits(values, size);
    for (size_t half = 1; half < size; half *= 2) {
        size_t stride = size / (2 * half);
        for (size_t first = 0; first < size; first += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                mry_complex root = roots[k * stride], *a = values + first + k, *b = a + half;
                double im = backwards ? -root.im : root.im;
                mry_complex turned = { b->re * root.re - b->im * im, b->re * im + b->im * root.re };
                *b = (mry_complex){ a->re - turned.re, a->im - turned.im };
                *a = (mry_complex){ a->re + turned.re, a->im + turned.im };
            }
        }
    }
}
