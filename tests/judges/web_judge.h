/* web_judge.h - the textbook form of bridges, on a whole small grid, by loops that follow the text
   (webs, 6.2.2). What the builder's own rules say is judged by plain_web.h.

   Bridges are the paper's: from every cell of the one chain to every cell of the other the way with
   the least sum, and of these the one with the least mean; or, if that is asked for, the way with
   the least mean of all there are. Either is found from the least sums of ways of every number of
   cells, for every pair of cells by itself. The builder forgets ways that a cheaper one from
   another cell has overtaken, so its bridges can be dearer than the judge's. */
#ifndef MAREY_TEST_WEB_JUDGE_H
#define MAREY_TEST_WEB_JUDGE_H

#include "brute_search.h"
#include "support.h"

/* The chains of a web, without its tails, and the textbook's bridges between them; free it with
   marey_web_free. Costs are not rounded. Time goes with the cube of the bridges' length for every
   cell of a chain: only for small grids. */
marey_web *web_judge_bridges(marey_ctx *ctx, const marey_web *web, marey_rows cost,
                             const marey_web_def *def, bool least_mean);

#endif
