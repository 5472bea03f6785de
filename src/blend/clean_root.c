/* clean_root.c - where the root goes so that planted feet are in reach (Kovar, Schreiner & Gleicher
   2002, 3.3), and the filters over frames that it needs. Each planted leg or arm wants the root in
   a ball; the nearest point of all balls is where it goes. Frame by frame that would jump, so it is
   smoothed, brought back into the balls and smoothed again, some times over. What is still missing
   then is made up by sinking: the largest sinking around a frame, smoothed over as many frames, is
   never less than the frame's own. */
#include "blend/clean.h"

/* ---- filters --------------------------------------------------------------------------------- */

/* Each looks at the same number of frames on both sides, fewer where the clip ends, and takes time
   linear in the frames whatever their number. */

/* The mean over up to `half` frames on both sides, of each of `width` numbers a frame. Whole
   windows are summed anew now and then, so that nothing is left of what went by long ago. */
void mry_clean_average(const double *values, int frames, int width, int half, double *out)
{
    enum { ANEW = 1024 };
    for (int k = 0; k < width; k++) {
        double sum = 0;
        for (int f = 0; f < frames; f++) {
            int first = f > half ? f - half : 0, last = f + half < frames ? f + half : frames - 1;
            if (f % ANEW == 0) {
                sum = 0;
                for (int i = first; i <= last; i++)
                    sum += values[(size_t)i * (size_t)width + (size_t)k];
            } else {
                if (f + half < frames) sum += values[(size_t)last * (size_t)width + (size_t)k];
                if (f > half) sum -= values[(size_t)(first - 1) * (size_t)width + (size_t)k];
            }
            out[(size_t)f * (size_t)width + (size_t)k] = sum / (last - first + 1);
        }
    }
}

/* The largest over up to `half` frames on both sides. queue: frames whose values fall, the first
   one the largest. */
void mry_clean_largest(const double *values, int frames, int half, int *queue, double *out)
{
    int head = 0, tail = 0, next = 0;
    for (int f = 0; f < frames; f++) {
        for (; next < frames && next <= f + half; next++) {
            while (tail > head && values[queue[tail - 1]] <= values[next]) tail--;
            queue[tail++] = next;
        }
        if (queue[head] < f - half) head++;
        out[f] = values[queue[head]];
    }
}

/* ---- what the legs ask of the root ----------------------------------------------------------- */

enum { ROUNDS = 4, PROJECTIONS = 12 };

/* Feet too far apart are not reached by sinking: no deeper than this share of the leg, and not for
   the part of it that a leg lies flatter than the second. */
static const double DEEPEST = 0.25, FLATTEST = 0.95;
static const double TOLERANCE = 1e-9, TRACE = 1e-9; /* cm */

/* What one leg or arm asks of the root in a frame: |away - root| <= radius. */
typedef struct ball {
    mry_vec away;
    double radius;
} ball;

static int balls_at(const mry_clean *c, int frame, ball *out)
{
    int count = 0;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole || !mry_clean_is_held(leg, frame)) continue;
        mry_vec way = mry_vec_sub(mry_vec_at(leg->ankle_at, frame), mry_vec_at(leg->hip_at, frame));
        double length = leg->length[frame];
        mry_vec shift = mry_vec_at(leg->shift, frame);
        mry_leg_reach reach = mry_leg_reach_of(
            mry_vec_length(way) / length, mry_vec_length(shift) / length, mry_clean_stretch(c, n));
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

/* Dykstra's projections find the nearest point of all; balls that do not meet leave it between
   them. */
static mry_vec into_all(const ball *balls, int count, mry_vec at)
{
    mry_vec owed[MRY_LIMBS_HELD] = { { 0, 0, 0 } };
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

/* ---- over time ------------------------------------------------------------------------------- */

/* Nothing is left an ease away from plants. */
static double share_at(const mry_clean *c, int frame)
{
    double left = 1;
    for (int n = 0; n < MRY_LIMBS_HELD; n++) {
        if (c->legs[n].whole) left *= 1 - c->legs[n].grip[frame];
    }
    return 1 - left;
}

/* other: room for frames x 3 numbers. */
static void smooth_way(const mry_clean *c, int half, double *other)
{
    int frames = c->clip->frames;
    mry_clean_average(c->root, frames, 3, half, other);
    mry_clean_average(other, frames, 3, half, c->root);
    for (int f = 0; f < frames; f++) {
        mry_vec_put(c->root, f, mry_vec_scale(mry_vec_at(c->root, f), share_at(c, f)));
    }
}

/* false: all are in reach as they are. */
static bool project(const mry_clean *c)
{
    bool moved = false;
    for (int f = 0; f < c->clip->frames; f++) {
        ball balls[MRY_LIMBS_HELD];
        int count = balls_at(c, f, balls);
        if (count == 0) continue;
        mry_vec at = mry_vec_at(c->root, f), to = into_all(balls, count, at);
        moved = moved || mry_vec_length(mry_vec_sub(to, at)) > 0;
        mry_vec_put(c->root, f, to);
    }
    return moved;
}

bool mry_clean_find_root(mry_arena *tmp, mry_clean *c)
{
    int frames = c->clip->frames, half = (c->ease + 1) / 2;
    double *other = MRY_NEW_RAW(tmp, double, 3 * (size_t)frames);
    double *sink = MRY_NEW_RAW(tmp, double, frames);
    double *wide = MRY_NEW_RAW(tmp, double, frames);
    int *queue = MRY_NEW_RAW(tmp, int, frames);
    c->root = MRY_NEW(tmp, double, 3 * (size_t)frames);
    if (!other || !sink || !wide || !queue || !c->root) return false;
    if (!c->move_root || !project(c)) return true;
    for (int round = 1; round < ROUNDS; round++) {
        smooth_way(c, half, other);
        project(c);
    }
    smooth_way(c, half, other);

    /* How far the root must still sink in each frame. */
    double deepest = 0;
    for (int f = 0; f < frames; f++) {
        ball balls[MRY_LIMBS_HELD];
        int count = balls_at(c, f, balls);
        double most = 0;
        for (int n = 0; n < count; n++) {
            mry_vec way = mry_vec_sub(mry_vec_at(c->root, f), balls[n].away);
            double radius = balls[n].radius, flat = fmin(hypot(way.x, way.z), FLATTEST * radius);
            double depth = way.y - sqrt(radius * radius - flat * flat);
            most = fmax(most, fmin(depth, DEEPEST * radius));
        }
        sink[f] = most;
        deepest = fmax(deepest, most);
    }
    if (deepest > 0) {
        mry_clean_largest(sink, frames, 2 * half, queue, wide);
        mry_clean_average(wide, frames, 1, half, sink);
        mry_clean_average(sink, frames, 1, half, wide);
        for (int f = 0; f < frames; f++) c->root[3 * (size_t)f + 1] -= wide[f] * share_at(c, f);
    }
    for (int f = 0; f < frames; f++) { /* running sums leave traces where nothing moves */
        if (mry_vec_length(mry_vec_at(c->root, f)) < TRACE)
            mry_vec_put(c->root, f, (mry_vec){ 0, 0, 0 });
    }
    return true;
}
