/* body_frames.c - axes of the parts of a body, and what lies between them and those of its joints. */
#include "retarget/body_frames.h"

#include "math/quat.h"

#include <string.h>

/* The trunk says about which a limb bends that hardly does, with this weight. */
static const double STRAIGHT = 0.05;
enum { MOST_SAMPLES = 2000 }; /* frames that are looked at */

int mry_next_role(marey_role role)
{
    switch (role) {
    case MAREY_ROLE_SPINE:
    case MAREY_ROLE_CHEST:
    case MAREY_ROLE_NECK:
    case MAREY_ROLE_LEFT_COLLAR:
    case MAREY_ROLE_LEFT_SHOULDER:
    case MAREY_ROLE_LEFT_ELBOW:
    case MAREY_ROLE_LEFT_HIP:
    case MAREY_ROLE_LEFT_KNEE:
    case MAREY_ROLE_LEFT_ANKLE:
    case MAREY_ROLE_RIGHT_COLLAR:
    case MAREY_ROLE_RIGHT_SHOULDER:
    case MAREY_ROLE_RIGHT_ELBOW:
    case MAREY_ROLE_RIGHT_HIP:
    case MAREY_ROLE_RIGHT_KNEE:
    case MAREY_ROLE_RIGHT_ANKLE: return (int)role + 1;
    default: return -1;
    }
}

/* The rotation whose first axis is `along` and whose second is as near to `beside` as it can be. */
static mry_rot axes(mry_vec along, mry_vec beside)
{
    mry_vec x = mry_vec_unit(along);
    mry_vec y = mry_vec_sub(beside, mry_vec_scale(x, mry_vec_dot(x, beside)));
    if (mry_vec_length(y) < 1e-9) { /* any that is square to it */
        y = fabs(x.x) < 0.9 ? (mry_vec){ 1, 0, 0 } : (mry_vec){ 0, 1, 0 };
        y = mry_vec_sub(y, mry_vec_scale(x, mry_vec_dot(x, y)));
    }
    y = mry_vec_unit(y);
    return mry_rot_from_axes(x, y, mry_vec_cross(x, y));
}

/* What a vector becomes when `from` is turned to `to` the shortest way. */
static mry_vec carried(mry_vec from, mry_vec to, mry_vec v)
{
    mry_vec axis = mry_vec_cross(from, to);
    double w = 1 + mry_vec_dot(from, to);
    if (w < 1e-6) return mry_vec_scale(v, -1); /* the opposite way: as good as any */
    double length = sqrt(mry_vec_dot(axis, axis) + w * w);
    return mry_rot_apply((mry_rot){ w / length, axis.x / length, axis.y / length, axis.z / length },
                         v);
}

typedef struct looking {
    const marey_clip *clip;
    const double *places;
} looking;

static bool is_there(const looking *l, int role)
{
    return l->clip->skeleton.roles[role] >= 0;
}

static mry_vec place(const looking *l, int role)
{
    const double *p = l->places + 3 * l->clip->skeleton.roles[role];
    return (mry_vec){ p[0], p[1], p[2] };
}

static mry_vec way(const looking *l, int from, int to)
{
    return mry_vec_sub(place(l, to), place(l, from));
}

/* The first of these roles that is there; -1. */
static int first_of(const looking *l, const int *roles, int count)
{
    for (int i = 0; i < count; i++)
        if (is_there(l, roles[i])) return roles[i];
    return -1;
}

/* Axes of a limb's two bones and what hangs on it: `upper` and the two roles behind it. */
static void see_limb(const looking *l, int upper, mry_vec rest, mry_vec hinge_at_rest, mry_rot *out,
                     bool *has)
{
    if (!is_there(l, upper) || !is_there(l, upper + 1) || !is_there(l, upper + 2)) return;
    mry_vec first = way(l, upper, upper + 1), second = way(l, upper + 1, upper + 2);
    double lengths = mry_vec_length(first) * mry_vec_length(second);
    if (lengths < 1e-9) return;
    mry_vec bend = mry_vec_scale(mry_vec_cross(first, second), 1 / lengths);
    mry_vec trunk = carried(rest, mry_vec_unit(first), hinge_at_rest);
    mry_vec hinge = mry_vec_add(bend, mry_vec_scale(trunk, STRAIGHT));
    out[upper] = axes(first, hinge);
    out[upper + 1] = axes(second, hinge);
    out[upper + 2] = out[upper + 1];
    has[upper] = has[upper + 1] = has[upper + 2] = true;
}

/* The axes of all roles in one frame. */
static void see_axes(const looking *l, mry_rot *out, bool *has)
{
    static const int above_hips[] = { MAREY_ROLE_NECK, MAREY_ROLE_CHEST, MAREY_ROLE_SPINE,
                                      MAREY_ROLE_HEAD };
    static const int above_chest[] = { MAREY_ROLE_NECK, MAREY_ROLE_HEAD };
    memset(has, 0, MAREY_ROLE_COUNT * sizeof *has);
    int top = first_of(l, above_hips, 4), neck = first_of(l, above_chest, 2);
    bool hips = is_there(l, MAREY_ROLE_HIPS) && is_there(l, MAREY_ROLE_LEFT_HIP) &&
                is_there(l, MAREY_ROLE_RIGHT_HIP) && top >= 0;
    if (!hips) return;
    mry_vec left = way(l, MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_LEFT_HIP), side = left;
    bool shoulders =
        is_there(l, MAREY_ROLE_LEFT_SHOULDER) && is_there(l, MAREY_ROLE_RIGHT_SHOULDER);
    if (shoulders) side = way(l, MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_LEFT_SHOULDER);
    mry_vec up = way(l, MAREY_ROLE_HIPS, top);
    out[MAREY_ROLE_HIPS] = axes(left, up);
    has[MAREY_ROLE_HIPS] = true;
    int chest = is_there(l, MAREY_ROLE_CHEST) ? MAREY_ROLE_CHEST : MAREY_ROLE_HIPS;
    mry_vec trunk = neck >= 0 ? way(l, chest, neck) : up;
    if (mry_vec_length(trunk) < 1e-6) trunk = up;
    out[MAREY_ROLE_CHEST] = axes(side, trunk);
    out[MAREY_ROLE_SPINE] = axes(mry_vec_add(mry_vec_unit(left), mry_vec_unit(side)), up);
    has[MAREY_ROLE_CHEST] = is_there(l, MAREY_ROLE_CHEST);
    has[MAREY_ROLE_SPINE] = is_there(l, MAREY_ROLE_SPINE);
    has[MAREY_ROLE_NECK] = is_there(l, MAREY_ROLE_NECK) && is_there(l, MAREY_ROLE_HEAD);
    has[MAREY_ROLE_HEAD] = is_there(l, MAREY_ROLE_HEAD);
    if (has[MAREY_ROLE_NECK])
        out[MAREY_ROLE_NECK] = axes(way(l, MAREY_ROLE_NECK, MAREY_ROLE_HEAD), side);
    out[MAREY_ROLE_HEAD] = out[MAREY_ROLE_CHEST]; /* nothing hangs on it */
    mry_vec x = mry_vec_unit(side), y = mry_rot_apply(out[MAREY_ROLE_CHEST], (mry_vec){ 0, 1, 0 });
    for (int right = 0; right < 2; right++) {
        int by = right ? MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR : 0;
        double sign = right ? -1 : 1;
        int collar = MAREY_ROLE_LEFT_COLLAR + by;
        if (is_there(l, collar) && is_there(l, collar + 1) &&
            mry_vec_length(way(l, collar, collar + 1)) > 1e-6) {
            out[collar] = axes(way(l, collar, collar + 1), y);
            has[collar] = true;
        }
        /* An arm that is stretched sideways bends forwards. */
        see_limb(l, MAREY_ROLE_LEFT_SHOULDER + by, mry_vec_scale(x, sign), mry_vec_scale(y, -sign),
                 out, has);
        mry_vec down = mry_rot_apply(out[MAREY_ROLE_HIPS], (mry_vec){ 0, -1, 0 });
        see_limb(l, MAREY_ROLE_LEFT_HIP + by, down, mry_vec_unit(left), out, has);
        int ankle = MAREY_ROLE_LEFT_ANKLE + by;
        if (has[ankle] && is_there(l, ankle + 1) &&
            mry_vec_length(way(l, ankle, ankle + 1)) > 1e-6) {
            mry_vec hinge = mry_rot_apply(out[ankle - 1], (mry_vec){ 0, 1, 0 });
            out[ankle] = out[ankle + 1] = axes(way(l, ankle, ankle + 1), hinge);
            has[ankle + 1] = true;
        }
    }
}

void mry_body_pose(const marey_clip *clip, int frame, float *turns, double *places)
{
    const float *local = mry_turn(clip, frame);
    const double *moved = mry_place(clip, frame);
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const marey_joint *joint = &clip->joints[j];
        const double *at = clip->slot[j] >= 0 ? moved + 3 * clip->slot[j] : joint->offset_cm;
        if (joint->parent < 0) {
            memcpy(turns, local, 4 * sizeof *turns);
            memcpy(places, at, 3 * sizeof *places);
            continue;
        }
        const double *base = places + 3 * joint->parent;
        mry_quat_multiply(turns + 4 * joint->parent, local + 4 * j, turns + 4 * j);
        mry_quat_rotate_double(turns + 4 * joint->parent, at, places + 3 * j);
        for (int i = 0; i < 3; i++) places[3 * j + i] += base[i];
    }
}

/* The mean of orientations is the main axis of the sum of their squares (Markley et al. 2007). */
static mry_rot main_axis(const double *sums)
{
    int most = 0;
    double q[4];
    for (int i = 1; i < 4; i++)
        if (sums[5 * i] > sums[5 * most]) most = i;
    memcpy(q, sums + 4 * most, sizeof q);
    for (int step = 0; step < 200; step++) {
        double next[4], length = 0;
        for (int r = 0; r < 4; r++) {
            next[r] = 0;
            for (int c = 0; c < 4; c++) next[r] += sums[4 * r + c] * q[c];
            length += next[r] * next[r];
        }
        if (!(length > 0)) return (mry_rot){ 1, 0, 0, 0 };
        for (int r = 0; r < 4; r++) q[r] = next[r] / sqrt(length);
    }
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

/* Hip to ankle over the knee, in one frame. */
static double leg_length(const looking *l)
{
    double sum = 0;
    int legs = 0;
    for (int right = 0; right < 2; right++) {
        int hip = right ? MAREY_ROLE_RIGHT_HIP : MAREY_ROLE_LEFT_HIP;
        if (!is_there(l, hip) || !is_there(l, hip + 1) || !is_there(l, hip + 2)) continue;
        sum += mry_vec_length(way(l, hip, hip + 1)) + mry_vec_length(way(l, hip + 1, hip + 2));
        legs++;
    }
    return legs ? sum / legs : 0;
}

void mry_mean_begin(double *sums)
{
    memset(sums, 0, MRY_MEAN_SUMS * sizeof *sums);
}

void mry_mean_add(double *sums, const float *turn)
{
    for (int i = 0; i < MRY_MEAN_SUMS; i++) sums[i] += (double)turn[i / 4] * (double)turn[i % 4];
}

mry_rot mry_mean_end(const double *sums)
{
    return main_axis(sums);
}

bool mry_body_frames_find(const marey_clip *clip, mry_body_frames *out)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t joints = (size_t)clip->skeleton.joint_count;
    float *turns = MRY_NEW_RAW(&tmp, float, 4 * joints);
    double *places = MRY_NEW_RAW(&tmp, double, 3 * joints);
    double(*sums)[16] = mry_arena_zero(&tmp, MAREY_ROLE_COUNT, sizeof *sums);
    *out = (mry_body_frames){ 0 };
    int step = 1 + clip->frames / MOST_SAMPLES, seen = 0;
    bool fits = turns && places && sums, any = false;
    for (int f = 0; f < clip->frames; f++) any |= !mry_clip_is_marked(clip, f);
    for (int f = 0; fits && f < clip->frames; f += step) {
        looking l = { clip, places };
        mry_rot now[MAREY_ROLE_COUNT];
        bool has[MAREY_ROLE_COUNT];
        if (any && mry_clip_is_marked(clip, f)) continue;
        mry_body_pose(clip, f, turns, places);
        see_axes(&l, now, has);
        out->leg_cm += leg_length(&l);
        seen++;
        for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
            if (!has[r]) continue;
            const float *turn = turns + 4 * clip->skeleton.roles[r];
            mry_rot w = { (double)turn[0], (double)turn[1], (double)turn[2], (double)turn[3] };
            mry_rot k = mry_rot_times(mry_rot_back(now[r]), w);
            const double q[4] = { k.w, k.x, k.y, k.z };
            out->has[r] = true;
            for (int i = 0; i < 16; i++) sums[r][i] += q[i / 4] * q[i % 4];
        }
    }
    if (seen > 0) out->leg_cm /= seen;
    for (int r = 0; fits && r < MAREY_ROLE_COUNT; r++)
        if (out->has[r]) out->offset[r] = main_axis(sums[r]);
    mry_arena_free(&tmp);
    return fits;
}
