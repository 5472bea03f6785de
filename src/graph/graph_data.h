/* graph_data.h - the inside of a motion graph. Read by everything in graph.

   Nodes are numbered sequence after sequence: those of the clips first, then interpolated ones. A
   sequence is a run of nodes each of which is the next one's frame before; where it ends, `next` is
   -1. */
#ifndef MRY_GRAPH_DATA_H
#define MRY_GRAPH_DATA_H

#include "base/arena.h"
#include "math/floor.h"
#include "motion/carrier.h"
#include "motion/clip_data.h"

#include <marey/graph.h>

#include <math.h>

enum { MRY_GRAPH_MOST_NODES = 16000000, MRY_GRAPH_MOST_LABELS = 64, MRY_GRAPH_MOST_MU = 1000 };

/* Where a node is from. */
typedef struct mry_origin {
    int clip, other; /* other: -1 for an original */
    float weight;    /* of the other */
    double frame, other_frame;
} mry_origin;

/* An instance of a label: nodes of one sequence. */
typedef struct mry_action {
    int label, first, last;
    bool ongoing; /* a second of it will do */
} mry_action;

/* Where walks may go that stay for a while in every piece. */
typedef struct mry_dwell {
    int least;     /* frames of a piece, at least; 0: none */
    int *lands;    /* of each transition: the node at which a walk is free again; -1: never */
    uint8_t *free; /* a byte a node: a walk that is free there can go on for ever, and come back */
    uint8_t
        *passed; /* a byte a node: free, or between a transition and where it lands; of originals
                         also those that such a node shows as they are */
    uint8_t *allowed; /* a byte a node: it may be passed */
    int free_count;
} mry_dwell;

struct marey_graph {
    mry_arena mem; /* everything below lives here, and so does the graph itself .. */
    /* .. but what there is of each node and transition, which is replaced as they change. */
    mry_arena data;
    marey_ctx *ctx;
    marey_graph_def def; /* every default filled in; what it points at lives here */
    marey_metric_def metric;
    marey_joint_weights joint_weights;
    int clip_count;
    const marey_clip *const *clips;
    double fps;
    int originals, nodes;
    marey_clip *motion; /* frame n is node n */
    mry_carrier body;   /* what carries it; a root that stays is in one place in all nodes */
    mry_origin *origin;
    int *next, *before;
    uint8_t *contacts;
    mry_dwell dwell; /* where walks may go; found when all else is there */
    int transition_count;
    marey_graph_transition *transitions; /* by from, then to */
    mry_floor *places;                   /* of each: how `to` is laid behind `from` */
    uint8_t *half; /* of each: frames its difference is spread over, on either side */
    double *lean;  /* of each: the share of it that is spread before it; NULL: half of it */
    uint8_t
        *kept;    /* a byte a node: nothing is spread there, it shows as it is; NULL: no such one */
    int *leaving; /* nodes + 1: the first transition of each node */
    int label_count;
    const char **labels;
    uint64_t *labelled; /* a bit a label, of each node */
    int action_count;
    mry_action *actions; /* by their first nodes, originals */
    /* before the reduction */
    int nodes_before;
    int64_t edges_before;
    /* What a body does at most, by kind of fault; walk_faults.c. */
    double limits[MAREY_WALK_FAULT_KIND_COUNT];
};

/* Compares floats, for qsort. */
static inline int mry_by_size(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Compares what begins with two ints, for qsort: by the first, then by the second. */
static inline int mry_by_ends(const void *left, const void *right)
{
    const int *a = left, *b = right;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

/* Where a node's body is. */
static inline mry_vec mry_node_at(const marey_graph *graph, int node)
{
    return mry_carrier_at(&graph->body, graph->motion, node);
}

/* Which feet and hands are down in a node: bits for the left foot, the right one, the left hand, the
   right one. */
static inline int mry_node_feet(const marey_graph *graph, int node)
{
    enum {
        LEFT = 1 << MAREY_CONTACT_LEFT_HEEL | 1 << MAREY_CONTACT_LEFT_TOE,
        RIGHT = 1 << MAREY_CONTACT_RIGHT_HEEL | 1 << MAREY_CONTACT_RIGHT_TOE
    };
    int bits = graph->contacts[node], hands = bits >> MAREY_CONTACT_LEFT_HAND;
    return (bits & LEFT ? 1 : 0) | (bits & RIGHT ? 2 : 0) | hands << 2;
}

/* Of two poses that are mixed, `weight` of the second: points that are planted in both; where that
   leaves a foot that stands without one, those of the nearer motion. */
static inline uint8_t mry_mixed_contacts(unsigned first, unsigned second, double weight)
{
    unsigned both = first & second, near = weight < 0.5 ? first : second;
    for (unsigned foot = 3; foot <= 12; foot *= 4) {
        if (!(both & foot) && (first & foot) && (second & foot)) both |= near & foot;
    }
    return (uint8_t)both;
}

/* ---- graph_build.c --------------------------------------------------------------------------- */

/* An empty one with its definition settled. */
marey_status mry_graph_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                            const marey_graph_def *def, marey_graph **out, marey_error *error);

/* ---- graph_nodes.c: looking at them ---------------------------------------------------------- */

int64_t mry_graph_edges(const marey_graph *graph); /* from frame to frame, and transitions */
/* The transition that leads from one node to another; -1: the next of its sequence; -2: there is no
   way. */
int mry_walk_step(const marey_graph *graph, int node, int target);
/* marey_graph_place; the identity for nodes that are not joined. */
mry_floor mry_graph_floor(const marey_graph *graph, int node, int target);

/* ---- graph_nodes.c: the clips as nodes ------------------------------------------------------- */

/* Fills everything up to `contacts`, and the labels; originals are all nodes. */
marey_status mry_graph_take(marey_graph *graph, const marey_contacts *contacts, marey_error *error);

/* Parts of it, for graphs whose nodes come from elsewhere. Room for what there is of each node, but
   for the motion: false: out of memory. Then, with their origins known, which points of the feet
   are planted: given[i] are the plants of clip i; NULL: found. */
bool mry_graph_take_arrays(marey_graph *graph, int nodes);
marey_status mry_graph_find_contacts(marey_graph *graph, const marey_contacts *given,
                                     marey_error *error);

/* Brings the roots of nodes, from one on, to where the root stays, if it does: graph->body is
   known. */
void mry_graph_hold_root(marey_graph *graph, int from);

/* Room for so many nodes, those there are first; `nodes` stays, transitions are gone. false: out of
   memory. */
bool mry_graph_grow(marey_graph *graph, int nodes);

/* ---- graph_near.c: which nodes are alike ----------------------------------------------------- */

typedef struct mry_near {
    int a, b; /* a < b */
    float value;
} mry_near;

typedef struct mry_near_list {
    mry_near *items; /* by a, then b */
    int64_t count, room;
    marey_ctx *ctx;
} mry_near_list;

void mry_near_free(mry_near_list *list);
bool mry_near_put(mry_near_list *list, mry_near pair); /* false: out of memory */

struct mry_bodies;

/* The cells of all nodes by all nodes that are less than the eight around them and less than
   `below`. Nodes of one sequence that are closer than a fraction of a second are no pairs. Of
   `rungs` (may be NULL; point clouds only) those below it join them, whatever is around them. */
marey_status mry_graph_near(marey_graph *graph, const struct mry_bodies *bodies, double below,
                            const mry_near_list *rungs, mry_near_list *out, marey_error *error);
/* By the grid, for any metric; by sorting, for point clouds. */
marey_status mry_graph_near_grid(marey_graph *graph, double below, mry_near_list *out,
                                 marey_error *error);
marey_status mry_graph_near_join(const struct mry_bodies *bodies, double below,
                                 const mry_near_list *rungs, mry_near_list *out,
                                 marey_error *error);

/* Frames between nodes of one sequence that are a pair, at least. */
static inline int mry_graph_apart(const marey_graph *graph)
{
    return (int)ceil(0.4 * graph->fps);
}

int *mry_graph_sequences(const marey_graph *graph,
                         mry_arena *mem); /* of each node; NULL: no memory */

/* ---- graph_edges.c: where the joints are, and how nodes are laid on each other --------------- */

typedef struct mry_bodies {
    const marey_graph *graph;
    int joints;
    float *positions; /* nodes x joints x 3 */
    float *weight;    /* of the joints, as the metric has them */
    int half; /* frames that a difference is spread over at least, on either side of a transition */
    double still_cm; /* steps shorter than this count as standing still */
} mry_bodies;

/* Lives in mem. */
marey_status mry_bodies_open(mry_bodies *bodies, mry_arena *mem, const marey_graph *graph,
                             marey_error *error);

static inline const float *mry_body(const mry_bodies *bodies, int node)
{
    return bodies->positions + (size_t)node * (size_t)bodies->joints * 3;
}

/* Sums over the points of two clouds; the second's are those with a 2. */
typedef struct mry_lay {
    double weight;
    double x, z, x2, z2;
    double dot, cross; /* of w (x x2 + z z2), w (x z2 - z x2) */
    double square;     /* of w (x^2 + z^2 + x2^2 + z2^2 + (y - y2)^2) */
} mry_lay;

/* The joints of one frame of each. */
void mry_lay_add(mry_lay *sums, const float *p, const float *q, const float *weight, int joints);
/* How the second is laid on the first, and their distance then (may be NULL), cm^2. */
mry_floor mry_lay_end(const mry_lay *sums, double *distance);

enum { MRY_LAY_AROUND = 2 }; /* frames on either side */

/* How b is laid on a, over a few frames around both. */
mry_floor mry_graph_lay(const mry_bodies *bodies, int a, int b);

/* ---- near_clouds.c: the point clouds of all nodes, and a few numbers of each that bound distances from below  */

enum { MRY_NEAR_DIMS = 8 };

/* Windows of frames around each node, ends of sequences repeated; less their means on the floor,
   times the roots of the weights. A cloud is `points` numbers x, then z, then y, padded with
   zeros. */
typedef struct mry_clouds {
    int nodes, points; /* a multiple of 4 */
    float *clouds;     /* nodes x 3 points */
    float *size;       /* sum of x^2 + z^2 */
    /* Heights and distances from the mean on the floor do not change when a cloud is turned and
       shifted, so the distance of what they are is not more than the clouds' (root), nor is that of
       its parts along a few directions. */
    float *low; /* nodes x MRY_NEAR_DIMS */
} mry_clouds;

/* Lives in mem. */
marey_status mry_clouds_open(mry_clouds *out, mry_arena *mem, const mry_bodies *bodies,
                             marey_error *error);

/* The metric's distance of two nodes: Kovar & Gleicher 2003, eq. 1, as S + S' - 2 |R| on the
   floor. */
static inline float mry_cloud_distance(const mry_clouds *clouds, int a, int b)
{
    size_t n = (size_t)clouds->points;
    const float *p = clouds->clouds + (size_t)a * 3 * n, *q = clouds->clouds + (size_t)b * 3 * n;
    float dot[4] = { 0 }, cross[4] = { 0 }, up[4] = { 0 };
    for (size_t i = 0; i < n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            float x = p[i + k], z = p[n + i + k], x2 = q[i + k], z2 = q[n + i + k];
            float y = p[2 * n + i + k] - q[2 * n + i + k];
            dot[k] += x * x2 + z * z2;
            cross[k] += x * z2 - z * x2;
            up[k] += y * y;
        }
    }
    float along = dot[0] + dot[1] + dot[2] + dot[3];
    float across = cross[0] + cross[1] + cross[2] + cross[3];
    float flat = clouds->size[a] + clouds->size[b] - 2 * sqrtf(along * along + across * across);
    return up[0] + up[1] + up[2] + up[3] + (flat > 0 ? flat : 0);
}

/* ---- graph_edges.c: how smooth a transition is ----------------------------------------------- */

/* From node i to the node behind j, laid so that j is on i. *half: the least of some lengths, in
   frames on either side, over which the difference must be spread for it to be smooth, or that with
   the least jump. */
double mry_graph_jump(const mry_bodies *bodies, int i, int j, mry_floor place, int *half);

/* The share of a difference that is left so many frames from a transition: 1 at 0, 0 from half + 1
   on. */
static inline double mry_spread(double frames, int half)
{
    double t = 1 - frames / (half + 1);
    return t <= 0 ? 0 : t * t * (3 - 2 * t);
}

/* ---- graph_edges.c: transitions out of pairs ------------------------------------------------- */

/* Makes transitions of pairs whose value is below the threshold: both ways, where there is a frame
   to go to. Places and jumps are not known yet. */
marey_status mry_graph_connect(marey_graph *graph, const mry_near_list *near, double threshold,
                               marey_error *error);
void mry_graph_count_leaving(marey_graph *graph);
bool mry_graph_take_transitions(marey_graph *graph,
                                int count); /* room for them; false: no memory */

/* Finds jumps and lengths of spreading of all transitions, and the places of those without a byte in
   `known` (may be NULL). */
void mry_graph_judge(marey_graph *graph, const mry_bodies *bodies, const uint8_t *known);

/* graph_build.c: if only smooth ones are wanted, leaves out transitions that jump; counts them. */
void mry_graph_drop_jumps(marey_graph *graph);

/* ---- reduce.c: what best connects the originals ---------------------------------------------- */

/* Bytes of nodes and transitions that lie on best paths between originals (slides, "Node Reduction
   Step"). detour[i]: frames that a path spends on the way over transition i besides; NULL: none. */
marey_status mry_graph_reduce(const marey_graph *graph, const int *detour, uint8_t *nodes,
                              uint8_t *transitions, marey_error *error);

/* ---- reduce.c: leaves out what has no byte; places and jumps of the rest must be known. */
marey_status mry_graph_compact(marey_graph *graph, const uint8_t *nodes, const uint8_t *transitions,
                               marey_error *error);

/* ---- components.c: strongly connected components --------------------------------------------- */

/* A graph as rows: node n leads to to[first[n]] .. to[first[n + 1] - 1], and to next[n] if that is
   not negative (next may be NULL). `use` (may be NULL): a byte a node; the others are not there,
   their component is -1. */
typedef struct mry_arcs {
    int nodes;
    const int *first, *to;
    const int *next;
    const uint8_t *use;
} mry_arcs;

/* component[n]; components are numbered so that arcs lead from higher to lower ones or stay. Tarjan
   1972. Returns how many there are, -1 when out of memory. */
int mry_components(mry_arena *tmp, const mry_arcs *arcs, int *component);

/* ---- dwell.c: how long a walk stays in a piece ------------------------------------------------ */

/* A least time in a piece as frames; 0 for none: then a walk is free in every frame. */
int mry_dwell_frames(const marey_graph *graph, double dwell_s);

/* Frames of the piece behind a transition, at least: none begins before the difference at the last
   one has faded away, of which more may lie behind the transition than before it (walk_spread.c). */
static inline int mry_dwell_stay(const marey_graph *graph, int transition, int least)
{
    int fades = 2 * graph->half[transition] + 1;
    return least < 1 ? 1 : fades > least ? fades : least;
}

/* The node so many frames later in the sequence; -1: it ends before. */
int mry_dwell_along(const marey_graph *graph, int node, int frames);

/* Of each transition the node at which a walk is free again; -1: its sequence ends before that, or
   a node on the way has no byte in `allowed` (may be NULL: all have). */
void mry_dwell_lands(const marey_graph *graph, int least, const uint8_t *allowed, int *lands);

/* From free node to free node: arcs of the transitions below a threshold (INFINITY: all). false:
   out of memory. */
bool mry_dwell_arcs(const marey_graph *graph, const int *lands, double threshold, mry_arena *mem,
                    mry_arcs *out);

/* The largest strongly connected component of free nodes, by its originals; of equal ones that with
   the first node. Over the transitions `barred` it does not go. *out lives in mem; its `lands` only
   lead within the component. */
marey_status mry_dwell_find(const marey_graph *graph, mry_arena *mem, int least, double threshold,
                            const uint8_t *allowed, const int *barred, int barred_count,
                            mry_dwell *out, marey_error *error);

/* The node at which a walk that begins with one is free; -1: it cannot begin there. */
int mry_dwell_begin(const marey_graph *graph, const mry_dwell *dwell, int node);

/* ---- walk_faults.c: graph->limits, of its captured frames. MEMORY. */
marey_status mry_graph_find_limits(marey_graph *graph, marey_error *error);

/* ---- graph_measure.c */

/* With the transitions below a threshold. */
marey_status mry_graph_measure_at(const marey_graph *graph, double threshold, bool quick,
                                  marey_graph_stats *out, marey_error *error);

#endif
