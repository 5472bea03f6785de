/* solve.h - the steps from points to a body, in their order. Read by retarget.

       solve_tree.c    which points are joints, and what hangs on what
       solve_points.c  noise, gaps and smoothing
       solve_bones.c   lengths, what keeps its place below a joint, the rest pose
       solve_turns.c   positions that keep the lengths, then rotations

   Everything by joint lies joint after joint, all frames of one together: at[j * frames + f]. */
#ifndef MRY_SOLVE_H
#define MRY_SOLVE_H

#include "base/arena.h"
#include "math/turn.h"

#include <marey/retarget.h>

enum { MRY_SOLVE_MOST_POINTS = 4096 };

/* Joints in depth-first order, and the points that each is the mean of: point[first[j]] up to
   point[first[j + 1]]. */
typedef struct mry_solve_tree {
    int count;
    const char **name;
    int *parent, *first, *point;
    const char *preset; /* "" for none */
} mry_solve_tree;

/* What a joint turns towards: another joint that keeps its place below it (strong), or roughly
   does. `rest` is where that is in the rest pose, seen from the joint. */
typedef struct mry_solve_aim {
    int target;
    bool strong;
    double weight; /* of the fit */
    mry_vec rest;
} mry_solve_aim;

typedef struct mry_solve_joint {
    const char *name;
    int parent;
    int point;      /* the joint of the tree whose points it has */
    bool twin;      /* put in at the place of its parent, for a child that turns by itself */
    bool moves;     /* below the root, and at no constant distance from it */
    double length;  /* from the parent; 0 for twins */
    mry_vec offset; /* from the parent in the rest pose */
    int first_aim, aim_count;
    bool frame;    /* its aims tell all of its rotation, else its one direction */
    bool holds;    /* some of them are strong */
    mry_vec hinge; /* at right angles to the bend of a knee or elbow at rest; zero: no hinge */
    int lower;     /* the joint that a hinge moves */
    /* Of a joint between two whose aims tell all, as in a spine: these, and how far it is on the way
       from the one to the other; -1: it is not. */
    int top, bottom;
    double share;
    bool held; /* at the place of its parent, which holds what it aims at */
    bool neck; /* on the way to the head, and no point tells how far it is twisted */
} mry_solve_joint;

typedef struct mry_solve {
    marey_ctx *ctx;
    mry_arena *mem;
    int frames;
    double fps;
    mry_solve_tree tree;
    /* Of the joints of the tree, tree.count x frames: cm, y up. */
    mry_vec *at;
    uint8_t *seen;  /* MRY_SEEN .. */
    mry_vec *bone;  /* from the parent, smoothed by itself; NULL: points have no noise */
    double *noise;  /* of each joint along an axis */
    double *length; /* from its parent; 0: at the same place */
    bool *moves;    /* below the root, and at no constant distance from it */
    int roles[MAREY_ROLE_COUNT];
    /* Those of the clip, in depth-first order. */
    int count, aim_count;
    mry_solve_joint *joints;
    mry_solve_aim *aims;
    mry_rot *turn;  /* in the world, count x frames */
    mry_vec *place; /* likewise */
} mry_solve;

/* Not seen, but for so short a time that the way across is known; or longer. */
enum { MRY_SEEN, MRY_SHORT_GAP, MRY_LONG_GAP };

marey_status mry_solve_tree_find(mry_arena *mem, const marey_points *points,
                                 const marey_solve_def *def, mry_solve_tree *out,
                                 marey_error *error);

/* How often the distance of two points is looked at, and how far it strays from its median in all
   but a few of the frames in which both are there; infinite: in none. */
double mry_solve_spread(const mry_vec *a, const mry_vec *b, int frames, double *median);

/* Fills noise[], length[] and moves[]; then gaps, and smooths. false: out of memory. */
bool mry_solve_points_measure(mry_solve *s);
bool mry_solve_points_mend(mry_solve *s);

/* Finds joints, aims and the rest pose. false: out of memory. */
bool mry_solve_bones_find(mry_solve *s);

/* Fills turn[] and place[]. false: out of memory, or cancelled. */
bool mry_solve_turns_find(mry_solve *s);

/* The rotation that carries rest vectors nearest to where they are, by weighted least squares. */
mry_rot mry_solve_fit(const mry_vec *rest, const mry_vec *now, const double *weight, int count);

/* The shortest rotation from one unit vector to another. */
mry_rot mry_solve_swing(mry_vec from, mry_vec to);

#endif
