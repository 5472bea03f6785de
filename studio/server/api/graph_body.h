/* graph_body.h - the body of a walk through a motion graph. As json_families.h: pure functions, each value checked. Read after json_body.h. */
#ifndef STUDIO_GRAPH_BODY_H
#define STUDIO_GRAPH_BODY_H

#include "json_body.h"

enum { GRAPH_BODY_POINTS = 1024, GRAPH_BODY_LABELS = JSON_BODY_LABELS };

typedef struct walk_body {
    const char *graph;
    double path[2 * GRAPH_BODY_POINTS];
    int point_count; /* 0: no path */
    int effort;
    double length_s; /* 0: not given */
    int seed;
    const char *through[GRAPH_BODY_LABELS], *styles[GRAPH_BODY_LABELS];
    int through_count, style_count;
    int from, to; /* nodes; -1: not given */
    int over[2];  /* likewise */
    double around_s;
    bool clean, rough;
    const char *name; /* NULL: not given */
    struct json_t *root;
} walk_body;

/* After OK walk_body_free must follow; on failure *out is nothing to be freed. REQUEST, MEMORY. */
marey_status walk_body_read(walk_body *out, const uint8_t *data, size_t count, marey_error *error);
void walk_body_free(walk_body *of);

#endif
