/* registration_view.c - what a registration curve says, and a few of its motions as one of their own, so that a blend of four
   among two hundred costs what a blend of four costs. */
#include "align/registration_data.h"
#include "math/floor.h"

#include <assert.h>
#include <string.h>

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

/* ---- a few of its motions -------------------------------------------------------------------- */

bool mry_registration_room(mry_arena *mem, const marey_registration *of, int most,
                           marey_registration *out)
{
    size_t points = (size_t)of->times.count, n = (size_t)most, matches = (size_t)of->match_count;
    *out = (marey_registration){ .mem = { .ctx = of->mem.ctx } };
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

void mry_registration_pick(const marey_registration *of, const int *motions, int count,
                           marey_registration *out)
{
    out->count = count;
    out->fps = of->fps;
    out->first = of->first;
    out->last = of->last;
    out->base = 0;
    out->epsilon = of->epsilon;
    out->reference = -1;
    double *points = out->times.points;
    out->times = of->times;
    out->times.points = points;
    out->times.dims = count;
    for (int p = 0; p < of->times.count; p++) {
        const double *from = of->times.points + (size_t)p * (size_t)of->count;
        for (int k = 0; k < count; k++) points[p * count + k] = from[motions[k]];
    }
    for (int k = 0; k < count; k++) {
        out->clips[k] = of->clips[motions[k]];
        out->floors[k] = of->floors[motions[k]];
        out->parents[k] = -1;
        if (motions[k] == of->reference) out->reference = k;
    }
    out->match_count = of->match_count;
    for (int m = 0; m < of->match_count; m++) {
        marey_match_span *spans = out->room + (size_t)m * (size_t)count;
        out->matches[m] = (marey_constraint_match){ of->matches[m].joint, spans };
        for (int k = 0; k < count; k++) spans[k] = of->matches[m].spans[motions[k]];
    }
}
