/* part_thresholds.c - the largest component of standard graphs over many thresholds, and where it
   is nearest to what the slides have at their threshold of 0.2. */
#include "graphs_parts.h"

#include <math.h>

const lab_row lab_rows[LAB_SETS] = {
    { "c1", "c1_steplengths", 0, 1, 42, 2.75 },
    { "c2", "c2_fourpeople", 0, 21, 84, 3.05 },
    { "c3", "c3_mixed", 60, 7, 96, 0.2 },
};

enum { TRIED = 601 };

static void one_set(const lab *of, const lab_row *row, const double *thresholds)
{
    lab_set set = { 0 };
    marey_graph_stats stats[TRIED];
    marey_error error;
    int best = 0;
    lab_load(of, row->set, row->fps, &set);
    lab_need(marey_graph_sweep(of->ctx, (const marey_clip *const *)set.clips, set.count, NULL, NULL,
                               thresholds, TRIED, true, stats, &error),
             &error);
    for (int i = 1; i < TRIED; i++) {
        double off = fabs(stats[i].scc_percent - row->asked);
        if (off <= fabs(stats[best].scc_percent - row->asked)) best = i;
    }
    printf("| %s | %g %% | %.2f | %.1f %% | %.1f %% | %.2f: %.1f %% |\n", row->name, row->asked,
           thresholds[best], stats[best].scc_percent, stats[best].connectivity_percent,
           thresholds[best + 1 < TRIED ? best + 1 : best],
           stats[best + 1 < TRIED ? best + 1 : best].scc_percent);
    lab_set_free(&set);
}

void part_thresholds(const lab *of)
{
    double thresholds[TRIED];
    for (int i = 0; i < TRIED; i++) thresholds[i] = 0.05 * pow(10, i * 3.0 / (TRIED - 1));
    printf("\n## Where standard graphs have the share that the slides give at 0.2\n\n"
           "%d thresholds from 0.05 to 50 cm², evenly spaced in ratio; of equally near ones the "
           "greatest.\n\n"
           "| set | the slides' | nearest at, cm² | share of frames in the largest component | "
           "share of pairs there | the next threshold |\n|---|---|---|---|---|---|\n",
           TRIED);
    for (int i = 0; i < LAB_SETS; i++) one_set(of, &lab_rows[i], thresholds);
}
