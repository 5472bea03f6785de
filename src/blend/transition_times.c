/* transition_times.c - when the frames of a transition are: Kovar & Gleicher 2003, 6.1.

   From the centre, time flows along the curve to both sides at the pace of whoever has the weight. Then the times are
   displaced a little, so that the first frame is a whole frame of the first motion and the last one of the second. The
   displacement goes smoothly from what one end needs to what the other needs, so the pace does not change at the ends,
   and of the whole frames next to the ends those are taken that need the least change of pace. */
#include "blend/seam.h"

/* 0 .. 1, with no slope at both ends. */
static double ease(double x)
{
    return x * x * (3 - 2 * x);
}

static void fill_weights(mry_seam_times *times, int half)
{
    for (int i = 0; i <= 2 * half; i++) {
        double second = ease(i / (2.0 * half));
        times->weights[2 * i] = 1 - second;
        times->weights[2 * i + 1] = second;
    }
}

/* Where the curve ends, time goes on at the same pace: whole frames are found for the ends anyway. */
static double go_on(const marey_registration *of, double u, const double *weights, double rows)
{
    double slopes[2], pace = 0;
    marey_registration_times(of, u, NULL, slopes);
    for (int j = 0; j < 2; j++) pace += weights[j] / fmax(slopes[j], 1e-9);
    return u + rows * pace;
}

/* Frames that the curve has room for on one side of the centre, at most half; up to half a frame may be missing. */
static int flow(const marey_registration *of, mry_seam_times *times, int half, int way)
{
    for (int n = 0; n < half; n++) {
        int from = half + way * n, to = from + way;
        const double *w = times->weights + 2 * from, *v = times->weights + 2 * to;
        double left;
        times->u[to] = mry_blend_advance_by(of, times->u[from], w, v, way, &left);
        if (left == 0) continue;
        times->u[to] = go_on(of, times->u[to], v, left);
        return fabs(left) > 0.5 ? n : n + 1;
    }
    return half;
}

/* ---- whole frames at the ends ----------------------------------------------------------------------------- */

/* The whole rows of a motion around u that the curve reaches, as places on the curve. */
static int whole_rows(const marey_registration *of, int motion, double u, int *rows, double *at)
{
    double first, last, low[2], high[2], here[2];
    int count = 0;
    marey_registration_range(of, &first, &last);
    marey_registration_times(of, first, low, NULL);
    marey_registration_times(of, last, high, NULL);
    marey_registration_times(of, u, here, NULL);
    double near = round(here[motion]);
    for (int n = -1; n <= 1; n++) {
        double row = near + n;
        if (row < low[motion] - 1e-6 || row > high[motion] + 1e-6) continue;
        if (fabs(row - here[motion]) > 1) continue;
        rows[count] = (int)row;
        at[count++] = marey_registration_find(of, motion, row);
    }
    return count;
}

/* The displacement at frame i of 2 half + 1. */
static double displacement(double first, double last, int i, int half)
{
    return first + (last - first) * ease(i / (2.0 * half));
}

/* Does time still run forwards everywhere, at no less than a fifth of its pace? */
static bool keeps_pace(const double *u, int half, double first, double last)
{
    double before = first;
    for (int i = 0; i < 2 * half; i++) {
        double behind = displacement(first, last, i + 1, half), step = u[i + 1] - u[i];
        if (!(step + behind - before >= 0.2 * step)) return false;
        before = behind;
    }
    return true;
}

/* false: no whole frames at the ends leave time running forwards. */
static bool displace(const marey_registration *of, mry_seam_times *times, int half)
{
    int rows[2][3], count[2];
    double at[2][3], best = INFINITY, by[2] = { 0, 0 }, *u = times->u;
    count[0] = whole_rows(of, 0, u[0], rows[0], at[0]);
    count[1] = whole_rows(of, 1, u[2 * half], rows[1], at[1]);
    for (int n = 0; n < count[0]; n++) {
        for (int m = 0; m < count[1]; m++) {
            double first = at[0][n] - u[0], last = at[1][m] - u[2 * half];
            /* first of all little change of pace; the centre should stay where it is, too */
            double bad = fabs(last - first) + 0.2 * (fabs(first) + fabs(last));
            if (bad >= best || !keeps_pace(u, half, first, last)) continue;
            best = bad;
            by[0] = first;
            by[1] = last;
            times->ends[0] = rows[0][n];
            times->ends[1] = rows[1][m];
        }
    }
    if (isinf(best)) return false;
    for (int i = 0; i <= 2 * half; i++) u[i] += displacement(by[0], by[1], i, half);
    return true;
}

void mry_seam_times_find(const marey_registration *of, mry_seam_times *times)
{
    double middle = 0;
    for (int j = 0; j < 2; j++) middle += marey_registration_find(of, j, times->centre[j]) / 2;
    for (int half = times->half; half > 0;) {
        times->u[half] = middle;
        fill_weights(times, half);
        int before = flow(of, times, half, -1), after = flow(of, times, half, 1);
        int room = before < after ? before : after;
        if (room == half && displace(of, times, half)) {
            times->half = half;
            return;
        }
        half = room < half ? room : half - 1;
    }
    times->half = 0;
}
