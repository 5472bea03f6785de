/* fft.h - the discrete Fourier transform of complex numbers in double. Read by grid. */
#ifndef MRY_FFT_H
#define MRY_FFT_H

#include <stddef.h>

typedef struct mry_complex {
    double re, im;
} mry_complex;

/* The smallest power of two that is at least `count` (and 1). */
size_t mry_fft_size(size_t count);

/* Fills roots[0 .. size / 2) with exp(-2 pi i k / size). */
void mry_fft_roots(size_t size, mry_complex *roots);

/* In place; size is a power of two. Backwards leaves out the division by size. */
void mry_fft(mry_complex *values, size_t size, const mry_complex *roots, int backwards);

#endif
