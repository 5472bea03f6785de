/* switch_judge.h - small cluster graphs of demo walks, and what a switch between two of their rows
   costs, by the formula as it is written. Knows nothing of how the library reckons it. */
#ifndef MAREY_TEST_SWITCH_JUDGE_H
#define MAREY_TEST_SWITCH_JUDGE_H

#include "cluster/cluster_data.h"
#include "graph_judge.h"

/* Opens a rig with four walks of about two seconds. */
graph_rig *switch_rig_open(void);
#define TEST_RIG_SWITCH(name) TEST_RIG_IN(switch_rig_set_up, name) /* a case with such a rig */
int switch_rig_set_up(void **state);

/* Of the first `clips` of the rig's; fails the test if it cannot be built. */
marey_clusters *switch_rig_build(graph_rig *rig, int clips, double fps, double threshold);

OWNED_VALUE(marey_tuples, marey_tuples_free)

/* Rows of all clips one behind the other. */
double judge_switch(const marey_clusters *c, int from, int to);

int judge_row_clip(const marey_clusters *c, int row);
int judge_row_frame(const marey_clusters *c, int row);
int judge_row_of(const marey_clusters *c, int sequence, int row); /* counted from its first */
bool judge_goes_on(const marey_clusters *c, int row); /* what is up to the next row is captured */

#endif
