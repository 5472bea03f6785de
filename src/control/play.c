/* play.c - motions of families in play. Everything that takes long is done when a family is joined
   (the best way to it from every node) or when it is asked for (its motion, and how that is left);
   while the controller steps, a look into a table says where to go.

   The ways are found backwards from all nodes that lead into the family, by least time, with what a
   way in costs for being less like its motions than another (Dijkstra 1959). */
#include "control/play.h"
#include "base/binary_heap.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* What a way in at the ceiling costs, seconds: so long one goes on for a perfect one. */
#define POOR_S 0.5

void mry_play_open(mry_play *play, marey_ctx *ctx, const marey_graph *graph)
{
    *play = (mry_play){
        .ctx = ctx, .graph = graph, .mem = mry_arena_make(ctx), .asked = -1, .doing = -1
    };
}

void mry_play_close(mry_play *play)
{
    marey_clip_free(play->next);
    marey_clip_free(play->motion);
    mry_arena_free(&play->mem);
}

/* ---- the best way to a family ------------------------------------------------------------------ */

typedef struct waiting {
    double cost;
    int node;
} waiting;

static bool is_before(const void *user, const void *left, const void *right)
{
    const waiting *a = left, *b = right;
    (void)user;
    return a->cost < b->cost || (a->cost == b->cost && a->node < b->node);
}

/* The arcs that lead to each free node: the transition, or -1: it is the next of its sequence. */
typedef struct arriving {
    int *first, *from, *over;
} arriving;

static bool list_arriving(const marey_graph *graph, mry_arena *tmp, arriving *out)
{
    const mry_dwell *dwell = &graph->dwell;
    size_t nodes = (size_t)graph->nodes, arcs = nodes + (size_t)graph->transition_count;
    *out = (arriving){ MRY_NEW(tmp, int, nodes + 2), MRY_NEW_RAW(tmp, int, arcs + 1),
                       MRY_NEW_RAW(tmp, int, arcs + 1) };
    if (!out->first || !out->from || !out->over) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < graph->nodes; n++) {
            if (!dwell->free[n]) continue;
            for (int i = graph->leaving[n] - 1; i < graph->leaving[n + 1]; i++) {
                int over = i < graph->leaving[n] ? -1 : i;
                int to = over < 0 ? graph->next[n] : dwell->lands[i];
                if (to < 0 || !dwell->free[to]) continue;
                if (pass == 0) {
                    out->first[to + 2]++;
                    continue;
                }
                int at = out->first[to + 1]++;
                out->from[at] = n;
                out->over[at] = over;
            }
        }
        for (int n = 0; n < graph->nodes && pass == 0; n++) out->first[n + 2] += out->first[n + 1];
    }
    return true;
}

/* Of each free node the first step of the best way; false: out of memory. */
static bool find_ways(const marey_graph *graph, const marey_graph_family *family, mry_arena *tmp,
                      int *way)
{
    arriving arcs;
    if (!list_arriving(graph, tmp, &arcs)) return false;
    double *cost = MRY_NEW_RAW(tmp, double, graph->nodes);
    size_t room = 2 * (size_t)graph->nodes + (size_t)graph->transition_count;
    waiting *items = MRY_NEW_RAW(tmp, waiting, room);
    if (!cost || !items) return false;
    mry_heap heap = { items, 0, sizeof *items, is_before, NULL, NULL };
    for (int n = 0; n < graph->nodes; n++) {
        way[n] = -2;
        cost[n] = INFINITY;
        if (!graph->dwell.free[n] || !isfinite(family->in[n])) continue;
        cost[n] = POOR_S * graph->fps * (double)family->in[n] / MAREY_FAMILY_CEILING;
        way[n] = MRY_PLAY_ENTER;
        mry_heap_push(&heap, &(waiting){ cost[n], n });
    }
    for (waiting now; mry_heap_pop(&heap, &now);) {
        if (now.cost > cost[now.node]) continue;
        for (int k = arcs.first[now.node]; k < arcs.first[now.node + 1]; k++) {
            int from = arcs.from[k], over = arcs.over[k];
            double more = over < 0 ? 1 : mry_dwell_stay(graph, over, graph->dwell.least);
            if (over >= 0)
                more += POOR_S * graph->fps * (double)graph->transitions[over].distance /
                        MAREY_FAMILY_CEILING;
            if (!(now.cost + more < cost[from])) continue;
            cost[from] = now.cost + more;
            way[from] = over;
            mry_heap_push(&heap, &(waiting){ cost[from], from });
        }
    }
    return true;
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

marey_status mry_play_join(mry_play *play, const marey_graph_family *of, int *number,
                           marey_error *error)
{
    const marey_graph *graph = play->graph;
    if (of->graph != graph)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the family is in another graph");
    if (play->count == MRY_PLAY_FAMILIES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "families of a controller must be at most %d",
                        (int)MRY_PLAY_FAMILIES);
    marey_status status = MAREY_OK;
    if (!play->weight && !take_weights(play, error, &status)) return status;
    mry_play_family one = { .of = of, .way = MRY_NEW_RAW(&play->mem, int, graph->nodes) };
    size_t row = MRY_PLAY_WINDOW * (size_t)graph->motion->skeleton.joint_count * 3;
    mry_arena tmp = mry_arena_make(play->ctx);
    one.exit_bodies = MRY_NEW_RAW(&play->mem, float, MRY_PLAY_EXITS *row);
    bool room = one.way && one.exit_bodies && find_ways(graph, of, &tmp, one.way);
    mry_arena_free(&tmp);
    if (!room) return mry_fail_memory(error, NULL);
    /* The nodes that are most like its ends, the nearest first. */
    for (int n = 0; n < graph->nodes; n++) {
        if (!isfinite(of->out[n])) continue;
        int at = one.exits < MRY_PLAY_EXITS ? one.exits++ : MRY_PLAY_EXITS;
        for (; at > 0 && of->out[one.exit[at - 1]] > of->out[n]; at--)
            if (at < MRY_PLAY_EXITS) one.exit[at] = one.exit[at - 1];
        if (at < MRY_PLAY_EXITS) one.exit[at] = n;
    }
    for (int i = 0; i < one.exits; i++)
        take_bodies(graph, graph->motion, one.exit[i], one.exit_bodies + (size_t)i * row);
    *number = play->count;
    play->families[play->count++] = one;
    return MAREY_OK;
}

/* ---- asking --------------------------------------------------------------------------------------- */

/* Where the motion is left, and how the node that it goes on with is laid. */
static void find_exit(mry_play *play, const mry_play_family *family, const marey_clip *clip,
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
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the controller has no family %d", number);
    const mry_play_family *family = &play->families[number];
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
