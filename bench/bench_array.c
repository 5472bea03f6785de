/* bench_array.c FILE COUNT - loads a clip and works out where all its joints are, so many times: what the Python package is held
   against. Prints the seconds that it took. */
#include "bench.h"

#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc < 3)
        return 0; /* ./dev bench starts all programs without words; this one is for python_bench.py */
    int count = atoi(argv[2]);
    marey_ctx *ctx;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx) != MAREY_OK) return 1;
    double start = 0;
    for (int i = 0; i <= count; i++) {
        if (i == 1) start = bench_cpu_s(); /* once before, as there: memory is the program's then */
        marey_clip *clip;
        if (marey_motion_load(ctx, argv[1], NULL, &clip, NULL) != MAREY_OK) return 1;
        int frames = marey_clip_frames(clip);
        size_t room = (size_t)frames * (size_t)marey_clip_skeleton(clip)->joint_count * 3;
        float *positions = malloc(room * sizeof *positions);
        if (!positions) return 1;
        marey_clip_positions_float(clip, 0, frames, positions);
        free(positions);
        marey_clip_free(clip);
    }
    printf("%.9f\n", bench_cpu_s() - start);
    marey_ctx_close(ctx);
    return 0;
}
