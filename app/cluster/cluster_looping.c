/* cluster_looping.c - `cluster loop`: a clip of a cluster graph that loops seamlessly, by way of
   nodes that have it several times. */
#include "cluster_graphs.h"
#include "make.h"
#include "operations.h"

#include <stddef.h>

enum { MOST_LOOPS = 1000 };

static const app_param rows[] = {
    { .name = "cluster",
      .type = APP_TEXT,
      .at = offsetof(app_cluster_loop_params, cluster),
      .place = 1,
      .needed = true,
      .value = "NAME",
      .help = "the cluster graph" },
    { .name = "clip",
      .type = APP_CLIP,
      .at = offsetof(app_cluster_loop_params, clip),
      .place = 2,
      .needed = true,
      .help = "the clip that is to loop; of one that dropouts cut, the longest stretch" },
    { .name = "count",
      .type = APP_WHOLE,
      .at = offsetof(app_cluster_loop_params, count),
      .least = 1,
      .most = MOST_LOOPS,
      .value = "N",
      .standard = "5",
      .help = "how many loops are listed" },
    { .name = "shortest",
      .type = APP_NUMBER,
      .at = offsetof(app_cluster_loop_params, shortest),
      .least = 0.001,
      .most = 1e6,
      .unit = "s",
      .value = "S",
      .standard = "0.5",
      .help = "no shorter loops" },
    { .name = "longest",
      .type = APP_NUMBER,
      .at = offsetof(app_cluster_loop_params, longest),
      .least = 0.001,
      .most = 1e6,
      .unit = "s",
      .value = "S",
      .help = "no longer ones (default: no limit)" },
    { .name = "node",
      .type = APP_WHOLE,
      .at = offsetof(app_cluster_loop_params, node),
      .least = 0,
      .most = INT32_MAX,
      .value = "N",
      .help = "only loops that close in this node" },
    { .name = "at",
      .type = APP_PAIR,
      .at = offsetof(app_cluster_loop_params, at),
      .value = "F,G",
      .help = "the loop from frame F to frame G, one of those that are listed, and no other" },
    { .name = "in-place",
      .type = APP_SWITCH,
      .at = offsetof(app_cluster_loop_params, in_place),
      .help = "the body stays over one point of the floor" },
    APP_LEAVE_FEET_PARAM(app_cluster_loop_params),
    APP_STRETCH_PARAM(app_cluster_loop_params),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_cluster_loop_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if (request->longest > 0 && request->longest < request->shortest) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%slongest must be at least %sshortest, %g s, got %g s", dashes, dashes,
                        request->shortest, request->longest);
    }
    return MAREY_OK;
}

/* Best first. By a node or by their frames they are chosen among all there are. */
static marey_status find(const app_env *env, const app_cluster_loop_params *request,
                         app_cluster_looped *out, marey_error *error)
{
    const app_saved_cluster *saved = out->saved;
    bool by_node = app_given(rows, &request->given, "node"), named = request->at.given[0];
    int most = by_node || named ? MOST_LOOPS : request->count, found = 0;
    marey_cluster_loops_def def = { request->shortest, request->longest };
    address text;
    if (address_parse(request->clip, &text) && text.range.given) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "clip must be a clip without frames, got %.200s: loops are looked for in "
                        "all of it",
                        request->clip);
    }
    marey_status status = app_cluster_part(saved, request->clip, named ? request->at.values[0] : -1,
                                           &out->part, error);
    if (status != MAREY_OK) return status;
    out->loops = APP_NEW(env->scope, marey_loop, most);
    if (!out->loops) return app_fail_memory(error);
    status = marey_clusters_loops(env->ctx, saved->graph, out->part, &def, most, out->loops, &found,
                                  error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < found && i < most && out->count < request->count; i++) {
        marey_loop one = out->loops[i];
        bool right = true;
        if (by_node)
            right = app_cluster_node_at(saved->graph, out->part, one.start) == request->node;
        if (named)
            right &= app_part_frame(saved->parts, out->part, one.start) == request->at.values[0] &&
                     app_part_frame(saved->parts, out->part, one.end) == request->at.values[1];
        if (right) out->loops[out->count++] = one;
    }
    if (named && out->count == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "at must be one of the loops of this clip, got %d,%d",
                        request->at.values[0], request->at.values[1]);
    }
    return MAREY_OK;
}

/* How well a loop closes is known when it is made, so all of the list are; the first is what is
   asked for. */
static marey_status make(const app_env *env, const app_cluster_loop_params *request,
                         app_cluster_looped *out, marey_error *error)
{
    const marey_parts *parts = out->saved->parts;
    const marey_clip *clip = parts->clips[out->part];
    const marey_contacts *plants = &parts->contacts[out->part];
    app_made *made = &out->made;
    /* The seam is made at the clip's own rate, not at that of the graph. */
    marey_metric_def metric = *marey_clusters_settings(out->saved->graph)->metric;
    metric.fps = 0;
    marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
    marey_loop_def def = { .metric = &metric,
                           .in_place = request->in_place,
                           .leave_feet = request->leave_feet,
                           .clean = &clean };
    marey_status status = MAREY_OK;
    for (int i = 0; i < out->count && status == MAREY_OK; i++) {
        marey_made one = { 0 };
        app_progress(env, "making loops", i, out->count, -1);
        status = marey_loop_make(env->ctx, clip, plants, &def, &out->loops[i], &one, error);
        if (i == 0 && status == MAREY_OK && env->wants_clip) {
            made->made = one;
            status = app_made_own(env, made, error);
        } else {
            marey_made_free(&one);
        }
    }
    if (status != MAREY_OK || !env->wants_clip) return status;
    if (out->count == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, request->clip,
                        "no loop was found: no node of %.100s has this clip twice so far apart",
                        out->saved->name);
    }
    const marey_listing *listing = NULL;
    marey_part seen = { parts->parts[out->part].clip,
                        app_part_frame(parts, out->part, out->loops[0].start),
                        app_part_frame(parts, out->part, out->loops[0].end) };
    made->cleaned = !request->leave_feet;
    made->in_place = request->in_place;
    made->end = marey_clip_frames(made->made.clip);
    made->inputs = APP_NO_SPEEDS;
    status = app_speeds_add(clip, NULL, &made->inputs, error);
    if (status == MAREY_OK) status = app_listing(env, &listing, error);
    if (status == MAREY_OK)
        status = app_provenance_part(&made->from, env, listing, &seen, 0, error);
    if (status != MAREY_OK) return status;
    return app_made_finish(env, &app_cluster_loop, &request->given, made, error);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_cluster_loop_params *request = params;
    app_cluster_looped *out = result;
    app_saved_cluster *saved = NULL;
    marey_status status = app_cluster_open(env, request->cluster, &saved, error);
    if (status != MAREY_OK) return status;
    out->saved = saved;
    out->saves_clip = env->saves_clip;
    status = find(env, request, out, error);
    if (status == MAREY_OK) status = make(env, request, out, error);
    if (status != MAREY_OK || out->count == 0) return status;
    int node = app_cluster_node_at(saved->graph, out->part, out->loops[0].start);
    return app_cluster_find_tuples(env, saved->graph, &node, node >= 0 ? 1 : 0, NULL, &out->tuples,
                                   error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_cluster_loop_params *request = params;
    const app_cluster_looped *of = result;
    const marey_clusters *graph = of->saved->graph;
    const marey_parts *parts = of->saved->parts;
    int first = -1;
    if (!of->saves_clip) json_put_string(out, "name", of->saved->name);
    json_put_string(out, "clip", parts->names[of->part].name);
    json_open(out, "loops", '[');
    for (int i = 0; i < of->count; i++) {
        const marey_loop *one = &of->loops[i];
        int node = app_cluster_node_at(graph, of->part, one->start);
        if (i == 0) first = node;
        json_open(out, NULL, '{');
        json_put_integer(out, "start", app_part_frame(parts, of->part, one->start));
        json_put_integer(out, "end", app_part_frame(parts, of->part, one->end));
        json_put_number(out, "cost", one->cost);
        json_put_number(out, "seam_ratio", one->seam_ratio);
        if (node >= 0) json_put_integer(out, "node", node);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_string(out, "unit", marey_clusters_settings(graph)->metric->metric->unit);
    json_put_boolean(out, "in_place", request->in_place);
    json_open(out, "nodes", '[');
    if (first >= 0) app_cluster_write_node(out, graph, parts, first);
    json_close(out, ']');
    app_cluster_write_tuples(out, graph, parts, &of->tuples);
    if (of->made.made.clip) {
        app_made_write(&of->made, out);
    } else {
        json_put_number(out, "fps", marey_clip_fps(parts->clips[of->part]));
    }
}

APP_MADE_OF(app_cluster_looped, made)

const app_operation app_cluster_loop = {
    .name = "cluster loop",
    .summary = "find where a clip closes into a seamless loop, and make it",
    .description = { "A node that has several sequences of one clip lets it go back from a later "
                     "one to an earlier one. The loops are listed, the best first; with -o the "
                     "best is written as a clip whose end goes on in its beginning." },
    .params = rows,
    .params_size = sizeof(app_cluster_loop_params),
    .result_size = sizeof(app_cluster_looped),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "loop of",
};
