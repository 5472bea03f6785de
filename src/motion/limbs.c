/* limbs.c - forward kinematics of a few joints. The same sums as in pose.c, over a list. */
#include "motion/limbs.h"

#include "math/quat.h"

#include <string.h>

bool mry_limbs_build(mry_arena *mem, const marey_clip *clip, const marey_role *roles, int count,
                     mry_limbs *out)
{
    int joints = clip->skeleton.joint_count;
    *out = (mry_limbs){ .joint = MRY_NEW(mem, int, joints),
                        .above = MRY_NEW(mem, int, joints),
                        .turns = MRY_NEW(mem, bool, joints),
                        .index = MRY_NEW(mem, int, joints) };
    if (!out->joint || !out->above || !out->turns || !out->index) return false;
    for (int r = 0; r < count; r++) {
        int j = clip->skeleton.roles[roles[r]];
        for (; j >= 0 && !out->index[j]; j = clip->joints[j].parent) out->index[j] = 1;
    }
    for (int j = 0; j < joints; j++) { /* what was met gets its number */
        if (!out->index[j]) {
            out->index[j] = -1;
            continue;
        }
        int parent = clip->joints[j].parent, n = out->count++;
        out->index[j] = n;
        out->joint[n] = j;
        out->above[n] = parent < 0 ? -1 : out->index[parent];
        if (parent >= 0) out->turns[out->above[n]] = true;
    }
    out->world = MRY_NEW_RAW(mem, float, 4 * out->count);
    out->at = MRY_NEW_RAW(mem, double, 3 * out->count);
    return out->world && out->at;
}

void mry_limbs_pose(const marey_clip *clip, mry_limbs *set, int frame)
{
    const double *place = mry_place(clip, frame);
    const float *turn = mry_turn(clip, frame);
    for (int n = 0; n < set->count; n++) {
        int j = set->joint[n], above = set->above[n], slot = clip->slot[j];
        const double *local = slot < 0 ? clip->joints[j].offset_cm : place + 3 * slot;
        double *at = set->at + 3 * n;
        if (above < 0) {
            memcpy(at, local, 3 * sizeof *at);
            if (set->turns[n]) memcpy(set->world + 4 * n, turn + 4 * j, 4 * sizeof *turn);
            continue;
        }
        mry_quat_rotate_double(set->world + 4 * above, local, at);
        for (int i = 0; i < 3; i++) at[i] += set->at[3 * above + i];
        if (set->turns[n]) {
            mry_quat_multiply(set->world + 4 * above, turn + 4 * j, set->world + 4 * n);
        }
    }
}
