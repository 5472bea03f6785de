/* graph_kept.h - a saved motion graph that a request is about. It stays open in the worker's cache, for the next requests
   about it. Read after clip_speed.h. */
#ifndef STUDIO_GRAPH_KEPT_H
#define STUDIO_GRAPH_KEPT_H

#include "clip_speed.h"
#include "motion_graphs.h"

/* Borrowed until graph_let_go, which must follow, also after a failure. INPUT: there is none, or one of its clips is gone. */
marey_status graph_open(studio_worker *worker, const char *name, app_saved_graph **out,
                        marey_error *error);

/* The same by `name` of the query; false: the answer says why not. graph_let_go must follow either way. */
bool graph_open_query(studio_worker *worker, const studio_request *request, app_saved_graph **out,
                      studio_response *response);

/* What is too large to be kept goes. */
void graph_let_go(studio_worker *worker);

#endif
