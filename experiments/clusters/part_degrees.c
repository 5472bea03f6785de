/* part_degrees.c - "when we ran the method using multiple degree of freedoms, we found the quality
   of the match to be not acceptable": the same questions by 1, 2, 4 and 8 of them. Two things are
   looked at: how well the best way through other clips does what was asked for, and whether clips
   of walking are found among clips of everything. */
#include "clusters_parts.h"

#include <math.h>
#include <string.h>

static const char *SETS[] = {
    "LeftLeg.Xrotation",
    "LeftLeg.Xrotation,RightLeg.Xrotation",
    "LeftLeg.Xrotation,RightLeg.Xrotation,LeftUpLeg.Xrotation,RightUpLeg.Xrotation",
    "LeftLeg.Xrotation,RightLeg.Xrotation,LeftUpLeg.Xrotation,RightUpLeg.Xrotation,"
    "LeftArm.Xrotation,RightArm.Xrotation,LeftForeArm.Xrotation,RightForeArm.Xrotation",
};
static const int SET_COUNT = 4;

typedef struct sums {
    double error, jumps, precision;
    int queries;
} sums;

static bool is_walk(const char *name)
{
    static const char *walks[] = { "07_01", "16_15", "144_33", "144_03", "91_01", "07_03", "07_08",
                                   "02_02", "07_10", "08_10",  "20_05",  "91_57", "91_36" };
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        if (strcmp(walks[i], name) == 0) return true;
    }
    return false;
}

/* A clip may be in several sets. */
static void drop_repeats(lab_set *set)
{
    int kept = 0;
    for (int c = 0; c < set->count; c++) {
        bool seen = false;
        for (int k = 0; k < kept && !seen; k++) seen = strcmp(set->names[k], set->names[c]) == 0;
        if (seen) {
            marey_clip_free(set->clips[c]);
            continue;
        }
        memmove(set->names[kept], set->names[c], sizeof set->names[c]);
        set->clips[kept++] = set->clips[c];
    }
    set->count = kept;
}

/* Asks in all clips but the query's own. */
static void ask(const lab *of, const lab_set *all, int own, const marey_dof *dofs, int count,
                int fragments, sums *to)
{
    static lab_query query;
    const marey_clip *others[LAB_MOST_CLIPS];
    int number[LAB_MOST_CLIPS], other_count = 0, clips, paths, right = 0, walks = 0;
    marey_examples *in = NULL;
    marey_example_found *found = NULL;
    marey_error error;
    int end = lab_query_end(of, all->clips[own], dofs, 1, fragments);
    if (end < 0) return;
    for (int c = 0; c < all->count; c++) {
        if (c == own) continue;
        number[other_count] = c;
        walks += is_walk(all->names[c]);
        others[other_count++] = all->clips[c];
    }
    lab_query_take(of, all->clips[own], 1, end, dofs, count, &query);
    lab_need(marey_examples_open(of->ctx, others, other_count, dofs, count, NULL, &in, &error),
             &error);
    lab_need(marey_examples_find(of->ctx, in, &query.ask, NULL, &found, &error), &error);
    const marey_example_path *path = marey_example_paths(found, &paths);
    const marey_example_clip *ranked = marey_example_clips(found, &clips);
    for (int i = 0; i < walks && i < clips; i++)
        right += is_walk(all->names[number[ranked[i].clip]]);
    to->error += path->error / fragments;
    to->jumps += path->jumps / (fragments - 1.0);
    to->precision += (double)right / walks;
    to->queries++;
    marey_example_found_free(found);
    marey_examples_free(in);
}

void part_degrees(const lab *of)
{
    static lab_set all;
    static const char *names[] = {
        "walk_query", "dance_target", "locomotion",     "fighting",
        "reaching",   "jumphop",      "c1_steplengths", "c2_fourpeople"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) lab_load(of, names[i], 0, &all);
    drop_repeats(&all);
    printf("\n## Degrees of freedom\n\nQueries of 9 fragments from the beginning of every walk, "
           "among %d other "
           "clips, K = 3: mean error of a fragment of the best way (degrees), share of its joints "
           "that are jumps, and "
           "how many of the first w clips are walks, if there are w walks (retrieval alone by the "
           "clips' own best ways).\n\n"
           "| degrees of freedom | error | jumps | walks among the first | queries "
           "|\n|---|---|---|---|---|\n",
           all.count - 1);
    for (int s = 0; s < SET_COUNT; s++) {
        marey_dof dofs[MAREY_MOST_DOFS];
        int count = lab_dofs(SETS[s], dofs);
        sums got = { 0 };
        for (int c = 0; c < all.count; c++) {
            if (is_walk(all.names[c])) ask(of, &all, c, dofs, count, 9, &got);
        }
        printf("| %d | %.1f | %.2f | %.2f | %d |\n", count, got.error / got.queries,
               got.jumps / got.queries, got.precision / got.queries, got.queries);
    }
    lab_set_free(&all);
}
