/* blend_plants.c - which feet and hands a blend should hold (Kovar & Gleicher 2003, 5.3): the
   starts and ends of matching plants are blended like everything else, and a frame whose u lies
   between them has the plant; what is no rest in the blend is taken out again. */
#include "blend/seam.h"
#include "feature/feature_data.h"
#include "math/quat.h"
#include "motion/feet.h"

/* The first frame at u or behind it. */
static int frame_from(const mry_blend_run *run, double u)
{
    int low = 0, high = run->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (run->u[middle] < u) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Writes all plants to `items`, or only counts them if that is NULL. */
static int find_plants(const mry_blend_run *run, int first, marey_contact *items)
{
    int motions = marey_registration_count(run->of), count, found = 0;
    /* The greatest sum of the sizes of a frame's weights: 1 as long as they are convex. */
    double most = 0;
    for (int i = 0; i < run->count; i++) {
        double sum = 0;
        for (int j = 0; j < motions; j++) sum += fabs(run->weights[(size_t)i * motions + j]);
        most = fmax(most, sum);
    }
    const marey_constraint_match *matches = marey_registration_matches(run->of, &count);
    for (int m = 0; m < count; m++) {
        /* The frames that a match can reach: weights that sum to 1, of a size of at most `most`,
           lead no further from the middle of its spans than so many times as far as they do
           themselves. */
        double low = matches[m].spans[0].start, high = matches[m].spans[0].end;
        for (int j = 1; j < motions; j++) {
            low = fmin(low, matches[m].spans[j].start);
            high = fmax(high, matches[m].spans[j].end);
        }
        double middle = (low + high) / 2, reach = most * (high - low) / 2 + 1e-6;
        int end = frame_from(run, middle + reach), planted = -1; /* since then */
        for (int at = frame_from(run, middle - reach); at <= end; at++) {
            const double *weights = run->weights + (size_t)at * (size_t)motions;
            double from = 0, to = 0;
            for (int j = 0; j < motions && at < end; j++) {
                from += weights[j] * matches[m].spans[j].start;
                to += weights[j] * matches[m].spans[j].end;
            }
            if (at < end && run->u[at] >= from && run->u[at] < to) {
                if (planted < 0) planted = at;
            } else if (planted >= 0) {
                if (items)
                    items[found] = (marey_contact){ matches[m].joint, first + planted, first + at };
                found++;
                planted = -1;
            }
        }
    }
    return found;
}

bool mry_blend_constraints(const mry_blend_run *run, int first, marey_contacts *out)
{
    int more = find_plants(run, first, NULL);
    if (more == 0) return true;
    size_t bytes = (size_t)(out->count + more) * sizeof *out->items;
    marey_contact *items = mry_resize(out->ctx, out->items, out->bytes, bytes);
    if (!items) return false;
    find_plants(run, first, items + out->count);
    out->items = items;
    out->bytes = bytes;
    out->count += more;
    mry_seam_sort_plants(out);
    /* Blended spans of neighbouring matches can overlap: the earlier plant ends in its own time,
       the later starts then. */
    int kept = 0;
    for (int i = 0; i < out->count; i++) {
        marey_contact item = items[i];
        const marey_contact *last = kept ? &items[kept - 1] : NULL;
        if (last && last->joint == item.joint && item.start < last->end) item.start = last->end;
        if (item.start < item.end) items[kept++] = item;
    }
    out->count = kept;
    return true;
}

/* ---- rests ----------------------------------------------------------------------------------- */

/* Plants of several motions are one match as soon as they overlap in the common time (Kovar &
   Gleicher 2003, 4.4), and their starts and ends are averaged (5.3) although the feet are not the
   same way on at those times: some motions stand while others step. So the blended foot may still
   be on its way, or in the air, at the averaged start. Holding it there would drag the foot forward
   and the body down after it; what is no rest in the blend is no plant of it. */

/* In lengths of the leg: a foot that gets so far at no less than so much a second is on its way,
   and one that is so much higher than where it is lowest in its plant has not come down, or has
   left. Plants that merely slide, which is what clean-up is for, are slower or get less far. */
static const double FAST = 0.9, FAR = 0.06, HIGH = 0.035;
static const double HAND_HIGH = 0.15; /* captured wrists rise while their hands are down */
static const double LAG_S = 1.0 / 30; /* speeds are means over so long, as where plants are found */
static const double SHORTEST_S = 0.08; /* a shorter remainder of a plant is dropped */

typedef struct rests {
    mry_feet feet;
    double fast_cm, far_cm; /* fast_cm: over a lag */
    double size_cm;
    int lag, shortest;
} rests;

/* The next frames of a plant, from *start on, in which its point is on its way; *start is the
   plant's end if there are none. */
static void next_way(const rests *r, const marey_contact *plant, double high, int *start, int *end)
{
    const double *at = r->feet.at[plant->joint];
    for (int f = *start; f < plant->end;) {
        bool rose = false;
        *start = f;
        for (*end = f; *end < plant->end; ++*end) {
            bool up = mry_foot_height(&r->feet, (int)plant->joint, *end) > high;
            /* The smaller of the ways that it goes within a lag before the frame and behind it;
               what lies outside the clip does not count. */
            const double *here = at + 3 * (size_t)*end;
            double way = HUGE_VAL;
            if (*end >= r->lag) way = mry_distance3(here, here - 3 * (size_t)r->lag);
            if (*end + r->lag < r->feet.frames)
                way = fmin(way, mry_distance3(here, here + 3 * (size_t)r->lag));
            if (!up && (way < r->fast_cm || !(way < HUGE_VAL))) break;
            rose = rose || up;
        }
        int last = *end < plant->end ? *end : plant->end - 1;
        if (rose || mry_distance3(at + 3 * (size_t)f, at + 3 * (size_t)last) >= r->far_cm) return;
        f = *end > f ? *end : f + 1;
    }
    *start = plant->end;
}

/* The rests of all plants are written to `out`, which may be NULL; how many there are. */
static int find_rests(const rests *r, const marey_contacts *plants, marey_contact *out)
{
    int found = 0;
    for (int i = 0; i < plants->count; i++) {
        marey_contact plant = plants->items[i];
        double low = HUGE_VAL; /* the lowest it gets */
        double high = (plant.joint < MAREY_CONTACT_LEFT_HAND ? HIGH : HAND_HIGH) * r->size_cm;
        int at = plant.start;
        if (!r->feet.has[plant.joint]) {
            if (out) out[found] = plant;
            found++;
            continue;
        }
        for (int f = plant.start; f < plant.end; f++)
            low = fmin(low, mry_foot_height(&r->feet, (int)plant.joint, f));
        while (at < plant.end) {
            int start = at, end = plant.end;
            next_way(r, &plant, low + high, &start, &end);
            bool whole = at == plant.start && start == plant.end;
            if (start > at && (whole || start - at >= r->shortest)) {
                if (out) out[found] = (marey_contact){ plant.joint, at, start };
                found++;
            }
            at = start < plant.end ? end : plant.end;
        }
    }
    return found;
}

bool mry_blend_keep_rests(mry_arena *tmp, const marey_clip *made, marey_contacts *plants)
{
    double size = mry_body_size(made);
    rests r = { .lag = (int)fmax(1, round(LAG_S * made->fps)),
                .shortest = (int)fmax(1, round(SHORTEST_S * made->fps)),
                .far_cm = FAR * size,
                .size_cm = size };
    if (plants->count == 0 || !(size > 0)) return true;
    r.fast_cm = FAST * size * r.lag / made->fps;
    if (!mry_feet_build(tmp, made, &r.feet)) return false;
    int count = find_rests(&r, plants, NULL);
    size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof(marey_contact);
    marey_contact *kept = mry_alloc(plants->ctx, bytes);
    if (!kept) return false;
    find_rests(&r, plants, kept);
    mry_release(plants->ctx, plants->items, plants->bytes);
    plants->items = kept;
    plants->bytes = bytes;
    plants->count = count;
    return true;
}
