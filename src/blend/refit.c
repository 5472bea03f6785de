/* refit.c - a motion on another person's bones. Turns stay as they are. The path of the body is
   scaled by the length of the legs about the point of the floor under its first frame, heights
   about the floor, so that steps are as long as the legs make them. Joints with places of their own
   vary about the other person's bone as they did about their own. */
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "feature/feature_data.h"
#include "math/quat.h"

#include <marey/blend.h>

#include <string.h>

#define SAME_CM 1e-6

static bool same_bones(const marey_clip *a, const marey_clip *b)
{
    int pelvis = a->skeleton.roles[MAREY_ROLE_HIPS];
    for (int j = 1; j < a->skeleton.joint_count; j++) {
        const marey_joint *x = &a->joints[j], *y = &b->joints[j];
        bool path = j == pelvis && a->slot[j] >= 0;
        if ((a->slot[j] >= 0) != (b->slot[j] >= 0)) return false;
        if (!path && mry_distance3(x->offset_cm, y->offset_cm) > SAME_CM) return false;
        if (x->has_end != y->has_end || mry_distance3(x->end_cm, y->end_cm) > SAME_CM) return false;
    }
    return true;
}

/* Where a joint is from its parent, on average. */
static void mean_place(const marey_clip *clip, int joint, double *out)
{
    int count = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int f = 0; f < clip->frames; f++) {
        if (mry_clip_is_marked(clip, f)) continue;
        for (int i = 0; i < 3; i++) out[i] += mry_joint_place(clip, joint, f)[i];
        count++;
    }
    if (count == 0) memcpy(out, clip->joints[joint].offset_cm, 3 * sizeof *out);
    for (int i = 0; i < 3 && count; i++) out[i] /= count;
}

marey_status marey_clip_refit(const marey_clip *clip, const marey_clip *like, marey_clip **out,
                              marey_error *error)
{
    if (!mry_same_joints(&clip->skeleton, &like->skeleton))
        return mry_fail(error, MAREY_ERR_SHAPE, clip->name,
                        "its joints are not those of %s, so its motion does not fit those bones",
                        like->name);
    if (same_bones(clip, like)) return marey_clip_trim(clip, 0, clip->frames, out, error);
    marey_clip *made = mry_clip_make_like(like, clip->frames, clip->fps);
    if (made) made->name = mry_arena_text(&made->mem, clip->name, strlen(clip->name));
    if (!made || !made->name || !mry_marks_carry(clip, 0, clip->frames, 0, made)) {
        marey_clip_free(made);
        return mry_fail_memory(error, clip->name);
    }
    made->source.frame_time = clip->source.frame_time;
    memcpy(made->turn, clip->turn,
           (size_t)clip->frames * (size_t)clip->skeleton.joint_count * 4 * sizeof *clip->turn);
    mry_trunk body = mry_trunk_find(&clip, 1);
    int first = mry_clip_first_captured(clip);
    mry_rigid pelvis = mry_pose_pelvis(&body, mry_place(clip, first), mry_turn(clip, first));
    /* the point that the path is scaled about */
    mry_vec foot = { pelvis.shift.x, 0, pelvis.shift.z };
    double own_size = mry_body_size(clip), other_size = mry_body_size(like);
    double factor = own_size > 0 && other_size > 0 ? other_size / own_size : 1; /* of the path */
    for (int m = 0; m < made->mover_count; m++) {
        int joint = made->mover[m];
        double own[3] = { 0 }, other[3] = { 0 }, ratio = factor;
        /* The root, and a pelvis below it that has places of its own: their places are a way, not a
           bone. */
        if (joint == 0 || (joint == body.pelvis && made->slot[joint] >= 0)) {
            /* Scaling about a point of the world, seen from above the joint: for the root the
               world's own axes, for a pelvis below a root that stays those of the root, and below
               one that goes along the root itself is what it is scaled about. */
            mry_vec about = { 0, 0, 0 };
            if (joint == 0) {
                about = foot;
            } else if (body.still_root) {
                mry_rigid back = mry_rigid_back(body.root);
                about = mry_vec_add(mry_rot_apply(back.turn, foot), back.shift);
            }
            own[0] = other[0] = about.x;
            own[1] = other[1] = about.y;
            own[2] = other[2] = about.z;
            if (joint == 0 && body.still_root) ratio = 1;
        } else {
            mean_place(clip, joint, own);
            mean_place(like, joint, other);
            double length = mry_length3(own);
            if (length > SAME_CM) ratio = mry_length3(other) / length;
        }
        for (int f = 0; f < made->frames; f++) {
            const double *from = mry_joint_place(clip, joint, f);
            double *to = mry_place(made, f) + 3 * made->slot[joint];
            for (int i = 0; i < 3; i++) to[i] = other[i] + ratio * (from[i] - own[i]);
        }
    }
    *out = made;
    return MAREY_OK;
}
