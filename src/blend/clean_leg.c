/* clean_leg.c - the legs and arms of a body: which joints they are, how one reaches for a place,
   and how what was found for them is written into frames. Kovar, Schreiner & Gleicher 2002, 3.4. */
#include "blend/blend_pose.h"
#include "blend/clean.h"
#include "math/quat.h"
#include "motion/carrier.h"
#include "motion/limbs.h"

#include <string.h>

static const marey_role hips[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                   MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER };
static const marey_role knees[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE,
                                    MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_RIGHT_ELBOW };
static const marey_role ankles[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE,
                                     MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_WRIST };
static const marey_role toes[] = { MAREY_ROLE_LEFT_TOE, MAREY_ROLE_RIGHT_TOE };

static const double SHORTEST = 0.01; /* cm; shorter bones count as missing */
static const double TOES = 0.01;     /* what toes say about knees, against knees themselves */

static bool is_below(const marey_clip *clip, int joint, int above)
{
    if (joint < 0 || above < 0) return false;
    do joint = clip->joints[joint].parent;
    while (joint > above);
    return joint == above;
}

void mry_clean_find_legs(const marey_clip *clip, mry_clean_leg *legs)
{
    const int *roles = clip->skeleton.roles;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        mry_clean_leg *leg = &legs[n];
        *leg = (mry_clean_leg){ .hip = roles[hips[n]],
                                .knee = roles[knees[n]],
                                .ankle = roles[ankles[n]],
                                .toe = n < MRY_LEGS ? roles[toes[n]] : -1 };
        leg->whole = leg->hip > 0 && is_below(clip, leg->knee, leg->hip) &&
                     is_below(clip, leg->ankle, leg->knee);
        leg->has_toe = n < MRY_LEGS && (leg->toe < 0 || is_below(clip, leg->toe, leg->ankle));
        if (!leg->has_toe) leg->toe = -1;
    }
}

static bool has_positions(const marey_joint *joint)
{
    int count = 0;
    for (int c = 0; c < joint->channel_count; c++)
        count += joint->channels[c] <= MAREY_CHANNEL_Z_POSITION;
    return count == 3;
}

bool mry_clean_leg_moves(const marey_clip *clip, const mry_clean_leg *leg)
{
    for (int j = leg->ankle; j != leg->hip; j = clip->joints[j].parent) {
        if (!has_positions(&clip->joints[j])) return false;
    }
    return true;
}

int mry_clean_find_mover(const marey_clip *clip, mry_clean_leg *legs)
{
    int pelvis = clip->skeleton.roles[MAREY_ROLE_HIPS], mover = 0;
    if (pelvis > 0 && clip->joints[pelvis].parent == 0 && has_positions(&clip->joints[pelvis]) &&
        clip->frames > 1 && mry_root_stays(clip))
        mover = pelvis;
    for (int n = 0; n < MRY_LEGS; n++) {
        if (legs[n].whole && !is_below(clip, legs[n].hip, mover)) mover = 0;
    }
    for (int n = MRY_LEGS; n < MRY_LIMBS_HELD; n++)
        legs[n].whole = legs[n].whole && is_below(clip, legs[n].hip, mover);
    return has_positions(&clip->joints[mover]) ? mover : -1;
}

/* ---- through the clip ------------------------------------------------------------------------ */

static mry_vec joint_at(const mry_limbs *set, int joint)
{
    return mry_vec_at(set->at, set->index[joint]);
}

static mry_vec across(mry_vec v, mry_vec axis)
{
    return mry_vec_sub(v, mry_vec_scale(axis, mry_vec_dot(v, axis)));
}

bool mry_clean_pose_legs(mry_arena *tmp, mry_clean *c)
{
    marey_role roles[3 * MRY_LIMBS_HELD];
    mry_limbs set;
    size_t frames = (size_t)c->clip->frames;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        mry_clean_leg *leg = &c->legs[n];
        roles[3 * n] = hips[n];
        roles[3 * n + 1] = knees[n];
        roles[3 * n + 2] = ankles[n];
        leg->has_toe = leg->has_toe && c->feet.has[2 * n + 1];
        leg->ankle_at = c->feet.at[n < MRY_LEGS ? 2 * n : MRY_FOOT_POINTS + n - MRY_LEGS];
        leg->toe_at = leg->has_toe ? c->feet.at[2 * n + 1] : NULL;
        if (!leg->whole) continue;
        leg->hip_at = MRY_NEW_RAW(tmp, double, 3 * frames);
        leg->length = MRY_NEW_RAW(tmp, double, frames);
        leg->shift = MRY_NEW(tmp, double, 3 * frames);
        leg->tilt = MRY_NEW(tmp, double, 3 * frames);
        leg->grip = MRY_NEW(tmp, double, frames);
        leg->form = MRY_NEW(tmp, double, frames);
        leg->heel_plant = MRY_NEW_RAW(tmp, int, frames);
        leg->toe_plant = MRY_NEW_RAW(tmp, int, frames);
        if (!leg->hip_at || !leg->length || !leg->shift || !leg->tilt || !leg->grip || !leg->form ||
            !leg->heel_plant || !leg->toe_plant)
            return false;
    }
    if (!mry_limbs_build(tmp, c->clip, roles, 3 * MRY_LIMBS_HELD, &set)) return false;
    for (int f = 0; f < c->clip->frames; f++) {
        mry_limbs_pose(c->clip, &set, f);
        for (int n = 0; n < MRY_LIMBS_HELD; n++) {
            mry_clean_leg *leg = &c->legs[n];
            if (!leg->whole) continue;
            const float *q = set.world + 4 * (size_t)set.index[leg->hip];
            mry_rot back = mry_rot_back((mry_rot){ q[0], q[1], q[2], q[3] });
            mry_vec hip = joint_at(&set, leg->hip), knee = joint_at(&set, leg->knee);
            mry_vec ankle = joint_at(&set, leg->ankle), thigh = mry_vec_sub(knee, hip);
            mry_vec along = mry_vec_unit(mry_vec_sub(ankle, hip));
            double upper = mry_vec_length(thigh), lower = mry_vec_length(mry_vec_sub(ankle, knee));
            mry_vec_put(leg->hip_at, f, hip);
            leg->length[f] = upper + lower;
            if (!(upper > SHORTEST && lower > SHORTEST)) leg->whole = false;
            if (c->feet.marked[f]) continue;
            /* What it says about the axis that the knee bends about. A straight knee bends to where
               the toes are. */
            mry_vec out = across(thigh, along);
            if (leg->has_toe) {
                mry_vec foot = mry_vec_sub(mry_vec_at(leg->toe_at, f), ankle);
                out = mry_vec_add(out, mry_vec_scale(foot, TOES));
            }
            leg->hinge = mry_vec_add(leg->hinge, mry_rot_apply(back, mry_vec_cross(along, out)));
        }
    }
    return true;
}

/* ---- reaching for a place -------------------------------------------------------------------- */

/* A leg of two bones. The knee's angle follows from the distance by the law of cosines; then the
   leg as a whole swings to the new direction. Near full extension the angle changes without bound
   with the distance: there the distance that the knee sees is damped. */

/* Shares of the leg's length. How far a knee stands out from the line from hip to ankle says how
   well it knows the plane that it bends in: nothing, little, or so well that it is not
   overstretched whatever its hinge says. */
static const double KNOWS_NOTHING = 0.01, KNOWS_LITTLE = 0.05, KNOWS_WELL = 0.06;
static const double LEAST = 0.1; /* a leg is not folded tighter than this, unless it was */

/* Shares of the way from hip to ankle in a straight leg, beyond which no knee is straightened; the
   second where its bones get longer instead. */
static const double FULL = 0.9995, FULL_LONGER = 0.99;

/* A leg whose ankle is moved by this share of its length is as straight as MRY_KNEE_FREE at most,
   however straight it was. */
static const double FAR_MOVED = 0.05;

mry_rot mry_rot_between(mry_vec from, mry_vec goal)
{
    mry_vec a = mry_vec_unit(from), b = mry_vec_unit(goal), axis = mry_vec_cross(a, b);
    double w = 1 + mry_vec_dot(a, b);
    if (w < 1e-9) { /* half a turn: any axis across will do */
        mry_vec other = fabs(a.x) < 0.7 ? (mry_vec){ 1, 0, 0 } : (mry_vec){ 0, 1, 0 };
        axis = mry_vec_unit(mry_vec_cross(a, other));
        return (mry_rot){ 0, axis.x, axis.y, axis.z };
    }
    double length = sqrt(w * w + mry_vec_dot(axis, axis));
    return (mry_rot){ w / length, axis.x / length, axis.y / length, axis.z / length };
}

mry_leg_reach mry_leg_reach_of(double extension, double moved, double stretch)
{
    double share = mry_clean_ease(moved / FAR_MOVED), beyond = fmax(extension - MRY_KNEE_FREE, 0);
    mry_leg_reach reach = { .free = MRY_KNEE_FREE + (1 - share) * beyond, .stretch = stretch };
    reach.soft = fmax((stretch > 0 ? FULL_LONGER : FULL) - reach.free, 0);
    reach.most = reach.free;
    if (stretch > 0) {
        /* At `most` the bones are longer by no more than `stretch`: the knee has straightened at
           least as far as it has for a distance of stretch * free beyond. */
        double least = stretch * reach.free;
        double gained = reach.soft > 0 ? reach.soft * (1 - exp(-least / reach.soft)) : 0;
        reach.most = (1 + stretch) * (reach.free + gained);
    }
    return reach;
}

/* Where the knee stands out to from the line from hip to ankle, `out` far. It goes to the side
   where it was. A knee that was straight, or overstretched, comes forward as far as `form` says,
   and what it stands out sideways is not made more of the less it was bent. On its way it may have
   to pass the straight line, and misses the distance a little; else it would jump. */
static mry_vec knee_out(mry_vec was, double out, const mry_leg_aim *aim, mry_vec along,
                        double length)
{
    double before = mry_vec_length(was), more = before > 1e-9 * length ? out / before : 0;
    mry_vec forward = mry_vec_cross(aim->hinge, along), same = mry_vec_scale(was, more);
    double size = mry_vec_length(forward), doubt = KNOWS_LITTLE * length;
    double form = fmax(aim->form, 1 - mry_clean_ease(before / (KNOWS_NOTHING * length)));
    form *= 1 - mry_clean_ease((before - KNOWS_WELL * length) / (KNOWS_WELL * length));
    if (size <= 1e-6 * mry_vec_length(aim->hinge) || form <= 0) return same;
    forward = mry_vec_scale(forward, 1 / size);
    mry_vec side = across(was, forward);
    double keep = before * before / (before * before + doubt * doubt);
    side = mry_vec_scale(side, more < 1 ? more : 1 + keep * (more - 1));
    double left = out * out - mry_vec_dot(side, side);
    mry_vec formed = mry_vec_add(side, mry_vec_scale(forward, sqrt(fmax(0, left))));
    return mry_vec_mix(same, formed, form);
}

static double clamp(double v, double low, double high)
{
    return v < low ? low : (v > high ? high : v);
}

mry_leg_turns mry_leg_solve(const mry_leg_pose *from, const mry_leg_aim *aim)
{
    mry_vec thigh = mry_vec_sub(from->knee, from->hip), shin = mry_vec_sub(from->ankle, from->knee);
    mry_vec way = mry_vec_add(thigh, shin), goal = mry_vec_sub(aim->ankle, aim->hip);
    double upper = mry_vec_length(thigh), lower = mry_vec_length(shin), length = upper + lower;
    double was = mry_vec_length(way), asked = mry_vec_length(goal);
    double moved = mry_vec_length(mry_vec_sub(aim->ankle, from->ankle));
    mry_leg_reach reach = mry_leg_reach_of(was / length, moved / length, aim->stretch);
    /* The share of its length that the leg spans: what is asked for at first, then less and less of
       it. */
    double share = asked / length, beyond = share - reach.free;
    if (beyond > 0)
        share = reach.free + (reach.soft > 0 ? reach.soft * (1 - exp(-beyond / reach.soft)) : 0);
    double span = length * share;
    double least = fmax(fabs(upper - lower) * 1.0001, fmin(was, LEAST * length));
    span = clamp(span, least, length);
    mry_leg_turns out = { .longer = clamp(asked / span - 1, 0, aim->stretch) };

    mry_vec along = mry_vec_unit(way), to = asked > 1e-9 ? mry_vec_unit(goal) : along;
    double forth = (span * span + upper * upper - lower * lower) / (2 * span);
    double side = sqrt(fmax(0, upper * upper - forth * forth));
    mry_vec knee = knee_out(across(thigh, along), side, aim, along, length);
    mry_vec below = mry_vec_sub(mry_vec_scale(along, span - forth), knee);
    knee = mry_vec_add(mry_vec_scale(along, forth), knee);
    mry_rot swing = mry_rot_between(along, to);
    out.thigh = mry_rot_times(swing, mry_rot_between(thigh, knee));
    out.shin = mry_rot_times(swing, mry_rot_between(shin, below));
    double scale = 1 + out.longer;
    out.to.hip = aim->hip;
    out.to.knee = mry_vec_add(aim->hip, mry_vec_scale(mry_rot_apply(out.thigh, thigh), scale));
    out.to.ankle = mry_vec_add(out.to.knee, mry_vec_scale(mry_rot_apply(out.shin, shin), scale));
    return out;
}

marey_clip *mry_clean_copy(const mry_clean *c, bool longer)
{
    const marey_clip *clip = c->clip;
    marey_clip *made = mry_clip_make_like(clip, longer ? 1 : clip->frames, clip->fps);
    if (!made) return NULL;
    bool ok = true;
    if (longer) {
        for (int n = 0; n < MRY_LEGS; n++) {
            const mry_clean_leg *leg = &c->legs[n];
            if (!leg->whole || mry_clean_leg_moves(made, leg)) continue;
            for (int j = leg->ankle; j != leg->hip; j = made->joints[j].parent) {
                marey_joint *joint = &made->joints[j];
                marey_channel kept[MAREY_CHANNEL_COUNT];
                int count = 0;
                for (int i = 0; i < joint->channel_count; i++) {
                    if (joint->channels[i] > MAREY_CHANNEL_Z_POSITION)
                        kept[count++] = joint->channels[i];
                }
                for (int i = 0; i < 3; i++)
                    joint->channels[i] = (marey_channel)(MAREY_CHANNEL_X_POSITION + i);
                memcpy(joint->channels + 3, kept, (size_t)count * sizeof *kept);
                joint->channel_count = 3 + count;
            }
        }
        made->skeleton.channel_count = 0;
        for (int j = 0; j < made->skeleton.joint_count; j++) {
            made->joints[j].first_channel = made->skeleton.channel_count;
            made->skeleton.channel_count += made->joints[j].channel_count;
        }
        ok = mry_clip_find_movers(made) && mry_clip_take_tracks(made, clip->frames);
    }
    if (!ok || !mry_marks_carry(clip, 0, clip->frames, 0, made)) {
        marey_clip_free(made);
        return NULL;
    }
    size_t turns = (size_t)clip->frames * (size_t)clip->skeleton.joint_count * 4;
    memcpy(made->turn, clip->turn, turns * sizeof *clip->turn);
    /* Row by row: the copy may have more joints with a place of their own. */
    for (int f = 0; f < clip->frames; f++) {
        for (int m = 0; m < made->mover_count; m++) {
            const double *from = mry_joint_place(clip, made->mover[m], f);
            memcpy(mry_place(made, f) + 3 * m, from, 3 * sizeof *from);
        }
    }
    made->source.frame_time = clip->source.frame_time;
    return made;
}

/* ---- frames ---------------------------------------------------------------------------------- */

typedef struct writer {
    const mry_clean *c;
    mry_limbs set;
    marey_clip *made;
    mry_clean_done done;
} writer;

static mry_rot get(const float *q)
{
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

/* The joint's parent in the world, as it was. */
static mry_rot above(const writer *w, int joint)
{
    return get(w->set.world + 4 * (size_t)w->set.above[w->set.index[joint]]);
}

/* The joint's turn, so that it comes by `turn` from what it was in the world, where its parent came
   by `parent`. */
static void put_turn(const writer *w, int frame, int joint, mry_rot parent, mry_rot turn)
{
    float *q = mry_turn(w->made, frame) + 4 * (size_t)joint;
    mry_rot base = above(w, joint);
    mry_rot local =
        mry_rot_times(mry_rot_times(mry_rot_back(base), mry_rot_times(mry_rot_back(parent), turn)),
                      mry_rot_times(base, get(q)));
    q[0] = (float)local.w;
    q[1] = (float)local.x;
    q[2] = (float)local.y;
    q[3] = (float)local.z;
    mry_quat_normalize(q);
}

static void write_frame(writer *w, int frame)
{
    static const double BENT = 0.94, STRAIGHT = 0.985;
    const mry_rot still = { 1, 0, 0, 0 };
    const mry_clean *c = w->c;
    const mry_limbs *set = &w->set;
    bool moves = !mry_vec_is_zero(mry_vec_at(c->root, frame)), posed = false;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole) continue;
        double follow = mry_clean_follow(c, n, frame);
        if ((!moves || follow == 1) && leg->form[frame] == 0 &&
            mry_vec_is_zero(mry_vec_at(leg->shift, frame)) &&
            mry_vec_is_zero(mry_vec_at(leg->tilt, frame)))
            continue;
        if (!posed) mry_limbs_pose(c->clip, &w->set, frame);
        posed = true;
        mry_leg_pose from = { joint_at(set, leg->hip), joint_at(set, leg->knee),
                              joint_at(set, leg->ankle) };
        mry_rot hip = get(set->world + 4 * (size_t)set->index[leg->hip]);
        /* The ankle goes where it is wanted, and with the body's shift where a straight leg swings
           freely. */
        mry_vec ankle = mry_vec_at(leg->ankle_at, frame), shift = mry_vec_at(c->root, frame);
        mry_vec way = mry_vec_sub(ankle, mry_vec_at(leg->hip_at, frame));
        double extension = mry_vec_length(way) / leg->length[frame];
        double straight = mry_clean_ease((extension - BENT) / (STRAIGHT - BENT));
        follow = fmax(follow, straight * (1 - leg->grip[frame]));
        ankle = mry_vec_add(ankle, mry_vec_at(leg->shift, frame));
        ankle = mry_vec_add(ankle, mry_vec_scale(shift, follow));
        mry_leg_aim aim = { .hip = mry_vec_add(from.hip, shift),
                            .ankle = ankle,
                            .hinge = mry_rot_apply(hip, leg->hinge),
                            .form = leg->form[frame],
                            .stretch = mry_clean_stretch(c, n) };
        mry_leg_turns to = mry_leg_solve(&from, &aim);
        mry_rot tilt = mry_clean_rot(mry_vec_at(leg->tilt, frame));
        put_turn(w, frame, leg->hip, still, to.thigh);
        put_turn(w, frame, leg->knee, to.thigh, to.shin);
        put_turn(w, frame, leg->ankle, to.shin, tilt);
        if (leg->toe >= 0) put_turn(w, frame, leg->toe, tilt, still);
        if (to.longer > 0) {
            for (int j = leg->ankle; j != leg->hip; j = w->made->joints[j].parent) {
                double *p = mry_place(w->made, frame) + 3 * w->made->slot[j];
                for (int i = 0; i < 3; i++) p[i] *= 1 + to.longer;
            }
            w->done.stretched = fmax(w->done.stretched, to.longer);
        }
    }
    if (!moves) return;
    int mover = c->mover, parent = mover < 0 ? -1 : w->made->joints[mover].parent;
    mry_vec by = mry_vec_at(c->root, frame);
    w->done.root_moved_cm = fmax(w->done.root_moved_cm, mry_vec_length(by));
    if (parent >= 0) by = mry_rot_apply(mry_rot_back(above(w, mover)), by);
    double *p = mry_place(w->made, frame) + 3 * w->made->slot[mover];
    p[0] += by.x;
    p[1] += by.y;
    p[2] += by.z;
}

bool mry_clean_write(mry_arena *tmp, const mry_clean *c, marey_clip *made, mry_clean_done *done)
{
    static const marey_role roles[] = {
        MAREY_ROLE_HIPS,           MAREY_ROLE_LEFT_HIP,    MAREY_ROLE_LEFT_KNEE,
        MAREY_ROLE_LEFT_ANKLE,     MAREY_ROLE_LEFT_TOE,    MAREY_ROLE_RIGHT_HIP,
        MAREY_ROLE_RIGHT_KNEE,     MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
        MAREY_ROLE_LEFT_SHOULDER,  MAREY_ROLE_LEFT_ELBOW,  MAREY_ROLE_LEFT_WRIST,
        MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_RIGHT_WRIST,
    };
    writer w = { .c = c, .made = made };
    if (!mry_limbs_build(tmp, c->clip, roles, sizeof roles / sizeof *roles, &w.set)) return false;
    for (int f = 0; f < made->frames; f++) {
        if (!c->feet.marked[f]) write_frame(&w, f);
    }
    *done = w.done;
    return true;
}
