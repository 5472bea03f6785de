/* quantile.c - quickselect (Hoare 1961) with the middle of three as pivot. */
#include "motion/quantile.h"

#include <assert.h>

double mry_quantile(double *values, size_t count, double q)
{
    assert(count > 0 && q >= 0 && q <= 1);
    size_t want = (size_t)(q * (double)(count - 1)), first = 0, last = count - 1;
    while (first < last) {
        double a = values[first], b = values[last], c = values[first + (last - first) / 2];
        double low = a < b ? a : b, high = a < b ? b : a,
               pivot = c < low    ? low
                       : c > high ? high
                                  : c;
        size_t i = first, j = last;
        /* values[first .. i) <= pivot <= values(j .. last]; the scans stop at equals, so that a list
           of equal values is cut in the middle */
        for (;;) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i >= j) break;
            double swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (want <= j) {
            last = j;
        } else {
            first = j + 1;
        }
    }
    return values[want];
}
