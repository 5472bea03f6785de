/* api_cluster_loop.c - a clip that goes on for ever, by a node that it comes back to. What `marey cluster loop` does, with the
   same provenance. */
#include "cluster_body.h"
#include "cluster_kept.h"
#include "made_export.h"

#include <stdio.h>

typedef struct looping {
    studio_worker *by;
    const cluster_loop_body *body;
    struct cluster_kept *of;
    int part;
    marey_loop loop; /* its frames */
} looping;

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* One that was told before is found again among all of them: what it costs is known by the graph alone. */
static marey_status choose(looping *all, marey_error *error)
{
    const cluster_loop_body *body = all->body;
    marey_loop loops[CLUSTER_LOOPS];
    marey_cluster_loops_def def = { body->shortest_s, body->longest_s };
    int found = 0;
    bool given = body->start >= 0;
    marey_status status =
        cluster_find_loops(all->by, all->of, body->clip, body->start, &def,
                           given ? CLUSTER_LOOPS : 1, loops, &found, &all->part, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < found; i++) {
        int start = cluster_frame(all->of->parts, all->part, loops[i].start);
        int end = cluster_frame(all->of->parts, all->part, loops[i].end);
        if (given && (start != body->start || end != body->end)) continue;
        all->loop = loops[i];
        return MAREY_OK;
    }
    return fail(error, given ? MAREY_ERR_REQUEST : MAREY_ERR_INPUT,
                given ? "start and end are none of the loops of this clip"
                      : "the clip comes back to no node, so it has no loop there");
}

static void note(const looping *all, made_of *from)
{
    const cluster_loop_body *body = all->body;
    const marey_parts *parts = all->of->parts;
    int part = all->part;
    char number[NUMBER_ROOM];
    made_of_part(from, cluster_clip(parts, part), cluster_frame(parts, part, all->loop.start),
                 cluster_frame(parts, part, all->loop.end));
    if (body->shortest_s > 0) {
        number_text(body->shortest_s, number);
        made_of_text(from, "shortest", number);
    }
    if (body->longest_s > 0) {
        number_text(body->longest_s, number);
        made_of_text(from, "longest", number);
    }
    if (body->in_place) made_of_true(from, "in-place");
    if (!body->clean) made_of_true(from, "leave-feet");
}

static marey_status make(looping *all, made_answer *out, marey_error *error)
{
    marey_status status = cluster_open(all->by, all->body->cluster, &all->of, error);
    if (status == MAREY_OK) status = choose(all, error);
    if (status != MAREY_OK) return status;
    const marey_parts *parts = all->of->parts;
    int part = all->part;
    marey_metric_def metric = *marey_clusters_settings(all->of->clusters)->metric;
    metric.fps = 0; /* the clip's own */
    marey_loop_def def = { .metric = &metric,
                           .in_place = all->body->in_place,
                           .leave_feet = !all->body->clean };
    status = marey_loop_make(all->by->ctx, parts->clips[part], &parts->contacts[part], &def,
                             &all->loop, &out->made, error);
    if (status != MAREY_OK) return status;
    out->cleaned = all->body->clean;
    out->in_place = all->body->in_place;
    out->end = marey_clip_frames(out->made.clip);
    note(all, &out->from);
    return MAREY_OK;
}

static marey_status make_by_body(studio_worker *worker, const uint8_t *data, size_t count,
                                 made_answer *out, marey_error *error)
{
    cluster_loop_body body;
    marey_status status = cluster_loop_body_read(&body, data, count, error);
    if (status != MAREY_OK) return status;
    looping all = { .by = worker, .body = &body };
    status = make(&all, out, error);
    cluster_loop_body_free(&body);
    return status;
}

static marey_status describe(looping *all, made_answer *out, json_t **value, marey_error *error)
{
    const marey_parts *parts = all->of->parts;
    const marey_loop *of = &all->loop;
    marey_status status =
        clip_speeds(&all->by->of->memory, parts->clips[all->part], &out->inputs, error);
    if (status == MAREY_OK) status = made_answer_describe(out, value, error);
    if (status != MAREY_OK) return status;
    describe_put(value, "clip", json_integer(cluster_clip(parts, all->part)));
    describe_put(value, "start", json_integer(cluster_frame(parts, all->part, of->start)));
    describe_put(value, "end", json_integer(cluster_frame(parts, all->part, of->end)));
    describe_put(value, "cost", describe_number(of->cost));
    describe_put(value, "seam_ratio", describe_number(of->seam_ratio));
    return MAREY_OK;
}

static void answer_loop(studio_worker *worker, const cluster_loop_body *body,
                        studio_response *response)
{
    made_answer out = made_answer_begin(worker, "cluster loop");
    looping all = { .by = worker, .body = body };
    json_t *value = NULL;
    marey_error error;
    marey_status status = make(&all, &out, &error);
    if (status == MAREY_OK) status = describe(&all, &out, &value, &error);
    if (status == MAREY_OK)
        made_answer_send(&out, value, body->name, response);
    else
        answer_fail(response, &error);
    cluster_let_go(worker);
    made_answer_free(&out);
}

void api_cluster_loop(studio_worker *worker, studio_request *request, studio_response *response)
{
    cluster_loop_body body;
    marey_error error;
    if (cluster_loop_body_read(&body, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (body.format)
        made_export_start(worker, make_by_body, "cluster loop", body.cluster, body.format, request,
                          response);
    else
        answer_loop(worker, &body, response);
    cluster_loop_body_free(&body);
}
