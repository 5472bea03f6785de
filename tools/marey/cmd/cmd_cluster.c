/* cmd_cluster.c - how the results of `marey cluster` are shown and drawn. */
#include "cluster_graphs.h"
#include "commands.h"
#include "find_example.h"
#include "library_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what they share ------------------------------------------------------------------------- */

/* "walk#120", as the library counts. */
static void put_place(buffer *out, const marey_parts *parts, int part, int frame)
{
    buffer_shown(out, parts->names[part].name);
    buffer_print(out, "#%d", app_part_frame(parts, part, frame));
}

static void put_wrote(buffer *out, const char *path)
{
    buffer_named(out, "wrote ", path, "\n");
}

static void put_cluster(buffer *out, const char *name, const marey_clusters *graph,
                        const marey_parts *parts)
{
    const marey_clusters_def *def = marey_clusters_settings(graph);
    app_cluster_sum sum = app_cluster_count(graph, parts);
    double fps = marey_clusters_fps(graph);
    int frames = marey_clusters_frames(graph);
    buffer_named(out, "cluster graph ", name, "");
    buffer_print(out, ": %s link, ", marey_link_name(def->link));
    buffer_clips(out, app_clip_count(parts->parts, parts->count));
    buffer_print(out, ", %d frames at %.4g a second\n  threshold  ", frames, fps);
    buffer_distance(out, def->threshold, def->metric->metric->unit);
    buffer_print(out,
                 "\n  nodes      %d; %d have several clips, %d close into a loop\n"
                 "  sequences  %d, of %.1f frames (%.2f s) on average\n"
                 "  switches   %lld, from any sequence of a node to any other; %d edges\n",
                 sum.nodes, sum.shared, sum.looping, sum.sequences,
                 sum.sequences ? (double)frames / sum.sequences : 0,
                 sum.sequences ? frames / fps / sum.sequences : 0, (long long)sum.switches,
                 sum.edges);
}

/* ---- build ----------------------------------------------------------------------------------- */

void show_cluster_built(session *run, const void *params, const void *result, buffer *out)
{
    const app_cluster_recipe *recipe = params;
    const app_cluster_built *built = result;
    if (run->quiet) return;
    const marey_parts *parts = built->parts;
    put_cluster(out, recipe->name, built->graph, parts);
    bool by_example = recipe->example.query.clip || recipe->example.curve.text;
    for (int i = 0; i < parts->count && by_example; i++) {
        if (i > 0 && parts->parts[i].clip == parts->parts[i - 1].clip) continue;
        buffer_named(out, i > 0 ? ", " : "  clips      ", parts->names[i].name, "");
    }
    if (by_example) buffer_byte(out, '\n');
    buffer_fits(out, parts, 11);
    buffer_print(out, "  built in   %.2f s\n", built->seconds);
}

/* ---- ls -------------------------------------------------------------------------------------- */

void show_clusters(session *run, const void *params, const void *result, buffer *out)
{
    const app_cluster_list *list = result;
    (void)run, (void)params;
    if (list->count == 0)
        buffer_text(out, "no saved cluster graph; marey cluster build makes one\n");
    for (int i = 0; i < list->count; i++) {
        const app_cluster_listed *one = &list->clusters[i];
        buffer_named(out, "", one->name, "  (");
        if (one->link) {
            buffer_named(out, "", one->link, " link, ");
        }
        buffer_clips(out, one->made_of.count);
        if (isfinite(one->frames))
            buffer_print(out, ", %.0f frames, %.0f nodes", one->frames, one->nodes);
        buffer_print(out, ", %lld bytes)\n", (long long)one->bytes);
    }
}

/* ---- show ------------------------------------------------------------------------------------ */

static void put_table(buffer *out, const app_cluster_shown *result, int limit)
{
    const marey_parts *parts = result->saved->parts;
    int count, most = limit ? limit : 20;
    const marey_cluster_node *nodes = marey_clusters_nodes(result->saved->graph, &count);
    buffer_print(out, "%7s %7s %10s %6s %6s %9s  %s\n", "node", "frames", "sequences", "clips",
                 "loops", "widest", "middle");
    for (int i = 0; i < count && i < most; i++) {
        const marey_cluster_node *one = &nodes[result->order[i]];
        int clips = app_cluster_node_clips(result->saved->graph, parts, result->order[i]);
        buffer_print(out, "%7d %7d %10d %6d %6s %9.4g  ", result->order[i], one->rows,
                     one->sequences, clips, clips < one->sequences ? "yes" : "", one->widest);
        put_place(out, parts, one->clip, one->frame);
        buffer_byte(out, '\n');
    }
    if (count > most)
        buffer_print(out, "and %d more; --limit shows more of them, --json all\n", count - most);
}

static void put_tuples(buffer *out, const app_cluster_shown *result, const marey_tuples *tuples)
{
    enum { SHOWN = 5 };
    int count;
    const marey_cluster_node *node =
        &marey_clusters_nodes(result->saved->graph, &count)[result->node];
    const marey_cluster_sequence *sequences =
        marey_clusters_sequences(result->saved->graph, &count);
    if (tuples->by_pairs) {
        buffer_print(out,
                     "no frames at which one can switch from any sequence to any other, even with "
                     "%d pairs of each two: switches are found pair by pair\n",
                     tuples->pairs);
        return;
    }
    buffer_print(out,
                 "frames at which one can switch from any sequence to any other (%d sets, %d pairs "
                 "of each two):\n",
                 tuples->count, tuples->pairs);
    for (int t = 0; t < tuples->count && t < SHOWN; t++) {
        buffer_print(out, "  %9.4g ", tuples->costs[t]);
        for (int s = 0; s < tuples->sequences; s++) {
            buffer_byte(out, ' ');
            put_place(out, result->saved->parts, sequences[node->first + s].clip,
                      tuples->frames[(size_t)t * (size_t)tuples->sequences + (size_t)s]);
        }
        buffer_byte(out, '\n');
    }
}

static void put_node(buffer *out, const app_cluster_shown *result)
{
    const marey_parts *parts = result->saved->parts;
    const marey_clusters *graph = result->saved->graph;
    int count;
    const marey_cluster_node *node = &marey_clusters_nodes(graph, &count)[result->node];
    const marey_cluster_sequence *sequences = marey_clusters_sequences(graph, &count);
    buffer_print(out, "node %d: %d frames in %d sequence%s, at most ", result->node, node->rows,
                 node->sequences, node->sequences == 1 ? "" : "s");
    buffer_distance(out, node->widest, marey_clusters_settings(graph)->metric->metric->unit);
    buffer_text(out, " apart; its middle is ");
    put_place(out, parts, node->clip, node->frame);
    buffer_print(out, "\n%10s  %-28s %s\n", "sequence", "frames", "goes on in node");
    for (int s = node->first; s < node->first + node->sequences; s++) {
        const marey_cluster_sequence *one = &sequences[s];
        size_t before = out->used;
        buffer_print(out, "%10d  ", s);
        put_place(out, parts, one->clip, one->start);
        buffer_print(out, "-%d", app_part_frame(parts, one->clip, one->end));
        buffer_blanks(out, 12 + 29 - (int)(out->used - before));
        if (one->next < 0) {
            buffer_text(out, "- (the clip ends)\n");
        } else {
            buffer_print(out, "%d\n", sequences[one->next].node);
        }
    }
    if (result->tuples.count > 0) put_tuples(out, result, &result->tuples.rows[0].tuples);
}

void show_cluster(session *run, const void *params, const void *result, buffer *out)
{
    const app_cluster_shown *of = result;
    (void)run;
    put_cluster(out, of->saved->name, of->saved->graph, of->saved->parts);
    if (of->node < 0) {
        put_table(out, of, ((const app_cluster_show_params *)params)->limit);
    } else {
        put_node(out, of);
    }
}

int check_cluster_picture(session *run, const request *options, const void *params)
{
    const char *path = options->values[OPTION_OUTPUT];
    (void)params;
    if (!path || path_is_picture(path)) return PROGRAM_DONE;
    return session_usage(run, "-o takes a name that ends in .png, .svg or .pdf");
}

/* The file is named in the answer before it is drawn. */
marey_status draw_cluster(session *run, const request *options, app_call *call, marey_error *error)
{
    const char *path = options->values[OPTION_OUTPUT];
    json out = { .out = &run->out, .comma = true };
    if (!path) return MAREY_OK;
    if (run->json) {
        json_put_string(&out, "path", path);
    } else {
        put_wrote(&run->out, path);
    }
    buffer_reserve(&run->out, 2);
    marey_status status = app_check(run->out.failed, error);
    if (status != MAREY_OK) return status;
    return draw_result(run, call, NULL, "nodes", NULL, path, error);
}

/* ---- loop ------------------------------------------------------------------------------------ */

void show_cluster_looped(session *run, const void *params, const void *result, buffer *out)
{
    const app_cluster_looped *of = result;
    const marey_parts *parts = of->saved->parts;
    double fps = marey_clip_fps(parts->clips[of->part]);
    (void)params;
    if (run->quiet && of->made.made.clip) return;
    if (of->count == 0) {
        buffer_text(out, "no loop was found\n");
        return;
    }
    buffer_print(out, "%8s %8s %9s %8s %7s   %s\n", "start", "end", "seconds", "seam", "node",
                 "cost");
    for (int i = 0; i < of->count; i++) {
        const marey_loop *one = &of->loops[i];
        buffer_print(out, "%8d %8d %9.3f %8.3f %7d   ", app_part_frame(parts, of->part, one->start),
                     app_part_frame(parts, of->part, one->end), (one->end - one->start) / fps,
                     one->seam_ratio, app_cluster_node_at(of->saved->graph, of->part, one->start));
        buffer_distance(out, one->cost,
                        marey_clusters_settings(of->saved->graph)->metric->metric->unit);
        buffer_byte(out, '\n');
    }
    if (of->made.made.clip) show_figures(&of->made, out);
}

/* ---- stitch ---------------------------------------------------------------------------------- */

void show_cluster_stitched(session *run, const void *params, const void *result, buffer *out)
{
    const app_stitched *of = result;
    const marey_parts *parts = of->saved->parts;
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(of->saved->graph, &count);
    (void)params;
    if (run->quiet) return;
    for (int i = 0; i < of->way.switch_count; i++) {
        const marey_cluster_switch *one = &of->way.switches[i];
        buffer_print(out, "  node %-5d", sequences[one->from_sequence].node);
        put_place(out, parts, sequences[one->from_sequence].clip, one->from);
        buffer_text(out, " goes on as ");
        put_place(out, parts, sequences[one->to_sequence].clip, one->to + 1);
        buffer_text(out, ", cost ");
        buffer_distance(out, one->cost, "cm2");
        buffer_byte(out, '\n');
    }
    show_pieces(&of->pieces, out);
    show_figures(&of->made, out);
}

int check_cluster_stitch(session *run, const request *options, const void *params)
{
    const char *plot = options->values[OPTION_PLOT];
    marey_dof dofs[MAREY_MOST_DOFS];
    int count;
    (void)params;
    if (plot && !path_is_picture(plot))
        return session_usage(run, "--plot takes a name that ends in .png, .svg or .pdf");
    if (request_has(options, OPTION_DOF) && !plot)
        return session_usage(run, "--dof is for --plot FILE");
    marey_error error;
    if (!plot || !request_has(options, OPTION_DOF) ||
        marey_dofs_parse(options->values[OPTION_DOF], dofs, &count, &error) == MAREY_OK)
        return PROGRAM_DONE;
    return session_usage(run, "--dof: %s", error.message);
}

marey_status draw_stitch(session *run, const request *options, app_call *call, marey_error *error)
{
    const char *path = options->values[OPTION_PLOT];
    json out = { .out = &run->out, .comma = true };
    if (!path) return MAREY_OK;
    app_drawing_def def = { 0 };
    if (request_has(options, OPTION_DOF)) def.dofs = options->values[OPTION_DOF];
    marey_status status = draw_result(run, call, NULL, "curves", &def, path, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        json_put_string(&out, "plot", path);
    } else if (!run->quiet) {
        put_wrote(&run->out, path);
    }
    return app_check(run->out.failed, error);
}
