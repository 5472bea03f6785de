/* stitch_plot.c - a stitch as curves. The first clip is drawn as it goes, dotted where it is abandoned; the last one is laid so
   that its entered frame is where it comes in; what was made lies under both. */
#include "stitch_plot.h"

#include "graph_open.h"
#include "param_family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVES = 4, USUAL = 3 };

/* Curves of one signal. */
typedef struct panel_curves {
    buffer values[3]; /* of the first clip, the last, and what was made */
    marey_plot_curve curves[CURVES];
    char title[DOF_TEXT_ROOM + 16];
} panel_curves;

typedef struct plotting {
    const stitch_plot *of;
    marey_dof dofs[MAREY_MOST_DOFS];
    int count;
    char names[CURVES][MAREY_NAME_ROOM + 40];
    panel_curves panels[MAREY_MOST_DOFS];
} plotting;

static const marey_piece *piece_of(const plotting *p, bool last)
{
    const marey_route *route = p->of->route;
    return &route->pieces[last ? route->piece_count - 1 : 0];
}

static const marey_clip *clip_of(const plotting *p, bool last)
{
    return p->of->parts->clips[piece_of(p, last)->clip];
}

/* How many frames of what was made one of the clip's takes. */
static double step_of(const plotting *p, bool last)
{
    return marey_clip_fps(p->of->made) / marey_clip_fps(clip_of(p, last));
}

/* The frame of what was made at which piece i begins. */
static double piece_at(const plotting *p, int i)
{
    double at = 0;
    for (int k = 0; k < i; k++) {
        const marey_piece *piece = &p->of->route->pieces[k];
        double fps = marey_clip_fps(p->of->parts->clips[piece->clip]);
        at += (piece->end - piece->start) / fps * marey_clip_fps(p->of->made);
    }
    return at;
}

/* ---- values ---------------------------------------------------------------------------------------- */

static marey_status read_signal(const plotting *p, const marey_clip *clip, const marey_dof *dof,
                                buffer *out, marey_error *error)
{
    static const double zeros[256] = { 0 };
    int frames = marey_clip_frames(clip);
    *out = buffer_make(&p->of->run->host->def);
    for (int left = frames; left > 0 && !out->failed; left -= 256)
        buffer_bytes(out, (const char *)zeros, (size_t)(left < 256 ? left : 256) * sizeof *zeros);
    if (out->failed) return fail_for_memory(error);
    return marey_clip_signal(clip, dof, (double *)(void *)out->bytes, error);
}

static double *doubles(const buffer *of)
{
    return (double *)(void *)of->bytes;
}

/* The same angle may be whole turns away. */
static void turn_near(buffer *values, double own, double wanted)
{
    double turns = 360 * round((wanted - own) / 360);
    for (size_t i = 0; i < values->used / sizeof(double); i++) doubles(values)[i] += turns;
}

static void turn_all(const plotting *p, const marey_dof *dof, panel_curves *panel)
{
    const double *made = doubles(&panel->values[2]);
    int frames = marey_clip_frames(p->of->made);
    if (dof->channel < MAREY_CHANNEL_X_ROTATION) return;
    int first = (int)piece_of(p, false)->start, end = (int)piece_of(p, true)->end;
    turn_near(&panel->values[0], doubles(&panel->values[0])[first], made[0]);
    turn_near(&panel->values[1], doubles(&panel->values[1])[end - 1], made[frames - 1]);
}

/* ---- curves ---------------------------------------------------------------------------------------- */

static void fill_curves(const plotting *p, panel_curves *panel)
{
    const marey_piece *first = piece_of(p, false), *last = piece_of(p, true);
    int first_frames = marey_clip_frames(clip_of(p, false));
    int last_frames = marey_clip_frames(clip_of(p, true));
    int start = (int)first->start, leave = (int)first->end - 1;
    double come = piece_at(p, p->of->route->piece_count - 1), step = step_of(p, true);
    /* What comes before the first frame of the made clip is not worth the room. */
    int from = (int)fmax(ceil(last->start - come / step), 0);
    panel->curves[0] = (marey_plot_curve){ .values = doubles(&panel->values[2]),
                                           .count = marey_clip_frames(p->of->made),
                                           .step = 1,
                                           .style = MAREY_PLOT_THICK,
                                           .colour = 5,
                                           .name = p->names[0] };
    panel->curves[1] = (marey_plot_curve){ .values = doubles(&panel->values[0]) + start,
                                           .count = leave - start + 1,
                                           .step = step_of(p, false),
                                           .name = p->names[1] };
    panel->curves[2] = (marey_plot_curve){ .values = doubles(&panel->values[0]) + leave,
                                           .count = first_frames - leave,
                                           .first = (leave - start) * step_of(p, false),
                                           .step = step_of(p, false),
                                           .style = MAREY_PLOT_DOTTED,
                                           .name = p->names[2] };
    panel->curves[3] = (marey_plot_curve){ .values = doubles(&panel->values[1]) + from,
                                           .count = last_frames - from,
                                           .first = come + (from - last->start) * step,
                                           .step = step,
                                           .style = MAREY_PLOT_DASHED,
                                           .colour = 2,
                                           .name = p->names[3] };
}

static marey_status fill_panel(plotting *p, int d, marey_error *error)
{
    panel_curves *panel = &p->panels[d];
    const marey_dof *dof = &p->dofs[d];
    char name[DOF_TEXT_ROOM];
    marey_status status = read_signal(p, clip_of(p, false), dof, &panel->values[0], error);
    if (status == MAREY_OK)
        status = read_signal(p, clip_of(p, true), dof, &panel->values[1], error);
    if (status == MAREY_OK) status = read_signal(p, p->of->made, dof, &panel->values[2], error);
    if (status != MAREY_OK) return status;
    dof_text(dof, name, sizeof name);
    snprintf(panel->title, sizeof panel->title, "%s (%s)", name,
             dof->channel < MAREY_CHANNEL_X_ROTATION ? "cm" : "degrees");
    turn_all(p, dof, panel);
    fill_curves(p, panel);
    return MAREY_OK;
}

static void fill_names(plotting *p)
{
    const marey_named *names = p->of->parts->names;
    const char *first = names[piece_of(p, false)->clip].name;
    const char *last = names[piece_of(p, true)->clip].name;
    snprintf(p->names[0], sizeof p->names[0], "stitched");
    snprintf(p->names[1], sizeof p->names[1], "%s", first);
    snprintf(p->names[2], sizeof p->names[2], "%s, abandoned", first);
    snprintf(p->names[3], sizeof p->names[3], "%s%s", last,
             strcmp(first, last) == 0 ? ", entered" : "");
}

/* ---- the whole ------------------------------------------------------------------------------------- */

static marey_status choose_dofs(plotting *p, marey_error *error)
{
    static const marey_role usual[USUAL] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_HIP,
                                             MAREY_ROLE_RIGHT_ELBOW };
    const marey_clip *clip = clip_of(p, false);
    for (int d = 0; d < p->of->dof_count; d++) p->dofs[d] = p->of->dofs[d];
    p->count = p->of->dof_count;
    for (int i = 0; i < USUAL && p->of->dof_count == 0; i++) {
        bool there;
        marey_status status = dof_bending(p->of->run, clip, 0, marey_clip_frames(clip), usual[i],
                                          &p->dofs[p->count], &there, error);
        if (status != MAREY_OK) return status;
        p->count += there;
    }
    if (p->count > 0) return MAREY_OK;
    return fail_graph(error, MAREY_ERR_REQUEST, marey_clip_name(clip),
                      "--dof is needed: none of this skeleton's joints is known as a knee");
}

static marey_status save(plotting *p, const char *path, marey_error *error)
{
    enum { MOST_MARKS = 64 };
    marey_plot_panel panels[MAREY_MOST_DOFS];
    double marks[MOST_MARKS];
    char title[2 * MAREY_NAME_ROOM + 64];
    marey_plot_def def = { .title = title, .axis = "frame of what was made", .marks = marks };
    snprintf(title, sizeof title, "from %s to %s", p->names[1],
             p->of->parts->names[piece_of(p, true)->clip].name);
    for (int i = 1; i < p->of->route->piece_count && i <= MOST_MARKS; i++)
        marks[def.mark_count++] = piece_at(p, i);
    for (int d = 0; d < p->count; d++) {
        panels[d] = (marey_plot_panel){ .title = p->panels[d].title,
                                        .curves = p->panels[d].curves,
                                        .curve_count = CURVES };
    }
    return marey_plot_save(p->of->run->ctx, panels, p->count, &def, path, error);
}

marey_status stitch_plot_save(const stitch_plot *of, const char *path, marey_error *error)
{
    size_t bytes = sizeof(plotting);
    plotting *p = session_resize(of->run, NULL, 0, bytes);
    if (!p) return fail_for_memory(error);
    *p = (plotting){ .of = of };
    marey_status status = choose_dofs(p, error);
    fill_names(p);
    for (int d = 0; d < p->count && status == MAREY_OK; d++) status = fill_panel(p, d, error);
    if (status == MAREY_OK) status = save(p, path, error);
    for (int d = 0; d < MAREY_MOST_DOFS; d++) {
        for (int i = 0; i < 3; i++) buffer_free(&p->panels[d].values[i]);
    }
    session_resize(of->run, p, bytes, 0);
    return status;
}
