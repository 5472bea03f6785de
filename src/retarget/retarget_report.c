/* retarget_report.c - how well a body follows another: reach and speed in proportion. */
#include "retarget/retarget_report.h"

#include "math/turn.h"
#include "retarget/body_frames.h"

#include <string.h>

static const double SHORT_CM = 5; /* shorter bones say nothing about proportions */

/* A motion and its pose in a frame. */
typedef struct side {
    const marey_clip *clip;
    float *turns;
    double *places, *before;
    double fastest[MAREY_ROLE_COUNT]; /* cm a frame */
} side;

static mry_vec place(const side *s, int role)
{
    const double *p = s->places + 3 * s->clip->skeleton.roles[role];
    return (mry_vec){ p[0], p[1], p[2] };
}

static bool has(const side *s, int role)
{
    return s->clip->skeleton.roles[role] >= 0;
}

/* The end of a limb from its base, in lengths of the limb; false: there is no such limb. */
static bool see_reach(const side *s, int role, mry_vec *out)
{
    if (!has(s, role) || !has(s, role + 1) || !has(s, role + 2)) return false;
    mry_vec a = place(s, role), b = place(s, role + 1), c = place(s, role + 2);
    double length = mry_vec_length(mry_vec_sub(b, a)) + mry_vec_length(mry_vec_sub(c, b));
    if (!(length > 1e-6)) return false;
    *out = mry_vec_scale(mry_vec_sub(c, a), 1 / length);
    return true;
}

/* By how much longer the bones between any joint with a role and this one, below it, are: what turns
   there moves it so much faster. */
static double longest_ratio(const side *sides, int role)
{
    double most = 0;
    for (int above = 0; above < MAREY_ROLE_COUNT; above++) {
        double length[2] = { 0, 0 };
        bool below = has(&sides[0], above) && has(&sides[1], above);
        for (int i = 0; i < 2 && below; i++) {
            const marey_clip *clip = sides[i].clip;
            int j = clip->skeleton.roles[role], end = clip->skeleton.roles[above];
            for (; j > end; j = clip->joints[j].parent) {
                const double *p = clip->joints[j].offset_cm;
                length[i] += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            }
            below = j == end;
        }
        if (below && length[0] > SHORT_CM) most = fmax(most, length[1] / length[0]);
    }
    return most;
}

static void step(side *s, int frame)
{
    size_t size = 3 * (size_t)s->clip->skeleton.joint_count;
    memcpy(s->before, s->places, size * sizeof *s->before);
    mry_body_pose(s->clip, frame, s->turns, s->places);
    for (int r = 0; r < MAREY_ROLE_COUNT && frame > 0; r++) {
        int j = s->clip->skeleton.roles[r];
        if (j < 0 || mry_clip_is_marked(s->clip, frame) || mry_clip_is_marked(s->clip, frame - 1))
            continue;
        const double *p = s->places + 3 * j, *q = s->before + 3 * j;
        double way = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                          (p[2] - q[2]) * (p[2] - q[2]));
        s->fastest[r] = fmax(s->fastest[r], way);
    }
}

/* A joint moves with the path, by the ratio of legs, and with what turns above it, by the bones that
   lead to it from there: the largest of these is its proportion. */
static double speed_ratio(const side *sides, double leg_ratio)
{
    double most[2] = { 0, 0 };
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        if (!has(&sides[0], r) || !has(&sides[1], r)) continue;
        most[0] = fmax(most[0], sides[0].fastest[r]);
        most[1] = fmax(most[1], sides[1].fastest[r] / fmax(leg_ratio, longest_ratio(sides, r)));
    }
    return most[0] > 1e-6 ? most[1] / most[0] : 1;
}

bool mry_retarget_measure(mry_arena *tmp, const marey_clip *clip, const marey_clip *made,
                          double leg_ratio, marey_retarget_result *out)
{
    side sides[2] = { { .clip = clip }, { .clip = made } };
    double sum = 0;
    int64_t count = 0;
    for (int i = 0; i < 2; i++) {
        size_t joints = (size_t)sides[i].clip->skeleton.joint_count;
        sides[i].turns = MRY_NEW_RAW(tmp, float, 4 * joints);
        sides[i].places = MRY_NEW(tmp, double, 6 * joints);
        if (!sides[i].turns || !sides[i].places) return false;
        sides[i].before = sides[i].places + 3 * joints;
    }
    for (int f = 0; f < made->frames; f++) {
        step(&sides[0], f);
        step(&sides[1], f);
        for (int n = 0; n < MRY_LIMBS; n++) {
            mry_vec from, to;
            int role = (int)mry_limb_roles[n];
            if (!see_reach(&sides[0], role, &from) || !see_reach(&sides[1], role, &to)) continue;
            sum += 100 * mry_vec_length(mry_vec_sub(to, from));
            count++;
        }
    }
    out->reach_percent = count ? sum / (double)count : 0;
    out->speed_ratio = speed_ratio(sides, leg_ratio);
    return true;
}
