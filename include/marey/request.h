/* request.h - walk there, kick that high, go on: families of motions as nodes of a motion graph,
   asked for in walks. Read after graph.h and param.h. */
#ifndef MAREY_REQUEST_H
#define MAREY_REQUEST_H

#include <marey/graph.h>
#include <marey/param.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a family that stands in a graph --------------------------------------------------------- */

/* cm^2; 7.7 cm on the mean of joints: what lies between many examples is not as near as one frame is
   to another. */
#define MAREY_FAMILY_CEILING 60.0

/* A family as a node of a graph: any of its motions can be entered from some frames of the graph,
   and left to some. Never changes once made; any thread may read it. */
typedef struct marey_graph_family marey_graph_family;

/* Finds the ways into a family and out of it, for the whole family: those frames of the graph's
   largest part whose distance from the beginnings, or the ends, of its examples is below
   MAREY_FAMILY_CEILING on the mean (each example at its own best place, in the first quarter of the
   time up to the first moment that a parameter looks at, or the last quarter behind the last one; if
   a parameter looks at the whole motion, its ends alone). `name` is for messages.
   Errors: REQUEST: there is no such frame; the message says how far the nearest is. SHAPE: as marey_clip_fit. MEMORY, CANCELLED.
   Ownership: free with marey_graph_family_free. Graph and family must live as long.
   Cost: a look at every frame of the graph for every example. */
MAREY_API marey_status marey_graph_family_join(marey_ctx *ctx, const marey_graph *graph,
                                               const marey_family *family, const char *name,
                                               marey_graph_family **out, marey_error *error);

/* Frees it; graph and family stay. */
MAREY_API void marey_graph_family_free(marey_graph_family *joined);

/* How many nodes lead into it, and out of it; and how far the examples are there on the mean, at
   best, cm^2. */
typedef struct marey_family_ways {
    int in, out;
    double nearest_in, nearest_out;
} marey_family_ways;

MAREY_API marey_family_ways marey_graph_family_ways(const marey_graph_family *joined);

/* How far the examples' beginnings (or ends) are from a node on the mean; infinite: no way leads in
   (or out) there. */
MAREY_API double marey_graph_family_way(const marey_graph_family *joined, int node, bool out);

/* ---- asking for its motions ------------------------------------------------------------------ */

/* What is wanted of a family in a walk. */
typedef struct marey_request {
    const marey_graph_family *family;
    /* As many numbers as the family has. */
    const double *wanted;
    /* Along a path: so far from its beginning; at most its length. Others follow each other. */
    double along_cm;
} marey_request;

/* What came of it. */
typedef struct marey_performed {
    /* The blend, and what it does in the walk: values, error and moments (frames of the generated
       clip) are measured there once it was made. */
    marey_answer answer;
    /* Frames of the walk, from the first that is the family's. */
    int first, frames;
    /* How far the body is from where it was asked for when it begins; NaN without a path. */
    double away_cm;
    /* How the motion, as the family makes it, is laid in the world: parameters that are relative to
       the start are relative to this. */
    marey_placement place;
    /* The frames of that motion that the parameters look at, as in an answer. */
    double moments[MAREY_MOST_PARAMS];
    /* That motion: its clip is number clip_count + i of the walk's graph. */
    marey_made made;
    /* Distances of the ways in and out; that out is NaN if the walk ends with it. */
    double in, out;
} marey_performed;

/* A walk in which requests are done. */
typedef struct marey_performance {
    /* The graph, with a sequence more for each request; the walk is through this one. */
    marey_graph *graph;
    marey_walk walk;
    int count;
    marey_performed *done;
    /* For marey_performance_make and _free. */
    struct mry_plan *plan;
    marey_ctx *ctx;
} marey_performance;

/* Finds a walk in which requests are done in order: along a path (def->kind MAREY_WALK_PATH), each
   where it is asked for, or else by the shortest ways from one to the next. With a path the walk
   goes on to its end, unless the last request is there. Of `def` also from, styles, dwell_s, barred
   and effort are used; effort is shared by the stretches of the path. Where a joint of the walk
   jumps by more than the graph's jump, it is searched again without that way in, way out or
   transition, up to ten times in all; the walk that jumps least stays.
   Errors: REQUEST: none; places that do not rise or are not on the path; no way from one to the
     next; a family of another graph. As marey_graph_walk, marey_family_make.
   Ownership: free with marey_performance_free. Families and graph must live as long. */
MAREY_API marey_status marey_graph_perform(marey_ctx *ctx, const marey_graph *graph,
                                           const marey_walk_def *def, const marey_request *requests,
                                           int count, marey_performance *out, marey_error *error);

/* Frees a performance; {0} is allowed. */
MAREY_API void marey_performance_free(marey_performance *performance);

/* Makes its clip as marey_walk_make does, then measures every request in it. Holding feet and
   spreading differences moves the body a little: what can be reached but is off is asked for again,
   corrected by that, twice at most, and the nearest stays.
   Errors, Ownership: as marey_walk_make. */
MAREY_API marey_status marey_performance_make(marey_ctx *ctx, marey_performance *performance,
                                              const marey_walk_make_def *def, marey_made *out,
                                              marey_walk_made *about, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
