/* registration_data.h - the inside of a registration curve, and what the files that build it share.
   Read by align; blend goes by the public view.

   S(u) is one spline over all motions. A_j(u) turns motion j by angle(u) about its own path's place
   own(u) and moves that
   to goal(u):  p -> R(angle) (p - own) + goal,  R: x cos + z sin, -x sin + z cos.  own is kept relative to the motion's
   origin, a place on its path, and goal relative to the reference's, so that a motion 1 km away
   loses nothing (READING: curves 4.3). */
#ifndef MRY_REGISTRATION_DATA_H
#define MRY_REGISTRATION_DATA_H

#include "grid/grid_data.h"
#include "math/bspline.h"

#include <marey/align.h>

enum { MRY_MOST_MOTIONS = 256 };

/* The numbers of a place on the floor curve, in this order. */
enum { MRY_ANGLE, MRY_OWN_X, MRY_OWN_Z, MRY_GOAL_X, MRY_GOAL_Z, MRY_FLOOR_DIMS };

typedef struct mry_floor_curve {
    double origin_own[2], origin_goal[2]; /* x, z */
    mry_spline curve; /* 5 dims, as MRY_ANGLE and so on; no points for the reference */
} mry_floor_curve;

struct marey_registration {
    mry_arena mem; /* everything below lives here, and so does the registration itself */
    int count;
    const marey_clip **clips;
    double fps;
    int reference;
    int *parents;       /* count */
    marey_path *paths;  /* count; cells in mem; count 0 for the reference */
    mry_spline times;   /* S(u), dims = count */
    double first, last; /* the part of it in which every motion is inside its clip */
    int base;
    double epsilon;
    mry_floor_curve *floors; /* count */
    int match_count;
    marey_constraint_match *matches;
    marey_match_span *room; /* of a picked one: its matches' spans */
};

/* ---- a few of its motions ---- registration_view.c */

/* An empty registration in `mem` with room for up to `most` motions of this one. It is not to be
   freed: it goes with the arena. false: out of memory. */
bool mry_registration_room(mry_arena *mem, const marey_registration *registration, int most,
                           marey_registration *out);

/* Fills it with these motions, in this order. Its curves and matches are the same; there is no tree
   and there are no paths, and the reference may be missing (-1). Borrows from the one given.
   Allocates nothing. */
void mry_registration_pick(const marey_registration *registration, const int *motions, int count,
                           marey_registration *out);

/* ---- building -------------------------------------------------------------------------------- */

/* A motion and its parent. */
typedef struct mry_pair_curve {
    mry_spline times;   /* 2 dims: the parent's row, its own */
    double first, last; /* the part in which both are inside their clips */
    bool whole;         /* from the first rows of both to the last */
    int base;           /* dimension */
    mry_spline floor;   /* 5 dims over the same u; own relative to the motion's origin, goal to the
                           parent's */
} mry_pair_curve;

/* What the steps of a build hand on. Everything lives in `tmp` but the registration and the
   features. */
typedef struct mry_registration_job {
    marey_ctx *ctx;
    mry_arena *tmp;
    int count;
    const marey_clip *const *clips;
    marey_registration_def def; /* every default filled in */
    marey_layout *layout;
    marey_features **features;
    mry_vec **means;   /* of every row's window, for each motion; means[i][0] is its origin */
    double *last_rows; /* the row of each clip's last frame: up to one behind its last whole row */
    mry_pair_curve *pairs; /* count; not filled for the reference */
    marey_registration *out;
} mry_registration_job;

/* An empty registration of so many motions, in an arena of its own. NULL: out of memory.
   (registration.c) */
marey_registration *mry_registration_make(marey_ctx *ctx, const marey_clip *const *clips,
                                          int count);

/* Is this one tree with its root in `reference`? (registration.c) */
bool mry_tree_is_sound(const int *parents, int count, int reference);

/* The row of a clip's last frame, at a rate; whole if it is so but for rounding.
   (registration.c) */
double mry_last_row(const marey_clip *clip, double fps);

/* The tree and its paths: given, or found by aligning pairs. (registration_pairs.c) */
marey_status mry_registration_align(mry_registration_job *job, marey_error *error);

/* One motion with its parent: S, then A. (pair_curve.c) */
marey_status mry_pair_curve_fit(mry_registration_job *job, int motion, marey_error *error);
bool mry_floor_curve_fit(mry_registration_job *job, int motion); /* false: out of memory */

/* The part of a spline in which dimension d is within 0 .. last_rows[d]. false: there is none.
   (pair_curve.c) */
bool mry_curve_inside(const mry_spline *times, const double *last_rows, double *first,
                      double *last);

/* Constraint matches; contacts may be NULL, and are found then. (registration.c) */
marey_status mry_registration_match(marey_registration *registration,
                                    const marey_contacts *contacts, marey_error *error);

#endif
