/* bench_demo.c - how long ten minutes of demo motion take to make. */
#include "bench.h"

#include <marey/marey.h>

int main(void)
{
    marey_ctx *ctx;
    double motion_s = 0, start = bench_cpu_s();
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 3;
    for (int n = 0; n < marey_demo_count(); n++) {
        marey_demo_take *take;
        if (marey_demo_build(ctx, n, 1, &take, NULL)) return 3;
        motion_s += marey_clip_seconds(marey_demo_clip(take));
        marey_demo_free(take);
    }
    double seconds = bench_cpu_s() - start;
    printf("%d demo takes, %.1f minutes of motion, one core\n", marey_demo_count(), motion_s / 60);
    bench_figure("making ten minutes of demo motion", seconds * 600 / motion_s, "s", 2, false);
    marey_ctx_close(ctx);
    return 0;
}
