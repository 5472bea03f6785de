/* graph_judge.h - clips to make motion graphs of, and what is judged about graphs by trying everything: who reaches whom, in
   how many frames, at what cost. Knows nothing of how the library does it. */
#ifndef MAREY_TEST_GRAPH_JUDGE_H
#define MAREY_TEST_GRAPH_JUDGE_H

#include "demo_parts.h"
#include "graph/graph_data.h"

/* A context whose memory is counted and can be refused, which can be cancelled, and clips. */
typedef struct graph_rig {
    test_memory memory;
    test_stops stops;
    marey_ctx *ctx;
    int count;
    const marey_clip *clips[6];
} graph_rig;

graph_rig *graph_rig_open(int threads);
void graph_rig_close(graph_rig *rig); /* nothing may be held any more */
OWNED_POINTER(graph_rig, graph_rig_close)
void graph_rig_put(graph_rig *rig, marey_clip *clip);
/* Frames [from, to) of what is done in a take of the demo library, at 60 Hz. */
void graph_rig_add(graph_rig *rig, const char *take, int segment, int from, int to);
void graph_rig_walks(graph_rig *rig); /* two walks of about two seconds that are much alike */

graph_rig *graph_rig_small(void); /* opens one with two walks of less than a second */

/* Each fails the test if that fails. */
marey_graph *graph_rig_build(graph_rig *rig, const marey_graph_def *def);
/* With its nodes, but without transitions. */
marey_graph *graph_rig_nodes(graph_rig *rig, const marey_graph_def *def);
marey_graph_stats graph_rig_measure(graph_rig *rig, const marey_graph *graph);

/* Fewest frames from a node to every node over steps of sequences and transitions below a threshold; -1: no way.
   free() it. */
int *judge_frames(const marey_graph *graph, int from, double below);

/* Least cost from a node to every node, in 1/64 frames, as paths are reckoned when a graph is reduced; -1: no way.
   free() it. */
int64_t *judge_costs(const marey_graph *graph, int from);

/* Everything that can be seen of two graphs is the same. */
void judge_same_graphs(const marey_graph *a, const marey_graph *b);

/* Both are no numbers, or they are no farther apart than that. */
void judge_near(double a, double b, double off);

/* How many transitions lead from one node to another: 0 or 1. */
int judge_transitions(const marey_graph *graph, int from, int to);

/* Opens a rig with two walks, a turn and some standing: parts that cannot be reached from each other. */
graph_rig *graph_rig_three(void);

/* What holds for every graph: sequences, sorted transitions, numbers in their ranges, core. */
void judge_is_sound(const marey_graph *graph);

#endif
