/* weight_search.c - attribute weights by the judge. Guan & Yang, 4.2.2: of all the weights that are tried, the best are those
   whose similar pairs have the least D_p. The terms and D_p of all pairs are measured once; then a trial is a weighted sum,
   a selection and a mean. */
#include "grid/weight_search.h"
#include "base/fail.h"

#include <string.h>

/* ---- one trial ------------------------------------------------------------------------------------- */

static void add_terms(const mry_weighing *w, const mry_weights *weights, float *sum)
{
    for (int t = 0; t < w->terms; t++) {
        const float weight = (float)weights->value[t], *term = w->term[t];
        if (t == 0) {
            for (int64_t n = 0; n < w->cells; n++) sum[n] = weight * term[n];
        } else {
            for (int64_t n = 0; n < w->cells; n++) sum[n] += weight * term[n];
        }
    }
}

static double judge(const mry_weighing *w, const mry_weights *weights, float *sum)
{
    double total = 0;
    add_terms(w, weights, sum);
    mry_cut cut = mry_select(sum, 1, (int)w->cells, 0, w->pairs);
    for (int64_t n = 0; n < w->cells; n++) {
        if (sum[n] < cut.value || (sum[n] == cut.value && cut.ties-- > 0)) total += w->judged[n];
    }
    return total / (double)w->pairs;
}

typedef struct trials {
    const mry_weighing *w;
    const mry_weights *sets;
    int count;
    double *out;
} trials;

static void do_lane(void *user, int64_t lane)
{
    const trials *all = user;
    for (int n = (int)lane; n < all->count && !mry_cancelled(all->w->ctx); n += all->w->lanes)
        all->out[n] = judge(all->w, &all->sets[n], all->w->sums[lane]);
}

marey_status mry_weighing_judge(mry_weighing *w, const mry_weights *sets, int count, double *out,
                                marey_error *error)
{
    trials all = { .w = w, .sets = sets, .count = count, .out = out };
    marey_ctx_run(w->ctx, w->lanes, do_lane, &all);
    w->evaluations += count;
    return mry_cancelled(w->ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}

/* ---- what is measured once --------------------------------------------------------------------------- */

/* A term's grid without the pairs of marked frames. */
static marey_status measure(mry_weighing *w, const marey_features *a, const marey_features *b,
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

static bool take_room(mry_weighing *w, mry_arena *tmp)
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

static marey_status prepare(mry_weighing *w, mry_arena *tmp, const marey_features *a,
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

/* The greatest weight is 1. */
static void finish(const mry_weighing *w, const mry_weights *best, marey_weights_result *out)
{
    double most = 0;
    out->count = w->terms;
    for (int t = 0; t < w->terms; t++) most = fmax(most, best->value[t]);
    for (int t = 0; t < w->terms; t++) out->weights[t] = best->value[t] / most;
    out->evaluations = w->evaluations;
}

marey_status marey_weights_search(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                                  const marey_weights_def *def, marey_weights_result *out,
                                  marey_error *error)
{
    marey_weights_def whole;
    marey_status status = resolve(a, b, def, &whole, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    mry_weighing w = { .ctx = ctx,
                       .terms = a->term_count,
                       .cells = open_cells(a, b),
                       .pairs = whole.pairs,
                       .lanes = marey_ctx_threads(ctx) };
    mry_weights best;
    marey_weights_result result = { 0 };
    status = prepare(&w, &tmp, a, b, error);
    if (!status && whole.space == MAREY_WEIGHTS_OPTIMISED) {
        status = mry_weights_optimise(&w, &tmp, &best, &result.position_cm, error);
    } else if (!status) {
        status = mry_weights_exhaust(&w, &tmp, &whole, &best, &result.position_cm,
                                     &result.combinations, error);
    }
    if (!status) {
        finish(&w, &best, &result);
        *out = result;
    }
    mry_arena_free(&tmp);
    return status;
}
