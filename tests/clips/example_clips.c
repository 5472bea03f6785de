/* example_clips.c - see example_clips.h. */
#include "example_clips.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char example_dofs[] = "Arm.Xrotation,Arm.Yrotation,Arm.Zrotation,Leg.Xrotation";

marey_clip *example_clip(marey_ctx *ctx, int frames, double fps, const double *values,
                         const bool *lost)
{
    size_t room = 2000 + 200 * (size_t)frames, used;
    char *text = malloc(room);
    used =
        (size_t)snprintf(text, room,
                         "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
                         "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
                         "JOINT Arm\n{\nOFFSET 0 50 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
                         "End Site\n{\nOFFSET 0 40 0\n}\n}\n"
                         "JOINT Leg\n{\nOFFSET 10 -5 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
                         "End Site\n{\nOFFSET 0 -80 0\n}\n}\n}\n"
                         "MOTION\nFrames: %d\nFrame Time: %.12f\n",
                         frames, 1 / fps);
    for (int f = 0; f < frames; f++) {
        double v[EXAMPLE_DOFS];
        for (int d = 0; d < EXAMPLE_DOFS; d++)
            v[d] = values[(size_t)d * (size_t)frames + (size_t)f];
        used += (size_t)snprintf(text + used, room - used, "0 %d 0 0 0 0 %.6f %.6f %.6f 0 0 %.6f\n",
                                 lost && lost[f] ? 0 : 90, v[2], v[1], v[0], v[3]);
    }
    marey_clip *clip = test_clip(ctx, text);
    free(text);
    return clip;
}

uint64_t example_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

double example_share(uint64_t *seed)
{
    return (double)example_random(seed) / 2147483648.0;
}

void example_curve(uint64_t *seed, int count, double high, double tremble, double *out)
{
    double speed[3], phase[3];
    for (int w = 0; w < 3; w++) {
        speed[w] = (0.02 + 0.1 * example_share(seed)) * (w + 1);
        phase[w] = 6.3 * example_share(seed);
    }
    for (int i = 0; i < count; i++) {
        double v = 0;
        for (int w = 0; w < 3; w++) v += sin(speed[w] * i + phase[w]) / (w + 1);
        out[i] = high * v / 2 + tremble * (2 * example_share(seed) - 1);
    }
}

marey_example_found *example_ask(marey_ctx *ctx, const marey_examples *in, int samples,
                                 const double *values, int k, int best)
{
    marey_example_found *found = NULL;
    test_ok(marey_examples_find(ctx, in, &(marey_example_query){ samples, 60, values },
                                &(marey_example_find_def){ .k = k, .best = best }, &found,
                                &test_error));
    return found;
}
