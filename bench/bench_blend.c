/* bench_blend.c - how fast motions are blended, against the time that they take to be watched: 2
   and 9 motions at 120 Hz with constant weights that are all different, feet held and feet left
   alone, one core. */
#include "bench.h"

#include <marey/marey.h>

#include <string.h>

enum { MOTIONS = 9 };

static marey_clip *part_of_take(marey_ctx *ctx, const char *name, int segment)
{
    int take = 0, count;
    while (take < marey_demo_count() && strcmp(marey_demo_name(take), name) != 0) take++;
    marey_demo_take *built;
    marey_clip *part, *fine;
    if (marey_demo_build(ctx, take, 1, &built, NULL)) exit(3);
    const marey_demo_segment *all = marey_demo_segments(built, &count), *at = all;
    for (int i = 0; i < count; i++) { /* moments of idling stand between the others */
        if (strcmp(all[i].label, "idle") != 0 && segment-- == 0) at = &all[i];
    }
    if (marey_clip_trim(marey_demo_clip(built), at->start, at->end, &part, NULL)) exit(3);
    if (marey_clip_resample(part, 120, &fine, NULL)) exit(3);
    marey_clip_free(part);
    marey_demo_free(built);
    return fine;
}

/* Seconds of motion a second, best of a few. */
static double times_real_time(marey_ctx *ctx, const marey_registration *of, bool leave_feet,
                              double *per_frame_us)
{
    double weights[MOTIONS], best = 0;
    for (int j = 0; j < MOTIONS; j++) weights[j] = 1 + 0.13 * j;
    marey_blend_def def = { .weights = weights, .leave_feet = leave_feet };
    for (int n = 0; n < 7; n++) {
        marey_made made;
        double start = bench_cpu_s();
        if (marey_blend_make(ctx, of, &def, &made, NULL)) exit(3);
        double seconds = bench_cpu_s() - start, rate = marey_clip_seconds(made.clip) / seconds;
        if (rate > best) *per_frame_us = seconds / marey_clip_frames(made.clip) * 1e6;
        if (rate > best) best = rate;
        marey_made_free(&made);
    }
    return best;
}

int main(void)
{
    static const char *const takes[MOTIONS] = { "walk_straight", "jog_straight", "walk_slow",
                                                "walk_left",     "walk_right",   "walk_fast",
                                                "jog_curve",     "walk_left",    "walk_right" };
    const marey_clip *clips[MOTIONS];
    marey_ctx *ctx;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 3;
    for (int i = 0; i < MOTIONS; i++) clips[i] = part_of_take(ctx, takes[i], i >= 7);
    printf("blending demo walks of %d joints at 120 Hz, one core\n",
           marey_clip_skeleton(clips[0])->joint_count);
    for (int n = 0; n < 2; n++) {
        marey_registration *of;
        marey_error error;
        int count = n ? MOTIONS : 2;
        if (marey_registration_build(ctx, clips, count, NULL, NULL, &of, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 3;
        }
        double us, rate = times_real_time(ctx, of, true, &us);
        printf("  %d motions, feet left alone: %.0f times real time, %.1f us a frame\n", count,
               rate, us);
        rate = times_real_time(ctx, of, false, &us);
        printf("  %d motions, feet held: %.1f us a frame\n", count, us);
        bench_figure(n ? "blending 9 motions, feet held" : "blending 2 motions, feet held", rate,
                     "x real time", n ? 100 : 300, true);
        marey_registration_free(of);
    }
    for (int i = 0; i < MOTIONS; i++) marey_clip_free((marey_clip *)(uintptr_t)clips[i]);
    marey_ctx_close(ctx);
    return 0;
}
