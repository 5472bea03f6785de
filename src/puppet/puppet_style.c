/* puppet_style.c - what a behaviour is like beside where it goes: the texture of its heading (slides, "Detail Incorporation"),
   what its looks go with, and how hard it turns and accelerates. */
#include "base/arena.h"
#include "puppet/puppet_data.h"

#include <math.h>

enum { HAAR = 4 }; /* samples of the second level */

#define QUARTER 1.57079632679489661923
#define STEADY 0.001 /* looks that are as steady as that are steady */
#define RARE 500     /* one sample of so many may be harder than the hardest */
#define STARTS_S                                                                                   \
    1.0 /* somebody who was shown at one speed all the time is as fast as that in so long, .. */
#define TURNS 0.5 /* .. and turns to where it looked, rad/s: shown were neither */

/* ---- texture ---------------------------------------------------------------------------------------------- */

/* What a mean over four loses of a heading: the two finest levels of its Haar wavelets, at every sample. The four reach from
   two before it to the one behind it, as near to its middle as four can be; where there is none behind it they end with it.
   Those of the four in which it stood have none; and turning back is no detail. */
static double detail_of(const mry_mover *now, bool last)
{
    const mry_mover *newest = last ? now : now + 1;
    double sum = 0;
    int moving = 0;
    for (int i = 0; i < HAAR; i++) {
        if (newest[-i].speed < MRY_PUPPET_STILL) continue;
        double off = mry_wrap(newest[-i].heading - now->heading);
        if (fabs(off) > QUARTER) return 0;
        sum += off;
        moving++;
    }
    return now->speed >= MRY_PUPPET_STILL ? -sum / moving : 0;
}

/* ---- looks ------------------------------------------------------------------------------------------------- */

/* Cosines and sines of looks, compared with where it goes and with where the main character is, summed up over a window. */
typedef struct look_sums {
    double way[2], main[2];
    int moving;
} look_sums;

static void add_look(look_sums *sums, const marey_puppet *puppet, int j, int sign)
{
    const mry_mover *react = &puppet->react[j];
    double look = react->at.direction_rad - mry_bearing(&react->at, &puppet->main[j].at);
    sums->main[0] += sign * cos(look);
    sums->main[1] += sign * sin(look);
    if (react->speed < MRY_PUPPET_STILL) return;
    sums->way[0] += sign * cos(react->at.direction_rad - react->heading);
    sums->way[1] += sign * sin(react->at.direction_rad - react->heading);
    sums->moving += sign;
}

/* How unsteady angles are whose cosines and sines have this sum: 0 if they are all the same, 1 if they are anywhere. */
static double unsteady(const double sum[2], int count)
{
    return count > 0 ? fmax(1 - hypot(sum[0], sum[1]) / count, 0) + STEADY : 1;
}

/* Over the window that ends with a sample: the steadier of the two weighs more. */
static bool find_by_way(marey_puppet *puppet, const mry_run *run)
{
    look_sums sums = { 0 };
    for (int j = run->first - puppet->window; j < run->first + run->count; j++) {
        if (mry_puppet_stops(puppet, j)) return false;
        add_look(&sums, puppet, j, 1);
        if (j < run->first) continue;
        add_look(&sums, puppet, j - puppet->window, -1);
        double way = unsteady(sums.way, sums.moving), main = unsteady(sums.main, puppet->window);
        bool moves = puppet->react[j].speed >= MRY_PUPPET_STILL;
        puppet->by_way[j] = moves ? (float)(main / (way + main)) : 0;
    }
    return true;
}

/* ---- how hard ------------------------------------------------------------------------------------------------- */

static double hardness(const mry_mover *now, double rate)
{
    return hypot(now->vx - now[-1].vx, now->vy - now[-1].vy) * rate;
}

static double spin(const mry_mover *now, double rate)
{
    return fabs(mry_wrap(now->at.direction_rad - now[-1].at.direction_rad)) * rate;
}

/* What one sample of RARE has more of; halved until it is known well enough. The first sample of a run has none: it stands
   like those before it. */
static double find_most(const marey_puppet *puppet, double (*of)(const mry_mover *, double),
                        float *values)
{
    double low = 0, high = 1e9;
    int count = 0;
    for (int r = 0; r < puppet->run_count; r++) {
        const mry_mover *first = puppet->react + puppet->runs[r].first;
        for (int i = 0; i < puppet->runs[r].count; i++)
            values[count++] = (float)of(first + i, puppet->def.rate);
    }
    for (int turn = 0; turn < 40; turn++) {
        float middle = (float)((low + high) / 2);
        int more = 0;
        for (int i = 0; i < count; i++) more += values[i] > middle;
        if (more > count / RARE)
            low = middle;
        else
            high = middle;
    }
    return high;
}

bool mry_puppet_find_style(marey_puppet *puppet)
{
    mry_arena tmp = mry_arena_make(puppet->ctx);
    float *values = MRY_NEW_RAW(&tmp, float, puppet->samples);
    puppet->detail = MRY_NEW(&puppet->mem, double, puppet->count);
    puppet->by_way = MRY_NEW(&puppet->mem, float, puppet->count);
    bool there = values && puppet->detail && puppet->by_way;
    if (there) {
        puppet->hardest =
            fmax(find_most(puppet, hardness, values), puppet->spread_react / STARTS_S);
        puppet->quickest = fmax(find_most(puppet, spin, values), TURNS);
    }
    for (int r = 0; there && r < puppet->run_count; r++) {
        const mry_run *run = &puppet->runs[r];
        for (int j = run->first, end = j + run->count; j < end; j++)
            puppet->detail[j] = detail_of(&puppet->react[j], j + 1 == end);
        there = find_by_way(puppet, run);
    }
    mry_arena_free(&tmp);
    return there;
}
