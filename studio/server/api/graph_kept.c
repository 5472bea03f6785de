/* graph_kept.c - see graph_kept.h. */
#include "graph_kept.h"

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
