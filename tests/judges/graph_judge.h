/* graph_judge.h - clips to make motion graphs of, and what is judged about graphs by trying
   everything: who reaches whom, in how many frames, at what cost. Knows nothing of how the library
   does it. */
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
/* Marks frames as lost, behind those that are; from 0 on, in their place. */
void graph_rig_lose(graph_rig *rig, int clip, int start, int end);
void graph_rig_walks(graph_rig *rig); /* two walks of about two seconds that are much alike */

graph_rig *graph_rig_small(void); /* opens one with two walks of less than a second */

/* Each fails the test if that fails. */
marey_graph *graph_rig_build(graph_rig *rig, const marey_graph_def *def);
/* With its nodes, but without transitions. */
marey_graph *graph_rig_nodes(graph_rig *rig, const marey_graph_def *def);
marey_graph_stats graph_rig_measure(graph_rig *rig, const marey_graph *graph);

/* Fewest frames from a node at which a walk is free until every node is shown, over steps of
   sequences and transitions below a threshold, with the graph's dwell; -1: no way. free() it. */
int *judge_frames(const marey_graph *graph, int from, double below);

/* Fewest frames until a walk is free at every node. free() it. */
int *judge_free(const marey_graph *graph, int from, double below);

/* Least cost from a free node to being free at every node, in 1/64 frames, as paths are reckoned
   when a graph is reduced; -1: no way. free() it. */
int64_t *judge_costs(const marey_graph *graph, int from);

/* Everything that can be seen of two graphs is the same. */
void judge_same_graphs(const marey_graph *a, const marey_graph *b);

/* Both are no numbers, or they are no farther apart than that. */
void judge_near(double a, double b, double off);

/* How many transitions lead from one node to another: 0 or 1. */
int judge_transitions(const marey_graph *graph, int from, int to);

/* Opens a rig with two walks, a turn and some standing: parts that cannot be reached from each
   other. */
graph_rig *graph_rig_three(void);

/* Cases with a rig of their own, called rig: without clips, and those of graph_rig_small and
   graph_rig_three. */
#define TEST_RIG(name) TEST_RIG_IN(graph_rig_set_up, name)
#define TEST_RIG_SMALL(name) TEST_RIG_IN(graph_rig_set_up_small, name)
#define TEST_RIG_THREE(name) TEST_RIG_IN(graph_rig_set_up_three, name)
#define TEST_RIG_IN(set_up, name) TEST_OF_IN(set_up, graph_rig_tear_down, graph_rig *rig, name)
int graph_rig_set_up(void **state);
int graph_rig_set_up_small(void **state);
int graph_rig_set_up_three(void **state);
int graph_rig_tear_down(void **state);

/* Something that takes memory, of a kind of its own; everything that it makes is freed. */
typedef marey_status graph_rig_use(graph_rig *rig, int kind, marey_error *error);

/* With each allocation refused in turn, and cancelled at each report of progress, it says so and
   holds nothing. */
void judge_refused_memory(void (*add_clips)(graph_rig *rig), graph_rig_use *use, int kinds);
void judge_cancelled(void (*add_clips)(graph_rig *rig), graph_rig_use *use, int kinds);

/* What holds for every graph: sequences, sorted transitions, numbers in their ranges, core. */
void judge_is_sound(const marey_graph *graph);

#endif
