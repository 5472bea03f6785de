/* family_refine.c - beyond the paper: the table's weights are only as good as the samples are
   dense, so they are corrected on the true function. Blends move nearly as the examples' values do,
   so those are the first guess of how values change with weights, J; what each step really did
   corrects it (Broyden's rank-one update). A step is the least change of weights that, by J, takes
   away what is left:

       minimise |d|  subject to  J d = r,  sum d_j = 0,  -delta <= w_j + d_j <= 1 + delta

   Weights that meet a bound stay there and the others are solved for again. Where r cannot be taken
   away the least squares answer remains, which is the nearest that these examples reach. Steps that
   do not help are halved. */
#include "param/family_data.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = MAREY_MOST_PARAM_DIMS + 1, MOST_ROUNDS = 12 };

/* Examples that take part: those of the start, and some near what is wanted. */
enum { MOST_SUPPORT = 4 * MRY_MOST_NEAR };

typedef struct refiner {
    const marey_family *family;
    mry_probe *probe;
    const double *wanted;
    int count;
    int motions[MOST_SUPPORT];
    double weights[MOST_SUPPORT];
    double slopes[MAREY_MOST_PARAM_DIMS][MOST_SUPPORT]; /* J, scaled */
    double values[MAREY_MOST_PARAM_DIMS];
    double error;
    bool held[MOST_SUPPORT]; /* at a bound, in the step that is solved for */
} refiner;

static bool look(refiner *r)
{
    if (!mry_family_look(r->family, r->probe, r->motions, r->weights, r->count, r->values))
        return false;
    r->error = mry_family_distance(r->family, r->values, r->wanted);
    if (!isfinite(r->error)) r->error = INFINITY;
    return true;
}

/* Solves the symmetric positive system a x = b of `n` rows in place, by Cholesky's method. */
static bool solve(double a[MOST_ROWS][MOST_ROWS], double *b, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
            if (i == j && !(sum > 0)) return false;
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return true;
}

static double entry_of(const refiner *r, const double *mean, double spread, int row, int i)
{
    return row < r->family->dims ? r->slopes[row][i] - mean[row] : spread;
}

/* The change of the free weights that takes away `rest` and adds `sum` to their sum. */
static bool solve_free(const refiner *r, const double *rest, double sum, double *change)
{
    int dims = r->family->dims, rows = dims + 1, free = 0;
    double mean[MAREY_MOST_PARAM_DIMS] = { 0 }, spread = 0;
    double a[MOST_ROWS][MOST_ROWS] = { { 0 } }, x[MOST_ROWS];
    /* The mean of the free motions' slopes, and how far they spread: the row of ones is as large as
       that. */
    for (int i = 0; i < r->count; i++) {
        if (r->held[i]) continue;
        free++;
        for (int d = 0; d < dims; d++) mean[d] += r->slopes[d][i];
    }
    for (int d = 0; d < dims && free; d++) mean[d] /= free;
    for (int i = 0; i < r->count; i++) {
        double square = 0;
        for (int d = 0; d < dims; d++)
            square += (r->slopes[d][i] - mean[d]) * (r->slopes[d][i] - mean[d]);
        if (!r->held[i]) spread = fmax(spread, sqrt(square));
    }
    if (!(spread > 0)) return false;
    for (int i = 0; i < r->count; i++) {
        if (r->held[i]) continue;
        for (int m = 0; m < rows; m++) {
            double e = entry_of(r, mean, spread, m, i);
            for (int n = 0; n <= m; n++) a[m][n] += e * entry_of(r, mean, spread, n, i);
        }
    }
    /* a little against directions in which the examples do not differ; hardly any for the sum,
       which must hold */
    for (int m = 0; m < rows; m++) a[m][m] += (m < rows - 1 ? 1e-6 : 1e-12) * spread * spread;
    for (int d = 0; d < rows - 1; d++) x[d] = rest[d] - sum * mean[d];
    x[rows - 1] = sum * spread;
    if (!solve(a, x, rows)) return false;
    for (int i = 0; i < r->count; i++) {
        if (r->held[i]) continue;
        change[i] = 0;
        for (int m = 0; m < rows; m++) change[i] += entry_of(r, mean, spread, m, i) * x[m];
    }
    return true;
}

/* The change of all weights: what would pass a bound goes to it, and the others take what is
   left. */
static bool find_change(refiner *r, double *change)
{
    const marey_family *family = r->family;
    double low = -family->def.delta, high = 1 + family->def.delta;
    memset(r->held, 0, sizeof r->held);
    memset(change, 0, (size_t)r->count * sizeof *change);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        /* What is left for the free weights when the held ones have gone to their bounds. */
        double rest[MAREY_MOST_PARAM_DIMS], sum = 0;
        for (int d = 0; d < family->dims; d++) {
            rest[d] = (r->wanted[d] - r->values[d]) * family->scale[d];
            for (int i = 0; i < r->count; i++) {
                if (r->held[i]) rest[d] -= change[i] * r->slopes[d][i];
            }
        }
        for (int i = 0; i < r->count; i++) sum -= r->held[i] ? change[i] : 0;
        if (!solve_free(r, rest, sum, change)) return round > 0;
        bool passed = false;
        for (int i = 0; i < r->count; i++) {
            double weight = r->weights[i] + change[i];
            if (r->held[i] || (weight >= low && weight <= high)) continue;
            change[i] = (weight < low ? low : high) - r->weights[i];
            r->held[i] = passed = true;
        }
        if (!passed) return true;
    }
    return true;
}

/* Steps keep the sum but for rounding, and the bounds where the rounds were enough: both are made
   sure of. */
static void make_valid(const marey_family *family, double *weights, int count)
{
    double low = -family->def.delta, high = 1 + family->def.delta;
    for (int round = 0; round < 4; round++) {
        double sum = 0, room = 0;
        for (int i = 0; i < count; i++) {
            weights[i] = fmin(high, fmax(low, weights[i]));
            sum += weights[i];
        }
        double lack = 1 - sum;
        if (lack == 0) return;
        for (int i = 0; i < count; i++) room += lack > 0 ? high - weights[i] : weights[i] - low;
        for (int i = 0; i < count; i++)
            weights[i] += lack * (lack > 0 ? high - weights[i] : weights[i] - low) / room;
    }
}

/* One step, halved until it helps. *better: it did. */
static bool step(refiner *r, bool *better)
{
    const marey_family *family = r->family;
    double change[MOST_SUPPORT], before[MOST_SUPPORT], moved[MOST_SUPPORT], was = r->error;
    double values[MAREY_MOST_PARAM_DIMS];
    *better = false;
    if (!find_change(r, change)) return true;
    memcpy(before, r->weights, sizeof before);
    memcpy(values, r->values, sizeof values);
    for (double share = 1; share > 0.2; share /= 2) {
        double square = 0;
        for (int i = 0; i < r->count; i++) r->weights[i] = before[i] + share * change[i];
        make_valid(family, r->weights, r->count);
        if (!look(r)) return false;
        for (int i = 0; i < r->count; i++) {
            moved[i] = r->weights[i] - before[i];
            square += moved[i] * moved[i];
        }
        /* Broyden: the least change of J that explains what this step did. */
        bool learns = square > 1e-18 && isfinite(r->error);
        for (int d = 0; d < family->dims && learns; d++) {
            double miss = (r->values[d] - values[d]) * family->scale[d];
            for (int i = 0; i < r->count; i++) miss -= r->slopes[d][i] * moved[i];
            for (int i = 0; i < r->count; i++) r->slopes[d][i] += miss * moved[i] / square;
        }
        *better = r->error < was * 0.99;
        if (*better) return true;
    }
    memcpy(r->weights, before, sizeof before);
    memcpy(r->values, values, sizeof values);
    r->error = was;
    return true;
}

static void add_motion(refiner *r, int motion, double weight)
{
    int at = 0;
    while (at < r->count && r->motions[at] != motion) at++;
    if (at == MOST_SUPPORT) return;
    if (at == r->count) {
        r->motions[r->count] = motion;
        r->weights[r->count++] = 0;
    }
    r->weights[at] += weight;
}

/* Weights made valid, J as the examples have it. */
static bool start(refiner *r)
{
    const marey_family *family = r->family;
    /* By number, so that sums run in one order whatever the samples' was. */
    for (int i = 1; i < r->count; i++) {
        for (int k = i; k > 0 && r->motions[k - 1] > r->motions[k]; k--) {
            int motion = r->motions[k];
            double weight = r->weights[k];
            r->motions[k] = r->motions[k - 1];
            r->weights[k] = r->weights[k - 1];
            r->motions[k - 1] = motion;
            r->weights[k - 1] = weight;
        }
    }
    make_valid(family, r->weights, r->count);
    for (int i = 0; i < r->count; i++) {
        const double *values = family->values + (size_t)r->motions[i] * (size_t)family->dims;
        for (int d = 0; d < family->dims; d++) r->slopes[d][i] = values[d] * family->scale[d];
    }
    return look(r);
}

/* These motions, if they are not too many, and some near what is wanted. */
static bool start_at(refiner *r, const int *motions, const double *weights, int count)
{
    const marey_family *family = r->family;
    int near[MRY_MOST_NEAR];
    double distances[MRY_MOST_NEAR];
    r->count = 0;
    for (int i = 0; i < count && i < MOST_SUPPORT; i++) add_motion(r, motions[i], weights[i]);
    /* A blend costs as many frames as it has motions: beyond what the numbers need twice over, the
       lightest go. */
    while (r->count > 2 * family->near) {
        int lightest = 0;
        for (int i = 1; i < r->count; i++) {
            if (fabs(r->weights[i]) < fabs(r->weights[lightest])) lightest = i;
        }
        r->count--;
        r->weights[lightest] = r->weights[r->count];
        r->motions[lightest] = r->motions[r->count];
    }
    int near_count = mry_family_nearest(family, r->wanted, family->examples, NULL, family->near,
                                        near, distances);
    for (int i = 0; i < near_count; i++) add_motion(r, near[i], 0);
    return start(r);
}

static bool run(refiner *r, const marey_ask_def *def)
{
    bool better = true;
    for (int i = 0; i < def->steps && better && r->error > def->close; i++) {
        if (!step(r, &better)) return false;
    }
    return true;
}

static void answer_with(const refiner *r, marey_answer *answer)
{
    answer->count = 0;
    for (int i = 0; i < r->count; i++) {
        if (fabs(r->weights[i]) < 1e-9) continue;
        answer->motions[answer->count] = r->motions[i];
        answer->weights[answer->count++] = r->weights[i];
    }
    memcpy(answer->values, r->values, sizeof answer->values);
    answer->error = r->error;
}

bool mry_family_refine(const marey_family *family, mry_probe *probe, const double *wanted,
                       const marey_ask_def *def, marey_answer *answer)
{
    enum { STARTS = 3 };
    refiner best = { .family = family, .probe = probe, .wanted = wanted };
    int samples[STARTS];
    double distances[STARTS];
    if (!mry_family_look(family, probe, answer->motions, answer->weights, answer->count,
                         answer->values))
        return false;
    answer->error = mry_family_distance(family, answer->values, wanted);
    if (!isfinite(answer->error)) answer->error = INFINITY;
    answer->table_error = answer->error;
    if (def->table || answer->error <= def->close) return true;
    if (!start_at(&best, answer->motions, answer->weights, answer->count) || !run(&best, def))
        return false;
    /* From samples near what is wanted, where the table's mean of them led nowhere. */
    int count = mry_family_nearest(family, wanted, family->count, NULL, STARTS, samples, distances);
    for (int i = 0; i < count && best.error > def->close; i++) {
        refiner other = best;
        size_t first = (size_t)samples[i] * (size_t)family->near;
        if (!start_at(&other, family->motions + first, family->weights + first,
                      family->used[samples[i]]) ||
            !run(&other, def))
            return false;
        if (other.error < best.error) best = other;
    }
    if (best.error < answer->error) answer_with(&best, answer);
    return true;
}

bool mry_family_reproduce(const marey_family *family, mry_probe *probe, const double *wanted,
                          const uint8_t *allowed, const marey_ask_def *def, marey_answer *out)
{
    int near[2 * MRY_MOST_NEAR];
    double distances[2 * MRY_MOST_NEAR], sum = 0;
    int count = mry_family_nearest(family, wanted, family->examples, allowed, 2 * family->near,
                                   near, distances);
    *out = (marey_answer){ .error = INFINITY };
    if (count < 2) return true;
    refiner r = { .family = family, .probe = probe, .wanted = wanted };
    for (int i = 0; i < count; i++) sum += 1 / (distances[i] + 1e-6);
    for (int i = 0; i < count; i++) add_motion(&r, near[i], 1 / (distances[i] + 1e-6) / sum);
    if (!start(&r) || !run(&r, def)) return false;
    answer_with(&r, out);
    return true;
}
