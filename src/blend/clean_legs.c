/* clean_legs.c - finds the legs of a skeleton and follows them through a clip. */
#include "blend/clean.h"
#include "motion/carrier.h"
#include "motion/limbs.h"

static const marey_role hips[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP };
static const marey_role knees[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
static const marey_role ankles[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE };
static const marey_role toes[] = { MAREY_ROLE_LEFT_TOE, MAREY_ROLE_RIGHT_TOE };

static const double SHORTEST = 0.01; /* cm; a bone without length is none */
static const double TOES = 0.01;     /* what toes say about knees, against knees themselves */

static bool is_below(const marey_clip *clip, int joint, int above)
{
    if (joint < 0 || above < 0) return false;
    do joint = clip->joints[joint].parent;
    while (joint > above);
    return joint == above;
}

void mry_clean_find_legs(const marey_clip *clip, mry_clean_leg *legs)
{
    const int *roles = clip->skeleton.roles;
    for (int n = 0; n < MRY_LEGS; n++) {
        mry_clean_leg *leg = &legs[n];
        *leg = (mry_clean_leg){ .hip = roles[hips[n]],
                                .knee = roles[knees[n]],
                                .ankle = roles[ankles[n]],
                                .toe = roles[toes[n]] };
        leg->whole = leg->hip > 0 && is_below(clip, leg->knee, leg->hip) &&
                     is_below(clip, leg->ankle, leg->knee);
        leg->has_toe = leg->toe < 0 || is_below(clip, leg->toe, leg->ankle);
        if (!leg->has_toe) leg->toe = -1;
    }
}

static bool has_positions(const marey_joint *joint)
{
    int count = 0;
    for (int c = 0; c < joint->channel_count; c++)
        count += joint->channels[c] <= MAREY_CHANNEL_Z_POSITION;
    return count == 3;
}

bool mry_clean_leg_moves(const marey_clip *clip, const mry_clean_leg *leg)
{
    for (int j = leg->ankle; j != leg->hip; j = clip->joints[j].parent) {
        if (!has_positions(&clip->joints[j])) return false;
    }
    return true;
}

int mry_clean_find_mover(const marey_clip *clip, const mry_clean_leg *legs)
{
    int pelvis = clip->skeleton.roles[MAREY_ROLE_HIPS], mover = 0;
    if (pelvis > 0 && clip->joints[pelvis].parent == 0 && has_positions(&clip->joints[pelvis]) &&
        clip->frames > 1 && mry_root_stays(clip))
        mover = pelvis;
    for (int n = 0; n < MRY_LEGS; n++) {
        if (legs[n].whole && !is_below(clip, legs[n].hip, mover)) mover = 0;
    }
    return has_positions(&clip->joints[mover]) ? mover : -1;
}

/* ---- through the clip --------------------------------------------------------------------------- */

static mry_vec joint_at(const mry_limbs *set, int joint)
{
    const double *p = set->at + 3 * (size_t)set->index[joint];
    return (mry_vec){ p[0], p[1], p[2] };
}

static bool take_tracks(mry_arena *tmp, const mry_clean *c, mry_clean_leg *leg)
{
    size_t frames = (size_t)c->clip->frames;
    leg->hip_at = MRY_NEW_RAW(tmp, double, 3 * frames);
    leg->length = MRY_NEW_RAW(tmp, double, frames);
    leg->shift = MRY_NEW(tmp, double, 3 * frames);
    leg->tilt = MRY_NEW(tmp, double, 3 * frames);
    leg->grip = MRY_NEW(tmp, double, frames);
    leg->form = MRY_NEW(tmp, double, frames);
    leg->heel_plant = MRY_NEW_RAW(tmp, int, frames);
    leg->toe_plant = MRY_NEW_RAW(tmp, int, frames);
    return leg->hip_at && leg->length && leg->shift && leg->tilt && leg->grip && leg->form &&
           leg->heel_plant && leg->toe_plant;
}

/* Notes a frame, and what it says about the axis that the knee bends about. A straight knee bends to where the toes are. */
static void note_leg(const mry_limbs *set, mry_clean_leg *leg, int frame, bool counts)
{
    const float *q = set->world + 4 * (size_t)set->index[leg->hip];
    mry_rot back = mry_rot_back((mry_rot){ q[0], q[1], q[2], q[3] });
    mry_vec hip = joint_at(set, leg->hip), knee = joint_at(set, leg->knee);
    mry_vec ankle = joint_at(set, leg->ankle), thigh = mry_vec_sub(knee, hip);
    mry_vec along = mry_vec_unit(mry_vec_sub(ankle, hip));
    double upper = mry_vec_length(thigh), lower = mry_vec_length(mry_vec_sub(ankle, knee));
    mry_vec_put(leg->hip_at, frame, hip);
    leg->length[frame] = upper + lower;
    if (!(upper > SHORTEST && lower > SHORTEST)) leg->whole = false;
    if (!counts) return;
    mry_vec out = mry_vec_sub(thigh, mry_vec_scale(along, mry_vec_dot(thigh, along)));
    if (leg->has_toe) {
        mry_vec foot = mry_vec_sub(mry_vec_at(leg->toe_at, frame), ankle);
        out = mry_vec_add(out, mry_vec_scale(foot, TOES));
    }
    leg->hinge = mry_vec_add(leg->hinge, mry_rot_apply(back, mry_vec_cross(along, out)));
}

bool mry_clean_pose_legs(mry_arena *tmp, mry_clean *c)
{
    marey_role roles[3 * MRY_LEGS];
    mry_limbs set;
    for (int n = 0; n < MRY_LEGS; n++) {
        mry_clean_leg *leg = &c->legs[n];
        roles[3 * n] = hips[n];
        roles[3 * n + 1] = knees[n];
        roles[3 * n + 2] = ankles[n];
        leg->has_toe = leg->has_toe && c->feet.has[2 * n + 1];
        leg->ankle_at = c->feet.at[2 * n];
        leg->toe_at = c->feet.at[2 * n + 1];
        if (leg->whole && !take_tracks(tmp, c, leg)) return false;
    }
    if (!mry_limbs_build(tmp, c->clip, roles, 3 * MRY_LEGS, &set)) return false;
    for (int f = 0; f < c->clip->frames; f++) {
        mry_limbs_pose(c->clip, &set, f);
        for (int n = 0; n < MRY_LEGS; n++) {
            if (c->legs[n].whole) note_leg(&set, &c->legs[n], f, !c->feet.marked[f]);
        }
    }
    return true;
}
