/* contacts.c - plants of feet and hands, from the motion alone: where a heel or toe is slow, low
   and on the ground, and a hand slow and near the ground that the feet stand on. Every step is
   linear in the frames. What hands do changes nothing for feet. */
#include "math/quat.h"
#include "motion/feet.h"
#include "motion/quantile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A stretch in which a point rests. */
typedef struct foot_rest {
    int start, end;   /* frames, end exclusive */
    double height_cm; /* median of the point */
    double sole_cm;   /* the same less what a heel's joint is above the toe's on a flat foot */
    bool is_plant;
} foot_rest;

typedef struct rest_list {
    int count;
    foot_rest *list; /* rising, apart */
} rest_list;

typedef struct search {
    mry_feet feet;
    double fps, size_cm;       /* of the body, from head to foot */
    double shortest, bridge;   /* frames */
    int lag;                   /* frames over which a speed is measured */
    double most, least;        /* between these, thresholds follow the noise; cm/s */
    double leave[2];           /* a heel, a toe of the clip's usual noise; cm/s */
    double flat_cm[2];         /* heel above toe on a flat foot, left and right */
    double *speed[MRY_POINTS]; /* cm/s; infinite where it is not known */
    double *values;            /* room for MRY_FOOT_POINTS numbers a frame */
    int *line;                 /* room for a number a frame */
    uint8_t *on;               /* a byte a frame: at rest, as far as judged */
    rest_list rests[MRY_POINTS];
} search;

/* ---- how fast the points move, and what is slow in this clip --------------------------------- */

/* The speed of a frame is the smaller of the means over a thirtieth of a second before it and after
   it. The long lag keeps 3 mm of noise under 10 cm/s at any rate; the smaller of the two makes the
   first and last frame of a rest as slow as those inside it, where a centred difference would cut
   them off.

   A foot that rests is never quite still in captured motion: markers shake, skin slides, ankles
   roll. So slow means: not above four times what is usual for the clip's slow frames, within limits
   that follow from the body's size. Made motion, whose feet rest exactly, so gets sharp edges, and
   a clip that claims twice its true rate gets twice the threshold. */

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

/* Gathers the speeds below `most` of the points of feet from `first` on, every `step`th. */
static size_t gather(const search *s, int first, int step, double most)
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

/* Speeds of all points and what counts as slow in this clip. false: out of memory. */
static bool find_speeds(mry_arena *tmp, search *s)
{
    const mry_feet *feet = &s->feet;
    int frames = feet->frames;
    int lag = s->lag = (int)limit(s->fps * LAG_S + 0.5, 1, frames); /* frames: no speed is known */
    for (int i = 0; i < MRY_POINTS; i++) {
        if (!feet->has[i]) continue;
        double *speed = s->speed[i] = MRY_NEW_RAW(tmp, double, frames);
        if (!speed) return false;
        for (int f = 0; f < frames; f++) speed[f] = HUGE_VAL;
        for (int f = 0, clean = 0; f < frames; f++) { /* unmarked frames in a row that end with f */
            clean = feet->marked[f] ? 0 : clean + 1;
            if (clean <= lag) continue;
            const double *here = feet->at[i] + 3 * (size_t)f, *before = here - 3 * (size_t)lag;
            speed[f - lag] = mry_distance3(here, before) * s->fps / lag;
        }
        /* Backwards, so that speed[f - lag] still is the one after that frame only. */
        for (int f = frames - 1; f >= lag; f--) speed[f] = fmin(speed[f], speed[f - lag]);
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
    for (int side = 0; side < 2; side++) {
        int heel = 2 * side, toe = heel + 1;
        if (!feet->has[heel] || !feet->has[toe]) continue;
        count = 0;
        for (int f = 0; f < frames; f++) {
            if (s->speed[heel][f] >= s->leave[0] || s->speed[toe][f] >= s->leave[1]) continue;
            s->values[count++] = mry_foot_height(feet, heel, f) - mry_foot_height(feet, toe, f);
        }
        /* The lower quarter, since a heel is often up while both are slow, and a toe seldom. */
        s->flat_cm[side] = count ? mry_quantile(s->values, count, 0.25) : 0;
    }
    return true;
}

/* ---- where a point is slow and as low as it gets around that time ---------------------------- */

/* Both are judged with hysteresis: a rest starts and ends where the limit is passed, but somewhere
   in it the point must be under half the limit. Heights are compared with the lowest place within
   three quarters of a second in the same slow stretch, not with one floor for the clip: the ground
   may be a slope or stairs, and captured floors are often tilted by centimetres. */

static const double HIGH = 0.013; /* body sizes above the rest's lowest place: no longer there */
static const double AROUND_S = 0.75;
static const double SAME_S = 0.1; /* slow stretches so near in time share their lowest place */
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

/* Clears on[] where a slow point is above its rest; high: body sizes. */
static void keep_low(const search *s, int point, double high)
{
    const mry_feet *feet = &s->feet;
    int start, next, f = 0, frames = feet->frames, near = s->lag / 2 > 1 ? s->lag / 2 : 1;
    int reach = (int)fmin(AROUND_S * s->fps, frames);
    double *smooth = s->values + frames;
    bool more = next_run(s->on, frames, &f, &start);
    while (more) {
        int first = start, end = f; /* stretches so near that they are one standing foot */
        while ((more = next_run(s->on, frames, &f, &next)) && next - end <= SAME_S * s->fps &&
               !memchr(feet->marked + end, 1, (size_t)(next - end))) {
            end = f;
        }
        for (int i = first; i < end; i++) {
            /* Mean height of the unmarked frames around it, so that a single spike is no floor. */
            double sum = 0;
            int count = 0;
            for (int k = i - near; k <= i + near; k++) {
                if (k < 0 || k >= frames || feet->marked[k]) continue;
                sum += mry_foot_height(feet, point, k);
                count++;
            }
            smooth[i] = sum / count;
        }
        /* values[i] becomes the height above the lowest smoothed one within `reach` frames. The
           line holds the frames that may still be the lowest, their heights rising; the front is
           the lowest now. */
        for (int i = first, in = first, head = 0, tail = 0; i < end; i++) {
            for (; in < end && in - i <= reach; in++) {
                while (tail > head && smooth[s->line[tail - 1]] >= smooth[in]) tail--;
                s->line[tail++] = in;
            }
            while (i - s->line[head] > reach) head++;
            double height = mry_foot_height(feet, point, i) - smooth[s->line[head]];
            s->values[i] = s->on[i] ? height : HUGE_VAL;
        }
        keep_below(s->values, high * s->size_cm, first, end, s->on);
        start = next;
    }
}

/* A rest of n frames lasts between n - 1 and n + 1 frames' time; the longer is meant, but one frame
   is no rest. */
static bool is_long(const search *s, const foot_rest *rest)
{
    int frames = rest->end - rest->start;
    return frames >= 2 && frames + 1 >= s->shortest - 1e-9;
}

static bool list_rests(mry_arena *tmp, const search *s, int point, rest_list *out)
{
    int start, f = 0, runs = 0, frames = s->feet.frames;
    while (next_run(s->on, frames, &f, &start)) runs++;
    *out = (rest_list){ .list = MRY_NEW(tmp, foot_rest, runs + 1) };
    if (!out->list) return false;
    foot_rest *last =
        out->list; /* the one being put together; a finished one is kept if it is long */
    f = 0;
    for (int n = 0; n < runs && next_run(s->on, frames, &f, &start); n++) {
        const double *at = s->feet.at[point];
        /* A gap may be but a stumble of the data inside one rest. */
        if (n > 0 && start - last->end <= s->bridge + 1e-9 &&
            !memchr(s->feet.marked + last->end, 1, (size_t)(start - last->end)) &&
            mry_distance3(at + 3 * (size_t)(last->end - 1), at + 3 * (size_t)start) <
                APART * s->size_cm) {
            last->end = f;
            continue;
        }
        if (n > 0 && is_long(s, last)) last++;
        *last = (foot_rest){ .start = start, .end = f };
    }
    out->count = (int)(last - out->list) + (runs > 0 && is_long(s, last));
    for (int n = 0; n < out->count; n++) {
        foot_rest *rest = &out->list[n];
        for (int i = rest->start; i < rest->end; i++)
            s->values[i - rest->start] = mry_foot_height(&s->feet, point, i);
        rest->height_cm = mry_quantile(s->values, (size_t)(rest->end - rest->start), 0.5);
        bool is_heel = point < MRY_FOOT_POINTS && !mry_foot_is_toe(point);
        rest->sole_cm = rest->height_cm - (is_heel ? s->flat_cm[mry_foot_side(point)] : 0);
        rest->is_plant = true;
    }
    return true;
}

/* The rests of a point where on[] says that it may; high: body sizes. false: out of memory. */
static bool find_rests(mry_arena *tmp, search *s, int point, double most, double high)
{
    /* The noise of each slow stretch may be above the clip's: a body that staggers stands less
       still. */
    const double *speed = s->speed[point];
    int start, f = 0;
    while (next_run(s->on, s->feet.frames, &f, &start)) {
        memcpy(s->values, speed + start, (size_t)(f - start) * sizeof *speed);
        double noise = NOISE * mry_quantile(s->values, (size_t)(f - start), NOISY);
        double leave = fmin(fmax(noise, s->leave[mry_foot_is_toe(point)]), most);
        keep_below(speed, leave, start, f, s->on);
    }
    keep_low(s, point, high);
    return list_rests(tmp, s, point, &s->rests[point]);
}

/* ---- which rests are on the ground ----------------------------------------------------------- */

/* Nothing tells where the ground is, so a rest counts unless something speaks against it:

   - the foot is turned: a heel well above its toe (standing on the ball), a toe well above its heel;
   - the foot is above the hips: handstands, cartwheels;
   - it is short, and higher than the rests before and after it: the top of a jump or a kick;
   - the other foot rests lower nearly all the while: then that one carries the body and this one is in
     the air, unless it is as still and stays as long as no leg can be held. On stairs the higher foot
     carries alone as soon as the lower one leaves. */

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

static bool is_turned_or_above_hips(const search *s, int point, const foot_rest *rest)
{
    const mry_feet *feet = &s->feet;
    int heel = point & ~1, toe = point | 1, side = mry_foot_side(point);
    size_t count = (size_t)(rest->end - rest->start);
    if (feet->has[heel] && feet->has[toe]) {
        for (int f = rest->start; f < rest->end; f++) {
            s->values[f - rest->start] =
                mry_foot_height(feet, heel, f) - mry_foot_height(feet, toe, f);
        }
        double heel_up = mry_quantile(s->values, count, 0.5) - s->flat_cm[side];
        if ((mry_foot_is_toe(point) ? -heel_up : heel_up) > TURNED * s->size_cm) return true;
    }
    if (!feet->has_hips) return false;
    memcpy(s->values, feet->hips_cm + rest->start, count * sizeof *s->values);
    return rest->height_cm > mry_quantile(s->values, count, 0.5) + ABOVE_HIPS * s->size_cm;
}

/* Drops what is not a plant from a list. */
static void tidy(rest_list *rests)
{
    int kept = 0;
    for (int n = 0; n < rests->count; n++) {
        if (rests->list[n].is_plant) rests->list[kept++] = rests->list[n];
    }
    rests->count = kept;
}

/* Is `rest` well above a rest shortly before or after it? */
static bool is_higher(const search *s, const foot_rest *rest, const foot_rest *other)
{
    int gap = rest->start > other->start ? rest->start - other->end : other->start - rest->end;
    return rest->sole_cm > other->sole_cm + TOP * s->size_cm && gap < NEAR_S * s->fps;
}

/* lowest: for every frame, the sole of the other foot where it rests, else infinite. */
static bool is_in_air(const search *s, int point, const foot_rest *rest, const double *lowest)
{
    int covered = 0, all = rest->end - rest->start;
    for (int f = rest->start; f < rest->end; f++) {
        covered += lowest[f] < rest->sole_cm - HIGHER * s->size_cm;
    }
    if (!(covered > COVERED * all && all - covered < ALONE_S * s->fps)) return false;
    if (all < STILL_S * s->fps) return true;
    memcpy(s->values, s->speed[point] + rest->start, (size_t)all * sizeof *s->values);
    double usual = mry_quantile(s->values, (size_t)all, 0.5);
    return !(usual < STILL * s->leave[mry_foot_is_toe(point)]);
}

/* Tells rests on the ground from feet held still in the air. false: out of memory. */
static bool judge_rests(mry_arena *tmp, search *s)
{
    double *lowest[2] = { MRY_NEW_RAW(tmp, double, s->feet.frames),
                          MRY_NEW_RAW(tmp, double, s->feet.frames) };
    if (!lowest[0] || !lowest[1]) return false;
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        for (int n = 0; n < s->rests[i].count; n++) {
            foot_rest *rest = &s->rests[i].list[n];
            rest->is_plant = !is_turned_or_above_hips(s, i, rest);
        }
        tidy(&s->rests[i]);
        /* Tops: at either end of the list one neighbour has to do. What the clip's ends cut off is
           not short. */
        int count = s->rests[i].count;
        for (int n = 0; n < count && count > 1; n++) {
            foot_rest *rest = &s->rests[i].list[n];
            bool is_short = rest->end - rest->start < TOP_S * s->fps && rest->start > 0 &&
                            rest->end < s->feet.frames;
            rest->is_plant = !is_short || (n > 0 && !is_higher(s, rest, rest - 1)) ||
                             (n + 1 < count && !is_higher(s, rest, rest + 1));
        }
        tidy(&s->rests[i]);
    }
    for (int f = 0; f < s->feet.frames; f++) lowest[0][f] = lowest[1][f] = HUGE_VAL;
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        double *low = lowest[mry_foot_side(i)];
        for (int n = 0; n < s->rests[i].count; n++) {
            const foot_rest *rest = &s->rests[i].list[n];
            for (int f = rest->start; f < rest->end; f++) low[f] = fmin(low[f], rest->sole_cm);
        }
    }
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        for (int n = 0; n < s->rests[i].count; n++) {
            foot_rest *rest = &s->rests[i].list[n];
            rest->is_plant = !is_in_air(s, i, rest, lowest[!mry_foot_side(i)]);
        }
        tidy(&s->rests[i]);
    }
    return true;
}

/* ---- hands ----------------------------------------------------------------------------------- */

/* A hand is no foot: most of the time it hangs, and where it is slow it rests on a hip, a knee or a
   table. So its height is judged by the floor: the highest sole that is planted in the frame, else
   the higher one of the last and the next that is. Captured wrists are poor in a cartwheel: a body
   fitted to markers stands with its wrists up to 25 cm above the floor, and they move at half a
   metre a second. But while both feet are up, hands as slow and low as that carry the body. */

static const double TOUCHES = 0.08;   /* body sizes above the soles, of a wrist on the floor */
static const double CARRIES = 0.18;   /* the same while the feet are up, */
static const double UP = 0.06;        /* which all their points are so much above the soles */
static const double UP_S = 0.1;       /* so long before or after */
static const double HAND_HIGH = 0.08; /* as HIGH */

/* Needs the plants of the feet. false: out of memory. */
static bool find_hands(mry_arena *tmp, search *s)
{
    int frames = s->feet.frames, around = (int)fmin(UP_S * s->fps, frames);
    double *sole = MRY_NEW_RAW(tmp, double, frames), *floor_cm = MRY_NEW_RAW(tmp, double, frames);
    uint8_t *carries = MRY_NEW(tmp, uint8_t, frames);
    if (!sole || !floor_cm || !carries) return false;
    for (int f = 0; f < frames; f++) sole[f] = -HUGE_VAL;
    for (int i = 0; i < MRY_FOOT_POINTS; i++) {
        for (int n = 0; n < s->rests[i].count; n++) {
            const foot_rest *rest = &s->rests[i].list[n];
            for (int f = rest->start; f < rest->end; f++) sole[f] = fmax(sole[f], rest->sole_cm);
        }
    }
    for (int f = 0; f < frames; f++)
        floor_cm[f] = isfinite(sole[f]) || f == 0 ? sole[f] : floor_cm[f - 1];
    for (int f = frames - 1; f >= 0; f--) {
        if (!isfinite(sole[f]) && f + 1 < frames) sole[f] = sole[f + 1];
        floor_cm[f] = fmax(floor_cm[f], sole[f]);
    }
    for (int f = 0, end = 0; f < frames; f++) { /* all before `end` have their mark */
        bool up = true;
        for (int i = 0; i < MRY_FOOT_POINTS; i++) {
            up = up && (!s->feet.has[i] ||
                        mry_foot_height(&s->feet, i, f) > floor_cm[f] + UP * s->size_cm);
        }
        if (end < f - around) end = f - around;
        for (; up && end <= f + around && end < frames; end++) carries[end] = 1;
    }
    for (int i = MRY_FOOT_POINTS; i < MRY_POINTS; i++) {
        if (!s->feet.has[i]) continue;
        double fast = FASTEST * s->size_cm;
        for (int f = 0; f < frames; f++) {
            double above = mry_foot_height(&s->feet, i, f) - floor_cm[f];
            s->on[f] = s->speed[i][f] < (carries[f] ? fast : s->most) &&
                       above < (carries[f] ? CARRIES : TOUCHES) * s->size_cm;
        }
        if (!find_rests(tmp, s, i, fast, HAND_HIGH)) return false;
    }
    return true;
}

/* ---- plants ---------------------------------------------------------------------------------- */

static const double SHORTEST_S = 0.08;
static const double BRIDGE_S = 0.05;
static const double USUAL_SIZE = 170; /* cm, of a body that tells nothing of its own */

marey_status marey_contacts_find(const marey_clip *clip, const marey_contact_def *def,
                                 marey_contacts *out)
{
    assert(clip && out);
    search s = { .fps = clip->fps, .size_cm = clip->report.height_cm };
    if (!(s.size_cm > 0)) s.size_cm = USUAL_SIZE;
    s.shortest = (def && def->shortest_s > 0 ? def->shortest_s : SHORTEST_S) * s.fps;
    s.bridge = (def && def->bridge_s > 0 ? def->bridge_s : BRIDGE_S) * s.fps;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t frames = (size_t)clip->frames;
    s.values = MRY_NEW_RAW(&tmp, double, MRY_FOOT_POINTS *frames);
    s.line = MRY_NEW_RAW(&tmp, int, frames);
    s.on = MRY_NEW_RAW(&tmp, uint8_t, frames);
    bool fits =
        s.values && s.line && s.on && mry_feet_build(&tmp, clip, &s.feet) && find_speeds(&tmp, &s);
    for (int i = 0; i < MRY_FOOT_POINTS && fits; i++) {
        if (!s.feet.has[i]) continue;
        for (int k = 0; k < clip->frames; k++) s.on[k] = s.speed[i][k] < s.most;
        fits = find_rests(&tmp, &s, i, s.most, HIGH);
    }
    fits = fits && judge_rests(&tmp, &s) && find_hands(&tmp, &s);
    marey_contacts found = { .ctx = clip->mem.ctx };
    int count = 0;
    for (int i = 0; i < MRY_POINTS && fits; i++) count += s.rests[i].count;
    if (count > 0) {
        found.bytes = (size_t)count * sizeof *found.items;
        found.items = mry_alloc(found.ctx, found.bytes);
        fits = found.items != NULL;
    }
    for (int i = 0; i < MRY_POINTS && fits; i++) {
        for (int n = 0; n < s.rests[i].count; n++) {
            const foot_rest *rest = &s.rests[i].list[n];
            found.items[found.count++] =
                (marey_contact){ (marey_contact_joint)i, rest->start, rest->end };
        }
    }
    mry_arena_free(&tmp);
    if (!fits) return MAREY_ERR_MEMORY;
    *out = found;
    return MAREY_OK;
}

void marey_contacts_free(marey_contacts *contacts)
{
    if (!contacts || !contacts->ctx) return;
    mry_release(contacts->ctx, contacts->items, contacts->bytes);
    *contacts = (marey_contacts){ 0 };
}

const char *marey_contact_name(marey_contact_joint joint)
{
    static const char *const names[] = { "left_heel", "left_toe",  "right_heel",
                                         "right_toe", "left_hand", "right_hand" };
    assert(joint >= 0 && joint < MAREY_CONTACT_JOINT_COUNT);
    return names[joint];
}
