/* perform_again.c - a walk in which requests are done, looked at as a whole, and searched again
   without the transition at which something jumps.

   Which ways into a motion and out of it are smooth is reckoned with places before a walk is found
   (perform.c), as for all transitions of a graph, and over how many frames what differs there is
   spread is tried out behind (perform_cast.c). Where a limb still moves faster than in anything that
   the walk is made of, another way in or out is the cure: that way, and those a few frames around it, is
   barred. So is a transition of the graph itself that jumps. The walk that jumps least stays. */
#include "base/fail.h"
#include "request/request_data.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SEARCHES = 10 };
/* A walk jumps a little more once its feet are held and what it misses is corrected. */
#define SPARE 0.02

/* What must not be in the next walk. */
typedef struct barring {
    mry_barred_way ways[MOST_SEARCHES];
    int way_count;
    int *transitions; /* the caller's, then those that jump */
    int transition_count;
} barring;

/* How a walk jumps, and in which of its frames. */
static marey_status find_jump(marey_ctx *ctx, const marey_performance *of, double *ratio,
                              int *frame, marey_error *error)
{
    const marey_graph *graph = of->graph;
    marey_walk_make_def def = { .leave_feet = true,
                                .fps = fmin(graph->clips[0]->fps, MRY_JUMPS_SEEN_AT * graph->fps) };
    marey_made made = { 0 };
    marey_walk_made about;
    marey_status status = marey_walk_make(ctx, graph, &of->walk, &def, &made, &about, error);
    marey_made_free(&made);
    if (status) return status;
    *ratio = about.jump_ratio;
    *frame = (int)lround(about.jump_frame * graph->fps / def.fps);
    return MAREY_OK;
}

/* The frame behind the transition that is nearest to a frame; -1: the walk has none. */
static int nearest_transition(const marey_performance *of, int frame)
{
    const marey_walk *walk = &of->walk;
    int nearest = -1;
    for (int f = 1; f < walk->count; f++) {
        if (mry_walk_step(of->graph, walk->nodes[f - 1], walk->nodes[f]) < 0) continue;
        if (nearest < 0 || abs(f - frame) < abs(nearest - frame)) nearest = f;
    }
    return nearest;
}

/* Bars the transition that is nearest to a frame. false: there is none. */
static bool bar(barring *bars, const marey_graph *graph, const marey_performance *of, int frame)
{
    int at = nearest_transition(of, frame);
    if (at < 0) return false;
    int from = of->walk.nodes[at - 1], to = of->walk.nodes[at];
    for (int i = 0; i < of->count; i++) {
        bool in = at == of->done[i].first, out = at == of->done[i].first + of->done[i].frames;
        if (!in && !out) continue;
        bars->ways[bars->way_count++] =
            (mry_barred_way){ i, in ? from : of->plan->acts[i].like, out };
        return true;
    }
    int step = mry_walk_step(graph, from, to);
    bars->transitions[bars->transition_count++] = step;
    return true;
}

marey_status marey_graph_perform(marey_ctx *ctx, const marey_graph *graph,
                                 const marey_walk_def *def, const marey_request *requests,
                                 int count, marey_performance *out, marey_error *error)
{
    if (count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no request is given");
    mry_arena tmp = mry_arena_make(ctx);
    barring bars = { .transitions = MRY_NEW(&tmp, int, (size_t)def->barred_count + MOST_SEARCHES),
                     .transition_count = def->barred_count };
    marey_performance best = { 0 };
    marey_walk_def without = *def;
    double least = INFINITY, smooth = graph->def.jump - SPARE;
    marey_status status = bars.transitions ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < def->barred_count && !status; i++) bars.transitions[i] = def->barred[i];
    for (int k = 0; k < MOST_SEARCHES && !status && !(least <= smooth); k++) {
        marey_performance found = { 0 };
        double jump = 0;
        int frame = 0;
        without.barred = bars.transitions;
        without.barred_count = bars.transition_count;
        status = mry_perform_once(ctx, graph, &without, requests, count, bars.ways, bars.way_count,
                                  &found, error);
        if (status == MAREY_ERR_REQUEST && best.graph) { /* there is no other one */
            status = MAREY_OK;
            break;
        }
        if (!status) status = find_jump(ctx, &found, &jump, &frame, error);
        bool more = !status && bar(&bars, graph, &found, frame);
        bool better = !status && jump < least && (found.walk.arrived || !best.walk.arrived);
        if (better) least = jump;
        marey_performance other = better ? best : found;
        if (better) best = found;
        marey_performance_free(&other);
        if (!more) break;
    }
    mry_arena_free(&tmp);
    if (status) {
        marey_performance_free(&best);
        return status;
    }
    *out = best;
    return MAREY_OK;
}

void marey_performance_free(marey_performance *p)
{
    if (!p) return;
    marey_walk_free(&p->walk);
    marey_graph_free(p->graph);
    for (int i = 0; p->done && i < p->count; i++) marey_made_free(&p->done[i].made);
    if (p->done) mry_release(p->ctx, p->done, (size_t)p->count * sizeof *p->done);
    if (p->plan) {
        mry_arena mem = p->plan->mem;
        mry_arena_free(&mem);
    }
    *p = (marey_performance){ 0 };
}
