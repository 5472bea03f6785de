/* clusters_parts.h - the parts of the experiments on query by example and cluster graphs, and what
   they share. */
#ifndef MAREY_EXPERIMENTS_CLUSTERS_PARTS_H
#define MAREY_EXPERIMENTS_CLUSTERS_PARTS_H

#include "../graphs/graph_lab.h"

/* Table 1: walks asked for in dances, for K = 2, 3, 4. */
void part_table(const lab *of);
/* What trying all ways costs, and the table instead. */
void part_ways(const lab *of);
/* The same questions with more and more degrees of freedom. */
void part_degrees(const lab *of);
/* Where clips can be left: cluster graphs beside motion graphs. */
void part_finer(const lab *of);

/* ---- asking ---------------------------------------------------------------------------------- */

enum { LAB_MOST_SAMPLES = 8192 };

/* The signals of a stretch of a clip, all dofs. */
typedef struct lab_query {
    marey_example_query ask;
    double values[MAREY_MOST_DOFS * LAB_MOST_SAMPLES];
} lab_query;

int lab_dofs(const char *text, marey_dof *dofs);
void lab_query_take(const lab *of, const marey_clip *clip, int start, int end,
                    const marey_dof *dofs, int dof_count, lab_query *out);

/* The frame behind so many fragments of a clip's driving signal, counted from a frame; -1: there
   are fewer. */
int lab_query_end(const lab *of, const marey_clip *clip, const marey_dof *dof, int start,
                  int fragments);

#endif
