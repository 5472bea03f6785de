/* perform_cast.c - the motions that a walk's requests ask for, as guests of its graph, and the walk
   through both. */
#include "base/fail.h"
#include "request/request_data.h"

#include <string.h>

/* Bytes of the frames in which a motion does what it was asked for. NULL: out of memory. */
static uint8_t *keep_moments(mry_cast *cast, int i)
{
    int frames = cast->brought[i]->frames;
    uint8_t *kept = MRY_NEW(&cast->mem, uint8_t, frames);
    for (int k = 0; kept && k < MAREY_MOST_PARAMS; k++) {
        double moment = cast->answers[i].moments[k];
        bool looks = k < cast->params[i] && moment >= 0 && moment <= frames - 1;
        if (looks) kept[(int)floor(moment)] = kept[(int)ceil(moment)] = 1;
    }
    return kept;
}

marey_status mry_cast_open(mry_cast *cast, marey_ctx *ctx, const mry_plan *plan, marey_error *error)
{
    *cast = (mry_cast){ .ctx = ctx, .count = plan->count, .mem = mry_arena_make(ctx) };
    cast->made = MRY_NEW(&cast->mem, marey_made, plan->count);
    cast->answers = MRY_NEW(&cast->mem, marey_answer, plan->count);
    cast->brought = MRY_NEW(&cast->mem, marey_clip *, plan->count);
    cast->guests = MRY_NEW(&cast->mem, mry_guest, plan->count);
    cast->params = MRY_NEW(&cast->mem, int, plan->count);
    if (!cast->params || !cast->made || !cast->answers || !cast->brought || !cast->guests)
        return mry_fail_memory(error, NULL);
    marey_family_make_def def = { .fps = plan->graph->fps };
    marey_status status = MAREY_OK;
    for (int i = 0; i < plan->count && !status; i++) {
        const mry_act *act = &plan->acts[i];
        marey_made *made = &cast->made[i];
        uint8_t *kept = NULL;
        marey_family_params(act->family->family, &cast->params[i]);
        status = marey_family_make(ctx, act->family->family, act->aim, &def, made,
                                   &cast->answers[i], error);
        if (!status)
            status =
                mry_guest_bring(plan->graph, made->clip, &made->contacts, &cast->brought[i], error);
        if (!status) {
            kept = keep_moments(cast, i);
            if (!kept) status = mry_fail_memory(error, NULL);
        }
        cast->guests[i] = (mry_guest){ .clip = made->clip,
                                       .kept = kept,
                                       .contacts = &made->contacts,
                                       .brought = cast->brought[i] };
    }
    if (!status)
        status = mry_graph_with(ctx, plan->graph, cast->guests, plan->count, &cast->graph, error);
    if (!status) status = mry_bodies_open(&cast->bodies, &cast->mem, cast->graph, error);
    return status;
}

void mry_cast_close(mry_cast *cast)
{
    for (int i = 0; cast->made && i < cast->count; i++) marey_made_free(&cast->made[i]);
    for (int i = 0; cast->brought && i < cast->count; i++) marey_clip_free(cast->brought[i]);
    marey_graph_free(cast->graph);
    mry_arena_free(&cast->mem);
    *cast = (mry_cast){ 0 };
}

/* How every node of a walk is laid. */
static void lay_acts(const marey_performance *p)
{
    const marey_walk *walk = &p->walk;
    mry_floor at = { 0 };
    if (walk->placed) at = (mry_floor){ walk->place.angle_rad, walk->place.x_cm, walk->place.z_cm };
    for (int f = 1, i = 0; f < walk->count && i < p->count; f++) {
        at = mry_walk_laid(p->graph, walk, f, at);
        if (f < p->done[i].first) continue;
        p->done[i++].place =
            (marey_placement){ .angle_rad = at.angle, .x_cm = at.x, .z_cm = at.z, .sure = true };
    }
}

/* The transitions into every act and out of it. */
static bool build_bridges(mry_cast *cast, const mry_plan *plan, marey_performed *done)
{
    mry_bridge *bridges = MRY_NEW(&cast->mem, mry_bridge, 2 * (size_t)plan->count);
    int count = 0;
    for (int i = 0; bridges && i < plan->count; i++) {
        const mry_act *act = &plan->acts[i];
        int first = cast->guests[i].first, last = first + cast->brought[i]->frames - 1;
        mry_bridge in = mry_graph_bridge_of(&cast->bodies, act->from, first + act->in_frame);
        done[i].in = (double)in.over.distance;
        done[i].out = NAN;
        bridges[count++] = in;
        if (act->like < 0) continue;
        mry_bridge out = mry_graph_bridge_of(&cast->bodies, last - act->to_end, act->like);
        done[i].out = (double)out.over.distance;
        bridges[count++] = out;
    }
    return bridges && mry_graph_bridge(cast->graph, plan->graph, bridges, count);
}

/* ---- over how many frames what differs is spread ------------------------------------------------ */

/* A graph has many transitions and reckons with places what jumps (graph_edges.c); here there are few,
   and a limb that turns fast turns it differently bent, and moves farther. So each way in and out is
   made, with the frames of the walk around it, and looked at: how long what differs there is spread,
   times what was reckoned, until it is smooth, or the best of them. */
static const double lengths[] = { 1, 1.5, 2, 0.5, 3, 0.25 };

enum { TRIES = sizeof lengths / sizeof *lengths };

static marey_status smooth_way(mry_cast *cast, const marey_walk *walk, int frame, double fps,
                               marey_error *error)
{
    marey_graph *graph = cast->graph;
    int over = mry_walk_step(graph, walk->nodes[frame - 1], walk->nodes[frame]);
    int seen = (int)ceil(0.5 * graph->fps), reckoned = graph->half[over], best = reckoned;
    double least = INFINITY;
    marey_status status = MAREY_OK;
    for (int n = 0; n < TRIES && !(least <= graph->def.jump) && !status; n++) {
        double half = floor(reckoned * lengths[n] + 0.5);
        if (half < 1 || half > UINT8_MAX) continue;
        graph->half[over] = (uint8_t)half;
        int most = (int)half + seen, first = frame > most ? frame - most : 0;
        int end = frame + most < walk->count ? frame + most : walk->count;
        marey_walk part = { .nodes = walk->nodes + first, .count = end - first };
        marey_made made = { 0 };
        marey_walk_made about;
        marey_walk_make_def def = { .leave_feet = true, .fps = fps };
        status = marey_walk_make(cast->ctx, graph, &part, &def, &made, &about, error);
        marey_made_free(&made);
        if (status || !(about.jump_ratio < least)) continue;
        least = about.jump_ratio;
        best = (int)half;
    }
    graph->half[over] = (uint8_t)best;
    return status;
}

marey_status mry_cast_assemble(mry_cast *cast, const mry_plan *plan, marey_performance *out,
                               marey_error *error)
{
    int frames = plan->legs[plan->count].count;
    for (int i = 0; i < plan->count; i++) {
        const mry_act *act = &plan->acts[i];
        frames += plan->legs[i].count + cast->brought[i]->frames - act->to_end - act->in_frame - 1;
    }
    marey_performance p = { .count = plan->count, .ctx = cast->ctx };
    size_t bytes = (size_t)plan->count * sizeof *p.done;
    p.walk = plan->like;
    p.walk.ctx = cast->ctx;
    p.walk.bytes = (size_t)frames * sizeof *p.walk.nodes;
    p.walk.nodes = mry_alloc(cast->ctx, p.walk.bytes);
    p.done = mry_alloc(cast->ctx, bytes);
    if (p.done) memset(p.done, 0, bytes);
    bool bent = false, room = true;
    for (int i = 0; i <= plan->count; i++) bent |= plan->legs[i].bends != NULL;
    p.walk.count = frames;
    p.walk.bends = bent ? mry_alloc(cast->ctx, (size_t)frames * sizeof *p.walk.bends) : NULL;
    if (p.walk.bends)
        memset(p.walk.bends, 0, (size_t)frames * sizeof *p.walk.bends);
    else
        room = !bent;
    if (!room || !p.walk.nodes || !p.done || !build_bridges(cast, plan, p.done)) {
        marey_performance_free(&p);
        return mry_fail_memory(error, NULL);
    }
    int count = 0;
    for (int i = 0; i <= plan->count; i++) {
        const mry_leg *leg = &plan->legs[i];
        if (leg->count > 0)
            memcpy(p.walk.nodes + count, leg->nodes, (size_t)leg->count * sizeof *leg->nodes);
        if (leg->bends)
            memcpy(p.walk.bends + count, leg->bends, (size_t)leg->count * sizeof *leg->bends);
        count += leg->count;
        if (i == plan->count) break;
        const mry_act *act = &plan->acts[i];
        int first = cast->guests[i].first + act->in_frame + 1;
        int last = cast->guests[i].first + cast->brought[i]->frames - 1 - act->to_end;
        p.done[i].first = count;
        p.done[i].frames = last - first + 1;
        p.done[i].away_cm = act->away;
        p.done[i].answer = cast->answers[i];
        memcpy(p.done[i].moments, cast->answers[i].moments, sizeof p.done[i].moments);
        p.done[i].made = cast->made[i];
        cast->made[i] = (marey_made){ 0 };
        for (int n = first; n <= last; n++) p.walk.nodes[count++] = n;
    }
    marey_status status = MAREY_OK;
    double fps = fmin(plan->graph->clips[0]->fps, MRY_JUMPS_SEEN_AT * plan->graph->fps);
    for (int i = 0; i < plan->count && !status; i++) {
        int first = p.done[i].first, end = first + p.done[i].frames;
        status = smooth_way(cast, &p.walk, first, fps, error);
        if (!status && end < count) status = smooth_way(cast, &p.walk, end, fps, error);
    }
    if (status) {
        marey_performance_free(&p);
        return status;
    }
    p.graph = cast->graph;
    cast->graph = NULL;
    lay_acts(&p);
    *out = p;
    return MAREY_OK;
}
