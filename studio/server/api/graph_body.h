/* graph_body.h - the bodies of motion graphs: what one is built of, how it is trained, and what walk is wanted. As
   json_families.h: pure functions, each value checked. Read after json_body.h. */
#ifndef STUDIO_GRAPH_BODY_H
#define STUDIO_GRAPH_BODY_H

#include "json_body.h"

enum {
    GRAPH_BODY_THRESHOLDS = 64,
    GRAPH_BODY_SPEEDS = 8,
    GRAPH_BODY_POINTS = 1024,
    GRAPH_BODY_LABELS = JSON_BODY_LABELS
};

typedef struct graph_body {
    heap *memory;
    const char *name; /* NULL in a sweep */
    int64_t *clips;   /* or */
    int clip_count;
    const char *label;                   /* or NULL: all */
    const char *kind_name, *metric_name; /* NULL: not given */
    marey_graph_kind kind;
    const marey_metric *metric; /* NULL: the default */
    double threshold, fps, mu, smoothness;
    bool smooth, unreduced;
    double weights[MAREY_GRAPH_MOST_WEIGHTS];
    int weight_count;
    double thresholds[GRAPH_BODY_THRESHOLDS]; /* of a sweep */
    int threshold_count;
    bool quick;
    struct json_t *root; /* the texts are its own */
} graph_body;

/* After OK graph_body_free must follow; on failure *out is nothing to be freed. REQUEST, MEMORY; so for all. */
marey_status graph_body_read(graph_body *out, heap *memory, bool sweep, const uint8_t *data,
                             size_t count, marey_error *error);
void graph_body_free(graph_body *of);

typedef struct train_body {
    const char *graph;
    int directions;
    double speeds[GRAPH_BODY_SPEEDS];
    int speed_count;
    double discount, poor;
    struct json_t *root;
} train_body;

marey_status train_body_read(train_body *out, const uint8_t *data, size_t count,
                             marey_error *error);
void train_body_free(train_body *of);

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

marey_status walk_body_read(walk_body *out, const uint8_t *data, size_t count, marey_error *error);
void walk_body_free(walk_body *of);

#endif
