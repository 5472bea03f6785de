/* layout_joints.c - which joints of the clips a layout compares, how much each counts, and at what
   scale. Clips with the same joints are compared joint by joint; others by the roles that all of
   them have. What hangs on what is then taken from the first clip, so that a joint is seen from the
   same place in every clip. */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "math/quat.h"
#include "motion/carrier.h"

#include <string.h>

bool mry_same_joints(const marey_skeleton *a, const marey_skeleton *b)
{
    if (a->joint_count != b->joint_count) return false;
    for (int j = 0; j < a->joint_count; j++) {
        if (a->joints[j].parent != b->joints[j].parent ||
            strcmp(a->joints[j].name, b->joints[j].name) != 0)
            return false;
    }
    return true;
}

marey_status mry_layout_check(const marey_layout *layout, const marey_clip *clip,
                              marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const char *name = marey_clip_name(clip);
    if (!layout->by_roles) {
        bool fits = layout->skeleton_joints == skeleton->joint_count;
        for (int j = 0; fits && j < skeleton->joint_count; j++) {
            fits = layout->skeleton_parents[j] == skeleton->joints[j].parent &&
                   strcmp(layout->skeleton_names[j], skeleton->joints[j].name) == 0;
        }
        if (fits) return MAREY_OK;
        return mry_fail(error, MAREY_ERR_SHAPE, name,
                        "its joints are not those of the clips it is to be compared with");
    }
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        if (layout->roles[role] && skeleton->roles[role] < 0) {
            return mry_fail(error, MAREY_ERR_SHAPE, name, "it has no joint in the role %s",
                            marey_role_name((marey_role)role));
        }
    }
    return MAREY_OK;
}

/* ---- scale ----------------------------------------------------------------------------------- */

/* The bones between a joint and one above it; 0 if it is not above. */
static double chain_cm(const marey_skeleton *skeleton, int upper, int lower)
{
    double sum = 0;
    if (upper < 0 || lower < 0) return 0;
    for (int j = lower; j != upper; j = skeleton->joints[j].parent) {
        if (j <= 0) return 0;
        sum += mry_length3(skeleton->joints[j].offset_cm);
    }
    return sum;
}

double mry_body_size(const marey_clip *clip)
{
    const marey_skeleton *s = marey_clip_skeleton(clip);
    double left = chain_cm(s, s->roles[MAREY_ROLE_LEFT_HIP], s->roles[MAREY_ROLE_LEFT_ANKLE]);
    double right = chain_cm(s, s->roles[MAREY_ROLE_RIGHT_HIP], s->roles[MAREY_ROLE_RIGHT_ANKLE]);
    if (left > 0 && right > 0) return (left + right) / 2;
    if (left > 0 || right > 0) return left + right;
    /* Legs are about half of a body, so that clips with and without them can be compared. */
    return marey_clip_report(clip)->height_cm / 2;
}

/* ---- what hangs on what ---------------------------------------------------------------------- */

int mry_layout_root(const marey_layout *layout, const marey_skeleton *skeleton)
{
    int hips = skeleton->roles[MAREY_ROLE_HIPS];
    bool common = !layout->by_roles || layout->roles[MAREY_ROLE_HIPS];
    return common && hips >= 0 ? hips : 0;
}

/* The nearest joint above that has a number in the layout, too; -1: none. */
static int number_above(const marey_layout *layout, const marey_skeleton *skeleton, int number)
{
    int joint = mry_layout_number(layout, skeleton, number);
    while (joint >= 0 && (joint = skeleton->joints[joint].parent) >= 0) {
        if (!layout->by_roles) return joint;
        for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
            if (layout->roles[role] && skeleton->roles[role] == joint) return role;
        }
    }
    return -1;
}

/* Parents come before their children, so each joint asks only its parent: a long chain costs no
   more than a wide body. */
static bool hang_up(marey_layout *layout, const marey_skeleton *skeleton, mry_arena *tmp)
{
    int root = mry_layout_root(layout, skeleton);
    bool *under = MRY_NEW(tmp, bool, skeleton->joint_count); /* the root, or below it */
    if (!under) return false;
    for (int j = 0; j < skeleton->joint_count; j++) {
        int parent = skeleton->joints[j].parent;
        under[j] = j == root || (parent >= 0 && under[parent]);
    }
    for (int k = 0; k < layout->joints; k++) {
        int above = number_above(layout, skeleton, layout->joint[k]);
        int above2 = number_above(layout, skeleton, above);
        int joint = mry_layout_number(layout, skeleton, layout->joint[k]);
        int parent = mry_layout_number(layout, skeleton, above);
        bool far = above2 >= 0 && parent != root && under[parent];
        layout->above[k] = above;
        layout->above2[k] = above2;
        layout->below[k] = (uint8_t)(joint == root || !under[joint] ? 0 : far ? 2 : 1);
    }
    return true;
}

bool mry_sits_on_parent(const marey_joint *joint)
{
    if (joint->parent < 0 || mry_length3(joint->offset_cm) > 0) return false;
    for (int c = 0; c < joint->channel_count; c++) {
        if (joint->channels[c] <= MAREY_CHANNEL_Z_POSITION) return false;
    }
    return true;
}

/* Point clouds may add up the weights of joints at one place, which is exact. A joint's anchor is
   the topmost one at whose place it is in all of the clips: its parent's, or itself. */
static bool merge_joints(marey_layout *layout, const marey_clip *const *clips, int count,
                         mry_arena *tmp)
{
    int joints = marey_clip_skeleton(clips[0])->joint_count;
    int *first = MRY_NEW(tmp, int, joints), *anchor = MRY_NEW(tmp, int, joints);
    if (!first || !anchor) return false;
    for (int j = 0; j < joints && !layout->by_roles; j++) {
        bool sits = true;
        for (int i = 0; i < count && sits; i++)
            sits = mry_sits_on_parent(&marey_clip_skeleton(clips[i])->joints[j]);
        anchor[j] = sits ? anchor[marey_clip_skeleton(clips[0])->joints[j].parent] : j;
    }
    for (int k = 0; k < layout->joints; k++) {
        layout->merged[k] = k;
        if (layout->by_roles) continue;
        int at = anchor[layout->joint[k]];
        if (first[at]) {
            layout->merged[k] = first[at] - 1;
        } else {
            first[at] = k + 1;
        }
    }
    return true;
}

/* The weight of a joint, given by its layout's number. */
static double weight_of(const marey_layout *layout, const marey_skeleton *skeleton, int number)
{
    if (layout->weights.every_joint) return 1;
    if (layout->by_roles) return layout->weights.roles[number];
    double sum = 0; /* a joint may stand for two roles */
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        if (skeleton->roles[role] == number) sum += layout->weights.roles[role];
    }
    return sum;
}

marey_status mry_layout_choose(marey_layout *layout, const marey_clip *const *clips, int count,
                               marey_error *error)
{
    const marey_skeleton *first = marey_clip_skeleton(clips[0]);
    /* Whether the clips have the same joints; else the roles that all of them have, and how many
       those are. */
    int common = 0;
    for (int i = 1; i < count; i++)
        layout->by_roles |= !mry_same_joints(first, marey_clip_skeleton(clips[i]));
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        bool all = true;
        for (int i = 0; i < count; i++) all &= marey_clip_skeleton(clips[i])->roles[role] >= 0;
        layout->roles[role] = all;
        common += all;
    }
    if (layout->by_roles && common == 0) {
        return mry_fail(
            error, MAREY_ERR_SHAPE, NULL,
            "clips must have joints or roles in common to be compared; %s and others have "
            "neither",
            marey_clip_name(clips[0]));
    }
    int numbers = layout->by_roles ? MAREY_ROLE_COUNT : first->joint_count;
    layout->names = MRY_NEW(&layout->mem, const char *, numbers);
    layout->weight = MRY_NEW(&layout->mem, double, numbers);
    layout->height_cm = MRY_NEW(&layout->mem, double, numbers);
    layout->joint = MRY_NEW(&layout->mem, int, numbers);
    layout->above = MRY_NEW(&layout->mem, int, numbers);
    layout->above2 = MRY_NEW(&layout->mem, int, numbers);
    layout->below = MRY_NEW(&layout->mem, uint8_t, numbers);
    layout->merged = MRY_NEW(&layout->mem, int, numbers);
    if (!layout->names || !layout->weight || !layout->height_cm || !layout->joint ||
        !layout->above || !layout->above2 || !layout->below || !layout->merged)
        return mry_fail_memory(error, NULL);
    if (!layout->by_roles) {
        layout->skeleton_joints = numbers;
        layout->skeleton_names = MRY_NEW(&layout->mem, const char *, numbers);
        layout->skeleton_parents = MRY_NEW(&layout->mem, int, numbers);
        if (!layout->skeleton_names || !layout->skeleton_parents)
            return mry_fail_memory(error, NULL);
        for (int j = 0; j < numbers; j++) {
            const char *name = first->joints[j].name;
            layout->skeleton_names[j] = mry_arena_text(&layout->mem, name, strlen(name));
            layout->skeleton_parents[j] = first->joints[j].parent;
            if (!layout->skeleton_names[j]) return mry_fail_memory(error, NULL);
        }
    }
    /* The compared joints; of bodies without a root that is a point of the floor. */
    int number = 0;
    double sum = 0;
    if (layout->bodies && !layout->by_roles) {
        const mry_carrier carrier = mry_carrier_find(clips, count);
        number = mry_carrier_first(&carrier);
    }
    for (; number < numbers; number++) {
        if (layout->by_roles && !layout->roles[number]) continue;
        double weight = weight_of(layout, first, number);
        if (!(weight > 0)) continue;
        layout->names[layout->joints] =
            layout->by_roles ? marey_role_name((marey_role)number) : layout->skeleton_names[number];
        layout->joint[layout->joints] = number;
        layout->weight[layout->joints++] = weight;
        sum += weight;
    }
    if (!(sum > 0)) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no joint that the clips have in common has a weight in the set %s",
                        layout->weights.name);
    }
    for (int k = 0; k < layout->joints; k++) layout->weight[k] /= sum;
    mry_arena tmp = mry_arena_make(layout->mem.ctx);
    bool fine = merge_joints(layout, clips, count, &tmp) && hang_up(layout, first, &tmp);
    mry_arena_free(&tmp);
    layout->legs_cm = mry_body_size(clips[0]);
    return fine ? MAREY_OK : mry_fail_memory(error, NULL);
}
