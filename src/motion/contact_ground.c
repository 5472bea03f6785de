/* contact_ground.c - which rests are on the ground. Nothing tells where the ground is, so a rest counts
   unless something speaks against it:

   - the foot is turned: a heel well above its toe (standing on the ball), a toe well above its heel;
   - the foot is above the hips: handstands, cartwheels;
   - it is short, and higher than the rests before and after it: the top of a jump or a kick;
   - the other foot rests lower nearly all the while: then that one carries the body and this one is in
     the air, unless it is as still and stays as long as no leg can be held. On stairs the higher foot
     carries alone as soon as the lower one leaves. */
#include "motion/contact_search.h"
#include "motion/quantile.h"

#include <math.h>
#include <string.h>

static const double TURNED = 0.025; /* of all these, body sizes or seconds */
static const double ABOVE_HIPS = 0.1;
static const double HIGHER = 0.035;
static const double TOP = 0.02;
static const double TOP_S = 0.2;
static const double NEAR_S = 1.0;
static const double ALONE_S = 0.1;
static const double COVERED = 0.8; /* share of a rest */
static const double STILL_S = 0.5;
static const double STILL = 0.375; /* of the speed at which a rest is left */

static bool is_turned(const mry_contact_search *s, int point, const mry_rest *rest)
{
    int heel = point & ~1, toe = point | 1, count = rest->end - rest->start;
    if (!s->feet.has[heel] || !s->feet.has[toe]) return false;
    for (int f = rest->start; f < rest->end; f++) {
        s->values[f - rest->start] =
            mry_foot_height(&s->feet, heel, f) - mry_foot_height(&s->feet, toe, f);
    }
    double heel_up = mry_quantile(s->values, (size_t)count, 0.5) - s->flat_cm[mry_foot_side(point)];
    return (mry_foot_is_toe(point) ? -heel_up : heel_up) > TURNED * s->size_cm;
}

static bool is_above_hips(const mry_contact_search *s, const mry_rest *rest)
{
    if (!s->feet.has_hips) return false;
    size_t count = (size_t)(rest->end - rest->start);
    memcpy(s->values, s->feet.hips_cm + rest->start, count * sizeof *s->values);
    return rest->height_cm > mry_quantile(s->values, count, 0.5) + ABOVE_HIPS * s->size_cm;
}

/* Drops what is not a plant from a list. */
static void tidy(mry_rests *rests)
{
    int kept = 0;
    for (int n = 0; n < rests->count; n++) {
        if (rests->list[n].is_plant) rests->list[kept++] = rests->list[n];
    }
    rests->count = kept;
}

/* Is `rest` well above a rest shortly before or after it? */
static bool is_higher(const mry_contact_search *s, const mry_rest *rest, const mry_rest *other)
{
    int gap = rest->start > other->start ? rest->start - other->end : other->start - rest->end;
    return rest->sole_cm > other->sole_cm + TOP * s->size_cm && gap < NEAR_S * s->fps;
}

/* At either end of the list one neighbour has to do. What the clip's ends cut off is not short. */
static void drop_tops(const mry_contact_search *s, mry_rests *rests)
{
    for (int n = 0; n < rests->count && rests->count > 1; n++) {
        mry_rest *rest = &rests->list[n];
        bool is_short = rest->end - rest->start < TOP_S * s->fps && rest->start > 0 &&
                        rest->end < s->feet.frames;
        if (!is_short || (n > 0 && !is_higher(s, rest, rest - 1))) continue;
        if (n + 1 < rests->count && !is_higher(s, rest, rest + 1)) continue;
        rest->is_plant = false;
    }
    tidy(rests);
}

static bool is_still(const mry_contact_search *s, int point, const mry_rest *rest)
{
    size_t count = (size_t)(rest->end - rest->start);
    if ((double)count < STILL_S * s->fps) return false;
    memcpy(s->values, s->speed[point] + rest->start, count * sizeof *s->values);
    return mry_quantile(s->values, count, 0.5) < STILL * s->leave[mry_foot_is_toe(point)];
}

/* lowest: for every frame, the sole of the other foot where it rests, else infinite. */
static bool is_in_air(const mry_contact_search *s, int point, const mry_rest *rest,
                      const double *lowest)
{
    int covered = 0, all = rest->end - rest->start;
    for (int f = rest->start; f < rest->end; f++) {
        covered += lowest[f] < rest->sole_cm - HIGHER * s->size_cm;
    }
    bool is_carried = covered > COVERED * all && all - covered < ALONE_S * s->fps;
    return is_carried && !is_still(s, point, rest);
}

static void note_soles(const mry_contact_search *s, int side, double *lowest)
{
    for (int f = 0; f < s->feet.frames; f++) lowest[f] = HUGE_VAL;
    for (int point = 2 * side; point < 2 * side + 2; point++) {
        for (int n = 0; n < s->rests[point].count; n++) {
            const mry_rest *rest = &s->rests[point].list[n];
            for (int f = rest->start; f < rest->end; f++) {
                lowest[f] = fmin(lowest[f], rest->sole_cm);
            }
        }
    }
}

bool mry_contact_judge(mry_arena *tmp, mry_contact_search *s)
{
    double *lowest[2] = { MRY_NEW_RAW(tmp, double, s->feet.frames),
                          MRY_NEW_RAW(tmp, double, s->feet.frames) };
    if (!lowest[0] || !lowest[1]) return false;
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        for (int n = 0; n < s->rests[i].count; n++) {
            mry_rest *rest = &s->rests[i].list[n];
            rest->is_plant = !is_turned(s, i, rest) && !is_above_hips(s, rest);
        }
        tidy(&s->rests[i]);
        drop_tops(s, &s->rests[i]);
    }
    for (int side = 0; side < 2; side++) note_soles(s, side, lowest[side]);
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        for (int n = 0; n < s->rests[i].count; n++) {
            mry_rest *rest = &s->rests[i].list[n];
            rest->is_plant = !is_in_air(s, i, rest, lowest[!mry_foot_side(i)]);
        }
        tidy(&s->rests[i]);
    }
    return true;
}
