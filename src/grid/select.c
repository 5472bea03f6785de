/* select.c - the least cells of a grid without sorting it. The bits of floats >= 0 are ordered as the floats are, so three
   counts of 11, 11 and 10 bits find the last value that belongs to them. */
#include "grid/grid_data.h"

#include <string.h>

enum { BINS = 2048 };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Counts the cells whose bits above `shift + width` are those of `prefix`, by the `width` bits from `shift` on. */
typedef struct digit {
    int shift, width;
} digit;

static void count_bins(const float *cells, int rows, int cols, size_t stride, digit at,
                       uint32_t prefix, int64_t *bins)
{
    uint32_t mask = (1u << at.width) - 1;
    memset(bins, 0, BINS * sizeof *bins);
    for (int i = 0; i < rows; i++) {
        const float *row = cells + (size_t)i * stride;
        for (int j = 0; j < cols; j++) {
            uint32_t bits = bits_of(row[j]) >> at.shift;
            if (bits >> at.width == prefix) bins[bits & mask]++;
        }
    }
}

mry_cut mry_select(const float *cells, int rows, int cols, size_t stride, int64_t count)
{
    static const digit digits[] = { { 21, 11 }, { 10, 11 }, { 0, 10 } };
    int64_t bins[BINS], left = count;
    uint32_t prefix = 0;
    for (int d = 0; d < 3; d++) {
        uint32_t bin = 0;
        count_bins(cells, rows, cols, stride, digits[d], prefix, bins);
        while (left > bins[bin]) left -= bins[bin++];
        prefix = prefix << digits[d].width | bin;
    }
    mry_cut cut = { .ties = left };
    memcpy(&cut.value, &prefix, sizeof cut.value);
    return cut;
}

int64_t mry_shut_marked(const marey_features *a, const marey_features *b, float *cells,
                        size_t stride)
{
    int64_t rows = 0, cols = 0;
    for (int j = 0; j < b->rows; j++) cols += !b->marked[j];
    for (int i = 0; i < a->rows; i++) {
        float *row = cells + (size_t)i * stride;
        rows += !a->marked[i];
        for (int j = 0; j < b->rows; j++) {
            if (a->marked[i] || b->marked[j]) row[j] = INFINITY;
        }
    }
    return rows * cols;
}
