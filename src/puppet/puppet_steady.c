/* puppet_steady.c - what a shaking hand meant to show. White noise of a centimetre a sample is more
   than half a metre a second: nothing is left of how fast a character went, and a moment is not even
   like itself once it is smoothed. So where half of a run is off a curve through its neighbours, the
   reacting one goes along the curve: at every sample the line that fits those around it best, which
   count the less the farther they are (Cleveland 1979). A run without noise stays as it is, to the
   last bit. */
#include "puppet/puppet_data.h"

#define SHAKES_CM 0.25 /* off the curve: a tremble of a few millimetres is none, but detail */
#define AROUND_S 0.05  /* samples so far away count for 61 % .. */
#define FARTHEST 3.0   /* .. and those beyond so many times that for nothing */

enum { MOST_AROUND = 37 }; /* at 240 Hz */

/* Half of the third differences of white noise on a plan are longer than so many times its standard
   deviation. */
#define OF_NOISE (1.17741002251547469 * 4.47213595499957939)

static bool shakes(const mry_mover *first, int count)
{
    int farther = 0;
    for (const mry_mover *p = first; p < first + count - 3; p++) {
        double x = p[3].at.x_cm - p[0].at.x_cm - 3 * (p[2].at.x_cm - p[1].at.x_cm);
        double y = p[3].at.y_cm - p[0].at.y_cm - 3 * (p[2].at.y_cm - p[1].at.y_cm);
        farther += hypot(x, y) > SHAKES_CM * OF_NOISE;
    }
    return 2 * farther > count;
}

/* Where the line is at `now` that fits the samples before and behind it best. */
static void fit_line(const marey_entity *now, int before, int behind, const double *weights,
                     marey_entity *out)
{
    double sum = 0, along = 0, square = 0, x[2] = { 0 }, y[2] = { 0 };
    for (int i = -before; i <= behind; i++) {
        double weight = weights[i < 0 ? -i : i];
        sum += weight;
        along += weight * i;
        square += weight * i * i;
        x[0] += weight * now[i].x_cm;
        x[1] += weight * i * now[i].x_cm;
        y[0] += weight * now[i].y_cm;
        y[1] += weight * i * now[i].y_cm;
    }
    double whole = sum * square - along * along;
    out->x_cm = (square * x[0] - along * x[1]) / whole;
    out->y_cm = (square * y[0] - along * y[1]) / whole;
}

bool mry_puppet_steady(marey_puppet *puppet)
{
    double around = AROUND_S * puppet->def.rate, weights[MOST_AROUND];
    int far = (int)fmin(ceil(FARTHEST * around), MOST_AROUND - 1);
    for (int i = 0; i <= far; i++) weights[i] = exp(-0.5 * (i / around) * (i / around));
    for (int r = 0; r < puppet->run_count; r++) {
        int first = puppet->runs[r].first, end = first + puppet->runs[r].count;
        if (!shakes(puppet->react + first, end - first)) continue;
        if (!puppet->shown) {
            puppet->shown = MRY_NEW_RAW(&puppet->mem, marey_entity, puppet->count);
            if (!puppet->shown) return false;
            for (int j = 0; j < puppet->count; j++) puppet->shown[j] = puppet->react[j].at;
        }
        for (int j = first; j < end; j++) {
            if (mry_puppet_stops(puppet, j)) return false;
            fit_line(&puppet->shown[j], j - first < far ? j - first : far,
                     end - 1 - j < far ? end - 1 - j : far, weights, &puppet->react[j].at);
        }
        if (!mry_puppet_move(puppet, r)) return false;
    }
    return true;
}
