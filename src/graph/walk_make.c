/* walk_make.c - a walk as one clip: the nodes' frames, each piece laid behind the one before, the differences spread, planted
   feet held. */
#include "base/fail.h"
#include "graph/walk_data.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

/* ---- where everything goes ----------------------------------------------------------------------------------- */

static marey_status check(const marey_graph *graph, const marey_walk *walk, marey_error *error)
{
    if (walk->count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a walk of no frames");
    if (walk->count > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "a walk has at most %d frames",
                        (int)MRY_WALK_MOST_FRAMES);
    for (int f = 0; f < walk->count; f++) {
        int node = walk->nodes[f];
        if (node < 0 || node >= graph->nodes ||
            (f > 0 && mry_walk_step(graph, walk->nodes[f - 1], node) == -2))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "this is no walk through this graph: no way leads to its frame %d", f);
    }
    return MAREY_OK;
}

static mry_floor find_start(const marey_walk *walk, const marey_walk_make_def *def)
{
    const marey_placement *place = def->place_given ? &def->place : &walk->place;
    if (!def->place_given && !walk->placed) return (mry_floor){ 0 };
    return (mry_floor){ place->angle_rad, place->x_cm, place->z_cm };
}

static bool lay(mry_walker *w, mry_arena *tmp, mry_floor start)
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
    return true;
}

static marey_status put_frames(mry_walker *w, marey_error *error)
{
    const marey_clip *motion = w->graph->motion;
    w->made = mry_clip_make_like(motion, w->walk->count, w->graph->fps);
    if (!w->made) return mry_fail_memory(error, NULL);
    for (int f = 0; f < w->walk->count; f++) {
        if (f % 1024 == 0 && !mry_progress(w->ctx, "making the walk", f, w->walk->count))
            return mry_fail_cancelled(error);
        mry_clip_copy_frames(w->made, f, motion, w->walk->nodes[f], 1);
        const mry_floor *at = &w->at[f];
        if (at->angle == 0 && at->x == 0 && at->z == 0) continue; /* its own bytes */
        mry_pose_move(&w->body, *at, mry_place(w->made, f), mry_turn(w->made, f));
    }
    return MAREY_OK;
}

/* ---- how it went --------------------------------------------------------------------------------------------- */

/* The largest step of a joint between two frames of a clip; 0 if either is not there. */
static double largest_step(const marey_clip *clip, int from, int to, double *rows)
{
    int joints = clip->skeleton.joint_count;
    double *p = rows, *q = rows + 3 * joints, most = 0;
    if (from < 0 || to < 0) return 0;
    marey_clip_positions(clip, from, 1, p);
    marey_clip_positions(clip, to, 1, q);
    for (int j = 0; j < 3 * joints; j += 3) most = fmax(most, mry_distance3(p + j, q + j));
    return most;
}

/* Over a transition, the motions' own are the steps that the first would make and the second does make there. */
static double own_step(const mry_walker *w, int frame, double *rows)
{
    const marey_graph *graph = w->graph;
    int from = w->walk->nodes[frame - 1], to = w->walk->nodes[frame];
    if (w->step[frame] < 0) return largest_step(graph->motion, from, to, rows);
    return fmax(largest_step(graph->motion, from, graph->next[from], rows),
                largest_step(graph->motion, graph->before[to], to, rows));
}

static bool report(const mry_walker *w, marey_walk_made *about)
{
    const marey_graph *graph = w->graph;
    mry_arena tmp = mry_arena_make(w->ctx);
    double *rows = MRY_NEW_RAW(&tmp, double, 6 * w->made->skeleton.joint_count);
    double own = 0, made = 0, quality = 0;
    *about = (marey_walk_made){ 0 };
    for (int f = 1; f < w->walk->count && rows; f++) {
        made = fmax(made, largest_step(w->made, f - 1, f, rows));
        own = fmax(own, own_step(w, f, rows));
        if (w->step[f] < 0) continue;
        double distance = (double)graph->transitions[w->step[f]].distance;
        about->transitions++;
        quality += graph->def.sigma > 0 ? exp(-distance / graph->def.sigma) : 1;
    }
    about->mean_quality = about->transitions ? quality / about->transitions : 1;
    about->jump_ratio = marey_jump_ratio(made * graph->fps, own * graph->fps, graph->fps);
    bool room = rows != NULL;
    mry_arena_free(&tmp);
    return room;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

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

static marey_status make(mry_walker *w, mry_arena *tmp, const marey_walk_make_def *def,
                         marey_made *out, marey_walk_made *about, marey_error *error)
{
    if (!lay(w, tmp, find_start(w->walk, def))) return mry_fail_memory(error, NULL);
    marey_status status = put_frames(w, error);
    if (status) return status;
    if (!def->rough && !mry_walk_spread(w)) return mry_fail_memory(error, NULL);
    status = mry_walk_plants(w, &out->contacts, error);
    if (!status) status = hold_feet(w, def, out, error);
    if (!status && about && !report(w, about)) status = mry_fail_memory(error, NULL);
    return status;
}

marey_status marey_walk_make(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                             const marey_walk_make_def *def, marey_made *out,
                             marey_walk_made *about, marey_error *error)
{
    const marey_walk_make_def none = { 0 };
    marey_status status = check(graph, walk, error);
    if (status) return status;
    const marey_clip *motion = graph->motion;
    mry_arena tmp = mry_arena_make(ctx);
    marey_made made = { 0 };
    marey_walk_made how = { 0 };
    mry_walker w = { .ctx = ctx, .graph = graph, .walk = walk, .body = mry_trunk_find(&motion, 1) };
    status = make(&w, &tmp, def ? def : &none, &made, about ? &how : NULL, error);
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
