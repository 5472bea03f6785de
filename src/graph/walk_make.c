/* walk_make.c - a walk as one clip: the nodes' frames, each piece laid behind the one before, the differences spread, brought to
   the rate that is asked for, planted feet held. */
#include "base/fail.h"
#include "graph/walk_data.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

/* ---- where everything goes ----------------------------------------------------------------------------------- */

static marey_status check(const marey_graph *graph, const marey_walk *walk, bool may_stay,
                          const marey_walk_make_def *def, marey_error *error)
{
    if (def->fps != 0 && !(def->fps >= 0.1 && def->fps <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a rate of %g Hz is not in 0.1 .. 10000",
                        def->fps);
    if (def->frames < 0) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "less than no frames");
    if (walk->count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a walk of no frames");
    if (walk->count > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "a walk has at most %d frames",
                        (int)MRY_WALK_MOST_FRAMES);
    for (int f = 0; f < walk->count; f++) {
        int node = walk->nodes[f];
        if (may_stay && f > 0 && node == walk->nodes[f - 1]) continue;
        if (node < 0 || node >= graph->nodes ||
            (f > 0 && mry_walk_step(graph, walk->nodes[f - 1], node) == -2))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "this is no walk through this graph: no way leads to its frame %d", f);
    }
    return MAREY_OK;
}

static mry_floor find_start(const marey_walk *walk, const mry_floor *at,
                            const marey_walk_make_def *def)
{
    if (at && !def->place_given) return at[0];
    const marey_placement *place = def->place_given ? &def->place : &walk->place;
    if (!def->place_given && !walk->placed) return (mry_floor){ 0 };
    return (mry_floor){ place->angle_rad, place->x_cm, place->z_cm };
}

static bool lay(mry_walker *w, mry_arena *tmp, mry_floor start, const mry_floor *at)
{
    int count = w->walk->count;
    w->step = MRY_NEW_RAW(tmp, int, count);
    w->at = MRY_NEW_RAW(tmp, mry_floor, count);
    if (!w->step || !w->at) return false;
    w->step[0] = -1;
    w->at[0] = start;
    for (int f = 1; f < count; f++) {
        w->step[f] = mry_walk_step(w->graph, w->walk->nodes[f - 1], w->walk->nodes[f]);
        w->at[f] = w->at[f - 1];
        if (w->step[f] < 0) continue;
        w->at[f] = mry_floor_times(w->at[f - 1], w->graph->places[w->step[f]]);
        w->at[f].angle = remainder(w->at[f].angle, 2 * 3.14159265358979323846);
    }
    /* Bent: all of it begins where it should. */
    mry_floor moved = at ? mry_floor_times(start, mry_floor_back(at[0])) : start;
    for (int f = 0; at && f < count; f++) w->at[f] = mry_floor_times(moved, at[f]);
    return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static marey_status put_frames(mry_walker *w, mry_arena *tmp, double fps, int most,
                               const marey_walk_make_def *def, marey_error *error)
{
    marey_status status = mry_walk_put(w, fps, most, error);
    if (status || !mry_feet_build(tmp, w->made, &w->plain))
        return status ? status : mry_fail_memory(error, NULL);
    return def->rough || mry_walk_spread(w) ? MAREY_OK : mry_fail_memory(error, NULL);
}

static marey_status lift_feet(mry_walker *w, const marey_walk_make_def *def, marey_error *error)
{
    if (def->rough || def->leave_feet || mry_walk_lift(w)) return MAREY_OK;
    return mry_fail_memory(error, NULL);
}

static marey_status hold_feet(mry_walker *w, const marey_walk_make_def *def, marey_made *out,
                              marey_error *error)
{
    if (def->rough || def->leave_feet || out->contacts.count == 0) return MAREY_OK;
    marey_clip *held = NULL;
    marey_status status = marey_clip_clean(w->made, out->contacts.items, out->contacts.count,
                                           def->clean, &held, &out->clean, error);
    if (status) return status;
    marey_clip_free(w->made);
    w->made = held;
    return MAREY_OK;
}

static marey_status make(mry_walker *w, mry_arena *tmp, const mry_floor *at,
                         const marey_walk_make_def *def, marey_made *out, marey_walk_made *about,
                         marey_error *error)
{
    double fps = def->fps > 0 ? def->fps : w->graph->clips[0]->fps;
    if (!lay(w, tmp, find_start(w->walk, at, def), at)) return mry_fail_memory(error, NULL);
    /* A frame for every node first, by which plants are found. */
    marey_status status = put_frames(w, tmp, w->graph->fps, 0, def, error);
    if (!status) status = mry_walk_plants(w, &out->contacts, error);
    if (!status && (fps != w->graph->fps || def->frames > 0))
        status = put_frames(w, tmp, fps, def->frames, def, error);
    if (!status) mry_walk_plants_at(w, &out->contacts);
    if (!status) status = hold_feet(w, def, out, error);
    if (!status) status = lift_feet(w, def, error);
    if (!status && about && !mry_walk_report(w, about)) status = mry_fail_memory(error, NULL);
    return status;
}

marey_status mry_walk_make_bent(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                                const mry_floor *at, const marey_walk_make_def *def,
                                marey_made *out, marey_walk_made *about, marey_error *error)
{
    const marey_walk_make_def none = { 0 };
    marey_status status = check(graph, walk, at != NULL, def ? def : &none, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    marey_made made = { 0 };
    marey_walk_made how = { 0 };
    mry_walker w = { .ctx = ctx, .graph = graph, .walk = walk };
    w.body = mry_trunk_of(graph->motion, &graph->body);
    status = make(&w, &tmp, at, def ? def : &none, &made, about ? &how : NULL, error);
    made.clip = w.made;
    mry_arena_free(&tmp);
    if (status) {
        marey_made_free(&made);
        return status;
    }
    *out = made;
    if (about) *about = how;
    return MAREY_OK;
}

marey_status marey_walk_make(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                             const marey_walk_make_def *def, marey_made *out,
                             marey_walk_made *about, marey_error *error)
{
    return mry_walk_make_bent(ctx, graph, walk, NULL, def, out, about, error);
}
