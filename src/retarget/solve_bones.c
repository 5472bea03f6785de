/* solve_bones.c - the joints of the clip, what they turn towards, and the pose they rest in.

   A skeleton holds what hangs on a joint in constant places around it. Of a joint's children those
   that keep their distances to each other are such (the hips below a pelvis); another one (the
   spine) turns by itself, so it gets a joint of no length at its parent's place, as CMU's skeletons
   have them. Where the file has such joints already, what lies behind them is asked in their stead.
   Their shape is the mean over frames that are turned onto each other (generalized Procrustes,
   Gower 1975), with the lengths that the bones have. */
#include "retarget/solve.h"

#include "base/grow.h"
#include "motion/quantile.h"

#include <string.h>

enum { LOOKS = 200, ROUNDS = 4, MOST_AIMS = 64 };

/* What keeps its distance strays by no more, in all but a few frames: cm, share, times the noise. The
   second is for what no two do by the first. */
static const double KEEPS[2][3] = { { 0.02, 0.0005, 1.5 }, { 0.3, 0.01, 1.5 } };
/* How much what roughly keeps its place counts beside what does: with noise, and without; nothing,
   where that tells all. */
static const double WEAK[2] = { 0.02, 1e-4 }, CLEAN_CM = 0.02;
/* Points that are nearer to each other are at one place. */
static const double SAME_CM = 0.05;
/* Directions that differ by less than 6 degrees do not tell a rotation about themselves. */
static const double FLAT = 0.1;

/* ---- small things that turns need, too ------------------------------------------------------- */

mry_rot mry_solve_swing(mry_vec from, mry_vec to)
{
    double dot = mry_vec_dot(from, to);
    mry_vec axis = mry_vec_cross(from, to);
    if (dot < -0.999999) { /* any axis at right angles */
        axis =
            mry_vec_cross(from, fabs(from.x) < 0.9 ? (mry_vec){ 1, 0, 0 } : (mry_vec){ 0, 1, 0 });
        axis = mry_vec_unit(axis);
        return (mry_rot){ 0, axis.x, axis.y, axis.z };
    }
    double w = sqrt((1 + dot) / 2), h = 0.5 / w;
    mry_rot q = { w, axis.x * h, axis.y * h, axis.z * h };
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (mry_rot){ q.w / length, q.x / length, q.y / length, q.z / length };
}

/* Two unit axes at right angles and their third. */
static mry_rot axes_of(mry_vec along, mry_vec beside)
{
    mry_vec z = mry_vec_unit(mry_vec_cross(along, beside));
    return mry_rot_from_axes(along, mry_vec_cross(z, along), z);
}

/* Wahba's problem. The two vectors that tell most give a rotation near the answer (TRIAD, Black
   1964), and Newton's steps on sum of w (R rest) . now lead there. */
mry_rot mry_solve_fit(const mry_vec *rest, const mry_vec *now, const double *weight, int count)
{
    int first = 0, second = -1;
    double most = -1, widest = 0;
    for (int i = 0; i < count; i++) {
        double size = weight[i] * mry_vec_dot(rest[i], rest[i]) * mry_vec_dot(now[i], now[i]);
        if (size > most) {
            most = size;
            first = i;
        }
    }
    mry_vec a = mry_vec_unit(rest[first]), b = mry_vec_unit(now[first]);
    for (int i = 0; i < count; i++) {
        double size = weight[i] * mry_vec_length(mry_vec_cross(a, rest[i])) *
                      mry_vec_length(mry_vec_cross(b, now[i]));
        if (size > widest) {
            widest = size;
            second = i;
        }
    }
    if (second < 0) return mry_solve_swing(a, b);
    mry_rot turn = mry_rot_times(axes_of(b, now[second]), mry_rot_back(axes_of(a, rest[second])));
    for (int step = 0; step < 12; step++) {
        mry_vec torque = { 0 };
        double h[6] = { 0 }; /* xx yy zz xy xz yz of sum w ((r.n) I - (r n' + n r') / 2) */
        for (int i = 0; i < count; i++) {
            mry_vec r = mry_rot_apply(turn, rest[i]), n = now[i];
            double w = weight[i], dot = mry_vec_dot(r, n);
            torque = mry_vec_add(torque, mry_vec_scale(mry_vec_cross(r, n), w));
            h[0] += w * (dot - r.x * n.x);
            h[1] += w * (dot - r.y * n.y);
            h[2] += w * (dot - r.z * n.z);
            h[3] -= w * (r.x * n.y + r.y * n.x) / 2;
            h[4] -= w * (r.x * n.z + r.z * n.x) / 2;
            h[5] -= w * (r.y * n.z + r.z * n.y) / 2;
        }
        double cx = h[1] * h[2] - h[5] * h[5], cy = h[4] * h[5] - h[3] * h[2];
        double cz = h[3] * h[5] - h[4] * h[1], det = h[0] * cx + h[3] * cy + h[4] * cz;
        double minor = h[0] * h[1] - h[3] * h[3], trace = h[0] + h[1] + h[2];
        mry_vec by;
        if (h[0] > 0 && minor > 0 && det > 1e-12 * trace * trace * trace) {
            by.x = (cx * torque.x + cy * torque.y + cz * torque.z) / det;
            by.y = (cy * torque.x + (h[0] * h[2] - h[4] * h[4]) * torque.y +
                    (h[3] * h[4] - h[0] * h[5]) * torque.z) /
                   det;
            by.z =
                (cz * torque.x + (h[3] * h[4] - h[0] * h[5]) * torque.y + minor * torque.z) / det;
        } else { /* not yet near: uphill */
            by = mry_vec_scale(torque, 1 / (fabs(trace) + 1e-30));
        }
        double angle = mry_vec_length(by);
        if (!(angle > 1e-9)) break;
        if (angle > 1) by = mry_vec_scale(by, 1 / angle);
        mry_rot small = { 1, by.x / 2, by.y / 2, by.z / 2 };
        turn = mry_rot_times(small, turn);
        double length = sqrt(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        turn = (mry_rot){ turn.w / length, turn.x / length, turn.y / length, turn.z / length };
    }
    return turn;
}

/* ---- what keeps its place --------------------------------------------------------------------- */

static const mry_vec *points_of(const mry_solve *s, int tree_joint)
{
    return s->at + (size_t)tree_joint * (size_t)s->frames;
}

typedef struct candidate {
    int joint;
    bool direct, core;
} candidate;

/* Adds the children of j, and what lies behind those at its own place. */
static int collect(const mry_solve *s, int j, bool direct, candidate *list, int count)
{
    const int *parent = s->tree.parent;
    for (int c = j + 1; c < s->tree.count && parent[c] >= j; c++) {
        int up = parent[c];
        bool behind = up == j;
        while (!behind && up > j && s->length[up] == 0) {
            up = parent[up];
            behind = up == j;
        }
        if (!behind || s->length[c] == 0 || s->moves[c] || count == MOST_AIMS) continue;
        list[count++] = (candidate){ c, direct && parent[c] == j, false };
    }
    return count;
}

/* The largest set that one member keeps its distances to, and that all keep among each other. */
static void find_core(const mry_solve *s, candidate *list, int count)
{
    bool keeps[2][MOST_AIMS][MOST_AIMS] = { 0 }, any[2] = { 0 };
    int best = -1, most = 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            double length, off = mry_solve_spread(points_of(s, list[a].joint),
                                                  points_of(s, list[b].joint), s->frames, &length);
            double noise = (s->noise[list[a].joint] + s->noise[list[b].joint]) / 2;
            for (int i = 0; i < 2; i++) {
                bool kept = off <= KEEPS[i][0] + KEEPS[i][1] * length + KEEPS[i][2] * noise;
                keeps[i][a][b] = keeps[i][b][a] = kept;
                any[i] |= kept;
            }
        }
    }
    int loose = !any[0];
    for (int a = 0; a < count; a++) {
        int with = list[a].direct;
        for (int b = 0; b < count; b++) with += 2 * keeps[loose][a][b];
        if (with > most) {
            most = with;
            best = a;
        }
    }
    if (most < 2) { /* none with another: the longest that hangs here itself, if any */
        best = -1;
        for (int a = 0; a < count; a++)
            if (list[a].direct &&
                (best < 0 || s->length[list[a].joint] > s->length[list[best].joint]))
                best = a;
    }
    if (best < 0) return;
    list[best].core = true;
    for (int a = 0; a < count; a++) {
        bool with_all = a != best;
        for (int b = 0; b < count; b++)
            with_all = with_all && (!list[b].core || keeps[loose][a][b]);
        if (with_all) list[a].core = true;
    }
}

/* What j turns towards. Where several of its children are at one place, as those of a chest may be,
   what hangs on them also tells something. */
static int find_candidates(const mry_solve *s, int j, candidate *list)
{
    int own = collect(s, j, true, list, 0), count = own, behind = 0;
    find_core(s, list, own);
    for (int a = 0; a < own; a++) {
        bool shared = false;
        for (int b = 0; b < own && list[a].direct; b++) {
            double apart, limit = SAME_CM + 2.5 * s->noise[list[a].joint];
            mry_solve_spread(points_of(s, list[a].joint), points_of(s, list[b].joint), s->frames,
                             &apart);
            shared |= a != b && list[b].direct && apart < limit;
        }
        int before = count;
        if (shared) count = collect(s, list[a].joint, false, list, count);
        behind += count > before;
    }
    return behind > 1 ? count : own; /* one alone may be in line with its joint */
}

/* ---- the joints of the clip ------------------------------------------------------------------- */

static bool add_aim(mry_solve *s, int *room, int target, bool strong)
{
    if (!mry_grow_in(s->mem, &s->aims, room, s->aim_count + 1, sizeof *s->aims)) return false;
    s->aims[s->aim_count++] = (mry_solve_aim){ .target = target, .strong = strong };
    return true;
}

static bool list_joints(mry_solve *s, int *number)
{
    int n = s->tree.count, room = 0;
    bool *own = MRY_NEW(s->mem, bool, n); /* hangs on a joint of its own at its parent's place */
    candidate list[MOST_AIMS];
    if (!own) return false;
    int count = n;
    for (int j = 0; j < n; j++) {
        int found = find_candidates(s, j, list);
        for (int i = 0; i < found; i++) {
            if (!list[i].direct || list[i].core) continue;
            own[list[i].joint] = true;
            count++;
        }
    }
    s->joints = MRY_NEW(s->mem, mry_solve_joint, count);
    if (!s->joints || !mry_grow_in(s->mem, &s->aims, &room, count, sizeof *s->aims)) return false;
    for (int j = 0; j < n; j++) {
        int parent = j ? number[s->tree.parent[j]] : -1;
        if (own[j]) {
            char *name = mry_arena_print(s->mem, "%.240s_base", s->tree.name[j]);
            if (!name) return false;
            s->joints[s->count++] = (mry_solve_joint){
                .name = name, .parent = parent, .point = s->tree.parent[j], .twin = true
            };
            parent = s->count - 1;
        }
        number[j] = s->count;
        s->joints[s->count++] = (mry_solve_joint){ .name = s->tree.name[j],
                                                   .parent = parent,
                                                   .point = j,
                                                   .moves = s->moves[j],
                                                   .length = s->length[j] };
    }
    for (int i = 0; i < s->count; i++) {
        mry_solve_joint *joint = &s->joints[i];
        joint->first_aim = s->aim_count;
        if (joint->twin) {
            if (!add_aim(s, &room, i + 1, true)) return false;
        } else {
            int found = find_candidates(s, joint->point, list);
            for (int k = 0; k < found; k++)
                if (!add_aim(s, &room, number[list[k].joint], list[k].core)) return false;
        }
        joint->aim_count = s->aim_count - joint->first_aim;
    }
    return true;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static mry_vec seen_from(const mry_solve *s, const mry_solve_joint *joint, int aim, int frame)
{
    int target = s->joints[s->aims[joint->first_aim + aim].target].point;
    return mry_vec_sub(points_of(s, target)[frame], points_of(s, joint->point)[frame]);
}

/* Aims' rest vectors as they are in frame `pose`, but with the mean shape and the bones' lengths. */
static void find_shape(mry_solve *s, mry_solve_joint *joint, int pose)
{
    int count = joint->aim_count, looks = s->frames < LOOKS ? s->frames : LOOKS;
    mry_vec shape[MOST_AIMS], now[MOST_AIMS], sum[MOST_AIMS];
    double weight[MOST_AIMS], frames = 0, widest = 0, held = 0;
    mry_solve_aim *aims = s->aims + joint->first_aim;
    for (int i = 0; i < count; i++) {
        shape[i] = seen_from(s, joint, i, pose);
        joint->holds |= aims[i].strong;
        for (int k = 0; k < i && aims[i].strong; k++) {
            mry_vec across = mry_vec_cross(mry_vec_unit(shape[i]), mry_vec_unit(shape[k]));
            if (aims[k].strong) held = fmax(held, mry_vec_length(across));
        }
    }
    bool clean = s->noise[joint->point] < CLEAN_CM;
    double weak = held > FLAT && clean ? 0 : WEAK[clean];
    for (int i = 0; i < count; i++)
        weight[i] = aims[i].weight = aims[i].strong || !joint->holds ? 1 : weak;
    for (int round = 0; round < ROUNDS && count > 1; round++) {
        memset(sum, 0, sizeof sum);
        frames = 0;
        for (int k = 0; k < looks; k++) {
            int f = (int)((int64_t)k * s->frames / looks);
            bool seen = s->seen[(size_t)joint->point * (size_t)s->frames + f] != MRY_LONG_GAP;
            for (int i = 0; i < count; i++) {
                int target = s->joints[s->aims[joint->first_aim + i].target].point;
                seen = seen && s->seen[(size_t)target * (size_t)s->frames + f] != MRY_LONG_GAP;
                now[i] = seen_from(s, joint, i, f);
            }
            if (!seen) continue;
            mry_rot back = mry_rot_back(mry_solve_fit(shape, now, weight, count));
            for (int i = 0; i < count; i++)
                sum[i] = mry_vec_add(sum[i], mry_rot_apply(back, now[i]));
            frames++;
        }
        for (int i = 0; i < count && frames > 0; i++) shape[i] = mry_vec_scale(sum[i], 1 / frames);
    }
    for (int i = 0; i < count; i++) {
        mry_solve_aim *aim = &aims[i];
        double length = mry_vec_length(shape[i]);
        if (aim->strong && length > 0)
            shape[i] = mry_vec_scale(shape[i], s->joints[aim->target].length / length);
        aim->rest = shape[i];
        for (int k = 0; k < i; k++) {
            mry_vec across = mry_vec_cross(mry_vec_unit(shape[i]), mry_vec_unit(shape[k]));
            widest = fmax(widest, mry_vec_length(across));
        }
    }
    joint->frame = widest > FLAT;
}

/* ---- the rest pose --------------------------------------------------------------------------- */

static bool hangs_on(const mry_solve *s, int joint, int top)
{
    while (joint > top) joint = s->joints[joint].parent;
    return joint == top && top >= 0;
}

/* How steeply a foot leads down to its toe, in the median: most of the time it stands. */
static mry_vec toe_direction(const mry_solve *s, int ankle, int toe)
{
    double rise[LOOKS];
    int looks = s->frames < LOOKS ? s->frames : LOOKS, count = 0;
    for (int k = 0; k < looks; k++) {
        int f = (int)((int64_t)k * s->frames / looks);
        mry_vec way = mry_vec_unit(mry_vec_sub(points_of(s, s->joints[toe].point)[f],
                                               points_of(s, s->joints[ankle].point)[f]));
        rise[count++] = way.y;
    }
    double y = fmax(-0.9, fmin(0.2, mry_nth(rise, (size_t)count, (size_t)count / 2)));
    return (mry_vec){ 0, y, sqrt(1 - y * y) };
}

/* Where the bone to each joint points in a T-pose; zero: nothing is known. */
static void find_directions(const mry_solve *s, const int *role, mry_vec *way)
{
    int hips = role[MAREY_ROLE_HIPS], head = role[MAREY_ROLE_HEAD];
    if (head < 0) head = role[MAREY_ROLE_NECK];
    for (int j = head; hips >= 0 && hangs_on(s, j, hips) && j > hips; j = s->joints[j].parent)
        way[j] = (mry_vec){ 0, 1, 0 };
    for (int side = 0; side < 2; side++) {
        const int *limb = role + (side ? MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR : 0);
        mry_vec out = { side ? -1 : 1, 0, 0 };
        int collar = limb[MAREY_ROLE_LEFT_COLLAR], shoulder = limb[MAREY_ROLE_LEFT_SHOULDER];
        int hip = limb[MAREY_ROLE_LEFT_HIP], ankle = limb[MAREY_ROLE_LEFT_ANKLE];
        int toe = limb[MAREY_ROLE_LEFT_TOE];
        for (int j = 0; j < s->count; j++) {
            if (hangs_on(s, j, collar) || hangs_on(s, j, shoulder)) way[j] = out;
            if (j == hip) way[j] = out;
            if (hangs_on(s, j, hip) && j != hip && (!hangs_on(s, j, ankle) || j == ankle))
                way[j] = (mry_vec){ 0, -1, 0 };
        }
        if (hangs_on(s, toe, ankle) && toe != ankle) way[toe] = toe_direction(s, ankle, toe);
        /* Of what hangs on a hand the shortest is the thumb, in front of it. */
        int wrist = limb[MAREY_ROLE_LEFT_WRIST];
        for (int j = 0; wrist >= 0 && j < s->count; j++) {
            const mry_solve_joint *joint = &s->joints[j];
            int least = -1;
            for (int i = 0; hangs_on(s, j, wrist) && joint->aim_count > 1 && i < joint->aim_count;
                 i++) {
                int target = s->aims[joint->first_aim + i].target;
                if (least < 0 || s->joints[target].length < s->joints[least].length) least = target;
            }
            if (least >= 0) way[least] = (mry_vec){ 0.6 * out.x, 0, 0.8 };
        }
    }
}

static void rest(mry_solve *s, const int *role, const mry_vec *way, mry_rot *pose)
{
    for (int j = 0; j < s->count; j++) {
        mry_solve_joint *joint = &s->joints[j];
        mry_solve_aim *aims = s->aims + joint->first_aim;
        mry_rot above = j ? pose[joint->parent] : (mry_rot){ 1, 0, 0, 0 };
        mry_vec from[2 * MOST_AIMS + 3], to[2 * MOST_AIMS + 3];
        double weight[2 * MOST_AIMS + 3], size = 1e-9;
        int count = 0;
        for (int i = 0; i < joint->aim_count; i++) size = fmax(size, mry_vec_length(aims[i].rest));
        for (int i = 0; i < joint->aim_count; i++) {
            mry_vec wanted = way[aims[i].target];
            double length = mry_vec_length(aims[i].rest);
            from[count] = from[count + 1] = aims[i].rest;
            to[count] = mry_vec_scale(wanted, length);
            weight[count++] = mry_vec_length(wanted) > 0 ? 1 : 0;
            to[count] = mry_rot_apply(above, aims[i].rest);
            weight[count++] = 0.02;
        }
        for (int i = 0; i < 3; i++) {
            from[count] = (mry_vec){ size * (i == 0), size * (i == 1), size * (i == 2) };
            to[count] = mry_rot_apply(above, from[count]);
            weight[count++] = 0.002;
        }
        pose[j] = mry_solve_fit(from, to, weight, count);
        for (int i = 0; i < joint->aim_count; i++) {
            mry_vec wanted = way[aims[i].target];
            bool alone = joint->aim_count == 1 && mry_vec_length(wanted) > 0;
            double length = mry_vec_length(aims[i].rest);
            aims[i].rest =
                alone ? mry_vec_scale(wanted, length) : mry_rot_apply(pose[j], aims[i].rest);
            /* What a joint at the same place holds already stays there. */
            const mry_solve_joint *up = j && joint->length == 0 ? &s->joints[joint->parent] : NULL;
            for (int k = 0; up && joint->aim_count == 1 && k < up->aim_count; k++) {
                const mry_solve_aim *held = &s->aims[up->first_aim + k];
                if (held->target != aims[i].target || !held->strong) continue;
                aims[i].rest = held->rest;
                pose[j] = above;
                joint->held = true;
            }
            mry_solve_joint *target = &s->joints[aims[i].target];
            if (target->parent == j) target->offset = aims[i].rest;
        }
    }
    /* Knees bend back about x, elbows forward about the vertical. */
    for (int side = 0; side < 2; side++) {
        const int *limb = role + (side ? MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR : 0);
        static const marey_role chain[2][3] = {
            { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_LEFT_ANKLE },
            { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_LEFT_WRIST }
        };
        for (int arm = 0; arm < 2; arm++) {
            int upper = limb[chain[arm][0]], middle = limb[chain[arm][1]];
            int lower = limb[chain[arm][2]];
            if (upper < 0 || middle < 0 || lower < 0) continue;
            mry_solve_joint *joint = &s->joints[upper];
            if (joint->frame || joint->aim_count != 1 ||
                s->aims[joint->first_aim].target != middle || !hangs_on(s, lower, middle) ||
                s->joints[lower].length == 0)
                continue;
            joint->hinge = arm ? (mry_vec){ 0, side ? 1 : -1, 0 } : (mry_vec){ 1, 0, 0 };
            joint->lower = lower;
        }
    }
}

/* Joints with one aim in a row, between two that tell all. */
static void find_chains(mry_solve *s)
{
    for (int j = 0; j < s->count; j++) s->joints[j].top = s->joints[j].bottom = -1;
    for (int j = 1; j < s->count; j++) {
        int bottom = j, links = 0;
        if (!s->joints[j].frame) continue;
        for (int up = s->joints[j].parent;
             up > 0 && !s->joints[up].frame && s->joints[up].aim_count == 1 &&
             !s->joints[up].moves && mry_vec_length(s->joints[up].hinge) == 0;
             up = s->joints[up].parent) {
            /* Its aim is on the way down. */
            if (!hangs_on(s, bottom, s->aims[s->joints[up].first_aim].target)) break;
            bottom = up;
            links++;
        }
        int top = s->joints[bottom].parent;
        if (links == 0 || !s->joints[top].frame) continue;
        for (int up = s->joints[j].parent, k = links; k > 0; up = s->joints[up].parent, k--) {
            s->joints[up].top = top;
            s->joints[up].bottom = j;
            s->joints[up].share = k / (links + 1.0);
        }
    }
}

bool mry_solve_bones_find(mry_solve *s)
{
    mry_arena tmp = mry_arena_make(s->ctx);
    int *number = MRY_NEW(&tmp, int, s->tree.count);
    bool fits = number && list_joints(s, number);
    mry_vec *way = fits ? MRY_NEW(&tmp, mry_vec, s->count) : NULL;
    mry_rot *pose = fits ? MRY_NEW(&tmp, mry_rot, s->count) : NULL;
    if (!way || !pose) {
        mry_arena_free(&tmp);
        return false;
    }
    /* The pose that nothing else is known of: of the frame that saw most joints, the first. */
    int best = 0, most = -1;
    for (int f = 0; f < s->frames && most < s->tree.count; f++) {
        int seen = 0;
        for (int j = 0; j < s->tree.count; j++)
            seen += s->seen[(size_t)j * (size_t)s->frames + f] == MRY_SEEN;
        if (seen > most) {
            most = seen;
            best = f;
        }
    }
    for (int j = 0; j < s->count; j++) {
        find_shape(s, &s->joints[j], best);
        if (s->joints[j].moves)
            s->joints[j].offset = mry_vec_sub(points_of(s, s->joints[j].point)[best],
                                              points_of(s, s->joints[0].point)[best]);
    }
    for (int i = 0; i < MAREY_ROLE_COUNT; i++)
        if (s->roles[i] >= 0) s->roles[i] = number[s->roles[i]];
    find_directions(s, s->roles, way);
    rest(s, s->roles, way, pose);
    find_chains(s);
    for (int j = s->roles[MAREY_ROLE_HEAD]; j > 0 && !s->joints[j].frame; j = s->joints[j].parent)
        s->joints[j].neck = s->joints[j].top < 0;
    mry_arena_free(&tmp);
    return true;
}
