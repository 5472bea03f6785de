/* walk_feet.c - the feet of a walk that is made: where they are planted, and that they do not go
   below the floor. */
#include "base/fail.h"
#include "blend/clean.h"
#include "graph/walk_data.h"
#include "motion/feet.h"
#include "motion/limbs.h"

#include <math.h>
#include <stdlib.h>

/* ---- plants --------------------------------------------------------------------------------- */

/* The plants of a walk: where its nodes are planted, over transitions if both sides are.

   Poses are alike at a transition as wholes; a foot can be a hand's breadth aside. A plant that
   goes on over one is held half-way, which legs can do. Where the character stands over many
   transitions it adds up, and where it is more than legs can do, the foot is carried: two plants
   meet at the transition that carries it farthest. And where a plant begins or ends near a
   transition, the foot still comes, or leaves already, while the difference is spread: that is not
   held. */

/* As plants are found: n frames count as n + 1. */
#define SHORTEST_S 0.08
/* A foot can be held so far from where its motion has it. */
#define REACH_CM 10.0
/* Farther than this from its plant it has not come yet, or has left. */
#define COME_CM 2.5

typedef struct planting {
    const mry_walker *w;
    mry_feet feet; /* of the made frames */
    uint8_t *near; /* a byte a frame: something is spread there */
    int least;     /* frames of a plant */
    marey_contacts found;
} planting;

static bool append(marey_contacts *list, marey_contact plant)
{
    size_t need = ((size_t)list->count + 1) * sizeof plant;
    if (need > list->bytes) {
        size_t bytes = list->bytes < 32 * sizeof plant ? 32 * sizeof plant : 2 * list->bytes;
        marey_contact *items = mry_resize(list->ctx, list->items, list->bytes, bytes);
        if (!items) return false;
        list->items = items;
        list->bytes = bytes;
    }
    list->items[list->count++] = plant;
    return true;
}

/* Runs of planted nodes, also those that are too short; parts of one that are carried too far come
   up again: they stay in the list or are added to it. false: out of memory. */
static bool find_runs(planting *p)
{
    const mry_walker *w = p->w;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int f = 0, start = -1; f <= w->walk->count; f++) {
            bool planted =
                f < w->walk->count && (w->graph->contacts[w->walk->nodes[f]] >> joint & 1);
            if (planted && start < 0) start = f;
            if (planted || start < 0) continue;
            marey_contact plant = { (marey_contact_joint)joint, start, f };
            if (!append(&p->found, plant)) return false;
            start = -1;
        }
    }
    for (int n = 0; n < p->found.count;) {
        marey_contact plant = p->found.items[n];
        const double *at = p->feet.at[plant.joint];
        int frames = plant.end - plant.start, best = -1;
        bool looked_at = p->feet.has[plant.joint] && frames >= p->least;
        /* How far the point is from the middle of its places, at most. */
        double x = 0, z = 0, extent = 0, most = 0;
        for (int f = plant.start; looked_at && f < plant.end; f++) {
            x += at[3 * (size_t)f] / frames;
            z += at[3 * (size_t)f + 2] / frames;
        }
        for (int f = plant.start; looked_at && f < plant.end; f++)
            extent = fmax(extent, hypot(at[3 * (size_t)f] - x, at[3 * (size_t)f + 2] - z));
        /* The frame behind the transition that carries it farthest; -1: it has no transition. */
        for (int f = plant.start + 1; extent > REACH_CM && f < plant.end; f++) {
            if (w->step[f] < 0) continue;
            int from = f - 1 - w->span[f].before, to = f + w->span[f].behind;
            if (from < plant.start) from = plant.start;
            if (to > plant.end - 1) to = plant.end - 1;
            const double *a = at + 3 * (size_t)from, *b = at + 3 * (size_t)to;
            double way = hypot(b[0] - a[0], b[2] - a[2]);
            if (best >= 0 && !(way > most)) continue;
            best = f;
            most = way;
        }
        if (best < 0) {
            n++;
            continue;
        }
        p->found.items[n].end = best;
        if (!append(&p->found, (marey_contact){ plant.joint, best, plant.end })) return false;
    }
    return true;
}

/* Along the floor from its place, or above where its own motion has it. */
static double way_to(const planting *p, int point, const double *place, int frame)
{
    const double *at = p->feet.at[point] + 3 * (size_t)frame;
    double raised = at[1] - mry_foot_height(&p->w->plain, point, frame);
    return fmax(hypot(at[0] - place[0], at[2] - place[1]), raised);
}

int mry_by_joint(const void *left, const void *right)
{
    const marey_contact *a = left, *b = right;
    if (a->joint != b->joint) return a->joint < b->joint ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

marey_status mry_walk_plants(const mry_walker *w, marey_contacts *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(w->ctx);
    planting p = { .w = w, .least = (int)fmax(1, ceil(SHORTEST_S * w->graph->fps - 1)) };
    p.found.ctx = w->ctx;
    p.near = MRY_NEW(&tmp, uint8_t, w->walk->count);
    bool room = p.near && mry_feet_build(&tmp, w->made, &p.feet) && find_runs(&p);
    if (room) {
        /* Where something is spread. */
        int frames = w->walk->count;
        for (int f = 1; f < frames; f++) {
            if (w->step[f] < 0) continue;
            for (int n = f - w->span[f].before; n < f + w->span[f].behind; n++) {
                if (n >= 0 && n < frames) p.near[n] = 1;
            }
        }
        /* Trimmed, as far as it has not come yet to the mean place of its middle, or has left. */
        for (int n = 0; n < p.found.count; n++) {
            marey_contact *plant = &p.found.items[n];
            int length = plant->end - plant->start, quarter = length / 4;
            int middle = length - 2 * quarter;
            if (!p.feet.has[plant->joint]) continue;
            const double *at = p.feet.at[plant->joint];
            double place[2] = { 0, 0 };
            for (int f = plant->start + quarter; f < plant->end - quarter; f++) {
                place[0] += at[3 * (size_t)f] / middle;
                place[1] += at[3 * (size_t)f + 2] / middle;
            }
            while (plant->start < plant->end && p.near[plant->start] &&
                   way_to(&p, (int)plant->joint, place, plant->start) > COME_CM)
                plant->start++;
            while (plant->start < plant->end && p.near[plant->end - 1] &&
                   way_to(&p, (int)plant->joint, place, plant->end - 1) > COME_CM)
                plant->end--;
        }
    }
    mry_arena_free(&tmp);
    if (!room) {
        marey_contacts_free(&p.found);
        return mry_fail_memory(error, NULL);
    }
    int count = 0;
    for (int n = 0; n < p.found.count; n++) {
        marey_contact plant = p.found.items[n];
        if (plant.end - plant.start >= p.least) p.found.items[count++] = plant;
    }
    p.found.count = count;
    if (count > 1) qsort(p.found.items, (size_t)count, sizeof *p.found.items, mry_by_joint);
    *out = p.found;
    return MAREY_OK;
}

/* ---- feet do not go below the floor --------------------------------------------------------- */

/* Feet do not go below the floor. Poses at a transition are alike as wholes, not foot by foot; what
   differs is spread over joints, and a foot that swings low on both sides may pass below the floor
   in between. It is lifted by the leg, as in foot clean-up, until it is no lower than the motions
   themselves have it around that time; along the floor it stays where it is. */

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

/* Returns whether it is too low anywhere. */
static bool find_lift(lifting *l, int side)
{
    mry_clean_leg *leg = &l->clean.legs[side];
    double fps = l->w->made->fps;
    int frames = l->w->made->frames, half = (int)fmax(1, round(EASE_S * fps));
    int around = (int)fmax(1, round(AROUND_S * fps));
    bool any = false;
    for (int f = 0; f < frames; f++) l->need[f] = 0;
    for (int point = 2 * side; point < 2 * side + 2; point++) {
        /* How much too low the point of the foot is, at most. */
        if (!l->clean.feet.has[point]) continue;
        for (int f = 0; f < frames; f++) l->below[f] = -mry_foot_height(&l->w->plain, point, f);
        mry_clean_largest(l->below, frames, around, l->queue, l->other);
        for (int f = 0; f < frames; f++) {
            double low = -l->other[f] - mry_foot_height(&l->clean.feet, point, f);
            if (low > l->need[f]) l->need[f] = low;
        }
    }
    for (int f = 0; f < frames; f++) any |= l->need[f] > MRY_CLEAN_STILL_CM;
    if (!any) return false;
    mry_clean_largest(l->need, frames, half, l->queue, l->other);
    mry_clean_average(l->other, frames, 1, half, l->need);
    for (int f = 0; f < frames; f++) leg->shift[3 * (size_t)f + 1] = l->need[f];
    /* Which way a knee bends that is overstretched, as captured ones are by a few degrees, depends
       on where it happens to stand: the least lift would bend it to the back, and throw it to the
       front as it passes the straight line. So it bends forward while its foot is lifted, and comes
       there and leaves again over some frames. */
    double *back = l->below;
    for (int f = 0; f < frames; f++) {
        back[f] = 0;
        if (!(l->need[f] > MRY_CLEAN_STILL_CM)) continue;
        /* Its knee stands behind the line from hip to ankle. */
        mry_limbs_pose(l->w->made, &l->legs, f);
        const float *q = l->legs.world + 4 * (size_t)l->legs.index[leg->hip];
        mry_vec hinge = mry_rot_apply((mry_rot){ q[0], q[1], q[2], q[3] }, leg->hinge);
        mry_vec hip = mry_vec_at(l->legs.at, l->legs.index[leg->hip]);
        mry_vec thigh = mry_vec_sub(mry_vec_at(l->legs.at, l->legs.index[leg->knee]), hip);
        mry_vec along = mry_vec_sub(mry_vec_at(leg->ankle_at, f), hip);
        back[f] = mry_vec_dot(thigh, mry_vec_cross(hinge, along)) < 0;
    }
    mry_clean_largest(back, frames, half, l->queue, l->other);
    mry_clean_average(l->other, frames, 1, half, back);
    for (int f = 0; f < frames; f++)
        leg->form[f] = fmax(mry_clean_ease(l->need[f] / FULL_CM), mry_clean_ease(back[f]));
    return true;
}

bool mry_walk_lift(const mry_walker *w)
{
    mry_arena tmp = mry_arena_make(w->ctx);
    lifting l = { .w = w, .clean = { .clip = w->made, .mover = -1 } };
    mry_clean_done done;
    bool any = false;
    /* Room for everything, and the legs. */
    static const marey_role roles[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                        MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
    int frames = l.w->made->frames;
    mry_clean *c = &l.clean;
    l.need = MRY_NEW(&tmp, double, frames);
    l.below = MRY_NEW(&tmp, double, frames);
    l.other = MRY_NEW(&tmp, double, frames);
    l.queue = MRY_NEW(&tmp, int, frames);
    c->root = MRY_NEW(&tmp, double, 3 * (size_t)frames);
    mry_clean_find_legs(c->clip, c->legs);
    bool room = l.need && l.below && l.other && l.queue && c->root &&
                mry_feet_build(&tmp, c->clip, &c->feet) && mry_clean_pose_legs(&tmp, c) &&
                mry_limbs_build(&tmp, c->clip, roles, 4, &l.legs);
    for (int side = 0; side < MRY_LEGS && room; side++) {
        if (l.clean.legs[side].whole) any |= find_lift(&l, side);
    }
    /* Frame after frame, each from itself: so it may be written to while it is read. */
    if (any) room = mry_clean_write(&tmp, &l.clean, w->made, &done);
    mry_arena_free(&tmp);
    return room;
}
