/* query_scan.h - where in clips the motion is like a query, exactly, without comparing all of it.

   An alignment gives each row i of the query one row j of the clip, j(0) <= j(1) <= ... At most
   slope + 1 rows of the clip lie from one to the next, and at most `slope` times in a row j stays.
   It costs the mean over the query's rows of D(i, j(i)), the distance of feature/poses.h: the
   number it is divided by is the same for all alignments, so a sum of lower bounds of D, divided
   likewise, bounds the least cost from below, and nothing is diluted by frames that are repeated.

   So clips are ruled out by blocks of rows (feature/pose_blocks.h), and distances are computed
   only around what is left. Every end with a cost of at most the cut-off is found. */
#ifndef MRY_QUERY_SCAN_H
#define MRY_QUERY_SCAN_H

#include "base/arena.h"
#include "feature/pose_blocks.h"

#include <marey/align.h>

/* A step of an alignment is not longer than a block. */
enum { MRY_SCAN_MOST_SLOPE = MRY_POSE_BLOCK - 1 };

/* ---- the cost -------------------------------------------------------------------------------- */

/* Of every column of a grid: the least cost of an alignment of all rows that ends there, INFINITY
   if there is none, and the column where it starts. `room` is for (slope + 2) x cols floats and as
   many numbers. `starts` may be NULL, and then so may its room. */
typedef struct mry_row_warp {
    int slope;
    float *sums;
    int *from;
} mry_row_warp;

void mry_row_warp_costs(const mry_row_warp *room, marey_rows cost, float *costs, int *starts);

/* ---- the query ------------------------------------------------------------------------------- */

/* Rows of a clip, packed with the weights of its points. */
typedef struct mry_scan_query {
    const mry_kernel *kernel;
    int points, rows;
    const float *weights; /* sum to one */
    mry_pose_side frames;
} mry_scan_query;

/* Rows [first, end). `unit` is that of mry_pose_row. `weights` are copied. False: out of memory. */
bool mry_scan_query_make(mry_arena *mem, const mry_poses *poses, int first, int end,
                         const float *weights, float unit, mry_scan_query *out);

/* ---- what is searched ------------------------------------------------------------------------ */

/* The blocks of many clips of the same points, one behind the other. */
typedef struct mry_scan_shelf {
    const mry_kernel *kernel;
    int points, blocks;
    size_t stride; /* of radii: blocks, rounded up */
    float *panels;
    float *radii; /* points x stride: rho^2 */
    float *tmp;   /* of one block */
} mry_scan_shelf;

/* With room for so many blocks; false: out of memory. */
bool mry_scan_shelf_make(mry_arena *mem, int points, int blocks, mry_scan_shelf *out);
void mry_scan_shelf_put(mry_scan_shelf *shelf, int at, const mry_pose_blocks *blocks, float unit);

/* A clip on a shelf. */
typedef struct mry_scan_part {
    int block; /* its first */
    int rows;
} mry_scan_part;

/* Rows [from, to) of a part. */
typedef struct mry_stretch {
    int part;
    int from, to;
} mry_stretch;

typedef struct mry_stretches {
    mry_stretch *items;
    int count;
} mry_stretches;

/* The rows that an alignment may pass which costs at most `cutoff`, in parts that lie behind each
   other on the shelf; the list lives in mem. False: out of memory. */
bool mry_scan_rule_out(mry_arena *mem, const mry_scan_query *query, const mry_scan_shelf *shelf,
                       const mry_scan_part *parts, int count, int slope, float cutoff,
                       mry_stretches *out);

/* An alignment's first and last row of the clip. */
typedef struct mry_scan_end {
    int start, end;
    float cost;
} mry_scan_end;

typedef struct mry_scan_ends {
    mry_scan_end *items; /* by their last rows */
    int count;
} mry_scan_ends;

/* All ends within a stretch that cost at most `cutoff`. Frames that were not captured are in no
   alignment. The list lives in mem. False: out of memory. */
bool mry_scan_measure(mry_arena *mem, const mry_scan_query *query, const mry_poses *poses,
                      float unit, int slope, float cutoff, int from, int to, mry_scan_ends *out);

/* The mean distance of all rows of the query to each row [from, to). False: out of memory. */
bool mry_scan_means(mry_arena *tmp, const mry_scan_query *query, const mry_poses *poses, float unit,
                    int from, int to, float *out);

/* The rows that an alignment from `start` to `end` gives the query's rows, query->rows of them in
   `out`. It is the cheapest one. False: out of memory. */
bool mry_scan_path(mry_arena *tmp, const mry_scan_query *query, const mry_poses *poses, float unit,
                   int slope, int start, int end, int *out);

#endif
