/* body_frames.c - axes of the parts of a body, and what lies between them and those of its joints.

   Axes follow directions of bones that retargeting keeps (spine, chest, limbs) or that are rigid, so
   that they are the same in a body and in the one that follows it, frame by frame: motion that goes
   there and back again is the same. Neck, head and collars have no direction that bodies agree on; how
   they are turned on the chest on average is taken to be the same. So is the foot that stands. */
#include "retarget/body_frames.h"

#include "math/quat.h"
#include "motion/quantile.h"

#include <string.h>

/* The trunk says about which a limb bends that hardly does, with this weight. */
static const double STRAIGHT = 0.05;
/* A trunk that is bent on its legs by this angle tells a third of what one does that is not; the
   least that a frame counts. */
static const double BENT = 0.35, LEAST_WEIGHT = 1e-4;
static const double LEAST_BONE_CM = 0.5;
/* The floor is where the lowest plants are, these and what is so many lengths of the leg higher: stairs
   lead up. */
static const double LOW_PLANTS = 0.1, STEP = 0.05;
/* A foot stands whose hip is so many lengths of the leg higher; others lie or kneel. */
static const double STANDING = 0.4, FAR_CM = 1e6;
/* Toes that are so much lower than ankles when they stand, as a sine, are below them rather than before
   them. */
static const double STEEP = 0.8;
enum { MOST_SAMPLES = 2000 }; /* frames that are looked at */

const marey_role mry_limb_roles[MRY_LIMBS] = { MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER,
                                               MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP };

mry_common mry_find_common(const marey_clip *a, const marey_clip *b)
{
    mry_common common = { 0 };
    const marey_clip *both[2] = { a, b };
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        common.role[r] = a->skeleton.roles[r] >= 0 && b->skeleton.roles[r] >= 0;
    for (int r = 0; r + 1 < MAREY_ROLE_COUNT; r++) {
        common.bone[r] = common.role[r] && common.role[r + 1];
        for (int i = 0; i < 2 && common.bone[r]; i++) {
            const int *joint = both[i]->skeleton.roles + r;
            double length = 0;
            for (int j = joint[1]; j > joint[0]; j = both[i]->joints[j].parent) {
                const double *p = both[i]->joints[j].offset_cm;
                length += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            }
            common.bone[r] = length > LEAST_BONE_CM;
        }
    }
    return common;
}

void mry_forget_toes(mry_common *common)
{
    common->role[MAREY_ROLE_LEFT_TOE] = common->role[MAREY_ROLE_RIGHT_TOE] = false;
    common->bone[MAREY_ROLE_LEFT_ANKLE] = common->bone[MAREY_ROLE_RIGHT_ANKLE] = false;
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
    const mry_common *common;
    const double *places;
} looking;

static mry_vec place(const looking *l, int role)
{
    const double *p = l->places + 3 * l->clip->skeleton.roles[role];
    return (mry_vec){ p[0], p[1], p[2] };
}

static mry_vec way(const looking *l, int from, int to)
{
    return mry_vec_sub(place(l, to), place(l, from));
}

/* Axes of a limb's two bones and what hangs on it: `upper` and the two roles behind it. How clearly
   they show, in *weight. */
static void see_limb(const looking *l, int upper, mry_vec rest, mry_vec hinge_at_rest, mry_rot *out,
                     bool *has, double *weight)
{
    const bool *there = l->common->role + upper;
    if (!there[0] || !there[1] || !there[2]) return;
    mry_vec first = way(l, upper, upper + 1), second = way(l, upper + 1, upper + 2);
    double lengths = mry_vec_length(first) * mry_vec_length(second);
    if (lengths < 1e-9) return;
    mry_vec bend = mry_vec_scale(mry_vec_cross(first, second), 1 / lengths);
    mry_vec trunk = carried(rest, mry_vec_unit(first), hinge_at_rest);
    mry_vec hinge = mry_vec_add(bend, mry_vec_scale(trunk, STRAIGHT));
    out[upper] = axes(first, hinge);
    out[upper + 1] = axes(second, hinge);
    out[upper + 2] = out[upper + 1];
    for (int i = 0; i < 3; i++) {
        has[upper + i] = true;
        weight[upper + i] = STRAIGHT + mry_vec_length(bend);
    }
}

/* Where the trunk points up from the hips. */
static mry_vec see_up(const looking *l)
{
    static const int above[] = { MAREY_ROLE_CHEST, MAREY_ROLE_NECK, MAREY_ROLE_HEAD,
                                 MAREY_ROLE_SPINE };
    if (l->common->bone[MAREY_ROLE_SPINE]) return way(l, MAREY_ROLE_SPINE, MAREY_ROLE_CHEST);
    for (size_t i = 0; i < sizeof above / sizeof *above; i++)
        if (l->common->role[above[i]]) return way(l, MAREY_ROLE_HIPS, above[i]);
    return (mry_vec){ 0, 0, 0 };
}

/* The axes of all roles in one frame, and how much it counts for each. */
static void see_axes(const looking *l, mry_rot *out, bool *has, double *weight)
{
    const bool *there = l->common->role, *bone = l->common->bone;
    memset(has, 0, MAREY_ROLE_COUNT * sizeof *has);
    mry_vec up = see_up(l);
    if (!there[MAREY_ROLE_HIPS] || !there[MAREY_ROLE_LEFT_HIP] || !there[MAREY_ROLE_RIGHT_HIP] ||
        mry_vec_length(up) < 1e-6)
        return;
    mry_vec left = way(l, MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_LEFT_HIP), side = left, trunk = up;
    if (there[MAREY_ROLE_LEFT_SHOULDER] && there[MAREY_ROLE_RIGHT_SHOULDER])
        side = way(l, MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_LEFT_SHOULDER);
    if (bone[MAREY_ROLE_CHEST]) trunk = way(l, MAREY_ROLE_CHEST, MAREY_ROLE_NECK);
    if (mry_vec_length(trunk) < 1e-6) trunk = up;
    out[MAREY_ROLE_HIPS] = axes(left, up);
    out[MAREY_ROLE_SPINE] = axes(mry_vec_add(mry_vec_unit(left), mry_vec_unit(side)), up);
    out[MAREY_ROLE_CHEST] = axes(side, trunk);
    has[MAREY_ROLE_HIPS] = true;
    has[MAREY_ROLE_SPINE] = there[MAREY_ROLE_SPINE];
    has[MAREY_ROLE_CHEST] = there[MAREY_ROLE_CHEST];
    mry_vec x = mry_vec_unit(side), y = mry_rot_apply(out[MAREY_ROLE_CHEST], (mry_vec){ 0, 1, 0 });
    mry_vec down = mry_rot_apply(out[MAREY_ROLE_HIPS], (mry_vec){ 0, -1, 0 });
    mry_vec legs =
        mry_vec_sub(mry_vec_add(place(l, MAREY_ROLE_LEFT_HIP), place(l, MAREY_ROLE_RIGHT_HIP)),
                    mry_vec_add(place(l, MAREY_ROLE_LEFT_ANKLE), place(l, MAREY_ROLE_RIGHT_ANKLE)));
    double bent = acos(fmax(-1, fmin(1, mry_vec_dot(mry_vec_unit(legs), mry_vec_unit(up))))) / BENT;
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) weight[r] = LEAST_WEIGHT + exp(-bent * bent);
    for (int right = 0; right < 2; right++) {
        int by = right ? MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR : 0;
        double sign = right ? -1 : 1;
        /* An arm that is stretched sideways bends forwards. */
        see_limb(l, MAREY_ROLE_LEFT_SHOULDER + by, mry_vec_scale(x, sign), mry_vec_scale(y, -sign),
                 out, has, weight);
        see_limb(l, MAREY_ROLE_LEFT_HIP + by, down, mry_vec_unit(left), out, has, weight);
        int ankle = MAREY_ROLE_LEFT_ANKLE + by;
        if (!has[ankle] || !bone[ankle] || mry_vec_length(way(l, ankle, ankle + 1)) < 1e-6)
            continue;
        mry_vec hinge = mry_rot_apply(out[ankle - 1], (mry_vec){ 0, 1, 0 });
        out[ankle] = out[ankle + 1] = axes(way(l, ankle, ankle + 1), hinge);
        weight[ankle + 1] = weight[ankle];
        has[ankle + 1] = true;
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
mry_rot mry_mean_end(const double *sums)
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

void mry_mean_begin(double *sums)
{
    memset(sums, 0, MRY_MEAN_SUMS * sizeof *sums);
}

void mry_mean_add(double *sums, const float *turn)
{
    for (int i = 0; i < MRY_MEAN_SUMS; i++) sums[i] += (double)turn[i / 4] * (double)turn[i % 4];
}

/* ---- over the frames -------------------------------------------------------------------------- */

/* Sums over frames, of every role. */
typedef struct gathering {
    const marey_clip *clip;
    const mry_common *common;
    const uint8_t *planted[2]; /* frames: 1: the heel is, 2: the toe is */
    float *turns;
    double *places;
    double (*sums)[MRY_MEAN_SUMS];
    double *heights[2]; /* of planted ankles and toes */
    size_t high[2];
} gathering;

static void add(double *sums, mry_rot k, double weight)
{
    const double q[4] = { k.w, k.x, k.y, k.z };
    for (int i = 0; i < MRY_MEAN_SUMS; i++) sums[i] += weight * q[i / 4] * q[i % 4];
}

static mry_rot turn_of(const gathering *g, int role)
{
    const float *q = g->turns + 4 * g->clip->skeleton.roles[role];
    return (mry_rot){ (double)q[0], (double)q[1], (double)q[2], (double)q[3] };
}

/* Neck, head and collars go by the chest. */
static bool goes_by_chest(int role)
{
    return role == MAREY_ROLE_NECK || role == MAREY_ROLE_HEAD || role == MAREY_ROLE_LEFT_COLLAR ||
           role == MAREY_ROLE_RIGHT_COLLAR;
}

static int chest_of(const mry_common *common)
{
    return common->role[MAREY_ROLE_CHEST] ? MAREY_ROLE_CHEST : MAREY_ROLE_HIPS;
}

/* One pose, for the trunk and perhaps for the limbs. */
static void gather(gathering *g, bool limbs, mry_body_frames *out)
{
    looking l = { g->clip, g->common, g->places };
    mry_rot now[MAREY_ROLE_COUNT], back = mry_rot_back(turn_of(g, chest_of(g->common)));
    bool has[MAREY_ROLE_COUNT];
    double weight[MAREY_ROLE_COUNT];
    see_axes(&l, now, has, weight);
    if (!has[MAREY_ROLE_HIPS]) return;
    if (!limbs) out->chest_at_rest = mry_rot_back(now[MAREY_ROLE_CHEST]);
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        bool by_chest = goes_by_chest(r) && g->common->role[r];
        if ((!has[r] && !by_chest) || (!limbs && !by_chest && r > MAREY_ROLE_HEAD)) continue;
        out->has[r] = true;
        add(g->sums[r], mry_rot_times(by_chest ? back : mry_rot_back(now[r]), turn_of(g, r)),
            weight[r]);
    }
}

/* Heights of planted ankles and toes in a frame, below hips that are high; all: planted or not. */
static void gather_feet(gathering *g, int frame, double leg_cm, bool all)
{
    looking l = { g->clip, g->common, g->places };
    for (int right = 0; right < 2; right++) {
        int ankle = right ? MAREY_ROLE_RIGHT_ANKLE : MAREY_ROLE_LEFT_ANKLE;
        if (!all && way(&l, ankle, ankle - 2).y < STANDING * leg_cm) continue;
        for (int toe = 0; toe < 2; toe++) {
            if (toe && !g->common->bone[ankle]) continue;
            if (all || g->planted[right][frame] & (1 << toe))
                g->heights[toe][g->high[toe]++] = place(&l, ankle + toe).y;
        }
    }
}

/* All joints as in the file's rest pose, below the hips' place; false: that is no way to stand. */
static bool stand_at_rest(gathering *g)
{
    const marey_clip *clip = g->clip;
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const marey_joint *joint = &clip->joints[j];
        memcpy(g->turns + 4 * j, (float[]){ 1, 0, 0, 0 }, 4 * sizeof(float));
        for (int i = 0; i < 3; i++)
            g->places[3 * j + i] =
                (joint->parent < 0 ? 0 : g->places[3 * joint->parent + i]) + joint->offset_cm[i];
    }
    looking l = { clip, g->common, g->places };
    mry_vec up = mry_vec_unit(see_up(&l));
    for (int right = 0; right < 2; right++) {
        int hip = right ? MAREY_ROLE_RIGHT_HIP : MAREY_ROLE_LEFT_HIP;
        if (mry_vec_unit(way(&l, hip + 2, hip)).y < 0.8) return false;
    }
    return up.y > 0.9;
}

/* Which frames heels and toes are planted in. */
static void mark_plants(const marey_contact *plants, int count, int frames, uint8_t *left,
                        uint8_t *right)
{
    for (int c = 0; c < count; c++) {
        if (plants[c].joint > MAREY_CONTACT_RIGHT_TOE) continue;
        uint8_t *foot = plants[c].joint >= MAREY_CONTACT_RIGHT_HEEL ? right : left;
        for (int f = plants[c].start; f < plants[c].end && f < frames; f++)
            foot[f] |= plants[c].joint % 2 ? 2 : 1;
    }
}

static void measure_limbs(const gathering *g, mry_body_frames *out)
{
    looking l = { g->clip, g->common, g->places };
    int legs = 0;
    for (int n = 0; n < MRY_LIMBS; n++) {
        int r = (int)mry_limb_roles[n];
        const bool *there = g->common->role + r;
        if (!there[0] || !there[1] || !there[2]) continue;
        out->limb_cm[n] = mry_vec_length(way(&l, r, r + 1)) + mry_vec_length(way(&l, r + 1, r + 2));
        if (n < MRY_FIRST_LEG) continue;
        out->leg_cm += out->limb_cm[n];
        legs++;
    }
    if (legs) out->leg_cm /= legs;
}

/* The median of heights near the lowest ones. */
static double floor_height(double *heights, size_t count, double leg_cm)
{
    double low = mry_quantile(heights, count, LOW_PLANTS);
    size_t near = 0;
    for (size_t i = 0; i < count; i++)
        if (heights[i] <= low + STEP * leg_cm) heights[near++] = heights[i];
    return mry_quantile(heights, near, 0.5);
}

/* The means of what was gathered. */
static void conclude(gathering *g, mry_body_frames *out)
{
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        if (out->has[r]) out->offset[r] = mry_mean_end(g->sums[r]);
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        if (out->has[r] && goes_by_chest(r))
            out->offset[r] = mry_rot_times(out->offset[chest_of(g->common)], out->offset[r]);
    out->stands_cm = floor_height(g->heights[0], g->high[0], out->leg_cm);
    looking l = { g->clip, g->common, g->places };
    int feet = 0;
    for (int right = 0; right < 2; right++) {
        int ankle = right ? MAREY_ROLE_RIGHT_ANKLE : MAREY_ROLE_LEFT_ANKLE;
        if (!out->has[ankle + 1]) continue;
        out->foot_cm += mry_vec_length(way(&l, ankle, ankle + 1));
        feet++;
    }
    if (feet == 0 || g->high[1] == 0) return;
    out->foot_cm /= feet;
    out->drop_cm = out->stands_cm - floor_height(g->heights[1], g->high[1], out->leg_cm);
    double sine = out->drop_cm / fmax(out->foot_cm, 1e-6);
    out->steep = fabs(sine) > STEEP;
    /* Axes of feet lie along the floor when they stand. */
    mry_rot flat = mry_rot_about(0, 1, 0, asin(fmax(-1, fmin(1, sine))));
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        bool foot = r == MAREY_ROLE_LEFT_ANKLE || r == MAREY_ROLE_LEFT_TOE ||
                    r == MAREY_ROLE_RIGHT_ANKLE || r == MAREY_ROLE_RIGHT_TOE;
        if (foot && out->has[r]) out->offset[r] = mry_rot_times(flat, out->offset[r]);
    }
}

/* How high ankles and toes are when they are planted; if none are, in the lowest pose that stands. */
static void look_at_feet(gathering *g, int step, double leg_cm)
{
    bool toes = g->common->bone[MAREY_ROLE_LEFT_ANKLE] || g->common->bone[MAREY_ROLE_RIGHT_ANKLE];
    for (int f = 0; f < g->clip->frames; f += step) {
        if (!g->planted[0][f] && !g->planted[1][f]) continue;
        mry_body_pose(g->clip, f, g->turns, g->places);
        gather_feet(g, f, leg_cm, false);
    }
    if (g->high[0] > 0 && (g->high[1] > 0 || !toes)) return;
    double least = HUGE_VAL;
    int lowest = 0;
    for (int f = 0; f < g->clip->frames; f += step) {
        looking l = { g->clip, g->common, g->places };
        mry_body_pose(g->clip, f, g->turns, g->places);
        double height =
            fmax(place(&l, MAREY_ROLE_LEFT_ANKLE).y, place(&l, MAREY_ROLE_RIGHT_ANKLE).y);
        double under = fmin(way(&l, MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_HIP).y,
                            way(&l, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_HIP).y);
        if (under < STANDING * leg_cm) height += FAR_CM; /* only if nothing else is there */
        if (height >= least) continue;
        least = height;
        lowest = f;
    }
    g->high[0] = g->high[1] = 0;
    mry_body_pose(g->clip, lowest, g->turns, g->places);
    gather_feet(g, lowest, leg_cm, true);
}

void mry_meet_at_rest(const mry_common *common, mry_body_frames *a, mry_body_frames *b)
{
    static const marey_role roles[] = { MAREY_ROLE_NECK, MAREY_ROLE_HEAD };
    if (a->rests && b->rests && common->role[MAREY_ROLE_CHEST] && !common->bone[MAREY_ROLE_CHEST]) {
        a->offset[MAREY_ROLE_CHEST] = a->chest_at_rest;
        b->offset[MAREY_ROLE_CHEST] = b->chest_at_rest;
    }
    for (int i = 0; i < 2 && a->rests && b->rests; i++) {
        a->offset[roles[i]] = a->offset[chest_of(common)];
        b->offset[roles[i]] = b->offset[chest_of(common)];
    }
}

bool mry_body_frames_find(const marey_clip *clip, const marey_contact *plants, int count,
                          const mry_common *common, mry_body_frames *out)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    size_t joints = (size_t)clip->skeleton.joint_count, frames = (size_t)clip->frames;
    int step = 1 + clip->frames / MOST_SAMPLES;
    size_t samples = frames / (size_t)step + 1;
    gathering g = { .clip = clip, .common = common };
    uint8_t *feet = mry_arena_zero(&tmp, 2, frames);
    g.turns = MRY_NEW_RAW(&tmp, float, 4 * joints);
    g.places = MRY_NEW_RAW(&tmp, double, 3 * joints);
    g.sums = mry_arena_zero(&tmp, MAREY_ROLE_COUNT, sizeof *g.sums);
    g.heights[0] = MRY_NEW_RAW(&tmp, double, 4 * samples);
    *out = (mry_body_frames){ 0 };
    if (!feet || !g.turns || !g.places || !g.sums || !g.heights[0]) {
        mry_arena_free(&tmp);
        return false;
    }
    g.heights[1] = g.heights[0] + 2 * samples;
    g.planted[0] = feet;
    g.planted[1] = feet + frames;
    mark_plants(plants, count, clip->frames, feet, feet + frames);
    bool any = false,
         legs = common->role[MAREY_ROLE_LEFT_HIP] && common->role[MAREY_ROLE_RIGHT_HIP];
    for (int r = 0; r < 3; r++)
        legs =
            legs && common->role[MAREY_ROLE_LEFT_HIP + r] && common->role[MAREY_ROLE_RIGHT_HIP + r];
    for (int f = 0; f < clip->frames && !any; f += step) any = !mry_clip_is_marked(clip, f);
    for (int f = 0; f < clip->frames && legs; f += step) {
        if (any && mry_clip_is_marked(clip, f)) continue;
        mry_body_pose(clip, f, g.turns, g.places);
        if (out->leg_cm == 0) measure_limbs(&g, out);
        gather(&g, true, out);
    }
    if (legs) {
        look_at_feet(&g, step, out->leg_cm);
        out->rests = stand_at_rest(&g);
        if (out->rests) gather(&g, false, out);
        conclude(&g, out);
    }
    mry_arena_free(&tmp);
    return true;
}
