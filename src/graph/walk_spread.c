/* walk_spread.c - transitions without a jump: what differs between the two motions where they meet
   is spread over the frames before and behind, so that both are at the mean of the two there and
   themselves some frames away.

       before   k - 1 - half  ...  k - 1 | k  ...  k - 1 + half   behind
                     0        ...   -1/2 | +1/2 ...    0          share of (first - second); 1/2 unless it leans

   Where what the transition before is spread over leaves less room, less is spread before, and more
   behind, over as many frames together: as fast, and never two at once.

   What is spread is small steps: of the pelvis, its way and turn in the world; of the joints, their
   turns in their own axes. A frame near several transitions takes a share of each, in their order.
   Turns one after the other are not their sum, so what differs at a transition is found with what
   those before it add there: then both sides meet exactly, however close to each other transitions
   are. */
#include "graph/walk_data.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

/* ---- poses ----------------------------------------------------------------------------------- */

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

/* A transition that others behind it must know of. */
typedef struct earlier {
    int frame; /* that it leads to */
    difference off;
} earlier;

typedef struct spreading {
    const mry_walker *w;
    int joints, movers;
    pose first, second, helper;
    difference step; /* to reckon with */
    earlier *last;   /* the last `room` transitions, in turn */
    int room;
    int count; /* transitions so far */
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

static void take_pose(const spreading *s, int node, mry_floor place, pose out)
{
    const marey_clip *motion = s->w->graph->motion;
    memcpy(out.places, mry_place(motion, node), (size_t)s->movers * 3 * sizeof(double));
    memcpy(out.turns, mry_turn(motion, node), (size_t)s->joints * 4 * sizeof(float));
    mry_pose_move(&s->w->body, place, out.places, out.turns);
}

/* The joints whose turn the pelvis' in the world says. */
static bool is_trunk(const mry_trunk *body, int joint)
{
    return joint == 0 || (body->still_root && joint == body->pelvis);
}

/* ---- differences ----------------------------------------------------------------------------- */

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
static void add(const spreading *s, const difference *off, double share, pose target)
{
    const mry_trunk *body = &s->w->body;
    mry_rigid pelvis = mry_pose_pelvis(body, target.places, target.turns);
    for (int j = 0; j < s->joints; j++) {
        if (is_trunk(body, j)) continue;
        mry_rot by = turn_of(mry_vec_scale(off->turns[j], share));
        mry_rot q = mry_rot_times(rot_at(target.turns, j), by);
        float *turn = target.turns + 4 * j;
        turn[0] = (float)q.w;
        turn[1] = (float)q.x;
        turn[2] = (float)q.y;
        turn[3] = (float)q.z;
        mry_quat_normalize(turn);
    }
    for (int i = 0; i < 3 * s->movers; i++) target.places[i] += share * off->places[i];
    pelvis.shift = mry_vec_add(pelvis.shift, mry_vec_scale(off->shift, share));
    pelvis.turn = mry_rot_times(turn_of(mry_vec_scale(off->turn, share)), pelvis.turn);
    mry_pose_set_pelvis(body, pelvis, target.places, target.turns);
}

/* ---- spreading them -------------------------------------------------------------------------- */

/* Frames from one on that differences may be spread over: up to the next that is kept as it is. */
static int room_behind(const mry_walker *w, int frame)
{
    const uint8_t *kept = w->graph->kept;
    int at = frame;
    while (kept && at < w->walk->count && !kept[w->walk->nodes[at]]) at++;
    return kept && at < w->walk->count ? at - frame : INT32_MAX;
}

void mry_walk_spans(mry_walker *w)
{
    const marey_graph *graph = w->graph;
    int last = -1; /* frame that was spread over already, or is kept as it is */
    for (int f = 1; f < w->walk->count; f++) {
        if (graph->kept && graph->kept[w->walk->nodes[f - 1]]) last = f - 1;
        if (w->step[f] < 0) continue;
        int half = graph->half[w->step[f]], room = f - 2 - last, free = room_behind(w, f);
        mry_span span = { half, half, graph->lean ? graph->lean[w->step[f]] : 0.5 };
        if (!graph->lean && (room < half || free < half)) {
            if (room < 0) room = 0;
            span.behind = half < free ? half : free;
            span.before = 2 * half - span.behind < room ? 2 * half - span.behind : room;
            span.behind = 2 * half - span.before < free ? 2 * half - span.before : free;
            span.lean = (span.before + 1.0) / (span.before + span.behind + 2);
        }
        w->span[f] = span;
        last = f - 1 + span.behind;
    }
}

/* The share of the difference that is added so long, in frames of the walk, behind the last node
   before a transition. Between its two nodes stands the second motion, or the first if the second
   is not known there: less of it all then. */
static double share_at(const mry_walker *w, int frame, double behind)
{
    const mry_span *span = &w->span[frame];
    if (behind <= 0) return -span->lean * mry_spread(-behind, span->before);
    double share = (1 - span->lean) * mry_spread(behind, span->behind);
    bool first = behind < 1 && w->graph->before[w->walk->nodes[frame]] < 0;
    return first ? share - 1 : share;
}

/* What the transitions before this one add to a pose in a frame of the walk. */
static void add_earlier(const spreading *s, int frame, pose target)
{
    for (int k = s->count > s->room ? s->count - s->room : 0; k < s->count; k++) {
        const earlier *one = &s->last[k % s->room];
        double share = share_at(s->w, one->frame, frame - (one->frame - 1));
        if (share != 0) add(s, &one->off, share, target);
    }
}

static bool take_difference_room(mry_arena *tmp, const spreading *s, difference *out)
{
    out->turns = MRY_NEW_RAW(tmp, mry_vec, s->joints);
    out->places = MRY_NEW_RAW(tmp, double, 3 * s->movers);
    return out->turns && out->places;
}

bool mry_walk_spread(const mry_walker *w)
{
    mry_arena tmp = mry_arena_make(w->ctx);
    const marey_graph *graph = w->graph;
    spreading s = { .w = w,
                    .joints = w->made->skeleton.joint_count,
                    .movers = w->made->mover_count };
    pose *poses[] = { &s.first, &s.second, &s.helper };
    bool room = take_difference_room(&tmp, &s, &s.step);
    for (int k = 0; k < 3 && room; k++) {
        poses[k]->places = MRY_NEW_RAW(&tmp, double, 3 * s.movers);
        poses[k]->turns = MRY_NEW_RAW(&tmp, float, 4 * s.joints);
        room = poses[k]->places && poses[k]->turns;
    }
    /* How many transitions can add something to one frame, at most: one in every frame that they
       are spread over. */
    int most = 0, cuts = 0;
    for (int f = 1; f < w->walk->count; f++) {
        if (w->step[f] < 0) continue;
        if (w->span[f].behind > most) most = w->span[f].behind;
        cuts++;
    }
    s.room = cuts < most + 2 ? cuts + 1 : most + 2;
    s.last = MRY_NEW(&tmp, earlier, s.room);
    room = room && s.last;
    for (int k = 0; k < s.room && room; k++) room = take_difference_room(&tmp, &s, &s.last[k].off);
    for (int f = 1; f < w->walk->count && room; f++) {
        if (w->step[f] < 0) continue;
        int before = w->span[f].before, centre = f - 1;
        int from = w->walk->nodes[f - 1], to = w->walk->nodes[f];
        mry_floor at = w->at[f - 1];
        /* Both motions in one frame: where the first one ends, or if the second is not known there
           any more, where it begins. */
        bool ends = graph->before[to] >= 0;
        bool known = !ends && graph->next[from] >= 0;
        take_pose(&s, known ? graph->next[from] : from, at, s.first);
        if (!ends && !known && graph->before[from] >= 0) {
            /* The first one frame past its last node, if it went on as it did there. */
            take_pose(&s, graph->before[from], at, s.helper);
            subtract(&s, s.first, s.helper, &s.step);
            add(&s, &s.step, 1, s.first);
        }
        take_pose(&s, ends ? graph->before[to] : to, w->at[f], s.second);
        add_earlier(&s, ends ? f - 1 : f, s.first);
        add_earlier(&s, ends ? f - 1 : f, s.second);
        earlier *now = &s.last[s.count % s.room];
        subtract(&s, s.first, s.second, &now->off);
        now->frame = f;
        s.count++;
        int start =
            marey_walk_frame(graph, centre > before ? centre - before - 1 : 0, w->made->fps);
        for (int m = start; m < w->made->frames; m++) {
            double behind = mry_walk_when(w, m) - centre;
            if (behind >= w->span[f].behind + 1) break;
            double share = share_at(w, f, behind);
            if (share == 0) continue; /* its own bytes */
            add(&s, &now->off, share, (pose){ mry_place(w->made, m), mry_turn(w->made, m) });
        }
    }
    mry_arena_free(&tmp);
    return room;
}
