/* blend_speed.c - how fast the joints of clips get: what a made clip is judged by. */
#include "blend_kept.h"

#include <math.h>
#include <stdio.h>

/* Places of two frames in a row. */
typedef struct stepper {
    const marey_clip *clip;
    int joints, knees[2];
    double *rows; /* 2 * joints * 3 */
    double longest, longest_knee;
} stepper;

static double step_of(const double *from, const double *to, int joint)
{
    double way[3];
    for (int k = 0; k < 3; k++) way[k] = to[3 * joint + k] - from[3 * joint + k];
    return sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
}

static void take_steps(stepper *s, int start, int end)
{
    size_t row = 3 * (size_t)s->joints;
    for (int f = start; f < end; f++) {
        double *now = s->rows + (f % 2 ? row : 0), *before = s->rows + (f % 2 ? 0 : row);
        marey_clip_positions(s->clip, f, 1, now);
        if (f == start) continue;
        for (int j = 0; j < s->joints; j++) s->longest = fmax(s->longest, step_of(before, now, j));
        for (int side = 0; side < 2; side++) {
            if (s->knees[side] < 0) continue;
            s->longest_knee = fmax(s->longest_knee, step_of(before, now, s->knees[side]));
        }
    }
}

/* `runs` NULL: one run. */
static marey_status measure(heap *memory, const marey_clip *clip, const captured_frames *runs,
                            fastest *out, marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    stepper s = { .clip = clip,
                  .joints = skeleton->joint_count,
                  .knees = { skeleton->roles[MAREY_ROLE_LEFT_KNEE],
                             skeleton->roles[MAREY_ROLE_RIGHT_KNEE] } };
    size_t room = 6 * (size_t)s.joints * sizeof(double);
    s.rows = heap_resize(memory, NULL, 0, room);
    if (!s.rows) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    if (!runs) take_steps(&s, 0, marey_clip_frames(clip));
    for (int i = 0, at = 0; runs && i < runs->count; i++) {
        int frames = runs->runs[i].end - runs->runs[i].start;
        take_steps(&s, at, at + frames);
        at += frames;
    }
    heap_resize(memory, s.rows, room, 0);
    bool knees = s.knees[0] >= 0 || s.knees[1] >= 0;
    out->joint_cm_per_s = s.longest * marey_clip_fps(clip);
    out->knee_cm_per_s = knees ? s.longest_knee * marey_clip_fps(clip) : NAN;
    return MAREY_OK;
}

marey_status clip_speeds(heap *memory, const marey_clip *clip, fastest *out, marey_error *error)
{
    return measure(memory, clip, NULL, out, error);
}

marey_status blend_speeds(studio_worker *worker, struct blend_kept *of, fastest *out,
                          marey_error *error)
{
    fastest all = { 0, NAN };
    for (int i = 0; i < of->parts->count && !of->measured; i++) {
        fastest one;
        marey_status status =
            measure(&worker->of->memory, of->parts->clips[i], &of->frames[i], &one, error);
        if (status != MAREY_OK) return status;
        all.joint_cm_per_s = fmax(all.joint_cm_per_s, one.joint_cm_per_s);
        all.knee_cm_per_s =
            fmax(all.knee_cm_per_s, one.knee_cm_per_s); /* of a number and NaN, it */
    }
    if (!of->measured) of->speeds = all;
    of->measured = true;
    *out = of->speeds;
    return MAREY_OK;
}
