/* blend_pose.c - poses between frames, moved as a whole. Places are doubles all the way, so that 1
   km costs nothing. */
#include "blend/blend_pose.h"

#include "math/quat.h"

#include <string.h>

/* Nearly a whole frame is one: a share of a frame that moves no joint by a thousandth of a
   centimetre. */
#define WHOLE 1e-6

/* ---- rigid motions --------------------------------------------------------------------------- */

mry_rigid mry_rigid_times(mry_rigid a, mry_rigid b)
{
    return (mry_rigid){ mry_rot_times(a.turn, b.turn),
                        mry_vec_add(mry_rot_apply(a.turn, b.shift), a.shift) };
}

mry_rigid mry_rigid_back(mry_rigid a)
{
    mry_rot back = mry_rot_back(a.turn);
    return (mry_rigid){ back, mry_vec_scale(mry_rot_apply(back, a.shift), -1) };
}

mry_rigid mry_rigid_on_floor(mry_floor move)
{
    return (mry_rigid){ mry_rot_about(0, 1, 0, move.angle), { move.x, 0, move.z } };
}

/* ---- the body -------------------------------------------------------------------------------- */

static mry_rigid local_of(const marey_clip *clip, const double *places, const float *turns,
                          int joint)
{
    const float *q = turns + 4 * joint;
    int slot = clip->slot[joint];
    const double *p = slot >= 0 ? places + 3 * slot : clip->joints[joint].offset_cm;
    return (mry_rigid){ { q[0], q[1], q[2], q[3] }, { p[0], p[1], p[2] } };
}

static void set_local(const marey_clip *clip, double *places, float *turns, int joint,
                      mry_rigid local)
{
    double length = sqrt(local.turn.w * local.turn.w + local.turn.x * local.turn.x +
                         local.turn.y * local.turn.y + local.turn.z * local.turn.z);
    float *q = turns + 4 * joint;
    double *p = places + 3 * clip->slot[joint];
    q[0] = (float)(local.turn.w / length);
    q[1] = (float)(local.turn.x / length);
    q[2] = (float)(local.turn.y / length);
    q[3] = (float)(local.turn.z / length);
    p[0] = local.shift.x;
    p[1] = local.shift.y;
    p[2] = local.shift.z;
}

mry_trunk mry_trunk_of(const marey_clip *clip, const mry_carrier *carrier)
{
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    const float *q = carrier->turn;
    const double *p = carrier->place;
    return (mry_trunk){ .clip = clip,
                        .pelvis = hips > 0 ? hips : 0,
                        .carrier = *carrier,
                        .still_root = carrier->joint > 0,
                        .root = { { q[0], q[1], q[2], q[3] }, { p[0], p[1], p[2] } } };
}

mry_trunk mry_trunk_find(const marey_clip *const *clips, int count)
{
    const mry_carrier carrier = mry_carrier_find(clips, count);
    return mry_trunk_of(clips[0], &carrier);
}

/* From the skeleton's root, whatever it does itself, down to the pelvis: nothing, if they are
   one. */
static mry_rigid path_down(const mry_trunk *body, const double *places, const float *turns)
{
    mry_rigid at = { { 1, 0, 0, 0 }, { 0, 0, 0 } };
    for (int joint = body->pelvis; joint > 0; joint = body->clip->joints[joint].parent) {
        at = mry_rigid_times(local_of(body->clip, places, turns, joint), at);
    }
    return at;
}

mry_rigid mry_pose_pelvis(const mry_trunk *body, const double *places, const float *turns)
{
    mry_rigid root = local_of(body->clip, places, turns, 0);
    return body->pelvis ? mry_rigid_times(root, path_down(body, places, turns)) : root;
}

void mry_pose_set_pelvis(const mry_trunk *body, mry_rigid pelvis, double *places, float *turns)
{
    if (body->still_root) {
        mry_rigid below = mry_rigid_times(mry_rigid_back(body->root), pelvis);
        memcpy(places, body->carrier.place, sizeof body->carrier.place);
        memcpy(turns, body->carrier.turn, sizeof body->carrier.turn);
        set_local(body->clip, places, turns, body->pelvis, below);
        return;
    }
    if (body->pelvis) {
        mry_rigid up = mry_rigid_back(path_down(body, places, turns));
        pelvis = mry_rigid_times(pelvis, up);
    }
    set_local(body->clip, places, turns, 0, pelvis);
}

void mry_pose_carry(const mry_trunk *body, mry_rigid move, double *places, float *turns)
{
    if (body->still_root) {
        mry_rigid pelvis = mry_pose_pelvis(body, places, turns);
        mry_pose_set_pelvis(body, mry_rigid_times(move, pelvis), places, turns);
        return;
    }
    mry_rigid root = local_of(body->clip, places, turns, 0);
    set_local(body->clip, places, turns, 0, mry_rigid_times(move, root));
}

void mry_pose_move(const mry_trunk *body, mry_floor move, double *places, float *turns)
{
    mry_pose_carry(body, mry_rigid_on_floor(move), places, turns);
}

/* ---- between frames -------------------------------------------------------------------------- */

double mry_frames_per_row(const marey_clip *clip, double rows_per_s)
{
    double ratio = clip->fps / rows_per_s;
    return fabs(ratio - round(ratio)) < 1e-5 * ratio && ratio > 0.5 ? round(ratio) : ratio;
}

void mry_pose_sample_some(const mry_trunk *body, const marey_clip *clip, double frame,
                          const int *joints, int count, double *places, float *turns)
{
    double at = fmax(0, fmin(frame, clip->frames - 1)), whole = floor(at + 0.5);
    if (fabs(at - whole) < WHOLE) at = whole;
    int a = (int)at, b = a + 1 < clip->frames ? a + 1 : a;
    double share = at - a;
    if (share == 0) b = a;
    for (int m = 0; m < body->clip->mover_count; m++) {
        int joint = body->clip->mover[m];
        const double *from = mry_joint_place(clip, joint, a), *to = mry_joint_place(clip, joint, b);
        for (int i = 0; i < 3; i++) places[3 * m + i] = from[i] + share * (to[i] - from[i]);
    }
    for (int k = 0; k < count; k++) {
        int joint = joints ? joints[k] : k;
        const float *from = mry_turn(clip, a) + 4 * joint, *to = mry_turn(clip, b) + 4 * joint;
        if (share == 0)
            memcpy(turns + 4 * joint, from, 4 * sizeof *turns);
        else
            mry_quat_slerp(from, to, (float)share, turns + 4 * joint);
    }
}

void mry_pose_sample(const mry_trunk *body, const marey_clip *clip, double frame, double *places,
                     float *turns)
{
    mry_pose_sample_some(body, clip, frame, NULL, clip->skeleton.joint_count, places, turns);
}

bool mry_marks_carry(const marey_clip *clip, int start, int end, int first, marey_clip *made)
{
    for (int m = 0; m < clip->mark_count; m++) {
        marey_mark mark = clip->marks[m];
        if (mark.start < start) mark.start = start;
        if (mark.end > end) mark.end = end;
        if (mark.start < mark.end && !mry_clip_add_mark(made, mark.kind, mark.start - start + first,
                                                        mark.end - start + first))
            return false;
    }
    return true;
}
