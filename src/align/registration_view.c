/* registration_view.c - what a registration curve says. */
#include "align/registration_data.h"

#include "math/floor.h"

#include <assert.h>

int marey_registration_count(const marey_registration *of)
{
    return of->count;
}

const marey_clip *marey_registration_clip(const marey_registration *of, int motion)
{
    assert(motion >= 0 && motion < of->count);
    return of->clips[motion];
}

double marey_registration_fps(const marey_registration *of)
{
    return of->fps;
}

int marey_registration_reference(const marey_registration *of)
{
    return of->reference;
}

int marey_registration_parent(const marey_registration *of, int motion)
{
    assert(motion >= 0 && motion < of->count);
    return of->parents[motion];
}

const marey_path *marey_registration_path(const marey_registration *of, int motion)
{
    assert(motion >= 0 && motion < of->count);
    return motion == of->reference ? NULL : &of->paths[motion];
}

/* ---- curves ------------------------------------------------------------------------------------------ */

void marey_registration_range(const marey_registration *of, double *first, double *last)
{
    *first = of->first;
    *last = of->last;
}

static double held(const marey_registration *of, double u)
{
    return u < of->first ? of->first : u > of->last ? of->last : u;
}

void marey_registration_times(const marey_registration *of, double u, double *rows, double *slopes)
{
    mry_spline_at(&of->times, held(of, u), rows, slopes);
}

double marey_registration_find(const marey_registration *of, int motion, double row)
{
    assert(motion >= 0 && motion < of->count);
    return held(of, mry_spline_find(&of->times, motion, row));
}

marey_placement marey_registration_place(const marey_registration *of, int motion, double u)
{
    const mry_floor_curve *floor = &of->floors[motion];
    double at[MRY_FLOOR_DIMS];
    assert(motion >= 0 && motion < of->count);
    if (motion == of->reference) return (marey_placement){ .sure = true };
    mry_spline_at(&floor->curve, held(of, u), at, NULL);
    double x = -(floor->origin_own[0] + at[MRY_OWN_X]);
    double z = -(floor->origin_own[1] + at[MRY_OWN_Z]);
    mry_floor_turn(at[MRY_ANGLE], &x, &z);
    return (marey_placement){ .angle_rad = at[MRY_ANGLE],
                              .x_cm = x + floor->origin_goal[0] + at[MRY_GOAL_X],
                              .z_cm = z + floor->origin_goal[1] + at[MRY_GOAL_Z],
                              .sure = true };
}

const double *marey_registration_knots(const marey_registration *of, int *count, int *base,
                                       double *epsilon)
{
    *count = of->times.count;
    *base = of->base;
    *epsilon = of->epsilon;
    return of->times.points;
}

const marey_constraint_match *marey_registration_matches(const marey_registration *of, int *count)
{
    *count = of->match_count;
    return of->matches;
}
