/* walk_make.c - a walk as one clip: the nodes' frames, each piece laid behind the one before, the
   differences spread, brought to the rate that is asked for, planted feet held. */
#include "base/fail.h"
#include "graph/walk_data.h"
#include "math/quat.h"
#include "motion/steps.h"

#include <math.h>
#include <string.h>

/* ---- the frames of a walk, at any rate ------------------------------------------------------ */

/* The frames of a walk, at any rate. Between nodes, places and turns follow a cubic through the
   four around (Catmull & Rom 1974; turns as small turns from the node before): a graph has 30
   frames a second and clips up to 120, and going straight from node to node would show as a kink in
   every fourth. The four are of one motion, as it was captured or interpolated, never of both sides
   of a transition, where a cubic would swing. Frames that fall on a node are its own. */

#define PI 3.14159265358979323846

/* The last frame at a rate that is not behind a frame of the walk. */
static double last_frame(const marey_graph *graph, int frame, double fps)
{
    return floor(frame * (fps / graph->fps) + MRY_WALK_WHOLE);
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

void mry_walk_between(const marey_clip *clip, const int *frames, double t, double *places,
                      float *turns)
{
    double s[4];
    const double *p[4];
    /* What is at a share t of the way from the second to the third of four. */
    s[0] = 0.5 * t * (-1 + t * (2 - t));
    s[1] = 1 + 0.5 * t * t * (-5 + 3 * t);
    s[2] = 0.5 * t * (1 + t * (4 - 3 * t));
    s[3] = 0.5 * t * t * (t - 1);
    for (int k = 0; k < 4; k++) p[k] = frames[k] < 0 ? NULL : mry_place(clip, frames[k]);
    for (int i = 0; i < 3 * clip->mover_count; i++) {
        double b = p[1][i], c = p[2][i];
        double a = p[0] ? p[0][i] : 2 * b - c, d = p[3] ? p[3][i] : 2 * c - b;
        places[i] = s[0] * a + s[1] * b + s[2] * c + s[3] * d;
    }
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const float *q = mry_turn(clip, frames[1]) + 4 * j;
        mry_vec c = turn_from(q, mry_turn(clip, frames[2]) + 4 * j);
        /* A frame that is not there goes on as the two in the middle do. */
        mry_vec a = mry_vec_scale(c, -1), d = mry_vec_scale(c, 2);
        if (frames[0] >= 0) a = turn_from(q, mry_turn(clip, frames[0]) + 4 * j);
        if (frames[3] >= 0) d = turn_from(q, mry_turn(clip, frames[3]) + 4 * j);
        mry_vec by = mry_vec_add(mry_vec_scale(a, s[0]), mry_vec_scale(c, s[2]));
        mry_vec turn = mry_vec_add(by, mry_vec_scale(d, s[3]));
        /* From the node before by that turn. */
        float *to = turns + 4 * j;
        double angle = mry_vec_length(turn), half = angle < 1e-12 ? 0.5 : sin(angle / 2) / angle;
        float way[4] = { (float)cos(angle / 2), (float)(half * turn.x), (float)(half * turn.y),
                         (float)(half * turn.z) };
        mry_quat_multiply(q, way, to);
        mry_quat_normalize(to);
    }
}

static void put_frame(const mry_walker *w, int frame)
{
    const marey_clip *motion = w->graph->motion;
    const mry_carrier *body = &w->graph->body;
    double when = mry_walk_when(w, frame), t = when - floor(when);
    int f = (int)when, around[4];
    mry_floor at = w->at[f];
    if (t > 0) {
        /* Over a transition both motions can say what is between its two nodes; which does, and
           where it is laid. t goes on from the second of `around`. */
        int later = f + 1;
        const marey_graph *graph = w->graph;
        int from = w->walk->nodes[later - 1], to = w->walk->nodes[later];
        bool second = w->step[later] >= 0 && graph->before[to] >= 0;
        int b = second ? graph->before[to] : from, c = second ? to : graph->next[from];
        if (from == to) b = c = from;
        if (c < 0 && graph->before[from] >= 0) { /* as it went so far, beyond what is known */
            c = from;
            b = graph->before[from];
            t += 1;
        }
        around[0] = c == from ? -1 : graph->before[b];
        around[1] = b;
        around[2] = c < 0 ? b : c;
        around[3] = c < 0 || c == from ? -1 : graph->next[c];
        at = w->at[second ? later : later - 1];
        mry_walk_between(motion, around, t, mry_place(w->made, frame), mry_turn(w->made, frame));
        mry_carrier_hold(body, w->made, mry_place(w->made, frame), mry_turn(w->made, frame));
        mry_floor here = w->at[f], there = w->at[f + 1];
        bool same = here.angle == there.angle && here.x == there.x && here.z == there.z;
        if (w->step[f + 1] < 0 && same) at = here;
        if (w->step[f + 1] < 0 && !same) {
            /* Between two nodes of a sequence the pelvis goes straight from where the one has it to
               where the other does. */
            mry_vec pelvis = mry_carrier_at(body, w->made, frame);
            double x = pelvis.x, z = pelvis.z, x0 = x, z0 = z, x1 = x, z1 = z;
            mry_floor_apply(here, &x0, &z0);
            mry_floor_apply(there, &x1, &z1);
            at.angle = here.angle + t * remainder(there.angle - here.angle, 2 * PI);
            mry_floor_turn(at.angle, &x, &z);
            at.x = x0 + t * (x1 - x0) - x;
            at.z = z0 + t * (z1 - z0) - z;
        }
    } else {
        mry_clip_copy_frames(w->made, frame, motion, w->walk->nodes[f], 1);
    }
    if (at.angle == 0 && at.x == 0 && at.z == 0) return; /* its own bytes */
    mry_pose_move(&w->body, at, mry_place(w->made, frame), mry_turn(w->made, frame));
}

/* ---- how it went: its transitions, and whether anything jumps ------------------------------- */

typedef struct stepping {
    const mry_walker *w;
    int parts;          /* that the way from one node to the next is looked at in */
    double *last, *now; /* places of all joints */
    marey_clip *pose;   /* a single frame */
} stepping;

/* From the places that were looked at last to those of now, which are the last ones then. */
static double largest_step(stepping *s)
{
    double most = 0, *last = s->last;
    for (int j = 0; j < 3 * s->w->made->skeleton.joint_count; j += 3) {
        double step = mry_distance3(last + j, s->now + j);
        if (step > most) most = step;
    }
    s->last = s->now;
    s->now = last;
    return most;
}

static double node_speed(stepping *s, int node, int next)
{
    const marey_graph *graph = s->w->graph;
    int around[4] = { node < 0 ? -1 : graph->before[node], node, next,
                      next < 0 ? -1 : graph->next[next] };
    /* The fastest that any joint is between two nodes one behind the other, in cm/s, at the made
       clip's rate. around[1] and around[2] are the two; 0 if either is not there. */
    const marey_clip *clip = s->w->graph->motion;
    double most = 0;
    if (around[1] < 0 || around[2] < 0) return 0;
    marey_clip_positions(clip, around[1], 1, s->last);
    for (int k = 1; k < s->parts; k++) {
        mry_walk_between(clip, around, (double)k / s->parts, mry_place(s->pose, 0),
                         mry_turn(s->pose, 0));
        marey_clip_positions(s->pose, 0, 1, s->now);
        double step = largest_step(s);
        if (step > most) most = step;
    }
    marey_clip_positions(clip, around[2], 1, s->now);
    return fmax(most, largest_step(s)) * s->parts * s->w->graph->fps;
}

/* How it went. false: out of memory. */
static bool report(const mry_walker *w, marey_walk_made *about)
{
    const marey_graph *graph = w->graph;
    mry_arena tmp = mry_arena_make(w->ctx);
    double quality = 0;
    int joints = w->made->skeleton.joint_count;
    stepping s = { .w = w,
                   .parts = (int)fmax(ceil(w->made->fps / w->graph->fps - 1e-6), 1),
                   .last = MRY_NEW_RAW(&tmp, double, 3 * joints),
                   .now = MRY_NEW_RAW(&tmp, double, 3 * joints),
                   .pose = mry_clip_make_like(w->graph->motion, 1, w->made->fps) };
    /* How fast the motions themselves are from node to node. */
    double *own = MRY_NEW(&tmp, double, w->walk->count);
    bool room = s.last && s.now && s.pose && own;
    *about = (marey_walk_made){ 0 };
    for (int f = 1; f < w->walk->count && room; f++) {
        /* Over a transition, the motions' own are the steps that the first would make and the
           second does make there. */
        int from = w->walk->nodes[f - 1], to = w->walk->nodes[f];
        own[f - 1] = w->step[f] < 0 ? node_speed(&s, from, to)
                                    : fmax(node_speed(&s, from, graph->next[from]),
                                           node_speed(&s, graph->before[to], to));
        if (w->step[f] < 0) continue;
        double distance = (double)graph->transitions[w->step[f]].distance;
        about->transitions++;
        quality += graph->def.sigma > 0 ? exp(-distance / graph->def.sigma) : 1;
    }
    about->mean_quality = about->transitions ? quality / about->transitions : 1;
    if (room) {
        /* The fastest that any joint of the made clip is, cm/s. */
        const marey_clip *made = s.w->made;
        double most = 0;
        marey_clip_positions(made, 0, 1, s.last);
        for (int f = 1; f < made->frames; f++) {
            marey_clip_positions(made, f, 1, s.now);
            double step = largest_step(&s);
            if (!(step > most)) continue;
            most = step;
            about->jump_frame = f;
        }
        double fastest = most * made->fps;
        double peak = mry_sound_peak(own, w->walk->count - 1, graph->fps);
        about->jump_ratio = fmax(fastest, MAREY_GRAPH_STILL) / fmax(peak, MAREY_GRAPH_STILL);
    }
    marey_clip_free(s.pose);
    mry_arena_free(&tmp);
    return room;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* w->made anew: the nodes' frames where they are laid, at a rate, at most so many (0: all), and
   what differs spread. LIMIT, MEMORY, CANCELLED. */
static marey_status put_frames(mry_walker *w, mry_arena *tmp, double fps, int most,
                               const marey_walk_make_def *def, marey_error *error)
{
    double frames = last_frame(w->graph, w->walk->count - 1, fps) + 1;
    if (most > 0) frames = fmin(frames, most);
    if (frames > MRY_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "frames must be at most %d, got %.0f",
                        (int)MRY_MOST_FRAMES, frames);
    marey_clip_free(w->made);
    w->made = mry_clip_make_like(w->graph->motion, (int)frames, fps);
    if (!w->made) return mry_fail_memory(error, NULL);
    for (int f = 0; f < w->made->frames; f++) {
        if (f % 1024 == 0 && !mry_progress(w->ctx, "making the walk", f, w->made->frames))
            return mry_fail_cancelled(error);
        put_frame(w, f);
    }
    if (!mry_feet_build(tmp, w->made, &w->plain)) return mry_fail_memory(error, NULL);
    return def->rough || mry_walk_spread(w) ? MAREY_OK : mry_fail_memory(error, NULL);
}

static marey_status make(mry_walker *w, mry_arena *tmp, const mry_floor *at,
                         const marey_walk_make_def *def, marey_made *out, marey_walk_made *about,
                         marey_error *error)
{
    double fps = def->fps > 0 ? def->fps : w->graph->clips[0]->fps;
    mry_floor start = { 0 };
    if (at && !def->place_given) {
        start = at[0];
    } else if (def->place_given || w->walk->placed) {
        const marey_placement *place = def->place_given ? &def->place : &w->walk->place;
        start = (mry_floor){ place->angle_rad, place->x_cm, place->z_cm };
    }
    /* Where every frame is laid. */
    int count = w->walk->count;
    w->step = MRY_NEW_RAW(tmp, int, count);
    w->span = MRY_NEW(tmp, mry_span, count);
    w->at = MRY_NEW_RAW(tmp, mry_floor, count);
    if (!w->step || !w->span || !w->at) return mry_fail_memory(error, NULL);
    w->step[0] = -1;
    w->at[0] = start;
    for (int f = 1; f < count; f++) {
        w->step[f] = mry_walk_step(w->graph, w->walk->nodes[f - 1], w->walk->nodes[f]);
        w->at[f] = mry_walk_laid(w->graph, w->walk, f, w->at[f - 1]);
    }
    mry_walk_spans(w);
    /* Bent: all of it begins where it should. */
    mry_floor moved = at ? mry_floor_times(start, mry_floor_back(at[0])) : start;
    for (int f = 0; at && f < count; f++) w->at[f] = mry_floor_times(moved, at[f]);
    /* A frame for every node first, by which plants are found. */
    marey_status status = put_frames(w, tmp, w->graph->fps, 0, def, error);
    if (!status) status = mry_walk_plants(w, &out->contacts, error);
    if (!status && (fps != w->graph->fps || def->frames > 0))
        status = put_frames(w, tmp, fps, def->frames, def, error);
    if (!status) {
        /* A plant lasts from its first node to its last one: what is between that and the next is
           on its way. */
        double rate = w->made->fps;
        int kept = 0;
        for (int n = 0; n < out->contacts.count; n++) {
            marey_contact plant = out->contacts.items[n];
            plant.start = marey_walk_frame(w->graph, plant.start, rate);
            plant.end = (int)fmin(last_frame(w->graph, plant.end - 1, rate) + 1, w->made->frames);
            if (plant.start < plant.end) out->contacts.items[kept++] = plant;
        }
        out->contacts.count = kept;
    }
    if (!status && !def->rough && !def->leave_feet && out->contacts.count > 0) {
        marey_clip *held = NULL;
        status = marey_clip_clean(w->made, out->contacts.items, out->contacts.count, def->clean,
                                  &held, &out->clean, error);
        if (status) return status;
        marey_clip_free(w->made);
        w->made = held;
    }
    if (!status && !def->rough && !def->leave_feet && !mry_walk_lift(w))
        status = mry_fail_memory(error, NULL);
    if (!status && about && !report(w, about)) status = mry_fail_memory(error, NULL);
    return status;
}

marey_status mry_walk_make_bent(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                                const mry_floor *at, const marey_walk_make_def *def,
                                marey_made *out, marey_walk_made *about, marey_error *error)
{
    const marey_walk_make_def none = { 0 };
    if (!def) def = &none;
    if (def->fps != 0 && !(def->fps >= 0.1 && def->fps <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "rate must be 0.1 to 10000 Hz, got %g",
                        def->fps);
    if (def->frames < 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "frames must be at least 0, got %d",
                        def->frames);
    if (walk->count < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a walk must have at least 1 frame");
    if (walk->count > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "frames of a walk must be at most %d, got %d",
                        (int)MRY_WALK_MOST_FRAMES, walk->count);
    for (int f = 0; f < walk->count; f++) {
        int node = walk->nodes[f];
        if (at && f > 0 && node == walk->nodes[f - 1]) continue;
        if (node < 0 || node >= graph->nodes ||
            (f > 0 && mry_walk_step(graph, walk->nodes[f - 1], node) == -2))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "this is no walk through this graph: no way leads to its frame %d", f);
    }
    mry_arena tmp = mry_arena_make(ctx);
    marey_made made = { 0 };
    marey_walk_made how = { 0 };
    mry_walker w = { .ctx = ctx, .graph = graph, .walk = walk };
    w.body = mry_trunk_of(graph->motion, &graph->body);
    marey_status status = make(&w, &tmp, at, def, &made, about ? &how : NULL, error);
    made.clip = w.made;
    mry_arena_free(&tmp);
    if (status) {
        marey_made_free(&made);
        return status;
    }
    *out = made;
    if (about) *about = how;
    return MAREY_OK;
}

marey_status marey_walk_make(marey_ctx *ctx, const marey_graph *graph, const marey_walk *walk,
                             const marey_walk_make_def *def, marey_made *out,
                             marey_walk_made *about, marey_error *error)
{
    return mry_walk_make_bent(ctx, graph, walk, NULL, def, out, about, error);
}
