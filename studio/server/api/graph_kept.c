/* graph_kept.c - see graph_kept.h. */
#include "graph_kept.h"

#include <math.h>
#include <string.h>

void graph_let_go(studio_worker *worker)
{
    app_cache_trim(&worker->saved);
}

/* What is kept of other requests makes way before this one fails for memory. */
marey_status graph_open(studio_worker *worker, const char *name, app_saved_graph **out,
                        marey_error *error)
{
    app_env env = { .ctx = worker->ctx, .library = worker->library, .cache = &worker->saved };
    if (strlen(name) >= MAREY_NAME_ROOM) {
        return app_fail(error, MAREY_ERR_NOT_FOUND, NULL, "no graph has so long a name");
    }
    app_cache_trim(&worker->saved); /* so that it has a place */
    marey_status status = app_graph_open(&env, name, out, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_forget_blend(worker);
    worker_make_room(worker);
    return app_graph_open(&env, name, out, error);
}

bool graph_open_query(studio_worker *worker, const studio_request *request, app_saved_graph **out,
                      studio_response *response)
{
    const char *name = asked_query(request, "name");
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name says which graph");
        return false;
    }
    if (graph_open(worker, name, out, &error) == MAREY_OK) return true;
    answer_fail(response, &error);
    return false;
}

marey_status graph_speeds(studio_worker *worker, app_saved_graph *saved, fastest *out,
                          marey_error *error)
{
    if (!saved->timed) {
        fastest all = { 0, NAN };
        for (int i = 0; i < saved->parts->count; i++) {
            fastest one;
            marey_status status =
                clip_speeds(&worker->of->memory, saved->parts->clips[i], &one, error);
            if (status != MAREY_OK) return status;
            all.joint_cm_per_s = fmax(all.joint_cm_per_s, one.joint_cm_per_s);
            all.knee_cm_per_s = fmax(all.knee_cm_per_s, one.knee_cm_per_s);
        }
        saved->joint_cm_per_s = all.joint_cm_per_s;
        saved->knee_cm_per_s = all.knee_cm_per_s;
        saved->timed = true;
    }
    *out = (fastest){ saved->joint_cm_per_s, saved->knee_cm_per_s };
    return MAREY_OK;
}

int graph_clip_frame(const marey_parts *parts, const marey_graph_node *node)
{
    return parts->parts[node->clip].start + (int)lround(node->frame);
}

int graph_clip_other(const marey_parts *parts, const marey_graph_node *node)
{
    return parts->parts[node->other].start + (int)lround(node->other_frame);
}
