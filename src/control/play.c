/* play.c - motions of families in play. Everything that takes long is done when a family is joined
   (the best way to it from every node) or when it is asked for (its motion, and how that is left);
   while the controller steps, a look into a table says where to go. */
#include "control/play.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

void mry_play_open(mry_play *play, marey_ctx *ctx, const marey_graph *graph)
{
    *play = (mry_play){ .ctx = ctx,
                        .graph = graph,
                        .mem = mry_arena_make(ctx),
                        .asked = -1,
                        .acting = -1,
                        .doing = -1 };
}

void mry_play_close(mry_play *play)
{
    marey_clip_free(play->next);
    marey_clip_free(play->motion);
    for (int i = 0; i < play->count; i++) mry_arena_free(&play->items[i].mem);
    mry_arena_free(&play->mem);
}

/* ---- joints of a few frames --------------------------------------------------------------------- */

/* Of the frames around one, at most MRY_LAY_AROUND to a side; those beyond an end are NaN. `room` is
   MRY_PLAY_WINDOW x joints x 3. */
static void take_bodies(const marey_graph *graph, const marey_clip *clip, int frame, float *room)
{
    int joints = clip->skeleton.joint_count;
    for (int k = 0; k < MRY_PLAY_WINDOW; k++) {
        int away = k - MRY_LAY_AROUND, at = frame + away;
        float *to = room + (size_t)k * (size_t)joints * 3;
        if (clip == graph->motion) {
            at = frame;
            for (int s = 0; s < abs(away) && at >= 0; s++)
                at = away < 0 ? graph->before[at] : graph->next[at];
        }
        to[0] = NAN;
        if (at < 0 || at >= clip->frames) continue;
        marey_clip_positions_float(clip, at, 1, to);
        if (graph->body.joint > 0) memcpy(to, to + 3 * graph->body.joint, 3 * sizeof *to);
    }
}

static mry_floor lay(const mry_play *play, const float *first, const float *second,
                     double *distance)
{
    int joints = play->graph->motion->skeleton.joint_count;
    mry_lay sums = { 0 };
    for (int k = 0; k < MRY_PLAY_WINDOW; k++) {
        const float *p = first + (size_t)k * (size_t)joints * 3;
        const float *q = second + (size_t)k * (size_t)joints * 3;
        if (!isnan(p[0]) && !isnan(q[0])) mry_lay_add(&sums, p, q, play->weight, joints);
    }
    return mry_lay_end(&sums, distance);
}

/* ---- joining ------------------------------------------------------------------------------------ */

marey_status mry_play_keep(mry_play *play, mry_play_item *item, marey_status status, int *number,
                           marey_error *error)
{
    if (!status && play->count == MRY_PLAY_ITEMS)
        status = mry_fail(error, MAREY_ERR_LIMIT, NULL,
                          "families and actions of a controller must be at most %d",
                          (int)MRY_PLAY_ITEMS);
    if (status) {
        mry_arena_free(&item->mem);
        return status;
    }
    *number = play->count;
    play->items[play->count++] = *item;
    return MAREY_OK;
}

/* The best ways to the nodes that lead into a family. false: out of memory. */
static bool find_ways(const marey_graph *graph, const marey_graph_family *family, mry_arena *tmp,
                      int *way)
{
    double *cost = MRY_NEW_RAW(tmp, double, graph->nodes);
    for (int n = 0; cost && n < graph->nodes; n++) {
        bool leads = graph->dwell.free[n] && isfinite(family->in[n]);
        cost[n] = leads ? mry_play_cost(graph, (double)family->in[n]) : INFINITY;
        way[n] = leads ? MRY_PLAY_ENTER : -2;
    }
    return cost && mry_play_ways(graph, tmp, cost, way, NULL);
}

static bool take_weights(mry_play *play, marey_error *error, marey_status *status)
{
    mry_arena tmp = mry_arena_make(play->ctx);
    size_t joints = (size_t)play->graph->motion->skeleton.joint_count;
    mry_bodies bodies;
    play->weight = MRY_NEW(&play->mem, float, joints);
    *status = play->weight ? mry_bodies_open(&bodies, &tmp, play->graph, error)
                           : mry_fail_memory(error, NULL);
    if (*status == MAREY_OK) memcpy(play->weight, bodies.weight, joints * sizeof *play->weight);
    mry_arena_free(&tmp);
    return *status == MAREY_OK;
}

/* The nodes that are most like its ends, the nearest first. */
static void find_exits(const marey_graph *graph, mry_play_item *one)
{
    const marey_graph_family *of = one->of;
    size_t row = MRY_PLAY_WINDOW * (size_t)graph->motion->skeleton.joint_count * 3;
    for (int n = 0; n < graph->nodes; n++) {
        if (!isfinite(of->out[n])) continue;
        int at = one->exits < MRY_PLAY_EXITS ? one->exits++ : MRY_PLAY_EXITS;
        for (; at > 0 && of->out[one->exit[at - 1]] > of->out[n]; at--)
            if (at < MRY_PLAY_EXITS) one->exit[at] = one->exit[at - 1];
        if (at < MRY_PLAY_EXITS) one->exit[at] = n;
    }
    for (int i = 0; i < one->exits; i++)
        take_bodies(graph, graph->motion, one->exit[i], one->exit_bodies + (size_t)i * row);
}

marey_status mry_play_join(mry_play *play, const marey_graph_family *of, int *number,
                           marey_error *error)
{
    const marey_graph *graph = play->graph;
    if (of->graph != graph)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the family is in another graph");
    marey_status status = MAREY_OK;
    if (!play->weight && !take_weights(play, error, &status)) return status;
    mry_play_item one = { .mem = mry_arena_make(play->ctx), .of = of };
    size_t row = MRY_PLAY_WINDOW * (size_t)graph->motion->skeleton.joint_count * 3;
    mry_arena tmp = mry_arena_make(play->ctx);
    one.way = MRY_NEW_RAW(&one.mem, int, graph->nodes);
    one.exit_bodies = MRY_NEW_RAW(&one.mem, float, MRY_PLAY_EXITS *row);
    bool room = one.way && one.exit_bodies && find_ways(graph, of, &tmp, one.way);
    mry_arena_free(&tmp);
    if (room) find_exits(graph, &one);
    if (!room) status = mry_fail_memory(error, NULL);
    return mry_play_keep(play, &one, status, number, error);
}

/* ---- asking --------------------------------------------------------------------------------------- */

/* Where the motion is left, and how the node that it goes on with is laid. */
static void find_exit(mry_play *play, const mry_play_item *family, const marey_clip *clip,
                      int first, float *room)
{
    size_t row = MRY_PLAY_WINDOW * (size_t)clip->skeleton.joint_count * 3;
    double least = INFINITY;
    for (int k = first; k < clip->frames; k++) {
        take_bodies(play->graph, clip, k, room);
        for (int i = 0; i < family->exits; i++) {
            double distance;
            mry_floor place = lay(play, room, family->exit_bodies + (size_t)i * row, &distance);
            if (!(distance < least)) continue;
            least = distance;
            play->from_frame = k;
            play->like = family->exit[i];
            play->out = place;
            play->out_distance = distance;
        }
    }
}

marey_status mry_play_ask(mry_play *play, int number, const double *wanted, marey_answer *answer,
                          marey_error *error)
{
    if (number < 0 || number >= play->count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the controller knows no family or action %d", number);
    const mry_play_item *family = &play->items[number];
    if (!family->of) { /* an action is as it is */
        if (answer) *answer = (marey_answer){ 0 };
        play->asked = number;
        return MAREY_OK;
    }
    const marey_graph *graph = play->graph;
    marey_family_make_def def = { .fps = graph->fps };
    marey_made made = { 0 };
    marey_clip *brought = NULL;
    double until = 0, from = 0;
    marey_status status =
        marey_family_make(play->ctx, family->of->family, wanted, &def, &made, &play->answer, error);
    if (!status) status = mry_family_edges(family->of->family, made.clip, &until, &from, error);
    if (!status) status = mry_guest_bring(graph, made.clip, &made.contacts, &brought, error);
    marey_made_free(&made);
    if (status) return status;
    int last = brought->frames - 1, enters = (int)fmin(floor(until), last - 1);
    if (enters < 0) enters = 0;
    size_t row = MRY_PLAY_WINDOW * (size_t)brought->skeleton.joint_count * 3;
    if (enters + 1 > play->body_frames) {
        /* Behind those that enter, room for the frames of a node. */
        float *bodies = MRY_NEW_RAW(&play->mem, float, ((size_t)enters + 2) * row);
        if (!bodies) {
            marey_clip_free(brought);
            return mry_fail_memory(error, NULL);
        }
        play->bodies = bodies;
        play->body_frames = enters + 1;
    }
    for (int k = 0; k <= enters; k++)
        take_bodies(graph, brought, k, play->bodies + (size_t)k * row);
    find_exit(play, family, brought, (int)fmin(ceil(from - 1e-6), last),
              play->bodies + (size_t)play->body_frames * row);
    marey_clip_free(play->next);
    play->next = brought;
    play->until = enters;
    play->asked = number;
    if (answer) *answer = play->answer;
    return MAREY_OK;
}

void mry_play_enter(mry_play *play, int node, mry_floor laid, int *like)
{
    const marey_graph *graph = play->graph;
    size_t row = MRY_PLAY_WINDOW * (size_t)graph->motion->skeleton.joint_count * 3;
    float *here = play->bodies + (size_t)play->body_frames * row;
    double least = INFINITY;
    mry_floor best = { 0 };
    *like = 0;
    take_bodies(graph, graph->motion, node, here);
    for (int k = 0; k <= play->until; k++) {
        double distance;
        mry_floor place = lay(play, here, play->bodies + (size_t)k * row, &distance);
        if (!(distance < least)) continue;
        least = distance;
        best = place;
        *like = k;
    }
    marey_clip *last = play->motion;
    play->motion = play->next;
    play->next = NULL;
    play->doing = play->asked;
    play->asked = -1;
    play->frame = *like;
    play->leave = play->from_frame;
    play->like_now = play->like;
    play->distance = least;
    play->leave_distance = play->out_distance;
    play->to = graph->next[play->like];
    play->laid = mry_floor_times(laid, best);
    play->leave_laid = mry_floor_times(play->laid, play->out);
    /* Freed here and not when it ended: the caller may still show it. */
    marey_clip_free(last);
}
