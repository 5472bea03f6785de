/* hand_graph.h - small motion graphs made by hand: a body without limbs that slides over the
   floor. */
#ifndef MAREY_HAND_GRAPH_H
#define MAREY_HAND_GRAPH_H

#include "graph/graph_data.h"
#include "support.h"

/* One sequence: nodes follow each other. It starts at the origin and faces as it moves. */
typedef struct hand_sequence {
    int frames;
    double direction_deg; /* on the plan, as in a wish */
    double speed_cm_s;
    double turn_deg_s; /* of the direction, to the left */
} hand_sequence;

/* A transition: `to` is laid behind `from`, so that the motion goes on without a jump but for a
   turn. */
typedef struct hand_link {
    int from, to;
    double turn_deg; /* of the sequence of `to`, to the left */
    double distance;
} hand_link;

/* 30 frames a second, sigma 10. Links sorted by from, then to. Free with marey_graph_free. */
marey_graph *hand_graph_make(marey_ctx *ctx, const hand_sequence *sequences, int sequence_count,
                             const hand_link *links, int link_count);

/* Walks straight on (nodes 0 .. 9, again and again), and turns to the left (10 .. 19) or the right
   (20 .. 29) by 90 degrees at once. */
marey_graph *hand_graph_crossing(marey_ctx *ctx);

/* A character at the crossing, or one with one sequence of 20 frames and no way on from its end;
   with a policy. */
typedef struct hand_walker {
    test_memory memory;
    test_stops stops;
    marey_ctx *ctx;
    marey_graph *graph;
    marey_policy *policy;
} hand_walker;

hand_walker *hand_walker_open(bool crossing);
void hand_walker_close(hand_walker *walker); /* nothing may be left */
OWNED_POINTER(hand_walker, hand_walker_close)

#endif
