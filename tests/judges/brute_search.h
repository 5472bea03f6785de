/* brute_search.h - the paper's expensive method (webs, 6.2.2), which compares a query with every
   segment there is. For tests and benchmarks; needs nothing of either. */
#ifndef MAREY_TEST_BRUTE_SEARCH_H
#define MAREY_TEST_BRUTE_SEARCH_H

#include <marey/match.h>

/* The valid region (webs, 6.2.1): a byte a cell, rows * cols of them; free() it. A cell is a
   minimum if it is less than the ceiling and less than both neighbours of its row, or of its
   column; outside the grid is infinite. Cells on and below the diagonal of a motion with itself are
   not valid, but they are neighbours. No walk is longer than a bridge. */
uint8_t *web_judge_valid(marey_rows cost, bool self, double fps, const marey_web_def *def);

typedef struct brute_match {
    int start, end; /* columns */
    double mean;
    int cells;
} brute_match;

/* Dynamic timewarping of rows [start, end) with every segment of columns, inside the valid region:
   those with a mean of at most `threshold`, less those that overlap a better one by `same`; best
   first. Free() it. */
brute_match *brute_search(marey_rows cost, const uint8_t *valid, int slope, int start, int end,
                          double threshold, double same, int *count);

#endif
