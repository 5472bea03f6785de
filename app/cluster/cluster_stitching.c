/* cluster_stitching.c - `cluster stitch`: from one clip to another by way of the nodes that have
   both, or through others, at the time that is asked for (clusters, 3.3); or along nodes. */
#include "cluster_graphs.h"
#include "make.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>

/* ---- parameters ------------------------------------------------------------------------------ */

#define AT(member) offsetof(app_stitch_params, member)
static const app_param rows[] = {
    { .name = "cluster",
      .type = APP_TEXT,
      .at = AT(cluster),
      .place = 1,
      .needed = true,
      .value = "NAME",
      .help = "the cluster graph" },
    { .name = "a",
      .type = APP_SEGMENT,
      .at = AT(a),
      .place = 2,
      .help = "the clip that it begins with, from a frame on, as in walk#20; walk#20-120 is also "
              "left at about frame 120" },
    { .name = "b",
      .type = APP_SEGMENT,
      .at = AT(b),
      .place = 3,
      .help = "the clip that it ends with, up to a frame, as in turn#200; turn#80-200 is also "
              "entered at about frame 80" },
    { .name = "leave",
      .type = APP_FRAME,
      .at = AT(leave),
      .value = "F",
      .only_if = "a",
      .help = "leave A at this frame, or time as in 1.5s (default: where it is best)" },
    { .name = "enter",
      .type = APP_FRAME,
      .at = AT(enter),
      .value = "F",
      .only_if = "b",
      .help = "come into B at this frame, or time (default: where it is best)" },
    { .name = "within",
      .type = APP_NUMBER,
      .at = AT(within),
      .least = 0,
      .most = 1e6,
      .unit = "s",
      .value = "S",
      .standard = "0.3",
      .help = "how far from these the switch may be" },
    { .name = "nodes",
      .type = APP_NUMBERS,
      .at = AT(nodes),
      .whole = true,
      .least = 0,
      .most = INT32_MAX,
      .most_count = APP_STITCH_NODES,
      .value = "N,N,...",
      .help = "go through these nodes, in this order; without A and B from the first to the last "
              "of them, whatever clips that takes" },
    { .name = "switch-cost",
      .type = APP_NUMBER,
      .at = AT(switch_cost),
      .least = 0.001,
      .most = 1000,
      .unit = "s",
      .value = "S",
      .standard = "1",
      .help = "what a switch counts for besides its cost over 100 cm2" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = AT(fps),
      .least = 0.1,
      .most = 10000,
      .value = "N",
      .help = "frames a second of what is made (default: those of A)" },
    APP_ROUGH_PARAM(app_stitch_params),
    APP_LEAVE_FEET_PARAM(app_stitch_params),
    APP_STRETCH_PARAM(app_stitch_params),
    { 0 },
};
#undef AT

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_stitch_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    bool timed = request->leave.given || request->enter.given ||
                 (request->a.range.given && !request->a.range.one_frame) ||
                 (request->b.range.given && !request->b.range.one_frame);
    if (!request->a.clip != !request->b.clip)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "a and b must be given together");
    if (!request->a.clip && request->nodes.count == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a stitch must be from a to b, or along %snodes, got neither", dashes);
    }
    if (!timed && app_given(rows, &request->given, "within")) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%swithin is only for %sleave and %senter",
                        dashes, dashes, dashes);
    }
    return MAREY_OK;
}

/* ---- from clip to clip ----------------------------------------------------------------------- */

/* One end of the route: the part of its clip, and frames as the library counts them, -1: not given.
   `end` is where the route begins or ends, `pass` where the clip is left or entered. */
static marey_status find_end(const app_saved_cluster *saved, const app_segment *segment,
                             const frame_range *given, bool last, int *part, int *end, int *pass,
                             marey_error *error)
{
    const marey_parts *parts = saved->parts;
    const frame_range *range = &segment->range;
    int frames = 0, first, behind;
    *end = *pass = -1;
    marey_status status = app_cluster_part(saved, segment->clip, -1, part, error);
    if (status != MAREY_OK) return status;
    double fps = marey_clip_fps(parts->clips[*part]);
    for (int i = 0; i < parts->count; i++) {
        if (parts->parts[i].clip == parts->parts[*part].clip)
            frames = parts->parts[i].end; /* the last one's */
    }
    if (range->given) {
        status = range_find_among(range, frames, fps, 0, &first, &behind, error);
        if (status != MAREY_OK) {
            snprintf(error->path, sizeof error->path, "%.1000s", segment->clip);
            return status;
        }
        *end = last && !range->one_frame ? behind - 1 : first;
        if (!range->one_frame) *pass = last ? first : behind;
    }
    if (given->given) status = range_find_among(given, INT32_MAX, fps, 0, pass, &behind, error);
    if (status != MAREY_OK) return status;
    return app_cluster_part(saved, segment->clip, *end >= 0 ? *end : *pass, part, error);
}

static void release_route(void *route)
{
    marey_route_free(route);
}

static marey_status find_route(const app_env *env, const app_stitch_params *request,
                               const int *nodes, app_stitched *out, marey_error *error)
{
    const app_saved_cluster *saved = out->saved;
    marey_route_def def = { .nodes = request->nodes.count > 0 ? nodes : NULL,
                            .node_count = request->nodes.count,
                            .switch_cost = request->switch_cost,
                            /* Zero is the default there; so near is the same frame. */
                            .within_s = request->within > 0 ? request->within : 1e-9 };
    int from, to, leave, enter;
    marey_status status =
        find_end(saved, &request->a, &request->leave, false, &def.from_clip, &from, &leave, error);
    if (status == MAREY_OK)
        status =
            find_end(saved, &request->b, &request->enter, true, &def.to_clip, &to, &enter, error);
    if (status != MAREY_OK) return status;
    def.from_first = app_part_frame(saved->parts, def.from_clip, 0);
    def.to_first = app_part_frame(saved->parts, def.to_clip, 0);
    def.from_given = from >= 0;
    def.from = from - def.from_first;
    def.to_given = to >= 0;
    def.to = to - def.to_first;
    def.leave_given = leave >= 0;
    def.leave = leave - def.from_first;
    def.enter_given = enter >= 0;
    def.enter = enter - def.to_first;
    marey_route *route = APP_NEW(env->scope, marey_route, 1);
    if (!route) return app_fail_memory(error);
    status = marey_clusters_route(env->ctx, saved->graph, &def, route, error);
    if (status != MAREY_OK && !*error->path)
        snprintf(error->path, sizeof error->path, "%.400s", request->a.clip);
    if (status == MAREY_OK) status = app_own(env->scope, route, release_route, error);
    out->way = (app_stitch_way){ .switches = route->switches,
                                 .switch_count = route->switch_count,
                                 .pieces = route->pieces,
                                 .piece_count = route->piece_count,
                                 .cost = route->cost,
                                 .direct = route->direct };
    return status;
}

/* ---- running it ------------------------------------------------------------------------------ */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_stitch_params *request = params;
    app_stitched *out = result;
    app_saved_cluster *saved = NULL;
    int nodes[APP_STITCH_NODES], count;
    marey_status status = app_cluster_open(env, request->cluster, &saved, error);
    if (status != MAREY_OK) return status;
    out->saved = saved;
    out->saves_clip = env->saves_clip;
    for (int i = 0; i < request->nodes.count; i++) nodes[i] = (int)request->nodes.values[i];
    status = request->a.clip ? find_route(env, request, nodes, out, error)
                             : app_cluster_along(env, saved->graph, nodes, request->nodes.count,
                                                 request->switch_cost, &out->way, error);
    if (status != MAREY_OK) return status;

    const marey_cluster_sequence *sequences = marey_clusters_sequences(saved->graph, &count);
    out->nodes = APP_NEW(env->scope, int, out->way.switch_count);
    if (!out->nodes) return app_fail_memory(error);
    for (int i = 0; i < out->way.switch_count; i++) {
        int node = sequences[out->way.switches[i].from_sequence].node, k = 0;
        while (k < out->node_count && out->nodes[k] != node) k++;
        if (k == out->node_count) out->nodes[out->node_count++] = node;
    }
    out->pieces = (app_pieces){ .parts = saved->parts,
                                .pieces = out->way.pieces,
                                .count = out->way.piece_count };
    if (env->wants_clip) {
        marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
        marey_pieces_def def = { .fps = request->fps,
                                 .rough = request->rough,
                                 .leave_feet = request->leave_feet,
                                 .clean = &clean };
        out->made.from.graph = saved->name;
        status = app_pieces_make(env, &app_cluster_stitch, &request->given, &def, &out->pieces,
                                 &out->made, error);
        if (status != MAREY_OK) return status;
    }
    return app_cluster_find_tuples(env, saved->graph, out->nodes, out->node_count, NULL,
                                   &out->tuples, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_stitched *of = result;
    const marey_clusters *graph = of->saved->graph;
    const marey_parts *parts = of->saved->parts;
    const app_stitch_way *way = &of->way;
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(graph, &count);
    (void)params;
    if (!of->saves_clip) json_put_string(out, "name", of->saved->name);
    json_put_boolean(out, "direct", way->direct);
    json_put_number(out, "cost", way->cost);
    json_put_integer(out, "a", parts->parts[way->pieces[0].clip].clip);
    json_put_integer(out, "b", parts->parts[way->pieces[way->piece_count - 1].clip].clip);
    json_open(out, "switches", '[');
    for (int i = 0; i < way->switch_count; i++) {
        const marey_cluster_switch *one = &way->switches[i];
        json_open(out, NULL, '{');
        json_put_integer(out, "node", sequences[one->from_sequence].node);
        app_cluster_write_switch(out, graph, parts, one);
        if (of->made.made.clip) json_put_integer(out, "at", of->pieces.at[i + 1]);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "nodes", '[');
    for (int i = 0; i < of->node_count; i++)
        app_cluster_write_node(out, graph, parts, of->nodes[i]);
    json_close(out, ']');
    app_cluster_write_tuples(out, graph, parts, &of->tuples);
    if (of->made.made.clip) app_pieces_write(&of->pieces, &of->made, out);
}

APP_MADE_OF(app_stitched, made)

const app_operation app_cluster_stitch = {
    .name = "cluster stitch",
    .summary = "make a clip that goes from one clip over into another",
    .description = { "A may be CLIP, CLIP#20, which begins with frame 20, or CLIP#20-120, which is "
                     "also left at about frame 120. B may be CLIP, CLIP#200, which ends with frame "
                     "200, or CLIP#80-200, which is also entered at about frame 80.",
                     "Where a node has both clips one switch is enough; otherwise the way goes "
                     "through other clips. The pieces are laid on each other, what differs where "
                     "they meet is spread over both sides, and planted feet are held.",
                     "If there is no switch so near to the frame that was asked for, the message "
                     "says where the nearest is.",
                     "OUT may be LIB.marey:NAME. The clip remembers its pieces, with their frames "
                     "and licences." },
    .params = rows,
    .params_size = sizeof(app_stitch_params),
    .result_size = sizeof(app_stitched),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .pictures = app_stitch_pictures,
    .made = made_of,
    .made_as = "stitch of",
};
