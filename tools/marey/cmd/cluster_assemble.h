/* cluster_assemble.h - building cluster graphs of a library's clips, and keeping them. Read after clusters_open.h and
   graph_open.h; build and demo use it. */
#ifndef MAREY_TOOL_CLUSTER_ASSEMBLE_H
#define MAREY_TOOL_CLUSTER_ASSEMBLE_H

#include "clusters_open.h"
#include "graph_open.h"

typedef struct assembled_clusters {
    session *run;
    marey_library *library; /* borrowed */
    marey_clusters_def def; /* set it before assembling */
    marey_listing *listing;
    int left_out; /* clips with other joints than the first */
    marey_parts *parts;
    marey_clusters *graph;
    double seconds; /* that building took */
} assembled_clusters;

/* After it, whatever it returned, assembled_clusters_free must follow. `def` stays as it is. */
marey_status clusters_start(assembled_clusters *of, session *run, marey_library *library,
                            marey_error *error);
void assembled_clusters_free(assembled_clusters *of);

/* The clips: named ones, those with a label (not NULL), or all; opens their parts. */
marey_status clusters_choose(assembled_clusters *of, char **names, int count, const char *label,
                             marey_error *error);
marey_status clusters_assemble(assembled_clusters *of, marey_error *error);

/* What is known of a kept one without opening it, for graph_about_number and graph_about_text. `rows` and `asked` are the
   command's, NULL for none. */
void clusters_about_write(const char *made_by, const marey_clusters *graph, const option_row *rows,
                          const request *asked, buffer *out);

/* "settings": the options that were given. Comes last in what is known of a kept thing. */
void json_settings(json *to, const option_row *rows, const request *asked);
/* A value of what is known of a kept thing: a number (NaN: none), or a text. */
double graph_about_number(const char *about, const char *key);
bool graph_about_text(const char *about, const char *key, char *text, size_t room);

/* "key":["walk","run"], each clip once. */
void json_clip_names(json *to, const char *key, const marey_parts *parts);
void buffer_clip_names(buffer *out, const marey_parts *parts); /* "walk, run" */

#endif
