/* graphs_parts.h - the parts of the experiment, each with tables of its own. */
#ifndef MAREY_EXPERIMENTS_GRAPHS_PARTS_H
#define MAREY_EXPERIMENTS_GRAPHS_PARTS_H

#include "graph_lab.h"

/* Which threshold has the share that the slides give at 0.2. */
void part_thresholds(const lab *of);
void part_small(const lab *of);         /* tables 2, figures 4, 6, 7 on c1 and c2 */
void part_c3(const lab *of);            /* tables 2, 3 and figure 6 on c3, at its threshold */
void part_c3_rest(const lab *of);       /* the connected graph of c3 at other thresholds */
void part_no_dwell(const lab *of);      /* tables 2 and 3 on c3, as the slides have them */
void part_suboptimality(const lab *of); /* table 5 */
void part_sizes(const lab *of);         /* figure 8 */
void part_control(const lab *of);       /* table 6 */
void part_larger(const lab *of);        /* a larger set */
void part_costs(const lab *of);         /* time and memory of large connected graphs */
void part_ways(const lab *of);          /* are walks as good as what was captured */
void part_goals(const lab *of);         /* at places at times, round obstacles: actor 16 */
void part_goals_stops(const lab *of);   /* a row of another actor, 82, for the same table */

/* The three sets of the slides' kind. */
typedef struct lab_row {
    const char *name, *set;
    double fps;
    double asked;     /* share of the standard graph in the slides at 0.2, percent */
    double beside;    /* and of the well-connected one */
    double threshold; /* in cm2: where ours has that share (part "thresholds") */
} lab_row;

enum { LAB_C1, LAB_C2, LAB_C3, LAB_SETS };
extern const lab_row lab_rows[LAB_SETS];

/* Pictures of both: closures beside each other, the transition matrix of the standard one. */
void part_draw_both(const lab *of, const lab_set *set, const marey_graph *standard,
                    const marey_graph *connected, const char *name);

/* What a transition is worth in control, for all graphs of c3 whatever their threshold: ten times
   0.2. */
#define LAB_SIGMA 2.0

#endif
