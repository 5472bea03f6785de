/* cluster_near.h - which frames of a cluster graph are within reach of each other, and what joins
   them. Read by the building half of the cluster files.

   Frames here are the graph's rows without the marked ones, numbered clip after clip. */
#ifndef MRY_CLUSTER_NEAR_H
#define MRY_CLUSTER_NEAR_H

#include "cluster/cluster_data.h"
#include "graph/graph_data.h"

/* ---- cluster_near.c: frames ------------------------------------------------------------------ */

/* Where frames come from, and their point clouds. */
typedef struct mry_frames {
    const marey_clusters *clusters;
    mry_arena mem;
    int count;
    int *clip, *row;   /* of each frame */
    int *number;       /* of each of the graph's rows (marked ones too): its frame; -1: marked */
    mry_clouds clouds; /* points only: without `low` */
} mry_frames;

marey_status mry_frames_open(mry_frames *frames, const marey_clusters *clusters,
                             marey_error *error);
static inline void mry_frames_close(mry_frames *frames)
{
    mry_arena_free(&frames->mem);
}

/* ---- cluster_near.c: rows of the grid of all frames by all frames ---------------------------- */

typedef struct mry_near_cell {
    int other; /* a frame, or a cluster */
    float value;
} mry_near_cell;

typedef struct mry_near_row {
    mry_near_cell *cells; /* by other */
    int count, room;
} mry_near_row;

/* Takes the cells of frame `frame`, within reach of all others or fewer; called from the thread
   that asked, in the order of frames. A status that is not OK ends the search. */
typedef marey_status (*mry_near_take)(void *user, int frame, mry_near_row *row, marey_error *error);

typedef struct mry_near_search {
    const mry_frames *frames;
    double threshold; /* nothing beyond it */
    double reach;     /* nothing beyond this either; the one who takes rows may lower it */
    bool later;       /* of each frame only those behind it */
    /* If given, what is handed on are clusters instead of frames: those all of whose frames are
       within reach, with the largest of their distances; not the frame's own. Clusters are numbered
       in the order of their first frames. */
    const int *cluster; /* of each frame */
    const int *size;    /* of each cluster */
    int cluster_count;
    mry_near_take take;
    void *user;
    /* Rows go to a shard instead, or come from shards (marey/shard.h); NULL: neither. */
    const marey_tiles *tiles;
} mry_near_search;

marey_status mry_near_search_run(const mry_near_search *search, marey_error *error);

/* ---- cluster_link.c: what is near each cluster ----------------------------------------------- */

/* Of each cluster those that are within reach of it, with all of their frames. */
typedef struct mry_near_lists {
    marey_ctx *ctx;
    int count;
    mry_near_row *rows;
    int64_t cells; /* in all rows */
} mry_near_lists;

void mry_near_lists_free(mry_near_lists *lists);

/* So many cells of lists fit into the memory that is meant for them; each pair of frames is two. */
int64_t mry_near_most_cells(const marey_ctx *ctx);

/* A reach within which lists of single frames are likely to fit; at most the threshold. False: out
   of memory. */
bool mry_near_first_reach(const mry_frames *frames, mry_arena *tmp, double threshold,
                          int64_t most_cells, double *reach);

/* Lists of all clusters within *reach, or, if these are more than most_cells, within the lower one
   for which they are not. LIMIT: not even those that are least apart fit. */
marey_status mry_near_lists_find(const mry_frames *frames, const int *cluster, const int *size,
                                 int count, double threshold, int64_t most_cells,
                                 const marey_tiles *tiles, mry_near_lists *out, double *reach,
                                 marey_error *error);

/* ---- cluster_link.c: complete link ----------------------------------------------------------- */

/* Joins what the lists say is near until nothing is. label[i] becomes the first of what cluster i
   is joined with, widest[i] of that first one at least the largest distance in it. Empties the
   lists. */
marey_status mry_link_complete(mry_near_lists *lists, int *label, float *widest,
                               marey_error *error);

/* All frames, as often as it takes: label[i] is the first frame of what frame i is joined with. The
   first time rows may be those of shards; nothing is joined while one is made. */
marey_status mry_cluster_complete(const mry_frames *frames, double threshold, int64_t most_cells,
                                  int *label, float *widest, marey_error *error);

/* ---- cluster_build.c: single link ------------------------------------------------------------ */

/* Pairs that wait for the next tree: as long as there are fewer, it takes one. */
enum { MRY_SINGLE_WAITING = 1 << 20 };

marey_status mry_cluster_single(const mry_frames *frames, double threshold, int most_waiting,
                                int *label, float *widest, marey_error *error);

#endif
