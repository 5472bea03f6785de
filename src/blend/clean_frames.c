/* clean_frames.c - writes what was found into the frames of a clip: the body's shift, and the turns of hips, knees, ankles
   and toes. Joints between them keep their own turns, and so keep the bones' shapes. */
#include "blend/clean.h"
#include "math/quat.h"
#include "motion/limbs.h"

#include <string.h>

/* ---- a copy to write to ------------------------------------------------------------------------------ */

static void give_positions(marey_joint *joint)
{
    marey_channel kept[MAREY_CHANNEL_COUNT];
    int count = 0;
    for (int i = 0; i < joint->channel_count; i++) {
        if (joint->channels[i] > MAREY_CHANNEL_Z_POSITION) kept[count++] = joint->channels[i];
    }
    for (int i = 0; i < 3; i++) joint->channels[i] = (marey_channel)(MAREY_CHANNEL_X_POSITION + i);
    memcpy(joint->channels + 3, kept, (size_t)count * sizeof *kept);
    joint->channel_count = 3 + count;
}

static void give_leg_positions(const mry_clean *c, marey_clip *made)
{
    for (int n = 0; n < MRY_LEGS; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole || mry_clean_leg_moves(made, leg)) continue;
        for (int j = leg->ankle; j != leg->hip; j = made->joints[j].parent)
            give_positions(&made->joints[j]);
    }
    made->skeleton.channel_count = 0;
    for (int j = 0; j < made->skeleton.joint_count; j++) {
        made->joints[j].first_channel = made->skeleton.channel_count;
        made->skeleton.channel_count += made->joints[j].channel_count;
    }
}

/* Row by row: the copy may have more joints with a place of their own. */
static void copy_places(const marey_clip *clip, marey_clip *made)
{
    for (int f = 0; f < clip->frames; f++) {
        for (int m = 0; m < made->mover_count; m++) {
            int joint = made->mover[m], slot = clip->slot[joint];
            const double *from =
                slot < 0 ? clip->joints[joint].offset_cm : mry_place(clip, f) + 3 * slot;
            memcpy(mry_place(made, f) + 3 * m, from, 3 * sizeof *from);
        }
    }
}

marey_clip *mry_clean_copy(const mry_clean *c, bool longer)
{
    const marey_clip *clip = c->clip;
    marey_clip *made = mry_clip_make_like(clip, longer ? 1 : clip->frames, clip->fps);
    if (!made) return NULL;
    bool ok = true;
    if (longer) {
        give_leg_positions(c, made);
        ok = mry_clip_find_movers(made) && mry_clip_take_tracks(made, clip->frames);
    }
    for (int i = 0; i < clip->mark_count && ok; i++) {
        const marey_mark *mark = &clip->marks[i];
        ok = mry_clip_add_mark(made, mark->kind, mark->start, mark->end);
    }
    if (!ok) {
        marey_clip_free(made);
        return NULL;
    }
    size_t turns = (size_t)clip->frames * (size_t)clip->skeleton.joint_count * 4;
    memcpy(made->turn, clip->turn, turns * sizeof *clip->turn);
    copy_places(clip, made);
    made->source.frame_time = clip->source.frame_time;
    return made;
}

/* ---- frames -------------------------------------------------------------------------------------------- */

typedef struct writer {
    const mry_clean *c;
    mry_limbs set;
    marey_clip *made;
    mry_clean_done done;
} writer;

static mry_rot get(const float *q)
{
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

static mry_vec joint_at(const mry_limbs *set, int joint)
{
    return mry_vec_at(set->at, set->index[joint]);
}

/* The joint's parent in the world, as it was. */
static mry_rot above(const writer *w, int joint)
{
    return get(w->set.world + 4 * (size_t)w->set.above[w->set.index[joint]]);
}

/* The joint's turn, so that it comes by `turn` from what it was in the world, where its parent came by `parent`. */
static void put_turn(const writer *w, int frame, int joint, mry_rot parent, mry_rot turn)
{
    float *q = mry_turn(w->made, frame) + 4 * (size_t)joint;
    mry_rot base = above(w, joint);
    mry_rot local =
        mry_rot_times(mry_rot_times(mry_rot_back(base), mry_rot_times(mry_rot_back(parent), turn)),
                      mry_rot_times(base, get(q)));
    q[0] = (float)local.w;
    q[1] = (float)local.x;
    q[2] = (float)local.y;
    q[3] = (float)local.z;
    mry_quat_normalize(q);
}

static void lengthen(const writer *w, const mry_clean_leg *leg, int frame, double by)
{
    for (int j = leg->ankle; j != leg->hip; j = w->made->joints[j].parent) {
        double *p = mry_place(w->made, frame) + 3 * w->made->slot[j];
        for (int i = 0; i < 3; i++) p[i] *= 1 + by;
    }
}

mry_vec mry_clean_ankle(const mry_clean *c, const mry_clean_leg *leg, int frame)
{
    static const double BENT = 0.94, STRAIGHT = 0.985;
    mry_vec ankle = mry_vec_at(leg->ankle_at, frame), hip = mry_vec_at(leg->hip_at, frame);
    double extension = mry_vec_length(mry_vec_sub(ankle, hip)) / leg->length[frame];
    double follow = mry_clean_ease((extension - BENT) / (STRAIGHT - BENT)) * (1 - leg->grip[frame]);
    ankle = mry_vec_add(ankle, mry_vec_at(leg->shift, frame));
    return mry_vec_add(ankle, mry_vec_scale(mry_vec_at(c->root, frame), follow));
}

static void write_leg(writer *w, const mry_clean_leg *leg, int frame)
{
    const mry_rot still = { 1, 0, 0, 0 };
    const mry_limbs *set = &w->set;
    mry_leg_pose from = { joint_at(set, leg->hip), joint_at(set, leg->knee),
                          joint_at(set, leg->ankle) };
    mry_rot hip = get(set->world + 4 * (size_t)set->index[leg->hip]);
    mry_leg_aim aim = { .hip = mry_vec_add(from.hip, mry_vec_at(w->c->root, frame)),
                        .ankle = mry_clean_ankle(w->c, leg, frame),
                        .hinge = mry_rot_apply(hip, leg->hinge),
                        .form = leg->form[frame],
                        .stretch = w->c->stretch };
    mry_leg_turns to = mry_leg_solve(&from, &aim);
    mry_rot tilt = mry_clean_rot(mry_vec_at(leg->tilt, frame));
    put_turn(w, frame, leg->hip, still, to.thigh);
    put_turn(w, frame, leg->knee, to.thigh, to.shin);
    put_turn(w, frame, leg->ankle, to.shin, tilt);
    if (leg->toe >= 0) put_turn(w, frame, leg->toe, tilt, still);
    if (to.longer > 0) {
        lengthen(w, leg, frame, to.longer);
        w->done.stretched = fmax(w->done.stretched, to.longer);
    }
}

static void move_body(writer *w, int frame)
{
    int mover = w->c->mover, parent = mover < 0 ? -1 : w->made->joints[mover].parent;
    mry_vec by = mry_vec_at(w->c->root, frame);
    w->done.root_moved_cm = fmax(w->done.root_moved_cm, mry_vec_length(by));
    if (parent >= 0) by = mry_rot_apply(mry_rot_back(above(w, mover)), by);
    double *p = mry_place(w->made, frame) + 3 * w->made->slot[mover];
    p[0] += by.x;
    p[1] += by.y;
    p[2] += by.z;
}

static void write_frame(writer *w, int frame)
{
    const mry_clean *c = w->c;
    bool moves = !mry_vec_is_zero(mry_vec_at(c->root, frame)), posed = false;
    for (int n = 0; n < MRY_LEGS; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole) continue;
        if (!moves && leg->form[frame] == 0 && mry_vec_is_zero(mry_vec_at(leg->shift, frame)) &&
            mry_vec_is_zero(mry_vec_at(leg->tilt, frame)))
            continue;
        if (!posed) mry_limbs_pose(c->clip, &w->set, frame);
        posed = true;
        write_leg(w, leg, frame);
    }
    if (moves) move_body(w, frame);
}

bool mry_clean_write(mry_arena *tmp, const mry_clean *c, marey_clip *made, mry_clean_done *done)
{
    static const marey_role roles[] = {
        MAREY_ROLE_HIPS,       MAREY_ROLE_LEFT_HIP,    MAREY_ROLE_LEFT_KNEE,
        MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,    MAREY_ROLE_RIGHT_HIP,
        MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
    };
    writer w = { .c = c, .made = made };
    if (!mry_limbs_build(tmp, c->clip, roles, sizeof roles / sizeof *roles, &w.set)) return false;
    for (int f = 0; f < made->frames; f++) {
        if (!c->feet.marked[f]) write_frame(&w, f);
    }
    *done = w.done;
    return true;
}
