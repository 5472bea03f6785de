/* cluster_pictures.c - cluster graphs as cards and arrows, and a stitch as curves (clusters, figures 2
   and 3). */
#include "cluster_graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------------------- */

static marey_status draw_nodes(const app_env *env, const char *name, const marey_clusters *graph,
                               const marey_parts *parts, int nodes, const char *path,
                               marey_error *error)
{
    const char **names = APP_NEW(env->scope, const char *, parts->count);
    if (!names) return app_fail_memory(error);
    for (int i = 0; i < parts->count; i++) names[i] = parts->names[i].name;
    marey_cluster_picture_def def = { .title = name, .names = names, .nodes = nodes };
    return marey_clusters_picture_save(env->ctx, graph, &def, path, error);
}

static marey_status draw_built(const app_env *env, const void *params, void *result,
                               const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_cluster_built *of = result;
    const char *name = ((const app_cluster_recipe *)params)->name;
    (void)def;
    return draw_nodes(env, name, of->graph, of->parts, 0, path, error);
}

static marey_status draw_shown(const app_env *env, const void *params, void *result,
                               const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_saved_cluster *of = ((const app_cluster_shown *)result)->saved;
    int nodes = ((const app_cluster_show_params *)params)->limit;
    (void)def;
    return draw_nodes(env, of->name, of->graph, of->parts, nodes, path, error);
}

/* ---- a stitch as curves ---------------------------------------------------------------------- */

/* The first clip is drawn as it goes, dotted where it is abandoned; the last one is laid so that
   its entered frame is where it comes in; what was made lies under both. */
enum { CURVES = 4, MARKS = 64 };

typedef struct plotting {
    const app_env *env;
    const app_pieces *of;
    const marey_clip *made, *clips[2]; /* the first and the last */
    const marey_piece *pieces[2];      /* of these */
    double steps[2];                   /* frames of what was made that one of theirs takes */
    char names[CURVES][MAREY_NAME_ROOM + 40];
} plotting;

static marey_status read_signal(const plotting *p, const marey_clip *clip, const marey_dof *dof,
                                double **out, marey_error *error)
{
    *out = APP_NEW(p->env->scope, double, marey_clip_frames(clip));
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
    char name[APP_DOF_ROOM], *title = APP_NEW(p->env->scope, char, ROOM);
    marey_plot_curve *curves = APP_NEW(p->env->scope, marey_plot_curve, CURVES);
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

/* Those that are asked for, or what bends the left knee, the left hip and the right elbow. */
static marey_status choose_dofs(const plotting *p, const char *asked, marey_dof *dofs, int *count,
                                marey_error *error)
{
    static const marey_role usual[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_HIP,
                                        MAREY_ROLE_RIGHT_ELBOW };
    const marey_clip *clip = p->clips[0];
    *count = 0;
    if (asked) return marey_dofs_parse(asked, dofs, count, error);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool there;
        marey_status status = app_dof_bending(p->env, clip, 0, marey_clip_frames(clip), usual[i],
                                              &dofs[*count], &there, error);
        if (status != MAREY_OK) return status;
        *count += there;
    }
    if (*count > 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, marey_clip_name(clip),
                    "--dof is needed: none of this skeleton's joints is known as a knee");
}

static marey_status draw_curves(const app_env *env, const void *params, void *result,
                                const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_stitched *of = result;
    const marey_named *named = of->saved->parts->names;
    plotting p = { .env = env, .of = &of->pieces, .made = of->made.made.clip };
    marey_dof dofs[MAREY_MOST_DOFS];
    marey_plot_panel panels[MAREY_MOST_DOFS];
    double marks[MARKS];
    char title[2 * MAREY_NAME_ROOM + 64];
    marey_plot_def how = { .title = title, .axis = "frame of what was made", .marks = marks };
    int count;
    (void)params;
    if (!p.made)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there are no curves to draw: the clip was not made");
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
        marks[how.mark_count++] = piece_at(&p, i);
    marey_status status = choose_dofs(&p, def->dofs, dofs, &count, error);
    for (int d = 0; status == MAREY_OK && d < count; d++)
        status = fill_panel(&p, &dofs[d], &panels[d], error);
    if (status != MAREY_OK) return status;
    return marey_plot_save(env->ctx, panels, count, &how, path, error);
}

static const char of_nodes[] =
    "the largest nodes as cards with their poses and clips, and arrows from node to node";

const app_drawing app_cluster_built_pictures[] = { { "nodes", of_nodes, draw_built }, { 0 } };
const app_drawing app_cluster_shown_pictures[] = { { "nodes", of_nodes, draw_shown }, { 0 } };
const app_drawing app_stitch_pictures[] = {
    { "curves", "a knee, a hip and an elbow over time, in the clips and in what was made of them",
      draw_curves },
    { 0 },
};
