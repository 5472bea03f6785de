/* web_build.c - a match web of two motions, from slab to slab of their grid (webs, 6.2.2). */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "match/search_index.h"
#include "match/web_bits.h"
#include "match/web_level.h"

#include <math.h>
#include <string.h>

enum { MOST_REACH = 4096 };

/* ---- what was asked for ---------------------------------------------------------------------------- */

static marey_status make_plan(const marey_web_def *def, double fps, double ceiling,
                              mry_web_plan *plan, marey_error *error)
{
    static const marey_web_def defaults = { 0 };
    if (!def) def = &defaults;
    double valid =
        def->valid == 0 ? 0.15 : def->valid; /* 0 is the default, NaN and less are refused */
    double shortest = (def->shortest_s == 0 ? 0.25 : def->shortest_s) * fps;
    double reach = (def->bridge_s == 0 ? 2 : def->bridge_s) * fps;
    if (plan->rows > MRY_WEB_MOST_FRAMES || plan->cols > MRY_WEB_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "a match web of %d by %d frames is more than the %d that are accepted",
                        plan->rows, plan->cols, MRY_WEB_MOST_FRAMES);
    plan->fps = fps;
    plan->slope = def->slope ? def->slope : 2;
    plan->ceiling = (float)(def->ceiling > 0 ? def->ceiling : ceiling);
    plan->grow = (float)(1 + valid);
    if (plan->slope < 1 || plan->slope > MRY_WEB_MOST_SLOPE)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a slope of %d is not within 1 .. %d",
                        plan->slope, MRY_WEB_MOST_SLOPE);
    if (!(valid > 0 && valid <= 10) || !(def->ceiling >= 0) || isnan(def->tail_s) ||
        !(reach <= MOST_REACH) || !(shortest > 0 && shortest <= reach))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a match web needs valid <= 10, a ceiling that is not negative, bridges of "
                        "at most %d frames, and chains that may be shorter than these",
                        MOST_REACH);
    plan->reach = (int)fmax(1, round(reach));
    plan->shortest = (int)fmax(1, round(shortest));
    plan->tail = def->tail_s < 0 ? 0
                                 : (int)fmin(round((def->tail_s > 0 ? def->tail_s : 0.7) * fps),
                                             plan->reach - 1);
    return MAREY_OK;
}

/* ---- slab after slab ------------------------------------------------------------------------------- */

static bool do_slab(mry_web_work *work)
{
    if (!mry_ring_fill(work)) return false;
    mry_ring_flag(work);
    if (!mry_links_rows(work)) return false;
    if (work->plan.chains_only) return true;
    mry_valid_extend(work);
    return mry_bridges_find(work);
}

static marey_status do_slabs(mry_web_work *work, int slab, marey_web **out, marey_error *error)
{
    if (!mry_ring_make(work, slab) || !mry_links_make(work)) return mry_fail_memory(error, NULL);
    while (work->ring.filled < work->plan.rows) {
        if (mry_cancelled(work->ctx)) return mry_fail_cancelled(error);
        if (!do_slab(work)) return mry_fail_memory(error, NULL);
        if (!mry_progress(work->ctx, "finding chains and bridges", work->ring.filled,
                          work->plan.rows))
            return mry_fail_cancelled(error);
    }
    marey_web *web = mry_web_finish(work);
    if (!web) return mry_fail_memory(error, NULL);
    *out = web;
    return MAREY_OK;
}

static marey_status run(mry_web_work *work, int slab, marey_web **out, marey_error *error)
{
    work->mem = mry_arena_make(work->ctx);
    marey_status status = do_slabs(work, slab, out, error);
    mry_links_free(work);
    mry_ring_free(work);
    mry_arena_free(&work->mem);
    return status;
}

/* What a search asks of it comes last. */
static marey_status hand_out(marey_web *web, marey_web **out, marey_error *error)
{
    marey_status status = mry_web_index_make(web, error);
    if (status)
        marey_web_free(web);
    else
        *out = web;
    return status;
}

/* ---- where rows come from --------------------------------------------------------------------------- */

static bool copy_rows(void *user, int first, int end, float *cells, size_t stride)
{
    const marey_rows *from = user;
    for (int row = first; row < end; row++) {
        memcpy(cells + (size_t)(row - first) * stride, from->values + (size_t)row * from->stride,
               (size_t)from->cols * sizeof *cells);
    }
    return true;
}

marey_status mry_web_from_rows(marey_ctx *ctx, marey_rows cost, bool self, double fps,
                               const marey_web_def *def, int slab, marey_web **out,
                               marey_error *error)
{
    mry_web_work work = { .ctx = ctx, .source = { .fill = copy_rows, .user = &cost } };
    marey_web *web;
    work.plan = (mry_web_plan){ .rows = cost.rows, .cols = cost.cols, .self = self };
    marey_status status = make_plan(def, fps, INFINITY, &work.plan, error);
    if (!status) status = run(&work, slab, &web, error);
    return status ? status : hand_out(web, out, error);
}

typedef struct order { /* what mry_web_of was asked for */
    const marey_features *a, *b;
    const marey_rows *whole; /* NULL: points */
    const marey_web_def *def;
    bool chains_only;
    int slab;
} order;

/* All of one level. */
static marey_status build_level(marey_ctx *ctx, const order *of, mry_level *level, marey_web **out,
                                marey_error *error)
{
    mry_web_work work = { .ctx = ctx,
                          .source = { .fill = mry_level_fill,
                                      .user = level,
                                      .marked_rows = level->marked_rows,
                                      .marked_cols = level->marked_cols } };
    work.plan = (mry_web_plan){ .rows = level->rows,
                                .cols = level->cols,
                                .self = level->self,
                                .chains_only = of->chains_only };
    double ceiling = of->whole ? INFINITY : MAREY_WEB_CEILING;
    marey_status status = make_plan(of->def, level->fps, ceiling, &work.plan, error);
    if (status) return status;
    if (level->every > 1) work.plan.tail = 0; /* they would not be refined */
    level->below = work.plan.ceiling * work.plan.grow;
    return run(&work, of->slab, out, error);
}

/* The coarsest level first; each of the others from the one before. */
static marey_status build_levels(marey_ctx *ctx, const order *of, marey_web **out,
                                 marey_error *error)
{
    static const int every[] = { 6, 3, 1 };
    marey_web *web = NULL;
    int slope = of->def->slope ? of->def->slope : 2;
    for (int i = 0; i < 3; i++) {
        mry_arena mem = mry_arena_make(ctx);
        mry_level level;
        marey_web *finer = NULL;
        marey_status status = MAREY_OK;
        if (!mry_level_make(&mem, of->a, of->b, of->whole, every[i], &level)) {
            status = mry_fail_memory(error, NULL);
        } else if (i == 0) {
            status = build_level(ctx, of, &level, &finer, error);
        } else {
            level.slope = slope;
            finer = mry_web_refine(web, every[i - 1] / every[i], &level);
            if (!finer) {
                status =
                    mry_cancelled(ctx) ? mry_fail_cancelled(error) : mry_fail_memory(error, NULL);
            }
        }
        mry_arena_free(&mem);
        marey_web_free(web);
        if (status) return status;
        web = finer;
    }
    *out = web;
    return MAREY_OK;
}

static marey_status build(marey_ctx *ctx, const order *of, marey_web **out, marey_error *error)
{
    marey_web *web = NULL;
    marey_status status;
    if (of->def && of->def->levels) {
        status = build_levels(ctx, of, &web, error);
    } else {
        mry_level level;
        mry_arena mem = mry_arena_make(ctx);
        bool made = mry_level_make(&mem, of->a, of->b, of->whole, 1, &level);
        status = made ? build_level(ctx, of, &level, &web, error) : mry_fail_memory(error, NULL);
        mry_arena_free(&mem);
    }
    return status ? status : hand_out(web, out, error);
}

marey_status mry_web_of(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                        const marey_web_def *def, bool chains_only, int slab, marey_web **out,
                        marey_error *error)
{
    order of = { a, b, NULL, def, chains_only, slab };
    if (a->layout != b->layout)
        return mry_fail(error, MAREY_ERR_SHAPE, NULL,
                        "the two clips' features are of different layouts");
    if (a->points) return build(ctx, &of, out, error);
    marey_grid *grid;
    marey_status status = marey_grid_build(ctx, a, b, &grid, error);
    if (status) return status;
    marey_rows rows = marey_grid_cost(grid);
    of.whole = &rows;
    status = build(ctx, &of, out, error);
    marey_grid_free(grid);
    return status;
}

marey_status marey_web_build(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                             const marey_web_def *def, marey_web **out, marey_error *error)
{
    return mry_web_of(ctx, a, b, def, false, 0, out, error);
}
