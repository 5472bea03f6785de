/* walk_lift.c - feet do not go below the floor. Poses at a transition are alike as wholes, not foot by foot; what differs is spread over
   joints, and a foot that swings low on both sides may pass below the floor in between. It is lifted by the leg, as in foot clean-up, until it
   is no lower than the motions themselves have it around that time; along the floor it stays where it is. */
#include "blend/clean.h"
#include "graph/walk_data.h"
#include "motion/limbs.h"

#include <math.h>

/* What lies so long before or behind says where the floor is. */
#define AROUND_S 0.4
/* A foot begins to rise so long before it must have. */
#define EASE_S 0.06

/* A straight knee that has to bend for so much bends forward. */
#define FULL_CM 2.0

typedef struct lifting {
    const mry_walker *w;
    mry_clean clean;
    mry_limbs legs;
    double *need, *below, *other; /* frames */
    int *queue;
} lifting;

static int half_frames(const lifting *l, double seconds)
{
    return (int)fmax(1, round(seconds * l->w->made->fps));
}

/* How much too low a point of a foot is, at most; adds to need. */
static void look_at(lifting *l, int point)
{
    int frames = l->w->made->frames;
    double *below = l->below, *least = l->other;
    if (!l->clean.feet.has[point]) return;
    for (int f = 0; f < frames; f++) below[f] = -mry_foot_height(&l->w->plain, point, f);
    mry_clean_largest(below, frames, half_frames(l, AROUND_S), l->queue, least);
    for (int f = 0; f < frames; f++) {
        double low = -least[f] - mry_foot_height(&l->clean.feet, point, f);
        if (low > l->need[f]) l->need[f] = low;
    }
}

static mry_vec joint_at(const lifting *l, int joint)
{
    return mry_vec_at(l->legs.at, l->legs.index[joint]);
}

/* Its knee stands behind the line from hip to ankle. */
static bool is_overstretched(lifting *l, const mry_clean_leg *leg, int frame)
{
    mry_limbs_pose(l->w->made, &l->legs, frame);
    const float *q = l->legs.world + 4 * (size_t)l->legs.index[leg->hip];
    mry_vec hinge = mry_rot_apply((mry_rot){ q[0], q[1], q[2], q[3] }, leg->hinge);
    mry_vec hip = joint_at(l, leg->hip), thigh = mry_vec_sub(joint_at(l, leg->knee), hip);
    mry_vec along = mry_vec_sub(mry_vec_at(leg->ankle_at, frame), hip);
    return mry_vec_dot(thigh, mry_vec_cross(hinge, along)) < 0;
}

/* Which way a knee bends that is overstretched, as captured ones are by a few degrees, depends on where it happens to stand: the
   least lift would bend it to the back, and throw it to the front as it passes the straight line. So it bends forward
   while its foot is lifted, and comes there and leaves again over some frames. */
static void find_forms(lifting *l, mry_clean_leg *leg)
{
    int frames = l->w->made->frames, half = half_frames(l, EASE_S);
    double *back = l->below;
    for (int f = 0; f < frames; f++)
        back[f] = l->need[f] > MRY_CLEAN_STILL_CM && is_overstretched(l, leg, f);
    mry_clean_largest(back, frames, half, l->queue, l->other);
    mry_clean_average(l->other, frames, 1, half, back);
    for (int f = 0; f < frames; f++)
        leg->form[f] = fmax(mry_clean_ease(l->need[f] / FULL_CM), mry_clean_ease(back[f]));
}

/* Returns whether it is too low anywhere. */
static bool find_lift(lifting *l, int side)
{
    mry_clean_leg *leg = &l->clean.legs[side];
    int frames = l->w->made->frames, half = half_frames(l, EASE_S);
    bool any = false;
    for (int f = 0; f < frames; f++) l->need[f] = 0;
    look_at(l, 2 * side);
    look_at(l, 2 * side + 1);
    for (int f = 0; f < frames; f++) any |= l->need[f] > MRY_CLEAN_STILL_CM;
    if (!any) return false;
    mry_clean_largest(l->need, frames, half, l->queue, l->other);
    mry_clean_average(l->other, frames, 1, half, l->need);
    for (int f = 0; f < frames; f++) leg->shift[3 * (size_t)f + 1] = l->need[f];
    find_forms(l, leg);
    return true;
}

static bool open(lifting *l, mry_arena *tmp)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                        MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
    int frames = l->w->made->frames;
    mry_clean *c = &l->clean;
    l->need = MRY_NEW(tmp, double, frames);
    l->below = MRY_NEW(tmp, double, frames);
    l->other = MRY_NEW(tmp, double, frames);
    l->queue = MRY_NEW(tmp, int, frames);
    c->root = MRY_NEW(tmp, double, 3 * (size_t)frames);
    mry_clean_find_legs(c->clip, c->legs);
    return l->need && l->below && l->other && l->queue && c->root &&
           mry_feet_build(tmp, c->clip, &c->feet) && mry_clean_pose_legs(tmp, c) &&
           mry_limbs_build(tmp, c->clip, roles, 4, &l->legs);
}

bool mry_walk_lift(const mry_walker *w)
{
    mry_arena tmp = mry_arena_make(w->ctx);
    lifting l = { .w = w, .clean = { .clip = w->made, .mover = -1 } };
    mry_clean_done done;
    bool room = open(&l, &tmp), any = false;
    for (int side = 0; side < MRY_LEGS && room; side++) {
        if (l.clean.legs[side].whole) any |= find_lift(&l, side);
    }
    /* Frame after frame, each from itself: so it may be written to while it is read. */
    if (any) room = mry_clean_write(&tmp, &l.clean, w->made, &done);
    mry_arena_free(&tmp);
    return room;
}
