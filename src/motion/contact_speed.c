/* contact_speed.c - how fast the points of the feet move, and what is slow in this clip.

   The speed of a frame is the smaller of the means over a thirtieth of a second before it and after
   it. The long lag keeps 3 mm of noise under 10 cm/s at any rate; the smaller of the two makes the first and
   last frame of a rest as slow as those inside it, where a centred difference would cut them off.

   A foot that rests is never quite still in captured motion: markers shake, skin slides, ankles roll.
   So slow means: not above four times what is usual for the clip's slow frames, within limits that
   follow from the body's size. Made motion, whose feet rest exactly, so gets sharp edges, and a clip that claims
   twice its true rate gets twice the threshold. */
#include "math/quat.h"
#include "motion/contact_search.h"
#include "motion/quantile.h"

static const double LAG_S = 1.0 / 30;
static const double LEAST = 0.012; /* body sizes a second: slow in any clip */
static const double MOST = 0.2;    /* what is faster is no rest, unless the clip is a fast one: */
static const double FASTEST = 0.6; /* then up to this, in proportion to how fast the feet get */
static const double SWING_SHARE = 0.06;
static const double NOISE = 4; /* a rest may be as many times its usual speed */

static double limit(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

static void measure(const mry_contact_search *s, int point)
{
    const double *at = s->feet.at[point];
    double *speed = s->speed[point];
    int frames = s->feet.frames, lag = s->lag, clean = 0;
    for (int f = 0; f < frames; f++) speed[f] = HUGE_VAL;
    for (int f = 0; f < frames; f++) { /* clean: unmarked frames in a row that end with f */
        clean = s->feet.marked[f] ? 0 : clean + 1;
        if (clean <= lag) continue;
        const double *here = at + 3 * (size_t)f, *before = here - 3 * (size_t)lag;
        speed[f - lag] = mry_distance3(here, before) * s->fps / lag;
    }
    /* Backwards, so that speed[f - lag] still is the one after that frame only. */
    for (int f = frames - 1; f >= lag; f--) speed[f] = fmin(speed[f], speed[f - lag]);
}

/* Gathers the speeds below `most` of the points from `first` on, every `step`th. */
static size_t gather(const mry_contact_search *s, int first, int step, double most)
{
    size_t count = 0;
    for (int i = first; i < MRY_FOOT_POINTS; i += step) {
        if (!s->feet.has[i]) continue;
        for (int f = 0; f < s->feet.frames; f++) {
            if (s->speed[i][f] < most) s->values[count++] = s->speed[i][f];
        }
    }
    return count;
}

/* The lower quarter, since a heel is often up while both are slow, and a toe seldom. */
static double flat_foot(const mry_contact_search *s, int side)
{
    int heel = 2 * side, toe = heel + 1;
    size_t count = 0;
    if (!s->feet.has[heel] || !s->feet.has[toe]) return 0;
    for (int f = 0; f < s->feet.frames; f++) {
        if (s->speed[heel][f] >= s->leave[0] || s->speed[toe][f] >= s->leave[1]) continue;
        s->values[count++] = mry_foot_height(&s->feet, heel, f) - mry_foot_height(&s->feet, toe, f);
    }
    return count ? mry_quantile(s->values, count, 0.25) : 0;
}

bool mry_contact_measure(mry_arena *tmp, mry_contact_search *s)
{
    s->lag = (int)limit(s->fps * LAG_S + 0.5, 1, s->feet.frames); /* frames: no speed is known */
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        if (!s->feet.has[i]) continue;
        s->speed[i] = MRY_NEW_RAW(tmp, double, s->feet.frames);
        if (!s->speed[i]) return false;
        measure(s, i);
    }
    size_t count = gather(s, 0, 1, HUGE_VAL);
    double swing = count ? mry_quantile(s->values, count, 0.95) : 0;
    s->least = LEAST * s->size_cm;
    s->most = limit(SWING_SHARE * swing, MOST * s->size_cm, FASTEST * s->size_cm);
    for (int kind = 0; kind < 2; kind++) {
        count = gather(s, kind, 2, s->most);
        double usual = count ? mry_quantile(s->values, count, 0.5) : s->most;
        s->leave[kind] = limit(NOISE * usual, s->least, s->most);
    }
    for (int side = 0; side < 2; side++) s->flat_cm[side] = flat_foot(s, side);
    return true;
}
