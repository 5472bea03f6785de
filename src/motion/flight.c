/* flight.c - gravity as a clock.

   A body in the air falls at 981 cm/s^2 whatever it does with its arms and legs, so the parabola
   its centre of mass describes, measured in frames, tells how long a frame is. What the file claims
   is compared with that; it only makes the search quicker, and stricter against slow falls.

       rate [1/s] = sqrt(981 / a),   a = fall of the centre of mass in cm/frame^2

   Segment masses and their centres: Winter, Biomechanics and Motor Control of Human Movement, table
   4.1. What is no flight must not pass for one, so a flight needs all of these: both feet clear of
   where they stand otherwise; no other part near the floor; the head above the hips (cartwheels are
   carried by the hands); a centre of mass that moves evenly along the floor and along a parabola
   above it; and feet that travel, as a foot that carries the body does not.

   It has to be cheap, since it runs on every import: the height of the hips in every third frame
   picks out moments of falling, the legs are posed for those only, the body for real flights
   only. */
#include "math/quat.h"
#include "motion/feet.h"
#include "motion/gravity.h"
#include "motion/limbs.h"
#include "motion/quantile.h"

#include <stdlib.h>
#include <string.h>

static const double DOUBTFUL = 1.3; /* claimed and measured rate apart by more than this factor */
static const double CLEAR = 3.0;    /* cm a foot is above where it stands; less is noise */

enum {
    STRIDE = 3,    /* frames between two looks at the hips */
    LEAST = 6,     /* frames of a flight; in fewer, a parabola fits anything */
    LONGEST = 240, /* a second at the highest common rate; no body stays up longer */
    POINTS = 12,   /* a flight is measured at so many or up to twice as many frames */
    FLOOR_SAMPLES = 64,
    MOST_FLIGHTS = 64,
    FEET = 4
};

/* ---- the body -------------------------------------------------------------------------------- */

/* The forearm row carries the hand, and the trunk is hung on its four corners. */
const mry_segment mry_segments[MRY_SEGMENTS] = {
    { 0.081, MAREY_ROLE_HEAD, MAREY_ROLE_HEAD, 0 },
    { 0.2485, MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_HIP, 0.5 },
    { 0.2485, MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_HIP, 0.5 },
    { 0.028, MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_ELBOW, 0.436 },
    { 0.028, MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW, 0.436 },
    { 0.022, MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_LEFT_WRIST, 0.6 },
    { 0.022, MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST, 0.6 },
    { 0.1, MAREY_ROLE_LEFT_HIP, MAREY_ROLE_LEFT_KNEE, 0.433 },
    { 0.1, MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_RIGHT_KNEE, 0.433 },
    { 0.0465, MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_ANKLE, 0.433 },
    { 0.0465, MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE, 0.433 },
    { 0.0145, MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_ANKLE, 0 },
    { 0.0145, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_ANKLE, 0 },
};

static const marey_role body_roles[] = {
    MAREY_ROLE_HIPS,       MAREY_ROLE_HEAD,        MAREY_ROLE_LEFT_SHOULDER,
    MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_LEFT_HIP,
    MAREY_ROLE_LEFT_KNEE,  MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_RIGHT_SHOULDER,
    MAREY_ROLE_RIGHT_HIP,  MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST,
    MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_LEFT_TOE,
    MAREY_ROLE_RIGHT_TOE,
};
enum { NEEDED = sizeof body_roles / sizeof *body_roles - 2 }; /* toes are welcome, not needed */

static const marey_role foot_roles[FEET] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE,
                                             MAREY_ROLE_LEFT_TOE, MAREY_ROLE_RIGHT_TOE };

static const marey_role high_roles[] = { MAREY_ROLE_HIPS,       MAREY_ROLE_HEAD,
                                         MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_WRIST,
                                         MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_RIGHT_ELBOW,
                                         MAREY_ROLE_LEFT_KNEE,  MAREY_ROLE_RIGHT_KNEE };

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

typedef struct flight {
    double fall;   /* cm/frame^2 */
    double weight; /* its frames cubed: of a short flight, the ends are most */
} flight;

typedef struct search {
    const marey_clip *clip;
    mry_limbs hips, legs, body;
    uint8_t *marked;          /* a byte a frame */
    double path[3 * LONGEST]; /* of the centre of mass during one flight */
    double *share;            /* mass of every joint of body */
    int feet;                 /* 2, or 4 with toes */
    int foot[FEET];           /* their places in legs */
    bool has_floor;           /* it is looked for when first asked after */
    double low[FEET];         /* where each stands, cm */
    double travel[FEET];
    flight found[MOST_FLIGHTS];
    int count;
} search;

static const double *role_at(const search *s, marey_role role)
{
    return s->body.at + 3 * s->body.index[s->clip->skeleton.roles[role]];
}

static bool feet_are_up(search *s, int frame)
{
    if (s->marked[frame]) return false;
    if (!s->has_floor) {
        /* Where each foot is lowest, but for the lowest twentieth: people wade through the floor at
           times. */
        double heights[FEET][FLOOR_SAMPLES];
        int count = 0, stride = s->clip->frames / FLOOR_SAMPLES + 1;
        for (int f = stride / 2; f < s->clip->frames && count < FLOOR_SAMPLES; f += stride) {
            if (s->marked[f]) continue;
            mry_limbs_pose(s->clip, &s->legs, f);
            for (int i = 0; i < s->feet; i++) heights[i][count] = s->legs.at[3 * s->foot[i] + 1];
            count++;
        }
        for (int i = 0; i < s->feet && count; i++)
            s->low[i] = mry_nth(heights[i], (size_t)count, (size_t)count / 20);
        s->has_floor = true;
    }
    mry_limbs_pose(s->clip, &s->legs, frame);
    for (int i = 0; i < s->feet; i++) {
        if (s->legs.at[3 * s->foot[i] + 1] - s->low[i] < CLEAR) return false;
    }
    return true;
}

/* ---- the parabola ---------------------------------------------------------------------------- */

typedef struct fit {
    double bend; /* second derivative, cm/frame^2 */
    double miss; /* root mean square distance from the parabola */
    double skew; /* change of the second derivative from end to end */
} fit;

/* Least squares on t = -(n-1)/2 .. (n-1)/2, where odd and even powers do not mix. `y` has stride
   3. */
static fit fit_parabola(const double *y, int n)
{
    double s2 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
    for (int i = 0; i < n; i++) {
        double t = i - (n - 1) / 2.0, v = y[3 * i] - y[0];
        s2 += t * t;
        s4 += t * t * t * t;
        y0 += v;
        y1 += t * v;
        y2 += t * t * v;
    }
    double square = (n * y2 - s2 * y0) / (n * s4 - s2 * s2);
    double level = (y0 - square * s2) / n, slope = y1 / s2, miss = 0, cube = 0, cubes = 0;
    for (int i = 0; i < n; i++) {
        double t = i - (n - 1) / 2.0, off = y[3 * i] - y[0] - level - slope * t - square * t * t;
        double third = t * (t * t - s4 / s2); /* what of t^3 a line does not explain */
        miss += off * off;
        cube += third * off;
        cubes += third * third;
    }
    return (fit){ 2 * square, sqrt(miss / n), cubes > 0 ? 6 * cube / cubes * n : 0 };
}

/* The rise of a thrown thing above the chord between its ends. */
static double arch(double fall, int n)
{
    return fall * n * n / 8;
}

/* Poses the body in `count` frames from `start`, `step` apart, and notes the way of its centre of
   mass and of its feet; false if anything but air carries it. */
static bool trace(search *s, int start, int step, int count)
{
    double before[FEET][3] = { 0 }, floor = s->low[0];
    for (int i = 1; i < s->feet; i++) floor = fmin(floor, s->low[i]);
    double least = floor + 0.09 * s->clip->report.height_cm;
    memset(s->travel, 0, sizeof s->travel);
    for (int k = 0; k < count; k++) {
        mry_limbs_pose(s->clip, &s->body, start + k * step);
        /* Nothing but the feet may be near the floor, and the body must not hang upside down. */
        for (int i = 0; i < COUNT(high_roles); i++) {
            if (role_at(s, high_roles[i])[1] < least) return false;
        }
        if (role_at(s, MAREY_ROLE_HEAD)[1] < role_at(s, MAREY_ROLE_HIPS)[1]) return false;
        double *mass = s->path + 3 * k;
        mass[0] = mass[1] = mass[2] = 0;
        for (int n = 0; n < s->body.count; n++) {
            for (int i = 0; i < 3; i++) mass[i] += s->share[n] * s->body.at[3 * n + i];
        }
        for (int i = 0; i < s->feet; i++) {
            const double *at = role_at(s, foot_roles[i]);
            if (k > 0) s->travel[i] += mry_distance3(at, before[i]);
            memcpy(before[i], at, sizeof before[i]);
        }
    }
    return true;
}

/* Takes the flight around `seed`, if it is one; returns the first frame behind it. */
static int take_flight(search *s, int seed)
{
    int start = seed, end = seed + 1;
    while (start > 0 && seed - start < LONGEST && feet_are_up(s, start - 1)) start--;
    while (end < s->clip->frames && end - seed < LONGEST && feet_are_up(s, end)) end++;
    int n = end - start;
    if (n < LEAST || n > LONGEST) return end;
    int trim = n / 10; /* toes let go and touch later than their joints tell */
    int step = n > 2 * POINTS ? n / POINTS : 1, count = (n - 2 * trim - 1) / step + 1;
    /* A first look that needs the hips only: they follow the centre of mass, if not closely. */
    for (int k = 0; k < count; k++) {
        mry_limbs_pose(s->clip, &s->hips, start + trim + k * step);
        s->path[3 * k] = s->hips.at[3 * s->hips.count - 2];
    }
    fit hips = fit_parabola(s->path, count);
    if (!(hips.bend < 0 && hips.miss < 0.2 * arch(-hips.bend, count))) return end;
    if (!trace(s, start + trim, step, count)) return end;
    /* Does the centre of mass fall freely? */
    fit x = fit_parabola(s->path, count), y = fit_parabola(s->path + 1, count),
        z = fit_parabola(s->path + 2, count);
    double fall = -y.bend, rise = arch(fall, count); /* per step^2 */
    if (!(rise > 0.3) || !isfinite(rise) || y.miss > 0.05 * rise) return end;
    if (hypot(x.bend, z.bend) > 0.2 * fall) return end;
    for (int i = 0; i < s->feet; i++) {
        if (s->travel[i] < 1.2 * rise) return end;
    }
    /* Falling slower than gravity is also what standing on something unseen looks like, so that
       takes a cleaner parabola than falling faster, which nothing on earth does. */
    bool clean = fabs(y.skew) < 0.6 * fall && y.miss < 0.03 * rise;
    fall /= step * step;
    bool slow = fall * s->clip->fps * s->clip->fps < MRY_GRAVITY / (DOUBTFUL * DOUBTFUL);
    if (slow && !clean) return end;
    if (s->count < MOST_FLIGHTS) s->found[s->count++] = (flight){ fall, pow(n, 3) };
    return end;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static int compare_flights(const void *a, const void *b)
{
    double x = ((const flight *)a)->fall, y = ((const flight *)b)->fall;
    return (x > y) - (x < y);
}

static bool differ(double a, double b)
{
    return a > DOUBTFUL * b || b > DOUBTFUL * a;
}

double mry_rate_near(double rate, double claimed, double favour)
{
    static const double common[] = { 24, 25, 30, 48, 50, 60, 90, 100, 120, 150, 200, 240 };
    double likely = 0, least_off = HUGE_VAL;
    for (int i = 0; i < COUNT(common); i++) {
        double twos = fabs(log2(common[i] / claimed)), off = fabs(log(common[i] / rate));
        bool by_twos = fabs(twos - 1) < 0.01 || fabs(twos - 2) < 0.01;
        if (by_twos && off < 0.35) off /= favour;
        if (off >= least_off) continue;
        least_off = off;
        likely = common[i];
    }
    return likely;
}

static bool judge(marey_clip *clip, search *s)
{
    flight *list = s->found;
    int count = s->count, middle = 0;
    double total = 0, near = 0;
    if (count == 0) return true;
    /* The median by weight. */
    qsort(list, (size_t)count, sizeof *list, compare_flights);
    for (int i = 0; i < count; i++) total += list[i].weight;
    for (double sum = list[0].weight; sum < total / 2 && middle + 1 < count;)
        sum += list[++middle].weight;
    double fall = list[middle].fall, rate = sqrt(MRY_GRAVITY / fall);
    double likely = mry_rate_near(rate, clip->fps, 2);
    clip->report.flight_fps = rate;
    clip->report.flight_count = count;
    if (!differ(rate, clip->fps) || !differ(likely, clip->fps)) return true;
    for (int i = 0; i < s->count;
         i++) { /* most of the flights, by weight, must tell nearly the same */
        if (fabs(log(list[i].fall / fall)) < 0.35) near += list[i].weight;
    }
    if (near / total < 0.6) return true;
    if (rate > clip->fps && count < 2) return true;
    double claimed = clip->report.claimed_fps;
    bool as_claimed = !(claimed > 0) || fabs(claimed - clip->fps) < 0.01 * claimed;
    return mry_clip_warn(clip,
                         "%d jump%s as if recorded at %g fps; %s %.4g; --source-fps %g corrects it",
                         count, count == 1 ? " falls" : "s fall", likely,
                         as_claimed ? "the file says" : "it was read at", clip->fps, likely);
}

bool mry_clip_judge_rate(marey_clip *clip)
{
    if (clip->frames < LEAST + 2 || clip->units == MAREY_UNITS_RAW) return true;
    if (!(clip->report.height_cm > 0) || !(clip->fps > 0)) return true;
    for (int i = 0; i < NEEDED; i++) {
        if (clip->skeleton.roles[body_roles[i]] < 0) return true;
    }
    static const marey_role hips[] = { MAREY_ROLE_HIPS };
    const int *roles = clip->skeleton.roles;
    bool has_toes = roles[MAREY_ROLE_LEFT_TOE] >= 0 && roles[MAREY_ROLE_RIGHT_TOE] >= 0;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    search *s = MRY_NEW(&tmp, search, 1);
    bool ok = s != NULL;
    if (ok) {
        *s = (search){ .clip = clip, .feet = has_toes ? FEET : 2 };
        ok = mry_limbs_build(&tmp, clip, hips, 1, &s->hips) &&
             mry_limbs_build(&tmp, clip, foot_roles, s->feet, &s->legs) &&
             mry_limbs_build(&tmp, clip, body_roles, COUNT(body_roles), &s->body) &&
             (s->marked = mry_clip_marked(&tmp, clip)) &&
             (s->share = MRY_NEW(&tmp, double, s->body.count));
    }
    for (int i = 0; ok && i < s->feet; i++) s->foot[i] = s->legs.index[roles[foot_roles[i]]];
    for (int i = 0; ok && i < MRY_SEGMENTS; i++) {
        const mry_segment *part = &mry_segments[i];
        s->share[s->body.index[roles[part->from]]] += part->mass * (1 - part->centre);
        s->share[s->body.index[roles[part->to]]] += part->mass * part->centre;
    }
    /* The hips in every third frame are enough: a flight of LEAST frames holds two of them. */
    double highest = fmax(clip->fps, 120), before = 0, here = 0;
    double least = 0.5 * MRY_GRAVITY / (highest * highest) * STRIDE * STRIDE;
    for (int f = 0, resume = 0; ok && f < clip->frames; f += STRIDE) {
        mry_limbs_pose(clip, &s->hips, f);
        double next = s->hips.at[3 * s->hips.count - 2];
        int seed = f - STRIDE;
        if (seed >= STRIDE && 2 * here - before - next > least && seed >= resume &&
            feet_are_up(s, seed))
            resume = take_flight(s, seed);
        before = here;
        here = next;
    }
    ok = ok && judge(clip, s);
    mry_arena_free(&tmp);
    return ok;
}
