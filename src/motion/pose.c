/* pose.c - forward kinematics and poses between frames.
   Rotations are floats; positions are summed in double, so that distance from the origin costs no
   precision. Joints come after their parents, so one pass in order is enough. */
#include "math/quat.h"
#include "motion/clip_data.h"

#include <assert.h>
#include <string.h>

/* Global rotations (and, for the float form, positions) of one frame live on the stack: kinematics
   cannot fail. Few skeletons have more than SMALL joints, and none more than MRY_MOST_JOINTS. */
enum { SMALL = 128 };

/* `place` holds the translations of the joints with a slot; the others stay at their offsets. */
static void chain(const marey_joint *joints, int joint_count, const int *slot, const double *place,
                  const float *turn, float *world, double *out)
{
    memcpy(world, turn, 4 * sizeof *world);
    memcpy(out, place, 3 * sizeof *out);
    for (int j = 1; j < joint_count; j++) {
        int parent = joints[j].parent;
        const double *local = slot[j] < 0 ? joints[j].offset_cm : place + 3 * slot[j];
        const double *base = out + 3 * parent;
        double *p = out + 3 * j;
        mry_quat_rotate_double(world + 4 * parent, local, p);
        p[0] += base[0];
        p[1] += base[1];
        p[2] += base[2];
        mry_quat_multiply(world + 4 * parent, turn + 4 * j, world + 4 * j);
    }
}

static void frames_with(const marey_clip *clip, int first, int count, float *world, double *out)
{
    int joints = clip->skeleton.joint_count;
    for (int f = 0; f < count; f++) {
        chain(clip->joints, joints, clip->slot, mry_place(clip, first + f),
              mry_turn(clip, first + f), world, out + (size_t)f * (size_t)joints * 3);
    }
}

__attribute__((noinline)) static void frames_large(const marey_clip *clip, int first, int count,
                                                   double *out)
{
    float world[4 * MRY_MOST_JOINTS];
    frames_with(clip, first, count, world, out);
}

void marey_clip_positions(const marey_clip *clip, int first, int count, double *out)
{
    assert(first >= 0 && count >= 0 && count <= clip->frames - first);
    float world[4 * SMALL];
    if (clip->skeleton.joint_count <= SMALL) {
        frames_with(clip, first, count, world, out);
    } else {
        frames_large(clip, first, count, out);
    }
}

static void floats_with(const marey_clip *clip, int first, int count, double *exact, float *out)
{
    int numbers = clip->skeleton.joint_count * 3;
    for (int f = 0; f < count; f++, out += numbers) {
        marey_clip_positions(clip, first + f, 1, exact);
        for (int i = 0; i < numbers; i++) out[i] = (float)exact[i];
    }
}

__attribute__((noinline)) static void floats_large(const marey_clip *clip, int first, int count,
                                                   float *out)
{
    double exact[3 * MRY_MOST_JOINTS];
    floats_with(clip, first, count, exact, out);
}

void marey_clip_positions_float(const marey_clip *clip, int first, int count, float *out)
{
    assert(first >= 0 && count >= 0 && count <= clip->frames - first);
    double exact[3 * SMALL];
    if (clip->skeleton.joint_count <= SMALL) {
        floats_with(clip, first, count, exact, out);
    } else {
        floats_large(clip, first, count, out);
    }
}

void marey_pose_positions(const marey_skeleton *skeleton, const double *places, const float *turns,
                          double *out)
{
    float world[4 * MRY_MOST_JOINTS];
    assert(skeleton->joint_count <= MRY_MOST_JOINTS);
    memcpy(world, turns, 4 * sizeof *world);
    memcpy(out, places, 3 * sizeof *out);
    for (int j = 1; j < skeleton->joint_count; j++) {
        int parent = skeleton->joints[j].parent;
        mry_quat_rotate_double(world + 4 * parent, places + 3 * j, out + 3 * j);
        for (int i = 0; i < 3; i++) out[3 * j + i] += out[3 * parent + i];
        mry_quat_multiply(world + 4 * parent, turns + 4 * j, world + 4 * j);
    }
}

/* ---- between frames -------------------------------------------------------------------------- */

void mry_clip_mix(const marey_clip *clip, int a, int b, double t, double *places, float *turns)
{
    const double *pa = mry_place(clip, a), *pb = mry_place(clip, b);
    const float *qa = mry_turn(clip, a), *qb = mry_turn(clip, b);
    for (int i = 0; i < 3 * clip->mover_count; i++) places[i] = pa[i] + t * (pb[i] - pa[i]);
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        mry_quat_slerp(qa + 4 * j, qb + 4 * j, (float)t, turns + 4 * j);
    }
}

double mry_clip_find_frame(const marey_clip *clip, double time_s, int *frame)
{
    double at = time_s * clip->fps;
    if (!(at > 0)) at = 0;
    if (at > clip->frames - 1) at = clip->frames - 1;
    *frame = (int)at;
    if (*frame > clip->frames - 2) *frame = clip->frames > 1 ? clip->frames - 2 : 0;
    return at - *frame;
}

void marey_clip_sample(const marey_clip *clip, double time_s, double *places, float *turns)
{
    int a, joints = clip->skeleton.joint_count;
    double t = mry_clip_find_frame(clip, time_s, &a);
    int b = a + 1 < clip->frames ? a + 1 : a;
    const double *pa = mry_place(clip, a), *pb = mry_place(clip, b);
    const float *qa = mry_turn(clip, a), *qb = mry_turn(clip, b);
    for (int j = 0; j < joints; j++) {
        int slot = clip->slot[j];
        for (int i = 0; i < 3; i++) {
            double from = slot < 0 ? clip->joints[j].offset_cm[i] : pa[3 * slot + i];
            double to = slot < 0 ? from : pb[3 * slot + i];
            places[3 * j + i] = from + t * (to - from);
        }
        mry_quat_slerp(qa + 4 * j, qb + 4 * j, (float)t, turns + 4 * j);
    }
}
