/* refit.c - a motion on another person's bones. Turns stay as they are. The path of the body is scaled by the length of the
   legs about the point of the floor under its first frame, heights about the floor, so that steps are as long as the
   legs make them. Joints with places of their own vary about the other person's bone as they did about their own. */
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "feature/feature_data.h"
#include "math/quat.h"

#include <marey/blend.h>

#include <string.h>

#define SAME_CM 1e-6

typedef struct refit {
    const marey_clip *clip, *like;
    marey_clip *made;
    mry_trunk body;
    double factor;  /* of the path */
    double foot[3]; /* the point that it is scaled about */
} refit;

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

static const double *place_of(const marey_clip *clip, int joint, int frame)
{
    int slot = clip->slot[joint];
    return slot >= 0 ? mry_place(clip, frame) + 3 * slot : clip->joints[joint].offset_cm;
}

/* Where a joint is from its parent, on average. */
static void mean_place(const marey_clip *clip, int joint, double *out)
{
    int count = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int f = 0; f < clip->frames; f++) {
        if (mry_clip_is_marked(clip, f)) continue;
        for (int i = 0; i < 3; i++) out[i] += place_of(clip, joint, f)[i];
        count++;
    }
    if (count == 0) memcpy(out, clip->joints[joint].offset_cm, 3 * sizeof *out);
    for (int i = 0; i < 3 && count; i++) out[i] /= count;
}

static void fit_bone(refit *r, int joint)
{
    double own[3], other[3];
    mean_place(r->clip, joint, own);
    mean_place(r->like, joint, other);
    double length = mry_length3(own);
    double ratio = length > SAME_CM ? mry_length3(other) / length : r->factor;
    for (int f = 0; f < r->made->frames; f++) {
        const double *from = place_of(r->clip, joint, f);
        double *to = mry_place(r->made, f) + 3 * r->made->slot[joint];
        for (int i = 0; i < 3; i++) to[i] = other[i] + ratio * (from[i] - own[i]);
    }
}

/* Scaling about a point of the world, seen from above the joint: for the root the world's own axes, for a pelvis below a
   root that stays those of the root, and below one that goes along the root itself is what it is scaled about. */
static void fit_path(refit *r, int joint)
{
    mry_vec about = { 0, 0, 0 };
    if (joint == 0) {
        about = (mry_vec){ r->foot[0], r->foot[1], r->foot[2] };
    } else if (r->body.still_root) {
        mry_rigid back = mry_rigid_back(r->body.root);
        about = mry_rot_apply(back.turn, (mry_vec){ r->foot[0], r->foot[1], r->foot[2] });
        about = mry_vec_add(about, back.shift);
    }
    const double centre[3] = { about.x, about.y, about.z };
    double factor = joint == 0 && r->body.still_root ? 1 : r->factor;
    for (int f = 0; f < r->made->frames; f++) {
        const double *from = place_of(r->clip, joint, f);
        double *to = mry_place(r->made, f) + 3 * r->made->slot[joint];
        for (int i = 0; i < 3; i++) to[i] = centre[i] + factor * (from[i] - centre[i]);
    }
}

static marey_clip *make_empty(const marey_clip *clip, const marey_clip *like)
{
    marey_clip *made = mry_clip_make_like(like, clip->frames, clip->fps);
    if (!made) return NULL;
    made->name = mry_arena_text(&made->mem, clip->name, strlen(clip->name));
    made->source.frame_time = clip->source.frame_time;
    bool fine = made->name != NULL;
    for (int m = 0; fine && m < clip->mark_count; m++) {
        const marey_mark *mark = &clip->marks[m];
        fine = mry_clip_add_mark(made, mark->kind, mark->start, mark->end);
    }
    if (fine) return made;
    marey_clip_free(made);
    return NULL;
}

marey_status marey_clip_refit(const marey_clip *clip, const marey_clip *like, marey_clip **out,
                              marey_error *error)
{
    if (!mry_same_joints(&clip->skeleton, &like->skeleton))
        return mry_fail(error, MAREY_ERR_SHAPE, clip->name,
                        "its joints are not those of %s, so its motion does not fit those bones",
                        like->name);
    if (same_bones(clip, like)) return marey_clip_trim(clip, 0, clip->frames, out, error);
    refit r = { .clip = clip, .like = like, .made = make_empty(clip, like) };
    if (!r.made) return mry_fail_memory(error, clip->name);
    r.body = mry_trunk_find(&clip, 1);
    memcpy(r.made->turn, clip->turn,
           (size_t)clip->frames * (size_t)clip->skeleton.joint_count * 4 * sizeof *clip->turn);
    int first = 0;
    while (first + 1 < clip->frames && mry_clip_is_marked(clip, first)) first++;
    mry_rigid pelvis = mry_pose_pelvis(&r.body, mry_place(clip, first), mry_turn(clip, first));
    double own = mry_body_size(clip), other = mry_body_size(like);
    r.factor = own > 0 && other > 0 ? other / own : 1;
    r.foot[0] = pelvis.shift.x;
    r.foot[2] = pelvis.shift.z;
    for (int m = 0; m < r.made->mover_count; m++) {
        int joint = r.made->mover[m];
        /* The root, and a pelvis below it that has places of its own: their places are a way, not a bone. */
        if (joint == 0 || (joint == r.body.pelvis && r.made->slot[joint] >= 0)) {
            fit_path(&r, joint);
        } else {
            fit_bone(&r, joint);
        }
    }
    *out = r.made;
    return MAREY_OK;
}
