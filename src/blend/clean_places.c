/* clean_places.c - where each plant is to stay (Kovar, Schreiner & Gleicher 2002, 3.1). Alone, a plant stays where its point is on
   average, at its median height. Plants of one foot that overlap, or follow each other sooner than a correction eases
   out, are chosen together: what the foot is moved by should not change from one to the next faster than need be. With
   p_i a place, m_i its mean, n_i its frames, c the plant before it (its carrier) and x the motion, the sum of

       n_i / ease^2 |p_i - m_i|^2   +   1 / gap |(p_i - x_i) - (p_c - x_c)|^2

   is made least; x_i and x_c are taken at both ends of the gap, or over the time that both are planted. Each plant has
   one carrier, so the plants are a forest, and its leaves can be eliminated one by one. Last, a heel and a toe that
   are planted at once are put as far from each other as the foot is long. */
#include "blend/clean.h"
#include "motion/quantile.h"

/* The plant i in its sum. */
typedef struct term {
    int carrier;         /* -1: none */
    double weight, bind; /* n / ease^2 and what its leaves add; 1 / gap */
    mry_vec mean;        /* m, and what its leaves add */
    mry_vec apart;       /* x_i - x_c */
    double distance;     /* of heel and toe while both are planted; 0: they are not */
} term;

static const double *track_of(const mry_clean *c, const mry_plant *plant)
{
    const mry_clean_leg *leg = &c->legs[plant->leg];
    return plant->is_toe ? leg->toe_at : leg->ankle_at;
}

/* The mean place over unmarked frames; how many those are. */
static int mean_place(const mry_clean *c, const double *track, int start, int end, mry_vec *out)
{
    int count = 0;
    mry_vec sum = { 0, 0, 0 };
    for (int f = start; f < end; f++) {
        if (c->feet.marked[f]) continue;
        sum = mry_vec_add(sum, mry_vec_at(track, f));
        count++;
    }
    if (count) *out = mry_vec_scale(sum, 1.0 / count);
    return count;
}

static double median_height(const mry_clean *c, const mry_plant *plant, double *values)
{
    const double *track = track_of(c, plant);
    size_t count = 0;
    for (int f = plant->start; f < plant->end; f++) {
        if (!c->feet.marked[f]) values[count++] = mry_vec_at(track, f).y;
    }
    return mry_quantile(values, count, 0.5);
}

/* The first or last unmarked place of a plant; there is one. */
static mry_vec end_place(const mry_clean *c, const mry_plant *plant, bool last)
{
    int f = last ? plant->end - 1 : plant->start;
    while (c->feet.marked[f]) f += last ? -1 : 1;
    return mry_vec_at(track_of(c, plant), f);
}

static double foot_length(const mry_clean *c, const mry_plant *plant, int start, int end)
{
    const mry_clean_leg *leg = &c->legs[plant->leg];
    double sum = 0;
    int count = 0;
    for (int f = start; f < end; f++) {
        if (c->feet.marked[f]) continue;
        sum +=
            mry_vec_length(mry_vec_sub(mry_vec_at(leg->toe_at, f), mry_vec_at(leg->ankle_at, f)));
        count++;
    }
    return count ? sum / count : 0;
}

/* Ties plant i to its carrier, if they are close enough. */
static void bind(const mry_clean *c, int i, int carrier, term *t)
{
    const mry_plant *plant = &c->plants[i], *before = &c->plants[carrier];
    int gap = plant->start - (before->end - 1);
    if (gap >= 2 * c->ease) return;
    mry_vec here, there;
    if (gap > 0) {
        here = end_place(c, plant, false);
        there = end_place(c, before, true);
    } else {
        int end = plant->end < before->end ? plant->end : before->end;
        if (!mean_place(c, track_of(c, plant), plant->start, end, &here)) return;
        mean_place(c, track_of(c, before), plant->start, end, &there);
        t->distance = foot_length(c, plant, plant->start, end);
    }
    t->carrier = carrier;
    t->bind = gap > 1 ? 1.0 / gap : 1;
    t->apart = mry_vec_sub(here, there);
}

static void describe(const mry_clean *c, term *terms)
{
    int carrier = -1;
    for (int i = 0; i < c->plant_count; i++) {
        const mry_plant *plant = &c->plants[i];
        term *t = &terms[i];
        *t = (term){ .carrier = -1 };
        int count = mean_place(c, track_of(c, plant), plant->start, plant->end, &t->mean);
        t->weight = count / ((double)c->ease * c->ease);
        if (carrier >= 0 && c->plants[carrier].leg != plant->leg) carrier = -1;
        if (carrier >= 0) bind(c, i, carrier, t);
        if (carrier < 0 || plant->end > c->plants[carrier].end) carrier = i;
    }
}

/* The best p_i for a given p_c makes the two terms of i one square in p_c, which joins c's own. */
static void solve(const mry_clean *c, term *terms)
{
    for (int i = c->plant_count - 1; i >= 0; i--) {
        const term *t = &terms[i];
        if (t->carrier < 0) continue;
        term *to = &terms[t->carrier];
        double joined = t->weight * t->bind / (t->weight + t->bind), sum = to->weight + joined;
        to->mean = mry_vec_mix(to->mean, mry_vec_sub(t->mean, t->apart), joined / sum);
        to->weight = sum;
    }
    for (int i = 0; i < c->plant_count; i++) {
        const term *t = &terms[i];
        c->plants[i].place = t->mean;
        if (t->carrier < 0) continue;
        mry_vec carried = mry_vec_add(c->plants[t->carrier].place, t->apart);
        c->plants[i].place = mry_vec_mix(t->mean, carried, t->bind / (t->weight + t->bind));
    }
}

/* Along the floor if the heights allow it: they are where the floor is. */
static mry_vec put_at_distance(mry_vec from, mry_vec at, double distance)
{
    mry_vec way = mry_vec_sub(at, from);
    double along = hypot(way.x, way.z), length = mry_vec_length(way);
    double left = distance * distance - way.y * way.y;
    if (left > 0 && along > 1e-3 * distance) {
        double scale = sqrt(left) / along;
        return (mry_vec){ from.x + way.x * scale, at.y, from.z + way.z * scale };
    }
    if (length < 1e-6) return at;
    return mry_vec_add(from, mry_vec_scale(way, distance / length));
}

bool mry_clean_choose_places(mry_arena *tmp, mry_clean *c)
{
    term *terms = MRY_NEW_RAW(tmp, term, c->plant_count);
    double *values = MRY_NEW_RAW(tmp, double, c->clip->frames);
    if (!terms || !values) return false;
    describe(c, terms);
    solve(c, terms);
    for (int i = 0; i < c->plant_count; i++) {
        mry_plant *plant = &c->plants[i];
        plant->place.y = median_height(c, plant, values);
        if (terms[i].distance > 0) {
            plant->place =
                put_at_distance(c->plants[terms[i].carrier].place, plant->place, terms[i].distance);
        }
    }
    return true;
}
