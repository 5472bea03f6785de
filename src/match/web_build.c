/* web_build.c - a match web of two motions, from slab to slab of their grid (webs, 6.2.2). */
#include "match/search_index.h"
#include "match/web_bits.h"
#include "match/web_level.h"
#include "match/web_work.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "grid/points_card.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- from what was found to a web ------------------------------------------------------------ */

/* Chains numbered by their first cells, bridges by the chains they connect, tails by the chains
   they continue, costs rounded to what bytes keep. */

static mry_web_path *add_path(marey_web *web, int count)
{
    mry_web_path *path = &web->paths[web->chain_count + web->bridge_count];
    *path = (mry_web_path){ web->cell_count, count, -1, -1, -1, -1 };
    web->cell_count += count;
    return path;
}

static void add_cells(marey_web *web, int64_t at, const marey_cell *cells, const float *costs,
                      int count)
{
    for (int i = 0; i < count; i++) {
        web->cells[at + i] = cells[i];
        web->costs[at + i] = mry_web_round_cost(costs[i]);
    }
}

static int by_target(const void *a, const void *b)
{
    const mry_web_bridge *left = *(mry_web_bridge *const *)a, *right = *(mry_web_bridge *const *)b;
    return (left->to > right->to) - (left->to < right->to);
}

/* `sorted` has room for the bridges of any chain. Numbers of chains grow as their first ones
   did. */
static void add_bridges(marey_web *web, const mry_web_chain *chain, int from, const int *number,
                        const mry_web_bridge **sorted)
{
    size_t count = 0;
    for (const mry_web_bridge *b = chain->bridges; b; b = b->next) sorted[count++] = b;
    if (count > 1) qsort(sorted, count, sizeof *sorted, by_target);
    for (size_t i = 0; i < count; i++) {
        const mry_web_bridge *b = sorted[i];
        mry_web_path *path = add_path(web, b->count);
        web->bridge_count++;
        path->from = from;
        path->to = number[b->to];
        path->from_cell = b->from_cell;
        path->to_cell = b->to_cell;
        add_cells(web, path->first, b->cells, b->costs, b->count);
    }
}

/* What was found as a web. NULL: no memory. */
static marey_web *finish(mry_web_work *work)
{
    const mry_web_links *links = &work->links;
    const mry_web_plan *plan = &work->plan;
    mry_arena tmp = mry_arena_make(work->ctx);
    int *number = MRY_NEW_RAW(&tmp, int, links->count + 1); /* of the chains that stay; else -1 */
    int chains = plan->self, tails_found = 0, bridges = 0;
    int64_t cells = plan->self ? plan->rows : 0;
    marey_web *web = NULL;
    for (int i = 0; number && i < links->count; i++) {
        const mry_web_chain *chain = &links->chains[i];
        number[i] = chain->count > 0 ? chains++ : -1;
        cells += chain->count;
        for (int k = 0; chain->tails && k < MRY_TAIL_KINDS; k++) {
            tails_found += chain->tails[k].count > 0;
            cells += chain->tails[k].count;
        }
        for (const mry_web_bridge *b = chain->bridges; b; b = b->next) {
            bridges++;
            cells += b->count;
        }
    }
    const mry_web_bridge **sorted = MRY_NEW(&tmp, const mry_web_bridge *, bridges + 1);
    if (number && sorted) {
        marey_web head = { .rows = plan->rows,
                           .cols = plan->cols,
                           .self = plan->self,
                           .fps = plan->fps,
                           .ceiling = (double)plan->ceiling,
                           .chain_count = chains + tails_found,
                           .bridge_count = bridges + tails_found };
        web = mry_web_make(work->ctx, &head, cells);
    }
    if (!web) {
        mry_arena_free(&tmp);
        return NULL;
    }
    web->chain_count = web->bridge_count = 0;
    if (web->self) mry_web_add_diagonal(web);
    for (int i = 0; i < links->count; i++) {
        if (number[i] < 0) continue;
        int64_t at = add_path(web, links->chains[i].count)->first;
        web->chain_count++;
        for (const mry_web_piece *p = links->chains[i].first; p; at += p->count, p = p->next)
            add_cells(web, at, p->cells, p->costs, p->count);
    }
    int next_tail = web->chain_count;
    for (int i = 0; i < links->count; i++) {
        const mry_web_tail *tails = links->chains[i].tails;
        for (int k = 0; number[i] >= 0 && tails && k < MRY_TAIL_KINDS; k++) {
            if (tails[k].count == 0) continue;
            int64_t at = add_path(web, tails[k].count)->first;
            web->chain_count++;
            web->tail_count++;
            add_cells(web, at, tails[k].cells, tails[k].costs, tails[k].count);
        }
    }
    for (int i = 0; i < links->count; i++) {
        if (number[i] >= 0) add_bridges(web, &links->chains[i], number[i], number, sorted);
    }
    for (int i = 0; i < links->count; i++) {
        const mry_web_tail *tails = links->chains[i].tails;
        for (int k = 0; number[i] >= 0 && tails && k < MRY_TAIL_KINDS; k++) {
            if (tails[k].count == 0) continue;
            *add_path(web, 0) = mry_web_joint(web, number[i], next_tail++, k >= MRY_TAIL_BACK_ROWS);
            web->bridge_count++;
        }
    }
    mry_arena_free(&tmp);
    return web;
}

enum { MOST_REACH = 4096 };

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
                        "a match web must have at most %d frames on a side, got %d x %d",
                        MRY_WEB_MOST_FRAMES, plan->rows, plan->cols);
    plan->fps = fps;
    plan->slope = def->slope ? def->slope : 2;
    plan->ceiling = (float)(def->ceiling > 0 ? def->ceiling : ceiling);
    plan->grow = (float)(1 + valid);
    if (plan->slope < 1 || plan->slope > MRY_WEB_MOST_SLOPE)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "slope must be 1 to %d, got %d",
                        MRY_WEB_MOST_SLOPE, plan->slope);
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

static marey_status run(mry_web_work *work, int slab, marey_web **out, marey_error *error)
{
    work->mem = mry_arena_make(work->ctx);
    bool fits = mry_ring_make(work, slab) && mry_links_make(work), go_on = true;
    while (fits && go_on && work->ring.filled < work->plan.rows) {
        go_on = !mry_cancelled(work->ctx);
        if (!go_on) break;
        fits = mry_ring_fill(work);
        if (fits) {
            mry_ring_flag(work);
            fits = mry_links_rows(work);
        }
        if (fits && !work->plan.chains_only) {
            mry_valid_extend(work);
            fits = mry_bridges_find(work);
        }
        if (fits)
            go_on = mry_progress(work->ctx, "finding chains and bridges", work->ring.filled,
                                 work->plan.rows);
    }
    marey_web *web = fits && go_on ? finish(work) : NULL;
    mry_links_free(work);
    mry_ring_free(work);
    mry_arena_free(&work->mem);
    if (!go_on) return mry_fail_cancelled(error);
    if (!web) return mry_fail_memory(error, NULL);
    *out = web;
    return MAREY_OK;
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

/* ---- where rows come from -------------------------------------------------------------------- */

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

/* The coarsest level first; each of the others from the one before. */
static marey_status build(marey_ctx *ctx, const order *request, marey_web **out, marey_error *error)
{
    static const int every[] = { 6, 3, 1 };
    bool coarse = request->def && request->def->levels;
    marey_web *web = NULL;
    for (int i = coarse ? 0 : 2, first = i; i < 3; i++) {
        mry_arena mem = mry_arena_make(ctx);
        mry_level level;
        marey_web *finer = NULL;
        marey_status status = MAREY_OK;
        if (!mry_level_make(&mem, request->a, request->b, request->whole, every[i], &level)) {
            status = mry_fail_memory(error, NULL);
        } else if (i == first) {
            mry_web_work work = { .ctx = ctx,
                                  .source = { .fill = mry_level_fill,
                                              .user = &level,
                                              .marked_rows = level.marked_rows,
                                              .marked_cols = level.marked_cols } };
            work.plan = (mry_web_plan){ .rows = level.rows,
                                        .cols = level.cols,
                                        .self = level.self,
                                        .chains_only = request->chains_only };
            double ceiling = request->whole ? INFINITY : MAREY_WEB_CEILING;
            status = make_plan(request->def, level.fps, ceiling, &work.plan, error);
            if (level.every > 1) work.plan.tail = 0; /* they would not be refined */
            level.below = work.plan.ceiling * work.plan.grow;
            if (!status && level.a)
                level.card = mry_card_mark(&mem, level.a, level.b, level.below, level.self);
            if (!status) status = run(&work, request->slab, &finer, error);
        } else {
            level.slope = request->def->slope ? request->def->slope : 2;
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
    return hand_out(web, out, error);
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
