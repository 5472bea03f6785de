/* solve_turns.c - places that keep the lengths of bones, then the rotations that lead there.

   Places: points and bones disagree a little, and aiming bone after bone would carry what they
   disagree about out to hands and feet. Instead bones are turned towards the points and all joints
   then put where they are nearest to their points and bones at once, alternately (projective
   dynamics, Bouaziz et al. 2014): over a tree, that is one pass from the leaves to the root and one
   back. Points that fit their bones already are left as they are.

   Rotations, from the root on: a joint with several aims gets the rotation that fits them best. One
   with a single aim turns the shortest way; how far it is twisted about its bone no point says, and
   three things are weighed: to turn with the joint above it, except where that is nearly opposite
   to the aim, and then says nothing; to bend knees and elbows about their own axes, the more the
   further they are bent; and not to turn further from frame to frame than the bone does. A twist is
   a unit complex number beside a frame that is carried along the bone's own way (parallel
   transport), so the best ones of all frames are the solution of one matrix of three diagonals. */
#include "retarget/solve.h"

#include <stdatomic.h>
#include <string.h>

enum { BLOCK = 256, PASSES = 4, MOST_AIMS = 64 };

static const double STIFF = 30;     /* of bones beside points */
static const double FITS_CM = 2e-3; /* bones that are as long as they should be within this */
static const double UNSEEN = 0.01;  /* of a point in a gap beside one that was seen */
/* What turning with the parent counts for a knee or elbow that is bent deeply, which counts 1; from
   where on bends are slight (8 degrees) and deep (35), as sines. */
static const double WITH_PARENT_HINGED = 0.002, WITH_FIRST = 0.04, SLIGHT = 0.14, DEEP = 0.57;
/* How long a twist is carried along, s; not over leaps, at which bones turn faster than this. */
static const double CARRY_S = 0.03, CARRY_NECK_S = 0.115, LEAP_RAD_PER_S = 35;

typedef struct turning {
    mry_solve *s;
    atomic_bool refused;
    bool *leaps; /* of each frame: the body is elsewhere at once */
    int depth;
    int *level; /* of each joint */
} turning;

static mry_vec *points_of(const mry_solve *s, int joint)
{
    return s->at + (size_t)s->joints[joint].point * (size_t)s->frames;
}

static uint8_t seen_in(const mry_solve *s, int joint, int frame)
{
    return s->seen[(size_t)s->joints[joint].point * (size_t)s->frames + frame];
}

/* Of the aims of a joint that tells its rotation. */
static mry_rot fit_aims(const mry_solve *s, const mry_solve_joint *joint, const mry_vec *now,
                        const double *weight)
{
    mry_vec rest[MOST_AIMS];
    for (int i = 0; i < joint->aim_count; i++) rest[i] = s->aims[joint->first_aim + i].rest;
    return mry_solve_fit(rest, now, weight, joint->aim_count);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* One frame: its points, where joints are put, their bones as they are to be, and room. */
typedef struct posed {
    mry_vec *p, *q, *d, *sum;
    double *w;
} posed;

/* Puts joints where they are nearest to their points and bones at once. */
static void settle(const mry_solve *s, int f, const posed *at)
{
    double *w = at->w;
    mry_vec *sum = at->sum, *q = at->q;
    for (int j = 0; j < s->count; j++) {
        double own = s->joints[j].twin ? 0 : seen_in(s, j, f) == MRY_SEEN ? 1 : UNSEEN;
        w[j] = own + 1e-9;
        sum[j] = mry_vec_scale(at->p[j], w[j]);
    }
    for (int j = s->count - 1; j > 0; j--) {
        if (s->joints[j].moves) continue;
        /* j is best at (sum + STIFF (parent + d)) / (w + STIFF); what is left pulls the parent. */
        double pull = w[j] * STIFF / (w[j] + STIFF);
        mry_vec to = mry_vec_sub(mry_vec_scale(sum[j], 1 / w[j]), at->d[j]);
        int parent = s->joints[j].parent;
        w[parent] += pull;
        sum[parent] = mry_vec_add(sum[parent], mry_vec_scale(to, pull));
    }
    for (int j = 0; j < s->count; j++) {
        if (j == 0 || s->joints[j].moves) {
            q[j] = mry_vec_scale(sum[j], 1 / w[j]);
            continue;
        }
        mry_vec held = mry_vec_add(q[s->joints[j].parent], at->d[j]);
        q[j] = mry_vec_scale(mry_vec_add(sum[j], mry_vec_scale(held, STIFF)), 1 / (w[j] + STIFF));
    }
}

/* As long as its bone is; of no length, as at rest. */
static mry_vec as_long(const mry_solve_joint *joint, mry_vec bone)
{
    double length = mry_vec_length(bone);
    return length > 1e-9 ? mry_vec_scale(bone, joint->length / length)
                         : mry_vec_scale(mry_vec_unit(joint->offset), joint->length);
}

static void place_frame(const mry_solve *s, int f, const posed *at)
{
    mry_vec *q = at->q, *d = at->d;
    for (int j = 0; j < s->count; j++) at->p[j] = q[j] = points_of(s, j)[f];
    /* Of noisy points bones say more about directions than points do. */
    for (int j = 1; j < s->count && s->bone; j++) {
        const mry_solve_joint *joint = &s->joints[j];
        d[j] = as_long(joint, s->bone[(size_t)joint->point * (size_t)s->frames + f]);
    }
    if (s->bone) settle(s, f, at);
    for (int pass = 0; pass < PASSES; pass++) {
        double worst = 0;
        for (int j = 0; j < s->count; j++) {
            const mry_solve_joint *joint = &s->joints[j];
            const mry_solve_aim *aims = s->aims + joint->first_aim;
            if (joint->frame && joint->holds) {
                mry_vec now[MOST_AIMS];
                double weight[MOST_AIMS];
                for (int i = 0; i < joint->aim_count; i++) {
                    now[i] = mry_vec_sub(q[aims[i].target], q[j]);
                    weight[i] = aims[i].weight;
                }
                mry_rot turn = fit_aims(s, joint, now, weight);
                for (int i = 0; i < joint->aim_count; i++)
                    if (aims[i].strong && s->joints[aims[i].target].parent == j)
                        d[aims[i].target] = mry_rot_apply(turn, aims[i].rest);
            }
            if (j == 0 || joint->moves) continue;
            const mry_solve_joint *parent = &s->joints[joint->parent];
            mry_vec bone = mry_vec_sub(q[j], q[joint->parent]);
            /* A bone that its parent does not hold in place points where it does. */
            if (!parent->frame || !parent->holds || joint->length == 0) d[j] = as_long(joint, bone);
            mry_vec off = mry_vec_sub(bone, d[j]);
            worst = fmax(worst, mry_vec_dot(off, off));
        }
        if (worst < FITS_CM * FITS_CM) break;
        settle(s, f, at);
    }
}

static void place_block(void *user, int64_t block)
{
    turning *t = user;
    mry_solve *s = t->s;
    size_t n = (size_t)s->count;
    mry_arena tmp = mry_arena_make(s->ctx);
    mry_vec *room = MRY_NEW(&tmp, mry_vec, 4 * n);
    posed at = { room, room ? room + n : NULL, room ? room + 2 * n : NULL,
                 room ? room + 3 * n : NULL, MRY_NEW(&tmp, double, n) };
    int first = (int)block * BLOCK, end = first + BLOCK < s->frames ? first + BLOCK : s->frames;
    for (int f = first; room && at.w && f < end; f++) {
        place_frame(s, f, &at);
        for (size_t j = 0; j < n; j++) s->place[j * (size_t)s->frames + f] = at.q[j];
    }
    if (!room || !at.w) atomic_store(&t->refused, true);
    mry_arena_free(&tmp);
}

/* ---- twists ---------------------------------------------------------------------------------- */

/* A twist about a unit axis, of which the cosine and sine are known. */
static mry_rot twist_about(mry_vec axis, double c, double s)
{
    double w = sqrt(fmax(0, (1 + c) / 2)), v = sqrt(fmax(0, (1 - c) / 2));
    if (s < 0) v = -v;
    return (mry_rot){ w, axis.x * v, axis.y * v, axis.z * v };
}

typedef struct twist {
    double weight; /* of all that is wished */
    double c, s;   /* the sum of the wishes */
    double tie;    /* to the frame before */
    double pivot;  /* of the elimination */
} twist;

/* Adds the twist of a rotation that carries `rest` as it is turned itself, as far as it goes: seen
   from a frame that carries `rest` to `way`. What is nearly opposite to the way says nothing. */
static void wish(twist *t, double weight, mry_rot base, mry_rot other, mry_vec rest, mry_vec way)
{
    mry_vec rested = mry_rot_apply(other, rest);
    mry_rot with = mry_rot_times(mry_solve_swing(rested, way), other);
    mry_rot seen = mry_rot_times(mry_rot_back(base), with);
    double v = seen.x * rest.x + seen.y * rest.y + seen.z * rest.z;
    double same = (1 + mry_vec_dot(rested, way)) / 2, size = seen.w * seen.w + v * v + 1e-30;
    weight *= same * same;
    t->weight += weight;
    t->c += weight * (seen.w * seen.w - v * v) / size;
    t->s += weight * 2 * seen.w * v / size;
}

/* The twists that follow wishes and ties best: a matrix of three diagonals. */
static void settle_twists(twist *twists, int frames)
{
    for (int f = 0; f < frames; f++) {
        twist *t = &twists[f];
        t->pivot = t->weight + 1e-9 + t->tie + (f + 1 < frames ? t[1].tie : 0);
        if (f == 0) continue;
        double share = t->tie / t[-1].pivot;
        t->pivot -= t->tie * share;
        t->c += share * t[-1].c;
        t->s += share * t[-1].s;
    }
    for (int f = frames - 1; f >= 0; f--) {
        twist *t = &twists[f];
        if (f + 1 < frames) {
            t->c += t[1].tie * t[1].c;
            t->s += t[1].tie * t[1].s;
        }
        t->c /= t->pivot;
        t->s /= t->pivot;
    }
    for (int f = 0; f < frames; f++) {
        double size = sqrt(twists[f].c * twists[f].c + twists[f].s * twists[f].s);
        bool none = size < 1e-12;
        twists[f].c = none ? 1 : twists[f].c / size;
        twists[f].s = none ? 0 : twists[f].s / size;
    }
}

/* Carried from one direction to the next the shortest way, after `by`. */
static mry_rot carry_on(mry_rot turn, mry_rot by, mry_vec from, mry_vec to)
{
    mry_rot q =
        mry_rot_times(mry_solve_swing(mry_rot_apply(by, from), to), mry_rot_times(by, turn));
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (mry_rot){ q.w / length, q.x / length, q.y / length, q.z / length };
}

/* The rotations of a joint that has one direction in all frames. `way` has it, unit; `twists` is
   room for every frame, three times. */
static void turn_along(mry_solve *s, int j, mry_vec rest, const mry_vec *way, const bool *leaps,
                       twist *twists)
{
    const mry_solve_joint *joint = &s->joints[j];
    size_t n = (size_t)s->frames;
    static const mry_rot none = { 1, 0, 0, 0 };
    mry_rot *turn = s->turn + (size_t)j * n, with = mry_solve_swing(rest, way[0]);
    const mry_rot *above = j ? s->turn + (size_t)joint->parent * n : NULL;
    const mry_rot *top = joint->top >= 0 ? s->turn + (size_t)joint->top * n : above;
    const mry_rot *bottom = joint->top >= 0 ? s->turn + (size_t)joint->bottom * n : NULL;
    bool hinged = mry_vec_length(joint->hinge) > 0;
    twist *first = twists + n, *along = twists + 2 * n;
    double carry = (joint->held ? 0 : joint->neck ? CARRY_NECK_S : CARRY_S) * s->fps;
    turn[0] = with;
    for (int f = 0; f < s->frames; f++) {
        mry_rot by = f && above ? mry_rot_times(above[f], mry_rot_back(above[f - 1])) : none;
        if (f) turn[f] = carry_on(turn[f - 1], none, way[f - 1], way[f]);
        if (f) with = carry_on(with, by, way[f - 1], way[f]);
        twists[f] = (twist){ .tie = leaps[f] ? 0 : carry * carry };
        along[f] = (twist){ 0 };
        wish(&along[f], 1, turn[f], with, rest, way[f]);
        wish(&twists[f], (hinged ? WITH_PARENT_HINGED : 1) * (bottom ? 1 - joint->share : 1),
             turn[f], top ? top[f] : none, rest, way[f]);
        if (bottom) wish(&twists[f], joint->share, turn[f], bottom[f], rest, way[f]);
    }
    /* Hinges, first seen from a frame that is carried with the joint above: deep bends tell the axis
       and its sign. Slight ones tell the axis, but not its sign, since joints can be bent back a
       little: that is taken from what deep ones tell. */
    for (int round = 0; round < 2 && hinged; round++) {
        const mry_vec *middle = s->place + (size_t)s->aims[joint->first_aim].target * n;
        const mry_vec *lower = s->place + (size_t)joint->lower * n;
        for (int f = 0; f < s->frames; f++) {
            if (!round) first[f] = twists[f];
            twist *t = round ? &twists[f] : &first[f], seen = first[f];
            if (round) {
                t->weight = WITH_FIRST;
                t->c = WITH_FIRST * seen.c;
                t->s = WITH_FIRST * seen.s;
            }
            mry_vec shin = mry_vec_unit(mry_vec_sub(lower[f], middle[f]));
            mry_vec bend = mry_vec_cross(way[f], shin), axis = mry_rot_apply(turn[f], joint->hinge);
            double size = mry_vec_length(bend), fold = mry_vec_dot(way[f], shin) < 0 ? 1 : size;
            if (size < 0.05) continue;
            double c = mry_vec_dot(axis, bend) / size;
            double v = mry_vec_dot(way[f], mry_vec_cross(axis, bend)) / size;
            double deep = fmax(0, fold - DEEP), slight = fmax(0, fold - SLIGHT);
            double weight = deep * deep, unsure = round ? slight * slight - weight : 0;
            double agrees = round && fold < 1 ? c * seen.c + v * seen.s : 1;
            t->weight += weight + unsure * fabs(agrees);
            t->c += (weight + unsure * agrees) * c;
            t->s += (weight + unsure * agrees) * v;
        }
        for (int f = 0; f < s->frames && !round; f++) {
            twist *t = &first[f], was = *t;
            t->c = was.c * along[f].c + was.s * along[f].s;
            t->s = was.s * along[f].c - was.c * along[f].s;
        }
        settle_twists(round ? twists : first, s->frames);
        for (int f = 0; f < s->frames && !round; f++) {
            twist *t = &first[f], was = *t;
            t->c = was.c * along[f].c - was.s * along[f].s;
            t->s = was.s * along[f].c + was.c * along[f].s;
        }
    }
    if (!hinged) settle_twists(twists, s->frames);
    for (int f = 0; f < s->frames; f++)
        turn[f] = mry_rot_times(twist_about(way[f], twists[f].c, twists[f].s), turn[f]);
}

/* ---- rotations ------------------------------------------------------------------------------- */

/* Frames that no aim tells of get the rotation below the joint above that leads from the frame
   before them to the one behind. */
static void carry_turns(mry_solve *s, int j, const bool *known)
{
    size_t n = (size_t)s->frames;
    mry_rot *turn = s->turn + (size_t)j * n;
    const mry_rot *above = j ? s->turn + (size_t)s->joints[j].parent * n : NULL;
    for (int start = 0, end; start < s->frames; start = end + 1) {
        for (end = start; end < s->frames && !known[end];) end++;
        if (end == start || end - start == s->frames) continue;
        mry_rot a = { 0 }, b = { 0 };
        if (start > 0)
            a = above ? mry_rot_times(mry_rot_back(above[start - 1]), turn[start - 1])
                      : turn[start - 1];
        if (end < s->frames)
            b = above ? mry_rot_times(mry_rot_back(above[end]), turn[end]) : turn[end];
        if (start == 0) a = b;
        if (end == s->frames) b = a;
        for (int f = start; f < end; f++) {
            mry_rot own = mry_rot_mix(a, b, mry_ease((f - start + 1.0) / (end - start + 1)));
            turn[f] = above ? mry_rot_times(above[f], own) : own;
        }
    }
}

/* Joint j in all frames: its place by its parent's, then its rotation by its aims. */
static void turn_joint(mry_solve *s, int j, const bool *leaps, mry_vec *way, twist *twists,
                       bool *known)
{
    const mry_solve_joint *joint = &s->joints[j];
    const mry_solve_aim *aims = s->aims + joint->first_aim;
    size_t n = (size_t)s->frames;
    mry_rot *turn = s->turn + (size_t)j * n;
    mry_vec *place = s->place + (size_t)j * n;
    const mry_rot *above = j ? s->turn + (size_t)joint->parent * n : NULL;
    bool all_known = true;
    if (above && !joint->moves) {
        const mry_vec *up = s->place + (size_t)joint->parent * n;
        for (int f = 0; f < s->frames; f++)
            place[f] = mry_vec_add(up[f], mry_rot_apply(above[f], joint->offset));
    }
    if (joint->aim_count == 0) {
        for (int f = 0; f < s->frames; f++) turn[f] = above ? above[f] : (mry_rot){ 1, 0, 0, 0 };
        return;
    }
    mry_vec line = mry_vec_unit(aims[0].rest);
    for (int f = 0; f < s->frames; f++) {
        mry_vec now[MOST_AIMS], sum = { 0 };
        double weight[MOST_AIMS];
        int there = 0;
        for (int i = 0; i < joint->aim_count; i++) {
            now[i] = mry_vec_sub(s->place[(size_t)aims[i].target * n + f], place[f]);
            bool lost = seen_in(s, aims[i].target, f) == MRY_LONG_GAP;
            weight[i] = lost ? 0 : aims[i].weight;
            there += !lost;
            double side = mry_vec_dot(aims[i].rest, line) < 0 ? -weight[i] : weight[i];
            sum = mry_vec_add(sum, mry_vec_scale(now[i], side));
        }
        known[f] = there >= (joint->frame && joint->aim_count > 1 ? 2 : 1);
        if (joint->frame) {
            if (known[f]) turn[f] = fit_aims(s, joint, now, weight);
        } else {
            double length = mry_vec_length(sum);
            known[f] = known[f] && length > 1e-6;
            way[f] = known[f] ? mry_vec_scale(sum, 1 / length) : f > 0 ? way[f - 1] : line;
        }
        all_known = all_known && known[f];
    }
    if (!joint->frame) turn_along(s, j, line, way, leaps, twists);
    if (!all_known) carry_turns(s, j, known);
}

/* The rotations of joints that tell all, before those above them are known. */
static void turn_first(void *user, int64_t j)
{
    const turning *t = user;
    const mry_solve *s = t->s;
    const mry_solve_joint *joint = &s->joints[j];
    size_t n = (size_t)s->frames;
    for (int f = 0; joint->frame && f < s->frames; f++) {
        mry_vec now[MOST_AIMS];
        double weight[MOST_AIMS];
        for (int i = 0; i < joint->aim_count; i++) {
            const mry_solve_aim *aim = &s->aims[joint->first_aim + i];
            now[i] =
                mry_vec_sub(s->place[(size_t)aim->target * n + f], s->place[(size_t)j * n + f]);
            weight[i] = aim->weight;
        }
        s->turn[(size_t)j * n + f] = fit_aims(s, joint, now, weight);
    }
}

static void turn_level(void *user, int64_t j)
{
    turning *t = user;
    mry_solve *s = t->s;
    if (t->level[j] != t->depth || atomic_load(&t->refused)) return;
    mry_arena tmp = mry_arena_make(s->ctx);
    mry_vec *way = MRY_NEW_RAW(&tmp, mry_vec, s->frames);
    twist *twists = MRY_NEW_RAW(&tmp, twist, 3 * (size_t)s->frames);
    bool *known = MRY_NEW_RAW(&tmp, bool, s->frames);
    if (way && twists && known)
        turn_joint(s, (int)j, t->leaps, way, twists, known);
    else
        atomic_store(&t->refused, true);
    mry_arena_free(&tmp);
}

/* Frames at which a third of all bones turn faster than a body does: a pose that was put in, or what
   follows a loss of tracking. The first frame is one. */
static void find_leaps(const mry_solve *s, bool *leaps)
{
    size_t n = (size_t)s->frames;
    double least = cos(fmin(LEAP_RAD_PER_S / s->fps, 1.5));
    for (int f = 0; f < s->frames; f++) {
        int bones = 0, turned = 0;
        for (int j = 1; j < s->count && f > 0; j++) {
            const mry_vec *at = s->place + (size_t)j * n + f;
            const mry_vec *up = s->place + (size_t)s->joints[j].parent * n + f;
            mry_vec a = mry_vec_sub(at[0], up[0]), b = mry_vec_sub(at[-1], up[-1]);
            double square = s->joints[j].length * s->joints[j].length;
            bones += square > 0;
            turned += square > 0 && mry_vec_dot(a, b) < least * square;
        }
        leaps[f] = f == 0 || 3 * turned > bones;
    }
}

bool mry_solve_turns_find(mry_solve *s)
{
    size_t all = (size_t)s->count * (size_t)s->frames;
    turning t = { .s = s,
                  .level = MRY_NEW(s->mem, int, s->count),
                  .leaps = MRY_NEW(s->mem, bool, s->frames) };
    s->turn = MRY_NEW_RAW(s->mem, mry_rot, all);
    s->place = MRY_NEW_RAW(s->mem, mry_vec, all);
    if (!t.level || !t.leaps || !s->turn || !s->place) return false;
    int deepest = 0;
    for (int j = 1; j < s->count; j++) {
        t.level[j] = t.level[s->joints[j].parent] + 1;
        if (t.level[j] > deepest) deepest = t.level[j];
    }
    marey_ctx_run(s->ctx, (s->frames + BLOCK - 1) / BLOCK, place_block, &t);
    if (!atomic_load(&t.refused)) find_leaps(s, t.leaps);
    marey_ctx_run(s->ctx, s->count, turn_first, &t);
    /* Joints of one depth do not need each other. */
    for (; t.depth <= deepest && !atomic_load(&t.refused); t.depth++)
        marey_ctx_run(s->ctx, s->count, turn_level, &t);
    return !atomic_load(&t.refused);
}
