/* loop_stay.c - a loop that stays over one point.

   Played over and over, a loop moves by M every round: a turn about the vertical and a shift. Frame t of n is moved back by
   M^(t/n), the same share of that in every frame, so that the loop ends where it began and turned as it began. What is left
   of the way is closed; a circular mean over about a second is taken off it, so that a loop that wanders stays too,
   while the body's sway within a step remains. */
#include "blend/loop_parts.h"

#define SMOOTH_S 0.5 /* sigma */

/* Every point goes round the one that the motion leaves alone; if it hardly turns, straight on. */
mry_floor mry_loop_share(mry_floor whole, double share)
{
    double angle = remainder(whole.angle, 2 * 3.14159265358979323846);
    double along = fabs(angle) < 1e-9 ? share : sin(angle * share / 2) / sin(angle / 2);
    mry_floor part = { angle * share, whole.x * along, whole.z * along };
    mry_floor_turn(angle * (share - 1) / 2, &part.x, &part.z);
    return part;
}

static void take_out(marey_clip *loop, const mry_trunk *body, mry_floor onwards, double *path)
{
    for (int f = 0; f < loop->frames; f++) {
        double *places = mry_place(loop, f);
        float *turns = mry_turn(loop, f);
        mry_floor by = mry_floor_back(mry_loop_share(onwards, (double)f / loop->frames));
        if (f > 0) mry_pose_move(body, by, places, turns);
        mry_rigid pelvis = mry_pose_pelvis(body, places, turns);
        path[2 * f] = pelvis.shift.x;
        path[2 * f + 1] = pelvis.shift.z;
    }
}

/* A Gaussian wound around the loop: weights of frames first, first + 1 .. behind a frame. */
typedef struct wound {
    int first, count;
    double *weights;
} wound;

static bool wind(mry_arena *tmp, int frames, double sigma, wound *out)
{
    int reach = (int)ceil(4 * sigma);
    double sum = 0;
    bool all = reach >= frames / 2; /* then it meets itself */
    *out = all ? (wound){ 0, frames, NULL } : (wound){ -reach, 2 * reach + 1, NULL };
    out->weights = MRY_NEW(tmp, double, out->count);
    for (int d = -reach; d <= reach && out->weights; d++) {
        double weight = exp(-0.5 * (d / sigma) * (d / sigma));
        out->weights[all ? (d % frames + frames) % frames : d + reach] += weight;
        sum += weight;
    }
    for (int n = 0; n < out->count && out->weights; n++) out->weights[n] /= sum;
    return out->weights != NULL;
}

static void smooth(const double *path, const wound *by, int frames, double *out)
{
    for (int f = 0; f < frames; f++) {
        double x = 0, z = 0;
        for (int n = 0; n < by->count; n++) {
            int at = (f + by->first + n + frames) % frames;
            x += by->weights[n] * path[2 * at];
            z += by->weights[n] * path[2 * at + 1];
        }
        out[2 * f] = x;
        out[2 * f + 1] = z;
    }
}

bool mry_loop_stay(marey_clip *loop, const mry_trunk *body, mry_floor onwards)
{
    int frames = loop->frames;
    mry_arena tmp = mry_arena_make(loop->mem.ctx);
    double *path = MRY_NEW_RAW(&tmp, double, 2 * frames);
    double *smoothed = MRY_NEW_RAW(&tmp, double, 2 * frames);
    wound kernel;
    bool room = path && smoothed && wind(&tmp, frames, SMOOTH_S * loop->fps, &kernel);
    if (room) {
        take_out(loop, body, onwards, path);
        smooth(path, &kernel, frames, smoothed);
    }
    for (int f = 1; room && f < frames; f++) {
        mry_floor by = { 0, smoothed[0] - smoothed[2 * f], smoothed[1] - smoothed[2 * f + 1] };
        mry_pose_move(body, by, mry_place(loop, f), mry_turn(loop, f));
    }
    mry_arena_free(&tmp);
    return room;
}
