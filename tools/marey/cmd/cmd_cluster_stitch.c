/* cmd_cluster_stitch.c - `marey cluster stitch`: from one clip to another by way of the nodes that have both, or through others,
   at the time that is asked for (clusters, 3.3). */
#include "clusters_open.h"
#include "commands.h"
#include "graph_open.h"
#include "grid_picture_of.h"
#include "param_family.h"
#include "played_clip.h"
#include "stitch_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 256 };

typedef struct stitching {
    session *run;
    const request *asked;
    kept_clusters of;
    marey_listing *listing;
    clip_place places[2];
    marey_route_def def;
    int nodes[MOST_NODES];
    marey_route route;
    int *passed; /* the nodes of its switches */
    marey_dof dofs[MAREY_MOST_DOFS];
    int dof_count;
    played_clip play;
} stitching;

/* ---- options --------------------------------------------------------------------------------------- */

/* "3,7,9", in any order. */
static int read_nodes(stitching *all)
{
    const char *text = all->asked->values[OPTION_NODES], *at = text;
    if (!text) return PROGRAM_DONE;
    while (all->def.node_count < MOST_NODES && *at >= '0' && *at <= '9') {
        char *end = NULL;
        long value = strtol(at, &end, 10);
        if (value > INT32_MAX) break;
        all->nodes[all->def.node_count++] = (int)value;
        at = end;
        if (*at != ',') break;
        at++;
    }
    all->def.nodes = all->nodes;
    if (all->def.node_count > 0 && *at == 0 && at[-1] != ',') return PROGRAM_DONE;
    return session_usage(all->run,
                         "--nodes takes up to %d numbers of nodes with commas between them, as in "
                         "3,7,9, not \"%s\"",
                         (int)MOST_NODES, text);
}

static int read_options(stitching *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    const char *plot = asked->values[OPTION_PLOT];
    int status = read_nodes(all);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_WITHIN, 1e-6, 1e6, &all->def.within_s);
    if (status == PROGRAM_DONE) status = options_dofs(run, asked, NULL, all->dofs, &all->dof_count);
    if (status != PROGRAM_DONE) return status;
    if (!request_has(asked, OPTION_OUTPUT))
        return session_usage(run, "-o OUT is needed: a file, or LIB.marey:NAME");
    if (plot && !is_picture(plot))
        return session_usage(run, "--plot takes a name that ends in .png, .svg or .pdf");
    if (request_has(asked, OPTION_DOF) && !plot)
        return session_usage(run, "--dof is for --plot FILE");
    return PROGRAM_DONE;
}

/* ---- from where to where ----------------------------------------------------------------------------- */

/* "120" or "1.5s" of a clip, as the library counts. */
static marey_status read_frame(const stitching *all, option_key key, const char *name, int part,
                               int *out, marey_error *error)
{
    const marey_parts *parts = all->of.parts;
    frame_range range;
    int end;
    if (!range_parse(all->asked->values[key], &range) || !range.one_frame) {
        return fail_graph(error, MAREY_ERR_REQUEST, name,
                          "expected one frame, as in 120 or 1.5s, not \"%.100s\"",
                          all->asked->values[key]);
    }
    return range_find_among(&range, INT32_MAX, marey_clip_fps(parts->clips[part]), 0, out, &end,
                            error);
}

/* One end of the route: where it is left or entered, as the library counts; -1: anywhere. */
static marey_status find_end(stitching *all, int side, int *part, int *pass, marey_error *error)
{
    static const option_key keys[] = { OPTION_LEAVE, OPTION_ENTER };
    static const char *const names[] = { "--leave", "--enter" };
    clip_place *place = &all->places[side];
    *pass = side == 0 ? place->end : place->at.range.one_frame ? -1 : place->start;
    marey_status status = clusters_part(&all->of, place->at.path, -1, part, error);
    if (status == MAREY_OK && request_has(all->asked, keys[side]))
        status = read_frame(all, keys[side], names[side], *part, pass, error);
    if (status != MAREY_OK) return status;
    int known = side == 0 ? place->start : place->end - 1;
    if (side == 1 && place->at.range.given && place->at.range.one_frame) known = place->start;
    if (known < 0) known = *pass;
    return clusters_part(&all->of, place->at.path, known, part, error);
}

static marey_status find_ends(stitching *all, marey_error *error)
{
    marey_route_def *def = &all->def;
    const marey_part *parts = all->of.parts->parts;
    clip_place *a = &all->places[0], *b = &all->places[1];
    int leave = -1, enter = -1;
    marey_status status = clusters_place(&all->of, all->asked->operands[2], a, error);
    if (status == MAREY_OK) status = clusters_place(&all->of, all->asked->operands[3], b, error);
    if (status == MAREY_OK) status = find_end(all, 0, &def->from_clip, &leave, error);
    if (status == MAREY_OK) status = find_end(all, 1, &def->to_clip, &enter, error);
    if (status != MAREY_OK) return status;
    int first = parts[def->from_clip].start, second = parts[def->to_clip].start;
    def->from_first = first;
    def->to_first = second;
    def->from_given = a->start >= 0;
    def->from = a->start - first;
    def->to_given = b->start >= 0;
    def->to = (b->at.range.one_frame ? b->start : b->end - 1) - second;
    def->leave_given = leave >= 0;
    def->leave = leave - first;
    def->enter_given = enter >= 0;
    def->enter = enter - second;
    return MAREY_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static int node_of(const stitching *all, const marey_cluster_switch *one)
{
    int count;
    return marey_clusters_sequences(all->of.graph, &count)[one->from_sequence].node;
}

static int clip_of(const stitching *all, int sequence)
{
    int count;
    return marey_clusters_sequences(all->of.graph, &count)[sequence].clip;
}

static void write_switches(const stitching *all, json *to)
{
    const marey_parts *parts = all->of.parts;
    json_open(to, "switches", '[');
    for (int i = 0; i < all->route.switch_count; i++) {
        const marey_cluster_switch *one = &all->route.switches[i];
        int a = clip_of(all, one->from_sequence), b = clip_of(all, one->to_sequence);
        json_open(to, NULL, '{');
        json_put_integer(to, "node", node_of(all, one));
        json_put_string(to, "from_clip", parts->names[a].name);
        json_put_integer(to, "from", clusters_frame(parts, a, one->from));
        json_put_string(to, "to_clip", parts->names[b].name);
        json_put_integer(to, "to", clusters_frame(parts, b, one->to));
        json_put_number(to, "cost", one->cost);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static marey_status write_json(const stitching *all, json *to, marey_error *error)
{
    const kept_clusters *of = &all->of;
    json_open(to, NULL, '{');
    json_put_string(to, "name", of->name);
    json_put_boolean(to, "direct", all->route.direct);
    json_put_number(to, "cost", all->route.cost);
    write_switches(all, to);
    json_open(to, "nodes", '[');
    for (int i = 0; i < all->route.switch_count; i++) {
        bool seen = false;
        for (int j = 0; j < i && !seen; j++) seen = all->passed[j] == all->passed[i];
        if (!seen) json_cluster_node(to, of->graph, of->parts, all->passed[i]);
    }
    json_close(to, ']');
    marey_status status = json_all_tuples(all->run, to, of->graph, of->parts, all->passed,
                                          all->route.switch_count, 0, error);
    if (request_has(all->asked, OPTION_PLOT))
        json_put_string(to, "plot", all->asked->values[OPTION_PLOT]);
    played_clip_json(&all->play, to);
    return status;
}

static void write_text(const stitching *all, buffer *out)
{
    const marey_parts *parts = all->of.parts;
    for (int i = 0; i < all->route.switch_count; i++) {
        const marey_cluster_switch *one = &all->route.switches[i];
        int a = clip_of(all, one->from_sequence), b = clip_of(all, one->to_sequence);
        buffer_print(out, "  node %-5d", node_of(all, one));
        buffer_shown(out, parts->names[a].name);
        buffer_print(out, "#%d goes on as ", clusters_frame(parts, a, one->from));
        buffer_shown(out, parts->names[b].name);
        buffer_print(out, "#%d, cost ", clusters_frame(parts, b, one->to) + 1);
        buffer_switch_cost(out, one->cost);
        buffer_byte(out, '\n');
    }
    played_clip_text(&all->play, out);
    if (!request_has(all->asked, OPTION_PLOT)) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, all->asked->values[OPTION_PLOT]);
    buffer_byte(out, '\n');
}

/* ---- the command ------------------------------------------------------------------------------------- */

static marey_status find_passed(stitching *all, marey_error *error)
{
    size_t bytes = ((size_t)all->route.switch_count + 1) * sizeof *all->passed;
    all->passed = session_resize(all->run, NULL, 0, bytes);
    if (!all->passed) return fail_for_memory(error);
    for (int i = 0; i < all->route.switch_count; i++)
        all->passed[i] = node_of(all, &all->route.switches[i]);
    return MAREY_OK;
}

static marey_status draw(stitching *all, marey_error *error)
{
    const char *path = all->asked->values[OPTION_PLOT];
    stitch_plot plot = { .run = all->run,
                         .parts = all->of.parts,
                         .route = &all->route,
                         .made = all->play.made.clip,
                         .dofs = all->dofs,
                         .dof_count = all->dof_count };
    return path ? stitch_plot_save(&plot, path, error) : MAREY_OK;
}

static marey_status stitch(stitching *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    marey_status status = marey_library_list(all->of.at.library, NULL, &all->listing, error);
    if (status == MAREY_OK) status = find_ends(all, error);
    if (status == MAREY_OK) {
        status = marey_clusters_route(all->run->ctx, all->of.graph, &all->def, &all->route, error);
        if (status != MAREY_OK && !*error->path)
            snprintf(error->path, sizeof error->path, "%.400s", all->asked->operands[2]);
    }
    if (status == MAREY_OK) status = find_passed(all, error);
    if (status != MAREY_OK) return status;
    all->play.out.made_of.graph = all->of.name;
    status = played_clip_make(&all->play, all->of.parts, all->listing, all->of.at.path,
                              all->route.pieces, all->route.piece_count, error);
    if (status == MAREY_OK) status = draw(all, error);
    if (status != MAREY_OK) return status;
    if (all->run->json) return write_json(all, &to, error);
    if (!all->run->quiet) write_text(all, &all->run->out);
    return MAREY_OK;
}

static int run_all(stitching *all)
{
    marey_error error;
    if (kept_clusters_open(all->run, all->asked, &all->of, &error) != MAREY_OK)
        return session_fail(all->run, &error);
    marey_status status = stitch(all, &error);
    size_t bytes = ((size_t)all->route.switch_count + 1) * sizeof *all->passed;
    if (all->passed) session_resize(all->run, all->passed, bytes, 0);
    marey_listing_free(all->listing);
    marey_route_free(&all->route);
    if (status != MAREY_OK) return kept_clusters_end(&all->of, status, &error);
    kept_clusters_close(&all->of);
    return played_clip_save(&all->play);
}

int command_cluster_stitch(session *run, const request *asked)
{
    stitching all = { .run = run, .asked = asked };
    int status = read_options(&all);
    if (status != PROGRAM_DONE) return status;
    status = played_clip_open(&all.play, run, asked);
    if (status == PROGRAM_DONE) status = run_all(&all);
    played_clip_close(&all.play);
    return status;
}
