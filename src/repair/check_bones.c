/* check_bones.c - bones that are longer or shorter than a body's bones can be: than the same bone on
   the other side, or, where a file gives positions for a joint, than in the other frames.

   Both sides of a body differ by a few percent at most (in the clips that were looked at, 4). The
   other bone of the same limb says which side is wrong: of the two ratios of upper to lower bone the
   one that is farther from that of people is on the wrong side. Segment lengths: Winter,
   Biomechanics and Motor Control of Human Movement, figure 4.1, after Drillis & Contini. */
#include "math/quat.h"
#include "motion/quantile.h"
#include "repair/exam.h"

static const double UNEVEN = 1.1;    /* sides apart by more than this factor, */
static const double UNEVEN_CM = 2.5; /* and by so much */
static const double CHANGE = 1.08;   /* a length apart from its median by more than this factor, */
static const double CHANGE_CM = 2;   /* and by so much, for a few frames or more */

/* A bone ends in the joint of one role and begins in the joint of another. */
static const struct {
    marey_role end, other_end,
        partner; /* of the left side: the bone's end, and that of the limb's other bone */
    double share, partner_share; /* of the body's height */
} bones[] = {
    { MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_LEFT_WRIST, 0.186, 0.146 },
    { MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_LEFT_ELBOW, 0.146, 0.186 },
    { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_LEFT_ANKLE, 0.245, 0.246 },
    { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_LEFT_KNEE, 0.246, 0.245 },
};

static double length_in(const marey_clip *clip, int joint, int frame)
{
    int slot = clip->slot[joint];
    return mry_length3(slot < 0 ? clip->joints[joint].offset_cm
                                : mry_place(clip, frame) + 3 * slot);
}

/* A bone's length, from a hundred frames where it may change. */
static double usual_length(const mry_exam *exam, int joint)
{
    enum { SAMPLES = 101 };
    const marey_clip *clip = exam->clip;
    double lengths[SAMPLES];
    int count = 0, stride = clip->frames / SAMPLES + 1;
    for (int f = stride / 2; f < clip->frames && count < SAMPLES; f += stride) {
        if (!exam->marked[f]) lengths[count++] = length_in(clip, joint, f);
        if (clip->slot[joint] < 0 && count) break;
    }
    return count ? mry_nth(lengths, (size_t)count, (size_t)count / 2) : length_in(clip, joint, 0);
}

static bool add_bone(mry_exam *exam, int joint, int start, int end, double factor, double certainty)
{
    marey_flaw flaw = { .kind = MAREY_FLAW_BONE,
                        .joint = joint,
                        .start = start,
                        .end = end,
                        .size = 100 * fabs(1 / factor - 1),
                        .certainty = certainty,
                        .mendable = true,
                        .repair = { MAREY_LAYER_BONE, joint, start, end, { factor } } };
    return mry_flaw_add(exam, &flaw);
}

bool mry_check_bones(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    const int *roles = clip->skeleton.roles;
    const int right = (int)MAREY_ROLE_RIGHT_COLLAR - (int)MAREY_ROLE_LEFT_COLLAR;
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        int end[2] = { roles[bones[i].end], roles[bones[i].other_end] };
        int partner[2] = { roles[bones[i].partner], roles[(int)bones[i].partner + right] };
        if (end[0] < 1 || end[1] < 1 || partner[0] < 1 || partner[1] < 1) continue;
        double length[2], off[2];
        for (int side = 0; side < 2; side++) {
            length[side] = usual_length(exam, end[side]);
            double other = usual_length(exam, partner[side]);
            off[side] = fabs(log(length[side] / other * bones[i].partner_share / bones[i].share));
        }
        double ratio = length[0] / length[1], apart = fmax(ratio, 1 / ratio);
        if (!(apart > UNEVEN && fabs(length[0] - length[1]) > UNEVEN_CM)) continue;
        int wrong = off[0] > off[1] ? 0 : 1;
        if (!add_bone(exam, end[wrong], 0, clip->frames, length[!wrong] / length[wrong],
                      1 - 0.5 / (1 + 20 * (apart - UNEVEN))))
            return false;
    }
    for (int i = 1; i < clip->mover_count; i++) {
        int joint = clip->mover[i], hips = roles[MAREY_ROLE_HIPS];
        if (joint == hips || (hips > joint && clip->joints[hips].parent == joint)) continue;
        double usual = usual_length(exam, joint);
        for (int f = 0; f < clip->frames; f++) {
            double sum = 0, length;
            int start = f;
            for (; f < clip->frames && !exam->marked[f]; f++) {
                length = length_in(clip, joint, f);
                if (fabs(length - usual) < CHANGE_CM ||
                    (length < usual * CHANGE && usual < length * CHANGE))
                    break;
                sum += length;
            }
            if (f - start < 2 || !(usual > 0)) continue;
            if (!add_bone(exam, joint, start, f, usual * (f - start) / sum, 0.9)) return false;
        }
    }
    return true;
}
