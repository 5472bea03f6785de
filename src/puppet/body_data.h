/* body_data.h - the inside of bodies that follow a puck. Read by body_*.c.

   Everything is on the plan, seen from above: x to the right, y up (the scene's z is -y), turns
   counter-clockwise. The body is where its hips are. A hop is a fixed small number of frames: on
   along the sequence, over at most one transition. What a hop does to the body is known beforehand,
   so that looking ahead is adding hops up. */
#ifndef MRY_BODY_DATA_H
#define MRY_BODY_DATA_H

#include "control/control_data.h"
#include "puppet/puppet_data.h"

enum {
    MRY_BODY_MOST_HOPS = 32,   /* of a node */
    MRY_BODY_WAYS = 16,        /* directions in which the reach is tabulated */
    MRY_BODY_MOST_LAYERS = 16, /* hops that are looked ahead */
    MRY_BODY_LAYERS = 8,
    MRY_BODY_MADE_LAYERS = 12,
    MRY_BODY_WIDTH = 48,      /* of the beam, live .. */
    MRY_BODY_MADE_WIDTH = 256 /* .. and where there is time */
};

#define MRY_BODY_HOP_S (1.0 / 6)
#define MRY_BODY_TURN_RAD_S 0.3 /* bent by so much at most .. */
#define MRY_BODY_SHIFT 0.1      /* .. and so much of the way that it makes */

typedef struct mry_hop {
    int to;         /* the node it ends with */
    int transition; /* -1: none */
    int stay;       /* frames before it is taken */
    int owes;       /* frames to go on behind the hop before there may be another */
    float x, y;     /* how far the hips go, seen as the first node's sequence lies */
    float c, s;     /* by how much how it lies is turned */
    float cost;     /* of the transition, in cm */
} mry_hop;

typedef struct mry_stance { /* of a node, seen as its sequence lies */
    float vx, vy;           /* how it moves, cm/s .. */
    float fx, fy;           /* .. and faces: of length 1 */
    float odd;              /* what it costs to be like that: bent down, sitting; cm */
} mry_stance;

struct marey_body_ground {
    mry_arena mem; /* everything lives here, and so does the ground itself */
    const marey_graph *graph;
    const marey_policy *policy;
    int frames;          /* of a hop */
    int *first;          /* nodes + 1: hops of a node from here on */
    mry_hop *hops;       /* that of a node without a transition first */
    mry_stance *stances; /* of each node */
    /* Nodes x MRY_BODY_WAYS: how far one gets that way, seen as the sequence lies; cm. */
    float *reach;
    double farthest; /* of all these */
};

/* ---- body_ground.c --------------------------------------------------------------------------- */

/* How far one gets from a node towards (x, y), seen as its sequence lies. */
double mry_ground_reach(const marey_body_ground *ground, int node, double x, double y);

/* ---- body_search.c: which hops to take ------------------------------------------------------- */

/* Where it should be after each hop. */
typedef struct mry_aim {
    double x, y;   /* seen from where the search begins */
    double vx, vy; /* cm/s */
    double fx, fy; /* where it should look while it stands: of length 1 */
} mry_aim;

/* A body on its way. */
typedef struct mry_spot {
    double x, y; /* of the hips */
    double c, s; /* how the sequence lies */
    double cost; /* so far */
    int node;
    int age;  /* frames since the last transition */
    int owes; /* frames to go on before there may be another */
    int from, hop;
    double turn, bx, by; /* how the hop is bent, all of it */
} mry_spot;

typedef struct mry_try {
    float cost;
    int from, hop, owes;
} mry_try;

typedef struct mry_search {
    const marey_body_ground *ground;
    int width, layers;
    double catch_up_s; /* as in marey_body_def */
    bool apart;        /* ways that meet in a node stay apart, as long as there is room */
    mry_spot *spots[MRY_BODY_MOST_LAYERS + 1]; /* width each */
    int counts[MRY_BODY_MOST_LAYERS + 1];
    mry_try *tries; /* a heap, the worst first */
    int tried;
    int *met; /* hash table: nodes of this layer's tries */
    int met_room;
} mry_search;

/* Lives in mem. false: out of memory. */
bool mry_search_open(mry_search *search, mry_arena *mem, const marey_body_ground *ground, int width,
                     int layers, double catch_up_s);
/* The best way from `begin` (x and y are 0) for these aims, one a layer. Writes its spots, from
   `begin` on; returns how many hops they have: less than there are layers where it leads no
   farther. Allocates nothing. */
int mry_search_run(mry_search *search, const mry_spot *begin, const mry_aim *aims, mry_spot *way);
/* Whether a body may take a hop from a spot: it stays in every piece for as long as its graph wants
   it to, and ends where it can go on. For judges, too. */
bool mry_spot_may(const marey_body_ground *ground, const mry_spot *from, const mry_hop *hop);
/* A spot a hop later; its cost with it. For judges, too. */
mry_spot mry_spot_hop(const mry_search *search, const mry_spot *from, const mry_hop *hop,
                      const mry_aim *aim);
/* What is to come behind the last of the hops. */
double mry_spot_left(const mry_search *search, const mry_spot *spot, const mry_aim *aim);

/* ---- body_follow.c --------------------------------------------------------------------------- */

/* A frame that it was in. */
typedef struct mry_body_frame {
    int node;
    mry_floor laid;
    double x_cm, y_cm, direction_rad; /* on the plan */
} mry_body_frame;

struct marey_body {
    mry_arena mem;
    const marey_body_ground *ground;
    marey_body_ground *own; /* if it found it itself */
    marey_controller *controller;
    double fps;
    mry_search search;
    int until;      /* the next plan: in so many frames */
    int hop, frame; /* of the way: the hop it is in and frames of it that are done */
    int age, owes;  /* as of spots */
    int hops;
    mry_spot way[MRY_BODY_MOST_LAYERS + 1];
    int64_t steps;
    marey_entity wanted; /* a frame ago */
    double vx, vy, turn; /* of the puck, smoothed: cm/s, rad/s */
    double x_cm, y_cm;   /* where it is */
    mry_body_frame *kept;
    int keeps, kept_count;
};

#endif
