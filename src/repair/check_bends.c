/* check_bends.c - knees and elbows that bend the wrong way in most of a clip: sides were exchanged,
   or a solver took the other solution. A bend that flips in one frame is check_jumps.c's.

   Only places are asked, since every file has other axes and another rest pose. A knee is in front
   of the line from hip to ankle, as the toes say and as the hips and shoulders do: each is wrong
   now and then (feet turned out, a bow), both together hardly ever. An elbow is behind the line from
   shoulder to wrist while the upper arm hangs; an arm that is raised may bend any way. */
#include "math/turn.h"
#include "motion/quantile.h"
#include "repair/exam.h"

#include <stdlib.h>
#include <string.h>

static const double BENT_DEG = 20; /* less is no bend that can be told */
static const double HANGS = 0.7;   /* cosine between the upper arm and the trunk, downwards */
static const double BEHIND = 0.5;  /* cosine between the elbow's way and the front */
static const double SHARE = 0.4;   /* of the frames that tell (in sound clips 0.26 at most), */
static const double OF_ALL[2] = { 0.05, 0.2 }; /* and of all frames, so many: knees, elbows */
static const double DEGREE = 180 / 3.14159265358979323846;

static const struct {
    marey_role top, middle, end, toe;
} limbs[] = {
    { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE },
    { MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE },
    { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_COUNT },
    { MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_COUNT },
};

static mry_vec place(const mry_exam *exam, int frame, marey_role role)
{
    const double *at = mry_exam_at(exam, frame, exam->clip->skeleton.roles[role]);
    return (mry_vec){ at[0], at[1], at[2] };
}

/* How far a limb is bent the wrong way, degrees; 0: it is right; -1: that cannot be told. */
static double wrong_bend(const mry_exam *exam, int limb, int frame)
{
    mry_vec top = place(exam, frame, limbs[limb].top);
    mry_vec end = place(exam, frame, limbs[limb].end);
    mry_vec upper = mry_vec_sub(place(exam, frame, limbs[limb].middle), top);
    mry_vec lower = mry_vec_sub(end, mry_vec_add(top, upper));
    double cosine = mry_vec_dot(mry_vec_unit(upper), mry_vec_unit(lower));
    if (cosine > cos(BENT_DEG / DEGREE)) return -1;
    double bent = acos(fmax(cosine, -1)) * DEGREE;
    mry_vec hips[2] = { place(exam, frame, MAREY_ROLE_LEFT_HIP),
                        place(exam, frame, MAREY_ROLE_RIGHT_HIP) };
    mry_vec shoulders[2] = { place(exam, frame, MAREY_ROLE_LEFT_SHOULDER),
                             place(exam, frame, MAREY_ROLE_RIGHT_SHOULDER) };
    mry_vec trunk = mry_vec_sub(mry_vec_mix(shoulders[0], shoulders[1], 0.5),
                                mry_vec_mix(hips[0], hips[1], 0.5));
    mry_vec front = mry_vec_unit(mry_vec_cross(trunk, mry_vec_sub(hips[1], hips[0])));
    /* From the line between the limb's ends to the joint. */
    mry_vec line = mry_vec_unit(mry_vec_sub(end, top));
    mry_vec out = mry_vec_unit(mry_vec_sub(upper, mry_vec_scale(line, mry_vec_dot(upper, line))));
    if (limbs[limb].toe != MAREY_ROLE_COUNT) {
        mry_vec foot = mry_vec_sub(place(exam, frame, limbs[limb].toe), end);
        foot = mry_vec_sub(foot, mry_vec_scale(line, mry_vec_dot(foot, line)));
        return mry_vec_dot(out, front) < 0 && mry_vec_dot(out, foot) < 0 ? bent : 0;
    }
    if (mry_vec_dot(mry_vec_unit(upper), mry_vec_unit(trunk)) > -HANGS) return -1;
    mry_vec other = mry_vec_cross(trunk, mry_vec_sub(shoulders[1], shoulders[0]));
    bool wrong = mry_vec_dot(out, front) > BEHIND && mry_vec_dot(out, mry_vec_unit(other)) > BEHIND;
    return wrong ? bent : 0;
}

static bool has_limb(const marey_clip *clip, int limb)
{
    const marey_role needed[] = { limbs[limb].top,          limbs[limb].middle,
                                  limbs[limb].end,          limbs[limb].toe,
                                  MAREY_ROLE_LEFT_HIP,      MAREY_ROLE_RIGHT_HIP,
                                  MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i] != MAREY_ROLE_COUNT && clip->skeleton.roles[needed[i]] < 0) return false;
    return true;
}

/* Does the joint leap where it begins to bend so, or ceases to? Of a leap that was given up only its
   first frame is known. */
static bool leaps_at(const mry_exam *exam, int leaps, int joint, int first, int end)
{
    enum { NEAR = 3 };
    for (int i = 0; i < leaps; i++) {
        const marey_flaw *leap = &exam->flaws[i];
        if (leap->joint != joint) continue;
        if (abs(leap->start - first) <= NEAR || abs(leap->start - end) <= NEAR ||
            abs(leap->end - first) <= NEAR)
            return true;
    }
    return false;
}

bool mry_check_bends(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    int leaps = exam->count;
    size_t frames = (size_t)clip->frames;
    double *bends = MRY_NEW_RAW(exam->tmp, double, frames);
    uint8_t *skip = MRY_NEW_RAW(exam->tmp, uint8_t, frames);
    if (!bends || !skip) return false;
    for (int i = 0; i < (int)(sizeof limbs / sizeof *limbs); i++) {
        if (!has_limb(clip, i)) continue;
        int joint = clip->skeleton.roles[limbs[i].middle];
        int all = 0, told = 0, wrong = 0, first = 0, last = 0;
        memcpy(skip, exam->marked, frames);
        for (int k = 0; k < leaps; k++) { /* what was found already */
            const marey_flaw *leap = &exam->flaws[k];
            if (leap->joint == joint)
                memset(skip + leap->start, 1, (size_t)(leap->end - leap->start));
        }
        for (int f = 0; f < clip->frames; f++) {
            double bend = skip[f] ? -1 : wrong_bend(exam, i, f);
            all += !skip[f];
            told += bend >= 0;
            if (!(bend > 0)) continue;
            if (wrong == 0) first = f;
            last = f;
            bends[wrong++] = bend;
        }
        if (wrong == 0 || wrong < SHARE * told ||
            wrong < OF_ALL[limbs[i].toe == MAREY_ROLE_COUNT] * all ||
            leaps_at(exam, leaps, joint, first, last + 1))
            continue;
        marey_flaw flaw = { .kind = MAREY_FLAW_BEND,
                            .joint = joint,
                            .start = first,
                            .end = last + 1,
                            .size = mry_nth(bends, (size_t)wrong, (size_t)wrong / 2),
                            .certainty = 0.65 + 0.5 * ((double)wrong / told - SHARE) };
        if (!mry_flaw_add(exam, &flaw)) return false;
    }
    return true;
}
