/* blend_frames.c - a run of frames of a blend: from the one whose place is given, to both sides (Kovar & Gleicher 2003, 5.2
   and 5.3). One frame is mixer.c's. */
#include "blend/mixer.h"

enum { FRAMES_A_REPORT = 512 };

static void make_frame(mry_mixer *m, mry_blend_run *run, marey_clip *made, int first, int i,
                       int from)
{
    const double *weights = run->weights + (size_t)i * (size_t)m->motions;
    mry_floor *place = &run->places[i];
    mry_mixer_take(m, run->u[i], weights, true);
    if (run->method == MAREY_BLEND_LINEAR) {
        *place = (mry_floor){ 0 };
    } else if (from < 0) {
        *place = run->place;
    } else {
        *place = mry_mixer_place(m, i, run->u[i], from, run->u[from], run->places[from]);
    }
    mry_mixer_mix(m, i, run->u[i], *place, mry_place(made, first + i), mry_turn(made, first + i));
}

static bool go_on(const mry_blend_run *run, const marey_clip *made, int done)
{
    return done % FRAMES_A_REPORT || mry_progress(made->mem.ctx, "blending", done, run->count);
}

bool mry_blend_frames(mry_blend_run *run, marey_clip *made, int first)
{
    mry_arena tmp = mry_arena_make(made->mem.ctx);
    mry_mixer m;
    bool fine = mry_mixer_open(&m, &tmp, run->of, made, run->method, NULL);
    if (fine) make_frame(&m, run, made, first, run->fixed, -1);
    int done = 0;
    for (int i = run->fixed + 1; fine && i < run->count; i++) {
        make_frame(&m, run, made, first, i, i - 1);
        fine = go_on(run, made, ++done);
    }
    for (int i = run->fixed - 1; fine && i >= 0; i--) {
        make_frame(&m, run, made, first, i, i + 1);
        fine = go_on(run, made, ++done);
    }
    mry_arena_free(&tmp);
    return fine;
}
