/* graph_building.h - a motion graph on its way from a body into the library. Read after graph_kept.h and graph_body.h. */
#ifndef STUDIO_GRAPH_BUILDING_H
#define STUDIO_GRAPH_BUILDING_H

#include "graph_body.h"
#include "graph_kept.h"

typedef struct graph_building {
    studio_worker *by;
    const graph_body *body;
    marey_listing
        *listing; /* of the library when it was begun; behaviours have their labels from it */
    studio_bytes chosen; /* numbers of clips */
    int left_out;        /* clips with other joints than the first */
    marey_parts *parts;
    studio_bytes behaviours;
    marey_metric_def metric;
    marey_graph_def def;
    marey_graph *graph;
    marey_graph_stats stats;
    double seconds;
} graph_building;

graph_building graph_building_begin(studio_worker *worker, const graph_body *body);
void graph_building_free(graph_building *all);

/* Which clips, what is done in them, and the definition. INPUT, REQUEST, SHAPE, LIMIT, MEMORY, CANCELLED. */
marey_status graph_building_prepare(graph_building *all, marey_error *error);

/* Builds and measures it. */
marey_status graph_building_run(graph_building *all, marey_error *error);

/* Puts it into the library, in place of one of that name. */
marey_status graph_building_keep(const graph_building *all, marey_error *error);

double graph_seconds_now(void);

#endif
