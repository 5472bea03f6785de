/* registration_pick.c - a few motions of a registration as one of their own, so that a blend of four among two hundred costs
   what a blend of four costs. */
#include "align/registration_data.h"

#include <string.h>

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

static void pick_times(const marey_registration *of, const int *motions, int count,
                       marey_registration *out)
{
    double *points = out->times.points;
    out->times = of->times;
    out->times.points = points;
    out->times.dims = count;
    for (int p = 0; p < of->times.count; p++) {
        const double *from = of->times.points + (size_t)p * (size_t)of->count;
        for (int k = 0; k < count; k++) points[p * count + k] = from[motions[k]];
    }
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
    pick_times(of, motions, count, out);
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
