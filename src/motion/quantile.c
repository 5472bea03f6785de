/* quantile.c - quickselect (Hoare 1961) with the middle of three as pivot. */
#include "motion/quantile.h"

#include <assert.h>

double mry_nth(double *values, size_t count, size_t rank)
{
    assert(rank < count);
    size_t first = 0, last = count - 1;
    while (first < last) {
        double a = values[first], b = values[last], c = values[first + (last - first) / 2];
        double low = a < b ? a : b, high = a < b ? b : a;
        double pivot = c < low ? low : c < high ? c : high;
        size_t i = first, j = last;
        /* values[first .. i) <= pivot <= values(j .. last]; the scans stop at equals, so that a
           list of equal values is cut in the middle */
        for (;;) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i >= j) break;
            double swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (rank <= j) {
            last = j;
        } else {
            first = j + 1;
        }
    }
    return values[rank];
}

double mry_quantile(double *values, size_t count, double q)
{
    assert(count > 0 && q >= 0 && q <= 1);
    return mry_nth(values, count, (size_t)(q * (double)(count - 1)));
}
