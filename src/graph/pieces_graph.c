/* pieces_graph.c - pieces of clips as a small motion graph: a sequence of nodes for each piece, at the rate and pace it is to be
   played, and a transition from the last node of each to the first of the next. */
#include "base/fail.h"
#include "graph/pieces_data.h"

#include <math.h>

/* As mry_graph_lay. */
enum { AROUND = 2 };

/* ---- nodes -------------------------------------------------------------------------------------------------- */

/* Held to what is captured; nearly whole numbers are whole, so that those frames come out as they are. */
static double frame_of(const mry_part *part, int k)
{
    double at = fmin(fmax(part->start + k * part->pace, part->low), part->high);
    double whole = floor(at + 0.5);
    return fabs(at - whole) < 1e-6 ? whole : at;
}

/* On the first clip's bones. */
static marey_status bring(const mry_parts *parts, const mry_part *part, marey_clip **out,
                          marey_error *error)
{
    const marey_clip *clip = parts->clips[part->clip];
    int frames = part->before + part->count + part->behind;
    marey_clip *timed = mry_clip_make_like(clip, frames, parts->fps);
    if (!timed) return mry_fail_memory(error, NULL);
    for (int f = 0; f < frames; f++) {
        double at = frame_of(part, f - part->before);
        int a = (int)at;
        if (at > a)
            mry_clip_mix(clip, a, a + 1, at - a, mry_place(timed, f), mry_turn(timed, f));
        else
            mry_clip_copy_frames(timed, f, clip, a, 1); /* its own bytes */
    }
    marey_status status = marey_clip_refit(timed, parts->clips[0], out, error);
    marey_clip_free(timed);
    return status;
}

static void keep_origins(const mry_part *part, marey_graph *graph)
{
    int first = part->first - part->before;
    int count = part->before + part->count + part->behind;
    for (int k = 0; k < count; k++) {
        graph->origin[first + k] = (mry_origin){ .clip = part->clip,
                                                 .other = -1,
                                                 .frame = frame_of(part, k - part->before) };
        graph->next[first + k] = k + 1 < count ? first + k + 1 : -1;
        graph->before[first + k] = k > 0 ? first + k - 1 : -1;
    }
}

static marey_status fill(const mry_parts *parts, marey_graph *graph, marey_error *error)
{
    if (!mry_graph_take_arrays(graph, parts->nodes)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < parts->count; i++) {
        const mry_part *part = &parts->items[i];
        marey_clip *brought = NULL;
        if (!mry_progress(graph->ctx, "reading pieces", i, parts->count))
            return mry_fail_cancelled(error);
        marey_status status = bring(parts, part, &brought, error);
        if (status) return status;
        if (!graph->motion) graph->motion = mry_clip_make_like(brought, parts->nodes, parts->fps);
        if (graph->motion)
            mry_clip_copy_frames(graph->motion, part->first - part->before, brought, 0,
                                 brought->frames);
        marey_clip_free(brought);
        if (!graph->motion) return mry_fail_memory(error, NULL);
        keep_origins(part, graph);
    }
    graph->body = mry_carrier_find(parts->clips, parts->clip_count);
    mry_graph_hold_root(graph, 0);
    return MAREY_OK;
}

/* ---- where pieces meet ---------------------------------------------------------------------------------------- */

/* Both motions at one time: nodes that are laid on each other. */
typedef struct meeting {
    int first, second;
    mry_floor place; /* of the second's sequence */
} meeting;

/* Where the first ends, or if the second is not known there any more, where it begins. If neither goes on, the first is thought
   to: its body moves on the floor as it did last. */
static meeting find_meeting(const mry_bodies *bodies, int from, int to)
{
    const marey_graph *g = bodies->graph;
    meeting m = { .first = from, .second = to };
    if (g->before[to] >= 0)
        m.second = g->before[to];
    else if (g->next[from] >= 0)
        m.first = g->next[from];
    m.place = mry_graph_lay(bodies, m.first, m.second);
    if (m.first == from && m.second == to && g->before[from] >= 0)
        m.place = mry_floor_times(mry_graph_lay(bodies, from, g->before[from]), m.place);
    return m;
}

/* Adds a frame's weighted squared distances; returns its weight. */
static double add_frame(const mry_bodies *b, int first, int second, mry_floor place, double *sum)
{
    const float *p = mry_body(b, first), *q = mry_body(b, second);
    double weight = 0;
    for (int j = 0; j < b->joints; j++, p += 3, q += 3) {
        double x = q[0], z = q[2], up = (double)p[1] - q[1], w = b->weight[j];
        mry_floor_apply(place, &x, &z);
        *sum += w * ((p[0] - x) * (p[0] - x) + up * up + (p[2] - z) * (p[2] - z));
        weight += w;
    }
    return weight;
}

/* The metric's distance of nodes as they are laid. */
static double measure(const mry_bodies *b, meeting m)
{
    double sum = 0, weight = add_frame(b, m.first, m.second, m.place, &sum);
    for (int side = 0; side < 2; side++) {
        const int *go = side ? b->graph->next : b->graph->before;
        for (int k = 0, i = m.first, j = m.second; k < AROUND; k++) {
            i = go[i] >= 0 ? go[i] : i;
            j = go[j] >= 0 ? go[j] : j;
            weight += add_frame(b, i, j, m.place, &sum);
        }
    }
    return sum / weight;
}

static void join(marey_graph *graph, const mry_bodies *bodies, int from, int to)
{
    int n = graph->transition_count++, half = 0;
    meeting m = find_meeting(bodies, from, to);
    double jump = mry_graph_jump(bodies, m.first, m.second, m.place, &half);
    graph->transitions[n] = (marey_graph_transition){
        .from = from, .to = to, .distance = (float)measure(bodies, m), .jump = (float)jump
    };
    graph->places[n] = m.place;
    graph->half[n] = (uint8_t)(half < UINT8_MAX ? half : UINT8_MAX);
    graph->lean[n] = 0.5;
}

static marey_status connect(const mry_parts *parts, marey_graph *graph, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    mry_bodies bodies;
    marey_status status = mry_bodies_open(&bodies, &tmp, graph, error);
    if (!status && mry_graph_take_transitions(graph, parts->count))
        graph->lean = MRY_NEW_RAW(&graph->data, double, parts->count);
    if (!status && !graph->lean) status = mry_fail_memory(error, NULL);
    for (int i = 0; i + 1 < parts->count && !status; i++) {
        const mry_part *part = &parts->items[i];
        join(graph, &bodies, part->first + part->count - 1, part[1].first);
    }
    mry_arena_free(&tmp);
    if (!status) mry_graph_count_leaving(graph);
    return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

marey_status mry_parts_graph(const mry_parts *parts, marey_graph **out, marey_error *error)
{
    marey_graph *graph = NULL;
    marey_graph_def def = { .fps = parts->fps,
                            .spread_s = parts->spread_s,
                            .sigma = MAREY_GRAPH_SIGMA };
    marey_status status =
        mry_graph_make(parts->ctx, parts->clips, parts->clip_count, &def, &graph, error);
    if (status) return status;
    graph->fps = parts->fps; /* clips may be slower than what is made of them */
    status = fill(parts, graph, error);
    if (!status) status = mry_graph_find_contacts(graph, parts->contacts, error);
    if (!status) status = connect(parts, graph, error);
    if (status)
        marey_graph_free(graph);
    else
        *out = graph;
    return status;
}
