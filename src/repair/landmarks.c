/* landmarks.c - moments by which copies of a clip are found: those in which hands or feet are as near
   to each other, or to the head, or as far apart as they get within a moment. They are at the same times of
   the motion whatever the frame rate and wherever the clip begins, as the peaks of sound are by which
   recordings are recognised (Wang 2003). What is noted is how far joints are apart then, which no
   move or turn of the body changes, in lengths of a leg, which no scale does. */
#include "base/grow.h"
#include "math/quat.h"
#include "repair/exam.h"

static const double AROUND_S = 0.12; /* on both sides, */
static const double SMOOTH_S = 0.08; /* of distances without the noise of single frames, */
static const double LEAST = 0.003;   /* by so much of a leg's length */

/* From the third to the tenth, a mirror exchanges each with its neighbour. */
static const marey_role ways[MAREY_LANDMARK_WAYS][2] = {
    { MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_WRIST },
    { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE },
    { MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_ANKLE },
    { MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_LEFT_ANKLE },
    { MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_LEFT_ANKLE },
    { MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_RIGHT_ANKLE },
    { MAREY_ROLE_HEAD, MAREY_ROLE_LEFT_ANKLE },
    { MAREY_ROLE_HEAD, MAREY_ROLE_RIGHT_ANKLE },
    { MAREY_ROLE_HEAD, MAREY_ROLE_LEFT_WRIST },
    { MAREY_ROLE_HEAD, MAREY_ROLE_RIGHT_WRIST },
    { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE },
    { MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_RIGHT_ELBOW },
};

static double way_in(const mry_exam *exam, int frame, int way)
{
    const int *roles = exam->clip->skeleton.roles;
    return mry_distance3(mry_exam_at(exam, frame, roles[ways[way][0]]),
                         mry_exam_at(exam, frame, roles[ways[way][1]]));
}

/* What is looked at: hands, feet, both hands and the head, both feet and the head; a mirror changes
   none of them. */
static double spread_in(const mry_exam *exam, int frame, int spread)
{
    if (spread < 2) return way_in(exam, frame, spread);
    int way = spread == 2 ? 8 : 6;
    return (way_in(exam, frame, way) + way_in(exam, frame, way + 1)) / 2;
}

/* Both legs' bones, half of their sum, in a frame. */
static double leg_length(const mry_exam *exam, int frame)
{
    static const marey_role legs[] = { MAREY_ROLE_LEFT_HIP,   MAREY_ROLE_LEFT_KNEE,
                                       MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_HIP,
                                       MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE };
    const int *roles = exam->clip->skeleton.roles;
    double sum = 0;
    for (int i = 0; i < 5; i++)
        if (i != 2)
            sum += mry_distance3(mry_exam_at(exam, frame, roles[legs[i]]),
                                 mry_exam_at(exam, frame, roles[legs[i + 1]]));
    return sum / 2;
}

static bool has_body(const marey_clip *clip)
{
    const int *roles = clip->skeleton.roles;
    for (int i = 0; i < MAREY_LANDMARK_WAYS; i++)
        if (roles[ways[i][0]] < 0 || roles[ways[i][1]] < 0) return false;
    return roles[MAREY_ROLE_LEFT_HIP] >= 0 && roles[MAREY_ROLE_RIGHT_HIP] >= 0;
}

/* Weighted by a triangle. Marked frames, and those whose neighbours are, have none (-1). */
static void smooth(const mry_exam *exam, int spread, double *values, double *out)
{
    const marey_clip *clip = exam->clip;
    int reach = (int)ceil(SMOOTH_S * clip->fps) - 1;
    for (int f = 0; f < clip->frames; f++) values[f] = spread_in(exam, f, spread);
    for (int f = 0; f < clip->frames; f++) {
        double sum = 0, weights = 0;
        bool whole = f >= reach && f + reach < clip->frames;
        for (int k = -reach; k <= reach && whole; k++) {
            double weight = 1 - fabs(k / (SMOOTH_S * clip->fps));
            whole = !exam->marked[f + k];
            sum += weight * values[f + k];
            weights += weight;
        }
        out[f] = whole ? sum / weights : -1;
    }
}

bool mry_landmarks_find(mry_exam *exam, marey_landmark **out, int *count)
{
    const marey_clip *clip = exam->clip;
    int around = (int)ceil(AROUND_S * clip->fps), room = 0, found = 0;
    double *values = MRY_NEW_RAW(exam->tmp, double, (size_t)clip->frames);
    double *even = MRY_NEW_RAW(exam->tmp, double, (size_t)clip->frames);
    marey_landmark *marks = NULL;
    if (!values || !even) return false;
    double leg = has_body(clip) ? leg_length(exam, clip->frames / 2) : 0;
    *count = 0;
    if (!(leg > 0)) return true;
    for (int moment = 0; moment < MAREY_LANDMARK_MOMENTS; moment++) {
        double sign = moment % 2 ? 1 : -1;
        if (moment % 2 == 0) smooth(exam, moment / 2, values, even);
        for (int f = around; f + around < clip->frames; f++) {
            double here = sign * even[f], least = here;
            bool peak = even[f] >= 0 && here >= sign * even[f - 1] && here > sign * even[f + 1];
            for (int k = -around; k <= around && peak; k++) {
                double there = sign * even[f + k];
                peak = even[f + k] >= 0 && (k < 0 ? there < here || k == -1 : there <= here);
                least = fmin(least, there);
            }
            if (!peak || here - least < LEAST * leg) continue;
            /* Between the frames, where the parabola through three of them has its top. */
            double before = sign * even[f - 1], behind = sign * even[f + 1];
            double curve = before - 2 * here + behind;
            double shift = curve < 0 ? 0.5 * (before - behind) / curve : 0;
            int next = shift < 0 ? f - 1 : f + 1;
            if (!mry_grow_in(exam->tmp, &marks, &room, found + 1, sizeof *marks)) return false;
            marey_landmark *mark = &marks[found++];
            *mark = (marey_landmark){ .time_s = (f + shift) / clip->fps, .moment = moment };
            for (int i = 0; i < MAREY_LANDMARK_WAYS; i++) {
                double way =
                    way_in(exam, f, i) * (1 - fabs(shift)) + way_in(exam, next, i) * fabs(shift);
                mark->way[i] = (uint16_t)fmin(1000 * way / leg, UINT16_MAX);
            }
        }
    }
    *out = marks;
    *count = found;
    return true;
}
