/* bench_doctor.c - how quickly the flaws of clips are found, beside posing the same clips, which
   every check needs. The two take turns. */
#include "bench.h"

#include <marey/marey.h>

enum { MOST = 100, ROUNDS = 5 };

int main(void)
{
    /* Clips of several subjects and kinds, or, where there is no real data, of the demo. */
    static const char *const names[] = { "02_02", "13_29", "15_07",  "49_02",  "60_08", "86_01",
                                         "89_06", "91_01", "143_32", "144_01", "144_33" };
    marey_ctx *ctx;
    const marey_clip *clips[MOST];
    marey_clip *read[MOST];
    marey_demo_take *made[MOST];
    int count = 0;
    double frames = 0;
    if (marey_ctx_open(NULL, &ctx)) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", bench_mocap_folder(), names[i]);
        if (marey_clip_load(ctx, path, NULL, &read[count], NULL)) continue;
        clips[count] = read[count];
        count++;
    }
    bool real = count > 0;
    for (int take = 0; take < marey_demo_count() && !real; take += 5) {
        if (marey_demo_build(ctx, take, 1, &made[count], NULL)) return 1;
        clips[count] = marey_demo_clip(made[count]);
        count++;
    }
    for (int i = 0; i < count; i++) frames += marey_clip_frames(clips[i]);
    printf("%d %s clips, %.0f frames\n", count, real ? "real" : "demo", frames);
    double exam_s = 1e9, pose_s = 1e9;
    int found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_cpu_s();
        found = 0;
        for (int i = 0; i < count; i++) {
            marey_flaws flaws;
            if (marey_flaws_find(clips[i], &flaws)) return 1;
            found += flaws.count;
            marey_flaws_free(&flaws);
        }
        double middle = bench_cpu_s();
        for (int i = 0; i < count; i++) {
            int joints = marey_clip_skeleton(clips[i])->joint_count,
                n = marey_clip_frames(clips[i]);
            double *at = malloc(sizeof *at * 3 * (size_t)joints * (size_t)n);
            if (!at) return 1;
            marey_clip_positions(clips[i], 0, n, at);
            free(at);
        }
        double end = bench_cpu_s();
        if (middle - start < exam_s) exam_s = middle - start;
        if (end - middle < pose_s) pose_s = end - middle;
    }
    bench_figure("flaws found", found, "", 0, true);
    bench_figure("finding flaws", frames / exam_s, "frames/s a core", 100000, true);
    bench_figure("posing the same clips", frames / pose_s, "frames/s a core", 0, true);
    bench_figure("finding over posing", exam_s / pose_s, "times the time", 0, true);
    for (int i = 0; i < count; i++) {
        if (real) marey_clip_free(read[i]);
        if (!real) marey_demo_free(made[i]);
    }
    marey_ctx_close(ctx);
    return 0;
}
