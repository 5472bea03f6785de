/* weave.h - segments of the same contacts, and motion between two of them: the interpolation step
   of well-connected motion graphs (slides, "Interpolation Step"). Read by weave*.c, graph_measure.c
   and graph_build.c. */
#ifndef MRY_WEAVE_H
#define MRY_WEAVE_H

#include "graph/graph_data.h"

/* A stretch of one sequence in which the same feet and hands stand. */
typedef struct mry_phase {
    int sequence;
    int first, count; /* nodes */
    int feet;         /* bits: the left foot stands, the right one, the left hand, the right one */
} mry_phase;

/* ---- weave_graph.c */

/* Of the originals, in their order. Returns how many; -1: out of memory. */
int mry_phases_find(const marey_graph *graph, mry_arena *mem, mry_phase **out);

/* Two runs of phases with the same contacts one after the other: phases a, a + 1, .. and b, b + 1,
   .. */
typedef struct mry_strand {
    int a, b;
    int count;
} mry_strand;

/* All pairs of phases with the same contacts, put together to the longest strands. Returns how
   many; -1: out of memory. */
int mry_strands_find(const mry_phase *phases, int count, mry_arena *mem, mry_strand **out);

/* ---- weave.c: how long it takes, and which frames belong together */

/* Frames of two strands that belong together, as nodes between nodes; between two of these time
   runs evenly. */
typedef struct mry_knots {
    int count;
    double *a, *b;
    uint8_t *flight;  /* what leads from here to the next is */
    uint8_t *close;   /* whole nodes, and of their phase those that are closest */
    double *distance; /* of those that are close, in the metric's unit */
    int *phase;       /* number of the phase in its strand */
    double least;     /* of the distances .. */
    int closest;      /* .. and where that is */
} mry_knots;

/* Knots of phases [first_phase, end_phase) of a strand, with the first one behind them; borrows. */
mry_knots mry_knots_of(const mry_knots *knots, int first_phase, int end_phase);

/* Phases begin and end together. In contact the pair of frames that is closest is found by
   timewarping, where the lengths allow it; in flight time runs evenly, as bodies fall. Lives in
   mem. false: out of memory. */
bool mry_weave_align(const mry_clouds *clouds, const mry_phase *phases, const mry_strand *strand,
                     mry_arena *mem, mry_knots *out);

typedef struct mry_weave_times {
    int frames;
    double *a, *b; /* nodes of both, between nodes */
    int *at;       /* of each knot: the frame nearest to it; -1: outside */
} mry_weave_times;

/* In contact durations are mixed; in flight their squares are, so that gravity stays gravity
   (Safonova & Hodgins 2005). A frame falls on the knot where the two are closest, for any weight:
   there one can change over. false: out of memory. */
bool mry_weave_times_find(const mry_knots *knots, double weight, mry_arena *mem,
                          mry_weave_times *out);

/* ---- weave.c: one strand at one weight */

typedef struct mry_woven {
    marey_clip *clip;
    mry_weave_times times; /* in `mem` of who asked */
    uint8_t *contacts;
} mry_woven;

/* Frames between the two, feet planted. The clip is to be freed. */
marey_status mry_weave(const marey_graph *graph, const mry_knots *knots, double weight,
                       mry_arena *mem, mry_woven *out, marey_error *error);

/* ---- weave_graph.c */

/* Adds all interpolations to a graph that has its originals. *rungs: pairs of nodes at which one
   can change from a weight to the next, frame after frame, from one motion of a pair all the way to
   the other; their values are not known yet. */
marey_status mry_graph_weave(marey_graph *graph, mry_near_list *rungs, marey_error *error);

#endif
