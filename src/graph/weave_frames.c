/* weave_frames.c - motion between two strands of phases with the same contacts (Safonova & Hodgins 2005).

   A frame of either motion is seen from the floor below its pelvis, facing as the pelvis does; so seen, turns, heights and
   the centre of mass are mixed. On the floor the mix goes on from frame to frame by the mean of what the two go on by,
   each in its own heading: two people who walk in different directions give one who walks. The centre of mass is mixed
   instead of the pelvis, so that it falls as bodies fall; at the end the feet that stand are held. */
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "graph/weave.h"
#include "math/quat.h"
#include "param/body_mass.h"

#include <math.h>
#include <string.h>

/* A pose as it is mixed. */
typedef struct side {
    double *places;
    float *turns;
    mry_floor floor;  /* under the pelvis, facing as it does */
    mry_rigid pelvis; /* seen from there */
    mry_vec mass;     /* likewise */
} side;

typedef struct weaver {
    const marey_graph *graph;
    mry_trunk body;
    side a, b, made;
    double *positions; /* of a pose */
    double *locals;    /* its translations, joint by joint */
    double weight;
} weaver;

/* ---- looking at a pose -------------------------------------------------------------------------------- */

/* The turn about the vertical that is in a turn; what it was before where it cannot be told. */
static double heading_of(mry_rot turn, double before)
{
    double length = turn.w * turn.w + turn.y * turn.y;
    if (length < 1e-4) return before;
    double angle = 2 * atan2(turn.y, turn.w);
    return before + remainder(angle - before, 2 * M_PI);
}

static mry_vec seen_from(mry_floor floor, mry_vec at)
{
    mry_floor back = mry_floor_back(floor);
    mry_floor_apply(back, &at.x, &at.z);
    return at;
}

static mry_vec mass_of(weaver *w, const side *of)
{
    const marey_clip *motion = w->graph->motion;
    for (int j = 0; j < motion->skeleton.joint_count; j++) {
        const double *from =
            motion->slot[j] >= 0 ? of->places + 3 * motion->slot[j] : motion->joints[j].offset_cm;
        memcpy(w->locals + 3 * j, from, 3 * sizeof(double));
    }
    marey_pose_positions(&motion->skeleton, w->locals, of->turns, w->positions);
    double mass[3];
    mry_body_mass(&motion->skeleton, w->positions, mass);
    return (mry_vec){ mass[0], mass[1], mass[2] };
}

static void look(weaver *w, side *of)
{
    mry_rigid pelvis = mry_pose_pelvis(&w->body, of->places, of->turns);
    of->floor.angle = heading_of(pelvis.turn, of->floor.angle);
    of->floor.x = pelvis.shift.x;
    of->floor.z = pelvis.shift.z;
    mry_rigid under = mry_rigid_on_floor(of->floor);
    of->pelvis = mry_rigid_times(mry_rigid_back(under), pelvis);
    of->mass = seen_from(of->floor, mass_of(w, of));
}

/* A node between nodes; held to its sequence. */
static void take(weaver *w, side *of, double node)
{
    const marey_clip *motion = w->graph->motion;
    int at = (int)floor(node + 1e-9);
    if (at >= w->graph->originals) at = w->graph->originals - 1;
    int next = w->graph->next[at] >= 0 ? w->graph->next[at] : at;
    double share = fmin(fmax(node - at, 0), 1);
    mry_clip_mix(motion, at, next, share, of->places, of->turns);
    look(w, of);
}

/* ---- mixing -------------------------------------------------------------------------------------------- */

static void mix_turns(weaver *w)
{
    int joints = w->graph->motion->skeleton.joint_count;
    for (int j = 0; j < 4 * joints; j += 4) {
        const float *p = w->a.turns + j, *q = w->b.turns + j;
        mry_rot mixed = mry_rot_mix((mry_rot){ p[0], p[1], p[2], p[3] },
                                    (mry_rot){ q[0], q[1], q[2], q[3] }, w->weight);
        float *to = w->made.turns + j;
        to[0] = (float)mixed.w;
        to[1] = (float)mixed.x;
        to[2] = (float)mixed.y;
        to[3] = (float)mixed.z;
    }
    for (int m = 0; m < 3 * w->graph->motion->mover_count; m++)
        w->made.places[m] = (1 - w->weight) * w->a.places[m] + w->weight * w->b.places[m];
}

/* The pelvis over a place of the floor, then moved by what its centre of mass is off. */
static void put(weaver *w, mry_floor floor)
{
    mry_rigid under = mry_rigid_on_floor(floor);
    mry_rigid pelvis = { mry_rot_mix(w->a.pelvis.turn, w->b.pelvis.turn, w->weight),
                         mry_vec_mix(w->a.pelvis.shift, w->b.pelvis.shift, w->weight) };
    mry_vec wanted = mry_vec_mix(w->a.mass, w->b.mass, w->weight);
    mry_pose_set_pelvis(&w->body, mry_rigid_times(under, pelvis), w->made.places, w->made.turns);
    mry_vec off = mry_vec_sub(wanted, seen_from(floor, mass_of(w, &w->made)));
    pelvis.shift = mry_vec_add(pelvis.shift, off);
    mry_pose_set_pelvis(&w->body, mry_rigid_times(under, pelvis), w->made.places, w->made.turns);
}

/* What one goes on by, in its own heading. */
static mry_floor way(mry_floor from, mry_floor to)
{
    return mry_floor_times(mry_floor_back(from), to);
}

static mry_floor mean_way(mry_floor a, mry_floor b, double weight)
{
    return (mry_floor){ (1 - weight) * a.angle + weight * b.angle,
                        (1 - weight) * a.x + weight * b.x, (1 - weight) * a.z + weight * b.z };
}

static void make_frames(weaver *w, const mry_weave_times *times, marey_clip *clip)
{
    mry_floor at = { 0 };
    for (int f = 0; f < times->frames; f++) {
        mry_floor a = w->a.floor, b = w->b.floor;
        take(w, &w->a, times->a[f]);
        take(w, &w->b, times->b[f]);
        if (f == 0)
            at = w->a.floor;
        else
            at = mry_floor_times(at, mean_way(way(a, w->a.floor), way(b, w->b.floor), w->weight));
        w->made.places = mry_place(clip, f);
        w->made.turns = mry_turn(clip, f);
        mix_turns(w);
        put(w, at);
    }
}

/* ---- feet ----------------------------------------------------------------------------------------------- */

/* Points that are planted in both; where that leaves a foot that stands without one, those of the nearer motion. */
static uint8_t contacts_at(const marey_graph *graph, double a, double b, double weight)
{
    int first = (int)floor(a + 1e-9), second = (int)floor(b + 1e-9);
    if (first >= graph->originals) first = graph->originals - 1;
    if (second >= graph->originals) second = graph->originals - 1;
    unsigned p = graph->contacts[first], q = graph->contacts[second], both = p & q;
    unsigned near = weight < 0.5 ? p : q;
    for (unsigned foot = 3; foot <= 12; foot *= 4) {
        if (!(both & foot) && (p & foot) && (q & foot)) both |= near & foot;
    }
    return (uint8_t)both;
}

static bool list_plants(const uint8_t *bits, int frames, mry_arena *mem, marey_contacts *out)
{
    marey_contact *items = MRY_NEW(mem, marey_contact, 2 * (size_t)frames + 4);
    if (!items) return false;
    int count = 0;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int f = 0; f < frames;) {
            int end = f;
            while (end < frames && (bits[end] >> joint & 1)) end++;
            if (end > f)
                items[count++] =
                    (marey_contact){ .joint = (marey_contact_joint)joint, .start = f, .end = end };
            f = end > f ? end : f + 1;
        }
    }
    *out = (marey_contacts){ .count = count, .items = items };
    return true;
}

static marey_status hold_feet(mry_woven *woven, mry_arena *mem, marey_error *error)
{
    marey_contacts plants;
    marey_clip *held = NULL;
    if (!list_plants(woven->contacts, woven->times.frames, mem, &plants))
        return mry_fail_memory(error, NULL);
    marey_status status =
        marey_clip_clean(woven->clip, plants.items, plants.count, NULL, &held, NULL, error);
    if (status) return status;
    marey_clip_free(woven->clip);
    woven->clip = held;
    return MAREY_OK;
}

/* ---- together ------------------------------------------------------------------------------------------ */

static bool take_side(side *of, mry_arena *mem, const marey_clip *motion)
{
    of->places = MRY_NEW(mem, double, 3 * (size_t)motion->mover_count);
    of->turns = MRY_NEW(mem, float, 4 * (size_t)motion->skeleton.joint_count);
    return of->places && of->turns;
}

static bool open_weaver(weaver *w, mry_arena *mem, const marey_graph *graph, double weight)
{
    const marey_clip *motion = graph->motion;
    size_t joints = (size_t)motion->skeleton.joint_count;
    *w = (weaver){ .graph = graph, .weight = weight, .body = mry_trunk_of(motion, &graph->body) };
    w->positions = MRY_NEW(mem, double, 3 * joints);
    w->locals = MRY_NEW(mem, double, 3 * joints);
    return w->positions && w->locals && take_side(&w->a, mem, motion) &&
           take_side(&w->b, mem, motion);
}

marey_status mry_weave(const marey_graph *graph, const mry_knots *knots, double weight,
                       mry_arena *mem, mry_woven *out, marey_error *error)
{
    weaver w;
    *out = (mry_woven){ 0 };
    if (!mry_weave_times_find(knots, weight, mem, &out->times) ||
        !open_weaver(&w, mem, graph, weight))
        return mry_fail_memory(error, NULL);
    out->contacts = MRY_NEW(mem, uint8_t, out->times.frames);
    out->clip = mry_clip_make_like(graph->motion, out->times.frames, graph->fps);
    if (!out->contacts || !out->clip) return mry_fail_memory(error, NULL);
    make_frames(&w, &out->times, out->clip);
    for (int f = 0; f < out->times.frames; f++)
        out->contacts[f] = contacts_at(graph, out->times.a[f], out->times.b[f], weight);
    return hold_feet(out, mem, error);
}
