/* seam_turns.c - joints that keep turning the same way over a seam.

   Two orientations are mixed along the shorter way between them. Where they are half a turn apart the other way becomes the
   shorter one from one frame to the next, and the joint jumps: fingers and wrists of captured hands are often that far
   apart. So the way is chosen at the centre, followed from frame to frame, and kept where it has become the longer one. */
#include "blend/seam.h"
#include "math/quat.h"

#include <string.h>

typedef struct ways {
    const mry_blend_run *run;
    const mry_trunk *body;
    const marey_clip *clips[2];
    double per_row[2];
    int joints;
    double *places;
    float *turns[2]; /* of both motions in the frame in hand */
    float *last;     /* the turn from one to the other in the frame before, of each joint */
} ways;

static void sample(const ways *w, int frame)
{
    double rows[2];
    marey_registration_times(w->run->of, w->run->u[frame], rows, NULL);
    for (int side = 0; side < 2; side++)
        mry_pose_sample(w->body, w->clips[side], rows[side] * w->per_row[side], w->places,
                        w->turns[side]);
}

/* from * way^share; way's half angle is more than a quarter turn. */
static void go(const float *from, const float *way, double share, float *out)
{
    double sine = sqrt((double)way[1] * way[1] + (double)way[2] * way[2] + (double)way[3] * way[3]);
    if (sine < 1e-6) return;
    double angle = share * atan2(sine, way[0]), scale = sin(angle) / sine;
    float part[4] = { (float)cos(angle), (float)(scale * way[1]), (float)(scale * way[2]),
                      (float)(scale * way[3]) };
    mry_quat_multiply(from, part, out);
    mry_quat_normalize(out);
}

static void follow(const ways *w, int frame, bool centre, float *made)
{
    double share = w->run->weights[2 * frame + 1];
    sample(w, frame);
    for (int j = 1; j < w->joints; j++) {
        float way[4], *last = w->last + 4 * j;
        const float *from = w->turns[0] + 4 * j;
        mry_quat_between(from, w->turns[1] + 4 * j, way);
        bool turned = centre ? way[0] < 0 : mry_quat_dot(way, last) < 0;
        for (int i = 0; i < 4; i++) last[i] = turned ? -way[i] : way[i];
        if (last[0] < 0 && j != w->body->pelvis) go(from, last, share, made + 4 * j);
    }
}

bool mry_seam_keep_turning(const mry_blend_run *run, const mry_trunk *body, marey_clip *made)
{
    mry_arena tmp = mry_arena_make(made->mem.ctx);
    ways w = { .run = run, .body = body, .joints = made->skeleton.joint_count };
    for (int side = 0; side < 2; side++) {
        w.clips[side] = marey_registration_clip(run->of, side);
        w.per_row[side] = mry_frames_per_row(w.clips[side], marey_registration_fps(run->of));
        w.turns[side] = MRY_NEW_RAW(&tmp, float, 4 * w.joints);
    }
    w.places = MRY_NEW_RAW(&tmp, double, 3 * made->mover_count);
    w.last = MRY_NEW_RAW(&tmp, float, 4 * w.joints);
    bool room = w.turns[0] && w.turns[1] && w.places && w.last;
    for (int way = -1; way <= 1 && room; way += 2) {
        for (int f = run->fixed; f >= 0 && f < run->count; f += way)
            follow(&w, f, f == run->fixed, mry_turn(made, f));
    }
    mry_arena_free(&tmp);
    return room;
}
