/* graph_build.c - building a motion graph: defaults, steps, and looking at it. Kovar, Gleicher &
   Pighin 2002; Zhao & Safonova 2008 (slides, first half). */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "graph/crossings.h"
#include "graph/weave.h"

#include <math.h>
#include <string.h>

/* ---- kinds ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *about;
} kinds[MAREY_GRAPH_KIND_COUNT] = {
    [MAREY_GRAPH_STANDARD] = { "standard",
                               "the captured frames, with transitions where they are alike" },
    [MAREY_GRAPH_CONNECTED] = { "connected",
                                "also interpolations of all segments with the same contacts: "
                                "smoother transitions, and quicker ones" },
};

const char *marey_graph_kind_name(marey_graph_kind kind)
{
    return (unsigned)kind < MAREY_GRAPH_KIND_COUNT ? kinds[kind].name : "";
}

const char *marey_graph_kind_about(marey_graph_kind kind)
{
    return (unsigned)kind < MAREY_GRAPH_KIND_COUNT ? kinds[kind].about : "";
}

/* ---- the definition -------------------------------------------------------------------------- */

static marey_status refuse(marey_error *error, const char *rule)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", rule);
}

static marey_status refuse_number(marey_error *error, const char *rule, double value)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s, got %g", rule, value);
}

static marey_status settle(marey_graph *graph, const marey_graph_def *request, marey_error *error)
{
    marey_graph_def *def = &graph->def;
    if (request) *def = *request;
    if (def->fps == 0) def->fps = MAREY_GRAPH_FPS;
    if (def->jump == 0) def->jump = MAREY_GRAPH_JUMP;
    if (def->spread_s == 0) def->spread_s = MAREY_GRAPH_SPREAD;
    if (def->dwell_s == 0) def->dwell_s = MAREY_GRAPH_DWELL;
    if (def->suboptimality == 0) def->suboptimality = 1;
    if (def->smoothness == 0) def->smoothness = 0.5;
    if (def->smoothness < 0) def->smoothness = 0;
    if ((unsigned)def->kind >= MAREY_GRAPH_KIND_COUNT)
        return refuse(error, "no such kind of graph");
    if (!(def->fps >= 1 && def->fps <= 1000))
        return refuse_number(error, "rate must be 1 to 1000 Hz", def->fps);
    if (!(def->threshold >= 0 && isfinite(def->threshold)))
        return refuse_number(error, "threshold must be finite and at least 0", def->threshold);
    if (!(def->sigma >= 0 && isfinite(def->sigma)))
        return refuse_number(error, "sigma must be finite and at least 0", def->sigma);
    if (!(def->jump >= 1 && isfinite(def->jump)))
        return refuse_number(error, "jump ratio must be finite and at least 1", def->jump);
    if (!(def->spread_s > 0 && def->spread_s <= 5))
        return refuse_number(error, "spread must be above 0 s and at most 5 s", def->spread_s);
    if (!(def->dwell_s <= MAREY_GRAPH_MOST_DWELL))
        return refuse_number(error, "dwell must be at most 5 s", def->dwell_s);
    if (!(def->suboptimality >= 1 && def->suboptimality <= MRY_GRAPH_MOST_MU))
        return refuse_number(error, "suboptimality mu must be 1 to 1000", def->suboptimality);
    if (!(def->smoothness >= 0 && def->smoothness <= 1))
        return refuse_number(error, "smoothness must be 0 to 1", def->smoothness);
    /* Weights of interpolations. */
    if (def->weight_count < 0 || def->weight_count > MAREY_GRAPH_MOST_WEIGHTS)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "weights must be 0 to %d, got %d",
                        (int)MAREY_GRAPH_MOST_WEIGHTS, def->weight_count);
    for (int i = 0; i < def->weight_count; i++) {
        double least = i ? def->weights[i - 1] : 0;
        if (!(def->weights[i] > least && def->weights[i] < 1))
            return refuse_number(error, "weights must be between 0 and 1, and rise",
                                 def->weights[i]);
    }
    double *weights = MRY_NEW(&graph->mem, double, (size_t)def->weight_count + 1);
    if (!weights) return mry_fail_memory(error, NULL);
    if (def->weight_count)
        memcpy(weights, def->weights, (size_t)def->weight_count * sizeof *weights);
    def->weights = weights;
    graph->fps = def->fps;
    for (int c = 0; c < graph->clip_count; c++) graph->fps = fmin(graph->fps, graph->clips[c]->fps);
    /* The metric and its joint weights. */
    if (def->metric) graph->metric = *def->metric;
    graph->metric.metric = mry_metric_of(&graph->metric);
    if (def->metric && def->metric->joints)
        graph->joint_weights = *def->metric->joints;
    else if (marey_joint_weights_parse("wang", &graph->joint_weights, error))
        return MAREY_ERR_REQUEST;
    if (graph->def.kind == MAREY_GRAPH_CONNECTED && !graph->metric.metric->can_bound)
        return refuse(error, "metric of a connected graph must be points");
    graph->metric.joints = &graph->joint_weights;
    graph->def.metric = &graph->metric;
    return MAREY_OK;
}

/* ---- making it ------------------------------------------------------------------------------- */

marey_status mry_graph_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                            const marey_graph_def *def, marey_graph **out, marey_error *error)
{
    if (count < 1) return refuse(error, "no clips to make a motion graph of");
    if (count > MAREY_GRAPH_MOST_CLIPS) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "clips must be at most %d, got %d",
                        (int)MAREY_GRAPH_MOST_CLIPS, count);
    }
    mry_arena mem = mry_arena_make(ctx);
    marey_graph *graph = MRY_NEW(&mem, marey_graph, 1);
    if (!graph) return mry_fail_memory(error, NULL);
    graph->mem = mem;
    graph->data = mry_arena_make(ctx);
    graph->ctx = ctx;
    const marey_clip **copy = MRY_NEW(&graph->mem, const marey_clip *, count);
    marey_status status = copy ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) {
        memcpy(copy, clips, (size_t)count * sizeof *copy);
        graph->clips = copy;
        graph->clip_count = count;
        status = settle(graph, def, error);
    }
    if (status)
        marey_graph_free(graph);
    else
        *out = graph;
    return status;
}

void mry_graph_drop_jumps(marey_graph *graph)
{
    int kept = 0;
    for (int i = 0; i < graph->transition_count && graph->def.smooth; i++) {
        if (!((double)graph->transitions[i].jump <= graph->def.jump)) continue;
        graph->transitions[kept] = graph->transitions[i];
        graph->places[kept] = graph->places[i];
        graph->half[kept++] = graph->half[i];
    }
    if (graph->def.smooth) graph->transition_count = kept;
    mry_graph_count_leaving(graph);
}

/* Of captured frames and, if it is to be connected, interpolations of fixed weights. */
static marey_status weave(marey_graph *graph, mry_arena *tmp, marey_error *error)
{
    bool connected = graph->def.kind == MAREY_GRAPH_CONNECTED;
    mry_near_list rungs = { .ctx = graph->ctx }, near = { 0 };
    mry_bodies bodies;
    marey_status status = connected ? mry_graph_weave(graph, &rungs, error) : MAREY_OK;
    if (!status) status = mry_bodies_open(&bodies, tmp, graph, error);
    if (!status)
        status = mry_graph_near(graph, &bodies, graph->def.threshold, &rungs, &near, error);
    bool ends = marey_tiles_made(graph->def.tiles);
    if (!status && !ends) status = mry_graph_connect(graph, &near, graph->def.threshold, error);
    mry_near_free(&near);
    mry_near_free(&rungs);
    if (status || ends) return status;
    mry_graph_judge(graph, &bodies, NULL);
    mry_graph_drop_jumps(graph);
    graph->nodes_before = graph->nodes;
    graph->edges_before = mry_graph_edges(graph);
    if (!connected || graph->def.unreduced) return MAREY_OK;
    uint8_t *nodes = MRY_NEW(tmp, uint8_t, graph->nodes);
    uint8_t *transitions = MRY_NEW(tmp, uint8_t, (size_t)graph->transition_count + 1);
    if (!nodes || !transitions) return mry_fail_memory(error, NULL);
    status = mry_graph_reduce(graph, NULL, nodes, transitions, error);
    return status ? status : mry_graph_compact(graph, nodes, transitions, error);
}

/* Of captured frames and crossings between them. */
static marey_status cross(marey_graph *graph, mry_arena *tmp, marey_error *error)
{
    mry_near_list near = { 0 };
    mry_bodies bodies;
    double below = fmax(graph->def.threshold, MAREY_GRAPH_CEILING);
    marey_status status = mry_bodies_open(&bodies, tmp, graph, error);
    if (!status) status = mry_graph_near(graph, &bodies, below, NULL, &near, error);
    if (!status && !marey_tiles_made(graph->def.tiles))
        status = mry_crossings_build(graph, &bodies, &near, error);
    mry_near_free(&near);
    return status;
}

marey_status marey_graph_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_contacts *contacts, const marey_graph_def *def,
                               marey_graph **out, marey_error *error)
{
    marey_graph *graph = NULL;
    marey_status status = mry_graph_make(ctx, clips, count, def, &graph, error);
    if (status) return status;
    status = mry_graph_take(graph, contacts, error);
    const marey_metric_thresholds *usual = &graph->metric.metric->thresholds;
    bool connected = graph->def.kind == MAREY_GRAPH_CONNECTED;
    if (!status && graph->def.threshold == 0) {
        graph->def.threshold = connected ? usual->graph_connected : usual->graph;
        graph->def.smooth = true; /* what jumps below it is left out: all that is kept is smooth */
        if (graph->def.threshold == 0)
            status = refuse(error, "only the metric points has a default threshold");
    }
    if (graph->def.sigma == 0) graph->def.sigma = usual->graph_sigma;
    if (graph->def.sigma == 0) graph->def.sigma = 10 * graph->def.threshold;
    mry_arena tmp = mry_arena_make(ctx);
    /* With weights that are given, interpolations are of these. */
    if (!status) status = mry_graph_find_limits(graph, error);
    bool crosses = connected && graph->def.weight_count == 0 &&
                   mry_dwell_frames(graph, graph->def.dwell_s) > 1;
    if (!status) status = crosses ? cross(graph, &tmp, error) : weave(graph, &tmp, error);
    mry_arena_free(&tmp);
    if (!status && marey_tiles_made(graph->def.tiles)) {
        marey_graph_free(graph);
        *out = NULL;
        return MAREY_OK;
    }
    graph->def.tiles = NULL; /* as behaviours below: they are another's */
    if (!status)
        status = mry_dwell_find(graph, &graph->data, mry_dwell_frames(graph, graph->def.dwell_s),
                                INFINITY, NULL, NULL, 0, &graph->dwell, error);
    /* Behaviours of frames are with the nodes now. */
    graph->def.behaviours = NULL;
    graph->def.behaviour_count = 0;
    if (status)
        marey_graph_free(graph);
    else
        *out = graph;
    return status;
}

void marey_graph_free(marey_graph *graph)
{
    if (!graph) return;
    marey_clip_free(graph->motion);
    mry_arena_free(&graph->data);
    mry_arena mem = graph->mem;
    mry_arena_free(&mem);
}
