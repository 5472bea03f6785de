/* matching_data.h - the inside of a matching: features of every pose, and what bounds their
   distances from below. Read by matching*.c and controller.c. */
#ifndef MRY_MATCHING_DATA_H
#define MRY_MATCHING_DATA_H

#include "control/control_data.h"

#include <marey/matching.h>

enum {
    MRY_MATCH_TIMES = 3, /* of the path: in 1/3, 2/3 and 1 s */
    MRY_MATCH_ROW = 28,  /* 27 features and a zero, so that four are taken at a time */
    MRY_MATCH_CODE = 8,  /* seven principal coordinates and the length of what is left over */
    MRY_MATCH_SPEEDS = 4 /* 0 and up to three */
};

/* Where the body stands and faces in a node, where its sequence lies: the mean over a third of a
   second, as steps sway. */
typedef struct mry_stand {
    float x, z, facing;
} mry_stand;

struct marey_matching {
    mry_arena mem; /* everything below lives here, and so does the matching itself */
    const marey_graph *graph;
    marey_matching_def def; /* every default filled in */
    size_t bytes;
    double sigma;      /* of the quality of jumps */
    int horizon;       /* frames of the longest time of the path */
    int poses;         /* that can be jumped to: the first rows, in the order of the tree */
    mry_move *moves;   /* of each node */
    mry_stand *stands; /* of each original */
    int *row;          /* of each original */
    int *node;         /* of each row */
    float scale[MAREY_MATCHING_FEATURE_COUNT]; /* of a feature: its weight over its spread */
    float *features;                           /* rows x MRY_MATCH_ROW, scaled */
    float *weight; /* of each joint, as the graph's metric has it: how poses are laid */
    double speeds[MRY_MATCH_SPEEDS];
    int speed_count;
    /* The tree: halves of halves of the rows, each with the box around its codes. */
    double mean[MRY_MATCH_ROW], axes[MRY_MATCH_CODE - 1][MRY_MATCH_ROW];
    float *codes;   /* poses x MRY_MATCH_CODE */
    float *boxes;   /* of each half, heap order: the least of each number, then the most */
    double largest; /* length of a code */
};

/* The captured frame behind one, -1: the clip ends. */
static inline int mry_match_next(const marey_graph *graph, int node)
{
    return graph->next[node] == node + 1 && node + 1 < graph->originals ? node + 1 : -1;
}

/* Squared distance of two rows, always added up in the same order. */
static inline float mry_match_distance(const float *a, const float *b)
{
    float sum[4] = { 0 };
    for (int i = 0; i < MRY_MATCH_ROW; i += 4) {
        for (int k = 0; k < 4; k++) {
            float d = a[i + k] - b[i + k];
            sum[k] += d * d;
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* ---- matching_search.c ----------------------------------------------------------------------- */

/* Sorts the poses, their rows and nodes, into a tree. `count` rows. false: out of memory. */
bool mry_matching_sort(marey_matching *matching, int count, mry_arena *tmp);

/* The row of the pose closest to a query and closer than `limit`, of equal ones that of the lowest
   node; nodes from low to high are left out. -1: there is none. *compared: how many were compared
   in full. */
int mry_matching_search(const marey_matching *matching, const float *query, float limit, int low,
                        int high, int *compared);

/* ---- matching_build.c ------------------------------------------------------------------------ */

/* What a node and an input ask for, as a row. The direction is seen from the node's sequence. */
void mry_matching_query(const marey_matching *matching, int node, double direction, double speed,
                        float *out);

/* The node that is like `node` and leads on better for an input; -1: going on does. */
int mry_matching_choose(const marey_matching *matching, int node, double direction, double speed,
                        int *compared);

/* How b is laid on a, and their distance, cm^2, as a graph has them. `room`: joints x 6. */
mry_floor mry_matching_lay(const marey_matching *matching, int a, int b, float *room,
                           double *distance);

#endif
