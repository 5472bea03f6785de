/* check_scale.c - a body that is read in the wrong units, or on its side. The import guesses both;
   a file may claim something else, and so may the user. As long as either is wrong no length and
   no direction means anything, so nothing else is looked for.

   Size: known units are a factor of two apart or more, people are not. Up: a body that lies looks
   like one that stands in a file read on its side, so that it is along another axis is not enough:
   the rest pose must be, too, or its lowest point keep to a floor there and to none along y, be it
   that it comes and goes, or that 0 is that floor and y goes below 0. Swimmers lie, but rest along y
   and keep to no floor. */
#include "math/quat.h"
#include "repair/exam.h"

#include <stdlib.h>

static const double LESS_CM = 105, MORE_CM = 215;              /* hardly an actor's height */
static const double SURELY_LESS_CM = 80, SURELY_MORE_CM = 220; /* none's */
static const double DOLL_CM = 50, GIANT_CM = 300;              /* nor that of an odd skeleton */
enum { SAMPLES = 200 };

static const double MOST_FRAMES = 0.6; /* along the other axis in so many of them, */
static const double FEW_FRAMES = 0.1;  /* upright in no more than so many */
static const double CALMER = 0.3;      /* lowest points, so much of the height nearer to a floor */
static const double AT_ZERO = 0.08;    /* a floor is there within so much of the height */

static bool check_units(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    double height = clip->report.height_cm;
    marey_units fits = mry_units_of_body(height / marey_units_cm(clip->units));
    bool known = fits != MAREY_UNITS_GUESS;
    bool sure = height < SURELY_LESS_CM || height > SURELY_MORE_CM;
    if (fits == clip->units || (height >= LESS_CM && height <= MORE_CM)) return true;
    if (!known && height > DOLL_CM && height < GIANT_CM) return true;
    marey_flaw flaw = { .kind = MAREY_FLAW_UNITS,
                        .joint = -1,
                        .end = clip->frames,
                        .size = height,
                        .certainty = sure && known ? 0.97 : 0.6, /* a small child, a doll */
                        .mendable = known,
                        .repair = { MAREY_LAYER_UNITS, -1, 0, 0, { fits } } };
    exam->misread = known;
    return mry_flaw_add(exam, &flaw);
}

/* Where the head is, seen from the ankles: +-1, 2, 3 for an axis that it clearly follows, else 0. */
static int body_axis(const marey_clip *clip, const double *at)
{
    const int *role = clip->skeleton.roles;
    double d[3];
    int most = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = at[3 * role[MAREY_ROLE_HEAD] + i] - (at[3 * role[MAREY_ROLE_LEFT_ANKLE] + i] +
                                                    at[3 * role[MAREY_ROLE_RIGHT_ANKLE] + i]) /
                                                       2;
        if (fabs(d[i]) > fabs(d[most])) most = i;
    }
    double others = fmax(fabs(d[(most + 1) % 3]), fabs(d[(most + 2) % 3]));
    return fabs(d[most]) > 1.5 * others ? (d[most] < 0 ? -1 : 1) * (most + 1) : 0;
}

/* As body_axis, of the pose without rotations. False: out of memory. */
static bool find_rest_axis(const mry_exam *exam, int *axis)
{
    const marey_clip *clip = exam->clip;
    double *at = MRY_NEW(exam->tmp, double, 3 * (size_t)clip->skeleton.joint_count);
    if (!at) return false;
    for (int j = 1; j < clip->skeleton.joint_count; j++) {
        int slot = clip->slot[j];
        const double *bone =
            slot < 0 ? clip->joints[j].offset_cm : mry_place(clip, clip->frames / 2) + 3 * slot;
        for (int i = 0; i < 3; i++) at[3 * j + i] = at[3 * clip->joints[j].parent + i] + bone[i];
    }
    *axis = body_axis(clip, at);
    return true;
}

static bool check_up(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    double least[7], most[7]; /* of the lowest point, by axis, from -3 to 3 */
    int along[7] = { 0 }, frames = 0, stride = clip->frames / SAMPLES + 1, best = 0, rest = 0;
    for (int f = stride / 2; f < clip->frames; f += stride) {
        if (exam->marked[f]) continue;
        along[body_axis(clip, mry_exam_at(exam, f, 0)) + 3]++;
        for (int a = -3; a <= 3; a++) {
            double low = HUGE_VAL;
            for (int j = 0; j < clip->skeleton.joint_count && a; j++) {
                double at = mry_exam_at(exam, f, j)[abs(a) - 1];
                low = fmin(low, a < 0 ? -at : at);
            }
            least[a + 3] = frames ? fmin(least[a + 3], low) : low;
            most[a + 3] = frames ? fmax(most[a + 3], low) : low;
        }
        frames++;
    }
    for (int a = -3; a <= 3; a++) /* upside down are handstands */
        if (a && a != -2 && along[a + 3] > along[best + 3]) best = a;
    if (frames == 0 || best == 0 || best == 2) return true;
    if (along[best + 3] < MOST_FRAMES * frames || along[2 + 3] > FEW_FRAMES * frames) return true;
    if (!find_rest_axis(exam, &rest)) return false;
    double height = clip->report.height_cm, zero = AT_ZERO * height;
    double calmer = (most[5] - least[5]) - (most[best + 3] - least[best + 3]);
    bool on_zero = least[best + 3] > -zero && most[best + 3] < zero && least[5] < -zero;
    bool keeps = calmer > CALMER * height || on_zero;
    bool rests = rest == best && calmer > -CALMER / 2 * height;
    if (!rests && !keeps) return true;
    /* The other axis that a file may have, or a quarter turn about the origin, where floors are. */
    bool other = best == (clip->up == MAREY_UP_Z ? -3 : 3);
    double half = sqrt(0.5), sign = best < 0 ? -1 : 1;
    marey_flaw flaw = { .kind = MAREY_FLAW_UP,
                        .joint = -1,
                        .end = clip->frames,
                        .size = 100.0 * along[best + 3] / frames,
                        .certainty = rests && keeps ? 0.97 : 0.8,
                        .mendable = true,
                        .repair = { MAREY_LAYER_UP, -1, 0, 0, { 0 } } };
    if (other) {
        flaw.repair.value[0] = clip->up == MAREY_UP_Z ? MAREY_UP_Y : MAREY_UP_Z;
    } else {
        flaw.repair = (marey_layer){ MAREY_LAYER_LEVEL, -1, 0, clip->frames, { half } };
        flaw.repair.value[abs(best) == 1 ? 3 : 1] = abs(best) == 1 ? sign * half : -sign * half;
    }
    exam->misread = true;
    return mry_flaw_add(exam, &flaw);
}

bool mry_check_scale(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    if (clip->units == MAREY_UNITS_RAW || !(clip->report.height_cm > 0)) return true;
    const int *role = clip->skeleton.roles; /* which a user may have taken back */
    bool body = role[MAREY_ROLE_HEAD] >= 0 && role[MAREY_ROLE_LEFT_ANKLE] >= 0 &&
                role[MAREY_ROLE_RIGHT_ANKLE] >= 0;
    return check_units(exam) && (!body || check_up(exam));
}
