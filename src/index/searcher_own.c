/* searcher_own.c - searching by a metric of the caller's own: nothing is known of it that would rule
   anything out, so the query is measured against every row of every clip. What an alignment is, and
   what it costs, is as for poses (match/query_scan.h, decision 40).

   Rows are those of the pair in hand: of the lowest of both clips' rates and the metric's. */
#include "index/searcher_data.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "grid/grid_data.h"
#include "match/match_ends.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 64 }; /* rows of the query whose distances are held at once */

/* The frames of a clip, as its function tells of them. */
typedef struct told {
    const marey_clip *clip;
    float *frames;
} told;

/* One clip at one rate. */
typedef struct side {
    double rate;
    mry_own_rows rows;
    mry_term term;
} side;

/* The query and one clip. */
typedef struct scan {
    mry_seek *seek;
    marey_segment of; /* the query, in its clip's rows */
    told query;
    double query_rate; /* of its clip's rows */
    side own;          /* at the rate of the pair before */
    int first, rows;   /* of the query's, in these */
    mry_arena mem;     /* of `own` */
    mry_scan_query warp;
} scan;

static bool make_side(mry_arena *mem, const marey_metric_def *def, const told *of, double rate,
                      side *out)
{
    double shares[MAREY_MOST_WINDOW];
    mry_frame_weights(def->window, def->tapered, shares);
    *out = (side){ .rate = rate };
    return mry_own_sample(mem, def->own, of->clip, of->frames, rate, &out->rows) &&
           mry_own_term(mem, def->own, out->rows.values, out->rows.rows, def->window, shares,
                        &out->term);
}

/* The query's rows at the pair's rate. */
static bool ready(scan *s, double rate)
{
    if (s->own.rate == rate) return true;
    marey_ctx *ctx = s->mem.ctx;
    mry_arena_free(&s->mem);
    s->mem = mry_arena_make(ctx);
    s->own = (side){ 0 };
    side made;
    if (!make_side(&s->mem, &s->seek->metric, &s->query, rate, &made)) return false;
    double rates = s->query_rate / rate;
    int last = mry_to_web(s->of.end - 1, rates);
    s->first = mry_to_web(s->of.start, rates);
    if (last >= made.rows.rows) last = made.rows.rows - 1;
    if (s->first > last) s->first = last;
    s->rows = last - s->first + 1;
    s->own = made;
    return true;
}

static size_t stride_of(int cols)
{
    return ((size_t)cols + 15) / 16 * 16 + 16; /* so much is read behind the last */
}

/* Distances of some rows of the query, `count` from `row` on, from columns [from, to) of a clip;
   infinite where these were not captured. */
static marey_status measure(const scan *s, const side *clip, int row, int count, int from, int to,
                            float *cells, marey_error *error)
{
    size_t numbers = (size_t)clip->term.dims;
    mry_term a = s->own.term, b = clip->term;
    a.values += (size_t)(s->first + row) * numbers;
    b.values += (size_t)from * numbers;
    mry_term_job job = { .a = &a,
                         .b = &b,
                         .rows = count,
                         .cols = to - from,
                         .factor = 1,
                         .cells = cells,
                         .stride = stride_of(to - from) };
    marey_status status = mry_term_grid(s->mem.ctx, &job, error);
    for (int j = from; j < to && !status; j++) {
        if (!clip->rows.marked[j]) continue;
        for (int i = 0; i < count; i++)
            cells[(size_t)i * job.stride + (size_t)(j - from)] = INFINITY;
    }
    return status;
}

/* All ends up to the cut-off, into tmp. */
static marey_status find_ends(mry_arena *tmp, const scan *s, const side *clip, float cutoff,
                              mry_scan_ends *out, marey_error *error)
{
    int cols = clip->rows.rows;
    mry_row_warp warp;
    float *cells = MRY_NEW(tmp, float, BLOCK *stride_of(cols));
    float most = cutoff * (float)s->rows; /* infinite: whatever it costs */
    if (!cells || !mry_row_warp_make(tmp, s->warp.kernel, cols, s->warp.steps, true, &warp))
        return mry_fail_memory(error, NULL);
    for (int i = 0; i < s->rows; i += BLOCK) {
        int count = s->rows - i < BLOCK ? s->rows - i : BLOCK;
        marey_status status = measure(s, clip, i, count, 0, cols, cells, error);
        if (status) return status;
        for (int r = 0; r < count; r++)
            mry_row_warp_add(&warp, cells + (size_t)r * stride_of(cols));
    }
    out->count = 0;
    out->items = MRY_NEW_RAW(tmp, mry_scan_end, cols);
    if (!out->items) return mry_fail_memory(error, NULL);
    for (int j = 0; j < cols; j++) {
        if (warp.best[j] > most || isinf(warp.best[j])) continue;
        out->items[out->count++] =
            (mry_scan_end){ warp.best_from[j], j, warp.best[j] / (float)s->rows };
    }
    return MAREY_OK;
}

static marey_segment in_clip(const scan *s, int slot, double rates, const mry_scan_end *end)
{
    int rows = s->seek->searcher->slots[slot].clip.rows;
    marey_segment at = { slot, mry_from_web(end->start, rates), mry_from_web(end->end, rates) + 1 };
    if (at.end > rows) at.end = rows;
    if (at.start >= at.end) at.start = at.end - 1;
    return at;
}

/* One match, with how its rows go with those of the query. */
static marey_status add_match(mry_arena *tmp, const scan *s, const side *clip, int slot,
                              const mry_scan_end *end, marey_error *error)
{
    mry_seek *seek = s->seek;
    double cols = seek->searcher->slots[slot].clip.rate / clip->rate;
    mry_rates rates = { s->query_rate / clip->rate, cols };
    int width = end->end + 1 - end->start, *path = MRY_NEW_RAW(tmp, int, s->rows);
    float *cells = MRY_NEW(tmp, float, (size_t)s->rows *stride_of(width));
    if (!path || !cells) return mry_fail_memory(error, NULL);
    marey_status status = measure(s, clip, 0, s->rows, end->start, end->end + 1, cells, error);
    if (status) return status;
    mry_scan_strip strip = { .query = &s->warp,
                             .from = end->start,
                             .cells = cells,
                             .stride = stride_of(width),
                             .all = true };
    mry_hit *hit = mry_list_add(seek->searcher->ctx, &seek->hits, sizeof *hit);
    if (!hit || !mry_scan_path(tmp, &strip, end->start, end->end, path))
        return mry_fail_memory(error, NULL);
    *hit = (mry_hit){ .at = in_clip(s, slot, cols, end),
                      .mean = (double)end->cost,
                      .begin = { s->first, end->start },
                      .rates = rates,
                      .cells = 1,
                      .steps = seek->steps.count };
    hit->first = (marey_cell){ mry_from_web(s->first, rates.rows), hit->at.start };
    hit->last = (marey_cell){ mry_from_web(s->first + s->rows - 1, rates.rows), hit->at.end - 1 };
    bool fits = true;
    for (int i = 1; i < s->rows && fits; i++) {
        int ahead = path[i] - path[i - 1];
        for (; ahead > 1 && fits; ahead--) fits = mry_add_step(seek, hit, MRY_MOVE_ACROSS);
        fits = fits && mry_add_step(seek, hit, ahead > 0 ? MRY_MOVE_BOTH : MRY_MOVE_DOWN);
    }
    return fits ? MAREY_OK : mry_fail_memory(error, NULL);
}

static marey_status scan_clip(scan *s, int slot, float cutoff, marey_error *error)
{
    mry_seek *seek = s->seek;
    marey_searcher *searcher = seek->searcher;
    const marey_metric_def *def = &seek->metric;
    const mry_index_clip *clip = &searcher->slots[slot].clip;
    mry_arena tmp = mry_arena_make(searcher->ctx);
    marey_clip *loaded = NULL;
    told other = s->query;
    double rate = fmin(s->query_rate, clip->rate);
    if (def->fps > 0) rate = mry_rate_within(rate, def->fps);
    side it;
    mry_scan_ends ends = { 0 };
    marey_status status = MAREY_OK;
    if (slot != s->of.clip) {
        status = mry_load_clip(mry_slot_library(searcher, slot), clip->id, NULL, &loaded, error);
        other.clip = loaded;
        if (!status) status = mry_own_ask(&tmp, def->own, loaded, &other.frames, error);
    }
    if (!status && (!ready(s, rate) || !make_side(&tmp, def, &other, rate, &it)))
        status = mry_fail_memory(error, NULL);
    if (!status) s->warp.rows = s->rows;
    if (!status) status = find_ends(&tmp, s, &it, cutoff, &ends, error);
    double rates = clip->rate / rate;
    int kept = 0;
    for (int i = 0; i < ends.count && !status; i++) {
        if (mry_seek_wants(seek, in_clip(s, slot, rates, &ends.items[i])))
            ends.items[kept++] = ends.items[i];
    }
    const marey_segment own = { slot, s->first, s->first + s->rows };
    if (!status)
        kept = mry_ends_apart(ends.items, kept, slot == s->of.clip ? &own : NULL, seek->same);
    /* No more than so many can be among the nearest of all. */
    int nearest = seek->def->nearest;
    if (nearest > 0 && kept > nearest) kept = nearest;
    for (int i = 0; i < kept && !status; i++)
        status = add_match(&tmp, s, &it, slot, &ends.items[i], error);
    mry_arena_free(&tmp);
    marey_clip_free(loaded);
    return status;
}

marey_status mry_seek_own_hits(void *user, marey_segment query, mry_hits *out, marey_error *error)
{
    mry_seek *seek = user;
    marey_searcher *searcher = seek->searcher;
    bool outside = query.clip == searcher->slot_count;
    bool first = mry_same_segment(query, seek->query);
    marey_clip *loaded = NULL;
    mry_arena mem = mry_arena_make(searcher->ctx);
    scan s = { .seek = seek,
               .of = query,
               .query_rate = seek->fps[query.clip],
               .mem = mry_arena_make(searcher->ctx),
               .warp = { .kernel = mry_scan_kernel(searcher->ctx), .steps = { 2, 1 } } };
    float cutoff = seek->threshold > 0 ? (float)seek->threshold : INFINITY;
    marey_status status = MAREY_OK;
    seek->hits.count = seek->steps.count = 0;
    if (!outside)
        status = mry_load_clip(mry_slot_library(searcher, query.clip),
                               searcher->slots[query.clip].clip.id, NULL, &loaded, error);
    s.query.clip = outside ? seek->outside_clip : loaded;
    if (!status) status = mry_own_ask(&mem, seek->metric.own, s.query.clip, &s.query.frames, error);
    for (int slot = 0; slot < searcher->slot_count && !status; slot++) {
        if (!seek->allowed[slot]) continue;
        if (!mry_progress(searcher->ctx, "comparing", slot, searcher->slot_count)) {
            status = mry_fail_cancelled(error);
        } else {
            status = scan_clip(&s, slot, cutoff, error);
        }
    }
    int nearest = seek->def->nearest;
    mry_hit *hits = seek->hits.items;
    if (!status && seek->hits.count > 1)
        qsort(hits, (size_t)seek->hits.count, sizeof *hits, mry_hit_by_mean);
    if (!status && first && nearest > 0 && seek->hits.count > nearest) seek->hits.count = nearest;
    /* How far it went, for the report and for what is searched for then. */
    if (!status && first && seek->threshold == 0)
        seek->threshold = seek->hits.count > 0 ? hits[seek->hits.count - 1].mean : 0;
    *out = (mry_hits){ hits, seek->hits.count, &seek->steps };
    mry_arena_free(&s.mem);
    mry_arena_free(&mem);
    marey_clip_free(loaded);
    return status;
}
