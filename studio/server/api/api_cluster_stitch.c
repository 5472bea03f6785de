/* api_cluster_stitch.c - from clip to clip by way of a cluster graph's nodes, or along nodes that somebody clicked on. What
   `marey cluster stitch` does, with the same provenance. */
#include "cluster_along.h"
#include "cluster_body.h"
#include "made_export.h"
#include "made_pieces.h"

#include <stdio.h>
#include <string.h>

typedef struct stitching {
    studio_worker *by;
    const stitch_body *body;
    struct cluster_kept *of;
    marey_route_def def;
    marey_route route;   /* from clip to clip, or */
    cluster_along along; /* along nodes */
    const marey_cluster_switch *switches;
    int switch_count;
    double cost;
    made_pieces row;
} stitching;

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* ---- from clip to clip -------------------------------------------------------------------------- */

/* The stretch that has the first of the frames that were given, otherwise the longest. */
static marey_status find_part(const stitching *all, int64_t clip, int frame, int other, int *part,
                              marey_error *error)
{
    const marey_parts *parts = all->of->parts;
    if (frame < 0) frame = other;
    if (cluster_part(parts, clip, -1) < 0)
        return fail(error, MAREY_ERR_REQUEST, "the cluster graph is not made of this clip");
    *part = cluster_part(parts, clip, frame);
    if (*part >= 0) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->message, sizeof error->message,
             "frame %d is not in the clip, or no captured motion", frame);
    return MAREY_ERR_REQUEST;
}

static marey_status define_clips(stitching *all, marey_error *error)
{
    const stitch_body *body = all->body;
    const marey_parts *parts = all->of->parts;
    marey_route_def *def = &all->def;
    marey_status status = find_part(all, body->a, body->from, body->leave, &def->from_clip, error);
    if (status == MAREY_OK)
        status = find_part(all, body->b, body->to, body->enter, &def->to_clip, error);
    if (status != MAREY_OK) return status;
    int a = parts->parts[def->from_clip].start, b = parts->parts[def->to_clip].start;
    def->from_first = a;
    def->to_first = b;
    def->from_given = body->from >= 0;
    def->to_given = body->to >= 0;
    def->leave_given = body->leave >= 0;
    def->enter_given = body->enter >= 0;
    if (def->from_given) def->from = body->from - a;
    if (def->leave_given) def->leave = body->leave - a;
    if (def->to_given) def->to = body->to - b;
    if (def->enter_given) def->enter = body->enter - b;
    return MAREY_OK;
}

/* ---- made --------------------------------------------------------------------------------------- */

static marey_status find_along(stitching *all, marey_error *error)
{
    const stitch_body *body = all->body;
    cluster_along *along = &all->along;
    marey_status status = cluster_along_find(all->by, all->of->clusters, body->nodes,
                                             body->node_count, body->switch_cost, along, error);
    all->switches = (const marey_cluster_switch *)(const void *)along->switches.data;
    all->switch_count = (int)(along->switches.count / sizeof *all->switches);
    all->cost = along->cost;
    all->row.pieces = (const marey_piece *)(const void *)along->pieces.data;
    all->row.count = (int)(along->pieces.count / sizeof *all->row.pieces);
    return status;
}

static marey_status find_route(stitching *all, marey_error *error)
{
    const stitch_body *body = all->body;
    if (body->a == 0) return find_along(all, error);
    all->def = (marey_route_def){ .within_s = body->within_s,
                                  .nodes = body->node_count > 0 ? body->nodes : NULL,
                                  .node_count = body->node_count,
                                  .switch_cost = body->switch_cost };
    marey_status status = define_clips(all, error);
    if (status == MAREY_OK) {
        status =
            marey_clusters_route(all->by->ctx, all->of->clusters, &all->def, &all->route, error);
    }
    all->switches = all->route.switches;
    all->switch_count = all->route.switch_count;
    all->cost = all->route.cost;
    all->row.pieces = all->route.pieces;
    all->row.count = all->route.piece_count;
    return status;
}

static void note_frame(made_of *from, const char *option, int frame)
{
    if (frame >= 0) made_of_whole(from, option, frame);
}

static void note(const stitching *all, made_of *from)
{
    const stitch_body *body = all->body;
    char number[NUMBER_ROOM];
    from->graph = all->of->name;
    note_frame(from, "from", body->from);
    note_frame(from, "to", body->to);
    note_frame(from, "leave", body->leave);
    note_frame(from, "enter", body->enter);
    if (body->within_s > 0) {
        number_text(body->within_s < 1e-6 ? 0 : body->within_s, number);
        made_of_text(from, "within", number);
    }
    if (body->node_count > 0) {
        char text[12 * CLUSTER_BODY_NODES] = "";
        size_t used = 0;
        for (int i = 0; i < body->node_count; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ",%d" : "%d",
                                     body->nodes[i]);
        }
        made_of_text(from, "nodes", text);
    }
    if (body->switch_cost > 0) {
        number_text(body->switch_cost, number);
        made_of_text(from, "switch-cost", number);
    }
    if (body->rough) made_of_true(from, "rough");
    if (!body->clean) made_of_true(from, "leave-feet");
}

static marey_status make(stitching *all, made_answer *out, marey_error *error)
{
    marey_status status = cluster_open(all->by, all->body->cluster, &all->of, error);
    if (status == MAREY_OK) status = find_route(all, error);
    if (status != MAREY_OK) return status;
    all->row.by = all->by;
    all->row.parts = all->of->parts;
    all->row.clean = all->body->clean;
    all->row.rough = all->body->rough;
    status = made_pieces_make(&all->row, out, error);
    if (status == MAREY_OK) note(all, &out->from);
    return status;
}

static void free_route(stitching *all)
{
    cluster_along_free(&all->along);
    marey_route_free(&all->route);
}

static marey_status make_by_body(studio_worker *worker, const uint8_t *data, size_t count,
                                 made_answer *out, marey_error *error)
{
    stitch_body body;
    marey_status status = stitch_body_read(&body, data, count, error);
    if (status != MAREY_OK) return status;
    stitching all = { .by = worker, .body = &body };
    status = make(&all, out, error);
    free_route(&all);
    stitch_body_free(&body);
    return status;
}

/* ---- told --------------------------------------------------------------------------------------- */

static void put_route(const stitching *all, double fps, json_t **to)
{
    const marey_parts *parts = all->of->parts;
    const marey_piece *pieces = all->row.pieces;
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(all->of->clusters, &count);
    json_t *list = json_array();
    for (int i = 0; i < all->switch_count; i++) {
        const marey_cluster_switch *of = &all->switches[i];
        json_t *one = describe_switch(parts, all->of->clusters, of);
        describe_put(&one, "node", json_integer(sequences[of->from_sequence].node));
        describe_put(&one, "at", json_integer(made_pieces_at(&all->row, i + 1, fps)));
        describe_append(&list, one);
    }
    describe_put(to, "switches", list);
    describe_put(to, "cost", describe_number(all->cost));
    describe_put(to, "direct", json_boolean(all->switch_count == 1));
    describe_put(to, "a", json_integer(cluster_clip(parts, pieces[0].clip)));
    describe_put(to, "b", json_integer(cluster_clip(parts, pieces[all->row.count - 1].clip)));
}

static void answer_stitch(studio_worker *worker, const stitch_body *body, studio_response *response)
{
    made_answer out = made_answer_begin(worker, "cluster stitch");
    stitching all = { .by = worker, .body = body };
    json_t *value = NULL;
    marey_error error;
    marey_status status = make(&all, &out, &error);
    if (status == MAREY_OK) status = made_pieces_describe(&all.row, &out, &value, &error);
    if (status == MAREY_OK) {
        put_route(&all, marey_clip_fps(out.made.clip), &value);
        made_answer_send(&out, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    free_route(&all);
    cluster_let_go(worker);
    made_answer_free(&out);
}

void api_cluster_stitch(studio_worker *worker, studio_request *request, studio_response *response)
{
    stitch_body body;
    marey_error error;
    if (stitch_body_read(&body, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (body.format)
        made_export_start(worker, make_by_body, "cluster stitch", body.cluster, body.format,
                          request, response);
    else
        answer_stitch(worker, &body, response);
    stitch_body_free(&body);
}
