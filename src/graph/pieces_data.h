/* pieces_data.h - pieces of clips on their way to one clip. Read by pieces.c, which checks and plans them,
   pieces_graph.c, which makes a motion graph of them: a sequence of nodes for each, and a transition where one ends and the next
   begins. A walk through it is what was asked for. */
#ifndef MRY_PIECES_DATA_H
#define MRY_PIECES_DATA_H

#include "graph/graph_data.h"

/* A piece, or several that follow each other, as nodes: of its clip, frames start + k * pace for k in [-before, count + behind).
   What is before and behind is not played; how the motion would go on is seen there. */
typedef struct mry_part {
    int clip; /* number among those that are used */
    double start, pace;
    int count, before, behind;
    int low, high; /* frames of the clip that are captured, without a gap */
    int first;     /* the node that is played first */
} mry_part;

typedef struct mry_parts {
    marey_ctx *ctx;
    const marey_clip **clips; /* those that are used; the first piece's is the first */
    marey_contacts *contacts; /* of these, borrowed; NULL: to be found */
    int clip_count;
    mry_part *items;
    int count;
    int frames, nodes; /* played, and in all */
    double fps, spread_s;
} mry_parts;

/* pieces_graph.c: a graph of them, with the transitions from each to the next and nothing more. */
marey_status mry_parts_graph(const mry_parts *parts, marey_graph **out, marey_error *error);

/* pieces_smooth.c: how long what differs at each of them must be spread for nothing to jump, or to jump least. */
marey_status mry_parts_smooth(const mry_parts *parts, marey_graph *graph,
                              const marey_walk_make_def *def, marey_error *error);

/* pieces_feet.c: holds what looks planted in a clip that was made, besides what is held in it already. *jump is its jump ratio.
   On failure *made is still a whole. */
marey_status mry_pieces_hold(marey_ctx *ctx, const marey_clean_def *def, marey_made *made,
                             double *jump, marey_error *error);

#endif
