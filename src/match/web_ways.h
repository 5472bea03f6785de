/* web_ways.h - the cheapest ways through the valid region, a row of cells after the other: what bridges
   and tails are found by. Read by web_bridge.c and web_tail.c.

   A cell has a state for every way of the last steps: S (a diagonal one, or the way begins here), k
   across, k down, k up to the slope. A step down after one across, or the other way round, is never
   needed: the diagonal leaves out a cell, and costs are not negative. So only the least of all
   states goes on diagonally, and only S begins a run:

       S(r, c)        = least of all states of (r - 1, c - 1)    + cost
       across_k(r, c) = across_k-1(r, c - 1), across_0 = S       + cost
       down_k(r, c)   = down_k-1(r - 1, c),   down_0 = S         + cost

   Nothing waits for the cell to the left but what adds up to k costs to an S, so a kernel does a row
   many cells at a time (kernel.h). Which state is a cell's least is noted in a byte; the rest follows
   when a way is traced back. */
#ifndef MRY_WEB_WAYS_H
#define MRY_WEB_WAYS_H

#include "kernel/kernel.h"
#include "match/web_work.h"

typedef struct mry_web_ways_row {
    double *sums;  /* planes of the least sums, S, down_1 to down_(slope - 1) */
    int64_t *tags; /* likewise, as the caller counts them; NULL: it does not */
    int used;      /* columns from here on are infinite */
    int lo, hi;    /* columns [lo, hi) may hold ways, and the first and last of them do */
} mry_web_ways_row;

typedef struct mry_web_ways {
    const mry_kernel *kernel;
    int slope;
    size_t stride; /* columns of a plane */
    mry_web_ways_row rows[2];
    mry_web_ways_row *now, *before;
    float *costs;
} mry_web_ways;

/* For rows of at most `width` columns. Lives in mem. False: no memory. */
bool mry_web_ways_make(mry_web_ways *ways, mry_arena *mem, int slope, int width, bool tagged);

/* No row yet. */
void mry_web_ways_clear(mry_web_ways *ways);

static inline bool mry_web_ways_over(const mry_web_ways *ways)
{
    return ways->now->lo == ways->now->hi;
}

/* Begins the next row, whose columns [first, behind) may hold ways beside those that come from the row
   before; all columns are less than width. Column x costs what cells[way * x] says, `way` being 1 or
   -1. The caller may change costs of columns [now->lo, now->hi) before the row is ended. */
void mry_web_ways_open(mry_web_ways *ways, const float *cells, int way, int first, int behind,
                       int width);

/* Ends it: now->lo and now->hi are then those of columns with ways. `def` says where ways begin, by
   columns from now->lo on, and by column 0 what the kernel asks of each: the oldest tags, the states,
   and the least so far. */
void mry_web_ways_close(mry_web_ways *ways, const mry_ways_def *def);

/* The least of all states of the row in hand, by columns. */
static inline double mry_web_ways_sum(const mry_web_ways *ways, int col)
{
    return ways->now->sums[col];
}

/* The way's step to a cell, from the state that it has there: true if it came from the row above, or
   from the column before. */
static inline bool mry_ways_came_down(int state, int slope)
{
    return state == 0 || state > slope;
}

static inline bool mry_ways_came_across(int state, int slope)
{
    return state <= slope;
}

/* The state of the cell before; -1: that cell's least. */
static inline int mry_ways_state_before(int state, int slope)
{
    return state == 0 ? -1 : state == slope + 1 ? 0 : state - 1;
}

#endif
