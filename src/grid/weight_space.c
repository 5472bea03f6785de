/* weight_space.c - the exhaustive search for attribute weights (Guan & Yang, 4.2.2): every combination of some values a weight,
   evenly spread or ever smaller, and if wanted once more with a finer space around the best.

   Only the direction of a set of weights matters. Of combinations with one direction the largest is tried and the
   others are left out; the evaluations that are counted are those that were made. */
#include "base/fail.h"
#include "grid/weight_search.h"

enum { BATCH = 256, MOST_STEPS = 40 };

/* The values of each weight. */
typedef struct space {
    int terms, steps;
    double value[MAREY_MOST_ATTRIBUTES][MOST_STEPS]; /* rising */
} space;

/* 1, 0.5, 0.2, 0.1, 0.05 ...: the paper's own second optimum is 0.05 : 1 : 0.02. */
static double series_125(int n)
{
    static const double first[] = { 1, 0.5, 0.2 };
    return first[n % 3] * pow(10, -(n / 3));
}

static void first_space(const marey_weights_def *def, int terms, space *out)
{
    out->terms = terms;
    out->steps = def->steps;
    for (int t = 0; t < terms; t++) {
        for (int s = 0; s < def->steps; s++) {
            out->value[t][s] = def->space == MAREY_WEIGHTS_UNIFORM ? (s + 1.0) / def->steps
                                                                   : series_125(def->steps - 1 - s);
        }
    }
}

/* As many values between the neighbours of the best as there were in all. `reach` is how far those are: a difference in
   a uniform space, the logarithm of a ratio in the other. */
static void finer_space(const marey_weights_def *def, const mry_weights *best, double reach,
                        space *out)
{
    for (int t = 0; t < out->terms; t++) {
        double middle = best->value[t], low = fmax(middle - reach, middle / def->steps);
        for (int s = 0; s < out->steps; s++) {
            double share = (s + 0.5) / out->steps;
            out->value[t][s] = def->space == MAREY_WEIGHTS_UNIFORM
                                   ? low + share * (middle + reach - low)
                                   : middle * exp(reach * (2 * share - 1));
        }
    }
}

/* ---- directions --------------------------------------------------------------------------------------- */

static bool has_value(const space *s, int term, double value)
{
    for (int n = 0; n < s->steps; n++) {
        if (fabs(s->value[term][n] - value) < 1e-9 * value) return true;
    }
    return false;
}

/* Is there a larger combination of the same direction? */
static bool is_repeated(const space *s, const mry_weights *weights)
{
    for (int n = 0; n < s->steps; n++) {
        double factor = s->value[0][n] / weights->value[0];
        bool all = factor > 1 + 1e-9;
        for (int t = 1; t < s->terms && all; t++) all = has_value(s, t, weights->value[t] * factor);
        if (all) return true;
    }
    return false;
}

/* ---- search ------------------------------------------------------------------------------------------- */

typedef struct search {
    mry_weighing *w;
    mry_weights sets[BATCH];
    double judged[BATCH];
    int count;
    bool found;
    mry_weights best;
    double least;
} search;

static marey_status try_batch(search *in, marey_error *error)
{
    marey_status status = mry_weighing_judge(in->w, in->sets, in->count, in->judged, error);
    for (int n = 0; n < in->count && !status; n++) {
        if (in->found && !(in->judged[n] < in->least)) continue;
        in->found = true;
        in->least = in->judged[n];
        in->best = in->sets[n];
    }
    in->count = 0;
    return status;
}

static marey_status try_space(search *in, const space *s, int64_t combinations, marey_error *error)
{
    for (int64_t c = 0; c < combinations; c++) {
        mry_weights *set = &in->sets[in->count];
        int64_t left = c;
        for (int t = 0; t < s->terms; t++, left /= s->steps)
            set->value[t] = s->value[t][left % s->steps];
        if (!is_repeated(s, set)) in->count++;
        if (in->count < BATCH && c + 1 < combinations) continue;
        if (!mry_progress(in->w->ctx, "weights", c + 1, combinations))
            return mry_fail_cancelled(error);
        marey_status status = try_batch(in, error);
        if (status) return status;
    }
    return MAREY_OK;
}

marey_status mry_weights_exhaust(mry_weighing *w, mry_arena *tmp, const marey_weights_def *def,
                                 mry_weights *best, double *judged, int64_t *combinations,
                                 marey_error *error)
{
    search *in = MRY_NEW(tmp, search, 1);
    space *s = MRY_NEW(tmp, space, 1);
    double reach = def->space == MAREY_WEIGHTS_UNIFORM ? 1.0 / def->steps : log(2.5);
    int64_t count = 1;
    if (!in || !s) return mry_fail_memory(error, NULL);
    in->w = w;
    for (int t = 0; t < w->terms; t++) count *= def->steps;
    first_space(def, w->terms, s);
    for (int pass = 0; pass <= def->refinements; pass++) {
        marey_status status = try_space(in, s, count, error);
        if (status) return status;
        finer_space(def, &in->best, reach, s);
        reach *= 2.0 / def->steps;
        *combinations += count;
    }
    *best = in->best;
    *judged = in->least;
    return MAREY_OK;
}
