/* clean_leg.c - a leg of two bones reaches for a place (Kovar, Schreiner & Gleicher 2002, 3.4). The knee's angle follows from
   the distance by the law of cosines; then the leg as a whole swings to the new direction. Near full extension the
   angle changes without bound with the distance: there the distance that the knee sees is damped. */
#include "blend/clean.h"

/* Shares of the leg's length. How far a knee stands out from the line from hip to ankle says how well it knows the plane
   that it bends in: nothing, little, or so well that it is not overstretched whatever its hinge says. */
static const double KNOWS_NOTHING = 0.01, KNOWS_LITTLE = 0.05, KNOWS_WELL = 0.06;
static const double LEAST = 0.1; /* a leg is not folded tighter than this, unless it was */

/* Shares of the way from hip to ankle in a straight leg, beyond which no knee is straightened; the second where its
   bones get longer instead. */
static const double FULL = 0.9995, FULL_LONGER = 0.99;

/* A leg whose ankle is moved by this share of its length is as straight as MRY_KNEE_FREE at most, however straight it was. */
static const double FAR_MOVED = 0.05;

mry_rot mry_rot_between(mry_vec from, mry_vec to)
{
    mry_vec a = mry_vec_unit(from), b = mry_vec_unit(to), axis = mry_vec_cross(a, b);
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
        /* At `most` the bones are longer by no more than `stretch`: the knee has straightened at least as far as it has
           for a distance of stretch * free beyond. */
        double least = stretch * reach.free;
        double gained = reach.soft > 0 ? reach.soft * (1 - exp(-least / reach.soft)) : 0;
        reach.most = (1 + stretch) * (reach.free + gained);
    }
    return reach;
}

/* The share of its length that the leg spans where y is asked for: y itself at first, then less and less of it. */
static double damp(const mry_leg_reach *reach, double y)
{
    double beyond = y - reach->free;
    if (beyond <= 0) return y;
    if (reach->soft <= 0) return reach->free;
    return reach->free + reach->soft * (1 - exp(-beyond / reach->soft));
}

static mry_vec across(mry_vec v, mry_vec axis)
{
    return mry_vec_sub(v, mry_vec_scale(axis, mry_vec_dot(v, axis)));
}

/* Where the knee stands out to from the line from hip to ankle, `out` far. It goes to the side where it was. A knee that was
   straight, or overstretched, comes forward as far as `form` says, and what it stands out sideways is not made more of
   the less it was bent. On its way it may have to pass the straight line, and misses the distance a little; else it
   would jump. */
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
    double span = length * damp(&reach, asked / length);
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
