/* family_ways.c - a family as a node of a graph: from which frames of the graph all of its motions
   can be entered, and to which they can be left.

   An example's point cloud, laid on that of a frame of the graph, has a distance from it: a mean of
   squares. A blend's cloud is the weighted mean of the examples' clouds, but for how turns are
   mixed, and squares are convex: so a blend is no farther from that frame than the weighted mean of
   its examples' distances. A frame whose distance from all examples is small on the mean is a way
   into the whole family: the middle of it is near, and no motion that is asked for is much farther
   away. How far it is from that motion itself is reckoned then (perform.c). */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "request/request_data.h"

#include <stdlib.h>

/* A motion is entered in the first share of the time up to what it does, and left in the last share
   behind that. */
#define EDGE 0.25

enum { AT_ONCE = 64 };

/* Nodes of an example that its motion may be entered at, or left. */
typedef struct edge {
    int first, last;
} edge;

typedef struct joining {
    marey_graph_family *joined;
    const mry_clouds *clouds;
    const edge *edges; /* of each example: its beginning, its end */
    int examples;
    bool all; /* farther than the ceiling, too: to say how far they are */
} joining;

marey_status mry_family_edges(const marey_family *family, const marey_clip *clip, double *entered,
                              double *left, marey_error *error)
{
    int count;
    const marey_param *params = marey_family_params(family, &count);
    double last = clip->frames - 1, from = last, to = 0;
    for (int i = 0; i < count; i++) {
        double moment = NAN;
        marey_status status = MAREY_OK;
        if (!params[i].kind->whole) status = marey_param_moment(&params[i], clip, &moment, error);
        if (status) return status;
        bool whole = isnan(moment);
        from = fmin(from, whole ? 0 : moment);
        to = fmax(to, whole ? last : moment);
    }
    *entered = EDGE * from;
    *left = last - EDGE * (last - to);
    return MAREY_OK;
}

/* The node of a guest that is most like a node of the graph, with distance. */
int mry_family_nearest_edge(const mry_clouds *clouds, int node, int first, int last,
                            double *distance)
{
    int best = first;
    *distance = INFINITY;
    for (int k = first; k <= last; k++) {
        double one = (double)mry_cloud_distance(clouds, node, k);
        if (one < *distance) best = k;
        *distance = fmin(*distance, one);
    }
    return best;
}

/* Of a node, the mean over the examples; INFINITY: it is no way. */
static double judge(const joining *j, int node, bool out)
{
    double sum = 0, most = j->all ? INFINITY : j->examples * MAREY_FAMILY_CEILING;
    for (int i = 0; i < j->examples && sum < most; i++) {
        edge at = j->edges[2 * i + out];
        double distance;
        mry_family_nearest_edge(j->clouds, node, at.first, at.last, &distance);
        sum += distance;
    }
    return sum < most ? sum / j->examples : INFINITY;
}

static void judge_some(void *user, int64_t job)
{
    const joining *j = user;
    const marey_graph *graph = j->joined->graph;
    int first = (int)job * AT_ONCE, end = first + AT_ONCE;
    if (end > graph->nodes) end = graph->nodes;
    for (int n = first; n < end; n++) {
        j->joined->in[n] = j->joined->out[n] = INFINITY;
        if (graph->next[n] < 0) continue;
        if (graph->dwell.free[n]) j->joined->in[n] = (float)judge(j, n, false);
        if (mry_dwell_begin(graph, &graph->dwell, graph->next[n]) >= 0)
            j->joined->out[n] = (float)judge(j, n, true);
    }
}

static void judge_all(joining *j)
{
    marey_graph_family *joined = j->joined;
    const marey_graph *graph = joined->graph;
    marey_family_ways *ways = &joined->ways;
    marey_ctx_run(graph->ctx, (graph->nodes + AT_ONCE - 1) / AT_ONCE, judge_some, j);
    *ways = (marey_family_ways){ .nearest_in = INFINITY, .nearest_out = INFINITY };
    for (int n = 0; n < graph->nodes; n++) {
        ways->in += isfinite(joined->in[n]);
        ways->out += isfinite(joined->out[n]);
        ways->nearest_in = fmin(ways->nearest_in, (double)joined->in[n]);
        ways->nearest_out = fmin(ways->nearest_out, (double)joined->out[n]);
    }
}

/* Where each example is entered and left, in nodes. */
static marey_status find_edges(const marey_graph_family *joined, const mry_guest *guests, int count,
                               edge *edges, marey_error *error)
{
    for (int i = 0; i < count; i++) {
        const mry_guest *one = &guests[i];
        double entered, left, per_node = one->clip->fps / joined->graph->fps;
        int last = one->brought->frames - 1;
        marey_status status = mry_family_edges(joined->family, one->clip, &entered, &left, error);
        if (status) return status;
        int until = (int)fmin(floor(entered / per_node), last - 1);
        int from = (int)fmin(ceil(left / per_node - 1e-6), last);
        edges[2 * i] = (edge){ one->first, one->first + (until > 0 ? until : 0) };
        edges[2 * i + 1] = (edge){ one->first + from, one->first + last };
    }
    return MAREY_OK;
}

static marey_status refuse(joining *j, const char *name, marey_error *error)
{
    bool in = j->joined->ways.in == 0;
    j->all = true;
    judge_all(j);
    double nearest = in ? j->joined->ways.nearest_in : j->joined->ways.nearest_out;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "no frame that walks in the graph use is like the %s of the motions of %.100s: "
                    "the nearest is %.0f cm2 away on the mean, at most %.0f would do; build the "
                    "graph with the clips that they are from",
                    in ? "beginning" : "end", name, nearest, MAREY_FAMILY_CEILING);
}

static marey_status join(marey_graph_family *joined, const char *name, mry_guest *guests, int count,
                         marey_clip **brought, marey_error *error)
{
    marey_ctx *ctx = joined->ctx;
    const marey_graph *graph = joined->graph;
    const marey_registration *of = marey_family_registration(joined->family);
    mry_arena tmp = mry_arena_make(ctx);
    edge *edges = MRY_NEW(&tmp, edge, 2 * (size_t)count);
    marey_status status = edges ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < count && !status; i++) {
        guests[i] = (mry_guest){ .clip = marey_registration_clip(of, i) };
        if (!mry_progress(ctx, "joining a family", i, count)) status = mry_fail_cancelled(error);
        if (!status) status = mry_guest_bring(graph, guests[i].clip, NULL, &brought[i], error);
        guests[i].brought = brought[i];
    }
    marey_graph *with = NULL;
    mry_bodies bodies;
    mry_clouds clouds;
    if (!status) status = mry_graph_with(ctx, graph, guests, count, &with, error);
    if (!status) status = mry_bodies_open(&bodies, &tmp, with, error);
    if (!status) status = mry_clouds_open(&clouds, &tmp, &bodies, error);
    if (!status) status = find_edges(joined, guests, count, edges, error);
    if (!status) {
        joining j = { joined, &clouds, edges, count, false };
        judge_all(&j);
        if (joined->ways.in == 0 || joined->ways.out == 0) status = refuse(&j, name, error);
    }
    marey_graph_free(with);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_graph_family_join(marey_ctx *ctx, const marey_graph *graph,
                                     const marey_family *family, const char *name,
                                     marey_graph_family **out, marey_error *error)
{
    int count = marey_registration_count(marey_family_registration(family));
    mry_arena mem = mry_arena_make(ctx), tmp = mry_arena_make(ctx);
    marey_graph_family *joined = MRY_NEW(&mem, marey_graph_family, 1);
    if (!joined) return mry_fail_memory(error, NULL);
    *joined = (marey_graph_family){ .mem = mem, .ctx = ctx, .graph = graph, .family = family };
    joined->in = MRY_NEW(&joined->mem, float, graph->nodes);
    joined->out = MRY_NEW(&joined->mem, float, graph->nodes);
    mry_guest *guests = MRY_NEW(&tmp, mry_guest, count);
    marey_clip **brought = MRY_NEW(&tmp, marey_clip *, count);
    marey_status status = joined->in && joined->out && guests && brought
                              ? join(joined, name, guests, count, brought, error)
                              : mry_fail_memory(error, NULL);
    for (int i = 0; brought && i < count; i++) marey_clip_free(brought[i]);
    mry_arena_free(&tmp);
    if (status)
        marey_graph_family_free(joined);
    else
        *out = joined;
    return status;
}

void marey_graph_family_free(marey_graph_family *joined)
{
    if (!joined) return;
    mry_arena mem = joined->mem;
    mry_arena_free(&mem);
}

marey_family_ways marey_graph_family_ways(const marey_graph_family *joined)
{
    return joined->ways;
}

double marey_graph_family_way(const marey_graph_family *joined, int node, bool out)
{
    return (double)(out ? joined->out : joined->in)[node];
}
