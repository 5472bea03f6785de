/* web_data.h - the inside of a match web, and what exactly is in one. Read by match.

   Cells. Rows are frames of the first motion, columns of the second; time runs towards greater rows
   and columns. Cells of marked frames are infinite. Of a motion with itself only cells with col >
   row are looked at; beside the diagonal the true values of their neighbours count. `reach` is
   round(bridge_s * fps) steps.

   Minima. A cell less than the ceiling that is less than both its neighbours in its row, or in its
   column. Outside the grid is infinite.

   Valid region. All minima; and from each minimum along its row, if it is least in it, and along
   its column, if it is least in that, both ways: cells until one is not less than (1 + valid) times
   the minimum, in float; and at most reach
   - 1 of them, since a bridge could not get further.

   Chains. A minimum of a chain goes on to (row + 1, col + 1), if that is a minimum; else to the
   lesser one of (row, col + 1) and (row + 1, col) (of equal ones the first) that is a minimum and
   that the slope allows: no more than `slope` steps in a row along one motion. If several go on to
   the same one, the diagonal one gets there, else the one with the lesser cost (of equal ones that
   in the row before); the others are the last of their chains. A chain begins at a minimum that
   none goes on to and that has no neighbour (row - 1, col - 1), (row - 1, col), (row, col - 1) in a
   chain that goes on, be it to where another one gets. (The paper begins none at a minimum beside
   any other one; on twelve clips that left out half of the cells that are in chains here.) So each
   minimum is in at most one chain. Chains of fewer than round(shortest_s * fps) cells are dropped.

   Bridges. A way from a cell of chain C to one of another chain C' through the valid region, with
   steps and slope as for chains, with no cell of C but the first, and with rows + columns from end
   to end less than reach. A chain is looked at in pieces of MRY_WEB_PIECE cells. For every piece
   and every cell of C': the way with the least sum of costs, both ends included, from any cell of
   the piece. Of those ways that touch C' nowhere but at their end, over all pieces and cells, the
   one with the least mean (of equal ones the first by piece, then row, then column of the end) is
   the bridge from C to C'. The paper takes the least mean over pairs of ends; here the way leaves C
   where the sum is least. What is not exact: of the ways with one run of last steps to one cell
   only that with the least sum is kept; if that gets as long as reach before it arrives, one with a
   greater sum that began later is lost with it. Beside the paper's own bridges these are 2 % dearer
   in the mean, and 1 in 100 is missing (tests/match/test_web_judge.c). The diagonal of a motion
   with itself has no bridges.

   Tails. Beyond the paper: where a chain ends, or begins, other frames may still be alike, but no
   chain is there to get to. From its last cell E ways go on, and back from its first, through the
   valid region, with steps and slope as for bridges, and with rows + columns away from E less than
   reach; they may touch any chain. To every cell the one with the least sum counts, E not included.
   The tail along rows ends in the furthest row that a way gets to, at most round(tail_s * fps) away
   from E and nearer than reach, in that row's cell with the least sum (of equal ones that with the
   nearest column); the tail along columns likewise in the furthest column. There are two since a
   query along rows wants few columns where frames are hardly alike, and one along columns few rows.
   If both are the same there is one. The diagonal of a motion with itself has no tails. A tail is a
   path like a chain, and a joint, which is a bridge without cells, connects it with E; so a search
   needs to know nothing about tails.

   Costs are rounded to MRY_WEB_COST_BITS bits behind the leading one, when all is found; so bytes
   keep all there is.

   Chains come first, sorted by their first cell (row, then column), then tails, by their chains: on
   along rows, on along columns, back along rows, back along columns; then bridges, sorted by the
   chains they connect; then joints, in the order of their tails. Cells of one path lie in a row. A
   bridge's cells are those between the cell it leaves and the cell it reaches, without these two;
   it may have none, where chains touch. */
#ifndef MRY_WEB_DATA_H
#define MRY_WEB_DATA_H

#include "base/arena.h"

#include <marey/match.h>

enum { MRY_WEB_PIECE = 64, MRY_WEB_COST_BITS = 9, MRY_WEB_MOST_SLOPE = 8 };

typedef struct mry_web_path {
    int64_t first; /* of its cells */
    int count;
    int from, to, from_cell, to_cell; /* bridges; -1 for chains */
} mry_web_path;

struct marey_web {
    mry_arena mem; /* everything below lives here, and so does the web itself */
    int rows, cols;
    bool self; /* a motion with itself: cells above the diagonal, and the diagonal as chain 0 */
    double fps;
    double ceiling;
    int chain_count, bridge_count; /* with tails and joints */
    int tail_count;                /* how many there are of each */
    mry_web_path *paths;           /* chains, tails, bridges, joints */
    int64_t cell_count;
    marey_cell *cells;
    float *costs;
    /* search_index.h: mry_web_index_make, when all else is there */
    const struct mry_web_index *index;
};

/* A web of a grid that is given: for tests, and for metrics whose grid is there anyway. `slab`:
   rows that are held at once beyond what must be; 0: as many as is good. */
marey_status mry_web_from_rows(marey_ctx *ctx, marey_rows cost, bool self, double fps,
                               const marey_web_def *def, int slab, marey_web **out,
                               marey_error *error);

/* marey_web_build with what tests and benchmarks ask for: no bridges; rows held at once, as
   above. */
marey_status mry_web_of(marey_ctx *ctx, const marey_features *a, const marey_features *b,
                        const marey_web_def *def, bool chains_only, int slab, marey_web **out,
                        marey_error *error);

/* The joint between a chain and a tail, both by their numbers; `back`: the tail leads to the
   chain. */
mry_web_path mry_web_joint(const marey_web *web, int chain, int tail, bool back);

/* What bytes say of a web before its paths, which are not looked at; their hash is. */
marey_status mry_web_head(const uint8_t *bytes, size_t size, marey_web *head, marey_error *error);

/* A web like `head`, whose counts of chains and bridges are room here, with room for so many cells.
   NULL: no memory. */
marey_web *mry_web_make(marey_ctx *ctx, const marey_web *head, int64_t cells);

void mry_web_add_diagonal(marey_web *web); /* as its first chain, before any other */

/* To the nearest number with MRY_WEB_COST_BITS bits behind the leading one. */
float mry_web_round_cost(float cost);

#endif
