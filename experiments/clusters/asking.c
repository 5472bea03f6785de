/* asking.c - queries taken from clips. */
#include "clusters_parts.h"

#include <string.h>

int lab_dofs(const char *text, marey_dof *dofs)
{
    int count = 0;
    marey_error error;
    lab_need(marey_dofs_parse(text, dofs, &count, &error), &error);
    return count;
}

void lab_query_take(const lab *of, const marey_clip *clip, int start, int end,
                    const marey_dof *dofs, int dof_count, lab_query *out)
{
    int frames = marey_clip_frames(clip), samples = end - start;
    double *whole = malloc((size_t)frames * sizeof *whole);
    (void)of;
    if (!whole || samples > LAB_MOST_SAMPLES) exit(1);
    for (int d = 0; d < dof_count; d++) {
        marey_error error;
        lab_need(marey_clip_signal(clip, &dofs[d], whole, &error), &error);
        memcpy(out->values + (size_t)d * (size_t)samples, whole + start,
               (size_t)samples * sizeof *whole);
    }
    out->ask = (marey_example_query){ .samples = samples,
                                      .fps = marey_clip_fps(clip),
                                      .values = out->values };
    free(whole);
}

int lab_query_end(const lab *of, const marey_clip *clip, const marey_dof *dof, int start,
                  int fragments)
{
    static lab_query query;
    marey_examples *own = NULL;
    marey_example_found *found = NULL;
    marey_error error;
    int count, frames = marey_clip_frames(clip), end = -1;
    lab_query_take(of, clip, start, frames, dof, 1, &query);
    lab_need(marey_examples_open(of->ctx, &clip, 1, dof, 1, NULL, &own, &error), &error);
    if (marey_examples_find(of->ctx, own, &query.ask, NULL, &found, &error) == MAREY_OK) {
        const marey_fragment *all = marey_example_fragments(found, &count);
        if (count >= fragments) end = start + (int)all[fragments - 1].end + 1;
        marey_example_found_free(found);
    }
    marey_examples_free(own);
    return end < frames ? end : frames;
}
