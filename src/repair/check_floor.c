/* check_floor.c - is the floor level, still and at height 0? A planted foot tells how high the floor
   is where and when it stands. Of one flat floor all plants tell the same; of a tilted one heights
   that lie in a plane, of one that rises or sinks heights that follow time:

       y = height of this joint on a flat foot + slope along x and z + drift along time

   fitted to all plants by least squares that give outliers little weight (iteratively; Holland &
   Welsch 1977). A slope shows only along ways that the feet went, and a drift only as far as it is
   no slope: who walks straight on at one speed shows no difference between them, and calibrations
   tilt floors more often than floors rise, so that is a tilt. What is real must not pass for a flaw:
   stairs, boxes and ledges leave heights that are off the plane or fit two levels as well, and
   slopes that are steeper than a calibration ever is are ramps. */
#include "repair/exam.h"

#include "math/quat.h"
#include "motion/quantile.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 4, AXES = 2, TERMS = POINTS + AXES + 1, DRIFT = TERMS - 1, ROUNDS = 12, LEAST = 6 };

static const double PIECE_S = 0.5;  /* longer plants count as several */
static const double UPRIGHT = 0.3;  /* of the body's height, hips above a foot that stands */
static const double SPREAD_CM = 20; /* standard deviation of plants along an axis that is fitted */
static const double SAME_AS_SLOPE = 0.8; /* of the variance of time that places explain: no drift */
static const double SPREAD_TIME = 0.1;   /* the same for what they leave, of the clip's length */
static const double LOWEST_S = 0.4;      /* in which a foot is down, unless the body jumps */
static const double NOISE_CM = 0.25;     /* heights are never better known */
static const double OUTLIER_CM = 1;
static const double MOST_NOISE_CM = 1.2, MOST_OUTLIERS = 0.35;
static const double LEAST_CM = 2.5;                       /* of a rise from end to end */
static const double REAL_CM = 5;                          /* of one that people build */
static const double CERTAIN = 7, NOISES = 3;              /* standard errors, and times the noise */
static const double MOST_ERROR = 0.007;                   /* of a slope: 0.4 degrees */
static const double STEEPEST = 0.096;                     /* slope: 5.5 degrees */
static const double STEEP = 0.025, STEEP_LENGTH_CM = 130; /* a short steep one is a foot's doing */
static const double LONGEST_DRIFT_CM = 40;
static const double STEP = 1.3; /* two levels that fit nearly as well as a slope are a step */

static const double TOE = 0.028;      /* of the body's height, a toe's joint above the floor */
static const double FAR_CM = 5;       /* from it, for a floor that is not at 0 */
static const double ONE_LEVEL_CM = 4; /* most toes of one level */
static const double SLIDES_CM = 8;    /* in the middle of all plants of toes */
enum { LEAST_SLIDES = 6 };

/* By marey_contact_joint. */
static const marey_role point_roles[POINTS] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                                MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };

/* A plant, or a piece of one. */
typedef struct stand {
    int point;
    double term[TERMS]; /* what the fit multiplies: 1 for its point, place along the axes, time */
    double at[3];
    double off;    /* from the fit, cm */
    double weight; /* in it */
} stand;

typedef struct level {
    const mry_exam *exam;
    stand *stands;
    int count;
    double *values; /* room for a number a stand */
    double centre[3];
    double axis[AXES][2];
    bool fitted[TERMS];
    double fit[TERMS], error[TERMS]; /* and standard errors */
    bool is_flaw[TERMS];
    double free; /* share of the heights that the fit has to explain */
    double noise, outliers;
} level;

/* ---- plants ---------------------------------------------------------------------------------- */

/* How much the lowest place of the toes rises from the first frame to the last, by the middle of the
   slopes between all pairs (Theil 1950) of up to so many places. */
enum { LOWEST = 120 };

static double rise_of_lowest(const mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    const int *roles = clip->skeleton.roles;
    int toes[] = { roles[MAREY_ROLE_LEFT_TOE], roles[MAREY_ROLE_RIGHT_TOE] }, count = 0;
    double when[LOWEST], low[LOWEST];
    int span = (int)fmax(LOWEST_S * clip->fps, 2), all = clip->frames / span;
    int stride = all / LOWEST + 1;
    for (int w = 0; w < all; w += stride) {
        double least = HUGE_VAL;
        for (int f = w * span; f < (w + 1) * span; f++) {
            for (int i = 0; i < 2 && !exam->marked[f]; i++)
                if (toes[i] >= 0) least = fmin(least, mry_exam_at(exam, f, toes[i])[1]);
        }
        when[count] = w;
        low[count] = least;
        count += isfinite(least);
    }
    double *slopes = MRY_NEW_RAW(exam->tmp, double, LOWEST *LOWEST / 2);
    size_t pairs = 0;
    for (int i = 0; slopes && i < count; i++)
        for (int k = 0; k < i; k++) slopes[pairs++] = (low[i] - low[k]) / (when[i] - when[k]);
    if (!slopes) return NAN;
    return pairs > 2 ? mry_quantile(slopes, pairs, 0.5) * clip->frames / span : 0;
}

/* Where the floor rises quickly no foot stays at one height, and none looks planted: so plants are
   looked for in the clip without its rise. Their heights are those of the clip as it is. *raised owns
   them. */
static bool find_plants(mry_exam *exam, marey_contacts *raised)
{
    const marey_clip *clip = exam->clip;
    double rise = rise_of_lowest(exam);
    marey_clip *flat = NULL;
    if (isnan(rise)) return false;
    if (!(fabs(rise) >= LEAST_CM)) return true;
    marey_layer down = { MAREY_LAYER_RAISE, -1, 0, clip->frames, { 0, -rise } };
    bool ok =
        !marey_clip_repair(clip, &down, 1, &flat, NULL) && !marey_contacts_find(flat, NULL, raised);
    marey_clip_free(flat);
    if (!ok) return false;
    exam->plants = raised->items;
    exam->plant_count = 0;
    while (exam->plant_count < raised->count &&
           raised->items[exam->plant_count].joint < MAREY_CONTACT_LEFT_HAND)
        exam->plant_count++;
    return true;
}

/* Is a foot, or what carries it, frozen in some of these frames? It stands nowhere then. */
static bool holds_still(const mry_exam *exam, int joint, int start, int end)
{
    for (int i = 0; i < exam->count; i++) {
        const marey_flaw *flaw = &exam->flaws[i];
        int above = joint;
        if (flaw->kind != MAREY_FLAW_FROZEN || flaw->start >= end || flaw->end <= start) continue;
        while (above >= 0 && above != flaw->joint) above = exam->clip->joints[above].parent;
        if (above == flaw->joint) return true;
    }
    return false;
}

static bool find_stands(level *l)
{
    const mry_exam *exam = l->exam;
    const marey_clip *clip = exam->clip;
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    double upright = UPRIGHT * clip->report.height_cm;
    int pieces = 0, longest = (int)fmax(PIECE_S * clip->fps, 2);
    for (int i = 0; i < exam->plant_count; i++)
        pieces += (exam->plants[i].end - exam->plants[i].start - 1) / longest + 1;
    l->stands = MRY_NEW(exam->tmp, stand, pieces + 1);
    l->values = MRY_NEW_RAW(exam->tmp, double, pieces + 1);
    if (!l->stands || !l->values) return false;
    for (int i = 0; i < exam->plant_count; i++) {
        const marey_contact *plant = &exam->plants[i];
        int joint = clip->skeleton.roles[point_roles[plant->joint]];
        int length = plant->end - plant->start;
        if (joint < 0) continue; /* the tip of a bone */
        int parts = (length - 1) / longest + 1;
        for (int k = 0; k < parts; k++) {
            int start = plant->start + (int)((int64_t)k * length / parts);
            int end = plant->start + (int)((int64_t)(k + 1) * length / parts);
            stand *s = &l->stands[l->count];
            *s = (stand){ .point = plant->joint, .weight = 1 };
            for (int f = start; f < end; f++) {
                for (int c = 0; c < 3; c++)
                    s->at[c] += mry_exam_at(exam, f, joint)[c] / (end - start);
            }
            if (holds_still(exam, joint, start, end)) continue;
            /* Feet of a body that lies, kneels or swims may be anywhere. */
            if (hips >= 0 && mry_exam_at(exam, (start + end) / 2, hips)[1] < s->at[1] + upright)
                continue;
            l->count++;
            s->term[plant->joint] = 1;
            s->term[DRIFT] = (start + end - 1) / 2.0 / fmax(clip->frames - 1, 1);
        }
    }
    return true;
}

/* ---- the fit --------------------------------------------------------------------------------- */

/* Inverts the rows and columns of a symmetric matrix that are fitted; the others become 0. False: it
   has no inverse. */
static bool invert(double m[TERMS][TERMS], const bool *fitted)
{
    for (int p = 0; p < TERMS; p++) {
        if (!fitted[p]) {
            for (int i = 0; i < TERMS; i++) m[p][i] = m[i][p] = 0;
            continue;
        }
        if (!(fabs(m[p][p]) > 1e-9)) return false;
        double pivot = 1 / m[p][p];
        m[p][p] = 1;
        for (int j = 0; j < TERMS; j++) m[p][j] *= pivot;
        for (int i = 0; i < TERMS; i++) {
            double by = m[i][p];
            if (i == p || !fitted[i]) continue;
            m[i][p] = 0;
            for (int j = 0; j < TERMS; j++) m[i][j] -= by * m[p][j];
        }
    }
    return true;
}

static bool normal_matrix(const level *l, double m[TERMS][TERMS], double *right)
{
    memset(m, 0, sizeof(double[TERMS][TERMS]));
    memset(right, 0, TERMS * sizeof *right);
    for (int n = 0; n < l->count; n++) {
        const stand *s = &l->stands[n];
        for (int i = 0; i < TERMS; i++) {
            right[i] += s->weight * s->term[i] * s->at[1];
            for (int j = 0; j < TERMS; j++) m[i][j] += s->weight * s->term[i] * s->term[j];
        }
    }
    return invert(m, l->fitted);
}

/* Which terms can be told apart: points that are planted, axes that the feet went along, time. */
static bool choose_terms(level *l)
{
    double xx = 0, xz = 0, zz = 0, m[TERMS][TERMS], right[TERMS];
    for (int n = 0; n < l->count; n++) {
        l->fitted[l->stands[n].point] = true;
        for (int c = 0; c < 3; c++) l->centre[c] += l->stands[n].at[c] / l->count;
    }
    for (int n = 0; n < l->count; n++) {
        double x = l->stands[n].at[0] - l->centre[0], z = l->stands[n].at[2] - l->centre[2];
        xx += x * x / l->count;
        xz += x * z / l->count;
        zz += z * z / l->count;
    }
    double turn = atan2(2 * xz, xx - zz) / 2, half = hypot(xx - zz, 2 * xz) / 2;
    for (int a = 0; a < AXES; a++) {
        double angle = turn + a * M_PI / 2, variance = (xx + zz) / 2 + (a ? -half : half);
        l->axis[a][0] = cos(angle);
        l->axis[a][1] = sin(angle);
        l->fitted[POINTS + a] = variance > SPREAD_CM * SPREAD_CM;
        for (int n = 0; n < l->count; n++) {
            stand *s = &l->stands[n];
            s->term[POINTS + a] = l->axis[a][0] * (s->at[0] - l->centre[0]) +
                                  l->axis[a][1] * (s->at[2] - l->centre[2]);
        }
    }
    /* A diagonal element of the inverse is one over the squares that no other term explains. */
    bool slopes[AXES] = { l->fitted[POINTS], l->fitted[POINTS + 1] };
    double squares[2];
    l->fitted[DRIFT] = true;
    for (int k = 0; k < 2; k++) {
        for (int a = 0; a < AXES; a++) l->fitted[POINTS + a] = k && slopes[a];
        squares[k] = normal_matrix(l, m, right) ? 1 / m[DRIFT][DRIFT] : 0;
    }
    l->fitted[DRIFT] = squares[1] > (1 - SAME_AS_SLOPE) * squares[0] &&
                       squares[1] > SPREAD_TIME * SPREAD_TIME * l->count;
    int terms = 0;
    for (int i = 0; i < TERMS; i++) terms += l->fitted[i];
    l->free = 1 - (double)terms / l->count;
    return l->count >= terms + 3;
}

static bool fit_floor(level *l)
{
    double m[TERMS][TERMS], right[TERMS];
    for (int round = 0; round < ROUNDS; round++) {
        if (!normal_matrix(l, m, right)) return false;
        for (int i = 0; i < TERMS; i++) {
            l->fit[i] = 0;
            for (int j = 0; j < TERMS; j++) l->fit[i] += m[i][j] * right[j];
        }
        for (int n = 0; n < l->count; n++) {
            stand *s = &l->stands[n];
            s->off = s->at[1];
            for (int i = 0; i < TERMS; i++) s->off -= l->fit[i] * s->term[i];
            l->values[n] = fabs(s->off);
        }
        double middle = 1.4826 * mry_quantile(l->values, (size_t)l->count, 0.5);
        l->noise = fmax(middle / sqrt(l->free), NOISE_CM);
        l->outliers = 0;
        for (int n = 0; n < l->count; n++) {
            double far = l->stands[n].off / (2 * l->noise), share = 1 / (1 + far * far);
            l->stands[n].weight = share * share;
            l->outliers +=
                fabs(l->stands[n].off) > fmax(3 * l->noise, OUTLIER_CM) ? 1.0 / l->count : 0;
        }
    }
    for (int i = 0; i < TERMS; i++) l->error[i] = l->noise * sqrt(fmax(m[i][i], 0));
    /* A slope that is hardly known would hide the other one. */
    for (int a = AXES; a-- > 0;) {
        if (!(l->error[POINTS + a] > MOST_ERROR)) continue;
        l->fitted[POINTS + a] = false;
        for (int n = 0; n < l->count; n++) l->stands[n].weight = 1;
        return fit_floor(l);
    }
    return true;
}

/* ---- what is a flaw -------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Do two levels with one step between them fit the heights as well as the slope does, which rises by
   `rise` for each unit of way[]? The heights are those without the other terms. False, too: out of
   memory, as *ok says. */
static bool is_step(const level *l, const double *way, double rise, bool *ok)
{
    double(*pair)[2] = mry_arena_take(l->exam->tmp, (size_t)l->count, sizeof *pair);
    double sums[2] = { 0 }, squares = 0, straight = 0, best = HUGE_VAL, low = 0;
    if (!(*ok = pair != NULL)) return false;
    int count = 0;
    for (int n = 0; n < l->count; n++) {
        if (l->stands[n].weight < 0.25) continue;
        double height = l->stands[n].off + rise * way[n];
        pair[count][0] = way[n];
        pair[count++][1] = height;
        sums[1] += height;
        squares += height * height;
        straight += l->stands[n].off * l->stands[n].off;
    }
    qsort(pair, (size_t)count, sizeof *pair, by_place);
    for (int k = 1; k < count; k++) {
        low += pair[k - 1][1];
        double high = sums[1] - low;
        best = fmin(best, squares - low * low / k - high * high / (count - k));
    }
    return sqrt(fmax(best, 0) / count) < STEP * sqrt(straight / count) + 0.05;
}

/* What a slope or a drift is. */
typedef struct finding {
    double certainty; /* 0: no flaw */
    bool is_real;     /* it is there, but it is something to stand on */
} finding;

/* Judges a term that rises by `slope` for each unit of way[], one a stand, known within `error`. A
   `ramp` is real. False: out of memory. */
static bool judge(level *l, const double *way, double slope, double error, bool ramp, finding *out)
{
    memcpy(l->values, way, (size_t)l->count * sizeof *way);
    double low = mry_quantile(l->values, (size_t)l->count, 0.05);
    double rise = slope * (mry_quantile(l->values, (size_t)l->count, 0.95) - low);
    bool ok = true, is_there = rise >= LEAST_CM && slope >= CERTAIN * error;
    double most_noise = fmin(fmax(MOST_NOISE_CM, 0.1 * rise), 2 * MOST_NOISE_CM);
    if (!is_there) return true;
    bool real = ramp || l->noise > most_noise || l->outliers > MOST_OUTLIERS * l->free ||
                is_step(l, way, slope, &ok);
    out->is_real = real && rise > REAL_CM;
    if (!real && rise >= NOISES * l->noise) out->certainty = 1 - 0.5 * NOISES * l->noise / rise;
    return ok;
}

/* Tilt and drift. One that is real makes the other doubtful. */
static bool add_slopes(mry_exam *exam, level *l)
{
    double slope[2] = { 0 }, error = 0, drift = l->fit[DRIFT], low = HUGE_VAL, high = -HUGE_VAL;
    int frames = exam->clip->frames;
    finding tilts = { 0 }, drifts = { 0 };
    double *along = MRY_NEW(exam->tmp, double, l->count);
    double *time = MRY_NEW(exam->tmp, double, l->count);
    if (!along || !time) return false;
    for (int a = 0; a < AXES; a++) {
        for (int k = 0; k < 2; k++) slope[k] += l->fit[POINTS + a] * l->axis[a][k];
    }
    double steep = hypot(slope[0], slope[1]);
    for (int a = 0; a < AXES && steep > 0; a++)
        error = hypot(error, l->error[POINTS + a] * l->fit[POINTS + a] / steep);
    for (int n = 0; n < l->count; n++) {
        const stand *s = &l->stands[n];
        if (steep > 0) along[n] = (slope[0] * s->at[0] + slope[1] * s->at[2]) / steep;
        time[n] = copysign(s->term[DRIFT], drift);
        low = fmin(low, along[n]);
        high = fmax(high, along[n]);
    }
    bool ramp = steep > STEEPEST || (steep > STEEP && high - low < STEEP_LENGTH_CM);
    if (!judge(l, along, steep, error, ramp, &tilts) ||
        !judge(l, time, fabs(drift), l->error[DRIFT], fabs(drift) > LONGEST_DRIFT_CM, &drifts))
        return false;
    if (tilts.certainty > 0 && !drifts.is_real) {
        /* Turns the plane's normal, (-slope x, 1, -slope z), upright. */
        double angle = atan(steep), by = sin(angle / 2) / steep;
        marey_flaw flaw = { .kind = MAREY_FLAW_TILT,
                            .joint = -1,
                            .end = frames,
                            .size = angle * 180 / M_PI,
                            .certainty = tilts.certainty,
                            .mendable = true,
                            .repair = { MAREY_LAYER_LEVEL,
                                        -1,
                                        0,
                                        frames,
                                        { cos(angle / 2), by * slope[1], 0, -by * slope[0],
                                          l->centre[0], l->centre[1], l->centre[2] } } };
        l->is_flaw[POINTS] = l->is_flaw[POINTS + 1] = true;
        if (!mry_flaw_add(exam, &flaw)) return false;
    }
    if (drifts.certainty > 0 && !tilts.is_real) {
        marey_flaw flaw = { .kind = MAREY_FLAW_DRIFT,
                            .joint = -1,
                            .end = frames,
                            .size = fabs(drift),
                            .certainty = drifts.certainty,
                            .mendable = true,
                            .repair = { MAREY_LAYER_RAISE, -1, 0, frames, { 0, -drift } } };
        l->is_flaw[DRIFT] = true;
        if (!mry_flaw_add(exam, &flaw)) return false;
    }
    return true;
}

/* All toes on one level that is not 0, but for a tilt or a drift that is a flaw of its own. */
static bool add_level(mry_exam *exam, const level *l)
{
    size_t count = 0;
    for (int n = 0; n < l->count; n++) {
        const stand *s = &l->stands[n];
        double height = s->at[1] - TOE * exam->clip->report.height_cm;
        for (int i = POINTS; i < TERMS; i++) height -= l->is_flaw[i] ? l->fit[i] * s->term[i] : 0;
        if (s->point % 2) l->values[count++] = height;
    }
    if (count < LEAST) return true;
    double low = mry_quantile(l->values, count, 0.1), high = mry_quantile(l->values, count, 0.9);
    double height = mry_quantile(l->values, count, 0.5);
    if (fabs(height) < FAR_CM || high - low > ONE_LEVEL_CM) return true;
    int frames = exam->clip->frames;
    marey_flaw flaw = { .kind = height > 0 ? MAREY_FLAW_FLOATING : MAREY_FLAW_SINKING,
                        .joint = -1,
                        .end = frames,
                        .size = fabs(height),
                        .certainty = 1 - 0.5 * FAR_CM / fabs(height),
                        .mendable = true,
                        .repair = { MAREY_LAYER_RAISE, -1, 0, frames, { -height, -height } } };
    return mry_flaw_add(exam, &flaw);
}

/* Feet that slide while they carry the body, plant after plant, as on a body whose way was scaled
   and its legs were not. One plant that slides may be a turn or a shuffle. */
static bool add_slide(mry_exam *exam, const level *l)
{
    const marey_clip *clip = exam->clip;
    int count = 0;
    for (int i = 0; i < exam->plant_count; i++) {
        const marey_contact *plant = &exam->plants[i];
        int joint = clip->skeleton.roles[point_roles[plant->joint]];
        double most = 0;
        if (joint < 0 || plant->joint % 2 == 0) continue;
        const double *first = mry_exam_at(exam, plant->start, joint);
        for (int f = plant->start; f < plant->end; f++) {
            const double *at = mry_exam_at(exam, f, joint);
            most = fmax(most, hypot(at[0] - first[0], at[2] - first[2]));
        }
        l->values[count++] = most;
    }
    if (count < LEAST_SLIDES) return true;
    double usual = mry_quantile(l->values, (size_t)count, 0.5);
    marey_flaw flaw = { .kind = MAREY_FLAW_SLIDE,
                        .joint = -1,
                        .end = clip->frames,
                        .size = usual,
                        .certainty = 1 - 0.5 * SLIDES_CM / usual };
    return usual < SLIDES_CM || mry_flaw_add(exam, &flaw);
}

static bool look_at_floor(mry_exam *exam)
{
    level l = { .exam = exam };
    if (!find_stands(&l) || !add_slide(exam, &l)) return false;
    /* Behind a leap of the body heights are no longer what they were. */
    for (int i = 0; i < exam->count; i++) {
        const marey_flaw *flaw = &exam->flaws[i];
        if (mry_flaw_moves_body(exam, flaw) && flaw->end - flaw->start > PIECE_S * exam->clip->fps)
            return true;
    }
    bool fits = l.count >= LEAST && choose_terms(&l) && fit_floor(&l);
    return (!fits || add_slopes(exam, &l)) && add_level(exam, &l);
}

bool mry_check_floor(mry_exam *exam)
{
    marey_contacts raised = { 0 };
    const marey_contact *plants = exam->plants;
    int count = exam->plant_count;
    if (exam->clip->units == MAREY_UNITS_RAW || !(exam->clip->report.height_cm > 0)) return true;
    bool ok = find_plants(exam, &raised) && look_at_floor(exam);
    exam->plants = plants;
    exam->plant_count = count;
    marey_contacts_free(&raised);
    return ok;
}
