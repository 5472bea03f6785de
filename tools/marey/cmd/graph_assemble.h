/* graph_assemble.h - building motion graphs of a library's clips, and keeping them. Read after behaviours.h; build and demo use
   it. */
#ifndef MAREY_TOOL_GRAPH_ASSEMBLE_H
#define MAREY_TOOL_GRAPH_ASSEMBLE_H

#include "behaviours.h"

typedef struct assembled_graph {
    session *run;
    marey_library *library; /* borrowed */
    marey_listing *listing;
    buffer clips;    /* int64_t: their numbers */
    int left_out;    /* clips with other joints than the first */
    behaviours said; /* what is done where */
    marey_parts *parts;
    marey_graph *graph;
    double seconds; /* that building took */
} assembled_graph;

/* After it, whatever it returned, assembled_graph_free must follow. */
marey_status graph_start(assembled_graph *of, session *run, marey_library *library,
                         marey_error *error);
void assembled_graph_free(assembled_graph *of);

/* The clips: named ones, those with a label (not NULL), or all; opens their parts. */
marey_status graph_choose(assembled_graph *of, char **names, int count, const char *label,
                          marey_error *error);

/* `def` gets the behaviours that were said. A graph that was there is freed. */
marey_status graph_assemble(assembled_graph *of, marey_graph_def *def, marey_error *error);

/* What is known of a kept graph without opening it: JSON with an ending zero. `rows` and `asked` are the command's, NULL for
   none. */
void graph_about_write(const char *made_by, const marey_graph *graph, const option_row *rows,
                       const request *asked, buffer *out);
/* "settings": the options that were given, but for --sweep. Comes last in what is known of a kept thing. */
void json_settings(json *to, const option_row *rows, const request *asked);
/* A value of it: a number (NaN: none), or a text. */
double graph_about_number(const char *about, const char *key);
bool graph_about_text(const char *about, const char *key, char *text, size_t room);

#endif
