/* graph_lab.h - sets of clips, what is done in them, graphs of them, and what is measured on those:
   mostly by the library. */
#ifndef MAREY_EXPERIMENTS_GRAPH_LAB_H
#define MAREY_EXPERIMENTS_GRAPH_LAB_H

#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

enum { LAB_MOST_CLIPS = 64, LAB_MOST_BEHAVIOURS = 256 };

typedef struct lab {
    marey_ctx *ctx;
    const char *mocap, *labels, *folder;
} lab;

typedef struct lab_set {
    int count;
    marey_clip *clips[LAB_MOST_CLIPS];
    char names[LAB_MOST_CLIPS][16];
    marey_behaviour behaviours[LAB_MOST_BEHAVIOURS];
    char said[LAB_MOST_BEHAVIOURS][24]; /* their labels */
    int behaviour_count;
} lab_set;

void lab_need(marey_status status, const marey_error *error);
double lab_cpu_s(void);
double lab_clock_s(void);
double lab_memory_gb(void); /* the most that the process held so far */

/* The clips behind "# name" in the list of sets. fps 0: as the files say. */
void lab_load(const lab *of, const char *name, double fps, lab_set *set);
void lab_label(const lab *of, lab_set *set); /* behaviours, from the file of labels */
/* The middle of every clip, a share of it; labels too. */
void lab_shorten(const lab_set *set, double share, lab_set *out);
void lab_set_free(lab_set *set);

/* What it took to build a graph. */
typedef struct lab_cost {
    double cpu_s, clock_s;
} lab_cost;

/* Of the first `clips` of a set. */
marey_graph *lab_build(const lab *of, const lab_set *set, int clips, marey_graph_def def,
                       lab_cost *cost);

/* A walk as the program finds it: as long as it has faults that eyes see, it is searched again
   without them; how many are left. False: there is none. */
bool lab_walk_seen(const lab *of, const marey_graph *graph, marey_walk_def def, marey_walk *out,
                   int *faults);

typedef struct lab_measure {
    marey_graph_stats stats;
    double smooth_percent; /* of the transitions, when the difference is spread over both sides */
    double bare_percent;   /* likewise, as they are; NaN: of a graph that was reduced */
    int component;         /* captured frames in the largest one */
} lab_measure;

lab_measure lab_measure_graph(const lab *of, const marey_graph *graph);

/* How many transitions, of at most 40000, make no larger step than 1.1 times those of the motions
   within 0.2 s of them if the poses stay as they are. In a graph that was reduced those motions are
   in pieces, so it says nothing there. */
double lab_bare_percent(const marey_graph *graph);

#endif
