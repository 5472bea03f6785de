/* graph_kept.c - opening graphs. Somebody who drags a path asks for walk after walk through the same graph: opening it, with
   its clips, is done once, and again when the library has changed. */
#include "graph_kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void forget_open(struct graph_kept *of)
{
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
    of->graph = NULL;
    of->parts = NULL;
    of->measured = of->timed = false;
}

void worker_forget_graph(studio_worker *worker)
{
    if (!worker->graph) return;
    forget_open(worker->graph);
    heap_resize(&worker->of->memory, worker->graph, sizeof *worker->graph, 0);
    worker->graph = NULL;
}

void graph_let_go(studio_worker *worker)
{
    const struct graph_kept *there = worker->graph;
    if (there && there->graph && marey_graph_nodes(there->graph) > LIMIT_KEPT_NODES)
        worker_forget_graph(worker);
}

static struct graph_kept *take_place(studio_worker *worker)
{
    if (!worker->graph) {
        worker->graph = heap_resize(&worker->of->memory, NULL, 0, sizeof *worker->graph);
        if (worker->graph) memset(worker->graph, 0, sizeof *worker->graph);
    }
    return worker->graph;
}

static marey_status open_anew(studio_worker *worker, const char *name, int64_t version,
                              marey_error *error)
{
    struct graph_kept *of = take_place(worker);
    if (!of) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    forget_open(of);
    snprintf(of->name, sizeof of->name, "%s", name);
    of->version = version;
    return marey_library_graph(worker->library, of->name, &of->parts, &of->graph, error);
}

/* What is kept of other requests makes way before this one fails for memory. */
marey_status graph_open(studio_worker *worker, const char *name, struct graph_kept **out,
                        marey_error *error)
{
    const struct graph_kept *there = worker->graph;
    int64_t version = 0;
    marey_status status = marey_library_version(worker->library, &version, error);
    if (status != MAREY_OK) return status;
    if (strlen(name) >= sizeof there->name) {
        *error = (marey_error){ .status = MAREY_ERR_NOT_FOUND,
                                .message = "no graph has so long a name" };
        return MAREY_ERR_INPUT;
    }
    if (!there || !there->graph || there->version != version || strcmp(there->name, name) != 0) {
        status = open_anew(worker, name, version, error);
        if (status == MAREY_ERR_MEMORY) {
            worker_forget_blend(worker);
            worker_make_room(worker);
            status = open_anew(worker, name, version, error);
        }
    }
    if (status == MAREY_OK) *out = worker->graph;
    return status;
}

bool graph_open_query(studio_worker *worker, const studio_request *request, struct graph_kept **out,
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

marey_status graph_speeds(studio_worker *worker, struct graph_kept *of, fastest *out,
                          marey_error *error)
{
    if (!of->timed) {
        fastest all = { 0, NAN };
        for (int i = 0; i < of->parts->count; i++) {
            fastest one;
            marey_status status =
                clip_speeds(&worker->of->memory, of->parts->clips[i], &one, error);
            if (status != MAREY_OK) return status;
            all.joint_cm_per_s = fmax(all.joint_cm_per_s, one.joint_cm_per_s);
            all.knee_cm_per_s = fmax(all.knee_cm_per_s, one.knee_cm_per_s);
        }
        of->speeds = all;
        of->timed = true;
    }
    *out = of->speeds;
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
