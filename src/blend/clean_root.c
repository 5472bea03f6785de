/* clean_root.c - where the root goes so that planted feet are in reach (Kovar, Schreiner & Gleicher 2002, 3.3). Each planted leg wants
   the root in a ball; the nearest point of both balls is where it goes. Frame by frame that would jump, so it is
   smoothed, brought back into the balls and smoothed again, some times over. What is still missing then is made up
   by sinking: the largest sinking around a frame, smoothed over as many frames, is never less than the frame's own. */
#include "blend/clean.h"

enum { ROUNDS = 4, PROJECTIONS = 12 };

/* Feet too far apart are not reached by sinking: no deeper than this share of the leg, and not for the part of it that a leg
   lies flatter than the second. */
static const double DEEPEST = 0.25, FLATTEST = 0.95;
static const double TOLERANCE = 1e-9, TRACE = 1e-9; /* cm */

/* What one leg asks of the root in a frame: |away - root| <= radius. */
typedef struct ball {
    mry_vec away;
    double radius;
} ball;

static int balls_at(const mry_clean *c, int frame, ball *out)
{
    int count = 0;
    for (int n = 0; n < MRY_LEGS; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole || !mry_clean_is_held(leg, frame)) continue;
        mry_vec way = mry_vec_sub(mry_vec_at(leg->ankle_at, frame), mry_vec_at(leg->hip_at, frame));
        double length = leg->length[frame];
        mry_vec shift = mry_vec_at(leg->shift, frame);
        mry_leg_reach reach = mry_leg_reach_of(mry_vec_length(way) / length,
                                               mry_vec_length(shift) / length, c->stretch);
        out[count].away = mry_vec_add(way, shift);
        out[count++].radius = reach.most * length + TOLERANCE;
    }
    return count;
}

/* The nearest point of a ball. */
static mry_vec into(const ball *b, mry_vec at)
{
    mry_vec way = mry_vec_sub(at, b->away);
    double length = mry_vec_length(way);
    return length <= b->radius ? at : mry_vec_add(b->away, mry_vec_scale(way, b->radius / length));
}

/* Dykstra's projections find the nearest point of both; balls that do not meet leave it between them. */
static mry_vec into_both(const ball *balls, int count, mry_vec at)
{
    mry_vec owed[MRY_LEGS] = { { 0, 0, 0 }, { 0, 0, 0 } };
    if (count == 1) return into(&balls[0], at);
    for (int round = 0; round < PROJECTIONS; round++) {
        mry_vec start = at;
        for (int n = 0; n < count; n++) {
            mry_vec from = mry_vec_add(at, owed[n]);
            at = into(&balls[n], from);
            owed[n] = mry_vec_sub(from, at);
        }
        if (mry_vec_length(mry_vec_sub(at, start)) < 1e-6) break;
    }
    return at;
}

/* How far the root must still sink. */
static double sinking(const ball *balls, int count, mry_vec at)
{
    double most = 0;
    for (int n = 0; n < count; n++) {
        mry_vec way = mry_vec_sub(at, balls[n].away);
        double radius = balls[n].radius, flat = fmin(hypot(way.x, way.z), FLATTEST * radius);
        double sink = way.y - sqrt(radius * radius - flat * flat);
        most = fmax(most, fmin(sink, DEEPEST * radius));
    }
    return most;
}

/* ---- over time ------------------------------------------------------------------------------------------ */

/* Nothing is left an ease away from plants. */
static double share_at(const mry_clean *c, int frame)
{
    double left = 1;
    for (int n = 0; n < MRY_LEGS; n++) {
        if (c->legs[n].whole) left *= 1 - c->legs[n].grip[frame];
    }
    return 1 - left;
}

typedef struct root_room {
    double *other; /* frames x 3 */
    double *sink, *wide;
    int *queue;
} root_room;

static void smooth_way(const mry_clean *c, int half, const root_room *room)
{
    int frames = c->clip->frames;
    mry_clean_average(c->root, frames, 3, half, room->other);
    mry_clean_average(room->other, frames, 3, half, c->root);
    for (int f = 0; f < frames; f++) {
        mry_vec_put(c->root, f, mry_vec_scale(mry_vec_at(c->root, f), share_at(c, f)));
    }
}

/* false: all are in reach as they are. */
static bool project(const mry_clean *c)
{
    bool moved = false;
    for (int f = 0; f < c->clip->frames; f++) {
        ball balls[MRY_LEGS];
        int count = balls_at(c, f, balls);
        if (count == 0) continue;
        mry_vec at = mry_vec_at(c->root, f), to = into_both(balls, count, at);
        moved = moved || mry_vec_length(mry_vec_sub(to, at)) > 0;
        mry_vec_put(c->root, f, to);
    }
    return moved;
}

static void sink_way(const mry_clean *c, int half, const root_room *room)
{
    int frames = c->clip->frames;
    double most = 0;
    for (int f = 0; f < frames; f++) {
        ball balls[MRY_LEGS];
        int count = balls_at(c, f, balls);
        room->sink[f] = sinking(balls, count, mry_vec_at(c->root, f));
        most = fmax(most, room->sink[f]);
    }
    if (most <= 0) return;
    mry_clean_largest(room->sink, frames, 2 * half, room->queue, room->wide);
    mry_clean_average(room->wide, frames, 1, half, room->sink);
    mry_clean_average(room->sink, frames, 1, half, room->wide);
    for (int f = 0; f < frames; f++) c->root[3 * (size_t)f + 1] -= room->wide[f] * share_at(c, f);
}

bool mry_clean_find_root(mry_arena *tmp, mry_clean *c)
{
    size_t frames = (size_t)c->clip->frames;
    int half = (c->ease + 1) / 2;
    root_room room = { .other = MRY_NEW_RAW(tmp, double, 3 * frames),
                       .sink = MRY_NEW_RAW(tmp, double, frames),
                       .wide = MRY_NEW_RAW(tmp, double, frames),
                       .queue = MRY_NEW_RAW(tmp, int, frames) };
    c->root = MRY_NEW(tmp, double, 3 * frames);
    if (!room.other || !room.sink || !room.wide || !room.queue || !c->root) return false;
    if (!c->move_root || !project(c)) return true;
    for (int round = 1; round < ROUNDS; round++) {
        smooth_way(c, half, &room);
        project(c);
    }
    smooth_way(c, half, &room);
    sink_way(c, half, &room);
    for (int f = 0; f < c->clip->frames; f++) { /* running sums leave traces where nothing moves */
        if (mry_vec_length(mry_vec_at(c->root, f)) < TRACE)
            mry_vec_put(c->root, f, (mry_vec){ 0, 0, 0 });
    }
    return true;
}
