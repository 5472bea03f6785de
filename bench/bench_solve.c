/* bench_solve.c - how quickly points become a body, on one core: the joints of real clips as they are,
   and with noise, which is smoothed. */
#include "bench.h"

#include <marey/marey.h>

#include <math.h>

enum { MOST = 16, ROUNDS = 5 };

int main(void)
{
    static const char *const names[] = { "02_02", "13_29", "15_07", "49_02", "86_01", "143_32" };
    marey_ctx *ctx;
    marey_clip *read[MOST];
    marey_demo_take *made[MOST];
    marey_points given[MOST];
    int count = 0;
    double frames = 0;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", bench_mocap_folder(), names[i]);
        count += marey_clip_load(ctx, path, NULL, &read[count], NULL) == MAREY_OK;
    }
    bool real = count > 0;
    for (int take = 0; take < marey_demo_count() && !real && count < MOST; take += 5, count++)
        if (marey_demo_build(ctx, take, 1, &made[count], NULL)) return 1;
    for (int i = 0; i < count; i++) {
        const marey_clip *clip = real ? read[i] : marey_demo_clip(made[i]);
        const marey_skeleton *skeleton = marey_clip_skeleton(clip);
        int joints = skeleton->joint_count, length = marey_clip_frames(clip);
        float *at = malloc(sizeof *at * 3 * (size_t)joints * (size_t)length);
        const char **joint = malloc(sizeof *joint * (size_t)joints);
        int *parents = malloc(sizeof *parents * (size_t)joints);
        if (!at || !joint || !parents) return 1;
        marey_clip_positions_float(clip, 0, length, at);
        for (int j = 0; j < joints; j++) {
            joint[j] = skeleton->joints[j].name;
            parents[j] = skeleton->joints[j].parent;
        }
        given[i] = (marey_points){ .name = marey_clip_name(clip),
                                   .format = "npz",
                                   .frames = length,
                                   .count = joints,
                                   .fps = marey_clip_fps(clip),
                                   .names = joint,
                                   .parents = parents,
                                   .at = at };
        frames += length;
    }
    printf("%d %s clips, %.0f frames\n", count, real ? "real" : "demo", frames);
    for (int noisy = 0; noisy < 2; noisy++) {
        double best = 1e9, error = 0;
        for (int i = 0; i < count && noisy; i++) {
            float *at = (float *)(uintptr_t)given[i].at;
            size_t all = 3 * (size_t)given[i].count * (size_t)given[i].frames;
            for (size_t k = 0; k < all; k++) at[k] += (float)sin(12.9898 * (double)k * (double)k);
        }
        for (int round = 0; round < ROUNDS; round++) {
            double start = bench_cpu_s();
            for (int i = 0; i < count; i++) {
                marey_clip *clip;
                marey_solve_report report;
                if (marey_points_solve(ctx, &given[i], NULL, &clip, &report, NULL)) return 1;
                error = fmax(error, report.mean_error_cm);
                marey_clip_free(clip);
                marey_solve_report_free(&report);
            }
            double took = bench_cpu_s() - start;
            if (took < best) best = took;
        }
        bench_figure(noisy ? "solving noisy points" : "solving points", frames / best,
                     "frames/s a core", 20000, true);
        if (!noisy) bench_figure("largest mean error of a clip", error, "cm", 0.2, false);
    }
    for (int i = 0; i < count; i++) {
        free((void *)(uintptr_t)given[i].at);
        free((void *)(uintptr_t)given[i].names);
        free((void *)(uintptr_t)given[i].parents);
        if (real) marey_clip_free(read[i]);
        if (!real) marey_demo_free(made[i]);
    }
    marey_ctx_close(ctx);
    return 0;
}
