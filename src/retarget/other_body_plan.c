/* other_body_plan.c - what turns each joint of a body that gets another one's motion. */
#include "retarget/other_body.h"

enum { MOST_SAMPLES = 2000 };

/* Bones that point alike, as a cosine: their joints' rotations mean the same. */
static const double ALIKE = 0.98;

/* Local rotations on average; `at`: of what moves, or NULL. */
static mry_rot *find_means(mry_arena *tmp, const marey_clip *clip, double *at)
{
    int joints = clip->skeleton.joint_count, step = 1 + clip->frames / MOST_SAMPLES, seen = 0;
    double(*sums)[MRY_MEAN_SUMS] = mry_arena_zero(tmp, (size_t)joints, sizeof *sums);
    mry_rot *means = MRY_NEW(tmp, mry_rot, joints);
    if (!sums || !means) return NULL;
    bool any = false;
    for (int f = 0; f < clip->frames; f += step) any |= !mry_clip_is_marked(clip, f);
    for (int f = 0; f < clip->frames; f += step) {
        if (any && mry_clip_is_marked(clip, f)) continue;
        for (int j = 0; j < joints; j++) mry_mean_add(sums[j], mry_turn(clip, f) + 4 * j);
        for (int i = 0; i < 3 * clip->mover_count && at; i++) at[i] += mry_place(clip, f)[i];
        seen++;
    }
    for (int j = 0; j < joints; j++) means[j] = mry_mean_end(sums[j]);
    for (int i = 0; i < 3 * clip->mover_count && at; i++) at[i] /= seen;
    return means;
}

/* Where a joint of the target is below another one, and how it is turned, with what lies between as it
   is on average. */
static mry_rot below(const mry_retargeting *r, int from, int joint, mry_vec *at)
{
    mry_rot turn = { 1, 0, 0, 0 };
    *at = (mry_vec){ 0, 0, 0 };
    for (int j = joint; j != from; j = r->onto->joints[j].parent) {
        const double *p = r->onto->slot[j] >= 0 ? r->mean_at + 3 * r->onto->slot[j]
                                                : r->onto->joints[j].offset_cm;
        *at = mry_vec_add(mry_vec_of(p), mry_rot_apply(r->means[j], *at));
        turn = mry_rot_times(r->means[j], turn);
    }
    return turn;
}

/* Above, and not the same. */
static bool is_above(const marey_clip *clip, int joint, int below_it)
{
    if (below_it == joint) return false;
    while (below_it > joint) below_it = clip->joints[below_it].parent;
    return below_it == joint;
}

static void plan_roles(mry_retargeting *r)
{
    const int *roles = r->onto->skeleton.roles, *sources = r->clip->skeleton.roles;
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        if (!r->source.has[role] || !r->target.has[role]) continue;
        mry_drive *d = &r->drives[roles[role]];
        d->role = role;
        d->from = sources[role];
        d->q = mry_rot_times(mry_rot_back(r->source.offset[role]), r->target.offset[role]);
        /* Of the trunk two bones are aimed; limbs reach. */
        if ((role != MAREY_ROLE_SPINE && role != MAREY_ROLE_CHEST) || !r->common.bone[role])
            continue;
        if (!is_above(r->onto, roles[role], roles[role + 1])) continue;
        below(r, roles[role], roles[role + 1], &d->bone);
        if (mry_vec_length(d->bone) > 1e-6) d->to = sources[role + 1];
    }
    for (int n = 0; n < MRY_LIMBS; n++) {
        mry_limb *l = &r->limbs[n];
        int role = (int)mry_limb_roles[n];
        const int *to = roles + role;
        if (!(r->source.limb_cm[n] > 0) || !(r->target.limb_cm[n] > 0)) continue;
        if (!r->target.has[role] || !r->source.has[role] || !is_above(r->onto, to[0], to[1]) ||
            !is_above(r->onto, to[1], to[2]))
            continue;
        for (int i = 0; i < 3; i++) {
            l->from[i] = sources[role + i];
            l->to[i] = to[i];
        }
        below(r, to[0], to[1], &r->drives[to[0]].bone);
        below(r, to[1], to[2], &r->drives[to[1]].bone);
        l->upper = mry_vec_length(r->drives[to[0]].bone);
        l->lower = mry_vec_length(r->drives[to[1]].bone);
        l->whole = l->upper > 1e-6 && l->lower > 1e-6;
        l->toe = -1;
        if (n < MRY_FIRST_LEG || !r->common.bone[role + 2] || !r->target.has[role + 3] ||
            !is_above(r->onto, to[2], to[3]))
            continue;
        below(r, to[2], to[3], &l->foot);
        l->toe = sources[role + 3];
    }
}

/* Joints between one role of the trunk and the next that is there. */
static void plan_trunk(mry_retargeting *r)
{
    static const marey_role trunk[] = { MAREY_ROLE_HIPS, MAREY_ROLE_SPINE, MAREY_ROLE_CHEST,
                                        MAREY_ROLE_NECK, MAREY_ROLE_HEAD };
    int first = -1;
    for (int t = 0; t < 5; t++) {
        int second = r->onto->skeleton.roles[trunk[t]];
        if (second < 0 || r->drives[second].role < 0) continue;
        int between = 0, number = 0;
        if (first >= 0 && is_above(r->onto, first, second))
            for (int j = r->onto->joints[second].parent; j != first; j = r->onto->joints[j].parent)
                between++;
        mry_vec unused;
        mry_rot all = between ? below(r, first, second, &unused) : (mry_rot){ 1, 0, 0, 0 };
        for (int j = r->onto->joints[second].parent; number < between; number++) {
            mry_drive *d = &r->drives[j];
            if (d->role < 0) {
                r->bends |= r->drives[first].to >= 0;
                d->first = first;
                d->second = second;
                d->below = below(r, first, j, &unused);
                d->second_below = all;
                d->share = (double)(between - number) / (between + 1);
            }
            j = r->onto->joints[j].parent;
        }
        first = second;
    }
}

/* Does a rotation of one joint mean the same to the other? If its bone, and what hangs on it, point
   alike at rest. */
static bool is_alike(const marey_clip *a, int x, const marey_clip *b, int y)
{
    for (;;) {
        mry_vec p = mry_vec_of(a->joints[x].offset_cm), q = mry_vec_of(b->joints[y].offset_cm);
        double lengths = mry_vec_length(p) * mry_vec_length(q);
        if (lengths > 1e-9 && mry_vec_dot(p, q) < ALIKE * lengths) return false;
        bool more = x + 1 < a->skeleton.joint_count && a->joints[x + 1].parent == x &&
                    y + 1 < b->skeleton.joint_count && b->joints[y + 1].parent == y;
        if (!more) return true;
        x++;
        y++;
    }
}

/* Joints without a role, by the map. Where rotations do not mean the same, how a joint is turned below
   its parent on average is taken to be the same. */
static bool plan_others(mry_retargeting *r, const marey_body_map *map)
{
    mry_rot *means = NULL;
    for (int i = 0; i < map->count; i++) {
        int s = map->pairs[i].source, t = map->pairs[i].target;
        mry_drive *d = &r->drives[t];
        if (map->pairs[i].role != MAREY_ROLE_COUNT || d->role >= 0 || d->first >= 0) continue;
        int above = r->clip->joints[s].parent, parent = r->onto->joints[t].parent;
        if (above < 0 || parent < 0) continue;
        d->local = is_alike(r->clip, s, r->onto, t);
        d->from = s;
        if (d->local || r->drives[parent].from != above) {
            if (!d->local) d->from = -1;
            continue;
        }
        if (!means) means = find_means(r->tmp, r->clip, NULL);
        if (!means) return false;
        d->q =
            mry_rot_times(mry_rot_times(mry_rot_back(means[s]), r->drives[parent].q), r->means[t]);
    }
    return true;
}

bool mry_retarget_plan(mry_retargeting *r, const marey_body_map *map)
{
    int joints = r->onto->skeleton.joint_count;
    r->mean_at = MRY_NEW(r->tmp, double, 3 * (size_t)r->onto->mover_count);
    r->means = r->mean_at ? find_means(r->tmp, r->onto, r->mean_at) : NULL;
    r->drives = MRY_NEW(r->tmp, mry_drive, joints);
    if (!r->means || !r->drives) return false;
    for (int j = 0; j < joints; j++)
        r->drives[j] = (mry_drive){ .role = -1, .from = -1, .to = -1, .first = -1 };
    plan_roles(r);
    plan_trunk(r);
    return plan_others(r, map);
}
