/* root_joint.c - a joint on the floor below the body that carries it, as game engines want it: where it
   goes and turns is where the body goes and faces. */
#include "base/fail.h"
#include "math/quat.h"
#include "motion/clip_data.h"

#include <math.h>
#include <string.h>

/* The joints one place further, below the new one. What carried the body has positions in any case. */
static bool fill_joints(marey_clip *made, const marey_clip *clip, const char *name)
{
    static const marey_channel all[] = { MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION,
                                         MAREY_CHANNEL_Z_POSITION, MAREY_CHANNEL_Z_ROTATION,
                                         MAREY_CHANNEL_Y_ROTATION, MAREY_CHANNEL_X_ROTATION };
    int count = clip->skeleton.joint_count, channels = 0;
    marey_joint *old = made->joints + 1;
    memcpy(old, clip->joints, (size_t)count * sizeof *old);
    if (clip->source.axes) mry_channels_plain(clip, old);
    made->joints[0] = (marey_joint){ .name = name, .parent = -1, .channel_count = 6 };
    memcpy(made->joints[0].channels, all, sizeof all);
    bool moves = false;
    for (int i = 0; i < old[0].channel_count; i++) moves |= old[0].channels[i] == all[0];
    if (!moves) {
        old[0].channel_count = 6;
        memcpy(old[0].channels, all, sizeof all);
    }
    for (int j = 0; j <= count; j++) {
        marey_joint *joint = &made->joints[j];
        joint->name = mry_arena_text(&made->mem, joint->name, strlen(joint->name));
        if (!joint->name) return false;
        if (j > 0) joint->parent++;
        joint->first_channel = channels;
        channels += joint->channel_count;
    }
    size_t vectors = 3 * (size_t)count * sizeof(double);
    memcpy(made->source.offsets + 3, clip->source.offsets, vectors);
    memcpy(made->source.ends + 3, clip->source.ends, vectors);
    made->source.decimals = clip->source.decimals;
    made->source.frame_time = clip->source.frame_time;
    made->skeleton.channel_count = channels;
    made->skeleton.roles_from = clip->skeleton.roles_from;
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        int joint = clip->skeleton.roles[r];
        made->skeleton.roles[r] = joint < 0 ? -1 : joint + 1;
    }
    return mry_clip_find_movers(made) && mry_clip_take_tracks(made, clip->frames);
}

/* The new joint below the hips, facing where they do, and the body seen from it. */
static void carry(marey_clip *made, const marey_clip *clip, int frame, const double *pose)
{
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    const double *body = pose + 3 * (hips < 0 ? 0 : hips);
    double half = marey_clip_facing_rad(clip, frame, pose) / 2;
    float yaw[4] = { (float)cos(half), 0, (float)sin(half), 0 };
    float back[4] = { yaw[0], 0, -yaw[2], 0 };
    float *turn = mry_turn(made, frame);
    const float *was = mry_turn(clip, frame), *before = mry_turn(made, frame ? frame - 1 : 0);
    double *place = mry_place(made, frame);
    const double *at = mry_place(clip, frame);
    if (frame > 0 && mry_quat_dot(yaw, before) < 0)
        for (int i = 0; i < 4; i++) yaw[i] = -yaw[i];
    memcpy(turn, yaw, sizeof yaw);
    memcpy(turn + 4, was, (size_t)clip->skeleton.joint_count * 4 * sizeof *turn);
    mry_quat_multiply(back, was, turn + 4);
    mry_quat_normalize(turn + 4);
    memcpy(place + 3, at, (size_t)clip->mover_count * 3 * sizeof *place);
    for (int i = 0; i < 3; i++) {
        place[i] = i == 1 ? 0 : body[i];
        place[3 + i] = at[i] - place[i];
    }
    mry_quat_rotate_double(back, place + 3, place + 3);
}

marey_status marey_clip_add_root(const marey_clip *clip, const char *name, marey_clip **out,
                                 marey_error *error)
{
    int count = clip->skeleton.joint_count;
    if (count >= MRY_MOST_JOINTS)
        return mry_fail(error, MAREY_ERR_LIMIT, clip->name, "it has %d joints, the most", count);
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    double *pose = MRY_NEW_RAW(&tmp, double, 3 * (size_t)count);
    marey_clip *made = pose ? mry_clip_make(clip->mem.ctx, clip->name, count + 1) : NULL;
    if (made) {
        made->fps = clip->fps;
        made->units = clip->units;
        made->up = clip->up;
    }
    if (!made || !mry_clip_copy_report(made, clip) || !fill_joints(made, clip, name)) {
        marey_clip_free(made);
        mry_arena_free(&tmp);
        return mry_fail_memory(error, clip->name);
    }
    for (int f = 0; f < clip->frames; f++) {
        marey_clip_positions(clip, f, 1, pose);
        carry(made, clip, f, pose);
    }
    made->frames = clip->frames;
    mry_arena_free(&tmp);
    if (!mry_clip_copy_marks(made, clip)) {
        marey_clip_free(made);
        return mry_fail_memory(error, clip->name);
    }
    *out = made;
    return MAREY_OK;
}
