/* searcher_poses.c - what a query finds by poses: in all clips, at their rates and on both sides, how
   far it goes on, and what examples that are liked or not change. Decisions 22 and 24. */
#include "index/searcher_data.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "match/match_ends.h"
#include "match/query_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares of what standing still in the best pose would score (decision 22). A match is surely one
   up to the first. Of a match that is a query itself it must be nearer than the second; those nearer
   than the third are not queries. With examples distances are costs, and up to the fourth is near. */
static const double CUTOFF = 0.5, NEXT_CUTOFF = 0.4, NEAR = 0.3, EXAMPLE_CUTOFF = 0.6;

/* Where there are few, others begin when many come at once; where there are none, when two do. And
   up to where it is looked for them, one after the other: most often the first tells. */
static const mry_hit_stage STAGES[] = { { 0.5, 0.8, 0.15, 6 }, { 0.8, 1.5, 0.3, 1 } };
static const double STEPS[] = { 0.65, 0.95, 1.5 };

/* In cm2: what rounding makes of standing still; beyond all distances. */
static const double LEAST_STILL = 0.005;
static const float FARTHEST = 1e8f;

/* The clip of a query, opened, at the rates that are asked for. */
typedef struct asking {
    mry_seek *seek;
    marey_segment of;
    mry_arena mem;
    marey_clip *loaded;
    const marey_clip *clip; /* NULL: not needed yet */
    const mry_poses *own;   /* at its own rate */
    const mry_poses *other; /* at another one, which was asked for last */
    double own_rate;
} asking;

static marey_status open_clip(asking *a, marey_error *error)
{
    marey_searcher *s = a->seek->searcher;
    if (a->clip) return MAREY_OK;
    if (a->of.clip == s->slot_count) {
        a->clip = a->seek->outside_clip;
        return MAREY_OK;
    }
    marey_status status = mry_load_clip(mry_slot_library(s, a->of.clip),
                                        s->slots[a->of.clip].clip.id, "", &a->loaded, error);
    a->clip = a->loaded;
    return status;
}

static marey_status poses_at(asking *a, double rate, const mry_poses **out, marey_error *error)
{
    *out = rate == a->own_rate ? a->own : a->other && a->other->rate == rate ? a->other : NULL;
    if (*out) return MAREY_OK;
    mry_poses *made = MRY_NEW(&a->mem, mry_poses, 1);
    marey_status status = open_clip(a, error);
    if (!status && !made) status = mry_fail_memory(error, NULL);
    if (!status) status = mry_poses_make(&a->mem, a->clip, rate, made, error);
    if (!status) *out = a->other = made;
    return status;
}

static int row_at(int row, double rates, int rows)
{
    int at = (int)lround(row / rates);
    return at < rows ? at : rows - 1;
}

/* Can they be compared? */
static bool fits_group(const mry_poses *poses, const mry_pose_group *group)
{
    if (poses->by_roles != group->by_roles) return false;
    if (!poses->by_roles) return poses->joints == group->joints && poses->points == group->points;
    int common = 0;
    for (uint32_t both = poses->has & group->has; both; both &= both - 1) common++;
    return common >= MRY_POSE_FEWEST_ROLES;
}

static bool make_query(mry_arena *mem, const asking *a, const mry_poses *poses, int first, int end,
                       uint32_t has, mry_scan_query *out)
{
    float *weights = MRY_NEW(mem, float, poses->points);
    return weights && mry_query_weights(mem, poses, first, end, has, weights) &&
           mry_scan_query_make(mem, poses, first, end, mry_scan_every(poses->rate), weights,
                               mry_unit_of(a->seek->searcher, poses->scale), out);
}

/* Of hits in one place, as it is and in a mirror, the nearest. */
static void suppress_hits(mry_seek *seek)
{
    mry_hit *hits = seek->hits.items;
    int kept = 0;
    if (seek->hits.count > 1) qsort(hits, (size_t)seek->hits.count, sizeof *hits, mry_hit_by_mean);
    for (int i = 0; i < seek->hits.count; i++) {
        bool is_new = true;
        for (int k = 0; k < kept && is_new; k++)
            is_new = hits[k].mirrored == hits[i].mirrored ||
                     mry_overlap(hits[k].at, hits[i].at) < seek->same;
        if (is_new) hits[kept++] = hits[i];
    }
    seek->hits.count = kept;
}

/* What is asked for says how near a match must be. */
static marey_status find_cutoff(asking *a, double *still, marey_error *error)
{
    mry_arena tmp = mry_arena_make(a->mem.ctx);
    mry_scan_query query;
    float cost = -1;
    if (make_query(&tmp, a, a->own, a->of.start, a->of.end, a->own->has, &query))
        cost = mry_still_cost(&tmp, &query, a->own, a->of.start,
                              mry_unit_of(a->seek->searcher, a->own->scale));
    mry_arena_free(&tmp);
    *still = fmax((double)cost, LEAST_STILL);
    return cost < 0 ? mry_fail_memory(error, NULL) : MAREY_OK;
}

/* The query at a rate, as it is or mirrored, with weights of the roles that both have. */
static marey_status ready_side(asking *a, double rate, uint32_t has, mry_scanning *s,
                               marey_error *error)
{
    const mry_poses *poses = NULL;
    mry_poses other_side;
    s->rates = a->own_rate / rate;
    marey_status status = poses_at(a, rate, &poses, error);
    if (!status && s->mirrored && !mry_poses_mirror(&s->mem, poses, &other_side))
        status = mry_fail_memory(error, NULL);
    if (status) return status;
    if (s->mirrored) poses = &other_side;
    s->first = row_at(a->of.start, s->rates, poses->rows);
    int end = row_at(a->of.end - 1, s->rates, poses->rows) + 1;
    if (end <= s->first) end = s->first + 1;
    bool fits = make_query(&s->mem, a, poses, s->first, end, has, &s->query);
    if (fits)
        s->still = mry_still_cost(&s->mem, &s->query, poses, s->first,
                                  mry_unit_of(a->seek->searcher, poses->scale));
    return fits && s->still >= 0 ? MAREY_OK : mry_fail_memory(error, NULL);
}

static mry_scanning begin_scan(const asking *a, bool mirrored)
{
    return (mry_scanning){
        .seek = a->seek, .mem = mry_arena_make(a->mem.ctx), .of = a->of, .mirrored = mirrored
    };
}

static marey_status scan_side(asking *a, mry_pose_group *group, double cutoff, bool mirrored,
                              marey_error *error)
{
    mry_scanning s = begin_scan(a, mirrored);
    s.group = group;
    bool as_costs = a->seek->example_count > 0 || a->seek->places;
    s.cutoff = (float)cutoff;
    s.reach = (float)(as_costs ? cutoff : mry_reach_of(cutoff));
    marey_status status = ready_side(a, group->rate, group->has, &s, error);
    if (!status) status = mry_scan_group(&s, error);
    mry_arena_free(&s.mem);
    return status;
}

/* Adds what is like one example. */
static marey_status scan_example(asking *a, double cutoff, int *compared, marey_error *error)
{
    mry_shelves *shelves = &a->seek->searcher->shelves;
    bool both = a->seek->def->mirror && a->own->by_roles;
    marey_status status = MAREY_OK;
    *compared = 0;
    for (int g = 0; g < shelves->group_count && !status; g++) {
        if (!fits_group(a->own, &shelves->groups[g])) continue;
        ++*compared;
        status = scan_side(a, &shelves->groups[g], cutoff, false, error);
        if (!status && both) status = scan_side(a, &shelves->groups[g], cutoff, true, error);
    }
    if (!status && both) suppress_hits(a->seek);
    return status;
}

static marey_status open_asking(asking *a, mry_seek *seek, marey_segment of, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    *a = (asking){
        .seek = seek, .of = of, .mem = mry_arena_make(s->ctx), .own_rate = seek->fps[of.clip]
    };
    marey_status status = of.clip < s->slot_count
                              ? mry_hold_poses(s, of.clip, s->shelves.uses + 1, &a->own, error)
                              : poses_at(a, a->own_rate, &a->own, error);
    a->other = NULL;
    return status;
}

static void close_asking(asking *a)
{
    marey_clip_free(a->loaded);
    mry_arena_free(&a->mem);
}

/* Again, as it may have made room for others. */
static marey_status hold_query(asking *a, int64_t since, marey_error *error)
{
    if (a->of.clip == a->seek->searcher->slot_count) return MAREY_OK;
    return mry_hold_poses(a->seek->searcher, a->of.clip, since, &a->own, error);
}

/* What is liked or not must have a body that can be compared with the query's. */
static marey_status check_body(const asking *of, const mry_poses *poses, int slot,
                               marey_error *error)
{
    char name[MAREY_NAME_ROOM] = "";
    mry_pose_group own = { .points = poses->points,
                           .by_roles = poses->by_roles,
                           .has = poses->has,
                           .joints = poses->joints };
    if (fits_group(of->own, &own)) return MAREY_OK;
    const marey_searcher *s = of->seek->searcher;
    mry_clip_name(mry_slot_library(s, slot), s->slots[slot].clip.id, name, sizeof name, NULL, NULL);
    return mry_fail(error, MAREY_ERR_SHAPE, name,
                    "has no joints or roles in common with the query, so it is no example for it");
}

/* Adds a match of an example, aligned with it from end to end. What is too long or too short for an
   alignment, as something that is liked may be, or has frames that were not captured: evenly. */
static bool align_match(mry_scanning *s, const mry_poses *poses, int slot, mry_scan_end end)
{
    float unit = mry_unit_of(s->seek->searcher, poses->scale);
    int steps = s->query.rows - 1, *path = MRY_NEW_RAW(&s->mem, int, steps + 1);
    mry_scan_strip strip;
    if (!path ||
        !mry_scan_strip_make(&s->mem, &s->query, poses, unit, end.start, end.end + 1, false,
                             &strip) ||
        !mry_scan_path(&s->mem, &strip, end.start, end.end, path))
        return false;
    bool aligned = path[0] == end.start;
    for (int i = 0; i <= steps && !aligned; i++)
        path[i] = end.start + (int)((int64_t)i * (end.end - end.start) / (steps > 0 ? steps : 1));
    bool fits = mry_add_match(s, slot, &end, path);
    mry_hit *hit = (mry_hit *)s->seek->hits.items + s->seek->hits.count - 1;
    for (int i = end.start; fits && steps == 0 && i < end.end; i++)
        fits = mry_add_step(s->seek, hit, MRY_MOVE_ACROSS);
    return fits;
}

/* What is left of the ends becomes matches; they come by examples. */
static marey_status align_pooled(asking *a, marey_error *error)
{
    mry_seek *seek = a->seek;
    marey_searcher *searcher = seek->searcher;
    const mry_pooled *ends = seek->ends.items;
    marey_status status = MAREY_OK;
    for (int i = 0, next; i < seek->ends.count && !status; i = next) {
        const mry_pooled *first = &ends[i];
        const mry_poses *poses = NULL;
        double rate = 0; /* of the clips that s is for; they have these roles */
        uint32_t has = 0;
        asking b;
        marey_segment at = first->of ? seek->examples[first->example].at : a->of;
        status = open_asking(&b, seek, at, error);
        mry_scanning s = begin_scan(&b, first->mirrored);
        for (next = i; next < seek->ends.count && !status; next++) {
            const mry_pooled *one = &ends[next];
            if (one->of != first->of || one->mirrored != first->mirrored) break;
            status = hold_query(&b, searcher->shelves.uses + 1, error);
            if (!status)
                status =
                    mry_hold_poses(searcher, one->at.clip, searcher->shelves.uses, &poses, error);
            if (!status && (rate != poses->rate || has != poses->has)) {
                status = ready_side(&b, poses->rate, poses->has, &s, error);
                rate = poses->rate;
                has = poses->has;
            }
            mry_scan_end end = { one->at.start, one->at.end - 1, 0 };
            if (!status && !align_match(&s, poses, one->at.clip, end))
                status = mry_fail_memory(error, NULL);
            if (status) break;
            mry_hit *hit = (mry_hit *)seek->hits.items + seek->hits.count - 1;
            hit->mean = one->mean;
            hit->of = one->of;
        }
        mry_arena_free(&s.mem);
        close_asking(&b);
    }
    return status;
}

/* Everything up to the cut-off, of all examples. Each says by itself what counts and how near its
   matches must be (decision 24): its distances are brought to the measure of the query by what
   standing still scores. For a match that is searched for in a later tier only what is not liked
   is an example besides. A cut-off that was chosen is fitted to what is not liked. */
static marey_status scan_all(asking *a, double still, double *cutoff, int *compared,
                             marey_error *error)
{
    mry_seek *seek = a->seek;
    bool first = mry_same_segment(a->of, seek->query), pushes = false; /* what is not liked */
    for (int e = 0; e < seek->example_count; e++) pushes |= seek->examples[e].number < 0;
    bool fitted = first && seek->chosen && pushes;
    double most = fitted ? MRY_WIDEST * *cutoff : *cutoff;
    uint8_t *allowed = seek->allowed, *there = NULL;
    seek->hits.count = seek->steps.count = seek->ends.count = 0;
    bool known = false;
    if (first) seek->poses = seek->poses_left = 0;
    marey_status status = mry_recall(seek, a->of, most, compared, &known, error);
    if (!status && !known) status = scan_example(a, most, compared, error);
    if (!status && !known) status = mry_remember(seek, a->of, most, *compared, error);
    if (pushes && !(there = MRY_NEW(&a->mem, uint8_t, seek->searcher->slot_count + 1)))
        status = mry_fail_memory(error, NULL);
    for (int e = 0; e < seek->example_count && !status; e++) {
        const mry_example *one = &seek->examples[e];
        asking b;
        double own = 0;
        int from = seek->ends.count, ignored;
        if (!first && one->number > 0) continue;
        if (one->number < 0 && seek->allowed == allowed) {
            /* These come last, and matter only in clips that have something to push. */
            if (fitted) *cutoff = most = mry_fit_cutoff(seek, *cutoff);
            for (int i = 0; i < seek->ends.count; i++) {
                const mry_pooled *end = (const mry_pooled *)seek->ends.items + i;
                if (end->mean <= most) there[end->at.clip] = 1;
            }
            seek->allowed = there;
        }
        status = open_asking(&b, seek, one->at, error);
        if (!status) status = hold_query(a, seek->searcher->shelves.uses, error);
        if (!status) status = check_body(a, b.own, one->at.clip, error);
        if (!status) status = find_cutoff(&b, &own, error);
        double measure = still > 0 && own > 0 ? still / own : 1;
        if (!status) status = scan_example(&b, most / measure, &ignored, error);
        for (int i = from; i < seek->ends.count; i++) {
            mry_pooled *end = (mry_pooled *)seek->ends.items + i;
            end->mean *= measure;
            end->of = one->number;
            end->example = e;
        }
        close_asking(&b);
    }
    seek->allowed = allowed;
    if (status || seek->example_count == 0) return status;
    mry_pool_ends(seek, a->of, *cutoff, first ? seek->def->nearest : 0);
    return hold_query(a, seek->searcher->shelves.uses + 1, error);
}

/* What is liked is a match too, at no distance; with `mirror` on the side on which it is nearer to
   the query. */
static marey_status add_liked(asking *a, const mry_example *one, marey_error *error)
{
    mry_seek *seek = a->seek;
    marey_searcher *searcher = seek->searcher;
    const mry_poses *poses = NULL;
    marey_status status = hold_query(a, searcher->shelves.uses + 1, error);
    if (!status)
        status = mry_hold_poses(searcher, one->at.clip, searcher->shelves.uses, &poses, error);
    int sides = seek->def->mirror && a->own->by_roles ? 2 : 0;
    float least[2] = { INFINITY, INFINITY };
    for (int side = 0; side <= sides && !status; side++) {
        bool last = side == sides; /* of the side that was nearer */
        mry_scanning s = begin_scan(a, last ? least[1] < least[0] : side > 0);
        mry_scan_end whole = { one->at.start, one->at.end - 1, 0 };
        mry_scan_ends ends = { 0 };
        mry_scan_strip strip;
        status = ready_side(a, poses->rate, poses->has, &s, error);
        bool fits = !status;
        if (fits && last)
            fits = align_match(&s, poses, one->at.clip, whole);
        else if (fits)
            fits = mry_scan_measure(&s.mem, &s.query, poses, mry_unit_of(searcher, poses->scale),
                                    FARTHEST, (mry_stretch){ 0, one->at.start, one->at.end, NULL },
                                    &strip, &ends);
        for (int i = 0; fits && i < ends.count; i++)
            least[side] = fminf(least[side], ends.items[i].cost);
        if (fits && last) ((mry_hit *)seek->hits.items)[seek->hits.count - 1].liked = one->number;
        if (!status && !fits) status = mry_fail_memory(error, NULL);
        mry_arena_free(&s.mem);
    }
    return status;
}

marey_status mry_seek_hits(void *user, marey_segment query, mry_hits *out, marey_error *error)
{
    mry_seek *seek = user;
    marey_searcher *s = seek->searcher;
    asking a;
    /* Later ones are matches that are queries themselves. */
    bool first = mry_same_segment(query, seek->query);
    double still = 0, cutoff = seek->threshold;
    int compared = 0;
    marey_status status = open_asking(&a, seek, query, error);
    if (!status) status = find_cutoff(&a, &still, error);
    if (!status) {
        double share = seek->example_count > 0   ? EXAMPLE_CUTOFF
                       : first || !seek->goes_on ? CUTOFF
                                                 : NEXT_CUTOFF;
        seek->most_hits = seek->goes_on && !first ? MRY_CROWD : 0;
        if (seek->chosen) cutoff = (seek->share > 0 ? seek->share : share) * still;
        if (first) seek->still_cost = still, seek->near = NEAR * still;
        status = scan_all(&a, still, &cutoff, &compared, error);
    }
    if (mry_is_crowded(seek)) seek->hits.count = 0;
    bool tells = !(first && seek->goes_on && seek->hits.count <= MRY_FEW_MATCHES);
    for (int step = 0; !status && !tells; step++) {
        double wider = STEPS[step] * still;
        status = scan_all(&a, still, &wider, &compared, error);
        tells = mry_hits_cut(seek->hits.items, &seek->hits.count, still, STAGES, 2, STEPS[step],
                             &cutoff);
    }
    /* The nearest, whatever they cost: a little farther, then everything. */
    const int *found = seek->example_count > 0 ? &seek->ends.count : &seek->hits.count;
    for (int tries = 1; !status && first && *found < seek->def->nearest; tries++) {
        if (cutoff >= (double)FARTHEST) break;
        cutoff = tries < 4 ? fmax(2 * cutoff, 1) : (double)FARTHEST;
        seek->chosen = false;
        status = scan_all(&a, still, &cutoff, &compared, error);
    }
    if (!status && first && seek->def->nearest > 0 && seek->hits.count > seek->def->nearest) {
        qsort(seek->hits.items, (size_t)seek->hits.count, sizeof(mry_hit), mry_hit_by_mean);
        seek->hits.count = seek->def->nearest;
    }
    if (first) seek->threshold = cutoff;
    if (!status && first && compared == 0 && s->shelves.group_count > 0) {
        status =
            mry_fail(error, MAREY_ERR_SHAPE, seek->name,
                     "none of the clips that are searched has joints or roles in common with it");
    }
    if (!status) status = align_pooled(&a, error);
    /* What is near by itself is near by as much of what the query moves. */
    double measure = seek->chosen && still > 0 ? seek->still_cost / still : 1;
    for (int i = 0; !status && !first && i < seek->hits.count; i++)
        ((mry_hit *)seek->hits.items)[i].mean *= measure;
    for (int e = 0; e < seek->example_count && !status && first; e++) {
        if (seek->examples[e].number > 0) status = add_liked(&a, &seek->examples[e], error);
    }
    *out = (mry_hits){ seek->hits.items, seek->hits.count, &seek->steps };
    close_asking(&a);
    return status;
}
