/* graph_kept.h - the motion graph that somebody looks at or walks through just now, open with its clips: what the next
   requests about it need again. Each worker keeps one. Read after blend_kept.h. */
#ifndef STUDIO_GRAPH_KEPT_H
#define STUDIO_GRAPH_KEPT_H

#include "blend_kept.h"

struct graph_kept {
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library: clips, plants and graphs may be others in the next */
    marey_parts *parts;
    marey_graph *graph; /* NULL: nothing is kept */
    bool measured, timed;
    marey_graph_stats stats; /* if measured */
    fastest speeds;          /* of its clips, if timed */
};

/* Opens the graph of this name, unless it is open. Borrowed until the worker's next such call; graph_let_go must follow, also
   after a failure. INPUT: there is none, or one of its clips is gone. */
marey_status graph_open(studio_worker *worker, const char *name, struct graph_kept **out,
                        marey_error *error);

/* The same by `name` of the query; false: the answer says why not. graph_let_go must follow either way. */
bool graph_open_query(studio_worker *worker, const studio_request *request, struct graph_kept **out,
                      studio_response *response);

/* What is too large to be kept goes. */
void graph_let_go(studio_worker *worker);

/* The fastest that joints of its clips move. */
marey_status graph_speeds(studio_worker *worker, struct graph_kept *of, fastest *out,
                          marey_error *error);

/* A frame of its clip, of the node and of the one it is interpolated with. */
int graph_clip_frame(const marey_parts *parts, const marey_graph_node *node);
int graph_clip_other(const marey_parts *parts, const marey_graph_node *node);

/* ---- in words ----------------------------------------------------------------------------------- */

json_t *describe_stats(const marey_graph_stats *of);

/* A number that may not be there. */
json_t *describe_numbers(const double *values, int count);
json_t *describe_graph_labels(heap *memory, const marey_graph *graph);

/* One graph as GET /api/graph gives it, without its policy. stats NULL: they are not known. */
json_t *describe_graph(heap *memory, const char *name, const marey_graph *graph,
                       const marey_parts *parts, const marey_graph_stats *stats);

#endif
