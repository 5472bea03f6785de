/* weight_model.c - a Gaussian process and its expected improvement: Jones, Schonlau & Welch 1998,
   "Efficient global optimization of expensive black-box functions". Covariances are Matern's with
   nu = 5/2, which suits functions that are less than smooth; how far they reach and how much of a
   value is noise are those of a few that make the known values most likely. */
#include "grid/weight_model.h"

#include <math.h>

void mry_model_add(mry_model *m, const double *place, double value)
{
    int n = m->count++;
    for (int d = 0; d < m->dims; d++) m->place[n][d] = place[d];
    m->value[n] = value;
    if (value < m->value[m->best]) m->best = n;
}

static double covariance(const mry_model *m, const double *a, const double *b)
{
    double sum = 0;
    for (int d = 0; d < m->dims; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
    double r = sqrt(5 * sum) / m->reach;
    return (1 + r + r * r / 3) * exp(-r);
}

static double fit_with(mry_model *m, double reach, double rough)
{
    m->reach = reach;
    m->rough = rough;
    /* Cholesky's decomposition of the covariances of the known places. */
    for (int i = 0; i < m->count; i++) {
        for (int j = 0; j <= i; j++) {
            double v = covariance(m, m->place[i], m->place[j]) + (i == j ? m->rough : 0);
            for (int k = 0; k < j; k++) v -= m->root[i][k] * m->root[j][k];
            m->root[i][j] = i == j ? sqrt(fmax(v, 1e-12)) : v / m->root[j][j];
        }
    }
    /* What each known value pulls, and the logarithm of the values' likelihood but for a
       constant. */
    double half[MRY_MODEL_ROOM], square = 0, volume = 0;
    for (int i = 0; i < m->count; i++) {
        double v = (m->value[i] - m->mean) / m->spread;
        for (int k = 0; k < i; k++) v -= m->root[i][k] * half[k];
        half[i] = v / m->root[i][i];
        square += half[i] * half[i];
        volume += log(m->root[i][i]);
    }
    for (int i = m->count - 1; i >= 0; i--) {
        double v = half[i];
        for (int k = i + 1; k < m->count; k++) v -= m->root[k][i] * m->pull[k];
        m->pull[i] = v / m->root[i][i];
    }
    m->scale = fmax(square / m->count, 1e-12);
    return -0.5 * m->count * log(m->scale) - volume;
}

void mry_model_fit(mry_model *m)
{
    static const double reaches[] = { 1, 1.5, 2.25, 3.4, 5, 7.6 }, roughs[] = { 1e-3, 1e-2, 1e-1 };
    double sum = 0, squares = 0, likeliest = -INFINITY, reach = 1, rough = 1e-2;
    for (int n = 0; n < m->count; n++) sum += m->value[n];
    m->mean = sum / m->count;
    for (int n = 0; n < m->count; n++) squares += (m->value[n] - m->mean) * (m->value[n] - m->mean);
    m->spread = sqrt(squares / m->count) + 1e-12;
    for (int n = 0; n < 18; n++) {
        double found = fit_with(m, reaches[n / 3], roughs[n % 3]);
        if (!(found > likeliest)) continue;
        likeliest = found;
        reach = reaches[n / 3];
        rough = roughs[n % 3];
    }
    fit_with(m, reach, rough);
}

double mry_model_promise(const mry_model *m, const double *place)
{
    double with[MRY_MODEL_ROOM], guess = 0, left = 1;
    for (int i = 0; i < m->count; i++) {
        with[i] = covariance(m, place, m->place[i]);
        guess += with[i] * m->pull[i];
    }
    for (int i = 0; i < m->count; i++) {
        for (int k = 0; k < i; k++) with[i] -= m->root[i][k] * with[k];
        with[i] /= m->root[i][i];
        left -= with[i] * with[i];
    }
    double doubt = sqrt(fmax(left, 1e-9) * m->scale);
    double gain = (m->value[m->best] - m->mean) / m->spread - guess, z = gain / doubt;
    double chance = 0.5 * erfc(-z / sqrt(2.0)), density = exp(-0.5 * z * z) / sqrt(2 * acos(-1.0));
    return gain * chance + doubt * density;
}
