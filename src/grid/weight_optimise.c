/* weight_optimise.c - attribute weights by a direct search. Only ratios of weights matter, and what matters of a ratio is
   its logarithm: the search runs in logarithms to base 2, from the weights with which the sum of terms comes nearest to
   D_p itself where D_p is small. That is a least squares fit and needs no trial.

   D_p of the similar pairs is a step function of many shallow hollows without derivatives, and a trial is dear. So a model
   of all trials so far (weight_model.h) says where the next one pays. With four weights there are more trials than a
   model holds: a pattern search (Hooke & Jeeves 1961) goes on from the model's best, a second model starts from equal
   weights, and random places around the best use up what is left. */
#include "base/fail.h"
#include "grid/weight_model.h"
#include "grid/weight_search.h"

/* At most a twentieth of the directions in the paper's space of ten values a weight, which has 841 and 9279 of them. */
enum { MOST_TRIALS_3 = 42, MOST_TRIALS_4 = 460 };
enum { SPREAD_TRIALS = 8, GUESSES = 600 };

#define BOX 4.0        /* the first trials are spread so far around the start; powers of two */
#define AROUND 0.7     /* how far around the best is looked in the end */
#define FIRST_STEP 1.0 /* of the pattern search */
#define LAST_STEP 0.25
#define LARGEST 14.0 /* ratios are held to 2^14 */

typedef struct descent {
    mry_weighing *w;
    int most;
    uint64_t seed;                    /* the same in every search */
    double at[MAREY_MOST_ATTRIBUTES]; /* logarithms to base 2; the best so far */
    double judged;
} descent;

/* ---- the start ------------------------------------------------------------------------------------------ */

/* Sums for the fit of D_p = w . terms over the cells whose D_p is among the least fifth. */
typedef struct normal_equations {
    double square[MAREY_MOST_ATTRIBUTES][MAREY_MOST_ATTRIBUTES];
    double right[MAREY_MOST_ATTRIBUTES];
} normal_equations;

static void gather(const mry_weighing *w, normal_equations *out)
{
    int64_t count = w->cells / 5 > w->pairs ? w->cells / 5 : w->pairs;
    float limit = mry_select(w->judged, 1, (int)w->cells, 0, count).value;
    *out = (normal_equations){ 0 };
    for (int64_t n = 0; n < w->cells; n++) {
        if (w->judged[n] > limit) continue;
        for (int s = 0; s < w->terms; s++) {
            for (int t = 0; t < w->terms; t++)
                out->square[s][t] += (double)w->term[s][n] * (double)w->term[t][n];
            out->right[s] += (double)w->term[s][n] * (double)w->judged[n];
        }
    }
}

/* Least squares with weights >= 0, one weight at a time; it is a small convex problem. */
static void fit(const mry_weighing *w, double *weights)
{
    normal_equations e;
    gather(w, &e);
    for (int t = 0; t < w->terms; t++) weights[t] = 0;
    for (int round = 0; round < 200; round++) {
        for (int s = 0; s < w->terms; s++) {
            double left = e.right[s];
            for (int t = 0; t < w->terms; t++) left -= t == s ? 0 : e.square[s][t] * weights[t];
            weights[s] = e.square[s][s] > 0 ? fmax(0, left / e.square[s][s]) : 0;
        }
    }
}

/* A term that the fit does without starts where it adds little: at a sixteenth of an even share. */
static void start(descent *d)
{
    const mry_weighing *w = d->w;
    double weights[MAREY_MOST_ATTRIBUTES], mean[MAREY_MOST_ATTRIBUTES], share = 0;
    fit(w, weights);
    for (int t = 0; t < w->terms; t++) {
        mean[t] = 0;
        for (int64_t n = 0; n < w->cells; n++) mean[t] += (double)w->term[t][n];
        mean[t] /= (double)w->cells;
        share += weights[t] * mean[t] / w->terms;
    }
    for (int t = 0; t < w->terms; t++) {
        double least = mean[t] > 0 ? share / 16 / mean[t] : 1;
        d->at[t] = log2(fmax(weights[t], fmax(least, 1e-12)));
    }
}

/* ---- trials ------------------------------------------------------------------------------------------------ */

static mry_weights weights_at(const descent *d, const double *at)
{
    mry_weights out = { 0 };
    double most = at[0];
    for (int t = 1; t < d->w->terms; t++) most = fmax(most, at[t]);
    for (int t = 0; t < d->w->terms; t++) out.value[t] = exp2(fmax(at[t] - most, -LARGEST));
    return out;
}

/* Moves there if it is better; *better and *judged may be NULL. */
static marey_status try_place(descent *d, const double *at, bool *better, double *judged,
                              marey_error *error)
{
    mry_weights set = weights_at(d, at);
    double found;
    marey_status status = mry_weighing_judge(d->w, &set, 1, &found, error);
    if (status) return status;
    bool less = found < d->judged;
    if (better) *better = less;
    if (judged) *judged = found;
    if (!less) return MAREY_OK;
    d->judged = found;
    for (int t = 0; t < d->w->terms; t++) d->at[t] = at[t];
    return MAREY_OK;
}

/* ---- by the model -------------------------------------------------------------------------------------------- */

/* Halton's sequence: ever finer even spreads, in the box. */
static void spread_place(int number, int dims, double *out)
{
    static const int bases[MRY_MODEL_DIMS] = { 2, 3, 5 };
    for (int d = 0; d < dims; d++) {
        double share = 1, sum = 0;
        for (int n = number; n > 0; n /= bases[d]) {
            share /= bases[d];
            sum += share * (n % bases[d]);
        }
        out[d] = number ? BOX * (2 * sum - 1) : 0;
    }
}

/* The most promising of many places, half of them anywhere and half around the best. */
static void promising_place(mry_model *model, uint64_t *seed, double *out)
{
    double most = -1;
    mry_model_fit(model);
    for (int n = 0; n < GUESSES; n++) {
        double place[MRY_MODEL_DIMS];
        for (int d = 0; d < model->dims; d++) {
            double near = mry_random_between(seed, -1, 1) * (n % 4 ? 1 : 0.3);
            place[d] = n % 2 ? near * (BOX + 2) : model->place[model->best][d] + near;
        }
        double promise = mry_model_promise(model, place);
        if (!(promise > most)) continue;
        most = promise;
        for (int d = 0; d < model->dims; d++) out[d] = place[d];
    }
}

static marey_status try_by_model(descent *d, mry_model *model, const double *from,
                                 marey_error *error)
{
    double at[MAREY_MOST_ATTRIBUTES], judged;
    *model = (mry_model){ .dims = d->w->terms - 1 };
    while (model->count < MRY_MODEL_ROOM && d->w->evaluations < d->most) {
        double place[MRY_MODEL_DIMS] = { 0 };
        if (model->count < SPREAD_TRIALS) {
            spread_place(model->count, model->dims, place);
        } else {
            promising_place(model, &d->seed, place);
        }
        at[0] = from[0];
        for (int t = 1; t < d->w->terms; t++) at[t] = from[t] + place[t - 1];
        marey_status status = try_place(d, at, NULL, &judged, error);
        if (status) return status;
        mry_model_add(model, place, judged);
    }
    return MAREY_OK;
}

/* ---- downhill ---------------------------------------------------------------------------------------------------- */

/* One weight up and down; goes on in a direction that helps. */
static marey_status try_weight(descent *d, int term, double step, bool *moved, marey_error *error)
{
    for (int sign = 1; sign >= -1; sign -= 2) {
        bool better = true;
        int steps = 0;
        while (better && d->w->evaluations < d->most) {
            double at[MAREY_MOST_ATTRIBUTES];
            for (int t = 0; t < d->w->terms; t++) at[t] = d->at[t] + (t == term ? sign * step : 0);
            marey_status status = try_place(d, at, &better, NULL, error);
            if (status) return status;
            steps += better;
        }
        if (steps == 0) continue;
        *moved = true;
        return MAREY_OK;
    }
    return MAREY_OK;
}

static marey_status go_down(descent *d, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (double step = FIRST_STEP; step >= LAST_STEP && d->w->evaluations < d->most;) {
        bool moved = false;
        for (int t = 0; t < d->w->terms && !status; t++)
            status = try_weight(d, t, step, &moved, error);
        if (status) return status;
        if (!moved) step /= 2;
    }
    return MAREY_OK;
}

static marey_status look_around(descent *d, marey_error *error)
{
    marey_status status = MAREY_OK;
    while (d->w->evaluations < d->most && !status) {
        double at[MAREY_MOST_ATTRIBUTES];
        for (int t = 0; t < d->w->terms; t++)
            at[t] = d->at[t] + mry_random_between(&d->seed, -AROUND, AROUND);
        status = try_place(d, at, NULL, NULL, error);
    }
    return status;
}

marey_status mry_weights_optimise(mry_weighing *w, mry_arena *tmp, mry_weights *best,
                                  double *judged, marey_error *error)
{
    static const double alike[MAREY_MOST_ATTRIBUTES] = { 0 };
    double from[MAREY_MOST_ATTRIBUTES];
    mry_model *model = MRY_NEW(tmp, mry_model, 1);
    descent d = {
        .w = w, .most = w->terms > 3 ? MOST_TRIALS_4 : MOST_TRIALS_3, .seed = 1, .judged = INFINITY
    };
    if (!model) return mry_fail_memory(error, NULL);
    start(&d);
    for (int t = 0; t < w->terms; t++) from[t] = d.at[t];
    marey_status status = try_by_model(&d, model, from, error);
    if (!status) status = go_down(&d, error);
    if (!status) status = try_by_model(&d, model, alike, error);
    if (!status) status = go_down(&d, error);
    if (!status) status = look_around(&d, error);
    if (status) return status;
    *best = weights_at(&d, d.at);
    *judged = d.judged;
    return MAREY_OK;
}
