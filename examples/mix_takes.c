/* mix_takes.c - mixes two takes of the same action into one between them.

       mix_takes low_kick.bvh high_kick.bvh 0.7 kick.bvh     seven tenths of the way to the high one

   Shows: registration (which frames belong together, and where), then blending. The registration is
   what takes time; make it once, and blend with as many weights as you like. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

/* Weight 0 is the first take as it is, weight 1 the second. */
static marey_status blend(marey_ctx *ctx, char **names, double share, marey_error *error)
{
    marey_clip *takes[2] = { NULL, NULL };
    marey_registration *registration = NULL;
    marey_made made = { 0 };
    marey_status status = marey_clip_load(ctx, names[0], NULL, &takes[0], error);
    if (status == MAREY_OK) status = marey_clip_load(ctx, names[1], NULL, &takes[1], error);
    /* Both whole: first frames belong together, and last frames. NULL: foot plants are found. */
    if (status == MAREY_OK)
        status = marey_registration_build(ctx, (const marey_clip *const *)takes, 2, NULL, NULL,
                                          &registration, error);
    const double weights[2] = { 1 - share, share };
    marey_blend_def def = { .weights = weights };
    if (status == MAREY_OK) status = marey_blend_make(ctx, registration, &def, &made, error);
    if (status == MAREY_OK) status = marey_clip_save(made.clip, names[2], error);
    if (status == MAREY_OK) printf("%s: %d frames\n", names[2], marey_clip_frames(made.clip));
    marey_made_free(&made);
    marey_registration_free(registration);
    marey_clip_free(takes[1]);
    marey_clip_free(takes[0]);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: mix_takes FIRST SECOND SHARE OUT\n");
        return 2;
    }
    char *names[3] = { argv[1], argv[2], argv[4] };
    marey_ctx *ctx;
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) return 3;
    marey_error error;
    marey_status status = blend(ctx, names, strtod(argv[3], NULL), &error);
    if (status != MAREY_OK) {
        char text[2048];
        marey_error_text(&error, text, sizeof text);
        fprintf(stderr, "mix_takes: %s\n", text);
    }
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
