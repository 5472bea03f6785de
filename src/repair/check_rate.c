/* check_rate.c - is the frame rate right? A body that stands, walks or dances is held up by the
   floor under its feet, so gravity is a clock in every move that sways, not only in jumps.

   The force that carries the body acts in one point of the floor, the zero moment point
   (Vukobratovic & Borovac 2004), which lies between the points of the feet that are planted. Moments
   about a point p of the floor, of masses m that add up to 1, at s = rate^2 and in frames:

       g (c - p) = s d/dt sum m (vx y - vy (x - p))       c: centre of mass, and the same along z

   Two things follow. Balance: with a rate that is too high everything accelerates more than the
   floor could make it, and the point is out of the feet; with one that is too low the body leans out
   over its foot and does not fall. So for each rate it is measured how far the point is out.
   Pendulum: while one foot carries the body, p is in it, and lean and fall are in proportion (as in
   the inverted pendulum of walking: Winter 1995); the slope is s. Both sides are weighted by a bell
   over some frames, which needs no second derivative: the moment of momentum is differentiated by
   the bell's slope. Masses: motion/flight.c.

   How the limits were chosen: docs/decisions/0027-flaws.md. */
#include "repair/exam.h"

#include "math/quat.h"
#include "motion/gravity.h"
#include "motion/quantile.h"

#include <assert.h>
#include <string.h>

static const double BELL_S = 0.25;    /* of the balance, at the rate that is tried */
static const double STANCE_S = 0.8;   /* longer ones are cut in pieces, at the claimed rate */
static const double SOLE_CM = 3;      /* feet are larger than the joints in them */
static const double MOST_OUT_CM = 20; /* one bad moment counts no more */
static const double UPTHRUST_CM = 50; /* out, where the floor would have to pull with the weight */
static const double FAR = 4.1;        /* rates within this factor of the claimed one are tried */

enum { POINTS = 4, DIRECTIONS = 16, LEAST_BELL = 5, MOST_BELL = 160, LEAST_STANCE = 6 };

/* What is known of a frame, along x and z. */
typedef struct moment {
    double at[2];    /* of the centre of mass */
    double speed[2]; /* cm a frame */
    double rise;     /* its vertical speed */
    double spin[2];  /* sum m (vx y - vy x) */
} moment;

typedef struct balance {
    const mry_exam *exam;
    moment *moments;  /* a frame each */
    int *clean;       /* unmarked frames in a row that end with it */
    uint8_t *planted; /* a bit a point */
    uint8_t *upright; /* only feet are near the floor */
    int point[POINTS];
    double way[DIRECTIONS][2];
} balance;

double marey_rate_step_fps(int step)
{
    assert(step >= 0 && step < MAREY_RATE_STEPS);
    return 15 * pow(2, step / 3.0);
}

/* ---- what is known of every frame ------------------------------------------------------------ */

/* The joints of the feet, by marey_contact_joint; false: there is no whole body. */
static bool find_body(const marey_clip *clip, int *point)
{
    static const marey_role feet[POINTS] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                             MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
    const int *role = clip->skeleton.roles;
    if (clip->units == MAREY_UNITS_RAW || !(clip->report.height_cm > 0)) return false;
    for (int i = 0; i < MRY_SEGMENTS; i++) {
        if (role[mry_segments[i].from] < 0 || role[mry_segments[i].to] < 0) return false;
    }
    if (role[MAREY_ROLE_HIPS] < 0) return false;
    for (int i = 0; i < POINTS; i++)
        point[i] = role[feet[i]] < 0 ? role[feet[i & ~1]] : role[feet[i]];
    return true;
}

/* Positions of all segments in a frame. */
static void pose_segments(const mry_exam *exam, int frame, double (*at)[3])
{
    const int *role = exam->clip->skeleton.roles;
    for (int i = 0; i < MRY_SEGMENTS; i++) {
        const mry_segment *part = &mry_segments[i];
        const double *a = mry_exam_at(exam, frame, role[part->from]);
        const double *b = mry_exam_at(exam, frame, role[part->to]);
        for (int k = 0; k < 3; k++) at[i][k] = a[k] + part->centre * (b[k] - a[k]);
    }
}

static void find_moments(balance *b)
{
    double at[3][MRY_SEGMENTS][3]; /* of three frames in turn */
    int frames = b->exam->clip->frames;
    pose_segments(b->exam, 0, at[0]);
    for (int f = 0; f < frames; f++) {
        if (f + 1 < frames) pose_segments(b->exam, f + 1, at[(f + 1) % 3]);
        int before = f > 0 ? f - 1 : f, after = f + 1 < frames ? f + 1 : f;
        double share = after > before ? 1.0 / (after - before) : 0;
        moment m = { 0 };
        for (int i = 0; i < MRY_SEGMENTS; i++) {
            const double *from = at[before % 3][i], *here = at[f % 3][i], *to = at[after % 3][i];
            double mass = mry_segments[i].mass, rise = mass * share * (to[1] - from[1]);
            m.rise += rise;
            for (int k = 0; k < 2; k++) {
                double speed = mass * share * (to[2 * k] - from[2 * k]);
                m.at[k] += mass * here[2 * k];
                m.speed[k] += speed;
                m.spin[k] += speed * here[1] - rise * here[2 * k];
            }
        }
        b->moments[f] = m;
    }
}

/* Lowest of the joints of some feet, bits of planted points. */
static double sole_height(const balance *b, int frame, int planted)
{
    double low = HUGE_VAL;
    for (int i = 0; i < POINTS; i++) {
        if (planted >> (i & ~1) & 3) low = fmin(low, mry_exam_at(b->exam, frame, b->point[i])[1]);
    }
    return low;
}

static bool find_support(balance *b)
{
    static const marey_role high[] = { MAREY_ROLE_HIPS,       MAREY_ROLE_HEAD,
                                       MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_WRIST,
                                       MAREY_ROLE_LEFT_KNEE,  MAREY_ROLE_RIGHT_KNEE };
    const mry_exam *exam = b->exam;
    int frames = exam->clip->frames;
    double *low = MRY_NEW_RAW(exam->tmp, double, frames);
    if (!low) return false;
    for (int i = 0; i < exam->plant_count; i++) {
        const marey_contact *plant = &exam->plants[i];
        for (int f = plant->start; f < plant->end; f++)
            b->planted[f] |= (uint8_t)(1 << plant->joint);
    }
    /* Frames in which the body is held by nothing. */
    memcpy(b->upright, exam->marked, (size_t)frames);
    for (int i = 0; i < exam->count; i++) {
        const marey_flaw *flaw = &exam->flaws[i];
        bool frozen = flaw->kind == MAREY_FLAW_FROZEN && flaw->joint < 0;
        if (frozen) memset(b->upright + flaw->start, 1, (size_t)(flaw->end - flaw->start));
        if (!mry_flaw_moves_body(exam, flaw)) continue;
        b->upright[flaw->start] = 1;
        if (flaw->end < frames) b->upright[flaw->end] = 1;
    }
    for (int f = 0; f < frames; f++) {
        b->clean[f] = b->upright[f] ? 0 : (f > 0 ? b->clean[f - 1] : 0) + 1;
        low[f] = sole_height(b, f, 15);
    }
    double least =
        mry_nth(low, (size_t)frames, (size_t)frames / 10) + 0.1 * exam->clip->report.height_cm;
    for (int f = 0; f < frames; f++) {
        b->upright[f] = 1;
        for (size_t i = 0; i < sizeof high / sizeof *high; i++)
            b->upright[f] &= mry_exam_at(exam, f, exam->clip->skeleton.roles[high[i]])[1] > least;
    }
    return true;
}

/* ---- balance --------------------------------------------------------------------------------- */

/* How far the body is out of balance in `bell` frames from `start`, cm. */
static double out_of_balance(const balance *b, double rate, int start, int bell,
                             const double *weight, const double *slope)
{
    double at[2] = { 0 }, push[2] = { 0 }, spin[2] = { 0 }, lift = 0;
    int planted = 0, middle = start + bell / 2;
    for (int i = 0; i < bell; i++) {
        const moment *m = &b->moments[start + i];
        planted |= b->planted[start + i];
        lift -= slope[i] * m->rise;
        for (int k = 0; k < 2; k++) {
            at[k] += weight[i] * m->at[k];
            push[k] -= slope[i] * m->speed[k];
            spin[k] -= slope[i] * m->spin[k];
        }
    }
    if (!planted) planted = 15; /* any foot may carry it, found or not */
    double s = rate * rate / MRY_GRAVITY, load = 1 + s * lift,
           floor = sole_height(b, middle, planted);
    double points[POINTS][2], away[2], out = 0;
    int count = 0;
    for (int i = 0; i < POINTS; i++) {
        const double *p = mry_exam_at(b->exam, middle, b->point[i]);
        if (!(planted >> i & 1)) continue;
        points[count][0] = p[0];
        points[count++][1] = p[2];
    }
    /* The point, times the load, from the first of them. */
    for (int k = 0; k < 2; k++) {
        away[k] = at[k] - s * (spin[k] - (floor - SOLE_CM) * push[k]) - load * points[0][k];
        for (int i = count; i-- > 0;) points[i][k] -= points[0][k];
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        const double *way = b->way[d];
        double reach = 0;
        for (int i = 1; i < count; i++)
            reach = fmax(reach, way[0] * points[i][0] + way[1] * points[i][1]);
        out = fmax(out, way[0] * away[0] + way[1] * away[1] - fmax(load, 0) * (reach + SOLE_CM));
    }
    return fmin(out + UPTHRUST_CM * fmax(-load, 0), MOST_OUT_CM);
}

static void find_balance(const balance *b, marey_rate_evidence *out)
{
    double weight[MOST_BELL], slope[MOST_BELL];
    int frames = b->exam->clip->frames;
    for (int step = 0; step < MAREY_RATE_STEPS; step++) {
        double rate = marey_rate_step_fps(step), away = rate / b->exam->clip->fps;
        int bell = (int)fmax(BELL_S * rate + 0.5, LEAST_BELL), stride = bell / 3;
        if (away > FAR || away < 1 / FAR) continue;
        for (int i = 0; i < bell; i++) {
            double turn = 2 * M_PI * (i + 0.5) / bell;
            weight[i] = (1 - cos(turn)) / bell;
            slope[i] = 2 * M_PI / bell * sin(turn) / bell;
        }
        /* The frames on both sides are in the speeds at the ends. */
        for (int f = 1; f + bell < frames; f += stride) {
            if (b->clean[f + bell] < bell + 2 || !b->upright[f + bell / 2]) continue;
            out->out_cm[step] += out_of_balance(b, rate, f, bell, weight, slope);
            out->moments[step]++;
        }
    }
}

/* ---- pendulum -------------------------------------------------------------------------------- */

static void add_stance(const balance *b, int start, int frames, int foot, marey_rate_evidence *out)
{
    const double *heel = mry_exam_at(b->exam, start + frames / 2, b->point[foot]);
    const double *toe = mry_exam_at(b->exam, start + frames / 2, b->point[foot + 1]);
    double lean[2] = { 0 }, fall[2] = { 0 }, floor = fmin(heel[1], toe[1]) - SOLE_CM;
    for (int i = 0; i < frames; i++) {
        const moment *m = &b->moments[start + i];
        double turn = 2 * M_PI * (i + 0.5) / frames;
        double weight = (1 - cos(turn)) / frames, slope = 2 * M_PI / frames * sin(turn) / frames;
        for (int k = 0; k < 2; k++) {
            double p = (heel[2 * k] + toe[2 * k]) / 2;
            lean[k] += weight * (m->at[k] - p);
            fall[k] -= slope * (m->spin[k] - floor * m->speed[k] + p * m->rise);
        }
    }
    for (int k = 0; k < 2; k++) {
        out->lean += frames * lean[k] * lean[k];
        out->fall += frames * fall[k] * fall[k];
        out->both += frames * lean[k] * fall[k];
    }
    out->stances++;
}

static void find_stances(const balance *b, marey_rate_evidence *out)
{
    int frames = b->exam->clip->frames;
    for (int f = 1, end; f < frames; f = end) {
        int side = (b->planted[f] & 3 ? 1 : 0) | (b->planted[f] & 12 ? 2 : 0);
        for (end = f + 1; end < frames; end++) {
            int next = (b->planted[end] & 3 ? 1 : 0) | (b->planted[end] & 12 ? 2 : 0);
            if (next != side) break;
        }
        if (side == 0 || side == 3 || end - f < LEAST_STANCE || b->clean[end - 1] < end - f + 1)
            continue;
        int pieces = (int)((end - f) / (STANCE_S * b->exam->clip->fps) + 0.5);
        if (pieces < 1) pieces = 1;
        for (int i = 0; i < pieces && (end - f) / pieces >= LEAST_STANCE; i++)
            add_stance(b, f + i * ((end - f) / pieces), (end - f) / pieces, side == 1 ? 0 : 2, out);
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

void marey_rate_evidence_add(marey_rate_evidence *sum, const marey_rate_evidence *other)
{
    assert(sum && other);
    int flights = sum->flights + other->flights;
    for (int i = 0; i < MAREY_RATE_STEPS; i++) {
        sum->out_cm[i] += other->out_cm[i];
        sum->moments[i] += other->moments[i];
    }
    sum->lean += other->lean;
    sum->fall += other->fall;
    sum->both += other->both;
    sum->stances += other->stances;
    if (sum->flights && other->flights)
        sum->flight_fps =
            exp((sum->flights * log(sum->flight_fps) + other->flights * log(other->flight_fps)) /
                flights);
    else if (other->flights)
        sum->flight_fps = other->flight_fps;
    sum->flights = flights;
}

/* Limits of the verdict. "Apart" are natural logarithms of the ratio of two rates. */
static const double AS_CLAIMED = 0.2, JUMPS_APART = 0.26;
/* Further out of balance at the claimed rate than at the best, where the pendulum says so too, and
   where it says nothing; and the best one is out by no more than this share of it. */
static const double WORSE_CM = 2.5, WORSE_ALONE_CM = 6, BETTER = 0.38;
static const double SLOW_CM = 1.5, SLOW_BETTER = 0.5; /* the same where the best is a higher rate */
static const double KNEE = 0.1, KNEE_CM = 0.3;        /* still as good as the best */
static const double KNEE_HIGH = 1.12;                 /* the knee over the true rate, as measured */
static const double FALSE_BALANCE_CM = 8;             /* carried by something else than the feet */
static const double LITTLE_ALIKE = 0.4, ALIKE = 0.7;  /* correlation of lean and fall */
static const double PENDULUM_APART = 0.35, SUPPORTED_CM = 1.5;
static const double TWOS = 20; /* rates that are off by two or four count as so many times nearer */
enum { LEAST_MOMENTS = 16, FEW_MOMENTS = 8, LEAST_STANCES = 3, STANCES_A_FLIGHT = 20 };

/* Mean distance out of balance at a rate, between the steps; infinite where too little is known. */
static double mean_out(const marey_rate_evidence *e, double fps, int least)
{
    double step = 3 * log2(fps / 15), t = step - floor(step), mean[2];
    int low = (int)floor(step);
    if (t > 0.99) low++, t = 0;
    if (t < 0.01) t = 0;
    for (int i = 0; i < 2; i++) {
        int at = low + i;
        if (i == 1 && t == 0) break;
        if (at < 0 || at >= MAREY_RATE_STEPS || e->moments[at] < least) return HUGE_VAL;
        mean[i] = e->out_cm[at] / e->moments[at];
    }
    return t == 0 ? mean[0] : mean[0] + t * (mean[1] - mean[0]);
}

double marey_rate_judge(const marey_rate_evidence *e, double claimed, double *certainty)
{
    assert(e && claimed > 0 && certainty);
    double rate = 0;
    *certainty = 0;
    /* Jumps need no other witness, unless they are few among many clips; a single one may be no real
       flight where it says that the clip is too slow. */
    if (e->flights && STANCES_A_FLIGHT * e->flights >= e->stances) {
        double apart = log(e->flight_fps / claimed);
        if (fabs(apart) < AS_CLAIMED) return 0;
        if (fabs(apart) > JUMPS_APART && (apart < 0 || e->flights > 1)) {
            *certainty = 0.95;
            return mry_rate_near(e->flight_fps, claimed, 2);
        }
    }
    double here = mean_out(e, claimed, FEW_MOMENTS);
    if (!(here < HUGE_VAL)) return 0;
    bool enough = mean_out(e, claimed, LEAST_MOMENTS) < HUGE_VAL;
    /* The pendulum's rate: both numbers are measured with errors, so the slope is the ratio of
       their spreads. */
    double alike = e->lean > 0 && e->fall > 0 ? e->both / sqrt(e->lean * e->fall) : 0;
    bool hints = e->stances >= LEAST_STANCES && alike > LITTLE_ALIKE,
         swings = hints && alike > ALIKE;
    double pendulum = hints ? sqrt(MRY_GRAVITY * sqrt(e->lean / e->fall)) : claimed;
    double apart = log(pendulum / claimed);
    /* The best rates below and above the claimed one. */
    double lower = here, higher = here, low_fps = claimed, high_fps = claimed;
    for (int i = 0; i < MAREY_RATE_STEPS; i++) {
        double fps = marey_rate_step_fps(i), mean = mean_out(e, fps, FEW_MOMENTS);
        if (fps < claimed && mean < lower) lower = mean, low_fps = fps;
        if (fps > claimed && mean < higher) higher = mean, high_fps = fps;
    }
    if (low_fps < claimed) {
        /* The highest rate that is nearly as good as the best. */
        double limit = lower + fmax(KNEE_CM, KNEE * (here - lower)), knee = low_fps;
        while (knee < claimed && mean_out(e, knee * 1.02, FEW_MOMENTS) < limit) knee *= 1.02;
        knee /= KNEE_HIGH;
        double worse = hints && apart < -PENDULUM_APART ? WORSE_CM : WORSE_ALONE_CM;
        bool out = enough && here - lower > worse && lower < BETTER * here &&
                   log(knee / claimed) < -PENDULUM_APART;
        bool falls =
            swings && apart * alike * alike < -PENDULUM_APART && here - lower > SUPPORTED_CM;
        if (falls || (out && !(swings && apart > -PENDULUM_APART))) {
            rate = swings ? pendulum : knee;
            *certainty = falls ? alike : 1 - lower / here;
        }
    }
    if (rate == 0 && high_fps > claimed) {
        double there = swings ? mean_out(e, fmin(pendulum, claimed * 4), FEW_MOMENTS) : HUGE_VAL;
        bool falls = swings && apart * alike * alike > PENDULUM_APART && there < here &&
                     there < FALSE_BALANCE_CM;
        bool out = enough && here - higher > SLOW_CM && higher < SLOW_BETTER * here;
        if (falls || (out && !(swings && apart < PENDULUM_APART))) {
            rate = swings ? pendulum : high_fps;
            *certainty = falls ? alike : 1 - higher / here;
        }
    }
    if (rate == 0) return 0;
    rate = mry_rate_near(rate, claimed, TWOS);
    if (fabs(log(rate / claimed)) < AS_CLAIMED) return *certainty = 0;
    return rate;
}

bool mry_check_rate(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    size_t frames = (size_t)clip->frames;
    balance b = { .exam = exam };
    exam->rate = (marey_rate_evidence){ .flight_fps = clip->report.flight_fps,
                                        .flights = clip->report.flight_count };
    if (find_body(clip, b.point)) {
        b.moments = MRY_NEW_RAW(exam->tmp, moment, frames);
        b.clean = MRY_NEW_RAW(exam->tmp, int, frames);
        b.planted = MRY_NEW(exam->tmp, uint8_t, frames);
        b.upright = MRY_NEW_RAW(exam->tmp, uint8_t, frames);
        if (!b.moments || !b.clean || !b.planted || !b.upright || !find_support(&b)) return false;
        for (int d = 0; d < DIRECTIONS; d++) {
            b.way[d][0] = cos(2 * M_PI * d / DIRECTIONS);
            b.way[d][1] = sin(2 * M_PI * d / DIRECTIONS);
        }
        find_moments(&b);
        find_balance(&b, &exam->rate);
        find_stances(&b, &exam->rate);
    }
    double certainty, fps = marey_rate_judge(&exam->rate, clip->fps, &certainty);
    marey_flaw flaw = { .kind = MAREY_FLAW_RATE,
                        .joint = -1,
                        .end = clip->frames,
                        .size = fps,
                        .certainty = certainty,
                        .mendable = true,
                        .repair = { MAREY_LAYER_RATE, -1, 0, 0, { fps } } };
    return fps == 0 || mry_flaw_add(exam, &flaw);
}
