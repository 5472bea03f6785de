/* control_data.h - the inside of a policy: how nodes move, what can be chosen at them, and what is
   best. Read by policy*.c and controller.c.  An input is seen from where a node's sequence lies:
   the angle between the input and the turn that the sequence is laid with. It stays as it is while
   the motion goes on and changes at transitions only, by how they turn; so a table of a few
   directions loses nothing along a sequence. */
#ifndef MRY_CONTROL_DATA_H
#define MRY_CONTROL_DATA_H

#include "graph/graph_data.h"

#include <marey/control.h>

enum {
    MRY_POLICY_MOST_SPEEDS = 8,
    MRY_POLICY_MOST_DIRECTIONS = 64,
    MRY_POLICY_MOST_OPTIONS = 255 /* a choice is a byte */
};

/* How the body moves at a node, where its sequence lies: mean over a third of a second. */
typedef struct mry_move {
    float x, z;   /* cm/s */
    float facing; /* as in an input */
} mry_move;

typedef struct mry_graph_mark { /* tells graphs apart */
    int nodes, transitions;
    uint64_t hash;
} mry_graph_mark;

struct marey_policy {
    mry_arena mem; /* everything below lives here, and so does the policy itself */
    marey_ctx *ctx;
    marey_policy_def def; /* every default filled in */
    mry_graph_mark mark;  /* of the graph it is for */
    int rounds;
    size_t bytes;
    mry_move *moves; /* of each node */
    /* Ways on from free nodes to free ones: of node n those from option_first[n] on. A transition's
       number; -1 goes on. */
    int *option_first; /* nodes + 1 */
    int *option;
    int rows;
    int *row;        /* of each node; -1: there is nothing to choose */
    uint8_t *choice; /* rows x speeds x directions: the option to take */
};

/* ---- policy.c: how nodes move ---------------------------------------------------------------- */

/* Of every node; lives in mem. NULL: out of memory. */
mry_move *mry_moves_find(const marey_graph *graph, mry_arena *mem);

static inline double mry_move_speed(mry_move move)
{
    return sqrt((double)move.x * move.x + (double)move.z * move.z);
}

/* How high the hips are while the body goes somewhere, cm; 0: it never does. */
double mry_upright_cm(const marey_graph *graph, const mry_move *moves);

/* Speeds that can be asked for, 0 and up to three, cm/s. Returns how many; 0: out of memory. */
int mry_default_speeds(const marey_graph *graph, const mry_move *moves, mry_arena *tmp,
                       double *speeds);

/* Slower than this, the body stands. */
#define MRY_STAND_CM_S 20.0

/* 0 .. 1: how well a movement follows an input: one less the distance of the two velocities over
   the speed of the input. 1 only for the same direction and speed; 0 for standing where one should
   move, for directions more than 60 degrees off, and .. */
static inline double mry_follow(double along, double across, double input_cm_s)
{
    const double least = 2 * MRY_STAND_CM_S; /* .. for moving so fast where one should stand */
    double x = along - input_cm_s;
    double off = sqrt(x * x + across * across) / (input_cm_s > least ? input_cm_s : least);
    return off < 1 ? 1 - off : 0;
}

/* The same for a node whose sequence is laid with a turn of `turn`. */
static inline double mry_move_follows(mry_move move, double turn, double direction, double speed)
{
    /* On the plan z points down, so a direction's unit vector is (cos, -sin). */
    double seen = direction - turn, c = cos(seen), s = sin(seen);
    return mry_follow(move.x * c - move.z * s, move.x * s + move.z * c, speed);
}

/* ---- policy.c -------------------------------------------------------------------------------- */

/* With moves, options and rows; `choice` has room and zeros. The definition is settled. */
marey_status mry_policy_make(marey_ctx *ctx, const marey_graph *graph, const marey_policy_def *def,
                             marey_policy **out, marey_error *error);

mry_graph_mark mry_graph_mark_of(const marey_graph *graph);

/* Of a transition: t = exp(-s / sigma). */
static inline double mry_quality(const marey_graph *graph, int transition)
{
    double distance = (double)graph->transitions[transition].distance;
    return distance > 0 ? exp(-distance / graph->def.sigma) : 1;
}

/* The way on from a free node for an input, its direction seen from the node's sequence: a
   transition's number; -1: the next node of the sequence; -2: no way on. */
int mry_policy_choose(const marey_policy *policy, int node, double direction, double speed);

/* ---- controller.c: led by a caller that looks ahead ------------------------------------------ */

/* How a frame is laid otherwise than the graph says: turned about the body, then shifted. */
typedef struct mry_bend {
    double turn; /* radians */
    double x, z; /* cm */
} mry_bend;

/* The next frame by a way that is known, as mry_policy_choose has it, instead of by the policy. The
   first one after opening is where it stands, whatever `way` is. */
void mry_controller_go(marey_controller *controller, int way, mry_bend bend,
                       marey_controller_frame *out);
int mry_controller_node(const marey_controller *controller);

/* ---- fades.c: what differs at transitions fades away ----------------------------------------- */

/* One difference: of the place of what carries the body and of every joint's turn, as rotation
   vectors; the carrier's in the world. */
typedef struct mry_fade {
    int age, half;   /* frames since the transition; frames that it lasts */
    double place[3]; /* of the carrier */
    float *turn;     /* joints x 3 */
} mry_fade;

typedef struct mry_fades {
    const marey_graph *graph;
    int room, count; /* the latest last */
    mry_fade *items;
    float *sum; /* joints x 3, of what is left */
} mry_fades;

/* Room for as many as can last at once. false: out of memory. */
bool mry_fades_open(mry_fades *fades, mry_arena *mem, const marey_graph *graph);

/* A frame later. */
void mry_fades_age(mry_fades *fades);

/* A transition's number; how its start lies, and how its end does. */
void mry_fades_add(mry_fades *fades, int transition, mry_floor start, mry_floor end);

/* Adds what is left of them to a pose: local places and turns of every joint, but for the carrier
   in the world. */
void mry_fades_apply(mry_fades *fades, double *places, float *turns);

/* ---- fades.c: inertialization: one difference for all jumps (Bollo 2018) ---------------------- */

/* Of the carrier's place and of every joint's turn, as rotation vectors, the carrier's in the
   world; and how fast each changes. They decay like critically damped springs. */
typedef struct mry_inertia {
    const marey_graph *graph;
    double place[3], place_speed[3]; /* cm, cm/s */
    float *turn, *turn_speed;        /* joints x 3 */
} mry_inertia;

/* false: out of memory. */
bool mry_inertia_open(mry_inertia *inertia, mry_arena *mem, const marey_graph *graph);
/* A frame as it is laid: of a clip on the graph's bones, or NULL: a node. */
typedef struct mry_posed {
    const marey_clip *clip;
    int frame;
    mry_floor laid;
} mry_posed;

/* From one frame to another that is meant to be the same. */
void mry_inertia_add(mry_inertia *inertia, mry_posed from, mry_posed to);
/* A frame later. */
void mry_inertia_age(mry_inertia *inertia, double half_life_s);
/* Adds what is left, as mry_fades_apply. */
void mry_inertia_apply(const mry_inertia *inertia, double *places, float *turns);

#endif
