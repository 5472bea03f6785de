/* cluster_picture.h - the picture of a cluster graph, found before it is drawn. Read after
   figure.h. */
#ifndef MRY_CLUSTER_PICTURE_H
#define MRY_CLUSTER_PICTURE_H

#include "picture/figure.h"

#include <marey/picture.h>

enum { MRY_CARD_BARS = 6 }; /* clips of a node that get a bar */

typedef struct mry_card_bar {
    int clip;   /* its first in the graph: those of one name are one */
    int colour; /* of it */
    int rows;   /* of all its sequences in the node */
} mry_card_bar;

/* A node as it is drawn. */
typedef struct mry_card {
    int node;
    double x, y; /* its centre */
    double width, height, figure;
    mry_card_bar bars[MRY_CARD_BARS];
    int bar_count, bars_left_out;
    mry_part *parts; /* the body in its middle's pose */
    int part_count;
    double origin[3], box[4], height_cm;
    mry_view view;
} mry_card;

/* From card to card; `through`: by way of nodes that are not drawn. */
typedef struct mry_card_edge {
    int from, to, count;
    bool through;
} mry_card_edge;

typedef struct mry_card_graph {
    mry_card *cards;
    int count;
    mry_card_edge *edges;
    int edge_count;
} mry_card_graph;

/* Finds places in which no two cards lie on each other, with cards near those that they lead to:
   springs first (Fruchterman and Reingold 1991), then those that overlap are pushed apart. Left and
   right edges are 0 and `width`; *height is how far down it goes. The same for the same graph.
   MEMORY as false. (cluster_layout.c) */
bool mry_cards_place(mry_card_graph *graph, mry_arena *tmp, double width, double *height);

#endif
