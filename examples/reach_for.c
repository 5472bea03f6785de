/* reach_for.c - makes the motion of a family that reaches a target.

       marey demo demo
       reach_for demo/demo.marey reach reach.bvh -15 125 48     the right hand to the right, up and ahead

   Shows: a family that a library keeps (marey param build makes one), asking, and what was
   reached. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

static void tell(const marey_family *family, const double *wanted, const marey_answer *answer)
{
    for (int d = 0; d < marey_family_dims(family); d++) {
        const char *unit, *name = marey_family_dim(family, d, &unit);
        printf("%s: %.2f %s, asked for %.2f\n", name, answer->values[d], unit, wanted[d]);
    }
    if (answer->outside) printf("that is outside: this is the nearest that it can do\n");
}

static marey_status reach(marey_ctx *ctx, char **names, const double *wanted, int count,
                          marey_error *error)
{
    marey_library *library = NULL;
    marey_parts *parts = NULL;
    marey_family *family = NULL;
    marey_made made = { 0 };
    marey_answer answer;
    marey_status status = marey_library_open(ctx, names[0], MAREY_LIBRARY_READ, &library, error);
    if (status == MAREY_OK)
        status = marey_library_family(library, names[1], &parts, &family, error);
    if (status == MAREY_OK && marey_family_dims(family) != count) {
        printf("%s takes %d numbers\n", names[1], marey_family_dims(family));
    } else if (status == MAREY_OK) {
        status = marey_family_make(ctx, family, wanted, NULL, &made, &answer, error);
        if (status == MAREY_OK) tell(family, wanted, &answer);
        if (status == MAREY_OK) status = marey_clip_save(made.clip, names[2], error);
    }
    marey_made_free(&made);
    marey_family_free(family); /* before its examples */
    marey_parts_free(parts);
    marey_library_close(library);
    return status;
}

int main(int argc, char **argv)
{
    double wanted[MAREY_MOST_PARAM_DIMS];
    marey_ctx *ctx;
    marey_error error;
    if (argc < 5 || argc > 4 + MAREY_MOST_PARAM_DIMS || marey_ctx_open(NULL, &ctx)) return 2;
    for (int i = 4; i < argc; i++) wanted[i - 4] = strtod(argv[i], NULL);
    marey_status status = reach(ctx, argv + 1, wanted, argc - 4, &error);
    if (status != MAREY_OK) fprintf(stderr, "reach_for: %s\n", error.message);
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
