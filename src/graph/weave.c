/* weave.c - motion between two strands of phases with the same contacts (Safonova & Hodgins 2005).

   A frame of either motion is seen from the floor below its pelvis, facing as the pelvis does; so
   seen, turns, heights and the centre of mass are mixed. On the floor the mix goes on from frame to
   frame by the mean of what the two go on by, each in its own heading: two people who walk in
   different directions give one who walks. The centre of mass is mixed instead of the pelvis, so
   that it falls as bodies fall; at the end the feet that stand are held. */
#include "graph/weave.h"
#include "base/fail.h"
#include "blend/blend_pose.h"
#include "math/quat.h"
#include "param/body_mass.h"

#include <math.h>
#include <string.h>

/* ---- which frames belong together, and how long it takes ------------------------------------ */

/* At most so many frames in a row of one phase alone belong to one frame of the other. */
enum { SLOPE = 2 };

static void put_knot(mry_knots *knots, int phase, double a, double b, bool flight)
{
    knots->a[knots->count] = a;
    knots->b[knots->count] = b;
    knots->flight[knots->count] = flight;
    knots->phase[knots->count] = phase;
    knots->close[knots->count++] = 0;
}

static void find_closest(mry_knots *knots)
{
    knots->least = INFINITY;
    for (int k = 0; k + 1 < knots->count; k++) {
        if (!knots->close[k] || !(knots->distance[k] < knots->least)) continue;
        knots->least = knots->distance[k];
        knots->closest = k;
    }
}

mry_knots mry_knots_of(const mry_knots *knots, int first_phase, int end_phase)
{
    int first = 0, last = 0;
    while (knots->phase[first] < first_phase) first++;
    for (last = first; last + 1 < knots->count && knots->phase[last] < end_phase;) last++;
    mry_knots some = { .count = last - first + 1,
                       .a = knots->a + first,
                       .b = knots->b + first,
                       .flight = knots->flight + first,
                       .close = knots->close + first,
                       .distance = knots->distance + first,
                       .phase = knots->phase + first };
    find_closest(&some);
    return some;
}

bool mry_weave_align(const mry_clouds *clouds, const mry_phase *phases, const mry_strand *strand,
                     mry_arena *mem, mry_knots *out)
{
    size_t room = 2 * (size_t)strand->count + 1;
    *out = (mry_knots){ .a = MRY_NEW_RAW(mem, double, room),
                        .b = MRY_NEW_RAW(mem, double, room),
                        .flight = MRY_NEW(mem, uint8_t, room),
                        .close = MRY_NEW(mem, uint8_t, room),
                        .distance = MRY_NEW(mem, double, room),
                        .phase = MRY_NEW(mem, int, room) };
    if (!out->a || !out->b || !out->flight || !out->close || !out->distance || !out->phase)
        return false;
    for (int phase = 0; phase < strand->count; phase++) {
        const mry_phase *a = &phases[strand->a + phase], *b = &phases[strand->b + phase];
        int shorter = a->count < b->count ? a->count : b->count;
        int longer = a->count < b->count ? b->count : a->count, row = 0, col = 0;
        double least = INFINITY;
        if (a->feet != 0 && shorter > 1 && longer - 1 <= (SLOPE + 1) * (shorter - 1)) {
            /* A path of that slope leads through both: the pair on the best one that is closest. */
            mry_arena tmp = mry_arena_make(mem->ctx);
            float *cost = MRY_NEW_RAW(&tmp, float, (size_t)a->count *(size_t)b->count);
            for (int i = 0; cost && i < a->count; i++) {
                for (int j = 0; j < b->count; j++)
                    cost[(size_t)i * (size_t)b->count + (size_t)j] =
                        mry_cloud_distance(clouds, a->first + i, b->first + j);
            }
            marey_path path = { 0 };
            marey_rows rows = { cost, a->count, b->count, (size_t)b->count };
            marey_align_def def = { .slope = SLOPE };
            bool done = cost && marey_align(mem->ctx, rows, &def, &path, NULL) == MAREY_OK;
            for (int k = 0; done && k < path.count; k++) {
                marey_cell at = path.cells[k];
                double d = (double)cost[(size_t)at.row * (size_t)b->count + (size_t)at.col];
                if (!(d < least) || (k > 0 && (at.row == 0 || at.col == 0))) continue;
                least = d;
                row = at.row;
                col = at.col;
            }
            mry_arena_free(&tmp);
            marey_path_free(&path);
            if (!done) return false;
        } else {
            /* Time runs evenly, along the longer one's frames; those that are whole nodes of both
               may be the closest. */
            for (int64_t k = 0; k < longer; k++) {
                if (k * a->count % longer || k * b->count % longer) continue;
                int i = (int)(k * a->count / longer), j = (int)(k * b->count / longer);
                double d = (double)mry_cloud_distance(clouds, a->first + i, b->first + j);
                if (!(d < least)) continue;
                least = d;
                row = i;
                col = j;
            }
        }
        put_knot(out, phase, a->first, b->first, a->feet == 0);
        if (row > 0) put_knot(out, phase, a->first + row, b->first + col, a->feet == 0);
        /* The last one is of whole nodes, at which one can change over. */
        out->close[out->count - 1] = 1;
        out->distance[out->count - 1] = least;
    }
    const mry_phase *a = &phases[strand->a + strand->count - 1];
    const mry_phase *b = &phases[strand->b + strand->count - 1];
    put_knot(out, strand->count, a->first + a->count, b->first + b->count, false);
    find_closest(out);
    return true;
}

bool mry_weave_times_find(const mry_knots *knots, double weight, mry_arena *mem,
                          mry_weave_times *out)
{
    double *when = MRY_NEW(mem, double, knots->count);
    *out = (mry_weave_times){ .at = MRY_NEW(mem, int, knots->count) };
    if (!when || !out->at) return false;
    /* In frames, from a knot to the next. */
    for (int k = 0; k + 1 < knots->count; k++) {
        double a = knots->a[k + 1] - knots->a[k], b = knots->b[k + 1] - knots->b[k];
        double way = knots->flight[k] ? sqrt((1 - weight) * a * a + weight * b * b)
                                      : (1 - weight) * a + weight * b;
        when[k + 1] = when[k] + way;
    }
    double first = when[knots->closest] - floor(when[knots->closest] + 1e-9);
    if (first < 0) first = 0;
    double total = when[knots->count - 1];
    int frames = (int)ceil(total - first - 1e-9);
    out->frames = frames < 1 ? 1 : frames;
    out->a = MRY_NEW(mem, double, out->frames);
    out->b = MRY_NEW(mem, double, out->frames);
    if (!out->a || !out->b) return false;
    for (int f = 0, k = 0; f < out->frames; f++) {
        /* The pair of nodes at a time, `reach` knots' times being known. */
        double time = first + f;
        while (k + 2 < knots->count && time >= when[k + 1]) ++k;
        double length = when[k + 1] - when[k];
        double share = length > 0 ? fmin(fmax((time - when[k]) / length, 0), 1) : 0;
        out->a[f] = knots->a[k] + share * (knots->a[k + 1] - knots->a[k]);
        out->b[f] = knots->b[k] + share * (knots->b[k + 1] - knots->b[k]);
    }
    for (int k = 0; k < knots->count; k++) {
        int at = (int)lround(when[k] - first);
        out->at[k] = at >= 0 && at < out->frames ? at : -1;
    }
    return true;
}

/* ---- frames between ------------------------------------------------------------------------- */

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

static mry_vec seen_from(mry_floor floor, mry_vec at)
{
    mry_floor back = mry_floor_back(floor);
    mry_floor_apply(back, &at.x, &at.z);
    return at;
}

static mry_vec mass_of(weaver *w, const side *pose)
{
    const marey_clip *motion = w->graph->motion;
    for (int j = 0; j < motion->skeleton.joint_count; j++) {
        const double *from =
            motion->slot[j] >= 0 ? pose->places + 3 * motion->slot[j] : motion->joints[j].offset_cm;
        memcpy(w->locals + 3 * j, from, 3 * sizeof(double));
    }
    marey_pose_positions(&motion->skeleton, w->locals, pose->turns, w->positions);
    double mass[3];
    mry_body_mass(&motion->skeleton, w->positions, mass);
    return (mry_vec){ mass[0], mass[1], mass[2] };
}

/* A node between nodes; held to its sequence. */
static void take(weaver *w, side *pose, double node)
{
    const marey_clip *motion = w->graph->motion;
    int at = (int)floor(node + 1e-9);
    if (at >= w->graph->originals) at = w->graph->originals - 1;
    int next = w->graph->next[at] >= 0 ? w->graph->next[at] : at;
    double share = fmin(fmax(node - at, 0), 1);
    mry_clip_mix(motion, at, next, share, pose->places, pose->turns);
    /* Seen from the floor below its pelvis. */
    mry_rigid pelvis = mry_pose_pelvis(&w->body, pose->places, pose->turns);
    /* The turn about the vertical that is in its turn; what it was before where it is not
       defined. */
    mry_rot turn = pelvis.turn;
    double before = pose->floor.angle, angle = 2 * atan2(turn.y, turn.w);
    if (!(turn.w * turn.w + turn.y * turn.y < 1e-4))
        pose->floor.angle = before + remainder(angle - before, 2 * M_PI);
    pose->floor.x = pelvis.shift.x;
    pose->floor.z = pelvis.shift.z;
    mry_rigid under = mry_rigid_on_floor(pose->floor);
    pose->pelvis = mry_rigid_times(mry_rigid_back(under), pelvis);
    pose->mass = seen_from(pose->floor, mass_of(w, pose));
}

/* What one goes on by, in its own heading. */
static mry_floor way(mry_floor from, mry_floor to)
{
    return mry_floor_times(mry_floor_back(from), to);
}

static void make_frames(weaver *w, const mry_weave_times *times, marey_clip *clip)
{
    mry_floor at = { 0 };
    for (int f = 0; f < times->frames; f++) {
        mry_floor a = w->a.floor, b = w->b.floor;
        take(w, &w->a, times->a[f]);
        take(w, &w->b, times->b[f]);
        if (f == 0) {
            at = w->a.floor;
        } else {
            double weight = w->weight;
            mry_floor p = way(a, w->a.floor), q = way(b, w->b.floor);
            mry_floor mean = { (1 - weight) * p.angle + weight * q.angle,
                               (1 - weight) * p.x + weight * q.x,
                               (1 - weight) * p.z + weight * q.z };
            at = mry_floor_times(at, mean);
        }
        w->made.places = mry_place(clip, f);
        w->made.turns = mry_turn(clip, f);
        /* Turns, and places of what moves. */
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
        /* The pelvis over a place of the floor, then moved by what its centre of mass is off. */
        mry_rigid under = mry_rigid_on_floor(at);
        mry_rigid pelvis = { mry_rot_mix(w->a.pelvis.turn, w->b.pelvis.turn, w->weight),
                             mry_vec_mix(w->a.pelvis.shift, w->b.pelvis.shift, w->weight) };
        mry_vec wanted = mry_vec_mix(w->a.mass, w->b.mass, w->weight);
        mry_pose_set_pelvis(&w->body, mry_rigid_times(under, pelvis), w->made.places,
                            w->made.turns);
        mry_vec off = mry_vec_sub(wanted, seen_from(at, mass_of(w, &w->made)));
        pelvis.shift = mry_vec_add(pelvis.shift, off);
        mry_pose_set_pelvis(&w->body, mry_rigid_times(under, pelvis), w->made.places,
                            w->made.turns);
    }
}

marey_status mry_weave(const marey_graph *graph, const mry_knots *knots, double weight,
                       mry_arena *mem, mry_woven *out, marey_error *error)
{
    *out = (mry_woven){ 0 };
    if (!mry_weave_times_find(knots, weight, mem, &out->times)) return mry_fail_memory(error, NULL);
    const marey_clip *motion = graph->motion;
    size_t joints = (size_t)motion->skeleton.joint_count;
    weaver w = { .graph = graph,
                 .weight = weight,
                 .body = mry_trunk_of(motion, &graph->body),
                 .positions = MRY_NEW(mem, double, 3 * joints),
                 .locals = MRY_NEW(mem, double, 3 * joints) };
    bool room = w.positions && w.locals;
    for (int k = 0; k < 2 && room; k++) {
        side *one = k ? &w.b : &w.a;
        one->places = MRY_NEW(mem, double, 3 * (size_t)motion->mover_count);
        one->turns = MRY_NEW(mem, float, 4 * joints);
        room = one->places && one->turns;
    }
    if (!room) return mry_fail_memory(error, NULL);
    out->contacts = MRY_NEW(mem, uint8_t, out->times.frames);
    out->clip = mry_clip_make_like(motion, out->times.frames, graph->fps);
    if (!out->contacts || !out->clip) return mry_fail_memory(error, NULL);
    make_frames(&w, &out->times, out->clip);
    for (int f = 0; f < out->times.frames; f++) {
        int first = (int)floor(out->times.a[f] + 1e-9), second = (int)floor(out->times.b[f] + 1e-9);
        if (first >= graph->originals) first = graph->originals - 1;
        if (second >= graph->originals) second = graph->originals - 1;
        out->contacts[f] =
            mry_mixed_contacts(graph->contacts[first], graph->contacts[second], weight);
    }
    /* Feet that stand are held. */
    marey_contact *plants = MRY_NEW(mem, marey_contact, 3 * (size_t)out->times.frames + 6);
    if (!plants) return mry_fail_memory(error, NULL);
    int count = 0;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int f = 0; f < out->times.frames;) {
            int end = f;
            while (end < out->times.frames && (out->contacts[end] >> joint & 1)) end++;
            if (end > f)
                plants[count++] =
                    (marey_contact){ .joint = (marey_contact_joint)joint, .start = f, .end = end };
            f = end > f ? end : f + 1;
        }
    }
    marey_clip *held = NULL;
    marey_status status = marey_clip_clean(out->clip, plants, count, NULL, &held, NULL, error);
    if (status) return status;
    marey_clip_free(out->clip);
    out->clip = held;
    return MAREY_OK;
}
