/* weight_search.c - attribute weights by the judge. Guan & Yang, 4.2.2: of all the weights that are tried, the best are those
   whose similar pairs have the least D_p. The terms and D_p of all pairs are measured once; then a trial is a weighted sum,
   a selection and a mean. */
#include "base/fail.h"
#include "grid/grid_data.h"
#include "grid/weight_model.h"

#include <string.h>

/* The terms of every pair of captured frames, and how good a cut there would be: with these a set of weights is judged
   without measuring anything again. */
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

/* ---- one trial ------------------------------------------------------------------------------------- */

/* Mean D_p of the pairs that one set finds. sum: room for all cells. */
static double judge(const weighing *w, const weight_set *weights, float *sum)
{
    double total = 0;
    for (int t = 0; t < w->terms; t++) {
        const float weight = (float)weights->value[t], *term = w->term[t];
        if (t == 0) {
            for (int64_t n = 0; n < w->cells; n++) sum[n] = weight * term[n];
        } else {
            for (int64_t n = 0; n < w->cells; n++) sum[n] += weight * term[n];
        }
    }
    mry_cut cut = mry_select(sum, 1, (int)w->cells, 0, w->pairs);
    for (int64_t n = 0; n < w->cells; n++) {
        if (sum[n] < cut.value || (sum[n] == cut.value && cut.ties-- > 0)) total += w->judged[n];
    }
    return total / (double)w->pairs;
}

typedef struct trials {
    const weighing *w;
    const weight_set *sets;
    int count;
    double *out;
} trials;

static void do_lane(void *user, int64_t lane)
{
    const trials *all = user;
    for (int n = (int)lane; n < all->count && !mry_cancelled(all->w->ctx); n += all->w->lanes)
        all->out[n] = judge(all->w, &all->sets[n], all->w->sums[lane]);
}

/* Mean D_p of the pairs that each set of weights finds. Counts them as evaluations. Spread over the threads. CANCELLED. */
static marey_status judge_sets(weighing *w, const weight_set *sets, int count, double *out,
                               marey_error *error)
{
    trials all = { .w = w, .sets = sets, .count = count, .out = out };
    marey_ctx_run(w->ctx, w->lanes, do_lane, &all);
    w->evaluations += count;
    return mry_cancelled(w->ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}

/* ---- all combinations ------------------------------------------------------------------------ */

/* Every combination of some values a weight,
   evenly spread or ever smaller, and if wanted once more with a finer space around the best.

   Only the direction of a set of weights matters. Of combinations with one direction the largest is tried and the
   others are left out; the evaluations that are counted are those that were made. */

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

/* As many values between the neighbours of the best as there were in all. `reach` is how far those are: a difference in
   a uniform space, the logarithm of a ratio in the other. */
static void finer_space(const marey_weights_def *def, const weight_set *best, double reach,
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
static bool is_repeated(const space *s, const weight_set *weights)
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
    weighing *w;
    weight_set sets[BATCH];
    double judged[BATCH];
    int count;
    bool found;
    weight_set best;
    double least;
} search;

static marey_status try_batch(search *in, marey_error *error)
{
    marey_status status = judge_sets(in->w, in->sets, in->count, in->judged, error);
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
        weight_set *set = &in->sets[in->count];
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

/* The best of all combinations and its D_p. */
static marey_status exhaust(weighing *w, mry_arena *tmp, const marey_weights_def *def,
                            weight_set *best, double *judged, int64_t *combinations,
                            marey_error *error)
{
    search *in = MRY_NEW(tmp, search, 1);
    space *s = MRY_NEW(tmp, space, 1);
    double reach = def->space == MAREY_WEIGHTS_UNIFORM ? 1.0 / def->steps : log(2.5);
    int64_t count = 1;
    if (!in || !s) return mry_fail_memory(error, NULL);
    in->w = w;
    for (int t = 0; t < w->terms; t++) count *= def->steps;
    s->terms = w->terms;
    s->steps = def->steps;
    for (int t = 0; t < w->terms; t++) {
        for (int n = 0; n < def->steps; n++) {
            s->value[t][n] = def->space == MAREY_WEIGHTS_UNIFORM ? (n + 1.0) / def->steps
                                                                 : series_125(def->steps - 1 - n);
        }
    }
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

/* ---- a direct search ------------------------------------------------------------------------- */

/* Only ratios of weights matter, and what matters of a ratio is
   its logarithm: the search runs in logarithms to base 2, from the weights with which the sum of terms comes nearest to
   D_p itself where D_p is small. That is a least squares fit and needs no trial.

   D_p of the similar pairs is a step function of many shallow hollows without derivatives, and a trial is dear. So a model
   of all trials so far (weight_model.h) says where the next one pays. With four weights there are more trials than a
   model holds: a pattern search (Hooke & Jeeves 1961) goes on from the model's best, a second model starts from equal
   weights, and random places around the best use up what is left. */

/* At most a twentieth of the directions in the paper's space of ten values a weight, which has 841 and 9279 of them. */
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

/* ---- the start ------------------------------------------------------------------------------------------ */

/* Sums for the fit of D_p = w . terms over the cells whose D_p is among the least fifth. */
typedef struct normal_equations {
    double square[MAREY_MOST_ATTRIBUTES][MAREY_MOST_ATTRIBUTES];
    double right[MAREY_MOST_ATTRIBUTES];
} normal_equations;

static void gather(const weighing *w, normal_equations *out)
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
static void fit(const weighing *w, double *weights)
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
    const weighing *w = d->w;
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
    start(&d);
    for (int t = 0; t < w->terms; t++) from[t] = d.at[t];
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

/* ---- what is measured once --------------------------------------------------------------------------- */

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

static bool take_room(weighing *w, mry_arena *tmp)
{
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
    return room;
}

static marey_status prepare(weighing *w, mry_arena *tmp, const marey_features *a,
                            const marey_features *b, marey_error *error)
{
    mry_term of_a, of_b;
    if (!take_room(w, tmp) ||
        !mry_transition_term(tmp, a, MRY_JUDGE_WINDOW, mry_judge_frames, &of_a) ||
        !mry_transition_term(tmp, b, MRY_JUDGE_WINDOW, mry_judge_frames, &of_b))
        return mry_fail_memory(error, NULL);
    marey_status status = measure(w, a, b, &of_a, &of_b, w->judged, error);
    for (int t = 0; t < w->terms && !status; t++)
        status = measure(w, a, b, &a->terms[t], &b->terms[t], w->term[t], error);
    return status;
}

/* ---- public ------------------------------------------------------------------------------------------ */

static int64_t open_cells(const marey_features *a, const marey_features *b)
{
    int64_t rows = 0, cols = 0;
    for (int i = 0; i < a->rows; i++) rows += !a->marked[i];
    for (int j = 0; j < b->rows; j++) cols += !b->marked[j];
    return rows * cols;
}

static marey_status resolve(const marey_features *a, const marey_features *b,
                            const marey_weights_def *given, marey_weights_def *def,
                            marey_error *error)
{
    int64_t cells = open_cells(a, b), share = cells / 100 < 10 ? 10 : cells / 100;
    *def = given ? *given : (marey_weights_def){ 0 };
    if (def->steps == 0) def->steps = 10;
    if (def->pairs == 0) def->pairs = (int)(share < cells ? share : cells);
    if (a->layout != b->layout)
        return mry_fail(error, MAREY_ERR_SHAPE, NULL,
                        "the two clips' features are of different layouts");
    if (a->layout->def.metric->attribute_count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the metric %s has no attributes to weigh",
                        a->layout->def.metric->name);
    if (def->steps < 2 || def->steps > 40 || def->refinements < 0 || def->refinements > 20)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a search takes 2 to 40 steps and at most 20 refinements");
    if (cells > INT32_MAX)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "weights are sought on at most 2^31 - 1 pairs of frames");
    if (def->pairs < 1 || def->pairs > cells)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%d similar pairs cannot be judged, there are %lld pairs of frames",
                        def->pairs, (long long)cells);
    return MAREY_OK;
}

marey_status marey_weights_search(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                                  const marey_weights_def *def, marey_weights_result *out,
                                  marey_error *error)
{
    marey_weights_def whole;
    marey_status status = resolve(a, b, def, &whole, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    weighing w = { .ctx = ctx,
                   .terms = a->term_count,
                   .cells = open_cells(a, b),
                   .pairs = whole.pairs,
                   .lanes = marey_ctx_threads(ctx) };
    weight_set best;
    marey_weights_result result = { 0 };
    status = prepare(&w, &tmp, a, b, error);
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
