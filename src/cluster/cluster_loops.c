/* cluster_loops.c - loops of one clip: "a node containing multiple clip-frame sequences from the
   same clip indicates the possibility of looping" (clusters, 3.2.1). From the best places to switch
   from a later sequence back to an earlier one.

   What is seen of a loop is its seam, a quarter of a second before and behind the switch. Where
   both motions are slow there, and what differs between them is little, no step of it stands out;
   loops whose seam has a step that is larger than 19 of 20 of the clip's own come behind all the
   others. The best is made, and if it has one after all, the first that has none takes its
   place. */
#include "base/fail.h"
#include "cluster/cluster_pairs.h"
#include "graph/graph_data.h"
#include "math/quat.h"
#include "motion/quantile.h"
#include "motion/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of a clip above this share of its own are large. */
#define LARGE 0.95

/* Places to switch that are looked at, of two sequences; loops that are tried. */
enum { PLACES = 8, TRIES = 24 };

#define SHORTEST_S 0.5
#define HALF_S 0.25 /* of the seam that marey_loop_make makes */
#define SMALL 0.9   /* of that: what marey_loop_make does for feet may add a little */

typedef struct candidate {
    marey_loop loop;
    double cost;  /* of the switch */
    double large; /* the largest step of its seam over the clip's large ones; SMALL: less */
} candidate;

typedef struct looping {
    marey_ctx *ctx;
    const marey_clusters *c;
    const marey_features *f;
    int clip;
    double shortest, longest; /* frames */
    int half;                 /* rows */
    double large;             /* step, cm */
    candidate *items;
    size_t bytes;
    int count;
} looping;

static double step_between(const mry_vec *p, const mry_vec *q, int joints)
{
    double most = 0;
    for (int j = 0; j < joints; j++) {
        double step = mry_vec_length(mry_vec_sub(p[j], q[j]));
        if (step > most) most = step;
    }
    return most;
}

static marey_status try_place(looping *l, const marey_cluster_switch *place, marey_error *error)
{
    int start = marey_features_row(l->f, place->to), end = marey_features_row(l->f, place->from);
    double length = place->from - place->to;
    if (!(length >= l->shortest && length <= l->longest)) return MAREY_OK;
    /* Captured from half a seam before it to half a seam behind it. */
    if (start - l->half < 0 || end + l->half >= l->f->rows) return MAREY_OK;
    int first = l->f->frame[start - l->half], last = l->f->frame[end + l->half];
    const marey_clip *clip = l->c->clips[l->clip];
    for (int m = 0; m < clip->mark_count; m++) {
        if (clip->marks[m].start <= last && clip->marks[m].end > first) return MAREY_OK;
    }
    /* The largest step of a seam from the first row to the second. */
    mry_arena tmp = mry_arena_make(l->ctx);
    int joints = l->f->layout->joints, rows[2] = { end, start };
    mry_vec *places = MRY_NEW_RAW(&tmp, mry_vec, 2 * joints);
    marey_placement by = marey_place(l->f, end, l->f, start);
    double most = 0;
    for (int k = -l->half; places && k <= l->half; k++) {
        mry_vec *here = places + (k & 1 ? joints : 0), *before = places + (k & 1 ? 0 : joints);
        /* A row of the seam: the end of the loop fades into its beginning, laid on it. */
        double t = (k + l->half) / (2.0 * l->half), share = t * t * (3 - 2 * t);
        double c = cos(by.angle_rad), s = sin(by.angle_rad);
        for (int j = 0; j < l->f->layout->joints; j++) {
            mry_vec p = mry_row_position(l->f, rows[0] + k, j);
            mry_vec q = mry_row_position(l->f, rows[1] + k, j);
            mry_vec laid = { q.x * c + q.z * s + by.x_cm, q.y, q.z * c - q.x * s + by.z_cm };
            here[j] = mry_vec_add(mry_vec_scale(p, 1 - share), mry_vec_scale(laid, share));
        }
        double step = k > -l->half ? step_between(before, here, joints) : 0;
        if (step > most) most = step;
    }
    mry_arena_free(&tmp);
    if (!places) return mry_fail_memory(error, NULL);
    candidate one = { .loop = { .start = place->to, .end = place->from },
                      .cost = place->cost,
                      .large = fmax(most / fmax(l->large, 1e-6), SMALL) };
    one.loop.cost = marey_distance(l->f, start, l->f, end);
    if (isnan(one.loop.cost)) one.loop.cost = place->cost; /* curvature has none for two frames */
    /* Room for one more. */
    size_t need = ((size_t)l->count + 1) * sizeof one;
    if (need > l->bytes) {
        size_t bytes = l->bytes ? 2 * l->bytes : 64 * sizeof one;
        candidate *items = mry_resize(l->ctx, l->items, l->bytes, bytes);
        if (!items) return mry_fail_memory(error, NULL);
        l->items = items;
        l->bytes = bytes;
    }
    l->items[l->count++] = one;
    return MAREY_OK;
}

static int by_quality(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    if (a->large != b->large) return a->large < b->large ? -1 : 1;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->loop.start != b->loop.start) return a->loop.start < b->loop.start ? -1 : 1;
    return (a->loop.end > b->loop.end) - (a->loop.end < b->loop.end);
}

/* The first of some loops that has no large step in its seam when it is made gets to the front.
   What was reckoned of a seam may be wrong: it begins and ends with whole frames, which changes its
   pace, and feet are held. */
static marey_status choose_first(marey_ctx *ctx, const marey_clip *clip, marey_loop *loops,
                                 int count, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    double large = 0, *steps = mry_clip_steps(&tmp, clip, NULL);
    if (steps) {
        /* Of the captured frames. */
        int own = 0;
        for (int f = 1; f < clip->frames; f++) {
            if (!mry_clip_is_marked(clip, f - 1) && !mry_clip_is_marked(clip, f))
                steps[own++] = steps[f - 1];
        }
        large = own ? mry_quantile(steps, (size_t)own, LARGE) : 0;
    }
    mry_arena_free(&tmp);
    marey_contacts plants = { 0 };
    if (!steps || marey_contacts_find(clip, NULL, &plants)) return mry_fail_memory(error, NULL);
    marey_status status = MAREY_OK;
    bool fits = false;
    for (int n = 0; n < count && n < TRIES && !fits && !status; n++) {
        marey_loop one = loops[n];
        marey_made made = { 0 };
        status = marey_loop_make(ctx, clip, &plants, NULL, &one, &made, error);
        if (status == MAREY_ERR_REQUEST) { /* no room for it */
            status = MAREY_OK;
            continue;
        }
        if (status) break;
        /* From the clip's last own frame to the next round's first; seam_ratio tells of that last
           step. */
        double seam = 0;
        steps = mry_clip_steps(&tmp, made.clip, NULL);
        for (int f = 1; steps && f < made.clip->frames; f++) {
            if (f >= made.from_a_end && steps[f - 1] > seam) seam = steps[f - 1];
        }
        double inside = steps ? mry_sound_peak(steps, made.clip->frames - 1, made.clip->fps) : 0;
        fits = steps && fmax(seam, one.seam_ratio * inside) <= large;
        mry_arena_free(&tmp);
        marey_made_free(&made);
        if (!steps) status = mry_fail_memory(error, NULL);
        if (!fits) continue;
        one = loops[n];
        memmove(loops + 1, loops, (size_t)n * sizeof *loops);
        loops[0] = one;
    }
    marey_contacts_free(&plants);
    return status;
}

/* What most steps of a clip are less than. */
static marey_status measure_large_step(marey_ctx *ctx, const marey_features *features,
                                       double *large, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    int joints = features->layout->joints, count = 0;
    double *steps = MRY_NEW_RAW(&tmp, double, features->rows);
    mry_vec *p = MRY_NEW_RAW(&tmp, mry_vec, joints), *q = MRY_NEW_RAW(&tmp, mry_vec, joints);
    marey_status status = steps && p && q ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int r = 1; !status && r < features->rows; r++) {
        if (features->marked[r] || features->marked[r - 1]) continue;
        for (int j = 0; j < joints; j++) {
            p[j] = mry_row_position(features, r - 1, j);
            q[j] = mry_row_position(features, r, j);
        }
        steps[count++] = step_between(p, q, joints);
    }
    *large = count ? mry_quantile(steps, count, LARGE) : 0;
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_clusters_loops(marey_ctx *ctx, const marey_clusters *clusters, int clip,
                                  const marey_cluster_loops_def *def, int most, marey_loop *loops,
                                  int *found, marey_error *error)
{
    looping l = { .ctx = ctx, .c = clusters, .clip = clip };
    /* What is asked for. */
    if (most < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "most must be at least 1 loop, got %d",
                        most);
    if (l.clip < 0 || l.clip >= l.c->clip_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no clip %d", l.clip);
    double shortest = def && def->shortest_s != 0 ? def->shortest_s : SHORTEST_S;
    double longest = def && def->longest_s != 0 ? def->longest_s : INFINITY;
    if (!(shortest > 0 && longest >= shortest))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no loop lasts from %g to %g seconds",
                        shortest, longest);
    double fps = l.c->clips[l.clip]->fps;
    l.f = l.c->features[l.clip];
    l.shortest = shortest * fps - 1e-6;
    l.longest = longest * fps + 1e-6;
    l.half = (int)fmax(round(HALF_S * l.c->fps), 1);
    marey_status status = measure_large_step(ctx, l.f, &l.large, error);
    mry_arena tmp = mry_arena_make(ctx);
    for (int n = 0; n < clusters->node_count && !status; n++) {
        if (n % 64 == 0 && !mry_progress(ctx, "finding loops", n, clusters->node_count))
            status = mry_fail_cancelled(error);
        if (status || !clusters->nodes[n].loops) continue;
        /* Every two sequences of the clip in a node. */
        int end = clusters->nodes[n].first + clusters->nodes[n].sequences;
        for (int a = clusters->nodes[n].first; a < end && !status; a++) {
            if (l.c->sequences[a].clip != l.clip) continue;
            for (int b = a + 1; b < end && !status; b++) {
                if (l.c->sequences[b].clip != l.clip) break; /* they come clip by clip */
                if (clusters->sequences[b].end - clusters->sequences[a].start < l.shortest ||
                    clusters->sequences[b].start - clusters->sequences[a].end > l.longest)
                    continue;
                /* From places in the later one back to places in the earlier one. */
                marey_cluster_switch places[PLACES];
                int places_found = 0;
                status = marey_clusters_switches(ctx, clusters, b, a, PLACES, places, &places_found,
                                                 error);
                for (int i = 0; i < places_found && !status; i++)
                    status = try_place(&l, &places[i], error);
            }
        }
    }
    if (!status) {
        if (l.count > 1) qsort(l.items, (size_t)l.count, sizeof *l.items, by_quality);
        /* The best of which no two are nearly the same, at least as many as are tried. */
        int room = most > TRIES ? most : TRIES, kept = 0;
        double near = HALF_S * clusters->clips[clip]->fps;
        marey_loop *best = MRY_NEW_RAW(&tmp, marey_loop, room);
        for (int n = 0; best && n < l.count && kept < room; n++) {
            const marey_loop *one = &l.items[n].loop;
            bool fresh = true;
            for (int k = 0; k < kept && fresh; k++)
                fresh =
                    abs(one->start - best[k].start) > near || abs(one->end - best[k].end) > near;
            if (fresh) best[kept++] = *one;
        }
        status = best ? choose_first(ctx, clusters->clips[clip], best, kept, error)
                      : mry_fail_memory(error, NULL);
        if (!status) {
            *found = kept < most ? kept : most;
            for (int n = 0; n < *found; n++) loops[n] = best[n];
        }
        mry_arena_free(&tmp);
    }
    if (l.items) mry_release(ctx, l.items, l.bytes);
    return status;
}
