/* feet.c - poses the legs and arms of a clip and notes where heels, toes and hands are. */
#include "motion/feet.h"

#include "math/quat.h"
#include "motion/limbs.h"

#include <string.h>

static const double SHORTEST_TIP = 1; /* cm; a tip nearer than this is the ankle itself */

static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_LEFT_TOE,
                                    MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
                                    MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_RIGHT_WRIST,
                                    MAREY_ROLE_HIPS };
enum { ROLES = sizeof roles / sizeof *roles };

/* What a point hangs on. */
typedef struct tip {
    int joint; /* its own joint, or the ankle whose bone ends in it; -1: there is no such point */
    int child; /* of the ankle; -1: the End Site */
    bool is_joint;
} tip;

uint8_t *mry_clip_marked(mry_arena *mem, const marey_clip *clip)
{
    uint8_t *marked = MRY_NEW(mem, uint8_t, clip->frames);
    if (!marked) return NULL;
    for (int i = 0; i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        memset(marked + mark->start, 1, (size_t)(mark->end - mark->start));
    }
    return marked;
}

/* The limbs hold no rotation of the ankle, since none of their joints hangs on it. */
static void pose_tip(const marey_clip *clip, const mry_limbs *set, const tip *end, int frame,
                     double *out)
{
    int n = set->index[end->joint], above = set->above[n];
    const double *at = set->at + 3 * n;
    memcpy(out, at, 3 * sizeof *out);
    if (end->is_joint) return;
    float world[4];
    memcpy(world, mry_turn(clip, frame) + 4 * end->joint, sizeof world);
    if (above >= 0) mry_quat_multiply(set->world + 4 * above, world, world);
    const double *way = clip->joints[end->joint].end_cm;
    if (end->child >= 0) {
        int slot = clip->slot[end->child];
        way = slot < 0 ? clip->joints[end->child].offset_cm : mry_place(clip, frame) + 3 * slot;
    }
    mry_quat_rotate_double(world, way, out);
    for (int i = 0; i < 3; i++) out[i] += at[i];
}

bool mry_feet_build(mry_arena *mem, const marey_clip *clip, mry_feet *out)
{
    mry_limbs limbs;
    tip tips[MRY_POINTS];
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    *out = (mry_feet){ .frames = clip->frames, .has_hips = hips >= 0 };
    for (int i = 0; i < MRY_POINTS; i++) {
        tip *end = &tips[i];
        *end = (tip){ clip->skeleton.roles[roles[i]], -1, true };
        int ankle = mry_foot_is_toe(i) ? clip->skeleton.roles[roles[mry_foot_other_point(i)]] : -1;
        if (end->joint < 0 && ankle >= 0) {
            /* Without a toe: the ankle's first child, else its End Site. */
            int child = ankle + 1;
            while (child < clip->skeleton.joint_count && clip->joints[child].parent != ankle)
                child++;
            bool has_child = child < clip->skeleton.joint_count;
            const marey_joint *bone = &clip->joints[has_child ? child : ankle];
            const double *way = has_child ? bone->offset_cm : bone->end_cm;
            bool is_there = (has_child || bone->has_end) && mry_length3(way) >= SHORTEST_TIP;
            *end = (tip){ is_there ? ankle : -1, has_child ? child : -1, false };
        }
        out->has[i] = end->joint >= 0;
        if (out->has[i] && !(out->at[i] = MRY_NEW_RAW(mem, double, 3 * (size_t)clip->frames)))
            return false;
    }
    if (out->has_hips && !(out->hips_cm = MRY_NEW_RAW(mem, double, clip->frames))) return false;
    out->marked = mry_clip_marked(mem, clip);
    if (!out->marked || !mry_limbs_build(mem, clip, roles, ROLES, &limbs)) return false;
    for (int f = 0; f < clip->frames; f++) {
        mry_limbs_pose(clip, &limbs, f);
        for (int i = 0; i < MRY_POINTS; i++) {
            if (out->has[i]) pose_tip(clip, &limbs, &tips[i], f, out->at[i] + 3 * (size_t)f);
        }
        if (hips >= 0) out->hips_cm[f] = limbs.at[3 * limbs.index[hips] + 1];
    }
    return true;
}
