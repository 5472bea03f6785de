/* seeded_joints.c - flaws of single joints: a joint that is elsewhere for a moment (spike), from
   some frame on (step), twisted or bent the wrong way (flip), frozen, or with a bone of another
   length. All but the freeze are layers, so what a repair should do is known exactly. */
#include "seeded_flaws.h"

#include "math/quat.h"
#include "math/turn.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Frames away from the ends and from marked ones. */
enum { MARGIN = 8 };

static int pick(uint64_t *seed, int low, int high)
{
    int at = (int)mry_random_between(seed, low, high);
    return at < high ? at : high - 1;
}

/* A frame from which `count` frames on, and MARGIN more on both sides, were captured; -1: none was
   met in many tries. */
static int pick_frame(const marey_clip *clip, int count, uint64_t *seed)
{
    int room = clip->frames - count - 2 * MARGIN;
    for (int try = 0; try < 100 && room > 0; try++) {
        int start = MARGIN + pick(seed, 0, room);
        bool captured = true;
        for (int f = start - MARGIN; f < start + count + MARGIN; f++)
            captured &= !mry_clip_is_marked(clip, f);
        if (captured) return start;
    }
    return -1;
}

static int pick_joint(const marey_clip *clip, uint64_t *seed)
{
    return pick(seed, 0, clip->skeleton.joint_count);
}

static void random_axis(uint64_t *seed, double *axis)
{
    double z = mry_random_between(seed, -1, 1), turn = mry_random_between(seed, 0, 2 * PI);
    axis[0] = sqrt(1 - z * z) * cos(turn);
    axis[1] = sqrt(1 - z * z) * sin(turn);
    axis[2] = z;
}

/* The clip with the layer; `what` says how far that moves and turns joints. */
static marey_clip *put_layer(const marey_clip *clip, const marey_layer *layer, seeded_flaw *what)
{
    marey_clip *made = NULL;
    int joints = clip->skeleton.joint_count;
    double *a = calloc((size_t)joints, 3 * sizeof *a), *b = calloc((size_t)joints, 3 * sizeof *b);
    if (marey_clip_repair(clip, layer, 1, &made, NULL)) abort();
    what->joint = layer->joint;
    what->start = layer->start;
    what->end = layer->end;
    int stride = (layer->end - layer->start) / 50 + 1;
    for (int f = layer->start; f < layer->end; f += stride) {
        marey_clip_positions(clip, f, 1, a);
        marey_clip_positions(made, f, 1, b);
        for (int j = 0; j < joints; j++) {
            what->moves_cm = fmax(what->moves_cm, mry_distance3(a + 3 * j, b + 3 * j));
            double turn =
                (double)mry_quat_angle(mry_turn(clip, f) + 4 * j, mry_turn(made, f) + 4 * j);
            what->turns_deg = fmax(what->turns_deg, turn * 180 / PI);
        }
    }
    free(a);
    free(b);
    return made;
}

static marey_layer turn_layer(int joint, int start, int end, const double *axis, double degrees)
{
    double half = degrees * PI / 360, s = sin(half);
    return (marey_layer){ .kind = MAREY_LAYER_TURN,
                          .joint = joint,
                          .start = start,
                          .end = end,
                          .value = { cos(half), s * axis[0], s * axis[1], s * axis[2] } };
}

static int short_run(const marey_clip *clip, uint64_t *seed)
{
    return pick(seed, 1, clip->fps > 50 ? 4 : 2); /* one frame to three */
}

static marey_clip *put_spike(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    double axis[3];
    int count = short_run(clip, seed), start = pick_frame(clip, count, seed);
    int joint = pick_joint(clip, seed);
    random_axis(seed, axis);
    if (start < 0) return NULL;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_SPIKE, .size = size };
    marey_layer layer = turn_layer(joint, start, start + count, axis, size);
    return put_layer(clip, &layer, what);
}

static marey_clip *put_place_spike(const marey_clip *clip, double size, uint64_t *seed,
                                   seeded_flaw *what)
{
    double axis[3];
    int count = short_run(clip, seed), start = pick_frame(clip, count, seed);
    random_axis(seed, axis);
    if (start < 0) return NULL;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_SPIKE, .size = size };
    marey_layer layer = { MAREY_LAYER_SHIFT,
                          0,
                          start,
                          start + count,
                          { size * axis[0], size * axis[1], size * axis[2] } };
    return put_layer(clip, &layer, what);
}

/* From a frame on, in half of the cases until the clip's end. */
static bool pick_step(const marey_clip *clip, uint64_t *seed, int *start, int *end)
{
    int least = (int)(0.4 * clip->fps) + 1;
    *start = pick_frame(clip, least, seed);
    if (*start < 0) return false;
    *end = clip->frames;
    if (pick(seed, 0, 2) == 0) {
        int stop = *start + pick(seed, least, least + (int)(2 * clip->fps));
        if (stop < clip->frames - MARGIN) *end = stop;
    }
    for (int f = *start; f < *end; f++) {
        if (mry_clip_is_marked(clip, f)) return false;
    }
    return true;
}

static marey_clip *put_step(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    double axis[3];
    int start, end, joint = pick_joint(clip, seed);
    random_axis(seed, axis);
    if (!pick_step(clip, seed, &start, &end)) return NULL;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_STEP, .size = size };
    marey_layer layer = turn_layer(joint, start, end, axis, size);
    return put_layer(clip, &layer, what);
}

static marey_clip *put_place_step(const marey_clip *clip, double size, uint64_t *seed,
                                  seeded_flaw *what)
{
    double axis[3];
    int start, end;
    random_axis(seed, axis);
    if (!pick_step(clip, seed, &start, &end)) return NULL;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_STEP, .size = size };
    marey_layer layer = {
        MAREY_LAYER_SHIFT, 0, start, end, { size * axis[0], size * axis[1], size * axis[2] }
    };
    return put_layer(clip, &layer, what);
}

/* A limb joint is twisted about its bone for up to half a second. */
static marey_clip *put_twist(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    static const marey_role limbs[] = {
        MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_ELBOW,     MAREY_ROLE_LEFT_HIP,
        MAREY_ROLE_LEFT_KNEE,     MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW,
        MAREY_ROLE_RIGHT_HIP,     MAREY_ROLE_RIGHT_KNEE,
    };
    int joint = clip->skeleton.roles[limbs[pick(seed, 0, 8)]], child = -1;
    int count = pick(seed, 1, (int)(0.5 * clip->fps)), start = pick_frame(clip, count, seed);
    for (int j = joint + 1; joint >= 0 && j < clip->skeleton.joint_count && child < 0; j++) {
        if (clip->joints[j].parent == joint) child = j;
    }
    if (start < 0 || child < 0) return NULL;
    double axis[3], length = mry_length3(clip->joints[child].offset_cm);
    if (length < 1e-6) return NULL;
    for (int i = 0; i < 3; i++) axis[i] = clip->joints[child].offset_cm[i] / length;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_FLIP, .size = size };
    marey_layer layer = turn_layer(joint, start, start + count, axis, size);
    return put_layer(clip, &layer, what);
}

/* A knee or an elbow bends the other way for a moment, where it is bent by at least half of the
   size: its rotation is turned back. */
static marey_clip *put_bend(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    static const marey_role hinges[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE,
                                         MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_RIGHT_ELBOW };
    int joint = clip->skeleton.roles[hinges[pick(seed, 0, 4)]];
    int count = pick(seed, 1, (int)(0.3 * clip->fps));
    for (int try = 0; try < 200 && joint >= 0; try++) {
        int start = pick_frame(clip, count, seed);
        if (start < 0) return NULL;
        const float *q = mry_turn(clip, start) + 4 * joint;
        double bent = 2 * acos(fmin(fabs((double)q[0]), 1)) * 180 / PI;
        if (bent < size / 2 || bent > size) continue;
        marey_clip *made = NULL;
        *what = (seeded_flaw){ .kind = MAREY_FLAW_FLIP, .size = 2 * bent };
        marey_layer none = { MAREY_LAYER_FILL, joint, start, start + count, { 0 } };
        made = put_layer(clip, &none, what);
        what->moves_cm = what->turns_deg = 0;
        for (int f = start; f < start + count; f++) {
            float *turn = mry_turn(made, f) + 4 * joint;
            const float *was = mry_turn(clip, f) + 4 * joint;
            turn[0] = was[0];
            for (int i = 1; i < 4; i++) turn[i] = -was[i];
            what->turns_deg = fmax(what->turns_deg, (double)mry_quat_angle(turn, was) * 180 / PI);
        }
        return made;
    }
    return NULL;
}

static mry_vec vec_at(const double *at)
{
    return (mry_vec){ at[0], at[1], at[2] };
}

marey_clip *seeded_bend_back(const marey_clip *clip, marey_role hinge)
{
    int joint = clip->skeleton.roles[hinge], joints = clip->skeleton.joint_count;
    int top = clip->skeleton.roles[hinge - 1], end = clip->skeleton.roles[hinge + 1];
    if (joint < 0 || top < 0 || end < 0) return NULL;
    marey_clip *made = NULL;
    double *at = calloc((size_t)joints, 3 * sizeof *at);
    if (marey_clip_repair(clip, NULL, 0, &made, NULL)) abort();
    for (int f = 0; f < clip->frames; f++) {
        marey_clip_positions(clip, f, 1, at);
        mry_vec upper = mry_vec_unit(mry_vec_sub(vec_at(at + 3 * joint), vec_at(at + 3 * top)));
        mry_vec lower = mry_vec_unit(mry_vec_sub(vec_at(at + 3 * end), vec_at(at + 3 * joint)));
        mry_vec axis = mry_vec_unit(mry_vec_cross(upper, lower));
        double bent = acos(fmin(fmax(mry_vec_dot(upper, lower), -1), 1));
        mry_rot turn = mry_rot_about(axis.x, axis.y, axis.z, -2 * bent), carrier = { 1, 0, 0, 0 };
        for (int j = clip->joints[joint].parent; j >= 0; j = clip->joints[j].parent) {
            const float *q = mry_turn(clip, f) + 4 * j;
            carrier = mry_rot_times((mry_rot){ q[0], q[1], q[2], q[3] }, carrier);
        }
        float *own = mry_turn(made, f) + 4 * joint;
        turn = mry_rot_times(mry_rot_times(mry_rot_back(carrier), turn),
                             mry_rot_times(carrier, (mry_rot){ own[0], own[1], own[2], own[3] }));
        own[0] = (float)turn.w;
        own[1] = (float)turn.x;
        own[2] = (float)turn.y;
        own[3] = (float)turn.z;
        mry_quat_normalize(own);
    }
    free(at);
    return made;
}

/* The whole body holds still for some seconds. */
static marey_clip *put_freeze(const marey_clip *clip, double size, uint64_t *seed,
                              seeded_flaw *what)
{
    int count = (int)lrint(size * clip->fps),
        start = count > 1 ? pick_frame(clip, count, seed) : -1;
    int joints = clip->skeleton.joint_count;
    if (start < 1) return NULL;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_FROZEN, .size = size };
    marey_layer all = { MAREY_LAYER_FILL, 0, start, start + count, { 0 } };
    marey_clip *made = put_layer(clip, &all, what);
    what->joint = -1;
    what->moves_cm = what->turns_deg = 0;
    for (int f = start; f < start + count; f++) mry_clip_copy_frames(made, f, clip, start - 1, 1);
    double *a = calloc((size_t)joints, 6 * sizeof *a), *b = a + 3 * joints;
    marey_clip_positions(made, start - 1, 1, b);
    for (int f = start; f < start + count; f++) {
        marey_clip_positions(clip, f, 1, a);
        for (int j = 0; j < joints; j++)
            what->moves_cm = fmax(what->moves_cm, mry_distance3(a + 3 * j, b + 3 * j));
    }
    free(a);
    return made;
}

/* One bone of a limb is longer or shorter, in percent. */
static marey_clip *put_bone(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what)
{
    static const marey_role ends[] = {
        MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_LEFT_KNEE,
        MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST,
        MAREY_ROLE_RIGHT_KNEE, MAREY_ROLE_RIGHT_ANKLE,
    };
    int joint = clip->skeleton.roles[ends[pick(seed, 0, 8)]];
    double factor = pick(seed, 0, 2) ? 1 + size / 100 : 1 / (1 + size / 100);
    if (joint < 0) return NULL;
    *what = (seeded_flaw){ .kind = MAREY_FLAW_BONE, .size = size, .value = 1 / factor };
    marey_layer layer = { MAREY_LAYER_BONE, joint, 0, clip->frames, { factor } };
    return put_layer(clip, &layer, what);
}

const seeded_row seeded_joints[] = {
    { "spike of a rotation", { 5, 10, 20, 45, 120 }, "degrees", put_spike },
    { "spike of the place", { 2, 5, 10, 20, 60 }, "cm", put_place_spike },
    { "step of a rotation", { 5, 10, 20, 45, 120 }, "degrees", put_step },
    { "step of the place", { 2, 5, 10, 20, 60 }, "cm", put_place_step },
    { "twist of a limb", { 20, 45, 90, 135, 180 }, "degrees", put_twist },
    { "bend the wrong way", { 20, 40, 60, 80, 120 }, "degrees", put_bend },
    { "freeze", { 0.1, 0.2, 0.4, 0.8, 1.6 }, "s", put_freeze },
    { "bone", { 5, 10, 15, 25, 50 }, "percent", put_bone },
};
const int seeded_joints_count = sizeof seeded_joints / sizeof *seeded_joints;
