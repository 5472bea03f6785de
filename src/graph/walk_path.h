/* walk_path.h - the search for a walk along a path: what a frame of it costs, the states that are
   still to be looked at, and the search itself. Read by walk_path*.c and their tests. */
#ifndef MRY_WALK_PATH_H
#define MRY_WALK_PATH_H

#include "graph/walk_data.h"

/* ---- floor_path.c: a path drawn on the floor, measured along itself -------------------------- */

/* Longer than any drawn path; coordinates are held to it, too. */
#define MRY_FLOOR_PATH_MOST_CM 1e6

typedef struct mry_floor_path {
    int count;       /* points, at least 2, all `spacing` apart along the path */
    double spacing;  /* cm */
    double length;   /* cm */
    double *x, *z;   /* of the points */
    double *tx, *tz; /* where it leads at each, unit length, over a little before and behind it */
} mry_floor_path;

/* Lives in mem. `points` are x, z in turn. REQUEST: fewer than 2 points, a number that is not
   finite or too large, no length. MEMORY. */
marey_status mry_floor_path_open(mry_floor_path *path, mry_arena *mem, const double *points,
                                 int count, marey_error *error);

/* floor_path_bend.c: leads it round obstacles, as near as a body may come to them. Errors: as above. */
marey_status mry_floor_path_bend(mry_floor_path *path, mry_arena *mem,
                                 const marey_walk_obstacle *obstacles, int count,
                                 marey_error *error);

/* Its arrays, of path->count points. Lives in mem. false: out of memory. */
bool mry_floor_path_room(mry_floor_path *path, mry_arena *mem);
/* Where it leads, from its points. */
void mry_floor_path_aim(mry_floor_path *path);

/* floor_path_round.c: a path without bends that are tighter than a radius; of each of its points how
   far along the drawn one that is, and how far from there. */
typedef struct mry_rounded {
    mry_floor_path path;
    int count;           /* of the two */
    double *along, *off; /* cm */
    double mean_off, most_off;
} mry_rounded;

/* Lives in mem. radius 0: as it was drawn. MEMORY. */
marey_status mry_floor_path_round(const mry_floor_path *drawn, mry_arena *mem, double radius,
                                  mry_rounded *out, marey_error *error);

/* Where the rounded path is, so far along the drawn one. */
double mry_rounded_arc(const mry_rounded *rounded, double along);

/* The curvature, radians a centimetre, of the circle that leads from a place and a heading (atan2(x,
   z)) to the point of the path so far ahead of an arc length; infinite if that lies behind. */
double mry_floor_path_steer(const mry_floor_path *path, double arc, double ahead, double x,
                            double z, double heading);

/* The place between arc lengths `from` and from + most that is nearest to (x, z), the first of
   equal ones. *away: how far that is. */
double mry_floor_path_follow(const mry_floor_path *path, double from, double most, double x,
                             double z, double *away);

/* Where it leads at an arc length; shorter than unit length where it bends sharply. */
static inline void mry_floor_path_ahead(const mry_floor_path *path, double arc, double *x,
                                        double *z)
{
    double at = arc / path->spacing;
    int i = at < path->count - 2 ? (int)at : path->count - 2;
    *x = path->tx[i] + (at - i) * (path->tx[i + 1] - path->tx[i]);
    *z = path->tz[i] + (at - i) * (path->tz[i + 1] - path->tz[i]);
}

/* ---- walk_path.c: what is known of the nodes before the search ------------------------------- */

/* How the body of a node goes over the floor, seen over a second. */
typedef struct mry_going {
    float heading; /* atan2(x, z) */
    float step;    /* cm a frame; 0: it goes nowhere */
    float curve;   /* by how much it turns, radians a centimetre */
} mry_going;

typedef struct mry_tracks {
    const marey_graph *graph;
    const mry_ways *ways;
    mry_going *goings;      /* of each node */
    float *face_x, *face_z; /* of each node: where the body looks, unit length; 0, 0: not known */
    float *pace;            /* of each node: what a frame costs for its time and its speed */
    uint8_t *choice;        /* of each free node: a transition leaves it that may be used */
    double frame; /* what costs of frames are multiplied with, so that the rate does not matter */
    double join, poor; /* a transition costs so much, and so much more for every unit of distance */
    double least;      /* no way costs less for a centimetre of path; the bound */
    double usual;      /* speed of the nodes that move, cm/s: the median; 0: none moves */
    double longest;    /* no step of the body is longer, cm */
} mry_tracks;

/* The speed of a node is taken over so long on either side: a body that walks sways. */
#define MRY_PATH_PACE_S 0.25

/* What a frame costs, cm: walk_path.c says why. */
#define MRY_PATH_TIME_CM 4.0
#define MRY_PATH_SOFT_CM                                                                           \
    8.0 /* so far from the path one does not see it yet: it costs half of what it is */
#define MRY_PATH_LOOK_CM                                                                           \
    20.0 /* for looking at right angles to the path; twice that for looking back */
#define MRY_PATH_END_FRAMES                                                                        \
    15 /* the last frame counts for so many: it is to be at the end of the path */

/* The path point that belongs to a frame gains at most so many times the step that the body
   made. */
#define MRY_PATH_GAIN 1.25

/* Where a body of these joint positions looks, unit length. false: it does not tell. */
bool mry_body_faces(const marey_skeleton *skeleton, const float *body, double *x, double *z);

/* Lives in mem. false: out of memory. */
bool mry_tracks_open(mry_tracks *tracks, mry_arena *mem, const mry_ways *ways);

/* walk_bend.c: tracks->goings. Lives in mem. false: out of memory. */
bool mry_tracks_find_goings(mry_tracks *tracks, mry_arena *mem);

/* ---- walk_path.c: going along it ------------------------------------------------------------- */

/* How a walk stands. */
typedef struct mry_path_at {
    int node;
    mry_floor place; /* how the node is laid on the floor */
    double turn_cos, turn_sin;
    double x, z;      /* the body */
    double arc, away; /* the path point that belongs to it, and how far that is */
    double off;       /* what that costs */
    double cost;      /* of all frames so far */
    double bend;      /* how it is bent, radians a centimetre .. */
    double turned;    /* .. and by how much it was turned for its last frame */
} mry_path_at;

typedef struct mry_path_task {
    const mry_tracks *tracks;
    const mry_floor_path *path;
    double goal; /* arc length at which the end is reached */
    /* NULL, or of each node what it costs to end there, INFINITY: it is no end. Then a walk ends with
       such a node from the goal on, the nearer to the spot the better. */
    const float *ends;
    double spot_x, spot_z;
    /* Instead of a path: then an arc is a time in frames. */
    const struct mry_goals *goals;
    const marey_walk_obstacle *obstacles;
    int obstacle_count;
    double bend_cm; /* a walk is bent to this radius at most; 0: not at all */
} mry_path_task;

/* Called for every frame of a step. */
typedef void (*mry_path_seen)(void *user, const mry_path_at *at);

mry_path_task mry_path_begin(const mry_tracks *tracks, const mry_floor_path *path);

/* walk_bend.c: by how much a walk is turned about where its body is, before it goes on to a node;
   radians. */
double mry_path_steer(const mry_path_task *task, mry_path_at *at, int node);
/* walk_bend.c: what the last frame costs for that. */
double mry_path_bend_cost(const mry_path_task *task, const mry_path_at *at);
/* walk_bend.c: the tightest bend that is added, cm of radius; 0: none is. */
double mry_path_tightest(const marey_walk_def *def);
/* walk_bend.c: the radius that a path must have everywhere for walks to follow it, cm; 0: any, if
   walks are not bent. */
double mry_path_radius(const mry_tracks *tracks, const marey_walk_def *def);

/* What the rest costs at least. */
static inline double mry_path_bound(const mry_path_task *task, double arc)
{
    return arc < task->goal ? (task->goal - arc) * task->tracks->least : 0;
}

/* Whether the body would be in an obstacle. */
static inline bool mry_path_blocked(const mry_path_task *task, double x, double z)
{
    for (int i = 0; i < task->obstacle_count; i++) {
        const marey_walk_obstacle *one = &task->obstacles[i];
        double dx = x - one->x_cm, dz = z - one->z_cm;
        double reach = one->radius_cm + MAREY_WALK_HALF_WIDTH_CM;
        if (dx * dx + dz * dz < reach * reach) return true;
    }
    return false;
}

static inline bool mry_path_done(const mry_path_task *task, double arc)
{
    return arc >= task->goal;
}

/* A walk that has come so far goes no farther. */
static inline bool mry_path_over(const mry_path_task *task, double arc)
{
    return arc >= task->goal && !task->ends;
}

/* How a walk begins that comes from elsewhere: with a node that is laid somewhere, and `stay` frames
   before it is free. */
typedef struct mry_path_entry {
    int node, stay;
    mry_floor place;
    double cost;
} mry_path_entry;

/* walk_route.c: the path of a definition as walks follow it: rounded, and led round obstacles. Lives
   in mem. REQUEST: a path or bend that is invalid. MEMORY. */
marey_status mry_route_open(mry_rounded *route, mry_arena *mem, const mry_tracks *tracks,
                            const marey_walk_def *def, marey_error *error);

/* REQUEST: too many, a number that is not finite or too large, a radius that is negative. */
marey_status mry_obstacles_check(const marey_walk_def *def, marey_error *error);

/* ---- walk_path_open.c: states, by how far along the path they are ---------------------------- */

typedef struct mry_path_state {
    mry_floor place;
    double arc, cost; /* cost: INFINITY once a better one took its place */
    double bend;      /* as mry_path_at has it */
    int node;
    int from;       /* the state before; -1: a beginning */
    int transition; /* the step that led here; of a beginning the node it began with, or which of
                       the given ones it is */
    bool expanded;
} mry_path_state;

typedef struct mry_path_item {
    double key;
    int state;
} mry_path_item;

typedef struct mry_path_heap {
    mry_path_item *items;
    int count, room;
} mry_path_heap;

typedef struct mry_path_cell {
    uint32_t hash;
    int state; /* -1: free */
} mry_path_cell;

enum { MRY_PATH_BLOCK_BITS = 14 };

typedef struct mry_path_open {
    marey_ctx *ctx;
    const mry_path_task *task;
    double stretch;  /* of an arc: those in one are one layer */
    double cell_arc; /* keeps apart where a path crosses itself */
    /* States of a node so close together are one; 0: only those that are the same. */
    double cell_cm;
    mry_path_state **blocks; /* of states; they stay where they are, and the last is not full */
    int count, block_count, block_room;
    mry_path_heap *layers;
    int layer_count;
    mry_path_cell *cells; /* hashed */
    int cell_count, cell_room;
} mry_path_open;

static inline mry_path_state *mry_path_state_at(const mry_path_open *open, int number)
{
    return &open->blocks[number >> MRY_PATH_BLOCK_BITS][number & ((1 << MRY_PATH_BLOCK_BITS) - 1)];
}

bool mry_path_open_make(mry_path_open *open, marey_ctx *ctx, const mry_path_task *task,
                        double cell_cm);
void mry_path_open_free(mry_path_open *open);

/* Keeps a state unless one as good is in its cell; *kept: its number, or -1. false: out of
   memory. */
bool mry_path_open_put(mry_path_open *open, const mry_path_state *state, int *kept);

/* The most promising state of a layer; -1: it is empty. Those that cost `most` or more are thrown
   away. */
int mry_path_open_pop(mry_path_open *open, int layer, double most);

/* ---- walk_goals.c: places at times instead of a path ----------------------------------------- */

typedef struct mry_goal {
    int frame;
    double x, z;
    bool heads;
    double face_x, face_z; /* where it is to look, unit length, if it heads */
    double legs;           /* of the ways from here to all goals behind it, as the crow flies, cm */
    float *field;          /* of the floor's grid: how long the way from there is; NULL: straight */
} mry_goal;

typedef struct mry_goals {
    const mry_tracks *tracks;
    mry_goal *goals;
    int count;
    int end;                 /* frame of the last */
    uint16_t *next;          /* of each frame: the goal at it or behind it */
    double x, z;             /* where it begins .. */
    double ahead_x, ahead_z; /* .. and which way, unit length */
    bool faces;              /* that is where it looks, however it moves */
    float *go, *wait; /* of each node: what a frame costs if it is on its way, or is to stand */
    float *look_x, *look_z; /* of each node: where it looks, or else moves; 0, 0: neither */
    float *stir;            /* of each node: the mean speed of its joints, cm/s */
    float *join;            /* of each transition: what it costs */
    bool can_stand;         /* for as long as it likes */
    /* The floor's grid. */
    int cols, rows;
    double left, top, cell;
} mry_goals;

/* Lives in mem. REQUEST: goals or obstacles that are invalid. MEMORY. */
marey_status mry_goals_open(mry_goals *goals, mry_arena *mem, const mry_tracks *tracks,
                            const marey_walk_def *def, marey_error *error);

/* walk_goal_nodes.c: what nodes and transitions cost, and whether a walk can stand. false: out of
   memory. */
bool mry_goals_find_nodes(mry_goals *goals, mry_arena *mem);

/* A frame is reached, at (x, z) after a step of the body: its time and what it costs. */
void mry_goals_arrive(const mry_goals *goals, mry_path_at *at, int node, double x, double z,
                      double step);
/* What the rest costs at least, and what it may cost. */
double mry_goals_bound(const mry_goals *goals, const mry_path_state *state);
double mry_goals_guess(const mry_goals *goals, const mry_path_state *state);
/* Whether it is the time of a goal, and that is not reached; *off: how far it is then, else 0. */
bool mry_goals_missed(const mry_goals *goals, const mry_path_at *at, double *off);
/* How long the way from a place to a goal is. */
double mry_goals_way(const mry_goals *goals, int goal, double x, double z);

/* What the rest costs at least. */
static inline double mry_path_rest(const mry_path_task *task, const mry_path_state *state)
{
    return task->goals ? mry_goals_bound(task->goals, state) : mry_path_bound(task, state->arc);
}

/* ---- walk_path.c: the search ----------------------------------------------------------------- */

typedef struct mry_path_search {
    mry_path_task task;
    mry_path_open open;
    /* Where it begins, and how far along the path that is; none: at the path's beginning. */
    const mry_path_entry *begins;
    int begin_count;
    double begin_arc;
    int64_t effort, expanded, first_after;
    int64_t most;  /* states it may hold; 0: any number */
    int best;      /* state that reached the end at least cost; -1: none did */
    double cost;   /* of that */
    int farthest;  /* state that came farthest and is not lost */
    double reach;  /* of that */
    bool finished; /* nothing is left that could be better */
    /* Called for every better one; false ends the search. */
    bool (*better)(void *user, struct mry_path_search *search);
    void *user;
} mry_path_search;

/* `from`: the node to begin with; -1: any. MEMORY, CANCELLED. */
marey_status mry_path_search_run(mry_path_search *search, int from, marey_error *error);

/* ---- walk_path.c: a stretch of a path -------------------------------------------------------- */

typedef struct mry_path_leg {
    const mry_path_entry *begins; /* none: at the path's beginning, with any node or `from` */
    int begin_count, from;
    double begin_arc;
    const float *ends; /* as a task has them; NULL: to the end of the path */
    double end_arc;
    double bend_cm;
    int64_t effort;
} mry_path_leg;

/* How the last node of a walk stands. */
typedef struct mry_path_stood {
    double arc, away; /* away: from the spot, if it has ends */
    mry_floor place;
    int begin; /* which of the begins it began with; -1: none were given */
} mry_path_stood;

/* Free *out with marey_walk_free. arrived: it ends as it should. */
marey_status mry_walk_path_leg(marey_ctx *ctx, const mry_ways *ways, const mry_tracks *tracks,
                               const mry_floor_path *path, const mry_path_leg *leg, marey_walk *out,
                               mry_path_stood *stood, marey_error *error);

#endif
