/* query_weights.c - arms count for punches and legs for walks, and what stands still is no match:
   both follow from the query alone. Decision 22 has what was tried. */
#include "match/query_weights.h"

#include <math.h>

/* The body seen from itself: rows about their middle, turned to lie best on the one in the middle
   of the query, all points alike. */
static void turn_row(int points, const float *row, const float *middle, double *out)
{
    double b = 0, c = 0;
    for (int p = 0; p < points; p++) {
        double x = (double)row[3 * p], z = (double)row[3 * p + 1];
        b += x * (double)middle[3 * p] + z * (double)middle[3 * p + 1];
        c += x * (double)middle[3 * p + 1] - z * (double)middle[3 * p];
    }
    double length = hypot(b, c), cosine = length > 0 ? b / length : 1;
    double sine = length > 0 ? c / length : 0;
    for (int p = 0; p < points; p++) {
        double x = (double)row[3 * p], z = (double)row[3 * p + 1];
        out[3 * p] = cosine * x - sine * z;
        out[3 * p + 1] = sine * x + cosine * z;
        out[3 * p + 2] = (double)row[3 * p + 2];
    }
}

bool mry_query_weights(mry_arena *mem, const mry_poses *poses, int first, int end, uint32_t has,
                       float *weights)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    int points = poses->points, numbers = 3 * points;
    const float *middle = poses->places + (size_t)((first + end) / 2) * (size_t)numbers;
    double *row = MRY_NEW(&tmp, double, numbers), *sum = MRY_NEW(&tmp, double, numbers);
    double *square = MRY_NEW(&tmp, double, numbers), most = 0, all = 0;
    bool fits = row && sum && square;
    for (int i = first; fits && i < end; i++) {
        turn_row(points, poses->places + (size_t)i * (size_t)numbers, middle, row);
        for (int k = 0; k < numbers; k++) {
            sum[k] += row[k];
            square[k] += row[k] * row[k];
        }
    }
    for (int p = 0; fits && p < points; p++) {
        double variance = 0, count = end - first;
        for (int k = 3 * p; k < 3 * p + 3; k++)
            variance += fmax(square[k] / count - sum[k] / count * (sum[k] / count), 0);
        row[p] = sqrt(variance);
        if (poses->by_roles && !(has & poses->has & (uint32_t)1 << p)) row[p] = -1;
        most = fmax(most, row[p]);
    }
    for (int p = 0; fits && p < points; p++) {
        row[p] = row[p] < 0 ? 0 : most > 0 ? sqrt(fmax(row[p] / most, 0.05)) : 1;
        all += row[p];
    }
    for (int p = 0; fits && p < points; p++) weights[p] = all > 0 ? (float)(row[p] / all) : 0;
    mry_arena_free(&tmp);
    return fits;
}

float mry_still_cost(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses, int first,
                     float unit)
{
    return mry_still_at_most(mem, query, poses, first, unit, 0);
}

float mry_still_at_most(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                        int first, float unit, float enough)
{
    enum { MOST = 128 }; /* that are tried; of more, so many of them */
    mry_arena tmp = mry_arena_make(mem->ctx);
    int rows = query->rows, tried = rows <= MOST ? rows : MOST, at[MRY_KERNEL_MOST_NR];
    float costs[MRY_KERNEL_MOST_NR], least = INFINITY;
    /* A panel of them at a time, each spread over all. */
    int nr = query->kernel->nr, turns = (tried + nr - 1) / nr;
    bool fits = true;
    for (int turn = 0; turn < turns && fits && !(least < enough); turn++) {
        int count = 0;
        for (int k = turn; k < tried; k += turns)
            at[count++] = first + mry_scan_row(query, (int)((int64_t)k * rows / tried));
        fits = mry_scan_means(&tmp, query, poses, unit, at, count, costs);
        for (int i = 0; i < count && fits; i++) least = fminf(least, costs[i]);
    }
    mry_arena_free(&tmp);
    return fits ? least : -1;
}
