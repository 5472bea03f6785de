/* search.c - searching with match webs (webs, 6.2.3): the matches of the query, then the matches of these, and so on, tier after
   tier, until nothing new is found. */
#include "base/fail.h"
#include "match/search_graph.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct search {
    marey_ctx *ctx;
    const marey_webs *webs;
    marey_search_def def; /* defaults filled in */
    mry_picker picker;
    mry_grower grower;
    marey_search_report report;
    bool enough; /* tier_done said so */
} search;

/* ---- what cannot be ------------------------------------------------------------------------------------- */

static void fill_defaults(marey_search_def *def)
{
    if (def->same == 0) def->same = 0.8;
    if (def->distinct == 0) def->distinct = 0.2;
    if (def->limit == 0) def->limit = 10000;
    def->loose = def->loose < 0 ? 0 : def->loose == 0 ? 0.3 : def->loose;
}

static marey_status check(const search *s, marey_segment query, marey_error *error)
{
    const marey_search_def *def = &s->def;
    if (!(def->threshold > 0) || !(def->threshold < INFINITY))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a threshold of %g cannot be",
                        def->threshold);
    if (!(def->same > 0 && def->same <= 1))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%g, the overlap of matches that are the same, is not in (0, 1]",
                        def->same);
    if (!(def->distinct >= 0 && def->distinct <= def->same))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%g, the overlap of distinct matches, is not in [0, %g], up to that of "
                        "matches that are the same",
                        def->distinct, def->same);
    if (!(def->loose >= 0 && def->loose <= 0.5))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%g, the share that may be lacking at an end, is not in [0, 0.5]",
                        def->loose);
    if (def->tiers < 0 || def->limit < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%d tiers and %d matches at most cannot be",
                        def->tiers, def->limit);
    if (query.clip < 0 || query.clip >= s->webs->clips)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no clip %d", query.clip);
    if (query.start < 0 || query.end <= query.start)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "frames %d to %d are no segment",
                        query.start, query.end);
    return MAREY_OK;
}

/* Frames of a clip behind the last that a web of a lower rate has a row for are less than one row's. */
static marey_status check_length(const marey_web *web, bool flipped, marey_segment query,
                                 double rate, marey_error *error)
{
    int rows = flipped && !web->self ? web->cols : web->rows;
    if (query.end - 1 < rows * rate) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the segment ends at frame %d, but the clip has %d frames", query.end,
                    mry_from_web(rows, rate));
}

/* What a web's rows are to its clips'. */
static mry_rates rates_of(const marey_webs *webs, const marey_web *web, int query, int clip)
{
    if (!webs->fps) return (mry_rates){ 1, 1 };
    return (mry_rates){ webs->fps[query] / web->fps, webs->fps[clip] / web->fps };
}

static marey_segment count_in_web(marey_segment query, const marey_web *web, bool flipped,
                                  double rate)
{
    int rows = flipped && !web->self ? web->cols : web->rows;
    int first = mry_to_web(query.start, rate), last = mry_to_web(query.end - 1, rate);
    if (last >= rows) last = rows - 1;
    return (marey_segment){ query.clip, first < last ? first : last, last + 1 };
}

/* ---- one query ------------------------------------------------------------------------------------------- */

static marey_status search_clip(search *s, marey_segment query, int clip, marey_error *error)
{
    const marey_web *web = NULL;
    bool flipped = false;
    if (mry_cancelled(s->ctx)) return mry_fail_cancelled(error);
    marey_status status = s->webs->web(s->webs->user, query.clip, clip, &web, &flipped, error);
    if (status || !web) return status;
    assert(web->index);
    mry_rates rates = rates_of(s->webs, web, query.clip, clip);
    status = check_length(web, flipped, query, rates.rows, error);
    if (status) return status;
    if (web->ceiling < s->report.ceiling) s->report.ceiling = web->ceiling;
    marey_segment rows = count_in_web(query, web, flipped, rates.rows);
    int loose = (int)(s->def.loose * (rows.end - rows.start));
    mry_pick pick = { web, flipped, rows, rates, clip, s->def.threshold, s->def.same, loose };
    return mry_pick_matches(&s->picker, &pick) ? MAREY_OK : mry_fail_memory(error, NULL);
}

static int by_mean(const void *left, const void *right)
{
    const mry_hit *a = left, *b = right;
    if (a->mean != b->mean) return a->mean < b->mean ? -1 : 1;
    if (a->at.clip != b->at.clip) return a->at.clip < b->at.clip ? -1 : 1;
    if (a->at.start != b->at.start) return a->at.start < b->at.start ? -1 : 1;
    return (a->at.end > b->at.end) - (a->at.end < b->at.end);
}

/* Each alignment may be up to three times as long one way as the other. Over several tiers that would lead from a reach to
   its last three frames, which are like everything: behind the first, matches stay between half and twice the query. */
static bool is_too_far(const search *s, int node, const mry_hit *hit)
{
    marey_segment query = mry_node_at(&s->grower, 0)->found.at;
    const double *fps = s->webs->fps;
    double own = hit->at.end - hit->at.start, asked = query.end - query.start;
    if (fps) own *= fps[query.clip] / fps[hit->at.clip];
    return node > 0 && (2 * own < asked || own > 2 * asked);
}

static bool add_hits(search *s, int node)
{
    mry_hit *hits = s->picker.hits.items;
    int count = s->picker.hits.count;
    if (count > 1) qsort(hits, (size_t)count, sizeof *hits, by_mean);
    mry_grower_query(&s->grower, node);
    for (int i = 0; i < count; i++) {
        mry_fate fate;
        if (is_too_far(s, node, &hits[i])) continue;
        if (!mry_grower_add(&s->grower, node, &hits[i], &s->picker.steps, &s->def, &fate))
            return false;
        s->report.limited |= fate == MRY_FATE_NO_ROOM;
    }
    return true;
}

static marey_status search_node(search *s, int node, marey_error *error)
{
    marey_segment query = mry_node_at(&s->grower, node)->found.at;
    s->picker.hits.count = s->picker.steps.count = 0;
    for (int clip = 0; clip < s->webs->clips; clip++) {
        if (s->def.allowed && !s->def.allowed[clip]) continue;
        marey_status status = search_clip(s, query, clip, error);
        if (status) return status;
    }
    return add_hits(s, node) ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- tiers ---------------------------------------------------------------------------------------------- */

/* Searches with the nodes [first, last), which are those of one tier: nodes are found tier by tier. */
static marey_status search_tier(search *s, int tier, int first, int last, marey_error *error)
{
    for (int node = first; node < last && !s->report.limited; node++) {
        if (!mry_progress(s->ctx, "searching", node, s->grower.nodes.count))
            return mry_fail_cancelled(error);
        marey_status status = search_node(s, node, error);
        if (status) return status;
    }
    if (!mry_grower_arrange(&s->grower)) return mry_fail_memory(error, NULL);
    int count = s->grower.nodes.count;
    if (count > last) s->report.tiers = tier;
    if (s->def.tier_done && !s->def.tier_done(s->def.user, tier, s->grower.founds.items, count))
        s->enough = true;
    return MAREY_OK;
}

static marey_status search_all(search *s, marey_error *error)
{
    int first = 0, last = 1;
    for (int tier = 1; s->def.tiers == 0 || tier <= s->def.tiers; tier++) {
        marey_status status = search_tier(s, tier, first, last, error);
        if (status) return status;
        first = last;
        last = s->grower.nodes.count;
        if (first == last || s->enough || s->report.limited) break;
    }
    return MAREY_OK;
}

marey_status marey_search(marey_ctx *ctx, const marey_webs *webs, marey_segment query,
                          const marey_search_def *def, marey_match_graph **out, marey_error *error)
{
    search s = { .ctx = ctx, .webs = webs, .picker = mry_picker_make(ctx) };
    if (def) s.def = *def;
    s.report.ceiling = INFINITY;
    fill_defaults(&s.def);
    marey_status status = check(&s, query, error);
    if (status) return status;
    if (!mry_grower_start(&s.grower, ctx, webs->clips, query)) status = MAREY_ERR_MEMORY;
    if (!status) status = search_all(&s, error);
    marey_match_graph *graph = status ? NULL : mry_match_graph_make(&s.grower, s.report);
    if (status == MAREY_ERR_MEMORY || (!status && !graph)) status = mry_fail_memory(error, NULL);
    mry_picker_free(&s.picker);
    mry_grower_free(&s.grower);
    if (!status) *out = graph;
    return status;
}
