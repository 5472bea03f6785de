/* graph_jump.c - how smooth a transition is, as a number: the largest step of any joint while the difference between the
   two motions is spread over both sides of it, over the largest step that any joint makes in the two motions there.
   Reckoned with places instead of turns, which is enough to say what jumps. */
#include "graph/graph_data.h"

#include <math.h>

/* A difference is spread over up to so many times the usual length. */
enum { MOST_SPREAD = 4 };

double mry_spread(double frames, int half)
{
    double t = 1 - frames / (half + 1);
    return t <= 0 ? 0 : t * t * (3 - 2 * t);
}

static double step_between(const float *p, const float *q)
{
    double x = (double)p[0] - q[0], y = (double)p[1] - q[1], z = (double)p[2] - q[2];
    return x * x + y * y + z * z;
}

/* The largest squared step of any joint, `half` frames before and behind a node. */
static double own_step(const mry_bodies *b, int node, int half)
{
    double most = 0;
    for (int side = 0; side < 2; side++) {
        const int *go = side ? b->graph->next : b->graph->before;
        for (int k = 0, n = node; k < half && go[n] >= 0; k++, n = go[n]) {
            const float *p = mry_body(b, n), *q = mry_body(b, go[n]);
            for (int j = 0; j < 3 * b->joints; j += 3) {
                double step = step_between(p + j, q + j);
                if (step > most) most = step;
            }
        }
    }
    return most;
}

/* A joint's place: turned and shifted, and moved by a share of the difference. */
static void moved(const float *p, mry_floor by, const double *off, double share, double *out)
{
    double x = p[0], z = p[2];
    mry_floor_apply(by, &x, &z);
    out[0] = x + share * off[0];
    out[1] = p[1] + share * off[1];
    out[2] = z + share * off[2];
}

static double squared(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* The largest squared step of joint j along i - half .. i, then what follows `other`, laid on i. */
static double spread_step(const mry_bodies *b, int j, int i, int other, mry_floor place, int half)
{
    const mry_floor stay = { 0 };
    double first[3], second[3], off[3], last[3], now[3], most = 0;
    moved(mry_body(b, i) + 3 * j, stay, (double[3]){ 0 }, 0, first);
    moved(mry_body(b, other) + 3 * j, place, (double[3]){ 0 }, 0, second);
    for (int k = 0; k < 3; k++) off[k] = first[k] - second[k];
    moved(mry_body(b, i) + 3 * j, stay, off, -0.5, last);
    double start[3] = { last[0], last[1], last[2] };
    for (int k = 1, n = b->graph->before[i]; k <= half && n >= 0; k++, n = b->graph->before[n]) {
        moved(mry_body(b, n) + 3 * j, stay, off, -0.5 * mry_spread(k, half), now);
        most = fmax(most, squared(now, last));
        for (int c = 0; c < 3; c++) last[c] = now[c];
    }
    for (int c = 0; c < 3; c++) last[c] = start[c];
    for (int k = 1, n = b->graph->next[other]; k <= half && n >= 0; k++, n = b->graph->next[n]) {
        moved(mry_body(b, n) + 3 * j, place, off, 0.5 * mry_spread(k, half), now);
        most = fmax(most, squared(now, last));
        for (int c = 0; c < 3; c++) last[c] = now[c];
    }
    return most;
}

/* The same ratio for one length of spreading. */
static double jump_over(const mry_bodies *bodies, int i, int j, mry_floor place, int half,
                        double own)
{
    double made = 0;
    for (int k = 0; k < bodies->joints; k++) {
        double step = spread_step(bodies, k, i, j, place, half);
        if (step > made) made = step;
    }
    return sqrt(made) / own;
}

/* Somebody who hardly moves shifts slowly too. */
double mry_graph_jump(const mry_bodies *bodies, int i, int j, mry_floor place, int *half)
{
    double own = sqrt(fmax(own_step(bodies, i, bodies->half), own_step(bodies, j, bodies->half)));
    double best = INFINITY;
    int most = MOST_SPREAD * bodies->half < UINT8_MAX ? MOST_SPREAD * bodies->half : UINT8_MAX;
    own = fmax(own, bodies->still_cm);
    for (int tried = bodies->half; tried <= most; tried += (tried + 1) / 2) {
        double jump = jump_over(bodies, i, j, place, tried, own);
        if (!(jump < best)) continue;
        best = jump;
        *half = tried;
        if (best <= bodies->graph->def.jump) break;
    }
    return best;
}
