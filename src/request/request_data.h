/* request_data.h - the inside of a family that stands in a graph, and of a plan to walk through it.
   Read by family_ways.c, perform*.c and the controller. */
#ifndef MRY_REQUEST_DATA_H
#define MRY_REQUEST_DATA_H

#include "graph/walk_data.h"
#include "request/guests.h"

#include <marey/request.h>

struct marey_graph_family {
    mry_arena mem; /* everything below lives here, and so does it itself */
    marey_ctx *ctx;
    const marey_graph *graph;
    const marey_family *family;
    /* Of each node: how far it is from the examples' beginnings, and ends, on the mean; INFINITY: it
       is no way. */
    float *in, *out;
    marey_family_ways ways;
};

/* ---- family_ways.c --------------------------------------------------------------------------- */

/* Up to which frame a motion of the family may be entered, and from which on it may be left. */
marey_status mry_family_edges(const marey_family *family, const marey_clip *clip, double *entered,
                              double *left, marey_error *error);

/* Of nodes [first, last] that which is most like another one, and its distance. */
int mry_family_nearest_edge(const mry_clouds *clouds, int node, int first, int last,
                            double *distance);

/* ---- a plan: which nodes are walked through, and what is done between them -------------------- */

/* A request, and where it stands in the walk. */
typedef struct mry_act {
    const marey_graph_family *family;
    double wanted[MAREY_MOST_PARAM_DIMS];
    double aim[MAREY_MOST_PARAM_DIMS]; /* what is asked of the family instead */
    double along_cm;
    int from;     /* the node that it is entered from .. */
    int in_frame; /* .. which is like this frame of its motion */
    int to_end;   /* the frame that it is left from, counted from the last */
    int like;     /* the node that is like that one; -1: the walk ends with it */
    double away;  /* from where it is asked for */
} mry_act;

/* Nodes of the graph before an act, or behind the last. */
typedef struct mry_leg {
    int *nodes;
    double *bends; /* of each, as a walk has them; NULL: not bent */
    int count;
} mry_leg;

typedef struct mry_plan mry_plan;

struct mry_plan {
    mry_arena mem; /* everything below lives here, and so does the plan itself */
    const marey_graph *graph;
    int count;
    mry_act *acts;
    mry_leg *legs;   /* one more */
    marey_walk like; /* what is known of the walk besides its nodes */
};

/* The motions that are asked for, and the graph with them. */
typedef struct mry_cast {
    marey_ctx *ctx;
    int count;
    marey_made *made;
    marey_answer *answers;
    int *params; /* of each: how many moments its answer has */
    marey_clip **brought;
    mry_guest *guests;
    marey_graph *graph;
    mry_arena mem; /* of the arrays, and what is known of the bodies */
    mry_bodies bodies;
} mry_cast;

/* ---- perform.c ------------------------------------------------------------------------------- */

/* A way into an act's motion, or out of it, that is not taken: from, or to, this node and those
   around it. */
typedef struct mry_barred_way {
    int act, node;
    bool out;
} mry_barred_way;

/* A walk without these ways. Errors: as marey_graph_perform. */
marey_status mry_perform_once(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                              const marey_request *requests, int count,
                              const mry_barred_way *barred, int barred_count,
                              marey_performance *out, marey_error *error);

/* ---- perform_cast.c -------------------------------------------------------------------------- */

/* Makes what the acts aim at. Whatever it returns, mry_cast_close must follow. */
marey_status mry_cast_open(mry_cast *cast, marey_ctx *ctx, const mry_plan *plan,
                           marey_error *error);
void mry_cast_close(mry_cast *cast);

/* Frames of a clip to one of the graph, at most, when it is looked at what jumps. */
#define MRY_JUMPS_SEEN_AT 4

/* The walk of a plan through the cast's graph, which becomes the performance's, and so do the
   motions. */
marey_status mry_cast_assemble(mry_cast *cast, const mry_plan *plan, marey_performance *out,
                               marey_error *error);

#endif
