/* walk_rate.c - the frames of a walk, at any rate. Between nodes, places and turns follow a cubic through the four around (Catmull
   & Rom 1974; turns as small turns from the node before): a graph has 30 frames a second and clips up to 120, and going straight
   from node to node would show as a kink in every fourth. The four are of one motion, as it was captured or interpolated, never
   of both sides of a transition, where a cubic would swing. Frames that fall on a node are its own. */
#include "base/fail.h"
#include "graph/walk_data.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

/* Nearer than this to a frame is that frame, as marey_clip_resample has it. */
#define WHOLE 1e-6
#define PI 3.14159265358979323846

/* ---- times ------------------------------------------------------------------------------------------------- */

int marey_walk_frame(const marey_graph *graph, int frame, double fps)
{
    return (int)fmin(ceil(frame * (fps / graph->fps) - WHOLE), MRY_MOST_FRAMES);
}

/* The last one that is not behind a frame of the walk. */
static double last_frame(const marey_graph *graph, int frame, double fps)
{
    return floor(frame * (fps / graph->fps) + WHOLE);
}

/* ---- between frames ------------------------------------------------------------------------------------------ */

/* What is at a share t of the way from the second to the third of four. */
static void find_shares(double t, double *out)
{
    out[0] = 0.5 * t * (-1 + t * (2 - t));
    out[1] = 1 + 0.5 * t * t * (-5 + 3 * t);
    out[2] = 0.5 * t * (1 + t * (4 - 3 * t));
    out[3] = 0.5 * t * t * (t - 1);
}

static mry_vec turn_from(const float *a, const float *b)
{
    float way[4];
    mry_quat_between(a, b, way);
    mry_vec v = { (double)way[1], (double)way[2], (double)way[3] };
    double length = mry_vec_length(v), w = (double)way[0];
    if (length < 1e-9) return (mry_vec){ 0, 0, 0 };
    return mry_vec_scale(v, (w < 0 ? -2 : 2) * atan2(length, fabs(w)) / length);
}

static void turn_by(const float *q, mry_vec by, float *out)
{
    double angle = mry_vec_length(by), half = angle < 1e-12 ? 0.5 : sin(angle / 2) / angle;
    float way[4] = { (float)cos(angle / 2), (float)(half * by.x), (float)(half * by.y),
                     (float)(half * by.z) };
    mry_quat_multiply(q, way, out);
    mry_quat_normalize(out);
}

/* A frame that is not there goes on as the two in the middle do. */
static mry_vec outer_turn(const marey_clip *clip, int frame, int joint, const float *middle,
                          mry_vec instead)
{
    return frame < 0 ? instead : turn_from(middle, mry_turn(clip, frame) + 4 * joint);
}

void mry_walk_between(const marey_clip *clip, const int *frames, double t, double *places,
                      float *turns)
{
    double s[4];
    const double *p[4];
    find_shares(t, s);
    for (int k = 0; k < 4; k++) p[k] = frames[k] < 0 ? NULL : mry_place(clip, frames[k]);
    for (int i = 0; i < 3 * clip->mover_count; i++) {
        double b = p[1][i], c = p[2][i];
        double a = p[0] ? p[0][i] : 2 * b - c, d = p[3] ? p[3][i] : 2 * c - b;
        places[i] = s[0] * a + s[1] * b + s[2] * c + s[3] * d;
    }
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const float *q = mry_turn(clip, frames[1]) + 4 * j;
        mry_vec c = turn_from(q, mry_turn(clip, frames[2]) + 4 * j);
        mry_vec a = outer_turn(clip, frames[0], j, q, mry_vec_scale(c, -1));
        mry_vec d = outer_turn(clip, frames[3], j, q, mry_vec_scale(c, 2));
        mry_vec by = mry_vec_add(mry_vec_scale(a, s[0]), mry_vec_scale(c, s[2]));
        turn_by(q, mry_vec_add(by, mry_vec_scale(d, s[3])), turns + 4 * j);
    }
}

/* ---- all frames ---------------------------------------------------------------------------------------------- */

/* Over a transition both motions can say what is between its two nodes; which does, and where it is laid. t goes on from the
   second of `around`. */
static mry_floor find_around(const mry_walker *w, int frame, int *around, double *t)
{
    const marey_graph *graph = w->graph;
    int from = w->walk->nodes[frame - 1], to = w->walk->nodes[frame];
    bool second = w->step[frame] >= 0 && graph->before[to] >= 0;
    int b = second ? graph->before[to] : from, c = second ? to : graph->next[from];
    if (from == to) b = c = from;
    if (c < 0 && graph->before[from] >= 0) { /* as it went so far, beyond what is known */
        c = from;
        b = graph->before[from];
        *t += 1;
    }
    around[0] = c == from ? -1 : graph->before[b];
    around[1] = b;
    around[2] = c < 0 ? b : c;
    around[3] = c < 0 || c == from ? -1 : graph->next[c];
    return w->at[second ? frame : frame - 1];
}

/* How a frame between two nodes of a sequence is laid, the pelvis first: straight from where the one has it to where the other does. */
static mry_floor lay_between(const mry_walker *w, int frame, double t, mry_vec body)
{
    mry_floor a = w->at[frame], b = w->at[frame + 1];
    if (a.angle == b.angle && a.x == b.x && a.z == b.z) return a;
    double to[2][2] = { { body.x, body.z }, { body.x, body.z } }, x = body.x, z = body.z;
    mry_floor_apply(a, &to[0][0], &to[0][1]);
    mry_floor_apply(b, &to[1][0], &to[1][1]);
    mry_floor mix = { .angle = a.angle + t * remainder(b.angle - a.angle, 2 * PI) };
    mry_floor_turn(mix.angle, &x, &z);
    mix.x = to[0][0] + t * (to[1][0] - to[0][0]) - x;
    mix.z = to[0][1] + t * (to[1][1] - to[0][1]) - z;
    return mix;
}

static void put_frame(const mry_walker *w, int frame)
{
    const marey_clip *motion = w->graph->motion;
    const mry_carrier *body = &w->graph->body;
    double when = mry_walk_when(w, frame), t = when - floor(when);
    int f = (int)when, around[4];
    mry_floor at = w->at[f];
    if (t > 0) {
        at = find_around(w, f + 1, around, &t);
        mry_walk_between(motion, around, t, mry_place(w->made, frame), mry_turn(w->made, frame));
        mry_carrier_hold(body, w->made, mry_place(w->made, frame), mry_turn(w->made, frame));
        if (w->step[f + 1] < 0) at = lay_between(w, f, t, mry_carrier_at(body, w->made, frame));
    } else {
        mry_clip_copy_frames(w->made, frame, motion, w->walk->nodes[f], 1);
    }
    if (at.angle == 0 && at.x == 0 && at.z == 0) return; /* its own bytes */
    mry_pose_move(&w->body, at, mry_place(w->made, frame), mry_turn(w->made, frame));
}

double mry_walk_when(const mry_walker *w, int frame)
{
    double at = fmin(frame * (w->graph->fps / w->made->fps), w->walk->count - 1);
    double whole = floor(at + 0.5);
    return fabs(at - whole) < WHOLE ? whole : at;
}

marey_status mry_walk_put(mry_walker *w, double fps, int most, marey_error *error)
{
    double frames = last_frame(w->graph, w->walk->count - 1, fps) + 1;
    if (most > 0) frames = fmin(frames, most);
    if (frames > MRY_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "%.0f frames; marey makes at most %d", frames,
                        (int)MRY_MOST_FRAMES);
    marey_clip_free(w->made);
    w->made = mry_clip_make_like(w->graph->motion, (int)frames, fps);
    if (!w->made) return mry_fail_memory(error, NULL);
    for (int f = 0; f < w->made->frames; f++) {
        if (f % 1024 == 0 && !mry_progress(w->ctx, "making the walk", f, w->made->frames))
            return mry_fail_cancelled(error);
        put_frame(w, f);
    }
    return MAREY_OK;
}

/* A plant lasts from its first node to its last one: what is between that and the next is on its way. */
void mry_walk_plants_at(const mry_walker *w, marey_contacts *plants)
{
    double fps = w->made->fps;
    int kept = 0;
    for (int n = 0; n < plants->count; n++) {
        marey_contact plant = plants->items[n];
        plant.start = marey_walk_frame(w->graph, plant.start, fps);
        plant.end = (int)fmin(last_frame(w->graph, plant.end - 1, fps) + 1, w->made->frames);
        if (plant.start < plant.end) plants->items[kept++] = plant;
    }
    plants->count = kept;
}
