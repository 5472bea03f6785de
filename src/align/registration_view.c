/* registration_view.c - what a registration curve says, and a few of its motions as one of their
   own, so that a blend of four among two hundred costs what a blend of four costs. */
#include "align/registration_data.h"
#include "math/floor.h"

#include <assert.h>
#include <string.h>

int marey_registration_count(const marey_registration *registration)
{
    return registration->count;
}

const marey_clip *marey_registration_clip(const marey_registration *registration, int motion)
{
    assert(motion >= 0 && motion < registration->count);
    return registration->clips[motion];
}

double marey_registration_fps(const marey_registration *registration)
{
    return registration->fps;
}

int marey_registration_reference(const marey_registration *registration)
{
    return registration->reference;
}

int marey_registration_parent(const marey_registration *registration, int motion)
{
    assert(motion >= 0 && motion < registration->count);
    return registration->parents[motion];
}

const marey_path *marey_registration_path(const marey_registration *registration, int motion)
{
    assert(motion >= 0 && motion < registration->count);
    return motion == registration->reference ? NULL : &registration->paths[motion];
}

/* ---- curves ---------------------------------------------------------------------------------- */

void marey_registration_range(const marey_registration *registration, double *first, double *last)
{
    *first = registration->first;
    *last = registration->last;
}

static double held(const marey_registration *registration, double u)
{
    return u < registration->first  ? registration->first
           : u > registration->last ? registration->last
                                    : u;
}

void marey_registration_times(const marey_registration *registration, double u, double *rows,
                              double *slopes)
{
    mry_spline_at(&registration->times, held(registration, u), rows, slopes);
}

double marey_registration_find(const marey_registration *registration, int motion, double row)
{
    assert(motion >= 0 && motion < registration->count);
    return held(registration, mry_spline_find(&registration->times, motion, row));
}

marey_placement marey_registration_place(const marey_registration *registration, int motion,
                                         double u)
{
    const mry_floor_curve *floor = &registration->floors[motion];
    double at[MRY_FLOOR_DIMS];
    assert(motion >= 0 && motion < registration->count);
    if (motion == registration->reference) return (marey_placement){ .sure = true };
    mry_spline_at(&floor->curve, held(registration, u), at, NULL);
    double x = -(floor->origin_own[0] + at[MRY_OWN_X]);
    double z = -(floor->origin_own[1] + at[MRY_OWN_Z]);
    mry_floor_turn(at[MRY_ANGLE], &x, &z);
    return (marey_placement){ .angle_rad = at[MRY_ANGLE],
                              .x_cm = x + floor->origin_goal[0] + at[MRY_GOAL_X],
                              .z_cm = z + floor->origin_goal[1] + at[MRY_GOAL_Z],
                              .sure = true };
}

const double *marey_registration_knots(const marey_registration *registration, int *count,
                                       int *base, double *epsilon)
{
    *count = registration->times.count;
    *base = registration->base;
    *epsilon = registration->epsilon;
    return registration->times.points;
}

const marey_constraint_match *marey_registration_matches(const marey_registration *registration,
                                                         int *count)
{
    *count = registration->match_count;
    return registration->matches;
}

/* ---- a few of its motions -------------------------------------------------------------------- */

bool mry_registration_room(mry_arena *mem, const marey_registration *registration, int most,
                           marey_registration *out)
{
    size_t points = (size_t)registration->times.count, n = (size_t)most,
           matches = (size_t)registration->match_count;
    *out = (marey_registration){ .mem = { .ctx = registration->mem.ctx } };
    out->clips = MRY_NEW(mem, const marey_clip *, n);
    out->parents = MRY_NEW(mem, int, n);
    out->paths = MRY_NEW(mem, marey_path, n);
    out->floors = MRY_NEW(mem, mry_floor_curve, n);
    out->times.points = MRY_NEW(mem, double, points *n);
    out->matches = MRY_NEW(mem, marey_constraint_match, matches + 1);
    out->room = MRY_NEW(mem, marey_match_span, matches * n + 1);
    return out->clips && out->parents && out->paths && out->floors && out->times.points &&
           out->matches && out->room;
}

void mry_registration_pick(const marey_registration *registration, const int *motions, int count,
                           marey_registration *out)
{
    out->count = count;
    out->fps = registration->fps;
    out->first = registration->first;
    out->last = registration->last;
    out->base = 0;
    out->epsilon = registration->epsilon;
    out->reference = -1;
    double *points = out->times.points;
    out->times = registration->times;
    out->times.points = points;
    out->times.dims = count;
    for (int p = 0; p < registration->times.count; p++) {
        const double *from = registration->times.points + (size_t)p * (size_t)registration->count;
        for (int k = 0; k < count; k++) points[p * count + k] = from[motions[k]];
    }
    for (int k = 0; k < count; k++) {
        out->clips[k] = registration->clips[motions[k]];
        out->floors[k] = registration->floors[motions[k]];
        out->parents[k] = -1;
        if (motions[k] == registration->reference) out->reference = k;
    }
    out->match_count = registration->match_count;
    for (int m = 0; m < registration->match_count; m++) {
        marey_match_span *spans = out->room + (size_t)m * (size_t)count;
        out->matches[m] = (marey_constraint_match){ registration->matches[m].joint, spans };
        for (int k = 0; k < count; k++) spans[k] = registration->matches[m].spans[motions[k]];
    }
}
