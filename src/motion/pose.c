/* pose.c - forward kinematics and poses between frames.
   Rotations are floats; positions are summed in double, so that distance from the origin costs no
   precision. Joints come after their parents, so one pass in order is enough. */
#include "math/quat.h"
#include "motion/clip_data.h"

#include <assert.h>
#include <string.h>

/* Global rotations (and, for the float form, positions) of one frame live on the stack: kinematics
   cannot fail. Few skeletons have more than SMALL joints; of larger ones only LEVELS joints of the
   way from the root to where the pass is are kept, so that any skeleton does with a few KiB. */
enum { SMALL = 128, LEVELS = 128, STEP = 64 };

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

/* ---- large skeletons ------------------------------------------------------------------------- */

typedef struct bone {
    float world[4];
    double place[3];
} bone;

/* A pose: `slot` as above; NULL: `place` has the translations of all joints. */
typedef struct pose {
    const marey_joint *joints;
    const int *slot;
    const double *place;
    const float *turn;
} pose;

static void hang(const pose *body, int j, const bone *above, bone *out)
{
    if (j == 0) {
        memcpy(out->world, body->turn, sizeof out->world);
        memcpy(out->place, body->place, sizeof out->place);
        return;
    }
    const double *local = !body->slot         ? body->place + 3 * j
                          : body->slot[j] < 0 ? body->joints[j].offset_cm
                                              : body->place + 3 * body->slot[j];
    mry_quat_rotate_double(above->world, local, out->place);
    for (int i = 0; i < 3; i++) out->place[i] += above->place[i];
    mry_quat_multiply(above->world, body->turn + 4 * j, out->world);
}

/* The last LEVELS joints of the way from the root to `joint` again, each at its level; returns the
   level of `joint`. The way is only known upwards, so it is gone STEP joints at a time. */
static int hang_way(const pose *body, int joint, bone *ring)
{
    int level = 0;
    for (int j = joint; j > 0; j = body->joints[j].parent) level++;
    for (int base = 0; base <= level; base += STEP) {
        int way[STEP], j = joint;
        for (int l = level; l >= base; l--, j = body->joints[j].parent) {
            if (l < base + STEP) way[l - base] = j;
        }
        for (int l = base; l <= level && l < base + STEP; l++)
            hang(body, way[l - base], &ring[(l + LEVELS - 1) % LEVELS], &ring[l % LEVELS]);
    }
    return level;
}

/* Either `exact` or `rounded` is written. Joints come in depth-first order, so a parent is on the
   way to the joint before; where that way left the ring, or the order is another, it is gone again.
   That takes more than LEVELS joints each time. */
static void pose_large(const pose *body, int joint_count, double *exact, float *rounded)
{
    bone ring[LEVELS];
    int level = 0, lowest = 0; /* of the joint before; of what is in the ring */
    hang(body, 0, NULL, &ring[0]);
    for (int j = 0; j < joint_count; j++) {
        if (j > 0) {
            int parent = body->joints[j].parent, at = j - 1;
            for (; at > parent; at = body->joints[at].parent) level--;
            if (at != parent || level < lowest) {
                level = hang_way(body, parent, ring);
                lowest = level < LEVELS ? 0 : level - LEVELS + 1;
            }
            const bone *above = &ring[level++ % LEVELS];
            if (level - lowest == LEVELS) lowest++;
            hang(body, j, above, &ring[level % LEVELS]);
        }
        const double *place = ring[level % LEVELS].place;
        for (int i = 0; i < 3; i++) {
            if (exact) exact[3 * j + i] = place[i];
            if (rounded) rounded[3 * j + i] = (float)place[i];
        }
    }
}

/* ---- frames of clips ------------------------------------------------------------------------- */

static pose pose_of(const marey_clip *clip, int frame)
{
    return (pose){ clip->joints, clip->slot, mry_place(clip, frame), mry_turn(clip, frame) };
}

void marey_clip_positions(const marey_clip *clip, int first, int count, double *out)
{
    int joints = clip->skeleton.joint_count;
    float world[4 * SMALL];
    assert(first >= 0 && count >= 0 && count <= clip->frames - first);
    for (int f = first; f < first + count; f++, out += (size_t)joints * 3) {
        pose body = pose_of(clip, f);
        if (joints <= SMALL) {
            chain(body.joints, joints, body.slot, body.place, body.turn, world, out);
        } else {
            pose_large(&body, joints, out, NULL);
        }
    }
}

void marey_clip_positions_float(const marey_clip *clip, int first, int count, float *out)
{
    int joints = clip->skeleton.joint_count;
    double exact[3 * SMALL];
    assert(first >= 0 && count >= 0 && count <= clip->frames - first);
    for (int f = first; f < first + count; f++, out += (size_t)joints * 3) {
        pose body = pose_of(clip, f);
        if (joints <= SMALL) {
            marey_clip_positions(clip, f, 1, exact);
            for (int i = 0; i < 3 * joints; i++) out[i] = (float)exact[i];
        } else {
            pose_large(&body, joints, NULL, out);
        }
    }
}

void marey_pose_positions(const marey_skeleton *skeleton, const double *places, const float *turns,
                          double *out)
{
    pose body = { skeleton->joints, NULL, places, turns };
    pose_large(&body, skeleton->joint_count, out, NULL);
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
