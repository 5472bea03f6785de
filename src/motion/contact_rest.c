/* contact_rest.c - where a point of a foot is slow and as low as it gets around that time.

   Both are judged with hysteresis: a rest starts and ends where the limit is passed, but somewhere in it
   the point must be under half the limit. Heights are compared with the lowest place within three
   quarters of a second in the same slow stretch, not with one floor for the clip: the ground may be a
   slope or stairs, and captured floors are often tilted by centimetres. */
#include "math/quat.h"
#include "motion/contact_search.h"
#include "motion/quantile.h"

#include <string.h>

static const double HIGH = 0.013; /* body sizes above the rest's lowest place: no longer there */
static const double AROUND_S = 0.75;
static const double SAME_S = 0.1; /* slow stretches so near in time share their lowest place */
static const double NOISE = 4;    /* see contact_speed.c */
static const double NOISY = 0.6;  /* the share of a slow stretch that tells its noise */
static const double APART = 0.02; /* body sizes between the ends of a gap that is bridged */

/* The next run of frames from *f on in which on[] is set, [start, *f); false: no more. */
static bool next_run(const uint8_t *on, int frames, int *f, int *start)
{
    while (*f < frames && !on[*f]) (*f)++;
    *start = *f;
    while (*f < frames && on[*f]) (*f)++;
    return *f > *start;
}

/* Sets on[] in [start, end) where value stays below `leave` and is below half of it once. */
static void keep_below(const double *value, double leave, int start, int end, uint8_t *on)
{
    bool deep = false;
    int since = start;
    for (int f = start; f <= end; f++) {
        if (f < end && value[f] < leave) {
            deep |= value[f] < leave / 2;
            on[f] = 1;
            continue;
        }
        if (!deep) memset(on + since, 0, (size_t)(f - since));
        if (f < end) on[f] = 0;
        since = f + 1;
        deep = false;
    }
}

/* ---- slow -------------------------------------------------------------------------------------- */

/* The noise of each slow stretch may be above the clip's: somebody who staggers stands less still. */
static void mark_slow(const mry_contact_search *s, int point)
{
    const double *speed = s->speed[point];
    int start, f = 0, frames = s->feet.frames;
    for (int i = 0; i < frames; i++) s->on[i] = speed[i] < s->most;
    while (next_run(s->on, frames, &f, &start)) {
        memcpy(s->values, speed + start, (size_t)(f - start) * sizeof *speed);
        double noise = NOISE * mry_quantile(s->values, (size_t)(f - start), NOISY);
        double leave = fmin(fmax(noise, s->leave[mry_foot_is_toe(point)]), s->most);
        keep_below(speed, leave, start, f, s->on);
    }
}

/* ---- low --------------------------------------------------------------------------------------- */

/* Mean height of the unmarked frames around one, so that a single spike is no floor. */
static double smooth_height(const mry_contact_search *s, int point, int frame)
{
    int reach = s->lag / 2 > 1 ? s->lag / 2 : 1, count = 0;
    double sum = 0;
    for (int f = frame - reach; f <= frame + reach; f++) {
        if (f < 0 || f >= s->feet.frames || s->feet.marked[f]) continue;
        sum += mry_foot_height(&s->feet, point, f);
        count++;
    }
    return sum / count;
}

/* values[f] becomes the height of frame f above the lowest smoothed one within `reach` frames in
   [start, end). s->line holds the frames that may still be the lowest, their heights rising; the front is the
   lowest now. `smooth` is scratch. */
static void measure_height(const mry_contact_search *s, int point, int start, int end,
                           double *smooth)
{
    int reach = (int)fmin(AROUND_S * s->fps, s->feet.frames), head = 0, tail = 0, in = start;
    for (int f = start; f < end; f++) smooth[f] = smooth_height(s, point, f);
    for (int f = start; f < end; f++) {
        for (; in < end && in - f <= reach; in++) {
            while (tail > head && smooth[s->line[tail - 1]] >= smooth[in]) tail--;
            s->line[tail++] = in;
        }
        while (f - s->line[head] > reach) head++;
        s->values[f] = mry_foot_height(&s->feet, point, f) - smooth[s->line[head]];
    }
}

/* Clears on[] where a slow point is above its rest. */
static void keep_low(const mry_contact_search *s, int point)
{
    int start, next, f = 0, frames = s->feet.frames;
    double *smooth = s->values + frames;
    bool more = next_run(s->on, frames, &f, &start);
    while (more) {
        int first = start, end = f; /* stretches so near that they are one standing foot */
        while ((more = next_run(s->on, frames, &f, &next)) && next - end <= SAME_S * s->fps &&
               !memchr(s->feet.marked + end, 1, (size_t)(next - end))) {
            end = f;
        }
        measure_height(s, point, first, end, smooth);
        for (int i = first; i < end; i++) {
            if (!s->on[i]) s->values[i] = HUGE_VAL;
        }
        keep_below(s->values, HIGH * s->size_cm, first, end, s->on);
        start = next;
    }
}

/* ---- rests ------------------------------------------------------------------------------------- */

/* Is the gap [start, end) but a stumble of the data inside one rest? */
static bool is_bridged(const mry_contact_search *s, int point, int start, int end)
{
    const double *at = s->feet.at[point];
    return end - start <= s->bridge + 1e-9 &&
           !memchr(s->feet.marked + start, 1, (size_t)(end - start)) &&
           mry_distance3(at + 3 * (size_t)(start - 1), at + 3 * (size_t)end) < APART * s->size_cm;
}

/* A rest of n frames lasts between n - 1 and n + 1 frames' time; the longer is meant, but one frame is
   no rest. */
static bool is_long(const mry_contact_search *s, const mry_rest *rest)
{
    int frames = rest->end - rest->start;
    return frames >= 2 && frames + 1 >= s->shortest - 1e-9;
}

static void settle_height(const mry_contact_search *s, int point, mry_rest *rest)
{
    for (int f = rest->start; f < rest->end; f++) {
        s->values[f - rest->start] = mry_foot_height(&s->feet, point, f);
    }
    rest->height_cm = mry_quantile(s->values, (size_t)(rest->end - rest->start), 0.5);
    rest->sole_cm =
        rest->height_cm - (mry_foot_is_toe(point) ? 0 : s->flat_cm[mry_foot_side(point)]);
    rest->is_plant = true;
}

static bool list_rests(mry_arena *tmp, const mry_contact_search *s, int point, mry_rests *out)
{
    int start, f = 0, runs = 0, frames = s->feet.frames;
    while (next_run(s->on, frames, &f, &start)) runs++;
    *out = (mry_rests){ .list = MRY_NEW(tmp, mry_rest, runs + 1) };
    if (!out->list) return false;
    mry_rest *last =
        out->list; /* the one being put together; a finished one is kept if it is long */
    f = 0;
    for (int n = 0; n < runs && next_run(s->on, frames, &f, &start); n++) {
        if (n > 0 && is_bridged(s, point, last->end, start)) {
            last->end = f;
            continue;
        }
        if (n > 0 && is_long(s, last)) last++;
        *last = (mry_rest){ .start = start, .end = f };
    }
    out->count = (int)(last - out->list) + (runs > 0 && is_long(s, last));
    for (int n = 0; n < out->count; n++) settle_height(s, point, &out->list[n]);
    return true;
}

bool mry_contact_find_rests(mry_arena *tmp, mry_contact_search *s)
{
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        if (!s->feet.has[i]) continue;
        mark_slow(s, i);
        keep_low(s, i);
        if (!list_rests(tmp, s, i, &s->rests[i])) return false;
    }
    return true;
}
