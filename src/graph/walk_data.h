/* walk_data.h - what the kinds of walks share: which nodes they may use, what a step costs, and how
   what is found is handed back. Read by walk*.c. */
#ifndef MRY_WALK_DATA_H
#define MRY_WALK_DATA_H

#include "blend/blend_pose.h"
#include "graph/graph_data.h"
#include "motion/feet.h"

#include <math.h>

/* Nearer than this to a frame is that frame, as marey_clip_resample has it. */
#define MRY_WALK_WHOLE 1e-6

enum { MRY_WALK_MOST_FRAMES = 10000000 };

/* ---- walk_ways.c: where a walk may go -------------------------------------------------------- */

typedef struct mry_ways {
    const marey_graph *graph;
    mry_dwell dwell; /* the graph's, or of what has the styles, or with a dwell of the walk's own */
    double frame;    /* what a step costs .. */
    double per_distance; /* .. and a transition besides, for every unit of its distance .. */
    double per_cut;      /* .. and for being one: 0, but where few of them are wanted */
} mry_ways;

/* Lives in mem. Checks `from` and `to`, too. REQUEST: a label that there is not, a style without a
   way on, an end that walks cannot use. MEMORY. */
marey_status mry_ways_open(mry_ways *ways, mry_arena *mem, const marey_graph *graph,
                           const marey_walk_def *def, marey_error *error);

/* The number of a label. REQUEST: unknown; the message names those there are. */
marey_status mry_walk_label(const marey_graph *graph, const char *label, int *out,
                            marey_error *error);

/* An action to be played whole: nodes of one sequence. */
typedef struct mry_instance {
    int first, last;
} mry_instance;

/* All of a label, through allowed nodes alone; of one that is only given to what goes on and on
   every second is one. Lives in mem. REQUEST: there is none. */
marey_status mry_action_instances(const marey_graph *graph, const uint8_t *allowed,
                                  const char *label, mry_arena *mem, mry_instance **items,
                                  int *count, marey_error *error);

/* The ways on from a free node: number 0 is that to the next one of its sequence, the others are
   transitions, which lead to where they land. */
typedef struct mry_step {
    int to;         /* the next free node; -1: not there, or not to be used */
    int transition; /* -1: the next node */
    int frames;     /* that it takes */
    double cost;
} mry_step;

static inline int mry_step_count(const marey_graph *graph, int node)
{
    return 1 + graph->leaving[node + 1] - graph->leaving[node];
}

static inline mry_step mry_step_at(const mry_ways *ways, int node, int number)
{
    const marey_graph *graph = ways->graph;
    mry_step step = { graph->next[node], -1, 1, ways->frame };
    if (number > 0) {
        step.transition = graph->leaving[node] + number - 1;
        step.to = ways->dwell.lands[step.transition];
        step.frames = mry_dwell_stay(graph, step.transition, ways->dwell.least);
        step.cost = step.frames * ways->frame + ways->per_cut +
                    ways->per_distance * (double)graph->transitions[step.transition].distance;
    } else if (step.to >= 0 && !ways->dwell.free[step.to]) {
        step.to = -1;
    }
    return step;
}

/* ---- walk_ways.c: least costs (Dijkstra 1959) ------------------------------------------------ */

typedef struct mry_nearest {
    /* Of each node; INFINITY: not reached. What is finite at the start is where it begins. */
    double *cost;
    int *came; /* the free node before; as it was where it begins */
    int *over; /* the transition from there; -1: it is the next of its sequence */
    int *heap; /* nodes that wait, by cost */
    int *at;   /* of each node: its place there; -1: it does not wait */
    int64_t expanded;
    marey_ctx *ctx;
} mry_nearest;

/* Lives in mem; nothing is reached yet. false: out of memory. */
bool mry_nearest_open(mry_nearest *near, mry_arena *mem, const marey_graph *graph);
/* Nothing is reached any more. */
void mry_nearest_clear(mry_nearest *near, const marey_graph *graph);
/* Until a node with a byte in `goals` is reached, which is returned; NULL: everything, and -1. Also
   -1 if the context was cancelled: the caller must ask. */
int mry_nearest_run(mry_nearest *near, const mry_ways *ways, const uint8_t *goals);

/* ---- walk_ways.c: handing them back ---------------------------------------------------------- */

/* The nodes that a step from a free node to the next leads through, the last one first, the free
   one before it left out; from place `at` down. nodes NULL: only counted. Returns the place of the
   first. */
int mry_walk_back(const marey_graph *graph, int over, int to, int *nodes, int at);

/* Copies the nodes and reckons the cost; everything else in *out stays as it was. MEMORY. */
marey_status mry_walk_keep(marey_ctx *ctx, const mry_ways *ways, const int *nodes, int count,
                           marey_walk *out, marey_error *error);

/* Copies how each frame of a walk is bent. MEMORY. */
marey_status mry_walk_keep_bends(marey_walk *walk, const double *bends, marey_error *error);

/* How frame f of a walk is laid, by how the one before it is. */
mry_floor mry_walk_laid(const marey_graph *graph, const marey_walk *walk, int f, mry_floor before);

/* ---- the kinds, each with ways that were opened for it; *out is {0} -------------------------- */

marey_status mry_walk_to(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                         marey_walk *out, marey_error *error);
marey_status mry_walk_labels(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                             marey_walk *out, marey_error *error);
marey_status mry_walk_length(marey_ctx *ctx, const mry_ways *ways, const marey_walk_def *def,
                             marey_walk *out, marey_error *error);
/* walk_path.c; on failure *out is not written. */
marey_status mry_walk_path(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                           marey_walk *out, marey_error *error);

/* ---- walk_make.c: a walk as a clip ----------------------------------------------------------- */

/* What differs at a transition is spread over so many frames before it and behind it. */
typedef struct mry_span {
    int before, behind;
    double lean; /* the share that is spread before it */
} mry_span;

typedef struct mry_walker {
    marey_ctx *ctx;
    const marey_graph *graph;
    const marey_walk *walk;
    mry_trunk body;
    int *step;      /* of each frame: the transition that leads to it, or -1 */
    mry_span *span; /* of each frame that a transition leads to: how what differs is spread */
    mry_floor *at;  /* of each frame: where its node is laid */
    marey_clip *made;
    mry_feet plain; /* where the feet of these frames are before anything is spread or held */
} mry_walker;

/* marey_walk_make, but each frame is laid as `at` says (NULL: as the graph does), so that a walk
   may be bent. Between nodes of a sequence how they are laid changes evenly. A bent walk may stay
   in a node. */
marey_status mry_walk_make_bent(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                                const mry_floor *at, const marey_walk_make_def *def,
                                marey_made *out, marey_walk_made *about, marey_error *error);

/* walk_make.c: the pose a share t of the way from frames[1] to frames[2], smoothly through those
   and the two around them; of the first and the last -1: no frame. */
void mry_walk_between(const marey_clip *clip, const int *frames, double t, double *places,
                      float *turns);
/* Where a frame of w->made lies in the walk; between nodes if it is not whole. */
static inline double mry_walk_when(const mry_walker *w, int frame)
{
    double at = fmin(frame * (w->graph->fps / w->made->fps), w->walk->count - 1);
    double whole = floor(at + 0.5);
    return fabs(at - whole) < MRY_WALK_WHOLE ? whole : at;
}

/* walk_spread.c: w->span of all transitions, so that none reaches into what another one is spread
   over. */
void mry_walk_spans(mry_walker *w);

/* walk_spread.c: spreads what differs at each transition over the frames of w->made around it.
   false: out of memory. */
bool mry_walk_spread(const mry_walker *w);

/* walk_feet.c: compares plants, for qsort: by their joint, then by their start. */
int mry_by_joint(const void *left, const void *right);

/* walk_feet.c: lifts feet of w->made that are below the floor. false: out of memory. */
bool mry_walk_lift(const mry_walker *w);

/* walk_feet.c: the plants that the made frames, one for every node, should have. MEMORY. */
marey_status mry_walk_plants(const mry_walker *w, marey_contacts *out, marey_error *error);

#endif
