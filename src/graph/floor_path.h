/* floor_path.h - a path drawn on the floor, measured along itself. Read by walk_path*.c. */
#ifndef MRY_FLOOR_PATH_H
#define MRY_FLOOR_PATH_H

#include "base/arena.h"

/* Longer than any drawn path; coordinates are held to it, too. */
#define MRY_FLOOR_PATH_MOST_CM 1e6

typedef struct mry_floor_path {
    int count;       /* points, at least 2, all `spacing` apart along the path */
    double spacing;  /* cm */
    double length;   /* cm */
    double *x, *z;   /* of the points */
    double *tx, *tz; /* where it leads at each, unit length, over a little before and behind it */
} mry_floor_path;

/* Lives in mem. `points` are x, z in turn. REQUEST: fewer than 2 points, a number that is not finite or too large, no
   length. MEMORY. */
marey_status mry_floor_path_open(mry_floor_path *path, mry_arena *mem, const double *points,
                                 int count, marey_error *error);

/* The place between arc lengths `from` and from + most that is nearest to (x, z), the first of equal ones. *away: how far
   that is. */
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

#endif
