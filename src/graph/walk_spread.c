/* walk_spread.c - transitions without a jump: what differs between the two motions where they meet is spread over the frames
   before and behind, so that both are at the mean of the two there and themselves some frames away.

       before   k - 1 - half  ...  k - 1 | k  ...  k - 1 + half   behind
                     0        ...   -1/2 | +1/2 ...    0          share of (first - second)

   What is spread is small steps: of the pelvis, its way and turn in the world; of the joints, their turns in their own axes.
   A frame near several transitions takes a share of each. */
#include "graph/walk_data.h"

#include "math/quat.h"

#include <string.h>

/* ---- poses ----------------------------------------------------------------------------------------------- */

typedef struct pose {
    double *places;
    float *turns;
} pose;

/* What must be added to the second of two poses for the first: turns as axis times radians. */
typedef struct difference {
    mry_vec shift, turn; /* of the pelvis, in the world */
    mry_vec *turns;      /* of the joints, in their own axes; 0 where the pelvis says it */
    double *places;      /* of the movers likewise */
} difference;

typedef struct spreading {
    const mry_walker *w;
    int joints, movers;
    pose first, second, helper;
    difference off;
} spreading;

static mry_vec log_of(mry_rot q)
{
    mry_vec v = { q.x, q.y, q.z };
    double length = mry_vec_length(v), way = q.w < 0 ? -1 : 1;
    if (length < 1e-9) return (mry_vec){ 0, 0, 0 };
    return mry_vec_scale(v, way * 2 * atan2(length, fabs(q.w)) / length);
}

static mry_rot turn_of(mry_vec v)
{
    double angle = mry_vec_length(v);
    if (angle < 1e-12) return (mry_rot){ 1, 0, 0, 0 };
    return mry_rot_about(v.x / angle, v.y / angle, v.z / angle, angle);
}

static mry_rot rot_at(const float *turns, int joint)
{
    const float *q = turns + 4 * joint;
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

static void put_rot(float *turns, int joint, mry_rot q)
{
    float *to = turns + 4 * joint;
    to[0] = (float)q.w;
    to[1] = (float)q.x;
    to[2] = (float)q.y;
    to[3] = (float)q.z;
    mry_quat_normalize(to);
}

static void take_pose(const spreading *s, int node, mry_floor by, pose out)
{
    const marey_clip *motion = s->w->graph->motion;
    memcpy(out.places, mry_place(motion, node), (size_t)s->movers * 3 * sizeof(double));
    memcpy(out.turns, mry_turn(motion, node), (size_t)s->joints * 4 * sizeof(float));
    mry_pose_move(&s->w->body, by, out.places, out.turns);
}

/* The joints whose turn the pelvis' in the world says. */
static bool is_trunk(const mry_trunk *body, int joint)
{
    return joint == 0 || (body->still_root && joint == body->pelvis);
}

/* ---- differences ------------------------------------------------------------------------------------------- */

static void subtract(spreading *s, pose first, pose second, difference *out)
{
    const mry_trunk *body = &s->w->body;
    mry_rigid a = mry_pose_pelvis(body, first.places, first.turns);
    mry_rigid b = mry_pose_pelvis(body, second.places, second.turns);
    out->shift = mry_vec_sub(a.shift, b.shift);
    out->turn = log_of(mry_rot_times(a.turn, mry_rot_back(b.turn)));
    for (int j = 0; j < s->joints; j++) {
        mry_rot way = { 1, 0, 0, 0 };
        if (!is_trunk(body, j))
            way = mry_rot_times(mry_rot_back(rot_at(second.turns, j)), rot_at(first.turns, j));
        out->turns[j] = log_of(way);
    }
    for (int m = 0; m < s->movers; m++) {
        bool trunk = is_trunk(body, body->clip->mover[m]);
        for (int i = 3 * m; i < 3 * m + 3; i++)
            out->places[i] = trunk ? 0 : first.places[i] - second.places[i];
    }
}

/* Adds a share of a difference. */
static void add(const spreading *s, const difference *off, double share, pose to)
{
    const mry_trunk *body = &s->w->body;
    mry_rigid pelvis = mry_pose_pelvis(body, to.places, to.turns);
    for (int j = 0; j < s->joints; j++) {
        if (is_trunk(body, j)) continue;
        mry_rot by = turn_of(mry_vec_scale(off->turns[j], share));
        put_rot(to.turns, j, mry_rot_times(rot_at(to.turns, j), by));
    }
    for (int i = 0; i < 3 * s->movers; i++) to.places[i] += share * off->places[i];
    pelvis.shift = mry_vec_add(pelvis.shift, mry_vec_scale(off->shift, share));
    pelvis.turn = mry_rot_times(turn_of(mry_vec_scale(off->turn, share)), pelvis.turn);
    mry_pose_set_pelvis(body, pelvis, to.places, to.turns);
}

/* A motion's pose one frame past `node`, which comes from `other`, if it went on as it does between the two. */
static void guess_beyond(spreading *s, int other, int node, mry_floor by, pose out)
{
    take_pose(s, node, by, out);
    if (other < 0) return;
    take_pose(s, other, by, s->helper);
    subtract(s, out, s->helper, &s->off);
    add(s, &s->off, 1, out);
}

/* Both motions in one frame: where the first one ends, or if the second is not known there any more, where it begins. */
static void find_difference(spreading *s, int frame)
{
    const mry_walker *w = s->w;
    const marey_graph *graph = w->graph;
    int from = w->walk->nodes[frame - 1], to = w->walk->nodes[frame];
    mry_floor at = w->at[frame - 1], behind = w->at[frame];
    if (graph->before[to] >= 0) {
        take_pose(s, from, at, s->first);
        take_pose(s, graph->before[to], behind, s->second);
    } else if (graph->next[from] >= 0) {
        take_pose(s, graph->next[from], at, s->first);
        take_pose(s, to, behind, s->second);
    } else {
        guess_beyond(s, graph->before[from], from, at, s->first);
        take_pose(s, to, behind, s->second);
    }
    subtract(s, s->first, s->second, &s->off);
}

/* ---- spreading them ------------------------------------------------------------------------------------------ */

static void spread(spreading *s, int frame)
{
    const mry_walker *w = s->w;
    int half = w->graph->half[w->step[frame]], centre = frame - 1;
    find_difference(s, frame);
    for (int f = centre - half; f <= centre + half; f++) {
        if (f < 0 || f >= w->walk->count) continue;
        int away = f < frame ? centre - f : f - centre;
        double share = (f < frame ? -0.5 : 0.5) * mry_spread(away, half);
        add(s, &s->off, share, (pose){ mry_place(w->made, f), mry_turn(w->made, f) });
    }
}

static bool take_pose_room(mry_arena *tmp, const spreading *s, pose *out)
{
    out->places = MRY_NEW_RAW(tmp, double, 3 * s->movers);
    out->turns = MRY_NEW_RAW(tmp, float, 4 * s->joints);
    return out->places && out->turns;
}

bool mry_walk_spread(const mry_walker *w)
{
    mry_arena tmp = mry_arena_make(w->ctx);
    spreading s = { .w = w,
                    .joints = w->made->skeleton.joint_count,
                    .movers = w->made->mover_count };
    s.off.turns = MRY_NEW_RAW(&tmp, mry_vec, s.joints);
    s.off.places = MRY_NEW_RAW(&tmp, double, 3 * s.movers);
    bool room = take_pose_room(&tmp, &s, &s.first) && take_pose_room(&tmp, &s, &s.second) &&
                take_pose_room(&tmp, &s, &s.helper) && s.off.turns && s.off.places;
    for (int f = 1; f < w->walk->count && room; f++) {
        if (w->step[f] >= 0) spread(&s, f);
    }
    mry_arena_free(&tmp);
    return room;
}
