/* blend_rests.c - which parts of a blend's plants are rests. Plants of several motions are one match as soon as they overlap in the
   common time (Kovar & Gleicher 2003, 4.4), and their starts and ends are averaged (5.3) although the feet are not the
   same way on at those times: some motions stand while others step. So the blended foot may still be on its way, or in
   the air, at the averaged start. Holding it there would drag the foot forward and the body down after it; what is
   no rest in the blend is no plant of it. */
#include "blend/blender.h"
#include "feature/feature_data.h"
#include "math/quat.h"
#include "motion/feet.h"

/* In lengths of the leg: a foot that gets so far at no less than so much a second is on its way, and one that is so much
   higher than where it is lowest in its plant has not come down, or has left. Plants that merely slide, which is what
   clean-up is for, are slower or get less far. */
static const double FAST = 0.9, FAR = 0.06, HIGH = 0.035;
static const double LAG_S = 1.0 / 30; /* speeds are means over so long, as where plants are found */
static const double SHORTEST_S = 0.08; /* what is left of a plant and shorter than this is none */

typedef struct rests {
    mry_feet feet;
    double fast_cm, far_cm, high_cm; /* fast_cm: over a lag */
    int lag, shortest;
} rests;

/* The smaller of the ways that a point goes within a lag before the frame and behind it; what lies outside the clip does
   not count. */
static double way_at(const rests *r, int point, int frame)
{
    const double *here = r->feet.at[point] + 3 * (size_t)frame;
    double way = HUGE_VAL;
    if (frame >= r->lag) way = mry_distance3(here, here - 3 * (size_t)r->lag);
    if (frame + r->lag < r->feet.frames)
        way = fmin(way, mry_distance3(here, here + 3 * (size_t)r->lag));
    return way < HUGE_VAL ? way : 0;
}

static double lowest(const rests *r, const marey_contact *plant)
{
    double low = HUGE_VAL;
    for (int f = plant->start; f < plant->end; f++)
        low = fmin(low, mry_foot_height(&r->feet, (int)plant->joint, f));
    return low;
}

/* The next frames of a plant, from *start on, in which its point is on its way; *start is the plant's end if there are
   none. */
static void next_way(const rests *r, const marey_contact *plant, double high, int *start, int *end)
{
    const double *at = r->feet.at[plant->joint];
    for (int f = *start; f < plant->end;) {
        bool rose = false;
        *start = f;
        for (*end = f; *end < plant->end; ++*end) {
            bool up = mry_foot_height(&r->feet, (int)plant->joint, *end) > high;
            if (!up && way_at(r, (int)plant->joint, *end) < r->fast_cm) break;
            rose = rose || up;
        }
        int last = *end < plant->end ? *end : plant->end - 1;
        if (rose || mry_distance3(at + 3 * (size_t)f, at + 3 * (size_t)last) >= r->far_cm) return;
        f = *end > f ? *end : f + 1;
    }
    *start = plant->end;
}

/* The rests of one plant are appended to `out`, which may be NULL; how many there are. */
static int cut_plant(const rests *r, marey_contact plant, marey_contact *out)
{
    int found = 0, at = plant.start;
    if (!r->feet.has[plant.joint]) {
        if (out) *out = plant;
        return 1;
    }
    double high = lowest(r, &plant) + r->high_cm;
    while (at < plant.end) {
        int start = at, end = plant.end;
        next_way(r, &plant, high, &start, &end);
        bool whole = at == plant.start && start == plant.end;
        if (start > at && (whole || start - at >= r->shortest)) {
            if (out) out[found] = (marey_contact){ plant.joint, at, start };
            found++;
        }
        at = start < plant.end ? end : plant.end;
    }
    return found;
}

static int cut_all(const rests *r, const marey_contacts *plants, marey_contact *out)
{
    int found = 0;
    for (int i = 0; i < plants->count; i++)
        found += cut_plant(r, plants->items[i], out ? out + found : NULL);
    return found;
}

bool mry_blend_keep_rests(mry_arena *tmp, const marey_clip *made, marey_contacts *plants)
{
    double size = mry_body_size(made);
    rests r = { .lag = (int)fmax(1, round(LAG_S * made->fps)),
                .shortest = (int)fmax(1, round(SHORTEST_S * made->fps)),
                .far_cm = FAR * size,
                .high_cm = HIGH * size };
    if (plants->count == 0 || !(size > 0)) return true;
    r.fast_cm = FAST * size * r.lag / made->fps;
    if (!mry_feet_build(tmp, made, &r.feet)) return false;
    int count = cut_all(&r, plants, NULL);
    size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof(marey_contact);
    marey_contact *kept = mry_alloc(plants->ctx, bytes);
    if (!kept) return false;
    cut_all(&r, plants, kept);
    mry_release(plants->ctx, plants->items, plants->bytes);
    plants->items = kept;
    plants->bytes = bytes;
    plants->count = count;
    return true;
}
