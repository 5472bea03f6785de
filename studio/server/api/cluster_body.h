/* cluster_body.h - the bodies of cluster graphs: of what one is built, and what is made by way of it. Pure
   functions, each value checked. Read after example_body.h. */
#ifndef STUDIO_CLUSTER_BODY_H
#define STUDIO_CLUSTER_BODY_H

#include "example_body.h"

enum { CLUSTER_BODY_NODES = 64 };

typedef struct cluster_body {
    heap *memory;
    const char *name;
    int64_t *clips; /* or */
    int clip_count;
    const char *label;                   /* or */
    example_body example;                /* whose root is NULL: it was not given; otherwise all */
    const char *link_name, *metric_name; /* NULL: not given */
    marey_link link;
    const marey_metric *metric; /* NULL: the default */
    double threshold, fps;
    struct json_t *root; /* the texts are its own */
} cluster_body;

/* After OK cluster_body_free must follow; on failure *out is nothing to be freed. REQUEST, MEMORY; so for all. */
marey_status cluster_body_read(cluster_body *out, heap *memory, const uint8_t *data, size_t count,
                               marey_error *error);
void cluster_body_free(cluster_body *of);

typedef struct stitch_body {
    const char *cluster;
    int64_t a, b;                 /* 0: not given */
    int from, to, leave, enter;   /* frames of the clips; -1: not given */
    double within_s, switch_cost; /* 0: not given */
    int nodes[CLUSTER_BODY_NODES];
    int node_count;
    bool clean, rough;
    const char *name, *format; /* NULL: not given */
    struct json_t *root;
} stitch_body;

marey_status stitch_body_read(stitch_body *out, const uint8_t *data, size_t count,
                              marey_error *error);
void stitch_body_free(stitch_body *of);

typedef struct cluster_loop_body {
    const char *cluster;
    int64_t clip;
    int start, end; /* frames of the clip; -1: not given */
    double shortest_s, longest_s;
    bool in_place, clean;
    const char *name, *format;
    struct json_t *root;
} cluster_loop_body;

marey_status cluster_loop_body_read(cluster_loop_body *out, const uint8_t *data, size_t count,
                                    marey_error *error);
void cluster_loop_body_free(cluster_loop_body *of);

#endif
