/* cluster_building.h - a cluster graph on its way from a body into the library. Read after cluster_kept.h and
   cluster_body.h. */
#ifndef STUDIO_CLUSTER_BUILDING_H
#define STUDIO_CLUSTER_BUILDING_H

#include "cluster_body.h"
#include "cluster_kept.h"

typedef struct cluster_building {
    studio_worker *by;
    const cluster_body *body;
    marey_listing *listing; /* of the library when it was begun */
    studio_bytes chosen;    /* numbers of clips */
    int left_out;           /* clips with other joints than the first */
    marey_parts *parts;
    marey_metric_def metric;
    marey_clusters *clusters;
    double seconds;
} cluster_building;

cluster_building cluster_building_begin(studio_worker *worker, const cluster_body *body);
void cluster_building_free(cluster_building *all);

/* Which clips. INPUT, REQUEST, SHAPE, LIMIT, MEMORY, CANCELLED. */
marey_status cluster_building_prepare(cluster_building *all, marey_error *error);
marey_status cluster_building_run(cluster_building *all, marey_error *error);

/* Puts it into the library, in place of one of that name. */
marey_status cluster_building_keep(const cluster_building *all, marey_error *error);

#endif
