/* copies_experiment.c - every clip given is copied in all ways there are, and the copies are looked
   for among all clips: how many are found, and what else is called a copy.

       copies_experiment FILE... */
#include "seeded_copies.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct held {
    marey_clip *clip;
    marey_flaws flaws;
} held;

static void hold(held *one, marey_clip *clip)
{
    *one = (held){ .clip = clip };
    if (marey_flaws_find(clip, &one->flaws)) abort();
}

static void drop(held *one)
{
    marey_flaws_free(&one->flaws);
    marey_clip_free(one->clip);
}

/* Pairs (i, count + i) are what was put in. */
static void look(marey_ctx *ctx, const char *name, held *all, int count, int total)
{
    marey_copy_clip *list = calloc((size_t)total, sizeof *list);
    marey_copies copies;
    int found = 0, others = 0, candidates = 0;
    double off = 0;
    for (int i = 0; i < total; i++)
        list[i] = (marey_copy_clip){ marey_clip_frames(all[i].clip) / marey_clip_fps(all[i].clip),
                                     all[i].flaws.landmark_count, all[i].flaws.landmarks };
    if (marey_copies_find(ctx, list, total, &copies)) abort();
    bool *seen = calloc((size_t)total, sizeof *seen);
    for (int i = 0; i < copies.count; i++) {
        marey_copy *copy = &copies.items[i];
        bool same = false, meant = copy->clip % count == copy->other % count;
        const marey_clip *a = all[copy->clip].clip, *b = all[copy->other].clip;
        if (marey_copy_check(a, b, copy, &same)) abort();
        int number = copy->clip % count;
        candidates += meant && !seen[count + number];
        if (same && meant && !seen[number]) {
            found++;
            off += copy->apart_cm;
        }
        if (same && meant) seen[number] = true;
        if (meant) seen[count + number] = true;
        if (!same || meant) continue;
        others++;
        fprintf(stderr, "%s: %s %d-%d is %s %d-%d, mirrored %d, %.2f cm apart, certainty %.2f\n",
                name, marey_clip_name(a), copy->start, copy->end, marey_clip_name(b),
                copy->other_start, copy->other_end, copy->mirrored, copy->apart_cm,
                copy->certainty);
    }
    for (int i = 0; i < total - count; i++)
        if (!seen[i])
            fprintf(stderr, "%s: missed %s, %d landmarks, %s\n", name, marey_clip_name(all[i].clip),
                    all[i].flaws.landmark_count, seen[count + i] ? "refused" : "no candidate");
    if (total > count)
        printf("| %s | %d | %d | %d | %.3f | %d | %.2f |\n", name, total - count, candidates, found,
               (double)found / (total - count), others, found ? off / found : 0);
    else
        printf("%d clips as they are: %d pairs are the same\n\n"
               "| copies | clips | candidates | found | recall | other pairs | cm apart |\n"
               "|---|---|---|---|---|---|---|\n",
               count, others);
    free(seen);
    free(list);
    marey_copies_free(&copies);
}

int main(int argc, char **argv)
{
    held *all = calloc(2 * (size_t)argc, sizeof *all);
    marey_ctx *ctx;
    int count = 0;
    uint64_t seed = 5;
    if (marey_ctx_open(NULL, &ctx)) return 3;
    for (int i = 1; i < argc; i++) {
        marey_clip *clip;
        if (marey_clip_load(ctx, argv[i], NULL, &clip, NULL)) continue;
        hold(&all[count++], clip);
    }
    look(ctx, "as they are", all, count, count);
    for (int r = 0; r < seeded_copies_count; r++) {
        for (int i = 0; i < count; i++)
            hold(&all[count + i], seeded_copy(all[i].clip, &seeded_copies[r], &seed));
        look(ctx, seeded_copies[r].name, all, count, 2 * count);
        for (int i = 0; i < count; i++) drop(&all[count + i]);
    }
    for (int i = 0; i < count; i++) drop(&all[i]);
    free(all);
    marey_ctx_close(ctx);
    return 0;
}
