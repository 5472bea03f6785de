/* channels.c - a file's numbers and a clip's tracks, each from the other. */
#include "motion/channels.h"

#include "math/quat.h"
#include "motion/axes.h"

/* ---- from channels to tracks ----------------------------------------------------------------- */

bool mry_plan_make(mry_plan *plan, const marey_clip *clip, mry_arena *mem)
{
    int zero = clip->skeleton.channel_count;
    const uint8_t *orders = clip->source.orders;
    plan->turns = MRY_NEW(mem, mry_euler, clip->skeleton.joint_count);
    plan->columns = MRY_NEW(mem, int, 3 * clip->mover_count);
    plan->sines = MRY_NEW(mem, double, zero + 1);
    plan->cosines = MRY_NEW(mem, double, zero + 1);
    if (!plan->turns || !plan->columns || !plan->sines || !plan->cosines) return false;
    plan->cosines[zero] = 1.0;
    for (int i = 0; i < 3 * clip->mover_count; i++) plan->columns[i] = -1;
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const marey_joint *joint = &clip->joints[j];
        mry_euler *turn = &plan->turns[j];
        int column[3] = { -1, -1, -1 }, order[3], count = 0;
        for (int c = 0; c < joint->channel_count; c++) {
            marey_channel kind = joint->channels[c];
            if (kind <= MAREY_CHANNEL_Z_POSITION) {
                plan->columns[3 * clip->slot[j] + (int)kind] = joint->first_channel + c;
            } else if (kind <= MAREY_CHANNEL_Z_ROTATION) {
                order[count] = (int)kind - (int)MAREY_CHANNEL_X_ROTATION;
                column[order[count++]] = joint->first_channel + c;
            }
        }
        /* Angles apply in the order of the channels, unless the file has an order of its own (ASF),
           in which it also counts what it has no channel for. */
        for (int i = 0; i < (orders ? 3 : count); i++) {
            int axis = orders ? orders[3 * j + i] : order[i];
            turn->axis[turn->given] = axis;
            turn->column[turn->given++] = column[axis] < 0 ? zero : column[axis];
        }
        mry_euler_complete(turn, zero);
    }
    return true;
}

void mry_plan_derive(const mry_plan *plan, marey_clip *clip, int frame)
{
    const double *row = mry_channels(clip, frame);
    float *turn = mry_turn(clip, frame);
    double *place = mry_place(clip, frame);
    mry_half_angles(row, clip->skeleton.channel_count, plan->sines, plan->cosines);
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        mry_euler_to_quat(&plan->turns[j], plan->sines, plan->cosines, turn + 4 * j);
        if (clip->source.axes) {
            /* In a joint with axes of its own the angles turn about those: axes * angles * axes
               back. */
            const float *axes = clip->source.axes + 4 * j;
            const float back[4] = { axes[0], -axes[1], -axes[2], -axes[3] };
            mry_quat_multiply(axes, turn + 4 * j, turn + 4 * j);
            mry_quat_multiply(turn + 4 * j, back, turn + 4 * j);
        }
    }
    for (int i = 0; i < 3 * clip->mover_count; i++) {
        int column = plan->columns[i];
        place[i] = column < 0 ? clip->source.offsets[3 * clip->mover[i / 3] + i % 3] : row[column];
    }
}

/* ---- from tracks to channels ----------------------------------------------------------------- */

void mry_joint_from_tracks(const marey_clip *clip, const marey_joint *joint, int frame, int j,
                           double *row)
{
    const double scale = 1.0 / marey_units_cm(clip->units);
    mry_euler euler = { 0 };
    double near[3] = { 0 }, degrees[3], place[3] = { 0 };
    float turn[4];
    double *channel = row + joint->first_channel;
    for (int c = 0; c < joint->channel_count; c++) {
        int axis = (int)joint->channels[c] - (int)MAREY_CHANNEL_X_ROTATION;
        if (axis < 0 || axis > 2) continue;
        near[euler.given] = channel[c];
        euler.axis[euler.given++] = axis;
    }
    mry_euler_complete(&euler, 0);
    mry_turn_to_file(clip->up, mry_turn(clip, frame) + 4 * j, turn);
    mry_euler_from_quat(euler.axis, euler.given, turn, near, degrees);
    if (clip->slot[j] >= 0) {
        mry_vector_to_file(clip->up, mry_place(clip, frame) + 3 * clip->slot[j], place);
    }
    for (int c = 0, rotation = 0; c < joint->channel_count; c++) {
        marey_channel kind = joint->channels[c];
        if (kind <= MAREY_CHANNEL_Z_POSITION) {
            channel[c] = place[kind] * scale;
        } else if (kind <= MAREY_CHANNEL_Z_ROTATION) {
            channel[c] = degrees[rotation++];
        } else {
            channel[c] = 1.0;
        }
    }
}

void mry_channels_from_tracks(const marey_clip *clip, const marey_joint *joints, int frame,
                              double *row)
{
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        mry_joint_from_tracks(clip, &joints[j], frame, j, row);
    }
}
