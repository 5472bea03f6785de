/* sketch.c - finds clips of a library that move like a drawn curve.

       sketch demo.marey left_hip.Xrotation 0 0 0.3 30 0.6 -20 0.9 30     times in seconds and angles in degrees

   Shows: query by example. Fragments of the curve, from turn to turn, are looked for in all clips,
   whatever their pace. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

enum { RATE = 60, MOST_CLIPS = 1000, MOST_SAMPLES = 6000 };

/* Straight between the points that were drawn. */
static int sample(char **points, int count, double *values)
{
    int used = 0;
    for (int i = 0; i + 3 < 2 * count; i += 2) {
        double t0 = atof(points[i]), v0 = atof(points[i + 1]), t1 = atof(points[i + 2]);
        for (double v1 = atof(points[i + 3]); used < MOST_SAMPLES && used < t1 * RATE; used++)
            values[used] = v0 + (v1 - v0) * ((double)used / RATE - t0) / (t1 - t0);
    }
    return used;
}

static marey_status find(marey_ctx *ctx, marey_library *library, const char *dof_text,
                         const marey_example_query *query, marey_error *error)
{
    static marey_clip *clips[MOST_CLIPS];
    marey_dof dofs[MAREY_MOST_DOFS];
    marey_listing *listing = NULL;
    marey_examples *examples = NULL;
    marey_example_found *found = NULL;
    int dof_count, listed = 0, loaded = 0, count = 0;
    marey_status status = marey_dofs_parse(dof_text, dofs, &dof_count, error);
    if (status == MAREY_OK) status = marey_library_list(library, NULL, &listing, error);
    const marey_entry *entries = listing ? marey_listing_entries(listing, &listed) : NULL;
    for (; loaded < listed && loaded < MOST_CLIPS && status == MAREY_OK; loaded++)
        status = marey_library_load(library, entries[loaded].name, &clips[loaded], error);
    if (status == MAREY_OK)
        status = marey_examples_open(ctx, (const marey_clip *const *)clips, loaded, dofs, 1, NULL,
                                     &examples, error);
    if (status == MAREY_OK) status = marey_examples_find(ctx, examples, query, NULL, &found, error);
    const marey_example_clip *best = found ? marey_example_clips(found, &count) : NULL;
    for (int i = 0; i < count && i < 5; i++)
        printf("%s: %d jumps, error %.1f\n", entries[best[i].clip].name, best[i].path.jumps,
               best[i].path.error);
    marey_example_found_free(found);
    marey_examples_free(examples);
    while (loaded > 0) marey_clip_free(clips[--loaded]);
    marey_listing_free(listing);
    return status;
}

int main(int argc, char **argv)
{
    static double values[MOST_SAMPLES];
    if (argc < 7) return fprintf(stderr, "usage: sketch LIBRARY JOINT.CHANNEL TIME VALUE ...\n"), 2;
    marey_example_query query = { .fps = RATE, .values = values };
    query.samples = sample(argv + 3, (argc - 3) / 2, values);
    marey_library *library = NULL;
    marey_ctx *ctx;
    marey_error error;
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) return 3;
    marey_status status = marey_library_open(ctx, argv[1], MAREY_LIBRARY_READ, &library, &error);
    if (status == MAREY_OK) status = find(ctx, library, argv[2], &query, &error);
    if (status != MAREY_OK) fprintf(stderr, "sketch: %s\n", error.message);
    marey_library_close(library);
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
