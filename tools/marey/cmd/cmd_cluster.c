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
    const app_cluster_shown *of = call->result;
    const marey_parts *parts = of->saved->parts;
    const char *path = options->values[OPTION_OUTPUT];
    json out = { .out = &run->out, .comma = true };
    if (!path) return MAREY_OK;
    if (run->json) {
        json_put_string(&out, "path", path);
    } else {
        put_wrote(&run->out, path);
    }
    const char **names = APP_NEW(&call->scope, const char *, parts->count);
    if (!names) return app_fail_memory(error);
    for (int i = 0; i < parts->count; i++) names[i] = parts->names[i].name;
    marey_cluster_picture_def def = { .title = of->saved->name,
                                      .names = names,
                                      .nodes = ((app_cluster_show_params *)call->params)->limit };
    buffer_reserve(&run->out, 2);
    marey_status status = app_check(run->out.failed, error);
    if (status != MAREY_OK) return status;
    return marey_clusters_picture_save(run->ctx, of->saved->graph, &def, path, error);
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

/* ---- a stitch as curves (clusters, figure 3) ------------------------------------------------- */

/* The first clip is drawn as it goes, dotted where it is abandoned; the last one is laid so that
   its entered frame is where it comes in; what was made lies under both. */
enum { CURVES = 4, MARKS = 64 };

typedef struct plotting {
    session *run;
    app_scope *scope;
    const app_pieces *of;
    const marey_clip *made, *clips[2]; /* the first and the last */
    const marey_piece *pieces[2];      /* of these */
    double steps[2];                   /* frames of what was made that one of theirs takes */
    char names[CURVES][MAREY_NAME_ROOM + 40];
} plotting;

static marey_status read_signal(const plotting *p, const marey_clip *clip, const marey_dof *dof,
                                double **out, marey_error *error)
{
    *out = APP_NEW(p->scope, double, marey_clip_frames(clip));
    return *out ? marey_clip_signal(clip, dof, *out, error) : app_fail_memory(error);
}

/* The frame of what was made at which piece i begins. */
static double piece_at(const plotting *p, int i)
{
    double at = 0;
    for (int k = 0; k < i; k++) {
        const marey_piece *piece = &p->of->pieces[k];
        double fps = marey_clip_fps(p->of->parts->clips[piece->clip]);
        at += (piece->end - piece->start) / fps * marey_clip_fps(p->made);
    }
    return at;
}

static marey_status fill_panel(const plotting *p, const marey_dof *dof, marey_plot_panel *panel,
                               marey_error *error)
{
    enum { ROOM = APP_DOF_ROOM + 16 };
    bool turns = dof->channel >= MAREY_CHANNEL_X_ROTATION;
    double *made = NULL, *values[2] = { NULL };
    char name[APP_DOF_ROOM], *title = APP_NEW(p->scope, char, ROOM);
    marey_plot_curve *curves = APP_NEW(p->scope, marey_plot_curve, CURVES);
    if (!title || !curves) return app_fail_memory(error);
    marey_status status = read_signal(p, p->made, dof, &made, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        const marey_piece *piece = p->pieces[side];
        status = read_signal(p, p->clips[side], dof, &values[side], error);
        if (status != MAREY_OK || !turns) continue;
        /* The same angle may be whole turns away. */
        double own = values[side][(int)(side ? piece->end - 1 : piece->start)];
        double wanted = made[side ? marey_clip_frames(p->made) - 1 : 0];
        for (int i = 0; i < marey_clip_frames(p->clips[side]); i++)
            values[side][i] += 360 * round((wanted - own) / 360);
    }
    if (status != MAREY_OK) return status;
    int start = (int)p->pieces[0]->start, leave = (int)p->pieces[0]->end - 1;
    double come = piece_at(p, p->of->count - 1);
    /* What comes before the first frame of the made clip is not worth the room. */
    int from = (int)fmax(ceil(p->pieces[1]->start - come / p->steps[1]), 0);
    curves[0] = (marey_plot_curve){ .values = made,
                                    .count = marey_clip_frames(p->made),
                                    .step = 1,
                                    .style = MAREY_PLOT_THICK,
                                    .colour = 5,
                                    .name = p->names[0] };
    curves[1] = (marey_plot_curve){ .values = values[0] + start,
                                    .count = leave - start + 1,
                                    .step = p->steps[0],
                                    .name = p->names[1] };
    curves[2] = (marey_plot_curve){ .values = values[0] + leave,
                                    .count = marey_clip_frames(p->clips[0]) - leave,
                                    .first = (leave - start) * p->steps[0],
                                    .step = p->steps[0],
                                    .style = MAREY_PLOT_DOTTED,
                                    .name = p->names[2] };
    curves[3] = (marey_plot_curve){ .values = values[1] + from,
                                    .count = marey_clip_frames(p->clips[1]) - from,
                                    .first = come + (from - p->pieces[1]->start) * p->steps[1],
                                    .step = p->steps[1],
                                    .style = MAREY_PLOT_DASHED,
                                    .colour = 2,
                                    .name = p->names[3] };
    snprintf(title, ROOM, "%s (%s)", app_dof_text(dof, name), turns ? "degrees" : "cm");
    *panel = (marey_plot_panel){ .title = title, .curves = curves, .curve_count = CURVES };
    return MAREY_OK;
}

/* Those of --dof, or what bends the left knee, the left hip and the right elbow. */
static marey_status choose_dofs(const plotting *p, const request *options, marey_dof *dofs,
                                int *count, marey_error *error)
{
    static const marey_role usual[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_HIP,
                                        MAREY_ROLE_RIGHT_ELBOW };
    const marey_clip *clip = p->clips[0];
    *count = 0;
    if (request_has(options, OPTION_DOF))
        return marey_dofs_parse(options->values[OPTION_DOF], dofs, count, error);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool there;
        app_env env = { .ctx = p->run->ctx, .scope = p->scope };
        marey_status status = app_dof_bending(&env, clip, 0, marey_clip_frames(clip), usual[i],
                                              &dofs[*count], &there, error);
        if (status != MAREY_OK) return status;
        *count += there;
    }
    if (*count > 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, marey_clip_name(clip),
                    "--dof is needed: none of this skeleton's joints is known as a knee");
}

marey_status draw_stitch(session *run, const request *options, app_call *call, marey_error *error)
{
    const app_stitched *of = call->result;
    const marey_named *named = of->saved->parts->names;
    const char *path = options->values[OPTION_PLOT];
    plotting p = { .run = run, .scope = &call->scope, .of = &of->pieces };
    marey_dof dofs[MAREY_MOST_DOFS];
    marey_plot_panel panels[MAREY_MOST_DOFS];
    double marks[MARKS];
    char title[2 * MAREY_NAME_ROOM + 64];
    marey_plot_def def = { .title = title, .axis = "frame of what was made", .marks = marks };
    json out = { .out = &run->out, .comma = true };
    int count;
    if (!path) return MAREY_OK;
    p.made = of->made.made.clip;
    for (int side = 0; side < 2; side++) {
        p.pieces[side] = &of->pieces.pieces[side ? of->pieces.count - 1 : 0];
        p.clips[side] = of->saved->parts->clips[p.pieces[side]->clip];
        p.steps[side] = marey_clip_fps(p.made) / marey_clip_fps(p.clips[side]);
    }
    const char *first = named[p.pieces[0]->clip].name, *last = named[p.pieces[1]->clip].name;
    snprintf(p.names[0], sizeof p.names[0], "stitched");
    snprintf(p.names[1], sizeof p.names[1], "%s", first);
    snprintf(p.names[2], sizeof p.names[2], "%s, abandoned", first);
    snprintf(p.names[3], sizeof p.names[3], "%s%s", last,
             strcmp(first, last) == 0 ? ", entered" : "");
    snprintf(title, sizeof title, "from %s to %s", first, last);
    for (int i = 1; i < of->pieces.count && i <= MARKS; i++)
        marks[def.mark_count++] = piece_at(&p, i);
    marey_status status = choose_dofs(&p, options, dofs, &count, error);
    for (int d = 0; status == MAREY_OK && d < count; d++)
        status = fill_panel(&p, &dofs[d], &panels[d], error);
    if (status == MAREY_OK) status = marey_plot_save(run->ctx, panels, count, &def, path, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        json_put_string(&out, "plot", path);
    } else if (!run->quiet) {
        put_wrote(&run->out, path);
    }
    return app_check(run->out.failed, error);
}
