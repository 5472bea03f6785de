/* carrier.c - finds the joint that carries the body. */
#include "motion/carrier.h"

#include <math.h>
#include <string.h>

/* Of a body's height: so far from the root along the floor it has left it, and did not only bend or
   lie down. */
#define LEFT 0.5
#define USUAL_CM 170.0

/* Between two frames in which a root is the same, it is so but for the last bits of its turn; and
   files round what they say. */
#define STAYS_CM 1e-4
#define STAYS_TURN 2e-6

/* Two roots' places and turns are no more than so much apart. */
static bool same_root(const double *p, const float *q, const double *place, const float *turn,
                      double cm, double part)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs(p[i] - place[i]) <= cm)) return false;
    }
    for (int i = 0; i < 4; i++) {
        if (!(fabs((double)q[i] - (double)turn[i]) <= part)) return false;
    }
    return true;
}

bool mry_root_stays(const marey_clip *clip)
{
    int first = mry_clip_first_captured(clip);
    for (int f = first + 1; f < clip->frames; f++) {
        if (!same_root(mry_place(clip, f), mry_turn(clip, f), mry_place(clip, first),
                       mry_turn(clip, first), STAYS_CM, STAYS_TURN) &&
            !mry_clip_is_marked(clip, f))
            return false;
    }
    return true;
}

/* Below a root that stays. */
static bool leaves(const marey_clip *clip, int pelvis)
{
    double size = clip->report.height_cm > 0 ? clip->report.height_cm : USUAL_CM;
    for (int f = 0; f < clip->frames && clip->slot[pelvis] >= 0; f++) {
        double way[3];
        mry_quat_rotate_double(mry_turn(clip, f), mry_place(clip, f) + 3 * clip->slot[pelvis], way);
        if (hypot(way[0], way[2]) > LEFT * size && !mry_clip_is_marked(clip, f)) return true;
    }
    return false;
}

mry_carrier mry_carrier_find(const marey_clip *const *clips, int count)
{
    int pelvis = clips[0]->skeleton.roles[MAREY_ROLE_HIPS], staying = 0;
    const marey_clip *still = NULL;
    mry_carrier root = { 0 }, found = { .joint = pelvis };
    if (pelvis <= 0 || clips[0]->joints[pelvis].parent != 0 || clips[0]->slot[pelvis] < 0)
        return root;
    bool left = false;
    for (int i = 0; i < count; i++) {
        if (!mry_root_stays(clips[i])) continue;
        if (!still) still = clips[i];
        left = left || leaves(clips[i], pelvis);
        staying++;
    }
    if (!still || (staying < count && !left)) return root;
    int at = mry_clip_first_captured(still);
    memcpy(found.place, mry_place(still, at), sizeof found.place);
    memcpy(found.turn, mry_turn(still, at), sizeof found.turn);
    return found;
}

/* ---- what is above it ------------------------------------------------------------------------ */

static mry_rot rot_of(const float *q)
{
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

static void put(mry_rot turn, float *q)
{
    q[0] = (float)turn.w;
    q[1] = (float)turn.x;
    q[2] = (float)turn.y;
    q[3] = (float)turn.z;
    mry_quat_normalize(q);
}

void mry_carrier_out(const mry_carrier *carrier, double *place, float *turn)
{
    if (carrier->joint == 0) return;
    mry_quat_rotate_double(carrier->turn, place, place);
    for (int i = 0; i < 3; i++) place[i] += carrier->place[i];
    if (turn) put(mry_rot_times(rot_of(carrier->turn), rot_of(turn)), turn);
}

void mry_carrier_in(const mry_carrier *carrier, double *place, float *turn)
{
    if (carrier->joint == 0) return;
    const float *q = carrier->turn, back[4] = { q[0], -q[1], -q[2], -q[3] };
    for (int i = 0; i < 3; i++) place[i] -= carrier->place[i];
    mry_quat_rotate_double(back, place, place);
    if (turn) put(mry_rot_times(rot_of(back), rot_of(turn)), turn);
}

void mry_carrier_hold(const mry_carrier *carrier, const marey_clip *clip, double *places,
                      float *turns)
{
    if (carrier->joint == 0 || same_root(places, turns, carrier->place, carrier->turn, 0, 0))
        return;
    mry_carrier own = { .joint = carrier->joint };
    double *place = places + 3 * clip->slot[carrier->joint];
    float *turn = turns + 4 * carrier->joint;
    memcpy(own.place, places, sizeof own.place);
    memcpy(own.turn, turns, sizeof own.turn);
    mry_carrier_out(&own, place, turn);
    mry_carrier_in(carrier, place, turn);
    memcpy(places, carrier->place, sizeof carrier->place);
    memcpy(turns, carrier->turn, sizeof carrier->turn);
}
