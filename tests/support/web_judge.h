/* web_judge.h - the textbook form of a match web, on a whole small grid, by loops that follow the text (webs, 6.2.1 and 6.2.2)
   and the rules at the top of match/web_data.h; and the paper's expensive method, which compares a query with every
   segment there is.

   The rules, where the text leaves them open. A cell is a minimum if it is less than the ceiling and less than both
   neighbours of its row, or of its column; outside the grid is infinite. Cells on and below the diagonal of a motion with
   itself are in no path and not valid, but they are neighbours. A chain's next cell is the diagonal one if that is a
   minimum; else the lesser of the one to the right and the one below that are minima and that the slope allows, of equal
   ones the one to the right. Several that want the same cell: the diagonal one has it, else the one with the lesser value, of equal
   ones that of the row before; the others end. A chain begins at every other minimum before which, in the same three directions, no
   cell of a chain lies that wanted to go on.

   Bridges are the paper's: from every cell of the one chain to every cell of the other the way with the least sum, and of
   these the one with the least mean; or, if that is asked for, the way with the least mean of all there are. Either is
   found from the least sums of ways of every number of cells, for every pair of cells by itself. The builder forgets
   ways that a cheaper one from another cell has overtaken, so its bridges can be dearer than the judge's. */
#ifndef MAREY_TEST_WEB_JUDGE_H
#define MAREY_TEST_WEB_JUDGE_H

#include "support.h"

/* With its index; free it with marey_web_free. Costs are not rounded. Time goes with the cube of the bridges' length for
   every cell of a chain: only for small grids. */
marey_web *web_judge_build(marey_ctx *ctx, marey_rows cost, bool self, double fps,
                           const marey_web_def *def, bool least_mean);

/* The valid region: a byte a cell, rows * cols of them; free() it. */
uint8_t *web_judge_valid(marey_rows cost, bool self, double fps, const marey_web_def *def);

typedef struct brute_match {
    int start, end; /* columns */
    double mean;
} brute_match;

/* Dynamic timewarping of rows [start, end) with every segment of columns, inside the valid region: those with a mean of at
   most `threshold`, less those that overlap a better one by `same`; best first. Free() it. */
brute_match *brute_search(marey_rows cost, const uint8_t *valid, int slope, int start, int end,
                          double threshold, double same, int *count);

#endif
