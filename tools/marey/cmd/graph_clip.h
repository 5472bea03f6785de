/* graph_clip.h - a walk through a kept motion graph on its way to a clip: made, judged, told, written. Read after graph_open.h;
   walk and control use it. */
#ifndef MAREY_TOOL_GRAPH_CLIP_H
#define MAREY_TOOL_GRAPH_CLIP_H

#include "graph_pieces.h"
#include "making.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct graph_clip {
    session *run;
    const request *asked;
    kept_graph of;
    marey_listing *listing;
    marey_clean_def clean;
    marey_walk_make_def def;
    marey_walk walk; /* the command's; freed by it */
    marey_made made;
    marey_walk_made about;
    made_figures figures;
    graph_pieces pieces;
    clip_out out;
} graph_clip;

/* -o, --fps, --rough, --leave-feet, --stretch, and the graph. Returns an exit status, the reason being said; after it, whatever it
   was, graph_clip_close must follow. */
int graph_clip_open(graph_clip *of, session *run, const request *asked);
void graph_clip_close(graph_clip *of);

/* Frames a second of what is made: as asked for, or those of the graph's first clip. */
double graph_clip_fps(const graph_clip *of);
/* --length in frames of what is made, or as it was; returns an exit status. *nodes: how many the walk needs for that. */
int graph_clip_length(graph_clip *of, int frames, int *nodes);

/* Makes the clip of of->walk, and all that is said of it. */
marey_status graph_clip_make(graph_clip *of, marey_error *error);

/* "transitions", "jump_ratio", "pieces" and so on. */
void graph_clip_json(const graph_clip *of, json *to);
void graph_clip_text(const graph_clip *of, buffer *out);

/* Ends the command: writes the clip and sends what is in run->out before "path", "frames" and so on. */
int graph_clip_save(graph_clip *of);
int graph_clip_fail(graph_clip *of, const marey_error *error);

#endif
