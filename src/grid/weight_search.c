/* weight_search.c - attribute weights by the judge. Guan & Yang, 4.2.2: of all the weights that are
   tried, the best are those whose similar pairs have the least D_p. The terms and D_p of all pairs
   are measured once; then a trial is a weighted sum, a selection and a mean. */
#include "base/fail.h"
#include "grid/grid_data.h"
#include "grid/weight_model.h"

#include <string.h>

/* The terms of every pair of captured frames, and how good a cut there would be: with these a set
   of weights is judged without measuring anything again. */
typedef struct weighing {
    marey_ctx *ctx;
    int terms;
    int64_t cells;
    float *term[MAREY_MOST_ATTRIBUTES]; /* cells numbers each */
    float *judged;                      /* D_p of each cell */
    int64_t pairs;                      /* that are judged */
    int lanes;
    float **sums; /* room for cells numbers for each lane of the work */
    int64_t evaluations;
} weighing;

typedef struct weight_set {
    double value[MAREY_MOST_ATTRIBUTES];
} weight_set;

/* ---- one trial ------------------------------------------------------------------------------- */

typedef struct trials {
    const weighing *w;
    const weight_set *sets;
    int count;
    double *out;
} trials;

static void judge_lane(void *user, int64_t lane)
{
    const trials *all = user;
    const weighing *w = all->w;
    float *sum = w->sums[lane];
    for (int n = (int)lane; n < all->count && !mry_cancelled(w->ctx); n += w->lanes) {
        double found = 0;
        for (int t = 0; t < w->terms; t++) {
            const float weight = (float)all->sets[n].value[t], *term = w->term[t];
            if (t == 0) {
                for (int64_t c = 0; c < w->cells; c++) sum[c] = weight * term[c];
            } else {
                for (int64_t c = 0; c < w->cells; c++) sum[c] += weight * term[c];
            }
        }
        mry_cut cut = mry_select(sum, 1, (int)w->cells, 0, w->pairs);
        for (int64_t c = 0; c < w->cells; c++) {
            if (sum[c] < cut.value || (sum[c] == cut.value && cut.ties-- > 0))
                found += w->judged[c];
        }
        all->out[n] = found / (double)w->pairs;
    }
}

/* Mean D_p of the pairs that each set of weights finds. Counts them as evaluations. Spread over the
   threads. CANCELLED. */
static marey_status judge_sets(weighing *w, const weight_set *sets, int count, double *out,
                               marey_error *error)
{
    trials all = { .w = w, .sets = sets, .count = count, .out = out };
    marey_ctx_run(w->ctx, w->lanes, judge_lane, &all);
    w->evaluations += count;
    return mry_cancelled(w->ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}

/* ---- all combinations ------------------------------------------------------------------------ */

/* Every combination of some values a weight, evenly spread or ever smaller, and if wanted once more
   with a finer space around the best.

   Only the direction of a set of weights matters. Of combinations with one direction the largest is
   tried and the others are left out; the evaluations that are counted are those that were made. */

enum { BATCH = 256, MOST_STEPS = 40 };

/* The values of each weight. */
typedef struct space {
    int terms, steps;
    double value[MAREY_MOST_ATTRIBUTES][MOST_STEPS]; /* rising */
} space;

/* Is there a larger combination of the same direction? */
static bool is_repeated(const space *s, const weight_set *weights)
{
    for (int n = 0; n < s->steps; n++) {
        double factor = s->value[0][n] / weights->value[0];
        bool all = factor > 1 + 1e-9;
        for (int t = 1; t < s->terms && all; t++) {
            double value = weights->value[t] * factor;
            all = false;
            for (int k = 0; k < s->steps && !all; k++)
                all = fabs(s->value[t][k] - value) < 1e-9 * value;
        }
        if (all) return true;
    }
    return false;
}

/* The best of all combinations and its D_p. */
static marey_status exhaust(weighing *w, mry_arena *tmp, const marey_weights_def *def,
                            weight_set *best, double *judged, int64_t *combinations,
                            marey_error *error)
{
    static const double first[] = { 1, 0.5, 0.2 };
    weight_set *sets = MRY_NEW(tmp, weight_set, BATCH);
    double *results = MRY_NEW(tmp, double, BATCH);
    space *s = MRY_NEW(tmp, space, 1);
    bool uniform = def->space == MAREY_WEIGHTS_UNIFORM, found = false;
    double reach = uniform ? 1.0 / def->steps : log(2.5);
    int64_t count = 1;
    if (!sets || !results || !s) return mry_fail_memory(error, NULL);
    s->terms = w->terms;
    s->steps = def->steps;
    for (int t = 0; t < s->terms; t++) {
        count *= s->steps;
        for (int n = 0; n < s->steps; n++) {
            /* 1, 0.5, 0.2, 0.1, 0.05 ...: the paper's own second optimum is 0.05 : 1 : 0.02. */
            int nth = s->steps - 1 - n;
            s->value[t][n] = uniform ? (n + 1.0) / s->steps : first[nth % 3] * pow(10, -(nth / 3));
        }
    }
    for (int pass = 0; pass <= def->refinements; pass++) {
        int ready = 0; /* sets that wait for their trial */
        for (int64_t c = 0; c < count; c++) {
            int64_t left = c;
            for (int t = 0; t < s->terms; t++, left /= s->steps)
                sets[ready].value[t] = s->value[t][left % s->steps];
            if (!is_repeated(s, &sets[ready])) ready++;
            if (ready < BATCH && c + 1 < count) continue;
            if (!mry_progress(w->ctx, "weights", c + 1, count)) return mry_fail_cancelled(error);
            marey_status status = judge_sets(w, sets, ready, results, error);
            if (status) return status;
            for (int n = 0; n < ready; n++) {
                if (found && !(results[n] < *judged)) continue;
                found = true;
                *judged = results[n];
                *best = sets[n];
            }
            ready = 0;
        }
        /* As many values between the neighbours of the best as there were in all. `reach` is how
           far those are: a difference in a uniform space, the logarithm of a ratio in the other. */
        for (int t = 0; t < s->terms; t++) {
            double middle = best->value[t], low = fmax(middle - reach, middle / s->steps);
            for (int n = 0; n < s->steps; n++) {
                double share = (n + 0.5) / s->steps;
                s->value[t][n] = uniform ? low + share * (middle + reach - low)
                                         : middle * exp(reach * (2 * share - 1));
            }
        }
        reach *= 2.0 / def->steps;
        *combinations += count;
    }
    return MAREY_OK;
}

/* ---- a direct search ------------------------------------------------------------------------- */

/* Only ratios of weights matter, and what matters of a ratio is its logarithm: the search runs in
   logarithms to base 2, from the weights with which the sum of terms comes nearest to D_p itself
   where D_p is small. That is a least squares fit and needs no trial.

   D_p of the similar pairs is a step function of many shallow hollows without derivatives, and a
   trial is dear. So a model of all trials so far (weight_model.h) says where the next one pays.
   With four weights there are more trials than a model holds: a pattern search (Hooke & Jeeves
   1961) goes on from the model's best, a second model starts from equal weights, and random places
   around the best use up what is left. */

/* At most a twentieth of the directions in the paper's space of ten values a weight, which has 841
   and 9279 of them. */
enum { MOST_TRIALS_3 = 42, MOST_TRIALS_4 = 460 };
enum { SPREAD_TRIALS = 8, GUESSES = 600 };

#define BOX 4.0        /* the first trials are spread so far around the start; powers of two */
#define AROUND 0.7     /* how far around the best is looked in the end */
#define FIRST_STEP 1.0 /* of the pattern search */
#define LAST_STEP 0.25
#define LARGEST 14.0 /* ratios are held to 2^14 */

typedef struct descent {
    weighing *w;
    int most;
    uint64_t seed;                    /* the same in every search */
    double at[MAREY_MOST_ATTRIBUTES]; /* logarithms to base 2; the best so far */
    double judged;
} descent;

static weight_set weights_at(const descent *d, const double *at)
{
    weight_set out = { 0 };
    double most = at[0];
    for (int t = 1; t < d->w->terms; t++) most = fmax(most, at[t]);
    for (int t = 0; t < d->w->terms; t++) out.value[t] = exp2(fmax(at[t] - most, -LARGEST));
    return out;
}

/* Moves there if it is better; *better and *judged may be NULL. */
static marey_status try_place(descent *d, const double *at, bool *better, double *judged,
                              marey_error *error)
{
    weight_set set = weights_at(d, at);
    double found;
    marey_status status = judge_sets(d->w, &set, 1, &found, error);
    if (status) return status;
    bool less = found < d->judged;
    if (better) *better = less;
    if (judged) *judged = found;
    if (!less) return MAREY_OK;
    d->judged = found;
    for (int t = 0; t < d->w->terms; t++) d->at[t] = at[t];
    return MAREY_OK;
}

static marey_status try_by_model(descent *d, mry_model *model, const double *from,
                                 marey_error *error)
{
    double at[MAREY_MOST_ATTRIBUTES], judged;
    *model = (mry_model){ .dims = d->w->terms - 1 };
    while (model->count < MRY_MODEL_ROOM && d->w->evaluations < d->most) {
        double place[MRY_MODEL_DIMS] = { 0 };
        if (model->count < SPREAD_TRIALS) {
            /* Halton's sequence: ever finer even spreads, in the box. */
            static const int bases[MRY_MODEL_DIMS] = { 2, 3, 5 };
            for (int k = 0; k < model->dims; k++) {
                double share = 1, sum = 0;
                for (int n = model->count; n > 0; n /= bases[k]) {
                    share /= bases[k];
                    sum += share * (n % bases[k]);
                }
                place[k] = model->count ? BOX * (2 * sum - 1) : 0;
            }
        } else {
            /* The most promising of many places, half of them anywhere and half around the best. */
            double most = -1;
            mry_model_fit(model);
            for (int n = 0; n < GUESSES; n++) {
                double guess[MRY_MODEL_DIMS];
                for (int k = 0; k < model->dims; k++) {
                    double near = mry_random_between(&d->seed, -1, 1) * (n % 4 ? 1 : 0.3);
                    guess[k] = n % 2 ? near * (BOX + 2) : model->place[model->best][k] + near;
                }
                double promise = mry_model_promise(model, guess);
                if (!(promise > most)) continue;
                most = promise;
                for (int k = 0; k < model->dims; k++) place[k] = guess[k];
            }
        }
        at[0] = from[0];
        for (int t = 1; t < d->w->terms; t++) at[t] = from[t] + place[t - 1];
        marey_status status = try_place(d, at, NULL, &judged, error);
        if (status) return status;
        mry_model_add(model, place, judged);
    }
    return MAREY_OK;
}

/* One weight after the other up and down, on in a direction that helps; in smaller steps when none
   does. */
static marey_status go_down(descent *d, marey_error *error)
{
    for (double step = FIRST_STEP; step >= LAST_STEP && d->w->evaluations < d->most;) {
        bool moved = false;
        for (int term = 0; term < d->w->terms; term++) {
            int steps = 0;
            for (int sign = 1; sign >= -1 && steps == 0; sign -= 2) {
                bool better = true;
                while (better && d->w->evaluations < d->most) {
                    double at[MAREY_MOST_ATTRIBUTES];
                    for (int t = 0; t < d->w->terms; t++)
                        at[t] = d->at[t] + (t == term ? sign * step : 0);
                    marey_status status = try_place(d, at, &better, NULL, error);
                    if (status) return status;
                    steps += better;
                }
            }
            moved |= steps > 0;
        }
        if (!moved) step /= 2;
    }
    return MAREY_OK;
}

/* The best of a few chosen sets and its D_p. */
static marey_status optimise(weighing *w, mry_arena *tmp, weight_set *best, double *judged,
                             marey_error *error)
{
    static const double alike[MAREY_MOST_ATTRIBUTES] = { 0 };
    double from[MAREY_MOST_ATTRIBUTES];
    mry_model *model = MRY_NEW(tmp, mry_model, 1);
    descent d = {
        .w = w, .most = w->terms > 3 ? MOST_TRIALS_4 : MOST_TRIALS_3, .seed = 1, .judged = INFINITY
    };
    if (!model) return mry_fail_memory(error, NULL);
    /* The start: D_p = weights . terms over the cells whose D_p is among the least fifth. */
    double square[MAREY_MOST_ATTRIBUTES][MAREY_MOST_ATTRIBUTES] = { 0 };
    double right[MAREY_MOST_ATTRIBUTES] = { 0 };
    int64_t count = w->cells / 5 > w->pairs ? w->cells / 5 : w->pairs;
    float limit = mry_select(w->judged, 1, (int)w->cells, 0, count).value;
    for (int64_t n = 0; n < w->cells; n++) {
        if (w->judged[n] > limit) continue;
        for (int s = 0; s < w->terms; s++) {
            for (int t = 0; t < w->terms; t++)
                square[s][t] += (double)w->term[s][n] * (double)w->term[t][n];
            right[s] += (double)w->term[s][n] * (double)w->judged[n];
        }
    }
    /* Least squares with weights >= 0, one weight at a time; it is a small convex problem. */
    double weights[MAREY_MOST_ATTRIBUTES] = { 0 }, mean[MAREY_MOST_ATTRIBUTES], share = 0;
    for (int round = 0; round < 200; round++) {
        for (int s = 0; s < w->terms; s++) {
            double left = right[s];
            for (int t = 0; t < w->terms; t++) left -= t == s ? 0 : square[s][t] * weights[t];
            weights[s] = square[s][s] > 0 ? fmax(0, left / square[s][s]) : 0;
        }
    }
    /* A term that the fit does without starts where it adds little: at a sixteenth of an even
       share. */
    for (int t = 0; t < w->terms; t++) {
        mean[t] = 0;
        for (int64_t n = 0; n < w->cells; n++) mean[t] += (double)w->term[t][n];
        mean[t] /= (double)w->cells;
        share += weights[t] * mean[t] / w->terms;
    }
    for (int t = 0; t < w->terms; t++) {
        double least = mean[t] > 0 ? share / 16 / mean[t] : 1;
        from[t] = d.at[t] = log2(fmax(weights[t], fmax(least, 1e-12)));
    }
    marey_status status = try_by_model(&d, model, from, error);
    if (!status) status = go_down(&d, error);
    if (!status) status = try_by_model(&d, model, alike, error);
    if (!status) status = go_down(&d, error);
    while (!status && w->evaluations < d.most) { /* around the best */
        double at[MAREY_MOST_ATTRIBUTES];
        for (int t = 0; t < w->terms; t++)
            at[t] = d.at[t] + mry_random_between(&d.seed, -AROUND, AROUND);
        status = try_place(&d, at, NULL, NULL, error);
    }
    if (status) return status;
    *best = weights_at(&d, d.at);
    *judged = d.judged;
    return MAREY_OK;
}

/* A term's grid without the pairs of marked frames. */
static marey_status measure(weighing *w, const marey_features *a, const marey_features *b,
                            const mry_term *of_a, const mry_term *of_b, float *out,
                            marey_error *error)
{
    marey_grid *grid = mry_grid_make(w->ctx, a->rows, b->rows);
    if (!grid) return mry_fail_memory(error, NULL);
    mry_term_job job = { .a = of_a,
                         .b = of_b,
                         .rows = a->rows,
                         .cols = b->rows,
                         .factor = 1,
                         .cells = grid->cells,
                         .stride = grid->stride };
    marey_status status = mry_term_grid(w->ctx, &job, error);
    for (int i = 0; i < a->rows && !status; i++) {
        for (int j = 0; j < b->rows; j++) {
            if (!a->marked[i] && !b->marked[j])
                *out++ = grid->cells[(size_t)i * grid->stride + (size_t)j];
        }
    }
    marey_grid_free(grid);
    return status;
}

static marey_status prepare(weighing *w, mry_arena *tmp, const marey_features *a,
                            const marey_features *b, marey_error *error)
{
    mry_term of_a, of_b;
    w->judged = MRY_NEW_RAW(tmp, float, w->cells);
    w->sums = MRY_NEW(tmp, float *, w->lanes);
    bool room = w->judged && w->sums;
    for (int t = 0; t < w->terms; t++) {
        w->term[t] = MRY_NEW_RAW(tmp, float, w->cells);
        room &= w->term[t] != NULL;
    }
    for (int lane = 0; room && lane < w->lanes; lane++) {
        w->sums[lane] = MRY_NEW_RAW(tmp, float, w->cells);
        room &= w->sums[lane] != NULL;
    }
    if (!room || !mry_transition_term(tmp, a, MRY_JUDGE_WINDOW, mry_judge_frames, &of_a) ||
        !mry_transition_term(tmp, b, MRY_JUDGE_WINDOW, mry_judge_frames, &of_b))
        return mry_fail_memory(error, NULL);
    marey_status status = measure(w, a, b, &of_a, &of_b, w->judged, error);
    for (int t = 0; t < w->terms && !status; t++)
        status = measure(w, a, b, &a->terms[t], &b->terms[t], w->term[t], error);
    return status;
}

marey_status marey_weights_search(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                                  const marey_weights_def *def, marey_weights_result *out,
                                  marey_error *error)
{
    marey_weights_def whole = def ? *def : (marey_weights_def){ 0 };
    int64_t rows = 0, cols = 0; /* of captured frames */
    for (int i = 0; i < a->rows; i++) rows += !a->marked[i];
    for (int j = 0; j < b->rows; j++) cols += !b->marked[j];
    int64_t cells = rows * cols, share = cells / 100 < 10 ? 10 : cells / 100;
    if (whole.steps == 0) whole.steps = 10;
    if (whole.pairs == 0) whole.pairs = (int)(share < cells ? share : cells);
    if (a->layout != b->layout)
        return mry_fail(error, MAREY_ERR_SHAPE, NULL,
                        "the two clips' features are of different layouts");
    if (a->layout->def.metric->attribute_count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the metric %s has no attributes to weigh",
                        a->layout->def.metric->name);
    if (whole.steps < 2 || whole.steps > 40 || whole.refinements < 0 || whole.refinements > 20)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "steps must be 2 to 40 and refinements 0 to 20, got %d and %d", whole.steps,
                        whole.refinements);
    if (cells > INT32_MAX)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "weights are sought on at most 2^31 - 1 pairs of frames");
    if (whole.pairs < 1 || whole.pairs > cells)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "similar pairs must be 1 to %lld, the pairs of frames, got %d",
                        (long long)cells, whole.pairs);
    mry_arena tmp = mry_arena_make(ctx);
    weighing w = { .ctx = ctx,
                   .terms = a->term_count,
                   .cells = cells,
                   .pairs = whole.pairs,
                   .lanes = marey_ctx_threads(ctx) };
    weight_set best;
    marey_weights_result result = { 0 };
    marey_status status = prepare(&w, &tmp, a, b, error);
    if (!status && whole.space == MAREY_WEIGHTS_OPTIMISED) {
        status = optimise(&w, &tmp, &best, &result.position_cm, error);
    } else if (!status) {
        status = exhaust(&w, &tmp, &whole, &best, &result.position_cm, &result.combinations, error);
    }
    if (!status) {
        double most = 0; /* the greatest weight is 1 */
        result.count = w.terms;
        for (int t = 0; t < w.terms; t++) most = fmax(most, best.value[t]);
        for (int t = 0; t < w.terms; t++) result.weights[t] = best.value[t] / most;
        result.evaluations = w.evaluations;
        *out = result;
    }
    mry_arena_free(&tmp);
    return status;
}
