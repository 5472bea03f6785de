/* steered.c - what a controller did, as a walk in which requests are done: so that a clip of it is
   made, held and measured as any other.

   A stretch of frames without nodes is a motion of a family: it was entered from the node before it,
   which is like the frame before its first; and it was left to the node behind it, whose own
   predecessor its last frame is like. */
#include "base/fail.h"
#include "control/play.h"

#include <string.h>

typedef struct reading {
    const marey_graph *graph;
    const marey_steered *frames;
    int count;
    mry_plan *plan;
} reading;

static bool is_node(const reading *r, int frame)
{
    return r->frames[frame].node >= 0;
}

/* Every frame follows on the one before it. */
static marey_status check(const reading *r, int requests, marey_error *error)
{
    int motions = 0;
    for (int f = 0; f < r->count; f++) {
        const marey_steered *now = &r->frames[f], *before = f > 0 ? now - 1 : NULL;
        bool enters = now->node < 0 && (!before || before->node >= 0), fine;
        if (now->node >= r->graph->nodes || (!before && now->node < 0))
            fine = false;
        else if (enters)
            fine = now->doing_frame >= 1;
        else if (now->node < 0)
            fine = now->doing_frame == before->doing_frame + 1;
        else if (before && before->node < 0)
            fine = r->graph->before[now->node] >= 0;
        else
            fine = !before || mry_walk_step(r->graph, before->node, now->node) != -2;
        if (!fine)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "this was not steered through this graph: no way leads to frame %d", f);
        motions += enters;
    }
    if (motions != requests || motions == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "requests must be as many as motions of families were done, %d, got %d",
                        motions, requests);
    return MAREY_OK;
}

/* Acts and the legs between them, but where acts are left. *lasts: the last frame of each. */
static bool take_apart(reading *r, const marey_request *requests, int *lasts)
{
    mry_plan *plan = r->plan;
    plan->acts = MRY_NEW(&plan->mem, mry_act, plan->count);
    plan->legs = MRY_NEW(&plan->mem, mry_leg, (size_t)plan->count + 1);
    int *nodes = MRY_NEW_RAW(&plan->mem, int, r->count);
    if (!plan->acts || !plan->legs || !nodes) return false;
    int f = 0;
    for (int i = 0; i <= plan->count; i++) {
        plan->legs[i].nodes = nodes + f;
        for (; f < r->count && is_node(r, f); f++) nodes[f] = r->frames[f].node;
        plan->legs[i].count = (int)(nodes + f - plan->legs[i].nodes);
        if (i == plan->count) break;
        mry_act *act = &plan->acts[i];
        size_t size = (size_t)marey_family_dims(requests[i].family->family) * sizeof *act->aim;
        act->family = requests[i].family;
        memcpy(act->wanted, requests[i].wanted, size);
        memcpy(act->aim, requests[i].wanted, size);
        act->away = NAN;
        act->from = nodes[f - 1];
        act->in_frame = r->frames[f].doing_frame - 1;
        for (; f < r->count && !is_node(r, f); f++) lasts[i] = r->frames[f].doing_frame;
        act->like = f < r->count ? r->graph->before[r->frames[f].node] : -1;
    }
    return true;
}

static marey_status leave(mry_plan *plan, const mry_cast *cast, const int *lasts,
                          marey_error *error)
{
    for (int i = 0; i < plan->count; i++) {
        int frames = cast->brought[i]->frames;
        if (lasts[i] >= frames)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "request %d has %d frames, and frame %d of it was shown", i + 1, frames,
                            lasts[i]);
        for (int k = 0; k < cast->params[i]; k++) {
            if (cast->answers[i].moments[k] > lasts[i])
                return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                                "request %d is cut off before it did what it was asked for", i + 1);
        }
        plan->acts[i].to_end = frames - 1 - lasts[i];
    }
    return MAREY_OK;
}

marey_status marey_steered_perform(marey_ctx *ctx, const marey_graph *graph,
                                   const marey_steered *frames, int count,
                                   const marey_request *requests, int request_count,
                                   marey_performance *out, marey_error *error)
{
    reading r = { .graph = graph, .frames = frames, .count = count };
    marey_status status = check(&r, request_count, error);
    for (int i = 0; i < request_count && !status; i++)
        if (requests[i].family->graph != graph)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                              "the family of request %d is in another graph", i + 1);
    if (status) return status;
    mry_arena mem = mry_arena_make(ctx), tmp = mry_arena_make(ctx);
    int *lasts = MRY_NEW(&tmp, int, request_count);
    r.plan = MRY_NEW(&mem, mry_plan, 1);
    if (r.plan)
        *r.plan =
            (mry_plan){ .mem = mem, .graph = graph, .count = request_count, .like.arrived = true };
    mry_cast cast = { 0 };
    marey_performance made = { 0 };
    if (!lasts || !r.plan || !take_apart(&r, requests, lasts))
        status = mry_fail_memory(error, NULL);
    if (!status) status = mry_cast_open(&cast, ctx, r.plan, error);
    if (!status) status = leave(r.plan, &cast, lasts, error);
    if (!status) status = mry_cast_assemble(&cast, r.plan, &made, error);
    mry_cast_close(&cast);
    mry_arena_free(&tmp);
    if (status) {
        if (r.plan) mem = r.plan->mem;
        mry_arena_free(&mem);
        return status;
    }
    made.plan = r.plan;
    *out = made;
    return MAREY_OK;
}
